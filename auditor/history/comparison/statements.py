"""The statements that compare the verdicts of two runs; all work is done by DuckDB, in memory that is limited.

* `listed_before`, `listed_after` have the endpoints of each run; both runs know an endpoint by one key, whatever its name.
* `rule_before`, `rule_after` have the rules; a rule that ranges over another view now has two keys.
* `unread_before`, `unread_after` have what was not read of an endpoint (key) or a host of it; a topic that is NULL is every topic.
  `is_only_here`: the other run did read it.
* `measured` has which values of a rule are measured, "observed" or "desired": they are others in each run, and that is no change.
* `rule_topic` has the topics that a rule's rows rest on.
"""

from __future__ import annotations

from collections.abc import Sequence

FAILED, UNKNOWN, WAIVED, PASSED, NOT_APPLICABLE = range(5)
"""How `was` and `now` have a verdict, worst first; what would be unknown without its waiver is unknown. NULL: there is none."""

TABLES = """
CREATE TABLE listed_before (name VARCHAR, key VARCHAR, kind VARCHAR);
CREATE TABLE listed_after (name VARCHAR, key VARCHAR, kind VARCHAR);
CREATE TABLE rule_before (rule VARCHAR, key VARCHAR, is_shared BOOLEAN);
CREATE TABLE rule_after (rule VARCHAR, key VARCHAR, is_shared BOOLEAN);
CREATE TABLE measured (key VARCHAR, value VARCHAR);
CREATE TABLE rule_topic (key VARCHAR, topic VARCHAR);
CREATE TABLE unread_before (key VARCHAR, host VARCHAR, topic VARCHAR, kind VARCHAR, is_only_here BOOLEAN);
CREATE TABLE unread_after (key VARCHAR, host VARCHAR, topic VARCHAR, kind VARCHAR, is_only_here BOOLEAN);
"""

_STATE = f"""CASE v.verdict WHEN 'fail' THEN {FAILED} WHEN 'unknown' THEN {UNKNOWN} WHEN 'pass' THEN {PASSED}
    WHEN 'not_applicable' THEN {NOT_APPLICABLE} ELSE CASE WHEN v.waived_from = 'unknown' THEN {UNKNOWN} ELSE {WAIVED} END END"""
ENDPOINT_KEY = "coalesce(e.key, 'named ' || v.endpoint, '')"


def verdicts_sql(store: str, side: str, verdicts: str = "") -> str:
    """A SELECT of the verdicts of one side ("before" or "after"), by keys that both sides share; `verdicts`: only of these words."""
    only = f"\nWHERE v.verdict IN ({verdicts})" if verdicts else ""
    return f"""SELECT r.key AS rule, {ENDPOINT_KEY} AS endpoint, v.resource_id AS id, {_STATE} AS state,
    v.host, v.cluster, v.resource_name, CAST(v.severity AS VARCHAR) AS severity, v.observed, v.desired
FROM {store}.verdict AS v
JOIN rule_{side} AS r ON r.rule = CAST(v.rule AS VARCHAR)
LEFT JOIN listed_{side} AS e ON e.name = v.endpoint{only}"""


def candidates_sql(before: str, after: str) -> str:
    """Makes `candidate`, and of each what both runs say: `was` and `now`."""
    place = ", ".join(f"any_value({column}) AS {column}" for column in ("host", "cluster", "resource_name", "severity"))
    worst = f"min(state) AS state, {place}, min_by(observed, state) AS observed, min_by(desired, state) AS desired"
    of = "SELECT rule, endpoint, id, {worst} FROM ({verdicts}) SEMI JOIN candidate USING (rule, endpoint, id) GROUP BY ALL"
    return f"""
CREATE TABLE candidate AS
SELECT rule, endpoint, id FROM ({verdicts_sql(before, "before", "'fail'")})
UNION
SELECT rule, endpoint, id FROM ({verdicts_sql(after, "after", "'fail', 'unknown', 'waived'")}) WHERE state IN ({FAILED}, {UNKNOWN});
CREATE TABLE was AS {of.format(worst=worst, verdicts=verdicts_sql(before, "before"))};
CREATE TABLE now AS {of.format(worst=worst, verdicts=verdicts_sql(after, "after"))};
"""


def _is_unread(side: str) -> str:
    """Whether the run of that side may not have `c` because it did not read what its rule rests on.

    Another endpoint, of another kind, counts where only this run did not read it: an array that is away takes rows of a vCenter with it.
    So does any host, for what is of no single host: a device that several hosts see, a port of an array.
    """
    here = f"SELECT 1 FROM unread_{side} AS u WHERE u.key = c.endpoint"
    by_topic = f"SELECT 1 FROM unread_{side} AS u JOIN rule_topic AS t ON t.topic = u.topic WHERE t.key = c.rule"
    return f"""(EXISTS ({here} AND u.topic IS NULL)
    OR EXISTS ({by_topic} AND u.key = c.endpoint AND u.host IS NULL)
    OR EXISTS ({by_topic} AND u.key = c.endpoint AND u.host = c.host)
    OR (c.host IS NULL AND EXISTS ({by_topic} AND u.is_only_here AND u.host IS NOT NULL
        AND (u.key = c.endpoint OR u.kind <> c.endpoint_kind)))
    OR EXISTS ({by_topic} AND u.is_only_here AND u.host IS NULL AND u.kind <> c.endpoint_kind))"""


BOTH_RUNS = """
CREATE TABLE both_runs AS
SELECT c.rule, c.endpoint, c.id, coalesce(now.host, was.host) AS host, coalesce(now.cluster, was.cluster) AS cluster,
    coalesce(now.resource_name, was.resource_name) AS resource_name, coalesce(now.severity, was.severity) AS severity,
    was.state AS was, now.state AS now, r.is_shared,
    (was.observed IS DISTINCT FROM now.observed AND c.rule NOT IN (SELECT key FROM measured WHERE value = 'observed'))
        OR (was.desired IS DISTINCT FROM now.desired AND c.rule NOT IN (SELECT key FROM measured WHERE value = 'desired')) AS differs,
    k.kind AS endpoint_kind
FROM candidate AS c
LEFT JOIN was USING (rule, endpoint, id)
LEFT JOIN now USING (rule, endpoint, id)
LEFT JOIN (SELECT DISTINCT key, is_shared FROM (FROM rule_before UNION ALL FROM rule_after)) AS r ON r.key = c.rule
LEFT JOIN (SELECT key, any_value(kind) AS kind FROM (FROM listed_before UNION ALL FROM listed_after) GROUP BY ALL) AS k
    ON k.key = c.endpoint
WHERE $same_scope OR (was.state IS NOT NULL AND now.state IS NOT NULL)
    OR ($same_options AND c.endpoint IN (SELECT key FROM listed_before) AND c.endpoint IN (SELECT key FROM listed_after))"""
IN_ONE_RUN = (
    "SELECT coalesce(bool_or(was IS NULL AND is_shared), false), coalesce(bool_or(now IS NULL AND is_shared), false) FROM both_runs"
)
"""Whether anything is in the later run only, and in the earlier only."""


def changes_sql(*, only_after: bool, only_before: bool) -> str:
    """Makes `change` of `both_runs`; the arguments are what IN_ONE_RUN answers.

    To see whether a run lacks a row because it did not read it is most of the work, so it is only done where there is such a row.
    """
    unread_before = _is_unread("before") if only_after else "false"
    unread_after = _is_unread("after") if only_before else "false"
    return f"""CREATE TABLE change AS
SELECT rule, endpoint, id, was, now, is_shared, kind, host, cluster, resource_name, severity, CAST(NULL AS VARCHAR) AS back_from FROM (
    SELECT *,
        CASE
            WHEN was = {FAILED} AND now = {FAILED} THEN CASE WHEN differs THEN 'changed' END
            WHEN now = {FAILED} AND was = {UNKNOWN} THEN 'newly-judged'
            WHEN now = {FAILED} AND was IS NULL AND is_shared AND {unread_before} THEN 'newly-judged'
            WHEN now = {FAILED} THEN 'new'
            WHEN now = {UNKNOWN} AND was <> {UNKNOWN} THEN 'newly-unknown'
            WHEN was = {FAILED} AND now = {PASSED} THEN 'fixed'
            WHEN was = {FAILED} AND now = {WAIVED} THEN 'newly-waived'
            WHEN was = {FAILED} AND now IS NULL AND is_shared AND {unread_after} THEN 'no-longer-read'
            WHEN was = {FAILED} THEN 'gone'
        END AS kind
    FROM both_runs AS c
)
WHERE kind IS NOT NULL"""


CLEAR = "DROP TABLE candidate; DROP TABLE was; DROP TABLE now; DROP TABLE both_runs;"
EARLIER = """
CREATE TABLE line AS
SELECT rule, endpoint, id, CASE WHEN was = 3 THEN 0 END AS passed_in, CAST(NULL AS INTEGER) AS failed_in
FROM change WHERE kind = 'new' AND is_shared;
CREATE TABLE listed_earlier (name VARCHAR, key VARCHAR);
"""
"""Follows new failures back. `passed_in` is the newest run that saw it pass, by its number from the newest; 0 is the earlier one of the two
that are compared. `failed_in` is the newest run before that which saw it fail."""
STEP = f"""UPDATE line SET
    failed_in = CASE WHEN seen.failed AND passed_in IS NOT NULL THEN $number END,
    passed_in = coalesce(passed_in, CASE WHEN seen.passed THEN $number END)
FROM (
    SELECT v.rule, {ENDPOINT_KEY} AS endpoint, v.resource_id AS id,
        bool_or(v.verdict = 'fail') AS failed, bool_or(v.verdict = 'pass') AS passed
    FROM read_parquet($path) AS v LEFT JOIN listed_earlier AS e ON e.name = v.endpoint
    WHERE v.verdict IN ('fail', 'pass') AND list_contains($rules, v.rule)
    GROUP BY ALL
) AS seen
WHERE line.failed_in IS NULL AND line.rule = seen.rule AND line.endpoint = seen.endpoint AND line.id = seen.id"""
"""One run further back. Its `read_parquet` needs no more columns than every format has."""
OPEN_RULES = "SELECT DISTINCT rule FROM line WHERE failed_in IS NULL"
CAME_BACK = """UPDATE change SET kind = 'came-back', back_from = $runs[line.failed_in]
FROM line
WHERE line.rule = change.rule AND line.endpoint = change.endpoint AND line.id = change.id AND line.failed_in IS NOT NULL"""


def ordered_sql(kinds: str, severities: str) -> str:
    """Makes `ordered` of `change`: each with its number from 1, by kind, severity, rule and place."""
    place = ", ".join(f"{column} NULLS FIRST" for column in ("rule", "endpoint", "cluster", "host", "resource_name", "id"))
    order = f"list_position([{kinds}], kind), list_position([{severities}], severity), {place}"
    return f"""CREATE TABLE ordered AS
SELECT row_number() OVER (ORDER BY {order}) AS number, rule, endpoint, id, was, now, is_shared, kind, back_from FROM change;
DROP TABLE change;"""


def listing_sql(before: str, after: str, columns: Sequence[str]) -> str:
    """A SELECT of the changes with numbers above $above and up to $upto, in order.

    It has kind, was, now, is_shared and back_from, then number and `columns` of the finding before, and of that after. To sort all with
    their evidence would take more memory than there is.
    """
    stored = ", ".join(f"v.{column}" for column in columns)

    def of(store: str, side: str) -> str:
        return f"""SELECT c.number, {stored} FROM {store}.verdict AS v
    JOIN rule_{side} AS r ON r.rule = CAST(v.rule AS VARCHAR)
    LEFT JOIN listed_{side} AS e ON e.name = v.endpoint
    JOIN part AS c ON c.rule = r.key AND c.id = v.resource_id AND c.endpoint = {ENDPOINT_KEY}"""

    of_before, of_after = (", ".join(f"{side}.{column}" for column in columns) for side in ("b", "a"))
    return f"""WITH part AS MATERIALIZED (SELECT * FROM ordered WHERE number > $above AND number <= $upto),
before AS MATERIALIZED ({of(before, "before")}), after AS MATERIALIZED ({of(after, "after")})
SELECT c.kind, c.was, c.now, c.is_shared, c.back_from, b.number, {of_before}, a.number, {of_after}
FROM part AS c LEFT JOIN before AS b ON b.number = c.number LEFT JOIN after AS a ON a.number = c.number
ORDER BY c.number"""
