/**
 * Understanding URLs: to a syntax tree without any cache, and to a plan where the shape is known; beside what the
 * platform's own `URL` does with the same text.
 *
 * @module
 */

import { linkModel } from "../../src/model/link_model.ts";
import { createPlanner } from "../../src/odata/plan/planner.ts";
import { parseUrl } from "../../src/odata/url/parse_url.ts";
import { BENCH_MODEL } from "./bench_model.ts";

/** One side and the other, in URLs per second. */
export interface ParseRates {
  readonly name: string;
  readonly ours: number[];
  readonly baseline: number[];
}

const ROOT = "http://localhost/odata/v4/bench";
const URLS_PER_ROUND = 30_000;
const WARM_UP_ROUNDS = 3;
const [ENCODER, DECODER] = [new TextEncoder(), new TextDecoder()];

/** URLs of three shapes; `key` changes all literals. */
const SHAPES: readonly ((key: number) => string)[] = [
  (key) => `Books(${key})?$select=ID,title&$expand=author($select=name)`,
  (key) =>
    `Books?$filter=contains(title,'the ${key}') and stock gt ${key % 500}&$orderby=title desc&$top=${
      key % 50 + 1
    }&$skip=${key % 90}&$count=true`,
  (key) => `Authors?$filter=books/any(b:b/stock gt ${key})&$select=name`,
];

/** Names of the rows. */
export const PARSE_NAMES: readonly string[] = ["parse url", "parse url, known shape"];

/**
 * Measures both rows.
 *
 * @param rounds how often
 */
export function parseRates(rounds: number): ParseRates[] {
  const planner = createPlanner(linkModel(BENCH_MODEL).service("BenchService")!);
  return [
    compare("parse url", rounds, (url) => parseUrl(url)),
    compare("parse url, known shape", rounds, (url) => planner.planUrl(url)),
  ];
}

function compare(name: string, rounds: number, run: (url: string) => unknown): ParseRates {
  const rates: ParseRates = { name, ours: [], baseline: [] };
  let key = 1000;
  const next = () =>
    Array.from({ length: URLS_PER_ROUND }, () => received(SHAPES[key % SHAPES.length](key++)));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    const ours = rate(next(), run);
    const baseline = rate(next(), (url) => [...new URL(url, ROOT).searchParams]);
    if (round < 0) continue;
    rates.ours.push(ours);
    rates.baseline.push(baseline);
  }
  return rates;
}

/** Text as it comes from a network: in one piece, not the pieces it was put together of. */
function received(url: string): string {
  return DECODER.decode(ENCODER.encode(url));
}

function rate(urls: readonly string[], run: (url: string) => unknown): number {
  const start = performance.now();
  for (const url of urls) run(url);
  return urls.length / (performance.now() - start) * 1000;
}
