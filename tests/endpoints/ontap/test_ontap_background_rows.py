"""Records of work in the background into rows, with no cluster: every column, and what is left open."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap import background_rows as background
from auditor.endpoints.ontap.qos import NO_POLICY
from auditor.endpoints.ontap.rows import Container
from auditor.endpoints.ontap.schedules import Timetable

EVERY_DAY = "[0, 1, 2, 3, 4, 5, 6]"
NIGHTLY = Timetable(86400, (60,), (1, 3))
NO_TIMES = {"start_minutes": None, "start_days": None}


def record(value: dict[str, Any]) -> Record:
    return Record(value, "it", ParseErrors("x"))


def errors(one: Record) -> list[str]:
    """The fields that could not be understood."""
    return [what for (what, _), labels in one.parse_errors._heard.items() for _ in labels]


def volume(**efficiency: Any) -> Record:
    return record({"uuid": "V-1", "name": "vol", "svm": {"name": "svm"}, "aggregates": [{"uuid": "A-1"}], "efficiency": efficiency})


ROW = {
    "volume_id": "v-1", "volume": "svm:vol", "pool_id": "a-1", "state": "enabled", "policy_id": None, "policy": None, "schedule": None,
    **NO_TIMES, "duration_minutes": None, "qos_policy": None, "operation_state": None, "operation_bytes": None,
}  # fmt: skip
POLICY = {
    "policy_id": "p-1", "schedule": "daily", "start_minutes": "[0]", "start_days": EVERY_DAY, "duration_minutes": 60, "qos_policy": "b"
}  # fmt: skip
POLICIES = {("svm", "nightly"): POLICY, ("other", "elsewhere"): POLICY}


@pytest.mark.parametrize(
    ("efficiency", "columns", "wrong"),
    [
        pytest.param({}, {}, [], id="nothing asked for"),
        pytest.param(
            {"op_state": "active", "last_op_size": 4096}, {"operation_state": "active", "operation_bytes": 4096}, [], id="at work"
        ),
        pytest.param(
            {"op_state": "idle", "last_op_size": "much"}, {"operation_state": "idle"}, ["efficiency.last_op_size"], id="a size that is none"
        ),
        pytest.param({"policy": {"name": "nightly"}}, {"policy": "nightly", **POLICY}, [], id="a policy"),
        pytest.param(
            {"policy": {"name": "nightly"}, "schedule": "sun@1"}, {"policy": "nightly", **POLICY}, [], id="it goes before a schedule"
        ),
        pytest.param({"policy": {"name": "elsewhere"}}, {"policy": "elsewhere"}, ["efficiency.policy"], id="a policy of another SVM"),
        pytest.param(
            {"policy": {"name": "-"}, "schedule": "mon@1"},
            {"schedule": "mon@1", "start_minutes": "[60]", "start_days": "[1]"},
            [],
            id="a schedule of its own",
        ),
        pytest.param({"schedule": "-"}, {}, [], id="no schedule"),
        pytest.param({"schedule": "auto@20"}, {"schedule": "auto@20"}, [], id="by what was written"),
        pytest.param({"schedule": "lunar"}, {"schedule": "lunar"}, ["efficiency.schedule"], id="a schedule that is none"),
    ],
)
def test_the_efficiency_of_a_volume_goes_by_its_policy_or_its_own_schedule(
    efficiency: dict[str, Any], columns: dict[str, Any], wrong: list[str]
) -> None:
    given = volume(state="enabled", **efficiency)
    assert (background.efficiency_row(given, POLICIES), errors(given)) == ({**ROW, **columns}, wrong)


def test_a_volume_without_efficiency_has_a_row() -> None:
    given = volume()
    assert background.efficiency_row(given, POLICIES) == {**ROW, "state": None}
    bare = record({"uuid": "V-1", "name": "vol", "svm": {"name": "svm"}, "aggregates": [{"uuid": "A-1"}]})
    assert background.efficiency_row(bare, POLICIES) == {**ROW, "state": None}
    assert errors(given) == errors(bare) == []


FULL = {"uuid": "P-1", "schedule": {"name": "daily"}, "duration": 2, "qos_policy": "background", "enabled": True}
FULL_ROW = {
    "policy_id": "p-1", "schedule": "daily", "start_minutes": "[60]", "start_days": "[1, 3]", "duration_minutes": 120,
    "qos_policy": "background",
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "columns", "wrong"),
    [
        pytest.param({}, {}, [], id="whole"),
        pytest.param({"schedule": {"name": "-"}}, {"schedule": None, **NO_TIMES}, [], id="without a schedule"),
        pytest.param({"schedule": None}, {"schedule": None, **NO_TIMES}, [], id="a threshold"),
        pytest.param({"schedule": {"name": "odd"}}, {"schedule": "odd", **NO_TIMES}, ["schedule"], id="a schedule that was not listed"),
        pytest.param({"duration": 0}, {"duration_minutes": None}, [], id="unlimited"),
        pytest.param({"duration": None}, {"duration_minutes": None}, [], id="no duration"),
        pytest.param({"duration": "x"}, {"duration_minutes": None}, ["duration"], id="a duration that is none"),
        pytest.param({"enabled": False}, {"start_minutes": "[]", "start_days": EVERY_DAY}, [], id="switched off"),
        pytest.param({"enabled": None}, {}, [], id="not known whether it is on"),
    ],
)
def test_a_policy_starts_what_its_schedule_names_unless_it_is_off(
    changes: dict[str, Any], columns: dict[str, Any], wrong: list[str]
) -> None:
    given = record({**FULL, **changes})
    found = background.efficiency_policy(given, {"daily": NIGHTLY})
    assert (found, [what.partition(".")[0] for what in errors(given)]) == ({**FULL_ROW, **columns}, wrong)


def test_a_schedule_becomes_a_row() -> None:
    assert background.schedule_row("daily", NIGHTLY) == {
        "name": "daily", "interval_seconds": 86400, "start_minutes": "[60]", "start_days": "[1, 3]"
    }  # fmt: skip


RELATIONSHIP = {
    "uuid": "R-1", "source": {"path": "svm:vol"}, "destination": {"path": "dr:copy"}, "policy": {"name": "Async"}, "state": "snapmirrored",
    "healthy": True, "lag_time": "PT1H",
}  # fmt: skip
CONTAINERS = {"svm:vol": Container("v-1", "svm", "vol", "a-1", NO_POLICY), "dr:copy": Container("v-2", "dr", "copy", "a-2", NO_POLICY)}
TIMING = {"schedule": "hourly", "interval_seconds": 3600}
REPLICATION = {
    "replication_id": "r-1/source", "role": "source", "source": "svm:vol", "destination": "dr:copy", "volume_id": "v-1", "pool_id": "a-1",
    "policy": "Async", **TIMING, "state": "snapmirrored", "is_healthy": True, "lag_seconds": 3600,
    "transfer_state": None, "transfer_bytes": None, "transfer_seconds": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "role", "columns", "wrong"),
    [
        pytest.param({}, "source", {}, [], id="its source"),
        pytest.param(
            {}, "destination", {"replication_id": "r-1/destination", "role": "destination", "volume_id": "v-2", "pool_id": "a-2"}, [],
            id="its destination",
        ),
        pytest.param(
            {"source": {"path": "svm:new"}}, "source", {"source": "svm:new", "volume_id": None, "pool_id": None}, ["source.path"],
            id="a volume that was not listed",
        ),
        pytest.param({"source": {"path": "svm:"}}, "source", {"source": "svm:", "volume_id": None, "pool_id": None}, [], id="an SVM"),
        pytest.param({"source": None}, "source", {"source": None, "volume_id": None, "pool_id": None}, [], id="without its end"),
        pytest.param({"lag_time": None}, "source", {"lag_seconds": None}, [], id="no lag"),
        pytest.param({"lag_time": "soon"}, "source", {"lag_seconds": None}, ["lag_time"], id="a lag that is none"),
        pytest.param({"healthy": "yes"}, "source", {"is_healthy": None}, [], id="health that is no truth"),
        pytest.param({"healthy": False}, "source", {"is_healthy": False}, [], id="not healthy"),
        pytest.param({"policy": None}, "source", {"policy": None}, [], id="no policy"),
        pytest.param(
            {"transfer": {"state": "transferring", "bytes_transferred": 4096, "total_duration": "PT1M5S"}}, "destination",
            {
                "replication_id": "r-1/destination", "role": "destination", "volume_id": "v-2", "pool_id": "a-2",
                "transfer_state": "transferring", "transfer_bytes": 4096, "transfer_seconds": 65,
            },
            [], id="a transfer that runs",
        ),
        pytest.param({"transfer": {"state": "queued"}}, "source", {"transfer_state": "queued"}, [], id="a transfer that has not begun"),
        pytest.param(
            {"transfer": {"state": "success", "bytes_transferred": -1, "total_duration": "long"}}, "source", {"transfer_state": "success"},
            ["transfer.total_duration", "transfer.bytes_transferred"], id="a transfer that is not understood",
        ),
    ],
)  # fmt: skip
def test_a_relationship_is_of_the_volume_at_its_end_here(
    changes: dict[str, Any], role: str, columns: dict[str, Any], wrong: list[str]
) -> None:
    given = record({**RELATIONSHIP, **changes})
    assert (background.replication_row(given, role, TIMING, CONTAINERS), errors(given)) == ({**REPLICATION, **columns}, wrong)
