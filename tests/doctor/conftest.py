"""The lab that the doctor examines, one for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from auditor.engine.rules.rule import RuleSet
from auditor.fleet.loading import Fleet, load_fleet
from auditor.pipeline.policy import load_rule_set
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.vcenter.soap.privileges import ALL
from tests.doctor.examined import Doctor


@pytest.fixture(scope="package")
def rules() -> RuleSet:
    return load_rule_set()


@pytest.fixture(scope="package")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Fleet]]:
    """A vCenter with 8 hosts, two Element clusters and one ETERNUS; a test that changes something puts it back."""
    folder = tmp_path_factory.mktemp("doctor")
    fleet = replace(load_scenario("solidfire-vvols"), eternus=load_scenario("eternus-vaai").eternus[:1])
    with serve(fleet) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield lab, load_fleet(folder / "fleet.yaml")


@pytest.fixture
def doctor(shared: tuple[Lab, Fleet], rules: RuleSet) -> Iterator[Doctor]:
    lab, fleet = shared
    for _, _, server in lab.served():
        server.requests.clear()
    yield Doctor(lab, fleet, rules)
    for _, _, server in lab.served():
        server.faults.active.clear()
    for vcenter in lab.vcenters.values():
        vcenter.privileges = ALL
