/* Helper of bench/web: CPU times of training, the least of several runs that alternate. The last line has the numbers for
 * JSON. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, command, work, repetitions, peers] = process.argv;
const { Cleave } = await import(pathToFileURL(resolve(folder, "cleave.js")));
const cleave = await Cleave.load();
const numbers = [];
for (const name of [
  "web.tsv",
  "web-steps.csv",
  "web-blobs.csv",
  "web-blobs-test.csv",
  "web-small.csv",
])
  cleave.write(name, readFileSync(join(work, name)));

function cpu(body) {
  const before = process.cpuUsage();
  body();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
function native(args) {
  const script = 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1';
  const text = execFileSync(
    "bash",
    ["-c", `{ ${script}; } 2>&1`, "bash", resolve(command), ...args],
    {
      cwd: work,
      encoding: "utf8",
    },
  );
  return text
    .trim()
    .split(" ")
    .reduce((sum, part) => sum + Number(part), 0);
}
const inWeb = (args) =>
  cpu(() => {
    const { status, errors } = cleave.run(args);
    if (status) throw new Error(errors);
  });

/* The least times of functions that alternate. */
function least(...bodies) {
  const times = bodies.map(() => Infinity);
  for (let i = 0; i < Number(repetitions); i++)
    bodies.forEach((body, k) => (times[k] = Math.min(times[k], body())));
  return times;
}
function row(key, title, [ours, other], limit, faster) {
  const ratio = faster ? other / ours : ours / other;
  const met = faster ? ratio >= limit : ratio <= limit;
  const asked = faster ? `at least ${limit} times as fast` : `at most ${limit} times the CPU time`;
  const seconds = `${ours.toFixed(3)} s, other ${other.toFixed(3)} s, ratio ${ratio.toFixed(2)}`;
  console.log(`${title}: ${seconds} (asked: ${asked}${met ? "" : "; missed"})`);
  numbers.push(`"${key}_ratio":${ratio.toFixed(3)}`);
}
const train = (method, data, ...flags) => [
  "train",
  method,
  data,
  "-o",
  "web.model",
  "-q",
  ...flags,
  "--threads",
  "1",
];

console.log("WebAssembly beside the native command, one thread, file to model");
for (const [key, title, limit, args] of [
  ["svm", "svm, 20,000 messages", 3.5, train("svm", "web.tsv")],
  [
    "boost",
    "boost, 20,000 x 20, 3 classes, 20 rounds",
    3.5,
    train("boost", "web-steps.csv", "--rounds", "20"),
  ],
  [
    "forest",
    "forest, 20,000 x 20, 3 classes, 20 trees",
    3.5,
    train("forest", "web-steps.csv", "--trees", "20"),
  ],
  [
    "kernel_svm",
    "kernel-svm, 4,000 x 8",
    8,
    train("kernel-svm", "web-blobs.csv", "--gamma", "0.1", "--C", "1", "--transform", "none"),
  ],
])
  row(
    key,
    title,
    least(
      () => inWeb(args),
      () => native(args),
    ),
    limit,
    false,
  );

if (peers !== "0") {
  const require = createRequire(resolve(work, "node/node_modules") + "/");
  const read = (name) => {
    const lines = readFileSync(join(work, name), "utf8").trim().split("\n").slice(1);
    const rows = lines.map((line) => line.split(",").map(Number));
    return { x: rows.map((one) => one.slice(0, -1)), y: rows.map((one) => one.at(-1)) };
  };
  const blobs = read("web-blobs.csv"),
    test = read("web-blobs-test.csv"),
    small = read("web-small.csv");
  console.log("WebAssembly beside packages of npm");

  console.warn = () => {}; /* about loading from a file */
  const svm = await require("libsvm-js");
  const SVM = svm.default ?? svm;
  const settings = {
    kernel: SVM.KERNEL_TYPES.RBF,
    type: SVM.SVM_TYPES.C_SVC,
    gamma: 0.1,
    cost: 1,
    quiet: true,
  };
  const ours = train(
    "kernel-svm",
    "web-blobs.csv",
    "--gamma",
    "0.1",
    "--C",
    "1",
    "--transform",
    "none",
  );
  row(
    "libsvm_js",
    "kernel-svm and libsvm-js, 4,000 x 8",
    least(
      () => inWeb(ours),
      () =>
        cpu(() => {
          const model = new SVM(settings);
          model.train(blobs.x, blobs.y);
          model.free();
        }),
    ),
    5,
    true,
  );

  const { RandomForestClassifier } = require("ml-random-forest");
  const forest = train("forest", "web-small.csv", "--trees", "20", "--max-features", "3");
  row(
    "ml_random_forest",
    "forest and ml-random-forest, 1,000 x 8, 20 trees",
    least(
      () => inWeb(forest),
      () =>
        cpu(() => {
          new RandomForestClassifier({
            seed: 3,
            maxFeatures: 3,
            replacement: true,
            nEstimators: 20,
          }).train(small.x, small.y);
        }),
    ),
    5,
    true,
  );

  const KNN = require("ml-knn");
  const index = train("knn", "web-blobs.csv", "--k", "5", "--transform", "none");
  row(
    "ml_knn",
    "knn and ml-knn, 4,000 points, 2,000 queries",
    least(
      () => inWeb(index) + inWeb(["predict", "web.model", "web-blobs-test.csv", "-o", "web.out"]),
      () => cpu(() => new (KNN.default ?? KNN)(blobs.x, blobs.y, { k: 5 }).predict(test.x)),
    ),
    5,
    true,
  );
}
console.log(numbers.join(","));
