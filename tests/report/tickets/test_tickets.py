"""`--reporter servicenow` and `jira`: a ticket for each cause, the same from run to run, as long as the other system takes it."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from auditor.model import EndpointReading, Gap, Report, Severity, Verdict
from auditor.report import writer_of
from auditor.report.tickets.causes import tickets_of
from auditor.report.tickets.jira import DESCRIPTION, SUMMARY
from auditor.report.tickets.servicenow import LONG, SHORT
from tests.report import samples

TEXT = {
    "type": "object",
    "properties": {"type": {"const": "text"}, "text": {"type": "string", "minLength": 1}},
    "required": ["type", "text"],
    "additionalProperties": False,
}
ADF = {  # https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
    "type": "object",
    "properties": {
        "version": {"const": 1},
        "type": {"const": "doc"},
        "content": {"type": "array", "items": {"oneOf": [{"$ref": "#/$defs/heading"}, {"$ref": "#/$defs/bulletList"}]}},
    },
    "required": ["version", "type", "content"],
    "additionalProperties": False,
    "$defs": {
        "heading": {
            "type": "object",
            "properties": {
                "type": {"const": "heading"},
                "attrs": {"properties": {"level": {"minimum": 1, "maximum": 6}}, "required": ["level"], "additionalProperties": False},
                "content": {"type": "array", "items": TEXT},
            },
            "required": ["type", "attrs"],
            "additionalProperties": False,
        },
        "bulletList": {
            "type": "object",
            "properties": {
                "type": {"const": "bulletList"},
                "content": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/listItem"}},
            },
            "required": ["type", "content"],
            "additionalProperties": False,
        },
        "listItem": {
            "type": "object",
            "properties": {
                "type": {"const": "listItem"},
                "content": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "properties": {"type": {"const": "paragraph"}, "content": {"type": "array", "items": TEXT}},
                        "required": ["type"],
                    },
                },
            },
            "required": ["type", "content"],
            "additionalProperties": False,
        },
    },
}


def written(reporter: str, report: Report) -> list[dict[str, Any]]:
    out = io.StringIO()
    writer_of(reporter)(report, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def texts(document: dict[str, Any]) -> list[str]:
    """All texts of an ADF document."""
    if document["type"] == "text":
        return [document["text"]]
    return [text for node in document["content"] for text in texts(node)]


def two_rules_of_one_queue(first: str, more: int = 0) -> Report:
    """Two rules whose failures make the same machines wait; `first` is the one whose fix gives more today."""
    queue = samples.pe_finding()
    depth = replace(queue, rule="queue/driver-depth", severity=Severity.HIGH)
    less = {**samples.IMPACT, "now": [20.0, 30.0]}
    findings = [one if one.rule == first else replace(one, impact=less) for one in (queue, depth)]
    findings += [replace(samples.pe_finding(f"esx-{number}.example.net"), impact=less) for number in range(20, 20 + more)]
    rules = (samples.DSNRO, replace(samples.DSNRO, id="queue/driver-depth"))
    return replace(samples.report_of(findings), rules=rules, scope=samples.SCOPE)


def ids(report: Report) -> list[str]:
    return [ticket.correlation_id for ticket in tickets_of(report)]


def test_one_cause_is_one_ticket_however_many_findings_it_has() -> None:
    tickets = list(tickets_of(two_rules_of_one_queue("vvol/pe-dsnro-headroom", more=30)))
    assert len(tickets) == 1
    sections = dict(tickets[0].sections)
    assert sections["Rules"][0].startswith("vvol/pe-dsnro-headroom (high)")
    assert len(sections["Rules"]) == 2
    assert len(sections["Findings"]) == 20 + 1 + 1
    assert sections["Findings"][-1] == "11 more findings: the report has them."


def test_the_same_drift_has_the_same_id_whatever_the_load_makes_of_it() -> None:
    today, tomorrow = (two_rules_of_one_queue(rule, more) for rule, more in (("vvol/pe-dsnro-headroom", 0), ("queue/driver-depth", 3)))
    worst = [next(tickets_of(report)).title.rpartition("(")[2].partition(",")[0] for report in (today, tomorrow)]
    assert worst == ["vvol/pe-dsnro-headroom", "queue/driver-depth"]
    assert ids(today) == ids(tomorrow)


def test_other_fleets_and_audits_that_are_narrowed_otherwise_have_tickets_of_their_own() -> None:
    report = samples.bad_night()
    other = replace(report, scope=replace(samples.SCOPE, fleet="ffff"))
    narrow = replace(report, scope=replace(samples.SCOPE, options=("--cluster gold",)))
    assert len({*ids(report), *ids(other), *ids(narrow)}) == 9
    older = replace(report, scope=None)
    renamed = replace(older.run, endpoints=tuple(replace(one, name=f"{one.name}-2") for one in older.run.endpoints))
    assert not {*ids(older)} & {*ids(replace(older, run=renamed))}


def test_what_was_not_judged_is_a_ticket_and_a_clean_fleet_has_none() -> None:
    [ticket] = tickets_of(samples.blind())
    assert "1 verdict is unknown and 1 gap was left in the reading" in ticket.title
    assert dict(ticket.sections)["Not read"] == ("vc-east: the endpoint: no answer within 30 s",)
    assert dict(ticket.sections)["Unknown"] == ("vvol/pe-dsnro-headroom: 1",)
    assert list(tickets_of(samples.clean())) == []


def test_a_gap_that_somebody_answers_for_makes_no_ticket() -> None:
    gap = Gap("vc-east", "a thing", "gone", accepted={"owner": "storage team"})
    assert list(tickets_of(samples.report_of([samples.pe_finding(verdict=Verdict.PASS)], gaps=[gap]))) == []


def test_an_incident_says_what_is_wrong_what_it_costs_and_what_to_do() -> None:
    incidents = written("servicenow", samples.bad_night())
    assert [(one["impact"], one["urgency"]) for one in incidents] == [("2", "1"), ("2", "2"), ("3", "2")]
    assert set(incidents[0]) == {"short_description", "description", "correlation_id", "correlation_display", "impact", "urgency"}
    assert "vm-2 Hard disk 1 and 1 more take 267 to 383 ms behind vm-1 Hard disk 1" in incidents[1]["description"]
    assert "\n- Set DSNRO of the device to 256, one host at a time.\n" in incidents[1]["description"]
    assert "auditor audit --fleet fleet.yaml --tag qos --tag vvol --fix --dry-run --allow online-caution" in incidents[1]["description"]
    assert (
        "28289e63 vc-east/gold/esx-01.example.net/naa.6f47acc100000000612e3f4d00000001: observed 32, desired 256"
        in incidents[1]["description"]
    )
    assert "NOT VERIFIED" in incidents[0]["description"]


def test_fixes_of_hosts_that_were_read_from_files_are_commands() -> None:
    files: EndpointReading = replace(samples.reading(), kind="files")
    [ticket] = tickets_of(samples.report_of([samples.pe_finding()], run_=samples.run(files)))
    assert any(line.endswith("auditor plan --from PATH --as esxcli") for line in dict(ticket.sections)["What to do"])


@pytest.mark.parametrize(
    "report", [samples.bad_night(), samples.hostile(), samples.large_audit()], ids=["drift", "hostile names", "many rules"]
)
def test_the_other_system_takes_the_length_of_every_field(report: Report) -> None:
    incidents, issues = written("servicenow", report), [one["fields"] for one in written("jira", report)]
    assert incidents
    assert len(incidents) == len(issues)
    for incident in incidents:
        assert all(isinstance(value, str) for value in incident.values())
        assert len(incident["short_description"]) <= SHORT
        assert incident["short_description"].isprintable()
        assert len(incident["description"]) <= LONG
    for issue in issues:
        assert len(issue["summary"]) <= SUMMARY
        assert issue["summary"].isprintable()
        assert len(json.dumps(issue["description"])) <= DESCRIPTION
        assert all(" " not in label and len(label) <= 255 for label in issue["labels"])
        jsonschema.validate(issue["description"], ADF)
        assert all(text.isprintable() for text in texts(issue["description"]))


def test_what_has_no_room_is_counted() -> None:
    findings = [samples.pe_finding(f"esx-{number}.example.net", name="naa." + "6" * 900) for number in range(30)]
    [incident] = written("servicenow", samples.report_of(findings))
    left_out = sum(len(lines) for ticket in tickets_of(samples.report_of(findings)) for _, lines in ticket.sections)
    left_out -= incident["description"].count("\n- ") - 1
    assert incident["description"].splitlines()[-2:] == ["More", f"- {left_out} more lines had no room: the report has them."]
    [issue] = written("jira", samples.report_of(findings))
    assert len([text for text in texts(issue["fields"]["description"]) if "666" in text]) == 21


def test_an_issue_is_found_again_by_a_label() -> None:
    issues = written("jira", samples.bad_night())
    assert [one["fields"]["labels"][1] for one in issues] == ids(samples.bad_night())
    assert [one["fields"]["labels"][2] for one in issues] == ["auditor-critical", "auditor-high", "auditor-medium"]
    assert set(issues[0]) == {"fields"}
    assert set(issues[0]["fields"]) == {"summary", "description", "labels"}, "project and type are the site's own"
