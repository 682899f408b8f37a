"""A host was registered anew, and vCenter lists its old entry as well: the audit is as good as without it, and says what to remove."""

import json
from importlib.resources import files
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

import pytest

from auditor.cli import run
from auditor_lab.scenario import parse_scenario
from auditor_lab.serving import serve
from tests.audits import only

HOST = "esx-vvol-4.lab.example"
MACHINE = uuid5(NAMESPACE_DNS, HOST)


@pytest.mark.parametrize(
    ("machine", "rules", "code"),
    [
        pytest.param(MACHINE, (), 1, id="the old entry of a host, by every rule"),
        pytest.param(uuid5(MACHINE, "x"), ("vvol/*", "queue/*"), 2, id="another machine"),
    ],
)
def test_an_old_entry_makes_nothing_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], machine: object, rules: tuple[str, ...], code: int
) -> None:
    scenario = (files("auditor_lab") / "scenarios" / "solidfire-vvols.yaml").read_text(encoding="utf-8")
    host = f"          - {{name: {HOST}, like: vvol-host}}\n"
    assert host in scenario
    old = f"          - {{name: 192.0.2.77, like: vvol-host, connection_state: notResponding, uuid: {machine}}}\n"
    report = tmp_path / "report.json"
    with serve(parse_scenario(scenario.replace(host, host + old), "anew")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        arguments = ["--fleet", str(tmp_path / "fleet.yaml"), "--state-dir", str(tmp_path), "--reporter", f"json:{report}"]
        assert run(["audit", *arguments, *only(*rules)]) == code
    old_entry = " is the old entry of "
    told = json.loads(report.read_text(encoding="utf-8"))
    assert ("read with gaps" in capsys.readouterr().err) == (code == 2), "progress says what the report says"
    assert bool(told["gaps"]) == bool(told["summary"]["unknown"]) == (code == 2)
    assert [notice.partition(old_entry)[0] for notice in told["notices"] if old_entry in notice] == (
        ["192.0.2.77 (host-15, notResponding)"] if code == 1 else []
    )
