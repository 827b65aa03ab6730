"""Writes a page for every method and transform: the hand-written page, if there is one, and the tables of the command.

usage: tables.py CLEAVE docs/methods OUTPUT
"""
import json
import pathlib
import subprocess
import sys

cleave, written, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])


def table(params, flag):
    rows = ["| option | type | default | range or values | meaning |", "|---|---|---|---|---|"]
    for p in params:
        name = p["flag"] if flag else p["name"]
        default = p.get("default")
        default = "" if default is None else f"`{json.dumps(default).strip(chr(34))}`"
        default = p.get("default_text", default)
        if p.get("values"):
            domain = ", ".join(f"`{v}`" for v in p["values"])
        else:
            low, high = p.get("min"), p.get("max")
            domain = f"{'above' if p.get('min_open') else 'at least'} {low:g}" if low is not None else ""
            if low is not None and "default_text" in p and low == p.get("default"):
                domain = "above 0" if p["type"] == "real" else f"at least {low + 1:g}"
            if high is not None and high < 1e9:
                domain += f"{', ' if domain else ''}at most {high:g}"
        text = " ".join(filter(None, [p["help"], p.get("details")])).replace("|", "\\|")
        rows.append(f"| `{name}` | {p['type']} | {default} | {domain} | {text} |")
    return "\n".join(rows) + "\n"


def load(verb):
    return json.loads(subprocess.check_output([cleave, verb, "--json"]))


methods = load("methods")
titles = {page.stem: page.read_text().split("\n", 1)[0] for page in written.glob("*.md")}
for method in methods:
    page = written / f"{method['name']}.md"
    traits = f"Tasks: {', '.join(method['tasks'])}\n\nTraits: {', '.join(method['traits'])}\n"
    if page.exists():
        parts = [page.read_text(), "## Properties\n", traits]
    else:
        others = [f"The page of [{name}]({name}.md) describes it." for name, title in titles.items()
                  if method["name"] in title.replace(",", "").split()]
        parts = [f"# {method['name']}\n", method["title"] + " " + "".join(others) + "\n",
                 f"Objective: {method['objective']}\n\nReference: {method['reference']}\n", traits]
    parts += ["## All options\n", table(method["params"], True)]
    (output / "methods" / f"{method['name']}.md").write_text("\n".join(parts))
names = {m["name"] for m in methods}
for page in written.glob("*.md"):
    if page.stem not in names:
        (output / "methods" / page.name).write_text(page.read_text())
for transform in load("transforms"):
    parts = [f"# {transform['name']}\n", transform["title"] + "\n", transform["about"] + "\n"]
    if transform["params"]:
        parts += ["## Parameters\n", table(transform["params"], False)]
    (output / "transforms" / f"{transform['name']}.md").write_text("\n".join(parts))
