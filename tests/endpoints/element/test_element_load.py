"""Which volumes a cluster is asked about, and what is said of those that it leaves out: answers put in, with no cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

from auditor.endpoints.element.load import volume_histograms, volume_load
from auditor.endpoints.element.rows import HISTOGRAMS
from auditor.errors import NotThereError
from auditor.facts.schema import Batch
from auditor.model import Gap

STATS: dict[str, Any] = dict.fromkeys(("readBytesLastSample", "writeBytesLastSample", "averageIOPSize", "actualIOPS"), 0)
STATS |= {"samplePeriodMSec": 500, "volumeUtilization": 0.5, "latencyUSec": 1, "clientQueueDepth": 1}
COUNTERS: dict[str, Any] = {"histograms": {name: {"Bucket0": 1} for name in HISTOGRAMS}}
ANSWERS = {"ListVolumeStats": ("volumeStats", STATS), "ListVolumeQoSHistograms": ("qosHistograms", COUNTERS)}
WHOLE = "the answer", "is not known, since the volumes were not all read"


class Cluster:
    """Has these volumes, answers about them but for some, and knows nothing of those that are deleted."""

    def __init__(
        self, volumes: Iterable[int], *, left_out: Iterable[int] = (), twice: Iterable[int] = (), deleted: Iterable[int] = ()
    ) -> None:
        self.volumes, self.left_out, self.twice, self.deleted = list(volumes), set(left_out), list(twice), set(deleted)
        self.asked: list[tuple[int, int] | None] = []
        self.error = "endpoint sf: xVolumeIDDoesNotExist"

    def call(self, method: str, *, volumeIDs: list[int] | None = None, **given: Any) -> dict[str, Any]:  # noqa: N803  Element's name
        assert given == ({} if volumeIDs is not None else {"includeVirtualVolumes": True})
        self.asked.append((volumeIDs[0], len(volumeIDs)) if volumeIDs else None)
        ids = volumeIDs if volumeIDs is not None else [one for one in self.volumes if one not in self.left_out]
        if set(ids) & self.deleted:
            raise NotThereError(self.error, why="w", do="d")
        listed, fields = ANSWERS[method]
        twice, self.twice = self.twice, []
        return {listed: [{"volumeID": one, **fields} for one in (*ids, *twice) if one in self.volumes]}


def read(collect: Callable[..., Iterable[Batch | Gap]], cluster: Cluster, active: Iterable[int], *, whole: bool = True) -> tuple[Any, Any]:
    """Rows of each volume, and gaps as (what, why)."""
    rows: Counter[str] = Counter()
    gaps = []
    for item in collect(cluster, "sf", {str(one) for one in active}, whole=whole):
        if isinstance(item, Gap):
            gaps.append((item.what.partition(": ")[2], item.why))
            assert item.endpoint == "sf"
            assert item.what.startswith("ListVolumeStats: " if collect is volume_load else "ListVolumeQoSHistograms: ")
        else:
            assert len(item.columns.get("volume_id", ())) <= 1000
            assert item.table == ("array_volume_load" if collect is volume_load else "array_volume_histogram")
            rows.update(item.columns.get("volume_id", ()))
    return rows, gaps


def each(volumes: Iterable[int], rows: int) -> Mapping[str, int]:
    return {str(one): rows for one in volumes}


def test_the_load_of_volumes_that_an_answer_leaves_out_is_asked_for_by_id() -> None:
    cluster = Cluster(range(1, 3001), left_out=range(500, 3000))
    assert read(volume_load, cluster, range(1, 3001)) == (each(range(1, 3001), 1), [])
    assert cluster.asked == [None, (500, 1000), (1500, 1000), (2500, 500)]
    cluster = Cluster([1, 2], left_out=[2])
    assert read(volume_load, cluster, [1]) == (each([1], 1), []), "a volume without a load is not asked for"
    assert cluster.asked == [None]


def test_histograms_are_asked_for_a_few_hundred_volumes_at_a_time_in_order() -> None:
    cluster = Cluster(range(1, 601))
    assert read(volume_histograms, cluster, range(1, 601)) == (each(range(1, 601), len(HISTOGRAMS)), [])
    assert cluster.asked == [(1, 250), (251, 250), (501, 100)]


@pytest.mark.parametrize(("collect", "rows"), [(volume_load, 1), (volume_histograms, len(HISTOGRAMS))], ids=["load", "histograms"])
def test_what_is_not_answered_or_answered_twice_is_a_gap(collect: Any, rows: int) -> None:
    found, gaps = read(collect, Cluster([1, 2, 3], twice=[2, 3]), [1, 2, 3, 9, 10])
    assert found == each([1, 2, 3], rows)
    assert [what for what, _ in gaps] == ["volumeID of volume 2 and 1 more", "the record of volume 9 and 1 more"]
    assert gaps[1][1] == "was not in the answer"
    _, gaps = read(collect, Cluster([1]), [1], whole=False)
    assert gaps == [(f"completeness of {WHOLE[0]}", WHOLE[1])]


def test_volumes_that_are_deleted_meanwhile_cost_only_themselves() -> None:
    cluster = Cluster(range(1, 9), deleted=[3, 8])
    found, gaps = read(volume_histograms, cluster, range(1, 9))
    assert found == each([1, 2, 4, 5, 6, 7], len(HISTOGRAMS))
    assert gaps == [("the record of volume 3 and 1 more", "was not in the answer")]
    assert cluster.asked == [(1, 8), (1, 4), (1, 2), (3, 2), (3, 1), (4, 1), (5, 4), (5, 2), (7, 2), (7, 1), (8, 1)]
    cluster.error = "endpoint sf: xUnknownAPIMethod"
    with pytest.raises(NotThereError, match="xUnknownAPIMethod"):
        read(volume_histograms, cluster, range(1, 9))
