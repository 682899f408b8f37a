"""Tables whose lines a terminal broke at its width: they are read where there is one way to put them together, and else a problem."""

import time

import pytest

from auditor.endpoints.files.outputs import Output, outputs_in
from auditor.endpoints.files.outputs.columns import is_dashes
from auditor.endpoints.vcenter.esxcli_records import Cell
from tests.required import capture

NAME = "esxcli_storage-core-adapter-list.txt"
UNCERTAIN = "The table was broken at the width of a terminal, and it is not certain what belongs together."

# Of a terminal of 60 columns.
ADAPTERS = """\
HBA Name  Driver     Link State  UID                        
          Capabilities         Description
--------  ---------  ----------  ---------------------------
--------  -------------------  -----------
vmhba0    vmw_ahci   link-n/a    sata.vmhba0                
                               (0000:00:1f.2) Intel Corporat
ion AHCI
vmhba64   iscsi_vmk  online      iqn.1998-01.com.vmware:esx-
01        Second Level Lun ID  iSCSI Software Adapter
"""  # noqa: W291  as a terminal has it
ROWS: list[tuple[Cell, ...]] = [
    ("vmhba0", "vmw_ahci", "link-n/a", "sata.vmhba0", "", "(0000:00:1f.2) Intel Corporation AHCI"),
    ("vmhba64", "iscsi_vmk", "online", "iqn.1998-01.com.vmware:esx-01", "Second Level Lun ID", "iSCSI Software Adapter"),
]


def read(text: str, name: str = NAME) -> Output:
    (output,) = outputs_in(text.encode(), name)
    return output


def stripped(text: str) -> str:
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


@pytest.mark.parametrize("name", [NAME, "saved.txt"], ids=["named", "told by its fields"])
@pytest.mark.parametrize("text", [ADAPTERS, stripped(ADAPTERS)], ids=["with blanks at the end of lines", "without"])
def test_a_broken_table_is_put_together(text: str, name: str) -> None:
    output = read(text, name)
    assert (output.command, output.whole, output.problems) == ("storage core adapter list", True, ())
    assert output.table.names == ("HBA Name", "Driver", "Link State", "UID", "Capabilities", "Description")
    assert output.table.records == ROWS


def test_a_broken_table_of_a_session_is_put_together_as_well() -> None:
    session = f"[root@esx-01:~] esxcli storage core adapter list\n{ADAPTERS}[root@esx-01:~] esxcli iscsi software get\ntrue\n"
    outputs = outputs_in(session.encode())
    assert [(output.host, output.whole, len(output.table.records)) for output in outputs] == [("esx-01", True, 2), ("esx-01", True, 1)]


def test_a_row_whose_last_cells_are_empty_may_have_fewer_lines() -> None:
    first, second = ADAPTERS.index("vmhba0"), ADAPTERS.index("vmhba64")
    short = "vmhba1    vmw_ahci   link-n/a    sata.vmhba1\n"
    output = read(ADAPTERS[:second] + short + ADAPTERS[second:])
    assert [record[0] for record in output.table.records] == ["vmhba0", "vmhba1", "vmhba64"]
    assert output.table.records[1] == ("vmhba1", "vmw_ahci", "link-n/a", "sata.vmhba1", "", "")
    assert read(ADAPTERS[:first] + short).problems == (UNCERTAIN,)  # the end of a last row may be missing


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ADAPTERS.replace("01        Second", "01       Second"), id="a cell that stands elsewhere"),
        pytest.param(ADAPTERS.replace("Capabilities ", "Abilities    "), id="a title that the command has not"),
        pytest.param(ADAPTERS[: ADAPTERS.index("ion AHCI")], id="a last line that may go on"),
        pytest.param(ADAPTERS.replace("vmhba64 ", "        "), id="a row without a name"),
        pytest.param(ADAPTERS.replace("  online      iqn", "              iqn"), id="a cell that is never empty"),
        pytest.param(
            ADAPTERS.replace("vmhba64", f"vmhba1    a          online      a.b{' ' * 34}c\nvmhba64"), id="a line longer than the terminal"
        ),
        pytest.param(ADAPTERS + ADAPTERS, id="two tables"),
        pytest.param(
            ADAPTERS.replace("--------  -------------------  -----------\n", "--------  -------------------\n-----------\n"), id="widths"
        ),
    ],
)
def test_what_does_not_fit_is_a_problem_and_no_record(text: str) -> None:
    output = read(text)
    assert (output.whole, output.table.records, output.problems) == (False, [], (UNCERTAIN,))


def test_a_row_that_fills_its_last_line_may_end_there_or_not() -> None:
    begins = ADAPTERS.index("vmhba0")
    first = "vmhba0    vmw_ahci   link-n/a    sata.vmhba0                \n"
    full = f"{' ' * 31}(0000:00:1f.2) Intel AHCI SATA"[:60]
    output = read(f"{ADAPTERS[:begins]}{first}{full}\n{ADAPTERS[begins:]}")
    assert (output.table.records, output.problems) == ([], (UNCERTAIN,))
    output = read(f"{ADAPTERS[:begins]}{first}{full[:-4]}\n{ADAPTERS[begins:]}")
    assert [record[5] for record in output.table.records] == ["(0000:00:1f.2) Intel AHCI", ROWS[0][5], ROWS[1][5]]


def test_a_blank_within_a_text_may_have_been_left_out_at_the_end_of_a_line() -> None:
    text = stripped(ADAPTERS).replace("Corporat\nion AHCI", "Corpora\nAHCI")
    assert [len(line) for line in text.splitlines() if line.endswith("Corpora")] == [59]
    assert read(text).table.records[0][5] == "(0000:00:1f.2) Intel Corpora AHCI"


def test_a_gap_that_was_left_out_at_the_end_of_a_line_does_not_join_two_columns() -> None:
    # Of a terminal of 46 columns, which end in the gap behind Driver and Link State: there the dashes of two columns meet.
    text = """\
HBA Name  Driver                    Link State
UID          Capabilities  Description
--------  ------------------------  ----------
-----------  ------------  -----------
vmhba0    vmw_ahci                  link-n/a
sata.vmhba0                (0000:00:1f.2) AHCI
"""
    assert (read(text).table.records, read(text).problems) == ([], (UNCERTAIN,))


@pytest.mark.long
def test_a_text_that_is_cut_has_no_wrong_value() -> None:
    for end in range(len(ADAPTERS)):
        output = read(ADAPTERS[:end])
        named = [{name: cell for name, cell in zip(output.table.names, record, strict=True) if cell} for record in output.table.records]
        wholes = [dict(zip(read(ADAPTERS).table.names, row, strict=True)) for row in ROWS]
        assert all(any(record.items() <= whole.items() for whole in wholes) for record in named), (end, named)


def _broken(text: str, width: int, *, strips: bool) -> str:
    parts = (line[at : at + width] for line in text.split("\n") for at in range(0, max(1, len(line)), width))
    return "\n".join(part.rstrip() if strips else part for part in parts)


def test_real_tables_that_are_broken_at_any_width_have_no_wrong_value() -> None:
    same = 0
    for file in sorted(capture("esxi").rglob("esxcli*.txt")):
        text = file.read_text(encoding="utf-8", errors="replace")
        dashes = max((len(line) for line in text.split("\n") if is_dashes(line)), default=0)
        for width in (width for width in (60, 80, 100, 120, 132) if width < dashes):
            (whole,) = outputs_in(text.encode(), file.name)
            rows = [dict(zip(whole.table.names, record, strict=True)) for record in whole.table.records]
            for strips in (False, True):
                (output,) = outputs_in(_broken(text, width, strips=strips).encode(), file.name)
                found = [dict(zip(output.table.names, record, strict=True)) for record in output.table.records]
                assert (found == rows) if output.whole else not found, (file, width, strips)
                same += output.whole
    assert same > 80


@pytest.mark.long
@pytest.mark.parametrize("row", ["x" * 60, "vmhba0    a          b           c".ljust(60), "vmhba0"], ids=["full", "alike", "short"])
def test_lines_that_may_belong_together_in_many_ways_take_no_long_time(row: str) -> None:
    start = time.process_time()
    read(ADAPTERS + f"{row}\n" * 5000)
    assert time.process_time() - start < 5
