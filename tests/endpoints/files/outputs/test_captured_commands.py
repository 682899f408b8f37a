"""Every captured output is recognised as that of its command. Commands were typed from the names of the files."""

from auditor.endpoints.files.outputs import outputs_in
from tests.required import capture

COMMANDS = {
    "hardware-memory-get": "hardware memory get",
    "iscsi-adapter-discovery-sendtarget-list": "iscsi adapter discovery sendtarget list",
    "iscsi-adapter-param-get": "iscsi adapter param get",
    "iscsi-adapter-target-list": "iscsi adapter target list",
    "iscsi-adapter-target-portal-list": "iscsi adapter target portal list",
    "iscsi-adapter-target-portal-param-get": "iscsi adapter target portal param get",
    "iscsi-logicalnetworkportal-list": "iscsi logicalnetworkportal list",
    "iscsi-networkportal-list": "iscsi networkportal list",
    "iscsi-physicalnetworkportal-list": "iscsi physicalnetworkportal list",
    "iscsi-session-connection-list": "iscsi session connection list",
    "iscsi-session-list": "iscsi session list",
    "network-nic-get": "network nic get",
    "network-nic-software-list": "network nic software list",
    "formatter-keyvalue_network-nic-list": "network nic list",
    "formatter-xml_network-nic-list": "network nic list",
    "nmp-device-list": "storage nmp device list",
    "nmp-path-list": "storage nmp path list",
    "nvme-adapter-list": "nvme adapter list",
    "nvme-controller-list": "nvme controller list",
    "nvme-fabrics-discover": "",  # neither list nor get, and not in the list of commands
    "nvme-info-get": "nvme info get",
    "nvme-namespace-list": "nvme namespace list",
    "software-vib-list_grep-elxmgmt": "software vib list",
    "storage-core-adapter-list": "storage core adapter list",
    "storage-core-adapter-list_grep": "storage core adapter list",
    "storage-core-adapter-list_lpfc": "storage core adapter list",
    "storage-core-adapter-list_qlnativefc": "storage core adapter list",
    "storage-core-claimrule-list": "storage core claimrule list",
    "storage-core-device-list": "storage core device list",
    "storage-core-device-list_head": "storage core device list",
    "formatter-csv_fields_storage-core-device-list": "storage core device list",
    "formatter-json_storage-core-device-list": "storage core device list",
    "storage-core-device-set_error": "",  # it changes a host: nothing is read from it
    "storage-core-device-smart-get_hdd": "storage core device smart get",
    "storage-core-device-smart-get_nvme": "storage core device smart get",
    "storage-core-device-vaai-status-get": "storage core device vaai status get",
    "storage-core-path-list": "storage core path list",
    "storage-core-plugin-registration-list": "storage core plugin registration list",
    "storage-filesystem-list": "storage filesystem list",
    "storage-hpp-device-list": "storage hpp device list",
    "storage-hpp-path-list": "storage hpp path list",
    "storage-nfs-list": "storage nfs list",
    "storage-nfs41-list": "storage nfs41 list",
    "storage-nmp-device-list": "storage nmp device list",
    "storage-nmp-device-list_before": "storage nmp device list",
    "storage-nmp-path-list": "storage nmp path list",
    "storage-nmp-psp-roundrobin-deviceconfig-get": "storage nmp psp roundrobin deviceconfig get",
    "storage-nmp-psp-roundrobin-deviceconfig-get_loop": "storage nmp psp roundrobin deviceconfig get",
    "storage-nmp-satp-list": "storage nmp satp list",
    "storage-nmp-satp-rule-list_alua": "storage nmp satp rule list",
    "storage-nmp-satp-rule-list_grep": "storage nmp satp rule list",
    "storage-vmfs-extent-list": "storage vmfs extent list",
    "storage-vmfs-reclaim-config-get": "storage vmfs reclaim config get",
    "system-module-list_grep-qln": "system module list",
    "system-module-parameters-list_lpfc_grep": "system module parameters list",
    "system-module-parameters-list_nfnic": "system module parameters list",
    "system-module-parameters-list_vmknvme": "system module parameters list",
    "system-settings-advanced-list_HardwareAcceleratedLocking": "system settings advanced list",
    "system-settings-advanced-list_QFullSampleSize": "system settings advanced list",
    "system-settings-advanced-list_o1": "system settings advanced list",
    "system-settings-advanced-list_o2": "system settings advanced list",
    "system-version-get": "system version get",
    "formatter-json_system-version-get": "system version get",
}
"""By the names of the files without "esxcli_" and ending."""


def test_every_captured_output_is_recognised_as_that_of_its_command() -> None:
    files = sorted(capture("esxi").rglob("esxcli*"))
    assert len(files) >= 40
    recognised = {
        f"{file.parent.name}/{file.name}": {output.command for output in outputs_in(file.read_bytes(), file.name)} for file in files
    }
    assert recognised == {f"{file.parent.name}/{file.name}": {COMMANDS[file.stem.removeprefix("esxcli_")]} for file in files}
