"""Each condition for an array to copy: whether it holds, in words, with its source; what is not known of one end is not known."""

from dataclasses import replace

import pytest

from auditor.moves.ends import Move, Store
from auditor.moves.offload import Condition, is_one_array, offload_of, place_of
from tests.moves.samples import DISK, MACHINE, MOVE, SOURCE, TARGET, a_move

FACTS = "docs/domain/facts.md"


def of(move: Move, name: str) -> list[Condition]:
    return [one for one in offload_of(move).conditions if one.name == name]


def two_sources(**second: object) -> Move:
    """MOVE, with a second disk on another datastore that differs in these things; None of all: it was not read."""
    stores = {"ds-1": SOURCE}
    if second:
        stores["ds-3"] = replace(SOURCE, datastore_id="ds-3", **second)  # type: ignore[arg-type]
    disks = (DISK, replace(DISK, name="Hard disk 2", datastore_id="ds-3"))
    return Move(replace(MACHINE, disks=disks), stores, TARGET)


def test_every_condition_is_said_with_its_source() -> None:
    found = offload_of(MOVE)
    assert found.is_certain is True
    assert [(one.name, one.text, one.source) for one in found.conditions] == [
        ("datastore-types", "types of datastores that arrays copy between (it goes from VMFS to VMFS)", f"{FACTS}#3-12"),
        ("one-array", "one array at both ends (it goes from fa to fa)", f"{FACTS}#3-8"),
        ("devices", "devices that the host reports as able to clone (vaai status get)", f"{FACTS}#3-4"),
        ("host-option", "DataMover.HardwareAcceleratedMove at 1 on its host", f"{FACTS}#3-1"),
        ("block-size", "one block size on both datastores", f"{FACTS}#3-12"),
        ("no-snapshot", "a machine without snapshots", f"{FACTS}#3-12"),
    ]


def test_a_datastore_of_a_disk_that_was_not_read_leaves_open_what_depends_on_it() -> None:
    found = {one.name: one.holds for one in offload_of(two_sources()).conditions}
    assert found == {
        "datastore-types": None,
        "one-array": None,
        "devices": True,
        "host-option": True,
        "block-size": None,
        "no-snapshot": True,
    }
    assert [one.holds for one in of(a_move(disks_read=False), "no-snapshot")] == [None], "another disk may be of a snapshot"


def test_where_nothing_is_copied_nothing_is_known_of_it() -> None:
    there = a_move(replace(DISK, datastore_id="ds-2"))
    [types], [arrays] = of(there, "datastore-types"), of(there, "one-array")
    assert (types.holds, arrays.holds) == (None, None)
    assert types.text.endswith("(it goes from a type that was not read to VMFS)")
    assert arrays.text.endswith("(it goes from an array that is not known to fa)")


def test_of_several_sources_each_is_named_and_the_worst_counts() -> None:
    move = two_sources(type=None, arrays=None, array_key="dell-sc 2", family="dell-sc")
    [types], [arrays] = of(move, "datastore-types"), of(move, "one-array")
    assert types.text.endswith("(it goes from VMFS, a type that was not read to VMFS)")
    assert arrays.text.endswith("(it goes from fa, a dell-sc array outside of the fleet to fa)")
    assert (types.holds, arrays.holds) == (None, False)
    [unread] = of(a_move(target={"type": None}), "datastore-types")
    assert unread.text.endswith("(it goes from VMFS to a type that was not read)")


@pytest.mark.parametrize(("source", "target"), [("VMFS", "NFS"), ("NFS", "VMFS"), ("NFS", "NFS")])
def test_blocks_are_compared_between_vmfs_datastores_alone(source: str, target: str) -> None:
    assert of(a_move(source={"type": source}, target={"type": target}), "block-size") == []
    assert len(of(a_move(source={"type": None}, target={"type": "VMFS"}), "block-size")) == 1


UNKNOWN = replace(SOURCE, array_key=None, arrays=None, family=None)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        pytest.param(UNKNOWN, UNKNOWN, True, id="the same datastore"),
        pytest.param(SOURCE, TARGET, True, id="one array"),
        pytest.param(SOURCE, replace(TARGET, array_key="flasharray 2"), False, id="two of one family"),
        pytest.param(UNKNOWN, replace(TARGET, array_key=None), None, id="the family of one alone is known"),
        pytest.param(SOURCE, replace(UNKNOWN, datastore_id="ds-2"), None, id="the array of one alone is known"),
        pytest.param(SOURCE, replace(TARGET, array_key=None), None, id="one family"),
    ],
)
def test_two_datastores_are_on_one_array_as_far_as_that_is_known(one: Store, other: Store, is_one: bool | None) -> None:
    assert is_one_array(one, other) is is_one


def test_an_array_is_called_as_far_as_it_is_known() -> None:
    assert place_of(SOURCE) == "fa"
    assert place_of(replace(SOURCE, arrays=None)) == "a flasharray array outside of the fleet"
    assert place_of(UNKNOWN) == "an array that is not known"
