"""Health gates that failed, remembered until somebody has looked.

A run that a gate stopped leaves a file in the state directory: which kinds of change, on which hosts of which cluster, what got worse, and
the health before. The next run with such a change would take the worse health for how it always was; so the change is not attempted until
somebody says that they looked (`--after-failed-gate`), and even then health is compared with the last good one, not with the last
(`--accept-health` takes the health of now as good). A run whose gates hold then removes the file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from auditor.apply.wave_order import kind_of
from auditor.bounds.files import read_struct
from auditor.endpoints.common.health import Health
from auditor.errors import GuardError
from auditor.model import Outcome, Receipt
from auditor.model.identity import is_same
from auditor.system.files import opened, put_in_place

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.model import Change

GATES_FOLDER = "gates"
"""In the state directory: a file for each kind of change on each cluster whose gate failed."""

_SUFFIX = ".json"
_MOST_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class FailedGate:
    """A kind of change after which health got worse, on a cluster.

    Attributes:
        endpoint: its name when the gate failed.
        identity: who it said it was; None: it did not say.
        cluster: the name of the cluster; None: hosts and objects that are in none.
        hosts: ids of the hosts of it that the run was to change, by which they are known after the cluster was renamed.
        kind: the remediator and its setting.
        run: that was stopped.
        at: when.
        what: what got worse.
        good: the health of the objects that the run wrote to before its first write, by their id.
    """

    endpoint: str
    identity: str | None
    cluster: str | None
    hosts: tuple[str, ...]
    kind: tuple[str, ...]
    run: str
    at: datetime
    what: str
    good: Mapping[str, Health] = field(default_factory=dict)

    def is_about(self, change: Change, identity: str | None) -> bool:
        """Whether `change`, on an endpoint that says of itself that it is `identity`, is of this kind and place."""
        same = change.target.endpoint == self.endpoint if None in (identity, self.identity) else is_same(str(identity), str(self.identity))
        host = dict(change.target.keys).get("host_id")
        return same and kind_of(change) == self.kind and (change.resource.cluster == self.cluster or host in self.hosts)


@dataclass(frozen=True, slots=True)
class FailedGates:
    """The gates of one state directory that failed, and what a run does about them.

    Attributes:
        folder: where they are kept.
        looked: somebody has looked at what got worse: changes are made.
        accept: the health of now is good.
        now: the time, aware.
    """

    folder: Path
    looked: bool = False
    accept: bool = False
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    def all(self) -> list[tuple[Path, FailedGate]]:
        """Those that are kept, with their files.

        Raises:
            GuardError: one cannot be read, so that it is not known what must not be made.
        """
        return [(path, _read(path)) for path in sorted(self.folder.glob(f"*{_SUFFIX}"))] if self.folder.is_dir() else []

    def without_failed(
        self, changes: Sequence[Change], identities: Mapping[str, str | None]
    ) -> tuple[list[Change], list[Receipt], list[FailedGate]]:
        """The changes that may be attempted, a receipt for each other one, and the gates that these are held back by."""
        kept = [gate for _, gate in self.all()]
        if self.looked or self.accept or not kept:
            return list(changes), [], []
        left: list[Change] = []
        held: list[Receipt] = []
        by: dict[int, FailedGate] = {}
        for change in changes:
            gate = next((one for one in kept if one.is_about(change, identities.get(change.target.endpoint))), None)
            if gate is None:
                left.append(change)
                continue
            by[id(gate)] = gate
            why = f"run {gate.run} was stopped after such a change: {gate.what}; look at it, then give --after-failed-gate"
            held.append(Receipt(change, Outcome.PROPOSED, change.before, f"not attempted: {why}"))
        return left, held, list(by.values())

    def last_good(self, changes: Sequence[Change], identities: Mapping[str, str | None]) -> dict[tuple[str, str], Health]:
        """The health before the gate failed, by endpoint and object, of what `changes` write to; none where the health of now is good."""
        if self.accept:
            return {}
        found: dict[tuple[str, str], Health] = {}
        for _, gate in self.all():
            for change in changes:
                if gate.is_about(change, identities.get(change.target.endpoint)):
                    found |= {(change.target.endpoint, key): health for key, health in gate.good.items()}
        return found

    def keep(
        self,
        run: str,
        written: Sequence[Change],
        planned: Sequence[Change],
        what: str,
        identities: Mapping[str, str | None],
        good: Mapping[tuple[str, str], Health],
    ) -> None:
        """Remember that health got worse after `written`; on disk when this returns.

        Args:
            run: that is stopped.
            written: the changes that it made.
            planned: those that it was to make.
            what: what got worse.
            identities: who each endpoint says it is.
            good: the health before the first write.
        """
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        places = {(one.target.endpoint, one.resource.cluster, kind_of(one)) for one in written}
        for endpoint, cluster, kind in sorted(places, key=str):
            of = [one for one in planned if (one.target.endpoint, one.resource.cluster) == (endpoint, cluster)]
            hosts = {dict(one.target.keys).get("host_id", "") for one in of}
            known = {key: health for (name, key), health in good.items() if name == endpoint}
            gate = FailedGate(endpoint, identities.get(endpoint), cluster, tuple(sorted(hosts - {""})), kind, run, self.now(), what, known)
            name = hashlib.sha256(repr((identities.get(endpoint) or endpoint, cluster, kind)).encode()).hexdigest()[:32]
            _write(self.folder / f"{name}{_SUFFIX}", msgspec.json.encode(gate))

    def passed(self, changes: Sequence[Change], identities: Mapping[str, str | None]) -> None:
        """Forget the gates of what was made by a run whose gates hold."""
        for path, gate in self.all() if self.looked or self.accept else ():
            if any(gate.is_about(change, identities.get(change.target.endpoint)) for change in changes):
                path.unlink(missing_ok=True)


def refuse_failed(gates: Sequence[FailedGate], held: int) -> GuardError:
    """What ends a run that changes were held back from."""
    return GuardError(
        f"{held} change{'' if held == 1 else 's'} not attempted: run {gates[0].run} was stopped after such a change, {gates[0].what}",
        why="what got worse then may get worse again, and nobody has said that it was looked at; none of them was written.",
        do="look at what got worse. --after-failed-gate goes on, and compares health with before that run; with --accept-health the health "
        "of now is good.",
    )


def _write(path: Path, content: bytes) -> None:
    """Write a file whole, for this account alone; it is on disk when this returns."""
    part = path.with_suffix(".part")
    descriptor = opened(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, links=False)
    with os.fdopen(descriptor, "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())
    put_in_place(part, path)


def _read(path: Path) -> FailedGate:
    wrong = ""
    try:
        if path.is_symlink() or path.stat().st_size > _MOST_BYTES:
            wrong = "it is a link, or larger than such a file can be"
        else:
            return read_struct(path, FailedGate, _MOST_BYTES)
    except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
        wrong = str(error)
    raise GuardError(
        f"{path}: {wrong}",
        why="it names changes that must wait until somebody has looked; nothing was written.",
        do="look at the health of the fleet, then remove the file.",
    )
