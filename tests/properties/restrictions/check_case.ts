/**
 * The check of one case: a world, and what is sent to it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type Answer, App } from "./apps.ts";
import { layeredCdl } from "./cdl.ts";
import { type Changes, checkChanges } from "./check_changes.ts";
import { checkSetWrite, type SetWrite } from "./check_sets.ts";
import { Oracle } from "./evaluate.ts";
import { judge } from "./judge.ts";
import type { Read } from "./random_read.ts";
import type { Write } from "./random_write.ts";
import { type Rows, type View, viewOf, type World } from "./world.ts";

/** How often which status was answered. */
export const seen = new Map<string, number>();

/** What is sent to a world. */
export interface Requests {
  readonly reads: readonly Read[];
  readonly writes: readonly Write[];
  /** Writes of sets of rows. */
  readonly sets: readonly SetWrite[];
  /** Delta payloads for collections. */
  readonly changes: readonly Changes[];
}

/** The applications that a case needs. */
export interface Apps {
  readonly restricted: App;
  readonly reduced: App;
  readonly open: App;
}

/**
 * Checks all requests of a case.
 *
 * @param world model, rows and user
 * @param requests what is sent
 * @param kind the database
 */
export async function checkCase(
  world: World,
  { reads, writes, sets, changes }: Requests,
  kind: string,
): Promise<void> {
  const apps = {
    restricted: App.restricted(world, kind),
    reduced: App.reduced(world, kind),
    open: App.open(world, kind),
  };
  try {
    for (const read of reads) await checkRead(world, read, apps);
    await checkAll(world, apps);
    for (const write of writes) await checkWrite(world, write, apps);
    for (const set of sets) await checkSetWrite(world, set, apps);
    for (const change of changes) await checkChanges(world, change, apps);
  } finally {
    for (const app of Object.values(apps)) await app.close();
  }
}

/** A read is answered as if there were only what may be seen. */
export async function checkRead(world: World, read: Read, { restricted, reduced }: Apps): Promise<void> {
  const oracle = new Oracle(world, world.rows);
  if (read.first) await restricted.send(read, read.first);
  const found = await restricted.send(read);
  count("read", found.status);
  const isPermitted = oracle.isServiceOpen && [...read.touched].every((view) => oracle.hasRole(view, "READ"));
  const expected = await reduced.send(read);
  const isUnknown = expected.status === 400 || expected.status === 501;
  if (isPermitted || (isUnknown && found.status === expected.status)) {
    assert.deepEqual(sorted(found, read), sorted(expected, read), shown(world, read, found));
  } else assert.equal(found.status, world.caller ? 403 : 401, shown(world, read, found));
}

/** All that the service has is what may be seen of the sets that may be read. */
async function checkAll(world: World, { restricted, reduced }: Apps): Promise<void> {
  const oracle = new Oracle(world, world.rows);
  const read = { method: "GET", url: "$all", isBatched: false, touched: new Set<View>() };
  const found = await restricted.send(read);
  const reached = new Set(world.views.filter(({ isExposed }) => isExposed));
  for (const { associations } of reached) {
    for (const { target } of associations) reached.add(viewOf(world, target));
  }
  const readable = [...reached].filter((view) => {
    const isList = world.tables.some(({ name, form }) => name === view.table && form === "code list");
    return view.authority === undefined && (view.isExposed || isList) && oracle.hasRole(view, "READ");
  });
  if (!oracle.isServiceOpen || readable.length === 0) {
    return assert.equal(found.status, world.caller ? 403 : 401, shown(world, read, found));
  }
  const names = new Set(readable.map(({ name }) => `#S.${name}`));
  const rowsOf = ({ body }: Answer) => (body as { value: { "@odata.type": string }[] }).value;
  const lines = (answer: Answer) =>
    rowsOf(answer).filter((row) => names.has(row["@odata.type"])).map((row) => JSON.stringify(canonical(row)))
      .sort();
  const expected = lines(await reduced.send(read));
  assert.equal(rowsOf(found).length, expected.length, shown(world, read, found));
  assert.deepEqual(lines(found), expected, shown(world, read, found));
}

/** Groups have no order, and rows of joins have the members of each model in its own order. */
function sorted(answer: { readonly body: unknown }, { url }: Read): unknown {
  const { value } = answer.body as { value?: unknown[] };
  if (!url.includes("$apply") || !Array.isArray(value)) return answer;
  return { ...answer, body: value.map((row) => JSON.stringify(canonical(row))).sort() };
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, canonical(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => a < b ? -1 : 1));
}

/** A write does what it does without restrictions, or nothing. */
export async function checkWrite(world: World, write: Write, { restricted, open }: Apps): Promise<void> {
  const before = await open.rows();
  const done = await open.send(write);
  const after = await open.rows();
  const { refusals, isShown } = judge({ world, write, before, after, isFound: done.status !== 404 });
  const found = await restricted.send(write);
  count("write", found.status);
  const rows = await restricted.rows();
  const message = () => shown(world, write, { found, done, refusals, changed: changedRows(before, after) });
  // What nobody can do is refused in any case, with or without the role for it and for the path to it.
  if (done.status === 405) refusals.push(405, 404, world.caller ? 403 : 401);
  if (refusals.length > 0) {
    if (JSON.stringify(after) !== JSON.stringify(before)) await open.restore(before);
    assert.ok(
      refusals.includes(found.status) || (done.status >= 400 && found.status === done.status),
      message(),
    );
    assert.deepEqual(rows, before, message());
    return;
  }
  assert.deepEqual(rows, after, message());
  if (done.status >= 400 || done.status === 204 || write.event === "touch") {
    assert.equal(found.status, done.status, message());
  } else if (isShown === undefined) return;
  else if (!isShown) assert.equal(found.status, 204, message());
  else if (Object.keys(write.entry?.children ?? {}).length === 0) {
    const [shown, expected] = [found, done].map((answer) => withoutPath(write, answer));
    assert.deepEqual(shown, expected, message());
  }
}

/** What is behind an association may be hidden, whoever writes the row. */
function withoutPath({ steps }: Write, { status, body }: Answer): Answer {
  const { path, restriction } = steps.at(-1)!.view;
  if (!path || restriction || typeof body !== "object") return { status, body };
  return { status, body: { ...body, path1: undefined } };
}

/** Rows that a write adds or takes away where nothing is restricted. */
function changedRows(before: Rows, after: Rows): unknown {
  const lines = (rows: Rows) =>
    Object.entries(rows).flatMap(([name, list]) => list.map((row) => `${name} ${JSON.stringify(row)}`));
  const [old, now] = [lines(before), lines(after)];
  return {
    gone: old.filter((line) => !now.includes(line)),
    added: now.filter((line) => !old.includes(line)),
  };
}

function count(kind: string, status: number): void {
  seen.set(`${kind} ${status}`, (seen.get(`${kind} ${status}`) ?? 0) + 1);
}

/** A case as it can be tried by hand. */
function shown(world: World, { method, url, body }: Read | Write, found: unknown): string {
  const parts = { caller: world.caller, rows: world.rows, found };
  const sent = body === undefined ? "" : ` ${JSON.stringify(body)}`;
  return `\n${layeredCdl(world, true)}${Deno.inspect(parts, { depth: 6, iterableLimit: 50 })}\n${method} ${
    decodeURIComponent(url)
  }${sent}\n`;
}
