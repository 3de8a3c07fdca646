import assert from "node:assert/strict";
import { createRuntime, type InsertQuery, type Row, type SelectQuery } from "../../../mod.ts";
import { DEFAULT_LIMITS } from "../../../src/config/limits.ts";
import { createSqliteDatabase } from "../../../src/db/sqlite/sqlite_database.ts";
import { EventContext } from "../../../src/context/event_context.ts";
import type { KnownRows } from "../../../src/odata/snapshots/known_rows.ts";
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
  const { snapshots, followed } = open({ deltaLength: 200 });
  const [books, authors] = [followed("alice"), followed("bob", "Authors")];
  const first = await snapshots.begin(books, rowsOf({ 1: "a".repeat(60) }));
  const second = await snapshots.begin(authors, rowsOf({ 1: "a".repeat(60) }));
  assert.ok(await snapshots.find(second, authors));
  assert.equal(await snapshots.find(first, books), undefined);
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
