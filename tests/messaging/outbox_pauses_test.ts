import assert from "node:assert/strict";
import { DELETE, UPDATE } from "../../mod.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { MessageStore } from "../../src/messaging/outbox/message_store.ts";
import type { StoredWork } from "../../src/messaging/outbox/stored_work.ts";
import type { Service } from "../../src/service/service.ts";
import { eventually } from "../contract/channel.ts";
import { withClock } from "../security/clock.ts";
import { recordingLog } from "./channels.ts";
import { note, type TestChannel, withOwnOutbox } from "./outbox_app.ts";

const down = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
const DAY_MS = 24 * 60 * 60 * 1000;

/** Waits until a channel was asked twice more: the second time began after this call. */
async function askedAgain(channel: TestChannel): Promise<void> {
  const before = channel.attempts;
  await eventually(() => channel.attempts >= before + 2);
}

/** Runs a test in which long pauses end at once; `asked` has their milliseconds. */
async function withoutLongPauses(run: (asked: readonly number[]) => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  const asked: number[] = [];
  const short = (handler: () => void, ms = 0) => {
    if (ms >= 500) asked.push(ms);
    return setTimeout(handler, ms >= 500 ? 0 : ms);
  };
  globalThis.setTimeout = short as typeof setTimeout;
  try {
    await run(asked);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

/** A service that does queued work as a test says. */
function serviceOf(handle: (work: StoredWork) => Promise<unknown>): () => Promise<Service> {
  return () => Promise.resolve({ queueTarget: { handle } } as unknown as Service);
}

Deno.test("a channel that stays away is told of at first, and then after pauses that grow from 5 seconds to a minute", () => {
  const log = recordingLog();
  return withClock((forward) =>
    withOwnOutbox(async (outbox, { channel }) => {
      channel.failure = down;
      await outbox.start();
      await outbox.enqueue(note(1));
      await askedAgain(channel);
      const told: number[] = [];
      let at = 0;
      for (const ms of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000].flatMap((ms) => [ms - 1, 1])) {
        forward(ms);
        at += ms;
        const before = log.lines.length;
        await askedAgain(channel);
        if (log.lines.length > before) told.push(at);
      }
      assert.deepEqual(told, [5_000, 15_000, 35_000, 75_000, 135_000, 195_000]);
      const [[, first], [, second]] = log.lines;
      assert.deepEqual([first instanceof Error, second], [true, "connect"]);
      channel.failure = () => undefined;
      await eventually(() => channel.published.length === 1);
      channel.failure = down;
      await outbox.enqueue(note(2));
      await askedAgain(channel);
      assert.ok(log.lines.at(-1)![1] instanceof Error, "told at once when it is away again");
    }, { log, retryDelayMs: () => 1, leaseMs: DAY_MS })
  );
});

Deno.test("a channel that stays away is asked again after 5 seconds at the latest", () =>
  withOwnOutbox((outbox, { channel }) =>
    withoutLongPauses(async (asked) => {
      channel.failure = down;
      await outbox.start();
      await outbox.enqueue(note(1));
      await askedAgain(channel);
      assert.deepEqual(new Set(asked), new Set([5_000]));
      channel.failure = () => undefined;
      await eventually(() => channel.published.length === 1);
    }), { retryDelayMs: () => DAY_MS }));

Deno.test("a service that cannot be reached at first is asked again, and no attempt counts", async () => {
  let connects = 0;
  await withOwnOutbox(async (outbox, { rows }) => {
    await outbox.start();
    await outbox.enqueue({ service: "Shop", kind: "emit", event: "note" });
    await eventually(() => connects === 2);
    const [row] = await rows(OUTBOX_MESSAGES);
    assert.deepEqual([row.attempts, row.lastError], [0, null]);
    await eventually(() => connects === 4);
    await outbox.flush();
    assert.deepEqual([await rows(OUTBOX_MESSAGES), await outbox.deadLetters()], [[], []]);
  }, {
    retryDelayMs: () => 20,
    connect: () =>
      ++connects < 4 ? Promise.reject(new Error("not now")) : serviceOf(() => Promise.resolve())(),
  });
});

Deno.test("a channel that was away is asked for whole chunks again once nothing waits for it", () =>
  withOwnOutbox(async (outbox, { channel, runtime }) => {
    const { claim } = MessageStore.prototype;
    const publish = channel.publish.bind(channel);
    const sizes: number[] = [];
    let emptyClaims = 0;
    channel.failure = down;
    await outbox.start();
    await outbox.enqueue(note(0));
    await askedAgain(channel);
    MessageStore.prototype.claim = async function (...given) {
      const claimed = await claim.apply(this, given);
      if (claimed.messages.length === 0) emptyClaims++;
      return claimed;
    };
    try {
      await runtime.db!.run(DELETE.from(OUTBOX_MESSAGES));
      await eventually(() => emptyClaims > 0);
    } finally {
      MessageStore.prototype.claim = claim;
    }
    channel.failure = () => undefined;
    channel.publish = (messages) => {
      sizes.push(messages.length);
      return publish(messages);
    };
    await runtime.db!.tx(async () => {
      for (let n = 0; n < 10; n++) await outbox.enqueue(note(n));
    });
    await eventually(() => channel.published.length === 10);
    assert.deepEqual(sizes, [10]);
  }, { retryDelayMs: () => 20 }));

Deno.test("a database that cannot be read is told of where there is an outbox in use, and no worker ends with it", async () => {
  const log = recordingLog();
  await withOwnOutbox(async (outbox, { runtime, channel }) => {
    const db = runtime.db!;
    const { withEngine } = db;
    const fail = () => {
      throw new Error("no database");
    };
    db.withEngine = fail;
    await outbox.start();
    assert.equal(log.lines.length, 0);
    outbox.use();
    await outbox.flush();
    const [[text, error], ...more] = [...log.lines];
    assert.deepEqual([text, String(error), more], ["Cannot read the outbox:", "Error: no database", []]);
    db.withEngine = withEngine;
    await outbox.enqueue(note(1));
    await eventually(() => channel.published.length === 1);
  }, { log });
});

Deno.test("work that is due in more than 24 days is waited for in parts, as timers take no longer time", () =>
  withOwnOutbox((outbox) =>
    withoutLongPauses(async (asked) => {
      await outbox.start();
      await outbox.enqueue(note(1), { after: 40 * DAY_MS });
      await outbox.flush();
      assert.equal(asked[0], 2 ** 31 - 1);
    })
  ));

Deno.test("of several times at which work is due the earliest counts, whichever was asked for first", async () => {
  for (const times of [[20, DAY_MS], [DAY_MS, 20]]) {
    await withOwnOutbox(async (outbox, { channel }) => {
      await outbox.start();
      for (const after of times) await outbox.enqueue(note(after), { after });
      await eventually(() => channel.published.length === 1);
      assert.deepEqual(channel.data, [{ n: 20 }]);
    });
  }
});

Deno.test("a process that ends gives stored work a second, and work in memory all the time that it has", async () => {
  for (const [inMemory, ms] of [[false, 1_000], [true, 60_000]] as const) {
    const { promise, resolve } = Promise.withResolvers<void>();
    await withOwnOutbox(async (outbox, { channel }) => {
      channel.publish = () => promise;
      await outbox.start();
      await outbox.enqueue(note(1));
      await withoutLongPauses(async (asked) => {
        await outbox.stop(60_000);
        assert.equal(asked[0], ms);
      });
      resolve();
    }, { inMemory });
  }
});

Deno.test("a process that has less time than a second gives stored work no more than that", () =>
  withOwnOutbox(async (outbox, { channel }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    channel.publish = () => promise;
    await outbox.start();
    await outbox.enqueue(note(1));
    await withoutLongPauses(async (asked) => {
      await outbox.stop(700);
      assert.equal(asked[0], 700);
    });
    resolve();
  }));

Deno.test("a dead letter has the text of its error, of at most 4,000 characters", () =>
  withOwnOutbox(async (outbox, { channel }) => {
    const errors = [
      new Error("x".repeat(5_000)),
      "no error",
      Object.assign(new Error("no stack"), { stack: undefined }),
    ];
    channel.failure = ({ data }) => errors[(data as { n: number }).n];
    await outbox.start();
    for (const n of errors.keys()) await outbox.enqueue(note(n));
    await outbox.flush();
    const texts = (await outbox.deadLetters()).map(({ lastError }) => lastError!);
    assert.equal(texts[0], `Error: ${"x".repeat(4_000 - "Error: ".length)}`);
    assert.deepEqual(texts.slice(1), ["no error", "no stack"]);
  }, { rules: { maxAttempts: 1, maxAgeMs: 0 } }));

Deno.test("a failure is told with the name of the event or the task, of queries as work", () => {
  const log = recordingLog();
  return withOwnOutbox(async (outbox) => {
    await outbox.start();
    const call = { service: "Shop", data: {} };
    await outbox.enqueue({ ...call, kind: "emit", event: "note" });
    await outbox.enqueue({ ...call, kind: "run" }, { task: "tidy" });
    await outbox.enqueue({ ...call, kind: "run" });
    await outbox.flush();
    assert.deepEqual(
      log.lines.map(([text]) => text).toSorted(),
      ["note", "tidy", "work"].map((name) => `Handling ${name} of Shop failed, attempt 1, given up:`),
    );
  }, { log, rules: { maxAttempts: 1 }, connect: serviceOf(() => Promise.reject(new Error("no"))) });
});

Deno.test("rows that cannot be read, and messages for a service that publishes none, are dead letters at once", () =>
  withOwnOutbox(async (outbox, { runtime }) => {
    const texts = ["{", "null", '{"kind":"publish"}', '{"service":"messaging"}'];
    for (const n of [...texts.keys(), texts.length]) await outbox.enqueue(note(n));
    const all = await runtime.db!.read(OUTBOX_MESSAGES) as unknown as { ID: string; msg: string }[];
    for (const { ID, msg } of all) {
      const text = texts[JSON.parse(msg).data.n];
      if (text) await runtime.db!.run(UPDATE(OUTBOX_MESSAGES).set({ msg: text }).where({ ID }));
    }
    await outbox.start();
    await outbox.flush();
    const reasons = (await outbox.deadLetters()).map(({ lastError }) => /Error: (.*)/.exec(lastError!)![1]);
    assert.deepEqual(reasons, [
      ...texts.map(() => "The stored message cannot be read"),
      '"messaging" is no messaging service',
    ]);
  }, { connect: serviceOf(() => Promise.resolve()) }));

Deno.test("work without key is done at the same time, work of one key one after the other (messaging 6.3)", async () => {
  for (const [key, most] of [[undefined, 3], ["k", 1]] as const) {
    let running = 0;
    const together: number[] = [];
    const connect = serviceOf(async () => {
      together.push(++running);
      await new Promise((go) => setTimeout(go, 5));
      running--;
    });
    await withOwnOutbox(async (outbox) => {
      for (let n = 0; n < 3; n++) await outbox.enqueue({ service: "Shop", kind: "emit", event: "note", key });
      await outbox.start();
      await outbox.flush();
      assert.deepEqual([together.length, Math.max(...together)], [3, most]);
    }, { connect });
  }
});

Deno.test("a worker that ends leaves the work behind what is under way to the next one", async () => {
  const seen: unknown[] = [];
  let stop = () => Promise.resolve();
  const connect = serviceOf(async ({ data }) => {
    seen.push(data);
    await stop();
  });
  await withOwnOutbox(async (outbox, { rows }) => {
    const call = { service: "Shop", kind: "emit", event: "note", key: "k" } as const;
    for (let n = 0; n < 3; n++) await outbox.enqueue({ ...call, data: n });
    let stopping: Promise<void> | undefined;
    stop = () => stopping ??= outbox.stop(0);
    await outbox.start();
    await eventually(() => stopping !== undefined);
    await stopping;
    await eventually(() => seen.length > 0);
    for (let turns = 0; turns < 20; turns++) await new Promise((go) => setTimeout(go, 1));
    const left = await rows(OUTBOX_MESSAGES);
    assert.deepEqual([seen, left.map(({ lockedBy }) => lockedBy)], [[0], [null, null]]);
  }, { connect });
});

Deno.test("what waits and what was given up is counted by service, for the own application (messaging 6.4)", () =>
  withClock((forward) =>
    withOwnOutbox(async (outbox, { runtime }) => {
      const failure = { attempts: 1, reason: "no" };
      await outbox.enqueue(note(1));
      forward(2_000);
      await outbox.enqueue(note(2));
      await outbox.bury(note(3), failure);
      await outbox.bury({ ...note(4), service: "dead" }, failure);
      await outbox.enqueue({ ...note(5), service: "later" }, { after: 60_000 });
      await outbox.enqueue({ ...note(6), service: "foreign" });
      await runtime.db!.run(UPDATE(OUTBOX_MESSAGES).set({ appid: "other" }).where({ target: "foreign" }));
      forward(3_000);
      await outbox.start();
      const states = (await outbox.states()).toSorted((a, b) => a.target < b.target ? -1 : 1);
      assert.deepEqual(states, [
        { target: "dead", waiting: 0, oldestAgeMs: 0, dead: 1 },
        { target: "later", waiting: 1, oldestAgeMs: 0, dead: 0 },
        { target: "messaging", waiting: 2, oldestAgeMs: 5_000, dead: 1 },
      ]);
    }, { connect: () => new Promise(() => {}) })
  ));

Deno.test("dead letters are listed a hundred at a time, unless told otherwise", () =>
  withOwnOutbox(async (outbox, { runtime }) => {
    await runtime.db!.tx(async () => {
      for (let n = 0; n <= 100; n++) await outbox.bury(note(n), { attempts: 1, reason: "no" });
    });
    const letters = await outbox.deadLetters();
    assert.deepEqual([letters.length, (await outbox.deadLetters({ limit: 101 })).length], [100, 101]);
    assert.deepEqual(letters.slice(0, 2).map(({ work }) => work?.data), [{ n: 0 }, { n: 1 }]);
  }));
