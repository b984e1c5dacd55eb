"""TOML written from plain values, as kits need it; the standard library only reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(data: Mapping[str, Any]) -> str:
    """Return a document that `tomllib` reads back as an equal value.

    >>> print(as_toml({"a": 1, "t": {"b": True}, "faces": [{"c": [1.5, "x"]}]}), end="")
    a = 1
    <BLANKLINE>
    [t]
    b = true
    <BLANKLINE>
    [[faces]]
    c = [1.5, "x"]
    """
    return "\n".join(_lines(data, ())).lstrip("\n") + "\n"


def _lines(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in data.items():
        if not _is_table(value) and not _is_list_of_tables(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in data.items():
        inner = (*path, key)
        name = ".".join(map(_key, inner))
        if _is_table(value):
            yield f"\n[{name}]"
            yield from _lines(value, inner)
        elif _is_list_of_tables(value):
            for one in value:
                yield f"\n[[{name}]]"
                for field, inside in one.items():
                    yield f"{_key(field)} = {_value(inside)}"


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_list_of_tables(value: object) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) > 0
        and all(isinstance(one, Mapping) for one in value)
    )


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            return _text(value)
        case Mapping():
            inside = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items())
            return f"{{ {inside} }}" if inside else "{}"
        case Sequence():
            return f"[{', '.join(_value(one) for one in value)}]"
    raise ValueError(f"{type(value).__name__} has no place in a kit")


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    out = text.replace("\\", "\\\\").replace('"', '\\"')
    out = re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", out)
    return f'"{out}"'
