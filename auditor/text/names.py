r"""Names as vCenter shows them, and the one way in which a name that a person wrote is matched with one that was read.

vCenter's API escapes three characters of the names of its objects: "/" as %2f, "\" as %5c, "%" as %25. Its pages show, and people write,
the characters themselves. Names are decoded where they enter (`as_shown`), and everything after that has the decoded form.

What a person wrote fits a name whatever its case, its Unicode form (composed or not, full width or not), characters without a width, blanks
around it and a dot at the end; * ? and [...] are wildcards, and a name that holds such characters fits itself all the same.

Source: vSphere Web Services API, ManagedEntity.name: "Any / (slash), \ (backslash), character used in this name element will be escaped.
Similarly, any % (percent) character used in this name element will be escaped, unless it is used to start an escape sequence."
"""

from __future__ import annotations

import re
import unicodedata
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_ESCAPED = re.compile(r"%(2f|5c|25)", re.IGNORECASE)
_CHARACTERS = {"2f": "/", "5c": "\\", "25": "%"}
_WILD = re.compile(r"[*?\[]")
_ADDRESS = re.compile(r"[0-9.]+|.*:.*")


def as_shown(name: str) -> str:
    """A name of vCenter's API as its pages show it. One that holds no escape is itself."""
    return _ESCAPED.sub(lambda match: _CHARACTERS[match[1].lower()], name) if "%" in name else name


def fits(name: str | None, glob: str) -> bool:
    """Whether `glob`, as a person wrote it, names what is called `name`; nothing names what has no name."""
    if name is None:
        return False
    return any(form == written or fnmatchcase(form, written) for form in _written(name) for written in _written(glob))


def fits_host(name: str | None, glob: str) -> bool:
    """As `fits`, with the first part of a name for all of it: "esx1" for "esx1.example.net", and the other way round."""
    if name is None or fits(name, glob):
        return name is not None
    form = _form(name)
    if _ADDRESS.fullmatch(form):
        return False
    if "." in form:
        return fits(form.partition(".")[0], glob)
    return any(_is_long(written) and fits(form, written.partition(".")[0]) for written in _written(glob))


def hosts_that_fit(glob: str, names: Collection[str]) -> frozenset[str]:
    """Which of `names` of hosts `glob` chooses: those that it fits; else the one whose first part it fits, where that is one alone.

    What this chooses is never more than what `fits_host` holds back.
    """
    whole = frozenset(name for name in names if fits(name, glob))
    short = frozenset() if whole else hosts_by_first_part(glob, names)
    return whole or (short if len(short) == 1 else frozenset())


def hosts_by_first_part(glob: str, names: Iterable[str]) -> frozenset[str]:
    """The names of hosts whose first part `glob` fits, or that are the first part of `glob`."""
    return frozenset(name for name in names if fits_host(name, glob))


def is_called(name: str | None, word: str) -> bool:
    """Whether `word`, as a person wrote it, is the name: without wildcards, else as `fits`."""
    return name is not None and not set(_written(name)).isdisjoint(_written(word))


@lru_cache(maxsize=65536)
def _written(text: str) -> tuple[str, ...]:
    """The forms that a text may stand for: as it is, and with vCenter's escapes decoded. Older snapshots hold names that are not."""
    return tuple(dict.fromkeys((_form(text), _form(as_shown(text)))))


def _form(text: str) -> str:
    """The same for all ways to write one name."""
    if text.isascii():
        return text.strip().lower().rstrip(".")
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(one for one in folded if unicodedata.category(one) != "Cf").strip().rstrip(".")


def _is_long(written: str) -> bool:
    """Whether it is a name with a domain, and neither an address nor one with wildcards."""
    return "." in written and not _WILD.search(written) and not _ADDRESS.fullmatch(written)


NAME_SQL = "rtrim(lower(trim({name})), '.')"
"""`_form` in SQL, for a name of ASCII characters."""


def fits_sql(name: str, glob: str) -> str:
    """An SQL condition, as `fits` of a name of ASCII characters: `name` is an expression, `glob` a text of `glob_for_sql`."""
    form = NAME_SQL.format(name=name)
    return f"({form} GLOB {glob} OR {form} = {glob})"


def glob_for_sql(glob: str) -> str:
    """The form of `glob` that `fits_sql` compares with; names are decoded where they are kept."""
    return _form(as_shown(glob))
