"""Checks a description of the API against the published schema of its format.

Usage: apischema.py openrpc|asyncapi SCHEMA DOCUMENT. Says each fault in a line of JSON, then that it is done.
"""

import json
import sys

import jsonschema


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def references(node):
    """All local references of a document."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "$ref" and isinstance(value, str):
                yield value
            else:
                yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def target(document, reference):
    """What a reference such as #/components/schemas/Session points to; None if there is nothing."""
    node = document
    for part in reference.removeprefix("#/").split("/"):
        node = node.get(part.replace("~1", "/")) if isinstance(node, dict) else None
    return node


def schemas(node):
    """All JSON Schemas of a document."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name in ("schema", "payload") and isinstance(value, dict):
                yield value
            elif name == "schemas" and isinstance(value, dict):
                yield from value.values()
            else:
                yield from schemas(value)
    elif isinstance(node, list):
        for value in node:
            yield from schemas(value)


def validator(kind, schema):
    """A validator that finds everything the published schema refers to without a network."""
    draft = jsonschema.Draft7Validator
    # The OpenRPC schema refers to JSON Schema draft 7 as meta.json-schema.tools publishes it, under names of its own.
    meta = draft.META_SCHEMA | {"$id": "https://meta.json-schema.tools/"}
    meta["definitions"] = meta["definitions"] | {"JSONSchemaObject": {"properties": {"$ref": {"type": "string"}}}}
    store = {"https://meta.json-schema.tools/": meta, "https://meta.json-schema.tools": meta}
    store |= {name: value for name, value in schema.get("definitions", {}).items() if name.startswith("http")}
    if kind == "openrpc":
        # The file is a build template: a release lists its versions here.
        schema["properties"]["openrpc"] = {"type": "string", "pattern": r"^1\.[0-9]+\.[0-9]+$"}
    return draft(schema, resolver=jsonschema.RefResolver.from_schema(schema, store=store))


def main():
    kind, schema, path = sys.argv[1:]
    document = load(path)
    faults = [
        f"{'/'.join(str(part) for part in fault.absolute_path)}: {fault.message[:300]}"
        for fault in validator(kind, load(schema)).iter_errors(document)
    ]
    faults += [f"{name} points nowhere" for name in references(document) if target(document, name) is None]
    for found in schemas(document):
        try:
            jsonschema.Draft7Validator.check_schema(found)
        except jsonschema.SchemaError as fault:
            faults.append(f"not a schema: {fault.message[:300]}")
    for fault in faults:
        print(json.dumps({"event": "fault", "text": fault}), flush=True)
    print(json.dumps({"event": "done", "faults": len(faults), "schemas": len(list(schemas(document)))}), flush=True)


main()
