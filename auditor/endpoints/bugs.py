"""Bugs that show while an endpoint is read: that endpoint becomes a gap, and the audit goes on."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from auditor.errors import AuditorError, EndpointError
from auditor.model import Gap
from auditor.model.plugins import ends_the_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.model import Endpoint

T = TypeVar("T")
_PACKAGE = Path(__file__).parents[1]


def bug_gap(endpoint: Endpoint, what: str, bug: BaseException, plugin: str = "") -> Gap:
    """The gap that a bug leaves; `plugin` is the package, with its version, that reads the endpoint, "" where auditor itself does."""
    place = _places(bug)[-1] if bug.__traceback__ is not None else "an unknown place"
    if plugin:
        return Gap(endpoint.name, what, _of_plugin(plugin, bug))
    why = f"a bug in auditor stopped it: {type(bug).__name__} in {place}; please report it with the file bugs.txt of this run's snapshot"
    return Gap(endpoint.name, what, why)


def call_plugin(endpoint: str, plugin: str, call: Callable[[], T]) -> T:
    """What `call` returns. A bug of a plugin is an error of its endpoint, and does not end the work on others.

    Args:
        endpoint: the endpoint's name.
        plugin: the package, with its version, that the kind came with; "": auditor itself, whose bugs show their traceback.
        call: what the plugin is to do.

    Raises:
        EndpointError: a bug of the plugin; neither its message nor its values are shown, as they may hold a secret.
    """
    try:
        return call()
    except AuditorError:
        raise
    except BaseException as bug:
        if not plugin or ends_the_program(bug):
            raise
        what = f"endpoint {endpoint}: {_of_plugin(plugin, bug)}"
    # Outside the handler, so that the error does not carry the bug along.
    raise EndpointError(
        what,
        why="what it was to read, or to write, is not known.",
        do=f"install another release of {plugin.rpartition(' ')[0]}, or tell its author.",
    )


def _of_plugin(plugin: str, bug: BaseException) -> str:
    return f"a bug in {plugin} stopped it: {type(bug).__name__} in {_places(bug)[-1]}; tell the author of that package"


def bug_report(endpoint: Endpoint, bug: BaseException) -> str:
    """What to report of a bug: the kind of the endpoint, and where the exceptions were raised.

    Messages of exceptions and values of variables are left out: they may hold what the endpoint answered, or a secret.
    """
    return "\n".join([f"endpoint of kind {endpoint.kind}", *raised_in(bug)])


def raised_in(bug: BaseException) -> list[str]:
    """The kind of `bug` and of the exceptions that it came from, each with the lines that it passed; without their messages."""
    lines: list[str] = []
    for error in _chain(bug):
        lines += [f"{type(error).__module__}.{type(error).__qualname__}", *(f"  {place}" for place in _places(error))]
    return lines


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and those that it came from, the newest first."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _places(error: BaseException) -> list[str]:
    """The lines that an exception passed, the one that raised it last."""
    return [f"{_short(frame.filename)}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]


def _short(filename: str) -> str:
    path = Path(filename)
    return path.relative_to(_PACKAGE.parent).as_posix() if path.is_relative_to(_PACKAGE) else f"{path.parent.name}/{path.name}"
