"""A finding has one short id, the same from run to run, and is found by it, by its beginning, or by rule and resource."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from auditor.errors import ConfigurationError
from auditor.model import Finding, Verdict
from auditor.report.finding_ids import FindingIds, named_finding
from tests.report import samples

FIRST = samples.pe_finding("esx-1")
SECOND = samples.pe_finding("esx-2")
DATASTORE = samples.sioc_finding()
REPORT = samples.report_of([FIRST, SECOND, DATASTORE])
IDS = FindingIds(REPORT.run)


def test_an_id_outlives_the_name_of_its_endpoint_where_the_endpoint_says_who_it_is() -> None:
    of_old = FindingIds(samples.run(replace(samples.reading("vc-east"), identity="4C4C-0042")))
    of_new = FindingIds(samples.run(replace(samples.reading("vc-renamed"), identity="4c4c-0042")))
    assert of_old.of(FIRST) == of_new.of(samples.pe_finding("esx-1", endpoint="vc-renamed"))


def test_resources_of_two_sites_with_the_same_names_have_two_ids() -> None:
    here = FindingIds(samples.run(replace(samples.reading("vc-east"), identity="4c4c-0042")))
    there = FindingIds(samples.run(replace(samples.reading("vc-east"), identity="4c4c-0043")))
    assert here.of(FIRST) != there.of(FIRST)


def test_an_id_does_not_depend_on_the_verdict_or_on_what_was_read() -> None:
    assert IDS.of(FIRST) == IDS.of(samples.pe_finding("esx-1", Verdict.UNKNOWN))
    assert len({IDS.of(one) for one in (FIRST, SECOND, DATASTORE)}) == 3


@pytest.mark.parametrize(
    "words",
    [
        pytest.param([IDS.of(SECOND)], id="the whole id"),
        pytest.param([IDS.of(SECOND)[:6].upper()], id="a beginning that only it has"),
        pytest.param([SECOND.rule, "esx-2"], id="rule and host"),
        pytest.param([SECOND.rule, f"ESX-2/{SECOND.resource.name}"], id="rule, host and device"),
        pytest.param([SECOND.rule, SECOND.resource.id], id="rule and resource id"),
    ],
)
def test_a_finding_is_found_by(words: list[str]) -> None:
    assert named_finding(REPORT, words) == (IDS.of(SECOND), SECOND)


@pytest.mark.parametrize(
    ("host", "words", "is_found"),
    [
        pytest.param("esx-7.example.net", "esx-7", True, id="its first part"),
        pytest.param("esx-7.example.net", f"esx-7/{FIRST.resource.name}", True, id="its first part and the device"),
        pytest.param("esx-7.example.net", "esx-7.example", False, id="half of it"),
        pytest.param("192.0.2.7", "192", False, id="the beginning of an address"),
        pytest.param("192.0.2.7", "192.0.2.7", True, id="an address"),
    ],
)
def test_a_host_is_named_by_the_first_part_of_its_name_too(host: str, words: str, *, is_found: bool) -> None:
    other = replace(FIRST, resource=replace(FIRST.resource, host=host, id="another"))
    assert (named_finding(samples.report_of([other]), [FIRST.rule, words]) is not None) == is_found


@pytest.mark.parametrize("words", [["0123456789ab"], [FIRST.rule, "esx-9"], ["no/such-rule", "esx-1"], ["a-machine"], ["abc"]])
def test_nothing_is_found_by_other_words(words: list[str]) -> None:
    assert named_finding(REPORT, words) is None


def test_a_name_of_several_findings_is_refused_with_their_ids() -> None:
    with pytest.raises(ConfigurationError) as refused:
        named_finding(REPORT, [FIRST.rule, FIRST.resource.name])
    assert IDS.of(FIRST) in refused.value.what
    assert IDS.of(SECOND) in refused.value.what


def test_a_rule_alone_names_its_only_failure_and_of_several_each_with_its_id() -> None:
    others = [samples.pe_finding("esx-8", Verdict.UNKNOWN), samples.pe_finding("esx-9", Verdict.PASS)]
    assert named_finding(samples.report_of([FIRST, *others]), [FIRST.rule]) == (IDS.of(FIRST), FIRST)
    assert named_finding(samples.report_of(others), [FIRST.rule]) is None
    with pytest.raises(ConfigurationError) as refused:
        named_finding(REPORT, [FIRST.rule])
    assert all(IDS.of(one) in refused.value.what for one in (FIRST, SECOND))


def test_a_failure_goes_before_an_unknown_verdict_of_that_name() -> None:
    other = replace(samples.pe_finding("esx-1", Verdict.UNKNOWN), resource=replace(FIRST.resource, id="another"))
    assert named_finding(samples.report_of([FIRST, other]), [FIRST.rule, "esx-1"]) == (IDS.of(FIRST), FIRST)


def test_passes_are_only_looked_at_where_nothing_worse_is_called_so() -> None:
    passed = samples.pe_finding("esx-9", Verdict.PASS)
    report = samples.report_of([FIRST, passed])

    def until_a_pass() -> Iterator[Finding]:
        yield FIRST
        yield passed
        pytest.fail("read on")

    assert named_finding(replace(report, findings=until_a_pass), [IDS.of(FIRST)]) == (IDS.of(FIRST), FIRST)
    assert named_finding(report, [passed.rule, "esx-9"]) == (IDS.of(passed), passed)
