"""The page of waivers.yaml: its keys, from the shapes that reading it goes by, with a text for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from auditor.engine.waivers.accepted_gaps import _EntryShape as GapShape
from auditor.engine.waivers.file import _EntryShape as WaiverShape
from auditor.engine.waivers.terms import EXPIRES
from docsite.markdown import code, escaped, table

_ANSWERS = {
    "owner": "who answers for it",
    "reason": "why, as reports show it",
    "ticket": "where it was agreed",
    "expires": f"until when: {EXPIRES}",
}
TEXTS: Mapping[str, Mapping[str, str]] = {
    "waivers": {
        "rule": "the id of a rule, or a glob",
        "resources": "what is waived: `resource`, `host`, `cluster`, `endpoint`, `datastore` and `tag`, each a name or glob or a list of them; all that are given have to fit",  # noqa: E501
        **_ANSWERS,
        "also_unknown": "it covers verdicts that could not be reached as well",
    },
    "gaps": {
        "endpoint": "whose gap: its name, or what it says of itself; a glob or a list of globs",
        "what": "what could not be read, as reports show it; likewise",
        **_ANSWERS,
    },
}
SHAPES: Mapping[str, type[msgspec.Struct]] = {"waivers": WaiverShape, "gaps": GapShape}
_HEAD = """# waivers.yaml

What somebody answers for, and until when: failures under `waivers:`, gaps under `gaps:`. It stands beside fleet.yaml, or where `--waivers` says. [How to waive](../docs/how-to/waive-a-failure.md), [how to accept a gap](../docs/how-to/accept-a-gap.md).

"""  # noqa: E501  one paragraph of Markdown


def waivers_page() -> str:
    """The whole page."""
    return _HEAD + "".join(f"## {key}\n\n{table(('key', 'needed', 'what it is'), _rows(key, shape))}" for key, shape in SHAPES.items())


def _rows(key: str, shape: type[msgspec.Struct]) -> list[tuple[str, str, str]]:
    made: dict[str, Any] = next(iter(msgspec.json.schema(shape)["$defs"].values()))
    needed = made.get("required", ())
    return [(code(name), "yes" if name in needed else "no", escaped(TEXTS[key][name])) for name in made["properties"]]
