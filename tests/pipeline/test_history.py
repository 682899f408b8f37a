"""Rules about the past are judged where something of the past is read, and nothing else changes with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auditor.audit import AuditRequest, collect
from auditor.errors import ConfigurationError
from auditor.facts.needs import needs
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.facts.tables.history import TOPIC
from auditor.model import Span
from auditor.pipeline.policy import history_notices, load_policy, load_rule_set, needs_of_history, rules_of_now
from auditor_lab.scenario import parse_scenario
from auditor_lab.serving import serve
from tests.endpoints.vcenter.collect.test_history import FLEET

PAST = {"day/clock-time", "day/collapse", "day/job-schedule", "day/move-held-back", "day/restarts"}
SPAN = Span(datetime(2026, 11, 25, 1, tzinfo=UTC), datetime(2026, 11, 25, 3, tzinfo=UTC))


def test_rules_of_the_past_are_left_out_where_nothing_of_it_is_read() -> None:
    whole = load_rule_set()
    kept, notices = rules_of_now(whole)
    assert {rule.id for rule in whole} - {rule.id for rule in kept} == PAST
    assert notices == ("5 rules judge counters of the past, which are read with --history 24h.",)
    policy = load_policy(None)
    assert not PAST & set(policy.rules.rules)
    assert notices[0] in policy.notices
    with_it = load_policy(None, has_history=True)
    assert set(with_it.rules.rules) >= PAST
    assert notices[0] not in with_it.notices


@pytest.mark.parametrize("only", [["day/collapse"], ["day/*"], ["day/collapse", "sioc/*"]])
def test_a_rule_of_the_past_that_is_asked_for_without_it_is_an_error(only: list[str]) -> None:
    with pytest.raises(ConfigurationError, match="judges counters of the past, and none are read"):
        load_policy(None, only=only)
    assert load_policy(None, only=only, has_history=True).rules.rules


def test_one_rule_is_said_as_one() -> None:
    assert rules_of_now(load_rule_set(only=["day/collapse", "sioc/*"]))[1] == (
        "1 rule judges counters of the past, which are read with --history 24h.",
    )


def test_without_a_span_nothing_more_is_needed_or_said() -> None:
    assert needs_of_history(None) == needs(())
    assert history_notices(None) == ()


def test_with_a_span_every_fact_of_it_is_needed_and_the_report_names_it() -> None:
    found = needs_of_history(SPAN)
    assert found.topics == {TOPIC, "hosts", "vms"}
    assert ("load_history", "latency_ms") in found.facts
    assert ("statistics_interval", "level") in found.facts
    assert history_notices(SPAN) == ("Counters of the past were read from 2026-11-25 01:00 to 2026-11-25 03:00 UTC.",)


def test_a_saved_snapshot_is_not_asked_for_its_past() -> None:
    with pytest.raises(ConfigurationError, match="history do not go with a saved snapshot"):
        AuditRequest(snapshot=Path("saved"), history=SPAN)


@pytest.mark.long
def test_a_fleet_is_collected_with_its_past_and_the_snapshot_holds_it(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    with serve(parse_scenario(FLEET, "day")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        request = AuditRequest(fleet=tmp_path / "fleet.yaml", history=Span(now - timedelta(hours=3), now))
        collect(request, tmp_path / "with", needs([("host", "name")]))
        collect(AuditRequest(fleet=tmp_path / "fleet.yaml"), tmp_path / "without", needs([("host", "name")]))
    found = {}
    for name in ("with", "without"):
        snapshot = load_snapshot(tmp_path / name)
        [(rows,)] = snapshot.connection.execute("SELECT count(*) FROM fact.load_history").fetchall()
        found[name] = (rows > 0, TOPIC in snapshot.asked.topics, snapshot.gaps)
    assert found == {"with": (True, True, ()), "without": (False, False, ())}
