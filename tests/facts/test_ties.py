"""What a view tells does not depend on which of several equals is met first."""

import pytest
from sqlglot import exp, parse_one

from auditor.authoring.view_files import view_files

UNTIED = {
    "step_curve_cost": "a curve names each size once, and a volume has one curve",
    "step_declared": "rows have one number each",
    "shared_device": "a majority is more than half of the hosts: nothing else comes up to it",
    "driver_queue": "likewise",
    "host_queue_full": "likewise",
    "step_nfs_server": "rows have one number each, and a datastore has one row for each depth of its path",
}
"""Views in which no two rows can be equal in what the answer is chosen by, and why not."""


CHOOSING = {name: file.sql for name, file in view_files().items() if "arg_m" in file.sql}


@pytest.mark.parametrize("view", CHOOSING)
def test_what_is_chosen_by_a_number_is_chosen_by_its_name_among_equals(view: str) -> None:
    chosen = list(parse_one(CHOOSING[view], dialect="duckdb").find_all(exp.ArgMax, exp.ArgMin))
    assert chosen
    if view in UNTIED:
        return
    for one in chosen:
        assert isinstance(one.expression, exp.Tuple), one.sql("duckdb")
        named = {column.name for column in one.this.find_all(exp.Column)}
        assert named <= {column.name for column in one.expression.find_all(exp.Column)}, one.sql("duckdb")


def test_no_exception_is_older_than_its_view() -> None:
    assert CHOOSING.keys() >= UNTIED.keys()
