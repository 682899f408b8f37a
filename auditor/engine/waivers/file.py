"""Reads waivers.yaml: failures that somebody accepts, each with an owner, a reason and an end.

A waiver takes effect whole or not at all: one that is malformed or has expired waives nothing, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta

from auditor.engine.waivers.accepted_gaps import AcceptedGap, accepted_gap
from auditor.engine.waivers.terms import End, Entry, Globs, end_instant, listed_globs, one_line
from auditor.errors import ConfigurationError
from auditor.yaml.reading import YamlDocument, did_you_mean, load_yaml
from auditor.yaml.shapes import Shape, Text, decode

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.engine.rules.rule import RuleSet

FILE_NAME = "waivers.yaml"
"""Beside fleet.yaml, where no other file is named."""

_RULE_GLOB = re.compile(r"[a-z0-9/*?\[\]!-]+")


class _Selectors(Shape):
    """What a waiver is narrowed to: a resource has to fit every selector that is given, and one of the globs of each."""

    resource: Globs | None = None
    host: Globs | None = None
    cluster: Globs | None = None
    endpoint: Globs | None = None
    datastore: Globs | None = None
    tag: Globs | None = None


class _EntryShape(Shape, kw_only=True):
    rule: Text
    resources: _Selectors | None = None
    owner: Text
    reason: Text
    ticket: Annotated[Text | int, Meta(description="text")]
    expires: End
    also_unknown: bool = False


class _FileShape(Shape):
    waivers: tuple[Any, ...] = ()
    gaps: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Waiver(Entry):
    """One entry of the file, as far as it could be read.

    Attributes:
        where: file name and line.
        rule: id or glob; None when it is missing or malformed.
        resources: globs by selector; empty when they are missing or malformed, and then nothing fits.
        expires: the first instant at which it is not in force any more, in UTC; None when it is missing or malformed.
        also_unknown: it covers verdicts that could not be reached, too; otherwise only failures.
        mistake: what is malformed; empty when nothing is.
    """

    where: str
    rule: str | None
    resources: Mapping[str, tuple[str, ...]]
    owner: str
    reason: str
    ticket: str
    expires: datetime | None
    also_unknown: bool = False
    mistake: str = ""

    def covers_rule(self, rule_id: str) -> bool:
        """Whether a rule is among those it is for."""
        return self.rule is not None and fnmatchcase(rule_id, self.rule)


@dataclass(frozen=True, slots=True)
class Waivers:
    """All of a file, and the instant at which it counts.

    Attributes:
        at: aware; every waiver is in force or has lapsed at this one instant, however long the run takes.
        path: None when there is no file, which is as good as an empty one.
        mistakes: what is wrong with the file itself, a sentence each with file and line; entries that could be read count all the same.
        gaps: what could not be read and somebody answers for.
    """

    at: datetime
    path: Path | None = None
    entries: tuple[Waiver, ...] = ()
    mistakes: tuple[str, ...] = field(default=())
    gaps: tuple[AcceptedGap, ...] = ()

    @property
    def malformed(self) -> tuple[str, ...]:
        """Everything in the file that takes no effect because of how it is written, with file and line."""
        of_entries = [(one.where, one.mistake) for one in self.entries] + [(gap.where, gap.mistake) for gap in self.gaps]
        return (*self.mistakes, *(f"{where}: {mistake}" for where, mistake in of_entries if mistake))

    def selects(self, selector: str) -> bool:
        """Whether any entry is narrowed by this selector."""
        return any(selector in one.resources for one in self.entries)


def load_waivers(path: Path, at: datetime, *, required: bool) -> Waivers:
    """Read a file of waivers. A mistake in it is no error: what is malformed waives nothing, and the report says so.

    Args:
        path: the file.
        at: the instant at which the waivers are to count, aware.
        required: the user named this file, so it has to exist.

    Raises:
        ConfigurationError: it is required and does not exist.
    """
    if not path.is_file():
        if not required:
            return Waivers(at)
        raise ConfigurationError(
            f"{path}: there is no such file of waivers",
            why="nothing was judged: what somebody answers for would have been reported as drift, or fixed.",
            do="check the path given with --waivers.",
        )
    try:
        document = load_yaml(path, ConfigurationError, why="no waiver is in force.")
    except ConfigurationError as error:
        return Waivers(at, path, mistakes=(error.what.replace(str(path), path.name, 1),))
    file, mistakes = decode(document.data, _FileShape)
    entries = tuple(_waiver(document, index, entry) for index, entry in enumerate(file.waivers))
    gaps = tuple(accepted_gap(document, index, entry) for index, entry in enumerate(file.gaps))
    return Waivers(at, path, entries, tuple(f"{path.name}:{document.line(*mistake.at)}: {mistake.what}" for mistake in mistakes), gaps)


def checked(waivers: Waivers, rules: RuleSet) -> Waivers:
    """`waivers` with those malformed that name a rule nobody knows: what they were to keep from being fixed is not kept from it."""
    known = set(rules.rules) | rules.left_out

    def one(entry: Waiver) -> Waiver:
        if entry.mistake or entry.rule is None or any(fnmatchcase(rule, entry.rule) for rule in known):
            return entry
        return replace(entry, mistake=f'no rule is called "{entry.rule}"{did_you_mean(entry.rule, known)}')

    return replace(waivers, entries=tuple(map(one, waivers.entries)))


def _waiver(document: YamlDocument, index: int, data: Any) -> Waiver:
    """One entry, with everything that is wrong with it."""
    where = f"{document.path.name}:{document.line('waivers', index)}"
    entry, mistakes = decode(data, _EntryShape, "waivers", index)
    wrong = [mistake.what for mistake in mistakes]
    if not isinstance(data, dict):
        return Waiver(where, None, {}, "", "", "", None, mistake=wrong[0])
    rule = entry.rule.strip()
    if rule and not _RULE_GLOB.fullmatch(rule):
        wrong.append(f'"{rule}" is neither the id of a rule nor a glob of ids')
        rule = ""
    # A selector that cannot be read would have narrowed it: without that it would be for more than was meant.
    unread = any("resources" in mistake.at for mistake in mistakes)
    resources = {} if unread else _resources(entry.resources, wrong)
    return Waiver(
        where=where,
        rule=rule or None,
        resources=resources,
        owner=one_line(entry.owner),
        reason=one_line(entry.reason),
        ticket=one_line(str(entry.ticket or "")),
        expires=end_instant(entry.expires, wrong),
        also_unknown=entry.also_unknown,
        mistake="; ".join(wrong),
    )


def _resources(selectors: _Selectors | None, wrong: list[str]) -> dict[str, tuple[str, ...]]:
    """The globs by selector; {} when one cannot be used, and `wrong` says why."""
    given = {} if selectors is None else {key: value for key, value in msgspec.structs.asdict(selectors).items() if value is not None}
    if not given:
        wrong.append('resources does not say what is waived; endpoint: "*" is everything')
    globs = {key: listed_globs(value, wrong) for key, value in given.items()}
    return globs if all(globs.values()) else {}
