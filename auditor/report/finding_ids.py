"""Short ids of findings: a person copies one from a report and gives it to `auditor explain` or `auditor reproduce`."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.model import Verdict
from auditor.report.wording import neutral
from auditor.text.names import is_called

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from auditor.model import Finding, Report, Run

SHOWN = 8
"""Digits of an id that tables show; any prefix that only one finding has is accepted."""
_DIGITS = 12
_LEAST = 4
_NAMED = 10
"""Candidates that a refusal names."""
_HARMLESS = (Verdict.PASS, Verdict.NOT_APPLICABLE)
_PREFIX = re.compile(rf"[0-9a-f]{{{_LEAST},{_DIGITS}}}")


class FindingIds:
    """The ids of the findings of one run.

    An id is a digest of the rule, of who the endpoint says it is (its name in fleet.yaml where that is not known), and of the resource. So
    it stays the same from run to run, and when an endpoint gets another name. Nothing of it is kept: it is made again for older runs.
    """

    def __init__(self, run: Run) -> None:
        self._identities = identities_of((one.name, one.identity) for one in run.endpoints)

    def of(self, finding: Finding) -> str:
        """Twelve hexadecimal digits."""
        return finding_id(finding, self._identities)


def identities_of(endpoints: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    """Who each endpoint is, by its name: its identity, or its name where that is not known."""
    return {name: (identity or name).casefold() for name, identity in endpoints}


def finding_id(finding: Finding, identities: Mapping[str, str]) -> str:
    """The id of a finding of a run whose endpoints are these, as `identities_of` has them."""
    resource = finding.resource
    endpoint = identities.get(resource.endpoint, resource.endpoint)
    parts = f"{finding.rule}\0{endpoint}\0{resource.kind}\0{resource.id}"
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def id_sql(rule: str, who: str, kind: str, resource_id: str) -> str:
    """The id as DuckDB computes it, of these expressions; `who` is the identity, or the name, of the endpoint as `FindingIds` has it."""
    parts = " || '\\x00'::BLOB || ".join(f"encode(CAST({one} AS VARCHAR))" for one in (rule, who, kind, resource_id))
    return f"substr(sha256({parts}), 1, {_DIGITS})"


def may_be_id(text: str) -> bool:
    """Whether `text` has the form of an id, or of the beginning of one."""
    return _PREFIX.fullmatch(text.lower()) is not None


def named_finding(report: Report, words: Sequence[str]) -> tuple[str, Finding] | None:
    """The id and the finding that `words` name: an id or its beginning, a rule and a resource, or a rule alone that fails once.

    None where no finding is named so.

    A resource is named by its name or id, its host, or HOST/NAME; the first part of the host's name will do. Where several verdicts of a
    rule fit, the worst goes before others.

    Raises:
        ConfigurationError: several findings are named so.
    """
    if len(words) == 1:
        if any(rule.id == words[0] for rule in report.rules):
            return _only(words, _fitting(report, lambda _, finding: finding.rule == words[0] and finding.verdict is Verdict.FAIL))
        if not may_be_id(words[0]):
            return None
        return _only(words, _fitting(report, lambda one, _: one.startswith(words[0].lower())))
    rule, resource = words
    fitting = _fitting(report, lambda _, finding: finding.rule == rule and _is_about(finding, resource))
    return _only(words, [pair for pair in fitting if pair[1].verdict is fitting[0][1].verdict])


def _fitting(report: Report, fits: Callable[[str, Finding], bool]) -> list[tuple[str, Finding]]:
    """The findings that fit, with their ids. Passes, which are most, are only looked at where nothing worse fits."""
    ids = FindingIds(report.run)
    found: list[tuple[str, Finding]] = []
    for finding in report.findings():  # worst first
        if found and finding.verdict in _HARMLESS and found[0][1].verdict not in _HARMLESS:
            break
        one = ids.of(finding)
        if fits(one, finding):
            found.append((one, finding))
    return found


def _is_about(finding: Finding, words: str) -> bool:
    resource = finding.resource
    first = (resource.host or "").partition(".")[0]
    hosts = {resource.host or "", "" if first.isdigit() else first} - {""}  # digits alone are the beginning of an address
    names = {resource.name, resource.id, *hosts, *(f"{host}/{resource.name}" for host in hosts)} - {""}
    return any(is_called(name, words) for name in names)


def _only(words: Sequence[str], fitting: Sequence[tuple[str, Finding]]) -> tuple[str, Finding] | None:
    """The one finding; its id is distinct from all others of the list.

    Raises:
        ConfigurationError: there are several.
    """
    if len({one for one, _ in fitting}) > 1:
        raise ConfigurationError(
            f'"{neutral(" ".join(words))}" names {len(fitting)} findings: {", ".join(_listed(fitting))}',
            why="it is not clear which one is meant.",
            do="give the id of one of them; reports show it beside each finding.",
        )
    return fitting[0] if fitting else None


def _listed(fitting: Iterable[tuple[str, Finding]]) -> Iterator[str]:
    for place, (one, finding) in enumerate(fitting):
        if place == _NAMED:
            yield "..."
            return
        resource = finding.resource
        host = f" of {resource.host}" if resource.host and resource.host != resource.name else ""
        yield neutral(f"{one} ({finding.rule}, {resource.name}{host})")
