"""Keeps an audit in the state directory, and its plan as a value that is kept in a file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from auditor.facts.snapshots.snapshot import snapshot_digest
from auditor.history.comparison.comparing import compared_with_earlier
from auditor.history.folders import SNAPSHOT_FOLDER
from auditor.history.kept_run import KeptAlong, Unread
from auditor.history.plan_basis import basis_of
from auditor.history.plan_file import Basis, PlanFile
from auditor.history.runs import keep_run
from auditor.history.working_copy import sent_notice

if TYPE_CHECKING:
    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.fleet.loading import Fleet
    from auditor.pipeline.result import AuditResult

_UNREAD = """SELECT r.endpoint, CASE WHEN r.scope <> '' THEN coalesce(h.name, r.scope) END AS host, list_sort(list(DISTINCT r.topic))
FROM fact.reading AS r
LEFT JOIN fact.host AS h ON h.endpoint = r.endpoint AND h.host_id = r.scope
WHERE NOT r.complete
GROUP BY ALL
ORDER BY ALL"""


def save_run(audited: AuditResult) -> AuditResult:
    """Finish the run; the audit with what changed since the run before."""
    basis = {} if audited.fleet is None else _basis(audited, audited.fleet).digests
    # A pipe or a descriptor is no file that a later command could read again, nor is that of a demo, which is gone.
    has_file = audited.fleet is not None and not audited.request.is_demo and audited.fleet.path.is_file()
    file = str(audited.fleet.path.absolute()) if audited.fleet is not None and has_file else ""
    along = KeptAlong(_unread(audited.snapshot), basis, audited.request.is_demo, file, audited.request.again)
    compared, notices = compared_with_earlier(audited.state, audited.directory, audited.report, along, audited.compared_with)
    audited = replace(audited, ended=datetime.now(UTC), compared=compared, notices=(*audited.notices, *notices))
    keep_run(audited.directory, audited.report, audited.fixes, audited.drift_ages, along)
    return replace(audited, notices=(*audited.notices, *sent_notice(audited.directory)))


def plan_file(audited: AuditResult, fleet: Fleet) -> PlanFile:
    """The plan of an audit, with what it follows from."""
    snapshot = audited.snapshot
    basis = _basis(audited, fleet)
    digest = snapshot_digest(audited.directory / SNAPSHOT_FOLDER)
    return PlanFile(
        run=audited.run_id,
        made=audited.started,
        fleet=str(fleet.path),
        plan=audited.plan,
        hosts=snapshot.hosts,
        hosts_by_cluster=snapshot.hosts_by_cluster,
        snapshot=digest,
        basis=basis,
    )


def _basis(audited: AuditResult, fleet: Fleet) -> Basis:
    """What the plan of an audit follows from besides the fleet."""
    request = audited.request
    return basis_of(
        audited.policy.rules,
        audited.policy.overrides,
        fleet,
        audited.state,
        waivers=request.waivers,
        rule_folders=request.rules,
        # Apply loads the rules by these alone: where more than names and tags chose them, by the ids of all.
        only=tuple(audited.policy.rules.rules) if request.severity is not None or request.exclude else request.only,
        tags=() if request.severity is not None or request.exclude else request.tags,
    )


def _unread(snapshot: Snapshot) -> tuple[Unread, ...]:
    """The topics that were requested and not read whole, by endpoint and host."""
    rows = snapshot.connection.cursor().execute(_UNREAD).fetchall()
    return tuple(Unread(endpoint, host, tuple(topics)) for endpoint, host, topics in rows)
