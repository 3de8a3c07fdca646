/** Engines and transactions in front of others: they do all that those do, but what is given. */

import assert from "node:assert/strict";
import { decoratedDatabase, decoratedTransaction } from "../../src/fw/decorated_database.ts";
import type { Database, DatabaseTransaction } from "../../src/service/database.ts";

/** An object with methods that tell their receiver and arguments. */
class Told {
  constructor(names: readonly string[]) {
    for (const name of names) {
      Object.defineProperty(this, name, {
        value: function (this: unknown, ...given: readonly unknown[]) {
          return [name, this, ...given];
        },
      });
    }
  }
}

const given = ["one", "two", "three"];

Deno.test("an engine in front of another one hands on every call with its arguments", () => {
  const counts = { begin: 1, deploy: 2, deployments: 3, reset: 1, claim: 3, drop: 3, state: 3, close: 0 };
  const inner = Object.assign(new Told(Object.keys(counts)), {
    ...{ kind: "own", needsNoContext: true, isVolatile: true, decimalDigits: 3 },
  }) as unknown as Database;
  const outer = decoratedDatabase(inner, {}) as unknown as Record<
    string,
    (...given: readonly unknown[]) => unknown
  >;
  for (const [name, count] of Object.entries(counts)) {
    assert.deepEqual(outer[name]!(...given), [name, inner, ...given.slice(0, count)], name);
  }
  const { kind, needsNoContext, isVolatile, decimalDigits } = outer as unknown as Database;
  assert.deepEqual([kind, needsNoContext, isVolatile, decimalDigits], ["own", true, true, 3]);
  const begin = () => "own" as never;
  assert.equal(decoratedDatabase(inner, { begin }).begin, begin);
  const bare = decoratedDatabase(new Told(["begin", "deploy", "reset", "close"]) as unknown as Database, {});
  assert.deepEqual([bare.deployments, bare.claim, bare.drop, bare.state], Array(4).fill(undefined));
});

Deno.test("a transaction in front of another one hands on every call, and whether anything is held, as it changes", () => {
  const counts = {
    ...{ run: 2, within: 3, readJson: 3, openCursor: 3, explain: 3, enqueue: 3, turn: 3, define: 3, sql: 3 },
    ...{ commit: 0, rollback: 0 },
  };
  const inner = Object.assign(new Told(Object.keys(counts)), { holdsNothing: true });
  const outer = decoratedTransaction(inner as unknown as DatabaseTransaction, {});
  const calls = outer as unknown as Record<string, (...given: readonly unknown[]) => unknown>;
  for (const [name, count] of Object.entries(counts)) {
    assert.deepEqual(calls[name]!(...given), [name, inner, ...given.slice(0, count)], name);
  }
  assert.equal(outer.holdsNothing, true);
  inner.holdsNothing = false;
  assert.equal(outer.holdsNothing, false);
  const bare = decoratedTransaction(
    new Told(["run", "commit", "rollback"]) as unknown as DatabaseTransaction,
    {},
  );
  for (
    const name of ["within", "readJson", "openCursor", "explain", "enqueue", "turn", "define", "sql"] as const
  ) {
    assert.equal(bare[name], undefined, name);
  }
  const run = () => Promise.resolve([]);
  assert.equal(decoratedTransaction(inner as unknown as DatabaseTransaction, { run }).run, run);
});
