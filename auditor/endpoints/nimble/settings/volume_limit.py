"""Reads and writes one ceiling of one Nimble volume."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import field_of, unreadable, wrong_value
from auditor.endpoints.nimble.limits import LIMITS, UNLIMITED
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.nimble.client import NimbleGroup
    from auditor.model import Scalar, Target


class NimbleVolumeLimit:
    """`nimble.volume_limit`: keys `volume_id` and `field` (limit_iops, or limit_mbps in MiB a second); None is no ceiling.

    A volume in a folder obeys the folder's ceilings as well.
    """

    kind = EndpointKind.NIMBLE

    def read(self, session: NimbleGroup, target: Target) -> Reading:
        """The ceiling as the array reports it now; None when there is none.

        Raises:
            NotThereError: there is no such volume.
            MalformedAnswerError: it is there, its ceiling is no number in the range, or left out.
            EndpointError: the array could not be asked.

        Source: nimble-python-sdk at f7f6030, Volume: limit_iops, limit_mbps; its page "Using" (get_started/using), where both are -1.
        """
        field = field_of(session, target, LIMITS, "a volume has no ceiling")
        value = session.one("volumes", target["volume_id"]).get(field)
        lowest, highest = LIMITS[field]
        if type(value) is not int or not (value == UNLIMITED or lowest <= value <= highest):
            raise unreadable(session, f"{field} of volume {target['volume_id']} reads {value!r}", "look at it on the array itself.")
        return Reading(None if value == UNLIMITED else value)

    def write(self, session: NimbleGroup, target: Target, value: Scalar) -> None:
        """Set the one ceiling, or lift it with None; the array leaves the other one alone.

        The array refuses a limit_iops that is more than limit_mbps allows at the volume's block size.

        Raises:
            RefusedError: `value` is not a whole number in the range, or the array does not allow it.
            NotThereError: there is no such volume.
            PermissionMissingError: the account may not.
            EndpointUnreachableError: no answer; whether the ceiling was written is not known.

        Source: hpe-storage/nimble-ansible-modules at 298d648, hpe_nimble_volume.py: `volumes.update(id, limit_iops=...)`; the SDK sends it
        as PUT v1/volumes/<id> with the fields that change.
        """
        field = field_of(session, target, LIMITS, "a volume has no ceiling")
        lowest, highest = LIMITS[field]
        if value is not None and not (type(value) is int and lowest <= value <= highest):
            raise wrong_value(
                session,
                f"{field} of volume {target['volume_id']} cannot be set to {value!r}",
                f"it is a whole number from {lowest} to {highest}, or none at all",
            )
        session.put("volumes", target["volume_id"], {field: UNLIMITED if value is None else value})
