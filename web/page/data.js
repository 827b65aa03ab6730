/* The data page: a file, its columns, a comparison of methods, a model, and predictions for new
 * rows. */
import { Engine } from "./engine.js";
import {
  byId,
  count,
  download,
  dropPlace,
  duration,
  el,
  filesOf,
  percent,
  say,
  sayError,
  short,
  size,
  table,
} from "./ui.js";

const engine = new Engine();
const MOST_CELLS = 20000; // of a row: the description of wider tables exhausts the memory
const MODEL = "/data/page.model",
  REPORT = "/data/report.html",
  PREDICTIONS = "/tmp/predictions.csv",
  MOST_COLUMNS = 200,
  MOST_FILE = 1.5e9,
  SHOWN = 100;
const KINDS = ["number", "category", "text", "date", "time", "weight", "ignore"];
const VERSUS = {
  not_significant: "not significant",
  worse: "worse",
  better: "better",
  not_tested: "not tested",
};
const SAMPLES = {
  spam: ["generate", "spam", "--rows", "5574", "--seed", "3", "-o", "messages.tsv", "-q"],
  dogs: ["convert", "@dogs", "-o", "dogs.csv", "-q"],
  classes: [
    "generate",
    "steps",
    "--rows",
    "3000",
    "--features",
    "12",
    "--classes",
    "3",
    "-o",
    "classes.csv",
    "-q",
  ],
};

let methods = [],
  source = null,
  description = null,
  chosen = {},
  label = null,
  trained = null,
  task = "classification",
  started = 0;

const message = () => byId("data-message");
const show = (id, visible) => {
  byId(id).hidden = !visible;
};

/* ---- the file ----------------------------------------------------------------------------------
 */

const reading = () => [
  ...(source.format ? ["--format", source.format] : []),
  ...(label ? ["--label", label] : []),
  ...(Object.keys(chosen).length
    ? [
        "--columns",
        Object.entries(chosen)
          .map(([name, kind]) => `${name}=${kind}`)
          .join(","),
      ]
    : []),
];

async function work(text, stop, body) {
  const buttons = [...byId("data").querySelectorAll("button:not(#data-stop)")];
  started = performance.now();
  say(message(), text, "busy");
  const clock = setInterval(
    () => say(message(), `${text} ${duration((performance.now() - started) / 1e3)}`, "busy"),
    500,
  );
  buttons.forEach((one) => {
    one.disabled = true;
  });
  show("data-stop", stop);
  byId("data").setAttribute("aria-busy", "true");
  try {
    await body();
    clearInterval(clock);
  } catch (error) {
    clearInterval(clock);
    sayError(message(), error);
  }
  byId("data").removeAttribute("aria-busy");
  buttons.forEach((one) => {
    one.disabled = false;
  });
  show("data-stop", false);
}

function forget() {
  engine.forget();
  source = description = trained = label = null;
  chosen = {};
  for (const id of ["columns-part", "train-part", "model-part", "predict-part"]) show(id, false);
}

async function checkWidth(file) {
  if (!/\.(csv|tsv|txt)$/i.test(file.name)) return;
  const line = (await file.slice(0, 1 << 21).text()).split("\n", 1)[0],
    cells = Math.max(...[",", ";", "\t"].map((mark) => line.split(mark).length));
  if (cells > MOST_CELLS)
    throw Object.assign(
      new Error(`${file.name} has more than ${MOST_CELLS.toLocaleString("en")} columns`),
      { hint: "write it as LIBSVM, or use the command cleave" },
    );
}

const take = (files) =>
  files.length &&
  work("Reading the data", true, async () => {
    forget();
    const total = files.reduce((sum, { file }) => sum + file.size, 0);
    if (total > MOST_FILE)
      throw Object.assign(
        new Error(`The data has ${size(total)}; the page reads up to ${size(MOST_FILE)}`),
        { hint: "use the command cleave for larger data" },
      );
    await checkWidth(files[0].file);
    for (const { path, file } of files) await engine.keep(`/data/${path}`, file);
    const folder = files.length > 1 || files[0].path.includes("/");
    source = {
      path: `/data/${folder ? files[0].path.split("/")[0] : files[0].path}`,
      name: folder ? files[0].path.split("/")[0] : files[0].path,
      size: total,
    };
    await describe();
  });

const sample = (name) =>
  work("Generating the data", false, async () => {
    forget();
    const args = SAMPLES[name],
      file = args[args.indexOf("-o") + 1];
    await engine.call("lines", ...args);
    await engine.keep(`/data/${file}`, await engine.call("read", file));
    source = { path: `/data/${file}`, name: file, size: (await engine.call("read", file)).length };
    await describe();
  });

async function describe() {
  methods = methods.length ? methods : await engine.call("methods");
  description = await engine.call("describeStart", source.path, reading(), MOST_COLUMNS);
  label ??= description.label;
  task = description.labelCount > 20 && description.numeric ? "regression" : "classification";
  showColumns();
  showMethods();
  show("columns-part", true);
  show("train-part", true);
  say(message(), "");
}

function showColumns() {
  const { rows, features, labels, columns, format, unlabeled } = description;
  byId("data-summary").textContent = `${source.name}, ${size(source.size)}: ${count(
    rows,
    "row",
    "rows",
  )}, ${count(features, "feature", "features")}, read as ${format}.`;
  const total = Math.max(...labels.map((one) => one.count), 1);
  byId("label-bars").replaceChildren(
    ...(task === "classification"
      ? labels
          .slice(0, 12)
          .map((one) =>
            el(
              "div",
              { class: "bar" },
              el("span", {}, one.value),
              el(
                "span",
                { class: "track" },
                el("span", { style: `width:${(100 * one.count) / total}%` }),
              ),
              el("span", { class: "number" }, one.count.toLocaleString("en")),
            ),
          )
      : []),
  );
  byId("data-note").textContent = [
    task === "regression"
      ? `The label is a number (${count(description.labelCount, "value", "values")}).`
      : labels.length > 12
        ? `12 of ${description.labelCount.toLocaleString("en")} classes are shown.`
        : "",
    unlabeled ? `${count(unlabeled, "row has", "rows have")} no label.` : "",
  ]
    .filter(Boolean)
    .join(" ");
  byId("warnings").replaceChildren(
    ...description.warnings
      .slice(0, 5)
      .map(({ message: text, hint }) =>
        el("li", {}, text.replaceAll("/data/", ""), hint ? ` (${hint})` : ""),
      ),
  );
  byId("columns").replaceChildren();
  if (!columns.length) return;
  const kind = (column) =>
    el(
      "select",
      {
        "aria-label": `Type of ${column.name}`,
        value: column.kind,
        onchange: ({ target }) => {
          chosen[column.name] = target.value;
          work("Reading the data", true, describe);
        },
      },
      ...[...new Set([column.kind, ...KINDS])]
        .filter((one) => one !== "label")
        .map((one) => el("option", { value: one, selected: one === column.kind }, one)),
    );
  const rowsOf = columns.map((column) => [
    column.name,
    el("input", {
      type: "radio",
      name: "label",
      "aria-label": `${column.name} is the label`,
      checked: column.name === label,
      onchange: () => {
        label = column.name;
        chosen = Object.fromEntries(Object.entries(chosen).filter(([name]) => name !== label));
        work("Reading the data", true, describe);
      },
    }),
    column.name === label ? el("span", { class: "soft" }, "label") : kind(column),
    { number: column.missing ? column.missing.toLocaleString("en") : "" },
    { number: `${column.more ? "> " : ""}${column.distinct?.toLocaleString("en") ?? ""}` },
    column.min !== null && column.min !== undefined
      ? `${short(column.min)} to ${short(column.max)}`
      : column.values.map((one) => one.value).join(", "),
  ]);
  byId("columns").append(
    table(
      description.columnCount > MOST_COLUMNS
        ? `First ${MOST_COLUMNS} of ${description.columnCount.toLocaleString("en")} columns`
        : "Columns",
      ["column", "label", "type", { number: "missing" }, { number: "distinct" }, "values"],
      rowsOf,
    ),
  );
}

/* ---- training and comparing --------------------------------------------------------------------
 */

const suits = (method) =>
  method.name !== "uv" &&
  method.tasks.includes(
    task === "regression" ? "regression" : description.labels.length > 2 ? "multiclass" : "binary",
  );

function showMethods() {
  const wide = description.features > 2000 || !description.columns.length,
    list = methods.filter(suits);
  byId("data-method").replaceChildren(
    ...list.map(({ name, title }) =>
      el("option", { value: name }, `${name}: ${title.replace(/\.$/, "")}`),
    ),
  );
  byId("data-method").value =
    task === "regression" ? "boost-regression" : wide ? "logistic" : "boost";
}

const trainWith = (method) =>
  work(`Training ${method}`, true, async () => {
    const begin = performance.now();
    const report = (
      await engine.call("lines", "train", method, source.path, "-o", MODEL, ...reading())
    )[0];
    const bytes = await engine.call("read", MODEL);
    await engine.keep(MODEL, bytes);
    trained = { method, report, bytes, seconds: (performance.now() - begin) / 1e3 };
    await showModel();
    say(message(), `Trained ${method} in ${duration(trained.seconds)}.`);
    byId("model-part").dataset.milliseconds = Math.round(1e3 * trained.seconds);
  });

const evaluate = () =>
  work("Cross-validating", true, async () => {
    const { method } = trained;
    const result = (
      await engine.call(
        "lines",
        "cv",
        method,
        source.path,
        "--folds",
        "5",
        "--report",
        REPORT,
        ...reading(),
      )
    )[0];
    trained.report_page = await engine.call("read", REPORT);
    const { title, percent: shares, value, low, high } = result.metric,
      shown = shares ? percent : short;
    byId("evaluation").textContent =
      `Cross-validated ${title} ${shown(value)} (95% interval ${shown(
        low,
      )} to ${shown(high)}) in ${result.folds} folds. ${result.summary ?? ""}`;
    show("save-report", true);
    say(message(), "");
  });

const compare = () =>
  work("Comparing methods", true, async () => {
    const budget = byId("budget").value;
    const result = (
      await engine.call(
        "lines",
        "compare",
        source.path,
        "--budget",
        `${budget}s`,
        "--report",
        REPORT,
        ...reading(),
        "--task",
        task,
      )
    )[0];
    const page = await engine.call("read", REPORT),
      done = result.candidates.filter((one) => one.metric);
    const show1 = (value) =>
      value === null || value === undefined
        ? "–"
        : result.metric.percent
          ? percent(value)
          : short(value);
    const late = result.candidates
      .filter((one) => one.method && !one.metric && /finish/.test(one.reason))
      .map((one) => one.method);
    const scale =
      1.1 *
      Math.max(
        ...done.filter((one) => one.method).map((one) => one.metric.high ?? one.metric.value),
        1e-9,
      );
    const place = (value) => `${100 * Math.min(1, Math.max(0, value ?? 0) / scale)}%`;
    byId("comparison").replaceChildren(
      table(
        `${result.metric.title} by 5-fold cross-validation; the bar is the 95% interval`,
        [
          "method",
          { number: result.metric.title },
          "interval",
          "vs. best",
          { number: "train" },
          { number: "model" },
          el("span", { class: "hidden" }, "train"),
        ],
        done.map((one) => [
          one.method ?? `baseline (${result.baseline_label ?? "mean"})`,
          { number: show1(one.metric.value) },
          el(
            "span",
            {
              class: "interval",
              role: "img",
              "aria-label": `${show1(one.metric.low)} to ${show1(one.metric.high)}`,
            },
            el("span", {
              style: `left:${place(one.metric.low)};right:calc(100% - ${place(one.metric.high)})`,
            }),
            el("b", { style: `left:${place(one.metric.value)}` }),
          ),
          one.best
            ? "best"
            : one.restricted
              ? `${count(one.training_rows, "row", "rows")} only`
              : (VERSUS[one.against_best] ?? "–"),
          { number: one.method ? duration(one.train_seconds) : "" },
          { number: one.method ? size(one.model_bytes) : "" },
          one.method &&
            el(
              "button",
              {
                type: "button",
                class: "quiet",
                onclick: () => trainWith(one.method),
              },
              "Train",
              el("span", { class: "hidden" }, ` ${one.method}`),
            ),
        ]),
      ),
      ...(late.length
        ? [el("p", { class: "help" }, `Not finished within the time limit: ${late.join(", ")}.`)]
        : []),
      el(
        "button",
        { type: "button", onclick: () => download("comparison.html", page, "text/html") },
        "Download report",
      ),
    );
    say(message(), result.best ? `Best: ${result.best}.` : "");
  });

async function showModel() {
  const { report, method, bytes } = trained,
    regression = task === "regression";
  byId("model-summary").textContent = `${method}: ${report.summary ?? "trained"}. ${
    regression
      ? ""
      : `Training error ${percent(report.train_errors / report.rows)} (${
          report.train_errors
        } of ${report.rows.toLocaleString("en")} rows). `
  }Model ${size(bytes.length)}.`;
  byId("evaluation").replaceChildren();
  show("save-report", false);
  const text = await engine.call("run", ["explain", MODEL, "--top", "12", "--levels", "4"]);
  byId("explanation").textContent = text.output;
  show("model-part", true);
  show("predict-part", true);
  byId("predict-help").textContent = description.columns.length
    ? "Paste rows with the header of the table, or choose a file."
    : "Paste one row per line, or choose a file.";
}

/* ---- predictions -------------------------------------------------------------------------------
 */

const predict = (file) =>
  work("Predicting", true, async () => {
    const typed = byId("new-rows").value,
      text =
        description.format === "text" ||
        description.format === "folder" ||
        description.format === "document";
    const content =
      file ??
      (text
        ? typed
            .split("\n")
            .filter(Boolean)
            .map((line) => (line.includes("\t") ? line : `\t${line}`))
            .join("\n") + "\n"
        : `${typed.trim()}\n`);
    if (!file && !typed.trim())
      throw Object.assign(new Error("There are no rows"), { hint: "paste rows, or choose a file" });
    const name = `/data/new-rows${file ? file.name.replace(/^[^.]*/, "") : text ? ".tsv" : ".csv"}`;
    await engine.call("write", name, content);
    const format = file ? [] : ["--format", text ? "text" : description.format];
    const { count: total, first } = await engine.call(
      "predictFile",
      MODEL,
      name,
      format,
      PREDICTIONS,
      SHOWN,
    );
    const saved = await engine.call("read", PREDICTIONS);
    byId("predictions").replaceChildren(
      table(
        total > SHOWN
          ? `First ${SHOWN} of ${count(total, "prediction", "predictions")}`
          : count(total, "prediction", "predictions"),
        ["row", "prediction", { number: "score" }],
        first.map((one) => [
          String(one.row),
          one.label ?? short(one.number),
          { number: one.score !== undefined ? short(one.score) : "" },
        ]),
      ),
      el(
        "button",
        { type: "button", onclick: () => download("predictions.csv", saved, "text/csv") },
        "Download predictions",
      ),
    );
    say(message(), "");
  });

export function startData() {
  const drop = byId("drop");
  dropPlace(byId("data"), take);
  byId("choose-file").addEventListener("change", async ({ target }) => {
    await take(await filesOf(target));
    target.value = "";
  });
  byId("choose-folder").addEventListener("change", async ({ target }) => {
    await take(await filesOf(target));
    target.value = "";
  });
  drop
    .querySelectorAll("[data-sample]")
    .forEach((button) => button.addEventListener("click", () => sample(button.dataset.sample)));
  byId("train").addEventListener("click", () => trainWith(byId("data-method").value));
  byId("compare").addEventListener("click", compare);
  byId("evaluate").addEventListener("click", evaluate);
  byId("predict").addEventListener("click", () => predict());
  byId("choose-rows").addEventListener(
    "change",
    ({ target }) => target.files[0] && predict(target.files[0]),
  );
  byId("data-stop").addEventListener("click", () => engine.stop());
  byId("save-model").addEventListener("click", () =>
    download(`${source.name.replace(/\.\w+$/, "")}.model`, trained.bytes),
  );
  byId("save-report").addEventListener("click", () =>
    download("evaluation.html", trained.report_page, "text/html"),
  );
  engine.ready();
}
