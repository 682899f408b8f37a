"""What leads to an endpoint in tests: an HTTP proxy, and a jump host that the system's own ssh logs in to.

Both take any name for loopback.
"""

from __future__ import annotations

import asyncio
import base64
import socket
import stat
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Any

import asyncssh

from tests.required import program

LOOPBACK = "127.0.0.1"


class _Listening(ABC):
    """A port of a loopback whose every connection has a thread of its own.

    Attributes:
        port: of the loopback that `host` names.
    """

    def __init__(self, host: str = LOOPBACK, family: int = socket.AF_INET) -> None:
        self._listener = socket.create_server((host, 0), family=family)
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def stop(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._open.append(client)
            threading.Thread(target=self._lead, args=(client,), daemon=True).start()

    @abstractmethod
    def _lead(self, client: socket.socket) -> None:
        """Lead one client to where it wants to go."""

    def _join(self, client: socket.socket, there: socket.socket) -> None:
        """Pass on what either says to the other."""
        self._open.append(there)
        for ends in ((client, there), (there, client)):
            threading.Thread(target=_passed_on, args=ends, daemon=True).start()


class ProxyDouble(_Listening):
    """An HTTP proxy that knows CONNECT (RFC 9110, 9.3.6).

    Attributes:
        asked: the targets that it was asked to connect to.
        login: the user and password that it wants; None: none.
        answer: what it says in the place of connecting.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.login: str | None = None
        self.answer: bytes | None = None
        super().__init__()

    def _lead(self, client: socket.socket) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.recv(1)
        first, *fields = head.decode().rstrip().split("\r\n")
        method, target, version = first.split(" ")
        assert (method, version) == ("CONNECT", "HTTP/1.1")
        assert f"Host: {target}" in fields
        self.asked.append(target)
        wanted = None if self.login is None else f"Proxy-Authorization: Basic {base64.b64encode(self.login.encode()).decode()}"
        if self.answer is not None or (wanted is not None and wanted not in fields):
            client.sendall(self.answer if self.answer is not None else b"HTTP/1.1 407 hunter2\r\nProxy-Authenticate: Basic\r\n\r\n")
            client.close()
            return
        host, _, port = target.rpartition(":")
        there = socket.create_connection(("::1" if host == "[::1]" else LOOPBACK, int(port)))
        client.sendall(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 proxy\r\n\r\n")
        self._join(client, there)


def _passed_on(from_one: socket.socket, to_other: socket.socket) -> None:
    with suppress(OSError):
        while piece := from_one.recv(1 << 16):
            to_other.sendall(piece)
    with suppress(OSError):
        to_other.shutdown(socket.SHUT_WR)


class Ipv6Door(_Listening):
    """A port on the IPv6 loopback, from which everything goes on to a port of the IPv4 one."""

    def __init__(self, port: int) -> None:
        self._to = port
        super().__init__("::1", socket.AF_INET6)

    def _lead(self, client: socket.socket) -> None:
        self._join(client, socket.create_connection((LOOPBACK, self._to)))


class JumpDouble:
    """A jump host: an SSH server that leads on and has no shell; and a `ssh` for PATH, the system's with a configuration of its own.

    Attributes:
        asked: the hosts and ports that it was asked to connect to.
        path: a folder with that `ssh`.
        refuses: it leads nowhere.
    """

    def __init__(self, folder: Path) -> None:
        self.asked: list[tuple[str, int]] = []
        self.refuses = False
        self.connections: list[asyncssh.SSHServerConnection] = []
        self.path = folder / "bin"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        key, own = asyncssh.generate_private_key("ssh-ed25519"), asyncssh.generate_private_key("ssh-ed25519")
        (folder / "allowed").write_bytes(own.export_public_key())
        own.write_private_key(str(folder / "own"))
        (folder / "own").chmod(0o600)
        self._server = self._run(
            asyncssh.create_server(
                lambda: _Leads(self), LOOPBACK, 0, server_host_keys=[key], authorized_client_keys=str(folder / "allowed")
            )
        )
        self.port: int = self._server.get_port()
        self.known = folder / "known"
        self.known.write_text(f"[{LOOPBACK}]:{self.port} {key.export_public_key().decode()}", encoding="utf-8")
        (folder / "config").write_text(
            f"Host jump\n  HostName {LOOPBACK}\n  Port {self.port}\n  User audit\n"
            f"Host *\n  IdentityFile {folder / 'own'}\n  IdentitiesOnly yes\n  UserKnownHostsFile {self.known}\n",
            encoding="utf-8",
        )
        self.path.mkdir()
        wrapper = self.path / "ssh"
        wrapper.write_text(f'#!/bin/sh\nexec {program("ssh", "OpenSSH")} -F {folder / "config"} "$@"\n', encoding="utf-8")
        wrapper.chmod(wrapper.stat().st_mode | stat.S_IXUSR)

    def stop(self) -> None:
        self._run(self._stopped())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _stopped(self) -> None:
        self._server.close()
        for connection in self.connections:
            connection.abort()
            await connection.wait_closed()
        await asyncio.sleep(0)  # what was aborted is closed by then

    def _run(self, work: Any) -> Any:
        async def waited() -> Any:
            return await work

        return asyncio.run_coroutine_threadsafe(waited(), self._loop).result()


class _Leads(asyncssh.SSHServer):
    def __init__(self, double: JumpDouble) -> None:
        self._double = double
        self._connection: Any = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._connection = conn
        self._double.connections.append(conn)

    def connection_requested(self, dest_host: str, dest_port: int, orig_host: str, orig_port: int) -> Any:
        self._double.asked.append((dest_host, dest_port))
        if self._double.refuses:
            raise asyncssh.ChannelOpenError(asyncssh.OPEN_ADMINISTRATIVELY_PROHIBITED, "not\x1b[31m there")
        return self._connection.forward_connection("::1" if dest_host == "::1" else LOOPBACK, dest_port)
