"""The OpenAPI document, made from the routes as they are: nothing to keep in step.

Every path, method and parameter comes from the application's URL map, the words from
the docstrings, who may ask from the act that a view is marked with, and the fields of
forms from the code that reads them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Any

from flask import Blueprint, Flask, current_app, jsonify
from flask.typing import ResponseReturnValue
from werkzeug.routing import IntegerConverter, Rule

from companion.about import our_version
from companion.tables.rights import CONFIRMED, GRANTED, Act
from companion.web.form_fields import fields_of
from companion.web.live_guard import act_of, needs

blueprint = Blueprint("openapi", __name__)
JSON_OF: Mapping[str, str] = {
    "api.read_picture": "read",
    "api.score_picture": "score",
    "tables.document": "table",
    "tables.events": "events",
}
"""View -> schema of its JSON answer."""

TEXT: Mapping[str, Any] = {"type": "string"}
NUMBER: Mapping[str, Any] = {"type": "integer"}
PERHAPS: Mapping[str, Any] = {"type": ["string", "null"]}
OWN_SCHEMAS: Mapping[str, Any] = {
    "event": {
        "type": "object",
        "required": ["seq", "kind", "text"],
        "properties": {
            "seq": NUMBER,
            "kind": TEXT,
            "text": TEXT,
            "verdict": PERHAPS,
            "reason": PERHAPS,
            "rule": PERHAPS,
            "source": TEXT,
            "actor": PERHAPS,
            "taken_at": {"type": "string", "format": "date-time"},
            "undone": {"type": "boolean"},
            "pictures": {"type": "array", "items": TEXT},
        },
    },
    "events": {
        "type": "object",
        "required": ["seq", "events"],
        "properties": {
            "seq": NUMBER,
            "events": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/event"},
            },
        },
    },
    "table": {
        "type": "object",
        "required": ["id", "game", "title", "seats", "seq", "view", "outcome"],
        "properties": {
            "id": TEXT,
            "game": TEXT,
            "title": TEXT,
            "seats": {"type": "array", "items": TEXT},
            "seq": NUMBER,
            "view": {"type": "object"},
            "outcome": {"type": ["object", "null"]},
        },
    },
}


@blueprint.get("/api/openapi.json")
@needs(Act.ENTER)
def show() -> ResponseReturnValue:
    """Send this document."""
    return jsonify(document(current_app))


def document(app: Flask) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of an application."""
    paths: dict[str, dict[str, Any]] = {}
    for rule, method in _routes(app):
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        paths.setdefault(path, {})[method] = _operation(app, rule, method)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Arbitro",
            "version": our_version(),
            "license": {"name": "AGPL-3.0-or-later", "identifier": "AGPL-3.0-or-later"},
        },
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": _schemas()},
    }


def _routes(app: Flask) -> Iterator[tuple[Rule, str]]:
    for rule in app.url_map.iter_rules():
        if rule.endpoint == "static":
            continue
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield rule, method.lower()


def _operation(app: Flask, rule: Rule, method: str) -> dict[str, Any]:
    view = app.view_functions[rule.endpoint]
    words = (view.__doc__ or rule.endpoint).strip().split("\n\n")
    operation: dict[str, Any] = {
        "operationId": f"{rule.endpoint.replace('.', '_')}_{method}_{_path_id(rule)}",
        "tags": [rule.endpoint.partition(".")[0]],
        "summary": " ".join(words[0].split()),
        "parameters": [_parameter(rule, name) for name in sorted(rule.arguments)],
        "responses": _responses(rule.endpoint, method),
    }
    if act := act_of(view):
        operation["x-arbitro-act"] = str(act)
        operation["x-arbitro-roles"] = sorted(map(str, GRANTED[act]))
        operation["x-arbitro-confirmed"] = act in CONFIRMED
    if method == "post":
        operation["requestBody"] = _body(rule.endpoint, view)
    return operation


def _path_id(rule: Rule) -> str:
    return re.sub(r"\W+", "_", rule.rule).strip("_") or "root"


def _parameter(rule: Rule, name: str) -> dict[str, Any]:
    is_number = isinstance(rule._converters[name], IntegerConverter)
    return {
        "name": name,
        "in": "path",
        "required": True,
        "schema": {"type": "integer" if is_number else "string"},
    }


def _responses(endpoint: str, method: str) -> dict[str, Any]:
    schema = JSON_OF.get(endpoint)
    content: dict[str, Any] = {"text/html": {"schema": {"type": "string"}}}
    if schema is not None:
        reference = {"$ref": f"#/components/schemas/{schema}"}
        content = {"application/json": {"schema": reference}}
    if endpoint == "tables.events":
        content["text/event-stream"] = {"schema": {"type": "string"}}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}}
    answers = {
        "200": {"description": "What was asked for.", "content": content},
        "default": {"description": "What went wrong.", "content": error},
    }
    if method == "post" and schema is None:
        answers["303"] = {"description": "Done; the page to go on with."}
    return answers


def _body(endpoint: str, view: Callable[..., Any]) -> dict[str, Any]:
    names = fields_of(view)
    if not endpoint.startswith("api."):
        names = ("csrf_token", *names)
    fields = {
        name: {"type": "string", "format": "binary"}
        if name in ("photo", "zip")
        else {"type": "string"}
        for name in names
    }
    kind = (
        "multipart/form-data"
        if {"photo", "zip"} & set(names)
        else "application/x-www-form-urlencoded"
    )
    return {"content": {kind: {"schema": {"type": "object", "properties": fields}}}}


def _schemas() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in ("read", "score", "error"):
        found |= _hoisted(name)
    return {**found, **OWN_SCHEMAS}


def _hoisted(name: str) -> dict[str, Any]:
    """Return a schema of the command line and its parts, each by a name of its own:
    inside this document ``#/$defs`` would point elsewhere."""
    text = (files("companion") / "schemas" / f"{name}.json").read_text("utf-8")
    place = f"#/components/schemas/{name}."
    schema = json.loads(text.replace("#/$defs/", place))
    parts = schema.pop("$defs", {})
    for key in ("$id", "$schema"):
        schema.pop(key, None)
    return {name: schema} | {f"{name}.{key}": part for key, part in parts.items()}
