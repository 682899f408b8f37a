"""What every known command prints is read back as it was, in each form and with values of every kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.endpoints.files.outputs import Output, outputs_in
from auditor.endpoints.files.outputs.known import BOOLEANS, COMMANDS, LISTS, Known
from auditor.endpoints.vcenter.esxcli_records import plain_name
from tests.endpoints.files.outputs.rendered import FORMS, Record, Value, only_in_heading, text_form, word

pytestmark = pytest.mark.long

T = TypeVar("T")

LETTERS = "abcXYZ019 ,\"':;=.<>&|{}()[]/\\_-+*%!?äßéñÅøžłЖя日本語ü"
"""Of values. Not among them: line ends and tabs, which no form but json keeps; blanks that are not U+0020, which people paste for it."""

TEXTS = st.one_of(
    st.text(alphabet=LETTERS, max_size=24),
    st.sampled_from(
        ["", "N/A", "true", 'Ärger, mit "Komma": ja', " vorn und hinten ", "Key: value", "a" * 3000, "{policy=rr,iops=1; x=0}"]
    ),
    st.from_regex(r"[a-z]{2,5}\.[0-9a-f]{8,32}", fullmatch=True),
)
NAMES = st.from_regex(r"[A-Za-zÄöü\[({]([A-Za-z0-9äöü._:,()\[\]{}-]| (?=[^ ])){0,20}[a-z0-9\])}]", fullmatch=True)
"""Of what is never empty, such as a datastore, a switch or a UID. Without a colon at the end: localcli ends headings with one."""
DEVICES = st.from_regex(r"(naa|eui|t10|mpx)\.[A-Za-z0-9_:,]{1,40}[a-z0-9]", fullmatch=True)
ITEMS = st.text(alphabet=LETTERS.replace(",", ""), min_size=1, max_size=12).map(str.strip).filter(bool)
"""Of lists. Without commas: csv and text part items by one."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Values of each kind, which fields take in turn: to draw one for each field would take minutes."""

    texts: Sequence[str]
    names: Sequence[str]
    devices: Sequence[str]
    lists: Sequence[list[str]]
    numbers: Sequence[int]
    booleans: Sequence[bool]
    left_out: int

    def value(self, known: Known, title: str, place: int) -> Value:
        """The value of a field; `place` differs from field to field and from record to record."""
        plain = plain_name(title)
        if plain in BOOLEANS:
            return _one(self.booleans, place)
        if plain in LISTS:
            items = _one(self.lists, place)
            return [_one(self.names, place).replace(",", "")] if plain in known.filled and not items else items
        if plain == plain_name(known.heading):
            return _one(self.devices if known.named else self.names, place)
        if plain in known.filled:
            return _one(self.names, place)
        if known.filled:
            return _one(self.texts, place).lstrip()  # behind the blanks before a cell nobody sees its own: such a row is doubted
        return _one(self.texts, place) if place % 3 else _one(self.numbers, place)


def _one(values: Sequence[T], place: int) -> T:
    return values[place % len(values)]


DRAWN = st.builds(
    Drawn,
    st.lists(TEXTS, min_size=1, max_size=5),
    st.lists(NAMES, min_size=1, max_size=3),
    st.lists(DEVICES, min_size=1, max_size=3),
    st.lists(st.lists(ITEMS, max_size=3), min_size=1, max_size=2),
    st.lists(st.integers(0, 10**15), min_size=1, max_size=2),
    st.lists(st.booleans(), min_size=1, max_size=2),
    st.integers(0, 2**45),
)


def records_of(known: Known, drawn: Drawn, count: int) -> list[Record]:
    """Records of one command, with the fields of some release."""
    titles = [
        title
        for place, (plain, title) in enumerate(known.titles.items())
        if plain in {*known.ends, *known.filled, plain_name(known.heading)} or not drawn.left_out >> place & 1
    ]
    return [
        _in_its_place({title: drawn.value(known, title, place + number) for place, title in enumerate(titles)}) for number in range(count)
    ]


def _in_its_place(record: dict[str, Value]) -> Record:
    """A record of a device with the path that such a device has, from which csv, which has no heading, tells its name."""
    return record | {"Devfs Path": f"/vmfs/devices/disks/{record['Device']}"} if "Devfs Path" in record else record


def _expected(records: Sequence[Record], known: Known, form: str) -> list[dict[str, str]]:
    """What is to be read. Csv has no heading, and keyvalue no line for a list without items."""
    unseen = only_in_heading(known) if form == "csv" and "Devfs Path" not in records[0] else ""
    return [
        {
            plain_name(title): word(value).strip()
            for title, value in record.items()
            if title != unseen and not (form == "keyvalue" and value == [])
        }
        for record in records
    ]


def _read(output: Output) -> list[dict[str, str]]:
    names = [plain_name(name) for name in output.table.names]
    return [
        {name: ", ".join(cell) if isinstance(cell, tuple) else cell for name, cell in zip(names, record, strict=True) if cell is not None}
        for record in output.table.records
    ]


def rendered(known: Known, form: str, records: Sequence[Record]) -> str:
    """What a command prints in a form."""
    return (text_form(known) if form == "text" else FORMS[form])(known, records)


def file_name(known: Known) -> str:
    """What a person calls a file of the command's output."""
    return f"esxcli_{known.command.replace(' ', '-')}.txt"


WITH_FIELDS = [known for known in COMMANDS if known.titles]


@pytest.mark.parametrize("form", ["text", *FORMS])
@settings(max_examples=6, deadline=None)
@given(drawn=DRAWN, count=st.integers(1, 3))
def test_records_of_every_command_are_read_as_they_were(form: str, drawn: Drawn, count: int) -> None:
    for known in WITH_FIELDS:
        records = records_of(known, drawn, count)
        if form == "keyvalue":
            records.append(_without_empty_lists(records[-1]))  # whether the last record was cut behind one, nobody sees
        (output,) = outputs_in(rendered(known, form, records).encode(), file_name(known))
        assert _read(output) == _expected(records, known, form), known.command
        assert (output.command, output.problems, output.whole) == (known.command, (), True)


def _without_empty_lists(record: Record) -> Record:
    return {title: ["one"] if value == [] else value for title, value in record.items()}


@pytest.mark.parametrize("form", ["text", *FORMS])
@settings(max_examples=3, deadline=None)
@given(drawn=DRAWN)
def test_fields_tell_the_command_where_no_name_does(form: str, drawn: Drawn) -> None:
    for known in (known for known in COMMANDS if known.tells):
        if form != "csv" or not only_in_heading(known):
            records = records_of(known, replace(drawn, left_out=0, lists=[["one"]]), 1)
            (output,) = outputs_in(rendered(known, form, records).encode(), "output.txt")
            assert (output.command, output.whole) == (known.command, True)
            assert _read(output) == _expected(records, known, form), known.command


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]
PROMPTS = ["[root@esx01:~] ", "root@esx01:/tmp# ", "esx01:~ # ", "~ # "]


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("prompt", PROMPTS)
@settings(max_examples=4, deadline=None)
@given(
    drawn=DRAWN,
    chosen=st.lists(st.sampled_from(WITH_FIELDS), min_size=2, max_size=6),
    windows=st.booleans(),
)
def test_commands_that_were_pasted_one_after_another_are_read_each(
    prompt: str, encoding: str, drawn: Drawn, chosen: list[Known], windows: bool
) -> None:
    pasted = [(known, form, records_of(known, drawn, 1 + at % 2)) for at, (known, form) in enumerate(zip(chosen, _forms(), strict=False))]
    text = "".join(
        f"{prompt}esxcli {'' if form == 'text' else f'--formatter={form} '}{known.command}\n{rendered(known, form, records)}"
        for known, form, records in pasted
    )
    text += prompt
    outputs = outputs_in((text.replace("\n", "\r\n") if windows else text).encode(encoding), "host.txt")
    assert [(one.command, one.host) for one in outputs] == [
        (known.command, "esx01" if "esx01" in prompt else None) for known, _, _ in pasted
    ]
    assert [_read(one) for one in outputs] == [_expected(records, known, form) for known, form, records in pasted]


def _forms() -> Iterator[str]:
    return cycle(["text", "text", "xml", "json", "csv", "keyvalue"])


def test_a_complaint_in_brackets_before_json_is_not_taken_for_json() -> None:
    text = '[Errno 2] cannot open the log\n[{"Name": "lpfc", "Is Loaded": true, "Is Enabled": true}]\n'
    (output,) = outputs_in(text.encode(), "localcli_system-module-list.json")
    assert (output.table.records, output.whole) == ([("lpfc", "true", "true")], True)


def test_a_heading_of_two_brackets_is_a_name() -> None:
    text = "{}\n   Name: {}\n   MTU: 1500\n   TSO MSS: 65535\n   Port ID: 67108870\n"
    (output,) = outputs_in(text.encode(), "esxcli_network-ip-interface-list.txt")
    assert output.table.records == [("{}", "1500", "65535", "67108870")]
