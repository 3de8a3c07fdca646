import assert from "node:assert/strict";
import { createStrategy } from "../../../src/auth/create_strategy.ts";
import { contextFromRequest } from "../../../src/context/context_from_request.ts";
import type { User } from "../../../src/context/user.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../src/config/limits.ts";
import { ConfigurationError } from "../../../src/errors/configuration_error.ts";
import { createIdentity, type Identity } from "../../../src/test/mod.ts";

function strategyOf(auth: object, identity?: Identity, requires: object = {}) {
  return createStrategy({
    env: { requires: { auth, ...requires } },
    production: true,
    warn: () => {},
    fetch: identity && ((request) => identity.fetch(request)),
  });
}

async function userOf(auth: object, identity: Identity, token: string, requires: object = {}): Promise<User> {
  const strategy = await strategyOf(auth, identity, requires);
  const request = new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } });
  const result = await strategy.authenticate(request, contextFromRequest(request, {}));
  assert.ok("user" in result, JSON.stringify(result));
  return result.user;
}

const oauth2 = createIdentity({ kind: "oauth2" });
const { credentials } = oauth2;

for (const kind of ["oauth2", "xsuaa", "jwt"]) {
  Deno.test(`kind ${kind} takes tokens of the OAuth 2.0 service, which need no certificate [5.1.oauth2]`, async () => {
    const strategy = await strategyOf({ kind, credentials }, oauth2);
    assert.deepEqual([strategy.kind, strategy.challenge], ["oauth2", "Bearer"]);
    assert.equal(
      (await userOf({ kind, credentials }, oauth2, await oauth2.token({ user: "bob" }))).id,
      "bob",
    );
  });
}

/** Members without which nothing can be checked. */
for (const name of ["clientid", "xsappname", "uaadomain"]) {
  Deno.test(`credentials of the OAuth 2.0 service without ${name} stop the start`, async () => {
    const message = new RegExp(`^"fw.requires.auth.credentials.${name}" `);
    for (const value of [undefined, "", 1]) {
      const broken = { ...credentials, [name]: value };
      await assert.rejects(strategyOf({ kind: "oauth2", credentials: broken }), (error: Error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.match(error.message, message);
        return true;
      });
    }
  });
}

Deno.test("a token kind without credentials, or with impossible ones, stops the start", async () => {
  const wrong: readonly [credentials: unknown, message: RegExp][] = [
    [undefined, /clientid" is missing: kind "oauth2" needs a binding/],
    [{ ...credentials, uaadomain: "https://id.test" }, /uaadomain" must be the name of a host/],
    [{ ...credentials, uaadomain: "id.test/x?" }, /uaadomain" must be the name of a host/],
    [{ ...credentials, verificationkey: "secret" }, /verificationkey" must be a public RSA key as PEM$/],
  ];
  for (const [given, message] of wrong) {
    const start = strategyOf({ kind: "oauth2", credentials: given });
    await assert.rejects(start, { name: "ConfigurationError", message });
  }
});

Deno.test("an unknown kind stops the start and is told the nearest one", async () => {
  await assert.rejects(strategyOf({ kind: "oauth", credentials }), /did you mean "oauth2"\?$/);
  await assert.rejects(strategyOf({ kind: ["oauth2", "basic"], credentials }), /"oauth2 and basic"/);
  await assert.rejects(strategyOf({ kind: [], credentials }), ConfigurationError);
});

Deno.test("a verification key may stand in one line", async () => {
  const pem = await oauth2.publicKey();
  for (const verificationkey of [pem, pem.replaceAll("\n", "\\n"), pem.replaceAll("\n", "")]) {
    await strategyOf({ kind: "oauth2", credentials: { ...credentials, verificationkey } });
  }
});

Deno.test("users of tokens have the feature toggles of their tenant", async () => {
  const tenants = { t1: { features: ["isbn"] }, t2: { features: ["other"] } };
  const auth = { kind: "oauth2", credentials, tenants };
  const token = await oauth2.token({ user: "bob", tenant: "t1" });
  assert.deepEqual([...(await userOf(auth, oauth2, token)).features], ["isbn"]);
});

Deno.test("the tenant of a token counts in multitenant operation only [5.4.2]", async () => {
  const auth = { kind: "oauth2", credentials };
  const token = await oauth2.token({ user: "bob", tenant: "t1" });
  assert.equal((await userOf(auth, oauth2, token)).tenant, undefined);
  assert.equal((await userOf(auth, oauth2, token, { multitenancy: true })).tenant, "t1");
});

Deno.test("each request gets a user of its own, and claims that nobody can change", async () => {
  const strategy = await strategyOf({ kind: "oauth2", credentials }, oauth2);
  const headers = { authorization: `Bearer ${await oauth2.token({ user: "bob", attributes: { a: "1" } })}` };
  const users: User[] = [];
  for (let i = 0; i < 2; i++) {
    const request = new Request("http://localhost/", { headers });
    const result = await strategy.authenticate(request, contextFromRequest(request, {}));
    assert.ok("user" in result);
    result.user.attr[`seen${i}`] = true;
    users.push(result.user);
  }
  assert.deepEqual(users.map((user) => Object.keys(user.attr)), [["a", "seen0"], ["a", "seen1"]]);
  assert.ok(Object.isFrozen(users[0]!.authInfo));
  assert.throws(() => (users[0]!.attr.a as string[]).push("2"), TypeError);
});

/** Counts the signatures that are verified while tokens are sent one after the other. */
async function verifications(verifiedTokens: number, tokens: readonly string[]): Promise<number> {
  const limits: Limits = { ...DEFAULT_LIMITS, verifiedTokens };
  const strategy = await createStrategy({
    env: { requires: { auth: { kind: "oauth2", credentials } } },
    production: true,
    warn: () => {},
    fetch: (request) => oauth2.fetch(request),
    limits,
  });
  let count = 0;
  const { subtle } = crypto;
  subtle.verify = (...parameters: Parameters<SubtleCrypto["verify"]>) => {
    count++;
    return SubtleCrypto.prototype.verify.apply(subtle, parameters);
  };
  try {
    for (const token of tokens) {
      const request = new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } });
      assert.ok("user" in await strategy.authenticate(request, contextFromRequest(request, {})));
    }
  } finally {
    delete (subtle as Partial<SubtleCrypto>).verify;
  }
  return count;
}

Deno.test("signatures of tokens that are known are not verified again; the longest unused is forgotten", async () => {
  const [a, b, c] = await Promise.all(["a", "b", "c"].map((user) => oauth2.token({ user })));
  assert.equal(await verifications(2, [a!, a!, b!, a!, b!]), 2);
  // c takes the place of b
  assert.equal(await verifications(2, [a!, b!, a!, c!, a!]), 3);
  assert.equal(await verifications(2, [a!, b!, a!, c!, b!]), 4);
  assert.equal(await verifications(0, [a!, a!]), 2);
});
