"""An Element cluster of the lab, collected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.endpoints.element.client import open_element
from auditor.endpoints.element.collect import collect_element
from auditor.facts.needs import EVERYTHING
from auditor.model import Endpoint, EndpointKind
from auditor_lab.arrays.element.description import (
    AccessGroupDescription,
    ContainerDescription,
    ElementDescription,
    LoadDescription,
    NodeDescription,
    QosDescription,
    QosPolicyDescription,
    VolumeDescription,
    VvolDescription,
)
from tests.endpoints.arrays import Collected, serving_array

if TYPE_CHECKING:
    from auditor.facts.needs import Needs


# The tiers of incident S0, and one node that is not active yet and so has no protocol endpoint.
S0 = ElementDescription(
    name="sf-east",
    unique_id="dg0j",
    nodes=(NodeDescription(1, "n1"), NodeDescription(2, "n2"), NodeDescription(5, "n5", state="pending", version="12.2.0.777")),
    qos_policies=(
        QosPolicyDescription("Bronze", 25, 1000, 2000),
        QosPolicyDescription("Silver", 50, 1500, 3000),
        QosPolicyDescription("Gold", 100, 3000, 6000),
    ),
    volumes=(
        VolumeDescription(
            "vmfs-1", size_bytes=4 << 40, policy="Gold", access_groups=("esx",), load=LoadDescription(524288, 1.25, 312000, 32, 40)
        ),
        VolumeDescription("own", size_bytes=1 << 40, qos=QosDescription(60, 700, 800)),
    ),
    access_groups=(AccessGroupDescription("esx", ("iqn.1998-01.com.vmware:ESX-1-2f", "21:00:00:0E:1E:14:AF:40")),),
    containers=(ContainerDescription("vvols", id="ABAAB415-bedc-44cd-98b8-f37495884db0"),),
    vvols=(
        VvolDescription(
            "db.vmdk",
            "vvols",
            policy="Bronze",
            id="269d3378-1ca6-4175-a18f-6d4839e5c746",
            vm_uuid="502e0676-e510-ccdd-394c-667f6867fcdf",
            node=2,
            bound_by=("564de1a4-9a99-da0f-8b7c-3a41dfd64bf1",),
        ),
    ),
)


def serving(folder: Path, description: ElementDescription, timeout: float = 30.0) -> Any:
    return serving_array(EndpointKind.ELEMENT, description, folder, timeout=timeout)


def collected(endpoint: Endpoint, asked: Needs = EVERYTHING) -> Collected:
    with open_element(endpoint) as array:
        return Collected(collect_element(array, endpoint, asked), asked.topics_of(EndpointKind.ELEMENT))
