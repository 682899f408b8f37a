from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from auditor.apply.wave_order import Wave, WaveOrder, unit_of
from auditor.model import Change, Outcome, Receipt, Target

WELL = frozenset({Outcome.APPLIED, Outcome.ALREADY})
Make = Callable[..., Change]


@pytest.fixture
def fleet(change: Make) -> Callable[..., list[Change]]:
    def made(clusters: dict[str, int], kinds: tuple[str, ...] = ("device.dsnro",), where: str = "vc") -> list[Change]:
        """One change of each kind on each host of each cluster."""
        changes = []
        for cluster, size in clusters.items():
            for number in range(1, size + 1):
                one = change(f"{cluster}-{number:04}", host=f"{cluster}-{number:04}", cluster=cluster, where=where)
                changes += [replace(one, remediator=kind) for kind in kinds]
        return changes

    return made


def run(stages: list[list[Change]], outcomes: dict[str, Outcome] | None = None) -> list[tuple[Wave, list[str]]]:
    """Every wave with the hosts it goes to, where each host ends as `outcomes` says, else APPLIED."""
    waves, order = [], WaveOrder()
    for stage in stages:
        order.begin(stage)
        while (wave := order.next()) is not None:
            receipts = [Receipt(one, (outcomes or {}).get(str(one.resource.host), Outcome.APPLIED), None) for one in wave.changes]
            order.learn(receipts, WELL, tries=wave.tries)
            waves.append((wave, list(dict.fromkeys(str(one.resource.host) for one in wave.changes))))
        assert order.left == ()
    return waves


def sizes(waves: list[tuple[Wave, list[str]]]) -> list[int]:
    return [len(hosts) for _, hosts in waves]


def test_a_kind_goes_to_one_host_of_the_fleet_then_one_of_each_cluster_then_to_shares_that_grow(fleet: Any) -> None:
    waves = run([fleet({"gold": 20, "silver": 10, "bronze": 1})])
    assert [hosts for _, hosts in waves[:2]] == [["gold-0001"], ["silver-0001", "bronze-0001"]]
    # 10 % of gold are two hosts and 30 % six, of silver one and three: what was done before counts.
    assert sizes(waves) == [1, 2, 1, 4 + 2, 14 + 7]
    assert [wave.tries for wave, _ in waves] == [True, True, False, False, False]


def test_every_change_is_in_one_wave_and_those_of_a_host_are_together(fleet: Any) -> None:
    changes = fleet({"gold": 7, "silver": 5}, kinds=("a", "b"))
    waves = run([changes])
    made = [one for wave, _ in waves for one in wave.changes]
    assert sorted(map(repr, made)) == sorted(map(repr, changes))
    assert [one.remediator for one in made[:2]] == ["a", "b"]
    hosts = [host for _, names in waves for host in names]
    assert len(hosts) == len(set(hosts))


def test_each_kind_has_a_first_host_of_its_own_where_one_host_has_not_all_kinds(fleet: Any, change: Make) -> None:
    rare = replace(change("gold-0003", host="gold-0003", cluster="gold"), remediator="rare")
    waves = run([[*fleet({"gold": 4}), rare]])
    # Host 3 has both kinds, so it is the first of both.
    assert waves[0][1] == ["gold-0003"]
    assert [one.remediator for one in waves[0][0].changes] == ["device.dsnro", "rare"]


def test_kinds_that_no_host_has_together_are_tried_at_once(change: Make) -> None:
    on_host = replace(change("a1", host="esx-01"), remediator="host.option")
    volume = replace(change("v1", host=None, cluster=None), remediator="element.volume_limits")
    second = replace(volume, target=Target("vc", (("volume_id", "2"),)), resource=replace(volume.resource, id="2"))
    waves = run([[volume, second, on_host]])
    assert [one.remediator for one in waves[0][0].changes] == ["element.volume_limits", "host.option"]
    assert len(waves) == 2


def test_two_options_are_two_kinds(change: Make) -> None:
    def option(name: str, host: str) -> Change:
        target = Target("vc", (("host_id", host), ("option", name)))
        return replace(change(name, host=host), remediator="host.option", target=target)

    waves = run([[option("A", "esx-01"), option("B", "esx-02"), option("A", "esx-03"), option("B", "esx-04")]])
    assert waves[0][1] == ["esx-01", "esx-02"]


def test_a_kind_that_is_refused_in_a_cluster_is_tried_in_another(fleet: Any) -> None:
    waves = run([fleet({"gold": 3, "silver": 3})], {"gold-0001": Outcome.REFUSED})
    assert [hosts for _, hosts in waves] == [["gold-0001"], ["silver-0001"], ["silver-0002", "silver-0003"]]


def test_a_host_that_was_as_wanted_before_shows_nothing_so_the_next_one_is_the_first(fleet: Any) -> None:
    waves = run([fleet({"gold": 30})], {"gold-0001": Outcome.ALREADY})
    assert sizes(waves)[:3] == [1, 1, 1]
    assert waves[1][0].tries


def test_a_refusal_after_its_kind_was_tried_holds_nothing_back(fleet: Any) -> None:
    waves = run([fleet({"gold": 10})], {"gold-0003": Outcome.REFUSED})
    assert sum(sizes(waves)) == 10


def test_a_thousand_hosts_are_cut_in_no_time(fleet: Any) -> None:
    waves = run([fleet({f"cluster-{number}": 32 for number in range(31)})])
    assert sizes(waves) == [1, 30, 3 * 31, 6 * 31, 22 * 31]


def test_a_stage_is_done_before_the_next_begins_and_what_was_tried_stays_tried(fleet: Any) -> None:
    assert [hosts for _, hosts in run([fleet({"gold": 4}), fleet({"silver": 4}), fleet({"bronze": 1}, kinds=("other",))])] == [
        ["gold-0001"],
        ["gold-0002"],
        ["gold-0003", "gold-0004"],
        ["silver-0001"],
        ["silver-0002"],
        ["silver-0003", "silver-0004"],
        ["bronze-0001"],
    ]


def test_waves_are_named_by_their_first_hosts_and_their_shares(fleet: Any) -> None:
    clusters = {f"c{number}": 11 for number in range(5)}
    assert [wave.name for wave, _ in run([fleet(clusters)])] == [
        "the first of the fleet (c0-0001)",
        "the first of each cluster (c1-0001, c2-0001, c3-0001 and 1 more)",
        "10% of each cluster",
        "30% of each cluster",
        "all that is left",
    ]
    assert run([fleet({f"c{number}": 1 for number in range(4)})])[1][0].name == "the first of each cluster (c1-0001, c2-0001, c3-0001)"


def test_what_is_on_no_host_is_named_by_itself(change: Make) -> None:
    [(wave, _)] = run([[change("policy", host=None, cluster=None)]])
    assert wave.name == "the first of the fleet (policy)"


def test_one_by_one_each_wave_is_one_host(fleet: Any) -> None:
    order = WaveOrder(one_by_one=True)
    order.begin(fleet({"gold": 12, "silver": 2}, kinds=("a", "b")))
    waves = []
    while (wave := order.next()) is not None:
        order.learn([Receipt(one, Outcome.APPLIED, None) for one in wave.changes], WELL, tries=wave.tries)
        waves.append({one.resource.host for one in wave.changes})
    assert [len(hosts) for hosts in waves] == [1] * 14
    assert len(set.union(*waves)) == 14


def ended(change: Change, outcome: Outcome) -> Receipt:
    return Receipt(change, outcome, None)


@pytest.fixture
def two_kinds(fleet: Any) -> tuple[WaveOrder, list[Change]]:
    """An order with two kinds on each of three hosts, after its first wave was given; and the changes of that wave."""
    order = WaveOrder()
    order.begin(fleet({"gold": 3}, kinds=("a", "b")))
    wave = order.next()
    assert wave is not None
    return order, list(wave.changes)


def left(order: WaveOrder) -> list[tuple[str, str | None]]:
    return [(one.remediator, one.resource.host) for one in order.left]


def test_a_kind_that_is_refused_is_held_back_on_all_other_hosts_and_the_other_kind_goes_on(two_kinds: Any) -> None:
    order, (first, second) = two_kinds
    held = order.learn([ended(first, Outcome.REFUSED), ended(second, Outcome.APPLIED)], WELL, tries=True)
    assert [(one.remediator, one.resource.host) for one, _ in held] == [("a", "gold-0002"), ("a", "gold-0003")]
    assert {why for _, why in held} == {"not attempted: the canary gold-0001 ended refused on a on gold-0001"}
    assert left(order) == [("b", "gold-0002"), ("b", "gold-0003")]
    wave = order.next()
    assert wave is not None
    assert not wave.tries, "the kind that is left was tried"


def test_two_kinds_that_are_refused_are_both_held_back_and_nothing_is_left(two_kinds: Any) -> None:
    order, both = two_kinds
    held = order.learn([ended(one, Outcome.STALE) for one in both], WELL, tries=True)
    assert sorted((one.remediator, one.resource.host) for one, _ in held) == [
        ("a", "gold-0002"),
        ("a", "gold-0003"),
        ("b", "gold-0002"),
        ("b", "gold-0003"),
    ]
    assert (order.left, order.next()) == ((), None)


@pytest.mark.parametrize(
    ("outcome", "tries"),
    [
        pytest.param(Outcome.BY_HAND, True, id="somebody put it back once, so it is left to a person"),
        pytest.param(Outcome.REFUSED, False, id="in a wave that tries nothing"),
    ],
)
def test_what_says_nothing_about_other_hosts_holds_nothing_back(two_kinds: Any, outcome: Outcome, *, tries: bool) -> None:
    order, (first, second) = two_kinds
    assert order.learn([ended(first, outcome), ended(second, Outcome.ALREADY)], WELL, tries=tries) == []
    assert len(left(order)) == 4


def test_a_kind_that_was_tried_in_a_cluster_is_not_held_back_where_another_kind_is_tried(two_kinds: Any) -> None:
    order, (first, second) = two_kinds
    order.learn([ended(first, Outcome.APPLIED), ended(second, Outcome.ALREADY)], WELL, tries=True)
    wave = order.next()
    assert wave is not None
    assert wave.tries
    assert order.learn([ended(wave.changes[0], Outcome.REFUSED), ended(wave.changes[1], Outcome.APPLIED)], WELL, tries=True) == []
    assert left(order) == [("a", "gold-0003"), ("b", "gold-0003")]


def test_a_canary_on_no_host_is_named_by_itself(change: Make) -> None:
    first, second = (change(name, host=None, cluster=None) for name in ("one", "two"))
    order = WaveOrder()
    order.begin([first, second])
    order.next()
    [(one, why)] = order.learn([ended(first, Outcome.REFUSED)], WELL, tries=True)
    assert (one, why) == (second, "not attempted: the canary one ended refused on shelf on one")


@pytest.mark.parametrize(
    ("keys", "host", "unit"),
    [
        pytest.param({"host_id": "host-1"}, "esx-01", "host-1", id="a host, by its id"),
        pytest.param({}, "esx-01", "esx-01", id="a host, by its name"),
        pytest.param({}, None, "protocol_endpoint depth", id="an object"),
    ],
)
def test_a_wave_has_a_host_whole_whatever_its_settings_are_called(change: Make, keys: dict[str, str], host: str | None, unit: str) -> None:
    one = change(host=host)
    assert unit_of(replace(one, target=Target("vc", (*keys.items(), *one.target.keys)))) == unit


def test_a_host_goes_before_an_object_of_the_same_kind_and_is_what_its_settings_are_named_by(change: Make) -> None:
    store, host = change("store", host=None), change("depth", host="esx-01")
    order = WaveOrder()
    order.begin([store, host])
    wave = order.next()
    assert wave is not None
    assert (wave.changes, wave.name) == ((host,), "the first of the fleet (esx-01)")
    [(_, why)] = order.learn([ended(host, Outcome.STALE)], WELL, tries=True)
    assert why == "not attempted: the canary esx-01 ended stale on shelf on depth"
