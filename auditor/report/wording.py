"""How values, names, verdicts and counts are said to people, the same in every format."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from auditor.model import FixClass, Outcome, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from datetime import datetime

    from auditor.model import Change, DriftAge, EndpointReading, Fix, Report, Resource, Scalar

VERDICT_WORDS = {
    Verdict.FAIL: "fail",
    Verdict.UNKNOWN: "unknown",
    Verdict.WAIVED: "waived",
    Verdict.PASS: "pass",
    Verdict.NOT_APPLICABLE: "not applicable",
}
OUTCOME_WORDS = {
    Outcome.PROPOSED: "proposed",
    Outcome.APPLIED: "applied",
    Outcome.ALREADY: "already as wanted",
    Outcome.STALE: "stale, not written",
    Outcome.UNVERIFIED: "UNVERIFIED",
    Outcome.REFUSED: "refused",
    Outcome.BY_HAND: "by hand",
}
ENDPOINTS_NAMED = 6
"""Endpoints named one by one where several have the same to say; the rest is only counted."""
_JOINERS = "\u200c\u200d"  # zero-width (non-)joiners: part of Persian and Indic spelling, harmless to a terminal
_SHOWN_FORMATS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)%\"'][.!?])\s+(?=[A-Z])")
_EXACT_IN_A_DOUBLE = 2**53


def neutral(text: str) -> str:
    r"""Make a name from the fleet harmless to look at: what would steer a terminal or turn the text round is spelt out.

    Control characters, escape sequences, bidirectional overrides, line separators and lone surrogates become ``\x1b``-like
    escapes. Letters of every script stay as they are.
    """
    if text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode("ascii")
        if unicodedata.category(letter) in _SHOWN_FORMATS and letter not in _JOINERS
        else letter
        for letter in text
    )


def neutral_prose(text: str) -> str:
    """`neutral` for text of several lines, which stay lines."""
    return "\n".join(neutral(line) for line in text.splitlines())


def value_text(value: Scalar, *, absent: str = "none") -> str:
    """A setting or fact as a person would write it, without separators, so that it can be pasted.

    Args:
        value: what was read or is wanted.
        absent: what None is called here.
    """
    if value is None:
        return absent
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_IN_A_DOUBLE:
        return str(int(value))
    if isinstance(value, float) and 0.001 <= abs(value) < _EXACT_IN_A_DOUBLE:
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return neutral(value) if value != "" and isinstance(value, str) else '""' if value == "" else str(value)


def shortened(text: str, width: int) -> str:
    """At most `width` characters, cut in the middle: NAA names differ at both ends."""
    if len(text) <= width or width < 5:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"


def first_sentence(text: str, limit: int = 280) -> str:
    """The first sentence of a lesson, on one line."""
    line = " ".join(text.split())
    sentence = _SENTENCE_END.split(line, maxsplit=1)[0]
    return sentence if len(sentence) <= limit else f"{sentence[: limit - 1].rsplit(' ', 1)[0]} …"


def count_of(number: int, one: str, many: str | None = None) -> str:
    """``1 host``, ``12,345 hosts``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def percent(ratio: float) -> str:
    """Rounded down, so that 100 % means all of it."""
    return f"{int(ratio * 1000) / 10:g} %"


def moment(when: datetime) -> str:
    """A time as people read it: to the second, and saying that it is UTC."""
    from datetime import UTC

    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def lasted(started: datetime, finished: datetime) -> str:
    """How long something took."""
    seconds = max(0.0, (finished - started).total_seconds())
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h" if hours else "", f"{minutes} min" if minutes else "", f"{rest} s" if rest and not hours else ""]
    return " ".join(part for part in parts if part)


def fix_text(fix: Fix | None, *, say_class: bool = True) -> str:
    """What becomes, or became, of the fix of a finding, in a table cell."""
    if fix is None:
        return "by hand"
    return outcome_text(fix.outcome, fix.fix_class, fix.pending, say_class=say_class)


def outcome_text(outcome: Outcome, fix_class: FixClass, pending: str | None, *, say_class: bool = True) -> str:
    """An outcome, with the class where it still has to be allowed, and what it still waits for."""
    word = OUTCOME_WORDS[outcome]
    if say_class and outcome in {Outcome.PROPOSED, Outcome.REFUSED} and fix_class is not FixClass.MANUAL:
        word = f"{word}, {fix_class}"
    return f"{word}, {pending} pending" if pending else word


def place_of(resource: Resource) -> str:
    """The host, or for what no single host owns, the endpoint."""
    return neutral(resource.host or resource.endpoint)


def notices_of(report: Report) -> Iterable[str]:
    """What every reader must be told; an endpoint that was trusted blindly is named even when nobody wrote a notice."""
    told = [neutral(notice) for notice in report.notices]
    yield from _said_once(told, {neutral(reading.name) for reading in report.run.endpoints})
    blind = [reading for reading in report.run.endpoints if _unverified(reading)]
    for reading in blind:
        name = neutral(reading.name)
        what = "The host key" if reading.kind == "eternus" else "TLS"
        if not any(name in notice and what in notice for notice in told):
            yield f"{what} of {name} was NOT VERIFIED: what it answered may have come from somebody else."


def _said_once(notices: Iterable[str], endpoints: Collection[str]) -> Iterable[str]:
    """Notices; where several begin with the name of an endpoint and go on alike, one that names them all, or the first of many."""
    alike: dict[tuple[bool, str], list[str]] = {}
    for notice in notices:
        name, _, said = notice.partition(": ")
        if said and name in endpoints:
            alike.setdefault((True, said), []).append(name)
        else:
            alike[False, notice] = []
    for (is_named, said), names in alike.items():
        more = f" and {len(names) - ENDPOINTS_NAMED:,} more" if len(names) > ENDPOINTS_NAMED else ""
        yield f"{', '.join(names[:ENDPOINTS_NAMED])}{more}: {said}" if is_named else said


def _unverified(reading: EndpointReading) -> bool:
    return reading.tls.upper() == "NOT VERIFIED"


def waiver_text(waiver: Mapping[str, Scalar], number: int) -> str:
    """How many verdicts a waiver covers, until when, why, and who answers for it."""
    said = {name: neutral(str(value)) for name, value in waiver.items() if value is not None}
    what = "unknown verdict" if said.get("verdict") == Verdict.UNKNOWN else "failure"
    until = f" until {said['expires']}" if "expires" in said else ""
    answering = ", ".join(said[name] for name in ("owner", "ticket", "where") if name in said)
    return f"{count_of(number, what)}{until}: {said.get('reason', 'no reason was kept')}{f' ({answering})' if answering else ''}"


def change_text(evidence: Mapping[str, Scalar]) -> str:
    """Who may have changed a setting, and when, as far as vCenter's events tell; empty where they do not."""
    if evidence.get("changed_at") is None:
        return ""
    who = neutral(str(evidence.get("changed_by") or "somebody vCenter does not name"))
    when = neutral(str(evidence["changed_at"])).replace("T", " ").replace("Z", " UTC")
    return f"maybe by {who} at {when}"


def drift_age_text(since: DriftAge) -> str:
    """Since when a failure of drift is there."""
    return f"{'at least ' if since.at_least else ''}since {moment(since.at)} (run {neutral(since.run)})"


def setting_text(change: Change) -> str:
    """The setting a change is about, as its owner names it: the option, parameter or field, else the remediator."""
    keys = dict(change.target.keys)
    return neutral(next((keys[key] for key in ("option", "parameter", "field") if key in keys), change.remediator))


def place_texts(change: Change) -> tuple[str, str]:
    """Where a change is made: the host or endpoint, and the thing on it; the second is empty when it is the host itself."""
    keys = dict(change.target.keys)
    where = change.resource.host or change.target.endpoint
    what = next((keys[key] for key in ("device", "module", "hba") if key in keys), change.resource.name)
    return neutral(where), "" if what == where else neutral(what)
