/* The playground: points of the plane, a method, its decision regions and its updates. */
import {
  begin,
  color,
  drawRegions,
  drawSeries,
  legend,
  paintField,
  shape,
  svg,
} from "./drawing.js";
import { Engine } from "./engine.js";
import { showParams } from "./params.js";

import { byId, count, el, percent, say, sayError, settle, short, table } from "./ui.js";

const engine = new Engine();
const DATA = "/data/points.csv",
  MODEL = "/data/points.model",
  CELLS = 160,
  MOST_STEPS = 2000,
  NEAR_STEPS = 6,
  REACH = 14;
const BUILT_IN = [
  ["@points5", "Five points, separable only with a threshold"],
  ["@points6", "Six points for gradient descent"],
  ["@square4", "Four points, all on the margin"],
  ["@dogs", "Dogs of three breeds"],
  ["@spam6", "Six messages, five words"],
  ["@films5", "Five viewers, six films"],
  ["@line4", "A line fit (regression)"],
  ["@peak7", "A peak (regression)"],
  ["@powers6", "Powers of two (regression)"],
];
/* The method of an example, and its parameters. */
const SHOWN_BY = {
  "@points5": ["perceptron", { learn_threshold: true, learning_rate: "1/3" }],
  "@points6": ["svm", { solver: "gd", C: "0.1", learning_rate: "0.2" }],
  "@square4": ["svm", { C: "inf" }],
  "@dogs": ["knn", { k: "1" }],
  "@spam6": ["perceptron", { learning_rate: "0.5" }],
  "@films5": ["winnow", {}],
  "@line4": ["least-squares", {}],
  "@peak7": ["knn-regression", { k: "2" }],
  "@powers6": ["knn-regression", { k: "1" }],
};

let methods = [],
  settings = {},
  running = false,
  again = false,
  moving = null,
  place,
  view,
  layer;
const data = {
  name: "",
  columns: ["x1", "x2"],
  classes: ["A", "B"],
  rows: [],
  numbers: false,
};
const past = [];
let shown = {
  plot: null,
  wrong: new Set(),
  steps: [],
  step: -1,
};
let cursor = null,
  chosen = 0;

/* ---- points ------------------------------------------------------------------------------------
 */

const isPlane = () => (data.numbers ? data.columns.length === 1 : data.columns.length === 2);
const at = (row) => (data.numbers ? [row.values[0], Number(row.label)] : row.values);
const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const toCsv = () =>
  [[...data.columns, "label"], ...data.rows.map((row) => [...row.values, row.label])]
    .map((cells) => cells.map((cell) => quoted(String(cell))).join(",") + "\n")
    .join("");

function readCsv(text) {
  const cells = (line) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) =>
      cell.replace(/^"|"$/g, "").replaceAll('""', '"'),
    );
  const [head, ...lines] = text
    .trim()
    .split(/\r?\n/)
    .map((line) => cells(line).slice(0, line.split(",").length));
  return { head, rows: lines };
}

function remember() {
  past.push(JSON.stringify(data));
  if (past.length > 100) past.shift();
}

function setData(next) {
  Object.assign(data, next);
  chosen = Math.min(chosen, data.classes.length - 1);
  cursor = null;
  showClasses();
  showMethods();
  update();
}

function generated(kind) {
  let state = 7;
  const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const rows = [];
  for (let i = 0; i < 60; i++) {
    const second = i % 2,
      t = Math.PI * uniform(),
      noise = () => 0.12 * normal();
    const [x, y] =
      kind === "moons"
        ? second
          ? [1 - Math.cos(t), 0.4 - Math.sin(t)]
          : [Math.cos(t), Math.sin(t)]
        : kind === "ring"
          ? [Math.cos(2 * t) * (second ? 1.4 : 0.5), Math.sin(2 * t) * (second ? 1.4 : 0.5)]
          : [uniform() < 0.5 ? -1 : 1, 0];
    const point =
      kind === "xor"
        ? [x + 2.5 * noise(), (second ? x : -x) + 2.5 * noise()]
        : [x + noise(), y + noise()];
    rows.push({ values: point.map((value) => Number(value.toFixed(3))), label: "AB"[second] });
  }
  return { columns: ["x1", "x2"], classes: ["A", "B"], rows, numbers: false };
}

async function choosePreset(name) {
  remember();
  settings = {};
  if (name === "draw")
    setData({ name, columns: ["x1", "x2"], classes: ["A", "B"], rows: [], numbers: false });
  else if (!name.startsWith("@")) setData({ name, ...generated(name) });
  else {
    await engine.call("run", ["convert", name, "-o", "/tmp/preset.csv", "-q"]);
    const { head, rows } = readCsv(
      new TextDecoder().decode(await engine.call("read", "/tmp/preset.csv")),
    );
    const numbers = ["@line4", "@peak7", "@powers6"].includes(name);
    const list = rows.map((cells) => ({
      values: cells.slice(0, -1).map(Number),
      label: cells.at(-1),
    }));
    const classes = numbers
      ? []
      : [...new Set(list.map((row) => row.label))].sort((a, b) =>
          a === "+1" ? -1 : b === "+1" ? 1 : 0,
        );
    const [first, values] = SHOWN_BY[name];
    settings[first] = { ...values };
    byId("method").replaceChildren(el("option", { value: first }, first));
    setData({ name, columns: head.slice(0, -1), classes, rows: list, numbers });
  }
}

function addPoint([x, y], label = data.classes[chosen]) {
  remember();
  const [a, b] = [Number(x.toPrecision(4)), Number(y.toPrecision(4))];
  data.rows.push(data.numbers ? { values: [a], label: String(b) } : { values: [a, b], label });
  update();
}

function removePoint(i) {
  remember();
  data.rows.splice(i, 1);
  update();
}

function nearest([x, y]) {
  let best = -1,
    least = REACH;
  data.rows.forEach((row, i) => {
    const [a, b] = at(row),
      distance = Math.hypot(view.x(a) - x, view.y(b) - y);
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

/* ---- controls ----------------------------------------------------------------------------------
 */

const method = () => methods.find((one) => one.name === byId("method").value);
const suits = (one) =>
  one.name !== "uv" &&
  one.tasks.includes(
    data.numbers ? "regression" : data.classes.length > 2 ? "multiclass" : "binary",
  );

function showMethods() {
  const select = byId("method"),
    wanted = select.value,
    list = methods.filter(suits);
  select.replaceChildren(...list.map((one) => el("option", { value: one.name }, one.name)));
  select.value = list.some((one) => one.name === wanted)
    ? wanted
    : data.numbers
      ? "least-squares"
      : "svm";
  showMethod();
}

function showMethod() {
  byId("method-title").textContent = method().title;
  settings[method().name] ??= {};
  showParams(byId("params"), method(), settings[method().name], update);
}

function showClasses() {
  byId("choices").hidden = data.numbers;
  byId("classes").replaceChildren(
    ...data.classes.map((name, i) => {
      const mark = svg("svg", {
        viewBox: "-8 -8 16 16",
        width: 16,
        height: 16,
        "aria-hidden": "true",
      });
      mark.append(svg("path", { d: shape(i), fill: color(i) }));
      return el(
        "label",
        { class: "choice" },
        el("input", {
          type: "radio",
          name: "class",
          checked: i === chosen,
          onchange: () => {
            chosen = i;
          },
        }),
        mark,
        name,
      );
    }),
    data.classes.length && data.classes.length < 6 && isPlane()
      ? el(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: () => {
              data.classes.push(String.fromCharCode(65 + data.classes.length));
              chosen = data.classes.length - 1;
              showClasses();
            },
          },
          "Add class",
        )
      : "",
  );
}

/* ---- training ----------------------------------------------------------------------------------
 */

const reading = () => [
  "--format",
  "csv",
  "--header",
  "yes",
  "--label",
  "label",
  "--task",
  data.numbers ? "regression" : "classification",
  "--columns",
  data.columns.map((name) => `${name}=number`).join(","),
];

function flags() {
  const list = [];
  for (const [name, value] of Object.entries(settings[method().name] ?? {})) {
    if (value === false) continue;
    list.push(`--${name.replaceAll("_", "-")}`);
    if (value !== true) list.push(value);
  }
  return list.concat("--transform", byId("scaled").checked ? "auto" : "none");
}

function box() {
  const xs = data.rows.map((row) => at(row)[0]),
    ys = data.rows.map((row) => at(row)[1]);
  const side = (values) => {
    const low = values.length ? Math.min(...values) : 0,
      high = values.length ? Math.max(...values) : 10;
    const pad = 0.08 * (high - low) || 1;
    return [low - pad, high + pad];
  };
  const [[left, right], [bottom, top]] = [side(xs), side(ys)];
  return [left, bottom, right, top];
}

async function attempt(...args) {
  try {
    return await engine.call("lines", ...args);
  } catch (error) {
    if (error.broken || error.stopped) throw error;
    return null;
  }
}

/* Points are compared as the numbers of 32 bits that the library has. */
const place32 = (x, y) => `${Math.fround(x)},${Math.fround(y)}`;

/* The box of a panel: that of its field, or of its regions and lines. */
function boxOf(panel) {
  const lines = (panel?.series ?? []).filter((one) => one.style !== "marks");
  const xs = [
    ...(panel?.regions ?? []).flatMap(({ corners }) => corners.map(([x]) => x)),
    ...lines.flatMap((one) => one.x),
  ];
  const ys = [
    ...(panel?.regions ?? []).flatMap(({ corners }) => corners.map(([, y]) => y)),
    ...[panel?.y.low, panel?.y.high].filter((y) => typeof y === "number"),
  ];
  if (panel?.field) return panel.field.box;
  if (xs.length < 2 || ys.length < 2) return null;
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/* The panel of a plot: the numbers of classes become those of the class buttons. */
function inOurColors(plot) {
  const panel = plot?.panels[0],
    number = (cell) =>
      cell === null || cell === undefined ? cell : data.classes.indexOf(plot.classes[cell]);
  if (panel?.field) panel.field.cells = panel.field.cells.map(number);
  for (const one of panel?.series ?? [])
    if (one.color < plot.classes.length) one.color = number(one.color);
  if (plot) plot.classes = data.classes;
  return panel;
}

async function train() {
  const plane = isPlane(),
    labels = new Set(data.rows.map((row) => row.label));
  shown = {
    plot: null,
    wrong: new Set(),
    steps: [],
    step: -1,
    neighbors: null,
  };
  if (data.rows.length < 2 || (!data.numbers && labels.size < 2)) {
    say(
      byId("play-message"),
      data.rows.length
        ? "Add points of a second class."
        : "Click into the plane to add points. Choose the class on the left.",
    );
    byId("facts").replaceChildren();
    return;
  }
  await engine.call("write", DATA, toCsv());
  const start = performance.now();
  const report = (
    await engine.call("lines", "train", method().name, DATA, "-o", MODEL, ...reading(), ...flags())
  )[0];
  const seconds = (performance.now() - start) / 1e3;
  if (plane) {
    const flags = [...reading().slice(0, 6), "--cells", CELLS];
    shown.plot = (await attempt("plot", "regions", MODEL, DATA, ...flags))?.[0] ?? null;
    for (const one of inOurColors(shown.plot)?.series ?? [])
      one.misclassified?.forEach(
        (wrong, i) => wrong && shown.wrong.add(place32(one.x[i], one.y[i])),
      );
  }
  const model = (await attempt("explain", MODEL, "--top", "12"))?.[0] ?? null;
  shown.steps =
    data.rows.length <= 60
      ? ((
          await attempt("trace", method().name, DATA, ...reading(), ...flags().slice(0, -1), "none")
        )?.slice(0, MOST_STEPS) ?? [])
      : [];
  shown.step = shown.steps.length - 1;
  showFacts(report, model, seconds);
  say(byId("play-message"), "");
}

async function update() {
  if (running) {
    again = true;
    return;
  }
  running = true;
  byId("play").setAttribute("aria-busy", "true");
  try {
    await engine.ready();
    await train();
  } catch (error) {
    sayError(byId("play-message"), error);
  }
  running = false;
  byId("play").removeAttribute("aria-busy");
  draw();
  showTrace();
  if (again) {
    again = false;
    update();
  }
}

/* ---- results -----------------------------------------------------------------------------------
 */

function treeText(nodes, i = 0) {
  const node = nodes[i];
  if (node.column === undefined)
    return el(
      "li",
      {},
      `${node.class ?? short(node.value)} `,
      el("span", { class: "soft" }, count(node.weight, "row", "rows")),
    );
  const test =
    node.left_up_to !== undefined ? `${node.column} ≤ ${short(node.left_up_to)}` : node.column;
  return el(
    "li",
    {},
    el("strong", {}, test),
    el(
      "ul",
      {},
      el("li", { class: "branch" }, "yes", el("ul", {}, treeText(nodes, node.left))),
      el("li", { class: "branch" }, "no", el("ul", {}, treeText(nodes, node.right))),
    ),
  );
}

function showFacts(report, model, seconds) {
  const facts = [];
  const fact = (name, value) =>
    value !== undefined &&
    value !== null &&
    facts.push(el("div", {}, el("dt", {}, name), el("dd", {}, value)));
  if (data.numbers) fact("Training RMSE", report.train_rmse && short(report.train_rmse));
  else if (report.train_errors !== undefined)
    fact(
      "Training error",
      `${percent(report.train_errors / report.rows)} (${report.train_errors} of ${report.rows})`,
    );
  fact("Result", report.summary);
  fact("Support vectors", report.support_vectors);
  fact("Time", `${Math.max(1, Math.round(1e3 * seconds))} ms`);
  fact("Objective", report.objective);
  const parts = [el("dl", { class: "facts" }, ...facts)];
  if (model?.weights) {
    const outputs = Object.values(model.weights).some((one) => typeof one === "object")
      ? model.weights
      : { "": model.weights };
    for (const [name, weights] of Object.entries(outputs))
      parts.push(
        table(
          name ? `Weights for ${name}` : "Weights",
          ["feature", { number: "weight" }],
          [
            ...Object.entries(weights).map(([feature, weight]) => [
              feature,
              { number: short(weight) },
            ]),
            ...(typeof model.intercept === "number"
              ? [["intercept", { number: short(model.intercept) }]]
              : []),
          ],
        ),
      );
  }
  if (model?.trees?.[0]?.length && model.trees[0].length < 64)
    parts.push(
      el("h3", {}, model.trees.length > 1 ? `First of ${model.trees.length} trees` : "Tree"),
      el("ul", { class: "tree" }, treeText(model.trees[0])),
    );
  byId("facts").replaceChildren(...parts);
}

/* ---- trace -------------------------------------------------------------------------------------
 */

const weightsOf = (step) =>
  typeof Object.values(step.weights)[0] === "object" ? null : step.weights;

function showTrace() {
  const { steps } = shown;
  byId("trace").hidden = !steps.length;
  if (!steps.length) return;
  const slider = byId("step");
  slider.max = steps.length;
  slider.value = shown.step + 1;
  showStep();
}

/* The updates around the current one: a long table would hold the page. */
function showStep() {
  const { steps } = shown,
    step = steps[shown.step],
    names = Object.keys(weightsOf(steps[0]) ?? {});
  const from = Math.max(0, Math.min(shown.step - NEAR_STEPS, steps.length - 2 * NEAR_STEPS)),
    number = (value) => ({ number: typeof value === "number" ? short(value) : "" });
  byId("trace-table").replaceChildren(
    table(
      "Updates",
      [
        "epoch",
        "x",
        "y",
        { number: "score" },
        "correct",
        ...names.map((name) => ({ number: name })),
        { number: "θ" },
      ],
      steps
        .slice(from, from + 2 * NEAR_STEPS)
        .map((one) => [
          String(one.epoch),
          one.step ? "step" : String(one.example),
          one.label ?? "",
          number(one.score),
          one.correct === null ? "" : one.correct ? "yes" : "no",
          ...names.map((name) => number(one.weights[name])),
          number(one.threshold),
        ]),
    ),
  );
  byId("trace-table").querySelectorAll("tbody tr")[shown.step - from]?.classList.add("current");
  byId("step-text").textContent = step
    ? `Update ${shown.step + 1} of ${steps.length}, epoch ${step.epoch}`
    : `Before the first of ${steps.length} updates`;
  draw();
}

function moveTo(step) {
  shown.step = Math.max(-1, Math.min(shown.steps.length - 1, step));
  byId("step").value = shown.step + 1;
  showStep();
}

function drawStep() {
  const step = shown.steps[shown.step],
    last = shown.step === shown.steps.length - 1;
  const weights = step && weightsOf(step),
    [left, bottom, right, top] = view.box;
  if (!weights || (last && !data.numbers)) return;
  const [a, b] = data.columns.map((name) => weights[name] ?? 0),
    threshold = step.threshold ?? 0;
  const ends = data.numbers
    ? [left, right].map((x) => [x, a * x - threshold])
    : Math.abs(b) > Math.abs(a) * 1e-9
      ? [left, right].map((x) => [x, (threshold - a * x) / b])
      : a
        ? [bottom, top].map((y) => [threshold / a, y])
        : [];
  if (ends.length)
    drawSeries(layer, view, { style: "line", x: ends.map(([x]) => x), y: ends.map(([, y]) => y) });
  const row = data.rows[typeof step.example === "number" ? step.example - 1 : -1];
  if (row)
    layer.append(
      svg("circle", { class: "visited", cx: view.x(at(row)[0]), cy: view.y(at(row)[1]), r: 11 }),
    );
}

/* ---- drawing -----------------------------------------------------------------------------------
 */

function draw() {
  const plane = isPlane();
  if (!byId("play").getBoundingClientRect().width) return; // hidden
  byId("plane").hidden = !plane;
  byId("flat").hidden = plane;
  if (!plane) {
    byId("flat").replaceChildren(
      table(
        `${count(data.rows.length, "row", "rows")} of ${data.columns.length} features`,
        ["row", ...data.columns, "label"],
        data.rows.map((row, i) => [
          String(i + 1),
          ...row.values.map((value) => ({ number: String(value) })),
          row.label,
        ]),
      ),
    );
    return;
  }
  const panel = shown.plot?.panels[0],
    partial = shown.steps.length && shown.step < shown.steps.length - 1;
  const area = moving ? view.box : (boxOf(panel) ?? box());
  const drawing = begin(place, area, data.numbers ? [data.columns[0], "label"] : data.columns);
  ({ view, layer } = drawing);
  paintField(byId("field"), view, partial ? null : panel?.field);
  if (!partial && panel?.regions) drawRegions(layer, view, panel.regions, shown.plot.classes);
  if (!partial)
    for (const one of panel?.series ?? []) if (one.style !== "marks") drawSeries(layer, view, one);
  drawStep();
  for (const [a, b, c, d] of shown.neighbors ?? [])
    drawSeries(layer, view, { style: "segments", x: [a, c], y: [b, d] });
  data.rows.forEach((row) => {
    const [x, y] = at(row),
      number = data.numbers ? 0 : data.classes.indexOf(row.label);
    const wrong = shown.wrong.has(place32(x, y));
    const mark = svg("path", {
      class: wrong ? "point wrong" : "point",
      d: shape(number),
      fill: color(number),
      transform: `translate(${view.x(x)} ${view.y(y)})`,
    });
    mark.append(svg("title", {}, `${row.label}: ${x}, ${y}${wrong ? " (misclassified)" : ""}`));
    layer.append(mark);
  });
  if (cursor)
    layer.append(
      svg("path", {
        class: "cursor",
        d: `M${view.x(cursor[0])} ${view.y(cursor[1])}m-9 0h18m-9-9v18`,
      }),
    );
  legend(byId("legend"), data.numbers ? [] : data.classes);
  byId("plane-text").textContent = `${count(data.rows.length, "point", "points")}${
    shown.wrong.size ? `, ${shown.wrong.size} misclassified` : ""
  }`;
}

/* The neighbors of the place under the pointer. */
async function showNeighbors(point) {
  if (data.numbers || running || !method()?.name.startsWith("knn")) return;
  const example = data.columns.map((name, i) => `${name}=${point[i].toPrecision(6)}`).join(",");
  const answer = (await attempt("explain", MODEL, "--example", example))?.[0];
  shown.neighbors =
    answer?.neighbors?.map(({ row }) => [...point, ...at(data.rows[row])]) ?? null;
  draw();
}

/* ---- pointer and keys --------------------------------------------------------------------------
 */

function pointer(event) {
  const { left, top } = place.getBoundingClientRect();
  return [event.clientX - left, event.clientY - top];
}

function listen() {
  const drawing = place.querySelector("svg");
  let start = null,
    hover = 0;
  drawing.addEventListener("pointerdown", (event) => {
    if (!view) return;
    start = pointer(event);
    moving = nearest(start) >= 0 ? { row: nearest(start), moved: false } : null;
    drawing.setPointerCapture(event.pointerId);
  });
  drawing.addEventListener("pointermove", (event) => {
    const here = pointer(event);
    if (
      moving &&
      start &&
      (moving.moved || Math.hypot(here[0] - start[0], here[1] - start[1]) > 4)
    ) {
      if (!moving.moved) remember();
      moving.moved = true;
      const [x, y] = view.back(...here).map((value) => Number(value.toPrecision(4)));
      Object.assign(
        data.rows[moving.row],
        data.numbers ? { values: [x], label: String(y) } : { values: [x, y] },
      );
      update();
    } else if (!start && performance.now() - hover > 60) {
      hover = performance.now();
      showNeighbors(view.back(...here));
    }
  });
  drawing.addEventListener("pointerup", (event) => {
    if (!start) return;
    const { row, moved } = moving ?? {};
    moving = start = null;
    if (moved) update();
    else if (row !== undefined) removePoint(row);
    else addPoint(view.back(...pointer(event)));
  });
  drawing.addEventListener("pointerleave", () => {
    if (shown.neighbors) {
      shown.neighbors = null;
      draw();
    }
  });
  drawing.addEventListener("keydown", (event) => {
    const moves = {
        ArrowLeft: [-1, 0],
        ArrowRight: [1, 0],
        ArrowUp: [0, 1],
        ArrowDown: [0, -1],
      },
      move = moves[event.key];
    const [left, bottom, right, top] = view.box;
    if (move) {
      const step = event.shiftKey ? 10 : 40;
      cursor ??= [(left + right) / 2, (bottom + top) / 2];
      cursor = [
        Math.min(right, Math.max(left, cursor[0] + (move[0] * (right - left)) / step)),
        Math.min(top, Math.max(bottom, cursor[1] + (move[1] * (top - bottom)) / step)),
      ];
      draw();
    } else if (event.key === "Enter" && cursor) addPoint(cursor);
    else if ((event.key === "Delete" || event.key === "Backspace") && cursor) {
      const near = nearest([view.x(cursor[0]), view.y(cursor[1])]);
      if (near >= 0) removePoint(near);
    } else if (/^[1-6]$/.test(event.key) && data.classes[event.key - 1]) {
      chosen = event.key - 1;
      showClasses();
    } else return;
    event.preventDefault();
  });
}

export async function startPlayground() {
  place = byId("plane");
  const preset = byId("preset");
  preset.append(
    el(
      "optgroup",
      { label: "Examples" },
      ...BUILT_IN.map(([value, text]) => el("option", { value }, `${value}: ${text}`)),
    ),
    el(
      "optgroup",
      { label: "Shapes" },
      el("option", { value: "moons" }, "Two moons"),
      el("option", { value: "ring" }, "A ring"),
      el("option", { value: "xor" }, "Exclusive or"),
    ),
    el("optgroup", { label: "Your own" }, el("option", { value: "draw" }, "Empty plane")),
  );
  preset.value = "moons";
  preset.addEventListener("change", () =>
    choosePreset(preset.value).catch((error) => sayError(byId("play-message"), error)),
  );
  byId("method").addEventListener("change", () => {
    showMethod();
    update();
  });
  byId("scaled").addEventListener("change", update);
  byId("undo").addEventListener("click", () => {
    if (past.length) setData(JSON.parse(past.pop()));
  });
  byId("clear").addEventListener("click", () => {
    remember();
    setData({ rows: [] });
  });
  byId("first").addEventListener("click", () => moveTo(-1));
  byId("back").addEventListener("click", () => moveTo(shown.step - 1));
  byId("next").addEventListener("click", () => moveTo(shown.step + 1));
  byId("step").addEventListener("input", () => moveTo(Number(byId("step").value) - 1));
  new ResizeObserver(settle(30, () => draw())).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  listen();
  await engine.ready();
  methods = await engine.call("methods");
  byId("method").append(el("option", { value: "kernel-svm" }, "kernel-svm"));
  setData({ name: "moons", ...generated("moons") });
}
