"""Random sequences of writes, reboots and waiting, against a model of what should be there."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from pyVmomi import VmomiSupport, vim, vmodl

from auditor.clients.vcenter import open_vcenter
from auditor.errors import EndpointError
from auditor.lab.authority import Authority
from auditor.lab.scenario import parse_scenario
from auditor.lab.vcenter import VCenterServer, state
from auditor.model import Endpoint, EndpointKind, Secret, Tls

LONG = VmomiSupport.GetVmodlType("long")
USER, PASSWORD = "auditor@vsphere.local", "only-for-this-test"
DISK, ENDPOINT = "naa.624a9370aaaa", "naa.6f47acc2000000017366707200000000"
OWNED, FREE, PE_OPTION = "Disk.QFullSampleSize", "Disk.QFullThreshold", "Scsi.ScsiVVolPESNRO"
IN_PROFILE = 16
REBOOT, SIOC_BACK, PROFILE_BACK = 10.0, 20.0, 30.0  # seconds
FLEET = """
vcenters:
  - name: vc-model
    host_build: 22380479
    devices:
      disk: {vendor: PURE, model: FlashArray, names: [naa.624a9370aaaa], targets: [iqn.x:disk]}
      endpoint:
        {vendor: SolidFir, model: SSD SAN, protocol_endpoint: true, names: [naa.6f47acc2000000017366707200000000], targets: [iqn.x:pe]}
    templates:
      host:
        hbas: [{device: vmhba64, kind: iscsi, driver: iscsi_vmk, model: iSCSI Software Adapter, software: true}]
        devices: [disk, endpoint]
    clusters:
      - {name: one, drs: false, hosts: [{name: "esx-{n}", count: 2, like: host}]}
    datastores:
      - {name: inside, type: VMFS, extents: [naa.624a9370aaaa], clusters: [one]}
      - {name: outside, type: NFS, remote_host: 198.51.100.9, remote_path: /b, clusters: [one]}
    pods:
      - {name: pod, datastores: [inside], io_metric: true, sioc_back_seconds: 20}
    profiles:
      - {name: profile, hosts: [esx-1], options: {Disk.QFullSampleSize: 16}, after_seconds: 30}
"""


class Clock:
    """The lab's own time, which passes when the machine says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


class Modelled:
    """What a host should be like."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.options: dict[str, int] = {OWNED: 0, FREE: 8, PE_OPTION: 256}
        self.claimed_with = 256  # DSNRO of an endpoint that nobody has set
        self.configured, self.in_effect = "", ""
        self.dsnro: dict[str, int] = {}
        self.policy = "VMW_PSP_RR"
        self.back_at: float | None = None  # when a reboot ends
        self.profile_at: list[float] = []

    def has_depth(self) -> int:
        words = dict(word.split("=") for word in self.in_effect.split())
        return int(words.get("iscsivmk_LunQDepth", 128))


class Model:
    """What should be there, told in the test's own words: nothing here looks into the lab."""

    def __init__(self) -> None:
        self.hosts = {name: Modelled(name) for name in ("esx-1", "esx-2")}
        self.sioc = {"inside": True, "outside": False}
        self.metric, self.drs = True, True
        self.sioc_at: list[float] = []

    @property
    def holds(self) -> bool:
        return self.metric and self.drs

    def pass_to(self, now: float) -> None:
        """Let happen whose time has come; a profile that finds its host down tries again later."""
        for host in self.hosts.values():
            due = [at for at in host.profile_at if at <= now]
            host.profile_at = [at for at in host.profile_at if at > now]
            for at in due:
                if host.back_at is None or host.back_at <= at:
                    host.options[OWNED] = IN_PROFILE
                else:
                    host.profile_at.append(now + PROFILE_BACK)
            if host.back_at is not None and host.back_at <= now:
                host.back_at = None
                host.in_effect = host.configured
                host.claimed_with = host.options[PE_OPTION]
        if any(at <= now for at in self.sioc_at) and self.holds:
            self.sioc["inside"] = True
        self.sioc_at = [at for at in self.sioc_at if at > now]


hosts = st.sampled_from(["esx-1", "esx-2"])


class Fleet(RuleBasedStateMachine):
    """A vCenter behind its real protocol, and the model."""

    folder: Path  # with the CA's certificate and the password
    authority: Authority
    clock: Clock

    def __init__(self) -> None:
        super().__init__()
        self.clock.now = 1000.0
        self.server = VCenterServer(parse_scenario(FLEET, "model").vcenters[0], self.authority.server_context("127.0.0.1"), USER, PASSWORD)
        self.server.state.reboot_seconds = REBOOT
        endpoint = Endpoint(
            "vc-model",
            EndpointKind.VCENTER,
            self.server.host,
            self.server.port,
            USER,
            Secret("file", (str(self.folder / "password"),)),
            Tls(ca=str(self.folder / "ca.pem")),
        )
        self.session = open_vcenter(endpoint)
        self.vcenter: Any = self.session.__enter__()
        self.model = Model()
        self.storage = self.vcenter.content.storageResourceManager
        self.ids = {"esx-1": "host-11", "esx-2": "host-12"}

    def teardown(self) -> None:
        self.session.__exit__(None, None, None)
        self.server.stop()

    def managed(self, kind: Any, moid: str) -> Any:
        return self.vcenter.object(kind, moid)

    def options_of(self, host: str) -> Any:
        return self.managed(vim.option.OptionManager, f"EsxHostAdvSettings-{self.ids[host][5:]}")

    @rule(host=hosts, key=st.sampled_from([OWNED, FREE, PE_OPTION]), value=st.integers(min_value=-1, max_value=600))
    def write_option(self, host: str, key: str, value: int) -> None:
        least, most = {OWNED: (0, 64), FREE: (1, 16), PE_OPTION: (32, 4096)}[key]
        about = self.model.hosts[host]
        change = vim.option.OptionValue(key=key, value=LONG(value))
        if about.back_at is not None:
            with pytest.raises(vmodl.fault.HostNotReachable):
                self.options_of(host).UpdateOptions([change])
        elif not least <= value <= most:
            with pytest.raises(vmodl.fault.InvalidArgument):
                self.options_of(host).UpdateOptions([change])
        else:
            self.options_of(host).UpdateOptions([change])
            about.options[key] = value
            if host == "esx-1" and about.options[OWNED] != IN_PROFILE:
                about.profile_at.append(self.clock.now + PROFILE_BACK)

    @rule(host=hosts, depth=st.one_of(st.none(), st.integers(min_value=1, max_value=256)))
    def write_module(self, host: str, depth: int | None) -> None:
        about = self.model.hosts[host]
        text = "" if depth is None else f"iscsivmk_LunQDepth={depth} iscsivmk_HostQDepth=512"
        modules = self.managed(vim.host.KernelModuleSystem, f"kernelModuleSystem-{self.ids[host][5:]}")
        if about.back_at is not None:
            with pytest.raises(vmodl.fault.HostNotReachable):
                modules.UpdateModuleOptionString("iscsi_vmk", text)
        else:
            modules.UpdateModuleOptionString("iscsi_vmk", text)
            about.configured = text

    @rule(host=hosts, device=st.sampled_from([DISK, ENDPOINT]), value=st.integers(min_value=0, max_value=5000))
    def write_dsnro(self, host: str, device: str, value: int) -> None:
        about = self.model.hosts[host]
        good = 1 <= value <= (4096 if device == ENDPOINT else 256)
        esxcli = self.vcenter.esxcli(self.ids[host])
        if good and about.back_at is None:
            esxcli.run("storage core device set", device=device, schednumreqoutstanding=value)
            about.dsnro[device] = value
        else:
            with pytest.raises(EndpointError):
                esxcli.run("storage core device set", device=device, schednumreqoutstanding=value)

    @rule(host=hosts, policy=st.sampled_from(["VMW_PSP_RR", "VMW_PSP_MRU"]))
    def write_policy(self, host: str, policy: str) -> None:
        about = self.model.hosts[host]
        if about.back_at is not None:
            return
        system = self.managed(vim.host.StorageSystem, f"storageSystem-{self.ids[host][5:]}")
        unit = system.storageDeviceInfo.multipathInfo.lun[0].id
        system.SetMultipathLunPolicy(unit, vim.host.MultipathInfo.LogicalUnitPolicy(policy=policy))
        about.policy = policy

    @rule(store=st.sampled_from(["inside", "outside"]), enabled=st.booleans())
    def write_sioc(self, store: str, enabled: bool) -> None:
        moid = {"inside": "datastore-101", "outside": "datastore-102"}[store]
        spec = vim.StorageResourceManager.IORMConfigSpec(enabled=enabled)
        self.storage.ConfigureDatastoreIORM_Task(self.managed(vim.Datastore, moid), spec)
        self.model.sioc[store] = enabled
        if store == "inside" and not enabled and self.model.holds:
            self.model.sioc_at.append(self.clock.now + SIOC_BACK)

    @rule(metric=st.one_of(st.none(), st.booleans()), drs=st.one_of(st.none(), st.booleans()))
    def write_storage_drs(self, metric: bool | None, drs: bool | None) -> None:
        spec = vim.storageDrs.ConfigSpec(podConfigSpec=vim.storageDrs.PodConfigSpec(ioLoadBalanceEnabled=metric, enabled=drs))
        self.storage.ConfigureStorageDrsForPod_Task(self.managed(vim.StoragePod, "group-p201"), spec, modify=True)
        self.model.metric = self.model.metric if metric is None else metric
        self.model.drs = self.model.drs if drs is None else drs
        if self.model.holds:
            self.model.sioc["inside"] = True

    @rule(host=hosts)
    def reboot(self, host: str) -> None:
        about = self.model.hosts[host]
        if about.back_at is None:
            self.managed(vim.HostSystem, self.ids[host]).RebootHost_Task(force=True)
            about.back_at = self.clock.now + REBOOT

    # Odd seconds, so that nothing is due at the very moment somebody asks.
    @rule(seconds=st.sampled_from([7.01, 13.03, 31.07]))
    def time_passes(self, seconds: float) -> None:
        self.clock.now += seconds
        self.model.pass_to(self.clock.now)

    @invariant()
    def datastores_are_as_modelled(self) -> None:
        stores = self.vcenter.read(vim.Datastore, ["name", "iormConfiguration.enabled"])
        assert {one.values["name"]: one.values["iormConfiguration.enabled"] for one in stores} == self.model.sioc

    @precondition(lambda self: any(host.back_at is None for host in self.model.hosts.values()))
    @invariant()
    def hosts_are_as_modelled(self) -> None:
        for name, about in self.model.hosts.items():
            if about.back_at is not None:
                assert self.managed(vim.HostSystem, self.ids[name]).runtime.connectionState == "notResponding"
                continue
            listed = {one.key: one.value for one in self.options_of(name).setting if one.key in about.options}
            assert listed == about.options
            rows = {row["Device"]: row for row in self.vcenter.esxcli(self.ids[name]).run("storage core device list")}
            assert {row["DeviceMaxQueueDepth"] for row in rows.values()} == {str(about.has_depth())}
            dsnro = {device: int(str(row["NoofoutstandingIOswithcompetingworlds"])) for device, row in rows.items()}
            assert dsnro == {DISK: about.dsnro.get(DISK, 32), ENDPOINT: about.dsnro.get(ENDPOINT, about.claimed_with)}
            (modules,) = self.managed(vim.host.KernelModuleSystem, f"kernelModuleSystem-{self.ids[name][5:]}").QueryModules()
            assert modules.optionString == about.configured
            (path,) = self.vcenter.esxcli(self.ids[name]).run("storage nmp device list", device=DISK)
            assert path["PathSelectionPolicy"] == about.policy


def test_whatever_is_written_in_whatever_order_is_there_as_modelled(
    authority: Authority, client_context: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority.write(tmp_path / "ca.pem")
    (tmp_path / "password").write_text(PASSWORD, encoding="utf-8")
    clock = Clock()
    monkeypatch.setattr(state, "time", clock)
    machine = type("Fleet", (Fleet,), {"folder": tmp_path, "authority": authority, "clock": clock})
    few = settings(
        max_examples=10,
        stateful_step_count=30,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate),  # shrinking would take minutes: each step is a dozen calls over the wire
    )
    run_state_machine_as_test(machine, settings=few)
