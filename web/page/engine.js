/* The library in a worker that is started again after a stop or an exhausted memory, with the same
 * files. */
import { CleaveError } from "../cleave.js";
import { connect } from "../client.js";

import { byId } from "./ui.js";

const BROKEN = "The browser has no memory left for this computation";
let address; // of the worker's code

export class Engine {
  #client = null;
  #files = new Map();
  #stopped = false;

  #start() {
    address ??= URL.createObjectURL(
      new Blob([byId("worker").textContent], { type: "text/javascript" }),
    );
    const started = connect({ worker: new Worker(address), wasm: byId("wasm").textContent }).then(
      async (client) => {
        for (const [name, content] of this.#files) await client.write(name, content);
        return client;
      },
    );
    started.catch(() => {});
    return started;
  }

  /** Resolves when the library is loaded. */
  ready() {
    return (this.#client ??= this.#start());
  }

  /** A function of cleave.js or of the page's worker. */
  async call(name, ...args) {
    const client = await this.ready();
    this.#stopped = false;
    try {
      return await client.call(name, ...args);
    } catch (error) {
      if (this.#stopped) error.stopped = true;
      if (!error.broken) throw error;
      client.stop();
      this.#client = null;
      throw Object.assign(new CleaveError(BROKEN, 1), {
        hint: "use fewer rows or columns; files and labels are kept",
      });
    }
  }

  /**
   * Writes a file that is written again after a stop. content: text, bytes or a Blob, which the
   * worker reads.
   */
  async keep(name, content) {
    await this.call("write", name, content);
    this.#files.set(name, content);
    return name;
  }
  forget() {
    this.#files.clear();
  }

  /** Ends the running computation. */
  async stop() {
    this.#stopped = true;
    (await this.#client)?.stop();
    this.#client = null;
  }
}
