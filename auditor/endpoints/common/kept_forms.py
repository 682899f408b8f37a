"""How the answers of a kind are masked for a recording beyond names of fields; a kind names it by `kept_forms` of its `TYPE`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class KeptForms:
    """What is particular to the answers of a kind; one that needs nothing of it names no such value.

    Attributes:
        is_soap: managed objects are references, and a text may be XML again.
        constants: whole texts that are words of the API in any field; also as values in the query of a path.
        device_serial: whole texts that are serial numbers as the names of devices have them, in hexadecimal.
        device_prefix: what stands in front of such a number in the name of a device.
        properties: names of properties, beside whose name stands their value, where that is knowledge such as a model.
        numbered: fields, in lower case, that hold the serial number of the system, or the id of an object: that number and one within the
            system. Paths have such ids too.
        chosen_id: a path in three groups, the second being an id that a person chose.
        from_xml: an answer in XML as the JSON of the same content; raises `UnusableAnswerError`. None: its XML is masked as XML.
    """

    is_soap: bool = False
    constants: re.Pattern[str] | None = None
    device_serial: re.Pattern[str] | None = None
    device_prefix: str = ""
    properties: frozenset[str] = frozenset()
    numbered: frozenset[str] = frozenset()
    chosen_id: re.Pattern[str] | None = None
    from_xml: Callable[[bytes], Any] | None = None
