"""`--fix` puts right what it may, says what it did, and has nothing to do the second time."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.journal.chain import verify
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault
from tests.audits import AT_ONCE, DSNRO, FIX, FIXED_RULES, Place, only, writes
from tests.waiting import until

PE_RULES = ("vvol/pe-dsnro-headroom", "vvol/pe-default-option", "vvol/pe-uniform", "vvol/pe-count")
NEVER = 1e5
"""Seconds; the lab's latency ends when it stops serving."""


def journals(place: Place) -> list[dict[str, object]]:
    return [
        json.loads(line)["record"] for file in sorted((place.state / "journal").glob("*.jsonl")) for line in file.read_text().splitlines()
    ]


def depths(vcenter: VCenterServer) -> dict[tuple[str, str], int | None]:
    """The depth of each device of each host that was ever written, by the ids of both."""
    hosts = vcenter.state.hosts.items()
    return {(host, device): held.get("dsnro") for host, one in hosts for device, held in one.device_settings.items()}


def test_the_endpoint_rules_pass_after_a_fix_and_the_second_fix_writes_nothing(vvols: Place) -> None:
    first = vvols.audit(*FIX)  # by every rule: none of them writes but those that FIXED_RULES names
    made = {rule for receipt in first.report["receipts"] if receipt["outcome"] == "applied" for rule in receipt["rules"]}
    assert made <= {*FIXED_RULES, "qos/host-limit-below-array-limit"}
    assert first.code == 1  # what needs a reboot or the array's owner is still drift
    for rule in PE_RULES:
        assert first.of(rule, "pass"), rule
        assert not first.of(rule, "fail") + first.of(rule, "unknown"), rule
    assert {r["outcome"] for r in first.report["receipts"]} == {"applied", "proposed"}
    written = writes(vvols)
    assert written.count(DSNRO) == 13
    assert written.count("UpdateOptions") == 4
    assert written.count("ConfigureDatastoreIORM_Task") == 1

    certificate = first.report["certificate"]
    applied = sum(receipt["outcome"] == "applied" for receipt in first.report["receipts"])
    assert (certificate["made"], certificate["left"]) == (applied, 0)
    assert certificate["read_before"] != certificate["read_after"]
    assert verify(vvols.state / "journal", certificate["journal"]).problems == ()

    second = vvols.audit(*FIX, *only(*FIXED_RULES))
    assert second.report["certificate"] is None
    assert writes(vvols) == written
    assert "nothing to change" in second.err
    for rule in PE_RULES:
        assert not second.of(rule, "fail") + second.of(rule, "unknown"), rule


def test_a_mended_finding_says_what_became_of_its_fix_and_the_journal_holds_before_and_after(vvols: Place) -> None:
    fixed = vvols.audit(*FIX, *only("vvol/pe-dsnro-headroom"))
    mended = [f for f in fixed.of("vvol/pe-dsnro-headroom", "pass") if f["fix"]]
    assert len(mended) == 13
    for finding in mended:
        assert (finding["fix"]["before"], finding["fix"]["after"], finding["fix"]["outcome"]) == (32, 256, "applied")

    text = "\n".join(file.read_text(encoding="utf-8") for file in (vvols.state / "journal").glob("*.jsonl"))
    intents = [json.loads(line) for line in text.splitlines()]
    assert vvols.lab.password not in text
    flat = json.dumps(intents)
    assert flat.count('"device.dsnro"') >= 13
    assert '"before"' in flat
    assert '"after"' in flat


def test_after_the_fix_of_s0_no_rule_says_that_neighbours_wait_and_the_report_says_that_they_are_well(vvols: Place) -> None:
    vvols.audit(*FIX, *only("vvol/pe-dsnro-headroom"))
    table = vvols.folder / "table.txt"
    after = vvols.audit("--reporter", f"table:{table}")
    rule = "diag/noisy-neighbour-signature"
    assert after.of(rule, "pass")
    assert not after.of(rule, "fail") + after.of(rule, "unknown")
    said = " ".join(table.read_text(encoding="utf-8").split())
    assert re.search(r"Neighbours are well: gold-1 Hard disk 1 .* beside bronze-noisy Hard disk 1, which the array holds at its", said)


def test_a_dry_run_writes_nothing_and_shows_the_plan(vvols: Place) -> None:
    planned = vvols.audit("--fix", "--dry-run", "--allow", "online-caution", *only(*FIXED_RULES))
    assert "Plan: 13 changes." in planned.out
    assert planned.out.endswith("--fix --allow online-caution --max-hosts 4\n"), "it ends with the command that makes it"
    assert writes(vvols) == []
    assert {f["fix"]["outcome"] for f in planned.of("vvol/pe-dsnro-headroom", "fail")} == {"proposed"}


def test_without_a_terminal_and_without_yes_nothing_is_written(vvols: Place) -> None:
    refused = vvols.audit("--fix", "--allow", "online-caution", *only(*FIXED_RULES))
    assert refused.code == 5
    assert writes(vvols) == []
    assert refused.report["summary"]["fail"] > 0  # the report is worth reading all the same


def test_online_alone_is_what_may_be_made_by_default(vvols: Place) -> None:
    vvols.audit("--fix", "--yes", *AT_ONCE, *only(*FIXED_RULES))
    assert DSNRO not in writes(vvols)
    assert "UpdateOptions" in writes(vvols)


def test_a_fix_of_more_changes_than_allowed_makes_the_first_host_alone(vvols: Place) -> None:
    stopped = vvols.audit(*FIX, "--max-changes", "5", *only(*FIXED_RULES))
    assert stopped.code == 5
    assert "the limit of one run is 5 changes" in stopped.err
    assert len({receipt["resource"]["host"] for receipt in stopped.report["receipts"] if receipt["outcome"] == "applied"}) == 1


def test_a_write_that_is_not_read_back_as_wanted_stops_the_run(vvols: Place) -> None:
    [vcenter] = vvols.lab.vcenters.values()
    vcenter.faults.active.append(Fault("status", DSNRO, status=500))
    failed = vvols.audit(*FIX, *only(*FIXED_RULES))
    assert failed.code == 4
    outcomes = [r["outcome"] for r in failed.report["receipts"] if r["remediator"] == "device.dsnro"]
    assert sorted(outcomes) == ["proposed"] * 12 + ["unverified"]
    assert writes(vvols).count(DSNRO) == 1
    assert len(failed.of("vvol/pe-dsnro-headroom", "fail")) == 13


@pytest.mark.parametrize("lands", [pytest.param(True, id="the write had landed"), pytest.param(False, id="the write had not landed")])
def test_a_run_killed_between_intent_and_receipt_is_accounted_for_by_the_next(vvols: Place, lands: bool) -> None:
    [vcenter] = vvols.lab.vcenters.values()
    # Latency before the host hears of it, or an answer that never ends after it did: either way the process dies waiting.
    before = depths(vcenter)
    vcenter.faults.active.append(Fault("slow" if lands else "latency", DSNRO, seconds=NEVER))
    command = [sys.executable, "-m", "auditor", "audit", "--fleet", str(vvols.fleet), "--state-dir", str(vvols.state), *FIX]
    command += only("vvol/pe-dsnro-headroom")
    killed = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    until(lambda: DSNRO in vcenter.requests, "the first write")
    if lands:
        until(lambda: depths(vcenter) != before, "a depth that is written")
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    vcenter.faults.active.clear()

    next_run = vvols.audit(*only("vvol/pe-dsnro-headroom"))
    [reported] = [notice for notice in next_run.report["notices"] if "was cut off" in notice]
    assert "device.dsnro" in reported
    assert ("applied" if lands else "not applied") in reported
    assert ("256, as wanted" if lands else "still 32, as before") in reported
    again = vvols.audit(*only("vvol/pe-dsnro-headroom"))
    assert [notice for notice in again.report["notices"] if "was cut off" in notice] == []


def test_a_snapshot_cannot_be_fixed(vvols: Place, tmp_path: Path) -> None:
    from auditor.cli import run

    assert run(["audit", "--from", str(tmp_path), "--fix"]) == 3
    assert "--fix cannot go with --from" in vvols.capsys.readouterr().err
