"""Every column of the view `device_queue` over rows of what it reads: what waits in a queue, and what is not known of it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from auditor.facts.catalog import needs_of_columns, view_columns
from tests.facts.elsewhere import with_namesakes
from tests.facts.numbered import with_numbers
from tests.facts.single import ByName, Rows, chained, of_vc, shown

ENDED = datetime(2026, 11, 21, 12, tzinfo=UTC)
BEGUN = ENDED - timedelta(minutes=5)


def device(name: str, host: str = "h1", **more: Any) -> dict[str, Any]:
    cells = {
        "resource_id": f"{host}/{name}",
        "resource_name": name,
        "cluster": "gold",
        "host": f"{host}!",
        "host_id": host,
        "device": name,
        "is_shared": True,
        "is_protocol_endpoint": False,
        "queue_depth": 64,
        "dsnro": 32,
        "volume_id": name,
        "driver": "nfnic",
    }
    return {"endpoint": "vc", **cells, **more}


def load(name: str, host: str = "h1", **more: Any) -> dict[str, Any]:
    cells = {
        "samples": 5,
        "window_begin": BEGUN,
        "sampled_at": ENDED,
        "commands_per_second": 1000.0,
        "davg_ms": 2.0,
        "kavg_ms": 3.0,
        "gavg_ms": 5.0,
        "qavg_ms": 1.0,
        "max_queue_depth": 30,
    }
    return {"endpoint": "vc", "host_id": host, "device": name, **cells, **more}


def stream(name: str | None, host: str = "h1", **more: Any) -> dict[str, Any]:
    cells = {
        "runs": True,
        "commands_per_second": 10.0,
        "outstanding": 16.0,
        "driver": "nfnic",
        "datastore_id": "s",
        "datastore_type": "VMFS",
    }
    return {"endpoint": "vc", "host_id": host, "device": name, **cells, **more}


def queues(devices: Rows, loads: Rows, streams: Rows, **more: Rows) -> Rows:
    hosts = {row["host_id"] for row in devices}
    tables: dict[str, Rows] = {
        "device": devices,
        "fact.device_load": loads,
        "disk_stream": streams,
        "step_load_reading": of_vc(
            *({"scope": host, "topic": "device_load", "read_at": ENDED} for host in sorted(hosts)),
            {"scope": "h1", "topic": "disk_load", "read_at": ENDED + timedelta(days=1)},
        ),
        "step_endpoint_reading": of_vc({"vms_read": True, "datastores_read": True}),
        "step_host_reading": of_vc(*({"host_id": host} for host in sorted(hosts))),
        **more,
    }
    tables = with_namesakes(tables)
    if "step_array_device" not in more:
        tables["step_array_device"] = [{"device": name, "array_endpoint": "east"} for name in {row["device"] for row in devices}]
    steps = (
        "step_load_figures",
        "step_load",
        "step_device_load",
        "step_path_row",
        "step_path",
        "step_path_of_set",
        "step_queue",
        "step_limited_disk",
    )
    return [row for row in chained("device_queue", with_numbers(tables), *steps) if row["endpoint"] == "vc"]


NOT_COUNTED = dict.fromkeys(
    ("samples", "window_begin", "sampled_at", "commands_per_second", "davg_ms", "kavg_ms", "gavg_ms", "qavg_ms", "windows_overlap")
)
FIGURES = ("active", "active_at_most", "queued", "queued_at_most")
NOTHING_WAITS = {"queue_basis": None, "active": None, "queued": None, "active_at_most": None, "queued_at_most": None, "is_full": None}


@pytest.mark.parametrize(
    ("disk", "is_full"),
    [
        pytest.param({}, True, id="without a limit"),
        pytest.param({"iops_limit": 10}, None, id="at its limit"),
        pytest.param({"iops_limit": 40, "policy_iops_limit": 10}, None, id="at the limit of its policy"),
        pytest.param({"iops_limit": 40, "io_bytes": 131_072.0}, None, id="at its limit, as a large command counts four times"),
        pytest.param({"iops_limit": 40, "io_bytes": 4096.0}, True, id="far below its limit"),
        pytest.param({"iops_limit": 40}, True, id="below its limit, whatever the size"),
        pytest.param({"iops_limit": 100, "commands_per_second": None}, None, id="it was not counted what it does"),
    ],
)
def test_what_waits_may_wait_for_a_limit_of_vsphere_and_not_for_a_place(disk: dict[str, Any], is_full: bool | None) -> None:
    given = {"resource_name": "vm-1 disk", "io_bytes": 8192.0, **disk}
    [row] = queues([device("naa.1")], [load("naa.1")], [stream("naa.1", outstanding=64.0, **given)])
    limits = [disk[name] for name in ("iops_limit", "policy_iops_limit") if name in disk]
    assert (row["is_full"], row["limited_disks"]) == (is_full, f"vm-1 disk: {min(limits)} IOPS" if limits else None)
    [row] = queues([device("naa.1")], [load("naa.1")], [stream("naa.1", outstanding=30.0, **given)])
    assert row["is_full"] is False, "all places were never taken"


@pytest.mark.parametrize(
    ("figures", "sent", "expected"),
    [
        # 64 commands are sent to 30 places: 34 wait, for the limit or for a place.
        pytest.param({"qavg_ms": 0.0}, 64.0, ("disks", None), id="as counted by its disks, whatever the queue's latency"),
        # By Little's law 500 commands a second that wait less than a millisecond are half a command.
        pytest.param(
            {"commands_per_second": 500.0, "kavg_ms": 0.0, "qavg_ms": 0.0}, None, ("littles-law", False), id="less than one can wait"
        ),
        pytest.param(
            {"commands_per_second": 1000.0, "kavg_ms": 3.0, "qavg_ms": 1.0}, None, ("littles-law", None), id="one waits, for either"
        ),
        # 100 commands a second, of 2 ms at most, are 0.2 of a command.
        pytest.param(
            {"commands_per_second": 100.0, "kavg_ms": 1.0, "qavg_ms": 1.0},
            None,
            ("littles-law", False),
            id="a few commands wait, none at a time",
        ),
    ],
)
def test_a_limited_disk_hides_only_a_queue_in_which_something_waits(
    figures: dict[str, Any], sent: float | None, expected: tuple[str, bool | None]
) -> None:
    limited = stream("d", outstanding=sent, resource_name="vm-1 disk", io_bytes=8192.0, iops_limit=10)
    (found,) = queues([device("d")], [load("d", **figures)], [limited])
    assert (found["queue_basis"], found["is_full"]) == expected


def test_a_device_of_no_array_has_a_queue_as_deep_as_its_counter_shows_at_most() -> None:
    (found,) = queues([device("d")], [load("d", max_queue_depth=64)], [stream("d")], step_array_device=[])
    assert (found["depth_in_effect"], found["array_latency_ms"]) == (64, None), "the counter shows as many as the device has"


@pytest.mark.parametrize(("other", "least"), [(512, 512), (None, None)])
def test_the_least_depth_of_its_adapters_is_known_where_that_of_each_is(other: int | None, least: int | None) -> None:
    paths = of_vc(*({"host_id": "h1", "device": "d", "hba": hba} for hba in ("vmhba1", "vmhba2")))
    depths = of_vc(*({"host_id": "h1", "hba": hba, "queue_depth": depth} for hba, depth in (("vmhba1", 1024), ("vmhba2", other))))
    (found,) = queues([device("d")], [load("d")], [stream("d")], **{"fact.path": paths, "fact.adapter_load": depths})
    assert (found["adapter"], found["adapter_queue_depth"]) == ("vmhba1, vmhba2", least)


def test_a_device_has_its_queue_and_only_those_that_carry_load_are_there() -> None:
    devices = [
        device("naa.1", family="flasharray", volume="v1", array_name="east", qos_capped=False, device_type="disk", is_namespace=False),
        device("naa.1", "h2"),
        device("idle"),
        device("not counted"),
        device("few"),
        device("old"),
        device("young"),
        device("local", is_shared=False),
        device("may be local", is_shared=None),
        device("local and not counted", is_shared=False),
        device("local and idle", is_shared=False),
    ]
    loads = [
        load("naa.1"),
        load("naa.1", "h2", max_queue_depth=8),
        load("idle", commands_per_second=0.0),
        load("few", samples=4),
        load("old", sampled_at=ENDED - timedelta(seconds=901)),
        load("young", sampled_at=ENDED - timedelta(seconds=900)),
        load("local"),
        load("may be local"),
        load("local and idle", commands_per_second=0.0),
    ]
    streams = [stream("naa.1"), stream("naa.1", outstanding=20.0), stream("naa.1", "h2", outstanding=8.0), stream("idle", outstanding=0.0)]
    paths = [{"host_id": "h1", "device": "naa.1", "hba": hba} for hba in ("vmhba2", "vmhba1", "vmhba2")]
    also = [
        {"host_id": "h2", "device": "naa.1", "hba": "vmhba2"},
        {"host_id": "h1", "device": "young", "hba": "vmhba9"},
        {"host_id": "h1", "device": "idle", "hba": "vmhba1"},
    ]
    adapters = [("h1", "vmhba1", 1024), ("h1", "vmhba2", 512), ("h2", "vmhba2", 256), ("h1", "vmhba9", None)]
    found = queues(
        devices,
        loads,
        streams,
        **{
            "fact.path": of_vc(*paths, *also),
            "fact.adapter_load": of_vc(*({"host_id": host, "hba": hba, "queue_depth": depth} for host, hba, depth in adapters)),
            "step_device_sioc": of_vc({"device": "naa.1", "sioc_enabled": True}, {"device": "few"}),
            "fact.datastore_extent": of_vc({"datastore_id": "s", "device": "naa.1"}, {"datastore_id": "t", "device": "naa.1"}),
            "fact.datastore_load": of_vc(
                {"datastore_id": "s", "host_id": "h1", "sioc_active_percent": 30.0},
                {"datastore_id": "t", "host_id": "h1", "sioc_active_percent": 40.0},
                {"datastore_id": "elsewhere", "host_id": "h1", "sioc_active_percent": 90.0},
                {"datastore_id": "s", "host_id": "h2", "sioc_active_percent": 50.0},
            ),
            "step_volume_load": [
                {"endpoint": "east", "volume_id": "naa.1", "latency_ms": 0.5, "iops": 70, "is_at_limit": False, "read_at": ENDED},
                {"endpoint": "east", "volume_id": "young", "latency_ms": 0.5, "read_at": BEGUN - timedelta(seconds=61)},
                {"endpoint": "west", "volume_id": "naa.1", "latency_ms": 9.5},
            ],
        },
    )
    expected: ByName = {
        "h1/naa.1": {
            "resource_name": "naa.1",
            "cluster": "gold",
            "host": "h1!",
            "host_id": "h1",
            "device": "naa.1",
            "device_type": "disk",
            "is_shared": True,
            "is_protocol_endpoint": False,
            "is_namespace": False,
            "family": "flasharray",
            "driver": "nfnic",
            "array_name": "east",
            "volume": "v1",
            "volume_id": "naa.1",
            "qos_capped": False,
            "queue_depth": 64,
            "dsnro": 32,
            "depth_in_effect": 30,
            "depth_basis": "counter",
            "sioc_enabled": True,
            "sioc_active_percent": 40.0,
            "worlds": 2,
            "worlds_at_least": 2,
            "outstanding": 36.0,
            "samples": 5,
            "window_begin": BEGUN,
            "sampled_at": ENDED,
            "commands_per_second": 1000.0,
            "davg_ms": 2.0,
            "kavg_ms": 3.0,
            "gavg_ms": 5.0,
            "qavg_ms": 1.0,
            "queue_basis": "disks",
            "active": 30.0,
            "active_at_most": 30.0,
            "queued": 6.0,
            "queued_at_most": 6.0,
            "is_full": True,
            "adapter": "vmhba1, vmhba2",
            "adapter_queue_depth": 512,
            "array_latency_ms": 0.5,
            "array_latency_in_window_ms": 0.5,
            "array_iops": 70,
            "is_at_limit": False,
            "array_read_at": ENDED,
            "windows_overlap": True,
        },
        "h2/naa.1": {
            "host": "h2!",
            "depth_in_effect": 8,
            "worlds": 1,
            "outstanding": 8.0,
            "active": 8.0,
            "active_at_most": 8.0,
            "queued": 0.0,
            "queued_at_most": 0.0,
            "is_full": False,
            "sioc_active_percent": 50.0,
            "adapter": "vmhba2",
            "adapter_queue_depth": 256,
        },
        "h1/not counted": {**NOT_COUNTED, **NOTHING_WAITS, "queue_depth": 64, "outstanding": 0.0, "adapter": None, "sioc_enabled": False},
        "h1/few": {**NOT_COUNTED, "depth_in_effect": None, "depth_basis": None, "sioc_enabled": None},
        "h1/old": NOT_COUNTED,
        "h1/young": {
            "samples": 5,
            "adapter": "vmhba9",
            "adapter_queue_depth": None,
            "windows_overlap": False,
            "array_latency_in_window_ms": None,
        },
        "h1/local": {"is_shared": False, "commands_per_second": 1000.0, "depth_in_effect": 30, "is_full": True},
        "h1/local and not counted": {
            **NOT_COUNTED,
            **NOTHING_WAITS,
            "is_shared": False,
            "queue_depth": 64,
            "outstanding": 0.0,
            "adapter": None,
        }
        | {"sioc_enabled": False, "queue_basis": "disks", **dict.fromkeys(FIGURES, 0.0), "is_full": False},
        "h1/may be local": {"is_shared": None},
    }
    expected["h1/not counted"] |= {"depth_in_effect": 64, "depth_basis": "settings", "queue_basis": "disks", **dict.fromkeys(FIGURES, 0.0)}
    expected["h1/not counted"] |= {"is_full": False}
    assert shown(found, expected) == expected


@pytest.mark.parametrize(
    ("streams", "more", "expected"),
    [
        pytest.param([stream("d")], {}, (1, 1, 16.0, "disks"), id="all are known"),
        pytest.param([stream("d"), stream("d", outstanding=0.0, commands_per_second=0.0)], {}, (1, 1, 16.0, "disks"), id="one idles"),
        pytest.param([stream("d", outstanding=0.0), stream("d", commands_per_second=0.0)], {}, (2, 2, 16.0, "disks"), id="both send"),
        pytest.param(
            [stream("d"), stream("d", outstanding=0.5, commands_per_second=0.0)], {}, (2, 2, 16.5, "disks"), id="one has half a command"
        ),
        pytest.param(
            [stream("d"), stream("d", outstanding=0.0, commands_per_second=0.5)],
            {},
            (2, 2, 16.0, "disks"),
            id="one sends every other second",
        ),
        pytest.param([stream("d"), stream("d", outstanding=None)], {}, (None, 2, None, "littles-law"), id="what one has is not known"),
        pytest.param([stream("d"), stream("d", runs=None)], {}, (None, 1, None, "littles-law"), id="one may run"),
        pytest.param([stream("d"), stream(None)], {}, (None, 1, None, "littles-law"), id="one lies on this device, or the next"),
        pytest.param([stream("d"), stream(None, datastore_id="t")], {}, (1, 1, 16.0, "disks"), id="one lies elsewhere"),
        pytest.param([stream("d"), stream(None, "h2")], {}, (1, 1, 16.0, "disks"), id="one is another host's"),
        pytest.param(
            [stream("d"), stream(None, datastore_id="v", datastore_type="VVOL")],
            {"fact.vvol_mount": of_vc({"host_id": "h1", "datastore_id": "v", "device": "d"})},
            (None, 1, None, "littles-law"),
            id="a virtual volume is behind this endpoint, or the next",
        ),
        pytest.param(
            [stream("d"), stream(None, datastore_id="v", datastore_type="VVOL")],
            {
                "fact.vvol_mount": of_vc(
                    {"host_id": "h2", "datastore_id": "v", "device": "d"}, {"host_id": "h1", "datastore_id": "w", "device": "d"}
                )
            },
            (1, 1, 16.0, "disks"),
            id="it is behind another host's",
        ),
        pytest.param([stream("d"), stream(None, rdm_mode="virtualMode")], {}, (None, 1, None, "littles-law"), id="one maps no known LUN"),
        pytest.param(
            [stream("d"), stream(None, datastore_id=None, datastore_type=None)], {}, (None, 1, None, "littles-law"), id="one is anywhere"
        ),
        pytest.param([stream("d"), stream("e", datastore_type=None)], {}, (1, 1, 16.0, "disks"), id="one is known to be elsewhere"),
        pytest.param([stream("d"), stream("e", rdm_mode="virtualMode")], {}, (1, 1, 16.0, "disks"), id="one maps another"),
        pytest.param(
            [], {"step_endpoint_reading": of_vc({"vms_read": False})}, (None, 0, None, "littles-law"), id="machines were not read"
        ),
        pytest.param([], {"step_endpoint_reading": []}, (None, 0, None, "littles-law"), id="nothing was read"),
        pytest.param(
            [stream("d", driver="iscsi_vmk", io_bytes=8192.0, largest_io_bytes=8192)], {}, (1, 1, 16.0, "disks"), id="as large as may be"
        ),
        pytest.param(
            [stream("d", driver="iscsi_vmk", io_bytes=8193.0, largest_io_bytes=8192)], {}, (1, 1, 16.0, "littles-law"), id="split"
        ),
        pytest.param([stream("d", driver="iscsi_vmk", outstanding=1.0)], {}, (1, 1, 1.0, "littles-law"), id="one command may be split"),
        pytest.param([stream("d", driver="iscsi_vmk")], {}, (1, 1, 16.0, "littles-law"), id="may be split"),
        pytest.param(
            [stream("d", driver="iscsi_vmk", outstanding=0.0), stream("d")], {}, (2, 2, 16.0, "disks"), id="too little to be split"
        ),
    ],
)
def test_what_machines_send_counts_where_all_of_it_is_known(streams: Rows, more: dict[str, Rows], expected: tuple[Any, ...]) -> None:
    extents = of_vc({"datastore_id": "s", "device": "d"}, {"datastore_id": "s", "device": "e"})
    (found,) = queues([device("d")], [load("d")], streams, **{"fact.datastore_extent": extents, **more})
    assert (found["worlds"], found["worlds_at_least"], found["outstanding"], found["queue_basis"]) == expected
    if expected[-1] == "littles-law":
        assert [*(found[name] for name in FIGURES), found["is_full"]] == [2.0, 3.0, 3.0, 4.0, True]


@pytest.mark.parametrize(
    ("commands", "latency", "basis"),
    [
        pytest.param(4250.0, 5.0, "disks", id="17 under way, and one is in the rounding"),
        pytest.param(4251.0, 5.0, "littles-law", id="more than 17"),
        pytest.param(None, 5.0, "disks", id="the device's own are not reported"),
        pytest.param(None, None, "disks", id="nor how long they take"),
        pytest.param(4250.0, None, None, id="it sends, and how long its commands take is not reported: it may be either"),
    ],
)
def test_disks_do_not_count_alone_where_the_device_shows_more_than_theirs(
    commands: float | None, latency: float | None, basis: str | None
) -> None:
    # 16 of one disk. By the device's counters its commands take 5 ms, which may be 4: 4,250 a second are 17.
    (found,) = queues([device("d")], [load("d", commands_per_second=commands, gavg_ms=latency)], [stream("d")])
    assert found["queue_basis"] == basis
    assert (found["is_full"] is None) is (basis is None)


@pytest.mark.parametrize(
    ("machine", "known"),
    [
        pytest.param({"host_id": "h1", "disks_read": True, "runs": True}, True, id="its disks were read"),
        pytest.param({"host_id": "h1", "disks_read": False, "runs": True}, False, id="its disks were not read"),
        pytest.param({"host_id": "h1", "disks_read": None, "runs": None}, False, id="nor whether it runs"),
        pytest.param({"host_id": "h1", "disks_read": False, "runs": False}, True, id="it does not run"),
        pytest.param({"host_id": "h2", "disks_read": False, "runs": True}, True, id="it runs elsewhere"),
        pytest.param({"host_id": None, "disks_read": True, "runs": True}, False, id="it may run here"),
    ],
)
def test_a_machine_that_was_not_read_may_send_to_any_device(machine: dict[str, Any], *, known: bool) -> None:
    vm = {"endpoint": "vc", "vm_id": "vm"} | machine
    unread_elsewhere = {"endpoint": "vc-2", "vm_id": "vm", "host_id": "h1", "disks_read": False}
    more = {
        "fact.vm": [{key: value for key, value in vm.items() if key != "runs"}, unread_elsewhere],
        "step_guest": [
            {"endpoint": "vc", "vm_id": "vm", "runs": machine["runs"]},
            {"endpoint": "vc", "vm_id": "other", "runs": True},
            {"endpoint": "vc-2", "vm_id": "vm", "runs": True},
        ],
    }
    (found,) = queues([device("d")], [load("d")], [stream("d")], **more)
    assert (found["worlds"] is not None) is known


@pytest.mark.parametrize(
    ("given", "sent", "sioc", "expected"),
    [
        pytest.param({}, (16.0,), False, (64, "settings"), id="one disk alone: its own depth"),
        pytest.param({}, (16.0, 1.0), False, (32, "settings"), id="two compete: DSNRO"),
        pytest.param({"dsnro": None}, (16.0, 1.0), False, (None, None), id="two compete, and DSNRO is not known"),
        pytest.param({}, (16.0, None), False, (None, None), id="two may compete"),
        pytest.param({"dsnro": 64}, (16.0, None), False, (64, "settings"), id="two may, and it is all the same"),
        pytest.param({"is_namespace": True}, (16.0, 1.0), False, (64, "settings"), id="a namespace has no DSNRO"),
        pytest.param({"queue_depth": 31}, (16.0, 1.0), False, (31, "settings"), id="two compete for less than DSNRO"),
        pytest.param({"queue_depth": None}, (16.0, 1.0), False, (None, None), id="the depth is not known"),
        pytest.param({}, (16.0,), True, (None, None), id="Storage I/O Control sets it"),
        pytest.param({}, (16.0,), None, (None, None), id="it may"),
        pytest.param({"is_protocol_endpoint": True}, (16.0,), True, (64, "settings"), id="of a protocol endpoint it does not"),
    ],
)
def test_without_its_counter_the_depth_follows_from_the_settings(
    given: dict[str, Any], sent: tuple[float | None, ...], sioc: bool | None, expected: tuple[Any, ...]
) -> None:
    streams = [stream("d", outstanding=one, commands_per_second=one) for one in sent]
    (found,) = queues(
        [device("d", **given)],
        [load("d", max_queue_depth=None, kavg_ms=None)],
        streams,
        step_device_sioc=of_vc({"device": "d", "sioc_enabled": sioc}),
    )
    assert (found["depth_in_effect"], found["depth_basis"]) == expected
    assert found["queue_basis"] == ("disks" if expected[0] and None not in sent else None)


def test_a_namespace_or_a_protocol_endpoint_has_as_many_places_as_its_counter_shows() -> None:
    (disk,) = queues([device("d")], [load("d", max_queue_depth=65)], [stream("d")])
    (namespace,) = queues([device("d", is_namespace=True)], [load("d", max_queue_depth=65)], [stream("d")])
    (endpoint,) = queues([device("d", is_protocol_endpoint=True)], [load("d", max_queue_depth=65)], [stream("d")])
    assert [row["depth_in_effect"] for row in (disk, namespace, endpoint)] == [None, 65, 65]


@pytest.mark.parametrize(
    ("read_at", "latency"),
    [
        pytest.param(BEGUN - timedelta(seconds=61), None, id="too early"),
        pytest.param(BEGUN - timedelta(seconds=60), 0.5, id="a minute before"),
        pytest.param(ENDED + timedelta(seconds=60), 0.5, id="a minute after"),
        pytest.param(ENDED + timedelta(seconds=61), None, id="too late"),
    ],
)
def test_an_arrays_latency_is_of_the_window_up_to_a_minute_beside_it(read_at: datetime, latency: float | None) -> None:
    volume = {"endpoint": "east", "volume_id": "d", "latency_ms": 0.5, "iops": 10, "read_at": read_at}
    (found,) = queues([device("d")], [load("d")], [stream("d")], step_volume_load=[volume])
    assert (found["array_latency_in_window_ms"], found["windows_overlap"]) == (latency, latency is not None)


@pytest.mark.parametrize(("iops", "latency"), [(9, None), (10, 6e8), (None, None)], ids=["few", "enough", "not known"])
def test_an_arrays_latency_of_very_few_commands_is_no_measure(iops: int | None, latency: float | None) -> None:
    """NetApp/harvest#2597: 600,000 s at a handful of commands would show any array as the slow one, and pass a full queue."""
    volume = {"endpoint": "east", "volume_id": "d", "latency_ms": 6e8, "iops": iops, "read_at": ENDED}
    (found,) = queues([device("d")], [load("d")], [stream("d")], step_volume_load=[volume])
    assert (found["array_latency_in_window_ms"], found["windows_overlap"]) == (latency, True)


def test_no_datastore_is_under_control_only_where_all_were_read() -> None:
    for read, expected in ((True, False), (False, None)):
        (found,) = queues([device("d")], [load("d")], [], step_endpoint_reading=of_vc({"vms_read": True, "datastores_read": read}))
        assert found["sioc_enabled"] is expected


@pytest.mark.parametrize(
    ("figures", "is_full"),
    [
        pytest.param({"commands_per_second": 1000.0, "kavg_ms": 3.0, "qavg_ms": 1.0}, True, id="one command waits a millisecond"),
        pytest.param({"commands_per_second": 500.0, "kavg_ms": 3.0, "qavg_ms": 2.0}, True, id="half of them for two"),
        pytest.param({"commands_per_second": 999.0, "kavg_ms": 3.0, "qavg_ms": 1.0}, None, id="less than one command waits, as counted"),
        pytest.param({"commands_per_second": 5000.0, "kavg_ms": 0.5, "qavg_ms": 0.5}, None, id="less than a millisecond"),
        pytest.param({"commands_per_second": 5000.0, "kavg_ms": 3.0, "qavg_ms": None}, None, id="how much of it is the queue is not known"),
        pytest.param({"commands_per_second": 999.0, "kavg_ms": 0.0, "qavg_ms": 0.0}, False, id="a millisecond more would be less than one"),
        pytest.param({"commands_per_second": 1000.0, "kavg_ms": 0.0, "qavg_ms": 0.0}, None, id="a millisecond more would be one"),
    ],
)
def test_by_littles_law_less_than_a_millisecond_cannot_be_told_from_none(figures: dict[str, Any], is_full: bool | None) -> None:
    (found,) = queues([device("d")], [load("d", **figures)], [stream("d", outstanding=None)])
    assert found["queue_basis"] == "littles-law"
    assert found["is_full"] is is_full
    assert found["queued"] == pytest.approx(figures["commands_per_second"] * figures["kavg_ms"] / 1000)


def test_queues_ask_for_no_topic_that_says_nothing_of_them() -> None:
    # A reading that is looked at under no plain name counts as all of them: then tags and a month of events are read for every audit.
    topics = needs_of_columns([("device_queue", view_columns()["device_queue"]), ("disk_stream", view_columns()["disk_stream"])]).topics
    assert not topics & {"tags", "events", "volume_histograms", "efficiency", "lockmode"}
