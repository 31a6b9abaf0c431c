"""Health checks, the API description, and pages."""

from __future__ import annotations

import pkgutil
import re
from html.parser import HTMLParser
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
import yaml
from click.testing import CliRunner
from openapi_spec_validator import validate as validate_openapi

from service.cli import main
from service.config import Settings
from service.http import routes
from service.http.app import create_app, list_routes
from service.http.docs.values import MEANINGS
from service.http.operation import Route
from service.http.routing import Routes
from tests.http.client import document, validate

if TYPE_CHECKING:
    from pathlib import Path

    from service.store.redis import RedisStore
    from tests.http.client import Api

_COMMITTED = "openapi.yaml"


def test_health(api: Api) -> None:
    assert api.get("/livez").json == {"status": "ok"}
    assert api.get("/readyz").json == {"status": "ok"}
    assert api.get("/readyz").headers["Cache-Control"] == "no-store"


def test_the_description_is_valid_openapi() -> None:
    validate_openapi(document())
    assert document()["openapi"] == "3.1.0"


def test_the_description_is_served(api: Api) -> None:
    assert api.get("/openapi.json").json == document()
    served = api.get("/openapi.yaml")
    assert served.media_type == "application/yaml"
    assert yaml.load(served.raw, Loader=yaml.CSafeLoader) == document()


def test_the_committed_description_matches_the_code() -> None:
    result = CliRunner().invoke(main, ["openapi", "--check", _COMMITTED])
    assert result.exit_code == 0, result.output


def test_an_outdated_description_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "openapi.yaml"
    runner = CliRunner()
    assert runner.invoke(main, ["openapi", "--output", str(file)]).exit_code == 0
    assert runner.invoke(main, ["openapi", "--check", str(file)]).exit_code == 0
    file.write_text(file.read_text("utf-8").replace("getGame", "getGames"), "utf-8")
    result = runner.invoke(main, ["openapi", "--check", str(file)])
    assert result.exit_code == 1
    assert "does not match the code" in result.output
    file.write_text("{", "utf-8")
    assert runner.invoke(main, ["openapi", "--check", str(file)]).exit_code == 1


def test_the_description_is_printed() -> None:
    printed = CliRunner().invoke(main, ["openapi"]).output
    assert yaml.load(printed, Loader=yaml.CSafeLoader) == document()
    assert (
        yaml.load(
            CliRunner().invoke(main, ["openapi", "--json"]).output,
            Loader=yaml.CSafeLoader,
        )
        == document()
    )


def test_every_route_is_described(store: RedisStore) -> None:
    app = create_app(Settings(), store)
    routes = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not rule.rule.startswith(("/static/", "/page/", "/client/"))
    }
    described = {
        (path, method)
        for path, methods in document()["paths"].items()
        for method in methods
    }
    assert routes == described


def test_every_operation_has_a_route(store: RedisStore) -> None:
    modules = [
        import_module(f"service.http.routes.{module.name}")
        for module in pkgutil.iter_modules(routes.__path__)
    ]
    declared = {
        value.operation.name
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, Routes)
        for value in vars(kind).values()
        if isinstance(value, Route)
    }
    routed = {route.operation.name for route in list_routes(Settings(), store)}
    assert declared
    assert declared <= routed


def _operations() -> list[tuple[str, str]]:
    return [
        (path, method)
        for path, methods in document()["paths"].items()
        for method in methods
    ]


@pytest.mark.parametrize(("path", "method"), _operations())
def test_every_operation_has_examples(path: str, method: str) -> None:
    operation = document()["paths"][path][method]
    assert operation["summary"]
    assert operation["description"]
    contents = [
        content
        for answer in operation["responses"].values()
        for media_type, content in answer.get("content", {}).items()
        if media_type.endswith("json")
    ]
    contents += operation.get("requestBody", {}).get("content", {}).values()
    for content in contents:
        assert content.get("example") is not None or content["examples"]


@pytest.mark.parametrize(("path", "method"), _operations())
def test_every_example_matches_its_schema(path: str, method: str) -> None:
    operation = document()["paths"][path][method]
    places: list[tuple[str, ...]] = [
        ("responses", status, "content", media_type)
        for status, answer in operation["responses"].items()
        for media_type in answer.get("content", {})
    ]
    if "requestBody" in operation:
        places.append(("requestBody", "content", "application/json"))
    for place in places:
        content = operation
        for name in place:
            content = content[name]
        examples = [content["example"]] if "example" in content else []
        for example in content.get("examples", {}).values():
            found = example
            if "$ref" in example:
                slug = example["$ref"].rsplit("/", 1)[-1]
                found = document()["components"]["examples"][slug]
            examples.append(found["value"])
        for example in examples:
            validate(("paths", path, method, *place, "schema"), example)


@pytest.mark.parametrize("path", document()["paths"])
def test_every_example_body_is_accepted(api: Api, path: str) -> None:
    operation = document()["paths"][path].get("post")
    if operation is None:
        return
    content = operation["requestBody"]["content"]["application/json"]
    examples = [e["value"] for e in content.get("examples", {}).values()]
    for example in examples or [content["example"]]:
        game = api.start(seed="42")
        reply = api.post(path.replace("{game_id}", game["id"]), example)
        # Events need an API key, and this service has none.
        assert reply.status in {200, 201, 409} or reply.slug == "key-required"


def test_the_page_of_the_game_and_all_that_it_loads_are_served(api: Api) -> None:
    page = api.get("/")
    assert (page.status, page.media_type) == (200, "text/html")
    loaded = set(
        re.findall(r'(?:href|src)="((?:page|client)/[^"]+)"', page.raw.decode())
    )
    assert {"page/main.js", "client/accordion.js"} <= loaded
    for path in (*loaded, "client/accordion.d.ts"):
        assert api.get(f"/{path}").status == 200, path
    assert api.get("/client/accordion.js").media_type == "text/javascript"


class _Page(HTMLParser):
    """The links, ids, loaded files and inline code of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.names: list[str] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        is_inline = tag == "script" and "src" not in given
        if (
            is_inline
            or tag in {"style", "iframe", "object", "form"}
            or "style" in given
        ):
            self.inline.append(tag)
        self.inline += [name for name in given if name.startswith("on")]
        if "id" in given:
            self.names.append(given["id"])
        if tag == "a":
            self.links.append(given["href"])
        elif "href" in given or "src" in given:
            self.loads.append(given.get("href") or given["src"])


@pytest.mark.parametrize("path", ["/docs", "/problems", "/problems/illegal-move"])
def test_pages_obey_the_policy_and_have_no_broken_links(api: Api, path: str) -> None:
    reply = api.get(path, {"Accept": "text/html"})
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    page = _Page(reply.raw.decode())
    assert page.inline == []
    assert page.loads
    for address in page.loads:
        assert address.startswith("/static/")
        assert api.get(address).status == 200
    assert len(set(page.names)) == len(page.names)
    for address in set(page.links):
        if address.startswith("#"):
            assert address[1:] in page.names
        elif not address.startswith("https://"):
            assert api.get(address).status == 200


def test_the_documentation_has_every_operation(api: Api) -> None:
    page = api.get("/docs").raw.decode()
    for methods in document()["paths"].values():
        for operation in methods.values():
            assert f'<details class="operation" id="{operation["operationId"]}"' in page
            assert operation["summary"].replace("'", "&#39;") in page
    assert ">None<" not in page
    assert "$ref" not in page


def test_every_named_type_and_each_value_of_a_choice_is_described() -> None:
    schemas = document()["components"]["schemas"]
    assert [name for name in schemas if not schemas[name].get("description")] == []
    choices = {name for name, schema in schemas.items() if "enum" in schema}
    assert choices == set(MEANINGS)
    for name in choices:
        assert schemas[name]["enum"] == list(MEANINGS[name])
