"""Every column of the views `protocol_endpoint` and `vvol_datastore` over rows of what they read, with neighbours of the same ids."""

from typing import Any

import pytest

from .single import ByName, Rows, of_vc, rows_over, shown

SHARED: Rows = [
    {"family": "solidfire", "stalls_neighbours": True, "is_deepened": True, "keeps_defaults": False},
    {"family": "flasharray", "stalls_neighbours": True, "is_deepened": False, "keeps_defaults": True},
]


def endpoint(host_id: str, domain: str, dsnro: int | None, device: str = "pe.1", **more: Any) -> dict[str, Any]:
    """A protocol endpoint of Element on a host, as the view `device` has it."""
    own = {"host_id": host_id, "domain_id": domain, "device": device, "dsnro": dsnro, "resource_id": f"{host_id}/{device}"}
    return {"endpoint": "vc", "is_protocol_endpoint": True, "family": "solidfire", "array_name": "east", "queue_depth": 4096, **own, **more}


ON_HOST: Rows = [
    {"host_id": "h1", "deepest_disk_queue": 64, "deepest_disk_queue_at_least": 63, "deepest_disk_queue_at_most": 65, "vvol_disks": 3}
    | {"carries_vvol_disks": True, "vvol_pe_dsnro_default": 256, "stock_pe_dsnro": 128},
    {"host_id": "h2", "deepest_disk_queue": 254, "deepest_disk_queue_at_least": 253, "deepest_disk_queue_at_most": 255, "vvol_disks": 0}
    | {"carries_vvol_disks": False, "vvol_pe_dsnro_default": 300, "stock_pe_dsnro": 256},
    *({"host_id": host} for host in ("h3", "h4", "h5", "h6", "h7", "h8")),
    {"endpoint": "vc-2", "host_id": "h1", "deepest_disk_queue": 1, "deepest_disk_queue_at_least": 2, "deepest_disk_queue_at_most": 3}
    | {"vvol_disks": 9, "carries_vvol_disks": False, "vvol_pe_dsnro_default": 4, "stock_pe_dsnro": 5},
]


def of_hosts(*columns: str) -> Rows:
    """These columns of every host."""
    return of_vc(*({column: row[column] for column in ("endpoint", "host_id", *columns) if column in row} for row in ON_HOST))


def protocol_endpoints() -> Rows:
    """Hosts of four clusters and of another vCenter, with their protocol endpoints."""
    paths: dict[str, list[tuple[str | None, str]]] = {
        "h1/pe.1": [("active", "RR"), ("active", "RR"), ("standby", "RR")],
        "h2/pe.1": [("active", "RR"), ("dead", "MRU")],
        "h1/pe.2": [("active", "FIXED"), ("unknown", "FIXED")],
        "h4/pe.9": [("active", "RR"), (None, "RR")],
        "h6/pe.1": [("active", "RR")],
        "h1/naa.1": [("active", "OTHER")],
    }
    loads = ("deepest_disk_queue", "deepest_disk_queue_at_least", "deepest_disk_queue_at_most", "vvol_disks", "carries_vvol_disks")
    bound = {
        "bound_volumes": 7,
        "throttled": 2,
        "throttled_volumes": "a, b",
        "qos": "500 IOPS",
        "qos_policies": "gold",
        "qos_max_iops": 500,
    }
    given: dict[str, Rows] = {
        "device": [
            endpoint(
                "h1",
                "c1",
                64,
                queue_depth=128,
                driver="iscsi_vmk",
                hosts=2,
                host_names="x, y",
                resource_name="pe",
                cluster="gold",
                host="x",
            ),
            endpoint("h2", "c1", 128),
            endpoint("h1", "c1", 256, "pe.2", family="flasharray", array_name="pure"),
            endpoint("h3", "c2", 999),
            endpoint("h4", "c3", 10, "pe.9", family=None, array_name=None),
            endpoint("h5", "c3", 20, "pe.9", family=None, array_name=None),
            endpoint("h6", "c4", None, array_name="west"),
            endpoint("h7", "c4", 32, family="unheard-of"),
            endpoint("h8", "c4", 32),
            endpoint("h1", "c1", 512, endpoint="vc-2", array_name="east"),
            endpoint("h1", "c1", 4096, "naa.1", is_protocol_endpoint=False),
        ],
        "fact.host": [
            *of_vc({"host_id": "h1", "in_maintenance_mode": True}, {"host_id": "h2", "in_maintenance_mode": False}, {"host_id": "h3"}),
            {"endpoint": "vc-2", "host_id": "h1", "in_maintenance_mode": False},
        ],
        "fact.path": [
            *(
                {"endpoint": "vc", "host_id": name[:2], "device": name[3:], "path": str(number), "state": state, "psp": psp}
                for name, several in paths.items()
                for number, (state, psp) in enumerate(several)
            ),
            {"endpoint": "vc-2", "host_id": "h1", "device": "pe.1", "path": "0", "state": "active", "psp": "ELSEWHERE"},
        ],
        "step_domain_reading": [
            *of_vc(*({"domain_id": domain, "scheduling_read": domain != "c2"} for domain in ("c1", "c2", "c3", "c4"))),
            {"endpoint": "vc-2", "domain_id": "c1", "scheduling_read": False},
        ],
        "step_array_caps": [{"array_name": "east", "per_object_qos": True}, {"array_name": "pure", "per_object_qos": False}],
        "step_endpoint_volumes": [
            {"array_endpoint": "east", "device": "pe.1", **bound},
            {"array_endpoint": "east", "device": "pe.2", "bound_volumes": 8},
            {"array_endpoint": "west", "device": "pe.1", "bound_volumes": 9},
        ],
        "step_host_reading": [{**row, "paths_read": row["host_id"] != "h6"} for row in of_hosts()],
        "step_vvol_load": of_hosts(*loads),
        "step_stock_queue": of_hosts("stock_pe_dsnro"),
        "step_option": [row for row in of_hosts("vvol_pe_dsnro_default") if len(row) > 2],
        "step_shared_queue": SHARED,
    }
    return rows_over("protocol_endpoint", given)


def test_a_protocol_endpoint_has_what_its_own_host_array_and_cluster_say() -> None:
    host = {key: value for key, value in ON_HOST[0].items() if key != "stock_pe_dsnro"} | {"stock_dsnro": 128}
    bound = {
        "bound_volumes": 7,
        "throttled": 2,
        "throttled_volumes": "a, b",
        "qos": "500 IOPS",
        "qos_policies": "gold",
        "qos_max_iops": 500,
    }
    own = {
        "queue_depth": 128,
        "driver": "iscsi_vmk",
        "hosts": 2,
        "host_names": "x, y",
        "cluster": "gold",
        "host": "x",
        "family": "solidfire",
    }
    element = {"stalls_neighbours": True, "is_deepened": True, "keeps_defaults": False}
    other = {"stalls_neighbours": False, "is_deepened": False, "keeps_defaults": False}
    unknown = dict.fromkeys(other)
    expected: ByName = {
        "h1/pe.1": {**host, **bound, **own, **element, "per_object_qos": True, "deepest_dsnro_in_cluster": 128, "is_behind_cluster": True}
        | {"active_paths": 2, "psp": "RR", "dsnro": 64, "in_maintenance_mode": True, "paths": 3},
        "h2/pe.1": {**bound, "deepest_dsnro_in_cluster": 128, "is_behind_cluster": False, "active_paths": 1, "psp": None, "vvol_disks": 0}
        | {"vvol_pe_dsnro_default": 300, "stock_dsnro": 256, "carries_vvol_disks": False, "deepest_disk_queue": 254}
        | {"in_maintenance_mode": False},
        "h1/pe.2": {"deepest_dsnro_in_cluster": 256, "is_behind_cluster": False, "active_paths": None, "psp": "FIXED"}
        | {"bound_volumes": None, "per_object_qos": False, "stalls_neighbours": True, "is_deepened": False, "keeps_defaults": True},
        "h3/pe.1": {
            "deepest_dsnro_in_cluster": 999,
            "is_behind_cluster": None,
            "active_paths": 0,
            "psp": None,
            "vvol_pe_dsnro_default": None,
        },
        "h4/pe.9": {**unknown, "deepest_dsnro_in_cluster": 20, "is_behind_cluster": True, "active_paths": None, "per_object_qos": None},
        "h5/pe.9": {"deepest_dsnro_in_cluster": 20, "is_behind_cluster": None, "active_paths": 0, "paths": 0},
        "h6/pe.1": {"deepest_dsnro_in_cluster": 32, "is_behind_cluster": None, "active_paths": None, "psp": "RR", "bound_volumes": 9}
        | {"paths": None},
        "h7/pe.1": {**other, "deepest_dsnro_in_cluster": 32, "is_behind_cluster": False, "active_paths": 0},
        "h8/pe.1": {"deepest_dsnro_in_cluster": 32, "is_behind_cluster": None, "psp": None},
        "vc-2/h1/pe.1": {"deepest_dsnro_in_cluster": 512, "is_behind_cluster": None, "active_paths": 1, "psp": "ELSEWHERE"}
        | {"vvol_pe_dsnro_default": 4, "stock_dsnro": 5, "vvol_disks": 9, "bound_volumes": 7, "deepest_disk_queue": 1}
        | {"in_maintenance_mode": False},
    }
    assert shown(protocol_endpoints(), expected) == expected


@pytest.mark.parametrize(
    ("first", "second", "behind"),
    [
        pytest.param((128, 64), (256, 64), (False, False), id="as 6.7 and 8.0 install it, with 64 in force on both"),
        pytest.param((32, 64), (256, 64), (True, False), id="below the 64 in force on the other"),
        pytest.param((63, 64), (256, 64), (True, False), id="by one"),
        pytest.param((64, 64), (256, 64), (False, False), id="just as long"),
        pytest.param((64, 64), (128, 4096), (False, False), id="as long as its own depth lets it be"),
        pytest.param((256, 30), (256, 64), (False, False), id="by a driver with a shorter depth, which is compared by driver"),
        pytest.param((128, 1024), (256, 1024), (True, False), id="the depth leaves room for both"),
        pytest.param((128, None), (256, 1024), (None, False), id="a depth that is not known may hold it shorter by itself"),
        pytest.param((128, 1024), (256, None), (None, False), id="what the other has in force is not known"),
        pytest.param((256, None), (256, None), (False, False), id="the same DSNRO, whatever the depth"),
    ],
)
def test_an_endpoint_is_behind_where_dsnro_holds_its_queue_below_what_is_in_force_on_another(
    first: tuple[int, int | None], second: tuple[int, int | None], behind: tuple[bool | None, bool | None]
) -> None:
    given: dict[str, Rows] = {
        "device": [
            endpoint(host, "c1", dsnro, queue_depth=depth) for host, (dsnro, depth) in zip(("h1", "h2"), (first, second), strict=True)
        ],
        "step_domain_reading": of_vc({"domain_id": "c1", "scheduling_read": True}),
    }
    assert tuple(row["is_behind_cluster"] for row in rows_over("protocol_endpoint", given)) == behind


def test_paths_of_which_only_an_old_copy_is_known_are_not_counted() -> None:
    hosts = ({"endpoint": "vc", "host_id": "h1"}, {"endpoint": "vc", "host_id": "h2"})
    given: dict[str, Rows] = {
        "device": [endpoint("h1", "c1", 32), endpoint("h2", "c1", 32)],
        "fact.path": [{**host, "device": "pe.1", "path": "1", "state": "active"} for host in hosts],
        "step_host_reading": [{**host, "paths_read": True} for host in hosts],
        "step_stale_path": [{**hosts[1], "device": "pe.1"}],
    }
    assert [(row["paths"], row["active_paths"]) for row in rows_over("protocol_endpoint", given)] == [(1, 1), (None, None)]


def test_an_endpoint_of_a_host_in_no_known_cluster_is_compared_with_none() -> None:
    given: dict[str, Rows] = {"device": [{**endpoint("h1", "c1", 32), "domain_id": None}, endpoint("h2", "c1", 256)]}
    behind = {row["host_id"]: row["deepest_dsnro_in_cluster"] for row in rows_over("protocol_endpoint", given)}
    assert behind == {"h1": None, "h2": 256}


@pytest.mark.parametrize(
    ("family", "arrays", "capped"),
    [
        pytest.param("powerstore", ["ps"], True, id="one"),
        pytest.param("powerstore", ["ps", "ps-2"], None, id="two"),
        pytest.param("powerstore", [], None, id="none known"),
        pytest.param(None, ["ps"], None, id="an endpoint that may be of any family"),
    ],
)
def test_a_powerstore_is_known_by_the_virtual_volumes_where_they_are_of_one_array(
    family: str | None, arrays: list[str], *, capped: bool | None
) -> None:
    place = {"endpoint": "vc", "host_id": "h1"}
    given: dict[str, Rows] = {
        "device": [endpoint("h1", "c1", 32, family=family, array_name=None)],
        "fact.vvol_mount": [{**place, "device": "pe.1", "datastore_id": "ds"}],
        "fact.vm_disk": of_vc(*({"datastore_id": "ds", "backing_object_id": f"rfc4122.{name.upper()}"} for name in ("ps", "ps-2")))
        + of_vc({"datastore_id": "behind another endpoint", "backing_object_id": "rfc4122.PS-3"}),
        "step_volume": [{"endpoint": name, "is_virtual": True, "vvol_id": name} for name in (*arrays, "ps-3")],
        "step_array_caps": [{"array_name": name, "per_object_qos": True} for name in ("ps", "ps-2")],
    }
    assert [row["per_object_qos"] for row in rows_over("protocol_endpoint", given)] == [capped]


def disk(
    name: str, datastore: str, *, capped: bool | None, limited: bool | None = None, runs: bool | None = True, **more: Any
) -> dict[str, Any]:
    """A virtual disk on a vVol datastore."""
    own = {"datastore_id": datastore, "is_capped": capped, "is_limited_below_array": limited, "runs": runs}
    return {"endpoint": "vc", "resource_name": name, **own, **more}


QUEUE: dict[str, Any] = {
    "protocol_endpoints": 2,
    "family": "solidfire",
    "array_name": "east",
    "per_object_qos": True,
    "stalls_neighbours": True,
    "shallowest_queue": 32,
    "shallowest_queue_at_most": 33,
    "deepest_disk_queue": 64,
    "deepest_disk_queue_at_least": 63,
    "deepest_disk_queue_at_most": 65,
}
READ_WHOLE = ("whole", "beside", "on-other-host", "by-other-endpoint", "unknown-cap", "unknown-limit", "free", "empty")
READ_IN_PART = ("may-hold-more", "may-run-more", "holds-templates", "caps-nothing")
MOUNTS = {
    "whole": ["h1/pe.1", "h2/pe.1"],
    "beside": ["h1/pe.1", "h2/pe.1"],
    "on-other-host": ["h3/pe.1"],
    "by-other-endpoint": ["h1/pe.2"],
}


def vvol_datastores() -> Rows:
    """vVol datastores that were read whole and in part (some share a protocol endpoint), and those of another vCenter."""
    names = (*READ_WHOLE, *READ_IN_PART, "no-vvols")
    listed = [
        *of_vc(*({"datastore_id": name} for name in names)),
        *({"endpoint": "vc-2", "datastore_id": name} for name in ("whole", "beside")),
    ]
    named = [{**row, "name": f"{row['endpoint']} {row['datastore_id']}"} for row in listed]
    return rows_over(
        "vvol_datastore",
        {
            "fact.datastore": [{**row, "type": "VMFS" if row["datastore_id"] == "no-vvols" else "VVOL"} for row in named],
            "datastore": [
                row
                | {
                    "cluster": f"cluster of {row['endpoint']} {row['datastore_id']}",
                    "host_names": f"hosts of {row['endpoint']} {row['datastore_id']}",
                }
                for row in listed
            ],
            "fact.vvol_mount": [
                *of_vc(
                    *(
                        {"datastore_id": name, "host_id": mount[:2], "device": mount[3:]}
                        for name, several in MOUNTS.items()
                        for mount in several
                    )
                ),
                *({"endpoint": "vc-2", "datastore_id": name, "host_id": "h3", "device": "pe.1"} for name in ("whole", "beside")),
            ],
            "step_endpoint_reading": [
                {"endpoint": "vc", "datastores_read": True, "vms_read": True},
                {"endpoint": "vc-2", "datastores_read": False, "vms_read": False},
            ],
            "step_unread_machine": of_vc(
                {"datastore_id": "may-hold-more", "machines": 3, "no_templates": 1, "running": 0},
                {"datastore_id": "may-run-more", "machines": 3, "no_templates": 2, "running": 1},
                {"datastore_id": "holds-templates", "machines": 2, "no_templates": 0, "running": 0},
                {"datastore_id": "caps-nothing", "machines": 1, "no_templates": 1, "running": 1},
                {"endpoint": "vc-3", "datastore_id": "whole", "machines": 1, "no_templates": 1, "running": 1},
            ),
            "step_vvol_queue": [
                {"endpoint": "vc", "datastore_id": "whole", **QUEUE},
                {"endpoint": "vc", "datastore_id": "caps-nothing", "per_object_qos": False},
                {"endpoint": "vc-2", "datastore_id": "whole", **QUEUE, "array_name": "elsewhere"},
            ],
            "vvol_disk": [
                disk("a", "whole", capped=True, limited=False),
                disk("b", "whole", capped=True, limited=True),
                disk("c", "whole", capped=False, limited=False),
                disk("d", "whole", capped=True, limited=False, runs=False),
                disk("e", "whole", capped=True, limited=False, runs=None),
                disk("f", "unknown-cap", capped=None),
                disk("g", "unknown-limit", capped=True),
                disk("h", "free", capped=False),
                disk("i", "may-hold-more", capped=False),
                disk("j", "may-run-more", capped=True, limited=False),
                disk("k", "holds-templates", capped=False),
                disk("l", "whole", capped=True, limited=True, endpoint="vc-2"),
            ],
        },
    )


def test_a_vvol_datastore_counts_its_own_disks_as_far_as_they_are_known() -> None:
    none_held = {"capped_disks": 0, "unlimited_disks": 0, "has_capped_disks": False, "unlimited_running_disks_at_most": 0}
    unknown = {"disks": None, "capped_disks": None, "unlimited_disks": None, "has_capped_disks": None}
    at_least, at_most = "unlimited_running_disks_at_least", "unlimited_running_disks_at_most"
    expected: ByName = {
        "whole": {"disks": 5, "capped_disks": 4, "unlimited_disks": 3, "has_capped_disks": True, at_least: 1, at_most: 2}
        | {"unlimited_names": "a, d, e", "sharing_datastores": 1, "sharing_names": "vc beside", "resource_name": "vc whole"}
        | {**QUEUE, "cluster": "cluster of vc whole", "host_names": "hosts of vc whole"},
        "beside": {**none_held, "disks": 0, at_least: 0, "sharing_datastores": 1, "sharing_names": "vc whole", "array_name": None},
        "on-other-host": {"sharing_datastores": 0, "sharing_names": ""},
        "by-other-endpoint": {"sharing_datastores": 0, "sharing_names": ""},
        "unknown-cap": {**unknown, "disks": 1, at_least: 0, at_most: 1, "unlimited_names": None},
        "unknown-limit": {**unknown, "disks": 1, "has_capped_disks": True, at_least: 0, at_most: 1, "unlimited_names": None},
        "free": {**none_held, "disks": 1, at_least: 0, "unlimited_names": None},
        "empty": {**none_held, "disks": 0, "deepest_disk_queue_at_least": 0, "protocol_endpoints": None},
        "may-hold-more": {**unknown, at_least: 0, at_most: 0},
        "may-run-more": {**unknown, "has_capped_disks": True, at_least: 1, at_most: None, "unlimited_names": "j"},
        "holds-templates": {**none_held, "disks": 1},
        "caps-nothing": {**unknown, "has_capped_disks": False, at_most: None},
        "vc-2/whole": {**QUEUE, **unknown, "has_capped_disks": True, at_least: 0, at_most: None, "array_name": "elsewhere"}
        | {"shallowest_queue": None, "deepest_disk_queue": None, "deepest_disk_queue_at_most": None}
        | {"sharing_datastores": 1, "sharing_names": "vc-2 beside", "cluster": "cluster of vc-2 whole"},
        "vc-2/beside": {**unknown, "sharing_datastores": 1, "sharing_names": "vc-2 whole"},
    }
    assert shown(vvol_datastores(), expected) == expected


def test_a_vvol_datastore_shares_with_an_unknown_number_where_not_all_were_read() -> None:
    alone = {"endpoint": "vc", "datastore_id": "alone"}
    given = {"fact.datastore": [{**alone, "type": "VVOL"}], "datastore": [alone], "step_endpoint_reading": [{"endpoint": "vc"}]}
    expected: ByName = {"alone": {"sharing_datastores": None, "sharing_names": None, "disks": None}}
    assert shown(rows_over("vvol_datastore", given), expected) == expected
