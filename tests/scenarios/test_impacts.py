"""What each incident's failure costs, by the queue model: the interval holds the figure of its report (docs/domain/incidents.md).

tests/long/walk/test_explaining.py holds one audit of the incidents to all that is asked of them.
"""

from __future__ import annotations

from typing import Any

import pytest

from auditor.engine.rules.checked import checked_rules
from tests.audits import Audit


def impact_of(audit: Audit, rule: str, name: str, host: str | None = None) -> dict[str, Any]:
    """The impact of the failure of a rule on a resource."""
    [finding] = [
        one
        for one in audit.of(rule, "fail")
        if one["resource"]["name"] == name and (host is None or one["resource"]["host"].startswith(host))
    ]
    found: dict[str, Any] = finding["impact"]
    return found


def meets(interval: list[float], low: float, high: float) -> bool:
    """An interval meets a report's figure, and its ends are within a factor of two of it."""
    return interval[0] <= high and low <= interval[1] and interval[0] >= low / 2 and interval[1] <= high * 2


def test_s0_a_neighbour_takes_300_to_400_ms_behind_the_throttled_disk_and_about_1_ms_after_the_fix(audit: Audit) -> None:
    found = impact_of(audit, "vvol/pe-dsnro-headroom", "naa.6f47acc2000000027366707200000000", "esx-vvol-1")
    assert (found["quantity"], found["victims"], found["behind"]) == ("latency_ms", ["gold-1 Hard disk 1"], ["bronze-noisy Hard disk 1"])
    assert meets(found["now"], 300, 400)
    assert meets(found["after"], 1, 1)
    assert found["size_known"]
    assert found["worst_now"][1] > found["worst_after"][1] > 10 * found["after"][1]


def test_s1_under_storage_io_control_machines_take_50_to_100_ms_and_the_wait_in_the_host_goes_without_it(audit: Audit) -> None:
    for host in ("esx-sc-1", "esx-sc-2"):
        found = impact_of(audit, "sioc/active-time", "sc-prod-01", host)
        assert all(name.startswith("app-") for name in found["victims"])
        assert meets(found["now"], 50, 100)
        assert found["after"][0] < found["now"][0] / 10
        assert found["after"][1] <= found["now"][1]
        assert (found["direction"], found["size_known"]) == ("better", False)


def test_s1_from_its_source_those_who_stay_are_told_what_the_copy_may_cost_them_and_by_which_assumptions(audit: Audit) -> None:
    found = impact_of(audit, "eseries/move-without-limit", "fileserver-md3")
    assert (found["model"], found["queue"]) == ("move", "md3-source/sas-10k")
    assert found["victims"] == ["md3-app-1 Hard disk 1", "md3-app-2 Hard disk 1", "md3-app-3 Hard disk 1", "md3-mail Hard disk 1"]
    assert found["now"] == [4.75, 6.3]  # the lab's 5 and 6 ms, 5 % either way
    # 24 disks that do 250 commands a second together: 8.333 * (1 + 32 / 24) / (1 - 250 / 24 / 120) = 21.3 ms. 200 and 50 commands a
    # second of 6.3 and 5.25 ms are 1.52 under way, and with the copy's 32 they find the 32 places of DSNRO: 33.52 / 32 of it.
    assert found["worst_now"] == [4.75, pytest.approx(21.29 * 33.52 / 32, rel=0.01)]
    assert (found["direction"], found["size_known"]) == ("better", False)
    assert [one["name"] for one in found["inputs"] if one["basis"] == "assumed"] == [
        "reads of the copy",
        "a read of the copy takes",
        "a disk takes for one",
    ]


def test_s2_the_host_that_was_raised_alone_goes_to_what_its_twins_have(audit: Audit) -> None:
    # Its twins on the same array do 65,000 behind 32 places; at the service time of 96 places it would be 40,000 to 46,000.
    found = impact_of(audit, "queue/device-depth-uniform", "nfnic", "esx-fq-ucs-3")
    assert found["quantity"] == "iops"
    assert found["after"][0] <= 65_000 <= found["after"][1] <= found["now"][1]
    assert (found["direction"], found["size_known"]) == ("worse", False)


@pytest.mark.parametrize("host", ["esx-fq-ucs-1", "esx-fq-ucs-2"])
def test_s2_65_000_commands_a_second_pass_and_125_000_are_among_what_both_depths_give(audit: Audit, host: str) -> None:
    [finding] = [one for one in audit.of("diag/queue-full", "fail") if one["resource"]["host"].startswith(host)]
    found = finding["impact"]
    assert found["quantity"] == "iops"
    # Each sample of the lab's counters is up to 4 % off.
    assert meets(found["now"], 65_000 * 0.96, 65_000 * 1.04)
    assert meets(found["after"], 125_000, 125_000)


def test_s3_the_disks_halves_of_transfers_is_within_what_rarer_copies_give(audit: Audit) -> None:
    # 6,800 transfers on 57 data disks: 119 each, 80 % busy. 40 % busy is half of them.
    found = impact_of(audit, "ontap/disk-busy", "aggr_10k")
    assert found["quantity"] == "transfers_per_disk"
    # The collector reports a rate only if slow answers make it wrong by at most 5 % (_TOLERANCE in auditor/endpoints/ontap/pools.py).
    assert meets(found["now"], 119 * 0.94, 119 * 1.06)
    assert found["after"][0] <= 119 / 2 <= found["after"][1]
    assert found["after"][0] >= 119 / 4
    assert (found["direction"], found["size_known"]) == ("better", False)
    assert found["victims_count"] > 5


def test_s4_what_nothing_counts_has_a_reason_and_no_figure(audit: Audit) -> None:
    for finding in audit.of("vaai/eternus-dx-s1-firmware", "fail"):
        assert list(finding["impact"]) == ["not_computed"]
        assert "nothing counts" in finding["impact"]["not_computed"]


def test_every_failure_of_a_rule_with_impact_has_one_or_says_why_not_and_no_other_verdict_has_one(audit: Audit) -> None:
    for finding in audit.report["findings"]:
        has_one = finding["verdict"] in ("fail", "waived") and checked_rules()[finding["rule"]].rule.impact is not None
        assert bool(finding["impact"]) == has_one or finding["verdict"] == "waived", finding["rule"]
    assert not any("impact" in notice for notice in audit.report["notices"])
