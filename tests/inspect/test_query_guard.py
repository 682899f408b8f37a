"""One SELECT may be asked, over views, facts and findings; anything else is refused with words."""

import pytest

from auditor.errors import ConfigurationError
from auditor.inspect.query_guard import question


@pytest.mark.parametrize(
    ("text", "views"),
    [
        pytest.param("SELECT host, dsnro FROM device", {"device": ("host", "dsnro")}, id="a view"),
        pytest.param("select * from HOST;", {"host": 14}, id="a star, in capitals, with a semicolon"),
        pytest.param("FROM device SELECT dsnro", {"device": ("dsnro",)}, id="FROM first"),
        pytest.param("WITH d AS (SELECT host FROM device) SELECT count(*) FROM d", {"device": ("host",)}, id="a CTE"),
        pytest.param("SELECT 1 FROM fact.path AS p JOIN fact.hba USING (hba)", {}, id="fact tables"),
        pytest.param("SELECT rule FROM finding", {}, id="findings"),
        pytest.param("SELECT d.dsnro FROM device d UNION SELECT p.dsnro FROM protocol_endpoint p", 2, id="a union"),
        pytest.param("SELECT unnest(range(3)), now(), sum(1) OVER () FROM range(2)", {}, id="functions"),
        pytest.param(
            "SELECT (SELECT max(dsnro) FROM device), CASE WHEN true THEN 1 END, 'INSTALL httpfs'", {"device": ("dsnro",)}, id="a word"
        ),
        pytest.param("WITH RECURSIVE r AS (SELECT 1 a UNION ALL SELECT a + 1 FROM r WHERE a < 3) SELECT * FROM r", {}, id="recursion"),
    ],
)
def test_this_may_be_asked(text: str, views: object) -> None:
    found = question(text, findings=True).views
    if isinstance(views, int):
        assert len(found) == views
    elif views == {"host": 14}:
        assert "iscsi_max_io_size_kb" in found["host"]
    else:
        assert found == views


@pytest.mark.parametrize(
    "text",
    [
        "INSTALL httpfs",
        "LOAD httpfs",
        "ATTACH 'x.db'",
        "ATTACH ':memory:' AS x",
        "COPY (SELECT 1) TO 'x.csv'",
        "COPY device TO 'x.parquet'",
        "EXPORT DATABASE 'x'",
        "PRAGMA version",
        "PRAGMA database_list",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "CALL duckdb_tables()",
        "CREATE TABLE x AS SELECT 1",
        "CREATE SECRET x (TYPE s3)",
        "INSERT INTO device SELECT * FROM device",
        "UPDATE device SET dsnro = 1",
        "DELETE FROM fact.host",
        "DROP VIEW device",
        "CHECKPOINT",
        "USE fact",
        "EXPLAIN ANALYZE SELECT 1",
        "WITH x AS (DELETE FROM fact.host RETURNING *) SELECT * FROM x",
        "WITH x AS (INSERT INTO fact.host (name) VALUES ('x') RETURNING *) SELECT * FROM x",
        "SHOW TABLES",
        "DESCRIBE device",
        "SELECT * FROM (DESCRIBE device)",
        "SELECT * FROM (SUMMARIZE device)",
        "SELECT 1; SELECT 2",
        "SELECT 1; COPY device TO 'x'",
        "",
        "-- nothing",
        "SELEKT 1",
        "SELECT * FROM 'x.csv'",
        'SELECT * FROM "x.parquet"',
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_parquet('x')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('device')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM enable_logging('QueryLog')",
        "SELECT * FROM checkpoint()",
        "SELECT * FROM device, LATERAL (SELECT * FROM read_csv('/etc/passwd'))",
        "SELECT (SELECT content FROM read_text('/etc/passwd'))",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM pg_catalog.pg_class",
        "SELECT * FROM system.main.duckdb_columns",
        "SELECT * FROM step_array",
        "SELECT * FROM fact.nothing",
        "SELECT current_setting('temp_directory')",
        "SELECT getenv('HOME')",
        "SELECT getvariable('x')",
        "SELECT write_log('x')",
        "SELECT sleep_ms(1)",
        "SELECT nothing_like_that(1)",
        "SELECT $1",
        "SELECT * FROM device WHERE dsnro = ?",
        "SELECT * FROM device AT (VERSION => 1)",
    ],
)
def test_this_may_not(text: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        question(text, findings=True)
    assert refused.value.what.startswith("the query ")
    assert refused.value.why
    assert refused.value.do


def test_there_are_no_findings_in_a_snapshot() -> None:
    with pytest.raises(ConfigurationError, match='names view "finding"'):
        question("SELECT * FROM finding", findings=False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("SELECT 1 FROM devcie", 'did you mean "device"?', id="a view"),
        pytest.param("SELECT 1 FROM fact.pth", 'did you mean "path"?', id="a fact"),
        pytest.param("SELECT 1 FROM path", "did you mean fact.path?", id="a fact without its schema"),
        pytest.param("SELECT 1 FROM read_csv('x')", "reads from read_csv(), which is not a view", id="a file"),
        pytest.param("SELECT lowr(host) FROM device", 'did you mean "lower"?', id="a function"),
    ],
)
def test_a_name_that_is_not_there_gets_words_and_the_nearest(text: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        question(text, findings=False)
    assert words in refused.value.what


def test_a_slip_of_the_pen_is_told_in_a_sentence() -> None:
    with pytest.raises(ConfigurationError) as refused:
        question("SELEC 1", findings=False)
    assert refused.value.what == 'the query cannot be read: syntax error at or near "SELEC"'
