"""The double of an HPE 3PAR over HTTPS on loopback, and what the contract has to know of it."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor_hpe3par.lab import HOST, KEY, MATCHED, SERIAL, SYSTEM, ArrayDouble, fleet, host, layout, rule, vlun, volume

from auditor.contract import PASSWORD, USER, Example, serving_https
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.model import Endpoint
    from auditor_lab.wire import WireServer

__all__ = [
    "EXAMPLE",
    "HOST",
    "KEY",
    "KIND",
    "MATCHED",
    "SERIAL",
    "SYSTEM",
    "ArrayDouble",
    "fleet",
    "host",
    "layout",
    "rule",
    "vlun",
    "volume",
]

KIND = EndpointKind("hpe3par")


@dataclass(frozen=True, slots=True)
class Hpe3ParExample(Example):
    """The double behind a server of its own."""

    @contextmanager
    def served(self, folder: Path, *, timeout: float = 30.0, **changes: Any) -> Iterator[tuple[WireServer, Endpoint, dict[str, Any]]]:
        """As `Example.served`; `changes` goes to `ArrayDouble`."""
        double = ArrayDouble(USER, PASSWORD, **changes)
        with serving_https(KIND, folder, double.answer, double.operation, timeout=timeout) as (server, endpoint):
            server.array = double  # type: ignore[attr-defined]  # for `state`
            yield server, endpoint, {}


EXAMPLE = Hpe3ParExample(
    KIND,
    opening=("POST credentials", "GET system"),
    login="POST credentials",
    closing=("DELETE credentials",),
    refused="GET volumes",
    lost=frozenset({"volumes"}),
    volumes=5,
    state=lambda server: {name: json.dumps(members) for name, members in server.array.lists.items()},
)
