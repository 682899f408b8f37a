"""The whole row of each datastore cluster: whether Storage DRS moves by itself, and what its datastores lie on."""

from typing import Any

import pytest

from auditor.model import EndpointKind

from .fleets import Facts, array, seen
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

Setting = tuple[bool | None, bool | None, str | None, str | None, str | None, int | None]
SETTING = ("sdrs_enabled", "io_metric_enabled", "default_behavior", "space_automation", "io_automation", "automated_vms")
USUAL_SETTING: Setting = (True, True, "manual", None, None, 0)
# How Storage DRS is set, in the order above, and whether it then moves machines without being asked.
SETTINGS: dict[str, tuple[Setting, bool | None]] = {
    "off": ((False, True, "automated", None, None, 1), False),
    "off, the rest not known": ((False, None, None, None, None, None), False),
    "automated": ((True, False, "automated", None, None, 0), True),
    "automated if on": ((None, False, "automated", None, None, 0), None),
    "space by hand": ((True, True, "automated", "manual", None, 0), True),
    "space by hand, no metric": ((True, False, "automated", "manual", None, 0), False),
    "space by hand, metric not known": ((True, None, "automated", "manual", None, 0), None),
    "both by hand": ((True, True, "automated", "manual", "manual", 0), False),
    "an override": ((True, True, "manual", None, None, 1), True),
    "overrides not known": ((True, False, "manual", None, None, None), None),
    "space automated": ((True, True, "manual", "automated", None, 0), True),
    "I/O automated": ((True, True, "manual", None, "automated", 0), True),
    "I/O automated, no metric": ((True, False, "manual", None, "automated", 0), False),
    "I/O automated if on": ((None, True, "manual", None, "automated", 0), None),
    "by hand, on or off": ((None, True, "manual", None, None, 0), False),
    "behaviour not known": ((True, False, None, None, "manual", 0), None),
    "I/O not known": ((True, True, None, "manual", None, 0), None),
    "overrides of one by hand": ((True, True, "manual", "manual", "manual", None), None),
}


def pod(given: Facts, name: str, setting: Setting = USUAL_SETTING, endpoint: str = "vc") -> None:
    reported = dict(zip(SETTING, setting, strict=True))
    about = {"name": f"the {name}", "io_latency_threshold_ms": 15, "load_balance_interval_minutes": 480}
    add(given, "storage_pod", {"endpoint": endpoint, "pod_id": name, **about, **reported})


def store(given: Facts, pod_id: str | None, name: str, device: str | None, *hosts: str, endpoint: str = "vc", **more: Any) -> None:
    """A datastore of a pod, on this device, which these hosts mount; Storage I/O Control is off."""
    key = {"endpoint": endpoint, "datastore_id": name}
    add(given, "datastore", {"pod_id": pod_id, "name": name, "type": "VMFS", "sioc_enabled": False, **more, **key})
    if device is not None:
        add(given, "datastore_extent", {**key, "device": f"naa.{device}"})
    add(given, "datastore_mount", *({**key, "host_id": host_id} for host_id in hosts))


def fleet() -> Facts:
    """Pods and datastores of the same ids are in "vc-2", whose datastores were not read whole, and in "gone", which was not read."""
    given: Facts = {}
    vcenter(given, "vc")
    vcenter(given, "vc-2", unread={"datastores"})
    for endpoint in ("vc", "vc-2"):
        for n, cluster in enumerate(("gold", "gold", None, "lead"), 1):
            host(given, endpoint, f"host-{n}", f"esx-{n} of {endpoint}", cluster)
    for name, (setting, _) in SETTINGS.items():
        pod(given, name, setting)
    for name in ("a", "a and b", "b and c", "b", "no extent", "two arrays", "not seen", "no array", "shares", "type not known"):
        pod(given, name)
    for name in ("a and b", "b", "empty"):
        pod(given, name, endpoint="vc-2")
    pod(given, "empty", endpoint="gone")
    _devices(given)
    _datastores(given)
    return given


def _devices(given: Facts) -> None:
    volumes = (
        {"name": "a", "device": "naa.a", "tiering": "fast", "tiers": 2, "pool_id": "p1", "qos_max_iops": 100},
        {"name": "b", "device": "naa.b", "tiering": "slow", "tiers": 3, "pool_id": "p2"},
        {"name": "c", "device": "naa.c", "qos_read": False},
        {"name": "not seen", "device": "naa.not seen"},
    )
    array(given, "sc", EndpointKind.DELL_SC, *volumes)
    array(given, "el", EndpointKind.ELEMENT, {"name": "a", "device": "naa.d"})
    add(given, "array_pool", *({"endpoint": "sc", "pool_id": pool, "name": pool} for pool in ("p1", "p2")))
    for device, flash in (
        ("a", (True, True)),
        ("b", (False, False)),
        ("c", (True, False)),
        ("d", (None, True)),
        ("no array", (True, True)),
    ):
        for n, is_ssd in enumerate(flash, 1):
            one = seen(f"naa.{device}", "solidfire" if device == "d" else "dell-sc", is_ssd=is_ssd)
            add(given, "device", {"endpoint": "vc", "host_id": f"host-{n}", **one, **({"vendor": None} if device == "no array" else {})})
    add(given, "device", {"endpoint": "vc-2", "host_id": "host-1", **seen("naa.a", "ontap", is_ssd=False)})
    add(given, "declared_nfs_server", {"server": "filer", "family": "other"})


def _datastores(given: Facts) -> None:
    on: Row = {"sioc_enabled": True, "sioc_mode": "manual"}
    store(given, "a and b", "ds-a", "a", "host-1", "host-2", **on, sioc_threshold_ms=20)
    store(given, "a and b", "ds-b", "b", "host-1", **on, sioc_threshold_ms=10)
    store(given, "b and c", "ds-b2", "b", "host-1", sioc_mode="manual", sioc_threshold_ms=3)
    store(given, "b and c", "ds-c", "c", "host-3", sioc_enabled=None, sioc_mode="manual")
    store(given, "b", "ds-b3", "b", "host-3", sioc_enabled=None, sioc_supported=False)
    store(given, "two arrays", "ds-b4", "b", "host-1")
    store(given, "two arrays", "ds-d", "d", "host-4", sioc_enabled=True, sioc_mode="automatic", sioc_threshold_ms=5)
    store(given, "not seen", "ds-u", "not seen", "not listed", sioc_enabled=None, sioc_supported=True)
    store(given, "no array", "ds-x", "no array")
    store(given, "no array", "ds-b8", "b")
    store(given, "a", "ds-a2", "a")
    store(given, "no extent", "ds-b9", "b")
    store(given, "no extent", "ds-0", None)
    store(given, "shares", "ds-b5", "b")
    store(given, "shares", "nfs", None, type="NFS", nfs_host="filer", nfs_path="/a")
    store(given, "type not known", "ds-b6", "b", type=None)
    store(given, "type not known", "ds-b7", "b")
    store(given, None, "in no pod", "a", "host-4", **on, sioc_threshold_ms=1)
    store(given, "a and b", "ds-a", "a", "host-3", endpoint="vc-2", **on, sioc_threshold_ms=7)
    store(given, "b", "ds-b", "b", "host-4", endpoint="vc-2")


FLEETS = [fleet]
USUAL: Row = {
    "endpoint": "vc",
    "host": None,
    "cluster": None,
    "io_latency_threshold_ms": 15,
    "load_balance_interval_minutes": 480,
    "datastores": 0,
    "datastore_names": None,
    "types": None,
    "type_count": None,
    "families": None,
    "family_count": None,
    "media": None,
    "arrays": None,
    "pools": None,
    "tiering": None,
    "tiers": None,
    "qos": None,
    "has_array_qos": False,
    "any_sioc_enabled": False,
    "unbound_datastores": "",
    "sioc_datastores": None,
    "lowest_sioc_threshold_ms": None,
    "sioc_thresholds_known": True,
    "manual_sioc_thresholds": 0,
    "hosts": None,
    "host_names": None,
}


def row(name: str, setting: Setting = USUAL_SETTING, *, moves: bool | None = False, **more: object) -> Row:
    """A pod as Storage DRS is set in it; a move because of I/O, or of space, goes by its own automation or else by the default."""
    enabled, metric, default, space, io, automated = setting
    given = {"sdrs_enabled": enabled, "io_metric_enabled": metric, "default_behavior": default, "automated_vms": automated}
    in_force = False if False in (enabled, metric) else None if None in (enabled, metric) else True
    worked_out = {
        "io_metric_in_force": in_force,
        "io_behavior": io or default,
        "space_behavior": space or default,
        "moves_by_itself": moves,
        "default_level_alone": None if None in (default, automated) else (space, io, automated) == (None, None, 0),
    }
    return {"resource_id": name, "pod_id": name, "resource_name": f"the {name}", **given, **worked_out, **more}


def held(count: int, names: str, families: str | None, media: str | None, **more: object) -> Row:
    """So many datastores, all of them VMFS."""
    family_count = None if families is None else families.count(",") + 1
    found = {
        "datastores": count,
        "datastore_names": names,
        "types": "VMFS",
        "type_count": 1,
        "families": families,
        "family_count": family_count,
    }
    return found | {"media": media} | more


OF_B: Row = {"arrays": "sc", "pools": "p2", "tiering": "slow", "tiers": 3, "qos": "none"}
OF_A: Row = {"arrays": "sc", "pools": "p1", "tiering": "fast", "tiers": 2, "qos": "the volume itself: 100 IOPS", "has_array_qos": True}
ON: Row = {"any_sioc_enabled": True}
NOT_EACH_THRESHOLD: Row = {"manual_sioc_thresholds": None, "sioc_thresholds_known": None}
NOT_READ = dict.fromkeys(("datastores", "type_count", "families", "family_count", "media", "has_array_qos", "any_sioc_enabled")) | {
    **NOT_EACH_THRESHOLD,
    "unbound_datastores": None,
}
EXPECTED = expected(
    USUAL,
    *(row(name, setting, moves=moves) for name, (setting, moves) in SETTINGS.items()),
    row("a and b", **held(2, "ds-a, ds-b", "dell-sc", "disk, flash", **ON, sioc_datastores="ds-a, ds-b", lowest_sioc_threshold_ms=10))
    | {"manual_sioc_thresholds": 2, "hosts": 2, "host_names": "esx-1 of vc, esx-2 of vc", "cluster": "gold"}
    | {
        "arrays": "sc",
        "pools": "p1, p2",
        "tiering": "fast, slow",
        "tiers": 3,
        "qos": "none; the volume itself: 100 IOPS",
        "has_array_qos": True,
    },
    row("b and c", **held(2, "ds-b2, ds-c", "dell-sc", None, **OF_B, has_array_qos=None, any_sioc_enabled=None))
    | {"tiers": None, **NOT_EACH_THRESHOLD, "unbound_datastores": None, "hosts": 2, "host_names": "esx-1 of vc, esx-3 of vc"},
    row("b", **held(1, "ds-b3", "dell-sc", "disk", **OF_B, hosts=1, host_names="esx-3 of vc")),
    row("two arrays", **held(2, "ds-b4, ds-d", "dell-sc, solidfire", None, **ON, sioc_datastores="ds-d"))
    | {"hosts": 2, "host_names": "esx-1 of vc, esx-4 of vc"}
    | OF_B
    | {"arrays": "el, sc", "tiers": None, "unbound_datastores": "ds-d"},
    row("not seen", **held(1, "ds-u", "dell-sc", None, arrays="sc", qos="none", any_sioc_enabled=None))
    | {**NOT_EACH_THRESHOLD, "unbound_datastores": None},
    row("no array", **held(2, "ds-b8, ds-x", None, "disk, flash", **OF_B, has_array_qos=None))
    | {"tiers": None, "unbound_datastores": None},
    row("no extent", **held(2, "ds-0, ds-b9", None, None, **OF_B, has_array_qos=None)) | {"tiers": None, "unbound_datastores": None},
    row("a", **held(1, "ds-a2", "dell-sc", "flash", **OF_A)),
    row("shares", **held(2, "ds-b5, nfs", "dell-sc, other", None, **OF_B, has_array_qos=None))
    | {"types": "NFS, VMFS", "type_count": 2, "tiers": None, "unbound_datastores": None},
    row("type not known", **held(2, "ds-b6, ds-b7", "dell-sc", "disk", **OF_B)) | {"type_count": None},
    row("a and b", **held(1, "ds-a", None, None, **OF_A, sioc_datastores="ds-a", lowest_sioc_threshold_ms=7))
    | NOT_READ
    | {"has_array_qos": True, "endpoint": "vc-2", **ON, "hosts": 1, "host_names": "esx-3 of vc-2"},
    row("b", **held(1, "ds-b", None, None, **OF_B))
    | NOT_READ
    | {"endpoint": "vc-2", "hosts": 1, "host_names": "esx-4 of vc-2", "cluster": "lead"},
    row("empty") | NOT_READ | {"endpoint": "vc-2"},
    row("empty") | NOT_READ | {"endpoint": "gone"},
)


def test_each_datastore_cluster_is_told_with_its_storage_drs_and_what_lies_in_it() -> None:
    assert rows_by_id("storage_pod", fleet()) == EXPECTED
