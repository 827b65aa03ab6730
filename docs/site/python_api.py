"""Writes a page for every class of the Python package, and one for its functions, from the docstrings.

usage: python_api.py PACKAGE OUTPUT    PACKAGE has estimators.py, which python/generate.py writes
"""
import ast
import pathlib
import re
import sys

package, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def definitions(name):
    """Classes and functions of a module, by name."""
    tree = ast.parse((package / f"{name}.py").read_text())
    found = {}
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.setdefault(node.name, node)
    return found


def cell(text):
    return text.replace("|", "\\|")


def plain(text):
    """A docstring's reStructuredText as Markdown: its literals."""
    return text.replace("``", "`")


def parameters(lines):
    """The section Parameters of a docstring as a table."""
    rows = ["| parameter | type | default | meaning |", "|---|---|---|---|"]
    found = []
    for line in lines:
        if line and not line.startswith(" "):
            name, kind, default = re.fullmatch(r"(\w+) : (.*), default (.*)", line).groups()
            found.append([f"`{name}`", f"`{cell(kind)}`", f"`{cell(default)}`", ""])
        elif line:
            found[-1][3] += cell(plain(line.strip())) + " "
    return "\n".join(rows + [f"| {' | '.join(row).strip()} |" for row in found]) + "\n"


def signature(node):
    arguments = ast.unparse(node.args).replace("self, ", "", 1).removeprefix("self")
    return f"{node.name}({re.sub(': Any', '', arguments)})"


def document(node):
    return plain(ast.get_docstring(node) or "")


def linear(name, classes):
    """The class and its bases in the order of method resolution, nearly: bases from left to right."""
    order = []
    for base in [name] if name in classes else []:
        order.append(base)
        for parent in classes[base].bases:
            order += linear(ast.unparse(parent), classes)
    return list(dict.fromkeys(order))


def class_page(name, classes):
    head, _, listed = (ast.get_docstring(classes[name]) or "").partition("Parameters\n----------\n")
    parts = [f"# {name}\n", plain(head).replace("\nReference:", "\n\nReference:")]
    if listed:
        parts += ["## Parameters\n", parameters(listed.split("\n"))]
    methods, attributes = {}, {}
    for owner in linear(name, classes):
        for node in classes[owner].body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or not ast.get_docstring(node):
                continue
            if any(ast.unparse(d) == "property" for d in node.decorator_list):
                attributes.setdefault(node.name, f"| `{node.name}` | {cell(document(node))} |")
            else:
                methods.setdefault(node.name, f"### `{signature(node)}`\n\n{document(node)}\n")
    if methods:
        parts += ["## Methods\n"] + [methods[key] for key in sorted(methods)]
    if attributes:
        rows = [attributes[key] for key in sorted(attributes)]
        parts += ["## Attributes\n", "\n".join(["| attribute | meaning |", "|---|---|"] + rows) + "\n"]
    (output / f"{name}.md").write_text("\n".join(parts))


base, results = definitions("_base"), definitions("_results")
estimators, transformers = definitions("estimators"), definitions("_transformers")
output.mkdir(parents=True, exist_ok=True)
for name in estimators:
    class_page(name, base | estimators)
for name in transformers:
    if not name.startswith("_"):
        class_page(name, transformers)
parts = ["# Functions\n"]
for name, node in definitions("_functions").items():
    if isinstance(node, ast.FunctionDef) and not name.startswith("_"):
        parts.append(f"## `{signature(node)}`\n\n{document(node)}\n")
parts.append("## Results\n")
parts += [f"**{name}**. {document(node)}\n" for name, node in results.items()
          if isinstance(node, ast.ClassDef) and not name.startswith("_")]
(output / "functions.md").write_text("\n".join(parts))
