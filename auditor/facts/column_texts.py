"""What the columns of judged views are, in words: facts/views/columns.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from auditor.yaml import parse_yaml

COMMON = "common"


@cache
def column_texts() -> Mapping[str, Mapping[str, str]]:
    """View -> column -> its text; under COMMON, the texts of columns that mean the same in every view that has them."""
    data, _ = parse_yaml((resources.files("auditor.facts") / "views" / "columns.yaml").read_bytes())
    return data
