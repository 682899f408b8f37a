"""What a baseline was made from and holds, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from auditor.facts.baseline import KINDS
from auditor.report.wording import count_of, moment, neutral

if TYPE_CHECKING:
    from auditor.facts.baseline import About

_REACHES = {"itself": "every host is held to its own state of then", "all": "every host is to be like it"}


def write_baseline(about: About, out: TextIO) -> None:
    """Write what is wanted from now on, a kind of setting a line, those it does not hold too."""
    what = f"the state of run {neutral(about.run)}"
    if about.host is not None:
        what = f"host {neutral(about.host)} of {neutral(about.endpoint or '')} as run {neutral(about.run)} saw it"
    reach = _REACHES.get(about.reach, f"every host of cluster {neutral(about.cluster or '')} is to be like it")
    out.write(f"Baseline: {what}, read {moment(about.taken_at)}, set {moment(about.set_at)}.\n")
    out.write(f"It holds settings of {count_of(about.hosts, 'host')}; {reach}.\n")
    if about.gaps:
        out.write(
            f"In that run {count_of(about.gaps, 'thing')} could not be read (auditor runs show {neutral(about.run)}): what was not read is "
            "wanted of nobody, and no rule of drift speaks of it.\n"
        )
    for name, kind in KINDS.items():
        count = about.counts.get(name, 0)
        if kind.of_hosts or about.host is None:
            out.write(f"{count:>9,}  {kind.label}{'' if count else _why_none(name)}\n")


def _why_none(name: str) -> str:
    return ": not told in that run, or there is none; `auditor audit --tag all` asks for everything" if name != "sioc" else ""
