"""Every property of every scenario says the same by VI/JSON as by SOAP."""

from __future__ import annotations

import base64
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest
from pyVmomi import VmomiSupport

from auditor_lab.scenario import load_scenario, scenario_names
from auditor_lab.vcenter.server import VCenterServer
from tests.depth import thinned
from tests.lab.test_vijson import XSI_TYPE, Json


def differences(reported: Any, element: ET.Element, where: str) -> list[str]:
    """Where a JSON value says something else than the SOAP element; empty when both say the same."""
    text = element.text or ""
    if isinstance(reported, dict):
        named = element.get(XSI_TYPE, "").rpartition(":")[2]
        if reported["_typeName"] == "ManagedObjectReference":
            return [] if (reported["type"], reported["value"]) == (element.get("type"), text) else [f"{where}: {reported} / {text}"]
        wrong = [f"{where}: {reported['_typeName']} / {named}"] if named not in ("", reported["_typeName"]) else []
        if "_value" not in reported:
            return wrong + differing_members(reported, element, where)
        if isinstance(reported["_value"], list):
            return wrong + differing_items(reported["_value"], list(element), where)
        return wrong + differences(reported["_value"], element, where)
    plain = {True: "true", False: "false"}[reported] if isinstance(reported, bool) else str(reported)
    same = plain == text or (isinstance(reported, float) and reported == float(text))
    return [] if same else [f"{where}: {reported} / {text}"]


def differing_items(reported: list[Any], elements: list[ET.Element], where: str) -> list[str]:
    if len(reported) != len(elements):
        return [f"{where}: {len(reported)} / {len(elements)}"]
    pairs = enumerate(zip(reported, elements, strict=True))
    return [one for place, (item, element) in pairs for one in differences(item, element, f"{where}[{place}]")]


def differing_members(reported: dict[str, Any], element: ET.Element, where: str) -> list[str]:
    groups: dict[str, list[ET.Element]] = {}
    for child in element:
        groups.setdefault(child.tag.rpartition("}")[2], []).append(child)
    names = [name for name in reported if name != "_typeName"]
    if names != list(groups):
        return [f"{where}: {names} / {list(groups)}"]
    found = []
    for name, children in groups.items():
        item = reported[name]
        if isinstance(item, list):
            found += differing_items(item, children, f"{where}.{name}")
        elif len(children) == 1:
            found += differences(item, children[0], f"{where}.{name}")
        elif base64.b64decode(item) != bytes(int(child.text or "") & 255 for child in children):  # an array of bytes
            found.append(f"{where}.{name}: {item}")
    return found


LEAVES = (
    "config.option",
    'config.option["Disk.MaxIOSize"]',
    "config.storageDevice.hostBusAdapter",
    "config.storageDevice.scsiLun",
    "config.storageDevice.multipathInfo.lun",
    "config.storageDevice.plugStoreTopology",
    "config.fileSystemVolume.mountInfo",
)


@pytest.mark.parametrize("scenario", thinned([name for name in scenario_names() if name != "all"], 6))
def test_every_property_of_every_object_is_what_soap_tells(
    scenario: str, serve_vcenter: Callable[..., VCenterServer], plain_json: Callable[..., Json], plain: Callable[..., Any]
) -> None:
    for description in load_scenario(scenario).vcenters:
        server = serve_vcenter(description)
        client, soap = plain_json(server), plain(server)
        by_kind: dict[str, list[str]] = {}
        for managed in server.inventory.objects():
            by_kind.setdefault(VmomiSupport.GetWsdlName(managed.kind), []).append(managed.moid)
        assert {"HostSystem", "Datastore", "VirtualMachine", "ClusterComputeResource", "ServiceInstance"} <= by_kind.keys()
        for kind, moids, paths in [*((kind, moids, ()) for kind, moids in by_kind.items()), ("HostSystem", by_kind["HostSystem"], LEAVES)]:
            status, reported = client.read(kind, moids, *paths)
            wanted = "".join(f"<pathSet>{path}</pathSet>" for path in paths) or "<all>true</all>"
            objects = "".join(f'<objectSet><obj type="{kind}">{moid}</obj></objectSet>' for moid in moids)
            _, answer = soap.post(
                '<RetrievePropertiesEx xmlns="urn:vim25"><_this type="PropertyCollector">propertyCollector</_this>'
                f"<specSet><propSet><type>{kind}</type>{wanted}</propSet>{objects}</specSet><options/></RetrievePropertiesEx>"
            )
            result = answer.find(".//{urn:vim25}returnval")
            assert status == 200
            assert result is not None
            assert len(reported["objects"]) == len(moids)
            assert differences(reported, result, kind) == []
