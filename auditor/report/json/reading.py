"""Reads a JSON report, so that a saved run can be rendered again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import json_of, lines_of
from auditor.errors import SnapshotError
from auditor.model import (
    Change,
    Contradiction,
    DriftAge,
    EndpointReading,
    Finding,
    Fix,
    FixCertificate,
    FixClass,
    Gap,
    Origin,
    Outcome,
    ReadTime,
    Receipt,
    Report,
    Resource,
    RuleText,
    Run,
    Severity,
    Summary,
    Target,
    Verdict,
)
from auditor.model.comparison import ChangeKind, Comparison
from auditor.model.scope import Scope
from auditor.report.documents import documents_read
from auditor.report.json.report import FINDINGS_OPEN, SCHEMA_VERSION
from auditor.report.messages import message_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from auditor.model.comparison import ChangedFinding


_FIRST_VERSION = 1
"""It listed every verdict; its other fields are as they are now."""


def load_report(path: Path) -> Report:
    """The report that `write_full_json` wrote; each pass over its findings reads them from the file, so that memory stays small.

    Raises:
        SnapshotError: the file cannot be read, is incomplete, has another version, lists some verdicts only, or is not a report.
    """
    try:
        head, tail = _ends(path)
        if head["schema_version"] not in (_FIRST_VERSION, SCHEMA_VERSION):
            known = f"{_FIRST_VERSION} and {SCHEMA_VERSION}"
            raise unreadable(path, f"it has version {head['schema_version']}, this program reads versions {known}")
        if head["schema_version"] != _FIRST_VERSION and set(head["listed"]) != set(Verdict):
            # Shown again, rules without a listed verdict would seem to have judged nothing.
            raise unreadable(path, "it lists failures, unknown and waived verdicts only; one of --reporter json-full has all")
        return report_of(head, tail, lambda: _findings(path))
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(path, f"it is incomplete or not a report of this program ({type(error).__name__}: {error})") from error


def report_of(head: Mapping[str, Any], tail: Mapping[str, Any], findings: Callable[[], Iterator[Finding]]) -> Report:
    """The report with the fields `head` before its findings and `tail` after them.

    Raises:
        KeyError, TypeError, ValueError: a field is missing or has another type.
    """
    return Report(
        run=_run(head["run"]),
        summary=_summary(head["summary"]),
        gaps=tuple(Gap(**gap) for gap in tail["gaps"]),
        rules=tuple(_rule(rule) for rule in tail["rules"]),
        findings=findings,
        receipts=tuple(_receipt(receipt) for receipt in tail["receipts"]),
        notices=tuple(tail["notices"]),
        contradictions=tuple(_contradiction(clash) for clash in tail.get("contradictions", ())),  # an older report has none
        certificate=FixCertificate(**tail["certificate"]) if tail.get("certificate") else None,  # likewise
        scope=scope_of(head.get("scope")),  # likewise
    )


def scope_of(scope: Mapping[str, Any] | None) -> Scope | None:
    """The inverse of `json_report.scope_object`.

    Raises:
        KeyError, TypeError: a field is missing or has another type.
    """
    if scope is None:
        return None
    return Scope(
        scope["fleet"],
        scope["fleet_name"],
        tuple(scope["endpoints"]),
        scope["endpoints_of"],
        scope["rules"],
        scope["rules_of"],
        tuple(scope["options"]),
    )


def compared_of(compared: Mapping[str, Any], listed: Callable[[], Iterator[ChangedFinding]]) -> Comparison:
    """The inverse of `json_report.compared_object`; `listed` reads the findings again, which are not in it.

    Raises:
        KeyError, TypeError, ValueError: a field is missing or has another type.
    """
    counts = {ChangeKind(kind): number for kind, number in compared["counts"].items() if number}
    notes = tuple(compared["notes"])
    fixed_by = dict(compared.get("fixed_by", {}))  # an older auditor did not look
    return Comparison(compared["run"], _moment(compared["started"]), counts, compared["same_scope"], listed, notes, fixed_by)


def unreadable(path: Path, why: str) -> SnapshotError:
    """The error for a saved report that cannot be read."""
    return SnapshotError(
        f"{path}: cannot be read as a report: {why}",
        why="this run cannot be shown.",
        do="audit again, or pick another run with `auditor runs list`.",
    )


def _ends(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields before the findings, and those after them."""
    lines = lines_of(path)
    first = next(lines, b"").decode()
    if not first.endswith(f", {FINDINGS_OPEN}"):
        raise ValueError("the first line does not open the findings")
    last = next((line for line in lines if line.startswith(b"],")), None)
    if last is None:
        raise ValueError("the findings do not end")
    return json_of((first.removesuffix(f", {FINDINGS_OPEN}") + "}").encode()), json_of(b"{" + last.removeprefix(b"],"))


def _findings(path: Path) -> Iterator[Finding]:
    try:
        lines = lines_of(path)
        next(lines, b"")
        for line in lines:
            if line.startswith(b"]"):
                return
            yield _finding(json_of(line.removesuffix(b",")))
    except OSError as error:
        raise unreadable(path, error.strerror or str(error)) from error
    except (KeyError, TypeError, ValueError) as error:
        raise unreadable(path, f"a finding is incomplete ({type(error).__name__}: {error})") from error


def _run(run: dict[str, Any]) -> Run:
    endpoints = tuple(
        EndpointReading(**{**reading, "started": _moment(reading["started"]), "finished": _moment(reading["finished"])})
        for reading in run["endpoints"]
    )
    # An older report does not have this field.
    read = tuple(
        ReadTime(one["endpoint"], one["topic"], one["host"], _moment(one["first"]), _moment(one["last"]), one.get("source"))
        for one in run.get("read", ())
    )
    origin = Origin(**run["origin"]) if run.get("origin") else None  # likewise
    return Run(
        run["id"], _moment(run["started"]), _moment(run["finished"]), endpoints, run["hosts"], read, origin, run.get("waited_seconds")
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _summary(summary: dict[str, Any]) -> Summary:
    return Summary(
        fail=summary["fail"],
        passed=summary["pass"],
        unknown=summary["unknown"],
        not_applicable=summary["not_applicable"],
        waived=summary["waived"],
        by_severity=summary["by_severity"],
        waived_unknown=summary.get("waived_unknown", 0),
        accepted_unknown=summary.get("accepted_unknown", 0),  # an older report does not have this field
    )


def _finding(finding: dict[str, Any]) -> Finding:
    read = _without_message(finding)
    message = finding.get("message", "")  # an older report does not have this field
    return read if message == message_of(read) else replace(read, message=message)  # one that reports make is no message of the rule


def _without_message(finding: dict[str, Any]) -> Finding:
    return Finding(
        rule=finding["rule"],
        title=finding["title"],
        verdict=Verdict(finding["verdict"]),
        severity=Severity(finding["severity"]),
        resource=Resource(**finding["resource"]),
        observed=finding["observed"],
        desired=finding["desired"],
        evidence=finding["evidence"],
        missing=tuple(finding["missing"]),
        fix=fix_of(finding["fix"]) if finding["fix"] else None,
        impact=finding["impact"],
        waiver=finding["waiver"],
        lapsed_waiver=finding.get("lapsed_waiver"),
        drift_age=drift_age_of(finding["since"]) if finding.get("since") else None,
        failure_title=finding.get("failure_title", ""),
    )


def drift_age_of(since: Mapping[str, Any]) -> DriftAge:
    """The inverse of `json_report.drift_age_object`.

    Raises:
        KeyError, TypeError, ValueError: a field is missing or has another type.
    """
    return DriftAge(since["run"], _moment(since["at"]), since["at_least"])


def fix_of(fix: Mapping[str, Any]) -> Fix:
    """The inverse of `json_report.fix_object`.

    Raises:
        KeyError, TypeError, ValueError: a field is missing or has another type.
    """
    target = tuple(sorted(fix.get("target", {}).items()))  # an older report does not have this field
    outcome = Outcome(fix["outcome"])
    return Fix(
        fix["remediator"],
        FixClass(fix["class"]),
        fix["before"],
        fix["after"],
        outcome,
        fix["why"],
        fix["pending"],
        target,
        _takes(fix),
        fix.get("collateral", ""),
    )


def _takes(fix: Mapping[str, Any]) -> FixClass | None:
    takes = fix.get("takes")  # an older report does not have this field
    return None if takes is None else FixClass(takes)


def _receipt(receipt: dict[str, Any]) -> Receipt:
    change = Change(
        receipt["remediator"],
        FixClass(receipt["class"]),
        Target(receipt["endpoint"], tuple(sorted(receipt["target"].items()))),
        receipt["before"],
        receipt["after"],
        tuple(receipt["rules"]),
        Resource(**receipt["resource"]),
        receipt["reason"],
        _takes(receipt),
        receipt.get("collateral", ""),
    )
    return Receipt(change, Outcome(receipt["outcome"]), receipt["found"], receipt["why"], receipt["pending"])


def _contradiction(clash: dict[str, Any]) -> Contradiction:
    return Contradiction(
        clash["remediator"],
        Target(clash["endpoint"], tuple(sorted(clash["target"].items()))),
        tuple((want["rule"], want["value"]) for want in clash["wants"]),
        tuple(want["reason"] for want in clash["wants"]),
        Resource(**clash["resource"]) if clash["resource"] is not None else None,
    )


def _rule(rule: dict[str, Any]) -> RuleText:
    sources = tuple((source["what"], source["url"]) for source in rule["sources"])
    severity = Severity(rule["severity"])
    documents = documents_read(rule.get("documents", []))
    units = {name: (one["unit"], one["absent"]) for name, one in rule.get("units", {}).items()}  # an older report has none
    unknown_text = rule.get("unknown_text", "")
    return RuleText(
        rule["id"],
        rule["title"],
        severity,
        rule["lesson"],
        sources,
        rule["fix_text"],
        unknown_text,
        documents,
        units,
        rule.get("failure_title", ""),
    )
