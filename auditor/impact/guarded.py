"""Adds impacts to the verdicts of a run; a bug in that costs the impacts, and not the report."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.impact.finding import add_impacts

if TYPE_CHECKING:
    import duckdb

    from auditor.model import ImpactModel


def add_impacts_guarded(connection: duckdb.DuckDBPyConnection, store: str, models: Mapping[str, ImpactModel | None]) -> tuple[str, ...]:
    """Do what `add_impacts` does, and answer what every reader has to know where it could not be done."""
    try:
        add_impacts(connection, store, models)
    except Exception as bug:  # noqa: BLE001  no verdict rests on an impact, so nothing that goes wrong here may cost the verdicts
        last = traceback.extract_tb(bug.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        why = f"a bug in auditor stopped it ({type(bug).__name__} in {place})"
        return (f"no impact of the findings was computed: {why}. The verdicts do not rest on it. Please report it.",)
    return ()
