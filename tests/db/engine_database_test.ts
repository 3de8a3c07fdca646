/** What the database of all engines asks of one. */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { EngineDatabase, type EngineDescription } from "../../src/db/engine/engine_database.ts";
import type { Compiled, Driver } from "../../src/db/engine/driver.ts";
import { linkModel } from "../../src/model/link_model.ts";

/** A database over an engine whose rows are given, and what the engine was asked. */
function databaseOf(turn?: (name: string) => Promise<void>) {
  const asked: string[] = [];
  const compiled = {
    get: () => ({ readers: [], one: false, limited: false }),
    templates: { get: (query: unknown, params: unknown) => ({ query, params }) },
  };
  const driver = {
    begin: () => void asked.push("begin"),
    read: () => (asked.push("read"), []),
    commit: () => void asked.push("commit"),
    rollback: () => void asked.push("rollback"),
  };
  const engine = {
    kind: "test",
    model: linkModel({ definitions: {} }),
    queries: { compiled, compiledFor: () => compiled },
    open: () => driver,
    ...turn && { turn: (_driver: unknown, name: string) => (asked.push(name), turn(name)) },
  } as unknown as EngineDescription<Compiled, Driver<Compiled>>;
  return { database: new EngineDatabase(engine), asked };
}

const REQUEST = {
  ...{ entity: "Q", target: "t", application: "a", limit: 1, owner: "o" },
  ...{ now: "2026-01-01T00:00:00.000Z", lockedUntil: "2026-01-01T00:01:00.000Z" },
};

Deno.test("queued work is looked for once it is the turn of the one who claims it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { database, asked } = databaseOf(() => promise);
  const claimed = database.claim!(REQUEST);
  assert.deepEqual(asked, ["claim Q"]);
  resolve();
  assert.deepEqual(await claimed, []);
  assert.deepEqual(asked.filter((one) => one !== "begin"), ["claim Q", "read", "commit"]);
});

Deno.test("a claim whose turn does not come is undone; without turns there are no claims", async () => {
  const { database, asked } = databaseOf(() => Promise.reject(new Error("gone")));
  await assert.rejects(database.claim!(REQUEST), /gone/);
  assert.deepEqual(asked, ["claim Q", "rollback"]);
  assert.equal(databaseOf().database.claim, undefined);
});

Deno.test("plain SQL begins a transaction that writes unless it only reads, where functions may write also for those", async () => {
  const begins = async (text: string, hasWritingFunctions: boolean): Promise<boolean> => {
    const asked: string[] = [];
    const driver = { begin: () => void asked.push("begin"), sql: (sql: string) => (asked.push(sql), []) };
    const engine = {
      ...{ kind: "test", model: linkModel({ definitions: {} }), hasWritingFunctions },
      queries: { compiledFor: () => ({}) },
      open: () => driver,
    } as unknown as EngineDescription<Compiled, Driver<Compiled>>;
    await new EngineDatabase(engine).begin(new EventContext()).sql!(text);
    assert.equal(asked.at(-1), text);
    return asked[0] === "begin";
  };
  for (
    const [text, isReading, isReadingWithFunctions] of [
      ["SELECT 1", true, true],
      ["SELECT book(1)", true, false],
      ["DELETE FROM t", false, false],
    ] as const
  ) {
    assert.equal(await begins(text, false), !isReading, text);
    assert.equal(await begins(text, true), !isReadingWithFunctions, text);
  }
});
