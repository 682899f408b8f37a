"""Reuses verdicts of an earlier run whose rules, facts and code are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.engine.verdict_rows import JudgedRule
from auditor.engine.verdict_sql import VERDICT_COLUMNS
from auditor.engine.verdicts import STORED, DeferredVerdicts
from auditor.model import Verdict
from auditor.sql.names import quoted
from auditor.sql.statements import execute

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class TakenVerdicts:
    """The verdicts of some rules by an earlier run.

    Attributes:
        findings: the file that `Evaluation.save` wrote then; it is needed until the verdicts are saved again.
        rules: the ids of the rules whose verdicts are reused; those of other rules are not.
    """

    findings: Path
    rules: frozenset[str]


def take_over(
    connection: duckdb.DuckDBPyConnection, store: str, taken: TakenVerdicts, rules: Mapping[str, JudgedRule]
) -> tuple[DeferredVerdicts, ...]:
    """Copy the reused failures into the store, and return the other reused verdicts, which stay in their file.

    All are as they were before waivers and impacts, which are worked out anew.
    """
    before_waivers = {name: name for name in VERDICT_COLUMNS} | {"verdict": "coalesce(waived_from, verdict)"}
    columns = ", ".join(f"{text} AS {name}" for name, text in before_waivers.items())
    saved = f"SELECT {columns}, severity FROM read_parquet({quoted(str(taken.findings))})"
    listed = ", ".join(map(quoted, sorted(taken.rules))) or "NULL"
    these = f"FROM ({saved}) WHERE rule IN ({listed})"
    none = ", ".join("NULL" for _ in range(len(STORED) - len(VERDICT_COLUMNS) - 1))
    execute(connection, f"INSERT INTO {store}.verdict SELECT *, {none} {these} AND verdict = {quoted(Verdict.FAIL)}")
    counts: dict[str, dict[Verdict, int]] = {}
    for rule, verdict, count in execute(connection, f"SELECT rule, verdict, count(*) {these} GROUP BY ALL ORDER BY ALL").fetchall():
        if verdict != Verdict.FAIL:
            counts.setdefault(rule, {})[Verdict(verdict)] = int(count)
    return tuple(
        DeferredVerdicts(
            rule, rules[rule].severity, count, f"SELECT {', '.join(VERDICT_COLUMNS)} FROM ({saved}) WHERE rule = {quoted(rule)}", {}, saved
        )
        for rule, count in counts.items()
    )
