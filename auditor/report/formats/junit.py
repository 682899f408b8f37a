"""Writes the report as JUnit XML, for pipelines: a test suite for each rule, a test case for each finding.

A failure is a failure. An unknown verdict is an error: a pipeline that skips what it does not know would be green. A waived verdict is
skipped, with who answers for it. The passes of a rule are one test case that says how many they are. What was not read is an error of the
suite "reading". The format has no standard; this is what Jenkins, GitLab and their readers have in common.
"""

from __future__ import annotations

import html
import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, TextIO

from auditor.model import Verdict
from auditor.report.formats.listed import listed_findings, path_of, sentence_of, waiver_sentence
from auditor.report.impacts import impact_text
from auditor.report.json.values import utc_text
from auditor.report.terminal.gap_lines import why_text
from auditor.report.verdict_counts import LISTED, by_rule
from auditor.report.wording import neutral, notices_of, scope_notice, value_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditor.model import Finding, Report

_IN_MEMORY_BYTES = 4 << 20
_PART_BYTES = 1 << 16
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write. Source: W3C, Extensible Markup Language (XML) 1.0, 2.2 Characters."""


@dataclass(slots=True)
class _Suite:
    """The test cases of one rule: how many of each verdict, and where they stand in the file of all cases."""

    counts: Counter[Verdict]
    pieces: list[tuple[int, int]] = field(default_factory=list)  # begin and end, in bytes

    def tests(self) -> int:
        """How many test cases it has; all passes are one."""
        return sum(self.counts[verdict] for verdict in LISTED) + bool(self.counts[Verdict.PASS])


def write_junit(report: Report, out: TextIO) -> None:
    """Write `report` as one XML document, in ASCII. A suite's counts stand before its cases, so the cases wait in a file without a name."""
    with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as cases:
        suites = _spooled(report, cases)
        seconds = max(0.0, (report.run.finished - report.run.started).total_seconds())
        totals = Counter[Verdict]()
        for suite in suites.values():
            totals.update(suite.counts)
        gaps, is_open = len(report.gaps), len(report.open_gaps)
        tests = sum(suite.tests() for suite in suites.values()) + gaps
        counts = _counts(tests, totals[Verdict.FAIL], totals[Verdict.UNKNOWN] + is_open, totals[Verdict.WAIVED] + gaps - is_open)
        out.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites{_named("auditor")}{counts} time="{seconds:.3f}">\n')
        out.writelines(_reading(report))
        when = f' timestamp="{utc_text(report.run.started).removesuffix("Z")}"'
        for rule, suite in suites.items():
            of_rule = suite.counts
            counts = _counts(suite.tests(), of_rule[Verdict.FAIL], of_rule[Verdict.UNKNOWN], of_rule[Verdict.WAIVED])
            out.write(f"<testsuite{_named(rule)}{counts}{when}>\n")
            for begin, end in suite.pieces:
                out.writelines(_copied(cases, begin, end))
            if passes := of_rule[Verdict.PASS]:
                out.write(f"<testcase{_named(count_of(passes, 'resource holds', 'resources hold'))}{_class(rule)}/>\n")
            out.write("</testsuite>\n")
        out.write("</testsuites>\n")


def _spooled(report: Report, cases: IO[bytes]) -> Mapping[str, _Suite]:
    """The suites of rules that judged anything; `cases` gets the text of every case."""
    suites = {rule: _Suite(counts) for rule, counts in by_rule(report).items()}
    at = 0
    for one, finding in listed_findings(report):
        suite = suites[finding.rule]
        written = cases.write(_case(one, finding).encode("ascii"))
        begin = suite.pieces.pop()[0] if suite.pieces and suite.pieces[-1][1] == at else at
        suite.pieces.append((begin, at + written))
        at += written
    return {rule: suite for rule, suite in suites.items() if suite.tests()}


def _copied(cases: IO[bytes], begin: int, end: int) -> Iterator[str]:
    """What stands in `cases` from `begin` to `end`, in parts."""
    cases.seek(begin)
    while begin < end:
        part = cases.read(min(_PART_BYTES, end - begin))
        begin += len(part)
        yield part.decode("ascii")


def _case(one: str, finding: Finding) -> str:
    name = f"{path_of(finding.resource)} [{one}]"
    return f"<testcase{_named(name)}{_class(finding.rule)}>{_outcome(finding)}</testcase>\n"


def _outcome(finding: Finding) -> str:
    sentence = sentence_of(finding)
    if finding.verdict is Verdict.WAIVED:
        return f"<skipped{_attribute('message', f'waived: {waiver_sentence(finding)}. {sentence}')}/>"
    if finding.verdict is Verdict.UNKNOWN:
        return f"<error{_attribute('message', sentence)}{_attribute('type', 'unknown')}>{xml_text(sentence)}</error>"
    lines = [sentence, f"Wanted: {neutral(finding.title)}"]
    is_limit = finding.observed == finding.desired  # one that is to be kept away from; likewise where no single value is desired
    wanted = "" if is_limit or finding.desired is None else f", desired {value_text(finding.desired)}"
    lines.append(f"Observed {value_text(finding.observed)}{wanted}.")
    if cost := impact_text(finding.impact):
        lines.append(f"Impact: {cost}")
    return (
        f"<failure{_attribute('message', sentence)}{_attribute('type', finding.severity.value)}>{xml_text(chr(10).join(lines))}</failure>"
    )


def _reading(report: Report) -> Iterator[str]:
    """The suite of what was not read; with what a narrow audit looked at, what changed and the notices. Nothing where there is none."""
    changed = [] if report.compared is None else [report.compared.sentence()]
    notices = [notice for notice in (scope_notice(report), *changed, *notices_of(report)) if notice]
    if not report.gaps and not notices:
        return
    gaps, is_open = len(report.gaps), len(report.open_gaps)
    yield f"<testsuite{_named('reading')}{_counts(gaps, 0, is_open, gaps - is_open)}>\n"
    for gap in report.gaps:
        outcome = f"<error{_attribute('message', neutral(gap.why))}{_attribute('type', 'gap')}/>"
        if gap.accepted is not None:
            outcome = f"<skipped{_attribute('message', neutral(why_text(gap)))}/>"
        yield f"<testcase{_named(neutral(f'{gap.endpoint}: {gap.what}'))}{_class('reading')}>{outcome}</testcase>\n"
    if notices:
        yield f"<system-out>{xml_text(chr(10).join(notices))}</system-out>\n"
    yield "</testsuite>\n"


def _counts(tests: int, failures: int, errors: int, skipped: int) -> str:
    return f' tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}"'


def _named(name: str) -> str:
    return _attribute("name", name)


def _class(rule: str) -> str:
    return _attribute("classname", rule.replace("/", "."))


def _attribute(name: str, value: str) -> str:
    return f' {name}="{xml_text(value)}"'


def xml_text(text: str) -> str:
    """`text` in an attribute or an element, in ASCII."""
    known = _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return html.escape(known).encode("ascii", "xmlcharrefreplace").decode("ascii")
