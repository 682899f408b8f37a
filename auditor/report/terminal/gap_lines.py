"""Gaps for people: endpoints with the same gap share a line, and each line says what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from auditor.report.wording import ENDPOINTS_NAMED, neutral
from auditor.text.numbers import count_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from auditor.model import Gap

_COPY_AGAIN = "copy the file once more, with all its parts"

_OF_FILES = (
    (r"audit the export alone", "audit the export alone, or the other files alone"),
    (r"RVTools|\bsheet\b|the export does not", "export these sheets anew, or take outputs of esxcli of these hosts"),
    (r"its files do not have|no file has", "take these outputs too, and put them beside the other files"),
    (
        r"cut or filtered|was not understood|not fit its columns|part of the output",
        "take the output once more, whole, and put it beside the other files",
    ),
    (r"prints nothing as text", "take these once more with esxcli --formatter=json, by which an empty list shows"),
    (r"a saved output says less", "take the output once more, whole; what the host's release does not print stays unknown"),
    (r"esxtop was told to leave|columns are not there", "take the file of esxtop once more, with -a"),
    (r"only a vCenter knows|\.vmx files say neither", "audit the vCenter, where there is one"),
    (r"of several hosts|name one of the two|the newer one", "sort the files: a folder for each host, one of each output"),
    (r"nothing of it was looked at", "name a support bundle, or a file or folder with outputs of esxcli, of esxtop or of RVTools"),
    (r"nobody knows what host it is", "put it beside outputs of esxcli of its host"),
    (r"it is broken|broke before|was read of it may not be all|not all are there|one part of a file|its content is none", _COPY_AGAIN),
    (
        r"of it (is|was) read$|, so (it|that file) is not read$|a pipe, which is not read$",
        "where it counts, put the file itself there, unpacked",
    ),
)
"""Likewise of files of hosts. Before the others: a file may lie in a folder called `connection`."""

_REMEDIES = (
    *_OF_FILES,
    (
        r"keeps .* rows at level",
        "raise the statistics level in vCenter for some days, or accept the gap; what was not kept is gone",
    ),
    (r"keeps none for longer|has not begun yet|may hold none", "ask for a later, an earlier or a longer span"),
    (r"refuse[sd] (the login|user)|no password|no secret", "correct the account or its password in fleet.yaml"),
    (r"permission|privilege|authority|may not|denied|denies|forbidden", "give the account the right to read it"),
    (r"certificate|host key|pins", "check who answers there, then correct how fleet.yaml trusts it"),
    (r"not in fleet\.yaml|listed in fleet\.yaml", "add the array to fleet.yaml, or let its account see its volumes"),
    (r"declare", "declare it in fleet.yaml, or correct what is declared there"),
    (r"disconnected|not responding|not connected", "reconnect the host in vCenter, then audit again"),
    (
        r"did not answer|no answer|timed out|stopped answering|busy|connection",
        "find out why it does not answer, then audit again",
    ),
    (r"bug in auditor", "report the bug with the file that is named here"),
    (r"not read in that run", "audit the fleet itself, or collect it whole"),
)
"""What a cause reads like, and what to do about it; the first that fits counts. The causes are sentences of ours: `EndpointError`."""
_OTHERWISE = "look at what auditor doctor says of this endpoint"


@dataclass(frozen=True, slots=True)
class GapLine:
    """Gaps that somebody closes in one go."""

    endpoints: tuple[str, ...]  # sorted, each once
    gaps: tuple[Gap, ...]  # at least one
    remedy: str

    def named(self, most: int = ENDPOINTS_NAMED) -> str:
        """The endpoints in words; those beyond `most` are counted. Safe for a terminal."""
        more = f" and {len(self.endpoints) - most:,} more" if len(self.endpoints) > most else ""
        return neutral(", ".join(self.endpoints[:most])) + more

    @property
    def text(self) -> str:
        """What could not be read and why; of several things the first, and how many there are. Safe for a terminal."""
        things = dict.fromkeys((gap.what, cause_of(gap)) for gap in self.gaps)
        what, why = next(iter(things))
        more = f" (and {count_of(len(things) - 1, 'more thing')})" if len(things) > 1 else ""
        return f"{neutral(what)}: {neutral(why)}{more}"


def cause_of(gap: Gap) -> str:
    """Why it could not be read, without the endpoint's name, which stands beside it; and who answers for it."""
    return why_text(replace(gap, why=gap.why.removeprefix(f"endpoint {gap.endpoint}: ")))


def why_text(gap: Gap) -> str:
    """Why it could not be read, and who answers for it until when."""
    if gap.accepted is None or gap.accepted.get("expires") is None:  # of the latter kind is what was left out by choice, as `why` says
        return gap.why
    by = gap.accepted
    ticket = f", {by['ticket']}" if by.get("ticket") else ""
    return f"{gap.why}; accepted by {by['owner']}{ticket} until {by['expires']}: {by['reason']}"


def remedy_of(gap: Gap) -> str:
    """What closes the gap, as a sentence that begins with a verb."""
    if gap.accepted is not None:
        until = gap.accepted.get("expires")
        return "nothing, it is accepted" if until else "name it with --endpoint as well, or leave --endpoint out"
    words = f"{gap.what}: {gap.why}"
    return next((remedy for pattern, remedy in _REMEDIES if re.search(pattern, words, re.IGNORECASE)), _OTHERWISE)


def gaps_alike(gaps: Iterable[Gap]) -> list[GapLine]:
    """A line for each thing that could not be read and its cause, as many as there are; endpoints with the same share it."""
    alike: dict[tuple[str, str], list[Gap]] = {}
    for gap in gaps:
        alike.setdefault((gap.what, cause_of(gap)), []).append(gap)
    return [_line(same) for same in alike.values()]


def gaps_by_remedy(gaps: Iterable[Gap]) -> list[GapLine]:
    """A line for each thing to do; endpoints that lack the same things share it. Those of most gaps come first, accepted ones last."""
    lines: dict[tuple[str, frozenset[tuple[str, str]]], list[Gap]] = {}
    of_endpoint: dict[tuple[str, str], list[Gap]] = {}
    for gap in gaps:
        of_endpoint.setdefault((gap.endpoint, remedy_of(gap)), []).append(gap)
    for (_, remedy), own in of_endpoint.items():
        lines.setdefault((remedy, frozenset((gap.what, cause_of(gap)) for gap in own)), []).extend(own)
    return sorted((_line(same) for same in lines.values()), key=lambda line: (line.gaps[0].accepted is not None, -len(line.gaps)))


def _line(gaps: Sequence[Gap]) -> GapLine:
    return GapLine(tuple(sorted({gap.endpoint for gap in gaps})), tuple(gaps), remedy_of(gaps[0]))
