"""Answers of an ETERNUS, in the form for machines and in text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.eternus.answers import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


MB = 1 << 20
UID = "600000E00D2A0000002A011500140000"
WWN = "12AC13AB15AF21AE"
IQN = "iqn.1998-01.com.vmware:esx-07"


def by_machine(*records: str, announced: bool = True) -> Answer:
    """An answer in the machine's form; "," is its tab. The number of records goes before them."""
    lines = tuple(record.replace(",", "\t") for record in records)
    return Answer("show x", (f"{len(lines):04X}", *lines) if announced else lines, by_machine=True)


def in_text(*lines: str) -> Answer:
    return Answer("show x", lines, by_machine=False)


def read(reader: Callable[[Answer, ParseErrors], Iterable[Any] | None], answer: Answer) -> tuple[list[Any], list[str]]:
    """What a reader makes of an answer, and the objects that it could not understand."""
    parse_errors = ParseErrors("show x")
    found = reader(answer, parse_errors)
    return list(found or ()), [label for labels in parse_errors._heard.values() for label in labels]


RAID_HEAD = (
    "RAID Group            RAID    Assigned Status  Total       Free",
    "No. Name              Level   CM                Capacity(MB) Capacity(MB)",
)
RAID_RULER = "---- ---------------- ------- -------- ------- ------------ ------------"


POOLS_HEAD = "[Pool No.],[Pool Name],[Disk Type],[RAID Level],[Total Capacity(MB)],[Free]"
