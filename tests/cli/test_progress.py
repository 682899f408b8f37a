"""While a command works it says how much is done of how much, with and without a terminal."""

from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from auditor.cli import terminal
from auditor.cli.activity import Activity
from auditor.cli.terminal import ProgressDisplay
from auditor.endpoints import counting
from auditor.endpoints.counting import Counting
from auditor.facts.needs import needs
from auditor.facts.schema import Batch
from auditor.model import Endpoint, EndpointKind, Secret
from auditor.text.counts import Counted, Counts


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that activities and counts see, in seconds; a test moves it."""
    now = [100.0]
    monkeypatch.setattr("auditor.cli.activity.time.monotonic", lambda: now[0])
    return now


def test_all_endpoints_are_counted_together_with_the_time_left_at_the_pace_so_far(clock: list[float]) -> None:
    seen = Activity()
    seen.note("vc-a", "connecting")
    seen.note("vc-b", "connecting")
    clock[0] += 30
    seen.note("vc-a", Counted("reading 8.0.3", Counts(hosts=300, of_hosts=1000, devices=9000, steps=1000, of_steps=4000)))
    seen.note("vc-b", "read")
    assert seen.line() == "reading: endpoints 1 of 2, hosts 300 of 1,000, devices 9,000, about 90 s left"


def test_readers_of_one_vcenter_are_summed(clock: list[float]) -> None:
    seen = Activity()
    seen.note("vc-a", Counted("reading", Counts(part=0, hosts=10, of_hosts=100, steps=10, of_steps=100)))
    seen.note("vc-a", Counted("reading", Counts(part=1, hosts=15, steps=15)))
    clock[0] += 1
    seen.note("vc-a", Counted("reading", Counts(part=1, hosts=40, steps=40)))
    assert seen.line() == "reading: endpoints 0 of 1, hosts 50 of 100, about 1 s left"


def test_judging_follows_with_counts_of_its_own(clock: list[float]) -> None:
    seen = Activity()
    seen.note("vc-a", Counted("reading", Counts(hosts=3, of_hosts=3)))
    clock[0] += 600
    seen.note("", "joining what was read")
    assert seen.line() == "joining what was read"
    seen.note("", Counted("judging", Counts(steps=1, of_steps=4, rows=10)))
    clock[0] += 100
    seen.note("", Counted("judging", Counts(steps=2, of_steps=4, rows=1234)))
    assert seen.line() == "judging: 2 of 4 rules, rows judged 1,234, about 100 s left"


def test_of_changes_the_number_is_said(clock: list[float]) -> None:
    seen = Activity()
    seen.note("vc-a", Counted("change 1 of 8: device.dsnro on naa.1", Counts(steps=0, of_steps=8)))
    clock[0] += 600
    seen.note("vc-b", Counted("change 3 of 8: device.dsnro on naa.2", Counts(steps=2, of_steps=8)))
    assert seen.line() == "changes: 2 of 8, about 30 min left"


def test_off_a_terminal_a_line_every_ten_seconds_says_how_far_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert terminal.LINE_SECONDS == 10
    monkeypatch.setattr(terminal, "LINE_SECONDS", 0.001)
    printed = threading.Semaphore(0)

    def line(_: Activity) -> str:
        printed.release()
        return "reading: endpoints 0 of 1, hosts 1 of 2"

    monkeypatch.setattr(Activity, "line", line)
    display = ProgressDisplay()
    display("vc", Counted("reading 8.0.3", Counts(hosts=1, of_hosts=2)))
    for _ in range(3):  # one follows another, and the third is asked for when two are printed
        assert printed.acquire(timeout=20)
    display.stop()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2
    assert set(lines) == {"reading: endpoints 0 of 1, hosts 1 of 2"}


def test_a_host_is_done_when_each_topic_it_is_asked_for_has_its_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "EVERY_SECONDS", 0.0)
    wanted = needs([("host", "name"), ("device", "vendor"), ("host_option", "value")])
    shown: list[str] = []
    count = Counting(_endpoint(), wanted, "reading 8.0.3", shown.append)
    count(Batch("host", {"host_id": ["host-1", "host-2"]}))
    count(_readings("", "hosts"))
    count(Batch("device", {"host_id": ["host-1"] * 3, "name": ["a", "b", "c"]}))
    count(_readings("host-1", "storage"))
    assert count.counts == Counts(hosts=0, of_hosts=2, devices=3, steps=1, of_steps=4)
    count(_readings("host-1", "options"))
    assert count.counts == Counts(hosts=1, of_hosts=2, devices=3, steps=2, of_steps=4)
    assert isinstance(shown[-1], Counted)
    assert (shown[-1], shown[-1].counts) == ("reading 8.0.3", count.counts)


def _endpoint() -> Endpoint:
    return Endpoint("vc", EndpointKind.VCENTER, "vc.example.net", 443, "reader", Secret("env", ("PW",)))


def _readings(scope: str, topic: str) -> Batch:
    columns: dict[str, list[object]] = {"scope": [scope], "topic": [topic], "complete": [True], "read_at": [datetime.now(UTC)]}
    return Batch("reading", columns)
