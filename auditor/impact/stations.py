"""The stations of an I/O path, each with its figures and where each figure comes from.

A value of None was not read. It is never replaced by 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from auditor.impact.rows import pieces_of
from auditor.text.numbers import number_text

Row: TypeAlias = Mapping[str, Any]
"""One row of a view; None is not known."""


class Place(StrEnum):
    """Where a command can wait, from the guest to the array."""

    DISK = "guest disk"
    WORLDS = "worlds"
    DEVICE = "device queue"
    ADAPTER = "adapter"
    PATHS = "paths"
    PORT = "array port"
    VOLUME = "volume and QoS"
    ARRAY = "array"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number or word of a station; `value` is None where it was not read."""

    label: str
    value: float | str | bool | None
    unit: str = ""
    source: str = ""  # view.column, or how it is computed


@dataclass(frozen=True, slots=True)
class Station:
    """One place of the path.

    Attributes:
        place: what it is.
        name: which one.
        depth: how many commands it takes at once; None: it has no queue of its own that is known of.
        in_flight: how many are in it.
        waiting: how many wait for a place in it.
        wait_ms: how long a command waits here, or is worked on.
        figures: what else is known.
        notes: sentences.
        is_full: whether commands wait for a place; None: not known.
    """

    place: Place
    name: str
    depth: Figure | None = None
    in_flight: Figure | None = None
    waiting: Figure | None = None
    wait_ms: Figure | None = None
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    is_full: bool | None = None

    @property
    def fill(self) -> float | None:
        """The share of its depth that is taken, 0 to 1 and above; None where either is not known."""
        depth, taken = (one.value if one is not None else None for one in (self.depth, self.in_flight))
        if not isinstance(depth, int | float) or not isinstance(taken, int | float) or isinstance(depth, bool) or depth <= 0:
            return None
        return taken / depth


def disk_station(row: Row) -> Station:
    """What a virtual disk sends, by its row of `disk_stream`."""
    exact, most = row["controller_depth"], row["controller_depth_at_most"]
    depth = Figure("depth", exact if exact is not None else most, "", "disk_stream.controller_depth" if exact is not None else "at most")
    limits = [
        Figure("limit of the host, at 32 KiB", row[column], "IOPS", f"disk_stream.{column}")
        for column in ("iops_limit", "policy_iops_limit")
        if row[column] is not None and row[column] > 0
    ]
    return Station(
        Place.DISK,
        row["resource_name"],
        depth=depth,
        in_flight=_figure("in flight", row, "outstanding"),
        wait_ms=_figure("latency", row, "latency_ms", "ms"),
        figures=(
            _figure("commands", row, "commands_per_second", "/s"),
            Figure("size", _kib(row["io_bytes"]), "KiB", "disk_stream.io_bytes"),
            Figure("allowed by the array at this size", row["limit_per_second"], "/s", "disk_stream.limit_per_second"),
            _figure("at its limit", row, "is_at_limit"),
            *limits,
        ),
        notes=(*_full_guest(row, depth), *_split(row)),
    )


def _full_guest(row: Row, depth: Figure) -> tuple[str, ...]:
    """That more may wait in the guest, where its driver sends nearly all that it may: no counter outside of the guest has it.

    Source: incident S2, the guest's latency above GAVG (docs/domain/incidents.md#s2); a share of 95 %, as counters are means: policy.
    """
    sent = row["outstanding"]
    if sent is None or depth.value is None or sent < _NEARLY_FULL * float(depth.value):
        return ()
    return (
        "Its driver sends about all that it may: what waits in the guest besides, no counter shows. Compare with the latency in the guest.",
    )


_NEARLY_FULL = 0.95


def _split(row: Row) -> tuple[str, ...]:
    """That the host makes several commands of one, so that the queues below count more of them than the guest.

    Source: docs/domain/facts.md#5-1.
    """
    pieces, rate = pieces_of(row["io_bytes"], row["largest_io_bytes"]), row["commands_per_second"]
    if pieces < 2:
        return ()
    counted = "" if rate is None else f": {number_text(rate)}/s here are {number_text(rate * pieces)}/s in the queues below"
    return (f"The host splits each of its commands into {pieces} of at most {number_text(row['largest_io_bytes'] / 1024)} KiB{counted}.",)


_ITSELF = "(a copy, zeroing, its file system), or disks that were not counted."


def worlds_station(queue: Row, disks: Sequence[Row] = ()) -> Station:
    """How many disks send to the device, which decides whether DSNRO applies; and what no disk of a machine is known to have sent."""
    known, least = queue.get("worlds"), queue.get("worlds_at_least")
    count = Figure("disks that send", known, "", "device_queue.worlds")
    notes = () if known is not None or not least else (f"At least {least} of them are known to send.",)
    return Station(Place.WORLDS, "who competes for the device", figures=(count,), notes=(*notes, *_of_no_disk(queue, disks)))


def _of_no_disk(queue: Row, disks: Sequence[Row]) -> tuple[str, ...]:
    """How many of the device's commands are of no disk that is known, where that is more than a tenth of them and than one a second.

    Source: docs/domain/facts.md#3-11 (what the host copies or zeroes goes through the same queue).
    """
    rate = queue.get("commands_per_second")
    if rate is None:
        return ()
    sent = sum((row["commands_per_second"] or 0.0) * pieces_of(row["io_bytes"], row["largest_io_bytes"]) for row in disks)
    others = rate - sent
    if others <= max(1.0, 0.1 * rate):
        return ()
    if not sent:
        return (f"None of its {number_text(rate)} commands a second is known to be of a disk: the host itself sends them {_ITSELF}",)
    return (f"Of its {number_text(rate)} commands a second disks send {number_text(sent)}; the host itself sends the others {_ITSELF}",)


def device_station(queue: Row) -> Station:
    """The queue of the device on its host: which depth applies, and why."""
    return Station(
        Place.DEVICE,
        str(queue["device"]),
        depth=Figure("depth in effect", queue.get("depth_in_effect"), "", f"device_queue.depth_in_effect, {queue.get('depth_basis')}"),
        in_flight=Figure("active", queue.get("active"), "", f"device_queue.active, {queue.get('queue_basis')}"),
        waiting=Figure("queued", queue.get("queued"), "", f"device_queue.queued, {queue.get('queue_basis')}"),
        wait_ms=Figure("waits in the host (KAVG)", queue.get("kavg_ms"), "ms", "device_queue.kavg_ms"),
        figures=(
            Figure("device depth", queue.get("queue_depth"), "", "device.queue_depth"),
            Figure("DSNRO", queue.get("dsnro"), "", "device.dsnro"),
            Figure("commands", queue.get("commands_per_second"), "/s", "device_queue.commands_per_second"),
            Figure("of it in the queue (QAVG)", queue.get("qavg_ms"), "ms", "device_queue.qavg_ms"),
        ),
        notes=(which_depth(queue), *_throttling(queue)),
        is_full=queue.get("is_full"),
    )


def which_depth(queue: Row) -> str:
    """Which of the device's depth and DSNRO applies, and why; what the host counts goes before what its settings say.

    Source: docs/domain/facts.md#1.
    """
    if queue.get("sioc_enabled"):
        return "Storage I/O Control manages the depth of this queue; DSNRO is not used."
    by_settings, why = _depth_by_settings(queue)
    counted = queue.get("depth_in_effect") if queue.get("depth_basis") == "counter" else None
    if counted is None or counted == by_settings:
        return why
    if by_settings is None:
        return f"A depth of {counted} applies, as the host counts it (maxQueueDepth)."
    return f"A depth of {counted} applies, as the host counts it (maxQueueDepth), and not the {by_settings} that its settings say."


def _depth_by_settings(queue: Row) -> tuple[int | None, str]:
    """The depth that the device's depth and DSNRO make, and why; None where that is not known."""
    depth, dsnro = queue.get("queue_depth"), queue.get("dsnro")
    if depth is None or dsnro is None:
        return None, "Which depth applies is not known: the device's depth or DSNRO was not read."
    if depth <= dsnro:
        return depth, f"The device's own depth of {depth} applies: DSNRO ({dsnro}) is not below it."
    least, worlds = queue.get("worlds_at_least") or 0, queue.get("worlds")
    if least > 1:
        compete = f"{'at least ' if worlds is None else ''}{least} disks compete"
        return dsnro, f"DSNRO of {dsnro} applies, and not the device's {depth}: {compete}."
    if worlds is not None:
        return depth, f"The device's own depth of {depth} applies, and not DSNRO of {dsnro}: no two disks compete."
    return None, f"Whether DSNRO of {dsnro} applies or the device's {depth} is not known: it was not read how many disks send."


def _throttling(queue: Row) -> Sequence[str]:
    active = queue.get("sioc_active_percent")
    return () if not active else (f"Storage I/O Control was throttling for {active:.0f} % of the time.",)


def adapter_stations(rows: Sequence[Row]) -> list[Station]:
    """The adapters that carry the device, by their rows of view `adapter`."""
    return [
        Station(
            Place.ADAPTER,
            f"{row['hba']} ({row['driver'] or 'driver not read'})",
            depth=_figure("depth", row, "adapter_depth", view="adapter"),
            in_flight=_figure("in flight", row, "outstanding", view="adapter"),
            waiting=_figure("queued", row, "queued", view="adapter"),
            wait_ms=_figure("waits in the adapter", row, "queue_ms", "ms", view="adapter"),
            figures=(_figure("depths of its devices together", row, "effective_depths", view="adapter"),),
            is_full=None if row["queued"] is None else row["queued"] >= 1,
        )
        for row in rows
    ]


def paths_station(row: Row) -> Station:
    """How the host reaches the device, by its row of `path_policy`."""
    figures = (
        _figure("active paths", row, "active_paths", view="path_policy"),
        _figure("paths", row, "paths", view="path_policy"),
        _figure("policy", row, "psp", view="path_policy"),
        _figure("commands on a path before the next", row, "rr_iops", view="path_policy"),
    )
    notes = ("One path only: what it carries is all there is.",) if row["active_paths"] == 1 else ()
    return Station(Place.PATHS, row["transport"] or "transport not read", figures=figures, notes=notes)


def port_station(rows: Sequence[Row]) -> Station:
    """The busiest of the array's Fibre Channel ports that the host reaches, by rows of `target_port`; they need not carry this device."""
    worst = max(rows, key=lambda row: row["queue_depths_seen"] or 0)
    figures = (
        _figure("initiators", worst, "initiators", view="target_port"),
        _figure("what they may send together", worst, "queue_depths_seen", view="target_port"),
    )
    more = (f"The most loaded of {len(rows)} ports of the array that the host reaches.",) if len(rows) > 1 else ()
    return Station(Place.PORT, worst["target"], figures=figures, notes=more)


def volume_station(row: Row) -> Station:
    """The volume behind a device and what limits it, by its row of `array_volume`."""
    return Station(
        Place.VOLUME,
        row["volume"],
        wait_ms=Figure("held back by QoS", _milli(row["throttle_us"]), "ms", "array_volume.throttle_us"),
        figures=(
            Figure("QoS", row["qos"], "", "array_volume.qos"),
            _figure("does", row, "actual_iops", "IOPS", view="array_volume"),
            Figure("size", _kib(row["average_io_bytes"]), "KiB", "array_volume.average_io_bytes"),
            _figure("may do at this size", row, "effective_max_iops", "IOPS", view="array_volume"),
            Figure("of its limit", _percent(row["utilization"]), "%", "array_volume.utilization"),
        ),
        notes=(f"{row['qos_wait'][0].upper()}{row['qos_wait'][1:]}.",) if row["is_at_limit"] else (),
        is_full=row["is_at_limit"],
    )


def _figure(label: str, row: Row, column: str, unit: str = "", view: str = "disk_stream") -> Figure:
    return Figure(label, row[column], unit, f"{view}.{column}")


def _kib(size: float | None) -> float | None:
    return None if size is None else size / 1024


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _milli(micro: float | None) -> float | None:
    return None if micro is None else micro / 1000
