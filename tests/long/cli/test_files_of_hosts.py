"""`auditor import`, and `auditor audit --from` files of hosts: what they print, and what they refuse."""

import json
import os
from pathlib import Path

import pytest

from auditor.audit import (
    ApplyRequest,
    AuditRequest,
    FixLimits,
    ResumeRequest,
    UndoRequest,
    apply_plan,
    audit,
    fix,
    plan,
    rehearse,
    resume,
    undo_run,
)
from auditor.cli import run
from auditor.errors import ConfigurationError
from auditor.fleet.evidence import fleet_with_files
from tests.endpoints.files.evidence import HOST, NAME, OPTIONS, written
from tests.endpoints.files.rvtools.typed_export import EXPORT, LUN, ONE, TWO
from tests.endpoints.files.rvtools.workbooks import rows, workbook

LOCKING_OFF = (
    OPTIONS
    + """
   Path: /VMFS3/HardwareAcceleratedLocking
   Type: integer
   Int Value: 0
   Default Int Value: 1
   Min Value: 0
   Max Value: 1
   String Value:
   Default String Value:
   Valid Characters:
   Description: Enable hardware accelerated VMFS locking
"""
)

A_RULE = ("--only", "vaai/enabled")
"""Enough where the rest of the rules is nothing to what is asked: this one fails where LOCKING_OFF is a host's."""


@pytest.fixture
def host(tmp_path: Path) -> Path:
    return written(tmp_path / "esx-01", HOST)


def report(tmp_path: Path, *arguments: str) -> dict[str, object]:
    """The JSON report of an audit with these arguments."""
    file = tmp_path / "report.json"
    run(["audit", *arguments, "--state-dir", str(tmp_path / "state"), "--reporter", f"json-full:{file}"])
    made: dict[str, object] = json.loads(file.read_text(encoding="utf-8"))
    return made


def verdicts(made: dict[str, object]) -> list[tuple[object, object, object]]:
    found = made["findings"]
    assert isinstance(found, list)
    return sorted((one["rule"], one["resource"]["id"], one["verdict"]) for one in found)


def test_a_list_says_what_each_file_gives(host: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (host / "shopping.txt").write_text("two eggs\n", encoding="utf-8")
    rules = "Rule Class  Rule  Class\n----------  ----  -------\nMP            50  runtime\n"
    (host / "esxcli_storage-core-claimrule-list.txt").write_text(rules, encoding="utf-8")
    (host / "esxcli_system-maintenanceMode-get.txt").write_text("Disabled\n", encoding="utf-8")
    assert run(["import", str(host), "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{host}/esxcli_storage-core-device-list.txt: storage core device list, 1 record" in lines
    assert f"{host}/esxcli_system-maintenanceMode-get.txt: system maintenanceMode get, 1 record" in lines
    assert any(
        line.startswith(f"{host}/esxcli_storage-core-claimrule-list.txt: storage core claimrule list, 1 record, not used") for line in lines
    )
    assert f"{host}/shopping.txt: not recognised" in lines
    assert lines[-1] == f"host esx-01.example.net: 10 outputs, from {host}"


def test_a_list_says_what_each_sheet_of_an_export_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "export.xlsx"
    sheets = {kind: EXPORT[kind] for kind in ("vHost", "vMultiPath", "vMetaData")}
    file.write_bytes(workbook({**sheets, "vCPU": rows("VM, CPUs", ["db-01", 2]), "vHBA": rows("Item", ["eggs"])}))
    assert run(["import", str(file), "--list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{file}: sheet vHost, 2 rows: hosts",
        f"{file}: sheet vMultiPath, 2 rows: devices and paths",
        f"{file}: sheet vMetaData, 1 row: the moment of the export",
        f"{file}: sheet vCPU: not read",
        f"{file}: sheet vHBA: not read (not whole: it has not the columns of vHBA (device, host, wwn))",
        f"RVTools export, of 2026-11-01 06:00 UTC: 3 sheets of use, from {file}",
    ]


def test_what_an_export_does_not_say_passes_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "export.xlsx"
    file.write_bytes(workbook(EXPORT))
    found = report(tmp_path, "--from", str(file))["findings"]
    assert isinstance(found, list)
    shown = {(one["rule"], one["resource"]["name"], one["resource"]["host"], one["verdict"]) for one in found}
    assert {one for one in shown if one[3] in ("pass", "fail")} == {
        ("multipath/device-state", LUN, ONE, "pass"),  # the other host is in maintenance mode, so the state of its paths says nothing
        *(("multipath/disabled-path", LUN, host, "pass") for host in (ONE, TWO)),
        *(("multipath/psp", "ontap", host, "pass") for host in (ONE, TWO)),
    }


def test_a_snapshot_of_files_is_judged_as_the_files_are(host: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["import", str(host), "--out", str(tmp_path / "snapshot")]) == 0
    assert capsys.readouterr().out.startswith(f"{tmp_path / 'snapshot'}: 1 hosts, ")
    of_files, of_snapshot = report(tmp_path, "--from", str(host)), report(tmp_path, "--from", str(tmp_path / "snapshot"))
    assert verdicts(of_files) == verdicts(of_snapshot)
    assert any(verdict == "pass" for _, _, verdict in verdicts(of_files))


def test_a_finding_says_in_which_file_its_values_stand(host: Path, tmp_path: Path) -> None:
    findings = report(tmp_path, "--from", str(host))["findings"]
    assert isinstance(findings, list)
    read = {(one["endpoint"], one["source"]) for finding in findings if finding["resource"]["host"] for one in finding.get("read", ())}
    assert ("files", str(host)) in read
    assert read <= {("files", str(host)), ("files", None), ("fleet.yaml", None), ("nobody", None)}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["audit", "--from", "HOST", "--fix"], "--fix cannot go with --from"),
        (["audit", "--from", "HOST", "--from", "SNAPSHOT"], "--from names both saved snapshots and files of hosts"),
        (["audit", "--from", "HOST", "--max-age", "soon"], 'max-age: "soon" is not an age'),
        (["demo", "--bundle", "--fix"], "--fix cannot go with --bundle"),
        (["import", "HOST"], "import needs --out DIR"),
        (["import", "HOST", "--cluster", "prod", "--list"], '--cluster-of "prod" is not NAME=GLOB'),
        (["audit", "--from", "HOST", "--cluster-of", "prod"], '--cluster-of "prod" is not NAME=GLOB'),
        (["audit", "--from", "SNAPSHOT", "--cluster-of", "prod=*"], "--cluster-of goes with files of hosts"),
        (["plan", "--fleet", "fleet.yaml", "--cluster-of", "prod=*"], "--cluster-of goes with files of hosts"),
        (["import", "NOWHERE", "--list"], "is not there"),
    ],
    ids=["fix", "both", "age", "demo", "no place", "cluster", "no glob", "cluster of a snapshot", "cluster of a fleet", "nowhere"],
)
def test_what_cannot_be_done_is_refused(
    host: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    snapshot = tmp_path / "snapshot"
    assert run(["import", str(host), "--out", str(snapshot)]) == 0
    places = {"HOST": str(host), "SNAPSHOT": str(snapshot), "NOWHERE": str(tmp_path / "nowhere")}
    assert run([places.get(one, one) for one in arguments]) == 3
    assert why in capsys.readouterr().err


def test_nothing_is_written_to_hosts_whose_files_were_read(host: Path, tmp_path: Path) -> None:
    audited = audit(AuditRequest(fleet=fleet_with_files(None, [host]), state=tmp_path / "state", fix=FixLimits()))
    for attempt in (lambda: fix(audited, confirm=lambda *_: True), lambda: rehearse(audited)):
        with pytest.raises(ConfigurationError, match="files cannot be changed"):
            attempt()


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    """A folder of two hosts whose files are of 2025-11-10 06:00 UTC; the second has hardware accelerated locking switched off."""
    folder = tmp_path / "bundles"
    for name, settings in (("esx-01", OPTIONS), ("esx-02", LOCKING_OFF)):
        own = {"esxcli_system-hostname-get.txt": NAME.replace("esx-01", name), "esxcli_system-settings-advanced-list.txt": settings}
        for file in written(folder / name, {**HOST, **own}).iterdir():
            os.utime(file, (1_762_754_400, 1_762_754_400))
    return folder


def clusters_in(report: dict[str, object]) -> dict[str, set[str | None]]:
    """By host, the clusters that its findings name."""
    findings = report["findings"]
    assert isinstance(findings, list)
    named: dict[str, set[str | None]] = {}
    for one in findings:
        if one["resource"]["host"]:
            named.setdefault(one["resource"]["host"], set()).add(one["resource"]["cluster"])
    return named


@pytest.mark.parametrize(
    ("given", "clusters"),
    [
        pytest.param((), {"esx-01.example.net": {"bundles"}, "esx-02.example.net": {"bundles"}}, id="as the folder is called"),
        pytest.param(
            ("gold=esx-01*", "silver=*esx-02*"),
            {"esx-01.example.net": {"gold"}, "esx-02.example.net": {"silver"}},
            id="by the names of hosts",
        ),
        pytest.param(
            ("gold=*/esx-0?", "silver=*"), {"esx-01.example.net": {"gold"}, "esx-02.example.net": {"gold"}}, id="by their folders"
        ),
    ],
)
def test_an_audit_of_files_has_the_clusters_that_it_is_told(
    hosts: Path, tmp_path: Path, given: tuple[str, ...], clusters: dict[str, set[str | None]]
) -> None:
    arguments = [word for one in given for word in ("--cluster-of", one)]
    assert clusters_in(report(tmp_path, "--from", str(hosts.parent), *arguments, *A_RULE)) == clusters


def test_an_audit_is_narrowed_to_a_cluster_that_was_just_named(hosts: Path, tmp_path: Path) -> None:
    named = report(tmp_path, "--from", str(hosts.parent), "--cluster-of", "gold=esx-01*", "--cluster", "gold", *A_RULE)
    assert clusters_in(named) == {"esx-01.example.net": {"gold"}}


@pytest.mark.parametrize("option", ["--cluster-of", "--cluster"])
def test_an_import_names_clusters_by_either_word_and_says_which_has_no_host(
    hosts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    out = str(tmp_path / "snapshot")
    assert run(["import", str(hosts), "--out", out, option, "gold=esx-01*", option, "lead=esx-1*", option, "tin=esx-2*"]) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if "cluster-of" in line]
    assert notes == [f"No host whose files were read is of the cluster {name}, which --cluster-of names." for name in ("lead", "tin")]
    assert clusters_in(report(tmp_path, "--from", out, *A_RULE))["esx-01.example.net"] == {"gold"}


def planned(hosts: Path, tmp_path: Path, *arguments: str) -> int:
    return run(["plan", "--from", str(hosts), "--state-dir", str(tmp_path / "state"), *A_RULE, *arguments])


def test_what_an_audit_of_files_would_change_is_printed_as_commands(
    hosts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planned(hosts, tmp_path, "--as", "esxcli") == 2
    script = capsys.readouterr().out
    lines = script.splitlines()
    assert lines[1] == "# 1 planned change as esxcli commands, by host. Written by auditor, which made none of them."
    assert lines[2].endswith("from files, not from hosts: no host was asked, and `auditor apply` does not take this plan.")
    assert lines[4] == f"# esx-02.example.net: {hosts}/esx-02, of 2025-11-10 06:00 UTC"
    assert not lines[5].startswith("# esx-01")
    assert (
        """\
# 1. VMFS3.HardwareAcceleratedLocking of host esx-02.example.net: 0 -> 1
"""
        in script
    )
    assert (
        """\
#    class: online; no reboot
if due 1 0 1 "$(option /VMFS3/HardwareAcceleratedLocking)"; then
  esxcli system settings advanced set --option=/VMFS3/HardwareAcceleratedLocking --int-value=1
  made 1 1 "$(option /VMFS3/HardwareAcceleratedLocking)"
fi
# undo of 1: esxcli system settings advanced set --option=/VMFS3/HardwareAcceleratedLocking --int-value=0
fi
"""
        in script
    )


def test_a_plan_from_files_may_be_of_powercli_and_go_into_a_file(hosts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "changes.ps1"
    assert planned(hosts, tmp_path, "--as", "powercli", "--out", str(out)) == 2
    assert capsys.readouterr().out == f"Read {out}, then run it; nothing was changed.\n"
    lines = out.read_text(encoding="ascii").splitlines()
    assert lines[3] == f"# esx-02.example.net: {hosts}/esx-02, of 2025-11-10 06:00 UTC"
    assert "$vmhost = Get-PlannedHost '' 'esx-02.example.net'" in lines


def test_a_plan_from_files_leaves_no_file_that_apply_takes(hosts: Path, tmp_path: Path) -> None:
    assert planned(hosts, tmp_path, "--as", "esxcli") == 2
    [kept] = (tmp_path / "state" / "runs").iterdir()
    assert (kept / "run.json").exists()
    assert not [*(tmp_path / "state").rglob("plan.json")]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "do:  name --as esxcli, or --as powercli."),
        (["--out", "plan.json"], "a plan from files is printed as commands for a person"),
        (["--privileges"], "--privileges cannot go with --from"),
        (["--as", "esxcli", "--since", "last"], "--transport (--lane) and --since cannot go with --from"),
        (["--as", "esxcli", "--max-age", "soon"], 'max-age: "soon" is not an age'),
    ],
    ids=["no language", "a file for apply", "roles", "since", "age"],
)
def test_a_plan_from_files_is_for_a_person_alone(
    hosts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], why: str
) -> None:
    assert planned(hosts, tmp_path, *arguments) == 3
    assert why in capsys.readouterr().err


def test_a_plan_is_of_a_fleet_or_of_files_and_of_no_snapshot(host: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan"]) == 3
    assert "plan needs --fleet PATH, or --from PATH with --as" in capsys.readouterr().err
    assert run(["import", str(host), "--out", str(tmp_path / "snapshot")]) == 0
    assert planned(tmp_path / "snapshot", tmp_path, "--as", "esxcli") == 3
    assert "names no files of hosts" in capsys.readouterr().err


def test_no_plan_is_applied_resumed_or_undone_on_hosts_whose_files_were_read(host: Path, tmp_path: Path) -> None:
    fleet, state = fleet_with_files(None, [host]), tmp_path / "state"
    audited = audit(AuditRequest(fleet=fleet, state=state, fix=FixLimits()))
    for attempt in (
        lambda: plan(audited),
        lambda: apply_plan(ApplyRequest(plan=tmp_path / "plan.json", fleet=fleet, state=state), confirm=lambda _: True),
        lambda: resume(ResumeRequest(run="last", fleet=fleet, state=state), confirm=lambda _: True),
        lambda: undo_run(UndoRequest(run="last", fleet=fleet, state=state), confirm=lambda _: True),
    ):
        with pytest.raises(ConfigurationError, match="files cannot be changed"):
            attempt()


def test_a_screen_about_files_offers_commands_and_no_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lab", "evidence", "--scenario", "solidfire-vvols", "--out", str(tmp_path / "files")]) == 0
    capsys.readouterr()
    page = tmp_path / "page.html"
    run(
        [
            "audit",
            "--from",
            str(tmp_path / "files"),
            "--state-dir",
            str(tmp_path / "state"),
            "--reporter",
            "table",
            "--reporter",
            f"html:{page}",
        ]
    )
    assert "--fix --dry-run" not in page.read_text(encoding="utf-8")
    screen = capsys.readouterr().out
    assert "--fix" not in screen
    assert f"auditor plan --from {tmp_path / 'files'} --as esxcli" in " ".join(screen.split())
    assert run(["demo", "--scenario", "solidfire-vvols", "--bundle", "--state-dir", str(tmp_path / "demo")]) in (1, 2)
    assert "--fix" not in capsys.readouterr().out
