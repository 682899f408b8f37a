"""Rows that tests of the view datastore share."""

from typing import Any

from .single import Rows, of_vc, rows_over


def datastores(*names: str, **more: Any) -> Rows:
    """VMFS datastores, each with an id that is its name."""
    return of_vc(*({"datastore_id": name, "name": f"name of {name}", "type": "VMFS", **more} for name in names))


def rows(**tables: Rows) -> Rows:
    """The rows of the view; `fact_host` is the table fact.host."""
    given = {"step_vcenter_reading": [{"hosts_read": False, "datastores_read": False}]}
    given |= {name.replace("fact_", "fact.", 1): several for name, several in tables.items()}
    return rows_over("datastore", given)
