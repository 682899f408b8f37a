"""Incident S0 from its true start, cured by one command; a pending reboot; a real kill in the middle of a reboot."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor.cli import run
from auditor_lab.scenario import load_scenario, parse_scenario
from auditor_lab.serving import serve
from auditor_lab.wire import Fault
from tests.audits import AT_ONCE, FIX, Place, only
from tests.engine.bench import rule_text
from tests.waiting import until

SCENARIO = Path(__file__).parents[3] / "auditor_lab/scenarios/solidfire-vvols.yaml"
SHIPPED = Path(__file__).parents[3] / "rules"
CURE = (*FIX, "--allow", "reboot")
RULES = ("queue/driver-depth", "queue/pending-reboot", "vvol/pe-dsnro-headroom")
SICK = [f"esx-vvol-{number}.lab.example" for number in (1, 2, 3, 4)]
NEVER = 600.0  # seconds


@pytest.fixture
def at_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Place]:
    """The scenario as the outage found it: the driver at its default, DSNRO 32 on every endpoint (docs/domain/incidents.md#s0)."""
    text = SCENARIO.read_text(encoding="utf-8")
    text, modules = re.subn(r"(      vvol-host:.*?\n)        modules: [^\n]*\n", r"\1", text, count=1, flags=re.DOTALL)
    text, by_hand = re.subn(r"            dsnro:\n(?:              naa\.6f47acc2\S+ 256\n){3}", "", text, count=1)
    assert (modules, by_hand) == (1, 1), "the scenario is written in another way by now"
    with serve(parse_scenario(text, "s0")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        yield Place(lab, tmp_path, capsys)


def test_one_command_cures_s0_from_its_true_start(at_the_start: Place) -> None:
    [vcenter] = at_the_start.lab.vcenters.values()
    hosts = {host.description.name: host for host in vcenter.state.hosts.values()}
    booted = {name: host.boot_time for name, host in hosts.items()}
    cured = at_the_start.audit(*CURE, *only(*RULES))
    assert [(finding["rule"], finding["resource"]["host"]) for finding in cured.of("vvol/pe-dsnro-headroom", "fail")] == []
    assert [f for f in cured.of("queue/driver-depth", "fail") if f["resource"]["host"] in SICK] == []
    receipts = cured.report["receipts"]
    assert {receipt["outcome"] for receipt in receipts} <= {"applied", "proposed"}
    assert [receipt["pending"] for receipt in receipts if receipt["outcome"] == "applied" and receipt["pending"]] == []
    steps = [(one["remediator"], one["resource"]["host"]) for one in receipts if one["resource"]["host"] in SICK]
    for host in SICK:
        mine = [remediator for remediator, name in steps if name == host]
        assert mine == ["host.maintenance", "host.boot", "host.module_option", "host.maintenance", *["device.dsnro"] * 4]
        assert hosts[host].boot_time > booted[host]
        assert {hosts[host].queue_depth(device) for device in hosts[host].devices.values()} == {256}
        assert {hosts[host].dsnro(device) for device in hosts[host].devices.values()} == {256}
    assert not any(host.in_maintenance_mode for host in hosts.values())
    assert {name for name, host in hosts.items() if host.boot_time > booted[name]} == {*SICK, *_also_booted(receipts)}

    again = {name: host.boot_time for name, host in hosts.items()}
    arguments = ["--fleet", str(at_the_start.fleet), "--state-dir", str(at_the_start.state), "--yes", "--reboot"]
    code = run(["undo", cured.report["run"]["id"], *arguments])
    printed = at_the_start.capsys.readouterr()
    assert code == 0, printed.out + printed.err
    assert {hosts[name].queue_depth(device) for name in SICK for device in hosts[name].devices.values()} == {128}
    assert {hosts[name].dsnro(device) for name in SICK for device in hosts[name].devices.values()} == {32}
    assert not any(host.in_maintenance_mode for host in hosts.values())
    assert all(hosts[name].boot_time > again[name] for name in SICK)


def _also_booted(receipts: list[dict[str, object]]) -> set[str]:
    """Hosts besides the sick ones that were rebooted, by their receipts."""
    return {str(one["resource"]["host"]) for one in receipts if one["remediator"] == "host.boot" and one["outcome"] == "applied"}  # type: ignore[index]


@pytest.fixture
def disputed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Place]:
    """Incident S2: own rules want DSNRO different on one host while its driver is deeper than the default (docs/domain/incidents.md#s2)."""
    with serve(load_scenario("flasharray-queues")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        yield Place(lab, tmp_path, capsys)


def own_rules(folder: Path) -> Path:
    """A fleet's own rules: the driver at its default whatever the load, and DSNRO as the device's depth, against the default of 32."""
    shipped = (SHIPPED / "queue/driver-depth.yaml").read_text(encoding="utf-8").replace("id: queue/driver-depth", "id: own/driver")
    about_load = ("  is_made_use_of:", "  most_outstanding:", "  luns:")
    assert all(shipped.count(words) == 1 for words in about_load), "the shipped rule has other words about load"
    driver = "\n".join(line for line in shipped.splitlines() if not any(words in line for words in about_load))
    driver = driver.replace(" OR (configured_depth > stock_depth AND is_made_use_of)", "")
    fix = "{remediator: device.dsnro, target: {host_id: host_id, device: device}, column: dsnro, set: queue_depth"
    depth = rule_text(
        "own/depth",
        over="device",
        applies="is_shared AND NOT is_protocol_endpoint",
        holds="dsnro <= queue_depth",
        desired="queue_depth",
        fix=f"{fix}, class: manual, reason: As deep as the queue}}",
    )
    for name, text in (("driver", driver), ("depth", depth)):
        path = folder / "own" / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_what_a_reboot_makes_possible_is_made_by_the_same_command_as_a_run_of_its_own(disputed: Place, tmp_path: Path) -> None:
    rules = ("--rules", str(own_rules(tmp_path / "rules")), *only("own/driver", "own/depth", "queue/default-unless-justified"))
    cured = disputed.audit(*CURE, "--allow", "retune", "--allow-unusual", *rules)
    made = [
        (one["resource"]["host"].partition(".")[0], one["after"]) for one in cured.report["receipts"] if one["remediator"] == "device.dsnro"
    ]
    assert made == [("esx-fq-ucs-3", 32)] * 7, "the default, once the driver is at its own"
    [notice] = [notice for notice in cured.report["notices"] if "became possible by this fix" in notice]
    assert re.search(r"^7 further changes .* made as run \S+-apply; `auditor undo ", notice)


@pytest.mark.parametrize("operation", ["EnterMaintenanceMode_Task", "RebootHost_Task"])
def test_a_real_kill_in_the_middle_of_a_reboot_leaves_a_host_of_which_the_next_run_says_where_it_is(
    at_the_start: Place, operation: str
) -> None:
    [vcenter] = at_the_start.lab.vcenters.values()
    vcenter.faults.active.append(Fault("slow", operation, seconds=NEVER))  # it is carried out, and its answer never ends
    command = [sys.executable, "-m", "auditor", "audit", "--fleet", str(at_the_start.fleet), "--state-dir", str(at_the_start.state)]
    killed = subprocess.Popen(
        [*command, *CURE, *only("queue/driver-depth")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    until(lambda: operation in vcenter.requests, f"the first {operation}")
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    vcenter.faults.active.clear()

    def is_back() -> bool:
        with vcenter.state.lock:
            vcenter.state.settle()
            return all(host.reachable for host in vcenter.state.hosts.values())

    until(is_back, "the host is back")
    out = [host.description.name for host in vcenter.state.hosts.values() if host.in_maintenance_mode]
    notices = at_the_start.audit(*only("queue/driver-depth")).report["notices"]
    assert [name for name in SICK if any(f"took host {name} " in one and "is in maintenance mode" in one for one in notices)] == out
    assert any("was cut off while it" in notice for notice in notices)

    [killed_run] = {named.group(1) for notice in notices if (named := re.match(r"Run (\S+) ", notice))}
    arguments = ["--fleet", str(at_the_start.fleet), "--state-dir", str(at_the_start.state), "--yes", *AT_ONCE]
    code = run(["resume", killed_run, *arguments])
    printed = at_the_start.capsys.readouterr()
    assert code in {0, 1}, printed.out + printed.err
    hosts = {host.description.name: host for host in vcenter.state.hosts.values()}
    assert not any(host.in_maintenance_mode for host in hosts.values()), printed.out
    assert {hosts[name].queue_depth(device) for name in SICK for device in hosts[name].devices.values()} == {256}, printed.out
    assert vcenter.requests.count("RebootHost_Task") == len(SICK), "each host once, over both runs"


def test_the_roles_of_a_plan_are_printed_as_json(at_the_start: Place) -> None:
    code = run(["plan", "--privileges", "--fleet", str(at_the_start.fleet), "--state-dir", str(at_the_start.state), *only(*RULES)])
    roles = json.loads(at_the_start.capsys.readouterr().out)
    assert code == 1, "the fleet has drift"
    [vcenter] = roles["vcenters"]
    assert set(vcenter["fix"]["privileges"]) - set(vcenter["audit"]["privileges"]) == {"Host.Config.Maintenance", "Host.Config.Storage"}
    assert vcenter["fix"]["govc"].startswith("govc role.create auditor-fix Host.Config.Maintenance ")
    assert [array["fix"] for array in roles["arrays"]] == [None, None], "nothing of these rules is written there"
