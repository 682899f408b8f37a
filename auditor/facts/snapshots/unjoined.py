"""Makes a gap for each device whose array was not found in the fleet, with the reason.

Worked out from a snapshot's own tables once everything was collected, and only where both sides of the join were requested. Families that
auditor cannot read leave none: of them it knows what the hosts report, and no rule asks for more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auditor.facts.catalog import with_dependencies
from auditor.facts.families import all_families, families_by_name, kinds_of_families
from auditor.facts.views import view_sql
from auditor.model import EndpointKind, EndpointReading, Gap
from auditor.model.endpoint_kinds import endpoint_type, is_array
from auditor.sql.statements import run

if TYPE_CHECKING:
    import duckdb

    from auditor.facts.needs import Needs

_BEHIND = "the array behind "
MOST_OF_A_KIND = 20
"""Gaps for devices of one vCenter and family that have the same reason; those beyond are counted in one more. Source: this project."""

_STEPS = ("step_endpoint_reading", "step_declared", "step_array_device", "step_family")
_STEPS_OF_SHARES = ("step_ontap_reading", "step_nfs_server")
"""They have something to say of datastores that are mounted from a server alone, and to plan them takes a fifth of the time of all."""


def is_of_the_join(gap: Gap) -> bool:
    """Whether `unjoined` made it, so that it has to be worked out anew when any endpoint was read again."""
    return gap.what.startswith(_BEHIND)


def unjoined(connection: duckdb.DuckDBPyConnection, readings: Sequence[EndpointReading], asked: Needs) -> Iterator[Gap]:
    """Yield a gap for each thing the hosts see that the arrays do not account for; `connection` holds facts and macros.

    Facts are those of `readings`. The endpoint of such a gap is the vCenter; where fleet.yaml and an array disagree, it is the array.
    """
    kinds = {reading.name: EndpointKind(reading.kind) for reading in readings}
    both = {("device", "device"), ("array_volume", "device")}
    if all(is_array(kind) for kind in kinds.values()) or not both <= asked.facts:
        return
    mounts = "SELECT 1 FROM fact.datastore WHERE nfs_path IS NOT NULL LIMIT 1"
    has_shares = ("datastore", "nfs_path") in asked.facts and connection.execute(mounts).fetchone() is not None
    with _steps(connection, (*_STEPS, *(_STEPS_OF_SHARES if has_shares else ()))):
        whole = {name for (name,) in connection.execute("SELECT endpoint FROM step_endpoint_reading WHERE volumes_read").fetchall()}
        left_out = {reading.name for reading in readings if reading.left_out}
        yield from _devices(connection, kinds, whole, left_out, reads_endpoints=("array_protocol_endpoint", "device") in asked.facts)
        yield from _conflicts(connection)
        if has_shares:
            yield from _shares(connection)
        yield from _declared(connection)


@contextmanager
def _steps(connection: duckdb.DuckDBPyConnection, steps: Collection[str]) -> Iterator[None]:
    """The join as facts/views/ has it, for as long as it is looked at: these steps and all below them."""
    made = []
    try:
        for name in with_dependencies(steps):
            run(connection, f"CREATE TEMP TABLE {name} AS\n{view_sql(name)}")
            made.append(name)
        run(connection, f"CREATE TEMP TABLE seen_device AS {_SEEN}")
        made.append("seen_device")
        yield
    finally:
        for name in made:
            connection.execute(f"DROP TABLE temp.{name}")


def _digits() -> str:
    """SQL: how many characters of a volume's name show its array; NULL where that is not known."""
    known = " ".join(f"WHEN '{family.name}' THEN {family.array_digits}" for family in all_families() if family.array_digits)
    return f"CASE family {known} END"


# A device once for each vCenter, however many hosts see it; mpx. names and local disks are one host's own,
# of a detached device nobody wants to know, and what is no disk no array has to account for.
_SEEN = """
WITH seen AS (
    SELECT endpoint, device, few_distinct(nullif(f.family, 'other')) AS inquiries,
        one_family(f.family) AS of_inquiry, coalesce(bool_or(is_protocol_endpoint), false) AS is_pe
    FROM fact.device AS d
    LEFT JOIN step_family AS f ON f.vendor IS NOT DISTINCT FROM d.vendor AND f.model IS NOT DISTINCT FROM d.model
    WHERE NOT starts_with(device, 'mpx.') AND NOT coalesce(is_local, false) AND coalesce(device_type, 'disk') = 'disk'
        AND main_state(operational_state) IS DISTINCT FROM 'off' AND purpose_of_device(d.vendor, d.model, is_tiny_disk(size_bytes)) IS NULL
    GROUP BY endpoint, device
)
SELECT endpoint, device, is_pe, inquiries, of_inquiry, family_of_name(device) AS of_name,
    CASE WHEN of_inquiry IS NOT NULL OR inquiries IS NULL THEN believed_family(of_inquiry, of_name) END AS family
FROM seen
"""

_UNJOINED = f"""
WITH prefix AS (
    SELECT a.family, left(v.device, {_digits()}) AS prefix, min(v.endpoint) AS endpoint
    FROM fact.array_volume AS v
    JOIN step_array AS a USING (endpoint)
    GROUP BY ALL
),
left_over AS (
    SELECT s.*, a.presented_by, left(s.device, {_digits()}) AS prefix
    FROM seen_device AS s
    LEFT JOIN step_array_device AS a USING (device)
    WHERE a.array_name IS NULL AND list_contains($readable, s.family)
)
SELECT s.endpoint, s.family, s.is_pe, s.of_name IS NULL AS is_odd, s.presented_by, p.endpoint AS alike, count(*) AS devices,
    min(s.device, {MOST_OF_A_KIND}) AS names
FROM left_over AS s
LEFT JOIN prefix AS p USING (family, prefix)
GROUP BY ALL
ORDER BY ALL
"""  # noqa: S608  families.py's words only


def _devices(
    connection: duckdb.DuckDBPyConnection,
    kinds: dict[str, EndpointKind],
    whole: Collection[str],
    left_out: set[str],
    *,
    reads_endpoints: bool,
) -> Iterator[Gap]:
    """The gaps of devices; protocol endpoints are left out where those of arrays were not requested."""
    readable = list(kinds_of_families())
    absent: dict[tuple[str, str], tuple[int, list[str]]] = {}
    for endpoint, family, is_pe, is_odd, presented_by, like, count, names in connection.execute(
        _UNJOINED, {"readable": readable}
    ).fetchall():
        if endpoint not in kinds or is_array(kinds[endpoint]):
            continue
        arrays = sorted(name for name, kind in kinds.items() if kind is kinds_of_families()[family])
        if not arrays:
            before, held = absent.get((endpoint, family), (0, []))
            absent[endpoint, family] = (before + count, sorted([*held, *names]))
            continue
        if is_pe and not (reads_endpoints and "protocol_endpoints" in endpoint_type(kinds_of_families()[family]).topics):
            continue  # they were not requested, or such an array reports none
        unread = [name for name in arrays if name not in whole]
        if unread and presented_by is None and left_out.issuperset(unread):
            continue  # the gap of the endpoint that was left out by choice says it once
        why = _why(family, arrays, unread, presented_by, like, is_odd=is_odd, is_pe=is_pe)
        yield from (Gap(endpoint, f"{_BEHIND}{name}", why) for name in names)
        if count > len(names):
            yield Gap(endpoint, f"{_BEHIND}{count - len(names):,} more devices of {families_by_name()[family].label}", why)
    for (endpoint, family), (count, names) in absent.items():
        label = families_by_name()[family].label
        what = f"{_BEHIND}{names[0]}" if count == 1 else f"{_BEHIND}{count:,} devices of {label} ({_few(names, count)})"
        yield Gap(
            endpoint,
            what,
            f"no {label} is listed in fleet.yaml, so neither volumes nor QoS are known; add it as kind {kinds_of_families()[family]}",
        )


def _why(
    family: str, arrays: Sequence[str], unread: Sequence[str], presented_by: str | None, like: str | None, *, is_odd: bool, is_pe: bool
) -> str:
    label, thing = families_by_name()[family].label, "protocol endpoint" if is_pe else "volume"
    if presented_by is not None:
        return (
            f"more than one {thing} has this name, on {presented_by}, and it is not one that is stretched; which one it is cannot be told"
        )
    if unread:
        return f"no {thing} that was read has this name, and {', '.join(unread)} could not be read whole; see the gaps there"
    if is_odd:
        return f"the inquiry names {label}, whose names do not begin like this one; no {thing} of {', '.join(arrays)} has it"
    if like is not None:
        return f"it is named like volumes of {like}, which has none of this name: the LUN is stale, or the account may not see the volume"
    if is_pe or not families_by_name()[family].array_digits:
        return (
            f"no {thing} of {', '.join(arrays)} has this name: it is stale, its array is not in fleet.yaml, or the account may not see it"
        )
    return f"no {thing} of {', '.join(arrays)} is named like it: its array is not in fleet.yaml, or the account may see none of its volumes"


def _conflicts(connection: duckdb.DuckDBPyConnection) -> Iterator[Gap]:
    """Devices whose inquiry shows one family and whose name another, or whose hosts report two.

    The inquiry is believed before the name (facts/families.py), and of two inquiries neither.
    """
    rows = connection.execute(
        f"""SELECT endpoint, of_inquiry, of_name, count(*), min(device, {MOST_OF_A_KIND}) FROM seen_device
        WHERE of_inquiry <> 'other' AND of_name <> of_inquiry GROUP BY ALL ORDER BY ALL"""  # noqa: S608  a number
    ).fetchall()
    for endpoint, of_inquiry, of_name, count, names in rows:
        by_inquiry, by_name = (families_by_name()[family].label for family in (of_inquiry, of_name))
        why = f"its inquiry names {by_inquiry}, its name {by_name}; the inquiry is believed"
        yield from (Gap(endpoint, f"{_BEHIND}{name} going by its name", why) for name in names)
        if count > len(names):
            yield Gap(endpoint, f"{_BEHIND}{count - len(names):,} more devices going by their names", why)
    rows = connection.execute(
        f"""SELECT endpoint, inquiries, count(*), min(device, {MOST_OF_A_KIND}) FROM seen_device
        WHERE contains(inquiries, ', ') GROUP BY ALL ORDER BY ALL"""  # noqa: S608  a number
    ).fetchall()
    for endpoint, inquiries, count, names in rows:
        why = f"its hosts' inquiries name two families: {inquiries}; neither is believed, so rescan the host that has the old one"
        yield from (Gap(endpoint, f"{_BEHIND}{name} going by its inquiries", why) for name in names)
        if count > len(names):
            yield Gap(endpoint, f"{_BEHIND}{count - len(names):,} more devices going by their inquiries", why)


def _shares(connection: duckdb.DuckDBPyConnection) -> Iterator[Gap]:
    """NFS datastores that an ONTAP of the fleet may export. Where none exports the path there is no gap."""
    rows = connection.execute(
        """SELECT n.endpoint, d.name, n.server, n.path, n.exported_by, n.family, r.volumes_read AND r.addresses_read, l.addresses_read
        FROM step_nfs_server AS n
        JOIN fact.datastore AS d USING (endpoint, datastore_id)
        LEFT JOIN step_endpoint_reading AS r ON r.endpoint = n.array_endpoint
        CROSS JOIN step_ontap_reading AS l
        WHERE n.volume_id IS NULL AND n.exported_by IS NOT NULL AND n.family IS DISTINCT FROM 'other' ORDER BY ALL"""
    ).fetchall()
    for endpoint, name, server, path, arrays, family, array_read, addresses_read in rows:
        if family is None and addresses_read:
            reason = f"{server} is no address of theirs; declare its address or its family under nfs_servers in fleet.yaml"
        elif family is None or array_read is False:
            reason = "not every array that may have that path was read whole"
        else:
            reason = "more than one share, or none, has that path behind the server's address"
        yield Gap(endpoint, f"{_BEHIND}datastore {name}", f"it mounts {path} of {server}, known from {arrays}, and {reason}")


def _declared(connection: duckdb.DuckDBPyConnection) -> Iterator[Gap]:
    """Arrays that report of themselves something else than fleet.yaml declares; they are believed."""
    rows = connection.execute(
        """SELECT a.array_name, concat_ws(' ', c.declared_model, c.declared_generation, c.declared_firmware) AS declared,
            concat_ws(' ', a.read_model, a.read_generation, a.read_version) AS read, count(*), min(a.device)
        FROM step_array_device AS a
        JOIN step_declared AS c USING (device)
        WHERE a.read_model <> c.declared_model OR a.read_generation <> c.declared_generation
            OR regexp_replace(a.read_version, '-\\d+$', '') <> regexp_replace(c.declared_firmware, '-\\d+$', '')
        GROUP BY ALL ORDER BY ALL"""
    ).fetchall()
    for array, declared, read, count, device in rows:
        what = f"{_BEHIND}{device} and {count - 1:,} more" if count > 1 else f"{_BEHIND}{device}"
        yield Gap(
            array, what, f"fleet.yaml declares {declared}, and the array reports {read}; the array is believed, so correct fleet.yaml"
        )


def _few(names: Sequence[Any], count: int) -> str:
    return ", ".join(names[:3]) + (f" and {count - 3:,} more" if count > 3 else "")
