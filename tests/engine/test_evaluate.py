import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.engine.evaluate import evaluate, load_evaluation
from auditor.engine.rules.params import ParamValues, param_values
from auditor.engine.rules.rule import Expression, RuleSet
from auditor.errors import RuleError, SnapshotError
from auditor.facts.views import seal
from auditor.model import Finding, FixClass, Outcome, Resource, Severity, Verdict
from tests.engine.bench import HEADROOM, SOUND, VIEWS, Override, fleet, pe, rule_text, rules_from

pytestmark = pytest.mark.usefixtures("kept_or_deferred")


def judged(folder: Path, text: str, row: Mapping[str, Any], view: str = "protocol_endpoint") -> Finding:
    (finding,) = evaluate(fleet([row], view), rules_from(folder, text)).findings()
    return finding


@pytest.mark.parametrize(
    ("columns", "verdict", "missing"),
    [
        pytest.param({"dsnro": 256}, Verdict.PASS, (), id="raised as S0 did"),
        pytest.param({"dsnro": 32}, Verdict.FAIL, (), id="as installed"),
        pytest.param({"dsnro": 256, "queue_depth": 64}, Verdict.FAIL, (), id="raised, and the device queue is the limit"),
        pytest.param({"dsnro": None}, Verdict.UNKNOWN, ("dsnro",), id="least() of nothing and 256 is not 256"),
        pytest.param({"dsnro": None, "deepest_disk_queue": None}, Verdict.UNKNOWN, ("dsnro", "deepest_disk_queue"), id="two facts missing"),
        pytest.param({"per_object_qos": False}, Verdict.NOT_APPLICABLE, (), id="does not apply"),
        pytest.param(
            {"per_object_qos": False, "family": None, "dsnro": None}, Verdict.NOT_APPLICABLE, (), id="one false conjunct settles it"
        ),
        pytest.param({"per_object_qos": None}, Verdict.UNKNOWN, ("per_object_qos",), id="not known whether it applies"),
        pytest.param({"family": None, "dsnro": None}, Verdict.UNKNOWN, ("family",), id="not known whether it applies, named alone"),
    ],
)
def test_a_verdict_rests_on_what_was_read(tmp_path: Path, columns: dict[str, Any], verdict: Verdict, missing: tuple[str, ...]) -> None:
    finding = judged(tmp_path, SOUND, pe(**columns))
    assert finding.verdict is verdict
    assert finding.missing == missing


def test_a_finding_carries_what_was_seen_wanted_and_why(tmp_path: Path) -> None:
    finding = judged(tmp_path, SOUND, pe(7))
    device = "naa.6f47acc200000007"
    assert finding.rule == HEADROOM
    assert finding.title == "One throttled disk cannot fill a protocol endpoint's queue"
    assert finding.severity is Severity.HIGH
    assert finding.resource == Resource("protocol_endpoint", f"host-1/{device}", device, "vc-east", "gold", "esx-01")
    assert (finding.observed, finding.desired) == (32, 256)
    assert finding.evidence == {
        "family": "solidfire",
        "per_object_qos": True,
        "dsnro": 32,
        "queue_depth": 256,
        "deepest_disk_queue": 64,
        "host_id": "host-1",
        "device": device,
    }
    assert finding.fix is not None
    assert (finding.fix.remediator, finding.fix.fix_class) == ("device.dsnro", FixClass.ONLINE_CAUTION)
    assert (finding.fix.before, finding.fix.after, finding.fix.outcome) == (32, 256, Outcome.PROPOSED)


def test_what_rests_on_a_missing_fact_is_not_shown_as_seen(tmp_path: Path) -> None:
    finding = judged(tmp_path, SOUND, pe(dsnro=None))
    assert finding.observed is None  # least(NULL, 256) would say 256
    assert finding.desired == 256
    assert finding.fix is None


def test_a_column_that_may_be_missing_does_not_make_it_unknown(tmp_path: Path) -> None:
    text = rule_text("qos/limit", holds="coalesce(iops_limit, 0) < dsnro", may_be_missing="{iops_limit: NULL is unlimited}")
    rules = rules_from(tmp_path, text)
    verdicts = {row.evidence["dsnro"]: row.verdict for row in evaluate(fleet([pe(1, dsnro=5), pe(2, dsnro=None)]), rules).findings()}
    assert verdicts == {5: Verdict.PASS, None: Verdict.UNKNOWN}


def test_a_predicate_that_stays_null_names_the_columns_that_may_be_missing(tmp_path: Path) -> None:
    finding = judged(tmp_path, rule_text("qos/limit", holds="iops_limit > 5", may_be_missing="{iops_limit: why}"), pe())
    assert (finding.verdict, finding.missing) == (Verdict.UNKNOWN, ("iops_limit",))


def test_holds_is_not_computed_where_the_rule_does_not_apply(tmp_path: Path) -> None:
    text = rule_text("option/number", over="option", applies="value_type = 'long'", holds="value::BIGINT > 1", observed="value::BIGINT")
    rules = rules_from(tmp_path, text)
    rows = [{"resource_id": "a", "value": "vmfs", "value_type": "string"}, {"resource_id": "b", "value": "2", "value_type": "long"}]
    verdicts = {finding.resource.id: finding.verdict for finding in evaluate(fleet(rows, "option"), rules).findings()}
    assert verdicts == {"a": Verdict.NOT_APPLICABLE, "b": Verdict.PASS}


@pytest.mark.parametrize(
    ("holds", "columns"),
    [
        pytest.param("family::INTEGER > 1", {"family": "solidfire"}, id="a cast"),
        pytest.param("dsnro * dsnro > 0", {"dsnro": 2**62}, id="an overflow"),
        pytest.param("dsnro // queue_depth > 0", {"queue_depth": 0}, id="a division by zero"),
    ],
)
def test_a_rule_that_fails_while_running_ends_the_judging(tmp_path: Path, holds: str, columns: dict[str, Any]) -> None:
    rules = rules_from(tmp_path, SOUND, rule_text("vvol/zz", holds=holds))
    connection = fleet([pe(1, dsnro=7), pe(2, **columns)])
    with pytest.raises(RuleError, match="vvol/zz fails while judging") as caught:
        evaluate(connection, rules)
    assert "nothing was judged" in caught.value.why
    databases = connection.execute("SELECT database_name FROM duckdb_databases() WHERE database_name LIKE 'verdicts%'").fetchall()
    assert databases == []  # no partial result is left


@pytest.mark.parametrize(
    ("key", "expression"),
    [
        pytest.param("observed", "family::INTEGER", id="what was observed"),
        pytest.param("desired", "dsnro // (queue_depth - queue_depth)::TINYINT + family::INTEGER", id="what was desired"),
    ],
)
def test_what_a_passing_row_cannot_tell_ends_the_judging_too(tmp_path: Path, key: str, expression: str) -> None:
    rules = rules_from(tmp_path, rule_text("vvol/zz", **{key: expression}))
    with pytest.raises(RuleError, match="vvol/zz fails while judging"):
        evaluate(fleet([pe(1)]), rules)


def test_passes_are_told_with_their_evidence_as_failures_are(tmp_path: Path) -> None:
    rows = [pe(1, dsnro=256), pe(2, dsnro=256, cluster="silver"), pe(3, family="ontap"), pe(4)]
    rules = rules_from(tmp_path, SOUND)
    overrides = [Override(HEADROOM, "headroom", 2, "vc-east", "silver")]
    found = {f.resource.name[-1]: f for f in evaluate(fleet(rows), rules, param_values(overrides, rules)).findings()}
    assert list(found) == ["4", "1", "2", "3"]
    assert [(f.verdict, f.observed, f.desired) for f in found.values()] == [
        (Verdict.FAIL, 32, 256),
        (Verdict.PASS, 256, 256),
        (Verdict.PASS, 256, 128),
        (Verdict.NOT_APPLICABLE, None, None),
    ]
    assert list(found["1"].evidence) == list(found["4"].evidence)
    assert found["1"].evidence["device"] == "naa.6f47acc200000001"
    assert found["3"].evidence == {"family": "ontap", "per_object_qos": True}


def test_a_param_in_a_text_is_no_param(tmp_path: Path) -> None:
    params = "{word: {default: solidfire, unit: u, why: w}}"
    text = rule_text("local/word", holds="family = $word", observed="\"$word || ' costs $word'\"", params=params)
    (finding,) = evaluate(fleet([pe()]), rules_from(tmp_path, text)).findings()
    assert (finding.verdict, finding.observed) == (Verdict.PASS, "solidfire costs $word")


@pytest.mark.parametrize(
    ("expression", "seen"),
    [
        pytest.param("dsnro", 32, id="a whole number"),
        pytest.param("load", 0.5, id="a fraction"),
        pytest.param("CAST(load AS DECIMAL(5, 2))", 0.5, id="a decimal"),
        pytest.param("per_object_qos", True, id="truth"),
        pytest.param("CAST(dsnro AS VARCHAR)", "32", id="text of digits"),
        pytest.param("CAST(per_object_qos AS VARCHAR)", "true", id="text of truth"),
        pytest.param("device || '\"'", 'naa.6f47acc200000001"', id="text with a quote"),
        pytest.param("9223372036854775807 + dsnro::HUGEINT", 9223372036854775839, id="more than 64 bits"),
        pytest.param("booted", "2026-11-21T06:55:00Z", id="a time, in UTC"),
        pytest.param("CAST('inf' AS DOUBLE)", "inf", id="what JSON has no number for"),
    ],
)
def test_values_keep_their_type(tmp_path: Path, expression: str, seen: Any) -> None:
    quoted = expression.replace("'", "''")
    text = rule_text("vvol/typed", observed=f"'{quoted}'", desired=f"'{quoted}'")
    finding = judged(tmp_path, text, pe(load=0.5, booted="2026-11-21 07:55:00+01:00"))
    assert (finding.observed, finding.desired) == (seen, seen)
    assert type(finding.observed) is type(seen)


def test_findings_come_worst_first_and_always_in_the_same_order(tmp_path: Path) -> None:
    rules = rules_from(
        tmp_path,
        rule_text("a/low", severity="low", holds="dsnro > 100"),
        rule_text("b/critical", severity="critical", holds="dsnro > 100"),
        rule_text("c/critical", severity="critical", holds="dsnro > 100"),
    )
    places = [("vc-b", "gold"), ("vc-a", "silver"), ("vc-a", "gold")]
    rows = [
        pe(n, endpoint=endpoint, cluster=cluster, dsnro=dsnro)
        for endpoint, cluster in places
        for n, dsnro in ((2, 1), (1, 1), (3, None), (4, 256))
    ]
    findings = list(evaluate(fleet(rows), rules).findings())
    reported = [(f.verdict, f.severity.rank, f.rule, f.resource.endpoint, f.resource.cluster, f.resource.name) for f in findings]
    order = list(Verdict)
    assert reported == sorted(reported, key=lambda key: (order.index(key[0]), *key[1:]))
    assert [f.verdict for f in findings[:18]] == [Verdict.FAIL] * 18
    assert findings == list(evaluate(fleet(rows[::-1]), rules).findings())


@pytest.mark.long
def test_findings_can_be_asked_for_by_verdict_and_read_while_other_questions_are_asked(tmp_path: Path) -> None:
    evaluation = evaluate(fleet([pe(n, dsnro=32 if n % 2 else 256) for n in range(5000)]), rules_from(tmp_path, SOUND))
    seen = 0
    for finding in evaluation.findings({Verdict.FAIL}):
        assert finding.verdict is Verdict.FAIL
        if seen in (0, 2100):
            evaluation.connection.execute("SELECT 1")
            assert evaluation.summary().fail == 2500
        seen += 1
    assert seen == 2500
    assert list(evaluation.findings(())) == []


@pytest.mark.long
def test_a_large_fleet_is_counted_right(tmp_path: Path) -> None:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE protocol_endpoint AS SELECT 'vc-' || i % 3 AS endpoint, 'r-' || i AS resource_id, 'n-' || i AS resource_name, "
        "'c-' || i % 7 AS cluster, 'h-' || i % 500 AS host, 'h-' || i % 500 AS host_id, 'd-' || i AS device, "
        "CASE WHEN i % 10 = 9 THEN 'ontap' ELSE 'solidfire' END AS family, true AS per_object_qos, "
        "CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN 32 WHEN 2 THEN 32 ELSE 256 END::BIGINT AS dsnro, 256::BIGINT AS queue_depth, "
        "64 AS deepest_disk_queue, NULL::BIGINT AS iops_limit, NULL::TIMESTAMPTZ AS booted, NULL::DOUBLE AS load FROM range(200_000) t(i)"
    )
    seal(connection)
    summary = evaluate(connection, rules_from(tmp_path, SOUND)).summary()
    assert (summary.fail, summary.unknown, summary.not_applicable, summary.passed) == (40_000, 20_000, 20_000, 120_000)
    assert summary.by_severity == {"high": 40_000}
    assert summary.coverage == pytest.approx(160_000 / 180_000)


def test_judging_by_no_rule_is_an_error() -> None:
    with pytest.raises(RuleError, match="no rule to judge by"):
        evaluate(fleet([pe()]), RuleSet({}, VIEWS))


def test_params_hold_where_they_were_set_and_nowhere_else(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, SOUND)
    overrides = [
        Override(HEADROOM, "headroom", 1),
        Override(HEADROOM, "headroom", 2, "vc-east"),
        Override(HEADROOM, "headroom", 3, "vc-east", "gold"),
    ]
    rows = [
        pe(1, endpoint="vc-east", cluster="gold"),
        pe(2, endpoint="vc-east", cluster="silver"),
        pe(3, endpoint="vc-east", cluster=None),
        pe(4, endpoint="vc-west", cluster="gold"),
        pe(5, endpoint=None, cluster="gold"),  # a view that lost a place must not lose the row
    ]
    findings = evaluate(fleet(rows), rules, param_values(overrides, rules)).findings()
    wanted = {(finding.resource.endpoint, finding.resource.cluster): finding.desired for finding in findings}
    in_east: dict[tuple[str | None, str | None], int] = {("vc-east", "gold"): 192, ("vc-east", "silver"): 128, ("vc-east", None): 128}
    assert wanted == {**in_east, ("vc-west", "gold"): 64, (None, "gold"): 64}


def test_a_param_is_bound_and_never_pasted(tmp_path: Path) -> None:
    text = rule_text("local/word", holds="family = $word", params="{word: {default: solidfire, unit: u, why: w}}")
    rules = rules_from(tmp_path, text)
    hostile = "x' OR true OR 'x' = '"
    (finding,) = evaluate(fleet([pe()]), rules, param_values([Override("local/word", "word", hostile)], rules)).findings()
    assert finding.verdict is Verdict.FAIL


def test_verdicts_are_saved_and_read_again_as_they_were(tmp_path: Path) -> None:
    rules = rules_from(tmp_path / "rules", SOUND, rule_text("local/one", severity="low", holds="queue_depth > 1000", by_hand='it\'s "so"'))
    run = tmp_path / "it's a run"
    run.mkdir()
    evaluation = evaluate(fleet([pe(n, dsnro=dsnro) for n, dsnro in enumerate((32, 256, None))], folder=run), rules)
    evaluation.save(run / "findings.parquet")
    again = load_evaluation(run / "findings.parquet")
    assert list(again.findings()) == list(evaluation.findings())
    assert again.summary() == evaluation.summary()
    assert [path.name for path in run.iterdir()] == ["findings.parquet"]


def test_verdicts_cannot_be_saved_where_the_seal_is_closed(tmp_path: Path) -> None:
    evaluation = evaluate(fleet([pe()]), rules_from(tmp_path, SOUND))
    with pytest.raises(SnapshotError, match="cannot write"):
        evaluation.save(tmp_path / "findings.parquet")


@pytest.mark.parametrize("kind", ["absent", "torn", "another file", "a newer format"])
def test_a_file_that_is_no_run_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "findings.parquet"
    if kind == "another file":
        duckdb.connect().execute(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT parquet)")
    elif kind == "a newer format":
        about = json.dumps({"format": 99, "rules": {}})
        duckdb.connect().execute(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT parquet, KV_METADATA {{auditor: '{about}'}})")
    elif kind == "torn":
        evaluation = evaluate(fleet([pe()], folder=tmp_path), rules_from(tmp_path / "rules", SOUND))
        evaluation.save(path)
        path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(SnapshotError):
        load_evaluation(path)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(SELECT count(*) FROM read_text('/etc/hostname')) = dsnro", id="read a file"),
        pytest.param("(SELECT count(*) FROM 'facts.csv') = dsnro", id="read a file by its name"),
        pytest.param("(SELECT count(*) FROM read_csv('http://127.0.0.1:9/x')) = dsnro", id="reach the network"),
        pytest.param("dsnro > 0 FROM protocol_endpoint); COPY protocol_endpoint TO 'out.csv'; SELECT (1", id="write a file"),
        pytest.param("dsnro > 0 FROM protocol_endpoint); INSTALL httpfs; SELECT (1", id="install an extension"),
        pytest.param("dsnro > 0 FROM protocol_endpoint); SET enable_external_access = true; SELECT (1", id="change a setting"),
    ],
)
def test_even_a_rule_that_slipped_through_reaches_nothing_but_the_facts(tmp_path: Path, text: str) -> None:
    rules = rules_from(tmp_path, rule_text("local/one"))
    hostile = replace(rules["local/one"], holds=Expression(text, ("dsnro",), (), "BOOLEAN"))
    with pytest.raises(RuleError, match="fails while judging"):
        evaluate(fleet([pe()]), RuleSet({"local/one": hostile}, VIEWS))


def test_an_empty_view_gives_no_findings(tmp_path: Path) -> None:
    evaluation = evaluate(fleet([]), rules_from(tmp_path, SOUND), ParamValues())
    assert list(evaluation.findings()) == []
    assert evaluation.summary().coverage == 0


@pytest.mark.parametrize(("rows", "judged_rows"), [pytest.param(0, 0, id="no row"), pytest.param(1, 1, id="one row")])
def test_no_statement_is_run_for_a_rule_whose_view_has_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int, judged_rows: int
) -> None:
    monkeypatch.setattr("auditor.engine.evaluate.SMALL_VIEW_ROWS", 1_000)
    statements: list[str] = []

    def recorded(connection: duckdb.DuckDBPyConnection, statement: str, bound: Mapping[str, Any] | None = None) -> Any:
        statements.append(statement)
        return connection.execute(statement, bound)

    monkeypatch.setattr("auditor.engine.evaluate.execute", recorded)
    evaluation = evaluate(fleet([pe(number) for number in range(rows)]), rules_from(tmp_path, SOUND))
    assert len(list(evaluation.findings())) == judged_rows
    assert sum(HEADROOM in statement for statement in statements) == judged_rows
