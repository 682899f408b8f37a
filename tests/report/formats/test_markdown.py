"""`--reporter markdown` by a parser of Markdown: its tables are whole, names stay text, and it is short whatever the fleet."""

import io
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from auditor.model import Gap, Report
from auditor.report.formats.markdown import write_markdown
from auditor.report.wording import neutral
from tests.report import samples

COST = "vm-2 Hard disk 1 and 1 more take 267 to 383 ms behind vm-1 Hard disk 1; after the fix 0.9 to 1.6 ms, at worst 80 ms"
GITHUB_CHARACTERS = 65_536
"""The longest comment that GitHub takes."""


def written(report: Report) -> str:
    out = io.StringIO()
    write_markdown(report, out)
    return out.getvalue()


def parsed(report: Report) -> list[Token]:
    return MarkdownIt("gfm-like").parse(written(report))


def text_of(token: Token) -> str:
    return "".join(child.content for child in token.children or ())


def tables(report: Report) -> dict[str, list[list[str]]]:
    """Heading -> rows of its table, as they are read; every row has as many cells as the table's head."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    tokens = parsed(report)
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = text_of(tokens[place + 1])
        elif token.type == "tr_open":
            found.setdefault(heading, []).append([])
        elif token.type in ("th_open", "td_open"):
            found[heading][-1].append(text_of(tokens[place + 1]))
    assert all(len({len(row) for row in rows}) == 1 for rows in found.values())
    return found


def test_a_ticket_has_the_result_the_worst_causes_and_a_row_for_each_finding() -> None:
    read = tables(samples.bad_night())
    name = "naa.6f47acc100000000612e3f4d00000001"
    assert read["Worst causes"][1:] == [
        ["critical", "sioc/overlap-array-qos", "1", "", "Storage I/O Control and array QoS do not throttle the same datastore", ""],
        ["high", "vvol/pe-dsnro-headroom", "2", "2", "One throttled disk cannot fill a protocol endpoint's queue", COST],
    ]
    assert read["Failures (3)"][2] == [
        "28289e63",
        "high",
        "vvol/pe-dsnro-headroom",
        f"vc-east/gold/esx-01.example.net/{name}",
        "observed 32, desired 256",
    ]
    assert [row[-1] for row in read["Unknown (1)"][1:]] == ["not read: dsnro"]
    assert read["Waived (1)"][1][-1] == "replaced in May, until 2027-06-01T00:00:00Z (storage team, CHG-77, waivers.yaml:2)"
    assert read["Not read (1)"][1] == ["vc-east", "esxcli storage core device list on esx-03.example.net", "the host is disconnected"]
    lines = " ".join(text_of(token) for token in parsed(samples.bad_night()) if token.type == "inline")
    assert "auditor: DRIFT 3 failures of 2 rules on 2 hosts (1 critical, 2 high). Not everything was judged:" in lines
    assert "Coverage: 90 % (9 judged, 1 unknown, 1 not applicable, 1 waived)" in lines
    assert "Note: TLS of sf-01 was NOT VERIFIED" in lines
    documents = "Resource Management, GUID-1: Requirements; hardening guide, Guide 8, esxi-8.sioc (read in quotation only)."
    assert f"sioc/overlap-array-qos answers to {documents}" in lines
    assert "vvol/pe-dsnro-headroom answers to" not in lines


def test_a_failure_has_the_message_of_its_rule() -> None:
    finding = samples.pe_finding()
    own = replace(finding, message=f"{finding.resource.name} on {finding.resource.host}: takes 32 commands, wanted 256")
    assert tables(samples.report_of([own]))["Failures (1)"][1][-1] == "takes 32 commands, wanted 256"


def test_a_clean_report_has_no_table() -> None:
    assert tables(samples.clean()) == {}
    assert "NO DRIFT" in written(samples.clean())


@pytest.mark.parametrize(
    "name",
    [
        *(one for one in samples.HOSTILE_NAMES if len(one) < 100),
        "`",
        "``a` b",
        "a|b",
        r"a\|b\\",
        "![x](https://example.net/x.png)",
        "[x](javascript:alert(1))",
        "https://example.net/phish",
        "www.example.net",
        "root@example.net",
        "**bold** _it_ ~~gone~~",
        "&lt;b&gt;",
    ],
)
def test_a_name_is_text_in_its_cell_and_nothing_else(name: str) -> None:
    finding = samples.pe_finding("esx-1", name=name)
    failure = replace(finding, message=f"{name} on esx-1: {name} is wrong")
    report = samples.report_of([failure], gaps=[Gap(name, name, name)])
    kinds = {child.type for token in parsed(report) for child in token.children or ()}
    assert kinds <= {"text", "text_special", "code_inline", "strong_open", "strong_close"}
    assert not [token.type for token in parsed(report) if token.type.startswith(("html", "fence", "code_block"))]
    read = tables(report)
    shown = neutral(name)
    assert read["Failures (1)"][1][-2:] == [f"vc-east/gold/esx-1/{shown}", f"{shown} is wrong"]
    assert [cell.strip() for cell in read["Not read (1)"][1]] == [shown.strip()] * 3


@pytest.mark.long
def test_it_fits_a_comment_whatever_the_fleet_and_says_how_many_more_there_are() -> None:
    gaps = [Gap("vc-east", f"thing {number}", "gone") for number in range(300)]
    report = replace(samples.huge(2_000), gaps=tuple(gaps))
    unlike = replace(report, findings=lambda: (replace(one, impact={}) for one in report.findings()))
    assert "15 more causes." in written(unlike)
    text = written(report)
    rows = tables(report)["Failures (2,000)"][1:]
    assert len(rows) == 50
    assert "1,950 more: `--reporter json` or `--reporter html` has them all." in text
    assert "250 more: `--reporter json` has them all." in text
    assert len(tables(report)["Worst causes"]) == 2, "all of them make the same machines wait at the same queue"
    assert "`vvol/rule-00` and 19 more rules | 2,000 |" in text
    assert len(text) < GITHUB_CHARACTERS


def test_long_names_leave_room_for_fewer_rows_and_are_not_cut() -> None:
    findings = [samples.pe_finding("esx-1", name=f"{number:03}{'x' * 3000}") for number in range(40)]
    report = samples.report_of(findings)
    rows = tables(report)["Failures (40)"][1:]
    assert [row[3] for row in rows] == [f"vc-east/gold/esx-1/{number:03}{'x' * 3000}" for number in range(12)], (
        "the thirteenth would be beyond 40,000 characters"
    )
    assert "28 more: " in written(report)
    assert len(written(report)) < GITHUB_CHARACTERS
