"""Reads and writes one ceiling of one FlashArray volume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import field_of, not_there, unreadable, wrong_value
from auditor.endpoints.flasharray.limits import LIMITS, UNSET, ceiling_of
from auditor.errors import RefusedError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.flasharray.client import FlashArray
    from auditor.model import Scalar, Target


class FlashArrayVolumeLimit:
    """`flasharray.volume_limit`: keys `name` and `field` (iops_limit or bandwidth_limit); None is no ceiling.

    A volume in a group obeys the group's ceiling as well; see `FlashArrayVolumeGroupLimit`.
    """

    kind = EndpointKind.FLASHARRAY
    _resource: ClassVar[str] = "volumes"
    _thing: ClassVar[str] = "volume"

    def read(self, session: FlashArray, target: Target) -> Reading:
        """The ceiling as the array reports it now, in I/O operations or bytes a second; None when there is none.

        Raises:
            NotThereError: nothing has that name, or it awaits its end.
            MalformedAnswerError: it is there, its ceiling is not a whole number.
            EndpointError: the array could not be asked.

        Source: the vendor's OpenAPI definitions, GET volumes and GET volume-groups, qos.
        """
        field = field_of(session, target, LIMITS, f"a {self._thing} has no ceiling")
        record = session.one(self._resource, target["name"])
        if record.get("destroyed") is True:
            raise not_there(
                session,
                f"the {self._thing} {target['name']} is destroyed and awaits its end",
                "its ceilings limit nothing; nothing was written.",
                "audit again.",
            )
        return Reading(_ceiling(session, f"the {self._thing} {target['name']}", record.get("qos"), field))

    def write(self, session: FlashArray, target: Target, value: Scalar) -> None:
        """Set the one ceiling, or lift it with None; the array leaves the other one alone.

        Lifting writes an empty string, as the vendor's definitions say. An array that refuses it gets the highest value instead, as
        the vendor's own Ansible modules and OpenStack write it: it limits nothing, and reads as None here.

        Raises:
            RefusedError: `value` is not a whole number in the range, or the array does not allow it.
            NotThereError: nothing has that name.
            PermissionMissingError: the account may not.
            EndpointUnreachableError: no answer; whether the ceiling was written is not known.

        Source: OpenAPI definitions, _qos_patch; FlashArray-Collection issue 768; which of the two a release accepts is not verified
        against a real system.
        """
        field = field_of(session, target, LIMITS, f"a {self._thing} has no ceiling")
        lowest, highest = LIMITS[field]
        if value is not None and not (type(value) is int and lowest <= value < highest):
            raise wrong_value(
                session,
                f"{field} of the {self._thing} {target['name']} cannot be set to {value!r}",
                f"it is a whole number from {lowest} to {highest - 1}, or none at all",
            )
        if value is not None:
            session.patch(self._resource, target["name"], {"qos": {field: value}})
            return
        try:
            session.patch(self._resource, target["name"], {"qos": {field: UNSET}})
        except RefusedError:  # it said no, so nothing was written yet
            session.patch(self._resource, target["name"], {"qos": {field: highest}})


def _ceiling(session: FlashArray, what: str, qos: Any, field: str) -> int | None:
    value = qos.get(field) if isinstance(qos, dict) else qos
    if value is None and isinstance(qos, dict):
        return None
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)  # the collector takes numbers as strings too
    if type(value) is not int or value < LIMITS[field][0]:
        raise unreadable(session, f"{field} of {what} reads {value!r}", "look at it on the array itself.")
    return ceiling_of(field, value)
