"""A host's VMkernel adapters and their switches, in the shapes of the vSphere API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.bulk.shapes import (
    IpConfig,
    PortGroup,
    PortGroupSpec,
    ProxySwitch,
    SwitchPort,
    VirtualNic,
    VirtualNicSpec,
    VirtualSwitch,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.files.rvtools.export import Export
    from auditor.endpoints.files.rvtools.places import HostRows, Places, Server
    from auditor.endpoints.files.rvtools.sheets import Row


class DistributedSwitches:
    """The distributed switches of an export: which port groups they have, and their MTU in bytes; all by their vCenter."""

    def __init__(self, export: Export, places: Places) -> None:
        self._switch_of: dict[tuple[Server, str], set[str]] = {}
        self._mtus: dict[tuple[Server, str], int | None] = {}
        for row in export.rows("dvPort"):
            if (port := row.text("port")) and (switch := row.text("switch")):
                self._switch_of.setdefault((places.server_of(row), port), set()).add(switch)
        for row in export.rows("dvSwitch"):
            for title in ("switch", "name"):
                if name := row.text(title):
                    self._mtus[places.server_of(row), name] = row.number("max mtu")

    def of(self, server: Server, portgroup: str) -> str | None:
        """The switch of a port group; None where there is none of that name, or several."""
        switches = self._switch_of.get((server, portgroup), set())
        return next(iter(switches)) if len(switches) == 1 else None

    def mtu(self, server: Server, switch: str) -> int | None:
        """The MTU of a switch in bytes; None where it is not known."""
        return self._mtus.get((server, switch))


def network_values(host: HostRows, distributed: DistributedSwitches) -> dict[str, Any]:
    """What `network_of` looks at, by the paths of the API.

    A port group is known by its name alone. Where a standard switch of the host and a distributed one have one of that name, nobody knows
    which is meant.
    """
    own = {group: switch for row in host.rows("vPort") if (group := row.text("port group")) and (switch := row.text("switch"))}
    adapters, proxies = [], {}
    for row in host.rows("vSC_VMK"):
        group = row.text("port group") or ""
        switch = distributed.of(host.server, group)
        if switch is not None and group not in own:
            proxies[switch] = ProxySwitch(dvs_uuid=switch, dvs_name=switch, mtu=distributed.mtu(host.server, switch))
            adapters.append(_adapter(row, None, SwitchPort(switch_uuid=switch, portgroup_key=group)))
        else:
            adapters.append(_adapter(row, None if switch is not None else group, None))
    return {
        "config.network.vnic": adapters,
        "config.network.proxySwitch": list(proxies.values()),
        **_standard(host, own),
    }


def _standard(host: HostRows, switches: Mapping[str, str]) -> dict[str, Any]:
    return {
        "config.network.vswitch": [VirtualSwitch(name=row.text("switch"), mtu=row.number("mtu") or None) for row in host.rows("vSwitch")],
        "config.network.portgroup": [PortGroup(spec=PortGroupSpec(name=name, vswitch_name=switch)) for name, switch in switches.items()],
    }


def _adapter(row: Row, portgroup: str | None, port: SwitchPort | None) -> VirtualNic:
    return VirtualNic(
        device=row.text("device"),
        portgroup=portgroup,
        spec=VirtualNicSpec(
            ip=IpConfig(ip_address=row.text("ip address"), subnet_mask=row.text("subnet mask")),
            mtu=row.number("mtu") or None,
            distributed_virtual_port=port,
        ),
    )
