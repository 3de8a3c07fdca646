import assert from "node:assert/strict";
import { createIdentity } from "../../src/test/mod.ts";
import { KEYS, withTokens } from "./token_app.ts";
import { decode } from "./token_parts.ts";

/** Scopes that must not give the role of a service. */
const NO_ROLE: readonly [id: string, what: string, scope: string, service: string][] = [
  ["oauth2-scopes-002", "with the prefix of another application gives no role", "other!t1.admin", "admins"],
  ["oauth2-scopes-003", "whose prefix only ends like ours gives no role", "xbookshop!t1.admin", "admins"],
  ["oauth2-scopes-005", "with our prefix in the middle gives no role", "x.bookshop!t1.admin", "admins"],
  ["oauth2-scopes-007", "cannot give a user a pseudo-role", "bookshop!t1.system-user", "systems"],
];

for (const [id, what, scope, service] of NO_ROLE) {
  Deno.test(`a scope ${what} (${id})`, () =>
    withTokens({}, async ({ identity, status, user }) => {
      const token = await identity.token({ user: "alice", claims: { scope: [scope] } });
      assert.equal(await status(token, service), 403);
      assert.deepEqual((await user(token)).roles, scope === "bookshop!t1.system-user" ? [] : [scope]);
    }));
}

Deno.test("a scope gives the role that follows our prefix, others keep their names [5.4.1] [2.6.d.match]", () =>
  withTokens({}, async ({ identity, status, user }) => {
    const token = await identity.token({ user: "alice", roles: ["admin", "a.b"] });
    assert.equal(await status(token, "admins"), 200);
    assert.deepEqual((await user(token)).roles, ["openid", "admin", "a.b"]);
    const text = await identity.token({ user: "alice", claims: { scope: "openid bookshop!t1.admin" } });
    assert.equal(await status(text, "admins"), 200);
  }));

Deno.test("a scope cannot make a foreign technical user an internal one (oauth2-scopes-008)", () =>
  withTokens({}, async ({ identity, status }) => {
    const scope = ["bookshop!t1.internal-user", "internal-user"];
    const token = await identity.token({ claims: { azp: "sb-other!t1", scope } });
    assert.equal(await status(token, "internals"), 403);
    assert.equal(await status(token, "systems"), 200);
  }));

Deno.test("an attribute with the name __proto__ changes no prototype (oauth2-scopes-010)", () =>
  withTokens({}, async ({ identity, user }) => {
    const claims = decode((await identity.token({ user: "alice" })).split(".")[1]!);
    const payload = JSON.stringify(claims)
      .replace('"xs.user.attributes":{}', '"xs.user.attributes":{"__proto__":["x"],"country":["DE"]}');
    const { attr } = await user(await identity.sign({ alg: "RS256", kid: await identity.keyId() }, payload));
    assert.equal(Object.getPrototypeOf(attr), null);
    assert.deepEqual(Object.entries(attr), [["__proto__", ["x"]], ["country", ["DE"]]]);
    assert.equal(({} as Record<string, unknown>)[0], undefined);
  }));

Deno.test("a technical user of our own client is a system-user and an internal-user (oauth2-scopes-012)", () =>
  withTokens({}, async ({ identity, user, status }) => {
    const token = await identity.token();
    const { id, roles } = await user(token);
    assert.equal(id, "system");
    assert.deepEqual(roles.slice(-2), ["system-user", "internal-user"]);
    assert.equal(await status(token, "internals"), 200);
    const x509 = await identity.token({ claims: { grant_type: "client_x509" } });
    assert.equal(await status(x509, "systems"), 200);
  }));

Deno.test("a grant that only looks like that of a technical user gives no pseudo-role (oauth2-scopes-013)", () =>
  withTokens({}, async ({ identity, user }) => {
    for (const grant_type of ["CLIENT_CREDENTIALS", ["client_credentials"]]) {
      const { id, roles } = await user(await identity.token({ claims: { grant_type } }));
      assert.notEqual(id, "system");
      assert.deepEqual(roles, ["uaa.resource"]);
    }
  }));

Deno.test("a broker accepts the tokens of its clones, another instance does not (oauth2-scopes-015)", async () => {
  const cases = [
    ["broker!b1", "sb-x!b9|broker!b1", 200],
    ["broker!b1", "sb-x!b9|broker!b11", 401],
    ["broker!b1", "sb-x!b9broker!b1", 401],
    ["broker!t1", "sb-x!t9|broker!t1", 401],
  ] as const;
  for (const [clientId, aud, expected] of cases) {
    const identity = createIdentity({ kind: "oauth2", appName: clientId, clientId, keys: KEYS });
    await withTokens({ identity }, async ({ status }) => {
      const claims = { aud: [aud], azp: "sb-x!b9" };
      assert.equal(await status(await identity.token({ user: "alice", claims })), expected, aud);
    });
  }
});

Deno.test("the tenant is that of zid, whatever the subdomain says (oauth2-scopes-017) [5.4.2]", () =>
  withTokens({ requires: { multitenancy: true } }, async ({ identity, get }) => {
    const ext_attr = { enhancer: "XSUAA", zdn: "tenant-a" };
    const token = await identity.token({ user: "alice", claims: { zid: "tenant-b", ext_attr } });
    assert.equal((await (await get("members", token)).json()).value, "alice tenant-b");
  }));

Deno.test("a tenant that is no name never reaches the URL of the keys (oauth2-scopes-018)", () =>
  withTokens({}, async ({ identity, status }) => {
    for (const zid of ["uaa?x=1&zid=t2", "a/../b", "", "__proto__", 1, ["t1"], "a".repeat(65)]) {
      assert.equal(await status(await identity.token({ user: "alice", claims: { zid } })), 401);
    }
    assert.equal(identity.requests.length, 0);
  }));

Deno.test("attributes inside ext_cxt count, those that are no texts do not [5.4.2]", () =>
  withTokens({}, async ({ identity, user }) => {
    const ext_cxt = { "xs.user.attributes": { country: ["DE", 1], city: "Bonn" } };
    const claims = { "xs.user.attributes": undefined, ext_cxt };
    const { attr } = await user(await identity.token({ user: "alice", claims }));
    assert.deepEqual({ ...attr }, { country: ["DE"], city: ["Bonn"] });
  }));
