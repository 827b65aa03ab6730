"""Fixtures of the tests. CLEAVE_COMMAND names the command, for tests that compare with it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

TREE = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def command() -> str:
    path = os.environ.get("CLEAVE_COMMAND", str(TREE / "build" / "cleave"))
    if not os.path.exists(path):
        pytest.skip("needs the command: set CLEAVE_COMMAND")
    return path


@pytest.fixture
def blobs() -> tuple[np.ndarray, np.ndarray]:
    """Three overlapping classes in six columns."""
    random = np.random.default_rng(1)
    y = np.arange(240) % 3
    X = random.normal(size=(240, 6)).astype(np.float32)
    X[:, 0] += 2 * y
    X[:, 1] -= y == 1
    return X, y


@pytest.fixture
def texts() -> tuple[list[str], list[str]]:
    spam = ["claim your free prize now", "free money offer", "win cash now", "cheap pills offer"]
    ham = ["lunch at noon tomorrow", "see you at the meeting", "the report is late", "call me back"]
    return (spam + ham) * 5, (["spam"] * 4 + ["ham"] * 4) * 5
