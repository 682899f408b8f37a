"""The pictures of the HTML report: they say what was judged, draw no size that nobody knows, and lead to findings."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

from auditor.model import PlaceCount, Resource, Severity, Verdict
from auditor.report.html import heat_map as heat_map_module
from auditor.report.html import report as html_report
from auditor.report.html.drawn_causes import chain_of
from auditor.report.html.heat_map import HeatMap, heat_map
from auditor.report.html.interval_bars import interval_bars, small_bars
from auditor.report.html.storage_map import storage_map
from auditor.report.html.worst_paths import WorstPaths
from tests.report import samples
from tests.report.test_html_report import rendered
from tests.report.test_path_drawing import s0_path, unread_path


def cells(drawn: HeatMap) -> dict[str, list[str]]:
    return {row.name: [row.cells[topic].sign if topic in row.cells else "" for topic in drawn.topics] for row in drawn.rows}


@pytest.mark.parametrize(
    ("verdicts", "sign", "look"),
    [
        pytest.param([Verdict.PASS, Verdict.FAIL, Verdict.FAIL], "H 2", "high", id="failures before passes"),
        pytest.param([Verdict.FAIL, Verdict.UNKNOWN], "H 1 ?", "high", id="unknown beside a failure"),
        pytest.param([Verdict.PASS, Verdict.UNKNOWN], "?", "unknown", id="unknown is no pass"),
        pytest.param([Verdict.PASS, Verdict.WAIVED], "\u2013", "waived", id="waived is no pass"),
        pytest.param([Verdict.NOT_APPLICABLE, Verdict.PASS], "✓", "pass", id="pass"),
        pytest.param([Verdict.NOT_APPLICABLE], "n/a", "na", id="does not apply is no pass"),
    ],
)
def test_a_cell_says_the_worst_of_what_was_judged(verdicts: list[Verdict], sign: str, look: str) -> None:
    shown = samples.sioc_finding()  # so that the map has a row, and a column of another topic
    found = [replace(samples.pe_finding("esx-07"), verdict=verdict) for verdict in verdicts]
    anchor = replace(samples.pe_finding("esx-07"), rule="other/one", verdict=Verdict.FAIL)
    keep = replace(samples.pe_finding("esx-08"), verdict=Verdict.FAIL)
    drawn = heat_map(samples.report_of([shown, anchor, keep, *found]))
    row = next(row for row in drawn.rows if row.host == "esx-07")
    assert (row.cells["vvol"].sign, row.cells["vvol"].look) == (sign, look)


def test_what_was_not_judged_stays_blank_and_what_is_of_no_single_host_has_a_row_of_its_own() -> None:
    drawn = heat_map(samples.report_of([samples.sioc_finding(), samples.pe_finding("esx-01")]))
    resource = samples.sioc_finding().resource
    assert resource.host is None
    assert drawn.topics == ("sioc", "vvol"), "the critical one first"
    assert cells(drawn) == {f"{resource.cluster or resource.endpoint}, no single host": ["C 1", ""], "esx-01": ["", "H 1"]}


def test_a_large_fleet_is_drawn_by_cluster_and_asks_for_no_pass() -> None:
    asked: list[bool] = []

    def by_place(by_host: bool) -> list[PlaceCount]:
        asked.append(by_host)
        return [
            PlaceCount("vc-1", "gold", None, "vvol", Severity.HIGH, Verdict.FAIL, 7),
            PlaceCount("vc-2", "gold", None, "vvol", Severity.LOW, Verdict.UNKNOWN, 1),
            PlaceCount("vc-2", None, None, "vvol", Severity.LOW, Verdict.FAIL, 2),
        ]

    report = samples.report_of([])
    report = replace(report, run=replace(report.run, hosts=heat_map_module.MOST_HOSTS + 1), by_place=by_place)
    drawn = heat_map(report)
    assert asked == [False]
    assert cells(drawn) == {"gold (vc-1)": ["H 7"], "vc-2, no cluster": ["L 2"], "gold (vc-2)": ["?"]}


def test_rows_beyond_the_most_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat_map_module, "MOST_ROWS", 2)
    drawn = heat_map(samples.report_of([samples.pe_finding(f"esx-{number}") for number in range(5)]))
    assert len(drawn.rows) == 2
    assert drawn.notes == ("The worst 2 are drawn; 3 more have findings in the table.",)


def bars(**changes: Any) -> ET.Element:
    return ET.fromstring(interval_bars({**samples.IMPACT, **changes}, "bars-0"))


def widths(drawn: ET.Element, name: str) -> float:
    return sum(float(one.get("width", "")) for one in drawn.iter("rect") if str(one.get("class")).split()[0] == name)


def test_both_bars_have_one_scale_and_their_intervals() -> None:
    drawn = bars(now=[200.0, 400.0], after=[100.0, 100.0])
    assert widths(drawn, "now") == pytest.approx(4 * widths(drawn, "after"), rel=0.01)
    sure, may = [float(one.get("width", "")) for one in drawn.iter("rect") if str(one.get("class")).startswith("now")]
    assert sure == pytest.approx(may, rel=0.01)
    assert drawn.findtext("desc") == "now: 200 to 400 ms; after: 100 ms"
    assert drawn.get("role") == "img"


def test_an_open_end_is_drawn_open_and_an_unknown_size_not_at_all() -> None:
    assert [one.get("class") for one in bars(after=[300.0, None]).iter("path")] == ["open"]
    unsized = bars(size_known=False, direction="better")
    assert [one.get("class") for one in unsized.iter("rect")][-1] == "unread"
    assert widths(unsized, "after") == 0
    assert "how much quicker is not known" in str(unsized.findtext("desc"))
    assert small_bars({**samples.IMPACT, "size_known": False, "direction": "better"}) == ""


@pytest.mark.parametrize("impact", [{}, {"not_computed": "it is not about a queue"}], ids=["none", "not computed"])
def test_what_is_not_computed_has_no_bar(impact: dict[str, Any]) -> None:
    assert interval_bars(impact, "bars-0") == ""
    assert small_bars(impact) == ""


def test_a_cause_answers_what_is_wrong_what_it_costs_and_what_to_do_in_this_order() -> None:
    page = rendered(samples.report_of([replace(samples.pe_finding("esx-01"), impact=samples.IMPACT)]))
    cause = page[page.index('id="cause-0"') : page.index("</article>")]
    places = [cause.index(part) for part in ("<dt>Wrong", "<dt>Costs", "267 to 383 ms", "<dt>To do", "32 → 256 commands")]
    assert places == sorted(places)


def test_no_name_of_the_fleet_becomes_markup_in_a_picture() -> None:
    page = rendered(samples.hostile())
    drawn = page[page.index('id="map"') : page.index('id="findings"')]
    assert "<script>" not in drawn
    assert "&lt;script&gt;window.pwned" in drawn


def test_a_cause_has_its_path_from_the_guest_to_the_array() -> None:
    chain = chain_of(s0_path())
    assert [link.place for link in chain] == ["guest disk", "host", "device queue", "adapter", "paths", "volume and QoS", "array"]
    queue = chain[2]
    assert (queue.state, queue.mark) == ("full", "FULL, longest wait")
    assert "32 of 32 in flight, 9 wait" in queue.text
    assert chain[0].name == "noisy Hard disk 1 and 1 more"


def test_a_path_is_drawn_where_no_load_was_read_and_says_so() -> None:
    chain = chain_of(unread_path())
    assert [link.place for link in chain][:2] == ["host", "device queue"]
    assert chain[-1].state == "unread"
    assert chain[-1].text == "nothing of it was read"
    assert not [link for link in chain if link.state == "full" or link.mark]


def test_the_path_stands_above_the_answers_of_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_report, "worst_paths", lambda *_: WorstPaths(of_causes=(unread_path(),)))
    page = rendered(samples.report_of([samples.pe_finding("esx-01")]))
    cause = page[page.index('id="cause-0"') : page.index("</article>")]
    assert cause.index('<ol class="chain"') < cause.index("<dt>Wrong")


def row(name: str, array: str | None, volume: str | None, cluster: str | None = "gold", kind: str = "VMFS") -> dict[str, Any]:
    return {"endpoint": "vc-east", "resource_name": name, "cluster": cluster, "type": kind, "arrays": array, "volumes": volume}


def test_the_storage_map_holds_arrays_clusters_datastores_and_volumes_and_says_what_is_not_known() -> None:
    rows = [row("ds-1", "sf", "vol-1"), row("ds-2", None, None), row("ds-3", "sf", None, kind="VVOL"), row("ds-4", "sf", "vol-4", None)]
    drawn = storage_map(samples.report_of([]), rows)
    assert [(one.name, one.is_known) for one in drawn.arrays] == [("sf", True), ("Array not known", False)]
    assert [one.name for one in drawn.arrays[0].clusters] == ["cluster gold", "no cluster known, vc-east"]
    assert [(tile.name, tile.volume) for tile in drawn.arrays[0].clusters[0].tiles] == [("ds-1", "vol-1"), ("ds-3", "virtual volumes")]
    assert drawn.arrays[1].clusters[0].tiles[0].volume == "volume not known"


def test_a_datastore_of_the_map_counts_what_fails_at_it_and_at_its_volume_and_nothing_is_called_a_pass() -> None:
    of_store = replace(samples.pe_finding(), resource=Resource("datastore", "ds-1", "ds-1", "vc-east", "gold", None))
    of_volume = replace(of_store, severity=Severity.CRITICAL, resource=Resource("array_volume", "4", "vol-1", "sf", None, None))
    elsewhere = replace(of_store, resource=Resource("datastore", "ds-1", "ds-1", "vc-west", "gold", None))
    report = samples.report_of([of_store, of_volume, elsewhere, replace(of_store, verdict=Verdict.PASS)])
    drawn = storage_map(report, [row("ds-2", "sf", "vol-2"), row("ds-1", "sf", "vol-1")])
    tiles = drawn.arrays[0].clusters[0].tiles
    assert [(tile.name, tile.cell.sign, tile.cell.look) for tile in tiles] == [("ds-1", "C 2", "critical"), ("ds-2", "", "")]
