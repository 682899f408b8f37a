from pathlib import Path

import pytest

from auditor.authoring.examples import check_examples
from auditor.model import Verdict
from tests.engine.bench import SOUND, changed, rule_text, rules_from


def test_sound_examples_are_all_well(tmp_path: Path) -> None:
    results = check_examples(rules_from(tmp_path, SOUND))
    assert [(result.example, result.wanted, result.got) for result in results] == [
        ("raised", Verdict.PASS, Verdict.PASS),
        ("as installed", Verdict.FAIL, Verdict.FAIL),
        ("DSNRO not read", Verdict.UNKNOWN, Verdict.UNKNOWN),
        ("no such QoS", Verdict.NOT_APPLICABLE, Verdict.NOT_APPLICABLE),
    ]
    assert all(result.ok for result in results)


@pytest.mark.parametrize(
    ("old", "new", "example", "words"),
    [
        pytest.param(
            "dsnro: 256, queue_depth: 256", "dsnro: 255, queue_depth: 256", "raised", "should be pass and is fail", id="wrong verdict"
        ),
        pytest.param("holds: least(", "holds: greatest(", "as installed", "should be fail and is pass", id="wrong rule"),
        pytest.param("true, queue_depth: 256, deepest", "true, deepest", "DSNRO not read", "", id="another fact missing too"),
        pytest.param(
            "per_object_qos: false",
            "per_object_qos: true",
            "no such QoS",
            "is unknown (missing: dsnro, queue_depth",
            id="says what is missing",
        ),
        pytest.param(
            "set: least(256, queue_depth)", "set: '128'", "as installed", "(dsnro 32 -> 128): unsettled", id="the fix does not settle it"
        ),
        pytest.param("set: least(256, queue_depth)", "set: '32'", "as installed", "(dsnro 32 -> 32): same", id="the fix changes nothing"),
        pytest.param("set: least(256, queue_depth)", "set: iops_limit", "as installed", "after", id="what to set is missing"),
    ],
)
def test_an_example_that_is_not_as_it_says_is_told_with_its_line(tmp_path: Path, old: str, new: str, example: str, words: str) -> None:
    results = {result.example: result for result in check_examples(rules_from(tmp_path, changed(SOUND, (old, new))))}
    assert words in results[example].detail
    assert results[example].ok is not bool(words)
    if words:
        assert results[example].detail.startswith(f"{tmp_path / 'vvol/pe-dsnro-headroom.yaml'}:2")


def test_a_failing_example_may_stay_when_the_fix_says_so_but_one_must_be_fixed(tmp_path: Path) -> None:
    short = "{name: short, row: {family: solidfire, per_object_qos: true, dsnro: 32, queue_depth: 64, deepest_disk_queue: 64}}"
    guarded = changed(SOUND, ("  class:", "  when: queue_depth >= 256\n  class:"), ("fails: [", f"fails: [{short}, "))
    assert all(result.ok for result in check_examples(rules_from(tmp_path / "one", guarded)))
    never = changed(guarded, ("when: queue_depth >= 256", "when: queue_depth >= 9999"))
    last = check_examples(rules_from(tmp_path / "two", never))[-1]
    assert (last.example, last.got) == ("", None)
    assert "no failing example is settled by the fix" in last.detail


def test_an_example_that_cannot_be_judged_is_told_and_does_not_hide_the_others(tmp_path: Path) -> None:
    rows = "{passes: [{name: number, row: {value: '5'}}], fails: [{name: word, row: {value: vmfs}}], unknown: [{name: none, row: {}}]}"
    text = rule_text("local/option", over="option", holds="value::BIGINT > 1", examples=rows)
    results = {result.example: result for result in check_examples(rules_from(tmp_path, text))}
    assert results["word"].got is None
    assert "Conversion Error" in results["word"].detail
    assert results["number"].ok
    assert results["none"].ok


def test_a_time_in_an_example_is_written_as_text_and_must_be_one(tmp_path: Path) -> None:
    rows = (
        "{passes: [{name: late, row: {booted: '2026-11-21T00:00:00Z'}}], fails: [{name: early, row: {booted: '2020-01-01T00:00:00Z'}}], "
        "unknown: [{name: odd, row: {booted: yesterday}}]}"
    )
    text = rule_text("local/boot", holds="\"booted > TIMESTAMPTZ '2026-01-01 00:00:00+00'\"", examples=rows)
    results = {result.example: result for result in check_examples(rules_from(tmp_path, text))}
    assert results["late"].ok
    assert results["early"].ok
    assert "cannot judge an example" in results["odd"].detail


def test_a_fix_that_makes_another_rule_fail_is_told_with_both(tmp_path: Path) -> None:
    rows = "{passes: [{name: p, row: {dsnro: 32}}], fails: [{name: f, row: {dsnro: 256}}], unknown: [{name: u, row: {}}]}"
    rules = rules_from(tmp_path, SOUND, rule_text("queue/shallow", holds="dsnro < 256", examples=rows))
    reported = {result.example: result.detail for result in check_examples(rules) if result.rule == "vvol/pe-dsnro-headroom"}
    assert reported["as installed"].endswith('the fix of "as installed" makes queue/shallow fail, which passes as it is')
    assert not reported["raised"]


def test_one_rule_is_tested_against_all_there_are(tmp_path: Path) -> None:
    rows = "{passes: [{name: p, row: {dsnro: 32}}], fails: [{name: f, row: {dsnro: 256}}], unknown: [{name: u, row: {}}]}"
    rules = rules_from(tmp_path, SOUND, rule_text("queue/shallow", holds="dsnro < 256", examples=rows))
    one = rules.only(["vvol/pe-dsnro-headroom"])
    assert all(result.ok for result in check_examples(one))
    assert [result.example for result in check_examples(one, rules) if not result.ok] == ["as installed"]


def test_a_rule_that_cannot_judge_another_s_example_does_not_stop_the_test(tmp_path: Path) -> None:
    rows = (
        "{passes: [{name: p, row: {family: '5', dsnro: 1}}], fails: [{name: f, row: {family: '5', dsnro: 9}}], "
        "unknown: [{name: u, row: {}}]}"
    )
    rules = rules_from(tmp_path, SOUND, rule_text("queue/cast", holds="dsnro < family::BIGINT", examples=rows))
    assert all(result.ok for result in check_examples(rules))
