"""The examples of docs/python.md, one after the other."""

from __future__ import annotations

import re

from conftest import TREE


def test_examples() -> None:
    text = (TREE / "docs" / "python.md").read_text()
    examples = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(examples) >= 6
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, "docs/python.md", "exec"), names)
