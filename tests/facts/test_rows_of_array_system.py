"""The whole row of each array: its own open alerts, and what its volumes are promised together."""

from typing import Any

from auditor.model import EndpointKind

from .fleets import Facts, array
from .whole_rows import Row, add, expected, rows_by_id

E, P, N = EndpointKind.ELEMENT, EndpointKind.FLASHARRAY, EndpointKind.ONTAP
FULL: Row = {"severity": "critical", "code": "full", "summary": "Full.", "is_open": True}
DRIVE: Row = {"severity": "error", "component": "node 1", "code": "drive", "is_open": True}
FAN: Row = {"severity": "warning", "component": "fan", "is_open": True}
# By array, its alerts.
ALERTS: dict[str, list[Row]] = {
    "well": [],
    "told": [FULL, DRIVE, {**DRIVE, "component": "node 2"}, FAN, {**FULL, "code": "info", "severity": "info"}],
    "silenced": [{**FULL, "is_open": False}, {**DRIVE, "is_open": False}, {**FAN, "is_open": False, "severity": None}],
    "severity not known": [{**FULL, "severity": None}, DRIVE, FAN],
    "silenced or not": [{**FULL, "is_open": None}],
    "not read": [],
    "not read, and one seen": [FULL],
}
NODES: dict[str, list[str | None]] = {
    "all up": ["up", "up"],
    "one taken over": ["up", "taken_over"],
    "all others": ["booting", "down", "waiting_for_giveback", "degraded"],
    "one not known": ["up", "unknown"],
    "one not understood": ["up", None],
    "one down, one not known": ["down", "unknown"],
    "nodes not read": [],
    "nodes not read, and one seen": ["down"],
    "without nodes": [],
}
"""By ONTAP, the states of its nodes."""
OTHERS: dict[str, tuple[EndpointKind, list[str]]] = {
    "pure": (P, ["ready", "not ready", "updating"]),
    "pure not known": (P, ["ready", "unknown"]),
    "pure and a new word": (P, ["ready", "resting"]),
    "3par": (P, ["up", "down"]),  # by its plugin
    "element": (E, ["active", "down"]),
}
"""Likewise of other families."""
NOT_READ = ("not read", "not read, and one seen")


def fleet() -> Facts:
    """ "twin" is "well" under another name; minimums are of Element clusters."""
    given: Facts = {"reading": []}
    for name, alerts in ALERTS.items():
        array(given, name, P)
        add(given, "array_alert", *({"endpoint": name, "alert_id": f"{n}", **alert} for n, alert in enumerate(alerts)))
    array(given, "xwin", P, array_id="id of well")
    volumes: list[Row] = [{"name": "a", "qos_min_iops": 60}, {"name": "b", "qos_min_iops": 50}]
    array(given, "fits", E, *volumes)
    array(given, "full", E, *volumes)
    array(given, "capacity not told", E, *volumes)
    array(given, "one minimum not told", E, *volumes, {"name": "c"})
    array(given, "one minimum not told, and full", E, *volumes, {"name": "c"})
    array(given, "volumes not read", E, *volumes, read=False)
    array(given, "without volumes", E)
    most = {"fits": 110, "full": 109, "one minimum not told": 110, "one minimum not told, and full": 109, "volumes not read": 110}
    add(given, "array_qos_limit", *({"endpoint": name, "cluster_iops": iops} for name, iops in {**most, "without volumes": 1}.items()))
    array(given, "not told how it is", EndpointKind.ETERNUS)
    for row in given["array"]:
        if row["endpoint"] == "not told how it is":
            row["reports_alerts"] = False
    for name, (kind, states_here) in OTHERS.items():
        array(given, name, kind)
        given["array"][-1]["family"] = "3par" if name == "3par" else given["array"][-1]["family"]
        nodes = ({"endpoint": name, "node_id": f"{n}", "name": f"n{n}", "state": state} for n, state in enumerate(states_here))
        add(given, "array_node", *nodes)
    for name, states in NODES.items():
        array(given, name, N)
        add(given, "array_node", *({"endpoint": name, "node_id": f"n{n}", "name": f"n{n}", "state": one} for n, one in enumerate(states)))
    add(given, "array_node", {"endpoint": "fits", "node_id": "1", "name": "1", "state": "pending"})
    for row in given["reading"]:
        row["complete"] &= not (row["endpoint"].startswith("nodes not read") and row["topic"] == "nodes")
    for row in given["reading"]:
        row["complete"] &= not (row["endpoint"] in NOT_READ and row["topic"] == "alerts")
    return given


FLEETS = [fleet]
USUAL: Row = {
    "cluster": None, "host": None, "family": "flasharray", "array_model": None, "array_firmware": None, "reports_alerts": True,
    "critical_alerts": 0, "error_alerts": 0, "warning_alerts": 0, "critical_words": None, "error_words": None, "warning_words": None,
    "silenced_alerts": 0, "nodes_not_up": None, "nodes_not_up_words": None,
    "cluster_iops": None, "promised_iops": None, "promised_volumes": None, "is_oversold": None,
}  # fmt: skip
NONE_KNOWN: Row = {"critical_alerts": None, "error_alerts": None, "warning_alerts": None}


def row(name: str, **more: Any) -> Row:
    return {"endpoint": name, "resource_id": name, "resource_name": name, **more}


def cluster(name: str, iops: int | None, oversold: bool | None, promised: int | None = 110, volumes: int | None = 2) -> Row:
    promise = {"cluster_iops": iops, "promised_iops": promised, "promised_volumes": volumes, "is_oversold": oversold}
    return row(name, family="solidfire", **promise)


EXPECTED = expected(
    USUAL,
    row("well"),
    row(
        "told",
        critical_alerts=1,
        error_alerts=2,
        warning_alerts=1,
        critical_words="full: Full.",
        error_words="node 1: drive; node 2: drive",
        warning_words="fan",
    ),
    row("silenced", silenced_alerts=3),
    row("severity not known", **NONE_KNOWN | {"error_alerts": 1, "warning_alerts": 1}, error_words="node 1: drive", warning_words="fan"),
    row("silenced or not", **NONE_KNOWN),
    row("not read", **NONE_KNOWN, silenced_alerts=None),
    row("not read, and one seen", **NONE_KNOWN | {"critical_alerts": 1}, critical_words="full: Full.", silenced_alerts=None),
    cluster("fits", 110, oversold=False),
    cluster("full", 109, oversold=True),
    cluster("capacity not told", None, oversold=None),
    cluster("one minimum not told", 110, oversold=None),
    cluster("one minimum not told, and full", 109, oversold=True),
    cluster("volumes not read", 110, oversold=None),
    cluster("without volumes", 1, oversold=False, promised=None, volumes=None),
    row("not told how it is", family="eternus-dx", reports_alerts=False),
    row("all up", family="ontap", nodes_not_up=0),
    row("one taken over", family="ontap", nodes_not_up=1, nodes_not_up_words="n1 is taken_over"),
    row(
        "all others",
        family="ontap",
        nodes_not_up=4,
        nodes_not_up_words="n0 is booting, n1 is down, n2 is waiting_for_giveback, n3 is degraded",
    ),
    row("one not known", family="ontap"),
    row("one not understood", family="ontap"),
    row("one down, one not known", family="ontap", nodes_not_up=1, nodes_not_up_words="n0 is down"),
    row("nodes not read", family="ontap"),
    row("nodes not read, and one seen", family="ontap", nodes_not_up=1, nodes_not_up_words="n0 is down"),
    row("without nodes", family="ontap"),
    row("pure", nodes_not_up=2, nodes_not_up_words="n1 is not ready, n2 is updating"),
    row("pure not known"),
    row("pure and a new word"),
    row("3par", family="3par", nodes_not_up=1, nodes_not_up_words="n1 is down"),
    cluster("element", None, oversold=None, promised=None, volumes=None),
)


def test_each_array_is_shown_once_with_its_open_alerts_and_its_promises() -> None:
    assert rows_by_id("array_system", fleet()) == EXPECTED
