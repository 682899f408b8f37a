"""Every column of the views `virtual_disk` and `host` over rows of what they read, with machines and hosts of the same ids elsewhere."""

from typing import Any

from .single import ByName, Rows, of_vc, rows_over, shown


def machine(
    name: str, host: str | None, *, runs: bool | None = True, disks_read: bool | None = True, endpoint: str = "vc"
) -> dict[str, Any]:
    """A virtual machine; `runs` is of its step."""
    return {"endpoint": endpoint, "vm_id": name, "host_id": host, "runs": runs, "disks_read": disks_read}


def disk(vm: str, name: str, datastore: str, **more: Any) -> dict[str, Any]:
    """A virtual disk of a machine, whose node is its name."""
    return {
        "endpoint": "vc",
        "vm_id": vm,
        "disk": name,
        "datastore_id": datastore,
        "node": name,
        "disk_key": 2000,
        "controller": "pvscsi",
        **more,
    }


MACHINES: Rows = [
    machine("alone", "h1"),
    machine("off", "h1", runs=False),
    machine("off, not read", "h1", runs=False, disks_read=False),
    machine("nowhere, off", None, runs=False),
    machine("first", "h2"),
    machine("second", "h2"),
    machine("beside unread", "h3"),
    machine("unread", "h3", disks_read=False),
    machine("beside unknown", "h4"),
    machine("unknown", "h4", runs=None),
    machine("raw", "h5"),
    machine("on pointer's datastore", "h5"),
    machine("raw, unknown", "h6"),
    machine("half counted", "h2"),
    machine("idle neighbour", "h7", runs=False),
    machine("beside untold", "h8"),
    machine("untold", "h8", disks_read=None),
    machine("alone", "h1", endpoint="vc-2"),
    machine("off, not read", "h1", endpoint="vc-2"),
    machine("alone", "h1", endpoint="vc-3"),
    machine("nowhere", None, endpoint="vc-3"),
    machine("alone", "h1", endpoint="vc-4"),
    machine("nowhere, state unknown", None, runs=None, endpoint="vc-4", disks_read=None),
]
DISKS: Rows = [
    disk("alone", "d1", "single", iops_limit=500, shares_level="high", iops_reservation=7),
    disk("alone", "d2", "span", controller="lsilogic"),
    disk("off", "d1", "single"),
    disk("first", "d1", "single"),
    disk("second", "d1", "single"),
    disk("second", "d2", "single"),
    disk("beside unread", "d1", "single"),
    disk("beside untold", "d1", "single"),
    disk("beside unknown", "d1", "single"),
    disk("unknown", "d1", "single"),
    disk("raw", "d1", "single", rdm_mode="physicalMode", rdm_device="naa.9"),
    disk("on pointer's datastore", "d1", "single"),
    disk("raw, unknown", "d1", "single", rdm_mode="virtualMode"),
    disk("half counted", "d1", "span"),
    disk("idle neighbour", "d1", "single"),
    disk("idle neighbour", "d2", "span"),
    *(disk("alone", "d1", "single", endpoint=vcenter) for vcenter in ("vc-2", "vc-3", "vc-4")),
    disk("alone", "d2", "span", endpoint="vc-2"),
    disk("nowhere", "d1", "share", endpoint="vc-3"),
]
HOSTS: Rows = [
    *of_vc(*({"host_id": f"h{number}", "name": f"host {number}", "cluster": "gold"} for number in range(1, 9))),
    *({"endpoint": vcenter, "host_id": "h1", "name": f"host of {vcenter}"} for vcenter in ("vc-2", "vc-3", "vc-4")),
]


def load(host: str, device: str, commands: float | None, latency: float | None, endpoint: str = "vc") -> dict[str, Any]:
    return {"endpoint": endpoint, "host_id": host, "device": device, "commands_per_second": commands, "gavg_ms": latency}


def virtual_disks() -> Rows:
    """The disks of machines that are alone with a datastore on their host, or not, or where that is not known."""
    spans = {"vc": ("naa.2", "naa.3"), "vc-2": ("naa.2", "naa.3", "naa.4")}
    of_machine = ("endpoint", "vm_id", "host_id")
    return rows_over(
        "virtual_disk",
        {
            "fact.vm": [
                {key: row[key] for key in (*of_machine, "disks_read")}
                | {
                    "name": f"{row['vm_id']}!",
                    "power_state": "poweredOn" if row["runs"] else None,
                    "is_template": {"off": True, "alone": False}.get(row["vm_id"]),
                }
                for row in MACHINES
            ],
            "step_guest": [{key: row[key] for key in (*of_machine, "runs")} for row in MACHINES],
            "fact.vm_disk": DISKS,
            "fact.host": HOSTS,
            "step_host_reading": [{key: row[key] for key in ("endpoint", "host_id")} for row in HOSTS],
            "fact.datastore": [
                *of_vc(
                    {"datastore_id": "single", "name": "fast", "type": "VMFS"}, {"datastore_id": "span", "name": "wide", "type": "VMFS"}
                ),
                *({"endpoint": vcenter, "datastore_id": "single", "name": f"fast of {vcenter}"} for vcenter in ("vc-2", "vc-3")),
            ],
            "step_sole_extent": [
                {"endpoint": vcenter, "datastore_id": "single", "device": "naa.1"} for vcenter in ("vc", "vc-2", "vc-3", "vc-4")
            ],
            "fact.datastore_extent": [
                *of_vc({"datastore_id": "another span", "device": "naa.4"}, {"datastore_id": "another span", "device": "naa.5"}),
                *({"endpoint": vcenter, "datastore_id": "single", "device": "naa.1"} for vcenter in ("vc", "vc-2", "vc-3", "vc-4")),
                *(
                    {"endpoint": vcenter, "datastore_id": "span", "device": device}
                    for vcenter, devices in spans.items()
                    for device in devices
                ),
            ],
            "fact.device_load": [
                load("h1", "naa.1", 100.0, 20.0),
                load("h1", "naa.2", 50.0, 10.0),
                load("h1", "naa.3", 150.0, 20.0),
                load("h1", "naa.4", 999.0, 999.0),
                load("h2", "naa.1", 10.0, 100.0),
                load("h2", "naa.2", 10.0, 100.0),
                load("h2", "naa.3", 10.0, None),
                *(load(host, "naa.1", 40.0, 50.0) for host in ("h3", "h4", "h5", "h6", "h7", "h8")),
                *(load("h6", device, 5.0, 100.0) for device in ("naa.2", "naa.3")),
                load("h7", "naa.2", 0.0, 0.0),
                load("h7", "naa.3", 5.0, 100.0),
                load("h5", "naa.9", 30.0, 10.0),
                *(load("h1", device, 5.0, 1000.0, "vc-2") for device in ("naa.1", "naa.2", "naa.3", "naa.4")),
                *(load("h1", "naa.1", 6.0, 1000.0, vcenter) for vcenter in ("vc-3", "vc-4")),
            ],
            "fact.vm_disk_load": [
                *of_vc({"vm_id": "first", "node": "d1", "commands_per_second": 7.0, "outstanding": 0.25}),
                *of_vc({"vm_id": "second", "node": "d2", "commands_per_second": 8.0, "outstanding": 0.5}),
                {"endpoint": "vc-2", "vm_id": "second", "node": "d1", "commands_per_second": 9.0, "outstanding": 0.75},
            ],
            "step_disk_depth": [
                {key: row[key] for key in ("endpoint", "vm_id", "disk")}
                | {"depth_at_least": 1 if row["controller"] == "lsilogic" else 64, "depth_at_most": 64}
                | {"runs": next(one["runs"] for one in MACHINES if (one["endpoint"], one["vm_id"]) == (row["endpoint"], row["vm_id"]))}
                for row in DISKS
            ],
            "step_disk_policy": [
                *of_vc(
                    {
                        "vm_id": "alone",
                        "disk": "d1",
                        "storage_policy": "gold",
                        "policy_iops_limit": 500,
                        "is_limit_by_policy": True,
                        "policy_has_limit": True,
                    }
                ),
                *of_vc({"vm_id": "alone", "disk": "d2", "storage_policy": "silver", "policy_iops_limit": 100, "is_limit_by_policy": False}),
                {"endpoint": "vc-2", "vm_id": "first", "disk": "d1", "storage_policy": "wrong", "is_limit_by_policy": False},
                {"endpoint": "vc-3", "vm_id": "first", "disk": "d1", "policy_has_limit": True},
            ],
            "step_array_device": [
                {"device": "naa.1", "array_name": "east", "volume": "v1", "qos": "none"},
                {"device": "naa.9", "array_name": "west", "volume": "v9", "qos": "900 IOPS"},
            ],
            "step_endpoint_reading": [
                {"endpoint": f"vc{number}", "vms_read": number != "-2", "storage_policies_read": number in ("", "-3")}
                for number in ("", "-2", "-3", "-4")
            ],
        },
    )


def test_a_virtual_disk_has_the_load_of_its_own_device_and_its_own_only_where_it_is_alone() -> None:
    commands, outstanding = "commands_per_second", "outstanding"
    own, own_outstanding = "commands_per_second_per_disk", "outstanding_per_disk"
    not_own = {own: None, own_outstanding: None}
    shared = {commands: 10.0, outstanding: 1.0, "disks_on_device": 3}
    likewise = {commands: 40.0, outstanding: 2.0, "disks_on_device": 1}
    expected: ByName = {
        "alone/d1": {
            "device": "naa.1",
            "array_name": "east",
            "volume": "v1",
            "qos": "none",
            "disks_on_device": 1,
            commands: 100.0,
            outstanding: 2.0,
        }
        | {
            own: 100.0,
            own_outstanding: 2.0,
            "datastore": "fast",
            "datastore_type": "VMFS",
            "host": "host 1",
            "cluster": "gold",
            "vm": "alone!",
        }
        | {"resource_name": "alone! d1", "vm_disks": 2, "vm_datastores": 2, "vm_controllers": "lsilogic, pvscsi", "controller_depth": 64}
        | {"is_limited": True, "iops_limit": 500, "storage_policy": "gold", "policy_iops_limit": 500, "is_limit_by_policy": True}
        | {"vm_id": "alone", "disk_key": 2000, "policy_has_limit": True}
        | {
            "shares_level": "high",
            "iops_reservation": 7,
            "is_template": False,
            "controller_depth_at_least": 64,
            "power_state": "poweredOn",
        },
        "alone/d2": {
            "device": None,
            "array_name": None,
            "disks_on_device": 1,
            commands: 200.0,
            outstanding: 3.5,
            own: 200.0,
            own_outstanding: 3.5,
        }
        | {"controller_depth": None, "controller_depth_at_least": 1, "controller_depth_at_most": 64, "is_limited": False}
        | {
            "policy_has_limit": None,
            "is_limit_by_policy": False,
            "storage_policy": "silver",
            "datastore": "wide",
            "controller": "lsilogic",
        },
        "off/d1": {**not_own, commands: 100.0, outstanding: 2.0, "disks_on_device": 1, "is_template": True},
        "first/d1": {**shared, own: 7.0, own_outstanding: 0.25, "is_limit_by_policy": False, "storage_policy": None, "vm_disks": 1}
        | {"policy_has_limit": False},
        "second/d1": {**shared, **not_own, "vm_datastores": 1, "vm_controllers": "pvscsi"},
        "second/d2": {**shared, own: 8.0, own_outstanding: 0.5, "vm_disks": 2, "vm_datastores": 1},
        "beside unread/d1": {**likewise, **not_own},
        "beside untold/d1": {**likewise, **not_own},
        "beside unknown/d1": {**likewise, **not_own, "disks_on_device": None},
        "unknown/d1": {**likewise, **not_own, "disks_on_device": None, "power_state": None},
        "raw/d1": {
            "device": "naa.9",
            "array_name": "west",
            "volume": "v9",
            commands: 30.0,
            outstanding: 0.3,
            own: 30.0,
            own_outstanding: 0.3,
        }
        | {"disks_on_device": 1, "datastore": "fast", "rdm_mode": "physicalMode"},
        "on pointer's datastore/d1": {**likewise, own: 40.0, own_outstanding: 2.0, "device": "naa.1"},
        "raw, unknown/d1": {"device": None, commands: None, outstanding: None, "disks_on_device": None, "datastore": "fast", **not_own},
        "half counted/d1": {"device": None, commands: None, outstanding: None, "disks_on_device": 1, **not_own},
        "idle neighbour/d1": {**likewise, **not_own, "disks_on_device": 0},
        "idle neighbour/d2": {commands: 5.0, outstanding: 0.5, **not_own, "device": None},
        "vc-2/alone/d1": {commands: 5.0, outstanding: 5.0, **not_own, "datastore": "fast of vc-2", "host": "host of vc-2", "vm_disks": 2},
        "vc-2/alone/d2": {commands: 15.0, outstanding: 15.0, **not_own, "device": None, "datastore": None},
        "vc-3/alone/d1": {commands: 6.0, outstanding: 6.0, **not_own, "disks_on_device": 1},
        "vc-3/nowhere/d1": {commands: None, "host": None, "disks_on_device": None, "device": None, **not_own},
        "vc-4/alone/d1": {commands: 6.0, **not_own, "datastore": None},
    }
    assert shown(virtual_disks(), expected) == expected


def pe(host: str, device: str, family: str | None, *, capped: bool | None, **more: Any) -> dict[str, Any]:
    """A protocol endpoint: of Element it stalls neighbours and is deepened; of another known family neither, unless `more` says so."""
    known = {"stalls_neighbours": family == "solidfire", "is_deepened": family == "solidfire"} if family else {}
    return {"endpoint": "vc", "host_id": host, "device": device, "per_object_qos": capped, "family": family, **known, **more}


CAPPED = ("has_capped_protocol_endpoints", "has_capped_element_endpoints", "has_stalling_endpoints", "has_deepened_endpoints")
ENDPOINTS: dict[str, tuple[Rows, tuple[bool | None, ...], str]] = {
    # host: (its protocol endpoints; which kinds of capped ones it has, in the order of CAPPED; families of those not known to be deepened)
    "none": ([], (False, False, False, False), ""),
    "element": ([pe("element", "1", "solidfire", capped=True)], (True, True, True, True), ""),
    "uncapped": (
        [pe("uncapped", "1", "solidfire", capped=False), pe("uncapped", "2", None, capped=False)],
        (False, False, False, False),
        "not known, solidfire",
    ),
    "stalling": ([pe("stalling", "1", "flasharray", capped=True, stalls_neighbours=True)], (True, False, True, False), "flasharray"),
    "deepened": ([pe("deepened", "1", "other", capped=True, is_deepened=True)], (True, False, False, True), ""),
    "caps unknown": ([pe("caps unknown", "1", "solidfire", capped=None)], (None, None, None, None), "solidfire"),
    "other caps unknown": ([pe("other caps unknown", "1", "ontap", capped=None)], (None, False, False, False), "ontap"),
    "family unknown": ([pe("family unknown", "1", None, capped=True)], (True, None, None, None), "not known"),
    "nothing known": ([pe("nothing known", "1", None, capped=None)], (None, None, None, None), "not known"),
    "one and another": (
        [pe("one and another", "1", "solidfire", capped=True), pe("one and another", "2", None, capped=None)],
        (True, True, True, True),
        "not known",
    ),
}
STORES: dict[str, tuple[list[tuple[str | None, list[str | None]]], str | None]] = {
    # host: (the version of each VMFS datastore it mounts, with the families of its extents; what is asked of the host)
    "no stores": ([], "none"),
    "asks zero": ([("5.61", ["ontap"])], "0"),
    "asks one": ([("5.54", ["dell-sc", "solidfire"])], "1"),
    "asks nothing": ([("5.61", ["solidfire"])], "none"),
    "asks both": ([("5.61", ["ontap"]), ("5.61", ["dell-sc"]), (None, ["ontap"])], "contradictory"),
    "both zero and unknown": ([("5.61", ["ontap"]), (None, ["dell-sc"])], None),
    "both one and unknown": ([("5.61", ["dell-sc"]), (None, ["ontap"])], None),
    "new": ([("6.82", ["ontap"]), ("6.82", [None])], "none"),
    "unknown version": ([(None, ["solidfire"])], None),
    "unknown family": ([("5.61", [None, "ontap"])], None),
    "no extents": ([("5.61", [])], None),
}


def hosts() -> Rows:
    """Hosts by their protocol endpoints and by what their datastores ask, and two whose facts were not read."""
    names = (*ENDPOINTS, *STORES)
    rows = [{"endpoint": "vc", "host_id": name} for name in (*names, "unread", "unread, uncapped")]
    rows += [{"endpoint": "vc-2", "host_id": name} for name in ("element", "none", "asks zero")]
    stores = [(host, f"{host} {number}", *store) for host, (several, _) in STORES.items() for number, store in enumerate(several)]
    extents = [(store, f"{store} {number}", family) for _, store, _, families in stores for number, family in enumerate(families)]
    return rows_over(
        "host",
        {
            "fact.host": [
                {**row, "name": f"{row['host_id']}!", "cluster": "gold", "version": "8.0.3", "build": 1, "software_iscsi": True}
                for row in rows
            ],
            "step_host_reading": [{**row, "devices_read": not row["host_id"].startswith("unread")} for row in rows],
            "step_endpoint_reading": [{"endpoint": "vc", "datastores_read": True}, {"endpoint": "vc-2", "datastores_read": False}],
            "protocol_endpoint": [
                *(row for several, _, _ in ENDPOINTS.values() for row in several),
                pe("unread", "1", "solidfire", capped=True),
                pe("unread, uncapped", "1", "solidfire", capped=False),
                pe("none", "1", "solidfire", capped=False, endpoint="vc-2"),
            ],
            "fact.datastore": [
                *of_vc(*({"datastore_id": store, "type": "VMFS", "vmfs_version": version} for _, store, version, _ in stores)),
                *of_vc({"datastore_id": "share", "type": "NFS"}),
                {"endpoint": "vc-2", "datastore_id": "asks zero 0", "type": "VMFS", "vmfs_version": "5.61"},
                {"endpoint": "vc-2", "datastore_id": "asks nothing 0", "type": "VMFS", "vmfs_version": "6.82"},
            ],
            "fact.datastore_mount": [
                *of_vc(*({"datastore_id": store, "host_id": host} for host, store, _, _ in stores)),
                *of_vc({"datastore_id": "share", "host_id": "no stores"}),
                *({"endpoint": "vc-2", "datastore_id": "asks zero 0", "host_id": host} for host in ("none", "asks zero")),
            ],
            "fact.datastore_extent": [
                *of_vc(*({"datastore_id": store, "device": device} for store, device, _ in extents)),
                {"endpoint": "vc-2", "datastore_id": "asks nothing 0", "device": "asks both 0 0"},
                {"endpoint": "vc-2", "datastore_id": "asks zero 0", "device": "asks nothing 0 0"},
            ],
            "step_seen_device": [
                *of_vc(*({"device": device, "family": family} for _, device, family in extents)),
                {"endpoint": "vc-2", "device": "asks nothing 0 0", "family": "ontap"},
            ],
            "step_host_family": [
                *of_vc({"host_id": "element", "families": "ontap, solidfire", "unknown_families": 0}),
                *of_vc({"host_id": "stalling", "families": "ontap", "unknown_families": 1}, {"host_id": "unread", "families": "ontap"}),
                {"endpoint": "vc-2", "host_id": "none", "families": "wrong", "unknown_families": 0},
            ],
            "step_stock_queue": [{**row, "stock_pe_dsnro": 128 if row["endpoint"] == "vc-2" else 256} for row in rows],
            "step_option": [
                *of_vc(
                    {
                        "host_id": "element",
                        "iscsi_max_io_size_kb": 1,
                        "vvol_pe_dsnro_default": 2,
                        "max_transfer_kb": 3,
                        "vmfs5_block_delete": 4,
                    }
                ),
                {"endpoint": "vc-2", "host_id": "element", "iscsi_max_io_size_kb": 9},
            ],
        },
    )


def test_a_host_has_capped_endpoints_where_one_is_known_to_be_and_none_where_all_are_known_not_to_be() -> None:
    expected: ByName = {
        host: {"protocol_endpoints": len(several), **dict(zip(CAPPED, kinds, strict=True))}
        for host, (several, kinds, _) in ENDPOINTS.items()
    }
    expected["element"] |= {"families": "ontap, solidfire", "iscsi_max_io_size_kb": 1, "vvol_pe_dsnro_default": 2, "max_transfer_kb": 3}
    expected["element"] |= {
        "vmfs5_block_delete": 4,
        "stock_pe_dsnro": 256,
        "cluster": "gold",
        "version": "8.0.3",
        "resource_name": "element!",
    }
    expected["none"] |= {"families": "", "iscsi_max_io_size_kb": None}
    expected["stalling"] |= {"families": None}
    expected |= {host: {"block_delete_advice": advice} for host, (_, advice) in STORES.items()}
    for host, (_, _, beside) in ENDPOINTS.items():
        expected[host] |= {"endpoint_families_beside_deepened": beside}
    expected["unread, uncapped"] = {"endpoint_families_beside_deepened": None, **dict.fromkeys(CAPPED)}
    expected["unread"] = {"protocol_endpoints": None, "families": None, **dict.fromkeys(CAPPED, True)}
    expected["vc-2/element"] = {"protocol_endpoints": 0, "iscsi_max_io_size_kb": 9, "stock_pe_dsnro": 128, "families": ""}
    expected["vc-2/none"] = {"protocol_endpoints": 1, "families": "wrong", "block_delete_advice": None}
    expected["vc-2/asks zero"] = {"block_delete_advice": None, **dict.fromkeys(CAPPED, False)}
    assert shown(hosts(), expected) == expected
