"""What a run does to a host besides writing settings, in words; and which of it belongs to a reboot that has begun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from auditor.apply.steps import ends_reboot, step_state
from auditor.model import Change, Scalar

Make = Callable[..., Change]


@pytest.mark.parametrize(
    ("remediator", "found", "state"),
    [
        pytest.param("host.maintenance", True, "esx-01 is in maintenance mode", id="it went in"),
        pytest.param("host.maintenance", False, "esx-01 is not in maintenance mode", id="it is out"),
        pytest.param("host.maintenance", None, "esx-01 is not in maintenance mode", id="not reported"),
        pytest.param("host.boot", True, "esx-01 has been rebooted", id="it booted"),
        pytest.param("host.boot", False, "esx-01 has not been rebooted", id="it did not boot"),
        pytest.param("host.boot", None, "esx-01 has not been rebooted", id="no boot is reported"),
    ],
)
def test_a_step_is_told_by_what_the_host_is_in_now(change: Make, remediator: str, found: Scalar, state: str) -> None:
    assert step_state(replace(change("step"), remediator=remediator), found) == state


def test_a_step_of_an_older_journal_is_told_by_the_name_of_what_it_is_about(change: Make) -> None:
    assert step_state(replace(change("step", host=None), remediator="host.boot"), value=True) == "step has been rebooted"


@pytest.mark.parametrize(
    ("remediator", "after", "ends"),
    [
        pytest.param("host.boot", True, True, id="the boot"),
        pytest.param("host.maintenance", False, True, id="the way out"),
        pytest.param("host.maintenance", True, False, id="the way in"),
        pytest.param("shelf", False, False, id="a setting"),
    ],
)
def test_a_reboot_that_has_begun_is_carried_to_its_end(change: Make, remediator: str, after: Scalar, ends: bool) -> None:
    assert ends_reboot(replace(change(after=after), remediator=remediator)) is ends
