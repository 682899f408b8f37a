"""A client of the ETERNUS command line that nobody of the lab wrote: asyncssh, a shell, and patience until the prompt."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import asyncssh
import pytest

from auditor_lab.arrays.eternus.server import EternusServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor_lab.arrays.eternus.description import EternusDescription

USER, PASSWORD = "audit", "only-for-this-test"
PROMPT = "CLI> "


class Console:
    """Logs in to one server; each `type` is a session of its own, as cinder's driver does it."""

    def __init__(self, server: EternusServer) -> None:
        self.server = server

    def type(self, *lines: str, user: str = USER, password: str = PASSWORD, host_key: str | None = None, end: str = "\n") -> list[str]:
        """What comes back for each line, from the echo to the next prompt, with what stood before the echo."""
        return asyncio.run(self._type(lines, user, password, host_key or self.server.host_key.public, end))

    async def _type(self, lines: tuple[str, ...], user: str, password: str, host_key: str, end: str) -> list[str]:
        known = asyncssh.import_known_hosts(f"[{self.server.host}]:{self.server.port} {host_key}\n")
        async with asyncio.timeout(10):
            connection = await asyncssh.connect(
                self.server.host,
                self.server.port,
                username=user,
                password=password,
                known_hosts=known,
                client_keys=None,
                agent_path=None,
                config=None,
            )
            async with connection, connection.create_process(term_type="vt100") as process:
                before = await process.stdout.readuntil(PROMPT)
                reported = []
                for line in lines:
                    process.stdin.write(f"{line}{end}")
                    reported.append(before + await process.stdout.readuntil(PROMPT))
                    before = ""
                process.stdin.write("exit\n")
        return reported

    def run(self, command: str) -> str:
        """What comes back for a command without a shell."""
        return asyncio.run(self._run(command))

    async def _run(self, command: str) -> str:
        known = asyncssh.import_known_hosts(f"[{self.server.host}]:{self.server.port} {self.server.host_key.public}\n")
        async with (
            asyncio.timeout(10),
            asyncssh.connect(
                self.server.host, self.server.port, username=USER, password=PASSWORD, known_hosts=known, client_keys=None, config=None
            ) as connection,
        ):
            return str((await connection.run(command)).stdout)


@pytest.fixture
def console() -> Iterator[Callable[[EternusDescription], Console]]:
    started: list[EternusServer] = []

    def start(description: EternusDescription) -> Console:
        started.append(EternusServer(description, USER, PASSWORD))
        return Console(started[-1])

    yield start
    for server in started:
        server.stop()
