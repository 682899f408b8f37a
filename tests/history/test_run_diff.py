"""`runs diff` and `runs trend`: what a person reads, and what programs get."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from auditor.cli import run
from auditor.history.comparison.run_diff import RunDiff, diff_lines
from auditor.history.comparison.who_changed import authors
from auditor.history.run_names import id_named
from auditor.history.runs import keep_exit_code, load_run
from auditor.history.trend import trend_lines, trend_of
from auditor.model import Fix, FixClass, Outcome
from auditor.model.comparison import ChangedFinding, ChangeKind, Comparison
from tests.cli.test_lists_as_json import validated
from tests.history.kept_runs import SCOPE, Row, kept, run_id
from tests.report import samples

LONG = "naa." + "6" * 32


def two_runs(state: Path) -> None:
    kept(state, 0, [Row("a", "pass"), Row("b", "fail"), *(Row(f"c{number}", "pass") for number in range(5))])
    kept(state, 1, [Row("a", "fail"), Row("b", "pass"), Row(LONG, "fail"), *(Row(f"c{number}", "fail") for number in range(5))])


@pytest.mark.long
def test_changes_stand_by_kind_and_rule_and_no_name_is_cut(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    two_runs(tmp_path)
    assert run(["runs", "diff", "--state-dir", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert out.index("New (7)") < out.index("queue/one: One (7 on 1 host)") < out.index("... 4 more: --details") < out.index("Fixed (1)")
    assert "[it passed then]" in " ".join(out.split())
    assert all(len(line) <= 60 or LONG in line for line in out.splitlines())
    assert run(["runs", "diff", run_id(0), "last", "--details", "--state-dir", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert all(f"name of {name}" in " ".join(out.split()) for name in ("a", "b", LONG, "c0", "c4"))
    assert "more" not in out


@pytest.mark.parametrize(
    ("messages", "then"),
    [
        pytest.param(("naa.1: 85.1 % is its own", "naa.1: 85.7 % is its own"), "then: 85.1 % is its own", id="units"),
        pytest.param(("naa.1: busy", "naa.1: busy"), "it was 0.851, and 256 was desired", id="a message without the value"),
        pytest.param(("", ""), "it was 0.851, and 256 was desired", id="no message"),
    ],
)
def test_what_changed_has_both_values_in_one_unit(tmp_path: Path, messages: tuple[str, str], then: str) -> None:
    resource = replace(samples.pe_finding().resource, name="naa.1", endpoint="vc")
    before, after = (
        replace(samples.pe_finding(), resource=resource, message=message, observed=observed)
        for message, observed in zip(messages, (0.851, 0.857), strict=True)
    )
    runs = kept(tmp_path, 0, []), kept(tmp_path, 1, [])
    change = ChangedFinding(ChangeKind.CHANGED, before, after)
    comparison = Comparison(runs[0].id, runs[0].started, {ChangeKind.CHANGED: 1}, same_scope=True, listed=lambda: iter([change]))
    lines = diff_lines(RunDiff(*runs, comparison, lambda _: "", frozenset()), 500, every=True)
    assert [line for line in lines if line.endswith(f"({then})")]


def test_a_diff_without_anything_new_ends_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two_runs(tmp_path)
    assert run(["runs", "diff", run_id(1), run_id(1), "--state-dir", str(tmp_path)]) == 0
    assert "No failure changed." in capsys.readouterr().out


def test_a_diff_as_json_obeys_its_schema_and_has_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two_runs(tmp_path)
    assert run(["runs", "diff", "--json", "--state-dir", str(tmp_path)]) == 1
    diff = validated(capsys.readouterr().out, "run_diff.schema.json")
    assert (diff["earlier"]["id"], diff["later"]["id"], diff["counts"]["new"], diff["counts"]["gone"]) == (run_id(0), run_id(1), 7, 0)
    fixed = next(one for one in diff["changes"] if one["kind"] == "fixed")
    assert (fixed["resource"]["id"], fixed["before"]["verdict"], fixed["after"]["verdict"]) == ("b", "fail", "pass")


def test_a_run_without_an_earlier_one_of_its_scope_is_refused_with_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept(tmp_path, 0, [])
    assert run(["runs", "diff", "--state-dir", str(tmp_path)]) == 3
    assert f"auditor runs diff RUN {run_id(0)}" in capsys.readouterr().err


IDS = ["20261122T060000Z-b001", "20261121T070000Z-a002", "20261121T060000Z-a001"]


@pytest.mark.parametrize(
    ("word", "named"),
    [
        pytest.param("last", IDS[0], id="the newest"),
        pytest.param("20261122", IDS[0], id="a beginning that only one has"),
        pytest.param(IDS[2], IDS[2], id="a whole id"),
        pytest.param("2027", "2027", id="none: left to the code that looks it up"),
        pytest.param("", "", id="nothing names none"),
        pytest.param("../2026", "../2026", id="no path"),
    ],
)
def test_a_run_is_named_by_its_id_its_beginning_or_last(word: str, named: str) -> None:
    assert id_named(word, IDS) == named


def test_a_beginning_that_several_runs_have_names_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two_runs(tmp_path)
    assert run(["runs", "show", "202611", "--state-dir", str(tmp_path)]) == 3
    assert f'"202611" names 2 runs: {run_id(1)}, {run_id(0)}' in capsys.readouterr().err
    assert load_run(tmp_path, run_id(0)[:-2]).id == run_id(0)
    assert load_run(tmp_path, "last").id == run_id(1)


def test_who_may_have_changed_a_setting_is_named_from_the_events_since_the_run_before(tmp_path: Path) -> None:
    values = [
        ("vc", "host", "host-1", "2026-11-21 05:00:00+00", "too early", "option.OptionManager.updateValues"),
        ("vc", "host", "host-1", "2026-11-21 07:00:00+00", "ann", "option.OptionManager.updateValues"),
        ("vc", "host", "host-1", "2026-11-21 08:00:00+00", "bob", "host.StorageSystem.setMultipathLunPolicy"),
        ("vc", "host", "host-2", "2026-11-21 09:00:00+00", None, "HostProfileAppliedEvent"),
    ]
    with duckdb.connect() as connection:
        texts = ", ".join(f"{name} VARCHAR" for name in ("endpoint", "entity_kind", "entity_id"))
        connection.execute(f"CREATE TABLE e ({texts}, happened_at TIMESTAMPTZ, user_name VARCHAR, what VARCHAR)")
        connection.executemany("INSERT INTO e VALUES (?, ?, ?, CAST(? AS TIMESTAMPTZ), ?, ?)", values)
        connection.execute(f"COPY e TO '{tmp_path / 'change_event.parquet'}' (FORMAT parquet)")
        read_whole = "SELECT 'vc' AS endpoint, 'events' AS topic, true AS complete"
        connection.execute(f"COPY ({read_whole}) TO '{tmp_path / 'reading.parquet'}' (FORMAT parquet)")
    author, read = authors(tmp_path, datetime(2026, 11, 21, 6, tzinfo=UTC))

    def named(remediator: str, host: str) -> str:
        fix = Fix(remediator, FixClass.ONLINE, 1, 2, Outcome.PROPOSED, target=(("host_id", host), ("option", "X")))
        return author(replace(samples.pe_finding(endpoint="vc"), fix=fix, evidence={}))

    assert read == {"vc"}
    assert named("host.option", "host-1") == "maybe by ann at 2026-11-21 07:00:00 UTC"
    assert named("host.option", "host-2") == "maybe by a user that vCenter does not name at 2026-11-21 09:00:00 UTC"
    assert named("device.dsnro", "host-1") == "", "no event tells of esxcli"
    assert authors(None, datetime(2026, 11, 21, tzinfo=UTC))[1] == frozenset()


def test_a_trend_has_a_mark_for_each_run_of_one_scope_and_its_first_and_last_values(tmp_path: Path) -> None:
    for day, failing in enumerate((0, 4, 8)):
        kept(tmp_path, day, [Row(f"d{number}", "fail") for number in range(failing)])
    kept(tmp_path, 3, [Row("x", "fail")], scope=replace(SCOPE, options=("--tag vvol",)))
    trend = trend_of(tmp_path, load_run(tmp_path, run_id(2)))
    lines = list(trend_lines(trend, 80))
    assert lines[0] == "fleet.yaml, 1 of 1 rules, 1 of 1 endpoints"
    assert lines[1] == "3 runs, 2026-11-21 06:00:00 UTC to 2026-11-23 06:00:00 UTC"
    assert [line.split() for line in lines[2:4]] == [["fail", "0", "▁▅█", "8"], ["high", "0", "▁▅█", "8"]]
    assert [line.split() for line in trend_lines(trend, 80, ascii_only=True)][2] == ["fail", "0", "_=#", "8"]


def test_a_trend_that_is_longer_than_the_terminal_shows_the_greatest_of_several_runs(tmp_path: Path) -> None:
    one = kept(tmp_path, 0, [])
    runs = tuple(replace(one, fail=number == 7, by_severity={}) for number in range(100))
    lines = list(trend_lines(replace(trend_of(tmp_path, one), runs=runs), 40))
    assert max(map(len, lines[2:5])) <= 40
    assert lines[2].count("█") == 1
    assert lines[-1].startswith("each mark is ")


def test_a_trend_is_written_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_1 = kept(tmp_path, 0, [Row("d", "fail")])
    keep_exit_code(run_1.directory, 1)
    assert run(["runs", "trend", "--json", "--state-dir", str(tmp_path)]) == 0
    (row,) = validated(capsys.readouterr().out, "run_trend.schema.json")["runs"]
    assert (row["run"], row["fail"], row["high"], row["low"], row["exit_code"]) == (run_id(0), 1, 1, 0, 1)
    assert run(["runs", "trend", "--csv", "--state-dir", str(tmp_path)]) == 0
    (line,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (line["run"], line["fail"], line["exit_code"]) == (run_id(0), "1", "1")


def test_runs_are_listed_within_80_characters_with_how_long_they_took_and_how_they_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_exit_code(kept(tmp_path, 0, [Row("d", "fail")]).directory, 1)
    kept(tmp_path, 1, [], scope=replace(SCOPE, options=("--tag vvol",)))
    assert run(["runs", "list", "--state-dir", str(tmp_path)]) == 0
    head, newest, oldest = capsys.readouterr().out.splitlines()
    assert max(map(len, (head, oldest))) <= 80
    assert oldest.split() == [run_id(0), "2", "1", "0", "100", "%", "3", "min", "1", "audit"]
    assert newest.endswith("   -  audit: --tag vvol")
    assert run(["runs", "list", "--json", "--state-dir", str(tmp_path)]) == 0
    runs = validated(capsys.readouterr().out, "run_list.schema.json")["runs"]
    assert (runs[1]["seconds"], runs[1]["judged"]["exit_code"], runs[1]["judged"]["scope"]["fleet"]) == (180.0, 1, "f1ee7")
    assert json.dumps(runs[0]["judged"]["exit_code"]) == "null"
