"""The registry of endpoint kinds: all that others need to know of a kind, before anything of its client is imported.

`auditor.model.EndpointKind` lists the kinds that come with auditor. Each has a folder below `auditor.endpoints`, named by its value, whose
`__init__` holds one value, `TYPE`. That is data alone: clients, collectors and settings stand in it as "module:name" within the folder, and
are imported when they are first used. So facts, fleet.yaml and the doctor may ask what a kind is like, and import neither pyVmomi nor httpx
nor asyncssh. A kind may share settings and modules with another one: what `settings_of` and a name with a dot in front say.

Any other text may name a kind too. `auditor.model.plugins` looks for it among the packages that are installed, and not before somebody asks
for such a kind, or for all kinds.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.model import EndpointKind
from auditor.model.endpoint_type import (
    CONTRACT,
    DEVICE_NAMES,
    MULTIPATH_TOOLS,
    NO_ROLES,
    NVME_NAMES,
    EndpointType,
    Family,
    Fault,
    Roles,
    folder_of,
    nvme_inquiry,
)
from auditor.model.plugins import loaded, plugin_kinds, shadowed, without_plugin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "CONTRACT",
    "DEVICE_NAMES",
    "MULTIPATH_TOOLS",
    "NO_ROLES",
    "NVME_NAMES",
    "EndpointType",
    "Family",
    "Fault",
    "Roles",
    "endpoint_type",
    "endpoint_types",
    "is_array",
    "is_known",
    "nvme_inquiry",
    "package_types",
    "plugin_faults",
    "plugin_types",
]


def endpoint_type(kind: EndpointKind) -> EndpointType:
    """What is registered for `kind`; for a kind whose plugin cannot be used, one with a `fault`."""
    own = _types().get(kind)
    return _plugin_type(kind) if own is None else own


def is_array(kind: str) -> bool:
    """Whether endpoints of that kind, an `EndpointKind` or the text of one, are storage arrays; the others have the hosts."""
    return endpoint_type(EndpointKind(kind)).is_array


def is_known(kind: str) -> bool:
    """Whether auditor or an installed package has a kind of that name; no package is imported."""
    return any(kind == one.value for one in EndpointKind) or kind in plugin_kinds()


def package_types() -> tuple[EndpointType, ...]:
    """Every kind that comes with auditor, in the order of `EndpointKind`."""
    return tuple(_types().values())


def plugin_types() -> Iterator[EndpointType]:
    """Every kind of an installed package that can be used, by name; they are imported now."""
    types = (_plugin_type(EndpointKind(kind)) for kind in plugin_kinds())
    return (one for one in types if one.fault is None)


def plugin_faults() -> tuple[Fault, ...]:
    """Why kinds that installed packages give cannot be used; their packages are imported now."""
    faults = (_plugin_type(EndpointKind(kind)).fault for kind in plugin_kinds())
    return (*shadowed(), *(fault for fault in faults if fault is not None))


def endpoint_types() -> Iterator[EndpointType]:
    """Every kind that can be used: those of `package_types`, then those of `plugin_types`, which are imported when it is their turn."""
    yield from package_types()
    yield from plugin_types()


@cache
def _types() -> Mapping[EndpointKind, EndpointType]:
    return MappingProxyType({kind: import_module(folder_of(kind)).TYPE for kind in EndpointKind})


@cache
def _plugin_type(kind: EndpointKind) -> EndpointType:
    """The kind by its plugin, or with a fault that says why there is none; then it has all topics, so that none of them counts as read."""
    plugin = plugin_kinds().get(kind.value)
    topics = tuple(dict.fromkeys(topic for one in package_types() if one.is_array for topic in one.topics))
    return without_plugin(kind, topics) if plugin is None else loaded(plugin, kind, topics, package_types())
