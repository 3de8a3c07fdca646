/**
 * Delta payloads for collections: they do what their changes do one by one without restrictions, or nothing.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { App, Sent } from "./apps.ts";
import type { Choices } from "./choices.ts";
import { isWritten } from "./derived.ts";
import { judge } from "./judge.ts";
import type { Write } from "./random_write.ts";
import type { Row, World } from "./world.ts";

/** Changes of a collection. */
export interface Changes extends Sent {
  /** The changes one by one, each as payload of its own. */
  readonly parts: readonly Write[];
}

/** Changes made of random decisions. */
export function randomChanges(choices: Choices, world: World): Changes {
  const roots = world.views.filter((view) =>
    view.authority === undefined && view.isExposed && isWritten(view)
  );
  const view = choices.pick(roots);
  const common = { method: "PATCH", url: view.name, isBatched: false };
  const parts = Array.from({ length: 1 + choices.int(3) }, (): Write => {
    const ID = 1 + choices.int(8);
    const steps = [{ view, key: { ID } }];
    if (choices.chance(30)) {
      const removed = { "@removed": { reason: "deleted" }, "@id": `${view.name}(${ID})` };
      return { ...common, event: "DELETE", steps, body: payload([removed]) };
    }
    const names = view.texts.filter((name) => name !== "path1");
    const columns: Row = Object.fromEntries(names.map((name) => [name, choices.pick(["x", null, "z"])]));
    const entry = { view, columns, references: [], children: {} };
    return { ...common, event: "UPDATE", steps, entry, body: payload([{ ID, ...columns }]) };
  });
  const value = parts.flatMap(({ body }) => (body as { value: unknown[] }).value);
  return { ...common, isBatched: choices.chance(20), parts, body: payload(value) };
}

function payload(value: readonly unknown[]): object {
  return { "@context": "#$delta", value };
}

/** Checks changes of a collection. */
export async function checkChanges(
  world: World,
  changes: Changes,
  { restricted, open }: { readonly restricted: App; readonly open: App },
): Promise<void> {
  const start = await open.rows();
  const refusals: number[] = [];
  let after = start;
  for (const write of changes.parts) {
    const before = after;
    const { status } = await open.send(write);
    after = await open.rows();
    if (status >= 400) refusals.push(status);
    refusals.push(...judge({ world, write, before, after, isFound: status < 400 }).refusals);
  }
  const found = await restricted.send(changes);
  const rows = await restricted.rows();
  const message = `${changes.method} ${changes.url} ${JSON.stringify(changes.body)} ${
    JSON.stringify({ found, refusals })
  }`;
  if (refusals.length > 0) {
    assert.ok(refusals.includes(found.status), message);
    assert.deepEqual(rows, start, message);
    return await open.restore(start);
  }
  assert.ok(found.status < 300, message);
  assert.deepEqual(rows, after, message);
}
