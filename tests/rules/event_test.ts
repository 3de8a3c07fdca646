import assert from "node:assert/strict";
import { type Row, SELECT, type ServiceEvent, type ServiceRequest } from "../../mod.ts";
import { type Library, withLibrary } from "./library.ts";

/** Stock and title of a book as they are in the database. */
async function stored(library: Library, ID: number): Promise<unknown> {
  const { body } = await library.get(`Books(${ID})?$select=title,stock`);
  return { title: body.title, stock: body.stock };
}

Deno.test("req.event names what comes in: CRUD, operations, events [2.2.event] [6.2.1]", () => {
  const seen: string[] = [];
  return withLibrary((srv) => {
    const note = (phase: string) => (req: ServiceEvent) => void seen.push(`${phase} ${req.event}`);
    for (const name of ["CREATE", "READ", "UPDATE", "DELETE", "order", "rent", "sum", "Ordered"]) {
      srv.before(name, note("before") as never);
    }
    srv.on("order", async (req) => {
      await srv.emit("Ordered", { book: 1 });
      return req.event;
    });
    srv.on("rent", (req) => req.event);
    srv.on("sum", () => 1);
    srv.on("Ordered", note("on") as never);
  }, async (library) => {
    await library.get("Books");
    await library.get("Books(201)/author");
    await library.post("order", { quantity: 1 });
    await library.post("Books(201)/library.CatalogService.rent", { days: 1 });
    await library.get("sum(a=1,b=2)");
    await library.send("DELETE", "Books(201)");
    assert.deepEqual(seen, [
      "before READ",
      "before READ",
      "before order",
      "before Ordered",
      "on Ordered",
      "before rent",
      "before sum",
      "before DELETE",
    ]);
    seen.length = 0;
    const prefer = { prefer: "return=minimal" };
    await library.post("Books", { ID: 1, title: "A" }, prefer);
    await library.send("PATCH", "Books(1)", { body: { title: "B" }, headers: prefer });
    assert.deepEqual(seen.filter((one) => one !== "before READ"), ["before CREATE", "before UPDATE"]);
  });
});

Deno.test("req.data is the HTTP body of writes, the parameters of operations, the payload of events [2.2.data.a]", () => {
  const seen: Record<string, unknown> = {};
  return withLibrary((srv) => {
    srv.before(["CREATE", "UPDATE", "order", "sum", "Ordered"], (req) => {
      seen[req.event] = { ...(req.data as object) };
    });
    srv.on("order", async () => {
      await srv.emit("Ordered", { book: 201, text: "any" });
      return "ordered";
    });
    srv.on("sum", () => 1);
    srv.on("Ordered", () => {});
  }, async (library) => {
    await library.post("Books", { ID: 1, title: "A", stock: 3, author: { ID: 1 } });
    await library.send("PATCH", "Books(201)", { body: { stock: 4 } });
    await library.post("order", { book: 201, quantity: 2 });
    await library.get("sum(a=1,b=2)");
    const { ID, title, stock, author_ID } = seen.CREATE as Row;
    assert.deepEqual({ ID, title, stock, author_ID }, { ID: 1, title: "A", stock: 3, author_ID: 1 });
    assert.equal((seen.UPDATE as Row).stock, 4);
    assert.equal("title" in (seen.UPDATE as Row), false);
    assert.deepEqual(seen.order, { book: 201, quantity: 2 });
    assert.deepEqual(seen.sum, { a: 1, b: 2 });
    assert.deepEqual(seen.Ordered, { book: 201, text: "any" });
  });
});

const CHANGES: readonly (readonly [string, (req: ServiceRequest) => void])[] = [
  ["members of req.data", (req) => void Object.assign(req.data as Row, { stock: 42 })],
  ["req.data itself", (req) => void (req.data = { ...(req.data as Row), stock: 42 })],
];

for (const [what, change] of CHANGES) {
  Deno.test(`Handlers that change ${what} change what is written [2.2.data.b]`, () =>
    withLibrary((srv) => {
      srv.before(["CREATE", "UPDATE"], "Books", change as never);
    }, async (library) => {
      const created = await library.post("Books", { ID: 1, title: "A", stock: 1 });
      assert.equal(created.body.stock, 42);
      assert.deepEqual(await stored(library, 1), { title: "A", stock: 42 });
      await library.send("PATCH", "Books(201)", { body: { title: "B" } });
      assert.deepEqual(await stored(library, 201), { title: "B", stock: 42 });
    }));
}

Deno.test("Handlers that change req.query.UPDATE.data or INSERT.entries change what is written [2.2.data.b]", () =>
  withLibrary((srv) => {
    srv.before("UPDATE", "Books", (req) => {
      const { UPDATE } = req.query as { UPDATE: { data: Row } };
      assert.equal(UPDATE.data, req.data);
      (UPDATE.data as { stock: number }).stock = 43;
    });
    srv.before("CREATE", "Books", (req) => {
      const { INSERT } = req.query as unknown as { INSERT: { entries: { stock: number }[] } };
      INSERT.entries[0].stock = 44;
    });
  }, async (library) => {
    await library.send("PATCH", "Books(201)", { body: { title: "B", stock: 1 } });
    assert.deepEqual(await stored(library, 201), { title: "B", stock: 43 });
    await library.post("Books", { ID: 1, title: "A" });
    assert.deepEqual(await stored(library, 1), { title: "A", stock: 44 });
  }));

Deno.test("on handlers change req.data before next() [2.2.data.b]", () =>
  withLibrary((srv) => {
    srv.on("UPDATE", "Books", async (req, next) => {
      (req.data as { stock: number }).stock += 1;
      return await next();
    });
  }, async (library) => {
    await library.send("PATCH", "Books(201)", { body: { stock: 1 } });
    assert.deepEqual(await stored(library, 201), { title: "Heights", stock: 2 });
  }));

Deno.test("req.data of a batch part is that of the part [2.2.data.a] [2.2.data.b]", () =>
  withLibrary((srv) => {
    srv.before("CREATE", "Books", (req) => {
      const data = req.data as { ID: number; stock: number };
      data.stock = data.ID * 2;
    });
  }, async (library) => {
    const item = (ID: number, group?: string) => ({
      method: "POST",
      url: "Books",
      body: { ID, title: `T${ID}` },
      ...(group ? { atomicityGroup: group } : {}),
    });
    const answers = await library.batch([item(1), item(2, "g"), item(3, "g")]);
    assert.deepEqual(answers.map(({ status }) => status), [201, 201, 201]);
    assert.deepEqual(await Promise.all([1, 2, 3].map((ID) => stored(library, ID))), [
      { title: "T1", stock: 2 },
      { title: "T2", stock: 4 },
      { title: "T3", stock: 6 },
    ]);
  }));

Deno.test("req.headers are those of the HTTP request, of events those of the message [2.2.headers]", () => {
  const seen: unknown[] = [];
  return withLibrary((srv) => {
    srv.on("run", async (req) => {
      seen.push(req.headers["x-mine"]);
      await srv.emit("Ordered", { book: 1 }, { "x-message": "m" });
      await srv.send("order", { quantity: 1 }, { "x-sent": "s" });
      return "run";
    });
    srv.on("Ordered", (event) => void seen.push({ ...event.headers }));
    srv.on("order", (req) => void seen.push({ ...req.headers }));
  }, async (library) => {
    await library.post("run", {}, { "X-Mine": "17" });
    assert.deepEqual(seen, ["17", { "x-message": "m" }, { "x-sent": "s" }]);
    seen.length = 0;
    await library.batch([{ method: "POST", url: "run", body: {}, headers: { "x-mine": "18" } }]);
    assert.equal(seen[0], "18");
  });
});

Deno.test("Events and requests inherit the context of the request [2.1.1]", () => {
  const seen: unknown[] = [];
  return withLibrary((srv) => {
    srv.before("*", (req) => void seen.push([req.event, req.id, req.locale, req.user.id]));
    srv.on("run", async () => {
      await srv.emit("Ordered", { book: 1 });
      await SELECT.from("library.Books");
      return "run";
    });
  }, async (library) => {
    const headers = { "x-correlation-id": "mine", "accept-language": "de" };
    await library.send("POST", "run", { body: {}, headers, user: "bob" });
    assert.deepEqual(seen, [["run", "mine", "de", "mock/bob"], ["Ordered", "mine", "de", "mock/bob"]]);
  });
});
