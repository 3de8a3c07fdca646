import assert from "node:assert/strict";
import { queueTargetOf, rulesOf, withQueueTables } from "../../src/messaging/outbox/queue_model.ts";
import type { StoredWork } from "../../src/messaging/outbox/stored_work.ts";
import type { Service } from "../../src/service/service.ts";

Deno.test("rules of giving up are those of the entry, of outboxed first", () => {
  const rules = (options: object) => rulesOf({ options } as unknown as Service);
  assert.deepEqual(rules({}), {});
  assert.deepEqual(rules({ maxAttempts: 3, outboxed: true }), { maxAttempts: 3 });
  assert.deepEqual(rules({ maxAttempts: "3", outboxed: null }), {});
  assert.deepEqual(rules({ maxAttempts: 3, outboxed: { maxAttempts: 2, maxAgeMs: 1 } }), {
    maxAttempts: 2,
    maxAgeMs: 1,
  });
});

Deno.test("tables of outbox, inbox and feed stand in the model, unless it has definitions of their names", () => {
  const own = { kind: "entity" as const, elements: {} };
  const { definitions } = withQueueTables({ definitions: { "my.A": own, "fw.inbox.Messages": own } }, {
    "more.B": own,
  });
  assert.deepEqual(Object.keys(definitions!), [
    ...["my.A", "fw.inbox.Messages", "fw.outbox.Messages", "fw.outbox.Events", "fw.outbox.Feeds", "more.B"],
  ]);
  assert.equal(definitions!["fw.inbox.Messages"], own);
  const lengths = Object.entries(withQueueTables({}).definitions!).map(([name, { elements }]) => [
    name,
    Object.entries(elements as Record<string, { length?: number; key?: boolean }>)
      .flatMap(([element, { length, key }]) =>
        length === undefined ? [] : [`${key ? "key " : ""}${element} ${length}`]
      ),
  ]);
  assert.deepEqual(Object.fromEntries(lengths), {
    "fw.outbox.Messages": ["target 255", "status 23", "task 255", "appid 255", "lockedBy 255"],
    "fw.inbox.Messages": ["key source 1024", "key id 255", "key group 255", "status 23"],
    "fw.outbox.Events": ["appid 255", "event 512"],
    "fw.outbox.Feeds": ["key appid 255"],
  });
  const { attempts, partition } = withQueueTables({}).definitions!["fw.outbox.Messages"]!.elements as Record<
    string,
    unknown
  >;
  assert.deepEqual([attempts, partition], Array(2).fill({ type: "cds.Integer", default: { val: 0 } }));
});

Deno.test("queued work calls its service as its caller did, and ends when the call has ended", async () => {
  const cases: readonly [work: Partial<StoredWork>, call: readonly unknown[]][] = [
    [{ kind: "emit", event: "e", data: 1, headers: { a: "b" } }, ["emit", "e", 1, { a: "b" }]],
    [{ kind: "run", query: { SELECT: {} } as never, params: { p: 1 } as never }, ["run", { SELECT: {} }, {
      p: 1,
    }]],
    [{ kind: "send", event: "e", data: 1, headers: {} }, ["send", "e", 1, {}]],
    [{ kind: "send", request: { event: "r" } as never }, ["send", { event: "r" }]],
  ];
  for (const [work, call] of cases) {
    const calls: unknown[][] = [];
    const answer = Promise.withResolvers<void>();
    const member = (name: string) => (...given: unknown[]) => (calls.push([name, ...given]), answer.promise);
    const service = { options: {}, emit: member("emit"), run: member("run"), send: member("send") };
    const done = queueTargetOf(service as unknown as Service).handle(work as StoredWork);
    assert.deepEqual(calls, [call]);
    answer.reject(new Error("not now"));
    await assert.rejects(done, { message: "not now" });
  }
});

Deno.test("a service that takes queued work in its own way does so", () => {
  const queueTarget = { handle: () => Promise.resolve() };
  assert.equal(queueTargetOf({ queueTarget } as unknown as Service), queueTarget);
});
