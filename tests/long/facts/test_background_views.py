"""What ONTAP does in the background, as rules see it: beside scrubs, across clusters, and on hosts that mount NFS from it."""

import json
from typing import Any

import pytest

from auditor.model import EndpointKind
from tests.facts.fleets import Facts, Rows, array, hosts, serves, view

ONTAP = EndpointKind.ONTAP


def scrubbed(starts: str | None = "[1380]", minutes: int | None = 120) -> Facts:
    """An aggregate that is scrubbed from 23:00 to 01:00, with three relationships and three deduplications about that time."""
    given = hosts(1)
    array(given, "n", ONTAP)
    given["array_node"] = [{"endpoint": "n", "node_id": "1", "name": "node-1"}]
    given["array_pool"] = [{"endpoint": "n", "pool_id": "p", "name": "aggr", "node_id": "1"}]
    given["array_scrub"] = [
        {"endpoint": "n", "node_id": "node-1", "schedule": "120m@sun@23", "start_minutes": starts, "duration_minutes": minutes}
    ]
    given["array_replication"] = [
        {
            "endpoint": "n",
            "replication_id": f"{number}/source",
            "role": "source",
            "pool_id": "p",
            "source": f"svm:vol{number}",
            "destination": f"dr:vol{number}",
            "schedule": "s",
            "schedule_read": True,
            "interval_seconds": 3600,
            "start_minutes": json.dumps(minutes_of_day),
        }
        # At noon all three start; within a scrub two at 00:30, and at 01:00, when it ends, it is over.
        for number, minutes_of_day in ((1, [30, 60, 720]), (2, [30, 60, 720]), (3, [60, 720]))
    ]
    given["array_efficiency"] = [
        {
            "endpoint": "n",
            "volume_id": str(number),
            "volume": f"svm:vol{number}",
            "pool_id": "p",
            "state": "enabled",
            "schedule": "s",
            "start_minutes": start,
        }
        for number, start in ((1, "[1380]"), (2, "[1379]"), (3, "[0, 59]"))
    ]
    return given


def test_what_starts_while_disks_are_scrubbed_is_counted_past_midnight() -> None:
    [row] = view("pool_scrub", scrubbed())
    assert (row["replication_starts_in_one_minute"], row["efficiency_starts"]) == (2, 2)
    assert (row["node"], row["scrub_schedule"], row["replications"]) == ("node-1", "120m@sun@23", 3)


@pytest.mark.parametrize(
    ("starts", "minutes"), [pytest.param(None, 120, id="schedule not understood"), pytest.param("[1380]", None, id="length not told")]
)
def test_what_starts_during_a_scrub_is_unknown_when_nobody_tells_when_that_is(starts: str | None, minutes: int | None) -> None:
    [row] = view("pool_scrub", scrubbed(starts, minutes))
    assert (row["replication_starts_in_one_minute"], row["efficiency_starts"]) == (None, None)


@pytest.mark.parametrize(("topic", "unknown"), [("replication", "replication_starts_in_one_minute"), ("efficiency", "efficiency_starts")])
def test_what_was_not_read_whole_is_not_counted_beside_a_scrub(topic: str, unknown: str) -> None:
    given = scrubbed()
    for row in given["reading"]:
        row["complete"] = row["complete"] and row["topic"] != topic
    [row] = view("pool_scrub", given)
    assert {name for name in ("replication_starts_in_one_minute", "efficiency_starts") if row[name] is None} == {unknown}


def mirrored(**destination: Any) -> Rows:
    """The rows of a relationship between two clusters; only the destination's knows the schedule."""
    given = hosts(1)
    array(given, "here", ONTAP)
    array(given, "there", ONTAP)
    given["array_pool"] = [{"endpoint": "here", "pool_id": "p", "name": "aggr"}]
    common = {"source": "svm:vol1", "destination": "dr:vol1"}
    reported = {"schedule": "hourly", "schedule_read": True, "interval_seconds": 3600, "start_minutes": "[5]"}
    given["array_replication"] = [
        {"endpoint": "here", "replication_id": "r/source", "role": "source", "pool_id": "p", "schedule_read": False, **common},
        {"endpoint": "there", "replication_id": "r/destination", "role": "destination", **common, **reported, **destination},
    ]
    return view("replication", given)


def test_the_source_of_a_relationship_learns_its_schedule_from_the_cluster_with_the_destination() -> None:
    here, there = mirrored()
    assert (here["schedule"], here["is_scheduled"], here["interval_seconds"]) == ("hourly", True, 3600)
    # Minutes of another cluster may be of another time zone.
    assert (here["start_minutes"], there["start_minutes"]) == (None, "[5]")


@pytest.mark.parametrize(
    ("change", "is_scheduled"),
    [
        pytest.param({"schedule_read": False, "schedule": None, "interval_seconds": None}, None, id="neither side knows"),
        pytest.param({"schedule": None, "interval_seconds": None}, False, id="started by hand"),
        pytest.param({"source": "svm:other"}, None, id="another relationship of that id"),
        pytest.param({"replication_id": "q/destination"}, None, id="another id"),
    ],
)
def test_a_schedule_is_only_taken_over_from_the_same_relationship(change: dict[str, Any], is_scheduled: bool | None) -> None:
    here, _ = mirrored(**change)
    assert (here["schedule"], here["is_scheduled"], here["interval_seconds"]) == (None, is_scheduled, None)


@pytest.mark.parametrize(
    ("work", "read", "expected"),
    [
        pytest.param({"schedule": "daily", "start_minutes": "[10]"}, True, True, id="at known minutes"),
        pytest.param({"schedule": "daily", "start_minutes": "[]"}, True, False, id="its policy is off"),
        pytest.param({"schedule": "auto@20"}, True, False, id="by how much was written"),
        pytest.param({"schedule": " Auto "}, True, False, id="by how much was written, in other letters"),
        pytest.param({"schedule": "autumn", "policy": "p", "start_minutes": "[10]"}, True, True, id="a schedule whose name begins so"),
        pytest.param({"schedule": "auto", "policy": "p", "start_minutes": "[10]"}, True, True, id="a policy's schedule of that name"),
        pytest.param({"schedule": "auto", "policy": "p"}, True, None, id="a policy's schedule of that name, not understood"),
        pytest.param({"schedule": "autumn"}, True, None, id="no form that is known"),
        pytest.param({}, True, False, id="no schedule"),
        pytest.param({}, False, None, id="no schedule, and not all read"),
        pytest.param({"schedule": "odd"}, True, None, id="not understood"),
        pytest.param({"schedule": "daily", "start_minutes": "[10]", "state": "disabled"}, True, False, id="switched off"),
        pytest.param({"schedule": "daily", "start_minutes": "[10]", "state": None}, True, None, id="it may be switched off"),
    ],
)
def test_deduplication_is_scheduled_where_it_starts_at_known_minutes(work: dict[str, Any], read: bool, expected: bool | None) -> None:
    given = hosts(1)
    array(given, "n", ONTAP)
    for row in given["reading"]:
        row["complete"] = row["complete"] and (read or row["topic"] != "efficiency")
    given["array_efficiency"] = [{"endpoint": "n", "volume_id": "1", "volume": "svm:vol1", "pool_id": "p", "state": "enabled", **work}]
    [row] = view("efficiency", given)
    assert row["is_scheduled"] is expected


DAILY, TUESDAY = "[0, 1, 2, 3, 4, 5, 6]", "[2]"


def deduplicating(*volumes: tuple[str, str, str], schedules: tuple[tuple[str, str, str], ...] = (), scrub: str = "[60]") -> Facts:
    """Volumes of one aggregate as (policy, minutes, days), beside schedules as (name, minutes, days)."""
    given = hosts(1)
    array(given, "n", ONTAP)
    given["array_efficiency"] = [
        {
            "endpoint": "n",
            "volume_id": str(n),
            "volume": f"svm:vol{n}",
            "pool_id": "p",
            "state": "enabled",
            "policy_id": policy,
            "schedule": "s",
            "start_minutes": minutes,
            "start_days": days,
        }
        for n, (policy, minutes, days) in enumerate(volumes, 1)
    ]
    given["array_schedule"] = [
        {"endpoint": "n", "name": name, "start_minutes": minutes, "start_days": days, "interval_seconds": 86400 * 7 // len(days.split(","))}
        for name, minutes, days in schedules
    ]
    given["array_scrub"] = [{"endpoint": "n", "node_id": "1", "start_minutes": scrub, "duration_minutes": 60}]
    return given


@pytest.mark.parametrize(
    ("volumes", "waves"),
    [
        pytest.param([("d", "[0]", DAILY)] * 3, [3, 3, 3], id="midnight"),
        pytest.param([("d", "[1170]", DAILY)] * 3, [3, 3, 3], id="a wave that moved is still a wave"),
        pytest.param([("d", "[1170]", TUESDAY), ("e", "[1170]", "[3]"), ("f", "[1190]", TUESDAY)], [2, 1, 2], id="days apart"),
        pytest.param([("d", "[0]", DAILY), ("e", "[60]", DAILY), ("f", "[59]", TUESDAY)], [2, 1, 2], id="hours apart"),
        pytest.param([("d", "[0, 720]", DAILY), ("e", "[720]", DAILY), ("f", "[725]", DAILY)], [3, 3, 3], id="the most of its hours"),
    ],
)
def test_a_wave_is_what_starts_on_one_aggregate_in_one_hour_of_the_week(volumes: list[tuple[str, str, str]], waves: list[int]) -> None:
    assert [row["volumes_in_wave"] for row in view("efficiency", deduplicating(*volumes))] == waves


@pytest.mark.parametrize("lost", ["start_minutes", "start_days", "reading"])
def test_how_many_start_together_is_unknown_where_one_start_was_not_understood(lost: str) -> None:
    given = deduplicating(*[("d", "[0]", DAILY)] * 3)
    if lost == "reading":
        for row in given["reading"]:
            row["complete"] = row["complete"] and row["topic"] != "efficiency"
    else:
        given["array_efficiency"][0][lost] = None
    assert [row["volumes_in_wave"] for row in view("efficiency", given)] == [None] * 3


EVENING = ("evening", "[1170]", DAILY)
SHARED_HOUR = [("a", "[0]", DAILY), ("b", "[0]", DAILY), ("c", "[0]", DAILY)]


@pytest.mark.parametrize(
    ("volumes", "schedules", "free"),
    [
        pytest.param(SHARED_HOUR, [("late", "[1320]", DAILY), EVENING], ["evening", "late", None], id="another one for each policy"),
        pytest.param([("d", "[0]", DAILY)] * 3, [EVENING], [None] * 3, id="one policy takes its wave along"),
        pytest.param(SHARED_HOUR, [], [None] * 3, id="the cluster has none"),
        pytest.param(SHARED_HOUR, [("midnight", "[0]", DAILY), ("soon", "[59]", DAILY)], [None] * 3, id="midnight is no other hour"),
        pytest.param(SHARED_HOUR, [("twice", "[600, 1200]", DAILY)], [None] * 3, id="twice a day is none"),
        pytest.param(SHARED_HOUR, [("scrubbed", "[110]", DAILY)], [None] * 3, id="while disks are scrubbed"),
        pytest.param(SHARED_HOUR, [EVENING, ("seven", "[1140]", TUESDAY)], ["evening", None, None], id="two in one hour are one"),
        pytest.param([*SHARED_HOUR, ("d", "[1175]", TUESDAY)], [EVENING], [None] * 4, id="an hour in which something starts"),
        pytest.param([*SHARED_HOUR, ("d", "[1175]", TUESDAY)], [("wed", "[1170]", "[3]")], ["wed", None, None, None], id="another day"),
    ],
)
def test_only_schedules_that_the_cluster_has_and_nobody_uses_are_proposed(
    volumes: list[tuple[str, str, str]], schedules: list[tuple[str, str, str]], free: list[str | None]
) -> None:
    given = deduplicating(*volumes, schedules=tuple(schedules))
    assert [row["free_schedule"] for row in view("efficiency", given)] == free


@pytest.mark.parametrize("topic", ["efficiency", "scrub"])
def test_no_schedule_is_proposed_where_not_all_that_starts_is_known(topic: str) -> None:
    given = deduplicating(*SHARED_HOUR, schedules=(EVENING,))
    for row in given["reading"]:
        row["complete"] = row["complete"] and row["topic"] != topic
    assert {row["free_schedule"] for row in view("efficiency", given)} == {None}


def mounting(*paths: str, shares: int = 1, read: bool = True) -> dict[str, dict[str, Any]]:
    """The NFS options of a host that mounts these paths, /ds1 of an ONTAP's address and others of a name; the ONTAP exports /ds1 alone."""
    given = hosts(1)
    given["host"][0]["version"] = "8.0.2"
    exported = [{"name": f"vol{n}", "kind": "share", "export_path": "/ds1", "qos_max_iops": 7} for n in range(1, shares + 1)]
    array(given, "n", ONTAP, *exported, read=read)
    serves(given, "n", "192.0.2.9")
    given["datastore"] = [
        {"datastore_id": path, "name": path[1:], "type": "NFS", "nfs_host": "192.0.2.9" if path == "/ds1" else "nas", "nfs_path": path}
        for path in paths
    ]
    given["datastore_mount"] = [{"datastore_id": path, "host_id": "host-1"} for path in paths]
    given["host_option"] = [{"host_id": "host-1", "key": "NFS.MaxVolumes", "value": "32"}]
    return {row["option"]: row for row in view("nfs_option", given)}


@pytest.mark.parametrize(
    ("paths", "more", "expected"),
    [
        pytest.param(["/ds1"], {}, True, id="ONTAP"),
        pytest.param(["/ds1", "/ds2"], {}, True, id="ONTAP and a server that it is not"),
        pytest.param(["/ds2"], {}, False, id="a server whose path no ONTAP exports"),
        pytest.param([], {}, False, id="none"),
        pytest.param(["/ds2"], {"read": False}, None, id="not all of the ONTAP read"),
        pytest.param(["/ds1"], {"shares": 2}, True, id="ONTAP, where two shares have the path"),
        pytest.param(["/ds1"], {"read": False}, True, id="ONTAP, not read whole"),
    ],
)
def test_a_host_mounts_nfs_from_ontap_where_an_export_path_says_so(paths: list[str], more: dict[str, Any], expected: bool | None) -> None:
    rows = mounting(*paths, **more)
    assert len(rows) == 8
    assert rows.pop("NFS41.MaxVolumes")["mounts_ontap"] is False, "all are mounted by NFS 3"
    assert {row["mounts_ontap"] for row in rows.values()} == {expected}


def test_an_nfs_option_names_datastore_array_share_and_qos() -> None:
    rows = mounting("/ds1")
    row = rows["NFS.MaxVolumes"]
    assert (row["value"], row["major_version"], rows["Net.TcpipHeapSize"]["value"]) == (32, 8, None)
    assert (row["datastores"], row["arrays"], row["volumes"], row["qos"]) == ("ds1", "n", "vol1", "the volume itself: 7 IOPS")


def shared(read: bool = True, *, sioc: tuple[bool | None, bool | None] = (True, False)) -> Facts:
    """Two datastores on volumes of one pool under one policy, and a third volume without a datastore."""
    given = hosts(1)
    policy = {"qos_policy_id": "q", "qos_policy": "gold", "qos_shared": True, "qos_max_iops": 5000}
    volumes: Rows = [
        {"name": f"vol{n}", "kind": "share", "export_path": f"/ds{n}", "pool_id": "p", **(policy if n < 3 else {"qos_group_id": "q"})}
        for n in (1, 2, 3)
    ]
    array(given, "n", ONTAP, *volumes, read=read)
    serves(given, "n", "192.0.2.9")
    given["array_pool"] = [{"endpoint": "n", "pool_id": "p", "name": "aggr"}]
    given["array_qos_policy"] = [{"endpoint": "n", "policy_id": "q", "name": "gold", "is_shared": True, "max_iops": 5000}]
    given["datastore"] = [
        {"datastore_id": f"d{n}", "name": f"ds{n}", "type": "NFS", "nfs_host": "192.0.2.9", "nfs_path": f"/ds{n}", "sioc_enabled": on}
        for n, on in enumerate(sioc, 1)
    ]
    given["datastore_mount"] = [{"datastore_id": f"d{n}", "host_id": "host-1"} for n in (1, 2)]
    return given


def test_a_qos_policy_tells_which_datastores_are_under_it() -> None:
    [row] = view("qos_policy_use", shared())
    assert (row["volumes"], row["datastores_under_it"], row["datastores"], row["host_names"]) == (3, 2, "ds1, ds2", "esx-1")
    [row] = view("qos_policy_use", shared(read=False))
    assert (row["volumes"], row["datastores_under_it"]) == (None, None)


@pytest.mark.parametrize("kind", ["share", "lun"])
def test_a_datastore_of_two_vcenters_is_one_under_a_policy(kind: str) -> None:
    given = shared()
    if kind == "lun":
        given["array_volume"] = [{**row, "kind": "lun", "device": f"naa.{row['name']}"} for row in given["array_volume"]]
        given["datastore"] = [{**row, "type": "VMFS", "vmfs_uuid": row["name"], "nfs_path": None} for row in given["datastore"]]
        given["datastore_extent"] = [{"datastore_id": f"d{n}", "device": f"naa.vol{n}"} for n in (1, 2)]
        given["datastore_extent"] += [{**row, "endpoint": "vc-2"} for row in given["datastore_extent"]]
    given["datastore"] += [{**row, "endpoint": "vc-2", "nfs_host": "nas.example.net"} for row in given["datastore"]]
    given["declared_nfs_server"] = [{"server": "nas.example.net", "address": "192.0.2.9"}]
    [row] = view("qos_policy_use", given)
    assert (row["datastores_seen_under_it"], row["datastores_under_it"]) == (2, 2)


def test_a_pool_is_not_said_to_be_even_where_a_vcenter_did_not_tell_its_datastores() -> None:
    given = shared(sioc=(True, True))
    given["reading"].append({"endpoint": "vc-other", "scope": "", "topic": "datastores", "complete": False})
    [row] = view("pool_sioc", given)
    assert (row["sioc_on"], row["is_mixed"]) == (2, None)


def test_who_is_under_a_policy_is_not_known_where_a_vcenter_did_not_tell_its_datastores() -> None:
    given = shared()
    given["reading"].append({"endpoint": "vc-other", "scope": "", "topic": "datastores", "complete": False})
    [row] = view("qos_policy_use", given)
    assert (row["volumes"], row["datastores_under_it"]) == (3, None)


@pytest.mark.parametrize(
    ("sioc", "expected"),
    [
        pytest.param((True, False), (1, 1, True), id="both"),
        pytest.param((True, True), (2, 0, False), id="on for all"),
        pytest.param((True, None), (1, 0, None), id="one does not tell"),
    ],
)
def test_a_pool_tells_on_how_many_of_its_datastores_storage_io_control_is_on(
    sioc: tuple[bool | None, bool | None], expected: tuple[int, int, bool | None]
) -> None:
    [row] = view("pool_sioc", shared(sioc=sioc))
    assert (row["sioc_on"], row["sioc_off"], row["is_mixed"]) == expected
    assert row["with_sioc"] == ", ".join(name for name, on in zip(("ds1", "ds2"), sioc, strict=True) if on)


@pytest.mark.parametrize(
    ("sioc", "astray", "on", "is_mixed", "beside"),
    [
        pytest.param((True, True), False, 2, None, "ds2", id="on for all, and off for the one astray"),
        pytest.param((True, True), None, 2, None, "ds2", id="on for all, and the one astray does not tell"),
        pytest.param((True, True), True, 2, False, "ds2", id="on for all, and for the one astray"),
        pytest.param((False, False), True, None, None, "", id="off for all, and on for the one astray"),
        pytest.param((False, False), None, None, None, "", id="off for all, and the one astray does not tell"),
        pytest.param((False, False), False, 0, False, "", id="off for all, and for the one astray"),
        pytest.param((True, False), False, 1, True, "", id="a pool is mixed whatever the one astray has"),
        pytest.param((True, False), True, 1, True, None, id="the one that has it may have a neighbour that has it"),
    ],
)
def test_a_datastore_on_several_pools_leaves_open_what_it_could_change(
    sioc: tuple[bool, bool], astray: bool | None, on: int | None, is_mixed: bool | None, beside: str | None
) -> None:
    """The volume of the third datastore is a FlexGroup: it lies on several aggregates, and the pool may be one of them."""
    given = shared(sioc=sioc)
    given["array_volume"][2]["pool_id"] = None
    given["datastore"].append(given["datastore"][0] | {"datastore_id": "d3", "name": "ds3", "nfs_path": "/ds3", "sioc_enabled": astray})
    given["datastore_mount"].append({"datastore_id": "d3", "host_id": "host-1"})
    [row] = view("pool_sioc", given)
    assert (row["sioc_on"], row["is_mixed"]) == (on, is_mixed)
    first = next(row for row in view("datastore", given) if row["resource_name"] == "ds1")
    assert first["sioc_neighbours"] == beside


def test_a_volume_whose_qos_was_not_read_may_be_under_any_policy() -> None:
    given = shared()
    given["array_volume"][2] |= {"qos_read": False, "qos_group_id": None}
    [row] = view("qos_policy_use", given)
    assert (row["volumes"], row["datastores_seen_under_it"], row["datastores_under_it"]) == (None, 2, None)


@pytest.mark.parametrize(("of_clients", "share"), [(60.0, 0.4), (100.0, 0.0), (None, None)], ids=["some", "none", "not read"])
def test_the_share_of_background_work_is_known_where_that_of_clients_is(of_clients: float | None, share: float | None) -> None:
    given = scrubbed()
    given["array_pool_load"] = [{"endpoint": "n", "pool_id": "p", "transfers_per_second": 100.0, "user_transfers_per_second": of_clients}]
    [row] = view("array_pool", given)
    assert row["background_share"] == pytest.approx(share)
