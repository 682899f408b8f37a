"""Which answers of an earlier run an audit takes over, what it says of them, and when it asks every host instead."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from auditor.cli import run
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.wire import Fault
from tests.audits import Audit, Place
from tests.long.walk.since import HOSTS, ONE_RULE, SOME_RULES, asked_hosts, run_of, served, snapshot_of, some
from tests.older import without_digests


@dataclass(frozen=True)
class Kept:
    """A lab that nobody changes, and where the first audit of it left its state."""

    lab: Lab
    state: Path
    first: str  # run id
    audit: Audit


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    folder = tmp_path_factory.mktemp("kept")
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        report, state = folder / "report.json", folder / "state"
        only = [word for rule in SOME_RULES for word in ("--only", rule)]
        code = run(["audit", "--fleet", str(folder / "fleet.yaml"), "--state-dir", str(state), "--reporter", f"json-full:{report}", *only])
        audit = Audit(code, json.loads(report.read_text(encoding="utf-8")), "")
        yield Kept(lab, state, run_of(audit), audit)


@pytest.fixture
def untouched(kept: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    """The lab of `kept`, to be audited only, and nothing in the state directory."""
    kept.lab.write_fleet(tmp_path / "fleet.yaml")
    return Place(kept.lab, tmp_path, capsys)


@pytest.fixture
def audited(kept: Kept, untouched: Place) -> Place:
    """The same after the first audit, with a state directory of the test's own."""
    shutil.copytree(kept.state, untouched.state)
    return untouched


def rows(query: str) -> list[Any]:
    return duckdb.connect().execute(query).fetchall()


def test_what_is_taken_over_keeps_its_time_and_is_told(audited: Place, kept: Kept) -> None:
    again = some(audited, "--since", "last")
    third = some(audited, "--since", "last")
    topics = "('options', 'modules', 'device_scheduling', 'device_offload', 'lockmode', 'port_binding', 'multipathing')"
    query = f"SELECT topic, scope, epoch_us(read_at) FROM '{{}}/reading.parquet' WHERE topic {{}}IN {topics} AND scope <> '' ORDER BY ALL"
    times = [rows(query.format(snapshot_of(audited, audit), "")) for audit in (kept.audit, again, third)]
    assert len(times[0]) == 7 * HOSTS
    assert times[0] == times[1] == times[2]
    bulk = [rows(query.format(snapshot_of(audited, audit), "NOT ")) for audit in (kept.audit, again)]
    assert set(bulk[0]).isdisjoint(bulk[1])
    (notice,) = third.report["notices"]
    assert f"8 of 8 hosts say of themselves was taken over from run {run_of(again)}" in notice
    assert "shell" in notice


def test_an_answer_that_is_too_old_is_asked_for_again_however_often_it_was_taken_over(audited: Place, kept: Kept) -> None:
    again = some(audited, "--since", kept.first)
    aged = snapshot_of(audited, again) / "reading.parquet"
    older = aged.with_name("older.parquet")
    rows(
        "COPY (SELECT * REPLACE (read_at - CASE WHEN scope = 'host-12' AND topic = 'options' "
        f"THEN INTERVAL 25 HOUR ELSE INTERVAL 0 HOUR END AS read_at) FROM '{aged}') TO '{older}'"
    )
    older.replace(aged)
    without_digests(aged.parent)
    assert asked_hosts(audited, "--since", run_of(again))[1] == 1
    assert asked_hosts(audited, "--since", run_of(again), "--max-age", "2d")[1] == 0


def test_without_permission_to_read_events_every_host_is_asked_and_that_is_told(audited: Place, kept: Kept) -> None:
    faults = served(audited.lab).faults
    faults.active.append(Fault("permission", operation="CreateCollectorForEvents", privilege="System.View"))
    try:
        again, asked = asked_hosts(audited, "--since", kept.first, rules=ONE_RULE)
    finally:
        faults.active.clear()
    assert asked == HOSTS
    (notice,) = again.report["notices"]
    assert "Every host was asked again" in notice
    assert "System.View" in notice
    assert again.report["gaps"] == kept.audit.report["gaps"]
    assert again.verdicts() == kept.audit.of_rules(ONE_RULE)


def test_an_account_that_is_shown_no_events_is_not_told_that_nothing_happened(
    audited: Place, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor_lab.vcenter.events.manager.selected", lambda _inventory, _spec: [])
    again, asked = asked_hosts(audited, "--since", kept.first, rules=ONE_RULE)
    assert asked == HOSTS
    assert "shown no events" in again.report["notices"][0]


def test_a_run_that_asked_for_less_is_no_ground_to_stand_on(untouched: Place) -> None:
    untouched.audit("--only", "vaai/uniform")
    again, asked = asked_hosts(untouched, "--since", "last")
    assert asked == HOSTS
    assert "that run asked for less" in again.report["notices"][0]


def test_a_vcenter_that_the_earlier_run_did_not_read_is_read_whole(audited: Place, kept: Kept) -> None:
    manifest = snapshot_of(audited, kept.audit) / "snapshot.json"
    said = json.loads(manifest.read_text(encoding="utf-8"))
    said["endpoints"] = [one for one in said["endpoints"] if one["kind"] != "vcenter"]
    manifest.write_text(json.dumps(said), encoding="utf-8")
    again, asked = asked_hosts(audited, "--since", kept.first, rules=ONE_RULE)
    assert asked == HOSTS
    assert "that run did not read vc-solidfire" in again.report["notices"][0]


def test_a_run_whose_snapshot_is_damaged_is_read_anew_and_that_is_told(audited: Place, kept: Kept) -> None:
    (snapshot_of(audited, kept.audit) / "reading.parquet").write_bytes(b"no parquet")
    again, asked = asked_hosts(audited, "--since", kept.first, rules=ONE_RULE)
    assert asked == HOSTS
    assert "is not a whole snapshot" in again.report["notices"][0]


def test_the_first_audit_since_the_last_one_asks_everybody(untouched: Place) -> None:
    audit, asked = asked_hosts(untouched, "--since", "last", rules=ONE_RULE)
    assert asked == HOSTS
    assert "no finished run" in audit.report["notices"][0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("--since", "20200101T000000Z-0000"), "no run 20200101T000000Z-0000 is kept", id="a run that does not exist"),
        pytest.param(("--since", "yesterday"), "is not the id of a run", id="no run id"),
        pytest.param(("--since", "last", "--max-age", "soon"), "is not an age", id="no age"),
        pytest.param(("--max-age", "2h"), "--max-age goes with --since", id="an age of nothing"),
    ],
)
def test_a_mistake_is_told_before_anything_is_read(untouched: Place, arguments: tuple[str, ...], said: str) -> None:
    before = len(served(untouched.lab).requests)
    audit = untouched.audit(*arguments)
    assert (audit.code, said in audit.err) == (3, True)
    assert len(served(untouched.lab).requests) == before


def test_since_cannot_go_with_a_saved_snapshot(audited: Place, kept: Kept) -> None:
    assert run(["audit", "--from", str(snapshot_of(audited, kept.audit)), "--since", "last", "--state-dir", str(audited.state)]) == 3
