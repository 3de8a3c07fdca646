/**
 * Writes of all rows of a set at once: those that the user may write are written, one by one as if there were no
 * restrictions, or nothing is.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { App, Sent } from "./apps.ts";
import type { Choices } from "./choices.ts";
import { isWritten } from "./derived.ts";
import { Oracle } from "./evaluate.ts";
import { type Row, type Rows, type View, viewOf, type World } from "./world.ts";

/** A write of all rows of a set. */
export interface SetWrite extends Sent {
  readonly view: View;
  readonly event: "UPDATE" | "DELETE";
  /** What rows must have; undefined if all are meant. */
  readonly where?: readonly [column: string, value: string | number];
}

/** A write of a set made of random decisions. */
export function randomSetWrite(choices: Choices, world: World): SetWrite {
  const roots = world.views.filter((view) =>
    view.authority === undefined && view.isExposed && isWritten(view)
  );
  const view = choices.pick(roots);
  const isBatched = choices.chance(20);
  const where = choices.chance(40) ? randomWhere(choices, view) : undefined;
  const url = `${view.name}${where ? filterOf(where) : ""}/$each`;
  const common = { view, url, isBatched, ...(where ? { where } : {}) };
  const name = view.texts.find((one) => one !== "path1");
  if (name === undefined || choices.chance(25)) return { ...common, method: "DELETE", event: "DELETE" };
  return { ...common, method: "PATCH", event: "UPDATE", body: { [name]: choices.pick(["x", "z", null]) } };
}

type Where = NonNullable<SetWrite["where"]>;

function randomWhere(choices: Choices, { numbers, texts }: View): Where {
  return choices.chance(50)
    ? [choices.pick(numbers), choices.int(7)]
    : [choices.pick(texts), choices.pick(["x", "z"])];
}

function filterOf([column, value]: Where): string {
  return `/$filter(${
    encodeURIComponent(`${column} eq ${typeof value === "string" ? `'${value}'` : value}`)
  })`;
}

/** Checks a write of a set. */
export async function checkSetWrite(
  world: World,
  write: SetWrite,
  { restricted, open }: { readonly restricted: App; readonly open: App },
): Promise<void> {
  const before = await open.rows();
  const oracle = new Oracle(world, before);
  const { view, event, where } = write;
  const found = await restricted.send(write);
  const rows = await restricted.rows();
  const message = `${write.method} ${write.url} ${JSON.stringify(write.body)} ${JSON.stringify(found)}`;
  if (!oracle.isServiceOpen || !oracle.hasRole(view, event)) {
    assert.equal(found.status, world.caller ? 403 : 401, message);
    return assert.deepEqual(rows, before, message);
  }
  const permitted = oracle.rows(view.name).filter((row) =>
    (!where || row[where[0]] === where[1]) && oracle.permits(view, row, event)
  );
  const statuses = await writeEach(open, write, permitted);
  const after = await open.rows();
  if (
    !isPermitted(world, { write, permitted, before, after }) ||
    statuses.some((status) => status >= 400 && status !== 404)
  ) {
    assert.ok(
      found.status === (world.caller ? 403 : 401) || found.status === 403 || statuses.includes(found.status),
      message,
    );
    assert.deepEqual(rows, before, message);
    if (JSON.stringify(after) !== JSON.stringify(before)) await open.restore(before);
    return;
  }
  assert.equal(found.status, 204, message);
  assert.deepEqual(rows, after, message);
}

async function writeEach(open: App, write: SetWrite, rows: readonly Row[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const row of rows) {
    const url = `${write.view.name}(${row.ID})`;
    statuses.push((await open.send({ ...write, url, isBatched: false })).status);
  }
  return statuses;
}

/** Whether the rows as changed are such that the user may write. */
function isPermitted(
  world: World,
  { write, permitted, before, after }: {
    readonly write: SetWrite;
    readonly permitted: readonly Row[];
    readonly before: Rows;
    readonly after: Rows;
  },
): boolean {
  if (write.event === "DELETE") {
    const oracle = new Oracle(world, before);
    return permitted.every((row) => areDeletable(world, { oracle, view: write.view, row }));
  }
  const oracle = new Oracle(world, after);
  return permitted.every(({ ID }) => {
    const row = oracle.row(write.view.name, { ID: ID! });
    return row !== undefined && oracle.permits(write.view, row, "UPDATE");
  });
}

/** Whether the user may delete all parts of a row. */
function areDeletable(
  world: World,
  { oracle, view, row }: { readonly oracle: Oracle; readonly view: View; readonly row: Row },
): boolean {
  return view.associations.filter(({ composition }) => composition).every((association) => {
    const target = viewOf(world, association.target);
    return oracle.linked(row, association).every((part) =>
      (target.authority !== undefined || oracle.permits(target, part, "DELETE")) &&
      areDeletable(world, { oracle, view: target, row: part })
    );
  });
}
