/** What unsubscribing does, in its order (docs/guides/multitenancy.md). */

import assert from "node:assert/strict";
import type { TenantList } from "../../src/fw/tenants/tenant_list.ts";
import { TenantOperations } from "../../src/fw/tenants/tenant_operations.ts";

/** Operations on a list with one tenant, and what they did; steps take a while. */
function recording({ drops = true, failsAt }: { readonly drops?: boolean; readonly failsAt?: string } = {}) {
  const done: string[] = [];
  const step = async (name: string) => {
    await new Promise((resolve) => setTimeout(resolve));
    if (name === failsAt) throw new Error(`${name} failed`);
    done.push(name);
  };
  const list = {
    find: (tenant: string) => Promise.resolve(tenant === "t1" ? { tenant, status: "ready" } : undefined),
    remove: (tenant: string) => step(`remove ${tenant}`),
  };
  const operations = new TenantOperations(
    {
      list: list as unknown as TenantList,
      open: async (tenant: string | undefined) => {
        await step(`open ${tenant}`);
        return { close: () => step("close"), ...(drops && { drop: () => step("drop") }) };
      },
      changed: (tenant: string) => void done.push(`changed ${tenant}`),
      release: (tenant: string) => step(`release ${tenant}`),
    } as unknown as ConstructorParameters<typeof TenantOperations>[0],
  );
  return { operations, done };
}

const GONE = ["remove t1", "changed t1", "release t1"];

Deno.test("a tenant is admitted no more, its database is let go, and only then opened and dropped", async () => {
  const { operations, done } = recording();
  assert.equal(await operations.unsubscribe("t1"), true);
  assert.deepEqual(done, [...GONE, "open t1", "drop"]);
});

Deno.test("a database that cannot be dropped is closed, one that is kept is not opened", async () => {
  const closing = recording({ drops: false });
  assert.equal(await closing.operations.unsubscribe("t1"), true);
  assert.deepEqual(closing.done, [...GONE, "open t1", "close"]);
  const keeping = recording();
  assert.equal(await keeping.operations.unsubscribe("t1", { keepData: true }), true);
  assert.deepEqual(keeping.done, GONE);
});

Deno.test("who has not subscribed is not unsubscribed; a step that fails ends it", async () => {
  const { operations, done } = recording();
  assert.equal(await operations.unsubscribe("t2"), false);
  assert.deepEqual(done, []);
  const failing = recording({ failsAt: "release t1" });
  await assert.rejects(failing.operations.unsubscribe("t1"), /release t1 failed/);
  assert.deepEqual(failing.done, GONE.slice(0, 2));
});
