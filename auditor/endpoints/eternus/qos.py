"""QoS of an ETERNUS DX as its command line reports it: a table of categories, and for each volume the categories it is in.

A category limits all I/O of each volume in it, or its reads, or its writes; 0 is "unlimited". That each volume has the ceiling to itself,
and that nothing is limited while the array's QoS mode is off (which is not read), is not verified against a real system.

Source: cinder's Fujitsu driver, `_show_qos_bandwidth_limit`, `_show_volume_qos`, `_get_qos_category`; docs/domain/arrays.md#eternus.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.eternus.answers import Answer, NoSuchCommandError
    from auditor.endpoints.eternus.client import EternusArray

Complain: TypeAlias = Callable[[str, str, str], None]  # what, whose, why it was not understood

MODES: Final = ("volume-qos", "volume-qos-read", "volume-qos-write")
"""All I/O, reads, writes: as `set qos-bandwidth-limit -mode` calls them, and in the order of the table's columns."""

CATEGORIES: Final = 16
MOST_IOPS: Final = 4294967295
MOST_MB_PER_SECOND: Final = 2097151
"""The largest that can be set, which is how cinder's Fujitsu driver writes "no ceiling" (constants.py, MAX_IOPS and MAX_THROUGHPUT)."""

UNSET: Final = 0xFFFF
"""Of both: what the recorded table has for the unlimited category, and for one that nobody set."""

BYTES_PER_MB: Final = 1 << 20  # Source: cinder's Fujitsu driver, `_check_throughput`
TABLE_SINCE: Final = (11, 30)
"""Firmware from which the table can be read and set. Source: cinder's Fujitsu driver, `QOS_VERSION`."""

FIXED: Final[Mapping[int, tuple[int, int]]] = MappingProxyType(
    dict(
        enumerate(
            [
                (15000, 800),
                (12600, 700),
                (10020, 600),
                (7500, 500),
                (5040, 400),
                (3000, 300),
                (1020, 200),
                (780, 100),
                (600, 70),
                (420, 40),
                (300, 25),
                (240, 20),
                (180, 15),
                (120, 10),
                (60, 5),
            ],
            start=1,
        )
    )
)
"""IOPS and MB/s of the categories before V11L30, where they are fixed.

Source: cinder's documentation of the Fujitsu driver, "QoS", cautions; their numbers: `_get_qos_category_by_value`.
"""

_HEX = re.compile(r"[0-9A-Fa-f]{1,16}")
_FIRMWARE = re.compile(r"V(\d+)L(\d+)")


@dataclass(frozen=True, slots=True)
class Limit:
    """A ceiling; None is none. Where it is not whole, one of the two was not understood, and the other one holds all the same."""

    iops: int | None
    mb_per_second: int | None
    is_whole: bool = True

    @property
    def is_none(self) -> bool:
        """Whether it limits nothing."""
        return self.iops is None and self.mb_per_second is None


@dataclass(frozen=True, slots=True)
class Category:
    """One line of the table: a limit for each of MODES, None where it was not understood; `fields` is the line as it came."""

    number: int
    limits: Mapping[str, Limit | None]
    fields: tuple[str, ...] = ()


def hexadecimal(text: str) -> int | None:
    """A number as the machine's form writes it; None when it is not a number."""
    return int(text, 16) if _HEX.fullmatch(text) else None


def has_table(firmware: str) -> bool | None:
    """Whether this firmware has a table that can be read and set; None when it is not of the form V11L30."""
    match = _FIRMWARE.match(firmware)
    return (int(match[1]), int(match[2])) >= TABLE_SINCE if match else None


def has_no_qos(session: EternusArray, error: NoSuchCommandError) -> bool:
    """Whether `show volume-qos` was not understood because the array has no QoS.

    S1 and S2 have none (cinder's Fujitsu driver: "Storage is DX S2 series, qos is not supported"). The array has to say so in words, or
    to put its caret for an account of the role Software, for which the command is made; a caret for somebody else may be about the
    account. And a firmware that must have it proves the opposite. Not verified against a real S1 or S2.
    """
    return (error.in_words or session.by_machine) and has_table(session.firmware) is False


def fixed_table() -> dict[int, Category]:
    """The categories before V11L30: of all I/O only."""
    nothing = Limit(None, None)
    limits = {0: nothing, **{number: Limit(*pair) for number, pair in FIXED.items()}}
    return {number: Category(number, {MODES[0]: limit, MODES[1]: nothing, MODES[2]: nothing}) for number, limit in limits.items()}


def table(answer: Answer, complain: Complain) -> dict[int, Category]:
    """The categories of `show qos-bandwidth-limit`: the number, then IOPS and MB/s for each of MODES; what follows is not known."""
    by_number: dict[int, Category] = {}
    for number, fields in _numbered(answer, complain, "category", "limits", least=7):
        label = f"category {number}"
        limits = {mode: _limit(fields[1 + 2 * place], fields[2 + 2 * place], label, mode, complain) for place, mode in enumerate(MODES)}
        if number == 0 and any(limit and not limit.is_none for limit in limits.values()):
            complain("the limits", label, "are reported for what should be unlimited")
            limits = dict.fromkeys(MODES)
        by_number[number] = Category(number, limits, tuple(fields))
    return by_number


def _limit(iops: str, mb: str, label: str, mode: str, complain: Complain) -> Limit | None:
    numbers = (hexadecimal(iops), hexadecimal(mb))
    if not numbers[0] or not numbers[1]:  # 0 cannot be set, so what it means is not known
        complain(mode, label, f"is {iops!r} and {mb!r} where hexadecimal numbers from 1 were expected")
        return _part(numbers[0] or UNSET, numbers[1] or UNSET)
    if numbers == (UNSET, UNSET):
        return Limit(None, None)
    if numbers[0] == UNSET:  # alone: a limit that nobody set, or one of 65,535 IOPS; 65,535 MB/s are as good as none
        complain(mode, label, f"is {iops!r} and {mb!r}: whether FFFF is a limit where the other is one is not known")
        return _part(UNSET, numbers[1])
    return Limit(None if numbers[0] >= MOST_IOPS else numbers[0], None if numbers[1] >= MOST_MB_PER_SECOND else numbers[1])


def _part(iops: int, mb: int) -> Limit | None:
    """What is known for certain of a limit with one number UNSET or not understood; None where that is nothing."""
    known_iops = None if iops == UNSET or iops >= MOST_IOPS else iops
    known_mb = None if mb == UNSET or mb >= MOST_MB_PER_SECOND else mb
    return None if known_iops is known_mb is None else Limit(known_iops, known_mb, is_whole=False)


def assignments(answer: Answer, complain: Complain) -> dict[int, dict[str, int | None]]:
    """The categories of each volume by its number, from `show volume-qos`: number, name, all I/O, reads, writes.

    Before V11L30 there is one for all I/O, and an empty field behind it: then reads and writes are 0.
    """
    by_volume: dict[int, dict[str, int | None]] = {}
    for number, fields in _numbered(answer, complain, "volume", "categories", least=4):
        label = f"volume {number}"
        numbers = [fields[2], "00", "00"] if len(fields) == 4 and not fields[3] else fields[2:5]
        known: dict[str, int | None] = {}
        for mode, text in zip(MODES, [*numbers, "", ""][:3], strict=True):
            category = hexadecimal(text)
            known[mode] = category if category is not None and category < CATEGORIES else None
            if known[mode] is None:
                complain(mode, label, f"is {text!r}, which is no category")
        by_volume[number] = known
    return by_volume


def _numbered(answer: Answer, complain: Complain, noun: str, rest: str, *, least: int) -> Iterator[tuple[int, list[str]]]:
    """The records of a `noun` and its `rest`, each of `least` fields or more, by the number that they begin with: the first of each."""
    seen: set[int] = set()
    for fields in counted(answer, complain):
        number = hexadecimal(fields[0])
        if number is None or len(fields) < least:
            complain("the record", f"{fields[0]!r}", f"is not a {noun} and its {rest}")
        elif number in seen:
            complain("the number", f"{noun} {number}", "came twice; the second record was left out")
        else:
            seen.add(number)
            yield number, fields


def counted(answer: Answer, complain: Complain) -> list[list[str]]:
    """The records behind a line with their number; a parse error when there are more or fewer, as the answer is not whole then."""
    if not answer.by_machine:
        complain(
            "the answer", "the array", "is in text, whose form is not public; an account of the role Software is answered in a known one"
        )
        return []
    head, *records = answer.records or [[""]]
    count = hexadecimal(head[0])
    if count is None:
        complain("the number of records", "the answer", f"is {head[0]!r}, no hexadecimal number")
    elif count != len(records):
        complain("the number of records", "the answer", f"is {count}, and there are {len(records)}")
    return records
