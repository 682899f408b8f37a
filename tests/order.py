"""In which order the files of tests go to the processes that share them: whole files, and the long ones early.

A lab or an audit that a file shares is made once where one process runs the whole file (`--dist loadfile`). What takes long comes before
what is quick: otherwise one process is left with the last long file, and the others wait for it. A folder whose files share something
goes to one process as a whole.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

TESTS = Path(__file__).parent
LONG = TESTS / "long"
"""Whole audits and long searches; what lies here is marked `long`, so that it can be left out, and be run without measuring coverage."""

WHOLE_FOLDERS = ("facts",)
"""Folders that one process runs: of the views that are made for one file, the next finds most as they are (`tests/facts/prepared.py`)."""

LONGEST = (
    "long/engine/test_needs.py",
    "long/walk/test_since.py",
    "long/laws/test_small_fleets.py",
    "long/walk/test_losing_facts.py",
    "long/endpoints/test_files_as_the_wire.py",
    "long/endpoints/test_malformed_answers.py",
    "long/laws/test_laws.py",
    "long/laws/test_absent_rows.py",
    "long/recording/test_served_again.py",
    "long/walk/test_bad_input.py",
    "long/laws/test_taken_verdicts.py",
    "long/walk/test_vcsim.py",
    "long/walk/test_baseline.py",
    "long/walk/test_narrowed.py",
    "long/report/test_hostile_fleet.py",
    "long/walk/test_fixing.py",
    "long/job/test_a_month.py",
    "long/store/test_s3.py",
    "long/walk/test_rebooting.py",
    "long/walk/test_plans.py",
    "long/docs/test_commands_of_pages.py",
    "long/walk/test_since_earlier_run.py",
    "long/walk/test_library.py",
    "long/walk/test_put_back.py",
    "long/endpoints/test_large_bundles.py",
    "long/cli/test_whole_commands.py",
    "long/engine/test_shipped_rules.py",
    "long/facts/test_absurd_values.py",
    "long/facts/test_picks_of_texts.py",
    "long/walk/test_single_host.py",
    "long/walk/test_retune.py",
    "long/walk/test_waivers.py",
    "long/workers/test_lost_workers.py",
    "long/workers/test_with_dask.py",
    "long/workers/test_stolen_worker.py",
    "long/workers/test_false_facts.py",
    "long/test_queue_model.py",
    "long/walk/test_explaining.py",
    "long/walk/test_undoing.py",
    "long/report/test_accessible.py",
    "long/endpoints/test_soap_decoding.py",
    "long/engine/test_conflicts.py",
    "long/laws/test_conflicts_of_fleets.py",
    "long/lab/test_vcsim.py",
    "long/walk/test_what_changed.py",
    "long/cli/test_one_screen.py",
    "long/scenarios/test_mixed_estate.py",
    "long/authoring/test_catalog.py",
    "long/workers/test_worker_processes.py",
    "long/lab/test_lab_up.py",
    "long/benchmarks/test_scale.py",
    "long/facts/test_spilling.py",
    "long/lab/test_vijson_properties.py",
    "long/endpoints/test_three_transports.py",
    "long/walk/test_own_values.py",
    "long/cli/test_pipes.py",
    "long/lab/test_vcenter_storage_properties.py",
    "long/recording/test_captures_served.py",
    "long/walk/test_formats.py",
    "report/test_command_script_on_a_host.py",
    "endpoints/vcenter/collect/test_topics.py",
    "report/test_html_in_a_browser.py",
    "pipeline/test_changes.py",
    "inspect/test_query.py",
    "doctor/test_doctor.py",
    "endpoints/eternus/test_eternus_client.py",
    "apply/test_reboots.py",
    "endpoints/vcenter/test_vcenter_session.py",
    "engine/test_waived_verdicts.py",
    "endpoints/common/test_answer_time.py",
    "scenarios/test_expected.py",
    "contract/test_arrays.py",
    "contract/test_example_plugin.py",
    "endpoints/element/test_element_client.py",
    "cli/test_query_limits.py",
    "cli/test_paths.py",
    "report/test_by_hand.py",
)
"""Files that take more than some eight seconds, the longest first, by `--durations=0`. All others come after these, in the order of names.

One that is forgotten here runs last and alone: `test_taken_verdicts.py` kept one processor of two waiting for a minute.
"""

_PLACES = {TESTS / name: place for place, name in enumerate(LONGEST)}


@pytest.hookimpl(trylast=True)  # after pytest's own, which puts together what shares a parameter
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the long tests, and put the files into their order; what is quick comes first of all, so that its mistakes are seen soon."""
    for item in items:
        if item.path.is_relative_to(LONG):
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: place_of(item.path))


@pytest.hookimpl(optionalhook=True)  # there is none in a session of one process
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """Deal whole files and folders, where files are asked for."""
    return _Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


class _Scheduling(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def unit_of(nodeid: str) -> str:
    """The file or the folder that a test goes to a process with."""
    file = nodeid.partition("::")[0]
    folder = _whole_folder(TESTS.parent / file)
    return file if folder is None else f"tests/{folder}"


def place_of(path: Path) -> tuple[bool, int, str]:
    """What files are put into order by; the folders that one process runs are longer than any file."""
    return path.is_relative_to(LONG), -1 if _whole_folder(path) else _PLACES.get(path, len(LONGEST)), str(path)


def _whole_folder(path: Path) -> str | None:
    return next((folder for folder in WHOLE_FOLDERS if path.is_relative_to(TESTS / folder)), None)
