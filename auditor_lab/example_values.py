"""Writes facts/example_values.json: for each column of each judged view, a value from the lab.

Run as ``python -m auditor_lab.example_values`` (`make example-values`) after views or the lab have changed; it reads the whole lab.
"""

from __future__ import annotations

import json
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

from auditor.endpoints.collect import collect_fleet
from auditor.facts.baseline import take
from auditor.facts.catalog import view_columns
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.facts.views import create_views
from auditor.fleet.loading import load_fleet
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve


def main() -> None:
    """Read the lab and write the file."""
    with tempfile.TemporaryDirectory(prefix="auditor-examples-") as folder, serve(load_scenario("all")) as lab:
        fleet = Path(folder) / "fleet.yaml"
        lab.write_fleet(fleet)
        snapshot = collect_fleet(load_fleet(fleet), lambda *_: None)
    take(snapshot, "20261121T065500Z-1a2b", None, "itself")  # for views that compare with a baseline
    create_views(snapshot.connection)
    values = {view: _values(snapshot, view, columns) for view, columns in view_columns().items()}
    text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
    Path(str(resources.files("auditor.facts") / "example_values.json")).write_text(text, encoding="utf-8")


def _values(snapshot: Snapshot, view: str, columns: dict[str, str] | Any) -> dict[str, Any]:
    """An example for each column of a view: the largest number, the first text that is not empty, true where any row has it."""
    expressions = [
        f'min("{name}") FILTER (WHERE "{name}" <> \'\')' if kind == "VARCHAR" else f'max("{name}")' for name, kind in columns.items()
    ]
    row = snapshot.connection.execute(f'SELECT {", ".join(expressions)} FROM "{view}"').fetchone() or ()  # noqa: S608  the views' own names
    return {name: value for name, value in zip(columns, row, strict=True) if isinstance(value, bool | int | float | str)}


if __name__ == "__main__":
    main()
