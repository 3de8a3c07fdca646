/** What a worker asks of its rows, turn by turn: over a store that a test controls (messaging 6.3). */

import assert from "node:assert/strict";
import { EventContext } from "../../src/context/event_context.ts";
import { currentContext } from "../../src/context/store.ts";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { Dispatcher, type DispatcherOptions } from "../../src/messaging/outbox/dispatcher.ts";
import type { MessageStore } from "../../src/messaging/outbox/message_store.ts";
import type { QueueTarget } from "../../src/messaging/outbox/queue_model.ts";
import type { OutboxMessage, StoredWork } from "../../src/messaging/outbox/stored_work.ts";
import { recordingLog } from "./channels.ts";

const HOUR_MS = 60 * 60 * 1000;
const away = () => Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }));

/** Some turns of the event loop, until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 500 && !isSo(); turns++) await new Promise((go) => setTimeout(go, 0));
}

let count = 0;

function message(more: Partial<OutboxMessage> = {}, work: Partial<StoredWork> = {}): OutboxMessage {
  const [ID, now] = [`m${++count}`, new Date().toISOString()];
  return {
    ...{ ID, target: "messaging", timestamp: now, attempts: 0, partition: 0, task: null, due: now },
    ...{ lastError: null, lastAttemptTimestamp: null, status: null },
    work: { service: "messaging", kind: "publish", event: "e", data: ID, ...work },
    ...more,
  };
}

const messages = (size: number) => Array.from({ length: size }, () => message());

/** A worker, what it asked of its store, and what it logged. `claims`: what each claim gives, given its limit. */
function open(
  claims: readonly ((limit: number) => readonly OutboxMessage[])[],
  target: Partial<QueueTarget> = {},
  more: Partial<DispatcherOptions> = {},
) {
  const limits: number[] = [];
  const steps: string[] = [];
  const back: Record<string, unknown>[] = [];
  const log = recordingLog();
  const store = {
    leaseMs: 60_000,
    claim: (_: string, limit: number, done: readonly string[]) => {
      limits.push(limit);
      const found = claims[limits.length - 1]?.(limit) ?? [];
      steps.push(`claim ${found.length} done ${done.length}`);
      return Promise.resolve({ messages: found, characters: 10 * found.length });
    },
    remove: (ids: readonly string[]) => Promise.resolve(void steps.push(`remove ${ids.length}`)),
    giveBack: (ids: readonly string[], changes?: Record<string, unknown>) => {
      if (ids.length > 0) {
        steps.push(`give back ${ids.length}`);
        back.push({ ...changes });
      }
      return Promise.resolve();
    },
    renew: () => Promise.resolve(),
    settleHere: (_: string) => Promise.resolve(true),
  };
  const dispatcher = new Dispatcher({
    target: "messaging",
    store: store as unknown as MessageStore,
    connect: () =>
      Promise.resolve({ publish: () => Promise.resolve(), handle: () => Promise.resolve(), ...target }),
    rules: { maxAttempts: 3, maxAgeMs: HOUR_MS },
    retryDelayMs: () => HOUR_MS,
    root: { log },
    ...more,
  });
  /** Lets it work until there is nothing to do now. */
  const work = async () => {
    dispatcher.wake();
    await dispatcher.idle();
  };
  return { dispatcher, store, limits, steps, back, lines: log.lines, work };
}

Deno.test("chunks grow behind full ones of which nothing is left, and behind no others", async () => {
  const { now } = performance;
  performance.now = () => 0;
  try {
    const full = (limit: number) => messages(limit);
    const grown = open([full, full, full, full]);
    await grown.work();
    assert.deepEqual(grown.limits, [10, 10, 20, 40, 80]);
    const small = open(Array(5).fill(() => messages(3)));
    for (let turn = 0; turn < 5; turn++) await small.work();
    assert.deepEqual(small.limits, [10, 10, 10, 10, 10]);
  } finally {
    performance.now = now;
  }
});

Deno.test("what is left of a chunk behind which the channel went away goes back", async () => {
  const { dispatcher, limits, steps, work } = open([(limit) => messages(limit)], {
    publish: (works) => works.length > 1 ? Promise.reject(new Error("no")) : away(),
  });
  await work();
  assert.deepEqual([limits, steps], [[10], ["claim 10 done 0", "give back 10"]]);
  await dispatcher.stop();
});

Deno.test("rows that are done go with the next claim, or by themselves where none comes", async () => {
  const { dispatcher, steps, work } = open([(limit) => messages(limit), () => messages(2), () => []]);
  await work();
  assert.deepEqual(steps, ["claim 10 done 0", "claim 2 done 10", "remove 2"]);
  await work();
  assert.deepEqual(steps.slice(3), ["claim 0 done 0"]);
  await dispatcher.stop();
});

Deno.test("whoever waits for messages goes on when they are removed, or are not there to be claimed", async () => {
  const [one, other] = messages(2);
  const { dispatcher, steps } = open([() => [one!]]);
  await dispatcher.published([one!.ID]);
  assert.deepEqual(steps, ["claim 1 done 0", "remove 1"]);
  await dispatcher.idle();
  await dispatcher.published([other!.ID]);
  assert.deepEqual(steps, ["claim 1 done 0", "remove 1", "claim 0 done 0"]);
  await dispatcher.stop();
  await dispatcher.published(["behind the end"]);
  assert.equal(steps.length, 3);
});

Deno.test("while a channel is away one row is claimed at a time, nobody waits for it, and no attempt counts", async () => {
  let isAway = true;
  const chunk = () => messages(2);
  const { dispatcher, limits, steps, back, lines } = open([chunk, () => messages(1), () => messages(1)], {
    publish: () => isAway ? away() : Promise.resolve(),
  }, { retryDelayMs: () => 1 });
  await dispatcher.published(["m"]);
  await dispatcher.published(["m"]);
  await until(() => limits.length >= 2);
  isAway = false;
  await until(() => limits.length >= 4);
  await dispatcher.idle();
  assert.deepEqual(limits, [10, 1, 1, 10]);
  assert.deepEqual([back.slice(0, 2), steps.slice(0, 4)], [[{}, {}], [
    ...["claim 2 done 0", "give back 2", "claim 1 done 0", "give back 1"],
  ]]);
  assert.deepEqual(lines.map(([text, error]) => [text, error instanceof Error]), [
    ["The channel of messaging cannot be reached, messages wait:", true],
  ]);
  await dispatcher.stop();
});

const DAY_AGO = new Date(Date.now() - 24 * HOUR_MS).toISOString();
const failing = {
  publish: () => Promise.reject(new Error("no")),
  handle: () => Promise.reject(new Error("no")),
};
const never = Object.assign(new Error("never"), { unrecoverable: true });
const HANDLED = { service: "messaging", kind: "emit" } as const;

const GIVEN_UP: readonly [
  what: string,
  row: OutboxMessage,
  target: Partial<QueueTarget>,
  end: { readonly attempts: number; readonly status?: string },
][] = [
  ["refused once", message(), failing, { attempts: 1 }],
  ["refused often, but young", message({ attempts: 7 }), failing, { attempts: 8 }],
  ["old, but not refused often", message({ attempts: 1, timestamp: DAY_AGO }), failing, { attempts: 2 }],
  ["old and refused often", message({ attempts: 2, timestamp: DAY_AGO }), failing, {
    attempts: 3,
    status: "dead",
  }],
  ["refused for good", message(), { publish: () => Promise.reject(never) }, { attempts: 1, status: "dead" }],
  ["a failed call", message({ attempts: 1 }, HANDLED), failing, { attempts: 2 }],
  ["a call that failed often", message({ attempts: 2 }, HANDLED), failing, { attempts: 3, status: "dead" }],
  [
    "a call that failed often enough for its service",
    message({}, HANDLED),
    { ...failing, rules: { maxAttempts: 1 } },
    { attempts: 1, status: "dead" },
  ],
  [
    "a repeated call that failed often",
    message({ attempts: 2 }, { ...HANDLED, every: 2 * HOUR_MS }),
    failing,
    { attempts: 0 },
  ],
];

for (const [what, row, target, end] of GIVEN_UP) {
  Deno.test(`work that fails comes again after its pause or is given up (messaging 6.4): ${what}`, async () => {
    const { dispatcher, back, lines, work } = open([() => [row]], target);
    const begin = Date.now();
    await work();
    await dispatcher.stop();
    const [{ due, lastError, lastAttemptTimestamp, ...rest }, ...others] = back;
    assert.deepEqual([rest, others], [end, []]);
    assert.match(String(lastError), /^Error: (no|never)/);
    assert.ok(Date.parse(String(lastAttemptTimestamp)) >= begin);
    const isDead = end.status === "dead";
    if (isDead) assert.equal(due, undefined);
    else {
      const pauseMs = row.work?.every ?? HOUR_MS;
      const passed = Date.parse(String(due)) - begin;
      assert.ok(passed >= pauseMs && passed < pauseMs + HOUR_MS, String(passed));
    }
    const kind = row.work?.kind === "publish" ? "Publishing" : "Handling";
    const isLast = isDead || end.attempts === 0;
    assert.deepEqual(lines.map(([text]) => text), [
      `${kind} e of messaging failed, attempt ${row.attempts + 1}${isLast ? ", given up" : ""}:`,
    ]);
  });
}

Deno.test("all work for a service that does not exist is given up", async () => {
  const { back, steps, work } = open([() => messages(2)], {}, {
    connect: () => Promise.reject(new ConfigurationError("There is no service messaging")),
  });
  await work();
  assert.deepEqual(back.map(({ status, attempts }) => [status, attempts]), [["dead", 1], ["dead", 1]]);
  assert.deepEqual(steps, ["claim 2 done 0", "give back 1", "give back 1"]);
});

Deno.test("a worker whose rows cannot be claimed says so, lets nobody wait, and looks again after its first pause", async () => {
  const asked: number[] = [];
  const broken = () => {
    throw new Error("busy");
  };
  const { dispatcher, steps, lines } = open([broken], {}, {
    retryDelayMs: (attempts) => (asked.push(attempts), 1),
  });
  assert.equal(dispatcher.hasFailed, false);
  await dispatcher.published(["m"]);
  await dispatcher.idle();
  await until(() => steps.length >= 1);
  assert.deepEqual([asked, dispatcher.hasFailed, steps], [[1], true, ["claim 0 done 0"]]);
  assert.deepEqual(lines.map(([text]) => text), ["Cannot work on the outbox of messaging:"]);
  await dispatcher.stop();
});

Deno.test("behind a full chunk that was given up more is looked for", async () => {
  const { limits, work } = open([(limit) => messages(limit)], {}, {
    connect: () => Promise.reject(new ConfigurationError("There is no service messaging")),
  });
  await work();
  assert.deepEqual(limits, [10, 10]);
});

Deno.test("a chunk that had grown and is refused goes back, and is claimed again in small ones", async () => {
  const { now } = performance;
  performance.now = () => 0;
  try {
    const full = (limit: number) => messages(limit);
    const { limits, steps, lines, work } = open([full, full, full], {
      publish: (works) => works.length > 10 ? Promise.reject(new Error("no")) : Promise.resolve(),
    });
    await work();
    assert.deepEqual([limits, steps], [[10, 10, 20, 10], [
      ...["claim 10 done 0", "claim 10 done 10", "claim 20 done 10", "give back 20", "claim 0 done 0"],
    ]]);
    assert.deepEqual(lines, []);
  } finally {
    performance.now = now;
  }
});

Deno.test("a small chunk that is refused is published one by one: each that is taken is removed, the others come again", async () => {
  const [first, second, third] = messages(3);
  const refuses = (works: readonly StoredWork[]) => works.some(({ data }) => data === second!.ID);
  const { steps, back, work } = open([() => [first!, second!, third!]], {
    publish: (works) => refuses(works) ? Promise.reject(new Error("no")) : Promise.resolve(),
  });
  await work();
  assert.deepEqual(steps.toSorted(), ["claim 3 done 0", "give back 1", "remove 1", "remove 1"]);
  assert.deepEqual(back.map(({ attempts }) => attempts), [1]);
});

Deno.test("behind a message that fails those of its key wait, unless it is given up", async () => {
  for (const [error, expected] of [[new Error("no"), []], [never, ["second"]]] as const) {
    const done: unknown[] = [];
    const rows = ["first", "second"].map((data) => message({ partition: 7 }, { ...HANDLED, data }));
    const { steps, work } = open([() => rows], {
      handle: ({ data }) => data === "first" ? Promise.reject(error) : Promise.resolve(void done.push(data)),
    });
    await work();
    assert.deepEqual(done, expected);
    assert.deepEqual(steps.filter((step) => step.startsWith("give back")).length, 2 - expected.length);
  }
});

Deno.test("a handler whose row somebody else has by now is undone, and no failure counts", async () => {
  const seen: unknown[] = [];
  const row = message({}, HANDLED);
  for (const isOwn of [true, false]) {
    const { lines, back, work, store } = open([() => [row]], {
      handle: ({ data }) => Promise.resolve(void seen.push(data)),
    });
    store.settleHere = (id) => Promise.resolve(id === row.ID && isOwn);
    await work();
    assert.deepEqual([lines, back], [[], isOwn ? [] : [{}]]);
  }
  assert.deepEqual(seen, [row.ID, row.ID]);
});

Deno.test("work that failed is looked for by itself when its pause is over, and a repeated call when its next run is due", async () => {
  const cases = [
    [message(), failing],
    [message({}, { ...HANDLED, every: 1 }), { handle: () => Promise.resolve() }],
  ] as const;
  for (const [row, target] of cases) {
    const { dispatcher, limits, work } = open([() => [row]], target, { retryDelayMs: () => 1 });
    await work();
    await until(() => limits.length >= 2);
    assert.equal(limits.length, 2);
    await dispatcher.stop();
  }
});

Deno.test("a worker is idle when what it has done is removed", async () => {
  const { steps, work, store } = open([() => messages(1)]);
  store.remove = async (ids) => {
    await new Promise((go) => setTimeout(go, 0));
    steps.push(`removed ${ids.length}`);
  };
  await work();
  assert.deepEqual(steps, ["claim 1 done 0", "removed 1"]);
});

Deno.test("the service of work is found by the name that is stored with it; of what cannot be read, by that of its target", async () => {
  const target = "messaging/broker";
  const unreadable = message({ target, work: undefined });
  const row = message({ target }, { channel: "broker" });
  for (
    const [rows, expected] of [[[row], "messaging"], [[unreadable, row], "messaging"], [
      [unreadable],
      target,
    ]] as const
  ) {
    const asked: string[] = [];
    const { work, back } = open([() => rows], {}, {
      target,
      connect: (name) => {
        asked.push(name);
        return Promise.resolve({ publish: () => Promise.resolve(), handle: () => Promise.resolve() });
      },
    });
    await work();
    assert.deepEqual(asked, [expected]);
    assert.deepEqual(
      back.map(({ status }) => status),
      rows.some((one) => one === unreadable) ? ["dead"] : [],
    );
  }
});

Deno.test("a worker tells which contexts are those of its work, or inside of it", async () => {
  const seen: boolean[] = [];
  const { dispatcher, work } = open([() => [message({}, HANDLED)]], {
    handle: () => {
      const own = currentContext()!;
      for (const one of [own, new EventContext({}, own), new EventContext({})]) {
        seen.push(dispatcher.isAtWorkIn(one));
      }
      return Promise.resolve();
    },
  });
  await work();
  assert.deepEqual(seen, [true, true, false]);
});

Deno.test("a worker that is woken for later waits until then; one that is woken at work looks again", async () => {
  const { dispatcher, limits } = open([() => (dispatcher.wake(), []), () => []]);
  dispatcher.wake(1);
  await dispatcher.idle();
  assert.equal(limits.length, 0);
  await until(() => limits.length >= 2);
  await dispatcher.idle();
  assert.equal(limits.length, 2);
});

Deno.test("work gathers for a millisecond before it is claimed, and gives way for half of its time", async () => {
  const [{ setTimeout }, { now }] = [globalThis, performance];
  const held: { readonly ms: number; readonly go: () => void }[] = [];
  let ms = 0;
  performance.now = () => ms += 100;
  globalThis.setTimeout = ((go: () => void, ms = 0) => held.push({ ms, go })) as unknown as typeof setTimeout;
  try {
    const { dispatcher, steps } = open([(limit) => messages(limit)]);
    const settled = async () => {
      for (let step = 0; step < 100; step++) await Promise.resolve();
      return [held.filter(({ ms }) => ms > 0).map(({ ms }) => ms), steps.length];
    };
    dispatcher.wake();
    const seen: unknown[] = [await settled()];
    for (const pauseMs of [1, 50]) {
      held.find(({ ms }) => ms === pauseMs)?.go();
      seen.push(await settled());
    }
    assert.deepEqual(seen, [[[1], 0], [[1, 50], 1], [[1, 50], 2]]);
  } finally {
    performance.now = now;
    globalThis.setTimeout = setTimeout;
  }
});

Deno.test("what was done last gathers with more work for five milliseconds before it is removed", async () => {
  const { setTimeout } = globalThis;
  const pauses: number[] = [];
  globalThis.setTimeout = ((go: () => void, ms = 0) => {
    if (ms > 0) pauses.push(ms);
    return setTimeout(go, ms);
  }) as typeof setTimeout;
  try {
    const [idle, busy] = [open([]), open([() => messages(2)])];
    await idle.work();
    assert.deepEqual(pauses, [1]);
    await busy.work();
    assert.deepEqual(pauses, [1, 1, 5]);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});

Deno.test("a lease is renewed no more when its chunk is settled", async () => {
  const { setInterval, clearInterval } = globalThis;
  const renewing = new Set<number>();
  let count = 0;
  globalThis.setInterval = (() => (renewing.add(++count), count)) as unknown as typeof setInterval;
  globalThis.clearInterval =
    ((timer: number) => void renewing.delete(timer)) as unknown as typeof clearInterval;
  try {
    const { work } = open([() => messages(2)]);
    await work();
    assert.deepEqual([count, renewing.size], [1, 0]);
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
});
