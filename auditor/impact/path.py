"""The I/O path of a device on a host: every queue from the guests' disks to the array, with what was read of each.

The rows come from views over one snapshot; nothing here asks an endpoint. Nothing is computed that a view does not say, but for which queue
holds most: docs/design/explaining-findings.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.impact.stations import (
    Figure,
    Place,
    Station,
    adapter_stations,
    device_station,
    disk_station,
    paths_station,
    port_station,
    volume_station,
    worlds_station,
)

if TYPE_CHECKING:
    from auditor.impact.stations import Row

    Ask = Callable[[str, Mapping[str, object]], Sequence[Row]]

VIEWS = ("adapter", "array_volume", "device", "device_load", "device_queue", "disk_stream", "path_policy", "target_port")
DISKS_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Path:
    """The path of one device of one host, or of a share that its disks lie on.

    Attributes:
        endpoint: the vCenter.
        cluster: None where the host is in none.
        host: its name.
        device: canonical name; None for NFS.
        disks: the disks that send, the ones in question first, then those at their limit, then by what they have in flight.
        more_disks: how many further ones there are.
        stations: from the host to the array.
    """

    endpoint: str
    cluster: str | None
    host: str
    device: str | None
    disks: tuple[Station, ...]
    more_disks: int
    stations: tuple[Station, ...]

    @property
    def unread(self) -> tuple[str, ...]:
        """What was not read of it: each place with the labels of its figures."""
        labels: dict[Place, dict[str, None]] = {}
        for station in (*self.disks, *self.stations):
            figures = (station.depth, station.in_flight, station.waiting, station.wait_ms, *station.figures)
            missing = {figure.label: None for figure in figures if figure is not None and figure.value is None}
            if missing:
                labels.setdefault(station.place, {}).update(missing)
        return tuple(f"{place}: {', '.join(missing)}" for place, missing in labels.items())


def device_path(ask: Ask, endpoint: str, host: str, device: str, about: Sequence[str] = ()) -> Path | None:
    """The path of `device` on `host`; None where the host has no such device.

    Args:
        ask: rows of VIEWS by the values of their columns.
        endpoint: the vCenter.
        host: its name.
        device: canonical name.
        about: the resource ids of disks that are in question (`VM-ID/DISK`).
    """
    here = {"endpoint": endpoint, "host": host, "device": device}
    known = ask("device", here)
    if not known:
        return None
    queue: Row = {**known[0], **_first(ask("device_load", here)), **_first(ask("device_queue", here))}
    disks = _sorted([row for row in ask("disk_stream", here) if row["runs"] is not False], about)
    return Path(
        endpoint=endpoint,
        cluster=queue["cluster"],
        host=host,
        device=device,
        disks=tuple(disk_station(row) for row in disks[:DISKS_SHOWN]),
        more_disks=max(0, len(disks) - DISKS_SHOWN),
        stations=(
            worlds_station(queue, disks),
            device_station(queue),
            *adapter_stations([row for row in ask("adapter", {"endpoint": endpoint, "host": host}) if row["hba"] in _names(queue)]),
            *(paths_station(row) for row in ask("path_policy", here)),
            *_ports(ask, queue),
            *_volumes(ask, queue, disks),
            _array(queue, disks),
        ),
    )


def share_path(ask: Ask, endpoint: str, host: str, datastore: str, about: Sequence[str] = ()) -> Path | None:
    """The path of the disks on an NFS `datastore` that run on `host`; None where none is known."""
    rows = ask("disk_stream", {"endpoint": endpoint, "host": host, "datastore": datastore})
    disks = _sorted([row for row in rows if row["runs"] is not False and row["device"] is None], about)
    if not disks:
        return None
    queue = Station(Place.DEVICE, f"NFS datastore {datastore}", notes=("The host's queue to an NFS server is not read one by one.",))
    return Path(
        endpoint=endpoint,
        cluster=disks[0]["cluster"],
        host=host,
        device=None,
        disks=tuple(disk_station(row) for row in disks[:DISKS_SHOWN]),
        more_disks=max(0, len(disks) - DISKS_SHOWN),
        stations=(queue, *_volumes(ask, {}, disks), _array({"array_name": disks[0]["array_name"]}, disks)),
    )


def slowest(path: Path) -> Station | None:
    """The station of the host or beyond at which commands wait longest; None where no wait was read.

    Behind a volume that its QoS holds back the array's wait is that volume's: an array may leave it out of its own latency.
    """
    waits = [(station.wait_ms.value, station) for station in path.stations if station.wait_ms is not None]
    known = [(float(value), station) for value, station in waits if isinstance(value, int | float)]
    longest = max(known, key=lambda pair: pair[0])[1] if known else None
    held = next((station for station in path.stations if station.place is Place.VOLUME and station.is_full), None)
    return held if held is not None and longest is not None and longest.place is Place.ARRAY else longest


def is_busy(path: Path) -> bool:
    """Whether anything is known to wait or to be worked on anywhere on it."""
    figures = [figure for one in path.stations for figure in (one.wait_ms, one.in_flight) if figure is not None]
    return any(isinstance(figure.value, int | float) and figure.value > 0 for figure in figures)


def _first(rows: Sequence[Row]) -> Row:
    return rows[0] if rows else {}


def _names(queue: Row) -> Sequence[str]:
    return str(queue.get("adapter") or "").split(", ")


def _sorted(rows: Sequence[Row], about: Sequence[str]) -> list[Row]:
    return sorted(
        rows,
        key=lambda row: (row["resource_id"] not in about, row["is_at_limit"] is not True, -(row["outstanding"] or 0), row["resource_name"]),
    )


def _ports(ask: Ask, queue: Row) -> list[Station]:
    if queue["array_name"] is None:
        return []
    rows = ask("target_port", {"endpoint": queue["endpoint"], "array_name": queue["array_name"]})
    own = [row for row in rows if queue["host"] in str(row["host_names"]).split(", ")]
    return [port_station(own)] if own else []


def _volumes(ask: Ask, queue: Row, disks: Sequence[Row]) -> list[Station]:
    """The volume of a LUN; behind a protocol endpoint or a share, that of the first disk."""
    rows: Sequence[Row] = ()
    if queue.get("volume_id") is not None:
        rows = ask("array_volume", {"endpoint": queue["array_name"], "volume_id": queue["volume_id"]})
    elif disks and disks[0]["volume_id"] is not None:
        rows = ask("array_volume", {"endpoint": disks[0]["array_name"], "volume_id": disks[0]["volume_id"]})
    return [volume_station(row) for row in rows[:1]]


def _array(queue: Row, disks: Sequence[Row]) -> Station:
    """What the host waits for the array, and what the array says of itself."""
    own, label, source = queue.get("array_latency_ms"), "the array's own latency", "device_queue.array_latency_ms"
    if own is None and disks:
        own, source = disks[0]["array_latency_ms"], "disk_stream.array_latency_ms"
        label = f"the array's own latency of {disks[0]['resource_name']}, with what QoS delays"
    overlap = queue.get("windows_overlap")
    notes = ("The array was asked at another time than the host: compare with care.",) if own is not None and overlap is False else ()
    return Station(
        Place.ARRAY,
        queue.get("array_name") or " ".join(filter(None, (queue.get("vendor"), queue.get("model"), "(not in fleet.yaml)"))),
        wait_ms=Figure("the host waits for it (DAVG)", queue.get("davg_ms"), "ms", "device_load.davg_ms"),
        figures=(Figure(label, own, "ms", source),),
        notes=notes,
    )
