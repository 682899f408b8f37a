"""A finding explained for a terminal: the I/O path, the lesson, the evidence, the fix, the sources, and what would change the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.model import Verdict
from auditor.report.documents import document_text
from auditor.report.impacts import NOT_COMPUTED, impact_rows, impact_text
from auditor.report.messages import message_beside_name
from auditor.report.setting_values import from_to_words
from auditor.report.shown_values import shown_values
from auditor.report.terminal.by_hand import steps_of, steps_text
from auditor.report.terminal.console import hanging, pasted, write_parts
from auditor.report.terminal.day_text import day_parts
from auditor.report.terminal.failure_table import SEVERITY_STYLES
from auditor.report.terminal.function_text import function_parts
from auditor.report.terminal.path_text import path_parts
from auditor.report.wording import VERDICT_WORDS, allowing, neutral, neutral_prose, place_of, value_text
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TextIO

    from rich.console import RenderableType
    from rich.text import Text

    from auditor.engine.probing.turning_points import TurningPoint
    from auditor.impact.path import Path
    from auditor.model import Fix, Scalar
    from auditor.report.terminal.explained import Explanation


_NOT_HERE = "What is saved cannot be changed: audit the fleet itself with --fix --dry-run to see what would be."


def write_explanation(explained: Explanation, out: TextIO) -> None:
    """Write all of it, as wide as the terminal."""
    write_parts(lambda width: _parts(explained, width), out)


def write_paths(paths: Sequence[Path], out: TextIO) -> None:
    """Write I/O paths alone, of a device or a machine."""

    def parts() -> Iterator[RenderableType]:
        for place, path in enumerate(paths):
            if place:
                yield ""
            yield from path_parts(path)

    write_parts(lambda _width: parts(), out)


def _parts(explained: Explanation, width: int) -> Iterator[RenderableType]:
    yield from _head(explained)
    yield from _section("THE FIX")
    yield from _fix(explained)
    if explained.day is not None:
        yield from _section("THE DAY")
        yield from day_parts(explained.day, width)
    if explained.functions is not None:
        yield from _section("WHAT ITS DISKS WORK FOR")
        yield from function_parts(explained.functions)
    yield from _section("THE I/O PATH")
    yield from _path(explained)
    yield from _costs(explained)
    if explained.rule is not None:
        yield from _section("THE LESSON")
        yield from _prose(explained.rule.lesson)
    yield from _section("THE EVIDENCE")
    yield from _evidence(explained)
    yield from _section("WHAT WOULD CHANGE THE VERDICT")
    yield from _points(explained)
    if explained.rule is not None and explained.rule.documents:
        yield from _section("ANSWERS TO")
        for one in explained.rule.documents:
            yield hanging("  -", _text(f"{neutral(document_text(one))}{f' {neutral(one.url)}' if one.url else ''}"))
    if explained.rule is not None and explained.rule.sources:
        yield from _section("SOURCES")
        for what, url in explained.rule.sources:
            yield hanging("  -", _text(f"{neutral(what)}{f' {neutral(url)}' if url else ''}"))


def _head(explained: Explanation) -> Iterator[RenderableType]:
    from rich.text import Text

    finding = explained.finding
    resource = finding.resource
    yield Text.assemble(
        (finding.severity.upper(), SEVERITY_STYLES[finding.severity]),
        "  ",
        (neutral(finding.rule), "bold"),
        f"  {VERDICT_WORDS[finding.verdict]}  {explained.finding_id}",
    )
    yield Text(neutral(finding.heading), style="bold")
    if finding.heading != finding.title:
        yield _text(f"Wanted: {neutral(finding.title)}.")
    place = "" if resource.name == (resource.host or resource.endpoint) else f" on {place_of(resource)}"
    yield _text(f"{neutral(resource.name)}{place}; run {neutral(explained.run)}.")
    if wrong := message_beside_name(finding):
        yield _text(f"What is wrong: {wrong}.")
    if finding.verdict is not Verdict.UNKNOWN:
        words = shown_values(finding, explained.rule)
        shown = {"observed": value_text(finding.observed), "desired": value_text(finding.desired), **words}
        wanted = "none" if finding.desired == "" else neutral(shown["desired"])
        # A limit is to be kept away from; and where no single value is wanted, the sentence above says what is.
        is_wanted = "desired" in words if finding.desired is None else finding.observed != finding.desired
        yield _text(f"Observed {neutral(shown['observed'])}{f', wanted {wanted}' if is_wanted else ''}.")
    if cost := impact_text(finding.impact):
        yield _text(f"It costs: {cost} (queueing model).")


def _costs(explained: Explanation) -> Iterator[RenderableType]:
    """What the queueing model says, and every figure that it rests on; nothing where it is not asked about such findings."""
    impact = explained.finding.impact
    if not impact:
        return
    yield from _section("WHAT IT COSTS")
    if NOT_COMPUTED in impact:
        yield hanging("  ", _text(f"Not computed: {neutral(str(impact[NOT_COMPUTED]))}"))
        return
    for name, text in impact_rows(impact).items():
        yield hanging("  ", _text(f"{name}: {text}"))


def _path(explained: Explanation) -> Iterator[RenderableType]:
    if explained.path is None:
        yield hanging("  ", _text(explained.why_no_path))
        return
    yield from path_parts(explained.path)
    if explained.more_paths:
        yield hanging("  ", _text(f"This is where it is felt most, of {count_of(explained.more_paths + 1, 'path')} that it is about."))


def _evidence(explained: Explanation) -> Iterator[RenderableType]:
    finding = explained.finding
    for name, value in finding.evidence.items():
        shown = "not read" if name in finding.missing else value_text(value)
        yield hanging("  ", _text(f"{neutral(name)}: {shown}"))


def _fix(explained: Explanation) -> Iterator[RenderableType]:
    finding, rule = explained.finding, explained.rule
    fix = finding.fix
    if fix is not None and fix.remediator is not None:
        yield from _change(explained, fix)
    elif fix is not None and fix.why and fix.why.split() != steps_text(rule, fix).split():
        yield from _prose(fix.why)
    steps = steps_of(rule, fix)
    if steps and fix is not None and fix.remediator is not None and not explained.why_no_fix:
        yield hanging("  ", _text("Or by hand:"))
    for number, step in enumerate(steps, start=1):
        yield hanging(f"  {number}.", _text(step))
    yield hanging("  ", _text(explained.reproduction))


def _change(explained: Explanation, fix: Fix) -> Iterator[RenderableType]:
    """What auditor would set, why, and the command that shows it; or why it plans no such change."""
    values = from_to_words(fix.remediator or "", dict(fix.target), fix.before, fix.after)
    if fix.before != fix.after:
        yield hanging("  ", _text(f"{neutral(fix.remediator or '')}: {values} ({fix.fix_class}; {fix.outcome})."))
    if fix.why and fix.why.split() != steps_text(explained.rule, fix).split():
        yield from _prose(fix.why)
    if explained.why_no_fix:
        yield hanging("  ", _text(explained.why_no_fix[:1].upper() + explained.why_no_fix[1:]))
    elif explained.to_judge:
        unread = ", ".join(map(neutral, explained.to_judge))
        why = f"Whether it can be planned is not known: this run did not read what {unread} rests on. Judge by all of them:"
        yield hanging("  ", _text(why))
        command = f"{neutral(explained.audit)} {_rules(explained, explained.to_judge)}{explained.options}"
        yield pasted(f"   {neutral_prose(command)}")
    else:
        if explained.first:
            yield hanging("  ", _text(f"What has to come first is planned along: {', '.join(map(neutral, explained.first))}."))
        command = fix_command(explained)
        yield pasted(f"   {command}") if command else hanging("  ", _text(_NOT_HERE))


def fix_command(explained: Explanation) -> str:
    """The command that shows what a fix would do, with the rules whose changes have to come first; "" where no command does."""
    if not explained.fix:
        return f"{neutral(explained.plan)} {_rules(explained, explained.first)}{explained.options}" if explained.plan else ""
    fix = explained.finding.fix
    before = (one for classes in explained.first.values() for one in classes)
    allow = allowing(dict.fromkeys((*before, *(fix.classes if fix is not None else ()))))
    return f"{neutral(explained.fix)} {_rules(explained, explained.first)}{explained.options} --fix --dry-run {allow}"


def _rules(explained: Explanation, first: Iterable[str]) -> str:
    return " ".join(f"--only {neutral(rule)}" for rule in (*first, explained.finding.rule))


def _points(explained: Explanation) -> Iterator[RenderableType]:
    finding = explained.finding
    for name in finding.missing:
        about = explained.column_texts.get(name, "")
        yield hanging("  -", _text(f"{neutral(name)} was not read{f': {neutral(about)}' if about else ''}"))
    if explained.rule is not None and explained.rule.unknown_text and finding.verdict is Verdict.UNKNOWN:
        yield from _prose(explained.rule.unknown_text)
    if explained.points is None:
        yield hanging("  ", _text("Not known: the rule, or a param of it, is not as it was when this run judged; audit again."))
        return
    facts = [point for point in explained.points if point.value is not None]
    for point in facts:
        yield hanging("  -", _text(point_text(point, finding.evidence.get(point.name))))
    none = [neutral(point.name) for point in explained.points if point.value is None and point.name not in finding.missing]
    if none:
        yield hanging("  ", _text(f"No value alone was found that changes it: {', '.join(none)}."))
    if any(point.is_param for point in explained.points):
        yield hanging(
            "  ", _text(f"Params ($) are {explained.params_from}. One that is set so that the rule passes changes nothing in the fleet.")
        )


def point_text(point: TurningPoint, now: Scalar) -> str:
    """One turning point as a sentence."""
    was = point.now if point.is_param else now
    is_more = isinstance(was, int | float) and isinstance(point.value, int | float) and point.value > was
    word = f"a value {'above' if is_more else 'below'} " if point.is_beyond else ""
    value = f"{word}{value_text(point.value)}"
    then = "the rule passes" if point.verdict is Verdict.PASS else "the rule does not apply"
    return f"{neutral(point.name)} is {value_text(was, absent='not read')}; with {value} {then}"


def _section(title: str) -> Iterator[RenderableType]:
    from rich.text import Text

    yield ""
    yield Text(title, style="bold")


def _prose(text: str) -> Iterator[RenderableType]:
    for place, part in enumerate(text.split("\n\n")):
        if place:
            yield ""
        yield hanging("  ", _text(" ".join(neutral_prose(part).split())))


def _text(text: str) -> Text:
    from rich.text import Text

    return Text(neutral_prose(text))  # whatever a part of it comes from
