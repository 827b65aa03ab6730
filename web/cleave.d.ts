/** A file in memory, a built-in dataset such as "@dogs", or rows. */
export type Data =
  | string
  | { columns: string[]; rows: unknown[][] }
  | Record<string, unknown>[]
  | { texts: string[]; labels?: string[] };

/** Options of the command: {max_iterations: 5} is --max-iterations 5. */
export type Options = Record<string, string | number | boolean | (string | number)[] | null | undefined>;

export interface Prediction {
  row: number;
  name?: string;
  label?: string | null;
  abstained?: true;
  number?: number | null;
  labels?: string[];
  score?: number | null;
  scores?: Record<string, number | null>;
  probabilities?: Record<string, number | null>;
  unseen?: string[];
}

/** The object that a command prints with --json; docs/formats has a schema for each. */
export type Result = Record<string, any>;

export class CleaveError extends Error {
  constructor(text: string, status: number);
  hint: string;
  status: number;
}

export function toFlags(options?: Options): string[];

export class Cleave {
  static load(settings?: { wasm?: BufferSource | WebAssembly.Module | string }): Promise<Cleave>;
  write(name: string, content: string | Uint8Array | ArrayBuffer): string;
  read(name: string): Uint8Array;
  remove(name: string): void;
  exists(name: string): boolean;
  run(args: (string | number)[], settings?: { input?: string | Uint8Array }): { status: number; output: string; errors: string };
  lines(...args: (string | number)[]): Result[];
  json(...args: (string | number)[]): Result;
  train(method: string, data: Data, options?: Options & { output?: string }): Result & { model: string };
  update(model: string, data: Data, options?: Options & { output?: string }): Result;
  predict(model: string, data: Data, options?: Options): Prediction[];
  evaluate(model: string, data: Data, options?: Options): Result;
  explain(model: string, options?: Options): Result;
  compare(data: Data, options?: Options): Result;
  describe(data: Data, options?: Options): Result;
  methods(): Result[];
  version(): string;
}
