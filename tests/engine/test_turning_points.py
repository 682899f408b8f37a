"""What would change a verdict is worked out by the rule itself, one value at a time, and the nearest value is the nearest."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from auditor.engine.probing.turning_points import TurningPoint, turning_points
from auditor.facts.catalog import view_columns
from auditor.model import Scalar, Verdict
from auditor.pipeline.policy import load_rule_set
from auditor.report.terminal.explanation import point_text

HEADROOM: dict[str, Scalar] = {
    "stalls_neighbours": True,
    "per_object_qos": True,
    "carries_vvol_disks": True,
    "dsnro": 32,
    "queue_depth": 256,
    "deepest_disk_queue_at_least": 64,
    "deepest_disk_queue_at_most": 64,
}
DAVG: dict[str, Scalar] = {"is_shared": True, "commands_per_second": 51.8, "davg_median_ms": 75.0, "family": "dell-sc"}
RULES = load_rule_set()


def points(rule: str, evidence: Mapping[str, Scalar], **params: Scalar) -> dict[str, TurningPoint]:
    chosen = RULES[rule]
    values = {name: param.default for name, param in chosen.params.items()} | params
    found = turning_points(chosen, view_columns()[chosen.over], evidence, values)  # type: ignore[arg-type]
    assert found is not None
    return {point.name: point for point in found}


def test_the_nearest_value_is_found_for_facts_and_params() -> None:
    found = points("vvol/pe-dsnro-headroom", HEADROOM)
    # The rule wants 4 times the deepest disk's queue of 64, in DSNRO and in the device's queue.
    assert found["dsnro"] == TurningPoint("dsnro", 32, 256, Verdict.PASS)
    assert found["stalls_neighbours"] == TurningPoint("stalls_neighbours", now=True, value=False, verdict=Verdict.NOT_APPLICABLE)
    assert found["queue_depth"] == TurningPoint("queue_depth", 256, None, None)  # DSNRO is too low whatever the device takes
    # A disk with a queue of 8: four of them fill 32. What is known at least and at most is one figure.
    assert found["deepest_disk_queue_at_least"] == TurningPoint("deepest_disk_queue_at_least", 64, 8, Verdict.PASS)
    assert "deepest_disk_queue_at_most" not in found


@pytest.mark.long
def test_a_param_stays_within_its_bounds() -> None:
    # 32 / 64 would be half of a disk's queue; the least that may be asked for is 1 time.
    assert points("vvol/pe-dsnro-headroom", HEADROOM)["$headroom"].value is None
    deeper = points("vvol/pe-dsnro-headroom", {**HEADROOM, "dsnro": 128})
    assert deeper["$headroom"] == TurningPoint("$headroom", 4, 2, Verdict.PASS)


def test_the_params_in_force_count_and_not_the_defaults() -> None:
    found = points("vvol/pe-dsnro-headroom", HEADROOM, headroom=2)
    assert found["dsnro"].value == 128


@pytest.mark.long
def test_a_limit_that_itself_passes_and_one_that_does_not() -> None:
    found = points("diag/davg", DAVG)
    assert (found["davg_median_ms"].value, found["davg_median_ms"].is_beyond) == (30.0, False)  # 30 ms are accepted
    busy = points("ontap/disk-busy", {"family": "ontap", "media": "hdd", "busy_percent": 80.02})["busy_percent"]
    assert (busy.value, busy.is_beyond) == (70.0, True)  # and 70 % are not
    assert point_text(busy, 80.02) == "busy_percent is 80.02; with a value below 70 the rule passes"


def test_an_unknown_verdict_names_what_would_settle_it() -> None:
    found = points("vvol/pe-dsnro-headroom", {**HEADROOM, "dsnro": None})
    assert found["dsnro"].now is None
    assert found["dsnro"].value is not None


def test_evidence_of_another_rule_or_with_other_params_says_nothing() -> None:
    rule = RULES["vvol/pe-dsnro-headroom"]
    values = {name: param.default for name, param in rule.params.items()}
    view = view_columns()[rule.over]
    assert turning_points(rule, view, {**HEADROOM, "dsnro": 256}, values) is None  # that passes
    assert turning_points(rule, view, {**HEADROOM, "dsnro": "a word"}, values) is None


@pytest.mark.parametrize("value", ["x' OR true --", '"', "\x00"])
def test_a_value_of_the_fleet_is_never_a_statement(value: str) -> None:
    [family] = [point for point in turning_points_of_host_type(value) if point.name == "host_type"]
    assert family == TurningPoint("host_type", value, None, None)


def turning_points_of_host_type(value: str) -> tuple[TurningPoint, ...]:
    """What would change the verdict on a host that the array takes for `value`."""
    evidence: dict[str, Scalar] = {"family": "flasharray", "is_esxi": True, "host_type": value}
    return tuple(points("flasharray/host-personality", evidence).values())
