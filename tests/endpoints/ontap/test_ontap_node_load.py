"""What the processors of nodes work for, between two readings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.ontap.counters import CounterRow
from auditor.endpoints.ontap.node_load import NODES, node_rows
from auditor_lab.wire import Fault
from tests.endpoints.ontap.ontap_cluster import collected
from tests.endpoints.ontap.ontap_reading import all_of

if TYPE_CHECKING:
    from tests.endpoints.ontap.ontap_cluster import Collected, Served


def row(**domains: float) -> dict[str, CounterRow]:
    return {"n1:uuid": CounterRow("n1:uuid", {"node.name": "n1"}, {}, {"domain_busy": domains})}


def test_each_domain_has_its_share_of_the_time_of_all_processors(whole: Collected) -> None:
    found = {(one["node_id"], one["domain"]): one["percent"] for one in whole.tables["array_node_cpu"]}
    # The lab's nodes: 12 + 8 + 6 + 3 + 1 of 100, and the rest is idle.
    assert {key[1]: value for key, value in found.items() if key[0] == "n1"} == pytest.approx(
        {"idle": 70, "wafl_exempt": 12, "exempt": 8, "hostOS": 6, "nwk_exempt": 3, "raid_exempt": 1}, abs=0.01
    )
    assert {key[0] for key in found} == {"n1", "n2"}


def test_what_grew_between_the_readings_counts_and_not_the_sum_since_the_node_came_up() -> None:
    errors = ParseErrors("x")
    found = node_rows(row(idle=1000, raid=0), row(idle=1030, raid=10), errors)
    assert {one["domain"]: one["percent"] for one in found} == {"idle": 75, "raid": 25}
    assert not errors.any


@pytest.mark.parametrize(
    ("first", "last"),
    [
        pytest.param({}, row(idle=5), id="a node that came between"),
        pytest.param(row(idle=9, raid=1), row(idle=5, raid=9), id="it came up anew"),
        pytest.param(row(idle=5), row(idle=5), id="nothing passed"),
        pytest.param(row(idle=5), row(idle=9, raid=1), id="a domain that came between"),
        pytest.param(row(idle=5), row(), id="no domains"),
        pytest.param(row(idle=0, raid=0), row(idle=9_000_000, raid=1_000_000), id="a first reading that was not filled"),
    ],
)
def test_two_readings_that_do_not_fit_give_no_row_and_a_gap(first: Any, last: Any) -> None:
    errors = ParseErrors("x")
    assert node_rows(first, last, errors) == []
    assert [gap.why for gap in errors.gaps("na")] == ["is missing, all 0, or went backwards, between the two readings"]


def test_its_first_reading_is_taken_before_all_others_so_that_nobody_waits_twice(served: Served) -> None:
    _, endpoint, clock = served
    collected(endpoint, clock)
    assert len(clock.slept) <= 2
    assert sum(clock.slept) == pytest.approx(5)


def test_counters_that_may_not_be_read_are_a_gap_of_their_own(served: Served) -> None:
    server, endpoint, clock = served
    server.faults.active.append(Fault("status", f"GET {NODES}", status=403))
    found = collected(endpoint, clock, all_of("array_node_cpu"))
    assert (found.tables["array_node_cpu"], found.incomplete()) == ([], {"node_load"})
