"""The lab's own certificate authority, created anew at every start."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Authority:
    """Issues certificates for the lab's endpoints, and writes the CA certificate that clients verify them with."""

    def __init__(self) -> None:
        import trustme

        self._authority = trustme.CA(organization_name="auditor lab")

    def server_context(self, *names: str) -> ssl.SSLContext:
        """A server context whose certificate holds `names` (addresses or host names)."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*names).configure_cert(context)
        return context

    def write(self, path: Path) -> None:
        """Write the CA certificate as PEM."""
        self._authority.cert_pem.write_to_path(str(path))
