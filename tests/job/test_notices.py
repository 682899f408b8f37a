"""Notices: on change only, one message a target, never lost, and a target that is dead fails nothing and is reported."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from email import message_from_string
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from auditor.errors import EndpointError, EndpointUnreachableError
from auditor.job.jobs_file import NoticeTarget
from auditor.job.notice_sending import send_notice
from auditor.job.notices import NOTICES_FILE, Notice, Notifier, notice_of
from auditor.job.one_run import screen_of
from auditor.job.published import PublishedRun
from auditor.job.runs import Failed
from auditor.model import Secret
from auditor.model.comparison import ChangeKind
from tests.job.nights import BEGIN, JumpingClock, Runs, Sent, change, drifted, job, scheduled
from tests.report import samples

pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated:DeprecationWarning")  # apprise imports all of its plugins
CHAT = NoticeTarget("chat", Secret("env", ("CHAT_URL",)), 600.0)
UNREACHABLE = Failed(EndpointUnreachableError("no endpoint answered", why="nothing was read.", do="look at the network"))
GOOD = PublishedRun("20261102T060000Z-aaaa", BEGIN, BEGIN + timedelta(minutes=2), fail=3, coverage=1.0, changes={})
FAILED = PublishedRun("20261103T060000Z-bbbb", BEGIN, BEGIN, error="no endpoint answered")


@pytest.mark.parametrize(
    ("previous", "run", "level", "title"),
    [
        pytest.param(None, GOOD, None, "", id="the first run"),
        pytest.param(GOOD, GOOD, None, "", id="nothing changed"),
        pytest.param(GOOD, replace(GOOD, changes={"changed": 7}), None, "", id="a load that moved"),
        pytest.param(GOOD, replace(GOOD, changes={"new": 1, "fixed": 2}), "warning", "nightly: drift", id="something new"),
        pytest.param(GOOD, replace(GOOD, changes={"fixed": 3}, fail=0), "success", "nightly: no drift", id="all fixed"),
        pytest.param(GOOD, replace(GOOD, changes={"no-longer-read": 3}), "warning", "nightly: drift", id="no longer read"),
        pytest.param(GOOD, FAILED, "failure", "nightly: the audit failed", id="it fails"),
        pytest.param(None, FAILED, "failure", "nightly: the audit failed", id="it fails from the beginning"),
        pytest.param(FAILED, FAILED, None, "", id="it still fails"),
        pytest.param(FAILED, GOOD, "success", "nightly: audits work again, drift", id="it works again"),
    ],
)
def test_people_are_notified_of_what_changed_and_of_nothing_else(
    previous: PublishedRun | None, run: PublishedRun, level: str | None, title: str
) -> None:
    notice = notice_of("nightly", previous, run)
    assert (level, title) == (None, "") if notice is None else (notice.level, notice.title) == (level, title)


def test_a_message_says_what_changed_in_words_with_a_link() -> None:
    run = replace(
        GOOD,
        changes={"new": 11, "changed": 5},
        changed_text="11 new, 5 changed since 2026-11-01 06:00 UTC (run X)",
        formats=("html", "changes.html"),
    )
    notice = notice_of("nightly", GOOD, run, ["new: [high] vvol/pe: esx-01: depth 32", "new: [high] b: c"], "https://a.example.com/nightly")
    assert notice is not None
    assert notice.body.splitlines() == [
        "drift: 3 failures, 0 unknown, 0 gaps, coverage 100 %",
        "11 new, 5 changed since 2026-11-01 06:00 UTC (run X)",
        "new: [high] vvol/pe: esx-01: depth 32",
        "new: [high] b: c",
        "and 9 more changes",
        "",
        "https://a.example.com/nightly/20261102T060000Z-aaaa.changes.html",
    ]


@pytest.mark.long
def test_a_month_of_the_same_drift_is_one_message_for_its_change(tmp_path: Path) -> None:
    nights = [drifted] * 5 + [lambda: drifted(change(ChangeKind.NEW))] + [drifted] * 5 + [UNREACHABLE] * 3 + [drifted] * 2
    runs, sent = Runs(JumpingClock(end=BEGIN + timedelta(days=20)), nights), Sent()
    scheduled(tmp_path, runs, job(tmp_path, notify=(CHAT,)), sent=sent, url="https://a.example.com").serve()
    assert [(to, one.level, one.title) for to, one in sent.messages] == [
        ("chat", "warning", "nightly: drift"),
        ("chat", "failure", "nightly: the audit failed"),
        ("chat", "success", "nightly: audits work again, drift"),
    ]
    assert "new: [high] vvol/pe-dsnro-headroom: " in sent.messages[0][1].body
    assert "https://a.example.com/20261106T060000Z-" in sent.messages[0][1].body


def test_what_changes_soon_after_a_message_waits_and_is_grouped(tmp_path: Path) -> None:
    runs = Runs(JumpingClock(end=BEGIN + timedelta(hours=6)), [lambda: drifted(change(ChangeKind.NEW))])
    slow = replace(CHAT, at_most_every_seconds=3 * 3600.0)
    sent = Sent()
    scheduled(tmp_path, runs, job(tmp_path, cron="0 * * * *", notify=(slow,)), sent=sent).serve()
    assert len(runs.made) == 5
    assert [one.title for _, one in sent.messages] == ["nightly: drift", "nightly: drift (and 2 earlier notices)"]
    assert sent.messages[1][1].body.count("new: [high]") == 3


def test_a_dead_target_fails_no_run_is_shown_and_gets_all_when_it_lives_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "auditor")
    dead = Sent(refuses=EndpointError("notify target chat: it could not be reached", why="", do=""))
    nightly = job(tmp_path, notify=(CHAT,))
    nights = [lambda: drifted(change(ChangeKind.NEW))]
    schedule = scheduled(tmp_path, Runs(JumpingClock(end=BEGIN + timedelta(days=2)), nights), nightly, sent=dead)
    schedule.serve()
    assert schedule.statuses.by_job["nightly"].progress.ended_well == 2
    index = (tmp_path / "www" / "nightly" / "index.html").read_text()
    assert "Notices are not delivered: notify target chat: it could not be reached; 2 notices waiting." in index
    assert caplog.text.count("notices to chat are not delivered") == 1, "not once for each attempt"
    clock, alive = JumpingClock(BEGIN + timedelta(days=2), BEGIN + timedelta(days=2, hours=5, minutes=59)), Sent()
    scheduled(tmp_path, Runs(clock, nights), nightly, sent=alive).serve()
    assert [one.title for _, one in alive.messages] == ["nightly: drift (and 1 earlier notice)"]
    assert "Notices are not delivered" not in (tmp_path / "www" / "nightly" / "index.html").read_text()


def test_two_schedules_of_one_state_directory_lose_nothing_and_say_nothing_twice(tmp_path: Path) -> None:
    sent = Sent()
    one, other = (Notifier(tmp_path, {"chat": CHAT}, sent) for _ in range(2))
    one.add(Notice("warning", "first", ""), ["chat"])
    other.add(Notice("warning", "second", ""), ["chat"])
    assert [notice.title for notice in Notifier(tmp_path, {"chat": CHAT}, sent).deliveries["chat"].pending] == ["first", "second"]
    other.flush(BEGIN)
    one.flush(BEGIN)
    assert [notice.title for _, notice in sent.messages] == ["second (and 1 earlier notice)"]
    (tmp_path / NOTICES_FILE).write_text("torn")
    one.add(Notice("warning", "third", ""), ["chat"])
    one.flush(BEGIN + timedelta(hours=1))
    assert len(sent.messages) == 2, "a file that cannot be read costs no notice"


@contextmanager
def webhook(status: int = 200) -> Iterator[tuple[int, list[dict[str, str]]]]:
    """An HTTP server on loopback that takes JSON."""
    taken: list[dict[str, str]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            taken.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_values: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.server_port, taken
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


SCREEN = " DRIFT  1 failure of 1 rule\n\n  failures  sioc  vvol\n  high         -     1\n    <esx-01>: a & b\n"
NOTICE = Notice("warning", "nightly: drift", "1 new since yesterday\nnew: [high] a: <b> & *c* {d}")


@pytest.mark.long
def test_a_webhook_takes_a_message_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with webhook() as (port, taken):
        monkeypatch.setenv("CHAT_URL", f"json://me:hunter2@127.0.0.1:{port}/hook")
        send_notice(CHAT, NOTICE)
    assert [(one["title"], one["message"], one["type"]) for one in taken] == [(NOTICE.title, NOTICE.body, "warning")]


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        pytest.param("json://me:hunter2@127.0.0.1:{refusing}/hook", "it answered with status 500", id="refused"),
        pytest.param("json://me:hunter2@127.0.0.1:{closed}/hook", "it could not be reached", id="nobody there"),
        pytest.param("nonsense://me:hunter2@host", "its address is none that apprise understands", id="no such kind"),
        pytest.param("", "no address from env CHAT_URL: it is empty or not set", id="no secret"),
    ],
)
def test_a_target_that_takes_nothing_is_named_with_its_reason_and_never_with_its_address(
    address: str, reason: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with socket.create_server(("127.0.0.1", 0)) as free:
        closed = free.getsockname()[1]
    with webhook(500) as (refusing, _):
        monkeypatch.setenv("CHAT_URL", address.format(refusing=refusing, closed=closed))
        with pytest.raises(EndpointError) as refused:
            send_notice(CHAT, NOTICE)
    assert refused.value.what.startswith("notify target chat: ")
    assert reason in refused.value.what
    assert "hunter2" not in str(refused.value) + caplog.text
    assert refused.value.__cause__ is None


@contextmanager
def mail_server() -> Iterator[tuple[int, list[str]]]:
    """An SMTP server on loopback that takes one message (RFC 5321, the commands that a client cannot do without)."""
    taken: list[str] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rwb") as lines:
            lines.write(b"220 loopback\r\n")
            lines.flush()
            for line in lines:
                word = line[:4].upper()
                if word == b"DATA":
                    lines.write(b"354 go on\r\n")
                    lines.flush()
                    text = b""
                    while (part := lines.readline()) != b".\r\n":
                        text += part
                    taken.append(text.decode())
                lines.write(b"221 bye\r\n" if word == b"QUIT" else b"250 ok\r\n")
                lines.flush()
                if word == b"QUIT":
                    return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1], taken
    finally:
        thread.join(10)
        listener.close()


def test_a_mail_server_takes_a_message(tmp_path: Path) -> None:
    with mail_server() as (port, taken):
        address = tmp_path / "address"
        address.write_text(f"mailto://127.0.0.1:{port}/?from=auditor@example.com&to=storage@example.com&mode=insecure\n")
        send_notice(replace(CHAT, url=Secret("file", (os.fspath(address),))), NOTICE)
    mail = message_from_string(taken[0])
    assert mail["Subject"] == NOTICE.title
    assert mail["To"] == "storage@example.com"
    parts = [part.get_payload(decode=True) for part in mail.walk() if part.get_content_type() == "text/plain"]
    assert b"new: [high] a: <b> & *c* {d}" in b"".join(part for part in parts if isinstance(part, bytes))


def test_a_mail_has_the_first_screen_as_text_and_as_a_page_that_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with mail_server() as (port, taken):
        monkeypatch.setenv("CHAT_URL", f"mailto://127.0.0.1:{port}/?from=auditor@example.com&to=storage@example.com&mode=insecure")
        send_notice(CHAT, replace(NOTICE, screen=SCREEN))
    mail = message_from_string(taken[0])
    assert mail.get_content_type() == "multipart/alternative"
    parts = {part.get_content_type(): part.get_payload(decode=True) for part in mail.walk() if not part.is_multipart()}
    assert set(parts) == {"text/plain", "text/html"}
    plain, page = (part.decode().replace("\r\n", "\n") for part in parts.values() if isinstance(part, bytes))
    assert plain.startswith("1 new since yesterday\nnew: [high] a: <b> & *c* {d}\n")
    assert "\n  failures  sioc  vvol\n  high         -     1\n    <esx-01>: a & b" in plain
    assert "\n    &lt;esx-01&gt;: a &amp; b\n</pre>" in page
    assert "new: [high] a: &lt;b&gt; &amp; *c* {d}</p>" in page
    assert not [word for word in ("<img", "src=", "href=", "http:", "https:") if word in page]


def test_a_chat_has_no_room_for_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    with webhook() as (port, taken):
        monkeypatch.setenv("CHAT_URL", f"json://127.0.0.1:{port}/hook")
        send_notice(CHAT, replace(NOTICE, screen=SCREEN))
    assert [one["message"] for one in taken] == [NOTICE.body]


def test_notices_that_waited_together_have_the_newest_screen(tmp_path: Path) -> None:
    sent = Sent()
    first = Notifier(tmp_path, {"chat": CHAT}, sent)
    for screen in ("old", "new", ""):
        first.add(replace(NOTICE, screen=screen), ["chat"])
    Notifier(tmp_path, {"chat": CHAT}, sent).flush(BEGIN)  # as it was kept
    assert [one.screen for _, one in sent.messages] == ["new"]


def test_a_run_hands_the_first_screen_of_its_report_on() -> None:
    text = screen_of(samples.bad_night())
    assert text.startswith(" DRIFT  3 failures of 2 rules")
    assert len(text.splitlines()) <= 47
    notice = notice_of("nightly", GOOD, replace(GOOD, changes={"new": 1}), screen=text)
    assert notice is not None
    assert notice.screen == text
