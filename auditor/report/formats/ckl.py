"""Writes the controls of STIGs that rules answer to as a checklist of STIG Viewer (CKL): a VULN for each control.

A control is known by its STIG id (Rule_Ver) alone: the numbers that DISA gives a group and a rule (Vuln_Num, Rule_ID) change with the
releases of a STIG, and no rule file has them. Whether STIG Viewer merges by Rule_Ver was not tried (unverified).

Source: elements, their order and the words of STATUS as in a checklist of STIG Viewer 2.17, mitre/heimdall2,
libs/hdf-converters/sample_jsons/checklist_mapper/sample_input_report/small_ckl_overrides.ckl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from auditor.model import DocumentKind, Severity, Verdict
from auditor.report.formats.controls import Status, frameworks_of
from auditor.report.formats.junit import xml_text
from auditor.report.formats.listed import path_of, sentence_of, waiver_sentence
from auditor.report.wording import notices_of, scope_notice
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.model import Report
    from auditor.report.formats.controls import Control, Framework

_SEVERITIES = {Severity.CRITICAL: "high", Severity.HIGH: "high", Severity.MEDIUM: "medium", Severity.LOW: "low", Severity.INFO: "low"}
"""CAT I to III by the rule's severity, which is this project's own and not DISA's."""


def write_ckl(report: Report, out: TextIO) -> None:
    """Write `report` as one checklist, whose asset is the fleet; without controls of a STIG it has none, and says so."""
    out.writelines(f"{line}\n" for line in _lines(report))


def asset_of(report: Report) -> str:
    """What a checklist is about: the fleet, by the name of its file."""
    return report.scope.fleet_name if report.scope is not None else "fleet"


def comment_of(report: Report, found: Sequence[Framework]) -> str:
    """What a checklist says of its run; `found` are its STIGs."""
    sentences = [f"auditor, run {report.run.id}, {count_of(report.run.hosts, 'host')}."]
    if not found:
        sentences.append("No rule of this run answers to a control of a STIG, so that nothing is reviewed here.")
    return " ".join([*sentences, *filter(None, [scope_notice(report)]), *notices_of(report)])


def severity_of(control: Control) -> str:
    """CAT I to III in the words of STIG Viewer ("high", "medium", "low"): the worst of the rules that judge the control."""
    worst = min(control.rules, key=lambda rule: list(Severity).index(rule.severity))
    return _SEVERITIES[worst.severity]


def titles_of(control: Control) -> str:
    """What the rules that judge the control want."""
    return "; ".join(rule.title for rule in control.rules)


def judged_by(control: Control) -> str:
    """Which rules judge the control, as a sentence."""
    return f"Judged by {', '.join(rule.id for rule in control.rules)}."


def _lines(report: Report) -> Iterator[str]:
    found = frameworks_of(report, (DocumentKind.STIG,))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<CHECKLIST>"
    yield "<ASSET>"
    asset = {"ROLE": "None", "ASSET_TYPE": "Computing", "HOST_NAME": asset_of(report), "HOST_IP": "", "HOST_MAC": "", "HOST_FQDN": ""}
    asset |= {"TARGET_COMMENT": comment_of(report, found), "TECH_AREA": "", "TARGET_KEY": ""}
    asset |= {"WEB_OR_DATABASE": "false", "WEB_DB_SITE": "", "WEB_DB_INSTANCE": ""}
    yield from (_element(name, value) for name, value in asset.items())
    yield "</ASSET>"
    yield "<STIGS>"
    for one in found:
        yield from _stig(one)
    yield "</STIGS>"
    yield "</CHECKLIST>"


def _stig(one: Framework) -> Iterator[str]:
    yield "<iSTIG>"
    yield "<STIG_INFO>"
    yield f"<SI_DATA>{_element('SID_NAME', 'title')}{_element('SID_DATA', one.title)}</SI_DATA>"
    yield "</STIG_INFO>"
    for control in one.controls.values():
        yield from _vuln(one, control)
    yield "</iSTIG>"


def _vuln(one: Framework, control: Control) -> Iterator[str]:
    data = {
        "Vuln_Num": "",
        "Severity": severity_of(control),
        "Rule_ID": "",
        "Rule_Ver": control.number,
        "Rule_Title": titles_of(control),
        "STIGRef": one.title,
    }
    yield "<VULN>"
    for name, value in data.items():
        yield f"<STIG_DATA>{_element('VULN_ATTRIBUTE', name)}{_element('ATTRIBUTE_DATA', value)}</STIG_DATA>"
    yield _element("STATUS", control.status)
    yield _element("FINDING_DETAILS", "\n".join(details_of(control)))
    yield _element("COMMENTS", judged_by(control))
    yield "<SEVERITY_OVERRIDE></SEVERITY_OVERRIDE>"
    yield "<SEVERITY_JUSTIFICATION></SEVERITY_JUSTIFICATION>"
    yield "</VULN>"


def details_of(control: Control) -> Iterator[str]:
    """What was found: why it was not reviewed, each resource that fails, and how many more there are."""
    if control.status is Status.NOT_REVIEWED:
        unknown = control.verdicts[Verdict.UNKNOWN] + control.verdicts[Verdict.WAIVED]
        if control.unread:
            yield f"{count_of(control.unread, 'endpoint')} of the fleet did not answer."
        if unknown or not control.unread:
            yield f"{count_of(unknown, 'verdict is', 'verdicts are')} unknown." if unknown else "Nothing was judged."
    for finding in control.failing:
        waiver = waiver_sentence(finding)
        yield f"{path_of(finding.resource)}: {sentence_of(finding)}" + (f" (waived: {waiver})" if waiver else "")
    more = control.verdicts[Verdict.FAIL] + control.waived_failures - len(control.failing)
    if more > 0:
        yield f"and {count_of(more, 'more failure')}"


def _element(name: str, text: str) -> str:
    return f"<{name}>{xml_text(text)}</{name}>"
