/*
 * The cases of the area "token-client" that need a strategy; `tests/auth/token_client` has the client itself.
 */

import assert from "node:assert/strict";
import type { ExchangedToken } from "../../src/auth/tokens/exchange/token_exchange.ts";
import { createEnvironment } from "../../src/config/environment.ts";
import { bindingsToSource, parseVcapServices } from "../../src/config/environment_variables.ts";
import { createRuntime } from "../../src/fw/create_runtime.ts";
import { identityFetch } from "../../src/test/identity/identity_environment.ts";
import type { Identity, TokenOptions } from "../../src/test/mod.ts";
import { withClock } from "./clock.ts";
import { accounts, authorization, CLIENT, type OidcApp, type OidcSetting, withOidc } from "./oidc_app.ts";

const FORCE = { tokenExchange: "force" };

/** What differs from the usual exchange. */
interface Exchange extends OidcSetting {
  /** The token that the OAuth 2.0 service gives; default: one of the same user and tenant. */
  readonly answer?: (oauth2: Identity) => Promise<object>;
}

/** An application with both services, and the forms that were sent to their token endpoints. */
async function withExchange(
  { answer, ...setting }: Exchange,
  run: (app: OidcApp & { readonly oauth2: Identity; readonly forms: URLSearchParams[] }) => Promise<void>,
): Promise<void> {
  const oauth2 = authorization();
  const forms: URLSearchParams[] = [];
  let send = oauth2.fetch;
  const fetch: typeof send = async (request, keyPair) => {
    if (request.method !== "POST") return await send(request, keyPair);
    const form = new URLSearchParams(await request.clone().text());
    form.set("url", request.url);
    form.set("x-zid", request.headers.get("x-zid") ?? "");
    forms.push(form);
    if (answer && oauth2.serves(request.url)) return Response.json(await answer(oauth2));
    return await send(request, keyPair);
  };
  await withOidc({ authentication: FORCE, ...setting, oauth2, fetch }, async (app) => {
    send = identityFetch([app.identity, oauth2]);
    await run({ ...app, oauth2, forms });
  });
}

const answerWith = (token: TokenOptions, expires_in = 3600) => async (oauth2: Identity) => ({
  access_token: await oauth2.token({ user: "alice", algorithm: "ES256", ...token }),
  token_type: "bearer",
  expires_in,
});

/** Answers of the OAuth 2.0 service that do not name the user and tenant of the token. */
const FOREIGN: readonly [what: string, token: TokenOptions][] = [
  ["another user", { user: "mallory" }],
  ["another user, but the same subject", { user: "mallory", claims: { sub: "alice" } }],
  ["another tenant", { tenant: "t2" }],
  ["no tenant", { claims: { zid: undefined } }],
  ["a technical user", { user: undefined }],
  ["another audience", { claims: { aud: "other", azp: "other" } }],
  ["a wrong signature", { signature: "AAAA" }],
  ["an end in the past", { expiresInSeconds: -100 }],
];

for (const [what, token] of FOREIGN) {
  Deno.test(`an exchange that gives a token with ${what} is refused (token-client-001)`, async () => {
    for (const tokenExchange of ["force", "provide"]) {
      await withExchange(
        { answer: answerWith(token), authentication: { tokenExchange } },
        async ({ status, forms }) => {
          assert.equal(await status(), 401);
          assert.equal(forms.length, 1);
        },
      );
    }
  });
}

Deno.test("the id of the user decides where both tokens have it (token-client-001)", async () => {
  const cases: readonly [mine: string, theirs: string, user: string, status: number][] = [
    ["u1", "u1", "alice@example.org", 200],
    ["u1", "u2", "alice", 401],
  ];
  for (const [mine, theirs, user, status] of cases) {
    const answer = answerWith({ user, claims: { user_uuid: theirs } });
    await withExchange({ answer }, async (app) => {
      assert.equal(await app.status({ token: { claims: { user_uuid: mine } } }), status);
    });
  }
});

Deno.test("the token of a technical user is not exchanged (token-client-002)", () =>
  withExchange({}, async ({ status, forms }) => {
    assert.equal(await status({ token: { user: undefined, roles: ["reader"] } }), 401);
    assert.deepEqual(forms, []);
  }));

Deno.test("where exchanged tokens are only provided, a technical user stays as it is (token-client-002)", () =>
  withExchange({ authentication: { tokenExchange: "provide" } }, async ({ user, forms }) => {
    const { user: technical } = await user({ token: { user: undefined, roles: ["reader"] } });
    assert.deepEqual(technical.roles, ["reader", "system-user", "internal-user"]);
    assert.equal((technical.authInfo as { exchanged?: unknown }).exchanged, undefined);
    assert.deepEqual(forms, []);
  }));

Deno.test("a fetched token is used again, but not with less than five minutes left (token-client-004)", async () => {
  const cases = [[3600, 3600, 1], [360, 3600, 1], [299, 3600, 3], [3600, 299, 3]] as const;
  // whichever ends first: what the service says of the token, or the token
  for (const [expires, expiresInSeconds, requests] of cases) {
    const answer = answerWith({ expiresInSeconds }, expires);
    await withExchange({ answer }, async ({ identity, status, forms }) => {
      const text = await identity.token({ user: "alice", certificate: CLIENT, algorithm: "ES256" });
      for (let i = 0; i < 3; i++) assert.equal(await status({ text }), 200);
      assert.equal(forms.length, requests, `${expires} ${expiresInSeconds}`);
    });
  }
});

Deno.test("a claim made up to select the other service leads nowhere (token-client-006)", async () => {
  const oauth2 = authorization();
  await withOidc({ oauth2 }, async ({ status }) => {
    for (const claims of [{ ext_attr: { enhancer: "XSUAA" } }, { zid: "uaa" }]) {
      assert.equal(await status({ token: { claims } }), 401);
      assert.equal(
        await status({ token: { claims: { ...claims, scope: ["app!t1.reader"], aud: "sb-app!t1" } } }),
        401,
      );
    }
    assert.equal(await status(), 200);
    const unmarked = await oauth2.token({ user: "alice", claims: { ext_attr: undefined } });
    assert.equal(await status({ text: unmarked }), 401);
  });
});

Deno.test("each service runs its own checks in hybrid operation [5.1.hybrid]", async () => {
  const oauth2 = authorization();
  await withOidc({ oauth2 }, async ({ status, user }) => {
    const text = await oauth2.token({ algorithm: "ES256", user: "bob", roles: ["reader"] });
    assert.deepEqual((await user({ text, certificate: null })).user.roles, ["openid", "reader"]);
    assert.equal((await user()).user.id, "alice");
    assert.equal(await status({ certificate: null }), 401);
    const zoned = await oauth2.token({
      algorithm: "ES256",
      user: "bob",
      claims: { ext_attr: undefined, zid: "uaa" },
    });
    assert.equal(await status({ text: zoned, certificate: null }), 200);
    const foreign = await oauth2.token({
      algorithm: "ES256",
      user: "bob",
      claims: { aud: "other", azp: "other" },
    });
    assert.equal(await status({ text: foreign }), 401);
  });
});

Deno.test("the services that are bound are in effect, one or both [5.1.oidc] [5.1.oauth2] [5.1.hybrid]", async () => {
  const [oidc, oauth2] = [accounts(), authorization()];
  const identity = [{ credentials: oidc.credentials }];
  const xsuaa = [{ credentials: oauth2.credentials }];
  const tokens = [
    await oidc.token({ user: "alice", certificate: CLIENT }),
    await oauth2.token({ algorithm: "ES256", user: "bob" }),
  ];
  for (
    const [bound, expected] of [[{ identity }, [200, 401]], [{ xsuaa }, [401, 200]], [{ identity, xsuaa }, [
      200,
      200,
    ]]] as const
  ) {
    const value = { log: { levels: { default: "silent" } }, server: { trusted_proxies: ["10.0.0.1"] } };
    const runtime = createRuntime({
      model: { definitions: { S: { kind: "service" } } },
      kinds: { fetch: identityFetch([oidc, oauth2]) },
      env: createEnvironment([
        bindingsToSource(parseVcapServices(JSON.stringify(bound)))!,
        { name: "test", value },
      ], ["production"]),
    });
    for (const [i, token] of tokens.entries()) {
      const headers = { authorization: `Bearer ${token}`, "x-forwarded-client-cert": CLIENT.header };
      const request = new Request("http://localhost/odata/v4/s", { headers });
      const response = await runtime.fetch(request, { remoteAddr: { hostname: "10.0.0.1" } });
      assert.equal(response.status, expected[i]);
      await response.body?.cancel();
    }
    await runtime.close();
  }
});

Deno.test("a forced exchange makes the user that of the OAuth 2.0 service [5.1.oidc]", () =>
  withExchange({
    answer: answerWith({ roles: ["reader"], attributes: { country: "DE" } }),
    requires: { multitenancy: true },
  }, async ({ user, status, forms, identity, oauth2 }) => {
    const text = await identity.token({ user: "alice", certificate: CLIENT, algorithm: "ES256" });
    const { user: alice, tenant } = await user({ text });
    assert.deepEqual([alice.id, tenant, alice.roles], ["alice", "t1", ["openid", "reader"]]);
    assert.deepEqual({ ...alice.attr }.country, ["DE"]);
    assert.equal(await status({ text, service: "readers" }), 200);
    assert.deepEqual(forms.map((form) => [...form]), [[
      ["grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
      ["assertion", text],
      ["client_id", "sb-app!t1"],
      ["client_secret", "secret"],
      ["url", `${oauth2.url}/oauth/token`],
      ["x-zid", "t1"],
    ]]);
  }));

Deno.test("a provided exchange leaves the user and gives the other token to handlers [5.1.oidc]", () =>
  withExchange(
    { answer: answerWith({ roles: ["reader"] }), authentication: { tokenExchange: "provide" } },
    async (app) => {
      const { user } = await app.user();
      assert.deepEqual([user.id, user.roles], ["alice", []]);
      assert.equal(await app.status({ service: "readers" }), 403);
      const info = user.authInfo as { iss: string; exchanged: ExchangedToken };
      assert.equal(info.iss, app.identity.url);
      assert.deepEqual(info.exchanged.user.roles, ["openid", "reader"]);
      assert.equal(info.exchanged.claims.zid, "t1");
      assert.match(info.exchanged.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
      assert.ok(!Deno.inspect(user, { depth: 9 }).includes(info.exchanged.token.slice(0, 20)));
    },
  ));

Deno.test("an access token becomes an ID token first, at its own issuer", () =>
  withExchange({}, async ({ identity, status, forms }) => {
    const iss = "https://subscriber.accounts.example.com";
    const text = await identity.token({ user: "alice", certificate: CLIENT, claims: { iss, azp: "caller" } });
    assert.equal(await status({ text }), 200);
    assert.deepEqual([...forms[0]!], [
      ["token_format", "jwt"],
      ["refresh_expiry", "0"],
      ["grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
      ["assertion", text],
      ["client_id", "app-client"],
      ["url", `${iss}/oauth2/token`],
      ["x-zid", ""],
    ]);
    assert.notEqual(forms[1]!.get("assertion"), text);
    assert.equal(forms.length, 2);
  }));

Deno.test("tokens of the OAuth 2.0 service are not exchanged", () =>
  withExchange({}, async ({ oauth2, status, forms }) => {
    assert.equal(
      await status({ text: await oauth2.token({ algorithm: "ES256", user: "bob" }), certificate: null }),
      200,
    );
    assert.deepEqual(forms, []);
  }));

Deno.test("with kind oidc alone no client may send the tokens that are exchanged for", () =>
  withExchange({ auth: { kind: "oidc" } }, async ({ oauth2, status, user }) => {
    const { user: alice } = await user();
    const { token } = (alice.authInfo as { exchanged: ExchangedToken }).exchanged;
    assert.equal(await status({ text: token }), 401);
    assert.equal(await status({ text: await oauth2.token({ algorithm: "ES256", user: "bob" }) }), 401);
  }));

Deno.test("a token endpoint that refuses is 401, one that fails 503 with Retry-After, neither shows tokens", async () => {
  const log: string[] = [];
  for (const [answer, expected] of [[400, 401], [401, 401], [500, 503], [429, 503]] as const) {
    const oauth2 = authorization();
    const texts: string[] = [];
    let send: typeof oauth2.fetch = oauth2.fetch;
    const fetch: typeof send = async (request, keyPair) => {
      if (request.method !== "POST") return await send(request, keyPair);
      texts.push(new URLSearchParams(await request.text()).get("assertion")!);
      return Response.json({ error: "invalid_grant", error_description: texts[0] }, { status: answer });
    };
    await withOidc({ authentication: FORCE, oauth2, fetch }, async (app) => {
      send = identityFetch([app.identity, oauth2]);
      const response = await app.send();
      const body = await response.text();
      assert.equal(response.status, expected);
      assert.equal(response.headers.get("retry-after"), expected === 503 ? "1" : null);
      assert.ok(!(body + app.lines.join("\n")).includes(texts[0]!.slice(-40)));
      log.push(...app.lines);
    });
  }
  assert.ok(log.some((line) => line.includes("does not exchange the token")));
});

Deno.test("in an outage all users share one request of the exchange per second, a refused one locks out nobody", () =>
  withClock(async (forward) => {
    for (const [answer, expected, requests] of [[503, 503, 1], [400, 401, 5]] as const) {
      const oauth2 = authorization();
      let asked = 0;
      let send: typeof oauth2.fetch = oauth2.fetch;
      const fetch: typeof send = async (request, keyPair) => {
        if (request.method !== "POST") return await send(request, keyPair);
        asked++;
        return Response.json({ error: "e" }, { status: answer });
      };
      await withOidc({ authentication: FORCE, oauth2, fetch }, async ({ identity, status }) => {
        send = identityFetch([identity, oauth2]);
        const texts = await Promise.all(
          ["a", "b", "c", "d", "e"].map((user) =>
            identity.token({ user, certificate: CLIENT, algorithm: "ES256" })
          ),
        );
        for (const text of [...texts, ...texts]) assert.equal(await status({ text }), expected);
        assert.equal(asked, requests);
        forward(1000);
        assert.equal(await status({ text: texts[0] }), expected);
        assert.equal(asked, requests + 1);
      });
    }
  }));

Deno.test("an exchange without credentials of both services stops the start", async () => {
  for (const credentials of [accounts().credentials, { oidc: accounts().credentials }]) {
    const runtime = createRuntime({
      model: { definitions: {} },
      env: {
        log: { levels: { default: "silent" } },
        security: { authentication: FORCE },
        requires: { auth: { kind: "oidc", credentials } },
      },
    });
    await assert.rejects(runtime.start(), {
      name: "ConfigurationError",
      message:
        /tokenExchange" needs both identity services, but "fw\.requires\.auth\.credentials\.(oidc|oauth2)" is missing/,
    });
    await runtime.close();
  }
});
