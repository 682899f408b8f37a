"""Plans of moves: their file, their order, and which of them share what."""

from dataclasses import replace
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.impact.move import End
from auditor.moves.ends import Move
from auditor.moves.plan import AskedMove, kept_apart, read_plan, smallest_first
from tests.moves.samples import DISK, GIB, MACHINE, SOURCE, TARGET


def planned(name: str, gib: int | None, source: str, target: str, pool: str = "") -> Move:
    """A machine of so many GiB that moves between two datastores of these names."""
    disk = replace(DISK, datastore_id=source, size_bytes=None if gib is None else gib * GIB)
    ends = [
        replace(
            one, datastore_id=place, name=place, pool=End("fa", pool, is_running=False, reads=32.0, slots=None, loads=()) if pool else None
        )
        for one, place in ((SOURCE, source), (TARGET, target))
    ]
    return Move(replace(MACHINE, vm_id=name, name=name, disks=(disk,)), {source: ends[0]}, ends[1])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("vm,datastore\nweb,new\n\nmail,newer\n", id="with an empty line"),
        pytest.param("\ufeffDatastore;owner;VM\r\nnew;Ann;web\r\n;;\r\nnewer;Bob;mail\r\n", id="as Excel writes it, with a further column"),
    ],
)
def test_a_plan_names_a_machine_and_a_datastore_a_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "moves.csv").write_text(text, encoding="utf-8", newline="")
    assert read_plan(tmp_path / "moves.csv") == (AskedMove("web", "new", 2), AskedMove("mail", "newer", 4))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("machine,datastore\nweb,new\n", "one column vm", id="no such column"),
        pytest.param("vm,vm,datastore\nweb,web,new\n", "one column vm", id="it stands there twice"),
        pytest.param("vm,datastore\n,new\n", "moves.csv:2 names no machine, or no datastore", id="no machine"),
        pytest.param("vm,datastore\nweb\n", "moves.csv:2 names no machine, or no datastore", id="half a line"),
        pytest.param("vm,datastore\nweb,new\nWEB,newer\n", "moves.csv:3 moves WEB a second time", id="a machine twice"),
        pytest.param("vm,datastore\n", "has no move", id="nothing in it"),
        pytest.param("", "one column vm", id="empty"),
        pytest.param("vm,datastore\n" + "".join(f"vm{n},new\n" for n in range(1001)), "more than 1,000 moves", id="too many"),
        pytest.param("vm,datastore\n" + "x" * (1 << 20), "larger than 1 MiB", id="too large"),
    ],
)
def test_a_plan_with_a_mistake_checks_nothing(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "moves.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_plan(tmp_path / "moves.csv")
    assert words in str(caught.value)


def test_what_separates_columns_is_told_by_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "moves.csv").write_text("vm,datastore,note\nweb,new,old; slow\nmail,newer,\n", encoding="utf-8")
    assert read_plan(tmp_path / "moves.csv") == (AskedMove("web", "new", 2), AskedMove("mail", "newer", 3))


def test_a_plan_may_be_as_long_and_as_large_as_is_allowed(tmp_path: Path) -> None:
    text = "vm,datastore,note\n" + "".join(f"vm{number},new,{'x' * 1000}\n" for number in range(1000))
    (tmp_path / "moves.csv").write_text(text[:-1] + "x" * ((1 << 20) - len(text)) + "\n", encoding="utf-8", newline="")
    assert (tmp_path / "moves.csv").stat().st_size == 1 << 20
    assert len(read_plan(tmp_path / "moves.csv")) == 1000


def test_a_plan_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "moves.csv").write_bytes(b"vm,datastore\n\xff\xfe,new\n")
    for name in ("moves.csv", "nowhere.csv"):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            read_plan(tmp_path / name)


def test_the_small_ones_come_first_and_those_of_unknown_size_last() -> None:
    moves = [planned("unknown", None, "a", "b"), planned("large", 1500, "a", "b"), planned("small", 40, "a", "b")]
    assert [one.machine.name for one in smallest_first(moves)] == ["small", "large", "unknown"]


def test_moves_that_share_a_datastore_or_a_pool_do_not_run_together() -> None:
    moves = [
        planned("one", 1, "a", "b"),
        planned("same source", 2, "a", "c"),
        planned("apart", 3, "d", "e"),
        planned("both", 4, "c", "b"),
    ]
    assert kept_apart(moves) == [
        (1, (("same source", "a"), ("both", "b"))),
        (2, (("one", "a"), ("both", "c"))),
        (1, ()),
        (3, (("one", "b"), ("same source", "c"))),
    ]
    pools = [planned("one", 1, "a", "b", pool="p"), planned("other", 2, "c", "d", pool="p"), planned("third", 3, "e", "f", pool="q")]
    assert kept_apart(pools) == [(1, (("other", "pool p"),)), (2, (("one", "pool p"),)), (1, ())]
