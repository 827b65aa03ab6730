/* The page in Chromium, from a local file: playground, data and labels by mouse and keyboard, bad
 * input, a tab that is closed, no request to the network, no violation of axe-core, nothing wider
 * than the window. usage: node page.mjs PAGE CHROMIUM NODE_FOLDER CLEAVE [--keep FOLDER] [--only
 * playground,data,labels,looks] */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , file, executablePath, packages, command, ...flags] = process.argv;
const flagged = (name) => (flags.includes(name) ? flags[flags.indexOf(name) + 1] : undefined),
  keep = flagged("--keep");
const require = createRequire(resolve(packages, "node_modules") + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const address = pathToFileURL(resolve(file)).href,
  work = mkdtempSync(join(tmpdir(), "cleave-page-"));
const SLOW = {
    timeout: 120000,
  },
  BUSY = 20; /* limits of time are this much longer: other tests run at the same time */
let failures = 0;
const check = (holds, what) => {
  if (holds) return;
  failures++;
  console.log(`not ok  ${what}`);
};
if (keep) mkdirSync(keep, { recursive: true });

const browser = await chromium.launch({
  executablePath,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});

const tasks = [];
async function open(context, view) {
  const page = await context.newPage();
  page.setDefaultTimeout(SLOW.timeout);
  page.on("pageerror", (error) => check(false, `${view}: script error: ${error.message}`));
  page.on(
    "console",
    (message) => message.type() === "error" && check(false, `${view}: ${message.text()}`),
  );
  page.on("request", (request) =>
    check(/^(file|blob|data):/.test(request.url()), `request to ${request.url()}`),
  );
  await page.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) =>
      globalThis.longTasks.push(...list.getEntries().map((entry) => entry.duration)),
    ).observe({ type: "longtask", buffered: true });
  });
  await page.goto(`${address}#${view}`);
  await page.waitForFunction((name) => document.documentElement.dataset.ready === name, view);
  return page;
}
const text = (page, selector) => page.locator(selector).innerText();
const shownError = (page, view) =>
  page.evaluate(
    (name) => document.querySelector(`#${name}-message.error:not([hidden])`)?.textContent ?? "",
    view,
  );

async function look(page, name) {
  if (keep) await page.screenshot({ path: join(keep, `${name}.png`), fullPage: true });
  const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(width <= 0, `${name}: ${width} pixels wider than the window`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, nodes } of violations)
    check(
      false,
      `${name}: axe ${id}: ${nodes
        .map((node) => node.target.join(" "))
        .slice(0, 3)
        .join("; ")}`,
    );
}
async function end(page) {
  tasks.push(...(await page.evaluate(() => globalThis.longTasks)));
  await page.close();
}

/* ---- the playground ----------------------------------------------------------------------------
 */

const settled = (page) => page.waitForFunction(() => !document.querySelector("#play[aria-busy]"));
const results = async (page) => {
  await page.waitForTimeout(30);
  await settled(page);
};

async function playground() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await open(context, "play");
  const loaded = await page.evaluate(() => performance.now());
  console.log(
    `note: the library is loaded and a model is trained ${loaded.toFixed(
      0,
    )} ms after the page was opened`,
  );
  check(loaded < 200 * BUSY, `loaded after ${loaded} ms`);
  await results(page);
  check(
    /60 points, \d+ misclassified|^60 points$/.test(await text(page, "#plane-text")),
    `points: ${await text(page, "#plane-text")}`,
  );
  check((await page.locator(".ring").count()) > 2, "support vectors are marked");
  check(await page.locator("#field").isVisible(), "decision regions are painted");

  for (const preset of await page
    .locator("#preset option")
    .evaluateAll((list) => list.map((one) => one.value))) {
    await page.selectOption("#preset", preset);
    await results(page);
    if (preset === "draw") continue;
    check(!(await shownError(page, "play")), `${preset}: ${await shownError(page, "play")}`);
    for (const method of await page
      .locator("#method option")
      .evaluateAll((list) => list.map((one) => one.value))) {
      await page.selectOption("#method", method);
      await results(page);
      const error = await shownError(page, "play");
      check(
        !error || /requires binary features|diverged/.test(error),
        `${preset} ${method}: ${error}`,
      );
      check(
        error || (await page.locator("#facts dd").count()) > 0,
        `${preset} ${method}: no result`,
      );
    }
  }

  await page.selectOption("#preset", "@points5");
  await results(page);
  check(await page.isVisible("#trace"), "the perceptron has updates");
  const updates = Number(/of (\d+),/.exec(await text(page, "#step-text"))[1]);
  await page.click("#first");
  check(/Before the first/.test(await text(page, "#step-text")), "before the first update");
  await page.click("#next");
  check((await text(page, "#step-text")).startsWith(`Update 1 of ${updates}`), "the first update");
  check(
    (await page.locator("#trace-table .current").count()) === 1,
    "the current update is marked",
  );
  check((await page.locator(".visited").count()) === 1, "the point of the update is marked");

  await page.selectOption("#preset", "@square4");
  await results(page);
  check((await page.locator(".ring").count()) === 4, "four support vectors of @square4");
  await page.focus("#plane svg");
  for (const key of ["ArrowRight", "ArrowUp", "2", "Enter"]) await page.keyboard.press(key);
  await results(page);
  check(/^5 points/.test(await text(page, "#plane-text")), "a point is added by the keyboard");
  await page.focus("#plane svg");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  await page.click("#undo");
  await results(page);
  check(/^4 points/.test(await text(page, "#plane-text")), "undo");
  const plane = await page.locator("#plane svg").boundingBox();
  await page.mouse.click(plane.x + plane.width / 2, plane.y + plane.height / 2);
  await results(page);
  check(/^5 points/.test(await text(page, "#plane-text")), "a point is added by the mouse");
  await page.mouse.click(plane.x + plane.width / 2, plane.y + plane.height / 2);
  await results(page);

  await page.selectOption("#preset", "@dogs");
  await results(page);
  await page.mouse.move(plane.x + plane.width / 3, plane.y + plane.height / 2);
  await page.mouse.move(plane.x + plane.width / 3 + 5, plane.y + plane.height / 2);
  await page.waitForTimeout(300);
  await page.mouse.move(plane.x + plane.width / 3 + 9, plane.y + plane.height / 2);
  await page.waitForFunction(() =>
    document.querySelector("#plane g path[stroke='var(--ink)'][stroke-width='2']"),
  );
  await page.fill("#param-k", "-1");
  await page.locator("#param-k").blur();
  await results(page);
  check(
    /--k/.test(await shownError(page, "play")),
    `an invalid parameter: ${await shownError(page, "play")}`,
  );
  await end(page);
  await context.close();
}

/* ---- data --------------------------------------------------------------------------------------
 */

const idle = (page) => page.waitForFunction(() => !document.querySelector("#data[aria-busy]"));
async function choose(page, name, content) {
  const path = join(work, name);
  if (content !== undefined) writeFileSync(path, content);
  await page.setInputFiles("#choose-file", path);
  await page.waitForTimeout(30);
  await idle(page);
}
async function press(page, selector) {
  await page.click(selector);
  await page.waitForTimeout(30);
  await idle(page);
}

async function data() {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    acceptDownloads: true,
  });
  const page = await open(context, "data");
  await press(page, "[data-sample=spam]");
  await press(page, "#train");
  const took = await page.evaluate(() =>
    Number(document.querySelector("#model-part").dataset.milliseconds),
  );
  console.log(`note: 5,574 messages: trained in ${took} ms`);
  check(took < 1000 * BUSY, `trained in ${took} ms`);
  await page.fill("#new-rows", "claim your free prize now\nlunch at noon?");
  await press(page, "#predict");
  const predicted = await page.locator("#predictions tbody td:nth-child(2)").allInnerTexts();
  check(predicted[0] === "spam" && predicted.length === 2, `predictions: ${predicted}`);

  const rows = Array.from(
    { length: 120 },
    (_, i) =>
      `${i % 7},${(i * 31) % 11},${["red", "blue", "green"][i % 3]},${i % 7 > 3 ? "yes" : "no"}`,
  );
  const table = `a,b,color,bought\n${rows.join("\n")}\n`;
  await choose(page, "shop.csv", table);
  check(
    (await text(page, "#data-summary")).includes("120 rows"),
    await text(page, "#data-summary"),
  );
  check(await page.isChecked("input[aria-label='bought is the label']"), "the label is guessed");
  await page.selectOption("select[aria-label='Type of b']", "category");
  await idle(page);
  check(
    (await page.inputValue("select[aria-label='Type of b']")) === "category",
    "a type is changed",
  );
  await page.selectOption("select[aria-label='Type of b']", "number");
  await idle(page);
  await page.selectOption("#data-method", "tree");
  await press(page, "#train");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-model")]);
  execFileSync(
    resolve(command),
    [
      "train",
      "tree",
      "shop.csv",
      "--label",
      "bought",
      "--columns",
      "b=number",
      "-o",
      "native.model",
      "-q",
      "--threads",
      "1",
    ],
    { cwd: work },
  );
  check(
    Buffer.compare(readFileSync(await saved.path()), readFileSync(join(work, "native.model"))) ===
      0,
    "the downloaded model has the bytes of the native one",
  );
  await press(page, "#evaluate");
  check(
    /Cross-validated error \d/.test(await text(page, "#evaluation")),
    await text(page, "#evaluation"),
  );
  const [report] = await Promise.all([page.waitForEvent("download"), page.click("#save-report")]);
  check(
    readFileSync(await report.path(), "utf8").startsWith("<!DOCTYPE html>"),
    "the report is a page",
  );
  await press(page, "#compare");
  check(
    (await page.locator("#comparison tbody tr").count()) > 2,
    `methods are compared: ${await shownError(page, "data")}`,
  );
  await page.click("input[aria-label='color is the label']");
  await idle(page);
  check((await page.locator("#label-bars .bar").count()) === 3, "another label");

  await page.setInputFiles(
    "#choose-folder",
    (() => {
      for (const [name, word] of [
        ["spam", "cash"],
        ["ham", "lunch"],
      ]) {
        mkdirSync(join(work, "mail", name), { recursive: true });
        for (let i = 0; i < 4; i++)
          writeFileSync(join(work, "mail", name, `${i}.txt`), `${word} today number ${i}\n`);
      }
      return join(work, "mail");
    })(),
  );
  await page.waitForTimeout(30);
  await idle(page);
  check(
    (await text(page, "#data-summary")).includes("8 rows"),
    `a folder of texts: ${await text(page, "#data-summary")} ${await shownError(page, "data")}`,
  );

  /* Bad input has a message, and the page goes on. */
  for (const [name, content] of [
    ["empty.csv", ""],
    ["picture.csv", Buffer.from("89504e470d0a1a0a0000000d49484452000000", "hex")],
    ["bad.libsvm", "+1 1:0.5 3:abc\n-1 2:1\n"],
  ]) {
    await choose(page, name, content);
    check(await shownError(page, "data"), `${name}: no message`);
  }
  const wide = 1e6;
  await choose(
    page,
    "wide.csv",
    [
      Array.from({ length: wide }, (_, i) => `c${i}`),
      ...[1, 2, 3, 4].map((i) => Array.from({ length: wide }, (_, j) => i + (j % 3))),
    ]
      .map((cells) => cells.join(","))
      .join("\n") + "\n",
  );
  check(
    /columns/.test(await shownError(page, "data")),
    `10^6 columns: ${await shownError(page, "data")}`,
  );
  await choose(page, "shop.csv", table);
  await press(page, "#train");
  check(!(await shownError(page, "data")), `after bad input: ${await shownError(page, "data")}`);

  await press(page, "[data-sample=classes]");
  await page.selectOption("#budget", "60");
  await page.click("#compare");
  await page.waitForSelector("#data-stop:not([hidden])");
  await page.click("#data-stop");
  await idle(page);
  check(/Stopped/.test(await text(page, "#data-message")), "a comparison is stopped");
  await page.selectOption("#data-method", "tree");
  await press(page, "#train");
  check(
    (await page.isVisible("#model-part")) && !(await shownError(page, "data")),
    `after the stop: ${await shownError(page, "data")}`,
  );
  await end(page);
  await context.close();
}

/* ---- labels ------------------------------------------------------------------------------------
 */

async function labels() {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    acceptDownloads: true,
  });
  let page = await open(context, "label");
  await page.click("#pool-sample");
  await page.waitForSelector("#label-work:not([hidden])");
  const times = [];
  for (let i = 0; i < 12; i++) {
    const item = await text(page, "#item");
    await page.keyboard.press(/free|prize|cash|win|claim/i.test(item) ? "1" : "2");
    check((await text(page, "#item")) !== item, "the next text is shown");
    times.push(
      await page.evaluate(() => Number(document.querySelector("#label-work").dataset.milliseconds)),
    );
  }
  console.log(`note: the next text after at most ${Math.max(...times)} ms`);
  check(Math.max(...times) < 50 * BUSY, `the next text after ${Math.max(...times)} ms`);
  check(
    (await text(page, "#label-count")).startsWith("12 of 500"),
    await text(page, "#label-count"),
  );
  await page.waitForFunction(() => document.querySelector("#label-error").textContent !== "–");
  await page.keyboard.press("Backspace");
  check((await text(page, "#label-count")).startsWith("11 of 500"), "undo");
  await page.keyboard.press(" ");
  check((await text(page, "#label-count")).includes("1 skipped"), "skip");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-labels")]);
  check(
    readFileSync(await saved.path(), "utf8")
      .trim()
      .split("\n")
      .every((row) => /^(spam|ham)\t./.test(row)),
    "labels are exported",
  );

  await page.keyboard.press("1"); /* a model is trained when the tab is closed */
  tasks.push(...(await page.evaluate(() => globalThis.longTasks)));
  await page.close();
  page = await open(context, "label");
  await page.click("#pools .row");
  await page.waitForSelector("#label-work:not([hidden])");
  check(
    (await text(page, "#label-count")).startsWith("12 of 500"),
    `labels are kept: ${await text(page, "#label-count")}`,
  );
  await page.click("#close-pool");
  await page.setInputFiles("#pool-file", {
    name: "picture.png",
    mimeType: "image/png",
    buffer: Buffer.alloc(2000),
  });
  await page.waitForSelector("#label-message.error");
  await page.setInputFiles("#pool-file", {
    name: "pool.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("one\ntwo\nthree\nfour\n"),
  });
  await page.waitForSelector("#label-work:not([hidden])");
  await page.fill("#class-names", "good, bad, ugly");
  await page.locator("#class-names").blur();
  check((await page.locator("#keys button").count()) === 3, "classes are renamed");
  for (let i = 0; i < 4; i++)
    await page
      .locator("#keys button")
      .nth(i % 3)
      .click();
  check(/Every text/.test(await text(page, "#item")), "the end of the pool");
  await end(page);
  await context.close();
}

/* ---- served by the command ------------------------------------------------------------------- */

async function served() {
  execFileSync(resolve(command), ["train", "perceptron", "@spam6", "-o", "m.model", "-q"], {
    cwd: work,
  });
  const flags = ["serve", "m.model", "--listen", "127.0.0.1:0", "--page", resolve(file)];
  const server = spawn(resolve(command), [...flags, "--json"], { cwd: work });
  try {
    const line = await new Promise((done) => server.stdout.once("data", (bytes) => done(bytes)));
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on("console", (message) => check(message.type() !== "error", `served: ${message.text()}`));
    await page.goto(`${JSON.parse(line).address}/#play`);
    await page.waitForFunction(() => document.querySelector("#facts dd"), null, SLOW);
    await context.close();
  } finally {
    server.kill();
  }
}

/* ---- looks -------------------------------------------------------------------------------------
 */

async function looks() {
  for (const colorScheme of ["light", "dark"])
    for (const width of keep ? [390, 1280, 1920] : [390, 1280]) {
      const context = await browser.newContext({
        viewport: { width, height: width < 500 ? 844 : 900 },
        colorScheme,
      });
      const page = await open(context, "play"),
        name = `${width}-${colorScheme}`;
      await results(page);
      await look(page, `playground-${name}`);
      await page.selectOption("#preset", "@points5");
      await results(page);
      await look(page, `trace-${name}`);
      await page.click("#tab-data");
      await look(page, `start-${name}`);
      await press(page, "[data-sample=dogs]");
      await press(page, "#train");
      await press(page, "#compare");
      await look(page, `data-${name}`);
      await page.click("#tab-label");
      await look(page, `pools-${name}`);
      await page.click("#pool-sample");
      await page.waitForSelector("#label-work:not([hidden])");
      for (const key of "1212") await page.keyboard.press(key);
      await page.waitForFunction(() => document.querySelector("#label-error").textContent !== "–");
      await look(page, `label-${name}`);
      await context.close();
    }
}

const parts = {
  playground,
  data,
  labels,
  served,
  looks,
};
for (const part of flagged("--only")
  ?.split(",")
  .map((name) => parts[name]) ?? Object.values(parts)) {
  try {
    await part();
  } catch (error) {
    check(
      false,
      `${part.name}: ${error.message.split("\n")[0]} ${
        error.stack.match(/page\.mjs:\d+/g)?.join(" ") ?? ""
      }`,
    );
  }
}
const longest = Math.max(0, ...tasks);
console.log(
  `note: longest task of the main thread ${longest.toFixed(0)} ms; ${
    tasks.filter((one) => one > 50).length
  } above 50 ms`,
);
check(longest < 50 * BUSY, "a long task of the main thread");
await browser.close();
rmSync(work, { recursive: true });
console.log(failures ? `${failures} failed` : "page: all passed");
process.exit(failures ? 1 : 0);
