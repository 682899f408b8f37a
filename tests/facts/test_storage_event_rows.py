"""Rows of the views `storage_event` and `restarted_machine`: what happened to what, when, on which hosts, and what of it is over."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from .elsewhere import with_namesakes
from .single import Rows, of_vc, rows_over

NIGHT = datetime(2026, 11, 29, 2, 0, tzinfo=UTC)
HOSTS = of_vc(
    {"host_id": "h1", "name": "host 1", "cluster": "gold"},
    {"host_id": "h2", "name": "host 2", "cluster": "gold"},
    {"host_id": "h3", "name": "host 3", "cluster": "tin"},
)
STORES = of_vc(
    {"datastore_id": "d1", "name": "vmfs 1", "type": "VMFS", "vmfs_uuid": "uuid-1"},
    {"datastore_id": "d2", "name": "share 2", "type": "NFS"},
)
EXTENTS = of_vc({"datastore_id": "d1", "device": "naa.1"})


def at(minutes: int) -> datetime:
    return NIGHT + timedelta(minutes=minutes)


def happened(minutes: int, what: str, kind: str = "lost", host: str | None = "h1", **about: Any) -> dict[str, Any]:
    return {"event_key": minutes, "happened_at": at(minutes), "what": what, "kind": kind, "host_id": host, **about}


def seen(view: str, *events: dict[str, Any], **more: Rows) -> Rows:
    tables = {"fact.storage_event": of_vc(*events), "fact.host": HOSTS, "fact.datastore": STORES, "fact.datastore_extent": EXTENTS} | more
    tables = with_namesakes(tables)
    tables["step_array_device"] = [{"device": "naa.1", "array_name": "east"}]
    return [row for row in rows_over(view, tables) if row["endpoint"] == "vc"]


def test_a_device_is_named_with_all_that_is_known_of_it() -> None:
    (found,) = seen(
        "storage_event",
        happened(3, "latency rose", "slow", device="naa.1", latency_us=28022, said="naa.1, 1343, 28022"),
        happened(9, "latency rose", "slow", "h2", device="naa.1", latency_us=1240500, said="naa.1, 1343, 1240500"),
        happened(5, "latency rose", "slow", device="naa.1"),
    )
    assert found == {
        "endpoint": "vc",
        "resource_id": "latency rose naa.1",
        "resource_name": "naa.1",
        "cluster": "gold",
        "host": None,
        "host_id": None,
        "kind": "slow",
        "what": "latency rose",
        "is_of_paths": False,
        "is_local": False,
        "device": "naa.1",
        "datastores": "vmfs 1",
        "array_name": "east",
        "events": 3,
        "hosts": 2,
        "host_names": "host 1, host 2",
        "first_at": at(3),
        "last_at": at(9),
        "worst_ms": 1240.5,
        "is_worst_known": None,
        "is_over": False,
        "said": "naa.1, 1343, 1240500",
    }


@pytest.mark.parametrize(("latencies", "is_known"), [((9000, 20000), True), ((9000, None), None), ((None,), None)])
def test_how_slow_it_was_at_worst_is_known_where_each_event_says_it(latencies: tuple[int | None, ...], is_known: bool | None) -> None:
    hosts = ("h1", "h2")
    (found,) = seen(
        "storage_event",
        *(happened(at, "latency rose", "slow", hosts[at], device="naa.1", latency_us=one) for at, one in enumerate(latencies)),
    )
    assert found["is_worst_known"] is is_known


def test_an_event_of_a_volume_in_two_datacenters_counts_once() -> None:
    twin = of_vc({"datastore_id": "d3", "name": "vmfs 1 (1)", "vmfs_uuid": "uuid-1"})
    (found,) = seen("storage_event", happened(1, "VMFS heartbeat late", vmfs_uuid="uuid-1"), **{"fact.datastore": [*STORES, *twin]})
    assert (found["events"], found["resource_name"]) == (1, "vmfs 1")


@pytest.mark.parametrize(
    ("event", "name", "about"),
    [
        pytest.param({"device": "naa.1", "vmfs_uuid": "uuid-1"}, "naa.1", {"datastores": "vmfs 1"}, id="a device before a volume"),
        pytest.param({"device": "mpx.vmhba32:C0:T0:L0"}, "mpx.vmhba32:C0:T0:L0", {"is_local": True}, id="virtual media"),
        pytest.param({"device": "naa.9"}, "naa.9", {"datastores": None, "array_name": None}, id="a device that is no datastore's"),
        pytest.param(
            {"vmfs_uuid": "uuid-1", "said": "uuid-1, label"},
            "vmfs 1",
            {"datastores": "vmfs 1", "device": None, "is_local": False},
            id="a volume",
        ),
        pytest.param({"vmfs_uuid": "uuid-9", "said": "uuid-9, label"}, "uuid-9, label", {"datastores": None}, id="an unknown volume"),
        pytest.param({"datastore_id": "d2"}, "share 2", {"datastores": "share 2"}, id="a datastore"),
        pytest.param({"said": "filer/vol, share"}, "filer/vol, share", {"datastores": None}, id="words alone"),
        pytest.param({}, "host 1", {"host": "host 1", "host_id": "h1", "cluster": "gold"}, id="a host alone"),
        pytest.param({"host_id": None}, "a host that the log does not name", {"host": None, "hosts": 0, "host_names": None}, id="nothing"),
        pytest.param(
            {"host_id": "gone"}, "a host that the log does not name", {"host": None, "hosts": 1, "cluster": None}, id="a host that is gone"
        ),
    ],
)
def test_it_is_called_after_what_the_event_names(event: dict[str, Any], name: str, about: dict[str, Any]) -> None:
    (found,) = seen("storage_event", happened(1, "all paths down") | event)
    assert {"resource_name": found["resource_name"]} | {key: found[key] for key in about} == {"resource_name": name} | about


@pytest.mark.parametrize(
    ("events", "is_over"),
    [
        pytest.param([("lost", "h1", 1), ("over", "h1", 2)], True, id="it came back"),
        pytest.param([("lost", "h1", 1), ("over", "h1", 1)], True, id="it came back in the same second"),
        pytest.param([("lost", "h1", 1)], False, id="nothing says so"),
        pytest.param([("lost", "h1", 1), ("over", "h1", 2), ("lost", "h1", 3)], False, id="it was lost again"),
        pytest.param([("lost", "h1", 1), ("lost", "h2", 1), ("over", "h1", 2)], False, id="one host of two"),
        pytest.param([("lost", "h1", 1), ("lost", "h2", 1), ("over", "h1", 2), ("over", "h2", 2)], True, id="both hosts"),
        pytest.param([("lost", None, 1), ("over", None, 2)], True, id="no host is named"),
        pytest.param([("lost", None, 1), ("over", "h1", 2)], False, id="another host may have been it"),
    ],
)
def test_it_is_over_where_each_host_says_so_afterwards(events: list[tuple[str, str | None, int]], is_over: bool) -> None:
    (found,) = seen("storage_event", *(happened(minutes, "all paths down", kind, host, device="naa.1") for kind, host, minutes in events))
    assert found["is_over"] is is_over


@pytest.mark.parametrize(("ends", "is_over"), [("VMFS heartbeat late", True), ("all paths down", False)])
def test_a_lost_volume_is_back_with_its_heartbeat(ends: str, is_over: bool) -> None:
    found = seen(
        "storage_event",
        happened(1, "VMFS volume lost", vmfs_uuid="uuid-1"),
        happened(2, ends, "over", vmfs_uuid="uuid-1"),
    )
    assert [(row["what"], row["is_over"]) for row in found] == [("VMFS volume lost", is_over)]


def test_the_end_of_something_else_ends_nothing() -> None:
    found = seen(
        "storage_event",
        happened(1, "all paths down", device="naa.1"),
        happened(2, "no path left", "over", device="naa.1"),
        happened(3, "all paths down", "over", device="naa.2"),
    )
    assert [(row["resource_id"], row["is_over"]) for row in found] == [("all paths down naa.1", False)]


def test_each_device_and_each_trouble_has_a_row_and_restarts_have_none() -> None:
    found = seen(
        "storage_event",
        happened(1, "all paths down", device="naa.1"),
        happened(2, "paths lost", "slow", device="naa.1"),
        happened(3, "all paths down", host="h3", device="naa.2"),
        happened(4, "restarted by vSphere HA", "restarted", vm_id="v1"),
    )
    assert sorted((row["resource_id"], row["kind"], row["is_of_paths"], row["cluster"]) for row in found) == [
        ("all paths down naa.1", "lost", False, "gold"),
        ("all paths down naa.2", "lost", False, "tin"),
        ("paths lost naa.1", "slow", True, "gold"),
    ]


def test_hosts_of_two_clusters_have_none_together() -> None:
    (found,) = seen("storage_event", *(happened(1, "all paths down", host=host, device="naa.1") for host in ("h1", "h3")))
    assert (found["cluster"], found["hosts"], found["host_names"]) == (None, 2, "host 1, host 3")


def test_a_host_of_no_cluster_leaves_the_others_without_one() -> None:
    alone = of_vc({"host_id": "h4", "name": "host 4"})
    events = (happened(1, "all paths down", host=host, device="naa.1") for host in ("h1", "h4"))
    (found,) = seen("storage_event", *events, **{"fact.host": [*HOSTS, *alone]})
    assert (found["cluster"], found["host_names"]) == (None, "host 1, host 4")


def test_the_worst_latency_is_that_of_any_event_of_any_host() -> None:
    latencies = (("h1", 9000), ("h1", 30000), ("h1", 20000), ("h2", 25000))
    events = (happened(n, "latency rose", "slow", host, device="naa.1", latency_us=us) for n, (host, us) in enumerate(latencies))
    (found,) = seen("storage_event", *events)
    assert (found["worst_ms"], found["events"], found["hosts"]) == (30.0, 4, 2)


def test_the_datastores_on_a_device_are_those_of_its_own_vcenter() -> None:
    far = {"endpoint": "vc-2", "datastore_id": "d1", "name": "far"}
    (found,) = seen("storage_event", happened(1, "all paths down", device="naa.1"), **{"fact.datastore": [*STORES, far]})
    assert found["datastores"] == "vmfs 1"


MACHINES = {
    "fact.vm": of_vc({"vm_id": "v1", "name": "web", "host_id": "h1"}),
    "fact.vm_disk": of_vc({"vm_id": "v1", "disk": "a", "datastore_id": "d1"}, {"vm_id": "v1", "disk": "b", "datastore_id": "d2"}),
}


def restarted(*events: dict[str, Any]) -> Rows:
    return seen("restarted_machine", *events, **MACHINES)


def test_a_machine_has_what_was_done_to_it_and_what_its_storage_did_then() -> None:
    (found,) = restarted(
        happened(1, "VMFS heartbeat late", vmfs_uuid="uuid-1"),
        happened(4, "latency rose", "slow", "h2", device="naa.1"),
        happened(11, "reset for lost heartbeats", "restarted", vm_id="v1"),
        happened(90, "restarted by vSphere HA", "restarted", "h2", vm_id="v1"),
    )
    assert found == {
        "endpoint": "vc",
        "resource_id": "v1",
        "resource_name": "web",
        "cluster": "gold",
        "host": "host 1",
        "host_id": "h1",
        "vm_id": "v1",
        "what": "reset for lost heartbeats, restarted by vSphere HA",
        "restarts": 2,
        "first_at": at(11),
        "last_at": at(90),
        "datastores": "share 2, vmfs 1",
        "restarts_beside_storage": 1,
        "storage_words": "VMFS heartbeat late: vmfs 1; latency rose: naa.1",
    }


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        pytest.param(happened(10, "no path left", device="naa.1"), "no path left: naa.1", id="its device"),
        pytest.param(happened(10, "NFS server lost", datastore_id="d2"), "NFS server lost: share 2", id="its share"),
        pytest.param(happened(10, "NFS server lost", said="filer, /vol/2, share 2"), "NFS server lost: share 2", id="its share, in words"),
        pytest.param(happened(10, "NFS server lost", said="filer, /vol/2, share 20"), None, id="a share whose name begins alike"),
        pytest.param(happened(10, "all paths down", said="vmfs 1"), None, id="words that are of no share"),
        pytest.param(happened(30, "no path left", device="naa.1"), "no path left: naa.1", id="ten minutes later"),
        pytest.param(happened(31, "no path left", device="naa.1"), None, id="eleven minutes later"),
        pytest.param(happened(9, "no path left", device="naa.1"), None, id="eleven minutes before"),
        pytest.param(happened(20, "no path left", device="naa.2"), None, id="another device"),
        pytest.param(happened(20, "no path left", vmfs_uuid="uuid-9"), None, id="another volume"),
        pytest.param(happened(19, "no path left", "over", device="naa.1"), None, id="it came back"),
    ],
)
def test_only_trouble_of_its_own_storage_within_ten_minutes_counts(trouble: dict[str, Any], words: str | None) -> None:
    (found,) = restarted(happened(20, "restarted by vSphere HA", "restarted", vm_id="v1"), trouble)
    assert (found["storage_words"], found["restarts_beside_storage"]) == (words, 0 if words is None else 1)


@pytest.mark.parametrize(
    ("trouble", "beside", "words"),
    [
        pytest.param((), None, "nothing in what was read of the log", id="none is known"),
        pytest.param((happened(19, "no path left", device="naa.1"),), 1, "no path left: naa.1", id="one is known"),
    ],
)
def test_a_log_that_was_not_read_whole_may_have_had_trouble(trouble: Any, beside: int | None, words: str) -> None:
    stopped = happened(20, "restarted by vSphere HA", "restarted", vm_id="v1")
    unread = of_vc({"scope": "", "topic": "storage_events", "complete": False})
    (found,) = seen("restarted_machine", stopped, *trouble, **MACHINES, **{"fact.reading": unread})
    assert (found["restarts_beside_storage"], found["storage_words"]) == (beside, words)


TERMINATED, RESTARTED, RESET = "terminated for lost storage", "restarted by vSphere HA", "reset for lost heartbeats"


@pytest.mark.parametrize(
    ("events", "restarts", "beside"),
    [
        pytest.param([(1, TERMINATED), (3, RESTARTED)], 1, 1, id="terminated, and started elsewhere"),
        pytest.param([(1, TERMINATED), (3, RESTARTED), (60, TERMINATED), (63, RESTARTED)], 2, 1, id="twice"),
        pytest.param(
            [(1, TERMINATED), (60, TERMINATED), (63, RESTARTED)], 2, 1, id="terminated twice, and the first start is not in the log"
        ),
        pytest.param([(1, TERMINATED)], 1, 1, id="terminated, and not started"),
        pytest.param([(1, RESTARTED), (3, TERMINATED)], 2, 2, id="terminated after it was started"),
        pytest.param([(1, RESET), (3, RESTARTED)], 2, 2, id="reset, and started elsewhere later"),
        pytest.param([(1, TERMINATED), (3, RESET)], 2, 2, id="terminated, and reset"),
    ],
)
def test_a_machine_that_is_terminated_and_then_started_stopped_once(events: list[tuple[int, str]], restarts: int, beside: int) -> None:
    trouble = happened(2, "no path left", device="naa.1")
    (found,) = restarted(trouble, *(happened(minutes, what, "restarted", vm_id="v1") for minutes, what in events))
    assert (found["restarts"], found["restarts_beside_storage"], found["first_at"]) == (restarts, beside, at(events[0][0]))


def test_a_reset_is_not_the_end_of_a_termination_with_its_key_in_another_vcenter() -> None:
    far = [happened(minutes, what, "restarted", vm_id="v1", endpoint="vc-2") for minutes, what in ((1, TERMINATED), (3, RESTARTED))]
    (found,) = restarted(happened(1, RESET, "restarted", vm_id="v1"), happened(3, RESTARTED, "restarted", vm_id="v1"), *far)
    assert found["restarts"] == 2


def test_a_machines_host_is_that_of_its_own_vcenter() -> None:
    far = {"endpoint": "vc-2", "host_id": "h1", "name": "a first name", "cluster": "bronze"}
    stop = happened(1, RESTARTED, "restarted", vm_id="v1")
    (found,) = seen("restarted_machine", stop, **MACHINES, **{"fact.host": [*HOSTS, far]})
    assert (found["host"], found["cluster"]) == ("host 1", "gold")


def test_only_the_log_itself_has_to_be_read_whole_for_nothing_to_be_beside_a_restart() -> None:
    read = of_vc(
        {"scope": "", "topic": "storage_events", "complete": True},
        {"scope": "", "topic": "tags", "complete": False},
        {"scope": "h1", "topic": "storage_events", "complete": False},
    )
    (found,) = seen("restarted_machine", happened(1, RESTARTED, "restarted", vm_id="v1"), **MACHINES, **{"fact.reading": read})
    assert (found["restarts_beside_storage"], found["storage_words"]) == (0, None)


def test_machines_stop_each_for_itself() -> None:
    found = restarted(happened(1, TERMINATED, "restarted", vm_id="v1"), happened(3, RESTARTED, "restarted", vm_id="v2"))
    assert [(row["vm_id"], row["restarts"]) for row in sorted(found, key=lambda row: row["vm_id"])] == [("v1", 1), ("v2", 1)]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        pytest.param(happened(20, "no path left", device="naa.1", endpoint="vc-2"), None, id="of another vCenter"),
        pytest.param(happened(20, "no path left", device="naa.7"), None, id="a device of a datastore of that id elsewhere"),
        pytest.param(happened(20, "no path left", device="naa.6"), None, id="a device of a machine of that id elsewhere"),
        pytest.param(happened(20, "no path left", device="naa.8"), None, id="a device of another datastore"),
        pytest.param(happened(20, "NFS server lost", said="filer, /vol/2, vmfs 1"), None, id="a share that is called like its VMFS"),
        pytest.param(happened(20, "all paths down", said="x, share 2"), None, id="words that name its share, of no share"),
        pytest.param(happened(20, "NFS server lost", said="filer, /vol/3, share 3"), "NFS server lost: share 3", id="a share of NFS 4.1"),
    ],
)
def test_storage_of_the_same_name_or_id_is_not_the_machines(trouble: dict[str, Any], words: str | None) -> None:
    stores = {
        "fact.datastore": [
            *STORES,
            *of_vc({"datastore_id": "d3", "name": "share 3", "type": "NFS41"}),
            *({"endpoint": "vc-2", "datastore_id": name, "name": f"{name} elsewhere", "type": "VMFS"} for name in ("d1", "d5")),
        ],
        "fact.datastore_extent": [
            *EXTENTS,
            *of_vc({"datastore_id": "d9", "device": "naa.8"}),
            *({"endpoint": "vc-2", "datastore_id": name, "device": device} for name, device in (("d1", "naa.7"), ("d5", "naa.6"))),
        ],
        "fact.vm_disk": [
            *MACHINES["fact.vm_disk"],
            *of_vc({"vm_id": "v1", "disk": "c", "datastore_id": "d3"}),
            {"endpoint": "vc-2", "vm_id": "v1", "disk": "a", "datastore_id": "d5"},
        ],
    }
    stops = [happened(20, "restarted by vSphere HA", "restarted", **of) for of in ({"vm_id": "v1"}, {"vm_id": "v2"})]
    stops.append(stops[0] | {"endpoint": "vc-2"})
    found, without_disks = seen("restarted_machine", *stops, trouble, **MACHINES | stores)
    assert (found["storage_words"], found["restarts_beside_storage"]) == (words, 0 if words is None else 1)
    assert (found["datastores"], without_disks["datastores"]) == ("share 2, share 3, vmfs 1", None)


def test_a_machine_that_is_gone_is_called_by_its_id() -> None:
    (found,) = restarted(happened(1, "restarted by vSphere HA", "restarted", vm_id="v9"))
    assert (found["resource_name"], found["host"], found["datastores"]) == ("v9", None, None)
    assert (found["restarts_beside_storage"], found["storage_words"]) == (None, "not known, as its disks were not read")


def test_a_restart_that_names_no_machine_is_nobodys() -> None:
    assert restarted(happened(1, "restarted by vSphere HA", "restarted")) == []


def test_what_happened_to_a_machine_without_a_restart_is_none() -> None:
    assert restarted(happened(1, "NFS server lost", "lost", datastore_id="d2", vm_id="v1")) == []
