"""`--reporter openmetrics` is read by prometheus_client's parser, and has no series for a finding."""

import io
from collections.abc import Callable
from typing import Any

import pytest

from auditor import __version__
from auditor.model import Gap, Report
from auditor.report.formats.openmetrics import write_openmetrics
from tests.report import samples


def written(report: Report) -> str:
    out = io.StringIO()
    write_openmetrics(report, out)
    return out.getvalue()


def parsed(report: Report) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """(name, sorted labels) -> value."""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    families: list[Any] = list(text_string_to_metric_families(written(report)))
    assert all(family.documentation and family.type == "gauge" for family in families)
    series = [((sample.name, tuple(sorted(sample.labels.items()))), sample.value) for family in families for sample in family.samples]
    assert len(dict(series)) == len(series)
    return dict(series)


def value(series: dict[tuple[str, tuple[tuple[str, str], ...]], float], name: str, **labels: str) -> float:
    return series[f"auditor_{name}", tuple(sorted(labels.items()))]


@pytest.mark.parametrize(
    "report",
    [samples.bad_night, samples.clean, samples.blind, samples.hostile, lambda: samples.report_of([])],
    ids=["drift", "clean", "unread fleet", "hostile names", "nothing judged"],
)
def test_every_report_is_read_by_both_parsers(report: Callable[[], Report]) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    assert parsed(report())
    older: list[Any] = list(text_string_to_metric_families(written(report())))
    assert {family.name for family in older} == {name for name, _ in parsed(report())}


def test_counts_are_those_of_the_report() -> None:
    series = parsed(samples.bad_night())
    dsnro = {"rule": "vvol/pe-dsnro-headroom", "severity": "high"}
    counts = {
        verdict: value(series, "findings", **dsnro, verdict=verdict) for verdict in ("fail", "unknown", "waived", "pass", "not_applicable")
    }
    assert counts == {"fail": 2, "unknown": 1, "waived": 1, "pass": 0, "not_applicable": 1}
    assert value(series, "findings", rule="sioc/overlap-array-qos", severity="critical", verdict="pass") == 5
    assert value(series, "coverage_ratio") == 0.9
    assert (value(series, "judged"), value(series, "unjudged"), value(series, "hosts")) == (9, 1, 5)
    assert (value(series, "gaps", endpoint="vc-east"), value(series, "gaps", endpoint="sf-01")) == (1, 0)
    assert value(series, "endpoint_complete", endpoint="vc-east", kind="vcenter") == 0
    assert value(series, "endpoint_complete", endpoint="sf-01", kind="element") == 1
    assert value(series, "notices") == 1
    assert (value(series, "changes", outcome="applied"), value(series, "changes", outcome="unverified")) == (2, 1)
    # 2026-11-21T06:55:00Z, by another program
    assert (value(series, "run_started_timestamp_seconds"), value(series, "run_finished_timestamp_seconds")) == (1795244100, 1795244225)
    assert value(series, "build_info", version=__version__) == 1


def test_a_rule_without_failures_counts_none_so_that_an_alarm_ends() -> None:
    assert value(parsed(samples.bad_night()), "findings", rule="vaai/uniform", severity="low", verdict="fail") == 0


def test_a_gap_of_no_endpoint_of_the_fleet_makes_no_series_of_its_own() -> None:
    gaps = [Gap(f"nobody-{number}", "a thing", "gone") for number in range(9)]
    series = parsed(samples.report_of([], gaps=gaps))
    assert value(series, "gaps", endpoint="") == 9
    assert sum(name == "auditor_gaps" for name, _ in series) == 3


def test_the_number_of_series_does_not_grow_with_findings() -> None:
    few, many = (parsed(samples.huge(failing)) for failing in (100, 400))
    assert few.keys() == many.keys()
    assert len(few) < 200


def test_a_name_stays_in_its_label() -> None:
    hostile = 'a"} 7\nauditor_hosts 9\\'
    series = parsed(samples.report_of([], run_=samples.run(samples.reading(hostile))))
    assert value(series, "gaps", endpoint='a"} 7\\nauditor_hosts 9\\') == 0
    assert value(series, "hosts") == 4
