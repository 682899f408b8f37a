"""What a command shows besides its report: progress, each change of a fix, the plan of a dry run, and how a fix ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.cli import run
from auditor.cli.audit_output import Shown, show_dry_run, show_fixed, typed
from auditor.cli.option_groups import FixOptions
from auditor.cli.terminal import ProgressDisplay
from auditor.errors import ConfigurationError, GuardError
from auditor.model import FixClass, Outcome, Plan, Receipt, Target
from auditor.pipeline.request import Result
from auditor.report import Destination
from auditor.report.terminal.receipts import narrated
from tests.report import samples

TABLE, JSON = Destination("table", None), Destination("json", None)
CAUTION = FixOptions(fix=True, dry_run=True, allow=[FixClass.ONLINE_CAUTION])


def audited(tmp_path: Path, *receipts: Receipt) -> Any:
    """As much of an audit as is shown."""
    report = replace(samples.bad_night(), receipts=receipts)
    request = SimpleNamespace(fleet=Path("site a/fleet.yaml"), snapshots=(), state=tmp_path)
    plan = Plan((samples.receipt().change,))
    snapshot = SimpleNamespace(hosts=2, hosts_by_cluster={("vc-east", "gold"): 2})
    return SimpleNamespace(
        stopped=None,
        fleet=None,
        snapshot=snapshot,
        report=report,
        run_id=report.run.id,
        receipts=receipts,
        request=request,
        state=tmp_path,
        plan=plan,
    )


def test_off_a_terminal_endpoints_are_counted_and_one_that_was_not_read_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    display = ProgressDisplay()
    for name, end in (("vc-east", "read"), ("sf-01", "read"), ("dx-1", "read with gaps"), ("fa-1", "not read")):
        for text in ("connecting", "reading release 1", end):
            display(name, text)
    display.stop()
    display.stop()
    assert capsys.readouterr().err.splitlines() == ["fa-1: not read", "4 endpoints: 2 read, 1 read with gaps, 1 not read"]


def test_each_change_of_a_fix_is_a_line_with_host_setting_from_to_and_result(capsys: pytest.CaptureFixture[str]) -> None:
    display = ProgressDisplay()
    display("vc-east", "change 1 of 1: device.dsnro on naa.6f47acc100000000612e3f4d00000001")
    display("vc-east", Result(narrated(samples.receipt(Outcome.UNVERIFIED, found=32, why="the host took it and did nothing"))))
    display.stop()
    [line] = capsys.readouterr().err.splitlines()
    place, result = (
        "esx-01.example.net  naa.6f47acc100000000612e3f4d00000001",
        "UNVERIFIED; found 32 commands: the host took it and did nothing",
    )
    assert line == f"{place}  device.dsnro  32 -> 256 commands  {result}"


@pytest.mark.parametrize(("destinations", "stream"), [((TABLE,), "out"), ((JSON,), "err")], ids=["for people", "for programs"])
def test_the_plan_of_a_dry_run_goes_to_standard_output_unless_a_program_reads_that(
    destinations: tuple[Destination, ...], stream: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_dry_run(audited(tmp_path), destinations, Shown((), "auditor audit --fleet f.yaml", details=False), CAUTION)
    captured = capsys.readouterr()
    shown, other = (captured.out, captured.err) if stream == "out" else (captured.err, captured.out)
    assert "Plan: 1 change." in shown
    assert "auditor audit --fleet f.yaml --tag qos --tag vvol --fix --allow online-caution" in shown
    assert other == ""


def test_a_dry_run_says_what_is_larger_than_the_limit_of_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change = samples.receipt().change
    hosts = [f"esx-{number}" for number in range(3)]
    places = [(replace(change.resource, host=host, id=f"{host}/naa.1"), Target("vc-east", (("host_id", host),))) for host in hosts]
    many = audited(tmp_path)
    many.plan = Plan(tuple(replace(change, resource=resource, target=target) for resource, target in places))
    show_dry_run(many, (TABLE,), Shown((), "auditor audit", details=False), CAUTION)
    out = capsys.readouterr().out
    assert "3 changes on 3 hosts of cluster gold would be made, and the limit is 10 % of the hosts of cluster gold, here 1: without" in out
    assert out.endswith("--fix --allow online-caution --max-hosts 3\n")
    show_dry_run(many, (TABLE,), Shown((), "auditor audit", details=False), replace(CAUTION, max_hosts="3"))
    out = capsys.readouterr().out
    assert "first host alone" not in out
    assert out.endswith("--fix --allow online-caution --max-hosts 3\n")


def test_a_dry_run_that_would_change_nothing_names_no_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_dry_run(
        audited(tmp_path), (TABLE,), Shown((), "auditor audit", details=False), FixOptions(fix=True, dry_run=True, allow=[FixClass.ARRAY])
    )
    assert capsys.readouterr().out.endswith("\nNothing was written.\n")


def test_a_fix_ends_with_counts_run_undo_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = audited(tmp_path, samples.receipt(), samples.receipt(Outcome.STALE))
    journal = tmp_path / "journal" / f"{made.run_id}.jsonl"
    journal.parent.mkdir()
    journal.touch()
    page = Destination("html", tmp_path / "page.html")
    show_fixed(made, (JSON, page), Shown((), "auditor audit", details=False))
    captured = capsys.readouterr()
    assert captured.out == "", "a program reads standard output"
    assert captured.err.splitlines()[1:] == [
        f"Fix of run {made.run_id}: 1 stale, not written, 1 applied",
        f"To put it back: auditor undo {made.run_id} --fleet 'site a/fleet.yaml' --state-dir {tmp_path}",
        f"Files written: {page.path}, {journal}",
    ]


def test_a_fix_that_was_stopped_says_so_and_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown, stopped = Shown((), "auditor audit", details=False), GuardError("health got worse", why="why", do="do")
    before = audited(tmp_path)
    before.stopped = stopped
    show_fixed(before, (TABLE,), shown)
    assert "stopped before anything was attempted" in capsys.readouterr().out
    midway = audited(tmp_path, samples.receipt())
    midway.stopped = stopped
    show_fixed(midway, (TABLE,), shown)
    assert f"To go on with it: auditor resume {midway.run_id} --fleet 'site a/fleet.yaml'" in capsys.readouterr().out


def test_a_fix_that_wrote_nothing_offers_no_undo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_fixed(audited(tmp_path, samples.receipt(Outcome.STALE)), (TABLE,), Shown((), "auditor audit", details=False))
    assert "undo" not in capsys.readouterr().out


def test_a_simulated_fleet_that_is_gone_offers_no_undo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_fixed(audited(tmp_path, samples.receipt()), (TABLE,), Shown((), "auditor demo", details=False, fleet_stays=False))
    out = capsys.readouterr().out
    assert "auditor undo" not in out
    assert "the simulated fleet ends with this command" in out


def test_a_command_is_written_as_one_would_type_it() -> None:
    options = ("--fleet", Path("my fleet.yaml")), ("--rules", [Path("a"), Path("b")]), ("--state-dir", None), ("--waivers", None)
    assert typed("auditor audit", *options) == "auditor audit --fleet 'my fleet.yaml' --rules a --rules b"


def test_a_demo_that_fixes_is_a_site_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its fleet is gone afterwards, and the next demo would say that somebody put everything back."""
    sites = []

    def serve(_fleet: object, site: str = "", _plugins: object = ()) -> None:
        sites.append(site)
        raise ConfigurationError("nothing is served here", why="it is a test.", do="look at the site.")

    monkeypatch.setattr("auditor_lab.serving.serve", serve)
    for fixing in ([], ["--fix", "--dry-run"], ["--fix", "--yes"], ["--fix", "--yes"]):
        assert run(["demo", "--scenario", "solidfire-vvols", "--state-dir", str(tmp_path), *fixing]) == 3
    assert sites[:2] == ["", ""], "demos that change nothing can be compared"
    assert len(set(sites)) == 3
