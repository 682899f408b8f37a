"""A run of waves that reboots hosts."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest

from auditor.apply.wave_run import wave_receipts
from auditor.errors import GuardError
from auditor.model import Outcome, Receipt
from tests.apply.wave_runs import STOP, Make, Reboots, Site, applied, names, on_host, receipts_of


def test_hosts_are_rebooted_before_settings_are_written_online_and_others_leave_maintenance_mode_first(
    site: Site, reboots: Reboots, change: Make
) -> None:
    boots, online = on_host(change, "boots", "h1", reboots=True, number=1), on_host(change, "online", "h2", number=2)
    boot = applied(replace(on_host(change, "step", "h1"), remediator="host.boot"))
    reboots.steps = {"run-8": ([], ""), "": ([boot, applied(boots)], "")}
    leaving = [replace(on_host(change, f"leaves-{number}", f"h{number}"), remediator="host.maintenance") for number in (1, 2)]
    found, error = receipts_of(site.run(), online, boots, leave=leaving, rolling="rolling", finish=["run-8"])
    assert error is None
    assert [name for name, _ in found] == ["leaves-2", "step", "boots", "online", "leaves-1", "leaves-2"]
    assert site.events == [
        *(("attempt", "leaves-2"), ("finish", "run-8"), ("reboot", ["boots"], [])),
        *(("wait", 60.0), ("check", ["boots"]), ("health", ["boots"]), ("begin again",)),
        *(("show", "online", 1, 9), ("attempt", "online"), ("wait", 60.0), ("check", ["boots", "online"]), ("health", ["boots", "online"])),
        *(("attempt", "leaves-1"), ("attempt", "leaves-2"), ("passed", ["boots", "online"])),
    ]


def test_without_an_order_to_reboot_such_a_value_is_stored_with_the_others(site: Site, reboots: Reboots, change: Make) -> None:
    boots = on_host(change, "boots", "h1", reboots=True)
    found, _ = receipts_of(site.run(), boots, leave=[on_host(change, "leaves", "h1")], finish=["run-8"])
    assert [name for name, _ in found] == ["leaves", "boots", "leaves"]
    assert site.of("finish", "reboot") == []


def test_a_reboot_that_stops_the_run_ends_it_and_later_runs_are_not_finished(site: Site, reboots: Reboots, change: Make) -> None:
    reboots.steps = {"run-7": ([applied(on_host(change, "left", "h7"))], "not attempted: h7 did not leave maintenance mode")}
    run = site.run()
    changes = [on_host(change, "boots", "h1", reboots=True), on_host(change, "online", "h2")]
    receipts = list(wave_receipts(run, changes, (), "rolling", ["run-7", "run-8"], list))  # type: ignore[arg-type]
    assert [(one.change.resource.name, one.why) for one in receipts[1:]] == [
        ("boots", "not attempted: h7 did not leave maintenance mode"),
        ("online", "not attempted: h7 did not leave maintenance mode"),
    ]
    assert site.of("finish", "reboot") == [("finish", "run-7")]
    assert site.of("passed") == []


def test_of_a_reboot_only_settings_that_were_applied_are_read_again(site: Site, reboots: Reboots, change: Make) -> None:
    boots = [on_host(change, name, "h1", reboots=True) for name in ("a", "b")]
    step = replace(on_host(change, "step", "h1"), remediator="host.maintenance")
    reboots.steps = {"": ([applied(step), applied(boots[0]), Receipt(boots[1], Outcome.REFUSED, 32)], "")}
    run = site.run()
    receipts_of(run, *boots, rolling="rolling")
    assert (names([one.change for one in run.applied]), names([one.change for one in run.made])) == (["a"], ["a"])
    assert site.of("check", "begin again") == [("check", ["a"]), ("begin again",)]


def test_where_no_host_was_rebooted_health_is_not_begun_again(site: Site, reboots: Reboots, change: Make) -> None:
    boots = on_host(change, "boots", "h1", reboots=True)
    reboots.steps = {"": ([Receipt(boots, Outcome.ALREADY, 256)], "")}
    receipts_of(site.run(), boots, rolling="rolling")
    assert site.of("begin again", "check") == []


def test_what_was_put_back_during_reboots_comes_as_soon_as_it_is_known_and_stops_the_run(
    site: Site, change: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    boots = [on_host(change, name, f"h-{name}", reboots=True) for name in ("a", "b")]
    step = applied(replace(on_host(change, "step", "h-a"), remediator="host.boot"))
    run = site.run()

    def rebooting(*_parts: Any) -> Generator[Receipt, None, str]:
        yield step
        yield applied(boots[0])
        run.late.append(Receipt(boots[0], Outcome.REVERTED, 32))
        yield step
        return "not attempted: it ends"

    monkeypatch.setattr("auditor.apply.wave_run.reboot_hosts", rebooting)
    found, error = receipts_of(run, *boots, rolling="rolling")
    assert error is None
    assert found == [
        ("step", Outcome.APPLIED),
        ("a", Outcome.APPLIED),
        ("step", Outcome.APPLIED),
        ("a", Outcome.REVERTED),
    ]
    assert run.stopped == "not attempted: it ends"
    assert site.of("begin again", "passed") == []


@pytest.mark.parametrize("worse", [False, True], ids=["no worse", "worse"])
def test_health_is_asked_of_what_a_host_was_given_before_one_of_its_settings_was_not_read_back(
    site: Site, reboots: Reboots, change: Make, *, worse: bool
) -> None:
    first, second = (on_host(change, name, "h1", reboots=True) for name in ("first", "second"))
    reboots.steps = {"": ([applied(first), Receipt(second, Outcome.UNVERIFIED, 32)], "not attempted: second was not read back")}
    site.worsened = [["slow"]] if worse else []
    found, error = receipts_of(site.run(ask_health=True), first, second, rolling="rolling")
    assert found == [("first", Outcome.APPLIED), ("second", Outcome.UNVERIFIED)]
    assert site.of("check", "health") == [("check", ["first"]), ("health", ["first", "second"])]
    assert (error is not None, [event[1] for event in site.of("failed")]) == (worse, [["first", "second"]] if worse else [])
    assert site.of("passed", "begin again") == []


def test_what_stopped_a_run_while_a_host_was_rebooted_still_stops_it(site: Site, change: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    boots, online = on_host(change, "boots", "h1", reboots=True), on_host(change, "online", "h2")
    run = site.run()

    def rebooting(*_parts: Any) -> Generator[Receipt, None, str]:
        run.stop(STOP)
        yield applied(boots)
        return ""

    monkeypatch.setattr("auditor.apply.wave_run.reboot_hosts", rebooting)
    found, error = receipts_of(run, boots, online, rolling="rolling")
    assert (found, error) == ([("boots", Outcome.APPLIED), ("online", Outcome.PROPOSED)], STOP)


def test_health_that_got_worse_after_a_reboot_names_it(site: Site, reboots: Reboots, change: Make) -> None:
    site.worsened = [["slow"]]
    _, error = receipts_of(site.run(), on_host(change, "boots", "h1", reboots=True), rolling="rolling")
    assert reboots.steps == {}
    assert error is not None
    assert error.what == 'after the wave "the reboot of a host": slow'


def test_what_was_put_back_after_the_last_reboot_comes_behind_it(site: Site, reboots: Reboots, change: Make) -> None:
    boots = on_host(change, "a", "h1", reboots=True)
    step = applied(replace(on_host(change, "step", "h1"), remediator="host.boot"))
    reboots.steps = {"": ([step, applied(boots)], "")}
    site.reverted = [[Receipt(boots, Outcome.REVERTED, 32, "it is 32 now")]]
    found, _ = receipts_of(site.run(), boots, rolling="rolling")
    assert found == [("step", Outcome.APPLIED), ("a", Outcome.APPLIED), ("a", Outcome.REVERTED)]
    assert site.of("begin again", "passed") == []


def test_a_run_of_one_host_ends_after_its_first_reboot(site: Site, reboots: Reboots, change: Make) -> None:
    boots, online = on_host(change, "boots", "h1", reboots=True), on_host(change, "online", "h2")
    run = site.run()
    run.only_first(lambda _made: GuardError("1 of 2 hosts done", why="x", do="x"))
    found, error = receipts_of(run, boots, online, rolling="rolling")
    assert found == [("boots", Outcome.APPLIED), ("online", Outcome.PROPOSED)]
    assert error is not None
    assert error.what == "1 of 2 hosts done"
