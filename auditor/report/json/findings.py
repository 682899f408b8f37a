"""Findings, fixes and receipts as the JSON report has them. Fields are only ever added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.report.json.values import json_scalar, json_scalars, utc_text
from auditor.report.messages import message_of
from auditor.report.setting_values import UNLIMITED, setting_text_of, unit_of
from auditor.report.shown_values import no_limits
from auditor.report.verdict_counts import LISTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model import Change, Contradiction, DriftAge, Finding, Fix, Receipt, Resource, RuleText, Scalar
    from auditor.report.provenance import ReadFrom


def resource_object(resource: Resource) -> dict[str, Any]:
    """What a verdict is about."""
    return {
        "kind": resource.kind,
        "id": resource.id,
        "name": resource.name,
        "endpoint": resource.endpoint,
        "cluster": resource.cluster,
        "host": resource.host,
    }


def finding_object(finding: Finding, rule: RuleText | None) -> dict[str, Any]:
    """A verdict on one resource, with its evidence; `rule` is None where its texts are not known."""
    text = no_limits(finding, rule) if finding.verdict in LISTED else {}
    return {
        "rule": finding.rule,
        "title": finding.title,
        **({"failure_title": finding.failure_title} if finding.failure_title else {}),
        **({"message": message} if (message := message_of(finding)) else {}),
        "verdict": finding.verdict,
        "severity": finding.severity,
        "resource": resource_object(finding.resource),
        "observed": json_scalar(finding.observed),
        "desired": json_scalar(finding.desired),
        **({"text": text} if text else {}),
        "evidence": json_scalars(finding.evidence),
        "missing": list(finding.missing),
        "impact": dict(finding.impact),
        "fix": fix_object(finding.fix) if finding.fix else {},
        "waiver": json_scalars(finding.waiver) if finding.waiver is not None else None,
        "lapsed_waiver": json_scalars(finding.lapsed_waiver) if finding.lapsed_waiver is not None else None,
        "since": drift_age_object(finding.drift_age) if finding.drift_age is not None else None,
    }


def read_object(read: ReadFrom) -> dict[str, Any]:
    """When an endpoint answered for columns of a finding."""
    return {
        "endpoint": read.endpoint,
        "first": utc_text(read.first) if read.first is not None else None,
        "last": utc_text(read.last) if read.last is not None else None,
        "columns": list(read.columns),
        "source": read.source,
    }


def drift_age_object(since: DriftAge) -> dict[str, Any]:
    """The age of a drift: the run that saw it first, and when."""
    return {"run": since.run, "at": utc_text(since.at), "at_least": since.at_least}


def fix_object(fix: Fix) -> dict[str, Any]:
    """How a failure can be fixed, and the result of the fix."""
    return {
        "remediator": fix.remediator,
        "class": fix.fix_class,
        **_takes(fix),
        "before": json_scalar(fix.before),
        "after": json_scalar(fix.after),
        "outcome": fix.outcome,
        "why": fix.why,
        "pending": fix.pending,
        "target": dict(fix.target),
        **({} if fix.remediator is None else _setting_texts(fix.remediator, dict(fix.target), fix.before, fix.after)),
    }


def _setting_texts(remediator: str, keys: Mapping[str, str], before: Scalar, after: Scalar) -> dict[str, Any]:
    """The unit of a setting, where it has one, and its values in words where one of them is no limit."""
    unit = unit_of(remediator, keys)
    texts = {"before": setting_text_of(remediator, keys, before), "after": setting_text_of(remediator, keys, after)}
    return {**({"unit": unit} if unit else {}), **({"text": texts} if UNLIMITED in texts.values() else {})}


def _takes(fix: Fix | Change) -> dict[str, Any]:
    takes = {} if fix.takes is None else {"takes": fix.takes}
    return takes if not fix.collateral else {**takes, "collateral": fix.collateral}


def receipt_object(receipt: Receipt) -> dict[str, Any]:
    """The result of a change."""
    change = receipt.change
    return {
        "remediator": change.remediator,
        "class": change.fix_class,
        **_takes(change),
        "rules": list(change.rules),
        "resource": resource_object(change.resource),
        "endpoint": change.target.endpoint,
        "target": dict(change.target.keys),
        "reason": change.reason,
        "before": json_scalar(change.before),
        "after": json_scalar(change.after),
        **_setting_texts(change.remediator, dict(change.target.keys), change.before, change.after),
        "outcome": receipt.outcome,
        "found": json_scalar(receipt.found),
        "why": receipt.why,
        "pending": receipt.pending,
    }


def contradiction_object(clash: Contradiction) -> dict[str, Any]:
    """A setting that rules want different."""
    reasons = clash.reasons or ("",) * len(clash.wants)
    return {
        "remediator": clash.remediator,
        "endpoint": clash.target.endpoint,
        "target": dict(clash.target.keys),
        "resource": resource_object(clash.resource) if clash.resource is not None else None,
        "wants": [
            {"rule": rule, "value": json_scalar(value), "reason": reason}
            for (rule, value), reason in zip(clash.wants, reasons, strict=True)
        ],
    }
