/* The functions of cleave.js, run in a worker: each returns a promise, and the page stays responsive.
 *
 *     import { connect } from "cleave/client.js";
 *     const cleave = await connect();
 *     const { model } = await cleave.train("svm", "mail.tsv");
 *
 * call(name, ...args) calls a function that a worker of the caller adds (worker.js). stop() ends
 * the worker, and with it a running call, whose promise is rejected. Its files are lost. After an
 * error with `broken`, such as an exhausted memory, a new client is needed. A Blob or File is read
 * in the worker. */
import { CleaveError } from "./cleave.js";

const NAMES = ["write", "read", "remove", "exists", "run", "lines", "json", "train", "update", "predict", "evaluate",
  "explain", "compare", "describe", "methods", "version"];

/** Starts a worker. `worker`: one of the caller; `wasm`: see Cleave.load. */
export async function connect({ worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" }), wasm } = {}) {
  const waiting = new Map();
  let next = 0;

  worker.onmessage = ({ data: { id, result, error } }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error) {
      const failure = new CleaveError(error.message, error.status);
      failure.hint = error.hint;
      failure.broken = error.broken;
      call?.reject(failure);
    } else call?.resolve(result);
  };
  const fail = (message) => {
    for (const { reject } of waiting.values()) reject(new CleaveError(message, 1));
    waiting.clear();
  };
  worker.onerror = (event) => fail(event.message || "the worker failed");
  const call = (name, ...args) => new Promise((resolve, reject) => {
    waiting.set(++next, { resolve, reject });
    worker.postMessage({ id: next, name, args });
  });

  await call("load", { wasm });
  const client = Object.fromEntries(NAMES.map((name) => [name, (...args) => call(name, ...args)]));
  return { ...client, call, stop: () => { worker.terminate(); fail("stopped"); } };
}
