"""Looks into a YAML document by key path, and keeps every mistake with its line instead of stopping at the first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from auditor.yaml import YamlDocument, did_you_mean


class Fields:
    """The fields of one document; `problems` holds (line, what) of each mistake that was met on the way."""

    def __init__(self, document: YamlDocument) -> None:
        self.document = document
        self.problems: list[tuple[int, str]] = []

    def get(self, *at: str | int) -> Any:
        """The value at a key path; None where there is none."""
        value: Any = self.document.data
        for key in at:
            if isinstance(value, dict) and isinstance(key, str):
                value = value.get(key)
            elif isinstance(value, list) and isinstance(key, int) and key < len(value):
                value = value[key]
            else:
                return None
        return value

    def text(self, *at: str | int, required: bool = False) -> str:
        """Text without the blanks around it; "" where there is none."""
        value = self.get(*at)
        if value is None:
            if required:
                self.wrong(f'"{at[-1]}" is missing', *at)
            return ""
        if not isinstance(value, str) or not value.strip():
            self.wrong(f'"{at[-1]}" must be text', *at)
            return ""
        return value.strip()

    def mapping(self, *at: str | int) -> dict[str, Any]:
        """Keys and values; {} where there are none."""
        value = self.get(*at)
        if value is not None and not isinstance(value, dict):
            self.wrong(f'"{at[-1]}" must be keys with values', *at)
        return value if isinstance(value, dict) else {}

    def items(self, *at: str | int) -> list[Any]:
        """A list; [] where there is none."""
        value = self.get(*at)
        if value is not None and not isinstance(value, list):
            self.wrong(f'"{at[-1]}" must be a list', *at)
        return value if isinstance(value, list) else []

    def texts(self, *at: str | int) -> tuple[str, ...]:
        """A list of words."""
        values = self.items(*at)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                self.wrong(f"{value!r} must be text", *at, index)
        return tuple(value for value in values if isinstance(value, str))

    def one_of(self, known: Collection[str], noun: str, *at: str | int) -> str | None:
        """One of the `known` words; None when it is absent or is not."""
        value = self.get(*at)
        if value is None:
            self.wrong(f'"{at[-1]}" is missing', *at)
            return None
        if not isinstance(value, str) or value not in known:
            self.unknown(noun, str(value), known, *at)
            return None
        return value

    def known_keys(self, known: Collection[str], *at: str | int) -> None:
        """Refuse every key of a mapping that is not one of `known`."""
        for key in self.mapping(*at) if at else self.document.data:
            if key not in known:
                self.wrong(f'unknown key "{key}"{did_you_mean(key, known)}', *at, key)

    def are_known(self, known: Mapping[str, Any], noun: str, *at: str | int) -> bool:
        """Whether every key of a mapping is one of `known`; those that are not are told."""
        unknown = [key for key in self.mapping(*at) if key not in known]
        for key in unknown:
            self.unknown(noun, key, known, *at, key)
        return not unknown

    def unknown(self, noun: str, word: str, known: Collection[str], *at: str | int) -> None:
        """Keep a word that does not exist, with the nearest that does."""
        self.wrong(f'there is no {noun} "{word}"{did_you_mean(word, known)}', *at)

    def wrong(self, what: str, *at: str | int) -> None:
        """Keep a mistake."""
        self.problems.append((self.document.line(*at), what))
