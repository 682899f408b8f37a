"""Performance counters: what a vCenter lists, and what queues, Storage I/O Control and time make of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.server import VCenterServer
from tests.lab.conftest import Client, Plain, small
from tests.lab.govc import govc_on

NOISY_HOST = "esx-vvol-1.lab.example"  # bronze-noisy, silver-1 and gold-1 run here and share one endpoint
SHARED = "naa.6f47acc2000000027366707200000000"
TREMBLE = 0.06  # of a value: samples tremble by 4 %, and are whole numbers

QUEUES = """
vcenters:
  - name: vc-queues
    host_build: 22380479
    devices:
      flash: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], transport: fc, targets: ["500a0981"]}
    clusters:
      - name: one
        hosts:
          - name: esx-1
            hbas: [{device: vmhba2, kind: fc, driver: nfnic, model: Cisco VIC}]
            devices: [flash]
    datastores:
      - name: fast
        type: VMFS
        extents: [naa.624a9370aaaa]
        clusters: [one]
        sioc: SIOC
        load: LOAD
    vms:
      - {name: busy, host: esx-1, powered_on: ON, disks: [{datastore: fast, controller: CONTROLLER, load: DISK}]}
"""


def queues(
    disk: str = "{}", *, sioc: str = "{}", load: str = "{}", controller: str = "pvscsi", on: str = "true", device: str = "{}"
) -> Any:
    text = QUEUES
    for word, value in {"SIOC": sioc, "LOAD": load, "DISK": disk, "CONTROLLER": controller, "ON": on}.items():
        text = text.replace(f": {word}", f": {value}")
    return small(text.replace("transport: fc,", f"transport: fc, load: {device},"))


Samples = dict[tuple[str, str], list[int]]


def counters(client: Client) -> dict[str, Any]:
    """PerfCounterInfo by group.name."""
    return {f"{one.groupInfo.key}.{one.nameInfo.key}": one for one in client.content.perfManager.perfCounter}


def samples(client: Client, entity: Any, *names: str, **spec: Any) -> Samples:
    """Values by (counter, instance), oldest first."""
    known = counters(client)
    asked = [vim.PerformanceManager.MetricId(counterId=known[name].key, instance="*") for name in names]
    wanted = vim.PerformanceManager.QuerySpec(entity=entity, metricId=asked, **{"intervalId": 20, "maxSample": 3, **spec})
    by_key = {one.key: name for name, one in known.items()}
    return {
        (by_key[series.id.counterId], series.id.instance): list(series.value)
        for metric in client.content.perfManager.QueryPerf([wanted])
        for series in metric.value
    }


def newest(client: Client, entity: Any, name: str, instance: str) -> int:
    return samples(client, entity, name)[name, instance][-1]


def entity(client: Client, kind: type, name: str) -> Any:
    view = client.content.viewManager.CreateContainerView(client.content.rootFolder, [kind], recursive=True)
    return next(one for one in view.view if one.name == name)


@pytest.fixture
def solidfire(serve_vcenter: Callable[..., VCenterServer]) -> VCenterServer:
    return serve_vcenter(load_scenario("solidfire-vvols").vcenters[0])


@pytest.mark.parametrize(
    ("name", "key", "unit", "rollup", "level", "per_device_level"),
    [
        ("disk.totalLatency", 132, "millisecond", "average", 3, 3),
        ("disk.commandsAborted", 134, "number", "summation", 2, 3),
        ("disk.busResets", 135, "number", "summation", 2, 3),
        ("disk.deviceLatency", 455, "millisecond", "average", 1, 3),
        ("disk.kernelLatency", 456, "millisecond", "average", 2, 3),
        ("disk.queueLatency", 457, "millisecond", "average", 2, 3),
        ("disk.maxQueueDepth", 458, "number", "average", 1, 3),
        ("storageAdapter.outstandingIOs", 197, "number", "average", 2, 2),
        ("storageAdapter.queued", 198, "number", "average", 2, 2),
        ("storageAdapter.queueDepth", 199, "number", "average", 2, 2),
        ("storageAdapter.queueLatency", 200, "millisecond", "average", 2, 2),
        ("datastore.datastoreIops", 185, "number", "average", 1, 3),
        ("datastore.sizeNormalizedDatastoreLatency", 186, "microsecond", "average", 1, 3),
        ("datastore.siocActiveTimePercentage", 191, "percent", "average", 1, 3),
        ("datastore.datastoreVMObservedLatency", 359, "microsecond", "latest", 1, 3),
        ("datastore.datastoreMaxQueueDepth", 537, "number", "latest", 1, 3),
        ("virtualDisk.totalReadLatency", 175, "millisecond", "average", 1, 3),
        ("virtualDisk.totalWriteLatency", 176, "millisecond", "average", 1, 3),
        ("virtualDisk.readOIO", 344, "number", "latest", 2, 2),
        ("virtualDisk.writeOIO", 345, "number", "latest", 2, 2),
    ],
)
def test_counters_are_listed_as_govmomi_captured_them(
    vcenter: VCenterServer,
    connect: Callable[..., Client],
    name: str,
    key: int,
    unit: str,
    rollup: str,
    level: int,
    per_device_level: int,
) -> None:
    manager = connect(vcenter).content.perfManager
    (asked,) = manager.QueryPerfCounter([key])
    listed = next(one for one in manager.perfCounter if one.key == key)
    for one in (asked, listed):
        reported = (f"{one.groupInfo.key}.{one.nameInfo.key}", one.unitInfo.key, one.rollupType, one.level, one.perDeviceLevel)
        assert reported == (name, unit, rollup, level, per_device_level)


@pytest.mark.parametrize(
    ("level", "there", "missing"),
    [
        pytest.param(1, "disk.deviceLatency", "disk.kernelLatency", id="level 1 has no kernel latency"),
        pytest.param(2, "disk.kernelLatency", "disk.totalLatency", id="level 2 has no total latency"),
        pytest.param(3, "disk.totalLatency", None, id="level 3 has all three"),
    ],
)
def test_counters_come_by_statistics_level(
    vcenter: VCenterServer, connect: Callable[..., Client], level: int, there: str, missing: str | None
) -> None:
    found = connect(vcenter).content.perfManager.QueryPerfCounterByLevel(level)
    names = {f"{one.groupInfo.key}.{one.nameInfo.key}" for one in found}
    assert there in names
    assert missing not in names


def test_a_throttled_disk_fills_the_queue_that_its_neighbours_share(solidfire: VCenterServer, connect: Callable[..., Client]) -> None:
    """S0: 512 KiB split at 128 KiB, 64 commands of one disk on a queue of 32; the array lets 26 x 4 a second through."""
    client = connect(solidfire)
    host = client.hosts()[NOISY_HOST]
    found = samples(client, host, "disk.deviceLatency", "disk.kernelLatency", "disk.queueLatency", "disk.maxQueueDepth")
    assert found["disk.maxQueueDepth", SHARED] == [32, 32, 32]
    assert found["disk.deviceLatency", SHARED][-1] == pytest.approx(32 / 104 * 1000, rel=TREMBLE)
    assert found["disk.kernelLatency", SHARED][-1] == pytest.approx((64 - 32) / 104 * 1000, rel=TREMBLE)
    assert found["disk.queueLatency", SHARED] == found["disk.kernelLatency", SHARED]
    # "Users saw 300-400 ms"; fio's own 40 commands take 40 / 26 s.
    neighbour = entity(client, vim.VirtualMachine, "gold-1")
    assert 290 < newest(client, neighbour, "virtualDisk.totalReadLatency", "scsi0:0") < 400
    noisy = entity(client, vim.VirtualMachine, "bronze-noisy")
    assert newest(client, noisy, "virtualDisk.totalWriteLatency", "scsi0:0") == pytest.approx(40 / 26 * 1000, rel=TREMBLE)
    assert newest(client, noisy, "virtualDisk.writeOIO", "scsi0:0") == pytest.approx(20, abs=1)


def test_a_deeper_queue_keeps_the_wait_to_the_throttled_disk(
    solidfire: VCenterServer, connect: Callable[..., Client], plain: Callable[[VCenterServer], Plain]
) -> None:
    """S0's fix: DSNRO 256 on the endpoint, "result about 1 ms with a VM at its cap"."""
    client = connect(solidfire)
    host = client.hosts()[NOISY_HOST]
    plain(solidfire).esxcli(host._GetMoId(), "storage core device set", device=SHARED, schednumreqoutstanding=256)
    assert newest(client, host, "disk.maxQueueDepth", SHARED) == 256
    assert newest(client, host, "disk.kernelLatency", SHARED) == 0
    assert newest(client, entity(client, vim.VirtualMachine, "gold-1"), "virtualDisk.totalReadLatency", "scsi0:0") == 1
    noisy = entity(client, vim.VirtualMachine, "bronze-noisy")
    assert newest(client, noisy, "virtualDisk.totalReadLatency", "scsi0:0") == pytest.approx(40 / 26 * 1000, rel=TREMBLE)


@pytest.mark.parametrize(
    ("dsnro", "depth"),
    [pytest.param(64, 64, id="DSNRO is the smaller one"), pytest.param(512, 256, id="DSNRO above the device's depth has no effect")],
)
def test_the_queue_depth_is_the_smaller_of_the_devices_and_dsnro(
    solidfire: VCenterServer, connect: Callable[..., Client], dsnro: int, depth: int
) -> None:
    client = connect(solidfire)
    host = client.hosts()[NOISY_HOST]
    with solidfire.state.lock:
        solidfire.state.hosts[host._GetMoId()].device_settings[SHARED] = {"dsnro": dsnro}
    assert newest(client, host, "disk.maxQueueDepth", SHARED) == depth


def test_dsnro_does_not_count_where_one_disk_is_alone(serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]) -> None:
    """S2: 32 commands at the device, whatever PVSCSI holds; 65,000 a second at the array's 0.49 ms."""
    server = serve_vcenter(queues("{queue_depth: 96, latency_us: 492, actual_iops: 65000}"))
    with server.state.lock:
        server.state.hosts["host-11"].device_settings["naa.624a9370aaaa"] = {"dsnro": 8}
    client = connect(server)
    host = client.hosts()["esx-1"]
    assert newest(client, host, "disk.maxQueueDepth", "naa.624a9370aaaa") == 32
    (rate,) = samples(client, host, "storageAdapter.commandsAveraged", maxSample=1).values()
    assert rate[0] == pytest.approx(65000, rel=TREMBLE)


def test_a_controller_lets_no_more_out_than_its_depth(serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]) -> None:
    """LSI SAS has 32 a disk (docs/domain/facts.md#8-1): nothing waits before a device of 32, 16 reads and 16 writes are out."""
    server = serve_vcenter(queues("{queue_depth: 96, latency_us: 100000}", controller="lsilogic-sas"))
    client = connect(server)
    assert newest(client, client.hosts()["esx-1"], "disk.kernelLatency", "naa.624a9370aaaa") == 0
    assert newest(client, entity(client, vim.VirtualMachine, "busy"), "virtualDisk.readOIO", "scsi0:0") == pytest.approx(16, abs=1)


@pytest.mark.parametrize(
    ("guest_depth", "waiting_ms"),
    [pytest.param(None, 10, id="PVSCSI as installed: 64"), pytest.param(254, 20, id="raised in the guest")],
)
def test_a_deeper_queue_in_the_guest_moves_the_wait_into_the_kernel(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client], guest_depth: int | None, waiting_ms: int
) -> None:
    """S2: KAVG up, same IOPS. 32 at the device pass 3,200 a second, so each further 32 wait 10 ms."""
    description = queues("{queue_depth: 96, latency_us: 10000}")
    (vm,) = description.vms
    disk = dataclasses.replace(vm.disks[0], guest_depth=guest_depth)
    client = connect(serve_vcenter(dataclasses.replace(description, vms=(dataclasses.replace(vm, disks=(disk,)),))))
    found = samples(client, client.hosts()["esx-1"], "disk.kernelLatency", "disk.commandsAveraged", maxSample=1)
    assert [one[0] for one in found.values()] == pytest.approx([waiting_ms, 3200], rel=TREMBLE)


def test_an_array_that_answers_no_more_takes_longer_for_everybody(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]
) -> None:
    """16 + 4 commands at 1 ms each would be 20,000 a second; at most 10,000 take 2 ms each, and none of it in the kernel."""
    client = connect(serve_vcenter(queues("{queue_depth: 16, latency_us: 1000}", device="{iops: 4000, device_ms: 1, iops_ceiling: 10000}")))
    host = client.hosts()["esx-1"]
    found = samples(client, host, "disk.deviceLatency", "disk.kernelLatency", "disk.commandsAveraged", maxSample=1)
    values = [found[f"disk.{name}", "naa.624a9370aaaa"][0] for name in ("deviceLatency", "kernelLatency", "commandsAveraged")]
    assert values == pytest.approx([2, 0, 10000], rel=TREMBLE)
    busy = entity(client, vim.VirtualMachine, "busy")
    assert newest(client, busy, "virtualDisk.totalReadLatency", "scsi0:0") == 2
    assert newest(client, busy, "virtualDisk.numberReadAveraged", "scsi0:0") == pytest.approx(16 / 0.002 / 2, rel=TREMBLE)


def test_total_latency_is_device_and_kernel_latency_in_every_sample(solidfire: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(solidfire)
    host = client.hosts()[NOISY_HOST]
    found = samples(client, host, "disk.totalLatency", "disk.deviceLatency", "disk.kernelLatency", maxSample=180)
    device, kernel = found["disk.deviceLatency", SHARED], found["disk.kernelLatency", SHARED]
    assert found["disk.totalLatency", SHARED] == [one + other for one, other in zip(device, kernel, strict=True)]
    assert len(set(kernel)) > 3  # they tremble


def test_a_device_shows_what_its_own_load_says(serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]) -> None:
    load = "{iops: 1000, device_ms: 20, kernel_ms: 5, queued: 10, commands_aborted: 3, bus_resets: 1}"
    client = connect(serve_vcenter(queues(device=load)))
    names = ("deviceLatency", "kernelLatency", "queueLatency", "commandsAveraged", "commandsAborted", "busResets")
    found = samples(client, client.hosts()["esx-1"], *(f"disk.{name}" for name in names), maxSample=1)
    values = [found[f"disk.{name}", "naa.624a9370aaaa"][0] for name in names]
    assert values[:4] == pytest.approx([20, 15, 10, 1000], rel=TREMBLE, abs=1)  # 10 commands wait 10 ms at 1,000 a second
    assert values[4:] == [3, 1]


@pytest.mark.parametrize(
    ("sioc", "load", "percent"),
    [
        pytest.param("{enabled: true, threshold_ms: 30}", "{iops: 500, device_ms: 80}", 100, id="latency above the threshold"),
        pytest.param("{enabled: true, threshold_ms: 30}", "{iops: 500, device_ms: 5}", 0, id="latency below the threshold"),
        pytest.param("{enabled: true}", "{iops: 500, device_ms: 5, sioc_active_percent: 40}", 40, id="as the description says"),
        pytest.param("{enabled: false}", "{iops: 500, device_ms: 80, sioc_active_percent: 40}", 0, id="off"),
    ],
)
def test_storage_io_control_is_active_while_the_datastore_is_slow(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client], sioc: str, load: str, percent: int
) -> None:
    client = connect(serve_vcenter(queues(sioc=sioc, load=load)))
    found = samples(client, client.hosts()["esx-1"], "datastore.siocActiveTimePercentage")
    assert list(found.values()) == [[percent * 100] * 3]  # percentages are reported in hundredths


def test_disabling_storage_io_control_gives_the_datastore_back(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]
) -> None:
    """S1: active time at 100 % together with device latency; disabling it on the target recovered it at once."""
    load = "{iops: 200, device_ms: 80, device_ms_without_sioc: 4}"
    client = connect(serve_vcenter(queues(sioc="{enabled: true}", load=load)))
    host, store = client.hosts()["esx-1"], entity(client, vim.Datastore, "fast")
    names = ("datastore.siocActiveTimePercentage", "datastore.datastoreMaxQueueDepth", "datastore.sizeNormalizedDatastoreLatency")
    before = [values[0] for values in samples(client, host, *names, maxSample=1).values()]
    assert before == pytest.approx([100 * 100, 4, 80000], rel=TREMBLE)
    off = vim.StorageResourceManager.IORMConfigSpec(enabled=False)
    client.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, off)
    after = [values[0] for values in samples(client, host, *names, maxSample=1).values()]
    assert after == pytest.approx([0, 32, 4000], rel=TREMBLE)


def test_an_adapter_queues_what_exceeds_its_own_depth(solidfire: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(solidfire)
    host = client.hosts()[NOISY_HOST]
    assert newest(client, host, "storageAdapter.queueDepth", "vmhba64") == 1024
    assert newest(client, host, "storageAdapter.queued", "vmhba64") == 0
    with solidfire.state.lock:
        solidfire.state.hosts[host._GetMoId()].modules["iscsi_vmk"].in_effect = "iscsivmk_LunQDepth=256 iscsivmk_HostQDepth=16"
    assert newest(client, host, "storageAdapter.queueDepth", "vmhba64") == 16
    assert newest(client, host, "storageAdapter.outstandingIOs", "vmhba64") == pytest.approx(16, abs=1)
    assert newest(client, host, "storageAdapter.queued", "vmhba64") == pytest.approx(32 - 16, abs=1)
    assert newest(client, host, "storageAdapter.queueLatency", "vmhba64") == pytest.approx(16 / 104 * 1000, rel=TREMBLE)


def test_two_vcenters_of_one_description_show_the_same_at_the_same_time(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]
) -> None:
    until = datetime.now(UTC)
    shown = []
    for _ in range(2):
        client = connect(serve_vcenter(load_scenario("solidfire-vvols").vcenters[0]))
        shown.append(samples(client, client.hosts()[NOISY_HOST], maxSample=None, startTime=until - timedelta(minutes=10), endTime=until))
    assert shown[0] == shown[1]
    assert len(shown[0]["disk.kernelLatency", SHARED]) == 30


def test_samples_lie_after_the_start_up_to_the_end_oldest_first(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(vcenter)
    end = datetime.fromtimestamp(int(datetime.now(UTC).timestamp()) // 20 * 20 - 60, UTC)
    spec = vim.PerformanceManager.QuerySpec(
        entity=client.hosts()["esx-1"], intervalId=20, startTime=end - timedelta(seconds=60), endTime=end, format="normal"
    )
    (metric,) = client.content.perfManager.QueryPerf([spec])
    assert [one.timestamp for one in metric.sampleInfo] == [end - timedelta(seconds=40), end - timedelta(seconds=20), end]
    spec.maxSample = 2
    (metric,) = client.content.perfManager.QueryPerf([spec])
    assert [one.timestamp for one in metric.sampleInfo] == [end - timedelta(seconds=20), end]
    assert {one.interval for one in metric.sampleInfo} == {20}


def test_csv_tells_the_same_as_the_normal_format(solidfire: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(solidfire)
    host = client.hosts()[NOISY_HOST]
    end = datetime.fromtimestamp(int(datetime.now(UTC).timestamp()) // 20 * 20, UTC)
    common = {"entity": host, "intervalId": 20, "startTime": end - timedelta(seconds=40), "endTime": end}
    query = client.content.perfManager.QueryPerf
    (normal,) = query([vim.PerformanceManager.QuerySpec(**common)])
    (csv,) = query([vim.PerformanceManager.QuerySpec(**common, format="csv")])
    assert csv.sampleInfoCSV == ",".join(f"20,{one.timestamp:%Y-%m-%dT%H:%M:%SZ}" for one in normal.sampleInfo)
    assert [one.value for one in csv.value] == [",".join(map(str, one.value)) for one in normal.value]
    assert [(one.id.counterId, one.id.instance) for one in csv.value] == [(one.id.counterId, one.id.instance) for one in normal.value]


def test_history_has_only_what_its_statistics_level_keeps(solidfire: VCenterServer, connect: Callable[..., Client]) -> None:
    """Kernel and queue latency are level 2, totalLatency 3 (docs/domain/facts.md#9-1), so roll-ups may lack them; here the level is 1."""
    client = connect(solidfire)
    host, manager = client.hosts()[NOISY_HOST], client.content.perfManager
    names = {one.key: name for name, one in counters(client).items()}

    def available(interval: int | None, entity: Any = host) -> set[str]:
        return {names[one.counterId] for one in manager.QueryAvailablePerfMetric(entity, None, None, interval)}

    assert {"disk.kernelLatency", "disk.deviceLatency", "storageAdapter.queued"} <= available(20)
    assert available(300) == {"disk.maxTotalLatency", "disk.usage"}
    assert available(None) >= available(20)
    store = entity(client, vim.Datastore, "sf-vmfs-01")
    assert available(20, store) == set()
    assert available(300, store) == {"datastore.numberReadAveraged", "datastore.numberWriteAveraged"}
    found = samples(client, host, "disk.maxTotalLatency", "disk.kernelLatency", intervalId=300, maxSample=None)
    assert list(found) == [("disk.maxTotalLatency", "")]
    assert len(found["disk.maxTotalLatency", ""]) == 86400 // 300
    assert [one.samplingPeriod for one in manager.historicalInterval] == [300, 1800, 7200, 86400]


def test_what_cannot_be_asked_for_is_refused(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(vcenter)
    host, manager = client.hosts()["esx-1"], client.content.perfManager
    unknown = [vim.PerformanceManager.MetricId(counterId=1, instance="*")]
    refusals: tuple[Callable[[], Any], ...] = (
        lambda: manager.QueryPerf([vim.PerformanceManager.QuerySpec(entity=host, intervalId=17)]),
        lambda: manager.QueryPerf([vim.PerformanceManager.QuerySpec(entity=host, intervalId=20, metricId=unknown)]),
        lambda: manager.QueryPerfCounter([1]),
        lambda: manager.QueryPerfCounterByLevel(5),
    )
    for refused in refusals:
        with pytest.raises(vmodl.fault.InvalidArgument):
            refused()
    with pytest.raises(vmodl.fault.ManagedObjectNotFound):
        manager.QueryPerf([vim.PerformanceManager.QuerySpec(entity=vim.HostSystem("host-999"), intervalId=20)])


def test_a_host_out_of_reach_and_a_machine_that_is_off_show_nothing(
    serve_vcenter: Callable[..., VCenterServer], connect: Callable[..., Client]
) -> None:
    server = serve_vcenter(queues("{queue_depth: 8, latency_us: 1000}", on="false"))
    client = connect(server)
    host, vm = client.hosts()["esx-1"], entity(client, vim.VirtualMachine, "busy")
    assert samples(client, vm) == {}
    assert newest(client, host, "disk.deviceLatency", "naa.624a9370aaaa") == 0
    with server.state.lock:
        server.state.hosts["host-11"].connection_state = "notResponding"
    assert samples(client, host) == {}


def test_only_hosts_and_machines_have_real_time_samples(vcenter: VCenterServer, connect: Callable[..., Client]) -> None:
    client = connect(vcenter)
    reported = {}
    for kind, name in ((vim.HostSystem, "esx-1"), (vim.VirtualMachine, "vm-1"), (vim.Datastore, "fast")):
        summary = client.content.perfManager.QueryPerfProviderSummary(entity(client, kind, name))
        reported[name] = (summary.currentSupported, summary.summarySupported, summary.refreshRate)
    assert reported == {"esx-1": (True, True, 20), "vm-1": (True, True, 20), "fast": (False, True, -1)}


def test_govc_samples_metrics(govc_binary: str, tmp_path: Path) -> None:
    with govc_on(govc_binary, load_scenario("solidfire-vvols"), tmp_path) as (govc, _):
        host = f"host/sf-vvol/{NOISY_HOST}"
        assert "disk.kernelLatency.average" in govc("metric.ls", host).split()
        reported = govc("metric.info", host, "disk.kernelLatency.average")
        assert "Kernel command latency" in reported
        assert SHARED in reported
        line = govc("metric.sample", "-n", "3", "-instance", SHARED, host, "disk.maxQueueDepth.average").split()
        assert line == [NOISY_HOST, SHARED, "disk.maxQueueDepth.average", "32,32,32", "num"]
        assert "virtualDisk.totalReadLatency.average" in govc("metric.ls", "vm/gold-1").split()
