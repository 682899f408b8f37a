"""The waivers of a file for people: each with its state and expiry, the most urgent first."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TextIO

from auditor.engine.waivers.accepted_gaps import AcceptedGap
from auditor.report.wording import neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from auditor.engine.waivers.file import Waiver, Waivers


def write_waivers(waivers: Waivers, soon_days: int, endpoints: Collection[str] | None, out: TextIO) -> None:
    """Write one line for each waiver: first those without effect, then those that end soon, then the others in force.

    Args:
        waivers: all waivers of the file.
        soon_days: a waiver that ends within this many days ends soon.
        endpoints: the names in fleet.yaml, to report waivers that name others; None: not known.
        out: where to write.
    """
    entries: list[Waiver | AcceptedGap] = [*waivers.entries, *waivers.gaps]
    states = [(_state(one, waivers, soon_days), one) for one in entries]
    out.writelines(f"MALFORMED  {neutral(mistake)}\n" for mistake in waivers.mistakes)
    for state in ("MALFORMED", "EXPIRED", "ENDS SOON", "in force"):
        for _, one in (entry for entry in states if entry[0] == state):
            out.write(f"{state:<9}  {neutral(_line(one, waivers))}\n")
            out.writelines(f"           {neutral(text)}\n" for text in _unknown_endpoints(one, endpoints))
    in_force = sum(state in ("ENDS SOON", "in force") for state, _ in states)
    gaps = f" and {count_of(len(waivers.gaps), 'accepted gap')}" if waivers.gaps else ""
    out.write(f"{count_of(len(waivers.entries), 'waiver')}{gaps}, {in_force} in force at {waivers.at:%Y-%m-%dT%H:%M:%SZ}\n")


def _state(waiver: Waiver | AcceptedGap, waivers: Waivers, soon_days: int) -> str:
    if waiver.mistake:
        return "MALFORMED"
    if waiver.lapsed(waivers.at):
        return "EXPIRED"
    return "ENDS SOON" if waiver.ends_within(waivers.at, soon_days) else "in force"


def _line(waiver: Waiver | AcceptedGap, waivers: Waivers) -> str:
    if waiver.mistake:
        return f"{waiver.where}: {waiver.mistake}"
    expires = waiver.as_reported()["expires"]
    left = (waiver.expires or waivers.at) - waivers.at
    when = f"until {expires}, {count_of(left.days, 'day')} left" if left > timedelta(0) else f"expired at {expires}"
    answering = ", ".join(part for part in (waiver.owner, waiver.ticket) if part)
    if isinstance(waiver, AcceptedGap):
        return f"{waiver.where}: gap of {' '.join(waiver.endpoint)}: {' or '.join(waiver.what)}, {when}: {waiver.reason} ({answering})"
    resources = ", ".join(f"{selector} {' '.join(globs)}" for selector, globs in waiver.resources.items())
    return f"{waiver.where}: {waiver.rule} on {resources}, {when}: {waiver.reason} ({answering})"


def _unknown_endpoints(waiver: Waiver | AcceptedGap, endpoints: Collection[str] | None) -> list[str]:
    """A sentence for each endpoint name, not glob, that is not in fleet.yaml: such a waiver covers nothing."""
    if endpoints is None:
        return []
    of = waiver.endpoint if isinstance(waiver, AcceptedGap) else waiver.resources.get("endpoint", ())
    named = [one for one in of if not set(one) & set("*?[") and one not in endpoints]
    return [f"fleet.yaml has no endpoint {one}" for one in named]
