/* Runs the calls of client.js, one after the other. A worker that imports this file can add
 * functions: their first argument is the Cleave. */
import { Cleave } from "./cleave.js";

export const functions = {
  load: async (old, settings) => {
    cleave = await Cleave.load(settings);
    return cleave.version();
  },
};
let cleave,
  last = Promise.resolve();

async function answer({ id, name, args }) {
  try {
    const given = await Promise.all(
      args.map((arg) => (arg instanceof Blob ? arg.arrayBuffer() : arg)),
    );
    const result = functions[name]
      ? await functions[name](cleave, ...given)
      : cleave[name](...given);
    self.postMessage({ id, result });
  } catch (error) {
    const { message, hint = "", status = 1 } = error,
      broken = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    self.postMessage({ id, error: { message, hint, status, broken } });
  }
}
self.onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};
