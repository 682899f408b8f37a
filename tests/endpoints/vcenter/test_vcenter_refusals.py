"""What a setting of a vCenter cannot be, or what is not there, is refused before anything is sent; the endpoint's own refusal is said."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import (
    EndpointError,
    NotThereError,
    RefusedError,
)
from auditor.model import Endpoint, Scalar, Target
from auditor_lab.description import LabFleet
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.vcsim import export_vcsim
from tests.endpoints.vcenter.vcenter_targets import (
    DEVICE,
    SETTINGS,
    Serve,
    Setting,
    claim_rule,
    everything,
    iscsi,
    to,
)

WRITES = {one.operation for parameters in SETTINGS for one in parameters.values if isinstance(one, Setting)}


@pytest.mark.parametrize(
    ("name", "target"),
    [
        pytest.param("device.dsnro", to(host_id="host-11", device="naa.nobody"), id="device"),
        pytest.param("device.dsnro", to(host_id="host-99", device=DEVICE), id="host of a device"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=f"{DEVICE} naa.nobody"), id="one of two devices"),
        pytest.param("device.perennially_reserved", to(host_id="host-11", device="naa.nobody"), id="device to mark"),
        pytest.param("device.path_policy", to(host_id="host-11", device="naa.nobody"), id="device of a path policy"),
        pytest.param("host.option", to(host_id="host-11", option="Disk.SchedNumReqOutstanding"), id="option of another build"),
        pytest.param("host.option", to(host_id="host-11", option="Disk."), id="beginning of a name"),
        pytest.param("host.option", to(host_id="host-99", option="Disk.QFullThreshold"), id="host of an option"),
        pytest.param("iscsi.target_option", iscsi(hba="vmhba2"), id="adapter"),
        pytest.param("iscsi.target_option", iscsi(address="198.51.100.77"), id="target at another address"),
        pytest.param("iscsi.target_option", iscsi(iqn="iqn.other"), id="target of another name"),
        pytest.param("iscsi.target_option", iscsi(option="NoSuchThing"), id="parameter of a target"),
        pytest.param("datastore.sioc", to(datastore_id="datastore-999"), id="datastore"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-103"), id="threshold of a datastore that has none"),
        pytest.param("datastore.unmap", to(datastore_id="datastore-103"), id="space reclamation of NFS"),
        pytest.param("pod.io_metric", to(pod_id="group-p999"), id="datastore cluster"),
        pytest.param("pod.automation", to(pod_id="group-p999"), id="level of a datastore cluster"),
        pytest.param("vm.disk_limit", to(vm_id="vm-1001", disk_key="2999"), id="disk"),
        pytest.param("vm.disk_limit", to(vm_id="vm-9999", disk_key="2000"), id="machine"),
    ],
)
def test_what_is_not_there_is_told_and_not_taken_for_absent(serve_vcenter: Serve, name: str, target: Target) -> None:
    _, endpoint = serve_vcenter()
    with open_vcenter(endpoint) as vcenter, pytest.raises(NotThereError):
        remediator_for(name).read(vcenter, target)


@pytest.mark.parametrize(
    ("name", "target", "value"),
    [
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), 0, id="DSNRO 0"),
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), True, id="DSNRO true"),
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), "256", id="DSNRO as text"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), "VMW_PSP_FIXED", id="a fixed path"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), "VMW_PSP_RR", id="round robin by nothing"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), "VMW_PSP_RR, iops 0", id="a count of nought"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), "VMW_PSP_RR, bytes 8800", id="round robin by bytes"),
        pytest.param("device.path_policy", to(host_id="host-11", device=DEVICE), None, id="no path policy"),
        pytest.param("device.perennially_reserved", to(host_id="host-11", device=DEVICE), 1, id="a mark of 1"),
        pytest.param("device.perennially_reserved", to(host_id="host-11", device=DEVICE), "true", id="a mark as text"),
        pytest.param("device.perennially_reserved", to(host_id="host-11", device=DEVICE), None, id="no mark by None"),
        pytest.param("host.claim_rule", claim_rule(), "", id="a claim rule with nothing"),
        pytest.param("host.claim_rule", claim_rule(), "iops=1", id="a claim rule without a policy"),
        pytest.param("host.claim_rule", claim_rule(), None, id="no claim rule by None"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=DEVICE), 32, id="queue-full as a number"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=DEVICE), "65/8", id="a sample of 65"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=DEVICE), "32/17", id="a threshold of 17"),
        pytest.param("device.queue_full", to(host_id="host-11", devices=DEVICE), "32/8, as the host", id="two values at once"),
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), None, id="DSNRO nothing"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), "512", id="text for a number"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), True, id="true for a number"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), None, id="nothing for a number"),
        pytest.param("host.option", to(host_id="host-11", option="Disk.QFullThreshold"), 1 << 63, id="wider than a long"),
        pytest.param("iscsi.target_option", iscsi(), 0, id="0 for false"),
        pytest.param("iscsi.target_option", iscsi(), None, id="nothing for false"),
        pytest.param("datastore.sioc", to(datastore_id="datastore-101"), 0, id="SIOC 0"),
        pytest.param("datastore.sioc", to(datastore_id="datastore-101"), None, id="SIOC nothing"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-101"), 30, id="threshold as a number"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-101"), "manual", id="threshold without a number"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-101"), "manual 4 ms", id="threshold below its range"),
        pytest.param("datastore.sioc_threshold", to(datastore_id="datastore-101"), "manual 101 ms", id="threshold above its range"),
        pytest.param("datastore.unmap", to(datastore_id="datastore-101"), "high", id="a priority that the API has not"),
        pytest.param("datastore.unmap", to(datastore_id="datastore-101"), None, id="no priority"),
        pytest.param("pod.io_metric", to(pod_id="group-p201"), 1, id="I/O metric 1"),
        pytest.param("pod.automation", to(pod_id="group-p201"), True, id="automation level true"),
        pytest.param("pod.automation", to(pod_id="group-p201"), "disabled", id="a level that no cluster has"),
        pytest.param("vm.disk_limit", to(vm_id="vm-1001", disk_key="2000"), 0, id="limit 0"),
        pytest.param("vm.disk_limit", to(vm_id="vm-1001", disk_key="2000"), True, id="limit true"),
        pytest.param("vm.disk_limit", to(vm_id="vm-1001", disk_key="2000"), None, id="limit nothing"),
    ],
)
def test_a_value_of_the_wrong_type_or_range_is_refused_before_anything_is_sent(
    serve_vcenter: Serve, name: str, target: Target, value: Scalar
) -> None:
    server, endpoint = serve_vcenter()
    before = everything(server)
    with open_vcenter(endpoint) as vcenter, pytest.raises(RefusedError):
        remediator_for(name).write(vcenter, target, value)
    assert everything(server) == before
    assert not WRITES & set(server.requests)


@pytest.mark.parametrize(
    ("name", "target", "value", "error"),
    [
        pytest.param("device.dsnro", to(host_id="host-11", device=DEVICE), 4096, RefusedError, id="DSNRO above what the host takes"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), 513, RefusedError, id="option above its range"),
        pytest.param("host.option", to(host_id="host-11", option="ISCSI.MaxIoSizeKB"), 127, RefusedError, id="option below its range"),
        pytest.param("datastore.sioc", to(datastore_id="datastore-103"), True, NotThereError, id="SIOC of a datastore that has none"),
    ],
)
def test_what_the_endpoint_itself_refuses_is_said_in_its_words(
    serve_vcenter: Serve, name: str, target: Target, value: Scalar, error: type[EndpointError]
) -> None:
    server, endpoint = serve_vcenter()
    before = everything(server)
    with open_vcenter(endpoint) as vcenter, pytest.raises(error):
        remediator_for(name).write(vcenter, target, value)
    assert everything(server) == before


OFFERED = """<propSet><name>supportedOption</name><val xsi:type="ArrayOfOptionDef">
<OptionDef xsi:type="OptionDef"><label>l</label><summary>s</summary><key>ISCSI.MaxIoSizeKB</key>
<optionType xsi:type="LongOption"><min>128</min><max>512</max><defaultValue>128</defaultValue></optionType></OptionDef>
<OptionDef xsi:type="OptionDef"><label>l</label><summary>s</summary><key>Disk.DelayOnBusy</key>
<optionType xsi:type="LongOption"><valueIsReadonly>true</valueIsReadonly><min>0</min><max>5000</max><defaultValue>400</defaultValue>
</optionType></OptionDef></val></propSet>"""


@pytest.mark.long
def test_the_range_a_host_offers_is_kept_although_the_peer_checks_nothing(
    start_vcsim: Callable[..., Endpoint], small_vcenter: VCenterDescription, tmp_path: Path
) -> None:
    export_vcsim(LabFleet(vcenters=(small_vcenter,)), tmp_path / "model")
    for file in (tmp_path / "model").glob("*-OptionManager-*.xml"):
        text = re.sub(r"<propSet>\s*<name>supportedOption</name>.*?</propSet>", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        file.write_text(text.replace("<propSet>", f"{OFFERED}<propSet>", 1), encoding="utf-8")
    option, size = remediator_for("host.option"), to(host_id="host-11", option="ISCSI.MaxIoSizeKB")
    with open_vcenter(start_vcsim(tmp_path / "model")) as vcenter:
        for value in (127, 513):
            with pytest.raises(RefusedError, match="128 to 512"):
                option.write(vcenter, size, value)
        with pytest.raises(RefusedError, match="read-only"):
            option.write(vcenter, to(host_id="host-11", option="Disk.DelayOnBusy"), 500)
        assert option.read(vcenter, size) == Reading(128)
        option.write(vcenter, size, 512)
        assert option.read(vcenter, size) == Reading(512)
