"""A host's adapters, devices and paths from the sheets vHBA and vMultiPath, in the shapes of the vSphere API."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from auditor.endpoints.files.storage import SOFTWARE_ISCSI
from auditor.endpoints.vcenter.bulk.shapes import (
    HostBusAdapter,
    LogicalUnit,
    MultipathInfo,
    Path,
    Policy,
    ScsiLun,
    Transport,
)
from auditor.endpoints.vcenter.collect.storage import lower_hex_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.endpoints.files.rvtools.places import HostRows
    from auditor.endpoints.files.rvtools.sheets import Row

MOST_PATHS = 8
"""So many paths of a device are shown: where all are, there may be more. Source: docs/domain/evidence-files.md#5-4."""

_TYPES = (
    ("overethernet", "HostFibreChannelOverEthernetHba"),
    ("fcoe", "HostFibreChannelOverEthernetHba"),
    ("fibrechannel", "HostFibreChannelHba"),
    ("iscsi", "HostInternetScsiHba"),
    ("internetscsi", "HostInternetScsiHba"),
    ("parallel", "HostParallelScsiHba"),
    ("serialattached", "HostSerialAttachedHba"),
    ("sas", "HostSerialAttachedHba"),
    ("block", "HostBlockHba"),
    ("rdma", "HostRdmaHba"),
    ("tcp", "HostTcpHba"),
    ("pcie", "HostPcieHba"),
)
"""What the type of an adapter holds -> the API's type; the first that fits."""

_NVME = frozenset({"HostPcieHba", "HostTcpHba", "HostRdmaHba"})
_WWN = re.compile(r"(?:[0-9a-f]{2}[:-]){7}[0-9a-f]{2}|[0-9a-f]{16}", re.IGNORECASE)
_RUNTIME = re.compile(r"(vmhba[0-9]{1,5}):")
_PORTS = re.compile(r"(fc|fcoe)\.([0-9a-f]{16}):([0-9a-f]{16})-(?:fc|fcoe)\.[0-9a-f]{16}:([0-9a-f]{16})-", re.IGNORECASE)
_SESSION = re.compile(r"(iqn\.[^,\s]{1,223})-[0-9a-f]{12},(iqn\.[^,\s]{1,223}),t,", re.IGNORECASE)
"""Names of paths by ports and by sessions, as the UID of `esxcli storage core path list` is."""
_DEVICE = re.compile(r"[A-Za-z0-9]{2,8}\.\S{1,250}")
_STATES = frozenset({"ok", "off", "degraded", "error", "lostcommunication", "quiesced", "timeout", "unknownstate"})
_API_STATES = {"lostcommunication": "lostCommunication", "unknownstate": "unknownState"}
_OFFLOADS = {"supported": "vStorageSupported", "unsupported": "vStorageUnsupported", "unknown": "vStorageUnknown"}


def adapters_of(host: HostRows) -> list[HostBusAdapter]:
    """The adapters of a host.

    A port's name is not read: the sheet has its own and its node's side by side, and nothing says which is which. Two adapters of Fibre
    Channel with the same names are one port that speaks SCSI and NVMe, and the sheet does not say which of them speaks what.
    """
    rows = host.rows("vHBA")
    ports = Counter(names for row in rows if (names := _names(row)))
    return [_adapter(row, is_shared=ports[_names(row)] > 1) for row in rows if row.text("device")]


def _names(row: Row) -> frozenset[str]:
    """The world wide names of a row, as 16 digits; of iSCSI the adapter's name, in lower case."""
    wwn = row.text("wwn") or ""
    own = _iscsi_name(wwn)
    return frozenset({own.lower()} if own else (re.sub("[:-]", "", name).lower() for name in _WWN.findall(wwn)))


def _iscsi_name(wwn: str) -> str | None:
    return next((text for text in wwn.split() if text.lower().startswith(("iqn.", "eui."))), None)


def _adapter(row: Row, *, is_shared: bool) -> HostBusAdapter:
    name, word = row.text("device"), re.sub(r"[^a-z0-9]", "", (row.text("type") or "").lower())
    of_type = next((kind for part, kind in _TYPES if part in word), "")
    driver, wwn = row.text("driver"), row.text("wwn") or ""
    is_iscsi = of_type == "HostInternetScsiHba"
    is_nvme = of_type in _NVME or "nvme" in f"{word} {row.text('model')}".lower()
    return HostBusAdapter(
        type_name=of_type or word or "adapter without a type",
        key=name,
        device=name,
        status=(row.text("status") or "").lower() or None,
        model=row.text("model"),
        driver=driver,
        storage_protocol="nvme" if is_nvme else "scsi or nvme" if is_shared else "scsi",
        is_software_based=driver == SOFTWARE_ISCSI if is_iscsi and driver else None,
        iscsi_name=_iscsi_name(wwn) if is_iscsi else None,
    )


def devices_of(host: HostRows) -> list[ScsiLun]:
    """The devices of a host that have paths."""
    return [_device(row, name) for row in host.rows("vMultiPath") if (name := device_name(row))]


def device_name(row: Row) -> str | None:
    """The canonical name of the device that a row of vMultiPath is about; None where it has none."""
    name = row.text("disk") or ""
    return lower_hex_name(name) if _DEVICE.fullmatch(name) else None


def has_all_devices(host: HostRows) -> bool:
    """Whether every row of vMultiPath names its device."""
    return all(device_name(row) for row in host.rows("vMultiPath"))


def _device(row: Row, name: str) -> ScsiLun:
    words = re.split(r"[,;\s]+", (row.text("oper. state") or "").lower())
    depth, offload = row.number("queue depth"), (row.text("vstorage") or "").lower().removeprefix("vstorage")
    return ScsiLun(
        key=name,
        device_name=name,
        canonical_name=name,
        display_name=row.text("display name"),
        lun_type="disk" if _is_disk(row, name) else None,
        vendor=row.text("vendor"),
        model=row.text("model"),
        revision=row.text("revision"),
        queue_depth=depth or None,
        operational_state=[_API_STATES.get(word, word) for word in words if word in _STATES],
        vstorage_support=_OFFLOADS.get(offload),
    )


def _is_disk(row: Row, name: str) -> bool:
    """Whether it is a disk for sure: a datastore lies on it, or it has the name that ESXi gives a disk which nobody renamed."""
    return bool(row.text("datastore")) or (row.text("display name") or "").lower().endswith(f" disk ({name.lower()})")


def paths_of(host: HostRows, adapters: Sequence[HostBusAdapter]) -> tuple[MultipathInfo, list[HostBusAdapter], int]:
    """The paths of a host, the adapters that they leave by, and of how many devices there may be more than are shown.

    An adapter that no sheet has is known by its name in that of a path.
    """
    units, more = [], 0
    by_names = {names: row.text("device") for row in host.rows("vHBA") if (names := _names(row))}
    for row in host.rows("vMultiPath"):
        if name := device_name(row):
            paths = [_path(text, state, by_names) for text, state in _shown(row)]
            more += len(paths) >= MOST_PATHS
            policy = row.text("policy") or ""
            units.append(LogicalUnit(id=name, lun=name, path=paths, policy=Policy(policy=policy) if policy.startswith("VMW_") else None))
    known = {adapter.key for adapter in adapters}
    named = {path.adapter: None for unit in units for path in unit.path if path.adapter and path.adapter not in known}
    return MultipathInfo(lun=units), [*adapters, *(HostBusAdapter(key=name, device=name) for name in named)], more


def _shown(row: Row) -> Iterator[tuple[str, str | None]]:
    for number in range(1, MOST_PATHS + 1):
        if text := row.text(f"path {number}"):
            yield text, row.text(f"path {number} state")


def _path(name: str, state: str | None, by_names: dict[frozenset[str], str | None]) -> Path:
    runtime, names, transport = _RUNTIME.match(name), frozenset[str](), None
    if ports := _PORTS.match(name):
        names = frozenset({ports[2].lower(), ports[3].lower()})
        of_type = "HostFibreChannelTargetTransport" if ports[1].lower() == "fc" else "HostFibreChannelOverEthernetTargetTransport"
        transport = Transport(type_name=of_type, port_world_wide_name=int(ports[4], 16))
    elif session := _SESSION.match(name):
        names = frozenset({session[1].lower()})
        transport = Transport(type_name="HostInternetScsiTargetTransport", iscsi_name=session[2])
    adapter = runtime[1] if runtime else by_names.get(names)
    return Path(name=name, state=state.lower() if state else None, adapter=adapter, transport=transport)


def storage_values(host: HostRows) -> tuple[dict[str, Any], int]:
    """What `storage_of` looks at, by the paths of the API, and of how many devices there may be more paths than are shown."""
    adapters = adapters_of(host)
    values: dict[str, Any] = {"config.storageDevice.scsiLun": devices_of(host)}
    values["config.storageDevice.multipathInfo"], named, more = paths_of(host, adapters)
    values["config.storageDevice.hostBusAdapter"] = named
    return values, more


def has_all_adapters(host: HostRows) -> bool:
    """Whether the sheet has as many adapters as vHost counts, all of them of kinds whose settings it has: iSCSI has more."""
    counted = next((row.number("# hbas") for row in host.rows("vHost")), None)
    rows = host.rows("vHBA")
    return bool(rows) and counted == len(rows) and not any("iscsi" in (row.text("type") or "").lower() for row in rows)
