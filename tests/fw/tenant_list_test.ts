/** The list of tenants and its database (docs/guides/multitenancy.md). */

import assert from "node:assert/strict";
import type { Query, Row } from "../../src/cqn/cqn.ts";
import { TenantList } from "../../src/fw/tenants/tenant_list.ts";
import type { Database } from "../../src/service/database.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

/** A list whose database does what it is told, a while later, and what happened to it. */
function listOn(failing: { open?: number; deploy?: number; run?: number; commit?: number }) {
  const seen: string[] = [];
  const step = (name: keyof typeof failing) => {
    seen.push(name);
    if ((failing[name] ?? 0) > 0) {
      failing[name]!--;
      throw new Error(`${name} failed`);
    }
  };
  const list = new TenantList(() => {
    step("open");
    return Promise.resolve({
      deploy: () => turn().then(() => step("deploy")),
      close: () => turn().then(() => void seen.push("close")),
      begin: () => ({
        run: () => turn().then(() => (step("run"), [])),
        commit: () => turn().then(() => step("commit")),
        rollback: () => turn().then(() => void seen.push("rollback")),
      }),
    } as unknown as Database);
  });
  return { list, seen };
}

Deno.test("the database of the list is opened and deployed once, by the first who asks", async () => {
  const { list, seen } = listOn({});
  assert.deepEqual(await Promise.all([list.all(), list.find("t1")]), [[], undefined]);
  assert.deepEqual(seen, ["open", "deploy", "run", "run", "commit", "commit"]);
  await list.close();
  assert.equal(seen.at(-1), "close");
});

Deno.test("after the database of the list could not be opened or deployed the next who asks tries again", async () => {
  const opening = listOn({ open: 1 });
  await assert.rejects(opening.list.all(), /open failed/);
  assert.deepEqual(await opening.list.all(), []);
  assert.deepEqual(opening.seen, ["open", "open", "deploy", "run", "commit"]);
  const deploying = listOn({ deploy: 1 });
  await assert.rejects(deploying.list.all(), /deploy failed/);
  assert.deepEqual(deploying.seen, ["open", "deploy", "close"]);
  assert.deepEqual(await deploying.list.all(), []);
  assert.deepEqual(deploying.seen, ["open", "deploy", "close", "open", "deploy", "run", "commit"]);
});

Deno.test("a statement of the list that fails is undone, and the database stays open", async () => {
  const { list, seen } = listOn({ run: 1 });
  await assert.rejects(list.remove("t1"), /run failed/);
  assert.deepEqual(seen, ["open", "deploy", "run", "rollback"], "it is undone when that is told");
  await list.put("t1", { status: "ready" });
  assert.deepEqual(seen, ["open", "deploy", "run", "rollback", "run", "commit"]);
});

Deno.test("a change of the list that cannot be committed is no change", async () => {
  const { list, seen } = listOn({ commit: 1 });
  await assert.rejects(list.put("t1", { status: "ready" }), /commit failed/);
  assert.deepEqual(seen, ["open", "deploy", "run", "commit", "rollback"]);
});

Deno.test("a list that nobody has asked, or that could not be opened, is closed without its database", async () => {
  const { list, seen } = listOn({ open: 1 });
  await list.close();
  await assert.rejects(list.all());
  await list.close();
  assert.deepEqual(seen, ["open"]);
});

/** A list over rows of its own, and what it asks its database for. */
function listOver(rows: readonly Row[]) {
  const asked: Query[] = [];
  const list = new TenantList(() =>
    Promise.resolve({
      deploy: () => Promise.resolve(),
      close: () => Promise.resolve(),
      begin: () => ({
        run: (query: Query) => (asked.push(query), Promise.resolve(rows)),
        commit: () => Promise.resolve(),
        rollback: () => Promise.resolve(),
      }),
    } as unknown as Database)
  );
  return { list, asked };
}

Deno.test("a tenant of the list has the members that its row has a value of, and its metadata as an object", async () => {
  const row = { tenant: "t1", status: "FAILED", metadata: '{"plan":"free"}', lastError: "no room" };
  const { list } = listOver([row, {
    tenant: 2,
    status: "RUNNING",
    metadata: null,
    lastError: null,
    version: undefined,
  }]);
  assert.deepEqual(await list.all(), [
    { tenant: "t1", status: "FAILED", lastError: "no room", metadata: { plan: "free" } },
    { tenant: "2", status: "RUNNING" },
  ]);
  assert.equal((await list.find("t1"))?.lastError, "no room");
});

Deno.test("a tenant is found and removed by its name", async () => {
  const { list, asked } = listOver([]);
  assert.equal(await list.find("t1"), undefined);
  await list.remove("t2");
  const [found, removed] = asked as unknown as [{ SELECT: Row }, { DELETE: Row }];
  assert.deepEqual(
    [found.SELECT.where, removed.DELETE.where],
    ["t1", "t2"].map((val) => [{ ref: ["tenant"] }, "=", { val }]),
  );
});

Deno.test("a change of a tenant of the list is written with what it names; an error is cut, or taken away by null", async () => {
  const cases: readonly (readonly [change: object, row: object])[] = [
    [{ status: "RUNNING" }, { status: "RUNNING" }],
    [{ metadata: { plan: "free" } }, { metadata: '{"plan":"free"}' }],
    [{ lastError: null }, { lastError: null }],
    [{ lastError: "no room" }, { lastError: "no room" }],
  ];
  for (const [change, row] of cases) {
    const { list, asked } = listOver([]);
    await list.put("t1", change as Parameters<TenantList["put"]>[1]);
    const [{ UPSERT }] = asked as unknown as [{ readonly UPSERT: { readonly entries: readonly Row[] } }];
    assert.deepEqual(UPSERT.entries, [{ tenant: "t1", ...row }]);
  }
  const { list, asked } = listOver([]);
  await list.put("t1", { lastError: "x".repeat(100_000) });
  const [{ UPSERT }] = asked as unknown as [{ readonly UPSERT: { readonly entries: readonly Row[] } }];
  assert.equal(UPSERT.entries[0]!.lastError, "x".repeat(1_000));
});
