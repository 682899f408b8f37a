"""Where machines are being moved to: by the newest event of each."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect import relocations
from auditor.endpoints.vcenter.collect.relocations import is_relocation, targets

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def named(moid: str) -> Any:
    return SimpleNamespace(_GetMoId=lambda: moid)


def event(vm: str | None, target: str | None, minutes: int = 0) -> Any:
    return SimpleNamespace(
        createdTime=NOON + timedelta(minutes=minutes),
        vm=None if vm is None else SimpleNamespace(vm=named(vm)),
        destDatastore=None if target is None else SimpleNamespace(datastore=named(target)),
    )


def test_the_newest_event_that_names_a_target_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def pages(_vcenter: Any, _endpoint: Any, types: list[str], since: datetime | None) -> Iterator[list[Any]]:
        asked.append((types, since))
        yield [event("vm-1", "datastore-2", 3), event("vm-1", "datastore-1", 1), event("vm-1", None, 5), event(None, "datastore-9")]
        yield [event("vm-2", "datastore-3"), event("vm-1", "datastore-4", 2), event("vm-1", "datastore-2", 3)]

    monkeypatch.setattr(relocations, "newest_pages", pages)
    given: Any = None
    assert targets(given, given, [NOON + timedelta(hours=1), NOON]) == {"vm-1": "datastore-2", "vm-2": "datastore-3"}
    assert asked == [(list(relocations.EVENTS), NOON - timedelta(minutes=5))]
    assert targets(given, given, []) != {}
    assert asked[1][1] is None


def test_a_log_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def pages(*_: Any) -> Iterator[list[Any]]:
        number = 0
        while True:
            number += 1
            yield [event(f"vm-{number}", "datastore-1")]

    monkeypatch.setattr(relocations, "newest_pages", pages)
    given: Any = None
    assert len(targets(given, given, [NOON])) == 20


def test_only_what_moves_disks_is_a_relocation() -> None:
    words = ("VirtualMachine.relocate", "Drm.ExecuteStorageVMotionLRO", "VirtualMachine.migrate", "VirtualMachine.clone")
    assert [is_relocation(word) for word in words] == [True, True, False, False]
