"""Old entries of hosts that were registered anew: what a vCenter still lists of a host that answers under another entry.

A host that moves to another vCenter, or comes back with another name, leaves its old entry behind until somebody removes it. That entry
answers nothing, so all that rests on it would be unknown, although the host itself was read. Such entries are left out of a snapshot, and
a note of the vCenter names them. Source: BMC, "Reconciling and managing duplicate entities of a vCenter host or VM", on hosts that migrate.

Both entries have the UUID of the machine's BIOS (HostSystem.summary.hardware.uuid, "the hardware BIOS identification"; vSphere API
reference, HostHardwareSummary), which vCenter remembers of a host that it has lost. UUIDs that boards share say nothing: neither those that
makers left as they were, nor one by which two hosts answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from auditor.facts.schema import TABLES

if TYPE_CHECKING:
    import duckdb

    from auditor.model import EndpointReading, Gap

PLACEHOLDERS = ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "03000200-0400-0500-0006-000700080009")
"""UUIDs of boards whose maker set none. Sources: DMTF DSP0134 (SMBIOS), 7.2.1: zeros where there is none, ones where none is set, and
FOGProject/fogproject#196; of the third, the default of a BIOS that makers leave as it is, timmo001/system-bridge#3532."""


@dataclass(frozen=True, slots=True)
class StaleHost:
    """An entry that vCenter `endpoint` has lost, of a host that answers as `answers_as` at the vCenter `answers_at`."""

    endpoint: str
    host_id: str
    name: str
    state: str
    answers_at: str
    answers_as: str

    @property
    def note(self) -> str:
        """What a reader has to know, and do."""
        where = "" if self.answers_at == self.endpoint else f" at {self.answers_at}"
        return (
            f"{self.name} ({self.host_id}, {self.state}) is the old entry of a host that answers as {self.answers_as}{where}:"
            f" the UUID of the machine is the same. The old entry was not judged; remove it from {self.endpoint}."
        )


def stale_hosts(connection: duckdb.DuckDBPyConnection) -> list[StaleHost]:
    """The entries that are lost, and of whose machine exactly one other entry is connected; in the order of endpoint and id."""
    rows = connection.execute(
        """
        WITH answering AS (
            SELECT lower(hardware_uuid) AS machine, min(endpoint) AS answers_at, min(name) AS answers_as
            FROM fact.host
            WHERE connection_state = 'connected' AND NOT list_contains($placeholders, lower(hardware_uuid))
            GROUP BY ALL
            HAVING count(*) = 1
        )
        SELECT endpoint, host_id, name, connection_state, answers_at, answers_as
        FROM fact.host
        JOIN answering ON machine = lower(hardware_uuid)
        WHERE connection_state IN ('notResponding', 'disconnected')
        ORDER BY endpoint, host_id
        """,
        {"placeholders": list(PLACEHOLDERS)},
    ).fetchall()
    return [StaleHost(*row) for row in rows]


def rows_of(connection: duckdb.DuckDBPyConnection, stale: Sequence[StaleHost]) -> Iterator[tuple[str, str]]:
    """Each table that may have rows of these entries, or of the machines on them, and the SQL condition that holds for such rows."""
    connection.execute("CREATE OR REPLACE TEMP TABLE stale_host (endpoint VARCHAR, host_id VARCHAR)")
    connection.executemany("INSERT INTO stale_host VALUES (?, ?)", [(one.endpoint, one.host_id) for one in stale])
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE stale_vm AS SELECT endpoint, vm_id FROM fact.vm SEMI JOIN stale_host USING (endpoint, host_id)"
    )
    for name, table in TABLES.items():
        if "endpoint" not in table.names:
            continue
        by_host = "scope" if name == "reading" else "host_id"
        if by_host in table.names:
            yield name, f"(endpoint, {by_host}) IN (FROM stale_host)"
        elif "vm_id" in table.names:
            yield name, "(endpoint, vm_id) IN (FROM stale_vm)"


def without_gaps_of(gaps: Sequence[Gap], stale: Sequence[StaleHost]) -> list[Gap]:
    """The gaps but for those of these entries; a vCenter has no two hosts of one name."""
    entries = {(one.endpoint, f"host {one.name}") for one in stale}
    return [gap for gap in gaps if (gap.endpoint, gap.what) not in entries]


def with_notes_of(readings: Sequence[EndpointReading], stale: Sequence[StaleHost], gaps: Sequence[Gap]) -> tuple[EndpointReading, ...]:
    """The readings with a note for each entry; one that has no gap left beside them, of `gaps`, is complete."""
    notes: dict[str, tuple[str, ...]] = {}
    for entry in stale:
        notes[entry.endpoint] = (*notes.get(entry.endpoint, ()), entry.note)
    open_still = {gap.endpoint for gap in gaps}
    return tuple(
        replace(one, notes=(*one.notes, *notes[one.name]), complete=one.name not in open_still) if one.name in notes else one
        for one in readings
    )
