/**
 * `deno task bench http`: requests of applications over loopback, both sides as processes of their own. What counts is how
 * many requests a second of the server's processor time answers: whoever sends them takes time of his own.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { APPLICATION_REQUESTS, type Sent } from "./application.ts";

/** Requests per second of processor time, turn by turn. */
export interface HttpRates {
  readonly name: string;
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
  /** What the baseline is, if it is not the same by hand. */
  readonly beside?: string;
}

/** What is loaded: a server, or what it did. */
export interface Side {
  readonly origin: string;
  readonly stop: () => Promise<void>;
}

/** What is used of autocannon, which has no types of its own. */
type Autocannon = (options: {
  readonly url: string;
  readonly connections: number;
  /** How many requests. */
  readonly amount: number;
  readonly requests: readonly { readonly setupRequest: (given: object) => object }[];
}) => Promise<{ readonly non2xx: number; readonly errors: number; readonly "2xx": number }>;

const PREFIX = "http ";
/** Names of the rows. */
export const HTTP_NAMES: readonly string[] = Object.keys(APPLICATION_REQUESTS).map((name) => PREFIX + name);
const CONNECTIONS = 10;
/** By number, not by time: a machine that is busy would measure code that is not compiled yet. */
export const ROUND_REQUESTS = 5000;
export const WARM_UP_REQUESTS = 30_000;

/**
 * Measures the wanted rows.
 *
 * @param isWanted whether to measure the row of a name
 * @param rounds how often each side is loaded
 * @throws Error when a side answers an error
 */
export async function* httpRates(
  isWanted: (name: string) => boolean,
  rounds: number,
): AsyncGenerator<HttpRates> {
  const sides = { ours: await start("ours"), baseline: await start("by-hand") };
  // no row may ask for a key that another one has created
  const keys = { ours: 1_000_000, baseline: 1_000_000 };
  try {
    for (const [plain, sent] of Object.entries(APPLICATION_REQUESTS)) {
      const name = PREFIX + plain;
      if (!isWanted(name)) continue;
      const rates = { ours: [] as number[], baseline: [] as number[] };
      for (let round = -1; round < rounds; round++) {
        for (const side of ["ours", "baseline"] as const) {
          const next = () => sent(keys[side]++);
          const rate = await load(name, sides[side], {
            next,
            amount: round < 0 ? WARM_UP_REQUESTS : ROUND_REQUESTS,
          });
          if (round >= 0) rates[side].push(rate);
        }
      }
      yield { name, ...rates };
    }
  } finally {
    await Promise.all(Object.values(sides).map(({ stop }) => stop()));
  }
}

/** Starts a server in a process of its own. */
export async function start(side: string, db?: string): Promise<Side> {
  const args = [
    "run",
    "--lock=deno.lock",
    "-A",
    fileURLToPath(import.meta.resolve("./http_server.ts")),
    side,
    ...db === undefined ? [] : [db],
  ];
  const server = spawn(Deno.execPath(), args, { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(createInterface(server.stdout), "line");
  const stop = async () => {
    server.kill();
    await once(server, "exit");
  };
  return { origin: `http://127.0.0.1:${port}`, stop };
}

/**
 * Sends requests to a server.
 *
 * @returns how many a second of its processor time answers
 */
export async function load(
  name: string,
  { origin }: Side,
  { next, amount }: { readonly next: () => Sent; readonly amount: number },
): Promise<number> {
  const before = await cpuOf(origin);
  const result = await (autocannon as Autocannon)({
    url: origin,
    connections: CONNECTIONS,
    amount,
    requests: [{ setupRequest: (given: object) => ({ ...given, ...next() }) }],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`"${name}": ${result.non2xx} requests were refused, ${result.errors} failed`);
  }
  return result["2xx"] / ((await cpuOf(origin) - before) / 1e6);
}

async function cpuOf(origin: string): Promise<number> {
  return await (await fetch(`${origin}/-/cpu`)).json();
}
