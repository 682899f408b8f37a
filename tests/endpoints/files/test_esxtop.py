"""What a file of esxtop says of queues: the figures of a vCenter's samples where its own allow it, and NULL where not."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.endpoints.files.esxtop import Esxtop, esxtop_of, is_esxtop, machine_and_node, samples_in
from auditor.endpoints.files.esxtop_load import figures_of, load_facts, windows_of
from auditor.endpoints.vcenter.collect.load_figures import device_figures
from auditor.facts.schema import TABLES, Batch
from auditor.model import Endpoint, EndpointKind, Gap, Secret

FIRST = "(PDH-CSV 4.0) (UTC)(0)"
HOST = "esx-1.example.com"
NAA = "naa.600A098000000000000000000000000A"
DEVICE = f"Physical Disk SCSI Device({NAA})"
BEGIN = datetime(2026, 1, 1, 23, 58, tzinfo=UTC)

BUSY = {
    "Device Q Depth": 64,
    "Commands/sec": 100.0,
    "Average Driver MilliSec/Command": 1.5,
    "Average Kernel MilliSec/Command": 2.4,
    "Average Guest MilliSec/Command": 3.9,
    "Average Queue MilliSec/Command": 2.25,
    "Aborts/sec": 0.0,
    "Resets/sec": 0.0,
    "Active Commands": 7,
}
ADAPTER = {
    "Adapter Q Depth": 1024,
    "Active Commands": 6,
    "Queued Commands": 2,
    "Commands/sec": 50.0,
    "Average Queue MilliSec/Command": 0.5,
}
DISK = {
    "Commands/sec": 30.0,
    "Reads/sec": 10.0,
    "Writes/sec": 20.0,
    "MBytes Read/sec": 1.0,
    "MBytes Written/sec": 2.0,
    "Average MilliSec/Read": 4.0,
    "Average MilliSec/Write": 1.0,
}

Things = Mapping[str, Mapping[str, float]]


def text_of(rows: Sequence[tuple[datetime, Things]], first: str = FIRST, form: str = "%m/%d/%Y %H:%M:%S", **dialect: Any) -> str:
    """A file as esxtop writes it; the things of the first row give the titles."""
    titles = [(thing, counter) for thing, counters in rows[0][1].items() for counter in counters]
    out = io.StringIO()
    writer = csv.writer(out, quoting=dialect.pop("quoting", csv.QUOTE_ALL), lineterminator="\n", **dialect)
    head = [first, rf"\\{HOST}\Memory\Kernel MBytes", *(rf"\\{HOST}\{thing}\{counter}" for thing, counter in titles)]
    writer.writerow(head)
    for time, things in rows:
        writer.writerow([time.strftime(form), "1087", *(things[thing][counter] for thing, counter in titles)])
    return out.getvalue()


def every(seconds: float, count: int, things: Things) -> list[tuple[datetime, Things]]:
    return [(BEGIN + timedelta(seconds=seconds * number), things) for number in range(count)]


def read(text: str) -> Esxtop:
    return esxtop_of(io.StringIO(text, newline=""))


def device(text: str) -> dict[str, Any]:
    ((name, figures),) = figures_of(read(text), "device")
    assert name == NAA
    return figures


@pytest.mark.parametrize(("seconds", "rows"), [(2, 181), (4, 91), (5, 73), (10, 37), (20, 19)], ids=str)
def test_samples_that_make_up_twenty_seconds_give_the_figures_of_a_vcenter(seconds: int, rows: int) -> None:
    newest = BEGIN + timedelta(seconds=360)
    assert device(text_of(every(seconds, rows, {DEVICE: BUSY}))) == {
        "samples": 15,
        "window_begin": newest - timedelta(seconds=300),
        "sampled_at": newest,
        "commands_per_second": 100.0,
        "busy_samples": 15,
        "gavg_ms": pytest.approx(3.9),
        "davg_ms": pytest.approx(1.5),
        "kavg_ms": pytest.approx(2.4),
        "qavg_ms": pytest.approx(2.25),
        "davg_median_ms": pytest.approx(1.5),
        "kavg_max_ms": 2,
        "kavg_run_over_1ms": 15,
        "kavg_run_over_2ms": 15,
        "max_queue_depth": 64,
        "commands_aborted": 0,
        "bus_resets": None,
        "troubled_samples": 0,
    }


@pytest.mark.parametrize("seconds", [15, 25, 30, 60], ids=str)
def test_of_samples_that_do_not_make_up_twenty_seconds_only_means_and_sums_are_told(seconds: int) -> None:
    rows = every(seconds, 600 // seconds + 1, {DEVICE: {**BUSY, "Aborts/sec": 0.1}})
    found = device(text_of(rows))
    newest = rows[-1][0]
    span = 300 // seconds * seconds
    assert {name for name, value in found.items() if value is None} == {
        "samples",
        "busy_samples",
        "davg_median_ms",
        "kavg_max_ms",
        "kavg_run_over_1ms",
        "kavg_run_over_2ms",
        "troubled_samples",
        "bus_resets",
    }
    assert (found["commands_per_second"], found["max_queue_depth"]) == (100.0, 64)
    assert found["commands_aborted"] == span // 10
    assert (found["window_begin"], found["sampled_at"]) == (newest - timedelta(seconds=span), newest)


@pytest.mark.parametrize(
    "rows", [every(600, 3, {DEVICE: BUSY}), every(5, 1, {DEVICE: BUSY})], ids=["longer than five minutes", "one sample, of an unknown time"]
)
def test_where_no_sample_is_of_five_minutes_only_the_depth_is_told(rows: list[tuple[datetime, Things]]) -> None:
    found = device(text_of(rows))
    assert {name for name, value in found.items() if value is not None} == {"max_queue_depth", "sampled_at"}


def test_latencies_are_weighed_by_commands_and_aborts_added_up() -> None:
    rows = every(5, 5, {DEVICE: BUSY})
    for number, (rate, latency, aborted) in enumerate([(300, 1.0, 0.2), (100, 5.0, 0.0), (0, 0.0, 0.0), (0, 0.0, 0.4)], 1):
        changed = {
            **BUSY,
            "Commands/sec": rate,
            "Average Kernel MilliSec/Command": latency,
            "Aborts/sec": aborted,
            "Device Q Depth": number,
        }
        rows[number] = (rows[number][0], {DEVICE: changed})
    found = device(text_of(rows))
    assert (found["samples"], found["commands_per_second"], found["kavg_ms"], found["kavg_max_ms"]) == (1, 100.0, 2.0, 2)
    assert (found["commands_aborted"], found["troubled_samples"], found["max_queue_depth"]) == (3, 1, 4)


def test_a_reset_troubles_a_sample_and_is_not_counted_as_one_of_the_bus() -> None:
    rows = every(20, 3, {DEVICE: {**BUSY, "Resets/sec": 0.05}})
    found = device(text_of(rows))
    assert (found["troubled_samples"], found["bus_resets"]) == (2, None)


def test_a_row_that_was_left_out_ends_a_run() -> None:
    rows = every(5, 61, {DEVICE: BUSY})
    whole = device(text_of(rows))
    del rows[30]
    assert whole["kavg_run_over_2ms"] == 15
    broken = device(text_of(rows))
    assert (broken["samples"], broken["kavg_run_over_2ms"]) == (15, 15)  # the next row counts since the last one: nothing is lost
    lines = text_of(rows).splitlines(keepends=True)
    lines[30] = lines[30].replace('"2.4"', '""')
    missing = device("".join(lines))
    assert (missing["samples"], missing["kavg_run_over_2ms"]) == (15, 7)


def test_stamps_that_drift_by_a_second_are_twenty_seconds_still() -> None:
    rows, at = [], BEGIN
    for number in range(110):
        rows.append((at, {DEVICE: BUSY}))
        at += timedelta(seconds=4 if number % 4 == 3 else 3)  # as published files of -d 3 have it
    found = device(text_of(rows))
    assert found["samples"] == 15
    assert found["kavg_run_over_2ms"] == 15


def test_the_figures_are_those_of_the_live_collector() -> None:
    chance = random.Random(7)
    rows = every(20, 16, {DEVICE: BUSY})
    counters: dict[str, list[int]] = {
        "commands": [],
        "total": [],
        "device": [],
        "kernel": [],
        "queue": [],
        "depth": [],
        "aborted": [],
        "resets": [],
    }
    for number in range(16):
        commands, driver, kernel, aborted = chance.randrange(200), chance.randrange(9), chance.randrange(5), chance.randrange(2)
        of_row = {**BUSY, "Commands/sec": commands, "Average Driver MilliSec/Command": driver, "Average Kernel MilliSec/Command": kernel}
        of_row |= {"Average Guest MilliSec/Command": driver + kernel, "Average Queue MilliSec/Command": kernel, "Aborts/sec": aborted / 20}
        rows[number] = (rows[number][0], {DEVICE: of_row})
        values = (commands, driver + kernel, driver, kernel, kernel, 64, aborted, 0)
        for series, value in zip(counters.values(), values, strict=True):
            series.append(value)
    times = tuple(time for time, _ in rows[1:])
    live = device_figures({name: tuple(series[1:]) for name, series in counters.items()}, times)
    found = device(text_of(rows))
    assert found == {name: pytest.approx(value) if isinstance(value, float) else value for name, value in live.items()} | {
        "bus_resets": None
    }


ENDPOINT = Endpoint("vc", EndpointKind.VCENTER, "vc.example.com", 443, "auditor", Secret("env", ("X",)))


def facts(
    text: str | Iterable[str], hosts: Mapping[str, str], machines: Mapping[str, str]
) -> tuple[dict[str, list[dict[str, Any]]], list[Gap]]:
    rows: dict[str, list[dict[str, Any]]] = {}
    gaps = []
    for one in load_facts(samples_in(io.StringIO(text, newline="") if isinstance(text, str) else text), ENDPOINT, hosts.get, machines.get):
        if isinstance(one, Gap):
            gaps.append(one)
        else:
            assert isinstance(one, Batch)
            assert set(one.columns) <= set(TABLES[one.table].names)
            cells = [dict(zip(one.columns, row, strict=True)) for row in zip(*one.columns.values(), strict=True)]
            rows.setdefault(one.table, []).extend(cells)
    return rows, gaps


def test_a_whole_file_becomes_rows_of_devices_adapters_and_disks() -> None:
    things = {
        DEVICE: BUSY,
        "Physical Disk Adapter(vmhba64)": ADAPTER,
        "Physical Disk Path(vmhba64:C0:T0:L0)": {"Commands/sec": 1.0},
        "Physical Disk Per-Device-Per-World(naa.1-1)": {"Commands/sec": 1.0},
        "Virtual Disk(SQL, old (df09)\\x)": DISK,
        "Virtual Disk(SQL, old (df09)\\x:scsi0:1)": DISK,
        "Virtual Disk(other:nvme0:0)": DISK,
    }
    rows, gaps = facts(text_of(every(5, 61, things)), {HOST: "host-1"}, {"SQL, old (df09)\\x": "vm-7"})
    newest = BEGIN + timedelta(seconds=300)
    (of_device,) = rows["device_load"]
    assert (of_device["endpoint"], of_device["host_id"], of_device["device"]) == ("vc", "host-1", NAA.lower())
    assert rows["adapter_load"] == [
        {
            "endpoint": "vc",
            "host_id": "host-1",
            "hba": "vmhba64",
            "samples": 15,
            "sampled_at": newest,
            "queue_depth": 1024,
            "queued": 2.0,
            "queued_max": 2,
            "outstanding": 6.0,
            "outstanding_max": 6,
            "queue_ms": 0.5,
            "commands_per_second": 50.0,
        }
    ]
    assert rows["vm_disk_load"] == [
        {
            "endpoint": "vc",
            "vm_id": "vm-7",
            "node": "scsi0:1",
            "samples": 15,
            "window_begin": BEGIN,
            "sampled_at": newest,
            "commands_per_second": 30.0,
            "outstanding": None,
            "latency_ms": 2.0,
            "io_bytes": 3 * 1024 * 1024 / 30,
        }
    ]
    assert rows["reading"] == [
        {"endpoint": "vc", "scope": "host-1", "topic": topic, "complete": True, "read_at": newest}
        for topic in ("device_load", "adapter_load")
    ]
    assert [(one.what, one.why) for one in gaps] == [
        (f"disks of virtual machine other, by esxtop of {HOST}", "no machine of that name is known, or several are")
    ]


def test_the_live_samples_columns_that_are_not_there_are_null_and_said() -> None:
    kept = {name: value for name, value in BUSY.items() if "Kernel" not in name and "Aborts" not in name}
    rows, gaps = facts(text_of(every(5, 61, {DEVICE: kept})), {HOST: "host-1"}, {})
    (found,) = rows["device_load"]
    assert (found["kavg_ms"], found["kavg_run_over_2ms"], found["commands_aborted"], found["troubled_samples"]) == (None,) * 4
    assert found["davg_ms"] == 1.5
    assert [row["complete"] for row in rows["reading"]] == [False, False]
    assert [(one.what, one.why) for one in gaps] == [
        (f"device_load by esxtop of {HOST}", "columns are not there: kernel, aborted"),
        (f"adapter_load by esxtop of {HOST}", "columns are not there: all"),
    ]


def test_a_host_that_is_not_known_has_no_rows() -> None:
    rows, gaps = facts(text_of(every(5, 61, {DEVICE: BUSY})), {}, {})
    assert (rows, [(one.what, one.why) for one in gaps]) == ({}, [(f"esxtop of {HOST}", "this host is not known")])


FOREIGN = "its times are not as esxtop writes them (a spreadsheet saved it again), so it is not known when its samples were taken"


def test_times_of_a_spreadsheet_with_seconds_give_figures_and_no_date() -> None:
    text = text_of(every(5, 73, {DEVICE: BUSY}), form="%d.%m.%Y %H:%M:%S", delimiter=";", quoting=csv.QUOTE_MINIMAL).replace("2.4", "2,4")
    found = read(text)
    assert (found.newest, list(found.problems)) == (None, [FOREIGN])
    ((_, figures),) = figures_of(found, "device")
    assert (figures["samples"], figures["kavg_run_over_2ms"], figures["kavg_ms"]) == (15, 15, pytest.approx(2.4))
    assert (figures["window_begin"], figures["sampled_at"]) == (None, None)


def test_times_without_seconds_leave_the_depth_alone() -> None:
    text = text_of(every(5, 73, {DEVICE: BUSY}), form="%m/%d/%Y %H:%M", quoting=csv.QUOTE_MINIMAL)
    rows, gaps = facts(text, {HOST: "host-1"}, {})
    (found,) = rows["device_load"]
    assert {name: value for name, value in found.items() if value is not None} == {
        "endpoint": "vc",
        "host_id": "host-1",
        "device": NAA.lower(),
        "max_queue_depth": 64,
    }
    assert [row["complete"] for row in rows["reading"]] == [False, False]
    assert [one.why for one in gaps][:3] == [
        FOREIGN,
        "its times have no seconds, so it is not known what its rates and means are of",
        "no sample of the last five minutes has a known time, so only the depths of queues were read",
    ]


def test_a_title_without_a_zone_leaves_the_date_unknown() -> None:
    found = read(text_of(every(5, 73, {DEVICE: BUSY}), first="(PDH-CSV 4.0)"))
    assert found.newest is None
    assert list(found.problems) == ["its first title does not say the time zone, so it is not known when its samples were taken"]
    ((_, figures),) = figures_of(found, "device")
    assert (figures["samples"], figures["sampled_at"]) == (15, None)


def test_a_zone_is_added_to_the_times() -> None:
    found = read(text_of(every(5, 2, {DEVICE: BUSY}), first="(PDH-CSV 4.0) (CET)(-60)"))
    assert found.newest == BEGIN + timedelta(seconds=5) - timedelta(hours=1)


def test_rows_that_are_torn_or_of_no_time_are_said() -> None:
    lines = text_of(every(5, 61, {DEVICE: BUSY})).splitlines(keepends=True)
    found = read("".join([*lines[:-1], lines[-1][:60]]))
    assert list(found.problems) == ["1 rows have another number of cells than there are titles, so they are left out"]
    assert windows_of(found).of_20_seconds
    found = read("".join([*lines, lines[-1].replace("01/02/2026", "99/99/2026")]))
    assert list(found.problems) == ["the time of 1 rows cannot be read"]
    found = read("".join([*lines, *lines[1:10]]))
    assert list(found.problems) == ["its times go backwards, so only what comes after that is looked at"]
    assert len(found.samples) == 9


@pytest.mark.parametrize("cell", ["", "-1", "nan", "inf", "1e99", "1_0", "text"], ids=repr)
def test_a_cell_that_is_no_number_is_unknown(cell: str) -> None:
    text = text_of(every(20, 16, {DEVICE: BUSY})).replace('"64"', f'"{cell}"')
    assert device(text)["max_queue_depth"] is None


def test_two_machines_of_one_name_have_no_disk() -> None:
    name = "Virtual Disk(vm:scsi0:0)"
    text = text_of(every(20, 16, {DEVICE: BUSY, name: DISK, f"{name} ": DISK})).replace(f"{name} ", name)
    found = read(text)
    assert [thing for thing in found.columns if thing[0] == "disk"] == []
    assert list(found.problems) == ["1 names stand for more than one thing, so nothing is said of them: vm:scsi0:0"]


def test_a_published_file_that_was_saved_again_has_no_storage() -> None:
    text = f"{FIRST},\\\\h\\Physical Cpu(0)\\% Processor Time\n3/26/2015 22:42,24.41\n"
    with pytest.raises(ValueError, match="no counters of storage"):
        esxtop_of(io.StringIO(text))


@pytest.mark.parametrize(
    "text", ["", "x", "a,b\n1,2\n", f'"{FIRST}"', f'"{FIRST}","\\\\h\\{DEVICE}\\Commands/sec"\n', f"{FIRST},\x00\n"], ids=repr
)
def test_what_is_no_such_file_is_a_gap(text: str) -> None:
    rows, gaps = facts(text, {}, {})
    assert rows == {}
    assert [one.what for one in gaps] == ["a file of esxtop"]


def test_a_file_is_known_by_its_first_title() -> None:
    assert is_esxtop(b'"(PDH-CSV 4.0) (UTC)(0)","')
    assert is_esxtop(b"\xef\xbb\xbf(PDH-CSV 4.0) (UTC)(0),")
    assert not is_esxtop(b"Host,Cluster")


def test_a_disk_is_told_from_its_machine() -> None:
    assert machine_and_node("a:b (c):scsi0:12") == ("a:b (c)", "scsi0:12")
    assert machine_and_node("a:b (c)") is None


def test_a_file_of_an_hour_is_held_for_five_minutes_only() -> None:
    made = [0]

    def lines() -> Iterable[str]:
        whole = text_of(every(2, 1800, {DEVICE: BUSY})).splitlines(keepends=True)
        for line in whole:
            made[0] += 1
            yield line

    assert len(esxtop_of(lines()).samples) <= 330 / 2 + 1
    assert made == [1801]
