"""What a receipt says, word for word: people decide by it whether to look at a host tonight."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from auditor import stopping
from auditor.apply.guards import check_usual, select_changes
from auditor.apply.one_change import apply_change
from auditor.apply.steps import STEPS
from auditor.endpoints.common.remediator import Reading
from auditor.errors import EndpointUnreachableError, GuardError
from auditor.journal import Journal, history, open_intents
from auditor.model import Change, Contradiction, EndpointKind, FixClass, Outcome, Plan, Receipt, Scalar, Target, Unusual

Make = Callable[..., Change]
LOST = "the write was not confirmed (no answer in 30 s)"


@pytest.mark.parametrize(
    ("now", "fault", "outcome", "found", "why"),
    [
        pytest.param(32, "", Outcome.APPLIED, 256, "", id="made"),
        pytest.param(256, "", Outcome.ALREADY, 256, "it is as wanted; nothing was written", id="as wanted"),
        pytest.param(64, "", Outcome.STALE, 64, "the plan saw 32, it is now 64; nothing was written", id="stale"),
        pytest.param(None, "", Outcome.STALE, None, "the plan saw 32, it is now absent; nothing was written", id="removed"),
        pytest.param(
            32, "unreadable", Outcome.REFUSED, None, "it could not be read, so nothing was written: no answer", id="cannot be read first"
        ),
        pytest.param(32, "refuses", Outcome.REFUSED, 32, "the endpoint refused it: out of range", id="refused"),
        pytest.param(32, "may not", Outcome.REFUSED, 32, "the endpoint refused it: Host.Config.Storage", id="may not"),
        pytest.param(
            *(32, "refuses and changes", Outcome.UNVERIFIED, 7, "the endpoint refused it (out of range), yet it is 7 now and was 32"),
            id="refused and changed",
        ),
        pytest.param(
            *(32, "deaf", Outcome.UNVERIFIED, 32, "the write was accepted, but it reads back as 32 instead of 256"), id="taken and not done"
        ),
        pytest.param(
            *(32, "stores text", Outcome.UNVERIFIED, "256", "the write was accepted, but it reads back as '256' instead of 256"),
            id="stored as text",
        ),
        pytest.param(32, "answer lost, stored", Outcome.APPLIED, 256, f"{LOST}, and it reads back as wanted", id="answer lost, stored"),
        pytest.param(
            *(32, "answer lost, not stored", Outcome.UNVERIFIED, 32, f"{LOST}; it reads back as 32, and may still change"),
            id="answer lost, not stored",
        ),
        pytest.param(
            *(32, "dies at the write", Outcome.UNVERIFIED, None, f"{LOST}, and it could not be read back: no answer"), id="not read back"
        ),
    ],
)
@pytest.mark.parametrize("pending", [None, "reboot"])
def test_a_receipt_says_what_was_found_and_why(
    *, shelf: Any, journal: Journal, change: Make, now: Scalar, fault: str, outcome: Outcome, found: Scalar, why: str, pending: str | None
) -> None:
    shelf.settings["depth"], shelf.faults["depth"], shelf.pending = now, fault, pending
    planned = change("depth", 32, 256)
    receipt = apply_change(planned, shelf, "session", journal)
    was_read = fault not in {"unreadable", "dies at the write"}
    assert receipt == Receipt(planned, outcome, found, why, pending if was_read else None)


def test_what_was_accepted_and_cannot_be_read_back_says_so(shelf: Any, journal: Journal, change: Make) -> None:
    shelf.settings["depth"] = 32
    shelf.before_write = lambda: shelf.faults.__setitem__("depth", "unreadable")
    receipt = apply_change(change("depth", 32, 256), shelf, "session", journal)
    assert (receipt.outcome, receipt.found) == (Outcome.UNVERIFIED, None)
    assert receipt.why == "the write was accepted, but it could not be read back: no answer"


def test_what_was_put_back_is_left_to_a_person_where_it_would_be_written(shelf: Any, journal: Journal, change: Make) -> None:
    shelf.settings["depth"], shelf.pending = 32, "reboot"
    planned = change("depth", 32, 256)
    assert apply_change(planned, shelf, "session", journal, put_back="put back after r1") == Receipt(
        planned, Outcome.BY_HAND, 32, "put back after r1", "reboot"
    )
    shelf.settings["depth"] = 256
    assert apply_change(planned, shelf, "session", journal, put_back="put back after r1").outcome is Outcome.ALREADY
    assert shelf.writes == []


@dataclass
class Noting:
    """A remediator of ATS locking that notes what it is called with."""

    value: Scalar = 1
    inherited: bool | None = None
    heals: bool = True
    parent: Scalar = None  # what it inherits
    pending: str | None = None
    at_write: Callable[[], None] = lambda: None
    calls: list[tuple[object, ...]] = field(default_factory=list)
    kind = EndpointKind.VCENTER

    def read(self, session: object, target: Target) -> Reading:
        self.calls.append(("read", session, target))
        return Reading(self.value, self.pending, self.inherited)

    def write(self, session: object, target: Target, value: Scalar) -> None:
        self.calls.append(("write", session, target, value))
        self.at_write()
        self.value, self.inherited = value, False


class Parented(Noting):
    def inherit(self, session: object, target: Target, value: Scalar) -> None:
        self.calls.append(("inherit", session, target, value))
        if self.heals:
            self.value, self.inherited = self.parent, True
        self.at_write()


@pytest.mark.parametrize("remediator", ["shelf", *sorted(STEPS)])
def test_the_session_and_the_target_reach_each_call_and_the_identity_the_journal(
    journals: Path, journal: Journal, change: Make, remediator: str
) -> None:
    noting, planned = Noting(32), replace(change("depth", 32, 256), remediator=remediator)
    apply_change(planned, noting, "session", journal, "uuid-1")
    target = planned.target
    assert noting.calls == [("read", "session", target), ("write", "session", target, 256), ("read", "session", target)]
    (entry,) = history(journals).entries
    assert (entry.intent.identity, entry.intent.change) == ("uuid-1", planned)
    assert entry.intent.change.before_inherited is False


@pytest.mark.parametrize("inherited", [True, False, None])
def test_the_journal_says_whether_the_value_was_the_objects_own(
    journals: Path, journal: Journal, change: Make, inherited: bool | None
) -> None:
    apply_change(change("depth", 32, 256), Noting(32, inherited), "session", journal)
    (entry,) = history(journals).entries
    assert entry.intent.change.before_inherited is (inherited is True)


@pytest.mark.parametrize(
    ("parent", "heals", "outcome", "why"),
    [
        pytest.param(32, True, Outcome.APPLIED, "", id="from its parent, which holds what it held"),
        pytest.param(64, True, Outcome.APPLIED, "it comes from its parent again, which holds 64 by now", id="another value by now"),
        pytest.param(
            *(32, False, Outcome.UNVERIFIED, "the write was accepted, but it reads back as 256 instead of a value from its parent"),
            id="it did nothing",
        ),
    ],
)
def test_an_undo_to_a_parent_takes_the_own_value_away(
    journal: Journal, change: Make, parent: int, heals: bool, outcome: Outcome, why: str
) -> None:
    noting = Parented(256, inherited=False, heals=heals, parent=parent)
    undo = replace(change("depth", 256, 32), after_inherited=True)
    receipt = apply_change(undo, noting, "session", journal)
    assert (receipt.outcome, receipt.why) == (outcome, why)
    assert noting.calls[1] == ("inherit", "session", undo.target, 32)


def test_an_undo_to_a_parent_whose_answer_was_lost_says_both(journal: Journal, change: Make) -> None:
    def lose() -> None:
        raise EndpointUnreachableError("no answer in 30 s", why="x", do="x")

    noting = Parented(256, inherited=False, parent=64, at_write=lose)
    receipt = apply_change(replace(change("depth", 256, 32), after_inherited=True), noting, "session", journal)
    assert (receipt.outcome, receipt.found) == (Outcome.APPLIED, 64)
    assert receipt.why == f"{LOST}, and it reads back as wanted; it comes from its parent again, which holds 64 by now"


@pytest.mark.parametrize("remediator", sorted(STEPS))
def test_a_step_of_a_reboot_waits_for_no_boot(journal: Journal, change: Make, remediator: str) -> None:
    step = replace(change("step", before=False, after=True, fix_class=FixClass.REBOOT), remediator=remediator)
    receipt = apply_change(step, Noting(value=False), "session", journal)
    assert (receipt.outcome, receipt.pending) == (Outcome.APPLIED, None)


@pytest.fixture
def handled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """SIGTERM handled as in a program of its own."""
    monkeypatch.setattr(stopping, "_state", stopping._State())
    before = signal.signal(signal.SIGTERM, stopping._handle)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("handled")
@pytest.mark.parametrize(
    ("remediator", "value"),
    [
        pytest.param("shelf", 256, id="a setting is written and journalled first"),
        pytest.param("host.maintenance", 32, id="a host that is emptied is not waited for"),
        pytest.param("host.boot", 32, id="nor one that boots"),
    ],
)
def test_a_signal_waits_for_the_write_of_a_setting_and_for_no_host(
    journals: Path, journal: Journal, change: Make, remediator: str, value: int
) -> None:
    noting = Noting(32, at_write=lambda: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(stopping.Stopped):
        apply_change(replace(change("depth", 32, 256), remediator=remediator), noting, "session", journal)
    assert noting.value == value
    assert len(open_intents(journals)) == (value == 32)


def test_a_remediator_that_knows_no_parent_writes_the_value(journal: Journal, change: Make) -> None:
    noting = Noting(256, inherited=False)
    undo = replace(change("depth", 256, 32), after_inherited=True)
    receipt = apply_change(undo, noting, "session", journal)
    assert noting.calls[1][0] == "write"
    assert receipt.outcome is Outcome.UNVERIFIED, "it is its own value, and no longer the parent's"


class Silent:
    """A session with a vCenter that does not answer."""

    def object(self, _kind: Any, object_id: str) -> str:
        return object_id

    def read(self, *_args: Any) -> Any:
        raise EndpointUnreachableError("no answer", why="x", do="x")


def test_an_interlock_forbids_the_write_and_says_why(journal: Journal, journals: Path, change: Make) -> None:
    locking = Target("vc", (("host_id", "host-1"), ("option", "VMFS3.HardwareAcceleratedLocking")))
    planned = replace(change("x", 1, 0), remediator="host.option", target=locking)
    noting = Noting(1, pending="reboot")
    receipt = apply_change(planned, noting, Silent(), journal)
    assert (receipt.change, receipt.outcome, receipt.found, receipt.pending) == (planned, Outcome.REFUSED, 1, "reboot")
    assert receipt.why.startswith("HardwareAcceleratedLocking stays 1, since it could not be read whether")
    assert [call[0] for call in noting.calls] == ["read"]
    assert list(journals.glob("*.jsonl")) == []


def test_what_is_not_attempted_has_a_receipt_with_the_value_of_now(change: Make) -> None:
    by_hand, caution = change("a", 1, 2, fix_class=FixClass.MANUAL), change("b", 3, 4, fix_class=FixClass.ONLINE_CAUTION)
    retuned, plain, disputed = change("c", 5, 6, takes=FixClass.RETUNE), change("d", 7, 8), change("e", 9, 10)
    clash = Contradiction(disputed.remediator, disputed.target, (("b/two", 10), ("a/one", 11)))
    attempted, skipped = select_changes(Plan((by_hand, caution, retuned, plain, disputed), contradictions=(clash,)), {FixClass.ONLINE})
    assert attempted == [plain]
    assert skipped == [
        Receipt(by_hand, Outcome.BY_HAND, 1, "it has to be done by hand"),
        Receipt(caution, Outcome.PROPOSED, 3, "needs --allow online-caution"),
        Receipt(retuned, Outcome.PROPOSED, 5, "needs --allow online --allow retune"),
        Receipt(disputed, Outcome.PROPOSED, 9, "a/one and b/two want different values; settle that first"),
    ]


@pytest.mark.parametrize(
    ("numbers", "what"),
    [
        pytest.param((1, 2, 9), "host.option Disk.X would be set to 7 in 2 places, and the fleet has 8 to 16 (rule a/b)", id="two"),
        pytest.param((2, 9), "host.option Disk.X would be set to 7 in 1 place, and the fleet has 8 to 16 (rule a/b)", id="one"),
        pytest.param((9,), None, id="none of those that are attempted"),
    ],
)
def test_an_unusual_value_ends_a_run_that_would_write_it(change: Make, numbers: tuple[int, ...], what: str | None) -> None:
    changes = [replace(change(name), number=number) for number, name in enumerate("abc")]
    plan = Plan(tuple(changes), unusual=(Unusual("a/b", "host.option", (("option", "Disk.X"),), 7, "8 to 16", numbers),))
    if what is None:
        check_usual(changes, plan)
        return
    with pytest.raises(GuardError) as raised:
        check_usual(changes, plan)
    assert raised.value.what == what
