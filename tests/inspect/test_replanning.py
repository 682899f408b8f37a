"""What has to come before a fix is found through all that it waits for, and nothing is said to be planned that was not planned."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.history.finding_runs import run_with_finding
from auditor.history.runs import begin_run, keep_run, load_run, report_of_run
from auditor.inspect.replanning import _in_order, first_changes, rules_before
from auditor.model import Change, Finding, Fix, FixClass, Outcome, Plan, Target
from auditor.pipeline.policy import load_rule_set
from auditor.report.finding_ids import FindingIds
from auditor.report.terminal.explanation import write_explanation
from tests.engine.bench import rules_from
from tests.engine.test_fix_order import after, depth_rule, dsnro_rule
from tests.history.kept_runs import kept
from tests.report import samples
from tests.report.test_explanation import EXPLAINED

RULES = load_rule_set()
RULE = "vvol/pe-dsnro-headroom"
NARROWED = "queue/driver-depth on host_id host-1 has to come first, and this audit was narrowed to other rules: judge by it as well"


def finding(outcome: Outcome, why: str = "", rule: str = RULE) -> Finding:
    fix = Fix("device.dsnro", FixClass.ONLINE, 32, 256, outcome, why, target=(("device", "naa.1"), ("host_id", "host-1")))
    return replace(samples.pe_finding(), rule=rule, fix=fix)


def test_rules_are_followed_through_what_they_wait_for_themselves(tmp_path: Path) -> None:
    wanted = dsnro_rule(after("local/middle", "required: true"))
    middle = dsnro_rule(after("local/depth"), "local/middle")
    rules = rules_from(tmp_path, wanted, middle, depth_rule())
    assert rules_before(rules, "local/dsnro") == ("local/middle", "local/depth")
    assert rules_before(rules, "local/depth") == ()


@pytest.mark.parametrize(("required", "before"), [("required: true", ("local/depth",)), ("required: false", ())])
def test_of_a_remediator_that_is_required_the_rules_that_change_by_it_come_along(
    tmp_path: Path, required: str, before: tuple[str, ...]
) -> None:
    rules = rules_from(tmp_path, dsnro_rule(after("host.option", required)), depth_rule())
    assert rules_before(rules, "local/dsnro") == before


def test_each_rule_that_comes_first_is_allowed_what_its_change_takes() -> None:
    def change(number: int, rule: str, fix_class: FixClass, *waits_for: int, takes: FixClass | None = None) -> Change:
        target = Target("vc", (("host_id", str(number)),))
        return Change("host.option", fix_class, target, 1, 2, (rule,), samples.pe_finding().resource, "", takes, "", number, waits_for)

    own = change(4, "a/own", FixClass.ONLINE, 3)
    plan = Plan(
        (
            change(1, "a/other", FixClass.REBOOT),
            change(2, "a/first", FixClass.REBOOT),
            change(3, "a/second", FixClass.RETUNE, 2, takes=FixClass.ONLINE),
            own,
        )
    )
    found = _in_order(plan, own, "a/own", ("a/second", "a/first", "a/other"))
    assert list(found.items()) == [("a/first", (FixClass.REBOOT,)), ("a/second", (FixClass.RETUNE, FixClass.ONLINE))]


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        pytest.param(Outcome.BY_HAND, "Look at it.", id="the rule leaves it to a person"),
        pytest.param(Outcome.REFUSED, "rules contradict each other: one wants 32, another 64", id="rules contradict each other"),
        pytest.param(Outcome.REFUSED, "a waiver of vvol/pe-uniform leaves this setting as it is (storage, waivers.yaml)", id="a waiver"),
    ],
)
def test_no_command_is_printed_for_what_is_not_planned(tmp_path: Path, outcome: Outcome, why: str) -> None:
    found = first_changes(kept(tmp_path, 0, []), finding(outcome, why), RULES, None)
    assert (found.rules, found.why_not) == ({}, "auditor plans no change for this one: a person decides.")
    out = io.StringIO()
    write_explanation(replace(EXPLAINED, finding=finding(outcome, why), why_no_fix=found.why_not), out)
    the_fix = " ".join(out.getvalue().partition("THE FIX\n")[2].partition("\nTHE I/O PATH")[0].split())
    assert "--fix" not in the_fix
    assert "Auditor plans no change for this one: a person decides." in the_fix
    assert why in the_fix


def test_what_nobody_can_know_is_not_said_to_be_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    found = first_changes(kept(tmp_path, 0, []), finding(Outcome.BY_HAND, NARROWED), RULES, None)
    assert (found.rules, found.why_not, found.to_judge) == ({}, "", ("queue/driver-depth",))
    out = io.StringIO()
    write_explanation(replace(EXPLAINED, finding=finding(Outcome.BY_HAND, NARROWED), to_judge=found.to_judge), out)
    assert "Whether it can be planned is not known: this run did not read what queue/driver-depth rests on." in out.getvalue()
    assert f"auditor audit --fleet fleet.yaml --only queue/driver-depth --only {RULE}\n" in out.getvalue()


def test_a_fix_that_waits_for_nothing_is_not_planned_anew(tmp_path: Path) -> None:
    found = first_changes(kept(tmp_path, 0, []), finding(Outcome.PROPOSED, rule="queue/driver-depth"), RULES, None)
    assert (found.rules, found.why_not, found.to_judge) == ({}, "", ())


def test_a_finding_is_looked_for_in_all_kept_runs_newest_first(tmp_path: Path) -> None:
    first, second, third = "20261120T060000Z-aaaa", "20261121T060000Z-bbbb", "20261122T060000Z-cccc"
    for run, report in ((first, samples.bad_night()), (second, samples.bad_night()), (third, samples.clean())):
        keep_run(begin_run(tmp_path, run), report)
    report = report_of_run(load_run(tmp_path, first))
    one = next(iter(report.findings()))
    word = FindingIds(report.run).of(one)[:8]
    assert run_with_finding(tmp_path, [word], None).id == second
    assert run_with_finding(tmp_path, [one.rule, one.resource.name], None).id == second
    assert run_with_finding(tmp_path, [word], first).id == first
    assert run_with_finding(tmp_path, [word], "last").id == third
    assert run_with_finding(tmp_path, ["esx-1/naa.1"], None).id == third
    assert run_with_finding(tmp_path, ["0123456789"], None).id == third
