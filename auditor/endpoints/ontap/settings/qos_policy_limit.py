"""Reads and writes one ceiling of one fixed ONTAP QoS policy."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import field_of, unreadable, wrong_value
from auditor.errors import MalformedAnswerError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.ontap.client import OntapCluster
    from auditor.model import Scalar, Target

FIELDS = ("max_throughput_iops", "max_throughput_mbps")
HIGHEST = 2**31 - 1  # REST reference, fixed.max_throughput_iops: "Max value: 2147483647"; of the other one the cluster decides


class OntapQosPolicyLimit:
    """`ontap.qos_policy_limit`: keys `policy_id` (uuid) and `field` (max_throughput_iops or max_throughput_mbps); None is no ceiling.

    What is written holds at once for every volume and LUN that uses the policy. Megabytes are 1,000,000 bytes (ontap_qos.py).
    """

    kind = EndpointKind.ONTAP

    def read(self, session: OntapCluster, target: Target) -> Reading:
        """The ceiling as the cluster reports it now; 0, or none reported, is None.

        Raises:
            NotThereError: there is no such policy.
            RefusedError: the policy is adaptive, and has no such ceiling.
            MalformedAnswerError: the policy is there, its ceiling is not a whole number.
            EndpointError: the cluster could not be asked.

        Source: netapp-ontap, QosPolicyFixed: "0 means no maximum throughput is enforced".
        """
        field = field_of(session, target, FIELDS, "a QoS policy has no ceiling")
        policy = session.get(_path(target), fields="name,fixed,adaptive")
        fixed = policy.get("fixed")
        if not isinstance(fixed, dict):
            if isinstance(policy.get("adaptive"), dict):
                raise RefusedError(
                    f"endpoint {session.endpoint.name}: QoS policy {target['policy_id']} is adaptive and has no {field}",
                    why="its ceilings go by the size of each volume; nothing was read or written.",
                    do="correct the rule that asked for it, or change the policy by hand.",
                )
            raise _senseless(session, target, field, fixed)
        value = fixed.get(field, 0)
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            value = int(value)  # the collector takes such for numbers too
        if type(value) is not int or value < 0:
            raise _senseless(session, target, field, value)
        return Reading(value or None)

    def write(self, session: OntapCluster, target: Target, value: Scalar) -> None:
        """Set the one ceiling, or lift it with None; the cluster leaves the others alone.

        Raises:
            RefusedError: `value` is not a whole number from 1, or the cluster or its job says no.
            NotThereError: there is no such policy.
            PermissionMissingError: the account may not change policies.
            EndpointUnreachableError: no answer, or its job did not end; whether the ceiling was written is not known.

        Source: REST reference, PATCH storage/qos/policies/{uuid}.
        """
        field = field_of(session, target, FIELDS, "a QoS policy has no ceiling")
        if value is not None and not (type(value) is int and 1 <= value <= HIGHEST):
            raise wrong_value(
                session,
                f"{field} of QoS policy {target['policy_id']} cannot be set to {value!r}",
                f"it is a whole number from 1 to {HIGHEST}, or none at all",
            )
        session.patch(_path(target), {"fixed": {field: 0 if value is None else value}})


def _path(target: Target) -> str:
    return f"storage/qos/policies/{quote(target['policy_id'], safe='')}"


def _senseless(session: OntapCluster, target: Target, field: str, value: object) -> MalformedAnswerError:
    return unreadable(session, f"{field} of QoS policy {target['policy_id']} reads {value!r}", "look at the policy on the cluster itself.")
