"""Reads and writes one limit of an Element volume that is in no QoS policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.element.settings.volume import FIELDS, Limits, volume_id, volume_now, wrong_value
from auditor.errors import RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.element.client import ElementArray
    from auditor.model import Scalar, Target


class ElementVolumeQos:
    """`element.volume_qos`: keys `volume_id` and `field` (minIOPS, maxIOPS or burstIOPS).

    A volume in a policy is refused, reading included: its limits are the policy's, and one of its own would be one more place to look at
    (docs/rule-catalogue.md#q6).
    """

    kind = EndpointKind.ELEMENT

    def read(self, session: ElementArray, target: Target) -> Reading:
        """The limit as the cluster reports it now.

        Raises:
            RefusedError: the volume is in a policy.
            NotThereError: there is no such volume.
            MalformedAnswerError: its QoS cannot be read.
            EndpointError: the cluster could not be asked.
        """
        field = _field(session, target)
        return Reading(_own(session, target)[FIELDS.index(field)])

    def write(self, session: ElementArray, target: Target, value: Scalar) -> None:
        """Set the one limit. The two others are sent along as they are: that they stay when left out is documented for policies only.

        Raises:
            RefusedError: `value` is not a whole number, the volume is in a policy, or the cluster does not allow the limits.
            NotThereError: there is no such volume.
            PermissionMissingError: the account may not change volumes.
            EndpointUnreachableError: no answer; whether the limit was written is not known.

        Source: API reference, ModifyVolume.
        """
        field = _field(session, target)
        if type(value) is not int:
            raise wrong_value(session, target, value, "a limit is a whole number of I/O operations a second")
        qos = dict(zip(FIELDS, _own(session, target), strict=True)) | {field: value}
        session.call("ModifyVolume", volumeID=volume_id(session, target), qos=qos)


def _own(session: ElementArray, target: Target) -> Limits:
    now = volume_now(session, target)
    if now.policy is not None:
        raise RefusedError(
            f"endpoint {session.endpoint.name}: volume {target['volume_id']} is in QoS policy {now.policy}",
            why="its limits are that policy's; nothing was written.",
            do="change the policy (element.qos_policy), or take the volume out of it (element.volume_policy).",
        )
    return now.limits


def _field(session: ElementArray, target: Target) -> str:
    field = target["field"]
    if field not in FIELDS:
        raise RefusedError(
            f"endpoint {session.endpoint.name}: a volume has no limit {field!r}, only {', '.join(FIELDS)}",
            why="nothing was read or written.",
            do="correct `target:` of the rule that asked for it.",
        )
    return field
