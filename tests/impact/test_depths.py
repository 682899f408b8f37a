"""How deep a queue is now, and after a fix."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor.impact.depths import WhatIf, depth_after, depth_now
from auditor.impact.interval import Interval
from auditor.impact.lines import Line
from auditor.impact.queue import Stream
from auditor.impact.rows import Device
from auditor.model import Cure
from tests.impact.samples import device

NOW = Interval.exactly(32)
TWO = {"worlds": 2, "worlds_at_least": 2}
ONE = {"worlds": 1, "worlds_at_least": 1}
UNREAD = {"depth_in_effect": None}


def sending(*most: float) -> list[Line]:
    return [Line(Stream("disk", Interval(0, one), Interval.exactly(0.001)), (), Interval(0, one)) for one in most]


@pytest.mark.parametrize(
    ("queue", "ends"),
    [
        pytest.param(device(depth_in_effect=16, **TWO), (16, 16), id="what the host counts goes before its settings"),
        pytest.param(device(depth_in_effect=1, **TWO), (1, 1), id="one place is a depth"),
        pytest.param(device(depth_in_effect=0, **TWO), (32, 32), id="none is no depth"),
        pytest.param(device(**UNREAD, **TWO), (32, 32), id="two worlds: DSNRO"),
        pytest.param(device(**UNREAD, **TWO, queue_depth=16), (16, 16), id="two worlds, and a device that is shallower than DSNRO"),
        pytest.param(device(**UNREAD, **ONE), (256, 256), id="one world: the device's own"),
        pytest.param(device(**UNREAD, **ONE, queue_depth=1), (1, 1), id="one world and one place"),
        pytest.param(device(**UNREAD, **ONE, dsnro=None), (256, 256), id="one world needs no DSNRO"),
        pytest.param(device(**UNREAD, worlds=0, worlds_at_least=0), (256, 256), id="no world"),
        pytest.param(device(**UNREAD, worlds_at_least=2), (32, 32), id="at least two worlds"),
        pytest.param(device(**UNREAD, worlds_at_least=1), (32, 256), id="at least one world: either"),
        pytest.param(device(**UNREAD, worlds_at_least=0), (32, 256), id="nobody known to send: either"),
        pytest.param(device(**UNREAD), (32, 256), id="nothing known of worlds: either"),
        pytest.param(device(**UNREAD, **TWO, dsnro=1), (1, 1), id="a DSNRO of one"),
    ],
)
def test_the_depth_is_what_is_counted_or_else_what_the_settings_make(queue: Device, ends: tuple[float, float]) -> None:
    assert depth_now(queue) == Interval(*ends)


@pytest.mark.parametrize(
    "queue",
    [
        device(**UNREAD, **TWO, queue_depth=None),
        device(**UNREAD, **TWO, queue_depth=0),
        device(**UNREAD, **ONE, queue_depth=None),
        device(**UNREAD, **TWO, dsnro=None),
        device(**UNREAD, **TWO, dsnro=0),
        device(**UNREAD, dsnro=None),
    ],
)
def test_a_setting_that_was_not_read_or_is_none_leaves_the_depth_unknown(queue: Device) -> None:
    assert depth_now(queue) is None


@pytest.mark.parametrize(
    ("queue", "what_if", "ends"),
    [
        pytest.param(device(**TWO), WhatIf(Cure.DSNRO, 64), (64, 64), id="DSNRO"),
        pytest.param(device(**TWO), WhatIf(Cure.DSNRO, 512), (256, 256), id="DSNRO above the device"),
        pytest.param(device(**ONE), WhatIf(Cure.DSNRO, 64), (256, 256), id="DSNRO of one world"),
        pytest.param(device(worlds_at_least=1), WhatIf(Cure.DSNRO, 64), (64, 256), id="DSNRO of nobody knows how many worlds"),
        pytest.param(device(**TWO), WhatIf(Cure.QUEUE_DEPTH, 16), (16, 16), id="the device below DSNRO"),
        pytest.param(device(**TWO), WhatIf(Cure.QUEUE_DEPTH, 64), (32, 32), id="the device above DSNRO"),
        pytest.param(device(**ONE), WhatIf(Cure.QUEUE_DEPTH, 64), (64, 64), id="the device of one world"),
        pytest.param(device(**TWO), WhatIf(Cure.BOTH, 64), (64, 64), id="both"),
        pytest.param(device(**TWO), WhatIf(Cure.HOST_LIMIT), (32, 32), id="a limit on the host"),
        pytest.param(device(**TWO, sioc_enabled=True), WhatIf(Cure.DSNRO, 64), (32, 32), id="DSNRO below Storage I/O Control"),
        pytest.param(device(**TWO, sioc_enabled=True), WhatIf(Cure.QUEUE_DEPTH, 16), (32, 32), id="the device below Storage I/O Control"),
        pytest.param(device(**TWO, sioc_enabled=False), WhatIf(Cure.DSNRO, 64), (64, 64), id="DSNRO without Storage I/O Control"),
        pytest.param(device(**TWO, sioc_enabled=True), WhatIf(Cure.BOTH, 64), (64, 64), id="both, whatever sets the depth now"),
        pytest.param(device(**TWO, sioc_enabled=True, dsnro=64), WhatIf(Cure.NO_SIOC), (64, 64), id="no Storage I/O Control: the settings"),
    ],
)
def test_a_fix_changes_the_depth_that_applies(queue: Device, what_if: WhatIf, ends: tuple[float, float]) -> None:
    assert depth_after(queue, NOW, what_if, sending(40)) == Interval(*ends)


@pytest.mark.parametrize(
    ("most", "depth"), [((0.2,), 1), ((1,), 1), ((2,), 2), ((33,), 64), ((20, 45), 128), ((64,), 64), ((200, 100), 256), ((3,), 4)]
)
def test_where_the_fix_has_no_depth_it_is_the_power_of_two_that_takes_all_up_to_256(most: tuple[float, ...], depth: float) -> None:
    assert depth_after(device(**TWO), NOW, WhatIf(Cure.BOTH), sending(*most)) == Interval.exactly(depth)


def test_a_fix_of_one_setting_needs_the_other() -> None:
    unread = replace(device(**TWO), queue_depth=None)
    assert depth_after(unread, NOW, WhatIf(Cure.DSNRO, 64), []) is None
    assert depth_after(replace(device(**TWO), dsnro=None), NOW, WhatIf(Cure.QUEUE_DEPTH, 64), []) is None
    assert depth_after(replace(device(**TWO, sioc_enabled=True), dsnro=None), NOW, WhatIf(Cure.NO_SIOC), []) is None
