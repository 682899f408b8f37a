"""An explanation shows what the model says where it said something, the fix and what would change the verdict."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest

from auditor.engine.probing.turning_points import TurningPoint
from auditor.impact.path import device_path
from auditor.model import Fix, FixClass, Outcome, Verdict
from auditor.report.terminal.explained import Explanation
from auditor.report.terminal.explanation import write_explanation
from tests.impact.asked import DEVICE, HOST, VCENTER, s0
from tests.report import samples

EXPLAINED = Explanation(
    finding_id="0123456789ab",
    finding=samples.pe_finding(HOST),
    run="20261123T020844Z-bd27",
    path=device_path(s0(), VCENTER, HOST, DEVICE),
    more_paths=3,
    rule=samples.DSNRO,
    points=(TurningPoint("dsnro", 32, 256, Verdict.PASS), TurningPoint("family", "solidfire", None, None)),
    column_texts={"dsnro": "how many commands"},
    params_from="the rule's defaults",
    reproduction="To show it safely: auditor reproduce 0123456789ab --out DIR",
)

IMPACT = {
    "model": "closed queue",
    "quantity": "latency_ms",
    "queue": "the protocol endpoint",
    "victims": ["quiet Hard disk 1"],
    "victims_count": 1,
    "behind": ["noisy Hard disk 1"],
    "now": [250, 410.5],
    "after": [1, 2],
    "worst_after": [3, None],
    "inputs": [{"name": "dsnro", "value": [32, 32], "unit": "commands", "basis": "measured", "source": "device.dsnro"}],
}
"""An impact as docs/queue-model.md#report has it."""


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


def text_of(explained: Explanation) -> str:
    out = io.StringIO()
    write_explanation(explained, out)
    return out.getvalue()


@pytest.mark.parametrize(("desired", "said"), [(3, "Observed 2, wanted 3."), (2, "Observed 2."), (None, "Observed 2.")])
def test_a_limit_that_is_reached_is_not_wanted(desired: int | None, said: str) -> None:
    text = text_of(replace(EXPLAINED, finding=replace(EXPLAINED.finding, observed=2, desired=desired)))
    assert said in text.splitlines()


def test_everything_about_a_finding_is_there() -> None:
    text = text_of(EXPLAINED)
    for part in (
        "HIGH  vvol/pe-dsnro-headroom  fail  0123456789ab",
        "Observed 32, wanted 256.",
        "DSNRO of 32 applies, and not the device's 256: 2 disks compete.",
        "This is where it is felt most, of 4 paths that it is about.",
        "All virtual volumes behind a protocol endpoint share one queue",
        "per_object_qos: true",
        "device.dsnro: 32 -> 256 commands (online-caution; proposed).",
        "--only vvol/pe-dsnro-headroom --fix --dry-run --allow online-caution",
        "auditor reproduce 0123456789ab",
        "dsnro is 32; with 256 the rule passes",
        "No value alone was found that changes it: family.",
        "Disk.SchedNumReqOutstanding https://example.net/kb/1268",
    ):
        assert part in text, part


def test_steps_below_a_change_are_another_way_to_make_it() -> None:
    way, step = "Or by hand:", "1. Set DSNRO of the device to 256, one host at a time."
    lines = [line.strip() for line in text_of(EXPLAINED).splitlines()]
    assert lines.index(step) == lines.index(way) + 1
    by_hand = replace(EXPLAINED.finding, fix=Fix(None, FixClass.MANUAL, None, None, Outcome.BY_HAND))
    assert way not in text_of(replace(EXPLAINED, finding=by_hand))
    assert way not in text_of(replace(EXPLAINED, why_no_fix="a waiver covers it."))


def test_what_is_wrong_stands_beside_the_values() -> None:
    failure = samples.pe_finding(HOST)
    named = replace(failure, message=f"{failure.resource.name} on {HOST}: the queue holds 32 commands\x1b[2J")
    text = text_of(replace(EXPLAINED, finding=named))
    assert "\nWhat is wrong: the queue holds 32 commands\\x1b[2J.\nObserved 32, wanted 256.\n" in text
    assert "What is wrong" not in text_of(EXPLAINED)


def test_a_list_that_is_to_be_empty_is_wanted_as_none() -> None:
    listed = replace(samples.pe_finding(HOST), observed="fibrecat-sx", desired="")
    assert "\nObserved fibrecat-sx, wanted none.\n" in text_of(replace(EXPLAINED, finding=listed))


def test_an_unknown_verdict_says_what_was_not_read_and_claims_no_observation() -> None:
    unknown = replace(EXPLAINED, finding=samples.pe_finding(HOST, Verdict.UNKNOWN), points=())
    text = text_of(unknown)
    assert "dsnro was not read: how many commands" in text
    assert "dsnro: not read" in text
    assert "Observed" not in text


def test_what_is_not_known_is_said() -> None:
    text = text_of(replace(EXPLAINED, path=None, why_no_path="It is about no device.", points=None, rule=None))
    assert "It is about no device." in text
    assert "Not known: the rule, or a param of it, is not as it was" in text


def test_a_fix_by_hand_is_in_the_words_of_the_rule() -> None:
    by_hand = Fix(None, FixClass.MANUAL, None, None, Outcome.BY_HAND)
    text = text_of(replace(EXPLAINED, finding=samples.pe_finding(HOST, fix=by_hand)))
    assert "Set DSNRO of the device to 256, one host at a time." in text
    assert "--fix" not in text


def test_an_expression_of_the_rule_is_no_fix_that_a_person_reads() -> None:
    rule = replace(samples.DSNRO, fix_text="device.dsnro: dsnro = CASE WHEN true THEN 256 END (online-caution)\nAsk first.")
    text = text_of(replace(EXPLAINED, rule=rule))
    assert "Ask first." in text
    assert "CASE WHEN" not in text


def test_the_model_s_interval_stands_with_what_it_rests_on() -> None:
    text = text_of(replace(EXPLAINED, finding=replace(EXPLAINED.finding, impact=IMPACT)))
    short = "quiet Hard disk 1 takes 250 to 410 ms behind noisy Hard disk 1; after the fix 1 to 2 ms, at worst unknown ms"
    assert f"It costs: {short} (queueing model)." in text
    assert "dsnro: 32 commands, measured: device.dsnro" in text
    unknown = text_of(replace(EXPLAINED, finding=replace(EXPLAINED.finding, impact={"not_computed": "the depth was not read"})))
    assert "Not computed: the depth was not read" in unknown
    assert "It costs" not in unknown
    assert "WHAT IT COSTS" not in text_of(replace(EXPLAINED, finding=replace(EXPLAINED.finding, impact={})))


@pytest.mark.parametrize("width", ["50", "80"])
def test_no_line_is_wider_than_the_terminal_but_a_command_that_is_pasted(monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    lines = text_of(EXPLAINED).splitlines()
    command = "auditor audit --fleet fleet.yaml --only vvol/pe-dsnro-headroom --fix --dry-run --allow online-caution"
    assert [line.strip() for line in lines if line.strip().startswith("auditor audit")] == [command]
    assert max(len(line) for line in lines if line.strip() != command) <= int(width)


def test_the_fix_of_what_was_read_from_files_is_printed_by_a_plan_and_of_a_snapshot_by_nothing() -> None:
    of_files = text_of(replace(EXPLAINED, fix="", plan="auditor plan --from bundles --as esxcli", options=" --state-dir kept"))
    assert "\n   auditor plan --from bundles --as esxcli --only vvol/pe-dsnro-headroom --state-dir kept\n" in of_files
    saved = text_of(replace(EXPLAINED, fix=""))
    assert "What is saved cannot be changed: audit the fleet itself with --fix --dry-run" in saved
    assert "--only" not in saved
