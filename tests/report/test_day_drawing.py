"""The day of one thing as a picture: few points, holes where nothing was read, and words that say the same."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta

import pytest

from auditor.impact.day import Band, Curve, Day
from auditor.report.digest import digest
from auditor.report.finding_ids import FindingIds
from auditor.report.html import report as html_report
from auditor.report.html.day_drawing import PARTS, day_drawing, day_words
from auditor.report.html.worst_days import DrawnDay, worst_days
from tests.report import samples
from tests.report.test_html_report import rendered

BEGIN = datetime(2026, 11, 25, tzinfo=UTC)
END = BEGIN + timedelta(hours=24)
SVG = "{*}"


def at(hours: float) -> datetime:
    """The time so many hours after the day began."""
    return BEGIN + timedelta(hours=hours)


def of_day(values: dict[float, float], seconds: int = 3600, *bands: Band) -> Day:
    """A day with one curve, of values by hours."""
    return Day("<prod> & co", BEGIN, END, seconds, (Curve("host, ms", tuple((at(hour), value) for hour, value in values.items())),), bands)


def test_a_curve_has_a_hole_where_nothing_was_read() -> None:
    drawn = ET.fromstring(day_drawing(of_day({0: 1.0, 1: 2.0, 5: 4.0, 6: 1.0, 9: 3.0}), "d"))
    lines = [line.attrib["points"].split() for line in drawn.iterfind(f"{SVG}polyline")]
    assert [len(line) for line in lines] == [2, 2, 2]
    assert lines[2][0] == lines[2][1], "a value alone is a dot"
    heights = [float(point.split(",")[1]) for line in lines for point in line]
    assert min(heights) == heights[2], "the highest value is the highest point"


def test_a_fine_history_has_no_more_points_than_the_picture_shows() -> None:
    text = day_drawing(of_day({n / 180: float(n % 7) for n in range(24 * 180)}, 20), "d")
    [line] = ET.fromstring(text).findall(f"{SVG}polyline")
    assert len(line.attrib["points"].split()) == PARTS
    assert len(text) < 6_000


def test_bands_are_boxes_that_begin_and_end_with_their_spans() -> None:
    bands = (Band("episodes", ((at(6), at(12)),)), Band("restarts", ((at(18), at(18)),)))
    drawn = ET.fromstring(day_drawing(of_day({0: 1.0}, 3600, *bands), "d"))
    boxes = [(box.attrib["class"], float(box.attrib["x"]), float(box.attrib["width"])) for box in drawn.iterfind(f"{SVG}rect")]
    room = 790 - 200 - 6
    assert [box[0] for box in boxes] == ["episodes", "ran"]
    assert [round(value, 1) for value in boxes[0][1:]] == [200 + room / 4, room / 4]
    assert boxes[1][1] == 200 + room * 18 / 24
    assert round(boxes[1][2], 1) == round(room / 24, 1)


def test_names_of_schedules_stand_whole_beside_their_bands() -> None:
    names = ["replication, schedule 4-an-hour", "restarts by vSphere HA"]
    drawn = ET.fromstring(day_drawing(of_day({0: 1.0}, 3600, *(Band(name, ((at(1), at(2)),)) for name in names)), "d"))
    assert [text.text for text in drawn.iterfind(f"{SVG}text") if text.text in names] == names


def test_the_picture_has_words_that_say_the_same_and_escapes_what_was_read() -> None:
    day = of_day(
        {0: 1.0, 2: 8.25, 3: 8.25},
        3600,
        Band("episodes", tuple((at(n), at(n + 0.5)) for n in range(5))),
        Band("restarts", ((at(2), at(2)),)),
    )
    words = (
        "2026-11-25 00:00 to 00:00 UTC; host, ms: at most 8.2, at 02:00; "
        "episodes: 00:00 to 00:30, 01:00 to 01:30, 02:00 to 02:30 and 2 more; restarts: 02:00"
    )
    assert day_words(day) == words
    drawn = ET.fromstring(day_drawing(day, "d"))
    title, described = drawn.find(f"{SVG}title"), drawn.find(f"{SVG}desc")
    assert title is not None
    assert described is not None
    assert (title.text, described.text) == ("<prod> & co: a day on one axis", words)
    assert drawn.attrib["role"] == "img"
    assert drawn.attrib["aria-labelledby"].split() == [title.attrib["id"], described.attrib["id"]]


def test_the_report_has_the_day_with_its_findings_and_no_section_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = samples.sioc_finding()
    report = samples.report_of([finding])
    assert 'id="days"' not in rendered(report)
    monkeypatch.setattr(html_report, "worst_days", lambda *_: (DrawnDay(of_day({0: 1.0, 1: 2.0}), (finding,)),))
    page = rendered(report)
    section = page[page.index('<section id="days"') :].split("</section>")[0]
    assert '<svg class="day"' in section
    assert "&lt;prod&gt; &amp; co" in section
    assert "<prod>" not in page
    assert f"auditor explain {FindingIds(report.run).of(finding)[:8]}" in section
    assert '<a href="#days">' in page


def test_only_failures_about_episodes_have_days() -> None:
    report = samples.report_of([samples.sioc_finding()])
    assert worst_days(report, digest(report, 10)) == ()
