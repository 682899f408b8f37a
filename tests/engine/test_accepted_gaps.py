"""A gap that somebody answers for is shown as accepted until it expires; what it hides stays unknown, and is no news by itself."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.engine.verdict_rows import JudgedRule
from auditor.engine.verdicts import Evaluation, new_store
from auditor.engine.waivers.accepted_gaps import BY_CHOICE, AcceptedGap, with_acceptance
from auditor.engine.waivers.file import load_waivers
from auditor.engine.waivers.unknown_causes import unknown_by_accepted_gaps
from auditor.facts.schema import Batch
from auditor.facts.snapshots.builder import SnapshotBuilder
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.model import EndpointReading, Gap, Severity
from tests.engine.bench import changed

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
FILE = """\
gaps:
  - endpoint: [sf-01, "dx*"]
    what: "pools: *"
    owner: storage team
    reason: the account may not
    expires: 2027-03-31
"""


def entries(folder: Path, *replacements: tuple[str, str]) -> tuple[AcceptedGap, ...]:
    path = folder / "waivers.yaml"
    path.write_text(changed(FILE, *replacements), encoding="utf-8")
    return load_waivers(path, AT, required=True).gaps


def test_an_entry_says_who_answers_for_what_and_until_when(tmp_path: Path) -> None:
    (one,) = entries(tmp_path, ("expires: 2027-03-31", "ticket: 4711\n    expires: 2027-03-31"))
    end = datetime(2027, 4, 1, tzinfo=UTC)
    assert one == AcceptedGap("waivers.yaml:2", ("sf-01", "dx*"), ("pools: *",), "storage team", "the account may not", "4711", end)
    assert one.lapsed(end.replace(month=3)) == ""
    assert one.lapsed(end) == "expired at 2027-04-01T00:00:00Z"


@pytest.mark.parametrize(
    ("replacement", "mistake"),
    [
        pytest.param(("    owner: storage team\n", ""), '"owner" is missing', id="nobody's"),
        pytest.param(("    what:", "    waht:"), 'unknown key "waht"; did you mean "what"?', id="a key misspelt"),
        pytest.param(("2027-03-31", "soon"), "must be an instant such as", id="no end"),
        pytest.param(('"dx*"', '"dx[*"'), "opens a bracket", id="a bracket left open"),
        pytest.param((FILE, "gaps: [pools]\n"), 'item 1 of "gaps" must be keys with values', id="no entry at all"),
        pytest.param(('[sf-01, "dx*"]', "[]"), '"endpoint" must be a name or glob', id="of no endpoint"),
    ],
)
def test_a_malformed_entry_accepts_nothing_and_says_so(tmp_path: Path, replacement: tuple[str, str], mistake: str) -> None:
    (one,) = entries(tmp_path, replacement)
    gap = Gap("sf-01", "pools: all", "no")
    assert mistake in one.mistake
    gaps, notices = with_acceptance([gap], [one], AT, {})
    assert gaps == (gap,)
    assert len(notices) == 1
    assert "is malformed" in notices[0]


@pytest.mark.parametrize(
    ("gap", "covered"),
    [
        pytest.param(Gap("sf-01", "pools: raid", "no"), True, id="by name"),
        pytest.param(Gap("dx60", "pools: raid", "no"), True, id="by a glob"),
        pytest.param(Gap("renamed", "pools: raid", "no"), True, id="by what the endpoint says of itself"),
        pytest.param(Gap("sf-02", "pools: raid", "no"), False, id="another endpoint"),
        pytest.param(Gap("sf-01", "volumes", "no"), False, id="another thing"),
    ],
)
def test_gaps_are_chosen_by_endpoint_and_by_what_could_not_be_read(tmp_path: Path, gap: Gap, covered: bool) -> None:
    (found,), notices = with_acceptance([gap], entries(tmp_path), AT, {"renamed": "Serial-7, dx-of-old", "sf-02": None})
    assert (found.accepted is not None, notices == ()) == (covered, covered), "an entry that accepts nothing is named, and no other"
    assert (found.endpoint, found.what, found.why) == (gap.endpoint, gap.what, gap.why)
    if covered:
        end = {"expires": "2027-04-01T00:00:00Z", "where": "waivers.yaml:2"}
        assert found.accepted == {"owner": "storage team", "reason": "the account may not", "ticket": "", **end}


@pytest.mark.parametrize(
    ("gaps", "counted"),
    [
        pytest.param(["sf-01", "sf-01"], "2 gaps that it named count again", id="two"),
        pytest.param(["sf-01", "sf-02"], "one gap that it named counts again", id="one, and one of another endpoint"),
        pytest.param(["renamed"], "one gap that it named counts again", id="by what the endpoint says of itself"),
        pytest.param(["dx60"], "no gap that it names was found", id="one that another entry accepts"),
    ],
)
def test_an_entry_that_expired_gives_its_gaps_back(tmp_path: Path, gaps: list[str], counted: str) -> None:
    (old,) = entries(tmp_path, ("expires:", "ticket: CHG-7\n    expires:"))
    later = replace(old, where="waivers.yaml:9", endpoint=("dx*",), expires=datetime(2029, 1, 1, tzinfo=UTC))
    given = [Gap(endpoint, "pools: raid", "no") for endpoint in gaps]
    found, notices = with_acceptance(given, [old, later], datetime(2028, 1, 1, tzinfo=UTC), {"renamed": "Serial-7, sf-01"})
    assert [gap.accepted is not None for gap in found] == [endpoint == "dx60" for endpoint in gaps]
    named = "waivers.yaml:2: the accepted gap of sf-01 dx* (storage team, CHG-7)"
    assert notices[0] == f"{named} expired at 2027-04-01T00:00:00Z: {counted}."


def test_an_entry_that_fits_nothing_is_named(tmp_path: Path) -> None:
    _, notices = with_acceptance([], entries(tmp_path), AT, {})
    idle = "until 2027-04-01T00:00:00Z accepts nothing: no such gap was left. Remove it, or correct endpoint and what."
    assert notices == (f"waivers.yaml:2: the accepted gap of sf-01 dx* (storage team) {idle}",)
    assert with_acceptance([], entries(tmp_path), AT, {}, is_whole=False) == ((), ()), "a narrow audit need not come to it"


def test_what_was_left_out_by_choice_is_answered_for_by_who_chose(tmp_path: Path) -> None:
    found, _ = with_acceptance([Gap("vc", "all of it", "no"), Gap("sf-01", "pools: x", "no")], entries(tmp_path), AT, {}, left_out=["vc"])
    assert found[0].accepted == BY_CHOICE
    assert found[1].accepted is not None
    assert found[1].accepted["owner"] == "storage team"


KINDS = {"vc": "vcenter", "vc-2": "vcenter", "array": "element", "other": "flasharray"}
UNREAD_ARRAY = {"array": ("volumes", "")}


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """A fleet of two hosts and two arrays; naa.9 is a volume of the array `other`."""
    builder = SnapshotBuilder()
    builder.add(Batch("host", {"endpoint": ["vc", "vc"], "host_id": ["host-1", "host-2"], "name": ["esx-1", "esx-2"]}))
    builder.add(Batch("array_volume", {"endpoint": ["other"], "volume_id": ["v9"], "device": ["naa.9"]}))
    readings = tuple(EndpointReading(name, kind, name, None, "verified", AT, AT, complete=True) for name, kind in KINDS.items())
    return builder.finish(readings, started=AT, finished=AT)


def unknown(
    found: Snapshot, unread: dict[str, tuple[str, str]], gaps: Collection[Gap], *, column: str = "both_throttle", **place: Any
) -> int:
    """How many of one unknown verdict are accepted, where topic and scope of `unread` were not read whole; it misses each of `column`."""
    found.connection.execute("DELETE FROM fact.reading")
    for endpoint, (topic, scope) in unread.items():
        insert = "INSERT INTO fact.reading (endpoint, topic, scope, complete) VALUES (?, ?, ?, false)"
        found.connection.execute(insert, [endpoint, topic, scope])
    view = "device" if column.startswith("dsnro") else "datastore"
    rules = {"a/rule": JudgedRule("A rule", Severity.HIGH.value, view, None, "manual", "", "", {})}
    store = new_store(found.connection, rules)
    row = {"rule": "a/rule", "endpoint": "vc", "resource_id": "id", "resource_name": "ds", "verdict": "unknown", **place}
    insert = f"INSERT INTO {store}.verdict ({', '.join(row)}, missing) VALUES ({', '.join('?' * len(row))}, ?)"
    found.connection.execute(insert, [*row.values(), column.split()])
    evaluation = Evaluation(found.connection, store, rules)
    count = unknown_by_accepted_gaps(evaluation, found, tuple(gaps))
    evaluation.close()
    return count


def gap(endpoint: str, *, accepted: bool = True, what: str = "all of it") -> Gap:
    return Gap(endpoint, what, "no", BY_CHOICE if accepted else None)


@pytest.mark.parametrize(
    ("unread", "gaps", "place", "accepted"),
    [
        pytest.param(UNREAD_ARRAY, [gap("array")], {}, 1, id="the array was not read, and that is accepted"),
        pytest.param(UNREAD_ARRAY, [gap("other"), gap("array", accepted=False)], {}, 0, id="that of another one is accepted"),
        pytest.param(UNREAD_ARRAY, [gap("array"), gap("array", accepted=False)], {}, 0, id="only part of what it lacks is accepted"),
        pytest.param({}, [gap("array")], {}, 0, id="everything it rests on was read: unknown by itself"),
        pytest.param({"array": ("alerts", "")}, [gap("array")], {}, 0, id="the verdict does not rest on what was not read"),
        pytest.param(UNREAD_ARRAY, [gap("array")], {"resource_name": "naa.9"}, 0, id="an array that was read has the device"),
        pytest.param(
            {"vc": ("device_scheduling", "host-1")}, [gap("vc")], {"column": "dsnro", "host": "esx-1"}, 1, id="its host was not read"
        ),
        pytest.param(
            {"vc": ("device_scheduling", "host-1")}, [gap("vc")], {"column": "dsnro", "host": "esx-2"}, 0, id="another host was not read"
        ),
        pytest.param(
            {"vc-2": ("device_scheduling", "")}, [gap("vc-2")], {"column": "dsnro", "host": "esx-1"}, 0, id="another vCenter was not read"
        ),
        pytest.param(
            {"vc": ("device_scheduling", "host-1")},
            [gap("vc")],
            {"column": "dsnro model", "host": "esx-1"},
            0,
            id="another column was not told where everything was read",
        ),
        pytest.param({}, [gap("vc", what="the array behind naa.1")], {}, 1, id="no array is listed for it, and that is accepted"),
        pytest.param(
            {},
            [gap("vc", what="the array behind naa.1"), gap("vc", what="the array behind naa.2", accepted=False)],
            {},
            0,
            id="no array is listed for several, and not all is accepted",
        ),
        pytest.param(UNREAD_ARRAY, [gap("array")], {"verdict": "fail"}, 0, id="a failure is no unknown verdict"),
        pytest.param(UNREAD_ARRAY, [gap("array")], {"column": ""}, 0, id="it does not say what is missing"),
        pytest.param(UNREAD_ARRAY, [gap("array")], {"endpoint": "gone"}, 0, id="its endpoint was not to be read"),
        pytest.param(
            {}, [gap("vc", what="the array behind naa.1")], {"resource_name": "naa.9"}, 0, id="no array is listed, but of another device"
        ),
        pytest.param({}, [gap("vc", what="the array behind naa.1")], {"column": "dsnro"}, 0, id="no array would tell what is missing"),
    ],
)
def test_an_unknown_verdict_is_accepted_only_where_nothing_but_accepted_gaps_makes_it_so(
    snapshot: Snapshot, unread: dict[str, tuple[str, str]], gaps: list[Gap], place: dict[str, Any], accepted: int
) -> None:
    assert unknown(snapshot, unread, gaps, **place) == accepted
