import assert from "node:assert/strict";
import { EventContext, userValue } from "../../src/context/event_context.ts";
import { createHttpContext } from "../../src/context/http_context.ts";
import { currentContext, replaceContext, runWithContext } from "../../src/context/store.ts";
import { User } from "../../src/context/user.ts";

Deno.test("EventContext.for() makes a context of a plain object [2.1.4]", () => {
  const context = EventContext.for({ tenant: "t1", user: "x", locale: "de" });
  assert.ok(context instanceof EventContext);
  assert.equal(context.tenant, "t1");
  assert.equal(context.locale, "de");
});

Deno.test("EventContext.for() makes a User with that id of a string [2.1.5]", () => {
  const { user } = EventContext.for({ tenant: "t1", user: "x" });
  assert.ok(user instanceof User);
  assert.equal(user.id, "x");
});

Deno.test("EventContext.for() takes the context of a transaction [2.1.6]", () => {
  const context = new EventContext();
  assert.equal(EventContext.for({ context }), context);
  assert.equal(EventContext.for(context), context);
});

Deno.test("EventContext.for() refuses what is no object", () => {
  assert.throws(() => EventContext.for("x" as never), TypeError);
  assert.throws(() => EventContext.for(null as never), TypeError);
});

Deno.test("EventContext has the anonymous user if nobody is authenticated [2.1.user.a]", () => {
  assert.equal(new EventContext().user, User.anonymous);
  assert.equal(new EventContext().user.is("authenticated-user"), false);
});

Deno.test("EventContext has no tenant outside multitenant operation [2.1.tenant.a]", () => {
  assert.equal(new EventContext().tenant, undefined);
  assert.equal(new EventContext({ tenant: "t1" }).tenant, "t1");
});

Deno.test("EventContext has one timestamp for itself and all children [2.1.timestamp.a]", async () => {
  const context = new EventContext();
  const child = new EventContext({}, context);
  const { timestamp } = child;
  assert.ok(timestamp instanceof Date);
  await new Promise((resolve) => setTimeout(resolve, 3));
  assert.equal(context.timestamp, timestamp);
  assert.equal(new EventContext({}, child).timestamp, timestamp);
});

Deno.test("EventContext has one id for itself and all children", () => {
  const context = new EventContext();
  assert.equal(new EventContext({}, context).id, context.id);
  assert.notEqual(new EventContext().id, context.id);
});

Deno.test("EventContext inherits tenant, user and locale from its parent, own ones win", () => {
  const parent = new EventContext({ tenant: "t1", user: { id: "u", roles: ["R"] }, locale: "fr" });
  const child = new EventContext({ locale: "de" }, parent);
  const { tenant, user, locale } = child;
  assert.deepEqual([tenant, user.id, locale], ["t1", "u", "de"]);
  child.user = { id: "other" };
  assert.deepEqual([parent.user.id, child.user.id], ["u", "other"]);
});

Deno.test("currentContext() is reached from anywhere in the same continuation [2.1.3]", async () => {
  const seen = async (id: string) =>
    await runWithContext(new EventContext({ id }), async () => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      return currentContext()?.id;
    });
  assert.deepEqual(await Promise.all([seen("a"), seen("b")]), ["a", "b"]);
  assert.equal(currentContext(), undefined);
});

Deno.test("replaceContext() holds for the rest of the continuation and not beyond", async () => {
  await runWithContext(new EventContext({ id: "outer" }), async () => {
    await Promise.resolve().then(() => replaceContext(new EventContext({ id: "replaced" })));
    assert.equal(currentContext()?.id, "replaced");
  });
  assert.equal(currentContext(), undefined);
});

Deno.test("User takes id, roles and attributes [2.1.User]", () => {
  const user = new User({ id: "u", roles: ["Admin"], attr: { country: ["DE"] } });
  assert.equal(user.id, "u");
  assert.ok(user.is("Admin") && !user.is("Other"));
  assert.deepEqual(user.attr.country, ["DE"]);
});

Deno.test("EventContext.for() refuses what is no object", () => {
  for (const value of [null, undefined, "alice", 7]) {
    assert.throws(() => EventContext.for(value as never), { name: "TypeError", message: /^A context, / });
  }
});

Deno.test("a role may be given as its name alone", () => {
  const user = new User({ id: "alice", roles: "reader" as never }); // as in configurations of JSON
  assert.deepEqual([user.is("reader"), user.is("r")], [true, false]);
});

Deno.test("EventContext has what its parents have, and what it is given or assigned wins", () => {
  const validity = { from: new Date(1), to: new Date(2) };
  const http = createHttpContext(new Request("http://x/"));
  const { signal } = new AbortController();
  const features = new Set(["a"]);
  const given = {
    ...{ id: "1", tenant: "t1", locale: "de", timestamp: new Date(5) },
    http,
    validity,
    features,
    signal,
  };
  const outer = new EventContext({ ...given, mayLag: true });
  const child = new EventContext({}, new EventContext({}, outer));
  const names = ["id", "tenant", "locale", "timestamp", "http", "validity", "features", "signal"] as const;
  for (const name of names) assert.equal(child[name], given[name], name);
  assert.equal(child.mayLag, true);
  const own = {
    id: "2",
    tenant: "t2",
    locale: "fr",
    timestamp: new Date(6),
    http: createHttpContext(new Request("http://y/")),
  };
  const others = {
    ...own,
    validity: { from: new Date(3), to: new Date(4) },
    mayLag: false,
    signal: new AbortController().signal,
  };
  for (const other of [new EventContext(others, outer), Object.assign(new EventContext({}, outer), others)]) {
    for (const name of Object.keys(others) as (keyof typeof others)[]) {
      assert.equal(other[name], others[name], name);
    }
  }
  for (const name of names) assert.equal(outer[name], given[name], name);
});

Deno.test("EventContext reads at the millisecond of its timestamp, and has the toggles of its user, unless it is told", () => {
  const context = new EventContext({ timestamp: new Date(5), user: { id: "ann", features: ["a"] } });
  const inner = new EventContext({ user: { id: "job", features: ["b"] } }, context);
  for (const one of [context, inner]) {
    assert.deepEqual(one.validity, { from: new Date(5), to: new Date(6) });
    assert.deepEqual([...one.features], ["a"]);
  }
  const bare = new EventContext();
  assert.deepEqual([bare.mayLag, bare.signal, bare.http, bare.locale], [
    false,
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("EventContext has the model of the nearest owner, as that gives it to the context", () => {
  const outer = new EventContext();
  const inner = new EventContext({}, new EventContext({}, outer));
  assert.equal(inner.model, undefined);
  outer.owner = { model: "outer" };
  assert.equal(inner.model, "outer");
  const { parent } = inner;
  parent!.owner = {
    model: "near",
    modelOf: (context?: EventContext) => context === inner ? "own" : undefined,
  };
  assert.deepEqual([inner.model, parent!.model, outer.model], ["own", "near", "outer"]);
});

Deno.test("names behind $user are the id, locale and tenant of the context, and attributes", () => {
  const user = { id: "ann", attr: { region: "EU", tenant: "none" } };
  const context = new EventContext({ user, locale: "de", tenant: "t1" });
  const names = [undefined, "id", "locale", "tenant", "region", "lacks"];
  assert.deepEqual(names.map((name) => userValue(name, context)), [
    "ann",
    "ann",
    "de",
    "t1",
    "EU",
    undefined,
  ]);
});
