/* Runs the calls of client.js. */
import { Cleave } from "./cleave.js";

let cleave;

self.onmessage = async ({ data: { id, name, args } }) => {
  try {
    if (name === "load") cleave = await Cleave.load(args[0]);
    const result = name === "load" ? cleave.version() : cleave[name](...args);
    self.postMessage({ id, result });
  } catch (error) {
    self.postMessage({ id, error: { message: error.message, hint: error.hint ?? "", status: error.status ?? 1 } });
  }
};
