"""The AuthorizationManager: privileges, roles, and the account's permissions."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import VmomiSupport, vim

from auditor_lab.vcenter.inventory.entities import ROOT, Managed
from auditor_lab.vcenter.soap.privileges import ALL, READ_ONLY, no_permission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from auditor_lab.vcenter.context import Context, Operation

REFERENCE = vim.AuthorizationManager("AuthorizationManager")

# Source: ids, names and texts of the built-in roles as govmomi captured them (simulator/esx/authorization_manager.go). A real
# Administrator has some 400 privileges; the lab's has those that the lab checks.
_BUILT_IN: tuple[tuple[int, str, str, str, frozenset[str]], ...] = (
    (-5, "NoAccess", "No access", "Used for restricting granted access", frozenset()),
    (-4, "Anonymous", "Anonymous", "Not logged-in user (cannot be granted)", frozenset({"System.Anonymous"})),
    (-3, "View", "View", "Visibility access (cannot be granted)", frozenset({"System.Anonymous", "System.View"})),
    (-2, "ReadOnly", "Read-only", "See details of objects, but not make changes", READ_ONLY),
    (-1, "Admin", "Administrator", "Full access rights", ALL),
)
_GRANTABLE = (-1, -2, -5)
_OWN_ROLE = 1001  # of an account whose privileges match no built-in role; vCenter numbers custom roles with positive ids (known)
_Manager = vim.AuthorizationManager


class _Unkept(dict[str, tuple[int, Any]]):
    """A property map that caches nothing: an account's privileges may change without a change of the fleet."""

    def __setitem__(self, key: str, value: tuple[int, Any]) -> None:
        """Remove an entry."""


def authorization_objects(privileges: Callable[[], frozenset[str]]) -> list[Managed]:
    """The authorization manager of a vCenter; `privileges` returns those of the account at the time of a request."""
    return [
        Managed(
            vim.AuthorizationManager,
            REFERENCE._GetMoId(),  # noqa: SLF001  pyVmomi's accessor
            {
                "privilegeList": lambda: [_privilege(one) for one in sorted(ALL | privileges())],
                "roleList": lambda: _roles(privileges()),
                "description": _description,
            },
            _Unkept(),
        )
    ]


def role_of(privileges: frozenset[str]) -> int:
    """The id of the role that an account with these privileges has at the root folder."""
    fitting = (role for role, *_, held in _BUILT_IN if held == privileges and role in _GRANTABLE)
    return next(fitting, _OWN_ROLE)


def _roles(privileges: frozenset[str]) -> list[Any]:
    roles = [
        _Manager.Role(roleId=key, system=True, name=name, info=vim.Description(label=label, summary=summary), privilege=sorted(held))
        for key, name, label, summary, held in _BUILT_IN
    ]
    if role_of(privileges) == _OWN_ROLE:
        info = vim.Description(label="auditor", summary="What the account of this lab may do")
        roles.append(_Manager.Role(roleId=_OWN_ROLE, system=False, name="auditor", info=info, privilege=sorted(privileges)))
    return roles


def _privilege(name: str) -> Any:
    group, _, last = name.rpartition(".")
    return _Manager.Privilege(privId=name, onParent=False, name=last, privGroupName=group)


def _description() -> Any:
    def described(names: Iterable[str]) -> list[Any]:
        return [vim.ElementDescription(key=name, label=name.rpartition(".")[2], summary=name) for name in sorted(names)]

    return vim.AuthorizationDescription(privilege=described(ALL), privilegeGroup=described({name.rpartition(".")[0] for name in ALL}))


def _permission(context: Context) -> Any:
    """The only permission: the account's role at the root folder, for everything below."""
    return _Manager.Permission(entity=ROOT, principal=_principal(context), group=False, roleId=role_of(context.privileges), propagate=True)


def _principal(context: Context) -> str:
    """The account in the notation of permissions: the domain in upper case, a backslash, the user (known)."""
    user, _, domain = context.logged_in.user.partition("@")
    return f"{domain.upper()}\\{user}" if domain else user


def _permissions(permissions: list[Any]) -> Any:
    return VmomiSupport.GetVmodlType("vim.AuthorizationManager.Permission[]")(permissions)


def _all_permissions(context: Context, _this: Any, _arguments: Mapping[str, Any]) -> Any:
    return _permissions([_permission(context)])


def _entity_permissions(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    entity = arguments["entity"]
    context.inventory.find(entity)
    is_root = entity._GetMoId() == ROOT._GetMoId()  # noqa: SLF001  as above
    return _permissions([_permission(context)] if is_root or arguments.get("inherited") else [])


def _role_permissions(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    if arguments["roleId"] not in {role.roleId for role in _roles(context.privileges)}:
        raise vim.fault.NotFound(msg="The object or item referred to could not be found.")
    entry = _permission(context)
    return _permissions([entry] if entry.roleId == arguments["roleId"] else [])


def _has_on_entities(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    """The privileges of a session; only of one's own, because the lab has one account."""
    if arguments["sessionId"] != context.logged_in.key:
        raise no_permission(this, "Sessions.ImpersonateUser")
    return _availability(context, arguments["entity"], arguments.get("privId", []))


def _has_on_entity(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    (entry,) = _has_on_entities(context, this, {**arguments, "entity": [arguments["entity"]]})
    return VmomiSupport.GetVmodlType("bool[]")([one.isGranted for one in entry.privAvailability])


def _user_has_on_entities(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    return _availability(context, arguments["entities"], arguments.get("privId", []), user=arguments["userName"])


def _availability(context: Context, entities: list[Any], privileges: list[str], *, user: str | None = None) -> Any:
    held = _held(context, user)
    return VmomiSupport.GetVmodlType("vim.AuthorizationManager.EntityPrivilege[]")(
        [
            _Manager.EntityPrivilege(
                entity=context.inventory.find(entity).reference,
                privAvailability=[_Manager.PrivilegeAvailability(privId=one, isGranted=one in held) for one in privileges],
            )
            for entity in entities
        ]
    )


def _fetch(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    held = sorted(_held(context, arguments["userName"]))
    return VmomiSupport.GetVmodlType("vim.AuthorizationManager.UserPrivilegeResult[]")(
        [_Manager.UserPrivilegeResult(entity=context.inventory.find(one).reference, privileges=held) for one in arguments["entities"]]
    )


def _held(context: Context, user: str | None) -> frozenset[str]:
    """The privileges of a user; an unknown user has none. None means the user who sends the request."""
    mine = {context.logged_in.user.casefold(), _principal(context).casefold()}
    return context.privileges if user is None or user.casefold() in mine else frozenset()


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "HasPrivilegeOnEntities": _has_on_entities,
        "HasPrivilegeOnEntity": _has_on_entity,
        "HasUserPrivilegeOnEntities": _user_has_on_entities,
        "FetchUserPrivilegeOnEntities": _fetch,
        "RetrieveAllPermissions": _all_permissions,
        "RetrieveEntityPermissions": _entity_permissions,
        "RetrieveRolePermissions": _role_permissions,
    }
)
