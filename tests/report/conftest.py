from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.report.chromium import Browser, Page, browsing, chromium_path
from tests.required import lacking


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium, Debian's for example."""
    program = chromium_path() or lacking("no Chromium here: set CHROMIUM or install it (Debian: apt-get install chromium)", "BROWSER")
    with browsing(program) as opened:
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab of its own, as large as the smallest desktop screen."""
    tab = Page(browser)
    tab.resize(1280, 900)
    yield tab
    tab.close()
