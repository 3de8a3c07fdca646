import assert from "node:assert/strict";
import { createRuntime, type InsertQuery, type Query, type Row, type SelectQuery } from "../../../mod.ts";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import { currentContext } from "../../../src/context/store.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import { keysText } from "../../../src/odata/payload/key_predicate.ts";
import { type KnownRows, writeRows } from "../../../src/odata/snapshots/known_rows.ts";
import { type FollowedCollection, Snapshots } from "../../../src/odata/snapshots/snapshots.ts";
import type { ServiceHost } from "../../../src/service/host.ts";
import { recordingLog } from "../../messaging/channels.ts";
import { withClock } from "../../security/clock.ts";

const MODEL = {
  definitions: {
    "S": { kind: "service" },
    "S.Books": {
      kind: "entity",
      elements: { ID: { key: true, type: "cds.Integer" }, locale: { key: true, type: "cds.String" } },
    },
  },
} as const;

/** Snapshots in this process, and what says who follows which collection. */
function open(limits: Readonly<Record<string, number>> = {}) {
  const runtime = createRuntime({ model: MODEL, env: { limits, requires: { db: false } } });
  const [target] = [...runtime.model.service("S")!.entities];
  const followed = (user: string, url = "Books", tenant?: string): FollowedCollection => ({
    ...{ context: new EventContext({ user: { id: user }, tenant }), url, target: target!, grouped: false },
  });
  return { snapshots: new Snapshots(runtime, "S"), followed };
}

function rowsOf(tags: Readonly<Record<number, string>>): KnownRows {
  return new Map(
    Object.entries(tags).map(([id, tag]) => [
      `ID=${id},locale=de`,
      { keys: { ID: Number(id), locale: "de" }, tag },
    ]),
  );
}

/** Rows by their keys: how these are written as text does not matter. */
function tagsOf(rows: KnownRows | undefined): Readonly<Record<string, string>> | undefined {
  return rows && Object.fromEntries([...rows.values()].map(({ keys, tag }) => [Number(keys.ID), tag]));
}

Deno.test("a delta link is one of its user, tenant and collection only (Protocol 11.3)", async () => {
  const { snapshots, followed } = open();
  const token = await snapshots.begin(followed("alice", "Books", "t1"), rowsOf({ 1: "a" }));
  const found = await snapshots.find(token, followed("alice", "Books", "t1"));
  assert.deepEqual([...found!.rows.values()], [{ keys: { ID: 1, locale: "de" }, tag: "a" }]);
  for (
    const other of [
      followed("bob", "Books", "t1"),
      followed("alice", "Books", "t2"),
      followed("alice", "Authors", "t1"),
    ]
  ) assert.equal(await snapshots.find(token, other), undefined);
});

/** Snapshots of services beside the outbox, and what the queries for rows of which application and service were. */
function openStored() {
  const log = recordingLog();
  const asked: unknown[] = [];
  const engine = {
    run: (query: object, params: Row = {}) => {
      const { appid: application, service } = "INSERT" in query
        ? (query as InsertQuery).INSERT.entries![0]!
        : { appid: params.application, ...params };
      asked.push([Object.keys(query)[0], application, service]);
      return "INSERT" in query ? 1 : (query as SelectQuery).SELECT.one ? null : [];
    },
  };
  const host = {
    ...{ name: "app", limits: DEFAULT_LIMITS, log: () => log, queue: { isFor: () => true } },
    db: {
      rootOptions: { log },
      withEngine: (run: (given: unknown) => unknown) => run(engine),
      database: () => Promise.resolve({ isVolatile: false }),
    },
  } as unknown as ServiceHost;
  return { asked, of: (service: string) => new Snapshots(host, service) };
}

Deno.test("states of services that share a table are told apart by application and service", async () => {
  const { asked, of } = openStored();
  const { followed } = open();
  for (const grouped of [false, true]) {
    for (const service of ["S", "T"]) {
      asked.length = 0;
      const snapshots = of(service);
      const books = { ...followed("alice"), grouped };
      const token = await snapshots.begin(books, rowsOf({ 1: "a" }));
      assert.equal(await snapshots.find(token, books), undefined);
      await snapshots.close();
      const sizes = grouped ? [] : [["SELECT", "app", service]];
      assert.deepEqual(asked, [["INSERT", "app", service], ...sizes, ["SELECT", "app", service]]);
    }
  }
});

Deno.test("a delta link holds for its time from the last answer without changes on (fw.limits.deltaMs)", () =>
  withClock(async (forward) => {
    const { snapshots, followed } = open({ deltaMs: 1_000 });
    const [books, authors] = [followed("alice"), followed("alice", "Authors")];
    const kept = await snapshots.begin(books, rowsOf({ 1: "a" }));
    const left = await snapshots.begin(authors, rowsOf({ 1: "a" }));
    forward(999);
    await snapshots.renew((await snapshots.find(kept, books))!, books);
    forward(1);
    assert.deepEqual(tagsOf((await snapshots.find(kept, books))?.rows), { 1: "a" });
    assert.equal(await snapshots.find(left, authors), undefined);
    forward(998);
    assert.deepEqual(tagsOf((await snapshots.find(kept, books))?.rows), { 1: "a" });
    forward(1);
    assert.equal(await snapshots.find(kept, books), undefined);
  }));

Deno.test("each of the last states of a series of changes is what it was, however the next ones are kept", async () => {
  const { snapshots, followed } = open();
  const books = followed("alice");
  let rows: Record<number, string> = { 1: "a", 2: "b", 3: "c" };
  let token = await snapshots.begin(books, rowsOf(rows));
  const states: [string, Readonly<Record<number, string>>][] = [[token, rows]];
  for (let count = 0; count < 40; count++) {
    const { [1 + count % 5]: _gone, ...others } = rows;
    rows = count % 2 === 0 ? others : { ...rows, [count % 4]: `x${count}` };
    const before = await snapshots.find(token, books);
    states.push([token = await snapshots.advance(before!, books, rowsOf(rows)), rows]);
  }
  for (const [known, expected] of states.slice(-16)) {
    assert.deepEqual(tagsOf((await snapshots.find(known, books))?.rows), expected);
  }
});

Deno.test("states take no more room than they may, the series not read for longest goes first (fw.limits.deltaLength)", async () => {
  const rows = rowsOf({ 1: "a".repeat(60) });
  const { length } = writeRows(rows, ["ID", "locale"]);
  const cases: readonly (readonly [deltaLength: number, isFirstLeft: boolean])[] = [
    [2 * length, true],
    [2 * length - 1, false],
    [length, false],
    [1, false],
  ];
  for (const [deltaLength, isFirstLeft] of cases) {
    const { snapshots, followed } = open({ deltaLength });
    const [books, authors] = [followed("alice"), followed("bob", "Authors")];
    const first = await snapshots.begin(books, rows);
    const second = await snapshots.begin(authors, rows);
    assert.ok(await snapshots.find(second, authors));
    assert.equal(await snapshots.find(first, books) !== undefined, isFirstLeft, String(deltaLength));
  }
});

Deno.test("so many collections are followed at once, those not followed for longest leave (fw.limits.deltaSnapshots, deltaSnapshotsOfUser)", async () => {
  const cases: readonly (readonly [limits: Readonly<Record<string, number>>, left: readonly string[]])[] = [
    [{}, ["alice 1", "bob 1", "alice 2", "alice 3"]],
    [{ deltaSnapshots: 3 }, ["bob 1", "alice 2", "alice 3"]],
    [{ deltaSnapshotsOfUser: 2 }, ["bob 1", "alice 2", "alice 3"]],
    [{ deltaSnapshotsOfUser: 1 }, ["bob 1", "alice 3"]],
    [{ deltaSnapshots: 1 }, ["alice 3"]],
  ];
  for (const [limits, left] of cases) {
    const { snapshots, followed } = open(limits);
    const tokens = new Map<string, string>();
    for (const name of ["alice 1", "bob 1", "alice 2", "alice 3"]) {
      tokens.set(name, await snapshots.begin(followed(name.split(" ")[0]!, name), rowsOf({ 1: "a" })));
    }
    const kept: string[] = [];
    for (const [name, token] of tokens) {
      if (await snapshots.find(token, followed(name.split(" ")[0]!, name))) kept.push(name);
    }
    assert.deepEqual(kept, left, JSON.stringify(limits));
    snapshots.clear();
    const last = tokens.get("alice 3")!;
    assert.equal(await snapshots.find(last, followed("alice", "alice 3")), undefined);
  }
});

Deno.test("in a database, delta links are those of a service, and one service leaves the room of another alone (fw.limits.deltaSnapshots)", async () => {
  const folder = Deno.makeTempDirSync();
  const runtime = createRuntime({
    model: { definitions: { ...MODEL.definitions, "T": { kind: "service" } } },
    env: {
      limits: { deltaSnapshots: 1 },
      requires: { db: { kind: "sqlite", credentials: { url: `${folder}/db.sqlite` } } },
      log: { levels: { default: "silent" } },
    },
    kinds: { databases: { sqlite: () => createSqliteDatabase } },
  });
  try {
    await runtime.start();
    const [target] = [...runtime.model.service("S")!.entities];
    const followed: FollowedCollection = {
      ...{
        context: new EventContext({ user: { id: "alice" } }),
        url: "Books",
        target: target!,
        grouped: false,
      },
    };
    const [one, other] = [new Snapshots(runtime, "S"), new Snapshots(runtime, "T")];
    const token = await one.begin(followed, rowsOf({ 1: "a" }));
    await other.begin(followed, rowsOf({ 1: "b" }));
    assert.deepEqual(tagsOf((await one.find(token, followed))?.rows), { 1: "a" });
    assert.equal(await other.find(token, followed), undefined);
    assert.deepEqual(tagsOf((await new Snapshots(runtime, "S").find(token, followed))?.rows), { 1: "a" });
    await one.begin(followed, rowsOf({ 1: "c" }));
    assert.equal(await one.find(token, followed), undefined);
    await Promise.all([one.close(), other.close()]);
  } finally {
    await runtime.close();
    Deno.removeSync(folder, { recursive: true });
  }
});

/** Snapshots beside the outbox, how old which series are there each time, and what the queries are. */
function openAged(ages: readonly (readonly (readonly [series: string, ageMs: number])[])[], deltaMs = 0) {
  const log = recordingLog();
  const asked: unknown[] = [];
  const users: unknown[] = [];
  let at = 0;
  const engine = {
    run: (query: Query, params: Row = {}) => {
      asked.push([Object.keys(query)[0], ...params.series === undefined ? [] : [params.series]]);
      if (!("SELECT" in query) || query.SELECT.one) return "SELECT" in query ? null : 1;
      return (ages[at++] ?? []).map(([series, ageMs]) => ({
        ...{ series, owner: "ann", length: 1 },
        ...{ at: new Date(0).toISOString(), now: new Date(ageMs).toISOString() },
      }));
    },
  };
  const host = {
    ...{ name: "app", limits: { ...DEFAULT_LIMITS, deltaMs }, log: () => log, queue: { isFor: () => true } },
    db: {
      rootOptions: { log },
      withEngine: (run: (given: unknown) => unknown) => {
        const context = currentContext();
        users.push([context?.user.id, context?.tenant]);
        return run(engine);
      },
      database: () => Promise.resolve({ isVolatile: false }),
    },
  } as unknown as ServiceHost;
  return { asked, users, log, snapshots: new Snapshots(host, "S") };
}

Deno.test("stored states leave when their time is over also where nobody comes, as long as there are any (fw.limits.deltaMs)", async () => {
  const { followed } = open();
  const { asked, users, snapshots } = openAged([
    [["a", 5], ["b", 4], ["c", 99]],
    [["b", 4]],
    [["b", 5]],
  ], 5);
  const books = { ...followed("alice", "Books", "t1"), grouped: true };
  await snapshots.begin(books, rowsOf({ 1: "a" }));
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1));
  for (let count = 0; count < 500 && asked.length < 6; count++) await turn();
  for (let count = 0; count < 10; count++) await turn();
  await snapshots.close();
  assert.deepEqual(asked, [["INSERT"], ["SELECT"], ["DELETE", ["a", "c"]], ["SELECT"], ["SELECT"], [
    "DELETE",
    ["b"],
  ]]);
  // the transaction of the request is over by then
  assert.deepEqual(users[0], [undefined, undefined]);
  for (const user of users.slice(1)) assert.deepEqual(user, ["privileged", "t1"]);
});

/** Snapshots beside the outbox that keep rows, and what else is asked of them. */
function openKeeping() {
  const rows = new Map<unknown, Row>();
  const asked: unknown[] = [];
  const engine = {
    run: (query: Query, params: Row = {}) => {
      if ("INSERT" in query) {
        const [row] = query.INSERT.entries!;
        return rows.set(row!.ID, row!).size;
      }
      if ("SELECT" in query && query.SELECT.one) {
        const [at, now] = [new Date(0), new Date(1)].map((time) => time.toISOString());
        return { ...rows.get(params.token), at, now };
      }
      const [kind] = Object.keys(query);
      asked.push(kind);
      return [];
    },
  };
  const log = recordingLog();
  const host = {
    ...{ name: "app", limits: DEFAULT_LIMITS, log: () => log, queue: { isFor: () => true } },
    db: {
      rootOptions: { log },
      withEngine: (run: (given: unknown) => unknown) => run(engine),
      database: () => Promise.resolve({ isVolatile: false }),
    },
  } as unknown as ServiceHost;
  return { asked, rows, snapshots: new Snapshots(host, "S") };
}

Deno.test("a state is the difference from the last whole one, until all differences together are longer than all rows", async () => {
  const rowsOf = (changed: string) =>
    new Map([[1, changed], [2, "b".repeat(9)]].map(([ID, tag]) => {
      const keys = { ID: ID!, locale: "de" };
      return [keysText(keys), { keys, tag: String(tag) }];
    }));
  for (const grouped of [false, true]) {
    const { followed } = open();
    const { asked, rows, snapshots } = openKeeping();
    const books = { ...followed("alice"), grouped };
    let token = await snapshots.begin(books, rowsOf("x0"));
    for (let count = 0; count < 9; count++) {
      const before = await snapshots.find(token, books);
      assert.deepEqual(before!.rows, rowsOf(`x${count}`));
      token = await snapshots.advance(before!, books, rowsOf(`x${count + 1}`));
    }
    await snapshots.close();
    const states = [...rows.values()];
    assert.deepEqual(states.map(({ number }) => number), states.map((_, at) => at));
    assert.deepEqual(states.map(({ series }) => series), states.map(() => states[0]!.ID));
    // two differences are as long as all rows
    const expected = [0, 3, 6, 9].flatMap((at) => [[68, -1, 0], [34, at, 34], [34, at, 68]]).slice(0, 10);
    const given = states.map(({ length, base, sinceBase }) => [
      ...[length, states.findIndex((one) => one.ID === base), sinceBase],
    ]);
    assert.deepEqual(given, expected);
    // room is made by whole states, old ones are looked for at the eighth; not within the transaction of a request
    assert.equal(asked.length, grouped ? 0 : 5);
  }
});
