"""Methods of a host's network, iSCSI and power managers, and the use of a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.context import host_behind
from auditor_lab.vcenter.inventory import network, resources
from auditor_lab.vcenter.inventory.hardware import POWER_POLICIES
from auditor_lab.vcenter.soap.data_objects import complete

if TYPE_CHECKING:
    from auditor_lab.vcenter.context import Context, Operation
    from auditor_lab.vcenter.description.devices import HbaDescription, PortalDescription
    from auditor_lab.vcenter.state.hosts import HostState


def _query_net_config(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    host = host_behind(context, this)
    if arguments["nicType"] not in network.SERVICES:
        raise vmodl.fault.InvalidArgument(invalidProperty="nicType", msg="A specified parameter was not correct: nicType")
    return complete(network.net_config(host, arguments["nicType"]))


def _network_hint(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    """One empty hint for each physical adapter: the lab has no switches that announce themselves."""
    host = host_behind(context, this)
    requested = arguments.get("device") or [nic.device for nic in network.physical_nics(host)]
    hint = vim.host.PhysicalNic.NetworkHint
    return VmomiSupport.GetVmodlType("vim.host.PhysicalNic.NetworkHint[]")([complete(hint(device=device)) for device in requested])


def iscsi_adapter(host: HostState, device: str) -> HbaDescription:
    """The iSCSI adapter of this name.

    Raises:
        vim.fault.NotFound: the host has none.
    """
    hba = host.hbas.get(device)
    if hba is None or hba.kind != "iscsi":
        raise vim.fault.NotFound(msg=f"The adapter {device} could not be found.")
    return hba


def _bound_vnics(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    host = host_behind(context, this)
    hba = iscsi_adapter(host, arguments["iScsiHbaName"])
    ports = [_port(host, portal) for portal in hba.portals]
    return VmomiSupport.GetVmodlType("vim.host.IscsiManager.IscsiPortInfo[]")(ports)


def _port(host: HostState, portal: PortalDescription) -> Any:
    manager = vim.host.IscsiManager
    nic = next(nic for nic in network.vmknics(host) if nic.device == portal.vmk)
    about = next(one for one in network.described(host) if one.device == portal.vmk)
    return complete(
        manager.IscsiPortInfo(
            vnicDevice=portal.vmk,
            vnic=nic,
            switchName=about.switch,
            portgroupName=None if about.distributed else about.portgroup,
            portgroupKey=about.portgroup if about.distributed else None,
            complianceStatus=manager.IscsiStatus(),
            pathStatus=portal.path_status,
        )
    )


def _configure_power(context: Context, this: Any, arguments: Mapping[str, Any]) -> None:
    host = host_behind(context, this)
    if arguments["key"] not in POWER_POLICIES:
        raise vmodl.fault.InvalidArgument(invalidProperty="key", msg="A specified parameter was not correct: key")
    host.power_policy = arguments["key"]
    context.state.changed()


def _cluster_usage(context: Context, this: Any, _arguments: Mapping[str, Any]) -> Any:
    cluster = context.inventory.find(this)
    return resources.usage(len(context.inventory.read(cluster, "host")))


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "QueryNetConfig": _query_net_config,
        "QueryNetworkHint": _network_hint,
        "QueryBoundVnics": _bound_vnics,
        "ConfigurePowerPolicy": _configure_power,
        "GetResourceUsage": _cluster_usage,
    }
)
