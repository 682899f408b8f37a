"""Which fixes would make another rule over the same view fail, and are not proposed."""

from pathlib import Path
from typing import Any

import pytest

from auditor.engine.evaluate import evaluate
from auditor.engine.rules.params import param_values
from auditor.errors import RuleError
from auditor.model import Finding, Outcome, Verdict
from tests.engine.bench import Override, fleet, pe, rule_text, rules_from

FIX = "remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro, class: online, set: '256'"
RAISE = rule_text("local/raise", holds="dsnro >= 256", fix=f"{{{FIX}}}")


def broken_by(folder: Path, *texts: str, override: Override | None = None, **columns: Any) -> str | None:
    """The rule that raising DSNRO from 32 to 256 would break."""
    rules = rules_from(folder, *texts)
    params = param_values([override] if override else [], rules)
    rows = [pe(1, dsnro=32, **columns), pe(2, dsnro=32, queue_depth=999, cluster="silver"), pe(3, dsnro=256)]
    found: list[Finding] = [one for one in evaluate(fleet(rows), rules, params).findings() if one.rule == "local/raise"]
    [mine] = [one for one in found if one.resource.name.endswith("1")]
    assert mine.fix is not None
    others = {one.resource.name[-1]: one.fix.why for one in found if one is not mine and one.fix is not None}
    assert set(others) == {"2"}
    return mine.fix.why if mine.fix.outcome is Outcome.BY_HAND else None


HARM = "the fix would make another rule fail that wants dsnro as it is"


@pytest.mark.parametrize(
    ("texts", "columns", "is_harmful"),
    [
        pytest.param([rule_text("local/low", holds="dsnro <= 64")], {}, True, id="a rule that passes now"),
        pytest.param([rule_text("local/low", holds="dsnro <= 512")], {}, False, id="one that passes then as well"),
        pytest.param([rule_text("local/low", holds="dsnro <= 16")], {}, False, id="one that fails now"),
        pytest.param([rule_text("local/low", holds="queue_depth >= 999")], {}, False, id="one that does not look at it"),
        pytest.param([rule_text("local/low", over="option", holds="value = 'x'")], {}, False, id="one over another view"),
        pytest.param(
            [
                rule_text("local/raise", holds="dsnro >= 256", fix=f"{{{FIX}, foretold: {{host_id: upper(host_id)}}}}"),
                rule_text("local/low", over="option", holds="value = 'x' AND host_id <> 'x'"),
            ],
            {},
            False,
            id="one over another view that has a column of the same name",
        ),
        pytest.param([rule_text("local/low", holds="dsnro <= 64", applies="family = 'other'")], {}, False, id="one that does not apply"),
        pytest.param([rule_text("local/low", holds="dsnro <= 64 AND load < 1")], {"load": None}, False, id="one that is not known to pass"),
        pytest.param(
            [rule_text("local/a", holds="queue_depth > 1"), rule_text("local/low", holds="dsnro <= queue_depth")],
            {"queue_depth": 64},
            True,
            id="one of two, by another column of the row",
        ),
        pytest.param(
            [rule_text("local/low", holds="dsnro <= $most", params="{most: {default: 64, unit: commands, why: policy}}")],
            {},
            True,
            id="one with a param",
        ),
        pytest.param(
            [rule_text("local/low", holds="dsnro <= 64", desired="$most", params="{most: {default: 64, unit: commands, why: policy}}")],
            {},
            True,
            id="one with a param in what it shows alone",
        ),
    ],
)
def test_a_fix_that_would_break_a_rule_is_not_proposed(tmp_path: Path, texts: list[str], columns: dict[str, Any], is_harmful: bool) -> None:
    rules = texts if "id: local/raise\n" in texts[0] else [RAISE, *texts]
    assert broken_by(tmp_path, *rules, **columns) == (HARM if is_harmful else None)


@pytest.mark.parametrize(
    ("cluster", "is_harmful"), [pytest.param("gold", False, id="of its cluster"), pytest.param("silver", True, id="of another")]
)
def test_the_other_rule_goes_by_the_values_of_the_fleet(tmp_path: Path, cluster: str, is_harmful: bool) -> None:
    low = rule_text("local/low", holds="dsnro <= $most", params="{most: {default: 64, unit: commands, why: policy}}")
    override = Override("local/low", "most", 300, "vc-east", cluster)
    assert broken_by(tmp_path, RAISE, low, override=override) == (HARM if is_harmful else None)


def test_what_is_set_may_be_a_param(tmp_path: Path) -> None:
    params = "{wanted: {default: 256, unit: commands, why: policy}}"
    raising = rule_text("local/raise", holds="dsnro >= $wanted", fix="{" + FIX.replace("'256'", "$wanted") + "}", params=params)
    assert broken_by(tmp_path, raising, rule_text("local/low", holds="dsnro <= 64")) == HARM


def test_what_is_foretold_is_weighed_as_well(tmp_path: Path) -> None:
    raising = rule_text("local/raise", holds="dsnro >= 256", fix=f"{{{FIX}, foretold: {{queue_depth: '1024'}}}}")
    assert broken_by(tmp_path, raising, rule_text("local/queue", holds="queue_depth <= 999")) == HARM


def test_the_first_rule_that_would_break_is_named(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, RAISE, rule_text("local/low", holds="dsnro <= 64"), rule_text("local/lower", holds="dsnro <= 40"))
    evaluation = evaluate(fleet([pe(1)]), rules)
    breaks = {row["rule"]: row["breaks"] for row in evaluation.rows({Verdict.PASS, Verdict.FAIL})}
    assert breaks == {"local/low": None, "local/lower": None, "local/raise": "local/low"}


def test_a_rule_that_cannot_be_computed_on_what_the_fix_leaves_ends_the_judging(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, RAISE, rule_text("local/odd", holds="dsnro // (dsnro - 256) <= 0"))
    connection = fleet([pe(1)])
    with pytest.raises(RuleError, match="local/odd"):
        evaluate(connection, rules)
    left = connection.execute("SELECT database_name FROM duckdb_databases() WHERE database_name LIKE 'verdicts%'").fetchall()
    assert left == []
