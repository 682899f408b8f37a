"""Every column of `vvol_disk`, `qos_policy`, `qos_policy_use` and `pool_sioc` over rows of what they read, with the same ids elsewhere."""

import json
from typing import Any

import pytest

from .single import ByName, Rows, by, of_vc, rows_over, shown

CURVE = json.dumps({"4096": 100, "32768": 500})


def disk(vm: str, name: str = "d", store: str = "vvols", endpoint: str = "vc", **more: Any) -> dict[str, Any]:
    return {
        "endpoint": endpoint,
        "vm_id": vm,
        "disk": name,
        "datastore_id": store,
        "disk_key": 2000,
        "backing_object_id": f"rfc4122.{vm}",
        **more,
    }


def test_a_virtual_volume_is_limited_below_the_array_where_its_limit_is_less_than_the_ceiling_at_32k() -> None:
    """A ceiling of 1001 I/Os of 4 KiB is worth 200 of 32 KiB by the curve, which takes five for one of these."""
    limits: dict[str, tuple[int | None, int | None]] = {
        # machine: the disk's own limit, and that of its storage policy
        "free": (None, None),
        "at": (200, None),
        "above": (201, None),
        "by-policy": (None, 200),
        "both": (300, 200),
        "uncapped": (100, None),
        "curveless": (100, None),
        "unjoined": (100, None),
    }
    queue = {"shallowest_queue": 1, "shallowest_queue_at_most": 2, "deepest_disk_queue": 3, "deepest_disk_queue_at_least": 4}
    queue |= {"deepest_disk_queue_at_most": 5}
    joined = [name for name in limits if name != "unjoined"]
    given: dict[str, Rows] = {
        "fact.vm_disk": [
            *(disk(vm, iops_limit=own) for vm, (own, _) in limits.items()),
            disk("template"),
            disk("free", "lun", "luns"),
            disk("free", store="quiet", name="quiet"),
            disk("free", endpoint="vc-2", backing_object_id="RFC4122.elsewhere"),
        ],
        "fact.vm": [
            *of_vc(*({"vm_id": vm, "name": f"{vm}!", "host_id": "h1"} for vm in limits), {"vm_id": "template", "is_template": True}),
            {"endpoint": "vc-2", "vm_id": "free", "name": "free of vc-2", "host_id": "h2", "is_template": False},
        ],
        "step_guest": [
            *of_vc(*({"vm_id": vm, "runs": vm == "free"} for vm in (*limits, "template"))),
            {"endpoint": "vc-2", "vm_id": "free"},
        ],
        "fact.datastore": [
            *of_vc(*({"datastore_id": name, "name": f"name of {name}", "type": "VVOL"} for name in ("vvols", "quiet"))),
            *of_vc({"datastore_id": "luns", "type": "VMFS"}),
            *({"endpoint": "vc-2", "datastore_id": name, "name": "elsewhere", "type": "VVOL"} for name in ("vvols", "luns")),
        ],
        "step_disk_policy": [
            *of_vc(
                *(
                    {"vm_id": vm, "disk": "d", "storage_policy": "gold", "policy_iops_limit": policy, "is_limit_by_policy": False}
                    | {"policy_has_limit": True}
                    for vm, (_, policy) in limits.items()
                    if policy is not None
                )
            ),
            *of_vc({"vm_id": "free", "disk": "another", "storage_policy": "wrong", "policy_iops_limit": 1}),
            {"endpoint": "vc-2", "vm_id": "at", "disk": "d", "storage_policy": "wrong", "policy_iops_limit": 1},
        ],
        "fact.host": [
            *of_vc({"host_id": "h1", "name": "host 1", "cluster": "gold"}),
            {"endpoint": "vc-2", "host_id": "h2", "name": "host 2"},
            {"endpoint": "vc-2", "host_id": "h1", "name": "wrong"},
        ],
        "step_array": [
            {"endpoint": "east", "known_as": "east", "family": "solidfire"},
            {"endpoint": "east again", "known_as": "east", "family": "solidfire"},
            {"endpoint": "west", "known_as": "west", "family": "ontap"},
        ],
        "step_volume": [
            *(
                {
                    "endpoint": endpoint,
                    "volume_id": f"v-{vm}",
                    "vvol_id": vm.upper(),
                    "is_virtual": True,
                    **({} if vm == "curveless" else {"qos_curve": CURVE}),
                }
                for vm in joined
                for endpoint in ("east", "east again")
            ),
            {"endpoint": "west", "volume_id": "v-free", "vvol_id": "elsewhere", "is_virtual": True},
            {"endpoint": "west", "volume_id": "lun", "vvol_id": "at", "is_virtual": False},
        ],
        "step_volume_qos": [
            *(
                {"endpoint": "east", "volume_id": f"v-{vm}", "qos": "1001 IOPS", "qos_policy": "p"}
                | {"qos_max_iops": None if vm == "uncapped" else 1001, "is_capped": vm != "uncapped"}
                for vm in joined
            ),
            {"endpoint": "west", "volume_id": "v-free", "qos": "of west", "qos_max_iops": 7},
        ],
        "fact.array_volume_load": [
            {"endpoint": "east", "volume_id": "v-free", "average_io_bytes": 4096, "utilization": 0.5, "latency_us": 900},
            {"endpoint": "east", "volume_id": "v-at", "throttle_us": 5},
            {"endpoint": "west", "volume_id": "v-free", "throttle_us": 0},
        ],
        "step_endpoint_reading": [{"endpoint": "vc", "storage_policies_read": True}, {"endpoint": "vc-2", "storage_policies_read": False}],
        "step_vvol_queue": [
            *of_vc({"datastore_id": "vvols", **queue, "family": "ontap", "array_name": "by endpoint", "per_object_qos": None}),
            *of_vc(
                {
                    "datastore_id": "quiet",
                    "family": "ontap",
                    "array_name": "by endpoint",
                    "per_object_qos": False,
                    "stalls_neighbours": True,
                }
            ),
            {"endpoint": "vc-2", "datastore_id": "vvols", "shallowest_queue": 9, "per_object_qos": True},
        ],
    }
    below, ceiling = "is_limited_below_array", "ceiling_at_32k"
    capped: dict[str, Any] = {
        "is_capped": True,
        "qos": "1001 IOPS",
        "qos_policy": "p",
        "qos_max_iops": 1001,
        ceiling: 200.0,
        "array_name": "east",
    }
    expected: ByName = {
        "free/d": {**capped, **queue, below: False, "is_limited": False, "is_limit_by_policy": False, "family": "solidfire", "runs": True}
        | {
            "resource_name": "free! d",
            "vm": "free!",
            "datastore": "name of vvols",
            "host": "host 1",
            "cluster": "gold",
            "volume_id": "v-free",
        }
        | {"average_io_bytes": 4096, "utilization": 0.5, "latency_us": 900, "storage_policy": None, "iops_limit": None}
        | {"iops_limit_setting": -1, "vm_id": "free", "disk_key": 2000, "policy_has_limit": False},
        "at/d": {
            **capped,
            below: True,
            "is_limited": True,
            "is_limit_by_policy": None,
            "utilization": 1.0,
            "runs": False,
            "iops_limit": 200,
            "iops_limit_setting": 200,
        },
        "above/d": {**capped, below: False, "is_limited": True, "utilization": None},
        "by-policy/d": {
            **capped,
            below: True,
            "is_limited": True,
            "is_limit_by_policy": True,
            "storage_policy": "gold",
            "policy_iops_limit": 200,
        },
        "both/d": {
            **capped,
            below: True,
            "policy_has_limit": True,
            "iops_limit_setting": 300,
            "is_limit_by_policy": False,
            "iops_limit": 300,
            "policy_iops_limit": 200,
        },
        "uncapped/d": {"is_capped": False, "qos_max_iops": None, ceiling: None, below: None},
        "curveless/d": {"is_capped": True, ceiling: None, below: None},
        "unjoined/d": {"is_capped": None, "qos": None, "array_name": "by endpoint", "family": "ontap", "volume_id": None, below: None},
        "free/quiet": {"is_capped": True, "stalls_neighbours": True},
        "vc-2/free/d": {"array_name": "west", "family": "ontap", "qos": "of west", "shallowest_queue": 9, "runs": None, "utilization": 0.0}
        | {
            "policy_has_limit": None,
            "host": "host 2",
            "vm": "free of vc-2",
            "datastore": "elsewhere",
            "is_limited": False,
            "volume_id": "v-free",
        },
    }
    given["fact.vm_disk"].append(disk("at", "quiet", "quiet", backing_object_id="rfc4122.nobody knows it"))
    expected["at/quiet"] = {"is_capped": False, "stalls_neighbours": True, "family": "ontap"}
    assert shown(rows_over("vvol_disk", given), expected) == expected


def test_a_policy_has_its_own_arrays_limits_and_curves() -> None:
    """By its curve an operation of 64 KiB takes 8 of 4 KiB, and one of 128 KiB takes 10: so one of 4 KiB is worth 13107.2 bytes."""
    curve = json.dumps({"4096": 100, "65536": 800, "131072": 1000, "262144": 0})
    limit = {"min_iops_floor": 1, "min_iops_ceiling": 2, "max_iops_floor": 3, "max_iops_ceiling": 4, "burst_iops_ceiling": 5}
    own = {
        "min_iops": 6,
        "max_iops": 100,
        "burst_iops": 8,
        "max_bytes_per_second": 9,
        "kind": "k",
        "priority": "Low",
        "is_shared": True,
        "volumes": 3,
    }
    given: dict[str, Rows] = {
        "fact.array_qos_policy": [
            {"endpoint": "east", "policy_id": "p", "name": "gold", "curve": curve, **own},
            {"endpoint": "west", "policy_id": "p", "curve": json.dumps({"32768": 500}), "max_iops": 7},
            {"endpoint": "north", "policy_id": "p"},
            {"endpoint": "64 KiB", "policy_id": "p", "curve": json.dumps({"65536": 800}), "max_iops": 2},
            *({"endpoint": name, "policy_id": "p", "curve": curve} for name in ("south", "unread", "volumes unread")),
        ],
        "step_volume": [
            {"endpoint": "east", "volume_id": "v1", "qos_curve": json.dumps({"262144": 0, "131072": 1000, "65536": 800, "4096": 100})},
            {"endpoint": "west", "volume_id": "v1", "qos_curve": curve},
            {"endpoint": "south", "volume_id": "v1"},
        ],
        "step_array": [{"endpoint": "east", "family": "solidfire"}],
        "fact.array_qos_limit": [{"endpoint": "east", **limit}, {"endpoint": "west", "max_iops_ceiling": 9}],
        "step_endpoint_reading": [
            *({"endpoint": name, "qos_policies_read": True, "volumes_read": True} for name in ("east", "west", "north", "south", "64 KiB")),
            {"endpoint": "unread", "qos_policies_read": False, "volumes_read": True},
            {"endpoint": "volumes unread", "qos_policies_read": True, "volumes_read": False},
        ],
    }
    large, curves = "large_block_bytes_per_second", "curves_of_array"
    expected: ByName = {
        "east/p": {**own, **limit, large: 1310720.0, curves: 1, "family": "solidfire", "resource_name": "gold", "policy_id": "p"},
        "west/p": {large: None, curves: 2, "max_iops_ceiling": 9, "min_iops_floor": None, "family": None},
        "64 KiB/p": {large: 16384.0, curves: 1},
        "north/p": {large: None, curves: None, "max_iops_ceiling": None},
        "south/p": {curves: None},
        "unread/p": {curves: None},
        "volumes unread/p": {curves: None},
    }
    assert shown(rows_over("qos_policy", given), expected) == expected


@pytest.mark.parametrize("every_vcenter", [True, False], ids=["every vCenter was read", "one was not"])
def test_what_lies_under_a_policy_or_on_a_pool_is_counted_where_all_that_may_was_read(*, every_vcenter: bool) -> None:
    volumes = {
        # volume of "east": the policy of its own, its group's, its pool, whose device only read vCenters see
        "v1": ("p", "g", "mixed", True),
        "v2": ("p", None, "mixed", True),
        "v3": ("q", None, "on", True),
        "v4": ("r", None, "hidden", False),
        "v5": (None, None, "unknown", True),
        "v6": (None, None, "vvols", True),
        "v7": ("s", None, "silent", None),
        "v8": ("t", None, "half", True),
        "v9": ("t", None, "half", False),
    }
    stores = {
        "a": ("v1", True),
        "b": ("v2", False),
        "c": ("v3", True),
        "d": ("v4", False),
        "e": ("v5", None),
        "f": ("v7", True),
        "g": ("v8", True),
    }
    names = ("volume_names", "devices", "datastores", "host_names")
    read = {"step_vcenter_reading": [{"datastores_read": every_vcenter}]}
    common: dict[str, Rows] = {
        **read,
        "step_volume": [
            *(
                {
                    "endpoint": "east",
                    "volume_id": name,
                    "qos_policy_id": own,
                    "qos_group_id": group,
                    "pool_id": pool,
                    "device": f"naa.{name}",
                    "qos_read": True,
                }
                for name, (own, group, pool, _) in volumes.items()
            ),
            {"endpoint": "east", "volume_id": "vvol", "qos_policy_id": "q", "pool_id": "on", "is_virtual": True},
            {"endpoint": "west", "volume_id": "v1", "qos_policy_id": "p", "pool_id": "mixed", "device": "naa.west"},
        ],
        "step_device_audience": [
            {"device": f"naa.{name}", "datastores_read": known} for name, (_, _, _, known) in volumes.items() if known is not None
        ]
        + [{"device": "naa.west", "datastores_read": True}],
        "step_datastore_volume": [
            *of_vc(*({"datastore_id": store, "array_endpoint": "east", "volume_id": volume} for store, (volume, _) in stores.items())),
            *of_vc(
                {"datastore_id": "a", "array_endpoint": "east", "volume_id": "v2"},
                {"datastore_id": "w", "array_endpoint": "west", "volume_id": "v1"},
            ),
            {"endpoint": "vc-2", "datastore_id": "a", "array_endpoint": "east", "volume_id": "v1"},
            *of_vc({"datastore_id": "nfs41", "array_endpoint": "east", "volume_id": "v3"}),
        ],
        "fact.datastore": [
            *of_vc(
                *(
                    {"datastore_id": store, "name": store, "type": "VMFS", "vmfs_uuid": store, "sioc_enabled": on}
                    for store, (_, on) in stores.items()
                )
            ),
            *of_vc({"datastore_id": "w", "name": "w", "type": "NFS", "sioc_enabled": True}),
            *of_vc({"datastore_id": "nfs41", "name": "nfs41", "type": "NFS41", "vmfs_uuid": "c", "sioc_enabled": False}),
            {"endpoint": "vc-2", "datastore_id": "a", "name": "a", "type": "VMFS", "vmfs_uuid": "a", "sioc_enabled": True},
        ],
        "step_array": [{"endpoint": "east", "family": "dell-sc"}],
        "step_endpoint_reading": [{"endpoint": "east", "volumes_read": True}, {"endpoint": "west", "volumes_read": False}],
    }
    uses: Rows = [{"endpoint": "east", "volume_id": name, "volume": f"vol {name}", "device": f"naa.{name}"} for name in volumes]
    uses += [{"endpoint": "east", "volume_id": "vvol"}, {"endpoint": "west", "volume_id": "v1", "volume": "of west"}]
    # As many as the array counts under it; of q more than were read, as files and qtrees are.
    of_array = {"p": 2, "g": 1, "q": 3, "r": None, "s": None, "t": 1, "unused": 0, "unread": 1}
    policies: Rows = [
        {"endpoint": "east", "policy_id": name, "name": f"policy {name}", "max_iops": 5, "is_shared": True, "volumes": counted}
        for name, counted in of_array.items()
    ]
    policies.append({"endpoint": "west", "policy_id": "p"})
    seen_under, under = "datastores_seen_under_it", "datastores_under_it"
    of_policies: ByName = {
        "east/p": {
            "volumes": 2,
            seen_under: 2,
            under: 2,
            "volume_names": "vol v1, vol v2",
            "devices": "naa.v1, naa.v2",
            "family": "dell-sc",
        }
        | {"max_iops": 5, "is_shared": True, "resource_name": "policy p"},
        "east/g": {"volumes": 1, seen_under: 1, under: 1},
        "east/q": {"volumes": None, seen_under: 1, under: None, "volume_names": "vol v3"},
        "east/unread": {"volumes": None, seen_under: 0, under: None},
        "east/r": {"volumes": 1, seen_under: 1, under: 1 if every_vcenter else None},
        "east/s": {seen_under: 1, under: 1 if every_vcenter else None},
        "east/t": {"volumes": 2, seen_under: 1, under: 1 if every_vcenter else None},
        "east/unused": {"volumes": 0, seen_under: 0, under: 0 if every_vcenter else None, "volume_names": None},
        "west/p": {"volumes": None, seen_under: 1, under: None, "volume_names": "of west", "family": None},
    }
    used = common | {"fact.array_qos_policy": policies, "step_volume_use": uses}
    assert shown(rows_over("qos_policy_use", used), of_policies) == of_policies
    pools = ("mixed", "on", "hidden", "unknown", "vvols", "silent", "half")
    pool_rows: Rows = [{"endpoint": "east", "pool_id": name, "name": f"pool {name}", "media": "hdd"} for name in pools]
    pool_rows.append({"endpoint": "west", "pool_id": "mixed", "name": "of west"})
    pool_use: Rows = [
        {"endpoint": "east", "pool_id": "mixed", **{name: name for name in names}, "qos": "q"},
        {"endpoint": "west", "pool_id": "on", "qos": "w"},
    ]
    of_pools: ByName = {
        "east/mixed": {
            "sioc_on": 2,
            "sioc_off": 1,
            "is_mixed": True,
            "with_sioc": "a",
            "without_sioc": "b",
            **{name: name for name in names},
        }
        | {"qos": "q", "family": "dell-sc", "media": "hdd", "resource_name": "pool mixed"},
        "east/on": {"sioc_on": 1, "sioc_off": 0, "is_mixed": False, "qos": None},
        "east/hidden": {"sioc_on": 0, "sioc_off": 1, "is_mixed": False if every_vcenter else None},
        "east/silent": {"sioc_on": 1, "is_mixed": False if every_vcenter else None},
        "east/half": {"sioc_on": 1, "is_mixed": False if every_vcenter else None},
        "east/unknown": {"sioc_on": None, "sioc_off": 0, "is_mixed": None},
        "west/mixed": {"sioc_on": 1, "sioc_off": 0, "is_mixed": None, "family": None, "with_sioc": "w"},
    }
    assert shown(rows_over("pool_sioc", common | {"fact.array_pool": pool_rows, "step_pool_use": pool_use}), of_pools) == of_pools


def test_an_operation_costs_what_the_curve_of_its_volume_says_between_its_points_in_a_line() -> None:
    curve = '{"4096": 100, "8192": 160, "16384": 270}'
    sizes = {
        "smallest": 4096,
        "smaller": 1000,
        "between": 6144,
        "on a point": 8192,
        "above it": 12288,
        "last": 16384,
        "beyond": 20000,
        "idle": None,
    }
    found = by(
        "step_curve_cost",
        "endpoint volume_id",
        {
            "step_volume": [
                *({"endpoint": "sf", "volume_id": name, "qos_curve": curve} for name in (*sizes, "no load")),
                {"endpoint": "sf", "volume_id": "no curve"},
                {"endpoint": "sf", "volume_id": "odd curve", "qos_curve": "no JSON"},
                {"endpoint": "sf", "volume_id": "another curve", "qos_curve": '{"4096": 50}'},
                {"endpoint": "sf-2", "volume_id": "between", "qos_curve": curve},
            ],
            "fact.array_volume_load": [
                *({"endpoint": "sf", "volume_id": name, "average_io_bytes": size} for name, size in sizes.items()),
                *({"endpoint": "sf", "volume_id": name, "average_io_bytes": 4096} for name in ("no curve", "odd curve", "another curve")),
                {"endpoint": "sf-2", "volume_id": "between", "average_io_bytes": 8192},
            ],
        },
    )
    costs = {"smallest": 1.0, "smaller": 1.0, "between": 1.3, "on a point": 1.6, "above it": 2.15, "last": 2.7, "beyond": None}
    expected = {("sf", name): {"cost": cost} for name, cost in {**costs, "another curve": 0.5}.items()}
    assert found == expected | {("sf-2", "between"): {"cost": 1.6}}
