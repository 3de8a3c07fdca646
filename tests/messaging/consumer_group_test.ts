import assert from "node:assert/strict";
import { applicationName, consumerGroup } from "../../src/messaging/consumer_group.ts";

type Entries = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function groups(requires: Entries): Record<string, string> {
  const names = Object.keys(requires);
  return Object.fromEntries(
    names.map((
      name,
    ) => [name, consumerGroup({ name, options: requires[name]!, application: "app", requires })]),
  );
}

Deno.test("the group of a messaging service is the name of the application, unless its entry names one", () => {
  assert.deepEqual(groups({ messaging: { kind: "nats-messaging" } }), { messaging: "app" });
  assert.deepEqual(groups({ events: { kind: "nats-messaging" } }), { events: "app" });
  assert.deepEqual(groups({ messaging: { kind: "nats-messaging", group: "mine" } }), { messaging: "mine" });
});

Deno.test("services that receive from different places have the group of the application", () => {
  const requires = {
    messaging: { kind: "file-based-messaging" },
    other: { kind: "file-based-messaging", file: "/tmp/other" },
    broker: { kind: "nats-messaging", stream: "one" },
    second: { kind: "nats-messaging", stream: "two" },
    hook: { kind: "http-messaging" },
    hook2: { kind: "http-messaging" },
    here: { kind: "local-messaging" },
    there: { kind: "local-messaging" },
    db: { kind: "sqlite" },
  };
  assert.deepEqual(new Set(Object.values(groups(requires))), new Set(["app"]));
});

Deno.test("of services that receive from one place, all but the first have a group of their own, in any order", () => {
  const entry = { kind: "redis-messaging", credentials: { url: "127.0.0.1:6379" } };
  const expected = { messaging: "app", audit: "app.audit", z: "app.z", mine: "own" };
  const requires = {
    z: entry,
    audit: { ...entry, format: "cloudevents" },
    messaging: entry,
    mine: { ...entry, group: "own" },
  };
  assert.deepEqual(groups(requires), expected);
  assert.deepEqual(groups({ b: entry, a: entry }), { b: "app.b", a: "app" });
});

Deno.test("a channel behind routes that is used directly too has a group of its own", () => {
  const requires = {
    messaging: { kind: "composite-messaging", routes: { one: ["a.**"], two: ["b.**"] } },
    one: { kind: "file-based-messaging", file: "/tmp/one" },
    two: { kind: "nats-messaging" },
    free: { kind: "file-based-messaging", file: "/tmp/free" },
  };
  assert.deepEqual(groups(requires), { messaging: "app", one: "app.one", two: "app.two", free: "app" });
});

Deno.test("the name of an application is that of its runtime, else of its configuration, else app", () => {
  assert.equal(applicationName({ name: "one", env: { name: "two" } }), "one");
  assert.equal(applicationName({ env: { name: "two" } }), "two");
  for (const env of [{}, { name: 7 }]) assert.equal(applicationName({ env }), "app");
});

Deno.test("a channel behind routes that route to each other, and entries that are none, end the search for places", () => {
  const requires = {
    messaging: { kind: "composite-messaging", routes: { messaging: ["a"], one: ["b"], gone: ["c"] } },
    one: { kind: "composite-messaging", routes: { messaging: ["a"], two: ["b"] } },
    two: { kind: "nats-messaging", credentials: "x" },
    three: { kind: "nats-messaging", credentials: { url: "u" } },
  };
  assert.deepEqual(groups(requires), { messaging: "app", one: "app.one", two: "app.two", three: "app" });
  const group = (options: object) =>
    consumerGroup({
      name: "b",
      application: "app",
      requires: { a: true, ...options },
      options: { kind: "k" },
    });
  assert.deepEqual([group({}), group({ a: { kind: "k" } })], ["app", "app.b"]);
  for (
    const [part, value] of Object.entries({ kind: "l", file: "f", stream: "s", address: "d", queue: "q" })
  ) {
    assert.equal(group({ a: { kind: "k", [part]: value } }), "app", part);
  }
  assert.equal(group({ a: { kind: "k", group: "app" } }), "app.b");
  assert.equal(group({ a: { kind: "k", group: "other" } }), "app");
});
