"""Storage I/O Control, Storage DRS, path policies and rescans: what is written sticks, and comes back where something holds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import vim, vmodl

from auditor.errors import ConfigurationError
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.vcenter.state import vcenter as state
from tests.waiting import Clock

DEVICE = "naa.624a9370aaaa"
LATENCY_DEVICE = "naa.624a9370bbbb"
FLEET = """
vcenters:
  - name: vc-pods
    host_build: 22380479
    devices:
      disks: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], targets: [iqn.x:one, iqn.x:two]}
      latency: {vendor: PURE, model: FlashArray, psp_options: policy=latency, names: [naa.624a9370bbbb], targets: [iqn.x:one]}
    templates:
      host:
        hbas: [{device: vmhba64, kind: iscsi, driver: iscsi_vmk, model: iSCSI Software Adapter, software: true}]
        devices: [disks, latency]
        satp_rules:
          - {satp: VMW_SATP_ALUA, vendor: PURE, model: FlashArray, psp: VMW_PSP_RR, psp_options: policy=latency, description: by hand}
    clusters:
      - {name: one, hosts: [{name: "esx-{n}", count: 2, like: host}]}
    datastores:
      - {name: gold-1, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one], size_bytes: 1000}
      - {name: gold-2, type: VMFS, extents: [naa.624a9370bbbb], clusters: [one], size_bytes: 3000}
      - name: gold-nfs41
        type: NFS41
        remote_host: 198.51.100.9
        remote_path: /a
        clusters: [one]
        sioc: {supported: false}
        size_bytes: 2000
      - {name: alone, type: NFS, remote_host: 198.51.100.9, remote_path: /b, clusters: [one]}
    pods:
      - name: gold
        datastores: [gold-1, gold-2, gold-nfs41]
        io_latency_threshold_ms: 20
        automation: {io_load_balance: manual}
        sioc_back_seconds: 60
"""
IORM = vim.StorageResourceManager.IORMConfigSpec
POD = vim.storageDrs.PodConfigSpec


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(state, "time", clock)
    return clock


@pytest.fixture
def vcenter(clock: Clock, serve_vcenter: Callable[..., VCenterServer]) -> VCenterServer:
    return serve_vcenter(parse_scenario(FLEET, "pods").vcenters[0])


@pytest.fixture
def client(connect: Callable[..., Any], vcenter: VCenterServer) -> Any:
    return connect(vcenter)


@pytest.fixture
def storage(client: Any) -> Any:
    """The storage system of esx-1."""
    return client.hosts()["esx-1"].configManager.storageSystem


def named(client: Any, kind: type) -> dict[str, Any]:
    view = client.content.viewManager.CreateContainerView(client.content.rootFolder, [kind], recursive=True)
    return {one.name: one for one in view.view}


def configure(client: Any, store: Any, **spec: Any) -> None:
    assert client.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, IORM(**spec)).info.state == "success"


def set_up(client: Any, pod: Any, *, modify: bool = True, **spec: Any) -> None:
    task = client.content.storageResourceManager.ConfigureStorageDrsForPod_Task(
        pod, vim.storageDrs.ConfigSpec(podConfigSpec=POD(**spec)), modify
    )
    assert task.info.state == "success"


def sioc(client: Any) -> dict[str, bool]:
    return {
        facts["name"]: facts["iormConfiguration"].enabled
        for facts in client.read(vim.Datastore, "name", "iormConfiguration").values()
        if facts.get("iormConfiguration")
    }


@pytest.mark.parametrize(
    ("spec", "changed"),
    [
        pytest.param({"enabled": True}, {"enabled": True}, id="the switch alone"),
        pytest.param(
            {"congestionThresholdMode": "manual", "congestionThreshold": 25},
            {"congestionThresholdMode": "manual", "congestionThreshold": 25},
            id="a manual threshold",
        ),
        pytest.param({"percentOfPeakThroughput": 70}, {"percentOfPeakThroughput": 70}, id="the share of the peak"),
        pytest.param({"statsCollectionEnabled": True}, {"statsCollectionEnabled": True}, id="statistics alone"),
        pytest.param({"congestionThreshold": 5}, {"congestionThreshold": 5}, id="the smallest threshold"),
        pytest.param({}, {}, id="nothing"),
    ],
)
def test_sioc_takes_what_the_spec_sets_and_keeps_the_rest(client: Any, spec: dict[str, Any], changed: dict[str, Any]) -> None:
    before = {
        "enabled": False,
        "congestionThresholdMode": "automatic",
        "congestionThreshold": 30,
        "percentOfPeakThroughput": 90,
        "statsCollectionEnabled": False,
    }
    store = named(client, vim.Datastore)["alone"]
    configure(client, store, **spec)
    assert {name: getattr(store.iormConfiguration, name) for name in before} == before | changed


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        pytest.param({"congestionThreshold": 4}, vmodl.fault.InvalidArgument, id="a threshold below 5 ms"),
        pytest.param({"congestionThreshold": 101}, vmodl.fault.InvalidArgument, id="a threshold above 100 ms"),
        pytest.param({"percentOfPeakThroughput": 49}, vmodl.fault.InvalidArgument, id="less than half of the peak"),
        pytest.param({"percentOfPeakThroughput": 101}, vmodl.fault.InvalidArgument, id="more than the peak"),
        pytest.param({"congestionThresholdMode": "sometimes"}, vmodl.fault.InvalidArgument, id="a mode there is not"),
        pytest.param({"reservationEnabled": True}, vmodl.fault.NotSupported, id="what the lab does not keep"),
    ],
)
def test_a_bad_sioc_spec_is_refused_whole(client: Any, spec: dict[str, Any], fault: Any) -> None:
    store = named(client, vim.Datastore)["alone"]
    with pytest.raises(fault):
        client.content.storageResourceManager.ConfigureDatastoreIORM_Task(store, IORM(enabled=True, **spec))
    assert store.iormConfiguration.enabled is False


def test_the_ranges_of_sioc_can_be_asked_for(client: Any) -> None:
    option = client.content.storageResourceManager.QueryIORMConfigOption(client.hosts()["esx-1"])
    threshold = option.congestionThresholdOption
    assert (threshold.min, threshold.max, threshold.defaultValue) == (5, 100, 30)
    assert option.enabledOption.supported


def test_a_datastore_cluster_stands_in_the_inventory_with_its_settings(client: Any) -> None:
    pod = named(client, vim.StoragePod)["gold"]
    assert [store.name for store in pod.childEntity] == ["gold-1", "gold-2", "gold-nfs41"]
    assert {store.parent for store in pod.childEntity} == {pod}
    assert (pod.summary.name, pod.summary.capacity, pod.summary.freeSpace) == ("gold", 6000, 3000)
    folder = client.content.searchIndex.FindByInventoryPath("dc-1/datastore")
    assert [one.name for one in folder.childEntity] == ["gold", "alone"]
    assert set(named(client, vim.Datastore)) == {"gold-1", "gold-2", "gold-nfs41", "alone"}
    config = pod.podStorageDrsEntry.storageDrsConfig.podConfig
    assert (config.enabled, config.ioLoadBalanceEnabled, config.defaultVmBehavior) == (True, False, "manual")
    assert (config.loadBalanceInterval, config.defaultIntraVmAffinity) == (480, True)
    assert (config.ioLoadBalanceConfig.ioLatencyThreshold, config.ioLoadBalanceConfig.ioLoadImbalanceThreshold) == (20, 5)
    assert config.automationOverrides.ioLoadBalanceAutomationMode == "manual"
    assert config.automationOverrides.spaceLoadBalanceAutomationMode is None


def test_storage_drs_takes_changes_one_by_one_or_as_a_whole(client: Any) -> None:
    pod = named(client, vim.StoragePod)["gold"]

    def config() -> Any:
        return pod.podStorageDrsEntry.storageDrsConfig.podConfig

    set_up(client, pod, ioLoadBalanceConfig=vim.storageDrs.IoLoadBalanceConfig(ioLoadImbalanceThreshold=10))
    assert (config().ioLoadBalanceConfig.ioLatencyThreshold, config().ioLoadBalanceConfig.ioLoadImbalanceThreshold) == (20, 10)
    set_up(client, pod, defaultVmBehavior="automated")
    assert (config().enabled, config().defaultVmBehavior) == (True, "automated")
    set_up(client, pod, modify=False, enabled=True)
    assert (config().enabled, config().defaultVmBehavior, config().ioLoadBalanceConfig.ioLatencyThreshold) == (True, "manual", 15)


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        pytest.param({"defaultVmBehavior": "fullyAutomated"}, vmodl.fault.InvalidArgument, id="a behaviour of DRS, not of Storage DRS"),
        pytest.param({"loadBalanceInterval": 59}, vmodl.fault.InvalidArgument, id="more often than hourly"),
        pytest.param(
            {"ioLoadBalanceConfig": vim.storageDrs.IoLoadBalanceConfig(ioLatencyThreshold=101)},
            vmodl.fault.InvalidArgument,
            id="a latency above 100 ms",
        ),
        pytest.param(
            {"automationOverrides": vim.storageDrs.AutomationConfig(ioLoadBalanceAutomationMode="sometimes")},
            vmodl.fault.InvalidArgument,
            id="an override there is not",
        ),
        pytest.param({"option": [vim.storageDrs.OptionSpec(operation="add")]}, vmodl.fault.NotSupported, id="what the lab does not keep"),
    ],
)
def test_a_bad_storage_drs_spec_is_refused_whole(client: Any, spec: dict[str, Any], fault: Any) -> None:
    pod = named(client, vim.StoragePod)["gold"]
    with pytest.raises(fault):
        set_up(client, pod, **{"enabled": False, **spec})
    assert pod.podStorageDrsEntry.storageDrsConfig.podConfig.enabled is True


def test_the_io_metric_turns_sioc_on_at_once_and_leaves_it_on_when_it_goes(client: Any) -> None:
    pod = named(client, vim.StoragePod)["gold"]
    assert sioc(client) == {"gold-1": False, "gold-2": False, "alone": False}
    set_up(client, pod, ioLoadBalanceEnabled=True)
    assert sioc(client) == {"gold-1": True, "gold-2": True, "alone": False}
    set_up(client, pod, ioLoadBalanceEnabled=False)
    assert sioc(client) == {"gold-1": True, "gold-2": True, "alone": False}


def test_sioc_comes_back_a_while_after_it_was_disabled_as_long_as_the_io_metric_is_on(client: Any, clock: Clock) -> None:
    pod, stores = named(client, vim.StoragePod)["gold"], named(client, vim.Datastore)
    set_up(client, pod, ioLoadBalanceEnabled=True)
    configure(client, stores["gold-1"], enabled=False)
    clock.now += 59
    assert sioc(client)["gold-1"] is False
    clock.now += 2
    assert sioc(client)["gold-1"] is True
    configure(client, stores["gold-1"], enabled=False)
    set_up(client, pod, ioLoadBalanceEnabled=False)
    clock.now += 3600
    assert sioc(client)["gold-1"] is False


def test_sioc_stays_off_outside_of_a_datastore_cluster_and_in_one_that_is_not_enabled(client: Any, clock: Clock) -> None:
    pod, stores = named(client, vim.StoragePod)["gold"], named(client, vim.Datastore)
    set_up(client, pod, enabled=False, ioLoadBalanceEnabled=True)
    for name in ("alone", "gold-1"):
        configure(client, stores[name], enabled=False)
    clock.now += 3600
    assert sioc(client) == {"gold-1": False, "gold-2": False, "alone": False}


def test_a_fleet_that_starts_with_the_io_metric_has_sioc_on(connect: Callable[..., Any], serve_vcenter: Any) -> None:
    text = FLEET.replace("sioc_back_seconds: 60", "io_metric: true")
    server = serve_vcenter(parse_scenario(text, "metric").vcenters[0])
    assert sioc(connect(server)) == {"gold-1": True, "gold-2": True, "alone": False}
    assert [store.sioc_enabled for store in server.state.datastores.values()] == [True, True, False, False], "NFS 4.1 cannot have it"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        pytest.param("[gold-1, gold-2, gold-nfs41]", "[gold-1, gone]", "no datastores named", id="a datastore there is not"),
        pytest.param("[gold-1, gold-2, gold-nfs41]", "[gold-1, gold-1]", "more than one", id="a datastore twice"),
        pytest.param("io_latency_threshold_ms", "latency", "pods has no .latency.", id="a key there is not"),
    ],
)
def test_a_slip_in_a_datastore_cluster_s_description_is_told(old: str, new: str, what: str) -> None:
    with pytest.raises(ConfigurationError, match=what):
        parse_scenario(FLEET.replace(old, new), "slip")


def unit(storage: Any, device: str = DEVICE) -> Any:
    info = storage.storageDeviceInfo
    key = next(lun.key for lun in info.scsiLun if lun.canonicalName == device)
    return next(unit for unit in info.multipathInfo.lun if unit.lun == key)


def policy(name: str) -> Any:
    return vim.host.MultipathInfo.LogicalUnitPolicy(policy=name)


def test_a_path_policy_that_is_set_shows_in_every_way_to_read_it(client: Any, storage: Any, vcenter: VCenterServer, plain: Any) -> None:
    assert unit(storage).policy.policy == "VMW_PSP_RR"
    storage.SetMultipathLunPolicy(unit(storage).id, policy("VMW_PSP_MRU"))
    assert unit(storage).policy.policy == "VMW_PSP_MRU"
    facts = client.read(vim.HostSystem, "name", "config.storageDevice.multipathInfo").values()
    shown = {one["name"]: {lun.policy.policy for lun in one["config.storageDevice.multipathInfo"].lun} for one in facts}
    assert shown == {"esx-1": {"VMW_PSP_MRU", "VMW_PSP_RR"}, "esx-2": {"VMW_PSP_RR"}}
    (row,) = plain(vcenter).esxcli("host-11", "storage nmp device list", device=DEVICE)
    assert (row["PathSelectionPolicy"], row["StorageArrayType"]) == ("VMW_PSP_MRU", "VMW_SATP_DEFAULT_AA")
    assert row["PathSelectionPolicyDeviceConfig"] == "Current Path=vmhba64:C0:T0:L0"


def test_a_fixed_policy_keeps_the_path_it_prefers(client: Any, storage: Any, vcenter: VCenterServer, plain: Any) -> None:
    second = unit(storage).path[1].name
    fixed = vim.host.MultipathInfo.FixedLogicalUnitPolicy(policy="VMW_PSP_FIXED", prefer=second)
    storage.SetMultipathLunPolicy(unit(storage).id, fixed)
    assert (unit(storage).policy.policy, unit(storage).policy.prefer) == ("VMW_PSP_FIXED", second)
    facts = client.read(vim.HostSystem, "config.storageDevice.multipathInfo")["host-11"]["config.storageDevice.multipathInfo"]
    assert second in {getattr(lun.policy, "prefer", None) for lun in facts.lun}
    (row,) = plain(vcenter).esxcli("host-11", "storage nmp device list", device=DEVICE)
    assert row["PathSelectionPolicyDeviceConfig"] == "{preferred=vmhba64:C0:T1:L0;current=vmhba64:C0:T1:L0}"


@pytest.mark.parametrize(
    ("lun", "wanted", "fault"),
    [
        pytest.param("0200gone", policy("VMW_PSP_RR"), vim.fault.NotFound, id="no such device"),
        pytest.param("", policy("VMW_PSP_BEST"), vmodl.fault.InvalidArgument, id="no such policy"),
        pytest.param(
            "",
            vim.host.MultipathInfo.FixedLogicalUnitPolicy(policy="VMW_PSP_FIXED", prefer="gone"),
            vmodl.fault.InvalidArgument,
            id="no such path",
        ),
    ],
)
def test_a_bad_path_policy_is_refused(storage: Any, lun: str, wanted: Any, fault: Any) -> None:
    with pytest.raises(fault):
        storage.SetMultipathLunPolicy(lun or unit(storage).id, wanted)
    assert unit(storage).policy.policy == "VMW_PSP_RR"
    assert {one.policy.key for one in storage.QueryPathSelectionPolicyOptions()} == {"VMW_PSP_RR", "VMW_PSP_FIXED", "VMW_PSP_MRU"}


@pytest.mark.parametrize(
    ("device", "changes", "expected"),
    [
        pytest.param(DEVICE, {}, "{policy=rr,iops=1000,bytes=10485760,useANO=0;", id="as claimed"),
        pytest.param(DEVICE, {"type": "iops", "iops": 1}, "{policy=iops,iops=1,bytes=10485760,useANO=0;", id="one command a path"),
        pytest.param(DEVICE, {"type": "bytes", "bytes": 4096}, "{policy=bytes,iops=1000,bytes=4096,useANO=0;", id="bytes"),
        pytest.param(DEVICE, {"useano": "true"}, "{policy=rr,iops=1000,bytes=10485760,useANO=1;", id="paths that are not optimized too"),
        pytest.param(LATENCY_DEVICE, {}, "{policy=latency,latencyEvalTime=180000,samplingCycles=16,", id="latency by its claim rule"),
        pytest.param(LATENCY_DEVICE, {"type": "default"}, "{policy=rr,iops=1000,bytes=10485760,useANO=0;", id="back to the default"),
        pytest.param(
            DEVICE, {"type": "latency", "numsamplingcycles": 32}, "{policy=latency,latencyEvalTime=180000,samplingCycles=32,", id="latency"
        ),
    ],
)
def test_round_robin_changes_paths_as_it_is_told(
    vcenter: VCenterServer, plain: Any, device: str, changes: dict[str, object], expected: str
) -> None:
    by_hand = plain(vcenter)
    if changes:
        assert by_hand.esxcli("host-11", "storage nmp psp roundrobin deviceconfig set", device=device, **changes) == "true"
    (row,) = by_hand.esxcli("host-11", "storage nmp device list", device=device)
    assert row["PathSelectionPolicyDeviceConfig"].startswith(expected)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"type": "iops", "iops": 0}, id="a limit of nothing"),
        pytest.param({"iops": 1}, id="a limit without its type"),
        pytest.param({"type": "bytes", "iops": 1}, id="a limit of another type"),
        pytest.param({"type": "luck"}, id="no such type"),
        pytest.param({"I": 1}, id="a letter instead of a name"),
    ],
)
def test_a_bad_round_robin_setting_is_refused(vcenter: VCenterServer, plain: Any, changes: dict[str, object]) -> None:
    by_hand = plain(vcenter)
    assert by_hand.esxcli("host-11", "storage nmp psp roundrobin deviceconfig set", device=DEVICE, **changes) != "true"
    (row,) = by_hand.esxcli("host-11", "storage nmp device list", device=DEVICE)
    assert row["PathSelectionPolicyDeviceConfig"].startswith("{policy=rr,iops=1000,")


def test_round_robin_settings_are_refused_on_a_device_of_another_policy_and_go_with_the_policy(
    vcenter: VCenterServer, storage: Any, plain: Any
) -> None:
    by_hand = plain(vcenter)
    setting = "storage nmp psp roundrobin deviceconfig set"
    by_hand.esxcli("host-11", setting, device=DEVICE, type="iops", iops=1)
    storage.SetMultipathLunPolicy(unit(storage).id, policy("VMW_PSP_RR"))
    (row,) = by_hand.esxcli("host-11", "storage nmp device list", device=DEVICE)
    assert row["PathSelectionPolicyDeviceConfig"].startswith("{policy=iops,iops=1,")
    assert by_hand.esxcli("host-11", "storage nmp device set", device=DEVICE, psp="VMW_PSP_FIXED") == "true"
    assert "not controlled by the Round Robin" in by_hand.esxcli("host-11", setting, device=DEVICE, type="iops", iops=1)
    by_hand.esxcli("host-11", "storage nmp device set", device=DEVICE, psp="VMW_PSP_RR")
    (row,) = by_hand.esxcli("host-11", "storage nmp device list", device=DEVICE)
    assert row["PathSelectionPolicyDeviceConfig"].startswith("{policy=rr,iops=1000,")


def test_claim_rules_are_listed_with_those_that_were_added(vcenter: VCenterServer, plain: Any) -> None:
    rules = plain(vcenter).esxcli("host-11", "storage nmp satp rule list")
    (own,) = [rule for rule in rules if rule["RuleGroup"] == "user"]
    assert (own["Name"], own["Vendor"], own["Model"]) == ("VMW_SATP_ALUA", "PURE", "FlashArray")
    assert (own["DefaultPSP"], own["PSPOptions"], own["Description"]) == ("VMW_PSP_RR", "policy=latency", "by hand")
    assert any(rule["RuleGroup"] == "system" for rule in rules)


def test_rescans_are_accepted_and_change_nothing(storage: Any) -> None:
    before = [lun.canonicalName for lun in storage.storageDeviceInfo.scsiLun]
    storage.RescanAllHba()
    storage.RescanHba("vmhba64")
    storage.RescanVmfs()
    storage.RefreshStorageSystem()
    with pytest.raises(vim.fault.NotFound):
        storage.RescanHba("vmhba99")
    assert [lun.canonicalName for lun in storage.storageDeviceInfo.scsiLun] == before


@pytest.mark.parametrize(
    ("privilege", "call"),
    [
        pytest.param(
            "StoragePod.Config", lambda c: set_up(c, vim.StoragePod("group-p201", c.instance._stub), enabled=True), id="Storage DRS"
        ),
        pytest.param(
            "Datastore.ConfigIOManagement",
            lambda c: configure(c, vim.Datastore("datastore-101", c.instance._stub), enabled=True),
            id="SIOC",
        ),
        pytest.param(
            "Host.Config.Storage", lambda c: vim.host.StorageSystem("storageSystem-11", c.instance._stub).RescanAllHba(), id="rescan"
        ),
    ],
)
def test_each_change_asks_for_its_privilege(client: Any, vcenter: VCenterServer, privilege: str, call: Callable[[Any], None]) -> None:
    call(client)
    vcenter.privileges = ALL - {privilege}
    with pytest.raises(vim.fault.NoPermission) as refused:
        call(client)
    assert refused.value.privilegeId == privilege


def test_paths_of_an_adapter_that_is_offline_are_dead_and_disabled_ones_carry_nothing(
    connect: Callable[..., Any], serve_vcenter: Callable[..., VCenterServer]
) -> None:
    down = FLEET.replace("software: true}]", "software: true}, {device: vmhba2, kind: iscsi, driver: qedi, model: Q, status: offline}]")
    client = connect(
        serve_vcenter(parse_scenario(down.replace("[iqn.x:one]", "[iqn.x:one], disabled_targets: [iqn.x:one]"), "down").vcenters[0])
    )
    info = client.read(vim.HostSystem, "config.storageDevice")["host-11"]["config.storageDevice"]
    adapters = {adapter.key: adapter.status for adapter in info.hostBusAdapter}
    assert sorted(adapters.values()) == ["offline", "online"]
    paths = [(unit, adapters[path.adapter], path) for unit in info.multipathInfo.lun for path in unit.path]
    states = {(unit.id, adapter, path.state, path.pathState, path.isWorkingPath) for unit, adapter, path in paths}
    [of_disks, of_latency] = (unit.id for unit in info.multipathInfo.lun)
    assert states == {
        (of_disks, "online", "active", "active", True),
        (of_disks, "offline", "dead", "dead", False),
        (of_latency, "online", "disabled", "disabled", False),
        (of_latency, "offline", "disabled", "disabled", False),
    }
