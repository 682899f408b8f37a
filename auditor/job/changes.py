"""What changed between two kept runs of a job."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError, SnapshotError

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.model import Report
    from auditor.model.comparison import Comparison

log = logging.getLogger(__name__)


def changes_since(state: Path, earlier: str | None, report: Report) -> Comparison | None:
    """What changed from the run `earlier` to the one of `report`; None where there is no earlier one, or it is not kept any more.

    A job is compared with its own run before, whatever was audited by hand meanwhile.
    """
    from auditor.history.comparison.comparing import compare_runs
    from auditor.history.runs import load_run

    if earlier is None:
        return None
    if report.compared is not None and report.compared.before == earlier:
        return report.compared
    try:
        return compare_runs(load_run(state, earlier), load_run(state, report.run.id))
    except (ConfigurationError, SnapshotError) as error:
        log.warning("run %s cannot be compared with %s: %s", report.run.id, earlier, error.what)
        return None
