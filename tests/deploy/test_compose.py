"""What docker-compose.yml starts, and the files of Prometheus and Grafana."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import service.metrics
from service.config import SETTINGS, Settings
from service.http.app import list_routes
from service.store.factory import open_store
from tests.servers import BINARIES, StoreServer

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def metric_names() -> set[str]:
    endings = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}
    return {
        family.name + ending
        for family in service.metrics.REGISTRY.collect()
        for ending in endings.get(family.type, [""])
        if family.name.startswith("accordion_")
    }


def queries() -> list[str]:
    board = json.loads((DEPLOY / "grafana/dashboards/accordion.json").read_text())
    rules = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    shown = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    return shown + [
        rule["expr"] for group in rules["groups"] for rule in group["rules"]
    ]


def test_without_a_profile_only_the_service_runs() -> None:
    plain = {name for name, made in SERVICES.items() if "profiles" not in made}
    assert plain == {"proxy", "api", "redis"}
    assert SERVICES["load"]["profiles"] == ["load"]
    for name in ("prometheus", "grafana", "redis-exporter"):
        assert SERVICES[name]["profiles"] == ["metrics"]


NOT_PASSED_ON = {
    "ACCORDION_HOST": "the image listens on every address",
    "ACCORDION_PORT": "the proxy's port; the service always has 8000",
    "ACCORDION_SERVER": "the image has gunicorn only",
    "ACCORDION_STOP_TIMEOUT": "stop_grace_period is made for its default",
    "ACCORDION_DATA_DIR": "the image has a folder for it",
    "ACCORDION_STORE_FLUSH": "for the embedded store, which is not used",
    "ACCORDION_WAIT_REPLICAS": "the store has no replicas",
    "ACCORDION_OTLP_URL": "the image is made without the extra otel",
}


def test_every_setting_is_passed_on_or_left_out_on_purpose() -> None:
    environment = SERVICES["api"]["environment"]
    assert environment.keys() & NOT_PASSED_ON.keys() == set()
    known = {setting.variable for setting in SETTINGS}
    assert environment.keys() | NOT_PASSED_ON.keys() == known
    fixed = {"ACCORDION_REDIS_URL", "ACCORDION_TRUSTED_PROXIES"}
    for name, value in environment.items():
        # An empty value, as in a shell that does not set it, means the default.
        assert (value == f"${{{name}:-}}") == (name not in fixed)


def test_api_keys_have_a_volume() -> None:
    # tests/deploy/test_image.py makes a key there.
    assert SERVICES["api"]["volumes"] == ["keys:/keys"]


def test_the_grace_period_exceeds_the_stop_time_out() -> None:
    grace = int(SERVICES["api"]["stop_grace_period"].removesuffix("s"))
    assert grace > Settings().stop_timeout


def test_any_number_of_api_containers_can_run() -> None:
    assert "ports" not in SERVICES["api"]
    assert "container_name" not in SERVICES["api"]
    assert "server api:8000 resolve" in (DEPLOY / "nginx.conf").read_text()
    assert SERVICES["api"]["environment"]["ACCORDION_TRUSTED_PROXIES"] == "1"


def test_only_the_proxy_is_open_to_other_machines() -> None:
    for name, made in SERVICES.items():
        for port in made.get("ports", []):
            assert name == "proxy" or port.startswith("127.0.0.1:")


def test_every_mounted_file_exists() -> None:
    for made in SERVICES.values():
        for volume in made.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (ROOT / source).exists(), source
            else:
                assert source in COMPOSE["volumes"]


def test_every_service_that_is_waited_for_has_a_health_check() -> None:
    for made in SERVICES.values():
        awaited = made.get("depends_on", {})
        if isinstance(awaited, dict):
            for name, requirement in awaited.items():
                assert requirement["condition"] == "service_healthy"
                assert SERVICES[name]["healthcheck"]["test"]


def store_options() -> list[str]:
    """Return the options of the store, with the defaults of their variables."""
    name, *options = SERVICES["redis"]["command"]
    assert name == "redis-server"
    return [re.sub(r"^\$\{\w+:-(.+)\}$", r"\1", option) for option in options]


def test_the_stores_memory_can_be_set() -> None:
    options = SERVICES["redis"]["command"]
    memory = options[options.index("--maxmemory") + 1]
    assert re.fullmatch(r"\$\{REDIS_MAXMEMORY:-[0-9]+gb\}", memory)
    # With that prefix, a service started from the same shell would refuse it.
    assert not memory.startswith("${ACCORDION_")


@pytest.mark.parametrize("kind", BINARIES)
def test_the_store_has_a_memory_limit_and_evicts_nothing(
    kind: str, short_folder: Path
) -> None:
    binary = BINARIES[kind]
    if binary is None:
        pytest.skip(f"no {kind} server is installed")
    with (
        StoreServer(binary, short_folder, *store_options()) as server,
        server.client() as client,
    ):
        memory = client.info("memory")
        appends = client.config_get("appendonly")
    # Without a limit the alert for a full store would never fire.
    assert memory["maxmemory"] >= 2**30
    assert memory["maxmemory_policy"] == "noeviction"
    assert appends == {"appendonly": "yes"}


def test_locust_has_the_locked_version() -> None:
    locked = re.search(
        r"^locust==(\S+)", (ROOT / "requirements-dev.txt").read_text(), re.MULTILINE
    )
    assert locked
    assert SERVICES["load"]["image"] == f"locustio/locust:{locked[1]}"


def test_prometheus_scrapes_services_that_exist() -> None:
    config = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())
    jobs = {job["job_name"]: job for job in config["scrape_configs"]}
    assert jobs["accordion"]["dns_sd_configs"][0]["names"] == ["api"]
    assert jobs["store"]["static_configs"][0]["targets"] == ["redis-exporter:9121"]
    mounted = SERVICES["prometheus"]["volumes"]
    for file in config["rule_files"]:
        assert any(f":{file}:" in volume for volume in mounted)


def test_dashboards_and_alerts_query_metrics_that_exist() -> None:
    queried = set(re.findall(r"\baccordion_[a-z_]+", " ".join(queries())))
    assert queried
    assert queried - metric_names() == set()


def test_dashboards_and_alerts_query_operations_that_exist() -> None:
    settings = Settings()
    names = {
        route.operation.name for route in list_routes(settings, open_store(settings))
    }
    queried = set(re.findall(r'operation="(\w+)"', " ".join(queries())))
    assert queried
    assert queried - names == set()


def test_dashboards_query_the_provisioned_data_source() -> None:
    provided = yaml.safe_load(
        (DEPLOY / "grafana/provisioning/datasources/prometheus.yml").read_text()
    )
    board = json.loads((DEPLOY / "grafana/dashboards/accordion.json").read_text())
    uids = {panel["datasource"]["uid"] for panel in board["panels"]}
    assert uids == {provided["datasources"][0]["uid"]}


def test_only_settings_that_exist_are_named() -> None:
    known = {setting.variable for setting in SETTINGS}
    for path in DEPLOY.rglob("*"):
        if path.is_file():
            named = set(re.findall(r"\bACCORDION_[A-Z_]+", path.read_text()))
            assert named - known == set(), path


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here")
@pytest.mark.parametrize(
    "check",
    [
        ("config", "--syntax-only", "prometheus.yml"),
        ("rules", "alerts.yml"),
    ],
)
def test_prometheus_accepts_its_files(check: tuple[str, ...]) -> None:
    result = subprocess.run(
        ["promtool", "check", *check],
        cwd=DEPLOY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
