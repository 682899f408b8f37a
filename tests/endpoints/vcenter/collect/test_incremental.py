"""What an earlier run may answer for is taken over after the rest was read; where nothing can be compared, all is read."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect import incremental
from auditor.endpoints.vcenter.collect.host_comparison import HostComparison
from auditor.endpoints.vcenter.collect.rows import gap
from auditor.facts.needs import EVERYTHING, needs
from auditor.model import Share

from .answering import ENDPOINT, Found

NAMED: Any = SimpleNamespace(directory=Path("/runs/1"))


class Session:
    """Stands for a vCenter, and for all that reads it; keeps in which order what was done."""

    def __init__(self, patch: pytest.MonkeyPatch, clock: datetime | None, comparison: Any = None) -> None:
        self.steps: list[Any] = []
        self.clock_at_start = "not asked"
        self.given: Any = None
        self.needed: Any = None
        before: Any = SimpleNamespace(options=None)
        seen: Any = None
        self.comparison = comparison or HostComparison("1", frozenset({"options"}), ENDPOINT.name, before, seen, seen, seen)
        patch.setattr(incremental, "clock_of", lambda vcenter: clock if vcenter is self else None)
        patch.setattr(incremental, "compare_hosts", self._compare)
        patch.setattr(incremental, "collect_vcenter", self._collect)

    def so_far(self) -> None:
        """Stands for SnapshotBuilder.so_far."""

    def _compare(self, *given: Any) -> Any:
        self.given = given
        return self.comparison

    def _collect(self, vcenter: Any, endpoint: Any, needed: Any, comparison: Any = None) -> Any:
        assert (vcenter, needed) == (self, self.needed)
        self.steps.append(("read", comparison is not None))
        yield gap(endpoint, "something", "is missing")
        if comparison is not None:
            assert comparison is self.comparison
            comparison.taken = {"h1": datetime(2026, 11, 20, tzinfo=UTC)}

    def take_over_hosts(self, *given: Any) -> None:
        self.steps.append(("take over", *given))

    def add_note(self, note: str) -> None:
        self.steps.append(note)

    def read(self, *, earlier: Any = None, needed: Any = EVERYTHING, share: Share = ENDPOINT.share) -> list[Any]:
        endpoint = dataclasses.replace(ENDPOINT, share=share)
        session: Any = self
        self.needed = needed
        assert Found(incremental.collect_incrementally(session, endpoint, needed, earlier, session)).gaps == [("something", "is missing")]
        return self.steps


def test_what_hosts_need_not_be_asked_is_taken_over_after_the_rest_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.now(UTC)
    session = Session(monkeypatch, now)
    read, taken, note = session.read(earlier=NAMED)
    assert (read, taken[:3], list(taken[3]), taken[4]) == (
        ("read", True), ("take over", NAMED.directory, ENDPOINT.name), ["h1"], frozenset({"options"}),
    )  # fmt: skip
    assert note.startswith(f"{ENDPOINT.name}: What 1 of 0 hosts say of themselves was taken over from run 1")
    assert session.given == (session, ENDPOINT, NAMED, EVERYTHING, now, session.so_far)
    assert session.clock_at_start == now.isoformat()


def test_where_nothing_can_be_compared_all_is_read_and_a_note_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch, None, comparison="vCenter does not report what its clock says")
    assert session.read(earlier=NAMED) == [("read", False), f"{ENDPOINT.name}: vCenter does not report what its clock says"]
    assert session.clock_at_start is None


def test_a_clock_that_is_wrong_is_noted_once_for_all_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    late = datetime.now(UTC) - timedelta(hours=1)
    note, *rest = Session(monkeypatch, late).read()
    assert ENDPOINT.name in note
    assert rest == [("read", False)]
    assert Session(monkeypatch, late).read(share=Share(1, 2)) == [("read", False)]
    assert Session(monkeypatch, late.replace(tzinfo=None)).read() == [("read", False)], "a time of no zone is not compared"
    assert Session(monkeypatch, datetime.now(UTC)).read() == [("read", False)]


def test_where_no_host_itself_is_asked_the_clock_is_not_either(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch, datetime.now(UTC))
    assert session.read(earlier=NAMED, needed=needs([("datastore", "name")])) == [("read", False)]
    assert (session.clock_at_start, session.given) == ("not asked", None)
