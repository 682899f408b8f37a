"""Makes a job's run in a process of its own: a hang, a leak or a crash costs one run, and the schedule goes on."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from auditor import errors
from auditor.bounds.files import read_json
from auditor.errors import AuditorError, EndpointError
from auditor.job.jobs_file import Job
from auditor.job.jobs_shape import CatchUp
from auditor.job.site.publishing import Site
from auditor.job.wording import time_text

if TYPE_CHECKING:
    from auditor.job.published import PublishedRun

log = logging.getLogger(__name__)
RESULT_FILE = "result.json"
"""In a job's folder, while a run is made: what the run's process reports."""
GRACE_SECONDS = 10.0
"""After a run is requested to stop: it closes its sessions, and is killed after that."""
_PATHS = ("fleet", "publish", "waivers", "workers_certificates")


@dataclass(frozen=True, slots=True)
class Published:
    """A run that reached verdicts, whose files are written.

    Attributes:
        run: as the index is to list it.
        highlights: the first of what changed, a sentence each, worst first.
        screen: the first screen of its report, as text.
    """

    run: PublishedRun
    highlights: tuple[str, ...] = ()
    screen: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A run that reached no verdict.

    Attributes:
        error: why. For a bug, its kind; the text is in the log alone, as it may hold a secret.
        is_bug: it is a mistake of auditor's own.
    """

    error: AuditorError
    is_bug: bool = False


Ended: TypeAlias = Published | Failed


class Runner(Protocol):
    """Makes a run of a job, and writes its files."""

    def __call__(self, job: Job, site: Site, state: Path, previous: str | None) -> Ended:
        """Make the run.

        Args:
            job: what is audited.
            site: where the files of the run go.
            state: the state directory.
            previous: the id of the run to compare with; None: there is none.
        """


def run_in_process(job: Job, site: Site, state: Path, previous: str | None) -> Ended:
    """Make the run in a process of its own, which is stopped when its time is over. Whatever ends this call ends that process too."""
    result = site.state / RESULT_FILE
    result.unlink(missing_ok=True)
    order = {"job": job_record(job), "site": site_record(site), "state": str(state), "previous": previous, "result": str(result)}
    order |= {"log": log_choice()}
    # -P: no module of the folder that it is started in may take the place of one of ours.
    command = [sys.executable, "-P", "-m", "auditor.job.child"]
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)  # noqa: S603  our own program
    except OSError as error:  # no more processes, no memory
        what = f"the process of the run could not be started: {error.strerror or error}"
        return Failed(AuditorError(what, why="nothing was judged.", do="look at the limits of processes and memory of the job's account."))
    try:
        assert process.stdin is not None  # noqa: S101  it is a pipe
        with suppress(BrokenPipeError):  # it ended before it read its order: its exit code says so below
            # The pipe stays open: by its end the process notices that this one has gone.
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        process.wait(job.timeout_seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        return _timed_out(job)
    finally:
        _end(process)
    return _ended(result, process.returncode)


def _end(process: subprocess.Popen[str]) -> None:
    """End the process, where it has not ended: it is requested to, and killed where it does not."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.close()


def _timed_out(job: Job) -> Failed:
    what = f"the run did not end within {time_text(job.timeout_seconds)}, and was stopped"
    do = "look which endpoint does not answer (`auditor doctor`), or give the job more time: `timeout`."
    return Failed(EndpointError(what, why="nothing was judged; sessions that it left open end by the time-out of their endpoint.", do=do))


def _ended(path: Path, code: int) -> Ended:
    """What the process reported; where it reported nothing, how it ended."""
    from auditor.job.published import run_of

    try:
        result: dict[str, Any] = read_json(path)
        path.unlink(missing_ok=True)
        if "run" in result:
            return Published(run_of(result["run"]), tuple(result["highlights"]), result["screen"])
        kind = getattr(errors, result["kind"], AuditorError)
        return Failed(kind(result["what"], why=result["why"], do=result["do"]), result["is_bug"])
    except (OSError, ValueError, KeyError):
        ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        what = f"the process of the run ended by {ended}, without a result"
        do = "the log of the job has what it printed; SIGKILL is most often the system's lack of memory."
        return Failed(AuditorError(what, why="nothing was judged.", do=do), is_bug=True)


def job_record(job: Job) -> dict[str, Any]:
    """`job` as JSON for the process of its run; whom it notifies is left out."""
    record = asdict(replace(job, notify=()))
    return {**record, **{key: str(record[key]) for key in _PATHS if record[key] is not None}, "rules": [str(one) for one in job.rules]}


def job_of(record: dict[str, Any]) -> Job:
    """The job of a record."""
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in record.items()}
    values |= {key: Path(record[key]) for key in _PATHS if record[key] is not None}
    return Job(**{**values, "rules": tuple(map(Path, record["rules"])), "catch_up": CatchUp(record["catch_up"])})


def site_record(site: Site) -> dict[str, Any]:
    """`site` as JSON for the process of a run."""
    return {**asdict(site), "folder": str(site.folder), "state": str(site.state)}


def site_of(record: dict[str, Any]) -> Site:
    """The site of a record."""
    return Site(**{**record, "folder": Path(record["folder"]), "state": Path(record["state"])})


def log_choice() -> str:
    """How this process writes its log, for the process of a run: "json" or "text"."""
    from auditor.job.logs import JsonLines

    return "json" if any(isinstance(handler.formatter, JsonLines) for handler in logging.getLogger().handlers) else "text"
