"""A whole reading of a group of Nimble arrays, replayed from a recording: each answer is there, and each is heard.

See tests/endpoints/cassettes.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.nimble.collect import collect_nimble
from auditor.endpoints.nimble.settings.volume_limit import NimbleVolumeLimit
from auditor.facts.schema import ARRAY_TOPICS
from auditor.model import EndpointKind, Target
from tests.endpoints.arrays import Collected
from tests.endpoints.cassettes import RECORD, TAPES
from tests.endpoints.nimble.test_nimble_collector import DESCRIPTION

if TYPE_CHECKING:
    from pathlib import Path


def playing(name: str, folder: Path) -> Any:
    return TAPES[EndpointKind.NIMBLE].playing(name, DESCRIPTION, folder)


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (group, cassette):
        found = Collected(collect_nimble(group, group.endpoint), ARRAY_TOPICS[EndpointKind.NIMBLE])
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert found.gap_text() == ""
    assert found.column("array_volume", "name", "qos_max_iops", "qos_group_max_iops") == [
        ("ds-1", 4000, 5000),
        ("ds-2", None, 5000),
        ("vm-1.vmdk", 800, None),
    ]


def test_a_fix_reads_writes_one_ceiling_reads_again_and_lifts_it(tmp_path: Path) -> None:
    limit, target = NimbleVolumeLimit(), Target("nb-east", (("field", "limit_iops"), ("volume_id", DESCRIPTION.id_of("06", 1))))
    found = []
    with playing("fix.yaml", tmp_path) as (group, cassette):
        found.append(limit.read(group, target).value)
        for wanted in (5000, None):
            limit.write(group, target, wanted)
            found.append(limit.read(group, target).value)
    assert RECORD or cassette.all_played
    assert found == [4000, 5000, None]
