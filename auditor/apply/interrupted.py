"""Changes that an earlier run announced in its journal and was killed before it could write the receipt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.apply.recovery import Recovered, recover
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import GuardError
from auditor.journal import open_intents, open_journal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from auditor.model import Endpoint


def recover_interrupted(endpoints: Iterable[Endpoint], journals: Path, run_id: str) -> tuple[str, ...]:
    """Find out what became of changes without a receipt; a sentence for each, usually none. Nothing is written to an endpoint.

    Args:
        endpoints: of the fleet.
        journals: the folder of all journals; it need not exist.
        run_id: the run that asks; what it finds out is kept in a journal of its own.

    Raises:
        JournalError: a journal is damaged.
    """
    if not journals.is_dir() or not open_intents(journals):
        return ()
    try:
        with Sessions({one.name: one for one in endpoints}) as sessions, open_journal(journals, f"{run_id}-recovery") as journal:
            return tuple(_sentence(recovered) for recovered in recover(journal, sessions))
    except GuardError as error:
        # A run that is writing just now has open intents too, and accounts for them itself.
        return (f"Not looked at: changes that an earlier run may have left open; {error.what}.",)


def _sentence(recovered: Recovered) -> str:
    change = recovered.intent.change
    place = f"{change.resource.name} ({change.resource.host or change.target.endpoint})"
    return f"Run {recovered.intent.run} was cut off while it changed {change.remediator} on {place}: {recovered.fate}; {recovered.why}."
