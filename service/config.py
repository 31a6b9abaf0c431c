"""The service's settings: `ACCORDION_*` variables, read once into one value.

Each setting is defined once, as a field of `Settings` with a default and a meaning. Its
variable is `ACCORDION_` and the field's name in capitals. `SETTINGS` lists all of them
for the command line and the documentation.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from service.processors import processors

PREFIX = "ACCORDION_"

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off"})
TENANT = r"[0-9A-Za-z_-]{1,64}"
"""The pattern of the names of tenants and of API keys."""
_WEBHOOK_HOST = re.compile(r"\*|(\*\.|private:)?[0-9a-z][0-9a-z.:_-]{0,254}")
_RATE = r"[1-9][0-9]{0,8}/(second|minute|hour|day)"


class SettingsError(ValueError):
    """An invalid setting; the message is one sentence that names its variable."""


class Setting(NamedTuple):
    """One setting, for the documentation.

    Attributes:
        variable: the environment variable, with `ACCORDION_`.
        default: the default, as a value or in words.
        meaning: one or two sentences for an operator.
    """

    variable: str
    default: str
    meaning: str


def _like(pattern: str, description: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if re.fullmatch(pattern, text):
            return text
        raise ValueError(description)

    return read


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if re.fullmatch(r"-?[0-9]{1,18}", text) and low <= int(text) <= high:
            return int(text)
        raise ValueError(f"a whole number from {low} to {high}")

    return read


def _seconds(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        is_number = re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,6})?", text) is not None
        if is_number and low <= float(text) <= high:
            return float(text)
        raise ValueError(f"a number of seconds from {low:g} to {high:g}")

    return read


def _one_of(*names: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text in names:
            return text
        raise ValueError("one of " + ", ".join(names))

    return read


def _switch(text: str) -> bool:
    if text.lower() in _YES | _NO:
        return text.lower() in _YES
    raise ValueError("true or false")


_host = _like(r"[0-9A-Za-z._:-]{1,255}", "a host name or an address, without a port")
_tenant = _like(TENANT, "1 to 64 letters, digits, - and _")
_rates = _like(
    f"{_RATE}(,{_RATE})*", "a rate such as 600/minute, or several separated by commas"
)


def _text(text: str) -> str:
    if text.isprintable():
        return text
    raise ValueError("printable text")


def _store_url(text: str) -> str:
    with suppress(ValueError):  # an invalid address, or a port that is not a number
        parts = urlsplit(text)
        port, database = parts.port, re.fullmatch(r"/?|/[0-9]{1,5}/?", parts.path)
        is_server = parts.scheme in {"redis", "rediss"} and port != 0
        if (is_server and database) or (parts.scheme == "unix" and parts.path):
            return text
    raise ValueError(
        "redis://host:port/db, rediss://host:port/db or unix:///path/to/socket"
    )


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(origin.strip() for origin in text.split(","))
    for origin in origins:
        parts = urlsplit(origin)
        bare = f"{parts.scheme}://{parts.netloc}"
        known = parts.scheme in {"http", "https"} and parts.netloc
        if origin != "*" and (origin != bare or not known):
            raise ValueError(
                "* or origins such as https://example.org, separated by commas"
            )
    return origins


def _ancestors(text: str) -> tuple[str, ...]:
    origins = _origins(",".join(text.replace(",", " ").split()))
    if "*" in origins:
        raise ValueError("origins such as https://example.org, not *")
    return origins


def _webhook_hosts(text: str) -> tuple[str, ...]:
    hosts = tuple(host.strip().lower() for host in text.split(","))
    if all(_WEBHOOK_HOST.fullmatch(host) for host in hosts):
        return hosts
    raise ValueError(
        "host names such as portal.example.org, *.example.org or private:localhost, "
        "without a port, separated by commas"
    )


def _http_url(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme in {"http", "https"} and parts.netloc:
        return text
    raise ValueError("http://host:port or https://host:port")


def _setting(
    default: object,
    meaning: str,
    read: Callable[[str], object],
    shown: str = "",
    *,
    secret: bool = False,
) -> Any:  # noqa: ANN401 - a field stands for a value of its own type, as field() does
    """Make a field of `Settings`.

    `read` converts the variable's text; its ValueError tells what would be right.
    `shown` is the default in words. The value of a `secret` is never printed.
    """
    shown = shown or str(default).lower()
    metadata = {"meaning": meaning, "read": read, "shown": shown, "secret": secret}
    return field(default=default, metadata=metadata, repr=not secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of the service; `Settings()` has the defaults."""

    host: str = _setting("127.0.0.1", "Address or host name to listen on.", _host)
    port: int = _setting(
        8000,
        "TCP port to listen on; 0 chooses a free one and prints it.",
        _whole(0, 65535),
    )
    workers: int = _setting(
        max(2, processors()),
        "Worker processes.",
        _whole(1, 1024),
        "one per processor, at least two",
    )
    server: str = _setting(
        "gunicorn",
        "The WSGI server: gunicorn; or granian, which needs the extra of that name and "
        "a proxy that buffers requests.",
        _one_of("gunicorn", "granian"),
    )
    stop_timeout: int = _setting(
        30,
        "Seconds that requests in flight have to finish when the service stops.",
        _whole(1, 3600),
    )
    data_dir: Path = _setting(  # noqa: RUF009 - it makes a field()
        Path("data"),
        "Folder of the embedded store: its files, socket, lock and log.",
        Path,
    )
    redis_url: str | None = _setting(
        None,
        "The store to use instead of the embedded one, Redis 6 or newer or Valkey: "
        "redis://, rediss:// (TLS) or unix://, with user, password and database as "
        "needed. ?cluster=true is for a cluster, ?sentinel=NAME for the primary that "
        "sentinels know by that name; &nodes=HOST:PORT,... names more servers to start "
        "from.",
        _store_url,
        "the embedded store",
        secret=True,
    )
    store_flush: str = _setting(
        "everysecond",
        "When the embedded store flushes its file to disk: everysecond (a crash of the "
        "machine loses about the last second) or always (before each response).",
        _one_of("everysecond", "always"),
    )
    store_timeout: float = _setting(
        0.45,
        "Seconds that one store operation may take, connecting and retrying included. "
        "A request waits for at most four.",
        _seconds(0.05, 10),
    )
    wait_replicas: int = _setting(
        0,
        "Replicas that must hold a write before it is acknowledged; "
        "with too few of them the response is 503.",
        _whole(0, 16),
    )
    game_ttl: int = _setting(
        7 * 24 * 3600,
        "Seconds that a game lives after its last write.",
        _whole(1, 10 * 366 * 24 * 3600),
    )
    searches: int = _setting(
        0,
        "Long searches that the solver may run at once in all workers of a machine, "
        "fewer than the workers if there are several. Beyond that, the verdict of a "
        "hint may be unknown, and a solution or an analysis is 503.",
        _whole(1, 1023),
        "one fewer than the workers, at least one",
    )
    require_if_match: bool = _setting(
        default=False,
        meaning="Whether a write must carry If-Match (428 without it).",
        read=_switch,
    )
    daily_secret: str | None = _setting(
        None,
        "The secret from which daily deals are computed. Services with separate stores "
        "have the same daily deals if they have the same secret and release.",
        _text,
        "drawn once and kept in the store",
        secret=True,
    )
    board_days: int = _setting(
        400,
        "Days for which the board of a day, a month or an event is kept after it has "
        "closed.",
        _whole(1, 36600),
    )
    api_keys_file: Path | None = _setting(  # noqa: RUF009 - it makes a field()
        None,
        "File of hashed API keys; with it, requests below /v1 need a key.",
        Path,
        "none: no key is needed",
    )
    keys_everywhere: bool = _setting(
        default=False,
        meaning="Whether a key is also needed for games by their id, and for "
        "reading variants and deals of seeds.",
        read=_switch,
    )
    public_tenant: str | None = _setting(
        None,
        "Where keys are configured: the tenant whose games, boards and events can be "
        "used without a key, by the page of the game and by anybody else.",
        _tenant,
        "none: the page plays only games whose id it is given",
    )
    id_rate_limit: str | None = _setting(
        "3000/minute",
        "Where keys are configured: requests that one address may make by a game's id "
        "alone, or for the public tenant; written as in ACCORDION_RATE_LIMIT.",
        _rates,
    )
    rate_limit: str | None = _setting(
        None,
        "Requests that one key or address may make, such as 600/minute; "
        "several limits are separated by commas.",
        _rates,
        "none: no limit",
    )
    rate_limit_strategy: str = _setting(
        "fixed-window",
        "How rate limits count: fixed-window (all requests are available again at the "
        "end of a window, which begins with the first request) or token-bucket "
        "(requests become available again one by one, evenly over the window).",
        _text,
    )
    trusted_proxies: int = _setting(
        0,
        "Number of proxies in front whose X-Forwarded-* fields are trusted.",
        _whole(0, 16),
    )
    cors_origins: tuple[str, ...] = _setting(
        (),
        "Origins whose pages may call the API, separated by commas, or * for all.",
        _origins,
        "none",
    )
    frame_ancestors: tuple[str, ...] = _setting(
        (),
        "Origins whose pages may show the page of the game in a frame, separated by "
        "commas or spaces.",
        _ancestors,
        "none",
    )
    webhooks: tuple[str, ...] = _setting(
        (),
        "Hosts that webhooks may call, separated by commas: names, *.example.org for "
        "all subdomains, or * for all. Only https and public addresses are called; "
        "private: before a name, as in private:localhost, also allows http and any "
        "address.",
        _webhook_hosts,
        "none: webhooks are off",
    )
    otlp_url: str | None = _setting(
        None,
        "Collector to which a trace of each request is sent by OTLP over HTTP, such as "
        "http://localhost:4318; needs the extra otel.",
        _http_url,
        "none: no traces",
    )
    log_level: str = _setting(
        "info",
        "The lowest severity of log lines to write: debug, info, warning or error.",
        _one_of("debug", "info", "warning", "error"),
    )

    def __post_init__(self) -> None:
        """Check the number of searches, or choose it if it is 0."""
        most = max(1, self.workers - 1)
        if self.searches > most:
            raise SettingsError(
                f"{PREFIX}SEARCHES must be at most {most} with {self.workers} workers, "
                f"not {self.searches}."
            )
        object.__setattr__(self, "searches", self.searches or most)

    @property
    def sends_webhooks(self) -> bool:
        """Whether webhooks are called; tenants own them, so API keys are needed."""
        return bool(self.webhooks) and self.api_keys_file is not None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the settings from environment variables; an empty value means not set.

        Raises:
            SettingsError: an `ACCORDION_` variable is unknown, or its value is invalid.
        """
        known = {PREFIX + item.name.upper(): item for item in fields(cls)}
        values: dict[str, Any] = {}
        for variable, text in environ.items():
            if not variable.startswith(PREFIX):
                continue
            if variable not in known:
                raise SettingsError(_unknown(variable, list(known)))
            if text:
                item = known[variable]
                values[item.name] = _read(variable, text, item)
        return cls(**values)


def _read(variable: str, text: str, item: "Field[Any]") -> object:
    try:
        return item.metadata["read"](text)
    except ValueError as error:
        shown = "that" if item.metadata["secret"] else repr(text)
        raise SettingsError(f"{variable} must be {error}, not {shown}.") from None


def _unknown(variable: str, known: list[str]) -> str:
    near = get_close_matches(variable, known, n=1, cutoff=0.8)
    hint = f"; did you mean {near[0]}?" if near else "."
    return f"{variable} is not a setting of this service{hint}"


SETTINGS: tuple[Setting, ...] = tuple(
    Setting(
        PREFIX + item.name.upper(), item.metadata["shown"], item.metadata["meaning"]
    )
    for item in fields(Settings)
)
