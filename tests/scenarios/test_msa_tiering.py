"""The audit of the scenario msa-tiering, which "all" leaves out: what is expected of it, and nothing of its twin."""

from __future__ import annotations

import pytest

from tests.audits import Audit

from .conftest import audit_of
from .expectations import difference, expected, found

NAME = "msa-tiering"


@pytest.fixture(scope="module")
def msa(tmp_path_factory: pytest.TempPathFactory) -> Audit:
    return audit_of(NAME, tmp_path_factory)


@pytest.mark.parametrize("verdict", ["fail", "unknown"])
def test_the_audit_finds_what_an_expert_expects_and_nothing_else(msa: Audit, verdict: str) -> None:
    wanted = expected(NAME).fails if verdict == "fail" else expected(NAME).unknowns
    differs = difference(wanted, found(msa.report["findings"], verdict, NAME))
    assert not differs, differs


def test_of_the_twin_with_single_tiers_nothing_is_found_and_much_is_judged(msa: Audit) -> None:
    judged = [one for one in msa.report["findings"] if "msa-twin" in (one["resource"]["cluster"], one["resource"]["endpoint"])]
    assert [one for one in judged if one["verdict"] in ("fail", "unknown")] == []
    assert {"array/warning-alert", "sioc/uniform-spindles"} < {one["rule"] for one in judged if one["verdict"] == "pass"}
    tiering = [one["verdict"] for one in judged if one["rule"] in ("sioc/auto-tiering", "sdrs/manual-on-tiering")]
    assert set(tiering) == {"not_applicable"}, "a single tier: nothing moves"


def test_nothing_of_it_is_changed_by_itself(msa: Audit) -> None:
    # No document of these arrays was read that asks for either: a person decides.
    rules = ("sioc/auto-tiering", "sdrs/manual-on-tiering")
    about = [one for one in msa.report["findings"] if one["verdict"] == "fail" and one["rule"] in rules]
    assert [one["fix"]["outcome"] for one in about] == ["by_hand", "by_hand"]
