"""The views of devices as plain joins of texts, to compare with what facts/views/device/ computes by numbers."""

from collections.abc import Collection
from pathlib import Path

import duckdb

from auditor.facts.catalog import catalog, with_dependencies
from auditor.facts.device_classes import CLASSIFIED
from auditor.facts.macros import create_macros
from auditor.facts.views import view_sql
from auditor.sql.statements import run

PLAIN = {
    "device": "plain_device",
    "step_seen_device": "plain_seen_device",
    "step_device_group": "plain_device_group",
    "step_host_group": "plain_host_group",
}
"""What stands in the place of a view or step."""

_SQL = (Path(__file__).parent / "plain_device.sql").read_text(encoding="utf-8")


def create_plain_views(connection: duckdb.DuckDBPyConnection, views: Collection[str]) -> None:
    """Create `views` and all they rest on, those of PLAIN as plain joins; without classes, so that rules are judged row by row."""
    create_macros(connection)
    is_created = False
    for name in with_dependencies(views):
        if name in PLAIN:
            if not is_created:
                connection.execute(_SQL)
                is_created = True
            connection.execute(f"CREATE VIEW {name} AS FROM {PLAIN[name]}")
        else:
            run(connection, f"CREATE {catalog().views[name].materialize} {name} AS\n{view_sql(name)}")
    for steps in CLASSIFIED.values():
        connection.execute(f"DROP TABLE IF EXISTS {steps.classes}")
