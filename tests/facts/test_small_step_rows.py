"""Small steps below the views of hosts, machines and virtual volumes, over rows of what they read, with the same ids elsewhere."""

from typing import Any

import pytest

from .single import Keyed, Rows, by, of_vc, rows_over


def test_a_virtual_disk_is_the_virtual_volume_whose_id_vcenter_writes() -> None:
    tables: dict[str, Rows] = {
        "fact.vm_disk": [
            *of_vc({"vm_id": "vm-1", "disk": "d1", "datastore_id": "ds", "backing_object_id": "RFC4122.AB"}),
            *of_vc(
                {"vm_id": "vm-1", "disk": "d2", "backing_object_id": "naa.cd"},
                {"vm_id": "vm-2", "disk": "d1", "backing_object_id": "x.rfc4122.ef"},
            ),
            *of_vc({"vm_id": "vm-1", "disk": "d3", "datastore_id": "ds"}),
            {"endpoint": "vc-2", "vm_id": "vm-1", "disk": "d1", "datastore_id": "ds", "backing_object_id": "rfc4122.gh"},
            # two vCenters know the machine of this one
            {"endpoint": "vc-2", "vm_id": "vm-1", "disk": "d2", "datastore_id": "ds", "backing_object_id": "rfc4122.ab"},
        ],
        "fact.vm": [
            *of_vc({"vm_id": "vm-1", "name": "first", "host_id": "h1"}, {"vm_id": "vm-2", "name": "second"}),
            {"endpoint": "vc-2", "vm_id": "vm-1", "name": "elsewhere", "host_id": "h1"},
        ],
        "fact.host": [
            *of_vc({"host_id": "h1", "name": "host 1"}, {"host_id": "h2"}),
            {"endpoint": "vc-2", "host_id": "h1", "name": "host of vc-2"},
        ],
        "fact.datastore": [
            *of_vc({"datastore_id": "ds", "name": "vvols"}, {"datastore_id": "other", "name": "wrong"}),
            {"endpoint": "vc-2", "datastore_id": "ds", "name": "vvols of vc-2"},
        ],
    }
    assert by("step_vvol_vm", "vvol_id", tables) == {
        ("ab",): {
            "disk": "elsewhere d2, first d1",
            "host": "host 1, host of vc-2",
            "host_keys": ["vc-2/h1", "vc/h1"],
            "datastore": "vvols, vvols of vc-2",
        },
        ("naa.cd",): {"disk": "first d2", "host": "host 1", "host_keys": ["vc/h1"], "datastore": None},
        ("x.rfc4122.ef",): {"disk": "second d1", "host": None, "host_keys": None, "datastore": None},
        ("gh",): {"disk": "elsewhere d1", "host": "host of vc-2", "host_keys": ["vc-2/h1"], "datastore": "vvols of vc-2"},
    }


def test_a_virtual_volume_is_reached_by_what_it_is_bound_to_and_by_an_endpoint_that_is_the_only_one() -> None:
    tables: dict[str, Rows] = {
        "step_volume": [
            *({"endpoint": "east", "volume_id": f"v{number}", "vvol_id": f"ID-{number}", "is_virtual": True} for number in (1, 2, 3)),
            *({"endpoint": name, "volume_id": "v1", "vvol_id": "id-1", "is_virtual": True} for name in ("alone", "half")),
            {"endpoint": "alone", "volume_id": "lun", "is_virtual": False},
        ],
        "fact.vvol_binding": [
            {"endpoint": "east", "vvol_id": "id-1", "device": "pe.1"},
            {"endpoint": "east", "vvol_id": "id-1", "protocol_endpoint_id": "2"},
            {"endpoint": "east", "vvol_id": "id-2", "protocol_endpoint_id": "gone"},
            {"endpoint": "west", "vvol_id": "id-3", "device": "pe.9"},
            {"endpoint": "alone", "vvol_id": "id-1", "protocol_endpoint_id": "1"},
        ],
        "fact.array_protocol_endpoint": [
            *({"endpoint": "east", "protocol_endpoint_id": number, "device": f"pe.{number}"} for number in ("1", "2")),
            *({"endpoint": "alone", "protocol_endpoint_id": number, "device": "pe.5"} for number in ("1", "1b")),
            {"endpoint": "half", "protocol_endpoint_id": "1", "device": "pe.6"},
            {"endpoint": "half", "protocol_endpoint_id": "2"},
            {"endpoint": "alone", "protocol_endpoint_id": "2", "device": "pe.5"},
        ],
    }
    places = {(row["endpoint"], row["volume_id"], row["device"]) for row in rows_over("step_vvol_place", tables)}
    assert places == {("east", "v1", "pe.1"), ("east", "v1", "pe.2"), ("alone", "v1", "pe.5")}
    assert len(rows_over("step_vvol_place", tables)) == len(places)


def test_disks_on_vvol_datastores_are_where_the_cluster_of_their_machine_is() -> None:
    depth = {"disk": "d1", "runs": True, "depth_at_least": 32, "depth_at_most": 64}
    places = (("vm-1", "vvols"), ("vm-1", "luns"), ("template", "vvols"), ("nowhere", "vvols"), ("perhaps", "vvols"), ("runs", "vvols"))
    tables: dict[str, Rows] = {
        "step_disk_depth": [
            *of_vc(*({"vm_id": name, "datastore_id": store, **depth, "runs": name != "perhaps"} for name, store in places)),
            {"endpoint": "vc-2", "vm_id": "vm-1", "datastore_id": "vvols", **depth},
        ],
        "fact.vm": [
            *of_vc({"vm_id": "vm-1", "host_id": "h1", "is_template": False}, {"vm_id": "template", "host_id": "h1", "is_template": True}),
            *of_vc({"vm_id": "perhaps", "host_id": "h3"}, {"vm_id": "runs", "host_id": "h2"}, {"vm_id": "nowhere"}),
            {"endpoint": "vc-2", "vm_id": "vm-1", "host_id": "h2", "is_template": False},
        ],
        "fact.datastore": [
            *of_vc({"datastore_id": "vvols", "type": "VVOL"}, {"datastore_id": "luns", "type": "VMFS"}),
            {"endpoint": "vc-2", "datastore_id": "vvols", "type": "VVOL"},
            {"endpoint": "vc-2", "datastore_id": "luns", "type": "VVOL"},
        ],
        "step_host_reading": [
            *of_vc(*({"host_id": f"h{number}", "domain_id": f"c{number}"} for number in (1, 2, 3))),
            *({"endpoint": "vc-2", "host_id": host, "domain_id": f"domain of {host}"} for host in ("h1", "h2")),
        ],
    }
    assert by("step_vvol_disk", "endpoint datastore_id domain_id", tables) == {
        ("vc", "vvols", "c1"): {**depth, "may_be_of_template": False},
        ("vc", "vvols", "c2"): {**depth, "may_be_of_template": False},
        ("vc", "vvols", "c3"): {**depth, "runs": False, "may_be_of_template": True},
        ("vc-2", "vvols", "domain of h2"): {**depth, "may_be_of_template": False},
    }


def test_a_disks_depth_is_that_of_its_own_guest_or_of_any() -> None:
    guests = {"known": ("linux-254", "pvscsi"), "any": ("", "pvscsi"), "other": ("windows", "lsilogic"), "unheard-of": ("windows", "new")}
    tables: dict[str, Rows] = {
        "fact.vm_disk": [
            *of_vc(
                *({"vm_id": name, "disk": "d", "datastore_id": "ds", "controller": controller} for name, (_, controller) in guests.items())
            ),
            {"endpoint": "vc-2", "vm_id": "known", "disk": "d", "controller": "unbounded"},
        ],
        "step_guest": [
            *of_vc(*({"vm_id": name, "guest": guest, "runs": name == "known"} for name, (guest, _) in guests.items())),
            {"endpoint": "vc-2", "vm_id": "known", "guest": "windows"},
        ],
        "step_controller_depth": [
            {"controller": "pvscsi", "guest": "linux-254", "at_least": 254, "at_most": 255},
            {"controller": "pvscsi", "guest": "windows", "at_least": 64, "at_most": 65},
            {"controller": "pvscsi", "guest": "", "at_least": 63, "at_most": 256},
            {"controller": "lsilogic", "guest": "", "at_least": 31, "at_most": 32},
            {"controller": "unbounded", "guest": "windows", "at_least": 7, "at_most": None},
            {"controller": "unbounded", "guest": "", "at_least": 8, "at_most": 9},
        ],
    }

    def depth(least: int, most: int | None, store: str | None = "ds", *, runs: bool | None = False) -> dict[str, Any]:
        return {"depth_at_least": least, "depth_at_most": most, "runs": runs, "datastore_id": store}

    assert by("step_disk_depth", "endpoint vm_id disk", tables) == {
        ("vc", "known", "d"): depth(254, 255, runs=True),
        ("vc", "any", "d"): depth(63, 256),
        ("vc", "other", "d"): depth(31, 32),
        ("vc", "unheard-of", "d"): depth(1, None),
        ("vc-2", "known", "d"): depth(7, None, None, runs=None),
    }


def test_options_of_a_host_and_of_an_adapter_are_columns_by_their_names() -> None:
    host = {"ISCSI.MaxIoSizeKB": "512", "Scsi.ScsiVVolPESNRO": "256", "DataMover.MaxHWTransferSize": "4096", "VMFS3.EnableBlockDelete": "1"}
    adapter = {
        "LoginTimeout": "7",
        "NoopOutInterval": "15",
        "NoopOutTimeout": "10",
        "RecoveryTimeout": "25",
        "DelayedAck": "false",
        "Other": "true",
    }
    place = {"host_id": "h1", "hba": "vmhba64", "target": ""}
    options = [{"endpoint": "vc", "host_id": "h1", "key": key, "value": value} for key, value in {"Other": "9", **host}.items()]
    options += [{"endpoint": "vc", "host_id": "h2", "key": "ISCSI.MaxIoSizeKB", "value": "a text"}]
    scheduler = {"endpoint": "vc", "key": "Disk.SchedulerWithReservation"}
    options += [scheduler | {"host_id": "h1", "value": "1"}, scheduler | {"host_id": "h3", "value": "0"}]
    names = ("iscsi_max_io_size_kb", "vvol_pe_dsnro_default", "max_transfer_kb", "vmfs5_block_delete", "limits_machines")
    assert by("step_option", "endpoint host_id", {"fact.host_option": options}) == {
        ("vc", "h1"): dict(zip(names, (512, 256, 4096, 1, False), strict=True)),
        ("vc", "h2"): dict.fromkeys(names),
        ("vc", "h3"): dict.fromkeys(names) | {"limits_machines": True},
    }
    rows: Rows = [
        {"endpoint": "vc", **place, "key": key, "value": value, "is_inherited": key == "LoginTimeout"} for key, value in adapter.items()
    ]
    other = {"endpoint": "vc", **place, "target": "t"}
    rows += [
        {**other, "key": "LoginTimeout", "value": "5", "is_inherited": False},
        {**other, "key": "DelayedAck", "value": "false", "is_inherited": True},
    ]
    values = ("login_timeout_seconds", "noop_out_interval_seconds", "noop_out_timeout_seconds", "recovery_timeout_seconds")
    assert by("step_iscsi_value", "endpoint host_id hba target", {"fact.iscsi_option": rows}) == {
        ("vc", "h1", "vmhba64", ""): {
            **dict(zip(values, (7, 15, 10, 25), strict=True)),
            "delayed_ack": False,
            "login_timeout_inherited": True,
        },
        ("vc", "h1", "vmhba64", "t"): {
            **dict.fromkeys(values),
            "login_timeout_seconds": 5,
            "delayed_ack": False,
            "login_timeout_inherited": False,
        },
    }


@pytest.mark.parametrize(
    ("version", "depth"),
    [("5.5.0", None), ("6.0.0", 128), ("7.0.1", 128), ("7.0.2", 256), ("9.0.0", 256), ("9.1.0", None), ("7.0", None), (None, None)],
)
def test_a_release_of_esxi_has_the_default_that_is_recorded_of_it(version: str | None, depth: int | None) -> None:
    tables: dict[str, Rows] = {"fact.host": of_vc({"host_id": "h1", "version": version})}
    assert by("step_stock_queue", "endpoint host_id", tables) == {("vc", "h1"): {"stock_pe_dsnro": depth}}


def test_an_array_caps_single_virtual_volumes_where_one_has_a_cap() -> None:
    volumes: dict[str, list[tuple[bool | None, bool | None, bool | None]]] = {
        # array: of each volume whether it is virtual, has a cap, and its QoS was read
        "caps": [(True, True, True), (True, False, True)],
        "caps luns": [(False, True, True), (True, False, True)],
        "open": [(True, False, True), (True, None, False)],
        "untold": [(True, None, None)],
        "half told": [(True, False, True), (True, None, None)],
        "empty": [],
        "unread": [(True, False, True)],
        "caps, unread": [(True, True, True)],
    }
    named = [(array, f"v{number}", *volume) for array, several in volumes.items() for number, volume in enumerate(several)]
    tables: dict[str, Rows] = {
        "step_array": [{"endpoint": array} for array in volumes],
        "step_volume": [
            {"endpoint": array, "volume_id": name, "is_virtual": virtual, "qos_read": read} for array, name, virtual, _, read in named
        ],
        "step_volume_qos": [
            {"endpoint": array, "volume_id": name, "is_capped": capped, "is_whole": read} for array, name, _, capped, read in named
        ],
        "step_endpoint_reading": [{"endpoint": array, "volumes_read": "unread" not in array} for array in volumes],
    }
    caps = {
        "caps": True,
        "caps luns": False,
        "open": None,
        "untold": None,
        "half told": None,
        "empty": False,
        "unread": None,
        "caps, unread": True,
    }
    expected: Keyed = {(array,): {"per_object_qos": value} for array, value in caps.items()}
    assert by("step_array_caps", "array_name", tables) == expected


def test_all_ontaps_were_read_where_each_that_is_listed_was() -> None:
    def read(arrays: dict[str, str], *listed: str) -> tuple[Any, ...]:
        tables: dict[str, Rows] = {
            "step_array": [{"endpoint": name, "family": family} for name, family in arrays.items()],
            "fact.listed_endpoint": [
                *({"endpoint": name, "kind": "ontap"} for name in listed),
                {"endpoint": "away too", "kind": "element"},
            ],
            "step_endpoint_reading": [
                {"endpoint": "whole", "volumes_read": True, "addresses_read": True},
                {"endpoint": "volumes", "volumes_read": True, "addresses_read": False},
                {"endpoint": "addresses", "volumes_read": False, "addresses_read": True},
            ],
        }
        return tuple(rows_over("step_ontap_reading", tables)[0].values())

    assert read({"whole": "ontap", "addresses": "solidfire"}) == (True, True)
    assert read({"whole": "ontap", "volumes": "ontap"}) == (True, False)
    assert read({"whole": "ontap", "addresses": "ontap"}) == (False, True)
    assert read({"whole": "ontap"}, "away") == (False, False)
    assert read({"whole": "ontap"}, "whole") == (True, True)
    assert read({"whole": "solidfire"}) == (None, None)
