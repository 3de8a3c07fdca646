import assert from "node:assert/strict";
import {
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  decodeProtectedHeader,
  importSPKI,
  jwtVerify,
} from "jose";
import { TokenClient } from "../../src/auth/token_client/token_client.ts";
import { readTokenCredentials } from "../../src/auth/token_client/token_credentials.ts";
import { identityEnvironment, identityFetch } from "../../src/test/identity/identity_environment.ts";
import {
  createCertificate,
  createIdentity,
  createSigningKeys,
  type Identity,
  type RequestSettings,
  test,
} from "../../src/test/mod.ts";

/** Keys of the services that are not about keys. */
const KEYS = await createSigningKeys("RS256");

const send = (identity: Identity, path: string, init?: RequestInit) =>
  identity.fetch(new Request(identity.url + path, init));

/** Verifies as anybody would: by the key set the service serves. */
function verify(identity: Identity, token: string) {
  const path = identity.kind === "oidc" ? "/oauth2/certs" : "/token_keys";
  const keys = createRemoteJWKSet(new URL(identity.url + path), {
    [customFetch]: (url: string) => identity.fetch(new Request(url)),
  });
  return jwtVerify(token, keys, { audience: identity.clientId, requiredClaims: ["exp"] });
}

Deno.test("tokens of an identity service verify by its key set, RS256 and ES256", async () => {
  for (const kind of ["oidc", "oauth2"] as const) {
    const identity = createIdentity({ kind });
    for (const algorithm of ["RS256", "ES256"] as const) {
      const { payload, protectedHeader } = await verify(identity, await identity.token({ algorithm }));
      assert.equal(protectedHeader.alg, algorithm);
      assert.equal(payload.sub, identity.clientId);
    }
    assert.equal(identity.requests.length, 2);
    assert.equal((await verify(identity, await identity.token({ user: "alice" }))).payload.sub, "alice");
    const byPem = await importSPKI(await identity.publicKey("ES256"), "ES256");
    await jwtVerify(await identity.token({ algorithm: "ES256" }), byPem);
  }
});

Deno.test("claims hold user, roles, attributes, tenant and certificate as each service writes them", async () => {
  const certificate = await createCertificate();
  const oidc = createIdentity({ kind: "oidc", tenant: "t9", keys: KEYS });
  const named = decodeJwt(await oidc.token({ user: "alice", attributes: { country: "DE" }, certificate }));
  assert.equal(named.app_tid, "t9");
  assert.equal(named.country, "DE");
  assert.deepEqual(named.cnf, { "x5t#S256": certificate.thumbprint });
  const technical = decodeJwt(await oidc.token({ roles: ["read"] }));
  assert.deepEqual(technical.ias_apis, ["read"]);
  assert.equal(technical.azp, technical.sub);
  await assert.rejects(() => oidc.token({ user: "alice", roles: ["read"] }), TypeError);

  const oauth2 = createIdentity({ kind: "oauth2", appName: "shop!t7", keys: KEYS });
  const user = decodeJwt(
    await oauth2.token({ user: "bob", roles: ["admin"], attributes: { country: "DE" }, tenant: "t2" }),
  );
  assert.deepEqual(user.scope, ["openid", "shop!t7.admin"]);
  assert.deepEqual(user["xs.user.attributes"], { country: ["DE"] });
  assert.equal(user.zid, "t2");
  assert.equal(user.user_name, "bob");
  assert.equal(decodeJwt(await oauth2.token()).grant_type, "client_credentials");
});

Deno.test("tokens break where the options say", async () => {
  const identity = createIdentity({ kind: "oauth2" });
  const foreign = await createSigningKeys("RS256");
  const refused = (token: string) => assert.rejects(() => verify(identity, token));
  await refused(await identity.token({ expiresInSeconds: -1 }));
  await refused(await identity.token({ key: foreign.privateKey }));
  await refused(await identity.token({ signature: "AAAA" }));
  await refused(await identity.token({ claims: { aud: "other" } }));
  await refused(await identity.token({ header: { kid: "other" } }));
  assert.equal(decodeProtectedHeader(await identity.token({ header: { kid: undefined } })).kid, undefined);
  assert.ok(!("sub" in decodeJwt(await identity.token({ claims: { sub: undefined } }))));
  assert.match(await identity.token({ signature: "" }), /\.$/);
  const twice = await identity.sign({ alg: "RS256", kid: await identity.keyId() }, '{"sub":"a","sub":"b"}');
  assert.equal(atob(twice.split(".")[1].replaceAll("-", "+")), '{"sub":"a","sub":"b"}');
});

Deno.test("an identity service signs with the keys that it is given, until they are rotated", async () => {
  const [one, other] = ["a", "b"].map((appName) => createIdentity({ kind: "oauth2", appName, keys: KEYS }));
  const token = await one!.token({ claims: { aud: other!.clientId } });
  await verify(other!, token);
  other!.rotateKeys({ keepFormer: false });
  await other!.keyId();
  await assert.rejects(() => verify(other!, token));
});

Deno.test("rotated keys are served, former ones as long as they are kept", async () => {
  const identity = createIdentity({ kind: "oauth2" });
  const before = await identity.token({ algorithm: "ES256" });
  identity.rotateKeys();
  const between = await identity.token({ algorithm: "ES256" });
  await verify(identity, before);
  await verify(identity, between);
  identity.rotateKeys({ keepFormer: false });
  await assert.rejects(() => verify(identity, between), { code: "ERR_JWKS_NO_MATCHING_KEY" });
});

Deno.test("an identity service fails, hangs, floods and lies on demand", async () => {
  const identity = createIdentity({ kind: "oidc", keys: KEYS });
  const discovery = "/.well-known/openid-configuration";
  const normal = await (await send(identity, discovery)).json();
  assert.equal(normal.issuer, identity.url);
  assert.equal(normal.jwks_uri, `${identity.url}/oauth2/certs`);
  assert.equal((await send(identity, "/elsewhere")).status, 404);
  identity.behaviour = "wrong-issuer";
  assert.notEqual((await (await send(identity, discovery)).json()).issuer, identity.url);
  identity.behaviour = "error";
  assert.equal((await send(identity, discovery)).status, 500);
  identity.behaviour = "unreachable";
  await assert.rejects(() => send(identity, discovery), TypeError);
  identity.behaviour = "not-json";
  await assert.rejects(async () => (await send(identity, discovery)).json(), SyntaxError);
  identity.behaviour = "redirect";
  assert.equal((await send(identity, discovery)).status, 302);
  identity.behaviour = "hang";
  const abort = new AbortController();
  const hanging = send(identity, discovery, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await assert.rejects(hanging, { message: "enough" });
  identity.behaviour = "huge";
  const { body } = await send(identity, discovery);
  let length = 0;
  for await (const chunk of body!) {
    length += chunk.length;
    if (length > 2 ** 22) break;
  }
  assert.ok(length > 2 ** 22);
  assert.equal(identity.requests.length, 9);
});

Deno.test("a certificate can be signed by another, expired, and bound to names", async () => {
  const { X509Certificate } = await import("node:crypto");
  const authority = await createCertificate({ subject: "CN=CA", isCa: true });
  const server = await createCertificate({
    subject: "CN=s",
    issuer: authority,
    names: ["localhost", "127.0.0.1"],
  });
  const expired = await createCertificate({ days: -1 });
  const read = new X509Certificate(server.pem);
  assert.ok(read.verify(new X509Certificate(authority.pem).publicKey));
  assert.equal(read.issuer, "CN=CA");
  assert.equal(read.subjectAltName, "DNS:localhost, IP Address:127.0.0.1");
  assert.deepEqual(new Uint8Array(read.raw), server.der);
  assert.ok(new Date(new X509Certificate(expired.pem).validTo).getTime() < Date.now());
  const digest = await crypto.subtle.digest("SHA-256", server.der);
  assert.equal(
    server.thumbprint,
    new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true }),
  );
  assert.match(server.key, /^-----BEGIN PRIVATE KEY-----\n[^]*\n-----END PRIVATE KEY-----\n$/);
});

Deno.test("options of a token need exactly one identity service", async () => {
  const { GET, close } = test("examples/bookshop", { requires: { messaging: false } });
  await assert.rejects(() => GET("/", { token: { user: "alice" } }), TypeError);
  await close();
});

const SHOP = "examples/bookshop";
const OFFLINE = { requires: { messaging: false } };

Deno.test("test() accepts the tokens of its identity service, and sends them", async () => {
  const identity = createIdentity({ kind: "oauth2", keys: KEYS });
  const { GET, close } = test(SHOP, OFFLINE, { identity });
  const status = async (settings: RequestSettings) => (await GET("/odata/v4/admin/Books", settings)).status;
  assert.equal(await status({ token: { user: "alice", roles: ["admin"] } }), 200);
  assert.equal(await status({ token: { user: "bob" } }), 403);
  assert.equal(await status({ token: { user: "alice", roles: ["admin"], expiresInSeconds: -90 } }), 401);
  assert.equal(await status({ token: await identity.token({ roles: ["admin"] }) }), 200);
  assert.equal(await status({}), 401);
  assert.equal(identity.requests.length, 1);
  await close();
});

Deno.test("an identity service answers the token requests of our client", async () => {
  const certificate = await createCertificate();
  const oidc = createIdentity({ kind: "oidc", certificate, keys: KEYS });
  const oauth2 = createIdentity({ kind: "oauth2", keys: KEYS });
  const clientOf = (identity: Identity, credentials: object = identity.credentials) =>
    new TokenClient({ credentials: readTokenCredentials(credentials), fetch: identity.fetch });
  for (const identity of [oidc, oauth2]) {
    const client = clientOf(identity);
    const technical = await client.token({ type: "client_credentials" });
    assert.equal((await verify(identity, technical.access_token)).payload.sub, identity.clientId);
    assert.equal(technical.expires_in, 3600);
    const named = await client.token({ type: "password", username: "alice", password: "any" });
    assert.equal(decodeJwt(named.access_token).sub, "alice");
    const assertion = await oidc.token({ user: "bob", tenant: "t5" });
    const exchanged = decodeJwt((await client.token({ type: "jwt-bearer", assertion })).access_token);
    assert.equal(exchanged.sub, "bob");
    assert.equal(exchanged[identity.kind === "oidc" ? "app_tid" : "zid"], "t5");
  }
  const bound = decodeJwt((await clientOf(oidc).token({ type: "client_credentials" })).access_token);
  assert.deepEqual(bound.cnf, { "x5t#S256": certificate.thumbprint });
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id: oidc.clientId });
  assert.equal((await send(oidc, "/oauth2/token", { method: "POST", body: form })).status, 401);
  await assert.rejects(() => clientOf(oauth2).token({ type: "jwt-bearer", assertion: "none" }), {
    code: "invalid_grant",
  });
});

Deno.test("a certificate beside the token of a request binds it and is sent along", async () => {
  const identity = createIdentity({ kind: "oidc", keys: KEYS });
  const [certificate, another] = [await createCertificate(), await createCertificate()];
  const client = test(SHOP, OFFLINE, { identity });
  const status = async (settings: RequestSettings) =>
    (await client.GET("/odata/v4/admin/Books", settings)).status;
  assert.equal(await status({ token: { roles: ["admin"] }, certificate }), 200);
  assert.equal(await status({ token: { user: "alice" }, certificate }), 403);
  assert.equal(await status({ token: { roles: ["admin"], certificate }, certificate: another }), 401);
  assert.equal(await status({ token: { roles: ["admin"], certificate } }), 401);
  assert.equal(await status({ token: { roles: ["admin"] }, certificate, peer: "192.0.2.1" }), 401);
  client.defaults = { token: { roles: ["admin"] }, certificate };
  assert.equal(await status({}), 200);
  assert.equal(await status({ auth: { username: "alice" } }), 401);
  await client.close();
});

Deno.test("test() accepts the tokens of both identity services", async () => {
  const [oidc, oauth2] = [
    createIdentity({ kind: "oidc", keys: KEYS }),
    createIdentity({ kind: "oauth2", keys: KEYS }),
  ];
  const certificate = await createCertificate();
  const { GET, close } = test(SHOP, OFFLINE, { identity: [oidc, oauth2] });
  for (
    const token of [
      await oidc.token({ roles: ["admin"], certificate }),
      await oauth2.token({ roles: ["admin"] }),
    ]
  ) {
    assert.equal((await GET("/odata/v4/admin/Books", { token, certificate })).status, 200);
  }
  await assert.rejects(() => GET("/", { token: { user: "alice" } }), TypeError);
  await close();
  assert.throws(() => test(SHOP, OFFLINE, { identity: [oidc, oidc] }), TypeError);
});

Deno.test("an OpenID provider issues tokens with the user where claims say, and is found below its issuer", async () => {
  for (const url of ["https://login.test/realms/x", "https://login.test/", "https://login.test"]) {
    const claims = {
      user: "profile.login",
      roles: ["realm_access.roles", "scope"],
      tenant: "https://login.test/tenant",
      attributes: { area: "ext.area" },
    };
    const identity = createIdentity({ kind: "openid", url, audience: "shop", keys: KEYS, claims });
    assert.deepEqual(identity.credentials, { issuer: url, audience: "shop", claims });
    const base = url.replace(/\/$/, "");
    const read = (path: string) =>
      identity.fetch(new Request(base + path)).then((response) => response.json());
    const { issuer, jwks_uri } = await read("/.well-known/openid-configuration");
    assert.deepEqual([issuer, jwks_uri], [url, `${base}/oauth2/certs`]);
    const keys = createRemoteJWKSet(new URL(jwks_uri), {
      [customFetch]: (keysUrl: string) => identity.fetch(new Request(keysUrl)),
    });
    const token = await identity.token({ user: "ann", roles: ["a"], attributes: { area: "A", level: "1" } });
    const { payload } = await jwtVerify(token, keys, { issuer: url, audience: "shop" });
    const { sub, profile, realm_access, ext, level } = payload;
    assert.deepEqual([sub, profile, realm_access, ext, level], [
      "ann",
      { login: "ann" },
      { roles: ["a"] },
      { area: "A" },
      "1",
    ]);
    assert.equal(payload["https://login.test/tenant"], "t1");
    const technical = decodeJwt(await identity.token());
    assert.deepEqual([technical.sub, technical.azp], [identity.clientId, identity.clientId]);
    assert.equal(identity.serves(`${base}/oauth2/certs`), true);
    assert.equal(identity.serves("https://other.test/realms/x/oauth2/certs"), false);
  }
  const members = createIdentity({ kind: "openid", claims: { roles: "project.roles.*" } });
  const { project } = decodeJwt(await members.token({ user: "ann", roles: ["a", "b"] }));
  assert.deepEqual(project, { roles: { a: true, b: true } });
  const without = createIdentity({ kind: "openid", claims: {} });
  await assert.rejects(() => without.token({ user: "ann", roles: ["a"] }), /Roles need a place/);
});

Deno.test("test() accepts the tokens of OpenID providers, of several ones and beside an identity service", async () => {
  const env = { requires: { messaging: false } };
  const one = createIdentity({ kind: "openid", url: "https://login.test/realms/one", keys: KEYS });
  const two = createIdentity({
    kind: "openid",
    url: "https://login.test/realms/two",
    claims: { roles: "groups" },
  });
  const oauth2 = createIdentity({ kind: "oauth2", keys: KEYS });
  for (const identities of [[one], [one, two], [one, oauth2], [two, oauth2, one]]) {
    const { GET, close } = test("examples/bookshop", env, { identity: identities });
    for (const identity of identities) {
      const status = async (roles: string[]) =>
        (await GET("/odata/v4/admin/Books", { token: await identity.token({ user: "ann", roles }) })).status;
      assert.deepEqual([await status(["admin"]), await status([])], [200, 403], identity.url);
    }
    await close();
  }
});

Deno.test("named users of the OIDC service have roles where claims say", async () => {
  const identity = createIdentity({ kind: "oidc", keys: KEYS, claims: { roles: "groups" } });
  const { GET, close } = test("examples/bookshop", { requires: { messaging: false } }, { identity });
  const certificate = await createCertificate();
  const status = async (roles: string[]) =>
    (await GET("/odata/v4/admin/Books", { token: { user: "ann", roles }, certificate })).status;
  assert.deepEqual([await status(["admin"]), await status(["other"])], [200, 403]);
  await close();
});

/** An identity service as far as the configuration of a project is made from it. */
function service(kind: string, credentials: object, roles?: string): Identity {
  return { kind, credentials, claims: { roles } } as unknown as Identity;
}

Deno.test("identity services of a test are the configuration of its project", () => {
  const oauth2 = service("oauth2", { a: 1 });
  const oidc = service("oidc", { b: 2 });
  const withRoles = service("oidc", { b: 2 }, "groups");
  const openid = service("openid", { issuer: "i" }, "roles");
  const second = service("openid", { issuer: "j" });
  const cases: readonly (readonly [identities: readonly Identity[], auth: object])[] = [
    [[oauth2], { kind: "oauth2", credentials: { a: 1 } }],
    [[oidc], { kind: "oidc", credentials: { b: 2 } }],
    [[withRoles], { kind: "oidc", credentials: { b: 2 }, claims: { roles: "groups" } }],
    [[oauth2, oidc], { kind: ["oauth2", "oidc"], credentials: { oauth2: { a: 1 }, oidc: { b: 2 } } }],
    [[openid], { kind: "openid", issuer: "i" }],
    [[oauth2, openid], { kind: ["oauth2", "openid"], credentials: { oauth2: { a: 1 } }, issuer: "i" }],
    [[withRoles, openid], { kind: ["oidc", "openid"], credentials: { oidc: { b: 2 } }, issuer: "i" }],
    [[openid, second], { kind: "openid", issuers: [{ issuer: "i" }, { issuer: "j" }] }],
    [[oauth2, openid, second], {
      kind: ["oauth2", "openid"],
      credentials: { oauth2: { a: 1 } },
      issuers: [{ issuer: "i" }, { issuer: "j" }],
    }],
  ];
  for (const [identities, auth] of cases) {
    assert.deepEqual(identityEnvironment(identities), {
      requires: { auth },
      server: { trusted_proxies: ["127.0.0.1"] },
    });
  }
  assert.deepEqual(identityEnvironment([]), {});
  assert.throws(() => identityEnvironment([oauth2, oauth2, openid]), {
    name: "TypeError",
    message: "Expected at most one identity service of kind oauth2",
  });
});

Deno.test("requests go to the identity service that their host belongs to", async () => {
  const named = (name: string) =>
    ({
      serves: (url: string) => url.startsWith(`https://${name}/`),
      fetch: () => Promise.resolve(new Response(name)),
    }) as unknown as Identity;
  const send = identityFetch([named("a"), named("b")]);
  for (const name of ["a", "b"]) {
    assert.equal(await (await send(new Request(`https://${name}/keys`))).text(), name);
  }
  assert.equal(await (await send(new Request("data:,network"))).text(), "network");
});
