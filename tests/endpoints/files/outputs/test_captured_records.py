"""Whole records of real hosts: every field that a person reads in a capture, typed from its text, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from auditor.endpoints.files.outputs import outputs_in
from auditor.endpoints.vcenter.esxcli_records import plain_name
from tests.required import capture

RECORDS = Path(__file__).with_name("captured_records.txt")
"""Each record below its file and its number in it: a field a line, as a person reads it; what is a heading in the text stands first."""


def _records() -> Iterator[Any]:
    for record in RECORDS.read_text(encoding="utf-8").removeprefix("== ").split("\n== "):
        heading, _, text = record.partition("\n")
        path, _, number = heading.rpartition(" ")
        yield pytest.param(path, int(number), text, id=f"{path.replace('.', ' ')} {number}")


def _typed(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        title, colon, value = line.strip().partition(":")
        if colon:
            yield plain_name(title), value.strip()


def _read(path: str, number: int) -> Mapping[str, str]:
    file = capture(f"esxi/{path}")
    (output,) = outputs_in(file.read_bytes(), file.name)
    names = [plain_name(name) for name in output.table.names]
    return {
        name: ", ".join(cell) if isinstance(cell, tuple) else cell
        for name, cell in zip(names, output.table.records[number], strict=True)
        if cell is not None
    }


@pytest.mark.parametrize(("path", "number", "text"), [*_records()])
def test_a_record_of_a_real_host_has_every_field_that_a_person_reads_and_no_other(path: str, number: int, text: str) -> None:
    assert _read(path, number) == dict(_typed(text))
