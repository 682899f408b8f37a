"""Reads the storage systems behind SANtricity Web Services into fact tables; never writes."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch, optional, read_topics
from auditor.endpoints.eseries import rows
from auditor.endpoints.eseries.hosts import array_hosts, connections
from auditor.endpoints.eseries.reading import NULL_REF, Reading
from auditor.facts.needs import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.eseries.client import WebServices
    from auditor.endpoints.eseries.reading import System
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint, Gap


def collect_eseries(services: WebServices, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of every storage system that the Web Services speak for, and one row of `reading` for each topic.

    A proxy may speak for several systems: all are read, each has its row in `array`, and every id begins with the id of its own. One that
    the proxy does not reach leaves a gap in every topic; one that refuses a request, in that topic.

    Source: the lists that public clients ask (docs/domain/arrays.md#eseries).
    """
    reading = Reading(services, endpoint)
    readers = {
        "array": _array,
        "alerts": _failures,
        "nodes": _controllers,
        "pools": _pools,
        "pool_load": _pool_load,
        "volumes": _volumes,
        "volume_load": _volume_load,
        "array_hosts": array_hosts,
        "connections": connections,
    }
    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {topic: partial(reading.each, topic, read) for topic, read in readers.items()}
    yield from read_topics(endpoint, needs, topics)


def _array(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    yield batch("array", reading.endpoint.name, [rows.array_row(system)])
    yield from system.about.parse_errors.gaps(reading.endpoint.name)


def _failures(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    """One row for each failure that there is now.

    The log of major events is not read: it does not say of a critical event whether it is over.

    Source: NetApp/santricity-webapi-javasdk, DiagnosticsApi.getFailures and FailureData.
    """
    parse_errors = ParseErrors("failures")
    table_rows: list[Row] = []
    seen: Counter[str] = Counter()
    for failure in reading.listed_all(system, "failures", "failureType", parse_errors):
        place = f"{failure.value['failureType']}/{failure.value.get('objectRef') or NULL_REF}"
        seen[place] += 1
        table_rows.append(rows.failure_row(failure, system, f"{place}/{seen[place]}"))
    yield batch("array_alert", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)


def _controllers(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    """People know them as A and B, in the order of their references.

    Source: netappeseries/santricity, na_santricity_mgmt_interface.py and others: controllers are lettered in the order of their ids.
    """
    parse_errors = ParseErrors("controllers")
    listed = sorted(reading.listed(system, "controllers", "controllerRef", parse_errors), key=lambda one: str(one.value["controllerRef"]))
    table_rows = [rows.node_row(one, system, chr(ord("A") + place)) for place, one in enumerate(listed)]
    yield batch("array_node", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)


def _pools(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    """Volume groups and disk pools, with how many drives each has; without the list of drives that is not known."""
    name = reading.endpoint.name
    drives = yield from optional(name, "drives, by which it is known how many a pool has", partial(_drives, reading, system))
    parse_errors = ParseErrors("storage-pools")
    table_rows = []
    for pool in reading.listed(system, "storage-pools", "volumeGroupRef", parse_errors):
        held = None if drives is None else drives[str(pool.value["volumeGroupRef"]).lower()]
        table_rows.append(rows.pool_row(pool, system, held))
    yield batch("array_pool", name, table_rows)
    yield from parse_errors.gaps(name)


def _drives(reading: Reading, system: System) -> Counter[str]:
    """How many drives lie in each pool, by the pool's own reference in lower case."""
    return Counter(_pools_of_drives(reading, system, ParseErrors("drives")).values())


def _pools_of_drives(reading: Reading, system: System, parse_errors: ParseErrors) -> dict[str, str]:
    """The pool of each drive, both by their own references in lower case; NULL_REF of a spare. Source: DriveEx, currentVolumeGroupRef."""
    listed = reading.listed(system, "drives", "driveRef", parse_errors)
    return {str(one.value["driveRef"]).lower(): str(one.value.get("currentVolumeGroupRef") or NULL_REF).lower() for one in listed}


def _pool_load(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    """What the drives of each pool do, means over the span that the Web Services choose; a pool with a drive that says nothing has no row.

    Source: NetApp/santricity-webapi-javasdk, StatisticsApi.getAllAnalysedDriveStatistics (embedded and proxy) and AnalysedDiskStatistics.
    """
    parse_errors = ParseErrors("analysed-drive-statistics")
    pools = _pools_of_drives(reading, system, parse_errors)
    listed = reading.listed(system, "analysed-drive-statistics", "diskId", parse_errors)
    rates = {str(one.value["diskId"]).lower(): one.real("combinedIOps") for one in listed}
    by_pool: dict[str, list[float | None]] = {}
    for drive, pool in pools.items():
        by_pool.setdefault(pool, []).append(rates.get(drive))
    by_pool.pop(NULL_REF, None)
    table_rows = []
    for pool, of_drives in sorted(by_pool.items()):
        known = [rate for rate in of_drives if rate is not None]
        if len(known) == len(of_drives):
            table_rows.append(rows.pool_load_row(pool, known, system))
        else:
            parse_errors.add("combinedIOps", f"pool {pool}", f"is missing of {len(of_drives) - len(known)} of its {len(of_drives)} drives")
    yield batch("array_pool_load", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)


def _volumes(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    """Volumes, thin ones and snapshots that hosts can be given; the last two are lists of their own.

    Source: netappeseries/santricity, na_santricity_volume.py asks volumes and thin-volumes; cinder asks snapshot-volumes.
    """
    lists: tuple[tuple[str, str, Callable[[Record, System], Row]], ...] = (
        ("volumes", "volumeRef", rows.volume_row),
        ("thin-volumes", "volumeRef", rows.volume_row),
        ("snapshot-volumes", "viewRef", rows.snapshot_row),
    )
    seen: set[str] = set()
    whole = True
    for what, key, row in lists:
        parse_errors = ParseErrors(what)
        table_rows = [
            made for one in reading.listed(system, what, key, parse_errors) if (made := row(one, system))["volume_id"] not in seen
        ]
        seen |= {made["volume_id"] for made in table_rows}
        if row is rows.snapshot_row:
            system.snapshot_ids = {made["volume_id"] for made in table_rows}
        yield batch("array_volume", reading.endpoint.name, table_rows)
        whole = whole and not parse_errors.any
        yield from parse_errors.gaps(reading.endpoint.name)
    system.volume_ids = seen if whole else None


def _volume_load(reading: Reading, system: System) -> Iterator[Batch | Gap]:
    """Means over the span that the Web Services choose; a snapshot has none of its own.

    Source: NetApp/eseries-perf-analyzer, collector.py asks analysed-volume-statistics.
    """
    parse_errors = ParseErrors("analysed-volume-statistics")
    listed = reading.listed(system, "analysed-volume-statistics", "volumeId", parse_errors)
    table_rows = [rows.load_row(load, system) for load in listed]
    if system.volume_ids is None:
        parse_errors.add("completeness", "the answer", "is not known, since the volumes were not all read")
    for missing in sorted((system.volume_ids or set()) - system.snapshot_ids - {row["volume_id"] for row in table_rows}):
        parse_errors.add("the record", f"volume {missing}", "was not in the answer")
    yield batch("array_volume_load", reading.endpoint.name, table_rows)
    yield from parse_errors.gaps(reading.endpoint.name)
