"""com.vmware.esx.settings.clusters.configuration, its enablement and its last compliance result.

Source: com.vmware.esx.settings.clusters_client of the client that VMware publishes, with its privileges and errors. Prechecks, schemas,
audit records and enabling a cluster are left out. A request for the document of a cluster without one is not_found, which is the lab's
choice.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor_lab.vcenter.vapi import compliance
from auditor_lab.vcenter.vapi.documents import faults_in
from auditor_lab.vcenter.vapi.errors import invalid_argument, not_found
from auditor_lab.vcenter.vapi.operations import Operation
from auditor_lab.vcenter.vapi.profiles import bios_uuid, cluster_of, commit, commit_named, configuration_of, host_info
from auditor_lab.vcenter.vapi.values import Optional, Structure

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.vapi.operations import Call
    from auditor_lab.vcenter.vapi.profiles import Cluster

SERVICE = "com.vmware.esx.settings.clusters.configuration"
VIEW, MODIFY, EXPORT, REMEDIATE = (f"VcIntegrity.ClusterConfiguration.{one}" for one in ("View", "Modify", "Export", "Remediate"))


def _enabled(call: Call) -> Structure:
    name = "com.vmware.esx.settings.clusters.enablement.configuration.info"
    return Structure(name, {"enabled": cluster_of(call).managed()})


def _get(call: Call) -> Structure:
    cluster = cluster_of(call)
    commit = commit_named(configuration_of(call, cluster, error="not_found"), call.arguments.text_or_none("commit"))
    metadata = Structure(f"{SERVICE}.metadata", {"id": commit.id, "author": commit.author, "creation_time": commit.created})
    return Structure(f"{SERVICE}.info", {"metadata": metadata, "host_info": hosts_by_uuid(cluster), "config": commit.document})


def _export(call: Call) -> Structure:
    configuration = configuration_of(call, cluster_of(call), error="not_found")
    return Structure(f"{SERVICE}.export_result", {"config": configuration.desired.document})


def _check_compliance(call: Call) -> str:
    cluster = cluster_of(call)
    configuration = configuration_of(call, cluster)

    def work(_write: object) -> Structure:
        configuration.compliance = compliance.check(cluster, configuration.desired)
        return configuration.compliance

    return call.tasks.start(f"{SERVICE}.check_compliance", cluster.target, call.user, work)


def _last_compliance(call: Call) -> Structure:
    cluster = cluster_of(call)
    result = configuration_of(call, cluster, error="not_found").compliance
    if result is None:
        raise not_found(f"A compliance result of {cluster.id}")
    return result


def _validate(call: Call) -> str:
    cluster = cluster_of(call)
    configuration = configuration_of(call, cluster)

    def work(_write: object) -> Structure:
        faults = faults_in(configuration.desired.document, cluster.description.hosts)
        return Structure(f"{SERVICE}.validation_result", {"valid": not faults, "errors": Optional(faults or None)})

    return call.tasks.start(f"{SERVICE}.validate", cluster.target, call.user, work)


def _import(call: Call) -> str:
    """Replace the desired document; the hosts stay as they are until it is applied."""
    cluster, document = cluster_of(call), call.arguments.structure("spec").text("config")
    configuration = configuration_of(call, cluster, error="not_found")

    def work(write: bool) -> Structure:
        faults = faults_in(document, cluster.description.hosts)
        done = configuration.desired if faults or not write else commit(call, cluster, configuration, document)
        fields = {
            "status": "ERROR" if faults else "OK",
            "commit": Optional(None if faults else done.id),
            "errors": Optional(faults or None),
        }
        return Structure(f"{SERVICE}.import_result", fields)

    return call.tasks.start(f"{SERVICE}.import_config", cluster.target, call.user, work)


def _apply(call: Call) -> str:
    cluster, spec = cluster_of(call), call.arguments.structure("spec")
    commit = commit_named(configuration_of(call, cluster), spec.text_or_none("commit"))
    chosen = spec.texts_or_none("hosts")
    known = {call.state.host_id[one.name] for one in cluster.description.hosts}
    if not known or not set(chosen or ()) <= known:
        raise invalid_argument(f"{cluster.id} has no hosts, or not all of {chosen}.")
    hosts = [call.state.hosts[moid] for moid in chosen] if chosen else cluster.hosts()
    return start_apply(call, cluster, commit, hosts)


def start_apply(call: Call, cluster: Cluster, commit: Any, hosts: list[HostState]) -> str:
    """Start writing a commit to hosts; return the task's id."""

    def work(write: bool) -> Structure:
        return compliance.apply(call.state, cluster, commit, hosts, write=write)

    return call.tasks.start(f"{SERVICE}.apply", cluster.target, call.user, work)


def hosts_by_uuid(cluster: Cluster) -> dict[str, Structure]:
    """HostInfo of every host of a cluster by BIOS UUID."""
    return {bios_uuid(one.name): host_info(one.name) for one in cluster.description.hosts}


_PATH = "/esx/settings/clusters/{cluster}"
_OWN = f"{_PATH}/configuration"
_LAST = f"{_OWN}/reports/last-compliance-result"

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "com.vmware.esx.settings.clusters.enablement.configuration.get": Operation(
            _enabled, "GET", f"{_PATH}/enablement/configuration", privilege=VIEW, resource="cluster"
        ),
        f"{SERVICE}.get": Operation(_get, "GET", _OWN, privilege=VIEW, resource="cluster"),
        f"{SERVICE}.export_config": Operation(_export, "POST", _OWN, "exportConfig", privilege=EXPORT, resource="cluster"),
        f"{SERVICE}.check_compliance$task": Operation(
            _check_compliance, "POST", _OWN, "checkCompliance", privilege=VIEW, resource="cluster", status=202
        ),
        f"{SERVICE}.validate$task": Operation(_validate, "POST", _OWN, "validate", privilege=VIEW, resource="cluster", status=202),
        f"{SERVICE}.import_config$task": Operation(_import, "POST", _OWN, "importConfig", "spec", MODIFY, "cluster", 202),
        f"{SERVICE}.apply$task": Operation(_apply, "POST", _OWN, "apply", "spec", REMEDIATE, "cluster", 202),
        f"{SERVICE}.reports.last_compliance_result.get": Operation(_last_compliance, "GET", _LAST, privilege=VIEW, resource="cluster"),
    }
)
