"""Management addresses: what they are, how auditor logs in to them, and what goes over their wires."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias
from zlib import crc32

from auditor.model.spans import Span


class EndpointKind(StrEnum):
    """The kind of product at an endpoint's address; the folder of that name in `auditor.endpoints` holds everything about it.

    These are the kinds that come with auditor. `EndpointKind(text)` is a kind for any other text as well, the same one each time: that of a
    plugin, or of an old run whose plugin is gone (`auditor.model.endpoint_kinds.is_known`).
    """

    VCENTER = "vcenter"
    ESXI = "esxi"
    ELEMENT = "element"
    DELL_SC = "dell-sc"
    FLASHARRAY = "flasharray"
    ONTAP = "ontap"
    ETERNUS = "eternus"
    ESERIES = "eseries"
    DOTHILL = "dothill"
    POWERSTORE = "powerstore"
    NIMBLE = "nimble"
    FILES = "files"

    @classmethod
    def _missing_(cls, value: object) -> EndpointKind | None:
        if not isinstance(value, str):
            return None
        other = str.__new__(cls, value)
        other._name_, other._value_ = value, value
        return _OTHER_KINDS.setdefault(value, other)


_OTHER_KINDS: dict[str, EndpointKind] = {}
"""The kinds that do not come with auditor, by their text."""


class BulkTransport(StrEnum):
    """A way of reading a vCenter in bulk, fastest first; all give the same rows. The key `lane` of fleet.yaml and reports holds it."""

    VIJSON = "vijson"  # vCenter 8.0 U1 and later
    SOAP = "soap"  # the answers decoded by our own parser
    PYVMOMI = "pyvmomi"  # the answers decoded by pyVmomi: the reference


@dataclass(frozen=True, slots=True)
class Secret:
    """A reference to a credential; the credential itself is looked up when a session opens.

    `repr` shows only where the credential comes from.
    """

    way: str  # "env", "file", "keyring", "command", "ask" or "vault"; "none" where nothing has to be known
    argument: tuple[str, ...]  # of "vault" the path and the field; empty for "ask": a person types it
    vault: Vault | None = None  # which vault it is in


@dataclass(frozen=True, slots=True)
class Vault:
    """A HashiCorp Vault, and how it is logged in to: by a token, or as a role (AppRole).

    Attributes:
        namespace: of Vault Enterprise and HCP; None: none is named.
        mount: where the engine is mounted that has keys and values.
        version: of that engine, 2 or 1.
        token: the reference to a token; None: AppRole.
        role_id: of AppRole; it is a name, and no secret.
        secret_id: the reference to its secret.
        approle_mount: where that method is mounted.
    """

    address: str
    port: int
    tls: Tls
    namespace: str | None = None
    mount: str = "secret"
    version: int = 2
    token: Secret | None = None
    role_id: str = ""
    secret_id: Secret | None = None
    approle_mount: str = "approle"


@dataclass(frozen=True, slots=True)
class Tls:
    """How an endpoint's certificate is verified; by default against the system's certificate authorities."""

    ca: str | None = None  # path of a PEM bundle
    fingerprint: str | None = None  # "sha256:<64 hex digits>", lower case, no colons
    verify: bool = True  # every report mentions False


@dataclass(frozen=True, slots=True)
class Ssh:
    """How the host key of an SSH endpoint is verified; by default against the user's known_hosts file."""

    known_hosts: str | None = None  # path of a file in OpenSSH's form
    fingerprint: str | None = None  # "SHA256:<base64>", as ssh-keygen -l prints it
    verify: bool = True  # every report mentions False


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A login that somebody else has made: a session of vCenter's SOAP API, whose key is in the place of the password."""


@dataclass(frozen=True, slots=True)
class Sso:
    """A login by a token of vCenter's single sign-on (SAML). Without a certificate and a token it is got by user name and password.

    Attributes:
        certificate: the path of a PEM file; the token is for the holder of its key.
        key: the path of its key, PEM. The endpoint's secret is its passphrase, unless there is a token.
        has_token: the endpoint's secret is the token itself.
        sts: the path of the token service on the vCenter.
    """

    certificate: str | None = None
    key: str | None = None
    has_token: bool = False
    sts: str = "/sts/STSService"  # source: govmomi, sts/client.go, `Path`, and pyVmomi's samples; its simulator has the domain behind it


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy that leads to an endpoint; `password` None: it is not logged in to."""

    address: str
    port: int
    username: str = ""
    password: Secret | None = None

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return f"{self.address}:{self.port}"

    def __str__(self) -> str:
        """What it is, for people."""
        return f"the proxy {self.place}"


@dataclass(frozen=True, slots=True)
class Jump:
    """A host that leads to an endpoint by SSH: user@host, ssh://user@host:port, or a name of the account's ssh configuration."""

    destination: str

    def __str__(self) -> str:
        """What it is, for people."""
        return f"the jump host {self.destination}"


@dataclass(frozen=True, slots=True)
class Limits:
    """The load that one endpoint may be put under."""

    concurrency: int = 16  # requests in flight
    timeout_seconds: float = 30.0  # to connect, between two reads, and for the head of an answer; ten times that for the whole of it
    readers: int = 1  # workers that read a vCenter side by side, each its share of the hosts; at most `concurrency`


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request to an endpoint and its whole answer, as they went over the wire, before anything was understood or masked.

    Attributes:
        operation: the method of the API, or the command line.
        method: of HTTP; "SSH" for a command line.
        path: with the query; empty for a command line.
        status: of HTTP; 0 for a command line.
        headers: of the answer, names in lower case.
        seconds: how long the answer took; 0 where that was not measured.
    """

    operation: str
    method: str
    path: str
    request: bytes
    status: int
    headers: Mapping[str, str]
    answer: bytes
    seconds: float = 0.0


Tap: TypeAlias = Callable[[Exchange], None]
"""Called with every exchange of an endpoint that is recorded, from several threads."""


@dataclass(frozen=True, slots=True)
class Share:
    """Which hosts of a vCenter one of several readers asks. The first reads all that is no host's as well."""

    number: int = 0
    of: int = 1

    @property
    def is_first(self) -> bool:
        """Whether it reads what belongs to no single host."""
        return self.number == 0

    def has(self, host_id: str) -> bool:
        """Whether the host with this managed object id is among its hosts: each host is in one share, in whatever order it is listed."""
        return crc32(host_id.encode("utf-8", "surrogatepass")) % self.of == self.number


@dataclass(frozen=True, slots=True)
class Evidence:
    """Files of hosts that are read in the place of a vCenter: support bundles, saved outputs of commands, exports.

    Attributes:
        paths: files and folders, as they were given.
        clusters: which hosts are of which cluster: the name of the cluster, and a glob over names of hosts or paths of their files.
        max_age_days: older files are read, and a notice says how old they are.
    """

    paths: tuple[str, ...]
    clusters: tuple[tuple[str, str], ...] = ()
    max_age_days: int = 30


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One management address that auditor logs in to, or files of hosts, which have none.

    Attributes:
        username: empty where an API token is used alone (FlashArray).
        password: the reference to the password, the API token or the key of a session.
        tls: how the certificate of an HTTPS endpoint is verified.
        ssh: how the host key of an SSH endpoint (ETERNUS) is verified; None where it speaks HTTPS.
        tap: called with every exchange; None where nothing is recorded.
        share: which of its hosts are read; all, unless several workers read it.
        evidence: the files that are read; None for an address.
        login: how a vCenter or host is logged in to where it is not by user name and password.
        route: what leads to it; None: it is connected to straight.
        history: the span whose counters are read as well; None: only those of now.
    """

    name: str
    kind: EndpointKind
    address: str  # host or IP, no scheme
    port: int
    username: str
    password: Secret
    tls: Tls = Tls()
    limits: Limits = Limits()
    ssh: Ssh | None = None
    lane: BulkTransport | None = None  # for a vCenter only; None: the fastest that it offers
    tap: Tap | None = field(default=None, compare=False, repr=False)
    share: Share = Share()
    evidence: Evidence | None = None
    login: OpenSession | Sso | None = None
    route: Proxy | Jump | None = None
    history: Span | None = None

    @property
    def who(self) -> str:
        """As whom it is logged in to, for people."""
        if isinstance(self.login, OpenSession):
            return "the account of the session"
        if isinstance(self.login, Sso) and self.login.has_token:
            return "the account of the token"
        if isinstance(self.login, Sso) and self.login.certificate is not None:
            return f"the account of the certificate {self.login.certificate}"
        return f"user {self.username}" if self.username else "the account of the API token"

    @property
    def place(self) -> str:
        """Where it is, for people: host and port, or the files."""
        return f"{self.address}:{self.port}" if self.evidence is None else self.address

    @property
    def trust(self) -> str:
        """How the endpoint's identity is verified, as reports show it: verified, pinned or NOT VERIFIED."""
        way = self.ssh or self.tls
        if not way.verify:
            return "NOT VERIFIED"
        return "pinned" if way.fingerprint else "verified"
