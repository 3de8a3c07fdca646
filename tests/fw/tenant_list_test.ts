/** The list of tenants and its database (docs/guides/multitenancy.md). */

import assert from "node:assert/strict";
import { TenantList } from "../../src/fw/tenants/tenant_list.ts";
import type { Database } from "../../src/service/database.ts";

/** A list whose database does what it is told, and what happened to it. */
function listOn(failing: { open?: number; deploy?: number; run?: number }) {
  const seen: string[] = [];
  const step = (name: "open" | "deploy" | "run") => {
    seen.push(name);
    if ((failing[name] ?? 0) > 0) {
      failing[name]!--;
      throw new Error(`${name} failed`);
    }
  };
  const list = new TenantList(() => {
    step("open");
    return Promise.resolve({
      deploy: async () => await step("deploy"),
      close: async () => void await seen.push("close"),
      begin: () => ({
        run: async () => (await step("run"), []),
        commit: async () => void await seen.push("commit"),
        rollback: async () => void await seen.push("rollback"),
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
  assert.deepEqual(await deploying.list.all(), []);
  assert.deepEqual(deploying.seen, ["open", "deploy", "close", "open", "deploy", "run", "commit"]);
});

Deno.test("a statement of the list that fails is undone, and the database stays open", async () => {
  const { list, seen } = listOn({ run: 1 });
  await assert.rejects(list.remove("t1"), /run failed/);
  await list.put("t1", { status: "ready" });
  assert.deepEqual(seen, ["open", "deploy", "run", "rollback", "run", "commit"]);
});

Deno.test("a list that nobody has asked, or that could not be opened, is closed without its database", async () => {
  const { list, seen } = listOn({ open: 1 });
  await list.close();
  await assert.rejects(list.all());
  await list.close();
  assert.deepEqual(seen, ["open"]);
});
