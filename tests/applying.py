"""`apply` as tests call it: with orders by name."""

from collections.abc import Callable, Iterator
from typing import Any

from auditor.apply import waves
from auditor.apply.orders import Orders
from auditor.apply.waves import Confirm
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.settings import remediator_for
from auditor.journal import Journal
from auditor.model import Plan, Receipt


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
