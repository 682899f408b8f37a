"""Troubles on demand: of the wire, which every endpoint can have, and of the endpoint itself, where it has what can go wrong.

They are changed while the lab serves: from Python (`server.faults`), or by a control file that is read again whenever it changes.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.yaml import YamlDocument

OF_THE_WIRE = frozenset({"latency", "status", "drop", "lose", "truncate", "slow", "garbage", "skew"})
OF_ENDPOINTS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "vcenter": frozenset({"session", "permission", "deaf", "half", "stuck"}),
        "element": frozenset({"permission", "deaf", "half"}),  # Basic authentication has no sessions, and nothing the lab has is a task
    }
)
_OF_AN_OPERATION = frozenset({"deaf", "half", "stuck"})
_EVERY = "*"
_PERMISSIONS = ("read", "write")  # of an Element account


@dataclass(slots=True)
class Fault:
    """One kind of trouble.

    Attributes:
        kind: on the wire: latency (wait, then answer), status (answer `status` instead), drop (close without an answer), lose (answer
            nothing after the endpoint has done what was asked), truncate (declare the whole length, send half), slow (dribble), garbage
            (200 with nonsense), skew (a clock that is wrong: Date header, and CurrentTime of a vCenter). In the endpoint: session (every
            session is lost before the request), permission (the account lacks `privilege`), deaf (a write is accepted and ignored), half
            (a write of several values does the first half of them, of one does it, and fails), stuck (a task never ends).
        operation: only for this operation (SOAP method, esxcli command, JSON-RPC method); "" means every one. Deaf, half and stuck mean a
            write, so name it.
        seconds: for latency, for slow between two pieces, and for skew: how far the clock is ahead, negative when it is behind.
        status: for status; 503 carries Retry-After.
        times: how often before it is over; None means always.
        containing: only for requests whose path or body holds this, for example the id of one host; empty means every one.
        privilege: for permission: a vCenter's privilege such as Host.Config.Storage; of an Element account, read or write.
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
    """The troubles of one server, to be changed while it serves."""

    active: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, operation: str, body: bytes = b"") -> list[Fault]:
        """The faults that hit this request; counts them down."""
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
        """Have these from now on, and no others."""
        with self._lock:
            self.active = faults


class FaultFile:
    """A control file: for each endpoint by name, or for "*", a list of faults.

    Args:
        path: the file.
        served: kind and faults of each endpoint by its name; see `auditor.lab.serving.served_by`.
    """

    def __init__(self, path: Path, served: Mapping[str, tuple[str, Faults]]) -> None:
        self._path = path
        self._served = served
        self._read: tuple[int, ...] | None = None

    def refresh(self) -> bool:
        """Read the file if it is new or has changed; whether it was read. With a mistake in it everything stays as it was.

        Raises:
            ConfigurationError: it cannot be read, or what it says makes no sense; told once for each change of the file.
        """
        now = self._stamp()
        if now == self._read:
            return False
        self._read = now
        faults = load_faults(self._path, {name: kind for name, (kind, _) in self._served.items()})
        for name, (_, held) in self._served.items():
            held.replace(faults.get(name, []))
        return True

    def _stamp(self) -> tuple[int, ...]:
        try:
            about = self._path.stat()
        except OSError:
            return ()  # loading it tells why
        return (about.st_mtime_ns, about.st_size, about.st_ino)


def load_faults(path: Path, kinds: Mapping[str, str]) -> dict[str, list[Fault]]:
    """The faults of each endpoint as a control file tells them.

    Args:
        path: the file.
        kinds: of the endpoints there are, by name.

    Raises:
        ConfigurationError: names the line.
    """
    from auditor.errors import ConfigurationError
    from auditor.yaml import load_yaml

    document = load_yaml(path, ConfigurationError, why=_WHY)
    found: dict[str, list[Fault]] = {name: [] for name in kinds}
    for name, entries in document.data.items():
        if name != _EVERY and name not in kinds:
            raise _mistake(document, f'the lab serves no endpoint "{name}"', name, word=name, known=[*kinds, _EVERY])
        if not isinstance(entries, list):
            raise _mistake(document, f'"{name}" must be a list of faults', name)
        for place, entry in enumerate(entries):
            for one in kinds if name == _EVERY else (name,):
                # One object for each endpoint: they count down by themselves.
                found[one].append(_fault(document, entry, kinds[one], (name, place)))
    return found


_WHY = "the faults stay as they were."


def _fault(document: YamlDocument, entry: Any, endpoint_kind: str, at: tuple[str, int]) -> Fault:
    if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
        raise _mistake(document, 'a fault must be a mapping with a "kind"', *at)
    kind, known = entry["kind"], OF_THE_WIRE | OF_ENDPOINTS.get(endpoint_kind, frozenset())
    if kind not in known:
        raise _mistake(document, f'an endpoint of kind {endpoint_kind} has no fault "{kind}"', *at, "kind", word=kind, known=known)
    checks = _checks(kind, endpoint_kind)
    for key, value in entry.items():
        if key not in checks:
            raise _mistake(document, f'a fault has no "{key}"', *at, key, word=key, known=checks)
        wanted, good = checks[key]
        if not good(value):
            raise _mistake(document, f'"{key}" of {kind} must be {wanted}', *at, key)
    for needed in ("operation",) if kind in _OF_AN_OPERATION else ("privilege",) if kind == "permission" else ():
        if not entry.get(needed):
            raise _mistake(document, f'a fault of kind {kind} must name its "{needed}"', *at)
    return Fault(**{**entry, "containing": entry.get("containing", "").encode()})


def _checks(kind: str, endpoint_kind: str) -> dict[str, tuple[str, Any]]:
    """What a value of each key must be, in words and as a test."""

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


def _mistake(document: YamlDocument, what: str, *at: str | int, word: str = "", known: Any = ()) -> Exception:
    from auditor.errors import ConfigurationError
    from auditor.yaml import did_you_mean

    hint = did_you_mean(word, known) if word else ""
    return ConfigurationError(f"{document.where(*at)}: {what}{hint}", why=_WHY, do=f"correct line {document.line(*at)}.")
