"""Names from the fleet are text everywhere: one hostile fleet, driven through commands and formats that show names.

One lab, its audit and its fix are shared.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from auditor.cli import run
from auditor.history.folders import JOURNAL_FOLDER
from auditor.history.runs import list_runs, report_of_run
from auditor.job.one_run import changes_since, run_of_report
from auditor.job.site.publishing import Site, publish_failure, publish_index, publish_report
from auditor_lab.scenario import parse_scenario
from auditor_lab.serving import serve
from tests.depth import thinned

HOSTILE = '=HYPERLINK("http://e.example") [l](https://e.example/a) ![i](https://e.example/i.png) - # <img src=x> `x`'
HOSTILE += " \x9b2J\u202e\x1b[2J\r"
NAMED = ("bronze-noisy", "esx-vvol-1.lab.example", "sf-vvol-a")
FILES = ("json", "json-full", "html", "junit", "sarif", "markdown", "csv")


def fleet_text() -> str:
    text = (resources.files("auditor_lab") / "scenarios" / "solidfire-vvols.yaml").read_text(encoding="utf-8")
    for name in NAMED:
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", lambda found: json.dumps(f"{HOSTILE} {found[0]}"), text)
    return text


ONLY = ("--only", "vvol/*", "--only", "diag/noisy*", "--only", "qos/*")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """The folder of an audit of the hostile fleet, and its report in each format."""
    folder = tmp_path_factory.mktemp("hostile")
    with serve(parse_scenario(fleet_text(), "hostile.yaml")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        reporters = [part for form in FILES for part in ("--reporter", f"{form}:{folder / form}")]
        arguments = ["--fleet", str(folder / "fleet.yaml"), "--state-dir", str(folder / "state")]
        assert run(["audit", *arguments, *ONLY, *reporters]) in (1, 2)
        yield folder, {form: (folder / form).read_text(encoding="utf-8") for form in FILES}


def controls(text: str, *, also: str = "\n") -> set[str]:
    """What of `text` could control a terminal or reorder a line; colours of our own are none."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return {one for one in plain if one not in also and unicodedata.category(one) in ("Cc", "Cf", "Zl", "Zp")}


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    run(list(arguments))
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    return said.out + said.err


@pytest.mark.parametrize("form", FILES)
def test_no_format_has_a_control_character(told: tuple[Path, dict[str, str]], form: str) -> None:
    _, reports = told
    assert "e.example" in reports[form], "the names are in it"
    assert controls(reports[form], also="\n\r" if form == "csv" else "\n\t") == set()


def links(markdown: str) -> set[str]:
    """What a reader of Markdown makes of it besides text."""
    tokens = [child for token in MarkdownIt("gfm-like", {"linkify": False}).parse(markdown) for child in (token, *(token.children or ()))]
    found = {str(token.attrGet("href") or token.attrGet("src") or "") for token in tokens if token.type in ("link_open", "image")}
    found |= {token.content for token in tokens if token.type in ("html_inline", "html_block")}
    return {one for one in found if "e.example" in one or "<img" in one}


SEARCH = re.compile(r"#search=[A-Za-z0-9%._~/-]*")
"""What a cell of the report's map leads to: a place in the same page, with the name in it encoded."""


class Links(HTMLParser):
    """What a browser would make of a page besides text: tags that a name could have brought, and what its own tags lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            (tag, value)
            for name, value in attrs
            if name in ("href", "src") and value and ("e.example" in value or value == "x") and not SEARCH.fullmatch(value)
        ]
        self.found += [(tag, name) for name, _ in attrs if name.startswith("on")]


def linked(page: str) -> list[tuple[str, str]]:
    parser = Links()
    parser.feed(page)
    return parser.found


def test_markdown_shows_names_as_text(told: tuple[Path, dict[str, str]]) -> None:
    assert links(told[1]["markdown"]) == set()


def test_no_cell_of_csv_begins_a_formula(told: tuple[Path, dict[str, str]]) -> None:
    cells = [cell for row in csv.reader(io.StringIO(told[1]["csv"])) for cell in row]
    assert any("HYPERLINK" in cell for cell in cells)
    assert not [cell for cell in cells if cell.lstrip().startswith(("=", "+", "@"))]


def test_what_commands_print_controls_no_terminal(told: tuple[Path, dict[str, str]], capsys: pytest.CaptureFixture[str]) -> None:
    folder, reports = told
    state = ["--state-dir", str(folder / "state")]
    findings = {one["rule"]: one["id"] for one in json.loads(reports["json"])["findings"] if one["verdict"] == "fail"}
    sql = "SELECT * FROM finding WHERE verdict = 'fail'"
    commands = [
        ["runs", "show", "last", *state],
        ["runs", "list", "--json", *state],
        ["plan", "--fleet", str(folder / "fleet.yaml"), "--only", "vvol/pe-dsnro-headroom", "--out", str(folder / "plan.json"), *state],
        *(["query", sql, "--format", form, *state] for form in ("table", "csv", "json")),
        *(["explain", one, *state] for one in thinned([*findings.values()], 8)),
    ]
    seen = 0
    for command in commands:
        text = asked(capsys, *command)
        assert controls(text, also="\n\r") == set(), command
        seen += "e.example" in text
    assert seen >= 5, "the names are shown"


def test_the_notes_of_a_reproduction_have_no_link_of_a_name(
    told: tuple[Path, dict[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, reports = told
    failing = {one["rule"]: one["id"] for one in json.loads(reports["json"])["findings"] if one["verdict"] == "fail"}
    seen = 0
    for number, finding in enumerate(thinned([*failing.values()], 6)):
        out = tmp_path / str(number)
        asked(capsys, "reproduce", finding, "--out", str(out), "--state-dir", str(folder / "state"))
        for file in out.glob("*") if out.exists() else ():
            text = file.read_text(encoding="utf-8")
            seen += "e.example" in text
            assert controls(text) == set(), file.name
            if file.suffix == ".md":
                assert links(text) == set()
    assert seen, "some notes have a name"


def test_no_page_has_a_link_of_a_name(told: tuple[Path, dict[str, str]]) -> None:
    assert linked(told[1]["html"]) == []


def printed(*command: str) -> tuple[int, str]:
    """How a command ends, and what it prints on either stream."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(list(command))
    assert "Traceback" not in err.getvalue()
    return code, out.getvalue() + err.getvalue()


@pytest.fixture(scope="module")
def fixed(told: tuple[Path, dict[str, str]]) -> dict[str, str]:
    """What commands say of the hostile fleet from the dry run of a fix to the undo, and the pages of a job that found it fixed; by name."""
    folder, _ = told
    state, fleet = ["--state-dir", str(folder / "state")], ["--fleet", str(folder / "fleet.yaml")]
    allowed = ["--allow", "online", "--allow", "online-caution", "--max-hosts", "100%", "--settle", "0"]
    fix = ["audit", *fleet, *state, *ONLY, "--fix", *allowed]
    first = list_runs(folder / "state")[-1]
    dry = printed(*fix, "--dry-run")
    wrote = printed(*fix, "--yes")
    assert re.search(r"\b[1-9]\d* applied", wrote[1])
    last = list_runs(folder / "state")[0]
    assert (folder / "state" / JOURNAL_FOLDER / f"{last.id}.jsonl").exists()
    ended = {
        "dry run": dry,
        "fix": wrote,
        "ticket": printed("journal", "export", last.id, *state),
        "ticket as JSON": printed("journal", "export", last.id, "--format", "json", *state),
        "undo": printed("undo", last.id, "--dry-run", *fleet, *state),
        "difference": printed("runs", "diff", first.id, last.id, "--details", *state),
        "difference as JSON": printed("runs", "diff", first.id, last.id, "--json", *state),
    }
    assert {name: code for name, (code, _) in ended.items() if code not in (0, 1)} == {}
    site = Site("nightly", folder / "site", folder / "job", keep=3)
    for each in (site.folder, site.state):
        each.mkdir()
    report = report_of_run(last)
    done = publish_report(site, report, run_of_report(report), changes_since(folder / "state", first.id, report))
    publish_index(site, done, now=done.finished, next_due=None, problems=[HOSTILE])
    lost = replace(done, id="20261127T020000Z-dead", error=HOSTILE)
    publish_index(site, publish_failure(site, lost, [("what", HOSTILE)]), now=done.finished, next_due=None)
    pages = {path.name.replace(done.id, "run"): path.read_text(encoding="utf-8") for path in site.folder.iterdir()}
    return {name: text for name, (_, text) in ended.items()} | pages


def test_nothing_that_a_fix_leaves_behind_has_a_control_character(fixed: dict[str, str]) -> None:
    assert {"run.html", "run.changes.html", "run.csv", "run.json", "index.html", "feed.xml"} <= set(fixed)
    assert {name for name, text in fixed.items() if controls(text, also="\n\r" if name.endswith(".csv") else "\n\t")} == set()
    assert {name for name, text in fixed.items() if "e.example" not in text} <= {"trend.csv", "latest.html"}, "the names are in it"


def test_a_change_ticket_shows_names_as_text(fixed: dict[str, str]) -> None:
    assert links(fixed["ticket"]) == set()
    rows = [line for line in fixed["ticket"].splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {rows[0].count("|")}, "no name makes a cell"


def test_no_page_of_a_job_has_a_link_of_a_name(fixed: dict[str, str]) -> None:
    pages = {name: linked(text) for name, text in fixed.items() if name.endswith(".html")}
    assert len(pages) >= 4
    assert {name: found for name, found in pages.items() if found} == {}
