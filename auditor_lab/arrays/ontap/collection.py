"""The answer to GET of a collection: selection, order, page and fields of its records.

Source: "Getting started with the ONTAP REST API": records, num_records, _links.next; without HAL only the link to the next page remains
("Input variables", Accept). The `start.` parameters of that link are the lab's own: clients follow the link unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from auditor_lab.arrays.ontap.query import RESERVED, Record, invalid, matching, ordered, project, unexpected, without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor_lab.arrays.ontap.cluster import Cluster
    from auditor_lab.arrays.ontap.resources import Resource

_LOOKED_AT = 50  # records that are checked for the fields that exist


class Collection:
    """One GET of one collection."""

    def __init__(
        self, resource: Resource, cluster: Cluster, positions: dict[tuple[str, ...], int], query: dict[str, str], path: str
    ) -> None:
        self.resource, self.cluster, self.positions, self.query, self.path = resource, cluster, positions, query, path
        self.conditions = {name: text for name, text in query.items() if name not in RESERVED and not name.startswith("start.")}
        self.objects = resource.objects(cluster)
        for name in self.conditions:
            if not _is_field(resource, cluster, name):
                raise unexpected(name)
        self.fields = requested_fields(resource, cluster, query)

    def answer(self, *, hal: bool) -> dict[str, Any]:
        """The whole answer."""
        if self.query.get("return_records", "true") == "false":
            return {"num_records": len(self._records()), **self._links({}, hal=hal)}
        page, following = self._page()
        answered = [self._answered(record, hal=hal) for record in page]
        follows: dict[str, Any] = {} if following is None else {"next": {"href": self._next(following)}}
        return {"records": answered, "num_records": len(answered), **self._links(follows, hal=hal)}

    def _records(self) -> list[Record]:
        records = [self.resource.record(self.cluster, each) for each in self.objects]
        records = matching(records, self.conditions) if self.conditions else records
        return ordered(records, self.query["order_by"]) if "order_by" in self.query else records

    def _page(self) -> tuple[list[Record], Record | None]:
        size = min(_number(self.query, "max_records", self.cluster.description.page_limit), self.cluster.description.page_limit)
        start = tuple(self.query[f"start.{key}"] for key in self.resource.keys if f"start.{key}" in self.query)
        if self.conditions or "order_by" in self.query:
            records = self._records()
            first = next((place for place, record in enumerate(records) if self.resource.key(record) == start), None) if start else 0
            if first is None:
                raise invalid(start[0], f"start.{self.resource.keys[0]}")
            return records[first : first + size], records[first + size] if first + size < len(records) else None
        # Nothing to select or to sort: only the page is made.
        place = self.positions.get(start) if start else 0
        if place is None:
            raise invalid(start[0], f"start.{self.resource.keys[0]}")
        made = [self.resource.record(self.cluster, each) for each in self.objects[place : place + size + 1]]
        return made[:size], made[size] if len(made) > size else None

    def _answered(self, record: Record, *, hal: bool) -> Record:
        links = self.resource.link(record)
        chosen = _chosen(self.resource, record, self.fields, list(self.conditions))
        for name in self.resource.narrowed:
            texts = {path.partition(".")[2]: text for path, text in self.conditions.items() if path.startswith(f"{name}.")}
            if texts and name in chosen:
                chosen[name] = matching(chosen[name], texts)
        if hal and not self.resource.path.startswith("private/"):  # records of the private command line have no address
            return chosen | {"_links": links}
        plain: Record = bare(chosen, hal=hal)
        return plain

    def _next(self, record: Record) -> str:
        path, _, query = self.path.partition("?")
        others = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if not name.startswith("start.")]
        start = [(f"start.{key}", value) for key, value in zip(self.resource.keys, self.resource.key(record), strict=True)]
        return f"{path}?{urlencode(start + others)}"

    def _links(self, follows: dict[str, Any], *, hal: bool) -> dict[str, Any]:
        links = ({"self": {"href": self.path}} if hal else {}) | follows
        return {"_links": links} if links else {}


def one(resource: Resource, cluster: Cluster, item: Any, query: dict[str, str], *, hal: bool) -> Record:
    """The answer to GET of one record; without `fields` everything that is not expensive."""
    for name in query:
        if name not in RESERVED:
            raise unexpected(name)
    record = resource.record(cluster, item)
    chosen = _chosen(resource, record, requested_fields(resource, cluster, query) or ["*"], [])
    if hal and not resource.path.startswith("private/"):
        return chosen | {"_links": resource.link(record)}
    plain: Record = bare(chosen, hal=hal)
    return plain


def requested_fields(resource: Resource, cluster: Cluster, query: dict[str, str]) -> list[str]:
    """The requested fields; an unknown one is an error unless ignore_unknown_fields is true."""
    fields = [part.strip() for part in query.get("fields", "").split(",") if part.strip()]
    unknown = [name for name in fields if not _is_field(resource, cluster, name)]
    if unknown and query.get("ignore_unknown_fields", "false") != "true":
        raise invalid(unknown[0], "fields")
    return [name for name in fields if name not in unknown]


def _chosen(resource: Resource, record: Record, fields: list[str], conditions: list[str]) -> Record:
    if "**" in fields:
        return dict(record)
    named = [name for name in (*resource.default, *resource.keys, *fields, *conditions) if name != "*"]
    if "*" not in fields:
        return project(record, named)
    hidden = [path for path in resource.expensive if not any(name == path or name.startswith(f"{path}.") for name in named)]
    return without(record, hidden)


def _is_field(resource: Resource, cluster: Cluster, name: str) -> bool:
    if name in ("*", "**"):
        return True
    name = name.removesuffix(".*")
    if any(each == name or each.startswith(f"{name}.") for each in resource.optional):
        return True
    objects: Sequence[Any] = resource.objects(cluster)
    looked = [resource.record(cluster, each) for each in objects[:_LOOKED_AT]]
    return not looked or any(_has(record, name) for record in looked)


def _has(record: Any, path: str) -> bool:
    if isinstance(record, list):
        return not record or any(_has(each, path) for each in record)
    if not path:
        return True
    name, _, rest = path.partition(".")
    return isinstance(record, dict) and name in record and _has(record[name], rest)


def _number(query: dict[str, str], name: str, default: int) -> int:
    text = query.get(name, str(default))
    if not text.isdigit() or int(text) < 1:
        raise invalid(text, name)
    return int(text)


def bare(value: Any, *, hal: bool) -> Any:
    """The value without any _links, for clients that did not request HAL."""
    if hal:
        return value
    if isinstance(value, dict):
        return {name: bare(each, hal=hal) for name, each in value.items() if name != "_links"}
    return [bare(each, hal=hal) for each in value] if isinstance(value, list) else value
