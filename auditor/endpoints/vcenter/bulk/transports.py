"""Which transport a vCenter is read by, and what happens when it does not understand an answer. Imports pyVmomi."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.vcenter.bulk.listing import list_refs
from auditor.endpoints.vcenter.bulk.reading import read_page
from auditor.endpoints.vcenter.bulk.reference import PyvmomiTransport, ref_of
from auditor.endpoints.vcenter.bulk.soap import SoapTransport
from auditor.endpoints.vcenter.bulk.vijson import VijsonTransport, release_for
from auditor.errors import TransportNotOfferedError, UnknownShapeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.vcenter.bulk.reading import BulkClient, ObjectProperties
    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.errors import EndpointError
    from auditor.model import BulkTransport


class BulkReader:
    """Reads many objects of one vCenter by the fastest transport it offers; may be used from many threads.

    Attributes:
        notes: what went wrong with a transport, in sentences; a slower one then did the work.
    """

    def __init__(self, vcenter: VCenter) -> None:
        self._vcenter = vcenter
        self._soap = SoapTransport(vcenter.stub, ref_of(vcenter.content.propertyCollector).value)
        self._transports = _transports(vcenter, self._soap)
        self._unknown: dict[str, dict[str, str]] = {}  # by kind: paths this server does not know at all
        self._lock = threading.Lock()
        self.notes: list[str] = []

    @property
    def transport(self) -> BulkTransport:
        """The transport in use."""
        return self._transports[0].name

    def refs(self, kind: str) -> list[Ref]:
        """Every object of `kind` that the session may see.

        Raises:
            EndpointError: the list could not be read; never a part of it.
        """
        return list_refs(self._vcenter, self._soap, kind)

    def page(self, kind: str, paths: Sequence[str], refs: Sequence[Ref]) -> tuple[list[ObjectProperties], int]:
        """The properties `paths` of `refs`, every one of them exactly once, and the bytes of the answers, unpacked.

        A property that could not be read is named in `ObjectProperties.missing`; one that is simply unset is in neither place.

        Raises:
            EndpointError: the page as a whole could not be read.
        """
        unknown = self._unknown.setdefault(kind, {})
        failed: list[tuple[BulkClient, EndpointError]] = []
        for transport in self._transports:
            try:
                page = read_page(transport, self._vcenter.endpoint, kind, paths, refs, unknown)
            except (UnknownShapeError, TransportNotOfferedError) as error:
                failed.append((transport, error))
                continue
            for slow, why in failed:
                self._leave(slow, transport, why)
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
                if isinstance(error, UnknownShapeError) or self._vcenter.endpoint.lane == transport.name:
                    self.notes.append(f"{error.what}; it is read by lane {better.name} instead, which is slower and reads the same")


def _transports(vcenter: VCenter, soap: SoapTransport) -> tuple[BulkClient, ...]:
    """In the order they are tried: the fastest that the server's version offers, or the one that is forced, then the slower ones."""
    endpoint, content = vcenter.endpoint, vcenter.content
    collector = ref_of(content.propertyCollector).value
    transports: list[BulkClient] = [soap, PyvmomiTransport(vcenter.stub, collector)]
    release = release_for(vcenter.about.apiVersion)
    if release is not None:
        sessions = ref_of(content.sessionManager).value
        wire = vcenter.stub.wire
        transports.insert(
            0, VijsonTransport(endpoint, wire, release, collector=collector, sessions=sessions, password=partial(password_of, endpoint))
        )
    names = [transport.name for transport in transports]
    return tuple(transports[names.index(endpoint.lane) :] if endpoint.lane in names else transports)
