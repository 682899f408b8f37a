"""Tasks that run on vCenter now, and the extensions that are registered."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.reading import read_each
from auditor.endpoints.vcenter.collect.relocations import is_relocation, targets
from auditor.endpoints.vcenter.collect.rows import Facts, Rows, gap, readings
from auditor.errors import EndpointError, MalformedAnswerError, NotThereError, PermissionMissingError
from auditor.text.names import as_shown

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from datetime import datetime

    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.vcenter.bulk.shapes import TaskInfo
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

_INFO = "info"
_UNDER_WAY = ("running", "queued")


def collect_tasks(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, _paths: Sequence[str]) -> Iterator[Facts]:
    """Yield running_task, and the reading of topic "tasks".

    vCenter lists the tasks on objects that the account may see; all of those are the whole here, as they are of hosts and machines. A
    task that ended and was forgotten while we read is no hole.

    Source: vSphere API reference, TaskManager.recentTask and TaskInfo: what is running or queued is always among the recent tasks.
    """
    try:
        refs = _listed(vcenter, circuit, "TaskManager", "recentTask", "the recent tasks")
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of tasks", error)
        yield readings(endpoint, "", {"tasks": False})
        return
    complete = True
    tasks: list[dict[str, Any]] = []
    for facts in read_each(vcenter, "Task", (_INFO,), refs, circuit):
        if isinstance(facts, tuple):
            complete = False
            yield gap(endpoint, f"task {facts[0].value}", facts[1])
        elif _INFO in facts.values:
            if facts.values[_INFO].state in _UNDER_WAY:
                tasks.append(_task(facts.id, facts.values[_INFO]))
        elif not facts.is_gone:
            complete = False
            yield gap(endpoint, f"task {facts.id}", facts.missing.get(_INFO, "vCenter does not report what it is"))
    moved_to = yield from _targets(vcenter, endpoint, tasks)
    rows = Rows("running_task", endpoint=endpoint.name)
    for task in tasks:
        rows.add(**task, target_datastore_id=moved_to.get(task["entity_id"]) if is_relocation(task["description_id"]) else None)
    yield from rows.batch()
    yield readings(endpoint, "", {"tasks": complete})


def _targets(vcenter: VCenter, endpoint: Endpoint, tasks: Sequence[dict[str, Any]]) -> Generator[Facts, None, Mapping[str, str]]:
    """Where the machines that are being moved go, by id; nothing is asked where none is. Each task is known without it."""
    moves = [task for task in tasks if is_relocation(task["description_id"])]
    if not moves:
        return {}
    begun = [time for task in moves if (time := task["started_at"] or task["queued_at"])]
    try:
        return targets(vcenter, endpoint, begun)
    except EndpointError as error:
        yield gap(endpoint, "where machines are being moved to", error)
        return {}


def collect_extensions(vcenter: VCenter, endpoint: Endpoint, circuit: Circuit, _paths: Sequence[str]) -> Iterator[Facts]:
    """Yield vcenter_extension, and the reading of topic "extensions".

    Source: vSphere API reference, ExtensionManager.extensionList.
    """
    try:
        extensions = _listed(vcenter, circuit, "ExtensionManager", "extensionList", "the extensions")
    except EndpointError as error:
        circuit.failed(error)
        yield gap(endpoint, "the list of extensions", error)
        yield readings(endpoint, "", {"extensions": False})
        return
    rows = Rows("vcenter_extension", endpoint=endpoint.name)
    nameless = [one for one in extensions if not one.key]
    for key, one in {one.key: one for one in extensions if one.key}.items():
        rows.add(key=key, version=one.version, company=one.company)
    if nameless:
        yield gap(endpoint, f"{len(nameless)} extensions", "their keys are not reported")
    yield from rows.batch()
    yield readings(endpoint, "", {"extensions": not nameless})


def _listed(vcenter: VCenter, circuit: Circuit, kind: str, path: str, what: str) -> list[Any]:
    """A list that one of vCenter's managers holds; empty where vCenter leaves it unset.

    Raises:
        EndpointError: it could not be read.
    """
    circuit.check()
    manager = getattr(vcenter.content, f"{kind[0].lower()}{kind[1:]}", None)
    if manager is None:
        raise NotThereError(f"there is no {kind}", why=f"{what} were not read.", do="check that it is a vCenter.")
    reference = Ref(kind, str(manager._GetMoId()))  # noqa: SLF001  pyVmomi's accessor
    [facts], _ = vcenter.bulk.page(kind, (path,), [reference])
    circuit.answered()
    if path in facts.missing:
        why = facts.missing[path]
        error = PermissionMissingError if why.startswith("NoPermission") else MalformedAnswerError
        raise error(why, why=f"{what} were not read.", do="give the role the privilege that is named, or look at vCenter's log.")
    return facts.values.get(path) or []


def _task(task_id: str, info: TaskInfo) -> dict[str, Any]:
    return {
        "task_id": task_id,
        "description_id": info.description_id,
        "entity_type": info.entity.type if info.entity else None,
        "entity_id": info.entity.value if info.entity else None,
        "entity_name": as_shown(info.entity_name) if info.entity_name else None,
        "state": info.state,
        "progress_percent": info.progress,
        "queued_at": _utc(info.queue_time),
        "started_at": _utc(info.start_time),
    }


def _utc(time: datetime | None) -> datetime | None:
    return time.astimezone(UTC) if time else None
