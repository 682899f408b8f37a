"""Writes the report as OpenMetrics, for a monitoring system: counts, never a series for each finding.

Labels are rules, severities, verdicts, outcomes, versions and the endpoints of fleet.yaml, so that the number of series is bounded. Every
type is gauge: readers of Prometheus' older text format, such as the textfile collector, do not know info.

Source: OpenMetrics 1.0.0, "Text format", "Gauge" and "Escaping".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TextIO

from auditor import __version__
from auditor.model import Outcome, Verdict
from auditor.model.comparison import ChangeKind
from auditor.report.verdict_counts import counts_of
from auditor.report.wording import neutral, notices_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from auditor.model import Gap, Report

    Samples: TypeAlias = Iterable[tuple[Mapping[str, str], float]]
    """Labels and value of each."""


def write_openmetrics(report: Report, out: TextIO) -> None:
    """Write `report` as metric families with their help and unit."""
    run, summary = report.run, report.summary
    family = _family
    out.writelines(family("findings", "Verdicts by rule, severity and verdict.", _findings(report)))
    out.writelines(family("coverage_ratio", "Share of applicable verdicts that could be reached.", [({}, summary.coverage)], "ratio"))
    out.writelines(family("judged", "Verdicts that were reached.", [({}, summary.judged)]))
    out.writelines(family("unjudged", "Verdicts that could not be reached, waived or not.", [({}, summary.unjudged)]))
    out.writelines(family("hosts", "ESXi hosts seen.", [({}, run.hosts)]))
    out.writelines(family("gaps", "Things that could not be read, by endpoint.", _gaps(report, report.gaps)))
    accepted = [gap for gap in report.gaps if gap.accepted is not None]
    out.writelines(family("accepted_gaps", "Those of the gaps that somebody answers for, by endpoint.", _gaps(report, accepted)))
    out.writelines(family("accepted_unknown", "Verdicts that are unknown by accepted gaps alone.", [({}, summary.accepted_unknown)]))
    complete = [({"endpoint": one.name, "kind": one.kind}, float(one.complete)) for one in run.endpoints]
    out.writelines(family("endpoint_complete", "1 where an endpoint was read without a gap, else 0.", complete))
    out.writelines(family("notices", "Sentences that every reader of a report must see.", [({}, len(list(notices_of(report))))]))
    if report.scope is not None:
        out.writelines(
            family("narrowed", "1 where options left something out of the audit, else 0.", [({}, float(report.scope.is_narrow))])
        )
    if report.compared is not None:
        became = [({"kind": kind.value}, report.compared.counts.get(kind, 0)) for kind in ChangeKind]
        out.writelines(family("changed_findings", "Findings that changed since the run before, by what became of them.", became))
    outcomes = Counter(receipt.outcome for receipt in report.receipts)
    changes = [({"outcome": one.value}, float(outcomes[one])) for one in Outcome]
    out.writelines(family("changes", "Changes of a fix, by what became of them.", changes))
    out.writelines(family("run_started_timestamp_seconds", "When reading began.", [({}, run.started.timestamp())], "seconds"))
    out.writelines(family("run_finished_timestamp_seconds", "When reading ended.", [({}, run.finished.timestamp())], "seconds"))
    out.writelines(family("build_info", "The version of auditor, as a label.", [({"version": __version__}, 1)]))
    out.write("# EOF\n")


def _findings(report: Report) -> Iterator[tuple[dict[str, str], float]]:
    """A count for every rule and verdict, zero too, so that an alarm ends when the last failure is gone."""
    counts: Counter[tuple[str, str, Verdict]] = Counter()
    for rule in report.rules:
        counts.update({(rule.id, rule.severity.value, verdict): 0 for verdict in Verdict})
    counts.update({(rule_id, severity.value, verdict): number for (rule_id, severity, verdict), number in counts_of(report).items()})
    for (rule_id, severity, verdict), number in counts.items():
        yield {"rule": rule_id, "severity": severity, "verdict": verdict.value}, number


def _gaps(report: Report, gaps: Iterable[Gap]) -> list[tuple[dict[str, str], float]]:
    """How many gaps every endpoint has; what is about none of them is counted under ""."""
    counts = Counter({one.name: 0 for one in report.run.endpoints})
    counts.update(gap.endpoint if gap.endpoint in counts else "" for gap in gaps)
    return [({"endpoint": endpoint}, number) for endpoint, number in counts.items()]


def _family(name: str, about: str, samples: Samples, unit: str = "") -> Iterator[str]:
    yield f"# TYPE auditor_{name} gauge\n"
    if unit:
        yield f"# UNIT auditor_{name} {unit}\n"
    yield f"# HELP auditor_{name} {about}\n"
    for labels, value in samples:
        pairs = ",".join(f'{label}="{escaped(text)}"' for label, text in labels.items())
        yield f"auditor_{name}{f'{{{pairs}}}' if pairs else ''} {value!r}\n"


def escaped(text: str) -> str:
    """`text` as the value of a label, without its quotation marks."""
    return neutral(text).replace("\\", r"\\").replace('"', r"\"")
