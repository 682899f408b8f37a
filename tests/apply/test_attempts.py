"""One attempt: on the endpoint that is meant, where health can be watched, and in a maintenance window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.apply.attempts import Attempts
from auditor.apply.restrictions import Restrictions
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError
from auditor.fleet.windows import MaintenanceWindow
from auditor.journal import Journal, history
from auditor.model import Change, Endpoint, EndpointKind, Outcome, Receipt
from tests.apply.conftest import WHY_AND_DO, OfSession, Shelf, endpoint

Make = Callable[..., Change]
SATURDAY = MaintenanceWindow((5,), 22 * 60, 23 * 60, "UTC")
OPEN, CLOSED = (datetime(2026, 11, 21, hour, 30, tzinfo=UTC) for hour in (22, 23))


class Watch:
    """A watch of health that is blind to what is in `blind`."""

    blind = frozenset({"hidden"})

    def blind_to(self, change: Change) -> str | None:
        return f"{change.resource.name} cannot be watched" if change.resource.name in self.blind else None


@pytest.fixture
def shelf() -> Shelf:
    return OfSession()


@pytest.fixture
def estate() -> Iterator[Sessions]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        if one.name == "dead":
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        session = SessionBase(one)
        session.known_identity = "1111"
        yield session

    with Sessions({name: endpoint(name) for name in ("vc", "vc-2", "dead")}, {EndpointKind.VCENTER: opened}) as held:
        yield held


@pytest.fixture
def attempts(shelf: Shelf, estate: Sessions, journal: Journal) -> Callable[..., Attempts]:
    def attempts(restrictions: Restrictions | None = None, *, trust_names: bool = False) -> Attempts:
        known = {"vc": "1111", "dead": "1111"}
        named: dict[str, Any] = {"shelf": shelf, "host.boot": shelf, "host.maintenance": shelf}
        return Attempts(estate, journal, named.__getitem__, known, trust_names, Watch(), restrictions or Restrictions())  # type: ignore[arg-type]

    return attempts


def test_a_change_is_made_and_the_journal_says_on_which_endpoint(
    attempts: Callable[..., Attempts], shelf: Shelf, change: Make, journals: Path
) -> None:
    shelf.settings["depth"] = 32
    assert attempts().attempt(change()) == Receipt(change(), Outcome.APPLIED, 256)
    assert [entry.intent.identity for entry in history(journals).entries] == ["1111"]


@pytest.mark.parametrize(
    ("where", "setting", "why"),
    [
        pytest.param("dead", "depth", "no session, so nothing was written: no answer", id="it does not answer"),
        pytest.param(
            "vc-2",
            "depth",
            "it is not recorded which vCenter vc-2 was, so nothing was written; a run of an older auditor is undone with --trust-names",
            id="the plan does not say which one it is",
        ),
        pytest.param("vc", "hidden", "hidden cannot be watched", id="its health cannot be watched"),
    ],
)
def test_what_is_in_doubt_gets_no_write(
    attempts: Callable[..., Attempts], shelf: Shelf, change: Make, where: str, setting: str, why: str
) -> None:
    shelf.settings[setting] = 32
    one = change(setting, where=where)
    assert attempts().attempt(one) == Receipt(one, Outcome.REFUSED, None, why)
    assert shelf.writes == []


def test_another_endpoint_of_the_name_gets_no_write(attempts: Callable[..., Attempts], shelf: Shelf, change: Make) -> None:
    shelf.settings["depth"] = 32
    made = replace(attempts(), identities={"vc": "2222"})
    receipt = made.attempt(change())
    assert (receipt.change, receipt.outcome, receipt.found, shelf.writes) == (change(), Outcome.REFUSED, None, [])
    assert receipt.why.startswith("vc was vCenter 2222, and is 1111 now: nothing was written; ")


def test_a_name_is_enough_where_names_are_trusted(attempts: Callable[..., Attempts], shelf: Shelf, change: Make) -> None:
    shelf.settings["depth"] = 32
    assert attempts(trust_names=True).attempt(change(where="vc-2")).outcome is Outcome.APPLIED


@pytest.mark.parametrize(
    ("remediator", "after", "outcome"),
    [
        pytest.param("host.boot", True, Outcome.APPLIED, id="the boot"),
        pytest.param("host.maintenance", False, Outcome.APPLIED, id="leaving maintenance mode"),
        pytest.param("host.maintenance", True, Outcome.REFUSED, id="going into it"),
    ],
)
def test_a_reboot_that_has_begun_ends_although_health_cannot_be_watched(
    attempts: Callable[..., Attempts], shelf: Shelf, change: Make, remediator: str, after: bool, outcome: Outcome
) -> None:
    shelf.settings["hidden"] = not after
    step = replace(change("hidden", not after, after), remediator=remediator)
    assert attempts().attempt(step).outcome is outcome


@pytest.mark.parametrize(
    ("remediator", "setting", "outcome"),
    [("shelf", "depth", Outcome.BY_HAND), ("other", "depth", Outcome.APPLIED), ("shelf", "width", Outcome.APPLIED)],
    ids=["of this setting", "of another remediator", "of another setting"],
)
def test_what_somebody_put_back_is_left_to_a_person(
    attempts: Callable[..., Attempts], shelf: Shelf, change: Make, remediator: str, setting: str, outcome: Outcome
) -> None:
    shelf.settings["depth"] = 32
    restrictions = Restrictions(put_back={(remediator, change(setting).target): "put back after run-1"})
    receipt = attempts(restrictions).attempt(change())
    assert (receipt.outcome, receipt.why == "put back after run-1") == (outcome, outcome is Outcome.BY_HAND)


def test_outside_the_windows_nothing_is_begun_and_what_has_begun_ends(
    attempts: Callable[..., Attempts], shelf: Shelf, change: Make
) -> None:
    shelf.settings["depth"] = 32
    closed = attempts(Restrictions((SATURDAY,), now=lambda: CLOSED))
    receipt = closed.in_window(change())
    assert (receipt.change, receipt.outcome, receipt.found, shelf.writes) == (change(), Outcome.PROPOSED, 32, [])
    assert receipt.why.startswith("not attempted: no maintenance window is open for cluster gold of vc; ")
    assert attempts(Restrictions((SATURDAY,), now=lambda: OPEN)).in_window(change()) == Receipt(change(), Outcome.APPLIED, 256)
    assert closed.attempt(change()).outcome is Outcome.ALREADY
