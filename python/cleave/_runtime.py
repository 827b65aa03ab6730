"""Contexts of the library: threads, progress, warnings and the log."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from . import _cleave

log = logging.getLogger("cleave")
log.addHandler(logging.NullHandler())


class CleaveWarning(UserWarning):
    """A warning of the library."""


def in_python(message: str, names: Mapping[str, str] = {}) -> str:  # noqa: B006
    """The message with names of parameters for flags of the command."""

    def name_of(flag: re.Match[str]) -> str:
        option = flag[1].replace("-", "_")
        return names.get(option, option)

    return re.sub(r"--([a-zA-Z][a-zA-Z0-9-]*)", name_of, message)


@contextlib.contextmanager
def parameter_names(names: Mapping[str, str] = {}) -> Iterator[None]:  # noqa: B006
    """Errors of the block name parameters, not flags of the command. names: of options."""
    try:
        yield
    except (ValueError, OSError) as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (in_python(error.args[0], names), *error.args[1:])
        raise


class _Bar:
    """Progress of a call as a bar of tqdm."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._bar = tqdm(total=None, leave=False)
        self._phase = ""

    def __call__(
        self, phase: str, rows: int, rows_total: int, read: int, read_total: int, epoch: int, epochs: int
    ) -> None:
        if phase != self._phase:
            self._phase = phase
            self._bar.reset(total=rows_total or None)
            self._bar.set_description(phase)
        if epoch:
            self._bar.set_postfix(epoch=epoch, refresh=False)
        self._bar.n = rows
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


_bars: dict[int, _Bar] = {}  # of contexts in use, by their id


def threads_of(n_jobs: int | None) -> int:
    """Threads of the library for ``n_jobs``: 0 is one per core."""
    if n_jobs is None or n_jobs == 0:
        return 0
    if n_jobs < 0:
        cores = len(os.sched_getaffinity(0))
        return max(1, cores + 1 + int(n_jobs))
    return int(n_jobs)


def new_context(n_jobs: int | None = None, progress: bool = False) -> _cleave.Context:
    bar = None
    if progress:
        try:
            bar = _Bar()
        except ImportError:
            log.info("progress needs tqdm, which is not installed")
    context = _cleave.Context(threads_of(n_jobs), bar)
    if bar is not None:
        _bars[id(context)] = bar
    return context


def finish(context: _cleave.Context) -> None:
    """Closes the bar of a call and passes on its messages."""
    bar = _bars.pop(id(context), None)
    if bar is not None:
        bar.close()
    for level, message, hint in context.take_messages():
        if level == 0:
            log.info("%s%s", in_python(message), f" ({in_python(hint)})" if hint else "")
        else:
            warn(message, hint)


def warn(message: str, hint: str | None) -> None:
    """Warns at the line that called this package."""
    text = f"{message}\nhint: {hint}" if hint else message
    frame, level, outside = sys._getframe(), 0, 1
    while frame is not None:
        level += 1
        if os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
            outside = level + 1
        frame = frame.f_back  # type: ignore[assignment]
    warnings.warn(in_python(text), CleaveWarning, stacklevel=outside)


def text_of(value: object) -> str:
    """An option's value as the library reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "item") and not isinstance(value, str):
        return text_of(value.item())
    return str(value)


def options_of(values: dict[str, Any]) -> dict[str, Any]:
    """Options as the extension takes them: text, or numbers by name. ``None`` is left out."""
    return {
        name: {str(key): float(number) for key, number in value.items()}
        if isinstance(value, dict)
        else text_of(value)
        for name, value in values.items()
        if value is not None
    }
