"""What a person does is never empty, stands first, and is what the first screen recommends; a printed command plans what it says."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.engine.rules.rule import Rule
from auditor.engine.rules.text import hand_text, text_of
from auditor.history.runs import load_run, report_of_run
from auditor.model import Fix, FixClass, Outcome, Verdict
from auditor.pipeline.policy import load_rule_set
from auditor.report.finding_ids import FindingIds
from auditor.report.html.rule_pages import page
from auditor.report.terminal.by_hand import steps_of, write_steps
from auditor.report.terminal.explanation import write_explanation
from auditor.report.terminal.rule_text import write_rule
from auditor_lab.scenario import load_scenario, scenario_names
from auditor_lab.serving import serve
from tests.depth import DEEP
from tests.report.test_explanation import EXPLAINED

RULES = load_rule_set()
SCENARIOS = scenario_names() if DEEP else ("sioc-vs-array-qos",)
COMMAND = re.compile(r"\bauditor (?:explain|audit|runs|rules|doctor|reproduce|journal) (?!says )[^\n;]*")
"""A command as printed; "what auditor doctor says" names the program."""


@pytest.mark.parametrize("rule", [*RULES], ids=lambda rule: rule.id)
def test_every_rule_says_what_a_person_does_before_any_condition(rule: Rule) -> None:
    text = text_of(rule)
    fix = Fix(None, FixClass.MANUAL, None, None, Outcome.BY_HAND, why=hand_text(rule))
    explained = replace(EXPLAINED, rule=text, finding=replace(EXPLAINED.finding, rule=rule.id, fix=fix))
    out = io.StringIO()
    write_explanation(explained, out)
    the_fix = out.getvalue().partition("THE FIX\n")[2].partition("\nTHE I/O PATH")[0]
    assert re.search(r"^ +1\. \S", the_fix, re.MULTILINE), the_fix
    assert " CASE WHEN " not in the_fix
    steps = io.StringIO()
    write_steps(explained, steps)
    assert len(steps_of(text, fix)) >= 1
    assert "Audit again" in steps.getvalue()
    shown = io.StringIO()
    write_rule(rule, shown)
    assert shown.getvalue().index("By hand:") < shown.getvalue().index("Why:") < shown.getvalue().index("Judged over each")
    written = page(rule)
    assert written.index("## Why it matters") < written.index("## How to fix") < written.index("\n- Holds where `")


@pytest.fixture(scope="module", params=SCENARIOS)
def audited(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the fleet.yaml of a scenario that is served, for commands as they are printed."""
    folder = tmp_path_factory.mktemp(f"printed-{request.param}-")
    fleet = load_scenario(request.param)
    with serve(fleet) as lab, pytest.MonkeyPatch.context() as patch:
        lab.write_fleet(folder / "fleet.yaml")
        patch.chdir(folder)
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setenv("COLUMNS", "400")
        yield folder


def said(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = run(shlex.split(command)[1:])
    spoken = capsys.readouterr()
    return code, spoken.out + spoken.err


def printed_in(text: str) -> list[str]:
    """The commands of a text, as printed; what a person has to fill in is none."""
    commands = [one.strip().rstrip(".") for one in COMMAND.findall(text)]
    return [one for one in dict.fromkeys(commands) if not re.search(r"\b(DIR|FILE|RULE|ID|N)\b", one)]


def printed_by_errors(text: str) -> list[str]:
    """The commands that an error offers: whole lines, or in backticks."""
    found = re.findall(r"`(auditor [^`]+)`|^ +do: +(auditor [^\n`]+)$", text, re.MULTILINE)
    commands = [(one or other).rstrip(".") for one, other in found]
    return [one for one in dict.fromkeys(commands) if not re.search(r"\b(DIR|FILE|RULE|ID|RUN|N)\b", one)]


def fleets_in(text: str) -> set[str]:
    """The files of fleets that commands in `text` name; "(--fleet takes your own)" names none."""
    return set(re.findall(r"auditor [^\n]*--fleet (\S+)", text))


def one_of_each_rule(state: Path) -> list[str]:
    """The command that explains one failure of each rule of the newest run; outside of deep tests of a few."""
    report = report_of_run(load_run(state))
    ids = FindingIds(report.run)
    worst = {finding.rule: finding for finding in reversed(list(report.findings())) if finding.verdict is Verdict.FAIL}
    return [f"auditor explain {ids.of(one)[:8]}" for one in worst.values()][: None if DEEP else 2]


def test_every_command_that_is_printed_works_and_fixes_what_it_says(audited: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, screen = said("auditor audit --fleet fleet.yaml --no-details --severity high", capsys)
    assert code in {0, 1, 2}, screen  # a healthy twin has no failure
    code, details = said("auditor runs show --details", capsys)
    assert code == 0, details
    commands = printed_in(f"{screen}\n{details}")
    assert any("--by-hand" in one for one in commands) or " a person" not in screen, screen
    followed: set[str] = set()
    for command in dict.fromkeys((*one_of_each_rule(audited / "state" / "auditor"), *commands)):
        code, text = said(command, capsys)
        assert code in {0, 1, 2}, (command, text)
        if not command.startswith("auditor explain"):
            continue
        assert re.search(r"^ +1\. \S", text, re.MULTILINE), text
        the_fix = text.partition("THE FIX\n")[2].partition("\nTHE I/O PATH")[0]
        wants_a_change = re.search(r"^ +[a-z_]+\.[a-z_]+: ", the_fix, re.MULTILINE) is not None
        assert "--fix --dry-run" in the_fix or "plans no change" in the_fix or not wants_a_change, the_fix
        for further in (one for one in printed_in(text) if one not in followed):
            followed.add(further)
            code, plan = said(further, capsys)
            assert code in {0, 1, 2}, (further, plan)
            if "--fix --dry-run" in further:
                assert "Nothing was written." in plan
                assert "To make these changes: " in plan, (text, plan)


WRONG = (
    "explain nothing",
    "explain --by-hand nothing",
    "audit --fleet missing.yaml",
    "audit --fleet fleet.yaml --only no/such",
    "runs show 1999",
    "undo last --fleet fleet.yaml",
    "confirm last",
    "apply plan.json --fleet fleet.yaml",
    "query",
    "rules show no/such",
    "reproduce nothing --out notes",
)


def test_every_command_that_an_error_offers_works(audited: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said("auditor audit --fleet fleet.yaml --no-details --only sioc/*", capsys)
    offered: dict[str, str] = {}
    for wrong in WRONG:
        code, error = said(f"auditor {wrong}", capsys)
        assert code == 3, (wrong, error)
        offered |= dict.fromkeys(printed_by_errors(error), wrong)
    assert len(offered) >= 3
    for command, wrong in offered.items():
        code, text = said(command, capsys)
        assert code in {0, 1, 2}, (wrong, command, text)


def test_the_fleet_of_a_printed_command_is_found_from_any_folder(
    audited: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said("auditor audit --fleet fleet.yaml --no-details --only sioc/overlap-array-qos", capsys)
    monkeypatch.chdir(tmp_path)
    for command in one_of_each_rule(audited / "state" / "auditor"):
        steps = said(f"{command} --by-hand", capsys)[1]
        assert fleets_in(steps)
        for text in (steps, said(command, capsys)[1], said("auditor runs show --no-details", capsys)[1]):
            assert fleets_in(text) <= {str(audited / "fleet.yaml")}, text
    (audited / "fleet.yaml").rename(audited / "moved.yaml")
    try:
        for command in one_of_each_rule(audited / "state" / "auditor"):
            assert fleets_in(said(command, capsys)[1]) <= {"fleet.yaml"}
    finally:
        (audited / "moved.yaml").rename(audited / "fleet.yaml")


def test_a_change_that_waits_for_another_rule_takes_it_along_and_the_narrowing_is_blamed(
    audited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said("auditor audit --fleet fleet.yaml --no-details --only sioc/*", capsys)
    _, plan = said("auditor audit --fleet fleet.yaml --only sioc/overlap-array-qos --fix --dry-run", capsys)
    if "has to come first" not in plan:
        assert "sioc-vs-array-qos" not in audited.name, "its datastore cluster has the I/O metric, which comes first"
        return
    text = " ".join(plan.split())
    assert "this audit was narrowed to other rules: judge by it as well (--only sdrs/io-metric-off)" in text
    assert "no such change can be planned" not in text
    explained = next(text for one in one_of_each_rule(audited / "state" / "auditor") if "overlap" in (text := said(one, capsys)[1]))
    assert "What has to come first is planned along: sdrs/io-metric-off." in explained
    command = next(one for one in printed_in(explained) if "--dry-run" in one)
    assert "--only sdrs/io-metric-off --only sioc/overlap-array-qos" in command
    assert "To make these changes: " in said(command, capsys)[1]
