"""fleet.yaml is understood whole or refused with the line and the nearest right word."""

from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.fleet.loading import Declared, Fleet, NfsServer, ParamOverride, SeverityOverride, load_fleet
from auditor.model import EndpointKind, Limits, Secret, Severity, Ssh, Tls

WHOLE = """
endpoints:
  - name: vc-east
    kind: vcenter
    address: vc-east.example.net
    username: audit@vsphere.local
    password: {env: VC_EAST_PASSWORD}
    tls: {ca: certs/ca.pem}
    limits: {concurrency: 8, timeout_seconds: 12.5, readers: 3}
    params:
      vvol/pe-dsnro-headroom: {headroom: 3}
    clusters:
      gold:
        params:
          vvol/pe-dsnro-headroom: {headroom: 2}
  - name: sf
    kind: element
    address: https://10.0.0.5:8443
    username: audit
    password: {command: [pass, show, sf]}
    tls: {fingerprint: "SHA256:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA:AA"}
params:
  vvol/pe-dsnro-headroom: {headroom: 4}
severity:
  vvol/*: low
nfs_servers:
  - {server: "NAS-*.example.net", address: 192.0.2.30}
  - {server: isilon, family: other}
declared:
  - {devices: "naa.600000E00d*", model: DX90, generation: S1, firmware: V10L66}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "fleet.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def loaded(folder: Path, text: str) -> Fleet:
    return load_fleet(written(folder, text))


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param(
            "{server: Nas-6, address: 'FD00:0:0:0:0:0:0:7'}", NfsServer("nas-6", address="fd00::7"), id="a long spelling, in capitals"
        ),
        pytest.param("{server: n, address: '192.0.2.1, fd00::0001'}", NfsServer("n", address="192.0.2.1,fd00::1"), id="two addresses"),
        pytest.param("{server: '[FD00::0:9]', family: other}", NfsServer("fd00::9", family="other"), id="a server that is an address"),
        pytest.param("{server: 'fd00:*', family: other}", NfsServer("fd00:*", family="other"), id="a glob over addresses"),
    ],
)
def test_an_address_of_an_nfs_server_has_the_spelling_that_arrays_and_mounts_have(tmp_path: Path, entry: str, expected: NfsServer) -> None:
    assert loaded(tmp_path, one_endpoint() + f"nfs_servers:\n  - {entry}\n").nfs_servers == (expected,)


def test_everything_the_file_says_arrives(tmp_path: Path) -> None:
    fleet = loaded(tmp_path, WHOLE)
    east, element = fleet.endpoints
    assert (east.name, east.kind, east.address, east.port) == ("vc-east", EndpointKind.VCENTER, "vc-east.example.net", 443)
    assert east.password == Secret("env", ("VC_EAST_PASSWORD",))
    assert east.tls == Tls(ca=str((tmp_path / "certs/ca.pem").resolve()))
    assert east.limits == Limits(8, 12.5, 3)
    assert (element.address, element.port) == ("10.0.0.5", 8443)
    assert element.password == Secret("command", ("pass", "show", "sf"))
    assert element.tls == Tls(fingerprint="sha256:" + "aa" * 32)
    assert element.tls.verify
    assert fleet.severities == (SeverityOverride(f"{tmp_path / 'fleet.yaml'}:25", "vvol/*", Severity.LOW),)
    assert fleet.declared == (Declared("naa.600000e00d*", "DX90", "S1", "V10L66"),)
    assert fleet.nfs_servers == (NfsServer("nas-*.example.net", address="192.0.2.30"), NfsServer("isilon", family="other"))
    scopes = [(p.value, p.endpoint, p.cluster) for p in fleet.params]
    assert scopes == [(4, None, None), (3, "vc-east", None), (2, "vc-east", "gold")]
    assert fleet.params[0] == ParamOverride(f"{fleet.path}:23", "vvol/pe-dsnro-headroom", "headroom", 4)


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        pytest.param("vc.example.net", "vc.example.net", 443, id="a name"),
        pytest.param("vc.example.net:8443", "vc.example.net", 8443, id="name and port"),
        pytest.param("https://vc.example.net/sdk", "vc.example.net", 443, id="URL"),
        pytest.param("fd00::12", "fd00::12", 443, id="bare IPv6"),
        pytest.param("'[fd00::12]:8443'", "fd00::12", 8443, id="IPv6 and port"),
    ],
)
def test_an_address_may_be_written_as_people_write_it(tmp_path: Path, address: str, host: str, port: int) -> None:
    [endpoint] = loaded(tmp_path, one_endpoint(address=address)).endpoints
    assert (endpoint.address, endpoint.port) == (host, port)


def eternus(**changes: str) -> str:
    return one_endpoint(**{"kind": "eternus", "address": "dx.example.net", **changes})


def flasharray(**changes: str) -> str:
    return one_endpoint(**{"kind": "flasharray", "username": "", "password": "", "api_token": "{env: T}", **changes})


FINGERPRINT = "SHA256:" + "aB3+" * 10 + "xy/"


def test_an_array_that_speaks_ssh_is_known_by_its_host_key(tmp_path: Path) -> None:
    [endpoint] = loaded(tmp_path, eternus(ssh=f"{{fingerprint: '{FINGERPRINT}'}}")).endpoints
    assert (endpoint.kind, endpoint.port, endpoint.ssh, endpoint.trust) == (
        EndpointKind.ETERNUS,
        22,
        Ssh(fingerprint=FINGERPRINT),
        "pinned",
    )
    [endpoint] = loaded(tmp_path, eternus(ssh="{known_hosts: known}")).endpoints
    assert (endpoint.ssh, endpoint.trust) == (Ssh(known_hosts=str((tmp_path / "known").resolve())), "verified")
    [endpoint] = loaded(tmp_path, eternus(ssh="{verify: false}")).endpoints
    assert endpoint.trust == "NOT VERIFIED"
    [endpoint] = loaded(tmp_path, eternus()).endpoints
    assert (endpoint.ssh, endpoint.trust) == (Ssh(), "verified")


def test_a_flasharray_is_logged_in_to_with_an_api_token(tmp_path: Path) -> None:
    [endpoint] = loaded(tmp_path, flasharray()).endpoints
    assert (endpoint.username, endpoint.password, endpoint.port) == ("", Secret("env", ("T",)), 443)


@pytest.mark.parametrize("address", ["127.0.0.1:0", "vc.example.net:0", '"[::1]:0"', "https://vc.example.net:0"])
def test_port_0_is_not_taken_for_the_usual_one(tmp_path: Path, address: str) -> None:
    with pytest.raises(ConfigurationError, match="port 0, which nothing answers at"):
        loaded(tmp_path, one_endpoint(address=address))


def one_endpoint(**changes: str) -> str:
    fields = {"name": "vc", "kind": "vcenter", "address": "vc.example.net", "username": "u", "password": "{env: P}", **changes}
    return "endpoints:\n  -\n" + "".join(f"    {key}: {value}\n" for key, value in fields.items() if value)


@pytest.mark.parametrize("address", ["https://root:hunter2@vc", "http://root:hunter2@vc", "root:hunter2@vc", "ssh://root:hunter2@dx"])
def test_a_password_in_an_address_is_not_repeated(tmp_path: Path, address: str) -> None:
    for text in (one_endpoint(address=address), eternus(address=address)):
        with pytest.raises(ConfigurationError, match="address holds a user or a password") as refused:
            loaded(tmp_path, text)
        assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        pytest.param(one_endpoint(kind="vcentre"), 4, 'there is no kind "vcentre"; did you mean "vcenter"?', id="misspelt kind"),
        pytest.param(one_endpoint(user="u"), 8, 'unknown key "user"; did you mean "username"?', id="misspelt key"),
        pytest.param(one_endpoint(username=""), 3, '"username" is missing', id="missing key"),
        pytest.param(one_endpoint(password="{env: A, file: B}"), 7, "exactly one of", id="two secrets"),
        pytest.param(one_endpoint(password="{command: []}"), 7, '"command" must be a list of words', id="a command without words"),
        pytest.param(one_endpoint(password="hunter2"), 7, "a password is written into the file", id="password in clear"),
        pytest.param(one_endpoint(address="http://vc"), 5, "is not https", id="clear text"),
        pytest.param(one_endpoint(address="vc:99999"), 5, "is not a host, host:port or https URL", id="impossible port"),
        pytest.param(one_endpoint(tls="{verify: no}"), 8, '"verify" must be true or false', id="YAML 1.1's no"),
        pytest.param(one_endpoint(tls="{ca: a.pem, verify: false}"), 8, '"tls" takes one of', id="two kinds of trust"),
        pytest.param(one_endpoint(tls="{fingerprint: 'sha256:12'}"), 8, "64 hexadecimal digits", id="short fingerprint"),
        pytest.param(eternus(tls="{verify: false}"), 8, "tls is not how eternus is reached; give ssh", id="TLS of an SSH endpoint"),
        pytest.param(one_endpoint(ssh="{verify: false}"), 8, "ssh is not how vcenter is reached; give tls", id="SSH of an HTTPS endpoint"),
        pytest.param(eternus(address="https://dx"), 5, "is reached over SSH", id="URL of an SSH endpoint"),
        pytest.param(eternus(ssh="{known_hosts: a, verify: false}"), 8, '"ssh" takes one of', id="two kinds of trust in a host key"),
        pytest.param(eternus(ssh="{fingerprint: 'SHA256:short'}"), 8, "what ssh-keygen -l prints", id="short host key"),
        pytest.param(eternus(ssh="{host_key: x}"), 8, 'unknown key "host_key"', id="misspelt key of ssh"),
        pytest.param(flasharray(username="u"), 6, "username is not what flasharray logs in with", id="user of an API token"),
        pytest.param(flasharray(api_token="T-abc"), 6, "an API token is written into the file", id="API token in clear"),
        pytest.param(flasharray(api_token=""), 3, '"api_token" is missing', id="no API token"),
        pytest.param(one_endpoint(api_token="{env: T}"), 8, "api_token is not what vcenter logs in with", id="API token of a vCenter"),
        pytest.param(one_endpoint(limits="{concurrency: 0}"), 8, "from 1 to 256", id="no concurrency"),
        pytest.param(one_endpoint(limits="{readers: 0}"), 8, '"readers" must be a whole number from 1 to 256', id="no reader"),
        pytest.param(one_endpoint(limits="{readers: 17}"), 8, "17 readers cannot share a concurrency of 16", id="readers without requests"),
        pytest.param(flasharray(limits="{readers: 2}"), 7, "readers are for a vCenter", id="several readers of an array"),
        pytest.param(one_endpoint(limits="{timeout_seconds: true}"), 8, '"timeout_seconds" must be a number', id="boolean as a number"),
        pytest.param(
            one_endpoint() + "  - {name: vc, kind: element, address: a, username: u, password: {env: P}}\n", 8, "a second", id="same name"
        ),
        pytest.param(one_endpoint() + "declared:\n  - {devices: 'naa.6*'}\n", 9, "declares nothing", id="empty declaration"),
        pytest.param(one_endpoint() + "nfs_servers:\n  - {server: nas}\n", 9, "declares nothing", id="NFS server without a declaration"),
        pytest.param(one_endpoint() + "nfs_servers:\n  - {server: nas, family: netapp}\n", 9, "ontap", id="NFS server of no known family"),
        pytest.param(
            one_endpoint() + "declared:\n  - {devices: 'naa.6*', model: IBM Cloud 2 IOPS per GB}\n",
            9,
            "is no tier; write IBM Cloud 0.25, 2, 4 or 10 IOPS/GB",
            id="a tier in other words, which no rule would judge",
        ),
        pytest.param(
            one_endpoint() + "params:\n  vvol/x: {a: []}\n", 9, '"a" must be a value, or a list of values', id="empty list as a parameter"
        ),
        pytest.param(
            one_endpoint() + "params:\n  vvol/x: {a: {b: 1}}\n", 9, '"a" must be a value, or a list of values', id="mapping as a parameter"
        ),
        pytest.param(
            one_endpoint() + "severity:\n  vvol/x: hihg\n",
            9,
            'vvol/x: "hihg" is not a severity; did you mean "high"?',
            id="no such severity",
        ),
        pytest.param(
            one_endpoint() + "severity:\n  vvol/x: false\n", 9, "a severity does not switch a rule off; a waiver", id="severity false"
        ),
        pytest.param(
            one_endpoint() + "severity:\n  vvol/x: off\n", 9, "a severity does not switch a rule off; a waiver", id="severity off"
        ),
        pytest.param(one_endpoint() + "severity: high\n", 8, '"severity" must be keys with values', id="one severity for all"),
        pytest.param(one_endpoint() + "sites:\n  a b: {endpoints: [vc]}\n", 9, "is not a name that a site can have", id="name of a site"),
        pytest.param(one_endpoint() + "sites:\n  a:\n    endpoints:\n      - vcc\n", 11, 'no endpoint is named "vcc"', id="empty site"),
        pytest.param(one_endpoint() + "sites: {a: {endpoints: []}}\n", 8, "names of endpoints, or globs", id="no globs"),
        pytest.param(
            one_endpoint() + "sites:\n  a: {endpoints: [vc]}\n  b: {endpoints: ['*']}\n", 10, "lies at two sites, a and b", id="two sites"
        ),
        pytest.param("endpoints: []\n", 1, "no endpoints are listed", id="no endpoint"),
        pytest.param("endpoints:\n  - vc\n", 2, 'item 1 of "endpoints" must be keys with values', id="not a mapping"),
        pytest.param("endpoint: []\n", 1, 'unknown key "endpoint"; did you mean "endpoints"?', id="misspelt top key"),
        pytest.param(one_endpoint() + "    name: again\n", 8, "name", id="duplicate key"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, text)
    assert f"fleet.yaml:{line}: " in caught.value.what
    assert says in caught.value.what
    assert "hunter2" not in str(caught.value)


def test_every_mistake_in_the_form_of_the_file_is_named_at_once(tmp_path: Path) -> None:
    text = one_endpoint(kind="vcentre", user="u", limits="{concurrency: many}", password="12345") + "declare: []\n"
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, text)
    assert [line.strip().removeprefix(f"{tmp_path}/fleet.yaml:") for line in caught.value.what.splitlines()] == [
        '4: there is no kind "vcentre"; did you mean "vcenter"?',
        "7: a password is written into the file; give a reference instead: {env: NAME}, {file: PATH}, ...",
        '8: unknown key "user"; did you mean "username"?',
        '9: "concurrency" must be a whole number from 1 to 256',
        '10: unknown key "declare"; did you mean "declared"?',
    ]
    assert caught.value.do == f"correct these 5 lines of {tmp_path / 'fleet.yaml'}."


def test_a_section_without_a_value_is_one_that_is_not_there(tmp_path: Path) -> None:
    fleet = loaded(tmp_path, one_endpoint() + "    limits:\n    clusters: {gold: }\nparams:\n  vvol/x:\nseverity:\ndeclared:\n")
    assert fleet.endpoints[0].limits == Limits()
    assert (fleet.params, fleet.severities, fleet.declared) == ((), (), ())


def test_an_endpoint_lies_at_the_site_whose_globs_name_it_and_may_lie_at_none(tmp_path: Path) -> None:
    more = "".join(
        f"  - {{name: {name}, kind: vcenter, address: {name}, username: u, password: {{env: P}}}}\n" for name in ("vie-2", "graz")
    )
    fleet = loaded(tmp_path, one_endpoint(name="vie-1") + more + "sites: {vienna: {endpoints: [vie-1, 'v*-?']}}\n")
    assert [fleet.site_of(name) for name in ("vie-1", "vie-2", "graz")] == ["vienna", "vienna", None]
