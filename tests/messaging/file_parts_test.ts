import assert from "node:assert/strict";
import {
  ageMs,
  appendWhole,
  boxPaths,
  listFiles,
  openBox,
  segmentPath,
  writeAll,
  writeSynced,
} from "../../src/messaging/file/box.ts";
import { type Cursor, readCursor, withTopics, writeCursor } from "../../src/messaging/file/cursor.ts";
import { GroupLease } from "../../src/messaging/file/group_lease.ts";
import { type HousekeepingOptions, removeOldSegments } from "../../src/messaging/file/housekeeping.ts";
import { type Line, parseLine, readLines } from "../../src/messaging/file/line_format.ts";
import { withClock } from "../security/clock.ts";
import { inFolder } from "./services.ts";

/** Runs a test with variables of the environment; undefined: there is none. */
function withVariables(variables: Readonly<Record<string, string | undefined>>, run: () => void): void {
  const set = (name: string, value: string | undefined) =>
    value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  try {
    for (const [name, value] of Object.entries(variables)) set(name, value);
    run();
  } finally {
    for (const [name, value] of before) set(name, value);
  }
}

/** The lines of a text. */
function linesOf(text: string, { start = 0, maxBytes = 100 } = {}): Line[] {
  const path = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(path, text);
    using file = Deno.openSync(path);
    return [...readLines(file, start, maxBytes)];
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("a path of a box begins at the root, at a drive, at the home directory, or at the current folder", () => {
  withVariables({ HOME: "/home/me", USERPROFILE: "/users/me" }, () => {
    const paths = ["/a/b", "C:/a", "c:\\a", "~/a", "~", "a/b", "~a", "1:/a"].map((path) =>
      boxPaths(path).box
    );
    const here = Deno.cwd();
    assert.deepEqual(paths, [
      ...["/a/b", "C:/a", "c:\\a", "/home/me/a", "/home/me"],
      ...[`${here}/a/b`, `${here}/~a`, `${here}/1:/a`],
    ]);
    assert.equal(boxPaths("/a").folder, "/a.d");
  });
  withVariables(
    { HOME: undefined, USERPROFILE: "/users/me" },
    () => assert.equal(boxPaths("~/a").box, "/users/me/a"),
  );
  withVariables(
    { HOME: undefined, USERPROFILE: undefined },
    () => assert.equal(boxPaths("~/a").box, `${Deno.cwd()}/./a`),
  );
});

Deno.test("segments have numbers, those that were removed as well; other files are none", () =>
  inFolder((folder) => {
    const paths = openBox(`${folder}/deep/er/box`);
    assert.deepEqual(listFiles(paths), { segments: [], next: 1 });
    for (const name of ["seg-2", "seg-10", "seg-12.gone", "seg-x", "xseg-99", "seg-99.tmp", "g.cur"]) {
      Deno.writeTextFileSync(`${paths.folder}/${name}`, "");
    }
    assert.deepEqual(listFiles(paths), { segments: [2, 10], next: 13 });
    return Promise.resolve();
  }));

Deno.test({
  name: "folder and files of a box are for their owner only, those with bad lines and dead letters too",
  ignore: Deno.build.os === "windows", // its files have no modes
  fn: () =>
    inFolder((folder) => {
      const paths = openBox(`${folder}/box`);
      writeSynced(`${folder}/synced`, "");
      appendWhole(`${folder}/appended`, () => {});
      const modes = [paths.folder, `${folder}/synced`, `${folder}/appended`].map((path) =>
        Deno.statSync(path).mode! & 0o777
      );
      assert.deepEqual(modes, [0o700, 0o600, 0o600]);
      return Promise.resolve();
    }),
});

Deno.test("what cannot be appended as a whole is not appended at all", () =>
  inFolder((folder) => {
    const path = `${folder}/file`;
    const append = (text: string, error?: Error) =>
      appendWhole(path, (file) => {
        writeAll(file, new TextEncoder().encode(text));
        if (error) throw error;
      });
    append("one\n");
    assert.throws(() => append("tw", new Error("full")), /full/);
    append("three\n");
    assert.equal(Deno.readTextFileSync(path), "one\nthree\n");
    return Promise.resolve();
  }));

Deno.test("what takes the place of another file is on the disk before", () =>
  inFolder((folder) => {
    const { syncDataSync } = Deno.FsFile.prototype;
    const synced: string[] = [];
    Deno.FsFile.prototype.syncDataSync = function () {
      synced.push(Deno.readTextFileSync(`${folder}/file`));
      syncDataSync.call(this);
    };
    try {
      writeSynced(`${folder}/file`, "a longer text");
      writeSynced(`${folder}/file`, "text");
    } finally {
      Deno.FsFile.prototype.syncDataSync = syncDataSync;
    }
    assert.deepEqual(synced, ["a longer text", "text"]);
    return Promise.resolve();
  }));

Deno.test("a file whose system does not tell when it was written counts as old", () =>
  withClock(() => {
    assert.equal(ageMs({ mtime: new Date(Date.now() - 7) } as Deno.FileInfo), 7);
    assert.equal(ageMs({ mtime: null } as Deno.FileInfo), Date.now());
    return Promise.resolve();
  }));

Deno.test("a group begins with the topics of its first reader, and catches up with those that come later", () => {
  const nothing = { offsets: {}, box: undefined, retries: [], catchUp: undefined };
  const first = withTopics(undefined, ["a", "b"]);
  assert.deepEqual(first, { topics: ["a", "b"], ...nothing });
  const stored: Cursor = { ...first, offsets: { 1: 10 } };
  for (const wanted of [["a"], ["b", "a"], []]) assert.equal(withTopics(stored, wanted), stored);
  const more = withTopics(stored, ["a", "c"]);
  assert.deepEqual([more.topics, more.catchUp, more.offsets], [
    ["a", "b", "c"],
    { topics: ["c"], except: [], offsets: {} },
    { 1: 10 },
  ]);
  const under: Cursor = { ...more, catchUp: { topics: ["c"], except: [], offsets: { 1: 5 } } };
  assert.deepEqual(withTopics(under, ["d", "a"]).catchUp, { topics: ["c", "d"], except: [], offsets: {} });
  const all = withTopics(stored, "*");
  assert.deepEqual([all.topics, all.catchUp], ["*", { topics: "*", except: ["a", "b"], offsets: {} }]);
  assert.equal(withTopics(all, ["e"]), all);
  assert.equal(withTopics(all, "*"), all);
});

Deno.test("a cursor is read as it was written; a file that is none is told, with what becomes of it", () =>
  inFolder(async (folder) => {
    const paths = openBox(`${folder}/box`);
    assert.equal(readCursor(paths, "g"), undefined);
    const cursor: Cursor = {
      ...{ topics: ["a"], offsets: { 1: 5 }, box: { segment: 1, ino: 7 }, catchUp: undefined },
      retries: [{ line: "a {}", deliveries: 1, due: 7 }],
    };
    using turn = (await new GroupLease({ paths, group: "g", leaseMs: 1_000, onTakeOver: () => {} }).take())!;
    writeCursor(turn, cursor);
    assert.deepEqual(readCursor(paths, "g"), JSON.parse(JSON.stringify(cursor)));
    for (const text of ["", "{", "[]", "{}", '{"offsets":[]}', '{"offsets":1}']) {
      Deno.writeTextFileSync(`${paths.folder}/g.cur`, text);
      assert.throws(
        () => readCursor(paths, "g"),
        /g\.cur is no cursor of a message box; without it, all messages/,
      );
    }
    Deno.removeSync(`${paths.folder}/g.cur`);
    Deno.mkdirSync(`${paths.folder}/g.cur`);
    assert.throws(() => readCursor(paths, "g"), (error: Error) => !(error instanceof Deno.errors.NotFound));
  }));

Deno.test("a line is a topic and a JSON object; its key is the header partitionkey", () => {
  const message = (text: string, depth = 3) => parseLine(text, depth);
  assert.deepEqual(message(""), { kind: "blank" });
  assert.deepEqual(message(" \t"), { kind: "blank" });
  assert.deepEqual(message("t"), { kind: "bad", reason: "no payload" });
  assert.deepEqual(message("t {"), { kind: "bad", reason: "no valid JSON" });
  for (const text of ["t [1]", "t 1", "t null"]) {
    assert.deepEqual(message(text), { kind: "bad", reason: "no JSON object" });
  }
  const headers = { partitionkey: "k", x: 1 };
  assert.deepEqual(message(`  t\t${JSON.stringify({ data: 1, headers })}`), {
    kind: "message",
    message: { topic: "t", data: 1, headers, key: "k" },
  });
  for (const other of [[], "x", undefined, { partitionkey: 7 }]) {
    const parsed = message(`t ${JSON.stringify({ headers: other })}`);
    const kept = typeof other === "object" && !Array.isArray(other) ? other : {};
    assert.deepEqual(parsed, {
      kind: "message",
      message: { topic: "t", data: undefined, headers: kept, key: undefined },
    });
  }
  assert.equal(message('t {"data":[[[]]]}').kind, "message");
  assert.deepEqual(message('t {"data":[[[[]]]]}'), { kind: "bad", reason: "nested deeper than 3 levels" });
});

Deno.test("lines are told with their ends, and whether a line break follows; of a long one only the beginning is kept", () => {
  assert.deepEqual(linesOf(""), []);
  assert.deepEqual(linesOf("\na\n\nbc"), [
    { text: "", end: 1, complete: true },
    { text: "a", end: 3, complete: true },
    { text: "", end: 4, complete: true },
    { text: "bc", end: 6, complete: false },
  ]);
  assert.deepEqual(linesOf("abc\nde", { start: 4 }), [{ text: "de", end: 6, complete: false }]);
  assert.deepEqual(linesOf("abcd\nabcde\nabcd\n", { maxBytes: 4 }), [
    { text: "abcd", end: 5, complete: true },
    { text: "abcd", end: 11, complete: true, tooLong: 5 },
    { text: "abcd", end: 16, complete: true },
  ]);
  const parts = 256 * 1024;
  const [long, next] = linesOf(`${"x".repeat(parts + 10)}\n${"y".repeat(parts)}`, { maxBytes: parts + 5 });
  assert.deepEqual([long.text.length, long.end, long.tooLong], [parts + 5, parts + 11, parts + 10]);
  assert.deepEqual([next.text, next.end, next.complete], ["y".repeat(parts), 2 * parts + 11, false]);
});

/** A box with groups that have read some of it, and what housekeeping removes of it. */
function keepHouse(
  folder: string,
  { ages, cursors, ...options }: Partial<HousekeepingOptions> & {
    /** Milliseconds since a segment or the box (0) was written. */
    readonly ages: Readonly<Record<number, number>>;
    readonly cursors: readonly Partial<Cursor>[];
  },
) {
  const paths = openBox(`${folder}/box`);
  const pathOf = (n: number) => n === 0 ? paths.box : segmentPath(paths, n);
  for (const [n, ms] of Object.entries(ages)) {
    Deno.writeTextFileSync(pathOf(Number(n)), 't {"data":1}\n');
    Deno.utimeSync(pathOf(Number(n)), new Date(), new Date(Date.now() - ms));
  }
  for (const [index, cursor] of cursors.entries()) {
    const text = JSON.stringify({ topics: ["t"], offsets: {}, retries: [], ...cursor });
    Deno.writeTextFileSync(`${paths.folder}/g${index}.cur`, text);
  }
  const removed = removeOldSegments(paths, {
    retentionMs: 1_000,
    maxMessageBytes: 100,
    maxDepth: 8,
    ...options,
  });
  const names = [...Deno.readDirSync(paths.folder)].map(({ name }) => name);
  return { removed, names: names.filter((name) => name.startsWith("seg-")).toSorted() };
}

Deno.test("housekeeping removes segments as old as the retention that every group has read to their end", async () => {
  const read = { offsets: { 1: 13, 2: 13 } };
  const catchUp = (end: number) => ({ topics: ["u"], except: [], offsets: { 1: end } });
  const cases: readonly (readonly [readonly Partial<Cursor>[], number, readonly number[]])[] = [
    [[read], 1_000, [1]],
    [[read], 999, []],
    [[], 1_000, []],
    [[read, read], 1_000, [1]],
    [[read, {}], 1_000, []],
    [[{ offsets: { 1: 12 } }], 1_000, []],
    [[{ ...read, catchUp: catchUp(13) }], 1_000, [1]],
    [[{ ...read, catchUp: catchUp(12) }], 1_000, []],
    [[{ ...read, catchUp: { ...catchUp(0), offsets: {} } }], 1_000, []],
    [[{ ...read, topics: ["u"] }], 1_000, []],
    [[{ ...read, topics: ["u"] }, read], 1_000, [1]],
    [[{ ...read, topics: ["u"] }, { ...read, topics: "*" }], 1_000, [1]],
  ];
  for (const [cursors, age, expected] of cases) {
    await withClock(() =>
      inFolder((folder) => {
        const { removed, names } = keepHouse(folder, { ages: { 1: age }, cursors });
        assert.deepEqual([removed, names], [expected, [expected.length > 0 ? "seg-1.gone" : "seg-1"]]);
        return Promise.resolve();
      })
    );
  }
});

Deno.test("an old box that every group has read becomes a segment, no other one does", () =>
  withClock(async () => {
    const cases = [[1_000, 13, ["seg-1"]], [999, 13, []], [1_000, 12, []]] as const;
    for (const [age, end, expected] of cases) {
      await inFolder((folder) => {
        const { removed, names } = keepHouse(folder, {
          ages: { 0: age },
          cursors: [{ offsets: { 1: end } }],
        });
        assert.deepEqual([removed, names], [[], expected]);
        return Promise.resolve();
      });
    }
  }));

Deno.test("of the segments that were removed only the newest leaves its number behind", () =>
  withClock(() =>
    inFolder((folder) => {
      const ages = { 1: 1_000, 2: 1_000, 3: 0, 4: 1_000, 10: 1_000 };
      const offsets = { 1: 13, 2: 13, 3: 13, 4: 13, 10: 13 };
      const { removed, names } = keepHouse(folder, { ages, cursors: [{ offsets }] });
      assert.deepEqual([removed, names], [[1, 2, 4, 10], ["seg-10.gone", "seg-3"]]);
      return Promise.resolve();
    })
  ));
