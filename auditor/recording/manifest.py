"""What is in a bundle, for a person who has to let it go out; and what was replaced, for the one who made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.recording.bundle import About, Lines
    from auditor.recording.masking import Masker

_SAMPLES = 8

_HEAD = """# A recording of storage and vSphere endpoints, masked

Made by {made_by}. It holds what the endpoints below answered to read requests, with names, addresses and serial numbers replaced. Every
file of this bundle is text: `tar xzf` unpacks it, and any editor shows it.

## What is in it, and what is not

* Replaced: names of hosts, machines, datastores, volumes, clusters, users, networks and domains; IP and MAC addresses; World Wide Names,
  device names, UUIDs and serial numbers. The same original has the same replacement everywhere, made with a key that the sender keeps.
  Without the key nobody can tell what a replacement stands for. Lengths, the vendor's part of an identifier, and which addresses share a
  network can still be seen; so can shared beginnings of identifiers.
* Kept: what the fleet is judged by: parameters of rules, severities, and what waivers cover until when, with replaced names (in
  manifest.json). Who answers for a waiver, why, and its ticket are left out.
* Kept: models, versions, states, names of options, drivers and modules, numbers (sizes, limits, counters), times.
* Dropped: descriptions, notes, annotations, messages, banners; raw inquiry data; answers of an unknown form.
* Never written: passwords, tokens, cookies, session ids, CHAP secrets, the requests of logins.
* A name that is itself a word of a product ("default", "iscsi") stays where it is that word.

## What was replaced and dropped

{counts}

## What was asked

{asked}
"""


def readable_manifest(recorded: Sequence[Lines], operations: Mapping[str, Mapping[str, int]], about: About) -> str:
    """The manifest for people; all that it names is masked."""
    counts = "\n".join(f"* {what}: {count}" for what, count in about.counts.items()) or "* nothing"
    asked = []
    for one in recorded:
        gaps = about.gaps.get(one.name, 0)
        asked.append(f"### {one.name} ({one.kind.value}): {one.count} answers{f', {gaps} gaps' if gaps else ''}\n")
        asked += [f"* {operation}: {count}" for operation, count in sorted(operations[one.name].items())]
        asked.append("")
    return _HEAD.format(made_by=about.made_by, counts=counts, asked="\n".join(asked))


def report_of_originals(masker: Masker, doubtful: Sequence[str]) -> str:
    """Samples before and after, for the sender alone: it is not in the bundle."""
    lines = ["# What was replaced: for you alone, it is not in the bundle", ""]
    for kind, by_original in sorted({"name": masker.names, **masker.replaced}.items()):
        lines += [f"## {kind}: {len(by_original)}", "", "| before | after |", "|---|---|"]
        lines += [f"| {_cell(original)} | {_cell(masked)} |" for original, masked in sorted(by_original.items())[:_SAMPLES]]
        lines.append("")
    if doubtful:
        lines += [
            "## Names that are also words of products",
            "",
            "They stayed where they stood in a field of states or models; `--replace WORD` replaces them there too.",
            "",
        ]
        lines += [f"* {_cell(one)}" for one in doubtful]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
