"""Of machines that share a state directory one writes, also where the operating system's lock does not reach the others."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from auditor.errors import GuardError, JournalError
from auditor.journal import lease as leases
from auditor.journal import open_intents, open_journal
from auditor.journal.lease import LEASE, LEASE_SECONDS, lease
from auditor.journal.writing import Journal
from tests.journal.test_journal import change
from tests.waiting import until

HOLDER: dict[str, str | int] = {
    "run": "20181104T120000Z-0001",
    "pid": 7,
    "host": "jump-1",
    "user": "ops",
    "since": "2018-11-04T12:00:00+00:00",
}
SHORT = 0.9
"""Seconds of a lease that a test waits for; it is renewed every tenth of a second."""


@contextmanager
def held(directory: Path, machine: str, seconds: float = LEASE_SECONDS) -> Iterator[None]:
    with lease(directory, HOLDER, machine, seconds) as check:
        check()
        yield


def last(directory: Path) -> Path:
    """The lease that counts."""
    return max(directory.glob(f"{LEASE}-*"), key=lambda one: int(one.name.rpartition("-")[2]))


def aged(directory: Path, seconds: float) -> None:
    """Make the lease one that was last renewed so long ago."""
    then = time.time() - seconds
    os.utime(last(directory), (then, then))


def left_behind(directory: Path, machine: str, number: int = 1) -> None:
    """A lease whose holder died."""
    (directory / f"{LEASE}-{number}").write_text(json.dumps({**HOLDER, "machine": machine, "token": "00"}))


def test_another_machine_is_refused_and_hears_who_holds_it(tmp_path: Path) -> None:
    with held(tmp_path, "one"), pytest.raises(GuardError, match="process 7 of ops on jump-1") as caught, held(tmp_path, "two"):
        pass
    assert "nothing was written" in caught.value.why


def test_a_lease_ends_with_its_run(tmp_path: Path) -> None:
    with held(tmp_path, "one"):
        pass
    with held(tmp_path, "two"):
        pass
    assert [one.name for one in tmp_path.iterdir()] == [f"{LEASE}-2"], "the last one stays, as its number is what the next one follows"


def test_a_dead_machine_gives_way_after_a_while_and_a_dead_process_at_once(tmp_path: Path) -> None:
    left_behind(tmp_path, "one")
    with held(tmp_path, "one"):
        pass
    left_behind(tmp_path, "one", 3)
    aged(tmp_path, LEASE_SECONDS - 20)
    with pytest.raises(GuardError) as caught, held(tmp_path, "two"):
        pass
    assert any(f"its hold ends {seconds} s from now" in caught.value.do for seconds in range(15, 21))
    aged(tmp_path, LEASE_SECONDS + 1)
    with held(tmp_path, "two"):
        pass


def test_a_holder_that_lives_renews_it(tmp_path: Path) -> None:
    with held(tmp_path, "one", SHORT):
        aged(tmp_path, 1000)
        until(lambda: time.time() - last(tmp_path).stat().st_mtime < SHORT, "renewed")
        with pytest.raises(GuardError), held(tmp_path, "two"):
            pass


def test_a_run_whose_lease_was_taken_over_writes_no_more_and_leaves_the_others_lease_alone(tmp_path: Path) -> None:
    with lease(tmp_path, HOLDER, "one") as check:
        journal = Journal(tmp_path, "20181104T120000Z-0001", "jump-1", "ops", lambda: datetime(2018, 11, 4, tzinfo=UTC), check)
        aged(tmp_path, LEASE_SECONDS + 1)
        with held(tmp_path, "two"):
            with pytest.raises(JournalError, match="no longer held by this run"):
                journal.intend(change())
            (tmp_path / "taken").write_bytes(last(tmp_path).read_bytes())
            assert b'"two"' in last(tmp_path).read_bytes()
    assert open_intents(tmp_path) == []


def test_a_lease_that_was_taken_over_is_not_renewed_nor_released_by_its_first_holder(tmp_path: Path) -> None:
    with lease(tmp_path, HOLDER, "one", SHORT):
        left_behind(tmp_path, "two", 2)
        aged(tmp_path, 1000)
        time.sleep(SHORT / 3)
        assert time.time() - last(tmp_path).stat().st_mtime > SHORT
    assert b'"two"' in last(tmp_path).read_bytes()


def test_a_lease_that_is_not_whole_is_held_until_it_lapses(tmp_path: Path) -> None:
    (tmp_path / f"{LEASE}-1").write_bytes(b"")
    with pytest.raises(GuardError, match="nobody who has a name"), held(tmp_path, "two"):
        pass
    aged(tmp_path, LEASE_SECONDS + 1)
    with held(tmp_path, "two"):
        pass


def test_who_comes_with_an_old_list_of_leases_does_not_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between its look and its attempt two others had the directory, one after the other, and the second one still has it."""
    left_behind(tmp_path, "dead", 4)
    aged(tmp_path, LEASE_SECONDS + 1)
    look = leases._numbers

    def late(directory: Path) -> list[int]:
        numbers = look(directory)
        if numbers == [4]:
            left_behind(tmp_path, "two", 6)
            (tmp_path / f"{LEASE}-4").unlink()
        return numbers

    monkeypatch.setattr(leases, "_numbers", late)
    with pytest.raises(GuardError), held(tmp_path, "one"):
        pass
    assert [one.name for one in tmp_path.iterdir()] == [f"{LEASE}-6"]


def test_of_many_machines_that_want_a_lapsed_lease_one_has_it_at_a_time(tmp_path: Path) -> None:
    left_behind(tmp_path, "dead")
    aged(tmp_path, LEASE_SECONDS + 1)
    begin, inside, together, problems = threading.Barrier(8), [], [], []

    def attempts(number: int) -> None:
        begin.wait()
        for _ in range(60):
            try:
                with held(tmp_path, f"machine {number}"):
                    inside.append(number)
                    together.append(len(inside))
                    inside.remove(number)
            except GuardError:
                pass
            except Exception as error:  # noqa: BLE001  of whatever kind, the test is to fail
                problems.append(error)

    threads = [threading.Thread(target=attempts, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert set(together) == {1}


def test_a_journal_is_guarded_where_the_lock_does_not_reach_the_other_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditor.journal.lock.lock_taken", lambda _descriptor: True)
    with open_journal(tmp_path, "20181104T120000Z-0001"):
        monkeypatch.setattr("auditor.journal.lease.this_machine", lambda: "another")
        with pytest.raises(GuardError, match="on another machine"), open_journal(tmp_path, "20181104T130000Z-0002"):
            pass


def test_a_folder_without_room_for_it_is_an_error_before_anything_is_changed(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=LEASE), held(tmp_path / "none", "one"):
        pass
