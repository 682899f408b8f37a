"""Answers that others recorded from real arrays, masked: nothing of theirs is left, and what the product reads of them is as it was."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.eternus import machine_format, text_format
from auditor.endpoints.eternus.answers import Answer, understood
from auditor.model import Endpoint, EndpointKind, Exchange, Secret
from auditor.recording.exchanges import masked_exchange
from auditor.recording.masking import Masker
from auditor.recording.pseudonyms import Pseudonyms
from tests.required import capture

KINDS = {
    "dell-sc-cinder": EndpointKind.DELL_SC,
    "solidfire-exporter-joyent": EndpointKind.ELEMENT,
    "pure-fa-openmetrics-exporter": EndpointKind.FLASHARRAY,
    "ontap-netapp_ontap-docs": EndpointKind.ONTAP,
}
HARMLESS = re.compile(r"[a-z_.]+|[\d.]{1,9}|\d\d/\d\d/\d{4} .*|ontap-cert|ApiConnection")
"""Words of the API (one is the name of a field as well), short numbers, times."""
ENDPOINT = Endpoint("dx", EndpointKind.ETERNUS, "192.0.2.1", 22, "user", Secret("env", ("X",)))


@pytest.fixture
def masker() -> Masker:
    return Masker(Pseudonyms(b"k" * 32))


def identifying(value: Any, path: tuple[str, ...] = ()) -> list[str]:
    """Texts of fields that name something, as a person would mark them."""
    if isinstance(value, dict):
        kept = "operatingSystem"  # what product a server runs
        return [text for key, inner in value.items() if key != kept for text in identifying(inner, (*path, key))]
    if isinstance(value, list):
        return [text for inner in value for text in identifying(inner, path)]
    named = re.search(r"name$|serial|uuid|wwn|iqn|naa|ip$|address|initiator", path[-1] if path else "", re.IGNORECASE)
    return [value] if isinstance(value, str) and named and len(value) > 5 else []


@pytest.mark.long
@pytest.mark.parametrize("name", list(KINDS))
def test_nothing_that_names_anything_is_left_of_a_recorded_answer(name: str, masker: Masker) -> None:
    looked_at = 0
    for path in sorted(capture(name).rglob("*.json")):
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue
        exchange = Exchange("GET x", "GET", "/api/x", b"", 200, {}, json.dumps(value).encode())
        masked = masked_exchange(KINDS[name], exchange, masker).answer.decode()
        words_of_apis = {"counters", "objectName", "methodName"}
        originals = [text for text in identifying(value) if text not in words_of_apis and not HARMLESS.fullmatch(text)]
        left = [text for text in originals if re.search(rf"(?<![\w]){re.escape(text)}(?![\w])", masked)]
        assert left == [], path.name
        looked_at += len(originals)
    assert looked_at > 20


def eternus(path: Path, command: str, masker: Masker) -> tuple[Answer, Answer, str]:
    """A recorded answer as the product understands it, before and after."""
    text = path.read_text(encoding="utf-8", errors="replace").rstrip().removesuffix("CLI>").rstrip() + "\r\nCLI> "
    masked = masked_exchange(EndpointKind.ETERNUS, Exchange(command, "SSH", "", command.encode(), 0, {}, text.encode()), masker)
    after = masked.answer.decode()
    return understood(ENDPOINT, command, text, is_read=True), understood(ENDPOINT, command, after, is_read=True), after


def test_volumes_of_an_eternus_keep_sizes_and_states_and_lose_their_names(masker: Masker) -> None:
    before, after, text = eternus(capture("eternus-cli-cinder") / "show_volumes_12.txt", "show volumes", masker)
    errors = ParseErrors("show volumes")
    originals, volumes = list(machine_format.volumes(before, errors)), list(machine_format.volumes(after, errors))
    assert [(one.number, one.status, one.size_bytes) for one in volumes] == [(one.number, one.status, one.size_bytes) for one in originals]
    assert [len(one.name) for one in volumes] == [len(one.name) for one in originals]
    assert len(volumes) > 1
    for one in originals:
        assert one.name not in text
        assert one.uid is not None
        assert one.uid not in text
        assert one.uid[:8] in text


def test_an_enclosure_keeps_model_and_firmware_and_loses_name_and_serial_number(masker: Masker) -> None:
    before, after, text = eternus(capture("eternus-cli-cinder") / "show_enclosure_status_5.txt", "show enclosure-status", masker)
    errors = ParseErrors("show enclosure-status")
    original, identity = machine_format.identity(before, errors), machine_format.identity(after, errors)
    assert original is not None
    assert identity is not None
    assert (identity.model, identity.firmware) == (original.model, original.firmware) == ("ET203ACU", "V10L87-9000")
    assert "ETDX200S3_1" not in text
    assert "4601417434" not in text


def test_hosts_in_a_table_for_people_keep_their_columns_and_lose_their_names(masker: Masker) -> None:
    before, after, text = eternus(capture("eternus-cli-delfin") / "FC_HOSTS_INFO.txt", "show host-wwn-names", masker)
    errors = ParseErrors("show host-wwn-names")
    originals, hosts = list(text_format.fc_hosts(before, errors)), list(text_format.fc_hosts(after, errors))
    assert [(one.number, one.kind) for one in hosts] == [(one.number, one.kind) for one in originals]
    assert len(hosts) > 5
    for one in originals:
        assert one.name not in text
        assert one.initiator not in text


COMMANDS = {
    "VOLUME_DATAS.txt": "show volumes",
    "VOLUMES.txt": "show volumes",
    "POOL_DATAS.txt": "show raid-groups",
    "HOST_GROUPS_INFO.txt": "show host-groups -all",
    "MASKING_VIEWS_INFO.txt": "show host-affinity",
    "ISCSI_HOST_INFO.txt": "show host-iscsi-names",
    "GET_MAPPING.txt": "show mapping",
    "NODE_DATAS.txt": "show fru-ce",
    "STORAGE_NAME_DATA.txt": "show storage-system-name",
    "SAS_HOST_INFO.txt": "show host-sas-addresses",
    "VOLUME_GROUPS_INFO.txt": "show lun-groups",
}


@pytest.mark.parametrize("file", list(COMMANDS))
def test_a_recorded_table_has_as_many_lines_and_no_world_wide_name_left(file: str, masker: Masker) -> None:
    text = capture(f"eternus-cli-delfin/{file}").read_text(encoding="utf-8", errors="replace")
    command = COMMANDS[file]
    masked = masked_exchange(EndpointKind.ETERNUS, Exchange(command, "SSH", "", command.encode(), 0, {}, text.encode()), masker)
    after = masked.answer.decode()
    assert len(after.splitlines()) == len(text.splitlines())
    for identifier in set(re.findall(r"(?i)\b[0-9a-f]{16}\b|\b(?:iqn|eui)\.[\w.:-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b", text)):
        assert identifier not in after or identifier.strip("0.") == ""
