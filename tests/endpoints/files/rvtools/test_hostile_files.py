"""Workbooks and CSV files that were made to do harm, or are broken: each is one gap, and the others are read."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from auditor.endpoints.files import session
from auditor.endpoints.files.rvtools import workbook as reader
from tests.endpoints.files.evidence import Read
from tests.endpoints.files.rvtools.typed_export import EXPORT, ONE, SERVER, TWO
from tests.endpoints.files.rvtools.workbooks import csv_text, page, rows, workbook

ENTITIES = '<!DOCTYPE a [<!ENTITY b "cccccccccc"><!ENTITY d "&b;&b;&b;&b;">]>'
HOSTS = rows("Host, CPU Model, VI SDK Server", [ONE, "Xeon", SERVER])
TITLES = "".join(f'<c t="inlineStr"><is><t>{title}</t></is></c>' for title in ("Host", "CPU Model", "VI SDK Server"))


def gap_of(tmp_path: Path, data: bytes, name: str = "bad.xlsx") -> str:
    """The one gap of a file that lies beside a good export, which is read."""
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.xlsx").write_bytes(workbook(EXPORT))
    read = Read(tmp_path)
    assert [row["name"] for row in read.rows["host"]] == [ONE, TWO]
    [bad] = [gap for gap in read.gaps if gap.what == str(tmp_path / name)]
    return bad.why


@pytest.mark.parametrize("part", ["workbook", "sharedStrings", "sheet1"])
def test_xml_with_a_document_type_is_not_read(tmp_path: Path, part: str) -> None:
    assert gap_of(tmp_path, workbook({"vHost": HOSTS}, **{part: f"{ENTITIES}<a>&d;</a>"})) == (
        "its XML has a document type, which is not read; nothing of it was read."
    )


@pytest.mark.parametrize(
    ("sheet", "why"),
    [
        (page(f"<row>{'<c/>' * 20_000}</row>"), "a row in it is longer than any that a spreadsheet writes"),
        (page("<a>" * 70 + "</a>" * 70), "its XML is nested too deeply"),
        (page(f'<row a="{"b" * (2 << 20)}"/>'), "a tag of its XML is longer than any that a spreadsheet writes"),
        (page(f'<row><c t="inlineStr"><is><t>{"b" * 40_000}</t></is></c></row>'), "a cell in it has more than 32,767 characters"),
        (page("<row>"), "its XML is broken: mismatched tag"),
    ],
    ids=["cells", "depth", "tag", "cell", "broken"],
)
def test_a_sheet_that_no_spreadsheet_writes_is_one_gap(tmp_path: Path, sheet: str, why: str) -> None:
    assert why in gap_of(tmp_path, workbook({"vHost": HOSTS}, sheet1=sheet))


def test_more_rows_than_a_sheet_can_have_are_one_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_MOST_ROWS", 3)
    sheet = page(f"<row>{TITLES}</row>{'<row/>' * 3}")
    assert "a sheet in it has more than 3 rows" in gap_of_alone(tmp_path, workbook({"vHost": HOSTS}, sheet1=sheet))


@pytest.mark.parametrize(("sheets", "lines"), [(1, 20), (2, 8)], ids=["in one sheet", "in all sheets"])
def test_more_elements_than_can_be_looked_at_in_time_are_one_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sheets: int, lines: int
) -> None:
    monkeypatch.setattr(reader, "_MOST_ELEMENTS", 100)
    many = {f"Table {number}": [*HOSTS, *HOSTS[1:] * lines] for number in range(sheets)}
    assert "it has more than 100 elements of XML" in gap_of_alone(tmp_path, workbook(many))


def gap_of_alone(tmp_path: Path, data: bytes) -> str:
    (tmp_path / "bad.xlsx").write_bytes(data)
    read = Read(tmp_path / "bad.xlsx")
    assert not read.rows["host"]
    return read.gaps[0].why


@pytest.mark.long
def test_what_unpacks_to_too_much_is_one_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "WORKBOOK_BYTES", 1 << 20)
    data = workbook({"vHost": HOSTS}, sheet1=page(f"<row>{TITLES}</row>{'<row/>' * 300_000}"))
    assert len(data) < 20_000
    assert "it unpacks to more than" in gap_of_alone(tmp_path, data)


@pytest.mark.parametrize(
    "lines",
    [[[ONE, "Xeon"]] * 300, [[f"esx-{number}.example.net", "x" * 400] for number in range(20)]],
    ids=["rows", "texts"],
)
def test_what_is_kept_of_all_files_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[list[str]]) -> None:
    monkeypatch.setattr(session, "EVIDENCE_HELD_BYTES", 4_000)
    (tmp_path / "RVTools_tabvHost.csv").write_text(csv_text(rows("Host, CPU Model", *lines)), encoding="utf-8")
    read = Read(tmp_path)
    assert not read.rows["host"]
    assert "what is wanted of it has more than" in read.gaps[0].why


def test_texts_that_sheets_share_are_limited_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "EVIDENCE_HELD_BYTES", 4_000)
    others = rows("Item, Price", *([f"egg {number}", f"{number} EUR"] for number in range(40)))
    assert "what is wanted of it has more than" in gap_of_alone(tmp_path, workbook({"Sheet1": others}))


def test_a_cell_of_csv_that_is_too_long_is_one_gap(tmp_path: Path) -> None:
    text = csv_text(rows("Host, CPU Model", [ONE, "b" * 40_000]))
    assert "a cell in it has more than 32,767 characters" in gap_of(tmp_path, text.encode(), "RVTools_tabvHost.csv")


def test_a_cell_far_away_takes_no_memory(tmp_path: Path) -> None:
    host = f'<c r="A1048576" t="inlineStr"><is><t>{ONE}</t></is></c>'
    far = f'<row r="1">{TITLES}</row><row r="1048576">{host}<c r="XFD1048576"><v>1</v></c></row>'
    (tmp_path / "far.xlsx").write_bytes(workbook({"vHost": HOSTS}, sheet1=page(far)))
    assert [row["name"] for row in Read(tmp_path / "far.xlsx").rows["host"]] == [ONE]


def test_a_row_of_csv_with_more_cells_than_titles_is_left(tmp_path: Path) -> None:
    (tmp_path / "RVTools_tabvHost.csv").write_text(f"Host,CPU Model\n{ONE},Xeon,more\n{TWO},Xeon\n", encoding="utf-8")
    read = Read(tmp_path)
    assert [row["name"] for row in read.rows["host"]] == [TWO]
    assert any("1 of its rows have more cells than there are titles, and were left" in gap.why for gap in read.gaps)


def packed_otherwise(method: int) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(BytesIO(workbook(EXPORT))) as good, zipfile.ZipFile(file, "w") as archive:
        for one in good.infolist():
            archive.writestr(one.filename, good.read(one.filename), method)
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (packed_otherwise(zipfile.ZIP_BZIP2), "is not read: it is packed in a way that is not read"),
        (workbook(EXPORT)[:-400], "it is broken"),
    ],
    ids=["bzip2", "cut off"],
)
def test_a_workbook_that_is_packed_strangely_is_one_gap(tmp_path: Path, data: bytes, why: str) -> None:
    assert why in gap_of(tmp_path, data)


def test_csv_that_breaks_off_is_one_gap(tmp_path: Path) -> None:
    text = csv_text(HOSTS) + '"' + "b" * 200_000
    assert "it is no CSV to the end" in gap_of(tmp_path, text.encode(), "RVTools_tabvHost.csv")


def test_a_formula_stays_the_text_that_it_is(tmp_path: Path) -> None:
    host, formula = f'<c t="inlineStr"><is><t>{ONE}</t></is></c>', '<c r="C2" t="str"><f>1+1</f><v>2</v></c>'
    titles = TITLES.replace("VI SDK Server", "Cluster")
    (tmp_path / "formula.xlsx").write_bytes(workbook({"vHost": HOSTS}, sheet1=page(f"<row>{titles}</row><row>{host}{formula}</row>")))
    (tmp_path / "text.xlsx").write_bytes(workbook({"vHost": rows("Host, Cluster, CPU Model", [TWO, "=HYPERLINK(1)", "Xeon"])}))
    read = Read(tmp_path)
    assert [(row["name"], row["cluster"]) for row in read.rows["host"]] == [(ONE, "=1+1"), (TWO, "=HYPERLINK(1)")]


def test_names_that_could_steer_a_terminal_are_escaped_and_no_hosts(tmp_path: Path) -> None:
    info = rows("VM, Powerstate, Memory, Host, VM ID", ["db\u202e-01\x9b2J", "poweredOn", 1, ONE, "vm-1"])
    hosts = rows("Host, CPU Model", [ONE, "Xeon"], ["esx-02\x9b2J", "Xeon"], ["esx 03; reboot", "Xeon"])
    (tmp_path / "odd.xlsx").write_bytes(workbook({"vInfo": info, "vHost": hosts}))
    read = Read(tmp_path / "odd.xlsx")
    assert [row["name"] for row in read.rows["vm"]] == ["db\\u202e-01\\x9b2J"]
    assert [row["name"] for row in read.rows["host"]] == [ONE]
    [odd] = [gap for gap in read.gaps if "their names in a sheet are none that a host has" in gap.why]
    assert "esx-02\\x9b2J" in odd.what
    assert "esx 03; reboot" in odd.what


def test_a_column_that_is_there_twice_counts_where_both_say_the_same(tmp_path: Path) -> None:
    hosts = rows("Host, Cluster, CPU Model, Cluster, Host", [ONE, "prod-01", "Xeon", "prod-01", "x"], [TWO, "prod-01", "Xeon", "lab", ""])
    (tmp_path / "twice.xlsx").write_bytes(workbook({"vHost": hosts}))
    read = Read(tmp_path / "twice.xlsx")
    assert [(row["name"], row["cluster"]) for row in read.rows["host"]] == [(ONE, "prod-01"), (TWO, None)]
    assert any("sheet vHost: a column is there twice, and 1 cells of it differ" in gap.why for gap in read.gaps)


def test_what_is_no_export_is_named_and_left(tmp_path: Path) -> None:
    (tmp_path / "shopping.xlsx").write_bytes(workbook({"Sheet1": rows("Item, Price", ["eggs", 2])}))
    (tmp_path / "prices.csv").write_text("Item;Price\r\neggs;2\r\n", encoding="utf-8")
    read = Read(tmp_path)
    assert read.notes == (f"Not recognised, and left: {tmp_path}/prices.csv, {tmp_path}/shopping.xlsx.",)
    assert not read.rows["host"]
