"""The whole row of each device that arrays present: the offloads that its hosts say it supports."""

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, seen
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

FIRST, SECOND, FAR = ("vc", "host-1"), ("vc", "host-2"), ("vc-2", "host-1")
ALL: Row = {"ats_status": "supported", "clone_status": "supported", "zero_status": "supported", "delete_status": "supported"}
NO_CLONE = {**ALL, "clone_status": "unsupported", "delete_status": "unsupported"}
NONE = dict.fromkeys(ALL, "unsupported")
# By device, the hosts that see it, each with what it reports; None: it was not asked.
DEVICES: dict[str, dict[tuple[str, str], Row | None]] = {
    "all": {FIRST: ALL, SECOND: ALL},
    "one not asked": {FIRST: ALL, SECOND: None},
    "nobody asked": {FIRST: None},
    "one says no": {FIRST: ALL, SECOND: NO_CLONE},
    "one says no, one not asked": {FIRST: NO_CLONE, SECOND: None},
    "nothing supported": {FIRST: NONE, SECOND: ALL},
    "told in part": {FIRST: ALL, SECOND: {**ALL, "ats_status": None}},
    "told without clone": {FIRST: {**ALL, "clone_status": None}},
    "told without zero": {FIRST: {**ALL, "zero_status": None}},
    "delete not told": {FIRST: ALL, SECOND: {**ALL, "delete_status": None}},
    "nothing told": {FIRST: {}},
    "of both": {FIRST: ALL, FAR: ALL},
    "of both, one not asked": {FIRST: ALL, FAR: None},
    "of both, two families": {FIRST: ALL, FAR: {**ALL, "vendor": "NETAPP", "model": "LUN C-Mode"}},
    "mpx.local": {FIRST: ALL},
    "endpoint": {FIRST: ALL, SECOND: ALL},
    "lun": {FIRST: ALL},
}


def vcenters(*unread: str) -> Facts:
    given: Facts = {}
    vcenter(given, "vc")
    vcenter(given, "vc-2", unread=unread)
    for (endpoint, host_id), name in ((FIRST, "esx-1"), (SECOND, "esx-2"), (FAR, "far-1")):
        host(given, endpoint, host_id, name, None)
        add(given, "hba", {"endpoint": endpoint, "host_id": host_id, "hba": "x", "initiator": f"wwn of {name}"})
    return given


def sees(given: Facts, device: str, reported: dict[tuple[str, str], Row | None], **more: Any) -> None:
    for (endpoint, host_id), row in reported.items():
        key = {"endpoint": endpoint, "host_id": host_id, "device": device}
        inquiry = {name: value for name, value in (row or {}).items() if name in ("vendor", "model")}
        add(given, "device", {**seen(device, "flasharray"), **inquiry, **more, **key})
        if row is not None:
            add(given, "device_offload", {**key, **{name: value for name, value in row.items() if name not in inquiry}})


def fleet() -> Facts:
    """Hosts of one id are in both vCenters; "endpoint" is a protocol endpoint as one of its hosts has it."""
    given = vcenters()
    for device, reported in DEVICES.items():
        sees(given, device, reported)
    for row in given["device"]:
        row["is_protocol_endpoint"] = (row["device"], row["host_id"]) == ("endpoint", "host-2")
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "db", "device": "lun"})
    return given


def hosts_not_listed() -> Facts:
    """There may be more hosts, except for a device whose array lists them."""
    given = vcenters("hosts")
    for device in ("listed", "not listed"):
        sees(given, device, {FIRST: ALL})
    sees(given, "no clone", {FIRST: NO_CLONE})
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "db", "device": "listed"})
    add(given, "array_initiator", {"endpoint": "fa", "array_host_id": "h", "initiator": "wwn of esx-1"})
    add(given, "array_connection", {"endpoint": "fa", "array_host_id": "h", "volume_id": "db"})
    return given


FLEETS = [fleet, hosts_not_listed]
USUAL: Row = {"endpoint": "vc", "cluster": None, "host": None, "family": "flasharray", "array_name": None, "volume": None}
TWO: Row = {"hosts": 2, "host_names": "esx-1, esx-2"}
ONE: Row = {"hosts": 1, "host_names": "esx-1"}
BOTH: Row = {"hosts": 2, "host_names": "esx-1, far-1"}


def row(device: str, seen_by: Row, missing: str | None, *, no_delete: bool | None, **more: Any) -> Row:
    names = {"resource_id": device, "resource_name": device, "device": device}
    return {**names, **seen_by, "missing_offloads": missing, "without_delete": no_delete, **more}


EXPECTED = expected(
    USUAL,
    row("all", TWO, "", no_delete=False),
    row("one not asked", TWO, None, no_delete=None),
    row("nobody asked", ONE, None, no_delete=None),
    row("one says no", TWO, "Clone", no_delete=True),
    row("one says no, one not asked", TWO, "Clone", no_delete=True),
    row("nothing supported", TWO, "ATS, Clone, Zero", no_delete=True),
    row("told in part", TWO, None, no_delete=False),
    row("told without clone", ONE, None, no_delete=False),
    row("told without zero", ONE, None, no_delete=False),
    row("delete not told", TWO, "", no_delete=None),
    row("nothing told", ONE, None, no_delete=None),
    row("of both", BOTH, "", no_delete=False),
    row("of both, one not asked", BOTH, None, no_delete=None),
    row("of both, two families", BOTH, "", no_delete=False, family=None),
    row("lun", ONE, "", no_delete=False, array_name="fa", volume="db"),
)


def test_an_offload_is_missing_where_one_host_says_no_and_there_where_all_say_yes() -> None:
    assert rows_by_id("offload", fleet()) == EXPECTED


def test_all_hosts_say_yes_only_where_all_are_known() -> None:
    rows = rows_by_id("offload", hosts_not_listed())
    found = {row["device"]: (row["missing_offloads"], row["without_delete"]) for row in rows.values()}
    assert found == {"listed": ("", False), "not listed": (None, None), "no clone": ("Clone", True)}
