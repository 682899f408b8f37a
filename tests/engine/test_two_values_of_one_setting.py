"""Shipped rules want one value of one setting: over every state that a protocol endpoint may be in, also where neighbours are short."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import duckdb
import pytest

from auditor.engine.evaluate import evaluate
from auditor.engine.fixes.planning import plan
from auditor.facts.catalog import view_columns
from auditor.facts.macros import create_macros
from auditor.facts.schema import create_tables
from auditor.model import Plan
from tests.engine.test_shipped_rules import shipped

DSNROS = (32, 64, 128, 255, 256)
QUEUES = (64, 128, 255, 256, 1024)
DISKS = ((16, 16), (32, 32), (64, 64), (64, 254), (64, None))
"""Commands of the deepest disk, at least and at most."""


def endpoints() -> Iterator[dict[str, Any]]:
    """Rows of `protocol_endpoint` on hosts of their own, each behind a neighbour or as deep as it."""
    every = product(DSNROS, QUEUES, DISKS, (*DSNROS, 512))
    states = [(dsnro, queue, disks, deepest) for dsnro, queue, disks, deepest in every if deepest >= dsnro]
    for number, (dsnro, queue, (least, most), deepest) in enumerate(states):
        host = f"host-{number}"
        yield {
            "endpoint": "vc",
            "resource_id": f"{host}/naa.1",
            "resource_name": "naa.1",
            "cluster": "gold",
            "host": host,
            "host_id": host,
            "device": "naa.1",
            "driver": "iscsi_vmk",
            "family": "solidfire",
            "stalls_neighbours": True,
            "is_deepened": True,
            "keeps_defaults": False,
            "per_object_qos": True,
            "carries_vvol_disks": True,
            "dsnro": dsnro,
            "queue_depth": queue,
            "deepest_disk_queue_at_least": least,
            "deepest_disk_queue_at_most": most,
            "deepest_queue_in_cluster": deepest,
            "is_behind_cluster": dsnro < deepest and dsnro < queue,
        }


@pytest.fixture(scope="module")
def found() -> Plan:
    """The plan for all of them by every shipped rule."""
    connection = duckdb.connect()
    create_tables(connection)
    create_macros(connection)
    for name, columns in view_columns().items():
        connection.execute(f'CREATE TABLE "{name}" ({", ".join(f"{column} {kind}" for column, kind in columns.items())})')
    rows = list(endpoints())
    statement = f"INSERT INTO protocol_endpoint ({', '.join(rows[0])}) VALUES ({', '.join('?' * len(rows[0]))})"
    connection.executemany(statement, [list(row.values()) for row in rows])
    return plan(evaluate(connection, shipped()))


@pytest.mark.long
def test_no_state_of_an_endpoint_has_two_rules_that_want_its_queue_different(found: Plan) -> None:
    assert {clash.wants for clash in found.contradictions} == set()


@pytest.mark.long
def test_a_queue_that_can_be_as_deep_as_the_neighbours_is_raised_unless_they_are_short_as_well(found: Plan) -> None:
    made = {change.resource.host: (change.rules, change.after) for change in found.changes}
    states = {row["host"]: row for row in endpoints()}
    alone = {host for host, (rules, _) in made.items() if rules == ("vvol/pe-uniform",)}
    assert alone
    for host in alone:
        row = states[host]
        needed = 4 * (row["deepest_disk_queue_at_most"] or 0)
        assert max(row["queue_depth"], row["deepest_queue_in_cluster"]) >= needed, row
