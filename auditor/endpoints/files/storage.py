"""A host's adapters, devices and paths from what esxcli printed, in the shapes of the vSphere API, so that one code makes rows of both."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from auditor.endpoints.files.protocol_endpoints import endpoint_device
from auditor.endpoints.vcenter.bulk.shapes import (
    Capacity,
    HostBusAdapter,
    IscsiTarget,
    LogicalUnit,
    MultipathInfo,
    OptionValue,
    Path,
    Policy,
    ScsiLun,
    Transport,
)
from auditor.endpoints.vcenter.collect.storage import lower_hex_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.vcenter.collect.esxcli import Record, Records

ADAPTERS, DEVICES, PATHS = "storage core adapter list", "storage core device list", "storage core path list"
POLICIES, SCHEMES = "storage nmp device list", "storage hpp device list"
OFFLOAD = "storage core device vaai status get"
EXTENTS = "storage vmfs extent list"
ADAPTER, ADAPTER_PARAMETERS = "iscsi adapter get", "iscsi adapter param get"
FC_ADAPTERS = "storage san fc list"
SEND_TARGETS, STATIC_TARGETS = "iscsi adapter discovery sendtarget list", "iscsi adapter discovery statictarget list"
SEND_PARAMETERS = "iscsi adapter discovery sendtarget param get"
STATIC_PARAMETERS = "iscsi adapter target portal param get"

SOFTWARE_ISCSI = "iscsi_vmk"

_MIB = 1 << 20

_ADAPTER_TYPES = {
    "iqn": "HostInternetScsiHba",
    "iscsi": "HostInternetScsiHba",
    "fc": "HostFibreChannelHba",
    "fcoe": "HostFibreChannelOverEthernetHba",
    "pscsi": "HostParallelScsiHba",
    "sas": "HostSerialAttachedHba",
    "sata": "HostBlockHba",
    "ide": "HostBlockHba",
    "usb": "HostBlockHba",
    "pcie": "HostPcieHba",
    "tcp": "HostTcpHba",
    "rdma": "HostRdmaHba",
}
"""By the first word of an adapter's UID: the API's type. Source: adapter lists of real hosts (fc, pscsi, sata, tcp), path names of the
vSphere storage guide (iqn, sas, usb, ide, pcie, rdma); one that is not here, such as `unknown`, is no kind that is known."""

_NVME_FABRICS = frozenset({"HostPcieHba", "HostTcpHba", "HostRdmaHba"})

_LINKS = {"online": "online", "link-up": "online", "offline": "offline", "link-down": "offline", "unbound": "unbound"}
"""Link State -> HostHostBusAdapter.status; link-n/a says nothing of it, so that is not known."""

_TRANSPORTS = {
    "iscsi": "HostInternetScsiTargetTransport",
    "fc": "HostFibreChannelTargetTransport",
    "fcoe": "HostFibreChannelOverEthernetTargetTransport",
    "sas": "HostSerialAttachedTargetTransport",
    "parallel": "HostParallelScsiTargetTransport",
    "pscsi": "HostParallelScsiTargetTransport",
    "sata": "HostBlockAdapterTargetTransport",
    "ide": "HostBlockAdapterTargetTransport",
    "usb": "HostBlockAdapterTargetTransport",
    "block": "HostBlockAdapterTargetTransport",
    "pcie": "HostPcieTargetTransport",
    "tcp": "HostTcpTargetTransport",
    "rdma": "HostRdmaTargetTransport",
}

_DEVICE_TYPES = {"direct-access": "disk", "cd-rom": "cdrom", "sequential-access": "tape", "enclosure svc dev": "enclosure"}
"""Device Type -> ScsiLunType; only Direct-Access and CD-ROM were seen in real outputs."""

_STATES = {
    "on": "ok",
    "off": "off",
    "degraded": "degraded",
    "dead": "lostCommunication",
    "not connected": "lostCommunication",
    "dead timeout": "timeout",
    "unknown": "unknownState",
}
"""Status -> ScsiLunState. `degraded` is a state of the device's paths to esxcli as to the API.

Source: docs/domain/evidence-files.md#2-4.
"""

_PATH_STATES = {"off": "disabled"}
"""esxcli's own word for what an administrator set (`storage core path set --state=off`); all others are the API's."""

_OFFLOADS = {"supported": "vStorageSupported", "unsupported": "vStorageUnsupported", "unknown": "vStorageUnknown"}

_DRIVERS_WORD = re.compile(r"\s+(NVMe )?FC (HBA|Adapter)$|\s+NVMe HBA$", re.IGNORECASE)


def adapters_of(host: HostFiles, records: Records) -> list[HostBusAdapter]:
    """The adapters in a list of them, with the iSCSI targets and parameters that other outputs of the host have."""
    return [_adapter(host, record) for record in records]


def _adapter(host: HostFiles, record: Record) -> HostBusAdapter:
    name = record.filled("hbaname")
    record.name = name or record.name
    uid, driver = record.text("uid", needed=False) or "", record.filled("driver", needed=False)
    prefix = uid.split(".", 1)[0].lower()
    of_type = _ADAPTER_TYPES.get(prefix, "HostInternetScsiHba" if driver == SOFTWARE_ISCSI else "")
    description = record.text("description", needed=False) or ""
    is_nvme = of_type in _NVME_FABRICS or "nvme" in description.lower()
    is_iscsi = of_type == "HostInternetScsiHba"
    iscsi_name = next((part for part in re.split(r"[,\s]", uid) if part.lower().startswith("iqn.")), None) if is_iscsi else None
    adapter = HostBusAdapter(
        type_name=of_type or prefix or "adapter without a UID",
        key=name,
        device=name,
        status=_LINKS.get((record.text("linkstate", needed=False) or "").lower()),
        model=_DRIVERS_WORD.sub("", re.sub(r"^\([0-9a-fA-F:.]+\)\s*", "", description)) or None,
        driver=driver,
        storage_protocol="nvme" if is_nvme else "scsi",
        is_software_based=driver == SOFTWARE_ISCSI if is_iscsi else None,
        port_world_wide_name=_port_name(uid) if prefix in ("fc", "fcoe") else None,
        iscsi_name=iscsi_name,
    )
    if is_iscsi and name:
        adapter.iscsi_name = iscsi_name or _iscsi_name(host, name)
        adapter.advanced_options = list(_parameters(host.records(ADAPTER_PARAMETERS, adapter=name), of_target=False))
        adapter.configured_send_target = list(_send_targets(host, name))
        adapter.configured_static_target = list(_static_targets(host, name))
    adapter.firmware = _firmware(host, name, is_iscsi=is_iscsi) if name else None
    return adapter


def _firmware(host: HostFiles, adapter: str, *, is_iscsi: bool) -> str | None:
    """The firmware of an adapter, as its own output or the list of Fibre Channel ports has it.

    Source: public scripts that list adapters by `$esxcli.storage.san.fc.list()` read Adapter and FirmwareVersion of it.
    """
    records = host.records(ADAPTER, adapter=adapter) if is_iscsi else host.records(FC_ADAPTERS)
    own = (one for one in records or () if is_iscsi or one.text("adapter", needed=False) == adapter)
    return next((one.text("firmwareversion", needed=False) or None for one in own), None)


def _port_name(uid: str) -> int | None:
    """The port's world wide name in fc.<node>:<port>, as the API has it."""
    port = re.fullmatch(r"(?:fc|fcoe)\.[0-9a-fA-F]{16}:([0-9a-fA-F]{16})", uid)
    return None if port is None else int(port[1], 16)


def _iscsi_name(host: HostFiles, adapter: str) -> str | None:
    for record in host.records(ADAPTER, adapter=adapter) or ():
        return record.filled("name", needed=False)
    return None


def _parameters(records: Records | None, *, of_target: bool) -> Iterator[OptionValue]:
    for record in records or ():
        key, value = record.filled("name", needed=False), record.text("current", needed=False)
        if key and value is not None:
            inherited = record.truth("inherit", needed=False) if of_target else None
            yield OptionValue(key=key, value=_typed(value), is_inherited=inherited)


def _typed(text: str) -> bool | int | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else text


def _send_targets(host: HostFiles, adapter: str) -> Iterator[IscsiTarget]:
    for record in host.records(SEND_TARGETS) or ():
        if record.text("adapter", needed=False) == adapter and (portal := record.filled("sendtarget")):
            parameters = host.records(SEND_PARAMETERS, adapter=adapter, address=portal)
            yield _target(portal, None, parameters)


def _static_targets(host: HostFiles, adapter: str) -> Iterator[IscsiTarget]:
    for record in host.records(STATIC_TARGETS) or ():
        portal, name = record.filled("targetaddress", needed=False), record.filled("targetname", needed=False)
        if record.text("adapter", needed=False) == adapter and portal and name:
            parameters = host.records(STATIC_PARAMETERS, adapter=adapter, address=portal, name=name)
            yield _target(portal, name, parameters)


def _target(portal: str, name: str | None, parameters: Records | None) -> IscsiTarget:
    address, _, port = portal.rpartition(":")
    options = list(_parameters(parameters, of_target=True))
    number = int(port) if address and port.isdigit() else None
    bare = (address if number is not None else portal).strip("[]")
    return IscsiTarget(address=bare, port=number, iscsi_name=name, advanced_options=options)


def devices_of(records: Records, endpoints: Records | None = None) -> list[ScsiLun]:
    """The devices in a list of them.

    A size is printed in whole MiB, rounded down: that of a protocol endpoint is 0. Which devices are protocol endpoints says the list of
    devices itself; where a release does not print that, those among `endpoints` are known to be some, and of others nothing is known.
    """
    named = frozenset(map(endpoint_device, endpoints or ()))
    return [_device(record, named) for record in records]


def _device(record: Record, endpoints: frozenset[str | None]) -> ScsiLun:
    name = record.device()
    of_type = (record.text("devicetype", needed=False) or "").lower()
    kind = _DEVICE_TYPES.get(of_type)
    size = record.number("size", needed=False)
    state = record.text("status", needed=False)
    offload = record.text("vaaistatus", needed=False)
    is_disk = kind == "disk"
    is_endpoint = record.truth("isvvolpe", needed=False)
    return ScsiLun(
        type_name="HostScsiDisk" if is_disk else "",
        key=name,
        device_name=name,
        canonical_name=name,
        display_name=record.text("displayname", needed=False),
        lun_type=kind,
        vendor=record.text("vendor", needed=False),
        model=record.text("model", needed=False),
        revision=record.text("revision", needed=False),
        queue_depth=record.number("devicemaxqueuedepth", needed=False),
        operational_state=[] if state is None else [word] if (word := record.understood("status", state, _STATES.get(state))) else [],
        vstorage_support=_OFFLOADS.get(offload or ""),
        protocol_endpoint=True if is_endpoint is None and name in endpoints else is_endpoint,
        perennially_reserved=record.truth("isperenniallyreserved", needed=False),
        capacity=Capacity(block_size=_MIB, block=size) if is_disk and size is not None else None,
        ssd=record.truth("isssd", needed=False) if is_disk else None,
        local_disk=record.truth("islocal", needed=False) if is_disk else None,
    )


def paths_of(records: Records, policies: Records | None, schemes: Records | None = None) -> MultipathInfo:
    """The paths in a list of them, by device.

    Args:
        records: the paths.
        policies: how the native plug-in uses them; None where that was not printed.
        schemes: how the high-performance plug-in does; likewise.
    """
    of_device: dict[str, tuple[str | None, str | None, frozenset[str]]] = {}
    for record in policies or ():
        if name := record.device():
            of_device[name] = (
                record.filled("pathselectionpolicy", needed=False),
                record.filled("storagearraytype", needed=False),
                working_paths(record),
            )
    for record in schemes or ():
        if name := record.device():
            of_device[name] = (record.filled("pathselectionscheme", needed=False), None, _names(record, "workingpathset"))
    units: dict[str, list[Path]] = defaultdict(list)
    for record in records:
        if (name := record.filled("device", needed=False)) and name.lower() != "no associated device":
            device = lower_hex_name(name)
            units[device].append(_path(record, of_device.get(device)))
    return MultipathInfo(lun=[_unit(device, paths, of_device) for device, paths in units.items()])


def working_paths(record: Record) -> frozenset[str]:
    """The runtime names of the paths that the native plug-in sends I/O by, of a record of its devices."""
    return _names(record, "workingpaths")


def _names(record: Record, field: str) -> frozenset[str]:
    """The runtime names in a list, with commas or without."""
    return frozenset(re.split(r"[,\s]+", " ".join(record.texts(field, needed=False) or ()))) - {""}


def _unit(device: str, paths: list[Path], of_device: Mapping[str, tuple[str | None, str | None, frozenset[str]]]) -> LogicalUnit:
    psp, satp, _ = of_device.get(device, (None, None, frozenset[str]()))
    return LogicalUnit(
        id=device,
        lun=device,
        path=paths,
        policy=Policy(policy=psp) if psp else None,
        storage_array_type_policy=Policy(policy=satp) if satp else None,
    )


def _path(record: Record, policy: tuple[str | None, str | None, frozenset[str]] | None) -> Path:
    runtime = record.filled("runtimename", needed=False)
    state = record.filled("state", needed=False)
    word = (record.text("transport", needed=False) or "").lower()
    target = record.text("targetidentifier", needed=False) or ""
    iqn = next((part for part in target.split(",") if re.match(r"(iqn|eui|naa)\.", part.lower())), None)
    return Path(
        name=record.filled("uid", needed=False) or runtime,
        state=_PATH_STATES.get(state or "", state),
        is_working_path=None if policy is None or runtime is None else runtime in policy[2],
        adapter=record.filled("adapter", needed=False),
        transport=Transport(
            type_name=_TRANSPORTS.get(word, word),
            iscsi_name=iqn if word == "iscsi" else None,
            port_world_wide_name=_port_name(target) if word in ("fc", "fcoe") else None,
        )
        if word
        else None,
    )
