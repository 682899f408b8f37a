"""Documents that rules answer to: what is open, what nobody knows, and a checklist of STIG Viewer."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TextIO
from xml.etree import ElementTree

import pytest

from auditor.model import Document, DocumentKind, Finding, Report, Verdict
from auditor.report.formats.ckl import write_ckl
from auditor.report.formats.cklb import write_cklb
from auditor.report.formats.controls import Status, frameworks_of
from auditor.report.formats.frameworks import write_frameworks
from tests.report import samples

STIG = "VMware vSphere 8.0 ESXi"
CONTROL = Document(DocumentKind.STIG, STIG, "ESXI-80-000145")


def report_of(*verdicts: Verdict, waived_from: Verdict = Verdict.FAIL, documents: tuple[Document, ...] = (CONTROL,)) -> Report:
    """A report of one rule that answers to `documents`, and has these verdicts."""
    whole = samples.bad_night()
    rule = replace(samples.DSNRO, documents=documents, id="mine/chap")
    first = next(iter(whole.findings()))
    waiver = {"owner": "we", "reason": "a <trial>", "expires": "2099-01-01", "verdict": waived_from.value}
    found: list[Finding] = [
        replace(first, rule=rule.id, verdict=verdict, waiver=waiver if verdict is Verdict.WAIVED else None, fix=None)
        for verdict in verdicts
    ]
    return replace(whole, rules=(rule,), findings=lambda: iter(found), listed=None, counts=None, by_place=None, notices=())


@pytest.mark.parametrize(
    ("verdicts", "status"),
    [
        ((Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN), Status.OPEN),
        ((Verdict.PASS, Verdict.WAIVED), Status.OPEN),
        ((Verdict.PASS, Verdict.UNKNOWN), Status.NOT_REVIEWED),
        ((Verdict.PASS, Verdict.NOT_APPLICABLE), Status.NO_FINDING),
        ((Verdict.NOT_APPLICABLE,), Status.NOT_APPLICABLE),
        ((), Status.NOT_REVIEWED),
    ],
)
def test_a_control_is_as_bad_as_its_worst_verdict_and_unknown_is_no_pass(verdicts: tuple[Verdict, ...], status: Status) -> None:
    [framework] = frameworks_of(report_of(*verdicts))
    [control] = framework.controls.values()
    assert control.status is status
    assert framework.score == {Status.NO_FINDING: 1.0, Status.NOT_APPLICABLE: None}.get(status, 0.0)


def test_an_unknown_verdict_that_is_waived_is_not_reviewed() -> None:
    [framework] = frameworks_of(report_of(Verdict.PASS, Verdict.WAIVED, waived_from=Verdict.UNKNOWN))
    assert [one.status for one in framework.controls.values()] == [Status.NOT_REVIEWED]


@pytest.mark.parametrize(
    ("about", "status"),
    [
        pytest.param({"version": None, "complete": False}, Status.NOT_REVIEWED, id="it never answered"),
        pytest.param({"version": None, "complete": False, "left_out": True}, Status.NO_FINDING, id="it was left out by choice"),
        pytest.param({"complete": False}, Status.NO_FINDING, id="it answered, with a gap"),
    ],
)
@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.NOT_APPLICABLE])
def test_what_an_endpoint_has_that_never_answered_is_not_reviewed(verdict: Verdict, about: dict[str, Any], status: Status) -> None:
    """No rule has a row of its hosts, so that those of the others alone would pass for all."""
    whole = report_of(verdict)
    silent = replace(samples.reading("vc-west"), **about)
    whole = replace(whole, run=replace(whole.run, endpoints=(samples.reading(), silent)))
    [framework] = frameworks_of(whole)
    expected = Status.NOT_APPLICABLE if (verdict, status) == (Verdict.NOT_APPLICABLE, Status.NO_FINDING) else status
    assert [one.status for one in framework.controls.values()] == [expected]
    assert ("1 endpoint of the fleet did not answer." in written(write_ckl, whole)) == (status is Status.NOT_REVIEWED)


def written(write: Callable[[Report, TextIO], None], report: Report) -> str:
    out = io.StringIO()
    write(report, out)
    return out.getvalue()


def test_a_checklist_has_a_vuln_for_each_control_of_a_stig_and_for_nothing_else() -> None:
    vendor = Document(DocumentKind.VENDOR, "Guide", "1")
    second = replace(CONTROL, number="ESXI-80-000199")
    root = ElementTree.fromstring(written(write_ckl, report_of(Verdict.FAIL, Verdict.WAIVED, documents=(second, CONTROL, vendor))))
    assert root.tag == "CHECKLIST"
    vulns = root.findall("./STIGS/iSTIG/VULN")
    data = [{one.findtext("VULN_ATTRIBUTE"): one.findtext("ATTRIBUTE_DATA") for one in vuln.findall("STIG_DATA")} for vuln in vulns]
    assert [one["Rule_Ver"] for one in data] == ["ESXI-80-000145", "ESXI-80-000199"]
    assert {one["Severity"] for one in data} == {"high"}
    assert [vuln.findtext("STATUS") for vuln in vulns] == ["Open", "Open"]
    details = vulns[0].findtext("FINDING_DETAILS") or ""
    assert "waived: a <trial>" in details
    assert root.findtext("./STIGS/iSTIG/STIG_INFO/SI_DATA/SID_DATA") == STIG


def test_a_checklist_without_a_control_says_so_and_has_no_vuln() -> None:
    root = ElementTree.fromstring(written(write_ckl, report_of(Verdict.PASS, documents=())))
    assert root.findall(".//VULN") == []
    assert "No rule of this run answers to a control of a STIG" in (root.findtext("./ASSET/TARGET_COMMENT") or "")


RULE_KEYS = (
    "group_id_src group_tree group_id severity group_title rule_id_src rule_id rule_version rule_title fix_text weight check_content"
    " check_content_ref classification discussion false_positives false_negatives documentable security_override_guidance"
    " potential_impacts third_party_tools ia_controls responsibility mitigations mitigation_control legacy_ids ccis"
    " reference_identifier uuid stig_uuid status overrides comments finding_details"
)
"""Of a rule of a checklist of version 1.0 (mitre/heimdall2, converted-rhel8_sample_oneOfEachControlStatus.cklb), and its STIG's uuid."""


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        (Verdict.FAIL, "open"),
        (Verdict.UNKNOWN, "not_reviewed"),
        (Verdict.PASS, "not_a_finding"),
        (Verdict.NOT_APPLICABLE, "not_applicable"),
    ],
)
def test_a_checklist_of_stig_viewer_3_says_the_same_as_that_of_2(verdict: Verdict, status: str) -> None:
    report = report_of(verdict, documents=(replace(CONTROL, number="ESXI-80-000199"), CONTROL))
    checklist = json.loads(written(write_cklb, report))
    assert (checklist["cklb_version"], checklist["mode"], checklist["target_data"]["host_name"]) == ("1.0", 2, "fleet.yaml")
    [stig] = checklist["stigs"]
    assert (stig["display_name"], stig["size"]) == (STIG, 2)
    assert [one["rule_version"] for one in stig["rules"]] == ["ESXI-80-000145", "ESXI-80-000199"]
    root = ElementTree.fromstring(written(write_ckl, report))
    for rule, vuln in zip(stig["rules"], root.findall(".//VULN"), strict=True):
        assert set(rule) == set(RULE_KEYS.split())
        assert (rule["status"], rule["severity"], rule["stig_uuid"]) == (status, "high", stig["uuid"])
        assert (rule["finding_details"], rule["comments"]) == (vuln.findtext("FINDING_DETAILS"), vuln.findtext("COMMENTS"))
    ids = [checklist["id"], stig["uuid"], *(rule["uuid"] for rule in stig["rules"])]
    assert len(set(ids)) == 4
    assert written(write_cklb, report) == written(write_cklb, report), "ids are those of the run"
    assert "No rule of this run answers" in json.loads(written(write_cklb, report_of(verdict, documents=())))["target_data"]["comments"]


def test_each_document_has_a_part_with_its_score() -> None:
    text = written(write_frameworks, report_of(Verdict.PASS, documents=(CONTROL, replace(CONTROL, number="B"))))
    assert f"| {STIG} (DISA STIG) | 100 % | 2 | 0 | 0 | 0 |" in text
    assert f"## {STIG} (DISA STIG)\n\nScore: 100 %." in text
    assert "| ESXI-80-000145 | no finding | 0 | 0 | mine/chap |" in text
    assert "No rule of this run names a document." in written(write_frameworks, report_of(Verdict.PASS, documents=()))
