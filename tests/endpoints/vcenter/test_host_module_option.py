"""One parameter of a kernel module's option string: merged, never replaced, and pending until something shows that it runs."""

from __future__ import annotations

import re
from collections.abc import Callable

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.endpoints.common.remediator import Reading, Remediator
from auditor.endpoints.vcenter.session import VCenter, open_vcenter
from auditor.endpoints.vcenter.settings.host_module_option import DEPTH_PARAMETERS, HostModuleOption, merged_options, value_in
from auditor.errors import EndpointUnreachableError, MalformedAnswerError, NotThereError, PermissionMissingError, RefusedError
from auditor.facts.schema import create_tables
from auditor.facts.views import create_views
from auditor.model import Endpoint, Scalar, Target
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.vcenter.soap.privileges import READ_ONLY
from auditor_lab.wire import Fault

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
VALUES = st.one_of(st.integers(0, 99999).map(str), st.sampled_from(["", "on", '"two words"', "'a=b'", "0x10", "1,2,3"]))
OTHERS = st.dictionaries(NAMES.filter(lambda name: name != "wanted"), VALUES, max_size=5)
BLANKS = st.sampled_from([" ", "  ", "\t"])


@st.composite
def option_strings(draw: st.DrawFn) -> str:
    """Words with odd blanks before, between and after; never the parameter `wanted`."""
    words = [name if value == "" and draw(st.booleans()) else f"{name}={value}" for name, value in draw(OTHERS).items()]
    text = draw(st.sampled_from(["", " "]))
    for word in words:
        text += word + draw(BLANKS)
    return text if draw(st.booleans()) else text.rstrip()


def words_of(text: str) -> list[str]:
    return re.findall(r"""(?:[^\s"']|"[^"]*"|'[^']*')+""", text)


@pytest.mark.long
@given(option_strings(), st.integers(0, 99999))
def test_setting_a_parameter_touches_no_other_word(text: str, value: int) -> None:
    merged = merged_options(text, "wanted", value)
    assert merged.startswith(text)
    assert words_of(merged) == [*words_of(text), f"wanted={value}"]
    assert value_in(merged, "wanted") == value


@pytest.mark.long
@given(option_strings(), st.integers(0, 99999))
def test_taking_out_what_was_put_in_gives_the_very_string_back(text: str, value: int) -> None:
    assert merged_options(merged_options(text, "wanted", value), "wanted", None) == text


@pytest.mark.long
@given(option_strings(), st.integers(0, 99999), st.integers(0, 99999), option_strings())
def test_changing_a_parameter_in_the_middle_changes_its_value_alone(before: str, old: int, new: int, after: str) -> None:
    names = [word.partition("=")[0] for word in [*words_of(before), *words_of(after)]]
    text = f"{before} wanted={old} {after}"
    if len(names) == len(set(names)):
        assert merged_options(text, "wanted", new) == f"{before} wanted={new} {after}"
        assert value_in(merged_options(text, "wanted", new), "wanted") == new


@pytest.mark.long
@given(option_strings())
def test_a_parameter_that_is_not_there_is_absent_and_not_zero(text: str) -> None:
    assert value_in(text, "wanted") is None
    assert merged_options(text, "wanted", None) == text


@pytest.mark.parametrize(
    ("text", "parameter", "value", "merged"),
    [
        # The string in the field of docs/domain/facts.md#2-3.
        pytest.param(
            "ql2xmaxqdepth=255 ql2xloginretrycount=60 qlport_down_retry=60",
            "ql2xmaxqdepth",
            64,
            "ql2xmaxqdepth=64 ql2xloginretrycount=60 qlport_down_retry=60",
            id="first of three",
        ),
        pytest.param("", "ql2xmaxqdepth", 64, "ql2xmaxqdepth=64", id="empty string"),
        pytest.param(
            "lpfc0_lun_queue_depth=64", "lpfc_lun_queue_depth", 32, "lpfc0_lun_queue_depth=64 lpfc_lun_queue_depth=32", id="like name"
        ),
        pytest.param("a=1 b=2", "a", None, "b=2", id="first taken out"),
        pytest.param('a="x wanted=1 y"', "wanted", 2, 'a="x wanted=1 y" wanted=2', id="a name within quotes is no name"),
    ],
)
def test_known_strings_are_merged_as_a_person_would(text: str, parameter: str, value: int | None, merged: str) -> None:
    assert merged_options(text, parameter, value) == merged


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("wanted=1 wanted=1", id="twice, alike"),
        pytest.param("wanted=1 other=2 wanted=3", id="twice, different"),
        pytest.param('other="open wanted=1', id="quotes that do not close"),
    ],
)
def test_a_string_that_cannot_be_merged_safely_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"times|close"):
        merged_options(text, "wanted", 1)
    with pytest.raises(ValueError, match=r"times|close"):
        value_in(text, "wanted")


def test_depth_parameters_are_those_the_views_know() -> None:
    with duckdb.connect() as connection:
        create_tables(connection)
        create_views(connection, views={"step_depth_parameter"})
        rows = connection.execute("SELECT module, depth_parameter FROM step_depth_parameter WHERE depth_parameter IS NOT NULL").fetchall()
    assert dict(rows) == dict(DEPTH_PARAMETERS)


def target(parameter: str = "iscsivmk_LunQDepth", module: str = "iscsi_vmk", host_id: str = "host-11") -> Target:
    return Target("vc-test", (("host_id", host_id), ("module", module), ("parameter", parameter)))


def test_a_value_stored_and_not_loaded_is_pending(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    remediator: Remediator[VCenter] = HostModuleOption()
    with open_vcenter(endpoint) as vcenter:
        # Loaded without options, so the devices have 128; 192 is what the next boot will bring.
        assert remediator.read(vcenter, target()) == Reading(192, "reboot")
        assert remediator.read(vcenter, target("iscsivmk_InitialTcpWndSize")) == Reading(None)


def test_a_write_merges_and_is_pending_until_the_reboot(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    remediator = HostModuleOption()
    module = server.state.hosts["host-11"].modules["iscsi_vmk"]
    with open_vcenter(endpoint) as vcenter:
        remediator.write(vcenter, target(), 256)
        assert module.configured == "iscsivmk_HostQDepth=2048 iscsivmk_LunQDepth=256"
        assert remediator.read(vcenter, target()) == Reading(256, "reboot")
        # Another run knows nothing of our write, and sees it as well.
        assert HostModuleOption().read(vcenter, target()) == Reading(256, "reboot")
        with server.state.lock:
            server.state.hosts["host-11"].reboot()
            server.state.changed()
        assert remediator.read(vcenter, target()) == Reading(256)
        assert HostModuleOption().read(vcenter, target()) == Reading(256)


def test_what_no_device_shows_is_in_effect_after_a_boot_that_followed_our_write(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    remediator = HostModuleOption()
    with open_vcenter(endpoint) as vcenter:
        remediator.write(vcenter, target("iscsivmk_HostQDepth"), 1024)
        assert remediator.read(vcenter, target("iscsivmk_HostQDepth")) == Reading(1024, "reboot")
        with server.state.lock:
            server.state.hosts["host-11"].reboot()
            server.state.changed()
        assert remediator.read(vcenter, target("iscsivmk_HostQDepth")) == Reading(1024)


def test_an_undone_parameter_is_absent_again_and_pending_too(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    remediator = HostModuleOption()
    with open_vcenter(endpoint) as vcenter:
        assert remediator.read(vcenter, target("ql2xmaxqdepth", "qlnativefc", "host-13")) == Reading(None)
        remediator.write(vcenter, target("ql2xmaxqdepth", "qlnativefc", "host-13"), 128)
        remediator.write(vcenter, target("ql2xmaxqdepth", "qlnativefc", "host-13"), None)
        assert server.state.hosts["host-13"].modules["qlnativefc"].configured == ""
        assert remediator.read(vcenter, target("ql2xmaxqdepth", "qlnativefc", "host-13")) == Reading(None, "reboot")


@pytest.mark.parametrize("value", [-1, True, "256", 2.5])
def test_only_a_whole_number_is_written(serve_vcenter: Serve, value: Scalar) -> None:
    server, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(RefusedError):
        HostModuleOption().write(vcenter, target(), value)
    assert "UpdateModuleOptionString" not in server.requests


def test_a_parameter_given_twice_is_neither_read_nor_written(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.state.hosts["host-11"].modules["iscsi_vmk"].configured = "iscsivmk_LunQDepth=64 iscsivmk_LunQDepth=128"
    with open_vcenter(endpoint) as vcenter:
        with pytest.raises(MalformedAnswerError, match="2 times"):
            HostModuleOption().read(vcenter, target())
        with pytest.raises(RefusedError, match="2 times"):
            HostModuleOption().write(vcenter, target(), 256)
    assert "UpdateModuleOptionString" not in server.requests


def test_a_module_the_host_does_not_have_is_not_there(serve_vcenter: Serve) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(NotThereError):
        HostModuleOption().read(vcenter, target(module="bfa"))


def test_a_peer_without_kernel_modules_is_told_so(start_vcsim: Callable[..., Endpoint]) -> None:
    with open_vcenter(start_vcsim()) as vcenter, pytest.raises(NotThereError):
        HostModuleOption().read(vcenter, target(host_id="host-21"))


def test_a_missing_permission_writes_nothing(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.privileges = READ_ONLY
    with open_vcenter(endpoint) as vcenter, pytest.raises(PermissionMissingError):
        HostModuleOption().write(vcenter, target(), 256)
    assert server.state.hosts["host-11"].modules["iscsi_vmk"].configured.endswith("=192")


def test_a_write_whose_answer_is_lost_is_sent_once_and_can_be_read_back(serve_vcenter: Serve) -> None:
    server, endpoint = serve_vcenter()
    server.faults.active.append(Fault("lose", "UpdateModuleOptionString"))
    remediator = HostModuleOption()
    with open_vcenter(endpoint) as vcenter:
        with pytest.raises(EndpointUnreachableError):
            remediator.write(vcenter, target(), 256)
        assert server.requests.count("UpdateModuleOptionString") == 1
        assert remediator.read(vcenter, target()) == Reading(256, "reboot")
