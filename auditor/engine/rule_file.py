"""Reads one rule file, and keeps every mistake it finds in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from auditor.engine.columns import ExpressionError
from auditor.engine.expressions import RESERVED, ExpressionChecker
from auditor.engine.fields import Fields
from auditor.engine.rule import Example, Expression, FixRule, Param, Rule, Views
from auditor.engine.types import Family, family_of, is_param_value, suits
from auditor.model import FixClass, Severity, Verdict
from auditor.yaml import YamlDocument

_REQUIRED = ("title", "lesson", "sources", "holds", "observed", "desired", "examples")
_KEYS = (
    "id",
    "severity",
    "tags",
    "over",
    "params",
    "applies",
    "may_be_missing",
    "evidence",
    "fix",
    "by_hand",
    "if_unknown",
    "risk",
    "waive_when",
    *_REQUIRED,
)
_JUDGING = ("applies", "holds", "observed", "desired")
_FIX_KEYS = ("remediator", "target", "column", "set", "when", "foretold", "class", "reason")
_EXAMPLE_KEYS = {"passes": Verdict.PASS, "fails": Verdict.FAIL, "unknown": Verdict.UNKNOWN, "not_applicable": Verdict.NOT_APPLICABLE}
_TRUTH = (Family.TRUTH,)
_SETTINGS = (Family.TRUTH, Family.WHOLE, Family.NUMBER, Family.TEXT)
_SHOWN = (*_SETTINGS, Family.TIME)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_ID = re.compile(r"[a-z0-9-]+(/[a-z0-9-]+)+")
# Stands where an expression has a mistake: the rule is thrown away then, after all its mistakes are known.
_NOTHING = Expression("NULL", (), (), "NULL")


class RuleReader:
    """Turns one file into a rule; `problems` then holds (line, what) of each mistake."""

    def __init__(
        self,
        document: YamlDocument,
        checker: ExpressionChecker,
        views: Views,
        remediators: Collection[str],
    ) -> None:
        self._fields = Fields(document)
        self._checker = checker
        self._views = views
        self._remediators = remediators
        self._view = ""
        self._params: Mapping[str, Param] = {}

    @property
    def problems(self) -> list[tuple[int, str]]:
        """The mistakes by line."""
        return sorted(self._fields.problems)

    def expressions(self) -> Iterator[tuple[str, str, Mapping[str, Param]]]:
        """What stands where an expression belongs, sound or not, with the view and the params it would be checked with."""
        fields, view = self._fields, self._fields.get("over")
        if not isinstance(view, str) or view not in self._views:
            return
        told, fix = fields.get("params"), fields.get("fix")
        params = {}
        for name in told if isinstance(told, dict) else ():
            default = fields.get("params", name, "default")
            params[name] = Param(tuple(default) if isinstance(default, list) else default, "", "")
        values = [fields.get(key) for key in _JUDGING]
        if isinstance(fix, dict):
            values += [fix.get("set"), fix.get("when")]
            values += [value for key in ("target", "foretold") if isinstance(fix.get(key), dict) for value in fix[key].values()]
        for value in values:
            if value is not None and not isinstance(value, list | dict):
                yield _as_sql(value), view, params

    def rule(self, expected_id: str) -> Rule | None:
        """The rule, if the file has no mistake."""
        fields = self._fields
        fields.known_keys(_KEYS)
        for key in _REQUIRED:
            if fields.get(key) is None:
                fields.wrong(f'"{key}" is missing')
        self._check_id(expected_id)
        severity = fields.one_of(list(Severity), "severity", "severity")
        view = fields.one_of(self._views, "view", "over")
        if view is None:
            return None  # every other sentence about an expression would follow from this one
        self._view = view
        self._params = self._read_params()
        missing = {}
        if fields.are_known(self._views[view], f"column in view {view}", "may_be_missing"):
            missing = {column: fields.text("may_be_missing", column, required=True) for column in fields.mapping("may_be_missing")}
        rule = Rule(
            id=expected_id,
            title=fields.text("title"),
            severity=Severity(severity or Severity.INFO),
            over=view,
            lesson=fields.text("lesson"),
            sources=self._read_sources(),
            holds=self._expression("holds", wanted=_TRUTH) or _NOTHING,
            observed=self._expression("observed", wanted=_SHOWN) or _NOTHING,
            desired=self._expression("desired", wanted=_SHOWN) or _NOTHING,
            path=fields.document.path,
            applies=self._expression("applies", wanted=_TRUTH),
            tags=fields.texts("tags"),
            params=self._params,
            may_be_missing=missing,
            evidence=self._read_evidence(),
            fix=self._read_fix(),
            by_hand=fields.text("by_hand") or None,
            if_unknown=fields.text("if_unknown") or None,
            risk=fields.text("risk") or None,
            waive_when=fields.text("waive_when") or None,
            examples=self._read_examples(),
        )
        self._check_whole(rule)
        return None if fields.problems else rule

    def _read_evidence(self) -> tuple[str, ...]:
        columns = self._fields.texts("evidence")
        for index, column in enumerate(columns):
            if column not in self._views[self._view]:
                self._fields.unknown(f"column in view {self._view}", column, self._views[self._view], "evidence", index)
        return columns

    def _check_id(self, expected: str) -> None:
        written = self._fields.text("id", required=True)
        if written and written != expected:
            self._fields.wrong(f'id is "{written}" and the file\'s path says "{expected}"', "id")
        elif not _ID.fullmatch(expected):
            self._fields.wrong(f'"{expected}" is not TOPIC/NAME in lower case, digits and dashes', "id")

    def _check_whole(self, rule: Rule) -> None:
        """What only shows once every part is read."""
        fields = self._fields
        if rule.applies is not None:
            try:
                self._checker.check_strict(rule.applies.text, rule.may_be_missing)
            except ExpressionError as failure:
                fields.wrong(f"'applies' {failure}", "applies")
        if rule.holds is not _NOTHING and not rule.holds.columns:
            fields.wrong("'holds' names no column, so it says the same of every row", "holds")
        if fields.get("fix") is None and rule.by_hand is None:
            fields.wrong('neither "fix" nor "by_hand" says what to do about a failure')
        self._check_example_kinds(rule)
        if fields.problems:
            return  # an expression with a mistake names nothing, and what it would name is not unused
        used = {name for expression in rule.expressions for name in expression.params}
        for name in rule.params:
            if name not in used:
                fields.wrong(f"no expression names ${name}", "params", name)
        for column in rule.may_be_missing:
            if column not in rule.columns:
                fields.wrong(f'no expression names "{column}"', "may_be_missing", column)

    def _check_example_kinds(self, rule: Rule) -> None:
        present = {example.verdict for example in rule.examples}
        for key, verdict in _EXAMPLE_KEYS.items():
            can_be = verdict is not Verdict.NOT_APPLICABLE or self._fields.get("applies") is not None
            if can_be and verdict not in present:
                self._fields.wrong(f'no example under "{key}"', "examples")
            if not can_be and verdict in present:
                self._fields.wrong(f'without "applies" no row is "{key}"', "examples", key)

    def _read_params(self) -> dict[str, Param]:
        fields, params = self._fields, {}
        for name in fields.mapping("params"):
            if not _NAME.fullmatch(name) or name.startswith(RESERVED):
                fields.wrong(f'"{name}" cannot be a param: lower-case letters, digits and _, and not {RESERVED}...', "params", name)
            fields.known_keys(("default", "unit", "why"), "params", name)
            default = fields.get("params", name, "default")
            if isinstance(default, list):
                default = tuple(default)
            if not is_param_value(default):
                fields.wrong(
                    f"the default of ${name} must be true, false, a number, text, or a list of one kind of these", "params", name, "default"
                )
                default = ""
            unit, why = fields.text("params", name, "unit", required=True), fields.text("params", name, "why", required=True)
            params[name] = Param(default, unit, why)
        return params

    def _read_sources(self) -> tuple[tuple[str, str | None], ...]:
        fields, result = self._fields, []
        for index, _ in enumerate(entries := fields.items("sources")):
            fields.known_keys(("what", "url"), "sources", index)
            url = fields.text("sources", index, "url")
            if url and not url.startswith(("https://", "http://", "docs/")):  # docs/: a page of this repository
                fields.wrong(f'"{url}" is not a URL', "sources", index, "url")
            result.append((fields.text("sources", index, "what", required=True), url or None))
        if not entries and fields.get("sources") is not None:
            fields.wrong("a rule without a source is a rumour: name at least one", "sources")
        return tuple(result)

    def _read_fix(self) -> FixRule | None:
        fields = self._fields
        if fields.get("fix") is None:
            return None
        fields.known_keys(_FIX_KEYS, "fix")
        columns = self._views[self._view]
        remediator = fields.one_of(self._remediators, "remediator", "fix", "remediator")
        fix_class = fields.one_of(list(FixClass), "fix class", "fix", "class")
        column = fields.one_of(columns, f"column in view {self._view}", "fix", "column")
        target = self._expressions("fix", "target", wanted=_SETTINGS)
        if not target:
            fields.wrong('"target" does not say where the setting lives', "fix", "target")
        value = self._expression("fix", "set", wanted=_SETTINGS, required=True)
        when = self._expression("fix", "when", wanted=_TRUTH)
        foretold = self._expressions("fix", "foretold", wanted=tuple(Family))
        known = fields.are_known(columns, f"column in view {self._view}", "fix", "foretold")
        if remediator is None or fix_class is None or column is None or value is None or not known:
            return None
        for name, expression in foretold.items():
            self._check_fits(name, expression, "foretold", name)
        self._check_fits(column, value, "set")
        return FixRule(remediator, FixClass(fix_class), target, column, value, when, foretold, fields.text("fix", "reason") or None)

    def _check_fits(self, column: str, expression: Expression, *key: str) -> None:
        has, gets = family_of(self._views[self._view][column]), family_of(expression.type)
        # A text column holds settings of every type as the wire told them; the expression then says which type this one has.
        if has not in (gets, Family.TEXT) and (has, gets) != (Family.NUMBER, Family.WHOLE):
            self._fields.wrong(f"\"{column}\" is {has}, and '{key[0]}' gives {gets}; cast it", "fix", *key)

    def _read_examples(self) -> tuple[Example, ...]:
        fields, result = self._fields, dict[str, Example]()
        fields.known_keys(tuple(_EXAMPLE_KEYS), "examples")
        for key, verdict in _EXAMPLE_KEYS.items():
            for index, _ in enumerate(fields.items("examples", key)):
                fields.known_keys(("name", "row"), "examples", key, index)
                name = fields.text("examples", key, index, "name", required=True)
                if name in result:
                    fields.wrong(f'a second example is named "{name}"', "examples", key, index, "name")
                self._check_row("examples", key, index, "row")
                row = fields.mapping("examples", key, index, "row")
                result[name] = Example(name, verdict, row, fields.document.line("examples", key, index))
        return tuple(result.values())

    def _check_row(self, *at: str | int) -> None:
        columns = self._views[self._view]
        if self._fields.are_known(columns, f"column in view {self._view}", *at):
            for column, value in self._fields.mapping(*at).items():
                if not suits(value, family_of(columns[column])):
                    self._fields.wrong(f'"{column}" is {family_of(columns[column])}, and {value!r} is not', *at, column)

    def _expressions(self, *at: str, wanted: Collection[Family]) -> dict[str, Expression]:
        found = {key: self._expression(*at, key, wanted=wanted, required=True) for key in self._fields.mapping(*at)}
        return {key: expression for key, expression in found.items() if expression is not None}

    def _expression(self, *at: str, wanted: Collection[Family], required: bool = False) -> Expression | None:
        value, name = self._fields.get(*at), ".".join(at)
        if value is None:
            if required:
                self._fields.wrong(f'"{name}" is missing', *at)
            return None
        if isinstance(value, list | dict):
            self._fields.wrong(f"'{name}' must be one SQL expression", *at)
            return None
        text = _as_sql(value)
        try:
            expression = self._checker.read(text, self._view, self._params)
        except ExpressionError as failure:
            self._fields.wrong(f"'{name}' {failure}", *at)
            return None
        if family_of(expression.type) not in wanted:
            meant = Family.TRUTH if wanted == _TRUTH else "a single value"
            self._fields.wrong(f"'{name}' must be {meant}, and is {expression.type}", *at)
            return None
        return expression


def _as_sql(value: Any) -> str:
    """The text of an expression: `desired: 256` and `set: true` are YAML's words and SQL's alike."""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
