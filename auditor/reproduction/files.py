"""The files of a reproduction by name, README.md with the guard notes among them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from auditor.report.formats.markdown import as_text
from auditor.report.impacts import impact_text
from auditor.report.messages import message_of
from auditor.report.wording import allowing, neutral, value_text
from auditor.reproduction.bounds import TEST_FILE
from auditor.reproduction.guides import TIDY_UP, guide_of

if TYPE_CHECKING:
    from auditor.reproduction.guides import Guide
    from auditor.reproduction.situation import Situation

_WIDTH = 100
_NAMED = 12
_CODE = re.compile(r"`[^`\n]*`")
_KEPT = "\0"
"""Stands for a blank of a name while lines are filled: a line that began in the middle of a name could begin a list, and end the name."""
_NOT_READ = "not read: find out before you start"


def files_of(situation: Situation, folder: str, fix_text: str, run: str, read_percent: int = 0) -> Mapping[str, str]:
    """The texts of all files by name.

    Args:
        situation: the finding, and what lies round it.
        folder: the folder of the test machine, as `bounds.checked_folder` accepts it.
        fix_text: what the rule says about its fix.
        run: the id of the run whose finding it is.
        read_percent: the share of reads of its load, as `bounds.checked_reads` accepts it.
    """
    guide = guide_of(situation, folder, read_percent)
    return {"README.md": _readme(situation, guide, folder, fix_text, run), **guide.files}


def _readme(situation: Situation, guide: Guide, folder: str, fix_text: str, run: str) -> str:
    finding = situation.finding
    resource = finding.resource
    where = f" of host {_name(resource.host)}" if resource.host and resource.host != resource.name else ""
    wrong = message_of(finding)  # of a verdict that is no failure there is none
    values = f"Found: {_name(value_text(finding.observed))}; wanted: {_name(value_text(finding.desired))}"
    found = f"What is wrong: {_name(wrong)}" if wrong else values
    parts = [
        f"# Reproduce {situation.finding_id}: {neutral(finding.heading)}",
        (
            f"Rule `{neutral(finding.rule)}`, {_name(resource.name)}{where}, endpoint {_name(resource.endpoint)}, run `{neutral(run)}`."
            f" {found}. It shows: {situation.lesson}."
        ),
        "**Nothing here was started, and nothing starts by itself. Read all of it before you start anything.**",
        "## Before you start",
        *_guards(situation, guide, folder),
        "## What to do",
        *(f"{number}. {step}" for number, step in enumerate(guide.steps, 1)),
        "## What to expect",
        f"* Before the cure: {guide.before}",
        f"* After the cure: {guide.after}",
        *_modelled(situation),
        "The figures are those of the reports in docs/domain/incidents.md. Yours differ; what counts is before against after.",
        "## The cure",
        *_cure(situation, fix_text),
        "## How to stop",
        f"{guide.stop} {TIDY_UP}",
        f"`rm -f {folder}/{TEST_FILE} {folder}/ioping.tmp.*`" if _has_test_file(guide) else "",
        "## Files",
        *(f"* `{name}`" for name in guide.files),
    ]
    return _joined([part for part in parts if part])


def _joined(parts: Sequence[str]) -> str:
    """The paragraphs, with items of one list on lines that follow each other."""
    text = ""
    for part, after in zip(parts, [*parts[1:], ""], strict=True):
        is_listed = _item(part) is not None and _item(part) == _item(after)
        text += _wrapped(part) + ("\n" if is_listed else "\n\n")
    return text.rstrip("\n") + "\n"


def _item(part: str) -> str | None:
    """Which sort of list a paragraph is an item of; None: of none."""
    return "*" if part.startswith("* ") else "1" if part[:1].isdigit() else None


def _cure(situation: Situation, fix_text: str) -> Sequence[str]:
    """The change that auditor plans for this finding, and what the rule says to a person."""
    fix, rule = situation.finding.fix, situation.finding.rule
    by_hand = fix_text
    planned = []
    if fix is not None and fix.remediator is not None:
        by_hand = "\n".join(line for line in fix_text.splitlines() if not line.startswith(f"{fix.remediator}: "))
        before, after = (_name(value_text(value, absent="absent")) for value in (fix.before, fix.after))
        values = f"`{neutral(fix.remediator)}` from {before} to {after}"
        how = f"`auditor audit --fleet fleet.yaml --only {neutral(rule)} --fix --dry-run {allowing(fix.classes)}` shows it"
        planned = [f"{values}; {how}. On the test host alone first."]
    return [*planned, neutral_lines(by_hand)] if by_hand or planned else ["The rule does not say; see its page."]


def _guards(situation: Situation, guide: Guide, folder: str) -> Sequence[str]:
    """Which machine, which datastore, how much, how long, who to ask."""
    minutes = f"{guide.seconds / 60:g} minutes at most"
    waiting = _listed(situation.neighbours, "virtual disks in the same queue were not read: assume all of the datastore")
    return (
        f"* **Machine**: {guide.machine}. Linux with fio and ioping; neither a production machine nor a template of one.",
        f"* **Datastore**: one of {_listed(situation.datastores)}.",
        f"* **Folder** in the test machine: `{folder}`, on the disk that is tested: a folder of a file system, never a device.",
        f"* **Load**: {guide.load}.",
        f"* **Time**: {minutes}, outside of backup and business hours.",
        f"* **Who waits with you**: {waiting}.",
        (
            f"* **Ask first**: the owners of {_hosts(situation)}, for the array {_listed(situation.arrays)}, and the owners of those"
            " who wait with you. Say when it begins, how long it takes, and how you can be reached."
        ),
        *(f"* **Care**: {care}" for care in guide.care),
    )


def _hosts(situation: Situation) -> str:
    return f"the hosts {_listed(situation.hosts)}" if situation.hosts else "the hosts that use it"


def _modelled(situation: Situation) -> Sequence[str]:
    """What the queueing model expects for this finding, where it was computed."""
    cost = impact_text(situation.finding.impact)
    return (f"* For this finding the queueing model says: {as_text(cost)}.",) if cost else ()


def _has_test_file(guide: Guide) -> bool:
    return any(name.endswith((".fio", ".sh")) for name in guide.files)


def _listed(names: Sequence[str], unknown: str = _NOT_READ) -> str:
    if not names:
        return unknown
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(_name(name) for name in names[:_NAMED])}{more}"


def _name(text: str) -> str:
    """A name of the fleet as Markdown shows it verbatim."""
    return f"`{neutral(text).replace('`', chr(39))}`"


def neutral_lines(text: str) -> str:
    """Paragraphs of a rule's text, each on one line."""
    return "\n\n".join(neutral(" ".join(part.split())) for part in text.split("\n\n"))


def _wrapped(part: str) -> str:
    if part.startswith(("#", "`")):
        return part
    hanging = {"*": "  ", "1": "   ", None: ""}[_item(part)]
    lines = (
        textwrap.fill(
            _CODE.sub(lambda code: code[0].replace(" ", _KEPT), line),
            _WIDTH,
            subsequent_indent=hanging,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in part.split("\n\n")
    )
    return "\n\n".join(lines).replace(_KEPT, " ")
