"""What has to come before what: read from rules, held against circles, and made into numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.engine.evaluate import evaluate
from auditor.engine.fixes.order import Wait, in_order, is_narrowed
from auditor.engine.fixes.planning import plan
from auditor.errors import RuleError
from auditor.model import Change, FixClass, Outcome, Plan, Resource, Target, Verdict
from auditor.report.fix_outcomes import refused_fixes
from tests.engine.bench import fleet, pe, rule_text, rules_from

DSNRO = "{remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro, class: online, set: '256'"
DEPTH = "{remediator: host.option, target: {host_id: host_id, module: family}, column: queue_depth, class: reboot, set: '512'}"


def after(what: str, *more: str, where: str = "{host_id: host_id}") -> str:
    return f"{DSNRO}, after: [{{{', '.join([f'change: {what}', f'where: {where}', *more])}}}]}}"


def dsnro_rule(fix: str = f"{DSNRO}}}", rule_id: str = "local/dsnro") -> str:
    return rule_text(rule_id, holds="dsnro = 256", fix=fix, by_hand="Look at it.")


def depth_rule(rule_id: str = "local/depth") -> str:
    return rule_text(rule_id, holds="queue_depth = 512", fix=DEPTH)


def planned(folder: Path, *texts: str, rows: list[dict[str, Any]] | None = None) -> Plan:
    return plan(evaluate(fleet(rows or [pe()], "protocol_endpoint"), rules_from(folder, *texts)))


@pytest.mark.parametrize("what", ["local/depth", "host.option"], ids=["a rule", "a remediator"])
def test_what_has_to_come_first_does_and_is_numbered(tmp_path: Path, what: str) -> None:
    rows = [pe(1), pe(2, host_id="host-2")]
    found = planned(tmp_path, dsnro_rule(after(what)), depth_rule(), rows=rows)
    numbers = {(change.remediator, change.target["host_id"]): (change.number, change.waits_for) for change in found.changes}
    assert numbers == {
        ("host.option", "host-1"): (1, ()),
        ("device.dsnro", "host-1"): (2, (1,)),
        ("host.option", "host-2"): (3, ()),
        ("device.dsnro", "host-2"): (4, (3,)),
    }


@pytest.mark.parametrize(
    ("when", "depth", "waits"),
    [
        pytest.param("queue_depth < 256", 128, True, id="it has to"),
        pytest.param("queue_depth < 256", 300, False, id="it does not"),
        pytest.param("iops_limit > 0", 300, True, id="nobody knows"),
    ],
)
def test_a_condition_says_where_it_has_to_come_first(tmp_path: Path, when: str, depth: int, waits: bool) -> None:
    found = planned(tmp_path, dsnro_rule(after("local/depth", f"when: {when}")), depth_rule(), rows=[pe(queue_depth=depth)])
    assert [change.waits_for != () for change in found.changes if change.remediator == "device.dsnro"] == [waits]


def test_a_place_that_was_not_read_waits_for_every_place(tmp_path: Path) -> None:
    rule = dsnro_rule(after("local/depth", where="{host_id: host_id, module: iops_limit}"))
    found = planned(tmp_path, rule, depth_rule(), rows=[pe()])
    assert [change.waits_for for change in found.changes] == [(), (1,)]


def test_a_change_that_requires_one_that_is_not_planned_is_left_to_a_person(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, dsnro_rule(after("local/depth", "required: true")), depth_rule())
    evaluation = evaluate(fleet([pe(queue_depth=512)], "protocol_endpoint"), rules)
    found = plan(evaluation)
    assert found.changes == ()
    [hand] = found.by_hand
    assert hand.why == "local/depth on host_id host-1 has to come first, and no such change can be planned. Look at it."
    [fix] = refused_fixes(evaluation, found).values()
    assert (fix.outcome, fix.why) == (Outcome.BY_HAND, hand.why)
    assert [finding.rule for finding in evaluation.findings({Verdict.FAIL})] == ["local/dsnro"]


def test_what_is_required_and_planned_comes_first(tmp_path: Path) -> None:
    found = planned(tmp_path, dsnro_rule(after("local/depth", "required: true")), depth_rule())
    assert [(change.remediator, change.waits_for) for change in found.changes] == [("host.option", ()), ("device.dsnro", (1,))]


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        pytest.param([dsnro_rule(after("local/dsnro"))], "these fixes wait for each other: local/dsnro -> local/dsnro", id="for itself"),
        pytest.param(
            [dsnro_rule(after("local/other")), dsnro_rule(after("device.dsnro"), "local/other")],
            "these fixes wait for each other: local/dsnro -> local/other -> local/dsnro",
            id="for each other, by a remediator",
        ),
        pytest.param(
            [dsnro_rule(after("local/dept")), depth_rule()], 'there is no rule "local/dept"; did you mean "local/depth"?', id="a slip"
        ),
        pytest.param([dsnro_rule(after("host.opton"))], 'there is no remediator "host.opton"', id="a slip in a remediator"),
        pytest.param([dsnro_rule(after("local/depth", where="{}")), depth_rule()], '"where" does not say which changes', id="of no place"),
        pytest.param([dsnro_rule(after("local/depth", "when: dsnro")), depth_rule()], "must be true or false", id="no condition"),
        pytest.param([dsnro_rule(after("local/depth", where="{x: dsnr}")), depth_rule()], 'names column "dsnr"', id="no column"),
    ],
)
def test_an_order_that_cannot_be_kept_is_refused_when_rules_are_loaded(tmp_path: Path, texts: list[str], words: str) -> None:
    with pytest.raises(RuleError) as caught:
        rules_from(tmp_path, *texts)
    assert words in caught.value.what


def change_of(name: str, rule: str = "r/one") -> Change:
    return Change("shelf", FixClass.ONLINE, Target("vc", (("name", name),)), 1, 2, (rule,), Resource("x", name, name, "vc", None, None), "")


def wait(name: str | None, *, required: bool = False) -> Wait:
    return Wait("shelf", (("name", name),), required)


def test_leaving_one_change_out_leaves_out_what_requires_it(tmp_path: Path) -> None:
    wanted = [(change_of("a"), [wait("gone", required=True)]), (change_of("b"), [wait("a", required=True)]), (change_of("c"), [wait("b")])]
    ordered, unmet = in_order(wanted)
    assert [one.change.target["name"] for one in unmet] == ["a", "b"]
    assert [(change.target["name"], change.number, change.waits_for) for change in ordered] == [("c", 1, ())]


def test_the_first_change_of_a_plan_is_one_that_others_may_require() -> None:
    ordered, unmet = in_order([(change_of("a"), []), (change_of("b"), [wait("a", required=True)])])
    assert ([change.waits_for for change in ordered], unmet) == ([(), (1,)], ())


def test_a_required_place_that_is_not_known_is_met_by_none() -> None:
    _, [unmet] = in_order([(change_of("a"), []), (change_of("b"), [wait(None, required=True)])])
    assert (unmet.change.target["name"], is_narrowed(unmet.why)) == ("b", False)
    assert unmet.why == "shelf on name (not known) has to come first, and no such change can be planned"


def test_a_change_that_requires_one_of_a_rule_that_was_not_judged_by_says_so() -> None:
    _, [unmet] = in_order([(change_of("a"), [wait("b", required=True)])], left_out=["shelf"])
    assert unmet.why.endswith("this audit was narrowed to other rules: judge by it as well (--only shelf)")
    assert is_narrowed(unmet.why)


@given(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=10))
def test_every_change_has_one_number_and_comes_after_what_it_waits_for_unless_they_wait_for_each_other(waits: list[list[int]]) -> None:
    wanted = [(change_of(str(place)), [wait(str(one)) for one in ones]) for place, ones in enumerate(waits)]
    ordered, unmet = in_order(wanted)
    assert unmet == ()
    assert [change.number for change in ordered] == list(range(1, len(wanted) + 1))
    number = {int(change.target["name"]): change.number for change in ordered}
    for place, ones in enumerate(waits):
        [change] = [one for one in ordered if one.number == number[place]]
        assert set(change.waits_for) == {number[one] for one in ones if one in number and one != place}
    if all(one < place for place, ones in enumerate(waits) for one in ones):
        assert [int(change.target["name"]) for change in ordered] == list(range(len(wanted))), "the order given is kept"
    in_circle = {change.number for change in ordered if any(one >= change.number for one in change.waits_for)}
    first = min(in_circle, default=len(ordered) + 1)
    assert all(set(change.waits_for) & set(range(first, len(ordered) + 1)) for change in ordered if change.number >= first)


def test_order_does_not_make_another_change() -> None:
    one = change_of("a")
    assert replace(one, number=3, waits_for=(1,)) == one
