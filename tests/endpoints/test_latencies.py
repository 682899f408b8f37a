"""What an array reports of the latency of its volumes is judged: no family falls out of the rules about it by a list."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from auditor.contract.reading import collected
from auditor.endpoints.common.sessions import open_session
from auditor.facts.needs import needs
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type
from tests.contract.examples import EXAMPLES

ROOT = Path(__file__).parents[2]
LATENCY = needs([("array_volume_load", "latency_us")])


@pytest.mark.parametrize("rule", ["diag/array-vs-host", "diag/queue-full"])
def test_every_family_of_whose_volumes_a_latency_is_read_is_judged_by_it(rule: str, reporting: set[str]) -> None:
    params = yaml.safe_load((ROOT / f"rules/{rule}.yaml").read_text(encoding="utf-8"))["params"]
    assert params["families"]["default"] == sorted(reporting)


@pytest.fixture(scope="module")
def reporting(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The families of those examples of which any volume has a latency."""
    return {name for kind, one in EXAMPLES.items() if (name := family_with_latency(kind, one, tmp_path_factory.mktemp(kind.value)))}


def family_with_latency(kind: EndpointKind, example: object, folder: Path) -> str | None:
    with example.served(folder) as (_, endpoint, waiting), open_session(endpoint) as session:  # type: ignore[attr-defined]
        loads = collected(session, waiting, LATENCY).tables.get("array_volume_load", ())
    family = endpoint_type(kind).family
    return family.name if family is not None and any(row["latency_us"] is not None for row in loads) else None
