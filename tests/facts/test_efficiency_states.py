"""Each state of an efficiency operation means the same where it is judged: as a job, in parts of a pool's transfers, in its counts."""

from __future__ import annotations

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap.enumerations import OPERATION_STATES
from auditor.endpoints.ontap.job_rows import volume_rows
from auditor.facts.efficiency_states import AT_REST, AT_WORK

from .single import rows_over
from .test_pool_function_rows import all_of, tables_of

# ONTAP command reference, volume efficiency show, Status: "is currently running", "being initialized", "being undone", "is active".
WORK = {"active", "initializing", "undoing", "downgrading"}


def test_every_state_of_the_reference_is_work_or_rest() -> None:
    assert {*AT_WORK} == WORK
    assert {*AT_WORK}.isdisjoint(AT_REST)
    assert {*AT_WORK, *AT_REST} == {*OPERATION_STATES}


@pytest.mark.parametrize("state", ["enabled", "disabled", "mixed"])
def test_work_is_work_in_every_place_also_where_efficiency_is_off(state: str) -> None:
    """Savings are taken back on a volume whose efficiency is off: ONTAP command reference, volume efficiency undo."""
    words = sorted(OPERATION_STATES)
    arrays = [tables_of(state=word) for word in words]
    for array in arrays:
        array["fact.array_efficiency"][0]["state"] = state
    parts = {word for word, found in zip(words, all_of(arrays), strict=True) if found["dedup"]["high_per_second"] > 0}
    jobs = {word for word in words if any(row["outcome"] == "running" for row in volume_rows(volume(word, state), lambda: None))}
    given = [{"endpoint": word, "volume_id": "v", "pool_id": "p", "state": state, "operation_state": word} for word in words]
    pools = rows_over(
        "array_pool",
        {
            "fact.array_pool": [{"endpoint": word, "pool_id": "p", "name": "p"} for word in words],
            "step_endpoint_reading": [{"endpoint": word, "efficiency_read": True} for word in words],
            "fact.array_efficiency": given,
        },
    )
    homeless = rows_over("step_efficiency_anywhere", {"fact.array_efficiency": [{**one, "pool_id": None} for one in given]})
    assert parts == WORK
    assert jobs == WORK
    assert {row["endpoint"] for row in pools if row["efficiency_active"] == 1} == WORK
    assert {row["endpoint"] for row in homeless if row["may_run"]} == WORK


def volume(word: str, state: str) -> Record:
    efficiency = {"state": state, "op_state": word}
    return Record({"uuid": "v", "name": "v", "svm": {"name": "s"}, "efficiency": efficiency}, "volume v", ParseErrors("x"))


def test_a_volume_whose_efficiency_is_off_starts_nothing_also_while_its_savings_are_taken_back() -> None:
    undone = {"endpoint": "a", "volume_id": "v", "state": "disabled", "operation_state": "undoing", "start_minutes": "[0]"}
    [found] = rows_over("step_efficiency_anywhere", {"fact.array_efficiency": [undone]})
    assert (found["may_start"], found["may_run"]) == (False, True)
