"""Where a text is cut: at prompts, calls, fences and quotes, and what is known of each part."""

from __future__ import annotations

import pytest

from auditor.endpoints.files.outputs.pasted import Section, sections_of

VERSION = "system version get"


def parts(text: str) -> list[tuple[str | None, str | None, list[str]]]:
    """Command, host and lines of each part; None as the command of one before which no line stands."""
    return [(one.named.command if one.named else None, one.host, one.lines) for one in sections_of(text)]


@pytest.mark.parametrize(
    ("line", "command", "host"),
    [
        pytest.param("[root@esx01:~] esxcli system version get", VERSION, "esx01", id="of 6.5"),
        pytest.param("[root@esx01:/vmfs/volumes] esxcli system version get", VERSION, "esx01", id="in a folder"),
        pytest.param("[root@esx01 ~]# esxcli system version get", VERSION, "esx01", id="with a sign"),
        pytest.param("  [root@esx01.example.net:~] esxcli system version get", VERSION, "esx01.example.net", id="indented"),
        pytest.param("root@esx01:~# esxcli system version get", VERSION, "esx01", id="of Linux"),
        pytest.param("a.b-c@esx01:/tmp$ esxcli system version get", VERSION, "esx01", id="of a user"),
        pytest.param("~ # esxcli system version get", VERSION, None, id="of 5.5"),
        pytest.param("esx01:~ # esxcli system version get", VERSION, "esx01", id="with a host"),
        pytest.param("/vmfs/volumes/1 # esxcli system version get", VERSION, None, id="in a folder, of 5.5"),
        pytest.param("PS C:\\Users\\x> esxcli system version get", VERSION, None, id="of PowerShell"),
        pytest.param("C:\\> esxcli.exe system version get".replace(".exe", ""), VERSION, None, id="of Windows"),
        pytest.param("# esxcli system version get", VERSION, None, id="a sign alone"),
        pytest.param("$ /bin/esxcli system version get", VERSION, None, id="with the program's folder"),
        pytest.param("esxcli system version get", VERSION, None, id="no prompt"),
        pytest.param("localcli system version get", VERSION, None, id="the other program"),
        pytest.param("[root@esx01:~] ls -l", "", "esx01", id="another program"),
        pytest.param("[root@esx01:~] ", "", "esx01", id="nothing"),
        pytest.param("~ # ls", "", None, id="another program, of 5.5"),
        pytest.param("PS C:\\> dir", "", None, id="another program of PowerShell"),
        pytest.param("[root@esx01:~]", "", "esx01", id="nothing and no blank"),
    ],
)
def test_a_text_is_cut_at_a_prompt_and_a_call(line: str, command: str, host: str | None) -> None:
    assert parts(f"before\n{line}\nbehind\n") == [(None, None, ["before"]), (command, host, ["behind", ""])]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "esxcli",
        "use esxcli system version get",
        "I ran esxcli 7",
        "vmhba2 # 4",
        "root@esx01",
        "[root@esx01]",
        "   Name: a#b",
        "         esxcli system version get",
        "$100",
        "a -> b",
    ],
)
def test_no_other_line_cuts_a_text(line: str) -> None:
    assert parts(f"before\n{line}\nbehind") == [(None, None, ["before", line, "behind"])]


@pytest.mark.parametrize(
    ("call", "unsure", "arguments"),
    [
        pytest.param("esxcli storage core device list -d naa.1", False, {"device": "naa.1"}, id="plain"),
        pytest.param("for i in 1 2; do esxcli storage core device list -d naa.1; done", True, {"device": "naa.1"}, id="in a loop"),
        pytest.param("date; esxcli storage core device list -d naa.1", True, {"device": "naa.1"}, id="behind another"),
        pytest.param("echo `/sbin/esxcli storage core device list -d naa.1`", True, {"device": "naa.1"}, id="in a command"),
        pytest.param("(esxcli storage core device list -d naa.1)", True, {"device": "naa.1"}, id="in brackets"),
        pytest.param("x" * 4090 + " esxcli storage core device list", False, {}, id="too far behind"),
        pytest.param("myesxcli storage core device list", False, {}, id="a program with a longer name"),
    ],
)
def test_a_call_in_a_loop_may_not_have_run(call: str, unsure: bool, arguments: dict[str, str]) -> None:
    named = sections_of(f"[root@esx01:~] {call}\nx")[1].named
    assert named is not None
    assert (named.command, dict(named.arguments), named.unsure) == ("storage core device list" if arguments else "", arguments, unsure)


def marks(text: str) -> list[str]:
    """What is known of each part: E for ended, P for prompted, F for fenced, Q for quoted."""
    return [
        "".join(mark for mark, holds in zip("EPFQ", (one.ended, one.prompted, one.fenced, one.has_quoted), strict=True) if holds)
        for one in sections_of(text)
    ]


PROMPT = "[root@esx01:~] esxcli system version get"
CALL = "esxcli system version get"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a", [""], id="no prompt"),
        pytest.param("a\n", ["E"], id="no prompt, with the end of the last line"),
        pytest.param(f"{PROMPT}\na", ["E", ""], id="a prompt"),
        pytest.param(f"{PROMPT}\na\n{PROMPT}\nb\n", ["E", "EP", "E"], id="between two prompts"),
        pytest.param(f"{PROMPT}\na\n{CALL}\nb\n{PROMPT}\n", ["E", "E", "E", "E"], id="a call has no prompt"),
        pytest.param("a\n```\nb\n```\nc", ["EF", "EF", "F"], id="fences"),
        pytest.param(f"```\n{PROMPT}\na\n```\n{PROMPT}\nb", ["EF", "EF", "E", "EF", ""], id="a prompt in a fence"),
        pytest.param(f"> {PROMPT}\n> a\nmine\nmore", ["EF", "EQ", "F"], id="an answer below a quote"),
        pytest.param(f"> {PROMPT}\n> a\n\n> b\n", ["EF", "EQ"], id="a blank line in a quote"),
        pytest.param(f"> {PROMPT}\nmine\n> b\nmine", ["EF", "EQ", "F"], id="nothing quoted yet"),
        pytest.param(f"{PROMPT}\n> a\nb", ["E", "Q"], id="an output that begins as a quote"),
        pytest.param("> a\n> b", ["Q"], id="a quote without a prompt"),
    ],
)  # fmt: skip
def test_what_stands_around_a_part_is_known(text: str, expected: list[str]) -> None:
    assert marks(text) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("> a\n> > b\n>c\n\n>", ["a", "b", "c", "", ""], id="quoted"),
        pytest.param("> a\nb", ["> a", "b"], id="not all quoted"),
        pytest.param("a > b", ["a > b"], id="a sign within a line"),
    ],
)
def test_the_mark_of_a_quote_is_taken_off_where_every_line_has_it(text: str, lines: list[str]) -> None:
    assert sections_of(text)[0].lines == lines


@pytest.mark.parametrize(
    "fence", ["```", "````", "```bash", "~~~", "[code]", "[/CODE]", "[code=text]", "<pre>", "</pre>", '<code class="x">', "  ``` ", "> ```"]
)
def test_a_fence_cuts_a_text(fence: str) -> None:
    first, second = sections_of(f"a\n{fence}\nb")
    assert (first.lines, second.lines, second.named is not None and second.named.command) == (["a"], ["b"], "")


@pytest.mark.parametrize("line", ["``", "``` a ` b", "[kode]", "pre", "<pref>", "         ```"])
def test_what_is_no_fence_does_not(line: str) -> None:
    assert len(sections_of(f"a\n{line}\nb")) == 1


def test_an_answer_below_a_quoted_output_is_a_part_of_its_own() -> None:
    assert parts(f"> {PROMPT}\n> a\nmine") == [(None, None, []), (VERSION, "esx01", ["a"]), ("", None, ["mine"])]


def test_a_part_is_nothing_at_first() -> None:
    assert Section(None) == Section(None, None, [], ended=False, prompted=False, fenced=False, has_quoted=False)
