/** Attacks on kind `openid`: signatures, kinds of tokens, bindings (RFC 8725, RFC 7800, RFC 8705). */

import assert from "node:assert/strict";
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from "jose";
import { TOKEN_ALGORITHMS } from "../../src/config/openid_schema.ts";
import { createCertificate, createIdentity } from "../../src/test/mod.ts";
import { KEYS, type TokenApp, withTokens } from "./token_app.ts";
import { assertRefused, decode, encode, serving, symmetric } from "./token_parts.ts";

const identity = createIdentity({ kind: "openid", keys: KEYS, claims: { roles: "roles" } });

const withApp = (run: (app: TokenApp) => Promise<void>, auth: object = {}) =>
  withTokens({ identity, auth }, run);

Deno.test("unsigned tokens are refused, however the algorithm is written (RFC 8725, 3.1)", () =>
  withApp(async (app) => {
    const [header, claims] = (await identity.token({ user: "ann" })).split(".");
    for (
      const alg of ["none", "None", "NONE", "nOnE", "", undefined, null, "RS256,none", ["RS256"], "HS256"]
    ) {
      const unsigned = encode({ ...decode(header!), alg });
      await assertRefused(app, `${unsigned}.${claims}.`);
      await assertRefused(app, `${unsigned}.${claims}.AAAA`);
    }
    await assertRefused(app, `${header}.${claims}.`);
    await assertRefused(app, await identity.token({ user: "ann", signature: "AAAA" }));
  }));

Deno.test("a public key is no secret: HMAC by it is refused in every writing (RFC 8725, 2.1)", () =>
  withApp(async (app) => {
    const claims = decode((await identity.token({ user: "ann" })).split(".")[1]!);
    const kid = await identity.keyId();
    const pem = await identity.publicKey();
    const jwk = JSON.stringify(await exportJWK(KEYS.publicKey));
    for (const secret of [pem, pem.trim(), pem.replaceAll("\n", ""), jwk]) {
      await assertRefused(app, await symmetric(claims, kid, new TextEncoder().encode(secret)));
    }
  }));

Deno.test("symmetric and private parts of a published set are never used", async () => {
  const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
  const oct = { kty: "oct", kid: "s1", alg: "HS256", k: encode("0123456789abcdef0123456789abcdef") };
  const fetch = (request: Request) =>
    request.url.endsWith("/certs")
      ? serving(identity, (keys) => [oct, { ...oct, alg: "RS256" }, ...keys])(request)
      : identity.fetch(request);
  await withTokens({ identity, fetch }, async (app) => {
    const claims = decode((await identity.token({ user: "ann" })).split(".")[1]!);
    await assertRefused(app, await symmetric(claims, "s1", secret));
    await assertRefused(app, await identity.token({ user: "ann", header: { kid: "s1" } }));
    assert.equal(await app.status(await identity.token({ user: "ann" })), 200);
  });
});

Deno.test("signatures of all algorithms that are configured count, of no others", async () => {
  for (const alg of TOKEN_ALGORITHMS) {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    // without `alg`: the type of the key says what it may verify
    for (const members of [{ kid: "k" }, { kid: "k", alg }]) {
      const jwk = { ...await exportJWK(publicKey), ...members };
      const fetch = (request: Request) =>
        request.url.endsWith("/certs")
          ? Promise.resolve(Response.json({ keys: [jwk] }))
          : identity.fetch(request);
      const payload = decode((await identity.token({ user: "ann" })).split(".")[1]!);
      const token = await new SignJWT(payload).setProtectedHeader({ alg, kid: "k" }).sign(privateKey);
      const others = TOKEN_ALGORITHMS.filter((other) => other !== alg);
      await withTokens({ identity, fetch, auth: { algorithms: [alg] } }, async (app) => {
        assert.equal(await app.status(token), 200, alg);
        // the same signature under another name
        const [, claims, signature] = token.split(".");
        for (const other of others) {
          await assertRefused(app, `${encode({ alg: other, kid: "k" })}.${claims}.${signature}`);
        }
      });
      await withTokens({ identity, fetch, auth: { algorithms: others } }, async (app) => {
        await assertRefused(app, token);
      });
      const isDefault = alg === "RS256" || alg === "ES256";
      await withTokens({ identity, fetch }, async ({ status }) => {
        assert.equal(await status(token), isDefault ? 200 : 401, alg);
      });
    }
  }
});

Deno.test("keys and addresses that a token brings along are never used (RFC 8725, 3.10)", () =>
  withApp(async (app) => {
    const own = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(own.publicKey);
    const pem = await exportSPKI(own.publicKey);
    const before = identity.requests.length;
    for (
      const header of [
        { jwk },
        { jku: "https://evil.example/keys" },
        { x5u: "https://evil.example/cert" },
        { x5c: [pem] },
        { kid: "https://evil.example/keys" },
        { kid: "../../../../dev/null" },
        { kid: "' or 1=1 --" },
        { kid: ["a"] },
        { kid: undefined },
        { kid: "" },
        { crit: ["exp"], exp: 1 },
        { b64: false },
        { zip: "DEF", crit: ["zip"] },
      ]
    ) {
      await assertRefused(app, await identity.token({ user: "ann", header, key: own.privateKey }));
    }
    const hosts = identity.requests.slice(before).map(({ url }) => new URL(url).host);
    assert.deepEqual([...new Set(hosts)], [new URL(identity.url).host]);
  }));

Deno.test("tokens that do not say who is calling are refused", () =>
  withApp(async (app) => {
    for (
      const typ of [
        "logout+jwt",
        "secevent+jwt",
        "dpop+jwt",
        "application/logout+jwt",
        "JWE",
        "refresh",
        1,
        "",
      ]
    ) {
      await assertRefused(app, await identity.token({ user: "ann", header: { typ } }));
    }
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    await assertRefused(app, await identity.token({ user: "ann", claims: { events } }));
    for (const typ of ["Refresh", "Offline", "Logout", "refresh"]) {
      await assertRefused(app, await identity.token({ user: "ann", claims: { typ } }));
    }
    for (const typ of ["Bearer", "ID", undefined]) {
      assert.equal(await app.status(await identity.token({ user: "ann", claims: { typ } })), 200);
    }
    for (const typ of ["JWT", "at+jwt", "application/at+jwt", undefined]) {
      assert.equal(await app.status(await identity.token({ user: "ann", header: { typ } })), 200);
    }
    const token = await identity.token({ user: "ann" });
    await assertRefused(app, `${token}.AAAA.AAAA`);
    await assertRefused(app, token.slice(0, token.lastIndexOf(".")));
  }));

Deno.test("a token is one of a client for itself where its subject is the client, or the provider says so (RFC 9068, 2.2)", () =>
  withApp(async (app) => {
    const { audience } = identity.credentials as { audience: string };
    const isTechnical = async (claims: Record<string, unknown>) => {
      const { id, roles } = await app.user(await identity.token({ user: "ann", claims }));
      assert.equal(id === "system", roles.includes("system-user"));
      return id === "system";
    };
    const anyClient = { azp: undefined, client_id: undefined, cid: undefined };
    const some: readonly (readonly [boolean, Record<string, unknown>])[] = [
      [false, {}],
      [true, { idtyp: "app" }],
      [true, { gty: "client-credentials" }],
      [false, { idtyp: "user", gty: "password" }],
      [true, { ...anyClient, azp: "c", sub: "c" }],
      [true, { ...anyClient, client_id: "c", sub: "c" }],
      [true, { ...anyClient, cid: "c", sub: "c" }],
      [false, { ...anyClient, azp: "d", client_id: "c", sub: "c" }],
      [false, { ...anyClient, client_id: "d", cid: "c", sub: "c" }],
      // who names no client has one audience: the client
      [true, { ...anyClient, aud: audience, sub: audience }],
      [true, { ...anyClient, aud: [audience], sub: audience }],
      [false, { ...anyClient, aud: [audience, "d"], sub: audience }],
      [false, { ...anyClient, aud: [audience] }],
      [false, { ...anyClient, azp: "d", aud: [audience], sub: audience }],
    ];
    for (const [expected, claims] of some) {
      assert.equal(await isTechnical(claims), expected, JSON.stringify(claims));
    }
  }));

Deno.test("times count with 60 seconds of tolerance, and must be there", () =>
  withApp(async (app) => {
    const now = Math.floor(Date.now() / 1000);
    const status = async (claims: Record<string, unknown>) =>
      await app.status(await identity.token({ user: "ann", claims }));
    assert.equal(await status({ exp: now - 50 }), 200);
    assert.equal(await status({ exp: now - 61 }), 401);
    assert.equal(await status({ nbf: now + 50 }), 200);
    assert.equal(await status({ nbf: now + 120 }), 401);
    assert.equal(await status({ nbf: undefined, iat: now + 120 }), 401);
    for (const exp of [undefined, null, "never", `${now + 60}`, [now + 60], {}]) {
      assert.equal(await status({ exp }), 401, String(exp));
    }
  }));

Deno.test("a token bound to a certificate counts with this certificate only (RFC 8705, 3)", async () => {
  const [client, other] = [await createCertificate(), await createCertificate()];
  const { createRuntime } = await import("../../src/fw/create_runtime.ts");
  const runtime = createRuntime({
    model: { definitions: { S: { kind: "service", "@requires": "authenticated-user" } } },
    profiles: ["production"],
    kinds: { fetch: identity.fetch },
    env: {
      log: { levels: { default: "silent" } },
      server: { trusted_proxies: ["10.0.0.1"] },
      requires: { auth: { kind: "openid", ...identity.credentials } },
    },
  });
  try {
    const status = async (token: string, certificate?: string, hostname = "10.0.0.1") => {
      const headers = new Headers({ authorization: `Bearer ${token}` });
      if (certificate !== undefined) headers.set("x-forwarded-client-cert", certificate);
      const request = new Request("http://localhost/odata/v4/s/", { headers });
      const response = await runtime.fetch(request, { remoteAddr: { transport: "tcp", hostname, port: 1 } });
      await response.body?.cancel();
      return response.status;
    };
    const bound = await identity.token({ user: "ann", certificate: client });
    assert.equal(await status(bound, client.header), 200);
    assert.equal(await status(bound), 401);
    assert.equal(await status(bound, other.header), 401);
    assert.equal(await status(bound, client.header, "10.0.0.2"), 401);
    // bound in ways that nothing is known of, and to no certificate at all
    for (const cnf of [{ jkt: "x" }, {}, null, "x", { "x5t#S256": client.thumbprint, jkt: "x" }]) {
      assert.equal(await status(await identity.token({ user: "ann", claims: { cnf } }), client.header), 401);
    }
    assert.equal(await status(await identity.token({ user: "ann" })), 200);
    assert.equal(await status(await identity.token({ user: "ann" }), other.header), 200);
  } finally {
    await runtime.close();
  }
});

Deno.test("tokens and claims that are too long, too deep or twice there give 401, never 500", () =>
  withApp(async (app) => {
    const deep = (levels: number): unknown => levels === 0 ? [] : { a: deep(levels - 1) };
    for (const claims of [{ roles: deep(20) }, { "x": deep(40) }]) {
      await assertRefused(app, await identity.token({ user: "ann", claims }));
    }
    assert.equal(
      await app.status(await identity.token({ user: "ann", claims: { x: "y".repeat(20_000) } })),
      401,
    );
    const { sub: _, ...payload } = decode((await identity.token({ user: "ann" })).split(".")[1]!);
    const twice = `${
      JSON.stringify(payload).slice(0, -1)
    },"sub":"ann","sub":"bob","__proto__":{"roles":["admin"]}}`;
    const token = await identity.sign({ alg: "RS256", kid: await identity.keyId() }, twice);
    const bob = await app.user(token);
    assert.deepEqual([bob.id, bob.roles], ["bob", []]);
  }));
