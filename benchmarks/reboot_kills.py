"""Kills rolling reboots in the middle, again and again, and finds out whether `resume` and `undo` carry them to their end.

Run: make reliability RELIABILITY=--reboots. Of each scenario that has settings which take a reboot: its plan is applied by a process that
kills itself at a point drawn by chance: around a line of the journal, around a write or a step (maintenance mode, reboot, leaving), or in a
pause while a host is waited for. Then the run is resumed or undone, which is killed three times in ten and then resumed. What the journals
say is compared with the settings, and no host may be left in maintenance mode.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from deaths import apart, counted, die_if_reached, died
from differences import collected, differing
from lab_process import lab_process
from whole_fleet import NOT_SETTINGS

from auditor.apply import attempts, recover
from auditor.apply.reboots import takes_reboot
from auditor.apply.steps import STEPS
from auditor.apply.values import same
from auditor.audit import AuditRequest, FixLimits, audit
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.settings import remediator_for
from auditor.errors import EndpointUnreachableError
from auditor.fleet.loading import load_fleet
from auditor.history.folders import JOURNAL_FOLDER
from auditor.journal import history, open_journal
from auditor.journal.chain import verify
from auditor.model import FixClass, Outcome, Plan
from auditor.pipeline.changes import apply_plan, resume, undo_run
from auditor.pipeline.request import ApplyRequest, ResumeRequest, UndoRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from auditor.history.plan_file import PlanFile
    from auditor.journal import Entry
    from auditor.model import Receipt
    from auditor.pipeline.writing import Written

    Ended = tuple[str, tuple[Receipt, ...]]
    """What stopped a run, empty where nothing did, and its receipts."""

_ALLOW = (FixClass.REBOOT, FixClass.RETUNE)
_TASK_SECONDS, _BACK_SECONDS = 0.15, 0.6
"""Of the lab: how long a task runs, and how long a host is away: long enough for some pauses."""
_LONGEST_SECONDS = 20.0
"""After which a host that is not back never will be."""


@dataclass
class Counts:
    """What became of one scenario."""

    hosts: int = 0
    kills: int = 0
    writes: int = 0  # of settings and steps, that were about to be sent
    resumed: int = 0  # runs
    undone: int = 0  # runs
    lost: int = 0  # sent without a record of it
    misreported: int = 0  # the journal's last word differs from the setting, or from the state of the host
    unknown: int = 0  # still open after a recovery
    problems: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.misreported or self.unknown or self.problems)


def main(scenarios: Iterable[str], kills: int, seed: int) -> int:
    """Try every scenario; a line for each. 0 where nothing was lost, misreported or left unknown, and every fleet is whole."""
    heads = f"{'hosts':>6} {'kills':>6} {'writes':>7} {'resumed':>8} {'undone':>7} {'lost':>5} {'misreported':>12} {'unknown':>8}"
    print(f"{'rolling reboots':24} {heads} {'fleet':>10} {'seconds':>8}")
    total: Counter[str] = Counter()
    is_good = True
    for name in scenarios:
        began = time.perf_counter()
        counts = tried(name, kills, Random(f"{seed} {name}"))
        if not counts.hosts:
            continue
        is_good = is_good and counts.is_good
        columns = ("hosts", "kills", "writes", "resumed", "undone", "lost", "misreported", "unknown")
        total.update({column: getattr(counts, column) for column in columns})
        figures = " ".join(f"{getattr(counts, column):{width}}" for column, width in zip(columns, (6, 6, 7, 8, 7, 5, 12, 8), strict=True))
        whole = "NOT WHOLE" if counts.problems else "whole"
        print(f"{name:24} {figures} {whole:>10} {time.perf_counter() - began:8.0f}", flush=True)
        for line in counts.problems:
            print(f"   PROBLEM: {line}")
    print(json.dumps({"kills_a_scenario": kills, "seed": seed, **total}))
    return 0 if is_good else 1


def tried(name: str, kills: int, chance: Random) -> Counts:
    """Kill the rolling reboots of a scenario so often."""
    counts = Counts()
    with lab_process(name, task_seconds=_TASK_SECONDS, reboot_seconds=_BACK_SECONDS) as lab:
        trial = _Trial(lab.folder, counts)
        with patch.object(attempts, "apply_change", _noted_apply_change):
            if trial.begin():
                for _ in range(kills):
                    trial.kill_once(chance)
                trial.end()
    return counts


class _Trial:
    """One scenario: its fleet, journals and plan. Whatever talks to the fleet does so in a process of its own."""

    def __init__(self, folder: Path, counts: Counts) -> None:
        self.folder, self.counts = folder, counts
        self.fleet, self.state = folder / "fleet.yaml", folder / "state"
        self.plan_file = folder / "plan.json"
        os.environ[_SENT] = str(folder / "sent")
        self.plan = Plan()
        self.points = 0
        self.recoveries = 0

    def begin(self) -> bool:
        """Plan what takes a reboot, make and undo it once, and plan again: what no API takes back is not the undo's to restore."""
        self.plan = apart(self._planned)
        if not self.plan.changes:
            return False
        for change in self._made_and_undone():
            self.counts.problems.append(change)
        self.plan = apart(self._planned)
        self.counts.hosts = len({change.target["host_id"] for change in self.plan.changes})
        apart(lambda: collected(self.fleet, self.folder / "before"))
        return True

    def _made_and_undone(self) -> list[str]:
        before = self._runs()
        self.points = apart(lambda: counted(self._apply))
        [run] = self._runs() - before
        _, receipts = apart(lambda: self._undo(run))
        bad = [one for one in receipts if one.outcome not in {Outcome.APPLIED, Outcome.ALREADY}]
        return [f"the undo of {one.change.remediator} on {one.change.resource.name} ended {one.outcome}: {one.why}" for one in bad]

    def kill_once(self, chance: Random) -> None:
        """Kill an apply, then resume or undo it, which may be killed as well; then everything is undone."""
        before = self._runs()
        self._killed(self._apply, chance)
        begun = sorted((self._runs() - before) & self._wrote())
        if begun and chance.random() < 0.5:
            if chance.random() < 0.3:
                self._killed(lambda: self._resume(begun[0]), chance)
            self._done(f"the resume of {begun[0]}", apart(lambda: self._resume(begun[0])))
            self.counts.resumed += 1
            self._settle()
            self._check("resumed", [change.after for change in self.plan.changes])
        elif begun and chance.random() < 0.3:
            known = self._runs()
            self._killed(lambda: self._undo(begun[0]), chance)
            for undo in (self._runs() - known) & self._wrote():
                self._done(f"the resume of {undo}", apart(lambda undo=undo: self._resume(undo)))  # type: ignore[misc]  mypy infers none
                self.counts.resumed += 1
                self._settle()
        for run in sorted((one for one in (self._runs() - before) & self._wrote() if not one.endswith("-undo")), reverse=True):
            self._done(f"the undo of {run}", apart(lambda run=run: self._undo(run)))  # type: ignore[misc]
            self.counts.undone += 1
        self._settle()
        self._check("undone", [change.before for change in self.plan.changes])

    def _done(self, what: str, ended: Ended) -> None:
        """Note what stopped a run, and which of its changes ended badly."""
        stopped, receipts = ended
        if stopped:
            self.counts.problems.append(f"{what} was stopped: {stopped}")
        bad = [one for one in receipts if one.outcome in {Outcome.REFUSED, Outcome.UNVERIFIED, Outcome.REVERTED}]
        self.counts.problems += [
            f"{what}: {one.change.remediator} on {one.change.resource.name} ended {one.outcome}: {one.why}" for one in bad
        ]

    def end(self) -> None:
        """Compare the fleet with the fleet as it was."""
        apart(lambda: collected(self.fleet, self.folder / "after"))
        self.counts.problems += differing(self.folder / "before", self.folder / "after", NOT_SETTINGS)
        if not self.counts.writes:
            self.counts.problems.append("no write was noted: where writes are made has moved, and nothing was compared")
        self.counts.problems += [f"journal: {problem}" for problem in verify(self.state / JOURNAL_FOLDER).problems]

    def _killed(self, work: Callable[[], object], chance: Random) -> None:
        self.counts.kills += died(work, chance.randint(1, self.points))
        self._settle()

    def _settle(self) -> None:
        """Let the next run find out what happened, and compare its words with the settings and hosts."""
        self.recoveries += 1
        now = apart(self._recovered)
        entries = history(self.state / JOURNAL_FOLDER).entries
        sent = Path(os.environ[_SENT])
        lines = sent.read_text(encoding="utf-8").splitlines() if sent.exists() else []
        self.counts.writes = len(lines)
        announced = Counter(_line(entry.intent.run, entry.intent.change) for entry in entries)
        self.counts.lost += sum((Counter(lines) - announced).values())
        for key, entry in _last(entries).items():
            if not entry.settled or entry.receipt is None:
                self.counts.unknown += 1
                print(f"   {key}: run {entry.intent.run} left it open; it is {now.get(key)!r}", file=sys.stderr)
            elif key in now and not same(entry.receipt.found, now[key]):
                self.counts.misreported += 1
                print(f"   {key}: the journal says {entry.receipt.found!r}, it is {now[key]!r}", file=sys.stderr)

    def _check(self, done: str, wanted: list[Any]) -> None:
        """Whether every setting is as wanted and in force, and no host is left in maintenance mode."""
        for change, value, reading in zip(self.plan.changes, wanted, apart(self._values), strict=True):
            if not same(reading[0], value) or reading[1] is not None:
                found = f"{reading[0]!r}{' and pending' if reading[1] else ''} instead of {value!r}"
                self.counts.problems.append(f"{done}: {change.remediator} on {change.resource.name} of {change.resource.host} is {found}")
        self.counts.problems += [f"{done}: {host} is in maintenance mode" for host in apart(self._in_maintenance)]

    def _runs(self) -> set[str]:
        """The runs that were begun by now."""
        return {path.parent.name for path in (self.state / "runs").glob("*/writes.json")}

    def _wrote(self) -> set[str]:
        """The runs that announced a write."""
        return {entry.intent.run for entry in history(self.state / JOURNAL_FOLDER).entries}

    def _planned(self) -> Plan:
        from auditor.audit import plan, plan_text

        audited = audit(AuditRequest(fleet=self.fleet, state=self.folder / "planning", fix=FixLimits()))
        file: PlanFile = plan(audited)
        hosts_in_clusters = [one for one in file.plan.changes if takes_reboot(one) and one.resource.cluster is not None]
        changes = tuple(replace(one, waits_for=()) for one in hosts_in_clusters if set(one.classes) <= set(_ALLOW))
        own = replace(file, plan=replace(file.plan, changes=changes))
        self.plan_file.write_text(plan_text(own), encoding="utf-8")
        return own.plan

    def _apply(self) -> Ended:
        limits = FixLimits(allow=_ALLOW, max_changes="100000", settle_seconds=0, allow_unusual=True)
        return _ended(apply_plan(ApplyRequest(plan=self.plan_file, fleet=self.fleet, limits=limits, state=self.state), confirm=_yes))

    def _resume(self, run: str) -> Ended:
        return _ended(resume(ResumeRequest(run=run, fleet=self.fleet, state=self.state, settle_seconds=0), confirm=_yes))

    def _undo(self, run: str) -> Ended:
        return _ended(undo_run(UndoRequest(run=run, fleet=self.fleet, state=self.state, reboot=True), confirm=_yes))

    def _recovered(self) -> dict[str, Any]:
        """Settle what was left open, at once and when every host is back; then the settings and hosts that journals name, read anew."""
        journals = self.state / JOURNAL_FOLDER
        with self._sessions() as sessions:
            for part in ("0001", "0002"):
                with open_journal(journals, f"20181104T{self.recoveries:06}Z-{part}") as journal:
                    recover(journal, sessions)
                self._wait_until_back(sessions)
            changes = {key: entry.intent.change for key, entry in _last(history(journals).entries).items()}
            return {key: _read(sessions, change)[0] for key, change in changes.items()}

    def _wait_until_back(self, sessions: Sessions) -> None:
        """Wait for hosts that are rebooting: the lab's begin at the first request after they were sent to."""
        deadline = time.monotonic() + _LONGEST_SECONDS
        while True:
            try:
                for change in self.plan.changes:
                    _read(sessions, change)
            except EndpointUnreachableError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return

    def _values(self) -> list[tuple[Any, Any]]:
        with self._sessions() as sessions:
            return [_read(sessions, change) for change in self.plan.changes]

    def _in_maintenance(self) -> list[str]:
        from auditor.apply.steps import MAINTENANCE

        hosts = {(change.target.endpoint, change.target["host_id"]): change for change in self.plan.changes}
        with self._sessions() as sessions:
            state = remediator_for(MAINTENANCE)
            return [
                one.resource.host or "" for one in hosts.values() if state.read(sessions.session(one.target.endpoint), one.target).value
            ]

    def _sessions(self) -> Sessions:
        return Sessions({endpoint.name: endpoint for endpoint in load_fleet(self.fleet).endpoints})


_SENT = "AUDITOR_RELIABILITY_SENT"
"""The environment variable with the file that has a line for each write, on disk before it is sent."""


def _noted_apply_change(change: Any, remediator: Any, *others: Any) -> Any:
    """As `apply_change`, with a line in the file before each write, and a death before and after it."""
    from auditor.apply.one_change import apply_change

    return apply_change(change, _Noted(change, remediator, others[1].run), *others)


class _Noted:
    def __init__(self, change: Any, remediator: Any, run: str) -> None:
        self._change, self._remediator, self._run = change, remediator, run

    def __getattr__(self, name: str) -> Any:
        return getattr(self._remediator, name)

    def write(self, session: Any, target: Any, value: Any) -> None:
        die_if_reached()
        with Path(os.environ[_SENT]).open("a", encoding="utf-8") as sent:
            sent.write(f"{_line(self._run, self._change)}\n")
        self._remediator.write(session, target, value)
        die_if_reached()


def _line(run: str, change: Any) -> str:
    return json.dumps([run, change.remediator, repr(change.target), change.after])


def _last(entries: Iterable[Entry]) -> dict[str, Entry]:
    """The last entry of each setting and host, by what a person would call it; the limits of a step do not make it another one."""
    last: dict[str, Entry] = {}
    for entry in entries:
        change = entry.intent.change
        keys = [f"{key} {value}" for key, value in change.target.keys if change.remediator not in STEPS or key == "host_id"]
        last[" ".join((change.remediator, change.target.endpoint, *keys))] = entry
    return last


def _read(sessions: Sessions, change: Any) -> tuple[Any, str | None]:
    """The value of a setting or the state of a host, and what it waits for."""
    reading = remediator_for(change.remediator).read(sessions.session(change.target.endpoint), change.target)
    return reading.value, reading.pending


def _ended(written: Written) -> Ended:
    return ("" if written.stopped is None else written.stopped.what), written.receipts


def _yes(_changes: object) -> bool:
    return True
