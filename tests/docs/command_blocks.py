"""The commands of pages: what a fenced block of shell says, which blocks are not run and why, which files a page writes first.

A block of `sh` is run, unless a comment `<!-- not run: WHY -->` stands before it. A block before which `<!-- file: PATH -->` stands is
written to that file. Words in capitals, such as RUN, stand for the reader's own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs/tutorial.md", ROOT / "README.md", *sorted((ROOT / "docs/how-to").glob("*.md")))
_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>not run|file): (?P<text>.+?) -->\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL
)
BESIDE = ". .venv/bin/activate"
"""A line that has no meaning where the tests' own environment is."""


@dataclass(frozen=True)
class Command:
    """One command of a page."""

    where: str  # page:line
    words: tuple[str, ...]
    not_run: str = ""  # why; "": it is run


@dataclass(frozen=True)
class Written:
    """A file that a page tells its reader to write."""

    where: str
    path: str
    text: str


def steps(page: Path) -> Iterator[Command | Written]:
    """What a page has its reader do, in its order."""
    text = page.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        first = text.count("\n", 0, block.start("body")) + 1
        name = page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name
        if block["mark"] == "file":
            yield Written(f"{name}:{first}", block["text"], block["body"])
        elif block["language"] in ("sh", "console"):
            for number, line in enumerate(block["body"].splitlines()):
                yield from _commands(f"{name}:{first + number}", line, block["text"] or "")


def _commands(where: str, line: str, not_run: str) -> Iterator[Command]:
    words = shlex.split(line, comments=True)
    while words and line.strip() != BESIDE:
        end = words.index("&&") if "&&" in words else len(words)
        yield Command(where, tuple(words[:end]), not_run)
        words = words[end + 1 :]


def commands() -> list[Command]:
    """Every command of every page, those that are not run as well."""
    return [step for page in PAGES for step in steps(page) if isinstance(step, Command)]
