"""Samples come out of an answer as they went in, by every decoder; what is not whole is reported, never made up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.history_figures import KINDS
from auditor.endpoints.vcenter.collect.load_figures import ADAPTER_COUNTERS, DATASTORE_COUNTERS, DEVICE_COUNTERS, DISK_COUNTERS
from auditor.endpoints.vcenter.performance import counter_keys, query_samples, scanned_samples
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.endpoints.vcenter.soap_envelope import content_of
from auditor.model import Endpoint
from auditor_lab.scenario import load_scenario
from auditor_lab.vcenter.server import VCenterServer

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

NAMES = {456: "disk.kernelLatency.average", 459: "disk.commandsAveraged.average"}
INFO = "20,2026-11-21T12:00:00Z,20,2026-11-21T12:00:20Z"


def answer(*series: tuple[int, str, str], info: str = INFO) -> str:
    values = "".join(
        f"<value><id><counterId>{key}</counterId><instance>{instance}</instance></id><value>{text}</value></value>"
        for key, instance, text in series
    )
    head = f'<entity type="HostSystem">host-11</entity><sampleInfoCSV>{info}</sampleInfoCSV>'
    return f'<returnval xsi:type="PerfEntityMetricCSV">{head}{values}</returnval>'


def test_values_and_their_times_are_read() -> None:
    found = scanned_samples(answer((456, "naa.1", "308,0"), (459, "a&amp;b", "104,-1"), (456, "naa.2", "5,")), NAMES)
    assert found is not None
    (host,) = found
    assert host.host_id == "host-11"
    assert host.times == (datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC), datetime(2026, 11, 21, 12, 0, 20, tzinfo=UTC))
    assert host.series == {
        ("disk.kernelLatency.average", "naa.1"): (308, 0),
        ("disk.commandsAveraged.average", "a&b"): (104, None),  # -1 is a missing sample (pyvmomi issue 191)
        ("disk.kernelLatency.average", "naa.2"): (5, None),
    }
    assert host.torn == 0


@pytest.mark.parametrize(
    ("counter", "highest"),
    [
        ("disk.totalLatency.average", 3_600_000),
        ("disk.maxTotalLatency.latest", 3_600_000),
        ("datastore.totalReadLatency.average", 3_600_000),
        ("virtualDisk.totalWriteLatency.average", 3_600_000),
        ("datastore.sizeNormalizedDatastoreLatency.average", 3_600_000_000),
        ("datastore.datastoreVMObservedLatency.latest", 3_600_000_000),
    ],
)
def test_a_latency_that_no_command_can_have_is_a_missing_sample(counter: str, highest: int) -> None:
    """Source of the two long numbers: Oxalide/vsphere-influxdb-go, issue 71; they came from a vCenter 6.5 now and then."""
    found = scanned_samples(answer((1, "a", f"116017258324865,{highest}"), (1, "b", f"{highest + 1},2049638230411510")), {1: counter})
    assert found is not None
    assert found[0].series == {(counter, "a"): (None, highest), (counter, "b"): (None, None)}
    assert found[0].torn == 0


def test_a_rate_or_a_count_may_be_any_number() -> None:
    found = scanned_samples(answer((1, "a", "4000000,999999999999999999")), {1: "disk.commandsAveraged.average"})
    assert found is not None
    assert found[0].series == {("disk.commandsAveraged.average", "a"): (4_000_000, 999_999_999_999_999_999)}


def test_every_counter_of_latency_that_is_read_has_a_highest_value() -> None:
    """Law: a new one falls under it by its name, and is known to be in milliseconds or in microseconds."""
    asked = {*DEVICE_COUNTERS.values(), *ADAPTER_COUNTERS.values(), *DATASTORE_COUNTERS.values(), *DISK_COUNTERS.values()}
    asked |= {name for kind in KINDS for name in kind.counters.values()}
    for name in asked:
        found = scanned_samples(answer((1, "a", "116017258324865,1")), {1: name})
        assert found is not None
        assert (found[0].series[name, "a"][0] is None) == ("latency" in name.lower()), name


@pytest.mark.parametrize(
    "text", [pytest.param("1", id="too few"), pytest.param("1,2,3", id="too many"), pytest.param("1-2,3", id="no number")]
)
def test_a_series_that_does_not_fit_its_times_is_left_out_and_told(text: str) -> None:
    found = scanned_samples(answer((456, "naa.1", text), (456, "naa.2", "1,2")), NAMES)
    assert found is not None
    assert (found[0].series, found[0].torn) == ({("disk.kernelLatency.average", "naa.2"): (1, 2)}, 1)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(answer((456, "naa.1", "1,2")).replace("</returnval>", ""), id="not closed"),
        pytest.param(answer((456, "naa.1", "1,2")).replace("CSV>", "CSV >", 1), id="written otherwise"),
        pytest.param(answer(info="20,yesterday"), id="no time"),
        pytest.param(answer(info="20"), id="an interval without a time"),
        pytest.param(answer() + "x", id="something after it"),
    ],
)
def test_an_answer_that_is_written_otherwise_is_left_to_the_parser(content: str) -> None:
    assert scanned_samples(content, NAMES) is None


def test_the_parser_reads_the_same_from_the_labs_answer(serve_vcenter: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    _, endpoint = serve_vcenter(load_scenario("solidfire-vvols").vcenters[0])
    with open_vcenter(endpoint) as vcenter:
        keys = counter_keys(vcenter)
        assert keys["disk.kernelLatency.average"] == 456
        wanted = {name: keys[name] for name in ("disk.kernelLatency.average", "disk.maxQueueDepth.average")}
        hosts = vcenter.bulk.refs("HostSystem")
        replies: list[Any] = []
        post = vcenter.stub.wire.post

        def once(*arguments: Any, **more: Any) -> Any:
            replies.append(replies[0] if replies else post(*arguments, **more))
            return replies[-1]

        monkeypatch.setattr(vcenter.stub.wire, "post", once)
        scanned = query_samples(vcenter, hosts, wanted, 15)
        content = content_of(replies[0].body, "QueryPerf")
        assert content is not None
        assert scanned_samples(content, {key: name for name, key in wanted.items()}) == scanned  # no parser was needed
        monkeypatch.setattr("auditor.endpoints.vcenter.performance.scanned_samples", lambda *_: None)
        assert query_samples(vcenter, hosts, wanted, 15) == scanned
    assert len(scanned) == len(hosts)
    assert all(len(one.times) == 15 and len(values) == 15 for one in scanned for values in one.series.values())
