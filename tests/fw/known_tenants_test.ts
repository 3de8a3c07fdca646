import assert from "node:assert/strict";
import type { AuthenticationStrategy } from "../../src/auth/strategy.ts";
import type { EventContext } from "../../src/context/event_context.ts";
import { admittingStrategy, configuredTenants, KnownTenants } from "../../src/fw/tenants/known_tenants.ts";
import type { TenantList } from "../../src/fw/tenants/tenant_list.ts";

function tenantsOf(requires: Record<string, unknown>): readonly string[] {
  return [...configuredTenants({ requires } as Parameters<typeof configuredTenants>[0])];
}

Deno.test("a configuration names tenants by its databases, and by users of strategies without identity service", () => {
  const users = { ann: { tenant: "t1" }, bob: { tenant: 2 }, eve: { tenant: "t3" }, "*": true, joe: null };
  const db = { tenants: { t0: {}, t1: {} } };
  for (const kind of ["mocked", "basic"]) {
    assert.deepEqual(tenantsOf({ auth: { kind, users }, db }), ["t0", "t1", "t3"]);
    assert.deepEqual(tenantsOf({ auth: { kind, users } }), ["t1", "t3"]);
    assert.deepEqual(tenantsOf({ auth: { kind }, db }), ["t0", "t1"]);
  }
  assert.deepEqual(tenantsOf({ auth: { kind: "jwt", users }, db }), ["t0", "t1"]);
  assert.deepEqual(tenantsOf({}), []);
});

const LISTED: Readonly<Record<string, string>> = { ready: "ready", failed: "failed", fresh: "new" };

/** Tenants of a list and of the configuration, with what was asked and admitted. */
function knownOf(configured: readonly string[] = []) {
  const asked: string[] = [];
  const used: string[] = [];
  const list = {
    find: (tenant: string) => {
      asked.push(tenant);
      const status = LISTED[tenant];
      return Promise.resolve(status === undefined ? undefined : { tenant, status });
    },
  } as unknown as TenantList;
  const known = new KnownTenants(list, new Set(configured), (tenant) => void used.push(tenant));
  return { known, asked, used };
}

Deno.test("tenants are known by the configuration, or by the list once their database is there", async () => {
  const { known, asked, used } = knownOf(["mine"]);
  assert.equal(known.isKnown("mine"), true);
  assert.deepEqual(asked, []);
  for (
    const [tenant, expected] of [["ready", true], ["failed", true], ["fresh", false], ["eve", false]] as const
  ) {
    assert.equal(await known.isKnown(tenant), expected, tenant);
    if (expected) await known.admit(tenant);
    else {
      await assert.rejects(
        async () => await known.admit(tenant),
        (error: { status: number; cause: Error }) => {
          assert.deepEqual([error.status, error.cause.message], [403, "The tenant has not subscribed"]);
          return true;
        },
      );
    }
  }
  known.admit("mine");
  assert.deepEqual(used, ["ready", "failed", "mine"]);
});

Deno.test("what the list says counts for ten seconds, unless this process has changed it", async () => {
  const { now } = performance;
  let at = 500_000;
  performance.now = () => at;
  try {
    const { known, asked } = knownOf();
    const ask = async (passed: number) => {
      at += passed;
      await known.isKnown("ready");
      return asked.length;
    };
    assert.deepEqual([await ask(0), await ask(9_999), await ask(1), await ask(9_999)], [1, 1, 2, 2]);
    assert.equal(known.isKnown("ready"), true, "no promise where nothing is asked");
    known.forget("other");
    assert.equal(await ask(0), 2);
    known.forget("ready");
    assert.equal(await ask(0), 3);
  } finally {
    performance.now = now;
  }
});

Deno.test("users of strangers are refused, those without tenant and the platform are not", async () => {
  const { known, used } = knownOf();
  const cases: readonly [object, string, string | undefined, number][] = [
    [{ user: {}, tenant: "ready" }, "/x", undefined, 200],
    [{ user: {}, tenant: "eve" }, "/x", undefined, 403],
    [{ user: {}, tenant: "ready" }, "/x", "eve", 200],
    [{ user: {} }, "/x", "eve", 403],
    [{ user: {} }, "/x", undefined, 200],
    [{ anonymous: true, tenant: "eve" }, "/x", undefined, 200],
    [{ anonymous: true }, "/x", "eve", 403],
    [{ user: {}, tenant: "eve" }, "/-/cds/deployment/subscribe", undefined, 200],
    [{ user: {}, tenant: "eve" }, "/-/cdsx", undefined, 403],
    [{ user: {}, tenant: "eve" }, "/x?/-/cds/", undefined, 403],
  ];
  for (const [result, path, tenant, status] of cases) {
    const strategy = { kind: "own", authenticate: () => result } as unknown as AuthenticationStrategy;
    const admitting = admittingStrategy(strategy, known);
    const context = { tenant } as EventContext;
    const request = new Request(`http://localhost${path}`);
    const authenticate = async () => await admitting.authenticate(request, context, undefined as never);
    if (status === 200) assert.equal(await authenticate(), result);
    else await assert.rejects(authenticate, { status });
  }
  assert.deepEqual(used, ["ready", "ready"]);
});

Deno.test("what the list says is kept of 10,000 tenants, strangers among them", async () => {
  const { known, asked } = knownOf();
  for (let i = 0; i < 10_000; i++) await known.isKnown(`t${i}`);
  assert.equal(known.isKnown("t0"), false, "no promise where nothing is asked");
  await known.isKnown("one more");
  const before = asked.length;
  for (const tenant of ["t0", "t2", "t1"]) await known.isKnown(tenant);
  assert.equal(asked.length - before, 1);
});
