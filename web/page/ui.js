/* Elements, messages and numbers of the page. */

/** An element: attributes, listeners (onclick: ...), and children. */
export function el(name, given = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(
    ...children.filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}

export const byId = (id) => document.getElementById(id);

export const percent = (value) =>
  value === null || value === undefined ? "–" : `${(100 * value).toFixed(value < 0.1 ? 2 : 1)}%`;
export const count = (value, one, many) =>
  `${value.toLocaleString("en")} ${value === 1 ? one : many}`;
export const short = (value) =>
  typeof value === "number" ? String(Number(value.toPrecision(4))) : (value ?? "–");
export const size = (bytes) =>
  bytes < 1e3
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;
export const duration = (seconds) =>
  seconds < 1 ? `${Math.round(1e3 * seconds)} ms` : `${seconds.toFixed(1)} s`;

/** A message that is read aloud. */
export function say(place, text, kind = "note") {
  place.className = `message ${kind}`;
  place.replaceChildren(text);
  place.hidden = !text;
}

/** The message and the hint of an error. */
export function sayError(place, error) {
  if (error.stopped) return say(place, "Stopped. Labels and files are kept.");
  const parts = [el("strong", {}, error.message)];
  if (error.hint) parts.push(el("span", { class: "hint" }, `Hint: ${error.hint}`));
  place.className = "message error";
  place.replaceChildren(...parts);
  place.hidden = false;
}

export function download(name, content, type = "application/octet-stream") {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

/** A table with a caption. A cell is text, an element, or {number}. */
export function table(caption, heads, rows) {
  const cell = (value, tag = "td", scope) =>
    value && typeof value === "object" && "number" in value
      ? el(tag, { class: "number", scope }, value.number)
      : el(tag, { scope }, value ?? "");
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el(
      "table",
      {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, ...heads.map((head) => cell(head, "th", "col")))),
      el(
        "tbody",
        {},
        ...rows.map((row) =>
          el("tr", {}, ...row.map((value, i) => (i ? cell(value) : cell(value, "th", "row")))),
        ),
      ),
    ),
  );
}

/** Calls a function `wait` ms after the last of several calls. */
export function settle(wait, call) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(call, wait);
  };
}

/** The files of a drop or of an <input>, with the paths of a dropped folder. */
export async function filesOf(transfer) {
  const entries = [...(transfer.items ?? [])]
    .map((item) => item.webkitGetAsEntry?.())
    .filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory))
    return [...transfer.files].map((file) => ({
      path: file.webkitRelativePath || file.name,
      file,
    }));
  const found = [];
  const walk = async (entry) => {
    if (entry.isFile) {
      found.push({
        path: entry.fullPath.slice(1),
        file: await new Promise((done, fail) => entry.file(done, fail)),
      });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return;
      for (const one of some) await walk(one);
    }
  };
  for (const entry of entries) await walk(entry);
  return found;
}

/** Makes an element a place to drop files. */
export function dropPlace(place, take) {
  const mark = (over) => (event) => {
    event.preventDefault();
    place.classList.toggle("over", over);
  };
  place.addEventListener("dragover", mark(true));
  place.addEventListener("dragleave", mark(false));
  place.addEventListener("drop", async (event) => {
    mark(false)(event);
    take(await filesOf(event.dataTransfer));
  });
}
