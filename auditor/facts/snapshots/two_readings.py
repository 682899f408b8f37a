"""Makes a gap for each fact whose two readings differ, with what to do.

vCenter hands out its own copy of what a host reported, which may be days old; esxcli asks the host itself. Where both were read and
differ, no view believes either of them, and a verdict that rests on them is unknown. Sources: alanrenouf/vCheck-vSphere#201 (the copy had
two of four paths for days), Icinga/icingaweb2-module-vspheredb#57; vSphere API reference, HostStorageSystem.RefreshStorageSystem.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.facts.views import view_sql
from auditor.model import Gap
from auditor.sql.statements import execute

if TYPE_CHECKING:
    import duckdb

    from auditor.facts.needs import Needs

_TWO = "two readings of "
_COPY, _OWN = "vCenter's copy has", "the host's own esxcli"
_REFRESH = (
    "vCenter's copy is old: refresh the storage of the host (`esxcli storage core adapter rescan --all` on it, or RefreshStorageSystem), "
    "and audit again"
)
_IN_FILES = ("one saved output has", "another")
_TAKE_ANEW = "One of them is older, or was cut: take both anew, and audit again"
_NETWORK = "vCenter's copy is old: refresh the network of the host (RefreshNetworkSystem), and audit again"


@dataclass(frozen=True, slots=True)
class TwoReadings:
    """A fact that two tables have.

    Attributes:
        of: what it is, as a gap names it.
        facts: the tables and columns that have it: vCenter's copy, and the host's own answer.
        second_table: the table of the second reading: where it has no row, nothing differs.
        select: SQL, where they differ: endpoint, host_id (NULL of what is on no single host), name of the thing, and both values as
            texts, `first` and `second`.
        says: what goes before each of the two values.
        do: what the gap asks for.
    """

    of: str
    facts: frozenset[tuple[str, str]]
    second_table: str
    select: str
    says: tuple[str, str] = (_COPY, _OWN)
    do: str = _REFRESH


def _of_one_value(of: str, key: str, copy: tuple[str, str], answer: tuple[str, str], do: str = _REFRESH) -> TwoReadings:
    """Of a value that both tables have by `key`. Hosts that agree are left out by a sum of hashes: a fleet has millions of devices."""
    (a, x), (b, y) = copy, answer
    select = f"""
    WITH copied AS (
        SELECT endpoint, host_id, sum(CAST(hash({key}, {x}) AS HUGEINT)) AS digest FROM fact.{a} WHERE {x} IS NOT NULL GROUP BY ALL
    ),
    listed AS (
        SELECT endpoint, host_id, sum(CAST(hash({key}, {y}) AS HUGEINT)) AS digest FROM fact.{b} WHERE {y} IS NOT NULL GROUP BY ALL
    ),
    suspect AS (SELECT endpoint, host_id FROM copied JOIN listed USING (endpoint, host_id) WHERE copied.digest <> listed.digest)
    SELECT endpoint, host_id, {key} AS name, CAST(a.{x} AS VARCHAR) AS first, CAST(b.{y} AS VARCHAR) AS second
    FROM fact.{a} AS a JOIN suspect USING (endpoint, host_id) JOIN fact.{b} AS b USING (endpoint, host_id, {key})
    WHERE a.{x} <> b.{y}
    """  # noqa: S608  words of this module
    return TwoReadings(of, frozenset({copy, answer}), b, select, do=do)


# What carries I/O by the copy, and what the native plug-in lists. Hosts whose two lists are the same are left out as above.
_PATHS = """
    WITH copied AS (
        SELECT
            endpoint,
            host_id,
            sum(CASE WHEN is_working THEN CAST(hash(device, psp, satp) AS HUGEINT) END) AS digest,
            count(*) FILTER (WHERE is_working IS NULL) AS untold
        FROM fact.path
        GROUP BY ALL
    ),
    listed AS (
        SELECT endpoint, host_id, sum(CAST(hash(device, psp, satp) AS HUGEINT) * working_paths) AS digest
        FROM fact.device_policy
        GROUP BY ALL
    ),
    suspect AS (
        SELECT endpoint, host_id
        FROM listed
        JOIN (SELECT DISTINCT endpoint, scope AS host_id FROM fact.reading WHERE topic = 'paths' AND complete) USING (endpoint, host_id)
        LEFT JOIN copied USING (endpoint, host_id)
        WHERE copied.digest IS DISTINCT FROM listed.digest OR copied.untold > 0
    ),
    counted AS (
        SELECT
            endpoint,
            host_id,
            device,
            count(*) FILTER (WHERE state = 'active') AS active,
            CASE WHEN count(is_working) = count(*) THEN count(*) FILTER (WHERE is_working) END AS working,
            min(psp) AS psp,
            min(satp) AS satp
        FROM fact.path
        JOIN suspect USING (endpoint, host_id)
        GROUP BY ALL
    ),
    compared AS (
        SELECT
            b.endpoint,
            b.host_id,
            b.device AS name,
            coalesce(a.active, 0) AS active,
            CASE WHEN a.device IS NULL THEN 0 ELSE a.working END AS working,
            a.psp AS copied_psp,
            a.satp AS copied_satp,
            b.*
        FROM fact.device_policy AS b
        JOIN suspect USING (endpoint, host_id)
        JOIN fact.device AS d USING (endpoint, host_id, device)
        LEFT JOIN counted AS a USING (endpoint, host_id, device)
    )
"""

_DEPTH_PARAMETERS = view_sql("step_depth_parameter").strip().removesuffix(";")

COMPARED = (
    TwoReadings(
        "the paths",
        frozenset({("path", "state"), ("path", "is_working"), ("device_policy", "working_paths")}),
        "device_policy",
        f"""{_PATHS}
        SELECT endpoint, host_id, name, CASE WHEN working > 0 THEN working || ' working paths' ELSE active || ' active paths' END AS first,
            working_paths || ' working paths' AS second
        FROM compared
        WHERE paths_differ(active, working, working_paths, psp)""",  # noqa: S608  words of this module
    ),
    TwoReadings(
        "the state of a disk",
        frozenset({("device", "operational_state"), ("device_policy", "working_paths")}),
        "device_policy",
        """
        SELECT endpoint, host_id, device AS name, main_state(d.operational_state) AS first, p.working_paths || ' working paths' AS second
        FROM fact.device AS d
        JOIN fact.device_policy AS p USING (endpoint, host_id, device)
        WHERE is_lost(main_state(d.operational_state)) AND p.working_paths > 0""",
    ),
    TwoReadings(
        "the devices",
        frozenset({("device", "device"), ("device_policy", "device")}),
        "device_policy",
        """
        SELECT b.endpoint, b.host_id, b.device AS name, 'no such device' AS first, 'it among its devices' AS second
        FROM fact.device_policy AS b
        JOIN (
            SELECT endpoint, scope AS host_id
            FROM fact.reading
            WHERE topic = 'devices' AND source IS NULL
            GROUP BY ALL
            HAVING bool_and(complete)
        ) USING (endpoint, host_id)
        ANTI JOIN fact.device AS d USING (endpoint, host_id, device)""",
    ),
    TwoReadings(
        "the path policy",
        frozenset({("path", "psp"), ("path", "satp"), ("device_policy", "psp"), ("device_policy", "satp")}),
        "device_policy",
        f"""{_PATHS}
        SELECT endpoint, host_id, name, concat_ws(', ', copied_satp, copied_psp) AS first, concat_ws(', ', satp, psp) AS second
        FROM compared
        WHERE copied_psp <> psp OR copied_satp <> satp""",  # noqa: S608  words of this module
    ),
    _of_one_value("the queue depth", "device", ("device", "queue_depth"), ("device_scheduling", "esxcli_queue_depth")),
    _of_one_value("what is a protocol endpoint", "device", ("device", "is_protocol_endpoint"), ("device_scheduling", "is_vvol_pe")),
    _of_one_value("the MTU", "vmk", ("vmknic", "mtu"), ("iscsi_portal", "mtu"), do=_NETWORK),
    _of_one_value("the address", "vmk", ("vmknic", "ip"), ("iscsi_portal", "ip"), do=_NETWORK),
    TwoReadings(
        "the depth that a module is given",
        frozenset({("host_module", "option_string"), ("host_module_parameter", "value")}),
        "host_module_parameter",
        f"""
        WITH word AS (
            SELECT endpoint, host_id, module, regexp_extract(given, '^([^=]*)', 1) AS name, regexp_extract(given, '=(.*)$', 1) AS value
            FROM (SELECT *, unnest(option_words(option_string)) AS given FROM fact.host_module)
        ),
        own AS (
            SELECT endpoint, host_id, module, name, CASE WHEN count(DISTINCT value) = 1 THEN min(value) END AS value FROM word GROUP BY ALL
        )
        SELECT m.endpoint, m.host_id, m.module || ' ' || l.name AS name, coalesce(w.value, 'none') AS first, l.value AS second
        FROM fact.host_module AS m
        JOIN ({_DEPTH_PARAMETERS}) AS q USING (module)
        JOIN fact.host_module_parameter AS l
            ON l.endpoint = m.endpoint AND l.host_id = m.host_id AND l.module = m.module AND l.name = q.depth_parameter
        LEFT JOIN own AS w ON w.endpoint = m.endpoint AND w.host_id = m.host_id AND w.module = m.module AND w.name = l.name
        WHERE CASE
            WHEN w.name IS NOT NULL THEN plain_number(trim(l.value)) <> plain_number(w.value)
            ELSE trim(l.value) <> '' AND option_words(m.option_string) IS NOT NULL
        END""",  # noqa: S608  words of this module, and a view of this package
        says=("the option string has", "the host's own list of parameters"),
        do="Look at both on the host (`esxcfg-module -g MODULE`, `esxcli system module parameters list -m MODULE`), and audit again",
    ),
    TwoReadings(
        "whether a host reaches it",
        frozenset({("datastore", "accessible"), ("datastore_mount", "accessible")}),
        "datastore_mount",
        """
        SELECT endpoint, NULL AS host_id, d.name, CASE WHEN d.accessible THEN 'that one does' ELSE 'that none does' END AS first,
            CASE WHEN d.accessible THEN 'none that does' ELSE 'one that does' END AS second
        FROM fact.datastore AS d
        JOIN fact.datastore_mount AS m USING (endpoint, datastore_id)
        JOIN fact.host AS h USING (endpoint, host_id)
        WHERE h.connection_state = 'connected'
        GROUP BY endpoint, d.datastore_id, d.name, d.accessible
        HAVING bool_or(m.accessible) <> d.accessible AND (NOT d.accessible OR count(m.accessible) = count(*))""",
        says=("the datastore has", "its mounts have"),
        do="Refresh the storage of its hosts (RefreshStorageSystem), and audit again",
    ),
    TwoReadings(
        "the depth in effect",
        frozenset({("device", "queue_depth"), ("device_load", "max_queue_depth")}),
        "device_load",
        """
        SELECT endpoint, host_id, device AS name, CAST(d.queue_depth AS VARCHAR) AS first, CAST(l.max_queue_depth AS VARCHAR) AS second
        FROM fact.device_load AS l
        JOIN fact.device AS d USING (endpoint, host_id, device)
        WHERE l.max_queue_depth > d.queue_depth AND NOT coalesce(d.is_local, false) AND lower(d.vendor) <> 'nvme'
            AND NOT coalesce(d.is_protocol_endpoint, false)""",
        says=("the device has at most", "its counter shows"),
    ),
    TwoReadings(
        "the ceiling",
        frozenset({("array_volume", "qos_max_iops"), ("array_volume_load", "throttle_us")}),
        "array_volume_load",
        """
        SELECT endpoint, NULL AS host_id, name, 'no ceiling' AS first, 'that QoS holds operations back' AS second
        FROM fact.array_volume_load
        JOIN fact.array_volume USING (endpoint, volume_id)
        WHERE throttle_us > 0 AND qos_read
            AND coalesce(qos_max_iops, qos_group_max_iops, qos_max_bytes_per_second, qos_group_max_bytes_per_second) IS NULL""",
        says=("its settings have", "its counters have it"),
        do="A ceiling stands at a level that was not read (host, group, tenant): look for it at the array",
    ),
)
"""Every fact with two readings that are compared; tests/long/facts/test_two_readings.py finds those that are not."""


def is_of_two_readings(gap: Gap) -> bool:
    """Whether `two_readings` made it, so that it has to be worked out anew when any endpoint was read again."""
    return gap.what.startswith(_TWO)


def two_readings(connection: duckdb.DuckDBPyConnection, asked: Needs) -> Iterator[Gap]:
    """Yield a gap for each fact and host, or array, whose two readings differ; `connection` holds the facts, and the macros."""
    of_files = {
        endpoint for (endpoint,) in execute(connection, "SELECT DISTINCT endpoint FROM fact.reading WHERE source IS NOT NULL").fetchall()
    }
    # To plan a comparison takes more time than a small fleet's rows do.
    listed = " UNION ALL ".join(
        f"SELECT '{table}' WHERE EXISTS (FROM fact.\"{table}\")" for table in sorted({one.second_table for one in COMPARED})
    )
    with_rows = {name for (name,) in execute(connection, listed).fetchall()}
    for one in COMPARED:
        if not one.facts <= asked.facts or one.second_table not in with_rows:
            continue
        rows = execute(
            connection,
            f"""SELECT x.endpoint, coalesce(h.name, x.host_id), few(x.name), few_distinct(x.first), few_distinct(x.second)
            FROM ({one.select}) AS x LEFT JOIN fact.host AS h USING (endpoint, host_id)
            GROUP BY ALL ORDER BY ALL""",  # noqa: S608  words of this module
        ).fetchall()
        for endpoint, host, names, first, second in rows:
            where = f" on {host}" if host is not None else ""
            says, do = (_IN_FILES, _TAKE_ANEW) if endpoint in of_files and one.says[0] == _COPY else (one.says, one.do)
            yield Gap(endpoint, f"{_TWO}{one.of}: {names}{where}", f"{says[0]} {first}, {says[1]} {second}. {do}")
