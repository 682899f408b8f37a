"""Snapshots and runs on a real S3 API, moto's server: the same verdicts as from a folder, two machines, and a store that refuses."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from auditor.cli import run
from auditor.facts.snapshots.snapshot import Snapshot, load_snapshot
from auditor.history.saved_snapshots import local_snapshot, save_snapshot
from auditor.store.address import Address
from auditor.store.objects import ObjectStore
from auditor_lab.scenario import described
from auditor_lab.serving import serve
from tests.content import content_digest

BUCKET = Address("s3", "audits")
RULES = ("--only", "vvol/pe-dsnro-headroom", "--only", "qos/one-throttler")
NO_RULES_OF_IAM = "1000000"
"""Requests that moto answers before it asks who may."""


@dataclass(frozen=True)
class Site:
    """A lab, and an S3 API beside it.

    Attributes:
        fleet: fleet.yaml of the lab.
        folder: of this module's tests.
        s3: the URL of the API.
        environment: of this process, with credentials for it.
    """

    fleet: Path
    folder: Path
    s3: str
    environment: pytest.MonkeyPatch

    def on(self, machine: str) -> None:
        """Go on as another machine: with a cache of its own."""
        self.environment.setenv("XDG_CACHE_HOME", str(self.folder / machine))

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """The API refuses every request, as it does one of an account without rights."""
        httpx.post(f"{self.s3}/moto-api/reset-auth", content=b"0")
        try:
            yield
        finally:
            httpx.post(f"{self.s3}/moto-api/reset-auth", content=NO_RULES_OF_IAM.encode())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    from moto.server import ThreadedMotoServer

    folder = tmp_path_factory.mktemp("s3")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as environment, serve(described("solidfire-vvols")) as lab:
        # Its log of requests goes to the standard error of the test that came first in this process, which is closed by now.
        environment.setattr(logging.getLogger("werkzeug"), "disabled", True)
        settings = {
            "ACCESS_KEY_ID": "auditor",
            "SECRET_ACCESS_KEY": "hunter2",
            "DEFAULT_REGION": "us-east-1",
            "ENDPOINT_URL": f"http://{host}:{port}",
        }
        for name, value in settings.items():
            environment.setenv(f"AWS_{name}", value)
        ObjectStore(BUCKET)._fs.mkdir("audits")
        lab.write_fleet(folder / "fleet.yaml")
        yield Site(folder / "fleet.yaml", folder, f"http://{host}:{port}", environment)
    server.stop()


@pytest.fixture(scope="module")
def whole(site: Site) -> Path:
    """The fleet as one collector reads it."""
    assert run(["collect", "--fleet", str(site.fleet), "--out", str(site.folder / "whole")]) == 0
    return site.folder / "whole"


def verdicts(report: Path) -> dict[tuple[str, str, str], str]:
    findings = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return {(one["rule"], one["resource"]["endpoint"], one["resource"]["id"]): one["verdict"] for one in findings}


def rows(snapshot: Snapshot, table: str) -> list[tuple[object, ...]]:
    return sorted(snapshot.connection.execute(f'SELECT * FROM fact."{table}"').fetchall(), key=str)


def audit(site: Site, name: str, *arguments: str) -> tuple[int, Path]:
    report = site.folder / f"{name}.json"
    return run(["audit", *arguments, *RULES, "--reporter", f"json-full:{report}"]), report


def test_a_snapshot_has_the_same_content_from_a_store_as_from_a_folder(site: Site, whole: Path) -> None:
    saved = load_snapshot(whole)
    save_snapshot(saved, BUCKET / "whole")
    fetched = load_snapshot(local_snapshot([BUCKET / "whole"]))
    assert content_digest(fetched.connection) == content_digest(saved.connection)
    assert (fetched.readings, fetched.gaps) == (saved.readings, saved.gaps)


def test_readings_of_two_collectors_are_one_verdict_over_the_fleet(site: Site, whole: Path) -> None:
    collecting = ["collect", "--fleet", str(site.fleet)]
    assert run([*collecting, "--endpoint", "vc-*", "--out", "s3://audits/site-a/monday"]) == 0
    assert run([*collecting, "--endpoint", "sf-*", "--out", "s3://audits/site-b/monday"]) == 0
    places = [BUCKET / "site-a/monday", BUCKET / "site-b/monday"]
    merged, read_at_once = load_snapshot(local_snapshot(places)), load_snapshot(whole)
    for table in ("host", "device", "path", "datastore", "array_volume", "array_session", "vvol_binding", "declared", "listed_endpoint"):
        assert rows(merged, table) == rows(read_at_once, table), table
    assert set(merged.gaps) == set(read_at_once.gaps)
    named = [word for place in places for word in ("--snapshot", str(place))]
    code, report = audit(site, "merged", *named, "--state-dir", str(site.folder / "local"))
    assert code == 1
    assert len(verdicts(report)) > 5
    assert json.loads(report.read_text(encoding="utf-8"))["scope"]["fleet_name"] == "monday+monday"


def test_runs_are_kept_compared_shown_and_pruned_from_every_machine(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    state = ("--state-dir", "s3://audits/state")
    site.on("first")
    first, _ = audit(site, "first", "--fleet", str(site.fleet), *state)
    site.on("second")
    second, report = audit(site, "second", "--fleet", str(site.fleet), "--since", "last", *state)
    assert (first, second) == (1, 1)
    capsys.readouterr()
    assert run(["runs", "list", "--json", *state]) == 0
    listed = json.loads(capsys.readouterr().out)["runs"]
    newest, oldest = (one["id"] for one in listed)
    compared = json.loads(report.read_text(encoding="utf-8"))["compared"]
    assert compared["run"] == oldest
    assert {one["judged"]["exit_code"] for one in listed} == {1}
    site.on("third")
    assert run(["runs", "show", oldest, "--reporter", f"json-full:{site.folder / 'shown.json'}", *state]) == 0
    assert verdicts(site.folder / "shown.json") == verdicts(site.folder / "first.json")
    assert run(["runs", "prune", "--keep", "1", *state]) == 0
    site.on("first")
    capsys.readouterr()
    assert run(["runs", "list", *state]) == 0
    printed = capsys.readouterr().out
    assert newest in printed
    assert oldest not in printed
    assert {key.split("/")[1] for key in ObjectStore(BUCKET / "state").sizes("runs")} == {newest}


def test_a_store_that_refuses_is_an_error_without_a_secret(site: Site, whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site.on("refused")
    with site.refusing():
        for command in (
            ["collect", "--fleet", str(site.fleet), "--out", "s3://audits/never"],
            ["audit", "--from", "s3://audits/whole"],
            ["runs", "list", "--state-dir", "s3://audits/state"],
        ):
            assert run(command) == 3
            printed = capsys.readouterr().err
            assert "the store refuses it (403)" in printed
            assert "AWS_PROFILE" in printed
            assert "hunter2" not in printed


def test_a_run_that_a_store_refuses_at_its_end_is_reported_and_sent_by_the_next_command(
    site: Site, whole: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ("--state-dir", "s3://audits/late")
    site.on("late")
    whole_put = ObjectStore.put

    def put(self: ObjectStore, *values: Any, **options: Any) -> None:
        with site.refusing():
            whole_put(self, *values, **options)

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "put", put)
        code, report = audit(site, "late", "--from", str(whole), *state)
    assert code == 3
    said = capsys.readouterr().err
    assert "cannot write to s3://audits/late: the store refuses it (403); run " in said
    assert verdicts(report), "the report is written all the same"
    assert any("could not be sent" in notice for notice in json.loads(report.read_text(encoding="utf-8"))["notices"])
    assert ObjectStore(BUCKET / "late").sizes() == {}
    assert run(["runs", "list", *state]) == 0
    site.on("another")
    assert run(["runs", "list", *state]) == 0
    kept = said.partition("; run ")[2].partition(" is kept in")[0]
    assert kept in capsys.readouterr().out.rpartition("run  ")[2]


def test_a_bucket_that_is_not_there_is_found_out_before_the_fleet_is_read(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["collect", "--out", "s3://nowhere/monday"], ["audit", "--state-dir", "s3://nowhere/state"]):
        assert run([*command, "--fleet", str(site.fleet)]) == 3
        printed = capsys.readouterr().err
        assert "there is no such bucket" in printed
        assert "read" not in printed.partition("error:")[0]
