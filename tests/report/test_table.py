"""The table says what matters first, loses no host and no value, and is harmless to a terminal."""

from __future__ import annotations

import dataclasses
import io
import os
import pty
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.model import FixClass, Gap, Outcome, Report, Verdict
from auditor.report.table import ROWS_A_RULE, write_table
from auditor.report.wording import notices_of
from tests.report import samples


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")


def rendered(report: Report) -> str:
    out = io.StringIO()
    write_table(report, out)
    return out.getvalue()


def on_a_terminal(report: Report) -> str:
    """As a terminal would receive it."""
    ours, theirs = pty.openpty()
    try:
        with os.fdopen(theirs, "w", encoding="utf-8") as out:
            write_table(report, out)
            out.flush()
            return os.read(ours, 1 << 20).decode()
    finally:
        os.close(ours)


def test_a_bad_night_reads_like_this() -> None:
    assert rendered(samples.bad_night()) == GOLDEN


def test_a_clean_fleet_is_shown_with_its_coverage() -> None:
    text = rendered(samples.clean())
    assert "NO DRIFT  All 4 verdicts hold on 4 hosts of 2 endpoints." in text
    assert "Coverage: 100 % (4 judged, 0 unknown, 0 not applicable)" in text


@pytest.mark.parametrize(
    ("report", "headline"),
    [
        pytest.param(
            samples.blind,
            "NOT ALL JUDGED  No failure among 1 verdict, but 1 verdict is unknown and 1 gap",
            id="a vCenter did not answer",
        ),
        pytest.param(
            lambda: samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=[Gap("vc-east", "options", "permission missing")]),
            "NOT ALL JUDGED  No failure among 1 verdict, but 1 gap was left",
            id="a gap without an unknown verdict",
        ),
        pytest.param(
            lambda: samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], run_=samples.run(samples.reading(complete=False))),
            "NOT ALL JUDGED  No failure among 1 verdict, but 1 endpoint was not read",
            id="an endpoint read in part",
        ),
        pytest.param(lambda: samples.report_of([]), "NOTHING JUDGED  No verdict could be reached.", id="nothing applied"),
        pytest.param(
            lambda: samples.report_of([samples.pe_finding(verdict=Verdict.WAIVED)]),
            "NO DRIFT BEYOND WAIVERS  0 verdicts hold on 4 hosts of 2 endpoints; 1 failure",
            id="only waived",
        ),
    ],
)
def test_a_result_that_is_not_clean_is_not_called_clean(report: Callable[[], Report], headline: str) -> None:
    text = rendered(report())
    assert headline in text
    assert "NO DRIFT  " not in text


@pytest.mark.parametrize("width", [50, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal_and_no_host_or_value_is_lost(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    hosts = [f"esx-{number:02}.a-rather-long-site-name.dc{number}.corp.example.net" for number in range(3)]
    values = [f"iscsivmk_LunQDepth=192 iscsivmk_HostQDepth=102{number}" for number in range(3)]
    cluster = "a cluster with quite a long name"
    findings = [samples.pe_finding(host, cluster=cluster, observed=value) for host, value in zip(hosts, values, strict=True)]
    text = rendered(samples.report_of(findings))
    assert max(len(line) for line in text.splitlines()) <= width
    is_table = any(line.startswith("  Resource") for line in text.splitlines())
    together = re.sub(r"\s+", "", "".join(_column(text, start) for start in _starts(text)) if is_table else text)
    assert is_table or width < 200, "where there is no room for all names, each failure stands by itself"
    for name in (*hosts, *values):
        assert name.replace(" ", "") in together


def _starts(text: str) -> list[int]:
    heading = next(line for line in text.splitlines() if line.startswith("  Resource"))
    return [match.start() for match in re.finditer(r"\S+(?: \S+)*", heading)]


def _column(text: str, start: int) -> str:
    lines = text.splitlines()
    top = next(number for number, line in enumerate(lines) if line.startswith("  Resource")) + 1
    ends = [one for one in _starts(text) if one > start]
    return "\n".join(line[start : ends[0] if ends else None] for line in lines[top : lines.index("", top)])


@pytest.mark.parametrize("width", [50, 80, 120, 160])
def test_no_name_is_ever_cut(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    findings = [
        samples.pe_finding(f"esx-{number}.example.net", cluster=f"cluster {number} of a site", observed=number) for number in range(2)
    ]
    text = rendered(samples.report_of(findings))
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert text.count("naa.6f47acc100000000612e3f4d00000001") == 2
    assert all(f"esx-{number}.example.net" in text for number in range(2))


def test_a_single_failure_says_its_cluster_above_where_names_would_have_to_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    report = samples.report_of([samples.pe_finding("esx-dx-3.lab.example", cluster="dx90-l66")])
    text = rendered(report)
    assert "\n  in cluster dx90-l66\n" in text
    assert re.search(r"\n  naa\.\w+  esx-dx-3\.lab\.example\n    32 -> 256\n    fix: proposed; id: [0-9a-f]{8}\n", text)
    monkeypatch.setenv("COLUMNS", "120")
    assert re.search(r"esx-dx-3\.lab\.example +dx90-l66 +32 -> 256", rendered(report))


def test_a_host_that_no_terminal_has_room_for_is_wrapped_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    hosts = [f"esx-{number:02}.site-of-vienna.dc{number}.corp.storage.example.net" for number in range(2)]
    text = rendered(samples.report_of([samples.pe_finding(host, cluster=f"cluster {host}", observed=3) for host in hosts]))
    together = re.sub(r"\s+", "", text)
    assert all(host in together for host in hosts)


def test_values_that_every_row_shares_are_shown_once_above_the_table() -> None:
    text = rendered(samples.report_of([samples.pe_finding(f"esx-{number}.example.net") for number in range(3)]))
    assert "  each: cluster gold, 32 -> 256, proposed\n" in text
    assert re.search(r"  naa\.6f47acc100000000612e3f4d00000001  esx-2\.example\.net  [0-9a-f]{8}\n", text)


def test_values_that_only_the_shown_rows_share_are_marked_so() -> None:
    text = rendered(samples.report_of([samples.pe_finding(f"esx-{number:03}") for number in range(ROWS_A_RULE + 1)]))
    assert "  each shown: cluster gold, 32 -> 256, proposed\n" in text


def test_a_resource_that_is_its_own_host_is_named_once() -> None:
    text = rendered(samples.report_of([samples.pe_finding(f"esx-{number}", name=f"esx-{number}") for number in range(3)]))
    assert re.search(r"\n  Host   Id\n  esx-0  \w{8}\n  esx-1  \w{8}\n  esx-2  \w{8}\n", text)


def test_changes_that_were_not_attempted_are_counted_and_not_listed() -> None:
    receipts = [samples.receipt(Outcome.PROPOSED, why="needs --allow online-caution") for _ in range(7)]
    text = " ".join(rendered(samples.report_of([], receipts=receipts)).partition("CHANGES")[2].split())
    assert "device.dsnro 32 -> 256 proposed" in text
    assert "needs --allow online-caution (7 places)" in text
    assert "esx-01" not in text


def test_a_wide_terminal_shows_names_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert "naa.6f47acc100000000612e3f4d00000001  esx-01.example.net" in rendered(samples.bad_night())


def test_many_rows_of_a_rule_are_cut_and_counted() -> None:
    text = rendered(samples.report_of([samples.pe_finding(f"esx-{number:03}") for number in range(ROWS_A_RULE + 96)]))
    assert text.count("esx-0") == ROWS_A_RULE
    assert "+96 more, see --reporter json:PATH or --reporter html:PATH" in text


def test_a_hundred_thousand_findings_make_some_hundred_lines() -> None:
    text = rendered(samples.huge(100_000))
    assert "100,000 failures of 20 rules on 6,979 hosts" in text
    assert len(text.splitlines()) < 600


def test_the_worst_rule_comes_first() -> None:
    text = rendered(samples.bad_night())
    assert text.index("CRITICAL  sioc/overlap-array-qos") < text.index("HIGH  vvol/pe-dsnro-headroom")


def test_a_failure_without_a_fix_is_by_hand_and_says_where_to_read_on() -> None:
    finding = replace(samples.sioc_finding(), fix=None)
    text = rendered(samples.report_of([finding]))
    assert "by hand" in text
    assert "Fix 1 failure by hand; what to do: auditor rules show sioc/overlap-array-qos" in " ".join(text.split())


def test_two_fix_classes_of_one_rule_are_both_shown() -> None:
    fix = samples.pe_finding().fix
    assert fix is not None
    findings = [samples.pe_finding("esx-01"), samples.pe_finding("esx-02", fix=replace(fix, fix_class=FixClass.REBOOT))]
    text = rendered(samples.report_of(findings))
    assert "proposed, reboot" in " ".join(text.split())
    assert "--allow reboot" in text


def test_clusters_of_two_vcenters_have_the_vcenter_in_their_name() -> None:
    endpoints = samples.run(samples.reading("vc-east"), samples.reading("vc-west"))
    findings = [samples.pe_finding("esx-01", endpoint="vc-east"), samples.pe_finding("esx-02", endpoint="vc-west")]
    text = rendered(samples.report_of(findings, run_=endpoints))
    assert "vc-east/gold" in text
    assert "vc-west/gold" in text


def test_equal_notices_of_many_endpoints_become_one() -> None:
    names = [f"array-{number}" for number in range(9)]
    report = samples.clean()
    notices = (*(f"{name}: not asked" for name in names), "array-0: slow", "rules: not asked", "array-1 was seen: twice")
    endpoints = (samples.reading(), *(samples.reading(name, "element") for name in names))
    with_notices = replace(report, run=replace(report.run, endpoints=endpoints), notices=notices)
    assert list(notices_of(with_notices)) == [
        "array-0, array-1, array-2, array-3, array-4, array-5 and 3 more: not asked",
        "array-0: slow",
        "rules: not asked",
        "array-1 was seen: twice",
    ]


def test_unverified_tls_is_always_reported_and_only_once() -> None:
    blind = samples.run(samples.reading("sf-01", "element", "NOT VERIFIED"))
    report = samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], run_=blind)
    assert rendered(report).count("NOT VERIFIED") == 1
    with_notices = replace(report, notices=("TLS of sf-01 was not verified: fleet.yaml says verify: false",))
    assert rendered(with_notices).count("! TLS of sf-01") == 1


def test_files_and_pipes_get_no_control_characters() -> None:
    text = rendered(samples.bad_night())
    assert not {letter for letter in text if unicodedata.category(letter) == "Cc"} - {"\n"}


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in on_a_terminal(samples.bad_night())


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_that_wants_none_gets_plain_text(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv(name, value)
    assert "\x1b" not in on_a_terminal(samples.bad_night())


def test_names_of_the_fleet_cannot_steer_the_terminal() -> None:
    text = rendered(samples.hostile())
    assert not {letter for letter in text if unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp", "Cs"}} - {"\n"}
    assert r"\x1b[31mred" in text
    assert "[bold]" in text, "rich took a name for markup"
    assert r"- esx\r\nDRIFT: none" in text, "a name began a line of its own"


@given(st.text())
def test_no_name_whatever_breaks_the_table_or_reaches_it_raw(name: str) -> None:
    finding = samples.pe_finding(name, name=name, cluster=name, observed=name)
    gap = Gap(name, name, name)
    text = rendered(samples.report_of([finding], gaps=[gap], receipts=[samples.receipt(Outcome.REFUSED, why=name)]))
    allowed = {"\n", "\u200c", "\u200d"}
    assert not {letter for letter in text if unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp", "Cs"}} - allowed


def test_an_output_that_knows_only_ascii_is_no_error(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as out:
        write_table(samples.report_of([samples.pe_finding("مضيف")]), out)
    assert r"\u0645" in (tmp_path / "out").read_text(encoding="ascii")


def test_gaps_and_receipts_are_cut_and_counted_too() -> None:
    gaps = [Gap("vc-east", f"host {number}", "disconnected") for number in range(31)]
    receipts = [samples.receipt() for _ in range(45)]
    text = rendered(samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=gaps, receipts=receipts))
    assert "applied (45 places)" in text
    assert "GAPS: 31 things could not be read" in text
    assert "+11 more" in text
    assert "CHANGES: 45 applied" in text
    assert "+25 more" in text


def test_equal_gaps_of_several_endpoints_become_one() -> None:
    names = [f"dx-{number}" for number in range(8, 0, -1)]
    gaps = [Gap(name, what, f"endpoint {name}: E5003 improper") for name in names for what in ("pools", "hosts")]
    gaps.append(Gap("vc-east", "pools", "E9999 other"))
    text = rendered(samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=gaps))
    assert "GAPS: 17 things could not be read\n" in text
    for what in ("pools", "hosts"):
        assert f"  - dx-1, dx-2, dx-3, dx-4, dx-5, dx-6 and 2 more  {what}: E5003 improper\n" in text
    assert "  - vc-east  pools: E9999 other\n" in text
    assert "more, see" not in text


def test_an_unknown_verdict_shows_how_to_get_it_judged() -> None:
    rule = dataclasses.replace(samples.DSNRO, unknown_text="Add the array to fleet.yaml.")
    report = dataclasses.replace(samples.report_of([samples.pe_finding(verdict=Verdict.UNKNOWN)]), rules=(rule,))
    assert "Add the array to fleet.yaml." in rendered(report)


GOLDEN = """\
 DRIFT  3 failures of 2 rules on 2 hosts (1 critical, 2 high). Not everything
was judged: 1 verdict is unknown and 1 gap was left in the reading.
Run 20261121T065500Z-1a2b, 2026-11-21 06:55:00 UTC, took 2 min 5 s: 5 hosts, 2
endpoints.
! TLS of sf-01 was NOT VERIFIED: its answers may have come from another machine.

CRITICAL  sioc/overlap-array-qos  1 failure, fix: online
Storage I/O Control and array QoS do not throttle the same datastore
Two governors on one road: each takes the other's braking for congestion.
  Resource    Endpoint  Cluster  Observed -> desired  Fix       Id
  ds-gold-07  vc-east   gold     true -> false        proposed  ef09282d

HIGH  vvol/pe-dsnro-headroom  2 failures, fix: online-caution
One throttled disk cannot fill a protocol endpoint's queue
All virtual volumes behind a protocol endpoint share one queue, so one throttled
VM makes its neighbours wait.
  impact: vm-2 Hard disk 1 and 1 more take 267 to 383 ms behind vm-1 Hard disk
          1; after the fix 0.9 to 1.6 ms, at worst 80 ms
  each: cluster gold, 32 -> 256, proposed
  Resource                              Host                Id
  naa.6f47acc100000000612e3f4d00000001  esx-01.example.net  28289e63
  naa.6f47acc100000000612e3f4d00000001  esx-02.example.net  6aacd168

WAIVED: a waiver covers these, and no fix changes them
  - vvol/pe-dsnro-headroom  1 failure until 2027-06-01T00:00:00Z: replaced in
    May (storage team, CHG-77, waivers.yaml:2)

UNKNOWN: a fact was not read, so these are neither passes nor failures
  - vvol/pe-dsnro-headroom  1 unknown, not read: dsnro (on esx-03.example.net)

GAPS: 1 thing could not be read
  - vc-east  esxcli storage core device list on esx-03.example.net: the host is
    disconnected

CHANGES: 1 UNVERIFIED, 2 applied
  device.dsnro  32 -> 256  UNVERIFIED; found 32: the host took it and did
  nothing
    esx-01.example.net  naa.6f47acc100000000612e3f4d00000001
  device.dsnro  32 -> 256  applied
    esx-01.example.net  naa.6f47acc100000000612e3f4d00000001
  host.module_option  absent -> 256  applied, reboot pending
    esx-01.example.net  naa.6f47acc100000000612e3f4d00000001

Coverage: 90 % (9 judged, 1 unknown, 1 not applicable, 1 waived)
Next:
  - Look first at 1 write that did not read back as wanted.
  - Plan a reboot for 1 setting: stored, not yet in effect.
  - Preview 1 online fix: --fix --dry-run --allow online
  - Preview 2 online-caution fixes: --fix --dry-run --allow online-caution
  - See why, queue by queue, and how to show it: auditor explain ef09282d
  - Close the gaps and audit again: what is unknown has not passed.
"""
