"""The facts that the plugin of HPE 3PAR reads are judged by the rules of auditor beside those of vCenter, and its own rule by them."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.cli import run
from auditor.contract import Collected
from auditor.endpoints.common.sessions import open_session
from auditor.engine.evaluate import evaluate
from auditor.engine.rules.params import param_values
from auditor.engine.rules.rule import RuleSet
from auditor.facts.catalog import view_columns
from auditor.fleet.loading import load_fleet
from auditor.model.endpoint_kinds import endpoint_type
from auditor.pipeline.plugin_rules import plugin_rules
from auditor.recording.bundle import read_bundle
from auditor_lab.description import LabFleet
from auditor_lab.plugin_arrays import plugin_arrays
from auditor_lab.serving import serve
from tests.facts.fleets import Facts, hosts, on_all_hosts, view, whole
from tests.facts.judged import judged
from tests.facts.prepared import connection_with
from tests.plugins import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

SOURCE = Path(__file__).parents[2] / "plugins" / "auditor-hpe3par"
OVERLAP = "sioc/overlap-array-qos"


@pytest.fixture(scope="module")
def double(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The module of the array's double, while the plugin is installed."""
    site = tmp_path_factory.mktemp("site")
    shutil.copytree(SOURCE / "auditor_hpe3par", site / "auditor_hpe3par", ignore=shutil.ignore_patterns("__pycache__"))
    about = site / "auditor_hpe3par-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: auditor-hpe3par\nVersion: 0.1.0\n", encoding="utf-8")
    given = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    lines = [line for group, named in given.items() for line in (f"[{group}]", *(f"{name} = {place}" for name, place in named.items()))]
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    with installed(site):
        found = importlib.util.spec_from_file_location("double_of_hpe3par", SOURCE / "tests" / "double.py")
        assert found is not None
        assert found.loader is not None
        module = importlib.util.module_from_spec(found)
        sys.modules[found.name] = module
        found.loader.exec_module(module)
        yield module


def fleet(double: Any, folder: Path, **lists: Any) -> Facts:
    """A host that sees every volume of the array, each with a datastore under Storage I/O Control; and the array as it was read."""
    given = hosts(1)
    with double.EXAMPLE.served(folder, lists={**double.fleet(), **lists}) as (_, endpoint, _), open_session(endpoint) as session:
        kind = endpoint_type(double.KIND)
        found = Collected(kind.load(kind.collector)(session, endpoint))
    for table, rows in found.tables.items():
        given.setdefault(table, []).extend(rows)
    volumes = found.by("array_volume")
    inquiry = {"vendor": "3PARdata", "model": "VV", "device_type": "disk", "is_local": False}
    on_all_hosts(given, *({"device": row["device"], **inquiry} for row in volumes.values()))
    on = {"type": "VMFS", "sioc_enabled": True}
    given["datastore"] = [{"datastore_id": f"on {name}", "name": f"on {name}", **on} for name in volumes]
    given["datastore_extent"] = [{"datastore_id": f"on {name}", "device": row["device"]} for name, row in volumes.items()]
    given["hba"] = [{"host_id": "host-1", "hba": f"vmhba{n}", "kind": "fc", "initiator": f"10000090fa00000{n}"} for n in (1, 2, 3)]
    return given


def test_storage_io_control_is_judged_against_the_rules_of_sets_and_of_all_others(double: Any, tmp_path: Path) -> None:
    assert judged(OVERLAP, fleet(double, tmp_path)) == {
        "on gold-01": "fail",
        "on gold-02": "fail",
        "on both": "fail",
        "on idle-rule": "pass",
        "on free": "pass",
    }
    others = double.rule("sys:all_others", 2, ioMaxLimit=700)
    assert judged(OVERLAP, fleet(double, tmp_path, qos=[others]))["on free"] == "fail"


def test_it_is_unknown_in_a_domain_and_where_the_rules_were_not_read(double: Any, tmp_path: Path) -> None:
    in_domain = fleet(double, tmp_path, volumes=[double.volume("free", 5, domain="prod"), double.volume("gold-01", 1, domain="prod")])
    assert judged(OVERLAP, in_domain) == {"on free": "unknown", "on gold-01": "fail"}
    assert set(judged(OVERLAP, fleet(double, tmp_path, qos=None)).values()) == {"unknown"}


def test_the_ceiling_of_a_volume_is_the_lowest_of_its_sets_and_who_shares_it_is_counted(double: Any, tmp_path: Path) -> None:
    rows = {row["volume_id"]: row for row in view("array_volume", fleet(double, tmp_path))}
    both = rows["both"]
    assert (both["family"], both["qos_max_iops"], both["qos_max_bytes_per_second"]) == ("3par", 8000, 50_000_000)
    assert both["qos"] == "slow: 9000 IOPS, 47.7 MiB/s; group gold: 8000 IOPS, 381.5 MiB/s"
    assert (rows["gold-01"]["qos_sharers"], rows["gold-01"]["qos_shared_by"]) == (2, "both, gold-01, gold-02")
    assert (rows["free"]["qos"], rows["free"]["is_capped"], rows["free"]["carries_datastore"]) == ("none", False, True)


def test_the_plugin_s_own_rules_judge_hosts_by_their_persona_and_sets_by_who_shares_them(double: Any, tmp_path: Path) -> None:
    rules = RuleSet(dict(plugin_rules().rules), view_columns())
    connection = connection_with({rule.over for rule in rules}, whole(fleet(double, tmp_path)))
    evaluation = evaluate(connection, rules, param_values([], rules))
    assert {(finding.rule, finding.resource.name): str(finding.verdict) for finding in evaluation.findings()} == {
        ("hpe3par/host-persona", "esx-1"): "pass",
        ("hpe3par/host-persona", "esx-2"): "fail",
        ("hpe3par/shared-set", "gold"): "fail",
        ("hpe3par/shared-set", "slow"): "pass",
        ("hpe3par/shared-set", "off"): "not_applicable",
    }
    evaluation.close()


def test_the_lab_serves_the_double_that_the_plugin_brings_as_one_more_endpoint(double: Any, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yaml"
    with serve(LabFleet(), plugins=plugin_arrays()) as lab:
        lab.write_fleet(fleet)
        [endpoint] = load_fleet(fleet).endpoints
        with open_session(endpoint) as session:
            kind = endpoint_type(double.KIND)
            found = Collected(kind.load(kind.collector)(session, endpoint))
    assert (endpoint.name, endpoint.kind) == ("3par-east", "hpe3par")
    assert [row["name"] for row in found.tables["array_volume"]] == ["gold-01", "gold-02", "both", "idle-rule", "free"]


def test_a_node_that_is_down_is_a_finding_of_the_array(double: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(judged("array/node-state", fleet(double, tmp_path)).values()) == {"pass"}
    monkeypatch.setitem(double.SYSTEM, "onlineNodes", [0])
    given = fleet(double, tmp_path)
    assert set(judged("array/node-state", given).values()) == {"fail"}
    assert [row["nodes_not_up_words"] for row in view("array_system", given)] == ["node 1 is down"]


def test_what_the_array_answers_is_recorded_and_neither_its_key_nor_a_name_is_kept(double: Any, tmp_path: Path) -> None:
    with double.EXAMPLE.served(tmp_path) as (_, endpoint, _):
        at = {"name": "3par", "kind": "hpe3par", "address": f"{endpoint.address}:{endpoint.port}", "username": endpoint.username}
        files = {"password": {"file": str(tmp_path / "password")}, "tls": {"ca": str(tmp_path / "ca.pem")}}
        (tmp_path / "fleet.yaml").write_text(json.dumps({"endpoints": [at | files]}), encoding="utf-8")
        out = tmp_path / "kept.tar.gz"
        assert (
            run(
                [
                    "record",
                    "--fleet",
                    str(tmp_path / "fleet.yaml"),
                    "--out",
                    str(out),
                    "--key",
                    str(tmp_path / "key"),
                    "--state-dir",
                    str(tmp_path / "state"),
                ]
            )
            == 0
        )
    [recorded] = read_bundle(out).endpoints
    text = "".join(f"{one.exchange!r}" for one in recorded.exchanges)
    for kept in ("3.3.1.648", "ioMaxLimit", "8000", "credentials"):
        assert kept in text
    for masked in (double.KEY, double.SERIAL, "gold-01", "esx-1", "cluster-1", "10000090FA000001"):
        assert masked.lower() not in text.lower()
