"""What stands in the state directory is believed only while its seals hold, and only where nobody else may write it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.errors import AuditorError, ConfigurationError, JournalError
from auditor.history.folders import JOURNAL_FOLDER, RUNS_FOLDER
from auditor.history.state import state_directory
from auditor.journal.records import BEGINNING, digest_of, line_of
from tests.pipeline.test_changes import Site, site  # noqa: F401  the fixture


def resealed(path: Path) -> None:
    """A journal whose values somebody changed and that was sealed anew, line by line."""
    before, lines = BEGINNING, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        record = {key: value for key, value in json.loads(line).items() if key not in ("number", "sha256", "before")}
        if record["record"] == "intent":
            record["change"]["before"] = 64
        lines.append(line_of(number, record, before))
        before = digest_of(lines[-1].rstrip(b"\n"))
    path.write_bytes(b"".join(lines))


def journal_of(site: Site, run: str) -> Path:  # noqa: F811  as the fixture
    return site.state / JOURNAL_FOLDER / f"{run}.jsonl"


@pytest.mark.long
@pytest.mark.parametrize(
    ("reader", "is_newest"),
    [
        pytest.param("undo", True, id="undo of the newest run"),
        pytest.param("undo", False, id="undo"),
        pytest.param("resume", False, id="resume"),
        pytest.param("apply", False, id="a plan that is applied"),
    ],
)
def test_a_resealed_journal_is_followed_by_nobody(site: Site, reader: str, is_newest: bool) -> None:  # noqa: F811
    run = site.apply().run
    if not is_newest:
        site.undo(run)
    resealed(journal_of(site, run))
    before, written = site.depths(), site.peers.writes()
    readers: dict[str, Callable[[], object]] = {"undo": lambda: site.undo(run), "resume": lambda: site.resume(run), "apply": site.apply}
    with pytest.raises(JournalError):
        readers[reader]()
    assert (site.depths(), site.peers.writes()) == (before, written)


@pytest.mark.long
def test_a_journal_that_was_taken_away_is_missed(site: Site) -> None:  # noqa: F811
    run = site.apply().run
    site.undo(run)
    journal_of(site, run).unlink()
    with pytest.raises(JournalError):
        site.undo(run)


@pytest.mark.posix_only
@pytest.mark.parametrize(
    ("harm", "message"),
    [
        pytest.param(lambda state: state.chmod(0o777), "may be written by everybody", id="everybody may write it"),
        pytest.param(lambda state: (state / RUNS_FOLDER).symlink_to(state.parent), "is a link", id="a folder is a link"),
        pytest.param(lambda state: (state / JOURNAL_FOLDER / "x.jsonl").symlink_to("/etc/passwd"), "is a link", id="a journal is a link"),
        pytest.param(lambda state: (state / "baseline").symlink_to(state.parent), "is a link", id="the baseline is a link"),
    ],
)
def test_a_state_directory_of_others_is_refused(tmp_path: Path, harm: Callable[[Path], object], message: str) -> None:
    state = tmp_path / "state"
    (state / JOURNAL_FOLDER).mkdir(parents=True, mode=0o700)
    state.chmod(0o700)
    assert state_directory(state) == state
    harm(state)
    with pytest.raises(ConfigurationError, match=message):
        state_directory(state)


@pytest.mark.posix_only
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a folder away")
def test_a_state_directory_of_another_account_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 65534, -1)
    with pytest.raises(AuditorError, match="not this one"):
        state_directory(tmp_path)
