"""Reads in threads: every result arrives once, whichever ends first, and what a task raises is raised."""

from __future__ import annotations

import threading

import pytest

from auditor.endpoints.vcenter.collect.rows import Facts
from auditor.endpoints.vcenter.collect.task_pool import TaskPool
from auditor.model import Gap


def of(name: str) -> list[Facts]:
    return [Gap("vc", name, "it is an example")]


def names(facts: list[Facts]) -> list[str]:
    return [fact.what for fact in facts if isinstance(fact, Gap)]


def test_what_has_ended_is_yielded_once_and_the_rest_later() -> None:
    may_end, pause = threading.Event(), threading.Event()

    def slow() -> list[Facts]:
        may_end.wait(30)
        return of("slow")

    with TaskPool(2) as tasks:
        tasks.send(slow)
        tasks.send(lambda: of("quick"))
        early: list[str] = []
        while not early:
            early = names(list(tasks.finished()))
            pause.wait(0.001)
        assert early == ["quick"]
        assert not list(tasks.finished())
        may_end.set()
        assert names(list(tasks.rest())) == ["slow"]
        assert not list(tasks.rest())


def test_many_tasks_all_arrive() -> None:
    with TaskPool(4) as tasks:
        found: list[str] = []
        for number in range(200):
            tasks.send(lambda number=number: of(str(number)))  # type: ignore[misc]
            found += names(list(tasks.finished()))
        found += names(list(tasks.rest()))
    assert sorted(found, key=int) == [str(number) for number in range(200)]


def test_what_a_task_raises_is_raised() -> None:
    def broken() -> list[Facts]:
        raise ValueError("a bug")

    with TaskPool(1) as tasks:
        tasks.send(broken)
        with pytest.raises(ValueError, match="a bug"):
            list(tasks.rest())
