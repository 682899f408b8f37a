"""What shipped rules say of a failure is true: nothing that was read is called unread, and no value is wanted that nobody can set."""

import json
from typing import Any

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.engine.rules.rule import Expression, Rule
from auditor.engine.rules.strictness import columns_of, nodes
from auditor.facts.catalog import view_columns
from auditor.facts.macros import create_macros
from auditor.facts.schema import create_tables
from tests.engine.test_shipped_rules import shipped

_SWALLOWS = {"OPERATOR_COALESCE", "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"}
DEEPEST_DSNRO = 256
"""The most that every recorded validator of DSNRO takes: docs/domain/facts.md#1-5."""


def swallowed(expression: Expression) -> set[str]:
    """The columns whose NULL an expression has an answer for."""
    text = expression.text
    for param in sorted(expression.params, key=len, reverse=True):
        text = text.replace(f"${param}", "1")
    [(tree,)] = duckdb.execute("SELECT json_serialize_sql(?)", [f"SELECT {text} FROM x"]).fetchall()
    return {column for node in nodes(json.loads(tree)) if node.get("type") in _SWALLOWS for column in columns_of(node)}


@pytest.mark.parametrize("rule", shipped().rules.values(), ids=lambda rule: rule.id)
def test_what_a_rule_shows_where_a_column_is_null_is_shown(rule: Rule) -> None:
    judged = {column for expression in rule.judging for column in expression.columns}
    for expression in (rule.observed, rule.desired):
        assert swallowed(expression) - judged <= set(rule.may_be_missing), "a column that is NULL makes it 'not read' all the same"


def failing(view: str, rows: list[dict[str, Any]], rule: str) -> list[Any]:
    """The findings of a rule over these rows of its view."""
    connection = duckdb.connect()
    create_tables(connection)
    create_macros(connection)
    for name, columns in view_columns().items():
        connection.execute(f'CREATE TABLE "{name}" ({", ".join(f"{column} {kind}" for column, kind in columns.items())})')
    for number, row in enumerate(rows):
        cells = {"endpoint": "vc", "resource_id": f"row-{number}", "resource_name": "naa.1", "host": "esx-1", **row}
        connection.execute(f"INSERT INTO {view} ({', '.join(cells)}) VALUES ({', '.join('?' * len(cells))})", list(cells.values()))
    return list(evaluate(connection, shipped().only([rule])).findings())


def test_hosts_of_which_no_value_is_wanted_are_to_have_the_same() -> None:
    row = {"is_protocol_endpoint": False, "sioc_enabled": False, "dsnros": "24 on 1, 64 on 1", "dsnro_agrees": False, "hosts": 2}
    [finding] = failing("shared_device", [row], "queue/dsnro-uniform")
    assert finding.message == "naa.1: DSNRO differs between its 2 hosts: 24 on 1, 64 on 1; wanted the same on all 2"
    [depth] = failing("driver_queue", [{"driver": "lpfc", "queue_depths": "30", "queue_depth_agrees": False}], "queue/device-depth-uniform")
    assert depth.desired == "one depth for each driver"


@pytest.mark.parametrize(
    ("rule", "view", "row"),
    [
        pytest.param(
            "vvol/pe-dsnro-headroom",
            "protocol_endpoint",
            {"stalls_neighbours": True, "is_deepened": True, "per_object_qos": True, "carries_vvol_disks": True, "dsnro": 32}
            | {"queue_depth": 1024, "deepest_disk_queue_at_least": 254, "deepest_disk_queue_at_most": 254},
            id="disks deeper than any DSNRO",
        ),
        pytest.param(
            "queue/raise-both",
            "raised_device",
            {"is_raised": True, "disks": 2, "sioc_enabled": False, "family": "eternus-dx", "is_protocol_endpoint": True}
            | {"serves_capped_protocol_endpoints": True, "dsnro": 32, "queue_depth": 1024},
            id="a driver deeper than any DSNRO",
        ),
    ],
)
def test_no_dsnro_is_wanted_that_cannot_be_set(rule: str, view: str, row: dict[str, Any]) -> None:
    [finding] = failing(view, [row], rule)
    assert finding.verdict.value == "fail"
    assert finding.desired == DEEPEST_DSNRO
    assert "1016" not in finding.message.replace(",", "")
    assert finding.fix is None or finding.fix.after is None or finding.fix.after <= DEEPEST_DSNRO


def test_where_no_queue_is_long_enough_limits_are_wanted_alone() -> None:
    row = {"stalls_neighbours": True, "has_capped_disks": True, "unlimited_running_disks_at_least": 1, "shallowest_queue_at_most": 256}
    short = [row | {"deepest_disk_queue_at_least": 254}, row | {"shallowest_queue_at_most": 32, "deepest_disk_queue_at_least": 64}]
    findings = failing("vvol_datastore", short, "qos/shared-queue-throttle")
    desired = [finding.desired for finding in findings if finding.verdict.value == "fail"]
    assert desired == ["limits on the hosts", "a queue of 256, or limits on the hosts"]
