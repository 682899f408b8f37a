"""Whether the accounts may make every planned change, asked before the first one; and the roles that a plan needs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor.apply.reboots import takes_reboot
from auditor.endpoints.vcenter.privileges import READ_ONLY, reads_of, vcenter_fixes, vcenter_steps
from auditor.errors import EndpointError, GuardError
from auditor.model.endpoint_kinds import endpoint_type, endpoint_types, is_array
from auditor.model.settings import Needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from auditor.endpoints.common.sessions import Sessions
    from auditor.model import Change, Endpoint, EndpointKind

_KINDS = {
    "host_id": "HostSystem",
    "datastore_id": "Datastore",
    "vm_id": "VirtualMachine",
    "pod_id": "StoragePod",
    "cluster_id": "ClusterComputeResource",
}
"""Key of a target -> the vSphere type of the object on which the privilege is held."""

_Wanted: TypeAlias = "Mapping[tuple[str, str], Mapping[str, tuple[str, str]]]"
"""(vSphere type, id) of an object -> privilege -> the object's name, and the remediator that needs it."""

_A_PAGE = 200  # objects that one request asks about
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Missing:
    """A privilege, or an array's role, that an account does not have on an object."""

    endpoint: str
    object_name: str
    privilege: str
    change: str  # the remediator that needs it

    def __str__(self) -> str:
        return f"{self.endpoint}: {self.privilege} on {self.object_name}, which {self.change} needs"


def check_privileges(changes: Sequence[Change], sessions: Sessions, *, reboots: bool) -> tuple[str, ...]:
    """Refuse a run in which an account may not make a change, before the first write: half a run is worse than none.

    Returns a sentence for each endpoint where it is not known what the account may do: the endpoint's own refusal is the answer then.

    Args:
        changes: those that are about to be made.
        sessions: with their endpoints.
        reboots: hosts are rebooted for the changes that take one.

    Raises:
        GuardError: a privilege is missing; it names each one and the object.
    """
    missing: list[Missing] = []
    unknown: list[str] = []
    for name, own in _by_endpoint(changes).items():
        is_vcenter = not is_array(sessions.endpoint(name).kind)
        wanted = _wanted(own, reboots=reboots)
        if is_vcenter and not wanted:
            continue
        try:
            session = sessions.session(name)
            found = _missing_on_vcenter(session, wanted) if is_vcenter else _missing_on_array(session, own)
        except EndpointError as error:
            found = f"{name}: what the account may change could not be read ({error.what})"
        if isinstance(found, str):
            unknown.append(f"{found}; the endpoint itself refuses what it may not.")
        else:
            missing += found
    if missing:
        raise _refused(missing)
    return tuple(unknown)


def _by_endpoint(changes: Iterable[Change]) -> Mapping[str, list[Change]]:
    by_endpoint: dict[str, list[Change]] = defaultdict(list)
    for change in changes:
        by_endpoint[change.target.endpoint].append(change)
    return by_endpoint


def needed_for(change: Change, *, reboots: bool) -> Mapping[str, Needed]:
    """What a change of a vCenter asks for: the remediator, and the steps of the reboot that goes with it; empty where nothing is known."""
    steps = vcenter_steps() if reboots and takes_reboot(change) else {}
    own = {change.remediator: vcenter_fixes()[change.remediator]} if change.remediator in vcenter_fixes() else {}
    return {**own, **steps}


def privileges_of(change: Change) -> list[str]:
    """What the account needs for one change, sorted: ids of vSphere privileges, or roles of an array's API (one of these is enough)."""
    kind = next((one for one in endpoint_types() if change.remediator in one.settings), None)
    if kind is not None and kind.is_array:
        return [f"role {name}" for name in sorted(kind.roles.write)]
    return sorted({one for needed in needed_for(change, reboots=True).values() for one in needed.privileges})


def _wanted(changes: Iterable[Change], *, reboots: bool) -> _Wanted:
    wanted: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
    for change in changes:
        for remediator, needed in needed_for(change, reboots=reboots).items():
            for privilege in needed.privileges:
                wanted.setdefault(_object_of(change), {}).setdefault(privilege, (_name_of(change), remediator))
    return wanted


def _missing_on_vcenter(session: Any, wanted: _Wanted) -> list[Missing]:
    from pyVmomi import vim

    from auditor.endpoints.vcenter.account import privileges_held
    from auditor.endpoints.vcenter.session import moid

    privileges = sorted({*READ_ONLY, *(one for each in wanted.values() for one in each)})
    held: dict[str, frozenset[str]] = {}
    objects, root = list(wanted), session.content.rootFolder
    for start in range(0, len(objects), _A_PAGE):
        page = [session.object(getattr(vim, kind), key) if kind else root for kind, key in objects[start : start + _A_PAGE]]
        held |= privileges_held(session, page, privileges)
    return [
        Missing(session.endpoint.name, name, privilege, remediator)
        for (_, key), each in wanted.items()
        for privilege, (name, remediator) in each.items()
        if privilege not in held.get(key or moid(root), frozenset())
    ]


def _object_of(change: Change) -> tuple[str, str]:
    """The vSphere type and id of what is written; ("", "") stands for the root folder."""
    keys = dict(change.target.keys)
    return next(((kind, keys[key]) for key, kind in _KINDS.items() if key in keys), ("", ""))


def _name_of(change: Change) -> str:
    on_host = "host_id" in dict(change.target.keys)
    return (change.resource.host if on_host else None) or change.resource.name


def _missing_on_array(session: Any, changes: Sequence[Change]) -> list[Missing] | str:
    """What an array's account lacks, by the roles it says it has; a sentence where these do not say."""
    endpoint: Endpoint = session.endpoint
    roles = endpoint_type(endpoint.kind).roles
    held = frozenset(name.strip().casefold() for name in (session.role() or "").split(",")) - {""}
    if held & roles.write:
        return []
    if held and held <= roles.read:
        wanted = " or ".join(sorted(roles.write))
        return [Missing(endpoint.name, endpoint.name, f"role {wanted}", change.remediator) for change in changes[:1]]
    return f"{endpoint.name}: its API does not say what the account may change"


def _refused(missing: Sequence[Missing]) -> GuardError:
    lines = [str(one) for one in missing[:_MOST_NAMED]]
    if len(missing) > _MOST_NAMED:
        lines.append(f"... and {len(missing) - _MOST_NAMED} more")
    return GuardError(
        "the accounts may not make every planned change:\n       " + "\n       ".join(lines),
        why="a run that ends half way leaves hosts of a cluster different; nothing was written.",
        do="add them to the role of the account (`auditor plan --privileges` gives the whole role), or leave these rules out with --only.",
    )


def roles_for(changes: Iterable[Change], endpoints: Mapping[str, Endpoint], *, reboots: bool = True) -> dict[str, Any]:
    """The roles that a plan needs, and the read-only role of the audit, as JSON that people and programs take.

    Of a vCenter: `audit`, all that is ever read, and `fix`, which adds what the changes need and is None without any. Each has `name`,
    `privileges` (ids of vSphere, sorted, without those of the system, which every role has) and the command lines `govc` and `powercli`
    that create it. `fix` has `sources`: who says so of each privilege, and whether that is verified. Of an array: the roles of its API.

    Args:
        changes: of the plan; several plans may be joined.
        endpoints: by name, as fleet.yaml has them; each gets an entry.
        reboots: hosts are rebooted for the changes that take one.
    """
    planned = _by_endpoint(changes)
    vcenters, arrays = [], []
    for name, endpoint in endpoints.items():
        if not is_array(endpoint.kind):
            own = _vcenter_roles(endpoint.kind, planned.get(name, ()), reboots=reboots)
            vcenters.append({"endpoint": name, "user": endpoint.username} | own)
            continue
        roles = endpoint_type(endpoint.kind).roles
        fix = sorted(roles.write) if name in planned else None  # any one of them
        about: dict[str, Any] = {"endpoint": name, "user": endpoint.username, "kind": endpoint.kind.value}
        arrays.append(about | {"audit": sorted(roles.read), "fix": fix, "source": roles.source})
    return {"version": 1, "vcenters": vcenters, "arrays": arrays}


def _vcenter_roles(kind: EndpointKind, changes: Sequence[Change], *, reboots: bool) -> dict[str, Any]:
    reading = {one for needed in reads_of(kind).values() for one in needed.privileges} - {*READ_ONLY}
    sources: dict[str, list[dict[str, Any]]] = {}
    for change in changes:
        for remediator, needed in needed_for(change, reboots=reboots).items():
            for privilege in needed.privileges:
                source = {"for": remediator, "source": needed.source, "verified": needed.verified}
                if source not in sources.setdefault(privilege, []):
                    sources[privilege].append(source)
    fix = _role("auditor-fix", reading | sources.keys()) | {"sources": dict(sorted(sources.items()))}
    return {"audit": _role("auditor-audit", reading), "fix": fix if changes else None}


def _role(name: str, privileges: Iterable[str]) -> dict[str, Any]:
    """Source: govmomi, `govc role.create NAME [PRIVILEGE]...`; PowerCLI, New-VIRole and Get-VIPrivilege -Id."""
    ids = sorted(privileges)
    quoted = ",".join(f"'{one}'" for one in ids)
    return {
        "name": name,
        "privileges": ids,
        "govc": " ".join(["govc role.create", name, *ids]),
        "powercli": f"New-VIRole -Name '{name}' -Privilege (Get-VIPrivilege -Id {quoted})",
    }
