"""Exports a fleet for VMware's own simulator, as a directory for `vcsim -load`.

Every managed object becomes one file, built from the objects that the lab's SOAP server serves. Left out is what vcsim has no place for
(esxcli, kernel modules, arrays), and options that a host answers by exact name only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from auditor_lab.description import LabFleet
    from auditor_lab.vcenter.description.vcenter import VCenterDescription


def export_vcsim(fleet: LabFleet, directory: Path) -> None:
    """Write the fleet for vcsim into `directory`, which must be empty or missing.

    One vcsim is one vCenter: with a single vCenter the files are in `directory` itself, with several in a folder named after each. Start it
    with ``vcsim -load DIR -api-version 8.0.2.0``; its default of 6.5 hides newer properties.

    Raises:
        FileExistsError: `directory` is not empty; vcsim would load those files as well.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        raise FileExistsError(f"{directory} is not empty")
    for vcenter in fleet.vcenters:
        folder = directory if len(fleet.vcenters) == 1 else directory / vcenter.name
        folder.mkdir(exist_ok=True)
        _export(vcenter, folder)


def _export(vcenter: VCenterDescription, folder: Path) -> None:
    from pyVmomi import VmomiSupport, vmodl
    from pyVmomi.SoapAdapter import SerializeToStr

    from auditor_lab.vcenter.inventory.objects import Inventory
    from auditor_lab.vcenter.soap.envelope import REFERENCE_TYPE, wire_version
    from auditor_lab.vcenter.state.vcenter import VCenterState

    inventory = Inventory(VCenterState(vcenter))
    version = wire_version(vcenter.api_version)
    content_type = vmodl.query.PropertyCollector.ObjectContent
    for place, managed in enumerate(inventory.objects()):
        properties = []
        for name in managed.properties:
            value = inventory.read(managed, name)
            if value is not None:
                properties.append(vmodl.DynamicProperty(name=name, val=value))
        content = content_type(obj=managed.reference, propSet=properties)
        info = VmomiSupport.Object(name="ObjectContent", type=content_type, version=version, flags=0)
        text = SerializeToStr(content, info, version, {}).replace(*REFERENCE_TYPE)
        name = f"{place:05d}-{VmomiSupport.GetWsdlName(managed.kind)}-{managed.moid}.xml"
        (folder / name).write_text(text, encoding="utf-8")
