"""The catalogue of the views that come with auditor: columns, types, lineage, order and materialisation, read from facts/catalog.json.

All of this follows from the installed files. It is worked out once, at authoring time, by authoring/catalog.py (`make catalog`), so that an
audit parses no view. A test fails when the file is older than the views. `auditor.facts.catalog` has the views of plugins too.
"""

from __future__ import annotations

from importlib import resources
from typing import Literal

import msgspec

from auditor.once import once

FILE = "catalog.json"

RESOURCE_COLUMNS = ("endpoint", "resource_id", "resource_name", "cluster", "host")
"""The columns every judged view begins with; with the view's name they make a model.Resource."""

FLEET_FILE_TOPIC = "fleet.yaml"
BASELINE_TOPIC = "baseline"
"""Topics of columns whose values come from no endpoint."""


class CatalogColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """One column of a judged view.

    Attributes:
        type: its DuckDB type.
        topics: the topics its value was read by, FLEET_FILE_TOPIC and BASELINE_TOPIC included.
        facts: fact table -> columns it rests on; what the view's rows rest on is left out.
        readings: topics whose row in the table `reading` it looks at; likewise.
        plain: the one fact it hands on unchanged, as table.column; None: the view computes it.
        no_limit_where: columns of its view; where one of them is false, its NULL is no limit.
    """

    type: str
    topics: tuple[str, ...] = ()
    facts: dict[str, tuple[str, ...]] = {}
    readings: tuple[str, ...] = ()
    plain: str | None = None
    no_limit_where: tuple[str, ...] = ()


class CatalogView(msgspec.Struct, frozen=True, omit_defaults=True):
    """One view or step.

    Attributes:
        domain: the folder of facts/views/ that its file is in.
        what: what one row is: the first sentence of its file.
        row: what people call what a row is about; "" where the name of the view says it.
        materialize: `table`: it is computed once and kept; `view`: it is computed for each statement that reads it.
        rests_on: the views and steps its SQL names.
        facts: fact table -> columns that decide which rows there are; "" as the column is the table's rows as such. {} of a step.
        readings: topics whose row in the table `reading` decides about rows.
        empty_without: fact tables; where one of them has no row, neither has the view. () of a step.
        columns: in order; {} of a step.
    """

    domain: str
    what: str
    materialize: Literal["table", "view"]
    rests_on: tuple[str, ...] = ()
    facts: dict[str, tuple[str, ...]] = {}
    readings: tuple[str, ...] = ()
    empty_without: tuple[str, ...] = ()
    columns: dict[str, CatalogColumn] = {}
    row: str = ""


class Catalog(msgspec.Struct, frozen=True):
    """Every view and step, each after all that it rests on.

    Attributes:
        made_of: the digest of the SQL files it was made of.
        views: by name.
    """

    made_of: str
    views: dict[str, CatalogView]


@once
def catalog() -> Catalog:
    """The catalogue of the installed views."""
    return msgspec.json.decode((resources.files("auditor.facts") / FILE).read_bytes(), type=Catalog)
