/**
 * Reading a JSON document of an identity service within bounds.
 *
 * @module
 */

import type { SendRequest } from "../token_client/client_key_pair.ts";
import type { DocumentSource } from "./key_source.ts";

/** Bounds of a document. */
export interface DocumentBounds {
  /** Bytes at most. */
  readonly bytes: number;
  /** Milliseconds until it has arrived. */
  readonly timeoutMs: number;
}

/**
 * Fetches a document. Redirects are not followed: the address is the configured one.
 *
 * @param fetch sends the request
 * @param source where it is
 * @param bounds size and time
 * @returns the parsed JSON
 * @throws Error for another status than 200, a body that is too large or no JSON, or when it takes too long
 */
export async function readDocument(
  fetch: SendRequest,
  source: DocumentSource,
  bounds: DocumentBounds,
): Promise<unknown> {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer within ${bounds.timeoutMs} ms`));
      stop.abort();
    }, bounds.timeoutMs);
  });
  try {
    return await Promise.race([late, load(fetch, { source, bytes: bounds.bytes, signal: stop.signal })]);
  } finally {
    clearTimeout(timer);
  }
}

interface Loading {
  readonly source: DocumentSource;
  readonly bytes: number;
  readonly signal: AbortSignal;
}

async function load(fetch: SendRequest, { source, bytes, signal }: Loading): Promise<unknown> {
  const headers = { accept: "application/json", ...source.headers };
  const response = await fetch(
    new Request(source.url, { headers, redirect: "manual", signal }),
    source.keyPair,
  );
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`answered with status ${response.status}`);
  }
  return parse(await readText(response, { bytes, signal }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // the text of the platform's error quotes what came
    throw new Error("answered with something that is no JSON");
  }
}

/** Counts while reading, and stops when nobody waits any more. */
async function readText(response: Response, { bytes, signal }: Omit<Loading, "source">): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > bytes) throw new Error(`more than ${bytes} bytes`);
    signal.throwIfAborted();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
