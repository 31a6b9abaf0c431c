"""The manifests in deploy/kubernetes: valid, and consistent with the service."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from service.config import SETTINGS, Settings
from service.http.app import create_app

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())
MANIFESTS: list[dict[str, Any]] = [
    manifest
    for name in KUSTOMIZATION["resources"]
    for manifest in yaml.safe_load_all((FOLDER / name).read_text())
]
NOT_PUBLIC = {"/metrics", "/livez", "/readyz"}


def named(manifest: dict[str, Any]) -> str:
    return f"{manifest['kind']}/{manifest['metadata']['name']}"


BY_NAME = {named(manifest): manifest for manifest in MANIFESTS}
WORKLOADS = [
    BY_NAME["Deployment/accordion-api"],
    BY_NAME["StatefulSet/accordion-store"],
]
API = BY_NAME["Deployment/accordion-api"]["spec"]
POD = API["template"]["spec"]
(CONTAINER,) = POD["containers"]
SET = BY_NAME["ConfigMap/accordion"]["data"]

each_workload = pytest.mark.parametrize("workload", WORKLOADS, ids=named)


@pytest.mark.parametrize("version", ["1.30", kubernetes_validate.latest_version()])
@pytest.mark.parametrize("manifest", MANIFESTS, ids=named)
def test_manifest_is_valid(manifest: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(manifest, version, strict=True)


def test_the_validator_finds_errors() -> None:
    invalid = {**BY_NAME["Service/accordion-api"], "spec": {"ports": [{"prot": 80}]}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(invalid, "1.30", strict=True)


def test_every_manifest_is_in_the_kustomization() -> None:
    files = {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    assert set(KUSTOMIZATION["resources"]) == files


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="no kubectl here")
def test_kubectl_accepts_the_kustomization() -> None:
    result = subprocess.run(
        ["kubectl", "kustomize", FOLDER], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    made = [named(manifest) for manifest in yaml.safe_load_all(result.stdout)]
    assert sorted(made) == sorted(BY_NAME)


@each_workload
def test_pods_are_found_by_their_labels(workload: dict[str, Any]) -> None:
    name = workload["metadata"]["name"]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    assert workload["spec"]["selector"]["matchLabels"].items() <= labels.items()
    service = BY_NAME[f"Service/{name}"]["spec"]
    assert service["selector"].items() <= labels.items()
    ports = workload["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert {port["targetPort"] for port in service["ports"]} == {
        port["name"] for port in ports
    }


@each_workload
def test_pods_have_probes_resources_and_few_rights(workload: dict[str, Any]) -> None:
    pod = workload["spec"]["template"]["spec"]
    # Variables that Kubernetes adds for a Service would be read as settings.
    assert pod["enableServiceLinks"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
        assert "memory" in container["resources"]["limits"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        made = {volume["name"] for volume in pod.get("volumes", [])} | {
            claim["metadata"]["name"]
            for claim in workload["spec"].get("volumeClaimTemplates", [])
        }
        assert mounted <= made
    for container in pod["containers"]:
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= container.keys()


def test_liveness_probes_the_process_and_readiness_the_store() -> None:
    assert CONTAINER["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert CONTAINER["startupProbe"]["httpGet"]["path"] == "/livez"
    assert CONTAINER["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_an_update_removes_no_pod_before_another_is_ready() -> None:
    assert API["strategy"]["type"] == "RollingUpdate"
    assert API["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    stop_timeout = int(SET["ACCORDION_STOP_TIMEOUT"])
    pause = int(CONTAINER["lifecycle"]["preStop"]["exec"]["command"][1])
    assert POD["terminationGracePeriodSeconds"] > stop_timeout + pause


def test_the_number_of_pods_follows_the_processor_use() -> None:
    scaler = BY_NAME["HorizontalPodAutoscaler/accordion-api"]["spec"]
    target = scaler["scaleTargetRef"]
    assert f"{target['kind']}/{target['name']}" in BY_NAME
    assert "replicas" not in API
    assert [metric["resource"]["name"] for metric in scaler["metrics"]] == ["cpu"]
    assert CONTAINER["resources"]["requests"]["cpu"] == SET["ACCORDION_WORKERS"]


def test_the_settings_are_valid() -> None:
    settings = Settings.from_environ(SET)
    assert settings.redis_url is not None
    assert "Service/accordion-store" in BY_NAME
    assert "//accordion-store:6379" in settings.redis_url
    environ = {variable["name"] for variable in CONTAINER["env"]}
    assert not environ & {setting.variable for setting in SETTINGS}


def test_the_ingress_exposes_exactly_the_public_routes() -> None:
    rules = BY_NAME["Ingress/accordion"]["spec"]["rules"]
    paths = [path for rule in rules for path in rule["http"]["paths"]]
    for path in paths:
        backend = path["backend"]["service"]
        ports = BY_NAME[f"Service/{backend['name']}"]["spec"]["ports"]
        assert backend["port"]["name"] in {port["name"] for port in ports}

    def is_public(route: str) -> bool:
        return any(
            route == path["path"]
            or (path["pathType"] == "Prefix" and route.startswith(f"{path['path']}/"))
            for path in paths
        )

    routes = {
        re.sub("<.*?>", "x", rule.rule)
        for rule in create_app(Settings()).url_map.iter_rules()
    }
    assert routes >= NOT_PUBLIC
    assert {route for route in routes if not is_public(route)} == NOT_PUBLIC


def test_the_store_saves_every_write_and_evicts_nothing() -> None:
    store = BY_NAME["StatefulSet/accordion-store"]["spec"]["template"]["spec"]
    options = store["containers"][0]["args"]
    assert options[options.index("--appendonly") + 1] == "yes"
    assert options[options.index("--maxmemory-policy") + 1] == "noeviction"
