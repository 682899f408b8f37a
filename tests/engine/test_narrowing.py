"""Chosen hosts, clusters and endpoints: what is of them is left as it was judged, and only what they want is planned."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.engine.chosen_places import Chosen, Places, choose
from auditor.engine.evaluate import evaluate
from auditor.engine.fixes.planning import plan
from auditor.engine.narrowing import narrow
from auditor.engine.verdicts import Evaluation
from auditor.engine.waivers.file import Waiver, Waivers
from auditor.engine.waivers.waived import waive
from auditor.errors import ConfigurationError
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import EndpointReading, Plan, Verdict
from tests.engine.bench import fleet, pe, rule_text, rules_from

AT = datetime(2026, 11, 21, tzinfo=UTC)
HOSTS = [
    ("vc-a", "host-1", "esx-1.example.net", "gold"),
    ("vc-a", "host-2", "esx-2.example.net", "gold"),
    ("vc-a", "host-3", "esx-3.example.net", "silver"),
    ("vc-b", "host-1", "esx-1.example.net", "bronze"),
]


def snapshot(*, unread: Collection[str] = (), left_out: Collection[str] = (), more: Collection[tuple[str, str, str, str]] = ()) -> Snapshot:
    """Two vCenters with the hosts above, and `more`, as far as they were read."""
    builder, names = SnapshotBuilder(), ("vc-a", "vc-b")
    hosts = [host for host in (*HOSTS, *more) if host[0] not in {*unread, *left_out}]
    columns = ("endpoint", "host_id", "name", "cluster")
    builder.add(Batch("host", {name: [host[place] for host in hosts] for place, name in enumerate(columns)}))
    read = {"endpoint": names, "scope": ("", ""), "topic": ("hosts", "hosts"), "complete": [name not in unread for name in names]}
    builder.add(Batch("reading", {name: list(values) for name, values in read.items()}))
    readings = [
        EndpointReading(name, "vcenter", name, None, "verified", AT, AT, complete=True, left_out=name in left_out) for name in names
    ]
    return builder.finish(tuple(readings), started=AT, finished=AT)


def chosen_names(places: Places, **given: Any) -> list[tuple[str, str]]:
    found = choose(snapshot(**given), places)
    assert found is not None
    assert found.hosts is not None
    return [(endpoint, name.partition(".")[0]) for endpoint, _, name, _ in found.hosts]


@pytest.mark.long
def test_hosts_and_clusters_are_chosen_by_globs_in_whatever_case() -> None:
    assert chosen_names(Places(hosts=("ESX-[12].*",))) == [("vc-a", "esx-1"), ("vc-a", "esx-2"), ("vc-b", "esx-1")]
    assert chosen_names(Places(clusters=("Silver", "b*"))) == [("vc-a", "esx-3"), ("vc-b", "esx-1")]
    assert chosen_names(Places(clusters=("gold",), hosts=("*-2.*", "*-3.*"))) == [("vc-a", "esx-2")]
    assert chosen_names(Places(("*-B",), hosts=("esx-1*",))) == [("vc-b", "esx-1")]
    assert chosen_names(Places(hosts=("esx-2",))) == [("vc-a", "esx-2")], "the first part of one host's name alone"
    assert choose(snapshot(), Places()) is None


@pytest.mark.parametrize(
    ("places", "error"),
    [
        pytest.param(Places(hosts=("esx1",)), '--host esx1: no host .* "esx1"; did you mean "esx-1.example.net"', id="almost a short name"),
        pytest.param(Places(hosts=("esx-7",)), "esx-7: 2 hosts .*: esx-7.a.net, esx-7.b.net$", id="a short name of two"),
        pytest.param(Places(hosts=("esx-8",)), "6 hosts .*: (esx-8.[abcde].net, ){5}[.]{3}$", id="a short name of many"),
        pytest.param(Places(clusters=("gold", "sliver")), '--cluster sliver: .* did you mean "silver"', id="one of two clusters"),
        pytest.param(Places(("vc-c",)), '--endpoint vc-c: .*"vc-[ab]"', id="an endpoint of a snapshot"),
        pytest.param(
            Places(hosts=("esx-3*",), clusters=("gold",)), "no host that fits --host esx-3.* --cluster gold", id="together nothing"
        ),
    ],
)
def test_a_glob_that_fits_nothing_is_refused_and_the_nearest_name_is_given(places: Places, error: str) -> None:
    more = [("vc-a", f"host-{name}", f"esx-{name}.net", "gold") for name in ("7.a", "7.b", "8.a", "8.b", "8.c", "8.d", "8.e", "8.f")]
    with pytest.raises(ConfigurationError) as raised:
        choose(snapshot(more=more), places)
    assert re.search(error, raised.value.what)


@pytest.mark.long
def test_hosts_that_could_not_be_listed_are_no_mistake_of_who_named_them() -> None:
    found = choose(snapshot(unread=["vc-b"]), Places(clusters=("bronze",)))
    assert found == Chosen(None, (), frozenset(), found.notices if found else ())
    assert found.notices == ("The hosts of vc-b could not be listed: which of them --host and --cluster mean is not known.",)
    with pytest.raises(ConfigurationError, match="no cluster is called"):  # it is not in the vCenter that was chosen, and that was read
        choose(snapshot(unread=["vc-b"]), Places(("vc-a",), clusters=("bronze",)))
    with pytest.raises(ConfigurationError, match="no cluster is called"):  # left out by choice: to name its cluster is a mistake
        choose(snapshot(left_out=["vc-b"]), Places(clusters=("bronze",)))


FACTS = """
    CREATE TABLE fact.datastore_mount (endpoint VARCHAR, datastore_id VARCHAR, host_id VARCHAR);
    CREATE TABLE fact.device (endpoint VARCHAR, host_id VARCHAR, device VARCHAR);
    CREATE TABLE fact.array_volume (endpoint VARCHAR, volume_id VARCHAR, device VARCHAR);
    INSERT INTO fact.datastore_mount VALUES ('vc-a', 'ds-1', 'host-1'), ('vc-a', 'ds-1', 'host-3'), ('vc-a', 'ds-3', 'host-3');
    INSERT INTO fact.device VALUES ('vc-a', 'host-1', 'naa.1'), ('vc-a', 'host-3', 'naa.3'), ('vc-b', 'host-1', 'naa.3');
    INSERT INTO fact.array_volume VALUES ('array', 'vol-1', 'naa.1'), ('array', 'vol-3', 'naa.3');
"""


def row(number: int, endpoint: str, name: str, cluster: str | None = None, host: str | None = None, **columns: Any) -> dict[str, Any]:
    place = {"endpoint": endpoint, "resource_id": name, "resource_name": name, "cluster": cluster, "host": host}
    return pe(number, **{"host_id": f"host-{number}", **place, **columns})


ROWS = [
    row(1, "vc-a", "on host 1", "gold", "esx-1.example.net"),
    row(2, "vc-a", "on host 2", "gold", "esx-2.example.net"),
    row(3, "vc-a", "on host 3", "silver", "esx-3.example.net"),
    row(4, "vc-b", "on host 1 of b", "bronze", "esx-1.example.net"),
    row(5, "array", "the array's view of host 3", None, "esx-3.example.net"),
    row(6, "vc-a", "ds-1"),
    row(7, "vc-a", "ds-3"),
    row(8, "vc-a", "naa.1"),
    row(9, "vc-a", "naa.3"),
    row(10, "array", "vol-1"),
    row(11, "array", "vol-3"),
    row(12, "vc-a", "of gold itself", "gold"),
    row(13, "array", "the array itself"),
]
DSNRO = "remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro, class: online, set: '256'"
OPTION = "remediator: host.option, target: {host_id: host_id, module: family}, column: queue_depth, class: reboot, set: '512'"


def judged(folder: Path, rows: list[dict[str, Any]], *texts: str, waiver: Waiver | None = None) -> tuple[Evaluation, Plan]:
    connection: duckdb.DuckDBPyConnection = fleet(rows, folder=folder)
    connection.execute(FACTS)
    connection.executemany("INSERT INTO fact.host VALUES (?, ?, ?, ?)", HOSTS)
    rules = rules_from(folder / "rules", *texts)
    evaluation, _ = waive(evaluate(connection, rules), Waivers(AT, entries=(waiver,) if waiver else ()))
    return evaluation, plan(evaluation, rules)


def dsnro_rule(more: str = "") -> str:
    return rule_text("local/dsnro", holds="dsnro = 256", fix=f"{{{DSNRO}{more}}}", by_hand="Look at it.")


@pytest.mark.usefixtures("kept_or_deferred")
@pytest.mark.parametrize(
    ("hosts", "clusters", "endpoints", "left"),
    [
        pytest.param([0], [], None, ["on host 1", "ds-1", "naa.1", "vol-1"], id="a host, and what it uses"),
        pytest.param([2], [], None, ["on host 3", "the array's view of host 3", "ds-1", "ds-3", "naa.3", "vol-3"], id="another host"),
        pytest.param(
            [0, 1], [("vc-a", "gold")], None, ["on host 1", "on host 2", "ds-1", "naa.1", "vol-1", "of gold itself"], id="a cluster"
        ),
        pytest.param([0], [], ["vc-a"], ["on host 1", "ds-1", "naa.1"], id="a host, and an endpoint of a snapshot"),
        pytest.param(None, [], ["vc-b"], ["on host 1 of b"], id="an endpoint of a snapshot"),
        pytest.param([], [], None, [], id="no host that was read"),
    ],
)
def test_verdicts_on_what_is_chosen_are_left_and_counted(
    tmp_path: Path,
    hosts: list[int] | None,
    clusters: list[tuple[str, str]],
    endpoints: list[str] | None,
    left: list[str],
) -> None:
    rows = [{**one, "dsnro": 256 if "1" in one["resource_name"] else 32} for one in ROWS]
    evaluation, whole = judged(tmp_path, rows, dsnro_rule())
    rows_of_hosts = None if hosts is None else tuple(HOSTS[place] for place in hosts)
    chosen = Chosen(None if endpoints is None else frozenset(endpoints), rows_of_hosts, frozenset(clusters))
    narrowed, made, notices = narrow(evaluation, whole, chosen)
    failing = sorted(name for name in left if "1" not in name)
    verdicts = [(finding.resource.name, finding.verdict) for finding in narrowed.findings()]
    assert sorted(verdicts) == sorted((name, Verdict.FAIL if name in failing else Verdict.PASS) for name in left)
    summary = narrowed.summary()
    assert (summary.fail, summary.passed, sum(narrowed.counts().values())) == (len(failing), len(left) - len(failing), len(left))
    assert sorted(change.resource.name for change in made.changes) == failing
    out = len(ROWS) - len(left)
    assert notices == (f"{out} verdicts on what --host, --cluster and --endpoint do not name are left out, failures too.",)
    saved = narrowed.save(tmp_path / "findings.parquet")
    assert saved.summary() == summary


def test_a_change_that_waits_for_one_on_another_host_is_left_to_a_person_and_the_others_are_numbered_anew(tmp_path: Path) -> None:
    after = ", after: [{change: local/depth, where: {module: family}}]"
    rows = [
        row(1, "vc-a", "has to wait", "gold", "esx-1.example.net", queue_depth=512),
        row(2, "vc-a", "comes first", "gold", "esx-2.example.net", dsnro=256),
        row(3, "vc-b", "free", "bronze", "esx-1.example.net", family="other", dsnro=32, queue_depth=512),
    ]
    evaluation, whole = judged(tmp_path, rows, dsnro_rule(after), rule_text("local/depth", holds="queue_depth = 512", fix=f"{{{OPTION}}}"))
    assert [(change.resource.name, change.number, change.waits_for) for change in whole.changes] == [
        ("comes first", 1, ()), ("has to wait", 2, (1,)), ("free", 3, ()),
    ]  # fmt: skip
    _, made, _ = narrow(evaluation, whole, Chosen(hosts=(HOSTS[0], HOSTS[3])))
    assert [(change.resource.name, change.number) for change in made.changes] == [("free", 1)]
    assert [(one.change.resource.name, one.why) for one in made.unmet] == [
        ("has to wait", "what has to come first is on another host or object than those that were chosen")
    ]
    assert [(hand.rule, hand.resource.name) for hand in made.by_hand] == [("local/dsnro", "has to wait")]


@pytest.mark.parametrize(
    ("name", "endpoint", "place", "collateral"),
    [
        pytest.param("ds-1", "vc-a", 0, "a host that was not chosen: esx-3.example.net", id="a datastore of two hosts"),
        pytest.param("ds-3", "vc-a", 2, "", id="a datastore of the chosen host alone"),
        pytest.param("vol-3", "array", 2, "a host that was not chosen: esx-1.example.net", id="a volume of a host of another vCenter too"),
        pytest.param("vol-1", "array", 0, "", id="a volume of the chosen host alone"),
    ],
)
def test_a_change_of_what_other_hosts_use_as_well_names_them(tmp_path: Path, name: str, endpoint: str, place: int, collateral: str) -> None:
    evaluation, whole = judged(tmp_path, [row(1, endpoint, name, dsnro=32)], dsnro_rule())
    assert [change.collateral for change in whole.changes] == [""]
    _, made, _ = narrow(evaluation, whole, Chosen(hosts=(HOSTS[place],)))
    assert [change.collateral for change in made.changes] == [collateral]


def test_a_change_on_a_host_names_no_other_host(tmp_path: Path) -> None:
    rows = [
        row(1, "vc-a", "ds-1", host="esx-1.example.net", dsnro=32),
        row(2, "vc-a", "ds-3", dsnro=256),
        row(3, "array", "vol-1", dsnro=32),
    ]
    evaluation, whole = judged(tmp_path, rows, dsnro_rule())
    _, made, _ = narrow(evaluation, whole, Chosen(hosts=(HOSTS[0],)))
    assert {change.resource.name: change.collateral for change in made.changes} == {"ds-1": "", "vol-1": ""}


def test_what_a_waiver_leaves_alone_and_holds_back_is_told_of_what_was_chosen(tmp_path: Path) -> None:
    ends = AT.replace(year=2027)
    waiver = Waiver("w.yaml:2", "local/waived", {"endpoint": ("*",)}, "storage team", "replaced in March", "", ends, also_unknown=False)
    failing = [{**one, "dsnro": 32} for one in ROWS[:4]]
    evaluation, whole = judged(tmp_path, failing, dsnro_rule(), dsnro_rule().replace("local/dsnro", "local/waived"), waiver=waiver)
    assert (sum(one.count for one in whole.left_alone), len(whole.held)) == (4, 4)
    _, made, _ = narrow(evaluation, whole, Chosen(hosts=tuple(HOSTS[1:3])))
    assert [(one.rule, one.count) for one in made.left_alone] == [("local/waived", 2)]
    assert [one.target["host_id"] for one in made.held] == ["host-2", "host-3"]


@pytest.mark.long
def test_what_another_host_says_against_a_change_still_holds_it_back(tmp_path: Path) -> None:
    shared = {"host_id": "host-9", "device": "naa.9"}  # one setting that rows of two hosts tell of
    rows = [
        row(1, "vc-a", "wants 256", "gold", "esx-1.example.net", family="a", **shared),
        row(2, "vc-a", "wants 64", "gold", "esx-2.example.net", family="b", **shared),
    ]
    other = rule_text("local/low", applies="family = 'b'", holds="dsnro = 64", fix=f"{{{DSNRO.replace('256', '64')}}}")
    mine = rule_text("local/high", applies="family = 'a'", holds="dsnro = 256", fix=f"{{{DSNRO}}}")
    evaluation, whole = judged(tmp_path, rows, mine, other)
    _, made, _ = narrow(evaluation, whole, Chosen(hosts=(HOSTS[0],)))
    assert made.changes == ()
    assert [[rule for rule, _ in clash.wants] for clash in made.contradictions] == [["local/high", "local/low"]]
    evaluation, whole = judged(tmp_path / "again", rows, mine, other)
    _, made, _ = narrow(evaluation, whole, Chosen(hosts=(HOSTS[2],)))
    assert made.contradictions == ()
