"""Reads an ONTAP cluster's aggregates and their load, from two readings of the counters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.common.topics import batch
from auditor.endpoints.ontap import counters, rows
from auditor.errors import CredentialsError, EndpointError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.ontap.lists import Lists
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch

_DISKS = "storage/disks"
_DISK_TABLE = counters.DISKS.removesuffix("/rows")  # as SOURCES names it
_TOLERANCE = 0.05
"""The share of the time between two readings by which slow answers may make it, and so every rate, wrong. Policy."""
_LONGEST_INTERVALS = 12
"""For how many intervals the counters are read again and again where answers were too slow for that: a minute. Policy."""


@dataclass(slots=True)
class Pools:
    """The topics `pools` and `pool_load`; the first of them takes the first reading of the counters."""

    lists: Lists
    needs: Needs
    interval: float
    clock: Callable[[], float]
    sleep: Callable[[float], None]
    pool_ids: dict[str, str] = field(default_factory=dict)  # by name
    flash_pools: set[str] = field(default_factory=set)  # by name
    spinning: set[str] | None = None  # disks by name; None: not read whole
    pools_read: bool = False
    first: counters.Sample | EndpointError | None = None

    def pools(self) -> Iterator[Batch | Gap]:
        """Aggregates. Speed and parts of their disks come from other lists, which are asked only when needed, and may be lacking."""
        wanted = self.needs.properties("pools")
        rpm: dict[str, int] = {}
        data_disks: dict[str, int] = {}
        if "pool_load" in self.needs.topics:
            self.first = self._begun()
        if _DISKS in wanted:
            yield from self._slowest_disks(rpm)
        if _DISK_TABLE in wanted:
            yield from self._data_disks(data_disks)
        if self._without_counters():
            self.pools_read = True
            return  # what an aggregate's disks do is nobody's to judge here

        def row(pool: Record) -> Row:
            pool_row = rows.pool_row(pool, rpm, data_disks)
            if pool_row["name"] is not None:
                self.pool_ids[pool_row["name"]] = pool_row["pool_id"]
                if pool_row["media"] == "mixed":
                    self.flash_pools.add(pool_row["name"])
            return pool_row

        fields = "uuid,name,node.name,block_storage.primary,block_storage.hybrid_cache.enabled,space.block_storage.size"
        fields += ",space.block_storage.available"
        yield from self.lists.table("array_pool", row, "storage/aggregates", "aggregate", fields=fields)
        self.pools_read = True

    def _slowest_disks(self, rpm: dict[str, int]) -> Iterator[Gap]:
        parse_errors = ParseErrors(f"GET {_DISKS}")
        self.spinning = set()
        try:
            for disk in self.lists.records(_DISKS, "disk", parse_errors, key="name", fields="name,rpm,aggregates.uuid"):
                speed = disk.number("rpm") if disk.value.get("rpm") is not None else None
                if speed:
                    self.spinning.add(disk.text("name") or "")
                for home in disk.value.get("aggregates") or () if speed else ():
                    uuid = str(home.get("uuid")).lower() if isinstance(home, dict) else ""
                    rpm[uuid] = min(rpm.get(uuid, speed or 0), speed or 0)
        except CredentialsError:
            raise
        except EndpointError as error:
            rpm.clear()  # the slowest of those that were read may not be the slowest
            self.spinning = None
            yield Gap(self.lists.endpoint, f"GET {_DISKS}", error.what)
        yield from parse_errors.gaps(self.lists.endpoint)

    def _data_disks(self, data_disks: dict[str, int]) -> Iterator[Gap]:
        parse_errors = ParseErrors(f"GET {counters.DISKS}")
        try:
            known = self.first.disks if isinstance(self.first, counters.Sample) else None
            disks = counters.read(self.lists, counters.DISKS, "disk_busy_percent", parse_errors) if known is None else known
            data_disks.update(counters.data_disks(disks.values()))
        except CredentialsError:
            raise
        except EndpointError as error:
            yield Gap(self.lists.endpoint, f"GET {counters.DISKS}", error.what)
        yield from parse_errors.gaps(self.lists.endpoint)

    def pool_load(self) -> Iterator[Batch | Gap]:
        """What every aggregate did between two readings of the counters, at least an interval apart.

        Where answers took too long for a rate, the counters are read again after growing waits, each time with the quickest answer so far
        as the other of the two: a cluster that was slow for a while is known a little later.

        Of a Flash Pool only the spinning disks are looked at: its flash reads as busy long before it is, and takes what they do not.
        """
        if self.flash_pools and self.spinning is None:
            yield from self._slowest_disks({})
        first = self.first or self._begun()  # not begun where the pools themselves were not asked for
        if isinstance(first, EndpointError):
            raise first  # what the first reading of the counters met is what there is to report
        if self._without_counters():
            return
        self.sleep(max(0.0, first.at + self.interval - self.clock()))
        last, parse_errors = self._later()
        wait, deadline = self.interval, self.clock() + _LONGEST_INTERVALS * self.interval
        while not _is_exact(first, last) and self.clock() < deadline:
            first = min(first, last, key=lambda sample: sample.uncertainty)
            self.sleep(min(wait, deadline - self.clock()))
            last, parse_errors = self._later()
            wait *= 2
        if not self.pools_read:
            parse_errors.add("completeness", "the answer", "is not known, since the aggregates were not all read")
        if _is_exact(first, last):
            spinning = dict.fromkeys(self.flash_pools, self.spinning)
            load = counters.pool_load_rows(first, last, self.pool_ids, parse_errors, spinning)
            yield batch("array_pool_load", self.lists.endpoint, load)
        else:
            parse_errors.add(
                "rates", "all aggregates", f"are not known: answers took up to {2 * max(first.uncertainty, last.uncertainty):.1f} s"
            )
        yield from parse_errors.gaps(self.lists.endpoint)

    def _without_counters(self) -> bool:
        """Whether the platform has no counters of disks and aggregates by design."""
        return not self.lists.lacking.isdisjoint({counters.DISKS, counters.HEADROOM})

    def _later(self) -> tuple[counters.Sample, ParseErrors]:
        parse_errors = ParseErrors(f"GET {counters.DISKS} and {counters.HEADROOM}")
        return self._sample(parse_errors), parse_errors

    def _begun(self) -> counters.Sample | EndpointError:
        try:
            return self._sample(ParseErrors("the first reading of the counters"))  # the second one complains of the same
        except CredentialsError:
            raise
        except EndpointError as error:
            return error

    def _sample(self, parse_errors: ParseErrors) -> counters.Sample:
        """Both tables. Each counts as read in the middle of its request, since the answer has no time."""
        began = self.clock()
        disks = counters.read(self.lists, counters.DISKS, "|".join((*counters.DISK_COUNTERS, counters.CONSISTENCY_READS)), parse_errors)
        between = self.clock()
        headroom = counters.read(self.lists, counters.HEADROOM, "|".join(counters.HEADROOM_COUNTERS), parse_errors)
        ended = self.clock()
        uncertainty = max(between - began, ended - between) / 2
        return counters.Sample((began + between) / 2, disks, (between + ended) / 2, headroom, uncertainty)


def _is_exact(first: counters.Sample, last: counters.Sample) -> bool:
    """Whether the time between two readings is known well enough for rates."""
    return first.uncertainty + last.uncertainty <= _TOLERANCE * (last.at - first.at)
