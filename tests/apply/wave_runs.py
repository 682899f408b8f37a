"""A site of changes to run in waves, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from auditor.apply.pace import Pace
from auditor.apply.wave_run import WaveRun, wave_receipts
from auditor.errors import GuardError
from auditor.model import Change, FixClass, Outcome, Receipt, Target

Make = Callable[..., Change]
WELL = frozenset({Outcome.APPLIED, Outcome.ALREADY})
STOP = GuardError("somebody else writes", why="x", do="x")


def applied(change: Change) -> Receipt:
    return Receipt(change, Outcome.APPLIED, change.after)


@dataclass
class Site:
    """What a run asks, and what it was asked and told.

    Attributes:
        ends: by setting: how an attempt ends; else it is applied.
        reverted: receipts that the next second readings give, one after another.
        worse: what the next readings of health give, one after another.
        events: what happened, in order.
    """

    ends: dict[str, Outcome] = field(default_factory=dict)
    reverted: list[list[Receipt]] = field(default_factory=list)
    worsened: list[list[str]] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def run(
        self, settle_seconds: float = 60.0, ended: dict[int, Receipt] | None = None, others: Any = None, *, ask_health: bool = False
    ) -> WaveRun:
        pace = Pace(
            settle_seconds,
            ask_health=ask_health,
            wait=lambda seconds: self.note("wait", seconds),
            notice=lambda text: self.note("notice", text),
        )
        return WaveRun(
            self.attempt,
            self.check,
            self,  # type: ignore[arg-type]  # it is the watch of health as well
            pace,
            WELL,
            lambda change, number, of: self.note("show", change.resource.name, number, of),
            9,
            {} if ended is None else ended,
            others,
            failed=lambda changes, what: self.note("failed", names(changes), what),
            passed=lambda changes: self.note("passed", names(changes)),
        )

    def note(self, *event: Any) -> None:
        self.events.append(event)

    def attempt(self, change: Change) -> Receipt:
        self.note("attempt", change.resource.name)
        return Receipt(change, self.ends.get(change.resource.name, Outcome.APPLIED), change.after)

    def check(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        self.note("check", names([one.change for one in receipts]))
        return self.reverted.pop(0) if self.reverted else []

    def worse(self, changes: Sequence[Change]) -> list[str]:
        self.note("health", names(changes))
        return self.worsened.pop(0) if self.worsened else []

    def begin_again(self) -> None:
        self.note("begin again")

    def of(self, *kinds: str) -> list[tuple[Any, ...]]:
        return [event for event in self.events if event[0] in kinds]


def names(changes: Sequence[Change]) -> list[str]:
    return [change.resource.name for change in changes]


@pytest.fixture
def site() -> Site:
    return Site()


def receipts_of(
    run: WaveRun, *changes: Change, leave: Sequence[Change] = (), rolling: Any = None, finish: Sequence[str] = (), skipped: Any = ()
) -> tuple[list[tuple[str, Outcome]], GuardError | None]:
    """The names and outcomes of all receipts, and what ended the run."""
    found: list[tuple[str, Outcome]] = []
    try:
        for receipt in wave_receipts(run, changes, skipped, rolling, finish, lambda: leave):
            run.noted(receipt)
            found.append((receipt.change.resource.name, receipt.outcome))
    except GuardError as error:
        return found, error
    return found, None


def on_host(change: Make, name: str, host: str, *, reboots: bool = False, number: int = 0, waits_for: tuple[int, ...] = ()) -> Change:
    one = change(name, host=host, fix_class=FixClass.REBOOT if reboots else FixClass.ONLINE)
    return replace(one, target=Target("vc", (("host_id", host), ("setting", name))), number=number, waits_for=waits_for)


@dataclass
class Reboots:
    """What reboots give instead of rebooting: receipts and why the run stops, by run that is finished, or "" for its own."""

    site: Site
    steps: dict[str, tuple[list[Receipt], str]] = field(default_factory=dict)

    def finish(self, run: str, rolling: Any) -> Generator[Receipt, None, str]:
        assert rolling == "rolling"
        self.site.note("finish", run)
        receipts, stopped = self.steps.get(run, ([], ""))
        yield from receipts
        return stopped

    def reboot(self, changes: Sequence[Change], rolling: Any, ended: Any, well: Any) -> Generator[Receipt, None, str]:
        assert (rolling, well) == ("rolling", WELL)
        self.site.note("reboot", names(changes), sorted(ended))
        receipts, stopped = self.steps.get("", ([applied(change) for change in changes], ""))
        yield from receipts
        return stopped


@pytest.fixture
def reboots(site: Site, monkeypatch: pytest.MonkeyPatch) -> Reboots:
    reboots = Reboots(site)
    monkeypatch.setattr("auditor.apply.wave_run.finish_reboots", reboots.finish)
    monkeypatch.setattr("auditor.apply.wave_run.reboot_hosts", reboots.reboot)
    return reboots
