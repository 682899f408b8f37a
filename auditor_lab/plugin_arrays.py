"""The doubles of arrays that installed plugins bring for the lab, by the group of entry points "auditor.lab"."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from auditor.model import EndpointKind
from auditor.model.plugins import plugin_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor_lab.wire import Answer, Request

GROUP = "auditor.lab"


class Double(Protocol):
    """An array that a plugin reads; made with the user name and the password of its only account."""

    name: str

    def answer(self, request: Request) -> Answer:
        """The answer to one request; called from many threads at once."""

    def operation(self, request: Request) -> str:
        """The name of a request's operation, which faults are selected by."""


class MakeDouble(Protocol):
    """What an entry point of GROUP names, under the name of its kind."""

    def __call__(self, username: str, password: str) -> Double:
        """A double with this account."""


def plugin_arrays() -> Mapping[EndpointKind, MakeDouble]:
    """What makes the double of each kind that an installed plugin gives; a package that names a double which it does not have has none."""
    if not plugin_kinds():
        return {}
    from importlib.metadata import entry_points

    found = {}
    for one in entry_points(group=GROUP):
        if one.name in plugin_kinds():
            with suppress(ImportError, AttributeError):
                found[EndpointKind(one.name)] = one.load()
    return found
