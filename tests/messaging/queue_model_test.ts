import assert from "node:assert/strict";
import { queueTargetOf, rulesOf, withQueueTables } from "../../src/messaging/outbox/queue_model.ts";
import type { StoredWork } from "../../src/messaging/outbox/stored_work.ts";
import type { Service } from "../../src/service/service.ts";

Deno.test("the columns of outbox, inbox and feed are as long as those of existing databases", () => {
  const { definitions } = withQueueTables({ definitions: {} });
  const lengths = Object.entries(definitions!).flatMap(([entity, { elements }]) =>
    Object.entries(elements!).flatMap(([name, { length }]) => length ? [[`${entity}.${name}`, length]] : [])
  );
  assert.deepEqual(Object.fromEntries(lengths), {
    "fw.outbox.Messages.target": 255,
    "fw.outbox.Messages.status": 23,
    "fw.outbox.Messages.task": 255,
    "fw.outbox.Messages.appid": 255,
    "fw.outbox.Messages.lockedBy": 255,
    "fw.inbox.Messages.source": 1024,
    "fw.inbox.Messages.id": 255,
    "fw.inbox.Messages.group": 255,
    "fw.inbox.Messages.status": 23,
    "fw.outbox.Events.appid": 255,
    "fw.outbox.Events.event": 512,
    "fw.outbox.Feeds.appid": 255,
  });
});

Deno.test("rows that others write have no attempt and no key", () => {
  const { elements } = withQueueTables({ definitions: {} }).definitions!["fw.outbox.Messages"]!;
  assert.deepEqual([elements!.attempts!.default, elements!.partition!.default], [{ val: 0 }, { val: 0 }]);
});

Deno.test("definitions of a project stand before those of the queue, and before others that come with them", () => {
  const own = { kind: "entity", elements: {} } as const;
  const { definitions } = withQueueTables(
    { definitions: { "fw.outbox.Messages": own, "my.Books": own } },
    { "my.Books": { kind: "service" }, "fw.more": { kind: "service" } },
  );
  assert.deepEqual(Object.keys(definitions!).toSorted(), [
    ...[
      "fw.inbox.Messages",
      "fw.more",
      "fw.outbox.Events",
      "fw.outbox.Feeds",
      "fw.outbox.Messages",
      "my.Books",
    ],
  ]);
  assert.deepEqual([definitions!["fw.outbox.Messages"], definitions!["my.Books"]], [own, own]);
});

Deno.test("a service says when its work is given up: maxAttempts of its entry, and what outboxed says before it", () => {
  const cases: readonly [options: Record<string, unknown>, rules: object][] = [
    [{}, {}],
    [{ maxAttempts: 3 }, { maxAttempts: 3 }],
    [{ maxAttempts: "3", outboxed: true }, {}],
    [{ outboxed: null }, {}],
    [{ outboxed: { maxAgeMs: 5 } }, { maxAgeMs: 5 }],
    [{ maxAttempts: 3, outboxed: { maxAttempts: 4 } }, { maxAttempts: 4 }],
  ];
  for (const [options, rules] of cases) assert.deepEqual(rulesOf({ options } as Service), rules);
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
