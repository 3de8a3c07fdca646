/** What unsubscribing does, in its order (docs/guides/multitenancy.md). */

import assert from "node:assert/strict";
import type { TenantList } from "../../src/fw/tenants/tenant_list.ts";
import { linkModel } from "../../src/model/link_model.ts";
import { TenantOperations } from "../../src/fw/tenants/tenant_operations.ts";

/** What others do in the meantime. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

/** Operations on a list with one tenant, and what they did; steps take a while. */
function recording({ drops = true, failsAt }: { readonly drops?: boolean; readonly failsAt?: string } = {}) {
  const done: string[] = [];
  const step = async (name: string) => {
    await turn();
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

const MODEL = linkModel({ definitions: { A: { kind: "entity", elements: {} } } });

/** Operations on listed tenants, whose databases are deployed with two statements, and what becomes of them. */
function upgrading(tenants: Readonly<Record<string, object>>, fails: readonly string[] = []) {
  const put: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  const closed: string[] = [];
  const listed = Object.entries(tenants).map(([tenant, entry]) => ({ tenant, ...entry }));
  const operations = new TenantOperations(
    {
      model: MODEL,
      data: () => new Map(),
      list: {
        all: () => Promise.resolve(listed),
        put: async (tenant: string, entry: Readonly<Record<string, unknown>>) => {
          await turn();
          put.push([tenant, entry]);
        },
      } as unknown as TenantList,
      open: (tenant: string) =>
        Promise.resolve({
          deploy: () =>
            fails.includes(tenant)
              ? Promise.reject(new Error("no disk"))
              : Promise.resolve({ statements: [1, 2] }),
          close: async () => {
            for (let turns = 0; turns < 2; turns++) await turn();
            closed.push(tenant);
          },
        }),
    } as unknown as ConstructorParameters<typeof TenantOperations>[0],
  );
  return { operations, put, closed };
}

Deno.test("an upgrade goes on behind a tenant that fails, and tells how far it is", async () => {
  const { operations, put, closed } = upgrading({
    a: { status: "ready" },
    b: { status: "new" },
    c: { status: "ready" },
  }, ["b"]);
  const progress: unknown[] = [];
  const known: unknown[] = [];
  const outcomes = await operations.upgrade({
    concurrency: 1,
    onProgress: ({ tenant }, done, all) => {
      progress.push([tenant, done, all]);
      known.push([closed.at(-1), put.at(-1)?.[0]]);
    },
  });
  assert.deepEqual(progress, [["a", 1, 3], ["b", 2, 3], ["c", 3, 3]]);
  assert.deepEqual(outcomes, [{ tenant: "a", statements: 2 }, { tenant: "b", error: new Error("no disk") }, {
    tenant: "c",
    statements: 2,
  }]);
  assert.deepEqual(closed, ["a", "b", "c"]);
  assert.deepEqual(known, [["a", "a"], ["b", "b"], ["c", "c"]], "closed and listed before it is told");
  const [first, second] = put.map(([tenant, { status, lastError }]) => ({ tenant, status, lastError }));
  assert.deepEqual(first, { tenant: "a", status: "ready", lastError: null });
  assert.deepEqual(second, { tenant: "b", status: "new", lastError: "no disk" });
});

Deno.test("an upgrade takes the tenants that are named, which have subscribed, and leaves those that are up to date", async () => {
  const { operations, put } = upgrading({ a: { status: "ready" }, b: { status: "ready" } }, ["a"]);
  const [outcome] = await operations.upgrade({ tenants: ["a"] });
  assert.equal(outcome!.error?.message, "no disk");
  assert.deepEqual(put.map(([tenant, { status }]) => [tenant, status]), [["a", "failed"]]);
  await assert.rejects(operations.upgrade({ tenants: ["a", "z"] }), {
    ...{ name: "ConfigurationError", message: 'Tenant "z" has not subscribed' },
  });
  await operations.upgrade({ tenants: ["b"] });
  const { version } = put.at(-1)![1];
  const current = upgrading({ b: { status: "ready", version } });
  assert.deepEqual(await current.operations.upgrade(), [{ tenant: "b" }]);
  assert.deepEqual(current.put, []);
});

/** What subscribing does to a list with tenants, whose statements take a while, and to databases that may fail. */
async function subscribing(
  known: object | undefined,
  { metadata, fails }: { readonly metadata?: Readonly<Record<string, unknown>>; readonly fails?: unknown } =
    {},
) {
  const done: unknown[] = [];
  const operations = new TenantOperations(
    {
      model: MODEL,
      data: () => "rows",
      list: {
        find: () => Promise.resolve(known && { tenant: "t1", ...known }),
        put: async (
          tenant: string,
          { subscribedAt, upgradedAt, version, ...entry }: Record<string, unknown>,
        ) => {
          await turn();
          const times = [subscribedAt, upgradedAt].map((time) =>
            time === undefined || !Number.isNaN(Date.parse(`${time}`))
          );
          assert.deepEqual(times, [true, true]);
          done.push([
            tenant,
            entry,
            subscribedAt !== undefined,
            upgradedAt !== undefined && version !== undefined,
          ]);
        },
      } as unknown as TenantList,
      changed: (tenant: string) => void done.push(`changed ${tenant}`),
      open: (tenant: string) => {
        done.push(`open ${tenant}`);
        const deploy = async (data: unknown, { mode }: { mode?: string }) => {
          await turn();
          if (fails !== undefined) throw fails;
          done.push(`deploy ${data} ${mode}`);
          return { statements: [] };
        };
        return Promise.resolve({ deploy, close: () => turn().then(() => void done.push("close")) });
      },
    } as unknown as ConstructorParameters<typeof TenantOperations>[0],
  );
  const outcome = await operations.subscribe("t1", metadata).catch((error) => error);
  return { outcome, done };
}

const READY = ["t1", { status: "ready", lastError: null }, false, true];
const DEPLOYED = ["open t1", "deploy rows undefined", "close"];

Deno.test("a tenant that subscribes is listed as new until its database is there; once more, only what is known changes", async () => {
  const metadata = { plan: "free" };
  const cases: readonly [object | undefined, typeof metadata | undefined, boolean, unknown[]][] = [
    [undefined, metadata, true, [["t1", { status: "new", metadata }, true, false]]],
    [undefined, undefined, true, [["t1", { status: "new", metadata: undefined }, true, false]]],
    [{ status: "new" }, metadata, true, [["t1", { status: "new", metadata }, true, false]]],
    [{ status: "ready" }, metadata, false, [["t1", { metadata }, false, false]]],
    [{ status: "failed" }, undefined, false, []],
  ];
  for (const [known, given, isNew, first] of cases) {
    const { outcome, done } = await subscribing(known, { metadata: given });
    assert.equal(outcome, isNew);
    assert.deepEqual(done, [...first, ...DEPLOYED, READY, "changed t1"], JSON.stringify(known));
  }
});

Deno.test("a subscription whose database cannot be made fails, and the list says why", async () => {
  const cases: readonly [object | undefined, unknown, string, string][] = [
    [undefined, new Error("no disk"), "new", "no disk"],
    [{ status: "new" }, "only a text", "new", "only a text"],
    [{ status: "ready" }, new Error("no disk"), "failed", "no disk"],
  ];
  for (const [known, fails, status, lastError] of cases) {
    const { outcome, done } = await subscribing(known, { fails });
    assert.equal(outcome, fails);
    assert.deepEqual(done.slice(-3), ["open t1", "close", ["t1", { status, lastError }, false, false]]);
  }
});

Deno.test("four tenants are upgraded at a time, unless another number is given", async () => {
  for (const [concurrency, expected] of [[undefined, 4], [2, 2]] as const) {
    let [now, most] = [0, 0];
    const tenants = Array.from({ length: 9 }, (_, i) => ({ tenant: `t${i}`, status: "ready" }));
    const operations = new TenantOperations(
      {
        model: MODEL,
        data: () => new Map(),
        list: { all: () => Promise.resolve(tenants), put: () => Promise.resolve() } as unknown as TenantList,
        open: async () => {
          most = Math.max(most, ++now);
          await turn();
          return {
            deploy: () => Promise.resolve({ statements: [] }),
            close: () => Promise.resolve(void now--),
          };
        },
      } as unknown as ConstructorParameters<typeof TenantOperations>[0],
    );
    assert.equal((await operations.upgrade({ concurrency })).length, 9);
    assert.equal(most, expected);
  }
});
