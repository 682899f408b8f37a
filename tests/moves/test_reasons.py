"""Each reason about a move, whole: its code and sort, a title, what was found, what to do, the source."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from auditor.impact.interval import Interval
from auditor.moves.check import check_move
from auditor.moves.ends import Move
from auditor.moves.reasons import Reason, Sort
from auditor.moves.time import DEFAULT_RATE
from tests.moves.samples import DISK, GIB, MACHINE, MOVE, SOURCE, TARGET, TASK, a_move, between_arrays

AT = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
FACTS, S1 = "docs/domain/facts.md", "docs/domain/incidents.md#s1"
HOURS = "Move the small machines of that source first, then this one alone, outside of busy hours; `auditor watch` shows both ends."
TASK_7 = replace(TASK, started_at=AT - timedelta(minutes=40), read_at=AT)
SNAPSHOT = replace(TASK, task_id="task-8", is_move=False, description="VirtualMachine.createSnapshot")


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        pytest.param(
            a_move(tasks=(TASK_7, SNAPSHOT)),
            Reason(
                *("task", Sort.AGAINST, "another task works on it"),
                "VirtualMachine.createSnapshot runs, or waits to, on web.",
                "Wait until that task has ended.",
            ),
            id="a task beside the move that runs",
        ),
        pytest.param(
            a_move(target={"is_mounted": False}, host=None),
            Reason(
                *("not-mounted", Sort.AGAINST, "its host lacks the target"),
                "its host does not mount new, or cannot reach it.",
                "Mount it there, or move the machine to a host that has both datastores.",
                f"{FACTS}#3-13",
            ),
            id="the host lacks it",
        ),
        pytest.param(
            a_move(target={"maintenance_mode": "inMaintenance"}),
            Reason(
                *("maintenance", Sort.AGAINST, "the target is in maintenance"),
                "new is in maintenance mode, or enters it (inMaintenance).",
                "Choose another datastore.",
            ),
            id="maintenance",
        ),
        pytest.param(
            a_move(DISK, replace(DISK, name="Hard disk 2", rdm_mode="virtualMode")),
            Reason(
                *("rdm", Sort.NOTE, "a raw device mapping stays behind"),
                "Hard disk 2 is a raw device mapping (virtualMode): a move takes its pointer along, and leaves its data behind.",
                "Move that LUN by means of the array; keep the format as it is, or a disk in virtual mode is copied into a file.",
                f"{FACTS}#3-13",
            ),
            id="a mapping",
        ),
        pytest.param(
            a_move(
                *(replace(DISK, name=f"Hard disk {n}", shares_bus=n > 1) for n in (1, 2, 3)),
                replace(DISK, name="Hard disk 4", shares_bus=True, datastore_id="ds-2"),
            ),
            Reason(
                *("shared-disk", Sort.AGAINST, "a disk that other machines share"),
                "The controller of Hard disk 2, Hard disk 3 shares its bus, as in a cluster of machines: "
                "no running machine can be moved with such a disk.",
                "Let the cluster's own software copy to new disks there, "
                "or switch off all machines that share it and attach it to each anew.",
                f"{FACTS}#3-13",
            ),
            id="disks that other machines share; one lies on the target already",
        ),
        pytest.param(
            a_move(replace(DISK, datastore_id="ds-2")),
            Reason("nothing-to-copy", Sort.NOTE, "nothing to copy", "All disks of web lie on new already.", "Nothing to do."),
            id="nothing to copy",
        ),
        pytest.param(
            a_move(target={"free_bytes": 99 * GIB}),
            Reason(
                *("space", Sort.AGAINST, "it does not fit"),
                "new has 99 GiB free, and the disks take 100 GiB at least.",
                "Free space there or choose another datastore.",
                f"{FACTS}#3-13",
            ),
            id="space",
        ),
        pytest.param(
            a_move(replace(DISK, is_thin=True), target={"free_bytes": 99 * GIB}),
            Reason(
                *("space-unknown", Sort.UNREAD, "whether it fits"),
                "new has 99 GiB free, and the disks take up to 100 GiB: what thin disks and snapshots hold is not read.",
                "Look in vCenter how much the machine uses, snapshots included.",
                f"{FACTS}#3-13",
            ),
            id="space for a thin disk",
        ),
        pytest.param(
            a_move(tasks=(TASK,), target={"free_bytes": 60 * GIB}),
            Reason(
                *("space-unknown", Sort.UNREAD, "whether it fits"),
                "new has 60 GiB free, and the disks take up to 100 GiB: how much of that it has taken already is not read.",
                "Look in vCenter how much the machine uses, snapshots included.",
                f"{FACTS}#3-13",
            ),
            id="space for a move that runs",
        ),
        pytest.param(
            a_move(tasks=(TASK,), target={"free_bytes": 0}),
            Reason(
                *("space-unknown", Sort.UNREAD, "whether it fits"),
                "new has 0 B free, and the disks take up to 100 GiB: how much of that it has taken already is not read.",
                "Look in vCenter how much the machine uses, snapshots included.",
                f"{FACTS}#3-13",
            ),
            id="no space left for a move that runs: it may have all",
        ),
        pytest.param(
            a_move(tasks=(replace(TASK_7, earlier=(40, AT - timedelta(minutes=120))),)),
            Reason(
                *("stands-still", Sort.AGAINST, "it runs and stands still"),
                "This move stands still: 40 %, as 120 minutes before.",
                "Look for a cap and for Storage I/O Control on the target before it is cancelled: rule sioc/active-time.",
                S1,
            ),
            id="it stands still",
        ),
        pytest.param(
            a_move(tasks=(replace(TASK_7, progress_percent=None, earlier=(40, AT - timedelta(minutes=20))),)),
            Reason(
                *("running", Sort.NOTE, "it runs already"),
                "This move runs, or waits to, already: its progress is not reported.",
                "Read again in some minutes, so that two readings show whether it advances; `auditor watch` shows both ends live.",
            ),
            id="its progress is reported no more",
        ),
        pytest.param(
            a_move(tasks=(replace(TASK_7, read_at=None, earlier=(40, AT)),)),
            Reason(
                *("running", Sort.NOTE, "it runs already"),
                "This move runs, or waits to, already: 40 %.",
                "Read again in some minutes, so that two readings show whether it advances; `auditor watch` shows both ends live.",
            ),
            id="when it was read is not known",
        ),
        pytest.param(
            a_move(tasks=(replace(TASK_7, target_id=None),)),
            Reason(
                *("running-unread", Sort.UNREAD, "where a running move goes"),
                "A move of web runs, or waits to, already, and where to was not read: 40 %.",
                "Look in vCenter where it goes.",
            ),
            id="where it goes is not known",
        ),
        pytest.param(
            a_move(target={"sioc_active_percent": 3.0}),
            Reason(
                *("sioc-active", Sort.AGAINST, "Storage I/O Control is active on the target"),
                "Storage I/O Control held new back for 3 % of the last five minutes.",
                "Find what it holds back before more is asked of that datastore: rule sioc/active-time.",
                S1,
            ),
            id="Storage I/O Control at work on the target",
        ),
        pytest.param(
            a_move(source={"sioc_active_percent": 3.0}),
            Reason(
                *("sioc-active", Sort.AGAINST, "Storage I/O Control is active on the source"),
                "Storage I/O Control held old back for 3 % of the last five minutes.",
                "Find what it holds back before more is asked of that datastore: rule sioc/active-time.",
                S1,
            ),
            id="and on the source",
        ),
        pytest.param(
            a_move(target={"io_metric_in_force": True, "has_array_qos": True, "pod": "gold", "qos": "Prod"}),
            Reason(
                *("io-metric", Sort.AGAINST, "Storage DRS's I/O metric beside array QoS"),
                "The I/O metric of gold switches on Storage I/O Control of new, beside the array's QoS (Prod).",
                "Switch the I/O metric off first: rule sdrs/io-metric-off.",
                f"{FACTS}#4-4",
            ),
            id="the I/O metric",
        ),
        pytest.param(
            a_move(target={"is_in_pod": True, "moves_by_itself": True, "pod": "gold"}),
            Reason(
                *("sdrs-target", Sort.AGAINST, "Storage DRS may move it again"),
                "Storage DRS of gold moves machines by itself: it may move this one again.",
                "Set the datastore cluster, or the machine in it, to manual until the array has settled: rule sdrs/manual-on-tiering.",
                f"{FACTS}#4-5",
            ),
            id="Storage DRS of the target",
        ),
        pytest.param(
            a_move(source={"is_in_pod": True, "moves_by_itself": True, "pod": "tin"}),
            Reason(
                *("sdrs-source", Sort.NOTE, "Storage DRS works on the source"),
                "Storage DRS of tin moves machines by itself, also off or onto old while this copy runs.",
                "Set it to manual for the time of the move.",
                f"{FACTS}#4-4",
            ),
            id="Storage DRS of the source",
        ),
        pytest.param(
            a_move(target={"sioc_enabled": True, "family": "dothill", "tiers": 3, "has_array_qos": True, "qos": "Prod"}),
            Reason(
                *("sioc", Sort.AGAINST, "Storage I/O Control on an auto-tiered target"),
                "Storage I/O Control of new is on, and its array moves blocks between 3 tiers and its array limits it as well (Prod): "
                "it takes a slow tier or the array's own limit for congestion, and holds every host back.",
                "Switch it off there: rules sioc/auto-tiering, sioc/overlap-array-qos, sdrs/io-metric-off (`auditor audit --fix`).",
                f"{FACTS}#4-5",
            ),
            id="tiers and a limit",
        ),
        pytest.param(
            a_move(target={"latency_ms": 30.0}),
            Reason(
                *("slow", Sort.AGAINST, "the target is slow now"),
                "A command on new takes 30 ms now, before the copy begins.",
                "Find the cause first (rules diag/davg, diag/kavg): a copy makes it slower.",
                f"{FACTS}#4-1",
            ),
            id="the target is slow",
        ),
        pytest.param(
            a_move(source={"latency_ms": 30.0}),
            Reason(
                *("slow", Sort.AGAINST, "the source is slow now"),
                "A command on old takes 30 ms now, before the copy begins.",
                "Find the cause first (rules diag/davg, diag/kavg): a copy makes it slower.",
                f"{FACTS}#4-1",
            ),
            id="the source is slow",
        ),
        pytest.param(
            a_move(source={"max_bytes_per_second": 2 << 20, "qos": "Prod"}, uses_offload=False),
            # 32 commands of 64 KiB are 2 MiB: a second.
            Reason(
                *("cap-source", Sort.AGAINST, "a cap of 2 MiB/s on the source"),
                "The array's QoS leaves old 2 MiB/s (Prod), and a copy takes all it gets: at the cap its 32 commands take 1000 ms each, "
                "and those of other machines wait among them.",
                "Take the cap off its volume for the time of the move, or move in a quiet hour.",
                S1,
            ),
            id="a cap of the source",
        ),
        pytest.param(
            a_move(uses_offload=False, target={"can_clone": False}),
            Reason(
                *("not-offloaded", Sort.NOTE, "no offload"),
                "The hosts copy every block. For the array to copy it would take devices that the host reports as able to clone (vaai "
                "status get); DataMover.HardwareAcceleratedMove at 1 on its host.",
                "Nothing to set: reckon with links, host queues and both arrays carrying it.",
                f"{FACTS}#3-4",
            ),
            id="no offload for two reasons",
        ),
        pytest.param(
            a_move(replace(DISK, size_bytes=None), uses_offload=False),
            Reason(
                *("long-unknown", Sort.UNREAD, "how long it takes"),
                "How much is copied was not read, so how long it takes is not known either.",
                "Look in vCenter how much the machine uses.",
            ),
            id="how long is not known",
        ),
        pytest.param(
            # S1's 1.5 TB, which are 1.36 TiB, took 6,600 s; had they been 1.5 TiB, they would take 6,003 s.
            a_move(replace(DISK, size_bytes=1_500_000_000_000), target={"free_bytes": 4000 * GIB}, uses_offload=False),
            Reason(
                *("long", Sort.AGAINST, "1 h 40 min to 1 h 50 min"),
                "Copying 1.36 TiB takes 1 h 40 min to 1 h 50 min, by the rate that incident S1's move reached.",
                HOURS,
                S1,
            ),
            id="hours",
        ),
    ],
)
def test_a_reason_is_said_whole(move: Move, reason: Reason) -> None:
    assert reason in check_move(move).reasons


def codes(move: Move) -> list[str]:
    return [one.code for one in check_move(move).reasons]


def test_space_that_is_promised_already_is_not_there_twice() -> None:
    [reason] = check_move(MOVE, promised=Interval(600 * GIB, 600 * GIB)).reasons
    assert (reason.code, reason.text) == (
        "space",
        "new has 0 B free after the moves before it, and the disks take 100 GiB at least.",
    )
    [unsure] = check_move(MOVE, promised=Interval(0, 600 * GIB)).reasons
    assert unsure.text.startswith("new has 0 B or more free after the moves before it, and the disks take up to 100 GiB: ")


@pytest.mark.parametrize(
    "target",
    [
        pytest.param({"priority": "Lower"}, id="a word that begins so"),
        pytest.param({"priority": "Medium", "latency_ms": 21.0}, id="no threshold"),
        pytest.param({"priority": "Medium", "latency_threshold_ms": 20.0, "latency_ms": None}, id="no latency"),
        pytest.param({"priority": "", "latency_threshold_ms": 20.0, "latency_ms": 21.0}, id="no priority"),
        pytest.param({"priority": None, "latency_threshold_ms": 20.0, "latency_ms": 21.0}, id="priorities were not read"),
    ],
)
def test_a_priority_holds_nothing_back_where_one_of_its_parts_is_missing(target: dict[str, object]) -> None:
    assert "priority" not in codes(a_move(target=target))


def test_a_cap_of_what_a_move_reaches_does_not_hold_it_back() -> None:
    assert "cap-target" not in codes(between_arrays(max_bytes_per_second=round(DEFAULT_RATE.high) + 1))
    assert "cap-target" in codes(between_arrays(max_bytes_per_second=round(DEFAULT_RATE.high) - 1))


def test_a_move_of_unknown_size_that_is_long_in_any_case_stands_against_it() -> None:
    # 1,000 GiB take more than an hour, whatever the other disk has.
    disks = (replace(DISK, size_bytes=1000 * GIB), replace(DISK, name="Hard disk 2", size_bytes=None))
    move = Move(replace(MACHINE, disks=disks, uses_offload=False), {"ds-1": SOURCE}, replace(TARGET, free_bytes=4000 * GIB))
    found = codes(move)
    assert "long" in found
    assert "long-unknown" not in found


def test_a_copy_of_which_it_is_not_known_whether_it_takes_an_hour_stands_against_it() -> None:
    # 227 and 250 MB/s: between 818 and 900 GB take an hour by one of them.
    move = a_move(replace(DISK, size_bytes=850_000_000_000), target={"free_bytes": 4000 * GIB}, uses_offload=False)
    assert "long" in codes(move)
    assert "long" not in codes(a_move(replace(DISK, size_bytes=800_000_000_000), target={"free_bytes": 4000 * GIB}, uses_offload=False))


def test_an_hour_is_not_longer_than_an_hour() -> None:
    known = replace(DISK, size_bytes=3_600_000_000)
    found = check_move(a_move(known, uses_offload=False), others=((1e6, "mail"),))
    assert found.took.seconds == Interval.exactly(3600)
    assert [one.code for one in found.reasons] == ["not-offloaded"]
    unknown = check_move(a_move(known, replace(DISK, name="Hard disk 2", size_bytes=None), uses_offload=False), others=((1e6, "mail"),))
    assert "long-unknown" in [one.code for one in unknown.reasons]
