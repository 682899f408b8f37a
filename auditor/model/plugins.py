"""Kinds of arrays that come with other packages: how they are found, and what makes one of them unfit.

A package names each kind that it gives as an entry point of `GROUP`: `acme = "auditor_acme:TYPE"`. The package is imported when a fleet
has such a kind, or when all kinds are asked for, as judging does for the families of devices. Whatever is wrong with a plugin is a `Fault`
of its kind, and costs nothing else.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.model.endpoint_type import CONTRACT, IMPORT_SECONDS, EndpointType, Family, Fault
from auditor.model.endpoints import EndpointKind
from auditor.model.plugin_families import KIND_FORM, family_mistakes
from auditor.model.plugin_shape import wrong_fields
from auditor.model.timed import TookTooLongError, within

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

GROUP = "auditor.endpoints"
_LONGEST_ENTRY_POINTS = 1 << 20  # bytes
"""The group of entry points by which packages name their kinds."""

_NOT_READ = "its endpoints are not read, and what needs their facts is unknown; all other endpoints are read."
_MOST_SHOWN = 200  # characters of what an exception of somebody else's says


@dataclass(frozen=True, slots=True)
class Plugin:
    """A kind that an installed package gives.

    Attributes:
        kind: as fleet.yaml names it.
        place: where its TYPE is, as "package:TYPE".
        distribution: the package's name and its version.
        fault: why it is not even imported; None: nothing is known to be wrong.
    """

    kind: str
    place: str
    distribution: str
    fault: Fault | None = None


@cache
def plugin_kinds() -> Mapping[str, Plugin]:
    """The kinds that installed packages give, by name; none of them is imported. A name that is auditor's own is left out."""
    own = {kind.value for kind in EndpointKind}
    return MappingProxyType({name: plugin for name, plugin in sorted(_found().items()) if name not in own})


def shadowed() -> tuple[Fault, ...]:
    """What is wrong with packages that give a kind which is auditor's own; they are not used."""
    own = {kind.value for kind in EndpointKind}
    return tuple(
        Fault(
            f'{plugin.distribution} gives the kind "{name}", which is auditor\'s own',
            "it is not used: that kind is read by auditor itself, as without the package.",
            "uninstall the package, or ask its author for another name of the kind.",
        )
        for name, plugin in sorted(_found().items())
        if name in own
    )


@cache
def _found() -> Mapping[str, Plugin]:
    if not _may_be_any():
        return {}
    by_name: dict[str, set[tuple[str, str]]] = {}
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP):
        by_name.setdefault(point.name, set()).add((_distribution(point), f"{point.module}:{point.attr}"))
    return {name: _plugin(name, sorted(given)) for name, given in by_name.items()}


def _may_be_any() -> bool:
    """Whether a package may name a kind. To ask importlib takes three times as long, mostly for nothing."""
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True
    for folder in sys.path:
        try:
            with os.scandir(folder or ".") as entries:
                about = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
        except FileNotFoundError:
            continue
        except OSError:  # an archive, for example, may hold packages
            return True
        if any(GROUP.encode() in _text_of(f"{one}/entry_points.txt") for one in about):
            return True
    return False


def _text_of(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  a Path for each of hundreds of packages takes as long as to read them
            return file.read(_LONGEST_ENTRY_POINTS)
    except OSError:
        return b""


def _distribution(point: Any) -> str:
    about = point.dist
    return "an unknown package" if about is None else f"{about.name} {about.version}"


def _plugin(name: str, given: list[tuple[str, str]]) -> Plugin:
    distributions = " and ".join(distribution for distribution, _ in given)
    fault = None
    if len(given) > 1:
        fault = Fault(
            f'{len(given)} packages give the kind "{name}": {distributions}',
            f"none of them is used, as it would be chance which one: {_NOT_READ}",
            f"uninstall all but one of them: {distributions}.",
        )
    elif not re.fullmatch(KIND_FORM, name):
        fault = Fault(
            f'{distributions} calls its kind "{name}"',
            f"the name of a kind is of small letters, digits and single hyphens: {_NOT_READ}",
            "ask the author of the package for a release with another name.",
        )
    return Plugin(name, given[0][1], distributions, fault)


def without_plugin(kind: EndpointKind, topics: tuple[str, ...]) -> EndpointType:
    """A kind that no installed package gives, as of an old run whose plugin is gone; it has `topics`, and none of them can be read."""
    fault = Fault(
        f'no installed package gives the kind "{kind.value}"',
        _NOT_READ,
        f"install its plugin into the environment of this auditor; `auditor doctor` names those that are there ({GROUP}).",
    )
    return _unusable(kind, topics, fault, "")


def loaded(plugin: Plugin, kind: EndpointKind, topics: tuple[str, ...], own_kinds: Collection[EndpointType]) -> EndpointType:
    """The TYPE of `plugin`, whose package is imported now; one with a `fault` where it cannot be used.

    Args:
        plugin: as it was found.
        kind: its kind.
        topics: those that arrays have.
        own_kinds: the kinds that come with auditor.
    """
    found = plugin.fault or _imported(plugin)
    if isinstance(found, Fault):
        return _unusable(kind, topics, found, plugin.distribution)
    try:
        wrong = next(_mistakes(found, kind, topics, own_kinds), None)
    except Exception as error:  # noqa: BLE001  a value of another type may raise anything; it costs its own endpoints
        wrong = f"has a TYPE with a value that is none of its kind: {type(error).__name__}: {_first_line(error)}"
    if wrong is not None:
        return _unusable(kind, topics, _fault(plugin, wrong), plugin.distribution)
    usable: EndpointType = found
    return replace(usable, kind=kind, package=plugin.place.partition(":")[0], plugin=plugin.distribution, fault=None)


def _imported(plugin: Plugin) -> Any:
    module, _, attribute = plugin.place.partition(":")
    try:
        with redirect_stdout(sys.stderr):  # what it prints would stand before a report, which programs read
            package = within(IMPORT_SECONDS, lambda: import_module(module))
            found = getattr(package, attribute)
    except TookTooLongError:
        return _fault(plugin, f"was not imported within {IMPORT_SECONDS:g} s")
    except BaseException as error:
        if ends_the_program(error):
            raise
        return _fault(plugin, f"cannot be imported: {type(error).__name__}: {_first_line(error)}".rstrip(": "))
    if not isinstance(found, EndpointType):
        return _fault(plugin, f"names {plugin.place}, which is no EndpointType but {type(found).__name__}")
    if not hasattr(package, "__path__"):
        return _fault(plugin, f"names {plugin.place}: TYPE must stand in a package, beside the modules that it names")
    return found


def ends_the_program(error: BaseException) -> bool:
    """Whether what came out of a plugin's code is no bug of it, but the end of this program: Ctrl-C, or a stop of auditor's own.

    All else costs the plugin's endpoints. `sys.exit` would end an audit with any exit code, also with that of a healthy fleet, and what a
    library made in another language raises need be no Exception either.
    """
    if isinstance(error, Exception | SystemExit):
        return False
    return isinstance(error, KeyboardInterrupt) or type(error).__module__.partition(".")[0] == __name__.partition(".")[0]


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0][:_MOST_SHOWN]


def _fault(plugin: Plugin, wrong: str) -> Fault:
    return Fault(
        f'{plugin.distribution}, which gives the kind "{plugin.kind}", {wrong}',
        _NOT_READ,
        f"install another release of {plugin.distribution.rpartition(' ')[0]}, or tell its author; `auditor doctor` shows what is used.",
    )


def _mistakes(one: EndpointType, kind: EndpointKind, topics: Collection[str], own_kinds: Iterable[EndpointType]) -> Iterator[str]:
    """What is wrong with a plugin's TYPE, in words that follow the name of its package."""
    if one.contract != CONTRACT:
        asked = "none" if one.contract is None else str(one.contract)
        yield f"is written for contract {asked}, and this auditor has contract {CONTRACT}"
    if one.kind != kind.value:
        yield f'says in its TYPE that it is of the kind "{one.kind}"'
    yield from wrong_fields(one)
    if one.family is None:
        yield "has no family: a plugin gives a kind of storage array"
    if one.settings_of is not None or one.steps or one.is_incremental:
        yield "uses settings_of, steps or is_incremental, which are for kinds of auditor itself"
    if unknown := sorted(set(one.topics) - set(topics)):
        yield f"reports topics that no table is for: {', '.join(unknown)}"
    if not one.topics:
        yield "reports no topic"
    prefix = f"{kind.value.replace('-', '_')}."
    if foreign := sorted(name for name in one.settings if not name.startswith(prefix)):
        yield f'has settings whose names do not begin with "{prefix}": {", ".join(foreign)}'
    if one.family is not None:
        yield from family_mistakes(one.family, [each.family for each in own_kinds if each.family is not None])


def _unusable(kind: EndpointKind, topics: tuple[str, ...], fault: Fault, distribution: str) -> EndpointType:
    family = Family(kind.value, kind.value, (), (), ())
    return EndpointType(kind, "", "", topics, family=family, plugin=distribution, fault=fault)
