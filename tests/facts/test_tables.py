"""What a table says of itself names columns that there are, and topics that are read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from auditor.facts.schema import TABLES, TOPICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.facts.table import Table


def test_every_table_names_its_own_columns_facts_that_are_read_and_topics() -> None:
    assert [fault for one in TABLES.values() for fault in faults(one)] == []


def test_every_topic_has_a_table() -> None:
    assert sorted(TOPICS - {one.topic for one in TABLES.values()}) == []


def test_tables_of_one_topic_are_read_of_the_same_scope_and_at_the_same_times() -> None:
    said: dict[str, set[tuple[bool, bool, bool]]] = {}
    for one in TABLES.values():
        said.setdefault(one.topic, set()).add((one.of_each_host, one.measured, one.on_demand))
    assert [topic for topic, ways in said.items() if len(ways) > 1] == []


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        pytest.param({"topic": "host"}, "host: no topic is called host", id="topic"),
        pytest.param({"key": ("endpoint", "id")}, "host: it has no column id", id="key"),
        pytest.param({"always": ("verson",)}, "host: it has no column verson", id="always"),
        pytest.param({"key": ("endpoint", "host_id", "host_id")}, "host: its key has a column twice", id="twice"),
        pytest.param({"rests_on": (("hba", "drive"),)}, "host: nothing reads hba.drive", id="column of another"),
        pytest.param({"rests_on": (("declared", ""),)}, "host: nothing reads declared.", id="not of an endpoint"),
        pytest.param(
            {"of_each_host": True, "columns": TABLES["array"].columns, "key": (), "always": ()},
            "host: it is read of each host, and has no column host_id",
            id="of no host",
        ),
        pytest.param({"topic": ""}, "host: it is read from no endpoint, and says how it is read", id="no topic"),
    ],
)
def test_a_table_that_names_what_is_not_there_is_found(wrong: dict[str, Any], fault: str) -> None:
    assert list(faults(replace(TABLES["host"], **wrong))) == [fault]


def faults(one: Table) -> Iterator[str]:
    """What is wrong with a table, in words."""
    if one.topic and one.topic not in TOPICS:
        yield f"{one.name}: no topic is called {one.topic}"
    if not one.topic and (one.rows or one.asked_of or one.rests_on or one.properties or one.of_each_host or one.measured or one.on_demand):
        yield f"{one.name}: it is read from no endpoint, and says how it is read"
    if one.of_each_host and "host_id" not in one.names:
        yield f"{one.name}: it is read of each host, and has no column host_id"
    yield from (f"{one.name}: it has no column {name}" for name in (*one.key, *one.always) if name not in one.names)
    if len(set(one.key)) < len(one.key):
        yield f"{one.name}: its key has a column twice"
    for table, column in one.rests_on:
        read = TABLES.get(table)
        if read is None or not read.topic or column not in ("", *read.names):
            yield f"{one.name}: nothing reads {table}.{column}"
