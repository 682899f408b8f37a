"""VI/JSON, SOAP and pyVmomi read the same of whole fleets of the lab."""

from collections.abc import Callable
from typing import Any

import pytest

from auditor.endpoints.vcenter.bulk.reading import read_page
from auditor.endpoints.vcenter.bulk.shapes import PROPERTIES
from auditor.endpoints.vcenter.session import open_vcenter
from auditor_lab.description import LabFleet
from auditor_lab.generated.cluster import FleetSize
from auditor_lab.generated.fleet import generate
from auditor_lab.scenario import load_scenario
from tests.endpoints.vcenter.bulk.test_soap import KINDS, by_id, every_transport, refs_of, serve_fleet

__all__ = ["serve_fleet"]


@pytest.mark.parametrize(
    "fleet",
    [
        pytest.param(lambda: load_scenario("all"), id="every scenario"),
        pytest.param(lambda: generate(FleetSize(20, 16, 4, 1), 7), id="a generated fleet"),
        pytest.param(lambda: generate(FleetSize(5, 3, 2, 2), 8), id="two small vCenters"),
    ],
)
def test_three_transports_find_the_same_in_the_lab(serve_fleet: Callable[[LabFleet], Any], fleet: Callable[[], LabFleet]) -> None:
    with serve_fleet(fleet()) as endpoints:
        assert endpoints
        for endpoint in endpoints:
            with open_vcenter(endpoint) as vcenter, every_transport(vcenter) as transports:
                for kind in KINDS:
                    refs = refs_of(vcenter, kind)
                    wanted, *others = (
                        by_id(read_page(transport, endpoint, kind, list(PROPERTIES[kind]), refs, {})[0]) for transport in transports
                    )
                    assert len(wanted) == len(refs)
                    for found in others:
                        assert found == wanted
