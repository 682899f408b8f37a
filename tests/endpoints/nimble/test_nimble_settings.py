"""One ceiling of one Nimble volume: what may be written, and what is read first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.nimble.client import open_nimble
from auditor.endpoints.nimble.settings.volume_limit import NimbleVolumeLimit
from auditor.errors import MalformedAnswerError, RefusedError
from auditor.model import EndpointKind, Target
from tests.endpoints.arrays import serving_array
from tests.endpoints.nimble.test_nimble_collector import DESCRIPTION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST = DESCRIPTION.id_of("06", 1)


def target(field: str) -> Target:
    return Target("nb-east", (("field", field), ("volume_id", FIRST)))


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Any, Any]]:
    with serving_array(EndpointKind.NIMBLE, DESCRIPTION, tmp_path) as (server, endpoint), open_nimble(endpoint) as group:
        yield server, group


@pytest.mark.parametrize(
    ("field", "value"),
    [("limit_iops", 255), ("limit_iops", 4_294_967_295), ("limit_iops", -1), ("limit_mbps", 0), ("limit_mbps", "50"), ("limit_iops", True)],
)
def test_a_value_outside_of_the_range_is_never_sent(served: tuple[Any, Any], field: str, value: Any) -> None:
    server, group = served
    with pytest.raises(RefusedError, match="or none at all"):
        NimbleVolumeLimit().write(group, target(field), value)
    assert "PUT volumes" not in server.requests


def test_a_ceiling_that_does_not_exist_is_neither_read_nor_written(served: tuple[Any, Any]) -> None:
    server, group = served
    for call in (lambda: NimbleVolumeLimit().read(group, target("limit")), lambda: NimbleVolumeLimit().write(group, target("limit"), 5)):
        with pytest.raises(RefusedError, match="only limit_iops and limit_mbps"):
            call()
    assert server.requests[-1] == "GET groups/detail"


@pytest.mark.parametrize("value", [None, "4000", 100, -2, True])
def test_a_present_value_that_makes_no_sense_is_no_ground_to_write_on(served: tuple[Any, Any], value: Any) -> None:
    server, group = served
    server.alterations["GET volumes"] = lambda answer: {"data": {**answer["data"], "limit_iops": value}}
    with pytest.raises(MalformedAnswerError, match="limit_iops of volume"):
        NimbleVolumeLimit().read(group, target("limit_iops"))


def test_the_other_ceiling_stays_and_what_the_array_does_not_allow_is_refused_by_it(served: tuple[Any, Any]) -> None:
    server, group = served
    limit = NimbleVolumeLimit()
    limit.write(group, target("limit_mbps"), 100)
    assert (server.sets["volumes"][FIRST]["limit_iops"], server.sets["volumes"][FIRST]["limit_mbps"]) == (4000, 100)
    with pytest.raises(RefusedError, match="limit_mbps would be hit before limit_iops"):
        limit.write(group, target("limit_iops"), 25_601)  # 100 MiB in blocks of 4 KiB are 25,600
    limit.write(group, target("limit_iops"), 25_600)
    assert limit.read(group, target("limit_iops")).value == 25_600
