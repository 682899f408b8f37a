from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest

from auditor.apply import Limits, limits_of
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import ConfigurationError, CredentialsError, GuardError
from auditor.journal import Journal, open_intents
from auditor.model import ByHand, Change, Contradiction, Endpoint, EndpointKind, FixClass, Outcome, Plan, Receipt, Secret, Unusual
from tests.applying import apply

ONLINE = frozenset({FixClass.ONLINE})
KNOWN = {"vc": "1111"}
Make = Callable[..., Change]


@pytest.fixture
def run(shelf: Any, sessions: Sessions, journal: Journal, remediators: Any) -> Callable[..., list[Receipt]]:
    def applied(*changes: Change, **options: Any) -> list[Receipt]:
        for change in changes:
            shelf.settings.setdefault(change.target["setting"], change.before)
        options = {"allow": ONLINE, "confirm": lambda _changes: True, **options}
        plan = options.pop("plan", Plan(changes, identities=KNOWN))
        return list(apply(plan, sessions, journal, remediators=remediators, **options))

    return applied


def two_clusters(change: Make) -> list[Change]:
    """Two hosts in gold, two in silver, one device each; planned host by host in no helpful order."""
    return [
        change("a1", host="esx-01", cluster="gold"),
        change("b1", host="esx-11", cluster="silver"),
        change("a2", host="esx-02", cluster="gold"),
        change("b2", host="esx-12", cluster="silver"),
        change("a1b", host="esx-01", cluster="gold"),
    ]


def written(shelf: Any) -> list[str]:
    return [name for name, _ in shelf.writes]


def outcomes(receipts: Sequence[Receipt]) -> dict[str, Outcome]:
    return {receipt.change.target["setting"]: receipt.outcome for receipt in receipts}


def test_one_host_of_the_fleet_comes_first_then_one_of_each_cluster_then_the_rest(shelf: Any, run: Any, change: Make) -> None:
    receipts = run(*two_clusters(change))
    assert written(shelf) == ["a1", "a1b", "b1", "a2", "b2"]
    assert {receipt.outcome for receipt in receipts} == {Outcome.APPLIED}


@pytest.mark.parametrize(
    "fault", [pytest.param("refuses", id="refused"), pytest.param("unreadable", id="not readable"), pytest.param("stale", id="stale")]
)
def test_the_rest_of_a_cluster_waits_for_all_of_its_canary(shelf: Any, run: Any, change: Make, fault: str) -> None:
    shelf.faults["a1b"] = fault
    if fault == "stale":
        shelf.settings["a1b"] = 99

    receipts = run(*two_clusters(change))

    assert outcomes(receipts)["a2"] is Outcome.PROPOSED
    assert "a2" not in written(shelf)
    (waited,) = (receipt for receipt in receipts if receipt.change.target["setting"] == "a2")
    assert "canary esx-01" in waited.why
    assert outcomes(receipts)["b2"] is Outcome.APPLIED, "another cluster has its own canary"


def test_a_refusal_outside_the_canary_does_not_hold_the_others(shelf: Any, run: Any, change: Make) -> None:
    shelf.faults["a2"] = "refuses"
    receipts = run(change("a1", host="esx-01"), change("a2", host="esx-02"), change("a3", host="esx-03"))
    assert outcomes(receipts) == {"a1": Outcome.APPLIED, "a2": Outcome.REFUSED, "a3": Outcome.APPLIED}


@pytest.mark.parametrize("where", ["a1", "a2"])
def test_a_change_that_does_not_read_back_stops_the_whole_run(shelf: Any, run: Any, change: Make, where: str) -> None:
    shelf.faults[where] = "deaf"
    receipts = run(*two_clusters(change))
    assert written(shelf)[-1] == where
    left = [receipt for receipt in receipts if receipt.outcome is Outcome.PROPOSED]
    assert len(left) == len(receipts) - len(shelf.writes)
    assert all(f"shelf on {where} was written and not read back" in receipt.why for receipt in left)


def test_an_array_has_its_first_object_for_a_canary(shelf: Any, run: Any, change: Make) -> None:
    shelf.faults["policy-1"] = "refuses"
    receipts = run(change("policy-1", host=None, cluster=None), change("policy-2", host=None, cluster=None))
    assert outcomes(receipts) == {"policy-1": Outcome.REFUSED, "policy-2": Outcome.PROPOSED}


def test_the_canary_is_a_host_where_there_is_one(shelf: Any, run: Any, change: Make) -> None:
    run(change("datastore", host=None), change("a1", host="esx-01"), change("a2", host="esx-02"))
    assert written(shelf)[0] == "a1"


@pytest.mark.parametrize(
    ("fix_class", "outcome", "why"),
    [
        pytest.param(FixClass.ONLINE_CAUTION, Outcome.PROPOSED, "needs --allow online-caution", id="not allowed"),
        pytest.param(FixClass.REBOOT, Outcome.PROPOSED, "needs --allow reboot", id="needs a boot"),
        pytest.param(FixClass.MANUAL, Outcome.BY_HAND, "it has to be done by hand", id="manual"),
    ],
)
def test_a_class_that_was_not_allowed_is_only_proposed(
    shelf: Any, run: Any, change: Make, fix_class: FixClass, outcome: Outcome, why: str
) -> None:
    confirmations: list[int] = []
    (receipt,) = run(change(fix_class=fix_class), confirm=lambda changes: confirmations.append(len(changes)))
    assert (receipt.outcome, receipt.why, receipt.found, shelf.writes) == (outcome, why, 32, [])
    assert confirmations == [], "nobody is asked about nothing"


@pytest.mark.parametrize(
    ("allow", "made"),
    [
        pytest.param({FixClass.REBOOT}, False, id="what it takes alone"),
        pytest.param({FixClass.RETUNE}, False, id="retune alone"),
        pytest.param(set(FixClass) - {FixClass.RETUNE}, False, id="everything else"),
        pytest.param({FixClass.RETUNE, FixClass.REBOOT}, True, id="both"),
    ],
)
def test_what_reverts_somebodys_tuning_is_made_only_where_that_was_allowed_too(
    shelf: Any, run: Any, change: Make, allow: set[FixClass], made: bool
) -> None:
    (receipt,) = run(change(fix_class=FixClass.RETUNE, takes=FixClass.REBOOT), allow=allow)
    if made:
        assert (receipt.outcome, receipt.pending) == (Outcome.APPLIED, "reboot")
    else:
        assert (receipt.outcome, receipt.why, shelf.writes) == (Outcome.PROPOSED, "needs --allow retune --allow reboot", [])


def test_even_an_allowed_manual_change_is_not_made(shelf: Any, run: Any, change: Make) -> None:
    (receipt,) = run(change(fix_class=FixClass.MANUAL), allow=frozenset(FixClass))
    assert (receipt.outcome, shelf.writes) == (Outcome.BY_HAND, [])


def test_a_contradiction_is_never_applied_and_names_its_rules(shelf: Any, run: Any, change: Make) -> None:
    disputed, free = change("a1"), change("a2", host="esx-02")
    clash = Contradiction("shelf", disputed.target, (("vvol/pe-dsnro-headroom", 256), ("queue/dsnro-effective", 64)))
    by_hand = ByHand("vvol/pe-count", disputed.resource, "add a path")
    receipts = run(disputed, free, plan=Plan((disputed, free), (by_hand,), (clash,), identities=KNOWN))
    assert outcomes(receipts) == {"a1": Outcome.PROPOSED, "a2": Outcome.APPLIED}
    assert "queue/dsnro-effective and vvol/pe-dsnro-headroom" in receipts[0].why
    assert receipts[0].found == 32
    assert written(shelf) == ["a2"]


def test_changes_that_are_not_allowed_do_not_count_against_the_limit(run: Any, change: Make) -> None:
    receipts = run(change("a1"), change("a2", fix_class=FixClass.REBOOT), limits=Limits(max_hosts=1))
    assert outcomes(receipts) == {"a1": Outcome.APPLIED, "a2": Outcome.PROPOSED}


def test_nothing_is_written_without_confirmation(shelf: Any, sessions: Sessions, journal: Journal, remediators: Any, change: Make) -> None:
    shelf.settings["depth"] = 32
    shown: list[Change] = []

    def no(changes: Sequence[Change]) -> bool:
        shown.extend(changes)
        return False

    with pytest.raises(GuardError, match="1 change was not confirmed"):  # at once, not at the first receipt
        apply(Plan((change(),)), sessions, journal, allow=ONLINE, confirm=no, remediators=remediators)
    assert (shelf.writes, shown) == ([], [change()])


def test_a_plan_for_another_fleet_is_refused_before_its_first_write(shelf: Any, run: Any, change: Make) -> None:
    with pytest.raises(ConfigurationError, match="no endpoint is called 'vc-east'"):
        run(change("a1"), change("a2", where="vc-east"))
    assert shelf.writes == []


def test_a_plan_of_an_unknown_remediator_is_refused_before_its_first_write(
    sessions: Sessions, journal: Journal, change: Make, yes: Any
) -> None:
    with pytest.raises(ConfigurationError, match="no remediator is called 'shelf'"):
        apply(Plan((change(),)), sessions, journal, allow=ONLINE, confirm=yes)


@pytest.mark.parametrize("slip", [{"before": Decimal(32)}, {"after": Decimal(256)}], ids=["seen", "wanted"])
def test_a_value_of_a_strange_type_is_not_taken_for_absent(shelf: Any, run: Any, change: Make, slip: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="cannot be a Decimal"):
        run(change("a1"), change("a2", **slip))
    assert shelf.writes == []


def test_an_endpoint_of_the_wrong_kind_is_refused_before_its_first_write(
    journal: Journal, change: Make, yes: Any, remediators: Any
) -> None:
    array = Endpoint("vc", EndpointKind.ELEMENT, "127.0.0.1", 443, "audit", Secret("env", ("NONE",)))
    with Sessions({"vc": array}) as sessions, pytest.raises(ConfigurationError, match="works on a vcenter endpoint"):
        apply(Plan((change(),)), sessions, journal, allow=ONLINE, confirm=yes, remediators=remediators)


def test_an_endpoint_that_cannot_be_opened_refuses_its_changes_without_a_traceback(
    journal: Journal, change: Make, yes: Any, remediators: Any
) -> None:
    tried: list[str] = []

    def locked(endpoint: Endpoint) -> Any:
        tried.append(endpoint.name)
        raise CredentialsError("vc: login refused", why="x", do="x")

    held = Endpoint("vc", EndpointKind.VCENTER, "127.0.0.1", 443, "audit", Secret("env", ("NONE",)))
    with Sessions({"vc": held}, {EndpointKind.VCENTER: locked}) as sessions:
        plan = Plan((change("a1", cluster="gold"), change("b1", cluster="silver")))
        receipts = list(apply(plan, sessions, journal, allow=ONLINE, confirm=yes, remediators=remediators))
    assert [receipt.outcome for receipt in receipts] == [Outcome.REFUSED, Outcome.REFUSED]
    assert "login refused" in receipts[1].why
    assert tried == ["vc"], "a wrong password is not tried again: accounts get locked"


def test_progress_is_reported_before_each_attempted_change(run: Any, change: Make) -> None:
    reported: list[tuple[str, int, int]] = []
    run(
        change("a1", fix_class=FixClass.REBOOT),
        change("a2"),
        change("a3"),
        progress=lambda one, number, of: reported.append((one.target["setting"], number, of)),
    )
    assert reported == [("a2", 1, 2), ("a3", 2, 2)]


def test_an_interrupt_between_two_changes_passes_on_and_leaves_the_journal_whole(
    shelf: Any, sessions: Sessions, journal: Journal, journals: Path, remediators: Any, change: Make, yes: Any
) -> None:
    shelf.settings |= {"a1": 32, "a2": 32}

    def interrupt(_change: Change, number: int, _of: int) -> None:
        if number == 2:
            raise KeyboardInterrupt

    plan = Plan((change("a1"), change("a2")), identities=KNOWN)
    receipts = cast("Any", apply(plan, sessions, journal, allow=ONLINE, confirm=yes, progress=interrupt, remediators=remediators))
    with closing(receipts):
        assert next(receipts).outcome is Outcome.APPLIED
        with pytest.raises(KeyboardInterrupt):
            next(receipts)
    assert shelf.settings == {"a1": 256, "a2": 32}
    assert open_intents(journals) == []


def test_the_same_plan_again_writes_nothing_and_says_so(shelf: Any, run: Any, change: Make) -> None:
    run(*two_clusters(change))
    before = len(shelf.writes)
    again = run(*two_clusters(change))
    assert {receipt.outcome for receipt in again} == {Outcome.ALREADY}
    assert len(shelf.writes) == before


def thousand(change: Make, after: int) -> list[Change]:
    return [replace(change(f"d{number}", after=after, host=f"esx-{number:04}"), number=number) for number in range(1, 1001)]


@pytest.mark.long
def test_an_unusual_value_for_a_thousand_hosts_changes_nothing_unless_it_is_meant(shelf: Any, run: Any, change: Make) -> None:
    changes = tuple(thousand(change, 16))
    unusual = Unusual("queue/default-unless-justified", "device.dsnro", (), 16, "32 to 256", tuple(range(1, 1001)))
    plan = Plan(changes, identities=KNOWN, unusual=(unusual,))
    with pytest.raises(
        GuardError, match=r"device.dsnro would be set to 16 in 1000 places, and the fleet has 32 to 256 \(rule queue/default"
    ):
        run(*changes, plan=plan)
    assert shelf.writes == []
    assert len(run(*changes, plan=plan, allow_unusual=True)) == 1000


def test_an_unusual_value_that_is_not_attempted_stops_nothing(run: Any, change: Make) -> None:
    online, costly = replace(change("a1"), number=1), replace(change("a2", fix_class=FixClass.REBOOT), number=2)
    plan = Plan((online, costly), identities=KNOWN, unusual=(Unusual("r", "shelf", (("option", "X"),), 1, "32", (2,)),))
    assert outcomes(run(online, costly, plan=plan))["a1"] is Outcome.APPLIED
    with pytest.raises(GuardError, match="shelf X would be set to 1 in 1 place, and the fleet has 32"):
        run(online, costly, plan=plan, allow={FixClass.ONLINE, FixClass.REBOOT})


def test_a_wrong_value_that_a_host_does_not_take_is_written_to_one_host_of_a_thousand(shelf: Any, run: Any, change: Make) -> None:
    shelf.faults["d1"] = "clamps"
    receipts = run(*thousand(change, 200))
    assert written(shelf) == ["d1"]
    assert [receipt.outcome for receipt in receipts[:2]] == [Outcome.UNVERIFIED, Outcome.PROPOSED]


def test_by_default_of_a_thousand_hosts_one_is_changed(shelf: Any, run: Any, change: Make) -> None:
    with pytest.raises(GuardError, match=r"1 of 1,000 hosts done, 999 changes left: .*10 % of the hosts of cluster gold, here 100"):
        run(*thousand(change, 200), limits=limits_of(None, None, 1000, {("vc", "gold"): 1000})[0])
    assert len(shelf.writes) == 1
