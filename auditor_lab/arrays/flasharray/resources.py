"""The resources under /api/2.x: their objects, the parameters that select some, and what may be changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor_lab.arrays.flasharray import performance, ports, records, small_resources, volumes
from auditor_lab.arrays.flasharray.array import ACCOUNT, PERSONALITIES, FlashArray, FlashArrayError

if TYPE_CHECKING:
    from auditor_lab.arrays.flasharray.array import Host

Change: TypeAlias = Callable[[FlashArray, Any, Mapping[str, Any]], Callable[[], None]]
Create: TypeAlias = Callable[[FlashArray, str, Mapping[str, Any]], Callable[[], None]]


@dataclass(frozen=True, slots=True)
class Selector:
    """A parameter that selects objects: the value of an object that it is compared with, and all values that exist."""

    kind: str
    of: Callable[[Any], str | None]
    known: Callable[[FlashArray], Collection[str]]


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource.

    Attributes:
        things: the objects, in the order in which they are answered.
        record: returns the REST object of one.
        selectors: by parameter.
        totals: whether answers carry `total`, as the recorded ones of this resource do.
        destroyable: whether the parameter `destroyed` exists; the lab has no destroyed objects.
        change: checks a PATCH of one object and returns a function that carries it out; None where the lab changes nothing.
        create: checks a POST of one name and returns a function that carries it out; None where the lab makes nothing.
        accepted: parameters that select nothing here, because the lab has no destroyed objects.
    """

    things: Callable[[FlashArray], Sequence[Any]]
    record: Callable[[FlashArray, Any], dict[str, Any]]
    selectors: Mapping[str, Selector] = field(default_factory=dict)
    totals: bool = False
    destroyable: bool = False
    change: Change | None = None
    create: Create | None = None
    accepted: tuple[str, ...] = ()


def change_host(_: FlashArray, held: Host, body: Mapping[str, Any]) -> Callable[[], None]:
    """Change a host's personality; an empty string unsets it. Hosts have no limits in REST 2.15.

    Source: the vendor's Python client, host_patch; the empty string as its Ansible module purefa_host writes it.
    """
    name = held.described.name
    volumes.only(body, {"personality"}, name)
    wanted = body["personality"]
    if wanted != "" and wanted not in PERSONALITIES:
        raise FlashArrayError("Invalid personality.", name)

    def carry_out() -> None:
        held.personality = wanted or None

    return carry_out


def _by_name(kind: str, things: Callable[[FlashArray], Sequence[Any]], name: Callable[[Any], str]) -> dict[str, Selector]:
    return {"names": Selector(kind, name, lambda state: {name(one) for one in things(state)})}


def _by_id(kind: str, things: Callable[[FlashArray], Sequence[Any]]) -> dict[str, Selector]:
    return {"ids": Selector(kind, lambda one: str(one.id), lambda state: {one.id for one in things(state)})}


def _name(thing: Any) -> str:
    return str(thing.name)


def _host_name(thing: Any) -> str:
    return str(thing.described.name)


def _volumes(state: FlashArray) -> Sequence[Any]:
    return tuple(state.volumes.values())


def _tagged(state: FlashArray) -> Sequence[Any]:
    return tuple(volume for volume in state.volumes.values() if volume.vvol_id is not None)


def _groups(state: FlashArray) -> Sequence[Any]:
    return tuple(state.groups.values())


def _hosts(state: FlashArray) -> Sequence[Any]:
    return tuple(state.hosts.values())


def _host_groups(state: FlashArray) -> Sequence[Any]:
    return state.description.host_groups


def _realms(state: FlashArray) -> Sequence[Any]:
    return list(state.description.realms)


def _pods(state: FlashArray) -> Sequence[Any]:
    return state.description.pods


_IGNORED = ("destroyed", "resource_destroyed", "vm_type")


def _nothing(_: FlashArray) -> Sequence[Any]:
    return ()


def _same(fields: dict[str, Any], _state: FlashArray, _thing: object) -> dict[str, Any]:
    return dict(fields)


def _array(state: FlashArray) -> Sequence[Any]:
    return (state.description,)


def _admins(_: FlashArray) -> Sequence[Any]:
    return (ACCOUNT,)


def _controllers(_: FlashArray) -> Sequence[Any]:
    return ("CT0", "CT1")


_VOLUMES = {**_by_name("Volume", _volumes, _name), **_by_id("Volume", _volumes)}
_GROUPS = {**_by_name("Volume group", _groups, _name), **_by_id("Volume group", _groups)}
_PODS = _by_name("Pod", _pods, _name)
_HOSTS = _by_name("Host", _hosts, _host_name)
_CONNECTIONS = {
    "host_names": Selector("Host", lambda one: one.host, lambda state: state.hosts),
    "host_group_names": Selector("Host group", lambda one: one.host_group, lambda state: state.description.host_groups),
    "volume_names": Selector("Volume", lambda one: one.volume.name, lambda state: state.volumes),
    "volume_ids": Selector("Volume", lambda one: one.volume.id, _VOLUMES["ids"].known),
    "protocol_endpoint_names": Selector("Volume", lambda one: one.endpoint and one.endpoint.name, lambda state: state.volumes),
    "protocol_endpoint_ids": Selector("Volume", lambda one: one.endpoint and one.endpoint.id, _VOLUMES["ids"].known),
}

_TAGGED_VOLUMES = {
    "resource_names": Selector("Volume", _name, _VOLUMES["names"].known),
    "resource_ids": Selector("Volume", lambda one: str(one.id), _VOLUMES["ids"].known),
}


def _alerts(state: FlashArray) -> Sequence[Any]:
    return state.description.alerts


RESOURCES: Mapping[str, Resource] = {
    "alerts": Resource(_alerts, small_resources.alert),
    "admins": Resource(_admins, records.admin, _by_name("Administrator", _admins, str)),
    "arrays": Resource(_array, records.array),
    **{path: Resource(_nothing, records.nothing, accepted=(*_IGNORED, "names")) for path in small_resources.WITHOUT_OBJECTS},
    **{path: Resource(_array, partial(_same, fields)) for path, fields in small_resources.WITHOUT_FIELDS.items()},
    "arrays/space": Resource(_array, small_resources.array_space),
    "hosts/performance/balance": Resource(
        small_resources.host_balance,
        small_resources.balance,
        {"names": Selector("Host", lambda one: _host_name(one[0]), lambda state: set(state.hosts))},
    ),
    "arrays/performance": Resource(_array, performance.of_array),
    "connections": Resource(lambda state: state.connections, records.connection, _CONNECTIONS),
    "controllers": Resource(_controllers, records.controller, _by_name("Controller", _controllers, str)),
    "host-groups": Resource(_host_groups, records.host_group, _by_name("Host group", _host_groups, str)),
    "hosts": Resource(_hosts, records.host, _HOSTS, change=change_host),
    "hosts/performance": Resource(_hosts, performance.of_host, _HOSTS, totals=True),
    "network-interfaces": Resource(
        lambda state: ports.interfaces(state.description),
        ports.network_interface,
        _by_name("Network interface", lambda state: ports.interfaces(state.description), _name),
    ),
    "pods": Resource(_pods, records.pod, _PODS, totals=True, destroyable=True),
    "pods/performance": Resource(_pods, performance.of_pod, _PODS, totals=True, destroyable=True),
    "ports": Resource(
        lambda state: ports.target_ports(state.description),
        ports.port,
        _by_name("Port", lambda state: ports.target_ports(state.description), lambda one: one.name.upper()),
    ),
    "realms": Resource(_realms, records.realm, _by_name("Realm", _realms, str)),
    "volume-groups": Resource(_groups, records.volume_group, _GROUPS, totals=True, destroyable=True, change=volumes.change_limits),
    "volume-groups/performance": Resource(_groups, performance.of_volume_group, _GROUPS, totals=True, destroyable=True),
    "volumes": Resource(_volumes, records.volume, _VOLUMES, totals=True, destroyable=True, change=volumes.change, create=volumes.create),
    "volumes/tags": Resource(
        _tagged,
        records.volume_tag,
        {"namespaces": Selector("Namespace", lambda _: records.VASA_NAMESPACE, lambda _: {records.VASA_NAMESPACE}), **_TAGGED_VOLUMES},
        accepted=("resource_destroyed",),
    ),
    "volumes/performance": Resource(_volumes, performance.of_volume, _VOLUMES, totals=True, destroyable=True),
}
