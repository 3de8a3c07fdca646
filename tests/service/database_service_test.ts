import assert from "node:assert/strict";
import "../../mod.ts"; // all that programs have is loaded, and there is no runtime
import { EventContext } from "../../src/context/event_context.ts";
import type { Database } from "../../src/service/database.ts";
import { createMemoryDatabase } from "../../src/db/memory/memory_database.ts";
import { DatabaseService } from "../../src/service/database_service.ts";
import { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { transactionOf } from "../../src/service/transactions/transaction.ts";
import { asRequest } from "./fixture.ts";
import { withShop } from "./database_fixture.ts";

const setStock = (stock: number) => ({
  UPDATE: { entity: "shop.Books", data: { stock }, where: [{ ref: ["ID"] }, "=", { val: 201 }] },
});

Deno.test("DatabaseService runs a query without a transaction in one of its own", async () => {
  await withShop(async ({ db, stockOf }) => {
    assert.equal(await db.run(setStock(7)), 1);
    assert.equal(await stockOf(201), 7);
  });
});

Deno.test("DatabaseService runs several queries in one transaction", async () => {
  await withShop(async ({ db, stockOf }) => {
    const broken = { INSERT: { into: "shop.Books", entries: [{ ID: 201 }] } };
    await assert.rejects(db.run([setStock(7), broken]), { status: 409 });
    assert.equal(await stockOf(201), 10);
  });
});

Deno.test("run() answers without a wait in between what the database answers at once", async () => {
  await withShop(async ({ db }) => {
    await db.tx(async () => {
      const later = Promise.resolve("later");
      assert.equal(await Promise.race([db.run(setStock(7)), later]), 1);
      // a failure is that of the promise, not of the call
      const refused = db.run({} as never);
      await assert.rejects(refused, TypeError);
    });
  });
});

Deno.test("A request is one transaction: rolled back when a handler fails", async () => {
  await withShop(async ({ service, db, stockOf }) => {
    service.on("order", async (req) => {
      await db.run(setStock(7));
      await db.update("shop.Books", 202).set({ stock: 7 });
      if ((req.data as { fail?: boolean }).fail) req.reject(400, "No");
    });
    await assert.rejects(service.send("order", { fail: true }));
    assert.deepEqual([await stockOf(201), await stockOf(202)], [10, 10]);
    await service.send("order", {});
    assert.deepEqual([await stockOf(201), await stockOf(202)], [7, 7]);
  });
});

Deno.test("A veto in before commit rolls the database back [6.1.commit]", async () => {
  await withShop(async ({ service, db, stockOf }) => {
    service.on("order", async (req) => {
      await db.run(setStock(7));
      req.before("commit", () => req.reject(409, "Vetoed"));
    });
    await assert.rejects(service.send("order"), { status: 409 });
    assert.equal(await stockOf(201), 10);
  });
});

Deno.test("A veto of a service's before COMMIT rolls the database back [6.1.COMMIT]", async () => {
  await withShop(async ({ service, db, stockOf }) => {
    let veto = true;
    service.on("order", async () => void await db.run(setStock(7)));
    db.before("COMMIT", () => {
      if (veto) throw Object.assign(new Error("Vetoed"), { status: 409 });
    });
    await assert.rejects(service.send("order"), { status: 409 });
    veto = false;
    assert.equal(await stockOf(201), 10);
  });
});

Deno.test("In a change set the database keeps all or nothing [6.1.cs.b]", async () => {
  await withShop(async ({ service, db, stockOf }) => {
    service.on("order", async (req) => {
      const { book, fail } = req.data as { book: number; fail?: boolean };
      await db.update("shop.Books", book).set({ stock: 0 });
      if (fail) req.reject(400, "No");
    });
    const changeSet = (fail: boolean) =>
      asRequest(service, async () => {
        await service.send("order", { book: 201 });
        await service.send("order", { book: 202, fail });
      });
    await assert.rejects(changeSet(true));
    assert.deepEqual([await stockOf(201), await stockOf(202)], [10, 10]);
    await changeSet(false);
    assert.deepEqual([await stockOf(201), await stockOf(202)], [0, 0]);
  });
});

Deno.test("succeeded works in transactions of its own, which cannot be rolled back any more [6.1.succ]", async () => {
  await withShop(async ({ service, db, stockOf }) => {
    service.on("order", async (req) => {
      await db.run(setStock(7));
      req.on("succeeded", async () => {
        assert.equal(await stockOf(201), 7);
        await db.tx((tx) => tx.run(setStock(6)));
        throw new Error("Too late");
      });
    });
    await service.send("order");
    assert.equal(await stockOf(201), 6);
  });
});

Deno.test("failed runs after the rollback [6.1.failed]", async () => {
  await withShop(async ({ service, db, stockOf }) => {
    let seen: unknown;
    service.on("order", async (req) => {
      await db.run(setStock(7));
      req.on("failed", async () => void (seen = await stockOf(201)));
      req.reject(400, "No");
    });
    await assert.rejects(service.send("order"));
    assert.equal(seen, 10);
  });
});

Deno.test("DatabaseService hands context and http on to its handlers [2.1.http.b]", async () => {
  await withShop(async ({ service, db }) => {
    const seen: unknown[] = [];
    db.before("READ", "shop.Books", (req) => void seen.push(req.user.id, req.http, req.entity));
    service.on("order", async () => void await db.read("shop.Books", 201));
    const http = { req: {}, res: {} } as never;
    await asRequest(service, () => service.send("order"), new EventContext({ user: "alice", http }));
    assert.deepEqual(seen, ["alice", http, "shop.Books"]);
  });
});

Deno.test("DatabaseService handlers see queries as requests and may answer them", async () => {
  await withShop(async ({ db }) => {
    db.on("READ", "shop.Authors", () => [{ ID: 9 }]);
    assert.deepEqual(await db.read("shop.Authors"), [{ ID: 9 }]);
    db.after("READ", "shop.Books", (rows: unknown[]) => void rows.push("changed"));
    assert.equal((await db.read("shop.Books")).length, 3);
  });
});

Deno.test("tx(fn) commits what succeeds and rolls back what fails", async () => {
  await withShop(async ({ db, stockOf }) => {
    assert.equal(await db.tx(async (tx) => (await tx.run(setStock(7)), "result")), "result");
    assert.equal(await stockOf(201), 7);
    const failing = db.tx(async (tx) => {
      await tx.run(setStock(6));
      throw new Error("No");
    });
    await assert.rejects(failing, { message: "No" });
    assert.equal(await stockOf(201), 7);
  });
});

Deno.test("tx(context, fn) has its own user and tenant", async () => {
  await withShop(async ({ db }) => {
    const { user, tenant } = await db.tx({ user: "bob", tenant: "t2" }, ({ context }) => context);
    assert.deepEqual([user.id, tenant], ["bob", "t2"]);
  });
});

Deno.test("tx(fn) inside a request is independent of it", async () => {
  await withShop(async ({ service, db }) => {
    service.on("order", async (req) => {
      const outer = transactionOf(req);
      await db.tx((tx) => assert.notEqual(tx.rootTransaction, outer));
    });
    await service.send("order");
  });
});

Deno.test("tx() is ended by commit() or rollback(), and then refuses queries", async () => {
  await withShop(async ({ db, stockOf }) => {
    const committed = db.tx();
    await committed.run(setStock(7));
    assert.equal(await committed.commit("handed through"), "handed through");
    assert.equal(await stockOf(201), 7);
    await assert.rejects(committed.run(setStock(5)), /committed already/);
    const rolledBack = db.tx({ user: "bob" });
    await rolledBack.run(setStock(6));
    await rolledBack.rollback();
    assert.equal(await stockOf(201), 7);
    await assert.rejects(db.tx().rollback(new Error("Reason")), { message: "Reason" });
  });
});

Deno.test("tx(req) joins the transaction of the request, which ends it", async () => {
  await withShop(async ({ service, db, stockOf }) => {
    service.on("order", async (req) => {
      const tx = db.tx(req);
      assert.equal(tx.rootTransaction, transactionOf(req));
      await tx.run(setStock(7));
      await tx.commit();
      req.reject(400, "No");
    });
    await assert.rejects(service.send("order"), { status: 400 });
    assert.equal(await stockOf(201), 10);
  });
});

Deno.test("Assigning a transaction object assigns its context [2.1.6]", async () => {
  await withShop(async ({ db }) => {
    const tx = db.tx({ user: "bob" });
    assert.equal(EventContext.for(tx), tx.context);
    await tx.rollback();
  });
});

Deno.test("DatabaseService gives JSON text unless its handlers want the rows", async () => {
  await withShop(async ({ db }) => {
    const query = { SELECT: { from: { ref: ["shop.Authors"] }, columns: [{ ref: ["name"] }] } };
    const json = await db.readJson(query);
    assert.deepEqual(json && JSON.parse(json.json), [{ name: "Jane" }]);
    db.after("READ", () => {});
    assert.equal(await db.readJson(query), undefined);
  });
});

Deno.test("A request built by hand runs in the transaction it was sent from", async () => {
  await withShop(async ({ service, db }) => {
    service.on("order", async (req) => {
      const target = service.entities.Books;
      const inner = new ServiceRequest({ event: "READ", target });
      assert.equal(transactionOf(inner), transactionOf(req));
      return (await service.dispatch(inner) as unknown[]).length;
    });
    assert.equal(await service.send("order"), 2);
    assert.ok(db);
  });
});

Deno.test("DatabaseService keeps tenants apart: each has its own engine [2.1.tenant.b]", async () => {
  await withShop(async ({ host, db }) => {
    const engines = new Map<string | undefined, Database>();
    for (const tenant of ["t1", "t2"]) {
      const engine = await createMemoryDatabase({ model: host.model, options: {} });
      await engine.deploy();
      engines.set(tenant, engine);
    }
    const tenants = new DatabaseService({ name: "db", host, database: (tenant) => engines.get(tenant)! });
    const titles = (tenant: string) => tenants.tx({ tenant }, (tx) => tx.read("shop.Books"));
    try {
      await tenants.tx({ tenant: "t1" }, (tx) => tx.create("shop.Books", { ID: 1, title: "of t1" }));
      assert.equal((await titles("t1")).length, 1);
      assert.equal((await titles("t2")).length, 0);
      assert.equal((await db.read("shop.Books")).length, 2);
    } finally {
      for (const engine of engines.values()) await engine.close();
    }
  });
});
