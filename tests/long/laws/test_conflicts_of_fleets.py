"""Failures of one fleet want one value of one setting: over fleets that a seed makes, and over small fleets of facts."""

import json
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from auditor.cli import run
from auditor_lab.generated.cluster import FleetSize
from auditor_lab.generated.fleet import generate
from auditor_lab.serving import serve
from tests.depth import depth
from tests.mutation.mending import planned
from tests.mutation.small_fleets import PLANS, FleetPlan, built, database

ELEMENT = 5
"""The number of a generated vCenter whose first cluster is on an Element cluster, with protocol endpoints; the next have other families."""


@pytest.mark.parametrize("seed", range(depth(2, 50)))
def test_generated_fleets_have_no_setting_that_rules_want_different(tmp_path: Path, seed: int) -> None:
    report = tmp_path / "report.json"
    with serve(generate(FleetSize(20, 4, 1, 1), seed, ELEMENT + seed % 5)) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        asked = ["audit", "--fleet", str(tmp_path / "fleet.yaml"), "--state-dir", str(tmp_path / "state")]
        run([*asked, "--reporter", f"json:{report}"])
    assert json.loads(report.read_text(encoding="utf-8"))["contradictions"] == []


def test_small_fleets_have_no_setting_that_rules_want_different() -> None:
    plans: list[FleetPlan] = []

    @settings(max_examples=depth(75, 500), derandomize=True, phases=(Phase.generate,))
    @given(plan=PLANS)
    def drawn(plan: FleetPlan) -> None:
        plans.append(plan)

    drawn()
    found = planned(database([built(plan, f"f{number:03}") for number, plan in enumerate(plans)]))
    assert found.changes
    assert [clash.wants for clash in found.contradictions] == []
