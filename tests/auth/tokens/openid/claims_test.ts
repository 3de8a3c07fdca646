/** The user that tokens of OpenID providers give (`fw.requires.auth.claims`). */

import assert from "node:assert/strict";
import { parseClaimPath } from "../../../../src/config/openid_schema.ts";
import { createIdentity, createSigningKeys } from "../../../../src/test/mod.ts";
import { assertRefused } from "../../../security/token_parts.ts";
import { type TokenApp, type TokenSetting, withTokens } from "../../../security/token_app.ts";

const KEYS = await createSigningKeys("RS256");
const identity = createIdentity({ kind: "openid", keys: KEYS });

/** An application with claims of its own; only what is given is configured. */
function withClaims(
  claims: object | undefined,
  run: (app: TokenApp) => Promise<void>,
  setting: Omit<TokenSetting, "auth" | "identity"> = {},
): Promise<void> {
  const { issuer, audience } = identity.credentials;
  return withTokens(
    { identity, auth: { credentials: undefined, issuer, audience, claims }, ...setting },
    run,
  );
}

const token = (claims: object = {}) => identity.token({ user: "ann", claims: { ...claims } });

/** Paths, claims, and the roles they give. */
const ROLES: readonly (readonly [path: unknown, claims: object, roles: readonly string[]])[] = [
  ["roles", { roles: ["a", "b"] }, ["a", "b"]],
  ["scope", { scope: "openid  a b" }, ["openid", "a", "b"]],
  ["permissions", { permissions: ["read:books", "with blank"] }, ["read:books", "with blank"]],
  ["realm_access.roles", { realm_access: { roles: ["a"] }, "realm_access.roles": ["x"] }, ["a"]],
  ["resource_access.shop.roles", { resource_access: { shop: { roles: ["a"] }, x: { roles: ["b"] } } }, ["a"]],
  ['resource_access["shop.api"].roles', { resource_access: { "shop.api": { roles: ["a"] } } }, ["a"]],
  ["https://example.com/roles", { "https://example.com/roles": ["a"], https: ["x"] }, ["a"]],
  ["urn:example:roles", { "urn:example:roles": "a" }, ["a"]],
  ["cognito:groups", { "cognito:groups": ["a"] }, ["a"]],
  ["['a.b']['c'].d", { "a.b": { c: { d: "a" } } }, ["a"]],
  [["groups", "scp"], { groups: ["a", "b"], scp: "b c" }, ["a", "b", "c"]],
  [["groups", "missing.roles"], { groups: null, missing: "text" }, []],
  ["__proto__.roles", {}, []],
  ["constructor.name", {}, []],
  ["roles.length", { roles: ["a"] }, []],
  ["roles.0", { roles: ["a"] }, []],
  ["roles.*", { roles: { a: {}, b: { id: "x" }, c: true, d: false, e: null, "system-user": true } }, [
    "a",
    "b",
    "c",
  ]],
  ["roles.*", {}, []],
  ["['urn:x:roles'].*", { "urn:x:roles": { a: {} } }, ["a"]],
  [undefined, { roles: ["a"], scope: "a" }, []],
  // what a user is follows from the token as a whole
  ["roles", {
    roles: ["any", "internal-user", "system-user", "identified-user", "authenticated-user", "a", ""],
  }, ["a"]],
];

for (const [path, claims, roles] of ROLES) {
  Deno.test(`roles at ${JSON.stringify(path)} of ${JSON.stringify(claims)}`, () =>
    withClaims({ roles: path }, async ({ user }) => {
      const ann = await user(await token(claims));
      assert.deepEqual([ann.id, [...ann.roles].sort()], ["ann", [...roles].sort()]);
      assert.ok(!ann.is("internal-user") && !ann.is("system-user") && ann.is("identified-user"));
    }));
}

Deno.test("roles of another type than texts are refused, not taken for none", () =>
  withClaims({ roles: ["realm_access", "roles"] }, async (app) => {
    for (const roles of [1, true, {}, { admin: true }, [1], ["a", null], [["a"]]]) {
      await assertRefused(app, await token({ roles }));
      await assertRefused(app, await token({ realm_access: roles }));
    }
    assert.equal(await app.status(await token({ roles: ["a"] })), 200);
  }));

Deno.test("members that are roles hold an object or a boolean, anything else is refused", () =>
  withClaims({ roles: "roles.*" }, async (app) => {
    for (const roles of [1, true, "a", ["a"], { a: 1 }, { a: "b" }, { a: ["b"] }, { a: {}, b: 0 }]) {
      await assertRefused(app, await token({ roles }));
    }
    assert.equal(await app.status(await token({ roles: { a: {} } })), 200);
  }));

Deno.test("the user stands where claims.user says, by default in sub", () =>
  withClaims({ user: "profile.login" }, async (app) => {
    assert.equal((await app.user(await token({ profile: { login: "ann@x" } }))).id, "ann@x");
    for (
      const login of [undefined, null, "", 1, ["ann"], {}, "a\nb", "a\u2028b", "a\ud800", "x".repeat(257)]
    ) {
      await assertRefused(app, await token({ profile: { login } }));
    }
    await assertRefused(app, await token({ profile: { login: "ann" }, sub: "" }));
  }));

Deno.test("the tenant stands where claims.tenant says, in multitenant operation only", async () => {
  const claims = { tenant: "https://example.com/tenant" };
  const named = (tenant: unknown) => token({ [claims.tenant]: tenant });
  await withClaims(claims, async (app) => {
    const value = async (text: string) => (await (await app.get("members", text)).json()).value;
    assert.equal(await value(await named("t1")), "ann t1");
    for (const wrong of ["../x", "", "a b", 1, ["t1"], {}, "x".repeat(65)]) {
      await assertRefused(app, await named(wrong));
    }
    assert.equal(await app.status(await token()), 401);
  }, { requires: { multitenancy: true } });
  await withClaims(claims, async (app) => {
    const { value } = await (await app.get("members", await named("../x"))).json();
    assert.equal(value, "ann undefined");
  });
});

Deno.test("attributes are all claims but those of the protocol, or those that claims.attributes names", async () => {
  const claims = {
    email: "a@b.test",
    address: { country: "DE" },
    "https://example.com/area": ["A", "B"],
    level: 3,
    none: null,
  };
  const attributes = async (configured: unknown) => {
    let found: unknown;
    await withClaims({ attributes: configured }, async ({ user }) => {
      found = { ...(await user(await identity.token({ user: "ann", claims }))).attr };
    });
    return found as Record<string, unknown>;
  };
  const all = await attributes(undefined);
  assert.deepEqual([all.email, all.level, all.given_name], ["a@b.test", 3, "ann"]);
  assert.deepEqual(
    ["iss", "sub", "aud", "exp", "iat", "jti", "azp", "none"].filter((name) => name in all),
    [],
  );
  assert.deepEqual(
    await attributes({ country: "address.country", area: "https://example.com/area", no: "x" }),
    { country: "DE", area: ["A", "B"] },
  );
  assert.deepEqual(await attributes(["email", "address.country", "['https://example.com/area']"]), {
    email: "a@b.test",
    country: "DE",
    "https://example.com/area": ["A", "B"],
  });
  assert.deepEqual(await attributes("address"), { country: "DE" });
  assert.deepEqual(await attributes("missing"), {});
  await withClaims({ attributes: "email" }, async (app) => await assertRefused(app, await token(claims)));
});

Deno.test("a technical user is one whose token was issued to a client for itself (RFC 9068, 2.2)", () =>
  withClaims({ roles: "roles" }, async ({ user }) => {
    const technical = [
      { sub: "app-client" },
      { sub: "c", azp: undefined, client_id: "c" },
      { sub: "c", azp: undefined, cid: "c", aud: "app" },
      { sub: "x", idtyp: "app" },
      { sub: "c@clients", gty: "client-credentials" },
    ];
    for (const claims of technical) {
      const { id, roles } = await user(await token({ ...claims, roles: ["reader", "internal-user"] }));
      assert.deepEqual([id, roles], ["system", ["reader", "system-user"]], JSON.stringify(claims));
    }
    const named = [
      { sub: "ann", preferred_username: "service-account-app-client" },
      { sub: "ann", gty: "password", idtyp: "user" },
      { sub: "system-user" },
    ];
    for (const claims of named) {
      const ann = await user(await token(claims));
      assert.deepEqual([ann.id, ann.is("system-user")], [claims.sub, false]);
    }
  }));

Deno.test("named users of the OIDC service get roles by claims.roles, technical ones by ias_apis (kind oidc)", async () => {
  const oidc = createIdentity({ kind: "oidc", keys: KEYS, claims: { roles: ["groups", "ext.roles"] } });
  const never = { authentication: { certificateBinding: "never" } };
  const auth = { claims: oidc.claims };
  await withTokens({ identity: oidc, auth, security: never }, async (app) => {
    const ann = await app.user(
      await oidc.token({ user: "ann", roles: ["admin", "any"], claims: { ext: { roles: "clerk" } } }),
    );
    assert.deepEqual(ann.roles, ["admin", "clerk"]);
    assert.equal(await app.status(await oidc.token({ user: "ann", roles: ["admin"] }), "admins"), 200);
    assert.equal(await app.status(await oidc.token({ user: "bob" }), "admins"), 403);
    await assertRefused(app, await oidc.token({ user: "ann", claims: { groups: { admin: true } } }));
    const technical = await app.user(await oidc.token({ roles: ["reader"], claims: { groups: ["admin"] } }));
    assert.deepEqual(technical.roles, ["reader", "system-user", "internal-user"]);
  });
});

Deno.test("parseClaimPath() reads names, quoted names, URLs and URNs, and nothing else", () => {
  const accepted: readonly (readonly [string, readonly string[]])[] = [
    ["roles", ["roles"]],
    ["realm_access.roles", ["realm_access", "roles"]],
    ['a["b.c"].d', ["a", "b.c", "d"]],
    [`["a""b"]['c''d']`, ['a"b', "c'd"]],
    ["https://example.com/a.b", ["https://example.com/a.b"]],
    ["urn:a.b:c", ["urn:a.b:c"]],
    ["x:y", ["x:y"]],
    ['["https://example.com/x"].roles', ["https://example.com/x", "roles"]],
  ];
  for (const [text, names] of accepted) assert.deepEqual(parseClaimPath(text), names, text);
  const refused = [
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a b",
    "a[b]",
    'a["b"',
    'a[""]',
    "a]",
    "a[0]",
    '"a"',
    "https://a b",
  ];
  for (const text of [...refused, "a.".repeat(16) + "a"]) assert.equal(parseClaimPath(text), undefined, text);
});
