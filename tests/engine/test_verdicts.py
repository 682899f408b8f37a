"""Verdicts are counted, ordered, saved and read again as they were stored, whether kept or deferred; no rule is loaded."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.engine.verdict_reader import in_order
from auditor.engine.verdict_rows import JudgedRule, class_of, decoded
from auditor.engine.verdict_sql import VERDICT_COLUMNS
from auditor.engine.verdicts import DeferredVerdicts, Evaluation, disputable_targets, load_evaluation, new_store
from auditor.errors import SnapshotError
from auditor.model import Fix, FixClass, Outcome, Resource, Severity, Verdict

BY_HAND = JudgedRule("One", "high", "host", None, "manual", "Do it.", "because", {})
FIXED = JudgedRule("Two", "low", "device", "device.dsnro", "online", "Do it.", "more room", {"unread": "it was not read"})
RULES = {"a/one": BY_HAND, "b/two": FIXED}
WAIVERS = ({"owner": "us"}, {"owner": "them"})
CELLS: Mapping[str, Any] = {
    **dict.fromkeys(VERDICT_COLUMNS),
    "rule": "a/one",
    "verdict": "fail",
    "endpoint": "vc",
    "resource_id": "host-1",
    "resource_name": "esx-01",
    "cluster": "gold",
    "host": "esx-01",
    "observed": "1",
    "desired": '"2"',
    "evidence": '{"x": true}',
    "severity": "high",
    "waiver": None,
    "waived_from": None,
    "impact": None,
    "impact_rank": None,
}
CHANGE = {"rule": "b/two", "severity": "low", "target": '{"host_id": "h", "device": "d"}', "before": "32", "after": "256", "retunes": False}


def stored(connection: duckdb.DuckDBPyConnection, rows: Iterable[Mapping[str, Any]]) -> str:
    """A store that holds these rows."""
    store = new_store(connection, RULES)
    for row in rows:
        cells = {**CELLS, **row}
        connection.execute(f"INSERT INTO {store}.verdict ({', '.join(cells)}) VALUES ({', '.join('?' * len(cells))})", list(cells.values()))
    return store


def kept(*rows: Mapping[str, Any], deferred: tuple[DeferredVerdicts, ...] = ()) -> Evaluation:
    connection = duckdb.connect()
    return Evaluation(connection, stored(connection, rows), RULES, deferred, WAIVERS)


def deferring(rule: str, *rows: tuple[str, str, str]) -> DeferredVerdicts:
    """Verdicts of a rule that are only counted: endpoint, resource id, verdict."""
    cells = ", ".join(f"({endpoint!r}, {name!r}, {verdict!r})" for endpoint, name, verdict in rows)
    given = {"rule": "$the_rule", "endpoint": "e", "resource_id": "r", "resource_name": "r", "verdict": "v"}
    listed = ", ".join(f"CAST({given.get(column, 'NULL')} AS {kind}) AS {column}" for column, kind in VERDICT_COLUMNS.items())
    counts = {Verdict(kind): sum(verdict == kind for _, _, verdict in rows) for kind in {verdict for _, _, verdict in rows}}
    return DeferredVerdicts(rule, RULES[rule].severity, counts, f"SELECT {listed} FROM (VALUES {cells}) AS t(e, r, v)", {"the_rule": rule})


PASSING = deferring("b/two", ("vc", "two", "pass"), ("va", "one", "pass"), ("vc", "three", "unknown"))


def names(evaluation: Evaluation, *verdicts: Verdict) -> list[tuple[str, str, str]]:
    return [(one.rule, str(one.verdict), one.resource.id) for one in evaluation.findings(verdicts or None)]


def test_verdicts_are_counted_whether_kept_or_deferred() -> None:
    rows: tuple[Mapping[str, Any], ...] = (
        *[{"resource_id": str(n)} for n in range(3)],
        *[{**CHANGE, "resource_id": str(n)} for n in range(2)],
        *[{"verdict": "not_applicable"}] * 4,
        {"verdict": "pass"},
        {"verdict": "waived", "waiver": 0, "waived_from": "fail"},
        *[{"verdict": "waived", "waiver": 0, "waived_from": "unknown"}] * 2,
        *[{"verdict": "unknown"}] * 6,
    )
    found = kept(*rows, deferred=(PASSING,)).summary()
    assert (found.fail, found.passed, found.unknown, found.not_applicable, found.waived, found.waived_unknown) == (5, 3, 7, 4, 3, 2)
    assert list(found.by_severity.items()) == [("high", 3), ("low", 2)]
    nothing = kept().summary()
    assert (nothing.fail, nothing.passed, nothing.unknown, nothing.not_applicable, nothing.waived, nothing.waived_unknown) == (0,) * 6
    assert nothing.by_severity == {}
    assert kept(deferred=(PASSING, PASSING)).summary().passed == 4


MIXED = (
    {"verdict": "pass", "resource_id": "p"},
    {**CHANGE, "resource_id": "low"},
    {"resource_id": "z", "endpoint": "vc"},
    {"resource_id": "y", "endpoint": "va"},
    {"resource_id": "u", "verdict": "unknown"},
)
WORST_FIRST = [("a/one", "fail", "y"), ("a/one", "fail", "z"), ("b/two", "fail", "low"), ("a/one", "unknown", "u"), ("a/one", "pass", "p")]


@pytest.mark.parametrize("sorted_at_once", [100, 0], ids=["together", "rule by rule"])
def test_within_a_severity_what_gains_most_by_its_fix_comes_first(monkeypatch: pytest.MonkeyPatch, sorted_at_once: int) -> None:
    monkeypatch.setattr("auditor.engine.verdicts.SORTED_AT_ONCE", sorted_at_once)
    evaluation = kept(
        {"resource_id": "plain"},
        {"resource_id": "b-little", "rule": "b/two", "impact": '{"model": "queue"}', "impact_rank": 2.0},
        {"resource_id": "much", "rule": "b/two", "impact_rank": 300.0},
        {"resource_id": "critical", "severity": "critical"},
    )
    assert [one.resource.id for one in evaluation.findings()] == ["critical", "much", "b-little", "plain"]
    assert [dict(one.impact) for one in evaluation.findings()] == [{}, {}, {"model": "queue"}, {}]


def test_findings_come_worst_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(kept(*MIXED)) == WORST_FIRST
    monkeypatch.setattr("auditor.engine.verdicts.SORTED_AT_ONCE", 4)
    assert names(kept(*MIXED)) == WORST_FIRST, "a part at a time"
    assert names(kept(*MIXED), Verdict.PASS) == WORST_FIRST[-1:]
    assert names(kept(*MIXED), Verdict.WAIVED) == []


@pytest.mark.parametrize(
    ("sorted_at_once", "expected"),
    [
        pytest.param(5, ["vc 9", "va 7", "va 3", "vc a", "vc b"], id="all at once: what gains most comes first"),
        pytest.param(4, ["va 7", "va 3", "vc 9", "vc a", "vc b"], id="too many: an endpoint at a time"),
    ],
)
def test_rows_come_by_what_they_gain_and_then_by_place(monkeypatch: pytest.MonkeyPatch, sorted_at_once: int, expected: list[str]) -> None:
    monkeypatch.setattr("auditor.engine.verdict_reader.SORTED_AT_ONCE", sorted_at_once)
    rows = "('vc', 'b', NULL), ('vc', 'a', NULL), ('va', '3', 3), ('va', '7', 7), ('vc', '9', 9), ('no', 'x', 1)"
    select = "SELECT *, resource_id AS resource_name, NULL AS cluster, NULL AS host FROM "
    select += f"(VALUES {rows}) AS t(endpoint, resource_id, impact_rank) WHERE endpoint <> $left_out"
    found = in_order(duckdb.connect(), select, {"left_out": "no"}, 5)
    assert [f"{endpoint} {name}" for endpoint, name, *_ in found] == expected
    nowhere = in_order(duckdb.connect(), select.replace("'va'", "NULL").replace("<>", "IS DISTINCT FROM"), {"left_out": "no"}, 5)
    assert len(list(nowhere)) == 5, "what is of no endpoint is not lost"


def test_verdicts_are_counted_by_rule_and_severity_whether_kept_or_deferred() -> None:
    rows = ({"resource_id": "1"}, {"resource_id": "2", "severity": "low"}, {**CHANGE, "verdict": "unknown"}, {**CHANGE, "verdict": "pass"})
    assert kept(*rows, deferred=(PASSING,)).counts() == {
        ("a/one", Severity.HIGH, Verdict.FAIL): 1,
        ("a/one", Severity.LOW, Verdict.FAIL): 1,
        ("b/two", Severity.LOW, Verdict.UNKNOWN): 2,
        ("b/two", Severity.LOW, Verdict.PASS): 3,
    }
    assert kept().counts() == {}


def test_verdicts_are_counted_by_place_whether_kept_or_deferred() -> None:
    rows = ({"resource_id": "1"}, {"resource_id": "2", "severity": "low"}, {**CHANGE, "verdict": "unknown"}, {**CHANGE, "verdict": "pass"})
    evaluation = kept(*rows, deferred=(PASSING,))
    by_topic: Counter[tuple[str, Verdict]] = Counter()
    for one in evaluation.by_place(by_host=True):
        by_topic[one.topic, one.verdict] += one.number
    assert by_topic == {("a", Verdict.FAIL): 2, ("b", Verdict.UNKNOWN): 2, ("b", Verdict.PASS): 3}
    by_cluster = evaluation.by_place(by_host=False)
    assert {one.verdict for one in by_cluster} == {Verdict.FAIL, Verdict.UNKNOWN}, "passes of a large fleet are not read"
    assert {one.host for one in by_cluster} == {None}


def test_hosts_with_a_verdict_that_was_reached_are_counted_once() -> None:
    deferred = deferring("b/two", ("vc", "two", "pass"), ("va", "one", "pass"), ("vc", "three", "unknown"))
    on_host = replace(deferred, select=f"SELECT * REPLACE (resource_id AS host) FROM ({deferred.select})")
    rows: tuple[dict[str, Any], ...] = (
        *[{"host": "one", "verdict": verdict} for verdict in ("pass", "fail", "unknown")],
        {"host": "not reached", "verdict": "unknown"},
        {"host": "out of scope", "verdict": "not_applicable"},
        {"host": "waived", "verdict": "waived", "waived_from": "fail", "waiver": 0},
        {"host": "waived unknown", "verdict": "waived", "waived_from": "unknown", "waiver": 0},
        {"host": None, "verdict": "fail"},
    )
    assert kept(*rows).hosts_judged() == 2
    assert kept(*rows, deferred=(on_host,)).hosts_judged() == 4, "one of va, and two of vc, beside those kept"
    assert kept(*rows, deferred=(on_host, replace(on_host, counts={Verdict.UNKNOWN: 1}, select="SELECT 1 / 0"))).hosts_judged() == 4


def test_deferred_verdicts_stand_among_those_that_were_kept() -> None:
    unknown, one, two = ("b/two", "unknown", "three"), ("b/two", "pass", "one"), ("b/two", "pass", "two")
    evaluation = kept(*MIXED, deferred=(PASSING,))
    assert names(evaluation) == [*WORST_FIRST[:4], unknown, WORST_FIRST[4], one, two]
    assert names(evaluation, Verdict.PASS) == [WORST_FIRST[4], one, two]
    assert names(evaluation, Verdict.UNKNOWN) == [WORST_FIRST[3], unknown]
    assert names(evaluation, Verdict.NOT_APPLICABLE) == []


def test_keeping_puts_what_was_deferred_into_the_store() -> None:
    other = deferring("a/one", ("vc", "x", "pass"))
    evaluation = kept(deferred=(PASSING, other))
    after = evaluation.keeping(Verdict.PASS, ["b/two"])
    in_store = f"SELECT resource_id FROM {after.store}.verdict ORDER BY ALL"
    assert after.connection.execute(in_store).fetchall() == [("one",), ("two",)]
    assert [dict(one.counts) for one in after.deferred] == [{Verdict.UNKNOWN: 1}, {Verdict.PASS: 1}]
    assert names(after) == [("b/two", "unknown", "three"), ("a/one", "pass", "x"), ("b/two", "pass", "one"), ("b/two", "pass", "two")]
    assert evaluation.keeping(Verdict.FAIL, ["b/two", "a/one"]).deferred == (PASSING, other)


def test_what_is_saved_is_read_again_as_it_was(tmp_path: Path) -> None:
    rows = (*MIXED, {"verdict": "waived", "waiver": 1, "waived_from": "fail", "resource_id": "w", "missing": ["a", "b"]})
    evaluation = kept(*rows, deferred=(PASSING, replace(PASSING, rule="a/one", counts={})))
    path = tmp_path / "verdicts.parquet"
    saved = evaluation.save(path)
    expected = list(evaluation.findings())
    assert len(expected) == 9
    assert (saved.deferred, list(saved.findings()), saved.summary()) == ((), expected, evaluation.summary())
    loaded = load_evaluation(path)
    assert (loaded.rules, loaded.waivers, loaded.deferred) == (RULES, WAIVERS, ())
    assert (list(loaded.findings()), loaded.summary()) == (expected, evaluation.summary())
    assert [file.name for file in tmp_path.iterdir()] == [path.name], "nothing half written is left"
    with pytest.raises(duckdb.PermissionException):
        loaded.connection.execute(f"SELECT * FROM read_csv('{tmp_path}/x')")
    with pytest.raises(SnapshotError, match="cannot write"):
        evaluation.save(tmp_path / "nowhere" / "verdicts.parquet")


def written(path: Path, about: str | None, leave_out: Iterable[str] = ()) -> Path:
    """A file of one verdict of a rule."""
    columns = ", ".join(
        f"CAST({'NULL' if value is None else repr(value)} AS {VERDICT_COLUMNS.get(name, 'VARCHAR')}) AS {name}"
        for name, value in CELLS.items()
        if name not in leave_out
    )
    metadata = "" if about is None else f", KV_METADATA {{auditor: '{about}'}}"
    duckdb.connect().execute(f"COPY (SELECT {columns}) TO '{path}' (FORMAT parquet{metadata})")
    return path


RULES_SAVED: Mapping[str, Any] = {"a/one": asdict(BY_HAND)}


@pytest.mark.parametrize(
    ("number", "leave_out"),
    [
        (1, ("waiver", "waived_from", "retunes", "touches", "waits", "message", "impact", "impact_rank")),
        (2, ("retunes", "touches", "waits", "message", "impact", "impact_rank")),
        (3, ("waits", "message", "impact", "impact_rank")),
        (4, ("message", "impact", "impact_rank")),
        (5, ("impact", "impact_rank")),
        (6, ()),
    ],
)
def test_runs_of_older_formats_are_read(tmp_path: Path, number: int, leave_out: tuple[str, ...]) -> None:
    path = written(tmp_path / "v.parquet", json.dumps({"format": number, "rules": RULES_SAVED}), leave_out)
    evaluation = load_evaluation(path)
    [finding] = evaluation.findings()
    assert (finding.rule, finding.verdict, finding.desired, finding.waiver) == ("a/one", Verdict.FAIL, "2", None)
    assert evaluation.waivers == ()


@pytest.mark.parametrize(
    ("about", "why"),
    [
        pytest.param(json.dumps({"format": 7, "rules": RULES_SAVED}), "verdict format 7", id="of a newer auditor"),
        pytest.param(None, "verdict format None", id="no file of ours"),
        pytest.param(json.dumps({"format": 4, "rules": {}}), "does not hold the verdicts", id="its rule is missing"),
        pytest.param(json.dumps({"format": 4}), "does not hold the verdicts", id="all rules are missing"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, about: str | None, why: str) -> None:
    with pytest.raises(SnapshotError, match=why):
        load_evaluation(written(tmp_path / "v.parquet", about))


def test_several_stores_of_one_connection_are_apart() -> None:
    connection = duckdb.connect()
    one, other = stored(connection, [{}]), stored(connection, [{}, {}])
    sizes = [connection.execute(f"SELECT count(*) FROM {store}.verdict").fetchall() for store in (one, other)]
    assert (sizes, one != other) == ([[(1,)], [(2,)]], True)
    Evaluation(connection, one, RULES).close()
    assert one not in {name for (name,) in connection.execute("SELECT database_name FROM duckdb_databases()").fetchall()}
    assert new_store(connection, RULES) == one, "a name that is free again"


def only(**cells: Any) -> Any:
    """The one finding of a store with one row."""
    [finding] = kept(cells).findings()
    return finding


def test_a_finding_has_every_cell_of_its_row() -> None:
    found = only(missing=["x", "y"])
    assert (found.rule, found.title, found.verdict, found.severity) == ("a/one", "One", Verdict.FAIL, Severity.HIGH)
    assert found.resource == Resource("host", "host-1", "esx-01", "vc", "gold", "esx-01")
    assert (found.observed, found.desired, found.evidence, found.missing) == (1, "2", {"x": True}, ("x", "y"))
    assert (found.waiver, found.lapsed_waiver) == (None, None)
    assert found.fix == Fix(None, FixClass.MANUAL, None, None, Outcome.BY_HAND, "Do it.")
    bare = only(verdict="unknown", evidence=None, observed=None)
    assert (bare.observed, bare.evidence, bare.missing, bare.fix) == (None, {}, (), None)
    assert decoded(None) is None


def test_a_waiver_is_shown_as_in_force_or_as_lapsed() -> None:
    waived = only(verdict="waived", waiver=1, waived_from="fail")
    assert (waived.waiver, waived.lapsed_waiver) == ({"verdict": "fail", "owner": "them"}, None)
    lapsed = only(waiver=0)
    assert (lapsed.waiver, lapsed.lapsed_waiver) == (None, {"owner": "us"})


TARGET = (("device", "d"), ("host_id", "h"))


@pytest.mark.parametrize(
    ("cells", "fix"),
    [
        pytest.param({}, Fix("device.dsnro", FixClass.ONLINE, 32, 256, Outcome.PROPOSED, "more room", target=TARGET), id="proposed"),
        pytest.param(
            {"obstacle": "unread", "target": None},
            Fix("device.dsnro", FixClass.ONLINE, 32, 256, Outcome.BY_HAND, "it was not read"),
            id="left to a person",
        ),
        pytest.param(
            {"touches": "two datastores"},
            Fix(
                "device.dsnro", FixClass.ONLINE_CAUTION, 32, 256, Outcome.PROPOSED, "more room", target=TARGET, collateral="two datastores"
            ),
            id="it reaches others",
        ),
        pytest.param(
            {"retunes": True},
            Fix("device.dsnro", FixClass.RETUNE, 32, 256, Outcome.PROPOSED, "more room", target=TARGET, takes=FixClass.ONLINE),
            id="it reverts what somebody tuned",
        ),
    ],
)
def test_the_fix_of_a_failure_is_what_its_cells_say(cells: dict[str, Any], fix: Fix) -> None:
    assert only(**{**CHANGE, **cells}).fix == fix


@pytest.mark.parametrize(
    ("touches", "fix_class", "taken"),
    [
        ("x", "online", "online-caution"),
        ("", "online", "online"),
        (None, "online", "online"),
        ("x", "reboot", "reboot"),
        ("", "reboot", "reboot"),
    ],
)
def test_what_reaches_others_is_made_with_caution(touches: str | None, fix_class: str, taken: str) -> None:
    assert class_of({"touches": touches}, replace(FIXED, fix_class=fix_class)) == FixClass(taken)


def test_a_target_is_disputable_where_failures_of_two_rules_are_about_it() -> None:
    target = CHANGE["target"]
    one, other = {"rule": "a/one", "target": target}, {**CHANGE}
    assert disputable_targets(kept(one, other)) == {("vc", target)}
    assert disputable_targets(kept(one, one)) == frozenset()
    assert disputable_targets(kept(one, {**other, "verdict": "pass"})) == frozenset()
    assert disputable_targets(kept(one, {**other, "endpoint": "va"})) == frozenset()
    assert disputable_targets(kept({**one, "target": None}, {**other, "target": None})) == frozenset()
