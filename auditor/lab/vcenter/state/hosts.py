"""The state of each simulated host: its description, and everything that was written to it since the start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.lab.vcenter.state.event_log import Noticed, Watched, WatchedOptions
from auditor.lab.vcenter.state.modules import MODULES
from auditor.lab.vcenter.state.options import OptionDef, options_of

if TYPE_CHECKING:
    from auditor.lab.vcenter.description.devices import DeviceDescription, HbaDescription, TargetDescription
    from auditor.lab.vcenter.description.hosts import HostDescription, OptionValue
    from auditor.lab.vcenter.state.path_policy import PathPolicy

ORDINARY_DSNRO = 32
"""Commands; the default of an ordinary device. Source: docs/domain/facts.md#1-4."""

ISCSI_PARAMETERS = {"LoginTimeout": 5, "NoopOutInterval": 15, "NoopOutTimeout": 10, "RecoveryTimeout": 10}
"""Seconds; what an iSCSI adapter begins with, besides DelayedAck.

Source: docs/domain/facts.md#5 for the names, and for the first value (Dell PS: "default 5 too short"); the other values are known from
esxcli and not verified, nor is it that the API calls them as esxcli does. A real adapter has some ten more.
"""

TargetKey = tuple[str, str, str, int, str]  # adapter, kind, address, port, iqn


class ModuleState:
    """A kernel module: `configured` counts at the next load, `in_effect` is what it was loaded with."""

    def __init__(self, configured: str, in_effect: str, *, loaded: bool) -> None:
        self.configured = configured
        self.in_effect = in_effect
        self.loaded = loaded


class HostState:
    """One host, alive; `noticed` is told of what its events are about."""

    in_maintenance_mode = Watched[bool]()
    connection_state = Watched[str]()
    noticed: Noticed | None = None

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
        self.path_policies: dict[str, PathPolicy] = {}  # by device, where somebody changed it; kept over reboots
        self.claimed_with: dict[str, int] = {}  # default DSNRO of endpoints that came after the host had booted
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
        self._endpoint_default = self._endpoint_option()

    @property
    def reachable(self) -> bool:
        """Whether vCenter can ask the host anything."""
        return self.connection_state == "connected"

    def dsnro(self, device: DeviceDescription) -> int:
        """Outstanding commands with competing worlds, as configured.

        A protocol endpoint takes Scsi.ScsiVVolPESNRO when it is claimed; whether a later change of the option reaches one that is
        claimed already is not verified (docs/domain/facts.md#12), so here it does not before a reboot.
        """
        own = self.device_settings.get(device.name, {}).get("dsnro")
        if own is not None:
            return own
        return self.claimed_with.get(device.name, self._endpoint_default) if device.protocol_endpoint else ORDINARY_DSNRO

    def claim(self, device: DeviceDescription) -> None:
        """Take up a device that has just appeared; a protocol endpoint takes the option's value of this moment."""
        self.devices[device.name] = device
        if device.protocol_endpoint:
            self.claimed_with[device.name] = self._endpoint_option()

    def queue_depth(self, device: DeviceDescription) -> int:
        """Device Max Queue Depth: what the adapters' module was loaded with, the shallowest where several reach the device."""
        drivers = {hba.driver for hba in self.hbas.values() if hba.kind == device.transport}
        depths = [MODULES[driver].queue_depth(self.modules[driver].in_effect) for driver in drivers]
        return min(depths, default=ORDINARY_DSNRO)

    def reboot(self) -> None:
        """Load the modules with what is configured for them, and claim the devices anew."""
        for module in self.modules.values():
            module.in_effect = module.configured
        self.claimed_with.clear()
        self._endpoint_default = self._endpoint_option()
        self.boot_time = datetime.now(UTC)

    def _endpoint_option(self) -> int:
        return int(self.options["Scsi.ScsiVVolPESNRO"])


class Hosts(Mapping[str, HostState]):
    """The hosts by managed object id; one comes alive when somebody first asks for it, and keeps what is written to it."""

    def __init__(self, described: Iterable[HostDescription]) -> None:
        self._described = {f"host-{place}": host for place, host in enumerate(described, 11)}
        self._alive: dict[str, HostState] = {}
        self.woken: Callable[[HostState], None] | None = None  # told of each that comes alive

    def __getitem__(self, moid: str) -> HostState:
        host = self._alive.get(moid)
        if host is None:
            host = self._alive[moid] = HostState(self._described[moid], moid)
            if self.woken is not None:
                self.woken(host)
        return host

    def __iter__(self) -> Iterator[str]:
        return iter(self._described)

    def __len__(self) -> int:
        return len(self._described)

    def __contains__(self, moid: object) -> bool:
        return moid in self._described

    @contextmanager
    def replaced(self, by: HostState) -> Iterator[None]:
        """Until the block ends, have this host instead of the one with its id."""
        before, self._alive[by.moid] = self[by.moid], by
        try:
            yield
        finally:
            self._alive[by.moid] = before

    @property
    def described(self) -> Mapping[str, HostDescription]:
        """What each host was at the start; asking here brings none alive."""
        return self._described

    @property
    def alive(self) -> int:
        """How many were asked for."""
        return len(self._alive)


def target_key(hba: str, target: TargetDescription) -> TargetKey:
    """What tells one configured target of a host from another."""
    return (hba, target.kind, target.address, target.port, target.iqn)


def _modules_of(description: HostDescription) -> dict[str, ModuleState]:
    names = {hba.driver for hba in description.hbas} | set(description.modules)
    states = {}
    for name in sorted(names):
        if name not in MODULES:
            raise ValueError(f"{description.name} names the module {name!r}, which the lab does not know")
        told = description.modules.get(name)
        if told is None:
            states[name] = ModuleState("", "", loaded=True)
        else:
            states[name] = ModuleState(told.configured, told.configured if told.in_effect is None else told.in_effect, loaded=told.loaded)
    return states
