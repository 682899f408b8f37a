"""Which transport a vCenter is read by, and what happens when one fails. Imports pyVmomi.

A transport that fails in any way but a lost connection or session is left for the next: VI/JSON was reported to answer 500, 403, 405, 502
or 404 on vCenters whose SOAP works, by itself or by a proxy that knows SOAP only.
Source: https://github.com/evoila/meho/issues/2466 (8.0.3 and 9.1.0).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.vcenter.bulk.listing import list_refs
from auditor.endpoints.vcenter.bulk.reading import read_page
from auditor.endpoints.vcenter.bulk.reference import PyvmomiTransport, ref_of
from auditor.endpoints.vcenter.bulk.soap import SoapTransport
from auditor.endpoints.vcenter.bulk.vijson import VijsonTransport, may_have_vijson
from auditor.endpoints.vcenter.enumerations import HOST_AGENT
from auditor.errors import ConnectionLostError, CredentialsError, EndpointError, SessionLostError, TransportNotOfferedError
from auditor.model import BulkTransport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.vcenter.bulk.reading import BulkClient, Carrier, ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.model import Endpoint


@dataclass(frozen=True, slots=True)
class Tried:
    """A transport that was tried and works; `release` is of VI/JSON, "" elsewhere."""

    transport: BulkTransport
    release: str


class BulkReader:
    """Reads many objects of one vCenter by the fastest transport it offers; may be used from many threads.

    Args:
        stub: carries the requests of SOAP.
        content: the ServiceInstanceContent of its session.

    Attributes:
        notes: what went wrong with a transport, in sentences; a slower one then did the work.
    """

    def __init__(self, stub: Carrier, content: Any) -> None:
        self._endpoint, self._content = stub.endpoint, content
        self._soap = SoapTransport(stub, ref_of(content.propertyCollector).value)
        self._offered = _offered(stub, content, self._soap)
        self._transports = _chosen(stub.endpoint, self._offered)
        self._unknown: dict[str, dict[str, str]] = {}  # by kind: paths this server does not know at all
        self._lock = threading.Lock()
        self.notes: list[str] = []

    @property
    def transport(self) -> BulkTransport:
        """The transport in use."""
        return self._transports[0].name

    @property
    def release(self) -> str:
        """The release that VI/JSON and the server agreed on; "" where it was not asked, or there is none."""
        return next((one.release for one in self._offered if isinstance(one, VijsonTransport)), "")

    def tried(self, name: BulkTransport, host: Ref) -> Tried | None:
        """Read one host by transport `name`, whether it is in use or not; None where this vCenter's version has no such transport.

        Raises:
            EndpointError: it does not work.
        """
        transport = next((one for one in self._offered if one.name is name), None)
        if transport is None:
            return None
        try:
            read_page(transport, self._endpoint, "HostSystem", ("name",), [host], {})
        finally:
            if transport not in self._transports:
                transport.close()
        return Tried(name, self.release if name is BulkTransport.VIJSON else "")

    def refs(self, kind: str) -> list[Ref]:
        """Every object of `kind` that the session may see.

        Raises:
            EndpointError: the list could not be read; never a part of it.
        """
        return list_refs(self._endpoint, self._content, self._soap, kind)

    def page(self, kind: str, paths: Sequence[str], refs: Sequence[Ref]) -> tuple[list[ObjectProperties], int]:
        """The properties `paths` of `refs`, every one of them exactly once, and the bytes of the answers, unpacked.

        A property that could not be read is named in `ObjectProperties.missing`; one that is simply unset is in neither place.

        Raises:
            EndpointError: the page as a whole could not be read.
        """
        unknown = self._unknown.setdefault(kind, {})
        failed: list[tuple[BulkClient, EndpointError]] = []
        for transport in self._transports:
            known = dict(unknown)  # what a transport that is left learnt is not held against the next
            try:
                page = read_page(transport, self._endpoint, kind, paths, refs, known)
            except EndpointError as error:
                if _is_lost(transport, error):
                    raise (failed[0][1] if failed else error) from None
                failed.append((transport, error))
                continue
            for slow, why in failed:
                self._leave(slow, transport, why)
            unknown.update(known)
            return page
        raise failed[0][1]

    def close(self) -> None:
        """End the sessions that transports have of their own."""
        for transport in self._transports:
            transport.close()

    def _leave(self, transport: BulkClient, better: BulkClient, error: EndpointError) -> None:
        """Use `transport` no more: another one has just managed what it could not."""
        with self._lock:
            if transport in self._transports:
                self._transports = tuple(one for one in self._transports if one is not transport)
                transport.close()
                if not isinstance(error, TransportNotOfferedError) or self._endpoint.lane == transport.name:
                    self.notes.append(f"{error.what}; it is read by transport {better.name} instead, which is slower and reads the same")


def _is_lost(transport: BulkClient, error: EndpointError) -> bool:
    """Whether `error` is of the connection or of a session that had worked: nothing that another transport would cope with.

    A login that VI/JSON refuses at the first is none: reading goes on with the session of SOAP, which is open.
    """
    if isinstance(error, CredentialsError):
        return not isinstance(transport, VijsonTransport) or transport.has_answered
    return isinstance(error, ConnectionLostError | SessionLostError)


def _offered(stub: Carrier, content: Any, soap: SoapTransport) -> tuple[BulkClient, ...]:
    """All that the server's version may offer, the fastest first. VI/JSON is vCenter's: no host agent is asked for it.

    Nor is a vCenter that is not logged in to by a password: VI/JSON has sessions of its own.
    """
    endpoint, version = stub.endpoint, content.about.apiVersion
    collector = ref_of(content.propertyCollector).value
    transports: list[BulkClient] = [soap, PyvmomiTransport(stub, collector)]
    if may_have_vijson(version) and content.about.apiType != HOST_AGENT and endpoint.login is None:
        sessions = ref_of(content.sessionManager).value
        transports.insert(
            0,
            VijsonTransport(endpoint, stub.wire, version, collector=collector, sessions=sessions, password=partial(password_of, endpoint)),
        )
    return tuple(transports)


def _chosen(endpoint: Endpoint, offered: tuple[BulkClient, ...]) -> tuple[BulkClient, ...]:
    """In the order they are tried: the fastest, or the one that is forced, then the slower ones."""
    names = [transport.name for transport in offered]
    return offered[names.index(endpoint.lane) :] if endpoint.lane in names else offered
