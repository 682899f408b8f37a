"""Writes HTML pages that consist of one file: they load nothing, and only our own script may run in them."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import jinja2
    from markupsafe import Markup


@cache
def template_folder() -> Path:
    """The folder of the templates: inside the installed package, or ``reports/templates`` of the source tree."""
    packaged = Path(str(resources.files("auditor"))) / "_data" / "templates"
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "reports" / "templates"


def template_text(name: str) -> str:
    """The text of one of our own files beside the templates."""
    return (template_folder() / name).read_text(encoding="utf-8")


def write_page(
    template: str,
    values: Mapping[str, Any],
    out: TextIO,
    *,
    script: str | tuple[str, ...] | None = None,
    styles: Sequence[str] = ("page.css",),
) -> None:
    """Write the page of `template` to `out` piece by piece; iterators among `values` are consumed as it is written.

    Args:
        template: file name in `template_folder`.
        values: the variables of the template. Everything is escaped unless it is Markup.
        out: where to write.
        script: file names of the parts of the page's only script, in their order; None: no script may run.
        styles: file names of its styles, in their order.
    """
    from markupsafe import Markup

    style_text = "".join(template_text(name) for name in styles)
    script_text = "".join(template_text(name) for name in ((script,) if isinstance(script, str) else script or ()))
    policy = (
        f"default-src 'none'; style-src {_hash(style_text)}; script-src {_hash(script_text) if script else chr(39) + 'none' + chr(39)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = _environment().get_template(template)
    own = {"policy": policy, "style": Markup(style_text), "script": Markup(script_text)}  # noqa: S704  our own files
    out.writelines(page.generate({**values, **own}))


def embedded(value: object) -> Markup:
    """`value` as JSON for a data block, escaped so that no name from the fleet can end the block or begin a tag."""
    from markupsafe import Markup

    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704  escaped here


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    from auditor.report import setting_values, wording
    from auditor.report.documents import document_text
    from auditor.report.messages import message_beside_name
    from auditor.report.terminal.gap_lines import remedy_of, why_text
    from auditor.text.numbers import count_of

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(template_folder()),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "neutral": lambda text: wording.neutral(text or ""),
        "why_text": why_text,
        "prose": wording.neutral_prose,
        "value": wording.value_text,
        "moment": wording.moment,
        "counted": count_of,
        "percent": wording.percent,
        "capitalize_first": lambda text: text[:1].upper() + text[1:],
        "linkable": lambda url: bool(url) and url.lower().startswith(("https://", "http://")),
    }
    environment.globals |= {
        "lasted": wording.lasted,
        "took_text": wording.took_text,
        "place_of": wording.place_of,
        "fix_text": wording.fix_text,
        "setting_value": setting_values.setting_value_text,
        "document_text": document_text,
        "remedy_of": remedy_of,
        "drift_age_text": wording.drift_age_text,
        "message_beside_name": message_beside_name,
    }
    return environment
