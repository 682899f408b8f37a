"""Findings as the HTML report carries them: blocks of columns, in which a text that repeats stands once.

A block has `n` findings that all have evidence of the same columns. `at` is the place of the first of them in the report, or the place of
each. Each other column is one of: a list of `n` values; `{"v": value}`, where all
are equal; `{"d": values, "i": places}`, where few differ; `{"as": name}`, the same as another column. `reports/templates/report_data.js`
reads them.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from auditor.model import Outcome, Verdict
from auditor.report.html.pages import embedded
from auditor.report.html.summary import setting_name
from auditor.report.impacts import impact_rows
from auditor.report.json.saved_report import key_of
from auditor.report.json.values import json_scalar
from auditor.report.messages import message_beside_name
from auditor.report.provenance import when_text, where_text
from auditor.report.rule_words import flat
from auditor.report.setting_values import setting_text_of
from auditor.report.wording import drift_age_text, neutral

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from markupsafe import Markup

    from auditor.model import Finding, Fix, Scalar
    from auditor.report.finding_ids import FindingIds
    from auditor.report.json.saved_report import FindingKey
    from auditor.report.provenance import Provenance

FINDINGS_EMBEDDED = 200_000
BYTES_WITH_EVIDENCE = 26_000_000
"""Of data: the findings after it are carried without evidence, impact and times of reading, so that the page stays below 30 MB."""
BYTES_EMBEDDED = 28_000_000
"""Of data: no finding is carried after it. Policy (issue 16): a page of 30 MB opens in three seconds."""
_BLOCK = 1_000
_SAFE_INTEGER = 2**53 - 1  # JavaScript has only doubles
_VERDICTS = {verdict: place for place, verdict in enumerate(Verdict)}
_OUTCOMES = {outcome: place for place, outcome in enumerate(Outcome)}
_SHARED = ("name", "host", "cluster", "endpoint", "observed")
"""Columns that a column of the evidence may repeat."""


class Embedding:
    """Encodes findings; `carried` and `without_evidence` count them as the blocks are made.

    Args:
        rules: the place of each rule in the page.
        provenance: of the run's values.
        ids: of its findings.
        changes: what became of findings since an earlier run, in a word or two; None: nothing is compared.
    """

    def __init__(
        self, rules: Mapping[str, int], provenance: Provenance, ids: FindingIds, changes: Mapping[FindingKey, str] | None = None
    ) -> None:
        self._rules = rules
        self._changes = changes or {}
        self._provenance = provenance
        self._ids = ids
        self._bytes = 0
        self.carried = 0
        self.without_evidence = 0

    def blocks(self, findings: Iterator[Finding]) -> Iterator[Markup]:
        """One data block after the other until the page is full."""
        while rows := self._rows_of(islice(findings, _BLOCK)):
            shapes: dict[tuple[str, ...], list[int]] = {}
            for place, (shape, _) in enumerate(rows):
                shapes.setdefault(shape, []).append(place)
            first = self.carried
            for shape, places in shapes.items():
                yield self._block(shape, [rows[place][1] for place in places], [first + place for place in places])

    def _rows_of(self, findings: Iterator[Finding]) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
        """The columns of the evidence of each, and its row; none where the page is full."""
        if self._bytes >= BYTES_EMBEDDED:
            return []
        is_whole = self._bytes < BYTES_WITH_EVIDENCE
        found = islice(findings, FINDINGS_EMBEDDED - self.carried)
        rows = [(tuple(one.evidence) if is_whole else (), self._row(one, is_whole=is_whole)) for one in found]
        self.without_evidence += 0 if is_whole else len(rows)
        return rows

    def _block(self, shape: tuple[str, ...], rows: Sequence[dict[str, Any]], places: Sequence[int]) -> Markup:
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        evidence = columns.pop("evidence")
        found: dict[str, Any] = {"n": len(rows), "at": list(places), **{name: _column(values) for name, values in columns.items()}}
        if places[-1] - places[0] + 1 == len(places):
            found["at"] = places[0]
        found["evidence"] = [
            [neutral(name), next((_as(shared) for shared in _SHARED if _is_same(columns[shared], values)), None) or _column(values)]
            for name, values in zip(shape, zip(*evidence, strict=True), strict=True)
        ]
        block = embedded(found)
        self._bytes += len(block)
        self.carried += len(rows)
        return block

    def _row(self, finding: Finding, *, is_whole: bool) -> dict[str, Any]:
        resource, name = finding.resource, neutral(finding.resource.name)
        identifier = neutral(resource.id)
        ends_with_name = identifier.endswith(name)
        return {
            "rule": self._rules[finding.rule],
            "verdict": _VERDICTS[finding.verdict],
            "severity": finding.severity.rank,
            "endpoint": _text(resource.endpoint),
            "cluster": _text(resource.cluster),
            "host": _text(resource.host),
            "kind": _text(resource.kind),
            "name": name,
            "id": identifier[: len(identifier) - len(name)] if ends_with_name else identifier,
            "named": int(ends_with_name),  # whether the name has to be put behind `id`
            "observed": _value(finding.observed),
            "desired": _value(finding.desired),
            "missing": [neutral(column) for column in finding.missing],
            "fix": _fix(finding.fix),
            "waiver": _texts(finding.waiver),
            "lapsed": _texts(finding.lapsed_waiver),
            "change": self._changes.get(key_of(finding), "") if self._changes else "",
            "since": drift_age_text(finding.drift_age) if finding.drift_age else "",
            "finding": self._ids.of(finding),
            "message": message_beside_name(finding),
            "impact": list(impact_rows(finding.impact).items()) if is_whole else [],
            "read": [
                [neutral(f"{where_text(one)}, {when_text(one)}"), neutral(", ".join(one.columns))] for one in self._provenance.of(finding)
            ]
            if is_whole
            else [],
            "whole": int(is_whole),
            "evidence": [_value(value) for value in finding.evidence.values()] if is_whole else [],
        }


def _column(values: Sequence[Any]) -> Any:
    """The shortest of the forms of a column."""
    places: dict[Any, int] = {}
    # False and 0, and 1 and 1.0, are equal and not the same.
    indices = [places.setdefault(repr(one) if type(one) is list else (type(one), one), len(places)) for one in values]
    if len(places) == 1:
        return {"v": values[0]}
    if len(places) > len(values) // 2:
        return list(values)
    distinct: list[Any] = [None] * len(places)
    for value, place in zip(values, indices, strict=True):
        distinct[place] = value
    return {"d": distinct, "i": indices}


def _is_same(one: Sequence[Scalar], other: Sequence[Scalar]) -> bool:
    """Whether two columns agree; 0 is not false."""
    return all(type(left) is type(right) and left == right for left, right in zip(one, other, strict=True))


def _as(column: str) -> dict[str, str]:
    return {"as": column}


def _fix(fix: Fix | None) -> list[Any] | None:
    """Setting, classes, before and after with their units, outcome, why, what it waits for, and what else it reaches."""
    if fix is None:
        return None
    keys = dict(fix.target)
    return [
        setting_name(fix),
        " and ".join(fix.classes),
        setting_text_of(fix.remediator or "", keys, fix.before),
        setting_text_of(fix.remediator or "", keys, fix.after),
        _OUTCOMES[fix.outcome],
        _text(flat(fix.why or "")),
        _text(fix.pending),
        _text(fix.collateral),
    ]


def _texts(values: Mapping[str, Scalar] | None) -> list[list[Scalar]]:
    return [[neutral(name), _value(value)] for name, value in (values or {}).items()]


def _text(text: str | None) -> str:
    return neutral(text or "")


def _value(value: Scalar) -> Scalar:
    if isinstance(value, str):
        return neutral(value)
    if isinstance(value, int) and abs(value) > _SAFE_INTEGER:
        return str(value)
    return json_scalar(value)
