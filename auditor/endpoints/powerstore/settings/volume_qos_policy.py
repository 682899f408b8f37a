"""Reads and writes which QoS policy one volume of a PowerStore is under."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import unreadable, wrong_target
from auditor.endpoints.powerstore.qos import SINCE
from auditor.errors import RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.powerstore.client import PowerStore
    from auditor.model import Scalar, Target

_FIELD = "qos_performance_policy_id"


class PowerStoreVolumeQosPolicy:
    """`powerstore.volume_qos_policy`: key `volume_id`, as array_volume.volume_id; the value is a policy's name, None is no policy.

    The policy of the volume group around it, and the limits in a policy, stay as they are.
    """

    kind = EndpointKind.POWERSTORE

    def read(self, session: PowerStore, target: Target) -> Reading:
        """The name of its own policy as the array reports it now; None when it has none.

        Raises:
            NotThereError: there is no such volume.
            RefusedError: the release has no QoS policies.
            MalformedAnswerError: the volume does not report its policy, or the policy has no name.
            EndpointError: the array could not be asked.

        Source: the vendor's OpenAPI definitions, volume_instance and policy_instance.
        """
        _refuse_older(session)
        volume = session.one("volume", _id(target), f"id,{_FIELD}")
        policy_id = volume.get(_FIELD)
        if policy_id is None and _FIELD in volume:
            return Reading(None)
        name = session.one("policy", quote(policy_id, safe=""), "id,name").get("name") if isinstance(policy_id, str) else None
        if not isinstance(name, str) or not name:
            raise unreadable(
                session, f"the QoS policy of volume {target['volume_id']} reads {policy_id!r}", "look at the volume on the array itself."
            )
        return Reading(name)

    def write(self, session: PowerStore, target: Target, value: Scalar) -> None:
        """Put the volume under the QoS policy of that name, or under none.

        Raises:
            RefusedError: `value` is no name, the array has not exactly one such policy, its release has none, or it said no.
            NotThereError: there is no such volume.
            PermissionMissingError: the account may not.
            EndpointUnreachableError: no answer; whether it was written is not known.

        Source: the OpenAPI definitions, volume_modify: "If an empty string or null is specified, the QoS performance policy will be
        removed from this volume"; OpenStack cinder, powerstore/client.py, update_volume_with_qos_policy. Not tried on an array.
        """
        _refuse_older(session)
        session.patch("volume", _id(target), {_FIELD: "" if value is None else _policy(session, target, value)})


def _id(target: Target) -> str:
    return quote(target["volume_id"], safe="")


def _refuse_older(session: PowerStore) -> None:
    if not session.has(SINCE):
        raise wrong_target(
            session, f"{session.release} has no QoS policies, which came with 4.0", "make the change by hand after an upgrade of the array."
        )


def _policy(session: PowerStore, target: Target, name: Scalar) -> str:
    """The id of the one QoS policy that has this name."""
    listed = session.listed("policy", "id,name", type="eq.QoS") if isinstance(name, str) and name else []
    ids = [str(one.get("id")) for one in listed if isinstance(one, dict) and one.get("name") == name]
    if len(ids) != 1:
        raise RefusedError(
            f"endpoint {session.endpoint.name}: volume {target['volume_id']} cannot be put under {name!r}: "
            f"{'several QoS policies have' if ids else 'no QoS policy has'} that name",
            why="nothing was written.",
            do="compare the name with the QoS policies of the array.",
        )
    return ids[0]
