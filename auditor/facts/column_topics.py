"""Which topics of the reading each column of each judged view rests on: with whom its value came, and so when it was read.

What the views' SQL says is found out once, by engine/column_topics.py, and kept in a file: following every column takes seconds. The file
knows the SQL it was made of; a test says when that has changed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from auditor.facts.views import view_sources

FILE = "column_topics.json"
OF_THE_FLEET_FILE = "fleet.yaml"
OF_THE_BASELINE = "baseline"
"""Topics that no endpoint was asked for."""


@cache
def column_topics() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """View -> column -> topics; what only decides which rows there are counts where nothing else is known."""
    told = json.loads((resources.files("auditor.facts") / FILE).read_text("utf-8"))["views"]
    return {view: {column: tuple(topics) for column, topics in columns.items()} for view, columns in told.items()}


def made_of() -> str:
    """The digest of the views' SQL as the file has it."""
    return str(json.loads((resources.files("auditor.facts") / FILE).read_text("utf-8"))["made_of"])


def digest_of_views() -> str:
    """The digest of the views' SQL as it is; comments and line breaks do not count."""
    plain = [(name, " ".join(re.sub(r"--[^\n]*", "", text).split())) for name, text in view_sources()]
    return hashlib.sha256(json.dumps(plain).encode()).hexdigest()
