"""The automation level of one datastore cluster: whether Storage DRS moves machines by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import refused
from auditor.endpoints.vcenter.storage_pods import configure_pod, pod_config
from auditor.errors import MalformedAnswerError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

LEVELS = ("manual", "automated")
"""Source: vSphere API reference, StorageDrsPodConfigInfoBehavior."""


class PodAutomation:
    """Reads and sets `defaultVmBehavior`: manual or automated. Keys: pod_id.

    Levels for one kind of move (`automationOverrides`) and of single machines go before it and are left alone. It acts at once; moves that
    are under way go on. Source: StorageDrsPodConfigInfo.defaultVmBehavior.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The default level now.

        Raises:
            NotThereError: there is no such datastore cluster.
            MalformedAnswerError: its settings, or its level, are not reported.
        """
        level = str(pod_config(session, target["pod_id"]).defaultVmBehavior)
        if level not in LEVELS:
            raise MalformedAnswerError(
                f"endpoint {session.endpoint.name}: the automation level of {target['pod_id']} is {level[:40]!r}",
                why="without the present value nothing can be compared, so nothing is written.",
                do="look at the datastore cluster in the vSphere Client.",
            )
        return Reading(level)

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Set the default level, once, and wait until vCenter says that it is done.

        Raises:
            RefusedError: neither manual nor automated, or vCenter says no.
            EndpointUnreachableError: the task did not end in time; what it will do is not known.
        """
        if value not in LEVELS:
            raise refused(session, f"the automation level of {target['pod_id']} cannot be {value!r}", f"give one of: {', '.join(LEVELS)}.")
        configure_pod(session, target["pod_id"], f"setting the automation level of {target['pod_id']} to {value}", defaultVmBehavior=value)
