"""What the view disk_stream has of each disk: its load, its queue, and what its array says."""

from datetime import timedelta
from typing import Any

from tests.facts.disk_streams import BEGUN, ENDED

from .elsewhere import with_namesakes
from .single import ByName, Rows, by, of_vc, rows_over, shown


def machine(name: str, host: str | None, *, runs: bool | None = True, template: bool | None = False) -> dict[str, Any]:
    return {"endpoint": "vc", "vm_id": name, "host_id": host, "runs": runs, "name": f"{name}!", "is_template": template}


def disk(vm: str, datastore: str | None, **more: Any) -> dict[str, Any]:
    """The disk "d" of a machine, whose node is "n"."""
    return {
        "endpoint": "vc",
        "vm_id": vm,
        "disk": "d",
        "node": "n",
        "disk_key": 2000,
        "controller": "nvme",
        "datastore_id": datastore,
        **more,
    }


def count(vm: str, **more: Any) -> dict[str, Any]:
    figures = {"commands_per_second": 100.0, "outstanding": 2.0, "latency_ms": 20.0, "io_bytes": 8192.0}
    return {"endpoint": "vc", "vm_id": vm, "node": "n", "samples": 5, "window_begin": BEGUN, "sampled_at": ENDED, **figures, **more}


MACHINES: Rows = [
    machine("lun", "h1"),
    machine("lun on h2", "h2"),
    machine("span", "h1"),
    machine("off", "h1", runs=False),
    machine("template", "h1", template=True),
    machine("perhaps", "h1", runs=None, template=None),
    machine("raw", "h1"),
    machine("raw of nobody", "h1"),
    machine("raw on vvol", "h1"),
    machine("share", "h1"),
    machine("two shares", "h1"),
    machine("vvol", "h1"),
    machine("vvol elsewhere bound", "h1"),
    machine("vvol unbound", "h2"),
    machine("vvol of nobody", "h1"),
    machine("of nobody on h2", "h2"),
    machine("no type", "h1"),
    machine("no datastore", "h1"),
    machine("few samples", "h1"),
    machine("old", "h1"),
    machine("just young", "h1"),
]
DISKS: Rows = [
    disk("lun", "single", iops_limit=500),
    disk("lun on h2", "single"),
    disk("span", "span"),
    disk("off", "single"),
    disk("template", "single"),
    disk("perhaps", "single"),
    disk("raw", "single", rdm_mode="physicalMode", rdm_device="naa.9"),
    disk("raw of nobody", "single", rdm_mode="virtualMode"),
    disk("raw on vvol", "vvols", rdm_mode="virtualMode", rdm_device="naa.9", backing_object_id="rfc4122.ID-1"),
    disk("share", "share"),
    disk("two shares", "two shares"),
    disk("vvol", "vvols", backing_object_id="rfc4122.ID-1"),
    disk("vvol elsewhere bound", "vvols", backing_object_id="rfc4122.id-2"),
    disk("vvol unbound", "vvols", backing_object_id="id-3"),
    disk("vvol of nobody", "vvols", backing_object_id="rfc4122.id-9"),
    disk("of nobody on h2", "vvols", backing_object_id="rfc4122.id-9"),
    disk("no type", "no type"),
    disk("no datastore", None),
    disk("few samples", "single"),
    disk("old", "single"),
    disk("just young", "single"),
]


def load(endpoint: str, volume: str, **more: Any) -> dict[str, Any]:
    return {
        "endpoint": endpoint,
        "volume_id": volume,
        "is_capped": True,
        "average_io_bytes": 4096,
        "iops": 70,
        "latency_ms": 0.5,
        "is_at_limit": False,
        "burst_credit": 800,
        "limit_per_second": 90.0,
        "read_at": ENDED + timedelta(seconds=60),
        **more,
    }


def streams() -> Rows:
    volumes: Rows = [
        {"endpoint": "east", "volume_id": "1", "name": "v1"},
        {"endpoint": "west", "volume_id": "9", "name": "v9"},
        {"endpoint": "filer", "volume_id": "s", "name": "share!"},
        *({"endpoint": "east", "volume_id": f"w{n}", "name": f"vvol {n}", "is_virtual": True, "vvol_id": f"Id-{n}"} for n in (1, 2, 3)),
        {"endpoint": "east", "volume_id": "w4", "name": "not virtual", "is_virtual": False, "vvol_id": "id-1"},
        {"endpoint": "east again", "volume_id": "w1", "name": "listed twice", "is_virtual": True, "vvol_id": "id-1"},
    ]
    tables: dict[str, Rows] = {
        "fact.vm": [{key: row[key] for key in ("endpoint", "vm_id", "host_id", "name", "is_template")} for row in MACHINES],
        "step_guest": [{key: row[key] for key in ("endpoint", "vm_id", "host_id", "runs")} for row in MACHINES],
        "fact.vm_disk": DISKS,
        "step_disk_depth": [
            {key: row[key] for key in ("endpoint", "vm_id", "disk")}
            | {"depth_at_least": 1 if row["vm_id"] == "raw" else 64, "depth_at_most": 64}
            for row in DISKS
        ],
        "step_disk_policy": of_vc(
            {"vm_id": "lun", "disk": "d", "policy_iops_limit": 700}, {"vm_id": "lun", "disk": "e", "policy_iops_limit": 9}
        ),
        "fact.host": of_vc(*({"host_id": f"h{n}", "name": f"host {n}", "cluster": "gold"} for n in (1, 2))),
        "step_option": of_vc({"host_id": "h1", "iscsi_max_io_size_kb": 128}, {"host_id": "h2", "iscsi_max_io_size_kb": 512}),
        "fact.datastore": of_vc(
            *({"datastore_id": name, "name": f"{name}!", "type": "VMFS"} for name in ("single", "span")),
            *({"datastore_id": name, "name": f"{name}!", "type": "NFS"} for name in ("share", "two shares")),
            {"datastore_id": "vvols", "name": "vvols!", "type": "VVOL"},
            {"datastore_id": "no type", "name": "no type!"},
        ),
        "step_sole_extent": of_vc({"datastore_id": "single", "device": "naa.1"}, {"datastore_id": "no type", "device": "naa.1"}),
        "step_datastore_volume": of_vc(
            {"datastore_id": "single", "device": "naa.1", "array_endpoint": "east", "volume_id": "other"},
            {"datastore_id": "share", "array_endpoint": "filer", "volume_id": "s"},
            {"datastore_id": "two shares", "array_endpoint": "filer", "volume_id": "s"},
            {"datastore_id": "two shares", "array_endpoint": "filer", "volume_id": "t"},
        ),
        "fact.vvol_mount": of_vc(
            {"datastore_id": "vvols", "host_id": "h1", "device": "pe.1"},
            {"datastore_id": "vvols", "host_id": "h1", "device": "pe.2"},
            {"datastore_id": "vvols", "host_id": "h2", "device": "pe.3"},
            {"datastore_id": "other vvols", "host_id": "h2", "device": "pe.4"},
        ),
        "step_vvol_place": [
            {"endpoint": "east", "volume_id": "w1", "device": "pe.1"},
            {"endpoint": "east", "volume_id": "w1", "device": "pe.3"},
            {"endpoint": "east", "volume_id": "w2", "device": "pe.7"},
            {"endpoint": "east again", "volume_id": "w1", "device": "pe.2"},
            {"endpoint": "east again", "volume_id": "w3", "device": "pe.9"},
        ],
        "step_volume": volumes,
        "step_volume_qos": [
            {"endpoint": "east", "volume_id": "1", "is_capped": True, "qos_max_iops": 100, "qos_max_bytes_per_second": 4096},
            {"endpoint": "east", "volume_id": "w1", "is_capped": False},
            {"endpoint": "filer", "volume_id": "s", "is_capped": False},
        ],
        "step_volume_load": [
            load("east", "1"),
            load("west", "9", read_at=ENDED + timedelta(seconds=61)),
            load("east", "w1", iops=7, read_at=BEGUN - timedelta(seconds=60)),
            load("filer", "s", iops=9, read_at=BEGUN - timedelta(seconds=61)),
        ],
        "fact.vm_disk_load": [
            *(count(row["vm_id"]) for row in DISKS if row["vm_id"] not in ("few samples", "old", "just young", "vvol of nobody")),
            count("few samples", samples=4),
            count("old", sampled_at=ENDED - timedelta(seconds=901)),
            count("just young", sampled_at=ENDED - timedelta(seconds=900)),
        ],
        "step_load_reading": of_vc(
            {"scope": "", "topic": "disk_load", "read_at": ENDED},
            {"scope": "h1", "topic": "disk_load", "read_at": BEGUN},
            {"scope": "", "topic": "other", "read_at": ENDED + timedelta(days=1)},
        ),
    }
    tables = with_namesakes(tables)
    arrays = [
        {"endpoint": name, "known_as": "east" if name == "east again" else name, "family": "solidfire"} for name in ("east", "east again")
    ]
    tables["step_array"] = [*arrays, {"endpoint": "filer", "known_as": "filer", "family": "ontap"}]
    tables["step_array_device"] = [
        {"device": "naa.1", "array_endpoint": "east", "volume_id": "1"},
        {"device": "naa.9", "array_endpoint": "west", "volume_id": "9"},
        {"device": "pe.1", "array_endpoint": "east", "volume_id": "1", "protocol_endpoint_id": "1"},
    ]
    tables["device"] = with_namesakes(
        {
            "device": of_vc(
                {"host_id": "h1", "device": "naa.1", "driver": "iscsi_vmk", "family": "by inquiry"},
                {"host_id": "h2", "device": "naa.1", "driver": "nfnic", "family": "by inquiry"},
                {"host_id": "h1", "device": "naa.9", "driver": "iscsi_vmk", "family": "by inquiry"},
                {"host_id": "h2", "device": "pe.3", "driver": "iscsi_vmk", "family": "by inquiry"},
            )
        }
    )["device"]
    return [row for row in rows_over("disk_stream", tables) if row["endpoint"] == "vc"]


NOT_COUNTED = dict.fromkeys(("samples", "window_begin", "sampled_at", "commands_per_second", "outstanding", "latency_ms", "io_bytes"))
NO_ARRAY = dict.fromkeys(("array_name", "volume", "volume_id", "array_iops", "is_capped", "windows_overlap"))


def test_a_disk_has_what_it_sends_the_queue_that_takes_it_and_what_the_array_says() -> None:
    lun = {"device": "naa.1", "array_name": "east", "volume_id": "1", "volume": "v1"}
    vvol = {"is_protocol_endpoint": True, "datastore": "vvols!", "datastore_type": "VVOL", "largest_io_bytes": None}
    expected: ByName = {
        "lun/d": {
            **lun,
            "resource_name": "lun! d",
            "cluster": "gold",
            "host": "host 1",
            "host_id": "h1",
            "vm": "lun!",
            "vm_id": "lun",
            "disk_key": 2000,
            "disk": "d",
            "node": "n",
            "runs": True,
            "controller": "nvme",
            "controller_depth": 64,
            "controller_depth_at_least": 64,
            "controller_depth_at_most": 64,
            "iops_limit": 500,
            "policy_iops_limit": 700,
            "datastore_id": "single",
            "datastore": "single!",
            "datastore_type": "VMFS",
            "rdm_mode": None,
            "is_protocol_endpoint": False,
            "driver": "iscsi_vmk",
            "largest_io_bytes": 131072,
            "samples": 5,
            "window_begin": BEGUN,
            "sampled_at": ENDED,
            "commands_per_second": 100.0,
            "outstanding": 2.0,
            "latency_ms": 20.0,
            "io_bytes": 8192.0,
            "family": "solidfire",
            "is_capped": True,
            "qos_max_iops": 100,
            "qos_max_bytes_per_second": 4096,
            "average_io_bytes": 4096,
            "limit_per_second": 90.0,
            "is_at_limit": False,
            "burst_credit": 800,
            "array_latency_ms": 0.5,
            "array_iops": 70,
            "array_read_at": ENDED + timedelta(seconds=60),
            "windows_overlap": True,
        },
        "lun on h2/d": {
            **lun,
            "host": "host 2",
            "driver": "nfnic",
            "largest_io_bytes": None,
            "iops_limit": None,
            "policy_iops_limit": None,
        },
        "span/d": {"device": None, "is_protocol_endpoint": False, **NO_ARRAY, "commands_per_second": 100.0, "family": None},
        "perhaps/d": {**lun, "runs": None},
        "raw/d": {
            "device": "naa.9",
            "array_name": "west",
            "volume_id": "9",
            "volume": "v9",
            "rdm_mode": "physicalMode",
            "is_protocol_endpoint": False,
            "controller_depth": None,
            "controller_depth_at_least": 1,
            "datastore": "single!",
            "windows_overlap": False,
            "is_capped": True,
        },
        "raw of nobody/d": {"device": None, "is_protocol_endpoint": False, **NO_ARRAY, "driver": None},
        "raw on vvol/d": {"device": "naa.9", "is_protocol_endpoint": False, "volume": "v9", "datastore_type": "VVOL"},
        "share/d": {
            "device": None,
            "is_protocol_endpoint": False,
            "array_name": "filer",
            "volume": "share!",
            "volume_id": "s",
            "family": "ontap",
            "array_iops": 9,
            "windows_overlap": False,
            "datastore_type": "NFS",
        },
        "two shares/d": {"device": None, **NO_ARRAY},
        "vvol/d": {
            **vvol,
            "device": "pe.1",
            "array_name": "east",
            "volume_id": "w1",
            "volume": "vvol 1",
            "array_iops": 7,
            "windows_overlap": True,
        },
        "vvol elsewhere bound/d": {**vvol, "device": None, "volume": "vvol 2", "is_capped": None, "array_iops": None},
        "vvol unbound/d": {**vvol, "device": "pe.3", "volume": "vvol 3", "largest_io_bytes": 524288, "family": "solidfire"},
        "vvol of nobody/d": {**vvol, "device": None, **NO_ARRAY, **NOT_COUNTED},
        "of nobody on h2/d": {**vvol, "device": "pe.3", "largest_io_bytes": 524288, **NO_ARRAY},
        "no type/d": {"device": None, "is_protocol_endpoint": None, "datastore": "no type!", **NO_ARRAY},
        "no datastore/d": {"device": None, "is_protocol_endpoint": None, "datastore": None, **NO_ARRAY},
        "few samples/d": {**lun, **NOT_COUNTED, "windows_overlap": None},
        "old/d": NOT_COUNTED,
        "just young/d": {"commands_per_second": 100.0, "samples": 5},
    }
    assert shown(streams(), expected) == expected


def test_a_reading_of_loads_has_its_newest_time() -> None:
    readings = [
        {"endpoint": "vc", "scope": "h1", "topic": "device_load", "read_at": BEGUN},
        {"endpoint": "vc", "scope": "h1", "topic": "device_load", "read_at": ENDED},
        {"endpoint": "vc", "scope": "h2", "topic": "device_load", "read_at": BEGUN},
        {"endpoint": "vc", "scope": "", "topic": "disk_load", "read_at": BEGUN},
        {"endpoint": "east", "scope": "", "topic": "volume_load", "read_at": ENDED},
        {"endpoint": "vc", "scope": "h1", "topic": "options", "read_at": ENDED},
    ]
    assert by("step_load_reading", "endpoint scope topic", {"fact.reading": readings}) == {
        ("vc", "h1", "device_load"): {"read_at": ENDED},
        ("vc", "h2", "device_load"): {"read_at": BEGUN},
        ("vc", "", "disk_load"): {"read_at": BEGUN},
        ("east", "", "volume_load"): {"read_at": ENDED},
    }


def test_a_datastore_on_one_device_alone_has_a_sole_extent() -> None:
    extents = of_vc(
        {"datastore_id": "single", "device": "naa.1"},
        {"datastore_id": "span", "device": "naa.2"},
        {"datastore_id": "span", "device": "naa.3"},
        {"endpoint": "vc-2", "datastore_id": "span", "device": "naa.4"},
    )
    rows = rows_over("step_sole_extent", {"fact.datastore_extent": extents})
    assert [(row["endpoint"], row["datastore_id"], row["device"]) for row in rows] == [("vc", "single", "naa.1"), ("vc-2", "span", "naa.4")]
