"""Maintenance windows and protected resources: what fleet.yaml keeps from being written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.apply import undo
from auditor.apply.restrictions import (
    UNRESTRICTED,
    Restrictions,
    TaggedObject,
    check_windows,
    restrictions_of,
    tags_of,
    without_owned,
    without_protected,
)
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError, GuardError
from auditor.fleet.loading import load_fleet
from auditor.fleet.windows import MaintenanceWindow
from auditor.journal import Journal
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Outcome, Protection, Reach, Receipt, Resource, Target
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.soap.privileges import READ_ONLY
from tests.apply.conftest import WHY_AND_DO, endpoint
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


NO_WINDOW = "not attempted: no maintenance window is open for "
AT_SATURDAY = "the next one begins on Saturday, 2026-11-28 at 22:00 UTC"
NOT_KNOWN = "not attempted: which hosts stand on it is not known, and no maintenance window of the whole fleet is open"
LATER = replace(SATURDAY, days=(6,))  # a Sunday
OF_VC = replace(SATURDAY, endpoint="vc")


@pytest.mark.parametrize(
    ("windows", "at", "cluster", "why"),
    [
        pytest.param((SATURDAY,), OPEN, "gold", None, id="open"),
        pytest.param((SATURDAY,), CLOSED, None, f"{NO_WINDOW}vc; {AT_SATURDAY}", id="a host in no cluster"),
        pytest.param(
            (OF_VC, replace(LATER, endpoint="other")), CLOSED, "gold", f"{NO_WINDOW}cluster gold of vc; {AT_SATURDAY}", id="its vCenter"
        ),
        pytest.param(
            *((of_cluster("gold"), of_cluster("silver", LATER)), CLOSED, "gold", f"{NO_WINDOW}cluster gold of vc; {AT_SATURDAY}"),
            id="its cluster",
        ),
    ],
)
def test_the_next_window_that_is_named_is_one_of_its_own_place(
    change: Make, windows: tuple[MaintenanceWindow, ...], at: datetime, cluster: str | None, why: str | None
) -> None:
    assert Restrictions(windows, now=lambda: at).closed(change(cluster=cluster)) == why


@pytest.mark.parametrize("reach", [None, Reach(None, None)], ids=["an older plan", "not all was read"])
@pytest.mark.parametrize(
    ("windows", "why"),
    [
        pytest.param((), None, id="no windows"),
        pytest.param((SATURDAY,), None, id="the whole fleet is open"),
        pytest.param((replace(SATURDAY, endpoint="*"),), None, id="all endpoints are open"),
        pytest.param((OF_VC,), NOT_KNOWN, id="its vCenter alone is open"),
        pytest.param((OF_VC, LATER), NOT_KNOWN, id="its vCenter is open, and the whole fleet later"),
    ],
)
def test_what_unknown_hosts_stand_on_waits_for_a_window_of_the_whole_fleet(
    change: Make, reach: Reach | None, windows: tuple[MaintenanceWindow, ...], why: str | None
) -> None:
    store = replace(change(host=None, cluster=None), reach=reach)
    assert Restrictions(windows, now=lambda: OPEN).closed(store) == why


@pytest.mark.parametrize(
    ("cluster", "hosts", "why"),
    [
        pytest.param(None, (("vc", "gold", "esx-1"),), None, id="of a datastore, the cluster that uses it"),
        pytest.param("gold", (), None, id="of a host, its own cluster"),
        pytest.param("silver", (("vc", "gold", "esx-1"),), "cluster silver of vc", id="of a host, its own cluster too"),
        pytest.param(None, (("vc", "gold", "esx-1"), ("vc", "silver", "esx-2")), "cluster silver of vc", id="one of two clusters"),
        pytest.param(None, (("vc", None, "esx-3"), ("vc", "gold", "esx-1")), "vc", id="a host in no cluster, and a cluster"),
        pytest.param(None, (("other", "gold", "esx-1"),), "vc", id="a cluster of another vCenter covers none of this one"),
    ],
)
def test_every_place_that_feels_a_change_has_to_be_open(
    change: Make, cluster: str | None, hosts: tuple[tuple[str, str | None, str], ...], why: str | None
) -> None:
    felt = replace(change(host=None, cluster=cluster), reach=Reach(hosts, ()))
    closed = Restrictions((of_cluster("gold"),), now=lambda: OPEN).closed(felt)
    assert closed == (None if why is None else f"{NO_WINDOW}{why}; no window of fleet.yaml is for it")


def test_a_run_without_changes_waits_for_no_window() -> None:
    check_windows([], Restrictions((SATURDAY,), now=lambda: CLOSED))


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


VCENTERS, OTHER_KINDS = ("vc", "vc-2", "vc-3"), {"esx": EndpointKind.ESXI, "sf": EndpointKind.ELEMENT}


@pytest.fixture
def estate() -> Iterator[Sessions]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        if one.name == "vc-3":
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        yield SessionBase(one)

    kinds = dict.fromkeys(VCENTERS, EndpointKind.VCENTER) | OTHER_KINDS
    with Sessions({name: endpoint(name, kind) for name, kind in kinds.items()}, dict.fromkeys(EndpointKind, opened)) as held:
        yield held


def on(where: str, host_id: str | None, remediator: str = "host.option", *, host: str | None = "esx-1") -> Change:
    keys = (("option", "Disk.QFullSampleSize"),)
    target = Target(where, (*keys, ("host_id", host_id)) if host_id else keys)
    return Change(remediator, FixClass.ONLINE, target, 0, 32, ("a/rule",), Resource("host", "id-1", "thing", where, "gold", host), "reason")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """The vCenters and hosts that are asked for owners; a profile owns the hosts called host-1."""
    asked: list[tuple[str, list[str]]] = []

    def owners(session: SessionBase, hosts: list[str]) -> tuple[dict[str, str], tuple[str, ...]]:
        asked.append((session.endpoint.name, hosts))
        return dict.fromkeys({"host-1"}.intersection(hosts), "host profile p"), ()

    monkeypatch.setattr("auditor.endpoints.vcenter.profile_owners.profile_owners", owners)
    return asked


def test_each_vcenter_is_asked_once_who_owns_the_hosts_that_settings_are_written_on(
    estate: Sessions, asked: list[tuple[str, list[str]]]
) -> None:
    owned = [on("vc", "host-1"), on("vc-2", "host-1", host=None)]
    free = [
        on("vc", "host-2"),
        on("vc", None),
        on("vc", "host-1-boot", "host.boot"),
        on("esx", "host-1"),
        on("sf", "host-1", "element.qos_policy"),
    ]
    left, skipped = without_owned([*owned, *free], estate, lambda _sentence: None)
    assert asked == [("vc", ["host-1", "host-2"]), ("vc-2", ["host-1"])]
    assert left == free
    assert [(one.change, one.outcome, one.found) for one in skipped] == [(one, Outcome.PROPOSED, 0) for one in owned]
    assert [one.why for one in skipped] == [
        "host profile p owns the settings of esx-1: change it there, or it is put back",
        "host profile p owns the settings of thing: change it there, or it is put back",
    ]


def test_a_vcenter_that_does_not_answer_leaves_its_owners_unknown(estate: Sessions, asked: list[tuple[str, list[str]]]) -> None:
    notices: list[str] = []
    dead = on("vc-3", "host-1")
    left, skipped = without_owned([dead, on("vc", "host-1")], estate, notices.append)
    assert (left, [one.change.target.endpoint for one in skipped]) == ([dead], ["vc"])
    assert notices == [
        "whether profiles own settings of vc-3 could not be read (no answer); what one puts back is noticed after the write."
    ]
    assert asked == [("vc", ["host-1"])]


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


def test_a_run_is_restricted_by_what_fleet_yaml_says_and_knows_its_vcenters(tmp_path: Path) -> None:
    file = tmp_path / "fleet.yaml"
    array = "{name: sf, kind: element, address: 192.0.2.2, username: x, password: {env: P}}"
    file.write_text(_FLEET.replace("{env: P}}]", f"{{env: P}}}}, {array}]"), encoding="utf-8")
    notices: list[str] = []
    restrictions = restrictions_of(load_fleet(file), notices.append)
    assert [window.cluster for window in restrictions.windows] == ["gold*", None]
    assert [entry.tag for entry in restrictions.protected] == ["change:freeze"]
    assert restrictions.vcenters == frozenset({"a"})
    restrictions.notice("a sentence")
    assert notices == ["a sentence"]


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
