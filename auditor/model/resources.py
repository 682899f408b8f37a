"""What verdicts and changes are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Scalar: TypeAlias = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Resource:
    """The object that a verdict is about."""

    kind: str  # the view a rule ranges over
    id: str  # unique within (kind, endpoint) and stable between runs
    name: str
    endpoint: str
    cluster: str | None  # vCenter cluster; None for array objects
    host: str | None  # host name; None where no single host is meant


@dataclass(frozen=True, slots=True)
class Target:
    """The place of one setting: the names and ids that a remediator needs to find it."""

    endpoint: str
    keys: tuple[tuple[str, str], ...]  # sorted (name, value), for example ("device", "naa.6f47...")

    def __getitem__(self, name: str) -> str:
        """The value of one key.

        Raises:
            KeyError: the target has no such key, because the rule's fix does not give it.
        """
        return dict(self.keys)[name]
