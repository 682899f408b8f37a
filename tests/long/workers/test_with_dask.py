"""A fleet read by workers of Dask, near real: processes of their own, TLS, and secrets that only they have."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auditor import __version__
from auditor.errors import ConfigurationError
from auditor.facts.needs import EVERYTHING, needs
from auditor.facts.snapshots.earlier import RESTED_ON, Earlier, with_marks
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.fleet.loading import Site
from auditor.text.counts import Counted
from auditor.workers import client, dispatcher
from auditor.workers.client import connected
from tests.content import content_digest
from tests.waiting import until

from .places import ONLY_THERE, VCENTER, Place, read_here, whys


def test_workers_read_the_same_as_threads_by_secrets_that_only_they_have(place: Place) -> None:
    assert ONLY_THERE not in os.environ
    shown: dict[str, list[str]] = {}

    def note(name: str, text: str) -> None:
        if not isinstance(text, Counted):
            shown.setdefault(name, []).append(text)

    read = place.read(wanted=EVERYTHING, progress=note)
    here = read_here(place, EVERYTHING)
    assert content_digest(read.connection) == content_digest(here.connection)
    assert sorted(read.gaps, key=repr) == sorted(here.gaps, key=repr)
    assert [(one.name, one.version, one.identity, one.lane) for one in read.readings] == [
        (one.name, one.version, one.identity, one.lane) for one in here.readings
    ]
    assert read.hosts > 0
    assert shown.keys() == {one.name for one in place.fleet.endpoints}
    version = next(one.version for one in read.readings if one.name == VCENTER)
    assert shown[VCENTER] == ["connecting", f"reading {version}", "read"]


def test_hosts_that_did_not_change_are_not_asked_again_by_workers(place: Place, tmp_path: Path) -> None:
    wanted = with_marks(needs([("host", "name"), ("host_option", "value")]))
    before = place.read(wanted=wanted)
    before.save(tmp_path / "snapshot")
    now = datetime.now(UTC)
    kept = load_snapshot(tmp_path / "snapshot", RESTED_ON)
    earlier = Earlier("20261121T065500Z-1a2b", tmp_path / "snapshot", kept, now - timedelta(hours=1), now, frozenset())
    place.lab.vcenters[VCENTER].requests.clear()
    after = place.read(wanted=wanted, earlier=earlier)
    (reading,) = (one for one in after.readings if one.name == VCENTER)
    assert any("was taken over from run 20261121T065500Z-1a2b" in note for note in reading.notes), reading.notes
    assert "QueryOptions" not in place.lab.vcenters[VCENTER].requests
    assert content_digest(after.connection) == content_digest(before.connection)


def test_a_site_without_a_worker_is_a_gap_that_names_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "NO_WORKER_SECONDS", 0.0)
    snapshot = place.read(replace(place.fleet, sites=(Site("graz", (VCENTER,)),)))
    (why,) = whys(snapshot, VCENTER)
    assert why.startswith("no worker of site graz for ")
    assert [one.name for one in snapshot.readings if not one.complete] == [VCENTER]


@contextmanager
def workers_with(version: str, place: Place) -> Iterator[None]:
    """Workers that say they have another version of auditor."""

    def change(version: str) -> None:
        from auditor.workers import versions

        vars(versions)["__version__"] = version

    until(lambda: len(place.cluster.scheduler.workers) == 2, "killed workers are back")
    with connected(place.cluster.scheduler_address, place.certificates) as there:
        there.run(change, version)
        yield
        there.run(change, __version__)


def test_another_version_is_refused_before_anything_is_read(place: Place) -> None:
    asked = [len(server.requests) for _, _, server in place.lab.served()]
    expected = rf"2 of 2 workers are not of this version: .* has auditor 0\.0\.9 .*; here is auditor {re.escape(__version__)} "
    with workers_with("0.0.9", place), pytest.raises(ConfigurationError, match=expected):
        place.read()
    assert [len(server.requests) for _, _, server in place.lab.served()] == asked


def test_a_worker_of_another_version_that_came_later_reads_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_check_versions", lambda _client: None)
    with workers_with("0.0.9", place):
        snapshot = place.read()
    for endpoint in place.fleet.endpoints:
        (why,) = whys(snapshot, endpoint.name)
        assert why.startswith("no worker could read it, 3 tries: the worker has auditor 0.0.9 ")
