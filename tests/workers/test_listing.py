"""`auditor workers list` and the metrics of sites: which workers there are, and which sites have none."""

from __future__ import annotations

import io
import re
import socket
from types import SimpleNamespace
from typing import Any

import dask
import distributed  # noqa: F401  brings its settings into those of dask
import pytest

from auditor.errors import ConfigurationError
from auditor.report.terminal.workers import write_workers
from auditor.workers.inventory import ListedWorker
from auditor.workers.metrics import HttpServer, SiteCollector, http_server
from auditor.workers.sites import resources_of

GIB = 1 << 30


def worker(**changes: Any) -> ListedWorker:
    fields: dict[str, Any] = {
        "name": "vie-1", "address": "tls://192.0.2.1:1", "sites": ("vienna",), "version": "1.0", "threads": 4, "reading": 3,
        "status": "running", "memory_bytes": 3 * GIB // 2, "memory_limit_bytes": 4 * GIB, "cpu_percent": 12.4, "silent_seconds": 0.4,
    }  # fmt: skip
    return ListedWorker(**{**fields, **changes})


def shown(workers: list[ListedWorker], without: list[str] | None = None) -> list[str]:
    out = io.StringIO()
    write_workers(workers, without or [], "1.0", out)
    return out.getvalue().splitlines()


def test_a_worker_is_shown_with_its_sites_version_and_load() -> None:
    headings, line, total = shown([worker()])
    assert headings.split() == ["worker", "sites", "auditor", "reading", "memory", "cpu", "state"]
    assert re.split(r"\s{2,}", line) == ["vie-1", "vienna", "1.0", "3 of 4", "1.5 GiB of 4 GiB", "12%", "running"]
    assert total == "1 worker, 4 endpoints at once"


def test_what_is_not_known_of_a_worker_is_left_empty_and_a_silent_one_is_named() -> None:
    new = worker(name="new", sites=(), version=None, memory_bytes=None, memory_limit_bytes=None, cpu_percent=None, silent_seconds=61.0)
    line = shown([new])[1]
    assert line.split() == ["new", "-", "not", "auditor's", "3", "of", "4", "running,", "silent", "for", "61", "s"]


def test_another_version_and_a_site_without_a_worker_are_named() -> None:
    last = shown([worker(), worker(name="vie-2", version="0.9")], ["graz"])[-2:]
    assert last == [
        "1 worker has another version than this machine's 1.0: install the same everywhere",
        "no worker of site graz: its endpoints would not be read",
    ]


def test_a_name_that_would_control_the_terminal_does_not() -> None:
    assert "\x1b" not in "\n".join(shown([worker(name="\x1b[2J")]))


def test_a_site_that_has_lost_its_workers_counts_none_and_does_not_vanish() -> None:
    scheduler: Any = SimpleNamespace(workers={name: SimpleNamespace(resources=resources_of(("vienna",))) for name in ("a", "b")})
    collector = SiteCollector(scheduler)

    def counts() -> list[tuple[str, float]]:
        return [(sample.labels["site"], sample.value) for family in collector.collect() for sample in family.samples]

    assert counts() == [("vienna", 2)]
    scheduler.workers = {"c": SimpleNamespace(resources=resources_of(("graz",)))}
    assert counts() == [("graz", 1), ("vienna", 0)]


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:0", ":9786", "[::1]:9786", "127.0.0.1:99999", "127.0.0.1:x"])
def test_an_address_for_metrics_that_dask_would_not_serve_on_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--metrics"):
        http_server(text)


def test_metrics_are_not_served_elsewhere_when_their_port_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ConfigurationError, match="cannot be served on"):
            http_server(f"127.0.0.1:{taken.getsockname()[1]}")


def test_without_metrics_nothing_is_served_beyond_loopback() -> None:
    server = http_server(None)
    assert (server.host, server.has_metrics) == ("127.0.0.1", False)
    routes = [f"distributed.{role}.http.routes" for role in ("scheduler", "worker")]
    with dask.config.set({route: dask.config.get(route) for route in routes}):  # sets them back at the end
        server.configure()
        assert [dask.config.get(route) for route in routes] == [[], []]
        HttpServer("127.0.0.1", 1, has_metrics=True).configure()
        assert dask.config.get(routes[0]) == ["distributed.http.scheduler.prometheus", "distributed.http.health"]
