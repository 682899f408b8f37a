"""What a vCenter's fleet is like right now: the description, plus everything that was written since.

Time only moves on `settle`, which every request calls first, so there are no threads here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from auditor.lab.vcenter.modules import MODULES
from auditor.lab.vcenter.options import OptionDef, options_of

if TYPE_CHECKING:
    from auditor.lab.description import (
        DatastoreDescription,
        DeviceDescription,
        HbaDescription,
        HostDescription,
        OptionValue,
        TargetDescription,
        VCenterDescription,
    )

ORDINARY_DSNRO = 32
"""Commands; the default of an ordinary device. Source: facts.md 1.4."""

TargetKey = tuple[str, str, str, int, str]  # adapter, kind, address, port, iqn


class ModuleState:
    """A kernel module: `configured` counts at the next load, `in_effect` is what it was loaded with."""

    def __init__(self, configured: str, in_effect: str, *, loaded: bool) -> None:
        self.configured = configured
        self.in_effect = in_effect
        self.loaded = loaded


class HostState:
    """One host, alive."""

    def __init__(self, description: HostDescription, moid: str) -> None:
        self.description = description
        self.moid = moid
        self.definitions: dict[str, OptionDef] = {one.key: one for one in options_of(description.version, description.build)}
        defaults: dict[str, OptionValue] = {key: one.default for key, one in self.definitions.items()}
        self.options = defaults | dict(description.options)
        self.modules = _modules_of(description)
        self.hbas: dict[str, HbaDescription] = {hba.device: hba for hba in description.hbas}
        self.devices: dict[str, DeviceDescription] = {device.name: device for device in description.devices}
        self.device_settings: dict[str, dict[str, int]] = {name: {"dsnro": value} for name, value in description.dsnro.items()}
        self.adapter_delayed_ack: dict[str, bool] = {hba.device: hba.delayed_ack for hba in description.hbas}
        self.target_delayed_ack: dict[TargetKey, bool] = {
            target_key(hba.device, target): target.delayed_ack
            for hba in description.hbas
            for target in hba.targets
            if target.delayed_ack is not None
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
        claimed already is not verified (facts.md, section 12), so here it does not before a reboot.
        """
        own = self.device_settings.get(device.name, {}).get("dsnro")
        if own is not None:
            return own
        return self._endpoint_default if device.protocol_endpoint else ORDINARY_DSNRO

    def queue_depth(self, device: DeviceDescription) -> int:
        """Device Max Queue Depth: what the adapters' module was loaded with, the shallowest where several reach the device."""
        drivers = {hba.driver for hba in self.hbas.values() if hba.kind == device.transport}
        depths = [MODULES[driver].queue_depth(self.modules[driver].in_effect) for driver in drivers]
        return min(depths, default=ORDINARY_DSNRO)

    def reboot(self) -> None:
        """Load the modules with what is configured for them, and claim the devices anew."""
        for module in self.modules.values():
            module.in_effect = module.configured
        self._endpoint_default = self._endpoint_option()
        self.boot_time = datetime.now(UTC)

    def _endpoint_option(self) -> int:
        return int(self.options["Scsi.ScsiVVolPESNRO"])


class DatastoreState:
    """One datastore, alive."""

    def __init__(self, description: DatastoreDescription, moid: str) -> None:
        self.description = description
        self.moid = moid
        self.sioc_enabled = description.sioc.enabled
        self.sioc_mode = description.sioc.mode
        self.sioc_threshold_ms = description.sioc.threshold_ms
        self.sioc_statistics = description.sioc.statistics


class VCenterState:
    """Everything one vCenter knows, and the lock that every reader and writer holds.

    Attributes:
        version: counts changes, so that whoever keeps built objects knows when they are old.
        reboot_seconds: how long a rebooting host does not answer.
        task_seconds: how long other tasks run.
    """

    def __init__(self, description: VCenterDescription) -> None:
        self.description = description
        self.lock = threading.RLock()
        self.version = 0
        self.reboot_seconds = 0.3
        self.task_seconds = 0.0
        self.hosts: dict[str, HostState] = {}  # by managed object id
        self.cluster_of: dict[str, str] = {}  # host's managed object id -> cluster's name
        for cluster in description.clusters:
            for host in cluster.hosts:
                moid = f"host-{len(self.hosts) + 11}"
                self.hosts[moid] = HostState(host, moid)
                self.cluster_of[moid] = cluster.name
        self.host_id = {host.description.name: moid for moid, host in self.hosts.items()}
        self.datastores = {
            moid: DatastoreState(datastore, moid)
            for moid, datastore in zip((f"datastore-{place}" for place in count(101)), description.datastores, strict=False)
        }
        self.datastore_id = {datastore.description.name: moid for moid, datastore in self.datastores.items()}
        self.vm_host: dict[str, str] = {  # virtual machine's managed object id -> host's
            f"vm-{place}": self.host_id[vm.host] for place, vm in enumerate(description.vms, 1001)
        }
        self._later: list[tuple[float, Callable[[], Any]]] = []

    def changed(self) -> None:
        """Say that something was written."""
        self.version += 1

    def after(self, seconds: float, do: Callable[[], Any]) -> None:
        """Do something once `seconds` have passed, at the first request after that."""
        self._later.append((time.monotonic() + seconds, do))

    def settle(self) -> None:
        """Let everything happen whose time has come."""
        now = time.monotonic()
        due = [do for at, do in self._later if at <= now]
        if due:
            self._later = [later for later in self._later if later[0] > now]
            for do in due:
                do()
            self.changed()


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
