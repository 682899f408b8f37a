"""Tables guest, guest_disk and guest_partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.files.guests.read import Guest, latest
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, readings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.model import Endpoint

_NOT_WHOLE = "the last line of what the script prints is missing, or more than one file may hold: run it again and keep all that it prints"


def guest_facts(endpoint: Endpoint, guests: Sequence[tuple[str, Guest]]) -> Iterator[Facts]:
    """What guests said, each with the place that says so; the reading of topic "guests".

    A guest whose output was cut, or that says neither its serial number nor its name, is a gap.
    """
    whole = []
    for place, guest in guests:
        if not guest.is_whole:
            yield gap(endpoint, f"guest {guest.hostname or 'of ' + place}", _NOT_WHOLE)
        elif not (guest.bios_uuid or guest.hostname):
            yield gap(endpoint, f"guest of {place}", "it says neither its serial number nor its name")
        else:
            whole.append((place, guest))
    rows, disks, partitions = (Rows(name, endpoint=endpoint.name) for name in ("guest", "guest_disk", "guest_partition"))
    for guest_id, (place, guest) in latest(whole).items():
        rows.add(
            guest_id=guest_id,
            hostname=guest.hostname or guest_id,
            system=guest.system or None,
            kernel=guest.kernel,
            bios_uuid=guest.bios_uuid,
            pvscsi_depth_set=_number(guest.parameters.get(("pvscsi", "maxqueuedepth"))),
            taken_at=guest.taken_at,
            place=place,
        )
        for disk in {one.name: one for one in guest.disks}.values():
            disks.add(
                guest_id=guest_id,
                disk=disk.name,
                driver=disk.driver,
                model=disk.model,
                queue_depth=disk.queue_depth,
                adapter_depth=disk.adapter_depth,
                timeout_s=disk.timeout_s,
                size_bytes=disk.size_bytes,
            )
        for part in {(one.disk, one.name): one for one in guest.partitions}.values():
            partitions.add(guest_id=guest_id, disk=part.disk, partition=part.name, start_bytes=part.start_bytes, size_bytes=part.size_bytes)
    for one in (rows, disks, partitions):
        yield from one.batch()
    yield readings(endpoint, "", {"guests": len(whole) == len(guests)})


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) <= 6 else None
