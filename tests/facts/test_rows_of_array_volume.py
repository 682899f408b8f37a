"""The whole row of each volume of an array: who uses it, whether a datastore lies on it, and what its ceilings are worth."""

from typing import Any

import pytest

from auditor.facts.volume_states import WAITING_COPY
from auditor.model import EndpointKind

from .fleets import Facts, array, on_all_hosts, seen, serves
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

CURVE = '{"4096": 100, "8192": 160}'
LIMITS: Row = {"qos_min_iops": 50, "qos_max_iops": 100, "qos_burst_iops": 160}


def vol(name: str, **more: Any) -> Row:
    return {"name": name, "volume_id": f"id of {name}", "kind": "lun", **more}


def lun(name: str, **more: Any) -> Row:
    return vol(name, device=f"naa.{name}", **more)


def share(name: str, path: str, svm: str = "svm", **more: Any) -> Row:
    return vol(name, kind="share", export_path=path, svm=svm, **more)


def vcenters(*unread: str) -> Facts:
    given: Facts = {}
    vcenter(given, "vc", unread=unread)
    for n in (1, 2):
        host(given, "vc", f"host-{n}", f"esx-{n}", "gold")
        add(given, "hba", {"endpoint": "vc", "host_id": f"host-{n}", "hba": "vmhba1", "initiator": f"wwn {n}"})
    return given


def fleet() -> Facts:
    """Volumes of all arrays have the same ids where they have the same names."""
    given = vcenters()
    _blocks(given)
    _elements(given)
    _shares(given)
    return given


def _blocks(given: Facts) -> None:
    virtual = {"is_virtual": True, "kind": "vvol"}
    array(
        given,
        "fa",
        EndpointKind.FLASHARRAY,
        lun("plain", pool_id="p1", copy_of="used", size_bytes=7, serial="s"),
        lun("used", pod="pod", pod_arrays="fa"),
        lun("of no datastore"),
        lun("of two arrays"),
        vol("of no device"),
        vol("virtual", vvol_id="V-1", **virtual),
        vol("virtual, not used", vvol_id="v-2", **virtual),
        lun("in a policy", qos_policy_id="p1", qos_policy="policy"),
        lun("not understood", qos_read=False),
        lun("limited", **LIMITS),
    )
    array(given, "fb", EndpointKind.FLASHARRAY, lun("of two arrays"), vol("plain", pool_id="p1"), vol("busy"))
    for row in given["reading"]:
        row["complete"] &= (row["endpoint"], row["topic"]) != ("fb", "volume_load")
    add(given, "array_volume", {"endpoint": "gone", **vol("plain"), **LIMITS})
    add(
        given,
        "array_pool",
        *({"endpoint": name, "pool_id": pool, "name": f"{pool} of {name}"} for name in ("fa", "fb") for pool in ("p1", "p2")),
    )
    rates = {"actual_iops": 1, "bytes_per_second": 2, "utilization": 0.3, "latency_us": 4, "throttle_us": 5, "misaligned_ratio": 0.6}
    add(given, "array_volume_load", {"endpoint": "fa", "volume_id": "id of used", "average_io_bytes": 1, **rates})
    add(given, "array_volume_load", {"endpoint": "fb", "volume_id": "id of plain", "average_io_bytes": None})
    add(given, "array_volume_load", {"endpoint": "fb", "volume_id": "id of busy", "average_io_bytes": 4096})
    add(given, "array_protocol_endpoint", {"endpoint": "fa", "protocol_endpoint_id": "1", "device": "naa.pe"})
    on_all_hosts(given, *(seen(f"naa.{name}", "flasharray") for name in ("used", "of two arrays")))
    for n, name in enumerate(("used", "of two arrays")):
        add(given, "datastore", {"endpoint": "vc", "datastore_id": f"ds-{n}", "name": f"ds-{n}", "type": "VMFS"})
        add(given, "datastore_extent", {"endpoint": "vc", "datastore_id": f"ds-{n}", "device": f"naa.{name}"})
    add(
        given,
        "datastore_extent",
        {"endpoint": "vc", "datastore_id": "ds-9", "device": "naa.of no datastore"},
        {"endpoint": "vc", "datastore_id": "ds-9"},
    )
    add(given, "datastore", {"endpoint": "vc", "datastore_id": "vvols", "name": "vvols", "type": "VVOL"})
    add(given, "vm", {"endpoint": "vc", "vm_id": "vm", "name": "vm", "host_id": "host-2"})
    add(given, "vm_disk", {"endpoint": "vc", "vm_id": "vm", "disk": "disk", "datastore_id": "vvols", "backing_object_id": "rfc4122.v-1"})


def _elements(given: Facts) -> None:
    """Element clusters. Their column `limits` is written as their remediator writes it."""
    policy = LIMITS | {"qos_policy_id": "p1", "qos_policy": "policy"}
    array(
        given,
        "el",
        EndpointKind.ELEMENT,
        vol("own", **LIMITS, qos_curve=CURVE),
        vol("as its policy", **policy),
        vol("min", **policy | {"qos_min_iops": 51}),
        vol("max", **policy | {"qos_max_iops": 101}),
        vol("burst", **policy | {"qos_burst_iops": 161}),
        vol("policy not read", **policy | {"qos_policy_id": "p9"}),
        vol("policy without max", **policy | {"qos_policy_id": "p2"}),
    )
    array(given, "el-2", EndpointKind.ELEMENT, vol("own", **LIMITS, qos_curve='{"8192": 200}'))
    reported = {"endpoint": "el", "min_iops": 50, "max_iops": 100, "burst_iops": 160}
    add(
        given,
        "array_qos_policy",
        {**reported, "policy_id": "p1"},
        {**reported, "policy_id": "p2", "max_iops": None},
        {"endpoint": "el-2", "policy_id": "p1", "min_iops": 1},
    )
    add(given, "array_volume_load", {"endpoint": "el", "volume_id": "id of own", "average_io_bytes": 8192})
    array(given, "sc", EndpointKind.DELL_SC, vol("own", tiering="profile", tiers=2))
    given["array"][-1]["latency_threshold_ms"] = 20


def _shares(given: Facts) -> None:
    """Shares by what mounts their paths: an address of the ONTAP's, a name that nobody resolves, or an address of another filer."""
    array(
        given,
        "on",
        EndpointKind.ONTAP,
        share("mounted", "/a"),
        share("maybe", "/maybe/"),
        share("of another filer", "/other"),
        share("of another svm", "/svm"),
        share("root", "/"),
        share("not exported", ""),
        lun("in a share", svm="svm", os_type="vmware"),
    )
    array(given, "on-2", EndpointKind.ONTAP, share("mounted", "/a", "svm-2"))
    serves(given, "on", "198.51.100.1")
    serves(given, "on", "198.51.100.2", svm="another")
    servers = ("198.51.100.1", "/a"), ("filer", "/maybe"), ("198.51.100.9", "/other"), ("198.51.100.2", "/svm"), ("filer", "/")
    for n, (server, path) in enumerate(servers):
        add(
            given,
            "datastore",
            {"endpoint": "vc", "datastore_id": f"nfs-{n}", "name": f"nfs-{n}", "type": "NFS", "nfs_host": server, "nfs_path": path},
        )
    add(given, "datastore_mount", {"endpoint": "vc", "datastore_id": "nfs-0", "host_id": "host-1"})


def datastores_not_read() -> Facts:
    """The datastores of "vc-2" were not read; of one volume the array's list names its hosts, which are all of "vc"."""
    given = vcenters()
    vcenter(given, "vc-2", unread={"datastores"})
    array(given, "fa", EndpointKind.FLASHARRAY, lun("listed"), lun("not listed"))
    on_all_hosts(given, *(seen(f"naa.{name}", "flasharray") for name in ("listed", "not listed")))
    for n in (1, 2):
        add(given, "array_initiator", {"endpoint": "fa", "array_host_id": f"h{n}", "initiator": f"wwn {n}"})
        add(given, "array_connection", {"endpoint": "fa", "array_host_id": f"h{n}", "volume_id": "id of listed"})
    return given


FLEETS = [fleet, datastores_not_read]
USUAL: Row = {
    "endpoint": "fa",
    "cluster": None,
    "host": None,
    "family": "flasharray",
    "kind": "lun",
    "is_virtual": False,
    "vvol_id": None,
    "svm": None,
    "os_type": None,
    "pod": None,
    "copy_of": None,
    "state": None,
    "serves_hosts": None,
    "hosts": None,
    "host_names": None,
    "datastores": None,
    "running_machines": None,
    "vm_disk": None,
    "pool": None,
    "tiering": None,
    "tiers": None,
    "size_bytes": None,
    "owner": None,
    "preferred_owner": None,
    "is_with_preferred_owner": None,
    "qos": "none",
    "qos_policy_id": None,
    "qos_policy": None,
    "qos_group": None,
    "qos_min_iops": None,
    "qos_max_iops": None,
    "qos_max_iops_at_least": None,
    "qos_max_iops_at_most": None,
    "qos_burst_iops": None,
    "limits": None,
    "is_in_policy": False,
    "qos_max_bytes_per_second": None,
    "qos_priority": None,
    "qos_sharers": 0,
    "qos_shared_by": "",
    "is_capped": False,
    "latency_threshold_ms": None,
    "average_io_bytes": None,
    "actual_iops": None,
    "bytes_per_second": None,
    "utilization": None,
    "latency_us": None,
    "throttle_us": None,
    "misaligned_ratio": None,
    "is_at_limit": None,
    "ceiling_use_at_least": None,
    "is_ceiling_countable": None,
    "qos_wait": None,
    "is_busy": False,
    "effective_max_iops": None,
    "effective_burst_iops": None,
}


def row(name: str, of: str = "fa", device: str | None = None, *, carries: bool | None = None, **more: Any) -> Row:
    """A volume without a device, unless named; it is not known whether a datastore lies on it."""
    names = {"resource_id": f"id of {name}", "volume_id": f"id of {name}", "resource_name": name, "volume": name}
    return {**names, "endpoint": of, "device": device, "carries_datastore": carries, **more}


def row_of_lun(name: str, of: str = "fa", *, carries: bool | None = False, **more: Any) -> Row:
    return row(name, of, f"naa.{name}", carries=carries, **more)


def element(name: str, limits: str | None, of: str = "el", **more: Any) -> Row:
    """A volume of an Element cluster in a policy; its column `limits` holds all limits."""
    policy: Row = {
        "qos_policy_id": "p1",
        "qos_policy": "policy",
        "is_in_policy": True,
        "family": "solidfire",
        "is_capped": True,
        "is_ceiling_countable": True,
    }
    reported: Row = policy | LIMITS | more
    words = f"{reported['qos_max_iops']} IOPS, burst {reported['qos_burst_iops']}, at least {reported['qos_min_iops']}"
    return row(name, of, limits=limits, qos=f"{reported['qos_policy'] or 'the volume itself'}: {words}", **reported)


def row_of_share(name: str, of: str = "on", **more: Any) -> Row:
    return row(name, of, **{"kind": "share", "family": "ontap", "svm": "svm"} | more)


OWN: Row = {"qos_policy_id": None, "qos_policy": None, "is_in_policy": False}
LIMITED: Row = {**LIMITS, "is_ceiling_countable": True, "qos": "the volume itself: 100 IOPS, burst 160, at least 50", "is_capped": True}
VIRTUAL: Row = {"is_virtual": True, "kind": "vvol"}
HELD_BACK: Row = {"qos": None, "is_capped": None}
BUSY: Row = {"actual_iops": 1, "bytes_per_second": 2, "utilization": 0.3, "latency_us": 4, "throttle_us": 5, "misaligned_ratio": 0.6}
DELAYED: Row = {
    "is_at_limit": True,
    "ceiling_use_at_least": 0.3,
    "is_ceiling_countable": True,
    "qos_wait": "held back by a ceiling that was not found: the wait is QoS",
}
NOT_READ: Row = {"qos_sharers": None, "qos_shared_by": None}
SEEN: Row = {"hosts": 2, "host_names": "esx-1, esx-2"}
OF_BLOCKS = (
    row_of_lun("plain", pool="p1 of fa", copy_of="used", size_bytes=7),
    row_of_lun(
        "used", carries=True, **SEEN, datastores="ds-0", pod="pod", average_io_bytes=1, is_busy=True, **BUSY, **HELD_BACK, **DELAYED
    ),
    row_of_lun("of no datastore", carries=True),
    row_of_lun("of two arrays", carries=None),
    row("of no device"),
    row("virtual", "fa", "naa.pe", carries=True, **VIRTUAL, vvol_id="V-1", hosts=1, host_names="esx-2")
    | {"datastores": "vvols", "vm_disk": "vm disk"},
    row("virtual, not used", "fa", "naa.pe", carries=False, **VIRTUAL, vvol_id="v-2"),
    row_of_lun("in a policy", qos_policy_id="p1", qos_policy="policy", is_in_policy=True, qos="policy: no ceiling", **NOT_READ),
    row_of_lun("not understood", qos=None, is_in_policy=None, is_capped=None),
    row_of_lun("limited", **LIMITED),
    row_of_lun("of two arrays", "fb", carries=None, is_busy=None),
    # A FlashArray that delays a volume, or may, has a ceiling over it that was not found: its QoS is not known.
    row("plain", "fb", pool="p1 of fb", is_busy=None, **HELD_BACK),
    row("busy", "fb", average_io_bytes=4096, is_busy=True, **HELD_BACK),
    row(
        "plain",
        "gone",
        family=None,
        is_virtual=False,
        is_in_policy=None,
        is_busy=None,
        **{**LIMITED, **NOT_READ, "is_ceiling_countable": None},
    )
    | {"qos": f"{LIMITED['qos']}; the rest was not read"},
    row("own", "sc", family="dell-sc", is_ceiling_countable=False, tiering="profile", tiers=2, latency_threshold_ms=20),
)
OF_ELEMENTS = (
    # I/O of 8 KiB costs 1.6 operations of 4 KiB on the curve of "el".
    element("own", "own 50/100/160", **OWN, average_io_bytes=8192, is_busy=True, effective_max_iops=62.5, effective_burst_iops=100.0),
    element("own", "own 50/100/160", "el-2", **OWN),
    element("as its policy", "policy p1"),
    element("min", "policy p1 with own 51/100/160", qos_min_iops=51),
    element("max", "policy p1 with own 50/101/160", qos_max_iops=101),
    element("burst", "policy p1 with own 50/100/161", qos_burst_iops=161),
    element("policy not read", None, qos_policy_id="p9"),
    element("policy without max", None, qos_policy_id="p2"),
)
OF_SHARES = (
    row_of_share("mounted", carries=True, datastores="nfs-0", hosts=1, host_names="esx-1"),
    row_of_share("maybe"),
    row_of_share("of another filer", carries=False),
    row_of_share("of another svm"),
    row_of_share("root"),
    row_of_share("not exported", carries=False),
    row_of_lun("in a share", "on", family="ontap", svm="svm", os_type="vmware"),
    row_of_share("mounted", "on-2", carries=False, svm="svm-2"),
)
ALL = (*OF_BLOCKS, *OF_ELEMENTS, *OF_SHARES)
EXPECTED = expected(
    USUAL | {"has_alignment": None}, *(one | ({"has_alignment": True} if one.get("family") == "ontap" else {}) for one in ALL)
)


def test_each_volume_is_told_with_who_uses_it_and_what_limits_it() -> None:
    assert rows_by_id("array_volume", fleet()) == EXPECTED


@pytest.mark.parametrize(
    ("owner", "preferred", "expected_row"),
    [
        pytest.param("n1", "n1", ("es A", "es A", True), id="with its own"),
        pytest.param("n2", "n1", ("n2", "es A", False), id="with another, whose name was not read"),
        pytest.param(None, "n1", (None, "es A", None), id="with nobody that is known"),
        pytest.param("n1", None, ("es A", None, None), id="given to nobody"),
    ],
)
def test_a_volume_is_with_the_controller_that_it_was_given_to_or_another(
    owner: str | None, preferred: str | None, expected_row: tuple[str | None, str | None, bool | None]
) -> None:
    given = vcenters()
    array(given, "es", EndpointKind.ESERIES, lun("v", owner_id=owner, preferred_owner_id=preferred))
    add(given, "array_node", {"endpoint": "es", "node_id": "n1", "name": "es A"}, {"endpoint": "fa", "node_id": "n2", "name": "fa"})
    (found,) = rows_by_id("array_volume", given).values()
    assert (found["owner"], found["preferred_owner"], found["is_with_preferred_owner"]) == expected_row


@pytest.mark.parametrize(
    ("kind", "state", "serves"),
    [
        # netapp-ontap, LunStatus.state; NetApp/trident#836 had one that ran out of space.
        pytest.param(EndpointKind.ONTAP, "space_error", False, id="a LUN without space"),
        pytest.param(EndpointKind.ONTAP, "online", True, id="a LUN that is there"),
        pytest.param(EndpointKind.ONTAP, "mixed", None, id="a FlexGroup in parts"),
        # NetAppDocs/netapp-solutions#735: with the volume of one side offline nobody gets at the LUN, active sync or not.
        pytest.param(EndpointKind.ONTAP, "volume_offline", False, id="a LUN whose volume is offline"),
        pytest.param(EndpointKind.ONTAP, "SVM stopped", False, id="one whose SVM is stopped"),
        pytest.param(EndpointKind.ONTAP, "SVM starting", None, id="one whose SVM starts"),
        pytest.param(EndpointKind.ELEMENT, "locked", False, id="an Element's that is locked"),
        pytest.param(EndpointKind.ELEMENT, "replicationTarget", None, id="an Element's that is the target of a pair"),
        pytest.param(EndpointKind.POWERSTORE, "Offline", False, id="a PowerStore's"),
        pytest.param(EndpointKind.NIMBLE, "offline", False, id="a Nimble's"),
        pytest.param(EndpointKind.NIMBLE, "offline (replica)", None, id="a copy on a Nimble, which is offline by design"),
        pytest.param(EndpointKind.POWERSTORE, "online", None, id="another array's word"),
        pytest.param(EndpointKind.ESERIES, "failed", False, id="an E-Series'"),
        pytest.param(EndpointKind.DOTHILL, "Degraded", None, id="one that no source explains"),
        pytest.param(EndpointKind.FLASHARRAY, "active", True, id="a FlashArray's"),
        pytest.param(EndpointKind.FLASHARRAY, "pod demoted", False, id="one whose pod takes no writes"),
        pytest.param(EndpointKind.FLASHARRAY, "demoted", False, id="one that takes none itself"),
        pytest.param(EndpointKind.ETERNUS, "a000", None, id="a family that reports none"),
        pytest.param(EndpointKind.ONTAP, None, None, id="not reported"),
    ],
)
def test_a_volume_serves_hosts_by_its_state(kind: EndpointKind, state: str | None, serves: bool | None) -> None:
    given = vcenters()
    array(given, "a", kind, lun("v", status=state))
    (found,) = rows_by_id("array_volume", given).values()
    assert (found["state"], found["serves_hosts"]) == (state, serves)


@pytest.mark.parametrize(
    ("state", "arrays"),
    [("online", "nt-1, nt-2"), (WAITING_COPY, "nt-1"), ("SVM stopped", "nt-1")],
    ids=["serves as well", "waits", "is the original, and its copy has taken over"],
)
def test_the_copy_that_waits_is_no_volume_of_the_device_that_its_original_serves(state: str, arrays: str) -> None:
    """SVM disaster recovery and MetroCluster give the copy the serial number of its original."""
    given = vcenters()
    array(given, "nt-1", EndpointKind.ONTAP, lun("v", status="online", qos_max_iops=900))
    array(given, "nt-2", EndpointKind.ONTAP, lun("v", status=state, qos_max_iops=100))
    on_all_hosts(given, seen("naa.v", "ontap"))
    found = {row["endpoint"]: (row["device"], row["serves_hosts"]) for row in rows_by_id("array_volume", given).values()}
    assert found == dict.fromkeys(arrays.split(", "), ("naa.v", True))
    (device,) = {(row["array_name"], row["qos_max_iops"]) for row in rows_by_id("device", given).values()}
    assert device == (arrays, 100 if state == "online" else 900)


@pytest.mark.parametrize("other", [None, "SVM stopped", "offline"], ids=["none", "stopped as well", "away as well"])
def test_a_volume_whose_svm_is_stopped_counts_while_no_other_serves_its_name(other: str | None) -> None:
    given = vcenters()
    array(given, "nt-1", EndpointKind.ONTAP, lun("v", status="SVM stopped"), lun("w", status="online"))
    if other is not None:
        array(given, "nt-2", EndpointKind.ONTAP, lun("v", status=other))
    found = {(row["endpoint"], row["volume"]): row["serves_hosts"] for row in rows_by_id("array_volume", given).values()}
    assert found[("nt-1", "v")] is False


@pytest.mark.parametrize(("states", "volume"), [(("online", WAITING_COPY), "v 1"), (("online", "online"), None)], ids=["one waits", "both"])
def test_of_two_volumes_of_a_group_under_one_name_the_one_that_serves_is_behind_the_device(states: Any, volume: str | None) -> None:
    """Peer Persistence of a Nimble: both arrays are of one group, and so of one endpoint."""
    given = vcenters()
    array(given, "nb", EndpointKind.NIMBLE, *(vol(f"v {n}", device="naa.v", status=state) for n, state in enumerate(states, start=1)))
    on_all_hosts(given, seen("naa.v", "powerstore"))
    assert {row["volume"] for row in rows_by_id("device", given).values()} == {volume}


def test_a_volume_is_busy_where_its_load_says_so() -> None:
    virtual: Row = {"is_virtual": True, "kind": "vvol"}
    given = vcenters()
    array(
        given, "fa", EndpointKind.FLASHARRAY, *(vol(name) for name in ("one", "none", "not known", "not named")), vol("virtual", **virtual)
    )
    array(given, "ps", EndpointKind.POWERSTORE, vol("not named"), vol("virtual", **virtual))
    for name, iops in (("one", 1), ("none", 0), ("not known", None)):
        add(given, "array_volume_load", {"endpoint": "fa", "volume_id": f"id of {name}", "actual_iops": iops})
    rows = rows_by_id("array_volume", given).values()
    assert {(row["endpoint"], row["volume"]): row["is_busy"] for row in rows} == {
        ("fa", "one"): True,
        ("fa", "none"): False,
        ("fa", "not known"): None,
        ("fa", "not named"): False,
        ("fa", "virtual"): False,
        ("ps", "not named"): False,
        ("ps", "virtual"): None,  # no metric of a PowerStore tells what a single virtual volume does
    }


def test_only_ontap_with_aggregates_tells_how_a_luns_commands_are_aligned() -> None:
    generations = {"plain": None, "ASA": "ASA", "r2": "ASA r2", "AFX": "AFX"}
    given = vcenters()
    array(given, "another family", EndpointKind.FLASHARRAY, lun("v"))
    given["array"][-1]["generation"] = "ASA r2"
    for name, generation in generations.items():
        array(given, name, EndpointKind.ONTAP, lun(f"v of {name}"))
        given["array"][-1]["generation"] = generation
    rows = rows_by_id("array_volume", given).values()
    expected_of = {"plain": True, "ASA": True, "r2": False, "AFX": False, "another family": None}
    assert {row["endpoint"]: row["has_alignment"] for row in rows} == expected_of


def test_no_datastore_lies_on_a_volume_where_those_of_all_that_may_see_it_were_read() -> None:
    rows = rows_by_id("array_volume", datastores_not_read())
    assert {row["volume"]: row["carries_datastore"] for row in rows.values()} == {"listed": False, "not listed": None}


@pytest.mark.parametrize(
    ("path", "carries"),
    [
        pytest.param("/mounted", {"mounted": True, "other": False}, id="by the export's name"),
        pytest.param("/file-system/x", {"mounted": None, "other": None}, id="by a path that may be any export's"),
    ],
)
def test_exports_of_a_powerstore_carry_no_datastore_only_where_each_mount_is_one_of_them(
    path: str, carries: dict[str, bool | None]
) -> None:
    given = vcenters()
    array(given, "ps", EndpointKind.POWERSTORE, share("mounted", "/mounted"), share("other", "/other"))
    serves(given, "ps", "198.51.100.1")
    at = {"name": "nfs", "type": "NFS", "nfs_host": "198.51.100.1", "nfs_path": path}
    add(given, "datastore", {"endpoint": "vc", "datastore_id": "nfs", **at})
    assert {row["volume"]: row["carries_datastore"] for row in rows_by_id("array_volume", given).values()} == carries


def _machines(*, vms_read: bool = True, **powered: str | None) -> Facts:
    """A VMFS datastore on a LUN, and machines with a disk on it and one with a raw device mapping there; all disks were read."""
    given = vcenters(*(() if vms_read else ("vms",)))
    array(given, "fa", EndpointKind.FLASHARRAY, lun("used"), lun("empty"))
    on_all_hosts(given, seen("naa.used", "flasharray"))
    add(given, "datastore", {"endpoint": "vc", "datastore_id": "ds", "name": "ds", "type": "VMFS"})
    add(given, "datastore_extent", {"endpoint": "vc", "datastore_id": "ds", "device": "naa.used"})
    for host_row in given["host"]:
        host_row["connection_state"] = "connected"
    for name, state in {**powered, "raw": "poweredOn"}.items():
        add(
            given,
            "vm",
            {"endpoint": "vc", "vm_id": name, "name": name, "host_id": "host-1", "power_state": state, "disks_read": True},
        )
        raw = {"rdm_mode": "physicalMode", "rdm_device": "naa.used"} if name == "raw" else {}
        for disk in ("disk 1", "disk 2"):
            add(given, "vm_disk", {"endpoint": "vc", "vm_id": name, "disk": disk, "datastore_id": "ds", **raw})
    return given


@pytest.mark.parametrize(
    ("given", "machines"),
    [
        pytest.param(_machines(a="poweredOn", b="poweredOn", c="poweredOff"), 2, id="two run, each with two disks, one is off"),
        pytest.param(_machines(a="poweredOn"), 1, id="one, and a raw device mapping"),
        pytest.param(_machines(a="poweredOff"), 0, id="none runs"),
        pytest.param(_machines(a="poweredOn", b=None), None, id="one, and another may run"),
        pytest.param(_machines(a="poweredOn", b="poweredOn", c=None), 2, id="two at least"),
        pytest.param(_machines(vms_read=False, a="poweredOn"), None, id="one is known, and not all machines were read"),
        pytest.param(_machines(vms_read=False, a="poweredOn", b="poweredOn"), 2, id="two are known, and not all machines were read"),
    ],
)
def test_machines_that_run_on_a_volume_are_counted_at_least(given: Facts, machines: int | None) -> None:
    rows = rows_by_id("array_volume", given)
    assert {row["volume"]: row["running_machines"] for row in rows.values()} == {"used": machines, "empty": None}


def test_a_machine_whose_disks_were_not_read_may_be_on_the_volume() -> None:
    given = _machines(a="poweredOn")
    add(given, "vm", {"endpoint": "vc", "vm_id": "b", "name": "b", "host_id": "host-1", "power_state": "poweredOn", "disks_read": False})
    assert rows_by_id("array_volume", given)["fa", "id of used"]["running_machines"] is None
