"""Describes a baseline for a person: the run it was made from, and how many settings it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from auditor.facts.baseline import KINDS
from auditor.report.wording import moment, neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from auditor.facts.baseline import About

_REACHES = {"itself": "every host is compared with its own state in that run", "all": "every host is to be like it"}


def write_baseline(about: About, out: TextIO) -> None:
    """Write what the baseline was made from, and one line for each kind of setting, also for those it does not hold."""
    what = f"the state of run {neutral(about.run)}"
    if about.host is not None:
        what = f"host {neutral(about.host)} of {neutral(about.endpoint or '')} as run {neutral(about.run)} saw it"
    reach = _REACHES.get(about.reach, f"every host of cluster {neutral(about.cluster or '')} is to be like it")
    out.write(f"Baseline: {what}, read {moment(about.taken_at)}, set {moment(about.set_at)}.\n")
    out.write(f"It holds settings of {count_of(about.hosts, 'host')}; {reach}.\n")
    if about.gaps:
        out.write(
            f"In that run {count_of(about.gaps, 'thing')} could not be read (auditor runs show {neutral(about.run)}). "
            "A setting that was not read then is not compared now.\n"
        )
    for name, kind in KINDS.items():
        count = about.counts.get(name, 0)
        if kind.of_hosts or about.host is None:
            out.write(f"{count:>9,}  {kind.label}{'' if count else _why_none(name)}\n")


def _why_none(name: str) -> str:
    return ": not read in that run, or there is none; `auditor audit --tag all` reads everything" if name != "sioc" else ""
