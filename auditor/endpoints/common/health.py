"""The health of one object as its endpoint reports it; it must not get worse while a fix goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

CONNECTION, PATHS, VOLUMES, ALARMS, ABORTS, LATENCY = "connection", "paths", "volumes", "alarms", "aborts and resets", "latency"
CONTROLLERS, ARRAY_VOLUMES, ARRAY_LATENCY = "controllers", "volumes of the array", "latency of the array"


@dataclass(frozen=True, slots=True)
class Health:
    """The health of one object at one moment, by gate.

    A gate that is in none of these was not asked, and is in `unknown` where it was to be.

    Attributes:
        name: of the object, for people.
        good: what must not go away: usable paths, accessible volumes.
        bad: what must not come: red alarms, each in words.
        figures: what must not rise: latency in ms, the share of samples with aborts or resets; and what is said beside them.
        unknown: gates that could not be read, and why.
        machines: ids of the virtual machines on a host, whose load its latency is; None where that is not known, or it is no host.
    """

    name: str
    good: Mapping[str, frozenset[str]] = field(default_factory=dict)
    bad: Mapping[str, frozenset[str]] = field(default_factory=dict)
    figures: Mapping[str, float] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)
    machines: frozenset[str] | None = None
