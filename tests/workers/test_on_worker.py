"""What becomes of a task whose worker has a bug, or no room: never a text with a value."""

from datetime import UTC, datetime

import duckdb
import pytest

from auditor.endpoints.read_task import ReadTask, UnwantedError, task_of
from auditor.errors import ConfigurationError
from auditor.facts.needs import EVERYTHING
from auditor.facts.snapshots.parts import Part
from auditor.model import Endpoint, EndpointKind, Secret
from auditor.workers import on_worker
from auditor.workers.client import connected

VALUE = "what-the-array-answered"
WHEN = datetime(2026, 11, 21, 6, 55, tzinfo=UTC)
TASK = task_of(Endpoint("sf", EndpointKind.ELEMENT, "sf.example.net", 443, "auditor", Secret("env", ("SF_PASSWORD",))), EVERYTHING)


def read(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> Part | None:
    """What a worker answers whose reading ends in `error`."""

    def broken(_task: ReadTask, *_: object) -> Part:
        raise error

    monkeypatch.setattr(on_worker, "read_part", broken)
    return on_worker.read_part_here(TASK, lambda *_: None, lambda: True, WHEN)


def test_a_bug_is_a_gap_and_its_report_holds_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    part = read(KeyError(VALUE), monkeypatch)
    assert part is not None
    (gap,) = part.gaps
    assert gap.what == "all of it, at sf.example.net:443"
    assert "a bug in auditor stopped it: KeyError in workers/test_on_worker.py:" in gap.why
    assert part.reading.bug is not None
    assert "builtins.KeyError" in part.reading.bug
    assert not part.reading.complete
    assert VALUE not in repr(part) + part.reading.bug


@pytest.mark.parametrize(
    "error", [MemoryError(VALUE), OSError(VALUE), duckdb.OutOfMemoryException(VALUE)], ids=lambda error: type(error).__name__
)
def test_a_worker_without_room_leaves_the_task_to_another_one(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(on_worker.UnreadHereError, match="no room") as raised:
        read(error, monkeypatch)
    assert VALUE not in str(raised.value)
    assert raised.value.__context__ is None


def test_what_nobody_wants_is_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(UnwantedError(), monkeypatch) is None


def test_where_nothing_listens_that_is_said_at_once() -> None:
    with (
        pytest.raises(ConfigurationError, match=r"no scheduler can be used at tcp://127\.0\.0\.1:1: .*refused") as raised,
        connected("tcp://127.0.0.1:1"),
    ):
        pass
    assert "auditor workers scheduler" in raised.value.do
