"""The statement that judges a row says of each cell what the parts of the rule say; rules and rows are put in, and nothing is loaded."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from auditor.engine.rules.columns import names_in
from auditor.engine.rules.rule import Expression, FixRule, Rule
from auditor.engine.sandbox import sandbox
from auditor.engine.verdict_sql import (
    FIX_BLOCKERS,
    VERDICT_COLUMNS,
    after_type,
    before,
    changed_columns,
    deferred_form,
    fixed_sql,
    json_sql,
    judging_sql,
    tallied_columns,
    tally_sql,
    verdict_sql,
)
from auditor.model import FixClass
from auditor.sql.names import named, quoted
from tests.engine.bench import RESOURCE, VIEWS, bare_rule, pe

VIEW = VIEWS["protocol_endpoint"]
OPTION = VIEWS["option"]


def sql(text: str, kind: str = "BIGINT") -> Expression:
    names = names_in(text)
    return Expression(text, names.columns, names.params, kind)


def of(rows: list[dict[str, Any]], view: Any = VIEW) -> str:
    """These rows as a source of a statement."""

    def cell(value: Any) -> str:
        return "NULL" if value is None else quoted(str(value))

    selects = (f"SELECT {', '.join(f'CAST({cell(row.get(name))} AS {kind}) AS {name}' for name, kind in view.items())}" for row in rows)
    return f"({' UNION ALL '.join(selects)})"


def judged(rule: Rule, row: dict[str, Any], view: Any = VIEW) -> dict[str, Any]:
    """The cells of one row, JSON read."""
    query = sandbox().execute(judging_sql(rule, view, of([row], view), "true"))
    [values] = query.fetchall()
    cells = dict(zip((column[0] for column in query.description or ()), values, strict=True))
    assert list(cells) == list(VERDICT_COLUMNS)
    return {
        name: json.loads(value) if value is not None and name in {"observed", "desired", "evidence", "target", "before", "after"} else value
        for name, value in cells.items()
    }


@pytest.mark.parametrize(
    ("value", "kind", "expected"),
    [
        ("5", "BIGINT", 5),
        ("5", "UTINYINT", 5),
        ("true", "BOOLEAN", True),
        ("'5'", "VARCHAR", "5"),
        ("1.5", "DOUBLE", 1.5),
        ("'inf'", "DOUBLE", "inf"),
        ("'nan'", "FLOAT", "nan"),
        ("1.5", "DECIMAL(5,1)", 1.5),
        ("'2026-01-01 12:00:00+02'", "TIMESTAMP WITH TIME ZONE", "2026-01-01T10:00:00Z"),
        ("'2026-01-01 12:00:00'", "TIMESTAMP", "2026-01-01T12:00:00Z"),
        ("'2026-01-01'", "DATE", "2026-01-01"),
        ("[1, 2]", "INTEGER[]", "[1, 2]"),
    ],
)
def test_a_value_is_json_of_its_own_kind(value: str, kind: str, expected: Any) -> None:
    connection = duckdb.connect()
    [(text, nothing)] = connection.execute(
        f"SELECT {json_sql('x', kind)}, {json_sql('y', kind)} FROM (SELECT CAST({value} AS {kind}) AS x, CAST(NULL AS {kind}) AS y)"
    ).fetchall()
    assert (json.loads(text), nothing) == (expected, None)
    assert type(json.loads(text)) is type(expected)


def test_names_and_texts_are_quoted() -> None:
    [row] = duckdb.connect().execute(f"SELECT {quoted(chr(39))} AS {named(chr(34))}").fetchall()
    assert row == ("'",)
    assert duckdb.connect().execute(f"SELECT 1 AS {named('a')}").description[0][0] == "a"


TWO = sql("dsnro > queue_depth", "BOOLEAN")


@pytest.mark.parametrize(
    ("fields", "row", "verdict", "missing"),
    [
        pytest.param({}, {"dsnro": 5}, "pass", None, id="it holds"),
        pytest.param({}, {"dsnro": 0}, "fail", None, id="it does not"),
        pytest.param({}, {"dsnro": None}, "unknown", ["dsnro"], id="not read"),
        pytest.param({"holds": TWO}, {"dsnro": None, "queue_depth": None}, "unknown", ["dsnro", "queue_depth"], id="neither read"),
        pytest.param({"holds": TWO}, {"dsnro": 1, "queue_depth": None}, "unknown", ["queue_depth"], id="one of two"),
        pytest.param(
            {"holds": sql("coalesce(dsnro, 9) > coalesce(queue_depth, 0)", "BOOLEAN"), "may_be_missing": {"dsnro": "w"}},
            {"dsnro": None, "queue_depth": 5},
            "pass",
            None,
            id="one may be missing, and is",
        ),
        pytest.param(
            {"holds": sql("coalesce(dsnro, 9) > coalesce(queue_depth, 0)", "BOOLEAN"), "may_be_missing": {"dsnro": "w"}},
            {"dsnro": None, "queue_depth": None},
            "unknown",
            ["queue_depth"],
            id="the other one is missing",
        ),
        pytest.param(
            {"holds": TWO, "may_be_missing": {"dsnro": "w"}}, {"dsnro": None, "queue_depth": 5}, "unknown", ["dsnro"], id="it stays NULL"
        ),
        pytest.param(
            {"holds": sql("dsnro > 0", "BOOLEAN"), "may_be_missing": {"dsnro": "w"}}, {"dsnro": None}, "unknown", ["dsnro"], id="it alone"
        ),
        pytest.param({"applies": sql("per_object_qos")}, {"per_object_qos": False, "dsnro": None}, "not_applicable", None, id="not for it"),
        pytest.param({"applies": sql("per_object_qos")}, {"per_object_qos": None}, "unknown", ["per_object_qos"], id="is it for it?"),
        pytest.param({"applies": sql("per_object_qos")}, {"per_object_qos": True, "dsnro": None}, "unknown", ["dsnro"], id="it is for it"),
        pytest.param({"applies": sql("per_object_qos")}, {"per_object_qos": True, "dsnro": 0}, "fail", None, id="and it fails"),
    ],
)
def test_a_verdict_is_unknown_where_a_column_that_it_needs_was_not_read(
    fields: dict[str, Any], row: dict[str, Any], verdict: str, missing: list[str] | None
) -> None:
    found = judged(bare_rule("a/b", **fields), pe(**row))
    assert (found["rule"], found["verdict"], found["missing"]) == ("a/b", verdict, missing)


def test_a_row_carries_its_place_what_was_seen_and_the_evidence() -> None:
    rule = bare_rule("a/b", observed=sql("least(dsnro, queue_depth)"), desired=sql("load", "DOUBLE"), evidence=("booted", "device"))
    row = pe(booted="2026-01-01 12:00:00+00", load=1.5)
    found = judged(rule, row)
    assert {name: found[name] for name in RESOURCE} == {name: row[name] for name in RESOURCE}
    assert (found["observed"], found["desired"]) == (32, 1.5)
    assert found["evidence"] == {
        "dsnro": 32, "queue_depth": 256, "load": 1.5, "booted": "2026-01-01T12:00:00Z", "device": row["device"]
    }  # fmt: skip
    assert [found[name] for name in ("target", "before", "after", "obstacle", "breaks", "touches", "retunes")] == [None] * 7
    assert judged(rule, pe(queue_depth=None))["observed"] is None, "least(32, NULL) would be 32"
    assert judged(replace(rule, may_be_missing={"queue_depth": "w"}), pe(queue_depth=None))["observed"] == 32
    assert judged(rule, pe(load="inf"))["evidence"]["load"] == "inf"


def test_a_row_that_the_rule_is_not_for_shows_only_why() -> None:
    rule = bare_rule("a/b", applies=sql("family = 'x'", "BOOLEAN"), observed=sql("dsnro"), desired=sql("dsnro"))
    found = judged(rule, pe())
    assert (found["observed"], found["desired"], found["evidence"]) == (None, None, {"family": "solidfire"})


FIX = FixRule(
    "device.dsnro",
    FixClass.ONLINE,
    {"host_id": sql("host_id", "VARCHAR"), "device": sql("device", "VARCHAR")},
    "dsnro",
    sql("least(256, queue_depth)"),
    None,
    {},
    "room",
)
LOW = bare_rule("a/b", holds=sql("dsnro >= 256", "BOOLEAN"), fix=FIX)


def fixing(**fields: Any) -> Rule:
    return replace(LOW, fix=replace(FIX, **fields))


def test_a_fix_says_where_and_from_what_to_what() -> None:
    found = judged(LOW, pe())
    assert (found["obstacle"], found["before"], found["after"]) == (None, 32, 256)
    assert found["target"] == {"host_id": "host-1", "device": pe()["device"]}
    assert (found["touches"], found["retunes"]) == ("", False)
    for row in (pe(dsnro=256), pe(dsnro=None)):
        assert [judged(LOW, row)[name] for name in ("target", "before", "after", "obstacle", "touches", "retunes")] == [None] * 6


def test_what_a_fix_reaches_and_reverts_is_computed_and_else_not_known() -> None:
    rule = fixing(touches=sql("cluster || ' too'", "VARCHAR"), retunes=sql("queue_depth > 100", "BOOLEAN"))
    found = [judged(rule, pe(**row)) for row in ({}, {"cluster": None, "queue_depth": 100}, {"queue_depth": None})]
    assert [one["touches"] for one in found] == ["gold too", "not known", "gold too"]
    assert [one["retunes"] for one in found] == [True, False, True]


@pytest.mark.parametrize(
    ("fields", "row", "obstacle"),
    [
        pytest.param({"fix_class": FixClass.MANUAL}, {}, "manual", id="by hand"),
        pytest.param({}, {"host_id": None}, "target", id="where it lives is not known"),
        pytest.param({}, {"device": None}, "target", id="nor the other part"),
        pytest.param({"when": sql("per_object_qos", "BOOLEAN")}, {"per_object_qos": False}, "when", id="not to be fixed"),
        pytest.param({"when": sql("per_object_qos", "BOOLEAN")}, {"per_object_qos": None}, "when", id="not known whether"),
        pytest.param({"when": sql("per_object_qos", "BOOLEAN")}, {}, None, id="to be fixed"),
        pytest.param({}, {"queue_depth": None}, "after", id="to what is not known"),
        pytest.param({"value": sql("dsnro")}, {}, "same", id="it is so already"),
        pytest.param({}, {"queue_depth": 64}, "unsettled", id="it would fail afterwards"),
        pytest.param({"value": sql("64"), "predicted": {"dsnro": sql("256")}}, {}, None, id="what follows settles it"),
    ],
)
def test_a_fix_is_left_to_a_person_by_its_first_obstacle(fields: dict[str, Any], row: dict[str, Any], obstacle: str | None) -> None:
    assert obstacle is None or obstacle in FIX_BLOCKERS
    assert judged(fixing(**fields), pe(**row))["obstacle"] == obstacle


def test_a_setting_that_was_not_read_is_left_alone_unless_its_absence_says_something() -> None:
    rule = replace(LOW, holds=sql("queue_depth < 9", "BOOLEAN"))
    assert judged(rule, pe(dsnro=None))["obstacle"] == "unread"
    exempt = replace(rule, may_be_missing={"dsnro": "w"}, fix=replace(FIX, predicted={"queue_depth": sql("1")}))
    found = judged(exempt, pe(dsnro=None))
    assert (found["obstacle"], found["before"], found["after"]) == (None, None, 256)


WORD = FixRule("host.option", FixClass.ONLINE, {"host_id": sql("host_id", "VARCHAR")}, "value", sql("5"), None, {}, "r")


@pytest.mark.parametrize(
    ("text", "kind", "obstacle", "now"),
    [
        ("7", "BIGINT", None, 7),
        ("1.7", "BIGINT", "type", None),
        ("x", "BIGINT", "type", None),
        ("5", "BIGINT", "same", 5),
        ("1.7", "DOUBLE", None, 1.7),
        ("7", "VARCHAR", None, "7"),
        ("x", "VARCHAR", None, "x"),
    ],
)
def test_a_setting_that_is_text_is_read_as_what_it_is_set_to(text: str, kind: str, obstacle: str | None, now: Any) -> None:
    rule = bare_rule("a/b", over="option", holds=sql("value = '5' AND value <> '7' AND host_id <> 'h'", "BOOLEAN"))
    fix = replace(WORD, value=sql("5" if kind != "VARCHAR" else "'5'", kind), predicted={"host_id": sql("'other'", "VARCHAR")})
    found = judged(replace(rule, fix=fix), {"host_id": "h", "value": text, "endpoint": "e"}, OPTION)
    assert (found["verdict"], found["obstacle"], found["before"]) == ("fail", obstacle, now)
    assert after_type(fix, OPTION) == kind
    assert after_type(FIX, VIEW) == "BIGINT"


def test_what_is_counted_is_each_verdict_and_what_could_not_be_shown_fails() -> None:
    rule = bare_rule(
        "a/b", applies=sql("family = 'x'", "BOOLEAN"), observed=sql("CAST(device AS INTEGER)", "INTEGER"), evidence=("booted",)
    )
    rows = [pe(family="x", device="7"), pe(family="x", device="7", dsnro=None), pe(device="no number"), pe(family="x", device="8")]
    connection = duckdb.connect()

    def tallied(source: list[dict[str, Any]], condition: str = "true") -> dict[str, int]:
        return {row[0]: row[1] for row in connection.execute(tally_sql(rule, VIEW, of(source), condition)).fetchall()}

    assert tallied(rows) == {"pass": 2, "unknown": 1, "not_applicable": 1}
    assert tallied(rows, "device = '8'") == {"pass": 1}
    assert connection.execute(tally_sql(rule, VIEW, of(rows[:2]), "true", "7")).fetchall()[0][1] == 7
    with pytest.raises(duckdb.ConversionException):
        tallied([*rows, pe(family="x", device="no number")])
    with pytest.raises(duckdb.ConversionException):
        connection.execute(tally_sql(replace(rule, observed=rule.desired, desired=rule.observed), VIEW, of([pe(family="x")]), "true"))


def test_the_columns_that_counting_looks_at_are_those_of_the_verdict_and_what_it_shows() -> None:
    rule = bare_rule(
        "a/b", applies=sql("family = 'x'"), observed=sql("load"), desired=sql("queue_depth"), evidence=("booted", "device"), fix=FIX
    )
    assert tallied_columns(rule, VIEW) == {"dsnro", "family", "load", "queue_depth", "booted"}


def test_a_rule_of_which_many_stand_in_one_statement_has_params_of_its_own_in_every_part() -> None:
    expression = sql("dsnro > $least", "BOOLEAN")
    rule = bare_rule("a/b", applies=expression, holds=expression, observed=expression, desired=expression, fix=FIX, evidence=("load",))
    found = deferred_form(rule, "p_")
    for one in (found.applies, found.holds, found.observed, found.desired):
        assert one is not None
        assert ("$p_least" in one.text, "$least" in one.text, one.params, one.columns) == (True, False, ("p_least",), ("dsnro",))
    assert (found.fix, found.evidence, found.id) == (None, rule.columns, "a/b")
    assert deferred_form(replace(rule, applies=None), "p_").applies is None


def test_the_rows_that_a_fix_settles_are_read_as_it_leaves_them() -> None:
    rule = fixing(predicted={"load": sql("0.5", "DOUBLE")})
    rows = [pe(1, load=9.0), pe(2, dsnro=256), pe(3, queue_depth=64), pe(4, dsnro=None)]
    statement = fixed_sql(rule, VIEW, of(rows), "true", ["device", "dsnro", "load", "queue_depth"])
    query = duckdb.connect().execute(statement)
    assert query.fetchall() == [(rows[0]["device"], 256, 0.5, 256, 32, 9.0)]
    assert [column[0] for column in query.description or ()][4:] == [before("dsnro"), before("load")]
    assert duckdb.connect().execute(fixed_sql(rule, VIEW, of(rows), "false", ["device"])).fetchall() == []
    assert changed_columns(rule.fix or FIX) == {"dsnro", "load"}


def test_a_verdict_alone_is_an_expression() -> None:
    rule = bare_rule("a/b")
    [row] = duckdb.connect().execute(f"SELECT {verdict_sql(rule)} FROM {of([pe(dsnro=1)])}").fetchall()
    assert row == ("pass",)
