"""Reads and writes one limit of one Element QoS policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import field_of, not_there, unreadable, wrong_value
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.element.client import ElementArray
    from auditor.model import Scalar, Target

FIELDS = ("minIOPS", "maxIOPS", "burstIOPS")


class ElementQosPolicy:
    """`element.qos_policy`: keys `policy_id` and `field` (minIOPS, maxIOPS or burstIOPS).

    A policy is shared: what is written holds at once for every volume that uses it.
    """

    kind = EndpointKind.ELEMENT

    def read(self, session: ElementArray, target: Target) -> Reading:
        """The limit as the cluster reports it now.

        Raises:
            NotThereError: there is no such policy.
            MalformedAnswerError: the policy is there, its limit is not a whole number.
            EndpointError: the cluster could not be asked.

        Source: Element API reference, ListQoSPolicies.
        """
        field = field_of(session, target, FIELDS, "a QoS policy has no limit")
        listed = session.call("ListQoSPolicies").get("qosPolicies")
        for policy in listed if isinstance(listed, list) else ():
            if isinstance(policy, dict) and str(policy.get("qosPolicyID")) == target["policy_id"]:
                return Reading(_limit(session, policy, field))
        raise not_there(session, f"there is no QoS policy {target['policy_id']}", "its limits can be neither read nor written.")

    def write(self, session: ElementArray, target: Target, value: Scalar) -> None:
        """Set the one limit; ModifyQoSPolicy leaves values alone that it is not given.

        Raises:
            RefusedError: `value` is not a whole number, or the cluster does not allow it.
            NotThereError: there is no such policy.
            PermissionMissingError: the account may not change policies.
            EndpointUnreachableError: no answer; whether the limit was written is not known.

        Source: Element API reference, ModifyQoSPolicy: "You can supply partial QoS values".
        """
        field = field_of(session, target, FIELDS, "a QoS policy has no limit")
        if type(value) is not int or not target["policy_id"].isdecimal():
            raise wrong_value(
                session,
                f"{field} of QoS policy {target['policy_id']} cannot be set to {value!r}",
                "a limit is a whole number of I/O operations a second, and a policy's id is one too",
            )
        session.call("ModifyQoSPolicy", qosPolicyID=int(target["policy_id"]), qos={field: value})


def _limit(session: ElementArray, policy: dict[str, Any], field: str) -> int:
    qos = policy.get("qos")
    value = qos.get(field) if isinstance(qos, dict) else None
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)  # some answers carry numbers as strings; the collector takes them for numbers too
    if type(value) is not int:
        raise unreadable(
            session, f"{field} of QoS policy {policy.get('qosPolicyID')} reads {value!r}", "look at the policy on the cluster itself."
        )
    return value
