"""Views of plugins are made beside ours; what is wrong with one costs its plugin's rules, and one that cannot be computed its own rule."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from auditor.engine.judge import judge
from auditor.errors import ConfigurationError, UncomputableRuleError
from auditor.facts.catalog import all_view_columns, column_topics, needs_of_columns, view_columns
from auditor.facts.column_texts import column_text
from auditor.facts.plugin_views import create_plugin_views, own_views_below, plugin_views
from auditor.facts.schema import Batch, create_tables
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.inspect.query_guard import question
from auditor.model import EndpointKind, EndpointReading, Gap
from auditor.pipeline.plugin_rules import plugin_rules
from auditor.pipeline.policy import load_rule_set
from tests.plugins import TYPE, installed, write_plugin

if TYPE_CHECKING:
    from auditor.facts.snapshots.snapshot import Snapshot

pytestmark = pytest.mark.long

AT = datetime(2026, 11, 29, tzinfo=UTC)
READ = EndpointReading("a", "acme", "a.example.net", "Acme 1.0", "verified", AT, AT, complete=True)
HEAD = "endpoint, array_id AS resource_id, name AS resource_name, CAST(NULL AS VARCHAR) AS cluster, CAST(NULL AS VARCHAR) AS host"
ARRAYS = f"-- One row per array: how long its name is.\nSELECT {HEAD}, length(name) AS letters FROM fact.array"
OVER = "-- One row per row of the other view.\nSELECT endpoint, resource_id, resource_name, cluster, host, letters FROM acme_arrays"
CAST = ARRAYS.replace("length(name)", "CAST(name AS BIGINT)")
SLOW = ARRAYS.replace("length(name)", "(SELECT count(*) FROM fact.reading a, fact.reading b WHERE a.topic || b.topic LIKE '%x%1')")
ENDLESS = f"-- x.\nWITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT {HEAD} FROM fact.array, r"
RULE = """
id: acme/name
title: An array has a short name
failure_title: An array has a long name
severity: low
tags: [acme]
over: acme_arrays
releases: {why: "A name."}
lesson: Made up.
sources: [{what: made up}]
params: {most: {default: 8, bounds: {least: 1, source: policy}, unit: letters, why: "Policy.", policy: true}}
applies: letters > 0
holds: letters <= $most
observed: letters
desired: $most
message: "{resource_name}: its name has {observed} letters, wanted {$most} at most"
by_hand: Give it another name.
if_unknown: See the gaps.
examples:
  passes: [{name: as long, row: {resource_name: a, letters: 8}}]
  fails: [{name: longer, row: {resource_name: a, letters: 9}}]
  unknown: [{name: not read, row: {resource_name: a}}]
  not_applicable: [{name: nameless, row: {letters: 0}}]
"""


def site_with(folder: Path, views: dict[str, str], texts: str = "letters: letters of its name; NULL when it has none\n") -> Path:
    """A plugin with these views, name -> SQL, one text for all of them, and a rule over acme_arrays."""
    about = TYPE.replace("contract=1", 'contract=1, rules="rules", views="views"')
    write_plugin(folder, "auditor-acme", {"__init__": about})
    for name, text in views.items():
        path = folder / "auditor_acme" / "views" / f"{name}.sql"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.with_suffix(".yaml").write_text(texts, encoding="utf-8")
    rule = folder / "auditor_acme" / "rules" / "acme" / "name.yaml"
    rule.parent.mkdir(parents=True)
    rule.write_text(RULE, encoding="utf-8")
    return folder


@pytest.fixture
def snapshot() -> Snapshot:
    """Two arrays that were read whole, one of them with a name that is too long."""
    builder = SnapshotBuilder()
    rows = {"endpoint": ["a", "a"], "array_id": ["1", "2"], "name": ["short", "a long name"], "family": ["acme", "acme"]}
    builder.add(Batch("array", rows))
    return builder.finish((READ,), started=AT, finished=AT)


def judged(snapshot: Snapshot, folder: Path, only: list[str]) -> tuple[dict[tuple[str, str], str], tuple[str, ...], tuple[Gap, ...]]:
    rules = load_rule_set(only=only)
    made = judge(snapshot, rules, [], None, findings=folder / "findings.parquet", spill=folder / "spill", expendable=plugin_rules().rules)
    return {(one.rule, one.resource.name): str(one.verdict) for one in made.evaluation.findings()}, made.notices, made.gaps


def test_a_view_is_listed_read_for_and_asked_like_ours(tmp_path: Path) -> None:
    with installed(site_with(tmp_path, {"acme_arrays": ARRAYS, "acme_over": OVER})):
        assert plugin_views().faults == {}
        assert {*all_view_columns()} - {*view_columns()} == {"acme_arrays", "acme_over"}
        assert dict(all_view_columns()["acme_over"])["letters"] == "BIGINT"
        assert column_text("acme_arrays", "letters") == "letters of its name; NULL when it has none"
        assert needs_of_columns([("acme_over", ["letters"])]).topics_of(EndpointKind("acme")) == {"array"}
        assert column_topics("acme_over", "letters") == ("array",)
        assert question("SELECT letters FROM acme_over", findings=False).views == {"acme_over": ("letters",)}
        assert own_views_below(["acme_over", "host"]) == ({"host"}, ("acme_arrays", "acme_over"))
    assert not {*all_view_columns()} - {*view_columns()}
    with pytest.raises(ConfigurationError):
        question("SELECT letters FROM acme_over", findings=False)


@pytest.mark.parametrize(
    ("name", "sql", "why"),
    [
        pytest.param("device", ARRAYS, "they are called acme_NAME", id="a name of ours"),
        pytest.param("other_arrays", ARRAYS, "they are called acme_NAME", id="another prefix"),
        pytest.param("acme_arrays", "-- x.\nDROP TABLE fact.array", "is not a SELECT", id="a write"),
        pytest.param("acme_arrays", ARRAYS + "; SELECT 1", "holds 2 statements", id="two statements"),
        pytest.param("acme_arrays", ARRAYS.replace("fact.array", "read_csv('/etc/passwd')"), "reads from read_csv()", id="a file"),
        pytest.param("acme_arrays", ARRAYS.replace("fact.array", "fact.secrets"), 'names table "fact.secrets"', id="no such table"),
        pytest.param("acme_arrays", ARRAYS.replace("fact.array", "step_array"), 'names view "step_array"', id="a step of ours"),
        pytest.param("acme_arrays", ARRAYS.replace("length(name)", "nosuch"), '"nosuch" not found', id="no such column"),
        pytest.param("acme_arrays", ARRAYS.replace("length(name)", "greatest(1, length(name))"), "calls greatest()", id="passes over NULL"),
        pytest.param("acme_arrays", ARRAYS.replace("length(name)", "CAST(random() AS BIGINT)"), "calls random()", id="chance"),
        pytest.param("acme_arrays", ARRAYS.replace("length(name)", "epoch_ms(now())"), "calls now()", id="the clock"),
        pytest.param(
            "acme_arrays", ARRAYS.replace("length(name)", "(SELECT count(*) FROM fact.array_volume)"), "fact.reading", id="counts unread"
        ),
        pytest.param("acme_arrays", ARRAYS + " CROSS JOIN range(9)", "makes rows of its own", id="rows from nowhere"),
        pytest.param("acme_arrays", ENDLESS, "makes rows of its own", id="no end"),
        pytest.param("acme_arrays", ARRAYS.replace("endpoint,", "endpoint AS e,"), "does not begin with the columns", id="no resource"),
        pytest.param("acme_arrays", ARRAYS.partition("\n")[2], "a comment that says what one row is", id="no words"),
        pytest.param("acme_arrays", ARRAYS.replace("AS letters", "AS number"), "has a text for letters", id="no text"),
        pytest.param("acme_arrays", ARRAYS.replace("length(name)", "NULL"), "the column letters has no type", id="no type"),
        pytest.param("acme_arrays", OVER.replace("acme_arrays", "acme_arrays"), "they rest on each other", id="a circle"),
        pytest.param("acme_arrays", "-- " + "x" * 70_000 + ".\n" + ARRAYS, "is larger than 64 KiB", id="too large"),
    ],
)
def test_a_view_that_is_wrong_costs_its_plugin_s_rules_and_nothing_else(tmp_path: Path, name: str, sql: str, why: str) -> None:
    with installed(site_with(tmp_path, {name: sql})):
        assert plugin_rules().rules == {}
        [fault] = plugin_rules().faults
        assert fault.what.startswith("the views of auditor-acme 1.2 cannot be used: ")
        assert why in fault.what
        assert plugin_views().views == {}


def test_its_rules_are_judged_by_it(tmp_path: Path, snapshot: Snapshot) -> None:
    with installed(site_with(tmp_path, {"acme_arrays": ARRAYS})):
        verdicts, notices, gaps = judged(snapshot, tmp_path, ["acme/name"])
    assert verdicts == {("acme/name", "short"): "pass", ("acme/name", "a long name"): "fail"}
    assert (notices, gaps) == ((), ())


def test_one_that_cannot_be_computed_costs_its_rules_alone_and_says_so(tmp_path: Path, snapshot: Snapshot) -> None:
    with installed(site_with(tmp_path, {"acme_arrays": CAST})):
        verdicts, [notice], [gap] = judged(snapshot, tmp_path, ["acme/name", "array/error-alert"])
        assert {rule for rule, _ in verdicts} <= {"array/error-alert"}
        assert notice.startswith("the view acme_arrays of auditor-acme 1.2 cannot be computed: Conversion Error")
        assert "its rules are not judged (acme/name); all others are" in notice
        assert (gap.endpoint, gap.what) == ("a", "the view acme_arrays of auditor-acme 1.2")


def test_without_another_rule_it_ends_the_audit_with_a_reason(tmp_path: Path, snapshot: Snapshot) -> None:
    with installed(site_with(tmp_path, {"acme_arrays": CAST})), pytest.raises(UncomputableRuleError, match="Conversion Error"):
        judged(snapshot, tmp_path, ["acme/name"])


def test_one_that_takes_too_long_is_stopped_and_what_rests_on_it_is_not_made(tmp_path: Path) -> None:
    with installed(site_with(tmp_path, {"acme_arrays": SLOW, "acme_over": OVER})), duckdb.connect() as connection:
        assert plugin_views().faults == {}
        create_tables(connection)
        connection.execute("INSERT INTO fact.array (endpoint, name) VALUES ('a', 'b')")
        connection.execute("INSERT INTO fact.reading (endpoint, topic) SELECT 'a', CAST(r AS VARCHAR) FROM range(20000) AS t(r)")
        failed = create_plugin_views(connection, ("acme_arrays", "acme_over"), seconds=0.2)
        assert failed["acme_arrays"] == "it took longer than 0.2 s, and was stopped"
        assert failed["acme_over"] == "it rests on acme_arrays, which could not be computed"
        assert connection.execute("SELECT count(*) FROM fact.array").fetchone() == (1,)
    assert not [one for one in threading.enumerate() if "_run" in one.name]
