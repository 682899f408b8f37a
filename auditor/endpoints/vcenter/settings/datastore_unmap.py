"""Space reclamation of one VMFS 6 datastore: whether freed blocks are given back to the array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, refused
from auditor.errors import RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

PRIORITIES = ("none", "low")
"""What the API takes; esxcli has medium and high besides. Source: vSphere API reference, HostVmfsVolumeUnmapPriority."""


class DatastoreUnmap:
    """Reads and sets `unmapPriority`: none or low. Keys: datastore_id.

    It is a setting of the volume and not of a host: it is written by one host that mounts the datastore, and holds for all. A volume that
    is reclaimed at a rate in MB a second (method fixed, or dynamic) has no use for a priority, and is refused.

    Source: HostStorageSystem.UpdateVmfsUnmapPriority, HostVmfsVolume.unmapPriority and unmapBandwidthSpec; vSphere storage guide 8.0,
    "Storage Space Reclamation"; docs/domain/facts.md#3-9.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The priority now.

        Raises:
            NotThereError: no such datastore, or one without the setting (VMFS 5, NFS, vVol).
        """
        return Reading(str(_volume(session, target).unmapPriority))

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Set the priority by a host that has the datastore mounted, once.

        Raises:
            RefusedError: neither none nor low, the volume is reclaimed at a rate, no host can write it, or the host says no.
        """
        from auditor.endpoints.vcenter.translation import translated

        if value not in PRIORITIES:
            raise _refused(session, target, f"cannot be {value!r}", f"give one of: {', '.join(PRIORITIES)}.")
        volume = _volume(session, target)
        rate = volume.unmapBandwidthSpec
        if rate is not None and (str(rate.policy) == "dynamic" or (rate.fixedValue or 0) > 0):
            why = "goes by a rate in MB a second, not by a priority"
            raise _refused(session, target, why, "change its method by hand, if that is meant.")
        system = _storage_system(session, target)
        with translated(session.endpoint, f"setting space reclamation of {target['datastore_id']} to {value}"):
            system.UpdateVmfsUnmapPriority(vmfsUuid=volume.uuid, unmapPriority=value)


def _volume(session: VCenter, target: Target) -> Any:
    from pyVmomi import vim

    volume = getattr(session.value(vim.Datastore, target["datastore_id"], "info"), "vmfs", None)
    if volume is None or not volume.unmapPriority:
        raise not_there(
            session,
            f"{target['datastore_id']} reports no priority of space reclamation",
            "there is nothing to set: only VMFS 6 has it.",
            "collect again: the datastore may have been made anew.",
        )
    return volume


def _storage_system(session: VCenter, target: Target) -> Any:
    """The storage system of the first host, by its id, that is connected and has the datastore mounted for writing."""
    from pyVmomi import vim

    mounts = session.value(vim.Datastore, target["datastore_id"], "host") or ()
    ready = [
        mount.key
        for mount in mounts
        if mount.mountInfo.accessMode == "readWrite" and mount.mountInfo.mounted is not False and mount.mountInfo.accessible is not False
    ]
    paths = ("runtime.connectionState", "configManager.storageSystem")
    for host in sorted(session.read(vim.HostSystem, paths, ready) if ready else (), key=lambda one: one.id):
        if host.values.get(paths[0]) == "connected" and host.values.get(paths[1]) is not None:
            return host.values[paths[1]]
    raise _refused(session, target, "cannot be written: no connected host has it mounted for writing", "connect a host that mounts it.")


def _refused(session: VCenter, target: Target, what: str, do: str) -> RefusedError:
    return refused(session, f"space reclamation of {target['datastore_id']} {what}", do)
