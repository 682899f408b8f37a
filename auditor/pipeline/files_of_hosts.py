"""What holds of hosts that were read from files: nothing is written to them, and what would be changed is for a person."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from auditor.fleet.loading import Fleet
    from auditor.pipeline.result import AuditResult

_MOMENTS = """SELECT r.endpoint, r.scope, h.name, min(r.source), min(r.read_at), max(r.read_at)
FROM fact.reading AS r
JOIN fact.host AS h ON h.endpoint = r.endpoint AND h.host_id = r.scope
WHERE r.source IS NOT NULL AND r.read_at IS NOT NULL
GROUP BY ALL
ORDER BY ALL"""


def has_files(fleet: Fleet) -> bool:
    """Whether hosts of this fleet are read from files."""
    return any(endpoint.evidence is not None for endpoint in fleet.endpoints)


def refuse_files(fleet: Fleet) -> None:
    """Refuse to write where hosts were read from files.

    Raises:
        ConfigurationError: they were.
    """
    if has_files(fleet):
        raise ConfigurationError(
            "hosts were read from files, and files cannot be changed",
            why="nothing was written: what the hosts are like now is not known.",
            do="name a fleet.yaml with the vCenter or the hosts themselves. `auditor plan --from PATH --as esxcli` prints commands for a"
            " person.",
        )


def origin_of_changes(audited: AuditResult) -> Iterator[str]:
    """A line on what the plan of files rests on, then one for each host that it changes: its files, and the moment they are of."""
    yield f"Planned by run {audited.run_id} from files, not from hosts: no host was asked, and `auditor apply` does not take this plan."
    yield "Its values are of the moment of these files. Where a present value is another one, the change is STALE: take new files."
    changed = {(change.target.endpoint, dict(change.target.keys).get("host_id")) for change in audited.plan.changes}
    for endpoint, host_id, name, source, first, last in audited.snapshot.connection.cursor().execute(_MOMENTS).fetchall():
        if (endpoint, host_id) in changed:
            yield neutral(f"{name}: {source}, of {_moments(first, last)}")


def _moments(first: datetime, last: datetime) -> str:
    begin, end = (f"{one.astimezone(UTC):%Y-%m-%d %H:%M} UTC" for one in (first, last))
    return begin if begin == end else f"{begin} to {end}"
