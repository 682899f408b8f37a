"""The files of tests go to their processes in an order that leaves no process alone at the end."""

from tests.order import LONG, LONGEST, TESTS, WHOLE_FOLDERS, place_of, unit_of


def test_every_file_and_folder_that_is_listed_is_there_and_listed_once() -> None:
    assert [name for name in LONGEST if not (TESTS / name).is_file()] == [], "correct LONGEST in tests/order.py"
    assert [name for name in WHOLE_FOLDERS if not (TESTS / name).is_dir()] == [], "correct WHOLE_FOLDERS in tests/order.py"
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


def test_a_process_gets_a_whole_file_or_the_whole_folder_of_files_that_share_something() -> None:
    assert unit_of("tests/engine/test_sql.py::test_a[b::c]") == "tests/engine/test_sql.py"
    assert unit_of("tests/facts/test_join.py::test_a") == unit_of("tests/facts/test_views.py::test_b") == "tests/facts"
    assert unit_of("tests/long/facts/test_spilling.py::test_a") == "tests/long/facts/test_spilling.py"
