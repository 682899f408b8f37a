from pathlib import Path

import pytest

from auditor.authoring.examples import check_examples
from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.text import text_of
from auditor.errors import ConfigurationError, RuleError
from auditor.facts.catalog import view_columns
from auditor.model import Cure, Document, DocumentKind, FixClass, ImpactModel, ImpactScope, Lesson, Reproduction, Severity, Verdict
from tests.engine.bench import HEADROOM, REMEDIATORS, SOUND, VIEWS, changed, rule_text, rules_from, write_rule


def test_a_sound_rule_is_read_whole(tmp_path: Path) -> None:
    rule = rules_from(tmp_path, SOUND)[HEADROOM]
    assert rule.severity is Severity.HIGH
    assert rule.sources == (("Incident S0", "https://example.com/s0"),)
    assert rule.holds.columns == ("dsnro", "queue_depth", "deepest_disk_queue")
    assert rule.holds.params == ("headroom",)
    assert rule.columns == ("family", "per_object_qos", "dsnro", "queue_depth", "deepest_disk_queue", "host_id", "device")
    assert rule.fix is not None
    assert rule.fix.fix_class is FixClass.ONLINE_CAUTION
    assert [example.verdict for example in rule.examples] == [Verdict.PASS, Verdict.FAIL, Verdict.UNKNOWN, Verdict.NOT_APPLICABLE]
    assert text_of(rule).fix_text.splitlines()[0] == "device.dsnro: dsnro = least(256, queue_depth) (online-caution)"


def test_what_a_rule_says_of_its_impact_and_of_the_load_that_shows_it_is_read(tmp_path: Path) -> None:
    keys = "impact: {scope: device, cure: dsnro, value: 256}\nreproduction: {lesson: queue depth, endpoint_lesson: throttled neighbour}\n"
    rule = rules_from(tmp_path, changed(SOUND, ("lesson: All", f"{keys}lesson: All")))[HEADROOM]
    assert rule.impact == ImpactModel(ImpactScope.DEVICE, Cure.DSNRO, 256)
    assert rule.reproduction == Reproduction(Lesson.QUEUE_DEPTH, Lesson.THROTTLED_NEIGHBOUR)


def test_a_rule_may_say_why_nothing_counts_what_its_failures_cost(tmp_path: Path) -> None:
    rule = rules_from(tmp_path, changed(SOUND, ("lesson: All", "impact: {none: nothing counts it}\nlesson: All")))[HEADROOM]
    assert rule.impact == "nothing counts it"


def test_the_documents_of_a_rule_are_read_as_they_are_written(tmp_path: Path) -> None:
    documents = (
        "documents:\n  - {kind: vendor, title: Guide, section: page 43, quoted: true}\n  - {kind: stig, title: ESXi, number: ESXI-80-1}\n"
    )
    rule = rules_from(tmp_path, changed(SOUND, ("params:\n", f"{documents}params:\n")))[HEADROOM]
    assert text_of(rule).documents == (
        Document(DocumentKind.VENDOR, "Guide", None, "page 43", None, quoted=True),
        Document(DocumentKind.STIG, "ESXi", "ESXI-80-1"),
    )


def test_an_error_names_the_place_the_loss_and_what_to_do(tmp_path: Path) -> None:
    path = write_rule(tmp_path, changed(SOUND, ("holds: least(dsnro,", "holds: least(dsnr,")))
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path], VIEWS, REMEDIATORS)
    assert str(caught.value) == (
        f'error: {path}:12: \'holds\' names column "dsnr", which view protocol_endpoint does not have; did you mean "dsnro"?\n'
        "  why: nothing was judged: a rule set that loads in part reports a clean fleet in part.\n"
        "  do:  correct line 12, then run `auditor rules test vvol/pe-dsnro-headroom`."
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        pytest.param("severity: high", "severty: high", 3, 'unknown key "severty"; did you mean "severity"?', id="misspelt key"),
        pytest.param("severity: high", "severity: hihg", 3, 'there is no severity "hihg"; did you mean "high"?', id="unknown severity"),
        pytest.param("title: One", "title: A\ntitle: One", 3, 'key "title" stands here twice', id="key said twice"),
        pytest.param("id: vvol/pe", "id: vvols/pe", 1, 'the file\'s path says "vvol/pe-dsnro-headroom"', id="id is not the path"),
        pytest.param("over: protocol_endpoint", "over: protocol_endpoints", 5, 'did you mean "protocol_endpoint"?', id="unknown view"),
        pytest.param("over: protocol_endpoint\n", "", 1, '"over" is missing', id="no view"),
        pytest.param("lesson: All", "lesson: ' '\ntags2: All", 6, '"lesson" must be text', id="blank lesson"),
        pytest.param('  - {what: Incident S0, url: "https://example.com/s0"}', "  []", 7, "rumour", id="no source"),
        *(
            pytest.param("lesson: All", f"{keys}\nlesson: All", 6, words, id=f"a mistake in {keys}")
            for keys, words in (
                ("impact: {scope: devise, cure: dsnro}", 'there is no scope "devise"; did you mean "device"?'),
                ("impact: {scope: device, cure: dsnr0}", 'there is no cure "dsnr0"; did you mean "dsnro"?'),
                ("impact: {scope: device}", '"impact" must name its cure'),
                ("impact: {cure: dsnro}", '"impact" must say the scope of a failure, or under none why nothing counts what it costs'),
                ("impact: {scope: move, cure: dsnro}", '"impact" of a move has no cure'),
                (
                    "impact: {scope: pool, none: no figure}",
                    '"impact" must say the scope of a failure, or under none why nothing counts what it costs',
                ),
                ("impact: {none: no figure, cure: dsnro}", '"impact" has neither cure nor value where it says none'),
                ("impact: {scope: pool, cure: dsnro}", '"impact" of a pool has no cure'),
                ("impact: {scope: disk, cure: host_limit, value: 9}", '"impact" has a value only where the cure is dsnro or queue_depth'),
                ("impact: {scope: device, cure: dsnro, value: 0}", '"value" must be a whole number of commands, 1 or more'),
                ("reproduction: {lesson: queue deph}", 'there is no lesson "queue deph"; did you mean "queue depth"?'),
                ("reproduction: {endpoint_lesson: queue depth}", '"reproduction" must say the lesson that a load shows, or why_not'),
                ('reproduction: {lesson: queue depth, why_not: "no"}', '"reproduction" must say the lesson that a load shows, or why_not'),
                (
                    'reproduction: {endpoint_lesson: queue depth, why_not: "no"}',
                    '"reproduction" has an endpoint_lesson only beside a lesson',
                ),
            )
        ),
        pytest.param('url: "https://example.com/s0"', "url: see above", 8, '"see above" is not a URL', id="a URL that is none"),
        pytest.param(
            "params:\n",
            "documents: [{kind: vendor, title: A guide}]\nparams:\n",
            9,
            "nobody finds the place in it",
            id="a document as a whole",
        ),
        pytest.param(
            "params:\n",
            "documents: [{kind: stig, title: A STIG, section: s}]\nparams:\n",
            9,
            "has an id: write it",
            id="a control of no id",
        ),
        pytest.param(
            "params:\n",
            "documents: [{kind: blog, title: T, number: n}]\nparams:\n",
            9,
            'there is no kind "blog"',
            id="a kind of document that there is not",
        ),
        pytest.param(
            "params:\n",
            "documents: [{kind: vendor, title: T, number: n, url: page.md}]\nparams:\n",
            9,
            '"page.md" is not a URL',
            id="a document of ours",
        ),
        pytest.param("why: policy", "wy: policy", 10, 'unknown key "wy"; did you mean "why"?', id="misspelt key of a param"),
        pytest.param(
            "default: 4",
            "default: 4, bounds: {least: 8, most: 16, source: s}",
            10,
            "$headroom is 4, and may be 8 to 16 (s)",
            id="default too small",
        ),
        pytest.param(
            "default: 4", "default: 4, bounds: {most: 3, source: s}", 10, "$headroom is 4, and may be at most 3 (s)", id="default too large"
        ),
        pytest.param(
            "default: 4", "default: 4, bounds: {least: 1}", 10, "$headroom: bounds without a source are a rumour", id="bounds of nobody"
        ),
        pytest.param(
            "default: 4", "default: 4, bounds: {source: s}", 10, "$headroom: the bounds of a param are", id="bounds that bound nothing"
        ),
        pytest.param(
            "default: 4",
            "default: 4, bounds: {least: 1, open: o, source: s}",
            10,
            "$headroom: the bounds of a param are",
            id="bounds and none",
        ),
        pytest.param(
            "default: 4",
            "default: 4, bounds: {least: 9, most: 1, source: s}",
            10,
            "no number is 9 or more and at most 1",
            id="an empty range",
        ),
        pytest.param(
            "default: 4",
            "default: 4, bounds: {choices: familys, source: s}",
            10,
            'choices are a list, or the word "families"',
            id="no list",
        ),
        pytest.param("default: 4", "default: many, bounds: {least: 1, source: s}", 10, "a range bounds numbers", id="a range of words"),
        pytest.param(
            "default: 4", "default: 4, bounds: {last: 1, source: s}", 10, 'unknown key "last"; did you mean "least"?', id="misspelt bound"
        ),
        pytest.param("default: 4", "default: {}", 10, "the default of $headroom must be", id="param of no usable type"),
        pytest.param(
            "= $headroom * deep",
            "= $headrom * deep",
            12,
            '$headrom, which is not under params; did you mean "headroom"?',
            id="undefined param",
        ),
        pytest.param("headroom: {", "auditor_x: {", 10, "cannot be a param", id="a param named as the engine's own"),
        pytest.param("params:\n", "params:\n  spare: {default: 1, unit: u, why: w}\n", 10, "no expression names $spare", id="unused param"),
        pytest.param("holds: least", "holds: least least", 12, "'holds' does not parse", id="does not parse"),
        pytest.param(
            "desired: $headroom * deepest_disk_queue",
            "desired: $headroom * family || device",
            14,
            "refused by DuckDB",
            id="does not type-check",
        ),
        pytest.param(
            "observed: least(dsnro, queue_depth)",
            "observed: [dsnro]",
            13,
            "must be one SQL expression",
            id="a list where an expression is due",
        ),
        pytest.param(
            "holds: least(dsnro, queue_depth) >= ", "holds: ", 12, "'holds' must be true or false, and is INTEGER", id="holds is a number"
        ),
        pytest.param("family = 'solidfire'", "family = 4", 11, 'compares "family", which is text, with 4', id="text against a number"),
        pytest.param(
            "'solidfire' AND",
            "'solidfire' AND least(dsnro, queue_depth) > 1 AND",
            11,
            "uses least(), which turns a missing",
            id="NULL swallowed in applies",
        ),
        pytest.param("remediator: device.dsnro", "remediator: device.dsnr", 16, 'did you mean "device.dsnro"?', id="unknown remediator"),
        pytest.param("class: online-caution", "class: online-cautious", 20, 'did you mean "online-caution"?', id="unknown fix class"),
        pytest.param("class: online-caution", "class: retune", 20, "retune does not say what the change takes", id="retune alone"),
        pytest.param(
            "column: dsnro",
            "column: least(dsnro, 1)",
            18,
            'no column in view protocol_endpoint "least(dsnro, 1)"',
            id="fix.column is an expression",
        ),
        pytest.param("column: dsnro", "colum: dsnro", 18, 'unknown key "colum"', id="misspelt key of the fix"),
        pytest.param(
            "set: least(256, queue_depth)",
            "set: family",
            19,
            "\"dsnro\" is a whole number, and 'set' gives text; cast it",
            id="set of another type",
        ),
        pytest.param("set: least(256, queue_depth)", "when: dsnro", 19, "'fix.when' must be true or false", id="when is a number"),
        pytest.param("set: least(256, queue_depth)", "when: 'true'", 15, '"set" is missing', id="nothing to set"),
        pytest.param("reason: Room", "foretold: {dsnr: 1}\n  reason: Room", 21, 'did you mean "dsnro"?', id="foretold column unknown"),
        pytest.param(
            "{host_id: host_id,", "{host_id: hostid,", 17, "'fix.target.host_id' names column \"hostid\"", id="unknown column in a target"
        ),
        pytest.param("dsnro: 32, queue", "dsnr: 32, queue", 24, 'did you mean "dsnro"?', id="unknown column in an example"),
        pytest.param(
            "dsnro: 32, queue", "dsnro: '32', queue", 24, "\"dsnro\" is a whole number, and '32' is not", id="text in a number's column"
        ),
        pytest.param(
            "dsnro: 32, queue", "dsnro: true, queue", 24, '"dsnro" is a whole number, and True is not', id="truth in a number's column"
        ),
        pytest.param("name: as installed", "name: raised", 24, 'a second example is named "raised"', id="two examples of one name"),
        pytest.param("  unknown: [", "  unknwn: [", 25, 'unknown key "unknwn"; did you mean "unknown"?', id="misspelt kind of example"),
    ],
)
def test_a_mistake_in_a_rule_is_told_with_its_line(tmp_path: Path, old: str, new: str, line: int, words: str) -> None:
    path = tmp_path / f"{HEADROOM}.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(changed(SOUND, (old, new)), encoding="utf-8")
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path], VIEWS, REMEDIATORS)
    reported = [problem.strip() for problem in caught.value.what.split("\n")]
    assert any(problem.startswith(f"{path}:{line}: ") and words in problem for problem in reported), caught.value.what


def examples(*kinds: str) -> str:
    return "{" + ", ".join(f"{kind}: [{{name: {kind}, row: {{}}}}]" for kind in kinds) + "}"


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        pytest.param({"examples": examples("passes", "unknown")}, 'no example under "fails"', id="no failing example"),
        pytest.param({"examples": examples("fails", "unknown")}, 'no example under "passes"', id="no passing example"),
        pytest.param(
            {"examples": examples("passes", "fails", "unknown", "not_applicable")},
            'without "applies" no row is "not_applicable"',
            id="an example that cannot be",
        ),
        pytest.param({"by_hand": "~"}, 'neither "fix" nor "by_hand"', id="nothing to do about a failure"),
        pytest.param({"holds": "1 = 1"}, "names no column", id="holds says the same of every row"),
        pytest.param({"may_be_missing": "{dsnr: unread}"}, 'did you mean "dsnro"?', id="a column that may be missing and does not exist"),
        pytest.param({"may_be_missing": "{load: idle}"}, 'no expression names "load"', id="a column that may be missing and is not used"),
        pytest.param({"worse": "{dsnr: less}"}, 'did you mean "dsnro"?', id="a column that gets worse and does not exist"),
        pytest.param({"worse": "{dsnro: down}"}, '"down" is no way for dsnro to get worse: more or less', id="no way to get worse"),
        pytest.param({"worse": "{per_object_qos: less}"}, "true or false", id="a truth value that gets less"),
        pytest.param({"may_be_missing": "{dsnro: }"}, '"dsnro" is missing', id="may be missing without a reason"),
        pytest.param({"tags": "[1]"}, 'item 1 of "tags" must be text', id="a tag that is a number"),
        pytest.param({"params": "[headroom]"}, '"params" must be keys with values', id="params as a list"),
        pytest.param({"observed": "dsnro, queue_depth"}, "'observed' holds several expressions", id="two values to show"),
        pytest.param({"observed": "{a: 1}"}, '"observed" must be one SQL expression', id="observed as a mapping"),
        pytest.param({"observed": "\"{'a': dsnro}\""}, "must be a single value", id="observed is a structure"),
    ],
)
def test_a_rule_that_is_not_whole_is_refused(tmp_path: Path, keys: dict[str, str], words: str) -> None:
    with pytest.raises(RuleError) as caught:
        rules_from(tmp_path, rule_text("vvol/sample", **keys))
    assert words in caught.value.what


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("(SELECT count(*) FROM option) > 0", id="a subquery"),
        pytest.param("EXISTS (SELECT 1)", id="exists"),
        pytest.param("dsnro = ANY (SELECT 1)", id="any of a subquery"),
        pytest.param("count(*) > 0", id="an aggregate"),
        pytest.param("list(dsnro)[1] > 0", id="an aggregate that makes a list"),
        pytest.param("sum(dsnro) OVER () > 0", id="a window"),
        pytest.param("read_text('/etc/hostname') = ''", id="a table function"),
        pytest.param("dsnro > 0; DROP TABLE option", id="a second statement"),
        pytest.param("1) = 1 OR (dsnro", id="parentheses that close ours"),
        pytest.param("dsnro > 0 FROM option --", id="a FROM behind it"),
        pytest.param("dsnro > 0 AS x", id="a name for it"),
        pytest.param("dsnro, queue_depth", id="two expressions"),
        pytest.param("COLUMNS(*) > 0", id="every column"),
        pytest.param("protocol_endpoint.dsnro > 0", id="a column with its view"),
        pytest.param("dsnro > 0 AND family.starts_with('s')", id="a column hidden in a method call"),
        pytest.param("now() > booted", id="the clock"),
        pytest.param("current_date > DATE '2026-01-01'", id="today"),
        pytest.param("current_localtime() > TIME '10:00:00'", id="the local clock"),
        pytest.param("age(booted::TIMESTAMP) > INTERVAL 1 DAY", id="an age until today"),
        pytest.param("random() > 0.5", id="chance"),
        pytest.param("current_setting('threads') > dsnro", id="a setting"),
        pytest.param("getenv('HOME') = family", id="the environment"),
        pytest.param("getvariable('x') = family", id="a variable"),
        pytest.param("nextval('s') > 0", id="a sequence"),
        pytest.param("list_filter([dsnro], lambda x: x > 0)[1] > 0", id="a lambda"),
        pytest.param("dsnro > ?", id="a placeholder without a name"),
        pytest.param("dsnro > $1", id="a numbered placeholder"),
        pytest.param("#1 > 0", id="a column by its number"),
        pytest.param("'twelve'::INTEGER > dsnro", id="a constant that cannot be cast"),
        pytest.param("lenght(family) > 1", id="a misspelt function"),
        pytest.param("dsnro BETWEEN 1 AND 'many'", id="a number between text"),
        pytest.param("family IN (1, 2)", id="text in numbers"),
        pytest.param("per_object_qos = 'yes' OR family = true", id="text against truth"),
    ],
)
def test_only_a_scalar_expression_over_the_row_is_let_in(tmp_path: Path, expression: str) -> None:
    quoted = expression.replace("'", "''")
    with pytest.raises(RuleError, match="'holds'"):
        rules_from(tmp_path, rule_text("vvol/sample", holds=f"'{quoted}'"))


def test_every_mistake_of_every_file_is_told_at_once(tmp_path: Path) -> None:
    write_rule(tmp_path, rule_text("vvol/one", holds="dsnr > 0", observed="queue_dept"))
    write_rule(tmp_path, rule_text("vvol/two", severity="bad"))
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path], VIEWS, REMEDIATORS)
    assert len(caught.value.what.split("\n")) == 3
    assert "correct these 3 lines, then run `auditor rules test vvol/one`" in caught.value.do


def test_an_id_may_exist_in_one_directory_only(tmp_path: Path) -> None:
    write_rule(tmp_path / "shipped", SOUND)
    own = write_rule(tmp_path / "own", SOUND)
    with pytest.raises(RuleError) as caught:
        load_rules([tmp_path / "shipped", tmp_path / "own"], VIEWS, REMEDIATORS)
    assert caught.value.what.startswith(f'{own}:1: a second rule is called "{HEADROOM}"')


def test_rules_of_several_directories_come_in_the_order_of_their_ids(tmp_path: Path) -> None:
    write_rule(tmp_path / "shipped", SOUND)
    write_rule(tmp_path / "own", rule_text("local/one"))
    rules = load_rules([tmp_path / "shipped", tmp_path / "own"], VIEWS, REMEDIATORS)
    assert [rule.id for rule in rules] == ["local/one", HEADROOM]


@pytest.mark.parametrize(
    ("file", "words"),
    [
        pytest.param(None, "is not a directory of rules", id="no such directory"),
        pytest.param("README.md", "holds no rule", id="a directory without rules"),
        pytest.param("vvol/one.yml", "must end in .yaml", id="a file that would be passed over"),
        pytest.param("Vvol/One.yaml", "not TOPIC/NAME", id="capitals"),
        pytest.param("one.yaml", "not TOPIC/NAME", id="no topic"),
    ],
)
def test_a_directory_that_would_judge_less_than_it_seems_is_refused(tmp_path: Path, file: str | None, words: str) -> None:
    folder = tmp_path / "rules"
    if file is not None:
        path = folder / file
        path.parent.mkdir(parents=True)
        path.write_text(rule_text(file.removesuffix(".yaml")), encoding="utf-8")
    with pytest.raises(RuleError, match=words):
        load_rules([folder], VIEWS, REMEDIATORS)


def test_asking_for_a_rule_that_does_not_exist_offers_the_nearest(tmp_path: Path) -> None:
    rules = rules_from(tmp_path, SOUND, rule_text("local/one"))
    assert [rule.id for rule in rules.only(["local/one"])] == ["local/one"]
    with pytest.raises(ConfigurationError, match=f'"vvol/pe-dsnro-hedroom"; did you mean "{HEADROOM}"'):
        rules.only(["vvol/pe-dsnro-hedroom"])


def test_a_rule_of_few_lines_says_the_rest_itself(tmp_path: Path) -> None:
    path = tmp_path / "mine/short.yaml"
    path.parent.mkdir()
    path.write_text(
        """title: It is deep enough
over: protocol_endpoint
holds: dsnro >= $least AND queue_depth > 1
by_hand: Set it
params: {least: {default: 64, unit: commands, why: ours, policy: true, bounds: {least: 1, most: 99, source: ours}}}
examples:
  passes: [{row: {dsnro: 64, queue_depth: 9}}, {row: {dsnro: 65, queue_depth: 9}}]
  fails: [{row: {dsnro: 1, queue_depth: 9}}]
""",
        encoding="utf-8",
    )
    rule = load_rules([tmp_path], view_columns(), ())["mine/short"]
    assert (rule.id, rule.severity, rule.observed.text) == ("mine/short", Severity.MEDIUM, "dsnro")
    assert rule.desired.text == "'dsnro >= $least AND queue_depth > 1'"
    assert rule.desired.params == ()
    assert rule.sources == (("The author of this rule, who names no source", None),)
    assert rule.lesson == "Its author gave no reason."
    assert [one.name for one in rule.examples] == ["passes 1", "passes 2", "fails 1"]
    assert all(result.ok for result in check_examples(load_rules([tmp_path], view_columns(), ())))
