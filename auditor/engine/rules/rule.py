"""A rule whose file has been read and found sound."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from auditor.engine.rules.bounds import Bounds
from auditor.errors import ConfigurationError
from auditor.model import Document, FixClass, ImpactModel, Reproduction, Severity, Verdict
from auditor.yaml.reading import did_you_mean

ON_REQUEST = "on-request"
"""The tag of rules that an audit leaves out unless they are requested: they read, or weigh, much for what they are about."""

DECLARED = "declared"
"""The tag of rules that compare with settings.yaml; they are tagged `drift` too."""
DRIFT = "drift"
"""The tag of rules that compare with a baseline: what they want is a fact of the fleet, and their failures say since when."""

ALL = "all"
"""Instead of a tag: every rule."""

ParamValue: TypeAlias = bool | int | float | str | tuple[bool | int | float | str, ...]
Views: TypeAlias = Mapping[str, Mapping[str, str]]
"""View name -> column name -> DuckDB type, as `facts.views.view_columns` answers."""


@dataclass(frozen=True, slots=True)
class Expression:
    """One SQL expression over a row of the rule's view, what it names under `let` put in."""

    text: str
    columns: tuple[str, ...]  # each column it names, once, in the order of first mention
    params: tuple[str, ...]  # each $name, likewise without the $
    type: str  # DuckDB type of its value
    written: str = ""  # as the file has it, where it names something under `let`; "": as `text`

    @property
    def shown(self) -> str:
        """The expression as people read it."""
        return self.written or self.text


@dataclass(frozen=True, slots=True)
class Message:
    """A template that message.py has found sound: what is wrong with a row that fails, as a sentence."""

    text: str
    columns: tuple[str, ...]  # each column it names, once, but for those that every verdict has anyway


@dataclass(frozen=True, slots=True)
class Param:
    """A number or word of a rule that a fleet may set differently."""

    default: ParamValue
    unit: str
    why: str
    bounds: Bounds | None = None  # None: the rule's author gives none
    source: str = ""  # the document that states the default, "" where none does, or the rule's author names none
    policy: bool = False  # the default is this project's own choice: no document states it, and nothing is written to a host for its sake


@dataclass(frozen=True, slots=True)
class Releases:
    """For which releases of hosts and drivers what a rule wants is known to be right."""

    why: str
    gate: tuple[str, ...] = ()  # the columns by which its verdict or its fix asks for the release; empty: it needs none, and `why` says so


@dataclass(frozen=True, slots=True)
class After:
    """Changes that have to be made before a fix, because it would not hold, or not act, without them."""

    change: str  # the id of the rule that asks for them, or the name of their remediator
    where: Mapping[str, Expression]  # key of their target -> its value, over the row of the fix
    when: Expression | None = None  # they come first unless this is false; None: always
    required: bool = False  # where none of them is planned, the fix is left to a person


@dataclass(frozen=True, slots=True)
class FixRule:
    """How a failure is fixed: where the setting lives, the column it was read as, and what it becomes."""

    remediator: str
    fix_class: FixClass
    target: Mapping[str, Expression]
    column: str  # of the view: the setting as it was read
    value: Expression  # what it is set to; `set` in the file
    when: Expression | None  # the fix is proposed only where this is true; None: wherever the rule fails
    predicted: Mapping[str, Expression]  # further columns the fix changes once it is in effect
    reason: str | None
    touches: Expression | None = None  # what else a change reaches than it is meant for, '' where nothing; None: nothing ever
    retunes: Expression | None = None  # where it is not false the fix reverts what somebody tuned; None: it never does
    after: tuple[After, ...] = ()

    @property
    def class_text(self) -> str:
        """What has to be allowed, in words."""
        if self.retunes is None:
            return str(self.fix_class)
        return f"{self.fix_class}, {'' if self.retunes.text == 'true' else 'partly '}{FixClass.RETUNE}"


@dataclass(frozen=True, slots=True)
class Example:
    """A row and the verdict it must get; columns left out are NULL."""

    name: str
    verdict: Verdict
    row: Mapping[str, Any]
    line: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A codified lesson."""

    id: str
    title: str
    severity: Severity
    over: str  # a view
    lesson: str
    sources: tuple[tuple[str, str | None], ...]  # (what, url)
    holds: Expression
    observed: Expression
    desired: Expression
    path: Path
    documents: tuple[Document, ...] = ()  # of vendors and of security guides; empty: none is known to ask for it
    applies: Expression | None = None  # None: it applies to every row
    failure_title: str = ""  # what is so where it fails; "": reports name failures by the title
    message: Message | None = None  # None: reports make a sentence of title, observed and desired
    tags: tuple[str, ...] = ()
    params: Mapping[str, Param] = field(default_factory=dict)
    let: Mapping[str, Expression] = field(default_factory=dict)  # name -> expression that others name
    may_be_missing: Mapping[str, str] = field(default_factory=dict)  # column -> why its NULL says something
    worse: Mapping[str, bool | str] = field(default_factory=dict)  # column -> the way in which it gets worse: "more", "less", true or false
    evidence: tuple[str, ...] = ()  # further columns that a reader of the finding wants to see; no verdict rests on them
    fix: FixRule | None = None
    by_hand: str | None = None
    if_unknown: str | None = None  # what a person can do so that it can be judged
    releases: Releases | None = None  # None: the rule's author says nothing; every shipped rule does
    risk: str | None = None  # what its fix, or leaving it, may cost, where the fix's class does not say it all
    waive_when: str | None = None  # where a failure may stay as it is
    impact: ImpactModel | str | None = None  # which queues it is about, or why nothing counts its cost; None: not said
    reproduction: Reproduction | None = None  # which load shows its failures; None: its file does not say
    examples: tuple[Example, ...] = ()

    @property
    def judging(self) -> tuple[Expression, ...]:
        """The expressions that make the verdict."""
        return (self.holds,) if self.applies is None else (self.applies, self.holds)

    @property
    def weighed(self) -> frozenset[str]:
        """The columns that make the verdict."""
        return frozenset(column for expression in self.judging for column in expression.columns)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Every expression of the rule."""
        fix = self.fix
        if fix is None:
            fixing: tuple[Expression | None, ...] = ()
        else:
            first = [expression for after in fix.after for expression in (*after.where.values(), after.when)]
            fixing = (*fix.target.values(), fix.value, fix.when, fix.touches, fix.retunes, *fix.predicted.values(), *first)
        return tuple(expression for expression in (*self.judging, self.observed, self.desired, *fixing) if expression is not None)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column the rule reads or shows, once: the evidence of its verdicts."""
        named = [column for expression in self.expressions for column in expression.columns]
        shown = self.message.columns if self.message else ()
        return tuple(dict.fromkeys([*named, *([self.fix.column] if self.fix else []), *shown, *self.evidence]))


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Every rule that was loaded, by id in alphabetical order, and the views they range over."""

    rules: Mapping[str, Rule]
    views: Views
    left_out: frozenset[str] = frozenset()  # ids that exist and were not requested

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules.values())

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, rule_id: str) -> Rule:
        return self.rules[rule_id]

    def usual(self) -> RuleSet:
        """The rules without those that are judged on request only."""
        return self.only(rule.id for rule in self if ON_REQUEST not in rule.tags)

    def tagged(self, tags: Collection[str]) -> RuleSet:
        """The rules with any of these tags; all of them when none is named, or ALL.

        Raises:
            ConfigurationError: no rule has such a tag.
        """
        if not tags or ALL in tags:
            return self
        known = {tag for rule in self for tag in rule.tags}
        for tag in sorted(set(tags) - known):
            raise ConfigurationError(
                f'no rule has the tag "{tag}"{did_you_mean(tag, known)}',
                why="nothing was judged: what was requested does not exist.",
                do="see `auditor rules list`.",
            )
        return self.only(rule.id for rule in self if set(tags) & set(rule.tags))

    def only(self, ids: Iterable[str]) -> RuleSet:
        """The rules with these ids.

        Raises:
            ConfigurationError: there is no such rule.
        """
        wanted = set(ids)
        for rule_id in sorted(wanted - set(self.rules)):
            raise ConfigurationError(
                f'no rule is called "{rule_id}"{did_you_mean(rule_id, self.rules)}',
                why="nothing was judged: what was requested does not exist.",
                do="see `auditor rules list`.",
            )
        chosen = {rule_id: rule for rule_id, rule in self.rules.items() if rule_id in wanted}
        return RuleSet(chosen, self.views, self.left_out | (set(self.rules) - wanted))
