"""What becomes of several wishes for one setting: agreed, contradicting, or advice that is left to a person."""

from dataclasses import replace
from typing import Any

import pytest

from auditor.engine.fixes.planning import _advice, _agree, _by_hand, _change, _contradiction, _direction, _Want, _want
from auditor.engine.verdict_rows import JudgedRule
from auditor.model import ByHand, FixClass, Resource, Scalar, Target

PLACE = Resource("device", "host-1/naa.1", "naa.1", "vc", "gold", "esx-1")
TARGET = Target("vc", (("device", "naa.1"),))
HAND = ByHand("local/one", PLACE, "by hand")
WISH = _Want("local/one", 32, 256, FixClass.ONLINE, "", False, "why one", PLACE)  # noqa: FBT003


def wish(after: Scalar = 256, *, before: Scalar = 32, **more: Any) -> _Want:
    return replace(WISH, before=before, after=after, **more)


def advice(after: Scalar, *, exact: bool = True, **more: Any) -> _Want:
    return wish(after, by_hand=HAND, is_exact=exact, **more)


@pytest.mark.parametrize(
    ("before", "after", "direction"),
    [
        pytest.param(32, 256, 1, id="up"),
        pytest.param(256, 32, -1, id="down"),
        pytest.param(0.5, 0.5, 0, id="nowhere"),
        pytest.param(False, 1, 0, id="from a truth"),
        pytest.param(0, True, 0, id="to a truth"),
        pytest.param("32", 256, 0, id="from a text"),
        pytest.param(32, "256", 0, id="to a text"),
        pytest.param(None, 256, 0, id="from nothing"),
        pytest.param(32, None, 0, id="to nothing"),
    ],
)
def test_only_numbers_have_a_direction(before: Scalar, after: Scalar, direction: int) -> None:
    assert _direction(wish(after, before=before)) == direction


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        pytest.param(wish(256), wish(256), True, id="one value"),
        pytest.param(wish(256), wish("256"), False, id="a number and a text"),
        pytest.param(wish(1), wish(after=True), False, id="a number and a truth"),
        pytest.param(wish(256), wish(128), False, id="two values that can be written"),
        pytest.param(wish(256), wish(128, before=16), False, id="two that can be written, read differently"),
        pytest.param(wish(256), advice(128), False, id="exact advice that reads the setting as it is"),
        pytest.param(wish(256), advice(128, exact=False), True, id="inexact advice that goes the same way"),
        pytest.param(advice(128, exact=False), wish(256), True, id="the other way round"),
        pytest.param(wish(256), advice(16, exact=False), False, id="inexact advice that goes the other way"),
        pytest.param(wish(256), advice(128, before=64), True, id="advice that reads the setting elsewhere, the same way"),
        pytest.param(wish(256), advice(128, before=512), False, id="advice that reads the setting elsewhere, the other way"),
        pytest.param(advice(256, exact=False), advice(128, exact=False), True, id="two that a person is to do, the same way"),
        pytest.param(wish("a", before="x"), advice("b", before="y"), False, id="texts go no way"),
    ],
)
def test_two_wishes_agree_on_a_value_or_on_a_way(one: _Want, other: _Want, agree: bool) -> None:
    assert _agree(one, other) is agree
    assert _agree(other, one) is agree


def test_wishes_that_agree_make_no_contradiction() -> None:
    assert _contradiction("device.dsnro", TARGET, [wish(), wish(rule="local/two")]) is None
    assert _contradiction("device.dsnro", TARGET, [wish(), wish(rule="local/two"), advice(128, exact=False)]) is None


def test_a_contradiction_names_who_wants_what_and_why_at_the_first_place() -> None:
    later = replace(PLACE, cluster="silver", name="naa.2")
    wants = [
        wish(256, rule="local/two", reason="why two", resource=later),
        wish(64, rule="local/one"),
        wish(256, rule="local/two", reason="why two"),
    ]
    found = _contradiction("device.dsnro", TARGET, wants)
    assert found is not None
    assert (found.remediator, found.target) == ("device.dsnro", TARGET)
    assert (found.wants, found.reasons) == ((("local/one", 64), ("local/two", 256)), ("why one", "why two"))
    assert found.resource == PLACE


def test_a_rule_that_a_change_would_break_wants_the_setting_as_it_is() -> None:
    found = _contradiction("device.dsnro", TARGET, [wish(256, breaks="local/stock")])
    assert found is not None
    assert found.wants == (("local/one", 256), ("local/stock", 32))
    assert found.reasons == ("why one", "passes with it")


def test_a_change_is_of_the_costliest_class_and_names_everything_it_reaches() -> None:
    later = replace(PLACE, host="esx-2")
    wants = [
        wish(rule="local/two", fix_class=FixClass.REBOOT, reason="why two", touches="filer b", resource=later),
        wish(rule="local/one", touches="array a"),
        wish(rule="local/three", reason="why one", touches="array a"),
        wish(rule="local/four"),
    ]
    change = _change("device.dsnro", TARGET, wants)
    assert (change.remediator, change.target, change.before, change.after) == ("device.dsnro", TARGET, 32, 256)
    assert (change.fix_class, change.takes) == (FixClass.REBOOT, None)
    assert change.rules == ("local/four", "local/one", "local/three", "local/two")
    assert (change.reason, change.collateral) == ("why one; why two", "array a; filer b")
    assert change.resource == PLACE


@pytest.mark.parametrize("costlier", [FixClass.ONLINE_CAUTION, FixClass.RECLAIM, FixClass.REBOOT, FixClass.ARRAY])
def test_the_classes_rank_from_online_to_what_costs_most(costlier: FixClass) -> None:
    for wants in ([wish(fix_class=costlier), wish()], [wish(), wish(fix_class=costlier)]):
        assert _change("device.dsnro", TARGET, wants).fix_class is costlier


def test_a_change_that_one_wish_calls_a_retune_takes_what_the_costliest_takes() -> None:
    change = _change("device.dsnro", TARGET, [wish(retunes=True), wish(fix_class=FixClass.REBOOT)])
    assert (change.fix_class, change.takes) == (FixClass.RETUNE, FixClass.REBOOT)


RULE = JudgedRule(
    title="t",
    severity="high",
    kind="device",
    remediator="device.dsnro",
    fix_class="online",
    by_hand="do it",
    reason="why one",
    obstacles={"type": "of another type", "breaks": "would break"},
)
ROW: dict[str, Any] = {
    "rule": "local/one",
    "endpoint": "vc",
    "resource_id": "host-1/naa.1",
    "resource_name": "naa.1",
    "cluster": "gold",
    "host": "esx-1",
    "before": "32",
    "after": "256",
    "desired": "256",
    "target": '{"device": "naa.1"}',
    "touches": None,
    "retunes": None,
    "waits": None,
    "breaks": None,
    "obstacle": None,
    "message": "DSNRO is 32",
}


def test_a_failure_wishes_what_its_row_says() -> None:
    assert _want(ROW, RULE) == replace(WISH, fix_class=FixClass.ONLINE, message="DSNRO is 32")
    assert _want({**ROW, "message": None}, RULE).message == ""
    more = _want({**ROW, "touches": "array a", "retunes": True, "breaks": "local/stock"}, RULE)
    assert (more.touches, more.retunes, more.breaks) == ("array a", True, "local/stock")


@pytest.mark.parametrize(
    ("changes", "rule", "why"),
    [
        pytest.param({}, RULE, None, id="a change that can be planned"),
        pytest.param({}, replace(RULE, remediator=None), ("do it", FixClass.MANUAL), id="a rule without a fix"),
        pytest.param({"obstacle": "type"}, RULE, ("of another type", FixClass.ONLINE), id="an obstacle"),
        pytest.param({"obstacle": "breaks", "breaks": "local/stock"}, RULE, None, id="another rule forbids it"),
    ],
)
def test_what_is_left_to_a_person(changes: dict[str, Any], rule: JudgedRule, why: tuple[str, FixClass] | None) -> None:
    found = _by_hand({**ROW, **changes}, rule)
    assert found == (None if why is None else ByHand("local/one", PLACE, *why))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({}, (256, True), id="as the finding shows"),
        pytest.param({"desired": "128"}, (128, False), id="the same way, not so far"),
        pytest.param({"desired": "16"}, None, id="the other way"),
        pytest.param({"desired": "32"}, None, id="nowhere"),
        pytest.param({"desired": '"one of them"'}, None, id="no value of the setting"),
        pytest.param({"after": "null"}, None, id="nobody knows what to set"),
        pytest.param({"endpoint": "vc-2"}, None, id="nobody else wishes anything of it there"),
        pytest.param({"target": '{"device": "naa.2"}'}, None, id="nor of that one"),
    ],
)
def test_advice_counts_where_others_wish_something_of_the_setting(changes: dict[str, Any], expected: tuple[int, bool] | None) -> None:
    disputable = {("vc", ROW["target"])}
    found = _advice({**ROW, **changes}, RULE, HAND, disputable)
    assert (None if found is None else (found.after, found.is_exact)) == expected
    if found is not None:
        assert (found.by_hand, found.before) == (HAND, 32)
