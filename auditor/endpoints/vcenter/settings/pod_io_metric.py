"""The I/O metric of one datastore cluster: whether Storage DRS looks at latency."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import refused
from auditor.endpoints.vcenter.storage_pods import configure_pod, pod_config
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target


class PodIoMetric:
    """Reads and sets `ioLoadBalanceEnabled`, and nothing beside it. Keys: pod_id.

    It acts at once. Storage I/O Control that came with it stays on at its datastores. Source: StorageDrsPodConfigInfo.ioLoadBalanceEnabled,
    deprecated as of vSphere 8.0 U3 without a replacement; docs/domain/facts.md#4-4.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """Whether Storage DRS looks at I/O now.

        Raises:
            NotThereError: there is no such datastore cluster.
            MalformedAnswerError: its settings are not reported.
        """
        return Reading(bool(pod_config(session, target["pod_id"]).ioLoadBalanceEnabled))

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Switch it, once, and wait until vCenter says that it is done.

        Raises:
            RefusedError: not true or false, or vCenter says no.
            EndpointUnreachableError: the task did not end in time; what it will do is not known.
        """
        if not isinstance(value, bool):
            raise refused(session, f"the I/O metric of {target['pod_id']} cannot be {value!r}", "give true or false.")
        configure_pod(session, target["pod_id"], f"setting the I/O metric of {target['pod_id']} to {value}", ioLoadBalanceEnabled=value)
