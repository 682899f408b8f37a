"""Gives a notice to its target by apprise: mail, Slack, Teams, webhooks and more. The address never reaches a log or an error."""

from __future__ import annotations

import html
import logging
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from auditor.endpoints.common.secrets import Wanted, secret_text
from auditor.endpoints.common.time_limits import within
from auditor.errors import EndpointError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.job.jobs_file import NoticeTarget
    from auditor.job.notices import Notice

SEND_SECONDS = 60.0
"""A target has to take a message within this time."""
_STATUS = re.compile(r"error=(\d{3})\b")
_WHY = "nobody is notified there; the site, the log and the metrics have what changed."


def send_notice(target: NoticeTarget, notice: Notice) -> None:
    """Give `notice` to `target`.

    Raises:
        EndpointError: it did not take it; the text names the target and the reason, never the address.
    """
    from apprise import Apprise, AppriseAsset, NotifyFormat, NotifyType
    from apprise.plugins.email import NotifyEmail

    wanted = Wanted(target.url, target.name, f"notify target {target.name}: no address", _WHY, "set it, or correct `notify:` of jobs.yaml.")
    address = secret_text(wanted)
    asset = AppriseAsset(app_id="auditor", app_desc="auditor", app_url="", async_mode=False, secure_logging=True)
    receiver = Apprise(asset=asset)
    kind = NotifyType(notice.level)

    def sent() -> bool | None:
        if not receiver.add(address):
            return None
        body, form = notice.body, NotifyFormat.TEXT
        if notice.screen and all(isinstance(one, NotifyEmail) for one in receiver):
            body, form = mail_page(notice), NotifyFormat.HTML  # apprise makes the plain part of it
        return bool(receiver.notify(title=notice.title, body=body, notify_type=kind, body_format=form))

    with _heard() as lines:
        try:
            taken = within(SEND_SECONDS, sent)
        except TimeoutError:
            raise _undelivered(target, f"it took longer than {SEND_SECONDS:g} s") from None
        except Exception as error:  # noqa: BLE001  a hundred plugins of others: none of their mistakes may end the job
            raise _undelivered(target, f"unexpected {type(error).__name__}") from None
    if taken is None:
        raise _undelivered(target, "its address is none that apprise understands")
    if not taken:
        raise _undelivered(target, _reason(lines))


def mail_page(notice: Notice) -> str:
    """The notice, and under it the report's first screen, as a page that loads nothing."""
    lines = "<br/>".join(html.escape(line) for line in notice.body.splitlines())
    return f'<p>{lines}</p>\n<pre style="font-family: monospace">\n{html.escape(notice.screen)}</pre>'


def _undelivered(target: NoticeTarget, reason: str) -> EndpointError:
    do = "try the address with apprise's own command line; what waits is sent when the target takes it."
    return EndpointError(f"notify target {target.name}: {reason}", why=_WHY, do=do)


def _reason(lines: list[str]) -> str:
    """Why a target took nothing, by what apprise logged; its lines themselves may hold parts of the address."""
    for line in lines:
        if found := _STATUS.search(line):
            return f"it answered with status {found[1]}"
    return "it could not be reached" if any("onnection" in line for line in lines) else "it did not take the message"


@contextmanager
def _heard() -> Iterator[list[str]]:
    """What apprise logs meanwhile, which is written nowhere."""
    lines: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    logger, handler = logging.getLogger("apprise"), Lines(logging.WARNING)
    before = logger.propagate, logger.level
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    logger.addHandler(handler)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.propagate, _ = before
        logger.setLevel(before[1])
