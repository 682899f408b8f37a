"""Reads one rule file, and keeps every mistake it finds in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from auditor.engine.rules.file_reading.examples import read_examples
from auditor.engine.rules.file_reading.expressions import NOTHING, SETTINGS, TRUTH, ExpressionReader, NamedExpressions
from auditor.engine.rules.file_reading.fix import read_fix
from auditor.engine.rules.file_reading.mistakes import Mistakes
from auditor.engine.rules.file_reading.params import param_default, read_params
from auditor.engine.rules.file_reading.references import read_documents, read_sources
from auditor.engine.rules.file_reading.texts import as_sql, stripped
from auditor.engine.rules.file_reading.whole import check_whole
from auditor.engine.rules.message import MessageError, Shown, read_message
from auditor.engine.rules.rule import Message, Param, Releases, Rule
from auditor.engine.rules.shape import RuleShape
from auditor.engine.rules.types import Family, family_of
from auditor.model import ImpactModel, Reproduction
from auditor.sql.names import named, quoted
from auditor.yaml.shapes import decode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from auditor.engine.rules.expressions import ExpressionChecker
    from auditor.engine.rules.rule import Expression, Views
    from auditor.engine.rules.shape import ImpactShape, ReproductionShape
    from auditor.yaml.reading import YamlDocument

NO_LESSON = "Its author gave no reason."
"""The lesson of a rule that has none."""
_SHOWN = (*SETTINGS, Family.TIME)
_ID = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)+")


class RuleReader:
    """Turns one file into a rule; `mistakes` then holds (line, what) of each mistake."""

    def __init__(self, document: YamlDocument, checker: ExpressionChecker, views: Views, remediators: Collection[str]) -> None:
        self._document = document
        self._checker = checker
        self._views = views
        self._remediators = remediators
        self._shape, mistakes = decode(document.data, RuleShape)
        self._mistakes = Mistakes(mistakes)
        self._named = NamedExpressions(self._shape.let)

    @property
    def mistakes(self) -> list[tuple[int, str]]:
        """The mistakes by line."""
        return sorted((self._document.line(*mistake.at), mistake.what) for mistake in self._mistakes.found)

    def expressions(self) -> Iterator[tuple[str, str, Mapping[str, Param]]]:
        """Every expression of the file, sound or not, with the view and the params it will be checked with."""
        shape, fix = self._shape, self._shape.fix
        if shape.over not in self._views:
            return
        params = {name: Param(param_default(param.default), "", "") for name, param in shape.params.items()}
        values: list[Any] = [*shape.let.values(), shape.applies, shape.holds, shape.observed, shape.desired]
        if fix is not None:
            values += [fix.value, fix.when, fix.touches, *fix.target.values(), *fix.predicted.values()]
            values += [value for after in fix.after for value in (after.when, *after.where.values())]
        for value in values:
            if value is not None:
                yield self._named.put_in(as_sql(value)), shape.over, params

    def rule(self, expected_id: str) -> Rule | None:
        """The rule, if the file has no mistake."""
        shape, mistakes = self._shape, self._mistakes
        self._check_id(expected_id)
        if not mistakes.is_known(shape.over, self._views, "view", "over"):
            return None  # every other sentence about an expression would follow from this one
        params = read_params(shape.params, mistakes)
        expressions = ExpressionReader(shape.over, self._views[shape.over], params, self._named, self._checker, mistakes)
        holds = expressions.read(shape.holds, "holds", wanted=TRUTH)
        found, wanted = _shown_where_unsaid(shape.holds, holds)
        observed = expressions.read(found if shape.observed is None else shape.observed, "observed", wanted=_SHOWN)
        desired = expressions.read(wanted if shape.desired is None else shape.desired, "desired", wanted=_SHOWN)
        rule = Rule(
            id=expected_id,
            title=shape.title.strip(),
            failure_title=(shape.failure_title or "").strip(),
            severity=shape.severity,
            over=shape.over,
            lesson=stripped(shape.lesson) or NO_LESSON,
            sources=read_sources(self._document, shape, mistakes),
            documents=read_documents(shape, mistakes),
            holds=holds or NOTHING,
            observed=observed or NOTHING,
            desired=desired or NOTHING,
            message=self._read_message(Shown(expressions.columns, params, observed, desired, expressions.lets)),
            path=self._document.path,
            applies=expressions.read(shape.applies, "applies", wanted=TRUTH),
            tags=shape.tags,
            params=params,
            let=expressions.lets,
            may_be_missing={
                column: why.strip() for column, why in shape.may_be_missing.items() if expressions.is_column(column, "may_be_missing")
            },
            worse=self._read_worse(expressions),
            evidence=tuple(column for index, column in enumerate(shape.evidence) if expressions.is_column(column, "evidence", at=index)),
            fix=None if shape.fix is None else read_fix(shape.fix, expressions, self._remediators, mistakes),
            by_hand=stripped(shape.by_hand),
            if_unknown=stripped(shape.if_unknown),
            releases=None if shape.releases is None else Releases(shape.releases.why.strip(), shape.releases.gate),
            risk=stripped(shape.risk),
            waive_when=stripped(shape.waive_when),
            impact=_impact(shape.impact),
            reproduction=_reproduction(shape.reproduction),
            examples=read_examples(self._document, shape.examples, expressions, mistakes),
        )
        check_whole(shape, rule, self._named, expressions, self._checker, mistakes)
        return None if mistakes.found else rule

    def _check_id(self, expected: str) -> None:
        written = (self._shape.id or "").strip()
        if written and written != expected:
            self._mistakes.add(f'id is "{written}" and the file\'s path says "{expected}"', "id")
        elif not _ID.fullmatch(expected):
            self._mistakes.add(f'"{expected}" is not TOPIC/NAME in lower case, digits and dashes', "id")

    def _read_worse(self, expressions: ExpressionReader) -> dict[str, bool | str]:
        """By column of a number "more" or "less", by column of a truth value which one is worse."""
        read = dict[str, bool | str]()
        for column, direction in self._shape.worse.items():
            if not expressions.is_column(column, "worse"):
                continue
            is_truth = family_of(expressions.columns[column]) is Family.TRUTH
            if not (isinstance(direction, bool) if is_truth else direction in ("more", "less")):
                self._mistakes.add(
                    f'"{direction}" is no way for {column} to get worse: {"true or false" if is_truth else "more or less"}', "worse", column
                )
            read[column] = direction
        return read

    def _read_message(self, shown: Shown) -> Message | None:
        if self._shape.message is None:
            return None
        try:
            return read_message(self._shape.message, shown)
        except MessageError as failure:
            self._mistakes.add(f"'message' {failure}", "message")
            return None


def _shown_where_unsaid(written: Any, holds: Expression | None) -> tuple[str | None, str]:
    """What a rule shows as found and as wanted where it does not say: the first column of its condition, and the condition."""
    text = as_sql(written)
    found = holds.columns[0] if holds is not None and holds.columns else None
    is_bare = found is not None and re.search(rf'(?<![\w"]){re.escape(found)}(?![\w"])', text) is not None
    return (found if is_bare or found is None else named(found)), quoted(text)


def _impact(shape: ImpactShape | None) -> ImpactModel | str | None:
    if shape is None or shape.scope is None:
        return None if shape is None else stripped(shape.none)
    return ImpactModel(shape.scope, shape.cure, None if shape.value is None else float(shape.value))


def _reproduction(shape: ReproductionShape | None) -> Reproduction | None:
    return None if shape is None else Reproduction(shape.lesson, shape.endpoint_lesson, stripped(shape.why_not) or "")
