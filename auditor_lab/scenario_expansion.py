"""Expands the shorthands of scenarios: templates, counts, names taken from an array, and the vVols of disks."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from auditor_lab.array_devices import namespace_devices, protocol_endpoint_devices, volume_devices

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.arrays.element.description import ElementDescription
    from auditor_lab.description import ArrayDescription


def _named(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each entry once for every one of its names: those of `names`, or `count` names with {n} counted from 1."""
    expanded = []
    for entry in entries:
        rest = {key: value for key, value in entry.items() if key not in ("names", "count", "name")}
        names = entry.get("names") or [entry["name"].format(n=n) for n in range(1, entry.get("count", 1) + 1)]
        expanded += [{**rest, "name": name} for name in names]
    return expanded


def expand(vcenter: dict[str, Any], arrays: Mapping[str, ArrayDescription]) -> dict[str, Any]:
    """A vCenter as its description needs it: with every host, device, datastore and machine listed.

    Hosts of the vCenter itself are in no cluster.

    Raises:
        KeyError: it names a template, group, array, volume or container that does not exist.
    """
    groups = {name: _devices(group, arrays) for name, group in vcenter.get("devices", {}).items()}
    templates = vcenter.get("templates", {})
    clusters = [
        {**cluster, "hosts": [_host(host, templates, groups, vcenter) for host in _named(cluster.get("hosts", []))]}
        for cluster in vcenter.get("clusters", [])
    ]
    standalone = [_host(host, templates, groups, vcenter) for host in _named(vcenter.get("hosts", []))]
    hosts_of = {cluster["name"]: [host["name"] for host in cluster["hosts"]] for cluster in clusters}
    plain = {key: value for key, value in vcenter.items() if key not in ("devices", "templates", "host_build", "hosts")}
    return {
        **plain,
        "clusters": clusters,
        "standalone": standalone,
        "datastores": [_datastore(one, hosts_of, arrays) for one in vcenter.get("datastores", [])],
        "vms": [_vm(one, vcenter, arrays) for one in _placed(vcenter)],
    }


def _host(
    host: dict[str, Any], templates: Mapping[str, dict[str, Any]], groups: Mapping[str, list[dict[str, Any]]], vcenter: dict[str, Any]
) -> dict[str, Any]:
    merged = _merge(templates[host["like"]], {key: value for key, value in host.items() if key != "like"}) if "like" in host else dict(host)
    dsnro: dict[str, int] = {}
    for key, value in merged.get("dsnro", {}).items():
        dsnro |= {device["name"]: value for device in groups[key]} if key in groups else {key: value}
    devices = [device for name in merged.get("devices", []) for device in groups[name]]
    merged.setdefault("version", vcenter.get("version", "8.0.2"))
    if "build" not in merged:
        merged["build"] = vcenter["host_build"]
    return {
        **merged,
        "hbas": [_with_discovered(hba, devices) for hba in merged.get("hbas", [])],
        "devices": devices,
        "dsnro": dsnro,
    }


def _with_discovered(hba: dict[str, Any], devices: list[dict[str, Any]]) -> dict[str, Any]:
    """The adapter with a static target for every target of its devices, as its send target would discover them."""
    targets = hba.get("targets", [])
    send = next((target for target in targets if target.get("kind", "send") == "send"), None)
    if hba["kind"] != "iscsi" or send is None:
        return hba
    known = {target.get("iqn") for target in targets}
    names = [name for device in devices if device.get("transport", "iscsi") == "iscsi" for name in device.get("targets", [])]
    discovered = [
        {"kind": "static", "address": send["address"], "iqn": name, "discovered_at": send["address"]}
        for name in dict.fromkeys(names)
        if name not in known
    ]
    return {**hba, "targets": [*targets, *discovered]}


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """`base` overridden by `over`, key by key; lists are replaced."""
    merged = dict(base)
    for key, value in over.items():
        held = merged.pop(key, None)  # the key itself is replaced too: it knows its line
        merged[key] = _merge(held, value) if isinstance(held, dict) and isinstance(value, dict) else value
    return merged


def _devices(group: dict[str, Any], arrays: Mapping[str, ArrayDescription]) -> list[dict[str, Any]]:
    """The devices of a group: an array's protocol endpoints or volumes, or those that the group lists."""
    common = {key: value for key, value in group.items() if key not in ("array", "protocol_endpoints", "volumes", "names")}
    if "array" not in group:
        return [{**common, "name": name} for name in group["names"]]
    array = arrays[group["array"]]
    if group.get("protocol_endpoints"):
        shown = protocol_endpoint_devices(array)
    else:
        shown = (namespace_devices if group.get("protocol") == "nvme" else volume_devices)(array, group["volumes"])
    return [{**one, **common} for one in shown]


def _datastore(
    store: dict[str, Any],
    hosts_of: Mapping[str, list[str]],
    arrays: Mapping[str, ArrayDescription],
) -> dict[str, Any]:
    built = {key: value for key, value in store.items() if key not in ("clusters", "array", "container", "volumes")}
    built.setdefault("hosts", [host for cluster in store.get("clusters", []) for host in hosts_of[cluster]])
    if "array" in store:
        array = arrays[store["array"]]
        built["array_name"] = array.name
        if store["type"] == "VVOL":
            array = _with_vvols(array)
            built["container_id"] = array.container_id(store["container"])
            built["endpoints"] = [one["name"] for one in protocol_endpoint_devices(array)]
            built.setdefault("sioc", {"supported": False})
        else:
            built["extents"] = [one["name"] for one in volume_devices(array, store["volumes"])]
    return built


def _with_vvols(array: ArrayDescription) -> ElementDescription:
    from auditor_lab.arrays.element.description import ElementDescription

    if not isinstance(array, ElementDescription):
        raise ValueError(f"the lab has vVols of Element arrays only, and {array.name} is none")  # noqa: TRY004  a mistake in a scenario
    return array


def _placed(vcenter: dict[str, Any]) -> list[dict[str, Any]]:
    """Every machine with one host; machines of a `cluster` are assigned to its hosts in turn."""
    hosts_of = {one["name"]: [host["name"] for host in _named(one.get("hosts", []))] for one in vcenter.get("clusters", [])}
    placed = []
    turns: dict[str, int] = {}
    for vm in _named(vcenter.get("vms", [])):
        cluster = vm.pop("cluster", None)
        if cluster is not None:
            if not hosts_of[cluster]:
                raise ValueError(f"cluster '{cluster}' has no host to run {vm['name']}")
            turn = turns[cluster] = turns.get(cluster, -1) + 1
            vm["host"] = hosts_of[cluster][turn % len(hosts_of[cluster])]
        placed.append({"uuid": str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{vcenter['name']}/{vm['name']}")), **vm})
    return placed


def add_vvols(vcenter: dict[str, Any], arrays: Mapping[str, dict[str, Any]]) -> None:
    """Add a data vVol to the array for every disk on a vVol datastore, and a config vVol for every such machine."""
    stores = _with_containers(vcenter)
    for vm in _placed(vcenter):
        bound = [array_host_id(vm["host"])] if vm.get("powered_on", True) else []
        for place, disk in enumerate(vm.get("disks", [])):
            store = stores.get(disk["datastore"])
            if store is None:
                continue
            common = {"container": store["container"], "vm_uuid": vm["uuid"], "bound_by": bound}
            vvols = arrays[store["array"]].setdefault("vvols", [])
            if place == 0:
                vvols.append({**common, "name": vm["name"], "kind": "Config", "size_bytes": 4 << 30, "policy": disk.get("policy")})
            vvols.append(
                {
                    **common,
                    "name": _vvol_name(vm["name"], place),
                    "size_bytes": disk.get("size_bytes", 40 << 30),
                    **{key: disk[key] for key in ("policy", "load", "node") if key in disk},
                }
            )


def _with_containers(vcenter: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The vVol datastores whose disks put vVols on an array; for the disks of others the scenario gives the ids itself."""
    return {store["name"]: store for store in vcenter.get("datastores", []) if store["type"] == "VVOL" and "array" in store}


def array_host_id(host: str) -> str:
    """The virtualVolumeHostID by which an array identifies an ESXi host."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, host))


def _vvol_name(vm: str, place: int) -> str:
    return f"{vm}.vmdk" if place == 0 else f"{vm}_{place}.vmdk"


def _vm(vm: dict[str, Any], vcenter: dict[str, Any], arrays: Mapping[str, ArrayDescription]) -> dict[str, Any]:
    stores = _with_containers(vcenter)
    disks = []
    for place, disk in enumerate(vm.get("disks", [])):
        built = {key: value for key, value in disk.items() if key not in ("policy", "node")}
        store = stores.get(disk["datastore"])
        if store is not None:
            array = _with_vvols(arrays[store["array"]])
            ids = {(one.container, one.name): array.vvol_id(one) for one in array.vvols}
            nodes = {(one.container, one.name): array.vvol_node(place) for place, one in enumerate(array.vvols)}
            node = nodes[store["container"], _vvol_name(vm["name"], place)]
            built["endpoint"] = "" if node is None else f"naa.{array.pe_naa(node)}"
            built["backing_object_id"] = f"rfc4122.{ids[store['container'], _vvol_name(vm['name'], place)]}"
            built["folder"] = f"rfc4122.{ids[store['container'], vm['name']]}" if place == 0 else vm["name"]
        disks.append(built)
    return {**vm, "disks": disks}
