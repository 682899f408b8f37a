"""Contract tests of a plugin's views, with all topics of its collector and with one missing."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.engine.evaluate import evaluate
from auditor.engine.rules.rule import RuleSet
from auditor.facts.catalog import all_view_columns
from auditor.facts.needs import SOURCES
from auditor.facts.plugin_views import create_plugin_views, own_views_below
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.table import Table
from auditor.facts.views import create_views, seal
from auditor.model import EndpointReading, Gap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor.engine.rules.rule import Rule
    from auditor.model import Endpoint

_AT = datetime(2026, 1, 1, tzinfo=UTC)


def verdicts_without(
    endpoint: Endpoint, items: Iterable[Batch | Gap], rules: Mapping[str, Rule], topic: str | None
) -> Mapping[tuple[str, str], str]:
    """The verdicts of rules over a plugin's views, (rule, resource) -> verdict, where `topic` was not read; None: as it was collected."""
    builder = SnapshotBuilder()
    for item in items:
        if isinstance(item, Batch) and item.table == "reading":
            complete = [of and name != topic for of, name in zip(item.columns["complete"], item.columns["topic"], strict=True)]
            builder.add(Batch("reading", {**item.columns, "complete": complete}))
        elif not isinstance(item, Batch) or not _is_of(SOURCES.get(item.table), topic):
            builder.add(item)
    reading = EndpointReading(endpoint.name, endpoint.kind, endpoint.address, None, "verified", _AT, _AT, complete=topic is None)
    with closing(builder.finish((reading,), started=_AT, finished=_AT).connection) as connection:
        ours, of_plugins = own_views_below({rule.over for rule in rules.values()})
        create_views(connection, None, ours)
        seal(connection)
        assert create_plugin_views(connection, of_plugins) == {}, "each view can be computed over what the double answers"
        with closing(evaluate(connection, RuleSet(rules, all_view_columns()))) as evaluation:
            return {(one.rule, one.resource.id): str(one.verdict) for one in evaluation.findings()}


def _is_of(table: Table | None, topic: str | None) -> bool:
    return table is not None and table.topic == topic
