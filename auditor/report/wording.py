"""Texts for values, names, verdicts and counts, the same in every report format."""

from __future__ import annotations

import re
import unicodedata
from datetime import timedelta
from typing import TYPE_CHECKING

from auditor.facts.own_catalog import catalog
from auditor.model import EndpointKind, FixClass, Outcome, Verdict
from auditor.model.endpoint_kinds import endpoint_type
from auditor.text.numbers import count_of, number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from auditor.model import Change, DriftAge, EndpointReading, Fix, FixCertificate, Report, Resource, Run, Scalar

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
    Outcome.REVERTED: "PUT BACK",
}
ENDPOINTS_NAMED = 6
"""Endpoints named where several share a message; the others are counted."""
_JOINERS = "\u200c\u200d"  # zero-width (non-)joiners: part of Persian and Indic spelling, harmless to a terminal
_SHOWN_FORMATS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)%\"'][.!?])\s+(?=[A-Z])")
_EXACT_IN_A_DOUBLE = 2**53


def neutral(text: str) -> str:
    r"""`text` without characters that could control a terminal or reorder the line; these become escapes such as ``\x1b``.

    Control characters, escape sequences, bidirectional overrides, line separators and lone surrogates are escaped. Letters of every
    script stay as they are.
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
    """`neutral` for each line of `text`."""
    return "\n".join(neutral(line) for line in text.splitlines())


def value_text(value: Scalar, *, absent: str = "none") -> str:
    """A setting or fact as text, without thousands separators, so that it can be pasted.

    Args:
        value: as read or wanted.
        absent: the text for None.
    """
    if value is None:
        return absent
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_IN_A_DOUBLE:
        return str(int(value))
    if isinstance(value, float) and 0 < abs(value) < 0.001:
        return number_text(value)
    if isinstance(value, float) and 0.001 <= abs(value) < _EXACT_IN_A_DOUBLE:
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return neutral(value) if value != "" and isinstance(value, str) else '""' if value == "" else str(value)


def shortened(text: str, width: int) -> str:
    """`text` cut in the middle to at most `width` characters; NAA names differ at both ends."""
    if len(text) <= width or width < 5:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"


def first_sentence(text: str, limit: int = 280) -> str:
    """The first sentence of a lesson, on one line."""
    line = " ".join(text.split())
    sentence = _SENTENCE_END.split(line, maxsplit=1)[0]
    return sentence if len(sentence) <= limit else f"{sentence[: limit - 1].rsplit(' ', 1)[0]} …"


def listed(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b, and c``."""
    return " and ".join(parts) if len(parts) < 3 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def percent(ratio: float) -> str:
    """`ratio` in percent, rounded down, so that 100 % means all."""
    return f"{int(ratio * 1000) / 10:g} %"


def moment(when: datetime) -> str:
    """A time as text: to the second, in UTC."""
    from datetime import UTC

    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def lasted(started: datetime, finished: datetime) -> str:
    """The time from `started` to `finished` as text, for example "2 min 5 s"."""
    seconds = max(0.0, (finished - started).total_seconds())
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h" if hours else "", f"{minutes} min" if minutes else "", f"{rest} s" if rest and not hours else ""]
    return " ".join(part for part in parts if part)


def took_text(run: Run) -> str:
    """How long somebody waited for the report of `run`; of a run of an older auditor how long it was read."""
    if run.waited_seconds is None:
        return lasted(run.started, run.finished)
    return lasted(run.started, run.started + timedelta(seconds=run.waited_seconds))


def fix_text(fix: Fix | None, *, show_class: bool = True) -> str:
    """The outcome of a finding's fix, for a table cell."""
    if fix is None:
        return "by hand"
    return outcome_text(fix.outcome, fix.fix_class, fix.pending, show_class=show_class)


def allowing(classes: Iterable[FixClass]) -> str:
    """The options that allow these classes."""
    return " ".join(f"--allow {one}" for one in classes)


def outcome_text(outcome: Outcome, fix_class: FixClass, pending: str | None, *, show_class: bool = True) -> str:
    """An outcome, with the fix class if the fix still has to be allowed, and with what it waits for."""
    word = OUTCOME_WORDS[outcome]
    if show_class and outcome in {Outcome.PROPOSED, Outcome.REFUSED} and fix_class is not FixClass.MANUAL:
        word = f"{word}, {fix_class}"
    return f"{word}, {pending} pending" if pending else word


def place_of(resource: Resource) -> str:
    """The host of a resource; the endpoint if it belongs to no single host."""
    return neutral(resource.host or resource.endpoint)


def scope_notice(report: Report) -> str:
    """What a narrow audit looked at, as a sentence; "" where nothing was left out, and of a run of an older auditor."""
    if report.scope is None or not report.scope.is_narrow:
        return ""
    return f"Only this was looked at: {neutral(report.scope.sentence())}."


def notices_of(report: Report) -> Iterable[str]:
    """The notices that every reader must see, and one for each endpoint whose identity was not verified."""
    notices = [neutral(notice) for notice in report.notices]
    yield from _grouped(notices, {neutral(reading.name) for reading in report.run.endpoints})
    for reading in report.run.endpoints:
        if not _unverified(reading):
            continue
        name = neutral(reading.name)
        what = "The host key" if endpoint_type(EndpointKind(reading.kind)).protocol == "ssh" else "TLS"
        if not any(name in notice and what in notice for notice in notices):
            yield f"{what} of {name} was NOT VERIFIED: its answers may have come from another machine."
    yield from _plugins_used(report.run.endpoints)


def _plugins_used(readings: Iterable[EndpointReading]) -> Iterable[str]:
    """A sentence for each kind that is read by a package which is no part of auditor."""
    names: dict[tuple[str, str], list[str]] = {}
    for reading in readings:
        if reading.plugin:
            names.setdefault((neutral(reading.kind), neutral(reading.plugin)), []).append(neutral(reading.name))
    for (kind, plugin), of in names.items():
        more = f" and {len(of) - ENDPOINTS_NAMED:,} more" if len(of) > ENDPOINTS_NAMED else ""
        yield f"The kind {kind} is read by {plugin}, which is no part of auditor: {', '.join(of[:ENDPOINTS_NAMED])}{more}."


def _grouped(notices: Iterable[str], endpoints: Collection[str]) -> Iterable[str]:
    """`notices`, with one for all endpoints that share a text; a notice of an endpoint begins with its name and a colon."""
    names_by_text: dict[tuple[bool, str], list[str]] = {}
    for notice in notices:
        name, _, text = notice.partition(": ")
        if text and name in endpoints:
            names_by_text.setdefault((True, text), []).append(name)
        else:
            names_by_text[False, notice] = []
    for (is_named, text), names in names_by_text.items():
        more = f" and {len(names) - ENDPOINTS_NAMED:,} more" if len(names) > ENDPOINTS_NAMED else ""
        yield f"{', '.join(names[:ENDPOINTS_NAMED])}{more}: {text}" if is_named else text


def _unverified(reading: EndpointReading) -> bool:
    return reading.tls.upper() == "NOT VERIFIED"


def waiver_text(waiver: Mapping[str, Scalar], number: int) -> str:
    """How many verdicts a waiver covers, until when, why, and its owner, ticket and place."""
    fields = {name: neutral(str(value)) for name, value in waiver.items() if value is not None}
    what = "unknown verdict" if fields.get("verdict") == Verdict.UNKNOWN else "failure"
    until = f" until {fields['expires']}" if "expires" in fields else ""
    owner = ", ".join(fields[name] for name in ("owner", "ticket", "where") if name in fields)
    return f"{count_of(number, what)}{until}: {fields.get('reason', 'no reason was recorded')}{f' ({owner})' if owner else ''}"


def change_text(evidence: Mapping[str, Scalar]) -> str:
    """The user who may have changed a setting, and when, according to vCenter's events; empty without an event."""
    if evidence.get("changed_at") is None:
        return ""
    who = neutral(str(evidence.get("changed_by") or "a user that vCenter does not name"))
    when = neutral(str(evidence["changed_at"])).replace("T", " ").replace("Z", " UTC")
    return f"maybe by {who} at {when}"


def drift_age_text(age: DriftAge) -> str:
    """Since when a setting has been different, and the run that saw it first."""
    return f"{'at least ' if age.at_least else ''}since {moment(age.at)} (run {neutral(age.run)})"


def setting_text(change: Change) -> str:
    """The name of the setting that a change is about: the option, parameter or field, else the remediator."""
    keys = dict(change.target.keys)
    return neutral(next((keys[key] for key in ("option", "parameter", "field") if key in keys), change.remediator))


def place_texts(change: Change) -> tuple[str, str]:
    """The place of a change: the host or endpoint, and the object on it, which is empty when it is the host itself."""
    keys = dict(change.target.keys)
    where = change.resource.host or change.target.endpoint
    portal = f"{keys['hba']} {keys['iqn']} {keys['address']}:{keys['port']}" if keys.keys() >= {"hba", "iqn", "address", "port"} else None
    what = portal or next((keys[key] for key in ("device", "module", "hba") if key in keys), change.resource.name)
    return neutral(where), "" if what == where else neutral(what)


def object_text(change: Change) -> str:
    """The object of a change as a person looks for it: a target's name and portal, a device, a datastore's name; and the host."""
    keys, resource = dict(change.target.keys), change.resource
    at = f" of {resource.host}" if resource.host else ""
    if "iqn" in keys:
        return neutral(f"iSCSI target {keys['iqn'] or '(found by sending)'} at {keys['address']}:{keys['port']} on {keys['hba']}{at}")
    for key in ("device", "module"):
        if key in keys:
            return neutral(f"{key} {keys[key]}{at}")
    if "host_id" in keys and resource.host:
        return neutral(f"host {resource.host}")
    view = catalog().views.get(resource.kind)
    kind = (view and view.row) or resource.kind.replace("_", " ")
    return neutral(f"{kind} {resource.name} on {change.target.endpoint}")


def certificate_text(certificate: FixCertificate) -> str:
    """What a fix left to do, as a sentence or two."""
    made = f"{count_of(certificate.made, 'change')} made, and the fleet was read again"
    if certificate.left == 0:
        return f"{made}: the same rules and classes would change nothing more."
    left = count_of(certificate.left, "further change")
    return f"{made}: the same rules and classes would make {left}. Fix again, or see above why they were not made."
