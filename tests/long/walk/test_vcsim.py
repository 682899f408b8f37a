"""The read path held against a vCenter that nobody here wrote: VMware's own simulator, loaded with the lab's fleet."""

from pathlib import Path

import pytest

from auditor.cli import run
from auditor.engine.evaluate import evaluate
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.facts.snapshots.unread import with_unread_gaps
from auditor.facts.views import create_views
from auditor.pipeline.policy import load_rule_set, needs_for
from auditor_lab.description import LabFleet
from auditor_lab.scenario import load_scenario, scenario_names
from auditor_lab.serving import serve
from tests.depth import thinned
from tests.peers import CARRIED, go_binary, running_vcsim

SCENARIOS = thinned([name for name in reversed(scenario_names()) if len(load_scenario(name).vcenters) == 1], 16)
"""Vcsim is one vCenter; those of a scenario with two are compared one by one in tests/long/lab/test_vcsim.py."""
IGNORED = {"host": {"boot_time"}}  # the lab's hosts boot when the lab starts, and the export is another start


@pytest.fixture(scope="module", params=SCENARIOS)
def snapshots(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Snapshot, Snapshot]:
    """The same scenario collected from the lab and from vcsim, both by `auditor collect`."""
    go_binary("vcsim")
    folder = tmp_path_factory.mktemp("vcsim")
    assert run(["lab", "export-vcsim", str(folder / "model"), "--scenario", request.param]) == 0
    with serve(LabFleet(vcenters=load_scenario(request.param).vcenters)) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        assert (
            run(["collect", "--fleet", str(folder / "fleet.yaml"), "--out", str(folder / "lab"), "--strict"]) == 2
        )  # the arrays are not listed
        [name] = lab.vcenters
    with running_vcsim(folder / "model") as vcsim:
        (folder / "password").write_text(vcsim.password, encoding="utf-8")
        (folder / "vcsim.yaml").write_text(
            f"endpoints:\n  - name: {name}\n    kind: vcenter\n    address: {vcsim.host}:{vcsim.port}\n    username: {vcsim.username}\n"
            f"    password: {{file: password}}\n    tls: {{fingerprint: '{vcsim.fingerprint}'}}\n",
            encoding="utf-8",
        )
        # esxcli and kernel modules are missing there, and that is reported.
        assert run(["collect", "--fleet", str(folder / "vcsim.yaml"), "--out", str(folder / "vcsim"), "--strict"]) == 2
    return load_snapshot(folder / "lab"), load_snapshot(folder / "vcsim")


def rows(snapshot: Snapshot, table: str) -> list[tuple[object, ...]]:
    columns = [row[0] for row in snapshot.connection.execute(f'DESCRIBE fact."{table}"').fetchall()]
    kept = ", ".join(f'"{column}"' for column in columns if column not in IGNORED.get(table, set()))
    # An option that a host hides from its listing cannot be hidden in vcsim, so the export leaves it out.
    only = " WHERE key <> 'DataMover.MaxHWTransferSize'" if table == "host_option" else ""
    return sorted(snapshot.connection.execute(f'SELECT {kept} FROM fact."{table}"{only}').fetchall(), key=repr)


@pytest.mark.parametrize("table", CARRIED)
def test_vcsim_gives_the_same_facts_as_the_lab(snapshots: tuple[Snapshot, Snapshot], table: str) -> None:
    lab, vcsim = snapshots
    assert rows(vcsim, table) == rows(lab, table)


def test_the_tables_compared_are_not_empty(snapshots: tuple[Snapshot, Snapshot]) -> None:
    lab, _ = snapshots
    empty = {table for table in CARRIED if not rows(lab, table)}
    # Fibre channel hosts without vVols have neither iSCSI targets nor vVol mounts, and few scenarios have datastore clusters.
    assert empty <= {"iscsi_target", "iscsi_option", "vvol_mount", "storage_pod"}


def judged(snapshot: Snapshot, folder: Path) -> dict[tuple[str, str, str], str]:
    """The verdicts of all rules on a copy of a snapshot, as an audit of it judges: by rule, endpoint and resource id."""
    snapshot.save(folder)
    rules = load_rule_set()
    copy = with_unread_gaps(load_snapshot(folder), needs_for(rules))
    create_views(copy.connection, views={rule.over for rule in rules})
    return {(one.rule, one.resource.endpoint, one.resource.id): str(one.verdict) for one in evaluate(copy.connection, rules).findings()}


def test_an_audit_of_vcsim_passes_nothing_that_the_lab_does_not(snapshots: tuple[Snapshot, Snapshot], tmp_path: Path) -> None:
    lab, vcsim = (judged(snapshot, tmp_path / name) for name, snapshot in zip(("lab", "vcsim"), snapshots, strict=True))
    assert [key for key, verdict in vcsim.items() if verdict == "pass" and lab.get(key) != "pass"] == []
    # What rests on options alone is judged alike on both.
    assert {key: verdict for key, verdict in vcsim.items() if key[0] == "vaai/uniform"} == {
        key: verdict for key, verdict in lab.items() if key[0] == "vaai/uniform"
    }


def test_what_vcsim_does_not_have_is_a_gap_of_every_host(snapshots: tuple[Snapshot, Snapshot]) -> None:
    lab, vcsim = snapshots
    text = " ".join(gap.what + gap.why for gap in vcsim.gaps)
    for (name,) in lab.connection.execute("SELECT name FROM fact.host").fetchall():
        assert name in text
    complete = {topic for (topic,) in vcsim.connection.execute("SELECT DISTINCT topic FROM fact.reading WHERE complete").fetchall()}
    assert {"options", "devices", "paths", "hbas", "hosts", "datastores", "vms"} <= complete
    assert not {"device_scheduling", "device_offload", "lockmode", "modules"} & complete
