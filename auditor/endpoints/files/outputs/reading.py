"""Reads a file into the outputs of commands: what each was, which form its text has, and whether it is whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.files.outputs.columns import is_dashes
from auditor.endpoints.files.outputs.decoding import text_of
from auditor.endpoints.files.outputs.formatted import (
    begins_with,
    csv_header,
    csv_in,
    is_keyvalue,
    json_begins,
    json_in,
    keyvalue_in,
    xml_in,
)
from auditor.endpoints.files.outputs.known import LISTS, UNKNOWN, Known, by_fields
from auditor.endpoints.files.outputs.naming import Named, of_file_name
from auditor.endpoints.files.outputs.other_programs import form_of
from auditor.endpoints.files.outputs.output import NOTHING, Found, Output, shown
from auditor.endpoints.files.outputs.pasted import sections_of
from auditor.endpoints.files.outputs.structures import structures_in
from auditor.endpoints.files.outputs.tables import tables_in
from auditor.endpoints.vcenter.esxcli_records import Table, plain_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditor.endpoints.files.outputs.pasted import Section
    from auditor.endpoints.vcenter.esxcli_records import Cell

MOST_BYTES = 64 << 20
"""The largest text that is read: a listing of 10,000 devices has 25 MB."""

_ERROR = re.compile(
    r"(?:error|errors|unable to|failed|failure|cannot|could not|can't|unknown command|invalid|missing required|usage|connect to|not enough|"
    r"no such|permission denied|operation|insufficient|traceback|warning: unable|/bin/sh|-sh|sh)\b",
    re.IGNORECASE,
)
_ONE_ELEMENT = re.compile(r"<(string|boolean)>([^<>]*)</\1>")
_MOST_ERROR_LINES = 5
_WHOLE_WORDS = frozenset(("true", "false"))
_WHOLE_VALUES = frozenset(("true", "false", "Enabled", "Disabled"))


def outputs_in(data: bytes, name: str = "") -> list[Output]:
    """What each command printed whose output is in a file.

    Args:
        data: the file.
        name: of the file; used where the text does not say which command it was.

    The command line in the text says which command it was, else the file's name does, else the fields. The output of other programs than
    esxcli is recognised by its lines (`other_programs.py`).
    """
    named = of_file_name(name)
    if len(data) > MOST_BYTES:
        return [_refused(named, f"The file is larger than {MOST_BYTES >> 20} MiB, and was not read.")]
    sections = sections_of(text_of(data))
    if len(sections) == 1:
        sections[0].named = named if named.command else None
        return _outputs(sections[0], always=bool(named.command))
    having_text = [section for section in sections if _has_text(section)]
    if len(having_text) == 1 and (having_text[0] is sections[0] or having_text[0].fenced):
        having_text[0].named = named if named.command else None
    return [
        output for section in sections for output in _outputs(section, always=section.named is not None and bool(section.named.command))
    ]


def _has_text(section: Section) -> bool:
    return any(line.strip() for line in section.lines)


def _outputs(section: Section, *, always: bool) -> list[Output]:
    """What is in one section: nothing where it has no data, unless it is known to be of a command."""
    named = section.named or Named()
    lines = section.lines
    if not _has_text(section):
        if section.prompted and named.command.endswith(" list") and not (named.filtered or named.unsure):
            return [Output(named.command, named.arguments, Table((), []), section.host, (), whole=True)]  # a terminal shows errors
        return [_refused(named, NOTHING, section.host)] if always else []
    error = _error(lines)
    if error is not None:
        return [_refused(named, error, section.host)] if always or section.host is not None or section.named is None else []
    known, found = _read(lines, named.known)
    if section.fenced and not always and not _tells(known):
        return []
    if not found.records and not always and not _tells(known):
        return [] if section.named is not None else [_refused(named, _first_problem(found, lines), section.host)]
    if not section.ended:
        _cut(found, lines, known)
    if named.filtered:
        found.doubt("Only a part of the output was kept.")
    if not found.records and found.whole and not found.names and not _is_empty_list(lines):
        found.doubt(_first_problem(found, lines))
    _incomplete(found, known)
    return [Output(known.command or named.command, named.arguments, found.table(), section.host, found.sentences(), found.whole)]


def _tells(known: Known) -> bool:
    return known is not UNKNOWN


def _first_problem(found: Found, lines: Sequence[str]) -> str:
    return (
        found.problems[0] if found.problems else f"There is no record in the text: {shown(next(line for line in lines if line.strip()))}."
    )


def _is_empty_list(lines: Sequence[str]) -> bool:
    text = "".join(lines[-200:]).strip()
    return text.endswith(("[]", ">")) or "".join(text.split())[-2:] == "[]"


def _refused(named: Named, problem: str, host: str | None = None) -> Output:
    return Output(named.command, named.arguments, Table((), []), host, (problem,), whole=False)


def _read(lines: Sequence[str], known: Known) -> tuple[Known, Found]:
    """The records, and the command: where it is not known yet the fields tell it, and the text is read again with what is known of it."""
    form = form_of(lines) if known is UNKNOWN else None
    if form is not None:
        return form.known, form.read(lines, form)
    found = _in_its_form(lines, known)
    if known is UNKNOWN:
        names = frozenset(plain_name(name) for record in found.records for name in record) | {plain_name(name) for name in found.names}
        told = by_fields(names)
        if told is not UNKNOWN:
            return told, _in_its_form(lines, told)
    return known, found


def _in_its_form(lines: Sequence[str], known: Known) -> Found:
    if known.value:
        return _value(lines, known)
    at = begins_with(lines, "<?xml", "<output")
    if at is not None:
        return _with_device(xml_in(lines, at))
    at = _json_at(lines)
    if at is not None:
        return _with_device(json_in(lines, at))
    filled = [at for at, line in enumerate(lines[:200]) if line.strip()]
    if any(is_keyvalue(lines[at]) for at in filled[:2]):
        return _with_device(keyvalue_in(lines))
    if filled and csv_header(lines[filled[0]]) is not None:
        return _with_device(csv_in(lines, filled[0], known))
    if any(is_dashes(line) for line in lines):
        return tables_in(lines, known)
    return structures_in(lines, known)


def _json_at(lines: Sequence[str]) -> int | None:
    """The line in which JSON begins; None where there is none, as in a table with a volume that is called "[]"."""
    at = json_begins(lines)
    return None if at is None or any(map(_begins_another_form, lines[:at])) else at


def _begins_another_form(line: str) -> bool:
    return ": " in line or is_dashes(line) or (line.rstrip().endswith(",") and csv_header(line) is not None)


def _value(lines: Sequence[str], known: Known) -> Found:
    """The word that the command prints, alone or as a formatter has it: in an element, below its type, behind it, or in quotation marks."""
    found = Found()
    words = [line.strip() for line in lines if line.strip()]
    if inner := [element[2] for element in _ONE_ELEMENT.finditer(" ".join(words))]:
        words = inner
    elif words[0].lower() in ("string,", "boolean,"):
        words = words[1:] or words
    words[-1] = words[-1].removeprefix("string=").removeprefix("boolean=").removesuffix(",").strip('"')
    for word in words[:-1]:
        found.note(f"A line before the value was not understood: {shown(word)}.")
    if re.fullmatch(known.value, words[-1]):
        found.records.append({"value": words[-1]})
    else:
        found.doubt(f"A line was not understood: {shown(words[-1])}.")
    return found


def _with_device(found: Found) -> Found:
    """The records with the device that their path names, where they name none: csv has no heading."""
    for record in found.records:
        plain: dict[str, Cell] = {plain_name(name): cell for name, cell in record.items()}
        path = plain.get("devfspath")
        if "device" not in plain and isinstance(path, str) and (device := path.rpartition("/")[2]):
            record["Device"] = device
    return found


def _error(lines: Sequence[str]) -> str | None:
    """What the host says in place of data; None where there is data."""
    filled = [line.strip() for line in lines if line.strip()]
    if not _ERROR.match(filled[0]):
        return None
    if len(filled) > 1 and any(_is_data(line) for line in lines):
        return None
    return shown(" ".join(filled[:_MOST_ERROR_LINES])).strip("'\"")


def _is_data(line: str) -> bool:
    return is_dashes(line) or line.lstrip().startswith(("<output", "<?xml", "[", "{")) or (line.startswith("   ") and ": " in line)


def _cut(found: Found, lines: Sequence[str], known: Known) -> None:
    """Leave out the last value of a text whose last line has no end, unless the value or the form shows that it is whole.

    Cells behind the last one that has a text are left out with it: they may stand in the part that was cut.
    """
    if not found.records or not lines[-1].strip() or _closed(lines):
        return
    record = found.records[-1]
    for name in reversed(record):
        cell = record[name]
        if cell in (_WHOLE_VALUES if known.value else _WHOLE_WORDS):
            if name == next(reversed(record)):
                return
            break
        record[name] = None
        if cell:
            break
    found.doubt("The text ends without the end of a line: its last line may have been cut.")


def _closed(lines: Sequence[str]) -> bool:
    """Whether a text is XML or JSON that was read to its last bracket."""
    is_either = begins_with(lines, "<?xml", "<output") is not None or _json_at(lines) is not None
    return is_either and lines[-1].rstrip().endswith((">", "]", "}"))


def _incomplete(found: Found, known: Known) -> None:
    """Doubt records that lack what every release prints."""
    omitted = LISTS if found.omits_empty_lists else frozenset[str]()
    for number, record in enumerate(found.records, 1):
        plain = {plain_name(name) for name in record}
        needed = known.ends if number == len(found.records) else known.ends - omitted  # the last one's list may have been cut off
        missing = [known.titles.get(name, name) for name in needed - plain]
        if missing:
            found.doubt(f"A record lacks what every release prints, so it was cut or filtered: {', '.join(sorted(missing))}.")
            return
    sizes = [sum(plain_name(name) not in omitted for name in record) for record in found.records]
    if sizes and sizes[-1] < min(sizes[:-1], default=0):
        found.doubt("The last record has fewer fields than the others, so it may have been cut.")
