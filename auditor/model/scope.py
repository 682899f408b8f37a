"""What one audit was about: which fleet, how much of it was read, by how many of the rules it was judged, and what narrowed it."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_GLOBS = str.maketrans("", "", "*?![]")
_DIGITS = 16
_EVERYTHING = "--tag all"
"""It widens: rules that are judged on request only are judged as well."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What an audit was about.

    Attributes:
        fleet: who the endpoints of fleet.yaml are, as a short digest (`fleet_identity`); None of a saved snapshot.
        fleet_name: the name of the fleet's file, or of the saved snapshot's folder.
        endpoints: the names of those that were to be read, in the order of fleet.yaml.
        endpoints_of: how many fleet.yaml has.
        rules: by how many was judged.
        rules_of: how many there are, those on request and of the user's own among them.
        options: what narrowed it, each as one would type it ("--cluster prod-*"), sorted; empty: nothing did.
    """

    fleet: str | None
    fleet_name: str
    endpoints: tuple[str, ...]
    endpoints_of: int
    rules: int
    rules_of: int
    options: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A short digest that is the same for audits of one fleet that were narrowed alike: these can be compared with each other.

        Waivers are not in it, nor the number of rules: an upgrade, or a waiver more, is something that a comparison is to show.
        """
        # Snapshots have no fleet, and one must not be compared with another as if they were one.
        return _digest([self.fleet or f"snapshot {self.fleet_name}", *self.options])

    @property
    def is_narrow(self) -> bool:
        """Whether an option left anything out."""
        return any(option != _EVERYTHING for option in self.options)

    def sentence(self) -> str:
        """How much was looked at, and by which options: "12 of 116 rules, 2 of 18 endpoints: --tag vvol --endpoint vc-*"."""
        counts = f"{self.rules} of {self.rules_of} rules, {len(self.endpoints)} of {self.endpoints_of} endpoints"
        return f"{counts}: {' '.join(self.options)}" if self.options else counts


def option_texts(values: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Each option with each of its values, as one would type it, sorted; `values` has the values by option, for example "--tag".

    A value has quotation marks where a shell would take it apart. A glob has none, so that it reads well.
    """
    return tuple(sorted({f"{option} {_typed(value)}" for option, given in values.items() for value in given}))


def fleet_identity(identities: Iterable[str]) -> str:
    """Who a fleet is: a digest of who its endpoints are, in whatever order they are listed."""
    return _digest(sorted(identities))


def _typed(value: str) -> str:
    return value if value.translate(_GLOBS) == shlex.quote(value.translate(_GLOBS)) else shlex.quote(value)


def _digest(parts: list[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:_DIGITS]
