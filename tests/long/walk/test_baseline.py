"""A baseline on the lab: what was changed since, and nothing else, is drift; a fix puts it back, but not what a lesson forbids."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim

from auditor.cli import run
from auditor.endpoints.element.client import open_element
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.fleet.loading import load_fleet
from auditor.history.baseline import baseline_file
from auditor.history.runs import load_run, report_of_run
from auditor.report.html.report import write_html
from auditor.report.terminal.table import write_table
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from tests.audits import AT_ONCE, Audit, Place

TWIN = "esx-twin-1.lab.example"
SIOC = "sf-vmfs-01"
ALLOWED = [argument for one in ("online", "online-caution", "reclaim", "array", "reboot") for argument in ("--allow", one)]
READS_IT_ALL = [
    argument
    for rule in (
        "iscsi/max-io-size",
        "iscsi/delayed-ack",
        "queue/param-name-valid",
        "vvol/pe-uniform",
        "multipath/rr-tuning",
        "sioc/deprecation",
    )
    for argument in ("--only", rule)
] + ["--only", "qos/element-policy-xor-custom", "--only", "qos/element-limits"]


@contextmanager
def somebody(place: Place) -> Iterator[VCenter]:
    """A session of somebody who changes things."""
    with open_vcenter(next(one for one in load_fleet(place.fleet).endpoints if one.name in place.lab.vcenters)) as vcenter:
        yield vcenter


def a_host(vcenter: VCenter, name: str) -> Any:
    (found,) = [one.id for one in vcenter.read(vim.HostSystem, ["name"]) if one.values["name"] == name]
    return vcenter.object(vim.HostSystem, found)


def drift(audit: Audit) -> list[tuple[str, str, str | None, Any, Any]]:
    """Failures and unknowns of the baseline: rule, what, on which host, observed, desired."""
    reported = [f for f in audit.report["findings"] if f["rule"].startswith("baseline/") and f["verdict"] in ("fail", "unknown")]
    return sorted((f["rule"], f["resource"]["name"], f["resource"]["host"], f["observed"], f["desired"]) for f in reported)


def baseline(place: Place, *arguments: str) -> tuple[int, str, str]:
    """`auditor baseline` with these arguments: exit code, output, errors."""
    code = run(["baseline", *arguments, "--state-dir", str(place.state)])
    said = place.capsys.readouterr()
    assert "Traceback" not in said.err
    return code, said.out, said.err


def run_of(audit: Audit) -> str:
    return str(audit.report["run"]["id"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    folder = tmp_path_factory.mktemp("baseline")
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield lab, folder


@pytest.fixture(scope="module")
def first(served: tuple[Lab, Path]) -> str:
    """A run that read what a baseline holds."""
    _, folder = served
    run(
        [
            "audit",
            "--fleet",
            str(folder / "fleet.yaml"),
            "--state-dir",
            str(folder / "state"),
            "--reporter",
            "json:/dev/null",
            *READS_IT_ALL,
        ]
    )
    return load_run(folder / "state").id


@pytest.fixture
def place(served: tuple[Lab, Path], first: str, capsys: pytest.CaptureFixture[str]) -> Iterator[Place]:
    """The lab, as its first run saw it, and without a baseline."""
    lab, folder = served
    capsys.readouterr()
    found = Place(lab, folder, capsys)
    yield found
    baseline_file(found.state).unlink(missing_ok=True)


def set_option(host: Any, key: str, value: int) -> None:
    options = host.configManager.advancedOption
    (now,) = options.QueryOptions(key)
    options.UpdateOptions([vim.option.OptionValue(key=key, value=type(now.value)(value))])


def endpoint_of(host: Any) -> str:
    """The first protocol endpoint that the host sees."""
    units = host.configManager.storageSystem.storageDeviceInfo.scsiLun
    return min(str(unit.canonicalName) for unit in units if "6f47acc2" in unit.canonicalName)


def set_path_policy(host: Any, device: str, policy: str) -> None:
    system = host.configManager.storageSystem
    key = next(unit.key for unit in system.storageDeviceInfo.scsiLun if unit.canonicalName == device)
    logical = next(unit.id for unit in system.storageDeviceInfo.multipathInfo.lun if unit.lun == key)
    system.SetMultipathLunPolicy(logical, vim.host.MultipathInfo.LogicalUnitPolicy(policy=policy))


def set_sioc(vcenter: VCenter, *, enabled: bool) -> None:
    (store,) = [one.id for one in vcenter.read(vim.Datastore, ["name"]) if one.values["name"] == SIOC]
    spec = vim.StorageResourceManager.IORMConfigSpec(enabled=enabled)
    vcenter.wait(vcenter.content.storageResourceManager.ConfigureDatastoreIORM_Task(vcenter.object(vim.Datastore, store), spec), 10)


def change_settings(place: Place) -> str:
    """What somebody's client or script would do, on a host and an array; answers the device it was about."""
    with somebody(place) as vcenter:
        host = a_host(vcenter, TWIN)
        device = endpoint_of(host)
        set_option(host, "Disk.QFullSampleSize", 48)
        set_option(host, "Net.TcpipHeapMax", 512)
        host.configManager.kernelModuleSystem.UpdateModuleOptionString("iscsi_vmk", "")  # back at the driver's default
        cli = vcenter.esxcli(host._moId)
        cli.run("storage core device set", device=device, schednumreqoutstanding=32)  # back at ESXi's default
        set_path_policy(host, device, "VMW_PSP_MRU")
    with open_element(next(one for one in load_fleet(place.fleet).endpoints if one.name == "sf-prod")) as array:
        limits = {"minIOPS": 100, "maxIOPS": 1000, "burstIOPS": 1000}
        array.call("ModifyVolume", volumeID=1, associateWithQoSPolicy=False, qos=limits)
    return device


def test_exactly_what_was_changed_is_drift_and_a_fix_puts_it_back(place: Place, first: str) -> None:
    assert baseline(place, "set", first)[0] == 0
    assert drift(place.audit("--tag", "drift")) == []
    device = change_settings(place)
    expected = [
        ("baseline/dsnro", device, TWIN, 32, 256),
        ("baseline/element-volume-qos", "vmfs-01", None, "own 100/1000/1000", "policy 2"),
        ("baseline/module-parameter", "iscsi_vmk iscsivmk_LunQDepth", TWIN, "not set", "256"),
        ("baseline/option", "Disk.QFullSampleSize", TWIN, "48", "0"),
        ("baseline/option-reboot", "Net.TcpipHeapMax", TWIN, "512", "1024"),
        ("baseline/path-policy", device, TWIN, "VMW_PSP_MRU", "VMW_PSP_RR, iops 1000"),
    ]
    seen = place.audit("--tag", "drift")
    assert drift(seen) == expected
    assert seen.code == 1

    again = place.audit("--tag", "drift")
    assert drift(again) == expected
    since = {(f["since"]["run"], f["since"]["at_least"]) for f in again.report["findings"] if f["verdict"] == "fail"}
    assert since == {(run_of(seen), False)}
    assert all(f["since"] is None for f in again.report["findings"] if f["verdict"] != "fail")

    fixed = place.audit("--tag", "drift", "--fix", "--yes", *AT_ONCE, *ALLOWED)
    assert drift(fixed) == []
    assert any("baseline alone" in notice for notice in fixed.report["notices"])
    clean = place.audit("--tag", "drift")
    assert (clean.code, drift(clean)) == (0, [])


def test_last_is_the_newest_run_that_read_the_fleet(place: Place, first: str) -> None:
    newest = run_of(place.audit("--only", "queue/dsnro-uniform"))
    assert newest != first
    assert baseline(place, "set", "last")[0] == 0
    assert newest in baseline(place, "show")[1]


def test_drift_tells_who_may_have_done_it_and_since_when_in_every_report(place: Place, first: str) -> None:
    baseline(place, "set", first)
    with somebody(place) as vcenter:
        set_option(a_host(vcenter, TWIN), "Disk.QFullSampleSize", 48)
    try:
        seen = place.audit("--tag", "drift")
        (found,) = seen.of("baseline/option", "fail")
        assert found["evidence"]["changed_by"] == "auditor@vsphere.local"
        assert found["evidence"]["changed_at"] is not None
        assert found["evidence"]["baseline_run"] == first
        kept = report_of_run(load_run(place.state, run_of(seen)))
        page, table = io.StringIO(), io.StringIO()
        write_html(kept, page)
        write_table(kept, table)
        assert f"(run {run_of(seen)})" in page.getvalue()
        text = " ".join(table.getvalue().split())
        assert f"(run {run_of(seen)})" in text
        assert "maybe by auditor@vsphere.local" in text
    finally:
        with somebody(place) as vcenter:
            set_option(a_host(vcenter, TWIN), "Disk.QFullSampleSize", 0)


def test_what_a_lesson_forbids_is_named_and_not_put_back(place: Place, first: str) -> None:
    lesson = "sioc/overlap-array-qos"
    both = ("--only", "baseline/sioc", "--only", lesson)
    baseline(place, "set", first)  # taken while Storage I/O Control and the array both throttled
    try:
        planned = place.audit(*both, "--fix", "--yes", *AT_ONCE)
        (refused,) = planned.of(lesson, "fail")
        assert refused["fix"]["outcome"] == "refused"
        assert "baseline/sioc wants true" in refused["fix"]["why"]
        with somebody(place) as vcenter:
            set_sioc(vcenter, enabled=False)
        after = place.audit(*both, "--fix", "--yes", *AT_ONCE)
        (drifted,) = after.of("baseline/sioc", "fail")
        assert drifted["fix"]["outcome"] == "refused"
        assert f"{lesson} wants false" in drifted["fix"]["why"]
        assert after.report["receipts"] == []
    finally:
        with somebody(place) as vcenter:
            set_sioc(vcenter, enabled=True)


def test_a_good_host_is_an_example_for_its_cluster_or_for_all(place: Place, first: str) -> None:
    code, out, _ = baseline(place, "set", "--from-host", TWIN, "--run", first)
    assert code == 0
    assert "every host of cluster sf-twin is to be like it" in out
    other = "esx-twin-2.lab.example"
    with somebody(place) as vcenter:
        set_option(a_host(vcenter, other), "Disk.QFullSampleSize", 48)
    try:
        seen = place.audit("--tag", "drift")
        assert drift(seen) == [("baseline/option", "Disk.QFullSampleSize", other, "48", "0")]
        assert {f["resource"]["cluster"] for f in seen.report["findings"] if f["verdict"] == "pass"} == {"sf-twin"}
        assert {f["rule"] for f in seen.report["findings"]}.isdisjoint({"baseline/sioc", "baseline/element-volume-qos"})
        baseline(place, "set", "--from-host", TWIN, "--for", "all")  # of the newest run
        everywhere = place.audit("--only", "baseline/module-parameter")
        assert ("not set", "256") in {(f["observed"], f["desired"]) for f in everywhere.of("baseline/module-parameter", "fail")}
    finally:
        with somebody(place) as vcenter:
            set_option(a_host(vcenter, other), "Disk.QFullSampleSize", 0)


def test_a_replay_is_judged_by_the_baseline_of_then(place: Place, first: str) -> None:
    baseline(place, "set", first)
    then = place.audit("--tag", "drift")
    baseline(place, "clear")
    report = place.folder / "replay.json"
    saved = place.state / "runs" / run_of(then) / "snapshot"
    reported = ("--from", str(saved), "--state-dir", str(place.state), "--tag", "drift", "--reporter", f"json-full:{report}")
    assert run(["audit", *reported]) == then.code
    place.capsys.readouterr()
    replayed = Audit(0, json.loads(report.read_text()), "")
    assert replayed.verdicts() == then.verdicts()


def test_without_a_baseline_there_is_nothing_to_compare_with(place: Place) -> None:
    for asked in (("--tag", "drift"), ("--only", "baseline/option", "--only", "iscsi/mtu"), ("--tag", "drift", "--tag", "iscsi")):
        refused = place.audit(*asked)
        assert refused.code == 3
        assert "no baseline is set" in refused.err
    assert baseline(place, "show")[:2] == (0, "")
    assert baseline(place, "clear")[1] == "no baseline was set\n"


@pytest.mark.parametrize("harm", ["cut", "turned", "emptied", "a folder's link to nowhere"])
def test_a_damaged_baseline_is_an_error_and_never_none(place: Place, first: str, harm: str) -> None:
    baseline(place, "set", first)
    path = baseline_file(place.state)
    whole = path.read_bytes()
    if harm == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif harm == "turned":
        middle = len(whole) // 3
        path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :])
    elif harm == "emptied":
        path.write_bytes(b"")
    else:
        path.unlink()
        path.symlink_to(place.folder / "nowhere")
    before = len(list((place.state / "runs").iterdir()))
    for asked in (("--tag", "drift"), ("--only", "iscsi/mtu")):
        audit = place.audit(*asked)
        assert audit.code == 3
        assert "the baseline cannot be read" in audit.err
        assert "auditor baseline clear" in audit.err
    assert len(list((place.state / "runs").iterdir())) == before  # nothing was read
    assert baseline(place, "show")[0] == 3
    assert baseline(place, "clear")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param((), "needs RUN or --from-host", id="nothing"),
        pytest.param(("20200101T000000Z-aaaa",), "no run 20200101T000000Z-aaaa is kept", id="a run that is not there"),
        pytest.param(("--from-host", "esx-twin-9.lab.example"), "did you mean", id="a host that is misspelt"),
        pytest.param(("REPLAY",), "read nothing itself", id="a run that judged a saved snapshot"),
        pytest.param(("--for", "all", "last"), "go with --from-host", id="half of the other form"),
    ],
)
def test_what_cannot_be_a_baseline_is_said_and_the_one_before_stays(
    place: Place, first: str, arguments: tuple[str, ...], text: str
) -> None:
    baseline(place, "set", first)
    if arguments == ("REPLAY",):
        saved = place.state / "runs" / first / "snapshot"
        run(["audit", "--from", str(saved), "--state-dir", str(place.state), "--only", "iscsi/mtu", "--reporter", "json:/dev/null"])
        arguments = (load_run(place.state).id,)
    before = baseline_file(place.state).read_bytes()
    code, _, err = baseline(place, "set", *arguments)
    assert code == 3
    assert text in err
    assert baseline_file(place.state).read_bytes() == before
