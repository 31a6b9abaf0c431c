"""Settings: the values that are read, and the messages for those that are refused."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import service.config
from service.config import SETTINGS, Settings, SettingsError
from service.processors import processors

SECRET = "not-to-be-shown"


def read(**variables: str) -> Settings:
    return Settings.from_environ(
        {f"ACCORDION_{name}": text for name, text in variables.items()}
    )


def refusal(**variables: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read(**variables)
    return str(caught.value)


def test_without_variables_the_defaults_apply() -> None:
    assert Settings.from_environ({"PATH": "/bin", "accordion_port": "x"}) == Settings()
    assert Settings().game_ttl == 604_800
    assert Settings().workers == max(2, processors())


def test_an_empty_variable_is_not_set() -> None:
    assert read(PORT="", REDIS_URL="", CORS_ORIGINS="") == Settings()


def test_every_setting_can_be_set() -> None:
    values = {
        "HOST": ("::1", "::1"),
        "PORT": ("0", 0),
        "WORKERS": ("3", 3),
        "SERVER": ("granian", "granian"),
        "STOP_TIMEOUT": ("5", 5),
        "DATA_DIR": ("/some/folder", Path("/some/folder")),
        "REDIS_URL": ("rediss://user:pass@host:1/2", "rediss://user:pass@host:1/2"),
        "STORE_FLUSH": ("always", "always"),
        "STORE_TIMEOUT": ("0.25", 0.25),
        "WAIT_REPLICAS": ("2", 2),
        "GAME_TTL": ("60", 60),
        "SEARCHES": ("2", 2),
        "REQUIRE_IF_MATCH": ("True", True),
        "DAILY_SECRET": ("a secret", "a secret"),
        "BOARD_DAYS": ("7", 7),
        "API_KEYS_FILE": ("keys.json", Path("keys.json")),
        "KEYS_EVERYWHERE": ("yes", True),
        "PUBLIC_TENANT": ("games", "games"),
        "ID_RATE_LIMIT": ("5/second", "5/second"),
        "RATE_LIMIT": ("5/second,600/hour", "5/second,600/hour"),
        "RATE_LIMIT_STRATEGY": ("token-bucket", "token-bucket"),
        "TRUSTED_PROXIES": ("1", 1),
        "CORS_ORIGINS": ("https://a.example, *", ("https://a.example", "*")),
        "FRAME_ANCESTORS": (
            "https://a.example https://b.example",
            ("https://a.example", "https://b.example"),
        ),
        "WEBHOOKS": (
            "portal.example.org, *.example.com,private:localhost",
            ("portal.example.org", "*.example.com", "private:localhost"),
        ),
        "OTLP_URL": ("http://collector:4318", "http://collector:4318"),
        "LOG_LEVEL": ("debug", "debug"),
    }
    settings = read(**{name: text for name, (text, _) in values.items()})
    for field in fields(Settings):
        assert getattr(settings, field.name) == values[field.name.upper()][1]


@pytest.mark.parametrize(("workers", "searches"), [(1, 1), (2, 1), (3, 2), (8, 7)])
def test_searches_leave_a_worker_free(workers: int, searches: int) -> None:
    assert Settings(workers=workers).searches == searches
    assert read(WORKERS=str(workers), SEARCHES=str(searches)).searches == searches
    assert refusal(WORKERS=str(workers), SEARCHES=str(searches + 1)) == (
        f"ACCORDION_SEARCHES must be at most {searches} with {workers} workers, "
        f"not {searches + 1}."
    )


def test_every_setting_is_used() -> None:
    package = Path(service.config.__file__).parent
    sources = "".join(path.read_text() for path in package.rglob("*.py"))
    used = set(re.findall(r"settings\.(\w+)", sources))
    assert {field.name for field in fields(Settings)} - used == set()


def test_every_setting_is_described() -> None:
    assert [setting.variable for setting in SETTINGS] == [
        f"ACCORDION_{field.name.upper()}" for field in fields(Settings)
    ]
    for setting in SETTINGS:
        assert setting.meaning.endswith(".")
        assert setting.default


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("PORT", "65536", "a whole number from 0 to 65535"),
        ("PORT", "8_0", "a whole number from 0 to 65535"),
        ("PORT", "٨", "a whole number from 0 to 65535"),
        ("PORT", " 80", "a whole number from 0 to 65535"),
        ("PORT", "9" * 5000, "a whole number from 0 to 65535"),
        ("WORKERS", "0", "a whole number from 1 to 1024"),
        ("GAME_TTL", "1.5", "a whole number from 1 to 316224000"),
        ("STORE_TIMEOUT", "inf", "a number of seconds from 0.05 to 10"),
        ("STORE_TIMEOUT", "11", "a number of seconds from 0.05 to 10"),
        ("SERVER", "uwsgi", "one of gunicorn, granian"),
        ("STORE_FLUSH", "no", "one of everysecond, always"),
        ("LOG_LEVEL", "INFO", "one of debug, info, warning, error"),
        ("REQUIRE_IF_MATCH", "maybe", "true or false"),
        ("HOST", "http://x", "a host name or an address, without a port"),
        ("RATE_LIMIT", "60", "a rate such as 600/minute, or several separated"),
        ("RATE_LIMIT", "0/hour", "a rate such as 600/minute, or several separated"),
        ("CORS_ORIGINS", "https://a/", "* or origins such as https://example.org"),
        ("CORS_ORIGINS", "a,", "* or origins such as https://example.org"),
        ("FRAME_ANCESTORS", "*", "origins such as https://example.org, not *"),
        ("DAILY_SECRET", "\0", "printable text"),
        ("WEBHOOKS", "https://a.example", "host names such as portal.example.org"),
        ("PUBLIC_TENANT", "a.b", "1 to 64 letters, digits, - and _"),
    ],
)
def test_a_wrong_value_is_refused_with_a_sentence(
    name: str, text: str, wanted: str
) -> None:
    sentence = refusal(**{name: text})
    assert sentence.startswith(f"ACCORDION_{name} must be {wanted}")
    assert sentence.endswith(".")


@pytest.mark.parametrize(
    "url",
    [
        "http://host",
        "host:6379",
        "redis://h:port",
        "redis://h:0",
        "redis://h/abc",
        "redis://h/1/2",
        "redis://h/-1",
        "unix://",
        "[",
    ],
)
def test_a_wrong_store_url_is_refused_and_not_shown(url: str) -> None:
    assert refusal(REDIS_URL=url) == (
        "ACCORDION_REDIS_URL must be redis://host:port/db, rediss://host:port/db or "
        "unix:///path/to/socket, not that."
    )


def test_secrets_are_not_shown() -> None:
    shown = repr(read(DAILY_SECRET=SECRET, REDIS_URL=f"redis://:{SECRET}@host"))
    assert SECRET not in shown
    assert SECRET not in refusal(DAILY_SECRET=f"{SECRET}\n")


def test_an_unknown_setting_is_refused() -> None:
    assert refusal(PROT="1") == (
        "ACCORDION_PROT is not a setting of this service; did you mean ACCORDION_PORT?"
    )
    assert refusal(XYZZY="") == "ACCORDION_XYZZY is not a setting of this service."
