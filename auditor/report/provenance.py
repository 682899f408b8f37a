"""Names the endpoint that each value of a finding's evidence came from, and when it was read.

The topics of a column follow from the views (facts/catalog.py); the run records when each endpoint answered a topic. A finding about one
host has that host's times where they differ from the others', as after `--since`. The array behind a host's device, and the vCenter of an
array's volume, are named where the evidence names them or where only one exists; otherwise the entry gives their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.facts.catalog import BASELINE_TOPIC, FLEET_FILE_TOPIC, column_topics
from auditor.facts.schema import HOST_TOPICS, ON_DEMAND_TOPICS, VCENTER_TOPICS
from auditor.facts.views import RESOURCE_COLUMNS
from auditor.model.endpoint_kinds import is_array

if TYPE_CHECKING:
    from auditor.model import Finding, ReadTime, Run

_VCENTER = frozenset((*HOST_TOPICS, *VCENTER_TOPICS, *ON_DEMAND_TOPICS))
_NAMING_ARRAYS = ("array_name", "arrays", "eternus_array_names", "ontap_arrays")
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """Columns whose values came from one endpoint.

    Attributes:
        endpoint: its name, or a phrase such as "any of 5 endpoints".
        columns: of the evidence.
        first: when the first of the values was read; None where none was.
        last: when the last of them was read.
        source: the file or folder that they stand in; None: the endpoint was asked.
    """

    endpoint: str
    columns: tuple[str, ...]
    first: datetime | None
    last: datetime | None
    source: str | None = None


class Provenance:
    """Where and when the values of one run's findings were read."""

    def __init__(self, run: Run) -> None:
        self._vcenters = tuple(one.name for one in run.endpoints if not is_array(one.kind))
        self._arrays = tuple(one.name for one in run.endpoints if is_array(one.kind))
        self._times: Mapping[tuple[str, str, str | None], ReadTime] = {(one.endpoint, one.topic, one.host): one for one in run.read}
        self._read_apart = {(one.endpoint, one.host) for one in run.read if one.host is not None and one.topic in HOST_TOPICS}
        self._columns: dict[tuple[str, ...], tuple[str, ...]] = {}  # of an evidence, by all its columns
        self._seen: dict[tuple[object, ...], tuple[ReadFrom, ...]] = {}

    def of(self, finding: Finding) -> tuple[ReadFrom, ...]:
        """The sources of a finding's evidence: its own endpoint first, then the others by name; () for a run without read times."""
        if not self._times:
            return ()
        every = tuple(finding.evidence)
        columns = self._columns.get(every)
        if columns is None:
            columns = self._columns[every] = tuple(column for column in every if column not in RESOURCE_COLUMNS)
        host = finding.resource.host
        # All resources of an endpoint share one result, unless their host was read at another time or their array is another one.
        own_host = host if (finding.resource.endpoint, host) in self._read_apart else None
        arrays = self._named_arrays(finding)
        key = (finding.resource.kind, finding.resource.endpoint, own_host, arrays, columns)
        if key not in self._seen:
            self._seen[key] = tuple(self._sources(finding.resource.kind, finding.resource.endpoint, own_host, arrays, columns))
        return self._seen[key]

    def _named_arrays(self, finding: Finding) -> tuple[str, ...]:
        if len(self._arrays) < 2:
            return self._arrays
        text = " ".join(str(finding.evidence[column]) for column in _NAMING_ARRAYS if finding.evidence.get(column) is not None)
        if re.search(r" and \d+ more\b", text):
            return self._arrays  # some are not named
        words = set(re.split(r"[,;\s]+", text))
        return tuple(name for name in self._arrays if name in words) or self._arrays

    def _sources(
        self, view: str, own_endpoint: str, host: str | None, arrays: tuple[str, ...], columns: tuple[str, ...]
    ) -> Iterator[ReadFrom]:
        topics_by_source: dict[tuple[str, ...], dict[str, set[str]]] = {}
        for column in columns:
            for topic in column_topics(view, column):
                endpoints = self._endpoints_of(topic, own_endpoint, arrays)
                topics_by_source.setdefault(endpoints, {}).setdefault(column, set()).add(topic)
        for endpoints in sorted(topics_by_source, key=lambda names: (names != (own_endpoint,), names)):
            topics_by_column = topics_by_source[endpoints]
            times = [self._time(name, topic, host) for name in endpoints for topics in topics_by_column.values() for topic in topics]
            known = [time for time in times if time is not None]
            first, last = min((time.first for time in known), default=None), max((time.last for time in known), default=None)
            source = next((time.source for time in known if time.source is not None), None)
            found = tuple(column for column in columns if column in topics_by_column)
            yield ReadFrom(_endpoints_text(endpoints), found, first, last, source)

    def _endpoints_of(self, topic: str, own_endpoint: str, arrays: tuple[str, ...]) -> tuple[str, ...]:
        """The endpoints that may have answered `topic`."""
        if topic in _VCENTER:
            return (own_endpoint,) if own_endpoint in self._vcenters else self._vcenters
        if topic in (FLEET_FILE_TOPIC, BASELINE_TOPIC):
            return (topic,)
        return (own_endpoint,) if own_endpoint in self._arrays else arrays

    def _time(self, endpoint: str, topic: str, host: str | None) -> ReadTime | None:
        return self._times.get((endpoint, topic, host)) or self._times.get((endpoint, topic, None))


def where_text(read: ReadFrom) -> str:
    """Which endpoint the values came from, and the file that they stand in."""
    return read.endpoint if read.source is None else f"{read.endpoint}, {read.source}"


def when_text(read: ReadFrom) -> str:
    """When the values were read, in UTC to the second; one day is named only once."""
    if read.first is None or read.last is None:
        return "not read"
    first, last = (time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S") for time in (read.first, read.last))
    if first == last:
        return f"{first} UTC"
    return f"{first} to {last[11:] if first[:10] == last[:10] else last} UTC"


def _endpoints_text(names: tuple[str, ...]) -> str:
    if not names:
        return "nobody"  # programs read this word in JSON reports
    return ", ".join(names) if len(names) <= _MOST_NAMED else f"any of {len(names)} endpoints"
