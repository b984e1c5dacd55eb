"""Which fields of a form a view reads: found in its code, and in what it calls."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from types import FunctionType
from typing import Any

FORMS = {"request.form", "request.values", "request.files", "form", "named"}
"""How a form is called where it is read."""
OURS = ("companion.web.", "companion.tables.gear")
PICTURES = {"uploaded", "uploads"}
COMPUTED: Mapping[str, tuple[str, ...]] = {
    "companion.web.decks.make": ("faction", "character", "owner"),
    "companion.web.mats.make": ("width_mm", "depth_mm"),
    "companion.web.rulings._decided": ("rule.*",),
}
"""Fields whose names stand in a variable where they are read."""


@cache
def fields_of(view: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of the fields; of a pattern such as ``card.*`` the pattern."""
    found: dict[str, None] = {}
    start = inspect.unwrap(view)
    for function in _called(start, set()):
        found.update(dict.fromkeys(_read(function)))
        name = f"{function.__module__}.{function.__name__}"
        found.update(dict.fromkeys(COMPUTED.get(name, ())))
    return tuple(found)


def _called(function: FunctionType, seen: set[FunctionType]) -> Iterator[FunctionType]:
    """Yield a function and those of the page that it calls, each once."""
    if function in seen:
        return
    seen.add(function)
    yield function
    for node in ast.walk(_tree(function)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            other = inspect.unwrap(function.__globals__.get(node.func.id, len))
            if inspect.isfunction(other) and other.__module__.startswith(OURS):
                yield from _called(other, seen)


def _read(function: FunctionType) -> Iterator[str]:
    for node in ast.walk(_tree(function)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=form, attr="get" | "getlist"),
                args=[name, *_],
            ) if ast.unparse(form) in FORMS:
                yield from _written(name)
            case ast.Call(func=ast.Name(id=called)) if called in PICTURES:
                yield "photo"
            case ast.Compare(left=name, comparators=[form]) if (
                ast.unparse(form) in FORMS
            ):
                yield from _written(name)


def _written(name: ast.expr) -> Iterator[str]:
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        yield name.value
    elif isinstance(name, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "*"
            for part in name.values
        )


@cache
def _tree(function: FunctionType) -> ast.Module:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))
