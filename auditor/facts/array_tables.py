"""Fact tables of storage arrays, and their topics."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from auditor.facts.tables.array_hosts import ARRAY_HOST_TABLES
from auditor.facts.tables.array_jobs import ARRAY_JOB_TABLES
from auditor.facts.tables.array_pools import ARRAY_POOL_TABLES
from auditor.facts.tables.array_volumes import ARRAY_VOLUME_TABLES
from auditor.facts.tables.arrays import WHOLE_ARRAY_TABLES
from auditor.facts.vcenter_tables import ON_DEMAND_TOPICS
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import package_types

ARRAY_TABLES = (*WHOLE_ARRAY_TABLES, *ARRAY_VOLUME_TABLES, *ARRAY_HOST_TABLES, *ARRAY_POOL_TABLES, *ARRAY_JOB_TABLES)

ARRAY_TOPICS: Mapping[EndpointKind, tuple[str, ...]] = MappingProxyType(
    {one.kind: tuple(topic for topic in one.topics if topic not in ON_DEMAND_TOPICS) for one in package_types() if one.is_array}
)
"""Topics of `reading` whose scope is a whole array, by the kind of the endpoint; without those that are read on demand."""
