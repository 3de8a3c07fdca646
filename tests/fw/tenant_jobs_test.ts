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
