"""esxcli records into rows. A field that is missing or makes no sense is NULL, and is told; the record's other fields still count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.collectors.vcenter_rows import Facts, Rows
from auditor.collectors.vcenter_storage import lower_hex_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.clients.esxcli import Row

_SHOWN = 3


class Records:
    """The rows of one answer, and the holes found in them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self.holes: list[str] = []

    def __iter__(self) -> Iterator[Record]:
        return (Record(row, self.holes) for row in self._rows)

    def told(self) -> str:
        """The holes on one line, the first few by name."""
        more = len(self.holes) - _SHOWN
        return "; ".join(self.holes[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")


class Record:
    """One record; fields are found by their letters and digits, whatever the build's capitals.

    The structured name of a field is its display name without blanks and punctuation ("Is VVOL PE" is `IsVVOLPE`). Source: facts.md 1.1.
    """

    def __init__(self, row: Row, holes: list[str]) -> None:
        self._fields = {re.sub(r"[^a-z0-9]", "", name.lower()): value for name, value in row.items()}
        self._holes = holes
        self.name = "a record without a name"

    def text(self, field: str, *, needed: bool = True) -> str | None:
        """The field, trimmed; None when it is missing, which is a hole if it is `needed`."""
        value = self._fields.get(field)
        if isinstance(value, str):
            return value.strip()
        if value is not None or needed:
            self._holes.append(f"{field} of {self.name} is {'missing' if value is None else 'more than one'}")
        return None

    def number(self, field: str, *, needed: bool = True) -> int | None:
        """The field as a count, zero or more."""
        text = self.text(field, needed=needed)
        if text is None or re.fullmatch(r"[0-9]{1,18}", text):
            return None if text is None else int(text)
        self._holes.append(f"{field} of {self.name} is {text[:40]!r}, not a number")
        return None

    def truth(self, field: str, *, needed: bool = True) -> bool | None:
        """The field as true or false."""
        text = self.text(field, needed=needed)
        if text is None or text.lower() in ("true", "false"):
            return None if text is None else text.lower() == "true"
        self._holes.append(f"{field} of {self.name} is {text[:40]!r}, neither true nor false")
        return None

    def device(self) -> str | None:
        """The device it is about, which also names the record from here on."""
        text = self.text("device")
        if not text:
            return None
        self.name = lower_hex_name(text)
        return self.name


def scheduling(records: Records, where: Mapping[str, str]) -> Iterator[Facts]:
    """Table `device_scheduling`. Source: facts.md 1.11, the fields of ESXi 5.5 to 9; those that old builds lack may be missing."""
    rows = Rows("device_scheduling", **where)
    for record, device in _once(records):
        rows.add(
            device=device,
            dsnro=record.number("noofoutstandingioswithcompetingworlds"),
            esxcli_queue_depth=record.number("devicemaxqueuedepth", needed=False),
            is_vvol_pe=record.truth("isvvolpe", needed=False),
            multipath_plugin=record.text("multipathplugin", needed=False),
            queue_full_sample_size=record.number("queuefullsamplesize", needed=False),
            queue_full_threshold=record.number("queuefullthreshold", needed=False),
            vaai_status=record.text("vaaistatus", needed=False),
        )
    yield from rows.batch()


def offload(records: Records, where: Mapping[str, str]) -> Iterator[Facts]:
    """Table `device_offload`. Source: facts.md 3.4."""
    rows = Rows("device_offload", **where)
    for record, device in _once(records):
        rows.add(
            device=device,
            vaai_plugin=record.text("vaaipluginname"),
            ats_status=record.text("atsstatus"),
            clone_status=record.text("clonestatus"),
            zero_status=record.text("zerostatus"),
            delete_status=record.text("deletestatus"),
        )
    yield from rows.batch()


def lockmodes(records: Records, where: Mapping[str, str]) -> Iterator[Facts]:
    """Table `vmfs_lockmode`. Source: facts.md 3.2."""
    rows = Rows("vmfs_lockmode", **where)
    for record in records:
        name = record.text("volumename")
        record.name = name or record.name
        rows.add(volume_name=name, vmfs_uuid=record.text("uuid"), locking_mode=record.text("lockingmode"))
    yield from rows.batch()


def module_parameters(records: Records, where: Mapping[str, str], module: str) -> Iterator[Facts]:
    """Table `host_module_parameter`. Source: facts.md section 2."""
    rows = Rows("host_module_parameter", **where, module=module)
    for record in records:
        name = record.text("name")
        if not name:
            continue
        record.name = name
        rows.add(
            name=name,
            type=record.text("type"),
            value=record.text("value", needed=False) or None,
            description=record.text("description", needed=False),
        )
    yield from rows.batch()


def _once(records: Records) -> Iterator[tuple[Record, str]]:
    """Every record with its device; one about a device that was there before is a hole: which of the two is right is not known."""
    seen: set[str] = set()
    for record in records:
        device = record.device()
        if device is None:
            continue
        if device in seen:
            records.holes.append(f"{device} is listed twice")
            continue
        seen.add(device)
        yield record, device
