"""What journals say of reboots that did not end: hosts that are still out, and settings that wait for a boot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from auditor.apply.unfinished import unfinished, written_on
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Scalar, Target

AT = datetime(2026, 11, 21, 22, 30, tzinfo=UTC)
IN, OUT, BOOT, SETTING = "in", "out", "boot", "setting"
VALUES: dict[str, tuple[str, Scalar, Scalar]] = {
    IN: ("host.maintenance", False, True),
    OUT: ("host.maintenance", True, False),
    BOOT: ("host.boot", False, True),
    SETTING: ("host.module_option", 32, 256),
}


def made(what: str, host: str | None = "host-1", vcenter: str = "vc", fix_class: FixClass = FixClass.REBOOT) -> Change:
    remediator, before, after = VALUES[what]
    keys = (("setting", what),) if host is None else (("host_id", host), ("setting", what))
    resource = Resource("host", str(host), str(host), vcenter, "gold", host)
    return Change(remediator, fix_class, Target(vcenter, keys), before, after, ("a/rule",), resource, "reason")


@dataclass(frozen=True)
class Event:
    """A write and what became of it; `outcome` None: the run ended before the receipt."""

    change: Change
    outcome: Outcome | None = Outcome.APPLIED
    found: Scalar = None
    settled: bool = True
    identity: str | None = "1111"


def done(what: str, **place: str | None) -> Event:
    change = made(what, **place)  # type: ignore[arg-type]
    return Event(change, found=change.after)


@pytest.fixture
def keep(journals: Path) -> Callable[..., Path]:
    """Writes a journal of these events, a run for each call."""
    runs = iter(range(1, 100))

    def keep(*events: Event) -> Path:
        with open_journal(journals, f"run-{next(runs)}", lambda: AT) as journal:
            for event in events:
                intent = journal.intend(event.change, event.identity)
                if event.outcome is not None:
                    journal.receipt(intent, Receipt(event.change, event.outcome, event.found), settled=event.settled)
        return journals

    return keep


@pytest.mark.parametrize(
    ("events", "left"),
    [
        pytest.param((done(IN),), {("vc", "host-1")}, id="it went in"),
        pytest.param((done(IN), done(OUT)), set(), id="it came out"),
        pytest.param((done(OUT),), set(), id="a person took it in"),
        pytest.param((done(IN), done(OUT), done(IN)), {("vc", "host-1")}, id="it went in again"),
        pytest.param((done(IN), done(IN, host="host-2"), done(OUT, host="host-2")), {("vc", "host-1")}, id="another host came out"),
        pytest.param((done(IN), done(OUT, vcenter="vc-2")), {("vc", "host-1")}, id="a host of that id in another vCenter came out"),
        pytest.param((done(IN), Event(made(OUT), Outcome.UNVERIFIED, found=True)), {("vc", "host-1")}, id="it did not come out"),
        pytest.param((done(IN), Event(made(OUT), found=False, settled=False)), {("vc", "host-1")}, id="whether it came out is open"),
        pytest.param((done(IN), Event(made(OUT), None)), {("vc", "host-1")}, id="killed on its way out"),
        pytest.param((Event(made(IN), None),), {("vc", "host-1")}, id="killed on its way in"),
        pytest.param((Event(made(IN), Outcome.UNVERIFIED),), {("vc", "host-1")}, id="it may have gone in"),
        pytest.param((Event(made(IN), Outcome.REFUSED, settled=False),), {("vc", "host-1")}, id="refused, and still open"),
        pytest.param((Event(made(IN), Outcome.REFUSED), done(IN, host="host-2")), {("vc", "host-2")}, id="refused"),
        pytest.param((Event(made(IN), Outcome.STALE), done(IN, host="host-2")), {("vc", "host-2")}, id="not as planned, so not done"),
        pytest.param((Event(made(IN), Outcome.UNVERIFIED, found=False), done(IN, host="host-2")), {("vc", "host-2")}, id="it stayed out"),
        pytest.param((done(IN, host=None), done(IN)), {("vc", "host-1")}, id="on no host"),
        pytest.param((done(BOOT), done(SETTING)), set(), id="a boot and a setting"),
    ],
)
def test_a_host_is_left_out_until_it_is_known_to_have_left_maintenance_mode(
    keep: Callable[..., Path], events: tuple[Event, ...], left: set[tuple[str, str]]
) -> None:
    assert unfinished(keep(*events)).left_out.keys() == left


@pytest.mark.parametrize(
    ("events", "waits"),
    [
        pytest.param((done(SETTING),), True, id="written"),
        pytest.param((Event(made(SETTING), found=32),), True, id="stored, and as before until the boot"),
        pytest.param((Event(made(SETTING), None),), True, id="killed at the write"),
        pytest.param((Event(made(SETTING), Outcome.REFUSED),), False, id="refused"),
        pytest.param((Event(made(SETTING), Outcome.UNVERIFIED, 32),), False, id="as it was before"),
        pytest.param((Event(made(SETTING, fix_class=FixClass.ONLINE), found=256),), False, id="in force at once"),
        pytest.param((Event(replace(made(SETTING, fix_class=FixClass.RETUNE), takes=FixClass.REBOOT)),), True, id="retuned by a reboot"),
        pytest.param((done(SETTING), done(BOOT)), False, id="booted since"),
        pytest.param((done(BOOT), done(SETTING)), True, id="booted before"),
        pytest.param((done(SETTING), Event(made(BOOT), Outcome.UNVERIFIED, None)), True, id="it may not have booted"),
        pytest.param((done(SETTING), Event(made(BOOT), None)), True, id="killed at the boot"),
        pytest.param((done(SETTING), Event(made(BOOT), found=True, settled=False)), True, id="whether it booted is open"),
        pytest.param((done(SETTING), done(BOOT, host="host-2")), True, id="another host booted"),
        pytest.param((done(SETTING), done(BOOT, vcenter="vc-2")), True, id="a host of that id in another vCenter booted"),
        pytest.param((done(SETTING), done(IN), done(OUT)), True, id="in and out without a boot"),
        pytest.param((done(IN), done(OUT)), False, id="nothing written"),
    ],
)
def test_a_setting_for_the_next_boot_waits_until_its_own_host_is_known_to_have_booted(
    keep: Callable[..., Path], events: tuple[Event, ...], waits: bool
) -> None:
    left = unfinished(keep(*events))
    assert left.waits("host.module_option", made(SETTING).target, None) is waits
    assert len(left.waiting) == waits


@pytest.mark.parametrize(
    ("booted", "waits"),
    [
        pytest.param(None, True, id="nobody knows when it booted"),
        pytest.param(datetime(2026, 11, 21, 22, 34, 59, tzinfo=UTC), True, id="within what clocks may differ"),
        pytest.param(datetime(2026, 11, 21, 22, 35, tzinfo=UTC), False, id="five minutes after the write"),
    ],
)
def test_a_boot_counts_where_it_is_later_than_the_write_by_more_than_clocks_differ(
    keep: Callable[..., Path], booted: datetime | None, waits: bool
) -> None:
    left = unfinished(keep(done(SETTING)))
    assert left.waits("host.module_option", made(SETTING).target, booted) is waits
    assert not left.waits("host.option", made(SETTING).target, booted)
    assert not left.waits("host.module_option", made(SETTING, "host-2").target, booted)


@pytest.mark.parametrize(
    ("identity", "hosts"),
    [
        pytest.param(None, {"host-1", "host-2", "host-3"}, id="of every endpoint"),
        pytest.param("AAAA", {"host-2"}, id="of the one that answers now"),
        pytest.param("2222", set(), id="of one that was never written to"),
    ],
)
def test_what_was_done_on_another_endpoint_of_the_name_is_left_out(
    keep: Callable[..., Path], identity: str | None, hosts: set[str]
) -> None:
    kept = keep(
        replace(done(IN, host="host-1"), identity="1111"),
        replace(done(IN, host="host-3"), identity=None),
        replace(done(IN, host="host-2"), identity="aaaa"),
    )
    assert {host for _, host in unfinished(kept, identity).left_out} == hosts


def test_the_entry_by_which_it_began_is_kept(keep: Callable[..., Path]) -> None:
    keep(done(IN), done(SETTING))
    left = unfinished(keep(done(IN, host="host-2")))
    assert {place: entry.intent.run for place, entry in left.left_out.items()} == {("vc", "host-1"): "run-1", ("vc", "host-2"): "run-2"}
    assert [entry.intent.change for entry in left.waiting.values()] == [made(SETTING)]


def test_what_takes_effect_at_the_boot_of_a_host_is_what_that_run_wrote_on_it(keep: Callable[..., Path]) -> None:
    own = replace(made(SETTING), remediator="host.option")
    kept = keep(
        Event(replace(made(SETTING), remediator="host.refused"), Outcome.REFUSED),
        *(done(what) for what in (IN, BOOT, OUT, SETTING)),
        done(SETTING, host="host-2"),
        done(SETTING, vcenter="vc-2"),
        Event(made(SETTING, fix_class=FixClass.ONLINE)),
        Event(own, None),
    )
    keep(Event(replace(made(SETTING), remediator="host.later")))
    assert written_on(kept, "run-1", ("vc", "host-1")) == (made(SETTING), own)
