"""Protection and windows reach what hosts stand on, and what lies under a protected object; what is not known counts as protected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from auditor.apply.protection import TaggedObject, without_protected
from auditor.apply.restrictions import Restrictions
from auditor.errors import EndpointUnreachableError
from auditor.fleet.windows import MaintenanceWindow
from auditor.model import Change, FixClass, Outcome, Protection, Reach, Receipt, Resource, Target

GOLD, SILVER = ("vc", "Prod/Gold", "esx-1.example.net"), ("vc", "silver", "esx-2.example.net")
OBJECTS = (("", "naa.1", "naa.1"), ("sf", "vol-1", "1"), ("vc", "store-1", "ds-1"))
OPEN = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)  # a Saturday
VCENTERS = frozenset({"vc", "vc-other"})


def change(remediator: str, endpoint: str, reach: Reach | None, *, host: str | None = None, cluster: str | None = None) -> Change:
    resource = Resource("any", "id-1", "thing", endpoint, cluster, host)
    return Change(remediator, FixClass.ONLINE, Target(endpoint, (("id", "id-1"),)), 1, 2, ("a/b",), resource, "why", reach=reach)


POLICY = change("element.qos_policy", "sf", Reach((GOLD,), OBJECTS))
SIOC = change("datastore.sioc", "vc", Reach((GOLD, SILVER), OBJECTS))
QUEUE = change("device.dsnro", "vc", Reach((), OBJECTS), host="esx-2.example.net", cluster="silver")
UNKNOWN = change("element.qos_policy", "sf", Reach(None, None))
OLDER = change("element.qos_policy", "sf", None)
OLDER_QUEUE = change("device.dsnro", "vc", None, host="esx-2.example.net", cluster="silver")
OPTION = change("host.option", "vc", Reach((), ()), host="esx-2.example.net", cluster="silver")


def nobody(_endpoint: str) -> Sequence[TaggedObject]:
    return ()


def is_held(one: Change, entry: Protection, tagged: object = nobody) -> bool:
    left, skipped = without_protected([one], [entry], tagged, VCENTERS)  # type: ignore[arg-type]
    assert [receipt.outcome for receipt in skipped] == [Outcome.PROPOSED] * (1 - len(left))
    return not left


@pytest.mark.parametrize("entry", [{"cluster": "*"}, {"cluster": "prod%2fgold"}, {"host": "esx-1"}, {"endpoint": "VC"}])
@pytest.mark.parametrize("one", [POLICY, SIOC], ids=["a policy", "a datastore"])
def test_what_a_protected_host_stands_on_is_protected(one: Change, entry: dict[str, str]) -> None:
    assert is_held(one, Protection("x", **entry))


@pytest.mark.parametrize("one", [POLICY, SIOC, QUEUE], ids=["a policy", "Storage I/O Control", "a queue"])
@pytest.mark.parametrize(
    "entry", [{"resource": "vol-*"}, {"resource": "NAA.1"}, {"resource": "ds-1"}, {"resource": "vol-1", "endpoint": "sf"}]
)
def test_what_a_protected_object_lies_under_is_protected(one: Change, entry: dict[str, str]) -> None:
    assert is_held(one, Protection("x", **entry))


@pytest.mark.parametrize(
    ("one", "entry"),
    [
        pytest.param(POLICY, {"cluster": "silver"}, id="a cluster that does not use it"),
        pytest.param(POLICY, {"host": "esx-2"}, id="a host that does not"),
        pytest.param(POLICY, {"endpoint": "vc-other"}, id="another vCenter"),
        pytest.param(SIOC, {"cluster": "silver", "host": "esx-1"}, id="a host of another cluster"),
        pytest.param(QUEUE, {"cluster": "prod/gold"}, id="a queue is of its own host"),
        pytest.param(QUEUE, {"resource": "vol-1", "endpoint": "other-array"}, id="a volume of another array"),
        pytest.param(QUEUE, {"endpoint": "sf"}, id="an array is not a volume of it"),
        pytest.param(QUEUE, {"resource": "vol-1", "cluster": "prod/gold"}, id="an object, in another cluster"),
        pytest.param(OPTION, {"resource": "vol-1"}, id="an option of a host stands on no volume"),
        pytest.param(UNKNOWN, {"endpoint": "other-array"}, id="no host is on an array"),
        pytest.param(OLDER_QUEUE, {"cluster": "prod/gold"}, id="of an older plan: a queue of another cluster"),
    ],
)
def test_what_is_known_to_be_elsewhere_is_not_held_back(one: Change, entry: dict[str, str]) -> None:
    assert not is_held(one, Protection("x", **entry))


@pytest.mark.parametrize("one", [UNKNOWN, OLDER], ids=["not all was read", "an older plan"])
@pytest.mark.parametrize(
    "entry", [{"cluster": "nowhere"}, {"host": "esx-9"}, {"endpoint": "vc-other"}, {"resource": "vol-9"}, {"tag": "t"}]
)
def test_where_the_join_is_not_known_it_counts_as_protected(one: Change, entry: dict[str, str]) -> None:
    assert is_held(one, Protection("x", **entry))


def test_a_queue_of_an_older_plan_may_lie_on_a_protected_volume() -> None:
    assert is_held(OLDER_QUEUE, Protection("x", resource="vol-9"))


def test_a_tag_on_a_host_cluster_or_datastore_reaches_as_far() -> None:
    def tagged(*objects: TaggedObject) -> object:
        return lambda endpoint: objects if endpoint == "vc" else ()

    for one in (
        TaggedObject("freeze", "c", "host-1", host="esx-1.example.net"),
        TaggedObject("freeze", "c", "domain-1", cluster="Prod/Gold"),
        TaggedObject("freeze", "c", "ds-1"),
    ):
        assert is_held(POLICY, Protection("x", tag="freeze"), tagged(one))
    assert not is_held(POLICY, Protection("x", tag="freeze"), tagged(TaggedObject("freeze", "c", "host-2", host="esx-2.example.net")))

    def silent(_endpoint: str) -> Sequence[TaggedObject]:
        raise EndpointUnreachableError("no answer", why="x", do="x")

    assert is_held(POLICY, Protection("x", tag="freeze"), silent)


def test_what_is_left_is_the_change_and_what_is_held_says_who_asked_for_it() -> None:
    frozen = Protection("the payroll run", cluster="prod/gold")
    left, skipped = without_protected([OPTION, QUEUE, SIOC], [Protection("x", host="esx-9"), frozen], nobody, VCENTERS)
    assert left == [OPTION, QUEUE]
    why = "protected by fleet.yaml, so it is proposed alone: the payroll run (esx-1.example.net stands on it)"
    assert skipped == [Receipt(SIOC, Outcome.PROPOSED, 1, why)]


@pytest.mark.parametrize(
    ("one", "entry", "why"),
    [
        pytest.param(QUEUE, {"resource": "vol-1"}, "x (vol-1 is changed by it)", id="a volume under a queue"),
        pytest.param(QUEUE, {"resource": "vol-1", "endpoint": "SF"}, "x (vol-1 is changed by it)", id="of an array, whatever the case"),
        pytest.param(QUEUE, {"resource": "vol-1", "host": "esx-2"}, "x (vol-1 is changed by it)", id="and on this host, by its short name"),
        pytest.param(OLDER_QUEUE, {"resource": "vol-9"}, "x (what it lies on is not known)", id="not known what it lies on"),
        pytest.param(UNKNOWN, {"host": "esx-9"}, "x (which hosts stand on it is not known)", id="not known who stands on it"),
        pytest.param(POLICY, {"resource": "thing"}, "x", id="itself, by its name"),
        pytest.param(POLICY, {"resource": "ID-1"}, "x", id="itself, by its id"),
        pytest.param(QUEUE, {"endpoint": "vc"}, "x", id="its vCenter"),
        pytest.param(SIOC, {"resource": "vol-1", "host": "esx-9"}, None, id="a volume, on a host that does not stand on it"),
    ],
)
def test_a_protected_change_says_by_what(one: Change, entry: dict[str, str], why: str | None) -> None:
    _, skipped = without_protected([one], [Protection("x", **entry)], nobody, VCENTERS)
    assert [receipt.why for receipt in skipped] == [f"protected by fleet.yaml, so it is proposed alone: {why}"] * (why is not None)


@pytest.mark.parametrize(
    ("one", "entry", "held"),
    [
        pytest.param(UNKNOWN, {"cluster": "gold"}, True, id="a cluster"),
        pytest.param(UNKNOWN, {"endpoint": "any"}, True, id="an endpoint that may be a vCenter"),
        pytest.param(UNKNOWN, {"endpoint": "sf"}, True, id="its own array"),
        pytest.param(UNKNOWN, {"endpoint": "sf", "tag": "t"}, True, id="a tag on what may stand on it"),
        pytest.param(OPTION, {"endpoint": "sf"}, False, id="an option of a host stands on no array"),
    ],
)
def test_where_the_vcenters_are_not_known_an_entry_may_be_for_any(one: Change, entry: dict[str, str], held: bool) -> None:
    left, _ = without_protected([one], [Protection("x", **entry)], nobody, None)
    assert (left == []) is held


def test_the_tags_of_a_vcenter_are_asked_for_once_and_an_array_has_none() -> None:
    asked: list[str] = []

    def tagged(endpoint: str) -> Sequence[TaggedObject]:
        asked.append(endpoint)
        return (TaggedObject("freeze", "c", "ds-1"),) if endpoint == "vc" else ()

    without_protected([SIOC, QUEUE, SIOC], [Protection("x", tag="thaw"), Protection("x", tag="c:freeze")], tagged, VCENTERS)
    assert sorted(asked) == sorted(set(asked))
    _, skipped = without_protected([SIOC], [Protection("x", tag="c:freeze")], tagged, VCENTERS)
    assert skipped[0].why.endswith("x (tag c:freeze) (store-1 is changed by it)")


def closed(one: Change, *windows: MaintenanceWindow) -> bool:
    return Restrictions(windows, now=lambda: OPEN).closed(one) is not None


def window(day: int = 5, *, endpoint: str | None = None, cluster: str | None = None) -> MaintenanceWindow:
    return MaintenanceWindow((day,), 22 * 60, 23 * 60, "UTC", endpoint, cluster)


def test_a_window_has_to_be_open_wherever_hosts_stand_on_what_is_written() -> None:
    gold, silver, silver_later, array = (
        window(cluster="prod/gold"),
        window(cluster="silver"),
        window(6, cluster="silver"),
        window(endpoint="sf"),
    )
    assert not closed(SIOC, gold, silver)
    assert closed(SIOC, gold)
    assert closed(SIOC, gold, silver_later)
    assert not closed(POLICY, gold, array)
    assert closed(POLICY, array)
    assert closed(POLICY, gold)  # the array itself is in no window
    assert not closed(POLICY, window())
    assert not closed(QUEUE, silver)


def test_where_it_is_not_known_who_stands_on_it_a_window_of_the_whole_fleet_has_to_be_open() -> None:
    assert closed(UNKNOWN, window(endpoint="sf"), window(cluster="*"))
    assert not closed(UNKNOWN, window())
    assert closed(OLDER, window(endpoint="sf"))
    assert not closed(UNKNOWN)  # there are no windows at all
