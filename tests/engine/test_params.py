from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.engine.rules.params import RESERVED, ParamValues, Place, Scope, bindings, bindings_of, param_values, scopes, values_at
from auditor.engine.rules.rule import Expression, Param
from auditor.errors import ConfigurationError
from tests.engine.bench import HEADROOM, SOUND, Override, bare_rule, rule_text, rules_from

EVERY_KIND = rule_text(
    "local/kinds",
    holds="dsnro > $whole AND load > $number AND per_object_qos = $truth AND family = $word AND family IN $words",
    params="{whole: {default: 1, unit: u, why: w}, number: {default: 1.0, unit: u, why: w}, truth: {default: true, unit: u, why: w}, "
    "word: {default: a, unit: u, why: w}, words: {default: [a, b], unit: u, why: w}}",
)


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        pytest.param("whole", 7, 7, id="a whole number"),
        pytest.param("number", 2, 2.0, id="a whole number where a fraction may stand"),
        pytest.param("truth", False, False, id="truth"),
        pytest.param("word", "b", "b", id="text"),
        pytest.param("words", ["c"], ("c",), id="a list"),
    ],
)
def test_a_value_of_the_defaults_kind_is_taken(tmp_path: Path, name: str, value: Any, kept: Any) -> None:
    values = param_values([Override("local/kinds", name, value)], rules_from(tmp_path, EVERY_KIND))
    assert values.overrides == {"local/kinds": {(None, None): {name: kept}}}
    assert type(values.overrides["local/kinds"][None, None][name]) is type(kept)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        pytest.param("whole", "7", "must be a whole number", id="text for a number"),
        pytest.param("whole", 7.5, "must be a whole number", id="a fraction for a whole number"),
        pytest.param("whole", True, "must be a whole number", id="truth for a number"),
        pytest.param("whole", 2**63, "must be a whole number", id="more than 64 bits hold"),
        pytest.param("number", float("nan"), "must be a number", id="not a number"),
        pytest.param("number", True, "must be a number", id="truth for a fraction"),
        pytest.param("truth", 1, "must be true or false", id="a number for truth"),
        pytest.param("truth", "yes", "must be true or false", id="a word for truth"),
        pytest.param("word", 1, "must be text", id="a number for text"),
        pytest.param("word", None, "must be text", id="nothing for text"),
        pytest.param("words", [1], "must be a list", id="numbers for words"),
        pytest.param("words", [], "must be a list", id="an empty list"),
        pytest.param("words", "a", "must be a list", id="a word for a list"),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_line(tmp_path: Path, name: str, value: Any, words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        param_values([Override("local/kinds", name, value)], rules_from(tmp_path, EVERY_KIND))
    assert caught.value.what.startswith(f'fleet.yaml:7: "{name}" of local/kinds {words}')


BOUNDED = rule_text(
    "local/kinds",
    holds="dsnro > $whole AND family = $word AND family IN $words AND device <> $anything",
    params="{whole: {default: 9, unit: u, why: w, bounds: {least: 8, most: 256, source: facts}}, "
    "word: {default: a|b, unit: u, why: w, bounds: {choices: [a, b, c], source: facts}}, "
    "words: {default: [ontap], unit: u, why: w, bounds: {choices: [families, mine], source: facts}}, "
    "anything: {default: x, unit: u, why: w, bounds: {open: names}}}",
)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        pytest.param("whole", 8, "", id="the smallest"),
        pytest.param("whole", 256, "", id="the largest"),
        pytest.param("whole", 7, "is 7, and may be 8 to 256 (facts)", id="too small"),
        pytest.param("whole", 257, "is 257, and may be 8 to 256 (facts)", id="too large"),
        pytest.param("word", "c|a", "", id="words"),
        pytest.param("word", "", "", id="no word"),
        pytest.param("word", "a|d", "is 'd', and may be one of a, b, c (facts)", id="another word among them"),
        pytest.param("words", ["solidfire", "other", "mine"], "", id="families"),
        pytest.param("words", "solidfire|mine", "", id="families as text"),
        pytest.param("words", "solidfire|solidfir", "is 'solidfir', and may be one of mine, 3par,", id="no family in a text"),
        pytest.param("words", ["solidfir"], "is 'solidfir', and may be one of mine, 3par,", id="no family"),
        pytest.param("anything", "goes", "", id="nothing bounds it"),
    ],
)
def test_a_value_out_of_its_bounds_is_refused_with_line_range_and_source(tmp_path: Path, name: str, value: Any, words: str) -> None:
    rules = rules_from(tmp_path, BOUNDED)
    if not words:
        assert param_values([Override("local/kinds", name, value)], rules).overrides
        return
    with pytest.raises(ConfigurationError) as caught:
        param_values([Override("local/kinds", name, value)], rules)
    assert caught.value.what.startswith(f'fleet.yaml:7: "{name}" of local/kinds {words}')


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        pytest.param("solidfire|ontap", ("solidfire", "ontap"), id="as it was written before it was a list"),
        pytest.param("solidfire", ("solidfire",), id="one word"),
        pytest.param("", ("",), id="no word: no family is called so"),
        pytest.param(["solidfire|ontap", "mine"], ("solidfire", "ontap", "mine"), id="in a list"),
    ],
)
def test_a_list_of_words_may_be_a_text(tmp_path: Path, value: Any, kept: tuple[str, ...]) -> None:
    values = param_values([Override("local/kinds", "words", value)], rules_from(tmp_path, BOUNDED))
    assert values.overrides["local/kinds"][None, None] == {"words": kept}


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        pytest.param([Override("vvol/pe-dsnro-hedroom", "headroom", 1)], f'did you mean "{HEADROOM}"?', id="unknown rule"),
        pytest.param([Override(HEADROOM, "hedroom", 1)], 'has no param "hedroom"; did you mean "headroom"?', id="unknown param"),
        pytest.param([Override(HEADROOM, "headroom", 1), Override(HEADROOM, "headroom", 2)], "is set here a second time", id="set twice"),
        pytest.param([Override(HEADROOM, "headroom", 1, None, "gold")], "without its endpoint", id="a cluster of no endpoint"),
    ],
)
def test_an_override_that_reaches_nothing_is_refused(tmp_path: Path, overrides: list[Override], words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        param_values(overrides, rules_from(tmp_path, SOUND))
    assert words in caught.value.what


def test_an_override_of_a_rule_that_was_left_out_is_no_mistake(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, SOUND, rule_text("local/one")).only(["local/one"])
    assert param_values([Override(HEADROOM, "headroom", 1)], rules).overrides == {}


def everywhere(*overrides: Override) -> ParamValues:
    """What a fleet overrides, by place, without the check of its kinds."""
    result: dict[str, dict[Place, dict[str, Any]]] = {}
    for one in overrides:
        result.setdefault(one.rule, {}).setdefault((one.endpoint, one.cluster), {})[one.name] = one.value
    return ParamValues(result)


OVERRIDDEN = everywhere(
    Override("local/kinds", "whole", 10),
    Override("local/kinds", "whole", 20, "vc-a"),
    Override("local/kinds", "word", "c", "vc-a"),
    Override("local/kinds", "whole", 30, "vc-a", "gold"),
    Override("local/kinds", "number", 4.0, "vc-b", "gold"),
    Override("local/other", "whole", 99, "vc-c"),
)
USUAL: dict[str, Any] = {"whole": 10, "number": 1.0, "truth": True, "word": "a", "words": ("a", "b")}
DEFAULTS = {name: Param(value, "u", "w") for name, value in {**USUAL, "whole": 1}.items()}
BY_PLACE: dict[Place, dict[str, Any]] = {
    ("vc-a", None): USUAL | {"whole": 20, "word": "c"},
    ("vc-a", "silver"): USUAL | {"whole": 20, "word": "c"},
    ("vc-a", "gold"): USUAL | {"whole": 30, "word": "c"},
    ("vc-b", "gold"): USUAL | {"number": 4.0},
    ("vc-b", "silver"): USUAL,
    ("vc-b", None): USUAL,
    ("vc-c", "gold"): USUAL,
    (None, "gold"): USUAL,
    (None, None): USUAL,
}


def test_each_row_is_in_one_scope_and_has_the_values_of_its_narrowest_place() -> None:
    rule = bare_rule("local/kinds", params=DEFAULTS)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE row_of (endpoint VARCHAR, cluster VARCHAR)")
    connection.executemany("INSERT INTO row_of VALUES (?, ?)", [list(place) for place in BY_PLACE])
    found = [
        (place, dict(scope.values))
        for scope in scopes(rule, OVERRIDDEN)
        for place in connection.execute(f"SELECT * FROM row_of WHERE {scope.condition}", scope.bound).fetchall()
    ]
    assert len(found) == len(BY_PLACE)
    assert dict(found) == BY_PLACE
    assert {place: values_at(rule, OVERRIDDEN, place) for place in BY_PLACE} == BY_PLACE
    assert all(name.startswith(RESERVED) for scope in scopes(rule, OVERRIDDEN) for name in scope.bound)


def test_a_rule_that_nobody_overrides_has_one_scope_of_everything() -> None:
    rule = bare_rule("local/kinds", params=DEFAULTS)
    assert scopes(rule, ParamValues()) == [Scope("true", {}, USUAL | {"whole": 1})]


def test_a_statement_binds_lists_and_only_what_its_expressions_name() -> None:
    expressions = [Expression("$words", (), ("words",), "VARCHAR[]"), Expression("$whole", (), ("whole",), "BIGINT")]
    assert bindings_of(expressions, USUAL) == {"words": ["a", "b"], "whole": 10}
    assert bindings(USUAL) == USUAL | {"words": ["a", "b"]}
