/* The labeler: a pool of texts, a key per class, and the most uncertain text next. */
import { Engine } from "./engine.js";
import {
  addPool,
  listLabels,
  listPools,
  putLabel,
  putPool,
  removeLabel,
  removePool,
} from "./store.js";
import { byId, count, download, dropPlace, el, filesOf, percent, say, sayError } from "./ui.js";

const engine = new Engine();
const MODEL = "/data/label.model",
  SAMPLED = 2000,
  QUEUE = 50,
  MOST_TEXTS = 200000,
  EVERY = 10;

let pool = null,
  labels = new Map(),
  skipped = new Set(),
  queue = [],
  current = -1,
  history = [];
let training = false,
  stale = false,
  estimates = [],
  shownAt = 0;

const left = () => pool.texts.length - labels.size;
const line = (text) => text.replace(/[\t\r\n]+/g, " ");

/* ---- the pool ----------------------------------------------------------------------------------
 */

/* Reads lines without holding the page. label<TAB>text has labels already. */
async function readLines(file) {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader(),
    lines = [];
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const parts = (rest + (value ?? "")).split(/\r?\n/);
    rest = done ? "" : parts.pop();
    lines.push(...parts.filter((one) => one.trim()));
    if (lines.length > MOST_TEXTS)
      throw Object.assign(
        new Error(`The pool has more than ${MOST_TEXTS.toLocaleString("en")} texts`),
        { hint: "label a sample of it" },
      );
    if (done) return lines;
  }
}

async function take(files) {
  try {
    if (!files.length) return;
    say(byId("label-message"), "Reading the pool", "busy");
    const texts = [],
      given = [];
    if (files.length > 1)
      for (const { file } of files) texts.push((await file.slice(0, 20000).text()).trim());
    else
      for (const text of await readLines(files[0].file)) {
        const tab = text.indexOf("\t");
        given.push(tab > 0 && tab < 40 ? text.slice(0, tab) : "");
        texts.push(tab >= 0 && tab < 40 ? text.slice(tab + 1) : text);
      }
    if (texts.some((text) => text.includes("\0")))
      throw Object.assign(new Error(`${files[0].path} is not a text file`), {
        hint: "choose a file with one text per line, or a folder of texts",
      });
    if (texts.length < 3)
      throw Object.assign(new Error(`${files[0].path} has fewer than 3 texts`), {
        hint: "choose a file with one text per line, or a folder of texts",
      });
    const classes = [...new Set(given.filter(Boolean))].slice(0, 9);
    await open(
      await create(
        files.length > 1 ? files[0].path.split("/")[0] : files[0].path,
        texts,
        classes.length > 1 && classes.length === new Set(given.filter(Boolean)).size
          ? classes
          : ["yes", "no"],
      ),
      given,
    );
    say(byId("label-message"), "");
  } catch (error) {
    sayError(byId("label-message"), error);
  }
}

async function sample() {
  say(byId("label-message"), "Generating the pool", "busy");
  await engine.call(
    "lines",
    "generate",
    "spam",
    "--rows",
    "500",
    "--seed",
    "9",
    "-o",
    "/tmp/pool.tsv",
    "-q",
  );
  const text = new TextDecoder().decode(await engine.call("read", "/tmp/pool.tsv"));
  await open(
    await create(
      "Sample messages",
      text
        .trim()
        .split("\n")
        .map((one) => one.split("\t")[1]),
      ["spam", "ham"],
    ),
  );
  say(byId("label-message"), "");
}

async function create(name, texts, classes) {
  const made = { name, texts, classes };
  made.id = await addPool(made);
  return made;
}

async function open(chosen, given = []) {
  pool = chosen;
  labels = new Map(
    (await listLabels(pool.id))
      .sort((a, b) => a.time - b.time)
      .map(({ item, label }) => [item, label]),
  );
  for (let i = 0; i < given.length; i++)
    if (given[i] && pool.classes.includes(given[i])) {
      labels.set(i, given[i]);
      putLabel(pool.id, i, given[i]);
    }
  skipped = new Set();
  history = [...labels.keys()];
  estimates = [];
  queue = [];
  await engine.call("setPool", pool.texts);
  byId("label-start").hidden = true;
  byId("label-work").hidden = false;
  byId("class-names").value = pool.classes.join(", ");
  showKeys();
  next();
  learn();
}

async function showPools() {
  const list = await listPools().catch(() => []);
  const lines = await Promise.all(
    list.map(async (one) => [one, (await listLabels(one.id)).length]),
  );
  byId("pools").replaceChildren(
    ...lines.map(([one, labeled]) =>
      el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            class: "row",
            onclick: () => open(one).catch((error) => sayError(byId("label-message"), error)),
          },
          el("strong", {}, one.name),
          el(
            "span",
            { class: "soft" },
            `${labeled} of ${count(one.texts.length, "text", "texts")} labeled`,
          ),
        ),
        el(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: async () => {
              if (!confirm(`Delete "${one.name}" and its ${labeled} labels?`)) return;
              await removePool(one.id);
              showPools();
            },
          },
          "Delete",
          el("span", { class: "hidden" }, ` ${one.name}`),
        ),
      ),
    ),
  );
  byId("pools-part").hidden = !list.length;
}

/* ---- labels ------------------------------------------------------------------------------------
 */

const open1 = (item) => !labels.has(item) && !skipped.has(item);

/* The most uncertain text; before there is a model, one at equal distances. */
function next() {
  const begin = performance.now();
  while (queue.length && !open1(queue[0])) queue.shift();
  let item = queue.shift() ?? -1;
  for (let i = 0; item < 0 && i < pool.texts.length; i++) {
    const at = (labels.size + skipped.size) * 7919 + i;
    if (open1(at % pool.texts.length)) item = at % pool.texts.length;
  }
  current = item;
  show();
  shownAt = performance.now() - begin;
  byId("label-work").dataset.milliseconds = shownAt.toFixed(1);
}

function give(number) {
  const label = pool.classes[number];
  if (current < 0 || label === undefined) return;
  const item = current;
  labels.set(item, label);
  history.push(item);
  putLabel(pool.id, item, label).catch((error) => sayError(byId("label-message"), error));
  byId("label-said").textContent = `Labeled ${label}.`;
  next();
  learn();
}

function skip() {
  if (current < 0) return;
  skipped.add(current);
  byId("label-said").textContent = "Skipped.";
  next();
}

function undo() {
  const item = history.pop();
  if (item === undefined) return;
  labels.delete(item);
  removeLabel(pool.id, item).catch((error) => sayError(byId("label-message"), error));
  current = item;
  byId("label-said").textContent = "The last label was removed.";
  show();
  learn();
}

/* ---- the model ---------------------------------------------------------------------------------
 */

async function learn() {
  if (training) {
    stale = true;
    return;
  }
  const classes = new Set(labels.values());
  if (classes.size < 2) {
    queue = [];
    showProgress();
    return;
  }
  training = true;
  const id = pool.id;
  try {
    const answer = await engine.call("rankPool", [...labels], [...skipped], SAMPLED, QUEUE, MODEL);
    if (pool?.id !== id) {
      training = false;
      return;
    }
    queue = answer.items.filter((item) => item !== current);
    estimates.push({ labels: labels.size, error: answer.expected });
  } catch (error) {
    if (!error.stopped) sayError(byId("label-message"), error);
  }
  training = false;
  if (!pool) return;
  showProgress();
  if (stale) {
    stale = false;
    learn();
  }
}

/* ---- what is shown -----------------------------------------------------------------------------
 */

function showKeys() {
  byId("keys").replaceChildren(
    ...pool.classes.map((name, i) =>
      el(
        "button",
        { type: "button", class: "key-button", onclick: () => give(i) },
        el("kbd", {}, String(i + 1)),
        name,
      ),
    ),
  );
}

function show() {
  byId("item").textContent =
    current < 0 ? "Every text is labeled or skipped." : pool.texts[current];
  byId("item").classList.toggle("done", current < 0);
  showProgress();
}

function showProgress() {
  const now = estimates.at(-1),
    before = estimates.findLast((one) => now && one.labels <= now.labels - EVERY);
  byId("label-bar").value = labels.size / pool.texts.length;
  byId("label-count").textContent =
    `${labels.size.toLocaleString("en")} of ${count(pool.texts.length, "text", "texts")} labeled${
      skipped.size ? `, ${skipped.size} skipped` : ""
    }`;
  byId("label-error").textContent = now ? percent(now.error) : "–";
  byId("label-gain").textContent = before
    ? `${(100 * Math.max(0, before.error - now.error)).toFixed(1)} points`
    : "–";
  const counts = pool.classes.map(
    (name) => [...labels.values()].filter((label) => label === name).length,
  );
  byId("class-counts").replaceChildren(
    ...pool.classes.map((name, i) =>
      el(
        "div",
        { class: "bar" },
        el("span", {}, name),
        el(
          "span",
          { class: "track" },
          el("span", { style: `width:${(100 * counts[i]) / Math.max(1, ...counts)}%` }),
        ),
        el("span", { class: "number" }, String(counts[i])),
      ),
    ),
  );
  byId("label-note").hidden = Boolean(now);
}

function onKey(event) {
  if (
    byId("label").hidden ||
    !pool ||
    byId("label-work").hidden ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
  )
    return;
  if (["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName)) return;
  if (/^[1-9]$/.test(event.key)) give(event.key - 1);
  else if (event.key === " " && event.target.tagName !== "BUTTON") skip();
  else if (event.key === "Backspace") undo();
  else return;
  event.preventDefault();
}

async function save(labeledOnly) {
  const rows = pool.texts.flatMap((text, i) =>
    labels.has(i) || !labeledOnly ? [`${labels.get(i) ?? ""}\t${line(text)}\n`] : [],
  );
  download(
    `${pool.name.replace(/\.\w+$/, "")}-labels.tsv`,
    rows.join(""),
    "text/tab-separated-values",
  );
}

export function startLabel() {
  dropPlace(byId("label"), take);
  byId("pool-file").addEventListener("change", async ({ target }) => {
    await take(await filesOf(target));
    target.value = "";
  });
  byId("pool-folder").addEventListener("change", async ({ target }) => {
    await take(await filesOf(target));
    target.value = "";
  });
  byId("pool-sample").addEventListener("click", () =>
    sample().catch((error) => sayError(byId("label-message"), error)),
  );
  byId("skip").addEventListener("click", skip);
  byId("label-undo").addEventListener("click", undo);
  byId("save-labels").addEventListener("click", () => save(true));
  byId("save-label-model").addEventListener("click", async () => {
    try {
      download(`${pool.name.replace(/\.\w+$/, "")}.model`, await engine.call("read", MODEL));
    } catch {
      say(byId("label-message"), "There is no model before two classes have a label.");
    }
  });
  byId("close-pool").addEventListener("click", () => {
    pool = null;
    byId("label-work").hidden = true;
    byId("label-start").hidden = false;
    showPools();
  });
  byId("class-names").addEventListener("change", ({ target }) => {
    const names = [
      ...new Set(
        target.value
          .split(",")
          .map((name) => name.trim())
          .filter(Boolean),
      ),
    ].slice(0, 9);
    if (names.length < 2) {
      target.value = pool.classes.join(", ");
      return;
    }
    pool.classes = names;
    putPool(pool).catch((error) => sayError(byId("label-message"), error));
    showKeys();
    showProgress();
  });
  document.addEventListener("keydown", onKey);
  showPools();
  engine.ready();
}
