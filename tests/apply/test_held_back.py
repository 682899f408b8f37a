"""What fleet.yaml would hold back of a plan, before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.apply.held_back import held_back
from auditor.apply.protection import TaggedObject
from auditor.endpoints.common.sessions import Sessions
from auditor.fleet.loading import Fleet, load_fleet
from auditor.model import Change, Outcome, Reach, Receipt

Make = Callable[..., Change]

FLEET = """
endpoints:
  - {name: vc, kind: vcenter, address: 192.0.2.1, username: x, password: {env: P}}
  - {name: vc-2, kind: vcenter, address: 192.0.2.2, username: x, password: {env: P}}
  - {name: sf, kind: element, address: 192.0.2.3, username: x, password: {env: P}}
  - {name: sf-2, kind: element, address: 192.0.2.4, username: x, password: {env: P}}
"""
OPEN_ON_GOLD = """
maintenance:
  - {days: [mon, tue, wed, thu, fri, sat, sun], from: "00:00", to: "24:00", time_zone: UTC, cluster: gold}
"""


@pytest.fixture
def fleet(tmp_path: Path) -> Callable[[str], Fleet]:
    def fleet(rest: str) -> Fleet:
        file = tmp_path / "fleet.yaml"
        file.write_text(FLEET + rest, encoding="utf-8")
        return load_fleet(file)

    return fleet


def test_a_fleet_that_restricts_nothing_holds_nothing_back(fleet: Callable[[str], Fleet], change: Make) -> None:
    assert held_back(fleet(""), [change()]) == ()


def test_protected_and_closed_changes_get_a_receipt_with_the_reason(fleet: Callable[[str], Fleet], change: Make) -> None:
    protected, closed, free = change("a"), change("b", cluster="silver", host="esx-02"), change("c")
    restricted = fleet(f"{OPEN_ON_GOLD}protect:\n  - {{resource: a, reason: the payroll}}\n")
    assert held_back(restricted, iter([closed, protected, free])) == (
        Receipt(protected, Outcome.PROPOSED, 32, "protected by fleet.yaml, so it is proposed alone: the payroll"),
        Receipt(
            closed,
            Outcome.PROPOSED,
            32,
            "not attempted: no maintenance window is open for cluster silver of vc; no window of fleet.yaml is for it",
        ),
    )


def test_a_tag_is_asked_of_the_vcenter_of_the_change(fleet: Callable[[str], Fleet], change: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def tags_of(sessions: Sessions) -> Callable[[str], Sequence[TaggedObject]]:
        clusters = {"192.0.2.1": "gold", "192.0.2.2": "silver"}
        return lambda name: [TaggedObject("freeze", "c", "domain-1", cluster=clusters[sessions.endpoint(name).address])]

    monkeypatch.setattr("auditor.apply.held_back.tags_of", tags_of)
    frozen = fleet("protect:\n  - {tag: freeze, reason: the payroll}\n")
    changes = [change("a"), change("b", where="vc-2", cluster="silver", host="esx-9"), change("c", where="vc-2")]
    assert [receipt.change.resource.name for receipt in held_back(frozen, changes)] == ["a", "b"]


def test_an_entry_for_another_vcenter_holds_back_nothing_of_this_one(fleet: Callable[[str], Fleet], change: Make) -> None:
    other = fleet("protect:\n  - {endpoint: vc-2, reason: the payroll}\n")
    assert [receipt.change.resource.name for receipt in held_back(other, [change("a"), change("b", where="vc-2")])] == ["b"]


def test_no_host_is_on_an_array_so_an_entry_for_another_one_holds_back_no_policy(fleet: Callable[[str], Fleet], change: Make) -> None:
    policy = replace(change(host=None, cluster=None, where="sf"), remediator="element.qos_policy", reach=Reach(None, None))
    assert held_back(fleet("protect:\n  - {endpoint: sf-2, reason: the payroll}\n"), [policy]) == ()
    [receipt] = held_back(fleet("protect:\n  - {endpoint: vc-2, reason: the payroll}\n"), [policy])
    assert receipt.why.endswith("the payroll (which hosts stand on it is not known)")
