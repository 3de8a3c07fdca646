import assert from "node:assert/strict";
import { ServiceRequest } from "../../src/service/requests/service_request.ts";
import type { ApplicationService } from "../../src/service/application_service.ts";
import { createHost, createService } from "./fixture.ts";

const host = createHost();
const Books = host.model.entity("ShopService.Books")!;
const Authors = host.model.entity("ShopService.Authors")!;

/** The names of the `before` handlers that run for a request, in order. */
async function called(
  register: (service: ApplicationService, note: (name: string) => () => void) => void,
  req: ServiceRequest,
): Promise<string[]> {
  const names: string[] = [];
  const service = createService((srv) => {
    register(srv, (name) => () => void names.push(name));
    srv.on("*", () => null);
  }, host);
  await service.dispatch(req);
  return names;
}

type Book = { ID: number };

const readBooks = () => new ServiceRequest({ event: "READ", target: Books });

Deno.test("Service.before() takes an entity as local or full name, definition, class, or several", async () => {
  class LocalBooks {}
  Object.defineProperty(LocalBooks, "name", { value: "Books" });
  const names = await called((srv, note) => {
    srv.before("READ", "Books", note("local"));
    srv.before("READ", "ShopService.Books", note("full"));
    srv.before("READ", Books, note("definition"));
    srv.before("READ", srv.entities.Books, note("entities"));
    srv.before("READ", LocalBooks, note("class"));
    srv.before("READ", ["Authors", Books], note("array"));
    srv.before("READ", "*", note("any entity"));
    srv.before("READ", note("none"));
    srv.before("READ", "Authors", note("other entity"));
    srv.before("CREATE", Books, note("other event"));
  }, readBooks());
  assert.deepEqual(names, [
    "local",
    "full",
    "definition",
    "entities",
    "class",
    "array",
    "any entity",
    "none",
  ]);
});

Deno.test("Service.before() takes the names of CRUD events, operations and custom events [6.2.1] [2.2.event]", async () => {
  const service = createService(undefined, host);
  const seen: string[] = [];
  for (const event of ["CREATE", "READ", "UPDATE", "DELETE", "order", "ordered"]) {
    service.before(event, (req) => void seen.push(req.event));
  }
  service.on("*", () => null);
  for (const event of ["CREATE", "READ", "UPDATE", "DELETE"]) {
    await service.dispatch(new ServiceRequest({ event, target: Books, data: { ID: 1 } }));
  }
  await service.send("order", {});
  await service.emit("ordered", {});
  assert.deepEqual(seen, ["CREATE", "READ", "UPDATE", "DELETE", "order", "ordered"]);
});

Deno.test("Service.before() takes several events and all of them", async () => {
  const register = (srv: ApplicationService, note: (name: string) => () => void) => {
    srv.before(["CREATE", "READ"], Books, note("array"));
    srv.before("*", note("all"));
  };
  assert.deepEqual(await called(register, readBooks()), ["array", "all"]);
  const unbound = new ServiceRequest({ event: "order" });
  assert.deepEqual(await called(register, unbound), ["all"]);
});

Deno.test("Service.before() on a path runs when that navigation is the target", async () => {
  const register = (srv: ApplicationService, note: (name: string) => () => void) => {
    srv.before("READ", "Books/author", note("path"));
    srv.before("READ", "Authors", note("target"));
  };
  const navigated = { event: "READ", target: Authors, path: "ShopService.Books/author" };
  assert.deepEqual(await called(register, new ServiceRequest(navigated)), ["path", "target"]);
  assert.deepEqual(await called(register, new ServiceRequest({ event: "READ", target: Authors })), [
    "target",
  ]);
});

Deno.test("Service.before() on a path takes its entity by full name, be it one of the service or not", async () => {
  const register = (srv: ApplicationService, note: (name: string) => () => void) => {
    srv.before("READ", "ShopService.Books/author", note("own"));
    srv.before("READ", "shop.Books/author", note("other"));
  };
  for (const [path, name] of [["ShopService.Books/author", "own"], ["shop.Books/author", "other"]] as const) {
    assert.deepEqual(await called(register, new ServiceRequest({ event: "READ", target: Authors, path })), [
      name,
    ]);
  }
});

Deno.test("Service.prepend() puts handlers in front, in their own order", async () => {
  const names = await called((srv, note) => {
    srv.before("READ", note("third"));
    srv.prepend(() => {
      srv.before("READ", note("first"));
      srv.before("READ", note("second"));
    });
  }, readBooks());
  assert.deepEqual(names, ["first", "second", "third"]);
});

Deno.test("Service.on() refuses what is no function", () => {
  assert.throws(() => createService().on("READ", "Books", undefined as never), TypeError);
});

Deno.test("Service calls handlers with itself as this", async () => {
  let self: unknown;
  const service = createService((srv) =>
    srv.on("order", function () {
      self = this;
    })
  );
  await service.send("order");
  assert.equal(self, service);
});

Deno.test("Service.after('each') and a first parameter named each run per row", async () => {
  const rows: unknown[] = [];
  const service = createService((srv) => {
    srv.on("READ", () => [{ ID: 1 }, { ID: 2 }]);
    srv.after("each", Books, (row: Book) => void rows.push(row.ID));
    srv.after("READ", Books, (each: Book) => void rows.push(-each.ID));
    srv.after("READ", "Books", async function (each: Book, _req) {
      await rows.push(each.ID * 10);
    });
    srv.after("READ", Books, (all: Book[]) => void rows.push(all.length));
  });
  await service.dispatch(readBooks());
  assert.deepEqual(rows, [1, 2, -1, -2, 10, 20, 2]);
});

Deno.test("Service defines declared operations as methods, unless named like a member", async () => {
  const service = createService((srv) => {
    srv.on("order", (req) => req.data);
    srv.on("run", () => "operation");
    srv.on("restock", Books, (req) => [req.params[0].ID, req.data, req.entity]);
  });
  const { order, restock } = service as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  assert.deepEqual(await order.call(service, { book: 1, quantity: 2 }), { book: 1, quantity: 2 });
  assert.deepEqual(await order.call(service, 1, 2), { book: 1, quantity: 2 });
  assert.deepEqual(await restock.call(service, "Books", 7, { by: 3 }), [7, { by: 3 }, "ShopService.Books"]);
  assert.equal(await service.send("run"), "operation");
  assert.equal(Object.hasOwn(service, "run"), false);
});

Deno.test("Service.entities can be taken apart, iterated and called", () => {
  const service = createService();
  const { Books, Authors } = service.entities;
  assert.equal(Books.name, "ShopService.Books");
  assert.ok([...service.entities].includes(Authors));
  assert.deepEqual(Object.keys(service.entities("shop")), ["Books", "Authors"]);
  assert.equal(service.entities.call, undefined);
});

Deno.test("Service.events and .operations list what the model declares", () => {
  const service = createService();
  assert.deepEqual([...service.events].map(({ name }) => name), ["ShopService.ordered"]);
  assert.deepEqual(Object.keys(service.operations), ["order", "run"]);
});

Deno.test("Service.send() takes method and path", async () => {
  const service = createService((srv) => srv.on("*", (req) => [req.event, req.entity, { ...req.params[0] }]));
  const editions = "Editions(title='Jane''s',edition=2)";
  assert.deepEqual(await service.get("/Books/201"), ["READ", "ShopService.Books", { ID: 201 }]);
  assert.deepEqual(await service.get("Books", { ID: 201 }), await service.read("Books", { ID: 201 }));
  assert.deepEqual(await service.get(editions), [
    "READ",
    "ShopService.Editions",
    { title: "Jane's", edition: 2 },
  ]);
  assert.deepEqual(await service.post("Books", { ID: 1 }), ["CREATE", "ShopService.Books", {}]);
  assert.deepEqual(await service.patch("Books(201)", { stock: 1 }), ["UPDATE", "ShopService.Books", {
    ID: 201,
  }]);
  assert.deepEqual(await service.delete("Books/201"), ["DELETE", "ShopService.Books", { ID: 201 }]);
  assert.deepEqual(await service.post("/order", { book: 1 }), ["order", undefined, {}]);
  assert.deepEqual(await service.post("Books/201/restock", {}), ["restock", "ShopService.Books", {
    ID: 201,
  }]);
  await assert.rejects(service.get("Nothing/1"), { status: 404 });
});

Deno.test("Service.run() and fluent queries address the entities of the service by local name", async () => {
  const service = createService((srv) => srv.on("*", (req) => [req.event, req.entity, req.data]));
  assert.deepEqual(await service.read("Books", 201), ["READ", "ShopService.Books", { ID: 201 }]);
  assert.deepEqual(await service.create("Books", { ID: 1 }), ["CREATE", "ShopService.Books", { ID: 1 }]);
  assert.deepEqual(await service.insert({ ID: 1 }).into("Books"), ["CREATE", "ShopService.Books", { ID: 1 }]);
  assert.deepEqual(await service.update("Books", 201).set({ stock: 1 }), [
    "UPDATE",
    "ShopService.Books",
    { stock: 1 },
  ]);
  assert.deepEqual(await service.upsert({ ID: 1 }).into("Books"), ["UPSERT", "ShopService.Books", { ID: 1 }]);
  assert.deepEqual(await service.delete("Books", 201), ["DELETE", "ShopService.Books", { ID: 201 }]);
  const query = { SELECT: { from: { ref: ["ShopService.Books", "author"] } } };
  assert.deepEqual(await service.run(query), ["READ", "ShopService.Authors", {}]);
});

Deno.test("Service.run() of a navigation has the last entity as target, and the path [2.3.target.b]", async () => {
  const service = createService((srv) => srv.on("READ", (req) => [req.entity, req.path]));
  const from = { ref: [{ id: "Books", where: [{ ref: ["ID"] }, "=", { val: 1 }] }, "author"] };
  assert.deepEqual(await service.run({ SELECT: { from } }), [
    "ShopService.Authors",
    "ShopService.Books/author",
  ]);
});

Deno.test("An operation whose on handlers all call next() gives nothing; 501 is for those without any", async () => {
  const passing = createService((srv) => void srv.on("*", (_req, next) => next()), host);
  assert.equal(await passing.send("order", {}), undefined);
  await assert.rejects(createService(undefined, host).send("order", {}), { status: 501 });
});
