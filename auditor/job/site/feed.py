"""The Atom feed of a job: an entry for each run, so that a reader of feeds shows what changed.

Source: RFC 4287.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO
from xml.sax.saxutils import escape, quoteattr

from auditor.job.wording import result_text
from auditor.report.json.values import utc_text
from auditor.report.wording import neutral

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.job.published import PublishedRun

FEED_FILE = "feed.xml"
ENTRIES = 50
"""The most entries that it has."""


def write_feed(job: str, runs: Sequence[PublishedRun], out: TextIO, url: str | None = None) -> None:
    """Write the feed of `runs`, newest first.

    Args:
        job: the job's name.
        runs: at least one.
        out: where to write.
        url: where people open the job's pages; None: links are relative to the feed's own address.
    """
    base = f"{url}/" if url else ""
    out.write('<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n')
    out.write(f"<id>urn:auditor:job:{_text(job)}</id>\n<title>Audits: {_text(job)}</title>\n<author><name>auditor</name></author>\n")
    out.write(f"<updated>{utc_text(runs[0].finished)}</updated>\n")
    out.write(f'<link rel="self" href={quoteattr(base + FEED_FILE)}/>\n<link href={quoteattr(base + "index.html")}/>\n')
    for run in runs[:ENTRIES]:
        out.write(f"<entry>\n<id>urn:auditor:run:{_text(run.id)}</id>\n<title>{_text(result_text(run))}</title>\n")
        out.write(f"<updated>{utc_text(run.finished)}</updated>\n<link href={quoteattr(base + (run.changes_page or run.page))}/>\n")
        out.write(f"<summary>{_text(run.error or run.changed_text or 'There is no earlier run to compare with.')}</summary>\n</entry>\n")
    out.write("</feed>\n")


def _text(text: str) -> str:
    # XML 1.0 has no control characters, not even as references.
    return escape(neutral(text)).replace("\ufffe", "").replace("\uffff", "")
