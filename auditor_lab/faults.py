"""Faults on demand: of the connection, which every endpoint can have, and of the endpoint itself.

They can be changed while the lab serves: from Python (`server.faults`), or in a control file that is read again whenever it changes.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

OF_THE_WIRE = frozenset({"latency", "status", "drop", "lose", "truncate", "slow", "dribble", "garbage", "skew"})
_OF_VCENTERS = frozenset({"session", "permission", "deaf", "half", "stuck", "away"})
OF_ENDPOINTS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "vcenter": _OF_VCENTERS,
        "esxi": _OF_VCENTERS,
        "element": frozenset({"permission", "deaf", "half"}),  # it has neither sessions (Basic authentication) nor tasks
    }
)
_OF_AN_OPERATION = frozenset({"deaf", "half", "stuck", "away"})
_EVERY = "*"
_PERMISSIONS = ("read", "write")  # of an Element account


@dataclass(slots=True)
class Fault:
    """One fault that the lab injects.

    Attributes:
        kind: of the connection: latency (wait, then answer), status (answer with `status`), drop (close without an answer), lose (carry
            the request out, and answer nothing), truncate (announce the full length, send half), slow (send in small pieces), dribble
            (send letter after letter of a header, over SSH of the answer, without end), garbage (status 200 with nonsense), skew (a wrong
            clock: the Date header, and CurrentTime of a vCenter). Of the endpoint: session (every session ends before the request),
            permission (the account lacks `privilege`), deaf (a write is accepted and ignored), half (a write of several values writes the
            first half of them, then fails; a write of one value writes it, then fails), stuck (a task never ends), away (a host that
            RebootHost_Task reboots never comes back).
        operation: only for this operation (SOAP method, esxcli command, JSON-RPC method); "" means every one. Deaf, half, stuck
            and away are about a write, so they need one.
        seconds: for latency; for slow and dribble, the pause between two pieces; for skew, how far the clock is ahead, negative when it is
            behind.
        status: for status; 503 carries Retry-After.
        times: how often the fault occurs; None means always.
        containing: only for requests whose path or body contains this, for example the id of one host; empty means every one.
        privilege: for permission: a vCenter privilege such as Host.Config.Storage; for an Element account, read or write.
    """

    kind: str
    operation: str = ""
    seconds: float = 0.0
    status: int = 503
    times: int | None = None
    containing: bytes = b""
    privilege: str = ""


@dataclass(slots=True)
class Faults:
    """The faults of one server; they can be changed while it serves."""

    active: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, operation: str, body: bytes = b"") -> list[Fault]:
        """The faults that apply to this request; each is counted down."""
        hit = []
        with self._lock:
            for fault in self.active:
                if fault.operation not in ("", operation) or fault.times == 0 or fault.containing not in body:
                    continue
                if fault.times is not None:
                    fault.times -= 1
                hit.append(fault)
        return hit

    def replace(self, faults: list[Fault]) -> None:
        """Replace all faults."""
        with self._lock:
            self.active = faults


class FaultFile:
    """A control file: for each endpoint by name, or for "*", a list of faults.

    Args:
        path: the file.
        served: kind and faults of each endpoint by its name; see `auditor_lab.serving.served_by`.
    """

    def __init__(self, path: Path, served: Mapping[str, tuple[str, Faults]]) -> None:
        self._path = path
        self._served = served
        self._from_start = {name: list(held.active) for name, (_, held) in served.items()}  # the scenario's own, which stay
        self._read: tuple[int, ...] | None = None

    def refresh(self) -> bool:
        """Read the file if it is new or has changed; return whether it was read. After an error the faults stay as they were.

        Raises:
            ConfigurationError: the file cannot be read or has a mistake; raised once for each change of the file.
        """
        now = self._stamp()
        if now == self._read:
            return False
        self._read = now
        faults = load_faults(self._path, {name: kind for name, (kind, _) in self._served.items()})
        for name, (_, held) in self._served.items():
            held.replace([*self._from_start[name], *faults.get(name, [])])
        return True

    def _stamp(self) -> tuple[int, ...]:
        try:
            about = self._path.stat()
        except OSError:
            return ()  # loading it raises the error with its reason
        return (about.st_mtime_ns, about.st_size, about.st_ino)


def load_faults(path: Path, kinds: Mapping[str, str]) -> dict[str, list[Fault]]:
    """The faults of each endpoint in a control file.

    Args:
        path: the file.
        kinds: the kind of each endpoint by its name.

    Raises:
        ConfigurationError: the file has a mistake; the message names the line.
    """
    from auditor.errors import ConfigurationError
    from auditor.yaml.reading import load_yaml

    document = load_yaml(path, ConfigurationError, why=_WHY)
    try:
        return parse_faults(document.data, kinds)
    except FaultMistakeError as mistake:
        line = document.line(*mistake.at)
        raise ConfigurationError(f"{document.where(*mistake.at)}: {mistake.what}", why=_WHY, do=f"correct line {line}.") from mistake


_WHY = "the faults stay as they were."


class FaultMistakeError(Exception):
    """What is wrong with the description of a fault, and where: a path of keys and list places."""

    def __init__(self, at: tuple[str | int, ...], what: str) -> None:
        super().__init__(at, what)
        self.at = at
        self.what = what


def parse_faults(data: Mapping[str, Any], kinds: Mapping[str, str]) -> dict[str, list[Fault]]:
    """The faults of each endpoint, from a mapping of the names of endpoints, or "*", to lists of faults.

    Raises:
        FaultMistakeError: there is no such endpoint or fault, or a value of one is wrong.
    """
    faults: dict[str, list[Fault]] = {name: [] for name in kinds}
    for name, entries in data.items():
        if name != _EVERY and name not in kinds:
            raise _mistake(f'the lab serves no endpoint "{name}"', name, word=name, known=[*kinds, _EVERY])
        if not isinstance(entries, list):
            raise _mistake(f'"{name}" must be a list of faults', name)
        for place, entry in enumerate(entries):
            for one in kinds if name == _EVERY else (name,):
                # Each endpoint gets its own object, because each counts down separately.
                faults[one].append(_fault(entry, kinds[one], (name, place)))
    return faults


def _fault(entry: Any, endpoint_kind: str, at: tuple[str, int]) -> Fault:
    if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
        raise _mistake('a fault must be a mapping with a "kind"', *at)
    kind, known = entry["kind"], OF_THE_WIRE | OF_ENDPOINTS.get(endpoint_kind, frozenset())
    if kind not in known:
        raise _mistake(f'an endpoint of kind {endpoint_kind} has no fault "{kind}"', *at, "kind", word=kind, known=known)
    checks = _checks(kind, endpoint_kind)
    for key, value in entry.items():
        if key not in checks:
            raise _mistake(f'a fault has no "{key}"', *at, key, word=key, known=checks)
        wanted, good = checks[key]
        if not good(value):
            raise _mistake(f'"{key}" of {kind} must be {wanted}', *at, key)
    for needed in ("operation",) if kind in _OF_AN_OPERATION else ("privilege",) if kind == "permission" else ():
        if not entry.get(needed):
            raise _mistake(f'a fault of kind {kind} must name its "{needed}"', *at)
    return Fault(**{**entry, "containing": entry.get("containing", "").encode()})


def _checks(kind: str, endpoint_kind: str) -> dict[str, tuple[str, Any]]:
    """The allowed values of each key: a description for the message, and a function that checks one."""

    def number(value: Any) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and (value >= 0 or kind == "skew") and abs(value) < 1e9

    def privilege(value: Any) -> bool:
        return value in _PERMISSIONS if endpoint_kind == "element" else isinstance(value, str)

    text = ("text", lambda value: isinstance(value, str))
    checks = {
        "kind": text,
        "operation": text,
        "containing": text,
        "seconds": ("a number of seconds, not below 0 except for skew", number),
        "status": ("an HTTP status from 400 to 599", lambda value: type(value) is int and 400 <= value <= 599),
        "times": ("a whole number, 1 or more", lambda value: type(value) is int and value >= 1),
        "privilege": ("read or write" if endpoint_kind == "element" else "the name of a privilege", privilege),
    }
    assert checks.keys() == {one.name for one in fields(Fault)}  # noqa: S101  a field that nobody checks
    return checks


def _mistake(what: str, *at: str | int, word: str = "", known: Any = ()) -> FaultMistakeError:
    from auditor.yaml.reading import did_you_mean

    return FaultMistakeError(at, f"{what}{did_you_mean(word, known) if word else ''}")
