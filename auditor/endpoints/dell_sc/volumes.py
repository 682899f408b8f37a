"""Reads the volumes of a Storage Center, and what they were doing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.common.topics import batch
from auditor.endpoints.dell_sc import rows
from auditor.endpoints.dell_sc.answers import Attributes
from auditor.endpoints.dell_sc.reading import unless_unknown
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.dell_sc.reading import Center, Reading
    from auditor.facts.schema import Batch
    from auditor.model import Gap

_BATCH = 1000
_LOOK_BACK = timedelta(hours=1)  # samples come every few minutes, and clocks differ


def volumes(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    """Every volume with what it was given: storage profile, QoS profiles; those in the recycle bin are deleted."""
    parse_errors = ParseErrors("ScVolume/GetList")
    listed = [one for one in reading.objects("ScVolume", center, parse_errors) if one.value.get("inRecycleBin") is not True]
    ids = [str(volume.identifier("instanceId")) for volume in listed]
    tiering = {str(one.identifier("instanceId")): rows.tiers(one) for one in reading.objects("ScStorageProfile", center, parse_errors)}
    configurations = _configurations(reading, center, ids, parse_errors)
    center.volume_ids = ids
    for first in range(0, max(len(listed), 1), _BATCH):
        part = zip(listed[first : first + _BATCH], ids[first : first + _BATCH], strict=True)
        table_rows = [
            rows.volume_row(volume) | rows.configured(configurations.get(volume_id), reading.profiles, tiering, has_qos=center.has_qos)
            for volume, volume_id in part
        ]
        yield batch("array_volume", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)


def _configurations(reading: Reading, center: Center, ids: list[str], parse_errors: ParseErrors) -> dict[str, Record]:
    """Every volume's ScVolumeConfiguration by the volume's id: from one list, and one by one where the list leaves volumes out.

    Source: CoprHD's client asks ScVolumeConfiguration/GetList, cinder's asks ScVolume/{id}/VolumeConfiguration; a recorded one has its
    volume's id.
    """
    listed = unless_unknown(lambda: reading.manager.objects("ScVolumeConfiguration", center.serial))
    by_id = {str(one.identifier("instanceId")): one for one in reading.once("ScVolumeConfiguration", listed, parse_errors)}
    left_out = [volume_id for volume_id in ids if volume_id not in by_id]
    for volume_id, answer in reading.one_by_one(
        left_out, lambda volume_id: reading.manager.object(f"StorageCenter/ScVolume/{volume_id}/VolumeConfiguration")
    ):
        if isinstance(answer, EndpointError):
            parse_errors.add("VolumeConfiguration", f"ScVolume {volume_id}", answer.what)
        else:
            by_id[volume_id] = Record(answer, f"ScVolume {volume_id}", parse_errors, "VolumeConfiguration.")
    return by_id


NO_LATENCY = (
    "the latency of its volumes is not read: a Dell SC reports it in milliseconds or microseconds, and no source says which; "
    "rule diag/array-vs-host leaves its devices out"
)
"""The note that a user gets about the latency that is not read. Source: `rows.load_row`."""


def volume_load(reading: Reading, center: Center) -> Iterator[Batch | Gap]:
    """The newest sample of each volume: from one list, and one by one for volumes that the list leaves out.

    A volume without a reported sample has no row, and leaves a gap. That latency is not read is a note of the session, and no gap:
    nothing that the account or the array lacks would change it.

    Source: one exporter asks StorageCenter/{id}/GetLatestVolumeIoUsage, which answers a record a volume; another asks
    ScVolume/{id}/GetHistoricalIoUsage, with a StartTime in this form.
    """
    parse_errors = ParseErrors("GetLatestVolumeIoUsage")
    note = f"{reading.endpoint.name}: {NO_LATENCY}"
    if note not in reading.manager.notes:  # of several Storage Centers behind one manager
        reading.manager.add_note(note)
    listed = unless_unknown(lambda: reading.manager.compute(f"StorageCenter/StorageCenter/{center.serial}/GetLatestVolumeIoUsage"))
    by_id = {str(one.identifier("instanceId")): one for one in reading.once("ScVolumeIoUsage", listed, parse_errors)}
    left_out = [volume_id for volume_id in center.volume_ids or () if volume_id not in by_id]
    since = (datetime.now(UTC) - _LOOK_BACK).isoformat(timespec="seconds")
    params = {"HistoricalFilter": {"FilterTime": "Other", "StartTime": since, "UseCurrent": True}}
    for volume_id, answer in reading.one_by_one(
        left_out, lambda volume_id: reading.manager.compute(f"StorageCenter/ScVolume/{volume_id}/GetHistoricalIoUsage", params)
    ):
        newest = _newest(f"ScVolume {volume_id}", answer, parse_errors)
        if newest is not None:
            by_id[volume_id] = newest
    loads = [rows.load_row(volume_id, usage) for volume_id, usage in by_id.items()]
    for first in range(0, max(len(loads), 1), _BATCH):
        yield batch("array_volume_load", reading.endpoint.name, loads[first : first + _BATCH])
    if center.volume_ids is None:
        parse_errors.add("completeness", "the answer", "is not known, since the volumes were not all read")
    yield from parse_errors.gaps(reading.endpoint.name)


def _newest(label: str, answer: Any, parse_errors: ParseErrors) -> Record | None:
    if isinstance(answer, EndpointError):
        parse_errors.add("GetHistoricalIoUsage", label, answer.what)
        return None
    samples = [Record(Attributes(one), label, parse_errors) for one in answer if isinstance(one, dict)]
    if not samples:
        parse_errors.add("the record", label, "was not in the answer")
    return rows.latest(samples)
