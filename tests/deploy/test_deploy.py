"""What deploy/ holds is taken by the tool that it is for, and calls auditor by options that it has."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import typer
import yaml

from auditor import __version__
from auditor.cli.app import app
from auditor.fleet.loading import load_fleet
from auditor.job.cron import cron_trigger
from auditor.job.jobs_file import load_jobs
from auditor.workers.certificates import files_of
from tests.required import program

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("auditor*"))
BASE = DEPLOY / "kubernetes" / "base"
MANIFESTS = [
    *sorted((DEPLOY / "kubernetes").glob("*.yaml")),
    *(BASE / name for name in yaml.safe_load((BASE / "kustomization.yaml").read_text(encoding="utf-8"))["resources"]),
]
MOST_EXPOSURE = 2.0
"""`systemd-analyze security` gives from 0 (nothing exposed) to 10."""


def analyzed(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program("systemd-analyze", "SYSTEMD"), *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def units(tmp_path: Path) -> Path:
    """The units, with a program that is on this machine."""
    program = Path(sys.executable).parent / "auditor"
    for unit in UNITS:
        (tmp_path / unit.name).write_text(unit.read_text(encoding="utf-8").replace("/usr/local/bin/auditor", str(program)))
    return tmp_path


def test_systemd_takes_the_units(units: Path) -> None:
    done = analyzed("verify", "--man=no", *(str(units / unit.name) for unit in UNITS))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["auditor.service", "auditor-once.service"])
def test_the_services_are_hardened(units: Path, name: str) -> None:
    done = analyzed("security", "--offline=yes", "--no-pager", str(units / name))
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    assert found, done.stderr
    assert float(found[1]) <= MOST_EXPOSURE


def test_the_lack_of_memory_ends_one_run_and_not_the_schedule() -> None:
    # systemd.service(5): by default a unit is stopped when the kernel kills any of its processes for memory.
    assert "\nOOMPolicy=continue\n" in (DEPLOY / "systemd" / "auditor.service").read_text(encoding="utf-8")


def documents() -> list[tuple[str, dict[str, Any]]]:
    return [(path.name, document) for path in MANIFESTS for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


def pods() -> list[dict[str, Any]]:
    """The pods of all manifests."""
    specs = [document["spec"] for _, document in documents() if document["kind"] in ("Deployment", "CronJob")]
    return [(spec["jobTemplate"]["spec"] if "jobTemplate" in spec else spec)["template"]["spec"] for spec in specs]


@pytest.mark.parametrize(("name", "document"), [pytest.param(name, one, id=f"{name} {one['kind']}") for name, one in documents()])
def test_kubernetes_takes_the_manifests(name: str, document: dict[str, Any]) -> None:
    assert name
    kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


def test_a_manifest_with_a_key_that_kubernetes_has_not_is_refused() -> None:
    _, document = documents()[1]
    document["spec"]["replica"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)


def test_the_pods_run_without_root_privileges_or_a_root_that_can_be_written() -> None:
    assert len(pods()) == 6
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        [container] = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        assert mounted == {volume["name"] for volume in pod["volumes"]}


def test_kustomize_makes_manifests_that_kubernetes_takes_of_the_base() -> None:
    done = subprocess.run([program("kubectl", "KUBECTL"), "kustomize", str(BASE)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    made = {document["kind"]: document for document in yaml.safe_load_all(done.stdout)}
    assert set(made) == {"Namespace", "ConfigMap", "PersistentVolumeClaim", "CronJob", "NetworkPolicy"}
    for document in made.values():
        kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)
        assert document["metadata"]["namespace" if document["kind"] != "Namespace" else "name"] == "auditor"
    pod = made["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == f"registry.example.com/auditor:{__version__}"
    [config] = [volume["configMap"]["name"] for volume in pod["volumes"] if "configMap" in volume]
    assert config == made["ConfigMap"]["metadata"]["name"] != "auditor", (
        "a change of fleet.yaml is another ConfigMap, so that no run has half of it"
    )


def test_a_folder_of_its_own_over_the_base_is_as_the_page_says(tmp_path: Path) -> None:
    page = (DEPLOY.parent / "docs" / "how-to" / "tools-beside-it.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```yaml\n(# kustomization\.yaml.*?)^```", page, re.MULTILINE | re.DOTALL)
    base, own = tmp_path / "auditor" / "deploy" / "kubernetes" / "base", tmp_path / "own"
    shutil.copytree(BASE, base)
    own.mkdir()
    (own / "kustomization.yaml").write_text(text)
    for name in ("fleet.yaml", "jobs.yaml"):
        (own / name).write_text((BASE / name).read_text(encoding="utf-8") + "# my own\n")
    done = subprocess.run([program("kubectl", "KUBECTL"), "kustomize", str(own)], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    made = {document["kind"]: document for document in yaml.safe_load_all(done.stdout)}
    [container] = made["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == f"harbor.example.net/storage/auditor:{__version__}"
    assert made["NetworkPolicy"]["spec"]["egress"][1]["to"] == [{"ipBlock": {"cidr": "10.20.0.0/16"}}]
    assert all("# my own" in text for text in made["ConfigMap"]["data"].values())


def test_the_base_has_a_fleet_and_jobs_that_auditor_takes() -> None:
    kustomization = yaml.safe_load((BASE / "kustomization.yaml").read_text(encoding="utf-8"))
    assert kustomization["configMapGenerator"] == [{"name": "auditor", "files": ["fleet.yaml", "jobs.yaml"]}]
    jobs = load_jobs(BASE / "jobs.yaml")
    [one] = jobs.jobs
    assert (one.fleet, one.cron) == (
        BASE / "fleet.yaml",
        yaml.safe_load((BASE / "cronjob.yaml").read_text(encoding="utf-8"))["spec"]["schedule"],
    )
    [secret] = [endpoint.password for endpoint in load_fleet(one.fleet).endpoints]
    assert secret is not None
    assert Path(secret.argument[0]).parent == Path("/etc/auditor/secrets"), "where the pod has the Secret"


def test_the_pod_of_the_base_is_reached_by_nobody_and_reaches_names_and_management_networks_alone() -> None:
    policy = yaml.safe_load((BASE / "network.yaml").read_text(encoding="utf-8"))
    assert policy["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in policy["spec"], "none is allowed"
    names, networks = policy["spec"]["egress"]
    assert {(port["protocol"], port["port"]) for port in names["ports"]} == {("UDP", 53), ("TCP", 53)}
    assert all(set(place) == {"namespaceSelector", "podSelector"} for place in names["to"])
    assert {(port["protocol"], port["port"]) for port in networks["ports"]} == {("TCP", 443), ("TCP", 22)}
    assert [place["ipBlock"]["cidr"] for place in networks["to"]] == ["192.0.2.0/24"]
    pod = yaml.safe_load((BASE / "cronjob.yaml").read_text(encoding="utf-8"))["spec"]["jobTemplate"]["spec"]["template"]
    assert policy["spec"]["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Containerfile with what follows them; a line that ends with a backslash goes on."""
    text = re.sub(r"\\\n\s*", "", (DEPLOY / "Containerfile").read_text(encoding="utf-8"))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]


def test_the_containerfile_has_known_instructions_and_runs_as_no_root() -> None:
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"}
    found = instructions()
    assert {name for name, _ in found} <= known
    assert found[0][0] == "FROM"
    last = max(place for place, (name, _) in enumerate(found) if name == "FROM")
    [user] = [value for name, value in found[last:] if name == "USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), "a number, so that Kubernetes can see that it is not root"
    after = found[found.index(("USER", user)) :]
    assert not [name for name, _ in after if name in ("RUN", "COPY")], "nothing in the image belongs to who runs it"
    assert all(isinstance(json.loads(value), list) for name, value in found if name in ("ENTRYPOINT", "CMD", "VOLUME"))


def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return read


def commands() -> list[tuple[str, list[str]]]:
    """Every call of auditor in deploy/, from where it stands."""
    found = []
    for path in [DEPLOY / "auditor.cron", *UNITS, *MANIFESTS]:
        text = path.read_text(encoding="utf-8")
        found += [(path.name, shlex.split(match[1])) for match in re.finditer(r"auditor (schedule --[^;\n]+)", text)]
    found += [("pods", container["args"]) for pod in pods() for container in pod["containers"] if "command" not in container]
    found += [("compose.yaml", service["command"]) for service in compose()["services"].values()]
    found += [("Containerfile", json.loads(value)) for name, value in instructions() if name == "CMD"]
    return found


def test_auditor_has_the_options_that_it_is_called_by() -> None:
    calls = commands()
    assert {name for name, _ in calls} == {
        "auditor.cron",
        "auditor.service",
        "auditor-once.service",
        "cronjob.yaml",
        "workers.yaml",
        "pods",
        "compose.yaml",
        "Containerfile",
    }
    assert {" ".join(word for word in words[:2] if not word.startswith("-")) for _, words in calls} == {
        "schedule",
        "workers scheduler",
        "workers start",
    }
    group: Any = typer.main.get_command(app)
    for name, words in calls:
        command = group
        while hasattr(command, "commands"):
            command, words = command.commands[words[0]], words[1:]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known, name


def test_the_services_of_compose_run_without_root_privileges_or_a_root_that_can_be_written() -> None:
    for name, service in compose()["services"].items():
        assert (service["read_only"], service["cap_drop"], service["user"]) == (True, ["ALL"], "65532:65532"), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
        assert set(service["networks"]) <= set(compose()["networks"]), name
        named = {volume.partition(":")[0] for volume in service["volumes"] if not volume.startswith("./")}
        assert named <= set(compose()["volumes"]), name
    assert compose()["networks"]["control"] == {"internal": True}


def test_each_service_and_pod_has_the_three_files_of_its_role_and_the_passwords_of_its_site_alone() -> None:
    roles = {"scheduler": "scheduler", "worker-vienna": "worker", "worker-graz": "worker", "job": "client"}
    for name, service in compose()["services"].items():
        sources = [volume.split(":")[0] for volume in service["volumes"]]
        certificates = {Path(source).name for source in sources if source.startswith("./certificates/")}
        assert certificates == set(files_of(roles[name])), name
        passwords = [source for source in sources if source.startswith("./secrets/")]
        site = name.partition("-")[2] or name
        assert passwords == ([] if name == "scheduler" else [f"./secrets/{site}"]), name
    for pod in [pod for pod in pods() if any(volume["name"] == "certificates" for volume in pod["volumes"])]:
        [container] = pod["containers"]
        secrets = {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
        role = {"scheduler": "scheduler", "worker": "worker"}.get(container["name"], "client")
        [site] = [word.partition("=")[2] for word in container["args"] if word.startswith("--site=")] or [""]
        assert secrets == {f"auditor-{role}-certificates"} | ({f"auditor-endpoints-{site}"} if site else set())


def test_no_pods_of_one_manifest_are_taken_for_those_of_another() -> None:
    deployments = [
        (name, document["spec"]["selector"]["matchLabels"]) for name, document in documents() if document["kind"] == "Deployment"
    ]
    names = {(name, labels["app.kubernetes.io/name"]) for name, labels in deployments}
    assert names == {("deployment.yaml", "auditor"), ("workers.yaml", "auditor-workers")}
    assert len({json.dumps(labels, sort_keys=True) for _, labels in deployments}) == len(deployments)


def test_cron_takes_the_line() -> None:
    lines = [line for line in (DEPLOY / "auditor.cron").read_text(encoding="utf-8").splitlines() if line[:1].isdigit()]
    [line] = lines
    cron_trigger(" ".join(line.split()[:5]))
    assert line.split()[5:7] == ["auditor", "auditor"], "the account, then the program"
    assert "%" not in line, "a percent sign ends the command in a crontab"


def test_every_image_wheel_and_tag_that_is_named_is_of_this_version() -> None:
    pages = (DEPLOY.parent / "docs").rglob("*.md")
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in (*DEPLOY.rglob("*"), *pages)
        if path.suffix in {".md", ".yaml", ".yml", ".service"}
    }
    named = {path: re.findall(r"\bauditor(?:-|:|/|/deploy/github@v)(\d+\.\d+\.\d+)", text) for path, text in texts.items()}
    assert sum(map(len, named.values())) > 10
    assert {path.name: found for path, found in named.items() if set(found) - {__version__}} == {}
