"""`apply` as tests call it, with orders by name; one change as a run of its own, and the undo of that run."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from auditor.apply import undo, waves
from auditor.apply.orders import Orders
from auditor.apply.waves import Confirm
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.settings import remediator_for
from auditor.journal import Journal, open_journal
from auditor.model import Change, Endpoint, FixClass, Plan, Receipt
from tests.identified import as_seen


def apply(
    plan: Plan,
    sessions: Sessions,
    journal: Journal,
    *,
    confirm: Confirm,
    progress: Any = None,
    remediators: Callable[[str], Any] = remediator_for,
    **orders: Any,
) -> Iterator[Receipt]:
    return waves.apply(plan, sessions, journal, Orders(**orders), confirm=confirm, progress=progress, remediators=remediators)


def applied(change: Change, endpoint: Endpoint, journals: Path, run: str) -> Receipt:
    """The receipt of this change, made as a run of its own."""
    with Sessions({endpoint.name: endpoint}) as sessions, open_journal(journals, run) as journal:
        (receipt,) = apply(as_seen(sessions, change), sessions, journal, allow=frozenset(FixClass), confirm=lambda _: True)
    return receipt


def put_back(undone: str, endpoint: Endpoint, journals: Path, run: str) -> list[Receipt]:
    """The receipts of a run that undoes the run `undone`."""
    with Sessions({endpoint.name: endpoint}) as sessions, open_journal(journals, run) as journal:
        return list(undo(undone, sessions, journal, confirm=lambda _: True))
