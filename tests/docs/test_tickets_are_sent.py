"""The loops of "Tools beside it" that send tickets: what is not there is made, what is there is updated, but for what people set."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from auditor.report import writer_of
from tests.report import samples
from tests.required import program

pytestmark = pytest.mark.long

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "tools-beside-it.md"
SERVICENOW, JIRA = re.findall(r"^```bash\n(while .*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@contextmanager
def noting(known: str, answer: dict[str, Any]) -> Iterator[tuple[str, list[tuple[str, str, Any]]]]:
    """A server that has the ticket `known`; its address, and what it is sent: method, path, body."""
    sent: list[tuple[str, str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.command == "GET":
                content = json.dumps(answer if known in self.path else {"result": [], "issues": []}).encode()
            else:
                assert self.headers["Content-Type"] == "application/json"
                sent.append((self.command, self.path, json.loads(body)))
                content = b"{}"
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_PUT = handle_one  # noqa: N815  the base class's names

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", sent
        finally:
            server.shutdown()


def lines_of(reporter: str, folder: Path, name: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    writer_of(reporter)(samples.bad_night(), out)
    (folder / name).write_text(out.getvalue())
    return [json.loads(line) for line in out.getvalue().splitlines()]


def run(loop: str, folder: Path, address: str) -> None:
    for needed in ("curl", "jq"):
        program(needed, "CURL")
    (folder / ".netrc").write_text("")
    environment = {**os.environ, "API": address, "HOME": str(folder)}
    done = subprocess.run(
        [program("bash", "BASH"), "-c", loop], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.posix_only
def test_incidents_are_made_once_and_updated_then(tmp_path: Path) -> None:
    first, second, third = lines_of("servicenow", tmp_path, "incidents.jsonl")
    with noting(second["correlation_id"], {"result": [{"sys_id": "9d38"}]}) as (address, sent):
        run(SERVICENOW, tmp_path, address)
    kept = {key: value for key, value in second.items() if key not in ("impact", "urgency")}
    assert sent == [("POST", "/", first), ("PATCH", "/9d38", kept), ("POST", "/", third)]


@pytest.mark.posix_only
def test_issues_are_made_once_and_updated_then(tmp_path: Path) -> None:
    first, second, third = (one["fields"] for one in lines_of("jira", tmp_path, "issues.jsonl"))
    with noting(second["labels"][1], {"issues": [{"key": "STOR-7"}]}) as (address, sent):
        run(JIRA, tmp_path, address)
    made = {"project": {"key": "STOR"}, "issuetype": {"name": "Task"}}
    kept = {key: value for key, value in second.items() if key != "labels"}
    assert sent == [
        ("POST", "/issue", {"fields": {**first, **made}}),
        ("PUT", "/issue/STOR-7", {"fields": kept}),
        ("POST", "/issue", {"fields": {**third, **made}}),
    ]
