"""The shipped rules as they were found sound, read from engine/checked_rules.json.

Reading a rule file takes a YAML parser, and checking its expressions takes DuckDB; the result follows from the installed files. So it is
worked out once, at authoring time, by authoring/checked_rules.py (`make checked-rules`). A rule is taken from here only where its file and
the columns of its view are those that were checked; any other file is read and checked anew. A test fails when the file is older than
the rules, the views or the code that checks rules.

The file holds plain data. Its expressions were checked before it was written, and run sealed like any others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from auditor.engine.rules.rule import Rule
from auditor.once import once

FILE = "checked_rules.json"


class CheckedRule(msgspec.Struct, frozen=True):
    """One rule, and what it was read from."""

    digest: str
    rule: Rule


@once
def checked_rules() -> Mapping[str, CheckedRule]:
    """The shipped rules by id; their path is left open."""
    content = (resources.files("auditor.engine") / FILE).read_bytes()
    return msgspec.json.decode(content, type=dict[str, CheckedRule], dec_hook=_decoded)


def rule_digest(content: bytes, columns: Mapping[str, str]) -> str:
    """The digest of all that a checked rule follows from: the bytes of its file, and the columns of its view in their order."""
    return hashlib.sha256(content + b"\0" + json.dumps(list(columns.items())).encode()).hexdigest()


def encoded(rules: Mapping[str, CheckedRule]) -> str:
    """The text of the file: a line for each rule, so that changes of two rules never touch one line."""
    lines = [f"{json.dumps(rule_id)}: {msgspec.json.encode(rule, enc_hook=_encoded).decode()}" for rule_id, rule in sorted(rules.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _encoded(value: Any) -> str:
    if isinstance(value, Path):
        return ""  # where the file lies is another place on every machine
    raise NotImplementedError(type(value))


def _decoded(kind: type, value: Any) -> Path:
    if kind is Path:
        return Path(value)
    raise NotImplementedError(kind)
