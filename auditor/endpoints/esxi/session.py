"""Sessions with the host agent of one ESXi host; pyVmomi is imported where it is used."""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.enumerations import HOST_AGENT
from auditor.endpoints.vcenter.session import VCenter, moid, opened
from auditor.errors import CredentialsError, EndpointError, MalformedAnswerError, PermissionMissingError
from auditor.facts.snapshots.stale_hosts import PLACEHOLDERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.stub import Stub
    from auditor.model import Endpoint

_UUID, _MANAGED_BY, _LOCKDOWN = "summary.hardware.uuid", "summary.managementServerIp", "config.lockdownMode"
_PATHS = ("name", _UUID, _MANAGED_BY, _LOCKDOWN)

READ_ONLY_EDITION = "esxBasic"
"""The editionKey of the free licence. Source: docs/domain/facts.md#13-5."""


@dataclass(frozen=True, slots=True)
class HostStanding:
    """How a host stands; None is what it leaves unset, or what could not be read.

    Attributes:
        id: its managed object id, which is ha-host on every host.
        uuid: of its BIOS.
        managed_by: address of the vCenter that manages it.
        lockdown: lockdownDisabled | lockdownNormal | lockdownStrict.
        unread: path of a property -> why it could not be read.
    """

    id: str
    name: str
    uuid: str | None
    managed_by: str | None
    lockdown: str | None
    unread: Mapping[str, str]

    @property
    def is_managed(self) -> bool | None:
        """Whether a vCenter manages it; None where that could not be read."""
        return None if _MANAGED_BY in self.unread else self.managed_by is not None


class HostAgent(VCenter):
    """One session with one host agent, shared by its threads; made by `open_host`."""

    def __init__(self, endpoint: Endpoint, stub: Stub, content: Any) -> None:
        super().__init__(endpoint, stub, content)
        self._standing: HostStanding | None = None
        self._asking = threading.Lock()

    def identity(self, *, again: bool = False) -> str | None:
        """The UUID of the host's hardware: the AboutInfo of a host has no instanceUuid. None when it reports neither, or one of no maker.

        Raises:
            EndpointError: as for every call.

        Source: docs/domain/facts.md#13-1.
        """
        uuid = self.standing(again=again).uuid
        self.known_identity = self.about.instanceUuid or None if uuid is None or uuid.lower() in PLACEHOLDERS else uuid
        return self.known_identity

    def standing(self, *, again: bool = False) -> HostStanding:
        """How the host stands, as it was read first; `again`: as it is now.

        Raises:
            EndpointError: it could not be asked.

        Source: vSphere API reference, HostListSummary.managementServerIp ("IP address of the VirtualCenter server managing this host, if
        any") and HostConfigInfo.lockdownMode.
        """
        from pyVmomi import vim

        with self._asking:
            if self._standing is None or again:
                hosts = list(self.read(vim.HostSystem, _PATHS))
                if len(hosts) != 1:
                    raise MalformedAnswerError(
                        f"endpoint {self.endpoint.name}: it lists {len(hosts)} hosts, and a host agent has one",
                        why="whether a vCenter manages it is not known.",
                        do=f"give {self.endpoint.who} the role Read-only on the host.",
                    )
                [facts] = hosts
                uuid, managed_by, lockdown = (facts.values.get(path) or None for path in (_UUID, _MANAGED_BY, _LOCKDOWN))
                name = str(facts.values.get("name", facts.id))
                self._standing = HostStanding(facts.id, name, uuid, managed_by, str(lockdown) if lockdown else None, dict(facts.missing))
            return self._standing

    def editions(self) -> tuple[str, ...]:
        """The edition keys of its licences, for example eval or esxBasic.

        Raises:
            EndpointError: they could not be read.

        Source: vSphere API reference, LicenseManager.licenses and LicenseManagerLicenseInfo.editionKey.
        """
        from pyVmomi import vim

        manager = self.content.licenseManager
        if manager is None:
            return ()
        licenses = self.value(vim.LicenseManager, moid(manager), "licenses") or ()
        return tuple(str(one.editionKey) for one in licenses if one.editionKey)


def is_read_only(editions: Sequence[str]) -> bool:
    """Whether licences of these editions let the API read alone: writes end with RestrictedVersion.

    Source: docs/domain/facts.md#13-5.
    """
    return bool(editions) and all(one.casefold() == READ_ONLY_EDITION.casefold() for one in editions)


@contextmanager
def open_host(endpoint: Endpoint) -> Iterator[HostAgent]:
    """A session with the host agent at `endpoint`: logged in, kept alive, and logged out whatever happens inside.

    Raises:
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        CredentialsError: the password cannot be looked up, or the host refuses it.
        PermissionMissingError: the account may not log in.
        MalformedAnswerError: something answers that is not a host agent.
    """
    with ExitStack() as closing:
        try:
            host = closing.enter_context(opened(endpoint, HostAgent, _check_host))
        except (CredentialsError, PermissionMissingError) as error:
            raise _with_lockdown(endpoint, error) from None
        yield host


def _check_host(endpoint: Endpoint, about: Any) -> None:
    if about.apiType != HOST_AGENT:
        raise MalformedAnswerError(
            f"endpoint {endpoint.name}: {endpoint.address} is no single host, but {about.fullName} ({about.apiType})",
            why="nothing on it was read.",
            do=f"write `kind: vcenter` for {endpoint.name} in fleet.yaml, or give the address of the host.",
        )


def _with_lockdown(endpoint: Endpoint, error: EndpointError) -> EndpointError:
    """The error of a refused login, with what else may be behind it. Source: docs/domain/facts.md#13-4."""
    from auditor.endpoints.vcenter.faults import credentials_refused

    if isinstance(error, CredentialsError) and error.what != credentials_refused(endpoint).what:
        return error  # the password could not be looked up
    locked = "a host in lockdown mode lets in only the accounts of its list of exceptions: audit it by its vCenter then, or add this one"
    return type(error)(error.what, why=error.why, do=f"{error.do.removesuffix('.')}; {locked}.")
