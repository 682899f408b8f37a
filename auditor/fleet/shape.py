"""The form of fleet.yaml: which keys it may have, and what their values must be."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, field

from auditor.fleet.windows import DAYS
from auditor.model import BulkTransport, EndpointKind, Limits, RebootLimits, Sso, Tls, Vault
from auditor.yaml.shapes import Shape, Text

_MOST_CONCURRENCY = 256
_LONGEST_STEP_SECONDS = 86400
_SSH_FINGERPRINT = 'what ssh-keygen -l prints: "SHA256:" and 43 characters'

_PROXY = "HOST:PORT of an HTTP proxy, without a user"
_USER = r"([A-Za-z0-9_][A-Za-z0-9_.\\+-]*@)?"
_HOST = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_JUMP = rf"^({_USER}{_HOST}|ssh://{_USER}({_HOST}|\[[0-9A-Fa-f:.]+\])(:[0-9]{{1,5}})?)$"
_SEGMENTS = r"[^\s/#?.][^\s/#?]*(?:/[^\s/#?.][^\s/#?]*)*"
_VAULT = Vault("", 0, Tls())
_IN_VAULT = rf"^{_SEGMENTS}(?:#[^\s#]+)?$"
_VaultPath: TypeAlias = Annotated[str, Meta(pattern=rf"^{_SEGMENTS}$", description="a path in Vault, without a slash at either end")]

_Scalar: TypeAlias = bool | int | float | str
ParamValue: TypeAlias = Annotated[
    _Scalar | Annotated[tuple[_Scalar, ...], Meta(min_length=1)], Meta(description="a value, or a list of values")
]
Params: TypeAlias = Mapping[str, Mapping[str, ParamValue] | None]
"""Rule -> param -> value."""


class SecretShape(Shape):
    """Where a secret comes from."""

    env: Text | None = None
    file: Text | None = None
    keyring: Text | None = None
    command: Annotated[tuple[str, ...], Meta(min_length=1, description="a list of words, for example [pass, show, vcenter]")] | None = None

    def given(self) -> list[tuple[str, tuple[str, ...]]]:
        """The ways that are given, each with what it names."""
        ways = [(way, (value,)) for way, value in (("env", self.env), ("file", self.file), ("keyring", self.keyring)) if value is not None]
        return [*ways, ("command", self.command)] if self.command is not None else [*ways]

    def problem(self) -> str:
        """A secret comes from one place."""
        return "" if len(self.given()) == 1 else "needs exactly one of env, file, keyring, command"


class LoginSecretShape(SecretShape):
    """Where a secret comes from that logs in to an endpoint: also from a person, or from the vault of the file."""

    ask: bool = False
    vault: (
        Annotated[str, Meta(pattern=_IN_VAULT, description="the path of a secret, or PATH#FIELD, without a slash at either end")] | None
    ) = None

    def given(self) -> list[tuple[str, tuple[str, ...]]]:
        """As `SecretShape.given`."""
        asked: list[tuple[str, tuple[str, ...]]] = [("ask", ())] if self.ask else []
        kept: list[tuple[str, tuple[str, ...]]] = [] if self.vault is None else [("vault", (self.vault,))]
        return [*super().given(), *asked, *kept]

    def problem(self) -> str:
        """A secret comes from one place."""
        return "" if len(self.given()) == 1 else "needs exactly one of env, file, keyring, command, ask, vault"


class TlsShape(Shape):
    """How a certificate is checked."""

    ca: Annotated[str, Meta(description="the path of a PEM file")] | None = None
    fingerprint: str | None = None
    verify: bool = True

    def problem(self) -> str:
        """A certificate is checked in one way."""
        ways = (self.ca is not None) + (self.fingerprint is not None) + (not self.verify)
        return "takes one of ca, fingerprint, verify: false" if ways > 1 else ""


class AppRoleShape(Shape, kw_only=True):
    """How Vault is logged in to as a role."""

    role_id: Text
    secret_id: SecretShape
    mount: _VaultPath = _VAULT.approle_mount


class VaultShape(Shape, kw_only=True):
    """Where secrets are kept, and how they are got at."""

    address: Text
    namespace: Text | None = None
    mount: _VaultPath = _VAULT.mount
    version: Annotated[int, Meta(ge=1, le=2, description="1 or 2")] = _VAULT.version
    tls: TlsShape | None = None
    token: SecretShape | None = None
    approle: AppRoleShape | None = None

    def problem(self) -> str:
        """It is logged in to in one way."""
        return "needs exactly one of token, approle" if (self.token is None) == (self.approle is None) else ""


class SsoBy(StrEnum):
    """What a token of single sign-on is got by, where it is neither a certificate nor there."""

    PASSWORD = "password"  # noqa: S105  a word of fleet.yaml


class SsoShape(Shape):
    """A login by a token of vCenter's single sign-on."""

    by: SsoBy | None = None
    certificate: Annotated[str, Meta(description="the path of a PEM file")] | None = None
    key: Annotated[str, Meta(description="the path of a PEM file")] | None = None
    passphrase: LoginSecretShape | None = None
    sts: Annotated[str, Meta(pattern=r"^/[A-Za-z0-9._~/-]+$", description="a path that begins with a slash")] = Sso().sts
    token: LoginSecretShape | None = None

    def problem(self) -> str:
        """A token is got in one way."""
        if (self.certificate is None) != (self.key is None):
            return "needs both certificate and key, or none of them"
        if self.passphrase is not None and (self.key is None or self.token is not None):
            return "takes a passphrase with a key alone; with a token the key has none"
        got_by = (self.by is not None) + (self.certificate is not None or self.token is not None)
        return "" if got_by == 1 else "needs exactly one of by: password, certificate and key, token"


class ProxyShape(Shape, kw_only=True):
    """An HTTP proxy that leads to an endpoint."""

    address: Annotated[str, Meta(pattern=r"^(http://)?(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+):[0-9]{1,5}/?$", description=_PROXY)]
    username: Text | None = None
    password: SecretShape | None = None

    def problem(self) -> str:
        """A proxy is logged in to by both, or by none."""
        return "needs both username and password, or none of them" if (self.username is None) != (self.password is None) else ""


class SshShape(Shape):
    """How a host key is checked."""

    known_hosts: Annotated[str, Meta(description="the path of a file in OpenSSH's form")] | None = None
    fingerprint: Annotated[str, Meta(pattern=r"^SHA256:[A-Za-z0-9+/]{43}$", description=_SSH_FINGERPRINT)] | None = None
    verify: bool = True

    def problem(self) -> str:
        """A host key is checked in one way."""
        ways = (self.known_hosts is not None) + (self.fingerprint is not None) + (not self.verify)
        return "takes one of known_hosts, fingerprint, verify: false" if ways > 1 else ""


_StepSeconds: TypeAlias = Annotated[float, Meta(gt=0, le=_LONGEST_STEP_SECONDS, description="a number of seconds above 0, at most 86400")]


class RebootShape(Shape):
    """How long each step of a host's reboot may take."""

    evacuate_seconds: _StepSeconds = RebootLimits().evacuate_seconds
    return_seconds: _StepSeconds = RebootLimits().return_seconds
    in_force_seconds: _StepSeconds = RebootLimits().in_force_seconds
    leave_seconds: _StepSeconds = RebootLimits().leave_seconds


class Day(StrEnum):
    """A weekday."""

    MON, TUE, WED, THU, FRI, SAT, SUN = DAYS


_Clock: TypeAlias = Annotated[str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$", description='a time of day in quotes, such as "22:00"')]
_EndOfWindow: TypeAlias = Annotated[
    str, Meta(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$", description='a time of day in quotes, such as "06:00"; at most "24:00"')
]


class WindowShape(Shape, kw_only=True):
    """When a fleet may be written to."""

    days: Annotated[tuple[Day, ...], Meta(min_length=1, description="a list of weekdays: mon, tue, wed, thu, fri, sat, sun")] = tuple(Day)
    begins: _Clock = field(name="from")
    ends: _EndOfWindow = field(name="to")
    time_zone: Text
    endpoint: Text | None = None
    cluster: Text | None = None

    def problem(self) -> str:
        """A window has a length."""
        return "ends when it begins" if self.begins == self.ends else ""


class ProtectionShape(Shape, kw_only=True):
    """What is never written."""

    reason: Text
    resource: Text | None = None
    host: Text | None = None
    cluster: Text | None = None
    endpoint: Text | None = None
    tag: Text | None = None

    def problem(self) -> str:
        """It says what it is about."""
        given = (self.resource, self.host, self.cluster, self.endpoint, self.tag)
        return "" if any(one is not None for one in given) else "needs at least one of resource, host, cluster, endpoint, tag"


SITE_NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$"
"""What a site may be called: its name stands in command lines, in labels of metrics and in Dask's resources."""
_SiteName: TypeAlias = Annotated[str, Meta(pattern=SITE_NAME)]


class SiteShape(Shape):
    """Which endpoints lie at one site, so that its workers read them."""

    endpoints: Annotated[tuple[Text, ...], Meta(min_length=1, description="a list of names of endpoints, or globs")]


class LimitsShape(Shape):
    """How hard an endpoint may be asked."""

    concurrency: Annotated[int, Meta(ge=1, le=_MOST_CONCURRENCY, description=f"a whole number from 1 to {_MOST_CONCURRENCY}")] = (
        Limits().concurrency
    )
    readers: Annotated[int, Meta(ge=1, le=_MOST_CONCURRENCY, description=f"a whole number from 1 to {_MOST_CONCURRENCY}")] = (
        Limits().readers
    )
    timeout_seconds: Annotated[float, Meta(gt=0, le=3600, description="a number above 0, at most 3600")] = Limits().timeout_seconds


class ClusterShape(Shape):
    """What counts in one cluster alone."""

    params: Params = field(default_factory=dict)


class EndpointShape(Shape):
    """One endpoint. Which of the optional keys it needs depends on its kind; `fleet.load_fleet` checks that."""

    name: Text
    kind: EndpointKind
    address: Text
    username: Text | None = None
    password: LoginSecretShape | None = None
    api_token: LoginSecretShape | None = None
    session: LoginSecretShape | None = None
    sso: SsoShape | None = None
    tls: TlsShape | None = None
    ssh: SshShape | None = None
    proxy: ProxyShape | None = None
    jump: Annotated[str, Meta(pattern=_JUMP, description="user@host, ssh://user@host:port, or a name of your ssh configuration")] | None = (
        None
    )
    limits: LimitsShape = field(default_factory=LimitsShape)
    lane: BulkTransport | None = None
    params: Params = field(default_factory=dict)
    clusters: Mapping[str, ClusterShape | None] = field(default_factory=dict)


class DeclaredShape(Shape):
    """What no API says about some devices."""

    devices: Text
    model: Text | None = None
    generation: Text | None = None
    firmware: Text | None = None

    def problem(self) -> str:
        """A declaration declares something."""
        nothing = self.model is None and self.generation is None and self.firmware is None
        return "declares nothing: give model, generation or firmware" if nothing else ""


class NfsFamily(StrEnum):
    """Whose an NFS server may be declared to be."""

    ONTAP = "ontap"
    OTHER = "other"


class NfsServerShape(Shape):
    """Whose an NFS server is that hosts mount by name."""

    server: Text
    address: Text | None = None
    family: NfsFamily | None = None

    def problem(self) -> str:
        """A declaration declares one thing."""
        return "declares nothing, or two things: give its address, or its family" if (self.address is None) == (self.family is None) else ""


class FleetShape(Shape):
    """The whole file."""

    endpoints: tuple[EndpointShape, ...]
    params: Params = field(default_factory=dict)
    severity: Mapping[str, Any] = field(default_factory=dict)
    declared: tuple[DeclaredShape, ...] = ()
    nfs_servers: tuple[NfsServerShape, ...] = ()
    reboot: RebootShape = field(default_factory=RebootShape)
    maintenance: tuple[WindowShape, ...] = ()
    protect: tuple[ProtectionShape, ...] = ()
    vault: VaultShape | None = None
    sites: Mapping[_SiteName, SiteShape] = field(default_factory=dict)
