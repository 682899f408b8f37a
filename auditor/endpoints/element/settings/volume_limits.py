"""Reads and writes all that limits an Element volume, as one value: a QoS policy, limits of its own, or both."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import wrong_value
from auditor.endpoints.element.settings.volume import FIELDS, Limited, policy_limits, volume_id, volume_now
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.element.client import ElementArray
    from auditor.model import Scalar, Target

_TEXT = re.compile(r"(?:policy (\d{1,18}))?(?:(?:^|(?<=\d) with )own (\d{1,18})/(\d{1,18})/(\d{1,18}))?")


class ElementVolumeLimits:
    """`element.volume_limits`: key `volume_id`. The value is one of three.

    * "policy 3": the volume is in policy 3, and that policy's limits are in force;
    * "own 60/700/800": it is in no policy; its minimum, maximum and burst, in I/O operations a second;
    * "policy 3 with own 60/700/800": it is in policy 3, yet other limits are in force (docs/rule-catalogue.md#q6).

    With all of it in one value, a volume can be put under its policy and, undoing that, be given its own limits back. The third kind
    of value is there to be read and fixed. It can be written only to a volume that is in the policy: its own limits are set again,
    and if the cluster takes the volume out of the policy for that, which is not verified against a real system, reading it back shows it.

    Source: API reference, ModifyVolume: `qos` and `qosPolicyID` exclude each other, `associateWithQoSPolicy` false removes an association.
    """

    kind = EndpointKind.ELEMENT

    def read(self, session: ElementArray, target: Target) -> Reading:
        """What limits the volume now.

        Raises:
            NotThereError: there is no such volume, or its policy went meanwhile.
            MalformedAnswerError: its limits or its policy's cannot be read.
            EndpointError: the cluster could not be asked.
        """
        now = volume_now(session, target)
        if now.policy is None:
            return Reading(_text(now))
        return Reading(f"policy {now.policy}" if policy_limits(session, now.policy) == now.limits else _text(now))

    def write(self, session: ElementArray, target: Target, value: Scalar) -> None:
        """Have the volume limited so, with one request.

        Raises:
            RefusedError: `value` is none of the three kinds, cannot be reached from what limits the volume now, or the cluster said no.
            NotThereError: there is no such volume or policy.
            PermissionMissingError: the account may not change volumes.
            EndpointUnreachableError: no answer; whether it was written is not known.
        """
        match = _TEXT.fullmatch(value) if isinstance(value, str) and value else None
        if match is None:
            wanted = 'it is "policy 3", "own 60/700/800" or "policy 3 with own 60/700/800"'
            raise wrong_value(session, f"the QoS of volume {target['volume_id']} cannot be set to {value!r}", wanted)
        number, policy = volume_id(session, target), int(match[1]) if match[1] else None
        if match[2] is None:
            session.call("ModifyVolume", volumeID=number, associateWithQoSPolicy=True, qosPolicyID=policy)
            return
        qos = dict(zip(FIELDS, map(int, match.groups()[1:]), strict=True))
        if policy is None:
            session.call("ModifyVolume", volumeID=number, associateWithQoSPolicy=False, qos=qos)
            return
        now = volume_now(session, target)
        if now.policy != policy:
            raise wrong_value(
                session,
                f"volume {number} is not in QoS policy {policy}, but limited by {_text(now)!r}",
                "a policy and limits of its own cannot be given to a volume at once",
                "choose one of them.",
            )
        session.call("ModifyVolume", volumeID=number, qos=qos)


def _text(now: Limited) -> str:
    own = "own " + "/".join(map(str, now.limits))
    return own if now.policy is None else f"policy {now.policy} with {own}"
