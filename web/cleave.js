/* cleave in WebAssembly: the command of cleave over files in memory, in a browser, a worker or Node.js.
 *
 *     import { Cleave } from "cleave";
 *     const cleave = await Cleave.load();
 *     cleave.write("mail.tsv", "spam\twin cash now\nham\tlunch at noon\n...");
 *     const { model } = cleave.train("svm", "mail.tsv");
 *     cleave.predict(model, { texts: ["free cash"] });   // [{ row: 1, label: "spam", score: ... }]
 *
 * Results are the objects that the command prints with --json (docs/formats). `cleave.read(model)` returns the bytes of
 * a model file, which the native command can also read. A call blocks its thread; client.js runs calls in a worker. */
import createModule from "./cleave-wasm.mjs";

/** A failed command: the message, the hint (may be empty) and the exit status. */
export class CleaveError extends Error {
  constructor(text, status) {
    const lines = text.trimEnd().split("\n");
    const at = lines.findIndex((line) => line.startsWith("hint: "));
    const message = lines.filter((line, i) => i !== at && !/^(note|warning): /.test(line)).join("\n");
    super(message.replace(/^cleave: /, "") || `exit status ${status}`);
    this.name = "CleaveError";
    this.hint = at >= 0 ? lines[at].slice(6) : "";
    this.status = status;
  }
}

/** {max_iterations: 5, no_intercept: true} as --max-iterations 5 --no-intercept. */
export function toFlags(options = {}) {
  const flags = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === false || value === null || value === undefined) continue;
    const flag = (name.length === 1 && name !== "C" ? "-" : "--") + name.replaceAll("_", "-");
    flags.push(flag);
    if (value !== true) flags.push(Array.isArray(value) ? value.join(",") : String(value));
  }
  return flags;
}

const quoted = (cell) => {
  const text = cell === null || cell === undefined || Number.isNaN(cell) ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Rows as the text of a file: {columns, rows}, an array of objects, or {texts, labels}. */
function toFile(data) {
  if (data.texts) {
    const line = (text, i) => `${data.labels ? data.labels[i] : ""}\t${String(text).replace(/[\t\r\n]+/g, " ")}\n`;
    return { suffix: ".tsv", format: "text", content: data.texts.map(line).join("") };
  }
  const columns = data.columns ?? [...new Set(data.flatMap(Object.keys))];
  const rows = data.rows ?? data.map((row) => columns.map((column) => row[column]));
  const lines = [columns, ...rows].map((row) => row.map(quoted).join(",") + "\n");
  return { suffix: ".csv", format: "csv", content: lines.join("") };
}

async function bytesBeside() {
  const url = new URL("cleave.wasm", import.meta.url);
  if (globalThis.process?.versions?.node) return (await import("node:fs/promises")).readFile(url);
  return (await fetch(url)).arrayBuffer();
}

/* The module in a gzip file in base64, compiled while it is expanded. */
function unpack(text) {
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "Content-Type": "application/wasm" } }));
}

/* Bytes that are written one at a time. */
class Sink {
  #bytes = new Uint8Array(1 << 16);
  #length = 0;

  push(byte) {
    if (this.#length === this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = byte;
  }
  text() { return new TextDecoder().decode(this.#bytes.subarray(0, this.#length)); }
}

export class Cleave {
  #module;
  #output = new Sink();
  #errors = new Sink();
  #input = { bytes: new Uint8Array(), at: 0 };
  #temporary = 0;

  /** Starts the library. `wasm`: the bytes of cleave.wasm, a compiled module, or the gzip file of the bytes in base64,
   * if it is not beside this file. */
  static async load({ wasm } = {}) {
    const cleave = new Cleave();
    const bytes = typeof wasm === "string" ? await unpack(wasm) : wasm ?? (await bytesBeside());
    const code = bytes instanceof WebAssembly.Module ? bytes : await WebAssembly.compile(bytes);
    cleave.#module = await createModule({
      preRun: [(module) => module.FS.init(() => cleave.#nextByte(), (byte) => cleave.#output.push(byte),
                                          (byte) => cleave.#errors.push(byte))],
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(code, imports).then((instance) => done(instance, code));
        return {};
      },
    });
    cleave.#module.FS.mkdirTree("/data");
    cleave.#module.FS.chdir("/data");
    return cleave;
  }

  #nextByte() {
    const { bytes, at } = this.#input;
    return at < bytes.length ? bytes[this.#input.at++] : null;
  }

  /** Writes a file and creates its missing folders. */
  write(name, content) {
    const folder = name.slice(0, name.lastIndexOf("/"));
    if (folder) this.#module.FS.mkdirTree(folder);
    this.#module.FS.writeFile(name, content instanceof ArrayBuffer ? new Uint8Array(content) : content);
    return name;
  }
  /** The bytes of a file. */
  read(name) { return this.#module.FS.readFile(name); }
  remove(name) { this.#module.FS.unlink(name); }
  exists(name) { return this.#module.FS.analyzePath(name).exists; }

  /** Runs a command line: {status, output, errors}, as text. */
  run(args, { input = "" } = {}) {
    const module = this.#module, stack = module.stackSave();
    this.#output = new Sink();
    this.#errors = new Sink();
    this.#input = { bytes: typeof input === "string" ? new TextEncoder().encode(input) : input, at: 0 };
    let status;
    try {
      status = module.callMain(args.map(String));
    } finally {
      module.stackRestore(stack);
    }
    return { status, output: this.#output.text(), errors: this.#errors.text() };
  }

  /** Runs a command with --json. Returns its objects; throws CleaveError. */
  lines(...args) {
    const { status, output, errors } = this.run([...args, "--json"]);
    if (status !== 0) throw new CleaveError(errors, status);
    return output.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }
  /** Like lines(), for a command that prints one object. */
  json(...args) { return this.lines(...args)[0]; }

  /* Calls body with the name of a file that holds the data, and with the flags for its format. */
  #withData(data, body) {
    if (typeof data === "string") return body(data, []);
    const { suffix, format, content } = toFile(data);
    const name = this.write(`/tmp/data-${this.#temporary++}${suffix}`, content);
    try {
      return body(name, ["--format", format]);
    } finally {
      this.remove(name);
    }
  }

  /** Trains a method: the report with `model`, the name of the model's file. */
  train(method, data, options = {}) {
    const { output = `model-${this.#temporary++}.model`, ...rest } = options;
    const report = this.#withData(data, (name, format) =>
      this.json("train", method, name, "-o", output, ...format, ...toFlags(rest)));
    return { ...report, model: output };
  }
  /** Updates a model with new rows. `output` names the updated model (default: the same file). */
  update(model, data, { output = model, ...options } = {}) {
    return this.#withData(data, (name, format) =>
      this.json("update", model, name, "-o", output, ...format, ...toFlags(options)));
  }
  /** One object per row: label, score or scores, probabilities on request. */
  predict(model, data, options = {}) {
    return this.#withData(data, (name, format) => this.lines("predict", model, name, ...format, ...toFlags(options)));
  }
  /** Metrics with confidence intervals on labeled rows. */
  evaluate(model, data, options = {}) {
    return this.#withData(data, (name, format) => this.json("test", model, name, ...format, ...toFlags(options)));
  }
  /** The model, or with {example: "..."} the prediction of one row. */
  explain(model, options = {}) { return this.json("explain", model, ...toFlags(options)); }
  /** Compares methods by cross-validation. */
  compare(data, options = {}) {
    return this.#withData(data, (name, format) => this.json("compare", name, ...format, ...toFlags(options)));
  }
  /** Detected format, label and columns of a file. */
  describe(data, options = {}) {
    return this.#withData(data, (name, format) => this.json("convert", name, "--describe", ...format, ...toFlags(options)));
  }
  /** Methods with their hyperparameters. */
  methods() { return this.json("methods"); }
  version() { return this.run(["--version"]).output.split("\n")[0].replace("cleave ", ""); }
}
