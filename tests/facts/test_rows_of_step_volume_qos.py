"""The QoS in force on each volume, in figures and in words, and who else is under the same ceiling."""

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array
from .single import Rows, chained
from .whole_rows import Row, expected, rows_of_step

MIB = 2**20
POLICY: Row = {"qos_policy": "shared", "qos_policy_id": "p", "qos_shared": True}
GROUP: Row = {"qos_group": "G", "qos_group_id": "g"}
VOLUMES: dict[str, Row] = {
    "nothing": {},
    "not read": {"qos_read": False},
    "not told": {"qos_read": None},
    "max": {"qos_max_iops": 100},
    "bytes": {"qos_max_bytes_per_second": MIB},
    "min": {"qos_min_iops": 50},
    "min, the rest not read": {"qos_min_iops": 50, "qos_read": False},
    "burst": {"qos_burst_iops": 160},
    "all": {"qos_min_iops": 50, "qos_max_iops": 100, "qos_burst_iops": 160, "qos_max_bytes_per_second": MIB, "qos_priority": "high"},
    "priority": {"qos_priority": "+10"},
    "no priority": {"qos_priority": "+0"},
    "policy of its own": {"qos_policy": "own", "qos_policy_id": "o", "qos_shared": False},
    "policy of its own too": {"qos_policy": "own", "qos_policy_id": "o", "qos_shared": False},
    "policy, shared or not": {"qos_policy": "own", "qos_policy_id": "o"},
    "policy a": POLICY,
    "policy b": POLICY | GROUP | {"qos_max_iops": 100, "qos_group_max_iops": 70},
    "group a": GROUP
    | {"qos_group_max_iops": 70, "qos_group_max_bytes_per_second": 2 * MIB, "qos_max_iops": 60, "qos_max_bytes_per_second": MIB},
    "group b": GROUP | {"qos_group_max_bytes_per_second": 2 * MIB, "qos_max_bytes_per_second": 3 * MIB},
    "group of one": {"qos_group_id": "h"},
    "group of one, not read": {"qos_group_id": "i", "qos_group_max_iops": 70, "qos_read": False},
    "nothing, and limits on its files": {"kind": "share", "qos_levels_read": False},
    "max, and limits on its files": {"kind": "share", "qos_levels_read": False, "qos_max_iops": 100},
    "not read, and limits on its files": {"kind": "share", "qos_levels_read": False, "qos_read": False},
    "a share of an older snapshot": {"kind": "share", "qos_levels_read": None},
    "a LUN of an older snapshot": {"kind": "lun", "qos_levels_read": None},
}


ONE_WAY: list[Row] = [
    {"name": "reads", "qos_reads_policy_id": "read/1", "qos_read": False},
    {"name": "both ways", "qos_reads_policy_id": "read/1", "qos_writes_policy_id": "write/2", "qos_read": False, "qos_max_iops": 500},
    {"name": "reads, not understood", "qos_reads_policy_id": "read/9", "qos_writes_policy_id": "write/1", "qos_read": False},
]
"""Of an ETERNUS: volumes whose reads or writes have categories of their own."""


def fleet() -> Facts:
    """ "fb" has policies and groups of the same ids, and not all its volumes were read; "el" is an Element cluster."""
    given: Facts = {"reading": []}
    array(given, "fa", EndpointKind.FLASHARRAY, *({"name": name, **reported} for name, reported in VOLUMES.items()))
    array(
        given, "fb", EndpointKind.FLASHARRAY, *({"name": name, **VOLUMES[name]} for name in ("policy a", "group a", "nothing")), read=False
    )
    given.setdefault("array_volume", []).append({"endpoint": "gone", "volume_id": "nothing", "name": "nothing", "qos_read": True})
    array(
        given,
        "el",
        EndpointKind.ELEMENT,
        {"name": "policy a", **POLICY, "qos_shared": None},
        {"name": "policy c", **POLICY, "qos_shared": None},
    )
    array(given, "dx", EndpointKind.ETERNUS, {"name": "max", "qos_max_iops": 100, "qos_levels_read": None}, *map(dict, ONE_WAY))
    given["array_qos_policy"] = [
        {"endpoint": "dx", "policy_id": "read/1", "name": "category 1, reads", "max_iops": 300, "max_bytes_per_second": 25 * MIB},
        {"endpoint": "dx", "policy_id": "write/2", "max_bytes_per_second": 5 * MIB},
        {"endpoint": "dx", "policy_id": "read/9", "name": "category 9, reads", "is_read": False},
        {"endpoint": "fa", "policy_id": "write/1", "max_iops": 1},
    ]
    return given


FLEETS = [fleet]
FIGURES = ("qos_min_iops", "qos_burst_iops", "qos_group_max_iops", "qos_group_max_bytes_per_second", "qos_priority", "qos_policy")
BY_SIZE = ("max_iops_at_least", "max_iops_at_most", "block_bytes")
NOT_BY_SIZE: Row = {  # test_adaptive_ceiling_rows.py has those that go by size
    **{f"{whose}_{what}": None for whose in ("own", "group") for what in BY_SIZE},
    "is_own_adaptive": False,
    "is_group_adaptive": False,
}
USUAL: Row = {**NOT_BY_SIZE, **dict.fromkeys(FIGURES), "qos_group": None, "qos_sharers": 0, "qos_shared_by": ""}


def row(
    name: str, of: str, qos: str | None, iops: int | None = None, rate: int | None = None, *, capped: bool | None = False, **more: Any
) -> Row:
    """A volume's QoS in words, and the tightest ceilings of its own and of its group."""
    answer = VOLUMES.get(name, POLICY)
    handed_on = {column: answer[column] for column in FIGURES if column in answer}
    own = {"own_max_iops": answer.get("qos_max_iops"), "own_max_bytes_per_second": answer.get("qos_max_bytes_per_second")}
    tightest = {"qos_max_iops": iops, "qos_max_bytes_per_second": rate, "is_capped": capped or bool(iops or rate) or capped}
    read = {"own_qos": qos, "is_whole": answer.get("qos_read", True)}
    return {"endpoint": of, "resource_id": name, "volume_id": name, "qos": qos, **read, **handed_on, **own, **tightest, **more}


def one_way(name: str, words: str | None, iops: int | None = None) -> Row:
    """A volume of the ETERNUS; what is not understood is no ceiling for certain, and nothing of it is read whole."""
    told = None if words is None else f"{words}; the rest was not read"
    return row("reads", "dx", told, iops, capped=True if words else None) | {
        "resource_id": name,
        "volume_id": name,
        "own_max_iops": iops,
        "qos_policy": None,
        "is_whole": False,
    }


LEVELS: Row = {"is_whole": False}  # a limit on another level, or one that was not read


NOT_KNOWN: Row = {"qos_sharers": None, "qos_shared_by": None}
OF_POLICY: Row = {"qos_sharers": 1, "qos_shared_by": "policy a, policy b"}
OF_GROUP: Row = {"qos_group": "G", "qos_sharers": 2, "qos_shared_by": "group a, group b, policy b"}
GROUP_A = "the volume itself: 60 IOPS, 1.0 MiB/s; group G: 70 IOPS, 2.0 MiB/s"
EXPECTED = expected(
    USUAL,
    row("nothing", "fa", "none"),
    row("not read", "fa", None, capped=None),
    row("not told", "fa", None, capped=None),
    row("max", "fa", "the volume itself: 100 IOPS", 100),
    row("bytes", "fa", "the volume itself: 1.0 MiB/s", None, MIB),
    row("min", "fa", "the volume itself: no ceiling, at least 50"),
    row("min, the rest not read", "fa", "the volume itself: at least 50; the rest was not read", capped=None),
    row("burst", "fa", "the volume itself: no ceiling, burst 160"),
    row("all", "fa", "the volume itself: 100 IOPS, burst 160, at least 50, 1.0 MiB/s, priority high", 100, MIB),
    row("priority", "fa", "the volume itself: no ceiling, priority +10"),
    row("no priority", "fa", "none", qos_priority=None),
    row("policy of its own", "fa", "own: no ceiling"),
    row("policy of its own too", "fa", "own: no ceiling"),
    row("policy, shared or not", "fa", "own: no ceiling", **NOT_KNOWN),
    row("policy a", "fa", "shared: no ceiling", **OF_POLICY),
    # The tighter ceiling is the group's, and so are the more sharers.
    row("policy b", "fa", "shared: 100 IOPS; group G: 70 IOPS", 70, **OF_GROUP),
    row("group a", "fa", GROUP_A, 60, MIB, **OF_GROUP),
    row("group b", "fa", "the volume itself: 3.0 MiB/s; group G: 2.0 MiB/s", None, 2 * MIB, **OF_GROUP),
    row("group of one", "fa", "group h: no ceiling", qos_group="h"),
    row("group of one, not read", "fa", "group i: 70 IOPS; the rest was not read", 70, qos_group="i"),
    row("nothing, and limits on its files", "fa", "none of its own; the rest was not read", capped=None, own_qos="none", **LEVELS),
    row(
        "max, and limits on its files",
        "fa",
        "the volume itself: 100 IOPS; the rest was not read",
        100,
        own_qos="the volume itself: 100 IOPS",
        **LEVELS,
    ),
    row("not read, and limits on its files", "fa", None, capped=None),
    row("a share of an older snapshot", "fa", "none of its own; the rest was not read", capped=None, own_qos="none", **LEVELS),
    row("a LUN of an older snapshot", "fa", "none"),
    row("max", "dx", "the volume itself: 100 IOPS; the rest was not read", 100, own_qos="the volume itself: 100 IOPS", **LEVELS),
    row("policy a", "fb", "shared: no ceiling", **NOT_KNOWN),
    row("group a", "fb", GROUP_A, 60, MIB, qos_group="G", **NOT_KNOWN),
    row("nothing", "fb", "none", **NOT_KNOWN),
    row("nothing", "gone", "none of its own; the rest was not read", capped=None, own_qos="none", **LEVELS | NOT_KNOWN),  # of no kind
    one_way("reads", "category 1, reads: 300 IOPS, 25.0 MiB/s"),
    one_way("both ways", "the volume itself: 500 IOPS; category 1, reads: 300 IOPS, 25.0 MiB/s; write/2: 5.0 MiB/s", 500),
    one_way("reads, not understood", None),
    # Each volume of an Element policy has the limits to itself.
    row("policy a", "el", "shared: no ceiling"),
    row("policy c", "el", "shared: no ceiling"),
)


def rows() -> dict[tuple[str, str], Row]:
    found = [row | {"resource_id": row["volume_id"]} for row in rows_of_step("step_volume_qos", fleet())]
    return {(row["endpoint"], row["volume_id"]): row for row in found}


def test_each_volume_is_under_the_tighter_of_its_own_ceiling_and_its_group_s() -> None:
    assert rows() == EXPECTED


BOTH: Row = {"max_iops": 4000, "max_bytes_per_second": 300 * MIB}


# Source: NetApp KB, "Quality of Service limit is not enforced": 4,000 IOPS, 300 MB/s and a floor of 200 IOPS, and 1,111.75 MB/s are done. A
# LUN may be under such a policy by the file system that it lies in, and from ONTAP 9.8 on a floor may be one in MB/s.
@pytest.mark.parametrize(
    ("family", "policy", "rate"),
    [
        pytest.param("ontap", {"min_iops": 200}, None, id="a floor"),
        pytest.param("ontap", {"raw": '{"min_throughput_mbps": 20}'}, None, id="a floor in MB/s"),
        pytest.param("ontap", {"raw": '{"min_throughput": "20MB/s"}'}, None, id="a floor in words"),
        pytest.param("ontap", {"raw": '{"min_throughput_mbps": 0, "min_throughput": "0"}'}, 300 * MIB, id="no floor"),
        pytest.param("ontap", {"min_iops": 200, "max_iops": None}, 300 * MIB, id="a floor, and bytes alone"),
        pytest.param("solidfire", {"min_iops": 200}, 300 * MIB, id="another family"),
    ],
)
@pytest.mark.parametrize("whose", ["own", "group"])
def test_ontap_enforces_no_ceiling_in_bytes_beside_a_floor_and_one_in_operations(
    family: str, policy: Row, rate: int | None, whose: str
) -> None:
    given = {**BOTH, **policy}
    id_of, of_group = {"own": ("qos_policy_id", ""), "group": ("qos_group_id", "group_")}[whose]
    limits = {f"qos_{of_group}{name}": given[name] for name in BOTH}
    tables: dict[str, Rows] = {
        "step_volume": [{"endpoint": "n", "volume_id": "1", "qos_read": True, "qos_levels_read": True, id_of: "p", **limits}],
        "fact.array_qos_policy": [{"endpoint": "n", "policy_id": "p", **given}],
        "step_array": [{"endpoint": "n", "family": family}],
    }
    [qos] = chained("step_volume_qos", tables)
    columns = ("qos_max_bytes_per_second", {"own": "own_max_bytes_per_second", "group": "qos_group_max_bytes_per_second"}[whose])
    assert [qos[name] for name in columns] == [rate, rate]
    assert (qos["qos_max_iops"], qos["is_capped"]) == (given["max_iops"], True)
    assert qos["qos"] == qos["own_qos"] + (" (MiB/s are not enforced beside a floor)" if rate is None else "")
    assert qos["own_qos"].endswith("300.0 MiB/s"), "as in baselines"
