"""The fact tables: what collectors fill and views join.

A cell is NULL only when the fact could not be read or does not exist for that row; the column's text says which. Whether a whole topic
was read for a host or an endpoint stands in the table `reading`, so that "none found" and "not read" stay two things.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.facts.array_tables import ARRAY_TABLES, ARRAY_TOPICS
from auditor.facts.table import ENDPOINT, Table, table
from auditor.facts.tables.guests import GUEST_TABLES, GUESTS
from auditor.facts.vcenter_tables import HOST_TOPICS, ON_DEMAND_TOPICS, VCENTER_TABLES, VCENTER_TOPICS
from auditor.model import EndpointKind
from auditor.sql.statements import parsed

if TYPE_CHECKING:
    import duckdb

__all__ = ["ARRAY_TOPICS", "HOST_TOPICS", "ON_DEMAND_TOPICS", "TABLES", "TOPICS", "VCENTER_TOPICS", "Batch", "create_tables"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of one table as columns of equal length; a column left out is NULL in every row."""

    table: str
    columns: Mapping[str, Sequence[Any]]


_TABLES = (
    table(
        "reading",
        "What was asked and whether the whole answer arrived; a topic without a row was never asked, see facts/snapshots/unread.py.",
        ENDPOINT,
        ("scope", "VARCHAR", "host_id for topics of one host, '' for topics of the endpoint"),
        ("topic", "VARCHAR", "one of TOPICS"),
        ("complete", "BOOLEAN", "true when the whole topic was read"),
        ("read_at", "TIMESTAMPTZ", "when the answer arrived, UTC; of a file, when it was made; NULL when none came"),
        ("source", "VARCHAR", "the file or folder that the answer stands in; NULL where an endpoint was asked, and of older auditors"),
        key=("endpoint", "scope", "topic"),
    ),
    table(
        "listed_endpoint",
        "Every endpoint of fleet.yaml, whether it answered, or was asked, or not.",
        ENDPOINT,
        ("kind", "VARCHAR", f"as fleet.yaml has it: {' | '.join(EndpointKind)}"),
        ("identity", "VARCHAR", "what it says of itself: a vCenter's instanceUuid, an array's UUID or serial number; NULL when not known"),
        key=("endpoint",),
    ),
    *VCENTER_TABLES,
    *ARRAY_TABLES,
    *GUEST_TABLES,
    table(
        "declared",
        "What no API reports and fleet.yaml declares.",
        ("devices", "VARCHAR", "glob over canonical device names"),
        ("model", "VARCHAR", "for example DX90"),
        ("generation", "VARCHAR", "for example S1; NULL when not declared"),
        ("firmware", "VARCHAR", "for example V10L66; NULL when not declared"),
    ),
    table(
        "declared_nfs_server",
        "Whose the NFS servers are that hosts mount by name, as fleet.yaml declares.",
        ("server", "VARCHAR", "glob over servers as mounts name them, lower case"),
        ("address", "VARCHAR", "an address it has; NULL when not declared"),
        ("family", "VARCHAR", "ontap | other; NULL when not declared"),
    ),
    table(
        "declared_setting",
        "Values that settings.yaml declares for hosts, or for volumes of arrays; no row where there is no such file.",
        ("kind", "VARCHAR", "option | parameter | claim_rule | volume_limit"),
        ("thing", "VARCHAR", "kernel module; of a claim rule a JSON object of its words; glob over names of volumes, lower case; else ''"),
        ("setting", "VARCHAR", "name of the option or parameter; of a claim rule its description; of a volume max_iops"),
        ("value", "VARCHAR", "the wanted value as text; of a claim rule absent, or its policy with options"),
        ("of_endpoint", "VARCHAR", "glob over names of endpoints, lower case; NULL: any"),
        ("of_cluster", "VARCHAR", "likewise of clusters"),
        ("of_host", "VARCHAR", "likewise of hosts"),
        ("rank", "BIGINT", "of the entries that fit one host or volume, those of the highest rank count"),
        ("place", "VARCHAR", "file:line"),
        kept_for={"place": "in which line of settings.yaml a value is declared, shown by every rule of declared/"},
    ),
    table(
        "baseline",
        "Settings that somebody declared wanted, as a run or one good host had them; no row when no baseline is set.",
        (
            "kind",
            "VARCHAR",
            "made: one row about all of it; host: a host; another: an endpoint that is another now; else a name of facts.baseline.KINDS",
        ),
        ("of_endpoint", "VARCHAR", "endpoint the setting was read from; NULL in the row `made`"),
        ("of_host", "VARCHAR", "name of the host it was read from; '' where it is no host's"),
        (
            "thing",
            "VARCHAR",
            "device, kernel module, iSCSI target, datastore or volume; '' for the host itself; of `host` its cluster, of `made` for whom",
        ),
        (
            "setting",
            "VARCHAR",
            "for example an option's key; of `made` run or host: what it was made from; of `another` who it was",
        ),
        (
            "value",
            "VARCHAR",
            "the wanted value as text; of `made` the run; of `host` itself, cluster or all: who is to be like it; of `another` who it is",
        ),
        ("taken_at", "TIMESTAMPTZ", "of `made`: when that run began to read, UTC; else NULL"),
        key=("kind", "of_endpoint", "of_host", "thing", "setting"),
    ),
    table(
        "gap",
        "What could not be read, and why.",
        ENDPOINT,
        ("what", "VARCHAR", ""),
        ("why", "VARCHAR", ""),
    ),
)

TABLES: Mapping[str, Table] = MappingProxyType({one.name: one for one in _TABLES})

MEASURED_TOPICS = frozenset(one.topic for one in _TABLES if one.measured)
"""Counters, which change between two runs although nobody changed a setting."""
TOPICS = frozenset((*HOST_TOPICS, *VCENTER_TOPICS, *ON_DEMAND_TOPICS, GUESTS)).union(*ARRAY_TOPICS.values())


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every fact table, empty, in the schema `fact`; every cursor shows times in UTC, wherever this machine stands."""
    statements = ["SET GLOBAL TimeZone = 'UTC'", "CREATE SCHEMA IF NOT EXISTS fact"]
    for name, one in TABLES.items():
        columns = ", ".join(f'"{column.name}" {column.type}' for column in one.columns)
        statements.append(f'CREATE TABLE fact."{name}" ({columns})')
    for statement in parsed(connection, ";\n".join(statements)):
        connection.execute(statement)
