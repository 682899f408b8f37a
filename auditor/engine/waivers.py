"""waivers.yaml: deviations that somebody answers for, until an instant.

A waiver takes effect whole or not at all: one that is malformed or has expired waives nothing, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from auditor.errors import ConfigurationError
from auditor.yaml import YamlDocument, did_you_mean, load_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.engine.rule import RuleSet
    from auditor.model import Scalar

FILE_NAME = "waivers.yaml"
"""Beside fleet.yaml, where nothing else is said."""

SELECTORS = ("resource", "host", "cluster", "endpoint", "datastore", "tag")
"""What a waiver can be narrowed to; a resource has to fit every one that is given, and one of the globs of each."""

_KEYS = ("rule", "resources", "owner", "reason", "ticket", "expires", "also_unknown")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)")
_RULE_GLOB = re.compile(r"[a-z0-9/*?\[\]!-]+")
_WAY = "an instant such as 2027-03-31T18:00Z, or a day such as 2027-03-31, whose end in UTC is meant"


@dataclass(frozen=True, slots=True)
class Waiver:
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

    def lapsed(self, at: datetime) -> str:
        """Why it waives nothing at that instant (aware); empty when it is in force."""
        if self.mistake or self.expires is None:
            return f"is malformed: {self.mistake}"
        return f"expired at {utc(self.expires)}" if at >= self.expires else ""

    def ends_within(self, at: datetime, days: int) -> bool:
        """Whether it has expired at `at` (aware), or will have so many days later; one that is malformed never does."""
        return self.expires is not None and not self.mistake and self.expires <= at + timedelta(days=days)

    def covers_rule(self, rule_id: str) -> bool:
        """Whether a rule is among those it is for."""
        return self.rule is not None and fnmatchcase(rule_id, self.rule)

    def told(self) -> dict[str, Scalar]:
        """What a report says of it."""
        return {
            "owner": self.owner,
            "reason": self.reason,
            "ticket": self.ticket,
            "expires": utc(self.expires) if self.expires else None,
            "where": self.where,
        }


@dataclass(frozen=True, slots=True)
class Waivers:
    """All of a file, and the instant at which it counts.

    Attributes:
        at: aware; every waiver is in force or has lapsed at this one instant, however long the run takes.
        path: None when there is no file, which is as good as an empty one.
        mistakes: what is wrong with the file itself, a sentence each with file and line; entries that could be read count all the same.
    """

    at: datetime
    path: Path | None = None
    entries: tuple[Waiver, ...] = ()
    mistakes: tuple[str, ...] = field(default=())

    @property
    def malformed(self) -> tuple[str, ...]:
        """Everything in the file that takes no effect because of how it is written, with file and line."""
        return (*self.mistakes, *(f"{one.where}: {one.mistake}" for one in self.entries if one.mistake))

    def selects(self, selector: str) -> bool:
        """Whether any entry is narrowed by this selector."""
        return any(selector in one.resources for one in self.entries)


def load_waivers(path: Path, at: datetime, *, asked_for: bool) -> Waivers:
    """Read a file of waivers. What is malformed there is not raised: it waives nothing, and whoever reads the report is told.

    Args:
        path: the file.
        at: the instant at which the waivers are to count, aware.
        asked_for: somebody named this file, so it has to be there.

    Raises:
        ConfigurationError: it was asked for and is not there.
    """
    if not path.is_file():
        if not asked_for:
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
    unknown = [key for key in document.data if key != "waivers"]
    mistakes = [f'{path.name}:{document.line(key)}: unknown key "{key}"{did_you_mean(key, ("waivers",))}' for key in unknown]
    entries = document.data.get("waivers") or []
    if not isinstance(entries, list):
        mistakes.append(f"{path.name}:{document.line('waivers')}: waivers must be a list")
        entries = []
    return Waivers(at, path, tuple(_Entry(document, index).read(one) for index, one in enumerate(entries)), tuple(mistakes))


def checked(waivers: Waivers, rules: RuleSet) -> Waivers:
    """`waivers` with those malformed that name a rule nobody knows: what they were to keep from being fixed is not kept from it."""
    known = set(rules.rules) | rules.left_out

    def one(entry: Waiver) -> Waiver:
        if entry.mistake or entry.rule is None or any(fnmatchcase(rule, entry.rule) for rule in known):
            return entry
        return replace(entry, mistake=f'no rule is called "{entry.rule}"{did_you_mean(entry.rule, known)}')

    return replace(waivers, entries=tuple(map(one, waivers.entries)))


def utc(when: datetime) -> str:
    """ISO 8601 in UTC, with a Z."""
    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")


class _Entry:
    """Reads one entry, noting everything that is wrong with it."""

    def __init__(self, document: YamlDocument, index: int) -> None:
        self._where = f"{document.path.name}:{document.line('waivers', index)}"
        self._wrong: list[str] = []

    def read(self, entry: Any) -> Waiver:
        if not isinstance(entry, dict):
            return Waiver(self._where, None, {}, "", "", "", None, mistake="a waiver is a mapping of keys to values")
        self._wrong += [f'unknown key "{key}"{did_you_mean(key, _KEYS)}' for key in entry if key not in _KEYS]
        rule = self._text(entry, "rule")
        if rule and not _RULE_GLOB.fullmatch(rule):
            self._wrong.append(f'"{rule}" is neither the id of a rule nor a glob of ids')
            rule = ""
        ticket = entry.get("ticket")
        if isinstance(ticket, int) and not isinstance(ticket, bool):
            entry = {**entry, "ticket": str(ticket)}
        also_unknown = entry.get("also_unknown", False)
        if not isinstance(also_unknown, bool):
            self._wrong.append("also_unknown is true or false")
        return Waiver(
            where=self._where,
            rule=rule or None,
            resources=self._resources(entry.get("resources")),
            owner=self._text(entry, "owner"),
            reason=self._text(entry, "reason"),
            ticket=self._text(entry, "ticket"),
            expires=self._expires(self._text(entry, "expires")),
            also_unknown=also_unknown is True,
            mistake="; ".join(self._wrong),
        )

    def _text(self, entry: Mapping[str, Any], key: str) -> str:
        value = entry.get(key)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
        if value is None or value == "":
            self._wrong.append(f"{key} is missing")
        else:
            self._wrong.append(f"expires is {_WAY}" if key == "expires" else f"{key} is text")
        return ""

    def _resources(self, selectors: Any) -> dict[str, tuple[str, ...]]:
        if not isinstance(selectors, dict) or not selectors:
            self._wrong.append('resources does not say what is waived; endpoint: "*" is everything')
            return {}
        found = {key: self._globs(key, value) for key, value in selectors.items()}
        unknown = [key for key in selectors if key not in SELECTORS]
        self._wrong += [f'unknown selector "{key}"{did_you_mean(key, SELECTORS)}' for key in unknown]
        # A selector that cannot be read would have narrowed it: without that it would be for more than was meant.
        return {} if unknown or not all(found.values()) else found

    def _globs(self, key: str, value: Any) -> tuple[str, ...]:
        globs = value if isinstance(value, list) else [value]
        if not globs or not all(isinstance(one, str) and one for one in globs):
            self._wrong.append(f"{key} is a name or glob, or a list of them, as text")
            return ()
        for one in globs:
            if one.count("[") > one.count("]"):
                self._wrong.append(f'"{one}" opens a bracket and never closes it; a bracket itself is [[]')
                return ()
        return tuple(globs)

    def _expires(self, text: str) -> datetime | None:
        if not text:
            return None
        try:
            if _DATE.fullmatch(text):
                return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC) + timedelta(days=1)
            if _INSTANT.fullmatch(text):
                return datetime.fromisoformat(text).astimezone(UTC)
        except (ValueError, OverflowError):
            self._wrong.append(f'expires is "{text}", which no calendar has')
            return None
        self._wrong.append(f'expires is "{text}", and must be {_WAY}')
        return None
