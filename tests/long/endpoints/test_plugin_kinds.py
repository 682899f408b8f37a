"""An endpoint of a plugin's kind is read as any other; a plugin that breaks costs its endpoint, and nothing else."""

from __future__ import annotations

import dataclasses
import threading
from typing import TYPE_CHECKING

import pytest

from auditor.contract import shown_by
from auditor.doctor import examine
from auditor.doctor.walk import topics_of
from auditor.endpoints.bugs import call_plugin
from auditor.endpoints.collect import collect_fleet
from auditor.endpoints.common.sessions import Sessions
from auditor.endpoints.settings import remediator_for
from auditor.errors import ConfigurationError, EndpointError
from auditor.facts.families import all_families, families_by_name, kinds_of_families
from auditor.facts.macros import create_macros
from auditor.facts.schema import ON_DEMAND_TOPICS
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.fleet.loading import load_fleet
from auditor.fleet.schema import fleet_schema
from auditor.model import EndpointKind, Health, Target, endpoint_type, plugins
from auditor.pipeline.policy import load_policy
from tests.contract.examples import EXAMPLES
from tests.plugins import CLIENT, COLLECT, TYPE, WORKING, installed, write_plugin

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.fleet.loading import Fleet
    from auditor.model import Endpoint

RAISES = "def collected(*_):\n    raise KeyError('what the array answered')\n"
EXITS = "import sys\n\ndef collected(*_):\n    sys.exit(0)\n"
OPENS_AND_EXITS = "import sys\n\ndef opened(_):\n    sys.exit(0)\n"
PANICS = "class Panic(BaseException): ...\n\ndef collected(*_):\n    raise Panic\n"
BROKEN = "import no_such_module"
SLEEPS = "import time\n\ntime.sleep(2)"
LOOPS = "while True:\n    pass"


def fleet_of(folder: Path, other: Endpoint, kind: str = "acme") -> Fleet:
    """A fleet of one array of the lab and one of the plugin's kind, as fleet.yaml has it."""
    (folder / "fleet.yaml").write_text(
        f"endpoints:\n"
        f"  - {{name: sf, kind: element, address: '{other.address}:{other.port}', username: {other.username},"
        f" password: {{file: {folder / 'password'}}}, tls: {{ca: {folder / 'ca.pem'}}}}}\n"
        f"  - {{name: a1, kind: {kind}, address: 192.0.2.1, username: u, password: {{file: {folder / 'password'}}}}}\n",
        encoding="utf-8",
    )
    return load_fleet(folder / "fleet.yaml")


def collected(folder: Path) -> Snapshot:
    """What a collection of such a fleet reads."""
    with EXAMPLES[EndpointKind.ELEMENT].served(folder) as (_, endpoint, _):
        return collect_fleet(fleet_of(folder, endpoint), lambda *_: None)


def incomplete(snapshot: Snapshot, endpoint: str) -> set[str]:
    found = snapshot.connection.execute("SELECT topic FROM fact.reading WHERE endpoint = ? AND NOT complete", [endpoint]).fetchall()
    return {topic for (topic,) in found}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


def test_an_endpoint_of_a_plugin_is_read_and_its_reading_says_by_whom(tmp_path: Path, site: Path) -> None:
    write_plugin(site, "auditor-acme", WORKING)
    with installed(site):
        snapshot = collected(tmp_path)
        assert {reading.name: (reading.complete, reading.plugin) for reading in snapshot.readings} == {
            "sf": (True, None),
            "a1": (True, "auditor-acme 1.2"),
        }
        assert snapshot.connection.execute("SELECT name FROM fact.\"array\" WHERE endpoint = 'a1'").fetchall() == [("acme one",)]
        assert incomplete(snapshot, "a1") == set()
        snapshot.save(tmp_path / "kept")
    old = load_snapshot(tmp_path / "kept")
    assert [reading.plugin for reading in old.readings] == [None, "auditor-acme 1.2"], "readable though the plugin is gone"
    assert incomplete(old, "a1") == set(), "what was read then is known"


@pytest.mark.parametrize(
    ("modules", "why"),
    [
        pytest.param({"__init__": BROKEN}, "cannot be imported: ModuleNotFoundError", id="cannot be imported"),
        pytest.param({**WORKING, "collect": EXITS}, "a bug in auditor-acme 1.2 stopped it: SystemExit", id="exits, as if all were well"),
        pytest.param({**WORKING, "collect": PANICS}, "a bug in auditor-acme 1.2 stopped it: Panic", id="raises no Exception"),
        pytest.param({**WORKING, "client": OPENS_AND_EXITS}, "a bug in auditor-acme 1.2 stopped it: SystemExit", id="exits as it opens"),
        pytest.param({**WORKING, "client": BROKEN}, "a bug in auditor-acme 1.2 stopped it: ModuleNotFoundError", id="its client cannot"),
        pytest.param({"__init__": SLEEPS}, "was not imported within 0.5 s", id="sleeps"),
        pytest.param({"__init__": LOOPS}, "was not imported within 0.5 s", id="does not end"),
        pytest.param({**WORKING, "client": LOOPS}, "did not import its module client within 0.5 s", id="its client does not end"),
        pytest.param(
            {**WORKING, "collect": RAISES}, "a bug in auditor-acme 1.2 stopped it: KeyError in auditor_acme/collect.py:2", id="raises"
        ),
    ],
)
def test_a_plugin_that_breaks_costs_its_endpoint_and_nothing_else(
    tmp_path: Path, site: Path, modules: dict[str, str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (plugins, endpoint_type):
        monkeypatch.setattr(module, "IMPORT_SECONDS", 0.5 if "within" in why else 60.0)
    write_plugin(site, "auditor-acme", modules)
    with installed(site):
        snapshot = collected(tmp_path)
        topics = set(load_topics()) - set(ON_DEMAND_TOPICS)
        assert incomplete(snapshot, "a1") == topics
    readings = {reading.name: reading for reading in snapshot.readings}
    assert (readings["sf"].complete, readings["a1"].complete) == (True, False)
    assert readings["a1"].bug is None, "it is no bug of ours"
    [gap] = snapshot.gaps
    assert gap.endpoint == "a1"
    assert why in gap.why
    assert "what the array answered" not in gap.why
    for left_behind in [one for one in threading.enumerate() if one.name == "auditor-timed"]:
        left_behind.join(60)  # it holds the import lock of the package, whose name the next case has too
        assert not left_behind.is_alive()


def test_what_a_plugin_gives_of_others_costs_its_endpoint_alone(tmp_path: Path, site: Path) -> None:
    given = 'yield Batch("array_volume", {"endpoint": ["sf"], "volume_id": ["x"]})'
    write_plugin(site, "auditor-acme", {**WORKING, "collect": COLLECT.replace("    for topic in", f"    {given}\n    for topic in")})
    with installed(site):
        snapshot = collected(tmp_path)
        assert incomplete(snapshot, "a1") == set(load_topics())
    assert {reading.name: reading.complete for reading in snapshot.readings} == {"sf": True, "a1": False}
    [gap] = snapshot.gaps
    assert (gap.endpoint, "auditor-acme 1.2 gave rows of the table array_volume of another endpoint" in gap.why) == ("a1", True)
    assert snapshot.connection.execute("SELECT count(*) FROM fact.array_volume WHERE volume_id = 'x'").fetchone() == (0,)


def load_topics() -> tuple[str, ...]:
    from auditor.model.endpoint_kinds import endpoint_type

    return endpoint_type(EndpointKind("acme")).topics


SETTINGS = """
from auditor.model import EndpointKind


class Limit:
    kind = EndpointKind("acme")

    def read(self, session, target):
        raise KeyError("pw-that-nobody-may-see")

    def write(self, session, target, value):
        raise ValueError("pw-that-nobody-may-see")
"""


def test_a_bug_of_a_plugin_is_an_error_where_it_opens_reads_or_writes(tmp_path: Path, site: Path) -> None:
    setting = 'settings={"acme.limit": Setting("settings:Limit")}, contract=1'
    about = f"from auditor.model.settings import Setting\n{TYPE.replace('contract=1', setting)}"
    write_plugin(
        site, "auditor-acme", {**WORKING, "__init__": about, "client": "def opened(_):\n    raise KeyError('x')\n", "settings": SETTINGS}
    )
    target = Target("a1", (("volume_id", "1"),))
    with installed(site), EXAMPLES[EndpointKind.ELEMENT].served(tmp_path) as (_, endpoint, _):
        fleet = fleet_of(tmp_path, endpoint)
        with Sessions({one.name: one for one in fleet.endpoints}) as sessions:
            with pytest.raises(EndpointError, match=r"a1: a bug in auditor-acme 1\.2 stopped it: KeyError in .*client\.py:2"):
                sessions.session("a1")
            assert sessions.session("sf").release, "another endpoint is not concerned"
        remediator = remediator_for("acme.limit")
        assert remediator.kind == "acme"
        for use in (lambda: remediator.read(None, target), lambda: remediator.write(None, target, 1)):
            with pytest.raises(EndpointError, match=r"a bug in auditor-acme 1\.2 stopped it") as caught:
                use()
            assert "pw-that-nobody-may-see" not in shown_by(caught.value)
    with pytest.raises(ValueError, match="a bug of ours"):
        call_plugin("sf", "", lambda: int("a bug of ours shows its traceback"))


def test_the_doctor_goes_on_where_a_plugin_breaks(tmp_path: Path, site: Path) -> None:
    broken = CLIENT.replace('release = "Acme 1.0"', 'release = "Acme 1.0"\n\n    def role(self):\n        raise KeyError("x")')
    write_plugin(site, "auditor-acme", {**WORKING, "client": broken})
    with installed(site), EXAMPLES[EndpointKind.ELEMENT].served(tmp_path) as (_, endpoint, _):
        fleet = fleet_of(tmp_path, endpoint)
        reachable = dataclasses.replace(fleet.endpoints[0], name="a1", kind=EndpointKind("acme"))
        diagnosis = examine(
            dataclasses.replace(fleet, endpoints=(fleet.endpoints[0], reachable)), load_policy(fleet).rules, lambda *_: None
        )
    assert all("a bug in" not in check.what for check in diagnosis.of("sf"))
    assert any("a bug in auditor-acme 1.2 stopped it: KeyError" in check.what for check in diagnosis.of("a1"))


def test_a_kind_that_nobody_has_is_a_mistake_and_plugins_are_among_those_that_may_be_meant(tmp_path: Path, site: Path) -> None:
    write_plugin(site, "auditor-acme", WORKING)
    with EXAMPLES[EndpointKind.ELEMENT].served(tmp_path) as (_, endpoint, _):
        with installed(site), pytest.raises(ConfigurationError, match='there is no kind "acmee"; did you mean "acme"'):
            fleet_of(tmp_path, endpoint, "acmee")
        with pytest.raises(ConfigurationError, match=r'there is no kind "acme".*a kind of a plugin needs the plugin'):
            fleet_of(tmp_path, endpoint)


def test_the_schema_of_fleet_yaml_has_the_kinds_of_plugins(site: Path) -> None:
    write_plugin(site, "auditor-acme", WORKING)
    with installed(site):
        assert "acme" in fleet_schema()["$defs"]["EndpointKind"]["enum"]
    assert "acme" not in fleet_schema()["$defs"]["EndpointKind"]["enum"]


def family(vendor: str, model: str, name: str) -> object:
    import duckdb

    with duckdb.connect() as connection:
        create_macros(connection)
        return connection.execute("SELECT family_of_inquiry(?, ?), family_of_name(?)", [vendor, model, name]).fetchone()


def test_devices_of_a_plugin_are_recognised_and_those_of_auditor_stay_as_they_are(site: Path) -> None:
    write_plugin(site, "auditor-acme", {"__init__": TYPE})
    assert family("ACME", "Disk", "naa.6acme1") == ("other", None)
    with installed(site):
        assert family("ACME", "Disk", "naa.6acme1") == ("acme", "acme")
        assert family("PURE", "FlashArray", "naa.624a9370") == ("flasharray", "flasharray")
        assert kinds_of_families()["acme"] == "acme"
    assert "acme" not in families_by_name()


@pytest.mark.parametrize("name", ["xiv", "3par"])
def test_a_plugin_may_read_a_family_that_auditor_only_recognises_and_does_not_change_it(name: str, site: Path) -> None:
    text = TYPE.replace('Family("acme"', f'Family("{name}"')
    write_plugin(site, "auditor-acme", {"__init__": text})
    known = all_families()
    with installed(site):
        assert kinds_of_families()[name] == "acme"
        assert all_families() == known


def test_the_doctor_names_whose_code_reads_an_endpoint(tmp_path: Path, site: Path) -> None:
    write_plugin(site, "auditor-acme", WORKING)
    with installed(site), EXAMPLES[EndpointKind.ELEMENT].served(tmp_path) as (_, endpoint, _):
        fleet = fleet_of(tmp_path, endpoint)
        diagnosis = examine(fleet, load_policy(fleet).rules, lambda *_: None)
        assert topics_of(EndpointKind("acme"))[0] == "plugin"
        assert "plugin" not in topics_of(EndpointKind.ELEMENT)
    [check] = [one for one in diagnosis.of("a1") if one.topic == "plugin"]
    assert (check.state, check.facts) == (Health.OK, {"plugin": "auditor-acme 1.2"})
    [installed_one] = [one for one in diagnosis.of("") if one.topic == "plugins"]
    assert "kind acme comes with auditor-acme 1.2 (package auditor_acme), reads 2 topics and can change 0 settings" in installed_one.what
    assert not [one for one in diagnosis.of("sf") if one.topic == "plugin"]


def test_the_doctor_asks_nothing_of_an_endpoint_whose_plugin_is_unfit_and_says_what_to_do(tmp_path: Path, site: Path) -> None:
    write_plugin(site, "auditor-acme", {"__init__": BROKEN})
    with installed(site), EXAMPLES[EndpointKind.ELEMENT].served(tmp_path) as (_, endpoint, _):
        fleet = fleet_of(tmp_path, endpoint)
        policy = load_policy(fleet)
        diagnosis = examine(fleet, policy.rules, lambda *_: None)
    states = {check.topic: check.state for check in diagnosis.of("a1")}
    assert states.pop("plugin") is Health.PROBLEM
    assert set(states.values()) == {Health.UNKNOWN}
    [check] = [one for one in diagnosis.of("a1") if one.topic == "plugin"]
    assert "No module named 'no_such_module'" in check.what
    assert "auditor-acme" in check.do
    assert not [one for one in diagnosis.of("") if one.topic == "plugins"], "once is enough"
    assert any(check.what in notice for notice in policy.notices), "an audit says so too"
