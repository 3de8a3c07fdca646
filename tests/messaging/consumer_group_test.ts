import assert from "node:assert/strict";
import { consumerGroup } from "../../src/messaging/consumer_group.ts";

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
