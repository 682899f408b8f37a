"""Kinds that come with other packages are found when they are asked for; one that is unfit says why, and costs nothing else."""

from __future__ import annotations

import copy
import pickle
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import SimpleNamespace

import pytest

from auditor.endpoints.settings import remediator_names, setting_of
from auditor.model import EndpointKind, plugins
from auditor.model.endpoint_kinds import (
    endpoint_type,
    endpoint_types,
    is_array,
    is_known,
    package_types,
    plugin_faults,
    plugin_types,
)
from tests.plugins import TYPE, WORKING, installed, write_plugin
from tests.waiting import completed

ACME = EndpointKind("acme")
SETTING = "from auditor.model.settings import Setting\n"


def fault_of(site: Path) -> str:
    """What is wrong with the kind acme of what is installed; the kinds of auditor itself are as ever."""
    with installed(site):
        about = endpoint_type(ACME)
        assert [one.kind for one in endpoint_types()] == list(EndpointKind), "a kind that is unfit is none"
        assert about.fault is not None
        assert about.fault.why
        assert about.fault.do
        assert about.fault in plugin_faults()
        assert set(about.topics) == {topic for one in package_types() if one.is_array for topic in one.topics}, (
            "nothing of it counts as read"
        )
        return about.fault.what


def test_any_text_names_one_kind_in_this_process_and_in_others() -> None:
    assert EndpointKind("acme") is ACME
    assert pickle.loads(pickle.dumps(ACME)) is ACME
    assert copy.deepcopy(ACME) is ACME
    assert (ACME, f"{ACME}", ACME.value, hash(ACME)) == ("acme", "acme", "acme", hash("acme"))
    assert ACME not in list(EndpointKind)
    assert EndpointKind("ontap") is EndpointKind.ONTAP
    with pytest.raises(ValueError, match="5"):
        EndpointKind(5)  # type: ignore[arg-type]


def test_a_plugin_is_found_by_its_entry_point_and_everything_is_loaded_from_its_package(tmp_path: Path) -> None:
    write_plugin(tmp_path, "auditor-acme", WORKING)
    with installed(tmp_path):
        assert is_known("acme")
        assert "auditor_acme" not in sys.modules, "to know its name imports nothing"
        about = endpoint_type(ACME)
        assert (about.fault, about.plugin, about.folder) == (None, "auditor-acme 1.2", "auditor_acme")
        assert about.load(about.opener).__module__ == "auditor_acme.client"
        assert list(plugin_types()) == [about]
        assert plugin_faults() == ()
        assert is_array("acme")


def test_a_kind_without_a_plugin_is_an_array_that_cannot_be_read() -> None:
    about = endpoint_type(EndpointKind("gone"))
    assert not is_known("gone")
    assert about.fault is not None
    assert about.fault.what == 'no installed package gives the kind "gone"'
    assert is_array("gone")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("import no_such_module", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'", id="imports"),
        pytest.param("raise RuntimeError('first line\\nsecond')", "cannot be imported: RuntimeError: first line", id="raises"),
        pytest.param("raise SystemExit(3)", "cannot be imported: SystemExit: 3", id="exits"),
        pytest.param("", "cannot be imported: AttributeError: module 'auditor_acme' has no attribute 'TYPE'", id="no TYPE"),
        pytest.param("TYPE = {}", "names auditor_acme:TYPE, which is no EndpointType but dict", id="no EndpointType"),
        pytest.param(TYPE.replace("contract=1", "contract=7"), "is written for contract 7, and this auditor has contract 1", id="newer"),
        pytest.param(TYPE.replace("contract=1,", ""), "is written for contract none, and this auditor has contract 1", id="no contract"),
        pytest.param(TYPE.replace('Kind("acme")', 'Kind("other")'), 'says in its TYPE that it is of the kind "other"', id="other kind"),
        pytest.param(TYPE.replace('"volumes"', '"moods"'), "reports topics that no table is for: moods", id="unknown topic"),
        pytest.param(TYPE.replace('("array", "volumes")', "()"), "reports no topic", id="no topic"),
        pytest.param(TYPE.replace('Family("acme"', 'Family("ontap"'), 'gives the family "ontap", which auditor itself reads', id="ours"),
        pytest.param(TYPE.replace('"Disk"', '"Di\'sk"'), 'recognises devices by "Di\'sk"', id="a quote, which SQL would end by"),
        pytest.param(TYPE.replace('"Disk"', '"Di(sk"'), "recognises devices by 'Di(sk'", id="no expression"),
        pytest.param(TYPE.replace('"Disk"', '"(?!x)Disk"'), "recognises devices by '(?!x)Disk'", id="looks ahead"),
        pytest.param(TYPE.replace('("made up",)', '("made up",), "12; x"'), "whose array_digits is not a number: '12; x'", id="no number"),
        pytest.param(TYPE.replace('("array", "volumes")', "None"), "has a TYPE whose topics is not a tuple of texts: 'None'", id="None"),
        pytest.param(TYPE.replace('"Disk"', '"Di++sk"'), "recognises devices by 'Di++sk'", id="Python takes it, and DuckDB does not"),
        pytest.param(
            TYPE.replace("contract=1", "contract=1, is_incremental=True"), "uses settings_of, steps or is_incremental", id="ours alone"
        ),
        pytest.param(
            SETTING + TYPE.replace("contract=1", 'contract=1, settings={"ontap.qos_policy_limit": Setting("settings:Limit")}'),
            'has settings whose names do not begin with "acme.": ontap.qos_policy_limit',
            id="another's setting",
        ),
    ],
)
def test_a_plugin_that_is_unfit_says_what_is_wrong_with_it(tmp_path: Path, text: str, said: str) -> None:
    write_plugin(tmp_path, "auditor-acme", {"__init__": text})
    what = fault_of(tmp_path)
    assert what.startswith('auditor-acme 1.2, which gives the kind "acme", ')
    assert said in what
    assert "second" not in what


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("class Panic(BaseException): ...\n\nraise Panic('x')", "cannot be imported: Panic: x", id="raises no Exception"),
        pytest.param(TYPE.replace('"Disk"', '"Disk", "x"'), "whose inquiries is not a tuple of pairs of texts", id="three texts"),
        pytest.param(TYPE.replace('(("ACME", "Disk"),)', '("ACME", "Disk")'), "whose inquiries is not a tuple of pairs", id="no comma"),
        pytest.param(TYPE.replace('acme",), ("made', 'acme"), ("made'), "whose names is not a tuple of texts", id="a text"),
        pytest.param(TYPE.replace('"Acme"', "None"), "whose label is not a text: 'None'", id="no label"),
        pytest.param(TYPE.replace("contract=1", "contract=1, settings=['acme.x']"), "whose settings is not a mapping", id="settings"),
        pytest.param(TYPE.replace("contract=1", "contract=1, settings={'acme.x': 's:X'}"), "of names to Setting", id="a setting"),
        pytest.param(TYPE.replace("contract=1", "contract=1, rules=5"), "whose rules is not a text: '5'", id="rules"),
        pytest.param(TYPE.replace("contract=1", "contract=1, kept_fields='id name'"), "kept_fields is not a text as", id="kept fields"),
        pytest.param(TYPE.replace("contract=1", "contract=1, kept_forms=5"), "kept_forms is not a text as", id="kept forms"),
        pytest.param(TYPE.replace("contract=1", "contract=1, roles=None"), "whose roles is not Roles", id="roles"),
        pytest.param(TYPE.replace("contract=1", "contract=1, login='none'"), "whose login is not password or api_token", id="login"),
        pytest.param(TYPE.replace("client:opened", "client"), "whose opener is not a text as", id="no name in it"),
        pytest.param(TYPE.replace('"ACME", "Disk"', '".*", "LUN"'), "which NetApp ONTAP answers as well (NETAPP, LUN)", id="a model"),
        pytest.param(TYPE.replace('"ACME", "Disk"', '"NETAPP|ACME", ""'), "answers as well (NETAPP, ", id="a vendor"),
        pytest.param(TYPE.replace('"Disk"', r'"Di\nsk"'), "which is no regular expression that can be used", id="two lines"),
        pytest.param(TYPE.replace(r"naa\.6acme", "naa"), "by names that begin with 'naa', as others do", id="all names"),
        pytest.param(TYPE.replace(r"naa\.6acme", "naa.624"), "as others do (naa.624a9370)", id="names of a FlashArray"),
    ],
)
def test_a_plugin_that_would_end_or_change_the_judging_of_others_is_unfit(tmp_path: Path, text: str, said: str) -> None:
    write_plugin(tmp_path, "auditor-acme", {"__init__": text})
    assert said in fault_of(tmp_path)


def test_what_a_plugin_prints_while_it_is_imported_does_not_stand_in_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_plugin(tmp_path, "auditor-acme", {"__init__": f"print('welcome to acme')\n{TYPE}"})
    with installed(tmp_path):
        assert endpoint_type(ACME).fault is None
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "welcome to acme\n")


def test_ctrl_c_while_a_plugin_is_imported_ends_the_program(tmp_path: Path) -> None:
    write_plugin(tmp_path, "auditor-acme", {"__init__": "raise KeyboardInterrupt"})
    with installed(tmp_path), pytest.raises(KeyboardInterrupt):
        endpoint_type(ACME)


def test_two_packages_that_give_one_kind_are_both_left_alone(tmp_path: Path) -> None:
    write_plugin(tmp_path, "auditor-acme", WORKING)
    write_plugin(tmp_path, "auditor-other", {"__init__": "raise AssertionError('it was imported')"}, package="auditor_other", version="0.1")
    assert fault_of(tmp_path) == '2 packages give the kind "acme": auditor-acme 1.2 and auditor-other 0.1'


def test_a_package_that_gives_a_kind_of_auditor_is_not_used_and_named(tmp_path: Path) -> None:
    write_plugin(tmp_path, "auditor-mine", {"__init__": "raise AssertionError('it was imported')"}, kind="ontap")
    with installed(tmp_path):
        assert endpoint_type(EndpointKind.ONTAP).folder == "auditor.endpoints.ontap"
        assert [fault.what for fault in plugin_faults()] == ['auditor-mine 1.2 gives the kind "ontap", which is auditor\'s own']


def test_a_setting_of_auditor_is_found_without_a_plugin_and_all_names_have_those_of_plugins(tmp_path: Path) -> None:
    setting = 'settings={"acme.limit": Setting("settings:Limit")}, contract=1'
    text = f"from auditor.model.settings import Setting\n{TYPE.replace('contract=1', setting)}"
    write_plugin(tmp_path, "auditor-acme", {"__init__": text})
    with installed(tmp_path):
        assert setting_of("ontap.qos_policy_limit") is not None
        assert "auditor_acme" not in sys.modules
        assert "acme.limit" in remediator_names()
    assert "acme.limit" not in remediator_names()


def test_nothing_looks_for_plugins_until_a_fleet_or_a_list_asks_for_them() -> None:
    program = (
        "import sys, auditor.fleet.loading, auditor.facts.schema, auditor.endpoints.settings, auditor.doctor;"
        "from auditor.model.endpoint_kinds import is_known, endpoint_type;"
        "from auditor.model import EndpointKind, plugins;"
        "is_known('ontap'), endpoint_type(EndpointKind.ONTAP);"
        "print(plugins._found.cache_info().currsize)"
    )
    assert completed([sys.executable, "-c", program], check=True).stdout == "0\n"


def test_a_package_in_an_archive_or_of_another_finder_is_found_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "nothing")])
    monkeypatch.setattr(sys, "meta_path", [PathFinder])  # a library that another test imported may have left a finder of its own
    assert not plugins._may_be_any()
    (tmp_path / "some.zip").write_bytes(b"")
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(tmp_path / "some.zip"))
        assert plugins._may_be_any()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "meta_path", [*sys.meta_path, SimpleNamespace(find_distributions=lambda _: ())])
        assert plugins._may_be_any()
