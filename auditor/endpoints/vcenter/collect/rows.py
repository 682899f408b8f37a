"""Rows into batches and failures into gaps, for the collectors of a vCenter."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.facts.schema import TABLES, Batch
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.errors import EndpointError
    from auditor.model import Endpoint

Facts = Batch | Gap

OPTION_MANAGER, MODULE_SYSTEM = "configManager.advancedOption", "configManager.kernelModuleSystem"
MANAGER_PATHS = (OPTION_MANAGER, MODULE_SYSTEM)
"""Objects of a host that are asked themselves. Their ids come with the list of hosts: one call a page, not one a host."""


@dataclass(frozen=True, slots=True)
class HostSeen:
    """A host on the list of a vCenter, and whether what it says can be believed to be of now."""

    ref: Ref
    name: str
    connected: bool
    software_iscsi: bool | None
    managers: Mapping[str, Ref | str] = field(default_factory=dict)  # by path: objects of its configManager, or why one is not known

    @property
    def id(self) -> str:
        """Managed object id."""
        return self.ref.value


class Rows:
    """Rows of one table, filled column by column; `fixed` values repeat in every row."""

    def __init__(self, table: str, **fixed: Any) -> None:
        self._table = table
        self._columns: dict[str, list[Any]] = {name: [] for name in TABLES[table].names}
        self._row: dict[str, Any] = {**dict.fromkeys(self._columns), **fixed}  # in the order of the columns, as every row made of it is

    def add(self, **values: Any) -> None:
        """One row; a column not named is NULL."""
        row = {**self._row, **values}
        if len(row) != len(self._columns):
            raise ValueError(f"table {self._table} has no columns {sorted(row.keys() - self._columns.keys())}")
        for column, value in zip(self._columns.values(), row.values(), strict=True):
            column.append(value)

    def batch(self) -> Iterator[Batch]:
        """The rows, or nothing when there are none."""
        if any(self._columns.values()):
            yield Batch(self._table, self._columns)


def columns(table: str, fixed: Mapping[str, Any], **values: list[Any]) -> Iterator[Batch]:
    """The rows whose columns are `values`, all of one length; `fixed` values repeat in every row. Nothing when there are none."""
    count = len(next(iter(values.values())))
    if count:
        yield Batch(table, {**{name: [value] * count for name, value in fixed.items()}, **values})


def readings(endpoint: Endpoint, scope: str, topics: Mapping[str, bool]) -> Batch:
    """One row of `reading` a topic: whether the whole of it arrived, as of now."""
    now = datetime.now(UTC)
    count = len(topics)
    return Batch(
        "reading",
        {
            "endpoint": [endpoint.name] * count,
            "scope": [scope] * count,
            "topic": list(topics),
            "complete": list(topics.values()),
            "read_at": [now] * count,
        },
    )


def gap(endpoint: Endpoint, what: str, why: EndpointError | str) -> Gap:
    """What could not be read, and why, without naming the endpoint twice."""
    text = why if isinstance(why, str) else why.what
    return Gap(endpoint.name, what, text.removeprefix(f"endpoint {endpoint.name}: "))


def gaps_of(endpoint: Endpoint, missing: Mapping[str, str], of: str) -> Iterator[Gap]:
    """One gap for each reason that properties could not be read for; `of` names the object."""
    by_reason: dict[str, list[str]] = {}
    for path, why in missing.items():
        by_reason.setdefault(why, []).append(path)
    for why, paths in by_reason.items():
        yield gap(endpoint, f"{', '.join(paths)} of {of}", why)


def pages(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """`items` in slices of `size`."""
    return (items[start : start + size] for start in range(0, len(items), size))
