"""Views are computed in other ways than facts/views/ writes them down, and say the same."""

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from auditor.facts.schema import TABLES, create_tables
from auditor.facts.views import (
    ONCE,
    create_device,
    create_plain_views,
    create_views,
    kinds_of,
    view_columns,
    view_sources,
    with_what_they_rest_on,
)

_WORDS: Mapping[str, Sequence[str | None]] = {
    "endpoint": ["vc-1", "vc-2"],
    "scope": ["", "host-1", "host-2", "host-3"],
    "topic": ["hosts", "devices", "paths", "hbas", "device_scheduling", "volumes", "datastores", "vms"],
    "host_id": ["host-1", "host-2", "host-3"],
    "device": ["naa.6f47acc2000000010000000000000000", "naa.6f47acc1000000020000000000000000", "naa.600a0980", "mpx.vmhba0"],
    "vendor": ["SolidFir", "NETAPP", None],
    "model": ["SSD SAN", "LUN C-Mode", "IBM Cloud 2 IOPS/GB", None],
    "device_type": ["disk", "cdrom", None],
    "hba": ["vmhba0", "vmhba1"],
    "driver": ["lpfc", "nfnic", None],
    "devices": ["naa.6*", "naa.600a0980"],
    "firmware": ["V10L66", "new", None],
    "volume_id": ["1", "2", "3"],
    "family": ["solidfire", "flasharray", None],
    "array_id": ["one", "two", None],
    "pod": ["metro", None],
    "cluster": ["gold", None],
}
_KEYS = {
    "host": ("endpoint", "host_id"),
    "device": ("endpoint", "host_id", "device"),
    "device_scheduling": ("endpoint", "host_id", "device"),
    "hba": ("endpoint", "host_id", "hba"),
    "array_volume": ("endpoint", "volume_id"),
}
_FILLED = ("reading", "host", "device", "device_scheduling", "hba", "path", "array", "array_volume", "array_protocol_endpoint", "declared")


def random_facts(seed: int) -> duckdb.DuckDBPyConnection:
    """Facts that need not go together, with holes everywhere but in the columns that tell rows apart."""
    random = Random(seed)
    connection = duckdb.connect()
    create_tables(connection)
    for name in _FILLED:
        keys, seen = _KEYS.get(name, ()), set()
        for _ in range(30):
            row = [_cell(random, column.name, column.type) for column in TABLES[name].columns]
            told = tuple(value for column, value in zip(TABLES[name].names, row, strict=True) if column in keys)
            if keys and told in seen:
                continue
            seen.add(told)
            connection.execute(f'INSERT INTO fact."{name}" VALUES ({", ".join("?" * len(row))})', row)
    return connection


def _cell(random: Random, column: str, kind: str) -> object:
    if column in _WORDS:
        return random.choice(_WORDS[column])
    if random.random() < 0.3 or kind not in ("BOOLEAN", "BIGINT", "VARCHAR"):
        return None
    return {"BOOLEAN": random.random() < 0.5, "BIGINT": random.choice([32, 64, 128]), "VARCHAR": random.choice(["a", "b"])}[kind]


_TOLD = ("device", "step_seen_device", "step_device_group", "step_host_group")


@pytest.mark.parametrize("seed", range(8))
def test_every_device_is_told_as_its_view_is_written(seed: int) -> None:
    rows = []
    for create in (
        partial(create_plain_views, views=_TOLD),
        partial(create_views, views=_TOLD),
    ):
        connection = random_facts(seed)
        create(connection)
        rows.append([sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in _TOLD])
    assert rows[0] == rows[1]
    assert all(rows[0])


def test_the_kept_form_of_the_device_view_is_in_use_and_tells_its_columns_in_order() -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        create_views(connection)
        told = {name: {row[0]: row[1] for row in connection.execute(f'DESCRIBE "{name}"').fetchall()} for name in view_columns()}
        kept = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'kept_device'").fetchone()
    assert told == view_columns()
    assert kept == (1,)


def test_a_device_view_that_says_more_than_its_kept_form_is_taken_as_it_is_written() -> None:
    text = dict(view_sources())["device"].replace("    d.queue_depth,", "    d.queue_depth,\n    d.display_name,")
    columns = {**view_columns()["device"], "display_name": "VARCHAR"}
    connection = random_facts(1)
    create_views(connection)
    connection.execute("DROP VIEW device; DROP VIEW kept_device_of_kind")
    for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() WHERE table_name LIKE 'kept_%'").fetchall():
        connection.execute(f"DROP TABLE {name}")
    create_device(connection, text, columns)
    assert {row[0] for row in connection.execute("DESCRIBE device").fetchall()} == set(columns)
    assert connection.execute("SELECT count(display_name) FROM device").fetchone() != (0,)
    assert kinds_of(connection) == {}


def test_a_kind_of_device_tells_what_all_its_devices_tell() -> None:
    connection = random_facts(3)
    create_views(connection)
    kinds = kinds_of(connection)["device"]
    assert {"family", "is_shared", "dsnro", "queue_depth", "driver", "array_model"} <= kinds.columns
    told = ", ".join(sorted(kinds.columns))
    by_kind = connection.execute(f"SELECT {told}, CAST(sum(devices) AS BIGINT) FROM {kinds.table} GROUP BY ALL").fetchall()
    assert by_kind
    assert sorted(by_kind, key=repr) == sorted(connection.execute(f"SELECT {told}, count(*) FROM device GROUP BY ALL").fetchall(), key=repr)
    apart = f"SELECT kind_number FROM {kinds.rows} GROUP BY kind_number HAVING count(DISTINCT ({told})) <> 1"
    assert connection.execute(apart).fetchall() == []


def test_facts_that_a_view_cannot_be_computed_from_stop_nobody_who_does_not_ask_for_it() -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        connection.execute("INSERT INTO fact.array_volume BY NAME SELECT 'sf' AS endpoint, '1' AS volume_id, 'no JSON' AS qos_curve")
        connection.execute("INSERT INTO fact.array_volume_load BY NAME SELECT 'sf' AS endpoint, '1' AS volume_id, 4096 AS average_io_bytes")
        create_views(connection)
        assert connection.execute("SELECT * FROM host").fetchall() == []
        with pytest.raises(duckdb.InvalidInputException, match="JSON"):
            connection.execute("SELECT * FROM array_volume")


@pytest.mark.parametrize("view", sorted(view_columns()))
def test_a_view_is_made_after_all_that_its_text_names_and_nothing_that_comes_later(view: str) -> None:
    texts = dict(view_sources())
    resting = with_what_they_rest_on({view})
    order = list(texts)
    for name, below in resting.items():
        tree = sqlglot.parse_one(texts[name], dialect="duckdb")
        own = {part.alias for part in tree.find_all(exp.CTE)}
        named = {table.name for table in tree.find_all(exp.Table) if not table.db and table.name in texts} - own - {name}
        assert named <= below <= resting.keys()
        assert all(order.index(one) < order.index(name) for one in below)


def test_every_view_that_is_computed_once_exists() -> None:
    assert set(dict(view_sources())) >= ONCE
