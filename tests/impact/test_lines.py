"""The streams of a queue, by the rows of the views."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from auditor.impact.interval import Interval
from auditor.impact.lines import Line, limited, lines_of
from auditor.impact.queue import Stream
from auditor.impact.rows import Device, Disk, Input
from tests.impact.samples import APP, DATABASE, NEIGHBOUR, NOISY, S0_QUEUE, S1_QUEUE, S2_QUEUE, device, disk

QUEUE = device(queue_basis="littles-law", davg_ms=2, kavg_ms=0)
KERNEL = {"queue_basis": "littles-law", "davg_ms": 10, "kavg_ms": 0}
MS = 0.001


def sender(name: str, outstanding: float, **cells: Any) -> Disk:
    """A disk for which the array says 1 ms."""
    return disk(name, **{"outstanding": outstanding, "commands_per_second": 100, "array_latency_ms": 1, **cells})


def lines(queue: Device, *disks: Disk) -> list[Line]:
    found = lines_of(queue, disks, [])
    assert not isinstance(found, str), found
    return found


def ends(interval: Interval | None) -> Any:
    return None if interval is None else pytest.approx((interval.low, interval.high))


def test_a_disk_is_a_stream_with_what_it_sends_how_long_that_takes_and_what_it_could_send() -> None:
    [line] = lines(QUEUE, sender("a", 20))
    assert (line.stream.name, [one.name for one in line.disks], line.is_held) == ("a", ["a"], False)
    assert (line.stream.outstanding.low, line.stream.outstanding.high) == (19, 21)
    assert ends(line.stream.service_seconds) == (1 * MS, 1.2 * MS)
    assert line.stream.limit_per_second is None
    assert ends(line.most) == (64, 64)


@pytest.mark.parametrize(
    ("cells", "most"),
    [
        pytest.param({}, (64, 64), id="its controller"),
        pytest.param({"depth_at_least": None}, (19, 64), id="at least what it sends"),
        pytest.param({"depth_at_least": 8}, (19, 64), id="not less than it sends"),
        pytest.param({"depth_at_most": None}, (64, 254), id="as much as the deepest guest there is"),
        pytest.param({"depth_at_least": None, "depth_at_most": 16}, (19, 21), id="it sends more than its controller is known for"),
        pytest.param({"io_bytes": 262144, "largest_io_bytes": 131072}, (64, 128), id="in pieces"),
    ],
)
def test_what_a_guest_could_send_is_bounded_by_its_controller(cells: dict[str, Any], most: tuple[float, float]) -> None:
    [line] = lines(QUEUE, sender("a", 20, **cells))
    assert ends(line.most) == most


@pytest.mark.parametrize(
    ("cells", "limit"),
    [
        pytest.param({}, None, id="none"),
        pytest.param({"limit_per_second": 200}, (190, 210), id="one that is not reached"),
        pytest.param({"limit_per_second": 96}, (91.2, 100.8), id="one that is reached within 5 %"),
        pytest.param({"limit_per_second": 95}, None, id="one that it does more than: a burst"),
        pytest.param({"limit_per_second": 100, "commands_per_second": 105}, (95, 105), id="one that it does 5 % more than"),
        pytest.param({"limit_per_second": 0}, None, id="0 is no limit"),
        pytest.param({"limit_per_second": 90, "io_bytes": 262144, "largest_io_bytes": 131072}, None, id="a burst, in pieces"),
        pytest.param({"limit_per_second": 500, "is_at_limit": True}, (95, 105), id="at it: what passes"),
        pytest.param(
            {"limit_per_second": 200, "io_bytes": 262144, "largest_io_bytes": 131072}, (380, 420), id="of whole commands, each two here"
        ),
        pytest.param({"is_at_limit": True, "io_bytes": 262144, "largest_io_bytes": 131072}, (190, 210), id="at it, in pieces"),
    ],
)
def test_a_limit_is_that_of_the_array_and_of_a_disk_at_it_what_passes(cells: dict[str, Any], limit: tuple[float, float] | None) -> None:
    found = {line.stream.name: line for line in lines(QUEUE, sender("a", 20, **cells), sender("b", 2))}["a"]
    assert ends(found.stream.limit_per_second) == limit
    assert found.is_held is bool(cells.get("is_at_limit"))


def test_disks_that_send_nothing_are_no_streams_and_the_others_come_by_what_they_send() -> None:
    found = lines(QUEUE, sender("a", 2), sender("off", 0, commands_per_second=0), sender("b", 9), sender("few", 0, commands_per_second=1))
    assert [line.stream.name for line in found] == ["b", "a", "few"]
    unread, half = replace(sender("unread", 0), outstanding=None), sender("half", 0.5)
    assert [line.stream.name for line in lines(QUEUE, unread, half, sender("two", 2))] == ["two", "half", "unread"]


def test_what_the_device_counts_is_not_asked_about_a_disk_whose_commands_are_whole() -> None:
    busy = replace(QUEUE, active=20.5, queued=0)
    [line] = lines(busy, sender("a", 20))
    assert ends(line.stream.outstanding) == (19, 21)
    [line] = lines(QUEUE, sender("a", 20, io_bytes=262144, largest_io_bytes=131072))
    assert ends(line.stream.outstanding) == (19, 42)


def test_two_disks_share_a_queue_so_the_devices_latency_is_not_theirs() -> None:
    inputs: list[Input] = []
    pair = [sender(name, 2, array_latency_ms=None, latency_ms=9) for name in ("a", "b")]
    lines_of(device(queue_basis="littles-law", davg_ms=10, kavg_ms=4, commands_per_second=200), pair, inputs)
    assert inputs[0].source.startswith("disk_stream.latency_ms - ")


def test_eight_disks_are_streams_of_their_own_and_lighter_ones_are_one_together() -> None:
    heavy = [sender(f"heavy-{n}", 20) for n in range(7)]
    light = [
        sender("l1", 10, array_latency_ms=2, limit_per_second=1000),
        sender("l2", 8, array_latency_ms=3, limit_per_second=2000),
        sender("l3", 4, array_latency_ms=1, limit_per_second=4000, depth_at_least=32, depth_at_most=254),
    ]
    alone = lines(QUEUE, *heavy, light[0])
    assert [len(line.disks) for line in alone] == [1] * 8
    *_, eighth, rest = lines(QUEUE, *heavy, *light)
    assert (eighth.stream.name, rest.stream.name) == ("l1", "2 lighter disks")
    assert [one.name for one in rest.disks] == ["l2", "l3"]
    # 12 commands within 5 %; 1 to 3.2 ms; 64 and 32 of them at least, 64 and 254 at most; 6,000 a second together and not one disk's 2,000.
    assert ends(rest.stream.outstanding) == (11.4, 12.6)
    assert ends(rest.stream.service_seconds) == (1 * MS, 3.2 * MS)
    assert ends(rest.most) == (96, 318)
    assert ends(rest.stream.limit_per_second) == (5700, 6300)


def test_lighter_disks_have_no_limit_together_where_one_of_them_has_none() -> None:
    heavy = [sender(f"heavy-{n}", 20) for n in range(8)]
    *_, rest = lines(QUEUE, *heavy, sender("l1", 2, limit_per_second=1000), sender("l2", 1))
    assert rest.stream.limit_per_second is None
    assert not rest.is_held


def test_lighter_disks_at_their_limit_are_one_stream_and_those_that_wait_behind_them_another() -> None:
    heavy = [sender(f"heavy-{n}", 20) for n in range(8)]
    held = [sender(f"held-{n}", 4, is_at_limit=True, commands_per_second=100) for n in range(2)]
    *_, eighth, behind, rest = lines(QUEUE, *heavy, held[0], sender("l1", 3), held[1], sender("l2", 2))
    assert [[disk.name for disk in line.disks] for line in (eighth, behind, rest)] == [["heavy-7"], ["held-0", "held-1"], ["l1", "l2"]]
    assert (behind.is_held, rest.is_held) == (True, False)
    assert ends(behind.stream.limit_per_second) == (190, 210)  # 100 of each, 5 % either way
    assert rest.stream.limit_per_second is None


def test_one_lighter_disk_keeps_its_name_and_the_host_itself_is_no_lighter_disk() -> None:
    heavy = [sender(f"heavy-{n}", 20) for n in range(8)]
    # 162 commands within 5 % are 170.1 at most; the device counts 200.
    found = lines(device(**KERNEL, active=32, queued=168), *heavy, sender("l1", 2))
    assert [line.stream.name for line in found[8:]] == ["l1", "the host itself"]
    assert ends(found[-1].stream.outstanding) == (29.9 * 0.95, 29.9 * 1.05)


def test_a_disk_at_its_limit_has_the_service_time_of_a_neighbour() -> None:
    noisy = next(line for line in lines(S0_QUEUE, NOISY, NEIGHBOUR) if line.is_held)
    assert ends(noisy.stream.service_seconds) == (0.9 * MS, 1.1 * MS)
    # Not that of another one at its limit; of both it is some part of the delay, which the array counts.
    both = lines(S0_QUEUE, NOISY, replace(NOISY, name="other", array_latency_ms=0.05), replace(NEIGHBOUR, is_at_limit=True))
    assert ends(both[0].stream.service_seconds) == (0.1 * MS, 1520 * MS)
    assert ends(both[1].stream.service_seconds) == (0.05 * MS, 0.1 * MS)


@pytest.mark.parametrize(
    ("disks", "why"),
    [
        pytest.param([], "no disk that sends into the queue is known", id="no disk"),
        pytest.param([sender("a", 0, commands_per_second=0)], "no disk that sends into the queue is known", id="none sends"),
        pytest.param(
            [sender("a", 4), sender("b", 2, commands_per_second=None)],
            "how many commands a disk behind the queue sends is not known",
            id="a rate that was not read",
        ),
        pytest.param(
            [sender("a", 4, is_at_limit=True)],
            "the one disk that sends into the queue waits for its own limit on the array, and no other waits behind it",
            id="a disk at its limit, alone",
        ),
        pytest.param(
            [sender("a", 4, is_at_limit=True, array_latency_ms=None), sender("b", 2, is_at_limit=True)],
            "how long the array takes for a command of a is not known",
            id="no neighbour to go by, and nothing of the array",
        ),
        pytest.param(
            [sender("a", 4, array_latency_ms=None, is_at_limit=False), sender("b", 2, is_at_limit=True)],
            "how long the array takes for a command of a is not known",
            id="not at its limit, with the delay of another's in the device's figures",
        ),
        pytest.param(
            [sender("a", 4, array_latency_ms=0), sender("b", 2, is_at_limit=True)],
            "how long the array takes for a command of a is not known",
            id="an array that says 0 says nothing",
        ),
        pytest.param(
            [sender("a", 4, array_latency_ms=0, is_at_limit=True), sender("b", 2, is_at_limit=True)],
            "how long the array takes for a command of a is not known",
            id="nor of a disk at its limit",
        ),
        pytest.param(
            [sender("a", 4, is_at_limit=True, commands_per_second=0), sender("b", 2)],
            "how fast the array takes the commands of a is not known",
            id="at its limit, and nothing passes",
        ),
    ],
)
def test_without_streams_there_is_a_reason(disks: list[Disk], why: str) -> None:
    assert lines_of(QUEUE, disks, []) == why


def test_split_commands_are_counted_by_the_device_and_else_from_one_piece_to_all() -> None:
    # 40 in four pieces are 38 to 168. The device has 32.7 and 33.4, the neighbour one of them: 65.1, within 5 %.
    [noisy, _] = lines(S0_QUEUE, NOISY, NEIGHBOUR)
    assert ends(noisy.stream.outstanding) == (65.1 * 0.95, 65.1 * 1.05)
    for unread in (
        {"active": None},
        {"queued": None},
        {"queue_basis": "disks"},
        {"active": 0.4, "queued": 0.6},
        {"active": 0.1, "queued": 0.2},  # less than the neighbour alone
        {"active": 900},
    ):
        [noisy, _] = lines(replace(S0_QUEUE, **unread), NOISY, NEIGHBOUR)
        assert ends(noisy.stream.outstanding) == (38, 168), unread
    # A neighbour whose outstanding commands nobody knows is none of them.
    [noisy, _] = lines(S0_QUEUE, NOISY, replace(NEIGHBOUR, outstanding=None))
    assert ends(noisy.stream.outstanding) == (66.1 * 0.95, 66.1 * 1.05)
    # What the device counts narrows one end only where the other is beyond the pieces.
    [noisy, _] = lines(replace(S0_QUEUE, active=40, queued=0), NOISY, NEIGHBOUR)
    assert ends(noisy.stream.outstanding) == (38, 39 * 1.05)
    [noisy, _] = lines(replace(S0_QUEUE, active=171, queued=0), NOISY, NEIGHBOUR)
    assert ends(noisy.stream.outstanding) == (170 * 0.95, 168)


def in_two(outstanding: float, **cells: Any) -> Disk:
    """A disk of which the host makes two commands of each."""
    return sender("a", outstanding, io_bytes=262144, largest_io_bytes=131072, **cells)


@pytest.mark.parametrize(
    ("split", "active", "sent"),
    [
        pytest.param(in_two(0.5, commands_per_second=0), 0, (0, 1), id="a device that counts none says nothing"),
        pytest.param(in_two(0.5, commands_per_second=0), 0.5, (0.475, 0.525), id="one that counts less than one command"),
        # 19,000 a second of 1 ms at most are 19, each in two pieces; 40 within 5 % are 38 at least.
        pytest.param(in_two(0.5, commands_per_second=19000, array_latency_ms=0.7), 40, (38, 38), id="one that counts just all pieces"),
    ],
)
def test_few_split_commands_are_counted_by_the_device(split: Disk, active: float, sent: tuple[float, float]) -> None:
    [line] = lines(replace(QUEUE, active=active, queued=0), split)
    assert ends(line.stream.outstanding) == sent


def test_what_the_device_has_beyond_the_disks_is_the_hosts_own() -> None:
    # 20 within 5 % are 21 at most; 31 - 21 is 10, within 5 %. Service: the device's 10 ms, in whole ones.
    [own, kernel] = lines(device(**KERNEL, active=25, queued=6), sender("a", 20))
    assert (own.stream.name, kernel.stream.name, kernel.disks, kernel.is_held) == ("a", "the host itself", (), False)
    assert ends(kernel.stream.outstanding) == (9.5, 10.5)
    assert kernel.most == kernel.stream.outstanding
    assert ends(kernel.stream.service_seconds) == (9 * MS, 11 * MS)
    assert kernel.stream.limit_per_second is None


@pytest.mark.parametrize(
    ("cells", "disks"),
    [
        pytest.param({"active": 21.9, "queued": 0}, [sender("a", 20)], id="less than one is rounding"),
        pytest.param({"active": None, "queued": 31}, [sender("a", 20)], id="active was not read"),
        pytest.param({"active": 31, "queued": None}, [sender("a", 20)], id="queued was not read"),
        pytest.param({"active": 31, "queued": 0, "queue_basis": "disks"}, [sender("a", 20)], id="the disks are what was counted"),
        pytest.param({"active": 31, "queued": 0, "davg_ms": None}, [sender("a", 20)], id="nothing says how long it takes"),
        pytest.param(
            {"active": 99, "queued": 0}, [sender("a", 20, io_bytes=262144, largest_io_bytes=131072)], id="pieces are counted as well"
        ),
        pytest.param({"active": 99, "queued": 0}, [sender("a", 20), sender("b", 4, is_at_limit=True)], id="a limit's delay is in it"),
    ],
)
def test_the_host_itself_is_no_stream_where_nothing_shows_it(cells: dict[str, Any], disks: list[Disk]) -> None:
    found = lines(device(**{**KERNEL, **cells}), *disks)
    assert [line.stream.name for line in found] == [one.name for one in disks]


def test_one_command_beyond_the_disks_is_one_of_the_host() -> None:
    found = lines(device(**KERNEL, active=16, queued=6), sender("a", 20))
    assert [line.stream.name for line in found] == ["a", "the host itself"]


@pytest.mark.parametrize(("counted", "source"), [(200, "device_queue.davg_ms"), (201, "disk_stream.latency_ms - ")])
def test_where_most_of_the_device_is_not_the_disks_the_disk_has_a_service_time_of_its_own(counted: float, source: str) -> None:
    inputs: list[Input] = []
    queue = device(queue_basis="littles-law", davg_ms=10, kavg_ms=4, commands_per_second=counted)
    lines_of(queue, [sender("a", 2, array_latency_ms=None, latency_ms=9)], inputs)
    assert inputs[0].source.startswith(source)


@pytest.mark.parametrize(("counted", "source"), [(1.5, "disk_stream.latency_ms - "), (None, "device_queue.davg_ms")])
def test_beside_a_disk_without_a_rate_any_command_of_the_device_is_the_hosts(counted: float | None, source: str) -> None:
    inputs: list[Input] = []
    queue = device(queue_basis="littles-law", davg_ms=10, kavg_ms=4, commands_per_second=counted)
    lines_of(queue, [sender("a", 2, commands_per_second=0, array_latency_ms=None, latency_ms=9)], inputs)
    assert inputs[0].source.startswith(source)


def test_the_first_two_streams_leave_their_inputs() -> None:
    inputs: list[Input] = []
    lines_of(S0_QUEUE, [NOISY, NEIGHBOUR, replace(NEIGHBOUR, name="third", outstanding=0.5)], inputs)
    assert [(one.name, one.unit, one.basis, one.source) for one in inputs] == [
        ("service time of noisy", "ms", "measured", "disk_stream.array_latency_ms, and docs/domain/facts.md#9-3"),
        ("outstanding of noisy", "commands", "measured", "device_queue.active + queued"),
        ("limit of noisy", "commands/s", "measured", "disk_stream.commands_per_second at its limit"),
        ("service time of neighbour", "ms", "measured", "disk_stream.array_latency_ms, and docs/domain/facts.md#9-3"),
        ("outstanding of neighbour", "commands", "measured", "disk_stream.outstanding, commands_per_second"),
    ]
    assert ends(inputs[0].value) == (0.9, 1.1)
    assert ends(inputs[1].value) == (64.6 * 0.95, 64.6 * 1.05)  # without what the other two have outstanding, 1 and 0.5
    assert ends(inputs[2].value) == (102.4 * 0.95, 102.4 * 1.05)
    inputs = []
    lines_of(S0_QUEUE, [replace(NOISY, array_latency_ms=7), replace(NEIGHBOUR, is_at_limit=True, array_latency_ms=3)], inputs)
    assert (inputs[0].basis, inputs[0].unit, inputs[0].name) == ("assumed", "ms", "service time of noisy")
    assert inputs[0].source == "docs/queue-model.md#limit: not longer than with the limit's delay"
    assert ends(inputs[0].value) == (0.1, 7)
    inputs = []
    lines_of(S2_QUEUE, [replace(DATABASE, limit_per_second=90_000)], inputs)
    assert (inputs[-1].name, inputs[-1].source) == ("limit of database", "disk_stream.limit_per_second")
    inputs = []
    lines_of(QUEUE, [sender("a", 20, io_bytes=262144, largest_io_bytes=131072)], inputs)
    assert inputs[1].source == "device_queue.active + queued"


def test_s1_has_the_disk_and_the_hosts_own_migration() -> None:
    assert [line.stream.name for line in lines(S1_QUEUE, APP)] == ["app", "the host itself"]


def test_a_limit_on_the_host_leaves_of_a_held_disk_what_the_array_works_on() -> None:
    stream = Stream("noisy", Interval(60, 70), Interval(0.01, 0.02), Interval(100, 110))
    held = Line(stream, (NOISY,), Interval(64, 64))
    # 100 a second of 10 ms are 1; 110 of 20 ms are 2.2, and one more that begins.
    assert ends(limited(held).outstanding) == (1, 3.2)
    assert replace(limited(held), outstanding=stream.outstanding) == stream
    few = replace(held, stream=replace(stream, outstanding=Interval(0.5, 2)))
    assert limited(few).outstanding == Interval(0.5, 2)
    free = Line(stream, (NEIGHBOUR,), Interval(64, 64))
    assert limited(free) == stream
    unlimited = replace(held, stream=replace(stream, limit_per_second=None))
    assert limited(unlimited) == unlimited.stream
