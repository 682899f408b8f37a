"""Writes the controls of STIGs that rules answer to as a checklist of STIG Viewer 3 (CKLB, JSON): a rule for each control.

What no rule file has is "": the numbers that DISA gives a group and a rule (group_id, rule_id), and the texts of the STIG. Ids are made of
the run, so that a report that is written twice is the same. Whether STIG Viewer merges by rule_version was not tried (unverified).

Source: keys and words of status as in a checklist of version 1.0, mitre/heimdall2, libs/hdf-converters/sample_jsons/checklist_mapper/
sample_input_report/converted-rhel8_sample_oneOfEachControlStatus.cklb.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO
from uuid import NAMESPACE_URL, uuid5

from auditor.model import DocumentKind
from auditor.report.formats.ckl import asset_of, comment_of, details_of, judged_by, severity_of, titles_of
from auditor.report.formats.controls import Status, frameworks_of
from auditor.report.wording import neutral, neutral_prose

if TYPE_CHECKING:
    from auditor.model import Report
    from auditor.report.formats.controls import Control, Framework

STATUSES = {
    Status.OPEN: "open",
    Status.NOT_REVIEWED: "not_reviewed",
    Status.NO_FINDING: "not_a_finding",
    Status.NOT_APPLICABLE: "not_applicable",
}
_TEXTS = (
    *("group_id_src", "group_id", "group_title", "rule_id_src", "rule_id", "discussion", "check_content", "fix_text", "ia_controls"),
    *("false_positives", "false_negatives", "mitigations", "potential_impacts", "third_party_tools", "mitigation_control"),
    *("responsibility", "security_override_guidance", "reference_identifier"),
)
"""Fields of a rule whose text is DISA's."""


def write_cklb(report: Report, out: TextIO) -> None:
    """Write `report` as one checklist, whose target is the fleet; without controls of a STIG it has none, and says so."""
    found = frameworks_of(report, (DocumentKind.STIG,))
    target = {"target_type": "Computing", "host_name": neutral(asset_of(report)), "ip_address": "", "mac_address": "", "fqdn": ""}
    target |= {"comments": neutral_prose(comment_of(report, found)), "role": "None", "technology_area": "", "web_db_site": ""}
    checklist = {
        "title": f"auditor run {report.run.id}",
        "id": _id(report, "checklist"),
        "cklb_version": "1.0",
        "active": True,
        "mode": 2,
        "has_path": False,
        "target_data": target | {"is_web_database": False, "web_db_instance": "", "classification": None},
        "stigs": [_stig(report, one) for one in found],
    }
    json.dump(checklist, out, indent=1)
    out.write("\n")


def _stig(report: Report, one: Framework) -> dict[str, Any]:
    title, own = neutral(one.title), _id(report, one.title)
    rules = [_rule(_id(report, one.title, number, section), own, control) for (number, section), control in one.controls.items()]
    names = {"stig_name": title, "display_name": title, "stig_id": title, "version": "", "release_info": "", "reference_identifier": ""}
    return {**names, "uuid": own, "size": len(rules), "rules": rules}


def _rule(checklist: str, stig: str, control: Control) -> dict[str, Any]:
    return {
        "uuid": checklist,
        "stig_uuid": stig,
        "rule_version": neutral(control.number),
        "rule_title": neutral(titles_of(control)),
        "severity": severity_of(control),
        "status": STATUSES[control.status],
        "finding_details": neutral_prose("\n".join(details_of(control))),
        "comments": neutral(judged_by(control)),
        **dict.fromkeys(_TEXTS, ""),
        "check_content_ref": {"name": "", "href": ""},
        "classification": "",
        "documentable": "false",
        "weight": "10.0",
        "group_tree": [],
        "legacy_ids": [],
        "ccis": [],
        "overrides": {},
    }


def _id(report: Report, *words: str) -> str:
    return str(uuid5(NAMESPACE_URL, "\n".join(("auditor", report.run.id, *words))))
