"""How the native plug-in of one host chooses among the paths of one device."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, refused
from auditor.endpoints.vcenter.esxcli_devices import write_by_esxcli
from auditor.errors import MalformedAnswerError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.esxcli import EsxCli
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

ROUND_ROBIN, MOST_RECENTLY_USED, FIXED = "VMW_PSP_RR", "VMW_PSP_MRU", "VMW_PSP_FIXED"

_WRITABLE = re.compile(rf"{MOST_RECENTLY_USED}|{ROUND_ROBIN}, (?:latency|iops ([1-9][0-9]{{0,5}}))")
_FIELDS = {"Default": "IOOperationLimit", "Iops": "IOOperationLimit", "Bytes": "ByteLimit"}


class DevicePathPolicy:
    """Reads and sets it as one text. Keys: host_id, device.

    * "VMW_PSP_RR, iops 3", "VMW_PSP_RR, latency" and "VMW_PSP_MRU" are read and written; a count that nobody chose reads as the count that
      it is, "VMW_PSP_RR, iops 1000", and is inherited: from round robin itself;
    * "VMW_PSP_RR, bytes 8800", "VMW_PSP_FIXED" and policies of vendors are read and never written: what belongs to them, such as the
      preferred path, is not in the text, so that undo could not bring it back.

    The device keeps what is written through reboots, whatever claim rules say from then on. Round robin and its count are two commands:
    where the second is refused, reading back shows the first.

    Source: esxcli storage nmp device list and set, storage nmp psp roundrobin deviceconfig get and set; docs/domain/facts.md#5.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The policy now.

        Raises:
            NotThereError: the host has no such device, or another plug-in than the native one serves it.
            MalformedAnswerError: the host does not report it, or not what round robin goes by.
        """
        cli = session.esxcli(target["host_id"])
        psp = _psp(session, cli, target)
        if psp != ROUND_ROBIN:
            return Reading(psp)
        for row in cli.run("storage nmp psp roundrobin deviceconfig get", device=target["device"]):
            limit = str(row.get("LimitType", "")).strip()
            is_default = limit == "Default"
            if limit == "Latency":
                return Reading(f"{ROUND_ROBIN}, latency")
            count = str(row.get(_FIELDS.get(limit, ""), "")).strip()
            if re.fullmatch(r"[0-9]{1,18}", count):
                return Reading(f"{ROUND_ROBIN}, {'bytes' if limit == 'Bytes' else 'iops'} {int(count)}", inherited=is_default)
        raise _malformed(session, target, "it does not report what round robin goes by")

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Set the policy and, for round robin, its limits; each once.

        Raises:
            RefusedError: `value` is none that can be written, or the host says no.
        """
        match = _WRITABLE.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise refused(
                session,
                f"the path policy of {_named(target)} cannot be {value!r}",
                f"give {ROUND_ROBIN} with latency or a count, like: {ROUND_ROBIN}, iops 1; or {MOST_RECENTLY_USED}.",
            )
        cli = session.esxcli(target["host_id"])
        psp = match[0].partition(",")[0]
        if _psp(session, cli, target) != psp:
            _set(session, target, "storage nmp device set", psp=psp)
        if psp == ROUND_ROBIN:
            limit = {"type": "iops", "iops": int(match[1])} if match[1] else {"type": "latency"}
            _set(session, target, "storage nmp psp roundrobin deviceconfig set", **limit)

    def inherit(self, session: VCenter, target: Target, value: Scalar) -> None:  # noqa: ARG002  round robin has its own count
        """Reset round robin to its own limits, so that the device has no count of its own.

        Raises:
            RefusedError: the host says no.

        Source: ESXCLI reference, storage nmp psp roundrobin deviceconfig set: type "default": "Use the default values for path switching".
        """
        cli = session.esxcli(target["host_id"])
        if _psp(session, cli, target) != ROUND_ROBIN:
            _set(session, target, "storage nmp device set", psp=ROUND_ROBIN)
        _set(session, target, "storage nmp psp roundrobin deviceconfig set", type="default")


def _psp(session: VCenter, cli: EsxCli, target: Target) -> str:
    """The name of the policy in force."""
    for row in cli.run("storage nmp device list", device=target["device"]):
        if str(row.get("Device", "")).strip().lower() == target["device"].lower():
            psp = str(row.get("PathSelectionPolicy", "")).strip()
            if not psp:
                raise _malformed(session, target, "it does not name the policy")
            return psp
    raise not_there(
        session,
        f"the native plug-in has no {_named(target)}",
        "there is nothing to set.",
        "collect again: it may have been unmapped, or another plug-in has claimed it.",
    )


def _set(session: VCenter, target: Target, command: str, **arguments: str | int) -> None:
    words = " ".join(f"{name} {value}" for name, value in arguments.items())
    write_by_esxcli(session, target, command, f"{words} of {target['device']}", device=target["device"], **arguments)


def _named(target: Target) -> str:
    return f"{target['device']} on {target['host_id']}"


def _malformed(session: VCenter, target: Target, what: str) -> MalformedAnswerError:
    return MalformedAnswerError(
        f"endpoint {session.endpoint.name}: the path policy of {_named(target)}: {what}",
        why="without the present value nothing can be compared, so nothing is written.",
        do="run `esxcli storage nmp device list` on that host.",
    )
