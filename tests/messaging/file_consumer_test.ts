import assert from "node:assert/strict";
import { type BoxPaths, openBox, segmentPath } from "../../src/messaging/file/box.ts";
import { type Cursor, readCursor, type Retry } from "../../src/messaging/file/cursor.ts";
import { createFileChannel } from "../../src/messaging/file/file_channel.ts";
import type { Delivery } from "../../src/messaging/channel.ts";
import { eventually } from "../contract/channel.ts";
import { withClock } from "../security/clock.ts";
import { channelOptions, recordingLog } from "./channels.ts";
import { boxLines, inFolder } from "./services.ts";

const LONG_MS = 60_000;

/** A line with its line break. */
const line = (data: unknown, key?: string) =>
  `t ${JSON.stringify({ data, headers: key === undefined ? {} : { partitionkey: key } })}\n`;

const retry = (data: unknown, given: Partial<Retry> = {}): Retry => ({
  ...{ line: line(data, given.key).trim(), deliveries: 1, due: 0, ...given },
});

/** What a test says about a box and its only group, `g`. */
interface Setting {
  /** The text of the box, and of its first segment. */
  readonly box?: string;
  readonly segment?: string;
  /** Where the group is. */
  readonly cursor?: Partial<Cursor>;
  /** How a delivery is settled; default: acknowledged. */
  readonly settle?: (delivery: Delivery, paths: BoxPaths) => unknown;
  readonly concurrency?: number;
}

/** Reads a box as group `g`. */
async function reading(
  { box = "", segment, cursor, settle = ({ ack }) => ack(), concurrency = 1 }: Setting,
  run: (reader: {
    readonly got: unknown[];
    readonly paths: BoxPaths;
    readonly log: ReturnType<typeof recordingLog>;
    readonly end: () => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const paths = openBox(`${folder}/box`);
    Deno.writeTextFileSync(paths.box, box);
    if (segment !== undefined) Deno.writeTextFileSync(segmentPath(paths, 1), segment);
    if (cursor) {
      const whole = { topics: ["t"], offsets: {}, retries: [], ...cursor };
      Deno.writeTextFileSync(`${paths.folder}/g.cur`, JSON.stringify(whole));
    }
    const log = recordingLog();
    const channel = createFileChannel({
      ...channelOptions({ file: paths.box, maxMessageBytes: 100_000 }),
      log,
    });
    const got: unknown[] = [];
    await channel.subscribe({ group: "g", topics: ["t"], concurrency }, async (delivery) => {
      got.push(delivery.message.data);
      await settle(delivery, paths);
    });
    let isOver = false;
    const end = async () => {
      if (!isOver) await channel.close();
      isOver = true;
    };
    try {
      await run({ got, paths, log, end });
    } finally {
      await end();
    }
  });
}

/** The members of the messages that wait which a test compares. */
const waiting = (cursor: Cursor | undefined) =>
  cursor!.retries.map((
    { line, key, deliveries, due },
  ) => [JSON.parse(line.slice(2)).data, key, deliveries, due]);

Deno.test("what waits behind a message of its key is delivered with it when that is acknowledged or given up", async () => {
  for (const how of ["ack", "dead"] as const) {
    await reading({
      box: line("k2", "k") + line("other"),
      cursor: { retries: [retry("k1", { key: "k" })] },
      settle: ({ ack, nack, message }) =>
        message.data === "k1" && how === "dead" ? nack({ dead: true }) : ack(),
    }, async ({ got, end, paths }) => {
      await eventually(() => got.length === 3);
      await end();
      assert.deepEqual(got, ["k1", "k2", "other"]);
      assert.deepEqual(readCursor(paths, "g")!.retries, []);
    });
  }
});

Deno.test("messages of a key stay behind one that waits, undelivered; others pass", () =>
  withClock(async () => {
    const later = Date.now() + LONG_MS;
    await reading({
      box: line("k2", "k") + line("l1", "l") + line("l2", "l") + line("other"),
      cursor: { retries: [retry("k1", { key: "k" })] },
      settle: ({ ack, nack, message }) =>
        String(message.data).endsWith("1") ? nack({ delayMs: LONG_MS }) : ack(),
    }, async ({ got, end, paths }) => {
      await eventually(() => got.includes("other"));
      await end();
      assert.deepEqual(got, ["k1", "l1", "other"]);
      assert.deepEqual(waiting(readCursor(paths, "g")), [
        ["k1", "k", 2, later],
        ["k2", "k", 0, Date.now()],
        ["l1", "l", 1, later],
        ["l2", "l", 0, Date.now()],
      ]);
    });
  }));

Deno.test("of several messages of a key that wait each has its turn, in order, before what is new", () =>
  reading({
    box: line("k3", "k") + line("other") + line("k4", "k"),
    cursor: { retries: [retry("k1", { key: "k" }), retry("k2", { key: "k" })] },
  }, async ({ got }) => {
    await eventually(() => got.length === 5);
    assert.deepEqual(got, ["k1", "other", "k2", "k3", "k4"]);
  }));

Deno.test("what a receiver throws before it settles, or does not settle, comes again after a second", async () => {
  const settles = [() => Promise.reject(new Error("no")), () => {}, ({ nack }: Delivery) => nack()];
  for (const settle of settles) {
    await withClock(() =>
      reading({ box: line(1), settle }, async ({ got, end, paths }) => {
        await eventually(() => got.length === 1);
        await end();
        assert.deepEqual(waiting(readCursor(paths, "g")), [[1, undefined, 1, Date.now() + 1_000]]);
      })
    );
  }
});

Deno.test("a delivery is settled once: what comes first counts", () =>
  reading({
    box: line(1),
    settle: async ({ ack, nack, extend }) => {
      await extend();
      await ack();
      await nack();
      throw new Error("too late");
    },
  }, async ({ got, end, paths }) => {
    await eventually(() => got.length === 1);
    await end();
    assert.deepEqual(readCursor(paths, "g")!.retries, []);
  }));

Deno.test("after a second a turn ends: what was done is stored, with the bad lines before it", () =>
  withClock(async (forward) => {
    for (const [ms, isStored] of [[1_001, true], [500, false]] as const) {
      const first = `t {\n${line(1)}t [\n`;
      const seen: unknown[] = [];
      await reading({
        segment: first,
        box: `t 5\n${line(2)}t 6\n${line(3)}`,
        settle: ({ ack, message }, paths) => {
          if (message.data !== 1) {
            const { offsets, box } = readCursor(paths, "g") ?? {};
            seen.push([message.data, offsets, box?.segment, boxLines(`${paths.folder}/g.bad`)]);
          }
          forward(ms);
          return ack();
        },
      }, async ({ got, end, paths }) => {
        await eventually(() => got.length === 3);
        await end();
        const one = line(1).length;
        const done = [2, { 1: 4 + one }, 2, ["t {"]];
        const more = [3, { 1: first.length, 2: 4 + one }, 2, ["t {", "t [", "t 5"]];
        const nothing = [undefined, undefined, []];
        assert.deepEqual(seen, isStored ? [done, more] : [[2, ...nothing], [3, ...nothing]]);
        assert.deepEqual(boxLines(`${paths.folder}/g.bad`), ["t {", "t [", "t 5", "t 6"]);
        assert.deepEqual(got, [1, 2, 3]);
      });
    }
  }));

Deno.test("a group that catches up goes on there when its turn ended amid of it", () =>
  withClock(async (forward) => {
    const box = line(1) + line(2);
    const offsets = { 1: box.length };
    const seen: unknown[] = [];
    await reading({
      box,
      cursor: { offsets, catchUp: { topics: ["t"], except: [], offsets: {} } },
      settle: ({ ack }, paths) => {
        const cursor = readCursor(paths, "g")!;
        seen.push([cursor.offsets, cursor.catchUp?.offsets, cursor.box]);
        forward(2_000);
        return ack();
      },
    }, async ({ got, end, paths }) => {
      await eventually(() => got.length === 2);
      await end();
      assert.deepEqual(seen, [[offsets, {}, undefined], [offsets, { 1: line(1).length }, undefined]]);
      assert.equal(readCursor(paths, "g")!.catchUp, undefined);
    });
  }));

Deno.test("a bad line is set aside as it is, however long it is, and told with its place", () =>
  reading({ box: `${line(1)}t ${"x".repeat(200_000)}\n${line(2)}` }, async ({ got, log, paths }) => {
    await eventually(() => got.length === 2);
    const path = `${paths.folder}/g.bad`;
    await eventually(() => log.lines.length > 0);
    assert.equal(Deno.readTextFileSync(path), `t ${"x".repeat(200_000)}\n`);
    const place = `Line at ${line(1).length} of segment 1 of ${paths.box} set aside in ${path}`;
    assert.deepEqual(log.lines, [[`${place}: 200002 bytes, the limit is 100000`]]);
  }));

Deno.test("a dead letter is told with its reason and its place", () =>
  reading(
    { box: line(1), settle: ({ nack }) => nack({ dead: true, reason: "no use" }) },
    async ({ log, paths }) => {
      await eventually(() => log.lines.length > 0);
      const path = `${paths.folder}/g.dead`;
      assert.deepEqual(log.lines, [[`Gave up message t after 1 deliveries, see ${path}: no use`]]);
      assert.equal(boxLines(path).length, 1);
    },
  ));

Deno.test("a box that cannot be read is told of once, and when it can be read again", () =>
  reading({}, async ({ got, log, paths }) => {
    const cursor = `${paths.folder}/g.cur`;
    await eventually(() => readCursor(paths, "g") !== undefined);
    Deno.writeTextFileSync(cursor, "{");
    for (let n = 1; n < 4; n++) {
      Deno.writeTextFileSync(paths.box, line(n), { append: true });
      await new Promise((go) => setTimeout(go, 60));
    }
    await eventually(() => log.lines.length > 0);
    Deno.removeSync(cursor);
    await eventually(() => got.length === 3);
    const [[error, cause], [info], ...more] = log.lines;
    assert.deepEqual([got, more], [[1, 2, 3], []]);
    assert.equal(error, `Group 'g' cannot go on to read the message box ${paths.box}, tries again:`);
    assert.match(String(cause), /is no cursor of a message box/);
    assert.equal(info, `Group 'g' goes on to read the message box ${paths.box}`);
  }));

/** Runs a test that sees the milliseconds of all pauses; those of its own are shorter than one of a reader. */
async function withPauses(run: (pauses: number[]) => Promise<void>): Promise<void> {
  const { setTimeout } = globalThis;
  const pauses: number[] = [];
  globalThis.setTimeout = ((handler: () => void, ms?: number) => {
    if (ms !== undefined && ms !== 5) pauses.push(ms);
    return setTimeout(handler, Math.min(5, ms ?? 0));
  }) as typeof setTimeout;
  try {
    await run(pauses);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

Deno.test("a group looks again twice a second, or when the next message is due", () =>
  withClock(async () => {
    const now = Date.now();
    for (const [due, ms] of [[undefined, 500], [now + 300, 300], [now + 501, 500], [now + 1, 1]] as const) {
      const retries = due === undefined ? [] : [retry(1, { due })];
      await withPauses((pauses) =>
        reading({ cursor: { retries } }, async () => {
          await eventually(() => pauses.length > 1);
          assert.deepEqual(new Set(pauses), new Set([ms]));
        })
      );
    }
  }));

Deno.test("while another instance has its turn it is asked for again after 40 ms", () =>
  inFolder((folder) =>
    withPauses(async (pauses) => {
      const paths = openBox(`${folder}/box`);
      using lock = Deno.openSync(`${paths.folder}/g.lock`, { create: true, write: true });
      lock.lockSync(true);
      const channel = createFileChannel(channelOptions({ file: paths.box }));
      await channel.subscribe({ group: "g", topics: ["t"], concurrency: 1 }, ({ ack }) => ack());
      await eventually(() => pauses.length > 1);
      assert.deepEqual(new Set(pauses), new Set([40]));
      await channel.close();
    })
  ));

Deno.test("after a turn of more than 200 ms other instances get a moment to begin theirs, after others none", async () => {
  const { setTimeout, setInterval } = globalThis;
  const { now } = performance;
  let at = 1_000_000;
  let pauses: (number | undefined)[] = [];
  const seen: unknown[] = [];
  const { promise: end, resolve } = Promise.withResolvers<void>();
  performance.now = () => at;
  globalThis.setTimeout = ((handler: () => void, ms?: number) => {
    pauses.push(ms);
    return setTimeout(handler, ms);
  }) as typeof setTimeout;
  // nothing wakes the reader
  globalThis.setInterval = (() => 0) as unknown as typeof setInterval;
  try {
    await reading({
      box: line(0),
      settle: ({ message: { data }, ack }, { box }) => {
        seen.push(pauses);
        pauses = [];
        at += data === 0 ? 201 : 200;
        if (data === 2) resolve();
        else Deno.writeTextFileSync(box, line(Number(data) + 1), { append: true });
        return ack();
      },
    }, () => end);
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval });
    performance.now = now;
  }
  assert.deepEqual(seen, [[], [5], []]);
});

Deno.test("as many messages are handled at once as a subscription says, the next when one of them is settled", async () => {
  for (const concurrency of [1, 2, 3]) {
    const gates: (() => void)[] = [];
    await reading({
      box: [1, 2, 3, 4].map((n) => line(n)).join(""),
      concurrency,
      settle: async ({ ack }) => {
        await new Promise<void>((resolve) => gates.push(resolve));
        await ack();
      },
    }, async ({ got, paths }) => {
      for (let handled = concurrency; handled <= 4; handled++) {
        await eventually(() => gates.length === handled);
        for (let step = 0; step < 20; step++) await Promise.resolve();
        assert.equal(got.length, handled, `at once: ${concurrency}`);
        gates[handled - concurrency]!();
      }
      for (const open of gates) open();
      await eventually(() => readCursor(paths, "g")?.retries.length === 0);
    });
  }
});

Deno.test("however many are handled at once, of one key it is one at a time, in order; others pass (messaging 2)", async () => {
  const gates = new Map<unknown, () => void>();
  let isOpen = false;
  await reading({
    box: line("k1", "k") + line("k2", "k") + line("l1", "l") + line("other") + line("another"),
    concurrency: 9,
    settle: async ({ ack, message }) => {
      if (!isOpen) await new Promise<void>((resolve) => gates.set(message.data, resolve));
      await ack();
    },
  }, async ({ got, paths }) => {
    try {
      await eventually(() => gates.size >= 4);
      for (let step = 0; step < 20; step++) await Promise.resolve();
      assert.deepEqual(got, ["k1", "l1", "other", "another"]);
      gates.get("k1")!();
      await eventually(() => gates.size === 5);
      assert.equal(got.at(-1), "k2");
    } finally {
      isOpen = true;
      for (const open of gates.values()) open();
    }
    await eventually(() => readCursor(paths, "g")?.retries.length === 0);
  });
});

Deno.test("what could not be stored is stored first in the next turn, and nothing of it is handled again", async () => {
  const box = line(1) + line(2) + line(3);
  const whole = { topics: ["t"], offsets: { 1: box.length - line(3).length }, retries: [] };
  const cases: readonly (readonly [meanwhile: Partial<Cursor> | undefined, dead: number, got: unknown[]])[] =
    [
      [undefined, 1, [1, 2, 3, 4]],
      // another instance had its turn meanwhile
      [whole, 0, [1, 2, 3, 3, 4]],
    ];
  for (const [meanwhile, dead, expected] of cases) {
    let blocked = false;
    await reading({
      box,
      settle: ({ ack, nack, message }, paths) => {
        if (!blocked) Deno.mkdirSync(`${paths.folder}/g.dead`);
        blocked = true;
        return message.data === 2 ? nack({ dead: true }) : ack();
      },
    }, async ({ got, log, paths }) => {
      await eventually(() => log.lines.length > 0);
      assert.deepEqual(got, [1, 2, 3]);
      if (meanwhile) Deno.writeTextFileSync(`${paths.folder}/g.cur`, JSON.stringify(meanwhile));
      Deno.removeSync(`${paths.folder}/g.dead`);
      Deno.writeTextFileSync(paths.box, line(4), { append: true });
      await eventually(() => got.includes(4));
      assert.deepEqual(got, expected);
      assert.equal(boxLines(`${paths.folder}/g.dead`).length, dead);
      assert.match(String(log.lines[0]), /cannot go on to read/);
    });
  }
});
