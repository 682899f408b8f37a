"""Answers in XML and JSON in one form, and how a command ended; XML that was made to do harm is refused."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.answer_limits import UnusableAnswerError
from auditor.endpoints.dothill.answers import decoded, status_of

# The form of sodafoundation/delfin, tests of hpe_msa: `COMP` in front of an object says what it is a part of (G) and its own number (P).
FLAT = b"""
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<RESPONSE VERSION="L100" REQUEST="show host-groups">
<COMP G="0" P="1"/>
<OBJECT basetype="host-group" name="host-group" oid="1" format="rows"><PROPERTY name="name">HostGroup1</PROPERTY></OBJECT>
<COMP G="1" P="2"/>
<OBJECT basetype="host" name="host" oid="2"><PROPERTY name="name" >Host1 &amp; more</PROPERTY></OBJECT>
<COMP G="2" P="3"/>
<OBJECT basetype="initiator" name="initiator"><PROPERTY name="id">10000090fa13870e</PROPERTY></OBJECT>
<COMP G="0" P="4"/>
<OBJECT basetype="host-group"><PROPERTY name="name"></PROPERTY></OBJECT>
</RESPONSE>
"""
TREE = {
    "host-group": [
        {
            "object-name": "host-group",
            "name": "HostGroup1",
            "host": [
                {
                    "object-name": "host",
                    "name": "Host1 & more",
                    "initiator": [{"object-name": "initiator", "id": "10000090fa13870e"}],
                }
            ],
        },
        {"object-name": "", "name": ""},
    ]
}
# The form that enix/hpmsa_exporter reads: objects stand in each other.
NESTED = b"""<RESPONSE><OBJECT basetype="pool-statistics" name="pool-statistics"><PROPERTY name="pool">A</PROPERTY>
<OBJECT basetype="resettable-statistics" name="resettable-statistics"><PROPERTY name="iops">192</PROPERTY></OBJECT>
<OTHER>blank</OTHER><PROPERTY name="serial-number"> 00c0 </PROPERTY></OBJECT>
<OBJECT basetype="status"><PROPERTY name="return-code">0</PROPERTY></OBJECT></RESPONSE>"""


def test_an_object_is_a_part_of_what_comp_names() -> None:
    assert decoded(FLAT) == TREE


def test_an_object_is_a_part_of_the_one_that_it_stands_in() -> None:
    assert decoded(NESTED) == {
        "pool-statistics": [
            {
                "object-name": "pool-statistics",
                "pool": "A",
                "resettable-statistics": [{"object-name": "resettable-statistics", "iops": "192"}],
                "serial-number": "00c0",
            }
        ],
        "status": [{"object-name": "", "return-code": "0"}],
    }


def test_the_number_of_an_object_is_its_own_before_that_of_comp_and_what_is_in_no_object_is_lost() -> None:
    xml = b"""<RESPONSE><OBJECT basetype="a" oid="7"/><COMP G="7" P="9"/>
    <OBJECT basetype="b" oid="8"><PROPERTY name="x">1</PROPERTY></OBJECT>
    <COMP G="8" P="10"/><OBJECT basetype="c"><PROPERTY name="y">2<OTHER>3</OTHER></PROPERTY><OTHER name="z">4</OTHER></OBJECT>
    <COMP G="9" P="11"/><OBJECT/><PROPERTY name="lost">5</PROPERTY></RESPONSE>"""
    c = {"object-name": "", "y": "23"}
    assert decoded(xml) == {"a": [{"object-name": "", "b": [{"object-name": "", "x": "1", "c": [c]}]}], "": [{"object-name": ""}]}


def test_an_answer_as_deep_as_may_be_is_read() -> None:
    deep = decoded(b"<RESPONSE>" + b'<OBJECT basetype="o">' * 31 + b"</OBJECT>" * 31 + b"</RESPONSE>")
    for _ in range(30):
        deep = deep["o"][0]
    assert deep["o"] == [{"object-name": ""}]


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><RESPONSE>&b;</RESPONSE>'


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(BOMB, "document type", id="entities"),
        pytest.param(b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><RESPONSE/>', "document type", id="a document type"),
        pytest.param(b"<RESPONSE>", "broken", id="torn"),
        pytest.param(b"<html><body/></html>", "no RESPONSE", id="a page"),
        pytest.param(b"<RESPONSE>" + b"<OBJECT>" * 40 + b"</OBJECT>" * 40 + b"</RESPONSE>", "too deeply", id="deep"),
        pytest.param(
            b"<RESPONSE>" + b"".join(b'<COMP G="%d" P="%d"/><OBJECT basetype="a"/>' % (n, n + 1) for n in range(40)) + b"</RESPONSE>",
            "objects are nested too deeply",
            id="deep by their numbers",
        ),
        pytest.param(b"[]", "no object", id="a list"),
        pytest.param(b"", "no JSON", id="nothing"),
        pytest.param(b"<RESPONSE>" + b"<COMP/>" * 2_000_001 + b"</RESPONSE>", "2,000,000 elements", id="too many elements"),
        pytest.param(
            b'<RESPONSE><OBJECT basetype="a" oid="1"><PROPERTY name="b">x</PROPERTY><OBJECT basetype="b"/></OBJECT></RESPONSE>',
            "has the name of a part",
            id="a property where parts are",
        ),
    ],
)
def test_what_is_no_answer_is_refused(body: bytes, why: str) -> None:
    with pytest.raises(UnusableAnswerError, match=why):
        decoded(body)


def test_secrets_in_an_answer_are_masked() -> None:
    chap = b'{"chap-records": [{"initiator-name": "iqn.x", "initiator-secret": "hush"}], "status": []}'
    assert decoded(chap)["chap-records"] == [{"initiator-name": "iqn.x", "initiator-secret": "***"}]
    assert "hush" not in str(decoded(b'<RESPONSE><OBJECT basetype="c"><PROPERTY name="mutual-secret">hush</PROPERTY></OBJECT></RESPONSE>'))


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        # OpenStack cinder, test_seagate.py: a login that succeeded has return code 1.
        pytest.param([{"response-type": "success", "response-type-numeric": "0", "return-code": "1"}], (False, 1), id="a login"),
        pytest.param([{"response-type": "error", "response-type-numeric": 1, "return-code": 1}], (True, 1), id="a refused login"),
        pytest.param([{"response-type": "Success", "return-code": 0}], (False, 0), id="as the ME4024's record, without a number"),
        pytest.param(
            [{"response-type-numeric": 1, "return-code": -10027}, {"response-type-numeric": 0, "return-code": 0}], (True, -10027), id="two"
        ),
        pytest.param(
            ["odd", {"response-type-numeric": 0, "return-code": 0}, {"response-type": "Error", "return-code": -1}],
            (True, -1),
            id="an error after a success",
        ),
        pytest.param([{"response": "some data", "return-code": 0}], None, id="no type"),
        pytest.param([{"response-type": "Error", "return-code": 0.5}], (True, None), id="a code that is none"),
        pytest.param([{"response-type": "Error", "return-code": "odd"}], (True, None), id="likewise, a word"),
        pytest.param([], None, id="an empty list"),
        pytest.param(None, None, id="none"),
    ],
)
def test_how_a_command_ended(entries: Any, expected: tuple[bool, int] | None) -> None:
    status = status_of({} if entries is None else {"status": entries})
    assert (None if status is None else (status.is_error, status.code)) == expected


def test_no_repr_of_a_status_shows_a_session_key() -> None:
    status = status_of({"status": [{"response-type-numeric": 0, "response": "12a1626754554a21", "return-code": 1}]})
    assert "12a1626754554a21" not in repr(status)
