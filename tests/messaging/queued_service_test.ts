import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createRuntime, fw } from "../../src/fw.ts";
import { INSERT } from "../../src/cqn/builders/insert.ts";
import { SELECT } from "../../src/cqn/builders/select.ts";
import type { Row } from "../../src/cqn/cqn.ts";
import type { EventName } from "../../src/cqn/checked_names.ts";
import type { Implementations } from "../../src/fw/implementation.ts";
import { createSqliteDatabase } from "../../src/db/sqlite/sqlite_database.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { queued, unqueued } from "../../src/service/queue/queued_service.ts";
import type { ServiceEvent } from "../../src/service/requests/service_event.ts";
import { eventually } from "../contract/channel.ts";
import { type Shop, withShop } from "./outbox_app.ts";

/** Runs a test with a shop, its service, and what its handlers got. */
async function withQueue(
  run: (shop: Shop, got: ServiceEvent[], fail: { times: number; error: object }) => Promise<void>,
): Promise<void> {
  const got: ServiceEvent[] = [];
  const fail = { times: 0, error: {} };
  const handle = async (req: ServiceEvent) => {
    got.push(req);
    const { n } = req.data as { n: number };
    await INSERT.into("db.Orders").entries({ ID: got.length, n });
    if (fail.times-- > 0) throw Object.assign(new Error("not yet"), fail.error);
  };
  const Shop = (srv: { on(event: string[], handler: typeof handle): unknown }) =>
    void srv.on(["note", "tidy"], handle);
  await withShop(
    { handlers: { Shop } as never, messaging: { outboxed: false } },
    (shop) => run(shop, got, fail),
  );
}

Deno.test("calls of a queued service are made after the commit, privileged and as the user who made them", async () => {
  await withQueue(async ({ runtime, rows }, got) => {
    const shop = queued(runtime.services.Shop);
    await runtime.db!.tx({ user: "bob", locale: "de" }, async () => {
      await shop.emit("note", { n: 1 }, { "x-my": "v" });
      await shop.send("tidy", { n: 2 });
      assert.equal(got.length, 0);
    });
    await eventually(() => got.length === 2);
    await fw.flush();
    assert.deepEqual(got.map(({ event, data }) => [event, data]).toSorted(), [["note", { n: 1 }], ["tidy", {
      n: 2,
    }]]);
    const [note] = got.filter(({ event }) => event === "note");
    assert.deepEqual([note.user.id, note.user.is("any-role"), note.locale, note.headers["x-my"]], [
      "bob",
      true,
      "de",
      "v",
    ]);
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
  });
});

Deno.test("fw.flush() ends when all that is due in the outbox is done", async () => {
  await withQueue(async ({ runtime, rows }, got) => {
    await runtime.db!.tx(() => queued(runtime.services.Shop).emit("note", { n: 1 }));
    await fw.flush();
    assert.deepEqual([got.map(({ data }) => data), await rows(OUTBOX_MESSAGES)], [[{ n: 1 }], []]);
  });
});

Deno.test("after a rollback nothing of a queued service happens", async () => {
  await withQueue(async ({ runtime, rows }, got) => {
    const failing = runtime.db!.tx(async () => {
      await queued(runtime.services.Shop).emit("note", { n: 1 });
      throw new Error("no");
    });
    await assert.rejects(failing, /no/);
    await runtime.queue!.flush();
    assert.deepEqual([got.length, await rows(OUTBOX_MESSAGES)], [0, []]);
  });
});

Deno.test("queries of a queued service run later", async () => {
  await withQueue(async ({ runtime, rows }) => {
    const query = INSERT.into("db.Orders").entries({ ID: 7, n: 7 });
    assert.equal(await queued(runtime.db!).run(query), undefined);
    await eventually(() => true);
    await (queued(runtime.services.Shop) as unknown as { flush(): Promise<void> }).flush();
    assert.deepEqual((await rows("db.Orders")).map(({ ID }) => ID), [7]);
  });
});

Deno.test("values that JSON does not have survive in queries of a queued service", async () => {
  const definitions = {
    "db.Files": {
      kind: "entity",
      elements: {
        ID: { key: true, type: "cds.Integer" },
        content: { type: "cds.Binary" },
        size: { type: "cds.Int64" },
        ratio: { type: "cds.Double" },
        since: { type: "cds.Timestamp" },
      },
    },
  } as const;
  const runtime = createRuntime({
    model: { definitions },
    env: { requires: { db: { kind: "sqlite" } }, log: { levels: { default: "silent" } } },
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
  });
  const since = new Date("2024-03-01T00:00:00Z");
  const large = 9007199254740993n;
  const entries = [new Uint8Array([1, 254]), Buffer.from([1, 254])].flatMap((content) =>
    [Infinity, -Infinity].map((ratio) => ({ content, size: large, ratio, since }))
  ).map((entry, ID) => ({ ID, ...entry }));
  try {
    await runtime.start();
    await queued(runtime.db!).run(INSERT.into("db.Files").entries(entries as never));
    await runtime.queue!.flush();
    const rows = await runtime.db!.run(SELECT.from("db.Files").orderBy("ID")) as unknown as Row[];
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      entries.map((entry) => ({
        ...{ ...entry, content: "Af4=", size: String(large), since: since.toISOString() },
      })),
    );
  } finally {
    await runtime.close();
  }
});

Deno.test("a failing call is repeated, and has one effect", async () => {
  await withQueue(async ({ runtime, rows }, got, fail) => {
    fail.times = 2;
    await queued(runtime.services.Shop).emit("note", { n: 1 });
    await eventually(() => got.length === 3);
    await runtime.queue!.flush();
    assert.deepEqual((await rows("db.Orders")).length, 1);
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
  });
});

Deno.test("a call that cannot succeed is a dead letter with its error", async () => {
  await withQueue(async ({ runtime, rows }, got, fail) => {
    Object.assign(fail, { times: 1, error: { unrecoverable: true } });
    await queued(runtime.services.Shop).emit("note", { n: 1 });
    await eventually(() => got.length === 1);
    await runtime.queue!.flush();
    assert.equal(fw.queue, runtime.queue);
    const [letter] = await fw.queue!.deadLetters();
    assert.deepEqual([letter.target, letter.work?.event, letter.attempts], ["Shop", "note", 1]);
    assert.match(letter.lastError!, /not yet/);
    assert.deepEqual(await rows("db.Orders"), []);
  });
});

Deno.test("an event, a request or a query whose handlers fail late is a dead letter, too", async () => {
  const late = async () => {
    await new Promise((go) => setTimeout(go, 1));
    throw Object.assign(new Error("late"), { unrecoverable: true });
  };
  const handlers: Implementations = {
    Shop: (srv) => {
      srv.on(["note", "tidy"], late);
      srv.before("CREATE", "Orders", late);
    },
  };
  await withShop({ handlers, messaging: { outboxed: false } }, async ({ runtime, rows }) => {
    const shop = queued(runtime.services.Shop);
    await shop.emit("note", {});
    await shop.send("tidy", {});
    await shop.run(INSERT.into("Shop.Orders").entries({ ID: 1, n: 1 }));
    await runtime.queue!.flush();
    const letters = await runtime.queue!.deadLetters();
    assert.deepEqual(letters.map(({ work }) => work?.kind), ["emit", "send", "run"]);
    for (const { lastError } of letters) assert.match(lastError!, /late/);
    assert.deepEqual(await rows("db.Orders"), []);
  });
});

Deno.test("a queued messaging service goes through the outbox, an unqueued one does not", async () => {
  await withQueue(async ({ messaging, channel, runtime }) => {
    assert.deepEqual([messaging.isQueued, queued(messaging).isQueued], [false, true]);
    const failing = () => Object.assign(new Error("down"), { unreachable: true });
    channel.failure = failing;
    await queued(messaging).emit("Shop.note", { n: 1 });
    await assert.rejects(unqueued(queued(messaging)).emit("Shop.note", { n: 2 }), /down/);
    channel.failure = () => undefined;
    await eventually(() => channel.published.length === 1);
    assert.deepEqual(channel.data, [{ n: 1 }]);
    await runtime.queue!.flush();
  });
});

Deno.test("there is one task of a name: the last one stored", async () => {
  await withQueue(async ({ runtime, rows }, got) => {
    const { Shop } = runtime.services;
    await Shop.schedule("note", { n: 1 }).after("1h");
    const note = { name: "Shop.note" } as EventName<{ n: number }>;
    await Shop.schedule(note, { n: 2 }).after(2, "hours");
    await Shop.schedule("note", { n: 3 }).after("1 day").as("other");
    const tasks = await rows(OUTBOX_MESSAGES);
    assert.deepEqual(tasks.map(({ task }) => task).toSorted(), ["note", "other"]);
    for (const { ID } of tasks) assert.match(String(ID), /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    await Shop.schedule("note", { n: 4 });
    await eventually(() => got.length === 1);
    await runtime.queue!.flush();
    assert.deepEqual(got[0].data, { n: 4 });
    assert.deepEqual((await rows(OUTBOX_MESSAGES)).map(({ task }) => task), ["other"]);
  });
});

Deno.test("work that is stored behind a task for later in one transaction is done after the commit", async () => {
  const { setInterval } = globalThis;
  // nobody else looks for work
  globalThis.setInterval = (() => setTimeout(() => {})) as unknown as typeof setInterval;
  try {
    await withQueue(async ({ runtime }, got) => {
      await runtime.db!.tx(async () => {
        await runtime.services.Shop.schedule("tidy", { n: 1 }).after("1h");
        await queued(runtime.services.Shop).emit("note", { n: 2 });
      });
      await eventually(() => got.length === 1);
      assert.deepEqual(got[0].data, { n: 2 });
    });
  } finally {
    globalThis.setInterval = setInterval;
  }
});

Deno.test("a repeated task runs again and again, also after a failure, and may schedule itself", async () => {
  await withQueue(async ({ runtime, rows }, got, fail) => {
    fail.times = 1;
    await runtime.services.Shop.schedule("tidy", { n: 1 }).every(20);
    await eventually(() => got.length >= 4);
    const [task] = await rows(OUTBOX_MESSAGES);
    assert.deepEqual([task.task, task.status], ["tidy", null]);
    await runtime.services.Shop.schedule("tidy", { n: 9 });
    await eventually(() => got.some(({ data }) => (data as { n: number }).n === 9));
    await runtime.queue!.flush();
    assert.deepEqual(await rows(OUTBOX_MESSAGES), []);
  });
});

Deno.test("durations are milliseconds, numbers of units, or text", async () => {
  await withQueue(({ runtime }) => {
    const task = () => runtime.services.Shop.schedule("note");
    for (const wrong of ["soon", "-1s", "5 weeks", ""]) {
      assert.throws(() => task().after(wrong), TypeError, wrong);
    }
    assert.throws(() => task().every(-5), TypeError);
    return Promise.resolve();
  });
});
