"""Maintenance windows and protected resources: what fleet.yaml keeps from being written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.apply import undo
from auditor.apply.restrictions import UNRESTRICTED, Restrictions, TaggedObject, tags_of, without_owned, without_protected
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import EndpointUnreachableError, GuardError
from auditor.fleet.loading import load_fleet
from auditor.fleet.windows import MaintenanceWindow
from auditor.journal import Journal
from auditor.model import Change, FixClass, Outcome, Protection, Receipt, Resource, Target
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.soap.privileges import READ_ONLY
from tests.applying import apply
from tests.identified import as_seen

Make = Callable[..., Change]
OPEN = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)  # a Saturday
CLOSED = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
SATURDAY = MaintenanceWindow((5,), 22 * 60, 23 * 60, "UTC")


def of_cluster(cluster: str, window: MaintenanceWindow = SATURDAY) -> MaintenanceWindow:
    return replace(window, cluster=cluster)


def run(sessions: Sessions, journal: Journal, remediators: Any, restrictions: Restrictions, *changes: Change) -> list[Receipt]:
    plan = as_seen(sessions, *changes)
    made = apply(
        plan, sessions, journal, allow=frozenset(FixClass), confirm=lambda _: True, remediators=remediators, restrictions=restrictions
    )
    return list(made)


def test_outside_the_window_nothing_is_written_and_the_next_one_is_named(
    change: Make, shelf: Any, sessions: Sessions, journal: Journal, remediators: Any
) -> None:
    shelf.settings["depth"] = 32
    with pytest.raises(GuardError) as refused:
        run(sessions, journal, remediators, Restrictions((SATURDAY,), now=lambda: CLOSED), change())
    assert (
        refused.value.what
        == "no maintenance window is open for cluster gold of vc; the next one begins on Saturday, 2026-11-28 at 22:00 UTC"
    )
    assert shelf.writes == []


def test_a_run_that_passes_the_end_of_the_window_stops_before_the_next_change(
    change: Make, shelf: Any, sessions: Sessions, journal: Journal, remediators: Any
) -> None:
    shelf.settings |= {"depth": 32, "second": 32}
    times = iter([OPEN, OPEN, OPEN, CLOSED])
    first, second = run(sessions, journal, remediators, Restrictions((SATURDAY,), now=lambda: next(times)), change(), change("second"))
    assert (first.outcome, second.outcome) == (Outcome.APPLIED, Outcome.PROPOSED)
    assert "no maintenance window is open for cluster gold" in second.why
    assert shelf.writes == [("depth", 256)]


def test_a_window_of_one_cluster_lets_that_cluster_alone_be_written(
    change: Make, shelf: Any, sessions: Sessions, journal: Journal, remediators: Any
) -> None:
    shelf.settings |= {"depth": 32, "second": 32}
    gold, silver = change(), change("second", cluster="silver", host="esx-02")
    receipts = run(sessions, journal, remediators, Restrictions((of_cluster("gold"),), now=lambda: OPEN), silver, gold)
    assert {one.change.resource.cluster: one.outcome for one in receipts} == {"gold": Outcome.APPLIED, "silver": Outcome.PROPOSED}
    assert [name for name, _ in shelf.writes] == ["depth"]


@pytest.mark.parametrize(
    ("protection", "is_protected"),
    [
        pytest.param(Protection("x", resource="dep*"), True, id="its name"),
        pytest.param(Protection("x", host="esx-0?"), True, id="its host"),
        pytest.param(Protection("x", cluster="gold"), True, id="its cluster"),
        pytest.param(Protection("x", endpoint="vc"), True, id="its endpoint"),
        pytest.param(Protection("x", cluster="gold", host="esx-02"), False, id="one of two does not fit"),
        pytest.param(Protection("x", cluster="silver"), False, id="another cluster"),
        pytest.param(Protection("x", tag="freeze"), True, id="a tag on its host"),
        pytest.param(Protection("x", tag="change:fre*"), True, id="category and tag"),
        pytest.param(Protection("x", tag="tier-1"), True, id="a tag on its cluster"),
        pytest.param(Protection("x", tag="other"), False, id="a tag that something else carries"),
        pytest.param(Protection("x", tag="freeze", cluster="silver"), False, id="its tag, and another cluster"),
    ],
)
def test_what_is_protected_is_proposed_and_never_written(change: Make, protection: Protection, is_protected: bool) -> None:
    tagged = [
        TaggedObject("freeze", "change", "host-11"),
        TaggedObject("tier-1", "service", "domain-c5", cluster="gold"),
        TaggedObject("other", "change", "host-99"),
    ]
    one = replace(change(), target=Target("vc", (("host_id", "host-11"), ("setting", "depth"))))
    left, skipped = without_protected([one], [protection], lambda _name: tagged)
    assert (len(left), len(skipped)) == ((0, 1) if is_protected else (1, 0))
    if is_protected:
        assert skipped[0].outcome is Outcome.PROPOSED
        assert "protected by fleet.yaml" in skipped[0].why


def test_a_tag_that_cannot_be_read_protects(change: Make) -> None:
    def unreadable(_name: str) -> Sequence[TaggedObject]:
        raise EndpointUnreachableError("no answer", why="x", do="x")

    left, (receipt,) = without_protected([change()], [Protection("the payroll", tag="freeze")], unreadable)
    assert left == []
    assert "the payroll (its tags could not be read: no answer)" in receipt.why


def test_a_protected_resource_gets_no_write_and_does_not_count_against_the_limit(
    change: Make, shelf: Any, sessions: Sessions, journal: Journal, remediators: Any
) -> None:
    shelf.settings |= {"depth": 32, "second": 32}
    receipts = run(sessions, journal, remediators, Restrictions(protected=(Protection("x", resource="depth"),)), change(), change("second"))
    assert [(one.change.resource.name, one.outcome) for one in receipts] == [("depth", Outcome.PROPOSED), ("second", Outcome.APPLIED)]
    assert shelf.writes == [("second", 256)]


def test_an_undo_is_not_bound_by_windows_and_leaves_what_is_protected_by_now(
    change: Make, shelf: Any, sessions: Sessions, journal: Journal, remediators: Any
) -> None:
    shelf.settings |= {"depth": 32, "second": 32}
    run(sessions, journal, remediators, UNRESTRICTED, change(), change("second"))
    restrictions = Restrictions((SATURDAY,), (Protection("x", resource="depth"),), now=lambda: CLOSED)
    undone = undo(journal.run, sessions, journal, confirm=lambda _: True, remediators=remediators, restrictions=restrictions)
    assert {one.change.resource.name: one.outcome for one in undone} == {"depth": Outcome.PROPOSED, "second": Outcome.APPLIED}
    assert shelf.settings == {"depth": 256, "second": 32}


_TAGGED = """
vcenters:
  - name: vc-tagged
    clusters: [{name: gold, hosts: [{name: esx-1, version: 8.0.2, build: 22380479}, {name: esx-2, version: 8.0.2, build: 22380479}]}]
    tag_categories: [{name: change, tags: [{name: freeze, objects: [esx-1]}, {name: tier-1, objects: [gold]}]}]
"""


def test_tags_are_read_of_the_vcenter_itself(serve_vcenter: Callable[..., Any]) -> None:
    server, endpoint = serve_vcenter(parse_scenario(_TAGGED, "tagged").vcenters[0])
    with Sessions({"vc-test": endpoint}) as sessions:
        tagged = tags_of(sessions)("vc-test")
    host = server.state.host_id["esx-1"]
    assert {(one.category, one.tag, one.id == host, one.cluster) for one in tagged} == {
        ("change", "freeze", True, None),
        ("change", "tier-1", False, "gold"),
    }


def of_host(server: Any, name: str, cluster: str) -> Change:
    target = Target("vc-test", (("host_id", server.state.host_id[name]), ("option", "Disk.QFullSampleSize")))
    resource = Resource("host", name, name, "vc-test", cluster, name)
    return Change("host.option", FixClass.ONLINE, target, 0, 32, ("a/rule",), resource, "reason")


_OWNED = """
vcenters:
  - name: vc-owned
    clusters:
      - {name: gold, hosts: [{name: esx-1, version: 8.0.2, build: 22380479}]}
      - {name: silver, hosts: [{name: esx-2, version: 8.0.2, build: 22380479}, {name: esx-3, version: 8.0.2, build: 22380479}]}
      - {name: bronze, hosts: [{name: esx-4, version: 8.0.2, build: 22380479}]}
    profiles:
      - {name: standard, clusters: [gold], options: {}}
      - {name: one-host, hosts: [esx-3], options: {}}
      - {name: desired, kind: configuration-profile, clusters: [bronze], options: {}}
"""


def test_what_a_profile_owns_is_proposed_and_names_the_profile(serve_vcenter: Callable[..., Any]) -> None:
    server, endpoint = serve_vcenter(parse_scenario(_OWNED, "owned").vcenters[0])
    hosts = {"esx-1": "gold", "esx-2": "silver", "esx-3": "silver", "esx-4": "bronze"}
    changes = [of_host(server, name, cluster) for name, cluster in hosts.items()]
    notices: list[str] = []
    with Sessions({"vc-test": endpoint}) as sessions:
        left, skipped = without_owned(changes, sessions, notices.append)
    assert [one.resource.host for one in left] == ["esx-2"]
    assert {one.change.resource.host: one.why.partition(" owns ")[0] for one in skipped} == {
        "esx-1": "host profile standard",
        "esx-3": "host profile one-host",
        "esx-4": "the configuration profile of its cluster",
    }
    assert {one.outcome for one in skipped} == {Outcome.PROPOSED}
    assert notices == []


def test_where_it_cannot_be_read_who_owns_a_host_a_sentence_says_so(serve_vcenter: Callable[..., Any]) -> None:
    server, endpoint = serve_vcenter(parse_scenario(_OWNED, "owned").vcenters[0])
    server.privileges = READ_ONLY
    notices: list[str] = []
    with Sessions({"vc-test": endpoint}) as sessions:
        left, skipped = without_owned([of_host(server, "esx-1", "gold")], sessions, notices.append)
    assert (len(left), skipped) == (1, [])
    assert [notice.partition(" own ")[0] for notice in notices] == ["whether host profiles", "whether configuration profiles"]


_FLEET = """
endpoints: [{name: a, kind: vcenter, address: 192.0.2.1, username: x, password: {env: P}}]
maintenance:
  - {days: [sat, sun], from: "22:00", to: "06:00", time_zone: Europe/Berlin, cluster: "gold*"}
  - {from: "00:30", to: "24:00", time_zone: UTC}
protect:
  - {tag: "change:freeze", reason: the payroll runs until Friday}
reboot: {return_seconds: 2700}
"""


def test_fleet_yaml_says_when_and_what(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(_FLEET, encoding="utf-8")
    fleet = load_fleet(file)
    assert fleet.maintenance == (
        MaintenanceWindow((5, 6), 22 * 60, 6 * 60, "Europe/Berlin", cluster="gold*"),
        MaintenanceWindow((0, 1, 2, 3, 4, 5, 6), 30, 24 * 60, "UTC"),
    )
    assert fleet.protected == (Protection("the payroll runs until Friday", tag="change:freeze"),)
    assert (fleet.reboot.return_seconds, fleet.reboot.evacuate_seconds) == (2700, 3600)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param("[sat, sun]", "[sat, sut]", ':4: there is no item of "days" "sut"; did you mean "sun"?', id="no weekday"),
        pytest.param('"06:00"', '"25:00"', ':4: "to" must be a time of day', id="no time of day"),
        pytest.param('"06:00"', '"22:00"', ':4: item 1 of "maintenance" ends when it begins', id="no length"),
        pytest.param("time_zone: UTC", "time_zone: Mars/North", ':5: time_zone "Mars/North" is not known here', id="no time zone"),
        pytest.param('tag: "change:freeze", ', "", ':7: item 1 of "protect" needs at least one of', id="protects nothing"),
        pytest.param(", reason: the payroll runs until Friday", "", ':7: "reason" is missing', id="no reason"),
        pytest.param("2700", "0", ':8: "return_seconds" must be a number of seconds above 0', id="no time"),
    ],
)
def test_a_mistake_in_them_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    from auditor.errors import ConfigurationError

    file = tmp_path / "fleet.yaml"
    file.write_text(_FLEET.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ConfigurationError) as wrong:
        load_fleet(file)
    assert f"{file}{message}" in wrong.value.what
