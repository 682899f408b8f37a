"""What vCenters and their hosts report, and the topics that they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.facts.tables.datastores import DATASTORE_TABLES
from auditor.facts.tables.devices import DEVICE_TABLES
from auditor.facts.tables.history import HISTORY_TABLES
from auditor.facts.tables.hosts import HOST_TABLES
from auditor.facts.tables.load import LOAD_TABLES
from auditor.facts.tables.whole_vcenter import WHOLE_VCENTER_TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.facts.table import Table

VCENTER_TABLES = (*HOST_TABLES, *DEVICE_TABLES, *DATASTORE_TABLES, *LOAD_TABLES, *WHOLE_VCENTER_TABLES, *HISTORY_TABLES)


def _topics(tables: Iterable[Table]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.topic for one in tables))


HOST_TOPICS = _topics(one for one in VCENTER_TABLES if one.of_each_host)
"""Topics of `reading` whose scope is one host."""

ON_DEMAND_TOPICS = _topics(one for one in VCENTER_TABLES if one.on_demand)
"""Topics whose scope is a whole vCenter, and that are no part of a whole reading."""

VCENTER_TOPICS = tuple(topic for topic in _topics(VCENTER_TABLES) if topic not in (*HOST_TOPICS, *ON_DEMAND_TOPICS))
"""The other topics of `reading` whose scope is a whole vCenter."""
