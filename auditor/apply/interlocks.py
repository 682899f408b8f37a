"""Writes that are never made, whether a rule, a plan file or an undo requests them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.errors import EndpointError

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Change

_LOCKING = "vmfs3.hardwareacceleratedlocking"
_HEARTBEAT = "vmfs3.useatsforhbonvmfs5"
_SCSI_RESERVATIONS_TOO = frozenset({"ATS+SCSI", "SCSI"})
_ATS_ONLY = frozenset({"ATS", "ATS-only"})
"""Hosts answer "ATS", as public scripts compare it; VMware's storage guide lists "ATS-only"."""

_MARK = "device.perennially_reserved"
_VSAN = "config.vsanHostConfig.enabled"
_MOUNTS = "config.fileSystemVolume.mountInfo"


def interlock(change: Change, session: Any) -> str | None:
    """Why `change` must not be made now, or None when no interlock forbids it.

    ``VMFS3.HardwareAcceleratedLocking`` stays 1 on a host that is in vSAN or has an ATS-only VMFS volume mounted, and also where
    either cannot be read. Such a volume has no other lock, so disabling this one causes an outage.

    ``VMFS3.UseATSForHBOnVMFS5`` stays 1 on a host that is in vSAN, and also where that cannot be read: somebody may have declared 0 for
    all hosts in settings.yaml, for the sake of an array.

    A device that holds a VMFS volume of its host is not marked as perennially reserved, nor one where that cannot be read: the host
    would pass over the volume. Taking the mark away is never forbidden.

    Source: Broadcom KB 319797 (2146451), "ATS-only VMFS volumes", and KB 326437 (2113956) for the heartbeat; docs/domain/facts.md#3-2;
    for the mark docs/domain/facts.md#5-9.
    """
    if change.remediator == _MARK and change.after is not False:
        return _no_mark(change, session)
    if _switches_off(change, _HEARTBEAT):
        return _no_heartbeat_without_ats(change, session)
    if not _switches_off(change, _LOCKING):
        return None
    try:
        danger = _danger_without_ats(change.target["host_id"], session)
    except EndpointError as error:
        danger = f"it could not be read whether a volume of this host depends on it: {error.what}"
    if danger is None:
        return None
    return f"HardwareAcceleratedLocking stays 1, since {danger}; without ATS there would be no locking left, which is an outage"


def _switches_off(change: Change, option: str) -> bool:
    # ESXi also accepts the form /VMFS3/HardwareAcceleratedLocking, and ignores case.
    named = dict(change.target.keys).get("option", "").strip("/").replace("/", ".").casefold() == option
    return named and not (type(change.after) is int and change.after == 1)


def _no_heartbeat_without_ats(change: Change, session: VCenter) -> str | None:
    try:
        danger = _in_vsan(_host(change.target["host_id"], (_VSAN,), session))
    except EndpointError as error:
        danger = f"it could not be read whether the host is in vSAN: {error.what}"
    return None if danger is None else f"UseATSForHBOnVMFS5 stays 1, since {danger}; a host in vSAN must have it"


def _no_mark(change: Change, session: VCenter) -> str | None:
    device = change.target["device"]
    try:
        volumes = _vmfs_volumes_on(device, change.target["host_id"], session)
    except EndpointError as error:
        return f"{device} is not marked, since it could not be read whether it holds a VMFS volume: {error.what}"
    if volumes is None:
        return f"{device} is not marked, since the host does not report which volumes it has"
    if volumes:
        return f"{device} holds the VMFS volume {volumes[0]}, which a host that takes the device for reserved would pass over"
    return None


def _vmfs_volumes_on(device: str, host_id: str, session: VCenter) -> list[str] | None:
    from pyVmomi import vim

    host = _host(host_id, (_MOUNTS,), session)
    if host is None or _MOUNTS not in host.values:
        return None
    volumes = [mount.volume for mount in host.values[_MOUNTS] if isinstance(mount.volume, vim.host.VmfsVolume)]
    return [volume.name for volume in volumes if device.lower() in {extent.diskName.lower() for extent in volume.extent}]


def _host(host_id: str, properties: tuple[str, ...], session: VCenter) -> ObjectProperties | None:
    from pyVmomi import vim

    return next(iter(session.read(vim.HostSystem, properties, [session.object(vim.HostSystem, host_id)])), None)


def _in_vsan(host: ObjectProperties | None) -> str | None:
    """Why the host may be part of vSAN; None where it is known not to be."""
    in_vsan = None if host is None else host.values.get(_VSAN)
    if in_vsan is None:
        return "the host does not report whether it is in vSAN"
    return "the host is in vSAN" if in_vsan else None


def _danger_without_ats(host_id: str, session: VCenter) -> str | None:
    from pyVmomi import vim

    host = _host(host_id, (_VSAN, _MOUNTS), session)
    if danger := _in_vsan(host):
        return danger
    if host is None or _MOUNTS not in host.values:
        return "the host does not report which volumes it has mounted"
    modes = {str(row.get("UUID")): str(row.get("LockingMode")) for row in session.esxcli(host_id).run("storage vmfs lockmode list")}
    # A mounted volume that the list leaves out must count as unknown, not as safe.
    for mount in host.values[_MOUNTS]:
        if isinstance(mount.volume, vim.host.VmfsVolume):
            modes.setdefault(mount.volume.uuid, "not reported")
    if only := sum(mode in _ATS_ONLY for mode in modes.values()):
        return f"{only} VMFS volumes of the host lock by ATS only"
    unknown = sorted(uuid for uuid, mode in modes.items() if mode not in _SCSI_RESERVATIONS_TOO)
    return f"the locking mode of VMFS volume {unknown[0]} is {modes[unknown[0]]}" if unknown else None
