"""Plans as files: JSON that a person can read, under a digest of its content; a file that was changed is refused.

The form is auditor/report/plan.schema.json. Fields are only ever added.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from auditor.apply.privileges import privileges_of
from auditor.bounds.files import json_of, read_text
from auditor.bounds.limits import STATE_BYTES
from auditor.errors import ConfigurationError, GuardError
from auditor.model import ByHand, Change, Contradiction, Held, LeftAlone, Plan, Unmet, Unusual
from auditor.report.wording import object_text, setting_text

FORMAT = "auditor-plan"
VERSION = 1
PLAN_FILE = "plan.json"
"""In a run that writes, or made a plan: the whole plan."""
_SHOWN = ("object", "setting", "privileges")
"""Fields of a change that are there for people: they follow from its others."""


BASIS_WORDS = {
    "rules": "the rules, or the views they judge, are other ones",
    "params": "fleet.yaml gives the rules other values",
    "waivers": "the waivers are other ones",
    "baseline": "the baseline is another one",
    "settings": "settings.yaml declares other values",
}
"""What it means that a digest of a basis is another one."""


@dataclass(frozen=True, slots=True)
class Basis:
    """What a plan follows from besides the fleet, as digests; and which rules were chosen, so that they can be chosen again."""

    rules: str  # of the rules that were judged and the views they range over
    params: str  # of the fleet's own values for them
    waivers: str  # of the file of waivers; "" where there is none
    baseline: str  # of the baseline in force; "" where there is none
    own: tuple[str, ...] = ()  # directories of rules besides the shipped ones
    only: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    settings: str = ""  # of settings.yaml; "" where there is none, and by an older auditor

    @property
    def digests(self) -> Mapping[str, str]:
        """What can differ, by its name."""
        return {"rules": self.rules, "params": self.params, "waivers": self.waivers, "baseline": self.baseline, "settings": self.settings}

    def differences(self, other: Basis) -> list[str]:
        """What is not the same, in words."""
        return [name for name, digest in self.digests.items() if digest != other.digests[name]]


@dataclass(frozen=True, slots=True)
class PlanFile:
    """A plan, and where it comes from."""

    run: str  # that made it
    made: datetime  # aware
    fleet: str  # the path of fleet.yaml, as it was given
    plan: Plan
    hosts: int = 0  # ESXi hosts of the fleet
    hosts_by_cluster: Mapping[tuple[str, str | None], int] = field(default_factory=dict)  # by endpoint and cluster; None: in no cluster
    snapshot: str | None = None  # digest of the facts it was made from; None for the plan of an undo
    basis: Basis | None = None  # None for the plan of an undo, which follows from a journal
    undoes: str | None = None  # the run that it puts back


def plan_text(file: PlanFile) -> str:
    """The text of the file, with its digest.

    Raises:
        ValueError: a value that JSON cannot represent, such as NaN.
    """
    document = _document(file)
    document = {"format": FORMAT, "version": VERSION, "digest": _digest(document), **document}
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def plan_digest(file: PlanFile) -> str:
    """The digest that the text of `file` carries, `sha256:` and 64 hex digits."""
    return _digest(_document(file))


def read_plan_file(path: Path) -> PlanFile:
    """The plan that `plan_text` wrote.

    Raises:
        ConfigurationError: there is no such file, it is no plan, or of a newer auditor.
        GuardError: it is not as it was written.
    """
    try:
        text = read_text(path, STATE_BYTES)
    except (OSError, UnicodeDecodeError) as error:
        raise _no_plan(path, getattr(error, "strerror", None) or "it is not text") from error
    return parse_plan(text, str(path))


def parse_plan(text: str, name: str) -> PlanFile:
    """The plan in `text`, which was read from `name`; raises as `read_plan_file` does."""
    try:
        document = json_of(text.encode(), _refuse_constant)
    except ValueError as error:
        raise _no_plan(name, f"it is no JSON ({error})") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _no_plan(name, f'it does not say "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise _no_plan(name, f"it has version {document.get('version')!r}, and this auditor reads version {VERSION}")
    content = {key: value for key, value in document.items() if key not in ("format", "version", "digest")}
    if document.get("digest") != _digest(content):
        raise GuardError(
            f"{name} is not as it was written: its content does not have the digest that it names",
            why="somebody may have changed what would be done, or a part is missing; nothing was written.",
            do="make the plan again: auditor plan --fleet fleet.yaml --out FILE. To leave changes out, use --only RULE there.",
        )
    try:
        return _plan_file(content)
    except (msgspec.ValidationError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise _no_plan(name, f"{type(error).__name__}: {error}") from error


def _document(file: PlanFile) -> dict[str, Any]:
    """The content of the file without format, version and digest, in the order in which it is written."""
    plan = file.plan
    return {
        "run": file.run,
        "made": file.made.isoformat(),
        "fleet": file.fleet,
        "hosts": file.hosts,
        "hosts_by_cluster": [
            {"endpoint": endpoint, "cluster": cluster, "hosts": number}
            for (endpoint, cluster), number in sorted(file.hosts_by_cluster.items(), key=str)
        ],
        "snapshot": file.snapshot,
        "basis": None if file.basis is None else _plain(asdict(file.basis)),
        "undoes": file.undoes,
        "identities": dict(sorted(plan.identities.items())),
        "arrays": [
            {"endpoint": endpoint, "host_id": host, "arrays": list(names)} for (endpoint, host), names in sorted(plan.arrays.items())
        ],
        "changes": [_change_object(change) for change in plan.changes],
        "unusual": [_plain(asdict(one)) for one in plan.unusual],
        "unmet": [{"change": _change_object(one.change), "why": one.why} for one in plan.unmet],
        "contradictions": [_with_keys(asdict(one)) for one in plan.contradictions],
        "held": [_with_keys(asdict(one)) for one in plan.held],
        "left_alone": [_plain(asdict(one)) for one in plan.left_alone],
        "by_hand": [_plain(asdict(one)) for one in plan.by_hand],
    }


def _change_object(change: Change) -> dict[str, Any]:
    """A change with what a person looks for first: its number, the object, the setting, from, to, why."""
    fields = _with_keys(asdict(change))
    shown = {"number": change.number, "object": object_text(change), "setting": setting_text(change), "privileges": privileges_of(change)}
    first = ("before", "after", "reason", "rules", "fix_class", "takes", "waits_for", "collateral")
    return shown | {name: fields[name] for name in first} | fields | {"number": change.number}


def _with_keys(fields: dict[str, Any]) -> dict[str, Any]:
    """With the keys of the target as an object."""
    return _plain(fields) | {"target": {"endpoint": fields["target"]["endpoint"], "keys": dict(fields["target"]["keys"])}}


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """`fields` as JSON gives them back: lists for tuples, words for enumerations."""
    plain: dict[str, Any] = json.loads(json.dumps(dict(fields), allow_nan=False))
    return plain


def _plan_file(content: dict[str, Any]) -> PlanFile:
    plan = Plan(
        changes=tuple(_change(one) for one in content["changes"]),
        by_hand=msgspec.convert(content["by_hand"], tuple[ByHand, ...]),
        contradictions=msgspec.convert([_with_pairs(one) for one in content["contradictions"]], tuple[Contradiction, ...]),
        left_alone=msgspec.convert(content["left_alone"], tuple[LeftAlone, ...]),
        held=msgspec.convert([_with_pairs(one) for one in content["held"]], tuple[Held, ...]),
        identities=msgspec.convert(content["identities"], dict[str, str | None]),
        unusual=msgspec.convert(content.get("unusual", []), tuple[Unusual, ...]),  # an older auditor did not look for them
        arrays={(str(one["endpoint"]), str(one["host_id"])): tuple(map(str, one["arrays"])) for one in content.get("arrays", ())},
        unmet=tuple(Unmet(_change(one["change"]), str(one["why"])) for one in content["unmet"]),
    )
    return PlanFile(
        run=str(content["run"]),
        made=datetime.fromisoformat(content["made"]),
        fleet=str(content["fleet"]),
        plan=plan,
        hosts=msgspec.convert(content["hosts"], int),
        hosts_by_cluster={(one["endpoint"], one["cluster"]): msgspec.convert(one["hosts"], int) for one in content["hosts_by_cluster"]},
        snapshot=msgspec.convert(content["snapshot"], str | None),
        basis=None if content["basis"] is None else msgspec.convert(content["basis"], Basis),
        undoes=msgspec.convert(content["undoes"], str | None),
    )


def _change(fields: dict[str, Any]) -> Change:
    return msgspec.convert(_with_pairs({name: value for name, value in fields.items() if name not in _SHOWN}), Change)


def _with_pairs(fields: dict[str, Any]) -> dict[str, Any]:
    target = fields["target"]
    return fields | {"target": {"endpoint": target["endpoint"], "keys": sorted(target["keys"].items())}}


def _digest(document: Mapping[str, Any]) -> str:
    """Over the content, whatever its layout and the order of keys."""
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}"


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _no_plan(name: Path | str, reason: str) -> ConfigurationError:
    return ConfigurationError(
        f"{name} is no plan that this auditor can read: {reason}",
        why="nothing was written.",
        do="make one: auditor plan --fleet fleet.yaml --out FILE.",
    )
