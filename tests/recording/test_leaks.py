"""Hypothesis looks for a name, an address or a serial number of a random fleet in the bundle that is made of its answers."""

import base64
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from auditor.model import EndpointKind, Exchange
from auditor.recording.bundle import About, Lines, line_of, read_files, write_bundle
from auditor.recording.exchanges import masked_exchange
from auditor.recording.masking import Fate, Masker
from auditor.recording.pseudonyms import Pseudonyms

# Long enough that no replacement, and no word of a protocol, is one of them by chance.
WORD = st.from_regex(r"[a-z]{3,6}[0-9][a-z]{5}", fullmatch=True)
NAMES = st.lists(WORD, min_size=1, max_size=3).flatmap(
    lambda words: st.sampled_from(["-", "_", ".", " ", ""]).map(lambda sign: sign.join(words))
)
HEX = "0123456789abcdef"


def digits(length: int) -> st.SearchStrategy[str]:
    return st.text(HEX, min_size=length, max_size=length).filter(lambda text: len(set(text)) > 5)


@dataclass(frozen=True)
class Named:
    """What must be found nowhere."""

    host: str
    domain: str
    volume: str
    machine: str
    user: str
    secret: str
    text: str
    serial: str
    port: str
    uuid: str
    address: str
    mac: str
    center: int

    def originals(self) -> list[str]:
        port = [self.port[10:]]
        return [
            *(self.host, self.domain, self.volume, self.machine, self.user, self.secret, self.text, self.serial, self.uuid, self.address),
            *(self.mac[9:], str(self.center), str(int(self.port, 16)), *port, self.uuid.replace("-", "")),
        ]


NAMED = st.builds(
    Named,
    host=NAMES,
    domain=st.tuples(WORD, WORD).map(".".join),
    volume=NAMES,
    machine=NAMES,
    user=NAMES,
    secret=WORD,
    text=st.lists(WORD, min_size=3, max_size=5).map(" ".join),
    serial=digits(24),
    port=digits(6).map(lambda end: f"2100f4e9d4{end}"),
    uuid=digits(32).map(lambda text: f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"),
    # Loopback addresses stay, and are not among these.
    address=st.tuples(*(st.integers(min_value=128, max_value=220),) * 4).map(lambda parts: ".".join(map(str, parts))),
    mac=digits(6).map(lambda end: f"00:50:56:{end[:2]}:{end[2:4]}:{end[4:]}"),
    center=st.integers(min_value=10**7, max_value=10**9),
)


def vcenter_soap(named: Named) -> bytes:
    properties = {
        "name": f"{named.host}.{named.domain}",
        "summary.url": f"ds:///vmfs/volumes/{named.uuid}/",
        "config.hardware.device": f"[{named.volume}] {named.machine}/{named.machine}.vmdk",
        "config.annotation": named.text,
        "a.property.of.a.newer.release": f"{named.user}@{named.domain}",
        "config.network.vnic": f"{named.address} {named.mac}",
        "config.storageDevice.multipathInfo": f"{named.port}-{named.port}-naa.624a9370{named.serial}",
        "config.storageDevice.scsiLun": f"key-vim.host.ScsiDisk-0200000000624a9370{named.serial}466c61736841",
    }
    sets = "".join(
        f'<propSet><name>{name}</name><val xsi:type="xsd:string">{escape(value)}</val></propSet>' for name, value in properties.items()
    )
    lun = f"<portWorldWideName>{int(named.port, 16)}</portWorldWideName><durableName><data>{ord(named.serial[0])}</data></durableName>"
    inner = escape(f"<obj><DataObject><VolumeName>{named.volume}</VolumeName><Password>{named.secret}</Password></DataObject></obj>")
    body = f"<objects><obj type='HostSystem'>host-1</obj>{sets}</objects><x>{lun}</x><response>{inner}</response>"
    return f'<E xmlns:xsi="x" xmlns:xsd="y"><Body><RetrievePropertiesExResponse>{body}</RetrievePropertiesExResponse></Body></E>'.encode()


def as_json(named: Named) -> Any:
    inquiry = base64.b64encode(f"624a9370{named.serial}".encode()).decode()
    return {
        "objects": [{"obj": {"type": "VirtualMachine", "value": "vm-1"}, "propSet": [{"name": "name", "val": {"_value": named.machine}}]}],
        "items": [{"name": named.volume, "serial": named.serial.upper(), "pod": {"name": named.host}, "wwns": [named.port.upper()]}],
        "records": [{"properties": [{"name": "name", "value": f"/vol/{named.volume}/{named.machine}"}], "uuid": named.uuid}],
        "_links": {"next": {"href": f"/api/x?start.name={named.volume}&start.uuid={named.uuid}&fields=name"}},
        "durableName": {"data": inquiry},
        "initiatorSecret": named.secret,
        "chap": {"host_user": named.user, "host_password": named.secret},
        "scSerialNumber": named.center,
        "instanceId": f"{named.center}.{named.center}",
        "instanceName": f"SN {named.center}",
        "notes": named.text,
        "message": f"{named.text} {named.host}",
        "state": f"online at {named.address}",
        "iqn": f"iqn.2010-01.com.solidfire:{named.host}.{named.volume}.1",
        "wwpn": ":".join(named.port[place : place + 2] for place in range(0, 16, 2)),
        f"{named.uuid}": {"an_unknown_field": [f"{named.user} on {named.host}.{named.domain}", {"deeper": named.machine}]},
    }


def eternus(named: Named) -> bytes:
    uid = f"600000E0{named.serial.upper()}"
    rows = [
        "show volumes\r\n00\r\n0001\r\n",
        "\t".join(["0001", named.volume, "A001", "00", "00", "0000", named.host, "0000000200000000", *["00"] * 12, uid, "00"]),
        f"\r\n{named.machine}\t{named.user}\r\nHost Name            {named.host}\r\nIP Address           {named.address}\r\nCLI> ",
    ]
    return "".join(rows).encode()


def https(kind: EndpointKind) -> Callable[[Named], Exchange]:
    def exchange(named: Named) -> Exchange:
        center = f"{named.center}.1" if kind is EndpointKind.DELL_SC else named.uuid
        path = f"/api/rest/StorageCenter/ScVolume/{center}/x?names={named.volume.replace(' ', '+')}&uuid={named.uuid}"
        asked = json.dumps({"userName": named.user, "name": named.volume, "password": named.secret}).encode()
        headers = {"set-cookie": named.secret, "x-next-token": named.volume, "date": "x"}
        return Exchange(f"GET {path}", "GET", path, asked, 200, headers, json.dumps(as_json(named)).encode())

    return exchange


KINDS: dict[str, tuple[EndpointKind, Callable[[Named], Exchange]]] = {
    **{
        kind.value: (kind, https(kind))
        for kind in EndpointKind
        if kind not in (EndpointKind.VCENTER, EndpointKind.ETERNUS, EndpointKind.FILES)
    },
    "vcenter by SOAP": (
        EndpointKind.VCENTER,
        lambda named: Exchange("RetrievePropertiesEx", "POST", "/sdk", vcenter_soap(named), 200, {}, vcenter_soap(named)),
    ),
    "vcenter by VI/JSON": (EndpointKind.VCENTER, https(EndpointKind.VCENTER)),
    "eternus": (EndpointKind.ETERNUS, lambda named: Exchange("show volumes", "SSH", "", b"show volumes", 0, {}, eternus(named))),
}


HEXADECIMAL = Named(
    host="aaa0aaaaa",
    domain="bbb0bbbbb.ccc0ccccc",
    volume="ddd0ddddd",
    machine="eee0eeeee",
    user="fff0fffff",
    secret="abc0defab",
    text="bcd1efabc cde2fabcd def3abcde",
    serial="0123456789abcdef01234567",
    port="2100f4e9d4abc123",
    uuid="12345678-9abc-def0-1234-56789abcdef0",
    address="203.150.177.188",
    mac="00:50:56:ab:cd:e1",
    center=87654321,
)
"""Names of hexadecimal digits alone look like numbers."""


@pytest.mark.long
@pytest.mark.parametrize("name", list(KINDS))
@example(named=HEXADECIMAL)
@given(named=NAMED)
@settings(max_examples=5, phases=(Phase.explicit, Phase.reuse, Phase.generate))  # to shrink a failure takes minutes
def test_no_name_address_or_serial_number_of_a_random_fleet_is_in_its_bundle(
    tmp_path_factory: pytest.TempPathFactory, name: str, named: Named
) -> None:
    kind, exchange = KINDS[name]
    masker = Masker(Pseudonyms(b"k" * 32))
    masked = masked_exchange(kind, exchange(named), masker)
    path = tmp_path_factory.mktemp("leaks") / "b.tar.gz"
    lines = Lines(masker.text(named.host, Fate.NAME), kind, io.BytesIO(line_of(masked, 0.0)), 1)
    write_bundle([lines], About(made_by="auditor"), "", path)
    text = b"\n".join(read_files(path).values()).decode().lower()
    assert [one for one in named.originals() if one.lower() in text] == []
    assert masked.answer, "it was dropped, and nothing was tried"
