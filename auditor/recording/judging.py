"""What a fleet is judged by, masked: its own parameters and severities, and its waivers, so that the audit of a recording judges alike.

Who answers for a waiver, why, and under which ticket stays with the user. A rule that is not auditor's own stays too: its id may name
somebody, and a machine that serves the recording does not have it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from auditor.facts.families import families_by_name
from auditor.fleet.settings_file import FILE_NAME as SETTINGS_FILE
from auditor.recording.masking import Fate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from auditor.engine.waivers.file import Waiver, Waivers
    from auditor.fleet.loading import Fleet, ParamOverride
    from auditor.recording.masking import Masker

NOBODY = "not in the recording"
"""What stands for the owner, the reason and the ticket of a waiver."""

_WORDS = frozenset(("other", "FIXED"))
_POLICY = re.compile(r"VMW_[A-Z_]+|RAID[0-9]+")
_LABEL = r"Hard disk (?:\d+|\\d\+?|\[[-0-9]+\]|\*)"  # what vCenter calls a disk
_WILD_GLOB = r"\*|\?|\[[^\]]*\]"
_TIMES = r"(?:[*+?]|\{[0-9,]*\})"
_WILD_REGEX = rf"\.{_TIMES}?|\\[A-Za-z]{_TIMES}?|\[[^\]]*\]{_TIMES}?|{_TIMES}"
_REGEX = re.compile(r"[\\^$+(){}|]|\.\*")
_DEVICE = re.compile(r"naa\.6[0-9a-f]{7,30}\*?|(?:naa|eui)\..*", re.IGNORECASE)


@dataclass(slots=True)
class MaskedPolicy:
    """What the bundle says of it.

    Attributes:
        params: rule, name and value, with an endpoint and a cluster where the value is theirs alone.
        severity: by rule or topic.
        waivers: as entries of waivers.yaml.
        left_out: what could not be masked, or is not auditor's own, in sentences for the sender.
    """

    params: list[dict[str, Any]] = field(default_factory=list)
    severity: dict[str, str] = field(default_factory=dict)
    waivers: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def as_written(self) -> dict[str, Any]:
        """The part of the manifest."""
        return {"params": self.params, "severity": self.severity, "waivers": self.waivers}


def masked_policy(fleet: Fleet, waivers: Waivers | None, rules: Collection[str], masker: Masker) -> MaskedPolicy:
    """What `fleet` is judged by; `rules` are the ids of auditor's own. Call it once everything was read: globs are names by then."""
    policy = MaskedPolicy()
    for one in fleet.params:
        value = _masked_value(one, masker) if one.rule in rules else None
        if value is None:
            policy.left_out.append(f"{one.where}: {one.name} of {one.rule}")
            continue
        places = {"endpoint": one.endpoint, "cluster": one.cluster}
        where = {key: masker.text(place, Fate.NAME) for key, place in places.items() if place is not None}
        policy.params.append({"rule": one.rule, "name": one.name, "value": value, **where})
    topics = {rule.partition("/")[0] for rule in rules}
    for severity in fleet.severities:
        if severity.rules in rules or severity.rules.removesuffix("/*") in topics:
            policy.severity[severity.rules] = severity.severity.value
        else:
            policy.left_out.append(f"{severity.where}: the severity of {severity.rules}")
    for waiver in waivers.entries if waivers is not None else ():
        if (entry := _masked_waiver(waiver, rules, masker)) is None:
            policy.left_out.append(f"{waiver.where}: a waiver")
        else:
            policy.waivers.append(entry)
    if fleet.settings:
        policy.left_out.append(f"{fleet.path.with_name(SETTINGS_FILE)}: what it declares")
    policy.left_out += [f"{gap.where}: an accepted gap" for gap in (waivers.gaps if waivers is not None else ())]
    return policy


def _masked_value(one: ParamOverride, masker: Masker) -> Any:
    """The value of a parameter; None where it cannot be masked."""
    values = one.value if isinstance(one.value, tuple) else (one.value,)
    masked = [_masked_text(value, masker) if isinstance(value, str) else value for value in values]
    if None in masked:
        return None
    return masked if isinstance(one.value, tuple) else masked[0]


def _masked_text(text: str, masker: Masker) -> str | None:
    words = text.split("|")
    if not text or all(not word or word in _WORDS or word in families_by_name() or _POLICY.fullmatch(word) for word in words):
        return text
    # A regular expression has to fit the whole name: there is none that begins or ends within a word unseen.
    return masked_pattern(text, _WILD_REGEX if _REGEX.search(text) else _WILD_GLOB, masker)


def masked_pattern(text: str, wild: str, masker: Masker) -> str | None:
    """A pattern over masked names: its words are replaced. None where a part of a word stands in it, which nobody can replace."""
    shape = re.sub(wild, "*", re.sub(_LABEL, " ", text))
    if re.search(r"[^\W_]\*|\*[^\W_]", shape):
        return None
    parts = re.split(f"({_LABEL}|{wild})", text)
    return "".join(part if re.fullmatch(f"{_LABEL}|{wild}", part) else masker.text(part, Fate.NAME) for part in parts)


def _masked_waiver(waiver: Waiver, rules: Collection[str], masker: Masker) -> dict[str, Any] | None:
    """An entry of waivers.yaml; None where it waives nothing, goes by tags, is of somebody's own rule, or cannot be masked."""
    known = waiver.rule is not None and any(fnmatchcase(rule, waiver.rule) for rule in rules)
    if waiver.mistake or waiver.expires is None or not known or "tag" in waiver.resources:
        return None
    resources = {selector: list(_masked_globs(globs, masker)) for selector, globs in waiver.resources.items()}
    if not all(resources.values()):
        return None
    answered = {"owner": NOBODY, "reason": NOBODY, "ticket": NOBODY, "expires": waiver.expires.isoformat().replace("+00:00", "Z")}
    return {"rule": waiver.rule, "resources": resources, **answered, "also_unknown": waiver.also_unknown}


def _masked_globs(globs: Sequence[str], masker: Masker) -> Iterator[str]:
    """What fits the replacements of what `globs` fit; one with a part of a word becomes the names that it fits."""
    for glob in globs:
        masked = None if _DEVICE.fullmatch(glob) and "*" in glob else masked_pattern(glob, _WILD_GLOB, masker)
        if masked is not None:
            yield masked
        else:
            yield from sorted(_replacements(glob, masker))


def _replacements(glob: str, masker: Masker) -> set[str]:
    return {masked for name, masked in masker.names.items() if fnmatchcase(name, glob)} | masked_devices(glob, masker)


def masked_devices(glob: str, masker: Masker) -> set[str]:
    """The replacements of the names of devices that fit."""
    devices = masker.replaced.get("identifier", {})
    return {f"{kind}.{masked}" for kind in ("naa", "eui") for name, masked in devices.items() if fnmatchcase(f"{kind}.{name}", glob)}
