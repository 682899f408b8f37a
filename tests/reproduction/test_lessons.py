"""Every rule has a lesson that load can show, or a reason why none does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from auditor.engine.rules.checked import checked_rules
from auditor.model import Fix, FixClass, Lesson, Outcome, Reproduction
from auditor.reproduction import lessons
from auditor.reproduction.files import files_of
from auditor.reproduction.lessons import lesson_of, why_not
from auditor.reproduction.neighbours import shared_by
from auditor.reproduction.situation import situation_of
from tests.report import samples
from tests.report.test_explanation import IMPACT

RULES = {rule_id: checked.rule for rule_id, checked in checked_rules().items()}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_shipped_rule_has_a_lesson_or_a_reason(rule: str) -> None:
    reproduction = RULES[rule].reproduction
    if lesson_of(reproduction, replace(samples.pe_finding(), rule=rule)) is None:
        assert why_not(reproduction) != lessons._UNKNOWN_RULE


def test_nothing_is_said_of_a_rule_that_does_not_say_it() -> None:
    finding = replace(samples.pe_finding(), rule="mine/own")
    assert lesson_of(None, finding) is None
    assert why_not(None) == lessons._UNKNOWN_RULE


def test_a_rule_of_somebody_s_own_says_which_load_shows_it_or_why_none_does() -> None:
    finding = replace(samples.pe_finding(), rule="mine/own")
    assert lesson_of(Reproduction(Lesson.OFFLOAD), finding) is Lesson.OFFLOAD
    assert why_not(Reproduction(why_not="nobody may.")) == "nobody may."


@pytest.mark.parametrize(
    ("is_endpoint", "lesson"), [(True, Lesson.THROTTLED_NEIGHBOUR), (False, Lesson.QUEUE_DEPTH), (None, Lesson.QUEUE_DEPTH)]
)
def test_a_raised_queue_is_shown_by_what_shares_it(is_endpoint: bool | None, lesson: Lesson) -> None:
    found = replace(samples.pe_finding(), evidence={"is_protocol_endpoint": is_endpoint})
    assert lesson_of(RULES["queue/raise-both"].reproduction, found) is lesson


def test_the_guard_notes_name_machine_datastore_load_time_stop_and_whom_to_ask() -> None:
    evidence = {"host_names": "esx-01, esx-02", "array_name": "sf-01", "device": "naa.6f47"}
    finding = replace(samples.pe_finding("esx-01"), evidence=evidence)
    about = situation_of("0123456789ab", finding, Lesson.THROTTLED_NEIGHBOUR, ["ds-1"], ["vm-1 Hard disk 1", "vm-2 Hard disk 1"])
    text = " ".join(files_of(about, "/mnt/test", "device.dsnro: dsnro = 256 (online-caution)\nBy hand: ask.", "a-run")["README.md"].split())
    for part in (
        "two test machines",
        "**Datastore**: one of `ds-1`.",
        "at most 100 MiB/s",
        "**Time**: 2 minutes at most",
        "`vm-1 Hard disk 1`, `vm-2 Hard disk 1`",
        "the hosts `esx-01`, `esx-02`, for the array `sf-01`",
        "Ctrl-C in NOISY",
        "`device.dsnro` from `32` to `256`",
        "By hand: ask.",
        "300 to 400 ms",
    ):
        assert part in text, part
    assert "dsnro = 256" not in text  # an expression of the rule is no cure that a person reads


def test_what_was_not_read_is_said_to_be_unknown() -> None:
    finding = replace(samples.pe_finding("esx-01"), evidence={}, fix=None)
    about = situation_of("0123456789ab", finding, Lesson.THROTTLED_NEIGHBOUR)
    text = " ".join(files_of(about, "/mnt/test", "", "a-run")["README.md"].split())
    assert "**Datastore**: one of not read: find out before you start." in text
    assert "were not read: assume all of the datastore" in text
    assert "The rule does not say; see its page." in text


def test_what_the_model_expects_stands_in_the_notes_where_it_was_computed() -> None:
    finding = replace(samples.pe_finding("esx-01"), impact={"not_computed": "the depth was not read"})
    about = situation_of("0123456789ab", finding, Lesson.THROTTLED_NEIGHBOUR)
    assert "queueing model" not in files_of(about, "/mnt/test", "", "a-run")["README.md"]
    modelled = replace(about, finding=replace(about.finding, impact=IMPACT))
    text = " ".join(files_of(modelled, "/mnt/test", "", "a-run")["README.md"].split())
    assert "the queueing model says: quiet Hard disk 1 takes 250 to 410 ms behind noisy Hard disk 1; after the fix 1 to 2 ms" in text


def test_a_fix_that_nothing_can_write_leaves_the_words_of_the_rule() -> None:
    by_hand = Fix(None, FixClass.MANUAL, None, None, Outcome.BY_HAND)
    about = situation_of("0123456789ab", samples.pe_finding(fix=by_hand), Lesson.THROTTLED_NEIGHBOUR)
    assert "\n\nAsk the storage team.\n\n" in files_of(about, "/mnt/test", "Ask the storage team.", "a-run")["README.md"]


def test_disks_behind_a_protocol_endpoint_are_those_of_its_array_that_run() -> None:
    rows = {
        "array_volume": [],
        "virtual_disk": [],
        "vvol_disk": [
            {"resource_name": "vm-1 Hard disk 1", "datastore": "vvol-a", "runs": True},
            {"resource_name": "vm-2 Hard disk 1", "datastore": "vvol-b", "runs": False},
            {"resource_name": "vm-3 Hard disk 1", "datastore": "vvol-b", "runs": True},
        ],
    }
    asked = []

    def ask(view: str, wanted: object) -> list[dict[str, object]]:
        asked.append((view, wanted))
        return rows[view]

    finding = replace(samples.pe_finding("esx-1"), evidence={"array_name": "sf-01"})
    assert shared_by(finding, ask) == (("vvol-a", "vvol-b"), ("vm-1 Hard disk 1", "vm-3 Hard disk 1"))
    assert ("vvol_disk", {"endpoint": "vc-east", "host": "esx-1", "array_name": "sf-01"}) in asked


def test_a_finding_that_is_about_no_single_device_asks_nothing() -> None:
    assert shared_by(samples.sioc_finding(), lambda _view, _wanted: pytest.fail("asked")) == ((), ())
