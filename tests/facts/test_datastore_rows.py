"""Every column of the view `datastore` over rows of what it reads, each datastore beside neighbours that it must not be taken for."""

from typing import Any

import pytest

from .single import ByName, Rows, of_vc, rows_over, shown


def datastores(*names: str, **more: Any) -> Rows:
    """VMFS datastores, each with an id that is its name."""
    return of_vc(*({"datastore_id": name, "name": f"name of {name}", "type": "VMFS", **more} for name in names))


def rows(**tables: Rows) -> Rows:
    """The rows of the view; `fact_host` is the table fact.host."""
    given = {"step_vcenter_reading": [{"hosts_read": False, "datastores_read": False}]}
    given |= {name.replace("fact_", "fact.", 1): several for name, several in tables.items()}
    return rows_over("datastore", given)


def lies_on(datastore: str, device: str | None, **more: Any) -> dict[str, Any]:
    return {"endpoint": "vc", "datastore_id": datastore, "device": device, "joined_by": "device name", **more}


def test_what_a_datastore_lies_on_is_told_of_all_its_volumes_and_of_no_others() -> None:
    first = {"array_name": "east", "array_endpoint": "east", "volume_id": "v1", "volume": "vol a", "joined_by": "device name"}
    second = {"array_name": "west", "array_endpoint": "west", "volume_id": "v2", "volume": "vol b", "joined_by": "server and path"}
    limits = {"qos": "500 IOPS", "qos_policy": "bronze", "qos_max_iops": 500, "qos_max_bytes_per_second": 9000, "qos_capped": True}
    others = {"qos": "1000 IOPS", "qos_policy": "gold", "qos_max_iops": 1000, "qos_max_bytes_per_second": 4000, "qos_capped": True}
    free = {"qos": "none", "qos_capped": False}
    given = rows(
        fact_datastore=[
            *datastores("two", "alike", sioc_enabled=True),
            *datastores("one-open", "one-unknown", "free", sioc_enabled=True),
            *datastores("off", sioc_enabled=False),
            *datastores("untold"),
            *datastores("two", endpoint="vc-2"),
        ],
        step_datastore_volume=[
            lies_on("two", "naa.2", **second, **others),
            lies_on("two", "naa.1", **first, **limits),
            lies_on("alike", "naa.3", **first, **limits),
            lies_on("alike", "naa.4", **first, **limits),
            lies_on("one-open", "naa.5", **free),
            lies_on("one-open", "naa.6", **limits),
            lies_on("one-unknown", "naa.7", **free),
            lies_on("one-unknown", "naa.8"),
            lies_on("free", "naa.9", **free),
            lies_on("off", "naa.10", **limits),
            lies_on("untold", "naa.11", **limits),
            {**lies_on("two", "naa.1", **free), "endpoint": "vc-2"},
        ],
        step_seen_device=of_vc(
            {"device": "naa.1", "family": "seen"},
            {"device": "naa.1", "family": "elsewhere", "endpoint": "vc-2"},
        ),
        step_array=[
            {"endpoint": "east", "family": "of east"},
            {"endpoint": "west", "family": "of west"},
        ],
        step_volume=[
            {"endpoint": "east", "volume_id": "v1", "tiering": "Archive", "tiers": 1, "pool_id": "p1"},
            {"endpoint": "east", "volume_id": "v2", "tiering": "wrong", "tiers": 9, "pool_id": "p3"},
            {"endpoint": "west", "volume_id": "v1", "tiering": "wrong", "tiers": 9, "pool_id": "p3"},
            {"endpoint": "west", "volume_id": "v2", "tiering": "Fast", "tiers": 3, "pool_id": "p1"},
        ],
        fact_array_pool=[
            {"endpoint": "east", "pool_id": "p1", "name": "pool of east"},
            {"endpoint": "west", "pool_id": "p1", "name": "pool of west"},
            {"endpoint": "west", "pool_id": "p3", "name": "wrong"},
        ],
    )
    of_first = {"arrays": "east", "volumes": "vol a, vol a", "joined_by": "device name", "qos": "500 IOPS", "qos_policies": "bronze"}
    expected: ByName = {
        "two": {
            "devices": "naa.1, naa.2",
            "families": "of west, seen",
            "arrays": "east, west",
            "volumes": "vol a, vol b",
            "joined_by": "device name, server and path",
            "qos": "1000 IOPS; 500 IOPS",
            "qos_policies": "bronze, gold",
            "qos_max_iops": 500,
            "qos_max_bytes_per_second": 4000,
            "has_array_qos": True,
            "tiering": "Archive, Fast",
            "tiers": 3,
            "pools": "pool of east, pool of west",
            "both_throttle": True,
        },
        "alike": {**of_first, "families": "of east", "tiering": "Archive", "tiers": 1, "pools": "pool of east"},
        "one-open": {"qos": "500 IOPS; none", "has_array_qos": True, "both_throttle": True, "tiers": None, "families": None},
        "one-unknown": {"qos": None, "has_array_qos": None, "both_throttle": None},
        "free": {"qos": "none", "has_array_qos": False, "both_throttle": False, "qos_max_iops": None},
        "off": {"has_array_qos": True, "both_throttle": False},
        "untold": {"has_array_qos": True, "both_throttle": None},
        "vc-2/two": {"devices": "naa.1", "families": "elsewhere", "has_array_qos": False, "both_throttle": False},
    }
    assert shown(given, expected) == expected


def test_a_datastore_names_its_own_neighbours_that_keep_storage_io_control() -> None:
    given = rows(
        fact_datastore=[*datastores("one", "lonely"), *datastores("one", endpoint="vc-2")],
        step_pool_neighbour=[
            *of_vc({"datastore_id": "one", "neighbours": "a, b"}),
            {"endpoint": "vc-2", "datastore_id": "lonely", "neighbours": "wrong"},
        ],
    )
    expected: ByName = {
        "one": {"sioc_neighbours": "a, b"},
        "lonely": {"sioc_neighbours": ""},
        "vc-2/one": {"sioc_neighbours": ""},
    }
    assert shown(given, expected) == expected


def test_the_family_is_that_of_the_inquiry_then_of_the_server_then_of_the_array() -> None:
    given = rows(
        fact_datastore=datastores("seen", "server", "array", "mixed"),
        step_datastore_volume=[
            lies_on("seen", "naa.1", family="server's", array_endpoint="east"),
            lies_on("server", None, family="server's", array_endpoint="east"),
            lies_on("array", None, array_endpoint="east", volume_id="v1"),
            lies_on("mixed", "naa.2", array_endpoint="east", volume_id="v1"),
            lies_on("mixed", "naa.3", array_endpoint="east", volume_id="v2"),
        ],
        step_seen_device=of_vc({"device": "naa.1", "family": "inquiry's"}),
        step_array=[{"endpoint": "east", "family": "array's"}],
        step_volume=[{"endpoint": "east", "volume_id": "v1", "tiers": 2}, {"endpoint": "east", "volume_id": "v2"}],
    )
    expected: ByName = {
        "seen": {"families": "inquiry's", "devices": "naa.1"},
        "server": {"families": "server's", "devices": None},
        "array": {"families": "array's", "tiers": 2},
        "mixed": {"families": "array's", "tiers": None},
    }
    assert shown(given, expected) == expected


def test_a_vvol_datastore_names_the_arrays_of_its_own_protocol_endpoints() -> None:
    given = rows(
        fact_datastore=[*datastores("vvols", "unjoined", "lun", type="VVOL"), *datastores("vvols", endpoint="vc-2")],
        fact_vvol_mount=of_vc(
            *({"datastore_id": "vvols", "host_id": host, "device": device} for host in ("h1", "h2") for device in ("pe.1", "pe.2")),
            {"datastore_id": "unjoined", "host_id": "h1", "device": "pe.9"},
            {"datastore_id": "vvols", "host_id": "h1", "device": "pe.3", "endpoint": "vc-2"},
            {"datastore_id": "lun", "host_id": "h1", "device": "pe.3"},
        ),
        step_array_device=[{"device": device, "array_name": f"array of {device}"} for device in ("pe.2", "pe.1", "pe.3")],
        step_datastore_volume=[lies_on("lun", "naa.1", array_name="east")],
    )
    expected: ByName = {
        "vvols": {"arrays": "array of pe.1, array of pe.2", "devices": None},
        "unjoined": {"arrays": None},
        "lun": {"arrays": "east"},
        "vc-2/vvols": {"arrays": "array of pe.3"},
    }
    assert shown(given, expected) == expected


def known_to_vcenters(datastores_read: bool) -> Rows:
    """Datastores by who else may know them, where all vCenters were read, and where they were not."""
    share = {"type": "NFS", "nfs_host": "filer"}
    return rows(
        step_vcenter_reading=[{"hosts_read": True, "datastores_read": datastores_read}],
        fact_datastore=[
            *datastores("both", vmfs_uuid="u-1"),
            *datastores("both", vmfs_uuid="u-1", endpoint="vc-2"),
            *datastores("twice-1", "twice-2", vmfs_uuid="u-2"),
            *datastores("named", "named-in-part", vmfs_uuid="u-3"),
            *datastores("share", nfs_path="/a", **share),
            *datastores("share", nfs_path="/a", endpoint="vc-2", **share),
            *datastores("other-path", nfs_path="/b", **share),
            *datastores("nameless", type="VVOL"),
        ],
        fact_datastore_extent=of_vc(
            *({"datastore_id": "named", "device": device} for device in ("naa.1", "naa.2")),
            *({"datastore_id": "named-in-part", "device": device} for device in ("naa.1", "naa.3")),
            {"datastore_id": "twice-1", "device": "naa.1"},
            {"datastore_id": "twice-1", "device": "naa.9"},
            {"datastore_id": "both", "device": "naa.3", "endpoint": "vc-2"},
            {"datastore_id": "named", "device": "naa.3", "endpoint": "vc-2"},
        ),
        step_device_audience=[
            {"device": "naa.1", "datastores_read": True},
            {"device": "naa.2", "datastores_read": True},
            {"device": "naa.3", "datastores_read": False},
        ],
    )


def test_vcenters_are_counted_where_all_that_may_know_a_datastore_were_read_or_several_do() -> None:
    expected: ByName = {
        "both": {"vcenters": 2, "extents": None},
        "vc-2/both": {"vcenters": 2, "extents": 1},
        "twice-1": {"vcenters": None, "extents": 2},
        "twice-2": {"vcenters": None},
        "named": {"vcenters": 1, "extents": 2},
        "named-in-part": {"vcenters": None, "extents": 2},
        "share": {"vcenters": 2},
        "vc-2/share": {"vcenters": 2},
        "other-path": {"vcenters": None},
        "nameless": {"vcenters": None},
    }
    assert shown(known_to_vcenters(datastores_read=False), expected) == expected
    counted = {"twice-1": 1, "twice-2": 1, "named-in-part": 1, "other-path": 1}
    expected = {name: row | ({"vcenters": counted[name]} if name in counted else {}) for name, row in expected.items()}
    assert shown(known_to_vcenters(datastores_read=True), expected) == expected


def mounts(datastore: str, *hosts: str) -> Rows:
    return of_vc(*({"datastore_id": datastore, "host_id": host} for host in hosts))


def test_depths_and_media_are_told_of_the_own_devices_on_the_hosts_that_mount_it() -> None:
    managed = {"sioc_enabled": True, "sioc_mode": "manual"}
    every = ("full", "partly", "untold")
    depths = {"h1": {"naa.1": 32, "naa.2": 64}, "h2": {"naa.1": 48, "naa.2": 33}, "h3": {"naa.1": 1, "naa.2": 999}}
    given = rows(
        fact_datastore=[
            *datastores("full", "flash", "disk", "mixed", "unknown-medium", "unseen", **managed),
            *datastores("partly", "untold", sioc_enabled=True, sioc_mode="automatic"),
            *datastores("off", sioc_enabled=False, sioc_mode="manual"),
            *datastores("full", sioc_enabled=True, sioc_mode="automatic", endpoint="vc-2"),
        ],
        fact_datastore_extent=of_vc(
            {"datastore_id": "full", "device": "naa.1", "endpoint": "vc-2"},
            {"datastore_id": "unseen", "device": "naa.1"},
            {"datastore_id": "unseen", "device": "nobody lists it"},
            *({"datastore_id": name, "device": device} for name in ("full", "off") for device in ("naa.1", "naa.2")),
            *({"datastore_id": "partly", "device": device} for device in ("naa.1", "naa.2", "naa.3")),
            *({"datastore_id": "untold", "device": device} for device in ("naa.1", "naa.4")),
            {"datastore_id": "flash", "device": "naa.1"},
            {"datastore_id": "disk", "device": "naa.2"},
            {"datastore_id": "mixed", "device": "naa.1"},
            {"datastore_id": "mixed", "device": "naa.2"},
            {"datastore_id": "unknown-medium", "device": "naa.1"},
            {"datastore_id": "unknown-medium", "device": "naa.3"},
        ),
        fact_datastore_mount=[
            *(row for name in (*every, "off") for row in mounts(name, "h1", "h2")),
            {"endpoint": "vc-2", "datastore_id": "full", "host_id": "h1"},
            {"endpoint": "vc-2", "datastore_id": "full", "host_id": "h3"},
        ],
        fact_host=of_vc(*({"host_id": host, "name": host} for host in ("h1", "h2", "h3")), {"endpoint": "vc-2", "host_id": "h1"}),
        fact_device_scheduling=[
            *of_vc(*({"host_id": host, "device": device, "dsnro": dsnro} for host in depths for device, dsnro in depths[host].items())),
            *of_vc({"host_id": "h1", "device": "naa.3", "dsnro": 7}, {"host_id": "h1", "device": "naa.4", "dsnro": 7}),
            *of_vc({"host_id": "h2", "device": "naa.4"}),
            *({"endpoint": "vc-2", "host_id": host, "device": f"naa.{n}", "dsnro": 2} for host in ("h1", "h2") for n in (1, 3, 4)),
        ],
        fact_device=of_vc(
            {"host_id": "h1", "device": "naa.1", "is_ssd": True},
            {"host_id": "h2", "device": "naa.1", "is_ssd": True},
            {"host_id": "h1", "device": "naa.2", "is_ssd": False},
            {"host_id": "h1", "device": "naa.3"},
            {"host_id": "h1", "device": "naa.1", "is_ssd": False, "endpoint": "vc-2"},
            {"host_id": "h1", "device": "naa.2", "is_ssd": True, "endpoint": "vc-2"},
        ),
    )
    expected: ByName = {
        "full": {"lowest_dsnro": 32, "highest_dsnro": 64, "media": "mixed", "extents": 2},
        "flash": {"media": "flash", "lowest_dsnro": None},
        "disk": {"media": "disk"},
        "mixed": {"media": "mixed"},
        "unknown-medium": {"media": None},
        "partly": {"lowest_dsnro": None, "highest_dsnro": None, "media": None, "extents": 3},
        "untold": {"lowest_dsnro": None, "highest_dsnro": None, "media": None, "extents": 2},
        "off": {"lowest_dsnro": None, "highest_dsnro": None, "media": None},
        "unseen": {"media": None},
        "vc-2/full": {"lowest_dsnro": 2, "highest_dsnro": 2, "media": None},
    }
    assert shown(given, expected) == expected


def test_locking_modes_are_counted_where_each_host_that_mounts_it_has_one() -> None:
    modes: dict[str, dict[str, str | None]] = {
        "ats": {"h1": "ATS", "h2": "ATS-only"},
        "mixed": {"h1": "ATS", "h2": "ATS+SCSI"},
        "alike": {"h1": "ATS+SCSI", "h2": "ATS+SCSI"},
        "missing": {"h1": "ATS"},
        "null": {"h1": "ATS", "h2": None},
    }
    given = rows(
        fact_datastore=[
            *(row for name in (*modes, "twice") for row in datastores(name, vmfs_uuid=name)),
            *datastores("mixed", vmfs_uuid="mixed", endpoint="vc-2"),
        ],
        fact_datastore_mount=[
            *(row for name in (*modes, "twice") for row in mounts(name, "h1", "h2")),
            {"endpoint": "vc-2", "datastore_id": "mixed", "host_id": "h1"},
        ],
        fact_host=of_vc({"host_id": "h1"}, {"host_id": "h2"}, {"host_id": "h1", "endpoint": "vc-2"}),
        fact_vmfs_lockmode=of_vc(
            *({"vmfs_uuid": uuid, "host_id": host, "locking_mode": mode} for uuid in modes for host, mode in modes[uuid].items()),
            *({"vmfs_uuid": "twice", "volume_name": name, "host_id": "h1", "locking_mode": "ATS"} for name in ("old", "new")),
            {"vmfs_uuid": "mixed", "host_id": "h1", "locking_mode": "other", "endpoint": "vc-2"},
        ),
    )
    expected: ByName = {
        "ats": {"locking_mode_count": 1, "locking_modes": "ATS, ATS-only"},
        "mixed": {"locking_mode_count": 2, "locking_modes": "ATS, ATS+SCSI"},
        "alike": {"locking_mode_count": 1, "locking_modes": "ATS+SCSI"},
        "missing": {"locking_mode_count": None, "locking_modes": "ATS"},
        "null": {"locking_mode_count": None, "locking_modes": "ATS"},
        "twice": {"locking_mode_count": None, "locking_modes": "ATS"},
        "vc-2/mixed": {"locking_mode_count": 1, "locking_modes": "other"},
    }
    assert shown(given, expected) == expected


def test_hosts_clusters_and_the_newest_release_are_those_of_the_hosts_that_mount_it() -> None:
    hosts: ByName = {
        "old": {"version": "6.7.3", "cluster": "gold"},
        "new": {"version": "8.0.2", "cluster": "gold"},
        "silver": {"version": "7.1.9", "cluster": "silver"},
        "alone": {"version": "8.0.3", "cluster": None},
        "odd": {"version": "8.0", "cluster": "gold"},
    }
    given = rows(
        fact_datastore=[*datastores("one", "several", "with-alone", "with-odd", "unmounted"), *datastores("one", endpoint="vc-2")],
        fact_datastore_mount=[
            *mounts("one", "old", "new"),
            *mounts("several", "silver", "old"),
            *mounts("with-alone", "new", "alone"),
            *mounts("with-odd", "new", "odd", "not read"),
        ],
        fact_host=[
            *of_vc(*({"host_id": host, "name": f"{host} host", **row} for host, row in hosts.items())),
            *({"endpoint": "vc-2", "host_id": host, "name": "wrong", "version": "9.9.9", "cluster": "wrong"} for host in hosts),
        ],
    )
    expected: ByName = {
        "one": {"newest_esxi": 80002, "host_names": "new host, old host", "hosts": 2, "cluster": "gold"},
        "several": {"newest_esxi": 70109, "host_names": "old host, silver host", "hosts": 2, "cluster": None},
        "with-alone": {"newest_esxi": 80003, "host_names": "alone host, new host", "hosts": 2, "cluster": None},
        "with-odd": {"newest_esxi": None, "host_names": "new host, odd host", "hosts": 2, "cluster": "gold"},
        "unmounted": {"newest_esxi": None, "host_names": None, "hosts": None, "cluster": None},
        "vc-2/one": {"hosts": None, "newest_esxi": None},
    }
    assert shown(given, expected) == expected


def test_the_io_metric_is_in_force_where_the_own_datastore_cluster_balances_by_it() -> None:
    pods = {"balances": (True, True), "off": (False, True), "without": (True, False), "untold": (None, True)}
    given = rows(
        step_endpoint_reading=[{"endpoint": "vc", "datastores_read": True}, {"endpoint": "vc-2", "datastores_read": False}],
        fact_datastore=[
            *(row for pod in pods for row in datastores(pod, pod_id=pod)),
            *datastores("alone"),
            *datastores("off", pod_id="off", endpoint="vc-2"),
            *datastores("alone", endpoint="vc-2"),
            *datastores("alone", endpoint="vc-3"),
        ],
        fact_storage_pod=[
            *of_vc(*({"pod_id": pod, "sdrs_enabled": on, "io_metric_enabled": metric} for pod, (on, metric) in pods.items())),
            {"endpoint": "vc-2", "pod_id": "off", "sdrs_enabled": True, "io_metric_enabled": True},
        ],
    )
    in_force = {"balances": True, "off": False, "without": False, "untold": None, "alone": False}
    expected: ByName = {name: {"io_metric_in_force": value, "pod_id": name} for name, value in in_force.items()}
    expected["alone"] = {"io_metric_in_force": False, "pod_id": None}
    expected |= {"vc-2/off": {"io_metric_in_force": True, "pod_id": "off"}}
    expected |= {f"{vcenter}/alone": {"io_metric_in_force": None, "pod_id": None} for vcenter in ("vc-2", "vc-3")}
    assert shown(given, expected) == expected


def test_what_vcenter_reports_of_a_datastore_is_handed_on() -> None:
    given = {
        "type": "NFS41",
        "sioc_enabled": True,
        "sioc_mode": "manual",
        "sioc_threshold_ms": 25,
        "nfs_host": "filer",
        "nfs_path": "/a",
        "vmfs_version": "6.82",
        "unmap_priority": "low",
    }
    names = {"resource_name": "name of one", "datastore_id": "one", "host": None}
    expected: ByName = {"one": given | names | {"sioc_threshold": "manual 25 ms"}}
    assert shown(rows(fact_datastore=datastores("one", **given)), expected) == expected


@pytest.mark.parametrize(
    ("mode", "threshold", "text"),
    [
        pytest.param("automatic", 30, "automatic", id="automatic"),
        pytest.param("automatic", None, "automatic", id="automatic without a number"),
        pytest.param("manual", None, None, id="manual without a number"),
        pytest.param(None, 30, None, id="mode not told"),
    ],
)
def test_a_congestion_threshold_is_one_text_of_mode_and_number(mode: str | None, threshold: int | None, text: str | None) -> None:
    expected: ByName = {"one": {"sioc_threshold": text}}
    given = datastores("one", sioc_enabled=True, sioc_mode=mode, sioc_threshold_ms=threshold)
    assert shown(rows(fact_datastore=given), expected) == expected
