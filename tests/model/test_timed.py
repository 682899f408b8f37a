"""Somebody else's code is called with an end, and what it returns or raises comes through."""

from __future__ import annotations

import threading

import pytest

from auditor.model.timed import TookTooLongError, within


def test_what_it_returns_and_what_it_raises_come_through() -> None:
    def leaves() -> None:
        raise SystemExit(3)

    assert within(60, lambda: "x") == "x"
    assert within(60, lambda: None) is None
    with pytest.raises(SystemExit, match="3"):
        within(60, leaves)


def test_a_loop_without_an_end_is_left_behind_and_ends() -> None:
    rounds = [0]

    def loops() -> None:
        while True:
            rounds[0] += 1

    with pytest.raises(TookTooLongError, match=r"within 0\.2 s"):
        within(0.2, loops)
    for worker in [one for one in threading.enumerate() if one.name == "auditor-timed"]:
        worker.join(60)
        assert not worker.is_alive()
    assert rounds[0] > 0
