/* The worker of the page: functions whose results are small, however large the data is. */
import { functions } from "../worker.js";

const MOST_LABELS = 1000,
  MOST_VALUES = 4;

/** What `convert --describe` prints, with the first columns and labels only. */
functions.describeStart = (cleave, path, flags, mostColumns) => {
  const found = cleave.json("convert", path, "--describe", ...flags);
  const columns = found.columns
    .slice(0, mostColumns)
    .map((column) => ({ ...column, values: (column.values ?? []).slice(0, MOST_VALUES) }));
  const label = found.columns.find((column) => column.kind === "label")?.name ?? null;
  const numeric =
    found.labels.length > 0 && found.labels.every(({ value }) => value !== "" && !isNaN(value));
  return {
    ...found,
    columns,
    label,
    numeric,
    columnCount: found.columns.length,
    labels: found.labels.slice(0, MOST_LABELS),
    labelCount: found.labels.length,
  };
};

/** Predictions as a CSV file in memory; returns their number and the first ones. */
functions.predictFile = (cleave, model, path, flags, output, most) => {
  const rows = cleave.lines("predict", model, path, ...flags);
  const cell = (row) => `"${String(row.label ?? row.number ?? "").replaceAll('"', '""')}"`;
  cleave.write(
    output,
    `row,prediction\n${rows.map((row) => `${row.row},${cell(row)}\n`).join("")}`,
  );
  return { count: rows.length, first: rows.slice(0, most) };
};

/** The texts of the pool of the labeler; it is empty before. */
let texts = [];
functions.setPool = (cleave, list) => {
  texts = list;
};

const oneLine = (text) => text.replace(/[\t\r\n]+/g, " ");

/**
 * Trains on the labels [[item, label], ...] and ranks other items by the margin of their two most
 * probable classes. Returns the `most` most uncertain items and the expected error: the mean
 * probability of the other classes.
 */
functions.rankPool = (cleave, labels, skipped, sampled, most, model) => {
  const closed = new Set([...labels.map(([item]) => item), ...skipped]),
    open = [];
  const step = Math.max(1, Math.floor(texts.length / sampled));
  for (let i = labels.length % step; i < texts.length; i += step) if (!closed.has(i)) open.push(i);
  cleave.write(
    "/data/labels.tsv",
    labels.map(([item, label]) => `${label}\t${oneLine(texts[item])}\n`).join(""),
  );
  cleave.json(
    "train",
    "logistic",
    "/data/labels.tsv",
    "-o",
    model,
    "--format",
    "text",
    "--C",
    "100",
  );
  if (!open.length) return { items: [], expected: 0 };
  cleave.write("/data/rest.tsv", open.map((item) => `\t${oneLine(texts[item])}\n`).join(""));
  let sum = 0;
  const ranked = cleave
    .lines("predict", model, "/data/rest.tsv", "--format", "text", "--probabilities")
    .map(({ probabilities = {} }, i) => {
      const shares = Object.values(probabilities),
        all = shares.length === 1 ? [shares[0], 1 - shares[0]] : shares;
      const [first = 1, second = 0] = all.sort((a, b) => b - a);
      sum += 1 - first;
      return { item: open[i], margin: first - second };
    });
  return {
    items: ranked
      .sort((a, b) => a.margin - b.margin)
      .slice(0, most)
      .map(({ item }) => item),
    expected: sum / open.length,
  };
};
