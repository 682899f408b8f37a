"""Events of vCenter about ordinary work: moves of machines, decisions of Storage DRS, hosts that start, new software.

Not known to be reported by any event: which value Storage I/O Control has after it was reconfigured, how far a move has come, and firmware
of adapters; drivers come as VIBs, and an event says only that some VIBs were installed.

Source: lists of all events of vCenter 6.7 U3 to 8.0 U3 (github.com/lamw/vcenter-event-mapping); the vSphere API reference for the fields
of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

MOVING, MOVED, NOT_MOVED, DECIDED, CHANGED, HOST, SOFTWARE = "moving", "moved", "not moved", "decided", "changed", "host", "software"

_MOVE, _RELOCATION = "move of a machine", "relocation of a machine"

ACTIVITY: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "VmBeingHotMigratedEvent": (MOVING, _MOVE),
        "VmBeingMigratedEvent": (MOVING, _MOVE),
        "VmMigratedEvent": (MOVED, _MOVE),  # its subtype DrsVmMigratedEvent is one that DRS made
        "VmFailedMigrateEvent": (NOT_MOVED, _MOVE),
        "MigrationErrorEvent": (NOT_MOVED, _MOVE),
        "VmBeingRelocatedEvent": (MOVING, _RELOCATION),
        "VmRelocatedEvent": (MOVED, _RELOCATION),
        "VmRelocateFailedEvent": (NOT_MOVED, _RELOCATION),
        "com.vmware.vc.sdrs.StorageDrsNewRecommendationPendingEvent": (DECIDED, "Storage DRS recommends"),
        "com.vmware.vc.sdrs.StorageDrsRecommendationApplied": (DECIDED, "recommendations of Storage DRS applied"),
        "com.vmware.vc.sdrs.StorageDrsStorageMigrationEvent": (DECIDED, "Storage DRS moved disks"),
        "com.vmware.vc.sdrs.StorageDrsStoragePlacementEvent": (DECIDED, "Storage DRS placed disks"),
        "com.vmware.vc.sdrs.StorageDrsInvocationFailedEvent": (DECIDED, "Storage DRS failed"),
        "com.vmware.vc.sdrs.ConfiguredStorageDrsOnPodEvent": (CHANGED, "Storage DRS configured"),
        "com.vmware.vc.sdrs.StorageDrsEnabledEvent": (CHANGED, "Storage DRS switched on"),
        "com.vmware.vc.sdrs.StorageDrsDisabledEvent": (CHANGED, "Storage DRS switched off"),
        "com.vmware.vc.sdrs.DatastoreEnteredMaintenanceModeEvent": (CHANGED, "datastore in maintenance mode"),
        "com.vmware.vc.sdrs.DatastoreExitedMaintenanceModeEvent": (CHANGED, "datastore out of maintenance mode"),
        "DatastoreIORMReconfiguredEvent": (CHANGED, "Storage I/O Control reconfigured"),
        "esx.audit.host.boot": (HOST, "booted"),
        "esx.audit.host.stop.reboot": (HOST, "reboots"),
        "esx.audit.host.stop.shutdown": (HOST, "shuts down"),
        "HostShutdownEvent": (HOST, "shut down"),
        "HostConnectedEvent": (HOST, "connected"),
        "HostDisconnectedEvent": (HOST, "disconnected"),
        "HostConnectionLostEvent": (HOST, "connection lost"),
        "HostReconnectionFailedEvent": (HOST, "connection not restored"),
        "esx.audit.esximage.vib.install.successful": (SOFTWARE, "VIBs installed"),
        "esx.audit.esximage.vib.remove.successful": (SOFTWARE, "VIBs removed"),
        "com.vmware.vim.eam.agent.task.vibInstalled": (SOFTWARE, "VIB installed"),
    }
)
"""Type of the event -> which kind of work it is, and what happened."""


def ends_of_move(event: Any) -> tuple[str | None, str | None]:
    """The managed object ids of the datastores that a machine moves from and to; None where the event does not name one.

    An event of a move that begins, or failed, is about where the machine is, and names its destination; one of a move that is over is about
    where it is now, and names its source.

    Source: the vSphere API reference, VmBeingRelocatedEvent.destDatastore, VmRelocatedEvent.sourceDatastore and those of their like; that
    `ds` is where the machine is at that moment is inferred, not verified.
    """
    here = _datastore(event.ds)
    if hasattr(event, "sourceDatastore"):
        return _datastore(event.sourceDatastore), here
    if hasattr(event, "destDatastore"):
        return here, _datastore(event.destDatastore)
    return None, None


def _datastore(argument: Any) -> str | None:
    reference = None if argument is None else argument.datastore
    return None if reference is None else str(reference._GetMoId())  # noqa: SLF001  pyVmomi's accessor
