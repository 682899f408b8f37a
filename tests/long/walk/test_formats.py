"""What a real audit of the lab found is in every format, and each format's own reader agrees on how much it is."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from markdown_it import MarkdownIt

from auditor.cli import run
from tests.audits import Audit
from tests.report.formats.sarif_model import conforms
from tests.report.schemas import report_schema

LISTED = ("fail", "unknown", "waived")


@pytest.fixture(scope="module")
def written(whole_audit: Audit, shared_lab: tuple[Any, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a file of each format, named by it."""
    folder = tmp_path_factory.mktemp("formats")
    names = ("json", "json-full", "csv", "sarif", "junit", "markdown", "openmetrics")
    reporters = [word for name in names for word in ("--reporter", f"{name}:{folder / name}")]
    assert run(["runs", "show", whole_audit.report["run"]["id"], "--state-dir", str(shared_lab[1] / "state"), *reporters]) == 0
    return folder


@pytest.fixture(scope="module")
def counts(whole_audit: Audit) -> Counter[str]:
    return Counter(finding["verdict"] for finding in whole_audit.report["findings"])


def test_both_json_reports_obey_the_schema_and_count_alike(written: Path, counts: Counter[str]) -> None:
    validator = jsonschema.Draft202012Validator(report_schema())
    short, full = (json.loads((written / name).read_text(encoding="utf-8")) for name in ("json", "json-full"))
    validator.validate(short)
    validator.validate(full)
    assert Counter(finding["verdict"] for finding in short["findings"]) == {
        verdict: counts[verdict] for verdict in LISTED if counts[verdict]
    }
    totals = {verdict: sum(rule[verdict] for rule in short["by_rule"]) for verdict in (*LISTED, "pass", "not_applicable")}
    assert totals == {verdict: counts[verdict] for verdict in totals}
    assert short["by_rule"] == full["by_rule"]


def test_csv_has_a_row_for_each_finding_and_gap(written: Path, counts: Counter[str], whole_audit: Audit) -> None:
    with (written / "csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    assert Counter(row["verdict"] for row in rows if row["entry"] == "finding") == {
        verdict: counts[verdict] for verdict in LISTED if counts[verdict]
    }
    assert sum(row["entry"] == "gap" for row in rows) == len(whole_audit.report["gaps"])


def test_sarif_has_a_result_for_each_finding(written: Path, counts: Counter[str]) -> None:
    import sarif_pydantic

    document = json.loads((written / "sarif").read_text(encoding="utf-8"))
    conforms(document, "SarifLog")
    sarif_pydantic.Sarif.model_validate(document)
    results = document["runs"][0]["results"]
    assert len(results) == sum(counts[verdict] for verdict in LISTED)
    assert sum(bool(result["suppressions"]) for result in results) == counts["waived"]
    ids = [result["partialFingerprints"]["auditorFindingId/v1"] for result in results]
    assert len(set(ids)) == len(ids)


def test_junit_has_a_case_for_each_finding(written: Path, counts: Counter[str], whole_audit: Audit) -> None:
    import junitparser

    suites = junitparser.JUnitXml.fromfile(str(written / "junit"))
    gaps = len(whole_audit.report["gaps"])
    assert (suites.failures, suites.errors, suites.skipped) == (counts["fail"], counts["unknown"] + gaps, counts["waived"])
    names = [(case.classname, case.name) for suite in suites for case in suite if suite.name != "reading"]
    assert len(set(names)) == len(names)


def test_openmetrics_counts_every_verdict(written: Path, counts: Counter[str]) -> None:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    read: Counter[str] = Counter()
    for family in text_string_to_metric_families((written / "openmetrics").read_text(encoding="utf-8")):
        for sample in family.samples:
            if sample.name == "auditor_findings":
                read[sample.labels["verdict"]] += int(sample.value)
    assert read == counts


def test_markdown_fits_a_comment_and_names_the_number_of_failures(written: Path, counts: Counter[str]) -> None:
    text = (written / "markdown").read_text(encoding="utf-8")
    headings = [token.content for token in MarkdownIt("gfm-like").parse(text) if token.type == "inline"]
    assert f"Failures ({counts['fail']:,})" in headings
    assert len(text) < 65_536
