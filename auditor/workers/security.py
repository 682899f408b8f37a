"""The TLS of scheduler, workers and clients: where its files are, and whether they can be used."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.extras import how_to_install
from auditor.bounds.files import read_bytes
from auditor.errors import ConfigurationError
from auditor.system.folders import config_home
from auditor.workers.certificates import files_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography.x509 import Certificate
    from distributed.security import Security

    from auditor.workers.address import Address

VARIABLE = "AUDITOR_WORKERS_CERTIFICATES"
_WHY = "nothing was connected: workers, scheduler and clients know each other by certificates."
_MAKE = "auditor workers certificates --out DIR makes a set, and prints which file goes where."


def certificates_folder(option: Path | None, environment: Mapping[str, str] | None = None) -> Path:
    """Where the certificates of this machine are.

    Args:
        option: the folder that a command line names; None means `$AUDITOR_WORKERS_CERTIFICATES`, else
            ``workers`` in `auditor.system.folders.config_home`.
        environment: None means that of the process.
    """
    known = os.environ if environment is None else environment
    if option is not None or known.get(VARIABLE):
        return Path(option or known[VARIABLE]).expanduser()
    return config_home(known) / "workers"


def security_of(directory: Path, role: str) -> Security:
    """Dask's TLS settings of a role, with files of `directory`: nothing is sent in clear, and both sides show a certificate.

    Args:
        directory: holds what `certificates.files_of` names; that of other roles is not needed.
        role: one of `certificates.ROLES`.

    Raises:
        ConfigurationError: a file is missing, damaged or past its time, the parts do not belong together, or Dask is not installed.
    """
    require_dask()
    from distributed.security import Security

    authority, certificate, key = (directory / name for name in files_of(role))
    _check(authority, certificate, key)
    files = {f"tls_{role}_cert": str(certificate), f"tls_{role}_key": str(key)}
    return Security(require_encryption=True, tls_ca_file=str(authority), **files)


def security_for(address: Address, directory: Path, role: str) -> Security | None:
    """The TLS settings for an address; None for one of loopback that was written with `tcp://`.

    Raises:
        ConfigurationError: as `security_of` does.
    """
    if address.is_encrypted:
        return security_of(directory, role)
    require_dask()
    return None


def require_dask() -> None:
    """See that Dask is installed.

    Raises:
        ConfigurationError: it is not.
    """
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise ConfigurationError(
            "Dask is not installed here",
            why="nothing was started or connected: workers and their scheduler are Dask's.",
            do=how_to_install("scale"),
        )


def is_read_by_others(directory: Path, role: str) -> bool:
    """Whether other accounts of this machine may read the private key of a role."""
    return bool((directory / files_of(role)[2]).stat().st_mode & 0o004)


def valid_until(directory: Path, role: str) -> datetime:
    """Until when the certificate of a role is valid; of a set that `security_of` takes."""
    return _certificates(directory / files_of(role)[1])[0].not_valid_after_utc


def _check(authority: Path, certificate: Path, key: Path) -> None:
    """Find what is wrong before a handshake fails for it: that one names neither a file nor a date."""
    own = _certificates(certificate)[0]
    now = datetime.now(UTC)
    if not own.not_valid_before_utc <= now <= own.not_valid_after_utc:
        span = f"{own.not_valid_before_utc:%Y-%m-%d %H:%M} to {own.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
        raise ConfigurationError(f"{certificate} is valid from {span}, and not now", why=_WHY, do=_MAKE)
    if not any(_is_issued_by(own, one) for one in _certificates(authority)):
        raise ConfigurationError(f"{certificate} is not of the authority in {authority}", why=_WHY, do=f"take both from one set. {_MAKE}")
    if not _is_key_of(key, own):
        raise ConfigurationError(f"{key} is not the private key of {certificate}", why=_WHY, do=f"take both from one set. {_MAKE}")


def _certificates(path: Path) -> list[Certificate]:
    from cryptography import x509

    content = _content(path)
    try:
        return x509.load_pem_x509_certificates(content)
    except ValueError:
        raise ConfigurationError(f"{path} is not a certificate in PEM form", why=_WHY, do=_MAKE) from None


def _is_issued_by(certificate: Certificate, authority: Certificate) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _is_key_of(path: Path, certificate: Certificate) -> bool:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    content = _content(path)
    try:
        key = load_pem_private_key(content, password=None)
    except (ValueError, TypeError):
        # Neither the text nor what the library says of it is repeated: it is a secret.
        raise ConfigurationError(f"{path} is not a private key in PEM form without a password", why=_WHY, do=_MAKE) from None
    return key.public_key() == certificate.public_key()


def _content(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except OSError as error:
        reason = "is not there" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror or error}"
        raise ConfigurationError(f"{path} {reason}", why=_WHY, do=_MAKE) from None
