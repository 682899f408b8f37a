"""A report says what was asked and judged: never, in any format, that a fleet has no drift where a part of it was not looked at."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from auditor.audit import audit
from auditor.history.kept_run import list_runs
from auditor.history.run_list import run_lines
from auditor.history.runs import report_of_run
from auditor.history.writing_runs import ListedRun
from auditor.job.one_run import run_of_report
from auditor.job.wording import result_text
from auditor.model import Report, Severity, Verdict
from auditor.model.scope import Scope
from auditor.pipeline.request import AuditRequest
from auditor.report import Destination, write_report
from auditor.report.digest import digest, headline
from auditor.report.html.heat_map import heat_map
from auditor.report.json.report import run_object
from auditor.report.verdict_counts import hosts_judged
from auditor.report.wording import took_text
from auditor.system.process_start import process_began
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from tests.report import samples

FOR_PEOPLE = ("table", "html", "markdown")


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Report, Path]]:
    """The report of an audit of one cluster of a fleet of two, by few rules; and the state where it is kept."""
    folder = tmp_path_factory.mktemp("chosen")
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        request = AuditRequest(fleet=folder / "fleet.yaml", hosts=("esx-*-1*",), severity=Severity.CRITICAL, state=folder / "state")
        yield audit(request).report, folder / "state"


def shown(report: Report, reporter: str, *, details: bool = False) -> str:
    out = io.StringIO()
    write_report(report, Destination(reporter, None), out, details=details)
    return " ".join(out.getvalue().split())


def scope(*options: str) -> Scope:
    return Scope("fleet", "fleet.yaml", ("vc-east", "sf-01"), 2, 1, 116, options)


@pytest.mark.parametrize(("hosts", "judged"), [(hosts, judged) for hosts, judged in product(range(1, 6), range(1, 6)) if judged <= hosts])
@pytest.mark.parametrize("options", [(), ("--host esx-*",)])
def test_no_drift_is_said_only_where_all_was_asked_and_every_host_was_judged(hosts: int, judged: int, options: tuple[str, ...]) -> None:
    findings = [samples.pe_finding(f"esx-{number}", Verdict.PASS, observed=256) for number in range(judged)]
    findings += [samples.pe_finding(f"esx-{number}", Verdict.NOT_APPLICABLE) for number in range(judged, hosts)]
    report = replace(samples.report_of(findings, run_=samples.run(hosts=hosts)), scope=scope(*options))
    is_whole = hosts == judged and not options
    for reporter in FOR_PEOPLE:
        text = shown(report, reporter)
        assert ("no drift" in text.lower()) is is_whole, reporter
        assert is_whole or f"of 1 rule on {judged} of {hosts} host" in text, reporter
    assert ("no drift" in result_text(run_of_report(report))) is is_whole, "a job's notices, feed and pages"


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.NOT_APPLICABLE])
def test_a_host_without_a_verdict_that_was_reached_was_not_judged(verdict: Verdict) -> None:
    report = samples.report_of([samples.pe_finding("esx-1", Verdict.PASS), samples.pe_finding("esx-2", verdict)])
    assert hosts_judged(report) == 1


def test_what_belongs_to_no_single_host_holds_on_no_host() -> None:
    result = headline(samples.report_of([samples.sioc_finding(verdict=Verdict.PASS)]), 0, 0)
    assert (result.word, result.sentence) == ("1 CHECK HOLDS", "1 check of 1 rule, none of them of one host alone, holds.")


@pytest.mark.long
def test_an_audit_of_a_part_counts_the_hosts_it_judged_and_so_does_the_kept_run(chosen: tuple[Report, Path]) -> None:
    report, state = chosen
    hosts = {one.resource.host for one in report.findings() if one.resource.host and one.verdict in {Verdict.PASS, Verdict.FAIL}}
    assert hosts_judged(report) == len(hosts) < report.run.hosts
    kept = report_of_run(list_runs(state)[0])
    assert hosts_judged(kept) == len(hosts)
    assert heat_map(kept) == heat_map(report) == heat_map(replace(report, by_place=None))
    results = digest(report, 1)
    result = headline(report, len(results.failing), results.failing_hosts)
    for reporter in FOR_PEOPLE:
        assert shown(kept, reporter) == shown(report, reporter), reporter
        assert "no drift" not in shown(report, reporter).lower()
        assert f"{len(hosts)} of {report.run.hosts} hosts" in shown(report, reporter), reporter
    assert "Only this was looked at" in result.sentence


def test_what_a_run_took_is_what_a_person_waited(chosen: tuple[Report, Path]) -> None:
    report, state = chosen
    waited = report.run.waited_seconds
    assert waited is not None
    assert waited > (report.run.finished - report.run.started).total_seconds(), "judging takes time as well"
    (kept,) = list_runs(state)
    assert kept.waited_seconds == pytest.approx(waited, abs=0.001)
    later = replace(report.run, waited_seconds=754.0)
    assert took_text(later) == "12 min 34 s"
    assert run_object(later)["waited_seconds"] == 754.0
    for reporter in FOR_PEOPLE:
        assert "took 12 min 34 s" in shown(replace(report, run=later), reporter), reporter
    listed = ListedRun(kept.id, "audit", kept.started, kept.finished, kept=replace(kept, waited_seconds=754.0))
    assert " 13 min " in list(run_lines([listed]))[-1]
    assert took_text(replace(later, waited_seconds=None)), "a run of an older auditor"


def test_the_wait_begins_with_the_process() -> None:
    program = "import time; time.sleep(0.5); from auditor.system.process_start import process_began; print(process_began().timestamp())"
    before = time.time()
    began = float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60).stdout)
    if sys.platform == "linux":
        assert before - 0.1 <= began <= before + 0.4
    assert process_began() <= datetime.now(UTC) + timedelta(seconds=1)


@pytest.mark.parametrize("width", [72, 80, 120, 400])
def test_the_list_of_runs_is_no_wider_than_the_terminal_and_says_all_of_it(chosen: tuple[Report, Path], width: int) -> None:
    _, state = chosen
    (kept,) = list_runs(state)
    outcomes = {"applied": 104, "already": 12, "stale": 3, "unverified": 1, "failed": 2}
    run = ListedRun(kept.id, "fix", kept.started, kept.finished, kept=kept, outcomes=outcomes)
    [head, whole] = run_lines([run])
    [_, *lines] = run_lines([run], width)
    assert max(map(len, lines)) <= width
    assert "".join(lines).replace(" ", "") == whole.replace(" ", "")
    assert (len(lines) == 1) is (len(whole) <= width)
    assert len(head) <= 80
