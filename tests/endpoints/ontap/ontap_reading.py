"""What tests of the ONTAP collector share."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from auditor.facts.needs import needs
from auditor.facts.schema import TABLES

if TYPE_CHECKING:
    from auditor.facts.needs import Needs
    from auditor_lab.arrays.ontap.server import OntapServer


def uuid(server: OntapServer, kind: str, name: str) -> str:
    """The id of a volume by its name, or of a LUN by its path, as the lab itself knows it."""
    if kind == "volume":
        return next(each.uuid for each in server.cluster.volumes if each.about.name == name)
    return next(each.uuid for each in server.cluster.luns if each.path == name)


def picked(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def all_of(table: str) -> Needs:
    return needs((table, column) for column in TABLES[table].names)


def change(path: str, value: Any, at: int = 0) -> Any:
    """An alteration: the record at that place has this value at a dotted path; Ellipsis takes it away."""

    def alter(body: Any) -> Any:
        body = copy.deepcopy(body)
        where = body["records"][at]
        *above, name = path.split(".")
        for each in above:
            where = where[each]
        if value is ...:
            del where[name]
        else:
            where[name] = value
        return body

    return alter
