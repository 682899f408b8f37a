"""A load is bounded in rate, time and size, and goes into a file of a folder, never to a device."""

from __future__ import annotations

import configparser
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.model import Lesson, Verdict
from auditor.reproduction.bounds import (
    MIXED,
    MOST_FILE_BYTES,
    MOST_READS_PER_SECOND,
    MOST_SECONDS,
    MOST_WRITTEN_BYTES_PER_SECOND,
    checked_folder,
    checked_reads,
)
from auditor.reproduction.files import files_of
from auditor.reproduction.situation import Situation
from tests.report import samples
from tests.required import program

FOLDER = "/mnt/test"
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def situation(lesson: Lesson, limit: float | None = None) -> Situation:
    finding = samples.pe_finding()
    return Situation("0123456789ab", finding, lesson, ("esx-01",), ("sf-01",), ("ds-1",), ("vm-1 Hard disk 1",), "naa.6f47", limit)


def every_file() -> Iterator[tuple[str, str]]:
    for lesson in Lesson:
        for limit in (None, 1.0, 10.0**12):
            for reads in (0, 1, 80, 100) if lesson in MIXED else (0,):
                for name, text in files_of(situation(lesson, limit), FOLDER, "By hand.", "a-run", reads).items():
                    yield f"{lesson}/{limit}/{reads}/{name}", text


# Each text once: limits change only the load of S1.
DIFFERENT = {text: name for name, text in every_file()}
JOB_FILES = [(name, text) for text, name in DIFFERENT.items() if name.endswith(".fio")]
SCRIPTS = [(name, text) for text, name in DIFFERENT.items() if name.endswith(".sh")]


def size_of(text: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([kmg]?)", text).groups()  # type: ignore[union-attr]
    return int(number) * _UNITS[unit]


def jobs_of(text: str) -> list[dict[str, str]]:
    parser = configparser.ConfigParser(default_section="global", interpolation=None)
    parser.read_string(text)
    return [dict(parser[name]) for name in parser.sections()]


def test_the_notes_say_what_is_wrong_or_of_a_verdict_that_is_no_failure_what_was_found() -> None:
    failure = situation(Lesson.THROTTLED_NEIGHBOUR)
    named = replace(failure, finding=replace(failure.finding, message="naa.1 on esx-01: the queue holds `32` commands"))
    passed = replace(failure, finding=samples.pe_finding(verdict=Verdict.PASS))
    notes = [" ".join(files_of(one, FOLDER, "", "a-run")["README.md"].split()) for one in (named, passed)]
    assert "What is wrong: `naa.1 on esx-01: the queue holds '32' commands`. It shows:" in notes[0]
    assert "Found: `32`; wanted: `256`. It shows:" in notes[1]


@pytest.mark.parametrize(("name", "text"), JOB_FILES)
def test_every_job_is_bounded(name: str, text: str) -> None:
    jobs = jobs_of(text)
    assert jobs
    for job in jobs:
        count, block = int(job.get("numjobs", 1)), size_of(job["bs"])
        rates = [int(rate) for rate in job["rate_iops"].split(",")]
        assert all(rate > 0 for rate in rates)
        assert len(rates) == (2 if job["rw"] in ("rw", "randrw") else 1)  # one rate would hold for reads and writes each
        rate = sum(rates) * count
        if "write" not in job["rw"]:
            assert rate <= MOST_READS_PER_SECOND
            assert job["allow_file_create"] == "0"  # fio would write the file that it reads as fast as it can
        if job["rw"] not in ("read", "randread"):
            assert rate * block <= MOST_WRITTEN_BYTES_PER_SECOND
        assert size_of(job["size"]) <= MOST_FILE_BYTES
        assert (job["directory"], job["filename"], job["direct"]) == (FOLDER, "auditor-test.dat", "1")
        assert job.get("time_based") == "1" or name.endswith("prepare.fio")
    loads = [job for job in jobs if job.get("time_based") == "1"]
    assert sum(int(job["runtime"]) for job in loads) <= MOST_SECONDS


def test_the_load_of_s0_is_the_report_s() -> None:
    [job] = jobs_of(files_of(situation(Lesson.THROTTLED_NEIGHBOUR), FOLDER, "", "a-run")["load.fio"])
    assert (job["rw"], job["bs"], job["iodepth"], job["numjobs"]) == ("randwrite", "512k", "8", "5")  # docs/domain/incidents.md#s0


def test_the_load_of_s2_ends_with_the_report_s_threads() -> None:
    jobs = jobs_of(files_of(situation(Lesson.QUEUE_DEPTH), FOLDER, "", "a-run")["load.fio"])
    assert (jobs[-1]["rw"], jobs[-1]["bs"], jobs[-1]["numjobs"]) == ("randread", "4k", "96")  # docs/domain/incidents.md#s2


def test_the_load_of_s1_is_a_fifth_above_the_cap_that_was_read() -> None:
    [job] = jobs_of(files_of(situation(Lesson.SIOC_AGAINST_QOS, 50 * 2**20), FOLDER, "", "a-run")["load.fio"])
    assert int(job["rate_iops"]) == 240  # 60 MiB/s in pieces of 256 KiB


@pytest.mark.parametrize(("lesson", "rates"), [(Lesson.SIOC_AGAINST_QOS, "192,48"), (Lesson.THROTTLED_NEIGHBOUR, "32,8")])
def test_a_mix_of_four_fifths_reads_does_no_more_than_the_load_that_writes(lesson: Lesson, rates: str) -> None:
    about = situation(lesson, 50 * 2**20)  # 240 of 256 KiB a second; five jobs of 40 of 512 KiB are 100 MiB/s
    files = files_of(about, FOLDER, "", "a-run", 80)
    [job] = jobs_of(files["load.fio"])
    assert (job["rwmixread"], job["rate_iops"]) == ("80", rates)
    assert "(80 % reads, 20 % writes)" in " ".join(files["README.md"].split())
    assert "sh run-prepare.sh, once" in " ".join(files["README.md"].split())  # fio makes no file that is missing
    assert {"prepare.fio", "run-prepare.sh"} <= set(files)


def test_a_share_of_reads_is_refused_where_the_load_has_no_writes_to_mix_them_with() -> None:
    assert [checked_reads(None, Lesson.QUEUE_DEPTH), checked_reads(80, Lesson.SIOC_AGAINST_QOS)] == [0, 80]
    with pytest.raises(ConfigurationError, match="--reads 80"):
        checked_reads(80, Lesson.QUEUE_DEPTH)


def test_background_work_is_only_measured_and_commands_of_offload_are_no_script() -> None:
    assert set(files_of(situation(Lesson.BACKGROUND), FOLDER, "", "a-run")) == {"README.md", "measure.sh"}
    files = files_of(situation(Lesson.OFFLOAD), FOLDER, "", "a-run")
    assert set(files) == {"README.md", "commands.txt", "neighbour.sh"}
    assert "HardwareAcceleratedLocking -i" not in files["commands.txt"]


@pytest.mark.parametrize(
    "folder",
    [
        "/dev",
        "/dev/sdb",
        "/dev//sdb",
        "//dev/sdb",
        "/mnt/../dev/sdb",
        "/proc/1",
        "/",
        "relative",
        "/mnt/a:b",
        "/mnt/$HOME",
        "/mnt/a b",
        "/mnt/a\n[b]",
        "/vmfs/volumes/x",
        "",
    ],
)
def test_a_device_or_a_folder_of_the_system_is_refused(folder: str) -> None:
    with pytest.raises(ConfigurationError, match="--test-dir"):
        checked_folder(folder)


@pytest.mark.parametrize("folder", ["/mnt/test", "/var/tmp/auditor-test", "/srv/devices/1"])
def test_a_plain_folder_is_taken(folder: str) -> None:
    assert checked_folder(folder) == folder


def test_names_of_the_fleet_reach_no_job_and_no_script() -> None:
    hostile = "`$(reboot)`\n[global]"
    for lesson in Lesson:
        about = replace(situation(lesson), hosts=(hostile,), arrays=(hostile,), datastores=(hostile,), neighbours=(hostile,))
        for name, text in files_of(about, FOLDER, "", "a-run").items():
            assert name == "README.md" or "reboot" not in text
            assert "\n[global]" not in text or name.endswith(".fio")


@pytest.mark.parametrize(("name", "text"), SCRIPTS)
def test_scripts_are_shell_that_checks_its_folder_first(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "script.sh").write_text(text)
    assert subprocess.run(["sh", "-n", tmp_path / "script.sh"], check=False).returncode == 0
    # No such folder here: nothing may be started.
    ended = subprocess.run(
        ["sh", tmp_path / "script.sh"], capture_output=True, text=True, check=False, cwd=tmp_path, env={"PATH": os.environ["PATH"]}
    )
    assert ended.returncode == 1
    assert "there is no folder /mnt/test" in ended.stderr


def test_a_script_refuses_a_folder_that_leads_to_devices(tmp_path: Path) -> None:
    (tmp_path / "test").symlink_to("/dev")
    [text] = [text for name, text in SCRIPTS if name.startswith(f"{Lesson.SIOC_AGAINST_QOS}/") and name.endswith("/0/run-load.sh")]
    (tmp_path / "script.sh").write_text(text.replace(f"dir={FOLDER}", f"dir={tmp_path}/test"))
    ended = subprocess.run(["sh", tmp_path / "script.sh"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 1
    assert "leads to /dev" in ended.stderr


@pytest.mark.long
def test_fio_itself_understands_every_job_file(tmp_path: Path) -> None:
    fio = program("fio", "FIO")
    for text in {text for _, text in JOB_FILES}:
        (tmp_path / "load.fio").write_text(text)
        ended = subprocess.run(
            [fio, "--parse-only", "--warnings-fatal", tmp_path / "load.fio"], capture_output=True, text=True, check=False
        )
        assert (ended.returncode, ended.stderr) == (0, ""), text


def test_ioping_itself_understands_its_options(tmp_path: Path) -> None:
    ioping = program("ioping", "FIO")
    [line] = {line for _, text in SCRIPTS for line in text.splitlines() if line.startswith("exec ioping") and "-i 1 " in line}
    options = line.removeprefix("exec ioping ").removesuffix(' "$dir"').split()
    # -C: this folder may be on a file system without direct I/O. One request only.
    ended = subprocess.run(
        [ioping, *(one for one in options if one != "-D"), "-C", "-c", "1", tmp_path], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
