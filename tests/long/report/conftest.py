"""The browser of tests/report."""

from tests.report.conftest import browser, page

__all__ = ["browser", "page"]
