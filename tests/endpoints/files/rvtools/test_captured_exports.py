"""Exports of real estates. What is expected was typed from the files."""

from pathlib import Path
from typing import Any

import pytest

from tests.endpoints.files.evidence import Read
from tests.required import capture


def test_the_hosts_of_a_real_export_are_as_they_stand_in_its_file() -> None:
    read = Read(capture("esxi/rvtools-4.7"))
    assert [row["name"] for row in read.rows["host"]] == [
        *("10.17.135.71", "10.203.51.150", "10.216.245.229", "10.109.244.178", "10.106.128.200", "10.2.150.53", "10.144.66.242"),
    ]
    columns = ("cluster", "cluster_id", "in_maintenance_mode", "version", "build", "software_iscsi")
    assert {tuple(row[column] for column in columns) for row in read.rows["host"]} == {
        ("Cluster", "Datacenter/Cluster", False, None, None, None)
    }
    assert {row["topic"] for row in read.rows["reading"] if row["complete"]} == {"guests"}
    [lacking] = [gap for gap in read.gaps if gap.what.startswith("what other sheets")]
    assert "sheets vHBA, vMultiPath" in lacking.why
    assert "vHost with esx version" in lacking.why


def test_the_titles_of_a_real_sheet_are_those_of_its_kind(tmp_path: Path) -> None:
    titles = (capture("esxi/rvtools-headers") / "vMultiPath.csv").read_text(encoding="utf-8").splitlines()[0]
    assert len(titles.split(",")) == 35
    first = "10.17.135.71,Cluster,Datacenter,ds,naa.600a0980,LUN (naa.600a0980),VMW_PSP_RR,ok,vmhba1:C0:T0:L1,active"
    row = [*first.split(","), *[""] * 14, "vStorageSupported", "32", "V", "M", "R", "6", *[""] * 5]
    (tmp_path / "vMultiPath.csv").write_text(f"{titles}\n{','.join(row)}\n", encoding="utf-8")
    read = Read(tmp_path)
    [device], [path] = read.without_null("device"), read.without_null("path")
    assert (device["device"], device["queue_depth"], device["vstorage_support"]) == ("naa.600a0980", 32, "vStorageSupported")
    assert (path["hba"], path["state"], path["psp"]) == ("vmhba1", "active", "VMW_PSP_RR")
    assert read.whole("10.17.135.71")["paths"]


@pytest.mark.parametrize(("number", "expected"), [(0, "10.17.135.71"), (6, "10.144.66.242")])
def test_each_reading_names_the_folder_of_the_export(number: int, expected: Any) -> None:
    folder = capture("esxi/rvtools-4.7")
    read = Read(folder)
    scopes = list(dict.fromkeys(row["scope"] for row in read.rows["reading"] if row["scope"]))
    assert scopes[number] == expected
    assert {row["source"] for row in read.rows["reading"] if row["scope"]} == {str(folder)}
