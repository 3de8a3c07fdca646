/**
 * What `deno task mutate` and its hosts of tests say to each other: one JSON text per line.
 *
 * @module
 */

/** The environment variable that tells processes that tests start which change is on. */
export const MUTANT_VARIABLE = "MUTANT";

/** Asks a host to run the tests of a file. */
export interface RunFile {
  readonly file: string;
  /** The change that is on meanwhile; 0: none. */
  readonly mutant: number;
  /** Which of its tests run, by their places in the file; without: all. */
  readonly tests?: readonly number[];
}

/** How one test of a file went. */
export interface OneRun {
  readonly ms: number;
  /** Numbers of the switches that were asked for meanwhile. */
  readonly hits: readonly number[];
}

/** How the tests of a file went. */
export interface FileRun {
  /** What the first test said that failed. */
  readonly failure?: string;
  readonly ms: number;
  /** Numbers of the switches that were asked for while it loaded and when it ended. */
  readonly hits: readonly number[];
  /** Those that ran of its tests, in their order, up to the first that failed. */
  readonly tests: readonly OneRun[];
  /** Of the host. */
  readonly memoryBytes: number;
}

/** Reads line by line. */
export async function* readLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
