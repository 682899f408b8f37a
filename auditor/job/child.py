"""The process of one run: audits, writes the files of the run, and reports to the schedule that started it.

Its order comes as one line of JSON on standard input, which stays open as long as the schedule lives: when it ends, this process ends too.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from auditor.errors import AuditorError
from auditor.job.logs import set_up_log
from auditor.job.runs import GRACE_SECONDS, Published, job_of, site_of
from auditor.report.files import written_whole
from auditor.stopping import Stopped

if TYPE_CHECKING:
    from types import FrameType

log = logging.getLogger("auditor.job")
STOPPED = 143
"""What a shell reports of a program that SIGTERM has ended, 128 and SIGTERM."""


class _Stop(Stopped):
    """SIGTERM or SIGINT came, or the schedule has gone."""


def main() -> None:
    """Read the order, make the run, write the result."""
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    try:
        order = json.loads(sys.stdin.readline())
        set_up_log(order["log"])
        threading.Thread(target=_end_with_the_schedule, daemon=True).start()
        result = result_of(order)
        with written_whole(Path(order["result"]), mode=0o600) as out:
            json.dump(result, out)
    except _Stop:
        sys.exit(STOPPED)


def result_of(order: dict[str, Any]) -> dict[str, Any]:
    """What the run of `order` came to: a record of the run, or of the error that it ended with."""
    from auditor.job.one_run import make_run
    from auditor.job.published import run_record

    try:
        made: Published = make_run(job_of(order["job"]), site_of(order["site"]), Path(order["state"]), order["previous"])
        return {"run": run_record(made.run), "highlights": list(made.highlights), "screen": made.screen}
    except AuditorError as error:
        return {"kind": type(error).__name__, "what": error.what, "why": error.why, "do": error.do, "is_bug": False}
    except Exception as error:  # a bug in one night's run must not end the compliance job; the page shows it
        if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN:  # DuckDB makes "Query interrupted" of a signal that ends its statement
            raise _Stop from error
        log.exception("the run failed")
        what = f"unexpected {type(error).__name__}"
        do = "the log of the scheduled job has its places in the code; report them."
        return {"kind": "AuditorError", "what": what, "why": "nothing was judged.", "do": do, "is_bug": True}


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise _Stop


def _end_with_the_schedule() -> None:
    """Wait until the schedule has gone, which closes our standard input, and end."""
    while os.read(0, 1):  # not sys.stdin: its lock would be held when the interpreter ends
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os._exit(STOPPED)


if __name__ == "__main__":
    main()
