"""Replacements keep what joins and judges need, and nothing else."""

import ipaddress
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.endpoints.vcenter.collect.vms import mapped_device
from auditor.recording.pseudonyms import Pseudonyms

ONE, OTHER = Pseudonyms(b"1" * 32), Pseudonyms(b"2" * 32)
WORDS = st.from_regex(r"[A-Za-z0-9]{1,24}", fullmatch=True)
HEX24 = st.from_regex(r"[0-9a-f]{24}", fullmatch=True)


@given(WORDS)
def test_a_word_keeps_its_length_and_letters_stay_letters_of_their_case(word: str) -> None:
    masked = ONE.word(word)
    assert masked == Pseudonyms(b"1" * 32).word(word)
    assert len(masked) == len(word)
    if not re.fullmatch(r"[0-9a-f]{8}", word):
        assert [one.isdigit() for one in masked] == [one.isdigit() for one in word]
    if word.isalpha():
        assert [one.isupper() for one in masked] == [one.isupper() for one in word]


@pytest.mark.long
@given(st.lists(st.from_regex(r"[a-z0-9]{3}", fullmatch=True), min_size=2, max_size=200, unique=True))
def test_no_two_words_become_one(words: list[str]) -> None:
    assert len({ONE.word(word) for word in words}) == len(words)


@pytest.mark.long
@given(st.integers(min_value=1, max_value=10**12))
def test_a_number_keeps_its_digits(number: int) -> None:
    assert len(str(ONE.number(number))) == len(str(number))


def test_another_key_gives_another_replacement() -> None:
    assert ONE.word("production") != OTHER.word("production")
    assert ONE.identifier("624a9370" + "1" * 24) != OTHER.identifier("624a9370" + "1" * 24)


def test_a_small_change_of_a_name_changes_all_of_it() -> None:
    assert sum(a == b for a, b in zip(ONE.word("productiondatabaseone"), ONE.word("productiondatabasetwo"), strict=True)) < 8


@pytest.mark.long
@given(HEX24)
def test_the_serial_number_of_a_flasharray_volume_is_still_the_end_of_its_device_name(serial: str) -> None:
    # naa.624a9370 and the serial number in small letters; over NVMe eui.00, 14 digits, 24a937 and 10 (docs/domain/arrays.md#device-names)
    masked = ONE.hexadecimal(serial.upper()).lower()
    assert ONE.identifier(f"624a9370{serial}") == f"624a9370{masked}"
    assert ONE.identifier(f"00{serial[:14]}24a937{serial[14:]}") == f"00{masked[:14]}24a937{masked[14:]}"


@given(st.from_regex(r"[A-Za-z0-9/+$?=<>\]-]{12}", fullmatch=True))
def test_the_serial_number_of_an_ontap_lun_is_still_in_its_device_name(serial: str) -> None:
    # naa.600a0980 and the twelve letters of the serial number in hexadecimal digits (docs/domain/arrays.md#device-names)
    assert ONE.identifier("600a0980" + serial.encode().hex()) == "600a0980" + ONE.serial(serial).encode().hex()


@pytest.mark.parametrize(
    "name", ["624a9370a94c0d276e1b453800011014", "6f47acc1000000007366707200000001", "600a098038303053742b4a5a6f51304e"]
)
def test_a_raw_device_mapping_still_names_its_lun(name: str) -> None:
    masked = ONE.identifier(f"0200080000{name}466c61736841")
    assert mapped_device(masked) == f"naa.{ONE.identifier(name)}"
    assert masked[:10] == "0200080000"
    assert ONE.identifier(f"0200080000{name}466c61736841".upper()) == masked.upper()


def test_a_solidfire_cluster_is_the_same_in_volumes_and_protocol_endpoints() -> None:
    # The cluster's four letters stand in digits 17 to 24 of both (docs/domain/arrays.md#device-names)
    volume, endpoint = ONE.identifier("6f47acc1000000007366707200000001"), ONE.identifier("6f47acc2000000037366707200000000")
    assert volume[16:24] == endpoint[16:24] == ONE.word("sfpr").encode().hex()
    assert (volume[:16], endpoint[:16]) == ("6f47acc100000000", "6f47acc200000003")
    assert ONE.identifier("7366707200000001f47acc0100000000") == f"{volume[16:24]}00000001f47acc0100000000"


@pytest.mark.long
@given(st.from_regex(r"6000d310[0-9a-f]{10}", fullmatch=True), st.from_regex(r"[0-9a-f]{14}", fullmatch=True))
def test_devices_of_one_array_still_begin_alike(array: str, volume: str) -> None:
    one, other = ONE.identifier(array + volume), ONE.identifier(array + "0" * 14)
    assert one[:18] == other[:18]
    assert one[:8] == "6000d310"


@pytest.mark.parametrize(
    ("wwn", "kept"),
    [
        pytest.param("500605bc3eb79369", 7, id="NAA 5: the vendor in digits 2 to 7"),
        pytest.param("2100f4e9d4000301", 10, id="NAA 2: the vendor in digits 5 to 10"),
        pytest.param("10000090fad00102", 10, id="NAA 1: likewise"),
    ],
)
def test_the_vendor_of_a_world_wide_name_stays(wwn: str, kept: int) -> None:
    masked = ONE.identifier(wwn)
    assert masked[:kept] == wwn[:kept]
    assert masked[kept:] != wwn[kept:]
    assert ONE.wwn_number(int(wwn, 16)) == int(masked, 16)


def test_a_world_wide_name_that_vcenter_reports_as_a_negative_number_is_the_same_one() -> None:
    assert ONE.wwn_number(int("c0507601e4d10001", 16) - (1 << 64)) % (1 << 64) == int(ONE.identifier("c0507601e4d10001"), 16)


@given(st.ip_addresses(v=4), st.ip_addresses(v=4), st.integers(min_value=8, max_value=30))
def test_addresses_of_one_network_stay_in_one_network_and_others_do_not(
    one: ipaddress.IPv4Address, other: ipaddress.IPv4Address, bits: int
) -> None:
    if {one.packed[0], other.packed[0]} & {0, 127, 255}:
        return
    together = [int(each) >> (32 - bits) for each in (one, other)]
    masked = [int(ipaddress.ip_address(ONE.ipv4(str(each)))) >> (32 - bits) for each in (one, other)]
    assert (together[0] == together[1]) == (masked[0] == masked[1])


@pytest.mark.parametrize("address", ["255.255.255.0", "0.0.0.0", "127.0.0.1"])
def test_masks_and_loopback_stay(address: str) -> None:
    assert ONE.ipv4(address) == address


def test_a_word_of_another_script_becomes_a_plain_one() -> None:
    assert re.fullmatch("[a-z]{10,}", ONE.word("Größe"))
