"""Makes an authority of one's own, and by it the certificates of scheduler, workers and clients.

The authority's private key is never written: nobody can steal it, and nobody can make another certificate later. To renew is to make all of
them anew. Names are in the certificates for other TLS programs; Dask compares the authority alone.

Source: https://distributed.dask.org/en/stable/tls.html
"""

from __future__ import annotations

import ipaddress
import os
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

AUTHORITY = "ca.pem"
ROLES = ("scheduler", "worker", "client")
DEFAULT_DAYS = 365

_BEFORE = timedelta(hours=1)  # clocks of several machines differ
_HOST_NAME = r"(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9])?"
_OWN_NAMES = ("localhost", "127.0.0.1", "::1")


def files_of(role: str) -> tuple[str, str, str]:
    """The names of the files that a role needs: the authority, its certificate, its private key."""
    return AUTHORITY, f"{role}.pem", f"{role}-key.pem"


def make_certificates(directory: Path, names: tuple[str, ...] = (), days: int = DEFAULT_DAYS, now: datetime | None = None) -> datetime:
    """Write an authority and the certificates and keys of all roles to `directory`; until when they are valid.

    Private keys get mode 0600, a folder that is made here 0700. All files are written, or none.

    Args:
        directory: made where it is not there.
        names: host names and addresses of the machines, for the certificates of scheduler and workers, besides those of loopback.
        days: how long they are valid.
        now: None means the clock.

    Raises:
        ConfigurationError: one of the files is there already, cannot be written, or a name is no name.
    """
    made = _Made.of(names, datetime.now(UTC) if now is None else now, days)
    _write(directory, made.files())
    return made.not_after


@dataclass(frozen=True, slots=True)
class _Made:
    """An authority, which signs while this lives."""

    key: EllipticCurvePrivateKey
    authority: x509.Certificate
    alternatives: tuple[x509.GeneralName, ...]
    not_before: datetime
    not_after: datetime

    @classmethod
    def of(cls, names: tuple[str, ...], now: datetime, days: int) -> _Made:
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric import ec

        alternatives = tuple(_general_name(name) for name in dict.fromkeys((*_OWN_NAMES, *names)))
        key = ec.generate_private_key(ec.SECP256R1())
        # A name of its own: who has two sets in one file of authorities can tell them apart.
        subject = _name(f"auditor workers CA {secrets.token_hex(4)}")
        begin, end = (now - _BEFORE).replace(microsecond=0), (now + timedelta(days=days)).replace(microsecond=0)
        usage = _usage(key_cert_sign=True, crl_sign=True)
        builder = _builder(subject, subject, key, begin, end).add_extension(usage, critical=True)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        return cls(key, _signed(builder, key), alternatives, begin, end)

    def files(self) -> dict[str, bytes]:
        """Name of the file -> its content."""
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        files = {AUTHORITY: self.authority.public_bytes(Encoding.PEM)}
        for role in ROLES:
            certificate, key = self.certificate(role)
            _, certificate_file, key_file = files_of(role)
            files[certificate_file] = certificate.public_bytes(Encoding.PEM)
            files[key_file] = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return files

    def certificate(self, role: str) -> tuple[x509.Certificate, EllipticCurvePrivateKey]:
        """A certificate of a role. A client's is for calling alone: who has it cannot pass for a scheduler or a worker."""
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import ExtendedKeyUsageOID

        key = ec.generate_private_key(ec.SECP256R1())
        serves = role != "client"
        purposes = [ExtendedKeyUsageOID.CLIENT_AUTH, *([ExtendedKeyUsageOID.SERVER_AUTH] if serves else [])]
        builder = _builder(_name(f"auditor workers {role}"), self.authority.subject, key, self.not_before, self.not_after)
        builder = builder.add_extension(_usage(digital_signature=True), critical=True)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key())
        builder = builder.add_extension(issuer, critical=False)
        if serves:
            builder = builder.add_extension(x509.SubjectAlternativeName(self.alternatives), critical=False)
        return _signed(builder, self.key), key


def _general_name(text: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        pass
    if re.fullmatch(_HOST_NAME, text) is None:
        raise ConfigurationError(
            f'"{text}" is not a host name or an address',
            why="no certificate was made.",
            do="give the name alone, for example --name scheduler.example.net",
        )
    return x509.DNSName(text)


def _name(common: str) -> x509.Name:
    from cryptography import x509

    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: EllipticCurvePrivateKey, begin: datetime, end: datetime
) -> x509.CertificateBuilder:
    from cryptography import x509

    return (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number(), begin, end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )  # fmt: skip


def _usage(**uses: bool) -> x509.KeyUsage:
    from cryptography import x509

    every = (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
    )  # fmt: skip
    return x509.KeyUsage(**{use: uses.get(use, False) for use in every})


def _signed(builder: x509.CertificateBuilder, key: EllipticCurvePrivateKey) -> x509.Certificate:
    from cryptography.hazmat.primitives.hashes import SHA256

    return builder.sign(key, SHA256())


def _write(directory: Path, files: dict[str, bytes]) -> None:
    """Write new files, all of them or none; a key is never readable by others, not for a moment."""
    written: list[Path] = []
    try:
        directory.mkdir(parents=True, mode=0o700, exist_ok=True)
        for name, content in files.items():
            path = directory / name
            mode = 0o600 if name.endswith("-key.pem") else 0o644
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
            written.append(path)
            with os.fdopen(descriptor, "wb") as out:
                out.write(content)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        is_there = isinstance(error, FileExistsError)
        reason = "is there already" if is_there else f"cannot be written: {error.strerror or error}"
        raise ConfigurationError(
            f"{error.filename or directory} {reason}",
            why="no certificate was made: others may rest on what lies there.",
            do="name a new folder: auditor workers certificates --out DIR",
        ) from None
