"""What a plan follows from besides the fleet, as digests: the rules, the fleet's values for them, its waivers and its baseline."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.bounds.files import read_bytes
from auditor.engine.waivers.file import FILE_NAME
from auditor.errors import GuardError
from auditor.fleet.settings_file import FILE_NAME as SETTINGS_FILE
from auditor.history.baseline import baseline_file
from auditor.history.plan_file import BASIS_WORDS, Basis

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from auditor.engine.rules.rule import RuleSet
    from auditor.fleet.loading import Fleet, ParamOverride


def basis_of(
    rules: RuleSet,
    params: Sequence[ParamOverride],
    fleet: Fleet,
    state: Path,
    *,
    waivers: Path | None = None,
    rule_folders: Collection[Path] = (),
    only: Collection[str] = (),
    tags: Collection[str] = (),
) -> Basis:
    """The basis of a plan that is made now.

    Args:
        rules: that are judged.
        params: the fleet's own values for them.
        fleet: whose waivers count, where `waivers` names no other file.
        state: the state directory, for the baseline.
        waivers: as in an `AuditRequest`; None: the file beside fleet.yaml.
        rule_folders: directories of rules besides the shipped ones.
        only: ids of rules, as they were requested.
        tags: likewise.
    """
    return Basis(
        rules=rules_digest(rules),
        params=_hash(json.dumps([{**asdict(one), "where": ""} for one in params], sort_keys=True, default=list).encode()),
        waivers=_file_digest(waivers if waivers is not None else fleet.path.with_name(FILE_NAME)),
        baseline=_file_digest(baseline_file(state)),
        own=tuple(map(str, rule_folders)),
        only=tuple(only),
        tags=tuple(tags),
        settings=_file_digest(fleet.path.with_name(SETTINGS_FILE)),
    )


def check_basis(name: str, planned: Basis, now: Basis) -> None:
    """Refuse a plan that does not follow from what holds now.

    Raises:
        GuardError: rules, values, waivers or the baseline have changed since; nothing was written.
    """
    different = planned.differences(now)
    if different:
        raise GuardError(
            f"{name} was made by other rules: {'; '.join(BASIS_WORDS[one] for one in different)}",
            why="what it wants may not be wanted any more; nothing was written.",
            do="make the plan again: auditor plan --fleet fleet.yaml --out FILE.",
        )


def rules_digest(rules: RuleSet) -> str:
    """Of the files of `rules` and of the views that they judge: `sha256:` and 64 hex digits."""
    parts: list[Any] = [(rule.id, hashlib.sha256(read_bytes(rule.path)).hexdigest()) for rule in rules]
    views = (resources.files("auditor.facts") / "catalog.json").read_bytes()
    return _hash(json.dumps([parts, hashlib.sha256(views).hexdigest()]).encode())


def _file_digest(path: Path) -> str:
    """Of a file's content; "" where there is none."""
    return _hash(read_bytes(path)) if path.is_file() else ""


def _hash(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
