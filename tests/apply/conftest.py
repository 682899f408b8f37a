"""A shelf of settings in memory, with the faults endpoints have; what apply() is driven against without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from auditor.endpoints.common.remediator import AnyRemediator, Reading
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, NotThereError, PermissionMissingError, RefusedError
from auditor.journal import Journal, open_journal
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Resource, Scalar, Secret, Target
from tests.apply.wave_runs import reboots, site

__all__ = ["reboots", "site"]  # fixtures of the runs of waves

WHY_AND_DO = {"why": "x", "do": "x"}
REFUSALS: dict[str, tuple[type[EndpointError], str]] = {
    "refuses": (RefusedError, "out of range"),
    "may not": (PermissionMissingError, "Host.Config.Storage"),
    "not there": (NotThereError, "no such setting"),
    "logged out": (CredentialsError, "the session has ended"),
}
"""By fault: what a write that leaves the setting as it is raises."""


@dataclass
class Shelf:
    """Settings by name. `fault` decides what the next writes and reads meet; every write that arrives is in `writes`."""

    kind = EndpointKind.VCENTER
    settings: dict[str, Scalar] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)  # setting -> one of the words below
    writes: list[tuple[str, Scalar]] = field(default_factory=list)
    pending: str | None = None
    before_write: Callable[[], None] = lambda: None
    parents: dict[str, Scalar] = field(default_factory=dict)  # what a setting without a value of its own inherits

    def read(self, session: object, target: Target) -> Reading:
        name = target["setting"]
        fault = self.faults.get(name)
        if fault == "gone":
            raise NotThereError(f"{name} is not there", **WHY_AND_DO)
        if fault == "unreadable" or (fault in {"dies at the write", "dies after the write"} and (name in dict(self.writes))):
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        if name in self.parents:
            inherited = name not in self.settings
            return Reading(self.parents[name] if inherited else self.settings[name], self.pending, inherited)
        return Reading(self.settings.get(name), self.pending)

    def inherit(self, session: object, target: Target, value: Scalar) -> None:
        name = target["setting"]
        self.before_write()
        self.writes.append((name, "inherit"))
        if self.faults.get(name) != "deaf":
            self.settings.pop(name, None)

    def write(self, session: object, target: Target, value: Scalar) -> None:
        name = target["setting"]
        self.before_write()
        self.writes.append((name, value))
        if (refusal := REFUSALS.get(self.faults.get(name, ""))) is not None:
            raise refusal[0](refusal[1], **WHY_AND_DO)
        match self.faults.get(name):
            case "deaf":
                return
            case "refuses and changes":
                self.settings[name] = 7
                raise RefusedError("out of range", **WHY_AND_DO)
            case "clamps":
                self.settings[name] = 64
            case "stores text":
                self.settings[name] = str(value)
            case "answer lost, stored" | "dies after the write":
                self.settings[name] = value
                raise EndpointUnreachableError("no answer in 30 s", **WHY_AND_DO)
            case "answer lost, not stored" | "dies at the write":
                raise EndpointUnreachableError("no answer in 30 s", **WHY_AND_DO)
            case _:
                self.settings[name] = value


class OfSession(Shelf):
    """A shelf that is read by the session of its endpoint alone."""

    def read(self, session: Any, target: Target) -> Reading:
        assert session.endpoint.name == target.endpoint
        return super().read(session, target)


def endpoint(name: str = "vc", kind: EndpointKind = EndpointKind.VCENTER) -> Endpoint:
    return Endpoint(name, kind, "127.0.0.1", 443, "audit", Secret("env", ("NONE",)))


@pytest.fixture(scope="session")
def new_shelf() -> type[Shelf]:
    return Shelf


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def remediators(shelf: Shelf) -> Callable[[str], AnyRemediator]:
    return lambda _name: shelf


@pytest.fixture
def sessions() -> Iterator[Sessions]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        session = SessionBase(one)
        session.known_identity = "1111"
        yield session

    with Sessions({"vc": endpoint()}, {EndpointKind.VCENTER: opened}) as held:
        yield held


@pytest.fixture
def journals(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal"


@pytest.fixture
def journal(journals: Path) -> Iterator[Journal]:
    with open_journal(journals, "20181104T120000Z-s0") as opened:
        yield opened


@pytest.fixture
def change() -> Callable[..., Change]:
    def make(
        setting: str = "depth",
        before: Scalar = 32,
        after: Scalar = 256,
        *,
        host: str | None = "esx-01",
        cluster: str | None = "gold",
        fix_class: FixClass = FixClass.ONLINE,
        takes: FixClass | None = None,
        where: str = "vc",
    ) -> Change:
        resource = Resource("protocol_endpoint", setting, setting, where, cluster, host)
        target = Target(where, (("setting", setting),))
        rules, reason = ("vvol/pe-dsnro-headroom",), "so that neighbours do not wait"
        return Change("shelf", fix_class, target, before, after, rules, resource, reason, takes)

    return make


@pytest.fixture
def yes() -> Callable[[Sequence[Change]], bool]:
    return lambda _changes: True
