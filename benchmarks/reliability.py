"""Kills fixes, undos and recoveries in the middle, again and again, and counts writes that were lost or misreported.

Run: make reliability. For every scenario of the lab a process applies the plan with every class of fix allowed, and ends itself by
SIGKILL at a point of its work that is drawn by chance: before, in the middle of and after each line of the journal, before and after
each write. What the next run finds out is then compared with the settings themselves, read anew. At the end everything is undone, and the
fleet is compared with the fleet as it was, fact by fact.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from auditor.apply import apply, recover, undo
from auditor.apply.values import same
from auditor.audit import AuditRequest, FixLimits, audit
from auditor.endpoints.collect import collect_fleet
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.settings import remediator_for
from auditor.errors import ConfigurationError, EndpointError
from auditor.facts.schema import TABLES
from auditor.fleet import load_fleet
from auditor.journal import history, open_journal
from auditor.journal import writing as journal_writing
from auditor.journal.chain import verify
from auditor.model import FixClass, Outcome, Plan, Scalar
from auditor.policy import load_rule_set, needs_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

ALL_CLASSES = tuple(one for one in FixClass if one is not FixClass.MANUAL)
POINTS_A_CHANGE = 8
"""Two lines of the journal with three points each, and one write with two."""
NOT_STATE = frozenset({"reading", "gap", "change_event"})
"""Tables that say when and how the fleet was read, and what happened to it. What was measured is left out as well."""


_FORK = get_context("fork")
"""What talks to the fleet starts as a copy of this process, which has no threads, with everything imported."""


@dataclass
class Counts:
    """What became of one scenario."""

    changes: int = 0
    kills: int = 0
    writes: int = 0  # that were about to be sent
    lost: int = 0  # sent without a record of it
    misreported: int = 0  # the journal's last word differs from the setting
    unknown: int = 0  # still open after a recovery
    broken: int = 0  # journals that do not verify
    refused: list[str] = field(default_factory=list)  # what an endpoint does not take back
    unlike: list[str] = field(default_factory=list)  # tables that differ after everything was undone

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.misreported or self.unknown or self.broken or self.unlike)


def main() -> int:
    arguments = _arguments()
    from auditor.lab.scenario import scenario_names

    names = arguments.scenarios or [name for name in scenario_names() if name != "all" and not name.endswith("-twin")]
    heads = f"{'changes':>8} {'kills':>6} {'writes':>7} {'lost':>5} {'misreported':>12} {'unknown':>8}"
    print(f"{'scenario':24} {heads} {'undone':>9} {'seconds':>8}")
    results = {}
    for name in names:
        began = time.perf_counter()
        counts = results[name] = tried(name, arguments.kills, random.Random(f"{arguments.seed} {name}"))
        undone = "whole" if not counts.unlike else "NOT WHOLE"
        figures = f"{counts.changes:8} {counts.kills:6} {counts.writes:7} {counts.lost:5} {counts.misreported:12} {counts.unknown:8}"
        print(f"{name:24} {figures} {undone:>9} {time.perf_counter() - began:8.0f}", flush=True)
        for refused in counts.refused:
            print(f"   not taken back: {refused}")
        for table in counts.unlike:
            print(f"   differs after the undo: {table}")
        if counts.broken:
            print(f"   {counts.broken} times the journals did not verify")
    total = {key: sum(getattr(one, key) for one in results.values()) for key in ("kills", "writes", "lost", "misreported", "unknown")}
    print(json.dumps({"kills_a_scenario": arguments.kills, "seed": arguments.seed, **total}))
    return 0 if all(one.is_good for one in results.values()) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=40, help="for each scenario")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("scenarios", nargs="*", help="default: all but the twins, which have nothing to fix")
    return parser.parse_args()


def tried(name: str, kills: int, chance: random.Random) -> Counts:
    """Kill fixes of a scenario so often."""
    counts = Counts()
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        here, there = get_context("spawn").Pipe()
        lab = get_context("spawn").Process(target=_serve, args=(name, str(folder / "fleet.yaml"), there), daemon=True)
        lab.start()
        here.recv()
        try:
            trial = Trial(folder, counts)
            trial.begin()
            if counts.changes:
                for _ in range(kills):
                    trial.kill_once(chance)
                trial.end()
        finally:
            here.send("end")
            lab.join()
    return counts


def _serve(name: str, fleet: str, pipe: Connection) -> None:
    from auditor.lab.scenario import load_scenario
    from auditor.lab.serving import serve

    with serve(load_scenario(name)) as lab:
        lab.write_fleet(Path(fleet))
        pipe.send("ready")
        pipe.recv()


class Trial:
    """One scenario: its fleet, journals and plan. Whatever talks to the fleet does so in a process of its own."""

    def __init__(self, folder: Path, counts: Counts) -> None:
        self.folder, self.counts = folder, counts
        self.journals = folder / "state" / "journal"
        self.sent = folder / "sent"  # a line for each write, on disk before it is sent
        self.plan = Plan()
        self.runs = 0

    def begin(self) -> None:
        """Plan every fix, make and undo them once, and plan again: what an endpoint takes back by no API is not the undo's to restore."""
        self.plan = self.apart(lambda: _planned(self.folder))
        run, own = self.run_id(), self.run_id()
        self.apart(lambda: _apply(self, run))
        self.counts.refused = self.apart(lambda: _undo(self, run, own))
        self.settle()
        self.plan = self.apart(lambda: _planned(self.folder))
        self.counts.changes = len(self.plan.changes)
        self.apart(lambda: _saved(self.folder, "before"))

    def kill_once(self, chance: random.Random) -> None:
        """Apply the plan and kill that, recover (and sometimes kill that), then undo (and sometimes kill that)."""
        run = self.run_id()
        self.killed(lambda: _apply(self, run), self.point(chance))
        self.settle()
        if chance.random() < 0.3:
            own = self.run_id()  # here: the process that is killed counts for itself
            self.killed(lambda: _undo(self, run, own), self.point(chance))
            self.settle()
        self.runs += 1
        self.apart(lambda: _undo_everything(self))
        self.settle()

    def end(self) -> None:
        """Apply everything, undo everything, and compare the fleet with the fleet as it was."""
        run = self.run_id()
        self.apart(lambda: _apply(self, run))
        self.settle()
        self.runs += 1
        self.apart(lambda: _undo_everything(self))
        self.settle()
        self.apart(lambda: _saved(self.folder, "after"))
        self.counts.unlike = list(differing(self.folder / "before", self.folder / "after"))

    def settle(self) -> None:
        """Let the next run find out what happened, and compare its words with the settings."""
        run = self.run_id()
        truth = self.apart(lambda: _recovered(self, run))
        entries = history(self.journals).entries
        sent = self.sent.read_text().splitlines() if self.sent.exists() else []
        announced = Counter(json.dumps([entry.intent.run, repr(entry.intent.change.target)]) for entry in entries)
        self.counts.writes = len(sent)
        self.counts.lost += sum((Counter(sent) - announced).values())
        last = {repr(entry.intent.change.target): entry for entry in entries}
        for target, value in truth.items():
            entry = last.get(target)
            if entry is None:
                continue
            if not entry.settled or entry.receipt is None:
                self.counts.unknown += 1
                why = entry.receipt.why if entry.receipt is not None else "no receipt"
                print(f"   {target}: run {entry.intent.run} left it open: {why}; it is {value!r}", file=sys.stderr)
            elif not same(entry.receipt.found, value):
                self.counts.misreported += 1
                print(f"   {target}: the journal says {entry.receipt.found!r}, it is {value!r}", file=sys.stderr)
        self.counts.broken += bool(verify(self.journals).problems)

    def run_id(self) -> str:
        self.runs += 1
        return f"20181104T{self.runs:06}Z-0001"

    def point(self, chance: random.Random) -> int:
        return chance.randint(1, POINTS_A_CHANGE * len(self.plan.changes))

    def killed(self, work: Callable[[], Any], point: int) -> None:
        """Do work in a process that kills itself at that point, if it comes so far."""

        def dying() -> None:
            _die_at(point)
            work()

        child = _FORK.Process(target=dying)
        child.start()
        child.join()
        self.counts.kills += child.exitcode == -signal.SIGKILL

    def apart(self, work: Callable[[], Any]) -> Any:
        """What work answers, in a process of its own, so that no thread of a session stays in this one."""
        here, there = _FORK.Pipe(duplex=False)
        child = _FORK.Process(target=lambda: there.send(work()))
        child.start()
        there.close()
        try:
            return here.recv()
        except EOFError:
            raise RuntimeError("a process ended without an answer; its traceback is above") from None
        finally:
            child.join()


_left = 0
"""Points until this process kills itself; 0: it does not."""


def _die_at(point: int) -> None:
    global _left  # noqa: PLW0603  one process, one death
    _left = point
    setattr(journal_writing, "os", _Os())  # noqa: B010  mypy knows no module that is exchanged


def _reached() -> bool:
    """Count one point; whether it is the one to die at."""
    global _left  # noqa: PLW0603
    if _left == 0:
        return False
    _left -= 1
    return _left == 0


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _Os:
    """The operating system as the journal knows it, with three deaths at each line: before it, in its middle, after it is on disk."""

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def write(self, descriptor: int, line: bytes) -> int:
        if _reached():
            _die()
        if _reached():
            os.write(descriptor, line[: len(line) // 2])
            _die()
        return os.write(descriptor, line)

    def fsync(self, descriptor: int) -> None:
        os.fsync(descriptor)
        if _reached():
            _die()


class _Watched:
    """A remediator whose writes are noted before they are sent, with a death before and after each."""

    def __init__(self, name: str, trial: Trial, run: str) -> None:
        self._remediator, self._trial, self._run = remediator_for(name), trial, run

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._remediator, name)
        if name not in ("write", "inherit"):
            return found

        def noted(session: Any, target: Any, value: Scalar) -> None:
            if _reached():
                _die()
            with self._trial.sent.open("a") as sent:
                sent.write(json.dumps([self._run, repr(target)]) + "\n")
            found(session, target, value)
            if _reached():
                _die()

        return noted


def _planned(folder: Path) -> Plan:
    limits = FixLimits(allow=ALL_CLASSES, max_changes="100%")
    audited = audit(AuditRequest(fleet=folder / "fleet.yaml", state=folder / "planning", fix=limits))
    return Plan(audited.plan.changes, identities=audited.plan.identities, contradictions=audited.plan.contradictions)


def _saved(folder: Path, name: str) -> None:
    fleet = load_fleet(folder / "fleet.yaml")
    collect_fleet(fleet, lambda *_: None, needs_for(load_rule_set())).save(folder / name)


def _opened(trial: Trial) -> Sessions:
    return Sessions({endpoint.name: endpoint for endpoint in load_fleet(trial.folder / "fleet.yaml").endpoints})


def _apply(trial: Trial, run: str) -> None:
    with _opened(trial) as sessions, open_journal(trial.journals, run) as journal:
        options: dict[str, Any] = {"confirm": lambda _: True, "remediators": lambda name: _Watched(name, trial, run)}
        for _ in apply(trial.plan, sessions, journal, allow=ALL_CLASSES, **options):
            pass


def _undo(trial: Trial, run: str, own: str) -> list[str]:
    """Undo a run; a sentence for each change that the endpoint refused."""
    with _opened(trial) as sessions, open_journal(trial.journals, own) as journal:
        options: dict[str, Any] = {"confirm": lambda _: True, "remediators": lambda name: _Watched(name, trial, own)}
        try:
            undone = list(undo(run, sessions, journal, **options))
        except ConfigurationError:  # the run was killed before it had recorded anything
            return []
    return [f"{one.change.remediator} of {one.change.resource.name}: {one.why}" for one in undone if one.outcome is Outcome.REFUSED]


def _undo_everything(trial: Trial) -> None:
    """Undo what any run left, newest first, until every setting of the plan is as it was."""
    from auditor.apply import undo_plan

    wanted = {repr(change.target): change.before for change in trial.plan.changes}
    runs = list(dict.fromkeys(entry.intent.run for entry in history(trial.journals).entries))
    with _opened(trial) as sessions:
        for number, run in enumerate(reversed(runs[-3:])):
            if all(same(value, wanted[target]) for target, value in _values(trial, sessions).items()):
                return
            if undo_plan(trial.journals, run).changes:
                _undo(trial, run, f"20181104T{trial.runs:06}Z-u{number}")


def _recovered(trial: Trial, run: str) -> dict[str, Scalar]:
    """Settle what was left open, then read every setting of the plan anew."""
    with _opened(trial) as sessions, open_journal(trial.journals, run) as journal:
        recover(journal, sessions)
    with _opened(trial) as sessions:
        return _values(trial, sessions)


def _values(trial: Trial, sessions: Sessions) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for change in trial.plan.changes:
        try:
            reading = remediator_for(change.remediator).read(sessions.session(change.target.endpoint), change.target)
        except EndpointError:
            continue
        found[repr(change.target)] = reading.value
    return found


def differing(one: Path, other: Path) -> Iterator[str]:
    """The tables of two snapshots that differ in more than when they were read or what was measured, with one row that shows it."""
    from auditor.facts.earlier import READ_ANEW
    from auditor.facts.needs import SOURCES

    with duckdb.connect() as connection:
        for name, table in TABLES.items():
            if name in NOT_STATE or name.endswith("_load") or (name in SOURCES and SOURCES[name].topic in READ_ANEW and name != "vmknic"):
                continue
            columns = ", ".join(f'"{column}"' for column in table.names if not column.endswith("_at") and column != "boot_time")
            left, right = (f"SELECT {columns} FROM '{folder / f'{name}.parquet'}'" for folder in (one, other))
            for this, that in ((left, right), (right, left)):
                row = connection.execute(f"{this} EXCEPT ALL {that} LIMIT 1").fetchone()
                if row is not None:
                    yield f"{name}: {row}"


if __name__ == "__main__":
    sys.exit(main())
