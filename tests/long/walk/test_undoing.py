"""What a run changed can be put back, and nothing that somebody changed since."""

from auditor.cli import run
from tests.audits import FIX, FIXED_RULES, Place, only

BY = only(*FIXED_RULES)


def test_what_a_run_changed_is_put_back(vvols: Place) -> None:
    before = vvols.audit(*BY).verdicts()
    fixed = vvols.audit(*FIX, *BY)
    assert fixed.verdicts() != before
    undo = ["undo", fixed.report["run"]["id"], "--fleet", str(vvols.fleet), "--state-dir", str(vvols.state)]

    assert run(undo) == 5  # nobody said yes
    assert vvols.audit(*BY).verdicts() == fixed.verdicts()

    vvols.capsys.readouterr()
    assert run([*undo, "--yes"]) == 0
    said = vvols.capsys.readouterr()
    assert "Plan: 18 changes." in said.err
    assert "CHANGES: 18 applied" in said.out
    assert vvols.audit(*BY).verdicts() == before


def test_what_somebody_changed_since_is_left_alone(vvols: Place) -> None:
    fixed = vvols.audit(*FIX, *BY)
    [vcenter] = vvols.lab.vcenters.values()
    host = next(host for host in vcenter.state.hosts.values() if host.description.name.startswith("esx-vvol-1"))
    with vcenter.state.lock:
        host.options["Scsi.ScsiVVolPESNRO"] = 512
        vcenter.state.changed()
    vvols.capsys.readouterr()
    undo = ["undo", fixed.report["run"]["id"], "--fleet", str(vvols.fleet), "--state-dir", str(vvols.state), "--yes"]
    assert run(undo) == 1
    assert "STALE" in vvols.capsys.readouterr().out.upper()
    assert host.options["Scsi.ScsiVVolPESNRO"] == 512


def test_a_run_that_changed_nothing_cannot_be_undone(vvols: Place) -> None:
    audited = vvols.audit(*BY)
    vvols.capsys.readouterr()
    code = run(["undo", audited.report["run"]["id"], "--fleet", str(vvols.fleet), "--state-dir", str(vvols.state), "--yes"])
    assert code == 3
    assert "holds a change of run" in vvols.capsys.readouterr().err
