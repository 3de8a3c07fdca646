/** Which parts of a runtime `/ready` looks at, and what is told of them. */

import assert from "node:assert/strict";
import { RuntimeReadiness } from "../../src/fw/readiness.ts";
import type { RuntimeParts } from "../../src/fw/runtime_parts.ts";
import { MessagingService } from "../../src/messaging/messaging_service.ts";

interface Given {
  /** Ages of the oldest messages of targets in the outbox, in milliseconds; none: there is no outbox. */
  readonly ages?: readonly number[];
  readonly limit?: number;
  /** Whether channels are away, by name. */
  readonly away?: Readonly<Record<string, boolean | undefined>>;
  readonly replicas?: readonly boolean[];
  readonly fails?: unknown;
  /** Answers statements of the only database; without it tenants have their own ones. */
  readonly sql?: (text: string) => Promise<unknown>;
}

/** A channel that can tell whether its broker is away, and a service in front of it. */
function messagingOf(name: string, isAway: boolean | undefined): MessagingService {
  const channel = { kind: "nats-messaging", isAway: isAway === undefined ? undefined : () => isAway };
  return Object.create(MessagingService.prototype, { name: { value: name }, channel: { value: channel } });
}

/** The readiness of parts that may change, with what is logged and which streams end. */
function readinessOf(given: Given) {
  const parts = { ...given };
  const told: string[] = [];
  let asked = 0;
  const log = {
    info: (text: string) => told.push(`info ${text}`),
    warn: (text: string) => told.push(`warn ${text}`),
  };
  const states = () => {
    asked++;
    if (parts.fails !== undefined) return Promise.reject(parts.fails);
    return Promise.resolve(parts.ages!.map((oldestAgeMs) => ({ oldestAgeMs })));
  };
  const replicas = given.replicas?.map((isUsed) => ({ isUsed }));
  const services = () =>
    Object.fromEntries(
      Object.entries(parts.away ?? {}).map(([name, away]) => [name, messagingOf(name, away)]),
    );
  const runtime = {
    env: {
      requires: { multitenancy: given.sql === undefined },
      server: given.limit === undefined ? undefined : { ready: { outbox_age_ms: given.limit } },
    },
    db: (replicas || given.sql) && {
      opened: () => replicas && { state: () => Promise.resolve({ replicas }) },
      withEngine: (work: (engine: object) => unknown) => work({ sql: given.sql }),
      rootOptions: { log },
    },
    queue: given.ages && { states },
    get services() {
      return { ...services(), other: {} };
    },
    log: () => log,
    live: { streams: { end: () => told.push("streams ended") } },
  } as unknown as RuntimeParts;
  return {
    readiness: new RuntimeReadiness(runtime),
    parts: parts as { -readonly [K in keyof Given]: Given[K] },
    told,
    asked: () => asked,
  };
}

const MINUTES = 60_000;

Deno.test("a runtime is ready where all of its parts are; replicas are told, but nothing depends on them", async () => {
  const up = { status: "UP" } as const;
  const down = { status: "DOWN" } as const;
  const cases: readonly [Given, object, readonly string[]][] = [
    [{}, { ...up, checks: {} }, []],
    [{ ages: [] }, { ...up, checks: { outbox: "UP" } }, []],
    [{ ages: [15 * MINUTES, 3] }, { ...up, checks: { outbox: "UP" } }, []],
    [{ ages: [1, 15 * MINUTES + 600] }, { ...down, checks: { outbox: "DOWN" } }, [
      "warn not ready: outbox: the oldest message waits for 901 s",
    ]],
    [{ ages: [], limit: 0 }, { ...up, checks: { outbox: "UP" } }, []],
    [{ ages: [99], limit: 100 }, { ...up, checks: { outbox: "UP" } }, []],
    [{ ages: [1400], limit: 100 }, { ...down, checks: { outbox: "DOWN" } }, [
      "warn not ready: outbox: the oldest message waits for 1 s",
    ]],
    [{ ages: [], fails: new Error("database is away") }, { ...down, checks: { outbox: "DOWN" } }, [
      "warn not ready: outbox: database is away",
    ]],
    [{ ages: [], fails: "a text" }, { ...down, checks: { outbox: "DOWN" } }, [
      "warn not ready: outbox: a text",
    ]],
    [{ away: { news: false, plain: undefined } }, { ...up, checks: { news: "UP" } }, []],
    [{ away: { news: true, mail: false, more: true } }, {
      ...down,
      checks: { news: "DOWN", mail: "UP", more: "DOWN" },
    }, [
      "warn not ready: news: nats-messaging cannot be reached; more: nats-messaging cannot be reached",
    ]],
    [{ replicas: [true, false] }, { ...up, checks: { "replica 1": "UP", "replica 2": "DOWN" } }, []],
  ];
  for (const [given, state, log] of cases) {
    const { readiness, told } = readinessOf(given);
    assert.deepEqual(await readiness.state(), state, JSON.stringify(given));
    assert.deepEqual(told, log);
  }
});

Deno.test("an answer counts for a second; each reason is logged once, and that all is well again", async () => {
  const { now } = performance;
  let at = 10_000;
  performance.now = () => at;
  try {
    const { readiness, parts, told, asked } = readinessOf({ ages: [], limit: 100 });
    const look = async (passed: number) => {
      at += passed;
      return [(await readiness.state()).status, asked()];
    };
    assert.deepEqual([await look(0), await look(1_000)], [["UP", 1], ["UP", 1]]);
    parts.ages = [2_000];
    assert.deepEqual(await look(1), ["DOWN", 2]);
    assert.deepEqual(await look(1_001), ["DOWN", 3]);
    parts.ages = [0];
    assert.deepEqual([await look(1_000), await look(1)], [["DOWN", 3], ["UP", 4]]);
    assert.deepEqual(told, ["warn not ready: outbox: the oldest message waits for 2 s", "info ready again"]);
  } finally {
    performance.now = now;
  }
});

Deno.test("a runtime that drains is not ready from then on, and ends its streams", async () => {
  const { readiness, told, asked } = readinessOf({ ages: [] });
  assert.equal((await readiness.state()).status, "UP");
  readiness.drain();
  assert.deepEqual(await readiness.state(), { status: "DOWN", checks: { process: "DOWN" } });
  assert.deepEqual([told, asked()], [["streams ended"], 1]);
});

Deno.test("a database is ready where a connection answers, its replicas are told beside it", async () => {
  const asked: string[] = [];
  const sql = (text: string) => Promise.resolve(void asked.push(text));
  assert.deepEqual(await readinessOf({ sql, replicas: [false] }).readiness.state(), {
    ...{ status: "UP", checks: { database: "UP", "replica 1": "DOWN" } },
  });
  assert.deepEqual(asked, ["SELECT 1"]);
  const { readiness, told } = readinessOf({ sql: () => Promise.reject(new Error("no route")) });
  assert.deepEqual(await readiness.state(), { status: "DOWN", checks: { database: "DOWN" } });
  assert.deepEqual(told, ["warn not ready: database: no route"]);
});

Deno.test("a part that does not answer within two seconds is not ready; timers end with the answers", async () => {
  const { setTimeout, clearTimeout } = globalThis;
  const timers: { readonly act: () => void; readonly ms: number; isOn: boolean }[] = [];
  globalThis.setTimeout =
    ((act: () => void, ms: number) => timers.push({ act, ms, isOn: true }) - 1) as never;
  globalThis.clearTimeout = ((id: number) => void (timers[id]!.isOn = false)) as never;
  try {
    await readinessOf({ sql: () => Promise.resolve() }).readiness.state();
    assert.deepEqual(timers.map(({ ms, isOn }) => [ms, isOn]), [[2_000, false]]);
    const { readiness, told } = readinessOf({ sql: () => new Promise(() => {}) });
    const state = readiness.state();
    timers[1]!.act();
    assert.deepEqual(await state, { status: "DOWN", checks: { database: "DOWN" } });
    assert.deepEqual(told, ["warn not ready: database: no answer within 2 s"]);
    assert.equal(timers[1]!.isOn, false);
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  }
});
