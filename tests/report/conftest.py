from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.report.chromium import Browser, Page, browsing, chromium_path


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium, Debian's for example."""
    program = chromium_path()
    if program is None:
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("REQUIRE_BROWSER=1, and there is no Chromium: set CHROMIUM or install it")
        pytest.skip("no Chromium here: set CHROMIUM or install it (Debian: apt-get install chromium)")
    with browsing(program) as opened:
        yield opened


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab of its own."""
    tab = Page(browser)
    yield tab
    tab.close()
