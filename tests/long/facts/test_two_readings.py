"""Facts that have two readings: where they differ neither is believed, and a gap says what to do."""

from typing import Any

import pytest

from auditor.facts.macros import create_macros
from auditor.facts.schema import TABLES
from auditor.facts.snapshots.two_readings import COMPARED
from auditor.model import EndpointKind
from tests.facts.fleets import Facts, array, builder, gaps, hosts, on_all_hosts, seen, view
from tests.facts.judged import judged

LUN = "naa.600a0980383041327a2b4b7a55696b61"
REFRESH = "vCenter's copy is old: refresh the storage of the host"


def paths(
    host: str, count: int, working: int | None = None, *, psp: str = "VMW_PSP_RR", satp: str = "VMW_SATP_ALUA", dead: int = 0
) -> list[dict[str, Any]]:
    """Paths of a host to the LUN by vCenter's copy, and how many of them carry I/O; None: the copy does not report it."""
    return [
        {"host_id": host, "device": LUN, "hba": f"vmhba{n % 2}", "path": f"p{n}", "target": f"wwn.{n}", "transport": "fc"}
        | {"state": "dead" if n >= count - dead else "active", "psp": psp, "satp": satp}
        | {"is_working": None if working is None else n < working}
        for n in range(count)
    ]


def own(host: str, working: int, psp: str = "VMW_PSP_RR", satp: str = "VMW_SATP_ALUA") -> dict[str, Any]:
    """What the host's own esxcli lists of the LUN."""
    return {"host_id": host, "device": LUN, "psp": psp, "satp": satp, "rr_policy": "rr", "rr_iops": 1000, "working_paths": working}


def fleet(first: list[dict[str, Any]], listed: dict[str, Any] | None, second: int = 4) -> Facts:
    """Two hosts and their LUN: the paths of the first by either reading; those of the second are as many by both."""
    given = hosts()
    on_all_hosts(given, seen(LUN, "ontap", queue_depth=64))
    given["path"] = [*first, *paths("host-2", second, second)]
    given["device_policy"] = [*([listed] if listed else []), own("host-2", second)]
    given["hba"] = [
        {"host_id": host["host_id"], "hba": hba, "kind": "fc", "driver": "lpfc"} for host in given["host"] for hba in ("vmhba0", "vmhba1")
    ]
    return given


def told(given: Facts) -> list[tuple[str, str]]:
    """The gaps that two readings leave: what and why."""
    return [(what, why) for _, what, why in gaps(given) if what.startswith("two readings of ")]


@pytest.mark.parametrize(
    ("first", "listed", "verdict"),
    [
        pytest.param(paths("host-1", 2, 2), own("host-1", 4), "unknown", id="the copy has two, the host four (vCheck-vSphere#201)"),
        pytest.param(paths("host-1", 2), own("host-1", 4), "unknown", id="likewise, by a snapshot that lacks what carries I/O"),
        pytest.param(paths("host-1", 4, 4), own("host-1", 2), "unknown", id="the copy has four, the host two"),
        pytest.param(paths("host-1", 4), own("host-1", 2), "unknown", id="likewise, by a snapshot that lacks what carries I/O"),
        pytest.param(paths("host-1", 4, 3, dead=1), own("host-1", 4), "unknown", id="one is dead by the copy alone"),
        pytest.param([], own("host-1", 4), "unknown", id="the copy has none"),
        pytest.param(paths("host-1", 4, 2), own("host-1", 2), "pass", id="two of four are not optimized, by both"),
        pytest.param(paths("host-1", 4, 4), own("host-1", 4), "pass", id="both have four"),
        pytest.param(paths("host-1", 4, 0), own("host-1", 4), "pass", id="the copy has no working path of an idle device"),
        pytest.param(
            paths("host-1", 4, 1, psp="VMW_PSP_FIXED"), own("host-1", 1, "VMW_PSP_FIXED"), "pass", id="a fixed policy keeps to one"
        ),
        pytest.param(
            paths("host-1", 4, psp="VMW_PSP_FIXED"), own("host-1", 1, "VMW_PSP_FIXED"), "pass", id="likewise, of an older snapshot"
        ),
        pytest.param(paths("host-1", 4, 4), None, "pass", id="another plug-in serves it, or esxcli was refused"),
        pytest.param(paths("host-1", 2, 2), own("host-1", 2), "fail", id="both have two, the neighbour four"),
        pytest.param(paths("host-1", 4, 3, dead=1), own("host-1", 3), "fail", id="one is dead by both"),
    ],
)
def test_paths_are_judged_where_the_copy_is_what_the_host_lists(
    first: list[dict[str, Any]], listed: dict[str, Any] | None, verdict: str
) -> None:
    given = fleet(first, listed)
    assert judged("multipath/path-count", given)[f"host-1/{LUN}"] == verdict
    texts = told(given)
    assert (len(texts) == 1 and REFRESH in texts[0][1]) if verdict == "unknown" else not texts


def test_the_gap_has_both_numbers_and_names_the_host() -> None:
    [(what, why)] = told(fleet(paths("host-1", 2, 2), own("host-1", 4)))
    assert what == f"two readings of the paths: {LUN} on esx-1"
    assert why.startswith("vCenter's copy has 2 working paths, the host's own esxcli 4 working paths. ")
    assert "esxcli storage core adapter rescan" in why
    assert "RefreshStorageSystem" in why


@pytest.mark.parametrize(
    ("more", "differs"),
    [
        pytest.param({}, True, id="the copy was read whole, and lacks it"),
        pytest.param({"complete": False}, False, id="the copy was not read whole"),
        pytest.param({"source": "/evidence/esx-1"}, False, id="saved outputs, whose reader says it"),
    ],
)
def test_a_device_that_the_copy_lacks_is_a_gap(more: dict[str, Any], *, differs: bool) -> None:
    """Nothing about such a device is judged, and what is said of all devices of the host leaves it out."""
    given = fleet(paths("host-1", 4, 4), own("host-1", 4))
    given["device_policy"].append({**own("host-1", 4), "device": "naa.new"})
    given["reading"] = [{**row, **(more if (row["scope"], row["topic"]) == ("host-1", "devices") else {})} for row in given["reading"]]
    texts = told(given)
    assert [what for what, _ in texts] == (["two readings of the devices: naa.new on esx-1"] if differs else [])
    assert all(REFRESH in why for _, why in texts)


@pytest.mark.parametrize(
    ("state", "first", "listed", "verdict"),
    [
        pytest.param("lostCommunication", paths("host-1", 4, 0, dead=4), own("host-1", 4), "unknown", id="lost by the copy, and reached"),
        pytest.param("lostCommunication", paths("host-1", 4, 4), own("host-1", 4), "unknown", id="lost, and its paths are well"),
        pytest.param("ok", paths("host-1", 2, 2), own("host-1", 4), "unknown", id="well by a copy that is old"),
        pytest.param("lostCommunication", paths("host-1", 4, 0, dead=4), own("host-1", 0), "fail", id="lost by both"),
        pytest.param("timeout", paths("host-1", 4, 0, dead=4), None, "fail", id="lost, and esxcli was refused"),
        pytest.param("ok", paths("host-1", 4, 4), own("host-1", 4), "pass", id="well by both"),
        pytest.param("off", paths("host-1", 2, 2), own("host-1", 4), "not_applicable", id="detached"),
    ],
)
def test_a_disk_is_lost_where_the_host_itself_lists_no_path_that_carries(
    state: str, first: list[dict[str, Any]], listed: dict[str, Any] | None, verdict: str
) -> None:
    given = fleet(first, listed)
    for row in given["device"]:
        row |= {"device_type": "disk", "operational_state": state if row["host_id"] == "host-1" else "ok"}
    assert judged("multipath/device-state", given)[f"host-1/{LUN}"] == verdict
    named = [what for what, _ in told(given) if "the state of a disk" in what]
    assert named == ([f"two readings of the state of a disk: {LUN} on esx-1"] if state != "ok" and verdict == "unknown" else [])


def test_the_gap_of_saved_outputs_says_nothing_of_a_vcenter() -> None:
    given = fleet(paths("host-1", 2, 2), own("host-1", 4))
    given["reading"] = [{**row, "source": "/evidence/esx-1"} for row in given["reading"]]
    [(what, why)] = told(given)
    assert what == f"two readings of the paths: {LUN} on esx-1"
    expected = (
        "one saved output has 2 working paths, another 4 working paths. One of them is older, or was cut: take both anew, and audit again"
    )
    assert why == expected


@pytest.mark.parametrize(
    ("psp", "satp"),
    [pytest.param("VMW_PSP_FIXED", "VMW_SATP_ALUA", id="policy"), pytest.param("VMW_PSP_RR", "VMW_SATP_DEFAULT_AA", id="array type")],
)
def test_a_path_policy_of_which_two_readings_differ_is_unknown(psp: str, satp: str) -> None:
    given = fleet(paths("host-1", 4, 4), own("host-1", 4, psp, satp))
    [row] = [row for row in view("path_policy", given) if row["host_id"] == "host-1"]
    assert (row["psp"], row["satp"], row["active_paths"]) == (None, None, 4)
    assert judged("multipath/psp", given)["host-1/ontap"] == "unknown"
    assert [what for what, _ in told(given)] == [f"two readings of the path policy: {LUN} on esx-1"]


@pytest.mark.parametrize(("listed", "depth"), [(64, 64), (32, None), (None, 64)])
def test_a_queue_depth_of_which_two_readings_differ_is_unknown(listed: int | None, depth: int | None) -> None:
    given = fleet(paths("host-1", 4, 4), own("host-1", 4))
    given["device_scheduling"] = [
        {"host_id": "host-1", "device": LUN, "dsnro": 32, "esxcli_queue_depth": listed},
        {"host_id": "host-2", "device": LUN, "dsnro": 32, "esxcli_queue_depth": 64},
    ]
    assert [row["queue_depth"] for row in view("device", given)] == [depth, 64]
    assert bool(told(given)) == (depth is None)
    expected = "unknown" if depth is None else "pass"
    assert judged("queue/device-depth-uniform", given)["host-1/lpfc"] == expected


def test_what_is_a_protocol_endpoint_by_one_reading_alone_is_not_known_to_be_one() -> None:
    given = fleet(paths("host-1", 4, 4), own("host-1", 4))
    given["device"][0]["is_protocol_endpoint"] = False
    given["device_scheduling"] = [{"host_id": "host-1", "device": LUN, "dsnro": 32, "is_vvol_pe": True}]
    assert [row["is_protocol_endpoint"] for row in view("device", given)] == [None, False]
    assert [what for what, _ in told(given)] == [f"two readings of what is a protocol endpoint: {LUN} on esx-1"]


@pytest.mark.parametrize(("counter", "depth"), [(64, 64), (32, 32), (128, None)])
def test_a_counter_above_what_the_device_can_have_is_no_depth_in_effect(counter: int, depth: int | None) -> None:
    given = fleet(paths("host-1", 4, 4), own("host-1", 4))
    given["device_load"] = [
        {"host_id": "host-1", "device": LUN, "samples": 15, "commands_per_second": 10.0, "max_queue_depth": counter, "gavg_ms": 1.0}
        | {"davg_ms": 1.0, "kavg_ms": 0.0, "qavg_ms": 0.0}
    ]
    [row] = [row for row in view("device_queue", given) if row["host_id"] == "host-1"]
    assert row["depth_in_effect"] == depth
    assert bool(told(given)) == (depth is None)


@pytest.mark.parametrize(("bound", "mtu", "verdict"), [(9000, 9000, "pass"), (1500, None, "unknown")])
def test_an_mtu_of_which_two_readings_differ_is_unknown(bound: int, mtu: int | None, verdict: str) -> None:
    given = hosts(1)
    on_all_hosts(given, seen(LUN, "ontap"))
    given["path"] = [{"host_id": "host-1", "device": LUN, "hba": "vmhba64", "path": "p", "state": "active", "transport": "iscsi"}]
    given["vmknic"] = [{"host_id": "host-1", "vmk": "vmk1", "mtu": 9000, "switch_mtu": 9000, "stack": "defaultTcpipStack"}]
    given["iscsi_portal"] = [{"host_id": "host-1", "hba": "vmhba64", "vmk": "vmk1", "mtu": bound}]
    [row] = view("vmknic", given)
    assert row["mtu"] == mtu
    assert judged("iscsi/mtu", given) == {"host-1/vmk1": verdict}
    assert [what for what, _ in told(given)] == ([] if mtu else ["two readings of the MTU: vmk1 on esx-1"])


@pytest.mark.parametrize(
    ("kind", "throttle_us", "capped"),
    [
        (EndpointKind.ONTAP, 900, None),
        (EndpointKind.ONTAP, 0, False),
        (EndpointKind.ONTAP, None, False),
        (EndpointKind.FLASHARRAY, 900, None),
        (EndpointKind.DELL_SC, 900, None),
    ],
)
def test_a_volume_that_qos_delays_has_a_ceiling_that_was_not_read(kind: EndpointKind, throttle_us: int | None, capped: bool | None) -> None:
    given = hosts(1)
    array(given, "store", kind, {"name": "v", "volume_id": "1", "device": LUN})
    given["array_volume_load"] = [{"endpoint": "store", "volume_id": "1", "throttle_us": throttle_us}]
    [row] = view("array_volume", given)
    assert row["is_capped"] is capped
    assert [what for what, _ in told(given)] == (["two readings of the ceiling: v"] if throttle_us else [])


LPFC = "lpfc_lun_queue_depth"


@pytest.mark.parametrize(
    ("options", "listed", "depth", "differs"),
    [
        pytest.param(f"{LPFC}=64", "64", 64, False, id="both have 64"),
        pytest.param(f"{LPFC}=64", None, 64, False, id="the list has no value"),
        pytest.param(f"{LPFC}=64", "128", None, True, id="the list has another"),
        pytest.param("", "128", None, True, id="the option string has none"),
        pytest.param("lpfc_log=1", "128", None, True, id="the option string sets another parameter alone"),
        pytest.param(f"{LPFC}=0x40", "64", None, False, id="a number whose meaning no source states"),
        pytest.param(None, "128", None, False, id="the option string was not read"),
    ],
)
def test_a_depth_of_a_module_of_which_two_readings_differ_is_unknown(
    options: str | None, listed: str | None, depth: int | None, *, differs: bool
) -> None:
    given = hosts(1)
    on_all_hosts(given, seen(LUN, "ontap", queue_depth=64))
    given["hba"] = [{"host_id": "host-1", "hba": "vmhba1", "kind": "fc", "driver": "lpfc"}]
    given["path"] = [{"host_id": "host-1", "device": LUN, "hba": "vmhba1", "path": "p", "state": "active", "transport": "fc"}]
    given["host_module"] = [{"host_id": "host-1", "module": "lpfc", "loaded": True, "option_string": options}]
    given["host_module_parameter"] = [{"host_id": "host-1", "module": "lpfc", "name": LPFC, "type": "int", "value": listed}]
    [row] = view("host_module", given)
    assert row["configured_depth"] == depth
    assert [what for what, _ in told(given)] == (
        [f"two readings of the depth that a module is given: lpfc {LPFC} on esx-1"] if differs else []
    )
    if differs:
        assert (row["depth_is_configured"], row["depth_is_plain"]) == (None, None)
        assert judged("queue/driver-depth", given) == {"host-1/lpfc": "unknown"}


@pytest.mark.parametrize(
    ("store", "mounts", "differs"),
    [
        pytest.param(True, [False, False], True, id="no host reaches it, and vCenter says that one does"),
        pytest.param(False, [True, False], True, id="a host reaches it, and vCenter says that none does"),
        pytest.param(True, [True, False], False, id="one host of two reaches it"),
        pytest.param(False, [False, False], False, id="nobody reaches it"),
        pytest.param(True, [None, False], False, id="of one host it is not known"),
    ],
)
def test_whether_a_datastore_is_reached_has_two_readings(store: bool, mounts: list[bool | None], differs: bool) -> None:
    given = hosts()
    given["host"] = [{**host, "connection_state": "connected"} for host in given["host"]]
    given["datastore"] = [{"datastore_id": "ds-1", "name": "gold", "type": "VMFS", "accessible": store}]
    given["datastore_mount"] = [{"datastore_id": "ds-1", "host_id": f"host-{n}", "accessible": one} for n, one in enumerate(mounts, 1)]
    assert [what for what, _ in told(given)] == (["two readings of whether a host reaches it: gold"] if differs else [])


_KEYS = frozenset({"endpoint", "host_id", "device", "hba", "vmk", "datastore_id", "vm_id", "volume_id", "policy_id", "pool_id", "node_id"})
_THINGS = frozenset({"device", "hba", "vmk", "datastore_id", "vm_id", "volume_id", "policy_id"})
_OTHERS = {
    "hba.delayed_ack, iscsi_target.delayed_ack": "the adapter's, and the target's own",
    "hba.kind, iscsi_target.kind": "two kinds: of adapters, and of targets",
    "iscsi_option.target, path.target": "a portal that is configured, and a target that is reached",
    "device.model, satp_rule.model": "a claim rule names what it is for",
    "device.vendor, satp_rule.vendor": "a claim rule names what it is for",
    "path.transport, satp_rule.transport": "a claim rule names what it is for",
    "path.satp, satp_rule.satp": "a claim rule names what it gives",
    "device_policy.satp, satp_rule.satp": "a claim rule names what it gives",
    "datastore.size_bytes, vm_disk.size_bytes": "of two things",
    "vm_disk.node, vm_disk_load.node": "a key",
    "device_load.max_queue_depth, device_scheduling.esxcli_queue_depth": "compared with the depth that this is compared with",
    "array_volume.kind, array_volume_histogram.kind": "two kinds: of volumes, and of histograms",
    "array_volume.vvol_id, vvol_binding.vvol_id": "a key",
    "array_qos_policy.name, storage_policy.name": "a policy of the array, and one of vCenter",
    "array_protocol_endpoint.protocol_endpoint_id, vvol_binding.protocol_endpoint_id": "a key",
    "datastore.vmfs_uuid, storage_event.vmfs_uuid": "a key",
    "array_efficiency.state, array_replication.state": "of two things",
    "array_efficiency.schedule, array_replication.schedule": "of two things",
    "array_efficiency.start_minutes, array_replication.start_minutes": "of two things",
    "array_efficiency.policy, array_replication.policy": "of two things",
}
"""Columns of one name that are no two readings of one fact, each with the reason."""


def _plain(column: str) -> str:
    return column.removeprefix("esxcli_").removeprefix("max_")


def test_every_fact_with_two_readings_is_compared_or_is_another_fact() -> None:
    """A column of one name in two tables about the same things is taken for one fact that was read twice."""
    tables = {name: frozenset(table.names) for name, table in TABLES.items()}
    pairs = [(a, b) for a in tables for b in tables if a < b and tables[a] & tables[b] & _THINGS]
    alike = {
        f"{a}.{column}, {b}.{other}"
        for a, b in pairs
        if tables[a] & _KEYS <= tables[b] or tables[b] & _KEYS <= tables[a]
        for column in tables[a] - _KEYS
        for other in tables[b] - _KEYS
        if _plain(column) == _plain(other) and not any({(a, column), (b, other)} <= one.facts for one in COMPARED)
    }
    assert alike == _OTHERS.keys()


def test_what_differs_differs_nowhere_without_the_second_reading() -> None:
    """A comparison is left out where its second table has no row: over facts that differ in all there is, each alone finds nothing then."""
    given = fleet(paths("host-1", 2, 2, psp="VMW_PSP_FIXED"), own("host-1", 4))
    given["device"][0] |= {"operational_state": "lostCommunication", "is_protocol_endpoint": True}
    given["device_policy"].append(own("host-1", 4) | {"device": "naa.600a09800000000000000000000000ff"})
    given["device_scheduling"] = [{"host_id": "host-1", "device": LUN, "esxcli_queue_depth": 32, "is_vvol_pe": False}]
    given["device_load"] = [{"host_id": "host-2", "device": LUN, "max_queue_depth": 128}]
    given["vmknic"] = [{"host_id": "host-1", "vmk": "vmk1", "mtu": 1500, "ip": "198.51.100.1"}]
    given["iscsi_portal"] = [{"host_id": "host-1", "vmk": "vmk1", "mtu": 9000, "ip": "198.51.100.2"}]
    given["host_module"] = [{"host_id": "host-1", "module": "iscsi_vmk", "option_string": "iscsivmk_LunQDepth=64"}]
    given["host_module_parameter"] = [{"host_id": "host-1", "module": "iscsi_vmk", "name": "iscsivmk_LunQDepth", "value": "128"}]
    given["host"][0]["connection_state"] = "connected"
    given["datastore"] = [{"datastore_id": "d1", "name": "one", "accessible": True}]
    given["datastore_mount"] = [{"host_id": "host-1", "datastore_id": "d1", "accessible": False}]
    array(given, "na", EndpointKind.ONTAP, {"name": "lun", "kind": "lun"})
    given["array_volume_load"] = [{"endpoint": "na", "volume_id": "lun", "throttle_us": 5}]
    connection = builder(given).so_far()
    create_macros(connection)
    for one in COMPARED:
        assert connection.execute(one.select).fetchall(), one.of
        connection.execute(f'BEGIN; DELETE FROM fact."{one.second_table}"')
        assert connection.execute(one.select).fetchall() == [], one.of
        connection.execute("ROLLBACK")
