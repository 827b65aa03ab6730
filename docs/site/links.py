"""Rewrites links between files of the tree into links between pages of the site; links to other files become plain code.

usage: links.py SOURCE
"""
import os
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
moved = [
    (r"(.*/)?docs/methods/(.*)", r"reference/methods/\2"),
    (r"(.*/)?methods/(.*\.md.*)", r"reference/methods/\2"),
    (r"(.*/)?docs/formats/(.*\.md.*)", r"reference/formats/\2"),
    (r"(.*/)?formats/(.*)\.schema\.json", r"reference/formats/json-\2.md"),
    (r"(.*/)?formats/(.*\.md.*)", r"reference/formats/\2"),
    (r"(.*/)?decisions/?$", r"project/decisions.md"),
    (r"(.*/)?decisions/README\.md", r"project/decisions.md"),
    (r"(.*/)?decisions/(.*\.md.*)", r"project/decisions/\2"),
    (r"(.*/)?guide/(.*\.md.*)", r"guide/\2"),
    (r"(.*/)?(scaling|glossary|tutorial|python|coming-from)\.md(.*)", r"\2.md\3"),
    (r"(.*/)?testing\.md(.*)", r"project/testing.md\2"),
    (r"(.*/)?bench/results\.md(.*)", r"project/benchmarks.md\2"),
    (r"(.*/)?results\.md(.*)", r"project/benchmarks.md\2"),
    (r"(.*/)?ARCHITECTURE\.md(.*)", r"project/architecture.md\2"),
    (r"(.*/)?CONTRIBUTING\.md(.*)", r"project/contributing.md\2"),
    (r"(.*/)?CHANGELOG\.md(.*)", r"project/changes.md\2"),
    (r"(.*/)?README\.md(#.*)?", r"index.md"),
]


def target_of(page, link):
    bare = link.split("#")[0]
    if bare and (page.parent / bare).exists():
        return link
    for pattern, path in moved:
        if re.fullmatch(pattern, link):
            new = re.sub(f"^{pattern}$", path, link)
            if (source / new.split("#")[0]).exists():
                return os.path.relpath(source / new.split("#")[0], page.parent) + (
                    "#" + new.split("#")[1] if "#" in new else "")
    return None


for page in source.rglob("*.md"):
    text = page.read_text()

    def fix(match):
        label, link = match.groups()
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return match.group(0)
        new = target_of(page, link)
        return f"[{label}]({new})" if new else (label if "`" in label else f"`{label}`")

    blocks = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    blocks[::2] = [re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", fix, block) for block in blocks[::2]]
    page.write_text("".join(blocks))
