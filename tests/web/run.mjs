/* The models of WebAssembly and of the native command: bit-identical for every method, predictions equal to 1e-9 where
 * the mathematical functions of the two C libraries differ.
 * usage: node run.mjs PACKAGE CLEAVE  (the folder of cleave.js, the native command) */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, command] = process.argv;
const { Cleave, CleaveError } = await import(pathToFileURL(resolve(folder, "cleave.js")));
const cleave = await Cleave.load();
const work = mkdtempSync(join(tmpdir(), "cleave-web-"));
const native = (...args) => execFileSync(resolve(command), args, { cwd: work, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
let failures = 0;
const check = (holds, what) => {
  if (holds) return;
  failures++;
  console.log(`not ok  ${what}`);
};

const make = (kind, name, ...flags) => {
  const args = ["generate", kind, "--rows", "400", "--seed", "5", ...flags, "-o", name];
  native(...args);
  cleave.run(args);
  check(Buffer.compare(readFileSync(join(work, name)), Buffer.from(cleave.read(name))) === 0, `generate ${kind}`);
  return name;
};
let state = 7;
const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647;
const rows = Array.from({ length: 400 }, () => [uniform(), uniform(), uniform()]);
const line = "a,b,c,y\n" + rows.map(([a, b, c]) => [a, b, c, 2 * a - b + c * c].join(",") + "\n").join("");
writeFileSync(join(work, "line.csv"), line);
cleave.write("line.csv", line);
const sets = {
  text: make("spam", "mail.tsv"),
  classes: make("blobs", "blobs.csv", "--features", "4"),
  numbers: "line.csv",
};

for (const { name: method, tasks } of cleave.methods()) {
  const regression = !tasks.includes("binary");
  for (const data of regression ? [sets.numbers] : [sets.text, sets.classes]) {
    const label = `${method} ${data}`;
    let ours, theirs;
    const args = ["train", method, data, "-o", "m.model", "-q", "--threads", "1"];
    try { native(...args); theirs = readFileSync(join(work, "m.model")); } catch { theirs = null; }
    const { status, errors } = cleave.run(args);
    ours = status === 0 ? Buffer.from(cleave.read("m.model")) : null;
    check((ours === null) === (theirs === null), `${label}: trained by one of them only: ${errors}`);
    if (!ours || !theirs || Buffer.compare(ours, theirs) === 0) continue;
    const mine = cleave.lines("predict", "m.model", data);
    const other = native("predict", "m.model", data, "--json").trim().split("\n").map((line) => JSON.parse(line));
    const values = (row) => [row.number ?? row.score ?? Object.values(row.scores ?? {})].flat();
    const worst = Math.max(...mine.flatMap((row, i) => values(row).map((value, j) => {
      const there = values(other[i])[j];
      return Math.abs(value - there) / Math.max(1, Math.abs(there));
    })));
    console.log(`note: ${label}: other bytes; scores differ by at most ${worst.toExponential(1)}`);
    check(worst <= 1e-9, `${label}: scores differ by ${worst}`);
  }
}

/* A model of the native command loads, and errors have a message and a hint. */
native("train", "svm", "mail.tsv", "-o", "native.model", "-q");
cleave.write("native.model", readFileSync(join(work, "native.model")));
check(cleave.predict("native.model", { texts: ["win a free prize now"] })[0].label === "spam", "a native model");
try {
  cleave.train("svm", "blobs.csv", { C: -1 });
  check(false, "an invalid option was accepted");
} catch (error) {
  check(error instanceof CleaveError && error.status === 2 && /--C/.test(error.message), `error: ${error}`);
}
for (let i = 0; i < 2000; i++) cleave.run(["predict", "native.model", "nothing.tsv"]); // the stack of arguments is restored
check(cleave.predict("native.model", { texts: ["lunch"] }).length === 1, "after many calls");

rmSync(work, { recursive: true });
console.log(failures ? `${failures} failed` : "web: all passed");
process.exit(failures ? 1 : 0);
