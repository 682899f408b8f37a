"""Builds the site: ``python -m docsite`` (`make docs`). Fails on every dead link, and on a page that would fetch something."""

from __future__ import annotations

import argparse
import logging
import re
import sys
from pathlib import Path

from docsite.navigation import navigation
from docsite.pages import ROOT, write_pages

CONFIGURATION = Path(__file__).with_name("mkdocs.yml")
_LOADING = r"""script|img|iframe|link(?=[^>]*\brel="?(?:stylesheet|preconnect|preload|icon))"""
_FETCHED = re.compile(rf"""<(?:{_LOADING})[^>]*?\b(?:src|href)=["']?(?:https?:)?//""")
"""What a browser would load from elsewhere by itself. Links that a reader follows are none."""


def main() -> int:
    """Write pages, build the site from them, and look through it; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docsite", description="Builds the documentation site; fails on dead links.")
    parser.add_argument("--out", metavar="DIR", type=Path, default=ROOT / "build/site", help="where it is written [default: build/site]")
    out = parser.parse_args().out.resolve()
    pages = ROOT / "build/site-pages"
    write_pages(pages)
    build(pages, out)
    fetching = [path for path in sorted(out.rglob("*.html")) if _FETCHED.search(path.read_text(encoding="utf-8"))]
    for path in fetching:
        print(f"error: {path.relative_to(out)} loads something from elsewhere: a reader without network would miss it", file=sys.stderr)
    print(f"{len(list(out.rglob('*.html'))):,} pages in {out}")
    return 1 if fetching else 0


def build(pages: Path, out: Path) -> None:
    """Build the site in `out` from the folder `pages`; a warning of mkdocs, such as a dead link, ends it with 1."""
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    config = load_config(str(CONFIGURATION), docs_dir=str(pages), site_dir=str(out), nav=navigation(pages), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    build_site(config)


if __name__ == "__main__":
    sys.exit(main())
