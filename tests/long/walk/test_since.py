"""An audit that rests on an earlier one says what a full one says, and asks only the hosts that show a change."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyVmomi import vim

from auditor.cli import run
from auditor.endpoints.vcenter.collect import host_comparison
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.facts.earlier import READ_ANEW
from auditor.facts.needs import SOURCES
from auditor.facts.schema import TABLES
from auditor.fleet import load_fleet
from auditor.lab.scenario import load_scenario
from auditor.lab.serving import Lab, serve
from auditor.lab.vcenter.server import VCenterServer
from auditor.lab.wire import Fault
from tests.audits import AT_ONCE, Audit, Place
from tests.older import without_digests
from tests.waiting import PATIENCE_SECONDS, SPEED_CHECKS, until

HOSTS = 8
"""Hosts of the scenario solidfire-vvols, all connected."""

ASKED = ("QueryOptions", "QueryModules", "storage.core.device.list", "storage.vmfs.lockmode.list", "RetrieveManagedMethodExecuter")
"""What only a host itself is asked; the options twice, as one of them is never listed."""

ASKED_BY_ONE = ("storage.core.device.list", "RetrieveManagedMethodExecuter")
EVERY_RULE = ()
SOME_RULES = (
    "vvol/pe-dsnro-headroom",
    "queue/scheduler-defaults",
    "vaai/device-status",
    "vaai/lockmode",
    "iscsi/port-binding",
    "sioc/threshold-sane",
)
"""Enough that hosts are asked all of ASKED. Judging every rule takes most of the time of an audit and rests on the facts alone, which are
compared themselves: one test does it."""


ONE_RULE = ("vvol/pe-dsnro-headroom",)
"""Enough where it is counted whether hosts are asked at all: for it a host is asked for its devices, and not all of ASKED."""


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


def some(place: Place, *arguments: str, rules: Sequence[str] = SOME_RULES) -> Audit:
    """An audit by these rules."""
    return place.audit(*arguments, *(word for rule in rules for word in ("--only", rule)))


def served(lab: Lab) -> VCenterServer:
    (server,) = lab.vcenters.values()
    return server


@contextmanager
def somebody(place: Place) -> Iterator[VCenter]:
    """A session of somebody who changes things."""
    with open_vcenter(next(one for one in load_fleet(place.fleet).endpoints if one.name in place.lab.vcenters)) as vcenter:
        yield vcenter


def asked_hosts(place: Place, *arguments: str, rules: Sequence[str] = SOME_RULES) -> tuple[Audit, int]:
    """An audit, and how many hosts it asked; each that was asked was asked everything, or by ONE_RULE all that it needs."""
    log = served(place.lab).requests
    before = Counter(log)
    audit = some(place, *arguments, rules=rules)
    found = Counter(log) - before
    counts = {name: found[name] // (2 if name == "QueryOptions" else 1) for name in ASKED if rules != ONE_RULE or name in ASKED_BY_ONE}
    assert len(set(counts.values())) == 1, counts
    return audit, counts["storage.core.device.list"]


def rows(query: str) -> list[Any]:
    return duckdb.connect().execute(query).fetchall()


def run_of(audit: Audit) -> str:
    return str(audit.report["run"]["id"])


def snapshot_of(place: Place, audit: Audit) -> Path:
    return place.state / "runs" / run_of(audit) / "snapshot"


def assert_same_facts(place: Place, one: Audit, other: Audit) -> None:
    """Every table has the same rows, as often; when they were read is another matter, and what was measured meanwhile is."""
    # One connection for all tables: to open one takes longer than to compare a table.
    with duckdb.connect(config={"threads": 1}) as connection:
        for name in TABLES:
            if SOURCES.get(name) is not None and SOURCES[name].topic in READ_ANEW and name != "vmknic":
                continue
            columns = f"* {'EXCLUDE (read_at)' if name == 'reading' else ''}"
            left, right = (
                Counter(map(repr, connection.execute(f"SELECT {columns} FROM '{snapshot_of(place, a)}/{name}.parquet'").fetchall()))
                for a in (one, other)
            )
            assert left == right, name
    assert one.verdicts() == other.verdicts()
    assert one.report["gaps"] == other.report["gaps"]
    assert one.code == other.code


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
    assert_same_facts(vvols, again, some(vvols, rules=EVERY_RULE))


def test_what_vcenter_tells_of_a_host_is_enough_without_an_event(vvols: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {**SHOWN, "host-18": (set_option,)}
    first = some(vvols)
    make(vvols, shown)

    def logins(inventory: Any, _spec: Any) -> list[Any]:
        return [event for event in inventory.state.events.events if isinstance(event, vim.event.SessionEvent)]

    monkeypatch.setattr("auditor.lab.vcenter.events.manager.selected", logins)
    monkeypatch.setattr(host_comparison, "OPTIONS_A_LOOK", 40)  # those of two hosts, and at last of one
    again, asked = asked_hosts(vvols, "--since", run_of(first))
    assert asked == len(shown)
    assert_same_facts(vvols, again, some(vvols))


def test_lost_hosts_new_devices_and_datastores_are_told_as_in_a_full_audit(vvols: Place) -> None:
    first = some(vvols)
    make(vvols, {"host-12": (set_sioc,)})
    second, asked = asked_hosts(vvols, "--since", run_of(first))
    assert asked == 0  # no host is asked about Storage I/O Control
    make(vvols, {"host-12": (lose,)})
    third, asked = asked_hosts(vvols, "--since", run_of(second))
    assert asked == 0  # it cannot be
    assert_same_facts(vvols, third, some(vvols))
    make(vvols, {"host-12": (find,), "host-11": (grow,)})
    seeing = sum(any(one.protocol_endpoint for one in host.devices.values()) for host in served(vvols.lab).state.hosts.values())
    fourth, asked = asked_hosts(vvols, "--since", run_of(third))
    assert 1 < asked <= seeing
    assert_same_facts(vvols, fourth, some(vvols))


def test_what_is_taken_over_keeps_its_time_and_is_told(audited: Place, kept: Kept) -> None:
    again = some(audited, "--since", "last")
    third = some(audited, "--since", "last")
    topics = "('options', 'modules', 'device_scheduling', 'device_offload', 'lockmode', 'port_binding')"
    query = f"SELECT topic, scope, epoch_us(read_at) FROM '{{}}/reading.parquet' WHERE topic {{}}IN {topics} AND scope <> '' ORDER BY ALL"
    times = [rows(query.format(snapshot_of(audited, audit), "")) for audit in (kept.audit, again, third)]
    assert len(times[0]) == 6 * HOSTS
    assert times[0] == times[1] == times[2]
    bulk = [rows(query.format(snapshot_of(audited, audit), "NOT ")) for audit in (kept.audit, again)]
    assert set(bulk[0]).isdisjoint(bulk[1])
    (notice,) = third.report["notices"]
    assert f"8 of 8 hosts say of themselves was taken over from run {run_of(again)}" in notice
    assert "shell" in notice


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
    assert any("nothing in vCenter would show a setting that was changed on a host's own shell" in told for told in blind.report["notices"])
    by_age, asked = asked_hosts(vvols, "--since", run_of(first), "--max-age", "0", rules=ONE_RULE)
    assert asked == HOSTS
    assert by_age.of(rule, "fail") != []
    assert len(some(vvols, rules=ONE_RULE).of(rule, "fail")) == len(by_age.of(rule, "fail"))


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


def test_an_event_counts_although_vcenters_clock_was_set_back_since(vvols: Place) -> None:
    faults = served(vvols.lab).faults
    faults.active.append(Fault("skew", seconds=3600))
    first = some(vvols)
    faults.active.clear()
    make(vvols, LOGGED)
    again, asked = asked_hosts(vvols, "--since", run_of(first))
    assert asked == len(LOGGED)
    assert_same_facts(vvols, again, some(vvols))


def test_an_account_that_is_shown_no_events_is_not_told_that_nothing_happened(
    audited: Place, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("auditor.lab.vcenter.events.manager.selected", lambda _inventory, _spec: [])
    again, asked = asked_hosts(audited, "--since", kept.first, rules=ONE_RULE)
    assert asked == HOSTS
    assert "shown no events" in again.report["notices"][0]


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
    assert_same_facts(vvols, again, some(vvols))


def test_a_fix_after_resting_on_an_earlier_run_reads_what_it_touched_again(vvols: Place) -> None:
    some(vvols)
    fixed = vvols.audit("--since", "last", "--fix", "--yes", *AT_ONCE, "--allow", "online-caution", "--only", "vvol/pe-dsnro-headroom")
    assert {receipt["outcome"] for receipt in fixed.report["receipts"]} == {"applied"}
    assert fixed.of("vvol/pe-dsnro-headroom", "fail") == []


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


@settings(max_examples=2, suppress_health_check=[*SPEED_CHECKS, HealthCheck.function_scoped_fixture])
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
            assert_same_facts(place, again, some(place))
            base = run_of(again)
