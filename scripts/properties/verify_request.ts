/**
 * What must hold for every request, whatever a client sends.
 *
 * @module
 */

import type { Runtime } from "../../mod.ts";
import type { RandomRequest } from "./random_requests.ts";

/** Stacks, files and SQL: nothing of it may stand in an answer. */
const LEAKS = [
  /\n\s+at /,
  /\.[cm]?[jt]s:\d+/,
  /file:\/\//,
  /node_modules|node:internal|ext:(?:core|deno)/,
  /sqlite/i,
  /\b(?:SELECT|INSERT|UPDATE|DELETE)\b[^"]{0,80}\b(?:FROM|INTO|SET|WHERE)\b/,
  /no such (?:table|column|function)|constraint failed|syntax error$/,
  /\b(?:Type|Range|Reference|Syntax)Error\b/,
  /is not a function|of undefined|of null|\[object Object\]/,
];

/** Counts of what was sent and answered. */
export interface Tally {
  requests: number;
  /** Requests that no HTTP client could send. */
  impossible: number;
  rejected: number;
  /** The request that took longest. */
  slowest: { readonly ms: number; readonly request: string };
  readonly statuses: Map<number, number>;
}

/** All rows of all tables as text. */
async function dumpDatabase({ db }: Runtime): Promise<string> {
  if (!db) return "";
  const columns = await db.run(
    "SELECT m.name AS t, p.name AS c FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY 1",
  ) as { t: string; c: string }[];
  const tables = Map.groupBy(columns, ({ t }) => t);
  const rows: unknown[] = [];
  for (const [table, list] of tables) {
    // quoted by the database, as integers may be too large for a number
    const row = list.map(({ c }) => `quote("${c}")`).join(" || ',' || ");
    rows.push(table, await db.run(`SELECT ${row} AS r FROM "${table}" ORDER BY 1`));
  }
  return JSON.stringify(rows);
}

/** Sends requests to one application and remembers what its database holds. */
export class Verifier {
  readonly tally: Tally = {
    requests: 0,
    impossible: 0,
    rejected: 0,
    slowest: { ms: 0, request: "" },
    statuses: new Map(),
  };
  readonly #runtime: Runtime;
  #stored: string | undefined;

  /** @param runtime the application */
  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /**
   * Sends a request.
   *
   * @param given the request
   * @throws Error that says what did not hold
   */
  async verify(given: RandomRequest): Promise<void> {
    const request = toRequest(given);
    if (request === undefined) return void this.tally.impossible++;
    this.tally.requests++;
    if (this.tally.requests % 500 === 0) {
      await this.#runtime.reset();
      this.#stored = undefined;
    }
    const isWrite = !["GET", "HEAD", "OPTIONS"].includes(given.method);
    if (isWrite) this.#stored ??= await dumpDatabase(this.#runtime);
    const start = performance.now();
    const response = await this.#runtime.fetch(request);
    const text = await response.text();
    const ms = performance.now() - start;
    if (ms > this.tally.slowest.ms) this.tally.slowest = { ms, request: `${given.method} ${given.url}` };
    const { status } = response;
    this.tally.statuses.set(status, (this.tally.statuses.get(status) ?? 0) + 1);
    verifyAnswer(status, text, response.headers.get("content-type") ?? "");
    const headers = [...response.headers].map((pair) => pair.join(": ")).join("\n");
    assertNoLeak(headers, "headers");
    if (isWrite) await this.#verifyDatabase(isRejected(status, text));
  }

  async #verifyDatabase(rejected: boolean): Promise<void> {
    const stored = await dumpDatabase(this.#runtime);
    if (rejected) {
      this.tally.rejected++;
      if (stored !== this.#stored) {
        this.#stored = stored;
        throw new Error("A rejected request changed the database");
      }
    }
    this.#stored = stored;
  }
}

function toRequest({ method, url, headers, body }: RandomRequest): Request | undefined {
  const list = new Headers();
  for (const [name, value] of headers) {
    try {
      list.set(name, value);
    } catch {
      // a value that no header can have
    }
  }
  try {
    return new Request(`http://localhost${url}`, { method, headers: list, body });
  } catch {
    return undefined;
  }
}

/** Whether nothing of a request took effect: it failed, or each part of its batch did. */
function isRejected(status: number, text: string): boolean {
  if (status >= 400) return true;
  const statuses = [...text.matchAll(/"status":(\d{3})|^HTTP\/1\.1 (\d{3})/gm)].map((match) =>
    Number(match[1] ?? match[2])
  );
  return statuses.length > 0 && statuses.every((one) => one >= 400);
}

/** Not implemented is a truthful answer; all other server errors are ours. */
function verifyAnswer(status: number, text: string, contentType: string): void {
  const part = [...text.matchAll(/"status":(5\d\d)\b|^HTTP\/1\.1 (5\d\d)/gm)].map((match) =>
    Number(match[1] ?? match[2])
  )
    .find((one) => one !== 501);
  if ((status >= 500 && status !== 501) || part !== undefined) {
    throw new Error(`Status ${part ?? status}: ${text}`);
  }
  assertNoLeak(text, "body");
  const isJson = /\bjson\b/.test(contentType) && text !== "";
  if (isJson) JSON.parse(text);
  if (status >= 400 && text !== "" && isJson && !/^\{"error":\{"code":"/.test(text)) {
    throw new Error(`The body of an error is ${text}`);
  }
}

function assertNoLeak(text: string, where: string): void {
  const leak = LEAKS.find((pattern) => pattern.test(text));
  if (leak) throw new Error(`Found ${leak} in the ${where}: ${text.slice(0, 2000)}`);
}
