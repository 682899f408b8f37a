"""How tests of the table render it."""

from __future__ import annotations

import io

from auditor.model import Report
from auditor.report.terminal.table import write_table


def rendered(report: Report) -> str:
    out = io.StringIO()
    write_table(report, out)
    return out.getvalue()
