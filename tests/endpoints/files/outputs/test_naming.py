"""Which command a line or a file's name means, with what it was given."""

import pytest

from auditor.endpoints.files.outputs.known import BY_NAME, UNKNOWN
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
        pytest.param("esxcli", "", {}, False, False, id="the program alone"),
        pytest.param("esxcli --server", "", {}, False, False, id="an option of the program alone"),
        pytest.param(f"esxcli --debug {DEVICES}", DEVICES, {}, False, False, id="an option of the program without a value"),
        pytest.param(f"'esxcli' `{DEVICES}`", DEVICES, {}, False, False, id="quotation marks"),
        pytest.param(f"esxcli {DEVICES} naa.1 list", DEVICES, {}, False, False, id="words that are no options"),
        pytest.param(f"esxcli {DEVICES} --pe-only naa.1", DEVICES, {"pe-only": ""}, False, False, id="a flag takes no value"),
        pytest.param(f"esxcli {DEVICES} --device -x", DEVICES, {"device": "", "x": ""}, False, False, id="no option is a value"),
        pytest.param(f"esxcli {DEVICES} --device= naa.1", DEVICES, {"device": ""}, False, False, id="an empty value"),
        pytest.param(f"esxcli {DEVICES} naa.2 -d naa.1", DEVICES, {"device": "naa.1"}, False, False, id="a word before an option"),
        pytest.param(f"esxcli {DEVICES} -d", DEVICES, {"device": ""}, False, False, id="an option at the end"),
        pytest.param(f"esxcli {DEVICES} --device=a=b", DEVICES, {"device": "a=b"}, False, False, id="a value with a sign"),
        pytest.param(f"esxcli {DEVICES} 2>&1 | less", DEVICES, {}, False, True, id="errors as well"),
        pytest.param(f"esxcli {PARAMETERS} -m lpfc -m qla", PARAMETERS, {"module": "qla"}, False, False, id="an option twice"),
        pytest.param("esxcli nmp device list -d naa.1", "storage nmp device list", {"device": "naa.1"}, False, False, id="as before 5.0"),
        pytest.param("esxcli gadget set -x list", "gadget set", {"x": "list"}, False, False, id="neither list nor get"),
        pytest.param(f"esxcli {DEVICES} | more | tee a", DEVICES, {}, False, False, id="several that keep all"),
        pytest.param(f"esxcli {DEVICES} | more | head", DEVICES, {}, True, False, id="one of several that does not"),
        pytest.param(f"esxcli {DEVICES} | cat", DEVICES, {}, False, False, id="cat"),
        pytest.param(f"esxcli {DEVICES} |", DEVICES, {}, False, False, id="a pipe to nothing"),
        pytest.param(f"esxcli {DEVICES}; ls -l", DEVICES, {}, False, True, id="another command behind it"),
        pytest.param(f"esxcli {DEVICES} && ls -l > x", DEVICES, {}, False, True, id="another one where it went well"),
    ],
)
def test_a_line_means_a_command_with_its_options(line: str, command: str, arguments: dict[str, str], filtered: bool, unsure: bool) -> None:
    named = of_command_line(line)
    assert (named.command, dict(named.arguments), named.filtered, named.unsure) == (command, arguments, filtered, unsure)
    assert named.known is BY_NAME.get(command, UNKNOWN)


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
        pytest.param("esxcli_gadget_list/notes.txt", "", {}, False, id="a folder of that name"),
        pytest.param("esxcli_gadget_list\\notes.txt", "", {}, False, id="a folder of that name on Windows"),
        pytest.param("x\\esxcli_storage_core_device_list.txt", DEVICES, {}, False, id="a folder of Windows"),
        pytest.param("ESXCLI_Storage_Core_Device_List.TXT", DEVICES, {}, False, id="capitals"),
        pytest.param("esxcli_storage_core_device_list.txt.frag-00000", DEVICES, {}, False, id="a fragment"),
        pytest.param("esxcli_formatter-json_system-version-get.json", "system version get", {}, False, id="a formatter before it"),
        pytest.param("esxcli_formatter_csv_gadget_core_list.csv", "gadget core list", {}, False, id="a formatter before one not known"),
        pytest.param("esxcli_gadget_core_list_extra.txt", "gadget core list", {}, False, id="words behind one not known"),
        pytest.param("esxcli_gadget_core.txt", "", {}, False, id="no verb"),
        pytest.param("esxcli.txt", "", {}, False, id="the program alone"),
        pytest.param("localcli_storage-core-device-list---pe-only.txt", DEVICES, {"pe-only": ""}, False, id="a long flag"),
        pytest.param("localcli_storage-core-device-list--d-naa.1.txt", DEVICES, {"device": "naa.1"}, False, id="a device by its letter"),
        pytest.param("localcli_storage-core-device-list--d.txt", DEVICES, {"device": ""}, False, id="a letter alone"),
        pytest.param("localcli_storage-core-device-list--deep.txt", DEVICES, {}, False, id="a word that begins with the letter"),
        pytest.param(
            "localcli_storage-core-device-list---device-naa.1.txt", DEVICES, {"device": "naa.1"}, False, id="a long one and a dash"
        ),
        pytest.param(
            "localcli_storage-core-device-list---device=naa.1---exclude-offline=x.txt",
            DEVICES,
            {"device": "naa.1", "exclude-offline": "x"},
            False,
            id="two long options",
        ),
        pytest.param("esxcli_storage_core_device_list_d_naa.1.txt", DEVICES, {}, False, id="no dash before the letter"),
        pytest.param("esxcli_storage_core_device_list_naa.1.txt", DEVICES, {}, False, id="a device alone is none"),
        pytest.param("esxcli_system_module_parameters_list_lpfc_head.txt", PARAMETERS, OF_LPFC, True, id="the module and a part of it"),
        pytest.param("esxcli_system_module_parameters_list-lpfc.txt", PARAMETERS, {}, False, id="a dash before the module alone"),
        pytest.param("esxcli_system_module_parameters_list_.txt", PARAMETERS, {}, False, id="nothing behind it"),
        pytest.param("esxcli_storage_core_device_list_AWK.txt", DEVICES, {}, True, id="a part of it in capitals"),
        pytest.param("esxcli_storage_core_device_list_headers.txt", DEVICES, {}, False, id="a word that begins like a filter"),
        pytest.param("esxcli_on_host_7_storage_core_device_list.txt", DEVICES, {}, False, id="marks before the command"),
        pytest.param("esxcli_storage_nmp_satp_rule_list.txt", "storage nmp satp rule list", {}, False, id="the longest name"),
        pytest.param("esxcli_nmp-device-list.txt", "storage nmp device list", {}, False, id="as before 5.0"),
    ],
)
def test_a_files_name_means_a_command(name: str, command: str, arguments: dict[str, str], filtered: bool) -> None:
    named = of_file_name(name)
    assert (named.command, dict(named.arguments), named.filtered) == (command, arguments, filtered)
    assert named.known is BY_NAME.get(command, UNKNOWN)
