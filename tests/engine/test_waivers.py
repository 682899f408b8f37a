"""A waiver takes effect whole or not at all, and only until its instant."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auditor.engine.rules.rule import RuleSet
from auditor.engine.waivers.file import Waiver, Waivers, checked, load_waivers
from auditor.errors import ConfigurationError
from tests.engine.bench import HEADROOM, SOUND, bare_rule, changed, rule_text, rules_from

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
WAIVER = """\
waivers:
  - rule: vvol/pe-dsnro-headroom
    resources: {host: esx-01, cluster: [gold, "silver-*"]}
    owner: storage team
    reason: the array is replaced in March
    ticket: CHG-4711
    expires: 2027-03-31
"""


def loaded(folder: Path, text: str) -> Waivers:
    path = folder / "waivers.yaml"
    path.write_text(text, encoding="utf-8")
    return load_waivers(path, AT, required=True)


def entry(folder: Path, *replacements: tuple[str, str]) -> Waiver:
    (one,) = loaded(folder, changed(WAIVER, *replacements)).entries
    return one


def test_an_entry_says_who_answers_for_what_and_until_when(tmp_path: Path) -> None:
    one = entry(tmp_path)
    assert (one.rule, one.resources) == (HEADROOM, {"host": ("esx-01",), "cluster": ("gold", "silver-*")})
    assert (one.owner, one.reason, one.ticket) == ("storage team", "the array is replaced in March", "CHG-4711")
    assert (one.where, one.mistake, one.also_unknown) == ("waivers.yaml:2", "", False)


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        pytest.param("2027-03-31", datetime(2027, 4, 1, tzinfo=UTC), id="a day: its end in UTC"),
        pytest.param("2028-02-29", datetime(2028, 3, 1, tzinfo=UTC), id="a leap day"),
        pytest.param("2027-03-31T18:00Z", datetime(2027, 3, 31, 18, tzinfo=UTC), id="an instant"),
        pytest.param("2027-03-31T18:00:30.5+02:00", datetime(2027, 3, 31, 16, 0, 30, 500000, tzinfo=UTC), id="another zone's instant"),
    ],
)
def test_the_end_is_one_instant_in_utc(tmp_path: Path, written: str, instant: datetime) -> None:
    one = entry(tmp_path, ("2027-03-31", written))
    assert one.expires == instant
    assert one.expires.utcoffset() == timedelta(0)
    assert not one.lapsed(instant - timedelta(microseconds=1))
    assert one.lapsed(instant).startswith("expired at 202")


@pytest.mark.parametrize(
    ("replacement", "mistake"),
    [
        pytest.param(("2027-03-31", "2027-03-31T18:00"), "must be an instant such as", id="no zone"),
        pytest.param(("2027-03-31", "2027-02-30"), "which no calendar has", id="no such day"),
        pytest.param(("2027-03-31", "9999-12-31"), "which no calendar has", id="a day without a next one"),
        pytest.param(("2027-03-31", "20270331"), '"expires" must be an instant such as', id="a number"),
        pytest.param(("2027-03-31", "31.03.2027"), "must be an instant such as", id="as Germans write it"),
        pytest.param(("2027-03-31", '""'), '"expires" must be an instant such as', id="an empty end"),
        pytest.param(("    expires: 2027-03-31\n", ""), '"expires" is missing', id="no end"),
        pytest.param(("storage team", '" "'), '"owner" must be text', id="nobody's"),
        pytest.param(("    reason: the array is replaced in March\n", ""), '"reason" is missing', id="no reason"),
        pytest.param(("    ticket: CHG-4711\n", ""), '"ticket" is missing', id="no ticket"),
        pytest.param(("ticket:", "tickets:"), 'unknown key "tickets"; did you mean "ticket"?', id="a key misspelt"),
        pytest.param(("vvol/pe-dsnro-headroom", "PE DSNRO"), "neither the id of a rule nor a glob", id="not the name of a rule"),
        pytest.param(("{host: esx-01,", "{hots: esx-01,"), 'unknown key "hots"; did you mean "host"?', id="a selector misspelt"),
        pytest.param(("esx-01", "[]"), '"host" must be a name or glob', id="a selector without a name"),
        pytest.param(("esx-01", '""'), '"host" must be a name or glob', id="a selector with an empty name"),
        pytest.param(("esx-01", '"esx-[01"'), "opens a bracket", id="a bracket left open"),
        pytest.param(('{host: esx-01, cluster: [gold, "silver-*"]}', "{}"), "resources does not say what is waived", id="for nothing"),
        pytest.param(("    owner", "    also_unknown: perhaps\n    owner"), '"also_unknown" must be true or false', id="half a truth"),
    ],
)
def test_a_malformed_entry_is_kept_with_its_mistake_and_is_never_in_force(
    tmp_path: Path, replacement: tuple[str, str], mistake: str
) -> None:
    waivers = loaded(tmp_path, changed(WAIVER, replacement))
    (one,) = waivers.entries
    assert mistake in one.mistake
    assert one.lapsed(AT) == f"is malformed: {one.mistake}"
    assert waivers.malformed == (f"waivers.yaml:2: {one.mistake}",)


def test_an_entry_that_lost_a_selector_fits_nothing_rather_than_more(tmp_path: Path) -> None:
    assert entry(tmp_path, ("{host:", "{hots:")).resources == {}


def test_a_ticket_may_be_a_number(tmp_path: Path) -> None:
    assert entry(tmp_path, ("CHG-4711", "4711")).ticket == "4711"


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        pytest.param("waivers: [\n", "waivers.yaml:", id="not YAML"),
        pytest.param("", "must be a mapping", id="empty"),
        pytest.param("waivers: {rule: a}\n", '"waivers" must be a list', id="no list"),
        pytest.param(WAIVER.replace("waivers:", "waiver:"), 'unknown key "waiver"; did you mean "waivers"?', id="misspelt"),
        pytest.param(WAIVER + "    owner: someone else\n", 'key "owner" stands here twice', id="a key twice"),
    ],
)
def test_a_file_that_cannot_be_read_waives_nothing_and_says_so(tmp_path: Path, text: str, mistake: str) -> None:
    waivers = loaded(tmp_path, text)
    assert waivers.entries == ()
    assert len(waivers.malformed) == 1
    assert mistake in waivers.malformed[0]


def test_a_sound_entry_counts_beside_a_malformed_one(tmp_path: Path) -> None:
    waivers = loaded(tmp_path, WAIVER + "  - nonsense\n")
    assert [one.lapsed(AT) for one in waivers.entries] == ["", 'is malformed: item 2 of "waivers" must be keys with values']


def test_a_file_that_was_named_has_to_be_there_and_another_need_not(tmp_path: Path) -> None:
    assert load_waivers(tmp_path / "waivers.yaml", AT, required=False) == Waivers(AT)
    with pytest.raises(ConfigurationError, match="there is no such file"):
        load_waivers(tmp_path / "waivers.yaml", AT, required=True)


@pytest.mark.parametrize(
    ("rule", "mistake"),
    [
        pytest.param(HEADROOM, "", id="a rule that is asked"),
        pytest.param("vvol/*", "", id="a glob"),
        pytest.param("qos/limit", "", id="a rule that is there and was not asked for"),
        pytest.param("vvol/pe-dsnro-headrom", 'no rule is called "vvol/pe-dsnro-headrom"; did you mean', id="misspelt"),
    ],
)
def test_a_rule_that_nobody_knows_makes_a_waiver_malformed(tmp_path: Path, rule: str, mistake: str) -> None:
    rules = rules_from(tmp_path, SOUND, rule_text("qos/limit")).only([HEADROOM])
    (one,) = checked(loaded(tmp_path, changed(WAIVER, (HEADROOM, f'"{rule}"'))), rules).entries
    assert one.mistake.startswith(mistake)
    assert bool(one.mistake) == bool(mistake)


ONE = Waiver("waivers.yaml:2", "vvol/*", {"host": ("esx-01",)}, "us", "why", "CHG-1", AT)


@pytest.mark.parametrize(
    ("end", "days", "ends"),
    [
        pytest.param(AT, 0, True, id="at this instant"),
        pytest.param(AT + timedelta(days=7), 7, True, id="on the last day"),
        pytest.param(AT + timedelta(days=7, microseconds=1), 7, False, id="just after it"),
        pytest.param(AT - timedelta(days=1), 0, True, id="expired"),
        pytest.param(None, 7, False, id="without an end"),
    ],
)
def test_whether_a_waiver_ends_soon_is_known_to_the_instant(end: datetime | None, days: int, ends: bool) -> None:
    assert replace(ONE, expires=end).ends_within(AT, days) is ends
    assert replace(ONE, expires=end, mistake="malformed").ends_within(AT, days) is False


def test_a_waiver_without_an_end_is_never_in_force() -> None:
    assert replace(ONE, expires=None).lapsed(AT) == "is malformed: "
    assert replace(ONE, expires=AT + timedelta(days=1)).lapsed(AT) == ""


def test_a_waiver_is_for_the_rules_of_its_glob() -> None:
    assert [ONE.covers_rule(rule) for rule in ("vvol/x", "qos/x")] == [True, False]
    assert not replace(ONE, rule=None).covers_rule("vvol/x")


def test_reports_show_who_answers_and_until_when() -> None:
    shown = {"owner": "us", "reason": "why", "ticket": "CHG-1", "expires": "2026-11-21T12:00:00Z", "where": "waivers.yaml:2"}
    assert ONE.as_reported() == shown
    assert replace(ONE, expires=None).as_reported() == {**shown, "expires": None}


def test_what_is_malformed_of_a_file_is_its_own_mistakes_and_those_of_its_entries() -> None:
    waivers = Waivers(AT, None, (ONE, replace(ONE, mistake="x")), ("waivers.yaml:1: y",))
    assert waivers.malformed == ("waivers.yaml:1: y", "waivers.yaml:2: x")
    assert (waivers.selects("host"), waivers.selects("cluster")) == (True, False)


def test_an_entry_is_read_in_every_field(tmp_path: Path) -> None:
    written = changed(WAIVER, ("storage team", "'  storage \n team '"), ("    owner", "    also_unknown: true\n    owner"))
    [one] = loaded(tmp_path, written).entries
    assert one == Waiver(
        where="waivers.yaml:2",
        rule=HEADROOM,
        resources={"host": ("esx-01",), "cluster": ("gold", "silver-*")},
        owner="storage team",
        reason="the array is replaced in March",
        ticket="CHG-4711",
        expires=datetime(2027, 4, 1, tzinfo=UTC),
        also_unknown=True,
    )
    waivers = loaded(tmp_path, "waivers:\n  - nonsense\n  - {}\n")
    assert waivers.entries[0] == Waiver(
        "waivers.yaml:2", None, {}, "", "", "", None, mistake='item 1 of "waivers" must be keys with values'
    )
    empty = waivers.entries[1]
    assert (empty.where, empty.rule, empty.resources, empty.owner, empty.reason, empty.ticket) == ("waivers.yaml:3", None, {}, "", "", "")
    assert (empty.expires, empty.also_unknown, empty.mistake.count("is missing")) == (None, False, 5)
    assert "neither the id" not in empty.mistake
    assert (waivers.path, waivers.at, waivers.mistakes) == (tmp_path / "waivers.yaml", AT, ())


def test_a_file_that_cannot_be_read_is_named_without_its_folder(tmp_path: Path) -> None:
    waivers = loaded(tmp_path, "waivers: [\n")
    assert (waivers.at, waivers.path, waivers.entries) == (AT, tmp_path / "waivers.yaml", ())
    assert waivers.mistakes[0].startswith("waivers.yaml:")
    nothing = loaded(tmp_path, "waivers: {rule: a}\n")
    assert (nothing.path, nothing.mistakes) == (tmp_path / "waivers.yaml", ('waivers.yaml:1: "waivers" must be a list',))


@pytest.mark.parametrize(
    ("glob", "mistake"),
    [
        *((closed, "") for closed in ("a[b]", "[[]", "[[]]", "a]", "[]a]", "[!]]", "lun [[]1]")),
        *((left_open, "opens a bracket") for left_open in ("[", "[a][", "a]b[c", "[]", "[!]", "[!")),
    ],
)
def test_a_bracket_that_is_opened_has_to_be_closed(tmp_path: Path, glob: str, mistake: str) -> None:
    one = entry(tmp_path, ("esx-01", f'"{glob}"'))
    assert bool(mistake) == bool(one.mistake)
    assert mistake in one.mistake
    assert one.resources == ({} if mistake else {"host": (glob,), "cluster": ("gold", "silver-*")})


def test_checking_leaves_alone_what_is_sound_or_malformed_already(tmp_path: Path) -> None:
    rules = RuleSet({"vvol/x": bare_rule("vvol/x")}, {}, frozenset({"qos/left"}))
    entries = (
        ONE,
        replace(ONE, rule="qos/*"),
        replace(ONE, rule="no/rule", mistake="y"),
        replace(ONE, rule=None),
        replace(ONE, rule="no/rule"),
    )
    found = checked(Waivers(AT, tmp_path, entries, ("m",)), rules)
    assert (found.at, found.path, found.mistakes, found.entries[:4]) == (AT, tmp_path, ("m",), entries[:4])
    assert found.entries[4].mistake.startswith('no rule is called "no/rule"')
