/** Upgrades of tenants that go on behind the answer of the platform's request (docs/guides/multitenancy.md). */

import assert from "node:assert/strict";
import type { Query, Row } from "../../mod.ts";
import { TenantJobs } from "../../src/fw/tenants/tenant_jobs.ts";
import type { TenantOperations, UpgradeOptions } from "../../src/fw/tenants/tenant_operations.ts";
import { eventually } from "../contract/channel.ts";
import { recordingLog } from "../messaging/channels.ts";

type Upgrade = (options: UpgradeOptions) => Promise<readonly { tenant: string; error?: Error }[]>;

/** Jobs on a list of three tenants, and the statements that have ended; each takes a while. */
function jobsOn(upgrade: Upgrade, old: readonly Row[] = []) {
  const done: (readonly [kind: string, body: Row])[] = [];
  const run = async (query: Query) => {
    await new Promise((resolve) => setTimeout(resolve));
    const [[kind, body]] = Object.entries(query);
    done.push([kind, body as Row]);
    return kind === "SELECT" ? old : 1;
  };
  const all = () => Promise.resolve(["a", "b", "c"].map((tenant) => ({ tenant })));
  const operations = { list: { run, all }, upgrade } as unknown as TenantOperations;
  const log = recordingLog();
  return { jobs: new TenantJobs(operations, { concurrency: 2, log }), done, log };
}

const kinds = (done: readonly (readonly [kind: string, body: Row])[]) => done.map(([kind]) => kind);

Deno.test("old upgrades are forgotten before a new one begins, and the new one is told when it has ended", async () => {
  const upgraded: unknown[] = [];
  const { jobs, done } = jobsOn((options) => {
    upgraded.push([options.tenants, options.concurrency]);
    options.onProgress!({ tenant: "a" }, 1, 2);
    options.onProgress!({ tenant: "c", error: new Error("no disk") }, 2, 2);
    return Promise.resolve([{ tenant: "a" }, { tenant: "c", error: new Error("no disk") }]);
  }, [{ ID: "1" }, { ID: "2" }]);
  const job = await jobs.begin(["a", "c"]);
  assert.deepEqual(kinds(done), ["SELECT", "DELETE", "INSERT"]);
  assert.match(JSON.stringify(done[1]![1].where), /"val":"1".*"val":"2"/);
  assert.deepEqual([job.status, job.tenants], ["RUNNING", {
    a: { status: "QUEUED" },
    c: { status: "QUEUED" },
  }]);
  await eventually(() => done.length === 4);
  assert.deepEqual(upgraded, [[["a", "c"], 2]]);
  const { status, tenants } = done[3]![1].data as Row;
  assert.deepEqual([status, JSON.parse(String(tenants))], ["FAILED", {
    a: { status: "FINISHED" },
    c: { status: "FAILED", error: "no disk" },
  }]);
});

Deno.test("an upgrade of all tenants is finished where none has failed, and failed where it could not be done", async () => {
  const fine = jobsOn(() => Promise.resolve([{ tenant: "a" }]));
  assert.deepEqual(Object.keys((await fine.jobs.begin(undefined)).tenants), ["a", "b", "c"]);
  await eventually(() => fine.done.length === 3);
  assert.deepEqual(kinds(fine.done), ["SELECT", "INSERT", "UPDATE"]);
  assert.equal((fine.done[2]![1].data as Row).status, "FINISHED");
  const broken = jobsOn(() => Promise.reject(new Error("no list")));
  await broken.jobs.begin([]);
  await eventually(() => broken.done.length === 3);
  assert.equal((broken.done[2]![1].data as Row).status, "FAILED");
  assert.match(broken.log.lines.join(), /Tenants cannot be upgraded/);
});

Deno.test("an upgrade of a tenant that has not subscribed is not begun: 404", async () => {
  const { jobs, done } = jobsOn(() => Promise.resolve([]));
  await assert.rejects(jobs.begin(["a", "x"]), { status: 404, message: /"x"/ });
  assert.deepEqual(done, []);
});

/** The columns and conditions of an upgrade that is looked for, and what its row makes of it. */
async function foundAs(row: Row | null) {
  const asked: Query[] = [];
  const list = { run: (query: Query) => (asked.push(query), Promise.resolve(row)) };
  const jobs = new TenantJobs({ list } as unknown as TenantOperations, {
    ...{ concurrency: undefined, log: recordingLog() },
  });
  return { asked, job: await jobs.find("7") };
}

Deno.test("an upgrade is found by its ID, and is not known otherwise: 404", async () => {
  const tenants = '{"a":{"status":"FINISHED"}}';
  const at = "2026-01-01T00:00:00Z";
  const { asked, job } = await foundAs({ status: "FINISHED", tenants, at, now: at });
  assert.deepEqual(job, { ID: "7", status: "FINISHED", tenants: { a: { status: "FINISHED" } } });
  const [{ SELECT }] = asked as unknown as [{ SELECT: Row }];
  assert.deepEqual([SELECT.one, SELECT.where], [true, [{ ref: ["ID"] }, "=", { val: "7" }]]);
  assert.deepEqual(SELECT.columns, [
    ...["status", "tenants", "at"].map((name) => ({ ref: [name] })),
    { func: "current_timestamp", as: "now" },
  ]);
  await assert.rejects(foundAs(null), { status: 404 });
});

Deno.test("an upgrade that was silent for more than 30 seconds has ended with its process", async () => {
  const tenants = {
    ...{ a: { status: "FINISHED" }, b: { status: "FAILED", error: "no disk" } },
    c: { status: "QUEUED" },
  };
  const ended = { status: "FAILED", error: "The process that did the upgrade has ended" };
  const cases: readonly [string, string, boolean][] = [
    ["RUNNING", "12:00:30.000Z", false],
    ["RUNNING", "12:00:30.001Z", true],
    ["FAILED", "12:10:00Z", false],
    ["FINISHED", "12:10:00Z", false],
  ];
  for (const [status, now, isEnded] of cases) {
    const row = {
      status,
      tenants: JSON.stringify(tenants),
      at: "2026-01-01T12:00:00Z",
      now: `2026-01-01T${now}`,
    };
    const { job } = await foundAs(row);
    const expected = isEnded
      ? { ID: "7", status: "FAILED", tenants: { ...tenants, c: ended } }
      : { ID: "7", status, tenants };
    assert.deepEqual(job, expected, `${status} ${now}`);
  }
});

Deno.test("an upgrade tells every two seconds that it goes on, and how far it has come, until it ends", async () => {
  const { setInterval, clearInterval } = globalThis;
  const beats: { readonly beat: () => void; readonly ms: number; isOn: boolean }[] = [];
  globalThis.setInterval =
    ((beat: () => void, ms: number) => beats.push({ beat, ms, isOn: true }) - 1) as never;
  globalThis.clearInterval = ((id: number) => void (beats[id]!.isOn = false)) as never;
  try {
    const { promise, resolve } = Promise.withResolvers<readonly { tenant: string }[]>();
    const { jobs, done } = jobsOn(({ onProgress }) => {
      onProgress!({ tenant: "a" }, 1, 2);
      return promise;
    });
    await jobs.begin(["a", "b"]);
    assert.deepEqual(beats.map(({ ms, isOn }) => [ms, isOn]), [[2_000, true]]);
    beats[0]!.beat();
    await eventually(() => done.length === 3);
    const { data, with: also, where } = done[2]![1] as { data: Row; with: Row; where: unknown };
    assert.deepEqual([data.status, JSON.parse(String(data.tenants))], ["RUNNING", {
      ...{ a: { status: "FINISHED" }, b: { status: "QUEUED" } },
    }]);
    assert.deepEqual(also, { at: { func: "current_timestamp" } }, "by the time of the database");
    assert.equal(
      JSON.stringify(where),
      JSON.stringify([{ ref: ["ID"] }, "=", { val: (done[1]![1].entries as Row[])[0]!.ID }]),
    );
    resolve([]);
    await eventually(() => done.length === 4);
    assert.deepEqual(beats.map(({ isOn }) => isOn), [false]);
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
});

Deno.test("an upgrade whose state cannot be stored says so and goes on; 50 are remembered with the new one", async () => {
  const log = recordingLog();
  const asked: Query[] = [];
  const run = async (query: Query) => {
    asked.push(query);
    await new Promise((resolve) => setTimeout(resolve));
    if ("UPDATE" in query) throw new Error("no room");
    return [];
  };
  const list = { run, all: () => Promise.resolve([{ tenant: "a" }]) };
  const upgrade = () => Promise.resolve([{ tenant: "a" }]);
  const operations = { list, upgrade } as unknown as TenantOperations;
  await new TenantJobs(operations, { concurrency: undefined, log }).begin(undefined);
  await eventually(() => log.lines.length === 1);
  assert.match(String(log.lines[0]), /^The state of an upgrade of tenants cannot be stored:,Error: no room/);
  const [{ SELECT }] = asked as unknown as [{ SELECT: Row }];
  assert.deepEqual([SELECT.orderBy, SELECT.limit], [[{ ref: ["at"], sort: "desc" }], {
    ...{ rows: { val: 1_000 }, offset: { val: 49 } },
  }]);
});
