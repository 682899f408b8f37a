"""The demo's waivers: sound, one in force and one over, whenever it is started."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from auditor.engine.waivers.file import load_waivers
from auditor.model import Gap
from auditor_lab.demo_waivers import demo_waivers
from auditor_lab.scenario import load_scenario


@pytest.mark.parametrize("at", [datetime(2027, 2, 28, 23, 59, tzinfo=UTC), datetime(2028, 12, 31, tzinfo=UTC)])
def test_one_waiver_is_in_force_and_one_has_expired_whenever_the_demo_begins(tmp_path: Path, at: datetime) -> None:
    text = demo_waivers(load_scenario("eternus-vaai"), at)
    assert text is not None
    path = tmp_path / "waivers.yaml"
    path.write_text(text, encoding="utf-8")
    waivers = load_waivers(path, at, required=True)
    assert waivers.malformed == ()
    in_force, over = waivers.entries
    assert in_force.lapsed(at) == ""
    assert over.lapsed(at).startswith("expired at ")
    (gap,) = waivers.gaps
    assert gap.lapsed(at) == ""
    assert gap.covers(Gap("dx60-l66", "pools", "E5003"), None)


def test_a_fleet_without_the_hosts_they_are_about_has_none() -> None:
    assert demo_waivers(load_scenario("solidfire-vvols"), datetime(2027, 1, 1, tzinfo=UTC)) is None
