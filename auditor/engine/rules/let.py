"""`let:` of a rule's file: expressions that have a name, and stand in parentheses wherever another expression names them.

They are put in while the file is read. So everything that judges, fixes or looks for columns sees plain expressions over a row, and what
is missing in a named expression is missing in the one that names it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from auditor.engine.rules.lexing import bare_words, with_words_replaced
from auditor.engine.sandbox import sandbox
from auditor.once import once

MOST_CHARACTERS = 20_000
"""An expression that grows longer by what it names is a mistake: names of names of names double with each step."""


def lets_put_in(texts: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The named expressions with each other put in, and what is wrong with the others, by name, in words that follow its name.

    Args:
        texts: SQL by name, as the file has it.
    """
    whole, wrong = dict[str, str](), dict[str, str]()
    for start in texts:
        for name in _in_order(start, texts, whole, wrong):
            named = names_in_text(texts[name], texts)
            broken = [other for other in named if other in wrong]
            if broken:
                wrong[name] = f"names {broken[0]}, which has a mistake"
                continue
            whole[name] = put_in(texts[name], whole)
            if len(whole[name]) > MOST_CHARACTERS:
                wrong[name] = f"grows to more than {MOST_CHARACTERS:,} characters by what it names"
                del whole[name]
    return whole, wrong


def put_in(text: str, lets: Mapping[str, str]) -> str:
    """An expression with each of `lets` that it names in its place, in parentheses."""
    return with_words_replaced(text, {name: f"({value}\n)" if "--" in value else f"({value})" for name, value in lets.items()})


def names_in_text(text: str, known: Collection[str]) -> list[str]:
    """Which of the names `known` stand in an expression, each once and in the order of first mention."""
    return [word for word in dict.fromkeys(bare_words(text)) if word in known]


def used_lets(texts: Iterable[str], lets: Mapping[str, str]) -> set[str]:
    """The names that these expressions name, and that those name."""
    used, waiting = set[str](), list(texts)
    while waiting:
        found = [name for name in names_in_text(waiting.pop(), lets) if name not in used]
        used.update(found)
        waiting += [lets[name] for name in found]
    return used


@once
def words_of_sql() -> frozenset[str]:
    """What a named expression must not be called: keywords and types of DuckDB, which stand in expressions for themselves."""
    with sandbox() as connection:
        rows = connection.execute("SELECT keyword_name FROM duckdb_keywords() UNION SELECT type_name FROM duckdb_types()").fetchall()
    return frozenset(str(word).lower() for (word,) in rows)


def _in_order(start: str, texts: Mapping[str, str], whole: Mapping[str, str], wrong: dict[str, str]) -> list[str]:
    """`start` behind all that it names, those that are done left out; each name of a circle is put into `wrong` instead."""
    order, trail = list[str](), [start]
    while trail:
        name = trail[-1]
        missing = [other for other in names_in_text(texts[name], texts) if other not in whole and other not in wrong and other not in order]
        circle = next((other for other in missing if other in trail), None)
        if name in whole or name in wrong:
            trail.pop()
        elif circle is not None:
            names = trail[trail.index(circle) :]
            wrong.update(dict.fromkeys(names, f"is named by itself: {' -> '.join([*names, circle])}"))
        elif missing:
            trail.append(missing[0])
        else:
            order.append(trail.pop())
    return order
