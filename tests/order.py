"""In which order the files of tests go to the processes that share them: whole files, and the long ones early.

A lab or an audit that a file shares is made once where one process runs the whole file (`--dist loadfile`). What takes long comes before
what is quick: otherwise one process is left with the last long file, and the others wait for it.

What lies in tests/long and tests/lab takes three times as long as all others. `make check` runs a quarter of these files: which one, the
commit says, so that each has its turn, and a run that failed fails again. `make test-long` runs all of them.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import cache
from pathlib import Path
from zlib import crc32

import pytest

from tests.depth import DEEP, One

TESTS = Path(__file__).parent
LONG = TESTS / "long"
"""Whole audits and long searches. What lies here is marked `long`, and so are the lab's own tests, which change seldom.

Elsewhere a test that takes a fifth of a second of processor time or more has the marker itself, a file of which the tests do so on average
has it as a whole, and what needs a browser gets it. `make test` leaves out what has the marker.
"""

TURNS = 4
"""`make check` runs one in so many files of LONG and LAB."""

LAB = TESTS / "lab"

LONGEST = (
    "long/walk/test_since.py",
    "long/endpoints/test_malformed_answers.py",
    "long/recording/test_served_again.py",
    "long/engine/test_needs.py",
    "long/walk/test_fixing.py",
    "long/walk/test_losing_facts.py",
    "long/laws/test_taken_verdicts.py",
    "long/job/test_a_fortnight.py",
    "long/walk/test_bad_input.py",
    "long/laws/test_small_fleets.py",
    "long/walk/test_single_host.py",
    "long/laws/test_laws.py",
    "long/cli/test_files_of_hosts.py",
    "long/endpoints/test_files_as_the_wire.py",
    "long/cli/test_whole_commands.py",
    "long/docs/test_commands_of_pages.py",
    "long/walk/test_vcsim.py",
    "long/contract/test_example_plugin.py",
    "long/walk/test_library.py",
    "long/walk/test_explaining.py",
    "long/laws/test_absent_rows.py",
    "long/walk/test_dry_run.py",
    "long/walk/test_baseline.py",
    "long/walk/test_declared_settings.py",
    "long/walk/test_narrowed.py",
    "long/engine/test_shipped_rules.py",
    "long/facts/test_two_readings.py",
    "long/report/test_hostile_fleet.py",
    "long/walk/test_since_earlier_run.py",
    "long/walk/test_rebooting.py",
    "long/walk/test_put_back.py",
    "long/walk/test_demo_apart.py",
    "long/report/test_by_hand.py",
    "long/endpoints/test_large_bundles.py",
    "long/store/test_s3.py",
    "long/walk/test_what_changed.py",
    "long/facts/test_depth_bounds.py",
    "long/walk/test_plans.py",
    "long/walk/test_undoing.py",
    "long/facts/test_join.py",
    "long/inspect/test_query.py",
    "long/authoring/test_catalog.py",
    "long/laws/test_conflicts_of_fleets.py",
    "long/lab/test_vcsim.py",
    "long/contract/test_skeleton.py",
    "long/workers/test_lost_workers.py",
    "long/walk/test_retune.py",
    "long/facts/test_queue_views.py",
    "long/walk/test_waivers.py",
    "long/facts/test_baseline_views.py",
    "long/facts/test_throttle_views.py",
    "long/facts/test_merging.py",
    "long/facts/test_picks_of_texts.py",
    "long/endpoints/test_plugin_kinds.py",
    "long/test_queue_model.py",
    "long/benchmarks/test_scale.py",
    "long/report/test_command_script_on_a_host.py",
    "long/scenarios/test_mixed_estate.py",
    "long/endpoints/test_soap_decoding.py",
    "long/facts/test_unknown_stays.py",
    "long/cli/test_one_screen.py",
    "long/facts/test_unjoined.py",
    "long/lab/test_lab_up.py",
    "long/workers/test_worker_processes.py",
    "long/facts/test_prepared.py",
    "long/facts/test_one_cause_views.py",
    "long/facts/test_spilling.py",
    "long/cli/test_query_limits.py",
    "long/facts/test_snapshot_files.py",
    "long/workers/test_with_dask.py",
    "long/impact/test_situations.py",
    "long/recording/test_captures_served.py",
    "long/cli/test_pipes.py",
    "long/facts/test_absurd_values.py",
    "long/engine/test_conflicts.py",
    "long/facts/test_unanswered.py",
    "long/facts/test_changed.py",
    "long/facts/test_device_queue_rows.py",
    "long/endpoints/test_shares.py",
    "long/cli/test_full_disk.py",
    "long/facts/test_stale_hosts.py",
    "long/facts/test_device_encoding.py",
    "long/facts/test_advice_views.py",
    "long/history/test_baseline.py",
    "long/facts/test_snapshot.py",
    "long/history/test_comparison.py",
    "contract/test_arrays.py",
    "facts/test_views.py",
    "doctor/test_doctor.py",
    "pipeline/test_changes.py",
    "cli/test_paths.py",
    "endpoints/vcenter/collect/test_topics.py",
    "scenarios/test_expected.py",
    "cli/test_check_move_command.py",
    "engine/test_true_texts.py",
    "engine/test_shipped_rules.py",
    "engine/test_evaluate.py",
    "engine/test_waived_verdicts.py",
    "engine/test_narrowing.py",
    "apply/test_reboots.py",
    "endpoints/vcenter/test_vcenter_settings.py",
    "endpoints/element/test_element_pages.py",
    "endpoints/common/test_routes.py",
    "endpoints/vcenter/test_sso.py",
)
"""Files that take more than some eight seconds, the longest first, by `--durations=0`. All others come after these, in the order of names.

One that is forgotten here runs last and alone: `test_taken_verdicts.py` kept one processor of two waiting for a minute.
"""

_PLACES = {TESTS / name: place for place, name in enumerate(LONGEST)}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option by which `make check` says whose turn it is."""
    parser.addoption("--turn-of", default="", metavar="COMMIT", help=f"of {TURNS} parts of tests/long and tests/lab run this commit's")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say which part of tests/long and tests/lab is run."""
    commit = config.getoption("--turn-of")
    return [f"of tests/long and tests/lab part {turn_of(commit) + 1} of {TURNS}: make test-long runs all of them"] if commit else []


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each process begin a folder at another place; put into their order, the files are the same in each.

    All collect at the same time: in a clean checkout, each would compile every file of tests. So it finds what others compiled meanwhile.
    """
    report = yield
    about = getattr(collector.config, "workerinput", None)  # xdist's, in each of its processes
    if about is not None and isinstance(collector, pytest.Directory):
        report.result = turned(report.result, int(about["workerid"].removeprefix("gw")), about["workercount"])
    return report


def turned(found: list[One], process: int, of: int) -> list[One]:
    """What was found in a folder, from where this one of so many processes begins."""
    begins = len(found) * process // of
    return found[begins:] + found[:begins]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a long test, before pytest chooses by markers."""
    if takes_turns(item.path) or "browser" in getattr(item, "fixturenames", ()):
        item.add_marker(pytest.mark.long)


@pytest.hookimpl(trylast=True)  # after pytest's own, which puts together what shares a parameter
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the deep tests and the long ones of other turns, and put the files into their order.

    What is quick comes first of all, so that its mistakes are seen soon.
    """
    commit = config.getoption("--turn-of")
    turn = turn_of(commit) if commit else None
    left_out = [item for item in items if is_left_out(item, turn)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        kept = set(items).difference(left_out)
        items[:] = [item for item in items if item in kept]
    items.sort(key=lambda item: place_of(item.path))


def is_left_out(item: pytest.Item, turn: int | None) -> bool:
    """Whether a test is for `make deep` alone, or lies in another part of LONG and LAB than `turn`; None: all parts are run."""
    if not DEEP and item.get_closest_marker("deep") is not None:
        return True
    return turn is not None and takes_turns(item.path) and part_of(item.path) != turn


@cache  # a file has many tests
def place_of(path: Path) -> tuple[bool, int, str]:
    """What files are put into order by."""
    return path.is_relative_to(LONG), _PLACES.get(path, len(LONGEST)), str(path)


def takes_turns(path: Path) -> bool:
    """Whether `make check` runs a file in its turn only."""
    return path.is_relative_to(LONG) or path.is_relative_to(LAB)


def turn_of(commit: str) -> int:
    """Which part of LONG and LAB a commit has, from 0; `commit` is its hash."""
    return int(commit, 16) % TURNS


@cache
def part_of(path: Path) -> int:
    """Which part of LONG and LAB a file is in. Neighbours of LONGEST are in different ones, so that each part takes about as long."""
    place = _PLACES.get(path)
    return (crc32(path.relative_to(TESTS).as_posix().encode()) if place is None else place) % TURNS
