"""The table on terminals of any width, with colours or without, and whatever names the fleet has."""

from __future__ import annotations

import os
import pty
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditor.model import Gap, Outcome, Report
from auditor.report.terminal.table import write_table
from tests.report import samples
from tests.report.table.tables import rendered


def on_a_terminal(report: Report) -> str:
    """As a terminal would receive it."""
    ours, theirs = pty.openpty()
    try:
        with os.fdopen(theirs, "w", encoding="utf-8") as out:
            write_table(report, out)
            out.flush()
            return os.read(ours, 1 << 20).decode()
    finally:
        os.close(ours)


@pytest.mark.parametrize("width", [50, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal_and_no_host_or_value_is_lost(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    hosts = [f"esx-{number:02}.a-rather-long-site-name.dc{number}.corp.example.net" for number in range(3)]
    values = [f"iscsivmk_LunQDepth=192 iscsivmk_HostQDepth=102{number}" for number in range(3)]
    cluster = "a cluster with quite a long name"
    findings = [samples.pe_finding(host, cluster=cluster, observed=value) for host, value in zip(hosts, values, strict=True)]
    text = rendered(samples.report_of(findings))
    assert all(len(line) <= width or line.strip().startswith("auditor ") for line in text.splitlines()), "a command is pasted, whole"
    is_table = any(line.startswith("  Resource") for line in text.splitlines())
    together = re.sub(r"\s+", "", "".join(_column(text, start) for start in _starts(text)) if is_table else text)
    assert is_table or width < 200, "where there is no room for all names, each failure stands by itself"
    for name in (*hosts, *values):
        assert name.replace(" ", "") in together


def _starts(text: str) -> list[int]:
    heading = next(line for line in text.splitlines() if line.startswith("  Resource"))
    return [match.start() for match in re.finditer(r"\S+(?: \S+)*", heading)]


def _column(text: str, start: int) -> str:
    lines = text.splitlines()
    top = next(number for number, line in enumerate(lines) if line.startswith("  Resource")) + 1
    ends = [one for one in _starts(text) if one > start]
    return "\n".join(line[start : ends[0] if ends else None] for line in lines[top : lines.index("", top)])


@pytest.mark.parametrize("width", [50, 80, 120, 160])
def test_no_name_is_ever_cut(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    findings = [
        samples.pe_finding(f"esx-{number}.example.net", cluster=f"cluster {number} of a site", observed=number) for number in range(2)
    ]
    text = rendered(samples.report_of(findings))
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert "naa.6f47acc100000000612e3f4d00000001" in text
    assert all(f"esx-{number}.example.net" in text for number in range(2))


def test_a_single_failure_says_its_cluster_above_where_names_would_have_to_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    report = samples.report_of([samples.pe_finding("esx-dx-3.lab.example", cluster="dx90-l66")])
    text = rendered(report)
    assert "\n  in cluster dx90-l66\n" in text
    assert re.search(r"\n  naa\.\w+  esx-dx-3\.lab\.example\n    32 -> 256\n    fix: proposed; id: [0-9a-f]{8}\n", text)
    monkeypatch.setenv("COLUMNS", "120")
    assert re.search(r"esx-dx-3\.lab\.example +dx90-l66 +32 -> 256", rendered(report))


def test_a_host_that_no_terminal_has_room_for_is_wrapped_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    hosts = [f"esx-{number:02}.site-of-vienna.dc{number}.corp.storage.example.net" for number in range(2)]
    text = rendered(samples.report_of([samples.pe_finding(host, cluster=f"cluster {host}", observed=3) for host in hosts]))
    together = re.sub(r"\s+", "", text)
    assert all(host in together for host in hosts)


def test_a_wide_terminal_shows_names_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert "naa.6f47acc100000000612e3f4d00000001  esx-01.example.net" in rendered(samples.bad_night())


def test_on_a_narrow_terminal_what_the_rows_of_a_device_share_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    devices = [f"naa.6f47acc1{number:024x}" for number in range(2)]
    hosts = [f"esx-{host}.example.net" for host in range(4)]
    findings = [
        replace(samples.pe_finding(host, name=device), message=f"{device} on {host}: its queue {number} holds 32 commands")
        for number, device in enumerate(devices)
        for host in hosts
    ]
    monkeypatch.setenv("COLUMNS", "60")
    lines = rendered(samples.report_of(findings)).splitlines()
    for number, device in enumerate(devices):
        start = lines.index(f"  {device}")
        assert lines[start + 1].strip() == f"its queue {number} holds 32 commands"
        assert [line.split()[0] for line in lines[start + 2 : start + 6]] == hosts
        assert all(re.search(r"  id: [0-9a-f]{8}$", line) for line in lines[start + 2 : start + 6])


def test_files_and_pipes_get_no_control_characters() -> None:
    text = rendered(samples.bad_night())
    assert not {letter for letter in text if unicodedata.category(letter) == "Cc"} - {"\n"}


def test_a_terminal_gets_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[" in on_a_terminal(samples.bad_night())


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_that_wants_none_gets_plain_text(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv(name, value)
    assert "\x1b" not in on_a_terminal(samples.bad_night())


def test_names_of_the_fleet_cannot_steer_the_terminal() -> None:
    text = rendered(samples.hostile())
    assert not {letter for letter in text if unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp", "Cs"}} - {"\n"}
    assert r"\x1b[31mred" in text
    assert "[bold]" in text, "rich took a name for markup"
    assert r"- esx\r\nDRIFT: none" in text, "a name began a line of its own"


@pytest.mark.long
@settings(max_examples=40)
@given(st.text())
def test_no_name_whatever_breaks_the_table_or_reaches_it_raw(name: str) -> None:
    finding = samples.pe_finding(name, name=name, cluster=name, observed=name)
    gap = Gap(name, name, name)
    text = rendered(samples.report_of([finding], gaps=[gap], receipts=[samples.receipt(Outcome.REFUSED, why=name)]))
    allowed = {"\n", "\u200c", "\u200d"}
    assert not {letter for letter in text if unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp", "Cs"}} - allowed


def test_an_output_that_knows_only_ascii_is_no_error(tmp_path: Path) -> None:
    with (tmp_path / "out").open("w", encoding="ascii") as out:
        write_table(samples.report_of([samples.pe_finding("مضيف")]), out)
    assert r"\u0645" in (tmp_path / "out").read_text(encoding="ascii")
