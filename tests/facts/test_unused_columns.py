"""Every column of the fact tables decides something, or its table has what it is kept for.

It decides where a rule's expression, the model of impact or a statement of the program rests on it. What a view, a message or the
evidence of a rule shows, and nobody judges, may be a finding that nobody sees.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import auditor
from auditor.facts.catalog import catalog, facts_of_columns, view_columns
from auditor.facts.schema import TABLES
from auditor.facts.snapshots.earlier import HOST_MARKS
from auditor.facts.snapshots.two_readings import COMPARED
from auditor.facts.views import RESOURCE_COLUMNS
from auditor.impact import finding, path
from auditor.pipeline.policy import load_rule_set
from auditor.reproduction import neighbours

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.facts.table import Fact

_FOLDER = Path(auditor.__file__).parent
_OTHERS = ("authoring", "recording", "report/inventory")
"""Folders whose statements judge and change nothing of a fleet; the inventory shows what there is, and decides nothing."""
_MODELS = ("impact", "reproduction")
"""Folders that ask views for rows, and reckon with their columns."""
_ASKED = {*path.VIEWS, *finding.VIEWS, *neighbours.VIEWS}
"""The views that they ask."""

_NAMED = re.compile(r'\bfact\."?(\w+)"?(?:\s+(?:AS\s+)?(\w+))?')
_WORD = re.compile(r"(?:(\w+)\.)?(\w+)")


@pytest.mark.long
def test_what_a_column_is_kept_for_is_said_where_nothing_uses_it_and_nowhere_else() -> None:
    silent, needless = faults(used_facts(), {name: table.kept_for for name, table in TABLES.items()})
    assert silent == [], "judge by it, or say in `kept_for` of its table what a person sees or asks by it"
    assert needless == [], "it is used, or not there: take it out of `kept_for` of its table"


def test_a_reason_that_is_taken_away_or_given_without_need_is_found() -> None:
    kept_for = {name: table.kept_for for name, table in TABLES.items()}
    for name, reasons in kept_for.items():
        for column in reasons:
            fewer = {other: text for other, text in reasons.items() if other != column}
            lost = [f"{name}.{one}" for one in (TABLES[name].names if column == "" else [column])]
            assert faults(used_facts(), {**kept_for, name: fewer}) == (lost, [])
    for name, column in (("device", "queue_depth"), ("device", "queue_dept"), ("device", "")):
        more = {**kept_for[name], column: "who knows"}
        assert faults(used_facts(), {**kept_for, name: more})[1] == [f"{name}.{column}"]


def test_a_column_that_rules_show_and_none_judges_decides_nothing() -> None:
    assert ("hba", "status") in used_facts()
    assert ("hba", "model") in used_facts(), "the model of impact names the adapter"
    shown = {("vmknic", "portgroup"), ("device_load", "commands_aborted"), ("path", "path")}
    assert not shown & used_facts()


def test_a_statement_uses_the_columns_of_its_own_tables() -> None:
    texts = ["SELECT d.model, name FROM fact.device AS d JOIN fact.host USING (endpoint)", "SELECT x FROM y WHERE d.vendor = 1"]
    found = set(read_by(texts))
    assert {("device", "model"), ("device", "vendor"), ("host", "name"), ("host", "endpoint")} <= found
    assert not found & {("host", "model"), ("host", "vendor")}
    assert set(read_by(["INSERT INTO fact.gap (endpoint, why) VALUES (1, 2)"])) == set()
    assert ("host", "build") not in set(read_by(["SELECT name FROM fact.host UNION SELECT build FROM other"]))


def faults(used: frozenset[Fact], kept_for: Mapping[str, Mapping[str, str]]) -> tuple[list[str], list[str]]:
    """The columns that nothing uses and that nobody gave a reason; and the reasons of what is used, or not there."""
    unused = {name: [column for column in table.names if (name, column) not in used] for name, table in TABLES.items()}
    wholly = {name for name, columns in unused.items() if len(columns) == len(TABLES[name].names)}
    silent = [f"{name}.{column}" for name, columns in unused.items() for column in columns if not {"", column} & kept_for[name].keys()]
    needless = [
        f"{name}.{column}"
        for name, reasons in kept_for.items()
        for column in reasons
        if not (column in unused[name] if column else name in wholly)
    ]
    return silent, needless


@cache
def used_facts() -> frozenset[Fact]:
    """What decides, what statements in the program's Python read, what is compared, and by what the next run knows a host."""
    rests = {fact for view, columns in deciding_columns() for fact in facts_of_columns(view, columns)}
    compared = {fact for readings in COMPARED for fact in readings.facts}
    return frozenset(rests.union(compared, (("host", mark) for mark in HOST_MARKS), *map(read_by, statements())))


def deciding_columns() -> Iterator[tuple[str, set[str]]]:
    """Views, and the columns that a rule's expressions name, or the models by word; and those that identify what a rule judges."""
    for rule in load_rule_set():
        fixed = {rule.fix.column} if rule.fix else set()
        yield rule.over, {*RESOURCE_COLUMNS, *fixed, *(column for expression in rule.expressions for column in expression.columns)}
    modules = [ast.parse(file.read_text(encoding="utf-8")) for folder in _MODELS for file in (_FOLDER / folder).rglob("*.py")]
    words = {word for module in modules for word in _words(module)}
    for view in _ASKED:
        yield view, words & view_columns()[view].keys()


def _words(module: ast.Module) -> Iterator[str]:
    """The words of its texts, docstrings left out, and the names of fields."""
    docstrings = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield from re.findall(r"\w+", node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def statements() -> Iterator[list[str]]:
    """The texts of each module that may be SQL, and of each step that a module reads itself."""
    steps = {name: view.domain for name, view in catalog().views.items() if name.startswith("step_")}
    for file in sorted(_FOLDER.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if file.relative_to(_FOLDER).as_posix().startswith(tuple(f"{one}/" for one in _OTHERS)):
            continue
        if "fact." in text:
            yield list(_texts(ast.parse(text)))
        for name in re.findall(r"(?:FROM|JOIN) (step_\w+)", text):
            sql = resources.files("auditor.facts") / "views" / steps[name] / f"{name}.sql"
            yield [re.sub("--.*", "", sql.read_text(encoding="utf-8"))]


def _texts(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else " " for part in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def read_by(texts: list[str]) -> Iterator[Fact]:
    """The columns that SELECTs among `texts` read, each of the tables that it names; an alias holds for all of them."""
    aliases = {word: name for text in texts for name, alias in _NAMED.findall(text) for word in (alias or name, name)}
    for text in texts:
        found = [(aliases[alias], column) for alias, column in _WORD.findall(text) if alias in aliases]
        for select in re.split(r"\bSELECT\b", text)[1:]:
            own = {name for name, _ in _NAMED.findall(select)}
            found += [(name, column) for alias, column in _WORD.findall(select) if not alias for name in own]
        yield from ((name, column) for name, column in found if name in TABLES and column in TABLES[name].names)
