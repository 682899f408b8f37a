"""Messages of rules: one sentence about a row that fails, with the row's own values and their units.

A rule's file has it as a template. ``{name}`` is a column of the judged view, a name under ``let``, ``observed`` or
``desired``, ``{$name}`` a param. Behind a colon stands a unit, and behind a bar what to write where it is NULL; of a column that is true or
false, what to write for each::

    {resource_name}: the busiest disk is {busy_percent} busy, limit {$most_busy:%}
    {resource_name}: {active_paths:paths} on {host}, delayed ACK is {delayed_ack:on|off}
    {resource_name}: limit {iops_limit:IOPS|unlimited}

SQL makes the sentence (`message_sql`), in the statement that judges: so every format, and `auditor query`, has the same one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.engine.rules.rule import Message
from auditor.engine.rules.types import Family, family_of
from auditor.facts.views import RESOURCE_COLUMNS
from auditor.yaml.reading import did_you_mean

if TYPE_CHECKING:
    from auditor.engine.rules.rule import Expression, Param, ParamValue, Rule

OBSERVED, DESIRED = "observed", "desired"
NOT_READ = "not read"
"""What stands for NULL unless the template has another word."""

_SLOT = re.compile(r"\{([^{}]*)\}")
_ROUNDED = re.compile(r"round\((\w+)(?:, \d)?\)")
_UNITS_BY_NAME = (
    ("bytes_per_second", "bytes/s"),
    ("per_second", "/s"),
    ("_bytes", "bytes"),
    ("_seconds", "s"),
    ("_minutes", "min"),
    ("_ms", "ms"),
    ("_us", "us"),
    ("_percent", "%"),
    ("iops", "IOPS"),
    ("iops_limit", "IOPS"),
    ("_ops", "IOPS"),
    ("_kb", "KiB"),  # what VMware calls KB is 1,024 bytes
)
"""End of a column's name -> its unit, as names have it (docs: house style, names carry units)."""


class MessageError(Exception):
    """What is wrong with a template, in words that follow "'message'"."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in a template that a value fills."""

    name: str
    unit: str = ""  # "": by the name's end
    words: tuple[str, ...] = ()  # what stands behind bars


@dataclass(frozen=True, slots=True)
class Shown:
    """What a template may name.

    Attributes:
        observed, desired: None where the file has a mistake in it.
    """

    columns: Mapping[str, str]
    params: Mapping[str, Param]
    observed: Expression | None
    desired: Expression | None
    lets: Mapping[str, Expression] = field(default_factory=dict)

    def family(self, name: str) -> Family | None:
        """The family of what `name` stands for; None when there is no such thing, or a mistake in it."""
        if name in (OBSERVED, DESIRED):
            expression = self.observed if name == OBSERVED else self.desired
            return None if expression is None else family_of(expression.type)
        if name in self.columns:
            return family_of(self.columns[name])
        if name in self.lets:
            return family_of(self.lets[name].type)
        return param_family(self.params[name[1:]].default) if self.is_param(name) else None

    def is_param(self, name: str) -> bool:
        """Whether `name` is a param with its $."""
        return name.startswith("$") and name[1:] in self.params


def parts(template: str) -> Iterator[str | Slot]:
    """The texts and slots of a template in order.

    Raises:
        MessageError: a brace without its other half.
    """
    at = 0
    for match in _SLOT.finditer(template):
        yield _literal(template[at : match.start()])
        name, colon, rest = match[1].partition(":")
        words = rest.split("|") if colon else []
        is_plain = len(words) < 2
        yield Slot(name.strip(), words[0].strip() if words else "", () if is_plain else tuple(word.strip() for word in words))
        at = match.end()
    yield _literal(template[at:])


def read_message(template: str, shown: Shown) -> Message:
    """The message of a rule's file.

    Raises:
        MessageError: it names something that is not there, or nothing at all, or is not clear about a value.
    """
    text = " ".join(template.split())
    slots = [part for part in parts(text) if isinstance(part, Slot)]
    if not slots:
        raise MessageError("names no value of the row, so it says the same of every one; write for example {observed}")
    for slot in slots:
        _check(slot, shown)
    named = dict.fromkeys(slot.name for slot in slots)
    columns = [column for name in named for column in (shown.lets[name].columns if name in shown.lets else [name])]
    columns = [name for name in dict.fromkeys(columns) if name in shown.columns and name not in RESOURCE_COLUMNS]
    return Message(text, tuple(columns))


def unit_of(slot: Slot, plain_column: str | None) -> str:
    """The unit of a value: as the template says, or by the name of the column that it is; "" when it has none."""
    if slot.unit or plain_column is None:
        return slot.unit
    return next((unit for end, unit in _UNITS_BY_NAME if plain_column.endswith(end)), "")


def shown_units(rule: Rule) -> dict[str, tuple[str, str]]:
    """By "observed" and "desired": the unit of that value, and the word for NULL; what has neither is left out.

    Both are those of the message, where it shows the value, its column or its param; else the column's name says the unit. Of two numbers
    one has the unit of the other, where nothing else says it. Of values that are true or false nothing is said.
    """
    slots = [] if rule.message is None else [part for part in parts(rule.message.text) if isinstance(part, Slot)]
    expressions = {OBSERVED: rule.observed, DESIRED: rule.desired}
    units: dict[str, tuple[str, str]] = {}
    for name, expression in expressions.items():
        if family_of(expression.type) is Family.TRUTH:
            continue
        plain = _ROUNDED.sub(r"\1", expression.text)
        slot = next((slot for slot in slots if slot.name in (name, plain)), Slot(name))
        unit = unit_of(slot, plain if (plain,) == expression.columns else None)
        units[name] = unit, slot.words[1] if len(slot.words) > 1 else ""
    if all(family_of(expression.type) in (Family.WHOLE, Family.NUMBER) for expression in expressions.values()):
        common = units[OBSERVED][0] or units[DESIRED][0]
        units = {name: (unit or common, word) for name, (unit, word) in units.items()}
    return {name: shown for name, shown in units.items() if any(shown)}


def param_family(default: ParamValue) -> Family:
    """The family of a param's values."""
    families = {bool: Family.TRUTH, int: Family.WHOLE, float: Family.NUMBER, str: Family.TEXT}
    return families.get(type(default), Family.OTHER)


def _literal(text: str) -> str:
    if "{" in text or "}" in text:
        raise MessageError("has a brace without its other half; what stands in {braces} is a column, a $param, observed or desired")
    return text


def _check(slot: Slot, shown: Shown) -> None:
    known: Collection[str] = {*shown.columns, *shown.lets, *(f"${name}" for name in shown.params), OBSERVED, DESIRED}
    if slot.name not in known:
        raise MessageError(f'names "{slot.name}", which is no column of the view and no param{did_you_mean(slot.name, known)}')
    family = shown.family(slot.name)
    if family is Family.TRUTH and len(slot.words) not in (2, 3):
        raise MessageError(f'names "{slot.name}", which is true or false: say what to write for each, for example {{{slot.name}:on|off}}')
    if family is Family.OTHER and not shown.is_param(slot.name):
        raise MessageError(f'names "{slot.name}", which is a list or a structure; compute a text in the view and name that')
    if family not in (None, Family.TRUTH) and len(slot.words) > 2:
        raise MessageError(f'has more than a unit and a word for NULL behind "{slot.name}"')
