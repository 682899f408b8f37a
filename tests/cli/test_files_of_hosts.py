"""`auditor import`, and `auditor audit --from` files of hosts: what they print, and what they refuse."""

import json
from pathlib import Path

import pytest

from auditor.audit import AuditRequest, FixLimits, audit, fix, rehearse
from auditor.cli import run
from auditor.errors import ConfigurationError
from auditor.fleet.evidence import fleet_with_files
from tests.endpoints.files.evidence import HOST, written


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
    assert run(["import", str(host), "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"{host}/esxcli_storage-core-device-list.txt: storage core device list, 1 record" in lines
    assert f"{host}/shopping.txt: not recognised" in lines
    assert lines[-1] == f"host esx-01.example.net: 8 outputs, from {host}"


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
        (["import", "HOST"], "import needs --out DIR"),
        (["import", "HOST", "--cluster", "prod", "--list"], '--cluster "prod" is not NAME=GLOB'),
        (["import", "NOWHERE", "--list"], "is not there"),
    ],
    ids=["fix", "both", "age", "no place", "cluster", "nowhere"],
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
