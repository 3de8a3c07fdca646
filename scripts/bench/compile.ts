/**
 * What compiling costs: a cold process with the example, and how the cost grows with the number of entities.
 *
 * @module
 */

import { renderDdl } from "../../src/db/ddl/render_ddl.ts";
import { compileCdl } from "../../src/model/cdl/compile_cdl.ts";
import { buildCsdl } from "../../src/model/csdl/build_csdl.ts";
import { writeCsdlXml } from "../../src/model/csdl/write_csdl_xml.ts";
import { linkModel } from "../../src/model/link_model.ts";

/** The cost beside that of the smallest case, or of a process that does nothing. */
export interface CompileRow {
  readonly name: string;
  readonly unit: "ms" | "entities/s";
  readonly ours: number;
  readonly baseline: number;
  readonly ratio: number;
  /** What the baseline is. */
  readonly beside: string;
}

const SIZES = [50, 100, 200, 500, 1000];
const ROUNDS = 5;
const COLD = "cold compile + $metadata";
const nameOf = (size: number) => `compile ${size}`;

/** Names of the rows. */
export const COMPILE_NAMES: readonly string[] = [COLD, ...SIZES.map(nameOf)];

/**
 * Measures all rows.
 *
 * @param isWanted whether a row is wanted; the smallest case is measured for the larger ones
 */
export async function* compileRows(isWanted: (name: string) => boolean): AsyncGenerator<CompileRow> {
  if (isWanted(COLD)) yield await coldCompile();
  const sizes = SIZES.filter((size) => isWanted(nameOf(size)));
  if (sizes.length > 0) yield* compileGrowth([...new Set([SIZES[0]!, ...sizes])]);
}

/** Sources, metadata and DDL of the example in a new process; the baseline is a process with an empty program. */
async function coldCompile(): Promise<CompileRow> {
  const times = { ours: [] as number[], baseline: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.ours.push(await processTime(["run", "-A", "scripts/bench/compile_example.ts"]));
    times.baseline.push(await processTime(["eval", ""]));
  }
  const [ours, baseline] = [median(times.ours), median(times.baseline)];
  const ratio = ratioOf(ours, baseline);
  return { name: COLD, unit: "ms", ours, baseline, ratio, beside: "an empty program" };
}

async function processTime(args: string[]): Promise<number> {
  const start = performance.now();
  const { success } = await new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "null" })
    .output();
  if (!success) throw new Error(`deno ${args.join(" ")} failed`);
  return performance.now() - start;
}

/** Entities that are compiled per second, with metadata and DDL; it stays the same where the cost is linear. */
function* compileGrowth(sizes: readonly number[]): Generator<CompileRow> {
  let baseline: number | undefined;
  compileAll(sizes[0]!); // not cold
  for (const size of sizes) {
    const times = Array.from({ length: ROUNDS }, () => {
      const start = performance.now();
      compileAll(size);
      return performance.now() - start;
    });
    const ours = Math.round(size / median(times) * 1000);
    baseline ??= ours;
    const ratio = ratioOf(ours, baseline);
    yield { name: nameOf(size), unit: "entities/s", ours, baseline, ratio, beside: "smallest" };
  }
}

function compileAll(size: number): void {
  const text = modelText(size);
  const model = linkModel(compileCdl(["m.cds"], { readFile: (path) => path === "m.cds" ? text : undefined }));
  for (const service of model.services) writeCsdlXml(buildCsdl(service, model));
  renderDdl(model);
}

/** Entities with associations, localized elements, compositions of aspects, and a projection of each. */
function modelText(size: number): string {
  const numbers = Array.from({ length: size }, (_, i) => i);
  const entities = numbers.map((i) => `
    entity E${i} : cuid, managed {
      name  : localized String(100) @title: 'Name';
      stock : Integer default 1;
      price : Decimal(9, 2);
      total = stock * price;
      next  : Association to E${(i + 1) % size};
      back  : Association to many E${(i + size - 1) % size} on back.next = $self;
      items : Composition of many { key pos : Integer; quantity : Integer; };
    }`);
  const projections = numbers.map((i) =>
    `entity E${i} as projection on bench.E${i} { *, next.name as nextName } actions { action go(n : Integer); };`
  );
  return `namespace bench; using { cuid, managed } from '@sap/cds/common';
    ${entities.join("\n")}
    service Bench { ${projections.join("\n")} }`;
}

function median(values: number[]): number {
  return Math.round(values.sort((a, b) => a - b)[values.length >> 1]);
}

function ratioOf(ours: number, baseline: number): number {
  return Math.round(ours / baseline * 100) / 100;
}
