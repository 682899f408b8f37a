"""The page above the sites of several jobs: a line for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.job.site.wording import STATE_WORDS, result_text
from auditor.report.files import written_whole

if TYPE_CHECKING:
    from auditor.job.board import Board
    from auditor.job.jobs_file import Jobs

OVERVIEW_FILE = "index.html"


def write_overview(jobs: Jobs, board: Board) -> None:
    """Write the page that lists all jobs into the folder above theirs; jobs that publish elsewhere have no link.

    Raises:
        ConfigurationError: the folder cannot be written.
    """
    from auditor.report.html.pages import write_page

    if jobs.site is None:
        return
    rows = []
    for job in jobs.jobs:
        last = board.statuses[job.name].last
        link = f"{job.name}/index.html" if job.publish == jobs.site / job.name and last is not None else None
        rows.append({"job": job, "last": last, "link": link, "result": None if last is None else result_text(last)})
    with written_whole(jobs.site / OVERVIEW_FILE) as out:
        write_page("jobs.html.j2", {"rows": rows, "words": STATE_WORDS}, out, styles=("page.css", "index.css"))
