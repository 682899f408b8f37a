"""What vCenter tells of a host's storage: adapters, iSCSI targets, devices, paths."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from auditor.collectors.vcenter_rows import Facts, HostSeen, Rows, gap, readings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from auditor.clients.vcenter_read import ObjectFacts
    from auditor.model import Endpoint

_HBAS = "config.storageDevice.hostBusAdapter"
_DEVICES = "config.storageDevice.scsiLun"
_PATHS = "config.storageDevice.multipathInfo"

STORAGE_PATHS = (_HBAS, _DEVICES, _PATHS)
STORAGE_TOPICS = ("hbas", "devices", "paths")

_HEX_NAME = re.compile(r"(naa|eui)\.[0-9a-f]+", re.IGNORECASE)


def storage_of(endpoint: Endpoint, host: HostSeen, facts: ObjectFacts) -> Generator[Facts, None, frozenset[str] | None]:
    """Yield hba, iscsi_target, device and path of one host, and their readings.

    Returns the kernel modules its adapters use; None when the adapters could not be read, so that nobody takes "none" for an answer.
    """
    holes: dict[str, list[str]] = {topic: [] for topic in STORAGE_TOPICS}
    for topic, path in zip(STORAGE_TOPICS, STORAGE_PATHS, strict=True):
        if path not in facts.values:
            holes[topic].append(facts.missing.get(path, "vCenter does not tell it"))
    adapters = {_key(hba): hba for hba in facts.values.get(_HBAS) or ()}
    luns = facts.values.get(_DEVICES) or ()
    where = {"endpoint": endpoint.name, "host_id": host.id}
    yield from _hbas(where, adapters)
    yield from _targets(where, adapters)
    yield from _devices(where, luns, holes["devices"])
    names = {lun.key: name for lun in luns if (name := device_name(lun)) and lun.key}
    multipath = facts.values.get(_PATHS)
    yield from _paths(where, multipath.lun if multipath else (), names, adapters, holes["paths"])
    for topic, texts in holes.items():
        if texts:
            yield gap(
                endpoint, f"{topic} of {host.name}", "; ".join(texts[:3]) + (f"; and {len(texts) - 3} more" if len(texts) > 3 else "")
            )
    yield readings(endpoint, host.id, {topic: not texts for topic, texts in holes.items()})
    return None if holes["hbas"] else frozenset(hba.driver for hba in adapters.values() if hba.driver)


def device_name(lun: Any) -> str | None:
    """The canonical name; None when the host does not tell it."""
    return lower_hex_name(lun.canonicalName) if lun.canonicalName else None


def lower_hex_name(name: str) -> str:
    """Write naa. and eui. names in lower case; others, such as t10., keep their capitals, which mean something there."""
    return name.lower() if _HEX_NAME.fullmatch(name) else name


def wwn(number: int | None) -> str | None:
    """A world wide name as 16 hexadecimal digits; the API carries it as a signed long."""
    return None if number is None else f"{number & 0xFFFF_FFFF_FFFF_FFFF:016x}"


def _key(hba: Any) -> str:
    return str(hba.key or hba.device)


def _hbas(where: Mapping[str, str], adapters: Mapping[str, Any]) -> Iterator[Facts]:
    from pyVmomi import vim

    rows = Rows("hba", **where)
    for hba in adapters.values():
        is_iscsi = isinstance(hba, vim.host.InternetScsiHba)
        initiator = hba.iScsiName.lower() if is_iscsi and hba.iScsiName else None
        if isinstance(hba, vim.host.FibreChannelHba):
            initiator = wwn(hba.portWorldWideName)
        rows.add(
            hba=hba.device,
            driver=hba.driver,
            model=_trimmed(hba.model),
            kind=_hba_kind(hba),
            status=hba.status,
            is_software=hba.isSoftwareBased if is_iscsi else None,
            initiator=initiator,
            delayed_ack=_delayed_ack(hba.advancedOptions)[0] if is_iscsi else None,
        )
    yield from rows.batch()


def _hba_kind(hba: Any) -> str:
    from pyVmomi import vim

    kinds = (
        (vim.host.InternetScsiHba, "iscsi"),
        (vim.host.FibreChannelOverEthernetHba, "fcoe"),  # a kind of FibreChannelHba, so it comes first
        (vim.host.FibreChannelHba, "fc"),
        ((vim.host.PcieHba, vim.host.RdmaHba, vim.host.TcpHba), "nvme"),
    )
    return next((name for kind, name in kinds if isinstance(hba, kind)), "block")


def _targets(where: Mapping[str, str], adapters: Mapping[str, Any]) -> Iterator[Facts]:
    from pyVmomi import vim

    rows = Rows("iscsi_target", **where)
    for hba in adapters.values():
        if not isinstance(hba, vim.host.InternetScsiHba):
            continue
        for kind, targets in (("send", hba.configuredSendTarget), ("static", hba.configuredStaticTarget)):
            for target in targets or ():
                value, inherited = _delayed_ack(target.advancedOptions)
                rows.add(
                    hba=hba.device,
                    kind=kind,
                    address=target.address,
                    port=target.port or 3260,  # optional in the API; 3260 is iSCSI's own port (RFC 7143)
                    iqn=target.iScsiName.lower() if kind == "static" and target.iScsiName else None,
                    delayed_ack=value,
                    delayed_ack_inherited=inherited,
                )
    yield from rows.batch()


def _delayed_ack(options: Any) -> tuple[bool | None, bool | None]:
    """Value and whether it is inherited. Source: HostInternetScsiHbaParamValue; the key is verified in facts.md 5.3."""
    for option in options or ():
        if option.key == "DelayedAck":
            return (option.value if isinstance(option.value, bool) else None), option.isInherited
    return None, None


def _devices(where: Mapping[str, str], luns: Any, holes: list[str]) -> Iterator[Facts]:
    from pyVmomi import vim

    rows = Rows("device", **where)
    seen: set[str] = set()
    for lun in luns:
        name = device_name(lun)
        if name is None or name in seen:
            holes.append(f"{name} is listed twice" if name else f"{lun.deviceName} has no canonical name")
            continue
        seen.add(name)
        is_disk = isinstance(lun, vim.host.ScsiDisk)
        rows.add(
            device=name,
            display_name=lun.displayName,
            vendor=_trimmed(lun.vendor),
            model=_trimmed(lun.model),
            revision=_trimmed(lun.revision),
            device_type=lun.lunType,
            is_protocol_endpoint=lun.protocolEndpoint,
            queue_depth=lun.queueDepth,
            vstorage_support=lun.vStorageSupport,
            is_local=lun.localDisk if is_disk else None,
            is_ssd=lun.ssd if is_disk else None,
            size_bytes=lun.capacity.block * lun.capacity.blockSize if is_disk and lun.capacity else None,
            operational_state=",".join(lun.operationalState or ()),
        )
    yield from rows.batch()


def _paths(
    where: Mapping[str, str], units: Any, names: Mapping[str, str], adapters: Mapping[str, Any], holes: list[str]
) -> Iterator[Facts]:
    rows = Rows("path", **where)
    for unit in units or ():
        device = names.get(unit.lun)
        if device is None:
            holes.append(f"{unit.id} belongs to no device that was read")
            continue
        policy, array_policy = unit.policy, unit.storageArrayTypePolicy
        for path in unit.path or ():
            adapter = adapters.get(path.adapter)
            if adapter is None:
                holes.append(f"{path.name} leaves by no adapter that was read")
            transport, target = _transport(path.transport)
            rows.add(
                device=device,
                hba=adapter.device if adapter else None,
                path=path.name,
                state=path.state or path.pathState,
                transport=transport,
                target=target,
                psp=policy.policy if policy else None,
                satp=array_policy.policy if array_policy else None,
            )
    yield from rows.batch()


def _transport(transport: Any) -> tuple[str | None, str | None]:
    """Its name, and the target's IQN or WWPN."""
    from pyVmomi import vim

    if transport is None:
        return None, None
    if isinstance(transport, vim.host.InternetScsiTargetTransport):
        return "iscsi", transport.iScsiName.lower() if transport.iScsiName else None
    if isinstance(transport, vim.host.FibreChannelTargetTransport):
        is_fcoe = isinstance(transport, vim.host.FibreChannelOverEthernetTargetTransport)
        return "fcoe" if is_fcoe else "fc", wwn(transport.portWorldWideName)
    if isinstance(transport, vim.host.SerialAttachedTargetTransport):
        return "sas", None
    nvme = (vim.host.PcieTargetTransport, vim.host.RdmaTargetTransport, vim.host.TcpTargetTransport)
    return ("nvme" if isinstance(transport, nvme) else "block"), None


def _trimmed(text: str | None) -> str | None:
    return None if text is None else text.strip()
