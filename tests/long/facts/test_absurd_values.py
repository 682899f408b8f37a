"""A value that no array and no host can mean stops no view: what is computed of it is unknown, or as absurd, and the rest is judged."""

from __future__ import annotations

from itertools import product

import duckdb
import pytest

from auditor.facts.catalog import catalog
from auditor.facts.schema import TABLES, create_tables
from auditor.facts.views import create_views

VALUES = {"VARCHAR": "'x'", "TIMESTAMPTZ": "TIMESTAMPTZ '2026-11-21 00:00:00+00'"}
WORDS = {"device_type": "'disk'", "family": "'solidfire'", "vendor": "'SolidFir'", "model": "'SSD SAN'", "power_state": "'poweredOn'"}
"""What a view looks for in the columns of this name, so that its rows go all the way through it."""
JUDGED = [name for name in catalog().views if not name.startswith("step_")]


@pytest.mark.parametrize(
    ("whole", "floating"),
    [
        pytest.param("9223372036854775807", "1e308", id="the largest there are"),
        pytest.param("-9223372036854775808", "-1e308", id="the smallest there are"),
        pytest.param("0", "0.0", id="nothing"),
    ],
)
def test_numbers_that_nobody_means_stop_no_view(whole: str, floating: str) -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        for truth, name in product(("true", "false"), TABLES):
            values = VALUES | {"BIGINT": whole, "DOUBLE": floating, "BOOLEAN": truth}
            words = WORDS | {"endpoint": f"'where all is {truth}'"}
            rows = [
                ["'y'" if column.name in others else words.get(column.name, values[column.type]) for column in TABLES[name].columns]
                for others in ((), ("device",), ("device", "hba"))  # two devices behind one adapter, and a second adapter
            ]
            listed = ", ".join(dict.fromkeys(f"({', '.join(row)})" for row in rows))  # of what has neither there is one
            connection.execute(f'INSERT INTO fact."{name}" VALUES {listed}')
        create_views(connection)
        for view in JUDGED:
            connection.execute(f'SELECT * FROM "{view}"').fetchall()
