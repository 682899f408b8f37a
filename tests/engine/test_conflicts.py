"""Rules that want one setting different are found before a fleet is, with a row that shows it; rules that cannot meet are not."""

from pathlib import Path
from typing import Any

import pytest

from auditor.engine.probing.conflicts import Conflict, conflict_notices, conflict_text, conflicts
from auditor.engine.probing.pairwise_conflicts import PART_OF, listed_rows
from auditor.engine.rules.params import param_values
from tests.engine.bench import Override, rule_text, rules_from
from tests.facts.fleets import hosts, on_all_hosts, seen, view

FIX = "{remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro, set: WANTED, class: online}"


def wants(rule_id: str, wanted: str, **more: str) -> str:
    """A rule that wants DSNRO to be that, and sets it."""
    row = "{dsnro: 7, family: solidfire, queue_depth: 512}"
    given = {
        "holds": f"dsnro = {wanted}",
        "fix": FIX.replace("WANTED", wanted),
        "examples": f"{{passes: [{{name: p, row: {{dsnro: 32, family: solidfire, queue_depth: 512}}}}], fails: [{{name: f, row: {row}}}], "
        "unknown: [{name: u, row: {}}]" + (", not_applicable: [{name: n, row: {}}]" if "applies" in more else "") + "}",
        **more,
    }
    return rule_text(rule_id, **given)


def found(folder: Path, *texts: str, overrides: tuple[Override, ...] = (), **more: Any) -> list[Conflict]:
    rules = rules_from(folder, *texts)
    return list(conflicts(rules, param_values(overrides, rules), **more))


def test_two_rules_that_set_one_setting_to_two_values_are_both_named_with_a_row(tmp_path: Path) -> None:
    [conflict] = found(tmp_path, wants("a/low", "32"), wants("b/high", "64"))
    assert conflict.rules == ("a/low", "b/high")
    assert (conflict.between.wants, conflict.between.breaks) == ((32, 64), False)
    assert conflict.between.row["dsnro"] not in (32, 64)
    assert conflict_text(conflict).startswith("a/low wants dsnro to be 32, and b/high wants 64. Neither is planned where they meet")


def test_rules_that_want_the_same_agree(tmp_path: Path) -> None:
    stock = "{stock: {default: 32, unit: u, why: w}}"
    assert found(tmp_path, wants("a/one", "32"), wants("b/one", "32"), wants("c/param", "$stock", params=stock)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("family = 'solidfire'", "family = 'ontap'", id="two families"),
        pytest.param("queue_depth < 64", "queue_depth >= 64", id="two ranges"),
        pytest.param("per_object_qos", "NOT per_object_qos", id="true and false"),
        pytest.param("family IN ('a', 'b')", "NOT family IN ('a', 'b', 'c')", id="a list and none of it"),
    ],
)
def test_rules_that_never_apply_to_one_row_do_not_meet(tmp_path: Path, first: str, second: str) -> None:
    assert found(tmp_path, wants("a/one", "32", applies=first), wants("b/other", "64", applies=second)) == []


def test_rules_that_apply_to_one_row_only_at_an_edge_are_told_with_it(tmp_path: Path) -> None:
    texts = wants("a/one", "32", applies="queue_depth <= 64"), wants("b/other", "64", applies="queue_depth >= 64")
    [conflict] = found(tmp_path, *texts)
    assert conflict.between.row["queue_depth"] == 64


@pytest.mark.parametrize(("when", "met"), [("family = 'ontap'", []), ("family = 'solidfire'", [(32, 64)])], ids=["elsewhere", "there"])
def test_only_a_fix_that_is_proposed_there_is_a_wish(tmp_path: Path, when: str, met: list[tuple[int, int]]) -> None:
    fix = FIX.replace("WANTED", "64").replace("class:", f"when: {when}, class:")
    second = wants("b/other", "64", fix=fix, holds="dsnro IN (32, 64)")
    assert [one.between.wants for one in found(tmp_path, wants("a/one", "32", applies="family = 'solidfire'"), second)] == met


@pytest.mark.parametrize(("fixing", "guard"), [("a/high", "b/guard"), ("b/high", "a/guard")], ids=["fix first", "guard first"])
def test_a_fix_that_another_rule_without_one_would_not_survive_names_both(tmp_path: Path, fixing: str, guard: str) -> None:
    by_hand = wants(guard, "32", holds="dsnro < 64 OR dsnro > 512", fix="", by_hand="Do it.").replace("fix: \n", "")
    [conflict] = found(tmp_path, wants(fixing, "128"), by_hand)
    assert (conflict.rules, conflict.between.breaks, conflict.between.wants[0]) == ((fixing, guard), True, 128)
    assert f"{fixing} would set dsnro to 128, and {guard}, which passes with" in conflict_text(conflict)


def test_a_fix_is_not_blamed_for_what_failed_before_it(tmp_path: Path) -> None:
    by_hand = wants("b/guard", "32", holds="dsnro = 32 AND queue_depth <= 512", fix="", by_hand="Do it.").replace("fix: \n", "")
    assert found(tmp_path, wants("a/one", "32"), by_hand) == []


STOCK = "{stock: {default: 32, unit: u, why: w}}"


def two_params(folder: Path, *overrides: Override) -> list[Conflict]:
    texts = wants("a/one", "$stock", params=STOCK), wants("b/one", "$stock", params=STOCK)
    return found(folder, *texts, overrides=overrides, only_overridden=True)


def test_an_override_of_one_of_two_params_makes_rules_disagree_everywhere(tmp_path: Path) -> None:
    override = Override("a/one", "stock", 64)
    [conflict] = two_params(tmp_path, override)
    assert (conflict.place, conflict.between.wants) == ((None, None), (64, 32))
    [notice] = conflict_notices([conflict], [override, Override("c/else", "x", 1, where="fleet.yaml:9")])
    assert notice.startswith("fleet.yaml:7: params make two rules disagree everywhere. a/one wants dsnro to be 64, and b/one wants 32.")


def test_an_override_in_one_cluster_makes_them_disagree_there_and_nowhere_else(tmp_path: Path) -> None:
    overrides = (Override("a/one", "stock", 64), Override("b/one", "stock", 64), Override("b/one", "stock", 16, "vc-east", "gold"))
    [conflict] = two_params(tmp_path, *overrides)
    assert (conflict.place, conflict.between.wants) == (("vc-east", "gold"), (64, 16))
    elsewhere = Override("b/one", "stock", 48, "vc-west", where="fleet.yaml:11")
    [notice] = conflict_notices([conflict], [*overrides, elsewhere])
    assert notice.startswith("fleet.yaml:7: params make two rules disagree in cluster gold of vc-east")


def test_an_override_of_one_vcenter_is_told_with_its_name(tmp_path: Path) -> None:
    override = Override("b/one", "stock", 16, "vc-east")
    [conflict] = two_params(tmp_path, override)
    [notice] = conflict_notices([conflict], [override])
    assert "params make two rules disagree on vc-east. " in notice


def test_a_fleet_may_set_a_param_to_the_most_a_column_holds(tmp_path: Path) -> None:
    deep = 2**63 - 1
    texts = wants("a/low", "$deep", params="{deep: {default: 32, unit: u, why: w}}"), wants("b/high", "64")
    [conflict] = found(tmp_path, *texts, overrides=(Override("a/low", "deep", deep),))
    assert conflict.between.wants == (deep, 64)


def test_a_param_that_is_no_pattern_is_left_for_judging_to_tell(tmp_path: Path) -> None:
    applies, params = "NOT regexp_matches(family, $not_of)", "{not_of: {default: dell-sc, unit: u, why: w}}"
    texts = wants("a/low", "32", applies=applies, params=params), wants("b/high", "64")
    assert found(tmp_path, *texts, overrides=(Override("a/low", "not_of", "("),)) == []


def test_overrides_that_go_together_make_no_conflict(tmp_path: Path) -> None:
    assert two_params(tmp_path, Override("a/one", "stock", 64), Override("b/one", "stock", 64)) == []


def test_what_rules_say_by_themselves_is_no_news_of_a_fleet(tmp_path: Path) -> None:
    assert found(tmp_path, wants("a/low", "32"), wants("b/high", "64"), only_overridden=True) == []


@pytest.mark.long
def test_an_option_is_only_tried_with_what_its_view_says_of_it() -> None:
    reported = {row["option"]: row["is_primitive"] for row in listed_rows("vaai_option")}
    assert reported["VMFS3.UseATSForHBOnVMFS5"] is False
    assert sum(reported.values()) == 3


@pytest.mark.long
@pytest.mark.parametrize("part", PART_OF)
def test_what_is_taken_for_granted_of_a_part_of_a_view_is_so(part: str) -> None:
    whole, implied = PART_OF[part]
    given = hosts(1)
    on_all_hosts(given, seen("naa.6f47acc2000000017366707200000000", "solidfire"), seen("naa.624a9370", "flasharray"))
    parts = {row["resource_id"] for row in view(part, given)}
    rows = [row for row in view(whole, given) if row["resource_id"] in parts]
    assert rows
    assert all(implied.items() <= row.items() for row in rows)
