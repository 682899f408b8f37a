"""Which verdicts of an earlier run hold for a snapshot that was just read (`--since`): those of rules with nothing changed beneath them.

A run keeps in JUDGED_FILE what its verdicts follow from besides its snapshot. Verdicts are reused where the rules, the fleet's own
params and severities, this very code of auditor and DuckDB, and every fact that the rules rest on are the same. Waivers, impacts and the
plan are worked out anew in any case. In doubt a rule is judged.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from auditor.bounds.files import read_json
from auditor.errors import SnapshotError
from auditor.history.folders import AFTER_FOLDER, FINDINGS_FILE, JUDGED_FILE, SNAPSHOT_FOLDER, SPILL_FOLDER, TAKEN_FILE
from auditor.report.files import written_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from auditor.engine.fixes.rule_groups import RuleGroup
    from auditor.engine.taken_verdicts import TakenVerdicts

_FORMAT = 1
_JUDGING_CODE = ("engine", "facts", "model")
"""The packages that make verdicts, besides what lies in none: how files are read."""


def unchanged_verdicts(earlier: Path, directory: Path, groups: Sequence[RuleGroup]) -> TakenVerdicts | None:
    """The verdicts of the run in `earlier` that the snapshot of the run in `directory` would be judged to again; None: none.

    Their file is put beside that snapshot, as TAKEN_FILE, so that nobody takes it away meanwhile.
    """
    import duckdb

    from auditor.engine.taken_verdicts import TakenVerdicts
    from auditor.facts.snapshots.changed import changed_facts

    try:
        judged = read_json(earlier / JUDGED_FILE)
        if judged["format"] != _FORMAT or judged["code"] != code_digest() or (earlier / AFTER_FOLDER).exists():
            return None
        keys = set(judged["groups"])
        same = [group for group in groups if group.key in keys]
        facts = frozenset[tuple[str, str]]().union(*(group.facts for group in same))
        changed = changed_facts(earlier / SNAPSHOT_FOLDER, directory / SNAPSHOT_FOLDER, facts, directory / SPILL_FOLDER)
        rules = frozenset(rule for group in same if not group.facts & changed for rule in group.rules)
        if not rules or not _put_beside(earlier / FINDINGS_FILE, directory / TAKEN_FILE, judged["findings"]):
            return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SnapshotError, duckdb.Error):
        return None  # a run of an older auditor, or a damaged one: every rule is judged
    return TakenVerdicts(directory / TAKEN_FILE, rules)


def keep_judged(directory: Path, groups: Iterable[RuleGroup]) -> None:
    """Note what the verdicts of the run in `directory` follow from, which are whole: of all that its snapshot has, and before any fix.

    Raises:
        OSError: it cannot be written.
    """
    about = {
        "format": _FORMAT,
        "code": code_digest(),
        "findings": _digest(directory / FINDINGS_FILE),
        "groups": sorted(group.key for group in groups),
    }
    with written_whole(directory / JUDGED_FILE, mode=0o600) as out:
        json.dump(about, out, indent=1)


@cache
def code_digest() -> str:
    """The digest of what makes verdicts besides rules and facts: this code, as it is installed, plugins, and the release of DuckDB.

    It is wanted before the fleet is read: another auditor may be installed meanwhile, whose verdicts these are not.
    """
    import duckdb

    from auditor.facts.plugin_views import plugin_views
    from auditor.model.endpoint_kinds import plugin_types

    whole = hashlib.sha256(duckdb.__version__.encode())
    for one in plugin_types():
        whole.update(repr((one.plugin, one.kind, one.family)).encode())
    for view in plugin_views().views.values():
        whole.update(repr((view.name, view.sql)).encode())
    for name, file in _files(resources.files("auditor"), ""):
        whole.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return f"sha256:{whole.hexdigest()}"


def _files(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if not entry.is_dir():
            yield f"{name}/{entry.name}", entry
        elif entry.name in _JUDGING_CODE if not name else entry.name != "__pycache__":
            yield from _files(entry, f"{name}/{entry.name}")


def _put_beside(findings: Path, place: Path, digest: str) -> bool:
    """Whether the file is as it was written, and stands in its place now."""
    try:
        os.link(findings, place)
    except OSError:
        shutil.copyfile(findings, place)
    if _digest(place) == digest:
        return True
    place.unlink()
    return False


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
