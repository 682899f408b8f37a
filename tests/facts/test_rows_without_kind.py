"""Rows that do not tell of what kind they are, by which driver, of which vendor: they count as what they may be, and as nothing else."""

from typing import Any

import pytest

from .single import ByName, Rows, of_vc, rows_over, shown

ON: dict[str, Any] = {"endpoint": "vc", "host_id": "h"}
HOST: dict[str, Rows] = {
    "fact.host": [{**ON, "name": "h!", "cluster": "gold"}],
    "step_host_reading": [{**ON, "domain_id": "gold"} | dict.fromkeys(("devices_read", "paths_read", "hbas_read"), True)],
}


def test_an_adapter_of_no_known_kind_may_be_one_for_iscsi() -> None:
    adapters = [
        {**ON, "hba": hba, "kind": kind} for hba, kind in (("unknown", None), ("with target", None), ("iscsi", "iscsi"), ("fc", "fc"))
    ]
    asked = {"fact.reading": of_vc({"scope": "h", "topic": "port_binding", "complete": True})}
    bound: ByName = {"h/unknown": {"bound_vmknics": None}, "h/with target": {"bound_vmknics": None}, "h/iscsi": {"bound_vmknics": 0}}
    assert shown(rows_over("port_binding", {**HOST, "fact.hba": adapters, **asked}), bound) == bound
    targets = {"fact.iscsi_target": [{**ON, "hba": "with target", "kind": "static"}]}
    configured: ByName = {"h/unknown": {"targets": None}, "h/with target": {"targets": 1}, "h/iscsi": {"targets": 0}}
    assert shown(rows_over("iscsi_adapter", {**HOST, "fact.hba": adapters, **targets}), configured) == configured


def test_hosts_with_an_adapter_that_does_not_report_its_driver_are_listed_once() -> None:
    drivers = (("h", None), ("h", None), ("g", "lpfc"))
    rows = [{"endpoint": "vc", "host_id": host_id, "hba": str(n), "driver": driver} for n, (host_id, driver) in enumerate(drivers)]
    assert rows_over("step_nameless_adapter", {"fact.hba": rows}) == [ON]


@pytest.mark.parametrize(
    ("undriven", "nameless", "agrees"),
    [
        pytest.param(True, True, None, id="a device by an adapter that does not report its driver"),
        pytest.param(True, False, True, id="a device by several drivers"),
        pytest.param(False, True, True, id="such an adapter without a device"),
    ],
)
def test_depths_by_a_driver_are_alike_where_no_other_device_may_be_behind_it(undriven: bool, nameless: bool, agrees: bool | None) -> None:
    groups = [{**ON, "driver": driver, "devices": 1, "deepest_queue": 64} for driver in ("lpfc", None)[: 1 + undriven]]
    elsewhere = [{**ON, "host_id": "g"}, {**ON, "endpoint": "vc-2"}]
    given = {
        "fact.host": [*HOST["fact.host"], *elsewhere],
        "step_host_reading": [*HOST["step_host_reading"], *({**host, "devices_read": True} for host in elsewhere)],
        "step_host_group": [*groups, *({**host, "driver": driver, "devices": 1} for host in elsewhere for driver in ("nfnic", None))],
        "step_nameless_adapter": [ON, *elsewhere] if nameless else elsewhere,
    }
    found = [row for row in rows_over("driver_queue", given) if row["driver"] == "lpfc"]
    assert [row["queue_depth_agrees"] for row in found] == [agrees]
    given["step_nameless_adapter"] = [ON] if nameless else []
    far = [row["queue_depth_agrees"] for row in rows_over("driver_queue", given) if row["driver"] == "nfnic"]
    assert far == [True, True]


def test_a_host_that_does_not_tell_whether_a_disk_is_its_own_may_have_any_depth() -> None:
    """Of three hosts two have 64, which is what most have unless the fourth has another; 32 is never what most have."""
    hosts = [{"endpoint": "vc", "host_id": f"h{n}"} for n in range(4)]
    depths: dict[str, tuple[int, bool | None]] = {"h0": (64, True), "h1": (64, True), "h2": (32, True), "h3": (32, None)}
    given: dict[str, Rows] = {
        "fact.host": hosts,
        "step_host_reading": [{**host, "devices_read": True, "modules_read": True} for host in hosts],
        "step_host_group": [{**host, "driver": "lpfc", "devices": 1} for host in hosts],
        "device": of_vc(
            *(
                {"host_id": host_id, "device": "naa.1", "driver": "lpfc", "queue_depth": depth, "is_shared": is_shared}
                for host_id, (depth, is_shared) in depths.items()
            )
        ),
        "shared_device": of_vc({"device": "naa.1", "queue_depth_agrees": False, "queue_depths_known": False}),
        "step_device_row": [{"host_number": n, "device_number": 1, "driver_number": 1, "is_shared": n < 3 or None} for n in range(4)],
        "step_device_number": [{"device_number": 1, "device": "naa.1"}],
        "step_host_number": [{**host, "host_number": n} for n, host in enumerate(hosts)],
        "step_driver": [{"driver_number": 1, "driver": "lpfc"}],
    }
    assert {row["host_id"]: row["queue_depth_agrees"] for row in rows_over("driver_queue", given)} == dict.fromkeys(depths) | {"h2": False}


def test_a_device_may_be_behind_a_raised_driver_where_its_own_is_not_reported_or_it_may_be_local() -> None:
    device = {**ON, "is_protocol_endpoint": False, "is_namespace": False, "queue_depth": 128}
    devices: dict[str, dict[str, Any]] = {
        "raised": {"driver": "lpfc", "is_shared": True},
        "may be local": {"driver": "lpfc", "is_shared": None},
        "local": {"driver": "lpfc", "is_shared": False},
        "driver not reported": {"driver": None, "is_shared": True},
    }
    rows = [{**device, **own, "device": name, "resource_id": name} for name, own in devices.items()]
    elsewhere = {**device, "host_id": "g", "device": "by several drivers", "resource_id": "g", "driver": None, "is_shared": True}
    module = {
        "module": "lpfc",
        "stock_depth": 64,
        "configured_depth": 128,
        "depth_is_configured": True,
        "depth_parameter": "lpfc_lun_queue_depth",
    }
    given: dict[str, Rows] = {"device": [*rows, elsewhere], "host_module": [{**ON, **module}], "step_nameless_adapter": [ON]}
    expected: ByName = {
        "raised": {"is_raised": True, "stock_depth": 64},
        "may be local": {"is_raised": None, "stock_depth": 64},
        "driver not reported": {"is_raised": None, "stock_depth": None},
    }
    assert shown(rows_over("raised_device", given), expected) == expected


def test_a_path_that_does_not_report_how_it_travels_goes_by_its_adapter() -> None:
    kinds = {"iscsi": "iscsi", "fc": "fc", "either": "nvme", "unknown": None}
    adapters = [{**ON, "hba": hba, "kind": kind} for hba, kind in kinds.items()]
    paths = [{**ON, "path": hba, "hba": hba} for hba in (*kinds, "unlisted")]
    reported = [
        {**ON, "path": "reported", "hba": "fc", "transport": "sas"},
        {"endpoint": "vc-2", "host_id": "h", "path": "far", "hba": "fc"},
    ]
    found = rows_over("step_path", {"fact.hba": adapters, "fact.path": paths + reported})
    own = {"iscsi": "iscsi", "fc": "fc", "either": None, "unknown": None, "unlisted": None, "reported": "sas", "far": None}
    assert {row["path"]: row["transport"] for row in found} == own


@pytest.mark.parametrize(
    ("transports", "devices"),
    [
        (["iscsi", None], 1),
        (["fc", None], None),
        (["fc", "sas"], 0),
        ([None], None),
        (["fc"], 0),
        ([], 0),
    ],
)
def test_devices_are_reached_by_iscsi_where_one_surely_is_or_none_may_be(transports: list[str | None], devices: int | None) -> None:
    paths = [{**ON, "device": f"naa.{n}", "transport": one} for n, one in enumerate(transports)]
    [row] = rows_over("vmknic", {**HOST, "fact.vmknic": [{**ON, "vmk": "vmk1"}], "step_path": paths})
    assert row["iscsi_devices"] == devices


@pytest.mark.parametrize(
    ("behind", "paths_read", "family"),
    [
        pytest.param([("iqn", "nimble")], True, "nimble", id="all that lies behind it"),
        pytest.param([], True, "other", id="nothing behind it"),
        pytest.param([], False, None, id="paths that were not read"),
        pytest.param([("iqn", None)], True, None, id="a device of no known family"),
        pytest.param([(None, "nimble")], True, None, id="a path that does not report its target, and no other"),
        pytest.param([("iqn", "nimble"), (None, "nimble")], True, "nimble", id="such a path to the same family"),
        pytest.param([("iqn", "nimble"), (None, "dell-sc")], True, None, id="such a path to another family"),
        pytest.param([("iqn", "nimble"), (None, None)], True, None, id="such a path to one that is not known"),
        pytest.param([("iqn", "nimble"), (None, "nimble"), (None, "ontap")], True, None, id="such paths to it and to another family"),
    ],
)
def test_a_target_is_of_the_family_of_all_that_may_lie_behind_it(
    behind: list[tuple[str | None, str | None]], paths_read: bool, family: str | None
) -> None:
    at = {**ON, "hba": "vmhba64"}
    given: dict[str, Rows] = {
        "iscsi_target": [{**at, "resource_id": "t", "iqn": "iqn", "family": "other"}],
        "step_host_reading": [{**ON, "paths_read": paths_read}],
        "step_iscsi_family": [{**at, "target": target, "family": of, "paths": 1} for target, of in behind],
    }
    for place in ({"endpoint": "vc-2"}, {"host_id": "g"}, {"hba": "vmhba65"}):
        given["step_iscsi_family"] += [{**at, **place, "target": None, "family": family, "paths": 1} for family in ("eternus-dx", "ontap")]
    [row] = rows_over("iscsi_parameter", given)
    assert row["family"] == family


def test_paths_of_no_known_transport_may_be_iscsi() -> None:
    paths = [{**ON, "hba": hba, "device": "naa.1", "transport": transport} for hba, transport in (("a", "iscsi"), ("b", None), ("c", "fc"))]
    found = rows_over("step_iscsi_family", {"step_path": paths, "step_seen_device": of_vc({"device": "naa.1", "family": "ontap"})})
    assert sorted((row["hba"], row["family"]) for row in found) == [("a", "ontap"), ("b", "ontap")]


NAMED: dict[str, Any] = {"satp": "ALUA", "vendor": "PURE", "model": "FlashArray"}


@pytest.mark.parametrize(
    ("known", "is_native", "claimed"),
    [
        pytest.param(NAMED, True, True, id="all"),
        pytest.param(NAMED | {"vendor": None}, True, None, id="no vendor"),
        pytest.param(NAMED | {"model": None}, True, None, id="no model"),
        pytest.param(NAMED | {"satp": None}, True, None, id="no SATP of the native plug-in"),
        pytest.param(NAMED | {"satp": None}, False, False, id="another plug-in's, which has none"),
        pytest.param(NAMED | {"satp": None, "vendor": None}, False, None, id="another plug-in's, and no vendor"),
    ],
)
def test_a_device_has_a_claim_rule_where_all_that_rules_go_by_is_known_of_it(
    known: dict[str, Any], is_native: bool, claimed: bool | None
) -> None:
    at = {**ON, "device": "naa.1"}
    elsewhere = [{**at, **place, "satp": None} for place in ({"endpoint": "vc-2"}, {"host_id": "g"}, {"device": "naa.2"})]
    given: dict[str, Rows] = {
        "path_policy": [{**at, **known}],
        "fact.path": [{**at, "satp": known["satp"]}, *elsewhere],
        "fact.device_policy": [at] if is_native else elsewhere,
        "fact.satp_rule": [{**ON, **NAMED, "device": "", "driver": "", "transport": "", "default_psp": "", "psp_options": ""}],
        "fact.reading": of_vc({"scope": "h", "topic": "multipathing", "complete": True}),
    }
    [row] = rows_over("device_claim", given)
    assert row["has_claim_rule"] is claimed


def test_policies_of_a_family_are_known_where_no_lun_of_an_unknown_one_may_be_of_it() -> None:
    lun = {**ON, "is_shared": True, "is_protocol_endpoint": False, "active_paths": 2, "psp": "VMW_PSP_RR", "rr_policy": "latency"}
    endpoint = {"host_id": "endpoints", "is_protocol_endpoint": True}
    given = {
        "path_policy": [
            {**lun, "device": "naa.1", "family": "ontap"},
            {**lun, "device": "naa.2", "family": None, "psp": "VMW_PSP_FIXED"},
            {**lun, **endpoint, "device": "naa.3", "family": "ontap"},
            {**lun, **endpoint, "device": "naa.4", "family": None},
            {**lun, "host_id": "calm", "device": "naa.1", "family": "ontap"},
            {**lun, "host_id": "calm", "device": "naa.5", "family": None, "is_shared": False},
            {**lun, "host_id": "open", "device": "naa.3", "family": "ontap", "is_protocol_endpoint": True},
            {**lun, "host_id": "open", "device": "naa.6", "family": None, "active_paths": None},
        ]
    }
    known: dict[str, Any] = {"psps_are_known": True, "round_robins_are_known": True}
    expected: ByName = {
        "h/ontap": {"luns": 1, "psps_are_known": None, "round_robin_devices": 1, "round_robins_are_known": True},
        "h/?": {"luns": 1, "psps": "VMW_PSP_FIXED", "round_robin_devices": 0},
        "endpoints/ontap": {"luns": 0, "psps_are_known": True, "round_robin_devices": 1, "round_robins_are_known": None},
        "endpoints/?": {"luns": 0, "round_robin_devices": 1},
        "calm/ontap": {"luns": 1, "round_robin_devices": 1, **known},
        "open/ontap": {"luns": None, "psps_are_known": None, "round_robin_devices": 1, "round_robins_are_known": None},
        "open/?": {"luns": None, "round_robin_devices": None},
    }
    assert shown(rows_over("family_path_policy", given), expected) == expected


def test_an_endpoint_is_the_deepest_of_its_cluster_where_none_of_an_unknown_family_may_be_deeper() -> None:
    def endpoint(place: str, device: str, family: str | None, dsnro: int) -> dict[str, Any]:
        own = {"device": device, "family": family, "dsnro": dsnro, "resource_id": f"{place}/{device}", "domain_id": place[:-1]}
        return {**ON, "host_id": place, **own, "is_protocol_endpoint": True}

    rows = [endpoint("a1", "pe.1", "ontap", 128), endpoint("a2", "pe.1", "ontap", 64), endpoint("a2", "pe.2", None, 256)]
    rows += [endpoint("b1", "pe.1", "ontap", 128), endpoint("b1", "pe.3", "solidfire", 256)]
    given: dict[str, Rows] = {"device": rows, "step_domain_reading": of_vc(*({"domain_id": one, "scheduling_read": True} for one in "ab"))}
    behind = {"a1/pe.1": None, "a2/pe.1": True, "a2/pe.2": None, "b1/pe.1": False, "b1/pe.3": False}
    assert {row["resource_id"]: row["is_behind_cluster"] for row in rows_over("protocol_endpoint", given)} == behind


def login(host: str, device: str, target: str | None, **more: Any) -> dict[str, Any]:
    return {**ON, "host_id": host, "hba": "vmhba1", "device": device, "target": target, "transport": "fc", **more}


@pytest.mark.parametrize(
    ("path", "depths", "unnamed"),
    [
        pytest.param(login("g", "naa.1", None), None, "ontap", id="to the same array"),
        pytest.param(login("g", "naa.1", None, transport="fcoe"), None, "ontap", id="over Ethernet"),
        pytest.param(login("g", "naa.1", "port", transport=None), None, "ontap", id="of no known transport"),
        pytest.param(login("g", "naa.2", None), None, "ontap", id="to an array of the family that was not read"),
        pytest.param(login("g", "naa.3", None), None, None, id="to what nobody knows"),
        pytest.param(login("g", "naa.4", None), 64, "ontap", id="to another array"),
        pytest.param(login("g", "naa.5", None), 64, "solidfire", id="to another family"),
        pytest.param(login("h", "naa.1", None), 64, "ontap", id="by an adapter that counts already"),
        pytest.param(login("g", "naa.1", None, transport="iscsi"), 64, ..., id="of no Fibre Channel"),
        pytest.param(login("g", "naa.6", None), 64, ..., id="to a disk in the host"),
    ],
)
def test_a_path_that_does_not_tell_where_it_ends_may_end_at_any_port_of_its_array(
    path: dict[str, Any], depths: int | None, unnamed: Any
) -> None:
    families = {"naa.1": "ontap", "naa.2": "ontap", "naa.3": None, "naa.4": "ontap", "naa.5": "solidfire", "naa.6": "other"}
    arrays = {"naa.1": "here", "naa.4": "there"}
    place = {"cluster": "gold"}
    given: dict[str, Rows] = {
        "fact.host": [{**ON, **place}],
        "step_path": [login("h", "naa.1", "port"), path],
        "device": of_vc(
            *(
                {"host_id": host, "host": f"{host}!", "device": device, "family": family, "array_name": arrays.get(device), **place}
                | {"is_shared": device != "naa.6"}
                for host in "hg"
                for device, family in families.items()
            )
        ),
        "adapter": [{**ON, "hba": "vmhba1", "host": "h!", "deepest_queue_depth": 64, "deepest_queue_depth_at_least": 64}],
        "step_host_reading": [{**ON, "domain_id": "gold", "paths_read": True}],
        "step_domain_reading": of_vc({"domain_id": "gold", "devices_read": True}),
        "step_vcenter_reading": [{"hosts_read": True}],
        "step_seen_device": of_vc(*({"device": device, "family": family} for device, family in families.items())),
        "step_array_device": [{"device": device, "array_name": name, "array_endpoint": name} for device, name in arrays.items()],
    }
    expected: ByName = {"port": {"queue_depths_seen": 64, "queue_depths": depths, "initiators": 1}}
    if unnamed is not ...:
        names = {
            "resource_name": "port not known",
            "cluster": "gold",
            "host": None,
            "target": None,
            "array_name": arrays.get(path["device"]),
        }
        expected["?"] = {"family": unnamed, **names, "initiators": 1, "host_names": f"{path['host_id']}!", "queue_depths": None}
    assert shown(rows_over("target_port", given), expected) == expected


def test_paths_without_an_end_are_one_row_of_a_vcenter() -> None:
    """Of two families, clusters and arrays, none of them counts as that of all."""
    devices = {"naa.1": ("ontap", "gold", "here"), "naa.2": ("solidfire", None, "there")}
    given: dict[str, Rows] = {
        "step_path": [login("h", device, None) for device in devices] + [login("h", "naa.1", None, hba="vmhba2")],
        "device": [
            {**ON, "device": device, "family": family, "cluster": cluster, "array_name": array, "is_shared": True}
            for device, (family, cluster, array) in devices.items()
        ],
    }
    expected: ByName = {
        "?": {"family": None, "cluster": None, "array_name": "here, there", "initiators": 2, "host_names": "h", "queue_depths_seen": 0}
    }
    assert shown(rows_over("target_port", given), expected) == expected


def hosts_numbered(*rows: dict[str, Any]) -> dict[str, Rows]:
    """Devices of one host in numbers, each of an inquiry of its own."""
    listed = [{"host_number": 1, "device_number": n, "inquiry_number": n, "driver_number": 1} | row for n, row in enumerate(rows, 1)]
    return {
        "step_device_row": listed,
        "step_host_number": [{**ON, "host_number": 1, "place_number": 1}],
        "step_place": of_vc({"place_number": 1, "domain_id": "gold", "cluster": "gold"}),
        "step_device_number": [{"device_number": n, "device": f"naa.{n}"} for n in range(1, 1 + len(rows))],
        "step_inquiry": [{"inquiry_number": n, "family": "other", "is_namespace": False} for n in range(1, 1 + len(rows))],
        "step_driver": [{"driver_number": 1, "driver": "lpfc"}],
    }


def test_what_hosts_make_of_a_disk_that_may_be_their_own_is_not_known() -> None:
    found = rows_over(
        "step_device_group", hosts_numbered(*({"is_shared": one, "dsnro": 32, "queue_depth": 64} for one in (True, None, False)))
    )
    columns = ("device", "may_be_local", "dsnro", "queue_depth", "hosts")
    assert sorted(tuple(row[column] for column in columns) for row in found) == [
        ("naa.1", False, 32, 64, 1),
        ("naa.2", True, None, None, 1),
    ]


def test_nobody_knows_the_family_of_a_disk_that_may_be_the_hosts_own() -> None:
    given = hosts_numbered({}, {})
    seen = {"host_number": 1, "driver_number": 1, "devices": 1}
    given["step_host_inquiry"] = [{**seen, "inquiry_number": 1, "may_be_local": False}, {**seen, "inquiry_number": 2, "may_be_local": True}]
    assert sorted(str(row["family"]) for row in rows_over("step_host_group", given)) == ["None", "other"]


@pytest.mark.parametrize(("may_be_local", "agrees"), [(False, True), (True, None)])
def test_hosts_agree_on_a_device_where_none_may_have_a_disk_of_that_name(may_be_local: bool, agrees: bool | None) -> None:
    group = {
        "device": "naa.1",
        "domain_id": "gold",
        "driver": "lpfc",
        "dsnro": 32,
        "queue_depth": 64,
        "hosts": 1,
        "is_protocol_endpoint": False,
    }
    given: dict[str, Rows] = {
        "step_device_group": of_vc({**group, "may_be_local": False}, {**group, "may_be_local": may_be_local}),
        "step_domain_reading": of_vc({"domain_id": "gold", "scheduling_read": True}),
        "step_vcenter_reading": [{"hosts_read": True}],
    }
    [row] = rows_over("shared_device", given)
    assert (row["dsnro_agrees"], row["queue_depth_agrees"]) == (agrees, agrees)


TYPES = ("VMFS", "NFS", "NFS41", "VVOL", "vsan", None)
STORES: Rows = of_vc(*({"datastore_id": str(one), "type": one, "resource_name": str(one)} for one in TYPES))


@pytest.mark.parametrize(
    ("view", "listed"), [("vvol_datastore", {"VVOL", "None"}), ("datastore_throttle", {"VMFS", "NFS", "NFS41", "None"})]
)
def test_a_datastore_of_no_known_type_may_be_of_any(view: str, listed: set[str]) -> None:
    given = {"fact.datastore": [{key: row[key] for key in ("endpoint", "datastore_id", "type")} for row in STORES], "datastore": STORES}
    assert {row["resource_id"] for row in rows_over(view, given)} == listed


def test_a_disk_on_a_datastore_of_no_known_type_may_be_a_virtual_volume() -> None:
    disks = of_vc(*({"vm_id": "vm", "disk": str(one), "datastore_id": str(one)} for one in TYPES))
    given: dict[str, Rows] = {
        "fact.datastore": of_vc(*({"datastore_id": str(one), "type": one} for one in TYPES)),
        "fact.vm": [{**ON, "vm_id": "vm", "name": "vm"}],
        "step_host_reading": [{**ON, "domain_id": "gold"}],
    }
    found = rows_over("vvol_disk", {**given, "fact.vm_disk": disks, "step_guest": of_vc({"vm_id": "vm"})})
    assert [row["disk"] for row in found] == ["None", "VVOL"]
    assert {row["disk"] for row in rows_over("step_vvol_disk", {**given, "step_disk_depth": disks})} == {"VVOL", "None"}


@pytest.mark.parametrize(
    ("store", "mounts_ontap", "mounts_ontap_by_nfs_3"),
    [
        pytest.param({"type": "NFS", "nfs_path": "/vol"}, True, True, id="a share"),
        pytest.param({"type": "NFS41", "nfs_path": "/vol"}, True, False, id="a share by another version"),
        pytest.param({"type": "VMFS", "devices": "naa.1"}, False, False, id="no share"),
        pytest.param({"type": None, "nfs_path": "/vol"}, True, None, id="a share by either version"),
        pytest.param({"type": None, "devices": "naa.1"}, False, False, id="on a device, so no share"),
        pytest.param({"type": None}, None, None, id="of which nothing is known"),
        pytest.param({"type": None, "nfs_path": "/vol", "families": "other"}, False, False, id="a share of another's"),
    ],
)
def test_a_datastore_of_no_known_type_is_a_share_by_what_else_is_known_of_it(
    store: dict[str, Any], mounts_ontap: bool | None, mounts_ontap_by_nfs_3: bool | None
) -> None:
    given: dict[str, Rows] = {
        **HOST,
        "datastore": of_vc({"datastore_id": "ds", "families": "ontap", "resource_name": "ds", "arrays": "array", **store}),
        "fact.datastore_mount": [{**ON, "datastore_id": "ds"}],
        "step_endpoint_reading": of_vc({"datastores_read": True}),
    }
    assert {row["mounts_ontap"] for row in rows_over("nfs_option", given)} == {mounts_ontap}
    of_queues = [row for row in rows_over("queue_option", given) if row["option"] == "NFS.MaxQueueDepth"]
    surely = mounts_ontap_by_nfs_3 is True
    shares = (
        (None, "ds") if not surely and store["type"] in ("NFS", None) and "devices" not in store else ("ds", "") if surely else (None, "")
    )
    assert [row["mounts_ontap_nfs"] for row in of_queues] == [mounts_ontap_by_nfs_3]
    assert [(row["ontap_datastores"], row["other_datastores"], row["ontap_arrays"]) for row in of_queues] == [
        (*shares, "array" if surely else None)
    ]


def test_a_volume_of_vmfs_5_asks_for_block_delete_whether_its_type_is_known_or_not() -> None:
    given: dict[str, Rows] = {
        **HOST,
        "fact.datastore": of_vc({"datastore_id": "ds", "type": None, "vmfs_version": "5.81"}),
        "fact.datastore_mount": [{**ON, "datastore_id": "ds"}],
        "fact.datastore_extent": of_vc({"datastore_id": "ds", "device": "naa.1"}),
        "step_seen_device": of_vc({"device": "naa.1", "family": "ontap"}),
        "step_endpoint_reading": of_vc({"datastores_read": True}),
    }
    assert [row["block_delete_advice"] for row in rows_over("host", given)] == ["0"]


ENABLED = {"type": "VMFS", "sioc_enabled": True}
OFF = {"type": "VMFS", "sioc_enabled": False}


@pytest.mark.parametrize(
    ("stores", "counted"),
    [
        pytest.param([ENABLED, OFF], (1, 1, True), id="on and off"),
        pytest.param([ENABLED, OFF | {"type": None}], (1, 0, None), id="off on one of no known type"),
        pytest.param([ENABLED | {"type": None}, OFF], (1, 1, True), id="on, so that its type counts"),
        pytest.param([OFF | {"type": None}], (0, 0, None), id="off, whatever the type"),
        pytest.param([OFF, {"type": "VMFS"}], (None, 1, None), id="nothing is known of one"),
        pytest.param([ENABLED, {"type": "VMFS"}], (1, 0, None), id="likewise, and on elsewhere"),
        pytest.param([OFF, {"type": "VMFS", "sioc_supported": False}], (0, 1, None), id="one cannot have it"),
        pytest.param([ENABLED, OFF | {"type": "NFS41"}], (1, 0, False), id="of a type that has none"),
    ],
)
def test_storage_io_control_is_on_nowhere_on_a_pool_where_it_may_be_on_no_datastore(
    stores: list[dict[str, Any]], counted: tuple[int | None, int, bool | None]
) -> None:
    ids = [str(n) for n in range(len(stores))]
    at = {"endpoint": "array"}
    given: dict[str, Rows] = {
        "step_datastore_volume": of_vc(*({"datastore_id": one, "array_endpoint": "array", "volume_id": "v"} for one in ids)),
        "step_volume": [{**at, "volume_id": "v", "pool_id": "p"}],
        "fact.datastore": of_vc(*({"datastore_id": one, "name": one, **store} for one, store in zip(ids, stores, strict=True))),
        "fact.array_pool": [{**at, "pool_id": "p", "name": "pool"}],
        "step_vcenter_reading": [{"datastores_read": True}],
        "step_endpoint_reading": [{**at, "volumes_read": True}],
    }
    [row] = rows_over("pool_sioc", given)
    assert (row["sioc_on"], row["sioc_off"], row["is_mixed"]) == counted
    off = [one for one, store in zip(ids, stores, strict=True) if store.get("sioc_enabled") is False and store["type"] == "VMFS"]
    assert row["without_sioc"] == (off[0] if off else None)


def test_a_volume_is_virtual_by_its_id_or_its_kind_where_the_array_does_not_tell() -> None:
    volumes: dict[str, tuple[dict[str, Any], bool | None]] = {
        "told": ({"is_virtual": False, "vvol_id": "id", "kind": "vvol"}, False),
        "by its id": ({"vvol_id": "id", "kind": "lun"}, True),
        "by its kind": ({"kind": "vvol"}, True),
        "by another kind": ({"kind": "lun"}, False),
        "by nothing": ({}, None),
    }
    rows = [{"endpoint": "array", "volume_id": name, **own} for name, (own, _) in volumes.items()]
    found = {row["volume_id"]: row["is_virtual"] for row in rows_over("step_volume", {"fact.array_volume": rows})}
    assert found == {name: is_virtual for name, (_, is_virtual) in volumes.items()}


@pytest.mark.parametrize(
    ("is_virtual", "is_capped", "caps"),
    [(True, True, True), (None, True, None), (None, None, None), (None, False, False), (False, True, False), (False, None, False)],
)
def test_an_array_caps_no_virtual_volume_where_what_it_caps_is_none(
    is_virtual: bool | None, is_capped: bool | None, caps: bool | None
) -> None:
    at = {"endpoint": "array"}
    given: dict[str, Rows] = {
        "step_array": [at],
        "step_volume": [{**at, "volume_id": "v", "is_virtual": is_virtual, "qos_read": True}],
        "step_volume_qos": [{**at, "volume_id": "v", "is_capped": is_capped}],
        "step_endpoint_reading": [{**at, "volumes_read": True}],
    }
    assert [row["per_object_qos"] for row in rows_over("step_array_caps", given)] == [caps]
