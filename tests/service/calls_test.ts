/**
 * Calls of services in the styles of REST and CRUD (api 4).
 *
 * @module
 */

import assert from "node:assert/strict";
import { User } from "../../src/context/user.ts";
import { EventContext } from "../../src/context/event_context.ts";
import { runWithContext } from "../../src/context/store.ts";
import { spawn } from "../../src/service/transactions/spawn.ts";
import { type fw, INSERT, type Row, SELECT } from "../../mod.ts";
import { Service } from "../../src/service/service.ts";
import { csnOf, SHOP, withShop } from "../fw/shop.ts";
import { createHost, createService } from "./fixture.ts";

const echo = () =>
  createService((srv) => srv.on("*", (req) => [req.event, req.entity, String(req.query ?? ""), req.data]));

Deno.test("get, post, put and patch of an entity are queries that go on, of a path they send at once", async () => {
  const service = echo();
  const { Books } = service.entities;
  const [event, entity, text] = await service.get(Books).where({
    stock: 1,
  }) as readonly unknown[] as readonly string[];
  assert.deepEqual([event, entity], ["READ", "ShopService.Books"]);
  assert.match(text, /where stock = 1/);
  assert.deepEqual(await service.get("Books", 1), await service.read("Books", 1));
  const inserted = await service.post(Books).entries({ ID: 7 }) as readonly unknown[];
  assert.deepEqual([inserted[0], inserted[3]], ["CREATE", { ID: 7 }]);
  for (const method of ["put", "patch"] as const) {
    const updated = await service[method](Books, 201).with({ stock: 3 }) as unknown as readonly unknown[];
    assert.deepEqual([updated[0], updated[1]], ["UPDATE", "ShopService.Books"]);
    assert.match(updated[2] as string, /stock = 3.* where ID = 201/);
  }
  assert.equal((await service.patch("/Books/201", { stock: 1 }) as readonly unknown[])[0], "UPDATE");
  assert.equal((await service.get("/Books") as readonly unknown[])[0], "READ");
});

Deno.test("insert and upsert take rows, or the entity first", async () => {
  const service = echo();
  const { Books } = service.entities;
  for (const query of [service.insert(Books).entries({ ID: 1 }), service.insert({ ID: 1 }).into(Books)]) {
    assert.deepEqual((await query as readonly unknown[]).toSpliced(2, 1), ["CREATE", "ShopService.Books", {
      ID: 1,
    }]);
  }
  const upserted = await service.upsert("Books", { ID: 1 }) as readonly unknown[];
  assert.deepEqual([upserted[0], upserted[3]], ["UPSERT", { ID: 1 }]);
});

Deno.test("insert and upsert take rows only where no entity is named", async () => {
  const service = echo();
  for (const method of ["insert", "upsert"] as const) {
    const start = (...given: readonly unknown[]) => service[method](...given as Row[]);
    const sent = async (...given: readonly unknown[]) =>
      (await start(...given).into("Books") as readonly unknown[])[3];
    assert.deepEqual(await sent({ ID: 1 }), { ID: 1 });
    assert.deepEqual(await sent([{ ID: 1 }, { ID: 2 }]), [{ ID: 1 }, { ID: 2 }]);
    assert.deepEqual(await sent(), []);
    for (const none of [null, undefined, 5, true]) {
      await assert.rejects(() => sent(none), /Expected rows as objects, found/, String(none));
    }
    // an element may have that name
    const [elements] = [start({ elements: 1, name: "1" })];
    assert.throws(() => elements!.into("Books"), /Unknown element "elements" of "ShopService.Books"/);
  }
});

Deno.test("services without a definition have handlers for entities by name", async () => {
  const service = new Service({ name: "plain", host: createHost() });
  const seen: string[] = [];
  service.on(["SELECT", "INSERT"], "Foo", (req) => void seen.push(`${req.event} ${req.entity}`));
  service.on("PUT", "Foo", (req) => void seen.push(`${req.event} ${req.entity}`));
  await service.read("Foo");
  await service.create("Foo", { a: 1 });
  await service.update("Foo", 1).with({ a: 2 });
  assert.deepEqual(seen, ["READ Foo", "CREATE Foo", "UPDATE Foo"]);
  await assert.rejects(async () => await service.read("Bar"), { status: 501 });
});

Deno.test("types of a service are there by local name", () =>
  withShop({
    model: csnOf(
      SHOP.replace("service AdminService {", "service AdminService { type Money { n : Integer; }"),
    ),
  }, ({ services }) => {
    assert.deepEqual(Object.keys(services["shop.AdminService"].types), ["Money"]);
    assert.deepEqual([...services["shop.CatalogService"].types], []);
  }));

Deno.test("new rows are in the name of the user that a before handler sets (spec 2.1)", () => {
  const model = csnOf(`
    entity Notes { key ID : Integer; text : String; createdBy : String @cds.on.insert: $user; }
    service S { entity Notes as projection on Notes; }
  `.replaceAll("Notes as projection on Notes", "Items as projection on Notes"));
  const handlers = {
    S: (srv: InstanceType<typeof fw.Service>) => {
      srv.before("CREATE", "Items", (req) => {
        if ((req.data as { ID: number }).ID > 1) req.user = new User("neo");
      });
    },
  };
  return withShop({ model, handlers, data: new Map() }, async ({ services }) => {
    await runWithContext(new EventContext({ user: "ann" }), async () => {
      await services.S.create("Items", { ID: 1, text: "a" });
      await services.S.create("Items", { ID: 2, text: "b" });
      await services.S.create("Items", { ID: 3, createdBy: "given" });
    });
    const rows = await SELECT.from("Notes").columns("ID", "createdBy").orderBy("ID");
    assert.deepEqual(rows.map(({ createdBy }) => createdBy), ["ann", "neo", "neo"]);
    await INSERT.into("Notes").entries({ ID: 4, createdBy: "own" });
    assert.equal((await SELECT.one.from("Notes", 4))?.createdBy, "own");
  });
});

Deno.test("the timer of a job stops it", async () => {
  let runs = 0;
  const job = spawn(createHost(), { after: 10_000 }, () => runs++);
  clearTimeout(job.timer);
  const other = spawn(createHost(), { every: 10_000 }, () => runs++);
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(other.timer);
  assert.equal(runs, 0);
});

Deno.test("a handler that requests what it handles, with or without waiting in between, is told that it calls itself", async () => {
  for (const wait of [() => undefined, () => Promise.resolve()]) {
    const service = createService((srv) =>
      srv.on("READ", "Books", async (req) => {
        await wait();
        return await srv.run(req.query as never);
      })
    );
    await assert.rejects(
      async () => await service.run(SELECT.from("ShopService.Books")),
      /^Error: READ of "ShopService\.Books" is requested 500 times inside of other requests/,
    );
  }
});

Deno.test("requests of handlers may be nested as deeply as trees are: each handler asks for the row above", async () => {
  const service = createService((srv) =>
    srv.on("READ", "Books", async (req) => {
      const { ID } = req.data as { ID: number };
      return ID > 0 ? await srv.read("ShopService.Books", ID - 1) : { ID };
    })
  );
  assert.deepEqual(await service.read("ShopService.Books", 200), { ID: 0 });
});
