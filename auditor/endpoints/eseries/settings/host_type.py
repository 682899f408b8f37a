"""Reads and writes the type of one host of an E-Series array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, unreadable, wrong_value
from auditor.endpoints.eseries.rows import type_code
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.eseries.client import WebServices
    from auditor.model import Scalar, Target


class ESeriesHostType:
    """`eseries.host_type`: key `array_host_id`, as array_host has it; the value is a type's code, for example VmwTPGSALUA."""

    kind = EndpointKind.ESERIES

    def read(self, session: WebServices, target: Target) -> Reading:
        """The code of the host's type now.

        Raises:
            NotThereError: there is no such host.
            MalformedAnswerError: the host is there, and its type is none that the array lists.
            EndpointError: it could not be asked.
        """
        host = _host(session, target)
        codes = _codes(session, target)
        index = host.get("hostTypeIndex")
        if type(index) is not int or index not in codes:
            raise unreadable(
                session,
                f"the type of host {host.get('label')} reads {index!r}, which host-types does not list",
                "look at the host in SANtricity System Manager.",
            )
        return Reading(codes[index])

    def write(self, session: WebServices, target: Target, value: Scalar) -> None:
        """Give the host the type whose code is `value`, and change nothing else of it.

        Raises:
            RefusedError: the array has no type of that code, or said no.
            NotThereError: there is no such host; nothing was written.
            PermissionMissingError: the account may not.
            EndpointUnreachableError: no answer; whether it was written is not known.

        Source: netappeseries/santricity, netapp_e_host.py, update_host: {"hostType": {"index": n}}; HostUpdateRequest of
        NetApp/santricity-webapi-javasdk. Not verified against a real system.
        """
        indexes = {code: index for index, code in _codes(session, target).items()}
        if not isinstance(value, str) or value not in indexes:
            raise wrong_value(
                session, f"the type of a host cannot be set to {value!r}", f"the array has these: {', '.join(sorted(indexes))}"
            )
        reference = str(_host(session, target)["hostRef"])
        session.post(_system(target), "hosts", reference, {"hostType": {"index": indexes[value]}})


def _system(target: Target) -> str:
    return target["array_host_id"].rpartition("/")[0]


def _host(session: WebServices, target: Target) -> dict[str, Any]:
    wanted = target["array_host_id"].rpartition("/")[2]
    for host in session.listed(_system(target), "hosts"):
        if isinstance(host, dict) and str(host.get("hostRef")).lower() == wanted:
            return host
    raise not_there(session, f"storage system {_system(target)} has no host {wanted}", "its type can be neither read nor written.")


def _codes(session: WebServices, target: Target) -> dict[int, str]:
    """Codes of host types by their index."""
    parse_errors = ParseErrors("host-types")
    listed = (Record(one, "host type", parse_errors) for one in session.listed(_system(target), "host-types") if isinstance(one, dict))
    return dict(known for one in listed if (known := type_code(one)) is not None)
