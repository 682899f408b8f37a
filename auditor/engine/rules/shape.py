"""The form of a rule file: which keys it may have, and what their values must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, field

from auditor.model import Cure, DocumentKind, FixClass, ImpactScope, Lesson, Severity
from auditor.yaml.shapes import Shape, Text

Sql: TypeAlias = Annotated[bool | int | float | str, Meta(description="one SQL expression")]
"""`desired: 256` and `set: true` are YAML's words and SQL's alike."""


Number: TypeAlias = Annotated[int | float, Meta(description="a number")]
Choices: TypeAlias = Annotated[tuple[bool | int | float | str, ...] | str, Meta(description="a list of words, or families")]


class SourceShape(Shape):
    """Who says so."""

    what: Text
    url: Text | None = None


class DocumentShape(Shape, kw_only=True):
    """A document of a vendor, or of a security guide, that asks for what the rule wants, or says why."""

    kind: DocumentKind
    title: Text
    number: Text | None = None
    section: Text | None = None
    url: Text | None = None
    quoted: bool = False


class BoundsShape(Shape, kw_only=True):
    """What a param may be: a range, choices, or the reason why nothing bounds it."""

    least: Number | None = None
    most: Number | None = None
    choices: Choices | None = None
    open: Text | None = None
    source: Text | None = None


class ParamShape(Shape, kw_only=True):
    """A value that a fleet may set differently, and the document that states it, unless it is this rule's own choice."""

    default: Any = None
    bounds: BoundsShape | None = None
    unit: Text
    why: Text
    source: Text | None = None
    policy: bool = False


class ReleasesShape(Shape, kw_only=True):
    """By which columns a rule asks for the release, or why it needs not."""

    gate: tuple[Text, ...] = ()
    why: Text


class ImpactShape(Shape, kw_only=True):
    """Which queues a failure is about, and what its fix makes of them; or why nothing counts what it costs."""

    scope: ImpactScope | None = None
    cure: Cure | None = None
    value: Annotated[int, Meta(ge=1, description="a whole number of commands, 1 or more")] | None = None
    none: Text | None = None

    def problem(self) -> str:
        """What is wrong with the keys together; "" when nothing is."""
        if (self.scope is None) == (self.none is None):
            return "must say the scope of a failure, or under none why nothing counts what it costs"
        if self.none is not None:
            return "" if self.cure is None and self.value is None else "has neither cure nor value where it says none"
        if (self.cure is None) != (self.scope in (ImpactScope.POOL, ImpactScope.COPY, ImpactScope.MOVE)):
            return "must name its cure, what the fix changes" if self.cure is None else f"of a {self.scope} has no cure"
        if self.value is not None and self.cure not in (Cure.DSNRO, Cure.QUEUE_DEPTH):
            return f"has a value only where the cure is {Cure.DSNRO} or {Cure.QUEUE_DEPTH}: it is the depth that is set"
        return ""


class ReproductionShape(Shape, kw_only=True):
    """Which load shows a failure, or why none does."""

    lesson: Lesson | None = None
    endpoint_lesson: Lesson | None = None
    why_not: Text | None = None

    def problem(self) -> str:
        """What is wrong with the keys together; "" when nothing is."""
        if (self.lesson is None) == (self.why_not is None):
            return "must say the lesson that a load shows, or why_not"
        return "has an endpoint_lesson only beside a lesson" if self.endpoint_lesson is not None and self.lesson is None else ""


class AfterShape(Shape, kw_only=True):
    """A change that has to be made first."""

    change: Text  # the id of a rule, or the name of a remediator
    where: Mapping[str, Sql] = field(default_factory=dict)
    when: Sql | None = None
    required: bool = False


class FixShape(Shape, kw_only=True):
    """How a failure is fixed."""

    remediator: Text
    target: Mapping[str, Sql] = field(default_factory=dict)
    column: Text
    value: Sql = field(name="set")
    when: Sql | None = None
    touches: Sql | None = None
    retunes: Sql | None = None
    predicted: Mapping[str, Sql] = field(name="foretold", default_factory=dict)
    fix_class: FixClass = field(name="class")
    reason: Text | None = None
    after: tuple[AfterShape, ...] = ()


class ExampleShape(Shape):
    """A row, under the verdict that it must get."""

    name: Text | None = None
    row: Mapping[str, Any] = field(default_factory=dict)


class ExamplesShape(Shape):
    """The rows by their verdicts."""

    passes: tuple[ExampleShape, ...] = ()
    fails: tuple[ExampleShape, ...] = ()
    unknown: tuple[ExampleShape, ...] = ()
    not_applicable: tuple[ExampleShape, ...] = ()


class RuleShape(Shape, kw_only=True):
    """The whole file. What may be left out has the meaning that `reader.py` gives it; a rule that is shipped leaves nothing of it out."""

    id: Text | None = None
    title: Text
    failure_title: Text | None = None
    severity: Severity = Severity.MEDIUM
    tags: tuple[str, ...] = ()
    over: Text
    releases: ReleasesShape | None = None
    impact: ImpactShape | None = None
    reproduction: ReproductionShape | None = None
    lesson: Text | None = None
    sources: tuple[SourceShape, ...] = ()
    documents: tuple[DocumentShape, ...] = ()
    params: Mapping[str, ParamShape] = field(default_factory=dict)
    let: Mapping[str, Sql] = field(default_factory=dict)
    applies: Sql | None = None
    holds: Sql
    observed: Sql | None = None
    desired: Sql | None = None
    message: Text | None = None
    may_be_missing: Mapping[str, Text] = field(default_factory=dict)
    worse: Mapping[str, bool | Text] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    fix: FixShape | None = None
    by_hand: Text | None = None
    if_unknown: Text | None = None
    risk: Text | None = None
    waive_when: Text | None = None
    examples: ExamplesShape
