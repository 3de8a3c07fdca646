import assert from "node:assert/strict";
import { EventContext, toUser } from "../../src/context/event_context.ts";
import { createHttpContext } from "../../src/context/http_context.ts";
import { runWithContext } from "../../src/context/store.ts";
import { User } from "../../src/context/user.ts";
import { parseExpression } from "../../src/cqn/parse_cql.ts";
import { addressedKeys, keysInPath } from "../../src/service/requests/addressed_keys.ts";
import { ServiceEvent } from "../../src/service/requests/service_event.ts";
import { ServiceRequest } from "../../src/service/requests/service_request.ts";
import { createHost } from "./fixture.ts";

const { model } = createHost();
const Books = model.entity("ShopService.Books")!;
const Authors = model.entity("ShopService.Authors")!;
const Editions = model.entity("ShopService.Editions")!;

Deno.test("ServiceRequest and ServiceEvent are event contexts and inherit from theirs [2.1.1]", () => {
  const context = new EventContext({ tenant: "t1", user: "alice", locale: "de" });
  const req = new ServiceRequest({ event: "READ", context });
  assert.ok(req instanceof EventContext && req instanceof ServiceEvent);
  assert.deepEqual([req.tenant, req.user.id, req.locale], ["t1", "alice", "de"]);
  assert.equal(req.timestamp, context.timestamp);
  assert.equal(req.id, context.id);
});

Deno.test("ServiceRequest inherits from the current context without a given one [2.1.user.b]", () => {
  const context = new EventContext({ user: "alice" });
  const { user } = runWithContext(context, () => new ServiceRequest({ event: "READ" }));
  assert.equal(user, context.user);
});

Deno.test("ServiceRequest accepts another user [2.1.user.c]", () => {
  const req = new ServiceRequest({ event: "READ", context: new EventContext({ user: "alice" }) });
  req.user = toUser("bob");
  assert.ok(req.user instanceof User);
  assert.equal(req.user.id, "bob");
});

Deno.test("ServiceEvent has event, data and headers of a message [2.2.headers]", () => {
  const event = new ServiceEvent({ event: "ordered", data: { book: 1 }, headers: { "x-a": "1" } });
  const { event: name, data, headers } = event;
  assert.deepEqual([name, data, headers], ["ordered", { book: 1 }, { "x-a": "1" }]);
});

Deno.test("ServiceRequest has the headers of its HTTP request [2.2.headers]", () => {
  const http = createHttpContext(new Request("http://x/", { headers: { "X-A": "1" } }));
  assert.deepEqual(new ServiceRequest({ event: "READ", context: new EventContext({ http }) }).headers, {
    "x-a": "1",
  });
});

Deno.test("ServiceRequest.req and .res are those of http outside of a batch [2.3.req] [2.3.res]", () => {
  const http = createHttpContext(new Request("http://x/"));
  const req = new ServiceRequest({ event: "READ", context: new EventContext({ http }) });
  assert.equal(req.req, http.req);
  assert.equal(req.res, http.res);
});

Deno.test("ServiceRequest.req and .res are those of the part in a batch [2.3.req] [2.3.res] [2.1.http.c]", () => {
  const http = createHttpContext(new Request("http://x/$batch"));
  const context = new EventContext({ http });
  const part = () => {
    const own = createHttpContext(() => new Request("http://x/Books"));
    return { own, req: new ServiceRequest({ event: "READ", context, part: own }) };
  };
  for (const { own, req } of [part(), part()]) {
    assert.equal(req.req, own.req);
    assert.equal(req.res, own.res);
    assert.equal(req.http, http);
    assert.equal(new ServiceRequest({ event: "READ", context: req }).req, own.req);
  }
});

Deno.test("ServiceRequest.method follows from the event [2.3.method]", () => {
  const method = (event: string) => new ServiceRequest({ event }).method;
  assert.deepEqual(["CREATE", "READ", "UPDATE", "DELETE"].map(method), ["POST", "GET", "PATCH", "DELETE"]);
  assert.equal(method("order"), "order");
});

Deno.test("ServiceRequest.target is the entity, undefined for unbound operations [2.3.target.a]", () => {
  assert.equal(new ServiceRequest({ event: "READ", target: Books }).target, Books);
  assert.equal(new ServiceRequest({ event: "order" }).target, undefined);
});

Deno.test("ServiceRequest.entity is the name of the target [2.3.entity]", () => {
  assert.equal(new ServiceRequest({ event: "READ", target: Books }).entity, "ShopService.Books");
  assert.equal(new ServiceRequest({ event: "order" }).entity, undefined);
});

Deno.test("ServiceRequest.path is the name of the target without navigation, the path with it [2.3.path.a]", () => {
  assert.equal(new ServiceRequest({ event: "READ", target: Books }).path, "ShopService.Books");
  const req = new ServiceRequest({ event: "READ", target: Authors, path: "ShopService.Books/author" });
  assert.deepEqual([req.path, req.entity], ["ShopService.Books/author", "ShopService.Authors"]);
});

Deno.test("ServiceRequest.params are key objects in order of the URL [2.3.params]", () => {
  const params = [{ ID: 150 }, { title: "Jane", edition: 2 }];
  const req = new ServiceRequest({ event: "READ", target: Editions, params });
  assert.deepEqual([...req.params].map((keys) => ({ ...keys })), params);
  assert.deepEqual(new ServiceRequest({ event: "order" }).params, []);
});

Deno.test("ServiceRequest.params convert to the value of a single key", () => {
  const { params: [id, keys] } = new ServiceRequest({ event: "READ", params: [{ ID: 7 }, { a: 1, b: 2 }] });
  assert.equal(String(id), "7");
  assert.ok((id as unknown as number) == 7);
  assert.deepEqual(Object.keys(id), ["ID"]);
  assert.equal(String(keys), "[object Object]");
});

Deno.test("ServiceRequest.data of a request without body holds the keys", () => {
  const { data } = new ServiceRequest({ event: "DELETE", target: Books, params: [{ ID: 7 }] });
  assert.deepEqual(data, { ID: 7 });
  assert.deepEqual(new ServiceRequest({ event: "READ" }).data, {});
});

Deno.test("ServiceRequest.query is an empty object for unbound operations [2.3.query.b]", () => {
  assert.deepEqual(new ServiceRequest({ event: "order" }).query, {});
});

Deno.test("ServiceRequest.query makes an ordinary query of a template when it is looked at [2.3.query.a]", () => {
  const template = Object.freeze({
    SELECT: {
      from: { ref: ["ShopService.Books"] },
      where: [{ ref: ["ID"] }, "=", { ref: ["p1"], param: true }],
      limit: { rows: { ref: ["top"], param: true } },
    },
  });
  const req = new ServiceRequest({
    event: "READ",
    target: Books,
    query: template,
    queryParams: { p1: 7, top: 5 },
  });
  assert.equal(req.statement!.query, template);
  const { SELECT } = req.query as typeof template;
  assert.deepEqual(SELECT.where, [{ ref: ["ID"] }, "=", { val: 7 }]);
  assert.deepEqual(SELECT.limit, { rows: { val: 5 } });
  SELECT.where.push("and", { ref: ["stock"] }, ">", { val: 0 } as never);
  assert.equal((req.query as typeof template).SELECT.where.length, 7);
  assert.equal(req.statement!.query, req.query);
  assert.equal(template.SELECT.where.length, 3);
});

Deno.test("ServiceRequest.query has the methods of the builders", () => {
  const query = { SELECT: { from: { ref: ["ShopService.Books"] } } };
  const req = new ServiceRequest({ event: "READ", target: Books, query });
  (req.query as unknown as { where(condition: object): void }).where({ stock: 1 });
  assert.deepEqual((req.statement!.query as typeof query).SELECT, {
    from: { ref: ["ShopService.Books"] },
    where: [{ ref: ["stock"] }, "=", { val: 1 }],
  });
  assert.deepEqual(query.SELECT, { from: { ref: ["ShopService.Books"] } });
});

Deno.test("ServiceRequest.query of a write holds req.data itself [2.2.data.b]", () => {
  const data = { ID: 1, title: "x" };
  const insert = { INSERT: { into: "ShopService.Books", entries: [data] } };
  const req = new ServiceRequest({ event: "CREATE", target: Books, data, query: insert, queryParams: {} });
  assert.equal((req.query as typeof insert).INSERT.entries[0], req.data);
  const update = { UPDATE: { entity: "ShopService.Books", data } };
  const changed = new ServiceRequest({
    event: "UPDATE",
    target: Books,
    data,
    query: update,
    queryParams: {},
  });
  assert.equal((changed.query as typeof update).UPDATE.data, changed.data);
});

Deno.test("ServiceRequest.query follows when req.data is replaced [2.2.data.b]", () => {
  const insert = { INSERT: { into: "ShopService.Books", entries: [{ ID: 1 }] } };
  const req = new ServiceRequest({ event: "CREATE", data: insert.INSERT.entries[0], query: insert });
  req.data = { ID: 2 };
  assert.equal((req.query as typeof insert).INSERT.entries[0], req.data);
});

Deno.test("ServiceRequest.subject points to what is addressed, whatever the options [2.3.subject.a]", () => {
  const subject = { ref: [{ id: "ShopService.Books", where: [{ ref: ["ID"] }, "=", { val: 7 }] }] };
  assert.equal(new ServiceRequest({ event: "READ", target: Books, subject }).subject, subject);
  const query = {
    SELECT: { from: { ref: ["ShopService.Books"] }, where: [{ ref: ["stock"] }, ">", { val: 1 }] },
  };
  assert.deepEqual(new ServiceRequest({ event: "READ", target: Books, query }).subject, {
    ref: ["ShopService.Books"],
  });
});

Deno.test("ServiceRequest.subject and data know the key that a query addresses", () => {
  const where = [{ ref: ["ID"] }, "=", { val: 7 }];
  const query = { DELETE: { from: "ShopService.Books", where } };
  const req = new ServiceRequest({ event: "DELETE", target: Books, query });
  assert.deepEqual(req.subject, { ref: [{ id: "ShopService.Books", where }] });
  assert.deepEqual(req.data, { ID: 7 });
  const other = { DELETE: { from: "ShopService.Books", where: [{ ref: ["stock"] }, "=", { val: 0 }] } };
  const many = new ServiceRequest({ event: "DELETE", target: Books, query: other });
  assert.deepEqual(many.subject, { ref: ["ShopService.Books"] });
  assert.deepEqual(many.data, {});
});

Deno.test("ServiceRequest.subject ends at the row that a path with a condition on its key addresses", () => {
  const where = [{ ref: ["ID"] }, "=", { val: 7 }];
  const query = { SELECT: { from: { ref: ["ShopService.Authors", { id: "books", as: "b" }] }, where } };
  const req = new ServiceRequest({ event: "READ", target: Books, query });
  assert.deepEqual(req.subject, { ref: ["ShopService.Authors", { id: "books", as: "b", where }] });
  const from = { ref: ["ShopService.Authors", { id: "books", where }] };
  const inPath = new ServiceRequest({ event: "READ", target: Books, query: { SELECT: { from } } });
  assert.deepEqual([inPath.subject, inPath.data], [from, { ID: 7 }]);
});

Deno.test("ServiceRequest.query inserts rows into the collection that is addressed, or into the entity", () => {
  const where = [{ ref: ["ID"] }, "=", { val: 7 }];
  const into = (ref: readonly (string | { id: string; where: typeof where })[]) => {
    const query = { INSERT: { into: "ShopService.Books", entries: [{}] } };
    const req = new ServiceRequest({
      event: "CREATE",
      target: Books,
      query,
      queryParams: {},
      subject: { ref },
    });
    return (req.query as unknown as { INSERT: { into: unknown } }).INSERT.into;
  };
  const books = [{ id: "ShopService.Authors", where }, "books"];
  assert.deepEqual(into(books), { ref: books });
  assert.deepEqual(into([{ id: "ShopService.Books", where }]), { ref: ["ShopService.Books"] });
});

Deno.test("the key that a condition addresses is all of the key, joined by and, and nothing else", () => {
  const conditions: readonly (readonly [where: string, keys: object | undefined])[] = [
    ["title = 'a' and edition = 2", { title: "a", edition: 2 }],
    ["edition = 2 and title = 'a'", { title: "a", edition: 2 }],
    ["title = 'a'", undefined],
    ["title = 'a' or edition = 2", undefined],
    ["title = 'a' and edition > 2", undefined],
    ["title = 'a' and title = 'b'", undefined],
    ["title = 'a' and edition = :no", undefined],
    ["title = 'a' and edition = edition", undefined],
    ["title = 'a' and other.edition = 2", undefined],
    ["title = 'a' and edition = 2 and stock = 1", undefined],
  ];
  for (const [text, keys] of conditions) {
    const where = parseExpression(text);
    const own = { DELETE: { from: "ShopService.Editions", where } };
    assert.deepEqual(addressedKeys(own, Editions), keys, text);
    const inPath = { DELETE: { from: { ref: [{ id: "ShopService.Editions", where }] } } };
    assert.deepEqual(keysInPath(inPath, Editions), keys, text);
    assert.equal(keysInPath({ DELETE: { ...inPath.DELETE, where } }, Editions), undefined);
  }
  assert.equal(keysInPath({ DELETE: { from: "ShopService.Editions" } }, Editions), undefined);
  assert.equal(addressedKeys({ INSERT: { into: "ShopService.Editions", entries: [] } }, Editions), undefined);
});

Deno.test("ServiceRequest.reply() stores any kind of result [2.3.reply.a] [2.3.results]", () => {
  for (const result of [{ a: 1 }, [{ a: 1 }], "text", 7, true, false, null]) {
    const req = new ServiceRequest({ event: "order" });
    req.reply(result);
    assert.equal(req.results, result);
  }
});

Deno.test("ServiceRequest.reject() throws at once, members as object [2.3.reject.a] [7.2.7]", () => {
  const given = { status: 400, code: "X", message: "No", target: "t", args: ["a"], extra: 1 };
  assert.throws(() => new ServiceRequest({ event: "order" }).reject(given), (error: Error) => {
    for (const [name, value] of Object.entries(given)) assert.deepEqual((error as never)[name], value);
    return true;
  });
});

Deno.test("ServiceRequest.reject() takes status, message, target and args by position [2.3.reject.b]", () => {
  const { message, ...members } = { status: 409, message: "SOLD_OUT", target: "stock", args: ["a", 3] };
  assert.throws(() => new ServiceRequest({ event: "order" }).reject(409, message, "stock", ["a", 3]), {
    message,
    ...members,
  });
});

Deno.test("ServiceRequest.error() records without throwing; errors is undefined before [2.3.error] [2.3.errors]", () => {
  const req = new ServiceRequest({ event: "order" });
  assert.equal(req.errors, undefined);
  req.error(400, "First", "a");
  req.error({ code: "SECOND", message: "Second" });
  assert.deepEqual(req.errors, [
    { status: 400, message: "First", target: "a" },
    { code: "SECOND", message: "Second" },
  ]);
});

Deno.test("ServiceRequest.notify(), info() and warn() record messages without stack [2.3.messages] [2.3.notify.b]", () => {
  const req = new ServiceRequest({ event: "order" });
  req.notify("One");
  req.info({ code: "TWO", message: "Two" });
  req.warn(new Error("Three"));
  assert.deepEqual(req.messages, [
    { numericSeverity: 1, message: "One" },
    { numericSeverity: 2, code: "TWO", message: "Two" },
    { numericSeverity: 3, message: "Three" },
  ]);
});

Deno.test("ServiceRequest hands messages on to the request it was sent from", () => {
  const outer = new ServiceRequest({ event: "order" });
  new ServiceRequest({ event: "READ", context: outer }).info("Inner");
  assert.deepEqual(outer.messages.map(({ message }) => message), ["Inner"]);
});

Deno.test("ServiceRequest refuses hooks that nobody would ever call", () => {
  const req = new ServiceRequest({ event: "order" });
  assert.throws(() => req.on("finished" as never, () => {}), TypeError);
  assert.throws(() => req.before("commit", undefined as never), TypeError);
});

Deno.test("ServiceEvent has messages once one was recorded", () => {
  const event = new ServiceEvent({ event: "ordered" });
  assert.equal(event.hasMessages, false);
  assert.deepEqual([event.messages, event.hasMessages], [[], false]);
  event.info("Told");
  assert.equal(event.hasMessages, true);
});

Deno.test("ServiceRequest.diff() is for requests about an entity in a database", async () => {
  const expected = { name: "TypeError", message: "Expected a request about an entity in a database" };
  await assert.rejects(new ServiceRequest({ event: "UPDATE", target: Books }).diff(), expected);
  await assert.rejects(new ServiceRequest({ event: "order" }).diff(), expected);
});
