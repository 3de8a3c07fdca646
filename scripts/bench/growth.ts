/**
 * How costs grow: with rows, columns and the depth of `$expand`. Where they grow in proportion, the cost of one row, column
 * or level stays what it was in the smallest case.
 *
 * @module
 */

import { createRuntime, type Csn, type Row } from "../../mod.ts";
import { denoKinds } from "../../src/deno/mod.ts";

/** The cost of one unit in a small and in a larger case. */
export interface GrowthRow {
  readonly name: string;
  readonly unit: "rows/s" | "columns/s" | "levels/s";
  /** Units per second in this case. */
  readonly ours: number;
  /** Units per second in the smallest case. */
  readonly baseline: number;
  readonly ratio: number;
  readonly beside: "smallest";
}

const ROUNDS = 7;
const ROUND_MS = 80;
const ROWS = 10_000;
const COLUMNS = 80;
const LEVELS = 6;
const ROOT = "http://localhost/odata/v4/growth";

const columnNames = (count: number) => Array.from({ length: count }, (_, i) => `c${i + 1}`);

/** Each row of `Nodes` has one child: as many rows on each level of `$expand`. */
const MODEL: Csn = {
  definitions: {
    "g.Wide": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        ...Object.fromEntries(columnNames(COLUMNS).map((name) => [name, { type: "cds.String", length: 20 }])),
      },
    },
    "g.Nodes": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        name: { type: "cds.String", length: 20 },
        next: { type: "cds.Association", target: "g.Nodes" },
      },
    },
    "GrowthService": { kind: "service" },
    "GrowthService.Wide": { kind: "entity", projection: { from: { ref: ["g.Wide"] } } },
    "GrowthService.Nodes": { kind: "entity", projection: { from: { ref: ["g.Nodes"] } } },
  },
};

function wideRows(): Row[] {
  return Array.from({ length: 100 }, (_, i) => ({
    ID: i + 1,
    ...Object.fromEntries(columnNames(COLUMNS).map((name) => [name, `value ${i}`])),
  }));
}

function nodes(): Row[] {
  return Array.from(
    { length: ROWS },
    (_, i) => ({ ID: i + 1, name: `Node ${i + 1}`, next_ID: (i + 1) % ROWS + 1 }),
  );
}

/** `$expand` of so many levels below the first one. */
function expandOf(levels: number): string {
  return levels === 0
    ? ""
    : `next(${
      ["$select=ID", expandOf(levels - 1) && `$expand=${expandOf(levels - 1)}`].filter(Boolean).join(";")
    })`;
}

interface Case {
  readonly name: string;
  readonly unit: GrowthRow["unit"];
  /** Rows, columns or levels. */
  readonly size: number;
  readonly path: string;
}

const SERIES: readonly (readonly Case[])[] = [
  [10, 100, 1000, 10_000].map((size) => ({
    name: `rows ${size}`,
    unit: "rows/s",
    size,
    path: `Nodes?$top=${size}`,
  })),
  [10, 20, 40, 80].map((size) => ({
    name: `columns ${size}`,
    unit: "columns/s",
    size,
    path: `Wide?$select=${columnNames(size).join(",")}`,
  })),
  [1, 2, 4, LEVELS].map((size) => ({
    name: `expand depth ${size}`,
    unit: "levels/s",
    size,
    path: `Nodes?$select=ID&$top=100&$expand=${expandOf(size)}`,
  })),
];

/** Names of the rows. */
export const GROWTH_NAMES: readonly string[] = SERIES.flat().map(({ name }) => name);

/**
 * Measures the cost of one row, column and level in each case.
 *
 * @param isWanted whether a row is wanted; the smallest case of its kind is measured for it, too
 */
export async function* growthRows(isWanted: (name: string) => boolean): AsyncGenerator<GrowthRow> {
  const runtime = createRuntime({
    model: MODEL,
    kinds: denoKinds,
    data: new Map([["g.Wide", wideRows()], ["g.Nodes", nodes()]]),
    env: { query: { limit: { max: ROWS } }, log: { levels: { default: "error" } } },
  });
  await runtime.start();
  for (const cases of SERIES) {
    let baseline: number | undefined;
    const wanted = cases.filter(({ name }) => isWanted(name));
    if (wanted.length > 0 && wanted[0] !== cases[0]) wanted.unshift(cases[0]!);
    for (const { name, unit, size, path } of wanted) {
      const ours = Math.round(size * await requestsPerSecond(runtime.fetch, `${ROOT}/${path}`));
      baseline ??= ours;
      const ratio = Math.round(ours / baseline * 100) / 100;
      yield { name, unit, ours, baseline, ratio, beside: "smallest" };
    }
  }
  await runtime.close();
}

async function requestsPerSecond(
  fetch: (request: Request) => Promise<Response>,
  url: string,
): Promise<number> {
  const rates: number[] = [];
  for (let round = -2; round < ROUNDS; round++) {
    const start = performance.now();
    let count = 0;
    do {
      const response = await fetch(new Request(url));
      const text = await response.text();
      if (!response.ok) throw new Error(`${url}: ${text.slice(0, 400)}`);
      count++;
    } while (performance.now() - start < ROUND_MS);
    if (round >= 0) rates.push(count / (performance.now() - start) * 1000);
  }
  return rates.sort((a, b) => a - b)[ROUNDS >> 1]!;
}
