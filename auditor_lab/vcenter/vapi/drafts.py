"""com.vmware.esx.settings.clusters.configuration.drafts: editing a desired document in steps.

Source: com.vmware.esx.settings.clusters.configuration_client of the client that VMware publishes, with its privileges and errors.
Prechecks, compliance of a draft, import from a host and schemas are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor_lab.vcenter.vapi.commits import Draft
from auditor_lab.vcenter.vapi.configuration import EXPORT, MODIFY, REMEDIATE, VIEW, hosts_by_uuid, start_apply
from auditor_lab.vcenter.vapi.configuration import SERVICE as CONFIGURATION
from auditor_lab.vcenter.vapi.documents import faults_in, is_json, options_in, pointer
from auditor_lab.vcenter.vapi.errors import VapiError, invalid_argument, message
from auditor_lab.vcenter.vapi.operations import Arguments, Operation
from auditor_lab.vcenter.vapi.profiles import bios_uuid, cluster_of, commit, configuration_of, draft_of
from auditor_lab.vcenter.vapi.values import Optional, Structure

if TYPE_CHECKING:
    from auditor_lab.vcenter.vapi.commits import ClusterConfiguration
    from auditor_lab.vcenter.vapi.operations import Call
    from auditor_lab.vcenter.vapi.profiles import Cluster

_SERVICE = f"{CONFIGURATION}.drafts"


def _list(call: Call) -> dict[str, Structure]:
    cluster, configuration = _of(call)
    return {key: _metadata(one, cluster) for key, one in configuration.drafts.items()}


def _create(call: Call) -> str:
    """Create a draft of the desired document or of a given one; one author has one draft of a cluster."""
    _, configuration = _of(call)
    spec = call.arguments.structure_or_none("spec") or Arguments({})
    document = spec.text_or_none("config") or configuration.desired.document
    _check_json(document)
    if any(one.owner == call.user for one in configuration.drafts.values()):
        raise VapiError("already_exists", [message("lab.already_exists", "%s has a draft of this cluster already.", call.user)])
    draft = Draft(document, call.user, configuration.desired.id)
    configuration.drafts[draft.id] = draft
    return draft.id


def _get(call: Call) -> Structure:
    cluster, configuration = _of(call)
    draft = draft_of(call, configuration)
    moids = {call.state.host_id[one.name]: bios_uuid(one.name) for one in cluster.description.hosts}
    fields = {
        "metadata": _metadata(draft, cluster),
        "errors": Optional(),
        "changes": Optional(),
        "conflicts": Optional(),
        "host_info": hosts_by_uuid(cluster),
        "host_id_to_UUID": moids,
        "config": draft.document,
    }
    return Structure(f"{_SERVICE}.info", fields)


def _update(call: Call) -> None:
    _, configuration = _of(call)
    draft, spec = draft_of(call, configuration), call.arguments.structure("spec")
    document, expected = spec.text("config"), spec.number_or_none("expected_revision")
    _check_json(document)
    if expected is not None and expected != draft.revision:
        raise VapiError("concurrent_change", [message("lab.concurrent_change", "The draft is at revision %s.", str(draft.revision))])
    draft.document, draft.revision, draft.changed = document, draft.revision + 1, datetime.now(UTC)


def _delete(call: Call) -> None:
    _, configuration = _of(call)
    del configuration.drafts[draft_of(call, configuration).id]


def _export(call: Call) -> Structure:
    return Structure(f"{CONFIGURATION}.export_result", {"config": draft_of(call, _of(call)[1]).document})


def _show_changes(call: Call) -> Structure:
    """The advanced options that the draft changes, adds and removes."""
    cluster, configuration = _of(call)
    draft = draft_of(call, configuration)
    if faults_in(draft.document, cluster.description.hosts):
        raise _invalid(draft)
    now, then = options_in(configuration.desired.document), options_in(draft.document)
    changes = {
        "sets": [key for key in now if key in then and now[key] != then[key]],
        "adds": [key for key in then if key not in now],
        "deletes": [key for key in now if key not in then],
    }

    def changed(key: str) -> Structure:
        current, wanted = (Optional(json.dumps(side[key]) if key in side else None) for side in (now, then))
        fields = {"path": pointer(key), "display_path": Optional(), "type": Optional(), "current": current, "draft": wanted}
        return Structure(f"{_SERVICE}.changed_property", fields)

    fields = {name: Optional([changed(key) for key in keys] or None) for name, keys in changes.items()}
    return Structure(f"{_SERVICE}.changes_result", fields)


def _apply(call: Call) -> Structure:
    """Make the draft the desired document, and write it to the hosts."""
    cluster, configuration = _of(call)
    draft = draft_of(call, configuration)
    if faults_in(draft.document, cluster.description.hosts):
        raise _invalid(draft)
    done = commit(call, cluster, configuration, draft.document)
    del configuration.drafts[draft.id]
    task = start_apply(call, cluster, done, cluster.hosts()) if cluster.description.hosts else None
    return Structure(f"{_SERVICE}.apply_result", {"commit": done.id, "apply_task": Optional(task)})


def _of(call: Call) -> tuple[Cluster, ClusterConfiguration]:
    cluster = cluster_of(call)
    return cluster, configuration_of(call, cluster, error="not_found")


def _check_json(document: str) -> None:
    if not is_json(document):
        raise invalid_argument("The configuration is not valid JSON.")


def _invalid(draft: Draft) -> VapiError:
    return VapiError("not_allowed_in_current_state", [message("lab.invalid_draft", "The draft %s is not valid.", draft.id)])


def _metadata(draft: Draft, cluster: Cluster) -> Structure:
    fields = {
        "id": draft.id,
        "parent_id": draft.parent,
        "owner": draft.owner,
        "state": "INVALID" if faults_in(draft.document, cluster.description.hosts) else "VALID",
        "revision": draft.revision,
        "creation_time": draft.created,
        "modified_time": draft.changed,
        "precheck_task": Optional(),
        "image_reference_host": Optional(),
    }
    return Structure(f"{_SERVICE}.metadata", fields)


_PATH = "/esx/settings/clusters/{cluster}/configuration/drafts"
_OWN = f"{_PATH}/{{draft}}"

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        f"{_SERVICE}.list": Operation(_list, "GET", _PATH, privilege=VIEW, resource="cluster"),
        f"{_SERVICE}.create": Operation(_create, "POST", _PATH, "", "spec", MODIFY, "cluster", 201),
        f"{_SERVICE}.get": Operation(_get, "GET", _OWN, privilege=MODIFY, resource="cluster"),
        f"{_SERVICE}.update": Operation(_update, "POST", _OWN, "update", "spec", MODIFY, "cluster"),
        f"{_SERVICE}.delete": Operation(_delete, "DELETE", _OWN, privilege=MODIFY, resource="cluster"),
        f"{_SERVICE}.export_config": Operation(_export, "POST", _OWN, "exportConfig", privilege=EXPORT, resource="cluster"),
        f"{_SERVICE}.show_changes": Operation(_show_changes, "POST", _OWN, "showChanges", privilege=MODIFY, resource="cluster"),
        f"{_SERVICE}.apply": Operation(_apply, "POST", _OWN, "apply", "spec", REMEDIATE, "cluster"),
    }
)
