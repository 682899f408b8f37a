"""Whether one host takes the reservation of one device for permanent, and passes over it when it boots or rescans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import refused
from auditor.endpoints.vcenter.esxcli_devices import device_fields, write_by_esxcli
from auditor.errors import MalformedAnswerError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

_FIELD = "isperenniallyreserved"
_STATES = {"true": True, "false": False}


class DevicePerenniallyReserved:
    """Reads and sets the mark by esxcli, which has had it since ESXi 5.0. Keys: host_id, device.

    It acts at once and stays through reboots. A device with a VMFS datastore must not have it: an interlock sees to that.

    Source: docs/domain/facts.md#5-9, #1-11.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """Whether the device has the mark now.

        Raises:
            NotThereError: the host has no such device.
            MalformedAnswerError: it has, and reports neither true nor false.
        """
        text = device_fields(session, target).get(_FIELD, "")
        if text.lower() not in _STATES:
            raise MalformedAnswerError(
                f"endpoint {session.endpoint.name}: Is Perennially Reserved of {target['device']} on {target['host_id']} is {text[:40]!r}",
                why="it is neither true nor false: nothing can be compared, so nothing is written.",
                do="run `esxcli storage core device list` on that host.",
            )
        return Reading(_STATES[text.lower()])

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Set the mark or take it away, once.

        Raises:
            RefusedError: neither true nor false, or the host says no.
        """
        if not isinstance(value, bool):
            raise refused(session, f"a device cannot be marked as perennially reserved by {value!r}", "give true or false.")
        done = f"Is Perennially Reserved of {target['device']} to {value}"
        write_by_esxcli(session, target, "storage core device setconfig", done, device=target["device"], perenniallyreserved=value)
