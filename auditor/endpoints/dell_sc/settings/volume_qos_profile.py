"""Gives a volume of a Dell Storage Center another QoS profile."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, unreadable, wrong_value
from auditor.endpoints.dell_sc.answers import Attributes
from auditor.endpoints.dell_sc.client import DEFAULT_PROFILE
from auditor.errors import PermissionMissingError, RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.dell_sc.client import StorageManager
    from auditor.model import Scalar, Target

_INSTANCE = re.compile(r"(\d{1,10})\.\d{1,10}")


class DellScVolumeQosProfile:
    """`dell_sc.volume_qos_profile`: key `volume_id`, as array_volume.volume_id.

    The value is the profile's name, as array_volume.qos_policy; None is the profile "Default", which a volume has when nobody gave it one.
    The volume's group profile stays as it is.
    """

    kind = EndpointKind.DELL_SC

    def read(self, session: StorageManager, target: Target) -> Reading:
        """The volume's profile now.

        Raises:
            NotThereError: there is no such volume.
            MalformedAnswerError: the volume reports no profile; releases before Storage Center 7 have none.
            EndpointError: the manager could not be asked.

        Source: cinder's client, GET ScVolume/{id}/VolumeConfiguration and its volumeQosProfile.
        """
        volume_id, _ = _volume(session, target)
        profile = session.object(f"StorageCenter/ScVolume/{volume_id}/VolumeConfiguration").get("volumeQosProfile")
        name = profile.get("instanceName") if isinstance(profile, dict) else None
        if not isinstance(name, str) or not name:
            raise unreadable(
                session,
                f"volume {volume_id} reports no QoS profile",
                "look at the volume in Storage Manager; a release before Storage Center 7 has no QoS profiles.",
            )
        return Reading(None if name == DEFAULT_PROFILE else name)

    def write(self, session: StorageManager, target: Target, value: Scalar) -> None:
        """Give the volume the profile of that name; its other settings stay.

        Raises:
            RefusedError: `value` is no name, or the Storage Center has no profile for volumes of that name, or said no.
            PermissionMissingError: the account may not write, or its user preferences do not let it choose QoS profiles.
            NotThereError: there is no such volume.
            EndpointUnreachableError: no answer, or a task that did not end; whether it was written is not known.

        Source: cinder's client (_update_profile): UserPreferences.allowQosProfileSelection first, then PUT ScVolumeConfiguration/{id}.
        """
        volume_id, serial = _volume(session, target)
        if value is not None and (not isinstance(value, str) or not value or value == DEFAULT_PROFILE):
            raise wrong_value(
                session,
                f"the QoS profile of volume {volume_id} cannot be set to {value!r}",
                f"the array reports a profile by its name, and the profile {DEFAULT_PROFILE} as null",
            )
        preferences = session.object(f"StorageCenter/StorageCenter/{serial}/UserPreferences")
        if preferences.get("allowQosProfileSelection") is not True:
            raise PermissionMissingError(
                f"endpoint {session.endpoint.name}: {session.endpoint.username} may not choose QoS profiles on Storage Center {serial}",
                why="its user preferences have allowQosProfileSelection off; nothing was written.",
                do="allow QoS profile selection in the user preferences of the Storage Center, or make the change by hand.",
            )
        profile = _profile(session, serial, DEFAULT_PROFILE if value is None else value)
        session.modify("ScVolumeConfiguration", volume_id, {"volumeQosProfile": profile})


def _volume(session: StorageManager, target: Target) -> tuple[str, int]:
    """A volume's id and the serial number of its Storage Center, with which it begins."""
    match = _INSTANCE.fullmatch(target["volume_id"])
    if match is None:
        raise not_there(
            session,
            f"{target['volume_id']!r} is no id of a volume",
            "its QoS profile can be neither read nor written.",
            "correct `target:` of the rule that asked for it.",
        )
    return match[0], int(match[1])


def _profile(session: StorageManager, serial: int, name: str) -> str:
    """The id of the one profile for volumes that has this name."""
    profiles = (Attributes(one) for one in session.objects("ScQosProfile", serial) if isinstance(one, dict))
    ids = [one.get("instanceId") for one in profiles if (one.get("name"), one.get("profileType")) == (name, "VolumeQosProfile")]
    if len(ids) == 1 and isinstance(ids[0], str):
        return ids[0]
    raise RefusedError(
        f"endpoint {session.endpoint.name}: Storage Center {serial} has {'several QoS profiles' if ids else 'no QoS profile'} "
        f"for volumes named {name!r}",
        why="nothing was written.",
        do="compare the name with the QoS profiles in Storage Manager.",
    )
