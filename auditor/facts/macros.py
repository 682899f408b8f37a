"""SQL macros that the views use beside DuckDB's own functions: short lists of names, families of arrays, and ceilings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.facts.families import family_of_inquiry, family_of_name
from auditor.facts.family_advice import TOPICS, advice_sql
from auditor.facts.memory import run

if TYPE_CHECKING:
    import duckdb

AGGREGATES = frozenset({"few", "few_distinct"})
"""The macros that take the values of many rows."""

# Both give the first five values in order and how many more there are; NULL when there is none. `few` is cheaper: each value comes once.
_FEW = """
CREATE OR REPLACE MACRO few(x) AS
    array_to_string(min(x, 5), ', ') || CASE WHEN count(x) > 5 THEN ' and ' || (count(x) - 5) || ' more' ELSE '' END;
CREATE OR REPLACE MACRO few_distinct(x, separator := ', ') AS
    array_to_string(list_slice(list_sort(list(DISTINCT x) FILTER (WHERE x IS NOT NULL)), 1, 5), separator)
    || CASE WHEN count(DISTINCT x) > 5 THEN ' and ' || (count(DISTINCT x) - 5) || ' more' ELSE '' END;
"""

# An inquiry is believed before a name, unless nobody here knows what it answers; see facts/families.py.
_FAMILY = f"""
CREATE OR REPLACE MACRO family_of_inquiry(vendor, model) AS {family_of_inquiry()};
CREATE OR REPLACE MACRO family_of_name(device) AS {family_of_name()};
CREATE OR REPLACE MACRO believed_family(of_inquiry, of_name) AS coalesce(nullif(of_inquiry, 'other'), of_name, of_inquiry);
"""

# How near a volume is to its ceiling. A FlashArray reports instead how long QoS held an operation back: one that waits is at the ceiling.
_CEILING = """
CREATE OR REPLACE MACRO ceiling_use(utilization, throttle_us) AS
    coalesce(utilization, CASE WHEN throttle_us > 0 THEN 1.0 WHEN throttle_us = 0 THEN 0.0 END);
"""

# What a family's vendor asks for, 'none' without a source; see facts/family_advice.py.
_ADVICE = "".join(f"CREATE OR REPLACE MACRO {topic}_advice(family) AS {advice_sql(topic)};\n" for topic in TOPICS)


def create_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the macros in the schema `main` of `connection`."""
    run(connection, _FEW + _FAMILY + _CEILING + _ADVICE)
