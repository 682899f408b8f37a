"""A path reads the same in the terminal and in the drawing; a drawing is sound SVG whatever names there are, and nothing unread is 0."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from auditor.impact.path import Path, device_path
from auditor.impact.stations import Figure
from auditor.report.html.pages import template_text
from auditor.report.html.path_drawing import drawing, drawing_file
from auditor.report.path_words import queue_text, value_of
from auditor.report.terminal.explanation import write_paths
from auditor.text.numbers import number_text
from tests.impact.asked import DEVICE, HOST, VCENTER, Asked, device, s0

SVG = "{http://www.w3.org/2000/svg}"


def s0_path() -> Path:
    path = device_path(s0(), VCENTER, HOST, DEVICE)
    assert path is not None
    return path


def unread_path() -> Path:
    path = device_path(Asked(device=[device()]), VCENTER, HOST, DEVICE)
    assert path is not None
    return path


def text_of(path: Path) -> str:
    out = io.StringIO()
    write_paths([path], out)
    return out.getvalue()


def rendered_at(part: Any, width: int) -> str:
    """What rich makes of a part on a plain terminal of that width."""
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(part)
    return out.getvalue()


def test_the_text_leads_from_the_throttled_disk_to_the_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = " ".join(text_of(s0_path()).split())
    parts = [
        "noisy Hard disk 1 [########----] 40 of 64 in flight, 26/s, latency 1,520 ms, commands of 512 KiB, the array allows 13.2/s: AT ITS",
        "quiet Hard disk 1 [------------] 1 of 64 in flight, 2/s, latency 310 ms",
        "disks that send 2",
        f"device queue {DEVICE} FULL <- the longest wait [############] 32 of 32 in flight, 9 wait, waits in the host (KAVG): 300 ms",
        "DSNRO of 32 applies, and not the device's 256: 2 disks compete.",
        "adapter vmhba64 (iscsi_vmk)",
        "One path only",
        "noisy.vmdk FULL",
        "the host waits for it (DAVG): 290 ms",
    ]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


@pytest.mark.parametrize("width", [50, 80, 200])
def test_no_line_is_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, text_of(s0_path()).splitlines())) <= width


def test_what_was_not_read_is_not_0_in_either() -> None:
    path = unread_path()
    drawn = ElementTree.fromstring(drawing(path, "p"))
    shown = " ".join(one.text or "" for one in drawn.iter(f"{SVG}text"))
    for text in (text_of(path), shown):
        assert "depth and commands in flight not read" in " ".join(text.split())
        assert not re.search(r"\b0\b", text)
    assert [one.get("class") for one in drawn.iter(f"{SVG}rect") if one.get("class") in ("unread", "taken", "track")] == ["unread"]


def test_a_drawing_is_named_and_described_for_those_who_hear_it() -> None:
    drawn = ElementTree.fromstring(drawing(s0_path(), "path-7"))
    assert drawn.get("role") == "img"
    assert drawn.get("aria-labelledby") == "path-7-title path-7-text"
    title, words = drawn.find(f"{SVG}title"), drawn.find(f"{SVG}desc")
    assert title is not None
    assert words is not None
    assert (title.get("id"), words.get("id")) == ("path-7-title", "path-7-text")
    assert "noisy Hard disk 1: 40 of 64 in flight" in (words.text or "")
    assert f"device queue {DEVICE}: 32 of 32 in flight, 9 wait, waits in the host (KAVG): 300 ms" in (words.text or "")


def test_boxes_follow_each_other_inside_of_the_picture() -> None:
    drawn = ElementTree.fromstring(drawing(s0_path(), "p"))
    _, _, width, height = (float(number) for number in (drawn.get("viewBox") or "").split())
    assert width <= 360  # a telephone
    below = 0.0
    for box in drawn.iter(f"{SVG}rect"):
        if "station" in (box.get("class") or ""):
            top = float(box.get("y", "0"))
            assert top > below
            below = top + float(box.get("height", "0"))
    assert below < height
    assert max(len(one.text or "") for one in drawn.iter(f"{SVG}text")) <= 52
    assert [one.text for one in drawn.iter(f"{SVG}text") if one.get("class") == "mark"] == ["FULL, longest wait", "FULL"]


def test_a_hostile_name_stays_text_and_steers_nothing() -> None:
    path = s0_path()
    name = '</svg><script>alert("1")</script>&\x1b[31m\u202e'
    hostile = replace(path, host=name, disks=tuple(replace(one, name=name) for one in path.disks))
    text = drawing(hostile, "p")
    drawn = ElementTree.fromstring(text)
    assert not list(drawn.iter(f"{SVG}script"))
    assert not {"\x1b", "\u202e"} & set(text + text_of(hostile))


def test_a_file_carries_its_own_colours_for_light_and_dark_and_loads_nothing() -> None:
    text = drawing_file(s0_path(), template_text("drawing.css"))
    ElementTree.fromstring(text.encode())
    assert "prefers-color-scheme: dark" in text
    assert not re.search(r"(href|url\(|@import|<script)", text)
    for variable in set(re.findall(r"var\((--[a-z]+)\)", text)):
        assert text.count(f"{variable}:") == 2, variable


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "ms", "not read"),
        (0, "ms", "0 ms"),
        (0.66, "ms", "0.66 ms"),
        (303.0089, "ms", "303 ms"),
        (65432.1, "/s", "65,432/s"),
        (True, "", "yes"),
        (False, "", "no"),
        ("", "", "none"),
    ],
)
def test_a_value_reads(value: float | str | None, unit: str, text: str) -> None:
    assert value_of(Figure("x", value, unit)) == text


@pytest.mark.parametrize(("value", "text"), [(0.0049, "0.0049"), (12.345, "12.3"), (999.96, "1,000"), (1000.4, "1,000"), (64.0, "64")])
def test_a_number_reads(value: float, text: str) -> None:
    assert number_text(value) == text


def test_a_depth_without_commands_and_commands_without_a_depth() -> None:
    full = s0_path().stations[1]
    assert queue_text(replace(full, in_flight=Figure("x", None))) == "depth 32, commands in flight not read, 9 wait"
    assert queue_text(replace(full, depth=Figure("x", None), waiting=None)) == "32 in flight, depth not read"
