import assert from "node:assert/strict";
import { createSigningKeys } from "../../src/test/mod.ts";
import { bookshop, withTokens } from "./token_app.ts";
import { assertRefused, changed, decode, encode, serving, symmetric } from "./token_parts.ts";

/** Keys that are not those of the identity service. */
const FOREIGN = await createSigningKeys("RS256");

Deno.test("valid tokens are accepted, signed by RS256 or ES256 [4.1.h.auth] [5.1.oauth2]", () =>
  withTokens({}, async ({ identity, get, status }) => {
    const algorithms = ["RS256", "ES256"] as const;
    for (
      const token of await Promise.all(
        algorithms.map((one) => identity.token({ user: "alice", algorithm: one })),
      )
    ) {
      assert.equal((await (await get("members", token)).json()).value, "alice undefined");
      assert.equal(await status({ authorization: `bearer ${token}` }), 200);
    }
  }));

/** Headers that are refused before any key is looked for. */
const HEADERS: readonly [id: string, what: string, header: Record<string, unknown>, signature?: string][] = [
  ["jwt-signature-001", "of algorithm none without signature", { alg: "none" }, ""],
  ["jwt-signature-002", "of algorithm none with a signature", { alg: "none" }],
  ["jwt-signature-009", "of algorithm PS256", { alg: "PS256" }],
  ["jwt-signature-009", "of algorithm RS384", { alg: "RS384" }],
  ["jwt-signature-009", "of algorithm RS512", { alg: "RS512" }],
  ["jwt-signature-019", "with an unencoded payload", { crit: ["b64"], b64: false }],
  ["jwt-signature-027", "with a number as key id", { kid: 1 }],
  ["jwt-signature-027", "with an object as key id", { kid: { a: 1 } }],
  ["jwt-signature-027", "without key id", { kid: undefined }],
];

for (const [id, what, header, signature] of HEADERS) {
  Deno.test(`a token ${what} is refused before keys are fetched (${id})`, () =>
    withTokens({}, async (app) => {
      const { identity } = app;
      await assertRefused(app, await identity.token({ user: "alice", header, signature }));
      assert.equal(identity.requests.length, 0);
    }));
}

Deno.test("a token signed with the public key as secret is refused (jwt-signature-004)", () =>
  withTokens({}, async (app) => {
    const { identity } = app;
    const claims = decode((await identity.token({ user: "alice" })).split(".")[1]!);
    const pem = new TextEncoder().encode(await identity.publicKey());
    await assertRefused(app, await symmetric(claims, await identity.keyId(), pem));
  }));

Deno.test("a key without algorithm takes none from the header (jwt-signature-006)", async () => {
  const identity = bookshop();
  const fetch = serving(identity, (keys) => keys.map(({ alg: _, ...key }) => key));
  await withTokens({ identity, fetch }, async (app) => {
    const token = await identity.token({ user: "alice" });
    assert.equal(await app.status(token), 200);
    const claims = decode(token.split(".")[1]!);
    const modulus = new TextEncoder().encode(await identity.publicKey());
    await assertRefused(app, await symmetric(claims, await identity.keyId(), modulus));
    // the key is of another type than the header says
    await assertRefused(app, changed(token, 0, { alg: "ES256" }));
  });
});

Deno.test("symmetric keys in a set are ignored (jwt-signature-007)", async () => {
  const identity = bookshop();
  const secret = crypto.getRandomValues(new Uint8Array(32));
  const oct = { kty: "oct", kid: "shared", alg: "HS256", k: encode(String.fromCharCode(...secret)) };
  const added = (
    keys: JsonWebKey[],
  ) => [oct, ...keys.flatMap((key) => [key, { ...oct, kid: (key as { kid?: string }).kid }])];
  await withTokens({ identity, fetch: serving(identity, added) }, async (app) => {
    const token = await identity.token({ user: "alice" });
    assert.equal(await app.status(token), 200);
    await assertRefused(app, await symmetric(decode(token.split(".")[1]!), "shared", secret));
    await assertRefused(app, await identity.token({ user: "alice", header: { kid: "shared" } }));
  });
});

Deno.test("a token with changed claims is refused (jwt-signature-011)", () =>
  withTokens({}, async (app) => {
    const token = await app.identity.token({ user: "alice" });
    assert.equal(await app.status(token), 200);
    await assertRefused(app, changed(token, 1, { sub: "root", user_name: "root" }));
  }));

Deno.test("a token that names another valid key is refused (jwt-signature-012)", () =>
  withTokens({}, async (app) => {
    const { identity } = app;
    const former = await identity.token({ user: "alice" });
    const kid = await identity.keyId();
    identity.rotateKeys();
    const token = await identity.token({ user: "alice" });
    assert.equal(await app.status(token), 200);
    assert.equal(await app.status(former), 200);
    await assertRefused(app, changed(token, 0, { kid }));
  }));

Deno.test("a key inside the header is not used (jwt-signature-014)", () =>
  withTokens({}, async (app) => {
    const { privateKey, publicKey } = FOREIGN;
    const jwk = await crypto.subtle.exportKey("jwk", publicKey);
    const header = { jwk, kid: await app.identity.keyId() };
    await assertRefused(app, await app.identity.token({ user: "alice", header, key: privateKey }));
  }));

/** Addresses and certificates in headers. */
const FOREIGN_KEYS: readonly [id: string, what: string, header: Record<string, string | string[]>][] = [
  ["jwt-signature-016", "with user info", { jku: "https://authentication.test@evil.test/token_keys" }],
  ["jwt-signature-016", "below the own", { jku: "https://authentication.test/token_keys/../evil" }],
  ["jwt-signature-017", "of a certificate", { x5u: "https://evil.test/certificate" }],
  ["jwt-signature-017", "in a certificate", { x5c: ["MIIB"] }],
];

for (const [id, what, header] of FOREIGN_KEYS) {
  Deno.test(`a key that the header points to, ${what}, is not used (${id})`, () =>
    withTokens({}, async (app) => {
      const { identity } = app;
      const { privateKey } = FOREIGN;
      await assertRefused(app, await identity.token({ user: "alice", header, key: privateKey }));
      // a good signature counts, whatever else the header says
      assert.equal(await app.status(await identity.token({ user: "alice", header })), 200);
      assert.deepEqual(identity.requests.map((request) => new URL(request.url).hostname), [
        "authentication.test",
      ]);
    }));
}

Deno.test("encrypted tokens are refused by their shape (jwt-signature-021)", () =>
  withTokens({}, async (app) => {
    const header = encode({ alg: "RSA-OAEP", enc: "A256GCM", kid: await app.identity.keyId() });
    await assertRefused(app, `${header}.AAAA.AAAA.AAAA.AAAA`);
    await assertRefused(app, `${header}..AAAA.AAAA.AAAA`);
  }));

Deno.test("compressed tokens are refused before anything is inflated (jwt-signature-022)", () =>
  withTokens({}, async (app) => {
    const header = encode({ alg: "dir", enc: "A256GCM", zip: "DEF", kid: await app.identity.keyId() });
    await assertRefused(app, `${header}..AAAA.${"A".repeat(8000)}.AAAA`);
    // `zip` means nothing in a signed token: its claims are read as they are
    await assertRefused(app, await app.identity.sign({ alg: "RS256", zip: "DEF", kid: "k" }, "\x78\x9c"));
    assert.equal(app.identity.requests.length, 0);
  }));

Deno.test("a key id never reaches a URL (jwt-signature-024)", () =>
  withTokens({}, async (app) => {
    for (const kid of ["x' UNION SELECT 'k", "../../etc/passwd", "__proto__", "toString"]) {
      await assertRefused(app, await app.identity.token({ user: "alice", header: { kid } }));
    }
    assert.deepEqual(app.identity.requests.map((request) => request.url), [
      "https://authentication.test/token_keys?zid=t1",
    ]);
  }));

Deno.test("a key id that two keys have is refused (jwt-signature-026)", async () => {
  const identity = bookshop();
  const fetch = serving(identity, async (keys) => {
    const { publicKey } = FOREIGN;
    return [...keys, { ...await crypto.subtle.exportKey("jwk", publicKey), kid: await identity.keyId() }];
  });
  await withTokens({ identity, fetch }, async (app) => {
    await assertRefused(app, await identity.token({ user: "alice" }));
  });
});

Deno.test("the JSON form of a signed token is refused (jwt-signature-029)", () =>
  withTokens({}, async (app) => {
    const [header, payload, signature] = (await app.identity.token({ user: "alice" })).split(".");
    const flat = { protected: header, payload, signature };
    await assertRefused(app, JSON.stringify(flat));
    await assertRefused(app, JSON.stringify({ payload, signatures: [{ protected: header, signature }] }));
  }));

Deno.test("a 401 for a token is a JSON error with challenge; without token it names no error (authn-endpoints-010)", () =>
  withTokens({}, async (app) => {
    await assertRefused(app, "no.token.atall");
    const response = await app.get("members");
    assert.equal(response.headers.get("www-authenticate"), "Bearer");
    assert.deepEqual(await response.json(), { error: { code: "401", message: "Unauthorized" } });
    assert.equal((await app.get("members", { authorization: "Basic YWxpY2U6" })).status, 401);
    // a bad token is refused where none is needed, too
    assert.equal(await app.status({}, "open"), 200);
    assert.equal(await app.status("no.token.atall", "open"), 401);
  }));

Deno.test("a POST with a token is accepted from any origin (csrf-006)", () =>
  withTokens({}, async ({ identity, send }) => {
    const headers = {
      authorization: `Bearer ${await identity.token({ user: "alice" })}`,
      origin: "https://evil.example",
      "sec-fetch-site": "cross-site",
      "content-type": "application/json",
    };
    const response = await send("/odata/v4/members/act", { method: "POST", headers, body: "{}" });
    assert.equal((await response.json()).value, "alice undefined");
  }));
