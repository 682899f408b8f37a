"""What an earlier run left when it was killed is found out, said, and kept; nothing is written to an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.apply.interrupted import recover_interrupted
from auditor.apply.recovery import recover
from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError
from auditor.journal import history, open_journal
from auditor.model import Change, Endpoint, EndpointKind, Outcome, Receipt, Scalar, Target
from tests.apply.conftest import WHY_AND_DO, endpoint

Make = Callable[..., Change]
NOW = "20181104T130000Z-0002"


@dataclass
class Estate:
    """What is read now, by remediator; and the sessions that were opened."""

    answers: dict[str, Scalar | Exception] = field(default_factory=dict)
    opened: list[str] = field(default_factory=list)

    def remediator(self, name: str) -> Any:
        def read(session: SessionBase, target: Target) -> Reading:
            assert session.endpoint.name == target.endpoint
            found = self.answers[name]
            if isinstance(found, Exception):
                raise found
            return Reading(found)

        return SimpleNamespace(read=read)

    @contextmanager
    def session(self, one: Endpoint) -> Iterator[SessionBase]:
        self.opened.append(one.name)
        session = SessionBase(one)
        session.known_identity = "1111"
        yield session


@pytest.fixture
def estate(monkeypatch: pytest.MonkeyPatch) -> Estate:
    estate = Estate()
    monkeypatch.setattr("auditor.apply.interrupted.Sessions", partial(Sessions, openers={EndpointKind.VCENTER: estate.session}))
    monkeypatch.setattr("auditor.apply.interrupted.recover", lambda journal, sessions: recover(journal, sessions, estate.remediator))
    monkeypatch.setattr("auditor.apply.interrupted.remediator_for", estate.remediator)
    return estate


def looked(journals: Path, run: str = NOW) -> tuple[str, ...]:
    return recover_interrupted([endpoint(), endpoint("vc-2")], journals, run)


def on_host(change: Make, remediator: str, *, before: Scalar = 32, after: Scalar = 256, where: str = "vc") -> Change:
    return replace(change(where=where, before=before, after=after), remediator=remediator, target=Target(where, (("host_id", "host-1"),)))


def kept(journals: Path, change: Change, outcome: Outcome | None, identity: str | None = "1111") -> None:
    """A run that announced the change; `outcome` None: it was killed at the write."""
    with open_journal(journals, "run-1") as journal:
        intent = journal.intend(change, identity)
        if outcome is not None:
            journal.receipt(intent, Receipt(change, outcome, change.after))


def went_in(change: Make, where: str = "vc") -> Change:
    return on_host(change, "host.maintenance", before=False, after=True, where=where)


def test_where_nothing_was_left_nobody_is_asked_and_nothing_is_kept(estate: Estate, journals: Path, change: Make) -> None:
    assert looked(journals) == ()
    kept(journals, change(), Outcome.APPLIED)
    assert looked(journals) == ()
    assert (estate.opened, [path.name for path in journals.glob("*.jsonl")]) == ([], ["run-1.jsonl"])
    with open_journal(journals, "run-2"):
        assert looked(journals) == (), "nothing was left, so it does not matter that another run writes"


@pytest.mark.parametrize(
    ("remediator", "before", "after", "now", "sentence"),
    [
        pytest.param(
            *("shelf", 32, 256, 256, "changed shelf on depth (esx-01): applied; it is 256, as wanted."),
            id="a setting",
        ),
        pytest.param(
            *("host.boot", False, True, True, "rebooted it, host depth (esx-01): esx-01 has been rebooted."),
            id="a boot",
        ),
        pytest.param(
            "host.maintenance",
            True,
            False,
            False,
            "took it out of maintenance mode, host depth (esx-01): esx-01 is not in maintenance mode.",
            id="out of maintenance mode",
        ),
    ],
)
def test_a_write_that_was_cut_off_is_said_with_what_became_of_it(
    *, estate: Estate, journals: Path, change: Make, remediator: str, before: Scalar, after: Scalar, now: Scalar, sentence: str
) -> None:
    kept(journals, on_host(change, remediator, before=before, after=after), None)
    estate.answers = {remediator: now}
    assert looked(journals) == (f"Run run-1 was cut off while it {sentence}",)
    assert looked(journals, "20181104T140000Z-0003") == ()
    assert (journals / f"{NOW}-recovery.jsonl").exists()


def test_a_change_of_what_is_on_no_host_names_its_endpoint(estate: Estate, journals: Path, change: Make) -> None:
    kept(journals, change(host=None), None)
    estate.answers = {"shelf": 32}
    assert looked(journals) == ("Run run-1 was cut off while it changed shelf on depth (vc): not applied; it is still 32, as before.",)


LEFT = "Run run-1 took host depth of vc into maintenance mode and did not take it out again"


def test_a_run_that_was_cut_off_on_the_way_into_maintenance_mode_says_both(estate: Estate, journals: Path, change: Make) -> None:
    kept(journals, went_in(change), None)
    estate.answers = {"host.maintenance": True}
    assert looked(journals) == (
        "Run run-1 was cut off while it took it into maintenance mode, host depth (esx-01): esx-01 is in maintenance mode.",
        f"{LEFT}: it is in maintenance mode, and carries no machines. `auditor resume run-1` takes it out, or do so in vCenter.",
    )


@pytest.mark.parametrize(
    ("now", "sentence"),
    [
        pytest.param(
            True,
            f"{LEFT}: it is in maintenance mode, and carries no machines. `auditor resume run-1` takes it out, or do so in vCenter.",
            id="it is in it",
        ),
        pytest.param(
            EndpointUnreachableError("no answer", **WHY_AND_DO), f"{LEFT}; its state cannot be read now: no answer.", id="no answer"
        ),
    ],
)
def test_a_host_that_may_still_be_in_maintenance_mode_is_named_each_time(
    estate: Estate, journals: Path, change: Make, now: Scalar | Exception, sentence: str
) -> None:
    kept(journals, went_in(change), Outcome.APPLIED)
    estate.answers = {"host.maintenance": now}
    assert looked(journals) == (sentence,)
    assert looked(journals, "20181104T140000Z-0003") == (sentence,)
    assert len(history(journals).entries) == 1, "nothing is known that could be kept"


def test_a_host_that_somebody_took_out_is_not_named_and_the_journal_says_so(estate: Estate, journals: Path, change: Make) -> None:
    kept(journals, went_in(change), Outcome.APPLIED)
    estate.answers = {"host.maintenance": False}
    assert looked(journals) == ()
    [_, entry] = history(journals).entries
    leaving = replace(went_in(change), before=True, after=False, reason="the host carries machines again")
    assert (entry.intent.change, entry.intent.identity, entry.intent.run) == (leaving, "1111", f"{NOW}-recovery")
    assert entry.receipt == Receipt(leaving, Outcome.ALREADY, found=False, why="it left maintenance mode; nothing was done")
    estate.opened.clear()
    assert looked(journals, "20181104T140000Z-0003") == ()
    assert estate.opened == []


@pytest.mark.parametrize(
    ("where", "identity", "begin"),
    [
        pytest.param("vc", "2222", f"{LEFT}; vc was vCenter 2222, and is 1111 now: nothing is known of it; ", id="another vCenter"),
        pytest.param("vc", None, f"{LEFT}; it is not recorded which vCenter vc was, so nothing is known of it; ", id="not recorded"),
        pytest.param("gone", "1111", f"{LEFT.replace('vc', 'gone')}; its state cannot be read now: ", id="it left fleet.yaml"),
    ],
)
def test_of_a_host_on_another_endpoint_nothing_is_known(
    estate: Estate, journals: Path, change: Make, where: str, identity: str | None, begin: str
) -> None:
    kept(journals, went_in(change, where), Outcome.APPLIED, identity)
    estate.answers = {"host.maintenance": EndpointUnreachableError("it is not to be read", **WHY_AND_DO)}
    [sentence] = looked(journals)
    assert sentence.startswith(begin)
    assert sentence.endswith(".")
    assert len(history(journals).entries) == 1


def test_while_another_run_writes_nothing_is_looked_at(estate: Estate, journals: Path, change: Make) -> None:
    kept(journals, change(), None)
    with open_journal(journals, "run-2"):
        [sentence] = looked(journals)
    assert sentence.startswith("Not looked at: changes that an earlier run may have left open; ")
    assert "is in use by run run-2" in sentence
    assert estate.opened == []
