"""Makes the pictures of the documentation anew (`make pictures`): the report as a page, the first screen of a terminal, and a recording.

Everything on them is of the lab; account and machine are made up. The recording is an asciicast, version 2:
`asciinema play docs/tutorial.cast`.

Source of its form: asciinema, asciicast v2: a header, then a line [seconds, "o", text] for each piece of output.
"""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from docsite.pages import ROOT

COLUMNS, LINES = 100, 50
LONGEST_PAUSE = 1.0  # seconds that the recording shows of a longer wait
DEVICE = "esx-vvol-1.lab.example/naa.6f47acc2000000027366707200000000"
SCRIPT: Sequence[Sequence[str]] = (
    ("audit", "--fleet", "fleet.yaml"),
    ("explain", "vvol/pe-dsnro-headroom", DEVICE),
    ("audit", "--fleet", "fleet.yaml", "--only", "vvol/pe-dsnro-headroom", "--fix", "--dry-run", "--allow", "online-caution"),
)
"""What is typed in the recording, each after `auditor`; the first is the picture of a terminal."""

_EXAMPLE = """
import socket, sys
import auditor.pipeline.result as result
socket.gethostname = lambda: "audit-01.example.net"
result.account_name = lambda: "auditor"
sys.argv[0] = "auditor"
from auditor.cli import main
main()
"""
"""Runs auditor as if another account on another machine did: reports say who made them."""


def main() -> int:
    """Write docs/report.png, docs/terminal.svg and docs/tutorial.cast; the exit code."""
    from auditor_lab.scenario import load_scenario
    from auditor_lab.serving import serve

    browser = next(filter(None, (shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("error: there is no Chromium, which draws the page\n  do:  install it, or put it on the path.", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as name, serve(load_scenario("solidfire-vvols")) as lab:
        folder = Path(name)
        lab.write_fleet(folder / "fleet.yaml")
        first = b"".join(piece for _, piece in in_terminal(SCRIPT[0], folder, errors=False))
        (ROOT / "docs/terminal.svg").write_text(drawn(first.decode(), f"auditor {' '.join(SCRIPT[0])}"), encoding="utf-8")
        (ROOT / "docs/tutorial.cast").write_text(recorded(SCRIPT, folder), encoding="utf-8")
        b"".join(
            piece for _, piece in in_terminal(("audit", "--fleet", "fleet.yaml", "--reporter", "html:report.html"), folder, errors=False)
        )
        take(browser, folder / "report.html", ROOT / "docs/report.png")
    return 0


def in_terminal(words: Sequence[str], folder: Path, *, errors: bool = True) -> Iterator[tuple[float, bytes]]:
    """Run `auditor` with these words in a terminal of its own; (seconds since its begin, output) as it comes.

    Args:
        words: after the program's name.
        folder: where it runs; its runs are kept below it.
        errors: whether standard error is shown too, on which progress is drawn over itself.
    """
    ours, theirs = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": str(LINES)}
    environment |= {"PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder / "state"), "COLORTERM": "truecolor"}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-c", _EXAMPLE, *words],
        cwd=folder,
        env=environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs if errors else subprocess.DEVNULL,
    )
    os.close(theirs)
    try:
        while piece := _read(ours):
            yield time.monotonic() - began, piece
    finally:
        os.close(ours)
        process.wait()


def _read(terminal: int) -> bytes:
    """What came; b"" once the other end has closed it."""
    select.select([terminal], [], [])
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux: EIO when nobody has the other end any more
        return b""


def recorded(script: Sequence[Sequence[str]], folder: Path) -> str:
    """An asciicast of these commands, each typed at a prompt; long waits are shown short."""
    lines = [json.dumps({"version": 2, "width": COLUMNS, "height": LINES, "title": "auditor: a report, a finding, a plan"})]
    now = 0.0
    for words in script:
        for text in ("$ ", *f"auditor {' '.join(words)}", "\r\n"):
            now += 0.03
            lines.append(json.dumps([round(now, 3), "o", text]))
        before = 0.0
        for seconds, piece in in_terminal(words, folder):
            now += min(seconds - before, LONGEST_PAUSE)
            before = seconds
            lines.append(json.dumps([round(now, 3), "o", piece.decode(errors="replace")]))
        now += 3.0
    return "\n".join([*lines, json.dumps([round(now, 3), "o", "$ "]), ""])


def drawn(output: str, title: str) -> str:
    """A terminal with this output as SVG, which loads no font from elsewhere."""
    from rich.console import Console
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(output.replace("\r\n", "\n").rstrip("\n")))
    svg = console.export_svg(title=title, unique_id="auditor")
    return re.sub(r"@font-face \{.*?\}\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)


def take(browser: str, page: Path, picture: Path) -> None:
    """A picture of the first screen of `page`, 1280 by 900."""
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1280,900", f"--screenshot={picture}")
    subprocess.run([browser, *options, page.as_uri()], check=True, capture_output=True, timeout=300)


if __name__ == "__main__":
    sys.exit(main())
