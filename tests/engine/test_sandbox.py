from pathlib import Path

import duckdb
import pytest

from auditor.engine.sandbox import sandbox


def test_temporary_tables_are_seen_by_no_other_and_gone_when_it_is_closed() -> None:
    with sandbox() as one, sandbox() as other:
        one.execute("CREATE TEMP TABLE example AS SELECT 1 AS dsnro")
        other.execute("CREATE TEMP TABLE example AS SELECT 2 AS dsnro")
        assert one.execute("FROM example").fetchall() == [(1,)]
    with sandbox() as later, pytest.raises(duckdb.CatalogException, match="example"):
        later.execute("FROM example")


def test_no_file_can_be_read_and_nothing_of_it_be_switched(tmp_path: Path) -> None:
    (tmp_path / "facts.csv").write_text("dsnro\n32\n", encoding="utf-8")
    with sandbox() as connection:
        with pytest.raises(duckdb.PermissionException, match="file system operations are disabled"):
            connection.execute(f"FROM read_csv('{tmp_path / 'facts.csv'}')")
        with pytest.raises(duckdb.InvalidInputException, match="locked"):
            connection.execute("SET enable_external_access = true")
