/** Whose tokens of OpenID providers are accepted (auth 1, kind `openid`). */

import assert from "node:assert/strict";
import { createIdentity, createSigningKeys, type Identity } from "../../../../src/test/mod.ts";
import { identityFetch } from "../../../../src/test/identity/identity_environment.ts";
import { assertRefused } from "../../../security/token_parts.ts";
import { KEYS, type TokenApp, type TokenSetting, withTokens } from "../../../security/token_app.ts";
import { withClock } from "../../../security/clock.ts";

/** Shapes of issuers, with what is nearly the same. */
const ISSUERS: readonly (readonly [issuer: string, others: readonly string[]])[] = [
  ["https://keycloak.example.com/realms/x", [
    "https://keycloak.example.com/realms/x/",
    "https://keycloak.example.com/realms/X",
    "https://keycloak.example.com/realms/y",
    "https://keycloak.example.com/realms/x/y",
    "https://keycloak.example.com/realms/%78",
    "https://keycloak.example.com",
    "https://keycloak.example.com:443/realms/x",
    "https://KEYCLOAK.example.com/realms/x",
    "http://keycloak.example.com/realms/x",
    "keycloak.example.com/realms/x",
    "https://keycloak.example.com/realms/x?",
    "https://keycloak.example.com/realms/x#",
    "https://evil.example/realms/x",
  ]],
  ["https://tenant.eu.auth0.example/", [
    "https://tenant.eu.auth0.example",
    "https://tenant.eu.auth0.example//",
    "https://other.eu.auth0.example/",
  ]],
  ["https://login.example.com/7f0c3c52-0b4f-4b7c-8f4e-7e0a4b8a3f11/v2.0", [
    "https://login.example.com/7f0c3c52-0b4f-4b7c-8f4e-7e0a4b8a3f11/v2.0/",
    "https://login.example.com/7f0c3c52-0b4f-4b7c-8f4e-7e0a4b8a3f11/",
    "https://login.example.com/7f0c3c52-0b4f-4b7c-8f4e-7e0a4b8a3f11",
    "https://login.example.com/{tenantid}/v2.0",
  ]],
];

const provider = (options: object = {}) => createIdentity({ kind: "openid", keys: KEYS, ...options });

for (const [url, others] of ISSUERS) {
  Deno.test(`tokens of ${url} are accepted, of any other issuer refused before a request is sent`, async () => {
    const identity = provider({ url });
    await withTokens({ identity }, async (app) => {
      for (const iss of [...others, undefined, "", null, 1, [url], { url }]) {
        await assertRefused(app, await identity.token({ user: "ann", claims: { iss } }));
        // what other services take for the issuer does not count
        await assertRefused(app, await identity.token({ user: "ann", claims: { iss, ias_iss: url } }));
      }
      assert.equal(identity.requests.length, 0);
      assert.equal(await app.status(await identity.token({ user: "ann" })), 200);
      const base = url.replace(/\/$/, "");
      assert.deepEqual(identity.requests.map((request) => request.url), [
        `${base}/.well-known/openid-configuration`,
        `${base}/oauth2/certs`,
      ]);
    });
  });

  Deno.test(`the configuration of ${url} must name this very issuer (OpenID Connect Discovery 1.0, 4.3)`, async () => {
    const lines: string[] = [];
    const { warn } = console;
    console.warn = (...values: unknown[]) => void lines.push(values.join(" "));
    try {
      const other = url.endsWith("/") ? url.slice(0, -1) : `${url}/`;
      const identity = provider({ url: other });
      const auth = { issuer: url };
      const log = { levels: { default: "warn" }, format: "plain" };
      await withTokens({ identity, auth, log }, async (app) => {
        for (const user of ["ann", "bob"]) {
          await assertRefused(app, await identity.token({ user, claims: { iss: url } }));
          await assertRefused(app, await identity.token({ user }));
        }
      });
      const told = lines.filter((line) => line.includes(`"${url}" names another issuer: "${other}"`));
      assert.equal(told.length, 1, lines.join("\n"));
    } finally {
      console.warn = warn;
    }
  });
}

Deno.test("a token must be for this application: one entry of aud equals the audience (RFC 7519, 4.1.3)", async () => {
  const identity = provider({ audience: "shop" });
  await withTokens({ identity }, async (app) => {
    const token = (aud: unknown, claims: object = {}) =>
      identity.token({ user: "ann", claims: { aud, ...claims } });
    for (const aud of ["shop", ["shop"], ["account", "shop"]]) {
      assert.equal(await app.status(await token(aud)), 200, String(aud));
    }
    for (
      const aud of [
        "other",
        "Shop",
        "shop.x",
        "x|shop",
        "shop ",
        [],
        ["account"],
        undefined,
        1,
        { shop: 1 },
        [["shop"]],
      ]
    ) {
      await assertRefused(app, await token(aud));
      await assertRefused(app, await token(aud, { azp: "shop", client_id: "shop" }));
    }
  });
  await withTokens({ identity, auth: { audience: ["a", "b"] } }, async (app) => {
    const statuses = await Promise.all(
      ["a", "b", "shop"].map(async (aud) =>
        await app.status(await identity.token({ user: "ann", claims: { aud } }))
      ),
    );
    assert.deepEqual(statuses, [200, 200, 401]);
  });
});

Deno.test("tokens without aud count for the clients that are configured, with aud only that counts", async () => {
  const identity = provider({ audience: "shop" });
  await withTokens({ identity, auth: { audience: undefined, clients: ["web", "job"] } }, async (app) => {
    const token = (claims: object) =>
      identity.token({ user: "ann", claims: { aud: undefined, azp: undefined, ...claims } });
    for (const claims of [{ client_id: "web" }, { azp: "job" }, { cid: "web" }]) {
      assert.equal(await app.status(await token(claims)), 200);
    }
    for (
      const claims of [
        ...[{}, { client_id: "other" }, { client_id: ["web"] }, { azp: "other", client_id: "web" }],
        ...[{ aud: [], client_id: "web" }, { aud: "web" }, { aud: "other", client_id: "web" }],
      ]
    ) {
      await assertRefused(app, await token(claims));
    }
  });
});

Deno.test("keys are read from jwks_uri where it is configured, and nothing else is asked for", async () => {
  const identity = provider();
  const auth = { jwks_uri: "https://keys.example.com/jwks" };
  const asked: string[] = [];
  const fetch = (request: Request) => {
    asked.push(request.url);
    return identity.fetch(new Request(`${identity.url}/oauth2/certs`));
  };
  await withTokens({ identity, auth, fetch }, async ({ status }) => {
    assert.equal(await status(await identity.token({ user: "ann" })), 200);
    assert.equal(await status(await identity.token({ user: "bob" })), 200);
  });
  assert.deepEqual(asked, [auth.jwks_uri]);
});

Deno.test("a key is named by an id that no other key has, or the token is refused", async () => {
  const identity = provider();
  const auth = { jwks_uri: "https://keys.example.com/jwks" };
  const fetch = async () => {
    const { keys } = await (await identity.fetch(new Request(`${identity.url}/oauth2/certs`))).json();
    return Response.json({ keys: [...keys, ...keys] });
  };
  await withTokens({ identity, auth, fetch }, async (app) => {
    await assertRefused(app, await identity.token({ user: "ann" }));
  });
});

Deno.test("the keys of an issuer come by https, unless both are on this machine", async () => {
  const jwks = "http://127.0.0.1:9/keys";
  const discover = async (issuer: string, jwks_uri: unknown) => {
    const identity = provider({ url: issuer });
    const fetch = (request: Request) =>
      request.url === jwks || request.url === "https://keys.example.com/"
        ? identity.fetch(new Request(`${issuer}/oauth2/certs`))
        : Promise.resolve(Response.json({ issuer, jwks_uri }));
    let found = 0;
    await withTokens({ identity, fetch }, async ({ status }) => {
      found = await status(await identity.token({ user: "ann" }));
    });
    return found;
  };
  assert.equal(await discover("https://a.example.com", "https://keys.example.com/"), 200);
  assert.equal(await discover("http://localhost:8080/realms/x", jwks), 200);
  for (const uri of [jwks, "http://keys.example.com/", "file:///etc/passwd", "keys", undefined, 1]) {
    assert.equal(await discover("https://a.example.com", uri), 503, String(uri));
  }
});

/** Two issuers, one of them with settings of its own. */
async function withTwo(
  entry: object,
  run: (app: TokenApp, first: Identity, second: Identity) => Promise<void>,
  setting: Omit<TokenSetting, "auth" | "identity" | "fetch"> = {},
): Promise<void> {
  const first = provider({ url: "https://one.example.com/realms/x", audience: "shop" });
  const keys = await createSigningKeys("RS256");
  const second = provider({ url: "https://one.example.com/realms/y", audience: "shop", keys });
  const auth = {
    credentials: undefined,
    audience: "shop",
    claims: { roles: "roles" },
    issuers: [first.url, { issuer: second.url, ...entry }],
  };
  const fetch = identityFetch([first, second]);
  await withTokens({ identity: first, auth, fetch, ...setting }, (app) => run(app, first, second));
}

Deno.test("several issuers have their own keys, audiences and claims", async () => {
  const entry = { audience: "api", claims: { roles: "realm_access.roles" } };
  await withTwo(entry, async (app, first, second) => {
    const one = { user: "ann", claims: { roles: ["admin"], realm_access: { roles: ["clerk"] } } };
    const two = { ...one, claims: { ...one.claims, aud: "api" } };
    assert.deepEqual((await app.user(await first.token(one))).roles, ["admin"]);
    assert.deepEqual((await app.user(await second.token(two))).roles, ["clerk"]);
    await assertRefused(app, await second.token(one));
    await assertRefused(app, await first.token(two));
    // in the name of the other one
    await assertRefused(app, await first.token({ ...two, claims: { ...two.claims, iss: second.url } }));
    await assertRefused(app, await second.token({ ...one, claims: { ...one.claims, iss: first.url } }));
  });
});

Deno.test("users of several issuers are told apart by id_prefix; without it the start warns", async () => {
  const lines: string[] = [];
  const { warn } = console;
  console.warn = (...values: unknown[]) => void lines.push(values.join(" "));
  try {
    const log = { log: { levels: { default: "warn" }, format: "plain" } };
    await withTwo({ id_prefix: "y/" }, async ({ user }, first, second) => {
      assert.equal((await user(await first.token({ user: "ann" }))).id, "ann");
      assert.equal((await user(await second.token({ user: "ann" }))).id, "y/ann");
    }, log);
    assert.deepEqual(lines, []);
    await withTwo({}, async ({ status }, first) => {
      assert.equal(await status(await first.token({ user: "ann" })), 200);
    }, log);
    assert.equal(lines.length, 1);
    assert.match(lines[0]!, /Users of different issuers with the same id are the same user: "id_prefix"/);
  } finally {
    console.warn = warn;
  }
});

Deno.test("an issuer may stand for one tenant, whatever its tokens say", async () => {
  await withTwo({ tenant: "t2", claims: { tenant: "tid" } }, async ({ get }, first, second) => {
    const caller = async (token: string) => (await (await get("members", token)).json()).value;
    const claims = { tid: "t1" };
    assert.equal(await caller(await second.token({ user: "ann", claims })), "ann t2");
    // the other one names none
    assert.equal((await get("members", await first.token({ user: "ann", claims }))).status, 401);
  }, { requires: { multitenancy: true } });
});

Deno.test("OpenID providers stand beside the bound identity services", async () => {
  const openid = provider();
  const oauth2 = createIdentity({ kind: "oauth2", keys: KEYS });
  const auth = {
    kind: ["openid", "oauth2"],
    credentials: { oauth2: oauth2.credentials, openid: openid.credentials },
  };
  await withTokens({ identity: openid, auth, fetch: identityFetch([openid, oauth2]) }, async (app) => {
    const roles = ["admin"];
    assert.deepEqual((await app.user(await openid.token({ user: "ann", roles }))).roles, roles);
    assert.ok((await app.user(await oauth2.token({ user: "bob", roles }))).is("admin"));
    await assertRefused(app, await openid.token({ user: "ann", claims: { iss: "https://x.test" } }));
    await assertRefused(app, await oauth2.token({ user: "ann", claims: { iss: openid.url } }));
  });
});

Deno.test("after a rotation new tokens are accepted, and those of removed keys are not", () =>
  withClock(async (forward) => {
    const identity = createIdentity({ kind: "openid" });
    await withTokens({ identity }, async ({ status }) => {
      const before = await identity.token({ user: "ann", algorithm: "ES256", expiresInSeconds: 3600 });
      assert.equal(await status(before), 200);
      identity.rotateKeys({ keepFormer: false });
      forward(31_000);
      const after = await identity.token({ user: "ann", algorithm: "ES256", expiresInSeconds: 3600 });
      assert.equal(await status(after), 200);
      assert.equal(await status(before), 401);
    });
  }));

Deno.test("tokens with unknown keys lead to one request in 30 seconds", () =>
  withClock(async (forward) => {
    const identity = provider();
    await withTokens({ identity }, async ({ status }) => {
      assert.equal(await status(await identity.token({ user: "ann" })), 200);
      forward(31_000);
      const before = identity.requests.length;
      for (let i = 0; i < 50; i++) {
        assert.equal(await status(await identity.token({ user: "ann", header: { kid: `k${i}` } })), 401);
      }
      assert.equal(identity.requests.length - before, 1);
    });
  }));

Deno.test("while the provider fails, known keys last for 30 minutes, then clients get 503 with Retry-After", () =>
  withClock(async (forward) => {
    const identity = provider();
    await withTokens({ identity }, async ({ status, get }) => {
      const token = () => identity.token({ user: "ann" });
      identity.behaviour = "unreachable";
      assert.equal(await status(await token()), 503);
      identity.behaviour = "normal";
      forward(31_000);
      assert.equal(await status(await token()), 200);
      identity.behaviour = "error";
      forward(29 * 60_000);
      assert.equal(await status(await token()), 200);
      forward(2 * 60_000);
      const refused = await get("members", await token());
      assert.equal(refused.status, 503);
      assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
      assert.doesNotMatch(await refused.text(), /openid\.test/);
    });
  }));
