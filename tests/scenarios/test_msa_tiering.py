"""Of msa-tiering, besides what is expected of every scenario: of its twin nothing is found, and nothing is changed by itself."""

from __future__ import annotations

from typing import Any

from tests.audits import Audit


def of_msa(audit: Audit) -> list[dict[str, Any]]:
    """The findings about the arrays of the scenario, and about what vc-msa has."""
    return [one for one in audit.report["findings"] if one["resource"]["endpoint"] in ("msa-tiered", "msa-twin", "vc-msa")]


def test_of_the_twin_with_single_tiers_nothing_is_found_and_much_is_judged(audit: Audit) -> None:
    judged = [one for one in of_msa(audit) if "msa-twin" in (one["resource"]["cluster"], one["resource"]["endpoint"])]
    assert [one for one in judged if one["verdict"] in ("fail", "unknown")] == []
    assert {"array/warning-alert", "sioc/uniform-spindles"} < {one["rule"] for one in judged if one["verdict"] == "pass"}
    tiering = [one["verdict"] for one in judged if one["rule"] in ("sioc/auto-tiering", "sdrs/manual-on-tiering")]
    assert set(tiering) == {"not_applicable"}, "a single tier: nothing moves"


def test_nothing_of_it_is_changed_by_itself(audit: Audit) -> None:
    # No document of these arrays was read that asks for either: a person decides.
    rules = ("sioc/auto-tiering", "sdrs/manual-on-tiering")
    about = [one for one in of_msa(audit) if one["verdict"] == "fail" and one["rule"] in rules]
    assert [one["fix"]["outcome"] for one in about] == ["by_hand", "by_hand"]
