"""The files of tests go to their processes in an order that leaves no process alone at the end, and long ones have their turn."""

from collections import Counter

from tests.order import LAB, LONG, LONGEST, TESTS, TURNS, part_of, place_of, turn_of, turned


def test_every_file_that_is_listed_is_there_and_listed_once() -> None:
    assert [name for name in LONGEST if not (TESTS / name).is_file()] == [], "correct LONGEST in tests/order.py"
    assert len(set(LONGEST)) == len(LONGEST)


def test_what_is_quick_comes_first_and_the_longest_first_of_each_half() -> None:
    files = [LONG / "a.py", TESTS / "a.py", LONG / "walk/test_bad_input.py", LONG / "walk/test_since.py"]
    files += [TESTS / "doctor/test_doctor.py", TESTS / "facts/test_views.py"]
    assert [str(path.relative_to(TESTS)) for path in sorted(files, key=place_of)] == [
        "facts/test_views.py",
        "doctor/test_doctor.py",
        "a.py",
        "long/walk/test_since.py",
        "long/walk/test_bad_input.py",
        "long/a.py",
    ]


def test_each_process_collects_the_whole_folder_and_begins_at_another_place() -> None:
    found = list("abcdefg")
    each = [turned(found, process, 3) for process in range(3)]
    assert [sorted(one) for one in each] == [found] * 3
    assert [one[0] for one in each] == ["a", "c", "e"]


def test_each_long_file_has_a_turn_and_no_turn_has_most_of_them() -> None:
    files = [*LONG.rglob("test_*.py"), *LAB.rglob("test_*.py")]
    parts = Counter(part_of(path) for path in files)
    assert sorted(parts) == sorted(turn_of(f"{number:x}") for number in range(TURNS))
    assert max(parts.values()) < len(files) / 2
    assert {part_of(TESTS / name) for name in LONGEST[:TURNS]} == set(range(TURNS))
