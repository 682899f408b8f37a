"""Every column of the views `driver_queue` and `host_queue_full` over rows of what they read: hosts that share devices."""

from collections.abc import Mapping
from typing import Any

import pytest

from .single import ByName, Rows, of_vc, rows_over, shown

HOSTS = ("h1", "h2", "h3", "h4", "h5", "h6", "unread", "unread, with a device", "calm", "open", "unscheduled")


def hosts() -> Rows:
    """The hosts of "vc", and one of the same id in another vCenter."""
    return [
        *({"endpoint": "vc", "host_id": host, "name": f"{host}!", "cluster": "gold"} for host in HOSTS),
        *({"endpoint": "vc-2", "host_id": host, "name": "elsewhere"} for host in ("h1", "unread", "calm")),
    ]


def readings() -> Rows:
    """What was read of them."""
    return [{**{key: row[key] for key in ("endpoint", "host_id")}, **_read_of(row["host_id"])} for row in hosts()]


def _read_of(host: str) -> dict[str, bool]:
    """What was read of a host, by its name."""
    return {"devices_read": not host.startswith("unread"), "device_scheduling_read": host != "unscheduled", "modules_read": True}


def seen(host: str, device: str, driver: str | None, depth: int | None, **more: Any) -> dict[str, Any]:
    """A shared device on a host."""
    return {"endpoint": "vc", "host_id": host, "device": device, "driver": driver, "queue_depth": depth, "is_shared": True, **more}


DEVICES: Rows = [
    # most hosts have 64; the other driver's depth is its own matter
    *(seen(host, "naa.1", "nfnic", 64) for host in ("h1", "h2", "calm")),
    seen("h3", "naa.1", "nfnic", 100),
    seen("h1", "naa.1", "nfnic", 16, endpoint="vc-2"),
    seen("h4", "naa.1", "lpfc", 16),
    # no majority
    seen("h1", "naa.2", "lpfc", 64),
    seen("h2", "naa.2", "lpfc", 30),
    # the deeper one is meant, by what the driver serves or by its own parameter
    seen("h4", "naa.3", "iscsi_vmk", 128),
    *(seen(host, "naa.3", "iscsi_vmk", 32) for host in ("h5", "h6")),
    seen("h1", "naa.4", "fnic", 200),
    *(seen(host, "naa.4", "fnic", 20) for host in ("h2", "h3")),
    # nobody knows a depth, or a driver; not shared; not said to differ
    seen("h5", "naa.5", "nfnic", None),
    seen("h6", "naa.5", None, 8),
    seen("h5", "naa.1", "nfnic", 9, is_shared=False),
    seen("h1", "naa.5", "nfnic", 1),
    seen("h2", "naa.5", "nfnic", 2),
    seen("h1", "naa.6", "nfnic", 1, endpoint="vc-2"),
]
GROUPS: Rows = [
    *of_vc({"host_id": "h1", "driver": "nfnic", "family": "ontap", "devices": 2, "deepest_queue": 64}),
    *of_vc({"host_id": "h1", "driver": "nfnic", "family": None, "devices": 1, "deepest_queue": 70}),
    *of_vc({"host_id": "h1", "driver": "lpfc", "devices": 1, "deepest_queue": 64}, {"host_id": "h1", "driver": "fnic", "devices": 1}),
    *of_vc(*({"host_id": host, "driver": "nfnic", "devices": 1, "deepest_queue": 64} for host in ("h2", "h3", "calm"))),
    *of_vc(*({"host_id": host, "driver": driver, "devices": 1} for host in ("h2", "h4") for driver in ("lpfc", "fnic"))),
    *of_vc(*({"host_id": host, "driver": "iscsi_vmk", "devices": 1} for host in ("h4", "h5", "h6"))),
    *of_vc(
        {"host_id": "h6", "driver": None, "devices": 1, "deepest_queue": 8},
        {"host_id": "unread, with a device", "driver": None, "devices": 2},
        {"host_id": "unread", "driver": "lpfc", "devices": 1},
    ),
    {"endpoint": "vc-2", "host_id": "unread", "driver": None, "devices": 1},
    {"endpoint": "vc-2", "host_id": "h1", "driver": "nfnic", "devices": 5, "deepest_queue": 5},
]


def numbered(devices: Rows, drivers: tuple[str, ...]) -> dict[str, Rows]:
    """The same devices in the encoding of the steps, by numbers of hosts, devices and drivers."""
    places = [(row["endpoint"], row["host_id"]) for row in hosts()]
    names = sorted({row["device"] for row in devices})
    return {
        "step_host_number": [
            {"host_number": number, "endpoint": vcenter, "host_id": host} for number, (vcenter, host) in enumerate(places)
        ],
        "step_device_number": [{"device_number": number, "device": name} for number, name in enumerate(names)],
        "step_driver": [{"driver_number": number, "driver": name} for number, name in enumerate(drivers)],
        "step_device_row": [
            {"host_number": places.index((row["endpoint"], row["host_id"])), "device_number": names.index(row["device"])}
            | {"driver_number": drivers.index(row["driver"]) if row["driver"] else None, "is_shared": row["is_shared"]}
            for row in devices
        ],
    }


def test_a_driver_is_odd_on_a_host_where_its_depth_is_not_that_of_the_others_by_the_same_driver() -> None:
    open_rows = [
        seen("h4", "naa.9", "fnic", 1),
        seen("h4", "naa.10", "fnic", 1),
        seen("h4", "naa.8", "iscsi_vmk", 1, is_shared=False),
        seen("calm", "naa.5", "nfnic", 1),
    ]
    differs = ("naa.1", "naa.2", "naa.3", "naa.4")
    given: dict[str, Rows] = {
        "fact.host": hosts(),
        "step_host_reading": readings(),
        "step_host_group": GROUPS,
        "device": DEVICES,
        "shared_device": [
            *of_vc(
                *({"device": name, "queue_depth_agrees": name not in differs, "queue_depths_known": True} for name in (*differs, "naa.5"))
            ),
            {"endpoint": "vc-2", "device": "naa.6", "queue_depths_known": False},
            *of_vc(
                {"device": "naa.10", "queue_depths_known": False},
                {"device": "naa.9", "queue_depths_known": None},
                {"device": "naa.8", "queue_depths_known": False},
            ),
            {"endpoint": "vc-2", "device": "naa.5", "queue_depths_known": False},
            {"endpoint": "vc-2", "device": "naa.1", "queue_depth_agrees": False, "queue_depths_known": False},
        ],
        "host_module": [
            *of_vc(
                *(
                    {"serves_capped_protocol_endpoints": False, "vvol_endpoints": 0} | row
                    for row in (
                        {"host_id": "h5", "module": "iscsi_vmk", "serves_capped_protocol_endpoints": True},
                        {"host_id": "h1", "module": "fnic", "depth_parameter": "lun_queue_depth_per_path", "vvol_endpoints": 1},
                        {"host_id": "h3", "module": "nfnic", "depth_parameter": "lun_queue_depth_per_path"},
                        {"host_id": "h2", "module": "lpfc", "depth_parameter": "lpfc_lun_queue_depth", "vvol_endpoints": 1},
                        {"host_id": "h3", "module": "lpfc", "serves_capped_protocol_endpoints": True},
                    )
                )
            ),
            {"endpoint": "vc-2", "host_id": "h2", "module": "lpfc", "serves_capped_protocol_endpoints": True},
        ],
        **numbered([*DEVICES, *open_rows], ("nfnic", "lpfc", "iscsi_vmk", "fnic")),
    }
    depths, agrees, odd, names, wanted = "queue_depths", "queue_depth_agrees", "odd_devices", "odd_device_names", "wanted_queue_depths"
    right = {agrees: True, odd: None, names: None, wanted: None}
    expected: ByName = {
        "h1/nfnic": {**right, depths: "70", "devices": 3, "resource_name": "nfnic", "host": "h1!", "cluster": "gold", "driver": "nfnic"},
        "h1/lpfc": {depths: "64", agrees: False, odd: 1, names: "naa.2", wanted: None},
        "h1/fnic": {**right, depths: None},
        "h2/nfnic": {**right, depths: "64", "devices": 1},
        "h2/lpfc": {depths: "30", agrees: False, odd: 1, names: "naa.2", wanted: None},
        "h2/fnic": {depths: "20", agrees: False, odd: 1, names: "naa.4", wanted: "200"},
        "h3/nfnic": {depths: "100", agrees: False, odd: 1, names: "naa.1", wanted: "64"},
        "h4/lpfc": {**right, depths: None},
        "h4/fnic": {agrees: None, odd: None},
        "h4/iscsi_vmk": {**right, depths: None},
        "h5/iscsi_vmk": {depths: "32", agrees: False, odd: 1, names: "naa.3", wanted: "128"},
        "h6/iscsi_vmk": {depths: "32", agrees: False, odd: 1, wanted: "128"},
        "h6/?": {"resource_name": "driver not known", "driver": None, "devices": 1, agrees: None, depths: "8"},
        "calm/nfnic": {**right, depths: "64"},
        "unread/?": {"devices": None, agrees: None, depths: None, "resource_name": "driver not known", "host": "unread!"},
        "unread, with a device/?": {"devices": 2, agrees: None},
        "unread/lpfc": {"devices": 1, agrees: None},
        "vc-2/h1/nfnic": {"devices": 5, depths: "16", agrees: False, odd: 1, wanted: "64", "host": "elsewhere"},
        "vc-2/unread/?": {"devices": 1, agrees: None},
    }
    assert shown(rows_over("driver_queue", given), expected) == expected


Values = tuple[int | None, int | None]
OFF, ON, UNTOLD = (0, 0), (32, 8), (None, None)
LUNS: dict[str, dict[str, Values]] = {
    # LUN of ONTAP: what each host has for it
    "naa.o1": {"h1": ON},
    "naa.o2": {"h1": ON},
    "naa.o3": {"h1": OFF},
    "naa.o4": {"h2": UNTOLD, "unread": ON},
    "naa.o5": {"h3": (32, None)},
    "naa.o6": {"open": (None, 8)},
    "naa.o9": {"h5": OFF, "h6": ON},
}
OTHERS: dict[str, dict[str, Values]] = {
    # device of another array: likewise; naa.x1 has a majority, naa.x2 and the one of no family have none, of the others that is open
    "naa.x1": {"h1": OFF, "h2": OFF, "h3": ON},
    "naa.x2": {"h1": OFF, "h4": ON},
    "naa.n1": {"h5": OFF, "h4": ON},
    "naa.x3": {"h5": OFF, "h6": ON, "calm": (0, None)},
    "naa.x5": {"h2": OFF, "h5": OFF, "h6": ON, "calm": UNTOLD},
    "naa.x6": {"h2": OFF, "calm": OFF},
    "naa.x8": {"h2": OFF, "h3": ON, "h4": ON, "h5": (None, 8), "h6": (0, None)},
    "naa.x9": {"h2": ON, "h3": ON, "h5": (32, 4)},
    "naa.y1": {"h2": ON, "h3": ON, "h6": (16, 8)},
}


Module = dict[str, Any]
FALSE: Module = {"serves_capped_protocol_endpoints": False, "vvol_endpoints": 0}
NOT_READ: Module = {"serves_capped_protocol_endpoints": None, "vvol_endpoints": None}
PER_PATH: Module = {"serves_capped_protocol_endpoints": False, "vvol_endpoints": None, "depth_parameter": "lun_queue_depth_per_path"}


@pytest.mark.parametrize(
    ("depths", "driverless", "module", "expected"),
    [
        pytest.param([64, 64, 100], 0, FALSE, [True, True, (100, 64)], id="most have 64"),
        pytest.param([64, 64, 100], 0, None, [True, True, (100, 64)], id="modules were read, and this one needs no depth"),
        pytest.param([64, 32], 0, FALSE, [(64, None), (32, None)], id="no majority"),
        pytest.param([64, 64, 32, None], 0, FALSE, [True, True, (32, None), ...], id="whatever the one has that does not tell"),
        pytest.param([64, 64, 32, 32, 32], 1, FALSE, [None] * 5, id="most may have 32, by one of no driver"),
        pytest.param([64, 64, 64, 32], 1, FALSE, [True, True, True, (32, None)], id="below the deepest, and never most"),
        pytest.param([64, 64, 100], 1, FALSE, [None, None, None], id="100 where it has to be deep, else 64"),
        pytest.param([64, 64, 100], 0, NOT_READ, [None, None, None], id="nobody knows whether it has to be deep"),
        pytest.param([64, 64, 16], 0, NOT_READ, [True, True, (16, None)], id="likewise, and one is odd either way"),
        pytest.param([64, 16], 0, NOT_READ, [None, (16, None)], id="likewise, and there is no majority"),
        pytest.param([64, 64, 100, 100], 0, NOT_READ, [(64, None), (64, None), None, None], id="half of them the deepest"),
        pytest.param([64, 64, 64, 100, 100], 0, NOT_READ, [None] * 5, id="fewer than half of them the deepest"),
        pytest.param([64, None], 0, NOT_READ, [True, ...], id="one depth, which no other contradicts"),
        pytest.param([64, 64, 100], 0, PER_PATH, [None, None, None], id="virtual volumes were not counted"),
        pytest.param([64, 64, 100], 0, FALSE | {"vvol_endpoints": None}, [True, True, (100, 64)], id="where they do not matter"),
    ],
)
def test_what_is_not_known_of_other_hosts_leaves_open_what_it_may_decide(
    depths: list[int | None], driverless: int, module: Module | None, expected: list[Any]
) -> None:
    """By host: whether it agrees, or its odd depth and the one that is wanted; ...: not looked at."""
    found = shown_of({"naa.1": (depths, driverless)}, module)
    for number, (row, one) in enumerate(zip(found, expected, strict=True), 1):
        if isinstance(one, tuple):
            depth, wanted = one
            odd = (False, 1, "naa.1", str(depth), None if wanted is None else str(wanted))
            assert tuple(row[column] for column in OF_ODD) == odd, number
        elif one is not ...:
            assert (row["queue_depth_agrees"], row["odd_devices"], row["odd_device_names"]) == (one, None, None), number


OF_ODD = ("queue_depth_agrees", "odd_devices", "odd_device_names", "queue_depths", "wanted_queue_depths")


def test_only_what_is_odd_is_named_beside_what_may_be() -> None:
    found = shown_of({"naa.1": ([64, 64, 32], 0), "naa.2": ([64, 64, 100], 1)}, FALSE)
    assert [tuple(row[column] for column in OF_ODD) for row in found] == [
        (None, None, None, "7", None),
        (None, None, None, "7", None),
        (False, 1, "naa.1", "32", "64"),
    ]


def shown_of(devices: Mapping[str, tuple[list[int | None], int]], module: Module | None) -> Rows:
    """The rows of the hosts "h1" and on, whose devices have these depths by one driver, beside hosts whose driver is not known."""
    listed = [seen(f"h{number}", name, "nfnic", depth) for name, (depths, _) in devices.items() for number, depth in enumerate(depths, 1)]
    listed += [seen("h6", name, None, 8) for name, (_, driverless) in devices.items() if driverless]
    places = sorted({row["host_id"] for row in listed if row["driver"]})
    given: dict[str, Rows] = {
        "fact.host": hosts(),
        "step_host_reading": readings(),
        "step_host_group": of_vc(*({"host_id": host, "driver": "nfnic", "devices": 1, "deepest_queue": 7} for host in places)),
        "device": listed,
        "shared_device": of_vc(*({"device": name, "queue_depth_agrees": False, "queue_depths_known": True} for name in devices)),
        "host_module": [] if module is None else of_vc({"host_id": "h1", "module": "nfnic", **module}),
        **numbered(listed, ("nfnic",)),
    }
    found = {row["host_id"]: row for row in rows_over("driver_queue", given) if row["driver"]}
    return [found[host] for host in places]


Shipped = tuple[int, str | None, bool]
OLD, NEW = (30, "12.8", False), (32, "14.2", False)


@pytest.mark.parametrize(
    ("driver", "hosts_of", "odd"),
    [
        pytest.param("lpfc", [OLD, NEW, NEW], None, id="each version its own depth"),
        pytest.param("lpfc820", [OLD, NEW, NEW], None, id="by its older name"),
        pytest.param("nfnic", [OLD, NEW, NEW], ("30", "32"), id="another driver"),
        pytest.param("lpfc", [(30, "12.8", True), NEW, NEW], ("30", "32"), id="somebody set it"),
        pytest.param("lpfc", [(30, "14.2", False), NEW, NEW], ("30", "32"), id="one version, two depths"),
        pytest.param("lpfc", [(30, None, False), NEW, NEW], ("30", "32"), id="a version that is not known"),
        pytest.param("lpfc", [(64, "12.8", False), NEW, NEW], ("64", "32"), id="a depth that no version brings"),
    ],
)
def test_a_depth_that_a_version_of_emulexs_driver_brings_is_not_odd(
    driver: str, hosts_of: list[Shipped], odd: tuple[str, str] | None
) -> None:
    """Beside it a device whose depths no version brings, and devices by another driver: they differ, and stay odd."""
    places = [f"h{number}" for number in range(1, len(hosts_of) + 1)]
    depths = {"h1": 8, "h2": 64, "h3": 64}
    listed = [
        *(seen(host, "naa.1", driver, depth) for host, (depth, _, _) in zip(places, hosts_of, strict=True)),
        *(seen(host, name, by, depth) for host, depth in depths.items() for name, by in (("naa.1", "fnic"), ("naa.2", driver))),
        *(seen(host, name, "fnic", depth) for host, depth in depths.items() for name in ("naa.2", "naa.3")),
    ]
    modules = [
        {"host_id": host, "module": driver, "driver_version": version, "depth_is_configured": is_set, **FALSE}
        for host, (_, version, is_set) in zip(places, hosts_of, strict=True)
    ]
    given: dict[str, Rows] = {
        "fact.host": hosts(),
        "step_host_reading": readings(),
        "step_host_group": of_vc(*({"host_id": host, "driver": by, "devices": 1} for host in places for by in (driver, "fnic"))),
        "device": listed,
        "shared_device": of_vc(
            *({"device": name, "queue_depth_agrees": False, "queue_depths_known": True} for name in ("naa.1", "naa.2", "naa.3"))
        ),
        "host_module": of_vc(*modules),
        **numbered(listed, (driver, "fnic")),
    }
    found = {(row["host_id"], row["driver"]): row for row in rows_over("driver_queue", given)}
    assert tuple(found["h1", "fnic"][column] for column in OF_ODD) == (False, 3, "naa.1, naa.2, naa.3", "8", "64")
    own = found["h1", driver]
    names, shown_depths = ("naa.2", "8") if odd is None else ("naa.1, naa.2", ", ".join(sorted(("8", odd[0]))))
    assert (own["odd_devices"], own["odd_device_names"]) == (1 if odd is None else 2, names)
    assert sorted(own["queue_depths"].split(", ")) == sorted(shown_depths.split(", "))
    assert sorted(own["wanted_queue_depths"].split(", ")) == sorted(["64", *([] if odd is None else [odd[1]])])
    assert [found[host, driver]["queue_depth_agrees"] for host in places[1:]] == [True, True]


def queue_full() -> dict[str, Rows]:
    """Hosts by the adaptive queue depth of the LUNs of ONTAP that they see, and of other devices, and whether these agree."""
    reported = [
        {"endpoint": "vc", "host_id": host, "device": device, "sample_size": values[0], "threshold": values[1]}
        for devices in (LUNS, OTHERS)
        for device, of_hosts in devices.items()
        for host, values in of_hosts.items()
    ]
    reported += of_vc({"host_id": "h1", "device": "naa.pe", "sample_size": 1, "threshold": 1})
    reported.append({"endpoint": "vc-2", "host_id": "h1", "device": "naa.o1", "sample_size": 16, "threshold": 4})
    groups: dict[str, dict[str | None, int]] = {
        "h1": {"ontap": 3, "flasharray": 2, "solidfire": 1},
        "h2": {"ontap": 1, None: 1},
        "h4": {"flasharray": 2, None: 1},
        "h5": {"ontap": 4},
        "h6": {"ontap": 1},
        "unread, with a device": {"flasharray": 1},
        "open": {"flasharray": 1},
    }
    known = {"queue_full_known": True, "queue_full_agrees": True}
    rows = [
        seen("calm", "naa.x6", None, None),
        seen("calm", "naa.x6", None, None, endpoint="vc-2"),
        seen("open", "naa.x7", None, None),
        seen("open", "naa.z7", None, None),
        seen("h5", "naa.o9", None, None),
        seen("calm", "naa.pe", None, None),
    ]
    return {
        "fact.host": hosts(),
        "step_host_reading": readings(),
        "step_host_group": [
            *of_vc(
                *(
                    {"host_id": host, "family": family, "devices": count}
                    for host, several in groups.items()
                    for family, count in several.items()
                )
            ),
            {"endpoint": "vc-2", "host_id": "h1", "family": "ontap", "devices": 1},
        ],
        "shared_device": [
            *of_vc(
                *(
                    {"device": name, "family": "ontap", "is_protocol_endpoint": False, **known, "queue_full_agrees": name != "naa.o9"}
                    for name in LUNS
                )
            ),
            *of_vc({"device": "naa.pe", "family": "ontap", "is_protocol_endpoint": True, "queue_full_known": False}),
            *of_vc(
                *(
                    {"device": name, "family": None if name == "naa.n1" else "flasharray", "is_protocol_endpoint": False}
                    | {**known, "queue_full_agrees": name == "naa.x6"}
                    for name in OTHERS
                )
            ),
            *of_vc(*({"device": name, "family": "flasharray", "queue_full_known": None} for name in ("naa.x7", "naa.z7"))),
            {"endpoint": "vc-2", "device": "naa.o1", "family": "ontap", "is_protocol_endpoint": False, **known},
            {"endpoint": "vc-2", "device": "naa.x1", "family": "flasharray", **known, "queue_full_agrees": False},
            {"endpoint": "vc-2", "device": "naa.x6", "family": "flasharray", "queue_full_known": False},
        ],
        "step_queue_full_row": reported,
        "fact.device_scheduling": [
            *of_vc(set_of("h1", "naa.o1", 32, 8), set_of("h1", "naa.o2", 32, 8), set_of("h1", "naa.o3", 0, 0)),
            *of_vc(set_of("h1", "naa.x1", 64, 8), set_of("h1", "naa.pe", 16, 8), set_of("h1", "naa.unheard", 16, 8)),
            *of_vc(set_of("h2", "naa.o4", None, 8), set_of("h2", "naa.o1", 32, 8), set_of("h5", "naa.o5", 0, 8)),
            {"endpoint": "vc-2", **set_of("h1", "naa.o1", 16, None)},
        ],
        "step_queue_full": [
            {"device": device, "sample_size": values[0], "threshold": values[1], "hosts": list(of_hosts.values()).count(values)}
            for devices in (LUNS, OTHERS)
            for device, of_hosts in devices.items()
            for values in dict.fromkeys(of_hosts.values())
        ],
        **numbered(rows, ()),
    }


def set_of(host: str, device: str, sample_size: int | None, threshold: int | None) -> dict[str, Any]:
    return {"host_id": host, "device": device, "queue_full_sample_size": sample_size, "queue_full_threshold": threshold}


def test_the_adaptive_queue_depth_of_a_host_is_told_of_its_own_luns_and_held_against_the_other_hosts() -> None:
    luns, seen_values, counts, names = "ontap_devices", "ontap_values", "ontap_value_counts", "ontap_device_names"
    own, listed = "ontap_own_values", "ontap_device_list"
    known, others, agrees = "all_are_known", "other_devices", "agrees_with_others"

    def odd(devices: int | None, named: str | None, values: str | None, wanted: str | None = None) -> dict[str, Any]:
        return {
            agrees: not devices,
            "odd_devices": devices,
            "odd_device_names": named,
            "odd_values": values,
            "majority_values": wanted,
        }

    expected: ByName = {
        "h1": {own: "32/8, as the host", listed: "naa.o1 naa.o2 naa.o3"}
        | {luns: 3, seen_values: "0/0, 32/8", counts: "0/0 on 1, 32/8 on 2", names: "naa.o3; naa.o1, naa.o2", known: True, others: 3}
        | {**odd(1, "naa.x2", "0/0"), "resource_name": "h1!", "cluster": "gold"},
        "h2": {own: None, listed: "naa.o1 naa.o4"}
        | {luns: 1, seen_values: None, counts: None, names: "naa.o4", known: None, others: None, **odd(None, None, None)},
        "h3": {luns: 1, seen_values: None, known: None, others: 0, **odd(1, "naa.x1", "32/8", "0/0")},
        "h4": {luns: None, seen_values: None, known: None, others: 2, **odd(2, "naa.n1, naa.x2", "32/8")},
        "h5": {
            own: "as the host",
            listed: "naa.o5",
            luns: 1,
            seen_values: "0/0",
            known: True,
            others: 0,
            **odd(2, "naa.n1, naa.x9", "0/0, 32/4", "32/8"),
        },
        "h6": {luns: 1, seen_values: "32/8", known: True, others: 0, **odd(2, "naa.x5, naa.y1", "16/8, 32/8", "32/8")},
        "unread": {luns: 1, seen_values: "32/8", known: None, others: None, agrees: None, "odd_devices": None},
        "unread, with a device": {luns: None, known: None, others: 1, agrees: None},
        "calm": {own: None, listed: None, luns: 0, known: True, others: 0, names: None, **odd(None, None, None)},
        "open": {luns: 1, seen_values: None, known: None, others: 1, agrees: None, "odd_devices": None},
        "unscheduled": {luns: None, known: None, others: 0, agrees: None},
        "vc-2/calm": {agrees: None, luns: 0},
        "vc-2/unread": {agrees: None, luns: None},
        "vc-2/h1": {own: "16/?", luns: 1, seen_values: "16/4", known: True, others: 0, agrees: True, "resource_name": "elsewhere"},
    }
    assert shown(rows_over("host_queue_full", queue_full()), expected) == expected
