"""Modules and SDKs that nobody here wrote work against the lab: they read what it has, change it once, and ours sees the change.

The cases are data: `cases/*.yaml`, one file for each fleet of the lab. Its reading cases run first, then the changing ones, twice.
docs/domain/peers.md lists them and what is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.audit import AuditRequest, collect
from auditor.inspect.query import run_query
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import serve
from tests.long.peers.outside import interpreter, missing, running

FILES = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(Path(__file__).with_name("cases").glob("*.yaml"))}


@dataclass
class Outcome:
    """What the runs of one file gave: the answers by the number of the case, and the rows of their queries before and after."""

    answers: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    before: dict[int, Any] = field(default_factory=dict)
    after: dict[int, Any] = field(default_factory=dict)


def name_of(case: Mapping[str, Any]) -> str:
    return str(case.get("module") or f"{case['sdk']} {case['call']}")


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(file, number, case, id=f"{file}: {number} {name_of(case)}")
        for file, content in FILES.items()
        for number, case in enumerate(content["cases"])
        if kind in case or kind == "every"
    ]


@pytest.fixture(scope="session")
def run_files() -> dict[str, Outcome | Exception]:
    """What came of each file that has been run."""
    return {}


@pytest.fixture
def outcome(request: pytest.FixtureRequest, run_files: dict[str, Outcome | Exception], tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The outcome of the file that the parameter names; a file is run once, even where it ends with an error."""
    file = request.param
    if file not in run_files:
        try:
            run_files[file] = run_file(FILES[file], tmp_path_factory.mktemp(file))
        except Exception as error:  # noqa: BLE001  raised again for each of its cases
            run_files[file] = error
    outcome = run_files[file]
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def run_file(content: Mapping[str, Any], directory: Path) -> Outcome:
    interpreter()  # before a fleet is served for nothing
    outcome = Outcome()
    numbered = list(enumerate(content["cases"]))
    changing = [(number, case) for number, case in numbered if case.get("changes")]
    with serve(load_scenario(content["scenario"])) as lab, running(lab, directory) as outside:
        lab.write_fleet(directory / "fleet.yaml")
        for number, case in numbered:
            if not case.get("changes"):
                outcome.answers[number] = [outside.call(case)]
        outcome.before = rows(changing, directory, "before")
        for number, case in changing:
            outcome.answers[number] = [outside.call(case), outside.call(case)]
        outcome.after = rows(changing, directory, "after")
    return outcome


def rows(changing: list[tuple[int, Mapping[str, Any]]], directory: Path, when: str) -> dict[int, Any]:
    """The answer to the query of each case, over facts read now."""
    asked = {number: case["facts"]["query"] for number, case in changing if "facts" in case}
    if not asked:
        return {}
    collect(AuditRequest(fleet=directory / "fleet.yaml", state=directory / "state"), directory / when)
    found = {}
    for number, text in asked.items():
        with run_query(text, directory / when, directory / f"spill-{when}-{number}") as answer:
            found[number] = [list(row) for row in answer.rows]
    return found


@pytest.mark.parametrize(("outcome", "number", "case"), cases("every"), indirect=["outcome"])
def test_a_client_of_others_gets_the_answer_that_the_fleet_has(outcome: Outcome, number: int, case: Mapping[str, Any]) -> None:
    for answer in outcome.answers[number]:
        assert not answer.get("failed"), answer.get("exception") or answer.get("msg")
    assert not missing(case.get("gives", {}), outcome.answers[number][0])


@pytest.mark.parametrize(("outcome", "number", "case"), cases("changes"), indirect=["outcome"])
def test_a_module_changes_something_once_and_nothing_the_second_time(outcome: Outcome, number: int, case: Mapping[str, Any]) -> None:
    first, second = outcome.answers[number]
    assert (first.get("changed"), second.get("changed")) == (case["changes"], False)


@pytest.mark.parametrize(("outcome", "number", "case"), cases("facts"), indirect=["outcome"])
def test_ours_reads_what_a_module_changed(outcome: Outcome, number: int, case: Mapping[str, Any]) -> None:
    assert outcome.before[number] == case["facts"]["before"]
    assert outcome.after[number] == case["facts"]["after"]
