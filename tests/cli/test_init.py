"""`auditor init`: the file that it writes is a fleet, its schema says what loading it says, and nothing is overwritten."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from auditor.cli import run
from auditor.errors import ConfigurationError
from auditor.fleet.loading import load_fleet
from auditor.fleet.schema import TEXTS, fleet_schema
from auditor.fleet.shape import FleetShape
from auditor.yaml.reading import load_yaml

ROOT = Path(__file__).parents[2]
SCHEMA = jsonschema.Draft202012Validator(fleet_schema())
PLACE = "name: a, address: a.example.net"
LOGIN = f"{PLACE}, username: u, password: {{env: P}}"


def read(text: str, folder: Path) -> tuple[Any, Path]:
    path = folder / "fleet.yaml"
    path.write_text(text, encoding="utf-8")
    return load_yaml(path, ConfigurationError, why="").data, path


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    assert run(["init", "--dir", str(tmp_path)]) == 0
    return tmp_path


@pytest.mark.long
def test_what_is_written_loads_and_fits_the_schema_beside_it(begun: Path) -> None:
    fleet = load_fleet(begun / "fleet.yaml")
    assert [(endpoint.name, endpoint.kind.value) for endpoint in fleet.endpoints] == [("vc-east", "vcenter")]
    schema = json.loads((begun / "fleet.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    text = (begun / "fleet.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=fleet.schema.json\n")
    jsonschema.validate(read(text, begun)[0], schema)


def test_every_comment_of_it_that_is_yaml_may_be_taken_out(begun: Path) -> None:
    lines = (begun / "fleet.yaml").read_text(encoding="utf-8").splitlines()
    # A comment that explains has a blank behind its #, one that is YAML has none, or the indentation of a list.
    bare = [line[1:] if line.startswith("#") and (line[1:2].isalpha() or line.startswith("#  ")) and "auditor " not in line else line
            for line in lines]  # fmt: skip
    text = "\n".join(bare).replace('"SHA256:..."', f'"SHA256:{"a" * 43}"')
    data, path = read(text, begun)
    fleet = load_fleet(path)
    assert {endpoint.kind.value for endpoint in fleet.endpoints} == {"vcenter", "element", "flasharray", "eternus", "nimble"}
    assert set(data) == {field.encode_name for field in msgspec.structs.fields(FleetShape)}, "the template shows every key"
    SCHEMA.validate(data)


@pytest.mark.parametrize("taken", ["fleet.yaml", "fleet.schema.json"])
def test_a_file_that_is_there_stays_as_it_is_and_the_other_is_not_written(
    tmp_path: Path, taken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / taken).write_text("mine", encoding="utf-8")
    assert run(["init", "--dir", str(tmp_path)]) == 3
    assert f"{taken} is there already" in capsys.readouterr().err
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {taken: "mine"}


def test_a_folder_that_is_not_there_is_an_error_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "--dir", str(tmp_path / "missing")]) == 3
    assert "cannot be written: No such file or directory" in capsys.readouterr().err


def test_every_key_has_a_text_of_its_own() -> None:
    made = msgspec.json.schema(FleetShape)["$defs"]
    keys = {name: set(shape["properties"]) for name, shape in made.items() if "properties" in shape}
    assert keys == {name: set(texts) for name, texts in TEXTS.items()}


def test_the_example_of_the_readme_fits(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("```yaml\n", 1)[1].split("```", 1)[0]
    SCHEMA.validate(read(text.replace('"SHA256:..."', f'"SHA256:{"a" * 43}"'), tmp_path)[0])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("endpoints: []", id="no endpoint"),
        pytest.param(f"endpoints: [{{kind: vcentre, {LOGIN}}}]", id="an unknown kind"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}, adress: b}}]", id="an unknown key"),
        pytest.param("endpoints: [{kind: vcenter, name: a, address: b}]", id="no login"),
        pytest.param(f"endpoints: [{{kind: flasharray, {LOGIN}}}]", id="a password for what takes a token"),
        pytest.param(f"endpoints: [{{kind: eternus, {LOGIN}, tls: {{verify: false}}}}]", id="TLS over SSH"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN.replace('{env: P}', 'secret')}}}]", id="a secret in clear"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN.replace('{env: P}', '{env: P, file: F}')}}}]", id="two places for a secret"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}, session: {{env: S}}}}]", id="a session and a password"),
        pytest.param(f"endpoints: [{{kind: ontap, {PLACE}, session: {{env: S}}}}]", id="a session of an array"),
        pytest.param(f"endpoints: [{{kind: vcenter, {PLACE}, sso: {{by: password}}}}]", id="a token by no password"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}, sso: {{token: {{env: T}}}}}}]", id="a token and a password"),
        pytest.param(f"endpoints: [{{kind: esxi, {PLACE}, sso: {{token: {{env: T}}}}}}]", id="single sign-on of a host"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}, jump: -oProxyCommand=x}}]", id="an option of ssh"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}}}]\nvault: {{address: 'https://v'}}", id="a vault without a login"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}, limits: {{concurrency: 0}}}}]", id="no request at all"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}}}]\nseverity: {{vaai/xcopy-size: off}}", id="a severity that is none"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}}}]\nprotect: [{{reason: no}}]", id="a protection of nothing"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}}}]\nnfs_servers: [{{server: s, address: a, family: ontap}}]", id="two things"),
    ],
)
def test_an_editor_marks_what_loading_refuses(tmp_path: Path, text: str) -> None:
    data, path = read(text, tmp_path)
    assert not SCHEMA.is_valid(data)
    with pytest.raises(ConfigurationError):
        load_fleet(path)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}, tls: , params: , clusters: {{gold: }}}}]\nparams:\nreboot:", id="empty keys"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}}}]\nseverity: {{'vaai/*': info}}\nparams: {{a/b: {{c: [1, x]}}}}", id="values"),
        pytest.param(f"endpoints: [{{kind: vcenter, {PLACE}, session: {{command: [govc, session.login, -l]}}}}]", id="a session"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}, sso: {{by: password}}}}]", id="a token by a password"),
        pytest.param(f"endpoints: [{{kind: vcenter, {PLACE}, sso: {{certificate: c, key: k}}}}]", id="a token by a certificate"),
        pytest.param(f"endpoints: [{{kind: vcenter, {LOGIN}, jump: a@b, sso: , session: }}]", id="a jump host"),
        pytest.param(f"endpoints: [{{kind: element, {LOGIN}, proxy: {{address: 'p:3128'}}}}]", id="a proxy"),
        pytest.param(f"endpoints: [{{kind: esxi, {PLACE}, username: u, password: {{ask: true}}}}]", id="a secret that is typed"),
    ],
)
def test_an_editor_accepts_what_loading_accepts(tmp_path: Path, text: str) -> None:
    data, path = read(text, tmp_path)
    load_fleet(path)
    SCHEMA.validate(data)
