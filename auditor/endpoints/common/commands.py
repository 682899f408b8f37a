"""Changes as commands that a person runs: esxcli in the shell of a host, or PowerCLI.

What a script holds is data of strangers: names of hosts, devices and options. Everything that is no word of ours goes through `quoted`,
which refuses what cannot stand in a script safely.

Source: ESXCLI reference (Broadcom), the commands and long options; Get-EsxCli -V2 takes the long options without their hyphens, as public
PowerCLI scripts do (`schednumreqoutstanding`, `pspoption`, `parameterstring`). The names that `--formatter=keyvalue` gives to fields are
those of esxcli's XML: public scripts that read `ScsiDevice.Size.integer=` and `VersionGet.Version.string=`; not verified on a host.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from auditor.model import Scalar, Target

ABSENT = "absent"
"""The text of a value that is not there."""

_WORD = re.compile(r"[A-Za-z0-9_]+")


class NoCommandError(Exception):
    """A change, or a value, has no command in that language; the text says why, as the rest of a sentence."""


@dataclass(frozen=True, slots=True)
class Helper:
    """A function that a script defines before its first use; the text of each language."""

    shell_name: str
    shell: str
    powershell_name: str
    powershell: str
    needs: tuple[Helper, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """How one setting is read and set in one language.

    Attributes:
        present: an expression that gives the present value, as `text_of` writes values.
        commands: takes the present and the wanted value, gives the commands that take the setting from one to the other.
        helpers: what they call.
    """

    present: str
    commands: Callable[[Scalar, Scalar], tuple[str, ...]]
    helpers: tuple[Helper, ...] = ()


def text_of(value: Scalar) -> str:
    """A value as scripts compare it."""
    if value is None:
        return ABSENT
    return str(value).lower() if isinstance(value, bool) else str(value)


def word(text: str) -> str:
    """`text`, which is a name of letters, digits and underscores.

    Raises:
        NoCommandError: it has other characters.
    """
    if not _WORD.fullmatch(text):
        raise NoCommandError(f"{text!a} is no plain name")
    return text


@dataclass(frozen=True, slots=True)
class Shell:
    """The shell of an ESXi host, which has sed and awk of BusyBox beside esxcli."""

    def quoted(self, value: Scalar) -> str:
        """One word.

        Raises:
            NoCommandError: it has characters that are not printable.
        """
        return shlex.quote(_printable(text_of(value)))

    def esxcli(self, command: str, arguments: Mapping[str, Scalar]) -> str:
        """A command with its long options."""
        return f"esxcli {self._line(command, arguments)}"

    def field(self, name: str, command: str, arguments: Mapping[str, Scalar]) -> str:
        """The value of one field of what a command answers, by its structured name."""
        return f'"$(field {name} {self._line(command, arguments)})"'

    def chosen(self, name: str, key: str, wanted: str, command: str, arguments: Mapping[str, Scalar]) -> str:
        """The field of the record whose field `key` is `wanted`, of those that a command answers."""
        return f'"$(records {shlex.quote(f"{key} {name}")} {self._line(command, arguments)} | chosen {word(wanted)})"'

    def call(self, helper: Helper, *values: Scalar) -> str:
        """What a helper answers."""
        return f'"$({" ".join((helper.shell_name, *map(self.quoted, values)))})"'

    def _line(self, command: str, arguments: Mapping[str, Scalar]) -> str:
        return " ".join((command, *(f"--{name}={self.quoted(value)}" for name, value in arguments.items())))


@dataclass(frozen=True, slots=True)
class PowerShell:
    """PowerCLI. Other letters than ASCII's are written by their numbers.

    Windows PowerShell reads a script without a mark in the machine's own code page, and takes the quotes U+2018 to U+201B for a single
    quote. Source: about_Quoting_Rules; CodeGeneration.EscapeSingleQuotedStringContent.
    """

    def quoted(self, value: Scalar) -> str:
        """One value; a number and a boolean are none in quotes.

        Raises:
            NoCommandError: it has characters that are not printable.
        """
        if isinstance(value, bool):
            return f"${str(value).lower()}"
        if isinstance(value, int):
            return str(value)
        doubled = _printable(text_of(value)).replace("'", "''")
        parts = re.split(r"([^\x00-\x7f]+)", doubled)
        if len(parts) == 1:
            return f"'{doubled}'"
        made = [_by_numbers(part) if place % 2 else f"'{part}'" for place, part in enumerate(parts) if part or place == 0]
        return f"({' + '.join(made)})"

    def esxcli(self, command: str, arguments: Mapping[str, Scalar]) -> str:
        """A command with its structured arguments; what it answers is thrown away, as the value is read back."""
        return f"$null = {self._invoke(command, arguments)}"

    def field(self, name: str, command: str, arguments: Mapping[str, Scalar]) -> str:
        """The value of one field of what a command answers, by its structured name."""
        return f"{self._invoke(command, arguments)}.{name}"

    def chosen(self, name: str, key: str, wanted: str, command: str, arguments: Mapping[str, Scalar]) -> str:
        """The field of the record whose field `key` is `wanted`, of those that a command answers."""
        return f"({self._invoke(command, arguments)} | Where-Object {{ $_.{key} -ceq '{word(wanted)}' }}).{name}"

    def call(self, helper: Helper, *values: Scalar) -> str:
        """What a helper answers."""
        return " ".join((helper.powershell_name, *map(self.quoted, values)))

    def _invoke(self, command: str, arguments: Mapping[str, Scalar]) -> str:
        given = "; ".join(f"{name.replace('-', '')} = {self.quoted(value)}" for name, value in arguments.items())
        return f"$esxcli.{'.'.join(command.split())}.Invoke({f'@{{ {given} }}' if given else ''})"


Dialect: TypeAlias = Shell | PowerShell
CommandForm: TypeAlias = "Callable[[Target, Dialect], Form]"
"""What a setting names as its `commands`; raises NoCommandError where the language has no form of it."""


def powershell_alone(dialect: Dialect) -> PowerShell:
    """The dialect of settings that vCenter keeps.

    Raises:
        NoCommandError: it is the shell of a host.
    """
    if isinstance(dialect, Shell):
        raise NoCommandError("vCenter keeps it, and no esxcli command of a host sets it: see --as powercli")
    return dialect


def _printable(text: str) -> str:
    if not text.isprintable():
        raise NoCommandError(f"{text!a} has characters that no script should hold")
    return text


def _by_numbers(text: str) -> str:
    units = text.encode("utf-16-be", "surrogatepass")
    return " + ".join(f"[char]0x{units[place : place + 2].hex()}" for place in range(0, len(units), 2))
