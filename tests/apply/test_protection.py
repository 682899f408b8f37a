"""Protection and windows reach what hosts stand on, and what lies under a protected object; what is not known counts as protected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from auditor.apply.protection import TaggedObject, without_protected
from auditor.apply.restrictions import Restrictions
from auditor.errors import EndpointUnreachableError
from auditor.fleet.windows import MaintenanceWindow
from auditor.model import Change, FixClass, Outcome, Protection, Reach, Resource, Target

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
