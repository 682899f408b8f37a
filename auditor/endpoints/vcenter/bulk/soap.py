"""The fast transport of every vCenter: the PropertyCollector's SOAP, its answers decoded straight into the shapes. Imports pyVmomi.

pyVmomi builds an object for every element, and three quarters of a ScsiLun are inquiry bytes, an element each; here nothing is built that
has no field. Session, retries and faults are the stub's. Source: docs/domain/peers.md#reading.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from auditor.endpoints.vcenter.bulk.reading import Answer
from auditor.endpoints.vcenter.bulk.soap_parsing import SOAP, VIM, NonsenseError, UnfamiliarError, parsed
from auditor.endpoints.vcenter.bulk.soap_scanning import scanned
from auditor.errors import MalformedAnswerError, UnknownShapeError
from auditor.model import BulkTransport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.vcenter.bulk.reading import Carrier
    from auditor.endpoints.vcenter.bulk.shapes import Ref

_ENVELOPE = (
    f'<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope xmlns:soapenv="{SOAP}"><soapenv:Body>{{}}</soapenv:Body></soapenv:Envelope>'
)


class SoapTransport:
    """SOAP of one vCenter; may be used from many threads.

    Args:
        stub: carries the requests, and logs in again where a session has ended.
        collector: id of the PropertyCollector.
    """

    name = BulkTransport.SOAP

    def __init__(self, stub: Carrier, collector: str) -> None:
        self._stub = stub
        self._decoding = threading.Lock()
        self._collector = f'<_this type="PropertyCollector">{escape(collector)}</_this>'

    def retrieve(self, kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> Answer:
        """See `BulkClient`."""
        operation = "RetrievePropertiesEx"
        request = self._request(operation, _wanted(kind, paths, refs, answer_size))
        # Decoded inside, so that a session found to have ended is opened again and the read repeated.
        return self._stub.ask(operation, request, lambda status, body: self._decoded(operation, kind, status, body), repeatable=True)

    def more(self, kind: str, token: str) -> Answer:
        """See `BulkClient`."""
        operation = "ContinueRetrievePropertiesEx"
        # Decoded outside: the stub takes nonsense in answer to what may not be repeated for a lost write, and this is a read.
        status, body = self._stub.ask(
            operation, self._request(operation, f"<token>{escape(token)}</token>"), lambda *reply: reply, repeatable=False
        )
        return self._decoded(operation, kind, status, body)

    def close(self) -> None:
        """See `BulkClient`; the session is the stub's."""

    def _request(self, operation: str, parameters: str) -> str:
        return _ENVELOPE.format(f'<{operation} xmlns="{VIM}">{self._collector}{parameters}</{operation}>')

    def _decoded(self, operation: str, kind: str, status: int, body: bytes) -> Answer:
        if status != 200:
            self._stub.fault_in(operation, status, body)
            raise self._nonsense(operation, status, "neither its response nor a fault")
        try:
            # One at a time: Python's lock lets no two of them get on anyway, and each holds its page twice over meanwhile.
            with self._decoding:
                return scanned(body, operation, kind) or parsed(body, operation, kind)
        except NonsenseError as error:
            unfamiliar = isinstance(error, UnfamiliarError)
            if not unfamiliar:
                self._stub.fault_in(operation, status, body)  # some send a fault with the status of success
            raise self._nonsense(operation, status, str(error), UnknownShapeError if unfamiliar else MalformedAnswerError) from None

    def _nonsense(
        self, operation: str, status: int, what: str, kind: type[MalformedAnswerError] = MalformedAnswerError
    ) -> MalformedAnswerError:
        endpoint = self._stub.endpoint
        return kind(
            f"endpoint {endpoint.name}: HTTP {status} to {operation} (SOAP) cannot be understood: {what}",
            why="half an answer would be half an audit, so none of it was used.",
            do=f"check that {endpoint.address}:{endpoint.port} is a vCenter, and any proxy between.",
        )


def _wanted(kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> str:
    wanted = "".join(f"<pathSet>{escape(path)}</pathSet>" for path in paths)
    objects = "".join(f"<objectSet><obj type={quoteattr(ref.type)}>{escape(ref.value)}</obj><skip>false</skip></objectSet>" for ref in refs)
    most = "" if answer_size is None else f"<maxObjects>{answer_size}</maxObjects>"
    return f"<specSet><propSet><type>{escape(kind)}</type><all>false</all>{wanted}</propSet>{objects}</specSet><options>{most}</options>"
