"""A host's network as vCenter reports it: VMkernel adapters, and the switch that each is on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from auditor.endpoints.vcenter.collect.rows import Facts, HostSeen, Rows, gap, readings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import PortGroup, ProxySwitch, VirtualNic, VirtualSwitch
    from auditor.model import Endpoint

NETWORK_TOPICS = ("network",)

_VNICS = "config.network.vnic"
_SWITCHES = "config.network.vswitch"
_PROXIES = "config.network.proxySwitch"
_PORTGROUPS = "config.network.portgroup"
_PATHS = (_VNICS, _SWITCHES, _PROXIES, _PORTGROUPS)


class _Switch(NamedTuple):
    """What an adapter is on; the first two are None where it is not known."""

    portgroup: str | None
    name: str | None
    kind: str | None
    mtu: int | None = None


def network_of(endpoint: Endpoint, host: HostSeen, facts: ObjectProperties) -> Iterator[Facts]:
    """Yield vmknic of one host, and the reading of topic "network".

    A host without a switch of some kind leaves that property unset, which is an answer; one without any VMkernel adapter could not be
    managed, so that is none. What an adapter is for (management, vMotion, storage) is not reported here. One may be on a switch that
    vCenter does not list, as "iDRAC Network" of Dell hosts is: its switch is NULL in its row, and the rest was read all the same.

    Source: vSphere API reference, HostNetworkInfo, HostVirtualNic, HostVirtualNicSpec; docs/domain/facts.md#5-4 (recorded host).
    """
    missing = {path: facts.missing[path] for path in _PATHS if path in facts.missing}
    reasons = [f"{path}: {why}" for path, why in missing.items()]
    if not facts.values.get(_VNICS) and _VNICS not in missing:
        reasons.append("vCenter reports no VMkernel adapter")
    switches = _Switches(facts.values)
    rows = Rows("vmknic", endpoint=endpoint.name, host_id=host.id)
    for nic in facts.values.get(_VNICS) or ():
        if nic.device is None or nic.spec is None:
            reasons.append(f"VMkernel adapter {nic.device} has no name, or no settings")
            continue
        on = switches.under(nic)
        ip = nic.spec.ip
        rows.add(
            vmk=nic.device,
            mtu=nic.spec.mtu,
            ip=(ip.ip_address if ip else None) or None,
            subnet_mask=(ip.subnet_mask if ip else None) or None,
            stack=nic.spec.net_stack_instance_key,
            portgroup=on.portgroup,
            switch_kind=on.kind,
            switch=on.name,
            switch_mtu=on.mtu,
        )
    yield from rows.batch()
    if reasons:
        yield gap(
            endpoint, f"network of {host.name}", "; ".join(reasons[:3]) + (f"; and {len(reasons) - 3} more" if len(reasons) > 3 else "")
        )
    yield readings(endpoint, host.id, {"network": not reasons})


class _Switches:
    """The switches of one host, by what an adapter says of its own."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        standard: list[VirtualSwitch] = values.get(_SWITCHES) or []
        distributed: list[ProxySwitch] = values.get(_PROXIES) or []
        portgroups: list[PortGroup] = values.get(_PORTGROUPS) or []
        self._standard = {one.name: one for one in standard if one.name}
        self._distributed = {one.dvs_uuid: one for one in distributed if one.dvs_uuid}
        self._switch_of = {one.spec.name: one.spec.vswitch_name for one in portgroups if one.spec and one.spec.name}

    def under(self, nic: VirtualNic) -> _Switch:
        """What an adapter is on."""
        port = nic.spec.distributed_virtual_port if nic.spec else None
        if port is not None:
            proxy = self._distributed.get(port.switch_uuid or "")
            return (
                _Switch(port.portgroup_key, proxy.dvs_name, "distributed", proxy.mtu) if proxy else _Switch(port.portgroup_key, None, None)
            )
        if nic.spec and nic.spec.opaque_network:
            return _Switch(None, None, "opaque")
        portgroup = nic.portgroup or None
        switch = self._standard.get(self._switch_of.get(portgroup or "") or "")
        return _Switch(portgroup, switch.name, "standard", switch.mtu) if switch else _Switch(portgroup, None, None)
