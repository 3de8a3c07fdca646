/**
 * A process that runs test files again and again, each time with another change on. Modules of `src` load once; a test file
 * loads anew each time, so that what it sets up at its top sees the change, too.
 *
 * Arguments: the socket where it is told what to run, and the number of switches.
 *
 * @module
 */

import { type FileRun, MUTANT_VARIABLE, type OneRun, readLines, type RunFile } from "./messages.ts";

/** One registered test. */
interface Test {
  readonly name: string;
  readonly fn: (context: Context) => unknown;
  readonly ignore?: boolean;
}

type Context = Pick<Deno.TestContext, "name" | "origin" | "step">;

const [path, count] = Deno.args;
const isHit = new Uint8Array(Number(count) + 1);
let active = 0;
const loads = new Map<string, number>();
let tests: Test[] = [];
let failures: string[] = [];
let unloads: EventListener[] = [];

Object.assign(globalThis, {
  $m: (id: number): boolean => {
    isHit[id] = 1;
    return id === active;
  },
});
takeRegistrations();
await serve();

/** Tests register here, what ends a file is called when the file ends, and what nobody catches fails the file. */
function takeRegistrations(): void {
  Object.assign(Deno, { test: register });
  const listen = globalThis.addEventListener;
  Object.assign(globalThis, {
    addEventListener: (
      type: string,
      listener: EventListener,
      options?: boolean | AddEventListenerOptions,
    ) => {
      if (type === "unload") unloads.push(listener);
      else listen(type, listener, options);
    },
  });
  for (const type of ["error", "unhandledrejection"] as const) {
    listen(type, (event) => {
      event.preventDefault();
      fail("not caught", event instanceof ErrorEvent ? event.error : (event as PromiseRejectionEvent).reason);
    });
  }
}

function register(
  first: string | Test | Test["fn"],
  second?: Partial<Test> | Test["fn"],
  third?: Test["fn"],
): void {
  const [named, options, fn] = typeof first === "string"
    ? [{ name: first }, typeof second === "object" ? second : {}, third ?? second]
    : [typeof first === "function" ? { name: first.name } : first, {}, second ?? first];
  tests.push({ ...named, ...options, ...(typeof fn === "function" && { fn }) } as Test);
}

async function serve(): Promise<void> {
  const connection = await Deno.connect({ transport: "unix", path });
  const writer = connection.writable.getWriter();
  for await (const line of readLines(connection.readable)) {
    const run = await runFile(JSON.parse(line));
    await writer.write(new TextEncoder().encode(`${JSON.stringify(run)}\n`));
  }
  Deno.exit(0);
}

async function runFile({ file, mutant, tests: places }: RunFile): Promise<FileRun> {
  const start = performance.now();
  takeHits();
  [tests, failures, unloads] = [[], [], []];
  active = mutant;
  Deno.env.set(MUTANT_VARIABLE, String(mutant));
  const origin = `file://${Deno.cwd()}/${file}`;
  const hits: number[] = [];
  const runs: OneRun[] = [];
  try {
    await import(addressOf(origin));
    hits.push(...takeHits());
    for (const test of places?.map((place) => tests[place]) ?? tests) {
      const testStart = performance.now();
      if (!test.ignore) await runTest(test, origin);
      runs.push({ ms: Math.round(performance.now() - testStart), hits: takeHits() });
      if (failures.length > 0) break;
    }
  } catch (error) {
    fail("module", error);
  }
  for (const unload of unloads) unload(new Event("unload"));
  active = 0;
  Deno.env.delete(MUTANT_VARIABLE);
  hits.push(...takeHits());
  const ms = Math.round(performance.now() - start);
  const memoryBytes = Deno.memoryUsage().rss;
  return { ...(failures.length > 0 && { failure: failures[0] }), ms, hits, tests: runs, memoryBytes };
}

/** Numbers of the switches that were asked for since they were taken last. */
function takeHits(): number[] {
  const hits = [...isHit.keys()].filter((id) => isHit[id] === 1);
  isHit.fill(0);
  return hits;
}

/** Another one each time, so that the module loads anew; the first is plain, as Deno keeps it for what stacks say of all of them. */
function addressOf(origin: string): string {
  const load = loads.get(origin) ?? 0;
  loads.set(origin, load + 1);
  return load === 0 ? origin : `${origin}?run=${load}`;
}

async function runTest({ name, fn }: Test, origin: string): Promise<boolean> {
  const before = failures.length;
  try {
    await fn({
      name,
      origin,
      step: (first: unknown, second?: unknown) => runTest(stepOf(first, second), origin),
    });
  } catch (error) {
    fail(name, error);
  }
  return failures.length === before;
}

function stepOf(first: unknown, second: unknown): Test {
  if (typeof first === "string") return { name: first, fn: second as Test["fn"] };
  return typeof first === "function" ? { name: first.name, fn: first as Test["fn"] } : first as Test;
}

function fail(what: string, error: unknown): void {
  failures.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`);
}
