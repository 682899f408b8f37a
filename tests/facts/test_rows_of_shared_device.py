"""The whole row of each shared device, in a fleet where each differs from the others in one thing."""

from collections.abc import Callable, Collection

import pytest

from auditor.model import EndpointKind

from .fleets import INQUIRY, Facts, array
from .whole_rows import Row, add, expected, host, rows_by_id, vcenter

pytestmark = pytest.mark.long

FAR = ("vc-2", "host-1"), ("vc-2", "host-2"), ("vc-2", "host-3")
OPTIONS = ("SampleSize", "0"), ("Threshold", "8")
GOLD = ("vc", "host-1"), ("vc", "host-2"), ("vc", "host-3")


def on(
    dsnro: int | None = 32,
    depth: int | None = 64,
    driver: str | None = "nfnic",
    full: tuple[int | None, int | None] = (0, 0),
    **more: object,
) -> Row:
    """How one host has a device; `full` are the device's own QUEUE FULL sample size and threshold, 0: the host's options count."""
    return {"dsnro": dsnro, "queue_depth": depth, "driver": driver, "full": full, **more}


def lun(given: Facts, device: str, family: str, *arguments: tuple[tuple[str, str], Row], **more: object) -> None:
    """A device that these hosts see so."""
    vendor, model = INQUIRY.get(family, (family, "unheard of"))
    for (endpoint, host_id), one in arguments:
        key = {"endpoint": endpoint, "host_id": host_id, "device": device}
        seen = {"vendor": vendor, "model": model, "device_type": "disk", "is_local": False, "is_protocol_endpoint": False, **more}
        seen |= {name: value for name, value in one.items() if name not in ("dsnro", "driver", "full")}
        add(given, "device", {**key, **seen})
        size, threshold = one["full"]
        add(given, "device_scheduling", {**key, "dsnro": one["dsnro"], "queue_full_sample_size": size, "queue_full_threshold": threshold})
        if one["driver"] is not None:
            add(given, "path", {**key, "hba": f"hba of {one['driver']}", "path": "p", "state": "active"})


def fleet() -> Facts:
    """Cluster gold of "vc" and cluster gold of "vc-2", whose hosts have the same ids, are compared; cluster dark was not read."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2"):
        vcenter(given, endpoint)
    for n in (1, 2, 3):
        host(given, "vc", f"host-{n}", f"esx-{n}", "gold")
        host(given, "vc-2", f"host-{n}", f"far-{n}", "gold")
    host(given, "vc", "host-4", "lone-4", None)
    host(given, "vc", "host-5", "lead-5", "lead")
    host(given, "vc", "host-6", "bare-6", None)
    host(given, "vc", "host-9", "naked-9", None)
    host(given, "vc", "host-7", "dark-7", "dark", unread={"devices"})
    host(given, "vc", "host-8", "dark-8", "dark", unread={"device_scheduling"})
    host(given, "vc-2", "host-7", "far-7", "dark")
    for row in given["host"]:
        key = {"endpoint": row["endpoint"], "host_id": row["host_id"]}
        add(given, "hba", *({**key, "hba": f"hba of {driver}", "driver": driver} for driver in ("nfnic", "lpfc")))
        add(given, "host_option", *({**key, "key": f"Disk.QFull{name}", "value": value} for name, value in OPTIONS))
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "db", "device": "agreed"})
    add(given, "declared", {"devices": "dsnro: IBM*", "model": "IBM Cloud Endurance"})
    _alike(given)
    _dsnro(given)
    _depths(given)
    _queue_full(given)
    _datastores(given)
    return given


def same(*hosts: tuple[str, str], **reported: object) -> list[tuple[tuple[str, str], Row]]:
    return [(one, on(**reported)) for one in hosts]  # type: ignore[arg-type]  # each of the values is one of on()'s


def _alike(given: Facts) -> None:
    lun(given, "agreed", "flasharray", *same(*GOLD))
    lun(given, "of both", "flasharray", *same(GOLD[0], FAR[0]))
    lun(given, "of two clusters", "flasharray", *same(GOLD[0], ("vc", "host-5")))
    lun(given, "of a lone host too", "flasharray", *same(GOLD[0], ("vc", "host-4")))
    lun(given, "of a lone host", "flasharray", *same(("vc", "host-4")))
    lun(given, "of a dark host", "flasharray", *same(GOLD[0], ("vc", "host-8")))
    lun(given, "local", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(dsnro=64, depth=96)), is_local=True)
    lun(given, "namespace", "NVMe", *same(*GOLD[:2]), (GOLD[2], on(vendor="unheard of")))
    lun(given, "of two clusters, and odd", "flasharray", *same(*GOLD[:2]), *same(GOLD[2], ("vc", "host-5"), dsnro=64))
    lun(given, "local on one", "flasharray", *same(GOLD[0]), (GOLD[1], on(64, is_local=True)), (GOLD[2], on(64)))
    lun(given, "of two models", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(model="FlashArray X")))
    lun(given, "in another dark", "flasharray", *same(("vc-2", "host-7")))
    lun(given, "of two families", "ontap", *same(*GOLD[:2]), (GOLD[2], on(vendor="PURE", model="FlashArray")))


def _dsnro(given: Facts) -> None:
    lun(given, "dsnro: one is odd", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(64)))
    lun(given, "dsnro: most are odd", "flasharray", *same(*GOLD[:2], dsnro=64), (GOLD[2], on(32)))
    lun(given, "dsnro: all are odd", "flasharray", *same(*GOLD[:2], dsnro=64), (GOLD[2], on(16)))
    lun(given, "dsnro: nothing is wanted", "eternus-dx", *same(*GOLD[:2], dsnro=64), (GOLD[2], on(32)))
    lun(given, "dsnro: no majority", "eternus-dx", (GOLD[0], on(64)), (GOLD[1], on(1)))
    lun(given, "dsnro: IBM's tier", "flasharray", *same(*GOLD[:2], dsnro=100), (GOLD[2], on(32)))
    lun(given, "dsnro: of an endpoint", "flasharray", *same(*GOLD[:2], dsnro=100), (GOLD[2], on(32)), is_protocol_endpoint=True)
    lun(given, "dsnro: one is not known", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(None)))
    lun(given, "dsnro: one is odd and one not known", "flasharray", (GOLD[0], on(32)), (GOLD[1], on(64)), (GOLD[2], on(None)))
    lun(given, "dsnro: a majority of those known", "eternus-dx", *same(*GOLD[:2], dsnro=64), (GOLD[2], on(32)), *same(*FAR, dsnro=None))
    lun(given, "dsnro: most are not known", "eternus-dx", (GOLD[0], on(64)), (GOLD[1], on(32)), *same(*FAR, dsnro=None))
    lun(given, "dsnro: odd by no known driver", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(64, driver=None)))
    lun(given, "dsnro: all agree on another", "flasharray", *same(*GOLD, dsnro=64))
    lun(given, "dsnro: one is none", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(0)))


def _depths(given: Facts) -> None:
    lun(given, "depth: one is odd", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=96)))
    lun(given, "depth: one is 1", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=1)))
    lun(given, "depth: no majority", "flasharray", (GOLD[0], on(depth=32)), *same(GOLD[1]), (GOLD[2], on(depth=128, driver="lpfc")))
    lun(given, "depth: two drivers differ", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=96)), *_lpfc(30, 30, 31))
    lun(given, "depth: right by another driver", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=96)), *_lpfc(96, 96, 96))
    lun(given, "depth: one is none", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=0)))
    lun(given, "depth: one each by driver", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=30, driver="lpfc")))
    lun(given, "depth: a driver is not known", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=96, driver=None)))
    lun(given, "depth: no driver is known", "flasharray", (GOLD[0], on(driver=None)), (GOLD[1], on(depth=96, driver=None)))
    lun(given, "depth: one is not known", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=None)))
    lun(given, "depth: a majority of those known", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=96)), *same(*FAR, depth=None))
    lun(given, "depth: most are not known", "flasharray", *same(GOLD[0]), (GOLD[1], on(depth=96)), *same(*FAR, depth=None))
    lun(given, "depth: raised for virtual volumes", "solidfire", *same(*GOLD[:2]), (GOLD[2], on(depth=96)), is_protocol_endpoint=True)
    lun(
        given,
        "depth: an endpoint for one host",
        "solidfire",
        *same(GOLD[0]),
        (GOLD[1], on(is_protocol_endpoint=True)),
        (GOLD[2], on(depth=96)),
    )
    lun(given, "depth: of another array's endpoint", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(depth=96)), is_protocol_endpoint=True)
    lun(given, "depth: of an Element LUN", "solidfire", *same(*GOLD[:2]), (GOLD[2], on(depth=96)))


def _lpfc(*depths: int) -> list[tuple[tuple[str, str], Row]]:
    return [(one, on(depth=depth, driver="lpfc")) for one, depth in zip(FAR, depths, strict=True)]


def _queue_full(given: Facts) -> None:
    lun(given, "full: one is odd", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(full=(16, 4))))
    lun(given, "full: one sets 1", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(full=(1, 3))))
    lun(given, "full: of no options", "flasharray", *same(("vc", "host-9"), full=(16, 4)))
    lun(given, "full: one is not known", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(full=(None, 4))))
    lun(given, "full: one has no threshold", "flasharray", *same(*GOLD[:2]), (GOLD[2], on(full=(16, None))))
    lun(
        given,
        "full: one is odd and one not known",
        "flasharray",
        (GOLD[0], on()),
        (GOLD[1], on(full=(16, 4))),
        (GOLD[2], on(full=(None, None))),
    )
    lun(given, "full: a host has no option", "flasharray", *same(*GOLD[:2], ("vc", "host-6")))
    lun(given, "full: nothing is known", "flasharray", *same(*GOLD[:2]))
    given["device_scheduling"] = [row for row in given["device_scheduling"] if row["device"] != "full: nothing is known"]
    no_option = {"endpoint": "vc", "host_id": "host-6", "key": "Disk.QFullSampleSize", "value": "0"}
    given["host_option"].remove(no_option)
    given["host_option"] = [row for row in given["host_option"] if row["host_id"] != "host-9"]


def _datastores(given: Facts) -> None:
    """Datastores on devices: of the dark hosts, and with Storage I/O Control on and off; the ids are the same in the other vCenter."""
    mounts = ("vc", "ds-1", "host-1", "agreed"), ("vc", "ds-7", "host-7", "mounted in the dark"), ("vc", "ds-8", "host-8", "mounted by 8")
    more = ("vc-2", "ds-7", "host-7", "mounted elsewhere"), ("vc", "ds-2", "host-2", "throttled"), ("vc", "ds-3", "host-1", "of both")
    for endpoint, datastore, host_id, device in mounts + more:
        key = {"endpoint": endpoint, "datastore_id": datastore}
        add(
            given,
            "datastore",
            {**key, "name": f"{datastore} of {endpoint}", "type": "VMFS", "sioc_enabled": device in ("throttled", "of both")},
        )
        add(given, "datastore_mount", {**key, "host_id": host_id})
        add(given, "datastore_extent", {**key, "device": device})
        if device not in ("agreed", "of both"):
            lun(given, device, "flasharray", *same(*(GOLD if endpoint == "vc" else FAR)))
    for device, throttled in (("throttled on one", {"ds-4": True, "ds-5": False}), ("throttled perhaps", {"ds-6": False, "ds-10": None})):
        lun(given, device, "flasharray", *same(*GOLD))
        for datastore, sioc in throttled.items():
            key = {"endpoint": "vc", "datastore_id": datastore}
            add(given, "datastore", {**key, "name": f"{datastore} of vc", "type": "VMFS", "sioc_enabled": sioc})
            add(given, "datastore_extent", {**key, "device": device})


def dimmed(vcenter_2: Collection[str] = (), hosts_2: Collection[str] = ()) -> Facts:
    """Two vCenters, of whose second these topics were not read; the hosts of "listed" are those that "fa" lists."""
    given: Facts = {}
    vcenter(given, "vc")
    vcenter(given, "vc-2", unread=vcenter_2)
    for endpoint in ("vc", "vc-2"):
        host(given, endpoint, "host-1", f"{endpoint} 1", "gold", unread=hosts_2 if endpoint == "vc-2" else ())
        key = {"endpoint": endpoint, "host_id": "host-1"}
        add(given, "hba", {**key, "hba": "hba of nfnic", "driver": "nfnic", "initiator": f"wwn of {endpoint}"})
        add(given, "host_option", *({**key, "key": f"Disk.QFull{name}", "value": value} for name, value in OPTIONS))
        add(given, "datastore", {"endpoint": endpoint, "datastore_id": "ds-1", "name": "ds", "type": "VMFS", "sioc_enabled": True})
        add(given, "datastore_extent", {"endpoint": endpoint, "datastore_id": "ds-1", "device": "of the first"})
    lun(given, "of the first", "flasharray", *same(("vc", "host-1")))
    lun(given, "of the second", "flasharray", *same(("vc-2", "host-1")))
    lun(given, "listed", "flasharray", *same(("vc", "host-1")))
    array(given, "fa", EndpointKind.FLASHARRAY, {"name": "db", "device": "listed"})
    add(given, "array_initiator", {"endpoint": "fa", "array_host_id": "h", "initiator": "wwn of vc"})
    add(given, "array_connection", {"endpoint": "fa", "array_host_id": "h", "volume_id": "db"})
    return given


def datastores_unread() -> Facts:
    return dimmed(vcenter_2={"datastores"})


def a_host_and_datastores_unread() -> Facts:
    return dimmed(vcenter_2={"datastores"}, hosts_2={"devices"})


def a_host_and_datastores_not_requested() -> Facts:
    given = dimmed(hosts_2={"device_scheduling"})
    given["reading"] = [row for row in given["reading"] if (row["endpoint"], row["scope"]) != ("vc-2", "")]
    return given


def hosts_not_listed() -> Facts:
    return dimmed(vcenter_2={"hosts"})


FLEETS = [fleet, datastores_unread, a_host_and_datastores_unread, a_host_and_datastores_not_requested, hosts_not_listed]
USUAL: Row = {
    "endpoint": "vc",
    "cluster": "gold",
    "host": None,
    "family": "flasharray",
    "is_protocol_endpoint": False,
    "is_namespace": False,
    "array_name": None,
    "volume": None,
    "qos": None,
    "hosts": 3,
    "host_names": "esx-1, esx-2, esx-3",
    "sioc_enabled": False,
    "datastores": None,
    "dsnros": "32 on 3",
    "majority_dsnro": 32,
    "wanted_dsnro": 32,
    "odd_dsnro_hosts": None,
    "dsnro_agrees": True,
    "queue_depths": "nfnic 64 on 3",
    "wanted_queue_depths": None,
    "odd_depth_hosts": None,
    "queue_depth_agrees": True,
    "queue_full_values": "0/8 on 3",
    "least_queue_full_sample_size": 0,
    "least_queue_full_threshold": 8,
    "queue_full_agrees": True,
    "queue_depths_known": True,
    "queue_full_known": True,
}
_NAMES = ("resource_id", "resource_name", "device")
_NOT_WHOLE = {
    "dsnro_agrees": None,
    "queue_depth_agrees": None,
    "queue_full_agrees": None,
    "queue_depths_known": False,
    "queue_full_known": False,
}
_ALL_SIX: Row = {"hosts": 6, "host_names": "esx-1, esx-2, esx-3, far-1, far-2 and 1 more", "queue_full_values": "0/8 on 6"}
_FIVE: Row = {"hosts": 5, "host_names": "esx-1, esx-2, far-1, far-2, far-3", "queue_full_values": "0/8 on 5"}
_FAR_TOO = ("vc", "vc-2")


def told_of(device: str, *changed: Row, endpoints: Collection[str] = ("vc",)) -> list[Row]:
    """The row of a device; each of these vCenters has the same."""
    one = dict.fromkeys(_NAMES, device)
    for change in changed:
        one |= change
    return [one | {"endpoint": endpoint} for endpoint in endpoints]


def counted(hosts: int, names: str, **more: object) -> Row:
    """The counts and texts of so many hosts that have the same."""
    texts = {"dsnros": f"32 on {hosts}", "queue_depths": f"nfnic 64 on {hosts}", "queue_full_values": f"0/8 on {hosts}"}
    return {"hosts": hosts, "host_names": names, **texts, **more}


def dsnro(texts: str, majority: int | None, odd: str | None, **more: object) -> Row:
    """Hosts differ in DSNRO."""
    return {"dsnros": texts, "majority_dsnro": majority, "odd_dsnro_hosts": odd, "dsnro_agrees": False, **more}


def depth(texts: str, wanted: str | None, odd: str | None, **more: object) -> Row:
    """Hosts of one driver differ in depth."""
    return {"queue_depths": texts, "wanted_queue_depths": wanted, "odd_depth_hosts": odd, "queue_depth_agrees": False, **more}


_DEPTH_OPEN: Row = {"queue_depth_agrees": None, "queue_depths_known": False}
_FULL_OPEN: Row = {
    "queue_full_values": "0/8 on 2",
    "least_queue_full_sample_size": None,
    "least_queue_full_threshold": None,
    "queue_full_agrees": None,
    "queue_full_known": False,
}
_FULL_DIFFERS: Row = {"queue_full_values": "0/8 on 2, 16/4 on 1", "least_queue_full_threshold": 4, "queue_full_agrees": False}

OF_FLEET = expected(
    USUAL,
    *told_of("agreed", {"array_name": "fa", "volume": "db", "qos": "none", "datastores": "ds-1 of vc"}),
    *told_of("of both", counted(2, "esx-1, far-1", sioc_enabled=True, datastores="ds-3 of vc")),
    *told_of("of both", counted(2, "esx-1, far-1"), endpoints=["vc-2"]),
    *told_of("of two clusters", counted(2, "esx-1, lead-5", cluster=None)),
    *told_of("of a lone host too", counted(2, "esx-1, lone-4", cluster=None)),
    *told_of("of a lone host", counted(1, "lone-4", cluster=None)),
    *told_of("of a dark host", counted(2, "dark-8, esx-1", cluster=None), _NOT_WHOLE),
    *told_of("in another dark", counted(1, "far-7", cluster="dark"), endpoints=["vc-2"]),
    *told_of("namespace", {"family": "other", "is_namespace": True, "wanted_dsnro": None}),
    *told_of("of two families", {"family": None, "wanted_dsnro": None}),
    *told_of("of two models"),
    # All hosts that see it are counted and named; one of them says that it lies within it.
    *told_of("local on one", {"queue_depths": "nfnic 64 on 2"}, dsnro("32 on 1, 64 on 1", None, "esx-3")),
    *told_of(
        "of two clusters, and odd",
        counted(4, "esx-1, esx-2, esx-3, lead-5", cluster=None),
        dsnro("32 on 2, 64 on 2", None, "esx-3, lead-5"),
    ),
    *told_of("dsnro: one is odd", dsnro("32 on 2, 64 on 1", 32, "esx-3")),
    *told_of("dsnro: most are odd", dsnro("32 on 1, 64 on 2", 64, "esx-1, esx-2")),
    *told_of("dsnro: all are odd", dsnro("16 on 1, 64 on 2", 64, "esx-1, esx-2, esx-3")),
    *told_of("dsnro: nothing is wanted", dsnro("32 on 1, 64 on 2", 64, "esx-3", family="eternus-dx", wanted_dsnro=None)),
    *told_of(
        "dsnro: no majority",
        counted(2, "esx-1, esx-2", family="eternus-dx"),
        dsnro("1 on 1, 64 on 1", None, "esx-1, esx-2", wanted_dsnro=None),
    ),
    *told_of("dsnro: IBM's tier", dsnro("32 on 1, 100 on 2", 100, "esx-3", wanted_dsnro=None)),
    *told_of("dsnro: of an endpoint", dsnro("32 on 1, 100 on 2", 100, "esx-3", wanted_dsnro=None, is_protocol_endpoint=True)),
    *told_of("dsnro: one is not known", {"dsnros": "32 on 2", "dsnro_agrees": None}),
    *told_of("dsnro: one is odd and one not known", dsnro("32 on 1, 64 on 1", None, "esx-2")),
    *told_of(
        "dsnro: a majority of those known",
        _ALL_SIX | {"queue_depths": "nfnic 64 on 6"},
        dsnro("32 on 1, 64 on 2", 64, "esx-3", family="eternus-dx", wanted_dsnro=None),
        endpoints=_FAR_TOO,
    ),
    *told_of(
        "dsnro: most are not known",
        _FIVE | {"queue_depths": "nfnic 64 on 5"},
        dsnro("32 on 1, 64 on 1", None, "esx-1, esx-2", family="eternus-dx", wanted_dsnro=None),
        endpoints=_FAR_TOO,
    ),
    *told_of(
        "dsnro: odd by no known driver",
        dsnro("32 on 2, 64 on 1", 32, "esx-3"),
        _DEPTH_OPEN | {"queue_depths": "nfnic 64 on 2; driver not known 64 on 1"},
    ),
    *told_of("dsnro: all agree on another", {"dsnros": "64 on 3", "majority_dsnro": 64}),
    *told_of("dsnro: one is none", dsnro("0 on 1, 32 on 2", 32, "esx-3")),
    *told_of("depth: one is odd", depth("nfnic 64 on 2, 96 on 1", "nfnic 64", "esx-3")),
    *told_of("depth: one is 1", depth("nfnic 1 on 1, 64 on 2", "nfnic 64", "esx-3")),
    *told_of("depth: one is none", depth("nfnic 0 on 1, 64 on 2", "nfnic 64", "esx-3")),
    *told_of("depth: no majority", depth("lpfc 128 on 1; nfnic 32 on 1, 64 on 1", None, "esx-1, esx-2")),
    *told_of(
        "depth: two drivers differ",
        _ALL_SIX | {"dsnros": "32 on 6"},
        depth("lpfc 30 on 2, 31 on 1; nfnic 64 on 2, 96 on 1", "lpfc 30; nfnic 64", "esx-3, far-3"),
        endpoints=_FAR_TOO,
    ),
    *told_of(
        "depth: right by another driver",
        _ALL_SIX | {"dsnros": "32 on 6"},
        depth("lpfc 96 on 3; nfnic 64 on 2, 96 on 1", "nfnic 64", "esx-3"),
        endpoints=_FAR_TOO,
    ),
    *told_of("depth: one each by driver", {"queue_depths": "lpfc 30 on 1; nfnic 64 on 2"}),
    *told_of("depth: a driver is not known", _DEPTH_OPEN | {"queue_depths": "nfnic 64 on 2; driver not known 96 on 1"}),
    *told_of(
        "depth: no driver is known",
        counted(2, "esx-1, esx-2"),
        _DEPTH_OPEN | {"queue_depths": "driver not known 64 on 1, 96 on 1"},
    ),
    *told_of("depth: one is not known", _DEPTH_OPEN | {"queue_depths": "nfnic 64 on 2"}),
    *told_of(
        "depth: a majority of those known",
        _ALL_SIX | {"dsnros": "32 on 6"},
        depth("nfnic 64 on 2, 96 on 1", "nfnic 64", "esx-3", queue_depths_known=False),
        endpoints=_FAR_TOO,
    ),
    *told_of(
        "depth: most are not known",
        _FIVE | {"dsnros": "32 on 5"},
        depth("nfnic 64 on 1, 96 on 1", None, "esx-1, esx-2", queue_depths_known=False),
        endpoints=_FAR_TOO,
    ),
    # An Element endpoint's queue is deepened on purpose (docs/domain/incidents.md#s0).
    *(
        row | {"family": "solidfire", "is_protocol_endpoint": True, "wanted_dsnro": None}
        for device in ("depth: raised for virtual volumes", "depth: an endpoint for one host")
        for row in told_of(device, depth("nfnic 64 on 2, 96 on 1", "nfnic 96", "esx-1, esx-2"))
    ),
    *told_of(
        "depth: of another array's endpoint",
        depth("nfnic 64 on 2, 96 on 1", "nfnic 64", "esx-3", is_protocol_endpoint=True, wanted_dsnro=None),
    ),
    *told_of("depth: of an Element LUN", depth("nfnic 64 on 2, 96 on 1", "nfnic 64", "esx-3", family="solidfire")),
    *told_of("full: one is odd", _FULL_DIFFERS),
    *told_of("full: one sets 1", _FULL_DIFFERS | {"queue_full_values": "0/8 on 2, 1/3 on 1", "least_queue_full_threshold": 3}),
    *told_of(
        "full: of no options",
        counted(1, "naked-9", cluster=None, least_queue_full_sample_size=16, least_queue_full_threshold=4),
        {"queue_full_values": "16/4 on 1"},
    ),
    *told_of("full: one is not known", _FULL_OPEN),
    *told_of("full: one has no threshold", _FULL_OPEN),
    *told_of("full: a host has no option", counted(3, "bare-6, esx-1, esx-2", cluster=None), _FULL_OPEN),
    *told_of("full: one is odd and one not known", _FULL_DIFFERS | {"queue_full_values": "0/8 on 1, 16/4 on 1", "queue_full_known": False}),
    *told_of(
        "full: nothing is known",
        counted(2, "esx-1, esx-2"),
        {"dsnros": None, "majority_dsnro": None, "dsnro_agrees": None},
        _FULL_OPEN | {"queue_full_values": None},
    ),
    *told_of("mounted in the dark", _NOT_WHOLE | {"datastores": "ds-7 of vc"}),
    *told_of("mounted by 8", _NOT_WHOLE | {"datastores": "ds-8 of vc"}),
    *told_of("mounted elsewhere", {"host_names": "far-1, far-2, far-3", "datastores": "ds-7 of vc-2"}, endpoints=["vc-2"]),
    *told_of("throttled on one", {"sioc_enabled": True, "datastores": "ds-4 of vc, ds-5 of vc"}),
    *told_of("throttled perhaps", {"sioc_enabled": None, "datastores": "ds-10 of vc, ds-6 of vc"}),
    *told_of("throttled", {"sioc_enabled": True, "datastores": "ds-2 of vc"}),
)


def test_each_device_is_compared_among_the_hosts_that_see_it() -> None:
    assert rows_by_id("shared_device", fleet()) == OF_FLEET


_OWN = ("resource_id", "dsnro_agrees", "queue_depth_agrees", "queue_full_agrees", "queue_depths_known", "queue_full_known", "sioc_enabled")
WHOLE = (True, True, True, True, True)
OPEN = (None, None, None, False, False)


@pytest.mark.parametrize(
    ("given", "of_first", "of_second", "of_listed", "sioc"),
    [
        pytest.param(datastores_unread, WHOLE, WHOLE, WHOLE, None, id="the hosts that there are were read, their datastores not"),
        pytest.param(a_host_and_datastores_unread, OPEN, OPEN, WHOLE, None, id="what an unread host sees may be anything"),
        pytest.param(a_host_and_datastores_not_requested, OPEN, OPEN, WHOLE, None, id="neither was requested"),
        pytest.param(hosts_not_listed, OPEN, OPEN, WHOLE, False, id="there may be more hosts"),
    ],
)
def test_hosts_agree_where_all_that_may_see_the_device_were_read(
    given: Callable[[], Facts],
    of_first: tuple[bool | None, ...],
    of_second: tuple[bool | None, ...],
    of_listed: tuple[bool | None, ...],
    sioc: bool | None,
) -> None:
    rows = rows_by_id("shared_device", given())
    assert [tuple(row[name] for name in _OWN) for row in rows.values()] == [
        ("listed", *of_listed, False),
        ("of the first", *of_first, True),
        ("of the second", *of_second, sioc),
    ]
