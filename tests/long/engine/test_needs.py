"""What a rule needs is enough to judge it by: nothing it rests on is left out."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from auditor.authoring.lineage import rests_on
from auditor.authoring.selects import is_unique
from auditor.engine.evaluate import Evaluation, evaluate
from auditor.engine.rules.needs import needs_of
from auditor.engine.rules.rule import RuleSet
from auditor.engine.verdict_sql import verdict_sql
from auditor.facts.baseline import take
from auditor.facts.catalog import view_columns
from auditor.facts.needs import EVERYTHING, IDENTITIES, SOURCES
from auditor.facts.schema import ON_DEMAND_TOPICS, TABLES, TOPICS, create_tables
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.facts.snapshots.unread import with_unread_gaps
from auditor.facts.table import Fact
from auditor.facts.views import create_views
from auditor.model import Verdict
from auditor.pipeline.policy import load_rule_set
from auditor.sql.statements import parsed
from tests.depth import thinned
from tests.facts.days import day, jobs, latencies, raised
from tests.facts.fleets import Facts, whole
from tests.facts.plain import create_plain_views
from tests.facts.test_episode_rows import history
from tests.mutation.bench import bound
from tests.mutation.worlds import recorded

RULES = load_rule_set()
VIEWS = {rule.over for rule in RULES}
WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
LOSSES = range(2)
"""Seeds of what is missing from the fleet; 0: nothing is. Rules take turns: each is judged by one of them."""


DECLARED = (
    ("option", "", "Disk.QFullSampleSize", "32"),
    ("option", "", "ISCSI.MaxIoSizeKB", "512"),
    ("parameter", "iscsi_vmk", "iscsivmk_LunQDepth", "128"),
    ("claim_rule", '{"satp": "VMW_SATP_ALUA", "vendor": "A", "model": "", "options": "", "claim_options": ""}', "", "absent"),
    ("volume_limit", "*", "max_iops", "1000"),
)
"""A value of each kind, for every host or volume: kind, thing, setting, value."""


_HOURS = [f"{hour:02}" for hour in range(24)]
NOT_OF_THE_LAB = history(
    *day("ds", raised(latencies(1), 900.0, *((f"{hour}:15", f"{hour}:20") for hour in _HOURS))),
    background_job=jobs("replication", every=60, minutes=4, first=16, schedule="hourly-16"),
    guest=[{"guest_id": f"g{n}", "hostname": f"db{n}", "system": "linux"} for n in range(3)],
    guest_disk=[{"guest_id": f"g{n}", "disk": "sda", "timeout_s": 30} for n in range(3)],
    guest_partition=[
        {"guest_id": f"g{n}", "disk": "sda", "partition": "sda1", "start_bytes": 63 * 512, "size_bytes": 40 << 30} for n in range(3)
    ],
)
"""A day of a datastore that is slow whenever a job runs, and guests that said how their disks are: the lab is asked for neither."""


def fill(connection: duckdb.DuckDBPyConnection, facts: Facts) -> None:
    """Add these rows."""
    for name, rows in whole(facts).items():
        columns = sorted({column for row in rows for column in row})
        listed, values = ", ".join(f'"{one}"' for one in columns), ", ".join("?" for _ in columns)
        filling = [[row.get(column) for column in columns] for row in rows]
        connection.executemany(f'INSERT INTO fact."{name}" ({listed}) VALUES ({values})', filling)


@pytest.fixture(scope="module")
def lab_facts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A saved snapshot of everything in every scenario of the lab, arrays included, with itself as the baseline."""
    snapshot = load_snapshot(recorded())
    take(snapshot, "20261121T065500Z-1a2b", None, "itself")  # so that rules of drift have something to compare with
    for kind, thing, setting, value in DECLARED:  # likewise those of declared settings
        snapshot.connection.execute(
            "INSERT INTO fact.declared_setting (kind, thing, setting, value, rank, place) VALUES (?, ?, ?, ?, 0, 'settings.yaml:1')",
            [kind, thing, setting, value],
        )
    fill(snapshot.connection, NOT_OF_THE_LAB)
    saved = tmp_path_factory.mktemp("needs") / "snapshot"
    snapshot.save(saved)
    yield saved
    _lost.cache_clear()
    _whole.cache_clear()
    _passing.cache_clear()


def copied(saved: Path, seed: int) -> duckdb.DuckDBPyConnection:
    """The facts in a database of their own; a seed other than 0 takes rows, cells and readings away."""
    connection = duckdb.connect()
    create_tables(connection)
    for name in TABLES:
        connection.execute(f'INSERT INTO fact."{name}" BY NAME SELECT * FROM read_parquet(?)', [str(saved / f"{name}.parquet")])
    for name, table in TABLES.items() if seed else ():
        connection.execute(f"DELETE FROM fact.\"{name}\" WHERE hash(rowid, {seed}, '{name}') % 100 < 4")
        for column in table.names:
            if column == "complete":
                connection.execute(f"UPDATE fact.reading SET complete = false WHERE hash(rowid, {seed}) % 100 < 25")
            elif column not in (*IDENTITIES.get(name, ("endpoint", "host_id", "device")), "scope", "topic"):
                connection.execute(f'UPDATE fact."{name}" SET "{column}" = NULL WHERE hash(rowid, {seed}, \'{column}\') % 100 < 8')
    return connection


@cache
def _whole(saved: Path, seed: int) -> duckdb.DuckDBPyConnection:
    connection = copied(saved, seed)
    create_views(connection, views=VIEWS)
    return connection


@cache
def _passing(saved: Path) -> frozenset[tuple[str, ...]]:
    return _passes(_whole(saved, 0))


def _passes(connection: duckdb.DuckDBPyConnection) -> frozenset[tuple[str, ...]]:
    """Which rule passes on what, by rule, endpoint and resource id."""
    passed = set[tuple[str, ...]]()
    for rule in RULES:
        select = f"SELECT endpoint, resource_id FROM \"{rule.over}\" WHERE {verdict_sql(rule)} = 'pass'"
        [statement] = parsed(connection, select)
        passed.update((rule.id, *row) for row in connection.execute(statement, bound(rule, select)).fetchall())
    return frozenset(passed)


@cache
def _lost(saved: Path, seed: int) -> Path:
    """The folder of the facts that `copied` leaves, a file for each table."""
    if not seed:
        return saved
    folder = saved.with_name(f"{saved.name}-{seed}")
    folder.mkdir()
    connection = copied(saved, seed)
    for name in TABLES:
        connection.execute(f"COPY fact.\"{name}\" TO '{folder / f'{name}.parquet'}' (FORMAT parquet)")
    return folder


def narrowed(saved: Path, seed: int, topics: Collection[str], kept: Callable[[Fact], bool]) -> duckdb.DuckDBPyConnection:
    """The facts of `copied` less what is not kept: rows of tables, cells of columns, and the readings of other topics."""
    connection = duckdb.connect()
    create_tables(connection)
    for name, table in TABLES.items():
        if name in SOURCES and not kept((name, "")):
            continue
        columns = ", ".join(f'"{one}"' for one in table.names if name not in SOURCES or kept((name, one))) or f'NULL AS "{table.names[0]}"'
        topic = " WHERE list_contains($topics, topic)" if name == "reading" else ""
        given = {"path": str(_lost(saved, seed) / f"{name}.parquet")} | ({"topics": sorted(topics)} if topic else {})
        [filling] = parsed(connection, f'INSERT INTO fact."{name}" BY NAME SELECT {columns} FROM read_parquet($path){topic}')
        connection.execute(filling, given)
    return connection


def findings(connection: duckdb.DuckDBPyConnection, rules: RuleSet) -> list[Any]:
    """What an audit by these rules reports, in an order of its own."""
    return reported(evaluate(connection, rules), frozenset(Verdict))


def reported(evaluation: Evaluation, verdicts: Collection[Verdict]) -> list[Any]:
    """The findings with these verdicts, in an order of their own."""
    found = evaluation.findings(verdicts)
    return sorted(
        ((f.rule, f.resource, f.verdict, f.observed, f.desired, dict(f.evidence), f.missing, f.fix, f.message) for f in found), key=str
    )


@pytest.mark.parametrize("rule_id", thinned(sorted(RULES.rules), 3))
def test_a_rule_says_the_same_when_all_it_does_not_need_is_taken_away(lab_facts: Path, rule_id: str) -> None:
    rule = RULES.only([rule_id])
    needed = needs_of(rule)
    seed = LOSSES[sorted(RULES.rules).index(rule_id) % len(LOSSES)]
    narrow = narrowed(lab_facts, seed, needed.topics, needed.facts.__contains__)
    create_views(narrow, views={RULES[rule_id].over})
    expected = findings(_whole(lab_facts, seed), rule)
    assert expected
    assert findings(narrow, rule) == expected


@pytest.mark.parametrize("topic", thinned(sorted({rule_id.partition("/")[0] for rule_id in RULES.rules}), 2))
def test_no_rule_passes_on_what_was_read_for_others_unless_it_would_anyway(lab_facts: Path, topic: str) -> None:
    asked = needs_of(RULES.only(rule_id for rule_id in RULES.rules if rule_id.startswith(f"{topic}/")))
    narrow = narrowed(lab_facts, 0, asked.topics, asked.reads)  # as a collector fills the tables
    with_unread_gaps(Snapshot(narrow, (), (), WHEN, WHEN, asked), needs_of(RULES))
    create_views(narrow, views=VIEWS)
    assert _passes(narrow) <= _passing(lab_facts)


@pytest.mark.parametrize(
    ("rule_id", "topics"),
    [
        ("iscsi/delayed-ack", {"hosts", "hbas"}),
        ("iscsi/max-io-size", {"hosts", "options"}),
        ("vaai/uniform", {"hosts", "options", "devices"}),
        ("queue/param-name-valid", {"hosts", "hbas", "modules"}),
        ("qos/element-limits", {"array", "qos_policies", "qos_limits"}),
    ],
)
def test_a_rule_of_one_topic_needs_that_topic_and_what_it_is_asked_through(rule_id: str, topics: set[str]) -> None:
    assert needs_of(RULES.only([rule_id])).topics == topics


def test_properties_that_no_fact_of_a_rule_comes_from_are_not_asked_for() -> None:
    limits = needs_of(RULES.only(["vvol/pe-dsnro-headroom"]))
    assert set(limits.properties("datastores")) == {"name", "summary.type", "info"}
    assert "config.vsanHostConfig.enabled" not in limits.properties("hosts")
    assert "config.vsanHostConfig.enabled" in needs_of(RULES.only(["vaai/locking-guard"])).properties("hosts")


def test_a_column_that_a_rule_shows_as_evidence_is_needed_too() -> None:
    rule = RULES["sioc/overlap-array-qos"]
    shown = needs_of([rule]).facts
    assert ("datastore", "sioc_threshold_ms") in shown
    assert ("datastore", "sioc_threshold_ms") not in needs_of([replace(rule, evidence=())]).facts


def test_all_views_together_need_nothing_that_no_collector_reads() -> None:
    every = rests_on((name, columns) for name, columns in RULES.views.items())
    known = {(table, column) for table in TABLES for column in ("", *TABLES[table].names)}
    assert every.columns <= known
    assert every.topics <= TOPICS


@pytest.mark.parametrize(
    ("view", "column", "topics"),
    [("vvol_array_on_host", "active_nodes", {"nodes"}), ("array_volume", "is_busy", {"volume_load"}), ("host", "version", set())],
)
def test_the_readings_that_a_column_looks_at_are_known(view: str, column: str, topics: set[str]) -> None:
    assert rests_on([(view, [column])]).topics == topics


def test_a_column_that_a_view_does_not_have_is_refused() -> None:
    with pytest.raises(KeyError):
        rests_on([("host", ["no_such_column"])])


def query(text: str) -> exp.Query:
    found = sqlglot.parse_one(text, dialect="duckdb")
    assert isinstance(found, exp.Query)
    return found


@pytest.mark.parametrize(
    ("text", "names", "unique"),
    [
        pytest.param("SELECT h.a, count(*) AS n FROM fact.path AS h GROUP BY ALL", {"a"}, True, id="grouped by it"),
        pytest.param("SELECT h.a, h.b, count(*) AS n FROM fact.path AS h GROUP BY ALL", {"a"}, False, id="grouped by more"),
        pytest.param("SELECT h.a, max(h.b) AS b FROM fact.path AS h GROUP BY h.a", {"a"}, True, id="grouped by it in words"),
        pytest.param("SELECT max(h.b) AS b FROM fact.path AS h GROUP BY h.a", {"b"}, False, id="grouped by what is not shown"),
        pytest.param("SELECT DISTINCT h.a FROM fact.path AS h", {"a"}, True, id="distinct"),
        pytest.param("SELECT DISTINCT h.a, h.b FROM fact.path AS h", {"a"}, False, id="distinct in more"),
        pytest.param("SELECT h.a FROM fact.path AS h", {"a"}, False, id="a table without an identity"),
        pytest.param("SELECT h.endpoint FROM fact.array_qos_limit AS h", {"endpoint"}, True, id="a table by its identity"),
        pytest.param("SELECT h.endpoint FROM fact.host AS h", {"endpoint"}, False, id="a table by half of it"),
        pytest.param("SELECT h.endpoint, unnest([1, 2]) AS n FROM fact.array_qos_limit AS h", {"endpoint"}, False, id="rows multiplied"),
        pytest.param(
            "SELECT h.endpoint FROM fact.array AS h LEFT JOIN fact.path AS p ON p.endpoint = h.endpoint",
            {"endpoint"},
            False,
            id="joined to many",
        ),
        pytest.param("SELECT h.endpoint FROM fact.array AS h UNION ALL SELECT 'a'", {"endpoint"}, False, id="two lists"),
    ],
)
def test_rows_count_as_told_apart_only_where_that_is_certain(text: str, names: set[str], unique: bool) -> None:
    assert is_unique(query(text), names) is unique


@pytest.mark.parametrize("seed", [0, 3])
def test_what_counts_as_identity_tells_the_rows_of_the_lab_apart(lab_facts: Path, seed: int) -> None:
    facts = copied(lab_facts, seed)
    for name, identity in IDENTITIES.items():
        listed = ", ".join(identity)
        twice = facts.execute(f'SELECT {listed}, count(*) FROM fact."{name}" GROUP BY ALL HAVING count(*) > 1').fetchall()
        assert twice == [], name


def test_everything_is_every_fact_of_every_endpoint() -> None:
    assert EVERYTHING.topics == TOPICS - frozenset(ON_DEMAND_TOPICS)
    read = set(TABLES) - {"reading", "listed_endpoint", "declared", "declared_nfs_server", "declared_setting", "baseline", "gap"}
    assert set(SOURCES) ^ read == set(), "tables of auditor/facts without a topic, or with one that need none"
    assert needs_of(RULES).missing_from(EVERYTHING) == {
        "events",  # which only rules of drift show, where a baseline is set
        "load_history",  # which is read with --history
    }
    assert {source.topic for source in SOURCES.values()} == TOPICS


@pytest.mark.parametrize("view", sorted(view_columns()))
def test_what_every_column_of_a_view_rests_on_can_be_followed(view: str) -> None:
    """Also of views that no shipped rule looks at: somebody's own rule may, and an audit would end in a crash."""
    assert rests_on([(view, list(view_columns()[view]))]).columns


@pytest.mark.parametrize(("seed", "there"), [(0, ["fail", "passed", "not_applicable"]), (1, ["unknown", "not_applicable"])])
def test_devices_judged_by_class_give_the_findings_of_plain_joins_judged_row_by_row(lab_facts: Path, seed: int, there: list[str]) -> None:
    """Of the lab as it is, and with facts taken away, which leave few verdicts but unknown ones."""
    over_devices = RULES.only(rule.id for rule in RULES if rule.over in {"device", "device_demand", "shared_device"})
    plain = copied(lab_facts, seed)
    create_plain_views(plain, {rule.over for rule in over_devices})
    row_by_row = evaluate(plain, over_devices)
    shown = row_by_row.summary()
    assert [verdict for verdict in there if not getattr(shown, verdict)] == []
    by_class = evaluate(_whole(lab_facts, seed), over_devices)
    assert by_class.summary() == shown
    assert reported(by_class, frozenset(Verdict)) == reported(row_by_row, frozenset(Verdict))


def test_the_order_in_which_rows_were_read_and_how_many_they_are_changes_no_finding(
    lab_facts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab's facts are few, and are judged here as many: by DuckDB's own plans, over views that are no tables."""
    turned = duckdb.connect()
    create_tables(turned)
    for name in TABLES:
        # What people declare is read in the order of their file, and the first row that fits counts.
        order = "" if name == "declared" else "ORDER BY hash(COLUMNS(*))"
        turned.execute(f'INSERT INTO fact."{name}" BY NAME SELECT * FROM read_parquet(?) {order}', [str(lab_facts / f"{name}.parquet")])
    monkeypatch.setattr("auditor.sql.query_planning.FEW_ROWS", -1)
    monkeypatch.setattr("auditor.engine.evaluate.SMALL_VIEW_ROWS", -1)
    create_views(turned)
    as_many = evaluate(turned, RULES)
    monkeypatch.undo()
    shown = {Verdict.FAIL, Verdict.UNKNOWN}
    whole = evaluate(_whole(lab_facts, 0), RULES)
    assert len(reported(whole, shown)) > 200
    assert reported(as_many, shown) == reported(whole, shown)
    assert as_many.summary() == whole.summary()
