"""`--reporter NAME:PATH`: mistakes are reported before the audit, and a file is complete or missing."""

from __future__ import annotations

import io
import os
import re
import stat
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.cli import options
from auditor.endpoints.common.clocks import Difference, clock_notes
from auditor.errors import ConfigurationError
from auditor.model import Finding, PlaceCount, Report, Resource, Verdict
from auditor.report import REPORTERS, Destination, parse_reporter, parse_reporters, write_report, writer_of
from auditor.report.digest import digest
from auditor.report.files import sweep, written_whole
from auditor.report.verdict_counts import LISTED
from tests.report import samples
from tests.required import lacking
from tests.waiting import PATIENCE_SECONDS


@pytest.mark.parametrize("name", [name for name in REPORTERS if name not in ("ckl", "cklb")])  # which have controls of STIGs alone
def test_every_format_has_a_writer(name: str) -> None:
    out = io.StringIO()
    writer_of(name)(samples.bad_night(), out)
    assert "sioc/overlap-array-qos" in out.getvalue()


@pytest.mark.parametrize("name", [name for name in REPORTERS if name != "openmetrics"])  # which counts notices
def test_every_format_names_an_endpoint_whose_clock_is_off(name: str) -> None:
    ours = samples.bad_night() if name in ("servicenow", "jira") else samples.clean()  # where all is well, there is no ticket
    out = io.StringIO()
    writer_of(name)(replace(ours, notices=clock_notes("vc-prod", Difference(7200.0, 0.5))), out)
    assert "vc-prod: its clock is 2.0 h ahead of this machine" in " ".join(out.getvalue().split())


@pytest.mark.parametrize("name", ["json", "csv", "sarif", "junit", "markdown", "openmetrics"])
def test_a_resource_without_an_endpoint_and_a_name_is_still_written(name: str) -> None:
    finding = samples.pe_finding()
    nowhere = Resource("protocol_endpoint", "an-id", "", None, None, None)  # type: ignore[arg-type]  # a view of a user's own may have none
    out = io.StringIO()
    writer_of(name)(samples.report_of([replace(finding, resource=nowhere)]), out)
    assert finding.rule in out.getvalue()


def _counted(report: Report) -> Report:
    """The same report, as an evaluation gives it: its passes cannot be read."""

    def unread() -> Iterator[Finding]:
        pytest.fail("passes were read")

    listed = [finding for finding in report.findings() if finding.verdict in LISTED]
    counts = Counter((finding.rule, finding.severity, finding.verdict) for finding in report.findings())
    places = Counter(
        (one.resource.endpoint, one.resource.cluster, one.resource.host, one.rule.split("/")[0], one.severity, one.verdict)
        for one in report.findings()
    )

    def by_place(by_host: bool) -> list[PlaceCount]:
        assert by_host, "the fleet is small"
        return [PlaceCount(*place, number) for place, number in places.items()]

    return replace(report, findings=unread, listed=lambda: iter(listed), counts=lambda: counts, by_place=by_place)


@pytest.mark.parametrize("name", [name for name in REPORTERS if name != "json-full"])
def test_passes_that_are_counted_are_not_read_and_the_report_is_the_same(name: str) -> None:
    read, counted = io.StringIO(), io.StringIO()
    writer_of(name)(samples.bad_night(), read)
    writer_of(name)(_counted(samples.bad_night()), counted)
    assert counted.getvalue() == read.getvalue()


def test_a_rule_that_only_its_passes_name_is_read_for_its_title() -> None:
    older = replace(
        samples.clean(), rules=(), counts=lambda: {(samples.DSNRO.id, samples.DSNRO.severity, Verdict.PASS): 4}, listed=lambda: iter(())
    )
    assert [(rule.rule, rule.title, rule.counts[Verdict.PASS]) for rule in digest(older, 1).rules] == [
        (samples.DSNRO.id, samples.DSNRO.title, 4)
    ]


def test_the_help_names_every_format() -> None:
    assert re.split(r", | or ", options._FORMATS) == list(REPORTERS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("jsno:report.json", 'no report format "jsno"; did you mean "json"', id="misspelt"),
        pytest.param("HTML", 'did you mean "html"', id="capitals"),
        pytest.param("pdf:report.pdf", 'no report format "pdf"$', id="unknown"),
        pytest.param("json:", "no path after the colon", id="no path"),
        pytest.param("json:{folder}", "Is a directory", id="a folder"),
        pytest.param("json:{folder}/missing/report.json", "No such folder", id="missing folder"),
    ],
)
def test_a_wrong_reporter_is_refused_before_anything_is_read(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        parse_reporter(text.format(folder=tmp_path))
    assert re.search(message, refused.value.what)


@pytest.mark.parametrize("text", ["json", "json:-"])
def test_no_path_and_a_dash_are_standard_output(text: str) -> None:
    assert parse_reporter(text) == Destination("json", None)
    out = io.StringIO()
    write_report(samples.clean(), parse_reporter(text), out)
    assert out.getvalue().startswith('{"schema_version": 2')


def test_a_path_may_hold_colons(tmp_path: Path) -> None:
    assert parse_reporter(f"json:{tmp_path}/a:b.json").path == tmp_path / "a:b.json"


def test_without_any_reporter_there_is_a_table() -> None:
    assert parse_reporters([]) == (Destination("table", None),)


@pytest.mark.parametrize("texts", [["table", "json"], ["json:{folder}/r", "html:{folder}/x/../r"]], ids=["standard output", "one file"])
def test_two_reports_into_one_place_are_refused(tmp_path: Path, texts: list[str]) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(ConfigurationError, match="both write to"):
        parse_reporters([text.format(folder=tmp_path) for text in texts])


@pytest.mark.parametrize("name", REPORTERS)
def test_a_report_that_breaks_off_leaves_the_file_as_it_was(tmp_path: Path, name: str) -> None:
    path = tmp_path / "report"
    path.write_text("yesterday's")

    def findings() -> Iterator[Finding]:
        yield samples.pe_finding()
        raise RuntimeError("the disk went away")

    with pytest.raises(RuntimeError, match="went away"):
        write_report(replace(samples.bad_night(), findings=findings), Destination(name, path), io.StringIO())
    assert path.read_text() == "yesterday's"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_report(samples.clean(), Destination("json", tmp_path / "r.json"), io.StringIO())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "r.json").stat().st_mode) == 0o640


def test_a_file_that_is_replaced_keeps_its_permissions_and_its_link(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.touch(mode=0o600)
    link = tmp_path / "link.json"
    link.symlink_to(real)
    write_report(samples.clean(), Destination("json", link), io.StringIO())
    assert link.is_symlink()
    assert real.read_text().startswith("{")
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    write_report(samples.clean(), parse_reporter(f"json:{pipe}"), io.StringIO())
    reader.join(PATIENCE_SECONDS)
    assert got[0].startswith("{")
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_full_disk_is_an_error_for_people() -> None:
    if not Path("/dev/full").exists():
        lacking("there is no /dev/full: it is Linux's", "LINUX")
    with pytest.raises(ConfigurationError, match="No space left on device"), written_whole(Path("/dev/full")) as out:
        out.write("x")


def test_unfinished_files_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".latest.html.0a1b2c3d.tmp").write_text("<html")
    (tmp_path / "index.html").write_text("kept")
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]
