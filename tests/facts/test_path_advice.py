"""Advice on one device's path policy never goes two ways: what its vendor asks for goes before its claim rule and before the baseline."""

from functools import cache
from itertools import product
from typing import Any

import pytest

from tests.engine.test_shipped_rules import judge_rows, shipped
from tests.long.facts.test_baseline_views import LUN, devices, held, rows, with_policy

pytestmark = pytest.mark.long

PSP, TUNING, OVERRIDE, DRIFT = "multipath/psp", "multipath/rr-tuning", "multipath/device-override", "baseline/path-policy"
FAMILIES = (
    "flasharray",
    "dell-sc",
    "3par",
    "xtremio",
    "solidfire",
    "ontap",
    "svc",
    "hitachi",
    "huawei",
    "intelliflash",
    "blockbridge",
    "eva",
)
POLICIES = (
    ("VMW_PSP_FIXED", None, None),
    ("VMW_PSP_MRU", None, None),
    ("VMW_PSP_RR", "rr", 1000),
    ("VMW_PSP_RR", "iops", 1),
    ("VMW_PSP_RR", "iops", 3),
    ("VMW_PSP_RR", "latency", None),
)
"""Path selection policy, what round robin goes by, and its count."""

Policy = tuple[str, str | None, int | None]


def judged(rule: str, *found: dict[str, Any]) -> list[dict[str, Any]]:
    return judge_rows(shipped()[rule], found)


@cache
def lessons(family: str, policy: Policy) -> dict[str, dict[str, Any]]:
    """What the two lessons about path policies say of a host whose devices of this family all have this policy; failures only."""
    psp, by, count = policy
    text = f"{by}={count}" if by in ("rr", "iops") else by
    given = {"family": family, "luns": 1, "psps": psp, "psps_are_known": True, "round_robin_devices": int(psp == "VMW_PSP_RR")}
    found = {rule: judged(rule, given | {"round_robins": text, "round_robins_are_known": True})[0] for rule in (PSP, TUNING)}
    return {rule: one for rule, one in found.items() if one["verdict"] == "fail"}


def policy_text(policy: Policy) -> str:
    """A policy as baselines keep it."""
    psp, by, count = policy
    return psp if by is None else f"{psp}, {'iops ' + str(count) if by in ('rr', 'iops') else by}"


def consistent(desired: str, wanted: Policy, family: str) -> None:
    """`desired` is `wanted` only where no lesson fails on it; else it is what the lesson asks for."""
    failing = lessons(family, wanted)
    if not failing:
        assert " and a " not in desired, (family, wanted)
    for one in failing.values():
        asked = str(one["desired"]).strip('"').partition(", or a load")[0]
        assert desired.startswith(asked), (family, wanted)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_claim_rule_that_the_vendor_does_not_ask_for_is_not_what_is_asked_for(family: str) -> None:
    usual = {"is_shared": True, "has_claim_rule": True, "active_paths": 4, "family": family, "claimed_options": "as the rule says"}
    pairs = list(product(POLICIES, POLICIES))
    given = [
        {**usual, "psp": psp, "rr_policy": by, "rr_iops": count}
        | {"claimed_psp": claimed[0], "claimed_rr_policy": claimed[1] or "rr", "claimed_rr_iops": claimed[2] or 1000}
        for (psp, by, count), claimed in pairs
    ]
    failures = 0
    for (_, claimed), one in zip(pairs, judged(OVERRIDE, *given), strict=True):
        if one["verdict"] == "fail":
            failures += 1
            consistent(str(one["desired"]).strip('"'), claimed, family)
    assert failures > len(POLICIES)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_baseline_that_the_vendor_does_not_ask_for_is_not_what_is_asked_for(family: str) -> None:
    pairs = list(product(POLICIES, POLICIES))
    known = {"is_known": True, "is_seen": True, "family": family}
    failures = 0
    for (_, then), one in zip(
        pairs, judged(DRIFT, *({**known, "value": policy_text(now), "wanted": policy_text(then)} for now, then in pairs)), strict=True
    ):
        if one["verdict"] == "fail":
            failures += 1
            consistent(str(one["desired"]).strip('"'), then, family)
    assert failures > len(POLICIES)


def test_the_family_of_a_device_is_known_to_the_baseline() -> None:
    given = with_policy(devices(LUN))
    [row] = rows("baseline_path_policy", held(given, given))
    assert row["family"] == "solidfire"
