"""How one device of one host reacts to QUEUE FULL: sample size and threshold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, refused
from auditor.endpoints.vcenter.esxcli_devices import write_by_esxcli
from auditor.errors import MalformedAnswerError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

AS_THE_HOST = "as the host"
MOST_SAMPLES, MOST_THRESHOLD = 64, 16
"""The ranges of Disk.QFullSampleSize and Disk.QFullThreshold. Source: docs/domain/facts.md#2-7."""

_VALUES = re.compile(r"([1-9][0-9]?)/([1-9][0-9]?)")


class DeviceQueueFull:
    """Reads and sets what devices set themselves. Keys: host_id, devices (canonical names with blanks between).

    The value is one of three:

    * "32/8": each of the devices has the sample size 32 and the threshold 8;
    * "as the host": each leaves it to the host's options Disk.QFullSampleSize and Disk.QFullThreshold, its sample size is 0;
    * "32/8, as the host": they differ. That can be read and never be written.

    A vendor asks for one value on all of its devices, and a host is named once, so that they are one change
    (docs/decisions/0023-one-cause-one-finding.md). It acts at once. Where the host refuses one device in the midst of it, the devices
    before it keep the new value, and reading them back shows both.

    Source: VMware KB 311232, per-device values go before the host's; docs/domain/facts.md#2-7. That a sample size of 0 gives a device back
    to the host is what the option's help says of 0, and not verified on a host.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The values of the devices now, each once.

        Raises:
            NotThereError: the host lacks one of the devices.
            MalformedAnswerError: one of them does not report both numbers.
        """
        wanted = {name.lower() for name in _devices(target)}
        found: dict[str, str] = {}
        for row in session.esxcli(target["host_id"]).run("storage core device list"):
            fields = {re.sub(r"[^a-z0-9]", "", name.lower()): str(value).strip() for name, value in row.items()}
            name = fields.get("device", "").lower()
            if name in wanted:
                found[name] = _value(session, target, name, fields)
        if missing := sorted(wanted - found.keys()):
            raise not_there(
                session,
                f"{target['host_id']} has no device {missing[0]}",
                "the devices were to be set together, so none of them was.",
                "collect again: it may have been unmapped.",
            )
        return Reading(", ".join(sorted(set(found.values()))))

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Set each of the devices, once, in the order of their names.

        Raises:
            RefusedError: `value` is none that can be written, or the host says no.
        """
        match = _VALUES.fullmatch(value) if isinstance(value, str) else None
        sample, threshold = (int(match[1]), int(match[2])) if match else (0, 0)
        if value != AS_THE_HOST and not (match and sample <= MOST_SAMPLES and threshold <= MOST_THRESHOLD):
            raise refused(
                session,
                f"queue-full values of devices on {target['host_id']} cannot be {value!r}",
                f"give a sample size of 1 to {MOST_SAMPLES} and a threshold of 1 to {MOST_THRESHOLD}, like 32/8, or: {AS_THE_HOST}.",
            )
        numbers = {"queuefullsamplesize": sample} | ({"queuefullthreshold": threshold} if match else {})
        for device in sorted(_devices(target)):
            done, also = f"the queue-full values of {device} to {value}", "; devices before it in the alphabet were set"
            write_by_esxcli(session, target, "storage core device set", done, also, device=device, **numbers)


def _devices(target: Target) -> list[str]:
    return target["devices"].split()


def _value(session: VCenter, target: Target, device: str, fields: dict[str, str]) -> str:
    sample, threshold = fields.get("queuefullsamplesize", ""), fields.get("queuefullthreshold", "")
    if not re.fullmatch(r"[0-9]{1,9}", sample) or not re.fullmatch(r"[0-9]{1,9}", threshold):
        raise MalformedAnswerError(
            f"endpoint {session.endpoint.name}: {device} on {target['host_id']}: queue-full values {sample[:20]!r} and {threshold[:20]!r}",
            why="without them nothing can be compared, so nothing is written.",
            do="run `esxcli storage core device list` on that host.",
        )
    return f"{int(sample)}/{int(threshold)}" if int(sample) else AS_THE_HOST
