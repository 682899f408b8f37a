"""Plugins of this repository as users get them: a wheel each, in a folder of its own, beside an auditor that knows nothing of it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from auditor.cli import run
from auditor.contract import closed_port
from auditor.model import EndpointKind
from auditor.recording.bundle import read_bundle
from tests.contract.examples import EXAMPLES
from tests.plugins import installed, write_plugin
from tests.waiting import completed

if TYPE_CHECKING:
    from auditor.model import Endpoint

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "examples" / "auditor-example-array"
PLUGINS = (SOURCE, ROOT / "plugins" / "auditor-hpe3par")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
NO_NETWORK = ("--no-deps", "--no-index")


def install(source: Path, folder: Path) -> Path:
    """Build the wheel of a plugin and install it; the folder that it is in then."""
    copy = folder / "source"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    completed([*PIP, "wheel", *NO_NETWORK, "--no-build-isolation", "--wheel-dir", str(folder / "dist"), str(copy)], check=True)
    [wheel] = (folder / "dist").glob("*.whl")
    completed([*PIP, "install", *NO_NETWORK, "--target", str(folder / "site"), str(wheel)], check=True)
    return folder / "site"


def with_plugins(*sites: Path) -> dict[str, str]:
    """An environment in which what lies in `sites` is installed too."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sites)), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(SOURCE, tmp_path_factory.mktemp("example"))


@pytest.mark.parametrize("source", PLUGINS, ids=lambda source: source.name)
def test_a_wheel_holds_the_package_its_rules_and_its_entry_point_and_no_tests_and_keeps_the_contract(
    source: Path, site: Path, tmp_path: Path
) -> None:
    if source != SOURCE:
        site = install(source, tmp_path)
    [wheel] = (site.parent / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        names = {name for name in packed.namelist() if "dist-info" not in name}
        [entry_points] = [packed.read(name).decode() for name in packed.namelist() if name.endswith("entry_points.txt")]
    package = source.name.replace("-", "_")
    files = [path for path in (source / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert names == {path.relative_to(source).as_posix() for path in files}
    named = ConfigParser()
    named.read_string(entry_points)
    assert dict(named["auditor.endpoints"]) == {source.name.removeprefix("auditor-"): f"{package}:TYPE"}
    assert set(named.sections()) <= {"auditor.endpoints", "auditor.lab"}  # a double for the demo, where it brings one
    shutil.copytree(source / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(source / "pyproject.toml", tmp_path)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    ran = completed(command, check=False, cwd=tmp_path, env=with_plugins(site))
    assert ran.returncode == 0, ran.stdout[-3000:]
    assert "passed" in ran.stdout
    assert "skipped" not in ran.stdout


def double_of_the_example() -> Any:
    """The module of its double, as its own tests have it."""
    about = importlib.util.spec_from_file_location("double_of_the_example", SOURCE / "tests" / "double.py")
    assert about is not None
    assert about.loader is not None
    module = importlib.util.module_from_spec(about)
    sys.modules[about.name] = module
    about.loader.exec_module(module)
    return module


def entry(endpoint: Endpoint, name: str, folder: Path, *, kind: str = "") -> dict[str, Any]:
    """An entry of fleet.yaml; YAML takes JSON."""
    secret = {"file": str(folder / "password")}
    login = {"username": endpoint.username, "password": secret} if endpoint.username else {"api_token": secret}
    address = f"{endpoint.address}:{endpoint.port}"
    return {"name": name, "kind": kind or endpoint.kind.value, "address": address, **login, "tls": {"ca": str(folder / "ca.pem")}}


def test_an_audit_reads_the_plugin_and_ours_and_a_broken_plugin_costs_its_endpoint_alone(site: Path, tmp_path: Path) -> None:
    broken, ours, theirs = tmp_path / "broken", tmp_path / "ours", tmp_path / "theirs"
    for folder in (broken, ours, theirs):
        folder.mkdir()
    write_plugin(broken, "auditor-acme", {"__init__": "import no_such_module"})
    with installed(site):
        double = double_of_the_example()
        with (
            double.EXAMPLE.served(theirs, volumes=3) as (server, example, _),
            EXAMPLES[EndpointKind.FLASHARRAY].served(ours) as (_, flasharray, _),
        ):
            server.array.volumes["v3"]["iops_limit"] = 50
            entries = [entry(example, "ex", theirs), entry(flasharray, "fa", ours), entry(example, "acme-1", theirs, kind="acme")]
            (tmp_path / "fleet.yaml").write_text(json.dumps({"endpoints": entries}), encoding="utf-8")
            only = ["--only", "example-array/*", "--only", "array/warning-alert"]
            command = [sys.executable, "-m", "auditor", "audit", "--fleet", "fleet.yaml", *only, "--reporter", "json-full:report.json"]
            ran = completed([*command, "--state-dir", "state"], check=False, cwd=tmp_path, env=with_plugins(site, broken))
    assert ran.returncode == 2, ran.stdout + ran.stderr
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    endpoints = {one["name"]: (one["complete"], one.get("plugin"), one["version"]) for one in report["run"]["endpoints"]}
    assert endpoints["ex"] == (True, "auditor-example-array 0.1.0", "Example Array 1.4")
    assert endpoints["fa"][:2] == (True, None)
    assert endpoints["acme-1"] == (False, "auditor-acme 1.2", None)
    assert [(gap["endpoint"], "No module named 'no_such_module'" in gap["why"]) for gap in report["gaps"]] == [("acme-1", True)]
    found = {(one["rule"], one["resource"]["name"]): one["verdict"] for one in report["findings"]}
    assert {key: verdict for key, verdict in found.items() if key[0] == "example-array/volume-ceiling" and key[1].startswith("lun")} == {
        ("example-array/volume-ceiling", "lun 1"): "pass",
        ("example-array/volume-ceiling", "lun 2"): "not_applicable",
        ("example-array/volume-ceiling", "lun 3"): "fail",
    }
    assert found["example-array/uncapped-neighbour", "ex-1"] == "pass"
    [fix] = [one["fix"] for one in report["findings"] if one["verdict"] == "fail" and one["resource"]["name"] == "lun 3"]
    assert (fix["remediator"], fix["before"], fix["after"]) == ("example_array.volume_limit", 50, 200)
    assert any("auditor-acme 1.2" in notice for notice in report["notices"])


def test_a_run_whose_plugin_is_gone_is_shown_and_judged_again(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = str(tmp_path / "state")
    with installed(site):
        double = double_of_the_example()
        with double.EXAMPLE.served(tmp_path, volumes=3) as (_, example, _):
            silent = {**entry(example, "vc", tmp_path, kind="vcenter"), "address": f"127.0.0.1:{closed_port()}"}
            entries = {"endpoints": [entry(example, "ex", tmp_path), silent]}  # with no vCenter at all nothing would be judged
            (tmp_path / "fleet.yaml").write_text(json.dumps(entries), encoding="utf-8")
            audit = ["audit", "--fleet", str(tmp_path / "fleet.yaml"), "--only", "example-array/*", "--state-dir", state]
            assert run(audit) == 2
        capsys.readouterr()
        assert (
            run(["query", "SELECT capped_volumes, uncapped_volumes FROM example_array_system", "--state-dir", state, "--format", "csv"])
            == 0
        )
        assert capsys.readouterr().out.split() == ["capped_volumes,uncapped_volumes", "2,1"]
        assert run(["rules", "schema", "example_array_system"]) == 0
        assert "volumes with a ceiling; NULL where not all volumes" in " ".join(capsys.readouterr().out.split())
    assert run(["runs", "show", "last", "--state-dir", state, "--reporter", "json-full"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["run"]["endpoints"][0]["plugin"] == "auditor-example-array 0.1.0"
    assert {one["rule"] for one in shown["findings"]} == {"example-array/uncapped-neighbour", "example-array/volume-ceiling"}
    [snapshot] = Path(state).glob("runs/*/snapshot")
    select = "SELECT volume, family, qos_max_iops FROM array_volume ORDER BY 1"
    assert run(["query", select, "--snapshot", str(snapshot), "--format", "json"]) == 0
    rows = [list(row.values()) for row in json.loads(capsys.readouterr().out)]
    assert rows == [["lun 1", "example-array", 1000], ["lun 2", "example-array", None], ["lun 3", "example-array", 1000]]
    assert run(["audit", "--snapshot", str(snapshot), "--only", "ontap/lun-os-type", "--state-dir", state]) in (0, 2)
    assert run(["audit", "--fleet", str(tmp_path / "fleet.yaml"), "--state-dir", state]) == 3
    assert 'there is no kind "example-array"' in capsys.readouterr().err


def test_what_the_example_answers_is_recorded_and_no_name_is_kept(site: Path, tmp_path: Path) -> None:
    with installed(site):
        double = double_of_the_example()
        with double.EXAMPLE.served(tmp_path, volumes=2) as (_, example, _):
            (tmp_path / "fleet.yaml").write_text(json.dumps({"endpoints": [entry(example, "ex", tmp_path)]}), encoding="utf-8")
            out = tmp_path / "kept.tar.gz"
            assert run(["record", "--fleet", str(tmp_path / "fleet.yaml"), "--out", str(out), "--key", str(tmp_path / "key")]) == 0
    bundle = read_bundle(out)
    text = b"".join(one.exchange.answer for endpoint in bundle.endpoints for one in endpoint.exchanges).decode()
    assert [endpoint.kind for endpoint in bundle.endpoints] == ["example-array"]
    assert "1.4" in text
    assert "lun 1" not in text
    assert double.SERIAL not in text
