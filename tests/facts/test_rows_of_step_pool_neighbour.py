"""The neighbours of a datastore on its pool that keep Storage I/O Control, beside pools and volumes of the same ids."""

from typing import Any

import pytest

from .single import Rows, rows_over

CAPPED: dict[str, Any] = {"qos_capped": True}
OPEN: dict[str, Any] = {"qos_capped": False}
METRIC: dict[str, Any] = {"pod_id": "weighing"}


def store(name: str, *volumes: str, on: bool | None = True, endpoint: str = "vc", **more: Any) -> dict[str, Rows]:
    """A VMFS datastore on these volumes, which `array/volume` names; columns of it and of what lies below may be given besides."""
    below = {key: more.pop(key) for key in ("qos_capped",) if key in more}
    given = {"endpoint": endpoint, "datastore_id": name, "name": name, "type": "VMFS", "sioc_enabled": on, **more}
    places = (volume.partition("/") for volume in volumes)
    lies = [
        {"endpoint": endpoint, "datastore_id": name, "array_endpoint": array, "volume_id": volume, **below} for array, _, volume in places
    ]
    return {"fact.datastore": [given], "step_datastore_volume": lies or [{"endpoint": endpoint, "datastore_id": name}]}


def neighbours(*stores: dict[str, Rows]) -> dict[str, str]:
    """By datastore, its neighbours, with "?" where there may be more.

    The first letter of a volume is its pool's; one that starts with "?" is on none that is known.
    """
    tables = {table: [row for one in stores for row in one[table]] for table in ("fact.datastore", "step_datastore_volume")}
    placed = {(row.get("array_endpoint"), row.get("volume_id")) for row in tables["step_datastore_volume"]} - {(None, None)}
    tables["step_volume"] = [
        {"endpoint": array, "volume_id": name, "pool_id": None if name[0] == "?" else name[0], "tiers": 2 if "moving" in name else 1}
        for array, name in placed
        if name is not None
    ]
    tables["step_array"] = [
        {"endpoint": name, "family": family}
        for name, family in (("sc", "dell-sc"), ("et", "eternus-dx"), ("na", "ontap"), ("el", "solidfire"))
    ]
    tables["step_endpoint_reading"] = [
        {"endpoint": "vc", "datastores_read": True, "pods_read": True},
        {"endpoint": "vc-2", "datastores_read": False, "pods_read": True},
        {"endpoint": "files", "datastores_read": True, "pods_read": False},
    ]
    tables["fact.storage_pod"] = [
        {"endpoint": "vc", "pod_id": "weighing", "sdrs_enabled": True, "io_metric_enabled": True},
        {"endpoint": "vc", "pod_id": "off", "sdrs_enabled": False, "io_metric_enabled": True},
        {"endpoint": "vc", "pod_id": "blind", "sdrs_enabled": True, "io_metric_enabled": False},
        {"endpoint": "vc", "pod_id": "untold", "sdrs_enabled": True},
        {"endpoint": "vc-2", "pod_id": "blind", "sdrs_enabled": True, "io_metric_enabled": True},
        {"endpoint": "vc-2", "pod_id": "weighing", "sdrs_enabled": False, "io_metric_enabled": False},
    ]
    rows = rows_over("step_pool_neighbour", tables)
    answer = {row["datastore_id"] + ("" if row["endpoint"] == "vc" else "@" + row["endpoint"]): _told(row) for row in rows}
    assert len(answer) == len(rows)
    return answer


def _told(row: dict[str, Any]) -> str:
    return (row["neighbours"] or "") + ("?" if row["is_open"] else "")


BOTH = {"a": "b", "b": "a"}
STAYING = store("b", "sc/p2", **OPEN)


@pytest.mark.parametrize(
    ("stores", "expected"),
    [
        pytest.param([store("a", "sc/p1", **CAPPED)], {}, id="alone"),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED)], {}, id="incident S1: the array caps both, and both lose it"
        ),
        pytest.param([store("a", "sc/p1", **CAPPED), STAYING], BOTH, id="nobody caps the other"),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **OPEN, on=False)], {}, id="the other has it off"),
        pytest.param(
            [store("a", "sc/p1", **CAPPED, on=False), store("b", "sc/p2"), store("c", "sc/p3")], {"b": "c", "c": "b"}, id="no caps"
        ),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/p2", on=None)], BOTH, id="the other may have it"),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/p2", on=None, sioc_supported=True)], BOTH, id="the other may have it yet"
        ),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED, on=None)], BOTH, id="capped, and not known to be on"),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/p2", on=None, sioc_supported=False)], {}, id="the other cannot have it"
        ),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/q2", **OPEN)], {}, id="on another pool"),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "et/p2", **OPEN)], {}, id="on a pool of the same id"),
        pytest.param([store("a", "sc/?1", **CAPPED), store("b", "sc/?2", **OPEN)], {"a": "?", "b": "?"}, id="on no pool that is known"),
        pytest.param([store("a", "sc/?1", **CAPPED), store("b", "sc/?2", **CAPPED)], {}, id="on no pool that is known, and both lose it"),
        pytest.param([store("a", "sc/?1", **OPEN)], {}, id="alone, on no pool that is known"),
        pytest.param(
            [store("a", "sc/?1", **OPEN), store("b", "sc/?2", on=False)], {}, id="the other, on no pool that is known, has it off"
        ),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/?2", **OPEN)], {"a": "?", "b": "?"}, id="the other on any pool, and stays"
        ),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/?2", **CAPPED)], {}, id="the other on any pool, and loses it too"),
        pytest.param([store("a", "sc/p1", **OPEN), store("b", "sc/?2", **CAPPED)], {"a": "?", "b": "?"}, id="the one on any pool loses it"),
        pytest.param(
            [store("a", "sc/p1", **OPEN), store("b", "sc/p2", **OPEN), store("c", "sc/?3", **OPEN)],
            {"a": "b?", "b": "a?", "c": "?"},
            id="two on a pool, and one on any",
        ),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "et/?2", **OPEN)], {}, id="on any pool of another array"),
        pytest.param([store("a", "el/?1", **OPEN), store("b", "el/?2", **OPEN)], {}, id="an array without pools"),
        pytest.param([store("a"), store("b")], {}, id="on no array that is known"),
        pytest.param([store("a", "na/p1", **CAPPED), store("b", "na/p2", **CAPPED)], BOTH, id="ONTAP's caps go together with it"),
        pytest.param([store("a", "et/p1", **CAPPED), store("b", "et/p2", **CAPPED)], {}, id="an ETERNUS's do not"),
        pytest.param([store("a", "no/p1", **CAPPED), store("b", "no/p2", **CAPPED)], BOTH, id="nobody knows whose caps they are"),
        pytest.param([store("a", "sc/p-moving", **OPEN), store("b", "sc/p2", **CAPPED)], {}, id="blocks move between tiers"),
        pytest.param([store("a", "et/p-moving", **OPEN), store("b", "et/p2", **CAPPED)], BOTH, id="of another family no rule says so"),
        pytest.param([store("a", "sc/p1", **CAPPED, type="NFS"), store("b", "sc/p2", **CAPPED)], BOTH, id="a share stays"),
        pytest.param([store("a", "sc/p1", **CAPPED, type=None), store("b", "sc/p2", **CAPPED)], BOTH, id="of no known type"),
        pytest.param([store("a", "sc/p1", **CAPPED, type="NFS41"), store("b", "sc/p2", **OPEN)], {}, id="no rule counts such a share"),
        pytest.param([store("a", "sc/p1", "sc/p3", **CAPPED), store("b", "sc/p2", **CAPPED)], BOTH, id="several extents"),
        pytest.param(
            [store("a", "sc/p1", "sc/?", **CAPPED), store("b", "sc/p2", **CAPPED)], {"a": "b?", "b": "a?"}, id="an extent that nobody knows"
        ),
        pytest.param(
            [store("a", "sc/p1", "sc/q1", **CAPPED), STAYING, store("c", "sc/q2", **CAPPED)],
            {"a": "b, c", "b": "a", "c": "a"},
            id="2 pools",
        ),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED, **METRIC)], BOTH, id="Storage DRS turns it on again"),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED, pod_id="off")], {}, id="Storage DRS is off"),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED, pod_id="blind")], {}, id="it does not weigh I/O"),
        pytest.param([store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED, pod_id="untold")], BOTH, id="it may weigh I/O"),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED, pod_id="gone")], BOTH, id="a datastore cluster that was not read"
        ),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED), store("c", "sc/q3"), store("d", "sc/q4")],
            {"c": "d", "d": "c"},
            id="another pool of the array is mixed",
        ),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED), store("c", "et/p3"), store("d", "et/p4")],
            {"c": "d", "d": "c"},
            id="a pool of the same id is mixed",
        ),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED), store("c", "sc/q3", "sc/q4", on=False)],
            {},
            id="a third one has several extents",
        ),
        pytest.param(
            [store("a", "sc/p1", **CAPPED), store("b", "sc/p2", **CAPPED), store("a", "sc/q3", "sc/q4", on=False, endpoint="vc-2")],
            {},
            id="one of the same id elsewhere has several extents",
        ),
        pytest.param([store("a", "sc/p1", **OPEN), store("b", "sc/p1", **OPEN)], BOTH, id="two partitions of one volume"),
        pytest.param(
            [store("a", "sc/p1", **OPEN), {**store("gone", "sc/p2", **OPEN), "fact.datastore": []}], {}, id="an extent of no datastore"
        ),
        pytest.param(
            [store("a", "sc/p1", **OPEN), store("b", "sc/p2", **OPEN, endpoint="vc-3")],
            {"a": "b", "b@vc-3": "a"},
            id="nothing was read there",
        ),
    ],
)
def test_neighbours_that_keep_storage_io_control_are_named(stores: list[dict[str, Rows]], expected: dict[str, str]) -> None:
    assert neighbours(*stores) == expected


def test_a_datastore_of_two_vcenters_loses_it_in_both_where_no_datastore_cluster_gives_it_back() -> None:
    """VMware supports neither (rule sioc/supported-datastore)."""
    here, pod = store("a", "sc/p1", **OPEN), METRIC
    there = store("a", "sc/p1", **OPEN, endpoint="vc-2", **pod)
    assert neighbours(here, there) == {}
    assert neighbours(here, there, store("z", "sc/p9", on=False), store("y", "et/p1", on=False)) == {}, "others are known by one"
    assert neighbours(here, store("a", "sc/p1", **OPEN, endpoint="vc-2")) == {"a": "a", "a@vc-2": "a"}, "it may be in a datastore cluster"
    assert neighbours(here, store("a", "sc/p1", **OPEN, endpoint="files")) == {"a": "a", "a@files": "a"}, "no file names one"
    assert neighbours(here, store("a", "et/p1", **OPEN, endpoint="vc-2")) == {}, "a volume of the same id elsewhere"
    second = store("b", "sc/p2", **OPEN, endpoint="vc-2", **pod)
    assert neighbours(here, second) == {"a": "b", "b@vc-2": "a"}, "another volume of the pool"
    same = store("a", "sc/p2", **CAPPED, endpoint="vc-2", **pod)
    assert neighbours(store("a", "sc/p1", **CAPPED), same) == {}
    assert neighbours(store("a", "sc/p1", **CAPPED, pod_id="blind"), same) == {}, (
        "the datastore cluster of the same id elsewhere weighs I/O"
    )


def test_of_many_neighbours_the_first_five_are_named() -> None:
    found = neighbours(*(store(f"d{n}", f"sc/p{n}", **OPEN) for n in range(1, 8)))
    assert found["d7"] == "d1, d2, d3, d4, d5 and 1 more"
