"""Hosts and arrays are joined in one place: device to volume, the QoS in force, and who shares it."""

import json
from typing import Any

import pytest

from auditor.model import EndpointKind
from tests.facts.fleets import Facts, array, hosts, on_all_hosts, seen, serves, view

FA, FA_COPY = "naa.624a93705a1f77c29b3e4d1000011010", "naa.624a93705a1f77c29b3e4d1000011011"
FLASH, SC, ONTAP, ELEMENT = EndpointKind.FLASHARRAY, EndpointKind.DELL_SC, EndpointKind.ONTAP, EndpointKind.ELEMENT


def flash(*arrays: tuple[str, dict[str, Any]], count: int = 1) -> Facts:
    """Hosts that see FA, and arrays with a volume of that name each."""
    given = hosts(count)
    on_all_hosts(given, seen(FA, "flasharray"))
    for name, volume in arrays:
        array(given, name, FLASH, {"name": "db", "device": FA, **volume})
    return given


@pytest.mark.parametrize(
    ("volume", "iops", "size", "capped", "words"),
    [
        pytest.param({}, None, None, False, "none", id="none"),
        pytest.param({"qos_max_iops": 500}, 500, None, True, "the volume itself: 500 IOPS", id="its own"),
        pytest.param(
            {"qos_max_iops": 500, "qos_group_id": "g", "qos_group_max_iops": 300},
            300,
            None,
            True,
            "the volume itself: 500 IOPS; group g: 300 IOPS",
            id="the group's is tighter",
        ),
        pytest.param(
            {"qos_policy": "Prod", "qos_max_bytes_per_second": 52428800, "qos_group_id": "g", "qos_group_max_bytes_per_second": 104857600},
            None,
            52428800,
            True,
            "Prod: 50.0 MiB/s; group g: 100.0 MiB/s",
            id="its own bandwidth is tighter",
        ),
        pytest.param({"qos_read": False}, None, None, None, None, id="not read"),
        pytest.param(
            {"qos_read": False, "qos_max_iops": 500},
            500,
            None,
            True,
            "the volume itself: 500 IOPS; the rest was not read",
            id="read in part",
        ),
        pytest.param({"qos_policy": "Default"}, None, None, False, "Default: no ceiling", id="a policy without a ceiling"),
    ],
)
def test_the_qos_in_force_is_the_tighter_of_the_volumes_and_its_groups(
    volume: dict[str, Any], iops: int | None, size: int | None, capped: bool | None, words: str | None
) -> None:
    [row] = view("device", flash(("fa", volume)))
    assert (row["array_name"], row["volume"]) == ("fa", "db")
    assert (row["qos_max_iops"], row["qos_max_bytes_per_second"], row["qos_capped"], row["qos"]) == (iops, size, capped, words)


def test_who_sees_a_device_is_told_the_first_by_name() -> None:
    given = flash(("fa", {}), count=7)
    on_all_hosts(given, {"device": "mpx.vmhba0:C0:T0:L0", "is_local": True})
    rows = view("device", given)
    assert {(row["device"][:3], row["hosts"], row["host_names"]) for row in rows} == {
        ("naa", 7, "esx-1, esx-2, esx-3, esx-4, esx-5 and 2 more"),
        ("mpx", None, None),
    }


def test_a_volume_that_two_vcenters_use_counts_each_host_once() -> None:
    given = flash(("fa", {}))
    given["host"].append({"endpoint": "vc-2", "host_id": "host-1", "name": "esx-9"})
    given["device"].append({"endpoint": "vc-2", "host_id": "host-1", **seen(FA, "flasharray")})
    [volume] = view("array_volume", given)
    assert (volume["hosts"], volume["host_names"]) == (2, "esx-1, esx-9")


@pytest.mark.parametrize(
    ("shared", "read", "sharers", "names"),
    [
        pytest.param(True, True, 2, "a, b, db", id="one ceiling for all"),
        pytest.param(False, True, 0, "", id="a ceiling each"),
        pytest.param(None, True, None, None, id="not told which"),
        pytest.param(True, False, None, None, id="not all volumes read"),
    ],
)
def test_volumes_under_one_ceiling_are_named(shared: bool | None, read: bool, sharers: int | None, names: str | None) -> None:
    given = hosts(1)
    on_all_hosts(given, seen(FA, "flasharray"))
    policy = {"qos_policy_id": "p", "qos_policy": "gold", "qos_shared": shared, "qos_max_iops": 900}
    array(
        given,
        "fa",
        FLASH,
        {"name": "db", "device": FA, **policy},
        {"name": "b", **policy},
        {"name": "a", **policy},
        {"name": "c"},
        read=read,
    )
    [row] = view("device", given)
    assert (row["qos_sharers"], row["qos_shared_by"]) == (sharers, names)


@pytest.mark.parametrize(
    ("first", "second", "name", "capped", "iops"),
    [
        pytest.param({"pod": "m"}, {"pod": "m"}, "fa-1, fa-2", False, None, id="no ceiling on either"),
        pytest.param(
            {"pod": "m", "qos_max_iops": 900}, {"pod": "m", "qos_max_iops": 300}, "fa-1, fa-2", True, 300, id="the tighter counts"
        ),
        pytest.param({"pod": "m"}, {"pod": "m", "qos_read": False}, "fa-1, fa-2", None, None, id="QoS of one not read"),
        pytest.param({"pod": "m"}, None, "fa-1", None, None, id="the other array not read"),
        pytest.param({"pod": "m", "pod_arrays": "fa-1"}, None, "fa-1", False, None, id="a pod on one array only"),
        pytest.param({"pod": "m", "qos_max_iops": 900}, None, "fa-1", True, 900, id="the other array not read, and a ceiling seen"),
        pytest.param({"pod": "m"}, {"pod": "n"}, None, None, None, id="two pods: not stretched"),
        pytest.param({}, {}, None, None, None, id="no pod: two arrays claim one name"),
    ],
)
def test_a_stretched_volume_is_two_arrays_by_right(
    first: dict[str, Any], second: dict[str, Any] | None, name: str | None, capped: bool | None, iops: int | None
) -> None:
    [row] = view("device", flash(("fa-1", first), *([("fa-2", second)] if second is not None else [])))
    assert (row["array_name"], row["qos_capped"], row["qos_max_iops"]) == (name, capped, iops)
    if capped is None and name == "fa-1":
        assert row["qos"] == "none; the other array of its pod was not read"


@pytest.mark.parametrize(
    ("volume", "throttle", "capped"),
    [
        pytest.param({}, 0, False, id="no ceiling, no delay"),
        pytest.param({}, 1300, None, id="a delay, and no ceiling that was found"),
        pytest.param({}, None, None, id="no ceiling that was found, and the delay not reported"),
        pytest.param({"qos_max_iops": 500}, 1300, True, id="a delay, and its ceiling"),
    ],
)
def test_an_array_that_delays_a_volume_has_a_ceiling_over_it(volume: dict[str, Any], throttle: int | None, capped: bool | None) -> None:
    given = hosts(1)
    on_all_hosts(given, seen(FA, "flasharray"))
    array(given, "fa", FLASH, {"name": "db", "device": FA, **volume})
    given["array_volume_load"] = [{"endpoint": "fa", "volume_id": "db", "throttle_us": throttle, "actual_iops": 100}]
    [row] = view("device", given)
    assert row["qos_capped"] is capped


@pytest.mark.parametrize(("generation", "media"), [("ASA r2", "none"), ("AFX", "none"), (None, None)])
def test_a_copy_on_a_platform_without_aggregates_lies_on_no_disks(generation: str | None, media: str | None) -> None:
    given = hosts(1)
    array(given, "na", EndpointKind.ONTAP)
    given["array"][0]["generation"] = generation
    given["array_replication"] = [{"endpoint": "na", "replication_id": "r", "role": "source", "source": "a:b", "destination": "c:d"}]
    [row] = view("replication", given)
    assert row["media"] == media


COPIES = [
    pytest.param(EndpointKind.ONTAP, "ontap", "naa.600a0980383044374124", True, id="ONTAP active sync, MetroCluster or SVM-DR"),
    pytest.param(EndpointKind.DELL_SC, "dell-sc", "naa.6000d31000fcbe000000", True, id="Live Volume of two SCs"),
    pytest.param(EndpointKind.ETERNUS, "eternus-dx", "naa.600000e00d3200000032", True, id="ETERNUS Storage Cluster"),
    pytest.param(EndpointKind.ELEMENT, "solidfire", "naa.6f47acc100000000aaaa", False, id="two SolidFire clusters have no such thing"),
]


@pytest.mark.parametrize(("kind", "family", "stem", "is_one"), COPIES)
def test_one_name_on_two_arrays_that_copy_names_is_one_stretched_device(kind: EndpointKind, family: str, stem: str, is_one: bool) -> None:
    device = stem.ljust(36, "0")
    given = hosts(1)
    on_all_hosts(given, seen(device, family))
    array(given, "a", kind, {"name": "db", "device": device, "qos_max_iops": 900})
    array(given, "b", kind, {"name": "db copy", "device": device, "qos_max_iops": 300})
    [row] = view("device", given)
    found = (row["array_name"], row["volume"], row["qos_max_iops"], row["is_stretched"])
    assert found == (("a, b", "db", 300, True) if is_one else (None, None, None, None))
    used = {volume["volume"]: volume["hosts"] for volume in view("array_volume", given)}
    assert used == ({"db": 1, "db copy": 1} if is_one else {"db": None, "db copy": None})


SESSIONS = [
    pytest.param("powerstore", [{"pod": "s"}, {"pod": "s"}], True, id="PowerStore metro, one id of the session on both"),
    pytest.param("powerstore", [{"pod": "s"}, {"pod": "t"}], True, id="PowerStore metro, an id on each"),
    pytest.param("powerstore", [{"pod": "s"}, {}], False, id="a metro session on one PowerStore alone"),
    pytest.param("powerstore", [{}, {}], False, id="two PowerStores without a metro session"),
    pytest.param("3par", [{}, {}], True, id="3PAR Peer Persistence"),
    pytest.param("nimble", [{}, {}], False, id="the copy of a Nimble volume is listed by another serial number"),
]


@pytest.mark.parametrize(("family", "volumes", "is_one"), SESSIONS)
def test_one_name_on_two_arrays_of_families_that_stretch_volumes_is_one_device(
    family: str, volumes: list[dict[str, str]], *, is_one: bool
) -> None:
    """Sources: Dell's csm-docs, "PowerStore Metro"; d8tadude.com/2016/04/27/3par-peer-persistence; HPE's GUI guide of NimbleOS 6.0, "Serial
    Numbers".
    """
    device = {"powerstore": "naa.68ccf098", "3par": "naa.60002ac0", "nimble": "eui.6c9ce900"}[family].ljust(36, "0")
    given = hosts(1)
    on_all_hosts(given, {"device": device, "vendor": "x", "model": "y", "device_type": "disk", "is_local": False})
    for name, more in zip(("a", "b"), volumes, strict=True):
        array(
            given,
            name,
            EndpointKind.POWERSTORE,
            {"name": f"db of {name}", "device": device, "qos_max_iops": 900 if name == "a" else 300, **more},
        )
    given["array"] = [{**row, "family": family} for row in given["array"]]
    [row] = view("device", given)
    found = (row["array_name"], row["volume"], row["qos_max_iops"], row["is_stretched"])
    assert found == (("a, b", "db of a", 300, True) if is_one else (None, None, None, None))


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([("b", EndpointKind.ONTAP, 1), ("c", EndpointKind.ONTAP, 1)], id="three clusters"),
        pytest.param([("b", EndpointKind.ONTAP, 2)], id="two volumes of one cluster"),
        pytest.param([("b", EndpointKind.DELL_SC, 1)], id="two families"),
    ],
)
def test_one_name_on_other_volumes_is_nobodys(others: list[tuple[str, EndpointKind, int]]) -> None:
    device = "naa.600a0980383044374124".ljust(36, "0")
    given = hosts(1)
    on_all_hosts(given, seen(device, "ontap"))
    for name, kind, count in [("a", EndpointKind.ONTAP, 1), *others]:
        array(given, name, kind, *({"name": f"db{place}", "device": device} for place in range(count)))
    [row] = view("device", given)
    assert (row["array_name"], row["is_stretched"]) == (None, None)


def test_the_same_array_listed_twice_is_one_and_goes_by_its_first_name() -> None:
    given = hosts(1)
    on_all_hosts(given, seen(FA, "flasharray"))
    for name in ("fa-b", "fa-a"):
        array(given, name, FLASH, {"name": "db", "device": FA, "qos_max_iops": 500}, array_id="one")
    [row] = view("device", given)
    assert (row["array_name"], row["volume"], row["qos_max_iops"], row["is_stretched"]) == ("fa-a", "db", 500, False)


def test_an_account_that_sees_less_of_an_array_takes_nothing_from_one_that_sees_more() -> None:
    given = hosts(1)
    on_all_hosts(given, seen(FA, "flasharray"))
    array(given, "a-little", FLASH, array_id="one")
    array(given, "b-all", FLASH, {"name": "db", "device": FA}, array_id="one")
    [row] = view("device", given)
    assert (row["array_name"], row["volume"]) == ("a-little", "db")


def test_two_arrays_of_one_name_are_told_apart() -> None:
    given = hosts(1)
    on_all_hosts(given, seen(FA, "flasharray"), seen(FA_COPY, "flasharray"))
    array(given, "east", FLASH, {"name": "db", "device": FA, "qos_max_iops": 1}, array_id="1")
    array(given, "west", FLASH, {"name": "db", "device": FA_COPY, "qos_max_iops": 2}, array_id="2")
    for text in given["array"]:
        text["name"] = "production"
    rows = view("device", given)
    assert [(row["device"], row["array_name"], row["qos_max_iops"]) for row in rows] == [(FA, "east", 1), (FA_COPY, "west", 2)]


def test_a_clone_is_its_own_volume_and_a_datastore_lies_on_the_one_its_device_is() -> None:
    given = hosts(1)
    on_all_hosts(given, seen(FA, "flasharray"), seen(FA_COPY, "flasharray"))
    copy = {"name": "db-copy", "device": FA_COPY, "copy_of": "db"}
    array(given, "fa", FLASH, {"name": "db", "device": FA, "qos_max_iops": 500}, copy)
    given["datastore"] = [
        {"datastore_id": f"ds-{n}", "name": name, "type": "VMFS", "sioc_enabled": True} for n, name in ((1, "db"), (2, "snap-db"))
    ]
    given["datastore_extent"] = [
        {"datastore_id": "ds-1", "device": FA, "partition": 1},
        {"datastore_id": "ds-2", "device": FA_COPY, "partition": 1},
    ]
    reported = [(row["resource_name"], row["volumes"], row["has_array_qos"]) for row in view("datastore", given)]
    assert reported == [("db", "db", True), ("snap-db", "db-copy", False)]
    assert {row["volume"]: (row["copy_of"], row["datastores"]) for row in view("array_volume", given)} == {
        "db": (None, "db"),
        "db-copy": ("db", "snap-db"),
    }


@pytest.mark.parametrize("name", ["device", "array_volume", "array_pool", "qos_policy", "array_host", "replication", "efficiency"])
def test_a_manager_of_several_arrays_multiplies_no_row(name: str) -> None:
    given = hosts(1)
    sc = "naa.6000d31000fcbe000000000000000003"
    on_all_hosts(given, seen(sc, "dell-sc"))
    array(given, "dsm", SC, {"name": "prod", "device": sc, "pool_id": "1", "qos_max_iops": 5})
    given["array"].append({**given["array"][0], "array_id": "another", "name": "another"})
    given["array_pool"] = [{"endpoint": "dsm", "pool_id": "1", "name": "pool"}]
    given["array_qos_policy"] = [{"endpoint": "dsm", "policy_id": "1", "name": "Prod"}]
    given["array_host"] = [{"endpoint": "dsm", "array_host_id": "1", "name": "esx-1"}]
    given["array_replication"] = [{"endpoint": "dsm", "replication_id": "1", "role": "source", "source": "a", "destination": "b"}]
    given["array_efficiency"] = [{"endpoint": "dsm", "volume_id": "1", "volume": "a"}]
    [row] = view(name, given)
    assert row["family"] == "dell-sc"


def test_what_an_array_tells_of_itself_comes_before_what_is_declared() -> None:
    eternus = "naa.600000e00d1000000010660000010000"
    given = hosts(1)
    on_all_hosts(given, seen(eternus, "eternus-dx"))
    given["declared"] = [{"devices": "naa.600000e00d*", "model": "DX80", "generation": "S1", "firmware": "V10L66"}]
    columns = ("array_model", "array_generation", "array_firmware", "firmware_level")
    [declared] = view("device", given)
    assert [declared[column] for column in columns] == ["DX80", "S1", "V10L66", 10066]
    array(given, "dx", EndpointKind.ETERNUS, {"name": "v", "device": eternus})
    given["array"][0].update(model="ETERNUS DX90", version="V10L68-0000")
    [read] = view("device", given)
    assert [read[column] for column in columns] == ["DX90", "S1", "V10L68-0000", 10068]


def vvols(**binding: Any) -> Facts:
    """A host that sees both protocol endpoints of an Element cluster, and two disks on it, one of them capped."""
    given = hosts(1)
    names = [f"naa.6f47acc20000000{n}7366707200000000" for n in (1, 2)]
    on_all_hosts(given, *(seen(name, "solidfire", is_protocol_endpoint=True) for name in names))
    virtual = {"kind": "vvol", "is_virtual": True}
    array(
        given,
        "sf",
        ELEMENT,
        {"name": "v1", "vvol_id": "aaaa-1", "qos_policy": "Bronze", "qos_max_iops": 1000, **virtual},
        {"name": "v2", "vvol_id": "aaaa-2", **virtual},
    )
    given["array_protocol_endpoint"] = [
        {"endpoint": "sf", "protocol_endpoint_id": f"pe-{n}", "device": name} for n, name in enumerate(names, 1)
    ]
    given["datastore"] = [{"datastore_id": "ds", "name": "vvols", "type": "VVOL"}]
    given["vvol_mount"] = [{"datastore_id": "ds", "host_id": "host-1", "device": names[0]}]
    given["vm"] = [{"vm_id": "vm-1", "name": "noisy", "host_id": "host-1", "disks_read": True}]
    given["vm_disk"] = [{"vm_id": "vm-1", "disk": "Hard disk 1", "datastore_id": "ds", "backing_object_id": "rfc4122.AAAA-1"}]
    given["vvol_binding"] = [
        {"endpoint": "sf", "binding_id": str(n), "vvol_id": f"aaaa-{n}", "protocol_endpoint_id": "pe-1", **binding} for n in (1, 2)
    ]
    return given


def test_a_protocol_endpoint_names_the_disks_the_array_throttles_behind_it() -> None:
    first, second = view("protocol_endpoint", vvols(protocol_endpoint_id="pe-2"))
    assert (second["bound_volumes"], second["throttled"], second["throttled_volumes"]) == (2, 1, "noisy Hard disk 1")
    assert (second["qos_policies"], second["qos_max_iops"], second["qos"]) == ("Bronze", 1000, "Bronze: 1000 IOPS; none")
    assert (first["bound_volumes"], first["throttled_volumes"]) == (0, "")


@pytest.mark.parametrize("topic", ["bindings", "volumes"])
def test_what_is_behind_a_protocol_endpoint_is_unknown_when_the_array_was_not_read_whole(topic: str) -> None:
    given = vvols()
    for row in given["reading"]:
        row["complete"] = row["complete"] and row["topic"] != topic
    assert {(row["bound_volumes"], row["throttled_volumes"]) for row in view("protocol_endpoint", given)} == {(None, None)}


@pytest.mark.parametrize("bindings", [True, False], ids=["bound", "bindings unknown to the array"])
def test_an_array_with_one_endpoint_has_all_its_virtual_volumes_behind_it(bindings: bool) -> None:
    given = vvols()
    if not bindings:
        given["vvol_binding"] = []
        given["reading"] = [row for row in given["reading"] if row["topic"] != "bindings"]
    del given["array_protocol_endpoint"][1]
    rows = view("protocol_endpoint", given)
    assert [(row["bound_volumes"], row["throttled_volumes"]) for row in rows] == [(2, "noisy Hard disk 1"), (None, None)]


def test_a_virtual_volume_names_its_machine_host_datastore_and_endpoint() -> None:
    first, second = view("array_volume", vvols())
    reported = [first[column] for column in ("vm_disk", "host_names", "datastores", "device", "qos")]
    assert reported == ["noisy Hard disk 1", "esx-1", "vvols", "naa.6f47acc2000000017366707200000000", "Bronze: 1000 IOPS"]
    assert (second["vm_disk"], second["host_names"]) == (None, "esx-1")
    [store] = view("datastore", vvols())
    assert store["arrays"] == "sf"


def nfs(
    *arrays: tuple[str, str, str],
    addresses: dict[str, list[str]] | None = None,
    read: bool = True,
    server: str = "192.0.2.9",
    path: str = "/ds1/",
) -> Facts:
    """An NFS datastore that mounts /ds1 of 192.0.2.9, an address of n by default, with (array, share, path) of ONTAPs."""
    given = hosts(1)
    given["datastore"] = [{"datastore_id": "ds", "name": "nfs", "type": "NFS", "nfs_host": server, "nfs_path": path}]
    given["datastore_mount"] = [{"datastore_id": "ds", "host_id": "host-1"}]
    for name in dict.fromkeys(name for name, _, _ in arrays):
        shares = [{"name": share, "kind": "share", "export_path": at, "qos_max_iops": 7} for of, share, at in arrays if of == name]
        array(given, name, ONTAP, *shares, read=read)
    for name, of in (addresses if addresses is not None else {"n": ["192.0.2.9", "192.0.2.10"]} if arrays else {}).items():
        serves(given, name, *of)
    return given


ONE = [("n", "vol1", "/ds1")]
TWO_FILERS = [*ONE, ("m", "volm", "/ds1")]
NAMED: dict[str, Any] = {"server": "nas.example.net"}


@pytest.mark.parametrize(
    ("arrays", "more", "family", "volume"),
    [
        pytest.param([*ONE, ("n", "vol2", "/ds2")], {}, "ontap", "vol1", id="address and path"),
        pytest.param(TWO_FILERS, {}, "ontap", "vol1", id="two filers export the path, and one has the address"),
        pytest.param(TWO_FILERS, {"addresses": {"n": ["192.0.2.8"], "m": ["192.0.2.9"]}}, "ontap", "volm", id="the other one has it"),
        pytest.param(TWO_FILERS, {"addresses": {"n": ["192.0.2.9"], "m": ["192.0.2.9"]}}, "ontap", None, id="both have the address"),
        pytest.param([*ONE, ("n", "vol2", "/ds1")], {}, "ontap", None, id="two shares behind the address have the path"),
        pytest.param(ONE, {"read": False}, "ontap", None, id="not all shares read"),
        pytest.param([("n", "vol1", "/ds")], {}, "ontap", None, id="another path"),
        pytest.param([("n", "root", "/"), *ONE], {"path": "/ds1/qtree"}, "ontap", "vol1", id="a folder of the share"),
        pytest.param([*ONE, ("n", "inner", "/ds1/a")], {"path": "/ds1/a/b"}, "ontap", "inner", id="a share below another"),
        pytest.param([("n", "root", "/")], {}, "ontap", None, id="below the root volume only"),
        pytest.param([("n", "root", "/")], {"path": "/"}, "ontap", "root", id="the root volume itself"),
        pytest.param(ONE, {"addresses": {"n": ["192.0.2.10"]}}, "other", None, id="another vendor's filer with the same path"),
        pytest.param(ONE, NAMED, None, None, id="a name, whose path an ONTAP exports"),
        pytest.param([("n", "vol1", "/ds2")], NAMED, "other", None, id="a name, whose path no ONTAP exports"),
        pytest.param(ONE, {**NAMED, "path": "/ds1/qtree"}, None, None, id="a name, whose folder an ONTAP may export"),
        pytest.param([("n", "vol1", "/ds2")], {**NAMED, "read": False}, None, None, id="a name, and not all exports read"),
        pytest.param([], {}, None, None, id="no ONTAP in the fleet"),
        pytest.param(ONE, {"server": "192.0.2.4,192.0.2.10"}, "ontap", "vol1", id="several servers of one share"),
        pytest.param(ONE, {"server": "fd00::9", "addresses": {"n": ["fd00::9"]}}, "ontap", "vol1", id="IPv6"),
        pytest.param(ONE, {"server": "fd00::9"}, "other", None, id="IPv6 of another filer"),
    ],
)
def test_an_nfs_datastore_is_joined_by_server_and_path(
    arrays: list[tuple[str, str, str]], more: dict[str, Any], family: str | None, volume: str | None
) -> None:
    [row] = view("datastore", nfs(*arrays, **more))
    assert (row["families"], row["volumes"], row["has_array_qos"]) == (family, volume, True if volume else None)
    assert row["qos_max_iops"] == (7 if volume else None)
    assert row["joined_by"] == ("server and path" if volume else None)


def test_a_share_is_only_behind_the_addresses_of_its_own_virtual_machine() -> None:
    given = nfs(*ONE, addresses={"n": ["192.0.2.10"]})
    serves(given, "n", "192.0.2.9", svm="another")
    [row] = view("datastore", given)
    assert (row["families"], row["volumes"]) == ("ontap", None)


def test_a_server_is_no_foreign_one_while_an_ontap_did_not_tell_its_addresses() -> None:
    given = nfs(*ONE, addresses={"n": ["192.0.2.10"]})
    for row in given["reading"]:
        row["complete"] = row["complete"] and row["topic"] != "addresses"
    [row] = view("datastore", given)
    assert row["families"] is None


@pytest.mark.parametrize(
    ("declared", "family", "volume"),
    [
        pytest.param([{"server": "nas.*", "address": "192.0.2.10"}], "ontap", "vol1", id="its address"),
        pytest.param([{"server": "nas.*", "address": "192.0.2.77"}], "other", None, id="an address that no ONTAP has"),
        pytest.param([{"server": "nas.example.net", "family": "other"}], "other", None, id="that it is another vendor's"),
        pytest.param([{"server": "nas.example.net", "family": "ontap"}], "ontap", None, id="that it is an ONTAP"),
        pytest.param([{"server": "nas.example.com", "family": "other"}], None, None, id="another server"),
        pytest.param([{"server": "nas.*", "family": "other"}, {"server": "*", "address": "192.0.2.10"}], "other", None, id="the first"),
    ],
)
def test_fleet_yaml_declares_whose_a_server_is_that_is_only_a_name(
    declared: list[dict[str, str]], family: str | None, volume: str | None
) -> None:
    given = nfs(*ONE, **NAMED)
    given["declared_nfs_server"] = declared
    [row] = view("datastore", given)
    assert (row["families"], row["volumes"]) == (family, volume)


@pytest.mark.parametrize(
    ("given", "mounts"),
    [
        pytest.param(nfs(*ONE), True, id="ONTAP"),
        pytest.param(nfs(*ONE, server="192.0.2.77"), False, id="a foreign filer with the same path"),
        pytest.param(nfs(*ONE, **NAMED), None, id="a name that may be either"),
        pytest.param(nfs(), None, id="no ONTAP in the fleet"),
        pytest.param({**nfs(), "declared_nfs_server": [{"server": "192.0.2.*", "family": "other"}]}, False, id="declared foreign"),
        pytest.param({**nfs(), "declared_nfs_server": [{"server": "192.0.2.*", "family": "ontap"}]}, True, id="declared ONTAP"),
    ],
)
def test_both_views_of_nfs_options_give_one_answer_to_whether_a_host_mounts_ontap(given: Facts, mounts: bool | None) -> None:
    assert {row["mounts_ontap"] for row in view("nfs_option", given) if row["option"] != "NFS41.MaxVolumes"} == {mounts}
    assert {row["mounts_ontap_nfs"] for row in view("queue_option", given)} == {mounts}


def spindles(**first: Any) -> Facts:
    """An aggregate with a LUN in vol1, two relationships that start together at 12:00, and deduplication at midnight."""
    device = "naa.600a098038304437415d4b6a59684a52"
    given = hosts(1)
    given["hba"] = [{"host_id": "host-1", "hba": "vmhba2", "initiator": "21000024ff0a0101"}]
    on_all_hosts(given, seen(device, "ontap"))
    lun = {"name": "/vol/vol1/lun1", "device": device, "svm": "svm", "pool_id": "p", "qos_policy": "gold", "qos_max_iops": 9}
    array(given, "n", ONTAP, lun)
    given["array_node"] = [{"endpoint": "n", "node_id": "1", "name": "node-1"}]
    given["array_pool"] = [{"endpoint": "n", "pool_id": "p", "name": "aggr", "node_id": "1", "data_disks": 10}]
    given["array_pool_load"] = [
        {"endpoint": "n", "pool_id": "p", "busy_percent": 80.0, "transfers_per_second": 400.0, "user_transfers_per_second": 100.0}
    ]
    common = {"endpoint": "n", "role": "source", "pool_id": "p", "destination": "dr:x", "schedule": "s", "schedule_read": True}
    given["array_replication"] = [
        {**common, "replication_id": "1", "source": "svm:vol1", "interval_seconds": 3600, "start_minutes": json.dumps([0, 720]), **first},
        {**common, "replication_id": "2", "source": "svm:vol2", "interval_seconds": 7200, "start_minutes": json.dumps([30, 720])},
    ]
    given["array_efficiency"] = [
        {
            "endpoint": "n",
            "volume_id": str(n),
            "volume": f"svm:vol{n}",
            "pool_id": "p",
            "state": "enabled",
            "schedule": "s",
            "start_minutes": start,
        }
        for n, start in ((1, "[15]"), (2, "[60]"), (3, "[0, 700]"))
    ]
    given["array_scrub"] = [{"endpoint": "n", "node_id": "node-1", "schedule": "daily", "duration_minutes": 240}]
    given["array_host"] = [{"endpoint": "n", "array_host_id": "ig", "name": "esx", "host_type": "linux"}]
    given["array_initiator"] = [{"endpoint": "n", "array_host_id": "ig", "initiator": name} for name in ("21000024ff0a0101", "iqn.other")]
    given["array_connection"] = [{"endpoint": "n", "array_host_id": "ig", "volume_id": "/vol/vol1/lun1"}]
    return given


def test_a_pool_tells_its_background_work_and_who_lies_on_it() -> None:
    [row] = view("array_pool", spindles())
    assert (row["node"], row["busy_percent"], row["background_share"], row["scrub_schedule"]) == ("node-1", 80.0, 0.75, "daily")
    assert (row["replications"], row["shortest_replication_seconds"], row["replication_starts_a_day"]) == (2, 3600, 36.0)
    assert (row["replication_starts_in_one_minute"], row["busiest_minute"], row["efficiency_at_midnight"]) == (2, 720, 2)
    assert (row["host_names"], row["devices"], row["volume_names"]) == ("esx-1", "naa.600a098038304437415d4b6a59684a52", "/vol/vol1/lun1")
    assert row["qos"] == "gold: 9 IOPS"


@pytest.mark.parametrize(
    ("change", "unknown"),
    [
        pytest.param({"start_minutes": None}, {"replication_starts_in_one_minute", "busiest_minute"}, id="starts not understood"),
        pytest.param(
            {"interval_seconds": None}, {"shortest_replication_seconds", "replication_starts_a_day"}, id="interval not understood"
        ),
        pytest.param({"pool_id": None}, {"replications", "replication_starts_in_one_minute"}, id="nobody tells which pool one is on"),
    ],
)
def test_a_pool_does_not_count_what_was_not_understood(change: dict[str, Any], unknown: set[str]) -> None:
    [row] = view("array_pool", spindles(**change))
    assert {column for column in unknown if row[column] is not None} == set()


@pytest.mark.parametrize("topic", ["replication", "efficiency"])
def test_a_pool_whose_background_work_was_not_read_whole_has_no_count_of_it(topic: str) -> None:
    given = spindles()
    for row in given["reading"]:
        row["complete"] = row["complete"] and row["topic"] != topic
    [row] = view("array_pool", given)
    assert (row["replications"] is None, row["efficiency_at_midnight"] is None) == (topic == "replication", topic == "efficiency")


def test_a_relationship_and_deduplication_name_hosts_device_volume_and_qos_behind_them() -> None:
    first, second = view("replication", spindles())
    reported = ("pool", "busy_percent", "replication_starts_in_one_minute", "volumes", "devices", "host_names", "qos")
    device = "naa.600a098038304437415d4b6a59684a52"
    assert [first[column] for column in reported] == ["aggr", 80.0, 2, "/vol/vol1/lun1", device, "esx-1", "gold: 9 IOPS"]
    assert (second["devices"], second["devices_of_pool"], second["qos_of_pool"]) == (None, device, "gold: 9 IOPS")
    work = view("efficiency", spindles())
    assert [(row["first_start_minute"], row["devices"]) for row in work] == [(15, device), (60, None), (0, None)]


def test_an_arrays_host_is_the_esxi_host_with_its_initiator() -> None:
    [row] = view("array_host", spindles())
    assert (row["host"], row["cluster"], row["host_type"], row["is_esxi"]) == ("esx-1", "gold", "linux", True)
    assert (row["initiators"], row["initiators_seen"], row["initiators_unseen"]) == (2, 1, "iqn.other")
    assert (row["volumes"], row["devices"], row["qos"]) == (1, "naa.600a098038304437415d4b6a59684a52", "gold: 9 IOPS")


@pytest.mark.parametrize(
    ("read", "is_esxi"), [pytest.param(True, False, id="all adapters read"), pytest.param(False, None, id="not all read")]
)
def test_a_host_that_nobody_knows_is_no_esxi_host_only_where_all_adapters_were_read(read: bool, is_esxi: bool | None) -> None:
    given = spindles()
    given["hba"] = []
    for row in given["reading"]:
        row["complete"] = row["complete"] and (read or row["topic"] != "hbas")
    [row] = view("array_host", given)
    assert row["is_esxi"] is is_esxi
