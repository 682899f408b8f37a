"""Accepted gaps (`gaps:` of waivers.yaml): somebody answers for each until an end. What they hide stays unknown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta

from auditor.engine.waivers.terms import End, Entry, Globs, end_instant, listed_globs, one_line, utc
from auditor.model.identity import parts
from auditor.text.names import fits
from auditor.yaml.shapes import Shape, Text, decode

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from auditor.model import Gap, Scalar
    from auditor.yaml.reading import YamlDocument

BY_CHOICE: Mapping[str, Scalar] = {
    "owner": "--endpoint",
    "reason": "left out by choice",
    "ticket": "",
    "expires": None,
    "where": "the command line",
}
"""Who answers for the gap of an endpoint that was not to be read."""


class _EntryShape(Shape, kw_only=True):
    endpoint: Globs
    what: Globs
    owner: Text
    reason: Text
    ticket: Annotated[Text | int | None, Meta(description="text")] = None
    expires: End


@dataclass(frozen=True, slots=True)
class AcceptedGap(Entry):
    """One entry, as far as it could be read.

    Attributes:
        where: file name and line.
        endpoint: globs of its name, or of what it says of itself; () when they are missing or malformed, and then nothing fits.
        what: globs of what could not be read, as reports show it; likewise.
        expires: the first instant at which it is not in force any more, in UTC; None when it is missing or malformed.
        mistake: what is malformed; empty when nothing is.
    """

    where: str
    endpoint: tuple[str, ...]
    what: tuple[str, ...]
    owner: str
    reason: str
    ticket: str
    expires: datetime | None
    mistake: str = ""

    def covers(self, gap: Gap, identity: str | None) -> bool:
        """Whether `gap` is of what it names; `identity` is what the gap's endpoint says of itself, None where that is not known."""
        names = (gap.endpoint, *(parts(identity) if identity else ()))
        of_endpoint = any(fits(name, glob) for name in names for glob in self.endpoint)
        return of_endpoint and any(fits(gap.what, glob) for glob in self.what)


def accepted_gap(document: YamlDocument, index: int, data: Any) -> AcceptedGap:
    """One entry of a file, with everything that is wrong with it."""
    where = f"{document.path.name}:{document.line('gaps', index)}"
    entry, mistakes = decode(data, _EntryShape, "gaps", index)
    wrong = [mistake.what for mistake in mistakes]
    if not isinstance(data, dict):
        return AcceptedGap(where, (), (), "", "", "", None, mistake=wrong[0])
    return AcceptedGap(
        where=where,
        endpoint=listed_globs(entry.endpoint or (), wrong),
        what=listed_globs(entry.what or (), wrong),
        owner=one_line(entry.owner),
        reason=one_line(entry.reason),
        ticket=one_line(str(entry.ticket or "")),
        expires=end_instant(entry.expires, wrong),
        mistake="; ".join(wrong),
    )


def with_acceptance(
    gaps: Sequence[Gap],
    entries: Sequence[AcceptedGap],
    at: datetime,
    identities: Mapping[str, str | None],
    *,
    left_out: Collection[str] = (),
    is_whole: bool = True,
) -> tuple[tuple[Gap, ...], tuple[str, ...]]:
    """`gaps` with who answers for each, and a sentence about each entry that accepts nothing.

    Args:
        gaps: of one snapshot.
        entries: the first that covers a gap counts.
        at: the instant at which they count, aware.
        identities: what each endpoint says of itself, by name.
        left_out: endpoints that were not to be read by choice, for which the person who chose answers.
        is_whole: nothing narrowed the audit; else an entry may well have nothing to accept.
    """
    in_force = [entry for entry in entries if not entry.lapsed(at)]
    used: set[str] = set()
    result = []
    for gap in gaps:
        by = next((entry for entry in in_force if entry.covers(gap, identities.get(gap.endpoint))), None)
        if by is not None:
            used.add(by.where)
            result.append(replace(gap, accepted=by.as_reported()))
        else:
            result.append(replace(gap, accepted=BY_CHOICE) if gap.endpoint in left_out else gap)
    notices = []
    for entry in entries:
        if why := entry.lapsed(at):
            back = sum(gap.accepted is None and entry.covers(gap, identities.get(gap.endpoint)) for gap in result)
            counts = {0: "no gap that it names was found", 1: "one gap that it named counts again"}
            notices.append(f"{_named(entry)} {why}: {counts.get(back, f'{back:,} gaps that it named count again')}.")
        elif is_whole and entry.where not in used:
            until = utc(entry.expires) if entry.expires else "?"
            notices.append(f"{_named(entry)} until {until} accepts nothing: no such gap was left. Remove it, or correct endpoint and what.")
    return tuple(result), tuple(notices)


def _named(entry: AcceptedGap) -> str:
    answering = ", ".join(part for part in (entry.owner, entry.ticket) if part)
    of = " ".join(entry.endpoint) or "no readable endpoint"
    return f"{entry.where}: the accepted gap of {of}{f' ({answering})' if answering else ''}"
