"""A failure says what is wrong, with the row's own values and their units."""

from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.message import Shown, read_message
from auditor.engine.rules.message_sql import message_sql
from auditor.engine.rules.params import param_values
from auditor.engine.rules.rule import Param, Rule
from auditor.errors import RuleError
from auditor.model import Verdict
from tests.engine.bench import (
    HEADROOM,
    REMEDIATORS,
    SOUND,
    VIEWS,
    Override,
    bare_rule,
    changed,
    fleet,
    pe,
    rule_text,
    rules_from,
    write_rule,
)

VIEW = {
    "resource_name": "VARCHAR",
    "whole": "BIGINT",
    "number": "DOUBLE",
    "word": "VARCHAR",
    "truth": "BOOLEAN",
    "at": "TIMESTAMP WITH TIME ZONE",
    "size_bytes": "BIGINT",
    "current_latency_us": "DOUBLE",
    "max_iops": "BIGINT",
}
PARAMS = {"limit": Param(70, "percent", "policy"), "words": Param(("a", "b"), "words", "policy")}
MESSAGE = (
    '"{resource_name} on {host}: {observed:commands} of {deepest_disk_queue}, wanted {desired}, '
    '{$headroom} disks, {per_object_qos:capped|not capped}"'
)
WITH_MESSAGE = changed(SOUND, ("fix:\n", f"message: {MESSAGE}\nfix:\n"))


@cache
def database() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


def rendered(template: str, **cells: str) -> str:
    """The message over one row; cells are SQL, the others are NULL."""
    rule = bare_rule("a/one", params=PARAMS)
    message = read_message(template, Shown(VIEW, PARAMS, rule.observed, rule.desired))
    row = ", ".join(f"CAST({cells.get(name, 'NULL')} AS {kind}) AS {name}" for name, kind in VIEW.items())
    bound = {
        name: list(value) if isinstance(value := PARAMS[name].default, tuple) else value for name in PARAMS if f"{{${name}" in template
    }
    found: tuple[Any] | None = database().execute(f"SELECT {message_sql(rule, message, VIEW)} FROM (SELECT {row})", bound).fetchone()
    assert found is not None
    return str(found[0])


@pytest.mark.parametrize(
    ("template", "cells", "expected"),
    [
        pytest.param("{number:ms}", {"number": "12.3456"}, "12.35 ms", id="four digits"),
        pytest.param("{number:%}", {"number": "69.96"}, "69.96 %", id="not rounded up to a limit of 70"),
        pytest.param("{number:%}", {"number": "80.0"}, "80 %", id="no decimals that say nothing"),
        pytest.param("{number:ms}", {"number": "4567.8"}, "4568 ms", id="thousands are whole"),
        pytest.param("{number:share}", {"number": "0.623"}, "62.3 %", id="a share of one is in percent"),
        pytest.param("{number}", {"number": "-1234.4"}, "-1234", id="a negative number"),
        pytest.param("{number}", {"number": "'inf'"}, "not read", id="no number at all"),
        pytest.param("{whole:IOPS}", {"whole": "1234567"}, "1,234,567 IOPS", id="a large number in thousands"),
        pytest.param("{whole}", {"whole": "9000"}, "9000", id="an MTU is no large number"),
        pytest.param("{whole}", {"whole": "-9223372036854775808"}, "-9,223,372,036,854,775,808", id="the smallest number"),
        pytest.param("{whole:paths}, {max_iops:commands a disk}", {"whole": "1", "max_iops": "1"}, "1 path, 1 command a disk", id="one"),
        pytest.param("{whole:paths}", {"whole": "0"}, "0 paths", id="none of them is many"),
        pytest.param("{whole:ms}", {"whole": "1"}, "1 ms", id="a unit that is no plural"),
        pytest.param("{whole:paths}", {}, "not read", id="NULL is not read, and has no unit"),
        pytest.param("limit {max_iops:IOPS|unlimited}", {}, "limit unlimited", id="no limit is unlimited"),
        pytest.param("{max_iops}", {"max_iops": "500"}, "500 IOPS", id="the unit that the column's name says"),
        pytest.param("{current_latency_us}", {"current_latency_us": "2500"}, "2.5 ms", id="microseconds are shown as milliseconds"),
        pytest.param("{size_bytes}", {"size_bytes": "65536"}, "64 KiB", id="bytes in a unit that fits"),
        pytest.param("{size_bytes:bytes/s}", {"size_bytes": "65536"}, "64 KiB/s", id="bytes a second"),
        pytest.param("{word}", {"word": "'it''s'"}, "it's", id="a text"),
        pytest.param("{word}", {"word": "''"}, "none", id="a text that is empty"),
        pytest.param("{word:ms}", {"word": "'30'"}, "30 ms", id="a number as text with its unit"),
        pytest.param("{truth:on|off}", {"truth": "false"}, "off", id="a truth in words"),
        pytest.param("{truth:on|off}", {}, "not read", id="a truth that was not read"),
        pytest.param("{truth:on|off|either}", {}, "either", id="a truth with a word of its own for NULL"),
        pytest.param("{at}", {"at": "'2026-01-02 03:04:05+00'"}, "2026-01-02 03:04 UTC", id="a moment"),
        pytest.param("limit {$limit:%}, {$words}", {}, "limit 70 %, a, b", id="params"),
        pytest.param("a 'b'\n  c {$limit}", {}, "a 'b' c 70", id="quotes, and one line"),
    ],
)
def test_a_value_is_written_as_a_person_reads_it(template: str, cells: dict[str, str], expected: str) -> None:
    assert rendered(template, **cells) == expected


@pytest.mark.parametrize(
    ("message", "mistake"),
    [
        pytest.param("{dsnr} is short", 'names "dsnr", which is no column of the view and no param; did you mean "dsnro"?', id="a column"),
        pytest.param(
            "{$headrom}", 'names "$headrom", which is no column of the view and no param; did you mean "$headroom"?', id="a param"
        ),
        pytest.param("{per_object_qos}", 'names "per_object_qos", which is true or false', id="a truth without words"),
        pytest.param("{dsnro:a|b|c}", 'has more than a unit and a word for NULL behind "dsnro"', id="too many words"),
        pytest.param("{dsnro is short", "has a brace without its other half", id="half a brace"),
        pytest.param("dsnro} is short", "has a brace without its other half", id="the other half of a brace"),
        pytest.param("it is short", "names no value of the row", id="no value"),
    ],
)
def test_a_mistake_in_a_message_is_refused_with_its_line(tmp_path: Path, message: str, mistake: str) -> None:
    path = write_rule(tmp_path, changed(WITH_MESSAGE, (MESSAGE, f'"{message}"')))
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path], VIEWS, REMEDIATORS)
    assert f"{path}:15: 'message' {mistake}" in caught.value.what


def test_what_is_observed_has_the_unit_of_its_column_and_its_own_type(tmp_path: Path) -> None:
    values = {"observed": "iops_limit", "desired": "per_object_qos", "holds": "iops_limit < 0"}
    text = rule_text("a/one", **values, message='"{resource_name}: {observed}, {desired:yes|no}"')
    [finding] = evaluate(fleet([pe(iops_limit=500)]), rules_from(tmp_path, text)).findings()
    assert finding.message == "naa.6f47acc200000001: 500 IOPS, yes"
    write_rule(tmp_path, rule_text("a/one", **values, message='"{resource_name}: {observed}, {desired}"'))
    with pytest.raises(RuleError, match="'message' names \"desired\", which is true or false"):
        load_rules([tmp_path], VIEWS, REMEDIATORS)


def test_a_column_and_a_param_of_one_name_are_two_things(tmp_path: Path) -> None:
    text = changed(WITH_MESSAGE, ("{$headroom} disks", "{load} and {$load}"), ("headroom: {", "load: {"), ("$headroom", "$load"))
    [finding] = evaluate(fleet([pe(load=0.25)]), rules_from(tmp_path, text)).findings()
    assert ", 0.25 and 4, " in finding.message


def test_what_a_message_names_is_evidence_and_a_param_that_only_a_message_names_judges_nothing(tmp_path: Path) -> None:
    text = changed(WITH_MESSAGE, ("{$headroom} disks", "{iops_limit}"))
    rule: Rule = rules_from(tmp_path, text)[HEADROOM]
    assert rule.columns[-1] == "iops_limit"
    spare = changed(WITH_MESSAGE, ("params:\n", "params:\n  spare: {default: 1, unit: u, why: w}\n"), ("{$headroom} disks", "{$spare}"))
    with pytest.raises(RuleError, match=r"no expression names \$spare"):
        rules_from(tmp_path, spare)


def test_a_failure_has_its_message_with_the_values_that_hold_where_it_is(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, WITH_MESSAGE)
    rows = [pe(1), pe(2, endpoint="vc-west"), pe(3, dsnro=256), pe(4, dsnro=None)]
    params = param_values([Override(HEADROOM, "headroom", 8, "vc-west")], rules)
    evaluation = evaluate(fleet(rows, folder=tmp_path), rules, params)
    for kept in (evaluation, evaluation.save(tmp_path / "verdicts.parquet")):
        assert {finding.resource.name[-1]: (finding.verdict, finding.message) for finding in kept.findings()} == {
            "1": (Verdict.FAIL, "naa.6f47acc200000001 on esx-01: 32 commands of 64, wanted 256, 4 disks, capped"),
            "2": (Verdict.FAIL, "naa.6f47acc200000002 on esx-01: 32 commands of 64, wanted 512, 8 disks, capped"),
            "3": (Verdict.PASS, ""),
            "4": (Verdict.UNKNOWN, ""),
        }


def test_what_is_observed_is_not_read_in_a_message_where_it_is_not_in_the_finding(tmp_path: Path) -> None:
    # least(NULL, 256) is 256 in DuckDB: the message must not show it as if it had been read.
    text = changed(WITH_MESSAGE, ("holds: least(dsnro, queue_depth) >= $headroom * deepest", "holds: queue_depth >= $headroom * deepest"))
    evaluation = evaluate(fleet([pe(1, dsnro=None, queue_depth=1)]), rules_from(tmp_path, text))
    [finding] = evaluation.findings()
    assert (finding.verdict, finding.observed) == (Verdict.FAIL, None)
    assert "esx-01: not read of 64" in finding.message
