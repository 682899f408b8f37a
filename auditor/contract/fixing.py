"""Contract tests of fixing: each setting is read, written once, read back and undone, and never written over a newer change."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from auditor.apply.orders import Orders
from auditor.apply.undoing import undo
from auditor.apply.waves import apply
from auditor.contract.example import OfExamples
from auditor.endpoints.common.sessions import Sessions, open_session
from auditor.endpoints.settings import remediator_for
from auditor.errors import GuardError, PermissionMissingError
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Outcome, Plan, Resource
from auditor.model.endpoint_kinds import endpoint_type
from auditor_lab.wire import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.contract.example import Example, SettingChange
    from auditor.model import Endpoint, Receipt

FIRST, SECOND, THIRD = "20181104T120000Z-0001", "20181104T130000Z-0002", "20181104T140000Z-0003"


@dataclass
class Bench:
    """A served array, and one change on its way to it."""

    example: Example
    wanted: SettingChange
    server: Any
    endpoint: Endpoint
    journals: Path

    def run(self, run: str = FIRST, **changes: Any) -> Receipt:
        """Apply the change, with some fields replaced."""
        wanted = dataclasses.replace(self.wanted, **changes)
        resource = Resource("array_volume", repr(wanted.target.keys), "x", self.endpoint.name, None, None)
        change = Change(wanted.name, FixClass.ARRAY, wanted.target, wanted.before, wanted.after, ("site/rule",), resource, "reason")
        with Sessions({self.endpoint.name: self.endpoint}) as sessions, open_journal(self.journals, run) as journal:
            plan = Plan((change,), identities={self.endpoint.name: sessions.identity(self.endpoint.name)})
            orders = Orders(allow=frozenset(FixClass))
            (receipt,) = apply(plan, sessions, journal, orders, confirm=lambda _: True)
        return receipt

    def undone(self, run: str) -> Receipt:
        with Sessions({self.endpoint.name: self.endpoint}) as sessions, open_journal(self.journals, THIRD) as journal:
            (receipt,) = undo(run, sessions, journal, confirm=lambda _: True)
        return receipt

    def writes(self) -> int:
        written: int = self.server.requests.count(self.wanted.write)
        return written

    def state(self) -> Any:
        return self.example.state(self.server)


class FixingContract(OfExamples):
    """What every setting of every array does when it is fixed; `case` is an example and one of its changes."""

    @pytest.fixture
    def bench(self, case: tuple[Example, SettingChange], tmp_path: Path) -> Iterator[Bench]:
        example, wanted = case
        with example.served(tmp_path) as (server, endpoint, _):
            yield Bench(example, wanted, server, endpoint, tmp_path / "journals")

    def test_a_change_is_made_once_touches_nothing_else_and_is_undone(self, bench: Bench) -> None:
        before = bench.state()
        receipt = bench.run()
        assert (receipt.outcome, receipt.found, bench.writes()) == (Outcome.APPLIED, bench.wanted.after, 1)
        assert len([name for name, value in bench.state().items() if value != before[name]]) == 1
        assert (bench.run(SECOND).outcome, bench.writes()) == (Outcome.ALREADY, 1), "what is as wanted is not written"
        back = bench.undone(FIRST)
        assert (back.outcome, back.found, bench.writes()) == (Outcome.APPLIED, bench.wanted.before, 2)
        assert bench.state() == before

    def test_what_somebody_else_changed_is_left_alone(self, bench: Bench) -> None:
        other = "something else" if isinstance(bench.wanted.before, str) else 1
        receipt = bench.run(before=other)
        assert (receipt.outcome, receipt.found, bench.writes()) == (Outcome.STALE, bench.wanted.before, 0)

    def test_a_write_that_is_accepted_and_ignored_is_not_called_applied(self, bench: Bench) -> None:
        bench.example.ignore(bench.server, bench.wanted.write)
        receipt = bench.run()
        assert (receipt.outcome, receipt.found, bench.writes()) == (Outcome.UNVERIFIED, bench.wanted.before, 1)

    def test_a_write_whose_answer_is_lost_is_found_applied_by_reading_and_not_sent_again(self, bench: Bench) -> None:
        bench.server.faults.active.append(Fault("lose", bench.wanted.write))
        receipt = bench.run()
        assert (receipt.outcome, receipt.found, bench.writes()) == (Outcome.APPLIED, bench.wanted.after, 1)
        assert "not confirmed" in receipt.why

    def test_a_write_that_did_not_arrive_may_still_change_and_is_not_sent_again(self, bench: Bench) -> None:
        bench.server.faults.active.append(Fault("drop", bench.wanted.write))
        receipt = bench.run()
        assert (receipt.outcome, receipt.found, bench.writes()) == (Outcome.UNVERIFIED, bench.wanted.before, 1)

    def test_an_account_that_may_only_read_is_refused_and_changes_nothing(
        self, case: tuple[Example, SettingChange], tmp_path: Path
    ) -> None:
        example, wanted = case
        with example.served(tmp_path, **example.read_only) as (server, endpoint, _):
            bench = Bench(example, wanted, server, endpoint, tmp_path / "journals")
            before = bench.state()
            with open_session(endpoint) as session:
                tells_its_role = (session.role() or "").casefold() in endpoint_type(endpoint.kind).roles.read
            if tells_its_role:
                with pytest.raises(GuardError, match=f"{endpoint.name}: role .* on {endpoint.name}, which {wanted.name} needs"):
                    bench.run()
            else:
                receipt = bench.run()
                assert (receipt.outcome, receipt.found) == (Outcome.REFUSED, wanted.before)
            assert bench.state() == before
            with open_session(endpoint) as session, pytest.raises(PermissionMissingError):
                remediator_for(wanted.name).write(session, wanted.target, wanted.after)
            assert bench.state() == before
