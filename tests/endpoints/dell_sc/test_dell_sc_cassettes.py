"""A whole reading of a Dell Storage Manager, replayed from a recording: each answer is there, and each is heard.

See tests/endpoints/cassettes.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditor.endpoints.dell_sc.collect import collect_dell_sc
from auditor.endpoints.dell_sc.settings.volume_qos_profile import DellScVolumeQosProfile
from auditor.facts.schema import ARRAY_TOPICS
from auditor.model import EndpointKind, Target
from tests.endpoints.arrays import Collected
from tests.endpoints.cassettes import RECORD, TAPES
from tests.endpoints.dell_sc.dell_sc_serving import S1


def playing(name: str, folder: Path) -> Any:
    return TAPES[EndpointKind.DELL_SC].playing(name, S1, folder)


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (manager, cassette):
        found = Collected(collect_dell_sc(manager, manager.endpoint), ARRAY_TOPICS[EndpointKind.DELL_SC])
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert found.gaps == []
    assert found.column("array_volume", "name", "device", "qos_max_bytes_per_second", "tiers") == [
        ("capped", "naa.6000d31000fcbe000000000000000003", 50 << 20, 2),
        ("free", "naa.6000d31000fcbe000000000000000004", None, 1),
    ]


def test_a_fix_reads_writes_one_profile_waits_for_the_task_and_reads_again(tmp_path: Path) -> None:
    profile, target = DellScVolumeQosProfile(), Target("sc-east", (("volume_id", "64702.1"),))
    with playing("fix.yaml", tmp_path) as (manager, cassette):
        before = profile.read(manager, target)
        profile.write(manager, target, None)
        after = profile.read(manager, target)
    assert RECORD or cassette.all_played
    assert (before.value, after.value) == ("Prod", None)
    asked = [(request.method, request.path, request.headers.get("async")) for request in cassette.requests]
    assert [reported for reported in asked if reported[2]] == [
        ("PUT", "/api/rest/StorageCenter/ScVolumeConfiguration/64702.1", "True"),
    ]
