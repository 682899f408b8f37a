"""Facts that decide whether a host may leave its cluster for a reboot, read just before it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.session import moid

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.endpoints.vcenter.session import VCenter

_HOST = (
    "name",
    "runtime.connectionState",
    "runtime.inMaintenanceMode",
    "summary.hardware.memorySize",
    "summary.hardware.cpuMhz",
    "summary.hardware.numCpuCores",
    "summary.quickStats.overallCpuUsage",
    "summary.quickStats.overallMemoryUsage",
    "config.vsanHostConfig.enabled",
)
_CLUSTER = ("name", "host", "configurationEx", "summary")
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class HostNow:
    """One host of the cluster as it is now; None is what vCenter does not report."""

    id: str
    name: str
    connection: str | None
    in_maintenance: bool | None
    cpu_mhz: int | None
    memory_mib: int | None
    cpu_used_mhz: int | None
    memory_used_mib: int | None
    vsan: bool | None  # whether it is in vSAN
    vsan_health: str | None  # healthy | unhealthy | unknown; None where it is not in vSAN or does not answer


@dataclass(frozen=True, slots=True)
class ClusterNow:
    """A host and what its cluster is like now; None is what vCenter does not report.

    Attributes:
        host: the one that is to be rebooted.
        others: the other hosts of its cluster.
        cluster: its name; None for a host that is in none.
        machines: names of the machines that run on the host.
        unmoved: those of `machines` that DRS does not move by itself.
        drs: whether DRS is on.
        automation: of DRS, for example fullyAutomated.
        admission_control: whether HA is on and reserves room for hosts that fail.
        failures_borne: how many more hosts HA says may fail now.
        spare_percent: the share of processors and of memory, the smaller one, that HA has free for hosts that fail; None where its policy
            does not go by shares.
    """

    host: HostNow
    others: tuple[HostNow, ...]
    cluster: str | None
    machines: tuple[str, ...]
    unmoved: tuple[str, ...]
    drs: bool | None
    automation: str | None
    admission_control: bool | None
    failures_borne: int | None
    spare_percent: int | None


def cluster_now(session: VCenter, host_id: str) -> ClusterNow:
    """The cluster of a host now; some ten requests.

    Raises:
        EndpointError: the host, its cluster or its machines could not be read.

    Source: vSphere API reference, ClusterConfigInfoEx, ClusterComputeResourceSummary (`currentFailoverLevel`: "the number of physical host
    failures that can be tolerated"), ClusterFailoverResourcesAdmissionControlInfo, HostVsanSystem.QueryHostStatus.
    """
    from pyVmomi import vim

    parent = session.value(vim.HostSystem, host_id, "parent")
    in_cluster = isinstance(parent, vim.ClusterComputeResource)
    facts: Mapping[str, Any] = next(session.read(vim.ClusterComputeResource, _CLUSTER, [parent])).values if in_cluster else {}
    members = facts.get("host") or [session.object(vim.HostSystem, host_id)]
    rows = session.read(vim.HostSystem, _HOST, members, 100)
    hosts = [_host(session, row.id, row.values) for row in rows]
    config, summary = facts.get("configurationEx"), facts.get("summary")
    machines = _machines(session, host_id)
    drs, ha = getattr(config, "drsConfig", None), getattr(config, "dasConfig", None)
    automation = None if drs is None else drs.defaultVmBehavior
    return ClusterNow(
        host=next(host for host in hosts if host.id == host_id),
        others=tuple(host for host in hosts if host.id != host_id),
        cluster=facts.get("name") if in_cluster else None,
        machines=tuple(sorted(machines.values())),
        unmoved=_unmoved(machines, getattr(config, "drsVmConfig", None) or (), drs),
        drs=None if drs is None else drs.enabled,
        automation=None if automation is None else str(automation),
        admission_control=None if ha is None else bool(ha.enabled and ha.admissionControlEnabled),
        failures_borne=getattr(summary, "currentFailoverLevel", None),
        spare_percent=_spare_percent(getattr(summary, "admissionControlInfo", None)),
    )


def _host(session: VCenter, host_id: str, values: Mapping[str, Any]) -> HostNow:
    cores, mhz = values.get("summary.hardware.numCpuCores"), values.get("summary.hardware.cpuMhz")
    memory, in_vsan = values.get("summary.hardware.memorySize"), values.get("config.vsanHostConfig.enabled")
    state = values.get("runtime.connectionState")
    return HostNow(
        id=host_id,
        name=str(values.get("name", host_id)),
        connection=None if state is None else str(state),
        in_maintenance=values.get("runtime.inMaintenanceMode"),
        cpu_mhz=None if cores is None or mhz is None else cores * mhz,
        memory_mib=None if memory is None else memory // _MIB,
        cpu_used_mhz=values.get("summary.quickStats.overallCpuUsage"),
        memory_used_mib=values.get("summary.quickStats.overallMemoryUsage"),
        vsan=in_vsan,
        vsan_health=_vsan_health(session, host_id) if in_vsan else None,
    )


def _vsan_health(session: VCenter, host_id: str) -> str | None:
    from pyVmomi import vim

    from auditor.endpoints.vcenter.translation import translated
    from auditor.errors import EndpointError

    try:
        system = session.value(vim.HostSystem, host_id, "configManager.vsanSystem")
        if system is None:
            return None
        with translated(session.endpoint, f"reading vSAN's state on {host_id}"):
            return str(system.QueryHostStatus().health)
    except EndpointError:
        return None


def _machines(session: VCenter, host_id: str) -> dict[str, str]:
    """Names, by id, of the machines on a host that are not switched off; one whose state is not reported counts as running."""
    from pyVmomi import vim

    refs = list(session.value(vim.HostSystem, host_id, "vm") or ())
    rows = session.read(vim.VirtualMachine, ("name", "runtime.powerState"), refs, 100) if refs else ()
    off = vim.VirtualMachine.PowerState.poweredOff
    return {row.id: str(row.values.get("name", row.id)) for row in rows if not row.is_gone and row.values.get("runtime.powerState") != off}


def _unmoved(machines: Mapping[str, str], drs_overrides: Sequence[Any], drs: Any) -> tuple[str, ...]:
    """Names of machines that have a DRS setting of their own by which they are not moved without a person."""
    from pyVmomi import vim

    if drs is None or drs.enableVmBehaviorOverrides is False:
        return ()
    full = vim.cluster.DrsConfigInfo.DrsBehavior.fullyAutomated
    held = {moid(one.key) for one in drs_overrides if one.enabled is False or one.behavior not in (None, full)}
    return tuple(sorted(machines[machine] for machine in held & set(machines)))


def _spare_percent(info: Any) -> int | None:
    from pyVmomi import vim

    if not isinstance(info, vim.cluster.FailoverResourcesAdmissionControlInfo):
        return None
    shares = (info.currentCpuFailoverResourcesPercent, info.currentMemoryFailoverResourcesPercent)
    return None if None in shares else min(shares)
