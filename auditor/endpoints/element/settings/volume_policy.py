"""Reads and writes which QoS policy an Element volume is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.element.settings.volume import policy_limits, volume_id, volume_now, whole, wrong_value
from auditor.errors import RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.element.client import ElementArray
    from auditor.model import Scalar, Target


class ElementVolumePolicy:
    """`element.volume_policy`: key `volume_id`. The value is the policy's id as text, or None for no policy.

    A volume that leaves its policy keeps the limits it had in it, as its own ("If you do not specify QoS values when you modify a volume,
    they remain the same"). A volume with limits of its own that differ from its next policy's would lose them for good, and nothing in
    this value could bring them back: that is refused, `element.volume_limits` can do it and undo it.

    Source: API reference, ModifyVolume; not verified against a real system.
    """

    kind = EndpointKind.ELEMENT

    def read(self, session: ElementArray, target: Target) -> Reading:
        """The policy now.

        Raises:
            NotThereError: there is no such volume.
            MalformedAnswerError: its QoS cannot be read.
            EndpointError: the cluster could not be asked.
        """
        policy = volume_now(session, target).policy
        return Reading(None if policy is None else str(policy))

    def write(self, session: ElementArray, target: Target, value: Scalar) -> None:
        """Put the volume into a policy, or out of any.

        Raises:
            RefusedError: `value` is neither a policy's id nor None, the volume's own limits would be lost, or the cluster said no.
            NotThereError: there is no such volume or policy.
            PermissionMissingError: the account may not change volumes.
            EndpointUnreachableError: no answer; whether it was written is not known.
        """
        policy = whole(value) if isinstance(value, str) else None
        if policy is None and value is not None:
            raise wrong_value(session, target, value, "a volume is in a policy, by its id as text, or in none")
        number = volume_id(session, target)
        if policy is None:
            session.call("ModifyVolume", volumeID=number, associateWithQoSPolicy=False)
            return
        now = volume_now(session, target)
        kept_elsewhere = now.limits == policy_limits(session, policy if now.policy is None else now.policy)
        if not kept_elsewhere:
            own = "/".join(map(str, now.limits))
            raise RefusedError(
                f"endpoint {session.endpoint.name}: volume {number} has limits of its own, {own}, which QoS policy {policy} would replace",
                why="they could not be put back afterwards; nothing was written.",
                do="use element.volume_limits, whose values hold them.",
            )
        session.call("ModifyVolume", volumeID=number, associateWithQoSPolicy=True, qosPolicyID=policy)
