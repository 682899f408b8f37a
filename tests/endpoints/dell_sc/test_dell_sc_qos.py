"""A QoS profile whose attributes nobody knows is unknown, and never one without limits."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.dell_sc.qos import GROUP, VOLUME, limits, threshold_ms

# What is known of ScQosProfile, and of every object.
KNOWN = {
    "instanceId": "64702.2",
    "instanceName": "Prod",
    "objectType": "ScQosProfile",
    "scName": "Storage Center 64702",
    "scSerialNumber": 64702,
    "name": "Prod",
    "index": 2,
    "profileType": "VolumeQosProfile",
    "notes": "at most 100 iops",
    "userCreated": True,
    "volumeCount": 3,
}
IOPS_OFF = {"iopsLimitEnabled": False, "iopsLimit": 0}
RATE_OFF = {"bandwidthLimitEnabled": False}
PRIORITY = {"relativePriority": "Low"}


@pytest.mark.parametrize(
    ("reported", "iops", "rate"),
    [
        pytest.param({**IOPS_OFF, **RATE_OFF}, None, None, id="both switched off"),
        pytest.param({"iopsLimitEnabled": True, "iopsLimit": 5000, **RATE_OFF}, 5000, None, id="IOPS"),
        pytest.param({"maxIops": 5000, **RATE_OFF}, 5000, None, id="IOPS by another name, without a switch"),
        pytest.param({"VolumeIOPSLimit": "5.0E3", **RATE_OFF}, 5000, None, id="IOPS as text"),
        pytest.param({"limitIopsEnabled": True, "limitIops": 5000, "bandwidthLimited": False}, 5000, None, id="another order"),
        pytest.param({**IOPS_OFF, "bandwidthLimitMbPerSecond": 50}, None, 50 << 20, id="a rate with its unit in the name"),
        pytest.param({**IOPS_OFF, "throughputLimitMBps": 50}, None, 50 << 20, id="a rate with its unit as people write it"),
        pytest.param({**IOPS_OFF, "maxKbPerSecond": 1024}, None, 1 << 20, id="a rate that only its unit tells"),
        pytest.param({**IOPS_OFF, "bandwidthLimit": "5.24288E7 Bytes"}, None, 50 << 20, id="a rate with its unit in the value"),
        pytest.param({"maxIops": 9, "bandwidthLimited": True, "bandwidthLimit": "1 MB/s"}, 9, 1 << 20, id="both"),
    ],
)
def test_limits_are_read_where_their_names_say_all_of_it(reported: dict[str, Any], iops: int | None, rate: int | None) -> None:
    found = limits({**KNOWN, **reported, **PRIORITY}, VOLUME)
    assert (found.max_iops, found.max_bytes_per_second, found.priority, found.is_read, found.why) == (iops, rate, "Low", True, "")


@pytest.mark.parametrize(
    ("reported", "iops", "rate", "why"),
    [
        pytest.param({}, None, None, "no IOPS limit by a name we know; it reports no bandwidth limit", id="nothing"),
        pytest.param({"limitA": 0, "limitB": 0}, None, None, "nothing is known of limitA, limitB", id="names that nobody knows"),
        pytest.param({**IOPS_OFF}, None, None, "no bandwidth limit", id="half of it"),
        pytest.param({**RATE_OFF, "iopsLimitEnabled": True}, None, None, "no amount of its IOPS limit", id="on, and how much is not told"),
        pytest.param({**RATE_OFF, "iopsLimitEnabled": True, "iopsLimit": None}, None, None, "limit is None", id="on, and null"),
        pytest.param({**RATE_OFF, "iopsLimit": 0}, None, None, "limit is 0", id="nobody says that 0 is none"),
        pytest.param({**RATE_OFF, "iopsLimit": None}, None, None, "limit is None", id="nor null"),
        pytest.param({**RATE_OFF, "iopsLimit": -1}, None, None, "limit is -1", id="nor -1"),
        pytest.param({**RATE_OFF, "iopsLimit": 0.5}, None, None, "limit is 0.5", id="half an operation"),
        pytest.param({**RATE_OFF, "iopsLimit": "NaN"}, None, None, "limit is 'NaN'", id="no number"),
        pytest.param({**RATE_OFF, "iopsLimit": [5]}, None, None, "limit is [5]", id="a list"),
        pytest.param({**RATE_OFF, "iopsLimitEnabled": "false"}, None, None, "nothing is known of iopsLimitEnabled", id="a switch of text"),
        pytest.param({**RATE_OFF, "iopsLimit": 5, "maxIops": 7}, None, None, "more than one IOPS limit", id="two amounts"),
        pytest.param({"maxIops": 5, "bandwidthLimit": 50}, 5, None, "bandwidth limit is 50 without a unit", id="a rate of what?"),
        pytest.param({"maxIops": 5, "bandwidthLimitMbps": 50}, 5, None, "nothing is known of bandwidthLimitMbps", id="a rate in bits"),
        pytest.param({"maxIops": 5, "maxMbPerSecond": "5 GB"}, 5, None, "bandwidth limit is '5 GB'", id="two units"),
        pytest.param({**IOPS_OFF, **RATE_OFF, "burstIops": 9}, None, None, "nothing is known of burstIops", id="a burst"),
        pytest.param({**IOPS_OFF, **RATE_OFF, "readIopsLimit": 9}, None, None, "nothing is known of readIopsLimit", id="of reads alone"),
        pytest.param({**IOPS_OFF, **RATE_OFF, "shares": 9}, None, None, "nothing is known of shares", id="another number"),
        pytest.param({**IOPS_OFF, **RATE_OFF, "throttled": True}, None, None, "nothing is known of throttled", id="another switch"),
    ],
)
def test_what_is_not_understood_makes_a_profile_unread(reported: dict[str, Any], iops: int | None, rate: int | None, why: str) -> None:
    found = limits({**KNOWN, **reported, **PRIORITY}, VOLUME)
    assert (found.max_iops, found.max_bytes_per_second, found.is_read) == (iops, rate, False)
    assert why in found.why


@pytest.mark.parametrize(
    ("reported", "kind", "is_read"),
    [
        pytest.param({}, VOLUME, False, id="a profile for volumes has one"),
        pytest.param({"priority": None}, VOLUME, False, id="null"),
        pytest.param({"priority": 3}, VOLUME, True, id="a number"),
        pytest.param({"priority": "High", "relativePriority": "Low"}, VOLUME, False, id="two of them"),
        pytest.param({}, GROUP, True, id="a group's need not tell one"),
        pytest.param({"qosPriority": ""}, GROUP, False, id="but not an empty one"),
        pytest.param(PRIORITY, None, False, id="a profile of a kind that is not known"),
    ],
)
def test_a_priority_belongs_to_a_volumes_profile(reported: dict[str, Any], kind: str | None, is_read: bool) -> None:
    assert limits({**KNOWN, **IOPS_OFF, **RATE_OFF, **reported}, kind).is_read is is_read


@pytest.mark.parametrize(
    ("reported", "found"),
    [
        pytest.param({"qosLatencyThresholdMs": 20}, 20, id="with its unit"),
        pytest.param({"latencyThresholdMilliseconds": "20"}, 20, id="with its unit in full"),
        pytest.param({"qosLatencyThresholdMs": 20, "qosLatencyThresholdEnabled": True}, 20, id="switched on"),
        pytest.param({"qosLatencyThresholdMs": 20, "qosLatencyThresholdEnabled": False}, None, id="switched off"),
        pytest.param({"qosLatencyThreshold": 20}, None, id="20 of what?"),
        pytest.param({"latencyThresholdMs": 20, "systemLatencyThresholdMs": 30}, None, id="two of them"),
        pytest.param({"readLatencyThresholdMs": 20}, None, id="another threshold"),
        pytest.param({"iscsiTransportMode": "VirtualPort"}, None, id="none"),
        pytest.param({"qosLatencyThresholdMs": None}, None, id="null"),
    ],
)
def test_a_latency_threshold_is_told_with_its_unit_or_not_at_all(reported: dict[str, Any], found: int | None) -> None:
    assert threshold_ms(reported) == found
