"""What a rule observed and desired, as a person reads it: with its unit, and in words where there is no value."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from auditor.facts.own_catalog import catalog
from auditor.model import Verdict
from auditor.report.setting_values import UNLIMITED
from auditor.report.wording import value_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.model import Finding, RuleText, Scalar

_KIBI = 1024
_BYTES = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def shown_values(finding: Finding, rule: RuleText | None) -> dict[str, str]:
    """By "observed" and "desired": the value in words; one that has neither unit nor word is left out, and so is one that was not read.

    Args:
        finding: of `rule`.
        rule: None where the report has no text of it.
    """
    if rule is None:
        return {}
    values = {"observed": finding.observed, "desired": finding.desired}
    shown = {name: _shown(values[name], unit, absent) for name, (unit, absent) in rule.units.items() if name in values}
    if finding.verdict is Verdict.UNKNOWN and finding.observed is None:
        shown.pop("observed", None)
    return {name: text for name, text in shown.items() if text}


def no_limits(finding: Finding, rule: RuleText | None) -> dict[str, str]:
    """The words for values that are NULL and say something: of "observed" and "desired", and by name of columns of the evidence.

    Units of the others are those of the rule, once for all its findings: a report of 10,000 would be a megabyte longer.
    """
    values = {"observed": finding.observed, "desired": finding.desired}
    words = shown_values(finding, rule) if None in values.values() else {}
    words = {name: text for name, text in words.items() if values[name] is None}
    return words | {name: UNLIMITED for name, flags in _limits_of(finding.resource.kind).items() if _is_no_limit(finding, name, flags)}


@cache
def _limits_of(view: str) -> Mapping[str, Sequence[str]]:
    """The columns of a view whose NULL may be no limit, each with the columns that say so by being false."""
    about = catalog().views.get(view)
    return {} if about is None else {name: column.no_limit_where for name, column in about.columns.items() if column.no_limit_where}


def _is_no_limit(finding: Finding, name: str, flags: Sequence[str]) -> bool:
    evidence = finding.evidence
    return name in evidence and evidence[name] is None and any(evidence.get(flag) is False for flag in flags)


def _shown(value: Scalar, unit: str, absent: str) -> str:
    if value is None:
        return absent
    if isinstance(value, bool | str) or not unit:
        return ""
    return quantity_text(value, unit)


def quantity_text(value: float, unit: str) -> str:
    """A number with its unit, which is "us" (shown in ms), "share" (shown in percent), "bytes", "bytes/s", or stands as it is."""
    if unit in {"bytes", "bytes/s"}:
        return _bytes_text(value) + unit.removeprefix("bytes")
    if unit == "us":
        return f"{value_text(value / 1000)} ms"
    if unit == "share":
        return f"{value_text(value * 100)} %"
    between = "" if unit.startswith("/") else " "
    return f"{value_text(value)}{between}{unit}"


def _bytes_text(value: float) -> str:
    """Bytes in the largest unit that gives one at least."""
    number = float(value)
    for unit in _BYTES[:-1]:
        if abs(number) < _KIBI:
            return f"{value_text(round(number, 1))} {unit}"
        number /= _KIBI
    return f"{value_text(round(number, 1))} {_BYTES[-1]}"
