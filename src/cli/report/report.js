/* Builds the page of a report from the JSON that --json prints. The functions for each verb are at
 * the end. All text is inserted as text nodes. */
"use strict";
const call = JSON.parse(document.getElementById("call").textContent);
const results =
  document.getElementById("result").textContent.trim().split("\n").map((line) => JSON.parse(line));
const main = document.querySelector("main");
palette = call.colors;

/* ---- numbers and words */

const known = (value) => value !== null && value !== undefined;
/* Rounds to five digits, but keeps all digits of a whole number: "41,482", "2.4921", "0.0051". */
const short = (value) => {
  if (!known(value)) return "-";
  const rounded = Number.isInteger(value) || Math.abs(value) >= 1e4 ? Math.round(value) :
                                                                      Number(value.toPrecision(5));
  return Math.abs(rounded) >= 1e15 || (rounded !== 0 && Math.abs(rounded) < 1e-4) ?
    String(rounded) :
    rounded.toLocaleString("en", {maximumFractionDigits: 8});
};
const fixed = (value) => known(value) ? value.toFixed(4) : "-";
const percent = (value) => known(value) ? (100 * value).toFixed(2) + "%" : "-";
const count = (value) => known(value) ? Number(value.toPrecision(12)).toLocaleString("en") : "-";
const counted = (value, one, many) => count(value) + " " + (value === 1 ? one : many);
const quoted = (text) => "“" + text + "”";
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const range = (from, to) => Array.from({length: Math.max(0, to - from)}, (_, i) => from + i);
const sum = (list) => list.reduce((all, value) => all + value, 0);
const flag = (name) => "--" + name.replace(/_/g, "-");
const three = (value) => Number(value.toPrecision(3)).toLocaleString("en");
const bytes = (value) => value < 1e3 ? value + " bytes" :
  value < 1e6                        ? three(value / 1e3) + " kB" :
  value < 1e9                        ? three(value / 1e6) + " MB" :
                                       three(value / 1e9) + " GB";
const duration = (seconds) => !known(seconds) ? "-" :
  seconds < 1e-3                              ? three(1e6 * seconds) + " µs" :
  seconds < 1                                 ? three(1e3 * seconds) + " ms" :
                                                three(seconds) + " s";
const pValue = (p) => !known(p) ? "-" : p < 0.001 ? "< 0.001" : p.toFixed(3);
const interval = (of, show) => !of ? "-" :
  known(of.low)                    ? show(of.low) + " to " + show(of.high) :
                                     of.reason || "-";
const paths = (list) =>
  list.slice(0, 3).join(", ") + (list.length > 3 ? " and " + (list.length - 3) + " more" : "");
/* File names without folders, for titles. */
const files = (list) => paths(list.map((path) => path.replace(/\/+$/, "").replace(/^.*\//, "")));
const options = (given) =>
  Object.entries(given)
    .map(([name, value]) => flag(name) + (value === "true" ? "" : " " + value))
    .join(" ") ||
  "defaults";
/* Labels in the order in which people look them up: numbers by value, the others alphabetically. */
const inOrder = (labels) =>
  range(0, labels.length).sort((a, b) => labels[a].localeCompare(labels[b], "en", {numeric: true}));

/* The comparison with the baseline, by the tone of a summary. */
const against = {
  good: "significantly better than the baseline.",
  bad: "not better than the baseline.",
  unsure: "better than the baseline, but the difference is not statistically significant."
};

/* ---- parts of a page */

function begin(title, origin) {
  document.title = title;
  document.querySelector("h1").textContent = title;
  document.querySelector(".origin").textContent = origin;
}

function section(title) {
  const made = make("section", {}, make("h2", {}, title));
  main.append(made);
  return made;
}

const note = (parent, text) => parent.append(make("p", {class: "note"}, text));

/* Adds the result in words: the first line with a tone (good, unsure, bad), the others smaller. */
function summary(tone, first, ...others) {
  main.append(make("p", {class: "summary " + tone}, first));
  others.filter(Boolean).forEach((text) => main.append(make("p", {class: "more"}, ...words(text))));
}

/* A command or a sentence, where lines do not break at the hyphens of flags. */
const words = (command) => command.split(" ").flatMap((word) => [
  word[0] === "-" && word.length < 32 ? make("span", {class: "flag"}, word) : word, " "
]);

/* Adds names and values. A name that begins with ">" takes the whole width, and one with "$" is a
 * command. */
function facts(list) {
  const made = make("dl", {class: "facts"});
  Object.entries(list).forEach(([name, value]) => {
    const kind = name[0] === ">" ? "wide" : name[0] === "$" ? "wide command" : "";
    if (known(value))
      made.append(make("div", {class: kind}, make("dt", {}, kind ? name.slice(1) : name),
        make("dd", {}, ...(name[0] === "$" ? words(value) : [String(value)]))));
  });
  main.append(made);
}

/* Adds a box that scrolls, with a cue while something is hidden at its right or below. */
function scrolling(parent, element, kind) {
  const box = make("div", {class: "box" + (kind || ""), tabindex: 0}, element),
        frame = make("div", {class: "frame"}, box);
  const look = () => {
    frame.classList.toggle("cut", box.scrollWidth - box.clientWidth - box.scrollLeft > 2);
    frame.classList.toggle("below", box.scrollHeight - box.clientHeight - box.scrollTop > 2);
  };
  box.addEventListener("scroll", look);
  addEventListener("resize", look);
  parent.append(frame);
  setTimeout(look);
  return box;
}

/* Adds a table. A head that begins with "<" marks a column of texts. A cell is a text or an object:
 * {bar, text} is a number with a bar from -1 to 1, {swatch, text} a class, {interval, text} an
 * interval. */
function table(parent, caption, heads, rows) {
  const isText = heads.map((head) => head[0] === "<");
  const cell = (value, at) => {
    const text = known(value.text) ? value.text : value, kind = at === 0 && isText[0] ? "th" : "td";
    const made = make(kind, {
      class: value.bar !== undefined ? "b" :
        isText[at]                   ? (kind === "th" || text.includes(" ") ? "t" : "n") :
                                       undefined,
      scope: kind === "th" ? "row" : undefined
    });
    if (value.bar !== undefined) {
      const bar = make("span", {class: "bar " + (value.bar < 0 ? "minus" : "plus")});
      bar.style.setProperty("--part", Math.min(1, Math.abs(value.bar)));
      made.append(bar);
    }
    made.append(value.swatch === undefined ?
        text :
        make("span", {class: "named"}, swatch(value.swatch), make("span", {}, text)));
    if (value.interval) made.append(make("span", {class: "interval"}, value.interval));
    return made;
  };
  scrolling(parent,
    make("table", {}, make("caption", {}, make("span", {}, caption)),
      make("thead", {},
        make("tr", {},
          ...heads.map((head, at) => make("th", {scope: "col", class: isText[at] ? "t" : undefined},
                         isText[at] ? head.slice(1) : head)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell))))));
}

function swatch(number) {
  const made = make("span", {class: "swatch", "data-class": number});
  made.style.background = classColor(number);
  return made;
}

/* ---- test */

const metricNames = {
  accuracy: ["Accuracy", "fraction of rows predicted correctly"],
  error: ["Error rate", "fraction of rows misclassified"],
  macro_precision:
    ["Precision (macro)", "fraction of predictions of a class that are correct, mean over classes"],
  macro_recall: ["Recall (macro)", "fraction of rows of a class that are found, mean over classes"],
  macro_f1: ["F1 (macro)", "harmonic mean of precision and recall, mean over classes"],
  weighted_precision: ["Precision (weighted)", "precision, classes weighted by their rows"],
  weighted_recall: ["Recall (weighted)", "recall, classes weighted by their rows"],
  weighted_f1: ["F1 (weighted)", "F1, classes weighted by their rows"],
  roc_auc:
    ["ROC AUC", "probability that a row of the class scores above another row; 0.5 is chance"],
  average_precision: [
    "Average precision", "area under the precision-recall curve; chance is the fraction of the class"
  ],
  log_loss: ["Log loss", "mean of -ln(predicted probability of the true class); 0 is best"],
  brier_score: ["Brier score", "mean squared error of the predicted probabilities; 0 is best"],
  rmse: ["RMSE", "root of the mean squared error, in units of the target"],
  mae: ["MAE", "mean absolute error, in units of the target"],
  r2: ["R²", "1 is best; 0 is the baseline that predicts the mean"]
};

function describeClasses(result) {
  const rows = result.classes.map((one) => one.rows),
        unseen = result.confusion ? sum(result.confusion[rows.length]) : 0;
  const most = rows.indexOf(Math.max(...rows)), all = sum(rows) + unseen,
        baseline = all > 0 ? 1 - rows[most] / all : 1, error = result.metrics.error;
  const first = "Error rate " + percent(error.value) + " on " + counted(result.rows, "row", "rows") +
    " (95% confidence interval " + interval(error, percent) + "). ";
  const weakest = result.classes.filter((one) => one.rows > 0 && one.f1)
                    .sort((a, b) => a.f1.value - b.f1.value)[0];
  let weak = "";
  if (weakest && weakest.f1.value < 1) {
    const own = result.classes.indexOf(weakest),
          line =
            result.confusion && rows.length > 2 ? result.confusion[own].slice(0, rows.length) : [];
    const other = line.reduce(
      (best, value, at) => at !== own && value > (best < 0 ? 0 : line[best]) ? at : best, -1);
    weak = "Class with the lowest F1: " + quoted(weakest.label) + ", with precision " +
      weakest.precision.value.toFixed(3) + " and recall " + weakest.recall.value.toFixed(3) +
      (other < 0 ? "." :
                   "; it is most often confused with " + quoted(result.classes[other].label) + ".");
  }
  if (baseline === 0)
    return summary("unsure",
      first + "All rows belong to one class, " + quoted(result.classes[most].label) +
        ": they do not show whether the model separates classes.",
      weak);
  const better = error.high < baseline ? "good" : error.value < baseline ? "unsure" : "bad";
  summary(better,
    first + "Baseline (always predict " + quoted(result.classes[most].label) +
      "): " + percent(baseline) + ". The model is " +
      (error.low > baseline ? "significantly worse than the baseline." : against[better]),
    weak, otherThreshold(result), calibrationInWords(result.calibration));
}

function bestThreshold(result) {
  const curve = result.curves && result.curves.length === 1 ? result.curves[0] : null;
  return curve ?
    {curve, at: curve.f1.reduce((best, f1, at) => f1 > curve.f1[best] ? at : best, 0)} :
    null;
}

function otherThreshold(result) {
  const best = bestThreshold(result),
        positive = result.classes.find((one) => one.label === result.positive);
  if (!best || !positive || !positive.f1 || best.curve.f1[best.at] < positive.f1.value + 0.005)
    return "";
  return "With a threshold of " + digits(best.curve.threshold[best.at]) +
    " instead of 0, F1 on these rows would be " + best.curve.f1[best.at].toFixed(3) +
    " instead of " + positive.f1.value.toFixed(3) +
    ". Choose thresholds on a validation set, not on the test set.";
}

/* A bin is outside if its interval does not contain the predicted probability. If such bins have
 * more than a tenth of the rows, the deviation is not due to chance alone. */
function calibrationInWords(calibration) {
  if (!calibration || !known(calibration.error)) return "";
  const apart = calibration.bins.filter(
    (bin) => bin.predicted < bin.observed.low || bin.predicted > bin.observed.high);
  const chance =
    sum(apart.map((bin) => bin.rows)) <= sum(calibration.bins.map((bin) => bin.rows)) / 10;
  return "Probabilities are " +
    (calibration.error < 0.02    ? "well calibrated" :
        chance                   ? "not significantly miscalibrated" :
        calibration.error < 0.06 ? "roughly calibrated" :
                                   "poorly calibrated") +
    ": expected calibration error " + calibration.error.toFixed(3) + ".";
}

function describeRegression(result) {
  const rmse = result.metrics.rmse || {value: result.rmse},
        high = known(rmse.high) ? rmse.high : rmse.value;
  const better = !known(result.r2) ? "" :
    high < result.baseline_rmse        ? "good" :
    rmse.value < result.baseline_rmse  ? "unsure" :
                                     "bad";
  summary(better,
    "RMSE " + short(result.rmse) +
      (known(rmse.low) ? " (95% confidence interval " + interval(rmse, short) + ")" : "") +
      ", MAE " + short(result.mae) + " on " + counted(result.rows, "row", "rows") + "." +
      (better ? " Baseline (predict the mean): RMSE " + short(result.baseline_rmse) + ". R² " +
            result.r2.toFixed(4) + ". The model is " + against[better] :
                ""));
}

function addMetrics(result) {
  const shares = !result.metrics.rmse, show = shares ? fixed : short;
  const rows =
    Object.entries(result.metrics)
      .filter(([, of]) => of)
      .map(([key, of]) => [metricNames[key][0], key === "r2" ? fixed(of.value) : show(of.value),
             interval(of, key === "r2" ? fixed : show), metricNames[key][1]]);
  const part = section("Metrics");
  table(part, "Metrics with 95% confidence intervals",
    ["<metric", "value", "95% interval", "<meaning"], rows);
  if (result.recall_rows)
    part.append(make("p", {},
      "Approximate search finds " + digits(result.recall) +
        " of the true nearest neighbors, measured on " +
        counted(result.recall_rows, "row", "rows") + "."));
}

function addClasses(result) {
  const share = (of) => !of ? "-" : {
    text: of.value.toFixed(3),
    interval: known(of.low) ? " (" + of.low.toFixed(3) + "–" + of.high.toFixed(3) + ")" : ""
  };
  table(section("Metrics by class"), "95% confidence intervals in parentheses",
    [
      "<class", "rows", "predicted", "precision", "recall", "F1", "ROC AUC", "average precision"
    ],
    inOrder(result.classes.map((one) => one.label)).map((k) => {
      const one = result.classes[k];
      return [
        {swatch: k, text: one.label}, short(one.rows), short(one.predicted), share(one.precision),
        share(one.recall), share(one.f1), share(one.roc_auc), share(one.average_precision)
      ];
    }));
}

/* Cells are shaded by their fraction of the row. Names stay visible while the matrix scrolls. The
 * cell below the pointer is described in words. */
function addMatrix(part, result) {
  const labels = result.classes.map((one) => one.label), last = labels.length,
        order = inOrder(labels), totals = result.confusion.map(sum);
  const rows = order.concat(totals[last] > 0 ? [last] : []),
        columns = order.concat(result.confusion.some((row) => row[last] > 0) ? [last] : []);
  const name = (k, other) => k < last ? labels[k] : other,
        title = (k, other) => [k < last ? swatch(k) : null, make("span", {}, name(k, other))];
  const reading = make("p", {class: "reading", "aria-live": "polite"},
    "Point at a cell or tap it to read it in words.");
  let lit = [];
  const show = (event) => {
    const cell = event.target.closest("td");
    lit.forEach((one) => one.classList.remove("at"));
    lit = cell ? [cell, cell.parentNode.cells[0], head.cells[cell.cellIndex]] : [];
    lit.forEach((one) => one.classList.add("at"));
    if (!cell) return;
    const truth = rows[cell.parentNode.rowIndex - 2], answer = columns[cell.cellIndex - 1],
          value = result.confusion[truth][answer], all = totals[truth];
    reading.textContent = "True class " + quoted(name(truth, "(unseen label)")) + ", predicted " +
      quoted(name(answer, "(none)")) + ": " + short(value) + " of " + counted(all, "row", "rows") +
      (all ? " (" + (100 * value / all).toFixed(1) + "%)" : "");
  };
  const head = make("tr", {}, make("th", {scope: "col", class: "t"}, "True class"),
    ...columns.map(
      (k) => make("th", {scope: "col", title: name(k, "(none)")}, ...title(k, "(none)"))));
  const body = rows.map(
    (truth) => make("tr", {},
      make("th", {scope: "row", class: "t", title: name(truth, "(unseen label)")},
        ...title(truth, "(unseen label)")),
      ...columns.map((answer) => {
        const value = result.confusion[truth][answer],
              cell = make("td", {class: value ? (truth === answer ? "r" : "w") : undefined},
                value ? short(value) : "");
        if (value) cell.style.setProperty("--a", 0.08 + 0.57 * value / totals[truth]);
        return cell;
      })));
  part.append(make("p", {}, make("span", {class: "key r"}), " correct  ",
    make("span", {class: "key w"}), " misclassified. A darker cell holds a larger fraction of its row."));
  const box = scrolling(part,
    make("table", {},
      make("thead", {},
        make("tr", {class: "over"}, make("th", {class: "t"}),
          make("th", {colspan: columns.length, class: "t"}, "Predicted class")),
        head),
      make("tbody", {}, ...body)),
    " matrix" + (columns.length > 12 ? " many" : ""));
  box.addEventListener("mouseover", show);
  box.addEventListener("click", show);
  part.append(reading);
}

function addConfusion(result) {
  const part = section("Confusion matrix"), classes = result.classes.length;
  if (!result.confusion)
    return note(part,
      classes > 2000 ?
        "Left out: there are more than 2,000 classes." :
        "Left out: there are more than 100 classes. --confusion adds the most frequent confusions.");
  if (classes <= 100) addMatrix(part, result);
  if (classes === 2) return;
  const name = (k, other) => k < classes ? result.classes[k].label : other, found = [];
  result.confusion.forEach((row, truth) => row.forEach((value, answer) => {
    if (value && (truth !== answer || truth === classes)) found.push({truth, answer, value});
  }));
  found.sort((a, b) => b.value - a.value);
  if (found.length)
    table(part, "Most frequent confusions",
      ["<true class", "<predicted class", "<rows", "fraction of the true class"],
      found.slice(0, 15).map(
        (one) => [name(one.truth, "(unseen label)"), name(one.answer, "(none)"),
          {bar: one.value / found[0].value, text: short(one.value)},
          (100 * one.value / sum(result.confusion[one.truth])).toFixed(1) + "%"]));
}

const pairs = (xs, ys) => xs.map((x, i) => [x, ys[i]]);
/* The outline of a histogram: the left edge of each bar, then the right edge of the last bar. */
const outline = (histogram, of) =>
  pairs(histogram.low.concat(histogram.high.slice(-1)), of.concat(of.slice(-1)));

function addCurves(result) {
  const classes = result.classes.map((one) => one.label), binary = classes.length <= 2,
        part = section("Curves");
  const number = (curve) => classes.indexOf(curve.class),
        rows = sum(result.classes.map((one) => one.rows));
  const named = (curve, area) => curve.class +
    (result.classes[number(curve)][area] ?
        " (" + result.classes[number(curve)][area].value.toFixed(3) + ")" :
        "");
  if (!binary)
    part.append(make("p", {},
      "One-vs-rest" +
        (result.curves.length < classes.length ? ", for the classes with the lowest F1." : ".")));
  addChart(part, {
    title: "ROC curve",
    x: "false positive rate",
    y: "true positive rate (recall)",
    unitX: true,
    unitY: true,
    caption: "The dashed line is chance. In parentheses: the area under the curve (ROC AUC).",
    series: result.curves
              .map((curve) => ({
                name: named(curve, "roc_auc"),
                style: "line",
                color: number(curve),
                points: [[0, 0]].concat(pairs(curve.false_positive_rate, curve.recall))
              }))
              .concat([{name: "chance", style: "reference", points: [[0, 0], [1, 1]]}])
  });
  const chance = binary ? result.classes[number(result.curves[0])].rows / rows : 0;
  addChart(part, {
    title: "Precision-recall curve",
    x: "recall",
    y: "precision",
    unitX: true,
    unitY: true,
    caption: "In parentheses: average precision." +
      (binary ? " The dashed line is chance: the fraction of the class." : ""),
    series:
      result.curves
        .map((curve) => ({
          name: named(curve, "average_precision"),
          style: "line",
          color: number(curve),
          points: pairs(curve.recall, curve.precision)
        }))
        .concat(
          binary ? [{name: "chance", style: "reference", points: [[0, chance], [1, chance]]}] : [])
  });
  if (binary) addThresholds(part, result, number(result.curves[0]));
}

function addThresholds(part, result, positive) {
  const curve = result.curves[0], histogram = result.histogram, best = bestThreshold(result),
        label = (k) => result.classes[k].label;
  const inSight = (value) => known(value) &&
    (!histogram ||
      (value >= histogram.low[0] && value <= histogram.high[histogram.high.length - 1]));
  const series = (name, values, color) => ({
    name,
    style: "line",
    color,
    points: pairs(curve.threshold, values).filter((point) => inSight(point[0]))
  });
  addChart(part, {
    title: "Metrics by threshold",
    x: "threshold (score)",
    y: "precision, recall, F1",
    unitY: true,
    caption: "A row is predicted " + quoted(label(positive)) +
      " if its score is at least the threshold. The model uses 0.",
    series: [
      series("precision", curve.precision, 2), series("recall", curve.recall, 3),
      series("F1", curve.f1, 4)
    ],
    marks: [{x: 0, text: "model"}, {x: curve.threshold[best.at], text: "best F1"}].filter(
      (mark) => inSight(mark.x))
  });
  if (histogram)
    addChart(part, {
      title: "Score distribution by class",
      x: "score",
      y: "rows",
      caption: "The outermost bins also count the rows beyond them.",
      series: [
        {
          name: label(positive),
          style: "steps",
          color: positive,
          points: outline(histogram, histogram.positive)
        },
        {
          name: result.classes.length === 2 ? label(1 - positive) : "others",
          style: "steps",
          color: 1 - positive,
          points: outline(histogram, histogram.others)
        }
      ],
      marks: inSight(0) ? [{x: 0, text: "threshold"}] : []
    });
}

function addCalibration(part, result) {
  addChart(part, {
    title: "Calibration",
    x: "predicted probability of " +
      (result.classes.length <= 2 ? quoted(result.positive) : "the predicted class"),
    y: "observed frequency",
    unitX: true,
    unitY: true,
    caption:
      "Rows in ten bins of predicted probability, with 95% confidence intervals. Below the dashed line the model is overconfident.",
    series: [
      {
        name: "model",
        style: "ranges",
        color: result.classes.length <= 2 ?
          result.classes.findIndex((one) => one.label === result.positive) :
          7,
        points: result.calibration.bins.map(
          (bin) => [bin.predicted, bin.observed.value, bin.observed.low, bin.observed.high])
      },
      {name: "perfectly calibrated", style: "reference", points: [[0, 0], [1, 1]]}
    ]
  });
}

function addPredictions(result) {
  const part = section("Predictions and residuals"), of = result.predictions,
        low = Math.min(...of.target), high = Math.max(...of.target);
  addChart(part, {
    title: "Predicted and true values",
    x: "true value",
    y: "predicted value",
    caption: counted(of.target.length, "row", "rows") +
      (of.target.length < result.evaluated_rows ? ", a random sample." : ".") +
      " The dashed line is a perfect prediction.",
    series: [
      {name: "rows", style: "points", points: pairs(of.target, of.predicted)},
      {name: "perfect", style: "reference", points: [[low, low], [high, high]]}
    ]
  });
  if (result.histogram)
    addChart(part, {
      title: "Residuals",
      x: "predicted minus true value",
      y: "rows",
      caption: "The outermost bins also count the rows beyond them.",
      series: [
        {name: "rows", style: "steps", points: outline(result.histogram, result.histogram.others)}
      ],
      marks: [{x: 0, text: "0"}]
    });
}

/* Adds a line for each class: the largest weights of both signs. */
function addClassWeights(part, result) {
  const labels = result.classes.map((one) => one.label), of = result.importance.features;
  const list = (label, sign) => of.filter((one) => one.class === label && sign * one.value > 0)
                                  .map((one) => one.feature + " " + three(one.value))
                                  .join(", ") ||
    "-";
  table(part, "Largest weights of the linear model, by class",
    ["<class", "<features that raise the score", "<features that lower the score"],
    inOrder(labels)
      .filter((k) => of.some((one) => one.class === labels[k]))
      .map((k) => [{swatch: k, text: labels[k]}, list(labels[k], 1), list(labels[k], -1)]));
}

function addImportance(result) {
  const of = result.importance, model = result.model;
  if (of && of.features) {
    const part = section("Feature importance"),
          most = Math.max(...of.features.map((one) => Math.abs(one.value)), 1e-300),
          classes = of.features.some((one) => known(one.class));
    const error = result.classes ? "error rate, in percentage points," : "mean squared error",
          points = (value) => result.classes ? (100 * value).toFixed(2) : short(value);
    const captions = {
      weight: "Largest weights of the linear model: positive ones raise the score" +
        (known(result.positive) ? " of " + quoted(result.positive) : ""),
      gain: "Fraction of the total gain of the trees' splits",
      permutation: "Increase of the " + error + " on these rows when the feature is permuted"
    };
    const show = {weight: short, gain: (value) => (100 * value).toFixed(1) + "%"};
    if (classes)
      addClassWeights(part, result);
    else
      table(part,
        captions[of.by] || "Increase of the out-of-bag " + error + " when the feature is permuted",
        ["<feature", "<" + of.by],
        of.features.map((one) => [one.feature,
          {bar: one.value / most, text: (show[of.by] || points)(one.value)}]));
    if (of.feature_count > of.features.length)
      note(part,
        "Of " + counted(of.feature_count, "feature", "features") +
          ", those with the largest importance. cleave explain MODEL shows more.");
  }
  if (known(model.points))
    section("Model").append(make("p", {},
      "The model stores " + counted(model.points, "training row", "training rows") +
        " and predicts from the nearest ones by " + model.distance +
        " distance. cleave explain MODEL DATA --row N shows the neighbors of a row."));
  if (model.support_vectors && model.support_vectors.length)
    table(section("Support vectors"),
      count(model.support_vector_count) + " support vectors of " +
        counted(model.training_rows, "training row", "training rows") +
        "; those with the largest coefficients",
      ["<training row", "<class", "<alpha"],
      model.support_vectors.map(
        (one) => [known(one.row) ? String(one.row) : "?",
          known(one.against) ? "not " + one.against : one.for || "",
          {bar: one.alpha / Math.abs(model.support_vectors[0].alpha), text: short(one.alpha)}]));
}

function reportTest(result) {
  const classes = result.classes && result.classes.length, data = paths(call.arguments.slice(1)),
        some = (value) => value || undefined;
  begin(result.method + " on " + files(call.arguments.slice(1)), "cleave test");
  (classes ? describeClasses : describeRegression)(result);
  facts({
    Model: call.arguments[0],
    Method: result.method,
    $Hyperparameters: options(result.model.parameters),
    "Test set": data,
    Rows: count(result.rows),
    "Rows without a label (not evaluated)": some(result.unlabeled),
    "Rows without a prediction (counted as errors)": some(result.abstained),
    "Rows with an unseen label (counted as errors)": some(result.unseen_labels),
    Classes: some(classes),
    Features: count(result.model.features),
    "Training rows": count(result.model.training_rows),
    Seed: result.model.seed,
    "Sample weights": call.options.weighted ? "used" : undefined
  });
  addMetrics(result);
  if (classes) {
    addClasses(result);
    addConfusion(result);
  }
  if (result.scores_omitted)
    note(section("Curves"), "Left out: there are too many rows to keep their scores.");
  if (result.predictions) addPredictions(result);
  if (result.curves.length) addCurves(result);
  if (result.calibration)
    addCalibration(result.curves.length ? main.lastChild : section("Calibration"), result);
  addImportance(result);
}

/* ---- cv */

function reportCv(result) {
  const regression = result.error_metric === "rmse", show = regression ? short : percent,
        title = regression ? "RMSE" : "Error rate", data = paths(call.arguments.slice(1));
  const scale = (value) => known(value) ? (regression ? value : 100 * value) : null,
        pooled = result.pooled;
  const better = known(pooled.high) && pooled.high < result.baseline ? "good" :
    pooled.value < result.baseline                                   ? "unsure" :
                                                                       "bad";
  begin("Cross-validation of " + result.method + " on " + files(call.arguments.slice(1)),
    "cleave cv");
  summary(better,
    title + " " + show(pooled.value) +
      " on held-out folds (95% confidence interval: " + interval(pooled, show) + "). Baseline (" +
      (regression ? "predict the mean" : "always predict " + quoted(result.baseline_label)) +
      "): " + show(result.baseline) + ". The method is " + against[better],
    capital(result.summary) + (result.hint ? "; " + result.hint : "") + ".",
    result.unconverged ? "Training did not converge in " + result.unconverged + " of " +
        counted(result.fold_results.length, "fold", "folds") + "." :
                         "");
  facts({
    Method: result.method,
    Options: options(call.options),
    Data: data,
    Rows: count(result.rows),
    "Rows without a label (not evaluated)": result.unlabeled || undefined,
    Features: count(result.features),
    Classes: regression ? undefined : result.classes,
    Folds: result.folds + (result.forward_chaining ? " (forward chaining)" : ""),
    Repeats: result.repeats,
    Groups: result.groups,
    Seed: result.seed
  });
  const rows = [
    [
      title + " over all rows", show(pooled.value), interval(pooled, show),
      "each row is predicted by a model that was not trained on it"
    ],
    [
      "Mean over folds", show(result.mean.value), interval(result.mean, show),
      "interval by Student's t, widened because folds share training rows"
    ],
    [
      "Training " + title.toLowerCase(), show(result.train_error), "-",
      "on the rows the models were trained on"
    ],
    ["Gap", show(result.gap.value), "-", "held-out minus training; a large gap is overfitting"],
    [
      "Baseline", show(result.baseline), "-",
      regression ? "predicts the mean" : "always predicts the most frequent class"
    ]
  ];
  if (result.metric.name !== "error" && result.metric.name !== "rmse") {
    const format = metricShow(result.metric);
    rows.unshift([
      result.metric.title +
        (known(result.metric.positive) ? " of " + quoted(result.metric.positive) : ""),
      format(result.metric.value), interval(result.metric, format),
      "--metric; baseline " + format(result.metric.baseline_value)
    ]);
  }
  table(section("Metrics"), "Metrics with 95% confidence intervals",
    ["<metric", "value", "95% interval", "<meaning"], rows);
  const part = section("Folds"), drawn = result.fold_results.slice(0, 100),
        name = (fold) =>
          (result.repeats > 1 ? "repeat " + fold.repeat + ", " : "") + "fold " + fold.fold,
        mean = scale(result.mean.value);
  addChart(part, {
    title: title + " by fold",
    x: regression ? "RMSE" : "error rate (%)",
    y: "fold",
    names: drawn.map(name),
    fromZero: true,
    caption:
      "Held-out folds with 95% confidence intervals, and the training error of the same models." +
      (drawn.length < result.fold_results.length ? " The first 100 folds are drawn." : ""),
    series: [
      {
        name: "held-out",
        style: "ranges",
        points: drawn.map(
          (fold, i) => [scale(fold.error), i, scale(known(fold.low) ? fold.low : fold.error),
            scale(known(fold.high) ? fold.high : fold.error)])
      },
      {
        name: "training",
        style: "points",
        points: drawn.map((fold, i) => [scale(fold.train_error), i])
      },
      {
        name: "mean over folds",
        style: "reference",
        points: [[mean, -0.5], [mean, drawn.length - 0.5]]
      }
    ]
  });
  table(part, "Results of each fold",
    ["<fold", "rows", title.toLowerCase(), "95% interval", "training", "<stopped by"],
    result.fold_results.map((fold) => [name(fold), count(fold.rows), show(fold.error), interval(fold, show),
                      show(fold.train_error), fold.stopped_by || ""]));
}

/* ---- tune and compare */

const metricShow = (metric) => metric.percent ? percent : metric.higher_is_better ? fixed : short;
const metricWord = (metric) => metric.title === "error" ? "error rate" : metric.title;
const metricTitle = (metric) => metricWord(metric) + (metric.percent ? " (%)" : "");
const metricName = (metric) =>
  metricWord(metric) + (known(metric.positive) ? " of " + quoted(metric.positive) : "");
const metricScale = (metric, value) => known(value) ? (metric.percent ? 100 * value : value) : null;

function settingsOf(candidate) {
  const own = Object.entries(candidate.parameters).filter(([name]) => !name.includes(":")).map(([
    name, value
  ]) => flag(name) + (value === "true" ? "" : " " + value));
  return own.concat(candidate.transform ? ["--transform " + candidate.transform] : []).join(" ");
}

function reportTune(result) {
  const metric = result.metric, show = metricShow(metric), winner = result.candidates[0],
        data = paths(call.arguments.slice(1)), test = result.test;
  const isBetter = (a, b) => metric.higher_is_better ? a > b : a < b,
        value = (candidate) => metricScale(metric, candidate.metric.value);
  const sure = test ? test.p < 0.05 && isBetter(test.winner.value, test.defaults.value) :
                       result.significant;
  const statuses = {
    finished: "finished",
    eliminated: "not promoted",
    dropped: "dropped",
    failed: "failed",
    not_run: "not run"
  };
  begin("Hyperparameter search for " + result.method + " on " + files(call.arguments.slice(1)),
    "cleave tune");
  summary(sure ? "good" : "unsure",
    "Best of " + counted(result.candidates.length, "candidate", "candidates") + ": " +
      (winner.number === 1 ? "the defaults" : settingsOf(winner) || "the defaults") + ", with " +
      metricName(metric) + " " + show(winner.metric.value) +
      " (95% confidence interval: " + interval(winner.metric, show) + ") over the folds.",
    winner.number === 1 ? "" : capital(result.summary) + ".",
    test ? "On " + counted(test.rows, "held-out row", "held-out rows") + ": " + metricName(metric) +
        " " + show(test.winner.value) + " (95% confidence interval: " +
        interval(test.winner, show) + ")" + (test.summary ? "; " + test.summary : "") + "." :
            "",
    result.hint ? capital(result.hint) + "." : "");
  facts({
    $Command: result.command,
    ">Search space": result.tuned
                       .map((one) => flag(one.name) + " (" +
                           (known(one.values) ? one.values.replace(/,/g, ", ") :
                                                (one.scale === "log" ? "log " : "") +
                                 short(one.low) + " to " + short(one.high)) +
                           ")")
                       .join(", "),
    Method: result.method,
    Metric: metricName(metric),
    Data: data,
    "Rows in the folds": count(result.rows),
    "Held-out rows": test ? count(test.rows) : "0",
    Folds: result.folds,
    Candidates: result.candidates.length,
    Seed: result.seed
  });
  const evaluated = result.candidates.filter((one) => known(one.metric.value)),
        split = (x) => [["evaluated on all folds", true], ["dropped", false]]
                         .map(([name, finished], color) => ({
                           name,
                           color,
                           style: "points",
                           points: evaluated
                                     .filter((one) => (one.status === "finished") === finished &&
                                         known(x(one)))
                                     .map((one) => [x(one), value(one)])
                         }))
                         .filter((one) => one.points.length);
  let best = null;
  const soFar = evaluated.filter((one) => one.status === "finished")
                  .sort((a, b) => a.number - b.number)
                  .map((one) => {
                    best = best === null || isBetter(value(one), best) ? value(one) : best;
                    return [one.number, best];
                  });
  addChart(section("Search"), {
    title: "Metric by candidate",
    x: "candidate",
    y: metricTitle(metric),
    caption:
      "In the order of evaluation; candidate 1 has the defaults. Dropped candidates were evaluated on fewer folds or rows.",
    series: split((one) => one.number).concat([
      {name: "best so far", style: "line", color: 2, points: soFar}
    ])
  });
  const part = section("Hyperparameters"), set = (one, name) => known(one.parameters[name]),
        tuned =
          result.tuned.filter((one) => evaluated.some((candidate) => set(candidate, one.name)));
  tuned.filter((one) => !known(one.values)).forEach((one) => addChart(part, {
    title: flag(one.name),
    x: flag(one.name),
    y: metricTitle(metric),
    logarithmic: one.scale === "log",
    series:
      split((candidate) => set(candidate, one.name) ? Number(candidate.parameters[one.name]) : null)
  }));
  tuned.filter((one) => known(one.values)).forEach((one) => {
    const names = one.values.split(",");
    addChart(part, {
      title: flag(one.name),
      x: metricTitle(metric),
      y: flag(one.name),
      names,
      series: [{
        name: "candidates",
        style: "points",
        points:
          evaluated
            .map(
              (candidate) => [value(candidate),
                names.indexOf(set(candidate, one.name) ? candidate.parameters[one.name] : "false")])
            .filter((point) => point[1] >= 0)
      }]
    });
  });
  note(part,
    "A chart leaves out candidates that do not set its hyperparameter, such as the defaults.");
  const listed = section("Candidates");
  table(listed, "Best first",
    [
      "rank", "candidate", metricTitle(metric), "95% interval", "folds", "<result", "seconds",
      "<hyperparameters"
    ],
    result.candidates.slice(0, 500).map(
      (one, at) => [String(at + 1), String(one.number), show(one.metric.value),
        interval(one.metric, show), String(one.folds), statuses[one.status] || one.status,
        one.seconds.toFixed(2), one.number === 1 ? "the defaults" : settingsOf(one)]));
  if (result.candidates.length > 500)
    note(listed, "The first 500 candidates are listed; --json has all of them.");
}

function reportCompare(result) {
  const metric = result.metric, show = metricShow(metric), data = paths(call.arguments),
        done = result.candidates.filter((one) => one.folds_done),
        best = done.find((one) => one.best);
  const name = (one) => known(one.method) ? one.method : "baseline",
        timed = done.filter((one) => known(one.method)),
        scaled = (value) => metricScale(metric, value);
  const tests = {
    not_significant: "not significant",
    worse: "significantly worse",
    better: "significantly better"
  };
  begin("Comparison of methods on " + files(call.arguments), "cleave compare");
  if (best)
    summary(best.against_baseline === "better" ? "good" : "unsure",
      "Best: " + name(best) + ", " + metricName(metric) + " " + show(best.metric.value) +
        " (95% confidence interval: " + interval(best.metric, show) + ").",
      best.against_baseline === "better" ? "It is significantly better than the baseline." :
                                           "It is not significantly better than the baseline.",
      result.incomplete ?
        "Some methods were evaluated on fewer rows or folds; a larger --budget allows more." :
        "");
  else
    summary("bad", "No method completed a fold.");
  facts({
    $Command: best ? best.command : undefined,
    Metric: metricName(metric),
    Data: data,
    Rows: count(result.rows),
    Features: count(result.features),
    Classes: result.classes || undefined,
    Folds: result.folds,
    Repeats: result.repeats,
    Seed: result.seed
  });
  const part = section("Comparison of methods");
  addChart(part, {
    title: capital(metricTitle(metric)) + " by method",
    x: metricTitle(metric),
    y: "method",
    names: done.map(name),
    caption: "With 95% confidence intervals, best first.",
    series: [{
      name: metric.title,
      style: "ranges",
      points: done.map((one, i) => [scaled(one.metric.value), i,
                         scaled(known(one.metric.low) ? one.metric.low : one.metric.value),
                         scaled(known(one.metric.high) ? one.metric.high : one.metric.value)])
    }]
  });
  addChart(part, {
    title: "Time by method",
    x: "seconds",
    y: "method",
    names: timed.map(name),
    logarithmic: true,
    caption: "Training of one fold, and prediction of 1,000 rows.",
    series: [
      {
        name: "training",
        style: "points",
        points: timed.map((one, i) => [one.train_seconds, i]).filter((point) => point[0] > 0)
      },
      {
        name: "prediction",
        style: "points",
        points:
          timed.map((one, i) => [1000 * one.predict_seconds, i]).filter((point) => point[0] > 0)
      }
    ]
  });
  table(part, "Best first. p: paired tests over folds and rows, adjusted by Holm's method",
    [
      "<method", metricTitle(metric), "95% interval", "<against the best", "p", "rows",
      "training", "1,000 predictions", "model"
    ],
    done.map((one) => [name(one), show(one.metric.value), interval(one.metric, show),
               one.best ? "best" :
                          (tests[one.against_best] || "not tested") +
                   (one.restricted ? " (fewer rows)" : ""),
               pValue(one.p), count(one.rows), duration(one.train_seconds),
               duration(known(one.predict_seconds) ? 1000 * one.predict_seconds : null),
               known(one.model_bytes) ? bytes(one.model_bytes) : "-"]));
  if (done.length < result.candidates.length)
    table(section("Methods without a result"),
      "Methods that do not fit the data, or were not reached", ["<method", "<reason"],
      result.candidates.filter((one) => !one.folds_done)
        .map((one) => [name(one), one.reason || "-"]));
}

/* ---- plot: series become charts, other kinds are pictures */

function reportPlot(plot) {
  const part = section(plot.title), until = (text) => (text || "").split(":")[0];
  const styles =
    {line: "line", steps: "line", both: "line", marks: "points", reference: "reference"};
  const points = (one) => one.x.flatMap((x, i) => {
    const y = one.y[i], low = one.low && known(one.low[i]) ? one.low[i] : y,
          high = one.high && known(one.high[i]) ? one.high[i] : y;
    if (!known(x) || !known(y)) return [];
    return one.low ?
      [[x, y, low, high]] :
      [[x, y]].concat(one.style === "steps" && i + 1 < one.x.length ? [[one.x[i + 1], y]] : []);
  });
  if (plot.subtitle) part.append(make("p", {}, plot.subtitle));
  if (plot.image)
    part.append(
      make("figure", {class: "picture"}, make("img", {alt: plot.title, src: plot.image})));
  else
    plot.panels.forEach((panel) => addChart(part, {
      title: panel.title || plot.title,
      x: until(panel.x.title),
      y: until(panel.y.title),
      logarithmic: panel.x.logarithmic,
      unitX: panel.x.low === 0 && panel.x.high === 1,
      unitY: panel.y.low === 0 && panel.y.high === 1,
      series: panel.series.map((one) => ({
        name: one.name || plot.title,
        style: one.low ? "ranges" : styles[one.style],
        color: one.color,
        points: points(one)
      }))
    }));
}

/* ---- all */

const verbs = {
  test: reportTest,
  cv: reportCv,
  tune: reportTune,
  compare: reportCompare,
  plot: reportPlot
};
const button = document.getElementById("theme");
function redraw() {
  button.textContent = isDark() ? "light" : "dark";
  button.setAttribute("aria-label", "show the page " + button.textContent);
  document.querySelectorAll(".swatch").forEach((one) => {
    one.style.background = classColor(Number(one.dataset.class));
  });
  drawCharts();
}

if (call.verb === "plot") begin(files(call.arguments.slice(1)), "cleave plot");
results.forEach(verbs[call.verb]);
document.getElementById("maker").textContent = "Made by cleave " + call.version + " with " +
  call.library + ". The page loads nothing from the network.";
document.getElementById("licence").hidden = !window.Chart;
button.hidden = false;
button.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  redraw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
addEventListener("beforeprint", () => {
  root.dataset.before = root.dataset.theme || "";
  root.dataset.theme = "light";
  redraw();
});
addEventListener("afterprint", () => {
  if (root.dataset.before)
    root.dataset.theme = root.dataset.before;
  else
    delete root.dataset.theme;
  redraw();
});
if (window.Chart) Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
redraw();
if (!window.Chart) {
  let waiting;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(drawCharts, 100);
  });
}
if (location.hash === "#check") setTimeout(checkPage, 300);
