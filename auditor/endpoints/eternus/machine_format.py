"""Reads the machine's form: lines of tab-separated fields, numbers in hex.

Source of the places of fields: cinder's Fujitsu driver and the answers in its tests (enclosure-status, volumes); Fujitsu's driver of
OpenSDS, config/cli_response.yml and the answers in its tests (the others). How `show host-affinity`, `show mapping` of all ports,
`show raid-groups` and `show host-groups` are answered in this form is in no public source that was found.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.eternus.qos import counted, hexadecimal
from auditor.endpoints.eternus.records import Host, Identity, Lun, Pool, Volume, pool_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.records import ParseErrors
    from auditor.endpoints.eternus.answers import Answer

_BLOCK = 512  # bytes. Source: cinder's Fujitsu driver, `_show_pool_provision`: 2048 are a MB
_NO_MORE = 0xFFFF  # the number of no volume; the rest is empty (`_show_pool_provision` stops there)
_UID_AT = 20
_WWN = re.compile(r"[0-9a-f]{16}")


def identity(answer: Answer, parse_errors: ParseErrors) -> Identity | None:
    """Name, model, serial number and firmware, from the first line."""
    fields = answer.records[0] if answer.records else []
    if len(fields) < 12:
        parse_errors.add("the record", "the array", f"has {len(fields)} fields where 13 were expected")
        return None
    return Identity(name=fields[0], model=fields[2], serial_number=fields[3], firmware=fields[11])


def volumes(answer: Answer, parse_errors: ParseErrors) -> Iterator[Volume]:
    """Every volume: number, name, status, .., pool number, pool name, blocks, .., UID."""
    for fields in counted(answer, parse_errors.add):
        number = _number(fields, 0, "volume", parse_errors)
        if number is None:
            continue
        if number == _NO_MORE:
            return
        if len(fields) <= _UID_AT:
            parse_errors.add("the record", f"volume {number}", f"has {len(fields)} fields where more than {_UID_AT} were expected")
            continue
        blocks, pool = hexadecimal(fields[7]), hexadecimal(fields[5])
        if blocks is None:
            parse_errors.add("the size", f"volume {number}", f"is {fields[7]!r}, no hexadecimal number")
        if pool is None:
            parse_errors.add("the pool", f"volume {number}", f"is {fields[5]!r}, no hexadecimal number")
        yield Volume(
            number=number,
            name=fields[1],
            status=fields[2],
            pool=None if pool is None else pool_id(pool, fields[6]),
            size_bytes=None if blocks is None else blocks * _BLOCK,
            uid=fields[_UID_AT],
        )


def thin_pools(answer: Answer, parse_errors: ParseErrors) -> Iterator[Pool]:
    """Thin provisioning pools: a line with what could still be provisioned, then number, name, .., blocks. The RAID level is a code."""
    for fields in counted(_without(answer, 1), parse_errors.add):
        number = _number(fields, 0, "pool", parse_errors)
        if number is None:
            continue
        blocks = hexadecimal(fields[6]) if len(fields) > 6 else None
        if blocks is None:
            parse_errors.add("the size", f"pool {number}", "is no hexadecimal number")
        yield Pool(number, fields[1] if len(fields) > 1 else "", None, None, None if blocks is None else blocks * _BLOCK)


def fc_hosts(answer: Answer, parse_errors: ParseErrors) -> Iterator[Host]:
    """Number, name, WWN, number and name of the host response; the same is expected of SAS addresses."""
    return _hosts(answer, parse_errors, 2, 4, _wwn, "fc")


def iscsi_hosts(answer: Answer, parse_errors: ParseErrors) -> Iterator[Host]:
    """Number, name, number and name of the host response, IP address, iSCSI name."""
    return _hosts(answer, parse_errors, 5, 3, iscsi_name, "iscsi")


def _hosts(
    answer: Answer, parse_errors: ParseErrors, name_at: int, response_at: int, understood: Callable[[str], str | None], kind: str
) -> Iterator[Host]:
    for fields in counted(answer, parse_errors.add):
        number = _number(fields, 0, "host", parse_errors)
        if number is None:
            continue
        initiator = understood(fields[name_at]) if len(fields) > max(name_at, response_at) else None
        if initiator is None:
            parse_errors.add("the initiator", f"host {number}", "is missing or no name of an initiator")
            continue
        yield Host(number, fields[1], initiator, kind, fields[response_at])


def lun_group(answer: Answer, parse_errors: ParseErrors) -> Iterator[Lun]:
    """The LUNs of one group: the groups and their number before them, then LUN, volume, ..."""
    records = answer.records
    groups = hexadecimal(records[0][0]) if records else None
    if groups is None or groups >= len(records):
        parse_errors.add("the record", answer.command, "is not a LUN group")
        return
    for fields in counted(_without(answer, 1 + groups), parse_errors.add):
        lun, volume = (hexadecimal(field) for field in [*fields, ""][:2])
        if lun is None or volume is None:
            parse_errors.add("the record", answer.command, f"is {fields[:2]!r}, not a LUN and a volume")
            continue
        yield Lun(lun, volume)


def iscsi_name(text: str) -> str | None:
    """An initiator's name in lower case, or None."""
    name = text.strip().lower()
    return name if name.startswith(("iqn.", "eui.", "naa.")) and " " not in name else None


def _wwn(text: str) -> str | None:
    return text.lower() if _WWN.fullmatch(text.lower()) else None


def _number(fields: list[str], at: int, what: str, parse_errors: ParseErrors) -> int | None:
    number = hexadecimal(fields[at])
    if number is None:
        parse_errors.add("the number", what, f"is {fields[at]!r}, no hexadecimal number; the record was left out")
    return number


def _without(answer: Answer, lines: int) -> Answer:
    return type(answer)(answer.command, answer.lines[lines:], answer.by_machine)
