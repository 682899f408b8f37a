"""What stands against a move, what was not read of it, and what neither is."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.impact.interval import Interval
from auditor.impact.move import Copying
from auditor.moves.check import MoveVerdict, check_move
from auditor.moves.ends import Move
from auditor.moves.reasons import Reason, Sort
from tests.moves.samples import DISK, GIB, MOVE, TASK, a_move, between_arrays


def codes(move: Move, sort: Sort = Sort.AGAINST, **more: Any) -> list[str]:
    return [one.code for one in check_move(move, **more).of(sort)]


def test_a_move_within_an_array_that_nothing_hinders_is_clear() -> None:
    check = check_move(MOVE)
    assert (check.verdict, check.reasons) == (MoveVerdict.CLEAR, ())
    assert check.offload.is_certain is True
    assert (check.took.seconds, check.took.size.high) == (None, 100 * GIB), "no source says how fast an array copies"
    assert {(load.copying, load.not_computed) for load in check.loads} == {
        (None, "the array copies, and nothing counts what that costs it")
    }
    assert check.move is MOVE


AGAINST = [
    pytest.param(a_move(target={"is_mounted": False}), "not-mounted", id="its host does not have the target"),
    pytest.param(a_move(target={"maintenance_mode": "enteringMaintenance"}), "maintenance", id="the target goes into maintenance"),
    pytest.param(a_move(target={"free_bytes": 99 * GIB}), "space", id="it does not fit"),
    pytest.param(a_move(DISK, replace(DISK, name="Hard disk 2", rdm_mode="physicalMode")), "rdm", id="a LUN stays behind"),
    pytest.param(a_move(replace(DISK, shares_bus=True)), "shared-disk", id="a disk of a cluster of machines"),
    pytest.param(
        a_move(tasks=(replace(TASK, is_move=False, description="VirtualMachine.createSnapshot"),)), "task", id="a snapshot is made"
    ),
    pytest.param(a_move(tasks=(replace(TASK, target_id="ds-9"),)), "task", id="it is being moved elsewhere"),
    pytest.param(a_move(target={"sioc_enabled": True, "has_array_qos": True}), "sioc", id="both ends of a queue throttle"),
    pytest.param(a_move(target={"sioc_enabled": True, "family": "dell-sc", "tiers": 2}), "sioc", id="blocks move between tiers"),
    pytest.param(a_move(target={"io_metric_in_force": True, "has_array_qos": True}), "io-metric", id="the I/O metric switches it on"),
    pytest.param(a_move(source={"sioc_active_percent": 3.0}), "sioc-active", id="Storage I/O Control is at work on the source"),
    pytest.param(a_move(target={"is_in_pod": True, "moves_by_itself": True}), "sdrs-target", id="Storage DRS may move it on"),
    pytest.param(a_move(target={"priority": "Low, Medium"}), "priority", id="others go before it"),
    pytest.param(
        a_move(target={"priority": "Medium", "latency_threshold_ms": 20, "latency_ms": 21.0}), "priority", id="priorities count now"
    ),
    pytest.param(a_move(target={"latency_ms": 30.0}), "slow", id="the target is slow before it begins"),
    pytest.param(between_arrays(max_bytes_per_second=50 << 20), "cap-target", id="a cap that the copy fills"),
    pytest.param(between_arrays(max_iops=500), "cap-target", id="a cap in operations, of 64 KiB each"),
]


@pytest.mark.parametrize(("move", "code"), AGAINST)
def test_one_thing_that_stands_against_it_refuses_it(move: Move, code: str) -> None:
    check = check_move(move)
    assert check.verdict is MoveVerdict.AGAINST
    assert code in codes(move)
    assert all(one.text.endswith(".") and one.do.endswith(".") for one in check.reasons)


@pytest.mark.parametrize(
    "move",
    [
        pytest.param(a_move(target={"free_bytes": 100 * GIB}), id="it just fits"),
        pytest.param(a_move(target={"sioc_enabled": True}), id="Storage I/O Control alone, on one tier"),
        pytest.param(a_move(target={"sioc_enabled": True, "family": "dell-sc", "tiers": 1}), id="pinned into one tier"),
        pytest.param(
            a_move(target={"sioc_enabled": True, "tiers": 2}), id="tiers of an array of which no source says that it learns blocks"
        ),
        pytest.param(a_move(target={"max_bytes_per_second": 50 << 20, "has_array_qos": True}), id="the array copies, whatever the cap"),
        pytest.param(
            a_move(target={"priority": "Medium", "latency_threshold_ms": 20, "latency_ms": 20.0}), id="priorities do not count yet"
        ),
        pytest.param(a_move(target={"latency_ms": 29.0}), id="not slow"),
        pytest.param(between_arrays(max_bytes_per_second=400 << 20), id="a cap above what a move reaches"),
        pytest.param(a_move(replace(DISK, rdm_mode="virtualMode"), DISK), id="a mapping in virtual mode is only said"),
    ],
)
def test_what_is_within_bounds_does_not_stand_against_it(move: Move) -> None:
    assert check_move(move).verdict is MoveVerdict.CLEAR


UNREAD = [
    pytest.param(a_move(disks_read=False), "disks-unread", id="its disks"),
    pytest.param(a_move(replace(DISK, datastore_id=None)), "disks-unread", id="where a disk lies"),
    pytest.param(a_move(tasks_read=False), "tasks-unread", id="tasks"),
    pytest.param(a_move(target={"is_mounted": None}), "mounts-unread", id="whether its host has the target"),
    pytest.param(a_move(target={"free_bytes": None}), "free-unread", id="free space"),
    pytest.param(a_move(target={"is_in_pod": None}), "pod-unread", id="whether Storage DRS has it"),
    pytest.param(a_move(target={"is_in_pod": True}), "pod-unread", id="what Storage DRS does"),
    pytest.param(a_move(target={"sioc_enabled": None}), "sioc-unread", id="Storage I/O Control"),
    pytest.param(a_move(target={"has_array_qos": None}), "qos-target-unread", id="QoS of the target"),
    pytest.param(a_move(source={"has_array_qos": None}), "qos-source-unread", id="QoS of the source"),
    pytest.param(a_move(target={"arrays": None, "family": "purestorage"}), "array-target-unread", id="the array is out of the fleet"),
    pytest.param(a_move(source={"latency_ms": None}), "load-source-unread", id="load of the source"),
    pytest.param(a_move(target={"sioc_enabled": True, "family": "dell-sc", "tiers": None}), "tiers-unread", id="tiers"),
    pytest.param(a_move(uses_offload=None), "offload-unread", id="the host's option"),
    pytest.param(a_move(source={"can_clone": None}), "offload-unread", id="what the device can"),
    pytest.param(a_move(replace(DISK, is_thin=True), target={"free_bytes": 99 * GIB}), "space-unknown", id="how much a thin disk holds"),
    pytest.param(a_move(tasks=(TASK,), target={"free_bytes": 60 * GIB}), "space-unknown", id="how much a move that runs has taken already"),
    pytest.param(a_move(tasks=(replace(TASK, target_id=None),)), "running-unread", id="where a move that runs goes"),
]


@pytest.mark.parametrize(("move", "code"), UNREAD)
def test_what_was_not_read_is_never_taken_for_a_no(move: Move, code: str) -> None:
    assert check_move(move).verdict is MoveVerdict.UNKNOWN
    assert code in codes(move, Sort.UNREAD)


def test_a_known_reason_settles_it_whatever_was_not_read() -> None:
    check = check_move(a_move(target={"is_mounted": False, "free_bytes": None}))
    assert check.verdict is MoveVerdict.AGAINST
    assert [one.sort for one in check.reasons] == [Sort.AGAINST, Sort.UNREAD], "the weightiest comes first"


@pytest.mark.parametrize(
    ("move", "failed"),
    [
        pytest.param(between_arrays(), ["one-array"], id="two arrays"),
        pytest.param(a_move(target={"array_key": None, "family": "ontap"}), ["one-array"], id="two families"),
        pytest.param(a_move(target={"type": "NFS"}), ["datastore-types"], id="from a block device to a file server"),
        pytest.param(a_move(target={"can_clone": False}), ["devices"], id="a device that refused to clone"),
        pytest.param(a_move(uses_offload=False), ["host-option"], id="the host does not ask for it"),
        pytest.param(a_move(target={"block_size_kib": 8192}), ["block-size"], id="VMFS 3's blocks"),
        pytest.param(a_move(replace(DISK, file="[old] web/web-000002.vmdk")), ["no-snapshot"], id="a snapshot"),
    ],
)
def test_the_condition_that_keeps_the_array_from_copying_is_named(move: Move, failed: list[str]) -> None:
    offload = check_move(move).offload
    assert offload.is_certain is False
    assert [one.name for one in offload.failed] == failed
    assert "not-offloaded" in codes(move, Sort.NOTE)


@pytest.mark.parametrize(
    ("move", "unread"),
    [
        pytest.param(a_move(target={"array_key": None}), ["one-array"], id="which array of a family"),
        pytest.param(a_move(target={"type": "VVOL"}), ["datastore-types"], id="from VMFS to vVols no source settles it"),
        pytest.param(a_move(source={"type": "NFS"}, target={"type": "NFS"}), ["datastore-types"], id="nor between shares"),
        pytest.param(a_move(replace(DISK, file=None)), ["no-snapshot"], id="the disk's file"),
        pytest.param(a_move(target={"block_size_kib": None}), ["block-size"], id="a block size"),
    ],
)
def test_a_condition_that_was_not_read_leaves_offload_unknown(move: Move, unread: list[str]) -> None:
    offload = check_move(move).offload
    assert offload.is_certain is None
    assert [one.name for one in offload.unread] == unread


def test_a_copy_by_the_hosts_has_its_load_on_both_ends_predicted() -> None:
    source, target = check_move(between_arrays()).loads
    assert (source.end, target.end) == ("source", "target")
    for load in (source, target):
        assert isinstance(load.copying, Copying)
        assert load.copying.now.high < load.copying.then.high
    assert source.copying is not None
    assert source.copying.inputs[1].name == "reads of the copy"
    assert target.copying is not None
    assert target.copying.inputs[1].name == "writes of the copy"


def test_of_a_cap_the_wait_of_the_copys_own_commands_is_said() -> None:
    # 32 commands of 64 KiB are 2 MiB: at 50 MiB/s 40 ms.
    [reason] = [one for one in check_move(between_arrays(max_bytes_per_second=50 << 20)).reasons if one.code == "cap-target"]
    assert "40 ms" in reason.text


AT = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("earlier", "sort", "code"),
    [
        pytest.param((40, AT - timedelta(minutes=20)), Sort.AGAINST, "stands-still", id="two readings, no progress"),
        pytest.param((40, AT - timedelta(minutes=5)), Sort.AGAINST, "stands-still", id="as long as a watched move may stand"),
        pytest.param((40, AT - timedelta(minutes=4, seconds=59)), Sort.NOTE, "running", id="two readings too near to tell"),
        pytest.param((30, AT - timedelta(minutes=20)), Sort.NOTE, "running", id="two readings, ten per cent"),
        pytest.param(None, Sort.NOTE, "running", id="one reading says nothing of it"),
    ],
)
def test_a_move_that_advances_and_one_that_hangs_look_different(earlier: tuple[int, datetime] | None, sort: Sort, code: str) -> None:
    task = replace(TASK, started_at=AT - timedelta(minutes=40), read_at=AT, earlier=earlier)
    assert code in codes(a_move(tasks=(task,)), sort)


def test_of_a_snapshot_nobody_knows_how_much_is_copied() -> None:
    move = a_move(replace(DISK, file="[old] web/web-000001.vmdk"))
    assert {"space-unknown", "size-unread", "long-unknown"} == set(codes(move, Sort.UNREAD))


def test_space_that_earlier_moves_take_is_gone() -> None:
    assert codes(MOVE, promised=Interval(400 * GIB, 400 * GIB)) == []
    assert codes(MOVE, promised=Interval(401 * GIB, 401 * GIB)) == ["space"]
    [reason] = check_move(MOVE, promised=Interval(0, 450 * GIB)).reasons
    assert (reason.code, reason.text.partition(",")[0]) == ("space-unknown", "new has 50 GiB or more free after the moves before it")


def test_an_element_volume_counts_a_command_of_a_copy_ten_times() -> None:
    # 1,500 operations of 4 KiB a second are 150 commands of 64 KiB at a cost of 1,000 %: 9.4 MiB/s.
    [reason] = [one for one in check_move(between_arrays(max_iops=1500, command_cost=10.0)).reasons if one.code == "cap-target"]
    assert reason.title == "a cap of 9.38 MiB/s on the target"
    assert codes(between_arrays(max_iops=4000)) == [], "250 MiB/s where each counts once"
    assert codes(between_arrays(max_iops=1500, command_cost=None), Sort.UNREAD) == ["curve-target-unread"]


def test_limits_of_virtual_volumes_come_with_their_policy() -> None:
    assert {"qos-source-unread", "qos-target-unread"} <= set(codes(a_move(source={"type": "VVOL"}, target={"type": "VVOL"}), Sort.UNREAD))


def every_reason() -> list[Reason]:
    moves = [one.values[0] for one in (*AGAINST, *UNREAD)]
    return [reason for move in moves if isinstance(move, Move) for reason in check_move(move).reasons]


def test_every_reason_has_its_sentences_and_cites_a_page() -> None:
    for one in every_reason():
        assert one.title, one
        assert one.text.endswith("."), one
        assert one.do.endswith("."), one
        assert re.fullmatch(r"(docs/domain/[\w-]+\.md(#[\w-]+)?)?", one.source), one
        assert one.source or one.sort is Sort.UNREAD or one.code in ("task", "maintenance", "running"), one


STANDING = replace(TASK, started_at=AT - timedelta(minutes=40), read_at=AT, earlier=(40, AT - timedelta(minutes=20)))


@pytest.mark.parametrize(
    ("move", "text", "do"),
    [
        pytest.param(
            a_move(target={"free_bytes": 99 * GIB}),
            "new has 99 GiB free, and the disks take 100 GiB at least.",
            "Free space there or choose another datastore.",
            id="space",
        ),
        pytest.param(
            a_move(target={"free_bytes": 99 * GIB}, disks_read=False),
            "new has 99 GiB free, and the disks take 100 GiB at least.",
            "Free space there or choose another datastore.",
            id="space, with further disks perhaps",
        ),
        pytest.param(
            a_move(replace(DISK, size_bytes=None)),
            "new has 500 GiB free, and the disks take an unknown number of bytes: what thin disks and snapshots hold is not read.",
            "Look in vCenter how much the machine uses, snapshots included.",
            id="a size that was not read",
        ),
        pytest.param(
            a_move(target={"is_mounted": False}),
            "esx-1 does not mount new, or cannot reach it.",
            "Mount it there, or move the machine to a host that has both datastores.",
            id="mount",
        ),
        pytest.param(
            a_move(target={"latency_ms": 31.0}),
            "A command on new takes 31 ms now, before the copy begins.",
            "Find the cause first (rules diag/davg, diag/kavg): a copy makes it slower.",
            id="slow before it begins",
        ),
        pytest.param(
            a_move(source={"latency_ms": 31.0}, tasks=(TASK,)),
            "A command on old takes 31 ms now, with the copy.",
            "Find the cause first (rules diag/davg, diag/kavg): a copy makes it slower.",
            id="slow while it runs",
        ),
        pytest.param(
            a_move(
                target={"sioc_enabled": True, "has_array_qos": True, "qos": "Prod: 50 MiB/s", "io_metric_in_force": True, "pod": "gold"}
            ),
            "Storage I/O Control of new is on, and its array limits it as well (Prod: 50 MiB/s): it takes a slow tier or the "
            "array's own limit for congestion, and holds every host back.",
            "Switch it off there, the I/O metric of gold first, which switches it on: rules sioc/auto-tiering, sioc/overlap-array-qos, "
            "sdrs/io-metric-off (`auditor audit --fix`).",
            id="two throttles",
        ),
        pytest.param(
            a_move(target={"is_in_pod": True, "moves_by_itself": True, "pod": "gold"}),
            "Storage DRS of gold moves machines by itself: it may move this one again.",
            "Set the datastore cluster, or the machine in it, to manual until the array has settled: rule sdrs/manual-on-tiering.",
            id="Storage DRS",
        ),
        pytest.param(
            a_move(source={"is_in_pod": True, "moves_by_itself": True, "pod": "tin"}),
            "Storage DRS of tin moves machines by itself, also off or onto old while this copy runs.",
            "Set it to manual for the time of the move.",
            id="Storage DRS of the source",
        ),
        pytest.param(
            between_arrays(max_bytes_per_second=50 << 20, qos="Prod"),
            "The array's QoS leaves new 50 MiB/s (Prod), and a copy takes all it gets: at the cap its 32 commands take 40 ms each, "
            "and those of other machines wait among them.",
            "Take the cap off its volume for the time of the move, or move in a quiet hour.",
            id="a cap",
        ),
        pytest.param(
            a_move(tasks=(STANDING,)),
            "This move stands still: 40 %, as 20 minutes before.",
            "Look for a cap and for Storage I/O Control on the target before it is cancelled: rule sioc/active-time.",
            id="it stands still",
        ),
        pytest.param(
            a_move(tasks=(replace(STANDING, earlier=(30, AT - timedelta(minutes=20))),)),
            "This move advances: 40 %, and 30 % 20 minutes before.",
            "Let it end.",
            id="it advances",
        ),
        pytest.param(
            a_move(tasks=(replace(TASK, progress_percent=None),)),
            "This move runs, or waits to, already: its progress is not reported.",
            "Read again in some minutes, so that two readings show whether it advances; `auditor watch` shows both ends live.",
            id="of its progress nothing is known",
        ),
        pytest.param(
            a_move(uses_offload=False),
            "The hosts copy every block. For the array to copy it would take DataMover.HardwareAcceleratedMove at 1 on its host.",
            "Nothing to set: reckon with links, host queues and both arrays carrying it.",
            id="offload",
        ),
        pytest.param(
            a_move(target={"type": None}, source={"type": "NFS"}),
            "Whether the array copies is not known. It takes types of datastores that arrays copy between "
            "(it goes from NFS to a type that was not read).",
            "Read the fleet now with --fleet: the run did not ask for it, or its gaps say why (`auditor runs show`).",
            id="a type that was not read",
        ),
        pytest.param(
            a_move(source={"arrays": None, "array_key": None, "family": None}),
            "Whether the array copies is not known. It takes one array at both ends (it goes from an array that is not known to fa).",
            "Read the fleet now with --fleet: the run did not ask for it, or its gaps say why (`auditor runs show`).",
            id="an array that was not read",
        ),
    ],
)
def test_what_was_found_and_what_to_do_are_said(move: Move, text: str, do: str) -> None:
    assert (text, do) in [(one.text, one.do) for one in check_move(move).reasons]


def test_moves_before_it_are_named_where_space_is_short() -> None:
    [reason] = check_move(MOVE, promised=Interval(450 * GIB, 450 * GIB)).reasons
    assert reason.text == "new has 50 GiB free after the moves before it, and the disks take 100 GiB at least."


def test_hours_of_copying_stand_against_it_unless_the_array_copies() -> None:
    large = replace(DISK, size_bytes=1000 * GIB)
    free = {"free_bytes": 4000 * GIB}
    [reason] = check_move(a_move(large, target=free, uses_offload=False)).of(Sort.AGAINST)
    # 1,000 GiB at 227.3 and 249.9 MB/s are 78.7 and 71.6 minutes.
    assert (reason.code, reason.title) == ("long", "1 h 12 min to 1 h 19 min")
    assert reason.text == "Copying 1,000 GiB takes 1 h 12 min to 1 h 19 min, by the rate that incident S1's move reached."
    assert (
        reason.do
        == "Move the small machines of that source first, then this one alone, outside of busy hours; `auditor watch` shows both ends."
    )
    assert check_move(a_move(large, target=free)).verdict is MoveVerdict.CLEAR
    assert codes(a_move(large, target=free, uses_offload=None)) == ["long"], "it may be that the hosts copy"
    quick = check_move(a_move(large, target=free, uses_offload=False), others=((1e9, "mail"),))
    assert (quick.verdict, quick.took.basis) == (MoveVerdict.CLEAR, "measured")


def test_the_io_metric_alone_does_not_stand_against_it() -> None:
    assert check_move(a_move(target={"io_metric_in_force": True})).verdict is MoveVerdict.CLEAR


def test_the_title_says_which_array_it_is_about() -> None:
    titles = [
        check_move(a_move(target={"sioc_enabled": True} | more)).of(Sort.AGAINST)[0].title
        for more in ({"family": "dell-sc", "tiers": 2}, {"has_array_qos": True})
    ]
    assert titles == ["Storage I/O Control on an auto-tiered target", "Storage I/O Control on a target with array QoS"]


def test_an_end_is_shown_with_what_is_known_of_it() -> None:
    busy, idle = check_move(between_arrays(pool=None, latency_ms=2.0, neighbours=("mail",), neighbour_count=1)).loads[::-1]
    assert (busy.now_ms, busy.copying, busy.not_computed) == (2.0, None, "the load of its array was not read")
    assert (busy.neighbours, busy.neighbour_count) == (("mail",), 1)
    assert (idle.name, idle.not_computed, idle.neighbour_count) == ("old", "", 0)


def test_what_is_not_on_vmfs_needs_no_block_size_and_no_storage_io_control() -> None:
    shares = a_move(
        source={"type": "NFS", "block_size_kib": None, "can_clone": None},
        target={"type": "NFS41", "block_size_kib": None, "sioc_enabled": None},
    )
    assert [one.name for one in check_move(shares).offload.conditions] == ["datastore-types", "one-array", "host-option", "no-snapshot"]
    assert "sioc-unread" not in codes(shares, Sort.UNREAD)
    assert "sioc-unread" in codes(a_move(target={"type": "NFS", "sioc_enabled": None}), Sort.UNREAD)


def test_a_machine_that_lies_there_already_has_nothing_to_copy() -> None:
    there = replace(DISK, datastore_id="ds-2")
    move = a_move(there, target={"sioc_enabled": True, "has_array_qos": True, "free_bytes": 0})
    check = check_move(move)
    assert (check.move, check.verdict, check.loads) == (move, MoveVerdict.CLEAR, ())
    assert (check.took.size.high, check.offload.conditions[-1].name) == (0, "no-snapshot")
    assert [(one.code, one.text) for one in check.reasons] == [("nothing-to-copy", "All disks of web lie on new already.")]
    mapping = check_move(a_move(replace(DISK, rdm_mode="physicalMode")))
    assert [one.code for one in mapping.reasons] == ["rdm", "nothing-to-copy"]
    assert mapping.reasons[1].text == "web has no disk that a move copies."
    assert check_move(a_move(there, disks_read=False)).verdict is MoveVerdict.UNKNOWN, "it may have another disk elsewhere"
