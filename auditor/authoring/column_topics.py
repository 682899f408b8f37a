"""Writes facts/column_topics.json: which topics each column of each judged view rests on.

Run as ``python -m auditor.authoring.column_topics`` (`make example-values`) when views changed.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from auditor.engine.lineage import Rests, rests_on
from auditor.facts.column_topics import FILE, OF_THE_BASELINE, OF_THE_FLEET_FILE, digest_of_views
from auditor.facts.needs import IDENTITIES, SOURCES
from auditor.facts.views import view_columns

_NOBODY_ASKED = {"declared": OF_THE_FLEET_FILE, "baseline": OF_THE_BASELINE}


def main() -> None:
    """Follow every column and write the file."""
    views = {view: {column: found_topics(view, column) for column in columns} for view, columns in view_columns().items()}
    text = json.dumps({"made_of": digest_of_views(), "views": views}, indent=1) + "\n"
    Path(str(resources.files("auditor.facts") / FILE)).write_text(text, encoding="utf-8")


def found_topics(view: str, column: str) -> list[str]:
    """The topics that a column rests on: those of its own facts, else of its rows; [] where the view cannot be followed."""
    try:
        own, rows = rests_on([(view, [column])]), rests_on([(view, [])])
    except NotImplementedError:
        return []
    facts = {(table, name) for table, name in own.columns - rows.columns if name}
    telling = {(table, name) for table, name in facts if name not in IDENTITIES.get(table, ())} or facts
    return sorted(_topics(telling) or _topics(_facts(rows)))


def _facts(rests: Rests) -> set[tuple[str, str]]:
    return {(table, name) for table, name in rests.columns if name} or set(rests.columns)


def _topics(facts: set[tuple[str, str]]) -> set[str]:
    told = {SOURCES[table].topic for table, _ in facts if table in SOURCES}
    return told | {_NOBODY_ASKED[table] for table, _ in facts if table in _NOBODY_ASKED}


if __name__ == "__main__":
    main()
