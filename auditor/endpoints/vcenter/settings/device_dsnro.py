"""No of outstanding IOs with competing worlds (DSNRO) of one device on one host."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import refused
from auditor.endpoints.vcenter.esxcli_devices import device_fields, write_by_esxcli
from auditor.errors import MalformedAnswerError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

_FIELD = "noofoutstandingioswithcompetingworlds"


class DeviceDsnro:
    """Reads and sets it by esxcli, the only interface that has it. Keys: host_id, device.

    The write goes by structured argument names: the letter of the option is an upper-case O, and the lower-case one is another option of
    the same command. It acts at once, without a reboot. The most a host accepts differs by build (256 in VMware's own validator, 4096 for
    protocol endpoints), so the host is asked, not a constant here.

    Source: docs/domain/facts.md#1-1, #1-2, #1-5, #1-7.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The value of the device now.

        Raises:
            NotThereError: the host has no such device.
            MalformedAnswerError: it has, and does not report a number.
        """
        text = device_fields(session, target).get(_FIELD, "")
        if not re.fullmatch(r"[0-9]{1,18}", text):
            raise MalformedAnswerError(
                f"endpoint {session.endpoint.name}: DSNRO of {target['device']} on {target['host_id']} is {text[:40]!r}, not a number",
                why="without it nothing can be compared, so nothing is written.",
                do="run `esxcli storage core device list` on that host.",
            )
        return Reading(int(text))

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Set it, once.

        Raises:
            RefusedError: not a positive whole number, or the host says no (for example above the driver's own depth).
        """
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise refused(session, f"DSNRO cannot be {value!r}", "give a whole number of commands, 1 or more.")
        done = f"DSNRO of {target['device']} to {value}"
        write_by_esxcli(session, target, "storage core device set", done, device=target["device"], schednumreqoutstanding=value)
