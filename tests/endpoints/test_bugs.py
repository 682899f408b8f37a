"""A bug that shows while one endpoint is read costs that endpoint, is reported, and no value of it is."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from auditor.cli import run
from auditor.endpoints.bugs import bug_report
from auditor.errors import CRASHED
from auditor.model import Endpoint, EndpointKind, Gap, Secret
from auditor.model.endpoint_kinds import endpoint_type
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve

pytestmark = pytest.mark.long

SECRET = "what-the-array-answered"


def broken(*_: object) -> Iterator[Gap]:
    """A reader of ours that was written for other answers."""
    yield Gap("sf-prod", "pools", "not known yet")
    raise KeyError(SECRET) from ValueError(SECRET)


def full(*_: object) -> Iterator[Gap]:
    """A reader that is in the way of a full disk."""
    yield Gap("sf-prod", "pools", "not known yet")
    raise duckdb.IOException("no space left on device")


Reader = Callable[..., Iterator[Gap]]


@pytest.fixture
def elements_read_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Reader], None]:
    """Has Element arrays read by another reader than theirs."""

    def replace_by(reader: Reader) -> None:
        element = endpoint_type(EndpointKind.ELEMENT)
        load = type(element).load
        monkeypatch.setattr(type(element), "load", lambda kind, name: reader if name == element.collector else load(kind, name))

    return replace_by


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Path]:
    """Two Element arrays and a vCenter."""
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        yield tmp_path / "fleet.yaml"


def test_the_others_are_judged_and_the_exit_code_says_that_it_was_a_bug(
    fleet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], elements_read_by: Callable[[Reader], None]
) -> None:
    elements_read_by(broken)
    report, state = tmp_path / "report.json", tmp_path / "state"
    only = ["--only", "iscsi/delayed-ack", "--only", "qos/element-limits"]
    code = run(["audit", "--fleet", str(fleet), "--state-dir", str(state), "--reporter", f"json-full:{report}", *only])
    assert code == CRASHED
    document = json.loads(report.read_text(encoding="utf-8"))
    assert {one["rule"] for one in document["findings"] if one["verdict"] == "fail"} == {"iscsi/delayed-ack"}
    gaps = {gap["endpoint"]: gap["why"] for gap in document["gaps"] if gap["what"].startswith("the rest of it")}
    assert gaps.keys() == {"sf-prod", "sf-twin"}
    assert all("a bug in auditor" in why and "KeyError in endpoints/test_bugs.py" in why for why in gaps.values())
    (bugs,) = state.glob("runs/*/snapshot/bugs.txt")
    text, err = bugs.read_text(encoding="utf-8"), capsys.readouterr().err
    assert text.count("builtins.KeyError") == 2
    assert "builtins.ValueError" in text
    assert "auditor/endpoints/collect.py:" in text
    assert str(bugs) in err
    for shown in (text, err, json.dumps(document)):
        assert SECRET not in shown


def test_a_snapshot_that_a_bug_left_incomplete_is_still_one(
    fleet: Path, tmp_path: Path, elements_read_by: Callable[[Reader], None], capsys: pytest.CaptureFixture[str]
) -> None:
    elements_read_by(broken)
    out = tmp_path / "snapshot"
    assert run(["collect", "--fleet", str(fleet), "--out", str(out)]) == CRASHED
    assert (out / "bugs.txt").exists()
    code = run(["audit", "--from", str(out), "--state-dir", str(tmp_path / "state"), "--only", "iscsi/delayed-ack"])
    assert code == CRASHED, "what it was not read for is not known, whenever it is judged"
    assert f"report it with {out / 'bugs.txt'}" in capsys.readouterr().err


def test_a_full_disk_is_no_bug_of_an_endpoint(fleet: Path, tmp_path: Path, elements_read_by: Callable[[Reader], None]) -> None:
    elements_read_by(full)
    with pytest.raises(duckdb.IOException):
        run(["collect", "--fleet", str(fleet), "--out", str(tmp_path / "out")])


def test_a_report_of_a_bug_names_the_places_and_no_message() -> None:
    endpoint = Endpoint("array", EndpointKind.ONTAP, "198.51.100.1", 443, "audit", Secret("env", ("SECRET",)))
    try:
        next(iter([int(SECRET)]))
    except ValueError as bug:
        report = bug_report(endpoint, bug)
    assert report.splitlines()[:2] == ["endpoint of kind ontap", "builtins.ValueError"]
    assert "endpoints/test_bugs.py:" in report
    assert SECRET not in report
