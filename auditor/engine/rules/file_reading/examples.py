"""The examples of a rule: rows of its view, and the verdict on each."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor.engine.rules.rule import Example
from auditor.engine.rules.types import family_of, suits
from auditor.model import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.engine.rules.file_reading.expressions import ExpressionReader
    from auditor.engine.rules.file_reading.mistakes import Mistakes
    from auditor.engine.rules.shape import ExamplesShape
    from auditor.yaml.reading import YamlDocument

VERDICTS: Mapping[str, Verdict] = MappingProxyType(
    {"passes": Verdict.PASS, "fails": Verdict.FAIL, "unknown": Verdict.UNKNOWN, "not_applicable": Verdict.NOT_APPLICABLE}
)
"""The verdict of the examples under each key."""


def read_examples(document: YamlDocument, shapes: ExamplesShape, expressions: ExpressionReader, mistakes: Mistakes) -> tuple[Example, ...]:
    """The examples of a rule, those with a mistake in their row among them."""
    examples = dict[str, Example]()
    for key, verdict in VERDICTS.items():
        for index, shape in enumerate(getattr(shapes, key)):
            at = ("examples", key, index)
            name = shape.name or f"{key} {index + 1}"
            if name in examples:
                mistakes.add(f'a second example is named "{name}"', *at, "name")
            _check_row(shape.row, expressions, mistakes, *at, "row")
            examples[name] = Example(name.strip(), verdict, shape.row, document.line(*at))
    return tuple(examples.values())


def _check_row(row: Mapping[str, Any], expressions: ExpressionReader, mistakes: Mistakes, *at: str | int) -> None:
    for column, value in row.items():
        known = mistakes.is_known(column, expressions.columns, f"column in view {expressions.view}", *at, column)
        if known and not suits(value, family_of(expressions.columns[column])):
            mistakes.add(f'"{column}" is {family_of(expressions.columns[column])}, and {value!r} is not', *at, column)
