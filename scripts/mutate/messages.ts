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
}

/** How the tests of a file went. */
export interface FileRun {
  /** What the first test said that failed. */
  readonly failure?: string;
  readonly ms: number;
  /** Numbers of the switches that were asked for. */
  readonly hits: readonly number[];
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
