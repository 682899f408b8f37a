"""Makes the devices that hosts see of an array: its volumes and protocol endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from auditor_lab.arrays.dell_sc.description import DellScDescription
    from auditor_lab.arrays.dothill.description import DotHillDescription
    from auditor_lab.arrays.element.description import ElementDescription
    from auditor_lab.arrays.eseries.description import ESeriesDescription
    from auditor_lab.arrays.eternus.description import EternusDescription
    from auditor_lab.arrays.flasharray.description import FlashArrayDescription
    from auditor_lab.arrays.nimble.description import NimbleDescription
    from auditor_lab.arrays.ontap.description import OntapDescription
    from auditor_lab.arrays.powerstore.description import PowerStoreDescription
    from auditor_lab.description import ArrayDescription


def volume_devices(array: ArrayDescription, names: Sequence[str]) -> list[dict[str, Any]]:
    """The devices of the named volumes, as the description of a vCenter needs them; an ONTAP LUN is named volume/lun.

    Targets are filled in where the array's description holds its ports. ETERNUS and ONTAP have none there, so a scenario gives the targets,
    and the model of an ETERNUS too. Inquiry strings: docs/domain/facts.md#11.

    Raises:
        KeyError: the array has no volume of such a name.
    """
    there = dict(_volumes(array))
    return [there[name] for name in names]


def namespace_devices(array: ArrayDescription, names: Sequence[str]) -> list[dict[str, Any]]:
    """The named volumes of a FlashArray as hosts see them by NVMe; Fibre Channel ports are their targets.

    Source of the name: docs/domain/arrays.md#device-names; of the inquiry: docs/domain/facts.md#11, cut to 16 characters as hosts show it.

    Raises:
        KeyError: the array has no volume of such a name.
        ValueError: it is no FlashArray; the lab has no namespaces of others.
    """
    from auditor_lab.arrays.flasharray.description import NAA_PREFIX, FlashArrayDescription

    if not isinstance(array, FlashArrayDescription):
        raise ValueError(f"the lab has namespaces of FlashArrays only, and '{array.name}' is none")  # noqa: TRY004  a mistake in a scenario
    shown = []
    for one in volume_devices(array, names):
        serial = one["name"].removeprefix(f"naa.{NAA_PREFIX}")
        inquiry = {"vendor": "NVMe", "model": "Pure Storage FlashArray"[:16], "protocol": "nvme"}
        shown.append({**one, **inquiry, "name": f"eui.00{serial[:14]}24a937{serial[14:]}"})
    return shown


def protocol_endpoint_devices(array: ArrayDescription) -> list[dict[str, Any]]:
    """The protocol endpoints of an array as devices; empty where it has none."""
    from auditor_lab.arrays.element.description import ElementDescription
    from auditor_lab.arrays.flasharray.description import FlashArrayDescription
    from auditor_lab.arrays.nimble.description import NimbleDescription

    match array:
        case ElementDescription():
            named = [(f"naa.{array.pe_naa(node.id)}", [array.pe_iqn(node.id)]) for node in array.endpoint_nodes]
            return [{**_SOLIDFIRE, "size_bytes": 512, "protocol_endpoint": True, "name": name, "targets": at} for name, at in named]
        case FlashArrayDescription():
            return [{**volume_devices(array, [one.name])[0], "protocol_endpoint": True} for one in array.protocol_endpoints]
        case NimbleDescription():
            return [
                {**_NIMBLE, "size_bytes": 512, "protocol_endpoint": True, "name": f"eui.{array.serial_of(name)}", "targets": [array.target]}
                for name in array.protocol_endpoints
            ]
        case _:
            return []


_SOLIDFIRE = {"vendor": "SolidFir", "model": "SSD SAN", "revision": "0006"}
_NIMBLE = {"vendor": "Nimble", "model": "Server", "revision": "1.0", "satp": "VMW_SATP_ALUA"}


def _volumes(array: ArrayDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each volume by name, as hosts see it."""
    return _VOLUMES[type(array).__name__](array)


def _of_element(array: ElementDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    prefix = f"iqn.2010-01.com.solidfire:{array.unique_id}"
    for one, number in zip(array.volumes, array.volume_ids(), strict=True):
        naa, target = array.volume_naa(number), f"{prefix}.{one.name}.{number}"
        yield one.name, {**_SOLIDFIRE, "name": f"naa.{naa}", "size_bytes": one.size_bytes, "targets": [target]}


def _of_dell_sc(array: DellScDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    common = {"vendor": "COMPELNT", "model": "Compellent Vol", "revision": "0703", "targets": list(array.targets())}
    for one, naa in zip(array.volumes, array.volume_naas(), strict=True):
        yield one.name, {**common, "name": f"naa.{naa}", "size_bytes": one.size_bytes}


def _of_flasharray(array: FlashArrayDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    from auditor_lab.arrays.flasharray.ports import target_iqn, target_ports

    wwns = [port.wwn.replace(":", "").lower() for port in target_ports(array) if port.wwn]
    common: dict[str, Any] = {"vendor": "PURE", "model": "FlashArray", "revision": "8888", "satp": "VMW_SATP_ALUA"}
    common |= {"transport": "fc", "targets": wwns} if wwns else {"targets": [target_iqn(array)]}
    for one in array.volumes:
        yield one.name, {**common, "name": f"naa.{array.naa(one.name)}", "size_bytes": one.size_bytes}


def _of_ontap(array: OntapDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    common = {"vendor": "NETAPP", "model": "LUN C-Mode", "revision": "9131", "satp": "VMW_SATP_ALUA"}
    for lun in array.luns:
        yield f"{lun.volume}/{lun.name}", {**common, "name": f"naa.{array.lun_naa(lun)}", "size_bytes": lun.size_bytes}


def _of_eternus(array: EternusDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    common = {"vendor": "FUJITSU", "transport": "fc", "satp": "VMW_SATP_ALUA", "firmware": array.firmware}
    for one, number in zip(array.volumes, array.volume_numbers(), strict=True):
        yield one.name, {**common, "name": f"naa.{array.uid(number).lower()}", "size_bytes": one.size_mb << 20}


def _of_eseries(array: ESeriesDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    vendor, model = array.inquiry
    common = {"vendor": vendor, "model": model, "revision": array.revision, "satp": "VMW_SATP_ALUA"}
    for one in array.volumes:
        at = {"transport": array.transport, "targets": list(array.targets)}
        yield one.name, {**common, **at, "name": f"naa.{array.naa(one.name)}", "size_bytes": one.size_bytes}


def _of_dothill(array: DotHillDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    common: dict[str, Any] = {"vendor": array.vendor, "model": array.model, "revision": array.firmware[:4], "transport": "fc"}
    common |= {"targets": list(array.targets()), "satp": "VMW_SATP_ALUA"}
    for one in array.volumes:
        yield one.name, {**common, "name": f"naa.{array.volume_wwn(one.name).lower()}", "size_bytes": one.size_bytes}


def _of_powerstore(array: PowerStoreDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    common = {"vendor": "DellEMC", "model": "PowerStore", "satp": "VMW_SATP_ALUA", "targets": list(array.targets())}
    for one in array.volumes:
        yield one.name, {**common, "name": f"naa.{array.naa(one.name)}", "size_bytes": one.size_bytes}


def _of_nimble(array: NimbleDescription) -> Iterator[tuple[str, dict[str, Any]]]:
    for one in array.volumes:
        shown = {"name": f"eui.{array.serial_of(one.name)}", "size_bytes": one.size_mb << 20, "targets": [array.target]}
        yield one.name, {**_NIMBLE, **shown}


_VOLUMES: Mapping[str, Callable[[Any], Iterator[tuple[str, dict[str, Any]]]]] = {
    "ElementDescription": _of_element,
    "DellScDescription": _of_dell_sc,
    "FlashArrayDescription": _of_flasharray,
    "OntapDescription": _of_ontap,
    "EternusDescription": _of_eternus,
    "ESeriesDescription": _of_eseries,
    "DotHillDescription": _of_dothill,
    "PowerStoreDescription": _of_powerstore,
    "NimbleDescription": _of_nimble,
}
"""By the class of an array's description: its volumes by name, as hosts see them."""
