"""Rules about declared settings are judged where something is declared, and nothing is read for them elsewhere."""

from collections.abc import Collection
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.fleet.settings_file import ALL_DECLARED, KINDS
from auditor.history.drift import _SETTINGS
from auditor.pipeline.policy import declared_rules, load_rule_set
from tests.facts.fleets import hosts, snapshot

DECLARED = {
    "option": {"declared/option", "declared/option-reboot"},
    "parameter": {"declared/module-parameter"},
    "claim_rule": {"declared/claim-rule"},
    "volume_limit": {"declared/volume-limit"},
}


def test_every_rule_of_declared_settings_goes_by_one_of_their_views() -> None:
    rules = load_rule_set(tags=["declared"])
    assert {rule.over for rule in rules} == {*KINDS.values(), ALL_DECLARED}
    assert {rule.over for rule in load_rule_set() if "declared" not in rule.tags}.isdisjoint({*KINDS.values(), ALL_DECLARED})


@pytest.mark.parametrize("kinds", [(), ("option",), ("volume_limit", "claim_rule"), tuple(DECLARED)])
def test_rules_of_what_is_not_declared_are_left_out(kinds: Collection[str]) -> None:
    whole = load_rule_set()
    kept = {rule.id for rule in declared_rules(whole, kinds) if "declared" in rule.tags}
    assert kept == {"declared/one-value" for _ in kinds} | {rule for kind in kinds for rule in DECLARED[kind]}
    assert {rule.id for rule in whole if "declared" not in rule.tags} <= set(declared_rules(whole, kinds).rules)


@pytest.mark.parametrize(
    ("rules", "kinds", "named"),
    [
        pytest.param({"tags": ["declared"]}, (), {"declared"}, id="nothing is declared"),
        pytest.param({"only": ["declared/option"]}, ("parameter",), {"declared/option"}, id="nothing of that kind is"),
    ],
)
def test_a_rule_that_is_asked_for_and_has_nothing_to_compare_with_is_an_error(
    rules: dict[str, list[str]], kinds: Collection[str], named: set[str]
) -> None:
    with pytest.raises(ConfigurationError, match=r"settings\.yaml declares nothing that declared/"):
        declared_rules(load_rule_set(**rules), kinds, named=named)  # type: ignore[arg-type]


@pytest.mark.long
def test_what_is_declared_is_the_same_wherever_it_stands_in_the_file(tmp_path: Path) -> None:
    def declaring(name: str, **more: object) -> tuple[object, ...] | None:
        row = {"kind": "option", "thing": "", "setting": "A.B", "value": "1", "rank": 0, "place": "settings.yaml:1", **more}
        taken = snapshot(hosts(1) | ({"declared_setting": [row]} if name != "none" else {}))
        taken.save(tmp_path / name)
        assert _SETTINGS.then(tmp_path / name) == _SETTINGS.now(taken.connection)
        return _SETTINGS.then(tmp_path / name)

    first = declaring("first")
    assert first is not None
    assert declaring("moved", place="settings.yaml:9") == first
    assert declaring("changed", value="2") != first
    assert declaring("narrower", of_cluster="gold", rank=2) != first
    assert declaring("none") is None
    assert _SETTINGS.then(tmp_path / "nowhere") is None
