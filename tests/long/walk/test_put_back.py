"""What is put back after a fix, values that are nowhere in the fleet, and runs that nobody confirms; through the command line."""

from __future__ import annotations

import threading

from auditor.audit import AuditRequest, FixClass, FixLimits, audit, fix
from auditor.cli import run
from auditor.fleet.loading import load_fleet
from auditor.history.confirming import overdue
from auditor.model import Outcome
from auditor.pipeline.confirmation import undo_overdue, utc_now
from tests.audits import AT_ONCE, DSNRO, Place, only, writes
from tests.waiting import until

RULE = "vvol/pe-dsnro-headroom"
FIX = ("--fix", "--yes", "--allow", "online-caution", *AT_ONCE, *only(RULE))
OPTION = ("--fix", "--yes", *AT_ONCE, *only("vvol/pe-default-option"))


def depths(place: Place) -> dict[tuple[str, str], int]:
    [vcenter] = place.lab.vcenters.values()
    hosts = vcenter.state.hosts.items()
    return {(host, device): held["dsnro"] for host, one in hosts for device, held in one.device_settings.items() if "dsnro" in held}


def somebody_sets(place: Place, host: str, device: str, value: int) -> None:
    [vcenter] = place.lab.vcenters.values()
    with vcenter.state.lock:
        vcenter.state.hosts[host].device_settings[device]["dsnro"] = value
        vcenter.state.changed()


def test_what_is_put_back_is_not_fixed_again_and_twice_is_a_fight(vvols: Place) -> None:
    before = depths(vvols)
    vvols.audit(*FIX)
    (host, device), after = next((place, value) for place, value in depths(vvols).items() if value != before.get(place))
    assert after == 256
    somebody_sets(vvols, host, device, 32)
    again = vvols.audit(*FIX)
    assert depths(vvols)[host, device] == 32
    assert any("put back since" in notice for notice in again.report["notices"])
    [failed] = again.of(RULE, "fail")
    assert failed["fix"]["outcome"] == "by_hand"
    assert "wrote 256, and it is 32 again" in failed["fix"]["why"]

    retried = vvols.audit("--retry-put-back", *FIX)
    assert depths(vvols)[host, device] == 256
    assert [receipt["outcome"] for receipt in retried.report["receipts"]] == ["applied"]
    somebody_sets(vvols, host, device, 32)
    seen = vvols.audit(*only(RULE))
    assert any(notice.startswith("A fight: device.dsnro on") for notice in seen.report["notices"])


def test_a_param_out_of_its_bounds_or_out_of_what_the_fleet_has_changes_nothing(vvols: Place) -> None:
    text = vvols.fleet.read_text(encoding="utf-8")
    vvols.fleet.write_text(f"{text}params: {{vvol/pe-default-option: {{wanted: 1}}}}\n", encoding="utf-8")
    refused = vvols.audit(*OPTION)
    assert refused.code == 3
    assert "is 1, and may be 32 to 4096 (The option's own range" in refused.err
    vvols.fleet.write_text(f"{text}params: {{vvol/pe-default-option: {{wanted: 4096}}}}\n", encoding="utf-8")
    unusual = vvols.audit(*OPTION)
    assert unusual.code == 5
    assert "Scsi.ScsiVVolPESNRO would be set to 4096 in" in unusual.err
    assert "--allow-unusual" in unusual.err
    assert writes(vvols) == []


def test_a_run_that_nobody_confirms_is_undone_by_the_next_resume_and_one_that_is_confirmed_stays(vvols: Place) -> None:
    before = depths(vvols)
    # As if the machine had gone down while it waited: nobody is there to undo it.
    limits = FixLimits(allow=[FixClass.ONLINE_CAUTION], max_changes="500", settle_seconds=0, confirm_within_seconds=0.2)
    fixed = fix(audit(AuditRequest(fleet=vvols.fleet, only=[RULE], state=vvols.state, fix=limits)), confirm=lambda _changes: True)
    assert {receipt.outcome for receipt in fixed.receipts} == {Outcome.APPLIED}
    until(lambda: overdue(vvols.state, utc_now()) == (fixed.run_id,), "the end of its time")
    vvols.capsys.readouterr()
    assert run(["resume", fixed.run_id, "--fleet", str(vvols.fleet), "--state-dir", str(vvols.state), "--yes"]) == 5
    printed = vvols.capsys.readouterr().err
    assert f"Run {fixed.run_id} was not confirmed in time: run" in printed
    assert f"run {fixed.run_id} was put back by run" in printed
    # What was never set is at 32, the default, and is set to that now.
    assert {place: depth for place, depth in depths(vvols).items() if depth != 32} == {
        place: depth for place, depth in before.items() if depth != 32
    }
    made = writes(vvols).count(DSNRO)

    def confirm() -> None:
        runs = vvols.state / "runs"
        until(lambda: any('undone_by": null' in file.read_text() for file in runs.glob("*/confirm.json")), "a run that waits")
        [waiting] = [file.parent.name for file in runs.glob("*/confirm.json") if 'undone_by": null' in file.read_text()]
        until(lambda: writes(vvols).count(DSNRO) > made, "its writes")
        assert run(["confirm", waiting, "--state-dir", str(vvols.state)]) == 0

    somebody = threading.Thread(target=confirm)
    somebody.start()
    stays = vvols.audit("--confirm-within", "10m", *FIX)
    somebody.join()
    assert stays.code in (0, 1)
    assert 256 in depths(vvols).values()
    assert undo_overdue(load_fleet(vvols.fleet), vvols.state) == ()
    assert overdue(vvols.state, utc_now()) == ()


def test_a_plan_that_was_made_once_does_not_write_what_somebody_put_back_since(vvols: Place) -> None:
    plan, where = vvols.folder / "plan.json", ["--fleet", str(vvols.fleet), "--state-dir", str(vvols.state)]
    run(["plan", *where, "--only", RULE, "--out", str(plan)])
    make = ["apply", str(plan), *where, "--yes", "--allow", "online-caution", "--max-hosts", "100%", "--settle", "0"]
    before = depths(vvols)
    assert run(make) == 0
    (host, device), _ = next((place, value) for place, value in depths(vvols).items() if value != before.get(place))
    somebody_sets(vvols, host, device, 32)
    written = len(writes(vvols))
    vvols.capsys.readouterr()
    run(make)
    assert depths(vvols)[host, device] == 32
    assert len(writes(vvols)) == written
    assert "and it is 32 again" in " ".join(vvols.capsys.readouterr().out.split())
