"""Reads the columns and params of a plain expression from its words alone: a second reader beside DuckDB's parser, and a quick one.

Every word counts as a column that is not known to be something else. So where this agrees with DuckDB, no column stands anywhere that
DuckDB's tree does not have. Where it does not, or where the text has anything unusual, columns.py parses it with sqlglot.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from auditor.engine.rules.columns import Names
from auditor.engine.rules.strictness import columns_of, nodes

_TOKEN = re.compile(
    r"""
    (?P<blank> \s+ )
  | (?P<text> '(?:[^']|'')*' )
  | (?P<number> (?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.$']) )
  | \$(?P<param> [a-z][a-z0-9_]* )(?![\w$.])
  | (?P<word> [A-Za-z_][A-Za-z0-9_]* )(?![.'"$\[])
  | (?P<sign> ::|<=|>=|<>|!=|\|\||[-+*/%^<>=(),] )
    """,
    re.VERBOSE | re.ASCII,
)
_MARKS = ("--", "/*", "*/", "->", "=>", "**")
_KEYWORDS = frozenset(
    (
        *("and", "or", "not", "is", "null", "true", "false", "in", "like", "ilike", "glob", "between", "distinct", "from"),
        *("case", "when", "then", "else", "end", "as", "cast", "try_cast"),
    )
)


_PARAM_OR_TEXT = re.compile(r"'(?:[^']|'')*'|\$(?P<param>[a-z][a-z0-9_]*)")
_ODDLY_QUOTED = re.compile(r"""["]|--|/\*|\$[a-zA-Z_0-9]*\$|\b[eE]'""")  # names in quotes, comments, texts between dollars or with escapes


def plain_names(text: str, tree: Any) -> Names | None:
    """What an expression names, each once and in the order of its words; None: it is not plain, or DuckDB's `tree` differs."""
    columns: dict[str, None] = {}
    params: dict[str, None] = {}
    called: set[str] = set()
    tokens = _tokens(text)
    if tokens is None:
        return None
    for at, (kind, token) in enumerate(tokens):
        before, after = tokens[at - 1] if at else ("", ""), tokens[at + 1] if at + 1 < len(tokens) else ("", "")
        if kind == "param":
            params[token[1:]] = None
        if kind != "word" or token.lower() in _KEYWORDS:
            continue
        if after[1] == "(" and before[1] != "::" and before[1].lower() != "as":
            called.add(token.lower())
        elif before[1] != "::" and before[1].lower() != "as":  # else it is a type
            columns[token.lower()] = None
    functions = {node["function_name"] for node in nodes(tree) if node["class"] == "FUNCTION"}
    in_tree = {node["identifier"] for node in nodes(tree) if node["class"] == "PARAMETER"}
    agreed = columns_of(tree) == columns.keys() and in_tree == params.keys() and {f for f in functions if f.isidentifier()} <= called
    return Names(tuple(columns), tuple(params)) if agreed else None


def renamed_params(text: str, prefix: str) -> str:
    """The expression with every $name as $<prefix>name."""
    if "$" not in text:
        return text
    if _ODDLY_QUOTED.search(text) is None:
        return _PARAM_OR_TEXT.sub(lambda match: f"${prefix}{match['param']}" if match["param"] else match[0], text)
    from sqlglot import tokenize  # a fifth of a second to import, and hardly ever needed

    dollars = [token.end + 1 for token in tokenize(text, read="duckdb") if token.token_type.name == "PARAMETER"]
    edges = [0, *dollars, len(text)]
    return prefix.join(text[start:end] for start, end in pairwise(edges))


def _tokens(text: str) -> list[tuple[str, str]] | None:
    if any(mark in text for mark in _MARKS):
        return None
    tokens, at, depth = [], 0, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        depth += (match[0] == "(") - (match[0] == ")")
        if depth < 0:
            return None  # it closes a parenthesis that is not its own
        if match.lastgroup != "blank":
            tokens.append((str(match.lastgroup), match[0]))
        at = match.end()
    return tokens
