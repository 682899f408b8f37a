"""Which sheet it is by the titles of its columns, and what its cells say."""

from datetime import UTC, datetime

import pytest

from auditor.endpoints.files.rvtools.csv_file import sheet_in
from auditor.endpoints.files.rvtools.export import moment_in, moment_of
from auditor.endpoints.files.rvtools.places import release_of
from auditor.endpoints.files.rvtools.sheets import Row, Sheet
from auditor.endpoints.files.rvtools.workbook import sheets_in
from auditor.endpoints.files.streams import Budget
from tests.endpoints.files.rvtools.typed_export import EXPORT
from tests.endpoints.files.rvtools.workbooks import Sheets, csv_text, rows, serial, workbook


def sheets(of: Sheets) -> list[Sheet]:
    return list(sheets_in(workbook(of), Budget(1 << 30)))


def test_every_sheet_is_known_by_its_titles_whatever_it_is_called() -> None:
    named = {f"Table {number}": sheet for number, sheet in enumerate(EXPORT.values())}
    assert [(sheet.name, sheet.kind) for sheet in sheets(named)] == list(zip(named, EXPORT, strict=True))


def test_sheets_of_old_releases_have_other_names_and_units() -> None:
    [sheet] = sheets({"tabvDatastore": rows("Name, Accessible, Type, # Hosts, Capacity MB", ["vmfs-01", "True", "VMFS", 2, "1,048,576"])})
    [row] = sheet
    assert (sheet.kind, row.number("capacity mib"), row.truth("accessible")) == ("vDatastore", 1_048_576, True)


def test_columns_may_come_in_any_order_and_others_between_them() -> None:
    [sheet] = sheets({"vHost": rows("Owner, CPU Model, Cluster, Host", ["ops", "Xeon", "prod-01", "esx-01"])})
    [row] = sheet
    assert (row.text("host"), row.text("cluster"), row.text("owner")) == ("esx-01", "prod-01", None)


def test_a_sheet_that_is_not_read_is_known_by_its_name() -> None:
    [cpu, host] = sheets({"vCPU": rows("VM, CPUs", ["db-01", 2]), "vHost": rows("Item, Price", ["eggs", 2]), "Sheet1": rows("Item, Price")})
    assert (cpu.name, cpu.kind, cpu.problems) == ("vCPU", "", ())
    assert (host.name, host.kind, host.problems) == ("vHost", "", ("it has not the columns of vHost (cpu model, host)",))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("64", 64),
        ("261797.0", 261_797),
        ("1,048,576", 1_048_576),
        ("1.048.576", 1_048_576),
        ("1 048 576", 1_048_576),
        ("36,5", None),
        ("1e3", None),
        ("", None),
        ("many", None),
        ("9" * 40, None),
        ("-1", -1),
    ],
)
def test_a_number_is_one_whatever_the_locale(text: str, number: int | None) -> None:
    assert Row({"queue depth": 0}, (text,)).number("queue depth") == number


@pytest.mark.parametrize(
    ("text", "truth"), [("True", True), ("1", True), ("FALSE", False), ("0", False), ("", None), ("yes, at times", None)]
)
def test_a_truth_is_a_word_or_a_digit(text: str, truth: bool | None) -> None:
    assert Row({"raw": 0}, (text,)).truth("raw") is truth


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("46327.25", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("46327,25", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("2026-11-01 06:00:00", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("2026/11/01 06:00:00", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("01.11.2026 06:00:00", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("2026-11-01T07:00:00+01:00", datetime(2026, 11, 1, 6, tzinfo=UTC)),
        ("11/1/2026 6:00:00 AM", None),
        ("", None),
    ],
)
def test_a_moment_is_read_where_its_form_leaves_no_doubt(text: str, moment: datetime | None) -> None:
    assert moment_of(text) == moment
    assert serial(datetime(2026, 11, 1, 6, tzinfo=UTC)) == 46_327.25


def test_a_moment_may_stand_in_a_name() -> None:
    assert moment_in("RVTools_export_all_2016-05-18_09.27.29") == datetime(2016, 5, 18, 9, 27, 29, tzinfo=UTC)
    assert moment_in("RVTools_export_all_2016-15-48_09.27.29.xlsx") is None
    assert moment_in("estate.xlsx") is None


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("VMware ESXi 8.0.2 build-22380479", ("8.0.2", 22_380_479)),
        ("VMware ESX 4.1.0 build-1682698", ("4.1.0", 1_682_698)),
        ("VMware ESXi 7.0.3", ("7.0.3", None)),
        ("8.0.2", (None, None)),
        (None, (None, None)),
    ],
)
def test_the_release_of_a_host_has_version_and_build(text: str | None, release: tuple[str | None, int | None]) -> None:
    assert release_of(text) == release


@pytest.mark.parametrize("name", ["vswitch.txt", "network.csv"])
def test_another_text_is_no_sheet_though_it_is_called_like_one(name: str) -> None:
    assert sheet_in(b"vSwitch0\n   Name: vSwitch0\n   MTU: 1500\n", name, Budget(1 << 20)) is None


def test_a_csv_file_is_known_by_its_titles_too() -> None:
    sheet = sheet_in(csv_text(EXPORT["vMultiPath"], ";").encode("utf-16"), "paths.csv", Budget(1 << 20))
    assert sheet is not None
    assert (sheet.kind, len(sheet.cells)) == ("vMultiPath", 2)
