"""Since when drift is there: an unbroken line of kept runs, followed back from the newest."""

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import duckdb
import pytest

from auditor.facts.baseline import take
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.history import drift as drifting
from auditor.history.drift import drift_ages
from auditor.history.folders import FINDINGS_FILE, RUN_FILE
from auditor.model import DriftAge
from auditor.pipeline.policy import load_rule_set

pytestmark = pytest.mark.long

RULE, OTHER = "baseline/option", "iscsi/mtu"
RULES = load_rule_set(only=[RULE, OTHER])
WHEN = datetime(2026, 11, 21, tzinfo=UTC)
KEY = (RULE, "vc", "baseline_option", "host-1/Disk.QFullSampleSize")
OTHER_KEY = (RULE, "vc", "baseline_option", "host-2/Disk.QFullSampleSize")
FAIL, PASS, UNKNOWN = "fail", "pass", "unknown"


@cache
def baseline(number: int = 1) -> Snapshot:
    """A snapshot with a baseline that was made from the run of that number."""
    made = Snapshot(SnapshotBuilder().so_far(), (), (), WHEN + timedelta(minutes=number), WHEN)
    take(made, f"run {number}", None, "itself")
    return made


def run_id(day: int) -> str:
    return f"{WHEN + timedelta(days=day):%Y%m%dT%H%M%SZ}-{day:04x}"


def kept(
    state: Path,
    day: int,
    verdict: str | None,
    *,
    by: Snapshot | None = None,
    waived: bool = False,
    whole: bool = True,
    also: str | None = None,
) -> Path:
    """A run of that day with one verdict of the rule; None: it asked another rule. `by`: the baseline that it was judged by.

    `also`: the verdict of the rule on another host.
    """
    folder = state / "runs" / run_id(day)
    (folder / "snapshot").mkdir(parents=True)
    (folder / "snapshot" / "snapshot.json").touch()
    with duckdb.connect() as connection:
        rule, reported = (RULE, verdict) if verdict else (OTHER, PASS)
        row = [rule, "waived" if waived else reported, KEY[1], KEY[3], reported if waived else None]
        connection.execute("CREATE TABLE v (rule VARCHAR, verdict VARCHAR, endpoint VARCHAR, resource_id VARCHAR, waived_from VARCHAR)")
        connection.execute("INSERT INTO v VALUES (?, ?, ?, ?, ?)", row)
        if also is not None:
            connection.execute("INSERT INTO v VALUES (?, ?, ?, ?, NULL)", [RULE, also, OTHER_KEY[1], OTHER_KEY[3]])
        connection.execute(f"COPY v TO '{folder / FINDINGS_FILE}' (FORMAT parquet)")
    if by is not None:
        by.connection.execute(f"COPY fact.baseline TO '{folder / 'snapshot' / 'baseline.parquet'}' (FORMAT parquet)")
    if whole:
        counts = {"fail": 1, "pass": 0, "unknown": 0, "waived": 0}
        at = (WHEN + timedelta(days=day)).isoformat()
        run = {"id": run_id(day), "started": at, "finished": at, "hosts": 1, "endpoints": []}
        (folder / RUN_FILE).write_text(json.dumps({"run": run, "summary": counts, "gaps": 0, "coverage": {"ratio": 1.0}}))
    return folder


def now(state: Path, day: int = 30, by: Snapshot | None = None) -> DriftAge | None:
    """What is shown of a failure that is seen on that day."""
    judged = by or baseline()
    own = kept(state, day, FAIL, by=judged, whole=False)
    found = drift_ages(own, WHEN + timedelta(days=day), judged, RULES)
    assert found.keys() <= {KEY}
    return found.get(KEY)


def since(day: int, *, at_least: bool = False) -> DriftAge:
    return DriftAge(run_id(day), WHEN + timedelta(days=day), at_least)


@pytest.mark.parametrize(
    ("earlier", "reported"),
    [
        pytest.param([(1, PASS), (2, FAIL), (3, FAIL)], since(2), id="the first of a line"),
        pytest.param([(1, FAIL), (2, PASS), (3, FAIL)], since(3), id="an earlier line that ended is another one"),
        pytest.param([(1, FAIL), (2, FAIL), (3, PASS)], since(30), id="only this run"),
        pytest.param([(1, PASS), (2, FAIL), (3, UNKNOWN), (4, FAIL)], since(2), id="a run that could not tell ends no line"),
        pytest.param([(1, PASS), (2, UNKNOWN), (3, FAIL)], since(3), id="nor begins one"),
        pytest.param([(1, PASS), (2, FAIL), (3, None), (4, FAIL)], since(2), id="nor does one that asked other rules"),
        pytest.param([(1, "not_applicable"), (2, FAIL)], since(2), id="it was not there to fail"),
        pytest.param([(2, FAIL), (3, FAIL)], since(2, at_least=True), id="the oldest run there is saw it already"),
        pytest.param([], since(30, at_least=True), id="there is no other run"),
    ],
)
def test_drift_is_there_since_the_first_run_of_an_unbroken_line(
    tmp_path: Path, earlier: list[tuple[int, str | None]], reported: DriftAge
) -> None:
    for day, verdict in earlier:
        kept(tmp_path, day, verdict, by=baseline())
    assert now(tmp_path) == reported


def test_a_line_that_has_ended_stays_so_while_another_is_followed_back(tmp_path: Path) -> None:
    for day, verdict, also in ((1, FAIL, PASS), (2, FAIL, FAIL), (3, PASS, FAIL), (4, FAIL, FAIL)):
        kept(tmp_path, day, verdict, by=baseline(), also=also)
    own = kept(tmp_path, 30, FAIL, by=baseline(), whole=False, also=FAIL)
    found = drift_ages(own, WHEN + timedelta(days=30), baseline(), RULES)
    assert found == {KEY: since(4), OTHER_KEY: since(2)}


def test_a_run_that_was_judged_by_another_baseline_ends_the_line(tmp_path: Path) -> None:
    kept(tmp_path, 1, FAIL, by=baseline(2))
    kept(tmp_path, 2, FAIL, by=baseline())
    assert now(tmp_path) == since(2)


def test_a_run_before_there_was_a_baseline_ends_the_line(tmp_path: Path) -> None:
    without = SnapshotBuilder().finish((), started=WHEN, finished=WHEN)
    kept(tmp_path, 1, None, by=without)
    kept(tmp_path, 2, FAIL, by=baseline())
    assert now(tmp_path) == since(2)


def test_a_waived_failure_is_part_of_the_line(tmp_path: Path) -> None:
    kept(tmp_path, 1, PASS, by=baseline())
    kept(tmp_path, 2, FAIL, by=baseline(), waived=True)
    assert now(tmp_path) == since(2)


def test_what_judged_a_saved_snapshot_never_finished_or_is_damaged_tells_nothing(tmp_path: Path) -> None:
    kept(tmp_path, 1, PASS, by=baseline())
    kept(tmp_path, 2, FAIL, by=baseline())
    kept(tmp_path, 3, PASS)  # a saved snapshot, judged once more: it has none of its own
    kept(tmp_path, 4, PASS, by=baseline(), whole=False)
    (kept(tmp_path, 5, PASS, by=baseline()) / FINDINGS_FILE).write_bytes(b"PAR1 and no more")
    assert now(tmp_path) == since(2)


def test_a_snapshot_of_then_knows_nothing_of_later_runs(tmp_path: Path) -> None:
    kept(tmp_path, 1, PASS, by=baseline())
    kept(tmp_path, 2, FAIL, by=baseline())
    kept(tmp_path, 40, PASS, by=baseline())
    assert now(tmp_path) == since(2)


def test_no_more_runs_are_looked_at_than_was_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drifting, "MOST_RUNS", 2)
    for day, verdict in enumerate((PASS, FAIL, FAIL, FAIL), start=1):
        kept(tmp_path, day, verdict, by=baseline())
    assert now(tmp_path) == since(3, at_least=True)


def test_nothing_is_looked_at_without_a_baseline(tmp_path: Path) -> None:
    without = SnapshotBuilder().finish((), started=WHEN, finished=WHEN)
    assert drift_ages(tmp_path / "runs" / "no such run", WHEN, without, RULES) == {}
    assert drift_ages(tmp_path / "runs" / "no such run", WHEN, baseline(), RULES.only([OTHER])) == {}
