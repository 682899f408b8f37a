"""The lab's ETERNUS DX endpoint: a command line over SSH."""

from __future__ import annotations

import asyncio
import hmac
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import asyncssh

from auditor_lab.arrays.eternus import commands
from auditor_lab.arrays.eternus.array import Array
from auditor_lab.wire import Faults

if TYPE_CHECKING:
    from auditor_lab.arrays.eternus.description import EternusDescription
    from auditor_lab.wire import Fault

LOGIN = "login"
"""The name of a login in the list of requests and in faults; the name of another operation is its command without parameters."""

_GARBAGE = "\x00\x01\x1b[2J<html> not a valid answer"
_PIECE = 16  # characters in each piece of a slow answer
_START_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class HostKey:
    """The host key that a client verifies the server by.

    Attributes:
        public: the line of a known_hosts file without the host: algorithm and base64.
        fingerprint: as `ssh-keygen -l` prints it, `SHA256:...`.
    """

    public: str
    fingerprint: str


class EternusServer:
    """Serves one array at one loopback address from a thread of its own, until `stop`.

    A session is an interactive shell that echoes and prompts with `CLI> `. Source: cinder's Fujitsu driver, which starts a shell for every
    command and reads until the prompt. A command without a shell gets the same transcript; how a real array answers it is not known.

    Args:
        description: what the array holds at the start.
        username: the main account, with the role of the description. The further accounts exist as well.
        password: of every account; only compared, never sent.

    Attributes:
        host_key: new at every start.
        requests: `login` for each attempt and the commands without their parameters, in the order they arrived.
        faults: of auditor_lab.wire. `refuse` (only for a login) rejects the password; `status` answers E0060 "Resource locked", the only
            recorded error that passes by itself; `ignore` answers a write with success and does nothing; the other kinds are as described
            there.
    """

    def __init__(self, description: EternusDescription, username: str, password: str) -> None:
        self.array = Array(description)
        self.faults = Faults()
        self.requests: list[str] = []
        self.host = "127.0.0.1"
        self._accounts = commands.accounts(description, username)
        self._password = password.encode()
        self._connections: set[asyncssh.SSHServerConnection] = set()
        key = asyncssh.generate_private_key("ssh-ed25519")
        self.host_key = HostKey(key.export_public_key().decode().strip(), key.get_fingerprint("sha256"))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=f"eternus-{description.name}", daemon=True)
        self._thread.start()
        self._listener = asyncio.run_coroutine_threadsafe(self._listen(key), self._loop).result(_START_SECONDS)
        self.port: int = self._listener.get_port()

    def stop(self) -> None:
        """Stop serving, and close every open connection."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._hang_up(), self._loop).result(_START_SECONDS)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def _listen(self, key: asyncssh.SSHKey) -> asyncssh.SSHAcceptor:
        return await asyncssh.create_server(
            lambda: _Login(self),
            self.host,
            0,
            server_host_keys=[key],
            process_factory=self._session,
            line_editor=False,
            encoding="utf-8",
            errors="replace",
            public_key_auth=False,
            kbdint_auth=False,
            gss_host=None,
        )

    async def _hang_up(self) -> None:
        self._listener.close()
        for connection in tuple(self._connections):
            connection.abort()
        waiting = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    def known(self, username: str, password: str) -> bool:
        """Whether the account has that password."""
        return hmac.compare_digest(password.encode(), self._password) and username in self._accounts

    def take(self, operation: str, line: str = "") -> dict[str, Fault]:
        """Record a request; return the faults that apply to it, by kind."""
        self.requests.append(operation)
        return {fault.kind: fault for fault in self.faults.take(operation, line.encode())}

    def opened(self, connection: asyncssh.SSHServerConnection) -> None:
        """Record a connection, so that `stop` can close it."""
        self._connections.add(connection)

    def closed(self, connection: asyncssh.SSHServerConnection) -> None:
        """Forget a connection."""
        self._connections.discard(connection)

    async def _session(self, process: asyncssh.SSHServerProcess[str]) -> None:
        account = self._accounts[process.get_extra_info("username")]
        with suppress(ConnectionError, asyncssh.Error):  # clients that disconnect are expected
            if process.command is not None:
                process.stdout.write(f"{commands.PROMPT}{process.command}\r\n")
                await self._reply(process, account, process.command.strip())
            else:
                await self._shell(process, account)
            process.exit(0)

    async def _shell(self, process: asyncssh.SSHServerProcess[str], account: commands.Account) -> None:
        process.stdout.write(f"\r\n{commands.PROMPT}")
        pending, last = "", ""
        while piece := await process.stdin.read(4096):
            # A line may end in \r, \n or \r\n, and the last of these may arrive in two pieces.
            pending += (piece[1:] if last == "\r" and piece.startswith("\n") else piece).replace("\r\n", "\n").replace("\r", "\n")
            last = piece[-1]
            while "\n" in pending:
                line, _, pending = pending.partition("\n")
                if line.strip() == "exit":
                    return
                process.stdout.write(f"{line}\r\n")
                await self._reply(process, account, line.strip())

    async def _reply(self, process: asyncssh.SSHServerProcess[str], account: commands.Account, line: str) -> None:
        """Answer one command and prompt for the next; raises ConnectionResetError when a fault ends the connection."""
        faults = self.take(commands.operation(line), line) if line else {}
        if "latency" in faults:
            await asyncio.sleep(faults["latency"].seconds)
        if "drop" in faults:
            _break(process)
        while "dribble" in faults:
            process.stdout.write("a")
            await asyncio.sleep(faults["dribble"].seconds)
        if "garbage" in faults:
            process.stdout.write(_GARBAGE + commands.PROMPT)
            return
        lines = self._answer(account, line, faults)
        if "lose" in faults:
            _break(process)
        body = "".join(f"{each}\r\n" for each in lines) + commands.PROMPT
        if "truncate" in faults:
            process.stdout.write(body[: len(body) // 2])
            await process.stdout.drain()
            # The half must be sent before the connection ends: an abort would drop it.
            process.channel.get_connection().disconnect(asyncssh.DISC_CONNECTION_LOST, "")
            raise ConnectionResetError
        if "slow" in faults:
            for start in range(0, len(body), _PIECE):
                await asyncio.sleep(faults["slow"].seconds)  # before the piece: a short answer has one piece
                process.stdout.write(body[start : start + _PIECE])
        else:
            process.stdout.write(body)

    def _answer(self, account: commands.Account, line: str, faults: dict[str, Fault]) -> list[str]:
        if "status" in faults:
            return commands.refusal(account, "0060")
        # An ignored write is checked as any other, but on a copy of the array.
        ignored = "ignore" in faults and line.startswith("set ")
        array = Array(self.array.description) if ignored else self.array
        return commands.answer(array, self._accounts, account, line)


class _Login(asyncssh.SSHServer):
    """One connection, up to its login."""

    def __init__(self, server: EternusServer) -> None:
        self._server = server
        self._connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._server.opened(conn)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  the base class's parameter
        if self._connection is not None:
            self._server.closed(self._connection)

    def begin_auth(self, username: str) -> bool:  # noqa: ARG002  the base class's parameter
        """Refuse a login without a password."""
        return True

    def password_auth_supported(self) -> bool:
        """The only way to log in. Source: both public drivers log in by password; cinder's can use a key as well."""
        return True

    async def validate_password(self, username: str, password: str) -> bool:
        faults = self._server.take(LOGIN)
        if "latency" in faults:
            await asyncio.sleep(faults["latency"].seconds)
        if ("drop" in faults or "lose" in faults) and self._connection is not None:
            self._connection.abort()
        return "refuse" not in faults and self._server.known(username, password)


def _break(process: asyncssh.SSHServerProcess[str]) -> None:
    process.channel.get_connection().abort()
    raise ConnectionResetError
