"""`--reporter sarif` against the object model that is made from the SARIF schema, and against a reader that checks types."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from auditor.model import Report, Severity, Verdict
from auditor.report.formats.sarif import write_sarif
from tests.report import samples
from tests.report.formats.sarif_model import conforms


def written(report: Report) -> dict[str, Any]:
    out = io.StringIO()
    write_sarif(report, out)
    document: dict[str, Any] = json.loads(out.getvalue(), parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))
    return document


@pytest.mark.parametrize(
    "report",
    [samples.bad_night, samples.clean, samples.blind, samples.hostile, lambda: samples.report_of([])],
    ids=["drift", "clean", "unread fleet", "hostile names", "nothing judged"],
)
def test_every_report_is_sarif(report: Callable[[], Report]) -> None:
    import sarif_pydantic

    document = written(report())
    conforms(document, "SarifLog")
    log = sarif_pydantic.Sarif.model_validate(document)
    listed = [one for one in report().findings() if one.verdict in (Verdict.FAIL, Verdict.UNKNOWN, Verdict.WAIVED)]
    assert len(log.runs[0].results) == len(listed)
    assert document["version"] == "2.1.0"


def test_what_the_model_does_not_have_is_refused() -> None:
    document = written(samples.bad_night())
    document["runs"][0]["results"][0]["verdict"] = "fail"
    with pytest.raises(AssertionError, match="Result"):
        conforms(document, "SarifLog")


def test_a_failure_has_its_level_place_sentence_and_id() -> None:
    result = written(samples.bad_night())["runs"][0]["results"][1]
    name = "naa.6f47acc100000000612e3f4d00000001"
    assert (result["ruleId"], result["ruleIndex"], result["kind"], result["level"]) == ("vvol/pe-dsnro-headroom", 0, "fail", "error")
    assert result["message"]["text"] == f"{name}: observed 32, desired 256. Wanted: {samples.DSNRO.title}"
    assert result["partialFingerprints"] == {"auditorFindingId/v1": "28289e63bcf0"}
    assert result["suppressions"] == []
    assert result["locations"] == [
        {
            "logicalLocations": [
                {"name": name, "fullyQualifiedName": f"vc-east/gold/esx-01.example.net/{name}", "kind": "protocol_endpoint"},
                {"name": "esx-01.example.net", "fullyQualifiedName": "vc-east/gold/esx-01.example.net", "kind": "host"},
                {"name": "gold", "fullyQualifiedName": "vc-east/gold", "kind": "cluster"},
                {"name": "vc-east", "fullyQualifiedName": "vc-east", "kind": "endpoint"},
            ]
        }
    ]
    assert result["properties"]["impact"].startswith("vm-2 Hard disk 1 and 1 more take 267 to 383 ms")
    assert result["properties"]["fix"] == {"remediator": "device.dsnro", "class": "online-caution", "outcome": "proposed"}


def test_a_host_is_named_once_and_a_rule_s_own_message_is_the_result_s() -> None:
    finding = samples.pe_finding()
    host = replace(
        finding, message="esx-9: too shallow", resource=replace(finding.resource, kind="host", name="esx-9", host="esx-9", cluster=None)
    )
    result = written(samples.report_of([host]))["runs"][0]["results"][0]
    places = result["locations"][0]["logicalLocations"]
    assert [(place["fullyQualifiedName"], place["kind"]) for place in places] == [("vc-east/esx-9", "host"), ("vc-east", "endpoint")]
    assert result["message"]["text"] == "esx-9: too shallow"


@pytest.mark.parametrize(
    ("severity", "level"),
    [("critical", "error"), ("high", "error"), ("medium", "warning"), ("low", "note"), ("info", "note")],
)
def test_severities_are_levels(severity: str, level: str) -> None:
    finding = replace(samples.pe_finding(), severity=Severity(severity))
    assert written(samples.report_of([finding]))["runs"][0]["results"][0]["level"] == level


def test_unknown_is_open_and_waived_is_suppressed_with_who_answers_for_it() -> None:
    unknown, waived = written(samples.bad_night())["runs"][0]["results"][3:]
    assert (unknown["kind"], unknown["level"], unknown["suppressions"]) == ("open", "none", [])
    assert "not read: dsnro" in unknown["message"]["text"]
    assert (waived["kind"], waived["level"]) == ("fail", "error")
    assert waived["suppressions"] == [
        {"kind": "external", "justification": "replaced in May, until 2027-06-01T00:00:00Z (storage team, CHG-77, waivers.yaml:2)"}
    ]
    also_unknown = replace(samples.pe_finding(verdict=Verdict.WAIVED), waiver={"verdict": "unknown", "owner": "x"})
    assert written(samples.report_of([also_unknown]))["runs"][0]["results"][0]["kind"] == "open"


def test_a_gap_is_an_error_of_the_run_and_a_notice_a_warning() -> None:
    invocation = written(samples.bad_night())["runs"][0]["invocations"][0]
    gap, scope, notice = invocation["toolExecutionNotifications"]
    assert not invocation["executionSuccessful"]
    assert (gap["level"], scope["level"], notice["level"]) == ("error", "note", "warning")
    assert gap["message"]["text"] == "vc-east: esxcli storage core device list on esx-03.example.net: the host is disconnected"
    assert gap["locations"][0]["logicalLocations"][0]["name"] == "vc-east"
    assert "sf-01 was NOT VERIFIED" in notice["message"]["text"]
    assert invocation["startTimeUtc"] == "2026-11-21T06:55:00Z"
    assert written(samples.clean())["runs"][0]["invocations"][0]["executionSuccessful"]


def test_a_rule_links_to_a_source_on_the_web_alone() -> None:
    rules = {rule["id"]: rule for rule in written(samples.bad_night())["runs"][0]["tool"]["driver"]["rules"]}
    assert rules["vvol/pe-dsnro-headroom"]["helpUri"] == "https://example.net/kb/1268"
    assert "helpUri" not in rules["vaai/uniform"]
    requirements, guide = rules["sioc/overlap-array-qos"]["properties"]["documents"]
    assert (requirements["kind"], requirements["number"], requirements["url"]) == ("vendor", "GUID-1", "https://example.net/requirements")
    assert (guide["kind"], guide["number"], guide["section"], guide["quoted"]) == ("hardening", "esxi-8.sioc", None, True)
    assert rules["vaai/uniform"]["properties"]["documents"] == []
    assert rules["vaai/uniform"]["defaultConfiguration"] == {"level": "note"}
    hostile = written(samples.hostile())["runs"][0]["tool"]["driver"]["rules"]
    assert all("helpUri" not in rule for rule in hostile), "javascript: is no source"


def test_a_name_is_neither_a_placeholder_nor_a_link() -> None:
    finding = replace(samples.pe_finding(), message="vm {0} [here](https://example.net)")
    assert written(samples.report_of([finding]))["runs"][0]["results"][0]["message"]["text"] == "vm {{0}} [here] (https://example.net)"
