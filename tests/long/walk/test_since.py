"""An audit that takes over answers of an earlier run sees what changed since, as a full audit does."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyVmomi import vim

from auditor.cli import run
from auditor.endpoints.collect import collect_fleet
from auditor.endpoints.vcenter.collect import host_comparison
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.facts.needs import SOURCES
from auditor.facts.schema import TABLES
from auditor.facts.snapshots.earlier import READ_ANEW, with_host_marks
from auditor.fleet.loading import load_fleet
from auditor.pipeline.policy import load_rule_set, needs_for
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.wire import Fault
from tests.audits import AT_ONCE, Audit, Place
from tests.long.walk.since import HOSTS, ONE_RULE, SOME_RULES, asked_hosts, run_of, served, snapshot_of, some
from tests.waiting import PATIENCE_SECONDS, SPEED_CHECKS, until

EVERY_RULE = ()


@contextmanager
def somebody(place: Place) -> Iterator[VCenter]:
    """A session of somebody who changes things."""
    with open_vcenter(next(one for one in load_fleet(place.fleet).endpoints if one.name in place.lab.vcenters)) as vcenter:
        yield vcenter


def assert_full(place: Place, audit: Audit) -> None:
    """An audit by SOME_RULES has the facts and the gaps of a collection for these that rests on nothing: verdicts rest on facts alone."""
    whole = collect_fleet(load_fleet(place.fleet), lambda *_: None, with_host_marks(needs_for(load_rule_set(only=SOME_RULES))))
    saved = place.folder / f"whole-{run_of(audit)}"
    whole.save(saved)
    assert_same_facts(snapshot_of(place, audit), saved)
    gaps = [(gap["endpoint"], gap["what"], gap["why"]) for gap in audit.report["gaps"]]
    assert sorted(gaps) == sorted((gap.endpoint, gap.what, gap.why) for gap in whole.gaps)


def assert_same_audit(place: Place, one: Audit, other: Audit) -> None:
    """Two audits have the same facts, verdicts, gaps and exit code."""
    assert_same_facts(snapshot_of(place, one), snapshot_of(place, other))
    assert one.verdicts() == other.verdicts()
    assert one.report["gaps"] == other.report["gaps"]
    assert one.code == other.code


def assert_as_judged_anew(place: Place, audit: Audit) -> None:
    """An audit has the findings, impacts and summary that its own snapshot is judged to, with no earlier run to take verdicts over from."""
    report = place.folder / "anew.json"
    run(
        [
            "audit",
            "--snapshot",
            str(snapshot_of(place, audit)),
            "--state-dir",
            str(place.folder / "anew"),
            "--reporter",
            f"json-full:{report}",
        ]
    )
    anew = json.loads(report.read_text(encoding="utf-8"))
    place.capsys.readouterr()
    for part in ("findings", "gaps", "summary", "by_rule", "coverage"):
        assert audit.report[part] == anew[part], part


def assert_same_facts(one: Path, other: Path) -> None:
    """Every table has the same rows, as often; when they were read is another matter, and what was measured meanwhile is."""
    # One connection for all tables: to open one takes longer than to compare a table.
    with duckdb.connect(config={"threads": 1}) as connection:
        for name in TABLES:
            if SOURCES.get(name) is not None and SOURCES[name].topic in READ_ANEW and name != "vmknic":
                continue
            columns = f"* {'EXCLUDE (read_at)' if name == 'reading' else ''}"
            left, right = (
                Counter(map(repr, connection.execute(f"SELECT {columns} FROM '{snapshot}/{name}.parquet'").fetchall()))
                for snapshot in (one, other)
            )
            assert left == right, name


def set_option(_lab: Lab, vcenter: VCenter, host: str, number: int) -> None:
    manager = vcenter.value(vim.HostSystem, host, "configManager.advancedOption")
    long = type(manager.QueryOptions("Disk.QFullSampleSize")[0].value)
    manager.UpdateOptions([vim.option.OptionValue(key="Disk.QFullSampleSize", value=long(number))])


def set_module(_lab: Lab, vcenter: VCenter, host: str, number: int) -> None:
    vcenter.value(vim.HostSystem, host, "configManager.kernelModuleSystem").UpdateModuleOptionString(
        "iscsi_vmk", f"iscsivmk_LunQDepth={64 + number}"
    )


def reboot(lab: Lab, vcenter: VCenter, host: str, _number: int) -> None:
    vcenter.wait(vcenter.object(vim.HostSystem, host).RebootHost_Task(force=True), PATIENCE_SECONDS)
    until(lambda: vcenter.value(vim.HostSystem, host, "runtime.connectionState") == "connected", f"{host} back in the lab {lab}")


def set_policy(_lab: Lab, vcenter: VCenter, host: str, number: int) -> None:
    system = vcenter.value(vim.HostSystem, host, "configManager.storageSystem")
    unit = system.storageDeviceInfo.multipathInfo.lun[0]
    wanted = ("VMW_PSP_MRU", "VMW_PSP_RR")[number % 2]
    system.SetMultipathLunPolicy(unit.id, vim.host.MultipathInfo.LogicalUnitPolicy(policy=wanted))


def set_delayed_ack(_lab: Lab, vcenter: VCenter, host: str, number: int) -> None:
    system = vcenter.value(vim.HostSystem, host, "configManager.storageSystem")
    device = next(hba.device for hba in system.storageDeviceInfo.hostBusAdapter if isinstance(hba, vim.host.InternetScsiHba))
    option = vim.host.InternetScsiHba.ParamValue(key="DelayedAck", value=bool(number % 2), isInherited=False)
    system.UpdateInternetScsiAdvancedOptions(device, None, [option])


def set_sioc(_lab: Lab, vcenter: VCenter, _host: str, number: int) -> None:
    store = next(one.id for one in vcenter.read(vim.Datastore, ["name"]) if one.values["name"] == "sf-vmfs-01")
    spec = vim.StorageResourceManager.IORMConfigSpec(enabled=bool(number % 2))
    task = vcenter.content.storageResourceManager.ConfigureDatastoreIORM_Task(vcenter.object(vim.Datastore, store), spec)
    vcenter.wait(task, PATIENCE_SECONDS)


def lose(lab: Lab, _vcenter: VCenter, host: str, _number: int) -> None:
    with served(lab).state.lock:
        served(lab).state.hosts[host].connection_state = "disconnected"
        served(lab).state.changed()


def find(lab: Lab, _vcenter: VCenter, host: str, _number: int) -> None:
    with served(lab).state.lock:
        served(lab).state.hosts[host].connection_state = "connected"
        served(lab).state.changed()


def grow(lab: Lab, _vcenter: VCenter, _host: str, _number: int) -> None:
    lab.add_storage_node("sf-prod")


def unmount(lab: Lab, _vcenter: VCenter, host: str, _number: int) -> None:
    """Without a word in the log: only what is mounted tells."""
    state = served(lab).state
    with state.lock:
        name = state.hosts[host].description.name
        for store in state.datastores.values():
            if name in store.description.hosts and store.description.type == "VMFS":
                store.description = replace(store.description, hosts=tuple(one for one in store.description.hosts if one != name))
        state.changed()


def type_in_shell(place: Place, host: str, dsnro: int) -> None:
    """Esxcli on the host itself: the setting of every protocol endpoint."""
    state = served(place.lab).state
    with state.lock:
        for device in (name for name, one in state.hosts[host].devices.items() if one.protocol_endpoint):
            state.hosts[host].device_settings.setdefault(device, {})["dsnro"] = dsnro
        state.changed()


Change = Callable[[Lab, VCenter, str, int], None]
CHANGES: dict[str, Change] = {
    "option": set_option,
    "module": set_module,
    "reboot": reboot,
    "policy": set_policy,
    "delayed ack": set_delayed_ack,
    "sioc": set_sioc,
    "lost": lose,
    "found": find,
    "unmounted": unmount,
}


def make(place: Place, changes: dict[str, tuple[Change, ...]]) -> None:
    """Each host its own changes."""
    with somebody(place) as vcenter:
        for host, some in changes.items():
            for change in some:
                change(place.lab, vcenter, host, 34)


SHOWN: dict[str, tuple[Change, ...]] = {
    "host-11": (set_option,),
    "host-12": (reboot,),
    "host-13": (set_policy,),
    "host-14": (set_delayed_ack,),
    "host-17": (unmount,),
}
"""Changes that show in what vCenter tells of a host."""
LOGGED: dict[str, tuple[Change, ...]] = {"host-16": (set_module,), "host-15": (lose, find)}
"""Changes that show in vCenter's log alone."""


def test_only_hosts_that_changed_are_asked_and_the_result_is_a_full_one(vvols: Place) -> None:
    first, every = asked_hosts(vvols, rules=EVERY_RULE)
    assert every == HOSTS
    make(vvols, {**SHOWN, **LOGGED})
    again, asked = asked_hosts(vvols, "--since", run_of(first), rules=EVERY_RULE)
    assert asked == len(SHOWN) + len(LOGGED) == HOSTS - 1
    assert_as_judged_anew(vvols, again)
    assert_same_audit(vvols, again, some(vvols, rules=EVERY_RULE))


@pytest.mark.deep
def test_where_nothing_changed_the_result_is_that_of_judging_every_rule(vvols: Place) -> None:
    some(vvols, rules=EVERY_RULE)
    assert_as_judged_anew(vvols, some(vvols, "--since", "last", rules=EVERY_RULE))


def test_what_vcenter_tells_of_a_host_is_enough_without_an_event(vvols: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {**SHOWN, "host-18": (set_option,)}
    first = some(vvols)
    make(vvols, shown)

    def logins(inventory: Any, _spec: Any) -> list[Any]:
        return [event for event in inventory.state.events.events if isinstance(event, vim.event.SessionEvent)]

    monkeypatch.setattr("auditor_lab.vcenter.events.manager.selected", logins)
    monkeypatch.setattr(host_comparison, "OPTIONS_A_LOOK", 40)  # those of two hosts, and at last of one
    again, asked = asked_hosts(vvols, "--since", run_of(first))
    assert asked == len(shown)
    assert_full(vvols, again)


def test_lost_hosts_new_devices_and_datastores_are_told_as_in_a_full_audit(vvols: Place) -> None:
    first = some(vvols)
    make(vvols, {"host-12": (set_sioc,)})
    second, asked = asked_hosts(vvols, "--since", run_of(first))
    assert asked == 0  # no host is asked about Storage I/O Control
    make(vvols, {"host-12": (lose,)})
    third, asked = asked_hosts(vvols, "--since", run_of(second))
    assert asked == 0  # it cannot be
    assert_full(vvols, third)
    make(vvols, {"host-12": (find,), "host-11": (grow,)})
    seeing = sum(any(one.protocol_endpoint for one in host.devices.values()) for host in served(vvols.lab).state.hosts.values())
    fourth, asked = asked_hosts(vvols, "--since", run_of(third))
    assert 1 < asked <= seeing
    assert_full(vvols, fourth)


def test_a_setting_changed_on_a_hosts_own_shell_is_not_seen_before_a_full_audit(vvols: Place) -> None:
    """The blind spot: nobody may take what --since says for what esxcli would say now."""
    [rule] = ONE_RULE
    for host in served(vvols.lab).state.hosts:
        type_in_shell(vvols, host, 256)
    first = some(vvols, rules=ONE_RULE)
    assert first.of(rule, "fail") == []
    type_in_shell(vvols, "host-11", 16)
    blind = some(vvols, "--since", run_of(first), rules=ONE_RULE)
    assert blind.of(rule, "fail") == []
    assert any(
        "nothing in vCenter would show a setting that was changed on a host's own shell" in reported for reported in blind.report["notices"]
    )
    by_age, asked = asked_hosts(vvols, "--since", run_of(first), "--max-age", "0", rules=ONE_RULE)
    assert asked == HOSTS
    assert by_age.of(rule, "fail") != []
    assert len(some(vvols, rules=ONE_RULE).of(rule, "fail")) == len(by_age.of(rule, "fail"))


def test_an_event_counts_although_vcenters_clock_was_set_back_since(vvols: Place) -> None:
    faults = served(vvols.lab).faults
    faults.active.append(Fault("skew", seconds=3600))
    first = some(vvols)
    faults.active.clear()
    make(vvols, LOGGED)
    again, asked = asked_hosts(vvols, "--since", run_of(first))
    assert asked == len(LOGGED)
    assert_full(vvols, again)


def test_hosts_that_a_fix_wrote_to_are_asked_again(vvols: Place) -> None:
    fixed = vvols.audit("--fix", "--yes", *AT_ONCE, "--allow", "online-caution", "--only", "vvol/pe-dsnro-headroom")
    written = {
        dict(receipt["target"]["keys"] if "keys" in receipt["target"] else receipt["target"])["host_id"]
        for receipt in fixed.report["receipts"]
    }
    assert 0 < len(written) < HOSTS
    between = some(vvols)
    undo = ["undo", run_of(fixed), "--fleet", str(vvols.fleet), "--state-dir", str(vvols.state), "--yes"]
    assert run(undo) == 0
    again, asked = asked_hosts(vvols, "--since", run_of(between))
    assert asked == len(written)
    assert_full(vvols, again)


def test_a_fix_after_resting_on_an_earlier_run_reads_what_it_touched_again(vvols: Place) -> None:
    some(vvols)
    fixed = vvols.audit("--since", "last", "--fix", "--yes", *AT_ONCE, "--allow", "online-caution", "--only", "vvol/pe-dsnro-headroom")
    assert {receipt["outcome"] for receipt in fixed.report["receipts"]} == {"applied"}
    assert fixed.of("vvol/pe-dsnro-headroom", "fail") == []


def test_failures_that_are_taken_over_are_fixed_and_nothing_is_taken_over_from_before_a_fix(vvols: Place) -> None:
    [rule] = ONE_RULE
    first = some(vvols, rules=ONE_RULE)
    assert first.of(rule, "fail") != []
    fixed = some(vvols, "--since", "last", "--fix", "--yes", *AT_ONCE, "--allow", "online-caution", rules=ONE_RULE)
    assert {receipt["outcome"] for receipt in fixed.report["receipts"]} == {"applied"}
    assert len(fixed.report["receipts"]) == len(first.of(rule, "fail"))
    assert some(vvols, "--since", "last", rules=ONE_RULE).of(rule, "fail") == []
    assert some(vvols, "--since", run_of(first), rules=ONE_RULE).of(rule, "fail") == []


@pytest.mark.deep
@settings(max_examples=4, suppress_health_check=[*SPEED_CHECKS, HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_sequence_of_changes_ends_in_the_facts_of_a_full_audit(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("random")
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        place = Place(lab, folder, capsys)
        base = run_of(some(place))
        step = st.tuples(st.sampled_from(sorted(CHANGES)), st.sampled_from(["host-11", "host-12", "host-17"]), st.integers(1, 60))
        for steps in data.draw(st.lists(st.lists(step, max_size=5), min_size=1, max_size=2)):
            with somebody(place) as vcenter:
                for name, host, number in steps:
                    if name in ("sioc", "lost", "found", "unmounted") or served(lab).state.hosts[host].reachable:
                        CHANGES[name](lab, vcenter, host, number)
            again, asked = asked_hosts(place, "--since", base)
            assert asked <= len({host for name, host, _ in steps if name != "sioc"})
            assert_full(place, again)
            base = run_of(again)
