"""The table of a report: what it lists, in which order, and what it says once."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from auditor.model import Finding, FixClass, Gap, Outcome, Report, Verdict
from auditor.report.terminal.failure_table import BLOCK
from auditor.report.terminal.table import write_table
from auditor.report.wording import notices_of
from tests.report import samples
from tests.report.table.tables import rendered


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
            "0 CHECKS HOLD BEYOND WAIVERS  0 checks of 1 rule on 1 of 4 hosts hold; 1",
            id="only waived",
        ),
    ],
)
def test_a_result_that_is_not_clean_is_not_called_clean(report: Callable[[], Report], headline: str) -> None:
    text = rendered(report())
    assert headline in text
    assert "NO DRIFT  " not in text


def test_values_that_every_row_shares_are_shown_once_above_the_table() -> None:
    text = rendered(samples.report_of([samples.pe_finding(f"esx-{number}.example.net") for number in range(3)]))
    assert "  each: cluster gold, 32 -> 256, proposed\n" in text
    assert re.search(r"\n {40}esx-2\.example\.net  [0-9a-f]{8}\n", text)


def test_a_resource_that_is_its_own_host_is_named_once() -> None:
    text = rendered(samples.report_of([samples.pe_finding(f"esx-{number}", name=f"esx-{number}") for number in range(3)]))
    assert re.search(r"\n  Host   Id\n  esx-0  \w{8}\n  esx-1  \w{8}\n  esx-2  \w{8}\n", text)


def test_changes_that_were_not_attempted_are_counted_and_not_listed() -> None:
    receipts = [samples.receipt(Outcome.PROPOSED, why="needs --allow online-caution") for _ in range(7)]
    text = " ".join(rendered(samples.report_of([], receipts=receipts)).partition("CHANGES")[2].split())
    assert "device.dsnro 32 -> 256 commands proposed" in text
    assert "needs --allow online-caution (7 places)" in text
    assert "esx-01" not in text.partition("Next:")[0]


def test_every_failure_is_listed_however_many_there_are() -> None:
    text = rendered(samples.report_of([samples.pe_finding(f"esx-{number:04}") for number in range(BLOCK + 96)]))
    assert len(set(re.findall(r"esx-\d{4}", text))) == BLOCK + 96
    assert "more, see" not in text


def test_failures_are_written_as_they_come() -> None:
    """A block waits for its widths, and no more: memory does not grow with the fleet."""
    written = most_in_a_pass = 0

    class Out(io.StringIO):
        def write(self, text: str) -> int:
            nonlocal written
            written += len(text)
            return len(text)

    def findings() -> Iterator[Finding]:
        nonlocal most_in_a_pass
        before = written
        for number in range(4 * BLOCK):
            most_in_a_pass = max(most_in_a_pass, written - before)
            yield samples.pe_finding(f"esx-{number}")

    write_table(replace(samples.clean(), findings=findings), Out())
    assert most_in_a_pass > 0.7 * written


def test_a_device_is_named_once_for_all_its_hosts() -> None:
    devices = [f"naa.6f47acc1{number:024x}" for number in range(2)]
    findings = [samples.pe_finding(f"esx-{host}", name=device, observed=host) for host in range(3) for device in devices]
    table = rendered(samples.report_of(findings))
    rows = table[table.index("  Resource ") : table.index("Changes" if "Changes" in table else "\n\n", table.index("  Resource "))]
    assert [rows.count(device) for device in devices] == [1, 1]
    for device in devices:
        after = rows[rows.index(device) :]
        assert re.findall(r"esx-\d", after)[:3] == ["esx-0", "esx-1", "esx-2"], "the hosts of a device stand below it"


def test_the_totals_end_the_output() -> None:
    last = rendered(samples.bad_night()).splitlines()[-3:]
    assert "DRIFT  3 failures of 2 rules on 2 hosts (1 critical, 2 high)." in " ".join(last)


def test_the_worst_rule_comes_first() -> None:
    text = rendered(samples.bad_night())
    assert text.index("CRITICAL  sioc/overlap-array-qos") < text.index("HIGH  vvol/pe-dsnro-headroom")


def test_a_failure_without_a_fix_is_by_hand_and_says_where_to_read_on() -> None:
    finding = replace(samples.sioc_finding(), fix=None)
    text = rendered(samples.report_of([finding]))
    assert "by hand" in text
    assert re.search(r"What to do by hand: auditor explain [0-9a-f]{8} --by-hand", " ".join(text.split()))


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


def test_every_gap_is_listed_and_receipts_are_cut_and_counted() -> None:
    gaps = [Gap("vc-east", f"host {number}", "disconnected") for number in range(31)]
    receipts = [samples.receipt() for _ in range(45)]
    text = rendered(samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=gaps, receipts=receipts))
    assert "applied (45 places)" in text
    assert "GAPS: 31 things could not be read" in text
    assert all(f"  - vc-east  host {number}: disconnected" in text for number in range(31))
    assert "CHANGES: 45 applied" in text
    assert "+25 more" in text


def test_equal_gaps_of_several_endpoints_become_one() -> None:
    names = [f"dx-{number}" for number in range(8, 0, -1)]
    gaps = [Gap(name, what, f"endpoint {name}: E5003 improper") for name in names for what in ("pools", "hosts")]
    gaps.append(Gap("vc-east", "pools", "E9999 other"))
    text = rendered(samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=gaps))
    assert "GAPS: 17 things could not be read\n" in text
    for what in ("pools", "hosts"):
        assert f"  - dx-1, dx-2, dx-3, dx-4, dx-5, dx-6 and 2 more  {what}: E5003 improper; to do:" in text
    assert "  - vc-east  pools: E9999 other; to do:" in text
    assert "more, see" not in text


def test_an_unknown_verdict_shows_how_to_get_it_judged() -> None:
    rule = dataclasses.replace(samples.DSNRO, unknown_text="Add the array\nto fleet.yaml.\n")
    report = dataclasses.replace(samples.report_of([samples.pe_finding(verdict=Verdict.UNKNOWN)]), rules=(rule,))
    assert "Add the array to fleet.yaml." in rendered(report), "lines of a rule's file are no lines of a terminal"


GOLDEN = """\
 DRIFT  3 failures of 2 rules on 2 hosts (1 critical, 2 high). Not everything
was judged: 1 verdict is unknown and 1 gap was left in the reading. Only this
was looked at: 3 of 116 rules, 2 of 2 endpoints: --tag qos --tag vvol.
Run 20261121T065500Z-1a2b, 2026-11-21 06:55:00 UTC, took 2 min 5 s: fleet.yaml,
5 hosts, 2 of 2 endpoints, 3 of 116 rules; 90 % judged, 1 waived.
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
                                        esx-02.example.net  6aacd168

WAIVED: a waiver covers these, and no fix changes them
  - vvol/pe-dsnro-headroom  1 failure until 2027-06-01T00:00:00Z: replaced in
    May (storage team, CHG-77, waivers.yaml:2)

UNKNOWN: a fact was not read, so these are neither passes nor failures
  - vvol/pe-dsnro-headroom  1 unknown, not read: dsnro (on esx-03.example.net)

GAPS: 1 thing could not be read
  - vc-east  esxcli storage core device list on esx-03.example.net: the host is
    disconnected; to do: reconnect the host in vCenter, then audit again

CHANGES: 1 UNVERIFIED, 2 applied
  device.dsnro  32 -> 256 commands  UNVERIFIED; found 32 commands: the host took
  it and did nothing
    esx-01.example.net  naa.6f47acc100000000612e3f4d00000001
  device.dsnro  32 -> 256 commands  applied
    esx-01.example.net  naa.6f47acc100000000612e3f4d00000001
  host.module_option  absent -> 256  applied, reboot pending
    esx-01.example.net  naa.6f47acc100000000612e3f4d00000001

  failures  sioc  vvol  all
  critical     1     -    1
  high         -     2    2
  unknown      -     1    1

2 causes:
  CRITICAL sioc/overlap-array-qos: 1 failure
  HIGH vvol/pe-dsnro-headroom: 2 failures on 2 hosts
Changes: 1 UNVERIFIED, 2 applied
Fixes: auditor can fix 3 failures
  - 1 now:
    auditor audit --fleet fleet.yaml --tag qos --tag vvol --fix --dry-run --allow online
  - with more allowed: 2 --allow online-caution

Next:
  - Look first at 1 write that did not read back as wanted.
  - Plan a reboot for 1 setting: stored, not yet in effect.
  - See why, queue by queue: auditor explain ef09282d

Endpoints: element 1, vcenter 1
Coverage: 90 % (9 judged, 1 unknown, 1 not applicable, 1 waived)
 DRIFT  3 failures of 2 rules on 2 hosts (1 critical, 2 high). Not everything
was judged: 1 verdict is unknown and 1 gap was left in the reading. Only this
was looked at: 3 of 116 rules, 2 of 2 endpoints: --tag qos --tag vvol.
"""
