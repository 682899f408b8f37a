"""Hosts that a killed run left in maintenance mode are taken out of it, after the reboot where settings wait for it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from auditor.apply.reboots import Rolling
from auditor.apply.resuming import finish_reboots, left_by
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Outcome, RebootLimits, Receipt, Resource, Scalar, Target

LIMITS = RebootLimits(leave_seconds=12.5)


def made(remediator: str, host: str, before: Scalar, after: Scalar, *, vcenter: str = "vc", limit: bool = False) -> Change:
    keys = (("host_id", host), ("limit_seconds", "3600")) if limit else (("host_id", host), ("setting", "depth"))
    resource = Resource("host", host, f"esx-{host}", vcenter, "gold", f"esx-{host}")
    return Change(remediator, FixClass.REBOOT, Target(vcenter, keys), before, after, ("a/rule",), resource, "to reboot it")


def goes_in(host: str, **place: str) -> Change:
    return made("host.maintenance", host, before=False, after=True, limit=True, **place)


def setting(host: str) -> Change:
    return made("host.module_option", host, 32, 256)


def leaves(host: str, seconds: str, vcenter: str = "vc") -> Change:
    keys = (("host_id", host), ("limit_seconds", seconds))
    resource = Resource("host", host, f"esx-{host}", vcenter, "gold", f"esx-{host}")
    target = Target(vcenter, keys)
    reason = "the host carries machines again"
    return Change(
        "host.maintenance", FixClass.REBOOT, target, before=True, after=False, rules=("a/rule",), resource=resource, reason=reason
    )


@dataclass
class Hosts:
    """Hosts whose reboots are noted instead of made; `stops` and `ends` say what becomes of one, by its id."""

    stops: dict[str, str] = field(default_factory=dict)
    ends: dict[str, Outcome] = field(default_factory=dict)
    done: list[tuple[str, Any]] = field(default_factory=list)

    def attempt(self, change: Change) -> Receipt:
        self.done.append(("attempt", change))
        return Receipt(change, self.ends.get(change.target["host_id"], Outcome.APPLIED), found=False)

    def reboot(self, changes: Sequence[Change], rolling: Rolling) -> Generator[Receipt, None, str]:
        assert rolling.limits is LIMITS
        self.done.append(("reboot", tuple(changes)))
        for change in changes:
            yield Receipt(change, Outcome.APPLIED, change.after)
        return self.stops.get(changes[0].target["host_id"], "")


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> Hosts:
    hosts = Hosts()
    monkeypatch.setattr("auditor.apply.resuming.reboot_hosts", hosts.reboot)
    return hosts


def kept(journals: Path, run: str, *changes: Change) -> None:
    with open_journal(journals, run) as journal:
        for change in changes:
            journal.receipt(journal.intend(change, "1111"), Receipt(change, Outcome.APPLIED, change.after))


@pytest.fixture
def finish(hosts: Hosts, journals: Path) -> Callable[[str], tuple[list[Receipt], str]]:
    def finish(run: str) -> tuple[list[Receipt], str]:
        receipts: list[Receipt] = []
        with open_journal(journals, "run-resume") as journal:
            steps = finish_reboots(run, Rolling(None, journal, None, hosts.attempt, LIMITS))  # type: ignore[arg-type]
            while True:
                try:
                    receipts.append(next(steps))
                except StopIteration as end:
                    return receipts, end.value

    return finish


def test_a_host_with_settings_that_wait_is_rebooted_and_one_without_leaves(finish: Any, hosts: Hosts, journals: Path) -> None:
    kept(journals, "run-1", goes_in("1"), setting("1"), goes_in("2"), goes_in("3", vcenter="vc-2"))
    receipts, stopped = finish("run-1")
    assert stopped == ""
    assert hosts.done == [("reboot", (setting("1"),)), ("attempt", leaves("2", "12.5")), ("attempt", leaves("3", "12.5", "vc-2"))]
    assert [receipt.change for receipt in receipts] == [setting("1"), leaves("2", "12.5"), leaves("3", "12.5", "vc-2")]


def test_hosts_of_another_run_are_left_as_they_are(finish: Any, hosts: Hosts, journals: Path) -> None:
    kept(journals, "run-1", goes_in("1"))
    kept(journals, "run-2", goes_in("2"))
    finish("run-2")
    assert hosts.done == [("attempt", leaves("2", "12.5"))]
    assert finish("run-9") == ([], "")


@pytest.mark.parametrize(
    ("outcome", "stopped"),
    [
        pytest.param(Outcome.APPLIED, "", id="it left"),
        pytest.param(Outcome.ALREADY, "", id="somebody took it out"),
        pytest.param(Outcome.UNVERIFIED, "not attempted: esx-1 did not leave maintenance mode", id="it did not leave"),
        pytest.param(Outcome.REFUSED, "not attempted: esx-1 did not leave maintenance mode", id="it was refused"),
    ],
)
def test_a_host_that_does_not_leave_ends_it(finish: Any, hosts: Hosts, journals: Path, outcome: Outcome, stopped: str) -> None:
    kept(journals, "run-1", goes_in("1"), goes_in("2"))
    hosts.ends = {"1": outcome}
    receipts, why = finish("run-1")
    assert why == stopped
    assert len(receipts) == (1 if stopped else 2)


def test_a_reboot_that_stops_ends_it(finish: Any, hosts: Hosts, journals: Path) -> None:
    kept(journals, "run-1", goes_in("1"), setting("1"), goes_in("2"), setting("2"))
    hosts.stops = {"1": "not attempted: esx-1 did not come back"}
    assert finish("run-1")[1] == "not attempted: esx-1 did not come back"
    assert hosts.done == [("reboot", (setting("1"),))]


@pytest.mark.parametrize(
    ("runs", "left"),
    [
        pytest.param(["run-1"], [leaves("1", "600"), leaves("3", "600")], id="of one run"),
        pytest.param(["run-1", "run-2"], [leaves("1", "600"), leaves("3", "600"), leaves("2", "600")], id="of two"),
        pytest.param([], [], id="of none"),
        pytest.param(["run-9"], [], id="of one that left none"),
    ],
)
def test_what_takes_hosts_out_again_is_of_the_runs_that_left_them(journals: Path, runs: list[str], left: list[Change]) -> None:
    kept(journals, "run-1", goes_in("1"), goes_in("3"))
    kept(journals, "run-2", goes_in("2"))
    assert left_by(runs, journals, 600.0) == left
