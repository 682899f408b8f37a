"""What a guest says of its own queue, in an audit of the fleet that it runs in."""

from pathlib import Path

from auditor.cli import run
from tests.audits import Place, only
from tests.guests import said

RULE = "vvol/pe-dsnro-headroom"
WHICH = "vm = 'bronze-noisy' OR vm = 'gold-1' ORDER BY vm"


def asked(place: Place, sql: str) -> list[str]:
    assert run(["query", sql, "--state-dir", str(place.state), "--format", "csv"]) == 0
    return place.capsys.readouterr().out.split()[1:]


def test_what_a_guest_says_goes_before_the_default_of_its_driver(everything: Place, tmp_path: Path) -> None:
    depths = f"SELECT DISTINCT vm, controller_depth_at_least, controller_depth_at_most FROM virtual_disk WHERE {WHICH}"
    without = everything.audit(*only(RULE))
    assert asked(everything, depths) == ["bronze-noisy,64,64", "gold-1,64,64"]
    [uuid] = asked(everything, "SELECT bios_uuid FROM fact.vm WHERE name = 'bronze-noisy'")
    (tmp_path / "noisy.txt").write_text(said("noisy", uuid, depth=96))
    found = everything.audit(*only(RULE), "--from", str(tmp_path))
    assert asked(everything, depths) == ["bronze-noisy,96,96", "gold-1,64,64"]
    assert (found.code, found.report["gaps"]) == (without.code, without.report["gaps"])
