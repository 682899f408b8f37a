"""Compares the hosts of a cluster with its desired document, and applies the document to them.

Source of the shapes: com.vmware.esx.settings.clusters.configuration_client of the client that VMware publishes.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor_lab.vcenter.state.profiles import options_written
from auditor_lab.vcenter.vapi.documents import options_in, pointer
from auditor_lab.vcenter.vapi.errors import message
from auditor_lab.vcenter.vapi.profiles import host_info
from auditor_lab.vcenter.vapi.values import Optional, Structure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState
    from auditor_lab.vcenter.vapi.commits import Commit
    from auditor_lab.vcenter.vapi.profiles import Cluster

SOFTWARE_COMMIT = "1"
"""The commit of the cluster's image; the lab has no images."""

_SPACE = "com.vmware.esx.settings.clusters.configuration"


def check(cluster: Cluster, commit: Commit) -> Structure:
    """ClusterCompliance: unreachable hosts are skipped, and then the cluster is not compliant."""
    wanted, began = options_in(commit.document), datetime.now(UTC)
    results = {host.moid: _host_result(host, wanted, began) for host in cluster.hosts()}
    by_verdict = {
        verdict: {moid for moid, (one, _) in results.items() if one == verdict} for verdict in ("compliant", "drifted", "skipped")
    }
    compliant = len(by_verdict["compliant"]) == len(results)
    text = "All hosts are compliant." if compliant else "Some hosts are not compliant, or could not be checked."
    return Structure(
        f"{_SPACE}.cluster_compliance",
        {
            "cluster_status": "COMPLIANT" if compliant else "NOT_COMPLIANT",
            "commit": Optional(commit.id),
            "software_commit": SOFTWARE_COMMIT,
            "summary": message("lab.compliance", text),
            "validation_errors": Optional(),
            "host_info": {host.moid: host_info(host.description.name) for host in cluster.hosts()},
            "hosts": {moid: result for moid, (_, result) in results.items()},
            "cluster_solutions_result": Optional(),
            "compliant_hosts": by_verdict["compliant"],
            "non_compliant_hosts": by_verdict["drifted"],
            "failed_hosts": set(),
            "skipped_hosts": by_verdict["skipped"],
            "end_time": datetime.now(UTC),
        },
    )


def apply(state: VCenterState, cluster: Cluster, commit: Commit, hosts: Iterable[HostState], *, write: bool) -> Structure:
    """Write a commit's options to hosts of a cluster; return ApplyResult. Unreachable hosts are skipped."""
    wanted, began, statuses = options_in(commit.document), datetime.now(UTC), {}
    for host in hosts:
        if host.reachable and write:
            host.options.update(wanted)
            options_written(state, host)
            state.changed()
        statuses[host.moid] = _host_status("OK" if host.reachable else "SKIPPED", began)
    done = {moid for moid, status in statuses.items() if status.fields["status"] == "OK"}
    return Structure(
        f"{_SPACE}.apply_result",
        {
            "status": Optional(_host_status("OK" if done == statuses.keys() else "SKIPPED", began)),
            "commit": commit.id,
            "software_commit": SOFTWARE_COMMIT,
            "host_info": {host.moid: host_info(host.description.name) for host in cluster.hosts() if host.moid in statuses},
            "host_status": statuses,
            "successful_hosts": done,
            "failed_hosts": set(),
            "skipped_hosts": statuses.keys() - done,
        },
    )


def _host_result(host: HostState, wanted: Mapping[str, Any], began: datetime) -> tuple[str, Structure]:
    """Whether a host is compliant, drifted or skipped, and its HostResult."""
    drifts = [key for key, value in wanted.items() if host.options.get(key) != value] if host.reachable else []
    verdict = "skipped" if not host.reachable else "drifted" if drifts else "compliant"
    text = {"skipped": "The host cannot be reached.", "drifted": "The host has drifted.", "compliant": "The host is compliant."}[verdict]
    info = Structure(
        f"{_SPACE}.compliance_info",
        {
            "sets": _drifts(host, wanted, [key for key in drifts if key in host.options]),
            "adds": _drifts(host, wanted, [key for key in drifts if key not in host.options]),
            "deletes": Optional(),
        },
    )
    compliance = {"status": "NON_COMPLIANT" if drifts else "COMPLIANT", "compliance_info": Optional(info if drifts else None)}
    fields = {
        "host_status": _host_status("SKIPPED" if verdict == "skipped" else "OK", began),
        "summary": message("lab.compliance", text),
        "errors": Optional(),
        "host_compliance": Optional(None if verdict == "skipped" else Structure(f"{_SPACE}.host_compliance", compliance)),
    }
    return verdict, Structure(f"{_SPACE}.host_result", fields)


def _drifts(host: HostState, wanted: Mapping[str, Any], keys: list[str]) -> Optional:
    """A SettingCompliance for each option; unset without options. That values are JSON is known of settings that are not text."""
    drifts = [
        Structure(
            f"{_SPACE}.setting_compliance",
            {
                "path": pointer(key),
                "display_path": Optional(),
                "current": Optional(json.dumps(host.options[key]) if key in host.options else None),
                "target": Optional(json.dumps(wanted[key])),
                "type": Optional(),
                "reference_current": Optional(),
                "reference_target": Optional(),
                "error": Optional(),
            },
        )
        for key in keys
    ]
    return Optional(drifts or None)


def _host_status(status: str, began: datetime) -> Structure:
    nothing = Structure("com.vmware.esx.settings.notifications", {"info": Optional(), "warnings": Optional(), "errors": Optional()})
    fields = {
        "status": status,
        "attempts": Optional(),
        "remaining_retries": Optional(),
        "start_time": began,
        "end_time": datetime.now(UTC),
        "notifications": nothing,
    }
    return Structure(f"{_SPACE}.host_status", fields)
