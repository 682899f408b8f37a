"""Which host a file is of, and which cluster the host: by folders and bundles, prompts, and what is said on the command line."""

import os
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


def test_a_folder_of_several_hosts_is_a_cluster_and_one_of_one_host_is_none(tmp_path: Path) -> None:
    for cluster, name in (("prod", "esx-01"), ("prod", "esx-02"), ("alone", "esx-03")):
        written(tmp_path / cluster / name, host(name))
    assert clusters(Read(tmp_path)) == {"esx-01": "prod", "esx-02": "prod", "esx-03": None}


def test_a_folder_of_bundles_is_a_cluster(tmp_path: Path) -> None:
    (tmp_path / "case" / "prod").mkdir(parents=True)
    for number in (7, 8):
        name = f"esx-esx0{number}-2026-10-03--04.05-2101"
        folder = written(tmp_path / "made" / name / "commands", {"localcli_storage-core-device-list.txt": DEVICES})
        with tarfile.open(tmp_path / "case" / "prod" / f"{name}.tgz", "w:gz") as archive:
            archive.add(folder.parent, arcname=name)
    assert clusters(Read(tmp_path / "case")) == {"esx07": "prod", "esx08": "prod"}


def test_hosts_that_lie_at_the_top_are_of_no_known_cluster(tmp_path: Path) -> None:
    for name in ("esx-01", "esx-02"):
        written(tmp_path / name, host(name))
    assert clusters(Read(tmp_path)) == {"esx-01": None, "esx-02": None}


def test_what_the_command_line_says_of_clusters_counts_before_folders(tmp_path: Path) -> None:
    for name in ("esx-01", "esx-02", "esx-03"):
        written(tmp_path / "prod" / name, host(name))
    assert clusters(Read(tmp_path, clusters=["edge=ESX*-02"])) == {"esx-01": "prod", "esx-02": "edge", "esx-03": "prod"}


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


def test_files_of_two_hosts_in_one_folder_are_of_neither(tmp_path: Path) -> None:
    folder = written(tmp_path / "both", host("esx-01"))
    written(folder, {"esxcli_system-hostname-get_2.txt": host("esx-02")["esxcli_system-hostname-get.txt"]})
    read = Read(folder)
    assert read.rows["host"] == []
    [gap] = [one for one in read.gaps if one.what == str(folder)]
    assert "several hosts" in gap.why
    assert "esx-01" in gap.why
    assert "esx-02" in gap.why


def test_options_of_a_module_are_of_no_host_where_several_were_pasted(tmp_path: Path) -> None:
    folder = tmp_path / "terminals"
    for name in ("esx-a", "esx-b"):
        session = (
            f"[root@{name}:~] esxcli storage core adapter list\n{HOST['esxcli_storage-core-adapter-list.txt']}\n[root@{name}:~] date\n"
        )
        written(folder, {f"{name}.log": session})
    written(folder, {"mod.txt": "lpfc enabled = 1 options = 'lpfc_lun_queue_depth=64'\n"})
    rows = Read(folder).rows["host_module"]
    assert {(row["host_id"], row["option_string"]) for row in rows if row["module"] == "lpfc"} == {("esx-a", None), ("esx-b", None)}


def test_a_session_with_options_of_a_module_has_its_other_outputs_too(tmp_path: Path) -> None:
    module = "[root@esx-a:~] esxcfg-module -g lpfc\nlpfc enabled = 1 options = 'x=1'\n"
    session = f"[root@esx-a:~] esxcli storage core device list\n{DEVICES}\n{module}"
    read = Read(
        written(
            tmp_path / "s",
            {
                "session.txt": session,
                "a.txt": f"[root@esx-a:~] esxcli storage core adapter list\n{HOST['esxcli_storage-core-adapter-list.txt']}\n",
            },
        )
    )
    assert len(read.rows["device"]) == 1
    assert {row["module"]: row["option_string"] for row in read.rows["host_module"]}["lpfc"] == "x=1"


def test_the_newest_of_two_outputs_counts_and_their_host_is_as_old_as_the_oldest(tmp_path: Path) -> None:
    folder = written(tmp_path / "esx-01", HOST)
    written(folder, {"a_esxcli_storage-core-device-list_old.txt": DEVICES.replace("Depth: 128", "Depth: 64")})
    old = datetime(2020, 1, 2, tzinfo=UTC).timestamp()
    os.utime(folder / "a_esxcli_storage-core-device-list_old.txt", (old, old))
    read = Read(folder)
    assert [row["queue_depth"] for row in read.rows["device"]] == [128]
    assert any("two files have it, and differ" in gap.why for gap in read.gaps)
    assert {row["read_at"].year for row in read.rows["reading"] if row.get("source")} == {2020}


def test_of_two_outputs_in_one_session_the_later_counts(tmp_path: Path) -> None:
    before, after = DEVICES.replace("Depth: 128", "Depth: 64"), DEVICES
    call = "[root@esx-01:~] esxcli storage core device list\n"
    session = f"{call}{before}\n[root@esx-01:~] reboot\n{call}{after}\n[root@esx-01:~] \n"
    read = Read(written(tmp_path / "esx-01", {"session.txt": session}))
    assert [row["queue_depth"] for row in read.rows["device"]] == [128]
    assert any("two files have it, and differ" in gap.why for gap in read.gaps)


def test_a_name_that_could_steer_a_terminal_is_not_believed(tmp_path: Path) -> None:
    name = "   Fully Qualified Domain Name: esx\u202egnp\x07m.x\n   Host Name: esx\u202e\n"
    files = {**HOST, "esxcli_system-hostname-get.txt": name}
    assert list(clusters(Read(written(tmp_path / "esx-77", files)))) == ["esx-77"]


SEVERAL = {
    "names of hosts alone": ("esx-01.txt", "esx-02.txt", ["esx-01", "esx-02"]),
    "whole names of hosts": ("esx01.corp.example", "esx02.corp.example", ["esx01.corp.example", "esx02.corp.example"]),
    "hosts before commands": ("ESX01_core-device-list.txt", "esx02-devices.txt", ["esx01", "esx02"]),
    "hosts behind commands": ("esxcli_storage_core_device_list_alpha.json", "esxcli_storage_core_device_list_beta.json", ["alpha", "beta"]),
}


@pytest.mark.parametrize(("one", "other", "hosts"), SEVERAL.values(), ids=SEVERAL)
def test_files_of_several_hosts_in_one_folder_are_not_taken_for_one(tmp_path: Path, one: str, other: str, hosts: list[str]) -> None:
    text = "# esxcli storage core device list\n" + DEVICES
    folder = written(tmp_path / "prod", {one: text, other: text})
    read = Read(tmp_path)
    assert clusters(read) == dict.fromkeys(hosts, "prod")
    assert len(read.rows["device"]) == 2
    assert f"The files in {folder} are of several hosts, by their names: {', '.join(hosts)}." in read.notes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("esxcli_storage-core-device-list.txt", "esxcli_storage-core-device-list_old.txt"),
        ("core-device-list-20261127.txt", "core-device-list-20261128.txt"),
        ("esxcli_storage-core-device-list.txt", "esxcli_formatter-json_storage-core-device-list_after2.txt"),
    ],
)
def test_files_that_differ_by_no_host_are_of_one_and_the_newest_counts(tmp_path: Path, one: str, other: str) -> None:
    text = "# esxcli storage core device list\n" + DEVICES
    folder = written(tmp_path / "esx-07", {one: text, other: text})
    read = Read(folder)
    assert list(clusters(read)) == ["esx-07"]
    assert any(note.startswith(f"The newest of files with one command counts: {folder}/") for note in read.notes)


def test_a_file_that_names_none_of_several_hosts_is_a_gap_and_nobodys(tmp_path: Path) -> None:
    text = "# esxcli storage core device list\n" + DEVICES
    version = "# esxcli system version get\n   Product: VMware ESXi\n   Version: 8.0.3\n   Build: Releasebuild-24022510\n"
    folder = written(tmp_path / "prod", {"esx-01.txt": text, "esx-02.txt": text, "esxcli_system-version-get.txt": version})
    read = Read(folder)
    assert sorted(clusters(read)) == ["esx-01", "esx-02"]
    assert {row.get("version") for row in read.rows["host"]} == {None}
    [gap] = [gap for gap in read.gaps if gap.what.endswith("esxcli_system-version-get.txt")]
    assert gap.why == "files of several hosts lie beside it (esx-01, esx-02), and its name is of none: put it into its host's folder."


def test_two_hosts_are_told_apart_beside_a_file_that_names_none(tmp_path: Path) -> None:
    text = "# esxcli storage core device list\n" + DEVICES
    read = Read(written(tmp_path / "prod", {"core-device-list.txt": text, "esx-01.txt": text, "esx-02.txt": text}))
    assert sorted(clusters(read)) == ["esx-01", "esx-02"]
    assert any(gap.what.endswith("core-device-list.txt") for gap in read.gaps)


def test_prompts_that_name_two_hosts_count_before_the_names_of_files(tmp_path: Path) -> None:
    texts = [f"[root@esx-{number}:~] esxcli storage core device list\n{DEVICES}" for number in (1, 2)]
    read = Read(written(tmp_path / "prod", {"first.txt": texts[0], "second.txt": texts[1]}))
    assert sorted(clusters(read)) == ["esx-1", "esx-2"]
    assert not any("newest" in note for note in read.notes)
