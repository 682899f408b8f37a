"""Reads and writes the schedule of one ONTAP volume efficiency policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import unreadable, wrong_value
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.ontap.client import OntapCluster
    from auditor.model import Scalar, Target


class OntapEfficiencySchedule:
    """`ontap.efficiency_schedule`: key `policy_id` (uuid); the value is the name of a schedule that the cluster has.

    A policy is shared: what is written holds for every volume that uses it, from its next start on. One of type threshold has no
    schedule, and is not given one here.
    """

    kind = EndpointKind.ONTAP

    def read(self, session: OntapCluster, target: Target) -> Reading:
        """The name of the schedule as the cluster reports it now; None when the policy has none.

        Raises:
            NotThereError: there is no such policy.
            MalformedAnswerError: the policy is there, its schedule is not reported by name.
            EndpointError: the cluster could not be asked.

        Source: netapp-ontap, VolumeEfficiencyPolicy.
        """
        return Reading(_schedule(session, target, session.get(_path(target), fields="type,schedule.name")))

    def write(self, session: OntapCluster, target: Target, value: Scalar) -> None:
        """Let the policy start by another schedule; the cluster leaves everything else of it alone.

        Raises:
            RefusedError: `value` is no name, the policy goes by a threshold, or the cluster has no such schedule.
            NotThereError: there is no such policy.
            PermissionMissingError: the account may not change policies.
            EndpointUnreachableError: no answer, or its job did not end; whether the schedule was written is not known.

        Source: REST reference, PATCH storage/volume-efficiency-policies/{uuid}, "Introduced In: 9.8"; error 6881341: "Specified schedule
        not found".
        """
        policy = target["policy_id"]
        if not isinstance(value, str) or not value.strip():
            raise wrong_value(
                session,
                f"the schedule of efficiency policy {policy} cannot be set to {value!r}",
                "it is the name of a schedule that the cluster has",
                "correct `set:` of the rule that asked for it; `cluster schedules` are listed by: job schedule show.",
            )
        if session.get(_path(target), fields="type,schedule.name").get("type") == "threshold":
            raise wrong_value(
                session,
                f"efficiency policy {policy} starts by a threshold, not by a schedule",
                "giving it a schedule would change what it is",
                "change its type by hand, if that is what is wanted.",
            )
        session.patch(_path(target), {"schedule": {"name": value}})


def _path(target: Target) -> str:
    return f"storage/volume-efficiency-policies/{quote(target['policy_id'], safe='')}"


def _schedule(session: OntapCluster, target: Target, policy: dict[str, Any]) -> str | None:
    schedule = policy.get("schedule")
    if schedule is None:
        return None
    name = schedule.get("name") if isinstance(schedule, dict) else None
    if not isinstance(name, str):
        raise unreadable(
            session,
            f"the schedule of efficiency policy {target['policy_id']} reads {schedule!r}",
            "look at the policy on the cluster itself.",
        )
    return None if name in ("", "-") else name
