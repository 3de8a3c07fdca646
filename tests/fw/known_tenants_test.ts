import assert from "node:assert/strict";
import { configuredTenants } from "../../src/fw/tenants/known_tenants.ts";

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
