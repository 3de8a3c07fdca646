import assert from "node:assert/strict";
import { backlogOf, collectBatch, nextDue, type ReaderOptions } from "../../src/messaging/file/batch.ts";
import { type BoxPaths, openBox, segmentPath } from "../../src/messaging/file/box.ts";
import type { Cursor, Retry } from "../../src/messaging/file/cursor.ts";
import { withClock } from "../security/clock.ts";
import { inFolder } from "./services.ts";

const OPTIONS: ReaderOptions = { maxMessageBytes: 1_000, maxDepth: 8, isKnown: () => false };

/** A line with its line break: 13 bytes for a topic of one letter and a number of one digit. */
const line = (topic: string, data: unknown, headers?: unknown) =>
  `${topic} ${JSON.stringify({ data, headers })}\n`;

function cursorOf(given: Partial<Cursor> = {}): Cursor {
  return { topics: "*", offsets: {}, box: undefined, retries: [], catchUp: undefined, ...given };
}

function retry(data: unknown, given: Partial<Retry> = {}): Retry {
  return { line: line("t", data).trim(), deliveries: 1, due: 0, ...given };
}

/** The payloads of a batch, and what follows from it. */
function collect(paths: BoxPaths, cursor: Cursor = cursorOf(), options: Partial<ReaderOptions> = {}) {
  const batch = collectBatch(paths, cursor, { ...OPTIONS, ...options });
  return { ...batch, data: batch.items.map(({ message }) => message.data) };
}

/** Runs a test with an empty box. */
function withPaths(run: (paths: BoxPaths) => void): Promise<void> {
  return inFolder((folder) => Promise.resolve(run(openBox(`${folder}/box`))));
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const linesOf = (numbers: readonly number[]) => numbers.map((n) => line("t", n)).join("");

Deno.test("a batch has 64 messages at most, those that wait for another delivery first", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(paths.box, linesOf(range(0, 100)));
    assert.deepEqual(collect(paths).data, range(0, 64));
    const waiting = (count: number) => range(1_000, count).map((n) => retry(n));
    const some = collect(paths, cursorOf({ retries: waiting(10) }));
    assert.deepEqual(some.data, [...range(1_000, 10), ...range(0, 54)]);
    assert.deepEqual(some.items.map(({ deliveries }) => deliveries), [
      ...range(0, 10).map(() => 2),
      ...range(0, 54).map(() => 1),
    ]);
    for (const count of [64, 70]) {
      const cursor = cursorOf({ retries: waiting(count) });
      const all = collect(paths, cursor);
      assert.deepEqual([all.data, all.cursor], [range(1_000, 64), cursor]);
    }
  }));

Deno.test("a group of which 200 messages or 4 MiB wait for another delivery reads nothing new", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(paths.box, line("t", 1));
    const due = Infinity;
    const many = (count: number) => range(0, count).map((n) => retry(n, { due }));
    const large = (length: number) => [
      retry(0, { due, line: "x".repeat(length - 10) }),
      retry(0, { due, line: "x".repeat(10) }),
    ];
    const size = 4 * 1024 * 1024;
    for (
      const [retries, data] of [[many(199), [1]], [many(200), []], [large(size), [1]], [large(size + 1), []]]
    ) {
      assert.deepEqual(collect(paths, cursorOf({ retries: retries as Retry[] })).data, data);
    }
  }));

Deno.test("a message is delivered again when its time has come, of each key only the first that waits", () =>
  withClock(() =>
    withPaths((paths) => {
      const now = Date.now();
      const retries = [
        retry("due", { due: now, deliveries: 3 }),
        retry("later", { due: now + 1 }),
        retry("first of k", { key: "k", due: now }),
        retry("second of k", { key: "k", due: now }),
        retry("first of l", { key: "l", due: now + 7 }),
        retry("second of l", { key: "l", due: now }),
        retry("", { line: "no message" }),
      ];
      const { data, items, cursor } = collect(paths, cursorOf({ retries }));
      assert.deepEqual(data, ["due", "first of k"]);
      assert.deepEqual(items.map(({ deliveries, retry }) => [deliveries, retry]), [[4, retries[0]], [
        2,
        retries[2],
      ]]);
      assert.deepEqual(cursor.retries, retries);
      assert.equal(nextDue(cursorOf()), undefined);
      assert.equal(nextDue(cursorOf({ retries: retries.slice(1, 2) })), now + 1);
      assert.equal(nextDue(cursorOf({ retries: retries.slice(4) })), 0);
      assert.equal(
        nextDue(cursorOf({ retries: retries.slice(4, 6) })),
        now + 7,
        "the second waits for the first",
      );
    })
  ));

Deno.test("what waits for a group is all that it has not handled, as old as the oldest of it", () =>
  withClock((forward) =>
    withPaths((paths) => {
      const at = (ms: number) => ({ time: new Date(Date.now() - ms).toISOString() });
      const a = line("a", 1, at(5_000));
      Deno.writeTextFileSync(paths.box, a + line("b", 2, at(4_000)) + line("b", 3, at(9_000)) + line("a", 4));
      const backlog = (given: Partial<Cursor>) => backlogOf(paths, cursorOf(given), OPTIONS);
      assert.deepEqual(backlog({}), { waiting: 4, oldestAgeMs: 9_000 });
      assert.deepEqual(backlog({ topics: ["a"] }), { waiting: 2, oldestAgeMs: 5_000 });
      assert.deepEqual(backlog({ topics: ["a"], offsets: { 1: a.length } }), { waiting: 1 });
      const { size } = Deno.statSync(paths.box);
      assert.deepEqual(backlog({ offsets: { 1: size } }), { waiting: 0 });
      const catchUp = { topics: ["b"], except: [], offsets: {} };
      assert.deepEqual(backlog({ offsets: { 1: size }, catchUp }), { waiting: 2, oldestAgeMs: 9_000 });
      const retries = [
        { ...retry(0), line: line("t", 5, at(11_000)).trim() },
        { ...retry(0), line: "no message" },
        { ...retry(0), line: line("t", 6, { time: "no time" }).trim() },
      ];
      assert.deepEqual(backlog({ offsets: { 1: size }, retries }), { waiting: 3, oldestAgeMs: 11_000 });
      const rewritten = { offsets: { 1: size }, box: { segment: 1, ino: Deno.statSync(paths.box).ino! + 1 } };
      assert.deepEqual(backlog(rewritten), { waiting: 4, oldestAgeMs: 9_000 });
      forward(1_000);
      assert.deepEqual(backlog({ topics: ["a"] }), { waiting: 2, oldestAgeMs: 6_000 });
    })
  ));

Deno.test("10,000 lines that wait for a group are counted at most", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(paths.box, "t {}\n".repeat(10_001));
    assert.equal(backlogOf(paths, cursorOf(), OPTIONS).waiting, 10_000);
  }));

Deno.test("a torn line waits for the rest in the box, and for 5 seconds in a segment, before anything behind it", () =>
  withClock(() =>
    withPaths((paths) => {
      const torn = 't {"data":"cut';
      const segment = segmentPath(paths, 1);
      const writtenAgo = (ms: number) => Deno.utimeSync(segment, new Date(), new Date(Date.now() - ms));
      Deno.writeTextFileSync(segment, line("t", 1) + torn);
      Deno.writeTextFileSync(paths.box, line("t", 2) + torn);
      writtenAgo(4_999);
      const young = collect(paths);
      assert.deepEqual([young.data, young.bad, young.cursor.offsets], [[1], [], { 1: 13 }]);
      writtenAgo(5_000);
      const old = collect(paths);
      assert.deepEqual(old.data, [1, 2]);
      assert.deepEqual(old.bad, [{ segment: 1, start: 13, end: 13 + torn.length, reason: "no valid JSON" }]);
      assert.deepEqual(old.cursor.offsets, { 1: 13 + torn.length, 2: 13 });
    })
  ));

Deno.test("a whole message at the end of a file is one without a line break, too", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(paths.box, line("t", 1) + line("t", 2).trim());
    const { data, cursor } = collect(paths);
    assert.deepEqual([data, cursor.offsets], [[1, 2], { 1: 25 }]);
  }));

Deno.test("lines of other topics are passed over, whatever is wrong with them; a line without payload is bad", () =>
  withPaths((paths) => {
    const long = `t ${"x".repeat(1_000)}`;
    Deno.writeTextFileSync(
      paths.box,
      `u {\n${long.replace("t", "u")}\n${long}\nt\n  t {"data":1}\n${" ".repeat(9)}\n`,
    );
    const { data, bad } = collect(paths, cursorOf({ topics: ["t"] }));
    assert.deepEqual(data, [1]);
    const start = 4 + long.length + 1;
    assert.deepEqual(bad, [
      { segment: 1, start, end: start + long.length + 1, reason: "1002 bytes, the limit is 1000" },
      { segment: 1, start: start + long.length + 1, end: start + long.length + 3, reason: "no payload" },
    ]);
  }));

Deno.test("a bad line at the beginning of a file is set aside from its first byte", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(paths.box, "t {\n");
    assert.deepEqual(collect(paths).bad, [{ segment: 1, start: 0, end: 4, reason: "no valid JSON" }]);
  }));

Deno.test("a box that somebody else rewrote is read from its beginning, what is known of it is dropped", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(paths.box, line("t", 1) + line("t", 2));
    const { ino } = Deno.statSync(paths.box);
    const isKnown = ({ data }: { data: unknown }) => data === 1;
    const read = (given: Partial<Cursor>) => {
      const { data, bad } = collect(paths, cursorOf(given), { isKnown });
      assert.deepEqual(bad, []);
      return data;
    };
    assert.deepEqual(read({ offsets: { 1: 13 }, box: { segment: 1, ino } }), [2]);
    assert.deepEqual(read({ offsets: { 1: 26 }, box: { segment: 1, ino } }), [], "all is read");
    assert.deepEqual(
      read({ offsets: { 1: 27 }, box: { segment: 1, ino } }),
      [2],
      "shorter than what was read",
    );
    assert.deepEqual(read({ offsets: { 1: 13 }, box: { segment: 1, ino: ino! + 1 } }), [2], "another file");
    assert.deepEqual(read({ offsets: { 1: 26 }, box: { segment: 1, ino: ino! + 1 } }), [2], "another file");
    assert.deepEqual(
      read({ offsets: { 1: 26 }, box: { segment: 1, ino: null } }),
      [],
      "a file without identity",
    );
    assert.deepEqual(
      read({ offsets: { 1: 26 }, box: { segment: 2, ino: ino! + 1 } }),
      [],
      "of another segment",
    );
    assert.deepEqual(read({ offsets: { 1: 26 } }), []);
    assert.deepEqual(read({}), [1, 2], "known ids count in a rewritten box only");
    assert.deepEqual(collect(paths).cursor.box, { segment: 1, ino });
  }));

Deno.test("topics that are new to a group are read up to where the group is, then they are part of it", () =>
  withPaths((paths) => {
    const [old, fresh] = [line("a", 1), line("b", 2)];
    Deno.writeTextFileSync(segmentPath(paths, 1), old + fresh);
    Deno.writeTextFileSync(paths.box, old + fresh + line("b", 3));
    const offsets = { 1: 26, 2: 26 };
    const catchUp = { topics: ["b"], except: [], offsets: {} };
    const all = collect(paths, cursorOf({ offsets, catchUp }));
    assert.deepEqual([all.data, all.cursor], [[2, 2], cursorOf({ offsets })]);
    assert.deepEqual(all.items.map(({ position }) => position), [
      { offsets: "catchUp", segment: 1, end: 26 },
      { offsets: "catchUp", segment: 2, end: 26 },
    ]);
    const due = range(0, 63).map((n) => retry(n));
    const one = collect(paths, cursorOf({ offsets, catchUp, retries: due }));
    assert.deepEqual(one.data.slice(63), [2]);
    assert.deepEqual(one.cursor.catchUp, { ...catchUp, offsets: { 1: 26 } });
    const rest = collect(paths, cursorOf({ offsets, catchUp: one.cursor.catchUp }));
    assert.deepEqual([rest.data, rest.cursor.catchUp], [[2], undefined]);
    const isThere = { ...catchUp, offsets: { 1: 26, 2: 26 } };
    const nothing = collect(paths, cursorOf({ offsets, catchUp: isThere }));
    assert.deepEqual(
      [nothing.data, nothing.cursor.catchUp],
      [[], undefined],
      "the rest is not new to the group",
    );
    const except = { topics: "*" as const, except: ["a"], offsets: {} };
    assert.deepEqual(collect(paths, cursorOf({ offsets, catchUp: except })).data, [2, 2]);
  }));

Deno.test("a group that catches up does not wait for a segment that is gone", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(segmentPath(paths, 2), line("b", 2));
    Deno.writeTextFileSync(paths.box, line("b", 3));
    const catchUp = { topics: ["b"], except: [], offsets: {} };
    const { data, cursor } = collect(paths, cursorOf({ offsets: { 1: 26, 2: 13, 3: 13 }, catchUp }));
    assert.deepEqual([data, cursor.catchUp], [[2, 3], undefined]);
    assert.equal(collect(paths, cursorOf({ offsets: { 2: 13 }, catchUp })).cursor.catchUp, undefined);
    const torn = { offsets: { 3: 14 }, catchUp: { ...catchUp, offsets: { 2: 13, 3: 13 } } };
    assert.notEqual(collect(paths, cursorOf(torn)).cursor.catchUp, undefined, "a byte is missing");
  }));

/** Runs a test in which something happens right before a file is opened, once. */
function beforeOpening<T>(path: string, change: () => void, run: () => T): T {
  const { openSync } = Deno;
  let isOver = false;
  Deno.openSync = (file, options) => {
    if (!isOver && file === path) {
      isOver = true;
      change();
    }
    return openSync(file, options);
  };
  try {
    return run();
  } finally {
    Deno.openSync = openSync;
  }
}

Deno.test("a line that a writer adds to an older file comes before those of a newer one", () =>
  withPaths((paths) => {
    const segment = segmentPath(paths, 1);
    Deno.writeTextFileSync(segment, line("t", 1));
    Deno.writeTextFileSync(paths.box, `${line("t", 3)}bad\n`);
    const add = (n: number) => () => Deno.writeTextFileSync(segment, line("t", n), { append: true });
    const first = beforeOpening(paths.box, add(2), () => collect(paths));
    assert.deepEqual([first.data, first.bad, first.cursor.offsets], [[1], [], { 1: 13, 2: 0 }]);
    const second = collect(paths, first.cursor);
    assert.deepEqual([second.data, second.bad.length, second.cursor.offsets], [[2, 3], 1, { 1: 26, 2: 17 }]);
    Deno.writeTextFileSync(paths.box, line("t", 5), { append: true });
    const third = beforeOpening(paths.box, add(4), () => collect(paths, second.cursor));
    assert.deepEqual([third.data, third.cursor.offsets], [[], { 1: 26, 2: 17 }]);
    assert.deepEqual(collect(paths, third.cursor).data, [4, 5]);
  }));

Deno.test("a box that is renamed while a group reads is read as segment, nothing twice", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(paths.box, line("t", 1));
    const rename = () => {
      Deno.renameSync(paths.box, segmentPath(paths, 1));
      Deno.writeTextFileSync(paths.box, line("t", 2));
    };
    const { data, cursor } = beforeOpening(paths.box, rename, () => collect(paths));
    assert.deepEqual([data, cursor.offsets], [[1, 2], { 1: 13, 2: 13 }]);
    assert.deepEqual(cursor.box, { segment: 2, ino: Deno.statSync(paths.box).ino });
  }));

Deno.test("segments are read by their numbers, and nothing is missing where the box is", () =>
  withPaths((paths) => {
    for (const n of [10, 9]) Deno.writeTextFileSync(segmentPath(paths, n), line("t", n));
    Deno.writeTextFileSync(`${segmentPath(paths, 11)}.gone`, "");
    const { data, cursor } = collect(paths);
    assert.deepEqual([data, cursor.box], [[9, 10], { segment: 12, ino: null }]);
  }));

Deno.test("a batch ends with its last message, wherever that is in a file", () =>
  withPaths((paths) => {
    Deno.writeTextFileSync(segmentPath(paths, 1), linesOf(range(100, 64)));
    Deno.writeTextFileSync(paths.box, linesOf(range(100, 2)));
    const { data, cursor } = collect(paths);
    assert.deepEqual([data, cursor.offsets], [range(100, 64), { 1: 64 * 15 }]);
    assert.deepEqual(collect(paths, cursor).data, [100, 101]);
  }));

Deno.test("a box that cannot be read is no empty one", () =>
  withPaths((paths) => {
    const openSync = Deno.openSync;
    Deno.openSync = () => {
      throw new Deno.errors.PermissionDenied("no");
    };
    try {
      assert.throws(() => collect(paths), Deno.errors.PermissionDenied);
    } finally {
      Deno.openSync = openSync;
    }
  }));
