"""What an array reports as wrong with itself is read in its own words, with what they mean; what somebody acknowledged is not open."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from auditor.contract.reading import collected
from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.element import rows as element
from auditor.endpoints.flasharray import rows as flasharray
from auditor.facts.needs import needs
from auditor.model import EndpointKind
from auditor_lab.arrays.dell_sc.description import AlertDescription as DellAlert
from auditor_lab.arrays.dothill.description import AlertDescription as DotHillAlert
from auditor_lab.arrays.element.description import FaultDescription
from auditor_lab.arrays.flasharray.parts import AlertDescription
from auditor_lab.arrays.ontap.parts import HealthAlertDescription
from tests.contract.examples import EXAMPLES
from tests.required import capture

if TYPE_CHECKING:
    from pathlib import Path

WANTED = needs([("array_alert", "severity")])
FAULTS = (
    FaultDescription("driveFailed", "A drive failed.", "error", "drive", node_id=2),
    FaultDescription("blockClusterFull", "Full.", "critical"),
    FaultDescription("ensembleDegraded", "Was there.", "critical", resolved=True),
    FaultDescription("fibreChannelStaticIxL", "Near a limit.", "bestPractice"),
)
PURE = (AlertDescription(22, "Drive failed.", "critical", component_name="CH0.BAY3"), AlertDescription(40, "Over.", state="closed"))
SHELF = HealthAlertDescription(node="n1", alert_id="DualPath_Alert", resource="shelf-1", cause="Connection_establishment_error")
HEALTH = (SHELF, dataclasses.replace(SHELF, resource="shelf-2", severity="Minor", suppress=True))
DOTHILL = (
    DotHillAlert(severity="CRITICAL", reason="The controller has failed.", component="B", condition="condition_controller"),
    DotHillAlert(severity="WARNING", reason="Over its middle threshold.", component="A", acknowledged=True),
    DotHillAlert(severity="ERROR", reason="A disk failed.", resolved=True),
)
DELL = (DellAlert(definition="DiskFailed", message="Disk 01-07 failed"), DellAlert(definition="Fan", message="A fan", acknowledged=True))


def read(kind: EndpointKind, folder: Path, alter: Any = None, **changes: Any) -> Any:
    example = EXAMPLES[kind]
    with example.served(folder, **changes) as (server, endpoint, waiting), open_session(endpoint) as session:
        if alter is not None:
            server.alterations.update(alter)
        return collected(session, waiting, WANTED)


@pytest.mark.parametrize(
    ("kind", "changes", "expected"),
    [
        pytest.param(
            EndpointKind.ELEMENT,
            {"faults": FAULTS},
            [
                ("error", "error", "driveFailed", "node 2", "A drive failed.", True),
                ("critical", "critical", "blockClusterFull", "cluster", "Full.", True),
            ],
            id="Element: what is resolved, or a best practice, is not asked for",
        ),
        pytest.param(
            EndpointKind.FLASHARRAY,
            {"alerts": PURE},
            [("critical", "critical", "22", "CH0.BAY3", "Drive failed.", True)],
            id="FlashArray: what is closed is not asked for",
        ),
        pytest.param(
            EndpointKind.ONTAP,
            {"alerts": HEALTH},
            [
                ("Major", "error", "DualPath_Alert", "n1: shelf-1", "Connection_establishment_error", True),
                ("Minor", "warning", "DualPath_Alert", "n1: shelf-2", "Connection_establishment_error", False),
            ],
            id="ONTAP: what is suppressed is not open",
        ),
        pytest.param(
            EndpointKind.DELL_SC,
            {"alerts": DELL},
            [
                (None, "warning", "DiskFailed", None, "Disk 01-07 failed", True),
                (None, "warning", "Fan", None, "A fan", False),
            ],
            id="Dell SC: what is acknowledged is not open",
        ),
        pytest.param(
            EndpointKind.ETERNUS,
            {"role": "Monitor", "status": "Warning"},
            [("Warning", "warning", None, "the array", "Summary Status is Warning", True)],
            id="ETERNUS: its summary status",
        ),
        pytest.param(
            EndpointKind.DOTHILL,
            {"alerts": DOTHILL},
            [
                ("CRITICAL", "critical", "condition_controller", "B", "The controller has failed.", True),
                ("WARNING", "warning", "condition_storage_pool", "A", "Over its middle threshold.", False),
            ],
            id="Dot Hill: what is resolved is left out, what is acknowledged is not open",
        ),
    ],
)
def test_open_alerts_are_read_in_the_arrays_words(kind: EndpointKind, changes: Any, expected: Any, tmp_path: Path) -> None:
    found = read(kind, tmp_path, **changes)
    names = ("own_severity", "severity", "code", "component", "summary", "is_open")
    assert [tuple(row[name] for name in names) for row in found.tables["array_alert"]] == expected
    assert len({row["alert_id"] for row in found.tables["array_alert"]}) == len(expected)
    assert (found.gaps, found.incomplete()) == ([], set())


@pytest.mark.parametrize("status", ["Normal", "Error", "Resting"])
def test_an_eternus_says_how_it_is_in_one_word(status: str, tmp_path: Path) -> None:
    found = read(EndpointKind.ETERNUS, tmp_path, role="Monitor", status=status)
    assert [row["severity"] for row in found.tables.get("array_alert", ())] == (["error"] if status == "Error" else [])
    assert [gap.why for gap in found.gaps] == (["is 'Resting', which is not known"] if status == "Resting" else [])


def test_an_eternus_that_answers_by_machine_is_not_taken_for_well(tmp_path: Path) -> None:
    example = EXAMPLES[EndpointKind.ETERNUS]
    with example.served(tmp_path, status="Error") as (_, endpoint, waiting), open_session(endpoint) as session:
        found = collected(session, waiting, needs([("array_alert", "severity"), ("array", "reports_alerts")]))
        notes = session.notes
    assert (found.tables.get("array_alert"), found.gaps) == (None, [])
    assert [row["reports_alerts"] for row in found.tables["array"]] == [False]
    assert "rules about its alerts do not apply" in notes[0]


@pytest.mark.parametrize(
    ("kind", "operation", "under", "field"),
    [
        pytest.param(EndpointKind.ELEMENT, "ListClusterFaults", "faults", "severity", id="Element"),
        pytest.param(EndpointKind.FLASHARRAY, "GET alerts", "items", "severity", id="FlashArray"),
        pytest.param(EndpointKind.ONTAP, "GET private/cli/system/health/alert", "records", "perceived_severity", id="ONTAP"),
        pytest.param(EndpointKind.DOTHILL, "show alerts", "alerts", "severity", id="Dot Hill"),
    ],
)
@pytest.mark.parametrize("word", ["catastrophic", None])
def test_a_severity_that_is_not_listed_is_unknown_and_a_gap(
    kind: EndpointKind, operation: str, under: str, field: str, word: str | None, tmp_path: Path
) -> None:
    several: dict[EndpointKind, dict[str, Any]] = {
        EndpointKind.ELEMENT: {"faults": FAULTS},
        EndpointKind.FLASHARRAY: {"alerts": PURE},
        EndpointKind.ONTAP: {"alerts": HEALTH},
        EndpointKind.DOTHILL: {"alerts": DOTHILL},
    }

    def alter(*answers: Any) -> Any:
        return answers[-1] | {under: [{**each, field: word} for each in answers[-1][under]]}

    found = read(kind, tmp_path, {operation: alter}, **several[kind])
    assert {row["severity"] for row in found.tables["array_alert"]} == {None}
    assert found.incomplete() == {"alerts"}


def test_a_severity_that_ontap_itself_does_not_know_is_unknown_and_no_gap(tmp_path: Path) -> None:
    found = read(EndpointKind.ONTAP, tmp_path, alerts=(dataclasses.replace(SHELF, severity="Unknown"),))
    assert [(row["severity"], row["own_severity"]) for row in found.tables["array_alert"]] == [(None, "Unknown")]
    assert found.gaps == []


def test_an_alert_that_does_not_say_whether_it_was_acknowledged_may_be_open(tmp_path: Path) -> None:
    def alter(alerts: Any) -> Any:
        return [{name: value for name, value in one.items() if name != "acknowledged"} for one in alerts]

    found = read(EndpointKind.DELL_SC, tmp_path, {"StorageCenter/ActiveAlertList": alter}, alerts=DELL)
    assert [row["is_open"] for row in found.tables["array_alert"]] == [None, None]
    assert found.incomplete() == {"alerts"}


def test_recorded_alerts_are_understood_whole() -> None:
    faults = json.loads(capture("solidfire-exporter-joyent/ListClusterFaults.json").read_text())["result"]["faults"]
    errors = ParseErrors("ListClusterFaults")
    assert [element.fault_row(Record(fault, "fault", errors)) for fault in faults] == [
        {
            "alert_id": "18",
            "severity": "warning",
            "own_severity": "warning",
            "code": "driveAvailable",
            "component": "node 1",
            "summary": "Node ID 1 has 1 available drive(s).",
            "is_open": True,
        }
    ]
    alerts = json.loads(capture("pure-fa-openmetrics-exporter/alerts_open.json").read_text())["items"]
    rows = [flasharray.fault_row(Record(alert, "alert", errors)) for alert in alerts]
    assert {(row["severity"], row["code"], row["is_open"]) for row in rows} == {("info", "231", True)}
    assert not errors.any


def test_what_a_recorded_cluster_can_do_is_its_estimate() -> None:
    answer = json.loads(capture("solidfire-exporter-joyent/GetClusterCapacity.json").read_text())["result"]
    errors = ParseErrors("GetClusterCapacity")
    assert (element.cluster_iops(answer, errors), element.cluster_iops(None, errors), errors.any) == (3000, None, False)
    assert element.cluster_iops({"clusterCapacity": {"maxIOPS": 0}}, errors) is None
