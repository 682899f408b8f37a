"""Formats that list findings write them as they come: memory does not grow with the fleet."""

import io
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest

from auditor.model import Finding
from auditor.report import writer_of
from auditor.report.formats import junit
from tests.report import samples

pytestmark = pytest.mark.long

FINDINGS = 1_600


@pytest.mark.parametrize(("name", "is_direct"), [("csv", True), ("sarif", True), ("junit", False)])
def test_findings_are_written_as_they_come_and_none_is_held(name: str, is_direct: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "_IN_MEMORY_BYTES", 100_000)
    written = 0

    class Out(io.StringIO):
        def write(self, text: str) -> int:
            nonlocal written
            written += len(text)
            return len(text)

    before_the_last = 0

    def findings() -> Iterator[Finding]:
        nonlocal before_the_last
        for number in range(FINDINGS):
            before_the_last = written
            yield samples.pe_finding(f"esx-{number}")

    report = replace(samples.clean(), findings=findings)
    write = writer_of(name)
    write(samples.clean(), io.StringIO())  # imports
    tracemalloc.start()
    try:
        write(report, Out())
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert written > 600_000
    assert peak_bytes < 200_000
    assert (before_the_last > 0.9 * written) is is_direct
