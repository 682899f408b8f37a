"""Nothing is written to, or settled on, an endpoint that is not the one that a plan or a journal is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from auditor.apply import Fate, recover, undo
from auditor.apply.identities import doubt
from auditor.apply.undoing import undo_plan
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError
from auditor.journal import history, open_intents, open_journal, read_journal
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Outcome, Plan, Receipt, Secret
from tests.applying import apply
from tests.older import older_journal

if TYPE_CHECKING:
    from pathlib import Path

HERE, THERE = "1111-here", "2222-there"
FIRST, SECOND = "20181104T130000Z-0001", "20181104T140000Z-0002"
ANSWERS = [
    pytest.param(THERE, "and is 2222-there now", id="another"),
    pytest.param(None, "does not say which one it is now", id="it does not say"),
    pytest.param(EndpointUnreachableError("no answer in 30 s", why="x", do="x"), "cannot be read (no answer in 30 s)", id="unreadable"),
]


class Speaking(SessionBase):
    """A session with an endpoint that says, or fails to say, who it is."""

    def __init__(self, endpoint: Endpoint, answer: str | EndpointUnreachableError | None) -> None:
        super().__init__(endpoint)
        self._answer = answer
        self.asked_again: list[bool] = []
        self.known_identity = answer if isinstance(answer, str) else None

    def identity(self, *, again: bool = False) -> str | None:
        self.asked_again.append(again)
        if isinstance(self._answer, EndpointUnreachableError):
            raise self._answer
        return self._answer


@contextmanager
def at(answer: str | EndpointUnreachableError | None, kind: EndpointKind = EndpointKind.VCENTER) -> Iterator[Sessions]:
    """Sessions with what fleet.yaml calls vc, which says that it is `answer`."""
    endpoint = Endpoint("vc", kind, "127.0.0.1", 443, "audit", Secret("env", ("NONE",)))

    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        yield Speaking(one, answer)

    with Sessions({"vc": endpoint}, {kind: opened}) as sessions:
        yield sessions


class Site:
    """Settings, a journal directory, and runs against the endpoint that answers."""

    def __init__(self, shelf: Any, journals: Path, remediators: Any) -> None:
        self.shelf, self.journals, self.remediators = shelf, journals, remediators

    def fix(self, change: Change, meant: str | None, answer: Any) -> Receipt:
        self.shelf.settings.setdefault(change.target["setting"], change.before)
        plan = Plan((change,), identities={"vc": meant})
        with at(answer) as sessions, open_journal(self.journals, FIRST) as journal:
            options: Any = {"allow": set(FixClass), "confirm": lambda _: True, "remediators": self.remediators}
            (receipt,) = apply(plan, sessions, journal, **options)
        return receipt

    def undo(self, answer: Any, **options: Any) -> Receipt:
        with at(answer) as sessions, open_journal(self.journals, SECOND) as journal:
            (receipt,) = undo(FIRST, sessions, journal, confirm=lambda _: True, remediators=self.remediators, **options)
        return receipt

    def killed(self, change: Change, identity: str | None) -> None:
        with open_journal(self.journals, FIRST) as journal:
            journal.intend(change, identity)

    def recover(self, answer: Any, **options: Any) -> Any:
        with at(answer) as sessions, open_journal(self.journals, SECOND) as journal:
            (recovered,) = recover(journal, sessions, self.remediators, **options)
        return recovered

    def forget(self) -> None:
        """Make the journal one of an older auditor, which recorded no identity."""
        path = self.journals / f"{FIRST}.jsonl"
        records = [json.loads(line) for line in path.read_text().splitlines()]
        assert any("identity" in record for record in records)
        path.write_bytes(older_journal({key: value for key, value in record.items() if key != "identity"} for record in records))


@pytest.fixture
def site(shelf: Any, journals: Path, remediators: Any) -> Site:
    return Site(shelf, journals, remediators)


@pytest.mark.parametrize(("answer", "says"), ANSWERS)
def test_a_plan_writes_nothing_to_an_endpoint_that_is_not_the_one_it_was_made_for(
    site: Site, change: Callable[..., Change], answer: Any, says: str
) -> None:
    receipt = site.fix(change(), HERE, answer)
    assert (receipt.outcome, site.shelf.writes) == (Outcome.REFUSED, [])
    assert "vc was vCenter 1111-here" in receipt.why
    assert says in receipt.why
    assert "nothing was written" in receipt.why
    assert history(site.journals).entries == ()


def test_a_plan_that_does_not_know_who_the_endpoint_was_writes_nothing(site: Site, change: Callable[..., Change]) -> None:
    receipt = site.fix(change(), None, HERE)
    assert (receipt.outcome, site.shelf.writes) == (Outcome.REFUSED, [])
    assert "not recorded which vCenter vc was" in receipt.why


@pytest.mark.parametrize(("answer", "says"), ANSWERS)
def test_undo_writes_nothing_to_another_endpoint_under_the_name(site: Site, change: Callable[..., Change], answer: Any, says: str) -> None:
    assert site.fix(change(), HERE, HERE).outcome is Outcome.APPLIED
    assert undo_plan(site.journals, FIRST).identities == {"vc": HERE}
    receipt = site.undo(answer)
    assert (receipt.outcome, len(site.shelf.writes)) == (Outcome.REFUSED, 1)
    assert says in receipt.why


def test_undo_goes_to_the_same_endpoint_under_any_name_it_has_now(site: Site, change: Callable[..., Change]) -> None:
    site.fix(change(), HERE, HERE)
    assert (site.undo(HERE.upper()).outcome, site.shelf.settings) == (Outcome.APPLIED, {"depth": 32})


def test_each_intent_of_a_journal_says_whom_it_was_for(site: Site, change: Callable[..., Change]) -> None:
    site.fix(change(), HERE, HERE)
    (intent,) = read_journal(site.journals / f"{FIRST}.jsonl").intents
    assert intent.identity == HERE
    lines = (site.journals / f"{FIRST}.jsonl").read_text().splitlines()
    assert [json.loads(line).get("identity") for line in lines] == [None, HERE, None]


def test_a_run_of_an_older_auditor_is_undone_only_by_names_that_somebody_trusts(site: Site, change: Callable[..., Change]) -> None:
    site.fix(change(), HERE, HERE)
    site.forget()
    receipt = site.undo(HERE)
    assert (receipt.outcome, len(site.shelf.writes)) == (Outcome.REFUSED, 1)
    assert "--trust-names" in receipt.why


def test_trusted_names_undo_a_run_of_an_older_auditor_and_the_journal_says_who_it_was(site: Site, change: Callable[..., Change]) -> None:
    site.fix(change(), HERE, HERE)
    site.forget()
    assert (site.undo(HERE, trust_names=True).outcome, site.shelf.settings) == (Outcome.APPLIED, {"depth": 32})
    (intent,) = read_journal(site.journals / f"{SECOND}.jsonl").intents
    assert intent.identity == HERE


def test_trusted_names_do_not_outweigh_an_identity(site: Site, change: Callable[..., Change]) -> None:
    site.fix(change(), HERE, HERE)
    assert (site.undo(THERE, trust_names=True).outcome, len(site.shelf.writes)) == (Outcome.REFUSED, 1)


@pytest.mark.parametrize(("answer", "says"), ANSWERS)
def test_recovery_settles_nothing_on_another_endpoint_under_the_name(
    site: Site, change: Callable[..., Change], answer: Any, says: str
) -> None:
    site.shelf.settings["depth"] = 32  # of the other endpoint: it looks as if the write had not arrived
    site.killed(change(), HERE)
    recovered = site.recover(answer)
    assert (recovered.fate, recovered.found) == (Fate.UNKNOWN, None)
    assert says in recovered.why
    assert "nothing was settled" in recovered.why
    assert len(open_intents(site.journals)) == 1


def test_recovery_settles_what_the_same_endpoint_holds(site: Site, change: Callable[..., Change]) -> None:
    site.shelf.settings["depth"] = 256
    site.killed(change(), HERE)
    assert (site.recover(HERE).fate, open_intents(site.journals)) == (Fate.APPLIED, [])


def test_an_open_intent_of_an_older_auditor_is_settled_only_where_its_run_is_trusted(site: Site, change: Callable[..., Change]) -> None:
    site.shelf.settings["depth"] = 256
    site.killed(change(), None)
    assert site.recover(HERE).fate is Fate.UNKNOWN
    (site.journals / f"{SECOND}.jsonl").unlink(missing_ok=True)
    assert (site.recover(HERE, trusted=FIRST).fate, open_intents(site.journals)) == (Fate.APPLIED, [])


@pytest.mark.parametrize(
    ("kind", "noun"), [(EndpointKind.VCENTER, "vCenter"), (EndpointKind.ESXI, "host"), (EndpointKind.ONTAP, "array")], ids=str
)
def test_a_doubt_names_what_kind_of_endpoint_it_is_about(kind: EndpointKind, noun: str) -> None:
    with at(THERE, kind) as sessions:
        assert doubt("vc", None, sessions, "nothing was written") == (
            f"it is not recorded which {noun} vc was, so nothing was written; a run of an older auditor is undone with --trust-names"
        )
        assert doubt("vc", HERE, sessions, "nothing was written") == (
            f"vc was {noun} 1111-here, and is 2222-there now: nothing was written; "
            "point the entry in fleet.yaml back to it, or use that run's fleet.yaml"
        )


def test_who_an_endpoint_is_is_asked_anew_before_each_write() -> None:
    with at(HERE) as sessions:
        assert [doubt("vc", HERE, sessions, "nothing was written") for _ in range(2)] == [None, None]
        assert sessions.session("vc").asked_again == [True, True]


def test_a_name_that_is_trusted_needs_no_answer() -> None:
    with at(EndpointUnreachableError("no answer in 30 s", why="x", do="x")) as sessions:
        assert doubt("vc", None, sessions, "nothing was written", trust_name=True) is None
