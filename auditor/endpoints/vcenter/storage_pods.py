"""What the settings of datastore clusters share: reading Storage DRS's configuration, and changing one field of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.errors import MalformedAnswerError

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter

TASK_TIMEOUT_SECONDS = 120.0
"""How long vCenter may take to store the settings of a datastore cluster."""

_CONFIG = "podStorageDrsEntry.storageDrsConfig.podConfig"


def pod_config(session: VCenter, pod_id: str) -> Any:
    """The StorageDrsPodConfigInfo of a datastore cluster, as vCenter holds it now.

    Raises:
        NotThereError: there is no such datastore cluster.
        MalformedAnswerError: there is, and its settings are not reported.
    """
    from pyVmomi import vim

    config = session.value(vim.StoragePod, pod_id, _CONFIG)
    if config is None:
        raise MalformedAnswerError(
            f"endpoint {session.endpoint.name}: the datastore cluster {pod_id} reports no settings of Storage DRS",
            why="without the present value nothing can be compared, so nothing is written.",
            do="look at the datastore cluster in the vSphere Client.",
        )
    return config


def configure_pod(session: VCenter, pod_id: str, doing: str, **fields: Any) -> None:
    """Set these fields of StorageDrsPodConfigSpec, once, and wait for the task; all other settings stay as they are.

    Raises:
        RefusedError, NotThereError, PermissionMissingError: vCenter says so.
        EndpointUnreachableError: no answer, or the task did not end in time; what it will do is not known.

    Source: vSphere API reference, StorageResourceManager.ConfigureStorageDrsForPod_Task, `modify`: "Flag to specify whether the
    specification 'spec' should be applied incrementally. If 'modify' is false and the operation succeeds, then the configuration of the
    pod matches the specification exactly".
    """
    from pyVmomi import vim

    from auditor.endpoints.vcenter.translation import translated

    spec = vim.storageDrs.ConfigSpec(podConfigSpec=vim.storageDrs.PodConfigSpec(**fields))
    with translated(session.endpoint, doing):
        task = session.content.storageResourceManager.ConfigureStorageDrsForPod_Task(session.object(vim.StoragePod, pod_id), spec, True)  # noqa: FBT003  pyVmomi takes arguments by place
    session.wait(task, TASK_TIMEOUT_SECONDS)
