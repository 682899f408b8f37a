"""What is watched is found by name, and its last minute is read by counters; nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from auditor.endpoints.vcenter.device_watch import SAMPLES, DeviceSample, WatchedDevice, WatchRow, find_devices, read_samples, sample_of
from auditor.endpoints.vcenter.performance import Samples
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.model import Endpoint
from auditor_lab.vcenter.server import VCenterServer

DEVICE = "naa.624a9370aaaa"
NOW = datetime(2026, 11, 23, 3, 0, tzinfo=UTC)
TIMES = tuple(NOW + timedelta(seconds=20 * place) for place in range(SAMPLES))
WATCHED = WatchedDevice("host-1", "esx-1", DEVICE, ("uuid-1", "uuid-2"))


def samples(**series: tuple[int | None, ...]) -> Samples:
    """Samples of the counters by their last words, of DEVICE; `sioc_1` is the store uuid-1."""
    names = {
        "commands": ("disk.commandsAveraged.average", DEVICE.upper().replace("NAA", "naa")),
        "other": ("disk.commandsAveraged.average", "naa.bbbb"),
        "kernel": ("disk.kernelLatency.average", DEVICE),
        "device": ("disk.deviceLatency.average", DEVICE),
        "depth": ("disk.maxQueueDepth.average", DEVICE),
        "sioc_1": ("datastore.siocActiveTimePercentage.average", "uuid-1"),
        "sioc_2": ("datastore.siocActiveTimePercentage.average", "uuid-2"),
        "sioc_3": ("datastore.siocActiveTimePercentage.average", "uuid-3"),
    }
    return Samples("host-1", TIMES, {names[name]: values for name, values in series.items()})


def test_latencies_weigh_by_the_commands_of_their_samples() -> None:
    # 100 commands at 10 ms and 300 at 50 ms: (1000 + 15000) / 400 = 40 ms.
    sample = sample_of(WATCHED, samples(commands=(0, 100, 300), kernel=(999, 10, 50), depth=(32, 32, 64)))
    assert sample is not None
    assert sample.kavg_ms == 40.0
    assert sample.commands_per_second == pytest.approx(400 / 3)
    assert (sample.depth, sample.sampled_at, sample.davg_ms) == (64, TIMES[-1], None)


def test_another_device_s_counters_are_not_this_one_s() -> None:
    assert sample_of(WATCHED, samples(other=(5, 5, 5))) is None


def test_the_datastore_of_the_device_that_is_throttled_most_counts_and_no_other() -> None:
    sample = sample_of(WATCHED, samples(commands=(1, 1, 1), sioc_1=(0, 0, 0), sioc_2=(9000, 10000, 8000), sioc_3=(10000, 10000, 10000)))
    assert sample is not None
    assert sample.sioc_active_percent == 90.0  # in hundredths of a percent


def test_commands_in_the_queue_are_the_rate_times_the_latency() -> None:
    row = WatchRow("h/d", "vc", DeviceSample(NOW, 104.0, 600.0, 300.0, 250.0, 32, None))
    assert row.active == pytest.approx(31.2)
    assert row.waiting == pytest.approx(26.0)
    idle = WatchRow("h/d", "vc", DeviceSample(NOW, 0.0, None, None, None, 32, None))
    assert (idle.active, idle.waiting) == (0.0, 0.0)
    unread = WatchRow("h/d", "vc", DeviceSample(NOW, None, None, 1.0, 1.0, None, None))
    assert (unread.active, unread.waiting) == (None, None)


def test_devices_are_found_and_read_and_nothing_is_written(serve_vcenter: Callable[..., tuple[VCenterServer, Endpoint]]) -> None:
    server, endpoint = serve_vcenter()
    wanted = [("ESX-1", DEVICE.upper().replace("NAA", "naa")), ("esx-1", "naa.none"), ("esx-9", DEVICE), ("esx-fc", "naa.600000e00d01")]
    with open_vcenter(endpoint) as vcenter:
        found = find_devices(vcenter, wanted)
        assert list(found) == [wanted[0], wanted[3]]
        fast = found[wanted[0]]
        assert (fast.host, fast.device, len(fast.stores)) == ("esx-1", DEVICE, 1)
        begun = len(server.requests)
        read = read_samples(vcenter, list(found.values()))
        asked = server.requests[begun:]
    assert set(read) == set(found.values())
    assert read[fast].depth is not None
    assert read[fast].carries_vmfs
    assert set(asked) <= {"QueryPerf", "RetrievePropertiesEx"}
