"""Fixes a whole fleet by one command, waits ten minutes, audits, undoes, and compares the fleet with the fleet as it was.

Run: make reliability RELIABILITY=--whole. Of each scenario of the lab:

1. `auditor audit --fix --yes` with every class of fix allowed, with rolling reboots. Every finding that had a fix has to pass.
2. Ten minutes pass in the lab: Storage DRS and profiles put back what they put back. An audit has to find the same, and to plan nothing.
3. The runs are undone, newest first, with reboots. Every fact has to be as it was, but for what `NOT_SETTINGS` and `NOT_TAKEN_BACK` name.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from differences import NotCompared, differing
from lab_process import lab_process

from auditor.apply.steps import BOOT, STEPS
from auditor.history.folders import JOURNAL_FOLDER
from auditor.journal import history
from auditor.journal.chain import verify
from auditor.model import FixClass, Outcome
from auditor.pipeline.changes import undo
from auditor.pipeline.request import UndoRequest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from auditor.journal import Entry
    from auditor.model import Receipt

SCENARIOS = ("all", "mixed-estate")
TEN_MINUTES = 600
_EVERY_CLASS = tuple(part for one in FixClass if one is not FixClass.MANUAL for part in ("--allow", str(one)))

NOT_SETTINGS = (
    NotCompared("vm", "host_id", "TRUE", "where a machine runs is chosen by DRS, which moved it when its host was rebooted"),
    NotCompared("running_task", "progress_percent", "TRUE", "a Storage vMotion that is under way goes on"),
    NotCompared(
        "device_scheduling",
        "queue_full_threshold",
        "queue_full_sample_size = 0",
        "esxcli takes 1 to 16 and no 0; without a sample size it has no effect",
    ),
)
"""Facts that no fix sets, or that have no effect."""


@dataclass(frozen=True, slots=True)
class NotTakenBack:
    """A change that an undo refuses to put back, and the facts that stay different because of it."""

    remediator: str
    part: str  # of the target, as "key value"
    why: str
    facts: tuple[NotCompared, ...]


_FLOOR = (
    "a cluster of today takes no minimum below its floor of 50 (docs/domain/facts.md#6-5); the 25 of incident S0 was set on an older one"
)
_ATS = "the host has a volume that locks by ATS alone: without it there is no lock (docs/domain/facts.md#3-2)"
NOT_TAKEN_BACK = (
    NotTakenBack(
        "element.qos_policy",
        "field minIOPS",
        _FLOOR,
        (
            NotCompared("array_qos_policy", "min_iops", "name = 'Bronze'", _FLOOR),
            NotCompared("array_volume", "qos_min_iops", "qos_policy = 'Bronze'", _FLOOR),
        ),
    ),
    NotTakenBack(
        "host.option",
        "option VMFS3.HardwareAcceleratedLocking",
        _ATS,
        (NotCompared("host_option", "value", "key = 'VMFS3.HardwareAcceleratedLocking'", _ATS),),
    ),
)


PENDING = "queue/pending-reboot"

NOT_MADE = ("which is in no cluster: nothing moves them away",)
"""Parts of the reasons for which a fix may be refused: nobody moves the machines of a host that is in no cluster, so it is not rebooted."""


@dataclass(slots=True)
class Whole:
    """What became of one scenario; `problems` is empty where all is as promised."""

    fixable: int = 0  # findings
    applied: int = 0  # writes of settings
    rebooted: int = 0  # hosts
    put_back: int = 0  # settings
    left: list[str] = field(default_factory=list)  # changes that were not made, as stated
    refused: list[str] = field(default_factory=list)  # changes that were not undone, as stated
    problems: list[str] = field(default_factory=list)


def tried_whole(scenario: str) -> Whole:
    """Fix, wait, audit, undo and compare one scenario."""
    whole = Whole()
    with lab_process(scenario) as lab:
        trial = _Trial(lab.folder, lab.fleet)
        trial.collect("before")
        found = trial.judged()
        wanted = {_key(one): (_named(one), one["fix"]["after"] == "absent") for one in found if _is_planned(one)}
        whole.fixable = len(wanted)
        fixed = trial.fix()
        left = _left(fixed)
        whole.left = sorted(
            {f"{one['remediator']} on {one['resource']['name']}: {one['why']}" for one in fixed["receipts"] if _is_excused(one["why"])}
        )
        whole.problems += _not_made(fixed)
        whole.problems += (f"after the fix {one}" for one in _not_passing(wanted, left, fixed))
        entries = trial.journalled()
        whole.applied = sum(entry.intent.change.remediator not in STEPS for entry in entries)
        whole.rebooted = sum(entry.intent.change.remediator == BOOT for entry in entries)

        lab.pass_time(TEN_MINUTES)
        later = trial.audit()
        whole.problems += (f"ten minutes later {one}" for one in _not_passing(wanted, left, later))
        planned = [finding for finding in later["findings"] if _is_planned(finding) and _key(finding) not in left]
        whole.problems += (f"ten minutes later a change is planned for {_named(finding)}" for finding in planned)

        runs = dict.fromkeys(entry.intent.run for entry in entries)
        receipts = [receipt for run in reversed(runs) for receipt in trial.undo(run)]
        accepted = _unlike(whole, receipts)
        trial.collect("after")
        unlike = differing(trial.folder / "before", trial.folder / "after", (*NOT_SETTINGS, *_not_in_effect(found), *accepted))
        whole.problems += (f"after the undo a fact differs: {row}" for row in unlike)
        whole.problems += (f"journal: {problem}" for problem in verify(trial.state / JOURNAL_FOLDER).problems)
    return whole


class _Trial:
    """The commands, as an administrator gives them."""

    def __init__(self, folder: Path, fleet: Path) -> None:
        self.folder, self.fleet, self.state = folder, fleet, folder / "state"

    def collect(self, name: str) -> None:
        _auditor("collect", "--fleet", str(self.fleet), "--out", str(self.folder / name))

    def judged(self) -> list[dict[str, Any]]:
        """The findings of the fleet as it was."""
        findings: list[dict[str, Any]] = self._report("audit", "--from", str(self.folder / "before"))["findings"]
        return findings

    def fix(self) -> dict[str, Any]:
        limits = ("--max-changes", "100000", "--settle", "0", "--allow-unusual")
        return self._report("audit", "--fleet", str(self.fleet), "--fix", "--yes", *_EVERY_CLASS, *limits)

    def audit(self) -> dict[str, Any]:
        return self._report("audit", "--fleet", str(self.fleet))

    def undo(self, run: str) -> Sequence[Receipt]:
        return undo(UndoRequest(run=run, fleet=self.fleet, state=self.state, reboot=True, max_changes="100000"), confirm=lambda _: True)

    def _report(self, *arguments: str) -> dict[str, Any]:
        path = self.folder / "report.json"
        _auditor(*arguments, "--state-dir", str(self.state), "--reporter", f"json-full:{path}")
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return read

    def journalled(self) -> list[Entry]:
        """What all runs wrote."""
        return list(history(self.state / JOURNAL_FOLDER).entries)


def _auditor(*arguments: str) -> None:
    """Run the command; its exit codes 1 and 2, drift and unknowns, are what the scenarios are for."""
    ended = subprocess.run([sys.executable, "-m", "auditor", *arguments], capture_output=True, text=True, check=False)
    if ended.returncode not in {0, 1, 2, 4}:
        raise RuntimeError(f"auditor {arguments[0]} ended with {ended.returncode}: {ended.stderr[-2000:]}")


def _key(finding: dict[str, Any]) -> tuple[str, str, str]:
    resource = finding["resource"]
    return finding["rule"], resource["endpoint"], resource["id"]


def _named(finding: dict[str, Any]) -> str:
    return f"{finding['rule']} of {finding['resource']['name']}"


def _is_planned(finding: dict[str, Any]) -> bool:
    return finding["verdict"] == "fail" and (finding["fix"] or {}).get("outcome") == Outcome.PROPOSED


def _not_in_effect(findings: Sequence[dict[str, Any]]) -> Iterator[NotCompared]:
    """The depths of the hosts whose driver had a depth configured and not in effect: no undo makes that again, as a reboot ends it."""
    of_hosts = sorted({one["resource"]["id"].partition("/")[0] for one in findings if one["rule"] == PENDING and one["verdict"] == "fail"})
    if of_hosts:
        when = "host_id IN ({})".format(", ".join(f"'{host}'" for host in of_hosts))
        for table, column in (("device", "queue_depth"), ("device_scheduling", "esxcli_queue_depth")):
            yield NotCompared(table, column, when, "a depth that was configured and not in effect takes effect at the reboot of the undo")


def _is_excused(why: str) -> bool:
    return any(text in why for text in NOT_MADE)


def _left(report: dict[str, Any]) -> set[tuple[str, str, str]]:
    """The findings whose fix was refused for a reason that `NOT_MADE` names."""
    refused = [one for one in report["receipts"] if one["outcome"] == Outcome.REFUSED and _is_excused(one["why"])]
    return {(rule, one["resource"]["endpoint"], one["resource"]["id"]) for one in refused for rule in one["rules"]}


def _not_made(report: dict[str, Any]) -> Iterator[str]:
    """The changes of a fix that were not made, but for those that `NOT_MADE` names."""
    for one in report["receipts"]:
        if one["outcome"] not in {Outcome.APPLIED, Outcome.ALREADY, Outcome.BY_HAND} and not _is_excused(one["why"]):
            yield f"{one['remediator']} on {one['resource']['name']} ended {one['outcome']}: {one['why']}"


def _not_passing(
    wanted: dict[tuple[str, str, str], tuple[str, bool]], left: Collection[tuple[str, str, str]], report: dict[str, Any]
) -> Iterator[str]:
    verdicts = {_key(finding): finding["verdict"] for finding in report["findings"]}
    for key, (name, is_taken_away) in wanted.items():
        if key not in left and verdicts.get(key, "pass" if is_taken_away else "gone") != "pass":
            yield f"{name} is {verdicts.get(key, 'gone')}"


def _unlike(whole: Whole, receipts: Sequence[Receipt]) -> tuple[NotCompared, ...]:
    """What an undo did not put back: problems of `whole`, or the facts that differ because of it."""
    accepted: list[NotCompared] = []
    for receipt in receipts:
        if receipt.outcome in {Outcome.APPLIED, Outcome.ALREADY}:
            whole.put_back += receipt.change.remediator not in STEPS
            continue
        keys = {f"{key} {value}" for key, value in receipt.change.target.keys}
        stated = next((one for one in NOT_TAKEN_BACK if one.remediator == receipt.change.remediator and one.part in keys), None)
        what = f"{receipt.change.remediator} on {receipt.change.resource.name}"
        if stated is None or receipt.outcome is not Outcome.REFUSED:
            whole.problems.append(f"the undo of {what} ended {receipt.outcome}: {receipt.why}")
            continue
        whole.refused.append(f"{what}: {stated.why}")
        accepted += stated.facts
    return tuple(accepted)


def main(scenarios: Sequence[str] = SCENARIOS) -> int:
    """Try every scenario; print a line for each, and every problem. 0 where there is none."""
    heads = f"{'findings':>9} {'changes':>8} {'reboots':>8} {'undone':>7} {'not made':>9} {'not undone':>11} {'problems':>9}"
    print(f"{'whole fleet':24} {heads} {'seconds':>8}")
    is_good = True
    for scenario in scenarios:
        began = time.perf_counter()
        whole = tried_whole(scenario)
        figures = f"{whole.fixable:9} {whole.applied:8} {whole.rebooted:8} {whole.put_back:7} {len(whole.left):9} {len(whole.refused):11}"
        print(f"{scenario:24} {figures} {len(whole.problems):9} {time.perf_counter() - began:8.0f}", flush=True)
        for line in whole.left:
            print(f"   not made, as stated: {line}")
        for line in whole.refused:
            print(f"   not taken back, as stated: {line}")
        for line in whole.problems:
            print(f"   PROBLEM: {line}")
        is_good = is_good and not whole.problems
    for fact in NOT_SETTINGS:
        print(f"not compared: {fact.table}.{fact.column}: {fact.why}")
    return 0 if is_good else 1
