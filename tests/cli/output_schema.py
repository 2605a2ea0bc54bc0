"""docs/schema/output-v1.schema.json, read strictly: a field that it does not name is an error too.

Programs may meet fields of a newer ydl, so the published schema allows them; our own output must name them all.
"""

import copy
import json

import jsonschema

from harness import REPOSITORY

SCHEMA = json.loads((REPOSITORY / "docs/schema/output-v1.schema.json").read_text())


def closed(node):
    """The schema without fields that it does not name."""
    if isinstance(node, list):
        return [closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: closed(value) for key, value in node.items()}
    if "properties" in node and "required" in node:
        node.setdefault("additionalProperties", False)
    return node


def types_of(definition):
    type_of_line = definition["properties"].get("type", {})
    return type_of_line.get("enum", [type_of_line["const"]] if "const" in type_of_line else [])


_CLOSED = closed(copy.deepcopy(SCHEMA))
# By the type of a line: the errors of one definition are readable, those of a choice between all are not.
_VALIDATORS = {
    name: jsonschema.Draft202012Validator({"$defs": _CLOSED["$defs"]} | definition)
    for definition in _CLOSED["$defs"].values() for name in types_of(definition)
}
TYPES = frozenset(_VALIDATORS)


def check_line(text):
    """The object of one line of output. Fails if it is not JSON or does not fit the schema."""
    line = json.loads(text)
    assert line.get("v") == 1 and line.get("type") in TYPES, f"this type is not in the schema: {text}"
    errors = [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in _VALIDATORS[line["type"]].iter_errors(line)]
    assert not errors, f"{errors} in {text}"
    return line


def check_lines(text):
    return [check_line(line) for line in text.splitlines()]
