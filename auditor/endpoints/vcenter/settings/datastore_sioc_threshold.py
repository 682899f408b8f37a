"""The congestion threshold of one datastore: worked out by Storage I/O Control, or set by hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, refused
from auditor.endpoints.vcenter.settings.datastore_sioc import TASK_TIMEOUT_SECONDS
from auditor.errors import MalformedAnswerError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

LEAST_MS, MOST_MS = 5, 100
"""Source: docs/domain/facts.md#4-1. Hosts offer a range by QueryIORMConfigOption, which takes the privilege Datastore.Config besides."""

AUTOMATIC = "automatic"
_MANUAL = re.compile(r"manual ([1-9][0-9]{0,8}) ms")


class DatastoreSiocThreshold:
    """Reads and sets it as one text: `automatic`, or `manual 30 ms`. Keys: datastore_id.

    Mode and threshold are one setting: a threshold without the mode manual has no effect. Whether Storage I/O Control is on, and the share
    of the peak throughput that the automatic mode aims at, stay as they are. It acts at once.

    Source: StorageIORMInfo.congestionThresholdMode and congestionThreshold; StorageResourceManager.ConfigureDatastoreIORM_Task;
    docs/domain/facts.md#4-1.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """Mode and threshold now.

        Raises:
            NotThereError: no such datastore, or one that has no Storage I/O Control (NFS 4.1, vVol).
            MalformedAnswerError: the mode is neither, or manual without a threshold.
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
        mode, threshold = str(settings.congestionThresholdMode), settings.congestionThreshold
        if mode == AUTOMATIC:
            return Reading(AUTOMATIC)
        if mode == "manual" and threshold:
            return Reading(f"manual {int(threshold)} ms")
        raise MalformedAnswerError(
            f"endpoint {session.endpoint.name}: the congestion threshold of {target['datastore_id']} reads {mode[:40]!r}, {threshold!r}",
            why="without the present value nothing can be compared, so nothing is written.",
            do="look at Storage I/O Control of the datastore in the vSphere Client.",
        )

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Set mode and threshold, once, and wait until vCenter says that it is done.

        Raises:
            RefusedError: neither of the two texts, or a threshold outside 5 to 100 ms, or vCenter says no.
            EndpointUnreachableError: the task did not end in time; what it will do is not known.
        """
        from pyVmomi import vim

        from auditor.endpoints.vcenter.translation import translated

        match = _MANUAL.fullmatch(value) if isinstance(value, str) else None
        if match is None and value != AUTOMATIC:
            raise _refused(session, target, value, "give automatic, or a text like: manual 30 ms.")
        spec = vim.StorageResourceManager.IORMConfigSpec(congestionThresholdMode="manual" if match else AUTOMATIC)
        if match is not None:
            spec.congestionThreshold = int(match[1])
            if not LEAST_MS <= spec.congestionThreshold <= MOST_MS:
                raise _refused(session, target, value, f"give {LEAST_MS} to {MOST_MS} ms.")
        datastore = session.object(vim.Datastore, target["datastore_id"])
        with translated(session.endpoint, f"setting the congestion threshold of {target['datastore_id']} to {value}"):
            task = session.content.storageResourceManager.ConfigureDatastoreIORM_Task(datastore, spec)
        session.wait(task, TASK_TIMEOUT_SECONDS)


def _refused(session: VCenter, target: Target, value: Scalar, do: str) -> RefusedError:
    return refused(session, f"the congestion threshold of {target['datastore_id']} cannot be {value!r}", do)
