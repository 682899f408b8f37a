"""One run changes no more hosts than its limit; a larger one begins, and stops after its first host, unless somebody has decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from auditor.apply import Excess, Limits, limits_of
from auditor.apply.limits import begun, larger, touched
from auditor.errors import ConfigurationError, GuardError
from auditor.journal import Journal
from auditor.model import Change, FixClass, Outcome, Plan, Receipt, Target
from tests.apply.test_waves import KNOWN
from tests.applying import apply

Make = Callable[..., Change]
HOSTS: dict[tuple[str, str | None], int] = {("vc", "gold"): 20, ("vc", "silver"): 9}


def made(
    limits: Limits, shelf: Any, sessions: Any, journal: Journal, remediators: Any, *changes: Change
) -> tuple[list[Receipt], GuardError | None]:
    """The receipts, and what ended the run."""
    for change in changes:
        shelf.settings.setdefault(change.target["setting"], change.before)
    receipts: list[Receipt] = []
    try:
        for receipt in apply(
            Plan(changes, identities=KNOWN),
            sessions,
            journal,
            allow={FixClass.ONLINE},
            confirm=lambda _changes: True,
            remediators=remediators,
            limits=limits,
        ):
            receipts.append(receipt)  # noqa: PERF402  those before an error count
    except GuardError as error:
        return receipts, error
    return receipts, None


def places(change: Make, gold: int, silver: int, objects: int) -> list[Change]:
    changes = [change(f"g{place}-{device}", host=f"g{place}") for place in range(gold) for device in range(3)]
    changes += [change(f"s{place}", host=f"s{place}", cluster="silver") for place in range(silver)]
    return changes + [change(f"v{place}", host=None, cluster=None) for place in range(objects)]


@pytest.mark.parametrize(
    ("gold", "silver", "objects", "population", "message"),
    [
        pytest.param(2, 0, 0, 100, None, id="a tenth of a cluster"),
        pytest.param(
            3, 0, 0, 100, "9 changes on 3 hosts of cluster gold .* 10 % of the hosts of cluster gold, here 2", id="more than a tenth"
        ),
        pytest.param(0, 1, 0, 9, None, id="one host always"),
        pytest.param(0, 2, 0, 100, "2 changes on 2 hosts of cluster silver", id="two of nine"),
        pytest.param(
            2, 1, 0, 59, "7 changes on 3 hosts would be made, and the limit is 5 % of the hosts of the fleet, here 2", id="of the fleet"
        ),
        pytest.param(0, 0, 1, 0, None, id="one volume of a fleet without hosts"),
        pytest.param(0, 0, 2, 39, "2 changes on 0 hosts and 2 objects on no host", id="two volumes"),
        pytest.param(1, 0, 1, 39, "4 changes on 1 host and 1 object on no host would be made", id="a host and a volume"),
    ],
)
def test_by_default_a_run_changes_a_tenth_of_a_cluster_and_a_twentieth_of_the_fleet(
    change: Make, gold: int, silver: int, objects: int, population: int, message: str | None
) -> None:
    limits, _ = limits_of(None, None, population, HOSTS)
    excess = limits.excess(places(change, gold, silver, objects))
    assert (excess is None) is (message is None)
    if message is not None and excess is not None:
        assert re.search(message, excess.what)


@pytest.mark.parametrize(
    ("hosts", "changes", "larger"),
    [
        pytest.param(None, "9", None, id="as many writes"),
        pytest.param(None, "8", "the limit of one run is 8 changes", id="one write too many"),
        pytest.param("3", None, None, id="as many hosts, whatever is changed on them"),
        pytest.param("2", None, "the limit of one run is 2 hosts", id="one host too many"),
        pytest.param("30%", None, None, id="a share of ten hosts"),
        pytest.param("20%", None, "the limit of one run is 2 hosts", id="a smaller share"),
        pytest.param(None, "30%", None, id="the older form is a share of the hosts"),
        pytest.param(None, "20%", "the limit of one run is 2 hosts", id="and likewise"),
        pytest.param("3", "8", "the limit of one run is 8 changes", id="the stricter of both"),
        pytest.param("0", None, "the limit of one run is 0 hosts", id="none"),
    ],
)
def test_hosts_and_writes_are_two_limits(change: Make, hosts: str | None, changes: str | None, larger: str | None) -> None:
    limits, _ = limits_of(hosts, changes, 10, HOSTS)
    excess = limits.excess(places(change, 3, 0, 0))
    assert (excess.what if excess else "").endswith(larger or "")
    assert (excess is None) is (larger is None)


def test_the_older_form_says_how_it_is_written_now() -> None:
    assert limits_of(None, "50%", 8)[1] == ("--max-changes 50% is a share of the hosts: write --max-hosts 50%.",)
    assert limits_of("50%", "50", 8)[1] == ()


def test_a_disk_of_a_machine_is_no_host_although_it_names_one(change: Make) -> None:
    on_host = replace(change("a"), target=Target("vc", (("host_id", "host-1"), ("setting", "a"))))
    disk = replace(change("b"), target=Target("vc", (("vm_id", "vm-1"), ("disk_key", "2000"))))
    excess = limits_of("0", None, 8)[0].excess([on_host, disk])
    assert excess is not None
    assert (excess.hosts, excess.objects, excess.changes) == (1, 1, 2)


@pytest.mark.parametrize("text", ["", "ten", "-1", "101%", "1.5", "%", "٣", "1000000000"])
@pytest.mark.parametrize("option", ["--max-hosts", "--max-changes"])
def test_a_limit_that_is_not_understood_is_an_error(option: str, text: str) -> None:
    hosts, changes = (text, None) if option == "--max-hosts" else (None, text)
    with pytest.raises(ConfigurationError, match="--max-"):
        limits_of(hosts, changes, population=80)


def test_a_larger_run_makes_its_first_host_whole_and_says_how_to_go_on(
    shelf: Any, sessions: Any, journal: Journal, remediators: Any, change: Make
) -> None:
    limits = replace(limits_of(None, None, 20, HOSTS)[0], again="auditor resume RUN --fleet fleet.yaml --yes")
    receipts, error = made(limits, shelf, sessions, journal, remediators, *places(change, 4, 0, 0))
    assert error is not None
    assert error.what.startswith("1 of 4 hosts done, 9 changes left: 12 changes on 4 hosts of cluster gold would be made")
    assert "`auditor resume RUN --fleet fleet.yaml --yes` goes on with it; or give --max-hosts 4" in error.do
    applied = [receipt.change.resource.host for receipt in receipts if receipt.outcome is Outcome.APPLIED]
    assert applied == ["g0"] * 3
    assert {receipt.outcome for receipt in receipts if receipt.change.resource.host != "g0"} == {Outcome.PROPOSED}


def test_a_host_that_is_as_wanted_is_not_the_one_that_is_made(
    shelf: Any, sessions: Any, journal: Journal, remediators: Any, change: Make
) -> None:
    changes = places(change, 3, 0, 0)
    shelf.settings |= {f"g0-{device}": changes[0].after for device in range(3)}
    receipts, error = made(limits_of("1", None, 20)[0], shelf, sessions, journal, remediators, *changes)
    assert error is not None
    assert error.what.startswith("2 of 3 hosts done, 3 changes left")
    assert {receipt.change.resource.host for receipt in receipts if receipt.outcome is Outcome.APPLIED} == {"g1"}


def test_a_first_host_that_does_not_hold_ends_the_run_by_itself(
    shelf: Any, sessions: Any, journal: Journal, remediators: Any, change: Make
) -> None:
    shelf.faults["g0-0"] = "deaf"
    receipts, error = made(limits_of("1", None, 20)[0], shelf, sessions, journal, remediators, *places(change, 3, 0, 0))
    assert error is None
    assert [receipt.outcome for receipt in receipts].count(Outcome.UNVERIFIED) == 1
    assert not [receipt for receipt in receipts if receipt.outcome is Outcome.APPLIED]


def test_who_decides_is_asked_once_and_not_asked_again_to_confirm(
    shelf: Any, sessions: Any, journal: Journal, remediators: Any, change: Make
) -> None:
    asked: list[Excess] = []

    def decide(excess: Excess) -> bool:
        asked.append(excess)
        return True

    changes = places(change, 3, 0, 0)
    for one in changes:
        shelf.settings[one.target["setting"]] = one.before

    def confirm(_changes: Sequence[Change]) -> bool:
        raise AssertionError("the number was typed")

    limits = replace(limits_of(None, None, 20, HOSTS)[0], decide=decide)
    plan = Plan(tuple(changes), identities=KNOWN)
    receipts = list(apply(plan, sessions, journal, allow={FixClass.ONLINE}, confirm=confirm, remediators=remediators, limits=limits))
    assert [(one.hosts, one.objects, one.changes) for one in asked] == [(3, 0, 9)]
    assert {receipt.outcome for receipt in receipts} == {Outcome.APPLIED}


def test_hosts_in_no_cluster_are_one_group_of_their_endpoint_with_a_limit_of_its_own(change: Make) -> None:
    limits, _ = limits_of(None, None, 100, {**HOSTS, ("vc", None): 29})
    alone = [change(f"a{place}", host=f"a{place}", cluster=None) for place in range(3)]
    assert limits.excess(alone[:2]) is None
    excess = limits.excess(alone)
    assert excess is not None
    assert excess.what == "3 changes on 3 hosts would be made, and the limit is 10 % of the hosts of vc that are in no cluster, here 2"


def test_what_is_touched_is_named(change: Make) -> None:
    on_host = replace(change("a"), target=Target("vc", (("host_id", "host-1"), ("setting", "a"))))
    disk = replace(change("b"), target=Target("vc", (("vm_id", "vm-1"), ("disk_key", "2000"))))
    policy = change("p", host=None, cluster=None, where="sf")
    found = touched([on_host, disk, policy])
    assert found == ({("vc", "host-1"): "gold"}, {("vc", "protocol_endpoint b"), ("sf", "protocol_endpoint p")})


def test_objects_on_no_host_have_the_limit_of_hosts(change: Make) -> None:
    excess = limits_of("1", None, 8)[0].excess(places(change, 1, 0, 2))
    assert excess is not None
    assert excess.what == "5 changes on 1 host and 2 objects on no host would be made, and the limit of one run is 1 object on no host"
    assert excess.option == "--max-hosts 2"


@pytest.mark.parametrize(
    ("hosts", "changes", "population", "most"),
    [
        ("0%", None, 80, 0),
        ("1%", None, 80, 1),
        ("10%", None, 80, 8),
        ("100%", None, 80, 80),
        (" 4 ", None, 80, 4),
        ("999999999", None, 80, 999_999_999),
        (None, "25", 80, None),
        (None, "10%", 80, 8),
    ],
)
def test_a_share_is_one_host_at_least_but_for_none(hosts: str | None, changes: str | None, population: int, most: int | None) -> None:
    limits, _ = limits_of(hosts, changes, population)
    assert (limits.max_hosts, limits.is_default) == (most, False)


@pytest.mark.parametrize(
    ("hosts", "changes", "what"),
    [
        ("x", None, "--max-hosts x: not a whole number such as 4, or a share of the hosts such as 10%"),
        (None, "x%", "--max-changes x%: not a whole number such as 4, or a share of the hosts such as 10%"),
        (None, "x", "--max-changes x: not a whole number such as 25"),
        ("4", "10%", "--max-changes 10%: not a whole number of changes such as 25"),
    ],
)
def test_a_limit_that_is_not_understood_is_named_as_it_was_written(hosts: str | None, changes: str | None, what: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        limits_of(hosts, changes, 80)
    assert raised.value.what == what


def test_a_run_of_objects_alone_counts_them(change: Make) -> None:
    made_ones = places(change, 0, 0, 3)
    excess = limits_of("1", None, 8)[0].excess(made_ones)
    assert excess is not None
    ended = begun(excess, made_ones, [Receipt(made_ones[0], Outcome.APPLIED, 256, "")], "")
    assert ended.what.startswith("1 of 3 objects done, 2 changes left: ")
    assert ended.do == "look at what was done. Give --max-hosts 3 for a run of this size."


def test_a_limit_of_writes_names_its_own_option_and_that_of_hosts_comes_first(change: Make) -> None:
    nine = places(change, 3, 0, 0)
    excess = limits_of(None, "8", 10)[0].excess(nine)
    assert excess is not None
    assert (excess.is_of_writes, excess.option) == (True, "--max-changes 9")
    excess = limits_of("2", "8", 10)[0].excess(nine)
    assert excess is not None
    assert (excess.is_of_writes, excess.option) == (False, "--max-hosts 3")
    assert excess.what.endswith("and the limit of one run is 2 hosts")


def test_one_change_alone_may_be_too_large(change: Make) -> None:
    excess = limits_of("0", None, 8)[0].excess([change()])
    assert excess is not None
    assert excess.what == "1 change on 1 host of cluster gold would be made, and the limit of one run is 0 hosts"


@pytest.mark.parametrize("clusters", [None, {}, {("vc", "silver"): 900}], ids=["of no cluster", "none", "of another cluster"])
def test_of_a_cluster_whose_hosts_are_not_known_one_may_be_changed(change: Make, clusters: Any) -> None:
    limits, _ = limits_of(None, None, 1000, clusters)
    two = [change("a", host="g1"), change("b", host="g2")]
    assert limits.excess(two[:1]) is None
    excess = limits.excess(two)
    assert excess is not None
    assert excess.what.endswith("and the limit is 10 % of the hosts of cluster gold, here 1")


def test_a_rehearsal_says_what_a_larger_run_would_do() -> None:
    error = larger(Excess("9 changes on 3 hosts would be made, and the limit of one run is 2 hosts", 3, 0, 9))
    assert error.what == (
        "it would make its first host alone, and stop: 9 changes on 3 hosts would be made, and the limit of one run is 2 hosts"
    )
    assert error.do == "leave --yes out at a terminal, or give --max-hosts 3."
