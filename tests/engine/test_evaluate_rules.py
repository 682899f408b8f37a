"""What judging keeps, counts, binds and saves of each rule, by rules and rows put in: no rule is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.engine.fixes.blockers import blocker_text, by_hand_text
from auditor.engine.rules.columns import names_in
from auditor.engine.rules.params import ParamValues
from auditor.engine.rules.rule import Expression, FixRule, Param, Rule, RuleSet
from auditor.engine.verdict_rows import JudgedRule
from auditor.engine.verdict_sql import FIX_BLOCKERS
from auditor.model import Fix, FixClass, Outcome, Severity, Verdict
from tests.engine.bench import RESOURCE, VIEWS, bare_rule, fleet, pe

pytestmark = pytest.mark.usefixtures("kept_or_deferred")


def sql(text: str, kind: str = "BIGINT") -> Expression:
    names = names_in(text)
    return Expression(text, names.columns, names.params, kind)


def rule_set(*rules: Rule, views: Mapping[str, Mapping[str, str]] = VIEWS) -> RuleSet:
    return RuleSet({rule.id: rule for rule in rules}, views)


FIX = FixRule(
    "device.dsnro",
    FixClass.ONLINE,
    {"device": sql("device", "VARCHAR")},
    "dsnro",
    sql("$raised"),
    None,
    {},
    "more room",
    retunes=sql("true"),
)
RAISING = bare_rule("a/fix", holds=sql("dsnro >= 256", "BOOLEAN"), fix=FIX, params={"raised": Param(256, "u", "w")})


def test_what_is_saved_of_a_rule_is_what_reports_show_of_it() -> None:
    plain, fixed = bare_rule("a/one", by_hand="Do it."), replace(RAISING, severity=Severity.LOW)
    found = evaluate(fleet([pe()]), rule_set(plain, fixed)).rules
    assert found["a/one"] == JudgedRule("About a/one", "high", "protocol_endpoint", None, "manual", by_hand_text(plain), "", {})
    obstacles = {name: blocker_text(fixed, FIX, name) for name in FIX_BLOCKERS}
    assert found["a/fix"] == JudgedRule(
        "About a/fix", "low", "protocol_endpoint", "device.dsnro", "online", by_hand_text(fixed), "more room", obstacles
    )
    unsaid = evaluate(fleet([pe()]), rule_set(replace(RAISING, fix=replace(FIX, reason=None)))).rules
    assert unsaid["a/fix"].reason == "About a/fix", "the title, where no reason is given"


def test_failures_are_worked_out_and_the_rest_only_where_the_view_is_small(request: pytest.FixtureRequest) -> None:
    rows = [pe(1), pe(2, dsnro=256), pe(3, dsnro=256), pe(4, dsnro=None)]
    evaluation = evaluate(fleet(rows), rule_set(RAISING, bare_rule("a/all"), bare_rule("a/none", holds=sql("dsnro < 0", "BOOLEAN"))))
    in_store = dict(
        evaluation.connection.execute(f"SELECT rule || ' ' || verdict, count(*) FROM {evaluation.store}.verdict GROUP BY ALL").fetchall()
    )
    failing = {"a/fix fail": 1, "a/none fail": 3}
    rest = {"a/fix pass": 2, "a/fix unknown": 1, "a/all pass": 3, "a/all unknown": 1, "a/none unknown": 1}
    counted = {f"{one.rule} {verdict}": count for one in evaluation.deferred for verdict, count in one.counts.items()}
    kept = "kept" in request.node.name
    assert (in_store, counted) == ((failing | rest, {}) if kept else (failing, rest))
    assert [one.severity for one in evaluation.deferred] == [] if kept else ["high"] * 3
    found = {(one.rule, one.resource.name[-1]): one for one in evaluation.findings()}
    assert len(found) == 12
    assert (found["a/fix", "1"].fix or Fix(None, FixClass.MANUAL, None, None, Outcome.BY_HAND)).after == 256
    assert found["a/fix", "1"].observed == 1


def test_a_param_that_only_the_fix_names_is_bound_for_failures_alone() -> None:
    params = {name: Param(value, "u", "w") for name, value in (("raised", 256), ("least", 100), ("seen", 7))}
    rule = replace(RAISING, holds=sql("dsnro >= $least", "BOOLEAN"), observed=sql("$seen + dsnro"), params=params)
    overrides = ParamValues({"a/fix": {("vc-east", "gold"): {"least": 10, "raised": 64}}})
    rows = [pe(1), pe(2, cluster="silver"), pe(3, cluster="silver", dsnro=100), pe(4, dsnro=9)]
    found = {one.resource.name[-1]: one for one in evaluate(fleet(rows), rule_set(rule), overrides).findings()}
    assert {name: (str(one.verdict), one.observed, one.fix and one.fix.after) for name, one in found.items()} == {
        "1": ("pass", 39, None),
        "2": ("fail", 39, 256),
        "3": ("pass", 107, None),
        "4": ("fail", 16, 64),
    }


def test_a_fix_that_breaks_another_rule_is_left_to_a_person() -> None:
    rigid = bare_rule("b/rigid", holds=sql("dsnro <= 64", "BOOLEAN"))
    found = {one.rule: one for one in evaluate(fleet([pe()]), rule_set(RAISING, rigid)).findings()}
    fix = found["a/fix"].fix
    assert fix is not None
    assert (fix.outcome, found["b/rigid"].verdict) == (Outcome.BY_HAND, Verdict.PASS)


def test_only_rules_that_a_row_fails_are_looked_at_for_what_their_fix_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr("auditor.engine.evaluate.mark_harmful_fixes", lambda *parts: seen.append(parts[2].id))
    evaluate(fleet([pe(dsnro=1)]), rule_set(RAISING, bare_rule("a/passes"), bare_rule("b/fails", holds=sql("dsnro > 1", "BOOLEAN"))))
    assert seen == ["a/fix", "b/fails"]


DEVICE = {**RESOURCE, "dsnro": "BIGINT", "queue_depth": "BIGINT", "device": "VARCHAR"}


def classified() -> duckdb.DuckDBPyConnection:
    """Five devices of two classes: 32 and 256; `queue_depth` belongs to no class."""
    connection = duckdb.connect()
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, kind in DEVICE.items() if name in {"resource_name", "cluster", "host"})
    connection.execute(
        f"CREATE TABLE step_device_of_class AS SELECT 'vc-' || i % 2 AS endpoint, 'd-' || i AS resource_id, {columns}, "
        "CASE WHEN i < 2 THEN 32 ELSE 256 END::BIGINT AS dsnro, 10 * i AS queue_depth, 'd-' || i AS device, (i < 2)::INT AS class_number "
        "FROM range(5) t(i)"
    )
    connection.execute(f"CREATE VIEW device AS SELECT {', '.join(DEVICE)} FROM step_device_of_class")
    connection.execute(
        "CREATE TABLE step_device_class AS SELECT class_number, dsnro, count(*) AS devices FROM step_device_of_class GROUP BY ALL"
    )
    return connection


def test_devices_are_judged_by_class_where_the_class_settles_it(monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []

    def recorded(connection: duckdb.DuckDBPyConnection, statement: str, bound: Mapping[str, Any] | None = None) -> Any:
        statements.append(statement)
        return connection.execute(statement, bound)

    monkeypatch.setattr("auditor.engine.evaluate.execute", recorded)
    by_class = replace(bare_rule("a/class", holds=sql("dsnro > $least", "BOOLEAN"), params={"least": Param(100, "u", "w")}), over="device")
    by_row = replace(bare_rule("b/row", holds=sql("queue_depth > 10", "BOOLEAN")), over="device")
    rules = rule_set(by_class, by_row, views={"device": DEVICE})
    found = evaluate(classified(), rules)
    verdicts = sorted((one.rule, one.resource.id, str(one.verdict)) for one in found.findings())
    assert verdicts == [
        *[("a/class", f"d-{n}", "fail" if n < 2 else "pass") for n in range(5)],
        *[("b/row", f"d-{n}", "fail" if n < 2 else "pass") for n in range(5)],
    ]
    assert sum("step_device_class" in one for one in statements) == 2, "counted by class, and its failures found by class"
    del statements[:]
    overrides = ParamValues({"a/class": {("vc-0", None): {"least": 10}}})
    assert evaluate(classified(), rules.only(["a/class"]), overrides).summary().fail == 1
    assert not any("step_device_class" in one for one in statements), "where a row is counts"
