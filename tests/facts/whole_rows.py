"""Fleets of hosts, devices and their paths in short form, and whole rows of views: every column of every row is held to what it has to be.

A mistake in a view shows as a row that is not as it has to be. So one fleet that has every kind of neighbour beside each resource notices
most mistakes at once, in one database.
"""

from collections.abc import Collection, Mapping
from typing import Any

from auditor.facts.schema import HOST_TOPICS, VCENTER_TOPICS

from .fleets import Facts, view, whole
from .prepared import connection_with

Row = dict[str, Any]


def vcenter(given: Facts, endpoint: str, unread: Collection[str] = ()) -> None:
    """A vCenter that was read, except for these topics."""
    rows = given.setdefault("reading", [])
    rows += [{"endpoint": endpoint, "scope": "", "topic": topic, "complete": topic not in unread} for topic in VCENTER_TOPICS]


def host(given: Facts, endpoint: str, host_id: str, name: str, cluster: str | None, unread: Collection[str] = (), **more: Any) -> None:
    """A host that was read, except for these topics; the id of a cluster is its name with `id-` before it."""
    cluster_id = None if cluster is None else f"id-{cluster}"
    row = {"endpoint": endpoint, "host_id": host_id, "name": name, "cluster_id": cluster_id, "cluster": cluster, **more}
    given.setdefault("host", []).append(row)
    given.setdefault("reading", []).extend(
        {"endpoint": endpoint, "scope": host_id, "topic": topic, "complete": topic not in unread} for topic in HOST_TOPICS
    )


def add(given: Facts, table: str, *rows: Mapping[str, Any]) -> None:
    """These rows besides those that the table has."""
    given.setdefault(table, []).extend(dict(row) for row in rows)


def rows_by_id(name: str, given: Facts) -> dict[tuple[str, str], Row]:
    """The rows of a view by endpoint and resource; no resource has two."""
    rows = view(name, given)
    found = {(row["endpoint"], row["resource_id"]): row for row in rows}
    assert len(found) == len(rows), "a resource has two rows"
    return found


def rows_of_step(name: str, given: Facts, *order: str) -> list[Row]:
    """The rows of a step over these facts, in the order of these columns."""
    ordered = f" ORDER BY {', '.join(order)}" if order else ""
    answer = connection_with({name}, whole(given)).execute(f'SELECT * FROM "{name}"{ordered}')
    columns = [column[0] for column in answer.description or []]
    return [dict(zip(columns, row, strict=True)) for row in answer.fetchall()]


def expected(usual: Row, *others: Row) -> dict[tuple[str, str], Row]:
    """The rows that have to be, each as the usual one but for what it names."""
    rows = [usual | other for other in others]
    assert len({frozenset(row) for row in rows}) == 1, "not every row has every column"
    return {(row["endpoint"], row["resource_id"]): row for row in rows}
