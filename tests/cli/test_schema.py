"""The published JSON Schema and the reader agree: the unit test spec_files_test.cpp reads the same folders."""

import json
import pathlib
import re

import jsonschema
import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/schema/job-v1.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


class Yaml12Loader(yaml.SafeLoader):
    """Scalars mean what YAML 1.2 says, as they do in editors: 'yes' is text, and so is a date."""


Yaml12Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Yaml12Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))


def load(path):
    text = path.read_text(encoding="utf-8-sig")
    return json.loads(text) if path.suffix == ".json" else yaml.load(text, Yaml12Loader)


def files(folder):
    found = sorted((ROOT / "tests/spec" / folder).iterdir())
    assert found, f"tests/spec/{folder} is empty"
    return [pytest.param(path, id=path.name) for path in found]


def test_the_schema_is_itself_valid():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", files("valid"))
def test_a_valid_file_follows_the_schema(path):
    VALIDATOR.validate(load(path))


@pytest.mark.parametrize("path", files("invalid"))
def test_an_invalid_file_breaks_the_schema(path):
    assert not VALIDATOR.is_valid(load(path))


def test_every_property_explains_itself():
    def properties(node):
        if isinstance(node, dict):
            for name, value in node.get("properties", {}).items():
                yield name, value
            for value in node.values():
                yield from properties(value)
        elif isinstance(node, list):
            for value in node:
                yield from properties(value)

    # The 'anyOf' at the top repeats a name only to say what is required.
    described = [(n, p) for n, p in properties({k: v for k, v in SCHEMA.items() if k != "anyOf"})]
    assert len(described) > 20
    assert [name for name, value in described if not value.get("description")] == []


def test_the_example_in_the_documentation_follows_the_schema():
    page = (ROOT / "docs/job-file.md").read_text()
    blocks = [part.split("```")[0] for part in page.split("```yaml\n")[1:]]
    assert blocks
    VALIDATOR.validate(yaml.load(blocks[0], Yaml12Loader))
