"""Another run, or somebody, that writes to the fleet at the same time: settings that are not as this run read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from auditor.apply import Pace
from auditor.apply.other_writers import OtherWriter
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import GuardError
from auditor.journal import Journal
from auditor.model import Change, FixClass, Outcome, Plan, Receipt
from tests.applying import apply

Make = Callable[..., Change]


@pytest.fixture
def run(shelf: Any, sessions: Sessions, journal: Journal) -> Callable[..., tuple[list[Receipt], GuardError | None]]:
    def run(*changes: Change, just_read: bool = True) -> tuple[list[Receipt], GuardError | None]:
        receipts: list[Receipt] = []
        plan = Plan(changes, identities={"vc": "1111"})
        options: dict[str, Any] = {
            "remediators": lambda _: shelf,
            "pace": Pace(just_read=just_read, who_else=lambda _change, _sessions: ""),
        }
        try:
            for receipt in apply(plan, sessions, journal, allow={FixClass.ONLINE}, confirm=lambda _: True, **options):
                receipts.append(receipt)  # noqa: PERF402  those before an error count
        except GuardError as error:
            return receipts, error
        return receipts, None

    return run


def hosts(change: Make, number: int) -> list[Change]:
    return [replace(change(f"d{place}", host=f"esx-{place}"), number=place) for place in range(1, number + 1)]


def outcomes(receipts: list[Receipt]) -> list[str]:
    return [str(receipt.outcome) for receipt in sorted(receipts, key=lambda one: one.change.number)]


def test_two_settings_that_somebody_made_meanwhile_stop_the_run_and_are_named(run: Any, shelf: Any, change: Make) -> None:
    shelf.settings = {f"d{place}": 32 for place in range(1, 6)} | {"d1": 256, "d2": 256}
    receipts, error = run(*hosts(change, 5))
    assert outcomes(receipts) == ["already", "already", "proposed", "proposed", "proposed"]
    assert shelf.writes == []
    assert error is not None
    assert "shelf on d1 of esx-1 was 32 and is 256, as this run was to set it; shelf on d2 of esx-2 was 32" in error.what
    assert "another run of auditor" in error.why
    assert "--state-dir" in error.do
    assert error.what in receipts[-1].why


def test_one_setting_that_somebody_changed_is_left_alone_and_the_others_are_made(run: Any, shelf: Any, change: Make) -> None:
    shelf.settings = {"d1": 256, "d2": 32, "d3": 32}
    receipts, error = run(*hosts(change, 3))
    assert (outcomes(receipts), error) == (["already", "applied", "applied"], None)


def test_the_settings_of_an_older_plan_may_have_been_made_since(run: Any, shelf: Any, change: Make) -> None:
    shelf.settings = {f"d{place}": 256 for place in range(1, 5)}
    receipts, error = run(*hosts(change, 4), just_read=False)
    assert (outcomes(receipts), error) == (["already"] * 4, None)


def receipt_of(change: Change, outcome: Outcome, found: object = 256) -> Receipt:
    return Receipt(change, outcome, found)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("written", "is_array", "waits_for"),
    [
        pytest.param({"host": "esx-9"}, False, (), id="it wrote to that host itself"),
        pytest.param({"host": None}, True, (), id="it wrote to that array, where one write reaches other objects"),
        pytest.param({"host": "esx-1"}, False, (1,), id="it wrote what the setting waits for"),
    ],
)
@pytest.mark.parametrize("outcome", [Outcome.APPLIED, Outcome.UNVERIFIED, Outcome.REVERTED])
def test_what_the_run_itself_may_have_brought_about_is_nobody_else_s(
    change: Make, written: dict[str, Any], is_array: bool, waits_for: tuple[int, ...], outcome: Outcome
) -> None:
    others = OtherWriter(lambda _: is_array, lambda _: "")
    own = replace(change("own", **written), number=1)
    assert others.take(receipt_of(own, outcome)) is None
    for place in range(4):
        seen = replace(change(f"d{place}", host="esx-9"), number=place + 2, waits_for=waits_for)
        assert others.take(receipt_of(seen, Outcome.ALREADY)) is None


def test_a_setting_that_was_right_when_it_was_read_shows_nobody(change: Make) -> None:
    others = OtherWriter(lambda _: False, lambda _: "")
    for place in range(4):
        waiting = change(f"d{place}", before=256, host=f"esx-{place}")  # for its reboot
        assert others.take(receipt_of(waiting, Outcome.ALREADY)) is None


def test_who_the_endpoint_names_stands_beside_the_setting(change: Make) -> None:
    others = OtherWriter(lambda _: False, lambda one: f"log of {one.resource.name}")
    assert others.take(receipt_of(change("d1", host="esx-1"), Outcome.STALE, 64)) is None
    error = others.take(receipt_of(change("d2", host="esx-2"), Outcome.STALE, 64))
    assert error is not None
    assert "shelf on d1 of esx-1 was 32 and is 64 (log of d1)" in error.what


def test_what_the_run_wrote_on_one_host_says_nothing_about_the_others_of_its_vcenter(change: Make) -> None:
    others = OtherWriter(lambda _: False, lambda _: "")
    assert others.take(receipt_of(replace(change("own", host="esx-1"), number=1), Outcome.APPLIED)) is None
    seen = [replace(change(f"d{place}", host=f"esx-{place}"), number=place) for place in (2, 3)]
    assert others.take(receipt_of(seen[0], Outcome.ALREADY)) is None
    assert others.take(receipt_of(seen[1], Outcome.ALREADY)) is not None


@pytest.mark.parametrize(
    ("outcome", "remediator"),
    [
        pytest.param(Outcome.REFUSED, "shelf", id="it was refused, and not read as a setting of the run"),
        pytest.param(Outcome.PROPOSED, "shelf", id="it was not attempted"),
        pytest.param(Outcome.ALREADY, "host.maintenance", id="a host that is in maintenance mode already"),
        pytest.param(Outcome.STALE, "host.boot", id="a host that booted by itself"),
    ],
)
def test_what_is_no_setting_that_was_read_anew_shows_nobody(change: Make, outcome: Outcome, remediator: str) -> None:
    others = OtherWriter(lambda _: False, lambda _: "")
    for place in range(4):
        seen = replace(change(f"d{place}", host=f"esx-{place}"), remediator=remediator)
        assert others.take(receipt_of(seen, outcome)) is None


@pytest.mark.parametrize(
    ("setting", "host", "named"),
    [
        pytest.param("d1", "esx-1", "shelf on d1 of esx-1", id="on a host"),
        pytest.param("esx-1", "esx-1", "shelf on esx-1", id="of the host itself"),
        pytest.param("store", None, "shelf on store", id="on no host"),
    ],
)
def test_a_setting_that_somebody_changed_is_named_with_its_host(change: Make, setting: str, host: str | None, named: str) -> None:
    others = OtherWriter(lambda _: False, lambda _: "")
    assert others.take(receipt_of(change(setting, host=host), Outcome.STALE, 64)) is None
    error = others.take(receipt_of(change("d2", host="esx-2"), Outcome.STALE, None))
    assert error is not None
    assert error.what == (
        f"2 settings are not as this run read, nor did it write there: {named} was 32 and is 64; shelf on d2 of esx-2 was 32 and is absent"
    )
