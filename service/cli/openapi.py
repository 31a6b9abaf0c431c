"""``accordion openapi``: print the description of the API."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
import yaml

from service.config import Settings
from service.http.app import list_routes
from service.http.docs.openapi import describe, to_yaml
from service.store.factory import open_store

if TYPE_CHECKING:
    from service.http.docs.inputs import Document


@click.command("openapi")
@click.option(
    "--check",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Print nothing; fail unless FILE matches the code.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to FILE instead of printing.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of YAML.")
def command(check: Path | None, output: Path | None, *, as_json: bool) -> None:
    """Print the API's OpenAPI 3.1 description, made from the code.

    \b
    Examples:
      accordion openapi --output openapi.yaml
      accordion openapi --check openapi.yaml
      accordion openapi --json
    """
    settings = Settings()
    document = describe(list_routes(settings, open_store(settings)))
    if check is not None:
        _check(check, document)
        return
    text = _json_text(document) if as_json else to_yaml(document)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")


def _json_text(document: Document) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def _check(file: Path, document: Document) -> None:
    try:
        same = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader) == document
    except yaml.YAMLError:
        same = False
    if not same:
        raise click.ClickException(
            f"{file} does not match the code; update it with "
            f"`accordion openapi --output {file}`."
        )
