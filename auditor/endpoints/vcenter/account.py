"""The account that a vCenter knows us as, and its privileges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.endpoints.vcenter.enumerations import HOST_AGENT
from auditor.endpoints.vcenter.session import moid
from auditor.endpoints.vcenter.translation import translated
from auditor.errors import EndpointUnreachableError, MalformedAnswerError, NotThereError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.endpoints.vcenter.session import VCenter


@dataclass(frozen=True, slots=True)
class Account:
    r"""The account of a session.

    Attributes:
        user: as vCenter names it, for example VSPHERE.LOCAL\auditor.
        roles: names of the roles it has on the root folder in its own name, and whether each is propagated to everything below.
        groups: names of the groups that have a role there; which of them the account is in, vCenter does not report.
    """

    user: str
    roles: tuple[tuple[str, bool], ...]
    groups: tuple[str, ...]


def account_of(vcenter: VCenter) -> Account:
    r"""Whom the session belongs to; three requests.

    Raises:
        EndpointError: vCenter does not report it.

    Source: vSphere API reference, SessionManager.currentSession, AuthorizationManager.RetrieveEntityPermissions and roleList. That
    permissions write the account as DOMAIN\user is general knowledge, not verified against a real vCenter.
    """
    from pyVmomi import vim

    user = str(_current(vcenter).userName)
    manager = vcenter.content.authorizationManager
    with translated(vcenter.endpoint, "reading the permissions on the root folder"):
        permissions = manager.RetrieveEntityPermissions(vcenter.content.rootFolder, inherited=False)
    names = {role.roleId: role.name for role in vcenter.value(vim.AuthorizationManager, moid(manager), "roleList") or ()}
    mine = {_plain(user), _plain(vcenter.endpoint.username)}
    return Account(
        user,
        tuple(
            (names.get(one.roleId, f"role {one.roleId}"), bool(one.propagate))
            for one in permissions
            if not one.group and _plain(one.principal) in mine
        ),
        tuple(one.principal for one in permissions if one.group),
    )


def privileges_held(vcenter: VCenter, entities: Sequence[Any], privileges: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Which of `privileges` the session holds on each of `entities`, by managed object id; two requests.

    It is the session that is asked about, not the user's name: that counts what groups give, and has one spelling. A host agent that does
    not know the method is asked for the roles of the session instead.

    Raises:
        PermissionMissingError: the account may not even ask there.
        EndpointError: vCenter does not report.

    Source: vSphere API reference, AuthorizationManager.HasPrivilegeOnEntities, since API 5.5: "If the session does not exist, false is
    returned for all privileges of all the entities".
    """
    from pyVmomi import vim

    manager = vcenter.content.authorizationManager
    for attempt in (1, 2):
        # Not repeated by the stub with the id of a session that is gone: the answer would be "nothing at all".
        session = _current(vcenter).key
        try:
            with translated(vcenter.endpoint, "asking what the account may do"):
                by_entity = manager.HasPrivilegeOnEntities(list(entities), session, list(privileges))
            break
        except NotThereError:
            if vcenter.about.apiType != HOST_AGENT:
                raise
            return _held_by_role(vcenter, entities, privileges)
        except EndpointUnreachableError as error:
            if attempt == 2 or vim.fault.NotAuthenticated.__name__.rpartition(".")[2] not in error.what:
                raise
    held = {moid(one.entity): frozenset(each.privId for each in one.privAvailability if each.isGranted) for one in by_entity}
    if not any(held.values()):
        raise MalformedAnswerError(
            f"endpoint {vcenter.endpoint.name}: vCenter denies every privilege, and yet it answers",
            why="what the account may do is unknown: the answer may be about a session that has ended.",
            do="run it again; if it stays so, look at the permissions of the account in vCenter.",
        )
    return held


def _held_by_role(host: VCenter, entities: Sequence[Any], privileges: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """As `privileges_held`, by the roles that the session has on each entity.

    Source: vSphere API reference, ManagedEntity.effectiveRole ("Access rights the current session has to this entity") and
    AuthorizationManager.roleList. Whether host agents have HasPrivilegeOnEntities is documented nowhere.
    """
    from pyVmomi import vim

    roles = host.value(vim.AuthorizationManager, moid(host.content.authorizationManager), "roleList") or ()
    given = {role.roleId: frozenset(role.privilege) for role in roles}
    held: dict[str, frozenset[str]] = {}
    for entity in entities:
        own = host.value(type(entity), moid(entity), "effectiveRole") or ()
        held[moid(entity)] = frozenset().union(*(given.get(role, frozenset()) for role in own)).intersection(privileges)
    return held


def _current(vcenter: VCenter) -> Any:
    with translated(vcenter.endpoint, "asking whose session this is"):
        session = vcenter.content.sessionManager.currentSession
    if session is None:
        raise MalformedAnswerError(
            f"endpoint {vcenter.endpoint.name}: vCenter does not report whose session this is",
            why="the account and what it may do are unknown.",
            do="run it again; look at the permissions of the account in vCenter.",
        )
    return session


def _plain(name: str) -> tuple[str, str]:
    r"""(user, domain) of DOMAIN\user and of user@domain, in one case."""
    domain, backslash, user = name.casefold().rpartition("\\")
    if backslash:
        return user, domain
    user, _, domain = name.casefold().partition("@")
    return user, domain
