"""Configuration and use of clusters and resource pools as pyVmomi objects.

Source of the forms: ClusterConfigInfo, ResourceConfigSpec and ResourcePoolSummary in the vSphere API. Nothing is reserved, and the use is
the sum of what the hosts' own summary says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor.lab.vcenter.inventory import hardware
from auditor.lab.vcenter.soap.data_objects import complete, long

if TYPE_CHECKING:
    from auditor.lab.vcenter.description.hosts import ClusterDescription

USED_MHZ, USED_MEMORY_MB = 1000, 65536
"""Of each host, as in its quick statistics."""

_SHARES_CPU, _SHARES_MEMORY = 4000, 163840  # of level normal; source: SharesLevel in the vSphere API
_MIB = 1 << 20


def cluster_config(cluster: ClusterDescription) -> Any:
    """ClusterConfigInfoEx."""
    return vim.cluster.ConfigInfoEx(
        dasConfig=_availability(),
        drsConfig=_drs(cluster),
        vsanConfigInfo=complete(
            vim.vsan.cluster.ConfigInfo(
                enabled=any(host.vsan_enabled for host in cluster.hosts),
                defaultConfig=vim.vsan.cluster.ConfigInfo.HostDefaultInfo(autoClaimStorage=False),
            )
        ),
    )


def plain_cluster_config(cluster: ClusterDescription) -> Any:
    """ClusterConfigInfo, the older form."""
    return complete(vim.cluster.ConfigInfo(dasConfig=_availability(), drsConfig=_drs(cluster)))


def _availability() -> Any:
    return vim.cluster.DasConfigInfo(enabled=True)


def _drs(cluster: ClusterDescription) -> Any:
    return vim.cluster.DrsConfigInfo(enabled=cluster.drs, defaultVmBehavior="fullyAutomated")


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
