"""What the tests of the ETERNUS client talk to: the lab's array behind an endpoint of fleet.yaml's form, and a scripted SSH server."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import asyncssh

from auditor.model import Endpoint, EndpointKind, Limits, Ssh
from auditor_lab.arrays.eternus.server import EternusServer
from tests.endpoints import arrays
from tests.endpoints.arrays import PASSWORD, USER
from tests.required import capture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor_lab.arrays.eternus.description import EternusDescription

PROMPT = "CLI> "
_START_SECONDS = 10.0


def endpoint_of(server: Any, folder: Path, *, user: str = USER, timeout: float = 30.0) -> Endpoint:
    trust = Ssh(fingerprint=server.host_key.fingerprint)
    return arrays.endpoint_of(
        EndpointKind.ETERNUS, folder, server.host, server.port, username=user, limits=Limits(timeout_seconds=timeout), ssh=trust
    )


@contextmanager
def lab(
    description: EternusDescription, folder: Path, *, user: str = USER, timeout: float = 30.0
) -> Iterator[tuple[EternusServer, Endpoint]]:
    with arrays.serving_array(EndpointKind.ETERNUS, description, folder, timeout=timeout) as (server, endpoint):
        yield server, dataclasses.replace(endpoint, username=user)


def captured(name: str) -> str:
    """A recorded answer as a shell would hear it: up to a prompt."""
    with capture(f"{name}.txt").open(encoding="utf-8", newline="") as file:
        text = file.read().rstrip()
    return text.removesuffix("CLI>") + PROMPT


@dataclass(frozen=True, slots=True)
class Key:
    public: str
    fingerprint: str


@dataclass
class Peer:
    """A shell that answers what it is given.

    `answer` gets a line and returns all that is sent back, echo and prompt included, as pieces; None says nothing at all, and "" as the
    last piece hangs up.
    """

    answer: Callable[[str], list[str] | None]
    ways: tuple[str, ...] = ("password",)
    prompts: tuple[tuple[str, bool], ...] = (("Password: ", False),)
    password: str = PASSWORD
    greeting: str = f"\r\n{PROMPT}"
    heard: list[str] = field(default_factory=list)
    attempts: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        key = asyncssh.generate_private_key("ssh-ed25519")
        self.host, self.host_key = "127.0.0.1", Key(key.export_public_key().decode().strip(), key.get_fingerprint("sha256"))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._connections: list[asyncssh.SSHServerConnection] = []
        self._listener = asyncio.run_coroutine_threadsafe(self._listen(key), self._loop).result(_START_SECONDS)
        self.port: int = self._listener.get_port()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result(_START_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self, key: asyncssh.SSHKey) -> asyncssh.SSHAcceptor:
        return await asyncssh.create_server(
            lambda: _Login(self),
            self.host,
            0,
            server_host_keys=[key],
            process_factory=self._session,
            line_editor=False,
            encoding="utf-8",
            password_auth="password" in self.ways,
            kbdint_auth="keyboard-interactive" in self.ways,
            public_key_auth=False,
            gss_host=None,
        )

    async def _hang_up(self) -> None:
        self._listener.close()
        for connection in self._connections:
            connection.abort()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _session(self, process: asyncssh.SSHServerProcess[str]) -> None:
        with suppress(ConnectionError, asyncssh.Error):
            process.stdout.write(self.greeting)
            pending = ""
            while piece := await process.stdin.read(4096):
                pending += piece
                while "\n" in pending:
                    line, _, pending = pending.partition("\n")
                    self.heard.append(line)
                    for part in self.answer(line) or []:
                        if not part:
                            await process.stdout.drain()
                            process.channel.get_connection().abort()
                            return
                        process.stdout.write(part)
                        await asyncio.sleep(0.005)

    def accepts(self, way: str, password: str) -> bool:
        self.attempts.append(way)
        return password == self.password


class _Login(asyncssh.SSHServer):
    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._peer._connections.append(conn)

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return "password" in self._peer.ways

    def validate_password(self, username: str, password: str) -> bool:
        return self._peer.accepts("password", password)

    def kbdint_auth_supported(self) -> bool:
        return "keyboard-interactive" in self._peer.ways

    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> tuple[str, str, str, list[tuple[str, bool]]]:
        return "", "", "", list(self._peer.prompts)

    def validate_kbdint_response(self, username: str, responses: Any) -> bool:
        return len(responses) == len(self._peer.prompts) and self._peer.accepts("keyboard-interactive", responses[0])


ABOUT = "dx\t01\tET203ACU\t4601417434\t280753\t20\t00\t00\t01\t02\t01001000\tV11L30-0000\t91"


def says(**answers: str) -> Callable[[str], list[str] | None]:
    """A machine that answers each command, whose spaces and dashes are "_" here, with some lines; others are not known to it."""

    def answer(line: str) -> list[str]:
        known = {"show_enclosure_status": f"00\r\n{ABOUT}", **answers}
        reported = known.get(line.replace(" ", "_").replace("-", "_"), "01\r\n8000")
        return [f"{line}\r\n{reported}\r\n{PROMPT}"]

    return answer
