"""Which command a line or a file's name means, with what it was given."""

import pytest

from auditor.endpoints.files.outputs.naming import of_command_line, of_file_name

PARAMETERS, DEVICES = "system module parameters list", "storage core device list"
OF_LPFC = {"module": "lpfc"}


@pytest.mark.parametrize(
    ("line", "command", "arguments", "filtered", "unsure"),
    [
        pytest.param(f"esxcli {PARAMETERS} -m lpfc", PARAMETERS, OF_LPFC, False, False, id="a short option"),
        pytest.param(f"esxcli {PARAMETERS} -mlpfc", PARAMETERS, OF_LPFC, False, False, id="a short option without a blank"),
        pytest.param(f"esxcli {PARAMETERS} --module=lpfc", PARAMETERS, OF_LPFC, False, False, id="a long option"),
        pytest.param(f"esxcli {PARAMETERS} --module 'lpfc'", PARAMETERS, OF_LPFC, False, False, id="a long option and a blank"),
        pytest.param(f"esxcli -s vc01 -u root --formatter=csv {DEVICES}", DEVICES, {}, False, False, id="options of the program"),
        pytest.param(f"localcli {DEVICES} -d naa.1 extra", DEVICES, {"device": "naa.1"}, False, False, id="a word more"),
        pytest.param(f"esxcli {DEVICES} | grep naa", DEVICES, {}, True, False, id="a part of it"),
        pytest.param(f"esxcli {DEVICES} | less", DEVICES, {}, False, False, id="page by page"),
        pytest.param(f"esxcli {DEVICES} > out.txt", DEVICES, {}, False, True, id="into a file"),
        pytest.param("esxcli gadget core list -x -y 1", "gadget core list", {"x": "", "y": "1"}, False, False, id="one that is not known"),
    ],
)
def test_a_line_means_a_command_with_its_options(line: str, command: str, arguments: dict[str, str], filtered: bool, unsure: bool) -> None:
    named = of_command_line(line)
    assert (named.command, dict(named.arguments), named.filtered, named.unsure) == (command, arguments, filtered, unsure)


@pytest.mark.parametrize(
    ("name", "command", "arguments", "filtered"),
    [
        pytest.param("esxcli_storage_core_device_list.txt", DEVICES, {}, False, id="underscores"),
        pytest.param("x/localcli_storage-core-device-list.txt.gz", DEVICES, {}, False, id="dashes, packed, in a folder"),
        pytest.param("localcli_system-module-parameters-list---module=lpfc.txt", PARAMETERS, OF_LPFC, False, id="a long option"),
        pytest.param("esxcli-system-module-parameters-list--m-lpfc.txt", PARAMETERS, OF_LPFC, False, id="a short option"),
        pytest.param("esxcli_system_module_parameters_list_lpfc.txt", PARAMETERS, OF_LPFC, False, id="the module alone"),
        pytest.param("esx01_esxcli_storage_core_device_list_grep_naa.txt", DEVICES, {}, True, id="a part of it"),
        pytest.param("esxcli_gadget_core_list.txt", "gadget core list", {}, False, id="one that is not known"),
        pytest.param("notes.txt", "", {}, False, id="no command"),
    ],
)
def test_a_files_name_means_a_command(name: str, command: str, arguments: dict[str, str], filtered: bool) -> None:
    named = of_file_name(name)
    assert (named.command, dict(named.arguments), named.filtered) == (command, arguments, filtered)
