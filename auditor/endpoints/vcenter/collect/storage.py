"""A host's storage as vCenter reports it: adapters, iSCSI targets, devices, paths."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from auditor.endpoints.vcenter.collect.rows import Facts, HostSeen, Rows, columns, gap, readings
from auditor.endpoints.vcenter.enumerations import HBA_KINDS, HBA_PROTOCOLS, PATH_STATES, TRANSPORTS

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import HostBusAdapter, IscsiTarget, LogicalUnit, OptionValue, Path, ScsiLun, Transport
    from auditor.model import Endpoint

_HBAS = "config.storageDevice.hostBusAdapter"
_DEVICES = "config.storageDevice.scsiLun"
_PATHS = "config.storageDevice.multipathInfo"

_PATH_OF = {"hbas": _HBAS, "devices": _DEVICES, "paths": _PATHS}
STORAGE_TOPICS = tuple(_PATH_OF)
_NOT_ASKED = ("not asked",)

_ISCSI_HBA = "HostInternetScsiHba"
_ISCSI_PORT = 3260  # where the API reports none; iSCSI's own (RFC 7143)
_FC_HBAS = frozenset(name for name, kind in HBA_KINDS.items() if kind in ("fc", "fcoe"))

_HEX_NAME = re.compile(r"(naa|eui)\.[0-9a-f]+", re.IGNORECASE)


def storage_of(
    endpoint: Endpoint, host: HostSeen, facts: ObjectProperties, topics: Collection[str] = STORAGE_TOPICS
) -> Generator[Facts, None, frozenset[str] | None]:
    """Yield hba, iscsi_target, iscsi_option, device and path of one host, and the readings of `topics`; the others were not asked for.

    Returns the kernel modules its adapters use; None when the adapters could not be read, so that nobody takes "none" for an answer.
    """
    parse_errors: dict[str, list[str]] = {topic: [] for topic in STORAGE_TOPICS if topic in topics}
    for topic, texts in parse_errors.items():
        path = _PATH_OF[topic]
        if path not in facts.values:
            texts.append(facts.missing.get(path, "vCenter does not report it"))
    adapters: dict[str, HostBusAdapter] = {_key(hba): hba for hba in facts.values.get(_HBAS) or ()}
    luns = facts.values.get(_DEVICES) or ()
    where = {"endpoint": endpoint.name, "host_id": host.id}
    if "hbas" in parse_errors:
        yield from _hbas(where, adapters, parse_errors["hbas"])
        yield from _targets(where, adapters)
        yield from _options(where, adapters)
    if "devices" in parse_errors:
        yield from _devices(where, luns, parse_errors["devices"])
    if "paths" in parse_errors:
        names = {lun.key: name for lun in luns if (name := device_name(lun)) and lun.key}
        multipath = facts.values.get(_PATHS)
        yield from _paths(where, multipath.lun if multipath else (), names, adapters, parse_errors["paths"])
    for topic, texts in parse_errors.items():
        if texts:
            yield gap(
                endpoint, f"{topic} of {host.name}", "; ".join(texts[:3]) + (f"; and {len(texts) - 3} more" if len(texts) > 3 else "")
            )
    if parse_errors:
        yield readings(endpoint, host.id, {topic: not texts for topic, texts in parse_errors.items()})
    return None if parse_errors.get("hbas", _NOT_ASKED) else frozenset(hba.driver for hba in adapters.values() if hba.driver)


def device_name(lun: ScsiLun) -> str | None:
    """The canonical name; None when the host does not report it."""
    return lower_hex_name(lun.canonical_name) if lun.canonical_name else None


@lru_cache(maxsize=1 << 15)
@lru_cache(maxsize=8192)  # every host of a cluster names the same devices, in every answer
def lower_hex_name(name: str) -> str:
    """Write naa. and eui. names in lower case; others, such as t10., keep their capitals, which mean something there."""
    return name.lower() if _HEX_NAME.fullmatch(name) else name


def wwn(number: int | None) -> str | None:
    """A world wide name as 16 hexadecimal digits; the API carries it as a signed long."""
    return None if number is None else f"{number & 0xFFFF_FFFF_FFFF_FFFF:016x}"


def _key(hba: HostBusAdapter) -> str:
    return str(hba.key or hba.device)


def _hbas(where: Mapping[str, str], adapters: Mapping[str, HostBusAdapter], parse_errors: list[str]) -> Iterator[Facts]:
    rows = Rows("hba", **where)
    for hba in adapters.values():
        kind = _kind(hba)
        if kind is None:
            parse_errors.append(f"the type of {hba.device} is not known: {hba.type_name}, of protocol {hba.storage_protocol}")
        is_iscsi = hba.type_name == _ISCSI_HBA
        initiator = hba.iscsi_name.lower() if is_iscsi and hba.iscsi_name else None
        if hba.type_name in _FC_HBAS:
            initiator = wwn(hba.port_world_wide_name)
        rows.add(
            hba=hba.device,
            driver=hba.driver,
            model=_trimmed(hba.model),
            kind=kind,
            status=hba.status,
            is_software=hba.is_software_based if is_iscsi else None,
            initiator=initiator,
            delayed_ack=_delayed_ack(hba.advanced_options)[0] if is_iscsi else None,
            firmware=_trimmed(hba.firmware),
        )
    yield from rows.batch()


def _kind(hba: HostBusAdapter) -> str | None:
    """The kind as the table has it, None when not known. A port that speaks SCSI and NVMe is two adapters of one type.

    storageProtocol distinguishes them. Source: HostHostBusAdapter.storageProtocol and HostStorageProtocol in the vSphere API, since 7.0.
    """
    if hba.storage_protocol is not None and hba.storage_protocol not in HBA_PROTOCOLS:
        return None
    return "nvme" if hba.storage_protocol == "nvme" else HBA_KINDS.get(hba.type_name)


def _targets(where: Mapping[str, str], adapters: Mapping[str, HostBusAdapter]) -> Iterator[Facts]:
    rows = Rows("iscsi_target", **where)
    for hba in adapters.values():
        if hba.type_name != _ISCSI_HBA:
            continue
        for kind, targets in (("send", hba.configured_send_target), ("static", hba.configured_static_target)):
            for target in targets:
                value, inherited = _delayed_ack(target.advanced_options)
                rows.add(
                    hba=hba.device,
                    kind=kind,
                    address=target.address,
                    port=target.port or _ISCSI_PORT,
                    iqn=target.iscsi_name.lower() if kind == "static" and target.iscsi_name else None,
                    delayed_ack=value,
                    delayed_ack_inherited=inherited,
                )
    yield from rows.batch()


def _delayed_ack(options: Sequence[OptionValue]) -> tuple[bool | None, bool | None]:
    """Value and whether it is inherited. Source: HostInternetScsiHbaParamValue; the key is verified in docs/domain/facts.md#5-3."""
    for option in options:
        if option.key == "DelayedAck":
            value = option.plain
            return (value if isinstance(value, bool) else None), option.is_inherited
    return None, None


def _options(where: Mapping[str, str], adapters: Mapping[str, HostBusAdapter]) -> Iterator[Facts]:
    """Every parameter of every iSCSI adapter and target. Source: advancedOptions of HostInternetScsiHba and its targets."""
    options: list[tuple[str | None, str, OptionValue]] = []
    for hba in adapters.values():
        if hba.type_name != _ISCSI_HBA:
            continue
        options += [(hba.device, "", option) for option in hba.advanced_options]
        for target in hba.configured_send_target:
            options += [(hba.device, _portal(target), option) for option in target.advanced_options]
        for target in hba.configured_static_target:
            name = f"{_portal(target)} {(target.iscsi_name or '').lower()}".rstrip()
            options += [(hba.device, name, option) for option in target.advanced_options]
    yield from columns(
        "iscsi_option",
        where,
        hba=[hba for hba, _, _ in options],
        target=[target for _, target, _ in options],
        key=[option.key for _, _, option in options],
        value=[_as_text(option.plain) for _, _, option in options],
        is_inherited=[option.is_inherited for _, _, option in options],
    )


def _portal(target: IscsiTarget) -> str:
    return f"{target.address}:{target.port or _ISCSI_PORT}"


def _as_text(value: bool | float | str | None) -> str | None:
    """A parameter's value as the table has it."""
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _devices(where: Mapping[str, str], luns: Sequence[ScsiLun], parse_errors: list[str]) -> Iterator[Facts]:
    names: dict[str, ScsiLun] = {}
    for lun in luns:
        name = device_name(lun)
        if name is None or name in names:
            parse_errors.append(f"{name} is listed twice" if name else f"{lun.device_name} has no canonical name")
        else:
            names[name] = lun
    kept = names.values()
    disks = [lun.type_name == "HostScsiDisk" for lun in kept]
    # Column by column: a fleet has millions of devices, and a row at a time costs several times as much.
    yield from columns(
        "device",
        where,
        device=list(names),
        display_name=[lun.display_name for lun in kept],
        vendor=[_trimmed(lun.vendor) for lun in kept],
        model=[_trimmed(lun.model) for lun in kept],
        revision=[_trimmed(lun.revision) for lun in kept],
        device_type=[lun.lun_type for lun in kept],
        is_protocol_endpoint=[lun.protocol_endpoint for lun in kept],
        perennially_reserved=[lun.perennially_reserved for lun in kept],
        queue_depth=[lun.queue_depth for lun in kept],
        vstorage_support=[lun.vstorage_support for lun in kept],
        is_local=[lun.local_disk if disk else None for lun, disk in zip(kept, disks, strict=True)],
        is_ssd=[lun.ssd if disk else None for lun, disk in zip(kept, disks, strict=True)],
        size_bytes=[
            lun.capacity.block * lun.capacity.block_size if disk and lun.capacity else None for lun, disk in zip(kept, disks, strict=True)
        ],
        operational_state=[",".join(lun.operational_state) for lun in kept],
    )


def _paths(
    where: Mapping[str, str],
    units: Sequence[LogicalUnit],
    names: Mapping[str, str],
    adapters: Mapping[str, HostBusAdapter],
    parse_errors: list[str],
) -> Iterator[Facts]:
    hbas = {key: adapter.device for key, adapter in adapters.items()}
    paths: list[Path] = []
    devices: list[str] = []
    psps: list[str | None] = []
    satps: list[str | None] = []
    for unit in units:
        device = names.get(unit.lun or "")
        if device is None:
            parse_errors.append(f"{unit.id} belongs to no device that was read")
            continue
        count = len(unit.path)
        paths += unit.path
        devices += [device] * count
        psps += [unit.policy.policy if unit.policy else None] * count
        satps += [unit.storage_array_type_policy.policy if unit.storage_array_type_policy else None] * count
    by = [hbas.get(path.adapter or "") for path in paths]
    if None in by:
        parse_errors += [f"{path.name} leaves by no adapter that was read" for path in paths if path.adapter not in hbas]
    transports = [path.transport for path in paths]
    states = [path.state or path.path_state for path in paths]
    strange = {state for state in states if state is not None} - PATH_STATES.keys()
    strange |= {one.type_name for one in transports if one} - TRANSPORTS.keys()
    parse_errors += [f"a path reports {word[:40]!r}, which is not known" for word in sorted(strange)]
    yield from columns(
        "path",
        where,
        device=devices,
        hba=by,
        path=[path.name for path in paths],
        state=[None if state in strange else state for state in states] if strange else states,
        is_working=[path.is_working_path for path in paths],
        transport=[TRANSPORTS.get(one.type_name) if one else None for one in transports],
        target=[_target(one) if one else None for one in transports],
        psp=psps,
        satp=satps,
    )


def _target(transport: Transport) -> str | None:
    """The target's IQN or WWPN; None where its kind has neither."""
    if transport.iscsi_name is not None:
        return transport.iscsi_name.lower() or None
    return wwn(transport.port_world_wide_name)


def _trimmed(text: str | None) -> str | None:
    return None if text is None else text.strip()
