"""Each station of an I/O path with all its figures: labels, units, where each comes from, and the sentences beside them."""

from __future__ import annotations

from typing import Any

import pytest

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
    which_depth,
    worlds_station,
)
from tests.impact.asked import DEVICE, HERE, disk, queue, row_of

TWO = {"queue_depth": 256, "dsnro": 32, "worlds": 2, "worlds_at_least": 2}


def test_a_disk_has_what_it_sends_and_what_the_host_and_the_array_allow_it() -> None:
    row = disk(
        "db", controller_depth=64, controller_depth_at_most=254, outstanding=12.0, latency_ms=3.0, commands_per_second=26.0,
        io_bytes=8192.0, limit_per_second=500.0, is_at_limit=False, iops_limit=1, policy_iops_limit=900,
    )  # fmt: skip
    assert disk_station(row) == Station(
        Place.DISK,
        "db Hard disk 1",
        depth=Figure("depth", 64, "", "disk_stream.controller_depth"),
        in_flight=Figure("in flight", 12.0, "", "disk_stream.outstanding"),
        wait_ms=Figure("latency", 3.0, "ms", "disk_stream.latency_ms"),
        figures=(
            Figure("commands", 26.0, "/s", "disk_stream.commands_per_second"),
            Figure("size", 8.0, "KiB", "disk_stream.io_bytes"),
            Figure("allowed by the array at this size", 500.0, "/s", "disk_stream.limit_per_second"),
            Figure("at its limit", value=False, source="disk_stream.is_at_limit"),
            Figure("limit of the host, at 32 KiB", 1, "IOPS", "disk_stream.iops_limit"),
            Figure("limit of the host, at 32 KiB", 900, "IOPS", "disk_stream.policy_iops_limit"),
        ),
    )


def test_a_disk_whose_controllers_depth_is_known_by_a_bound_alone_has_that_and_no_limit_where_there_is_none() -> None:
    found = disk_station(disk("db", controller_depth_at_most=254, iops_limit=0))
    assert found.depth == Figure("depth", 254, "", "at most")
    assert [one.label for one in found.figures] == ["commands", "size", "allowed by the array at this size", "at its limit"]


@pytest.mark.parametrize(
    ("cells", "is_said"),
    [
        pytest.param({"outstanding": 60.8, "controller_depth": 64}, True, id="95 % of 64"),
        pytest.param({"outstanding": 60.7, "controller_depth": 64}, False, id="less"),
        pytest.param({"outstanding": 241.3, "controller_depth_at_most": 254}, True, id="of the most that it can be"),
        pytest.param({"outstanding": 64.0}, False, id="its depth is not known"),
        pytest.param({"controller_depth": 64}, False, id="nobody counted"),
    ],
)
def test_a_guest_that_sends_all_it_may_can_hold_more_back_than_is_seen(cells: dict[str, float], *, is_said: bool) -> None:
    why = (
        "Its driver sends about all that it may: what waits in the guest besides, no counter shows. Compare with the latency in the guest."
    )
    assert disk_station(disk("db", **cells)).notes == (why,) * is_said


@pytest.mark.parametrize(
    ("cells", "notes"),
    [
        pytest.param({"io_bytes": 131072.0}, (), id="a command of that size is one"),
        pytest.param(
            {"io_bytes": 262144.0},
            ("The host splits each of its commands into 2 of at most 128 KiB.",),
            id="two pieces, and no rate",
        ),
        pytest.param(
            {"io_bytes": 2097152.0, "largest_io_bytes": 1048576.0},
            ("The host splits each of its commands into 2 of at most 1,024 KiB.",),
            id="pieces of a MiB",
        ),
        pytest.param(
            {"io_bytes": 524288.0, "commands_per_second": 26.0},
            # 4 * 26 = 104
            ("The host splits each of its commands into 4 of at most 128 KiB: 26/s here are 104/s in the queues below.",),
            id="four pieces of 26 commands",
        ),
    ],
)
def test_a_disk_whose_commands_are_split_says_how_many_of_them_the_queues_see(cells: dict[str, float], notes: tuple[str, ...]) -> None:
    assert disk_station(disk("db", **{"largest_io_bytes": 131072.0, **cells})).notes == notes


@pytest.mark.parametrize(
    ("cells", "notes"),
    [
        pytest.param({"worlds": 2, "worlds_at_least": 2}, (), id="all are known"),
        pytest.param({"worlds_at_least": 2}, ("At least 2 of them are known to send.",), id="some are known"),
        pytest.param({"worlds_at_least": 0}, (), id="none is known"),
    ],
)
def test_worlds_are_counted_or_known_by_a_bound(cells: dict[str, int], notes: tuple[str, ...]) -> None:
    count = Figure("disks that send", cells.get("worlds"), "", "device_queue.worlds")
    assert worlds_station(queue(**cells)) == Station(Place.WORLDS, "who competes for the device", figures=(count,), notes=notes)


@pytest.mark.parametrize(
    ("rate", "disks", "words"),
    [
        pytest.param(
            180.0,
            [{"commands_per_second": 60.0}, {"commands_per_second": 20.0}],
            "disks send 80; the host itself sends the others",
            id="a copy",
        ),
        pytest.param(
            30.0, [{"commands_per_second": 0.0}], "None of its 30 commands a second is known to be of a disk", id="zeroing, no disk works"
        ),
        pytest.param(30.0, [], "None of its 30", id="no disk is known"),
        pytest.param(
            104.0, [{"commands_per_second": 26.0, "io_bytes": 524288.0, "largest_io_bytes": 131072.0}], "", id="commands that were split"
        ),
        pytest.param(100.0, [{"commands_per_second": 91.0}], "", id="less than a tenth, as samples differ"),
        pytest.param(0.9, [], "", id="hardly anything"),
        pytest.param(1.5, [], "None of its", id="more than one a second"),
        pytest.param(100.0, [{"commands_per_second": 90.0}], "", id="a tenth"),
        pytest.param(100.0, [{"commands_per_second": None}], "disks that were not counted", id="a disk that was not counted"),
        pytest.param(None, [], "", id="the device was not counted"),
    ],
)
def test_what_the_host_itself_sends_into_a_queue_is_said(rate: float | None, disks: list[dict[str, float]], words: str) -> None:
    notes = worlds_station(queue(worlds=2, commands_per_second=rate), [disk("one", **cells) for cells in disks]).notes
    assert bool(notes) == bool(words)
    assert words in "".join(notes)


def test_a_device_has_its_queue_and_the_settings_that_make_it() -> None:
    row = queue(
        **TWO, depth_in_effect=32, depth_basis="counter", active=31.0, queued=9.0, queue_basis="disks", kavg_ms=300.0, qavg_ms=299.0,
        commands_per_second=107.0, sioc_active_percent=12.4, is_full=True,
    )  # fmt: skip
    assert device_station(row) == Station(
        Place.DEVICE,
        DEVICE,
        depth=Figure("depth in effect", 32, "", "device_queue.depth_in_effect, counter"),
        in_flight=Figure("active", 31.0, "", "device_queue.active, disks"),
        waiting=Figure("queued", 9.0, "", "device_queue.queued, disks"),
        wait_ms=Figure("waits in the host (KAVG)", 300.0, "ms", "device_queue.kavg_ms"),
        figures=(
            Figure("device depth", 256, "", "device.queue_depth"),
            Figure("DSNRO", 32, "", "device.dsnro"),
            Figure("commands", 107.0, "/s", "device_queue.commands_per_second"),
            Figure("of it in the queue (QAVG)", 299.0, "ms", "device_queue.qavg_ms"),
        ),
        notes=(
            "DSNRO of 32 applies, and not the device's 256: 2 disks compete.",
            "Storage I/O Control was throttling for 12 % of the time.",
        ),
        is_full=True,
    )


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        pytest.param(
            {**TWO, "sioc_enabled": True},
            "Storage I/O Control manages the depth of this queue; DSNRO is not used.",
            id="Storage I/O Control",
        ),
        pytest.param(
            {"worlds": 2, "worlds_at_least": 2, "dsnro": 32},
            "Which depth applies is not known: the device's depth or DSNRO was not read.",
            id="no depth",
        ),
        pytest.param(
            {**TWO, "dsnro": None},
            "Which depth applies is not known: the device's depth or DSNRO was not read.",
            id="no DSNRO",
        ),
        pytest.param(
            {**TWO, "worlds": None, "worlds_at_least": 3},
            "DSNRO of 32 applies, and not the device's 256: at least 3 disks compete.",
            id="worlds are known by a bound",
        ),
        pytest.param(
            {**TWO, "worlds": 1, "worlds_at_least": 1},
            "The device's own depth of 256 applies, and not DSNRO of 32: no two disks compete.",
            id="one world",
        ),
        pytest.param(
            {**TWO, "queue_depth": 32},
            "The device's own depth of 32 applies: DSNRO (32) is not below it.",
            id="DSNRO is as deep as the device",
        ),
        pytest.param(
            {**TWO, "worlds": None, "worlds_at_least": None},
            "Whether DSNRO of 32 applies or the device's 256 is not known: it was not read how many disks send.",
            id="nothing is known of worlds",
        ),
        pytest.param(
            {**TWO, "depth_in_effect": 32, "depth_basis": "counter"},
            "DSNRO of 32 applies, and not the device's 256: 2 disks compete.",
            id="the host counts what the settings say",
        ),
        pytest.param(
            {**TWO, "depth_in_effect": 64, "depth_basis": "counter"},
            "A depth of 64 applies, as the host counts it (maxQueueDepth), and not the 32 that its settings say.",
            id="the host counts something else",
        ),
        pytest.param(
            {**TWO, "depth_in_effect": 64, "depth_basis": "settings"},
            "DSNRO of 32 applies, and not the device's 256: 2 disks compete.",
            id="what is computed by settings is no count",
        ),
        pytest.param(
            {"depth_in_effect": 64, "depth_basis": "counter"},
            "A depth of 64 applies, as the host counts it (maxQueueDepth).",
            id="the host counts it, and no setting was read",
        ),
    ],
)
def test_the_depth_that_applies_has_its_reason_as_a_sentence(cells: dict[str, Any], sentence: str) -> None:
    assert which_depth(queue(**cells)) == sentence


@pytest.mark.parametrize("active", [None, 0.0])
def test_where_storage_io_control_throttled_nobody_nothing_is_said_of_it(active: float | None) -> None:
    told = device_station(queue(**TWO, sioc_active_percent=active)).notes
    assert told == ("DSNRO of 32 applies, and not the device's 256: 2 disks compete.",)


def test_an_adapter_is_named_with_its_driver() -> None:
    [found] = adapter_stations([row_of("adapter", **HERE, hba="vmhba1", driver="lpfc")])
    assert found.name == "vmhba1 (lpfc)"


@pytest.mark.parametrize(("queued", "is_full"), [(1.0, True), (0.9, False), (None, None)])
def test_an_adapter_is_full_where_a_command_waits_for_it(queued: float | None, is_full: bool | None) -> None:
    row = row_of("adapter", **HERE, hba="vmhba1", adapter_depth=1024, outstanding=31.0, queued=queued, queue_ms=0.2, effective_depths=512)
    assert adapter_stations([row]) == [
        Station(
            Place.ADAPTER,
            "vmhba1 (driver not read)",
            depth=Figure("depth", 1024, "", "adapter.adapter_depth"),
            in_flight=Figure("in flight", 31.0, "", "adapter.outstanding"),
            waiting=Figure("queued", queued, "", "adapter.queued"),
            wait_ms=Figure("waits in the adapter", 0.2, "ms", "adapter.queue_ms"),
            figures=(Figure("depths of its devices together", 512, "", "adapter.effective_depths"),),
            is_full=is_full,
        )
    ]


@pytest.mark.parametrize(
    ("transport", "name", "active", "notes"),
    [
        pytest.param("fc", "fc", 1, ("One path only: what it carries is all there is.",), id="one path"),
        pytest.param(None, "transport not read", 2, (), id="two paths"),
    ],
)
def test_paths_have_their_policy_and_one_alone_says_so(transport: str | None, name: str, active: int, notes: tuple[str, ...]) -> None:
    row = row_of("path_policy", **HERE, transport=transport, active_paths=active, paths=4, psp="VMW_PSP_RR", rr_iops=1000)
    figures = (
        Figure("active paths", active, "", "path_policy.active_paths"),
        Figure("paths", 4, "", "path_policy.paths"),
        Figure("policy", "VMW_PSP_RR", "", "path_policy.psp"),
        Figure("commands on a path before the next", 1000, "", "path_policy.rr_iops"),
    )
    assert paths_station(row) == Station(Place.PATHS, name, figures=figures, notes=notes)


def test_of_ports_the_one_that_may_be_sent_most_is_shown_and_one_alone_is_not_compared() -> None:
    unread, busy = (row_of("target_port", target=name, initiators=2, queue_depths_seen=seen) for name, seen in (("p1", None), ("p2", 1)))
    figures = (
        Figure("initiators", 2, "", "target_port.initiators"),
        Figure("what they may send together", 1, "", "target_port.queue_depths_seen"),
    )
    more = ("The most loaded of 2 ports of the array that the host reaches.",)
    assert port_station([unread, busy]) == Station(Place.PORT, "p2", figures=figures, notes=more)
    assert port_station([busy]) == Station(Place.PORT, "p2", figures=figures)


def test_a_volume_has_what_limits_it_and_how_near_it_is_to_its_limit() -> None:
    row = row_of(
        "array_volume", volume="db.vmdk", throttle_us=1500.0, qos="Bronze: 1000 IOPS", actual_iops=990.0, average_io_bytes=32768.0,
        effective_max_iops=1000.0, utilization=0.99, is_at_limit=True, qos_wait="at its ceiling: the wait is QoS",
    )  # fmt: skip
    found = volume_station(row)
    assert found == Station(
        Place.VOLUME,
        "db.vmdk",
        wait_ms=Figure("held back by QoS", 1.5, "ms", "array_volume.throttle_us"),
        figures=(
            Figure("QoS", "Bronze: 1000 IOPS", "", "array_volume.qos"),
            Figure("does", 990.0, "IOPS", "array_volume.actual_iops"),
            Figure("size", 32.0, "KiB", "array_volume.average_io_bytes"),
            Figure("may do at this size", 1000.0, "IOPS", "array_volume.effective_max_iops"),
            Figure("of its limit", 99.0, "%", "array_volume.utilization"),
        ),
        notes=("At its ceiling: the wait is QoS.",),
        is_full=True,
    )
    assert volume_station({**row, "is_at_limit": False}).notes == ()


def test_a_volume_of_which_nothing_was_read_has_no_figure_and_no_zero() -> None:
    found = volume_station(row_of("array_volume", volume="db.vmdk"))
    assert found.wait_ms == Figure("held back by QoS", None, "ms", "array_volume.throttle_us")
    assert {one.value for one in found.figures} == {None}


@pytest.mark.parametrize(
    ("depth", "taken", "share"),
    [
        pytest.param(32, 8.0, 0.25, id="a quarter"),
        pytest.param(32, 64.0, 2.0, id="more than it takes"),
        pytest.param(1, 0.5, 0.5, id="one place"),
        pytest.param(0, 1.0, None, id="no place"),
        pytest.param(None, 1.0, None, id="depth not read"),
        pytest.param(32, None, None, id="load not read"),
        pytest.param(True, 1.0, None, id="a depth that is no number"),
    ],
)
def test_a_station_is_filled_by_the_share_of_its_depth_that_is_taken(depth: int | None, taken: float | None, share: float | None) -> None:
    assert Station(Place.DEVICE, "x", depth=Figure("depth", depth), in_flight=Figure("in flight", taken)).fill == share
    assert Station(Place.DEVICE, "x", depth=Figure("depth", depth)).fill is None
