"""The commands of the lab's ETERNUS DX: a line in, lines out.

The role of an account decides the form of its answers (description.py). Where no public source has a command's form for a role, the array
answers that the account may not use it, because an invented form would mislead: text accounts get no QoS and no users, Software accounts no
affinities. That a real array answers E5003 to an account without a permission follows from the code's meaning, and is not verified.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from auditor_lab.arrays.eternus import machine, text
from auditor_lab.arrays.eternus.array import RefusedError
from auditor_lab.arrays.eternus.description import CATEGORIES, MACHINE_ROLE, WRITING_ROLES, LimitDescription

if TYPE_CHECKING:
    from auditor_lab.arrays.eternus.array import Array, Volume
    from auditor_lab.arrays.eternus.description import EternusDescription

Form: TypeAlias = Callable[["Array", Mapping[str, str]], list[str]]

PROMPT = "CLI> "

ERRORS: Mapping[str, str] = {
    "0001": "Bad value",
    "0002": "Value out of range",
    "0003": "Too many parameters",
    "0004": "Missing parameter",
    "0030": "Command not supported",
    "0331": "Flexible tier mode is not valid",
    "0060": "Resource locked",
    "0110": "Resource does not exist",
    "5003": "The user authority to use the command is improper",
}
"""Error codes and their texts. Source: cinder's Fujitsu driver, `CLIRETCODE_dic`; only those that the lab answers."""

MOST_IOPS, MOST_MB_PER_SECOND = 4294967295, 2097151  # Source: cinder's Fujitsu driver, MAX_IOPS and MAX_THROUGHPUT
_LIMITED_BY = {"volume-qos": "total", "volume-qos-read": "read", "volume-qos-write": "write"}
_CATEGORY_OF = {"bandwidth-limit": "total", "read-bandwidth-limit": "read", "write-bandwidth-limit": "write"}


@dataclass(frozen=True, slots=True)
class Account:
    """The account that sends a command."""

    name: str
    role: str
    may_write: bool

    @property
    def is_machine_readable(self) -> bool:
        """Whether its answers have the machine-readable form."""
        return self.role == MACHINE_ROLE


@dataclass(frozen=True, slots=True)
class _Command:
    """The two forms of a command's answer; None where a form was never recorded."""

    machine: Form | None = None
    text: Form | None = None
    parameters: frozenset[str] = frozenset()
    writes: bool = False
    flags: frozenset[str] = frozenset()  # parameters without a value


def accounts(description: EternusDescription, main: str) -> dict[str, Account]:
    """Every account by name; `main` is the one that the server was started with."""
    every = {one.name: Account(one.name, one.role, one.role in WRITING_ROLES) for one in description.users}
    every[main] = Account(main, description.role, description.role in WRITING_ROLES and "write" in description.permissions)
    return every


def operation(line: str) -> str:
    """The command without its parameters, as in faults and in the list of requests."""
    return " ".join(_words(line))


def answer(array: Array, everybody: Mapping[str, Account], account: Account, line: str) -> list[str]:
    """The lines between the echo of `line` and the next prompt."""
    words = _words(line)
    known = _commands(array.description, everybody)
    name = " ".join(words)
    if not words:
        return []
    if name not in known:
        return _misunderstood(line, len(words) - 1, "Ambiguous" if sum(one.startswith(name) for one in known) > 1 else "Unknown")
    command = known[name]
    options: dict[str, str] = {}
    rest = [word for word in line.split()[len(words) :] if word.removeprefix("-") not in command.flags]
    for place in range(0, len(rest), 2):
        parameter = rest[place].removeprefix("-")
        if parameter not in command.parameters:
            return _misunderstood(line, line.split().index(rest[place]))
        if place + 1 == len(rest):
            return refusal(account, "0004")
        options[parameter] = rest[place + 1]
    form = command.machine if account.is_machine_readable else command.text
    if form is None or (command.writes and not account.may_write):
        return refusal(account, "5003")
    try:
        lines = form(array, options)
    except RefusedError as error:
        return refusal(account, str(error))
    return ["00", *lines] if account.is_machine_readable else lines


def refusal(account: Account, code: str) -> list[str]:
    """An error: status 01 and the code, or a sentence.

    A recorded error has a further line about the parameter, with numbers of unknown meaning, which is left out here.
    """
    return ["01", code] if account.is_machine_readable else [f"Error: E{code} {ERRORS[code]}."]


def _words(line: str) -> list[str]:
    words: list[str] = []
    for word in line.split():
        if word.startswith("-"):
            break
        words.append(word)
    return words


def _misunderstood(line: str, place: int, what: str | None = None) -> list[str]:
    """A caret under the word at position `place`, which is unknown.

    Recorded: a caret under an unknown parameter without a text, and "Error: Ambiguous command" under a caret. That an unknown command is
    answered in the same form is not verified, nor that a Software account gets this form; but cinder's driver looks for "Error".
    """
    start = [word.start() for word in re.finditer(r"\S+", line)][place]
    caret = " " * (len(PROMPT) + start) + "^"
    return [caret] if what is None else [caret, f"Error: {what} command"]


def _commands(description: EternusDescription, everybody: Mapping[str, Account]) -> dict[str, _Command]:
    """The commands that this array's firmware has."""
    known = {
        "show status": _Command(text=text.status),
        "show storage-system-name": _Command(text=text.storage_system_name),
        "show enclosure-status": _Command(machine.enclosure_status, text.enclosure_status),
        "show volumes": _Command(machine.volumes, text.volumes, frozenset() if description.early_cli else frozenset({"mode"})),
        "show host-affinity": _Command(text=text.host_affinity),
        "show host-wwn-names": _Command(machine.host_wwn_names, text.host_wwn_names),
        "show host-iscsi-names": _Command(machine.host_iscsi_names, text.host_iscsi_names),
        "show host-groups": _Command(text=text.host_groups, flags=frozenset({"all"})),
        "show lun-groups": _Command(machine.lun_groups, text.lun_groups, frozenset({"lg-number"})),
        "show mapping": _Command(text=text.mapping),
        "show fru-ce": _Command(text=text.fru_ce),
        "show raid-groups": _Command(text=text.raid_groups),
        "show thin-pro-pools": _Command(machine.thin_pro_pools, text.thin_pro_pools, flags=frozenset({"csv"})),
        "show flexible-tier-pools": _Command(_no_flexible_tiers, _no_flexible_tiers),
        "show users": _Command(lambda *_: _users(everybody)),
        "show cli-error-code": _Command(_error_code, parameters=frozenset({"error-code"})),
        # Session commands only; the lab neither pages nor locks, so they have no effect.
        "set clienv-show-more": _Command(_nothing, _nothing, frozenset({"scroll"})),
        "set clienv-force-unlock": _Command(_nothing, _nothing),
    }
    if description.qos:
        categories = frozenset(_CATEGORY_OF) if description.has_qos_table else frozenset({"bandwidth-limit"})
        known["show volume-qos"] = _Command(machine.volume_qos)
        known["set volume-qos"] = _Command(_set_volume_qos, parameters=categories | {"volume-number", "volume-name"}, writes=True)
    if description.has_qos_table:
        parameters = frozenset({"mode", "bandwidth-limit", "iops", "throughput"})
        known["show qos-bandwidth-limit"] = _Command(machine.qos_bandwidth_limit)
        known["set qos-bandwidth-limit"] = _Command(_set_qos_bandwidth_limit, parameters=parameters, writes=True)
    return known


def _no_flexible_tiers(_array: Array, _options: Mapping[str, str]) -> list[str]:
    raise RefusedError("0331")


def _nothing(_array: Array, _options: Mapping[str, str]) -> list[str]:
    return []


def _users(everybody: Mapping[str, Account]) -> list[str]:
    """Name and role; the four fields after them are as recorded for these two roles, with unknown meaning."""
    rows = [f"{one.name}\t{one.role}\t01\t{'01' if one.is_machine_readable else '00'}\t00\t00" for one in everybody.values()]
    return [f"{len(rows):02X}", *rows]


def _error_code(_: Array, options: Mapping[str, str]) -> list[str]:
    code = options.get("error-code")
    if code is None:
        raise RefusedError("0004")
    if code not in ERRORS:
        raise RefusedError("0110")
    return ["0001", f"{code}\t{ERRORS[code]}"]


def _set_volume_qos(array: Array, options: Mapping[str, str]) -> list[str]:
    """Change some categories of a volume; the others stay."""
    volume = _volume(array, options)
    categories = {_CATEGORY_OF[name]: _number(value, 0, CATEGORIES - 1) for name, value in options.items() if name in _CATEGORY_OF}
    if not categories:
        raise RefusedError("0004")
    volume.categories.update(categories)
    return ["0001"]


def _volume(array: Array, options: Mapping[str, str]) -> Volume:
    if "volume-number" in options and "volume-name" in options:
        raise RefusedError("0003")
    if "volume-number" in options:
        volume = array.volumes.get(_number(options["volume-number"], 0, 0xFFFF))
    elif "volume-name" in options:
        volume = array.by_name(options["volume-name"])
    else:
        raise RefusedError("0004")
    if volume is None:
        raise RefusedError("0110")
    return volume


def _set_qos_bandwidth_limit(array: Array, options: Mapping[str, str]) -> list[str]:
    """Change one line of the category table. That a real array refuses line 0, "unlimited", is not verified."""
    missing = {"mode", "bandwidth-limit", "iops", "throughput"} - set(options)
    if missing:
        raise RefusedError("0004")
    if options["mode"] not in _LIMITED_BY:
        raise RefusedError("0001")
    number = _number(options["bandwidth-limit"], 1, CATEGORIES - 1)
    limit = LimitDescription(_number(options["iops"], 1, MOST_IOPS), _number(options["throughput"], 1, MOST_MB_PER_SECOND))
    array.table[number][_LIMITED_BY[options["mode"]]] = limit
    return ["0001"]


def _number(value: str, least: int, most: int) -> int:
    """A decimal number. Source: cinder's Fujitsu driver sends decimals, although it reads hexadecimal."""
    if not (value.isascii() and value.isdigit()):
        raise RefusedError("0001")
    if not least <= int(value) <= most:
        raise RefusedError("0002")
    return int(value)
