"""Configuration and use of clusters and resource pools as pyVmomi objects.

Source of the forms: ClusterConfigInfo, ResourceConfigSpec and ResourcePoolSummary in the vSphere API. Nothing is reserved, and the use is
the sum of what the hosts' own summary says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.inventory import hardware
from auditor_lab.vcenter.soap.data_objects import complete, long

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.hosts import ClusterDescription
    from auditor_lab.vcenter.state.vcenter import VCenterState

USED_MHZ, USED_MEMORY_MB = 1000, 65536
"""Of each host, as in its quick statistics."""

_SHARES_CPU, _SHARES_MEMORY = 4000, 163840  # of level normal; source: SharesLevel in the vSphere API
_MIB = 1 << 20


def cluster_config(state: VCenterState, cluster: ClusterDescription) -> Any:
    """ClusterConfigInfoEx."""
    return vim.cluster.ConfigInfoEx(
        dasConfig=_availability(cluster),
        drsConfig=_drs(cluster),
        drsVmConfig=_of_machines(state, cluster),
        vsanConfigInfo=complete(
            vim.vsan.cluster.ConfigInfo(
                enabled=any(host.vsan_enabled for host in cluster.hosts),
                defaultConfig=vim.vsan.cluster.ConfigInfo.HostDefaultInfo(autoClaimStorage=False),
            )
        ),
    )


def plain_cluster_config(cluster: ClusterDescription) -> Any:
    """ClusterConfigInfo, the older form."""
    return complete(vim.cluster.ConfigInfo(dasConfig=_availability(cluster), drsConfig=_drs(cluster)))


def cluster_summary(state: VCenterState, cluster: ClusterDescription) -> Any:
    """ClusterComputeResourceSummary: what the hosts have that can be used now."""
    hosts = [state.hosts[state.host_id[host.name]] for host in cluster.hosts]
    usable = sum(host.reachable and not host.in_maintenance_mode for host in hosts)
    needed = -(-len(hosts) * USED_MEMORY_MB // (hardware.MEMORY_BYTES // _MIB))  # hosts that hold the memory in use of all
    return complete(
        vim.ClusterComputeResource.Summary(
            totalCpu=len(hosts) * hardware.CORES * hardware.MHZ,
            totalMemory=long(len(hosts) * hardware.MEMORY_BYTES),
            numCpuCores=len(hosts) * hardware.CORES,
            numCpuThreads=len(hosts) * hardware.THREADS,
            effectiveCpu=usable * hardware.CORES * hardware.MHZ,
            effectiveMemory=long(usable * hardware.MEMORY_BYTES // _MIB),
            numHosts=len(hosts),
            numEffectiveHosts=usable,
            overallStatus="green",
            currentFailoverLevel=max(0, usable - needed),
        )
    )


def _availability(cluster: ClusterDescription) -> Any:
    policy = vim.cluster.FailoverLevelAdmissionControlPolicy(failoverLevel=1)
    return vim.cluster.DasConfigInfo(
        enabled=True, admissionControlEnabled=cluster.admission_control, admissionControlPolicy=complete(policy), failoverLevel=1
    )


def _drs(cluster: ClusterDescription) -> Any:
    return vim.cluster.DrsConfigInfo(enabled=cluster.drs, defaultVmBehavior=cluster.automation, enableVmBehaviorOverrides=True)


def _of_machines(state: VCenterState, cluster: ClusterDescription) -> list[Any]:
    """ClusterDrsVmConfigInfo of each machine that DRS treats in a way of its own."""
    own = []
    for moid in state.vm_host:
        behavior = cluster.machine_automation.get(state.vm(moid).name)
        if behavior is not None:
            machine, left_alone = vim.VirtualMachine(moid), behavior == "disabled"
            own.append(vim.cluster.DrsVmConfigInfo(key=machine, enabled=not left_alone, behavior=None if left_alone else behavior))
    return own


def usage(hosts: int) -> Any:
    """ClusterResourceUsageSummary of so many hosts."""
    return complete(
        vim.cluster.ResourceUsageSummary(
            cpuUsedMHz=hosts * USED_MHZ,
            cpuCapacityMHz=hosts * hardware.CORES * hardware.MHZ,
            memUsedMB=hosts * USED_MEMORY_MB,
            memCapacityMB=hosts * hardware.MEMORY_BYTES // _MIB,
        )
    )


def pool_config(pool: Any, hosts: int) -> Any:
    """ResourceConfigSpec of a root resource pool: all that its hosts have."""
    return complete(
        vim.ResourceConfigSpec(
            entity=pool,
            cpuAllocation=_allocation(hosts * hardware.CORES * hardware.MHZ, _SHARES_CPU),
            memoryAllocation=_allocation(hosts * hardware.MEMORY_BYTES // _MIB, _SHARES_MEMORY),
        )
    )


def pool_summary(pool: Any, hosts: int) -> Any:
    """ResourcePoolSummary of a root resource pool."""
    return complete(
        vim.ResourcePool.Summary(
            name="Resources",
            config=pool_config(pool, hosts),
            runtime=vim.ResourcePool.RuntimeInfo(
                overallStatus="green",
                cpu=_use(hosts * hardware.CORES * hardware.MHZ, hosts * USED_MHZ),
                memory=_use(hosts * hardware.MEMORY_BYTES, hosts * USED_MEMORY_MB * _MIB),
            ),
        )
    )


def _allocation(whole: int, shares: int) -> Any:
    return vim.ResourceAllocationInfo(
        reservation=long(whole), expandableReservation=True, limit=long(whole), shares=vim.SharesInfo(shares=shares, level="normal")
    )


def _use(whole: int, used: int) -> Any:
    return vim.ResourcePool.ResourceUsage(
        reservationUsed=long(0),
        reservationUsedForVm=long(0),
        unreservedForPool=long(whole),
        unreservedForVm=long(whole),
        overallUsage=long(used),
        maxUsage=long(whole),
    )
