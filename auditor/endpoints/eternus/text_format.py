"""Reads text for people: tables under a ruler of dashes, and lists of "Key [value]".

Source of the forms: text recorded by SODA's delfin driver, and for `show raid-groups` with a ruler an acceptance test of Toshiba's. What
could not be recorded (`show volume-qos`, `show qos-bandwidth-limit`, `show flexible-tier-pools`) is not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from auditor.endpoints.eternus.client import keyed
from auditor.endpoints.eternus.machine_format import iscsi_name
from auditor.endpoints.eternus.records import Affinity, Host, Identity, Lun, Pool, Volume, host_id, pool_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.records import ParseErrors
    from auditor.endpoints.eternus.answers import Answer

_MB = 1 << 20
_RULER = re.compile(r"\s*---+(?: +---*)*\s*")
_RAID_GROUP = re.compile(r"\s*(\d+) (\S.*?)\s+(RAID\S+)\s+(CM#\d+|-|\S+)\s+(\S.*?)\s+(\d+)\s+(\d+)\s*")
_EARLY_VOLUME = re.compile(r"\s*(\d+) (\S.*?)\s{2,}(\S.*?)\s{2,}(\S+)\s+(\S+)\s+(\d+) +(\S.*?)\s{2,}(\d+)(?:\s+\S+)?\s*")
_STRIPED = "WSV"
_PORT = re.compile(r"(CM#\S+ .*?)\s*\(Host Affinity Mode (Enable|Disable)\)")
_WWN = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Row:
    """One line under a ruler; `above` is the line that the table's head begins with."""

    cells: tuple[str, ...]
    above: str
    line: str


def identity(answer: Answer, parse_errors: ParseErrors) -> Identity | None:
    """Name, model, serial number and firmware, by their keys."""
    fields = keyed(answer)
    wanted = ("Storage System Name", "Model Name", "Serial Number", "Firmware Version")
    for key in wanted:
        if key not in fields:
            parse_errors.add(key, "the array", "is missing")
    return Identity(*(fields.get(key, "") for key in wanted))


def raid_groups(answer: Answer, parse_errors: ParseErrors) -> Iterator[Pool]:
    """Number, name, level, assigned module, status, size, what is free; early command lines put no ruler under the head."""
    for line in _body(answer):
        match = _RAID_GROUP.fullmatch(line)
        if match is None:
            parse_errors.add("the line", repr(line.strip()[:40]), "is not a RAID group")
            continue
        node = match[4] if match[4].startswith("CM#") else None
        yield Pool(int(match[1]), match[2], match[3], node, int(match[6]) * _MB)


def thin_pools(answer: Answer, parse_errors: ParseErrors) -> Iterator[Pool]:
    """`show thin-pro-pools -csv`: the names of the columns in brackets, then the pools.

    Source: Fujitsu's guide as a collector of another project quotes it; not recorded.
    """
    head = [name.strip().strip("[]") for name in answer.lines[0].split(",")] if answer.lines else []
    wanted = ("Pool No", "Pool Name", "Total Capacity(MB)")
    if not answer.lines:
        return
    if not set(wanted) <= {name.rstrip(".") for name in head}:
        parse_errors.add("the head", answer.command, "does not name number, name and capacity")
        return
    places = [[name.rstrip(".") for name in head].index(name) for name in wanted]
    raid = head.index("RAID Level") if "RAID Level" in head else None
    for line in answer.lines[1:]:
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != len(head) or not fields[places[0]].isdecimal() or not fields[places[2]].isdecimal():
            parse_errors.add("the line", repr(line.strip()[:40]), "is not a pool")
            continue
        raid_type = fields[raid] if raid is not None else None
        yield Pool(int(fields[places[0]]), fields[places[1]], raid_type, None, int(fields[places[2]]) * _MB)


def volumes(answer: Answer, parse_errors: ParseErrors) -> Iterator[Volume]:
    """`show volumes -mode uid`, or the form without UIDs that early command lines have.

    A volume that is striped over RAID groups has none of its own: the array names one of 2 to 64 (Fujitsu, Design Guide, "Wide Striping").
    """
    if not any(_RULER.fullmatch(line) for line in answer.lines):
        yield from _early_volumes(answer, parse_errors)
        return
    for row in _rows(answer):
        if len(row.cells) < 8 or not row.cells[0].isdecimal():
            parse_errors.add("the line", repr(row.line.strip()[:40]), "is not a volume")
            continue
        # With UIDs: .., pool number, pool name, TFOG number and name, size, UID, mode; without: .., pool number, pool name, size, ...
        with_uid = len(row.cells) == 11
        size, uid = (row.cells[8], row.cells[9]) if with_uid else (row.cells[6], None)
        number = int(row.cells[0])
        if not size.isdecimal():
            parse_errors.add("the size", f"volume {number}", f"is {size!r}, no number of MB")
        yield Volume(
            number=number,
            name=row.cells[1],
            status=row.cells[2],
            pool=pool_id(int(row.cells[4]), row.cells[5]) if row.cells[4].isdecimal() and row.cells[3].upper() != _STRIPED else None,
            size_bytes=int(size) * _MB if size.isdecimal() else None,
            uid=uid,
        )


def _early_volumes(answer: Answer, parse_errors: ParseErrors) -> Iterator[Volume]:
    """One whose column "Expansion (Concatenation)" holds anything may lie on several RAID groups (Design Guide, "LUN Concatenation")."""
    for line in _body(answer):
        match = _EARLY_VOLUME.fullmatch(line)
        if match is None:
            parse_errors.add("the line", repr(line.strip()[:40]), "is not a volume")
            continue
        is_on_one = match[5] == "-" and match[4].upper() != _STRIPED
        pool = pool_id(int(match[6]), match[7]) if is_on_one else None
        yield Volume(int(match[1]), match[2], match[3], pool, int(match[8]) * _MB, None)


def fc_hosts(answer: Answer, parse_errors: ParseErrors, kind: str = "fc") -> Iterator[Host]:
    """Number, name, WWN or SAS address, number and name of the host response."""
    for row in _rows(answer):
        initiator = row.cells[2].lower() if len(row.cells) == 5 else ""
        if not row.cells[0].isdecimal() or not _WWN.fullmatch(initiator):
            parse_errors.add("the line", repr(row.line.strip()[:40]), "is not a host and its address")
            continue
        yield Host(int(row.cells[0]), row.cells[1], initiator, kind, row.cells[4])


def iscsi_hosts(answer: Answer, parse_errors: ParseErrors) -> Iterator[Host]:
    """Number, name, host response, IP address, iSCSI name, ..; a name that is longer than its column goes on in the next line."""
    pending: list[tuple[str, ...]] = []
    for row in _rows(answer):
        if row.line.split()[0].isdecimal() and len(row.line.split()) > 1:
            pending.append(_iscsi_cells(row))
        elif pending and len(row.line.split()) == 1:
            *cells, begun = pending[-1]
            pending[-1] = (*cells, begun + row.line.strip())
        else:
            parse_errors.add("the line", repr(row.line.strip()[:40]), "is not a host and its iSCSI name")
    for number, name, response, name_text in pending:
        initiator = iscsi_name(name_text)
        if not number.isdecimal() or initiator is None:
            parse_errors.add("the initiator", f"host {number}", f"is {name_text!r}, no iSCSI name")
            continue
        yield Host(int(number), name, initiator, "iscsi", response)


def _iscsi_cells(row: Row) -> tuple[str, str, str, str]:
    # The recorded lines were restored, and what stands behind the IP address has slipped to the right.
    named = next((word for word in row.line.split() if iscsi_name(word)), "")
    return row.cells[0], row.cells[1], row.cells[3] if len(row.cells) > 3 else "", named


def host_groups(answer: Answer) -> dict[str, str]:
    """The group of each host, by Host.id, from `show host-groups -all`; several groups of one host are joined by ", "."""
    by_host: dict[str, str] = {}
    group = ""
    for row in _rows(answer):
        if row.above.startswith("Host Group"):
            group = row.cells[1]
        elif row.cells[0].isdecimal():
            key = host_id(int(row.cells[0]), row.cells[1])
            by_host[key] = f"{by_host[key]}, {group}" if key in by_host else group
    return by_host


def affinities(answer: Answer, parse_errors: ParseErrors) -> Iterator[Affinity]:
    """Which host sees which LUN group: by groups ("Connection List") and port by port."""
    lun_group: int | None = None
    for row in _rows(answer):
        cells = row.cells
        if row.above.startswith("Port Group") and len(cells) == 7 and cells[4].isdecimal():
            lun_group = int(cells[4])
        elif row.above.startswith("Port ") and len(cells) == 3 and cells[1].isdecimal() and lun_group is not None:
            yield Affinity(host_id(int(cells[1]), cells[2]), lun_group)
        elif row.above.startswith("Host ") and len(cells) == 6 and cells[0].isdecimal() and cells[2].isdecimal():
            yield Affinity(host_id(int(cells[0]), cells[1]), int(cells[2]))
        else:
            parse_errors.add("the line", repr(row.line.strip()[:40]), "is not an affinity")


def open_ports(answer: Answer) -> dict[str, int]:
    """Ports whose host affinity is off, and how many volumes everybody sees there, from `show mapping`."""
    by_port: dict[str, int] = {}
    port = ""
    under = False
    for line in answer.lines:
        if match := _PORT.match(line):
            port, under = (match[1] if match[2] == "Disable" else ""), False
        elif _RULER.fullmatch(line):
            under = True
        elif port and under and line.strip():
            by_port[port] = by_port.get(port, 0) + 1
    return by_port


def lun_group(answer: Answer, parse_errors: ParseErrors) -> Iterator[Lun]:
    """The LUNs of `show lun-groups -lg-number`: LUN, volume number, ..."""
    for row in _rows(answer):
        if len(row.cells) < 2 or not (row.cells[0].isdecimal() and row.cells[1].isdecimal()):
            parse_errors.add("the line", repr(row.line.strip()[:40]), "is not a LUN and a volume")
            continue
        yield Lun(int(row.cells[0]), int(row.cells[1]))


def _body(answer: Answer) -> list[str]:
    """The lines of a table, with or without a ruler: those that begin with a number."""
    lines = list(answer.lines)
    ruler = next((place for place, line in enumerate(lines) if _RULER.fullmatch(line)), None)
    if ruler is not None:
        return [line for line in lines[ruler + 1 :] if line.strip()]
    head = next((place for place, line in enumerate(lines) if re.match(r"\s*No\.\s", line)), -1)
    return [line for line in lines[head + 1 :] if line.strip()]


def _rows(answer: Answer) -> Iterator[Row]:
    """Every line under a ruler, up to an empty line, a heading in brackets or the head of another table."""
    spans: list[tuple[int, int]] = []
    above = ""
    head: list[str] = []
    for line in answer.lines:
        if _RULER.fullmatch(line):
            spans = [(match.start(), match.end()) for match in re.finditer(r"-+", line)]
            above = head[0] if head else ""
        elif not line.strip() or line.startswith("<") or _PORT.match(line):
            spans, head = [], []
        elif spans:
            yield Row(_cells(line, spans), above, line)
        else:
            head.append(line.strip())


def _cells(line: str, spans: list[tuple[int, int]]) -> tuple[str, ...]:
    """The fields of a line by the ruler's columns, or by its gaps when something sticks out of them."""
    starts_and_ends = [*spans[:-1], (spans[-1][0], max(len(line), spans[-1][1]))]
    between = [line[end:start] for (_, end), (start, _) in pairwise(starts_and_ends)]
    if all(not gap.strip() for gap in between):
        cells = tuple(line[start:end].strip() for start, end in starts_and_ends)
        if " " not in cells[-1]:
            return cells
    words = tuple(line.split())
    return words if len(words) == len(spans) else tuple(line[start:end].strip() for start, end in starts_and_ends)
