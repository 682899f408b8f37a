"""What a baseline keeps, and what its views say of the same fleet at another time."""

from collections.abc import Callable
from copy import deepcopy
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from auditor.errors import SnapshotError
from auditor.facts.baseline import KINDS, VIEWS, counts, hand_on, take
from auditor.facts.catalog import catalog
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.history.baseline import missing_notices
from auditor.model import EndpointKind
from tests.facts.fleets import WHEN, Facts, Rows, array, builder, endpoints, hosts, on_all_hosts, seen, snapshot, whole
from tests.facts.prepared import FactTables, listed, rows_of_view

RUN = "20261121T065500Z-1a2b"
LUN, OTHER_LUN = "naa.6f47acc100000000000000000000abcd", "naa.6f47acc100000000000000000000abce"


@cache
def _others() -> FactTables:
    """A second database: what somebody made the baseline is not what is judged by it."""
    return FactTables()


def kept_rows(given: Facts, host: str | None = None, reach: str = "itself") -> Rows:
    """The rows of the baseline that is made from these facts, or from one host of theirs."""
    connection = _others().holding(whole(given))
    take(Snapshot(connection, (), (), WHEN, WHEN), RUN, None if host is None else ("vc", host), reach)
    return listed(connection.execute("SELECT * FROM fact.baseline"))


def held(then: Facts, now: Facts, host: str | None = None, reach: str = "itself") -> Facts:
    """The fleet now, held against what it was then."""
    return {**now, "baseline": kept_rows(then, host, reach)}


def rows(view: str, given: Facts) -> Rows:
    """The rows of a view over facts that a baseline is held against."""
    baseline = given.pop("baseline")
    return rows_of_view(view, {**whole(given), "baseline": baseline})


def joined(then: Facts, now: Facts) -> Snapshot:
    """The same as an audit has it."""
    before, after = snapshot(then), snapshot(now)
    take(before, RUN, None, "itself")
    hand_on(before.connection, after.connection)
    return after


def kept(given: Facts) -> set[tuple[str, str, str, str, str]]:
    """(kind, host, thing, setting, value) of all that a baseline of these facts holds, but for its hosts."""
    rows = (row for row in kept_rows(given) if row["kind"] not in ("made", "host"))
    return {(row["kind"], row["of_host"], row["thing"], row["setting"], row["value"]) for row in rows}


def option(key: str, value: str, host: str = "host-1", value_type: str = "long") -> dict[str, str]:
    return {"host_id": host, "key": key, "value": value, "value_type": value_type}


def with_rows(given: Facts, table: str, *more: dict[str, Any]) -> Facts:
    given.setdefault(table, []).extend(more)
    return given


def unread(given: Facts, topic: str) -> Facts:
    for reading in given["reading"]:
        if reading["topic"] == topic:
            reading["complete"] = False
    return given


def test_the_views_that_rest_on_a_baseline_are_those_its_kinds_name() -> None:
    resting = {name for name, view in catalog().views.items() if view.columns and "baseline" in view.facts}
    assert resting == VIEWS == {view for kind in KINDS.values() for view in (kind.view, *kind.before)}


def test_no_name_address_identity_or_log_target_becomes_a_baseline() -> None:
    given = with_rows(
        hosts(1),
        "host_option",
        option("Disk.QFullSampleSize", "32"),
        option("Misc.APDTimeout", "140"),
        option("Disk.IdentityOfSomething", "iqn.1998-01.com.vmware:esx-1", value_type="string"),
        option("Syslog.global.logHost", "udp://logs.example.net", value_type="string"),
        option("Net.ManagementAddr", "198.51.100.7", value_type="string"),
        option("Net.UseHwTSO", "1"),
        option("Misc.HostIPAddr", "198.51.100.7", value_type="string"),
        option("Diskette.Speed", "1"),
        option("UserVars.SuppressShellWarning", "0"),
    )
    assert {row[3] for row in kept(given)} == {"Disk.QFullSampleSize", "Misc.APDTimeout"}


def test_an_option_is_compared_with_its_own_value_of_then() -> None:
    then = with_rows(hosts(2), "host_option", option("Disk.QFullSampleSize", "32"), option("Disk.QFullSampleSize", "16", "host-2"))
    now = with_rows(hosts(2), "host_option", option("Disk.QFullSampleSize", "0"), option("Disk.QFullSampleSize", "16", "host-2"))
    found = rows("baseline_option", held(then, now))
    assert [(row["host"], row["value"], row["wanted"], row["wanted_number"], row["is_own"]) for row in found] == [
        ("esx-1", "0", "32", 32, True),
        ("esx-2", "16", "16", 16, True),
    ]
    assert {(row["baseline_run"], row["baseline_at"]) for row in found} == {(RUN, WHEN)}


@pytest.mark.parametrize(("lose", "is_listed"), [(lambda given: given, False), (lambda given: unread(given, "options"), None)])
def test_an_option_that_is_gone_has_no_value_and_whether_it_is_gone_is_told(lose: Callable[[Facts], Facts], is_listed: bool | None) -> None:
    then = with_rows(hosts(1), "host_option", option("Disk.QFullSampleSize", "32"))
    (found,) = rows("baseline_option", held(then, lose(hosts(1))))
    assert (found["value"], found["is_known"], found["is_listed"]) == (None, True, is_listed)


def test_a_host_that_came_or_was_renamed_is_not_known_and_the_lost_one_is_named() -> None:
    then = with_rows(hosts(2), "host_option", option("Disk.QFullSampleSize", "32"), option("Disk.QFullSampleSize", "32", "host-2"))
    now = with_rows(hosts(3), "host_option", *(option("Disk.QFullSampleSize", "0", f"host-{n}") for n in (1, 2, 3)))
    now["host"][1]["name"] = "esx-renamed"
    assert [(row["host"], row["is_known"]) for row in rows("baseline_option", held(then, now))] == [
        ("esx-1", True),
        ("esx-renamed", False),
        ("esx-3", False),
    ]
    (notice,) = missing_notices(joined(then, now))
    assert "esx-2 (vc)" in notice


def test_endpoints_that_the_fleet_does_not_list_any_more_are_named() -> None:
    before = snapshot(with_rows(element("3"), "host_option", option("Disk.QFullSampleSize", "32")), sf=EndpointKind.ELEMENT)
    after = builder({}).finish(endpoints(), started=WHEN, finished=WHEN)
    take(before, RUN, None, "itself")
    hand_on(before.connection, after.connection)
    (notice,) = missing_notices(after)
    assert ": sf. " in notice


def test_hosts_that_could_not_all_be_listed_are_not_called_lost() -> None:
    then, now = hosts(2), unread(hosts(1), "hosts")
    assert missing_notices(joined(with_rows(then, "host_option", option("Disk.QFullSampleSize", "32")), now)) == ()


def test_two_hosts_of_one_name_are_nobodys_example() -> None:
    given = with_rows(hosts(2), "host_option", option("Disk.QFullSampleSize", "32"), option("Disk.QFullSampleSize", "0", "host-2"))
    given["host"][1]["name"] = "esx-1"
    assert kept(given) == set()


def test_two_hosts_that_have_one_name_now_are_held_to_neither_ones_state_of_then() -> None:
    then = with_rows(hosts(3), "host_option", *(option("Disk.QFullSampleSize", str(n), f"host-{n}") for n in (1, 2, 3)))
    now = with_rows(hosts(3), "host_option", *(option("Disk.QFullSampleSize", str(n), f"host-{n}") for n in (1, 2, 3)))
    now["host"][1]["name"] = "esx-1"
    found = rows("baseline_option", held(then, now))
    assert [(row["resource_id"][:6], row["is_known"]) for row in found] == [("host-1", False), ("host-2", False), ("host-3", True)]


@pytest.mark.parametrize(
    ("reach", "held_to_it"),
    [pytest.param("cluster", {"esx-1", "esx-2"}, id="its cluster"), pytest.param("all", {"esx-1", "esx-2", "esx-3"}, id="all")],
)
def test_a_good_host_is_an_example_for_whom_it_was_made(reach: str, held_to_it: set[str]) -> None:
    given = with_rows(hosts(3), "host_option", *(option("Disk.QFullSampleSize", str(n), f"host-{n}") for n in (1, 2, 3)))
    given["host"][2] |= {"cluster": "silver", "cluster_id": "c2"}
    found = rows("baseline_option", held(given, given, "esx-1", reach))
    assert {row["host"] for row in found if row["is_known"]} == held_to_it
    assert {row["wanted"] for row in found if row["is_known"]} == {"1"}
    assert {row["host"] for row in found if row["is_own"]} == {"esx-1"}


def module(options: str | None, name: str = "iscsi_vmk") -> dict[str, Any]:
    return {"host_id": "host-1", "module": name, "loaded": True, "option_string": options}


@pytest.mark.parametrize(
    ("then", "now", "reported"),
    [
        pytest.param("a=1 b=2", "b=3", [("a", "not set", "1"), ("b", "3", "2")], id="one lost, one changed"),
        pytest.param("", "a=1", [("a", "1", "not set")], id="one that came"),
        pytest.param("a=1", "", [("a", "not set", "1")], id="all lost: the driver's defaults"),
        pytest.param("  a=1   b=2 ", "b=2 a=1", [("a", "1", "1"), ("b", "2", "2")], id="order and blanks say nothing"),
        pytest.param("", "", [("", "not set", "not set")], id="nothing then, nothing now"),
        pytest.param("a=1", None, [("a", None, "1")], id="not read"),
        pytest.param("", None, [("", None, "not set")], id="not read, and nothing was set"),
        pytest.param("a=1", "a=1 a=2", [("a", "1 and 2", "1")], id="named twice"),
        pytest.param("a=1", "a", [("a", "", "1")], id="without a value"),
    ],
)
def test_parameters_of_an_option_string_are_compared_one_by_one(
    then: str, now: str | None, reported: list[tuple[str, str | None, str]]
) -> None:
    found = rows(
        "baseline_parameter", held(with_rows(hosts(1), "host_module", module(then)), with_rows(hosts(1), "host_module", module(now)))
    )
    assert [(row["parameter"], row["value"], row["wanted"]) for row in found] == reported
    assert all(row["is_known"] and row["is_listed"] for row in found)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("16", 16, id="a number"),
        pytest.param("0", 0, id="nought"),
        pytest.param("-1", -1, id="below nought"),
        pytest.param("0x10", None, id="hexadecimal"),
        pytest.param("010", None, id="which drivers take for eight"),
        pytest.param("1.7", None, id="no whole one"),
        pytest.param("1e3", None, id="in powers of ten"),
    ],
)
def test_a_parameter_is_a_number_only_where_writing_the_number_gives_the_same_text(text: str, number: int | None) -> None:
    then, now = with_rows(hosts(1), "host_module", module(f"a={text}")), with_rows(hosts(1), "host_module", module("a=5"))
    (lost,), (back,) = rows("baseline_parameter", held(then, now)), rows("baseline_parameter", held(now, then))
    assert (lost["wanted"], lost["wanted_number"], back["value"], back["value_number"]) == (text, number, text, number)


def test_a_module_that_is_gone_is_told_and_one_that_came_is_not_known() -> None:
    then = with_rows(hosts(1), "host_module", module("a=1"))
    now = with_rows(hosts(1), "host_module", module("c=1", "nfnic"), module(None, "qlnativefc"))
    gone, came, dark = rows("baseline_parameter", held(then, now))
    assert (gone["module"], gone["value"], gone["is_listed"], gone["is_known"]) == ("iscsi_vmk", None, False, True)
    assert (came["module"], came["wanted"], came["is_known"]) == ("nfnic", None, False)
    assert (dark["module"], dark["value"], dark["wanted"], dark["is_known"]) == ("qlnativefc", None, None, False)


def devices(*names: str, **more: Any) -> Facts:
    given = hosts(1)
    on_all_hosts(given, *(seen(name, "solidfire", queue_depth=128, **more) for name in names))
    return with_rows(given, "device_scheduling", *({"host_id": "host-1", "device": name, "dsnro": 32} for name in names))


def told_of_devices(depths: dict[tuple[str, str], int]) -> Facts:
    """Two hosts that see these devices, each with a queue depth, a DSNRO and a path policy of that number."""
    given = hosts(2)
    keys = [({"host_id": host, "device": device}, number) for (host, device), number in depths.items()]
    given["device"] = [seen(key["device"], "solidfire", queue_depth=number, host_id=key["host_id"]) for key, number in keys]
    given["device_scheduling"] = [{**key, "dsnro": number} for key, number in keys]
    given["device_policy"] = [{**key, "psp": str(number)} for key, number in keys]
    return given


@pytest.mark.parametrize("view", ["baseline_dsnro", "baseline_queue_depth", "baseline_path_policy"])
def test_a_device_is_compared_by_its_name_and_host(view: str) -> None:
    then = {("host-1", LUN): 64, ("host-1", OTHER_LUN): 16, ("host-2", LUN): 48, ("host-2", OTHER_LUN): 8}
    found = rows(view, held(told_of_devices(then), told_of_devices(dict.fromkeys(then, 32))))
    assert {(row["host_id"], row["device"]): (row["value"], row["wanted"]) for row in found} == {
        key: ("32", str(number)) for key, number in then.items()
    }
    assert all(row["is_known"] and row["is_seen"] for row in found)
    assert len(found) == len(then)
    assert all((row["commands"], row["wanted_commands"]) == (32, int(row["wanted"])) for row in found if "commands" in row)


def test_the_queue_that_caps_a_baselines_dsnro_is_the_same_hosts_and_devices() -> None:
    now = {("host-1", LUN): 64, ("host-1", OTHER_LUN): 16, ("host-2", LUN): 48, ("host-2", OTHER_LUN): 8}
    found = rows("baseline_dsnro", held(told_of_devices(dict.fromkeys(now, 32)), told_of_devices(now)))
    assert {(row["host_id"], row["device"]): row["queue_depth"] for row in found} == now


@pytest.mark.parametrize("view", ["baseline_dsnro", "baseline_queue_depth", "baseline_path_policy"])
def test_a_good_hosts_device_is_wanted_only_where_the_other_host_sees_it(view: str) -> None:
    then = told_of_devices({("host-1", LUN): 64})
    assert [row["host"] for row in rows(view, held(then, then, "esx-1", "cluster"))] == ["esx-1"]


@pytest.mark.parametrize("view", ["baseline_dsnro", "baseline_queue_depth", "baseline_path_policy"])
def test_disks_in_the_host_are_nobodys_business(view: str) -> None:
    for given in (devices("naa.5000c500", is_local=True), devices("mpx.vmhba0:C0:T0:L0")):
        assert not {row for row in kept(given) if row[0] in ("dsnro", "queue_depth")}
        assert rows(view, held(given, given)) == []


@pytest.mark.parametrize(
    ("policy", "text"),
    [
        pytest.param({"psp": "VMW_PSP_MRU"}, "VMW_PSP_MRU", id="most recently used"),
        pytest.param({"psp": "VMW_PSP_RR", "rr_policy": "rr", "rr_iops": 1000}, "VMW_PSP_RR, iops 1000", id="round robin as it comes"),
        pytest.param({"psp": "VMW_PSP_RR", "rr_policy": "bytes", "rr_bytes": 10485760}, "VMW_PSP_RR, bytes 10485760", id="by bytes"),
        pytest.param({"psp": "VMW_PSP_RR", "rr_policy": "latency"}, "VMW_PSP_RR, latency", id="by latency"),
        pytest.param({"psp": "VMW_PSP_RR"}, None, id="what it goes by was not told"),
        pytest.param({"psp": "VMW_PSP_RR", "rr_policy": "iops"}, None, id="how many was not told"),
    ],
)
def test_a_path_policy_is_one_word(policy: dict[str, Any], text: str | None) -> None:
    given = with_rows(devices(LUN), "device_policy", {"host_id": "host-1", "device": LUN, **policy})
    (found,) = rows("baseline_path_policy", held(given, given))
    assert (found["value"], found["wanted"], found["is_known"]) == (text, text, text is not None)


def target(*, delayed: bool | None, hba: str = "vmhba64") -> dict[str, Any]:
    at = {"address": "198.51.100.10", "port": 3260, "iqn": "iqn.2010-01.com.solidfire:x"}
    return {"host_id": "host-1", "hba": hba, "kind": "static", "delayed_ack": delayed, **at}


def test_a_target_is_found_again_behind_another_adapter() -> None:
    then = with_rows(hosts(1), "iscsi_target", target(delayed=False))
    (found,) = rows("baseline_delayed_ack", held(then, with_rows(hosts(1), "iscsi_target", target(delayed=True, hba="vmhba65"))))
    assert (found["hba"], found["delayed_ack"], found["wanted_delayed_ack"], found["is_seen"]) == ("vmhba65", True, False, True)


def test_a_good_hosts_target_is_wanted_only_where_the_other_host_has_it() -> None:
    given = with_rows(hosts(2), "iscsi_target", target(delayed=True))
    assert [row["host"] for row in rows("baseline_delayed_ack", held(given, given, "esx-1", "cluster"))] == ["esx-1"]


def test_adapters_that_do_not_agree_about_a_target_are_no_baseline() -> None:
    given = with_rows(hosts(1), "iscsi_target", target(delayed=True), target(delayed=False, hba="vmhba65"))
    assert kept(given) == set()


def store(name: str, number: int, *, on: bool | None = True, mode: str = "manual", threshold: int = 15) -> dict[str, Any]:
    sioc = {"sioc_enabled": on, "sioc_mode": mode, "sioc_threshold_ms": threshold}
    return {"datastore_id": f"datastore-{number}", "name": name, "type": "VMFS", **sioc}


def test_a_datastore_is_found_again_by_its_name() -> None:
    then = with_rows(hosts(1), "datastore", store("gold", 1), store("lost", 2), store("twice", 3), store("twice", 4))
    now = with_rows(hosts(1), "datastore", store("gold", 11, on=False, mode="automatic", threshold=30), store("twice", 3), store("new", 5))
    found = {row["resource_name"]: row for row in rows("baseline_datastore", held(then, now))}
    gold = found["gold"]
    assert (gold["datastore_id"], gold["sioc_enabled"], gold["wanted_enabled"]) == ("datastore-11", False, True)
    assert (gold["wanted_mode"], gold["wanted_threshold_ms"]) == ("manual", 15)
    assert (found["lost"]["is_known"], found["lost"]["is_seen"]) == (True, False)
    assert {name: found[name]["is_known"] for name in ("twice", "new")} == {"twice": False, "new": False}


def in_pod(*, on: bool, sdrs: bool | None, metric: bool | None) -> Facts:
    """A datastore in a datastore cluster with these settings of Storage DRS."""
    given = with_rows(hosts(1), "datastore", {**store("gold", 1, on=on), "pod_id": "pod-1"})
    return with_rows(given, "storage_pod", {"pod_id": "pod-1", "name": "pod", "sdrs_enabled": sdrs, "io_metric_enabled": metric})


@pytest.mark.parametrize(
    ("sdrs", "metric", "expected"),
    [
        pytest.param(True, True, True, id="Storage DRS weighs I/O"),
        pytest.param(True, False, False, id="it weighs space alone"),
        pytest.param(False, True, False, id="it is off"),
        pytest.param(True, None, None, id="that was not read"),
    ],
)
def test_whether_storage_drs_would_turn_sioc_on_again_is_known(sdrs: bool, metric: bool | None, expected: bool | None) -> None:
    (found,) = rows("baseline_datastore", held(in_pod(on=False, sdrs=sdrs, metric=metric), in_pod(on=True, sdrs=sdrs, metric=metric)))
    assert (found["sioc_enabled"], found["wanted_enabled"], found["io_metric_in_force"]) == (True, False, expected)
    assert found["pod_id"] == "pod-1"
    (alone,) = rows(
        "baseline_datastore", held(with_rows(hosts(1), "datastore", store("gold", 1)), with_rows(hosts(1), "datastore", store("gold", 1)))
    )
    assert (alone["io_metric_in_force"], alone["pod_id"]) == (False, None)


def test_a_datastore_whose_name_another_has_by_now_is_neither_known_nor_gone() -> None:
    then, now = ([store("gold", number) for number in numbers] for numbers in ((1,), (1, 2)))
    found = rows("baseline_datastore", held(with_rows(hosts(1), "datastore", *then), with_rows(hosts(1), "datastore", *now)))
    assert [(row["datastore_id"], row["is_known"], row["is_seen"]) for row in found] == [
        ("datastore-1", False, True),
        ("datastore-2", False, True),
    ]


def test_datastores_that_were_not_all_read_are_not_called_gone() -> None:
    then = with_rows(hosts(1), "datastore", store("gold", 1))
    (found,) = rows("baseline_datastore", held(then, unread(hosts(1), "datastores")))
    assert (found["is_known"], found["is_seen"], found["sioc_enabled"]) == (True, None, None)


def element(policy: str | None, *, iops: int = 1000, read: bool = True, family: bool = True) -> Facts:
    given = hosts(1)
    own = {"qos_min_iops": 50, "qos_max_iops": iops, "qos_burst_iops": 2000, "qos_policy_id": policy, "qos_read": read}
    array(given, "sf", EndpointKind.ELEMENT, {"name": "7", **own})
    limits = {"min_iops": 50, "max_iops": 1000, "burst_iops": 2000, "is_read": True}
    with_rows(given, "array_qos_policy", {"endpoint": "sf", "policy_id": "3", "name": "gold", **limits})
    if not family:
        given["array"][0]["family"] = None
    return given


@pytest.mark.parametrize(
    ("now", "value"),
    [
        pytest.param(element("3"), "policy 3", id="as it was"),
        pytest.param(element(None), "own 50/1000/2000", id="out of its policy, the limits as they were"),
        pytest.param(element("3", iops=700), "policy 3 with own 50/700/2000", id="limits of its own in the policy"),
        pytest.param(element("3", read=False), None, id="not understood"),
        pytest.param(element("3", family=False), None, id="which array it is was not read, so neither how it says so"),
    ],
)
def test_what_limits_an_element_volume_is_one_text(now: Facts, value: str | None) -> None:
    (found,) = rows("baseline_volume_qos", held(element("3"), now))
    assert (found["value"], found["wanted"], found["is_seen"]) == (value, "policy 3", True)


def test_a_policy_whose_limits_change_is_drift_although_its_volumes_stay_in_it() -> None:
    now = element("3")
    now["array_qos_policy"][0]["max_iops"] = 500
    (found,) = rows("baseline_qos_policy", held(element("3"), now))
    assert (found["value"], found["wanted"]) == ("500 IOPS, burst 2000, at least 50", "1000 IOPS, burst 2000, at least 50")


def with_policy(given: Facts) -> Facts:
    return with_rows(given, "device_policy", {"host_id": "host-1", "device": LUN, "psp": "VMW_PSP_MRU"})


def emptied(given: Facts, *tables: str) -> Facts:
    return given | {table: [] for table in tables}


@pytest.mark.parametrize(
    ("view", "then", "now", "topic"),
    [
        pytest.param("baseline_dsnro", devices(LUN), hosts(1), "devices", id="DSNRO"),
        pytest.param("baseline_queue_depth", devices(LUN), hosts(1), "devices", id="queue depth"),
        pytest.param("baseline_path_policy", with_policy(devices(LUN)), hosts(1), "devices", id="path policy"),
        pytest.param("baseline_delayed_ack", with_rows(hosts(1), "iscsi_target", target(delayed=True)), hosts(1), "hbas", id="target"),
        pytest.param("baseline_datastore", with_rows(hosts(1), "datastore", store("gold", 1)), hosts(1), "datastores", id="datastore"),
        pytest.param("baseline_volume_qos", element("3"), emptied(element("3"), "array_volume"), "volumes", id="volume"),
        pytest.param("baseline_qos_policy", element("3"), emptied(element("3"), "array_qos_policy"), "qos_policies", id="QoS policy"),
    ],
)
def test_what_is_gone_is_told_only_where_all_were_read(view: str, then: Facts, now: Facts, topic: str) -> None:
    (gone,) = rows(view, held(then, now))
    (open_,) = rows(view, held(then, unread(deepcopy(now), topic)))
    assert (gone["is_known"], gone["is_seen"], open_["is_known"], open_["is_seen"]) == (True, False, True, None)


def test_of_a_datastore_without_storage_io_control_only_that_is_kept() -> None:
    assert {(row[3], row[4]) for row in kept(with_rows(hosts(1), "datastore", store("gold", 1, on=False)))} == {("enabled", "false")}


def test_limits_that_were_not_understood_are_no_baseline() -> None:
    given = element("3")
    given["array_qos_policy"][0]["is_read"] = False
    assert "policy" not in {row[0] for row in kept(given)}


def event(minutes: int, what: str, user: str | None = "root") -> dict[str, Any]:
    when = WHEN + timedelta(minutes=minutes)
    return {"entity_kind": "host", "entity_id": "host-1", "happened_at": when, "user_name": user, "what": what}


OPTIONS, MODULES = "option.OptionManager.updateValues", "host.KernelModuleSystem.updateModuleOptionString"


@pytest.mark.parametrize(
    ("events", "who", "minutes"),
    [
        pytest.param([event(5, OPTIONS, "anna"), event(9, OPTIONS, "bert")], "bert", 9, id="the newest"),
        pytest.param([event(5, OPTIONS, "anna"), event(9, MODULES, "bert")], "anna", 5, id="another kind of change is not it"),
        pytest.param([event(-5, OPTIONS, "anna")], None, None, id="before the baseline"),
        pytest.param([event(5, OPTIONS, "anna"), event(9, OPTIONS, None)], None, 9, id="the newest names nobody"),
        pytest.param([event(7, "HostProfileAppliedEvent", "anna")], "anna", 7, id="a host profile may change anything"),
        pytest.param([], None, None, id="no event at all"),
    ],
)
def test_who_may_have_changed_an_option_is_the_newest_that_could(events: Rows, who: str | None, minutes: int | None) -> None:
    given = with_rows(hosts(1), "host_option", option("Disk.QFullSampleSize", "32"))
    now = with_rows(hosts(1), "host_option", option("Disk.QFullSampleSize", "0"))
    (found,) = rows("baseline_option", held(given, with_rows(now, "change_event", *events) if events else now))
    assert (found["changed_by"], found["changed_at"]) == (who, WHEN + timedelta(minutes=minutes) if minutes else None)


@pytest.mark.parametrize(
    ("view", "given", "own"),
    [
        pytest.param("baseline_parameter", with_rows(hosts(1), "host_module", module("a=1")), MODULES, id="a parameter"),
        pytest.param("baseline_dsnro", devices(LUN), None, id="DSNRO, which no event tells of"),
        pytest.param("baseline_queue_depth", devices(LUN), None, id="a queue depth, likewise"),
        pytest.param("baseline_path_policy", with_policy(devices(LUN)), "host.StorageSystem.setMultipathLunPolicy", id="a path policy"),
        pytest.param(
            "baseline_delayed_ack",
            with_rows(hosts(1), "iscsi_target", target(delayed=True)),
            "host.StorageSystem.updateInternetScsiAdvancedOptions",
            id="delayed acknowledgement",
        ),
    ],
)
def test_each_setting_is_told_the_change_of_its_own_kind(view: str, given: Facts, own: str | None) -> None:
    events = [event(9, OPTIONS, "other"), *([event(5, own, "anna")] if own else [])]
    (found,) = rows(view, held(given, given | {"change_event": events}))
    assert found["changed_by"] == ("anna" if own else None)


def test_who_may_have_changed_a_datastore_is_the_newest_since_the_baseline() -> None:
    given = with_rows(hosts(1), "datastore", store("gold", 1))
    reported = {"entity_kind": "datastore", "entity_id": "datastore-1"}
    before, after = event(-5, "a", "anna") | reported, [event(5, "b", "bert") | reported, event(9, "c", "carl") | reported]
    (early,) = rows("baseline_datastore", held(given, given | {"change_event": [before]}))
    (late,) = rows("baseline_datastore", held(given, given | {"change_event": [before, *after]}))
    assert (early["changed_by"], early["changed_at"]) == (None, None)
    assert (late["changed_by"], late["changed_at"]) == ("carl", WHEN + timedelta(minutes=9))


def test_a_baseline_that_was_judged_by_is_not_taken_for_what_was_read() -> None:
    then = with_rows(hosts(1), "host_option", option("Disk.QFullSampleSize", "32"))
    after = joined(then, with_rows(hosts(1), "host_option", option("Disk.QFullSampleSize", "0")))
    take(after, RUN, None, "itself")
    [wanted] = after.connection.execute("SELECT value FROM fact.baseline WHERE kind = 'option'").fetchall()
    assert (wanted, dict(counts(after.connection))) == (("0",), {"host": 1, "option": 1})


def test_a_run_whose_files_are_damaged_is_no_baseline_and_said_to_be(tmp_path: Path) -> None:
    given = with_rows(hosts(9), "host_option", *(option("Disk.QFullSampleSize", "32", f"host-{n}") for n in range(1, 10)))
    snapshot(given).save(tmp_path / "snapshot")
    file = tmp_path / "snapshot" / "host_option.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[:4] + bytes(each ^ 0xFF for each in whole[4:40]) + whole[40:])
    with pytest.raises(SnapshotError):
        take(load_snapshot(tmp_path / "snapshot"), RUN, None, "itself")
