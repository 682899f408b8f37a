"""Impacts beside the verdicts: which queue a finding is about, all findings by two queries, and what a bug costs."""

from __future__ import annotations

import json
import re
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from auditor.engine.rules.checked import checked_rules
from auditor.facts.catalog import view_columns
from auditor.facts.schema import TABLES
from auditor.impact.finding import add_impacts, add_impacts_guarded
from auditor.impact.ranking import rank_of
from auditor.impact.rows import Device, Disk
from auditor.model import Cure, ImpactModel, ImpactScope
from tests.impact.samples import APP, DATABASE, NEIGHBOUR, NOISY, S0_QUEUE, S1_QUEUE, S2_QUEUE

if TYPE_CHECKING:
    from collections.abc import Iterator

DSNRO = ImpactModel(ImpactScope.DEVICE, Cure.DSNRO)
NOTHING = "no command is known to wait in the queues that it is about, and none is known to be half full"
RENAMED = {"name": "resource_name", "depth_at_least": "controller_depth_at_least", "depth_at_most": "controller_depth_at_most"}


def _put(connection: duckdb.DuckDBPyConnection, view: str, rows: list[Device] | list[Disk]) -> None:
    types = view_columns()[view]
    names = [RENAMED.get(one.name, one.name) for one in fields(rows[0])]
    extra = ", is_full BOOLEAN" if view == "device_queue" else ""
    connection.execute(f"CREATE TABLE {view} ({', '.join(f'{name} {types[name]}' for name in names)}{extra})")
    for row in rows:
        connection.execute(f"INSERT INTO {view} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", list(astuple(row)))


def _on(row: Any, device: str, **cells: Any) -> Any:
    return type(row)(**{one.name: getattr(row, one.name) for one in fields(row)} | {"device": device} | cells)


@pytest.fixture
def fleet() -> Iterator[duckdb.DuckDBPyConnection]:
    """One host with the queues of S0, S1 and S2, an array with the pool of S3, and no verdict."""
    connection = duckdb.connect()
    disks = [
        _on(NOISY, "naa.0", datastore_id="ds-0", array_name="sf", volume_id="4"),
        _on(NEIGHBOUR, "naa.0", datastore_id="ds-0", array_name="sf", volume_id="5"),
        _on(APP, "naa.1", datastore_id="ds-1"),
        _on(DATABASE, "naa.2", datastore_id="ds-2"),
        _on(DATABASE, "naa.3", commands_per_second=125000),
        _on(NEIGHBOUR, "naa.9", datastore_id="ds-9", array_name="netapp", volume_id="v1"),
    ]
    queues = [
        _on(S0_QUEUE, "naa.0", is_protocol_endpoint=True, driver="iscsi_vmk"),
        _on(S1_QUEUE, "naa.1", driver="iscsi_vmk"),
        _on(S2_QUEUE, "naa.2", driver="nfnic"),
        _on(S0_QUEUE, "naa.9", active=1, queued=0.1),  # nothing waits
        _on(
            S2_QUEUE, "naa.3", queue_depth=128, depth_in_effect=128, active=91.6, queued=0, commands_per_second=125000, driver="nfnic-deep"
        ),
    ]
    _put(connection, "disk_stream", disks)
    _put(connection, "device_queue", queues)
    connection.execute("CREATE SCHEMA fact")
    tables = ("array_pool", "array_pool_load", "array_replication", "array_efficiency", "array_volume", "array_volume_load")
    for name in (*tables, "reading", "running_task"):
        connection.execute(f"CREATE TABLE fact.{name} ({', '.join(f'{one.name} {one.type}' for one in TABLES[name].columns)})")
    connection.execute("INSERT INTO fact.reading (endpoint, scope, topic, complete) VALUES ('vc', 'host-1', 'device_load', true)")
    connection.execute("INSERT INTO fact.array_pool (endpoint, pool_id, name) VALUES ('netapp', 'p1', 'aggr')")
    connection.execute(
        "INSERT INTO fact.array_pool_load (endpoint, pool_id, disk_iops, transfers_per_second, user_transfers_per_second) "
        "VALUES ('netapp', 'p1', 100, 1000, 500)"
    )
    connection.execute(
        "INSERT INTO fact.array_replication (endpoint, replication_id, role, pool_id, schedule, interval_seconds) "
        "VALUES ('netapp', 'r1/source', 'source', 'p1', 'often', 900), ('netapp', 'r2/source', 'source', NULL, 'often', 900)"
    )
    connection.execute("INSERT INTO fact.array_volume (endpoint, volume_id, pool_id) VALUES ('netapp', 'v1', 'p1')")
    connection.execute("ATTACH ':memory:' AS store")
    connection.execute(
        "CREATE TABLE store.verdict (rule VARCHAR, verdict VARCHAR, endpoint VARCHAR, resource_id VARCHAR, after VARCHAR, "
        "desired VARCHAR, impact VARCHAR, impact_rank DOUBLE)"
    )
    yield connection
    connection.close()


def shipped(rule: str) -> ImpactModel | str:
    """What the file of a shipped rule says."""
    impact = checked_rules()[rule].rule.impact
    assert impact is not None
    return impact


def impact_of(
    connection: duckdb.DuckDBPyConnection,
    rule: str,
    resource_id: str,
    *,
    after: str | None = None,
    desired: str | None = None,
    endpoint: str = "vc",
    model: ImpactModel | None = None,
) -> dict[str, Any]:
    row = [rule, "fail", endpoint, resource_id, after, desired]
    connection.execute("INSERT INTO store.verdict (rule, verdict, endpoint, resource_id, after, desired) VALUES (?, ?, ?, ?, ?, ?)", row)
    add_impacts(connection, "store", {rule: model or shipped(rule)})
    [(text, rank)] = connection.execute("SELECT impact, impact_rank FROM store.verdict").fetchall()
    found: dict[str, Any] = json.loads(text)
    assert rank == rank_of(found)
    return found


@pytest.mark.parametrize(
    ("rule", "resource_id", "queue"),
    [
        pytest.param("vvol/pe-dsnro-headroom", "host-1/naa.0", "naa.0", id="a device"),
        pytest.param("vvol/pe-default-option", "host-1", "naa.0", id="the protocol endpoints of a host"),
        pytest.param("queue/driver-depth", "host-1/nfnic", "naa.2", id="the devices of a driver"),
        pytest.param("qos/shared-queue-throttle", "ds-0", "naa.0", id="a datastore"),
        pytest.param("sioc/active-time", "ds-1/host-1", "naa.1", id="a datastore on a host"),
        pytest.param("qos/host-limit-below-array-limit", "noisy/disk", "naa.0", id="a virtual disk"),
    ],
)
def test_a_finding_has_the_impact_of_the_queue_it_is_about(
    fleet: duckdb.DuckDBPyConnection, rule: str, resource_id: str, queue: str
) -> None:
    assert impact_of(fleet, rule, resource_id, desired="256")["queue"] == f"esx-1/{queue}"


def test_findings_of_every_scope_get_their_impacts_together(fleet: duckdb.DuckDBPyConnection) -> None:
    found: dict[str, tuple[ImpactModel | str, str, str, str | None, str | None]] = {
        "device": (ImpactModel(ImpactScope.DEVICE, Cure.DSNRO, 128), "vc", "host-1/naa.0", None, "esx-1/naa.0"),
        "endpoints": (ImpactModel(ImpactScope.ENDPOINTS, Cure.DSNRO, 128), "vc", "host-1", '"64"', "esx-1/naa.0"),
        "driver": (ImpactModel(ImpactScope.DRIVER, Cure.BOTH), "vc", "host-1/nfnic", "64", "esx-1/naa.2"),
        "datastore": (ImpactModel(ImpactScope.DATASTORE, Cure.DSNRO, 128), "vc", "ds-0", "0", "esx-1/naa.0"),
        "here": (ImpactModel(ImpactScope.DATASTORE, Cure.NO_SIOC), "vc", "ds-1/host-1", None, "esx-1/naa.1"),
        "disk": (ImpactModel(ImpactScope.DISK, Cure.HOST_LIMIT), "vc", "noisy/disk", None, "esx-1/naa.0"),
        "volume": (ImpactModel(ImpactScope.VOLUME, Cure.HOST_LIMIT), "sf", "4", None, "esx-1/naa.0"),
        "pool": (ImpactModel(ImpactScope.POOL), "netapp", "p1", None, "netapp/aggr"),
        "copy": (ImpactModel(ImpactScope.COPY), "netapp", "r1/source", "3600", "netapp/aggr"),
        "vaai/x": ("nothing counts what a copy costs", "vc", "host-1", None, None),
        "elsewhere": (ImpactModel(ImpactScope.VOLUME, Cure.HOST_LIMIT), "sf", "99", None, None),
        "unasked": (ImpactModel(ImpactScope.DEVICE, Cure.DSNRO), "vc-narrow", "host-1/naa.0", None, None),
    }
    fleet.executemany(
        "INSERT INTO store.verdict (rule, verdict, endpoint, resource_id, desired) VALUES (?, 'fail', ?, ?, ?)",
        [[rule, *of[1:4]] for rule, of in found.items()],
    )
    add_impacts(fleet, "store", {rule: of[0] for rule, of in found.items()})
    rows = fleet.execute("SELECT rule, impact, impact_rank FROM store.verdict").fetchall()
    impacts = {rule: json.loads(text) for rule, text, _ in rows}
    assert {rule: impact.get("queue") for rule, impact in impacts.items()} == {rule: of[4] for rule, of in found.items()}
    assert {rule: rank for rule, _, rank in rows} == {rule: rank_of(impact) for rule, impact in impacts.items()}
    inputs = {rule: {one["name"]: one["value"] for one in impact.get("inputs", ())} for rule, impact in impacts.items()}
    after = {rule: of["depth after"][0] for rule, of in inputs.items() if "depth after" in of}
    # What the rule desires goes before its model's depth; where both depths are set neither counts; without Storage I/O Control the one
    # disk has the depth of its device.
    assert after == {"device": 128, "endpoints": 64, "driver": 128, "datastore": 128, "here": 255, "disk": 32, "volume": 32}
    assert inputs["copy"]["starts that are left"] == [0, 0.25]
    assert impacts["device"]["victims"] == ["neighbour"]
    reasons = [impacts[rule]["not_computed"] for rule in ("vaai/x", "elsewhere", "unasked")]
    assert reasons[0] == "nothing counts what a copy costs"
    assert reasons[1] == NOTHING
    assert "was not asked for" in reasons[2]


def test_an_array_volume_leads_to_the_queue_of_its_disk(fleet: duckdb.DuckDBPyConnection) -> None:
    assert impact_of(fleet, "qos/element-throttled-volume", "4", endpoint="sf")["behind"] == ["noisy"]


@pytest.mark.parametrize(
    ("after", "desired", "depth"),
    [("128", "64", 128), (None, "64", 64), ("-1", "64", 64), ("1", "64", 1), (None, '"all"', 256), (None, "true", 256)],
)
def test_the_depth_after_is_that_of_the_fix_or_else_what_is_desired_or_else_what_ended_s0(
    fleet: duckdb.DuckDBPyConnection, after: str | None, desired: str, depth: int
) -> None:
    found = impact_of(fleet, "vvol/pe-dsnro-headroom", "host-1/naa.0", after=after, desired=desired)
    assert next(one["value"] for one in found["inputs"] if one["name"] == "depth after") == [depth, depth]


def test_a_fix_that_makes_a_queue_shorter_says_what_it_costs(fleet: duckdb.DuckDBPyConnection) -> None:
    # 91.6 commands take 0.733 ms, 125,000 a second; 32 of them with the array at once are 32 / 0.733 ms = 43,668 a second if the array
    # takes as long for each as now, and 65,000 as S2's report measured it.
    found = impact_of(fleet, "queue/driver-depth", "host-1/nfnic-deep", desired="32")
    assert found["queue"] == "esx-1/naa.3"
    assert found["now"][0] <= 125_000 <= found["now"][1]
    assert found["after"][0] <= 43_668 < 65_000 <= found["after"][1]
    assert rank_of(found) is not None
    assert (rank_of(found) or 9) < 1


def test_background_work_names_the_disks_on_its_pool(fleet: duckdb.DuckDBPyConnection) -> None:
    found = impact_of(fleet, "ontap/background-share", "p1", endpoint="netapp", desired="0.5")
    assert (found["quantity"], found["queue"], found["victims"]) == ("transfers_per_disk", "netapp/aggr", ["neighbour"])
    assert found["after"] == [49.5, 101]  # 100 and 1 % either way; at best without the half that is background


def test_a_copy_leads_to_the_pool_it_copies_from_and_the_interval_that_is_desired(fleet: duckdb.DuckDBPyConnection) -> None:
    found = impact_of(fleet, "ontap/snapmirror-frequency", "r1/source", endpoint="netapp", desired="3600")
    assert next(one["value"] for one in found["inputs"] if one["name"] == "starts that are left") == [0, 0.25]


def test_a_move_leads_to_the_pool_that_the_machine_is_copied_away_from(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("UPDATE disk_stream SET vm_id = 'mover' WHERE device = 'naa.9'")
    fleet.execute("INSERT INTO fact.running_task (endpoint, task_id, entity_id, state) VALUES ('vc', 't1', 'mover', 'running')")
    fleet.execute("INSERT INTO fact.array_volume_load (endpoint, volume_id, actual_iops, latency_us) VALUES ('netapp', 'v1', 200, 6000)")
    found = impact_of(fleet, "move/own", "t1", model=ImpactModel(ImpactScope.MOVE))
    assert (found["model"], found["queue"], found["now"]) == ("move", "netapp/aggr", [5.7, 6.3])  # 6 ms, 5 % either way


@pytest.mark.parametrize(
    ("rule", "resource_id", "endpoint", "why"),
    [
        ("vvol/pe-dsnro-headroom", "host-1/naa.9", "vc", "no command is known to wait"),
        ("vvol/pe-dsnro-headroom", "host-2/naa.0", "vc", "no command is known to wait"),
        ("vvol/pe-dsnro-headroom", "host-1/naa.9", "vc-narrow", "was not asked for"),
        ("vaai/enabled", "host-1/x", "vc", "offloaded"),
        ("queue/param-name-valid", "host-1/x", "vc", "not about a queue"),
        ("ontap/alignment", "v1", "netapp", "not about transfers"),
        ("ontap/snapmirror-frequency", "r2/source", "netapp", "not known"),
        ("ontap/disk-busy", "p9", "netapp", "not known"),
    ],
)
def test_a_finding_without_a_figure_says_why(
    fleet: duckdb.DuckDBPyConnection, rule: str, resource_id: str, endpoint: str, why: str
) -> None:
    found = impact_of(fleet, rule, resource_id, endpoint=endpoint, desired="256")
    assert list(found) == ["not_computed"]
    assert why in found["not_computed"]


def test_of_more_queues_than_are_computed_the_fullest_are_and_the_others_do_not_pass_for_empty(
    fleet: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.impact.finding.MOST_QUEUES", 1)
    fleet.executemany(
        "INSERT INTO store.verdict (rule, verdict, endpoint, resource_id) VALUES ('diag/kavg', 'fail', 'vc', ?)",
        [["host-1/naa.0"], ["host-1/naa.2"]],
    )
    add_impacts(fleet, "store", {"diag/kavg": shipped("diag/kavg")})
    shallower, fullest = (json.loads(row[0]) for row in fleet.execute("SELECT impact FROM store.verdict ORDER BY resource_id").fetchall())
    assert fullest["model"] == "queue"  # 59.6 commands wait there, and 33.4 in the other
    assert "fuller" in shallower["not_computed"]


def test_where_every_queue_was_computed_no_other_is_said_to_be_fuller(fleet: duckdb.DuckDBPyConnection) -> None:
    assert impact_of(fleet, "vvol/pe-dsnro-headroom", "host-1/naa.9") == {"not_computed": NOTHING}


def test_a_volume_stands_under_its_array_whose_load_no_host_asks_for(fleet: duckdb.DuckDBPyConnection) -> None:
    assert impact_of(fleet, "qos/element-throttled-volume", "99", endpoint="sf") == {"not_computed": NOTHING}


def test_a_queue_into_which_no_disk_is_known_to_send_says_so(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("DELETE FROM disk_stream WHERE device = 'naa.2'")
    assert impact_of(fleet, "diag/kavg", "host-1/naa.2") == {"not_computed": "no disk that sends into the queue is known"}


@pytest.mark.parametrize("best", ["naa.0", "naa.8"])
def test_of_several_queues_the_one_counts_whose_fix_gives_most(fleet: duckdb.DuckDBPyConnection, best: str) -> None:
    # Storage I/O Control sets the depth of the other queue, so that DSNRO changes nothing there.
    for view in ("device_queue", "disk_stream"):
        fleet.execute(f"UPDATE {view} SET device = ? WHERE device = 'naa.0'", [best])
    model = ImpactModel(ImpactScope.DRIVER, Cure.DSNRO)
    assert impact_of(fleet, "queue/own", "host-1/iscsi_vmk", after="256", model=model)["queue"] == f"esx-1/{best}"


def test_a_queue_without_a_figure_does_not_count_beside_one_that_has_one(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("UPDATE disk_stream SET commands_per_second = NULL, outstanding = 1 WHERE device = 'naa.1'")
    model = ImpactModel(ImpactScope.DRIVER, Cure.DSNRO)
    assert impact_of(fleet, "queue/own", "host-1/iscsi_vmk", after="256", model=model)["queue"] == "esx-1/naa.0"


def test_a_fix_of_both_depths_takes_all_that_is_sent_whatever_the_rule_desires(fleet: duckdb.DuckDBPyConnection) -> None:
    # 91.6 commands within 5 % are 96.2 at most: 128.
    found = impact_of(fleet, "queue/own", "host-1/naa.2", after="64", model=ImpactModel(ImpactScope.DEVICE, Cure.BOTH))
    assert next(one["value"] for one in found["inputs"] if one["name"] == "depth after") == [128, 128]


def test_every_failure_gets_its_impact_however_many_are_read_at_once(
    fleet: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.impact.finding._CHUNK", 1)
    fleet.executemany(
        "INSERT INTO store.verdict (rule, verdict, endpoint, resource_id) VALUES ('diag/kavg', 'fail', 'vc', ?)",
        [["host-1/naa.0"], ["host-1/naa.1"], ["host-1/naa.2"]],
    )
    add_impacts(fleet, "store", {"diag/kavg": shipped("diag/kavg")})
    assert fleet.execute("SELECT count(impact) FROM store.verdict").fetchall() == [(3,)]


def test_only_failures_of_the_rules_that_are_given_get_an_impact(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.executemany(
        "INSERT INTO store.verdict (rule, verdict, endpoint, resource_id) VALUES (?, ?, 'vc', 'host-1/naa.0')",
        [["vvol/pe-uniform", "pass"], ["vvol/pe-uniform", "fail"], ["iscsi/mtu", "fail"]],
    )
    add_impacts(fleet, "store", {"vvol/pe-uniform": shipped("vvol/pe-uniform")})
    rows = fleet.execute("SELECT rule, verdict FROM store.verdict WHERE impact IS NOT NULL").fetchall()
    assert rows == [("vvol/pe-uniform", "fail")]


def test_a_bug_costs_the_impacts_and_says_so(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute("INSERT INTO store.verdict (rule, verdict, endpoint, resource_id) VALUES ('vvol/pe-uniform', 'fail', 'vc', 'x')")
    fleet.execute("DROP TABLE disk_stream")
    [notice] = add_impacts_guarded(fleet, "store", {"vvol/pe-uniform": "not reached"})
    assert re.fullmatch(
        r"no impact of the findings was computed: a bug in auditor stopped it \(CatalogException in finding\.py:\d+\)\. "
        r"The verdicts do not rest on it\. Please report it\.",
        notice,
    )
    assert fleet.execute("SELECT count(impact) FROM store.verdict").fetchall() == [(0,)]


def test_a_bug_is_named_by_the_line_that_it_is_on(fleet: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> dict[str, Any]:
        raise ZeroDivisionError

    monkeypatch.setattr("auditor.impact.finding.device_impact", broken)
    fleet.execute("INSERT INTO store.verdict (rule, verdict, endpoint, resource_id) VALUES ('queue/own', 'fail', 'vc', 'host-1/naa.0')")
    [notice] = add_impacts_guarded(fleet, "store", {"queue/own": DSNRO})
    assert f"(ZeroDivisionError in test_finding.py:{broken.__code__.co_firstlineno + 1})" in notice


def test_impacts_that_no_bug_stops_leave_no_notice(fleet: duckdb.DuckDBPyConnection) -> None:
    fleet.execute(
        "INSERT INTO store.verdict (rule, verdict, endpoint, resource_id, after) VALUES ('queue/own', 'fail', 'vc', 'host-1/naa.0', '256')"
    )
    assert add_impacts_guarded(fleet, "store", {"queue/own": DSNRO}) == ()
    [(impact,)] = fleet.execute("SELECT impact FROM store.verdict").fetchall()
    assert json.loads(impact)["victims"] == ["neighbour"]
