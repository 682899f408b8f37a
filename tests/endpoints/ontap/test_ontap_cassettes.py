"""A whole reading of an ONTAP cluster, replayed from a recording: each answer is there, and each is heard.

See tests/endpoints/cassettes.py.
"""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.ontap.collect import collect_ontap
from auditor.endpoints.ontap.settings.qos_policy_limit import OntapQosPolicyLimit
from auditor.model import EndpointKind, Target
from tests.endpoints.cassettes import RECORD, TAPES
from tests.endpoints.ontap.ontap_cluster import CLUSTER, Clock, Collected

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.ontap.client import OntapCluster

pytestmark = pytest.mark.long

DESCRIPTION = dataclasses.replace(CLUSTER, page_limit=4)  # so that pages are followed


@contextlib.contextmanager
def playing(name: str, folder: Path) -> Iterator[tuple[OntapCluster, Any, Clock]]:
    """A session, its cassette, and the clock that counters go by."""
    clock = Clock()
    with TAPES[EndpointKind.ONTAP].playing(name, DESCRIPTION, folder, clock=clock) as (cluster, cassette):
        yield cluster, cassette, clock


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (cluster, cassette, clock):
        found = Collected(collect_ontap(cluster, cluster.endpoint, clock=clock, sleep=clock.sleep))
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert (found.gaps, found.incomplete()) == ([], set())
    assert [(row["name"], row["device"], row["qos_max_iops"], row["qos_group_max_iops"]) for row in found.tables["array_volume"]] == [
        ("nfs1", None, None, 20000),
        ("nfs2", None, None, 20000),
        ("/vol/luns1/ds1", "naa.600a098038304437415d4b6a59684a52", 5000, None),
        ("/vol/luns2/ds2", "naa.600a098077663049712b4e3475636b33", None, 3000),
        ("/vol/vv/data.vmdk", None, None, None),
    ]
    assert [row["start_minutes"] for row in found.tables["array_scrub"]] == ["[120, 1320]", "[60]"]
    assert [row["busy_percent"] for row in found.tables["array_pool_load"]] == [70, 0]


def test_a_fix_reads_writes_one_ceiling_waits_for_its_job_and_reads_again(tmp_path: Path) -> None:
    limit = OntapQosPolicyLimit()
    target = Target("na-east", (("field", "max_throughput_iops"), ("policy_id", DESCRIPTION.derived_id("qos", "san", "gold"))))
    found = []
    with playing("fix.yaml", tmp_path) as (cluster, cassette, _):
        found.append(limit.read(cluster, target).value)
        for wanted in (8000, None):
            limit.write(cluster, target, wanted)
            found.append(limit.read(cluster, target).value)
    assert RECORD or cassette.all_played
    assert found == [5000, 8000, None]
