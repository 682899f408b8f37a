"""The server of the site: it reads only, nothing but published files, nobody without the token, and says how the jobs are."""

from __future__ import annotations

import base64
import json
import os
import socket
import time
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from auditor.errors import ConfigurationError
from auditor.job.job_status import JobStatuses
from auditor.job.jobs_file import NoticeTarget
from auditor.job.notices import Notice
from auditor.job.schedule import Schedule
from auditor.job.site import rooms, server, slow_readers
from auditor.job.site.file_answer import FileAnswer
from auditor.job.site.server import Listen, Served, application, opened_file, parse_listen, serving
from auditor.model import Secret
from auditor.model.comparison import ChangeKind
from tests.job.nights import BEGIN, JumpingClock, Runs, Sent, change, drifted, job, scheduled
from tests.waiting import PATIENCE_SECONDS

LOOPBACK = Listen("127.0.0.1", 0)
TOKEN = "k3k3k3k3k3k3k3k3k3"


def client(served: Served, listen: Listen = LOOPBACK, now: datetime | None = None) -> httpx.Client:
    """A client that needs no socket."""
    app = application(listen, served, lambda: now or datetime.now(UTC))

    class Transport(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            import asyncio

            async def ask() -> httpx.Response:
                # httpx makes ".." disappear; here the path goes as it was written.
                answer = await httpx.ASGITransport(app=app).handle_async_request(request)
                content = await answer.aread()
                return httpx.Response(answer.status_code, headers=answer.headers, content=content)

            return asyncio.run(ask())

    return httpx.Client(transport=Transport(), base_url="http://127.0.0.1:8080")


def served_by(schedule: Schedule) -> Served:
    return Served(schedule.roots(), schedule.statuses, schedule.folders(), schedule.notifier)


@pytest.fixture
def schedule(tmp_path: Path) -> Schedule:
    """Two jobs after their first morning."""
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=1)))
    one = scheduled(tmp_path, runs, job(tmp_path), job(tmp_path, "gold", cron="0 8 * * *"), site=tmp_path / "www")
    one.serve()
    return one


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/nightly/", "text/html; charset=utf-8"),
        ("/nightly/latest.html", "text/html; charset=utf-8"),
        ("/gold/feed.xml", "application/atom+xml; charset=utf-8"),
        ("/gold/trend.csv", "text/csv; charset=utf-8"),
    ],
)
def test_the_site_is_served_with_headers_that_keep_it_to_itself(schedule: Schedule, tmp_path: Path, path: str, kind: str) -> None:
    answer = client(served_by(schedule)).get(path)
    file = tmp_path / "www" / path.strip("/")
    assert answer.status_code == 200
    assert answer.content == (file / "index.html" if file.is_dir() else file).read_bytes()
    assert answer.headers["content-type"] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "server" not in answer.headers


@pytest.mark.parametrize(
    "path",
    [
        "/nightly/../../state/jobs/notices.json",
        "/nightly/%2e%2e/%2e%2e/secret.html",
        "/nightly/..%2f..%2fsecret.html",
        "/.hidden.html",
        "/nightly/.hidden.html",
        "/link.html",
        "/linked/secret.html",
        "/nightly//index.html",
        "/nightly/pipe.html",
        "/nightly/notes.txt",
        "/nightly/index.html/",
        "/nightly/%00.html",
        "/nowhere/index.html",
        "/folder.html/",
    ],
)
def test_nothing_else_is_served(schedule: Schedule, tmp_path: Path, path: str) -> None:
    www = tmp_path / "www"
    (tmp_path / "secret.html").write_text("secret")
    for name in (".hidden.html", "nightly/.hidden.html", "nightly/notes.txt"):
        (www / name).write_text("secret")
    (www / "link.html").symlink_to(tmp_path / "secret.html")
    (www / "linked").symlink_to(tmp_path)
    (www / "folder.html").mkdir()
    os.mkfifo(www / "nightly" / "pipe.html")
    answer = client(served_by(schedule)).get(path)
    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_nothing_can_be_changed_and_folders_are_not_listed(schedule: Schedule, tmp_path: Path) -> None:
    (tmp_path / "www" / "nightly" / "index.html").unlink()
    asking = client(served_by(schedule))
    assert asking.get("/nightly/").status_code == 404
    assert asking.get("/nightly", follow_redirects=False).headers["location"] == "/nightly/"
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert asking.request(method, "/nightly/latest.html").status_code == 405


@pytest.mark.parametrize(
    ("header", "status"),
    [
        pytest.param(None, 401, id="nothing"),
        pytest.param(f"Bearer {TOKEN}", 200, id="bearer"),
        pytest.param(f"bearer  {TOKEN}", 200, id="in small letters"),
        pytest.param(f"Bearer {TOKEN}x", 401, id="another token"),
        pytest.param(f"Basic {base64.b64encode(f'anybody:{TOKEN}'.encode()).decode()}", 200, id="as a password"),
        pytest.param(f"Basic {base64.b64encode(f'{TOKEN}:'.encode()).decode()}", 401, id="as a name"),
        pytest.param("Basic !!!", 401, id="not base64"),
        pytest.param(f"Digest {TOKEN}", 401, id="another way"),
        pytest.param("Bearer \u00e4", 401, id="not ASCII"),
    ],
)
def test_the_token_opens_the_site_and_nothing_else_does(schedule: Schedule, header: str | None, status: int) -> None:
    asking = client(served_by(schedule), Listen("192.0.2.1", 8080, TOKEN))
    headers = {} if header is None else {"Authorization": header.encode()}
    for path in ("/", "/nightly/latest.html", "/metrics", "/no-such-page"):
        wanted = 404 if status == 200 and path == "/no-such-page" else status
        answer = asking.get(path, headers=headers)  # type: ignore[arg-type]
        assert answer.status_code == wanted, path
        assert ("www-authenticate" in answer.headers) is (wanted == 401)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8080", 200),
        ("localhost", 200),
        ("[::1]:8080", 200),
        ("audits.example.com", 200),
        ("attacker.example.net", 421),
        ("127.0.0.1.attacker.example.net:8080", 421),
        ("[", 421),
    ],
)
def test_without_a_token_only_names_of_the_site_are_answered_to(schedule: Schedule, host: str, status: int) -> None:
    asking = client(served_by(schedule), Listen("127.0.0.1", 8080, url="https://audits.example.com/site"))
    assert asking.get("/", headers={"Host": host}).status_code == status
    assert asking.get("/metrics", headers={"Host": host}).status_code == status


def test_health_is_open_to_probes_and_names_jobs_to_readers_alone(schedule: Schedule) -> None:
    now = BEGIN + timedelta(days=1)
    schedule.statuses.seen = now
    asking = client(served_by(schedule), Listen("192.0.2.1", 8080, TOKEN), now)
    assert asking.get("/healthz").json() == {"status": "ok"}
    record = asking.get("/healthz", headers={"Authorization": f"Bearer {TOKEN}"}).json()
    nightly = record["jobs"]["nightly"]
    assert nightly["last_run"]["state"] == "drift"
    assert nightly["age_seconds"] == 24 * 3600 - 6 * 3600 - 120
    assert (nightly["state"], nightly["next_due"], nightly["missed"]) == ("waiting", "2026-11-02T06:00:00Z", 0)


@pytest.mark.parametrize(
    ("later", "running", "seen", "well"),
    [
        pytest.param(timedelta(hours=29), False, True, True, id="waiting for the next morning"),
        pytest.param(timedelta(hours=30, minutes=6), False, True, False, id="overdue"),
        pytest.param(timedelta(hours=35), True, False, True, id="overdue, as another job runs"),
        pytest.param(timedelta(hours=36, minutes=6), True, False, False, id="a run that hangs"),
        pytest.param(timedelta(hours=29), False, False, False, id="the schedule stands still"),
    ],
)
def test_health_is_503_when_a_job_is_overdue_or_hangs(schedule: Schedule, later: timedelta, running: bool, seen: bool, well: bool) -> None:
    now = BEGIN + later
    if running:
        schedule.statuses.update("gold", running_since=BEGIN + timedelta(hours=30))
    schedule.statuses.seen = now if seen else BEGIN + timedelta(hours=28)
    answer = client(served_by(schedule), now=now).get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == ((200, "ok") if well else (503, "overdue or hung"))


def test_metrics_are_openmetrics_of_each_jobs_latest_run_and_of_the_schedule(schedule: Schedule) -> None:
    answer = client(served_by(schedule), now=BEGIN + timedelta(days=1)).get("/metrics")
    assert answer.headers["content-type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    families = {family.name: family for family in text_string_to_metric_families(answer.text)}
    failing = [one for one in families["auditor_findings"].samples if one.labels["verdict"] == "fail" and one.value]
    assert [(one.labels["audit_job"], one.value) for one in failing] == [("nightly", 1), ("gold", 1)]
    runs = {(one.labels["audit_job"], one.labels["outcome"]): one.value for one in families["auditor_job_runs"].samples}
    assert runs == {("nightly", "judged"): 1, ("nightly", "failed"): 0, ("gold", "judged"): 1, ("gold", "failed"): 0}
    [due, _] = families["auditor_job_next_due_timestamp_seconds"].samples
    assert due.value == datetime(2026, 11, 2, 6, tzinfo=UTC).timestamp()
    assert {one.value for one in families["auditor_job_overdue"].samples} == {0}


def test_a_single_job_is_the_whole_site(tmp_path: Path) -> None:
    runs = Runs(JumpingClock(end=BEGIN + timedelta(days=1)))
    one = scheduled(tmp_path, runs, job(tmp_path))
    one.serve()
    assert client(served_by(one)).get("/").content == (tmp_path / "www" / "nightly" / "index.html").read_bytes()


def test_it_serves_in_a_thread_until_the_schedule_ends(schedule: Schedule) -> None:
    with serving(LOOPBACK, served_by(schedule)) as address:
        assert httpx.get(f"{address}/nightly/latest.html").status_code == 200
        port = int(address.rpartition(":")[2])
        with pytest.raises(ConfigurationError, match="in use"), serving(Listen("127.0.0.1", port), served_by(schedule)):
            pass
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/")
    with socket.create_server(("127.0.0.1", port)):
        pass


@pytest.mark.parametrize(
    ("text", "token", "reason"),
    [
        pytest.param("0.0.0.0:8080", None, "there is no token", id="all machines"),
        pytest.param("[::]:8080", None, "there is no token", id="all machines over IPv6"),
        pytest.param("127.0.0.1", None, "not an address and a port", id="no port"),
        pytest.param("127.0.0.1:99999", None, "not an address and a port", id="no such port"),
        pytest.param("audits.example.com:80", None, "not an address and a port", id="a name"),
        pytest.param("0.0.0.0:8080", "short", "fewer than 16 characters", id="a short token"),
        pytest.param("0.0.0.0:8080", "two words are not a token", "has blanks", id="blanks"),
    ],
)
def test_where_it_listens_is_checked(tmp_path: Path, text: str, token: str | None, reason: str) -> None:
    file = tmp_path / "token"
    if token is not None:
        file.write_text(f"{token}\n")
    with pytest.raises(ConfigurationError) as refused:
        parse_listen(text, file if token is not None else None)
    assert reason in refused.value.what
    assert token is None or token not in str(refused.value)


def test_a_token_file_that_everybody_may_read_is_warned_of_and_a_token_in_its_place_is_not_repeated(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    for mode, warned in ((0o600, False), (0o640, False), (0o644, True), (0o604, True)):
        file.chmod(mode)
        assert ("may read it" in server.token_warning(file)) is warned
    with pytest.raises(ConfigurationError) as refused:
        parse_listen("127.0.0.1:8080", Path(TOKEN))
    assert TOKEN not in str(refused.value)


def test_with_a_token_any_address_is_listened_on(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    assert parse_listen("0.0.0.0:8080", tmp_path / "token") == Listen("0.0.0.0", 8080, TOKEN)
    assert parse_listen("localhost:0", None).host in ("localhost", "127.0.0.1")
    assert json.loads(json.dumps(JobStatuses().record(BEGIN))) == {"status": "overdue or hung", "jobs": {}}


def test_a_reader_that_leaves_before_the_first_piece_leaves_no_file_open(tmp_path: Path) -> None:
    import asyncio

    (tmp_path / "page.html").write_text("page")
    found = opened_file(tmp_path, ["page.html"])
    assert found is not None

    async def left() -> None:
        async def receive() -> dict[str, object]:
            return {"type": "http.disconnect"}

        async def send(_message: object) -> None:
            raise OSError("the reader has gone")

        with pytest.raises(Exception, match=r".*"):
            await FileAnswer(*found, "text/html")({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send)

    asyncio.run(left())
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(found[0])


def test_readers_who_send_nothing_or_take_nothing_keep_nobody_out(
    schedule: Schedule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_readers, "REQUEST_SECONDS", 0.2)
    monkeypatch.setattr(server, "_LEAVE_SECONDS", 1)
    (tmp_path / "www" / "nightly" / "large.html").write_bytes(b"x" * 20_000_000)
    with ExitStack() as stack, serving(LOOPBACK, served_by(schedule)) as address:
        port = int(address.rpartition(":")[2])
        silent, stuck = (stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)) for _ in range(2))
        silent.sendall(b"GET / HTTP/1.1\r\nHo")
        stuck.sendall(b"GET /nightly/large.html HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert silent.recv(100) == b"", "it is hung up on"
        assert stuck.recv(12) == b"HTTP/1.1 200", "a large page takes longer than a request may"
        begin = time.monotonic()
    assert time.monotonic() - begin < 5, "nor do they hold up the end of the schedule"


def _probe(port: int, path: str = "/healthz") -> tuple[int, float]:
    """The status of a probe's answer, and the seconds it took."""
    begin = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        status = int(connection.recv(12).split()[1])
    return status, time.monotonic() - begin


@pytest.mark.parametrize("readers", [70, 80, 400])
@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHo"], ids=["silent", "half a request"])
def test_probes_are_answered_under_silent_readers_who_come_again(
    schedule: Schedule, monkeypatch: pytest.MonkeyPatch, readers: int, sent: bytes
) -> None:
    monkeypatch.setattr(JobStatuses, "is_well", lambda *_: True)  # its clock is of another year
    with serving(LOOPBACK, served_by(schedule)) as address:
        port = int(address.rpartition(":")[2])
        silent: list[socket.socket] = []

        def comes() -> None:
            silent.append(socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS))
            silent[-1].sendall(sent)

        try:
            for _ in range(readers):
                comes()
            answers = []
            for _ in range(10):
                answers += [_probe(port), _probe(port, "/metrics")]
                for _again in range(10):
                    silent.pop(0).close()
                    comes()
        finally:
            for one in silent:
                one.close()
    assert {status for status, _ in answers} == {200}
    assert max(seconds for _, seconds in answers) < 1


@pytest.mark.long
def test_probes_are_answered_while_readers_take_no_page_and_one_more_page_is_refused(
    schedule: Schedule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_LEAVE_SECONDS", 1)
    monkeypatch.setattr(JobStatuses, "is_well", lambda *_: True)
    (tmp_path / "www" / "nightly" / "large.html").write_bytes(b"x" * 20_000_000)
    with ExitStack() as stack, serving(LOOPBACK, served_by(schedule)) as address:
        port = int(address.rpartition(":")[2])
        for _ in range(rooms.PAGES):
            stuck = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS))
            stuck.sendall(b"GET /nightly/large.html HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert stuck.recv(12) == b"HTTP/1.1 200"
        assert _probe(port, "/nightly/")[0] == 503
        for path in ("/healthz", "/metrics"):
            status, seconds = _probe(port, path)
            assert (status, seconds < 1) == (200, True)


def test_health_is_well_while_people_are_notified_after_a_long_run(tmp_path: Path) -> None:
    clock = JumpingClock(end=BEGIN + timedelta(days=2))
    seen: list[str] = []

    class Looks(Sent):
        def __call__(self, target: NoticeTarget, notice: Notice) -> None:
            seen.append(one.statuses.record(clock.now())["status"])

    target = NoticeTarget("team", Secret("env", ("NOBODY",)), 600.0)
    nights = [drifted, lambda: drifted(change(ChangeKind.NEW))]
    jobs = job(tmp_path, notify=(target,)), job(tmp_path, "waits", cron="30 6 * * *")
    one = scheduled(tmp_path, Runs(clock, nights, lasts=timedelta(hours=2)), *jobs, sent=Looks())
    one.serve()
    assert seen
    assert set(seen) == {"ok"}
