/** How a session opens its connection, who is told of it, and how it closes, with connections that a test gives. */

import assert from "node:assert/strict";
import { OpenConnection } from "../../src/db/postgres/open_connection.ts";
import { Session } from "../../src/db/postgres/session.ts";
import type { BoundStatement, Done, StatementResult } from "../../src/db/postgres/statement_query.ts";

const STALE = Object.assign(new Error("cached plan must not change result type"), {
  routine: "RevalidateCachedQuery",
});
const OUTCOME = {
  read: ({ rowCount }: StatementResult) => rowCount,
  failed: (error: unknown): never => {
    throw new Error("told", { cause: error });
  },
};

/** A connection whose statements end when a test says so. */
class GivenConnection {
  hasEnded = false;
  readonly sent: { readonly statement: BoundStatement; readonly done: Done }[] = [];
  readonly closed: number[] = [];

  send(statement: BoundStatement, done: Done): void {
    this.sent.push({ statement, done });
  }

  close(ms: number): Promise<void> {
    this.closed.push(ms);
    return Promise.resolve();
  }

  /** Ends the oldest statement: with a number of rows or an error. */
  end(outcome: number | Error): void {
    const { done } = this.sent.shift()!;
    if (outcome instanceof Error) done(outcome);
    else done(undefined, { rows: [], fields: [], rowCount: outcome } as unknown as StatementResult);
  }
}

interface Given {
  readonly session: Session;
  /** The connections that were opened. */
  readonly opened: GivenConnection[];
  /** What was told, in order. */
  readonly told: string[];
  /** What opening fails with. */
  refuse: Error | undefined;
}

/** Runs a test with a session that opens connections of the test. */
async function withSession(run: (given: Given) => Promise<void>): Promise<void> {
  const { open } = OpenConnection;
  const told: string[] = [];
  const session = new Session({} as never, {
    onIdle: () => told.push("idle"),
    onStale: (sql, name) => told.push(`stale ${name}: ${sql}`),
  });
  const given: Given = { session, told, opened: [], refuse: undefined };
  OpenConnection.open = () => {
    if (given.refuse) return Promise.reject(given.refuse);
    const connection = new GivenConnection();
    given.opened.push(connection);
    return Promise.resolve(connection as unknown as OpenConnection);
  };
  try {
    await run(given);
  } finally {
    OpenConnection.open = open;
  }
}

/** Lets go on what waits for nothing but promises. */
async function turns(): Promise<void> {
  for (let n = 0; n < 9; n++) await Promise.resolve();
}

const statement = (sql: string, name?: string): BoundStatement => ({ sql, values: [], name });

Deno.test("statements run on one connection in their order, and the pool is told once when all have ended", async () => {
  await withSession(async ({ session, opened, told }) => {
    const both = [session.run(statement("a"), OUTCOME), session.run(statement("b"), OUTCOME)];
    assert.deepEqual([session.running, session.isReserved], [2, false]);
    await turns();
    assert.equal(opened.length, 1);
    const third = session.run(statement("c"), OUTCOME);
    assert.deepEqual(opened[0]!.sent.map(({ statement: { sql } }) => sql), ["a", "b", "c"]);
    const running: number[] = [];
    for (const rows of [1, 2]) {
      opened[0]!.end(rows);
      running.push(session.running);
      assert.deepEqual(told, []);
    }
    opened[0]!.end(3);
    assert.deepEqual([...running, session.running, told], [2, 1, 0, ["idle"]]);
    assert.deepEqual(await Promise.all([...both, third]), [1, 2, 3]);
  });
});

Deno.test("a connection that has ended is opened again by the next statement", async () => {
  await withSession(async ({ session, opened, told }) => {
    for (const n of [1, 2]) {
      const result = session.run(statement("a"), OUTCOME);
      await turns();
      opened.at(-1)!.end(n);
      assert.equal(await result, n);
      assert.equal(opened.length, n);
      opened.at(-1)!.hasEnded = true;
    }
    assert.deepEqual(told, ["idle", "idle"]);
  });
});

Deno.test("what cannot be opened fails its statements, and is tried again by the next one", async () => {
  await withSession(async (given) => {
    const { session, opened, told } = given;
    given.refuse = new Error("away");
    const { refuse } = given;
    for (const failing of [session.run(statement("a"), OUTCOME), session.run(statement("b"), OUTCOME)]) {
      await assert.rejects(failing, (error: Error) => error.message === "told" && error.cause === refuse);
    }
    assert.deepEqual([told, session.running], [["idle"], 0]);
    await assert.rejects(session.reserve(), (error) => error === refuse);
    assert.deepEqual([told, session.isReserved], [["idle", "idle"], false]);
    given.refuse = undefined;
    assert.equal(await session.reserve() as unknown, opened[0]);
    assert.equal(session.isReserved, true);
    session.release();
    assert.deepEqual([told.length, session.isReserved], [3, false]);
    assert.equal(await session.reserve() as unknown, opened[0], "the connection is kept");
    assert.equal(opened.length, 1);
  });
});

Deno.test("a prepared statement that is stale runs once more as it is; other errors are those of the statement", async () => {
  await withSession(async ({ session, opened, told }) => {
    const result = session.run({ ...statement("a", "fw1"), answerBytes: 7 }, OUTCOME);
    await turns();
    const [open] = opened;
    open!.end(STALE);
    assert.deepEqual(open!.sent[0]!.statement, { sql: "a", values: [], answerBytes: 7 });
    assert.ok(told.includes("stale fw1: a"));
    open!.end(4);
    assert.equal(await result, 4);
    for (const [name, error] of [["fw1", new Error("syntax")], [undefined, STALE]] as const) {
      const failing = session.run(statement("a", name), OUTCOME);
      open!.end(error);
      await assert.rejects(failing, (thrown: Error) => thrown.cause === error);
      assert.equal(open!.sent.length, 0);
    }
  });
});

Deno.test("a session is closed once the one who has it alone has released it, or after the time it may take", async () => {
  await withSession(async ({ session, opened, told }) => {
    await session.close(7);
    assert.equal(opened.length, 0, "there is nothing to close");
    await session.reserve();
    const { setTimeout, clearTimeout } = globalThis;
    const timers = new Map<number, () => void>();
    globalThis.setTimeout = ((run: () => void, ms: number) => (timers.set(ms, run), ms)) as never;
    globalThis.clearTimeout = ((ms: number) => timers.delete(ms)) as never;
    try {
      const closing = session.close(70);
      await turns();
      assert.deepEqual([opened[0]!.closed, [...timers.keys()]], [[], [70]]);
      session.release();
      await closing;
      assert.deepEqual([opened[0]!.closed, [...timers.keys()], told], [[70], [], ["idle"]]);
      await session.reserve();
      const late = session.close(80);
      await turns();
      assert.deepEqual(opened[0]!.closed, [70]);
      timers.get(80)!();
      await late;
      assert.deepEqual(opened[0]!.closed, [70, 80]);
    } finally {
      Object.assign(globalThis, { setTimeout, clearTimeout });
    }
  });
});

Deno.test("a session that is closed while its connection opens closes that connection, and one that has ended not", async () => {
  await withSession(async (given) => {
    const { session, opened } = given;
    const running = session.run(statement("a"), OUTCOME);
    await session.close(5);
    assert.deepEqual(opened[0]!.closed, [5]);
    opened[0]!.end(1);
    await running;
    opened[0]!.hasEnded = true;
    await session.close(6);
    assert.deepEqual(opened[0]!.closed, [5]);
    given.refuse = new Error("away");
    const failing = assert.rejects(session.run(statement("a"), OUTCOME));
    await session.close(7);
    await failing;
  });
});

Deno.test("a session tells since when it is there", async () => {
  const { now } = Date;
  try {
    Date.now = () => 12;
    await withSession(({ session }) => Promise.resolve(assert.equal(session.since, 12)));
  } finally {
    Date.now = now;
  }
});
