/** How transactions end (api 6). */

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext } from "../../src/context/store.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import type { Database, DatabaseTransaction } from "../../src/service/database.ts";
import { RootTransaction, runInTransaction } from "../../src/service/transactions/transaction.ts";
import { withShop } from "./database_fixture.ts";
import { createHost, createService } from "./fixture.ts";

const turn = () => new Promise((go) => setTimeout(go, 1));

/** An engine whose commit takes its time, and fails where it should. */
function committingLate(database: Database, failure?: Error): Database {
  const begin = (context: EventContext) => {
    const inner = database.begin(context);
    const commit = async () => {
      await turn();
      await inner.rollback();
      if (failure) throw failure;
    };
    const run: DatabaseTransaction["run"] = (query, params) => inner.run(query, params);
    return { run, commit, rollback: () => inner.rollback() } as DatabaseTransaction;
  };
  return { kind: database.kind, begin } as Database; // nothing else is asked for
}

Deno.test("a transaction fails with the commit of any of its engines, however long that takes", async () => {
  const host = createHost();
  const database = createSqliteDatabase({ model: host.model, options: {} });
  try {
    const failing = committingLate(database, new Error("No space"));
    for (const engines of [[failing], [committingLate(database), failing]]) {
      const told: string[] = [];
      const work = runInTransaction(new EventContext(), (transaction) => {
        transaction.afterCommit(() => told.push("committed"));
        for (const engine of engines) transaction.engine(engine);
      }, { log: host.log("test") });
      await assert.rejects(work, { message: "No space" });
      const root = new RootTransaction(new EventContext(), { log: host.log("test") });
      for (const engine of engines) root.engine(engine);
      await assert.rejects(async () => await root.commit(), { message: "No space" });
      assert.deepEqual([told, root.state], [[], "rolled back"]);
    }
  } finally {
    await database.close();
  }
});

Deno.test("tx() of a context with an open transaction takes part in it", () =>
  withShop(async ({ db, host }) => {
    const context = new EventContext({ user: "alice" });
    await runInTransaction(context, (root) => {
      assert.equal((db.tx(context) as { rootTransaction?: unknown }).rootTransaction, root);
      assert.notEqual((db.tx({ user: "bob" }) as { rootTransaction?: unknown }).rootTransaction, root);
    }, { log: host.log("test") });
  }));

Deno.test("transaction() of existing projects is tx() under its older name", () =>
  withShop(async ({ db, host }) => {
    const context = new EventContext({ user: "alice" });
    await runInTransaction(context, (root) => {
      assert.equal((db.transaction(context) as { rootTransaction?: unknown }).rootTransaction, root);
    }, { log: host.log("test") });
    assert.equal(await db.transaction(({ context: { user } }) => user.id), "anonymous");
  }));

Deno.test("a transaction that has ended is not committed again", async () => {
  const begin = () => new RootTransaction(new EventContext(), { log: createHost().log("test") });
  const committed = begin();
  await committed.commit();
  assert.throws(() => committed.commit(), /was committed already/);
  const rolledBack = begin();
  await rolledBack.rollback();
  assert.throws(() => rolledBack.commit(), /was rolled back already/);
  await committed.rollback();
  assert.equal(committed.state, "committed");
  const unused = { begin: () => assert.fail("no engine begins in it") } as unknown as Database;
  assert.throws(() => committed.engine(unused), /was committed already/);
});

Deno.test("the handlers of COMMIT of all services are asked, and one that outlives its transaction commits nothing [6.1.COMMIT]", async () => {
  const asked: string[] = [];
  const root = new RootTransaction(new EventContext(), { log: createHost().log("test") });
  const asking = (name: string, work?: () => Promise<void>) =>
    createService((srv) =>
      srv.before("COMMIT", async () => {
        asked.push(name);
        await work?.();
      })
    );
  root.join(asking("one"));
  root.join(asking("two"));
  root.join(asking("late", () => root.rollback(new Error("The time is over"))));
  await assert.rejects(async () => await root.commit(), /was rolled back already/);
  assert.deepEqual([asked, root.state], [["one", "two", "late"], "rolled back"]);
});

Deno.test("a commit that fails is told to the error handlers of the request from outside", async () => {
  const told: string[] = [];
  const service = createService((srv) => {
    srv.on("outer", () => srv.send("inner", {}));
    srv.on("inner", () => 1);
    srv.before("COMMIT", () => {
      throw new Error("Vetoed");
    });
    srv.on("error", (_: unknown, req: { event: string }) => void told.push(req.event));
  });
  await assert.rejects(async () => await service.send("outer", {}), /Vetoed/);
  assert.deepEqual(told, ["outer"]);
});

Deno.test("rollback() of a service's transaction returns when its engines are rolled back", () =>
  withShop(async ({ db }) => {
    let isRolledBack = false;
    const rollback = () => turn().then(() => void (isRolledBack = true));
    const tx = db.tx() as unknown as { rootTransaction: RootTransaction; rollback(): Promise<void> };
    tx.rootTransaction.engine({ begin: () => ({ rollback }) } as unknown as Database);
    await tx.rollback();
    assert.equal(isRolledBack, true);
  }));

Deno.test("a handler of COMMIT that takes its time vetoes as well [6.1.COMMIT]", () =>
  withShop(async ({ service, stockOf }) => {
    await assert.rejects(async () => await service.send("order", { book: 201 }), { status: 409 });
    assert.equal(await stockOf(201), 10);
  }, (srv, db) => {
    srv.on("order", async () => {
      await db.run({ UPDATE: { entity: { ref: ["shop.Books"] }, data: { stock: 1 } } });
    });
    srv.before("COMMIT", async () => {
      await turn();
      throw Object.assign(new Error("Vetoed"), { status: 409 });
    });
  }));

Deno.test("a handler of COMMIT is asked where nothing else takes part in the transaction [6.1.COMMIT]", async () => {
  const service = createService((srv) => {
    srv.on("order", () => "ordered");
    srv.before("COMMIT", () => {
      throw Object.assign(new Error("Vetoed"), { status: 409 });
    });
  });
  await assert.rejects(async () => await service.send("order", { book: 1 }), { status: 409 });
});

Deno.test("what waits for the commit runs one after the other, and before the transaction is over", async () => {
  const log: string[] = [];
  const host = createHost();
  await runInTransaction(new EventContext(), (transaction) => {
    transaction.afterCommit(async () => {
      await turn();
      log.push("first");
    });
    transaction.afterCommit(() => {
      log.push("second");
      throw new Error("Told to the log only");
    });
  }, { log: host.log("test") });
  assert.deepEqual([log, host.logged.length], [["first", "second"], 1]);
  await runInTransaction(new EventContext(), (transaction) => {
    transaction.afterCommit(() => log.push("alone"));
  }, { log: host.log("test") });
  assert.equal(log.at(-1), "alone");
});

Deno.test("a transaction whose engines commit is not rolled back nor committed meanwhile", () =>
  withShop(async ({ host }) => {
    const database = createSqliteDatabase({ model: host.model, options: {} });
    try {
      const late = committingLate(database);
      const rolledBack: string[] = [];
      const begin = (context: EventContext) =>
        Object.assign(late.begin(context), { rollback: () => Promise.resolve(void rolledBack.push("x")) });
      const root = new RootTransaction(new EventContext(), { log: host.log("test") });
      root.engine({ ...late, begin });
      const pending = root.commit();
      await root.rollback(new Error("too late"));
      assert.throws(() => root.commit(), /was ending already/);
      await pending;
      assert.deepEqual([rolledBack, root.state], [[], "committed"]);
    } finally {
      await database.close();
    }
  }));

Deno.test("commit() of a service's transaction fails as its engine does, and hands its result through", () =>
  withShop(async ({ db, host }) => {
    const database = createSqliteDatabase({ model: host.model, options: {} });
    try {
      const failing = db.tx({});
      failing.rootTransaction.engine(committingLate(database, new Error("No space")));
      await assert.rejects(failing.commit(), { message: "No space" });
      const passing = db.tx({});
      passing.rootTransaction.engine(committingLate(database));
      assert.equal(await passing.commit(7), 7);
      assert.equal(passing.rootTransaction.state, "committed");
    } finally {
      await database.close();
    }
  }));

Deno.test("tx() of an object with a context goes on in it; any other member of that name is none", () =>
  withShop(({ db }) => {
    const context = new EventContext({ user: "alice", tenant: "t1" });
    assert.equal(db.tx({ context }).context.tenant, "t1");
    for (const other of [{}, undefined, "t2"]) {
      const given = { user: "bob", context: other } as { user: string };
      assert.equal(db.tx(given).context.user.id, "bob");
    }
    return Promise.resolve();
  }));

Deno.test("tx() refuses what is no object", () =>
  withShop(({ db }) => {
    for (const given of ["alice", 7, null, true]) {
      assert.throws(() => db.tx(given as unknown as { user: string }), {
        name: "TypeError",
        message: /is expected by tx/,
      });
    }
    return Promise.resolve();
  }));

Deno.test("a transaction whose hooks are asked fails as its engine does", async () => {
  const host = createHost();
  const database = createSqliteDatabase({ model: host.model, options: {} });
  try {
    const asked: string[] = [];
    const service = createService((srv) => srv.before("COMMIT", () => void asked.push("COMMIT")));
    const root = new RootTransaction(new EventContext(), { log: host.log("test") });
    root.join(service);
    root.engine(committingLate(database, new Error("No space")));
    await assert.rejects(async () => await root.commit(), { message: "No space" });
    assert.deepEqual([asked, root.state], [["COMMIT"], "rolled back"]);
  } finally {
    await database.close();
  }
});

Deno.test("a transaction fails with an engine that fails at once, which is told to its requests", async () => {
  const told: string[] = [];
  const begin = () => ({
    commit: () => {
      throw new Error("No space");
    },
    rollback: () => void told.push("rolled back"),
  });
  const root = new RootTransaction(new EventContext(), { log: createHost().log("test") });
  root.engine({ kind: "broken", begin } as unknown as Database); // nothing else is asked for
  root.afterCommit(() => told.push("committed"));
  await assert.rejects(async () => await root.commit(), { message: "No space" });
  assert.deepEqual([told, root.state], [["rolled back"], "rolled back"]);
});

Deno.test("a transaction that nobody is asked about ends at once", () => {
  const root = new RootTransaction(new EventContext(), { log: createHost().log("test") });
  root.join(createService());
  assert.equal(root.commit(), undefined);
  assert.equal(root.state, "committed");
});

Deno.test("no transaction begins in a context whose time is over", () => {
  const context = new EventContext({ signal: AbortSignal.abort(new Error("late")) });
  assert.throws(() => new RootTransaction(context, { log: createHost().log("test") }), { message: "late" });
});

Deno.test("a transaction that has ended hears of the end of its request no more", async () => {
  for (const end of ["commit", "rollback"] as const) {
    const request = new AbortController();
    const context = new EventContext({ signal: request.signal });
    const transaction = new RootTransaction(context, { log: createHost().log("test") });
    const heard: unknown[] = [];
    transaction.onEnding = (reason) => void heard.push(reason);
    transaction.watch();
    await transaction[end]();
    request.abort("late");
    assert.deepEqual(heard, []);
  }
});

Deno.test("a transaction whose work goes on is rolled back when the time of its request is over", async () => {
  const request = new AbortController();
  const context = new EventContext({ signal: request.signal });
  const { promise, resolve } = Promise.withResolvers<void>();
  let transaction: RootTransaction | undefined;
  const work = runInTransaction(context, (given) => {
    transaction = given;
    return promise;
  }, { log: createHost().log("test") });
  assert.equal(transaction?.state, "open");
  request.abort(new Error("late"));
  assert.equal(transaction?.state, "rolled back");
  resolve();
  await work;
});

Deno.test("a transaction that somebody else ends is rolled back when the time of its request is over", async () => {
  const request = new AbortController();
  const tx = createService().tx(new EventContext({ signal: request.signal }));
  assert.equal(tx.rootTransaction.state, "open");
  request.abort(new Error("late"));
  assert.equal(tx.rootTransaction.state, "rolled back");
  await assert.rejects(tx.commit(), /was rolled back already/);
});

Deno.test("the host hears of each context that begins a transaction of its own and no child's", () => {
  const adopted: EventContext[] = [];
  const options = { log: createHost().log("test"), adopt: (one: EventContext) => void adopted.push(one) };
  const context = new EventContext();
  new RootTransaction(context, options);
  new RootTransaction(new EventContext({}, context), options);
  assert.deepEqual(adopted, [context]);
});

Deno.test("what waits for the commit sees the context of the transaction, which is entered once for all of it", async () => {
  const context = new EventContext({ id: "the one" });
  const seen: unknown[] = [];
  const { run } = AsyncLocalStorage.prototype;
  let entries = 0;
  const host = createHost();
  const transaction = new RootTransaction(context, { log: host.log("test") });
  for (let at = 0; at < 3; at++) transaction.afterCommit(() => void seen.push(currentContext()?.id));
  AsyncLocalStorage.prototype.run = function (this: AsyncLocalStorage<unknown>, ...args: unknown[]) {
    entries++;
    return Reflect.apply(run, this, args);
  } as typeof run;
  try {
    await transaction.commit();
  } finally {
    AsyncLocalStorage.prototype.run = run;
  }
  assert.deepEqual([seen, entries], [["the one", "the one", "the one"], 1]);
});
