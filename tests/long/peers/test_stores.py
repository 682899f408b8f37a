"""State on Google's and Azure's object stores: their own clients, against emulators that nobody here wrote (`make stores`).

Each command is a process of its own, as on machines that share nothing but the store.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from auditor_lab.scenario import described
from auditor_lab.serving import serve
from tests.peers import PROJECT
from tests.required import lacking
from tests.waiting import PATIENCE_SECONDS

CLIENTS = PROJECT / ".peers" / "stores"
GOOGLE = (str(PROJECT / ".bin" / "fake-gcs-server"), "-scheme", "http", "-host", "127.0.0.1", "-backend", "memory", "-port")
AZURE = (
    str(CLIENTS / "node_modules" / ".bin" / "azurite-blob"),
    *("--silent", "--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck"),
    *("--blobHost", "127.0.0.1", "--blobPort"),
)
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Azurite's one account has this key, which its documentation names; no other server knows it."""
RULES = ("--only", "vvol/pe-dsnro-headroom", "--only", "qos/one-throttler")
MAKE_BUCKET = (
    "import sys; from auditor.store.address import place_of; from auditor.store.clients import open_client;"
    "open_client(place_of(sys.argv[1])).mkdir('audits')"
)


@dataclass(frozen=True)
class Site:
    """A lab, and an object store beside it.

    Attributes:
        scheme: of its addresses.
        folder: of its tests; fleet.yaml of the lab is there.
        settings: of the environment, that lead to the store.
        refused: likewise, and the store refuses them.
    """

    scheme: str
    folder: Path
    settings: Mapping[str, str]
    refused: Mapping[str, str]

    def run(self, machine: str, *words: str, settings: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """`auditor` on a machine: with a cache of its own."""
        return self.python(machine, str(Path(sys.executable).with_name("auditor")), *words, settings=settings)

    def python(self, machine: str, *words: str, settings: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        home = str(self.folder / machine)
        environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_CACHE_HOME": home, "PYTHONPATH": str(CLIENTS), "NO_GCE_CHECK": "true"}
        return subprocess.run(
            [sys.executable, *words],
            env={**environment, **(self.settings if settings is None else settings)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    def audit(self, machine: str, name: str, *words: str) -> dict[str, Any]:
        """The report of an audit that found drift, and complained of nothing."""
        report = self.folder / f"{name}.json"
        ended = self.run(machine, "audit", *words, *RULES, "--reporter", f"json-full:{report}")
        assert ended.returncode == 1, ended.stderr
        for noise in ("Traceback", "gcsfs", "azure", "warning"):
            assert noise not in ended.stderr
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found

    def address(self, name: str) -> str:
        return f"{self.scheme}://audits/{name}"


def verdicts(report: Mapping[str, Any]) -> dict[tuple[str, str, str], str]:
    return {(one["rule"], one["resource"]["endpoint"], one["resource"]["id"]): one["verdict"] for one in report["findings"]}


class Refusing(BaseHTTPRequestHandler):
    """Answers as Google's store does to an account without rights."""

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        body = b'{"error": {"code": 403, "message": "auditor@example.com, hunter2, does not have storage.objects.list access"}}'
        self.send_response(403)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET  # noqa: N815  what the server calls

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  as the class has it
        pass


@contextmanager
def listening(*command: str) -> Iterator[int]:
    """A server whose last option is its port, once it listens."""
    if not Path(command[0]).is_file():
        lacking(f"{Path(command[0]).name} is not here: `make stores` installs it (needs Go and npm)", "STORES")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with subprocess.Popen([*command, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < deadline:
                assert server.poll() is None, "it ended"
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                except ConnectionRefusedError:
                    time.sleep(0.05)
                else:
                    break
            yield port
        finally:
            server.terminate()


@contextmanager
def google() -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    refusing = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    threading.Thread(target=refusing.serve_forever, daemon=True).start()
    with listening(*GOOGLE) as port:
        yield (
            {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}"},
            {"STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{refusing.server_address[1]}"},
        )
    refusing.shutdown()
    refusing.server_close()


@contextmanager
def azure() -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    with listening(*AZURE) as port:
        account = "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1"
        there = f"BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1;"
        yield (
            {"AZURE_STORAGE_CONNECTION_STRING": f"{account};AccountKey={KEY};{there}"},
            {"AZURE_STORAGE_CONNECTION_STRING": f"{account};AccountKey=hunter2{KEY[7:]};{there}"},
        )


@pytest.fixture(scope="module", params=["gs", "abfs"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp(request.param)
    with (google if request.param == "gs" else azure)() as (settings, refused), serve(described("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        site = Site(request.param, folder, settings, refused)
        made = site.python("first", "-c", MAKE_BUCKET, site.address("x"))
        assert made.returncode == 0, made.stderr
        yield site


def test_a_snapshot_is_judged_from_the_store_as_from_a_folder(site: Site) -> None:
    for place in ("local", site.address("monday")):
        collected = site.run("first", "collect", "--fleet", "fleet.yaml", "--out", place)
        assert collected.returncode == 0, collected.stderr
    from_store = site.audit("second", "store", "--from", site.address("monday"), "--state-dir", "runs-1")
    from_folder = site.audit("second", "folder", "--from", "local", "--state-dir", "runs-2")
    assert verdicts(from_store) == verdicts(from_folder)
    assert len(verdicts(from_store)) > 5


def test_runs_are_kept_compared_shown_and_pruned_from_every_machine(site: Site) -> None:
    state = ("--state-dir", site.address("state"))
    first = site.audit("first", "run-1", "--fleet", "fleet.yaml", *state)
    second = site.audit("second", "run-2", "--fleet", "fleet.yaml", "--since", "last", *state)
    newest, oldest = (one["id"] for one in json.loads(site.run("third", "runs", "list", "--json", *state).stdout)["runs"])
    assert second["compared"]["run"] == oldest
    shown = site.run("third", "runs", "show", oldest, "--reporter", f"json-full:{site.folder / 'shown.json'}", *state)
    assert shown.returncode == 0, shown.stderr
    assert verdicts(json.loads((site.folder / "shown.json").read_text(encoding="utf-8"))) == verdicts(first)
    assert site.run("third", "runs", "prune", "--keep", "1", *state).returncode == 0
    left = json.loads(site.run("first", "runs", "list", "--json", *state).stdout)["runs"]
    assert [one["id"] for one in left] == [newest]


def test_a_store_that_refuses_is_an_error_without_a_secret(site: Site) -> None:
    for words in (
        ("collect", "--fleet", "fleet.yaml", "--out", site.address("never")),
        ("audit", "--from", site.address("monday")),
        ("runs", "list", "--state-dir", site.address("state")),
    ):
        ended = site.run("refused", *words, settings=site.refused)
        assert ended.returncode == 3
        assert "the store refuses it (403)" in ended.stderr
        for secret in ("hunter2", "Traceback", KEY[7:]):
            assert secret not in ended.stdout + ended.stderr


def test_a_bucket_that_is_not_there_is_found_out_before_the_fleet_is_read(site: Site) -> None:
    for words in (("collect", "--out", f"{site.scheme}://nowhere/monday"), ("audit", "--state-dir", f"{site.scheme}://nowhere/state")):
        ended = site.run("first", *words, "--fleet", "fleet.yaml")
        assert ended.returncode == 3
        assert "there is no such bucket" in ended.stderr
        assert "read" not in ended.stderr.partition("error:")[0]


@pytest.mark.parametrize("site", ["abfs"], indirect=True)  # Google's client asks for no credentials where an emulator is set
def test_settings_that_make_no_sense_are_an_error_that_names_them_and_repeats_nothing(site: Site) -> None:
    wrong: tuple[dict[str, str], ...] = ({}, {"AZURE_STORAGE_CONNECTION_STRING": "hunter2"})
    for settings in wrong:
        ended = site.run("first", "runs", "list", "--state-dir", site.address("state"), settings=settings)
        assert ended.returncode == 3
        assert "AZURE_STORAGE_CONNECTION_STRING" in ended.stderr
        assert "hunter2" not in ended.stderr
