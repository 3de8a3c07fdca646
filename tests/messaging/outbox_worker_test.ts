/** What the worker of an outbox does in odd moments: at probes, between chunks, behind refusals (messaging 6.3, 6.4). */

import assert from "node:assert/strict";
import { DELETE } from "../../mod.ts";
import { Dispatcher } from "../../src/messaging/outbox/dispatcher.ts";
import { MessageStore } from "../../src/messaging/outbox/message_store.ts";
import { OUTBOX_MESSAGES } from "../../src/messaging/outbox/queue_model.ts";
import { partitionOf, type StoredWork } from "../../src/messaging/outbox/stored_work.ts";
import type { QueuedWork } from "../../src/service/queue/work_queue.ts";
import type { Service } from "../../src/service/service.ts";
import { eventually } from "../contract/channel.ts";
import { withClock } from "../security/clock.ts";
import { recordingLog } from "./channels.ts";
import { note, turns, withOwnOutbox } from "./outbox_app.ts";

const down = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
const DAY_MS = 24 * 60 * 60 * 1000;

/** Work for a handler. */
const call = (data: unknown, more: Partial<QueuedWork> = {}): QueuedWork => ({
  ...{ service: "Shop", kind: "emit", event: "note", data },
  ...more,
});

/** A service that does queued work as a test says. */
function serviceOf(handle: (work: StoredWork) => Promise<unknown>): () => Promise<Service> {
  return () => Promise.resolve({ queueTarget: { handle } } as unknown as Service);
}

/** Counts the claims of a test. */
async function countingClaims(run: (claims: readonly number[]) => Promise<void>): Promise<void> {
  const { claim } = MessageStore.prototype;
  const claims: number[] = [];
  MessageStore.prototype.claim = async function (...given) {
    const claimed = await claim.apply(this, given);
    claims.push(claimed.messages.length);
    return claimed;
  };
  try {
    await run(claims);
  } finally {
    MessageStore.prototype.claim = claim;
  }
}

/** Runs a test in which no work gathers by time: what waits for a few milliseconds waits until the end. */
async function whileGathering(run: () => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  const held: (() => void)[] = [];
  globalThis.setTimeout =
    ((handler: () => void, ms = 0) =>
      ms === 1 || ms === 5 ? held.push(handler) : setTimeout(handler, ms)) as typeof setTimeout;
  try {
    await run();
  } finally {
    globalThis.setTimeout = setTimeout;
    for (const go of held) go();
  }
}

Deno.test("while a channel is away each probe claims one message only", () =>
  withOwnOutbox((outbox, { channel }) =>
    countingClaims(async (claims) => {
      channel.failure = down;
      for (let n = 0; n < 3; n++) await outbox.enqueue(note(n));
      await outbox.start();
      await eventually(() => claims.length >= 4);
      assert.deepEqual([claims[0], new Set(claims.slice(1))], [3, new Set([1])]);
      channel.failure = () => undefined;
      await eventually(() => channel.published.length === 3);
    }), { retryDelayMs: () => 1 }));

Deno.test("a channel that goes away behind a refusal is not asked again before the pause ends", () =>
  withOwnOutbox(async (outbox, { channel, rows }) => {
    let asked = 0;
    channel.failure = () => ++asked === 1 ? new Error("refused") : down();
    for (let n = 0; n < 2; n++) await outbox.enqueue({ ...note(n), key: "k" });
    await outbox.start();
    await outbox.flush();
    assert.equal(asked, 2);
    assert.deepEqual((await rows(OUTBOX_MESSAGES)).map(({ attempts, lockedBy }) => [attempts, lockedBy]), [
      [0, null],
      [0, null],
    ]);
  }, { retryDelayMs: () => DAY_MS }));

Deno.test("behind a chunk that is settled row by row nothing is claimed again", () =>
  withOwnOutbox((outbox, { channel, rows }) =>
    countingClaims(async (claims) => {
      channel.failure = ({ data }) => (data as { n: number }).n === 0 ? new Error("refused") : undefined;
      for (let n = 0; n < 3; n++) await outbox.enqueue(note(n));
      await outbox.start();
      await outbox.flush();
      assert.deepEqual(channel.data, [{ n: 1 }, { n: 2 }]);
      assert.deepEqual((await rows(OUTBOX_MESSAGES)).map(({ attempts }) => attempts), [1]);
      assert.deepEqual(claims, [3]);
    }), { retryDelayMs: () => DAY_MS }));

Deno.test("what was published by itself is published again where its row could not be removed, and no attempt counts", () =>
  withOwnOutbox(async (outbox, { channel, rows }) => {
    const { remove } = MessageStore.prototype;
    let failures = 0;
    channel.failure = ({ data }) => (data as { n: number }).n === 0 ? new Error("refused") : undefined;
    MessageStore.prototype.remove = async function (ids) {
      await turns(1);
      if (failures++ === 0) throw new Error("no database");
      await remove.call(this, ids);
    };
    try {
      for (let n = 0; n < 2; n++) await outbox.enqueue({ ...note(n), key: `k${n}` });
      await outbox.start();
      await eventually(() => channel.published.length === 2);
      await outbox.flush();
    } finally {
      MessageStore.prototype.remove = remove;
    }
    assert.deepEqual(channel.data, [{ n: 1 }, { n: 1 }]);
    const left = await rows(OUTBOX_MESSAGES);
    assert.deepEqual(left.map(({ partition }) => partition), [partitionOf("k0")]);
  }, { retryDelayMs: () => 20 }));

for (
  const [step, status] of [["claim"], ["remove"], ["giveBack"], ["giveBack", "dead"]] as const
) {
  Deno.test(`a worker whose database fails once tells it, and goes on: ${[step, status].join(" ").trim()}`, async () => {
    const log = recordingLog();
    const own = MessageStore.prototype[step];
    let isFirst = true;
    const fail = async function (this: MessageStore, ...given: never[]) {
      await turns(1);
      if (isFirst && (given[1] as { status?: string } | undefined)?.status === status) {
        isFirst = false;
        throw new Error("no database");
      }
      return await (own as (...given: never[]) => Promise<never>).apply(this, given);
    };
    let refusals = 0;
    await withOwnOutbox(async (outbox, { channel }) => {
      channel.failure = ({ data }) => {
        const { n } = data as { n: number };
        if (n === 2) return Object.assign(new Error("never"), { unrecoverable: true });
        return n === 1 && refusals++ === 0 ? new Error("not now") : undefined;
      };
      MessageStore.prototype[step] = fail as never;
      try {
        await outbox.start();
        for (let n = 0; n < 3; n++) {
          await outbox.enqueue(note(n));
          await outbox.flush();
        }
        while ((await outbox.states()).some(({ waiting }) => waiting > 0)) await outbox.flush();
      } finally {
        MessageStore.prototype[step] = own as never;
      }
      const dead = (await outbox.deadLetters()).map(({ work }) => work?.data);
      assert.deepEqual([new Set(channel.data.map((data) => (data as { n: number }).n)), dead], [
        new Set([0, 1]),
        [{ n: 2 }],
      ]);
      const told = log.lines.filter(([text]) =>
        String(text).startsWith("Cannot work on the outbox of messaging")
      );
      assert.deepEqual(told.map(([, error]) => String(error)), ["Error: no database"]);
    }, { log, retryDelayMs: () => 1, leaseMs: 300 });
  });
}

Deno.test("behind a chunk that kept the event loop everything else has a turn for half of its time, behind others at once", async () => {
  const { setTimeout } = globalThis;
  for (const isBlocking of [true, false]) {
    await withOwnOutbox(async (outbox, { channel, runtime }) => {
      const pauses: number[] = [];
      const publish = channel.publish.bind(channel);
      channel.publish = async (messages) => {
        const end = performance.now() + 40;
        while (isBlocking && performance.now() < end);
        if (!isBlocking) await new Promise((go) => setTimeout(go, 40));
        await publish(messages);
      };
      await runtime.db!.tx(async () => {
        for (let n = 0; n < 20; n++) await outbox.enqueue(note(n));
      });
      globalThis.setTimeout = ((handler: () => void, ms = 0) => {
        pauses.push(ms);
        return setTimeout(handler, ms);
      }) as typeof setTimeout;
      try {
        await outbox.start();
        await outbox.flush();
      } finally {
        globalThis.setTimeout = setTimeout;
      }
      assert.equal(channel.published.length, 20);
      assert.equal(pauses.filter((ms) => ms >= 20).length > 0, isBlocking, String(pauses));
    });
  }
});

Deno.test("work that becomes due while other work is under way is done behind it, and waits for no look", () => {
  const gate = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  const connect = serviceOf(async ({ data }) => {
    seen.push(data);
    if (data === 1) await gate.promise;
  });
  return withOwnOutbox(async (outbox) => {
    await outbox.start();
    await outbox.enqueue(call(1));
    await eventually(() => seen.length === 1);
    await outbox.enqueue(call(2), { after: 5 });
    await turns(30); // the alarm of the second one rang
    gate.resolve();
    await eventually(() => seen.length === 2);
    assert.deepEqual(seen, [1, 2]);
  }, { connect });
});

Deno.test("a task that is repeated has its next run where it is given up, with its attempts counted anew", () =>
  withClock((forward) =>
    withOwnOutbox(async (outbox, { rows }) => {
      await outbox.enqueue(call(1, { every: DAY_MS }), { task: "tidy" });
      await outbox.start();
      await outbox.flush();
      const dueIn = ({ due }: Record<string, unknown>) => Date.parse(String(due)) - Date.now();
      const [first] = await rows(OUTBOX_MESSAGES);
      assert.deepEqual([first.attempts, first.status, dueIn(first)], [1, null, 20]);
      forward(20);
      await outbox.flush();
      const [second, ...more] = await rows(OUTBOX_MESSAGES);
      assert.deepEqual([second.attempts, second.status, dueIn(second), more], [0, null, DAY_MS, []]);
      assert.match(String(second.lastError), /Error: no/);
    }, {
      retryDelayMs: () => 20,
      rules: { maxAttempts: 2 },
      connect: serviceOf(() => Promise.reject(new Error("no"))),
    })
  ));

Deno.test("an outbox that was never started leaves what is stored to those that are", () =>
  withOwnOutbox(async (outbox, { channel, connects, rows }) => {
    await outbox.enqueue(note(1));
    await turns(30);
    assert.deepEqual([connects(), channel.data, (await rows(OUTBOX_MESSAGES)).length], [0, [], 1]);
  }));

Deno.test("the look for what was left of a tenant has ended when its database is open", async () => {
  const log = recordingLog();
  await withOwnOutbox(async (outbox, { runtime }) => {
    const db = runtime.db!;
    const { withEngine } = db;
    await outbox.start();
    outbox.use();
    db.withEngine = async () => {
      await turns(1);
      throw new Error("no database");
    };
    await outbox.open(undefined);
    db.withEngine = withEngine;
    assert.deepEqual(log.lines.map(([text]) => text), ["Cannot read the outbox:"]);
  }, { log });
});

Deno.test("work that a commit waits for does not gather: it is claimed at once, with what was there before", () =>
  withOwnOutbox((outbox, { channel }) =>
    whileGathering(async () => {
      await outbox.start();
      await outbox.enqueue(note(1));
      assert.deepEqual(channel.data, []);
      await outbox.enqueue(note(2), { isKept: true });
      assert.deepEqual(channel.data, [{ n: 1 }, { n: 2 }]);
    }), { inMemory: true, storedMessagesMs: 200 }));

/** A worker over a store that counts claims, and how many there were. */
function countedWorker() {
  let claims = 0;
  const store = { claim: () => claims++ } as unknown as MessageStore;
  const worker = new Dispatcher({
    ...{ target: "Shop", store, retryDelayMs: () => 1, rules: { maxAttempts: 1, maxAgeMs: 0 } },
    ...{ connect: () => Promise.reject(new Error("no")), root: { log: recordingLog() } },
  });
  return { worker, claims: () => claims };
}

Deno.test("a worker that is to end gathers no more work, and claims none", () =>
  whileGathering(async () => {
    const { worker, claims } = countedWorker();
    worker.wake();
    let hasEnded = false;
    const stopping = worker.stop().then(() => hasEnded = true);
    await new Promise((go) => setTimeout(go, 2));
    assert.deepEqual([hasEnded, claims()], [true, 0]);
    await stopping;
  }));

Deno.test("a worker that ends keeps nobody waiting for messages that it did not claim any more", async () => {
  const { worker, claims } = countedWorker();
  const published = worker.published(["a", "b"]);
  await worker.stop();
  await published;
  assert.equal(claims(), 0);
});

Deno.test("a worker whose database failed looks again after a pause, also where it was asked meanwhile", () => {
  const { claim } = MessageStore.prototype;
  return withOwnOutbox(async (outbox) => {
    let claims = 0;
    MessageStore.prototype.claim = async () => {
      claims++;
      await outbox.enqueue(note(2));
      throw new Error("no database");
    };
    try {
      await outbox.start();
      await outbox.enqueue(note(1));
      await eventually(() => claims > 0);
      await turns(30);
      assert.equal(claims, 1);
    } finally {
      MessageStore.prototype.claim = claim;
    }
  }, { retryDelayMs: () => DAY_MS, log: recordingLog() });
});

Deno.test("a message whose channel was away is tried again, also where another one left meanwhile", () =>
  withOwnOutbox(async (outbox, { channel, runtime }) => {
    const publish = channel.publish.bind(channel);
    let isAway = true;
    channel.publish = async (messages) => {
      if (messages.some(({ data }) => (data as { n: number }).n === 0)) {
        throw Object.assign(new Error("never"), { unrecoverable: true });
      }
      const { n } = messages[0]!.data as { n: number };
      if (n === 1 && isAway) throw down();
      if (n === 2) await eventually(() => !isAway);
      await publish(messages);
    };
    await runtime.db!.tx(async () => {
      for (let n = 0; n < 3; n++) await outbox.enqueue(note(n));
    });
    await outbox.start();
    await turns(5);
    isAway = false;
    await eventually(() => channel.published.length === 2);
    assert.deepEqual(channel.data, [{ n: 2 }, { n: 1 }]);
  }, { inMemory: true, retryDelayMs: () => 1 }));

Deno.test("many messages of one transaction wake their worker once", () =>
  withOwnOutbox((outbox, { channel, runtime }) =>
    countingClaims(async (claims) => {
      await outbox.start();
      await runtime.db!.tx(async () => {
        for (let n = 0; n < 3; n++) await outbox.enqueue(note(n), { isKept: true });
      });
      await turns(10);
      assert.deepEqual([channel.published.length, claims], [3, [3]]);
    }), { inMemory: true }));

Deno.test("a claim tells how many characters its rows have; who changes them learns that the database fails", () =>
  withOwnOutbox(async (outbox, { runtime, rows }) => {
    const db = runtime.db!;
    const store = new MessageStore({
      ...{ db, tenant: undefined, application: "shop", owner: "o", leaseMs: 1_000 },
    });
    assert.equal((await store.claim("messaging", 10)).characters, 0);
    for (let n = 0; n < 2; n++) await outbox.enqueue(note(n));
    const stored = (await rows(OUTBOX_MESSAGES)).map(({ msg }) => String(msg).length);
    const { characters, messages } = await store.claim("messaging", 10);
    assert.deepEqual([messages.length, characters], [2, stored[0] + stored[1]]);
    const { withEngine } = db;
    db.withEngine = () => Promise.reject(new Error("no database"));
    try {
      for (const step of ["renew", "remove", "giveBack"] as const) {
        await assert.rejects(store[step](["1"]), /no database/, step);
      }
    } finally {
      db.withEngine = withEngine;
    }
  }));

Deno.test("of a task there is one row, the last one; a repeated one that is the same keeps its rhythm", () =>
  withClock((forward) =>
    withOwnOutbox(async (outbox, { rows }) => {
      const dataOf = async () => {
        const stored = await rows(OUTBOX_MESSAGES);
        return stored.map(({ msg, due }) => [JSON.parse(String(msg)).data, Date.parse(String(due)) - start]);
      };
      const start = Date.now();
      const schedule = async (data: number, task: string | undefined, every?: number) => {
        await outbox.enqueue(call(data, { every }), { task, after: 1_000 });
        forward(10);
        return await dataOf();
      };
      assert.deepEqual(await schedule(1, "tidy", 5_000), [[1, 1_000]]);
      assert.deepEqual(await schedule(1, "tidy", 5_000), [[1, 1_000]]);
      assert.deepEqual(await schedule(2, "tidy", 5_000), [[2, 1_020]]);
      assert.deepEqual(await schedule(2, "tidy"), [[2, 1_030]]);
      assert.deepEqual(await schedule(2, "tidy"), [[2, 1_040]]);
      await schedule(3, undefined);
      const all = await schedule(3, undefined);
      assert.deepEqual(all.toSorted(), [[2, 1_040], [3, 1_050], [3, 1_060]]);
    })
  ));

Deno.test("ten pieces of work are done at a time, however many were claimed", () => {
  const gate = Promise.withResolvers<void>();
  let running = 0;
  const connect = serviceOf(async ({ data }) => {
    if (data as number < 20) return await turns(1); // chunks grow by them
    running++;
    await gate.promise;
  });
  return withOwnOutbox(async (outbox, { runtime }) => {
    await runtime.db!.tx(async () => {
      for (let n = 0; n < 40; n++) await outbox.enqueue(call(n));
    });
    await outbox.start();
    await eventually(() => running >= 10);
    await turns(5);
    assert.equal(running, 10);
    gate.resolve();
    await outbox.flush();
  }, { connect });
});

Deno.test("a message that is stored while a probe of a channel finds nothing leaves as well", () =>
  withOwnOutbox(async (outbox, { channel, runtime }) => {
    channel.failure = down;
    await outbox.start();
    await outbox.enqueue(note(1));
    await eventually(() => channel.attempts > 1);
    channel.failure = () => undefined;
    const { claim } = MessageStore.prototype;
    let isStored = false;
    MessageStore.prototype.claim = async function (...given) {
      const claimed = await claim.apply(this, given);
      if (claimed.messages.length === 0 && !isStored) {
        isStored = true;
        await outbox.enqueue(note(2), { isKept: true });
      }
      return claimed;
    };
    try {
      await runtime.db!.run(DELETE.from(OUTBOX_MESSAGES));
      await eventually(() => channel.data.length > 0);
    } finally {
      MessageStore.prototype.claim = claim;
    }
    assert.deepEqual(channel.data, [{ n: 2 }]);
  }, { inMemory: true, retryDelayMs: () => 20 }));

Deno.test("a message is old enough to be given up when it has its age, not before", () =>
  withClock((forward) =>
    withOwnOutbox(async (outbox, { channel, rows }) => {
      channel.failure = () => new Error("refused");
      await outbox.enqueue(note(1));
      await outbox.start();
      forward(49);
      await outbox.flush();
      assert.deepEqual((await rows(OUTBOX_MESSAGES)).map(({ status }) => status), [null]);
      forward(1);
      await outbox.flush();
      assert.deepEqual((await rows(OUTBOX_MESSAGES)).map(({ status }) => status), ["dead"]);
    }, { rules: { maxAttempts: 1, maxAgeMs: 50 }, retryDelayMs: () => 1 })
  ));
