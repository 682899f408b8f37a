"""What the columns of judged views are, in words: the YAML file beside each view, and facts/views/common.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from auditor.facts.catalog import catalog, view_named
from auditor.facts.plugin_views import plugin_views
from auditor.facts.schema import TABLES
from auditor.yaml.reading import parse_yaml


def column_text(view: str, column: str) -> str:
    """What a column is, its unit and what NULL means; "" where nobody wrote it (a test fails then).

    The text beside the view comes first, then the fact's own where the view hands a fact on unchanged, then the common one.
    """
    return own_texts(view).get(column) or _fact_text(view_named(view).columns[column].plain) or common_texts().get(column, "")


def own_texts(view: str) -> Mapping[str, str]:
    """Column -> text, as the file beside a judged view has it."""
    own = catalog().views.get(view)
    return plugin_views().views[view].texts if own is None else _read(f"{own.domain}/{view}.yaml")


def common_texts() -> Mapping[str, str]:
    """Column -> text, for columns that mean the same in every view that has them."""
    return {column: text for column, text in _read("common.yaml").items() if isinstance(text, str)}


def no_limit_where(column: str) -> tuple[str, ...]:
    """The flags beside `column`: where one is false, NULL in `column` means no limit; () where NULL never means that."""
    return tuple(_read("common.yaml")["no limit where"].get(column, ()))


def _fact_text(plain: str | None) -> str:
    if plain is None:
        return ""
    table, _, name = plain.partition(".")
    return next(column.what for column in TABLES[table].columns if column.name == name)


@cache
def _read(file: str) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = parse_yaml((resources.files("auditor.facts") / "views" / file).read_bytes())[0]
    return texts
