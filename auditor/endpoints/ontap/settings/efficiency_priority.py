"""Reads and writes how much one ONTAP volume efficiency policy may take from clients."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import refused, unreadable
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.ontap.client import OntapCluster
    from auditor.model import Scalar, Target

PRIORITIES = ("background", "best_effort")


class OntapEfficiencyPriority:
    """`ontap.efficiency_priority`: key `policy_id` (uuid); the value is background or best_effort.

    A policy is shared: what is written holds for every volume that uses it, from its next start on.

    Source: REST reference, storage/volume-efficiency-policies: "In background, sis operation will run in background with minimal or no
    impact on data serving client operations. In best_effort, sis operations may have some impact".
    """

    kind = EndpointKind.ONTAP

    def read(self, session: OntapCluster, target: Target) -> Reading:
        """The priority as the cluster reports it now.

        Raises:
            NotThereError: there is no such policy.
            MalformedAnswerError: the policy is there, its priority is neither.
            EndpointError: the cluster could not be asked.
        """
        priority = session.get(_path(target), fields="qos_policy").get("qos_policy")
        if priority not in PRIORITIES:
            raise unreadable(
                session,
                f"the priority of efficiency policy {target['policy_id']} reads {priority!r}",
                "look at the policy on the cluster itself.",
            )
        return Reading(priority)

    def write(self, session: OntapCluster, target: Target, value: Scalar) -> None:
        """Set the priority; the cluster leaves everything else of the policy alone.

        Raises:
            RefusedError: `value` is neither, or the cluster says no: it does so of the predefined policy inline-only.
            NotThereError: there is no such policy.
            PermissionMissingError: the account may not change policies.
            EndpointUnreachableError: no answer, or its job did not end; whether the priority was written is not known.

        Source: REST reference, PATCH storage/volume-efficiency-policies/{uuid}, "Introduced In: 9.8".
        """
        if value not in PRIORITIES:
            raise refused(
                session,
                f"the priority of efficiency policy {target['policy_id']} cannot be {value!r}",
                f"give one of: {', '.join(PRIORITIES)}.",
            )
        session.patch(_path(target), {"qos_policy": value})


def _path(target: Target) -> str:
    return f"storage/volume-efficiency-policies/{quote(target['policy_id'], safe='')}"
