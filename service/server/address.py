"""Where the service listens."""

import socket

from service.server import ServeError


def join_address(host: str, port: int) -> str:
    """Join host and port; an IPv6 address is put in brackets."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_reachable(host: str, port: int) -> bool:
    """Whether a server accepts connections there."""
    try:
        socket.create_connection((host, port)).close()
    except OSError:
        return False
    return True


def free_port(host: str) -> int:
    """A port on which nothing listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        port: int = listener.getsockname()[1]
        return port


def check_address(host: str, port: int) -> None:
    """Check that the service can listen there.

    The check comes first because a server would retry for a while before it fails.

    Raises:
        ServeError: The service cannot listen there.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
    except OSError as error:
        raise ServeError(f"ACCORDION_HOST: {host} is no known host.") from error
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            raise ServeError(
                f"ACCORDION_HOST, ACCORDION_PORT: cannot listen on "
                f"{join_address(host, port)}: {error.strerror}."
            ) from error
