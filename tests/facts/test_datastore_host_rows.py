"""What the view datastore has of the hosts that mount it: depths, locking, clusters and releases."""

from typing import Any

from tests.facts.datastores import datastores, rows

from .single import ByName, Rows, of_vc, shown


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
        step_endpoint_reading=[
            {"endpoint": "vc", "datastores_read": True, "pods_read": True},
            {"endpoint": "vc-2", "datastores_read": False, "pods_read": True},
            {"endpoint": "files", "datastores_read": True, "pods_read": False},
        ],
        fact_datastore=[
            *(row for pod in pods for row in datastores(pod, pod_id=pod)),
            *datastores("alone"),
            *datastores("off", pod_id="off", endpoint="vc-2"),
            *datastores("alone", endpoint="vc-2"),
            *datastores("alone", endpoint="vc-3"),
            *datastores("alone", endpoint="files"),
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
    expected |= {f"{vcenter}/alone": {"io_metric_in_force": None, "pod_id": None} for vcenter in ("vc-2", "vc-3", "files")}
    assert shown(given, expected) == expected


READ: Rows = [
    {"endpoint": "vc", "hosts_read": True, "datastores_read": True},
    {"endpoint": "vc-2", "hosts_read": False, "datastores_read": True},
    {"endpoint": "vc-3", "hosts_read": True, "datastores_read": False},
]


def test_hosts_that_lack_a_datastore_are_known_where_hosts_and_datastores_were_read() -> None:
    lacks: dict[str, dict[str, Any]] = {
        "several": {"hosts": 2, "hosts_open": 1, "without_mount": "x", "mounts_open": 3},
        "one": {"hosts": 1, "hosts_open": 0, "without_mount": None, "mounts_open": 0},
        "open": {"hosts": 1, "hosts_open": 1, "without_mount": None, "mounts_open": 1},
    }
    endpoints = [row["endpoint"] for row in READ]
    given = rows(
        fact_datastore=[row for endpoint in endpoints for row in datastores(*lacks, "on no host", endpoint=endpoint)],
        step_endpoint_reading=READ,
        step_datastore_lack=[{"endpoint": endpoint, "datastore_id": name, **row} for endpoint in endpoints for name, row in lacks.items()],
    )
    expected: ByName = {
        "several": {"is_of_cluster": True, "hosts_without_mount": "x"},
        "one": {"is_of_cluster": False, "hosts_without_mount": ""},
        "open": {"is_of_cluster": None, "hosts_without_mount": None},
        "on no host": {"is_of_cluster": False, "hosts_without_mount": None},
        "vc-2/several": {"is_of_cluster": True, "hosts_without_mount": None},
        "vc-3/several": {"is_of_cluster": True, "hosts_without_mount": "x"},
    }
    in_part = {"vc-2": ["one", "open", "on no host"], "vc-3": ["one", "open", "on no host"]}
    open_names = [f"{endpoint}/{name}" for endpoint, names in in_part.items() for name in names]
    expected |= {name: {"is_of_cluster": None, "hosts_without_mount": None} for name in open_names}
    assert shown(given, expected) == expected


def test_other_mounts_of_a_share_are_none_only_where_all_that_may_be_one_are_known() -> None:
    twin: dict[str, Any] = {"of_other_version": "y", "may_be_of_other_version": 2, "by_other_name": "z", "may_be_by_other_name": 2}
    others = {"other_vcenters": 3, "may_be_elsewhere": 2}
    none: dict[str, Any] = {"of_other_version": None, "may_be_of_other_version": 0, "by_other_name": None, "may_be_by_other_name": 0}
    may_be = {**none, "may_be_of_other_version": 1, "may_be_by_other_name": 1, "other_vcenters": 0, "may_be_elsewhere": 1}
    twins: dict[str, dict[str, Any]] = {
        "twin": {**twin, **others},
        "may-be": may_be,
        "not": {**none, "other_vcenters": 0, "may_be_elsewhere": 0},
    }

    def of(*, datastores_read: bool) -> Rows:
        return rows(
            step_vcenter_reading=[{"hosts_read": True, "datastores_read": datastores_read}],
            step_endpoint_reading=READ,
            fact_datastore=[
                *datastores(*twins, "alone", type="NFS", nfs_path="/a"),
                *datastores("disk"),
                *datastores("twin", "alone", type="NFS", nfs_path="/a", endpoint="vc-2"),
                *datastores("alone", type="NFS", nfs_path="/a", endpoint="vc-3"),
            ],
            step_share_twin=of_vc(*({"datastore_id": name, **row} for name, row in twins.items())),
        )

    columns = ("other_nfs_version", "by_other_name", "vcenters")
    known = {"twin": ("y", "z", 4), "may-be": (None, None, None), "not": ("", "", 1), "alone": ("", "", 1), "disk": (None, None, None)}
    known |= dict.fromkeys(("vc-2/twin", "vc-2/alone", "vc-3/alone"), ("", None, 1))
    expected: ByName = {name: dict(zip(columns, row, strict=True)) for name, row in known.items()}
    assert shown(of(datastores_read=True), expected) == expected
    unread = {"other_nfs_version": None, "vcenters": None}
    expected = {name: row | (unread if name != "twin" else {}) for name, row in expected.items()}
    assert shown(of(datastores_read=False), expected) == expected
