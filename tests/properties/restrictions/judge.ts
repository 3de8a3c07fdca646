/**
 * Whether a write is permitted, seen from what it did where nothing is restricted.
 *
 * @module
 */

import { Oracle } from "./evaluate.ts";
import type { Entry, Step, Write } from "./random_write.ts";
import { type Row, type Rows, type View, viewOf, type World } from "./world.ts";

/** A write, and the rows before and after it without restrictions. */
export interface Judged {
  readonly world: World;
  readonly write: Write;
  readonly before: Rows;
  readonly after: Rows;
  /** Whether there was a place to write to; without a row there it is created. */
  readonly isFound: boolean;
}

/** What must happen. */
export interface Verdict {
  /** The answers of which one is right; none if the write is permitted. */
  readonly refusals: number[];
  /** Whether the answer shows the row; undefined if the way to it is hidden from now on. */
  readonly isShown: boolean | undefined;
}

/** Decides about a write. */
export function judge({ world, write, before, after, isFound }: Judged): Verdict {
  const refusals: number[] = [];
  const place: Place = {
    world,
    refusals,
    before: new Oracle(world, before),
    after: new Oracle(world, after),
    denied: world.caller ? 403 : 401,
  };
  if (!place.before.isServiceOpen) refusals.push(place.denied);
  const target = write.steps.at(-1)!.view;
  checkWay(place, [...write.source ?? [], ...write.steps]);
  const old = write.event === "CREATE" ? undefined : resolve(place.before, write.steps);
  const now = newRow(place, write);
  const isCreated = write.event === "CREATE" ||
    (write.event === "UPDATE" && old === undefined && isFound);
  const event = isCreated ? "CREATE" : write.event;
  // What may be an update needs the role for it.
  if (isCreated && write.event === "UPDATE" && !place.before.hasRole(target, "UPDATE")) {
    refusals.push(place.denied);
  }
  if (event === "touch" ? !place.before.hasTouchRole(target) : !place.before.hasRole(target, event)) {
    refusals.push(place.denied);
  }
  if (old && !isCreated) {
    const isPermitted = event === "touch"
      ? place.before.permitsTouch(target, old)
      : place.before.permits(target, old, event);
    // who links a row that is hidden is told that there is none
    const isMissing = write.source !== undefined && !place.before.permits(target, old, "READ");
    if (!isPermitted) refusals.push(isMissing ? 404 : 403);
  }
  if (now && event !== "touch" && event !== "DELETE" && !place.after.permits(target, now, event)) {
    refusals.push(403);
  }
  if (old && event === "DELETE") checkParts(place, target, old);
  if (isCreated && target.authority !== undefined) checkOwner(place, write.steps);
  if (write.entry) {
    checkEntry(place, isCreated ? withLink(place, write) : write.entry, { old, now, isNew: isCreated });
  }
  const isShown = now !== undefined && place.after.hasRole(target, "READ") &&
    place.after.permits(target, now, "READ");
  const isWayShown = write.steps.slice(0, -1).every(({ view }, index) => {
    const row = resolve(place.after, write.steps.slice(0, index + 1));
    return row && place.after.permits(view, row, "READ");
  });
  return { refusals, isShown: isWayShown ? isShown : undefined };
}

interface Place {
  readonly world: World;
  readonly refusals: number[];
  readonly before: Oracle;
  readonly after: Oracle;
  readonly denied: number;
}

/** The rows on the way must be visible. */
function checkWay({ before, refusals, denied }: Place, steps: readonly Step[]): void {
  for (let end = 1; end < steps.length; end++) {
    const { view } = steps[end - 1]!;
    if (!before.hasRole(view, "READ")) refusals.push(denied);
    const row = resolve(before, steps.slice(0, end));
    if (row && !before.permits(view, row, "READ")) refusals.push(404, 403);
  }
}

/** Who gives a row a new part must be permitted to create there. */
function checkOwner({ before, refusals }: Place, steps: readonly Step[]): void {
  const way = steps.slice(0, -1);
  const row = resolve(before, way);
  if (row && !before.permits(way.at(-1)!.view, row, "CREATE")) refusals.push(403);
}

/** The row at the end of a path. */
function resolve(oracle: Oracle, steps: readonly Step[]): Row | undefined {
  let rows: readonly Row[] = [];
  for (const { view, association, key } of steps) {
    const found = association
      ? rows.flatMap((row) => oracle.linked(row, association))
      : oracle.rows(view.name);
    rows = found.filter((row) => Object.entries(key ?? {}).every(([name, value]) => row[name] === value));
  }
  return rows.length === 1 ? rows[0] : undefined;
}

/** The row as written. */
function newRow({ before, after }: Place, { event, steps, entry }: Write): Row | undefined {
  if (event === "UPDATE") {
    const { view } = steps.at(-1)!;
    // A new value of an association on the way does not change which row was meant.
    const old = resolve(before, steps);
    if (!old) return resolve(after, steps);
    return after.row(view.name, keyOf(view, old));
  }
  if (event !== "CREATE" || !entry) return undefined;
  const { view, association } = steps.at(-1)!;
  const parent = steps.length > 1 ? resolve(before, steps.slice(0, -1)) : undefined;
  const link = parent && association ? { [association.other]: parent[association.own]! } : {};
  const row = { ...entry.columns, ...link };
  return view.keys.every((name) => name in row) ? after.row(view.name, keyOf(view, row)) : undefined;
}

function keyOf(view: View, row: Row): Row {
  return Object.fromEntries(view.keys.map((name) => [name, row[name]!]));
}

/** The entry with the reference that its path stands for. */
function withLink({ world, before }: Place, { steps, entry }: Write): Entry {
  const { view, association } = steps.at(-1)!;
  const back = view.associations.find(({ own, many }) => !many && own === association?.other);
  if (!association || association.composition || !back) return entry!;
  const value = resolve(before, steps.slice(0, -1))?.[association.own] ?? null;
  const reference = { column: back.own, target: viewOf(world, back.target), value };
  return { ...entry!, references: [...entry!.references, reference] };
}

interface Written {
  readonly old: Row | undefined;
  readonly now: Row | undefined;
  readonly isNew: boolean;
}

function checkEntry(place: Place, entry: Entry, { old, now, isNew }: Written): void {
  const { world, before, after, refusals, denied } = place;
  for (const { column, target, value } of entry.references) {
    if (value === null || !before.isRestricted(target)) continue;
    if (!isNew && old?.[column] === value) continue; // stays as it is
    const row = before.row(target.name, { ID: value });
    if (!before.hasRole(target, "READ")) refusals.push(denied);
    else if (row ? !before.permits(target, row, "READ") : !before.seesAll(target)) refusals.push(400);
  }
  for (const [name, children] of Object.entries(entry.children)) {
    const association = entry.view.associations.find((one) => one.name === name)!;
    const view = world.views.find((one) => one.name === association.target)!;
    const olds = old ? before.linked(old, association) : [];
    const news = now ? after.linked(now, association) : [];
    for (const child of children) {
      const own = view.keys.at(-1)!;
      const key = { [own]: child.columns[own]! };
      const [was, is] = [find(olds, key), find(news, key)];
      if (view.authority === undefined) {
        const events = isNew ? ["CREATE"] : ["CREATE", "UPDATE", "DELETE"];
        if (!events.some((event) => before.hasRole(view, event))) refusals.push(denied);
        checkChild(place, { view, old: was, now: is });
      }
      checkEntry(place, child, { old: was, now: is, isNew: was === undefined });
    }
    for (const row of olds) {
      if (find(news, keyOf(view, row)) || !now) continue;
      if (view.authority === undefined) checkChild(place, { view, old: row, now: undefined });
      checkParts(place, view, row);
    }
  }
}

function find(rows: readonly Row[], key: Row): Row | undefined {
  return rows.find((row) => Object.entries(key).every(([name, value]) => row[name] === value));
}

/** The parts of a row that is deleted: they are deleted with it. */
function checkParts(place: Place, view: View, row: Row): void {
  for (const association of view.associations.filter(({ composition }) => composition)) {
    const target = viewOf(place.world, association.target);
    for (const part of place.before.linked(row, association)) {
      if (target.authority === undefined) checkChild(place, { view: target, old: part, now: undefined });
      checkParts(place, target, part);
    }
  }
}

interface Child {
  readonly view: View;
  readonly old: Row | undefined;
  readonly now: Row | undefined;
}

/** A part that stands for itself is written only by those who may. */
function checkChild({ before, after, refusals, denied }: Place, { view, old, now }: Child): void {
  if (!old && !now) return;
  const event = !old ? "CREATE" : now ? "UPDATE" : "DELETE";
  if (!before.hasRole(view, event)) refusals.push(denied);
  if (old && !before.permits(view, old, event)) refusals.push(403);
  if (now && !after.permits(view, now, event)) refusals.push(403);
}
