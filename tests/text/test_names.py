"""A name that a person writes means what vCenter's pages show under it, and what holds back is never narrower than what chooses."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.apply.restrictions import without_protected
from auditor.engine.chosen_places import chosen_hosts
from auditor.engine.chosen_places import fits as chosen
from auditor.fleet.windows import MaintenanceWindow
from auditor.model import Change, FixClass, Protection, Resource, Target
from auditor.text.names import as_shown, fits, fits_host, fits_sql, glob_for_sql, hosts_that_fit, is_called
from auditor_lab.vcenter.inventory.entities import as_in_the_api

CHARACTERS = st.one_of(st.sampled_from("aAbB%25cCfF/\\ .-_*?[]!"), st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]))
NAMES = st.text(CHARACTERS, min_size=1)


def change_on(name: str) -> Change:
    """A change on a host that is called so, in a cluster that is called so as well."""
    where = Resource("device", "naa.1", "naa.1", "vc", name, name)
    return Change("dsnro", FixClass.ONLINE, Target("vc", (("host_id", "host-1"),)), 32, 64, ("a/rule",), where, "because")


@pytest.mark.parametrize(
    ("name", "as_it_is_shown"),
    [
        ("Prod%2fEast", "Prod/East"),
        ("Prod%2FEast", "Prod/East"),
        ("a%5cb", "a\\b"),
        ("100%25", "100%"),
        ("Prod%252fEast", "Prod%2fEast"),
        ("50% off", "50% off"),
        ("%41", "%41"),
    ],
)
def test_names_are_decoded_as_vcenter_escapes_them_and_once(name: str, as_it_is_shown: str) -> None:
    assert as_shown(name) == as_it_is_shown


@given(NAMES.filter(lambda name: as_shown(name) == name))
def test_what_vcenter_escapes_is_decoded_to_the_name_that_it_shows(name: str) -> None:
    assert as_shown(as_in_the_api(name)) == name


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Prod/East", "Prod/East"),
        ("Prod/East", "Prod%2fEast"),
        ("Prod/East", "prod%2FEAST"),
        ("Prod%2fEast", "Prod%252fEast"),
        ("Prod%2fEast", "Prod%2fEast"),
        ("Büro", "BU\u0308RO"),
        ("STRASSE", "straße"),
        ("\uff30\uff32\uff2f\uff24", "prod"),
        ("pro\u200bd", "prod"),
        ("esx1.example.net", "ESX1.example.net."),
        ("esx [1]", "esx [1]"),
        ("gold", " gold "),
        ("what?", "what?"),
    ],
)
def test_a_name_is_meant_by_every_way_to_write_it(name: str, written: str) -> None:
    assert fits(name, written)
    assert is_called(name, written)


@pytest.mark.parametrize(("name", "written"), [("esx-10", "esx-1"), ("Prod/East", "Prod-East"), ("gold", "g?ld2"), (None, "*")])
def test_another_name_is_not_meant(name: str | None, written: str) -> None:
    assert not fits(name, written)


@pytest.mark.parametrize(
    ("written", "names", "those"),
    [
        ("esx1", ["esx1.a.net", "esx2.a.net"], ["esx1.a.net"]),
        ("esx1", ["esx1.a.net", "esx1.b.net"], []),
        ("esx1.*", ["esx1.a.net", "esx1.b.net"], ["esx1.a.net", "esx1.b.net"]),
        ("esx1", ["esx1", "esx1.b.net"], ["esx1"]),
        ("esx1.a.net", ["esx1", "esx2"], ["esx1"]),
        ("10", ["10.0.0.1"], []),
    ],
)
def test_a_short_name_is_one_host_alone(written: str, names: list[str], those: list[str]) -> None:
    assert sorted(hosts_that_fit(written, names)) == those


@given(NAMES, NAMES)
def test_sql_compares_names_of_ascii_characters_in_the_same_way(name: str, glob: str) -> None:
    import duckdb

    name, glob = (text.encode("ascii", "ignore").decode() or "a" for text in (name, glob))
    # DuckDB and fnmatch agree about * and ?; of brackets that do not close each makes its own.
    name, glob = (text.translate(str.maketrans("", "", "[]!\\%")) or "a" for text in (name, glob))
    row = duckdb.execute(f"SELECT {fits_sql('$name', '$glob')}", {"name": name, "glob": glob_for_sql(glob)}).fetchone()
    assert row == (fits(name, glob),)


@given(NAMES, NAMES, st.sampled_from(["exact", "upper", "escaped", "glob", "short", "other"]))
def test_what_holds_back_is_never_narrower_than_what_chooses(name: str, other: str, way: str) -> None:
    text = {
        "exact": name,
        "upper": name.upper(),
        "escaped": as_in_the_api(name),
        "glob": name[: len(name) // 2] + "*",
        "short": name.partition(".")[0] or "*",
        "other": other,
    }[way]
    one = change_on(name)
    if name in (chosen_hosts([text], [name]) or ()):
        assert fits_host(name, text)
        assert not without_protected([one], [Protection("stays", host=text)], lambda _endpoint: ())[0]
    if chosen(name, [text]):
        assert not without_protected([one], [Protection("stays", cluster=text)], lambda _endpoint: ())[0]
        assert MaintenanceWindow((0,), 0, 60, "UTC", cluster=text).covers("vc", name)


def test_blanks_and_punctuation_alone_mean_nothing_else() -> None:
    assert not [one for one in string.punctuation.replace("*", "").replace("?", "") if fits("gold", one)]
