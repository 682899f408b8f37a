"""An audit, a fix and an undo from Python, without the command line."""

import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from auditor.audit import AuditRequest, AuditResult, FixClass, FixLimits, UndoRequest, audit, collect, fix, plan_undo, undo
from auditor.errors import ConfigurationError, GuardError
from auditor.history.runs import list_runs, report_of_run
from auditor.model import Change, Outcome, Verdict
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from tests.waiting import completed

PAGE = Path(__file__).parents[3] / "docs/library.md"
RULE = "vvol/pe-dsnro-headroom"  # thirteen devices of the scenario fail it
LIMITS = FixLimits(allow=[FixClass.ONLINE_CAUTION], max_changes="500", settle_seconds=0)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """The scenario solidfire-vvols with its fleet.yaml, to be changed."""
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        yield lab


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The fleet.yaml of the same scenario, for tests that change nothing."""
    fleet = tmp_path_factory.mktemp("unchanged") / "fleet.yaml"
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(fleet)
        yield fleet


def writes(lab: Lab) -> int:
    return sum(server.requests.count("storage.core.device.set") for server in lab.vcenters.values())


def blocks() -> list[str]:
    """The Python of the page."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_code_of_the_page_audits_fixes_and_undoes(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    auditing, fixing = blocks()
    assert "settle_seconds=30" in fixing
    fixing = fixing.replace("settle_seconds=30", "settle_seconds=0")  # nothing settles in the lab: it would only be waited for
    names: dict[str, object] = {}
    exec(compile(auditing, str(PAGE), "exec"), names)
    found = capsys.readouterr().out.splitlines()
    assert found[-1] == "13 failures, 0 unknown, exit code 1"
    assert sum(line.startswith(f"high {RULE}: ") and line.endswith("(params headroom, disk_depth, ceiling)") for line in found) == 13
    exec(compile(fixing, str(PAGE), "exec"), names)
    fixed = capsys.readouterr().out.splitlines()
    assert fixed[-1] == "13 changes put back"
    assert sum(line.startswith("applied: device.dsnro on ") and line.endswith(" is 256") for line in fixed) == 13
    assert writes(lab) == 26


def test_ten_lines_audit_a_fleet() -> None:
    assert len([line for line in blocks()[0].splitlines() if line and "import" not in line]) <= 10


def test_an_audit_shows_its_progress_prints_nothing_and_is_kept(
    unchanged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: set[str] = set()
    request = AuditRequest(fleet=unchanged, only=[RULE], state=tmp_path, progress=lambda endpoint, text: seen.add(f"{endpoint}: {text}"))
    audited = audit(request)
    assert {f"{reading.name}: read" for reading in audited.report.run.endpoints if reading.version} <= seen
    assert (audited.summary.fail, len(audited.plan.changes), audited.gaps, audited.exit_code()) == (13, 13, (), 1)
    [run] = list_runs(tmp_path)
    assert (run.id, run.fail, run.snapshot) == (audited.run_id, 13, tmp_path / "runs" / run.id / "snapshot")
    assert list(report_of_run(run).findings()) == list(audited.report.findings())
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_a_saved_snapshot_is_judged_like_the_fleet_it_was_read_from(unchanged: Path, tmp_path: Path) -> None:
    collected = collect(AuditRequest(fleet=unchanged), tmp_path / "saved")
    audited = audit(AuditRequest(snapshot=tmp_path / "saved", only=[RULE], state=tmp_path / "state"))
    assert (audited.summary.fail, audited.started, audited.snapshot.hosts) == (13, collected.started, collected.hosts)
    assert list_runs(tmp_path / "state")[0].snapshot is None, "it read nothing itself"
    with pytest.raises(ConfigurationError, match="already holds a snapshot"):
        collect(AuditRequest(fleet=unchanged), tmp_path / "saved")


def test_a_conflict_of_rules_is_warned_of_before_anything_is_read(unchanged: Path, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yaml"
    text = unchanged.read_text(encoding="utf-8")
    fleet.write_text(f"{text}params:\n  vvol/pe-uniform: {{ceiling: 128}}\n", encoding="utf-8")
    for beside in unchanged.parent.glob("lab-*"):
        shutil.copy(beside, tmp_path)
    events: list[str] = []
    audited = audit(
        AuditRequest(
            fleet=fleet,
            only=[RULE, "vvol/pe-uniform"],
            state=tmp_path / "state",
            warn=events.append,
            progress=lambda _endpoint, text: events.append(text),
        )
    )
    assert "params make two rules disagree everywhere" in events[0]
    assert "connecting" in events[1:]
    assert events[0] in audited.report.notices


def test_a_fix_asks_once_writes_what_was_confirmed_and_is_undone(lab: Lab, tmp_path: Path) -> None:
    shown: list[Sequence[Change]] = []

    def confirm(changes: Sequence[Change]) -> bool:
        shown.append(changes)
        return True

    fleet, state = tmp_path / "fleet.yaml", tmp_path / "state"
    audited = audit(AuditRequest(fleet=fleet, only=[RULE], state=state, fix=LIMITS))
    assert [run.finished for run in list_runs(state)] == [None], "it is finished by the fix"
    fixed = fix(audited, confirm=confirm)
    assert [tuple(changes) for changes in shown] == [audited.plan.changes]
    assert (fixed.summary.fail, fixed.plan.changes, fixed.stopped, fixed.exit_code()) == (0, (), None, 0)
    assert [receipt.outcome for receipt in fixed.receipts] == [Outcome.APPLIED] * 13
    assert {finding.fix.outcome for finding in fixed.report.findings() if finding.fix is not None} == {Outcome.APPLIED}
    assert [(run.id, run.fail, run.finished is not None) for run in list_runs(state)] == [(audited.run_id, 0, True)]
    assert writes(lab) == 13

    request = UndoRequest(run=fixed.run_id, fleet=fleet, state=state)
    assert [change.after for change in plan_undo(request).changes] == [32] * 13
    with pytest.raises(GuardError, match="not confirmed"):
        undo(request, confirm=lambda _changes: False)
    assert writes(lab) == 13
    assert [receipt.outcome for receipt in undo(request, confirm=confirm)] == [Outcome.APPLIED] * 13
    assert audit(AuditRequest(fleet=fleet, only=[RULE], state=state)).summary.fail == 13


def test_a_run_stops_where_another_machine_fixes_the_same_fleet_meanwhile(lab: Lab, tmp_path: Path) -> None:
    here, there = (
        audit(AuditRequest(fleet=tmp_path / "fleet.yaml", only=[RULE], state=tmp_path / name, fix=LIMITS)) for name in ("here", "there")
    )
    others: list[AuditResult] = []

    def confirm(_changes: Sequence[Change]) -> bool:
        others.append(fix(there, confirm=lambda _: True))
        return True

    stopped = fix(here, confirm=confirm)
    assert [receipt.outcome for receipt in others[0].receipts] == [Outcome.APPLIED] * 13
    assert [receipt.outcome for receipt in stopped.receipts].count(Outcome.PROPOSED) == 11
    assert isinstance(stopped.stopped, GuardError)
    assert "2 settings are not as this run read" in stopped.stopped.what
    assert "another run of auditor" in stopped.stopped.why
    assert writes(lab) == 13, "those of the other machine"


def test_a_fix_that_is_not_confirmed_writes_nothing_and_its_run_is_kept(lab: Lab, tmp_path: Path) -> None:
    state = tmp_path / "state"
    fixed = fix(audit(AuditRequest(fleet=tmp_path / "fleet.yaml", only=[RULE], state=state, fix=LIMITS)), confirm=lambda _changes: False)
    assert isinstance(fixed.stopped, GuardError)
    assert (fixed.receipts, fixed.summary.fail, writes(lab)) == ((), 13, 0)
    assert {finding.verdict for finding in fixed.report.findings() if finding.fix} == {Verdict.FAIL}
    assert [(run.fail, run.finished is not None) for run in list_runs(state)] == [(13, True)]


def test_an_audit_that_was_not_to_be_fixed_is_not(unchanged: Path, tmp_path: Path) -> None:
    audited = audit(AuditRequest(fleet=unchanged, only=[RULE], state=tmp_path))
    with pytest.raises(ConfigurationError, match="not made to be fixed"):
        fix(audited, confirm=lambda _changes: True)


def test_a_mistake_in_the_limits_is_raised_before_anything_is_read(unchanged: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="--max-changes ten"):
        audit(AuditRequest(fleet=unchanged, state=tmp_path, fix=FixLimits(max_changes="ten")))
    assert list_runs(tmp_path) == ()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param({}, "either a fleet or a saved snapshot", id="nothing to audit"),
        pytest.param({"fleet": Path("a"), "snapshot": Path("b")}, "either a fleet or a saved snapshot", id="two sources"),
        pytest.param({"snapshot": Path("b"), "fix": LIMITS}, "do not go with a saved snapshot", id="a snapshot to be fixed"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_when_it_is_made(arguments: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        AuditRequest(**arguments)  # type: ignore[arg-type]


def test_the_library_loads_nothing_of_the_command_line() -> None:

    script = "import sys, auditor.audit; print([name for name in sys.modules if name.startswith(('auditor.cli', 'auditor_lab', 'typer'))])"
    done = completed([sys.executable, "-c", script], check=True)
    assert done.stdout.strip() == "[]"
