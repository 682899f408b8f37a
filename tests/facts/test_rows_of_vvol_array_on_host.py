"""The whole row of each host and Element cluster: which of the array's protocol endpoints the host sees, and how many there are to see."""

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, seen
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

NODE: Row = {"state": "active", "role": "Storage", "is_fibre_channel": False, "version": "12.3.0.958"}
# By cluster, its nodes, and how many of them have a protocol endpoint; source: docs/domain/facts.md#10-2.
NODES: dict[str, tuple[list[Row], int | None]] = {
    "mixed": ([{}, {"state": "pending"}, {"role": "Witness"}, {"is_fibre_channel": True}, {"role": None, "version": "11.8.0"}], 2),
    "none": ([], 0),
    "of no state of an endpoint": ([{}], 1),
    "of no role": ([{}, {"role": None}], None),
    "of no state": ([{"state": None}], None),
    "of no port": ([{"is_fibre_channel": None}], None),
    "of no port, away": ([{"is_fibre_channel": None, "state": "offline"}], 0),
    "nodes not read": ([{}], None),
    "endpoints not read": ([{}], 1),
}
LOST = {"nodes not read": "nodes", "endpoints not read": "protocol_endpoints"}
KEY = {name: f"{n:08x}" for n, name in enumerate((*NODES, "main", "nobody's"), 1)}


def pe(name: str, n: int = 1) -> str:
    """The name of a cluster's n-th protocol endpoint; docs/domain/arrays.md#device-names."""
    return f"naa.6f47acc2{n:08x}{KEY[name]}00000000"


def sees(given: Facts, host_id: str, *devices: str, endpoint: str = "vc", **more: Any) -> None:
    rows = ({**seen(device, "solidfire", is_protocol_endpoint=True), **more} for device in devices)
    add(given, "device", *({**row, "endpoint": endpoint, "host_id": host_id} for row in rows))


def fleet() -> Facts:
    """Hosts of cluster gold see other endpoints of "main" each; a cluster of the same id is in "vc-2"."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2"):
        vcenter(given, endpoint)
    for name, unread in (("both", ""), ("one", ""), ("none", ""), ("not read", "devices")):
        host(given, "vc", name, f"{name} of vc", "gold", unread={unread})
    host(given, "vc-2", "one", "one of vc-2", "gold")
    for name, (nodes, _) in NODES.items():
        host(given, "vc", f"of {name}", f"of {name} of vc", None)
        sees(given, f"of {name}", pe(name))
        _element(given, name, nodes, {1: "Active"} | ({2: None} if name == "of no state of an endpoint" else {}))
    _element(given, "main", [{}], {1: "Active", 2: "Failover", 4: "Active", 5: "Reserved"})
    sees(given, "both", pe("main", 1), pe("main", 2), pe("main", 3))
    sees(given, "both", "naa.624a9370")
    sees(given, "both", pe("main", 4), is_protocol_endpoint=False)
    sees(given, "one", pe("main", 1))
    sees(given, "one", pe("main", 2), pe("nobody's"), endpoint="vc-2")
    for row in given["reading"]:
        row["complete"] &= LOST.get(row["endpoint"]) != row["topic"]
    return given


def _element(given: Facts, name: str, nodes: list[Row], endpoints: dict[int, str | None]) -> None:
    array(given, name, EndpointKind.ELEMENT)
    add(given, "array_node", *({**NODE, "endpoint": name, "node_id": f"{n}", **node} for n, node in enumerate(nodes)))
    rows = ({"endpoint": name, "protocol_endpoint_id": f"{n}", "device": pe(name, n), "state": state} for n, state in endpoints.items())
    add(given, "array_protocol_endpoint", *rows)


FLEETS = [fleet]
USUAL: Row = {"endpoint": "vc", "cluster": None, "active_endpoints": 1, "endpoints_in_other_states": 0}


def row(host_id: str, name: str, visible: int | None, active: int | None, *, nodes: int | None, of: str = "vc", **more: Any) -> Row:
    """How many of the cluster's endpoints the host sees, and how many of these are active."""
    names = {
        "resource_id": f"{host_id}/{KEY[name]}",
        "resource_name": name,
        "array_name": name,
        "host_id": host_id,
        "host": f"{host_id} of {of}",
    }
    given = {"visible_endpoints": visible, "visible_active_endpoints": active, "active_nodes": nodes}
    return {**names, **given, "endpoint": of, **more}


MAIN: Row = {"cluster": "gold", "active_endpoints": 2, "endpoints_in_other_states": 2}
NOBODYS: Row = {"array_name": None, "resource_name": "Element cluster " + KEY["nobody's"], "cluster": "gold"}
NOT_READ: Row = {"active_endpoints": None, "endpoints_in_other_states": None, "visible_active_endpoints": None}
EXPECTED = expected(
    USUAL,
    row("both", "main", 3, 1, nodes=1, **MAIN),
    row("one", "main", 1, 1, nodes=1, **MAIN),
    row("none", "main", 0, 0, nodes=1, **MAIN),
    row("not read", "main", None, None, nodes=1, **MAIN),
    row("one", "main", 1, 0, nodes=1, of="vc-2", **MAIN),
    row("one", "nobody's", 1, None, nodes=None, of="vc-2", **NOBODYS, active_endpoints=None, endpoints_in_other_states=None),
    *(
        row(f"of {name}", name, 1, 1, nodes=nodes) | (NOT_READ if name in ("endpoints not read", "of no state of an endpoint") else {})
        for name, (_, nodes) in NODES.items()
    ),
)


def test_each_host_is_told_with_the_endpoints_it_sees_of_each_cluster() -> None:
    assert rows_by_id("vvol_array_on_host", fleet()) == EXPECTED
