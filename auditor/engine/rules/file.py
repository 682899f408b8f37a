"""Reads one rule file, and keeps every mistake it finds in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from auditor.engine.rules.bounds import bounds_mistake, bounds_of
from auditor.engine.rules.columns import ExpressionError
from auditor.engine.rules.let import lets_put_in, put_in, used_lets, words_of_sql
from auditor.engine.rules.message import DESIRED, OBSERVED, MessageError, Shown, read_message
from auditor.engine.rules.params import RESERVED
from auditor.engine.rules.rule import After, Example, Expression, FixRule, Message, Param, Releases, Rule
from auditor.engine.rules.shape import RuleShape
from auditor.engine.rules.types import Family, family_of, is_param_value, suits
from auditor.model import Document, DocumentKind, FixClass, ImpactModel, Reproduction, Verdict
from auditor.yaml.reading import did_you_mean
from auditor.yaml.shapes import Mistake, decode

if TYPE_CHECKING:
    from auditor.engine.rules.bounds import Bounds
    from auditor.engine.rules.expressions import ExpressionChecker
    from auditor.engine.rules.rule import Views
    from auditor.engine.rules.shape import AfterShape, FixShape, ImpactShape, ParamShape, ReproductionShape
    from auditor.yaml.reading import YamlDocument

_EXAMPLES = {"passes": Verdict.PASS, "fails": Verdict.FAIL, "unknown": Verdict.UNKNOWN, "not_applicable": Verdict.NOT_APPLICABLE}
_TRUTH = (Family.TRUTH,)
_SETTINGS = (Family.TRUTH, Family.WHOLE, Family.NUMBER, Family.TEXT)
_SHOWN = (*_SETTINGS, Family.TIME)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ID = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)+")
# Stands where an expression has a mistake: the rule is thrown away then, after all its mistakes are known.
_NOTHING = Expression("NULL", (), (), "NULL")


class RuleReader:
    """Turns one file into a rule; `mistakes` then holds (line, what) of each mistake."""

    def __init__(self, document: YamlDocument, checker: ExpressionChecker, views: Views, remediators: Collection[str]) -> None:
        self._document = document
        self._checker = checker
        self._views = views
        self._remediators = remediators
        self._shape, self._mistakes = decode(document.data, RuleShape)
        self._columns: Mapping[str, str] = views.get(self._shape.over, {})
        self._params: Mapping[str, Param] = {}
        self._let_texts = {str(name): _as_sql(value) for name, value in self._shape.let.items()}
        self._whole_lets, self._wrong_lets = lets_put_in(self._let_texts)
        self._written: list[str] = []  # every expression outside `let`, as the file has it

    @property
    def mistakes(self) -> list[tuple[int, str]]:
        """The mistakes by line."""
        return sorted((self._document.line(*mistake.at), mistake.what) for mistake in self._mistakes)

    def expressions(self) -> Iterator[tuple[str, str, Mapping[str, Param]]]:
        """Every expression of the file, sound or not, with the view and the params it will be checked with."""
        shape, fix = self._shape, self._shape.fix
        if shape.over not in self._views:
            return
        params = {name: Param(_default(param.default), "", "") for name, param in shape.params.items()}
        values: list[Any] = [*shape.let.values(), shape.applies, shape.holds, shape.observed, shape.desired]
        if fix is not None:
            values += [fix.value, fix.when, fix.touches, *fix.target.values(), *fix.predicted.values()]
            values += [value for after in fix.after for value in (after.when, *after.where.values())]
        for value in values:
            if value is not None:
                yield put_in(_as_sql(value), self._whole_lets), shape.over, params

    def rule(self, expected_id: str) -> Rule | None:
        """The rule, if the file has no mistake."""
        shape = self._shape
        self._check_id(expected_id)
        if not self._is_known(shape.over, self._views, "view", "over"):
            return None  # every other sentence about an expression would follow from this one
        self._params = self._read_params()
        lets = self._read_lets()
        observed = self._expression(shape.observed, "observed", wanted=_SHOWN)
        desired = self._expression(shape.desired, "desired", wanted=_SHOWN)
        rule = Rule(
            id=expected_id,
            title=shape.title.strip(),
            failure_title=(shape.failure_title or "").strip(),
            severity=shape.severity,
            over=shape.over,
            lesson=shape.lesson.strip(),
            sources=self._read_sources(),
            documents=self._read_documents(),
            holds=self._expression(shape.holds, "holds", wanted=_TRUTH) or _NOTHING,
            observed=observed or _NOTHING,
            desired=desired or _NOTHING,
            message=self._read_message(Shown(self._columns, self._params, observed, desired, lets)),
            path=self._document.path,
            applies=self._expression(shape.applies, "applies", wanted=_TRUTH),
            tags=shape.tags,
            params=self._params,
            let=lets,
            may_be_missing={
                column: why.strip() for column, why in shape.may_be_missing.items() if self._is_column(column, "may_be_missing")
            },
            worse=self._read_worse(),
            evidence=tuple(column for index, column in enumerate(shape.evidence) if self._is_column(column, "evidence", at=index)),
            fix=self._read_fix(shape.fix),
            by_hand=_stripped(shape.by_hand),
            if_unknown=_stripped(shape.if_unknown),
            releases=None if shape.releases is None else Releases(shape.releases.why.strip(), shape.releases.gate),
            risk=_stripped(shape.risk),
            waive_when=_stripped(shape.waive_when),
            impact=_impact_model(shape.impact),
            reproduction=_reproduction(shape.reproduction),
            examples=self._read_examples(),
        )
        self._check_whole(rule)
        return None if self._mistakes else rule

    def _wrong(self, what: str, *at: str | int) -> None:
        self._mistakes.append(Mistake(at, what))

    def _is_known(self, word: str, known: Collection[str], noun: str, *at: str | int) -> bool:
        """Whether `word` is one of `known`; one that is not is a mistake. A blank is one already."""
        if word and word not in known:
            self._wrong(f'there is no {noun} "{word}"{did_you_mean(word, known)}', *at)
        return word in known

    def _is_column(self, column: str, *key: str, at: str | int | None = None) -> bool:
        return self._is_known(column, self._columns, f"column in view {self._shape.over}", *key, column if at is None else at)

    def _check_id(self, expected: str) -> None:
        written = self._shape.id.strip()
        if written and written != expected:
            self._wrong(f'id is "{written}" and the file\'s path says "{expected}"', "id")
        elif not _ID.fullmatch(expected):
            self._wrong(f'"{expected}" is not TOPIC/NAME in lower case, digits and dashes', "id")

    def _check_whole(self, rule: Rule) -> None:
        """Find the mistakes that only show once every part is read."""
        if rule.applies is not None:
            try:
                self._checker.check_strict(rule.applies.text, rule.may_be_missing)
            except ExpressionError as failure:
                self._wrong(f"'applies' {failure}", "applies")
        if rule.holds is not _NOTHING and not rule.holds.columns:
            self._wrong("'holds' names no column, so it says the same of every row", "holds")
        if self._shape.fix is None and rule.by_hand is None:
            self._wrong('neither "fix" nor "by_hand" says what to do about a failure')
        self._check_example_kinds(rule)
        self._check_releases(rule)
        if not self._mistakes:  # an expression with a mistake names nothing, and what it would name is not unused
            self._check_used(rule)

    def _check_used(self, rule: Rule) -> None:
        """Find what the file names and no expression of it uses."""
        unused = self._let_texts.keys() - used_lets(self._written, self._let_texts)
        for name in sorted(unused):
            self._wrong(f'no expression names "{name}"', "let", name)
        if unused:
            return
        used = {name for expression in rule.expressions for name in expression.params}
        for name in rule.params:
            if name not in used:
                self._wrong(f"no expression names ${name}", "params", name)
        for column in rule.may_be_missing:
            if column not in rule.columns:
                self._wrong(f'no expression names "{column}"', "may_be_missing", column)

    def _check_releases(self, rule: Rule) -> None:
        """A column that is said to ask for the release has to decide something: the verdict, or whether and what is written."""
        fix = rule.fix
        deciding = [*rule.judging, *([one for one in (fix.value, fix.when) if one is not None] if fix is not None else [])]
        named = {column for expression in deciding for column in expression.columns}
        for column in rule.releases.gate if rule.releases is not None else ():
            if self._is_column(column, "releases", "gate") and column not in named:
                self._wrong(f'"{column}" gates no release: neither applies, holds nor the fix names it', "releases", "gate")

    def _check_example_kinds(self, rule: Rule) -> None:
        present = {example.verdict for example in rule.examples}
        for key, verdict in _EXAMPLES.items():
            can_be = verdict is not Verdict.NOT_APPLICABLE or self._shape.applies is not None
            if can_be and verdict not in present:
                self._wrong(f'no example under "{key}"', "examples")
            if not can_be and verdict in present:
                self._wrong(f'without "applies" no row is "{key}"', "examples", key)

    def _read_worse(self) -> dict[str, bool | str]:
        """By column of a number "more" or "less", by column of a truth value which one is worse."""
        read = dict[str, bool | str]()
        for column, direction in self._shape.worse.items():
            if not self._is_column(column, "worse"):
                continue
            is_truth = family_of(self._columns[column]) is Family.TRUTH
            if not (isinstance(direction, bool) if is_truth else direction in ("more", "less")):
                self._wrong(
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
            self._wrong(f"'message' {failure}", "message")
            return None

    def _read_lets(self) -> dict[str, Expression]:
        """The named expressions that are sound; the names of the others are added to those that are wrong."""
        lets = {}
        for name, text in self._let_texts.items():
            mistake = self._name_mistake(name)
            if mistake:
                self._wrong(f'"{name}" cannot be a name under let: {mistake}', "let", name)
                self._wrong_lets[name] = mistake
                continue
            if name in self._wrong_lets:
                if not self._wrong_lets[name].endswith("has a mistake"):
                    self._wrong(f'"{name}" {self._wrong_lets[name]}', "let", name)
                continue
            expression = self._expression(text, "let", name, wanted=tuple(Family))
            if expression is None:
                self._wrong_lets[name] = "has a mistake"
            else:
                lets[name] = expression
        return lets

    def _name_mistake(self, name: str) -> str:
        """Why an expression cannot have this name; "" where it can."""
        if not _NAME.fullmatch(name) or name.startswith(RESERVED):
            return f"lower-case letters, digits and _, and not {RESERVED}..."
        if name in self._columns:
            return f"view {self._shape.over} has a column of that name"
        if name in self._params:
            return "a param has that name"
        if name in (OBSERVED, DESIRED):
            return "a message names the observed and the desired value so"
        return "it is a word of SQL" if name in words_of_sql() else ""

    def _read_params(self) -> dict[str, Param]:
        params = {}
        for name, shape in self._shape.params.items():
            if not _NAME.fullmatch(name) or name.startswith(RESERVED):
                self._wrong(f'"{name}" cannot be a param: lower-case letters, digits and _, and not {RESERVED}...', "params", name)
            default = _default(shape.default)
            if not is_param_value(default):
                what = f"the default of ${name} must be true, false, a number, text, or a list of one kind of these"
                self._wrong(what, "params", name, "default")
                default = ""
            if shape.policy and shape.source is not None:
                self._wrong(f"${name} has a source, so it is no policy", "params", name, "policy")
            bounds = self._read_bounds(name, shape, default)
            params[name] = Param(default, shape.unit.strip(), shape.why.strip(), bounds, _stripped(shape.source) or "", shape.policy)
        return params

    def _read_bounds(self, name: str, shape: ParamShape, default: Any) -> Bounds | None:
        if shape.bounds is None:
            return None
        mistake = bounds_mistake(shape.bounds, default)
        if mistake:
            self._wrong(f"${name}: {mistake}", "params", name, "bounds")
            return None
        bounds = bounds_of(shape.bounds)
        fault = bounds.fault(default) if bounds is not None else ""
        if fault:
            self._wrong(f"the default of ${name} {fault}", "params", name, "default")
        return bounds

    def _read_sources(self) -> tuple[tuple[str, str | None], ...]:
        for index, source in enumerate(self._shape.sources):
            if source.url and not source.url.startswith(("https://", "http://", "docs/")):  # docs/: a page of this repository
                self._wrong(f'"{source.url}" is not a URL', "sources", index, "url")
        if self._document.data.get("sources") == []:
            self._wrong("a rule without a source is a rumour: name at least one", "sources")
        return tuple((source.what.strip(), _stripped(source.url)) for source in self._shape.sources)

    def _read_documents(self) -> tuple[Document, ...]:
        for index, document in enumerate(self._shape.documents):
            if document.url and not document.url.startswith(("https://", "http://")):
                self._wrong(f'"{document.url}" is not a URL', "documents", index, "url")
            if document.kind is not DocumentKind.VENDOR and not document.number:
                self._wrong("a control of a security guide has an id: write it as its number", "documents", index)
            elif not (document.number or document.section):
                self._wrong("nobody finds the place in it: name its number, or the section", "documents", index)
        return tuple(
            Document(one.kind, one.title.strip(), _stripped(one.number), _stripped(one.section), _stripped(one.url), one.quoted)
            for one in self._shape.documents
        )

    def _read_fix(self, shape: FixShape | None) -> FixRule | None:
        if shape is None:
            return None
        remediator = self._is_known(shape.remediator, self._remediators, "remediator", "fix", "remediator")
        column = self._is_column(shape.column, "fix", at="column")
        target = self._expressions(shape.target, "target", wanted=_SETTINGS)
        if not target:
            self._wrong('"target" does not say where the setting lives', "fix", "target")
        value = self._expression(shape.value, "fix", "set", wanted=_SETTINGS)
        when = self._expression(shape.when, "fix", "when", wanted=_TRUTH)
        touches = self._expression(shape.touches, "fix", "touches", wanted=(Family.TEXT,))
        retunes = self._expression(shape.retunes, "fix", "retunes", wanted=_TRUTH)
        if shape.fix_class is FixClass.RETUNE:
            self._wrong("retune does not say what the change takes: name that class, and say in `retunes` where it reverts", "fix", "class")
        predicted = self._expressions(shape.predicted, "foretold", wanted=tuple(Family))
        known = [self._is_column(name, "fix", "foretold") for name in shape.predicted]
        if not remediator or not column or value is None or not all(known):
            return None
        for name, expression in predicted.items():
            self._check_fits(name, expression, "foretold", name)
        self._check_fits(shape.column, value, "set")
        reason = _stripped(shape.reason)
        after = tuple(self._read_after(one, index) for index, one in enumerate(shape.after))
        return FixRule(shape.remediator, shape.fix_class, target, shape.column, value, when, predicted, reason, touches, retunes, after)

    def _read_after(self, shape: AfterShape, index: int) -> After:
        """What has to come first; whether there is such a rule is known when all rules are read (fix_order.py)."""
        at = ("fix", "after", index)
        if "/" not in shape.change:
            self._is_known(shape.change, self._remediators, "remediator", *at, "change")
        if not shape.where:
            self._wrong('"where" does not say which changes come first: name a key of their target, for example {host_id: host_id}', *at)
        where = {name: self._expression(value, *at, "where", name, wanted=_SETTINGS) for name, value in shape.where.items()}
        when = self._expression(shape.when, *at, "when", wanted=_TRUTH)
        return After(shape.change, {name: value for name, value in where.items() if value is not None}, when, shape.required)

    def _check_fits(self, column: str, expression: Expression, *key: str) -> None:
        has, gets = family_of(self._columns[column]), family_of(expression.type)
        # A text column holds settings of every type as the wire has them; the expression then says which type this one has.
        if has not in (gets, Family.TEXT) and (has, gets) != (Family.NUMBER, Family.WHOLE):
            self._wrong(f"\"{column}\" is {has}, and '{key[0]}' gives {gets}; cast it", "fix", *key)

    def _read_examples(self) -> tuple[Example, ...]:
        examples = dict[str, Example]()
        for key, verdict in _EXAMPLES.items():
            for index, shape in enumerate(getattr(self._shape.examples, key)):
                at = ("examples", key, index)
                if shape.name and shape.name in examples:
                    self._wrong(f'a second example is named "{shape.name}"', *at, "name")
                self._check_row(shape.row, *at, "row")
                examples[shape.name] = Example(shape.name.strip(), verdict, shape.row, self._document.line(*at))
        return tuple(examples.values())

    def _check_row(self, row: Mapping[str, Any], *at: str | int) -> None:
        for column, value in row.items():
            known = self._is_known(column, self._columns, f"column in view {self._shape.over}", *at, column)
            if known and not suits(value, family_of(self._columns[column])):
                self._wrong(f'"{column}" is {family_of(self._columns[column])}, and {value!r} is not', *at, column)

    def _expressions(self, values: Mapping[str, Any], key: str, *, wanted: Collection[Family]) -> dict[str, Expression]:
        """Those of a fix, under `key`."""
        read = {name: self._expression(value, "fix", key, name, wanted=wanted) for name, value in values.items()}
        return {name: expression for name, expression in read.items() if expression is not None}

    def _expression(self, value: Any, *at: str | int, wanted: Collection[Family]) -> Expression | None:
        if value is None:
            return None
        name, written = ".".join(map(str, at)), _as_sql(value)
        if at[0] != "let":
            self._written.append(written)
        if any(named in self._wrong_lets for named in used_lets([written], self._let_texts)):
            return None  # the error was reported where the expression is defined
        text = put_in(written, self._whole_lets)
        try:
            expression = self._checker.read(text, self._shape.over, self._params)
        except ExpressionError as failure:
            self._wrong(f"'{name}' {failure}", *at)
            return None
        if family_of(expression.type) not in wanted:
            meant = Family.TRUTH if wanted == _TRUTH else "a single value"
            self._wrong(f"'{name}' must be {meant}, and is {expression.type}", *at)
            return None
        return expression if text == written else replace(expression, written=written)


def _impact_model(shape: ImpactShape | None) -> ImpactModel | None:
    return None if shape is None else ImpactModel(shape.scope, shape.cure, None if shape.value is None else float(shape.value))


def _reproduction(shape: ReproductionShape | None) -> Reproduction | None:
    return None if shape is None else Reproduction(shape.lesson, shape.endpoint_lesson, _stripped(shape.why_not) or "")


def _as_sql(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value).strip()


def _default(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _stripped(text: str | None) -> str | None:
    return text.strip() if text is not None else None
