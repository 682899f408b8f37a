"""What a vCenter answers for the storage of its hosts, written once by the lab's own serialisers and kept as bytes.

Equal parts are one object, whoever reports them: the hosts of a cluster see the same devices, and differ in their initiators. What the lab
does not describe is added here: raw inquiry bytes, three quarters of a real ScsiLun's XML (docs/domain/peers.md#reading), and options by
the thousand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim, vmodl

from auditor_lab.vcenter.inventory import hosts as host_objects
from auditor_lab.vcenter.inventory import storage as storage_objects
from auditor_lab.vcenter.soap import envelope as soap
from auditor_lab.vcenter.soap.data_objects import complete, long
from auditor_lab.vcenter.vijson import encoding as vijson_encoding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor_lab.vcenter.description.devices import DeviceDescription
    from auditor_lab.vcenter.description.vcenter import VCenterDescription
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState

_LUNS, _PATHS = "config.storageDevice.scsiLun", "config.storageDevice.multipathInfo"
_HBAS, _OPTIONS = "config.storageDevice.hostBusAdapter", "config.option"
NARROW = ("name", _LUNS, _PATHS, _HBAS, _OPTIONS)
"""What every lane asks for."""

_NAMES = ((0x80, 20), (0x83, 16), (0x83, 24), (0x83, 8), (0x83, 124), (0x00, 146))  # a VPD page, and bytes of a descriptor in it
_INQUIRY_BYTES = sum(size for _, size in _NAMES)
_VALUES: tuple[Any, ...] = (long(32), "vmk0", True, long(5000), "/vmfs/volumes/scratch/log", long(0), long(1), False)
_PRODUCT = (
    b"<product><name>VMware ESXi</name><fullName>VMware ESXi 8.0.2</fullName><vendor>VMware, Inc.</vendor><version>8.0.2</version>"
    b"<build>22380479</build><osType>vmnix-x86</osType><productLineId>embeddedEsx</productLineId><apiType>HostAgent</apiType>"
    b"<apiVersion>8.0.2.0</apiVersion></product>"
)
_CONTENT = b'{"_typeName":"ObjectContent","obj":{"_typeName":"ManagedObjectReference","type":"HostSystem","value":"%s"},"propSet":['
_Parts = tuple[bytes, ...]
_Options = dict[tuple[Any, ...], tuple[bytes, bytes]]  # by what a host has


@dataclass(frozen=True)
class HostPages:
    """Everything that is written of one host: whole ObjectContents, in pieces to be sent one after the other."""

    moid: str
    soap: _Parts
    json: _Parts

    @cached_property
    def config(self) -> _Parts:
        """HostConfigInfo as a whole, which is what reading one attribute of it fetches: `<returnval>`."""
        luns, paths, hbas, options = (_inside(self.soap[at]) for at in (2, 3, 4, 5))
        return (
            b'<returnval xsi:type="HostConfigInfo"><host type="HostSystem">%s</host>' % self.moid.encode(),
            _PRODUCT,
            b"<storageDevice>",
            hbas.replace(b"HostHostBusAdapter ", b"hostBusAdapter ").replace(b"/HostHostBusAdapter>", b"/hostBusAdapter>"),
            luns.replace(b"<ScsiLun ", b"<scsiLun ").replace(b"</ScsiLun>", b"</scsiLun>"),
            b"<multipathInfo>",
            paths,
            b"</multipathInfo><softwareInternetScsiEnabled>false</softwareInternetScsiEnabled></storageDevice>",
            options.replace(b"<OptionValue", b"<option").replace(b"/OptionValue>", b"/option>"),
            b"</returnval>",
        )


def with_paths(description: VCenterDescription, paths: int) -> VCenterDescription:
    """The fleet with exactly `paths` paths to every device; a generated Element cluster has one."""
    known: dict[int, tuple[DeviceDescription, ...]] = {}
    clusters = []
    for cluster in description.clusters:
        hosts = []
        for host in cluster.hosts:
            devices = known.get(id(host.devices))
            if devices is None:
                devices = known[id(host.devices)] = tuple(_with_paths(one, host.hbas, paths) for one in host.devices)
            hosts.append(replace(host, devices=devices, connection_state="connected"))
        clusters.append(replace(cluster, hosts=tuple(hosts)))
    return replace(description, clusters=tuple(clusters))


def _with_paths(device: DeviceDescription, hbas: Sequence[Any], paths: int) -> DeviceDescription:
    adapters = sum(hba.kind == device.transport for hba in hbas) or 1
    wanted = max(1, paths // adapters)
    missing = wanted - len(device.targets)
    return device if missing <= 0 else replace(device, targets=(*device.targets, *(f"{device.targets[0]}.{n}" for n in range(missing))))


def host_pages(state: VCenterState, version: str, options: int) -> Iterator[HostPages]:
    """The pages of every host of the fleet."""
    clusters: dict[int, _Cluster] = {}
    known: _Options = {}
    for moid, description in ((moid, state.hosts[moid].description) for moid in state.hosts):
        host = state.hosts[moid]
        key = id(description.devices)
        cluster = clusters.get(key)
        if cluster is None or cluster.depths != _depths(host):
            cluster = clusters[key] = _Cluster(host, version, options, known)
        yield cluster.pages(host)


def _depths(host: HostState) -> tuple[int, ...]:
    return tuple(host.queue_depth(device) for device in host.devices.values())


class _Cluster:
    """What its hosts share, written when the first of them is met."""

    def __init__(self, host: HostState, version: str, options: int, known: _Options) -> None:
        self.depths = _depths(host)
        self._version = version
        self._options = options
        self._initiators = _initiators(host)
        devices = list(host.devices.values())
        self._luns = self._written(_LUNS, "vim.host.ScsiLun[]", [_scsi_lun(*row) for row in zip(devices, self.depths, strict=True)])
        units = [complete(storage_objects.logical_unit(host_objects.unit(host, device))) for device in devices]
        self._paths = self._written(_PATHS, "", complete(vim.host.MultipathInfo(lun=units)))
        self._known_options = known

    def pages(self, host: HostState) -> HostPages:
        written = [
            self._written("name", "", host.description.name),
            self._luns,
            tuple(_replaced(part, self._initiators, _initiators(host)) for part in self._paths),
            self._written(_HBAS, "vim.host.HostBusAdapter[]", complete(host_objects.adapters(host))),
            self._told_options(host),
        ]
        name = host.moid.encode()
        commas = [b"," * (place > 0) for place in range(len(written))]
        return HostPages(
            host.moid,
            (b'<objects><obj type="HostSystem">%s</obj>' % name, *(xml for xml, _ in written), b"</objects>"),
            (
                _CONTENT % name,
                *(part for comma, (_, json) in zip(commas, written, strict=True) for part in (comma, json) if part),
                b"]}",
            ),
        )

    def _told_options(self, host: HostState) -> tuple[bytes, bytes]:
        key = tuple(sorted(host.options.items()))
        if key not in self._known_options:
            values = host_objects.option_values(host)
            for number in range(self._options - len(values)):
                value = _VALUES[number % len(_VALUES)]
                values.append(vim.option.OptionValue(key=f"Subsystem{number % 23}.ParameterOfTheHost{number}", value=value))
            self._known_options[key] = self._written(_OPTIONS, "vim.option.OptionValue[]", values)
        return self._known_options[key]

    def _written(self, path: str, array: str, value: Any) -> tuple[bytes, bytes]:
        if array:
            value = VmomiSupport.GetVmodlType(array)(value)
        held = vmodl.DynamicProperty(name=path, val=value)
        return (
            soap.element(held, "propSet", vmodl.DynamicProperty, self._version).encode(),
            vijson_encoding.body(held, vmodl.DynamicProperty, self._version),
        )


def _initiators(host: HostState) -> tuple[bytes, ...]:
    return tuple(storage_objects.initiator(host, hba).encode() for hba in host.hbas.values())


def _replaced(part: bytes, old: Sequence[bytes], new: Sequence[bytes]) -> bytes:
    for one, other in zip(old, new, strict=True):
        part = part.replace(one, other)
    return part


def _scsi_lun(device: DeviceDescription, queue_depth: int) -> Any:
    lun = complete(storage_objects.scsi_lun(device, queue_depth, perennially_reserved=False))
    byte = VmomiSupport.GetVmodlType("byte")
    raw = bytes.fromhex(device.name.partition(".")[2]) * (_INQUIRY_BYTES // 16 + 1)
    names, at = [], 0
    for page, size in _NAMES:
        data = [byte(one - 256 if one > 127 else one) for one in raw[at : at + size]]
        names.append(vim.host.ScsiLun.DurableName(namespace="GENERIC_VPD", namespaceId=byte(page - 256 if page > 127 else page), data=data))
        at += size
    # The first is written twice, as hosts do; then standard inquiry data, which is shorter than the 96 bytes that are asked for.
    lun.durableName, lun.alternateName = names[0], names
    lun.standardInquiry = [byte(one % 128) for one in raw[:36]]
    return lun


def _inside(element: bytes) -> bytes:
    """What stands within `val` of a propSet."""
    return element[element.index(b">", element.index(b"<val")) + 1 : element.rindex(b"</val>")]


def sizes(pages: Sequence[HostPages]) -> Mapping[str, int]:
    """Bytes of all pages."""
    return {"soap": sum(len(part) for one in pages for part in one.soap), "json": sum(len(part) for one in pages for part in one.json)}
