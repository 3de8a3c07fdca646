/**
 * Rows of a query as JSON text that is read, or written on, piece by piece.
 *
 * @module
 */

import type { Row } from "../cqn.ts";

/** What takes text, like the response of a classic route. */
export interface TextSink {
  /** Takes a part of the text. */
  write(text: string): unknown;
  /** Ends the text. */
  end(): unknown;
}

/** Where the text goes: a stream, what takes texts, or what is called with a stream of it. */
export type RowsTarget =
  | WritableStream<Uint8Array>
  | TextSink
  | ((text: ReadableStream<Uint8Array>) => unknown);

/**
 * The rows as a JSON list.
 *
 * @param rows the rows
 * @param to where the text goes
 * @returns a stream of bytes where nothing takes the text
 */
export async function pipedRows(
  rows: AsyncIterable<Row>,
  to: RowsTarget | undefined,
): Promise<ReadableStream<Uint8Array> | void> {
  if (to && typeof to !== "function" && !(to instanceof WritableStream)) {
    for await (const part of partsOf(rows)) to.write(part);
    to.end();
    return;
  }
  const stream = ReadableStream.from(partsOf(rows)).pipeThrough(new TextEncoderStream());
  if (typeof to === "function") await to(stream);
  else return to ? await stream.pipeTo(to) : stream;
}

async function* partsOf(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  let before = "[";
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ",";
  }
  yield before === "[" ? "[]" : "]";
}
