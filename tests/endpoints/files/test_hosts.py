"""Which host a file is of, and which cluster the host: by folders and bundles, prompts, and what is said on the command line."""

import tarfile
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest

from auditor.endpoints.files.hosts import root_of

from .evidence import DEVICES, HOST, Read, written


def clusters(read: Read) -> dict[str, str | None]:
    return {row["name"]: row["cluster"] for row in read.rows["host"]}


def host(name: str) -> dict[str, str]:
    """The outputs of a host of that name."""
    return {**HOST, "esxcli_system-hostname-get.txt": f"   Domain Name: \n   Fully Qualified Domain Name: {name}\n   Host Name: {name}\n"}


@pytest.mark.parametrize(
    ("name", "root"),
    [
        ("", "."),
        ("esx-01/esxcli_storage-core-device-list.txt", "esx-01"),
        ("esx-a-2026-01-01--10.10-1/commands/localcli_x.txt", "esx-a-2026-01-01--10.10-1"),
        ("esx-a-2026-01-01--10.10-1/json/localcli_x.json", "esx-a-2026-01-01--10.10-1"),
        ("prod/esx-01/etc/vmware/esx.conf", "prod/esx-01"),
    ],
)
def test_the_folder_of_a_host_is_the_one_above_what_a_bundle_has(name: str, root: str) -> None:
    assert root_of(name) == PurePosixPath(root)


def test_a_folder_of_folders_is_a_cluster(tmp_path: Path) -> None:
    for cluster, name in (("prod", "esx-01"), ("prod", "esx-02"), ("test", "esx-03")):
        written(tmp_path / cluster / name, host(name))
    assert clusters(Read(tmp_path)) == {"esx-01": "prod", "esx-02": "prod", "esx-03": "test"}


def test_a_folder_of_bundles_is_a_cluster(tmp_path: Path) -> None:
    name = "esx-esx07-2026-10-03--04.05-2101"
    folder = written(tmp_path / "made" / name / "commands", {"localcli_storage-core-device-list.txt": DEVICES})
    (tmp_path / "case" / "prod").mkdir(parents=True)
    with tarfile.open(tmp_path / "case" / "prod" / f"{name}.tgz", "w:gz") as archive:
        archive.add(folder.parent, arcname=name)
    assert clusters(Read(tmp_path / "case")) == {"esx07": "prod"}


def test_hosts_that_lie_at_the_top_are_of_no_known_cluster(tmp_path: Path) -> None:
    for name in ("esx-01", "esx-02"):
        written(tmp_path / name, host(name))
    assert clusters(Read(tmp_path)) == {"esx-01": None, "esx-02": None}


def test_what_the_command_line_says_of_clusters_counts_before_folders(tmp_path: Path) -> None:
    for name in ("esx-01", "esx-02"):
        written(tmp_path / "prod" / name, host(name))
    assert clusters(Read(tmp_path, clusters=["edge=*-02"])) == {"esx-01": "prod", "esx-02": "edge"}


def test_a_bundle_says_its_host_and_its_moment_in_its_name(tmp_path: Path) -> None:
    name = "esx-esx07-2026-10-03--04.05-2101"
    folder = written(tmp_path / name / "commands", {"localcli_storage-core-device-list.txt": DEVICES.replace("\n   D", ":\n   D", 1)})
    bundle = tmp_path / f"{name}.tgz"
    with tarfile.open(bundle, "w:gz") as archive:
        archive.add(folder.parent, arcname=name)
    read = Read(bundle)
    assert clusters(read) == {"esx07": None}
    assert len(read.rows["device"]) == 1
    assert {row["read_at"] for row in read.rows["reading"] if row.get("source")} == {datetime(2026, 10, 3, 4, 5, tzinfo=UTC)}


def test_a_bundle_has_options_of_modules_in_its_esx_conf(tmp_path: Path) -> None:
    root = tmp_path / "esx-esx07-2026-10-03--04.05-2101"
    written(root / "commands", {"localcli_storage-core-adapter-list.txt": HOST["esxcli_storage-core-adapter-list.txt"]})
    conf = '/adv/Disk/DiskMaxIOSize = "4096"\n/vmkernel/module/lpfc/options = "lpfc_lun_queue_depth=64 lpfc_x=1"\n'
    written(root / "etc" / "vmware", {"esx.conf": conf})
    options = {row["module"]: row["option_string"] for row in Read(root).rows["host_module"]}
    assert options == {"lpfc": "lpfc_lun_queue_depth=64 lpfc_x=1", "iscsi_vmk": None, "vmw_ahci": None}


def test_options_of_a_module_are_what_esxcfg_module_prints_and_not_its_parameters(tmp_path: Path) -> None:
    parameters = "Name   Type  Value  Description\n-----  ----  -----  -----------\nlpfc_lun_queue_depth  int  64  depth\n"
    files = {**HOST, "esxcli_system-module-parameters-list---module=lpfc.txt": parameters}
    folder = written(tmp_path / "esx-01", files)
    assert {row["module"]: row["option_string"] for row in Read(folder).rows["host_module"]}["lpfc"] is None
    written(folder, {"esxcfg-module_-g_lpfc.txt": "lpfc enabled = 1 options = 'lpfc_lun_queue_dpth=64'\n"})
    assert {row["module"]: row["option_string"] for row in Read(folder).rows["host_module"]}["lpfc"] == "lpfc_lun_queue_dpth=64"


def test_bundles_in_one_archive_are_hosts_of_their_own_and_its_folders_no_clusters(tmp_path: Path) -> None:
    made = []
    for number in (1, 2):
        name = f"esx-h{number}-2026-10-03--04.05-{number}"
        folder = written(tmp_path / name / "commands", {"localcli_storage-core-device-list.txt": DEVICES})
        made.append(tmp_path / f"{name}.tgz")
        with tarfile.open(made[-1], "w:gz") as archive:
            archive.add(folder.parent, arcname=name)
    together = tmp_path / "vc-support.tgz"
    with tarfile.open(together, "w:gz") as archive:
        for path in made:
            archive.add(path, arcname=f"dump/{path.name}")
    assert clusters(Read(together)) == {"h1": None, "h2": None}


def test_a_prompt_names_the_host_of_what_was_pasted(tmp_path: Path) -> None:
    pasted = "".join(
        f"[root@{name}:~] esxcli storage core device list\n{DEVICES}\n[root@{name}:~] esxcli iscsi software get\nfalse\n"
        for name in ("esx-a", "esx-b")
    )
    file = tmp_path / "terminal.txt"
    file.write_text(pasted, encoding="utf-8")
    read = Read(file)
    assert clusters(read) == {"esx-a": None, "esx-b": None}
    assert [row["software_iscsi"] for row in read.rows["host"]] == [False, False]
