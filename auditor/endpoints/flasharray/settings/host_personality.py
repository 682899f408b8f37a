"""Reads and writes the personality of one FlashArray host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import not_there, unreadable, wrong_value
from auditor.endpoints.flasharray.hosts import is_of_a_peer
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from typing import Any

    from auditor.endpoints.flasharray.client import FlashArray
    from auditor.model import Scalar, Target


class FlashArrayHostPersonality:
    """`flasharray.host_personality`: key `name`; '' is a host whose personality nobody set, as array_host.host_type reports it."""

    kind = EndpointKind.FLASHARRAY

    def read(self, session: FlashArray, target: Target) -> Reading:
        """The personality as the array reports it now, for example esxi; '' when it is not set.

        Raises:
            NotThereError: there is no such host, or it is one of a peer array.
            MalformedAnswerError: the host is there, its personality is no text.
            EndpointError: the array could not be asked.

        Source: the vendor's OpenAPI definitions, Host; recorded answers, null where it is not set.
        """
        value = _own(session, session.one("hosts", target["name"])).get("personality")
        if value is not None and not isinstance(value, str):
            raise unreadable(session, f"the personality of host {target['name']} reads {value!r}", "look at the host on the array itself.")
        return Reading(value or "")

    def write(self, session: FlashArray, target: Target, value: Scalar) -> None:
        """Set the personality, or unset it with ''.

        Raises:
            RefusedError: `value` is no text, or no personality the array knows.
            NotThereError: there is no such host, or it is one of a peer array; nothing was written.
            PermissionMissingError: the account may not.
            EndpointUnreachableError: no answer; whether it was written is not known.

        Source: OpenAPI definitions, HostPatch; the empty string as the vendor's Ansible module purefa_host unsets it (personality: delete).
        """
        if not isinstance(value, str):
            raise wrong_value(session, f"the personality of host {target['name']} cannot be set to {value!r}", "it is a text, '' for none")
        _own(session, {"name": target["name"]})
        session.patch("hosts", target["name"], {"personality": value})


def _own(session: FlashArray, host: dict[str, Any]) -> dict[str, Any]:
    """The host, where it is this array's own."""
    if is_of_a_peer(host):
        raise not_there(
            session,
            f"host {host['name']!r} belongs to another array, which this one replicates with",
            "its settings are that array's; nothing was written.",
            "list that array in fleet.yaml, and audit again.",
        )
    return host
