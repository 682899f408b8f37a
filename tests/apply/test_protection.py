"""Protection and windows reach what hosts stand on, and what lies under a protected object; what is not known counts as protected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from pyVmomi import vim

from auditor.apply.protection import TaggedObject, tags_of, without_protected
from auditor.apply.restrictions import Restrictions
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.endpoints.vcenter.automation import Tagged
from auditor.errors import EndpointUnreachableError
from auditor.fleet.windows import MaintenanceWindow
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Outcome, Protection, Reach, Receipt, Resource, Target
from tests.apply.conftest import endpoint

GOLD, SILVER = ("vc", "Prod/Gold", "esx-1.example.net"), ("vc", "silver", "esx-2.example.net")
OBJECTS = (("", "naa.1", "naa.1"), ("sf", "vol-1", "1"), ("vc", "store-1", "ds-1"))
OPEN = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)  # a Saturday
VCENTERS = frozenset({"vc", "vc-other"})


def change(remediator: str, endpoint: str, reach: Reach | None, *, host: str | None = None, cluster: str | None = None) -> Change:
    resource = Resource("any", "id-1", "thing", endpoint, cluster, host)
    return Change(remediator, FixClass.ONLINE, Target(endpoint, (("id", "id-1"),)), 1, 2, ("a/b",), resource, "why", reach=reach)


POLICY = change("element.qos_policy", "sf", Reach((GOLD,), OBJECTS))
SIOC = change("datastore.sioc", "vc", Reach((GOLD, SILVER), OBJECTS))
PART, OF_ARRAY = Reach(None, OBJECTS), Reach((GOLD,), None)
"""The hosts are not known; the objects are not known."""
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
    assert sorted(asked) == ["sf", "vc"], "a device is of no vCenter alone"
    _, skipped = without_protected([SIOC], [Protection("x", tag="c:freeze")], tagged, VCENTERS)
    assert skipped[0].why.endswith("x (tag c:freeze) (store-1 is changed by it)")


FAR = "far.example.net"
FAR_QUEUE = change("device.dsnro", FAR, Reach((), ((FAR, "vol-1", "1"),)), host="esx-1.example.net", cluster="gold")


@pytest.mark.parametrize(
    ("one", "entry", "held"),
    [
        pytest.param(OPTION, {"cluster": "silver"}, True, id="the cluster of its own host"),
        pytest.param(OPTION, {"cluster": "sil"}, False, id="a cluster that begins so"),
        pytest.param(replace(OPTION, resource=replace(OPTION.resource, cluster="silver.one")), {"cluster": "silver"}, False, id="no host"),
        pytest.param(OPTION, {"host": "esx-2"}, True, id="its own host, by its short name"),
        pytest.param(FAR_QUEUE, {"endpoint": "far"}, True, id="its own vCenter, by its short name"),
        pytest.param(FAR_QUEUE, {"resource": "vol-1", "endpoint": "far"}, True, id="an object of an endpoint, by its short name"),
        pytest.param(POLICY, {"resource": "naa.1", "endpoint": "vc-other"}, True, id="a device is one on every vCenter"),
        pytest.param(POLICY, {"resource": "vol-1", "cluster": "prod/gold"}, True, id="a volume, in a cluster that stands on it"),
        pytest.param(POLICY, {"resource": "vol-1", "cluster": "silver"}, False, id="a volume, in a cluster that does not"),
        pytest.param(
            replace(POLICY, reach=PART), {"resource": "vol-1", "cluster": "x"}, True, id="a volume, who stands on it is not known"
        ),
        pytest.param(replace(QUEUE, reach=PART), {"cluster": "gold"}, True, id="on a host, and who else stands on it is not known"),
        pytest.param(replace(SIOC, reach=PART), {"endpoint": "vc-other"}, False, id="no host of another vCenter stands on a datastore"),
        pytest.param(replace(SIOC, reach=PART), {"cluster": "x"}, True, id="any host of its own vCenter may"),
        pytest.param(replace(OPTION, reach=Reach((), None)), {"resource": "vol-9"}, True, id="of a host, what it lies on is not known"),
        pytest.param(replace(OPTION, reach=None), {"resource": "vol-9"}, False, id="of an older plan: an option lies on nothing"),
        pytest.param(
            change("gone.ceiling", "sf", None), {"resource": "vol-9"}, True, id="of an older plan: of no host, a setting that nobody knows"
        ),
        pytest.param(
            replace(POLICY, reach=OF_ARRAY), {"resource": "vol-9", "cluster": "silver"}, False, id="on what, not known; who, known"
        ),
        pytest.param(
            replace(POLICY, reach=OF_ARRAY), {"resource": "vol-9", "cluster": "prod/gold"}, True, id="and they are of the cluster"
        ),
    ],
)
def test_each_part_of_an_entry_has_to_fit_as_far_as_it_is_known(one: Change, entry: dict[str, str], held: bool) -> None:
    assert is_held(one, Protection("x", **entry)) is held


def test_an_array_of_a_fleet_may_carry_hosts_of_a_vcenter_by_its_short_name() -> None:
    for name, held in (("far", True), ("near", False)):
        left, _ = without_protected([UNKNOWN], [Protection("x", endpoint=name)], nobody, {"far.example.net"})
        assert (left == []) is held


@pytest.mark.parametrize(
    ("tag", "held"),
    [("freeze", True), ("c:freeze", True), ("other:freeze", False), ("thaw", False)],
    ids=["its name", "with its category", "of another category", "another tag"],
)
def test_a_tag_is_the_one_that_the_entry_names(tag: str, held: bool) -> None:
    def tagged(_endpoint: str) -> Sequence[TaggedObject]:
        return (TaggedObject("freeze", "c", "ds-1"),)

    assert is_held(SIOC, Protection("x", tag=tag), tagged) is held


def test_tags_are_read_of_a_vcenter_with_the_names_of_clusters_and_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: dict[Any, list[SimpleNamespace]] = {
        (vim.ClusterComputeResource, ("name",)): [SimpleNamespace(id="domain-1", values={"name": "gold"})],
        (vim.HostSystem, ("name",)): [SimpleNamespace(id="host-1", values={"name": "esx-1"})],
    }

    class Session(SessionBase):
        def read(self, kind: type, names: tuple[str, ...]) -> list[SimpleNamespace]:
            return rows[kind, names]

    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        yield Session(one)

    @contextmanager
    def automation(one: Endpoint) -> Iterator[Any]:
        assert one.name == "vc"
        tagged = [
            Tagged("c", "freeze", (("HostSystem", "host-1"), ("ClusterComputeResource", "domain-1"))),
            Tagged("d", "thaw", (("Datastore", "ds-1"),)),
        ]
        yield SimpleNamespace(tags=lambda: iter(tagged))

    monkeypatch.setattr("auditor.endpoints.vcenter.automation.open_automation", automation)
    ends = {"vc": endpoint(), "sf": endpoint("sf", EndpointKind.ELEMENT), "esx": endpoint("esx", EndpointKind.ESXI)}
    with Sessions(ends, {EndpointKind.VCENTER: opened}) as sessions:
        read = tags_of(sessions)
        assert read("vc") == [
            TaggedObject("freeze", "c", "host-1", None, "esx-1"),
            TaggedObject("freeze", "c", "domain-1", "gold", None),
            TaggedObject("thaw", "d", "ds-1", None, None),
        ]
        assert (read("sf"), read("esx")) == ((), ())


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
