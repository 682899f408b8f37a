"""A vCenter whose answers are put in: what a collector makes of them is tested with no wire between."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any, cast

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.rows import Facts
from auditor.endpoints.vcenter.session import VCenter
from auditor.errors import EndpointError, NotThereError
from auditor.model import Endpoint, EndpointKind, Gap, Secret

ENDPOINT = Endpoint("vc-east", EndpointKind.VCENTER, "vc.example.com", 443, "audit", Secret("env", ("P",)))
REFUSED = NotThereError("endpoint vc-east: refused", why="w", do="d")

Rows = list[dict[str, Any]]


def has(kind: str, name: str, values: Mapping[str, Any], missing: Mapping[str, str] | None = None) -> ObjectProperties:
    """What is reported of one object."""
    return ObjectProperties(Ref(kind, name), values, missing or {})


class Answers:
    """Stands for `vcenter.bulk`: these objects, and those that it refuses to answer for."""

    def __init__(
        self, objects: Sequence[ObjectProperties], *, refused: Sequence[Ref] = (), lists: Mapping[str, EndpointError] | None = None
    ):
        self.objects = {one.ref: one for one in objects}
        self.asked: set[tuple[str, tuple[str, ...]]] = set()
        self._refused = refused
        self._lists = lists or {}

    @property
    def bulk(self) -> Answers:
        return self

    def refs(self, kind: str) -> list[Ref]:
        if kind in self._lists:
            raise self._lists[kind]
        return [ref for ref in (*self.objects, *self._refused) if ref.type == kind]

    def page(self, kind: str, paths: Sequence[str], refs: Sequence[Ref]) -> tuple[list[ObjectProperties], int]:
        assert all(ref.type == kind for ref in refs)
        self.asked.add((kind, tuple(paths)))
        if set(refs) & set(self._refused):
            raise REFUSED
        return [self.objects[ref] for ref in refs], 1000

    @property
    def vcenter(self) -> VCenter:
        return cast(VCenter, self)


class Closed(Circuit):
    """A circuit that stays closed, and is given errors alone."""

    def failed(self, error: EndpointError, seconds: float = float("inf")) -> None:
        assert isinstance(error, EndpointError)
        super().failed(error, seconds)


def circuit() -> Circuit:
    """One that stays closed."""
    return Closed(99)


class Found:
    """Rows by table, and gaps as (what, why); `returned` is what a collector returns at its end."""

    def __init__(self, facts: Iterable[Facts]) -> None:
        self.tables: dict[str, Rows] = {}
        self.batches: list[str] = []
        self.gaps: list[tuple[str, str]] = []
        self.returned: Any = None
        for item in self._all(facts):
            if isinstance(item, Gap):
                assert item.endpoint == ENDPOINT.name
                self.gaps.append((item.what, item.why))
                continue
            self.batches.append(item.table)
            rows = [dict(zip(item.columns, cells, strict=True)) for cells in zip(*item.columns.values(), strict=True)]
            assert all(row["endpoint"] == ENDPOINT.name for row in rows)
            self.tables.setdefault(item.table, []).extend(rows)

    def _all(self, facts: Any) -> Generator[Facts, None, None]:
        self.returned = yield from facts

    def rows(self, table: str) -> Rows:
        """Of each row what is not NULL; the endpoint is the same in all."""
        return [{name: cell for name, cell in row.items() if cell is not None and name != "endpoint"} for row in self.tables.get(table, [])]

    @property
    def complete(self) -> dict[str, bool]:
        """By scope and topic, whether all of it was read."""
        return {f"{row['scope']}/{row['topic']}": row["complete"] for row in self.tables["reading"]}
