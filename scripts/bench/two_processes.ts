/**
 * `deno task bench processes`: what two processes on one PostgreSQL can do together, beside what one can do alone. A machine
 * with two processors has none left for the database and for who sends requests, so what counts is how many requests a second
 * of processor time answers, as if both had a processor of their own. While one is measured alone, another one is as busy with
 * rows that nobody shares: caches and clocks of the machine are the same for both.
 *
 * @module
 */

import { serviceAddress } from "../test_services.ts";
import { APPLICATION_REQUESTS } from "./application.ts";
import { type HttpRates, load, ROUND_REQUESTS, type Side, start, WARM_UP_REQUESTS } from "./http.ts";

const MEASURED = [
  "by key with login",
  "list with login",
  "expand with login",
  "insert with before that reads",
  "action that reads, checks and updates",
] as const;
const PREFIX = "two processes, ";

/** Names of the rows. */
export const PROCESS_NAMES: readonly string[] = MEASURED.map((name) => PREFIX + name);

/** Others may measure on the same server. */
const SCHEMA = `fw_bench_${Deno.pid}`;
const STRANGE_SCHEMA = `${SCHEMA}_strange`;

/**
 * Measures the wanted rows.
 *
 * @param isWanted whether to measure the row of a name
 * @param rounds how often one process is loaded, and both
 * @throws Error where PostgreSQL is not there, and when a process answers an error
 */
export async function* processRates(
  isWanted: (name: string) => boolean,
  rounds: number,
): AsyncGenerator<HttpRates> {
  const [host, port] = serviceAddress("postgres").split(":");
  const credentials = { host, port: Number(port), user: "postgres", database: "test" };
  const startOn = (schema: string) =>
    start("ours", JSON.stringify({ kind: "postgres", credentials: { ...credentials, schema } }));
  // the first one fills the database
  const one = await startOn(SCHEMA);
  const other = await startOn(SCHEMA);
  const stranger = await startOn(STRANGE_SCHEMA);
  let nextKey = 1_000_000;
  const send = (side: Side, name: typeof MEASURED[number], amount: number) =>
    load(name, side, { next: () => APPLICATION_REQUESTS[name]!(nextKey++), amount });
  try {
    for (const name of MEASURED) {
      if (!isWanted(PREFIX + name)) continue;
      const rates = { ours: [] as number[], baseline: [] as number[] };
      const sendBoth = (...sides: readonly Side[]) =>
        Promise.all(sides.map((side) => send(side, name, ROUND_REQUESTS)));
      for (const side of [one, other, stranger]) await send(side, name, WARM_UP_REQUESTS);
      for (let round = 0; round < rounds; round++) {
        const [alone] = await sendBoth(round % 2 === 0 ? one : other, stranger);
        rates.baseline.push(alone!);
        const both = await sendBoth(one, other);
        rates.ours.push(both[0]! + both[1]!);
      }
      yield { name: PREFIX + name, ...rates, beside: "one process" };
    }
  } finally {
    await Promise.all([one, other, stranger].map(({ stop }) => stop()));
    await dropSchemas(credentials);
  }
}

async function dropSchemas(credentials: Readonly<Record<string, unknown>>): Promise<void> {
  const { default: postgres } = await import("postgres");
  const sql = postgres({ ...credentials, max: 1, onnotice: () => {} });
  for (const schema of [SCHEMA, STRANGE_SCHEMA]) {
    await sql.unsafe(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  }
  await sql.end();
}
