"""A smallest or largest text is of one value, or its choice is reasoned here: of two values a reader has to see two, or that none is known.

A smallest number is a bound; a smallest text is only one that comes first in the alphabet. So a family was picked where two hosts reported
two, and the name of a disk with the host of another. Which arguments are texts DuckDB says. What tests/facts/test_picks.py leaves out is
left out here: an aggregate that asks in its CASE whether there is one value, or a group that has one (HAVING).
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from auditor.facts.catalog import catalog
from auditor.facts.macros import create_macros
from auditor.facts.schema import create_tables
from auditor.facts.views import view_sql
from tests.facts.test_picks import asks_whether_there_is_one

COMPARED = "the least and the greatest are compared, or only whether there is one is asked"
LISTED_TWICE = "of an array that fleet.yaml lists twice, the endpoint whose name comes first counts"
SAME = "the rows of a group have the same text by the way that they were grouped"

REASONS: dict[str, tuple[int, str]] = {
    "baseline_datastore": (3, "a baseline has a setting of a thing once"),
    "baseline_parameter": (2, COMPARED),
    "datastore": (2, COMPARED),
    "offload": (2, "a device that several vCenters see stands under the first; its hosts are the same in each one's row"),
    "protocol_endpoint": (3, COMPARED),
    "shared_device": (1, "an example of devices about which all hosts report the same"),
    "restarted_machine": (8, "of one machine; what its storage did is counted beside it"),
    "storage_event": (14, "of one subject: its device, datastore or words; where hosts and clusters differ, it says none"),
    "step_array": (1, LISTED_TWICE),
    "step_array_device": (17, f"{LISTED_TWICE}; {COMPARED}; and what is of one array is shown where there is one"),
    "step_claim": (3, "counts where is_clear, which asks whether there is one; a place has one group"),
    "step_datastore_place": (4, COMPARED),
    "step_device_class": (4, SAME),
    "step_device_wait": (1, "a name is on one side of the UNION"),
    "step_episode": (1, "counts where the number beside it is 1, and what no host measured is not beside what a host did"),
    "step_nfs_server": (2, f"counts where the number beside it is 1; {LISTED_TWICE}"),
    "step_seen_device": (1, "of the device's number, whatever the inquiry"),
    "step_volume_use": (1, "the row of each vCenter has the hosts of all of them"),
    "step_wanted_host": (4, "a baseline of one host has one row of it"),
    "target_port": (2, "a device as an example: a port is of one array"),
}


@pytest.fixture(scope="module")
def views() -> duckdb.DuckDBPyConnection:
    """Every view, as a table without rows."""
    connection = duckdb.connect()
    connection.execute("PRAGMA disable_optimizer")
    create_tables(connection)
    create_macros(connection)
    connection.execute("CREATE MACRO only_text(x) AS CASE WHEN starts_with(x, '') THEN x END")
    for name in catalog().views:
        connection.execute(f'CREATE TABLE "{name}" AS FROM ({view_sql(name).rstrip().rstrip(";")}\n) LIMIT 0')
    return connection


def of_texts(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    """How many of the smallest and largest values of a statement are texts, and nothing asks whether there is another."""
    tree = sqlglot.parse_one(sql, dialect="duckdb")
    found = [one for one in tree.find_all(exp.Min, exp.Max) if not asks_whether_there_is_one(one) and ", 5)" not in one.sql("duckdb")]
    for number, one in enumerate(found):
        one.set("this", exp.Anonymous(this=f"text_{number}", expressions=[one.this.copy()]))
        connection.execute(f"CREATE OR REPLACE TEMP MACRO text_{number}(x) AS x")
    text = tree.sql("duckdb")
    return sum(_binds(connection, re.sub(rf"(?i)\btext_{number}\(", "only_text(", text)) for number in range(len(found)))


def _binds(connection: duckdb.DuckDBPyConnection, statement: str) -> bool:
    try:
        connection.execute(f"EXPLAIN {statement}")
    except duckdb.BinderException as refusal:
        if "starts_with" not in str(refusal):
            raise
        return False
    return True


def test_every_smallest_or_largest_text_of_a_view_has_its_reason(views: duckdb.DuckDBPyConnection) -> None:
    found = Counter({name: of_texts(views, view_sql(name)) for name in catalog().views})
    assert +found == Counter({name: count for name, (count, _) in REASONS.items()})


def test_a_text_is_told_from_a_number_and_one_that_asks_first_is_none(views: duckdb.DuckDBPyConnection) -> None:
    columns = "min(name), max(name), min(build), max(name) FILTER (WHERE build = 1)"
    assert of_texts(views, f"SELECT {columns} FROM fact.host") == 3
    assert of_texts(views, "SELECT CASE WHEN min(name) = max(name) THEN min(name) END FROM fact.host") == 0
    assert of_texts(views, "SELECT min(name) FROM fact.host GROUP BY endpoint HAVING count(*) = 1") == 0


SOURCE = Path(__file__).parents[3] / "auditor"
_PICK = re.compile(
    r"(?i)\b(?:any_value|arg_max|arg_min|max_by|min_by|first|last|mode)\(|\b(?:min|max)\((?![\w.]+, )|\)\[1\]|\bDISTINCT ON\b"
)
IN_PYTHON: dict[str, tuple[int, str]] = {
    "endpoints/vcenter/collect/host_comparison.py": (2, "times"),
    "engine/fixes/storage_map.py": (1, "a number"),
    "engine/verdicts.py": (2, "numbers"),
    "engine/waivers/unknown_causes.py": (4, "any array that lists the device will do"),
    "engine/waivers/waived.py": (1, "a number: the waiver that comes first"),
    "facts/baseline.py": (2, "HAVING count(*) = 1"),
    "facts/macros.py": (2, "one_family: of the families one is left"),
    "facts/snapshots/partitions.py": (1, "a number"),
    "pipeline/files_of_hosts.py": (3, "times; the files of a host stand in one text, the same in each of its rows"),
    "pipeline/result.py": (2, "times"),
    "facts/snapshots/stale_hosts.py": (2, "HAVING count(*) = 1"),
    "facts/snapshots/two_readings.py": (
        3,
        "vCenter writes the policy of a device beside each of its paths; or there is one value",
    ),
    "facts/snapshots/unjoined.py": (2, "an array whose volumes are named alike, and a device, each as an example"),
    "history/comparison/statements.py": (5, "of one resource, and the worst of its verdicts; an endpoint has one kind"),
    "impact/moves.py": (3, "numbers; and the worst of several costs"),
    "moves/reading.py": (1, "a number"),
    "report/inventory/host_sheets.py": (2, "where there is one"),
    "report/inventory/sheet.py": (1, "a time"),
    "report/inventory/storage_sheets.py": (4, "of one pod, array, pool or policy, which has one name, family or kind"),
    "history/comparison/who_changed.py": (2, "the newest event, and of equals one by name"),
}
"""By module: picks in its statements."""


def picks_in_python() -> Iterator[str]:
    """The module of each pick in a text that is no docstring."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                yield from (path.relative_to(SOURCE).as_posix() for _ in _PICK.finditer(node.value))


def test_every_pick_of_a_statement_in_python_has_its_reason() -> None:
    assert Counter(picks_in_python()) == Counter({module: count for module, (count, _) in IN_PYTHON.items()})
