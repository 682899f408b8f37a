"""Sessions with HPE 3PAR, Primera and Alletra 9000 arrays over WSAPI v1."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.common.tokens import logged_in
from auditor_hpe3par.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.common.clocks import Difference
    from auditor.model import Endpoint


class Hpe3Par(SessionBase):
    """One array. Made by `open_hpe3par`; safe to use from several threads."""

    def __init__(self, endpoint: Endpoint, wire: Wire) -> None:
        super().__init__(endpoint)
        self._wire = wire
        system = self.get("system")
        self.release = f"{system.get('model') or 'HPE 3PAR'}, OS {system.get('systemVersion') or '?'}"
        self.known_identity = _identity(system)

    @property
    def clock_difference(self) -> Difference | None:
        """How far its clock is from this machine's, by the Date of its answers; None where they have none."""
        return self._wire.clock_difference

    def identity(self, *, again: bool = False) -> str | None:
        """Its serial number; None when it does not report one.

        Raises:
            EndpointError: as `get`.
        """
        if again:
            self.known_identity = _identity(self.get("system"))
        return self.known_identity

    def get(self, path: str) -> dict[str, Any]:
        """The JSON object at `path`; fields that hold secrets read "***". A list comes whole: members, and their number as total.

        Raises:
            EndpointUnreachableError: no answer, or none in time.
            CredentialsError: the session was over, and the secret opens no other.
            PermissionMissingError: the account may not ask this.
            NotThereError: this release does not have it.
            MalformedAnswerError: the answer is not what WSAPI promises.

        Source: the guide of WSAPI 1.3.1, p. 109 and 145: "total" and "members", sent in chunks of one answer; no list has pages.
        """
        return self._wire.get(path)


def _identity(system: dict[str, Any]) -> str | None:
    serial = system.get("serialNumber")
    return f"3par {serial}" if isinstance(serial, str) and serial else None


@contextmanager
def open_hpe3par(endpoint: Endpoint) -> Iterator[Hpe3Par]:
    """A session with an array; its key is deleted and every connection closed at the end.

    Raises:
        CredentialsError: the secret cannot be looked up, or is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError: something answers, but not WSAPI.
        ConfigurationError: the endpoint's CA file cannot be read.

    Source: python-3parclient, HTTPJSONRESTClient: POST and DELETE credentials.
    """
    with logged_in(endpoint, "/api/v1/", Wire) as wire:
        yield Hpe3Par(endpoint, wire)
