from pathlib import Path
from typing import Any

import pytest

from auditor.engine.params import param_values
from auditor.errors import ConfigurationError
from tests.engine.bench import HEADROOM, SOUND, Override, rule_text, rules_from

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
