"""The page of the arrays says of each kind what it was held against, and what it says is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import is_array

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/domain/arrays.md#verified".partition("#")[0]).read_text(encoding="utf-8")
TABLE = PAGE.partition('<a id="verified"></a>')[2].partition("\n## ")[0]
ROWS = {cells[0].strip().split("`")[1]: cells for line in TABLE.splitlines() if (cells := line.strip("|").split("|"))[0].startswith(" `")}
OWN_FILES = {"dothill": "test_cinder.py", "hpe3par": "test_hpe3par.py"}
"""Files of tests for a client that has an environment of its own."""


def test_each_kind_of_array_has_a_row() -> None:
    assert set(ROWS) == {kind.value for kind in EndpointKind if is_array(kind)} | {"hpe3par"}


@pytest.mark.parametrize("kind", ROWS)
def test_the_tests_that_a_row_names_are_there(kind: str) -> None:
    named = re.findall(r"`((?:tests|plugins)/[^`]+)`", ROWS[kind][2])
    assert named
    assert [path for path in named if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("kind", ROWS)
def test_a_client_drives_the_double_where_a_row_says_so(kind: str) -> None:
    peers = ROOT / "tests" / "long" / "peers"
    own = peers / "cases" / f"{kind}.yaml"
    if kind in OWN_FILES:
        is_driven = (peers / OWN_FILES[kind]).is_file()
        writes = False
    else:
        cases = yaml.safe_load(own.read_text(encoding="utf-8"))["cases"] if own.is_file() else []
        is_driven, writes = bool(cases), any("changes" in case for case in cases)
    said = ROWS[kind][1].strip()
    assert is_driven == (said != "none was found")
    assert writes == said.endswith("reads and writes")
