"""The lab's own certificate authority, created anew at every start."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from auditor.bounds.extras import how_to_install
from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


class Authority:
    """Issues certificates for the lab's endpoints, and writes the CA certificate that clients verify them with."""

    def __init__(self) -> None:
        """Make the authority.

        Raises:
            ConfigurationError: the package that makes certificates is not installed; it is an extra.
        """
        try:
            import trustme
        except ImportError as error:
            raise ConfigurationError(
                "the simulated fleet needs the package trustme, which is not installed",
                why="its endpoints have certificates of an authority that is made at each start.",
                do=how_to_install("lab"),
            ) from error
        self._authority = trustme.CA(organization_name="auditor lab")

    def server_context(self, *names: str) -> ssl.SSLContext:
        """A server context whose certificate holds `names` (addresses or host names)."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*names).configure_cert(context)
        return context

    def write(self, path: Path) -> None:
        """Write the CA certificate as PEM."""
        self._authority.cert_pem.write_to_path(str(path))
