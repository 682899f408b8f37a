"""Reads the columns and params of a plain expression from its words alone: a second reader beside DuckDB's parser, and a quick one.

Every word counts as a column that is not known to be something else. So where this agrees with DuckDB, no column stands anywhere that
DuckDB's tree does not have. Where it does not, or where the text has anything unusual, columns.py parses it with sqlglot.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
_WORD_OR_TEXT = re.compile(r"'(?:[^']|'')*'|(?<![A-Za-z0-9_.$])(?P<word>[A-Za-z_][A-Za-z0-9_]*)(?![A-Za-z0-9_.])(?!\s*\()", re.ASCII)
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


def bare_words(text: str) -> list[str]:
    """The words of an expression that are neither called, nor behind or before a dot, nor in quotes; in lower case, in their order."""
    return [text[start:end].lower() for start, end in _bare_words(text)]


def with_words_replaced(text: str, replacements: Mapping[str, str]) -> str:
    """The expression with each bare word that has a replacement as that; keys are in lower case, and DSNRO is dsnro."""
    parts, at = [], 0
    for start, end in _bare_words(text):
        replacement = replacements.get(text[start:end].lower())
        if replacement is not None:
            parts += [text[at:start], replacement]
            at = end
    return "".join([*parts, text[at:]])


def _bare_words(text: str) -> list[tuple[int, int]]:
    """Where each bare word begins and ends."""
    if _ODDLY_QUOTED.search(text) is None:
        return [match.span("word") for match in _WORD_OR_TEXT.finditer(text) if match["word"]]
    from sqlglot import tokenize  # as in `renamed_params`
    from sqlglot.errors import TokenError

    try:
        tokens = tokenize(text, read="duckdb")
    except TokenError:
        return []  # the reader of the expression says what is wrong with it
    around = ["", *(token.token_type.name for token in tokens), ""]
    return [
        (token.start, token.end + 1)
        for token, before, after in zip(tokens, around, around[2:], strict=False)
        if text[token.start : token.end + 1].isidentifier() and before not in ("DOT", "PARAMETER") and after not in ("DOT", "L_PAREN")
    ]


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
