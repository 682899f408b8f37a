"""Notices of the job: only on change, one message a target, no more often than the target wants; a target that is dead fails nothing.

What is to be said is kept in the state directory until the target has taken it, so that neither a restart nor a dead target loses it.
Several schedules may share that directory: each change of the file is made alone, on what the others have left there.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_json
from auditor.errors import AuditorError, SnapshotError
from auditor.job.published import NOT_NOTIFIED
from auditor.job.wording import result_text, word_of
from auditor.report.files import written_whole
from auditor.report.json.values import utc_text
from auditor.report.wording import neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from auditor.job.jobs_file import NoticeTarget
    from auditor.job.published import PublishedRun

log = logging.getLogger(__name__)
NOTICES_FILE = "notices.json"
"""In the folder of jobs of the state directory."""
MOST_BETWEEN_SECONDS = 6 * 3600.0
"""A target that takes no message is tried again later and later, at last after so long."""
_BETTER = frozenset({"fixed", "gone", "newly-waived"})
PENDING_KEPT = 50
"""Notices that wait for one target at most; of more, the oldest are left out, and their number is in the message."""


@dataclass(frozen=True, slots=True)
class Notice:
    """What changed, for people.

    Attributes:
        level: failure, warning or success.
        title: a line.
        body: some lines.
        screen: the first screen of the run's report, for targets that have room for it; "" where there is none.
    """

    level: str
    title: str
    body: str
    screen: str = ""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How one target is served."""

    pending: tuple[Notice, ...] = ()
    left_out: int = 0  # notices that were dropped, as the target took none for long
    tried: datetime | None = None  # aware
    sent: int = 0
    failures: int = 0  # attempts since the last one that succeeded
    reason: str = ""  # of the last failure


def notice_of(
    job: str, previous: PublishedRun | None, run: PublishedRun, highlights: Sequence[str] = (), url: str | None = None, screen: str = ""
) -> Notice | None:
    """What people are to know of `run`; None where nothing changed.

    Args:
        job: the job's name.
        previous: the run before, also one that failed; None: there is none.
        run: the run.
        highlights: the first of its changes, a sentence each.
        url: where people open the job's pages; None: it is not known.
        screen: the first screen of its report.
    """
    failed_before = previous is not None and previous.error is not None
    link = f"\n\n{url}/{run.changes_page or run.page}" if url else ""
    if run.error is not None:
        if failed_before:
            return None
        return Notice("failure", f"{job}: the audit failed", f"{neutral(run.error)}{link}")
    if not failed_before and not run.changed:
        return None
    counts = {kind: number for kind, number in (run.changes or {}).items() if kind not in NOT_NOTIFIED}
    worse = sum(number for kind, number in counts.items() if kind not in _BETTER)
    title = f"{job}: {'audits work again, ' if failed_before else ''}{word_of(run)}"
    lines = [result_text(run), run.changed_text, *highlights]
    more = sum(counts.values()) - len(highlights)
    if highlights and more > 0:
        lines.append(f"and {count_of(more, 'more change')}")
    return Notice("warning" if worse else "success", title, "\n".join(line for line in lines if line) + link, screen)


@dataclass(slots=True)
class Notifier:
    """Keeps what is to be said to each target, and says it.

    Attributes:
        folder: the folder of jobs in the state directory.
        targets: by name.
        send: gives one message to a target, by its secret; raises AuditorError with the reason where it does not take it.
    """

    folder: Path
    targets: Mapping[str, NoticeTarget]
    send: Callable[[NoticeTarget, Notice], None]
    deliveries: dict[str, Delivery] = field(init=False)
    _is_kept: bool = field(init=False, default=True)  # the file has what `deliveries` had when it was last changed here

    def __post_init__(self) -> None:
        self.deliveries = _load(self.folder / NOTICES_FILE)

    def add(self, notice: Notice, names: Sequence[str]) -> None:
        """Let `notice` wait for the targets `names`."""
        if not names:
            return
        with self._alone():
            for name in names:
                before = self.deliveries.get(name, Delivery())
                pending = (*before.pending, notice)
                dropped = max(0, len(pending) - PENDING_KEPT)
                self.deliveries[name] = replace(before, pending=pending[dropped:], left_out=before.left_out + dropped)
            self._save()

    def flush(self, now: datetime) -> None:
        """Give each target what waits for it, as one message, where its time has come. Nothing is raised for a target that fails."""
        for name in [name for name in self.deliveries if self._is_due(name, now)]:
            with self._alone():
                if self._is_due(name, now):  # another schedule may have said it
                    self._say(name, self.deliveries[name], now)
                    self._save()

    def _say(self, name: str, delivery: Delivery, now: datetime) -> None:
        """Give the target `name` what waits for it, and note what became of it."""
        try:
            self.send(self.targets[name], _one_message(delivery))
        except AuditorError as error:
            self.deliveries[name] = replace(delivery, tried=now, failures=delivery.failures + 1, reason=error.what)
            if error.what != delivery.reason:  # it is tried again and again, and the log says so once
                log.warning("notices to %s are not delivered: %s", name, error.what, extra={"about": {"target": name}})
        else:
            self.deliveries[name] = Delivery(tried=now, sent=delivery.sent + 1)
            log.info("%s notified of %s", name, count_of(len(delivery.pending), "change"), extra={"about": {"target": name}})

    def next_due(self) -> datetime | None:
        """When something that waits may be said next; None where nothing waits."""
        moments = [self._due(name, delivery) for name, delivery in self.deliveries.items()]
        return min((moment for moment in moments if moment is not None), default=None)

    def problems(self, names: Sequence[str]) -> list[str]:
        """A sentence for each of the targets `names` that does not take what is to be said."""
        failing = [self.deliveries[name] for name in names if name in self.deliveries and self.deliveries[name].failures]
        return [f"Notices are not delivered: {one.reason}; {count_of(len(one.pending), 'notice')} waiting." for one in failing]

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the file against other schedules, and take over what they have noted in it."""
        with ExitStack() as stack:
            try:
                self.folder.mkdir(mode=0o700, exist_ok=True)
                descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                stack.callback(os.close, descriptor)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                if self._is_kept:
                    self.deliveries = _load(self.folder / NOTICES_FILE)
            except (OSError, SnapshotError) as error:  # it is said all the same, by what this process knows
                log.warning("%s cannot be used: %s", self.folder / NOTICES_FILE, getattr(error, "what", error))
            yield

    def _is_due(self, name: str, now: datetime) -> bool:
        due = self._due(name, self.deliveries.get(name, Delivery()))
        return due is not None and due <= now

    def _due(self, name: str, delivery: Delivery) -> datetime | None:
        from datetime import UTC

        if not delivery.pending or name not in self.targets:
            return None
        if delivery.tried is None:
            return datetime.min.replace(tzinfo=UTC)
        seconds = self.targets[name].at_most_every_seconds
        longest = max(seconds, MOST_BETWEEN_SECONDS)
        return delivery.tried + timedelta(seconds=min(seconds * 2.0 ** min(delivery.failures, 30), longest))

    def _save(self) -> None:
        record = {
            name: {**asdict(one), "tried": None if one.tried is None else utc_text(one.tried)} for name, one in self.deliveries.items()
        }
        try:
            with written_whole(self.folder / NOTICES_FILE, mode=0o600) as out:
                json.dump({"schema_version": 1, "targets": record}, out)
            self._is_kept = True
        except AuditorError as error:  # a full disk ends no schedule
            self._is_kept = False
            log.warning("notices that wait are kept in memory alone: %s", error.what)


def _one_message(delivery: Delivery) -> Notice:
    """All that waits, as one message."""
    pending = delivery.pending
    if len(pending) == 1 and not delivery.left_out:
        return pending[0]
    levels = {notice.level for notice in pending}
    level = next(one for one in ("failure", "warning", "success") if one in levels)
    parts = [f"{notice.title}\n{notice.body}" for notice in pending]
    if delivery.left_out:
        parts.insert(0, f"{count_of(delivery.left_out, 'earlier notice')} could not be delivered and were left out.")
    screen = next((notice.screen for notice in reversed(pending) if notice.screen), "")
    return Notice(level, f"{pending[-1].title} (and {count_of(len(pending) - 1, 'earlier notice')})", "\n\n".join(parts), screen)


def _load(path: Path) -> dict[str, Delivery]:
    try:
        record: dict[str, Any] = read_json(path)
        return {name: _delivery(one) for name, one in record["targets"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise SnapshotError(
            f"{path}: cannot be read ({type(error).__name__}: {error})",
            why="notices that wait for their target would be lost.",
            do=f"move {path} away; what waited in it is not sent then.",
        ) from error


def _delivery(record: Mapping[str, Any]) -> Delivery:
    tried = None if record["tried"] is None else datetime.fromisoformat(record["tried"])
    return Delivery(**{**record, "tried": tried, "pending": tuple(Notice(**one) for one in record["pending"])})
