"""Kills fixes, undos and recoveries in the middle, again and again, and counts writes that were lost or misreported.

Run: make reliability. For every scenario of the lab a process applies the plan with every class of fix allowed, and ends itself by
SIGKILL at a point of its work that is drawn by chance: before, in the middle of and after each line of the journal, before and after
each write. What the next run finds out is then compared with the settings themselves, read anew. At the end everything is undone, and the
fleet is compared with the fleet as it was, fact by fact.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from deaths import apart, die_if_reached, died
from differences import collected, differing
from lab_process import lab_process

from auditor.apply import apply, recover, undo
from auditor.apply.orders import Orders
from auditor.apply.values import same
from auditor.audit import AuditRequest, FixLimits, audit
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.settings import remediator_for
from auditor.errors import ConfigurationError, EndpointError
from auditor.fleet.loading import load_fleet
from auditor.journal import history, open_journal
from auditor.journal.chain import verify
from auditor.model import FixClass, Outcome, Plan, Scalar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ALL_CLASSES = tuple(one for one in FixClass if one is not FixClass.MANUAL)
POINTS_A_CHANGE = 8
"""Two lines of the journal with three points each, and one write with two."""


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
    from auditor_lab.scenario import scenario_names

    arguments = _arguments()
    names = arguments.scenarios or [name for name in scenario_names() if name != "all" and not name.endswith("-twin")]
    every = not (arguments.writes or arguments.reboots or arguments.whole)
    codes = [0]
    if arguments.writes or every:
        codes.append(_writes(names, arguments))
    if arguments.reboots or every:
        import reboot_kills

        codes.append(reboot_kills.main(names, arguments.kills, arguments.seed))
    if arguments.whole or every:
        import whole_fleet

        codes.append(whole_fleet.main(arguments.scenarios or whole_fleet.SCENARIOS))
    return max(codes)


def _writes(names: Sequence[str], arguments: argparse.Namespace) -> int:
    """Kill fixes and undos of every scenario; 0 where nothing was lost and every fleet is whole."""
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
    parser.add_argument(
        "--writes", action="store_true", help="this part alone: kill fixes and undos; values that take a reboot wait for it"
    )
    parser.add_argument("--reboots", action="store_true", help="this part alone: kill rolling reboots, then resume or undo them")
    parser.add_argument("--whole", action="store_true", help="this part alone: fix the lab, audit ten minutes later, undo, compare")
    parser.add_argument("--kills", type=int, default=10, help="for each scenario")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("scenarios", nargs="*", help="default: all but the twins, which have nothing to fix")
    return parser.parse_args()


def tried(name: str, kills: int, chance: random.Random) -> Counts:
    """Kill fixes of a scenario so often."""
    counts = Counts()
    with lab_process(name) as lab:
        trial = Trial(lab.folder, counts)
        trial.begin()
        if counts.changes:
            for _ in range(kills):
                trial.kill_once(chance)
            trial.end()
    return counts


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
        self.plan = apart(lambda: _planned(self.folder))
        run, own = self.run_id(), self.run_id()
        apart(lambda: _apply(self, run))
        self.counts.refused = apart(lambda: _undo(self, run, own))
        self.settle()
        self.plan = apart(lambda: _planned(self.folder))
        self.counts.changes = len(self.plan.changes)
        apart(lambda: collected(self.folder / "fleet.yaml", self.folder / "before"))

    def kill_once(self, chance: random.Random) -> None:
        """Apply the plan and kill that, recover (and sometimes kill that), then undo (and sometimes kill that)."""
        run = self.run_id()
        self.counts.kills += died(lambda: _apply(self, run), self.point(chance))
        self.settle()
        if chance.random() < 0.3:
            own = self.run_id()  # here: the process that is killed counts for itself
            self.counts.kills += died(lambda: _undo(self, run, own), self.point(chance))
            self.settle()
        self.runs += 1
        apart(lambda: _undo_everything(self))
        self.settle()

    def end(self) -> None:
        """Apply everything, undo everything, and compare the fleet with the fleet as it was."""
        run = self.run_id()
        apart(lambda: _apply(self, run))
        self.settle()
        self.runs += 1
        apart(lambda: _undo_everything(self))
        self.settle()
        apart(lambda: collected(self.folder / "fleet.yaml", self.folder / "after"))
        self.counts.unlike = list(differing(self.folder / "before", self.folder / "after"))

    def settle(self) -> None:
        """Let the next run find out what happened, and compare its words with the settings."""
        run = self.run_id()
        truth = apart(lambda: _recovered(self, run))
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


class _Watched:
    """A remediator whose writes are noted before they are sent, with a death before and after each."""

    def __init__(self, name: str, trial: Trial, run: str) -> None:
        self._remediator, self._trial, self._run = remediator_for(name), trial, run

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._remediator, name)
        if name not in ("write", "inherit"):
            return found

        def noted(session: Any, target: Any, value: Scalar) -> None:
            die_if_reached()
            with self._trial.sent.open("a") as sent:
                sent.write(json.dumps([self._run, repr(target)]) + "\n")
            found(session, target, value)
            die_if_reached()

        return noted


def _planned(folder: Path) -> Plan:
    limits = FixLimits(allow=ALL_CLASSES, max_hosts="100%")
    audited = audit(AuditRequest(fleet=folder / "fleet.yaml", state=folder / "planning", fix=limits))
    return Plan(audited.plan.changes, identities=audited.plan.identities, contradictions=audited.plan.contradictions)


def _opened(trial: Trial) -> Sessions:
    return Sessions({endpoint.name: endpoint for endpoint in load_fleet(trial.folder / "fleet.yaml").endpoints})


def _apply(trial: Trial, run: str) -> None:
    with _opened(trial) as sessions, open_journal(trial.journals, run) as journal:
        options: dict[str, Any] = {"confirm": lambda _: True, "remediators": lambda name: _Watched(name, trial, run)}
        for _ in apply(trial.plan, sessions, journal, Orders(allow=ALL_CLASSES), **options):
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


if __name__ == "__main__":
    sys.exit(main())
