"""Reads the processor load of an ONTAP cluster's nodes by kind of work, from two readings of the counters.

ONTAP counts processor time by domain (`system:node`, domain_busy). All domains together, idle among them, are the time of all processors:
so it is in the answer that NetApp Harvest prints for its REST metrics, where they are 16 times cpu_elapsed_time, for 16
processors, to 0.2 %. What each domain is for, NetApp explains in no reference that was found: they are shown by ONTAP's own names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.common.topics import batch
from auditor.endpoints.ontap import counters
from auditor.errors import CredentialsError, EndpointError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.ontap.lists import Lists
    from auditor.facts.schema import Batch
    from auditor.model import Gap

NODES = "cluster/counter/tables/system:node/rows"
DOMAINS = "domain_busy"


@dataclass(slots=True)
class NodeLoad:
    """The topic `node_load`; `begin` takes its first reading early, so that other topics fill the interval."""

    lists: Lists
    interval: float
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    first: Mapping[str, counters.CounterRow] | EndpointError | None = None
    begun_at: float = 0.0

    def begin(self) -> None:
        """Take the first reading; `node_load` reports its errors."""
        self.begun_at = self.clock()
        try:
            self.first = counters.read(self.lists, NODES, DOMAINS, ParseErrors("the first reading of the processors"))
        except CredentialsError:
            raise
        except EndpointError as error:
            self.first = error

    def node_load(self) -> Iterator[Batch | Gap]:
        """One row for each node and domain.

        Raises:
            EndpointError: the counters could not be read.
        """
        if self.first is None:
            self.begin()
        if isinstance(self.first, EndpointError):
            raise self.first
        if NODES in self.lists.lacking:
            return
        self.sleep(max(0.0, self.begun_at + self.interval - self.clock()))
        parse_errors = ParseErrors(f"GET {NODES}")
        last = counters.read(self.lists, NODES, DOMAINS, parse_errors)
        yield batch("array_node_cpu", self.lists.endpoint, node_rows(self.first or {}, last, parse_errors))
        yield from parse_errors.gaps(self.lists.endpoint)


def node_rows(first: Mapping[str, counters.CounterRow], last: Mapping[str, counters.CounterRow], parse_errors: ParseErrors) -> list[Row]:
    """Rows of array_node_cpu: each domain's share of the time of all processors between two readings."""
    rows: list[Row] = []
    for row_id, row in last.items():
        name = row.properties.get("node.name") or row_id.partition(":")[0]
        then, after = first.get(row_id), row.arrays.get(DOMAINS, {})
        before = then.arrays.get(DOMAINS, {}) if then else {}
        # All 0 is a reading that ONTAP did not fill (counters.py, `_growth`).
        grown = {domain: value - before.get(domain, value + 1) for domain, value in after.items()} if any(before.values()) else {}
        total = sum(grown.values())
        if total <= 0 or any(value < 0 for value in grown.values()):
            parse_errors.add(DOMAINS, f"node {name}", "is missing, all 0, or went backwards, between the two readings")
            continue
        rows += [{"node_id": name, "domain": domain, "percent": 100 * value / total} for domain, value in grown.items()]
    return rows
