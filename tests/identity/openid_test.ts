/** OpenID providers end to end: tokens of real providers, with issuers and claims as products have them. */

import assert from "node:assert/strict";
import { withClock } from "../security/clock.ts";
import { encode } from "../security/token_parts.ts";
import { call, type Product, withOpenid } from "./openid_server.ts";

const TENANT = "7f0c3c52-0b4f-4b7c-8f4e-7e0a4b8a3f11";
const OID = "3a4b9e55-1f9c-4f0c-9c7e-2f0d9d7a1b22";

const KEYCLOAK: Product = {
  name: "Keycloak",
  issuer: "https://keycloak.test/realms/x",
  audience: "shop",
  claims: {
    user: "preferred_username",
    roles: ["realm_access.roles", "resource_access.shop.roles"],
    tenant: "org",
  },
  header: { typ: "JWT" },
  claimsOf: (clientId, user, roles) => ({
    ...{ typ: "Bearer", azp: clientId, scope: "openid profile", org: "t1" },
    ...{ preferred_username: user ?? `service-account-${clientId}`, sub: user ?? "0b0c" },
    realm_access: { roles: ["offline_access"] },
    resource_access: { shop: { roles }, account: { roles: ["manage-account"] } },
  }),
};

const AUTH0: Product = {
  name: "Auth0",
  issuer: "https://tenant.eu.auth0.test/",
  audience: "https://shop.test/api",
  claims: { roles: ["permissions", "https://shop.test/roles"], tenant: "org_id" },
  header: { typ: "at+jwt" },
  claimsOf: (clientId, user, roles) => ({
    ...{ azp: clientId, scope: "read:books", permissions: ["read:books"], org_id: "org_t1" },
    sub: user === undefined ? `${clientId}@clients` : `auth0|${user}`,
    "https://shop.test/roles": roles,
    ...user === undefined ? { gty: "client-credentials" } : {},
  }),
};

const ENTRA: Product = {
  name: "Entra ID",
  issuer: `https://login.microsoftonline.test/${TENANT}/v2.0`,
  audience: "5d4c1f0a-9b3e-4d57-a3a0-0d6f0f0a6c11",
  claims: { user: "preferred_username", roles: ["roles", "scp"], tenant: "tid" },
  header: { typ: "JWT" },
  claimsOf: (clientId, user, roles) => ({
    ...{ ver: "2.0", tid: TENANT, oid: OID, azp: clientId, roles },
    ...user === undefined
      ? { idtyp: "app", sub: OID }
      : { sub: "pairwise", preferred_username: user, scp: "Books.Read" },
  }),
};

const PRODUCTS = [KEYCLOAK, AUTH0, ENTRA];
/** Users as the products name them: alice, bob, the technical one; and their tenant. */
const NAMES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  "Keycloak": ["alice", "bob", "service-account-job", "t1"],
  "Auth0": ["auth0|alice", "auth0|bob", "system", "org_t1"],
  "Entra ID": ["alice", "bob", "system", TENANT],
};

const authFor = ({ issuer, audience, claims }: Product) => ({ kind: "openid", issuer, audience, claims });

for (const product of PRODUCTS) {
  const { name, issuer } = product;

  Deno.test(`users of ${name} log in with their roles and their tenant, technical ones too`, () =>
    withOpenid([product], async ({ app, token, server }) => {
      const shop = app(authFor(product));
      const [alice, bob, technical, tenant] = NAMES[name]!;
      const ofAlice = await token(product, "alice");
      assert.deepEqual((await call(shop, ofAlice)).value, `${alice} ${tenant}`);
      assert.equal((await call(shop, ofAlice, "admins")).status, 200);
      assert.equal((await call(shop, ofAlice, "systems")).status, 403);
      const ofBob = await token(product, "bob");
      assert.deepEqual((await call(shop, ofBob)).value, `${bob} ${tenant}`);
      assert.equal((await call(shop, ofBob, "admins")).status, 403);
      const ofClient = await token(product);
      assert.deepEqual((await call(shop, ofClient)).value, `${technical} ${tenant}`);
      assert.equal((await call(shop, ofClient, "admins")).status, 403);
      assert.equal((await call(shop, ofClient, "systems")).status, technical === "system" ? 200 : 403);
      assert.equal(server.seen.filter((url) => url.endsWith("/keys")).length, 1);
    }));

  Deno.test(`tokens of ${name} for others, of an issuer with another slash, and unsigned ones are refused`, () =>
    withOpenid([product], async ({ app, token, server }) => {
      const shop = app(authFor(product));
      const other = issuer.endsWith("/") ? issuer.slice(0, -1) : `${issuer}/`;
      const valid = await token(product, "alice");
      const foreign = app({ ...authFor(product), issuer: other });
      const [header, claims, signature] = valid.split(".");
      server.audience = "other";
      const refused: readonly (readonly [typeof shop, string])[] = [
        [shop, await token(product, "alice")],
        [foreign, valid],
        [shop, `${encode({ alg: "none" })}.${claims}.`],
        [shop, `${encode({ alg: "none", typ: "JWT" })}.${claims}.${signature}`],
        [shop, `${header}.${claims}.`],
        [shop, `${header}.${claims}.${signature!.slice(0, -4)}AAAA`],
      ];
      for (const [runtime, text] of refused) {
        const { status, headers } = await call(runtime, text);
        assert.equal(status, 401, text);
        assert.equal(headers.get("www-authenticate"), 'Bearer error="invalid_token"');
      }
      assert.equal((await call(shop, valid)).status, 200);
    }));

  Deno.test(`rotated keys of ${name} are found, former ones do not count any more`, () =>
    withOpenid([product], ({ app, token, server }) =>
      withClock(async (forward) => {
        const shop = app(authFor(product));
        const before = await token(product, "alice");
        assert.equal((await call(shop, before)).status, 200);
        await server.rotateKeys(product);
        const after = await token(product, "alice");
        assert.equal((await call(shop, after)).status, 401);
        forward(31_000);
        assert.equal((await call(shop, after)).status, 200);
        assert.equal((await call(shop, before)).status, 401);
      })));

  Deno.test(`while ${name} is away, known keys serve, and clients get 503 without them`, () =>
    withOpenid([product], ({ app, token, server }) =>
      withClock(async (forward) => {
        const [alice, bob] = [await token(product, "alice"), await token(product, "bob")];
        const shop = app(authFor(product));
        server.isAway = true;
        const away = await call(shop, alice);
        assert.equal(away.status, 503);
        assert.match(away.headers.get("retry-after") ?? "", /^\d+$/);
        server.isAway = false;
        forward(31_000);
        assert.equal((await call(shop, alice)).status, 200);
        server.isAway = true;
        // a token that was never seen, with keys that are known
        forward(60_000);
        assert.equal((await call(shop, bob)).status, 200);
      })));
}

Deno.test("several providers log in side by side, each for its own tokens only", () =>
  withOpenid(PRODUCTS, async ({ app, token }) => {
    const issuers = PRODUCTS.map((product, index) => {
      const { kind: _, ...members } = authFor(product);
      return { ...members, id_prefix: `${index}/` };
    });
    const shop = app({ kind: "openid", issuers });
    for (const [index, product] of PRODUCTS.entries()) {
      const alice = await token(product, "alice");
      const [name, , , tenant] = NAMES[product.name]!;
      assert.equal((await call(shop, alice, "admins")).value, `${index}/${name} ${tenant}`);
    }
    // one of them alone accepts no token of the others
    const alone = app(authFor(KEYCLOAK));
    for (const product of [AUTH0, ENTRA]) {
      assert.equal((await call(alone, await token(product, "alice"))).status, 401);
    }
  }));
