"""What the ETERNUS command line answered: separated from its echo, in which form it came, and what its refusals mean.

There are two forms. Accounts of the role Software are answered in the machine's form: a line with the status (00, or 01 and a line with a
code), then lines of tab-separated fields, numbers in hex. Everybody else is answered in text for people, errors as "Error: E<code>
<sentence>". Which command answers which account in which form is not public for all of them, so the form is looked at in each answer.

Source: OpenStack cinder's Fujitsu driver, eternus_dx_cli.py (`_exec_cli`); text recorded by SODA's delfin driver.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from auditor.endpoints.common.https import UNKNOWN_FACTS, UNKNOWN_OUTCOME
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import Endpoint

PROMPT: Final = "CLI> "
UNKNOWN_FORM: Final = "is answered in the machine's form, whose fields are not public for this command; an account for people gets text"

NO_SUCH_COMMAND: Final = frozenset({"0030", "5000", "8000", "8001", "9000"})
NOT_ALLOWED: Final = frozenset({"5001", "5003", "8004"})
NO_SUCH_RESOURCE: Final = frozenset({"0110"})
BUSY: Final = frozenset({"0060", "0061", "0070", "0072", "8002"})
MEANINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "0001": "Bad value",
        "0002": "Value out of range",
        "0003": "Too many parameters",
        "0004": "Missing parameter",
        "0005": "Incorrect parameter combination",
        "0030": "Command not supported",
        "0060": "Resource locked",
        "0061": "Lock was relinquished to another user",
        "0070": "Resource busy",
        "0072": "Resource is temporarily insufficient",
        "0110": "Resource does not exist",
        "5000": "Parameter not supported",
        "5001": "User authority to use the parameter is improper",
        "5003": "The user authority to use the command is improper",
        "8000": "Undefined command",
        "8001": "Undefined parameter",
        "8002": "Another user is performing an operation",
        "8004": "The value cannot be specified under current user authority",
        "9000": "The device model does not support the command",
    }
)
"""What codes mean; others are shown as their digits. Source: cinder's Fujitsu driver, constants.py, `CLIRETCODE_dic`."""

_STATUS = re.compile(r"[0-9A-Fa-f]{2}")
_CODE = re.compile(r"[0-9A-Fa-f]{4}")
_TEXT_ERROR = re.compile(r"Error: (?:E([0-9A-F]{4})\b)?\s*(.*)")
_CARET = re.compile(r"\s*\^\s*")
_LINE_END = re.compile(r"\r\n|\n|\r")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LONGEST_MESSAGE = 300


class NoSuchCommandError(NotThereError):
    """The array does not have this command, or not this parameter.

    Attributes:
        in_words: it said so by a code or a sentence of its own. False: it only put a caret under a word, which might also mean that this
            account's command line does not have it; that is not known.
    """

    def __init__(self, what: str, *, why: str, do: str, in_words: bool) -> None:
        super().__init__(what, why=why, do=do)
        self.in_words = in_words


class BusyError(EndpointError):
    """Somebody else has what the command needs; a read may be asked again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A command's good answer, without echo, status and prompt."""

    command: str
    lines: tuple[str, ...]
    by_machine: bool

    @property
    def records(self) -> list[list[str]]:
        """The fields of each line of a machine's answer; an empty field at the end, which some lines have, is kept."""
        return [line.split("\t") for line in self.lines]


def understood(endpoint: Endpoint, command: str, transcript: str, *, is_read: bool) -> Answer:
    """The answer within `transcript`, which is everything from sending `command` to the next prompt.

    Raises:
        NoSuchCommandError, NotThereError, PermissionMissingError: as they say.
        BusyError: a read has to wait.
        RefusedError: a write was understood and refused.
        EndpointError: a read was answered with another error.
        MalformedAnswerError: it is in neither form.
    """
    lines = _after_echo(command, transcript.removesuffix(PROMPT))
    request = _Question(endpoint, command, is_read)
    if any(_UNPRINTABLE.search(line) for line in lines):
        raise request.malformed("it holds control characters")
    if lines and _STATUS.fullmatch(lines[0]):
        return _by_machine(request, lines)
    for place, line in enumerate(lines):
        if match := _TEXT_ERROR.match(line):
            raise request.refused(match[1], match[2]) if match[1] else request.not_understood(match[2])
        if _CARET.fullmatch(line) and not any(_TEXT_ERROR.match(later) for later in lines[place:]):
            raise request.not_understood("")
    return Answer(command, lines, by_machine=False)


def _by_machine(request: _Question, lines: tuple[str, ...]) -> Answer:
    status, *rest = lines
    if status == "00":
        return Answer(request.command, tuple(rest), by_machine=True)
    if status == "01" and rest and _CODE.fullmatch(rest[0].strip()):
        raise request.refused(rest[0].strip().upper(), "")
    raise request.malformed(f"its status is {status}, and no error code follows")


def _after_echo(command: str, transcript: str) -> tuple[str, ...]:
    """The lines behind the echo, which may stand behind a prompt, and may be broken where the terminal's line ends."""
    lines = _LINE_END.split(transcript)
    wanted, echoed = "".join(command.split()), ""
    for place, line in enumerate(lines):
        echoed += "".join(line.split())
        if echoed.endswith(wanted):
            lines = lines[place + 1 :]
            break
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return tuple(lines)


@dataclass(frozen=True, slots=True)
class _Question:
    """What was asked, for the sentences of errors."""

    endpoint: Endpoint
    command: str
    is_read: bool

    def refused(self, code: str, sentence: str) -> EndpointError:
        """What an error code means; nothing was changed."""
        message = f"endpoint {self.endpoint.name}: {self.command}: E{code} {MEANINGS.get(code) or sentence[:_LONGEST_MESSAGE]}".rstrip()
        why = UNKNOWN_FACTS if self.is_read else "nothing was written."
        if code in NO_SUCH_COMMAND:
            return NoSuchCommandError(message, why=why, do="look up whether this model and firmware have the command.", in_words=True)
        if code in NOT_ALLOWED:
            do = f"give {self.endpoint.username} a role whose policies allow {self.command!r}."
            return PermissionMissingError(message, why=why, do=do)
        if code in NO_SUCH_RESOURCE:
            return NotThereError(message, why=why, do="collect again: it may have been removed since.")
        if not self.is_read:
            return RefusedError(message, why=why, do="compare the value with what the array's command line guide allows, or try later.")
        if code in BUSY:
            return BusyError(message, why=why, do="ask again when nobody else is changing the array.")
        return EndpointError(message, why=why, do="ask again; if it stays, look at the array's own events.")

    def not_understood(self, sentence: str) -> NoSuchCommandError:
        """A caret under a word, or "Unknown command"."""
        return NoSuchCommandError(
            f"endpoint {self.endpoint.name}: {self.command}: not known to its command line{f' ({sentence})' if sentence else ''}",
            why=UNKNOWN_FACTS if self.is_read else "nothing was written.",
            do="look up whether this model and firmware have the command, and whether the account may use it.",
            in_words=False,
        )

    def malformed(self, reason: str) -> MalformedAnswerError:
        """It makes no sense."""
        return MalformedAnswerError(
            f"endpoint {self.endpoint.name}: its answer to {self.command!r} makes no sense: {reason}",
            why=UNKNOWN_FACTS if self.is_read else UNKNOWN_OUTCOME,
            do="check that the management address of an ETERNUS DX stands in fleet.yaml.",
        )
