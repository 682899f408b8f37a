"""Records in each form that esxcli prints, sessions of terminals, encodings and texts that are meant to do harm."""

import csv
import io
import json
import time
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.endpoints.files.outputs import Output, outputs_in
from auditor.endpoints.vcenter.esxcli_records import plain_name

TITLES = ("Name", "Type", "Value", "Description")
COMMAND = "system module parameters list"
Record = tuple[str, ...]

VALUES = st.text(alphabet="abcXYZ019:=,\"'; ", min_size=1, max_size=20).map(str.strip).filter(bool)
RECORDS = st.lists(st.tuples(*[VALUES] * len(TITLES)), min_size=1, max_size=4)


def _bare(title: str) -> str:
    return title.replace(" ", "")


def _list(records: Sequence[Record]) -> str:
    return "\n".join(
        f"vmhba{number}\n" + "".join(f"   {title}: {value}\n" for title, value in zip(TITLES, record, strict=True))
        for number, record in enumerate(records)
    )


def _table(records: Sequence[Record]) -> str:
    widths = [max(map(len, column)) for column in zip(TITLES, *records, strict=True)]
    rows = [TITLES, tuple("-" * max(2, width) for width in widths), *records]
    return "".join("  ".join(cell.ljust(max(2, width)) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows)


def _xml(records: Sequence[Record]) -> str:
    structures = "".join(
        '<structure typeName="Parameter">'
        + "".join(
            f'<field name="{_bare(title)}"><string>{escape(value)}</string></field>' for title, value in zip(TITLES, record, strict=True)
        )
        + "</structure>"
        for record in records
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<output xmlns="http://www.vmware.com/Products/ESX/5.0/esxcli">'
        f'<root><list type="structure">{structures}</list></root></output>\n'
    )


def _json(records: Sequence[Record]) -> str:
    return json.dumps([dict(zip(map(_bare, TITLES), record, strict=True)) for record in records]) + "\n"


def _csv(records: Sequence[Record]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator=",\n").writerows([list(map(_bare, TITLES)), *records])
    return text.getvalue()


def _keyvalue(records: Sequence[Record]) -> str:
    return "".join(
        f"structure[{number}].Parameter.{_bare(title)}.string={value}\n"
        for number, record in enumerate(records)
        for title, value in zip(TITLES, record, strict=True)
    )


def _values(output: Output) -> list[Record]:
    places = {plain_name(name): place for place, name in enumerate(output.table.names)}
    return [tuple(str(record[places[plain_name(title)]]) for title in TITLES) for record in output.table.records]


@pytest.mark.parametrize("render", [_list, _table, _xml, _json, _csv, _keyvalue], ids=["list", "table", "xml", "json", "csv", "keyvalue"])
@settings(max_examples=60, deadline=None)
@given(records=RECORDS)
def test_records_in_each_form_are_read_as_they_were(render: Callable[[Sequence[Record]], str], records: list[Record]) -> None:
    (output,) = outputs_in(render(records).encode(), "esxcli_system-module-parameters-list.txt")
    assert (output.command, _values(output)) == (COMMAND, records)


SESSION = """\
[root@esx01:~] esxcli iscsi software get
true
[root@esx01:~] esxcli system module list
Name   Is Loaded  Is Enabled
-----  ---------  ----------
nfnic       true        true
[root@esx02:~] esxcli system maintenanceMode get
Disabled
[root@esx02:~]
"""


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(SESSION.encode(), id="as it is"),
        pytest.param(SESSION.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(SESSION.encode("utf-8-sig"), id="BOM"),
        pytest.param(SESSION.encode("utf-16"), id="UTF-16 with BOM"),
        pytest.param(SESSION.encode("utf-16-le"), id="UTF-16 without BOM"),
    ],
)
def test_a_session_with_prompts_of_two_hosts_is_read_command_by_command(data: bytes) -> None:
    assert [(output.host, output.command, output.table.records, output.whole) for output in outputs_in(data)] == [
        ("esx01", "iscsi software get", [("true",)], True),
        ("esx01", "system module list", [("nfnic", "true", "true")], True),
        ("esx02", "system maintenanceMode get", [("Disabled",)], True),
    ]


def test_a_text_in_latin_1_keeps_its_letters() -> None:
    (output,) = outputs_in(_keyvalue([("größe", "int", "1", "x")]).encode("latin-1"), "esxcli_system-module-parameters-list.txt")
    assert output.table.records[0][0] == "größe"


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda size: b"[" * size, id="deep json"),
        pytest.param(lambda size: b"a: " * size, id="colons in one line"),
        pytest.param(lambda size: b"Name  Type\n----  ----\n" + b"a " * size, id="words in one row"),
        pytest.param(lambda size: b"[root@" * size, id="starts of prompts"),
    ],
)
def test_a_text_four_times_as_long_takes_about_four_times_as_long(make: Callable[[int], bytes]) -> None:
    def seconds(size: int) -> float:
        data = make(size)
        start = time.process_time()
        outputs_in(data, "esxcli_system-module-parameters-list.txt")
        return time.process_time() - start

    small = min(seconds(20_000) for _ in range(3))
    assert min(seconds(80_000) for _ in range(3)) < 10 * small + 0.2


@pytest.mark.parametrize(
    "text",
    [
        "Error: Unknown command or namespace storage core device list",
        "Unable to find device with name naa.1",
        "Connect to localhost failed: Connection failure.",
        "-sh: esxcli: not found",
        "Usage: esxcli storage core device list [cmd options]",
        "",
    ],
)
def test_a_text_in_place_of_data_is_a_problem_and_no_record(text: str) -> None:
    (output,) = outputs_in(f"{text}\n".encode(), "localcli_storage-core-device-list.txt")
    assert (output.command, output.whole, output.table.records) == ("storage core device list", False, [])
    assert output.problems[0]


@pytest.mark.parametrize("mark", ['<!DOCTYPE output SYSTEM "file:///etc/passwd">', '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]>'])
def test_xml_with_a_document_type_is_refused(mark: str) -> None:
    text = _xml([("a", "b", "c", "d")]).replace("?>\n", f"?>\n{mark}\n", 1)
    (output,) = outputs_in(text.encode(), "esxcli_system-module-parameters-list.xml")
    assert (output.whole, output.table.records) == (False, [])
    assert "document type" in output.problems[0]


@pytest.mark.parametrize(
    "text",
    [
        "Disabled\n",
        '"Disabled"\n',
        '<?xml version="1.0" encoding="utf-8"?>\n<output>\n<root>\n   <string>Disabled</string>\n</root>\n</output>\n',
        '<?xml version="1.0"?><output><root><string>Disabled</string></root></output>\n',
        "String,\nDisabled,\n",
        "string=Disabled\n",
    ],
    ids=["text", "json", "xml", "xml on a line", "csv", "keyvalue"],
)
def test_a_bare_word_is_read_in_each_form(text: str) -> None:
    [output] = outputs_in(text.encode(), "esxcli_system-maintenanceMode-get.txt")
    assert (output.table.records, output.whole, output.problems) == ([("Disabled",)], True, ())


def test_what_is_no_word_of_the_command_is_not_its_value() -> None:
    for text in ("maybe\n", '"maybe"\n', "<output><root><string>maybe</string></root></output>\n", "string=maybe\n"):
        [output] = outputs_in(text.encode(), "esxcli_system-maintenanceMode-get.txt")
        assert (output.table.records, output.whole) == ([], False)


@pytest.mark.parametrize(
    ("call", "whole"),
    [
        pytest.param("[root@esx01:~] esxcli storage nfs list\n", True, id="a list between two prompts"),
        pytest.param("[root@esx01:~] esxcli storage nfs list > nfs.txt\n", False, id="it went to a file"),
        pytest.param("[root@esx01:~] esxcli storage nfs list 2>/dev/null\n", False, id="an error went away"),
        pytest.param("[root@esx01:~] esxcli storage nfs list | grep gold\n", False, id="it was filtered"),
        pytest.param("[root@esx01:~] [ -e nfs ] && esxcli storage nfs list\n", False, id="it may not have run"),
        pytest.param("[root@esx01:~] esxcli storage nfs list && ls\n", False, id="another command ran with it"),
        pytest.param("[root@esx01:~] esxcli iscsi software get\n", False, id="no list"),
        pytest.param("esxcli storage nfs list\n", False, id="a line without a prompt"),
        pytest.param("[root@esx01:~] esxcli storage nfs list\nUnable to connect to the hostd agent.\n", False, id="an error"),
    ],
)
def test_a_list_that_prints_nothing_before_the_next_prompt_is_empty(call: str, whole: bool) -> None:
    text = f"[root@esx01:~] esxcli storage nfs41 list\n{call}[root@esx01:~] esxcli system version get\n   Version: 8.0.2\n"
    (output,) = [one for one in outputs_in(text.encode(), "host.txt") if one.command in ("storage nfs list", "iscsi software get")]
    assert (output.whole, output.table.records) == (whole, [])


def test_the_last_call_of_a_text_may_have_been_cut_before_it_printed() -> None:
    outputs = outputs_in(b"[root@esx01:~] esxcli storage nfs41 list\n[root@esx01:~] esxcli storage nfs list\n", "host.txt")
    assert [(one.command, one.whole) for one in outputs] == [("storage nfs41 list", True), ("storage nfs list", False)]


VERSION = "   Product: VMware ESXi\n   Version: 8.0.2\n   Build: Releasebuild-22380479\n   Update: 2\n   Patch: 25\n"
MODULES = "Name  Is Loaded  Is Enabled\n----  ---------  ----------\nlpfc  true       true\n"
FENCES = [
    pytest.param("```", "```", id="Markdown"),
    pytest.param("```bash", "```", id="with the language"),
    pytest.param("~~~", "~~~", id="another one of Markdown"),
    pytest.param("[code]", "[/code]", id="a forum's"),
    pytest.param("[CODE=text]", "[/CODE]", id="a forum's with the language"),
    pytest.param('<pre class="x">', "</pre>", id="a page's"),
]


@pytest.mark.parametrize("quote", ["", "> ", "> > "], ids=["", "quoted", "quoted twice"])
@pytest.mark.parametrize(("begin", "end"), FENCES)
@pytest.mark.parametrize("prompt", ["~ # ", "[root@esx01:~] ", ""], ids=["short prompt", "prompt of a host", "no prompt"])
def test_what_somebody_wrote_around_outputs_is_no_row_of_theirs(begin: str, end: str, prompt: str, quote: str) -> None:
    text = (
        f"# How I found it\n\nThe release first:\n{begin}\n{prompt}esxcli system version get\n{VERSION}{end}\n\n2. The modules.\n"
        f"{begin}\n{prompt}esxcli system module list\n{MODULES}{end}\nThat is all  of it, and two columns wide.\n"
    )
    quoted = "".join(f"{quote}{line}" for line in text.splitlines(keepends=True))
    version, modules = outputs_in(quoted.encode(), "notes.md")
    assert (version.command, version.whole, version.table.records[0][1]) == ("system version get", True, "8.0.2")
    assert (modules.command, modules.whole, modules.table.records) == ("system module list", True, [("lpfc", "true", "true")])


def test_an_output_in_a_fence_without_its_command_is_known_by_the_name_of_the_file_if_it_is_alone() -> None:
    text = f"```\n{MODULES}```\n"
    (alone,) = outputs_in(text.encode(), "esxcli_system-module-list.md")
    assert (alone.command, alone.whole, alone.table.records) == ("system module list", True, [("lpfc", "true", "true")])
    assert all(one.command != "storage nfs list" for one in outputs_in(f"{text}{text}".encode(), "esxcli_storage-nfs-list.md"))


def test_a_list_before_a_fence_may_have_been_left_out_by_its_author() -> None:
    (output,) = outputs_in(b"```\n[root@esx01:~] esxcli storage nfs list\n```\n", "notes.md")
    assert (output.whole, output.table.records) == (False, [])


def test_a_name_that_begins_like_a_quote_is_a_name() -> None:
    text = "Name  Is Loaded  Is Enabled\n----  ---------  ----------\n>lpfc  true       true\n> x   true       true\n"
    (output,) = outputs_in(text.encode(), "esxcli_system-module-list.txt")
    assert [record[0] for record in output.table.records] == [">lpfc", "> x"]


@pytest.mark.parametrize("prompt", ["~ # ", "[root@esx01:~] ", ""], ids=["short prompt", "prompt of a host", "no prompt"])
def test_an_answer_below_a_quoted_output_is_no_row_of_it(prompt: str) -> None:
    quoted = "".join(f">     {line}" for line in f"{prompt}esxcli system module list\n{MODULES}".splitlines(keepends=True))
    (output,) = outputs_in(f"> I saw this:\n>\n{quoted}\nThat is  not right, and  two columns wide.\n\nYours\n".encode(), "mail.txt")
    assert (output.command, output.whole, output.table.records) == ("system module list", True, [("lpfc", "true", "true")])


def test_the_output_of_a_call_behind_the_prompt_of_windows_is_no_quote() -> None:
    (output,) = outputs_in(f"> esxcli system module list\n{MODULES}".encode(), "pasted.txt")
    assert (output.command, output.whole, output.table.records) == ("system module list", True, [("lpfc", "true", "true")])
