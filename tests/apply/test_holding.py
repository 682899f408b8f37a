"""Whether what a run wrote stays, and who may have put it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from auditor.apply.holding import put_back, who_else_changed, who_put_back
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError
from auditor.journal import Journal, history, open_journal, read_journal
from auditor.model import Change, Endpoint, EndpointKind, Outcome, Receipt
from tests.apply.conftest import WHY_AND_DO, OfSession, Shelf, endpoint

Make = Callable[..., Change]


def nobody(_change: Change, _session: Any) -> str:
    return ""


def told(change: Change, session: Any) -> str:
    return f"{session.endpoint.name} says who put {change.resource.name} back"


@pytest.fixture
def shelf() -> Shelf:
    return OfSession()


@dataclass
class Registered:
    """What is registered with vCenters, by name; an error where one does not answer."""

    keys: dict[str, list[str] | Exception] = field(default_factory=dict)

    def read(self, session: SessionBase) -> list[str]:
        found = self.keys.get(session.endpoint.name, [])
        if isinstance(found, Exception):
            raise found
        return found


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Registered:
    registered = Registered()
    monkeypatch.setattr("auditor.endpoints.vcenter.culprits.registered", registered.read)
    return registered


@pytest.fixture
def estate() -> Iterator[Sessions]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        if one.name == "dead":
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        yield SessionBase(one)

    ends = {name: endpoint(name) for name in ("dead", "vc", "vc-2")} | {"sf": endpoint("sf", EndpointKind.ELEMENT)}
    with Sessions(ends, dict.fromkeys(EndpointKind, opened)) as held:
        yield held


def written(journal: Journal, *changes: Change) -> list[Receipt]:
    """The receipts of these changes, which are in the journal."""
    receipts = [Receipt(change, Outcome.APPLIED, change.after) for change in changes]
    for receipt in receipts:
        journal.receipt(journal.intend(receipt.change, "1111"), receipt)
    return receipts


def test_what_stayed_has_no_receipt_and_what_did_not_says_who_and_is_in_the_journal(
    shelf: Shelf, estate: Sessions, journal: Journal, journals: Path, change: Make
) -> None:
    shelf.settings, shelf.pending = {"a": 256, "b": 64, "c": None}, "reboot"
    changes = [change("a"), change("b"), change("c"), replace(change("b", where="vc-2"))]
    receipts = written(journal, *changes)
    shelf.faults = {}
    found = put_back(receipts[:3], estate, journal, lambda _name: shelf, told)
    assert found == [
        Receipt(
            changes[1],
            Outcome.REVERTED,
            64,
            "it was 256 when it was read back, and is 64 now; vc says who put b back",
            "reboot",
        ),
        Receipt(
            changes[2],
            Outcome.REVERTED,
            None,
            "it was 256 when it was read back, and is absent now; vc says who put c back",
            "reboot",
        ),
    ]
    outcomes = [(entry.intent.change, entry.receipt.outcome) for entry in history(journals).entries if entry.receipt]
    assert outcomes == list(zip(changes, [Outcome.APPLIED, Outcome.REVERTED, Outcome.REVERTED, Outcome.APPLIED], strict=True))


def test_where_nobody_is_known_a_receipt_says_the_values_alone(shelf: Shelf, estate: Sessions, journal: Journal, change: Make) -> None:
    shelf.settings = {"a": 32}
    [receipt] = put_back(written(journal, change("a")), estate, journal, lambda _name: shelf, nobody)
    assert receipt.why == "it was 256 when it was read back, and is 32 now"


@pytest.mark.parametrize(
    ("where", "why"),
    [
        pytest.param("vc", "it was read back as wanted, and could not be read again: a is not there", id="the object is gone"),
        pytest.param("dead", "it was read back as wanted, and could not be read again: no answer", id="it does not answer"),
    ],
)
def test_what_cannot_be_read_again_is_not_known_and_the_first_receipt_stands(
    shelf: Shelf, estate: Sessions, journal: Journal, journals: Path, change: Make, where: str, why: str
) -> None:
    shelf.settings, shelf.faults = {"a": 256, "b": 32}, {"a": "gone"}
    receipts = written(journal, change("a", where=where), change("b"))
    found = put_back(receipts, estate, journal, lambda _name: shelf, nobody)
    assert found[0] == Receipt(change("a", where=where), Outcome.UNVERIFIED, None, why)
    assert [entry.receipt.outcome for entry in history(journals).entries if entry.receipt] == [Outcome.APPLIED, Outcome.REVERTED]
    assert len(read_journal(journals / f"{journal.run}.jsonl").receipts) == 3


def test_each_setting_is_read_by_its_own_remediator_and_noted_by_both(
    shelf: Shelf, estate: Sessions, journal: Journal, journals: Path, change: Make
) -> None:
    other = Shelf({"a": 256})
    shelf.settings = {"a": 32}
    receipts = written(journal, replace(change("a"), remediator="other"), change("a"))
    found = put_back(receipts, estate, journal, {"other": other, "shelf": shelf}.__getitem__, nobody)
    assert [receipt.change.remediator for receipt in found] == ["shelf"]
    noted = [(entry.intent.change.remediator, entry.receipt.outcome) for entry in history(journals).entries if entry.receipt]
    assert noted == [("other", Outcome.APPLIED), ("shelf", Outcome.REVERTED)]


def test_what_another_run_wrote_and_what_no_intent_announces_is_not_noted(
    shelf: Shelf, estate: Sessions, journals: Path, change: Make
) -> None:
    shelf.settings = {"a": 32, "b": 32}
    with open_journal(journals, "run-1") as earlier:
        receipts = written(earlier, change("a"))
    with open_journal(journals, "run-2") as journal:
        written(journal, change("b"))
        found = put_back([*receipts, Receipt(change("b"), Outcome.APPLIED, 256)], estate, journal, lambda _name: shelf, nobody)
    assert [receipt.outcome for receipt in found] == [Outcome.REVERTED] * 2
    noted = {entry.intent.run: entry.receipt.outcome for entry in history(journals).entries if entry.receipt}
    assert noted == {"run-1": Outcome.APPLIED, "run-2": Outcome.REVERTED}


def test_services_that_set_an_array_s_limits_are_looked_for_at_each_vcenter(
    shelf: Shelf, estate: Sessions, journal: Journal, change: Make, registered: Registered
) -> None:
    registered.keys = {"vc": EndpointUnreachableError("no answer", **WHY_AND_DO), "vc-2": ["com.vmware.vim.sms", "com.solidfire.QoSSIOC"]}
    shelf.settings = {"limit": 1000}
    one = change("limit", before=500, after=2000, host=None, where="sf")
    [receipt] = put_back([Receipt(one, Outcome.APPLIED, 2000)], estate, journal, lambda _name: shelf, told)
    assert receipt.why.startswith(
        "it was 2000 when it was read back, and is 1000 now; sf says who put limit back; com.solidfire.QoSSIOC is registered with vc-2: "
    )
    shelf.settings = {"depth": 32}
    [receipt] = put_back([Receipt(change(), Outcome.APPLIED, 256)], estate, journal, lambda _name: shelf, nobody)
    assert receipt.why == "it was 256 when it was read back, and is 32 now", "no service of an array sets what is of a vCenter"


@pytest.fixture
def culprits(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a vCenter is asked about who wrote; it answers "root", or not at all where there is an error."""
    asked: list[Any] = []

    def ask(session: SessionBase, change: Change, *, is_untouched: bool = False) -> str:
        asked.append((session.endpoint.name, change.resource.name, is_untouched))
        if change.resource.name == "unread":
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        return "root did it"

    monkeypatch.setattr("auditor.endpoints.vcenter.culprits.who_put_back", ask)
    return asked


def test_an_endpoint_is_asked_who_put_a_setting_back(estate: Sessions, change: Make, culprits: list[Any]) -> None:
    assert who_put_back(change(), estate.session("vc")) == "root did it"
    assert who_put_back(change("unread"), estate.session("vc")) == ""
    assert who_put_back(change(), estate.session("sf")) == ""
    assert culprits == [("vc", "depth", False), ("vc", "unread", False)]


def test_an_endpoint_is_asked_who_changed_what_this_run_did_not_write(estate: Sessions, change: Make, culprits: list[Any]) -> None:
    assert who_else_changed(change(), estate) == "root did it"
    assert who_else_changed(change("unread"), estate) == ""
    assert who_else_changed(change(where="sf"), estate) == ""
    assert who_else_changed(change(where="dead"), estate) == ""
    assert culprits == [("vc", "depth", True), ("vc", "unread", True)]
