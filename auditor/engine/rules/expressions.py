"""Checks every expression of a rule with DuckDB before anything is judged: it parses, its types fit, and it is pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from auditor.engine.rules.columns import ExpressionError, Names, names_in
from auditor.engine.rules.lexing import plain_names, renamed_params
from auditor.engine.rules.params import bindings
from auditor.engine.rules.rule import Expression, Param, Views
from auditor.engine.rules.strictness import columns_of, hidden_columns, nodes
from auditor.engine.rules.types import Family, family_of
from auditor.engine.sandbox import sandbox
from auditor.yaml.reading import did_you_mean

_Key: TypeAlias = tuple[str, str, str]
_CLOCKS = frozenset(("age", "current_localtime", "current_localtimestamp", "get_current_time"))  # DuckDB lists some as consistent
_SCALAR_MACROS = frozenset(
    ("array_to_string", "if", "nullif", "split_part", "fmod", "fdiv", "list_sum", "list_min", "list_max", "list_count")
)
_CLASSES = frozenset(
    (
        "BETWEEN",
        "CASE",
        "CAST",
        "COLLATE",
        "COLUMN_REF",
        "COMPARISON",
        "CONJUNCTION",
        "CONSTANT",
        "FUNCTION",
        "OPERATOR",
        "PARAMETER",
        "TYPE",
    )
)
_LITERALS = {"INTEGER": Family.WHOLE, "NUMERIC": Family.NUMBER, "STRING": Family.TEXT, "BOOLEAN": Family.TRUTH}


class ExpressionChecker:
    """Knows the views' columns; checks expressions on empty tables of their shape, in a sealed DuckDB."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._connection = sandbox()
        self._parsed: dict[str, Mapping[str, Any]] = {}  # text -> what json_serialize_sql answers
        self._known: dict[_Key, Expression] = {}  # found sound
        self._created: set[str] = set()  # views whose table is there

    def read(self, text: str, view: str, params: Mapping[str, Param]) -> Expression:
        """Check one scalar expression over a row of `view`.

        Raises:
            ExpressionError: see the words of it.
        """
        key = _key(text, view, params)
        if key not in self._known:
            names = self._plainly_sound(text, view, params)
            if names is None:
                names = names_in(text)
                tree = self._parse(text)
                self._check_names(names, tree, view, params)
                self._check_parts(tree, self._views[view], params)
            self._known[key] = Expression(text, names.columns, names.params, self._type(text, names, view, params))
        return self._known[key]

    def check_ahead(self, expressions: Iterable[tuple[str, str, Mapping[str, Param]]]) -> None:
        """Check many expressions, each (text, view, params), in a few statements; `read` then knows them.

        One with a mistake is passed over here: `read` finds it, and the words for it.
        """
        wanted = {_key(*one): one for one in expressions}
        texts = list(dict.fromkeys(text for text, _, _ in wanted.values()))
        self._parsed |= zip(texts, self._serialized(texts), strict=True)
        sound: dict[str, list[tuple[_Key, Names]]] = {}
        for key, (text, view, params) in wanted.items():
            names = self._plainly_sound(text, view, params)
            if names is not None:
                sound.setdefault(view, []).append((key, names))
        for view, checked in sound.items():
            types = self._types(view, [(wanted[key], names) for key, names in checked])
            for (key, names), kind in zip(checked, types, strict=False):
                self._known[key] = Expression(wanted[key][0], names.columns, names.params, kind)

    def _table(self, view: str) -> str:
        """The name of the table of a view's shape, which is there now."""
        if view not in self._created:
            listed = ", ".join(f'CAST(NULL AS {kind}) AS "{name}"' for name, kind in self._views[view].items())
            # One row of NULLs: only what is wrong with the constants of an expression can fail on it.
            self._connection.execute(f'CREATE TEMP TABLE "{view}" AS SELECT {listed}')
            self._created.add(view)
        return f'"{view}"'

    def _plainly_sound(self, text: str, view: str, params: Mapping[str, Param]) -> Names | None:
        """What an expression names that is plain and has no mistake but, perhaps, in its types; None for any other."""
        try:
            tree = self._parse(text)
            names = plain_names(text, tree)
            if names is not None:
                self._check_names(names, tree, view, params)
                self._check_parts(tree, self._views[view], params)
        except ExpressionError:
            return None  # sqlglot may have better words for it
        return names

    def _types(self, view: str, expressions: Sequence[tuple[tuple[str, str, Mapping[str, Param]], Names]]) -> list[str]:
        """The type of each; [] when DuckDB refuses one of them."""
        import duckdb

        texts, bound = [], dict[str, Any]()
        for number, ((text, _, params), names) in enumerate(expressions):
            texts.append(f"({renamed_params(text, f'at{number}_')}\n)")
            bound |= bindings({f"at{number}_{name}": params[name].default for name in names.params})
        select = f"SELECT {', '.join(texts)} FROM {self._table(view)}"
        try:
            described = self._connection.execute(f"DESCRIBE {select}", bound).fetchall()
            self._connection.execute(select, bound).fetchall()
        except duckdb.Error:
            return []
        return [str(row[1]) for row in described]

    def check_strict(self, text: str, may_be_missing: Collection[str]) -> None:
        """Refuse what would turn a missing fact into an answer, in an expression that `read` has found sound.

        Raises:
            ExpressionError: it names the part and the columns it hides.
        """
        hidden = hidden_columns(self._parse(text), may_be_missing)
        if hidden is not None:
            part, columns = hidden
            listed = ", ".join(f'"{column}"' for column in columns)
            raise ExpressionError(
                f"uses {part}, which turns a missing {listed} into an answer; "
                f"say it without, or list the column under may_be_missing with a reason"
            )

    def _parse(self, text: str) -> Any:
        if text not in self._parsed:
            self._parsed[text] = self._serialized([text])[0]
        answer = self._parsed[text]
        if answer["error"]:
            raise ExpressionError(f"does not parse: {answer.get('error_message', 'no expression')}")
        if len(answer["statements"]) != 1:
            raise ExpressionError("holds a statement; an expression is wanted")
        return answer["statements"][0]["node"]["select_list"]

    def _serialized(self, texts: Sequence[str]) -> list[Mapping[str, Any]]:
        import json

        bound = {"texts": [f"SELECT ({text}\n)" for text in texts]}
        rows = self._connection.execute("SELECT json_serialize_sql(text) FROM (SELECT unnest($texts) AS text)", bound).fetchall()
        return [json.loads(row[0]) for row in rows]

    def _check_names(self, names: Names, tree: Any, view: str, params: Mapping[str, Param]) -> None:
        known = self._views[view]
        for column in names.columns:
            if column not in known:
                raise ExpressionError(f'names column "{column}", which view {view} does not have{did_you_mean(column, known)}')
        for param in names.params:
            if param not in params:
                raise ExpressionError(f"names ${param}, which is not under params{did_you_mean(param, params)}")
        # Strictness stands or falls with the list of columns, so two parsers have to agree on it.
        only_one_reads = sorted(columns_of(tree) ^ set(names.columns))
        if only_one_reads:
            raise ExpressionError(f'names "{only_one_reads[0]}", which is not plainly a column; DuckDB and sqlglot read it differently')

    def _check_parts(self, tree: Any, columns: Mapping[str, str], params: Mapping[str, Param]) -> None:
        for node in nodes(tree):
            if node["class"] not in _CLASSES:
                raise ExpressionError(
                    f"holds a {node['class'].replace('_', ' ').lower()}; only a scalar expression over the row is allowed"
                )
            if node["class"] == "FUNCTION":
                self._check_function(node)
            self._check_sides(node, columns, params)

    def _check_function(self, node: Mapping[str, Any]) -> None:
        name = node["function_name"]
        # family.upper() is the column family inside a function call, and no parser lists it as a column.
        if node.get("schema") or node.get("catalog"):
            raise ExpressionError(f"calls {name}() behind a dot; write {name}(...) around its argument")
        allowed, known = _functions()
        if name in allowed:
            return
        if name in known:
            raise ExpressionError(f"calls {name}(), which needs more than the row: other rows, a clock, chance or a setting")
        raise ExpressionError(f"calls {name}(), which DuckDB does not have{did_you_mean(name, allowed)}")

    def _check_sides(self, node: Mapping[str, Any], columns: Mapping[str, str], params: Mapping[str, Param]) -> None:
        """Refuse `text_column = 1`: DuckDB would cast the column, and one word in it would end the audit in the middle."""
        if node["class"] not in ("COMPARISON", "BETWEEN") and node["type"] not in ("COMPARE_IN", "COMPARE_NOT_IN"):
            return
        sides = [*(node.get(key) for key in ("left", "right", "input", "lower", "upper")), *node.get("children", ())]
        families = {}
        for side in sides:
            named = _family_of_side(side, columns, params)
            if named is not None:
                families[named[1]] = named[0]
        for one, other in ((Family.TEXT, Family.WHOLE), (Family.TEXT, Family.NUMBER), (Family.TEXT, Family.TRUTH)):
            if one in families and other in families:
                raise ExpressionError(
                    f"compares {families[one]}, which is text, with {families[other]}, which is {other}; cast one of them"
                )

    def _type(self, text: str, names: Names, view: str, params: Mapping[str, Param]) -> str:
        import duckdb

        bound = bindings({name: params[name].default for name in names.params})
        try:
            select = f"SELECT ({text}\n) FROM {self._table(view)}"
            row = self._connection.execute(f"DESCRIBE {select}", bound).fetchone()
            # 'a'::INTEGER passes DESCRIBE and fails here.
            self._connection.execute(select, bound).fetchall()
        except duckdb.Error as failure:
            raise ExpressionError(f"is refused by DuckDB: {str(failure).splitlines()[0]}") from failure
        return str(row[1]) if row else "NULL"


def _key(text: str, view: str, params: Mapping[str, Param]) -> _Key:
    """All that the meaning of an expression depends on: 1, true and 1.0 are params of three types."""
    typed = [f"{name}={type(param.default).__name__} {param.default!r}" for name, param in params.items()] if "$" in text else []
    return text, view, "\n".join(typed)


@cache
def _functions() -> tuple[frozenset[str], frozenset[str]]:
    """The functions whose value depends on their arguments alone, and all functions that DuckDB has."""
    with sandbox() as connection:
        rows = connection.execute("SELECT function_name, function_type, stability FROM duckdb_functions()").fetchall()
    pure = {name for name, kind, stability in rows if kind == "scalar" and stability == "CONSISTENT"}
    impure = {name for name, kind, stability in rows if kind == "scalar" and stability != "CONSISTENT"}
    return frozenset((pure | _SCALAR_MACROS) - impure - _CLOCKS), frozenset(name for name, _, _ in rows)


def _family_of_side(side: Any, columns: Mapping[str, str], params: Mapping[str, Param]) -> tuple[str, Family] | None:
    """What one side of a comparison is called, and its family; None when it is neither a column, a literal nor a param."""
    if not isinstance(side, dict):
        return None
    if side["class"] == "COLUMN_REF":
        column = side["column_names"][0].lower()
        return f'"{column}"', family_of(columns[column])
    if side["class"] == "CONSTANT" and side.get("literal", {}).get("kind") in _LITERALS:
        return side["literal"]["text"], _LITERALS[side["literal"]["kind"]]
    if side["class"] == "PARAMETER":
        default = params[side["identifier"]].default
        kinds = {bool: Family.TRUTH, int: Family.WHOLE, float: Family.NUMBER, str: Family.TEXT}
        family = kinds.get(type(default))
        return None if family is None else (f"${side['identifier']}", family)
    return None
