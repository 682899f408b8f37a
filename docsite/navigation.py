"""The navigation of the site: pages by what a reader comes for; a page that nobody has placed is listed among the background."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

START = ("README.md", "docs/tutorial.md")
BACKGROUND = (
    "docs/fixing.md",
    "docs/exit-codes.md",
    "docs/lab.md",
    "docs/glossary.md",
    "docs/security.md",
    "docs/workers.md",
    "docs/object-stores.md",
    "docs/explaining.md",
    "docs/queue-model.md",
    "docs/querying.md",
    "docs/formats.md",
    "docs/mapping.md",
    "docs/rule-catalogue.md",
    "docs/library.md",
    "docs/recordings.md",
    "docs/reliability.md",
    "docs/performance.md",
    "docs/scale.md",
)
DEVELOPMENT = ("CONTRIBUTING.md", "CHANGELOG.md", "docs/ARCHITECTURE.md", "docs/peers.md", "docs/mutation-scores.md")
HOW_TO, DOMAIN, DECISIONS, DESIGN, RULES, REFERENCE = (
    "docs/how-to",
    "docs/domain",
    "docs/decisions",
    "docs/design",
    "docs/rules",
    "reference",
)


def navigation(folder: Path) -> list[dict[str, Any]]:
    """What mkdocs takes as `nav`, of the pages below `folder`; each page once."""
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    parts = {name: _below(pages, name) for name in (HOW_TO, DOMAIN, DECISIONS, DESIGN, RULES, REFERENCE)}
    placed = {*START, *BACKGROUND, *DEVELOPMENT, *(page for listed in parts.values() for page in listed)}
    background = [*(page for page in BACKGROUND if page in pages), *(page for page in pages if page not in placed)]
    return [
        {"Start": [page for page in START if page in pages]},
        {"How-to": _index_first(parts[HOW_TO])},
        {"Reference": [f"{REFERENCE}/index.md", *_reference(parts[REFERENCE])]},
        {"Rules": _rules(parts[RULES])},
        {"Background": [*background, {"Domain": parts[DOMAIN]}]},
        {"Development": [*DEVELOPMENT, {"Decisions": parts[DECISIONS]}, {"Design": parts[DESIGN]}]},
    ]


def _below(pages: Iterable[str], name: str) -> list[str]:
    return [page for page in pages if page.startswith(f"{name}/")]


def _index_first(pages: Iterable[str]) -> list[str]:
    return sorted(pages, key=lambda page: (not page.endswith("/index.md"), page))


def _reference(pages: list[str]) -> list[Any]:
    """Commands, views and JSON as lists of their own; commands under their names."""
    alone = [page for page in pages if page.count("/") == 1 and not page.endswith("/index.md")]
    commands = [
        page if page.endswith("/index.md") else {Path(page).stem: page} for page in _index_first(_below(pages, f"{REFERENCE}/commands"))
    ]
    return [
        {"Commands": commands},
        *alone,
        {"Views and facts": _index_first(_below(pages, f"{REFERENCE}/views"))},
        {"JSON": _below(pages, f"{REFERENCE}/json")},
    ]


def _rules(pages: list[str]) -> list[Any]:
    """The lists of rules, then a list for each topic, in which a rule goes by its name."""
    topics: dict[str, list[Any]] = {}
    for page in pages:
        if page.count("/") == 3:
            topics.setdefault(page.split("/")[2], []).append({Path(page).stem: page})
    return [*_index_first(page for page in pages if page.count("/") == 2), *({topic: listed} for topic, listed in topics.items())]
