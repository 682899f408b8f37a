"""The state of each simulated host: its description, and everything that was written to it since the start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor_lab.vcenter.description.modules import module_of
from auditor_lab.vcenter.state.event_log import OnChange, Watched, WatchedOptions
from auditor_lab.vcenter.state.options import OptionDef, options_of

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription, TargetDescription
    from auditor_lab.vcenter.description.hosts import HostDescription, OptionValue
    from auditor_lab.vcenter.state.path_policy import PathPolicy

HOST_AGENT_ID = "ha-host"
"""The managed object id of the host on every host agent. Source: govmomi, simulator/esx/host_system.go."""

ORDINARY_DSNRO = 32
"""Commands; the default of an ordinary device. Source: docs/domain/facts.md#1-4."""

ISCSI_PARAMETERS = {"LoginTimeout": 5, "NoopOutInterval": 15, "NoopOutTimeout": 10, "RecoveryTimeout": 10}
"""Seconds; the initial parameters of an iSCSI adapter, besides DelayedAck.

Source: docs/domain/facts.md#5 for the names, and for the first value (Dell PS: "default 5 too short"); the other values are known from
esxcli and not verified, nor is it that the API has esxcli's names. A real adapter has some ten more.
"""

BALANCED = 2
"""Key of the power policy that ESXi has from the start: "Balanced (Default)" in its client (known)."""

TargetKey = tuple[str, str, str, int, str]  # adapter, kind, address, port, iqn


class ModuleState:
    """A kernel module: `configured` applies at the next load, `in_effect` was applied at the last one."""

    def __init__(self, configured: str, in_effect: str, *, loaded: bool, version: str | None = None) -> None:
        self.version = version  # None: as the lab's driver of that name has it
        self.configured = configured
        self.in_effect = in_effect
        self.loaded = loaded


class HostState:
    """The state of one host; `on_change` is called for changes that cause events."""

    in_maintenance_mode = Watched[bool]()
    connection_state = Watched[str]()
    on_change: OnChange | None = None

    def __init__(self, description: HostDescription, moid: str) -> None:
        self.description = description
        self.moid = moid
        self.definitions: dict[str, OptionDef] = {one.key: one for one in options_of(description.version, description.build)}
        defaults: dict[str, OptionValue] = {key: one.default for key, one in self.definitions.items()}
        self.options = WatchedOptions(defaults | dict(description.options))
        self.modules = _modules_of(description)
        self.hbas: dict[str, HbaDescription] = {hba.device: hba for hba in description.hbas}
        self.devices: dict[str, DeviceDescription] = {device.name: device for device in description.devices}
        self.device_settings: dict[str, dict[str, int]] = {name: {"dsnro": value} for name, value in description.dsnro.items()}
        self.path_policies: dict[str, PathPolicy] = {}  # by device, where somebody changed it; survives reboots
        self.satp_rules = description.satp_rules  # added to the build's; replaced, never changed
        self.lost_paths: set[tuple[str, str]] = set()  # (device, target): dead, where a test or a fault says so
        self.claimed_with: dict[str, int] = {}  # default DSNRO of endpoints that were added after the host had booted
        self.adapter_delayed_ack: dict[str, bool] = {hba.device: hba.delayed_ack for hba in description.hbas}
        self.target_delayed_ack: dict[TargetKey, bool] = {
            target_key(hba.device, target): target.delayed_ack
            for hba in description.hbas
            for target in hba.targets
            if target.delayed_ack is not None
        }
        self.adapter_parameters: dict[str, dict[str, int]] = {
            hba.device: ISCSI_PARAMETERS | dict(hba.parameters) for hba in description.hbas if hba.kind == "iscsi"
        }
        self.target_parameters: dict[TargetKey, dict[str, int]] = {
            target_key(hba.device, target): dict(target.parameters)
            for hba in description.hbas
            for target in hba.targets
            if target.parameters
        }
        self.in_maintenance_mode = description.in_maintenance_mode
        self.connection_state = description.connection_state
        self.boot_time = datetime.now(UTC) - timedelta(days=30)
        self.power_policy = BALANCED
        self._endpoint_default = self._endpoint_option()

    @property
    def number(self) -> int:
        """The number in its id, which its addresses are made from; 1 of the host of a host agent."""
        return 1 if self.moid == HOST_AGENT_ID else int(self.moid.removeprefix("host-"))

    @property
    def reachable(self) -> bool:
        """Whether vCenter can reach the host."""
        return self.connection_state == "connected"

    def dsnro(self, device: DeviceDescription) -> int:
        """Outstanding commands with competing worlds, as configured.

        A protocol endpoint takes Scsi.ScsiVVolPESNRO when it is claimed. Whether a later change of the option reaches a claimed endpoint is
        not verified (docs/domain/facts.md#12); here it does so at the next reboot.
        """
        own = self.device_settings.get(device.name, {}).get("dsnro")
        if own is not None:
            return own
        return self.claimed_with.get(device.name, self._endpoint_default) if device.protocol_endpoint else ORDINARY_DSNRO

    def perennially_reserved(self, device: DeviceDescription) -> bool:
        """Whether somebody marked the device on this host; survives reboots."""
        return bool(self.device_settings.get(device.name, {}).get("perennially_reserved", False))

    def claim(self, device: DeviceDescription) -> None:
        """Add a device that has just appeared; a protocol endpoint takes the option's current value."""
        self.devices[device.name] = device
        if device.protocol_endpoint:
            self.claimed_with[device.name] = self._endpoint_option()

    def queue_depth(self, device: DeviceDescription) -> int:
        """Device Max Queue Depth: its own, else from the options its adapters' modules were loaded with; the smallest of several."""
        if device.queue_depth is not None:
            return device.queue_depth
        drivers = {hba.driver for hba in self.hbas.values() if hba.reaches(device)}
        depths = [module_of(driver).queue_depth(self.modules[driver].in_effect) for driver in drivers]
        return min(depths, default=ORDINARY_DSNRO)

    def reboot(self) -> None:
        """Load the modules with their configured options, and claim the devices again."""
        for module in self.modules.values():
            module.in_effect = module.configured
        self.claimed_with.clear()
        self._endpoint_default = self._endpoint_option()
        self.boot_time = datetime.now(UTC)

    def _endpoint_option(self) -> int:
        return int(self.options["Scsi.ScsiVVolPESNRO"])


class Hosts(Mapping[str, HostState]):
    """The hosts by managed object id; a host's state is created on first use, and then stays."""

    def __init__(self, described: Iterable[HostDescription], *, is_host_agent: bool = False) -> None:
        self._described = {HOST_AGENT_ID if is_host_agent else f"host-{place}": host for place, host in enumerate(described, 11)}
        self._alive: dict[str, HostState] = {}
        self.on_create: Callable[[HostState], None] | None = None  # called for each host whose state is created

    def __getitem__(self, moid: str) -> HostState:
        host = self._alive.get(moid)
        if host is None:
            host = self._alive[moid] = HostState(self._described[moid], moid)
            if self.on_create is not None:
                self.on_create(host)
        return host

    def __iter__(self) -> Iterator[str]:
        return iter(self._described)

    def __len__(self) -> int:
        return len(self._described)

    def __contains__(self, moid: object) -> bool:
        return moid in self._described

    @contextmanager
    def replaced(self, by: HostState) -> Iterator[None]:
        """Replace the host with the same id until the block ends."""
        before, self._alive[by.moid] = self[by.moid], by
        try:
            yield
        finally:
            self._alive[by.moid] = before

    @property
    def described(self) -> Mapping[str, HostDescription]:
        """The description of each host at the start; reading it creates no state."""
        return self._described

    @property
    def created(self) -> int:
        """The number of hosts whose state was created."""
        return len(self._alive)


def owner_of(manager_id: str) -> str:
    """The managed object id of the host that a manager with this id belongs to: the last part of both is the same."""
    last = manager_id.rpartition("-")[2]
    return HOST_AGENT_ID if last == HOST_AGENT_ID.rpartition("-")[2] else f"host-{last}"


def target_key(hba: str, target: TargetDescription) -> TargetKey:
    """The key that identifies one configured target of a host."""
    return (hba, target.kind, target.address, target.port, target.iqn)


def _modules_of(description: HostDescription) -> dict[str, ModuleState]:
    names = {hba.driver for hba in description.hbas} | set(description.modules)
    states = {}
    for name in sorted(names):
        module = description.modules.get(name)
        if module is None:
            states[name] = ModuleState("", "", loaded=True)
        else:
            states[name] = ModuleState(
                module.configured,
                module.configured if module.in_effect is None else module.in_effect,
                loaded=module.loaded,
                version=module.version,
            )
    return states
