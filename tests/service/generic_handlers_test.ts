import assert from "node:assert/strict";
import type { Row, SelectQuery } from "../../src/cqn/cqn.ts";
import type { JsonRows } from "../../src/service/database.ts";
import { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { type Shop, withShop } from "./database_fixture.ts";

const select = (columns: string[]): SelectQuery => ({
  SELECT: { from: { ref: ["ShopService.Books"] }, columns: columns.map((name) => ({ ref: [name] })) },
});

function addressed(shop: Shop, event: string, ID: number, data?: Row): ServiceRequest {
  const where = [{ ref: ["ID"] }, "=", { val: ID }];
  const entity = { ref: ["ShopService.Books"] };
  const query = event === "UPDATE"
    ? { UPDATE: { entity, data, where } }
    : { DELETE: { from: entity, where } };
  const subject = { ref: [{ id: "ShopService.Books", where }] };
  const target = shop.service.entities.Books;
  return new ServiceRequest({ event, target, data, query, subject, params: [{ ID }] });
}

Deno.test("ApplicationService reads, creates, updates, upserts and deletes by the database", async () => {
  await withShop(async ({ service, stockOf }) => {
    assert.equal((await service.read("Books")).length, 2);
    assert.deepEqual(await service.create("Books", { ID: 7, stock: 1 }), { ID: 7, stock: 1 });
    assert.equal(await stockOf(7), 1);
    assert.equal(await service.update("Books", 7).set({ stock: 2 }), 1);
    assert.equal(await stockOf(7), 2);
    await service.upsert({ ID: 7, stock: 3 }).into("Books");
    assert.equal(await stockOf(7), 3);
    assert.equal(await service.delete("Books", 7), 1);
    assert.equal(await stockOf(7), undefined);
  });
});

Deno.test("ApplicationService answers 404 when an addressed row is missing, 0 to queries", async () => {
  await withShop(async (shop) => {
    await assert.rejects(shop.service.dispatch(addressed(shop, "UPDATE", 999, { stock: 1 })), {
      status: 404,
    });
    await assert.rejects(shop.service.dispatch(addressed(shop, "DELETE", 999)), { status: 404 });
    assert.equal(await shop.service.update("Books", 999).set({ stock: 1 }), 0);
    assert.equal(await shop.service.delete("Books", 999), 0);
  });
});

Deno.test("ApplicationService gives the data of an addressed update to after handlers", async () => {
  await withShop(async (shop) => {
    let seen: unknown;
    shop.service.after("UPDATE", "Books", (data) => void (seen = data));
    await shop.service.dispatch(addressed(shop, "UPDATE", 201, { stock: 1 }));
    assert.deepEqual(seen, { stock: 1 });
  });
});

Deno.test("Changes of req.data and req.query by handlers reach the database [2.2.data.b]", async () => {
  await withShop(async (shop) => {
    const { service, stockOf } = shop;
    service.before("CREATE", "Books", (req) => void ((req.data as Row).stock = 42));
    await service.create("Books", { ID: 7 });
    assert.equal(await stockOf(7), 42);
    service.before("UPDATE", "Books", (req) => {
      const { UPDATE } = req.query as { UPDATE: { data: Row } };
      UPDATE.data.stock = 43;
    });
    await service.dispatch(addressed(shop, "UPDATE", 7, { stock: 1 }));
    assert.equal(await stockOf(7), 43);
    service.before("READ", "Books", (req) => {
      (req.query as unknown as { where(condition: Row): void }).where({ ID: 7 });
    });
    assert.deepEqual((await service.read("Books")).map(({ ID }) => ID), [7]);
  });
});

Deno.test("ApplicationService lets on handlers wrap the generic one", async () => {
  await withShop(async ({ service }) => {
    service.on("READ", "Books", async (_req, next) => {
      const rows = await next() as Row[];
      return rows.map(({ ID }) => ({ ID, wrapped: true }));
    });
    assert.deepEqual(await service.read("Books"), [{ ID: 201, wrapped: true }, { ID: 202, wrapped: true }]);
  });
});

Deno.test("ApplicationService hands JSON text of the database on if no handler sees the result", async () => {
  await withShop(async ({ service }) => {
    const read = () =>
      service.dispatch(
        new ServiceRequest({
          event: "READ",
          target: service.entities.Books,
          query: select(["ID"]),
          queryParams: {},
          acceptsJson: true,
        }),
      );
    const { json, rows } = await read() as JsonRows;
    assert.deepEqual([JSON.parse(json), rows], [[{ ID: 201 }, { ID: 202 }], 2]);
    service.before("READ", "Books", () => {});
    assert.equal(typeof (await read() as JsonRows).json, "string");
    service.after("READ", "Books", () => {});
    assert.deepEqual(await read(), [{ ID: 201 }, { ID: 202 }]);
  });
});

Deno.test("ApplicationService has no generic handler for entities outside of the database", async () => {
  await withShop(async ({ service }) => {
    await assert.rejects(service.read("Editions").then(), { status: 501 });
  });
});

Deno.test("req.subject selects, updates and deletes the one row that is addressed [2.3.subject.b]", async () => {
  await withShop(async (shop) => {
    const { service, db, stockOf } = shop;
    service.before("UPDATE", "Books", async (req) => {
      const rows = await db.read(req.subject) as Row[];
      assert.deepEqual(rows.map(({ ID }) => ID), [201]);
      await db.update(req.subject).set({ title: "Seen" });
    });
    await service.dispatch(addressed(shop, "UPDATE", 201, { stock: 1 }));
    assert.deepEqual((await db.read("shop.Books")).map(({ title }) => title), ["Seen", "Book 202"]);
    service.on("DELETE", "Books", (req) => db.delete(req.subject));
    await service.dispatch(addressed(shop, "DELETE", 201));
    assert.deepEqual([await stockOf(201), await stockOf(202)], [undefined, 10]);
  });
});

Deno.test("ApplicationService asks for keys only after the before handlers, which may supply them", async () => {
  await withShop(async ({ service, stockOf }) => {
    await assert.rejects(service.create("Books", { stock: 1 }).then(), {
      code: "ASSERT_NOT_NULL",
      target: "ID",
    });
    service.before("CREATE", "Books", (req) => void ((req.data as Row).ID ??= 77));
    await service.create("Books", { stock: 1 });
    assert.equal(await stockOf(77), 1);
  });
});

Deno.test("ApplicationService checks the input before any handler of its own", async () => {
  await withShop(async ({ service }) => {
    let called = false;
    service.before("CREATE", "Books", () => void (called = true));
    await assert.rejects(service.create("Books", { ID: 7, stock: "many" }).then(), {
      code: "ASSERT_DATA_TYPE",
    });
    assert.equal(called, false);
  });
});
