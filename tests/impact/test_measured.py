"""What the model says of a stream, held to what was measured of it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from auditor.impact.directions import Direction
from auditor.impact.interval import Interval
from auditor.impact.lines import Line
from auditor.impact.measured import contradiction, counted_flow, held_to, other_rate, perhaps_as_now
from auditor.impact.queue import Flow, Stream
from auditor.impact.rows import Disk
from tests.impact.samples import disk


def flow(latency: tuple[float, float] = (1, 1000), rate: tuple[float, float] = (1, 100_000)) -> Flow:
    return Flow("a", Interval(0, 0), Interval(0, 1), Interval(*latency), Interval(*rate))


def line(outstanding: tuple[float, float], *disks: Disk) -> Line:
    sent = Interval(*outstanding)
    return Line(Stream("a", sent, Interval.exactly(0.001)), disks, sent)


def counted(name: str = "a", **cells: Any) -> Disk:
    return disk(name, **{"commands_per_second": 1000, "outstanding": 20, "latency_ms": 20, **cells})


def ends(interval: Interval) -> Any:
    return pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize(
    ("latency", "model", "why"),
    [
        # Whole milliseconds: 19 to 21. Twice 21 is 42, and half of 19 is 9.5.
        pytest.param(20, (42, 50), None, id="half of the model's"),
        pytest.param(20, (42.5, 50), "a takes 20 ms, and the model says 42.5 to 50 ms", id="less than half"),
        pytest.param(20, (5, 9.5), None, id="twice the model's"),
        pytest.param(20, (5, 9.4), "a takes 20 ms, and the model says 5 to 9.4 ms", id="more than twice"),
        pytest.param(20, (15, 30), None, id="inside"),
        pytest.param(None, (900, 901), None, id="no latency was read"),
        pytest.param(0, (900, 901), None, id="less than a millisecond was read"),
    ],
)
def test_a_latency_that_is_more_than_twice_off_contradicts_the_model(
    latency: float | None, model: tuple[float, float], why: str | None
) -> None:
    found = contradiction([flow(model)], [line((19, 21), counted(latency_ms=latency))])
    assert found == (None if why is None else f"the model does not explain what was measured: {why}")


def test_of_several_disks_the_quickest_and_the_slowest_are_held_against_the_model() -> None:
    pair = counted("a", latency_ms=5), counted("b", latency_ms=40)
    assert contradiction([flow((80, 90))], [line((19, 21), *pair)]) is None
    assert contradiction([flow((1, 2))], [line((19, 21), *pair)]) is None
    assert contradiction([flow((83, 90))], [line((19, 21), *pair)]) == (
        "the model does not explain what was measured: a takes 40 ms, and the model says 83 to 90 ms"
    )
    # One without commands says nothing, and the next stream is asked as well.
    asleep = counted("c", commands_per_second=0, latency_ms=900)
    assert contradiction([flow((20, 20))], [line((19, 21), counted("a"), asleep)]) is None
    several = [line((19, 21), asleep), line((19, 21), counted("b"))]
    told = contradiction([flow((1, 2)), flow((90.123, 91.45678))], several)
    assert told is not None
    assert told.endswith("a takes 20 ms, and the model says 90.12 to 91.46 ms")
    assert contradiction([flow((1, 2))], [line((19, 21), counted("b", latency_ms=20.1234))]) == (
        "the model does not explain what was measured: a takes 20.12 ms, and the model says 1 to 2 ms"
    )


@pytest.mark.parametrize(
    ("model", "contradicts"),
    [((500, 505), False), ((490, 494), True), ((490, 495), False), ((2021, 3000), True), ((2020, 3000), False), ((900, 1100), False)],
)
def test_a_rate_that_is_more_than_twice_off_contradicts_the_model(model: tuple[float, float], contradicts: bool) -> None:
    # 1,000 within 1 %: 990 to 1,010.
    found = other_rate(flow(rate=model), line((19, 21), counted()))
    assert (found is not None) is contradicts
    if found is not None:
        says = f"{model[0]:,} to {model[1]:,}"
        assert found == f"the model does not explain what was measured: a does 1,000 commands a second, and the model says {says}"


def test_the_rates_of_a_contradiction_are_whole() -> None:
    found = other_rate(flow(rate=(4.26, 8.24)), line((19, 21), counted()))
    assert found is not None
    assert found.endswith("the model says 4 to 8")


def test_a_rate_that_was_not_counted_of_each_disk_contradicts_nothing() -> None:
    model = flow(rate=(1, 2))
    assert other_rate(model, line((19, 21), counted(commands_per_second=None))) is None
    assert other_rate(model, line((19, 21), counted(), counted("b", commands_per_second=0))) is None
    assert other_rate(model, line((19, 21))) is None


def test_a_flow_has_the_rate_that_was_counted_and_the_latency_by_littles_law() -> None:
    found = counted_flow(flow(), line((19, 21), counted(latency_ms=None)))
    assert ends(found.per_second) == (990, 1010)
    assert ends(found.latency_ms) == (19 / 1010 * 1000, 21 / 990 * 1000)
    assert (found.name, found.wait_ms) == ("a", Interval(0, 1))
    # Two disks are counted together, and pieces are commands.
    found = counted_flow(flow(), line((19, 21), counted(), counted("b", io_bytes=262144, largest_io_bytes=131072)))
    assert ends(found.per_second) == (2970, 3030)


@pytest.mark.parametrize(
    ("latency", "model", "took"),
    [
        # By Little's law 18.81 to 21.21 ms.
        pytest.param(20, (1, 1000), (18.81, 21.21), id="20 ms, which is 18 to 22"),
        pytest.param(22, (1, 1000), (19.9, 21.21), id="22 ms, which is 19.9 to 24.1"),
        pytest.param(18, (1, 1000), (18.81, 19.9), id="18 ms, which is 16.1 to 19.9"),
        pytest.param(30, (1, 1000), (18.81, 21.21), id="30 ms: what vCenter says is of something else"),
        pytest.param(20, (20, 30), (20, 21.21), id="the model narrows it from below"),
        pytest.param(20, (10, 20), (18.81, 20), id="and from above"),
        pytest.param(20, (21 / 990 * 1000, 40), (21.21, 21.21), id="to one figure, where they touch"),
        pytest.param(20, (30, 40), (18.81, 21.21), id="but where it does not agree"),
    ],
)
def test_what_agrees_narrows_a_latency(latency: float, model: tuple[float, float], took: tuple[float, float]) -> None:
    found = counted_flow(flow(model), line((19, 21), counted(latency_ms=latency)))
    assert (found.latency_ms.low, found.latency_ms.high) == pytest.approx(took, rel=1e-3)


def test_latencies_of_several_disks_are_those_from_the_quickest_to_the_slowest() -> None:
    # 100 to 300 commands, 2,000 a second: 49.5 to 151.5 ms. vCenter: 60 within 5 % and 1 ms, to 100: 56 to 106.
    pair = counted("a", latency_ms=60), counted("b", latency_ms=100)
    assert ends(counted_flow(flow(), line((100, 300), *pair)).latency_ms) == (56, 106)
    # What was not read of one, or is of the guest's commands that the host splits, says nothing of all.
    little = (100 / 2020 * 1000, 300 / 1980 * 1000)
    assert ends(counted_flow(flow(), line((100, 300), pair[0], counted("b", latency_ms=None))).latency_ms) == little
    split = counted("b", latency_ms=100, io_bytes=262144, largest_io_bytes=131072, commands_per_second=500)
    assert ends(counted_flow(flow(), line((100, 300), pair[0], split)).latency_ms) == little


def test_of_few_commands_the_counts_which_are_whole_say_little() -> None:
    # S0's neighbour: 1 command, 3 a second. 0.05 to 1.95 of them, 2.03 to 4.03 a second; vCenter has 313 ms.
    found = counted_flow(flow((240, 350)), line((0.95, 1.05), counted(outstanding=1, commands_per_second=3, latency_ms=313)))
    assert ends(found.per_second) == (3.03 - 1, 2.97 + 1)
    assert ends(found.latency_ms) == (313 * 0.95 - 1, 313 * 1.05 + 1)
    # One in two seconds may be none: then the latency has no upper end of its own.
    rare = counted_flow(flow((1, 9000)), line((0.1, 0.1), counted(outstanding=0.1, commands_per_second=0.5, latency_ms=None)))
    assert rare.per_second.low == 0
    assert rare.latency_ms.high == 9000


def test_a_flow_stays_the_models_where_no_rate_was_counted() -> None:
    model = flow((5, 7))
    assert counted_flow(model, line((19, 21), counted(commands_per_second=0))) == model
    assert counted_flow(model, line((19, 21))) == model


NOW = flow((10, 12), (100, 120))


@pytest.mark.parametrize(
    ("direction", "after", "latency", "rate"),
    [
        (Direction.SAME, flow((1, 2), (500, 600)), (10, 12), (100, 120)),
        (Direction.BETTER, flow((1, 2), (500, 600)), (1, 2), (500, 600)),
        (Direction.BETTER, flow((11, 50), (50, 110)), (11, 12), (100, 110)),
        (Direction.BETTER, flow((40, 50), (50, 60)), (12, 12), (100, 100)),
        (Direction.WORSE, flow((40, 50), (50, 60)), (40, 50), (50, 60)),
        (Direction.WORSE, flow((1, 11), (110, 600)), (10, 11), (110, 120)),
        (Direction.WORSE, flow((1, 2), (500, 600)), (10, 10), (120, 120)),
        (Direction.EITHER, flow((1, 50), (50, 600)), (1, 50), (50, 600)),
    ],
)
def test_after_a_fix_nobody_moves_against_its_direction(
    direction: Direction, after: Flow, latency: tuple[float, float], rate: tuple[float, float]
) -> None:
    found = held_to(direction, after, NOW)
    assert (found.latency_ms, found.per_second) == (Interval(*latency), Interval(*rate))


AFTER = flow((1, 2), (500, 600))


@pytest.mark.parametrize(
    ("model", "stays"),
    [
        pytest.param(NOW, False, id="as counted"),
        pytest.param(flow((12, 20), (120, 200)), False, id="the ends meet"),
        pytest.param(flow((5, 10), (50, 100)), False, id="the other ends meet"),
        pytest.param(flow((12.1, 20), (120, 200)), True, id="the model is slower"),
        pytest.param(flow((5, 9.9), (50, 100)), True, id="the model is quicker"),
        pytest.param(flow((10, 12), (121, 200)), True, id="more than passes"),
        pytest.param(flow((10, 12), (50, 99)), True, id="less than passes"),
    ],
)
def test_where_the_model_of_now_is_off_it_may_stay_as_it_is(model: Flow, stays: bool) -> None:
    found = perhaps_as_now(AFTER, NOW, model)
    if not stays:
        assert found == AFTER
        return
    assert found == replace(AFTER, latency_ms=Interval(1, 12), per_second=Interval(100, 600))


def test_an_end_without_bound_stays_without() -> None:
    endless = flow((1, math.inf), (1, 2))
    assert perhaps_as_now(endless, NOW, flow((50, 60))).latency_ms == Interval(1, math.inf)
