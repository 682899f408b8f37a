"""Writes the report as one HTML file that needs no network, can be searched and printed, and is safe to open."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, TextIO

from auditor.errors import SnapshotError
from auditor.model import Outcome, Severity, TrendPoint, Verdict
from auditor.report.causes import causes_of
from auditor.report.digest import coverage_line, digest, headline, next_steps
from auditor.report.finding_ids import FindingIds
from auditor.report.html.changes import KIND_LOOKS, page_changes
from auditor.report.html.day_drawing import day_drawing
from auditor.report.html.drawn_causes import CAUSES_DRAWN, drawn_cause
from auditor.report.html.embedding import Embedding
from auditor.report.html.heat_map import heat_map
from auditor.report.html.interval_bars import small_bars
from auditor.report.html.pages import embedded, write_page
from auditor.report.html.path_drawing import drawing
from auditor.report.html.sparkline import severities_sentence, sparkline, trend_sentence
from auditor.report.html.storage_map import storage_map
from auditor.report.html.summary import CAUSES, cause_texts, fix_rows, made_sentences, planned
from auditor.report.html.worst_days import worst_days
from auditor.report.html.worst_paths import worst_paths
from auditor.report.path_words import heading
from auditor.report.provenance import Provenance
from auditor.report.verdict_counts import hosts_text, listed_of
from auditor.report.wording import OUTCOME_WORDS, VERDICT_WORDS, certificate_text, neutral, notices_of, outcome_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from auditor.model import Finding, Receipt, Report
    from auditor.report.digest import Digest
    from auditor.report.html.worst_paths import WorstPaths

_ROWS_WITHOUT_SCRIPT = 10  # of each rule
_ALL_WITHOUT_SCRIPT, _LEAST_WITHOUT_SCRIPT = 300, 3  # of all rules together, unless these are so many that each has the least
_ROWS_A_LIST = 500  # gaps and receipts
_SCRIPTS = ("report_data.js", "report_groups.js", "report_rows.js", "report.js")


def write_html(report: Report, out: TextIO) -> None:
    """Write `report` as one page that loads nothing and sends nothing.

    Failures, unknown and waived verdicts are embedded one by one; passes and verdicts that do not apply only as counts of each rule.
    """
    from markupsafe import Markup

    results = digest(report, _ROWS_WITHOUT_SCRIPT)
    places = {rule.rule: place for place, rule in enumerate(results.rules)}
    ids = FindingIds(report.run)
    changes = page_changes(report.compared)
    embedding = Embedding(places, Provenance(report.run), ids, changes.words if changes is not None else None)
    summary = report.summary
    causes = cause_texts(results)
    worst = worst_paths(report, results, [cause.costliest for cause in causes[:CAUSES_DRAWN]])
    values = {
        "report": report,
        "ids": ids,
        "digest": results,
        "headline": headline(report, len(results.failing), results.failing_hosts),
        "hosts_text": hosts_text(report),
        "notices": _worst_notices_first(report),
        "open_gaps": report.open_gaps,
        "accepted": [gap for gap in report.gaps if gap.accepted is not None],
        "without_script": max(_LEAST_WITHOUT_SCRIPT, min(_ROWS_WITHOUT_SCRIPT, _ALL_WITHOUT_SCRIPT // max(1, len(results.failing)))),
        "causes": causes[:CAUSES],
        "more_causes": len(causes) - CAUSES,
        "small_bars": {cause.place: Markup(small_bars(cause.costliest.impact)) for cause in causes[:CAUSES]},  # noqa: S704  numbers
        "map": heat_map(report),
        "storage": storage_map(report, worst.datastores),
        "drawn_causes": [
            drawn_cause(cause, number, path, functions)
            for number, (cause, path, functions) in enumerate(zip_longest(causes[:CAUSES_DRAWN], worst.of_causes, worst.functions))
        ],
        # Its texts are escaped where it is made.
        "days": [(one, Markup(day_drawing(one.day, f"day-{number}"))) for number, one in enumerate(worst_days(report, results))],  # noqa: S704
        "changes": changes,
        "looks": KIND_LOOKS,
        "trend": _drawn_trend(report),
        "made": made_sentences(report),
        "planned": planned(results),
        "fixes": fix_rows(results),
        "coverage": coverage_line(report),
        "steps": next_steps(report, results),
        "verdicts": Verdict,
        "severities": list(Severity),
        "listed": _ROWS_A_LIST,
        "certificate": None if report.certificate is None else certificate_text(report.certificate),
        "receipts": [(receipt, _receipt_text(receipt)) for receipt in report.receipts[:_ROWS_A_LIST]],
        "paths": list(_drawn(worst)),
        "why_no_path": worst.why_none,
        "blocks": embedding.blocks(listed_of(report)),
        "vocabulary": _vocabulary(report.run.id, results, worst, ids, embedding, summary.fail + summary.unknown + summary.waived),
    }
    write_page("report.html.j2", values, out, script=_SCRIPTS, styles=("page.css", "report.css", "pictures.css", "drawing.css"))


def trend_points(report: Report) -> tuple[TrendPoint, ...]:
    """The runs of its scope, this one last; none where there is no earlier one, or one cannot be read."""
    try:
        earlier = tuple(report.earlier()) if report.earlier is not None else ()
    except SnapshotError:
        return ()
    return (*earlier, TrendPoint(report.run.started, report.summary.fail, report.summary.by_severity)) if earlier else ()


def _drawn_trend(report: Report) -> tuple[Markup, str] | None:
    """The trend as a drawing and as a sentence."""
    from markupsafe import Markup

    points = trend_points(report)
    # It has no text but ours.
    return (Markup(sparkline(points)), "; ".join(filter(None, (trend_sentence(points), severities_sentence(points))))) if points else None  # noqa: S704


def _worst_notices_first(report: Report) -> list[str]:
    """The notices; what was not verified stands before the others, because a page shows the first ones only until somebody asks."""
    return sorted(notices_of(report), key=lambda notice: "NOT VERIFIED" not in notice)


def _vocabulary(run_id: str, results: Digest, worst: WorstPaths, ids: FindingIds, embedding: Embedding, listed: int) -> Iterator[Markup]:
    """The texts for the numbers in the blocks; read it after the last of them.

    Args:
        run_id: of the run.
        results: its rules, by their places.
        worst: the drawings, by the ids of the findings that are felt there.
        ids: of the findings.
        embedding: knows how many findings were left out.
        listed: how many findings there are to embed.
    """
    yield embedded(
        {
            "rules": [[rule.rule, neutral(rule.title), neutral(rule.heading)] for rule in results.rules],
            "verdicts": [VERDICT_WORDS[verdict] for verdict in Verdict],
            "severities": list(Severity),
            "outcomes": [OUTCOME_WORDS[outcome] for outcome in Outcome],
            "causes": _causes(results),
            "run": neutral(run_id),
            "paths": {ids.of(finding): number for number, (_, findings) in enumerate(worst.drawn) for finding in findings},
            "left_out": max(0, listed - embedding.carried),
            "without_evidence": embedding.without_evidence,
        }
    )


def _causes(results: Digest) -> list[int]:
    """For each rule the place of the rule that names its cause; -1 where it has no failure."""
    places = {rule.rule: place for place, rule in enumerate(results.rules)}
    named = {rule.rule: places[cause.worst.rule] for cause in causes_of(results) for rule in cause.rules}
    return [named.get(rule.rule, -1) for rule in results.rules]


def _drawn(worst: WorstPaths) -> Iterator[tuple[str, Markup, tuple[Finding, ...]]]:
    """Each path with its heading, its drawing and the findings that are felt on it."""
    from markupsafe import Markup

    for number, (path, findings) in enumerate(worst.drawn):
        # Its texts are escaped where it is made.
        yield heading(path), Markup(drawing(path, f"path-{number}")), findings  # noqa: S704


def _receipt_text(receipt: Receipt) -> str:
    return outcome_text(receipt.outcome, receipt.change.fix_class, receipt.pending)
