"""Random sequences of writes, reboots, waiting and faults at a vCenter, against a model of what should be there.

Each step reads back what it could have touched, by the other form than it was written in where there is one; every tenth step and the end
of a sequence compare everything. How much is tried, and how to try more: see tests/long/lab/properties/line.py.
"""

from __future__ import annotations

import ssl
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from auditor_lab.arrays.element.cluster import Cluster
from auditor_lab.arrays.element.description import ElementDescription, NodeDescription
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.scenario import parse_scenario
from auditor_lab.storage_nodes import add_storage_node
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.state import vcenter as state
from tests.long.lab.properties.line import BUSY, ON_THE_WIRE, done, search, seen, troubled, troubles
from tests.long.lab.properties.vcenter_calls import PASSWORD, USER, Caller, Told, number, reference, result
from tests.long.lab.properties.vcenter_looks import HOSTS, NESTED, POD, STORES, VCenterLooks
from tests.long.lab.properties.vcenter_model import (
    AWAY,
    DISK,
    ENDPOINT,
    OK,
    OPTIONS,
    OWNED,
    REBOOT,
    REFUSED,
    ROUND_ROBIN,
    Model,
)
from tests.waiting import Clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.authority import Authority

ARRAY = ElementDescription(name="sf", unique_id="lab1", nodes=(NodeDescription(1, "n1"),))
FLEET = f"""
vcenters:
  - name: vc-model
    host_build: 22380479
    devices:
      disk: {{vendor: PURE, model: FlashArray, names: [{DISK}], targets: [iqn.x:disk]}}
      endpoint: {{vendor: SolidFir, model: SSD SAN, protocol_endpoint: true, names: [{ENDPOINT}], targets: [iqn.x:pe]}}
    templates:
      host:
        hbas: [{{device: vmhba64, kind: iscsi, driver: iscsi_vmk, model: iSCSI Software Adapter, software: true}}]
        devices: [disk, endpoint]
    clusters:
      - {{name: one, drs: false, hosts: [{{name: "esx-{{n}}", count: 2, like: host}}]}}
    datastores:
      - {{name: inside, type: VMFS, extents: [{DISK}], clusters: [one]}}
      - {{name: outside, type: NFS, remote_host: 198.51.100.9, remote_path: /b, clusters: [one]}}
      - {{name: vvols, type: VVOL, container_id: 5a1e0000-0000-0000-0000-00000000c0de, endpoints: [{ENDPOINT}], clusters: [one]}}
    pods:
      - {{name: pod, datastores: [inside], io_metric: true, sioc_back_seconds: 20}}
    profiles:
      - {{name: profile, hosts: [esx-1], options: {{{OWNED}: 16}}, after_seconds: 30}}
"""
SETTINGS_PRIVILEGES = {
    "UpdateOptions": "Host.Config.AdvancedConfig",
    "ConfigureDatastoreIORM_Task": "Datastore.ConfigIOManagement",
    "ConfigureStorageDrsForPod_Task": "StoragePod.Config",
    "EnterMaintenanceMode_Task": "Host.Config.Maintenance",
    "ExitMaintenanceMode_Task": "Host.Config.Maintenance",
    "RebootHost_Task": "Host.Config.Maintenance",
    "SetMultipathLunPolicy": "Host.Config.Storage",
    "RescanAllHba": "Host.Config.Storage",
    "UpdateModuleOptionString": "Host.Config.Settings",
}

hosts = st.sampled_from(sorted(HOSTS))
devices = st.sampled_from([0, 0, 0, 1, 1, 2, 3])  # mostly the same ones, so that writes meet
on_hosts = troubles("session", "permission", "deaf", "half")
in_tasks = troubles("session", "permission", "deaf", "half", "stuck")


class VCenterMachine(VCenterLooks, RuleBasedStateMachine):
    """A vCenter and an array behind their real protocols, and the model."""

    tls: ssl.SSLContext
    context: ssl.SSLContext
    clock: Clock
    array: ElementServer

    def __init__(self) -> None:
        super().__init__()
        self.clock.now = 1000.0
        self.array.cluster = Cluster(ARRAY)
        self.server = VCenterServer(parse_scenario(FLEET, "model").vcenters[0], self.tls, USER, PASSWORD)
        self.server.state.reboot_seconds = REBOOT
        self.caller = Caller(self.server.port, self.context)
        self.model = Model()
        self.steps = 0
        self.sound = True

    def teardown(self) -> None:
        try:
            if self.sound:
                self.compare()
        finally:
            self.caller.close()
            self.server.stop()

    def device(self, which: int) -> str:
        names = [DISK, *(name for name in self.model.hosts["esx-1"].claimed_with if name != DISK)]
        return names[which % len(names)]

    # What a write brings, and what is there after it.

    def write(
        self,
        operation: str,
        send: Callable[[], Told],
        change: Callable[[Model], str],
        trouble: str | None,
        half: Callable[[Model], str] | None,
        *,
        empty: bool = False,
    ) -> Told | None:
        """Send a write under a fault; what the client is answered, and what is true then, must be as the model has it.

        Args:
            operation: what the fault hits: a method or, with dots in its name, an esxcli command.
            send: sends it.
            change: what it does to the model; answers what the client is answered.
            trouble: the fault's kind.
            half: what the first half of it does; None when it has no halves, so that it is done whole and then fails.
            empty: whether the answer to a write that goes well has no body.
        """
        self.sound = False
        after = deepcopy(self.model)
        answer = (half if trouble == "half" and half else change)(after)
        esxcli = "." in operation
        lacking = "Host.Config.Storage" if esxcli else SETTINGS_PRIVILEGES[operation]
        applied = answer == OK and done(trouble) and trouble not in ("session", "permission", "deaf", "stuck")
        if trouble == "session":
            answer = "NotAuthenticated"
        elif trouble == "permission":
            answer = AWAY if esxcli and answer == AWAY else "NoPermission"
        elif trouble == "half" and answer == OK:
            answer = REFUSED if esxcli else "SystemError"
        reported: list[Told] = []

        def ask() -> str:
            reported.append(send())
            return reported[0].outcome

        got = troubled(self.server.faults, trouble, operation, ask, privilege=lacking if trouble == "permission" else "")
        # An answer that is empty has come whole when it is cut.
        assert got == (answer if trouble == "truncate" and answer == OK and empty else seen(trouble, answer))
        if got == "NoPermission":
            assert reported[0].value == lacking, "it names the privilege that is missing"
        if trouble == "truncate":
            self.caller.close()  # the server has, whether or not there was something to cut
        if trouble == "session":
            self.caller.log_in()
        if applied:
            self.model = after
        self.sound = True
        return reported[0] if got == OK else None

    def call(
        self,
        form: str,
        where: tuple[str, str, str],
        arguments: dict[str, Any],
        change: Callable[[Model], str],
        trouble: str | None,
        half: Callable[[Model], str] | None = None,
    ) -> None:
        kind, moid, method = where
        send = partial(self.caller.soap if form == "soap" else self.caller.json, kind, moid, method, arguments)
        answer = self.write(method, send, change, trouble, half, empty=form == "json" and not method.endswith("_Task"))
        if method.endswith("_Task") and answer is not None:
            info = self.caller.read("Task", result(answer), "info")
            assert info["state"] == ("running" if trouble == "stuck" else "success")

    def settled(self, *looks: Callable[[], None]) -> None:
        """The end of a step: look at what it could have touched, and every tenth time at everything."""
        self.steps += 1
        self.sound = False
        for look in looks:
            look()
        if self.steps % 10 == 0:
            self.compare()
        self.sound = True

    # Writing.

    @rule(
        form=st.sampled_from(["soap", "json"]),
        host=hosts,
        changes=st.lists(
            st.sampled_from(sorted(OPTIONS)).flatmap(
                lambda key: st.tuples(
                    st.just(key), st.integers(*OPTIONS[key]) | st.sampled_from([OPTIONS[key][0] - 1, OPTIONS[key][1] + 1, 16])
                )
            ),
            min_size=1,
            max_size=4,
        ),
        trouble=on_hosts,
    )
    def write_options(self, form: str, host: str, changes: list[tuple[str, int]], trouble: str | None) -> None:
        arguments = {"changedValue": [{"key": key, "value": number(value)} for key, value in changes]}
        first = changes[: len(changes) // 2] or changes
        where = ("OptionManager", f"EsxHostAdvSettings-{HOSTS[host]}", "UpdateOptions")
        change, half = (partial(Model.write_options, name=host, changes=some) for some in (changes, first))
        self.call(form, where, arguments, change, trouble, half)
        self.settled(partial(self.look_at_options, host))

    @rule(form=st.sampled_from(["soap", "json"]), host=hosts, depth=st.none() | st.integers(min_value=1, max_value=256), trouble=on_hosts)
    def write_module(self, form: str, host: str, depth: int | None, trouble: str | None) -> None:
        words = [] if depth is None else [f"iscsivmk_LunQDepth={depth}", "iscsivmk_HostQDepth=512"]
        where = ("HostKernelModuleSystem", f"kernelModuleSystem-{HOSTS[host]}", "UpdateModuleOptionString")
        change, half = (partial(Model.write_module, name=host, text=" ".join(some)) for some in (words, words[:1]))
        self.call(form, where, {"name": "iscsi_vmk", "options": " ".join(words)}, change, trouble, half)
        self.settled(partial(self.look_at_module, host), partial(self.look_at_devices, host, DISK))

    @rule(
        host=hosts,
        which=devices,
        settings=st.lists(
            st.one_of(
                st.tuples(st.just("schednumreqoutstanding"), st.sampled_from([0, 1, 32, 64, 128, 256, 257, 4096, 4097])),
                st.tuples(st.just("queuefullsamplesize"), st.sampled_from([0, 32, 64, 65])),
                st.tuples(st.just("queuefullthreshold"), st.sampled_from([0, 1, 8, 16, 17])),
            ),
            min_size=1,
            unique_by=lambda one: one[0],
        ),
        trouble=on_hosts,
    )
    def set_a_device(self, host: str, which: int, settings: list[tuple[str, int]], trouble: str | None) -> None:
        device = self.device(which)
        first = settings[: max(1, len(settings) // 2)]
        change, half = (partial(Model.set_device, name=host, device=device, settings=some) for some in (settings, first))
        self.command("storage.core.device.set", host, device, settings, change, trouble, half)
        self.settled(partial(self.look_at_devices, host, device))

    def command(
        self,
        name: str,
        host: str,
        device: str,
        settings: list[tuple[str, Any]],
        change: Callable[[Model], str],
        trouble: str | None,
        half: Callable[[Model], str],
    ) -> None:
        send = partial(self.caller.esxcli, f"host-{HOSTS[host]}", name, {"device": device, **dict(settings)})
        self.write(name, send, change, trouble, half)

    @rule(
        form=st.sampled_from(["soap", "json", "esxcli"]),
        host=hosts,
        which=devices,
        policy=st.sampled_from([ROUND_ROBIN, ROUND_ROBIN, "VMW_PSP_MRU", "VMW_PSP_FIXED", "VMW_PSP_NONE"]),
        trouble=on_hosts,
    )
    def set_a_policy(self, form: str, host: str, which: int, policy: str, trouble: str | None) -> None:
        device = self.device(which)
        change = partial(Model.set_policy, name=host, device=device, policy=policy)
        if form == "esxcli":

            def refused(model: Model) -> str:
                answer = change(model)
                return REFUSED if answer not in (OK, AWAY) else answer

            self.command("storage.nmp.device.set", host, device, [("psp", policy)], refused, trouble, refused)
        else:
            # ScsiLun.uuid: type prefix, device name, and letters of the model (known).
            model = b"FlashA" if device == DISK else b"SSD SA"
            unit = f"0200000000{device.removeprefix('naa.')}{model.hex()}"
            where = ("HostStorageSystem", f"storageSystem-{HOSTS[host]}", "SetMultipathLunPolicy")
            self.call(form, where, {"lunId": unit, "policy": {"policy": policy}}, change, trouble)
        self.settled(partial(self.look_at_policies, host))

    # Seldom by chance, and what the new policy must not bring back.
    @rule(form=st.sampled_from(["soap", "esxcli"]), host=hosts, which=devices)
    def change_a_policy_and_back(self, form: str, host: str, which: int) -> None:
        for policy in ("VMW_PSP_MRU", ROUND_ROBIN):
            self.set_a_policy(form=form, host=host, which=which, policy=policy, trouble=None)

    @rule(
        host=hosts,
        which=devices,
        settings=st.sampled_from(
            [
                [("type", "iops"), ("iops", 1)],
                [("type", "iops"), ("iops", 7)],
                [("type", "iops"), ("iops", 0)],
                [("iops", 10), ("type", "iops")],
                [("type", "iops")],
                [("type", "default")],
                [("iops", 1)],
            ]
        ),
        trouble=on_hosts,
    )
    def set_round_robin(self, host: str, which: int, settings: list[tuple[str, Any]], trouble: str | None) -> None:
        device = self.device(which)
        change, half = (partial(Model.set_round_robin, name=host, device=device, settings=some) for some in (settings, settings[:1]))
        self.command("storage.nmp.psp.roundrobin.deviceconfig.set", host, device, settings, change, trouble, half)
        self.settled(partial(self.look_at_policies, host))

    @rule(form=st.sampled_from(["soap", "json"]), host=hosts, enter=st.booleans(), trouble=in_tasks)
    def maintain(self, form: str, host: str, trouble: str | None, *, enter: bool) -> None:
        where = ("HostSystem", f"host-{HOSTS[host]}", "EnterMaintenanceMode_Task" if enter else "ExitMaintenanceMode_Task")
        self.call(form, where, {"timeout": 0}, partial(Model.maintain, name=host, enter=enter), trouble)
        self.settled(partial(self.look_at_state, host))

    @rule(form=st.sampled_from(["soap", "json"]), host=hosts, force=st.booleans(), trouble=in_tasks)
    def reboot(self, form: str, host: str, trouble: str | None, *, force: bool) -> None:
        where = ("HostSystem", f"host-{HOSTS[host]}", "RebootHost_Task")
        self.call(form, where, {"force": force}, partial(Model.reboot, name=host, force=force), trouble)
        self.settled(partial(self.look_at_state, host))

    @rule(form=st.sampled_from(["soap", "json"]), host=hosts, trouble=on_hosts)
    def rescan(self, form: str, host: str, trouble: str | None) -> None:
        where = ("HostStorageSystem", f"storageSystem-{HOSTS[host]}", "RescanAllHba")
        self.call(form, where, {}, partial(Model.look_for_devices, name=host), trouble)
        self.settled(partial(self.look_at_devices, host))

    @rule(
        form=st.sampled_from(["soap", "json"]),
        store=st.sampled_from(sorted(STORES)),
        spec=st.fixed_dictionaries(
            {},
            optional={
                "enabled": st.booleans(),
                "congestionThresholdMode": st.sampled_from(["automatic", "manual"]),
                "congestionThreshold": st.sampled_from([5, 20, 20, 100, 4]),
                "percentOfPeakThroughput": st.sampled_from([50, 75, 75, 100, 101]),
                "statsCollectionEnabled": st.booleans(),
            },
        ),
        trouble=in_tasks,
    )
    def write_sioc(self, form: str, store: str, spec: dict[str, Any], trouble: str | None) -> None:
        # SOAP wants the members in the order of the WSDL, from which the strategy's keys differ.
        order = ("enabled", "congestionThresholdMode", "congestionThreshold", "percentOfPeakThroughput", "statsCollectionEnabled")
        arguments = {"datastore": reference("Datastore", STORES[store]), "spec": {name: spec[name] for name in order if name in spec}}
        where = ("StorageResourceManager", "StorageResourceManager", "ConfigureDatastoreIORM_Task")
        self.call(form, where, arguments, partial(Model.write_sioc, store=store, spec=spec), trouble)
        self.settled(partial(self.look_at_sioc, store))

    @rule(
        form=st.sampled_from(["soap", "json"]),
        spec=st.fixed_dictionaries(
            {},
            optional={
                "enabled": st.booleans(),
                "ioLoadBalanceEnabled": st.booleans(),
                "loadBalanceInterval": st.sampled_from([60, 480, 480, 43201]),
                "defaultVmBehavior": st.sampled_from(["manual", "automated"]),
                "ioLatencyThreshold": st.sampled_from([5, 20, 20, 4]),
                "spaceUtilizationThreshold": st.sampled_from([50, 90, 90, 49]),
            },
        ),
        modify=st.booleans(),
        trouble=in_tasks,
    )
    def write_storage_drs(self, form: str, spec: dict[str, Any], trouble: str | None, *, modify: bool) -> None:
        reported: dict[str, Any] = {}
        for name, value in spec.items():
            reported[NESTED.get(name, name)] = {name: value} if name in NESTED else value
        arguments = {"pod": reference("StoragePod", POD), "spec": {"podConfigSpec": reported}, "modify": modify}
        where = ("StorageResourceManager", "StorageResourceManager", "ConfigureStorageDrsForPod_Task")
        self.call(form, where, arguments, partial(Model.write_pod, spec=spec, modify=modify), trouble)
        self.settled(self.look_at_pod, partial(self.look_at_sioc, "inside"))

    @rule()
    def a_storage_node_joins(self) -> None:
        if self.model.nodes < 4:
            add_storage_node(self.array, [self.server])
            # One endpoint a node; its name follows from the node's number and the cluster's id (docs/domain/arrays.md#device-names).
            self.model.add_endpoint(f"naa.6f47acc2{self.model.nodes + 1:08x}6c61623100000000")
        self.settled(*(partial(self.look_at_devices, name) for name in HOSTS), self.look_at_endpoints)

    # Odd seconds, so that nothing is due at the very moment somebody asks.
    @rule(seconds=st.sampled_from([3.01, 7.01, 13.03, 31.07]))
    def time_passes(self, seconds: float) -> None:
        self.clock.now += seconds
        self.model.pass_to(self.clock.now)
        looks = [partial(look, name) for name in HOSTS for look in (self.look_at_state, self.look_at_options)]
        self.settled(*looks, partial(self.look_at_sioc, "inside"))

    @rule(trouble=st.sampled_from([*ON_THE_WIRE, "session"]))
    def a_reading_goes_wrong(self, trouble: str) -> None:
        ask = partial(self.caller.json, "Datastore", STORES["inside"], "iormConfiguration", None)
        got = troubled(self.server.faults, trouble, "iormConfiguration", lambda: ask().outcome)
        if trouble == "session":
            assert got == "NotAuthenticated"
            self.caller.log_in()
        else:
            assert got == seen(trouble, OK)
            assert (got == BUSY) == (trouble == "status")
        self.settled(partial(self.look_at_sioc, "inside"))


def test_whatever_is_written_in_whatever_order_and_whatever_goes_wrong_is_there_as_modelled(
    authority: Authority, client_context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(state, "time", clock)
    tls = authority.server_context("127.0.0.1")
    array = ElementServer(ARRAY, tls, USER, PASSWORD)
    try:
        search(VCenterMachine, 50, 40, tls=tls, context=client_context, clock=clock, array=array)
    finally:
        array.stop()
