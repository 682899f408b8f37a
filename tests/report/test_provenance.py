"""Every value of a finding's evidence has the endpoint it came from and when it was read."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from auditor.facts.catalog import column_topics
from auditor.model import Finding, ReadTime, Resource, Run, Severity, Verdict
from auditor.report.provenance import Provenance, ReadFrom, when_text
from tests.report.samples import STARTED, reading, run

VC, ARRAY = "vc-east", "sf-prod"


def at(seconds: int) -> datetime:
    return STARTED + timedelta(seconds=seconds)


def read(endpoint: str, topic: str, first: int, last: int | None = None, host: str | None = None) -> ReadTime:
    return ReadTime(endpoint, topic, host, at(first), at(first if last is None else last))


def a_run(*more: ReadTime, arrays: tuple[str, ...] = (ARRAY,)) -> Run:
    times = (
        read(VC, "datastores", 10),
        read(VC, "device_scheduling", 20, 29),
        *(read(array, "volumes", 3) for array in arrays),
        *(read(array, "array", 1) for array in arrays),
        *more,
    )
    return replace(run(reading(VC), *(reading(array, "element") for array in arrays)), read=times)


def finding(kind: str = "datastore", host: str | None = None, endpoint: str = VC, **evidence: Any) -> Finding:
    resource = Resource(kind, "id", "name", endpoint, "gold", host)
    return Finding("a/rule", "A rule", Verdict.FAIL, Severity.HIGH, resource, 1, 2, evidence)


def sources(run: Run, of: Finding) -> dict[str, ReadFrom]:
    return {one.endpoint: one for one in Provenance(run).of(of)}


def test_a_finding_that_joins_host_and_array_names_both_and_when_each_was_read() -> None:
    both = sources(a_run(), finding(sioc_enabled=True, tiering="x", arrays=ARRAY))
    assert list(both) == [VC, ARRAY]
    assert (both[VC].first, both[VC].last, both[VC].columns[0]) == (at(10), at(10), "sioc_enabled")
    assert (both[ARRAY].first, both[ARRAY].last) == (at(1), at(3))
    assert "tiering" in both[ARRAY].columns
    assert "sioc_enabled" not in both[ARRAY].columns


def test_of_several_arrays_the_one_in_the_evidence_is_named() -> None:
    run = a_run(arrays=("sf-prod", "sf-prod-2", "sf-twin"))
    assert list(sources(run, finding(tiering="x", arrays="sf-prod-2"))) == [VC, "sf-prod-2"]
    assert list(sources(run, finding(tiering="x", arrays="sf-prod, sf-twin"))) == [VC, "sf-prod, sf-twin"]
    assert list(sources(run, finding(tiering=None))) == [VC, "sf-prod, sf-prod-2, sf-twin"], "the evidence names none"


def test_arrays_that_are_not_all_named_are_any_of_them() -> None:
    run = a_run(arrays=tuple(f"sf-{n}" for n in range(9)))
    assert list(sources(run, finding(tiering="x", arrays="sf-0, sf-1, sf-2, sf-3, sf-4 and 2 more"))) == [VC, "any of 9 endpoints"]


def test_a_host_that_was_not_read_again_has_the_time_of_its_earlier_answer() -> None:
    earlier = read(VC, "device_scheduling", -86400, host="esx-1")
    run = a_run(earlier)
    own, other = (sources(run, finding("device", host, dsnro=32))[VC] for host in ("esx-1", "esx-2"))
    assert (own.first, own.last) == (at(-86400), at(-86400))
    assert (other.first, other.last) == (at(20), at(29))
    both = sources(run, finding("protocol_endpoint", "esx-1", dsnro=32, vvol_disks=3))[VC]
    assert (both.first, both.last) == (at(-86400), at(10)), "the datastores were read again"


@pytest.mark.parametrize(
    ("kind", "column", "source"),
    [
        pytest.param("device", "array_generation", "fleet.yaml", id="what fleet.yaml declares"),
        pytest.param("baseline_option", "needs_reboot", "baseline", id="what the baseline holds"),
    ],
)
def test_declared_values_and_the_baseline_have_no_read_time(kind: str, column: str, source: str) -> None:
    declared = sources(a_run(), finding(kind, **{column: "S1"}))[source]
    assert (declared.columns, declared.first) == ((column,), None)
    assert when_text(declared) == "not read"


def test_a_finding_about_an_array_names_it_first() -> None:
    run = a_run(arrays=(ARRAY, "sf-other"))
    assert list(sources(run, finding("array_volume", endpoint=ARRAY, limits="policy 1", datastores="ds"))) == [ARRAY, VC]


def test_a_run_without_read_times_has_no_sources() -> None:
    assert Provenance(replace(a_run(), read=())).of(finding(sioc_enabled=True)) == ()


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        pytest.param(0, 0, "2026-11-21 06:55:00 UTC", id="one instant"),
        pytest.param(0, 61, "2026-11-21 06:55:00 to 06:56:01 UTC", id="one day"),
        pytest.param(-86400, 0, "2026-11-20 06:55:00 to 2026-11-21 06:55:00 UTC", id="two days"),
    ],
)
def test_times_are_exact_to_the_second(first: int, last: int, text: str) -> None:
    assert when_text(ReadFrom(VC, ("dsnro",), at(first), at(last))) == text


@pytest.mark.parametrize(
    ("view", "column", "topics"),
    [
        pytest.param("datastore", "sioc_enabled", ["datastores"], id="a fact handed on"),
        pytest.param("device", "dsnro", ["device_scheduling"], id="of another question"),
        pytest.param(
            "datastore",
            "both_throttle",
            ["addresses", "array", "datastores", "protocol_endpoints", "qos_policies", "volume_load", "volumes"],
            id="of host and array",
        ),
    ],
)
def test_a_column_rests_on_the_topics_its_facts_were_read_in(view: str, column: str, topics: list[str]) -> None:
    assert list(column_topics(view, column)) == topics


def test_a_column_of_an_older_run_that_is_gone_has_no_topics() -> None:
    assert column_topics("device", "gone") == column_topics("gone", "endpoint") == ()
