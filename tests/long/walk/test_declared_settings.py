"""settings.yaml on the lab: what differs is drift, a fix sets it as any other, and nothing of it gets round what holds fixes back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim

from auditor.cli import run
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.fleet.loading import load_fleet
from auditor.history.runs import load_run
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from tests.audits import AT_ONCE, Audit, Place, only, writes

TWIN, OTHER = "esx-twin-1.lab.example", "esx-twin-2.lab.example"
OPTION, LIMIT = "Disk.QFullSampleSize", "Disk.DiskMaxIOSize"
FIX = ("--fix", "--yes", *AT_ONCE, "--allow-unusual")
RULES = only("declared/option", "declared/one-value")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    folder = tmp_path_factory.mktemp("declared")
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield lab, folder


@pytest.fixture
def place(served: tuple[Lab, Path], capsys: pytest.CaptureFixture[str]) -> Iterator[Place]:
    """The lab, whose hosts have the options of `OPTION` and `LIMIT` at their defaults again afterwards."""
    lab, folder = served
    before = (folder / "fleet.yaml").read_text(encoding="utf-8")
    capsys.readouterr()
    yield Place(lab, folder, capsys)
    (folder / "settings.yaml").unlink(missing_ok=True)
    (folder / "waivers.yaml").unlink(missing_ok=True)
    (folder / "fleet.yaml").write_text(before, encoding="utf-8")
    with hosts_of(Place(lab, folder, capsys)) as hosts:
        for host in hosts.values():
            put(host, OPTION, 0)
            put(host, "DataMover.HardwareAcceleratedMove", 1)


def declare(place: Place, text: str) -> None:
    (place.folder / "settings.yaml").write_text(text, encoding="utf-8")


@contextmanager
def hosts_of(place: Place) -> Iterator[dict[str, Any]]:
    """The hosts by name, as somebody else than auditor reaches them."""
    endpoint = next(one for one in load_fleet(place.fleet).endpoints if one.name in place.lab.vcenters)
    with open_vcenter(endpoint) as vcenter:
        yield {one.values["name"]: vcenter.object(vim.HostSystem, one.id) for one in names(vcenter)}


def names(vcenter: VCenter) -> Any:
    return vcenter.read(vim.HostSystem, ["name"])


def put(host: Any, key: str, value: int) -> None:
    options = host.configManager.advancedOption
    (now,) = options.QueryOptions(key)
    if now.value != value:
        options.UpdateOptions([vim.option.OptionValue(key=key, value=type(now.value)(value))])


def values(place: Place, key: str = OPTION) -> dict[str, int]:
    with hosts_of(place) as hosts:
        return {name: host.configManager.advancedOption.QueryOptions(key)[0].value for name, host in hosts.items()}


def drift(audit: Audit) -> list[tuple[str, str | None, Any, Any]]:
    found = [f for f in audit.report["findings"] if f["rule"].startswith("declared/") and f["verdict"] in ("fail", "unknown")]
    return sorted((f["resource"]["name"], f["resource"]["host"], f["observed"], f["desired"]) for f in found)


def outcome(audit: Audit, host: str) -> str:
    (found,) = [f for f in audit.report["findings"] if (f["rule"], f["resource"]["host"]) == ("declared/option", host)]
    return str(found["fix"]["outcome"])


def test_what_differs_is_drift_and_a_fix_sets_it_and_is_undone(place: Place) -> None:
    declare(place, f"hosts:\n  - {{cluster: SF-TWIN, options: {{{OPTION}: 32}}}}\n")
    seen = place.audit(*RULES)
    assert drift(seen) == [(OPTION, TWIN, "0", "32"), (OPTION, OTHER, "0", "32")]
    assert [f["message"] for f in seen.of("declared/option", "fail")] == [
        f"{OPTION} on {host}: 0, declared 32 (settings.yaml:2)" for host in (TWIN, OTHER)
    ]
    again = place.audit(*RULES)
    assert {(f["since"]["run"], f["since"]["at_least"]) for f in again.of("declared/option", "fail")} == {(seen.report["run"]["id"], True)}

    held = place.audit(*RULES, "--fix", "--yes", *AT_ONCE)
    assert set(values(place).values()) == {0}, "nothing in the fleet has that value, and a slip would reach every host"
    assert drift(held) == drift(seen)

    fixed = place.audit(*RULES, *FIX)
    assert drift(fixed) == []
    assert {name for name, value in values(place).items() if value == 32} == {TWIN, OTHER}
    assert run(["undo", load_run(place.state).id, "--fleet", str(place.fleet), "--state-dir", str(place.state), "--yes"]) == 0
    assert set(values(place).values()) == {0}


def test_the_narrower_entry_counts_and_two_that_are_equally_narrow_set_nothing(place: Place) -> None:
    declare(
        place,
        f"""hosts:
  - {{options: {{{OPTION}: 16}}}}
  - {{cluster: "sf-*", options: {{{OPTION}: 24}}}}
  - {{cluster: "*-twin", options: {{{OPTION}: 32}}}}
  - {{host: esx-twin-1.*, options: {{{OPTION}: 8}}}}
""",
    )
    seen = place.audit(*RULES)
    assert [f["message"] for f in seen.of("declared/one-value", "fail")] == [
        f"{OPTION} on {OTHER}: 24, 32 are declared (settings.yaml:3, settings.yaml:4); wanted one value"
    ]
    wanted = {f["resource"]["host"]: f["desired"] for f in seen.of("declared/option", "fail")}
    assert wanted.pop(TWIN) == "8"
    assert OTHER not in wanted
    assert set(wanted.values()) == {"24"}
    place.audit(*RULES, *FIX)
    assert values(place)[OTHER] == 0


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param(OPTION, 65, id="beyond the range that the host offers"),
        pytest.param("Disk.NoSuchOption", 1, id="an option that the host does not have"),
        pytest.param("NFS41.MaxRead", 65536, id="an option where nobody recorded when it takes effect"),
    ],
)
def test_a_value_that_a_host_does_not_take_is_not_written(place: Place, key: str, value: int) -> None:
    declare(place, f"hosts:\n  - {{host: {TWIN}, options: {{{key}: {value}}}}}\n")
    before, written = values(place), len(writes(place))
    audited = place.audit(*RULES, *FIX)
    assert drift(audited), "never a pass"
    assert values(place) == before
    assert len(writes(place)) == written


def test_what_is_protected_or_waived_or_of_a_class_that_is_not_allowed_stays(place: Place) -> None:
    declare(
        place,
        f"hosts:\n  - {{cluster: sf-twin, options: {{{OPTION}: 32}}, modules: {{iscsi_vmk: {{iscsivmk_LunQDepth: 128}}}}}}\n",
    )
    with place.fleet.open("a", encoding="utf-8") as fleet:
        fleet.write(f"\nprotect:\n  - {{host: {TWIN}, reason: a trial}}\n")
    (place.folder / "waivers.yaml").write_text(
        "waivers:\n  - rule: declared/option\n"
        f"    resources: {{host: {OTHER}}}\n    owner: storage\n    reason: a trial\n    ticket: C-1\n    expires: 2099-01-01\n",
        encoding="utf-8",
    )
    written = len(writes(place))
    audited = place.audit(*RULES, *only("declared/module-parameter"), *FIX)
    assert len(writes(place)) == written, "a module's parameter needs --allow reboot"
    assert outcome(audited, TWIN) == "proposed"
    assert [f["resource"]["host"] for f in audited.of("declared/option", "waived")] == [OTHER]
    assert set(values(place).values()) == {0}


def test_a_lesson_that_wants_it_otherwise_is_never_fought_over(place: Place) -> None:
    declare(place, f"hosts:\n  - {{host: {TWIN}, options: {{DataMover.HardwareAcceleratedMove: 0}}}}\n")
    written = len(writes(place))
    audited = place.audit(*RULES, *only("vaai/enabled"), *FIX)
    assert len(writes(place)) == written
    [finding] = audited.of("declared/option", "fail")
    assert finding["fix"]["outcome"] == "refused"
    assert "vaai/enabled" in finding["fix"]["why"]


def test_a_plan_of_yesterdays_settings_is_not_made(place: Place) -> None:
    declare(place, f"hosts:\n  - {{host: {TWIN}, options: {{{OPTION}: 32}}}}\n")
    plan = place.folder / "plan.json"
    common = ["--fleet", str(place.fleet), "--state-dir", str(place.state)]
    run(["plan", *common, *RULES, "--out", str(plan)])
    assert plan.is_file()
    declare(place, f"hosts:\n  - {{host: {TWIN}, options: {{{OPTION}: 24}}}}\n")
    place.capsys.readouterr()
    assert run(["apply", str(plan), *common, "--yes", "--allow-unusual", "--settle", "0"]) == 5
    assert "settings.yaml declares other values" in place.capsys.readouterr().err
    assert values(place)[TWIN] == 0
