"""Devices are joined and kept by numbers, and come out as they do from plain joins of texts."""

import re
from collections.abc import Mapping, Sequence
from random import Random

import duckdb
import pytest

from auditor.facts.catalog import catalog, view_columns
from auditor.facts.device_classes import CLASSIFIED, device_classes
from auditor.facts.schema import TABLES, create_tables
from auditor.facts.views import create_views, view_sql
from auditor.sql import query_planning as few
from tests.depth import depth
from tests.facts.plain import PLAIN, create_plain_views

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
    "satp": ["ALUA", None],
    "psp": ["VMW_PSP_RR", "VMW_PSP_FIXED", None],
    "default_psp": ["VMW_PSP_RR", ""],
    "rr_policy": ["iops", "latency", None],
    "rule_group": ["user", "system"],
}
_KEYS = {
    "host": ("endpoint", "host_id"),
    "device": ("endpoint", "host_id", "device"),
    "device_scheduling": ("endpoint", "host_id", "device"),
    "device_load": ("endpoint", "host_id", "device"),
    "device_policy": ("endpoint", "host_id", "device"),
    "hba": ("endpoint", "host_id", "hba"),
    "array_volume": ("endpoint", "volume_id"),
}
_FILLED = (
    "reading",
    "host",
    "device",
    "device_scheduling",
    "hba",
    "path",
    "array",
    "array_volume",
    "array_protocol_endpoint",
    "declared",
    "device_load",
    "device_policy",
    "satp_rule",
    "vm_disk",
)


def random_facts(seed: int) -> duckdb.DuckDBPyConnection:
    """Facts that need not go together, with holes everywhere but in the columns that tell rows apart."""
    random = Random(seed)
    connection = duckdb.connect()
    create_tables(connection)
    for name in _FILLED:
        names = TABLES[name].names
        rows = [[_cell(random, column.name, column.type) for column in TABLES[name].columns] for _ in range(30)]
        apart = {tuple(row[names.index(key)] for key in _KEYS[name]): row for row in rows} if name in _KEYS else dict(enumerate(rows))
        places = ", ".join(f"({', '.join('?' * len(names))})" for _ in apart)
        connection.execute(f'INSERT INTO fact."{name}" VALUES {places}', [cell for row in apart.values() for cell in row])
    return connection


def _cell(random: Random, column: str, kind: str) -> object:
    if column in _WORDS:
        return random.choice(_WORDS[column])
    if random.random() < 0.3 or kind not in ("BOOLEAN", "BIGINT", "VARCHAR"):
        return None
    return {"BOOLEAN": random.random() < 0.5, "BIGINT": random.choice([32, 64, 128]), "VARCHAR": random.choice(["a", "b"])}[kind]


@pytest.mark.parametrize(
    ("table", "column", "values"),
    [
        pytest.param("device", "queue_depth", "32, NULL", id="queue depth"),
        pytest.param("device", "vendor", "'NETAPP', NULL", id="vendor"),
        pytest.param("device", "device_type", "'disk', 'cdrom'", id="type"),
        pytest.param("device", "is_protocol_endpoint", "true, false", id="protocol endpoint"),
        pytest.param("device", "is_local", "true, false", id="local"),
        pytest.param("device_scheduling", "dsnro", "32, NULL", id="DSNRO"),
        pytest.param("hba", "driver", "'lpfc', NULL", id="driver"),
    ],
)
def test_two_hosts_that_differ_in_one_thing_have_a_row_each(table: str, column: str, values: str) -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        keys = "SELECT 'vc' AS endpoint, 'host-' || n AS host_id"
        more = {"device": "'naa.1' AS device", "device_scheduling": "'naa.1' AS device", "hba": "'hba' AS hba", "host": "'esx' AS name"}
        more |= {"path": "'naa.1' AS device, 'hba' AS hba"}
        for name, cells in more.items():
            own = f", ([{values}])[n] AS {column}" if name == table else ""
            connection.execute(f"INSERT INTO fact.{name} BY NAME {keys}, {cells}{own} FROM (VALUES (1), (2)) AS t (n)")
        create_views(connection, views={"device", CLASSIFIED["device"].classes})
        assert connection.execute("SELECT count(*), count(DISTINCT host_id) FROM device").fetchone() == (2, 2)
        assert connection.execute(f"SELECT count(*), sum(devices) FROM {CLASSIFIED['device'].classes}").fetchone() == (2, 2)


def test_a_device_is_of_the_class_that_is_the_same_in_all_columns() -> None:
    compared = set(re.findall(r"k\.(\w+) (?:=|IS NOT DISTINCT FROM) s\.\1\b", view_sql("step_device_row")))
    with duckdb.connect() as connection:
        create_tables(connection)
        create_views(connection, views={"device", "step_device_row"})
        columns = {name for name, *_ in connection.execute("DESCRIBE step_device_row").fetchall()}
    assert compared == (columns | {"array_number"}) - {"host_number", "device_number", "class_number"}


@pytest.mark.parametrize("seed", range(depth(3, 8)))
def test_every_device_is_as_plain_joins_have_it(seed: int) -> None:
    rows = []
    for create in (create_plain_views, lambda connection, views: create_views(connection, views=views)):
        connection = random_facts(seed)
        create(connection, tuple(PLAIN))
        rows.append({name: sorted(connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr) for name in PLAIN})
    assert rows[0] == rows[1]
    assert all(rows[0].values())


def test_every_view_has_the_columns_and_types_of_the_catalogue_in_order() -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        create_views(connection)
        found = {name: {row[0]: row[1] for row in connection.execute(f'DESCRIBE "{name}"').fetchall()} for name in view_columns()}
    assert {name: list(columns.items()) for name, columns in found.items()} == {
        name: list(columns.items()) for name, columns in view_columns().items()
    }


_IN_A_CLASS = {
    "device": {"family", "is_shared", "dsnro", "queue_depth", "driver", "array_model"},
    "device_demand": {"family", "is_shared", "dsnro", "outstanding", "driver", "array_model"},
    "device_load": {"family", "is_shared", "samples", "kavg_run_over_2ms", "commands_aborted", "driver"},
    "path_policy": {"family", "is_shared", "paths", "active_paths", "most_active_paths", "adapters", "psp", "rr_iops"},
    "device_claim": {"family", "is_shared", "active_paths", "has_claim_rule", "claimed_psp", "rr_iops", "claimed_policy"},
}
"""By view, columns that rules look at and that are therefore those of a class."""


def with_classes(seed: int, views: set[str], monkeypatch: pytest.MonkeyPatch) -> duckdb.DuckDBPyConnection:
    """Views of random facts, made as where facts are many."""
    monkeypatch.setattr(few, "FEW_ROWS", -1)
    connection = random_facts(seed)
    create_views(connection, views=views)
    return connection


@pytest.mark.parametrize("view", sorted(CLASSIFIED))
def test_a_class_of_devices_has_the_columns_of_all_its_devices(view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = with_classes(3, {view}, monkeypatch)
    classes = device_classes(connection)[view]
    assert _IN_A_CLASS[view] <= classes.columns
    columns, keys, steps = ", ".join(sorted(classes.columns)), ", ".join(classes.steps.keys), classes.steps
    by_class = connection.execute(f"SELECT {columns}, CAST(sum(devices) AS BIGINT) FROM {steps.classes} GROUP BY ALL").fetchall()
    by_row = connection.execute(f"SELECT {columns}, count(*) FROM {view} GROUP BY ALL").fetchall()
    assert by_class
    assert sorted(by_class, key=repr) == sorted(by_row, key=repr)
    mixed = f"SELECT {keys} FROM {steps.rows} GROUP BY {keys} HAVING count(DISTINCT ({columns})) <> 1"
    assert connection.execute(mixed).fetchall() == []
    same = " AND ".join(f"k.{key} IS NOT DISTINCT FROM r.{key}" for key in steps.keys)
    assert connection.execute(f"SELECT 1 FROM {steps.rows} AS r ANTI JOIN {steps.classes} AS k ON {same}").fetchall() == []


def test_few_facts_have_no_classes() -> None:
    connection = random_facts(3)
    create_views(connection, views=set(CLASSIFIED))
    assert device_classes(connection) == {}


def test_a_step_that_nothing_reads_any_more_is_dropped_and_all_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = with_classes(1, {"device", "protocol_endpoint"}, monkeypatch)
    tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main'").fetchall()}
    assert {"step_device_row", "step_host_number", "step_device_class", "protocol_endpoint"} <= tables
    assert not {"step_device_joined", "step_path_row"} & tables
    for name in ("device", "protocol_endpoint"):
        assert catalog().views[name].rests_on
        connection.execute(f"FROM {name}").fetchall()
