"""The examples of the pages on Python, one after the other."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import cleave
from conftest import TREE


@pytest.mark.parametrize(("page", "least"), [("python.md", 7), ("guide/scikit-learn.md", 1)])
def test_examples(page: str, least: int) -> None:
    if page != "python.md":
        pytest.importorskip("sklearn")
    text = (TREE / "docs" / page).read_text()
    examples = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(examples) >= least
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, page, "exec"), names)


def test_typed_program(tmp_path: Path) -> None:
    import typed_program

    assert typed_program.main(str(tmp_path)) > 1


def test_every_class_and_function_has_a_page(tmp_path: Path) -> None:
    package = Path(cleave.__file__).parent
    script = TREE / "docs" / "site" / "python_api.py"
    subprocess.run([sys.executable, script, package, tmp_path], check=True)
    for name in (*cleave._ESTIMATORS, *cleave._TRANSFORMERS):
        kind = getattr(cleave, name)
        page = (tmp_path / f"{name}.md").read_text()
        for parameter in inspect.signature(kind).parameters:
            assert f"| `{parameter}` |" in page
        for member, value in inspect.getmembers(kind):
            if str(getattr(value, "__module__", "")).startswith("cleave") and member[0] != "_":
                assert f"`{member}(" in page
    functions = (tmp_path / "functions.md").read_text()
    assert all(f"## `{name}(" in functions for name in cleave._FUNCTIONS)
