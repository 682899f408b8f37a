"""Exports of RVTools: the sheets of a workbook, or of CSV files that lie in one folder, and the facts that they have.

Source: docs/domain/evidence-files.md#5.
"""

from auditor.endpoints.files.rvtools.export import Export, Exports
from auditor.endpoints.files.rvtools.sheets import Sheet

__all__ = ["Export", "Exports", "Sheet"]
