"""Storage I/O Control of one datastore: on or off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, refused
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

TASK_TIMEOUT_SECONDS = 120.0
"""How long vCenter may take to report every host that mounts the datastore."""


class DatastoreSioc:
    """Reads and sets `enabled`, and nothing beside it: threshold, mode and statistics stay as they are. Keys: datastore_id.

    It acts at once. Source: StorageResourceManager.ConfigureDatastoreIORM_Task; docs/domain/facts.md#4-1.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """Whether it is enabled now.

        Raises:
            NotThereError: no such datastore, or one that has no Storage I/O Control (NFS 4.1, vVol).
        """
        from pyVmomi import vim

        settings = session.value(vim.Datastore, target["datastore_id"], "iormConfiguration")
        if settings is None:
            raise not_there(
                session,
                f"{target['datastore_id']} has no Storage I/O Control settings",
                "there is nothing to set.",
                "collect again: the datastore may have changed its type.",
            )
        return Reading(bool(settings.enabled))

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Switch it, once, and wait until vCenter says that it is done.

        Raises:
            RefusedError: not true or false, or vCenter says no.
            EndpointUnreachableError: the task did not end in time; what it will do is not known.
        """
        from pyVmomi import vim

        from auditor.endpoints.vcenter.translation import translated

        if not isinstance(value, bool):
            raise refused(session, f"Storage I/O Control of {target['datastore_id']} cannot be {value!r}", "give true or false.")
        datastore = session.object(vim.Datastore, target["datastore_id"])
        manager = session.content.storageResourceManager
        spec = vim.StorageResourceManager.IORMConfigSpec(enabled=value)
        with translated(session.endpoint, f"setting Storage I/O Control of {target['datastore_id']} to {value}"):
            task = manager.ConfigureDatastoreIORM_Task(datastore, spec)
        session.wait(task, TASK_TIMEOUT_SECONDS)
