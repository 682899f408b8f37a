"""Writes a short rule: what is judged, the condition, what to do, and a passing and a failing example that were found by trying rows."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.engine.probing.grid import fill, fill_grid, values_of
from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.params import bindings
from auditor.engine.rules.types import Family, family_of
from auditor.engine.sandbox import sandbox
from auditor.engine.verdict_sql import verdict_sql
from auditor.errors import ConfigurationError, RuleError
from auditor.model import Verdict
from auditor.sql.names import named

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from auditor.engine.rules.rule import Rule, Views

Row = dict[str, Any]
_SEEDS = {Family.TRUTH: True, Family.WHOLE: 1, Family.NUMBER: 1.0, Family.TEXT: "a"}
"""What a column is tried with where the condition names no value: with the values beside it, where it is a number."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What the author of a rule says.

    Attributes:
        rule: its id, TOPIC/NAME.
        view: the view that it judges.
        title: what is so where all is well.
        holds: the condition, SQL over one row.
        by_hand: what a person does about a failure.
    """

    rule: str
    view: str
    title: str
    holds: str
    by_hand: str


def short_rule(answers: Answers, views: Views, remediators: Collection[str], passes: Row | None = None, fails: Row | None = None) -> str:
    """The text of the file of a rule, which `auditor rules test` passes.

    Args:
        answers: of its author.
        views: with their columns.
        remediators: by name.
        passes: a row that passes; None: one is looked for.
        fails: likewise one that fails.

    Raises:
        RuleError: the condition has a mistake, or a row that was given.
        ConfigurationError: a row was looked for, and none was found.
    """
    rule = _read(answers, ({}, {}), views, remediators)
    found = _rows(rule, views[rule.over])
    rows = []
    for verdict, given in ((Verdict.PASS, passes), (Verdict.FAIL, fails)):
        row = given if given is not None else found.get(verdict)
        if row is None:
            word = "passes" if verdict is Verdict.PASS else "fails"
            raise ConfigurationError(
                f"no row was found that {word} {answers.holds}",
                why="no file was written: only a passing and a failing example show that the rule can say both.",
                do=f"give one: --{word} '{{COLUMN: VALUE}}'; `auditor rules schema {answers.view}` has a value of each column.",
            )
        rows.append(row)
    _read(answers, rows, views, remediators)  # before there is a file, which would stop every audit by its folder
    return _text(answers, rows)


def _text(answers: Answers, rows: Sequence[Row]) -> str:
    passes, fails = (", ".join(f"{column}: {json.dumps(value)}" for column, value in row.items()) for row in rows)
    return (
        f"id: {answers.rule}\n"
        f"title: {json.dumps(answers.title, ensure_ascii=False)}\n"
        "severity: medium # critical, high, medium, low or info\n"
        f"over: {answers.view}\n"
        f"holds: {json.dumps(answers.holds, ensure_ascii=False)}\n"
        f"by_hand: {json.dumps(answers.by_hand, ensure_ascii=False)}\n"
        "examples:\n"
        "  passes:\n"
        f"    - row: {{{passes}}}\n"
        "  fails:\n"
        f"    - row: {{{fails}}}\n"
    )


def _read(answers: Answers, rows: Sequence[Row], views: Views, remediators: Collection[str]) -> Rule:
    """The rule as its file would be read, with `rows` as its examples; a row without a column says nothing yet.

    Raises:
        RuleError: the condition or a row has a mistake; the message names no file, since none was written.
    """
    with tempfile.TemporaryDirectory(prefix="auditor-rule-") as folder:
        path = Path(folder) / f"{answers.rule}.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(_text(answers, rows), encoding="utf-8")
        try:
            return load_rules([Path(folder)], views, remediators)[answers.rule]
        except RuleError as error:
            what = error.what.replace(str(path), answers.rule)
            do = f"correct it; `auditor rules schema {answers.view}` lists the columns."
            raise RuleError(what, why="no file was written.", do=do) from error


def _rows(rule: Rule, view: Mapping[str, str]) -> dict[Verdict, Row]:
    """By verdict, a row that has it: of the values that stand in the condition, and beside them."""
    shape = {column: view[column] for column in rule.holds.columns}
    seed = {column: _SEEDS[family_of(kind)] for column, kind in shape.items() if family_of(kind) in _SEEDS}
    with sandbox() as connection:
        fill(connection, "example", shape, [])
        fill_grid(connection, shape, values_of(shape, [seed], rule.judging, []))
        listed = ", ".join(named(column) for column in shape)
        whole = " AND ".join(f"{named(column)} IS NOT NULL" for column in shape)
        verdict = f"TRY({verdict_sql(rule)})"
        bound = bindings({name: param.default for name, param in rule.params.items()})
        found = {}
        for wanted in (Verdict.PASS, Verdict.FAIL):
            query = f"SELECT {listed} FROM grid WHERE {whole} AND {verdict} = '{wanted}' ORDER BY ALL DESC LIMIT 1"
            row = connection.execute(query, bound).fetchone()
            if row is not None:
                found[wanted] = dict(zip(shape, row, strict=True))
        return found
