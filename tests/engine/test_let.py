"""A named expression of a rule stands in parentheses wherever it is named, and is refused where nobody could tell what it means."""

from pathlib import Path

import pytest

from auditor.authoring.examples import check_examples
from auditor.engine.evaluate import evaluate
from auditor.engine.rules.let import MOST_CHARACTERS, lets_put_in, put_in
from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.params import ParamValues
from auditor.engine.rules.rule import Rule
from auditor.engine.sandbox import sandbox
from auditor.engine.verdict_sql import verdict_sql
from auditor.errors import RuleError
from auditor.report.html.rule_pages import page
from tests.engine.bench import HEADROOM, REMEDIATORS, SOUND, VIEWS, changed, rules_from, write_rule

NAMED = changed(
    SOUND,
    ("applies:", "let:\n  wanted: $headroom * deepest_disk_queue\n  queue: least(dsnro, queue_depth)\n  fits: QUEUE >= wanted\napplies:"),
    ("holds: least(dsnro, queue_depth) >= $headroom * deepest_disk_queue", "holds: fits"),
    ("observed: least(dsnro, queue_depth)", "observed: queue"),
    ("desired: $headroom * deepest_disk_queue", "desired: wanted"),
    ("class:", "when: NOT fits AND queue_depth > dsnro\n  class:"),
)


def both(folder: Path) -> tuple[Rule, Rule]:
    """A rule as it would be without names, and with them."""
    plain = changed(
        SOUND, ("class:", "when: NOT (least(dsnro, queue_depth) >= $headroom * deepest_disk_queue) AND queue_depth > dsnro\n  class:")
    )
    return rules_from(folder / "plain", plain)[HEADROOM], rules_from(folder / "named", NAMED)[HEADROOM]


def test_names_change_nothing_of_what_a_rule_judges_reads_or_writes(tmp_path: Path) -> None:
    plain, with_names = both(tmp_path)
    assert with_names.columns == plain.columns
    assert [one.columns for one in with_names.expressions] == [one.columns for one in plain.expressions]
    assert [(one.type, one.params) for one in with_names.expressions] == [(one.type, one.params) for one in plain.expressions]
    shown = [f"CAST({number} AS BIGINT)" for number in ("NULL", "32", "256")]
    rows = " UNION ALL ".join(
        f"SELECT 'solidfire' AS family, true AS per_object_qos, {a} AS dsnro, {b} AS queue_depth, {c} AS deepest_disk_queue"
        for a in shown
        for b in shown
        for c in shown
    )
    with sandbox() as connection:
        select = ", ".join(
            f"{verdict_sql(rule)}, ({rule.desired.text}), ({rule.fix.value.text}), ({rule.fix.when.text})"
            for rule in (plain, with_names)
            if rule.fix is not None and rule.fix.when is not None
        )
        found = connection.execute(f"SELECT {select} FROM ({rows})", {"headroom": 4}).fetchall()
    assert [row[:4] for row in found] == [row[4:] for row in found]
    assert {row[0] for row in found} == {"pass", "fail", "unknown"}


def test_the_examples_of_a_rule_with_names_are_judged_and_fixed(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, NAMED)
    assert [one.detail for one in check_examples(rules, rules) if not one.ok] == []


def test_people_read_the_names_and_what_they_stand_for(tmp_path: Path) -> None:
    rule = rules_from(tmp_path, NAMED)[HEADROOM]
    assert (rule.holds.shown, rule.holds.text) == ("fits", "((least(dsnro, queue_depth)) >= ($headroom * deepest_disk_queue))")
    assert "- `wanted` stands for `$headroom * deepest_disk_queue`" in page(rule)
    assert "- Holds where `fits`" in page(rule)


def test_a_message_says_the_value_of_a_name(tmp_path: Path) -> None:
    text = changed(NAMED, ("fix:", 'message: "{resource_name}: {queue} of {wanted:commands}, {fits:enough|too few}"\nfix:'))
    rules = rules_from(tmp_path, text)
    message = rules[HEADROOM].message
    assert message is not None
    assert message.columns == ("dsnro", "queue_depth", "deepest_disk_queue")
    columns = {"endpoint": "'vc'", "resource_id": "'x'", "resource_name": "'pe'", "host": "'h'", "cluster": "NULL", "family": "'solidfire'"}
    columns |= {
        "per_object_qos": "true",
        "dsnro": "32",
        "queue_depth": "256",
        "deepest_disk_queue": "64",
        "device": "'d'",
        "host_id": "'h'",
    }
    with sandbox() as connection:
        listed = ", ".join(f"CAST({columns.get(name, 'NULL')} AS {kind}) AS {name}" for name, kind in VIEWS["protocol_endpoint"].items())
        connection.execute(f"CREATE TEMP TABLE protocol_endpoint AS SELECT {listed}")
        evaluation = evaluate(connection, rules, ParamValues())
        (finding,) = evaluation.findings()
    assert finding.message == "pe: 32 of 256 commands, too few"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param(
            "  fits: QUEUE >= wanted", "  fits: QUEUE >= wanted\n  spare: queue - wanted", 'no expression names "spare"', id="unused"
        ),
        pytest.param("  queue: least(dsnro,", "  queue: least(dsnr,", "'let.queue' names column \"dsnr\"", id="a mistake in it"),
        pytest.param("  queue: least(dsnro,", "  queue: 1) + least(dsnro,", "'let.queue' does not parse", id="parentheses that close ours"),
        pytest.param("  queue: least(dsnro,", "  queue: sum(dsnro) + least(dsnro,", "'let.queue' holds an aggregate", id="an aggregate"),
        pytest.param("holds: fits", "holds: fit", "'holds' names column \"fit\"", id="a name that is not there"),
    ],
)
def test_a_mistake_in_a_name_is_told_once_with_its_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    text = changed(NAMED, (old, new))
    path = write_rule(tmp_path, text)
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path], VIEWS, REMEDIATORS)
    (mistake,) = caught.value.what.split("\n")
    line = 1 + text[: text.index(new) + len(new)].count("\n")
    assert mistake.startswith(f"{path}:{line}: "), mistake
    assert words in mistake


def test_each_name_of_a_circle_is_a_mistake_and_what_names_it_is_none(tmp_path: Path) -> None:
    path = write_rule(tmp_path, changed(NAMED, ("QUEUE >= wanted", "more\n  more: fits")))
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path], VIEWS, REMEDIATORS)
    assert [line.strip().removeprefix(str(path)) for line in caught.value.what.split("\n")] == [
        ':14: "fits" is named by itself: fits -> more -> fits',
        ':15: "more" is named by itself: fits -> more -> fits',
    ]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        pytest.param("dsnro", "view protocol_endpoint has a column of that name", id="a column"),
        pytest.param("headroom", "a param has that name", id="a param"),
        pytest.param("interval", "it is a word of SQL", id="a keyword"),
        pytest.param("bigint", "it is a word of SQL", id="a type"),
        pytest.param("observed", "a message names the observed and the desired value so", id="a value of the message"),
        pytest.param("Queue", "lower-case letters, digits and _, and not auditor_...", id="not in lower case"),
        pytest.param("auditor_at", "lower-case letters, digits and _, and not auditor_...", id="a name of the engine"),
    ],
)
def test_a_name_that_means_something_already_is_refused(tmp_path: Path, name: str, why: str) -> None:
    renamed = changed(NAMED, ("  queue:", f"  {name}:"), ("QUEUE", name), ("observed: queue", f"observed: {name}"))
    path = write_rule(tmp_path, renamed)
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path], VIEWS, REMEDIATORS)
    first = caught.value.what.split("\n")[0]
    assert first == f'{path}:13: "{name}" cannot be a name under let: {why}'


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        pytest.param("a + A", "(x) + (x)", id="in upper and lower case"),
        pytest.param("'a' || a || 'it''s a'", "'a' || (x) || 'it''s a'", id="not in a text"),
        pytest.param("a(a) + a (1)", "a((x)) + a (1)", id="not where it is called"),
        pytest.param("$a + t.a + a.b + ba + a1 + 1e5", "$a + t.a + a.b + ba + a1 + 1e5", id="not a param, beside a dot, or in a word"),
        pytest.param('"a" + a', '"a" + (x)', id="not in quotes"),
        pytest.param("a /* a */ + a -- a", "(x) /* a */ + (x) -- a", id="not in a comment"),
        pytest.param("$$a$$ || a", "$$a$$ || (x)", id="not between dollars"),
    ],
)
def test_a_name_is_put_in_where_it_is_a_word_of_its_own(text: str, whole: str) -> None:
    assert put_in(text, {"a": "x"}) == whole


def test_a_comment_in_a_named_expression_ends_with_it() -> None:
    assert put_in("a + 1", {"a": "x -- why"}) == "(x -- why\n) + 1"


def test_names_that_double_with_each_step_are_refused() -> None:
    texts = {"n0": "dsnro"} | {f"n{number}": f"n{number - 1} + n{number - 1}" for number in range(1, 40)}
    whole, wrong = lets_put_in(texts)
    assert max(map(len, whole.values())) <= MOST_CHARACTERS
    first = next(name for name in texts if name in wrong)
    assert "grows to more than 20,000 characters" in wrong[first]
    assert {wrong[name] for name in texts if name in wrong} - {wrong[first]} == {
        f"names n{number}, which has a mistake" for number in range(int(first[1:]), 39)
    }


@pytest.mark.long
def test_a_long_chain_of_names_in_any_order_is_put_together() -> None:
    texts = {f"n{number}": f"n{number + 1} + 1" for number in range(1_050)} | {"n1050": "0"}  # more than Python calls within one another
    whole, wrong = lets_put_in(texts)
    assert not wrong
    assert whole["n1049"] == "(0) + 1"
