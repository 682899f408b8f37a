"""Each scenario yields exactly the findings that a storage expert expects of it, written down beforehand in expected/."""

import re

import pytest

from auditor_lab.scenario import load_incidents, load_scenario, merged_names, scenario_names
from tests.audits import Audit
from tests.engine.test_shipped_rules import shipped

from .expectations import FOLDER, difference, expected, found, short

SCENARIOS = merged_names()
EVERY = [name for name in scenario_names() if name != "all"]

NOT_IN_THE_LAB: dict[str, str] = {
    "guest/disk-timeout": "guests say it in files: tests/cli/test_guest_facts.py",
    "guest/partition-offset": "likewise",
}
"""Rules that nothing in the lab makes fail, each with the reason why it cannot be."""

ONLY_IN_TROUBLE = {
    "event/machine-restarted": "judges machines that vSphere HA restarted, and the twin's run on",
    "event/storage-lost": "judges what hosts lost, and the twin's lose nothing",
    "multipath/lunz": "judges disks of DGC and EMC, and the lab has no other of theirs",
    "multipath/perennially-reserved": "judges disks that machines of a cluster share, and the lab has one such cluster",
    "ontap/background-share": "judges busy disks, and the twin's are at ease",
    "ontap/snapmirror-frequency": "likewise",
    "qos/host-limit-below-array-limit": "judges disks at their ceiling, and the twin's are below theirs",
    "queue/emulex-instance-scope": "judges option strings that name single ports, which nobody right does",
}
"""Rules that do not apply to what is healthy, each with the reason."""


def test_every_scenario_has_its_expected_findings_and_no_file_is_of_none() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.yaml")) == sorted(EVERY)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("verdict", ["fail", "unknown"])
def test_the_audit_finds_what_an_expert_expects_and_nothing_else(audit: Audit, scenario: str, verdict: str) -> None:
    wanted = expected(scenario).fails if verdict == "fail" else expected(scenario).unknowns
    differs = difference(wanted, found(audit.report["findings"], verdict, scenario))
    assert not differs, f"{scenario}, {verdict}:\n{differs}"


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_healthy_part_is_judged_and_clean(audit: Audit, scenario: str) -> None:
    for part in expected(scenario).healthy:
        judged = [f for f in audit.report["findings"] if _is_of(f["resource"], part)]
        assert len({f["rule"] for f in judged if f["verdict"] == "pass"}) > 3, f"{part} is hardly looked at"
        assert [(f["rule"], f["resource"]["name"]) for f in judged if f["verdict"] in ("fail", "unknown")] == [], part


def _is_of(resource: dict[str, str | None], part: str) -> bool:
    return part in (resource["cluster"], short(resource["host"] or ""), resource["endpoint"])


@pytest.mark.parametrize("scenario", EVERY)
def test_every_expectation_says_by_which_sentence_or_row(scenario: str) -> None:
    source = re.compile(r"(?:S[0-4]\b|docs/(?:rule-catalogue|domain/\w+)\.md#[\w-]+)")
    assert [(rule, why) for rule, why in expected(scenario).why if not source.match(why)] == []
    assert {rule for rule, _ in expected(scenario).why} <= set(shipped().rules)


def test_every_shipped_rule_fails_somewhere_in_the_lab(audit: Audit) -> None:
    failing = {f["rule"] for f in audit.report["findings"] if f["verdict"] == "fail"}
    # What differs from a baseline is checked by the walk that sets one; what is about the past is left out without it: test_days.py.
    rules = {rule.id for rule in shipped() if not {"drift", "day"} & set(rule.tags)}
    silent = sorted(rules - failing - set(NOT_IN_THE_LAB))
    assert silent == [], "make a scenario of auditor_lab/scenarios trigger them: odd-neighbours is there for that"
    assert set(NOT_IN_THE_LAB) <= rules - failing, "these do fail: the reason is out of date"


def test_every_rule_that_fails_passes_a_neighbour(audit: Audit) -> None:
    verdicts = {verdict: {f["rule"] for f in audit.report["findings"] if f["verdict"] == verdict} for verdict in ("fail", "pass")}
    assert sorted(verdicts["fail"] - verdicts["pass"]) == sorted(ONLY_IN_TROUBLE)


def test_all_is_every_scenario_and_the_incidents_are_all_but_the_odd_neighbours() -> None:
    everything = {one.name for one in (*load_scenario("all").vcenters, *load_scenario("all").arrays)}
    assert everything == {one.name for name in SCENARIOS for one in (*load_scenario(name).vcenters, *load_scenario(name).arrays)}
    odd = {one.name for one in (*load_scenario("odd-neighbours").vcenters, *load_scenario("odd-neighbours").arrays)}
    assert {one.name for one in (*load_incidents().vcenters, *load_incidents().arrays)} == everything - odd
