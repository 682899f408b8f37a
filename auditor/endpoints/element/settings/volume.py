"""One Element volume and what limits it, as the remediators of a volume's QoS need it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor.endpoints.common.setting_errors import not_there, unreadable, wrong_target
from auditor.errors import MalformedAnswerError

if TYPE_CHECKING:
    from auditor.endpoints.element.client import ElementArray
    from auditor.model import Target

FIELDS = ("minIOPS", "maxIOPS", "burstIOPS")
Limits: TypeAlias = tuple[int, int, int]  # in the order of FIELDS, I/O operations a second at 4 KiB


@dataclass(frozen=True, slots=True)
class Limited:
    """What limits a volume: the policy it is in, if any, and the limits in force."""

    policy: int | None
    limits: Limits


def volume_now(session: ElementArray, target: Target) -> Limited:
    """The volume `target["volume_id"]` as the cluster reports it now.

    Raises:
        RefusedError: the key is no volume's id.
        NotThereError: there is no such volume, or it is deleted.
        MalformedAnswerError: its policy or one of its limits cannot be read.
        EndpointError: the cluster could not be asked.

    Source: API reference, ListVolumes.
    """
    number = volume_id(session, target)
    listed = session.call("ListVolumes", volumeIDs=[number], includeVirtualVolumes=True).get("volumes")
    for volume in listed if isinstance(listed, list) else ():
        if isinstance(volume, dict) and str(volume.get("volumeID")) == str(number) and volume.get("status") != "deleted":
            policy = whole(volume["qosPolicyID"]) if volume.get("qosPolicyID") is not None else None
            if "qosPolicyID" not in volume or (policy is None and volume["qosPolicyID"] is not None):
                raise _unreadable(session, f"the QoS policy of volume {number}", volume.get("qosPolicyID"))
            return Limited(policy, limits_of(session, volume, f"volume {number}"))
    raise not_there(session, f"there is no volume {number}", "its QoS can be neither read nor written.")


def policy_limits(session: ElementArray, policy: int) -> Limits:
    """The limits of a QoS policy.

    Raises:
        NotThereError: there is no such policy.
        MalformedAnswerError: one of its limits cannot be read.
        EndpointError: the cluster could not be asked.

    Source: API reference, ListQoSPolicies.
    """
    listed = session.call("ListQoSPolicies").get("qosPolicies")
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and whole(each.get("qosPolicyID")) == policy:
            return limits_of(session, each, f"QoS policy {policy}")
    raise not_there(session, f"there is no QoS policy {policy}", "what it would limit a volume to is not known, so nothing was written.")


def limits_of(session: ElementArray, fields: dict[str, Any], label: str) -> Limits:
    """The three limits of a volume's or a policy's QoS object.

    Raises:
        MalformedAnswerError: one of them is not a whole number.
    """
    qos = fields.get("qos")
    numbers = []
    for field in FIELDS:
        value = whole(qos.get(field)) if isinstance(qos, dict) else None
        if value is None:
            raise _unreadable(session, f"{field} of {label}", qos.get(field) if isinstance(qos, dict) else qos)
        numbers.append(value)
    return numbers[0], numbers[1], numbers[2]


def volume_id(session: ElementArray, target: Target) -> int:
    """The volume's id as a number.

    Raises:
        RefusedError: it is none.
    """
    number = whole(target["volume_id"])
    if number is None:
        raise wrong_target(session, f"{target['volume_id']!r} is no volume's id")
    return number


def whole(value: object) -> int | None:
    """A whole number, also one that was sent as a string, as the collector takes them; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        return int(value)
    return value if type(value) is int else None


def _unreadable(session: ElementArray, what: str, value: object) -> MalformedAnswerError:
    return unreadable(session, f"{what} reads {value!r}", "look at the volume on the cluster itself.")
