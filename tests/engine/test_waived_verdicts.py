"""A waived verdict is said to be waived, with what it was; it is no drift, and no fix touches it."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.engine.evaluate import Evaluation, evaluate, load_evaluation
from auditor.engine.fixes.planning import plan
from auditor.engine.waivers.file import Waiver, Waivers
from auditor.engine.waivers.waived import waive
from auditor.model import Held, LeftAlone, Severity, Target, Verdict
from tests.engine.bench import HEADROOM, SOUND, changed, fleet, pe, rule_text, rules_from

pytestmark = pytest.mark.usefixtures("kept_or_deferred")

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
END = datetime(2027, 4, 1, tzinfo=UTC)
TOLD = {"owner": "storage team", "reason": "replaced in March", "ticket": "CHG-1", "expires": "2027-04-01T00:00:00Z", "where": "w.yaml:2"}


def waiver(
    rule: str | None = HEADROOM,
    *,
    until: datetime | None = END,
    where: str = "w.yaml:2",
    also_unknown: bool = False,
    mistake: str = "",
    **resources: str,
) -> Waiver:
    globs = {selector: tuple(reported.split()) for selector, reported in (resources or {"endpoint": "*"}).items()}
    return Waiver(where, rule, globs, "storage team", "replaced in March", "CHG-1", until, also_unknown, mistake)


def judged(
    folder: Path, rows: list[dict[str, Any]], *waivers: Waiver, texts: tuple[str, ...] = (SOUND,)
) -> tuple[Evaluation, tuple[str, ...]]:
    return waive(evaluate(fleet(rows, folder=folder), rules_from(folder, *texts)), Waivers(AT, entries=waivers))


def waived(evaluation: Evaluation) -> list[str]:
    """The last digit of each waived endpoint's name."""
    return sorted(finding.resource.name[-1] for finding in evaluation.findings({Verdict.WAIVED}))


def test_a_waived_failure_keeps_what_it_was_and_says_who_answers_for_it(tmp_path: Path) -> None:
    evaluation, notices = judged(tmp_path, [pe(1), pe(2, dsnro=256)], waiver())
    first, passing = evaluation.findings()
    assert (first.verdict, first.waiver) == (Verdict.WAIVED, {"verdict": "fail", **TOLD})
    assert (first.observed, first.desired, first.severity) == (32, 256, Severity.HIGH)
    assert first.fix is None
    assert (passing.verdict, passing.waiver, passing.lapsed_waiver) == (Verdict.PASS, None, None)
    assert notices == ()


def test_a_waived_failure_is_judged_and_is_no_drift(tmp_path: Path) -> None:
    evaluation, _ = judged(tmp_path, [pe(1), pe(2), pe(3, dsnro=256), pe(4, dsnro=None)], waiver(resource="*1"))
    summary = evaluation.summary()
    assert (summary.fail, summary.waived, summary.passed, summary.unknown) == (1, 1, 1, 1)
    assert summary.by_severity == {"high": 1}
    assert summary.coverage == 0.75


@pytest.mark.parametrize(
    ("also_unknown", "unknown", "waived_unknown"),
    [pytest.param(False, 1, 0, id="as a rule"), pytest.param(True, 0, 1, id="when it says so")],
)
def test_what_could_not_be_judged_is_waived_only_on_purpose_and_stays_unjudged(
    tmp_path: Path, also_unknown: bool, unknown: int, waived_unknown: int
) -> None:
    evaluation, _ = judged(tmp_path, [pe(1, dsnro=None), pe(2, dsnro=256)], waiver(also_unknown=also_unknown))
    summary = evaluation.summary()
    assert (summary.unknown, summary.waived, summary.waived_unknown) == (unknown, waived_unknown, waived_unknown)
    assert (summary.judged, summary.unjudged, summary.coverage) == (1, 1, 0.5)
    if also_unknown:
        (finding,) = evaluation.findings({Verdict.WAIVED})
        assert finding.waiver is not None
        assert (finding.waiver["verdict"], finding.missing) == ("unknown", ("dsnro",))


ROWS = [
    pe(1, host="esx-01", cluster="gold"),
    pe(2, host="esx-02", cluster="gold"),
    pe(3, host="esx-03", cluster="silver"),
    pe(4, host=None, cluster=None, endpoint="vc-west"),
]


@pytest.mark.parametrize(
    ("resources", "which"),
    [
        pytest.param({"resource": "naa.6f47acc200000003"}, "3", id="a resource by name"),
        pytest.param({"resource": "host-1/naa.*2"}, "2", id="a resource by a glob over ids"),
        pytest.param({"host": "esx-0[12]"}, "12", id="hosts by a glob"),
        pytest.param({"host": "esx-01 esx-03"}, "13", id="one of several hosts"),
        pytest.param({"cluster": "gold"}, "12", id="a cluster"),
        pytest.param({"cluster": "Gold"}, "12", id="a cluster in another case"),
        pytest.param({"endpoint": "vc-west"}, "4", id="an endpoint"),
        pytest.param({"endpoint": "vc-*"}, "1234", id="everything"),
        pytest.param({"cluster": "gold", "host": "esx-02 esx-03"}, "2", id="every selector has to fit"),
        pytest.param({"host": "*"}, "123", id="what has no host is on none"),
        pytest.param({"host": "esx"}, "", id="part of a name is not the name"),
    ],
)
def test_resources_are_chosen_by_name_and_glob(tmp_path: Path, resources: dict[str, Any], which: str) -> None:
    evaluation, _ = judged(tmp_path, ROWS, waiver(**resources))
    assert waived(evaluation) == list(which)


@pytest.mark.parametrize(
    ("endpoint", "which"),
    [
        pytest.param("4c4c4544-0043", "4", id="who it is"),
        pytest.param("4c4c*", "4", id="a glob over who it is"),
        pytest.param("64703", "1", id="one of several arrays behind a manager"),
        pytest.param("6470", "", id="part of an identity is not the identity"),
        pytest.param("vc-west", "4", id="its name"),
        pytest.param("vc-gone", "", id="neither"),
    ],
)
def test_an_endpoint_is_chosen_by_its_name_or_by_what_it_says_of_itself(tmp_path: Path, endpoint: str, which: str) -> None:
    rows = [pe(1, endpoint="sc"), pe(2, endpoint="vc-east"), pe(4, endpoint="vc-west")]
    connection = fleet(rows, folder=tmp_path, identities={"sc": "64702, 64703", "vc-east": None, "vc-west": "4c4c4544-0043"})
    evaluation, _ = waive(evaluate(connection, rules_from(tmp_path, SOUND)), Waivers(AT, entries=(waiver(endpoint=endpoint),)))
    assert waived(evaluation) == list(which)


@pytest.mark.parametrize(
    ("rule", "which"),
    [
        pytest.param("vvol/*", 2, id="a glob"),
        pytest.param("*", 4, id="all"),
        pytest.param("qos/limit", 2, id="one"),
        pytest.param("qos/*t?", 0, id="none"),
    ],
)
def test_rules_are_chosen_by_id_and_glob(tmp_path: Path, rule: str, which: int) -> None:
    texts = (SOUND, rule_text("qos/limit", holds="dsnro > 99"))
    evaluation, _ = judged(tmp_path, [pe(1), pe(2)], waiver(rule), texts=texts)
    assert evaluation.summary().waived == which


@pytest.mark.parametrize(
    ("until", "mistake", "why"),
    [
        pytest.param(AT, "", "expired at 2026-11-21T12:00:00Z", id="at its very end"),
        pytest.param(END, "owner is missing", "is malformed: owner is missing", id="malformed"),
        pytest.param(None, "expires is missing", "is malformed: expires is missing", id="without an end"),
    ],
)
def test_what_a_lapsed_waiver_was_for_counts_again_and_says_why(tmp_path: Path, until: datetime | None, mistake: str, why: str) -> None:
    evaluation, notices = judged(tmp_path, [pe(1), pe(2, dsnro=256)], waiver(until=until, mistake=mistake))
    (failure,) = evaluation.findings({Verdict.FAIL})
    assert failure.waiver is None
    assert failure.lapsed_waiver is not None
    assert (failure.lapsed_waiver["why"], failure.lapsed_waiver["owner"]) == (why, "storage team")
    assert failure.fix is not None
    assert notices == (f"w.yaml:2: the waiver of {HEADROOM} (storage team, CHG-1) {why}: one verdict that it covered counts again.",)
    assert evaluation.summary().fail == 1


def test_a_waiver_whose_selector_or_rule_cannot_be_read_is_for_nothing(tmp_path: Path) -> None:
    broken = Waiver("w.yaml:2", HEADROOM, {}, "o", "r", "t", END, mistake="unknown selector")
    nameless = Waiver("w.yaml:9", None, {"endpoint": ("*",)}, "o", "r", "t", END, mistake="rule is missing")
    evaluation, notices = judged(tmp_path, [pe(1)], broken, nameless)
    (failure,) = evaluation.findings()
    assert (failure.verdict, failure.lapsed_waiver) == (Verdict.FAIL, None)
    assert [text.split(":")[1] for text in notices] == ["2", "9"]


@pytest.mark.parametrize(
    ("rows", "waivers", "why"),
    [
        pytest.param([pe(1, dsnro=256)], [waiver()], "nothing it names fails", id="it passes"),
        pytest.param([pe(1)], [waiver(host="esx-99")], "nothing it names fails", id="nothing is called so"),
        pytest.param([pe(1, dsnro=None)], [waiver()], "could not be judged", id="it is unknown"),
        pytest.param(
            [pe(1)], [waiver(), waiver(where="w.yaml:9", host="esx-*")], "another one before it covers the same", id="a second one"
        ),
    ],
)
def test_a_waiver_that_waives_nothing_is_told_of(tmp_path: Path, rows: list[dict[str, Any]], waivers: list[Waiver], why: str) -> None:
    _, notices = judged(tmp_path, rows, *waivers)
    (text,) = notices
    assert text.startswith(f"{waivers[-1].where}: the waiver of {HEADROOM} (storage team, CHG-1) until 2027-04-01T00:00:00Z waives nothing")
    assert why in text


def test_a_waiver_of_a_rule_that_was_not_asked_is_not_called_idle(tmp_path: Path) -> None:
    assert judged(tmp_path, [pe(1)], waiver("qos/limit"))[1] == ()


def test_a_lapsed_waiver_of_a_rule_that_was_not_asked_is_not_said_to_name_nothing(tmp_path: Path) -> None:
    (text,) = judged(tmp_path, [pe(1)], waiver("qos/limit", until=AT))[1]
    assert text.endswith("expired at 2026-11-21T12:00:00Z: its rules did not judge in this run.")


@pytest.mark.parametrize(
    ("topic", "is_said"),
    [pytest.param("protocol_endpoints", True, id="what the rule judges"), pytest.param("tags", False, id="something else")],
)
def test_nobody_is_advised_to_remove_a_waiver_of_what_was_not_read(tmp_path: Path, topic: str, is_said: bool) -> None:
    connection = fleet([pe(1, dsnro=256)], folder=tmp_path, unread=[("vc-west", topic)])
    entries = (waiver(endpoint="vc-west"), waiver(endpoint="vc-west", until=AT, where="w.yaml:9"))
    _, (lapsed, idle) = waive(evaluate(connection, rules_from(tmp_path, SOUND)), Waivers(AT, entries=entries))
    assert [", and not everything was read that it rests on" in text for text in (lapsed, idle)] == [is_said, is_said]
    assert ("remove it" in idle) is not is_said


def test_the_first_part_of_a_name_is_that_of_one_host_among_all_hosts_and_not_among_those_that_fail(tmp_path: Path) -> None:
    names = ("esx-1.east", "esx-1.west", "esx-3.east")
    rows = [pe(number, host=name, dsnro=256 if name == "esx-1.west" else 32) for number, name in enumerate(names, 1)]
    connection = fleet(rows, folder=tmp_path)
    connection.executemany("INSERT INTO fact.host (endpoint, host_id, name) VALUES ('vc-east', ?, ?)", [[name, name] for name in names])
    entry = waiver(host="esx-1 esx-3")
    evaluation, _ = waive(evaluate(connection, rules_from(tmp_path / "rules", SOUND)), Waivers(AT, entries=(entry,)))
    assert waived(evaluation) == ["3"]


def test_the_first_waiver_that_is_in_force_counts(tmp_path: Path) -> None:
    evaluation, _ = judged(tmp_path, [pe(1)], waiver(until=AT, where="w.yaml:2"), waiver(where="w.yaml:9"), waiver(where="w.yaml:16"))
    (finding,) = evaluation.findings()
    assert finding.waiver is not None
    assert finding.waiver["where"] == "w.yaml:9"


def test_the_first_of_several_lapsed_waivers_is_pointed_to(tmp_path: Path) -> None:
    evaluation, notices = judged(tmp_path, [pe(1)], waiver(until=AT, where="w.yaml:2"), waiver(until=AT, where="w.yaml:9"))
    (failure,) = evaluation.findings()
    assert failure.lapsed_waiver is not None
    assert failure.lapsed_waiver["where"] == "w.yaml:2"
    assert [text.rpartition(": ")[2] for text in notices] == [
        "one verdict that it covered counts again.",
        "no failure that it names was found.",
    ]


def test_nothing_is_planned_for_what_is_waived_and_the_plan_says_so(tmp_path: Path) -> None:
    evaluation, _ = judged(tmp_path, [pe(1), pe(2), pe(3)], waiver(resource="*1 *2"))
    found = plan(evaluation)
    assert [change.resource.name[-1] for change in found.changes] == ["3"]
    assert found.left_alone == (LeftAlone(HEADROOM, 2, TOLD),)
    assert found.held == ()


def test_a_setting_that_is_waived_for_one_rule_is_not_changed_for_another(tmp_path: Path) -> None:
    other = changed(SOUND, (f"id: {HEADROOM}", "id: vvol/pe-wide"), ("class: online-caution", "class: online"))
    evaluation, _ = judged(tmp_path, [pe(1), pe(2)], waiver(resource="*1"), texts=(SOUND, other))
    found = plan(evaluation)
    assert [(change.resource.name[-1], change.rules) for change in found.changes] == [("2", (HEADROOM, "vvol/pe-wide"))]
    target = Target("vc-east", (("device", "naa.6f47acc200000001"), ("host_id", "host-1")))
    assert found.held == (Held("device.dsnro", target, ("vvol/pe-wide",), HEADROOM, TOLD),)


def test_waivers_are_told_of_a_saved_evaluation_as_of_a_fresh_one(tmp_path: Path) -> None:
    rows = [pe(1), pe(2), pe(3, dsnro=256), pe(4, dsnro=None)]
    lapsed = waiver(resource="*2", until=AT, where="w.yaml:9")
    evaluation, _ = judged(tmp_path, rows, waiver(resource="*1 *4", also_unknown=True), lapsed)
    evaluation.save(tmp_path / "findings.parquet")
    again = load_evaluation(tmp_path / "findings.parquet")
    assert list(again.findings()) == list(evaluation.findings())
    assert again.summary() == evaluation.summary()
    assert plan(again) == plan(evaluation)


@pytest.mark.parametrize(
    ("version", "later"),
    [
        pytest.param(1, "waiver, waived_from, retunes, touches, waits, message, impact, impact_rank", id="before there were waivers"),
        pytest.param(2, "retunes, touches, waits, message, impact, impact_rank", id="before there was the class retune"),
        pytest.param(3, "waits, message, impact, impact_rank", id="before fixes had an order"),
        pytest.param(4, "message, impact, impact_rank", id="before rules had messages"),
        pytest.param(5, "impact, impact_rank", id="before failures had an impact"),
    ],
)
def test_verdicts_saved_in_an_earlier_format_can_be_read(tmp_path: Path, version: int, later: str) -> None:
    import duckdb

    evaluation = evaluate(fleet([pe(1), pe(2, dsnro=256)], folder=tmp_path), rules_from(tmp_path, SOUND))
    evaluation.save(tmp_path / "new.parquet")
    with duckdb.connect() as connection:
        (about,) = connection.execute(
            "SELECT value FROM parquet_kv_metadata(?) WHERE key = 'auditor'", [str(tmp_path / "new.parquet")]
        ).fetchall()
        text = re.sub('"format": [0-9]+', f'"format": {version}', about[0].decode()).replace("'", "''")
        text = text.replace(', "waivers": []', "") if version == 1 else text
        without = f"SELECT * EXCLUDE ({later}) FROM '{tmp_path}/new.parquet'"
        connection.execute(f"COPY ({without}) TO '{tmp_path}/old.parquet' (FORMAT parquet, KV_METADATA {{auditor: '{text}'}})")
    assert list(load_evaluation(tmp_path / "old.parquet").findings()) == list(evaluation.findings())
