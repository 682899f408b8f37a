"""`--reporter junit` is read by junitparser, and its counts are those of its cases."""

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from auditor.model import Report
from auditor.report.formats import junit
from auditor.report.formats.junit import write_junit
from tests.report import samples


def parsed(report: Report) -> Any:
    import junitparser

    out = io.StringIO()
    write_junit(report, out)
    assert out.getvalue().isascii()
    return junitparser.JUnitXml.fromstring(out.getvalue().encode())


def cases(suite: Any) -> list[tuple[str, list[str]]]:
    return [(case.name, [type(result).__name__ for result in case.result]) for case in suite]


def counted(suites: Any) -> tuple[int, int, int, int]:
    return suites.tests, suites.failures, suites.errors, suites.skipped


@pytest.mark.parametrize(
    "report",
    [samples.bad_night, samples.clean, samples.blind, samples.hostile, lambda: samples.report_of([])],
    ids=["drift", "clean", "unread fleet", "hostile names", "nothing judged"],
)
def test_every_report_is_read_and_counts_its_cases(report: Callable[[], Report]) -> None:
    read = parsed(report())
    written = [counted(one) for one in (read, *read)]
    for suite in read:
        suite.update_statistics()
    read.update_statistics()
    assert written == [counted(one) for one in (read, *read)]


def test_a_rule_is_a_suite_and_a_finding_a_case() -> None:
    read = parsed(samples.bad_night())
    assert counted(read) == (7, 3, 2, 1)
    assert read.time == 125
    reading, dsnro, sioc = read
    assert [suite.name for suite in read] == ["reading", "vvol/pe-dsnro-headroom", "sioc/overlap-array-qos"]
    assert cases(reading) == [("vc-east: esxcli storage core device list on esx-03.example.net", ["Error"])]
    name = "naa.6f47acc100000000612e3f4d00000001"
    assert cases(dsnro)[0] == (f"vc-east/gold/esx-01.example.net/{name} [28289e63bcf0]", ["Failure"])
    assert [kinds for _, kinds in cases(dsnro)] == [["Failure"], ["Failure"], ["Error"], ["Skipped"]]
    assert [kinds for _, kinds in cases(sioc)] == [["Failure"], []]
    assert cases(sioc)[1][0] == "5 resources hold"
    first = next(iter(dsnro))
    assert first.classname == "vvol.pe-dsnro-headroom"
    assert first.result[0].message == f"{name}: observed 32, desired 256. Wanted: {samples.DSNRO.title}"
    assert first.result[0].type == "high"
    assert "Impact: vm-2 Hard disk 1 and 1 more take 267 to 383 ms" in first.result[0].text


def test_unknown_is_an_error_and_waived_says_who_answers_for_it() -> None:
    _, dsnro, _ = parsed(samples.bad_night())
    unknown, waived = [case.result[0] for case in dsnro][2:]
    assert (unknown.type, "not judged, not read: dsnro" in unknown.message) == ("unknown", True)
    assert waived.message.startswith("waived: replaced in May, until 2027-06-01T00:00:00Z (storage team, CHG-77, waivers.yaml:2). naa.")


def test_what_every_reader_must_see_is_in_the_suite_of_the_reading() -> None:
    reading = next(iter(parsed(samples.bad_night())))
    assert "sf-01 was NOT VERIFIED" in reading._elem.find("system-out").text


def test_a_rule_that_judged_nothing_is_no_suite() -> None:
    assert [suite.name for suite in parsed(samples.clean())] == ["vvol/pe-dsnro-headroom"]


def test_cases_of_a_rule_that_come_apart_are_one_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "_IN_MEMORY_BYTES", 100)
    names = ("a", "b", "c")
    apart = [one for name in names for one in (samples.sioc_finding(name), samples.pe_finding(f"esx-{name}"))]
    read = parsed(samples.report_of(apart))
    assert [[case.name.split(" ")[0] for case in suite] for suite in read] == [
        [f"vc-east/gold/esx-{name}/naa.6f47acc100000000612e3f4d00000001" for name in names],
        [f"vc-east/gold/{name}" for name in names],
    ]


def test_characters_that_xml_does_not_have_are_written_as_escapes() -> None:
    (suite,) = parsed(samples.report_of([samples.pe_finding("a\x00\x0b\uffff\ud800\U0001f600<&\"'>")]))
    assert next(iter(suite)).name.split("/")[2] == "a\\x00\\x0b\\uffff\\ud800\U0001f600<&\"'>"


@pytest.mark.parametrize(("desired", "said"), [(256, "Observed 32, desired 256."), (32, "Observed 32."), (None, "Observed 32.")])
def test_a_limit_that_is_reached_is_not_desired(desired: int | None, said: str) -> None:
    (suite,) = parsed(samples.report_of([replace(samples.pe_finding("esx-a"), observed=32, desired=desired)]))
    assert said in next(iter(suite)).result[0].text.splitlines()
