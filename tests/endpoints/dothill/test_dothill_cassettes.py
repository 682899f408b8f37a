"""A whole reading of a Dot Hill array, replayed from a recording: each answer is there, and each is heard.

See tests/endpoints/cassettes.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.dothill.collect import collect_dothill
from auditor.facts.schema import ARRAY_TOPICS, Batch
from auditor.model import EndpointKind, Gap
from tests.contract.examples import EXAMPLES
from tests.endpoints.cassettes import RECORD, TAPES

if TYPE_CHECKING:
    from pathlib import Path


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    description = EXAMPLES[EndpointKind.DOTHILL].description
    with TAPES[EndpointKind.DOTHILL].playing("reading.yaml", description, tmp_path) as (array, cassette):
        items = list(collect_dothill(array, array.endpoint))
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert [item for item in items if isinstance(item, Gap)] == []
    batches = [item for item in items if isinstance(item, Batch)]
    topics = [topic for one in batches if one.table == "reading" for topic in one.columns["topic"]]
    assert sorted(topics) == sorted(ARRAY_TOPICS[EndpointKind.DOTHILL])
    volumes = next(one.columns for one in batches if one.table == "array_volume")
    assert list(zip(volumes["name"], volumes["device"], volumes["tiers"], strict=True)) == [
        ("one", "naa.600c0ff000446d155f95066801000000", 1),
        ("two", "naa.600c0ff000446d155f95066901000000", 1),
    ]
