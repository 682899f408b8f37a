"""Each state of a node that is read has a meaning, or none that anybody knows; and every family whose nodes are read has such a list."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.contract.reading import collected
from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.ontap import enumerations as ontap
from auditor.facts.needs import needs
from auditor.facts.node_states import IS_UP
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type
from tests.contract.examples import EXAMPLES

ROOT = Path(__file__).parents[2]
WITHOUT = {"solidfire": "a node is active or pending by the list that it came in, and its faults say whether it answers"}
NODES = needs([("array_node", "state")])
# By kind, the operation that lists nodes, where its answer has the list, and the field.
LISTS: dict[EndpointKind, tuple[str, str, str]] = {
    EndpointKind.FLASHARRAY: ("GET controllers", "items", "status"),
    EndpointKind.ONTAP: ("GET cluster/nodes", "records", "state"),
    EndpointKind.DELL_SC: ("StorageCenter/ControllerList", "", "status"),
    EndpointKind.ESERIES: ("GET controllers", "", "status"),
    EndpointKind.DOTHILL: ("show controllers", "controllers", "status"),
    EndpointKind.POWERSTORE: ("GET hardware", "", "lifecycle_state"),
    EndpointKind.NIMBLE: ("GET controllers/detail", "data", "state"),
}


def families() -> set[str]:
    kinds = (endpoint_type(kind) for kind in EXAMPLES)
    return {kind.family.name for kind in kinds if "nodes" in kind.topics and kind.family is not None}


def test_every_family_whose_nodes_are_read_has_its_states_listed_or_says_why_not() -> None:
    assert families() == {*IS_UP} - {"3par"} | {*WITHOUT}
    rule = yaml.safe_load((ROOT / "rules/array/node-state.yaml").read_text(encoding="utf-8"))
    assert rule["applies"] == f"family IN ({', '.join(repr(name) for name in IS_UP)})"


def test_each_list_has_a_state_that_is_up_and_one_that_is_not_or_nobody_knows() -> None:
    assert all(True in states.values() and {*states.values()} - {True} for states in IS_UP.values())
    assert {*IS_UP["ontap"]} == {*ontap.NODE_STATES}


@pytest.mark.parametrize("kind", LISTS, ids=lambda kind: kind.value)
def test_a_state_that_is_not_listed_is_unknown_and_a_gap(kind: EndpointKind, tmp_path: Path) -> None:
    operation, under, field = LISTS[kind]

    def alter(*answers: Any) -> Any:
        listed = answers[-1][under] if under else answers[-1]
        changed = [{**each, field: "Resting"} for each in listed]
        return {**answers[-1], under: changed} if under else changed

    with EXAMPLES[kind].served(tmp_path) as (server, endpoint, waiting), open_session(endpoint) as session:
        before = collected(session, waiting, NODES)
        server.alterations[operation] = alter
        found = collected(session, waiting, NODES)
    assert {row["state"] for row in before.tables["array_node"]} <= {state for state, up in IS_UP[family_of(kind)].items() if up}
    assert {row["state"] for row in found.tables["array_node"]} == {None}
    assert [gap.why for gap in found.gaps if "Resting" in gap.why]
    assert found.incomplete() == {"nodes"}


def test_every_kind_whose_states_are_listed_is_tried_with_another_one() -> None:
    assert {family_of(kind) for kind in LISTS} == {*IS_UP} - {"3par"}  # made of two lists of numbers, by its plugin


def family_of(kind: EndpointKind) -> str:
    family = endpoint_type(kind).family
    assert family is not None
    return family.name
