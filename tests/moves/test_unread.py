"""What is said of each thing that was not read: which it is, a title of a few words, what to do."""

from dataclasses import replace

import pytest

from auditor.moves.check import check_move
from auditor.moves.ends import Move
from auditor.moves.reasons import Reason, Sort
from tests.moves.samples import DISK, MOVE, a_move, between_arrays

AGAIN = "Read the fleet now with --fleet: the run did not ask for it, or its gaps say why (`auditor runs show`)."
ADD = "Add the array to fleet.yaml (docs/how-to/your-own-fleet.md)."


def unread(move: Move) -> list[Reason]:
    return [one for one in check_move(move).reasons if one.sort is Sort.UNREAD]


@pytest.mark.parametrize(
    ("move", "code", "title", "text", "do"),
    [
        pytest.param(
            replace(MOVE, stores={}),
            *("disks", "its disks", "Not all disks of web were read, or on which datastore they lie.", AGAIN),
            id="a datastore of a disk",
        ),
        pytest.param(
            a_move(disks_read=False),
            *("disks", "its disks", "Not all disks of web were read, or on which datastore they lie.", AGAIN),
            id="disks",
        ),
        pytest.param(
            a_move(DISK, replace(DISK, name="Hard disk 2", shares_bus=None)),
            *("sharing", "shared disks", "Whether other machines share Hard disk 2 was not read.", AGAIN),
            id="how a controller shares its bus",
        ),
        pytest.param(
            a_move(tasks_read=False),
            *("tasks", "tasks", "The tasks of vCenter were not read: one may work on the machine.", AGAIN),
            id="tasks",
        ),
        pytest.param(
            a_move(target={"is_mounted": None}), *("mounts", "mounts", "Whether esx-1 mounts new was not read.", AGAIN), id="mounts"
        ),
        pytest.param(
            a_move(target={"is_mounted": None}, host=None),
            *("mounts", "mounts", "Whether its host mounts new was not read.", AGAIN),
            id="mounts, and its host",
        ),
        pytest.param(
            a_move(target={"free_bytes": None}), *("free", "free space", "How much of new is free was not read.", AGAIN), id="space"
        ),
        pytest.param(
            a_move(target={"is_in_pod": True}),
            *("pod", "Storage DRS", "Whether new is in a datastore cluster that moves machines was not read.", AGAIN),
            id="Storage DRS",
        ),
        pytest.param(
            a_move(target={"sioc_enabled": None}),
            *("sioc", "Storage I/O Control", "Whether Storage I/O Control is on on new was not read.", AGAIN),
            id="Storage I/O Control",
        ),
        pytest.param(
            a_move(target={"arrays": None}),
            "array-target",
            "the array of the target",
            "The array behind the target new is not in the fleet, or was not read: its QoS, tiers and load are not known.",
            ADD,
            id="the array of the target",
        ),
        pytest.param(
            a_move(source={"arrays": None}),
            "array-source",
            "the array of the source",
            "The array behind the source old is not in the fleet, or was not read: its QoS, tiers and load are not known.",
            ADD,
            id="the array of the source",
        ),
        pytest.param(
            a_move(target={"type": "VVOL"}),
            "qos-target",
            "QoS of the target",
            "Which limits the array gives the disks on new stands in their storage policy, which is not looked at.",
            "Look at the storage policy of the machine.",
            id="QoS of virtual volumes",
        ),
        pytest.param(
            a_move(source={"has_array_qos": None}),
            *("qos-source", "QoS of the source", "Whether the array's QoS limits old was not read.", AGAIN),
            id="QoS",
        ),
        pytest.param(
            a_move(target={"sioc_enabled": True, "family": "dothill", "tiers": None}),
            *("tiers", "tiers of the target", "Whether the array moves blocks of new between tiers was not read.", AGAIN),
            id="tiers",
        ),
        pytest.param(
            between_arrays(max_iops=1500, command_cost=None),
            *("curve-target", "QoS of the target", "What a command of the copy counts under the array's QoS on new was not read.", AGAIN),
            id="a volume's curve",
        ),
        pytest.param(
            a_move(source={"latency_ms": None}),
            *("load-source", "load of the source", "How long a command on old takes now was not read.", AGAIN),
            id="load",
        ),
        pytest.param(
            a_move(uses_offload=None, source={"can_clone": None}),
            "offload",
            "offload",
            "Whether the array copies is not known. It takes devices that the host reports as able to clone (vaai status get); "
            "DataMover.HardwareAcceleratedMove at 1 on its host.",
            AGAIN,
            id="offload",
        ),
        pytest.param(
            a_move(replace(DISK, size_bytes=None), uses_offload=False),
            "size",
            "how much is copied",
            "How much is copied is not known: a disk's size, or what its snapshots hold, is not read.",
            "Look in vCenter how much the machine uses; delete snapshots that nobody needs.",
            id="size",
        ),
    ],
)
def test_what_was_not_read_is_said_with_what_to_do(move: Move, code: str, title: str, text: str, do: str) -> None:
    assert Reason(f"{code}-unread", Sort.UNREAD, title, text, do) in unread(move)


@pytest.mark.parametrize(
    "move",
    [
        pytest.param(a_move(source={"sioc_enabled": True, "family": "dell-sc", "tiers": None}), id="tiers of the source"),
        pytest.param(a_move(target={"sioc_enabled": False, "family": "dell-sc", "tiers": None}), id="tiers, without Storage I/O Control"),
        pytest.param(a_move(target={"sioc_enabled": True, "tiers": None}), id="tiers of an array that has none"),
        pytest.param(a_move(target={"is_in_pod": True, "moves_by_itself": False}), id="Storage DRS that moves nothing"),
        pytest.param(a_move(target={"max_iops": 1500}), id="a ceiling whose cost is known"),
        pytest.param(a_move(target={"command_cost": None}), id="a cost without a ceiling"),
        pytest.param(a_move(replace(DISK, size_bytes=None), target={"free_bytes": None}), id="space and size, where the array copies"),
    ],
)
def test_what_was_read_or_does_not_matter_is_not_called_unread(move: Move) -> None:
    assert {one.code for one in unread(move)} <= {"free-unread"}


def test_a_disk_on_a_datastore_that_was_not_read_has_no_source() -> None:
    assert replace(MOVE, stores={}).sources == ()
    assert a_move(replace(DISK, datastore_id=None)).sources == ()
