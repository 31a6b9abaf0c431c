import json
import logging
import re
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Event
from types import FrameType

import pytest
from click.testing import CliRunner, Result

from service.access.api_keys import (
    VARIABLE,
    KeyFileError,
    Keys,
    add_key,
    read_keys,
    remove_key,
)
from service.cli import main
from service.config import SettingsError

DAY = date(2026, 1, 31)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


def make(path: Path, name: str, tenant: str | None = None) -> str:
    return add_key(path, name, tenant or name, DAY)


# --- finding


def test_a_key_is_found_with_its_tenant_and_other_texts_are_not(path: Path) -> None:
    ada = make(path, "ada")
    bob = make(path, "bob", "guests")
    keys = Keys(path)
    found = [keys.find(ada), keys.find(bob)]
    assert [(key.name, key.tenant) for key in found if key] == [
        ("ada", "ada"),
        ("bob", "guests"),
    ]
    other_texts = [
        "",
        ada[:-1],
        ada + "A",
        ada.upper(),
        f" {ada}",
        "accordion_",
        "\udc80",
    ]
    assert [keys.find(text) for text in other_texts] == [None] * len(other_texts)


def test_a_digest_is_not_accepted_as_a_key(path: Path) -> None:
    make(path, "ada")
    (key,) = read_keys(path)
    assert Keys(path).find(key.sha256) is None


def test_a_file_without_keys_accepts_no_key(path: Path) -> None:
    path.write_text('{"keys": []}')
    assert Keys(path).find("") is None


def test_the_work_of_finding_a_key_does_not_depend_on_the_keys(path: Path) -> None:
    texts = [make(path, "one")]
    work = {_work(Keys(path), text) for text in (*texts, "accordion_stranger", "")}
    texts += [make(path, f"key-{number}") for number in range(9)]
    work |= {_work(Keys(path), text) for text in (*texts, "accordion_stranger", "")}
    assert len(work) == 1


def _work(keys: Keys, text: str) -> int:
    """Count the calls that finding a key takes."""
    calls = 0

    def note(_frame: FrameType, event: str, _called: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        keys.find(text)
    finally:
        sys.setprofile(None)
    return calls


# --- the file


def test_a_key_has_256_bits_and_the_file_only_its_digest(path: Path) -> None:
    texts = [make(path, f"key-{number}") for number in range(20)]
    assert len(set(texts)) == len(texts)
    assert all(re.fullmatch(r"accordion_[0-9A-Za-z_-]{43}", text) for text in texts)
    written = path.read_text()
    assert not any(text.removeprefix("accordion_") in written for text in texts)
    assert path.stat().st_mode & 0o777 == 0o600


def test_removing_a_key_keeps_the_others(path: Path) -> None:
    ada, bob = make(path, "ada"), make(path, "bob")
    remove_key(path, "ada")
    keys = Keys(path)
    assert keys.find(ada) is None
    assert keys.find(bob) is not None


def test_a_file_keeps_its_mode_and_a_link_stays_a_link(
    path: Path, tmp_path: Path
) -> None:
    make(path, "ada")
    path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    make(link, "bob")
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert [key.name for key in read_keys(path)] == ["ada", "bob"]
    assert {file.name for file in tmp_path.iterdir()} == {"keys.json", "link.json"}


def test_keys_added_concurrently_are_all_stored(path: Path) -> None:
    names = [f"key-{number}" for number in range(24)]
    with ThreadPoolExecutor(8) as threads:
        texts = list(threads.map(lambda name: make(path, name), names))
    assert {key.name for key in read_keys(path)} == set(names)
    assert all(map(Keys(path).find, texts))


def test_a_reader_never_sees_a_partial_file(path: Path) -> None:
    make(path, "first")
    done = Event()

    def read() -> int:
        reads = 0
        while not done.is_set():
            assert read_keys(path)
            reads += 1
        return reads

    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(read)
        for number in range(50):
            make(path, f"key-{number}")
        done.set()
        assert reading.result() > 0


@pytest.mark.parametrize("name", ["", "a b", "ada/bob", "é", "x" * 65, "a\n", "{x}"])
def test_invalid_names_and_tenants_are_refused(path: Path, name: str) -> None:
    for pair in [(name, "tenant"), ("name", name)]:
        with pytest.raises(KeyFileError, match="is no name"):
            add_key(path, *pair, DAY)
    assert not path.exists()


def test_two_keys_cannot_have_the_same_name(path: Path) -> None:
    ada = make(path, "ada")
    with pytest.raises(KeyFileError, match="already"):
        make(path, "ada", "another")
    assert Keys(path).find(ada) is not None


ENTRY = {"name": "ada", "tenant": "ada", "sha256": "ab" * 32, "created": "2026-01-31"}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff",
        b"[]",
        b"{",
        b'{"keys": {}}',
        b'{"keys": [1]}',
        *(
            json.dumps({"keys": entries}).encode()
            for entries in (
                [ENTRY | {"name": ""}],
                [ENTRY | {"tenant": "a:b"}],
                [ENTRY | {"sha256": "ab"}],
                [ENTRY | {"sha256": "AB" * 32}],
                [ENTRY | {"created": "yesterday"}],
                [ENTRY | {"created": None}],
                [{"name": "ada"}],
                [ENTRY, ENTRY | {"sha256": "cd" * 32}],
                [ENTRY, ENTRY | {"name": "bob"}],
            )
        ),
    ],
)
def test_an_invalid_file_is_refused_in_a_sentence(path: Path, text: bytes) -> None:
    path.write_bytes(text)
    with pytest.raises(SettingsError) as caught:
        Keys(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{VARIABLE}: {path} is no file of keys: ")
    assert re.fullmatch(r"[^\n]+[^.\n]\.", sentence)


def test_a_missing_file_is_refused_in_a_sentence(path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        Keys(path)
    assert str(caught.value) == (
        f"{VARIABLE}: cannot read {path}: No such file or directory."
    )


# --- changes while in use


def test_changes_of_the_file_are_read(path: Path) -> None:
    ada = make(path, "ada")
    keys = Keys(path)
    bob = make(path, "bob")
    assert keys.find(bob) is not None
    remove_key(path, "ada")
    assert keys.find(ada) is None
    assert keys.find(bob) is not None


@pytest.mark.parametrize("break_file", [Path.unlink, lambda path: path.write_text("{")])
def test_a_broken_file_keeps_the_old_keys_and_is_logged_once(
    path: Path, caplog: pytest.LogCaptureFixture, break_file: Callable[[Path], object]
) -> None:
    ada = make(path, "ada")
    keys = Keys(path)
    good = path.read_text()
    break_file(path)
    with caplog.at_level(logging.DEBUG):
        assert all(keys.find(ada) for _ in range(5))
    (line,) = caplog.messages
    assert line.startswith(VARIABLE)
    assert ada not in line
    path.write_text(good)
    bob = make(path, "bob")
    assert keys.find(bob) is not None
    remove_key(path, "ada")
    assert keys.find(ada) is None


# --- the command


def run(*arguments: str, file: Path | None = None) -> Result:
    environ = {VARIABLE: None if file is None else str(file)}
    return CliRunner().invoke(main, ["keys", *arguments], env=environ)


def test_a_new_key_is_shown_only_once(path: Path) -> None:
    made = run("new", "portal", file=path)
    assert made.exit_code == 0
    (text,) = made.stdout.split()
    found = Keys(path).find(text)
    assert found is not None
    assert (found.name, found.tenant) == ("portal", "portal")
    assert text not in made.stderr
    listed = run("list", file=path)
    assert listed.stdout.split()[:2] == ["portal", "portal"]
    assert text.removeprefix("accordion_") not in listed.output
    assert found.sha256 not in listed.output


def test_a_tenant_can_have_several_keys(path: Path) -> None:
    file = ["--file", str(path)]
    texts = [
        run("new", name, "--tenant", "portal", *file).stdout.strip()
        for name in ("old", "new")
    ]
    keys = Keys(path)
    assert {key.tenant for key in map(keys.find, texts) if key} == {"portal"}
    assert run("remove", "old", *file).exit_code == 0
    assert [keys.find(text) is None for text in texts] == [True, False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("new", "ada"), "already"),
        (("new", "a b"), "is no name"),
        (("remove", "bob"), "no key of the name bob"),
        (("list", "--file", "/nowhere/keys.json"), "cannot read /nowhere/keys.json"),
        (("new", "bob", "--file", "/nowhere/keys.json"), "cannot use /nowhere"),
    ],
)
def test_errors_are_reported_in_a_sentence(
    path: Path, arguments: tuple[str, ...], message: str
) -> None:
    make(path, "ada")
    before = path.read_text()
    result = run(*arguments, file=path)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert re.fullmatch(rf"accordion: .*{message}.*\.\n", result.stderr)
    assert path.read_text() == before


def test_without_a_file_the_command_names_the_setting() -> None:
    result = run("list")
    assert result.exit_code == 2
    assert VARIABLE in result.output


@pytest.mark.parametrize("server", ["gunicorn", "granian"])
def test_a_service_does_not_start_with_a_broken_file(
    path: Path, tmp_path: Path, server: str
) -> None:
    path.write_text("{}")
    result = CliRunner().invoke(
        main,
        ["serve"],
        env={
            VARIABLE: str(path),
            "ACCORDION_SERVER": server,
            "ACCORDION_PORT": "0",
            "ACCORDION_DATA_DIR": str(tmp_path / "data"),
        },
    )
    assert result.exit_code == 2
    assert result.output == (
        f'accordion: {VARIABLE}: {path} is no file of keys: it needs a list "keys".\n'
    )
