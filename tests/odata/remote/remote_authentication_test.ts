import assert from "node:assert/strict";
import fw, { createRuntime } from "../../../mod.ts";
import type { ClientKeyPair } from "../../../src/auth/token_client/token_credentials.ts";
import { FAILURE_PAUSE_MS } from "../../../src/auth/token_client/token_failures.ts";
import { pause } from "../../../src/util/time.ts";
import { OAUTH2, OIDC } from "../../auth/token_client/service_keys.ts";
import { type RemoteShop, type RemoteShopOptions, withRemoteShop } from "./remote_shop.ts";

/** What reached the called service and the token endpoint. */
interface Seen {
  readonly calls: { readonly authorization: string | null; readonly keyPair: ClientKeyPair | undefined }[];
  readonly forms: Record<string, string>[];
  readonly zones: (string | null)[];
  tokenStatus: number;
}

const URL_OF_SHOP = "http://shop.test/odata/v4/catalog";

/** Runs a test with a caller whose users are who the header `x-user` says. */
async function withCaller(
  credentials: Readonly<Record<string, unknown>>,
  test: (shop: RemoteShop, seen: Seen) => Promise<void>,
  auth: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const seen: Seen = { calls: [], forms: [], zones: [], tokenStatus: 200 };
  const fetch: RemoteShopOptions["fetch"] = async (request, server, keyPair) => {
    if (!request.url.endsWith("/token")) {
      seen.calls.push({ authorization: request.headers.get("authorization"), keyPair });
      return await server.fetch(request);
    }
    seen.forms.push(Object.fromEntries(new URLSearchParams(await request.text())));
    seen.zones.push(request.headers.get("x-zid"));
    const answer = { access_token: `token-${seen.forms.length}`, token_type: "bearer", expires_in: 3600 };
    return Response.json(answer, { status: seen.tokenStatus });
  };
  const impl = (request: Request, _context: unknown) => {
    const name = request.headers.get("x-user") ?? "zoe";
    const token = request.headers.get("x-exchanged") ?? undefined;
    fw.context!.user = new fw.User({
      id: name,
      roles: name === "system" ? ["system-user"] : [],
      authInfo: { exchanged: Object.defineProperty({}, "token", { value: token }) },
    });
    if (request.headers.has("x-tenant")) fw.context!.tenant = request.headers.get("x-tenant")!;
  };
  await withRemoteShop({
    entry: { credentials: { url: URL_OF_SHOP, ...credentials } },
    requires: { auth: { kind: "custom", impl: [impl], ...auth } },
    fetch,
  }, async (shop) => {
    shop.client.app.get("/via", async () => Response.json(await shop.remote.read("Books")));
    shop.client.app.get("/as-other", async () => {
      const read = () => shop.remote.read("Books");
      return Response.json(await fw.tx({ user: new fw.User.Privileged() }, read));
    });
    await test(shop, seen);
  });
}

async function call(
  { client }: RemoteShop,
  headers: Readonly<Record<string, string>> = {},
  path = "/via",
): Promise<number> {
  const response = await client.fetch(new Request(`http://localhost${path}`, { headers }));
  await response.body?.cancel();
  return response.status;
}

const BEARER = { authorization: "Bearer caller.token.x" };

const UNBOUND =
  'The application is bound to no identity service: "fw.requires.auth" has no credentials of one (fw add oidc)';

Deno.test("a remote service is called with the token of the caller when it is forwarded", () =>
  withCaller({ authentication: "forward" }, async (shop, { calls }) => {
    assert.equal(await call(shop, BEARER), 200);
    assert.equal(await call(shop, { authorization: `Basic ${btoa("zoe:secret")}` }), 200);
    assert.equal(await call(shop), 200);
    assert.equal(await call(shop, BEARER, "/as-other"), 200);
    await fw.tx(() => shop.remote.read("Books"));
    assert.deepEqual(calls.map(({ authorization }) => authorization), [
      "Bearer caller.token.x",
      null,
      null,
      null,
      null,
    ]);
  }));

Deno.test("the login of a mock user is forwarded outside production, as the token is there (README, other services)", async () => {
  const users = { zoe: { password: "secret" } };
  const login = { authorization: `Basic ${btoa("zoe:secret")}` };
  for (const [kind, sent] of [["mocked", login.authorization], ["basic", null]] as const) {
    await withCaller({ authentication: "forward" }, async (shop, { calls }) => {
      assert.equal(await call(shop, login), 200);
      assert.equal(await call(shop, login, "/as-other"), 200);
      assert.deepEqual(calls.map(({ authorization }) => authorization), [sent, null]);
    }, { kind, impl: undefined, users });
  }
});

Deno.test("the exchanged token of the caller is forwarded where the OAuth 2.0 service is meant", async () => {
  const headers = { ...BEARER, "x-exchanged": "exchanged.token.x" };
  await withCaller({ authentication: "forward", identity: "oauth2" }, async (shop, { calls }) => {
    assert.equal(await call(shop, headers), 200);
    assert.equal(await call(shop, BEARER), 200);
    assert.equal(await call(shop, headers, "/as-other"), 200);
    assert.deepEqual(calls.map(({ authorization }) => authorization), [
      "Bearer exchanged.token.x",
      "Bearer caller.token.x",
      null,
    ]);
  });
  await withCaller({ authentication: "forward" }, async (shop, { calls }) => {
    assert.equal(await call(shop, headers), 200);
    assert.equal(calls[0].authorization, "Bearer caller.token.x");
  });
});

Deno.test("a remote service is called with a token of the application, which is kept", () =>
  withCaller({ authentication: "client_credentials", identity: OAUTH2 }, async (shop, seen) => {
    await fw.tx(() => shop.remote.read("Books"));
    assert.equal(await call(shop, BEARER), 200);
    assert.deepEqual(seen.calls.map(({ authorization }) => authorization), [
      "Bearer token-1",
      "Bearer token-1",
    ]);
    assert.deepEqual(seen.forms, [{
      grant_type: "client_credentials",
      client_id: OAUTH2.clientid,
      client_secret: OAUTH2.clientsecret,
    }]);
    assert.equal(await call(shop, { ...BEARER, "x-tenant": "t2" }), 200);
    assert.equal(seen.calls.at(-1)!.authorization, "Bearer token-2");
    assert.deepEqual(seen.zones, [null, "t2"]);
  }));

Deno.test("a remote service is called with a token for the user of the caller's token", () =>
  withCaller({ authentication: "OAuth2JWTBearer", uaa: OAUTH2 }, async (shop, seen) => {
    assert.equal(await call(shop, BEARER), 200);
    assert.equal(await call(shop, BEARER), 200);
    assert.equal(await call(shop, { authorization: "Bearer other" }), 200);
    assert.deepEqual(seen.forms.map(({ assertion }) => assertion), ["caller.token.x", "other"]);
    assert.equal(seen.forms[0].grant_type, "urn:ietf:params:oauth:grant-type:jwt-bearer");
    assert.deepEqual(seen.calls.map(({ authorization }) => authorization), [
      "Bearer token-1",
      "Bearer token-1",
      "Bearer token-2",
    ]);
  }));

Deno.test("neither technical tokens nor requests without token are exchanged", () =>
  withCaller({ authentication: "jwt-bearer", identity: OAUTH2 }, async (shop, seen) => {
    assert.equal(await call(shop, { ...BEARER, "x-user": "system" }), 502);
    assert.equal(await call(shop, BEARER, "/as-other"), 502);
    assert.deepEqual([seen.forms, seen.calls], [[], []]);
  }));

Deno.test("calls with a token of the OIDC service show the certificate it is bound to [5.3.5]", () =>
  withCaller({ authentication: "client_credentials" }, async (shop, { calls, forms }) => {
    assert.equal(await call(shop), 200);
    assert.deepEqual(forms, [{ grant_type: "client_credentials", client_id: OIDC.clientid }]);
    assert.equal(calls[0].authorization, "Bearer token-1");
    assert.match(calls[0].keyPair!.key, /^-----BEGIN RSA PRIVATE KEY-----\n/);
  }, { kind: "oidc", credentials: OIDC }));

Deno.test("a remote service may be called with a certificate and no token", () =>
  withCaller({ certificate: OIDC.certificate, key: OIDC.key }, async (shop, { calls }) => {
    assert.equal(await call(shop, BEARER), 200);
    assert.equal(calls[0].authorization, null);
    assert.match(calls[0].keyPair!.certificate, /^-----BEGIN CERTIFICATE-----\n/);
  }));

Deno.test("when no token comes the call fails with 502, and the service is not asked; after a pause the endpoint is", () =>
  withCaller({ authentication: "client_credentials", identity: OAUTH2 }, async (shop, seen) => {
    seen.tokenStatus = 401;
    await assert.rejects(fw.tx(() => shop.remote.read("Books")), (error: Error & { status?: number }) => {
      assert.equal(error.status, 502);
      assert.equal(error.message, 'The remote service "shop.CatalogService" failed');
      assert.equal(
        (error.cause as Error).message,
        "The token endpoint https://tenant.auth.test/oauth/token answered 401",
      );
      return true;
    });
    assert.deepEqual(seen.calls, []);
    seen.tokenStatus = 200;
    await pause(FAILURE_PAUSE_MS);
    assert.equal(await call(shop), 200);
  }));

Deno.test("a wrong authentication of a remote service stops the start", async () => {
  const entry = '"fw.requires.shop.CatalogService';
  for (
    const [credentials, message] of [
      [
        { authentication: "fordward" },
        `${entry}.credentials.authentication" must be one of none, basic, forward, client_credentials, jwt-bearer; did you mean "forward"?`,
      ],
      [
        { authentication: "client_credentials" },
        `${entry}": ${UNBOUND}`,
      ],
      [
        { authentication: "jwt-bearer", identity: "oidc" },
        `${entry}": ${UNBOUND}`,
      ],
      [
        { authentication: "jwt-bearer", identity: "ldap" },
        `${entry}": "identity" must be a service key, oidc or oauth2`,
      ],
      [{ authentication: "client_credentials", identity: {} }, `${entry}": The credentials lack "clientid"`],
      [
        { certificate: OIDC.certificate, key: "c2VjcmV0" },
        `${entry}": "key" of the credentials must be an unencrypted private key in PEM form`,
      ],
    ] as const
  ) {
    await assert.rejects(withCaller(credentials, async () => {}), { name: "ConfigurationError", message });
    const env = {
      requires: { "shop.CatalogService": { kind: "odata", credentials } },
      log: { levels: { default: "silent" } },
    };
    const runtime = createRuntime({ model: { definitions: {} }, env });
    await assert.rejects(runtime.start(), { name: "ConfigurationError", message });
    await runtime.close();
  }
});
