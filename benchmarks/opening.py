"""How large the HTML report of very many findings is, how long it takes to write, and how long a browser takes to open it.

Run: make bench-opening. It audits the simulated fleet once and repeats its findings, each under another name, host and cluster and with
other numbers in its evidence, until there are enough. The page is opened in headless Chromium. With --page a page that is there is opened.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import print_table

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests' driver of Chromium

from auditor.history.runs import load_run, report_of_run
from auditor.model import Report, Verdict
from auditor.report.html.report import write_html
from tests.report.chromium import Page, browsing, chromium_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.model import Finding, Scalar

_SEARCH = """
(() => { document.getElementById('search').value = 'naa esx-0042';
document.getElementById('filters').dispatchEvent(new Event('submit', {cancelable: true})); })()
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--findings", type=int, default=100_000)
    parser.add_argument("--page", type=Path, help="open this report instead of one that is made")
    parser.add_argument("--repeat", type=int, default=3, help="how often the page is opened")
    parser.add_argument("--json", type=Path, help="write the results here")
    arguments = parser.parse_args()
    program = chromium_path()
    if program is None:
        print("no Chromium here: set CHROMIUM or install it", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as folder:
        page = arguments.page.absolute() if arguments.page else Path(folder) / "report.html"
        measured = sizes(page) if arguments.page else written(page, of_the_lab(Path(folder)), arguments.findings)
        with browsing(program) as browser:
            opened = [opening(Page(browser), page) for _ in range(arguments.repeat)]
    measured |= {name: min(one[name] for one in opened) for name in opened[0]}
    print_table(["what", "figure"], [[name, float(value)] for name, value in measured.items()])
    print(json.dumps(measured))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return 0


def of_the_lab(folder: Path) -> Report:
    """The report of one audit of the simulated fleet."""
    command = [sys.executable, "-m", "auditor", "demo", "--state-dir", str(folder), "--reporter", f"json:{folder / 'report.json'}"]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # it finds drift, and ends with 2
    return report_of_run(load_run(folder))


def written(page: Path, lab: Report, number: int) -> dict[str, float]:
    """Write the page of `number` findings; how long that took and how large it is."""
    base = [finding for finding in lab.findings() if finding.verdict is Verdict.FAIL]
    findings = partial(_repeated, base, number)
    summary = replace(lab.summary, fail=number, unknown=0, waived=0, by_severity={})
    report = replace(lab, findings=findings, listed=findings, counts=None, snapshot=None, summary=summary, compared=None)
    began = time.process_time()
    with page.open("w", encoding="utf-8") as out:
        write_html(report, out)
    return {"findings": number, "CPU s to write, with making them": time.process_time() - began, **sizes(page)}


def sizes(page: Path) -> dict[str, float]:
    """How large a page is, and what is not in it for that reason."""
    left = re.search(r'"left_out":(\d+),"without_evidence":(\d+)', page.read_text(encoding="utf-8"))
    assert left is not None
    return {"MB": page.stat().st_size / 1e6, "left out": int(left[1]), "without evidence": int(left[2])}


def opening(page: Page, path: Path) -> dict[str, float]:
    """Open the page and search in it once."""
    page.resize(1280, 900)
    began = time.monotonic()
    page.open(path)
    shown = page.value("document.querySelectorAll('#rows .finding').length")
    seconds, busy = time.monotonic() - began, page.busy_seconds()
    assert shown == 100, f"{shown} findings are shown"
    page.value(_SEARCH)
    searched = page.busy_seconds() - busy
    heap = page.value("performance.memory.usedJSHeapSize") / 1e6
    page.close()
    return {"s until findings are shown": seconds, "CPU s of that": busy, "CPU s of the first search": searched, "MB of heap": heap}


def _repeated(base: Sequence[Finding], number: int) -> Iterator[Finding]:
    """The findings over and over, those of one rule together, as a report has them."""
    times = -(-number // len(base))
    return islice((_varied(finding, turn) for finding in base for turn in range(times)), number)


def _varied(finding: Finding, turn: int) -> Finding:
    resource = finding.resource
    name, host = f"{resource.name}-{turn:06}", resource.host and f"esx-{turn % 997:04}.{resource.host}"
    cluster = resource.cluster and f"{resource.cluster}-{turn % 50}"
    other = replace(resource, name=name, id=f"{resource.id.removesuffix(resource.name)}{name}", host=host, cluster=cluster)
    message = finding.message.replace(resource.name, name).replace(resource.host or name, host or name)
    evidence = {column: _other(value, turn) for column, value in finding.evidence.items()}
    return replace(finding, resource=other, message=message, evidence=evidence, observed=_other(finding.observed, turn))


def _other(value: Scalar, turn: int) -> Scalar:
    """Another value for each turn: a number near it, a name with a number behind it."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return f"{value}-{turn % 997:04}" if any(letter.isdigit() for letter in value) else value
    return value + turn % 97 if isinstance(value, int) else round(value * (1 + turn % 1009 / 1e5), 4)


if __name__ == "__main__":
    sys.exit(main())
