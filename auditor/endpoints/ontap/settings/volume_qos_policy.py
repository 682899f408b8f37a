"""Reads and writes which QoS policy one ONTAP LUN or volume is under."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import unreadable, wrong_target, wrong_value
from auditor.errors import MalformedAnswerError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.ontap.client import OntapCluster
    from auditor.model import Scalar, Target

_COLLECTIONS = {"lun": "storage/luns", "share": "storage/volumes"}
_NAMES_NONE = frozenset({"", "none", "-"})


class OntapVolumeQosPolicy:
    """`ontap.volume_qos_policy`: keys `volume_id` (uuid) and `kind` (lun or share); the value is a policy's name, None is no policy.

    Policies around it, of the containing volume or of the SVM, are not its own and are left alone. The policies of vVols belong to
    vSphere's storage policies, and are not written here.
    """

    kind = EndpointKind.ONTAP

    def read(self, session: OntapCluster, target: Target) -> Reading:
        """The name of its own policy as the cluster reports it now; None when it has none.

        Raises:
            NotThereError: there is no such LUN or volume.
            MalformedAnswerError: it is there, its policy is not reported by name.
            EndpointError: the cluster could not be asked.

        Source: netapp-ontap, Lun.qos_policy and Volume.qos.policy.
        """
        path = _path(session, target)
        is_lun = target["kind"] == "lun"
        record = session.get(path, fields="qos_policy.name" if is_lun else "qos.policy.name")
        policy: Any = record.get("qos_policy") if is_lun else _inner(session, target, record.get("qos"))
        if policy is None:
            return Reading(None)
        name = policy.get("name") if isinstance(policy, dict) else None
        if not isinstance(name, str):
            raise _senseless(session, target, policy)
        return Reading(None if name.lower() in _NAMES_NONE else name)

    def write(self, session: OntapCluster, target: Target, value: Scalar) -> None:
        """Put it under the policy of that name, of the same SVM, or under none.

        Raises:
            RefusedError: `value` is no name, or the cluster has no such policy, or does not allow it beside one around it.
            NotThereError: there is no such LUN or volume.
            PermissionMissingError: the account may not.
            EndpointUnreachableError: no answer, or its job did not end; whether it was written is not known.

        Source: netapp-ontap, LunQosPolicy: "To remove the QoS policy from a LUN ... set this property to an empty string"; "none" for a
        volume is what FileInfoQosPolicy and other clients say, not verified against a real system.
        """
        path = _path(session, target)
        if value is not None and not (isinstance(value, str) and value.strip() and value.lower() not in _NAMES_NONE):
            raise wrong_value(
                session,
                f"the QoS policy of {target['kind']} {target['volume_id']} cannot be set to {value!r}",
                "it is the name of a policy, or nothing at all",
            )
        if target["kind"] == "lun":
            session.patch(path, {"qos_policy": {"name": "" if value is None else value}})
        else:
            session.patch(path, {"qos": {"policy": {"name": "none" if value is None else value}}})


def _path(session: OntapCluster, target: Target) -> str:
    if target["kind"] not in _COLLECTIONS:
        raise wrong_target(session, f"the QoS policy of a {target['kind']!r} is none of ours, only of {', '.join(_COLLECTIONS)}")
    return f"{_COLLECTIONS[target['kind']]}/{quote(target['volume_id'], safe='')}"


def _inner(session: OntapCluster, target: Target, qos: Any) -> Any:
    if qos is not None and not isinstance(qos, dict):
        raise _senseless(session, target, qos)
    return None if qos is None else qos.get("policy")


def _senseless(session: OntapCluster, target: Target, value: object) -> MalformedAnswerError:
    return unreadable(
        session, f"the QoS policy of {target['kind']} {target['volume_id']} reads {value!r}", "look at it on the cluster itself."
    )
