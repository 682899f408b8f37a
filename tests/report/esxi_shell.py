"""A host of the lab as its own shell shows it: `esxcli` and `esxcfg-module` for scripts, answered by the lab's commands."""

from __future__ import annotations

import os
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from auditor_lab.vcenter.esxcli.commands import COMMANDS, check_arguments
from auditor_lab.vcenter.esxcli.executer import CommandFault, Raw, Rows, Scalar
from auditor_lab.vcenter.server import VCenterServer

_CLIENT = """#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/$LAB_PORT
printf '%s\\n' $# "${0##*/}" "$@" >&3
read -r code <&3
cat <&3
exit "$code"
"""


class HostShell:
    """Runs scripts with the commands of one host; `ran` are the command lines that write."""

    def __init__(self, server: VCenterServer, host_id: str, folder: Path) -> None:
        self._server, self._host_id, self._folder = server, host_id, folder
        self.ran: list[list[str]] = []

    def answer(self, program: str, words: list[str]) -> str:
        """What the program prints.

        Raises:
            CommandFault: the host says no.
        """
        with self._server.state.lock:
            host = self._server.state.hosts[self._host_id]
            if program == "esxcfg-module":
                assert words[0] == "-g"
                return f"{words[1]} enabled = 1 options = '{host.modules[words[1]].configured}'\n"
            words = [one for one in words if one != "--formatter=keyvalue"]
            names = [one for one in words if not one.startswith("-")]
            command = COMMANDS[".".join(names)]
            aliases = {alias: parameter.name for parameter in command.parameters for alias in parameter.aliases}
            given = (one.partition("=") for one in words if one.startswith("-"))
            arguments = {aliases[name]: [value] for name, _, value in given}
            check_arguments(command, arguments)
            if command.writes:
                self.ran.append(words)
            return "".join(_printed(command.run(self._server.state, host, arguments)))

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a script with dash-like rules, as BusyBox has them."""
        place = self._folder / "script.sh"
        place.write_text(script, encoding="utf-8")
        for program in ("esxcli", "esxcfg-module"):
            (self._folder / program).write_text(_CLIENT, encoding="utf-8")
            (self._folder / program).chmod(0o755)
        with _listening(self) as port:
            environment = {"PATH": f"{self._folder}:{os.environ['PATH']}", "LAB_PORT": str(port)}
            return subprocess.run(
                ["/bin/sh", str(place), *arguments], env=environment, capture_output=True, text=True, check=False, cwd=self._folder
            )


def _printed(result: Rows | Scalar | Raw) -> Iterator[str]:
    """In the form of --formatter=keyvalue."""
    if isinstance(result, Scalar):
        yield f"{str(result.value).lower()}\n"
    elif isinstance(result, Raw):
        from xml.etree import ElementTree

        for element in ElementTree.fromstring(f"<all>{result.text}</all>"):
            yield f"structure[0].Configuration.{element.tag}.string={element.text or ''}\n"
    else:
        for place, row in enumerate(result.rows):
            for name, value in row.items():
                kind = "boolean" if isinstance(value, bool) else "integer" if isinstance(value, int) else "string"
                yield f"structure[{place}].{result.kind}.{name}.{kind}={str(value).lower() if isinstance(value, bool) else value}\n"


@contextmanager
def _listening(shell: HostShell) -> Iterator[int]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            count = int(self.rfile.readline())
            program, *words = [self.rfile.readline().decode().rstrip("\n") for _ in range(count + 1)]
            try:
                code, text = 0, shell.answer(program, words)
            except CommandFault as error:
                code, text = 1, f"{error}\n"
            self.wfile.write(f"{code}\n{text}".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            address: Any = server.server_address
            yield address[1]
        finally:
            server.shutdown()
            thread.join()
