"""What the view datastore has of what it lies on: devices, arrays and neighbours."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.facts.datastores import datastores, rows

from .single import ByName, Rows, of_vc, shown


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


@pytest.mark.parametrize(
    ("read", "none"), [pytest.param(True, "", id="every vCenter was read"), pytest.param(False, None, id="one was not read")]
)
def test_a_datastore_names_its_own_neighbours_that_keep_storage_io_control(read: bool, none: str | None) -> None:
    given = rows(
        fact_datastore=[*datastores("one", "lonely", "unlisted", "half"), *datastores("one", endpoint="vc-2")],
        step_vcenter_reading=[{"hosts_read": True, "datastores_read": read}],
        step_datastore_volume=[
            *(lies_on(name, "naa.1", array_endpoint="east", volume_id="v1") for name in ("one", "lonely", "half")),
            lies_on("half", "naa.9"),
            lies_on("unlisted", "naa.9"),
            {**lies_on("one", "naa.1", array_endpoint="east", volume_id="v1"), "endpoint": "vc-2"},
        ],
        step_volume=[{"endpoint": "east", "volume_id": "v1"}],
        step_pool_neighbour=[
            *of_vc({"datastore_id": "one", "neighbours": "a, b"}),
            {"endpoint": "vc-2", "datastore_id": "lonely", "neighbours": "wrong"},
        ],
    )
    expected: ByName = {
        "one": {"sioc_neighbours": "a, b"},
        "lonely": {"sioc_neighbours": none},
        "unlisted": {"sioc_neighbours": None},
        "half": {"sioc_neighbours": None},
        "vc-2/one": {"sioc_neighbours": none},
    }
    assert shown(given, expected) == expected


def test_who_changed_storage_io_control_last_is_named_with_the_moment() -> None:
    noon, changed = datetime(2026, 11, 28, 12, 0, tzinfo=UTC), "Storage I/O Control reconfigured"
    given = rows(
        fact_datastore=[*datastores("twice", "nobody", "quiet"), *datastores("quiet", endpoint="vc-2")],
        fact_storage_event=[
            *of_vc(
                {"event_key": 1, "datastore_id": "twice", "what": changed, "user_name": "ann", "happened_at": noon - timedelta(hours=1)},
                {"event_key": 2, "datastore_id": "twice", "what": changed, "user_name": "ben", "happened_at": noon},
                {
                    "event_key": 3,
                    "datastore_id": "twice",
                    "what": "latency rose",
                    "user_name": "cat",
                    "happened_at": noon + timedelta(hours=1),
                },
                {"event_key": 4, "datastore_id": "nobody", "what": changed, "user_name": None, "happened_at": noon},
            ),
            {"endpoint": "vc-2", "event_key": 5, "datastore_id": "quiet", "what": changed, "user_name": "dan", "happened_at": noon},
        ],
    )
    expected: ByName = {
        "twice": {"sioc_changed_by": "ben, 2026-11-28 12:00 UTC"},
        "nobody": {"sioc_changed_by": "somebody, 2026-11-28 12:00 UTC"},
        "quiet": {"sioc_changed_by": None},
        "vc-2/quiet": {"sioc_changed_by": "dan, 2026-11-28 12:00 UTC"},
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
            *datastores("other-path", "open", nfs_path="/b", **share),
            *datastores("nameless", type="VVOL"),
        ],
        step_share_twin=[
            *({"endpoint": endpoint, "datastore_id": "share", "other_vcenters": 1, "may_be_elsewhere": 1} for endpoint in ("vc", "vc-2")),
            {"endpoint": "vc", "datastore_id": "open", "other_vcenters": 0, "may_be_elsewhere": 1},
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
        "open": {"vcenters": None},
        "nameless": {"vcenters": None},
    }
    assert shown(known_to_vcenters(datastores_read=False), expected) == expected
    counted = {"twice-1": 1, "twice-2": 1, "named-in-part": 1, "other-path": 1}
    expected = {name: row | ({"vcenters": counted[name]} if name in counted else {}) for name, row in expected.items()}
    assert shown(known_to_vcenters(datastores_read=True), expected) == expected


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
