"""Results as plain objects: members by name, a summary as text, tables in notebooks."""

from __future__ import annotations

import base64
import html
import math
import os
from collections.abc import Iterator
from typing import Any


def number(value: Any) -> str:
    """A cell of a table."""
    if isinstance(value, tuple) and len(value) == 3:
        middle, low, high = (number(v) for v in value)
        return f"{middle} ({low} to {high})" if low != "" and high != "" else middle
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4g}"
    return "" if value is None else str(value)


class Result:
    """Members of a result, by attribute or by key."""

    _title = "Result"
    _summary_names: tuple[str, ...] = ()

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dict__)

    def keys(self) -> list[str]:
        return list(self.__dict__)

    def _rows(self) -> list[tuple[str, ...]]:
        """Lines of the table, the heading first."""
        names = self._summary_names or tuple(self.__dict__)
        rows = [(name, number(self.__dict__.get(name))) for name in names]
        return [("", ""), *((name.replace("_", " "), value) for name, value in rows if value != "")]

    def _lead(self) -> str:
        """A sentence above the table."""
        return str(self.__dict__.get("summary") or "")

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
        ]
        return "\n".join([line for line in (self._title, self._lead(), *lines) if line])

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        parts = [f"<b>{html.escape(self._title)}</b>"]
        if self._lead():
            parts.append(f"<p>{html.escape(self._lead())}</p>")
        parts.append("<table>")
        if any(head):
            cells = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
            parts.append(f"<thead><tr>{cells}</tr></thead>")
        for row in rows:
            cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in row)
            parts.append(f"<tr>{cells}</tr>")
        parts.append("</table>")
        return "".join(parts)


class Evaluation(Result):
    """Metrics of a model on labeled data, each as (value, low, high) of its 95% interval."""

    _title = "Evaluation"
    _summary_names = (
        "rows", "errors", "accuracy", "error_rate", "macro_f1", "roc_auc", "average_precision", "log_loss",
        "brier", "rmse", "mae", "r2",
    )  # fmt: skip


class CrossValidation(Result):
    """Cross-validation: ``metric_value``, ``fold_results``, ``gap`` and more."""

    _title = "Cross-validation"

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("fold", "rows", "error", "training error", self["metric"])]
        for fold in self["fold_results"]:
            rows.append(
                (
                    number(fold["fold"]),
                    number(fold["rows"]),
                    number(fold["error"]),
                    number(fold["train_error"]),
                    number(fold["metric"][0]),
                )
            )
        rows.append(
            (
                "all",
                number(self["rows"]),
                number(self["error"]),
                number(self["train_error"]),
                number(self["metric_value"][0]),
            )
        )
        return rows


class Tuning(Result):
    """A search of hyperparameters: ``best_params`` (parameters other than the defaults),
    ``best_estimator`` (not fitted), ``candidates`` and more."""

    _title = "Tuning"
    best_params: dict[str, Any]
    best_estimator: Any

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("candidate", "settings", "folds", self["metric"])]
        for candidate in self["candidates"][:10]:
            settings = ", ".join(f"{s['name']}={s['value']}" for s in candidate["settings"])
            rows.append(
                (
                    number(candidate["number"]),
                    settings or "defaults",
                    number(candidate["folds"]),
                    number(candidate["metric"]),
                )
            )
        return rows


class Comparison(Result):
    """Methods on the same folds, the best first."""

    _title = "Comparison"

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("method", "error", self["metric"], "training s", "p")]
        for row in self["methods"]:
            rows.append(
                (
                    row["method"] or "baseline",
                    number((row["error"], row["low"], row["high"])),
                    number(row["metric"][0]),
                    number(row["train_seconds"]),
                    number(row["p"]),
                )
            )
        return rows


class Crowd(Result):
    """Labels from many workers: ``tasks``, ``workers``, ``labels``, ``agreement`` and more."""

    _title = "Labels from many workers"

    def _lead(self) -> str:
        return (
            f"{self['method']}: {self['answers']} answers to {len(self['tasks'])} tasks by"
            f" {len(self['workers'])} workers, agreement {number(self['agreement'])}"
        )

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [("task", "answers", "label", "probability", "")]
        for task in self["tasks"][:20]:
            rows.append(
                (
                    task["name"],
                    number(task["answers"]),
                    task["label"],
                    number(task["probability"]),
                    "needs another answer" if task["uncertain"] else "",
                )
            )
        return rows


class Description(Result):
    """Columns and labels of a file: ``columns``, ``labels``, ``rows`` and more."""

    _title = "Description"

    def _lead(self) -> str:
        labels = ", ".join(f"{label['text']} ({label['count']})" for label in self["labels"][:10])
        found = f"{self['format']}, {self['rows']} rows, {self['features']} features"
        return found + (f", labels {labels}" if labels else "")

    def _rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [
            ("column", "kind", "missing", "distinct", "min", "median", "max", "")
        ]
        for one in self["columns"]:
            numbers = (number(one[n]) for n in ("missing", "distinct", "min", "median", "max"))
            rows.append((one["name"], one["kind"], *numbers, one["warning"] or ""))
        return rows


class Explanation(Result):
    """A model, or one of its predictions."""

    _title = "Explanation"

    def _rows(self) -> list[tuple[str, ...]]:
        if self.__dict__.get("contributions"):
            rows: list[tuple[str, ...]] = [("feature", "value", "contribution")]
            for one in self["contributions"][:20]:
                value = one["text"] if one["text"] is not None else number(one["value"])
                rows.append((one["name"], value, number(one["contribution"])))
            return rows
        if self.__dict__.get("neighbors"):
            rows = [("row", "distance", "label", "share")]
            for one in self["neighbors"]:
                label = one["label"] if one["label"] is not None else number(one["value"])
                rows.append(
                    (number(one["row"]), number(one["distance"]), label, number(one["share"]))
                )
            return rows
        if self.__dict__.get("features"):
            return [("feature", "class", self["of"]), *(
                (name, label, number(value)) for name, label, value in self["features"]
            )]  # fmt: skip
        return super()._rows()


class Plot:
    """A plot. Notebooks display it, and ``save`` writes it to a file."""

    def __init__(self, kind: str, data: bytes, form: str) -> None:
        self.kind = kind
        self.data = data
        self.format = form

    def __repr__(self) -> str:
        return f"Plot({self.kind!r}, format={self.format!r}, {len(self.data)} bytes)"

    def _repr_html_(self) -> str | None:
        types = {"svg": "image/svg+xml", "png": "image/png"}
        if self.format not in types:
            return None
        content = base64.b64encode(self.data).decode()
        return f'<img alt="{self.kind}" src="data:{types[self.format]};base64,{content}">'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plot to a file. The format of the file is that of the plot."""
        suffix = os.path.splitext(os.fspath(path))[1][1:].lower()
        if suffix in ("svg", "png", "pdf") and suffix != self.format:
            raise ValueError(
                f"the plot has the format {self.format}, and the file name ends with .{suffix}\n"
                f"hint: plot(..., format={suffix!r})"
            )
        with open(path, "wb") as file:
            file.write(self.data)
