"""`auditor query`: sealed off, interruptible, shown as a table, CSV or JSON."""

import contextlib
import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor import stopping
from auditor.cli import main, run
from auditor.engine.evaluate import evaluate
from auditor.errors import CRASHED, AuditorError, ConfigurationError
from auditor.facts import views
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.inspect import query as querying
from auditor.inspect.query import is_left_running, run_query
from auditor.inspect.query_guard import Question
from auditor.model import Gap
from auditor.report.finding_ids import FindingIds
from auditor.report.terminal.query_rows import write_rows
from tests.engine.bench import fleet, pe, rule_text, rules_from
from tests.facts.fleets import WHEN, endpoints, hosts, seen
from tests.report import samples
from tests.waiting import PATIENCE_SECONDS, until

ENDLESS = "SELECT sum(a.range * b.range) FROM range(10000000) AS a, range(10000000) AS b"
ENDLESS_ROWS = "SELECT a.range * b.range FROM range(10000000) AS a, range(10000000) AS b"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    given = hosts()
    given["device"] = [{"host_id": f"host-{n}", **seen("naa.6f1", "solidfire", queue_depth=64 * n)} for n in (1, 2)]
    builder = SnapshotBuilder()
    for table, rows in given.items():
        names = {name for row in rows for name in row}
        cells: dict[str, list[Any]] = {"endpoint": ["vc"] * len(rows), **{name: [row.get(name) for row in rows] for name in names}}
        builder.add(Batch(table, cells))
    builder.add(Gap("vc", "options of esx-2", "refused"))
    directory = tmp_path_factory.mktemp("query") / "snapshot"
    builder.finish(endpoints(), started=WHEN, finished=WHEN).save(directory)
    return directory


def ask(text: str, snapshot: Path, folder: Path, seconds: float | None = None) -> list[tuple[object, ...]]:
    with run_query(text, snapshot, folder / "spilled", None, seconds) as answer:
        return list(answer.rows)


def test_a_view_answers_as_it_does_to_rules(snapshot: Path, tmp_path: Path) -> None:
    found = ask("SELECT host, queue_depth, family FROM device ORDER BY host", snapshot, tmp_path)
    assert found == [("esx-1", 64, "solidfire"), ("esx-2", 128, "solidfire")]
    assert ask("SELECT what, why FROM fact.gap WHERE why = 'refused'", snapshot, tmp_path) == [("options of esx-2", "refused")]


def test_what_is_wrong_can_be_asked_of_a_run(snapshot: Path, tmp_path: Path) -> None:
    message = '"{resource_name} on {host}: {dsnro:commands}"'
    rules = rules_from(tmp_path, rule_text("a/one", holds="dsnro > 32", message=message))
    evaluate(fleet([pe(1), pe(2, dsnro=64)], folder=tmp_path), rules).save(tmp_path / "findings.parquet")
    text = "SELECT verdict, message FROM finding ORDER BY verdict"
    with run_query(text, snapshot, tmp_path / "spilled", tmp_path / "findings.parquet") as answer:
        assert list(answer.rows) == [("fail", "naa.6f47acc200000001 on esx-01: 32 commands"), ("pass", None)]
    older = tmp_path / "older.parquet"  # as an auditor wrote it that knew no messages
    duckdb.execute(f"COPY (SELECT * EXCLUDE (message) FROM '{tmp_path / 'findings.parquet'}') TO '{older}' (FORMAT parquet)")
    with run_query(text, snapshot, tmp_path / "spilled-too", older) as answer:
        assert list(answer.rows) == [("fail", None), ("pass", None)]


@pytest.mark.parametrize("identity", [None, "4C4C-\u00c4B"], ids=["nobody knows who the endpoint is", "it says who it is"])
def test_findings_have_the_ids_that_explain_takes(tmp_path: Path, identity: str | None) -> None:
    rules = rules_from(tmp_path, rule_text("a/one"), rule_text("b/two", holds="dsnro > 32"))
    evaluation = evaluate(fleet([pe(1), pe(2, dsnro=64)], folder=tmp_path), rules)
    evaluation.save(tmp_path / "findings.parquet")
    [name] = {one.resource.endpoint for one in evaluation.findings()}
    readings = (replace(endpoints()[0], name=name, identity=identity),)
    snapshot = tmp_path / "snapshot"
    SnapshotBuilder().finish(readings, started=WHEN, finished=WHEN).save(snapshot)
    ids = FindingIds(samples.run(*readings))
    wanted = {(one.rule, one.resource.id): ids.of(one) for one in evaluation.findings()}
    assert len(set(wanted.values())) == 4
    text = "SELECT rule, resource_id, id FROM finding"
    with run_query(text, snapshot, tmp_path / "spilled", tmp_path / "findings.parquet") as answer:
        assert {(rule, resource): one for rule, resource, one in answer.rows} == wanted
    older = tmp_path / "older.parquet"  # without what tells the view that a rule is judged over
    duckdb.execute(f"COPY (FROM '{tmp_path / 'findings.parquet'}') TO '{older}' (FORMAT parquet)")
    with run_query(text, snapshot, tmp_path / "spilled-too", older) as answer:
        assert {one for _, _, one in answer.rows} == {None}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_csv('{file}')",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM '{file}'",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "ATTACH '{folder}/out.db' AS other",
        "EXPORT DATABASE '{folder}/out'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM read_csv('http://127.0.0.1:9/x')",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "RESET lock_configuration",
        "SELECT * FROM glob('/*')",
    ],
)
def test_behind_the_check_duckdb_itself_reaches_nothing(text: str, snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a\n1\n", encoding="utf-8")
    before = set(tmp_path.iterdir())
    monkeypatch.setattr(querying, "question", lambda text, findings: Question(text, {}))
    with pytest.raises(AuditorError) as refused:
        ask(text.format(file=file, folder=tmp_path), snapshot, tmp_path)
    assert "disabled" in refused.value.what or "locked" in refused.value.what or "permission" in refused.value.what.lower()
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("text", ["USING SAMPLE 3", "USING SAMPLE 20%", "TABLESAMPLE reservoir(50%)", "USING SAMPLE 2 ROWS (system, 7)"])
def test_a_sample_is_answered_or_refused_in_a_sentence(text: str, snapshot: Path, tmp_path: Path) -> None:
    with contextlib.suppress(ConfigurationError), run_query(f"SELECT * FROM host {text}", snapshot, tmp_path / "spill") as answer:
        assert list(answer.rows) is not None


def test_times_are_told_in_utc_wherever_the_machine_stands(snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = SnapshotBuilder()
    when = datetime(2026, 11, 21, 1, 30, tzinfo=UTC)
    builder.add(Batch("change_event", {"endpoint": ["vc"], "happened_at": [when]}))
    builder.finish(endpoints(), started=WHEN, finished=WHEN).save(tmp_path / "snapshot")
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    text = "SELECT happened_at::VARCHAR, day(happened_at) FROM fact.change_event"
    assert ask(text, tmp_path / "snapshot", tmp_path) == [("2026-11-21 01:30:00+00", 21)]


def test_a_snapshot_is_as_it_was_afterwards(snapshot: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in snapshot.iterdir()}
    ask("SELECT count(*) FROM device, host", snapshot, tmp_path)
    assert {path.name: path.read_bytes() for path in snapshot.iterdir()} == before


@pytest.mark.parametrize("text", [pytest.param(ENDLESS, id="before the first row"), pytest.param(ENDLESS_ROWS, id="among rows")])
def test_a_query_that_runs_away_ends_when_its_time_is_up(text: str, snapshot: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"not answered in 0\.3 seconds"):
        ask(text, snapshot, tmp_path, 0.3)


LONG_EXPRESSION = "SELECT levenshtein(repeat('a', {length}), repeat('b', {length}))"
"""One value: DuckDB looks for an interruption when it has computed it."""


def test_one_long_expression_is_left_alone_when_its_time_is_up(snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(querying, "_STOP_SECONDS", 0.1)
    with pytest.raises(ConfigurationError, match=r"not answered in 1 "):
        ask(LONG_EXPRESSION.format(length=60_000), snapshot, tmp_path, 1)  # on a busy machine it has not begun any sooner
    assert is_left_running()
    until(lambda: not is_left_running(), "the expression was computed to its end")
    assert ask("SELECT 1", snapshot, tmp_path) == [(1,)]
    assert not is_left_running()


@pytest.mark.parametrize(
    ("ended_by", "patience"),
    [
        pytest.param("its time", 0.2, id="its time"),
        pytest.param("Ctrl-C", 0.2, id="Ctrl-C"),
        pytest.param("Ctrl-C", 30, id="Ctrl-C, where the query is waited for too long"),
    ],
)
def test_the_process_ends_beneath_a_long_expression(snapshot: Path, tmp_path: Path, ended_by: str, patience: float) -> None:
    script = f"""
import signal, sys
from auditor.inspect import query
from auditor.cli import main
query._STOP_SECONDS = {patience}
seal = query.seal
def begin(connection):
    seal(connection)
    print("the query is next", file=sys.stderr, flush=True)
query.seal = begin
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
    seconds = "0.3" if ended_by == "its time" else "0"
    command = [sys.executable, "-c", script, "query", "--from", str(snapshot), "--timeout", seconds, LONG_EXPRESSION.format(length=10**7)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        if ended_by == "Ctrl-C":
            process.stderr.readline()
            time.sleep(1 if patience > 1 else 0)  # to the middle of the expression
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out) == (3 if ended_by == "its time" else 130, "")
    assert ("error: the query was not answered" if ended_by == "its time" else "interrupted: ") in err
    assert "leaked" not in err
    assert list(tmp_path.iterdir()) == [], "what it had spilled is gone"


def test_ctrl_c_ends_a_query(snapshot: Path) -> None:
    # A process that was started in the background ignores the signal, and its children do.
    script = """
import signal, sys
from auditor.inspect import query
from auditor.cli import main
seal = query.seal
def begin(connection):
    seal(connection)
    print("the views are made, the query is next", file=sys.stderr, flush=True)
query.seal = begin
signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
    command = [sys.executable, "-c", script, "query", "--from", str(snapshot), "--timeout", "0", ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err


def test_a_misspelt_column_gets_the_nearest(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "SELECT hst FROM device", "--from", str(snapshot)]) == 3
    assert capsys.readouterr().err.splitlines() == [
        'error: the query names column "hst", which is not there; did you mean "host"?',
        "  why: the query was not run.",
        "  do:  `auditor rules schema device` lists the columns of device.",
    ]


def test_csv_and_json_hold_every_row_and_tell_null_from_nothing(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    select = "SELECT host, NULL AS nothing, '' AS empty, true AS yes, 0.5 AS half FROM host ORDER BY host"
    assert run(["query", select, "--from", str(snapshot), "--format", "csv"]) == 0
    assert next(csv.reader(io.StringIO(capsys.readouterr().out))) == ["host", "nothing", "empty", "yes", "half"]
    assert run(["query", select, "--from", str(snapshot), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["host"] for row in document] == ["esx-1", "esx-2"]
    assert (document[0]["nothing"], document[0]["empty"], document[0]["yes"], float(document[0]["half"])) == (None, "", True, 0.5)
    assert run(["query", "SELECT host FROM host WHERE false", "--from", str(snapshot), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_no_cell_of_csv_is_a_formula(begin: str) -> None:
    out = io.StringIO()
    name = f"{begin}HYPERLINK(1)"
    write_rows([(name, "VARCHAR"), ("list", "VARCHAR[]"), ("n", "BIGINT")], iter([(name, [name], -5)]), out, form="csv", width=None)
    header, row = csv.reader(io.StringIO(out.getvalue()))
    for cell in (header[0], row[0], row[1]):
        assert cell[0] in "'\\[", cell
    assert row[2] == "-5", "a number stays one"


def test_what_is_not_shown_is_said_aloud(snapshot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "SELECT unnest(range(5)) AS n", "--from", str(snapshot), "--limit", "3"]) == 0
    said = capsys.readouterr()
    assert said.out.split() == ["n", "-", "0", "1", "2"]
    assert "only the first 3 rows are shown, and there are more; --limit 0 shows all" in said.err
    assert "2 things could not be read" in said.err  # one of them is that no array presents the device
    assert run(["query", "SELECT unnest(range(3)) AS n", "--from", str(snapshot), "--limit", "3"]) == 0
    assert "only the first" not in capsys.readouterr().err


@pytest.mark.parametrize("width", [20, 40, 79, 80, 144, 145])
def test_a_table_that_is_wider_than_the_terminal_is_a_paragraph_for_each_row_and_nothing_is_cut(width: int) -> None:
    out = io.StringIO()
    device, qos = "naa.60000000000000000000000000000001", "".join(f"{number:03}" for number in range(30))
    columns = [("endpoint", "VARCHAR"), ("device", "VARCHAR"), ("dsnro", "BIGINT"), ("qos", "VARCHAR")]
    assert not write_rows(columns, iter([("vc", device, 32, qos)] * 3), out, form="table", width=width)
    lines = out.getvalue().splitlines()
    assert max(len(line) for line in lines) <= width
    assert all(name in out.getvalue() for name, _ in columns)
    text = "".join(line.removeprefix("endpoint").removeprefix("device").removeprefix("qos").strip() for line in lines)
    assert text.count(device) == text.count(qos) == 3
    is_table = width >= 8 + 36 + 5 + 90 + 2 * 3
    assert (len(lines) == 2 + 3) is is_table
    assert (sum(line.startswith("--- ") for line in lines) == 3) is not is_table


def test_a_row_that_is_wider_than_the_first_ones_is_cut_and_said_to_be() -> None:
    out = io.StringIO()
    rows = [("short",)] * 500 + [("x" * 30,)]
    cut = write_rows([("name", "VARCHAR")], iter(rows), out, form="table", width=20)
    assert cut == "1 cells are shortened, where … stands; --format csv or json has all of it"


def test_a_name_from_the_fleet_cannot_steer_the_terminal() -> None:
    out = io.StringIO()
    write_rows([("name", "VARCHAR")], iter([("\x1b[2Jgone",)]), out, form="table", width=None)
    assert "\x1b" not in out.getvalue()


def test_rows_are_written_as_they_come() -> None:
    taken = []

    def rows() -> Iterator[tuple[int]]:
        for number in range(10_000):
            taken.append(number)
            yield (number,)

    class FullError(Exception):
        """The reader wants no more."""

    class Out(io.StringIO):
        def write(self, text: str) -> int:
            if "\n700" in f"\n{text}".replace('{"n": ', "\n"):
                raise FullError
            return super().write(text)

    for form in ("csv", "json"):
        taken.clear()
        with pytest.raises(FullError):
            write_rows([("n", "BIGINT")], rows(), Out(), form=form, width=None)
        assert len(taken) < 1000


def test_a_reader_that_goes_away_is_no_error(snapshot: Path) -> None:
    script = "from auditor.cli import main; main()"
    command = [sys.executable, "-c", script, "query", "--from", str(snapshot), "SELECT unnest(range(1000000)) AS n"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(PATIENCE_SECONDS) == 0
    assert "Traceback" not in said


def test_a_run_without_a_snapshot_says_where_else_to_ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "SELECT 1", "--state-dir", str(tmp_path)]) == 3
    assert "no finished run is kept" in capsys.readouterr().err
    assert run(["query", "SELECT 1", "--run", "x", "--from", "y"]) == 3
    assert "--run cannot go with --from" in capsys.readouterr().err


COMMANDS = [["audit", "--only", "iscsi/max-io-size"], ["query", "SELECT host FROM host"]]
"""Both rest on the view `host`, which is computed before anything is read from it."""


@pytest.mark.parametrize("command", COMMANDS, ids=["audit", "query"])
def test_a_view_that_cannot_be_computed_is_a_bug_and_not_the_users_snapshot(
    command: list[str], snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = views.view_sql
    monkeypatch.setattr(views, "view_sql", lambda name: "SELECT error('broken')" if name == "host" else whole(name))
    state = ["--state-dir", str(tmp_path)] if command[0] == "audit" else []
    monkeypatch.setattr(sys, "argv", ["auditor", *command, "--from", str(snapshot), *state])
    monkeypatch.setattr(stopping, "install", lambda: None)  # this process belongs to the tests
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == CRASHED
    assert "error: a bug in auditor" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMANDS, ids=["audit", "query"])
def test_a_damaged_file_is_the_snapshots_fault(
    command: list[str], snapshot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "snapshot"
    shutil.copytree(snapshot, damaged)
    file = damaged / "device.parquet"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)
    state = ["--state-dir", str(tmp_path / "state")] if command[0] == "audit" else []
    assert run([*command, "--from", str(damaged), *state]) == 3
    assert "snapshot" in capsys.readouterr().err
