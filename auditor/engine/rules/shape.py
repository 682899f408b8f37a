"""The form of a rule file: which keys it may have, and what their values must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, field

from auditor.model import DocumentKind, FixClass, Severity
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

    name: Text
    row: Mapping[str, Any] = field(default_factory=dict)


class ExamplesShape(Shape):
    """The rows by their verdicts."""

    passes: tuple[ExampleShape, ...] = ()
    fails: tuple[ExampleShape, ...] = ()
    unknown: tuple[ExampleShape, ...] = ()
    not_applicable: tuple[ExampleShape, ...] = ()


class RuleShape(Shape, kw_only=True):
    """The whole file."""

    id: Text
    title: Text
    failure_title: Text | None = None
    severity: Severity
    tags: tuple[str, ...] = ()
    over: Text
    releases: ReleasesShape | None = None
    lesson: Text
    sources: tuple[SourceShape, ...]
    documents: tuple[DocumentShape, ...] = ()
    params: Mapping[str, ParamShape] = field(default_factory=dict)
    applies: Sql | None = None
    holds: Sql
    observed: Sql
    desired: Sql
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
