/**
 * A reader of server-sent events in process (HTML Living Standard 9.2.6).
 *
 * @module
 */

import type { Runtime } from "../../mod.ts";

/** An event as a client sees it. */
export interface Received {
  readonly id: string;
  readonly data: unknown;
}

/** How a stream is opened. */
export interface StreamRequest {
  readonly user?: string;
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An open stream. */
export class EventReader {
  /** The answer. */
  readonly response: Response;
  /** What a client would send as `Last-Event-ID`. */
  lastEventId = "";
  readonly #reader: ReadableStreamDefaultReader<string> | undefined;
  #text = "";

  /** @param response the answer, which may be an error */
  constructor(response: Response) {
    this.response = response;
    const isStream = response.headers.get("content-type") === "text/event-stream";
    if (isStream) this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next event; undefined where the stream has ended. */
  async next(): Promise<Received | undefined> {
    for (;;) {
      const block = await this.#block();
      if (block === undefined) return undefined;
      const fields = block.split("\n").map((line) => /^(\w*):? ?(.*)$/.exec(line)!.slice(1));
      for (const [name, value] of fields) if (name === "id") this.lastEventId = value!;
      const data = fields.filter(([name]) => name === "data").map(([, value]) => value).join("\n");
      if (data !== "") return { id: this.lastEventId, data: JSON.parse(data) };
    }
  }

  /** The next events. */
  async take(count: number): Promise<unknown[]> {
    const events: unknown[] = [];
    while (events.length < count) events.push((await this.next())?.data);
    return events;
  }

  /** Waits for the first block, which is there once the stream listens. */
  async begun(): Promise<this> {
    const first = await this.#block();
    this.lastEventId = /^id: (.*)$/m.exec(first ?? "")?.[1] ?? "";
    return this;
  }

  /** The client goes away. */
  async close(): Promise<void> {
    await this.#reader?.cancel();
  }

  async #block(): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        return block;
      }
      const { done, value } = await this.#reader!.read();
      if (done) return undefined;
      this.#text += value;
    }
  }
}

/** Asks for a stream. */
export async function openStream(
  runtime: Runtime,
  path: string,
  { user, lastEventId, headers }: StreamRequest = {},
): Promise<EventReader> {
  const response = await runtime.fetch(
    new Request(`http://localhost${path}`, {
      headers: {
        accept: "text/event-stream",
        ...(user === undefined ? {} : { authorization: `Basic ${btoa(`${user}:`)}` }),
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
        ...headers,
      },
    }),
  );
  return new EventReader(response);
}

/** Runs something with a stream that listens, and closes it. */
export async function following(
  runtime: Runtime,
  path: string,
  { run, ...request }: StreamRequest & { readonly run: (events: EventReader) => Promise<void> },
): Promise<void> {
  const events = await openStream(runtime, path, request);
  if (events.response.status !== 200) throw new Error(`${path}: ${await events.response.text()}`);
  try {
    await run(await events.begun());
  } finally {
    await events.close();
  }
}
