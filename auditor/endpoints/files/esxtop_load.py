"""Rows of device_load, adapter_load and vm_disk_load from a file of esxtop, by the figures that samples of a vCenter come to.

Those are of 20 seconds each, and rules judge how many of them in a row were bad. esxtop takes a sample every five seconds, or as -d says,
and each row counts since the row before. Rows that together are 20 seconds, give or take the second to which they are stamped, make one
such sample: commands and aborts are added up, latencies weighed by commands. Where rows cannot be put together like that (-d 15, -d 60),
means and sums of the last five minutes are still what they are; what counts samples of 20 seconds is NULL.

Like vCenter's, the figures are of the newest five minutes only, however long the file is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from auditor.endpoints.files.esxtop import Esxtop, NoSamples, Thing, machine_and_node
from auditor.endpoints.files.esxtop_samples import Sample

if TYPE_CHECKING:
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint, Gap

_WINDOW, _OFF, _MOST_WINDOWS = 20.0, 1.0, 15
_SPAN_SECONDS = _WINDOW * _MOST_WINDOWS
_BASE = datetime(2000, 1, 1, tzinfo=UTC)
"""What windows are counted from where the file does not say when it was made; it is in no row."""

_RATES, _COUNTS, _STATES = {"commands", "reads", "writes", "read_mb", "write_mb"}, {"aborted", "resets"}, {"outstanding", "queued"}
_WEIGHED = {"read_ms": "reads", "write_ms": "writes"}  # by what; all other latencies by commands
_OF_WINDOWS: Mapping[str, Sequence[str]] = {
    "device": ("samples", "busy_samples", "davg_median_ms", "kavg_max_ms", "kavg_run_over_1ms", "kavg_run_over_2ms", "troubled_samples"),
    "adapter": ("samples", "queued_max", "outstanding_max"),
    "disk": ("samples",),
}
"""The columns that say something of samples of 20 seconds."""
_NEEDED = {
    "device": ("commands", "total", "device", "kernel", "queue", "depth", "aborted", "resets"),
    "adapter": ("depth", "queued", "outstanding", "queue", "commands"),
}

Window = Sequence[Sample]
Numbers = tuple["float | None", ...]


@dataclass(frozen=True, slots=True)
class Windows:
    """The samples that figures are made of.

    Args:
        parts: rows that are put together, oldest first; none where no row is of a known time.
        times: when each ends.
        of_20_seconds: whether each is as long as a sample of a vCenter; if not, there is one for all rows.
    """

    parts: Sequence[Window]
    times: tuple[datetime, ...]
    of_20_seconds: bool


def windows_of(file: Esxtop) -> Windows:
    """The rows of the last five minutes, put together to samples of 20 seconds where they can be."""
    timed = [sample for sample in file.samples if sample.clock is not None and sample.seconds is not None]
    if not timed or timed[-1] is not file.samples[-1]:
        return Windows((), (), of_20_seconds=False)
    newest = timed[-1].clock or 0.0
    parts: list[Window] = []
    end = len(timed)
    while end and len(parts) < _MOST_WINDOWS and newest - (timed[end - 1].clock or 0.0) < _SPAN_SECONDS:
        begin = _begin(timed, end)
        if begin < end:
            parts.append(timed[begin:end])
        end = min(begin, end - 1)
    if not parts:
        whole = [sample for sample in timed if (sample.clock or 0.0) - (sample.seconds or 0.0) >= newest - _SPAN_SECONDS - _OFF]
        return Windows([whole] if whole else (), (file.newest or _BASE,) if whole else (), of_20_seconds=False)
    parts.reverse()
    at = file.newest or _BASE
    times = tuple(at - timedelta(seconds=newest - (part[-1].clock or 0.0)) for part in parts)
    return Windows(parts, times, of_20_seconds=True)


def _begin(timed: Sequence[Sample], end: int) -> int:
    """Where the rows begin that end there and are 20 seconds together; `end` itself where none are."""
    best, off, total = end, _OFF, 0.0
    for begin in range(end - 1, -1, -1):
        if begin < end - 1 and timed[begin + 1].clock != (timed[begin].clock or 0.0) + (timed[begin + 1].seconds or 0.0):
            break  # a row between them was left out
        total += timed[begin].seconds or 0.0
        if abs(total - _WINDOW) <= off:
            best, off = begin, abs(total - _WINDOW)
        if total > _WINDOW + _OFF:
            break
    return best


def figures_of(file: Esxtop, kind: str, windows: Windows | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each device, adapter or disk of the file, by its instance, with its columns of device_load, adapter_load or vm_disk_load.

    Args:
        file: the samples.
        kind: "device", "adapter" or "disk".
        windows: what `windows_of` makes of the file; None: it is asked here.
    """
    from auditor.endpoints.vcenter.collect.load_figures import adapter_figures, device_figures, disk_figures

    figures = {"device": device_figures, "adapter": adapter_figures, "disk": disk_figures}[kind]
    windows = windows_of(file) if windows is None else windows
    for (of, instance), places in file.columns.items():
        if of != kind:
            continue
        samples = {name: tuple(_together(file, part, places, name) for part in windows.parts) for name in places}
        if kind == "disk":
            samples |= _kilobytes(samples)
        found = dict(figures(samples, windows.times))
        found["sampled_at"] = file.newest
        if "window_begin" in found:
            found["window_begin"] = _began(file, windows)
        if "bus_resets" in found:
            found["bus_resets"] = None  # esxtop counts the commands that were reset, not the resets
        if not windows.of_20_seconds:
            found |= dict.fromkeys(_OF_WINDOWS[kind])
        if "kavg_max_ms" in found and found["kavg_max_ms"] is not None:
            found["kavg_max_ms"] = round(found["kavg_max_ms"])
        found |= _depth(file, places, kind)
        yield instance, {name: _whole(value) if name in _WHOLE else value for name, value in found.items()}


_WHOLE = {"queued_max", "outstanding_max", "commands_aborted"}


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _began(file: Esxtop, windows: Windows) -> datetime | None:
    if file.newest is None or not windows.parts:
        return None
    first = windows.parts[0]
    return windows.times[0] - timedelta(seconds=(first[-1].clock or 0.0) - (first[0].clock or 0.0) + (first[0].seconds or 0.0))


def _depth(file: Esxtop, places: Mapping[str, int], kind: str) -> dict[str, int | None]:
    """The depth of a queue as the newest row has it: a state, that needs no time."""
    name = {"device": "max_queue_depth", "adapter": "queue_depth"}.get(kind)
    if name is None:
        return {}
    return {name: _whole(file.value(file.samples[-1], places["depth"])) if "depth" in places else None}


def _kilobytes(samples: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """What vCenter reports in kilobytes a second. That esxtop's megabytes have 1,024 of them is common use, unverified."""
    return {
        f"{way}_kb": tuple(None if value is None else value * 1024 for value in samples[f"{way}_mb"])
        for way in ("read", "write")
        if f"{way}_mb" in samples
    }


def _together(file: Esxtop, window: Window, places: Mapping[str, int], name: str) -> float | None:
    """The newest value, mean or sum of a counter over rows; None where a row lacks it, or its weight."""
    if name == "depth":
        return file.value(window[-1], places[name])
    values = [file.value(sample, places[name]) for sample in window]
    seconds = [sample.seconds or 0.0 for sample in window]
    if name in _RATES | _STATES:
        return _mean(values, seconds)
    if name in _COUNTS:
        return _rounded(None if None in values else sum(value * took for value, took in zip(values, seconds, strict=True) if value))
    by = places.get(_WEIGHED.get(name, "commands"))
    if by is None:
        return None
    rates = [file.value(sample, by) for sample in window]
    return _mean(values, [None if rate is None else rate * took for rate, took in zip(rates, seconds, strict=True)])


def _rounded(number: float | None) -> float | None:
    """Commands are whole ones; esxtop reports them as a rate with two decimals."""
    return None if number is None else float(round(number))


def _mean(values: Sequence[float | None], weights: Sequence[float | None]) -> float | None:
    total = passed = 0.0
    for value, weight in zip(values, weights, strict=True):
        if value is None or weight is None:
            return None
        total += value * weight
        passed += weight
    return total / passed if passed else 0.0


def load_facts(
    file: Esxtop | NoSamples, endpoint: Endpoint, host_id_of: Callable[[str], str | None], vm_id_of: Callable[[str], str | None]
) -> Iterator[Batch | Gap]:
    """The rows of a file of esxtop, the readings of topics "device_load" and "adapter_load" of its host, and what is not known.

    The reading of "disk_load" is of all machines of a vCenter, so the caller, who has the files of all hosts, adds it. The readings have
    the time of the newest sample: views do not count what is older than the reading by a quarter of an hour.

    Args:
        file: what was read of it.
        endpoint: whose rows they become.
        host_id_of: the id of the host that titles name; None where it is not known.
        vm_id_of: the id of the machine of that name; None where it is not known, or there are several.
    """
    from auditor.endpoints.vcenter.collect.rows import Rows, gap
    from auditor.endpoints.vcenter.collect.storage import lower_hex_name

    if isinstance(file, NoSamples):
        yield gap(endpoint, "a file of esxtop", file.why)
        return
    what = f"esxtop of {file.host}"
    host_id = host_id_of(file.host)
    if host_id is None:
        yield gap(endpoint, what, "this host is not known")
        return
    windows = windows_of(file)
    for why in (*file.problems, *_of_windows(windows)):
        yield gap(endpoint, what, why)
    for kind, table, named in (("device", "device_load", "device"), ("adapter", "adapter_load", "hba")):
        rows = Rows(table, endpoint=endpoint.name, host_id=host_id)
        for instance, figures in figures_of(file, kind, windows):
            rows.add(**{named: lower_hex_name(instance)}, **figures)
        yield from rows.batch()
        missing = _missing(file, kind)
        if missing:
            yield gap(endpoint, f"{table} by {what}", f"columns are not there: {', '.join(missing)}")
        yield _reading(endpoint, host_id, table, file.newest, complete=windows.of_20_seconds and not missing)
    yield from _disks(file, windows, endpoint, vm_id_of)


def _of_windows(windows: Windows) -> Iterator[str]:
    if not windows.parts:
        yield "no sample of the last five minutes has a known time, so only the depths of queues were read"
    elif not windows.of_20_seconds:
        yield "its samples do not add up to 20 seconds, so only means and sums of five minutes were read: take one with -d 5 or -d 20"


def _missing(file: Esxtop, kind: str) -> list[str]:
    of_kind = [places for (of, _), places in file.columns.items() if of == kind]
    return ["all"] if not of_kind else [name for name in _NEEDED[kind] if any(name not in places for places in of_kind)]


def _disks(file: Esxtop, windows: Windows, endpoint: Endpoint, vm_id_of: Callable[[str], str | None]) -> Iterator[Batch | Gap]:
    from auditor.endpoints.vcenter.collect.rows import Rows, gap

    rows = Rows("vm_disk_load", endpoint=endpoint.name)
    unknown: dict[str, None] = {}
    disks: dict[Thing, tuple[str, str]] = {}
    for thing in file.columns:
        place = machine_and_node(thing[1]) if thing[0] == "disk" else None
        if place is None:
            continue
        vm_id = vm_id_of(place[0])
        if vm_id is None:
            unknown[place[0]] = None
        else:
            disks[thing] = (vm_id, place[1])
    of_disks = replace(file, columns={thing: file.columns[thing] for thing in disks})
    for instance, figures in figures_of(of_disks, "disk", windows):
        vm_id, node = disks["disk", instance]
        rows.add(vm_id=vm_id, node=node, **figures)
    yield from rows.batch()
    if unknown:
        first, more = next(iter(unknown)), f" and {len(unknown) - 1:,} more" if len(unknown) > 1 else ""
        yield gap(
            endpoint,
            f"disks of virtual machine {first}{more}, by esxtop of {file.host}",
            "no machine of that name is known, or several are",
        )


def _reading(endpoint: Endpoint, host_id: str, topic: str, read_at: datetime | None, *, complete: bool) -> Batch:
    from auditor.facts.schema import Batch

    row = {"endpoint": endpoint.name, "scope": host_id, "topic": topic, "complete": complete, "read_at": read_at}
    return Batch("reading", {name: [value] for name, value in row.items()})
