"""A recorded ETERNUS: its command line over SSH."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor_lab.arrays.eternus import commands
from auditor_lab.arrays.eternus.description import EternusDescription
from auditor_lab.arrays.eternus.server import EternusServer

if TYPE_CHECKING:
    from auditor_lab.faults import Fault
    from auditor_lab.recorded.matching import Replay

_NOT_ALLOWED, _NOT_SUPPORTED = "5003", "0030"


class RecordedEternus(EternusServer):
    """Answers commands from what was recorded; every other one is refused."""

    def __init__(self, name: str, replay: Replay, username: str, password: str) -> None:
        self._replay = replay
        self._by_machine = any(b"\r\n00\r\n" in one.answer or b"\r\n01\r\n" in one.answer for one in replay.exchanges())
        described = EternusDescription(name=name, firmware="V10L00-0000", model_name="", uid_prefix="600000e00d" + 14 * "0")
        super().__init__(described, username, password)

    def _answer(self, account: commands.Account, line: str, faults: dict[str, Fault]) -> list[str]:  # noqa: ARG002  the base class's
        recorded = self._replay.answer("SSH", "", line.encode())
        if recorded is None:
            code = _NOT_SUPPORTED if line.startswith("show ") else _NOT_ALLOWED
            return ["01", code] if self._by_machine else [f"Error: E{code} The recording does not have it."]
        lines = re.split(r"\r\n|\n|\r", recorded.answer.decode().removesuffix(commands.PROMPT))
        while lines and lines[-1] == "":
            lines.pop()
        return lines[1:] if lines and lines[0].strip().endswith(line) else lines
