"""A run that a health gate stopped is remembered: such a change waits until somebody has looked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.apply.failed_gates import GATES_FOLDER, FailedGates
from auditor.apply.pace import Pace
from auditor.endpoints.common.health import LATENCY, Health
from auditor.errors import GuardError
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Outcome, Plan, Receipt
from tests.apply.test_settling import FINE, Hall, hall, on_hosts, watched  # noqa: F401  hall and watched are fixtures
from tests.applying import apply

Make = Callable[..., Change]
Watched = tuple[Hall, dict[str, Health], list[int]]


def slow(name: str, milliseconds: float) -> Health:
    return replace(FINE, name=name, figures={**FINE.figures, LATENCY: milliseconds})


class Site:
    """Runs of one state directory, one after another."""

    def __init__(self, of: Watched, folder: Path) -> None:
        self.hall, self.reported, _ = of
        self.folder, self.runs = folder, 0

    def run(self, *changes: Change, identity: str = "1111", **options: bool) -> tuple[dict[str, Outcome], GuardError | None]:
        for change in changes:
            self.hall.shelf.settings.setdefault(change.target["setting"], change.before)
        self.runs += 1
        receipts: list[Receipt] = []
        stopped = None
        with open_journal(self.folder / "journal", f"run-{self.runs}") as journal:
            try:
                for receipt in apply(
                    Plan(changes, identities={"vc": identity}),
                    self.hall.sessions,
                    journal,
                    allow={FixClass.ONLINE},
                    confirm=lambda _changes: True,
                    remediators=lambda _name: self.hall.shelf,
                    pace=Pace(60.0, ask_health=True, wait=lambda _seconds: self.hall.while_settling()),
                    gates=FailedGates(self.folder / GATES_FOLDER, looked=options.get("looked", False), accept=options.get("accept", False)),
                ):
                    receipts.append(receipt)  # noqa: PERF402  those before an error count
            except GuardError as error:
                stopped = error
        return {receipt.change.target["setting"]: receipt.outcome for receipt in receipts}, stopped


@pytest.fixture
def site(watched: Watched, tmp_path: Path) -> Site:  # noqa: F811  the fixture
    return Site(watched, tmp_path)


def fail(site: Site, changes: list[Change]) -> None:
    """A run after whose first host everything is slow, and stays so."""
    site.reported |= {f"esx-{place:04}": slow(f"esx-{place:04}", 1.0) for place in range(1, 10)}
    slower = {name: slow(name, 841.0) for name in site.reported}
    site.hall.while_settling = lambda: site.reported.update(slower)
    made, stopped = site.run(*changes)
    assert stopped is not None
    assert "rose from 1 ms to 841 ms" in stopped.what
    assert list(made.values()).count(Outcome.APPLIED) == 1


def test_the_same_command_again_changes_nothing(site: Site, change: Make) -> None:
    changes = on_hosts(change, 4)
    fail(site, changes)
    written = list(site.hall.shelf.writes)
    made, stopped = site.run(*changes[1:])
    assert stopped is not None
    assert stopped.what.startswith("3 changes not attempted: run run-1 was stopped after such a change, latency of esx-0001 rose")
    assert "--after-failed-gate" in stopped.do
    assert (made, site.hall.shelf.writes) == ({}, written)


def test_other_changes_and_other_clusters_go_on(site: Site, change: Make) -> None:
    changes = on_hosts(change, 2)
    fail(site, changes)
    site.hall.while_settling = lambda: None
    elsewhere = replace(on_hosts(change, 3)[2], resource=replace(changes[0].resource, cluster="silver", host="esx-0003"))
    made, stopped = site.run(changes[1], elsewhere)
    assert stopped is None
    assert made == {"d2": Outcome.PROPOSED, "d3": Outcome.APPLIED}


def test_a_cluster_that_was_renamed_is_known_by_its_hosts_and_an_endpoint_by_who_it_is(site: Site, change: Make) -> None:
    changes = on_hosts(change, 2)
    fail(site, changes)
    renamed = replace(changes[1], resource=replace(changes[1].resource, cluster="gold-new"))
    assert site.run(renamed)[1] is not None
    site.hall.while_settling = lambda: None
    gates = FailedGates(site.folder / GATES_FOLDER)
    left, held, _ = gates.without_failed([changes[1]], {"vc": "another vCenter"})
    assert (left, held) == ([changes[1]], [])


def test_after_somebody_looked_health_is_compared_with_the_last_good(site: Site, change: Make) -> None:
    changes = on_hosts(change, 3)
    fail(site, changes)
    # Slow before and after: compared with the last reading it would be well.
    made, stopped = site.run(changes[0], looked=True)
    assert stopped is None, "nothing was written, so nothing is compared"
    site.hall.shelf.settings["d1"] = 32
    made, stopped = site.run(changes[0], looked=True)
    assert stopped is not None
    assert "latency of esx-0001 rose from 1 ms to 841 ms" in stopped.what
    assert made == {"d1": Outcome.APPLIED}


def test_who_accepts_the_health_of_now_goes_on_and_the_gate_is_forgotten(site: Site, change: Make) -> None:
    changes = on_hosts(change, 3)
    fail(site, changes)
    site.hall.shelf.settings["d1"] = 32
    made, stopped = site.run(*changes, accept=True)
    assert stopped is None
    assert set(made.values()) == {Outcome.APPLIED}
    assert list((site.folder / GATES_FOLDER).glob("*.json")) == []


@pytest.mark.parametrize("harm", ["{", "[]", "link"])
def test_a_file_that_cannot_be_read_lets_nothing_be_written(site: Site, change: Make, harm: str) -> None:
    changes = on_hosts(change, 2)
    fail(site, changes)
    [file] = (site.folder / GATES_FOLDER).glob("*.json")
    if harm == "link":
        file.rename(site.folder / "elsewhere.json")
        file.symlink_to(site.folder / "elsewhere.json")
    else:
        file.write_text(harm, encoding="utf-8")
    written = list(site.hall.shelf.writes)
    _, stopped = site.run(changes[1])
    assert stopped is not None
    assert str(file) in stopped.what
    assert site.hall.shelf.writes == written
