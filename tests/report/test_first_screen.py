"""The first screen fits a terminal whatever was found, cuts no name, and ends with what to do next."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from auditor.model import Finding, Fix, FixClass, Gap, Outcome, Report, Severity, Verdict
from auditor.model.comparison import ChangeKind, Comparison
from auditor.model.scope import Scope
from auditor.report.causes import CAUSES
from auditor.report.digest import digest
from auditor.report.terminal.first_screen import write_first_screen
from auditor.report.terminal.totals import Commands
from tests.report import samples

LINES = 47
"""Of a screen of 50, what progress, `make` and the shell's prompt leave."""


@pytest.fixture(autouse=True)
def a_hundred_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def rendered(report: Report, commands: Commands | None = None) -> str:
    out = io.StringIO()
    write_first_screen(report, out, commands)
    return out.getvalue()


def crowded() -> Report:
    """More of everything than a screen has room for: topics, causes, fixes of every class, gaps, notices, receipts."""
    classes = [kind for kind in FixClass if kind is not FixClass.MANUAL]
    findings: list[Finding] = []
    for number in range(260):
        name = f"naa.6f47acc1{number:024x}"
        fix = Fix("device.dsnro", classes[number % len(classes)], 32, 256, Outcome.PROPOSED, target=(("device", name),))
        finding = samples.pe_finding(f"esx-{number:04}.a-rather-long-site.example.net", name=name, fix=fix)
        impact = {**samples.IMPACT, "queue": f"queue-{number}", "victims": [f"{'a long name of a machine ' * 6}{number}"]}
        findings.append(
            replace(
                finding,
                rule=f"topic-{number % 26:02}/rule-{number}",
                severity=list(Severity)[number % 5],
                impact=impact if number % 2 else {},
                message=f"{name} on a host: {'something is wrong ' * 20}",
                fix=None if number % 7 == 0 else fix,
            )
        )
    findings += [samples.pe_finding(f"esx-{number}", Verdict.UNKNOWN) for number in range(40)]
    gaps = [Gap(f"array-{number:02}", f"volumes of {'x' * 30}{number}", f"{'why ' * 40}, permission denied") for number in range(30)]
    receipts = [samples.receipt(outcome, pending="reboot") for outcome in Outcome for _ in range(3)]
    many = samples.report_of(findings, gaps=gaps, receipts=receipts)
    return replace(many, notices=tuple(f"a notice of {'many words ' * 30}: {number}" for number in range(40)), scope=None)


@pytest.mark.parametrize("report", [samples.bad_night, samples.clean, samples.blind, crowded, lambda: samples.huge(3_000)])
def test_a_report_of_any_size_is_one_screen(report: object) -> None:
    lines = rendered(report()).splitlines()  # type: ignore[operator]
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= 100
    assert "auditor runs show" in lines[-1], "it ends with what to do next"


def test_on_a_narrow_terminal_a_notice_of_two_lines_or_three_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    notice = f"waivers.yaml:9: the waiver of {'a-rule/with-a-name ' * 4}(storage team) expired: 4 verdicts count again"
    text = " ".join(rendered(replace(crowded(), notices=(notice,))).split())
    assert f"! {notice}" in text


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_identifier_is_cut(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    text = rendered(crowded())
    assert all(len(line) <= width or line.strip().startswith("auditor ") for line in text.splitlines()), "a command is pasted, whole"
    shown = re.findall(r"\n  CRITICAL \S+", text)
    whole = {f"naa.6f47acc1{number:024x}" for number in range(260)}
    assert set(re.findall(r"naa\.\w+", text)) <= whole
    assert len(re.findall(r"naa\.\w+", text)) == (CAUSES if width < 100 else len(shown)) >= 2


def test_where_there_is_room_nothing_is_left_out() -> None:
    why = "many words " * 15
    notices = tuple(f"notice {number} has {why}" for number in range(4))
    gaps = [Gap(f"array-{number}", f"topic {number}", f"{why}of {number}") for number in range(4)]
    finding = replace(samples.pe_finding(), message=f"naa.1 on esx: {why}")
    text = rendered(replace(samples.report_of([finding], gaps=gaps), notices=notices))
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert "--details" not in text
    assert all(f"notice {number} has" in text and f"array-{number}: topic {number}:" in text for number in range(4))


def test_a_fleet_with_gaps_is_shown_the_doctor() -> None:
    gap = Gap("vc", "volumes", "permission missing")
    commands = Commands("auditor audit", doctor="auditor doctor --fleet f.yaml")
    with_gap = rendered(samples.report_of([samples.pe_finding()], gaps=[gap]), commands)
    assert "  - See what keeps endpoints from being read: auditor doctor --fleet f.yaml" in with_gap
    assert "doctor" not in rendered(samples.report_of([samples.pe_finding()]), commands)


def test_rules_that_see_one_queue_are_one_cause() -> None:
    hosts = ["esx-01.example.net", "esx-02.example.net"]
    same = [samples.pe_finding(host) for host in hosts]
    other = [replace(finding, rule="vvol/pe-uniform", severity=Severity.MEDIUM) for finding in same]
    elsewhere = replace(samples.pe_finding("esx-03.example.net"), rule="diag/kavg", impact={**samples.IMPACT, "queue": "esx-03/naa.2"})
    text = rendered(samples.report_of([*same, elsewhere, *other]))
    assert "2 causes:" in text
    assert "HIGH vvol/pe-dsnro-headroom and 1 more rule: 4 failures on 2 hosts" in text
    assert "HIGH diag/kavg: 1 failure on 1 host" in text


def test_a_cause_whose_cost_is_not_known_stands_alone() -> None:
    not_known = [replace(samples.pe_finding(), rule=f"vaai/rule-{number}", impact={"not_computed": "why"}) for number in range(2)]
    assert "2 causes:" in rendered(samples.report_of(not_known))


def test_a_cause_says_what_it_costs_with_its_unit() -> None:
    text = rendered(samples.report_of([samples.pe_finding()]))
    assert (
        "267 to 383 ms now behind vm-1 Hard disk 1, 0.9 to 1.6 ms after the fix, at worst 80 ms: vm-2 Hard disk 1 and 1 more"
        in " ".join(text.split())
    )


def test_a_failure_whose_cure_no_source_backs_stands_below_a_cause_that_was_measured() -> None:
    unbacked = samples.pe_finding("esx-02.example.net")
    unbacked = replace(unbacked, impact={}, evidence={**unbacked.evidence, "family": "flasharray", "is_deepened": False})
    full = replace(samples.pe_finding(), rule="diag/queue-full", title="A queue is full", severity=Severity.MEDIUM)
    ordered = [rule.rule for rule in digest(samples.report_of([unbacked, full]), 1).failing]
    assert ordered == ["diag/queue-full", "vvol/pe-dsnro-headroom"]
    backed = replace(unbacked, evidence={**unbacked.evidence, "is_deepened": True})
    ordered = [rule.rule for rule in digest(samples.report_of([backed, full]), 1).failing]
    assert ordered == ["vvol/pe-dsnro-headroom", "diag/queue-full"]


def test_neighbours_are_well_only_where_the_rule_that_asks_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    well = samples.pe_finding()
    well = replace(well, impact={**well.impact, "now": [0.9, 1.5], "after": [0.9, 1.5]})
    asked = replace(samples.pe_finding("esx-03.example.net", Verdict.PASS), rule="diag/noisy-neighbour-signature")
    sentence = (
        "Neighbours are well: vm-2 Hard disk 1 and 1 more take 0.9 to 1.5 ms beside vm-1 Hard disk 1, which the array holds at its ceiling"
    )
    assert sentence in " ".join(rendered(samples.report_of([well, asked])).split())
    monkeypatch.setenv("COLUMNS", "60")
    lines = rendered(samples.report_of([well, asked])).splitlines()
    [first] = [place for place, line in enumerate(lines) if line.startswith("Neighbours")]
    for line, after in pairwise(lines[first : first + 3]):
        assert len(f"{line} {after.split()[0]}") > 60, "each line is filled before the next begins"
    assert "Neighbours" not in rendered(samples.report_of([well]))
    assert "Neighbours" not in rendered(samples.report_of([samples.pe_finding(), asked]))
    assert "Neighbours" not in rendered(samples.report_of([well, asked, replace(asked, verdict=Verdict.UNKNOWN)]))


def test_failures_are_counted_by_topic_and_severity() -> None:
    findings = [
        replace(samples.pe_finding(f"esx-{number}"), rule=f"{topic}/rule", severity=severity)
        for number, (topic, severity) in enumerate(
            [("vvol", Severity.HIGH), ("vvol", Severity.HIGH), ("vvol", Severity.LOW), ("qos", Severity.CRITICAL), ("qos", Severity.LOW)]
        )
    ]
    lines = [line.split() for line in rendered(samples.report_of([*findings, samples.pe_finding(verdict=Verdict.UNKNOWN)])).splitlines()]
    assert ["failures", "qos", "vvol", "all"] in lines, "the topic with the worst failure comes first"
    for row in (["critical", "1", "-", "1"], ["high", "-", "2", "2"], ["low", "1", "1", "2"], ["unknown", "-", "1", "1"]):
        assert row in lines


def scope(*options: str, rules: int = 116) -> Scope:
    return Scope("fleet", "fleet.yaml", ("vc-east", "sf-01"), 2, rules, 116, options)


def test_a_narrow_audit_that_holds_says_what_it_looked_at() -> None:
    text = " ".join(rendered(replace(samples.clean(), scope=scope("--only vvol/pe-dsnro-headroom", rules=1))).split())
    assert "4 CHECKS HOLD 4 checks of 1 rule on 4 of 4 hosts hold. Only this" in text
    assert "Only this was looked at: 1 of 116 rules, 2 of 2 endpoints: --only vvol/pe-dsnro-headroom." in text
    whole = rendered(replace(samples.clean(), scope=scope()))
    assert "NO DRIFT  " in whole
    assert "CHECKS HOLD" not in whole


def test_a_glob_of_a_command_has_quotation_marks_so_that_no_shell_puts_names_of_files_in_its_place() -> None:
    report = replace(samples.clean(), scope=scope("--cluster 'old *'", "--exclude baseline/*", "--host esx-[12].x", "--tag vvol"))
    assert Commands.of(report, "auditor audit --fleet f.yaml").audit == (
        "auditor audit --fleet f.yaml --cluster 'old *' --exclude 'baseline/*' --host 'esx-[12].x' --tag vvol"
    )


def test_commands_are_those_that_were_typed() -> None:
    report = replace(samples.report_of([samples.pe_finding()]), scope=scope("--tag vvol"))
    commands = Commands.of(report, "auditor audit --fleet site/fleet.yaml", " --state-dir kept")
    text = " ".join(rendered(report, commands).split())
    assert "1 now: auditor audit --fleet site/fleet.yaml --tag vvol --fix --dry-run --allow online-caution" in text
    assert text.endswith(f"auditor runs show {report.run.id} --state-dir kept")


def test_what_changed_since_the_last_run_stands_on_top() -> None:
    counts = {ChangeKind.NEW: 3, ChangeKind.FIXED: 2}
    compared = Comparison("20261120T060000Z-aaaa", datetime(2026, 11, 20, 6, tzinfo=UTC), counts, same_scope=True, listed=lambda: iter(()))
    lines = rendered(replace(samples.bad_night(), compared=compared)).splitlines()
    assert any("3 new, 2 fixed since 2026-11-20 06:00 UTC (run 20261120T060000Z-aaaa)" in line for line in lines[:6])


def test_gaps_that_one_remedy_closes_are_one_line_with_the_remedy() -> None:
    gaps = [
        Gap(name, what, f"endpoint {name}: E5003 The user authority is improper")
        for name in ("dx-1", "dx-2")
        for what in ("pools", "hosts")
    ]
    gaps.append(Gap("vc-east", "options of esx-09", "the host is disconnected"))
    text = rendered(samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=gaps))
    assert "Gaps: 5 things could not be read" in text
    assert "  - dx-1, dx-2: pools: E5003 The user authority is improper (and 1 more thing)" in text
    assert text.count("to do: give the account the right to read it") == 1
    assert "to do: reconnect the host in vCenter, then audit again" in text


def test_gaps_that_somebody_answers_for_are_counted_apart() -> None:
    by = {"owner": "storage team", "reason": "replaced in May", "expires": "2027-06-01T00:00:00Z"}
    gaps = [Gap("dx-1", "pools", "E5003", by), Gap("dx-2", "pools", "E5003", by), Gap("vc-east", "options", "permission missing")]
    text = rendered(samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=gaps))
    assert "Gaps: 1 thing could not be read; 2 more are accepted" in text
    assert "dx-1" not in text.partition("Gaps:")[2]
    assert "vc-east: options: permission missing" in text


@pytest.mark.parametrize(
    ("why", "remedy"),
    [
        pytest.param("no sheet of RVTools has them: take support bundles", "export these sheets anew", id="RVTools"),
        pytest.param("nothing of it was read; audit the export alone", "audit the export alone, or the other", id="beside files"),
        pytest.param("endpoint vc: it refused the login of audit", "correct the account or its password", id="login"),
        pytest.param("endpoint vc: 192.0.2.1:443 did not answer GET /api: timed out", "find out why it does not answer", id="silent"),
        pytest.param("endpoint vc: its certificate is sha256:1, fleet.yaml pins sha256:2", "check who answers there", id="certificate"),
        pytest.param("no ONTAP is listed in fleet.yaml, so no volumes are known", "add the array to fleet.yaml", id="array not listed"),
        pytest.param("something that nobody thought of", "look at what auditor doctor says of this endpoint", id="unheard of"),
    ],
)
def test_each_sort_of_gap_says_what_to_do(why: str, remedy: str) -> None:
    text = " ".join(rendered(samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=[Gap("vc", "volumes", why)])).split())
    assert f"to do: {remedy}" in text


def test_what_a_fix_left_to_a_person_comes_first() -> None:
    receipts: Sequence[object] = [samples.receipt(Outcome.UNVERIFIED), samples.receipt(pending="reboot")]
    text = rendered(samples.report_of([samples.pe_finding()], receipts=receipts))  # type: ignore[arg-type]
    following = text.partition("Next:")[2].splitlines()
    assert following[1] == "  - Look first at 1 write that did not read back as wanted."
    assert following[2] == "  - Plan a reboot for 1 setting: stored, not yet in effect."


def test_names_of_the_fleet_cannot_steer_the_terminal() -> None:
    text = rendered(samples.hostile())
    assert all(letter.isprintable() or letter in "\n\u200c\u200d" for letter in text)
