"""The protocol endpoints of a host: what esxcli prints of them, and those that a list of devices lacks.

Source: docs/domain/evidence-files.md#2-9, #2-10.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.esxcli import Records
from auditor.endpoints.vcenter.collect.storage import lower_hex_name
from auditor.endpoints.vcenter.esxcli_records import plain_name, table_of

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.collect.esxcli import Record
    from auditor.endpoints.vcenter.esxcli_records import Row, Table

ENDPOINTS = "storage vvol protocolendpoint list"

_DEVICE_NAME = re.compile(r"(?:naa|eui|t10|uuid)\.\S{1,255}")
_NFS_TYPES = frozenset({"NFS", "NFS3", "NFS4", "NFS4X", "NFS41", "NAS"})


def endpoint_device(record: Record) -> str | None:
    """The device of a protocol endpoint; None where it names none, which of one that is no NFS mount is a parse error.

    The heading of a record names it, and the LUN's id, which is all that formatters without headings may have.
    """
    fields = ("protocolendpoint", "lunid")
    name = next((text for field in fields if _DEVICE_NAME.fullmatch(text := record.text(field, needed=False) or "")), None)
    if name is None and (record.text("type", needed=False) or "").upper() not in _NFS_TYPES:
        record.parse_errors.append(f"protocol endpoint {(record.text('arrayid', needed=False) or '')[:40]!r} names no device")
    return None if name is None else lower_hex_name(name)


def with_endpoints(devices: Table, endpoints: Table) -> Records:
    """A list of devices, and the protocol endpoints that only the list of these (`--pe-only`) has."""
    rows = _plain_rows(devices)
    listed = {_device_of(row) for row in rows}
    return Records(table_of([*rows, *(row for row in _plain_rows(endpoints) if _device_of(row) not in listed)]))


def _plain_rows(table: Table) -> list[Row]:
    """Rows by plain names: two forms of one list spell a field differently."""
    return [{plain_name(name): cell for name, cell in row.items()} for row in table.rows()]


def _device_of(row: Row) -> str:
    name = row.get("device")
    return lower_hex_name(name.strip()) if isinstance(name, str) else ""
