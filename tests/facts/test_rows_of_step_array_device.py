"""What an array presents under each device name: one volume or protocol endpoint, those of a stretched pod, or nobody's."""

from typing import Any

from auditor.model import EndpointKind

from .fleets import Facts, array
from .whole_rows import Row, add, rows_of_step

ARRAYS = ("fa-1", "fa-1 again", "fa-2", "fa-3")
CAP: Row = {"qos_max_iops": 100, "qos_max_bytes_per_second": 2**20}
WITH_ALL: Row = {"pool_id": "p", "qos_policy": "a", "qos_policy_id": "a", "qos_group": "b", "qos_group_id": "b"}
# By device, the volumes that present it, as array, id and what it is besides.
VOLUMES: dict[str, list[tuple[str, str, Row]]] = {
    "one": [("fa-1", "v", {**CAP, "pool_id": "p", "qos_policy": "policy", "qos_policy_id": "q", "qos_group_id": "g", "qos_shared": True})],
    "another": [("fa-1", "v3", {"qos_policy": "policy", "qos_policy_id": "q", "qos_shared": True})],
    "with two": [("fa-1", "v4", WITH_ALL), ("fa-1", "v5", WITH_ALL)],
    "uncapped": [("fa-1", "v6", {"is_virtual": None, "kind": None})],
    "not read": [("fa-1", "v7", {"qos_read": False})],
    "listed twice": [("fa-1", "v8", CAP), ("fa-1 again", "v8", {"qos_max_iops": 100})],
    "virtual": [("fa-1", "v9", {"is_virtual": True})],
    "endpoint and volume": [("fa-1", "v10", {"kind": "protocol_endpoint"})],
    "endpoint with a volume": [("fa-1", "v11", {"kind": "lun"})],
    "stretched": [
        ("fa-1", "w", {"pod": "pod", "pod_arrays": "fa-1,fa-2", **CAP, "pool_id": "p"}),
        ("fa-2", "a", {"pod": "pod", "pod_arrays": "fa-2,fa-1", "qos_max_iops": 50, "qos_max_bytes_per_second": 2**21, "pool_id": "o"}),
    ],
    "stretched, capped on one": [("fa-1", "v12", {"pod": "pod"}), ("fa-2", "v12", {"pod": "pod", **CAP})],
    "stretched, uncapped": [("fa-1", "v13", {"pod": "pod"}), ("fa-2", "v13", {"pod": "pod"})],
    "stretched, one not read": [("fa-1", "v14", {"pod": "pod"}), ("fa-2", "v14", {"pod": "pod", "qos_read": False})],
    "stretched, of an array not read": [("fa-1", "v15", {"pod": "pod"}), ("gone", "v15", {"pod": "pod", "qos_read": True})],
    "stretched, first not read": [("fa-1", "v25", {"pod": "pod", "qos_read": False}), ("fa-2", "v25", {"pod": "pod"})],
    "stretched, first of no array": [("a gone", "v26", {"pod": "pod"}), ("fa-1", "v26", {"pod": "pod"})],
    "half": [("fa-1", "v16", {"pod": "pod", "pod_arrays": "fa-1,fa-9"})],
    "half, capped": [("fa-1", "v17", {"pod": "pod", **CAP})],
    "two of three": [
        ("fa-1", "v18", {"pod": "pod", "pod_arrays": "fa-1,fa-2,fa-9"}),
        ("fa-2", "v18", {"pod": "pod", "pod_arrays": "fa-1"}),
    ],
    "pod of one": [("fa-1", "v19", {"pod": "pod", "pod_arrays": "fa-1"})],
    "two arrays": [("fa-1", "v20", CAP), ("fa-2", "v20", CAP)],
    "two pods": [("fa-1", "v21", {"pod": "pod"}), ("fa-2", "v21", {"pod": "another"})],
    "one in a pod": [("fa-1", "v22", {"pod": "pod"}), ("fa-2", "v22", {})],
    "of an array not read": [("gone", "v23", {"qos_read": True})],
    "of that and another": [("gone", "v24", {}), ("fa-1", "v24", {})],
}
# By device, the protocol endpoints that present it.
ENDPOINTS: dict[str, list[tuple[str, str]]] = {
    "endpoint": [("fa-1", "pe-1")],
    "endpoint and volume": [("fa-1", "pe-2")],
    "endpoint with a volume": [("fa-1", "pe-3")],
    "two endpoints": [("fa-1", "pe-4"), ("fa-1", "pe-5")],
    "endpoint of two arrays": [("fa-1", "pe-6"), ("fa-2", "pe-6")],
}


def fleet() -> Facts:
    """Three FlashArrays: one is listed twice, and of one nobody knows what array it is."""
    given: Facts = {"reading": []}
    for name in ARRAYS:
        array(given, name, EndpointKind.FLASHARRAY, array_id="id of fa-1" if name == "fa-1 again" else None)
        given["array"][-1] |= {"model": f"FA-X{name[-1]}", "generation": f"G{name[-1]}", "version": f"6.{name[-1]}"}
    given["array"][1] |= {"model": "FA-X1", "generation": "G1", "version": "6.1"}
    for device, volumes in VOLUMES.items():
        for endpoint, volume_id, more in volumes:
            usual = {"kind": "lun", "is_virtual": False, "qos_read": True, "device": device, "name": f"name of {volume_id}"}
            add(given, "array_volume", {**usual, "endpoint": endpoint, "volume_id": volume_id, **more})
    add(given, "array_volume", {"endpoint": "fa-1", "volume_id": "v99", "qos_group_id": "g", "name": "grouped"})
    for device, endpoints in ENDPOINTS.items():
        for endpoint, identifier in endpoints:
            add(given, "array_protocol_endpoint", {"endpoint": endpoint, "protocol_endpoint_id": identifier, "device": device})
    add(given, "array_protocol_endpoint", {"endpoint": "fa-1", "protocol_endpoint_id": "pe-9"})
    return given


FLEETS = [fleet]
USUAL: Row = {
    "is_ambiguous": False,
    "presented_by": "fa-1",
    "is_stretched": False,
    "array_name": "fa-1",
    "array_endpoint": "fa-1",
    "read_model": "FA-X1",
    "read_generation": "G1",
    "read_version": "6.1",
    "pool_id": None,
    "protocol_endpoint_id": None,
    "qos_policy": None,
    "qos_group": None,
    "qos_max_iops": None,
    "qos_max_bytes_per_second": None,
    "qos_capped": False,
    "qos": "none",
    "qos_sharers": 0,
    "qos_shared_by": "",
}
NO_MODEL: Row = {"read_model": None, "read_generation": None, "read_version": None}
CAPPED: Row = {**CAP, "qos_capped": True, "qos": "the volume itself: 100 IOPS, 1.0 MiB/s"}


def row(device: str, volume_id: str | None = None, **more: Any) -> Row:
    return {**USUAL, "device": device, "volume_id": volume_id, "volume": None if volume_id is None else f"name of {volume_id}", **more}


def nobodys(device: str, presented_by: str) -> Row:
    """More than one presents it, and nothing says that they are one."""
    return {**dict.fromkeys(row(device)), "device": device, "is_ambiguous": True, "presented_by": presented_by}


def stretched(device: str, volume_id: str, qos: str, *, capped: bool | None, arrays: str = "fa-1, fa-2", **more: Any) -> Row:
    return row(device, volume_id, presented_by=arrays, array_name=arrays, is_stretched=True, qos=qos, qos_capped=capped, **NO_MODEL) | more


def half(device: str, volume_id: str, qos: str, **more: Any) -> Row:
    """A volume of a pod, of whose other array nothing was read: it may have a ceiling."""
    return row(device, volume_id, is_stretched=True, qos=f"{qos}; the other array of its pod was not read", **more)


UNREAD: Row = {"qos": None, "qos_capped": None}
OF_ENDPOINT: Row = {"qos": None, "qos_capped": None, "qos_sharers": None, "qos_shared_by": None}
GONE: Row = {"presented_by": "gone", "array_name": "gone", "array_endpoint": "gone", **NO_MODEL}
EXPECTED = [
    row("another", "v3", qos_policy="policy", qos="policy: no ceiling", qos_sharers=1, qos_shared_by="name of v, name of v3"),
    row("endpoint", protocol_endpoint_id="pe-1", **OF_ENDPOINT),
    row("endpoint and volume", protocol_endpoint_id="pe-2", **OF_ENDPOINT),
    nobodys("endpoint of two arrays", "fa-1, fa-2"),
    row("endpoint with a volume", "v11", protocol_endpoint_id="pe-3"),
    half("half", "v16", "none", qos_capped=None),
    half("half, capped", "v17", CAPPED["qos"], qos_capped=True, **CAP),
    row("listed twice", "v8", **CAPPED, qos_sharers=0),
    row("not read", "v7", **UNREAD),
    row("of an array not read", "v23", **GONE, qos_sharers=None, qos_shared_by=None),
    nobodys("of that and another", "fa-1, gone"),
    row("one", "v", pool_id="p", qos_policy="policy", qos_group="g", **CAPPED, qos_sharers=1, qos_shared_by="name of v, name of v3")
    | {"qos": "policy: 100 IOPS, 1.0 MiB/s; group g: no ceiling"},
    nobodys("one in a pod", "fa-1, fa-2"),
    row("pod of one", "v19"),
    stretched(
        "stretched",
        "w",
        "fa-1: the volume itself: 100 IOPS, 1.0 MiB/s; fa-2: the volume itself: 50 IOPS, 2.0 MiB/s",
        capped=True,
        qos_max_iops=50,
        qos_max_bytes_per_second=2**20,
        pool_id="p",
    ),
    stretched("stretched, capped on one", "v12", f"fa-1: none; fa-2: {CAPPED['qos']}", capped=True, **CAP),
    stretched("stretched, first not read", "v25", "fa-1: not read; fa-2: none", capped=None),
    stretched("stretched, first of no array", "v26", "a gone: none; fa-1: none", capped=False, arrays="a gone, fa-1")
    | {"array_endpoint": "a gone"},
    stretched("stretched, of an array not read", "v15", "fa-1: none; gone: none", capped=False, arrays="fa-1, gone"),
    stretched("stretched, one not read", "v14", "fa-1: none; fa-2: not read", capped=None),
    stretched("stretched, uncapped", "v13", "fa-1: none; fa-2: none", capped=False),
    nobodys("two arrays", "fa-1, fa-2"),
    nobodys("two endpoints", "fa-1"),
    stretched("two of three", "v18", "fa-1: none; fa-2: none", capped=None),
    nobodys("two pods", "fa-1, fa-2"),
    row("uncapped", "v6", qos="none of its own; the rest was not read", qos_capped=None),  # of no kind: a share may have more of them
    nobodys("with two", "fa-1"),
]


def test_a_device_name_is_joined_to_what_presents_it_alone() -> None:
    assert rows_of_step("step_array_device", fleet(), "device") == EXPECTED
