"""The double of an Example Array: what it answers, over HTTPS on loopback; and what the contract has to know of it."""

from __future__ import annotations

import base64
import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from auditor.contract import PASSWORD, USER, Example, SettingChange, serving_https
from auditor.model import EndpointKind, Target
from auditor_lab.wire import Answer, Request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.model import Endpoint
    from auditor_lab.wire import WireServer

KIND = EndpointKind("example-array")
SERIAL = "EX0001"
_LOGIN = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


class ArrayDouble:
    """An array with that many volumes, of which the second has no ceiling."""

    def __init__(self, volumes: int = 150, *, may_write: bool = True) -> None:
        self.may_write = may_write
        self.ignores_writes = False
        self.volumes: dict[str, dict[str, Any]] = {
            f"v{number}": {
                "id": f"v{number}",
                "name": f"lun {number}",
                "naa": f"6e0a44a7000000000000{SERIAL[-4:]}{number:08x}",
                "state": "online",
                "size_bytes": 1 << 40,
                "iops_limit": 0 if number == 2 else 1000,
            }
            for number in range(1, volumes + 1)
        }

    def operation(self, request: Request) -> str:
        """What the contract calls a request: its method and the list that it is about."""
        return f"{request.method} {urlsplit(request.path).path.removeprefix('/api/v1/').partition('/')[0]}"

    def answer(self, request: Request) -> Answer:
        """The answer to one request."""
        if request.headers.get("authorization") != _LOGIN:
            return _json({"error": "who are you?"}, 401)
        parts = urlsplit(request.path)
        what, _, key = parts.path.removeprefix("/api/v1/").partition("/")
        if what == "array":
            return _json({"name": "ex-1", "serial": SERIAL, "version": "1.4"})
        if what != "volumes" or (key and key not in self.volumes):
            return _json({"error": "no such thing"}, 404)
        if request.method == "PATCH":
            return self._patched(key, json.loads(request.body))
        if key:
            return _json(self.volumes[key])
        query = parse_qs(parts.query)
        first, most = int(query["offset"][0]), int(query["limit"][0])
        return _json({"total": len(self.volumes), "items": list(self.volumes.values())[first : first + most]})

    def _patched(self, key: str, body: dict[str, Any]) -> Answer:
        if not self.may_write:
            return _json({"error": "your role may not"}, 403)
        if not self.ignores_writes:
            self.volumes[key] |= body
        return _json({})


def _json(value: object, status: int = 200) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json", status)


@dataclass(frozen=True, slots=True)
class ExampleArrayExample(Example):
    """The double behind a server of its own."""

    @contextmanager
    def served(self, folder: Path, *, timeout: float = 30.0, **changes: Any) -> Iterator[tuple[WireServer, Endpoint, dict[str, Any]]]:
        """As `Example.served`; what the contract changes goes to `ArrayDouble`."""
        double = ArrayDouble(**changes)
        with serving_https(KIND, folder, double.answer, double.operation, timeout=timeout) as (server, endpoint):
            server.array = double  # type: ignore[attr-defined]  # for `state` and `ignore`
            yield server, endpoint, {}


def _ignore(server: Any, _write: str) -> None:
    server.array.ignores_writes = True


def _change(volume: str, before: int | None, after: int | None, what: str) -> SettingChange:
    target = Target("array-1", (("volume_id", volume),))
    return SettingChange("example_array.volume_limit", target, before, after, "PATCH volumes", what)


EXAMPLE = ExampleArrayExample(
    KIND,
    opening=("GET array",),
    login="GET array",
    refused="GET volumes",
    lost=frozenset({"volumes"}),
    paged="GET volumes",
    volumes=150,
    state=lambda server: {name: volume["iops_limit"] for name, volume in server.array.volumes.items()},
    changes=(
        _change("v1", 1000, 5000, "a ceiling raised"),
        _change("v1", 1000, None, "a ceiling lifted"),
        _change("v2", None, 900, "a first ceiling"),
    ),
    read_only={"may_write": False},
    ignore=_ignore,
)
