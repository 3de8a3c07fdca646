import assert from "node:assert/strict";
import { ConfigurationError } from "../../src/errors/configuration_error.ts";
import { readOidcCredentials, trustedIssuer } from "../../src/auth/tokens/oidc/oidc_credentials.ts";
import { createCertificate } from "../../src/test/mod.ts";
import { accounts, CLIENT, withOidc } from "../security/oidc_app.ts";

const ISSUER = "https://tenant.accounts.example.com";

Deno.test("a named user has the subject as id, and all claims that are no protocol as attributes [5.4.2]", () =>
  withOidc({ requires: { multitenancy: true } }, async ({ user }) => {
    const claims = {
      user_name: "al",
      given_name: "Al",
      family_name: "Ice",
      email: "a@b.test",
      groups: ["g1", "g2"],
      zone_uuid: "z",
      "x5t#S256": "x",
      scim_id: "s",
      user_uuid: "u",
    };
    const { user: alice, tenant } = await user({ token: { claims } });
    assert.equal(alice.id, "alice");
    assert.equal(tenant, "t1");
    assert.equal(alice.tenant, "t1");
    assert.deepEqual({ ...alice.attr }, {
      user_name: "al",
      given_name: "Al",
      family_name: "Ice",
      email: "a@b.test",
      groups: ["g1", "g2"],
      logonName: "al",
      givenName: "Al",
      familyName: "Ice",
    });
    assert.deepEqual(alice.roles, []);
    assert.ok(alice.is("identified-user") && alice.is("authenticated-user"));
  }));

Deno.test("without multitenancy the tenant of a token does not count", () =>
  withOidc({}, async ({ user }) => {
    const { user: alice, tenant } = await user();
    assert.deepEqual([alice.tenant, tenant], [undefined, undefined]);
  }));

Deno.test("a technical user is called system, has the roles of ias_apis, and is internal with our own client", () =>
  withOidc({}, async ({ user, status }) => {
    const roles = ["reader", "internal-user", "system-user", "any"];
    const foreign = { token: { user: undefined, roles, claims: { azp: "caller", sub: "caller" } } };
    const { user: caller } = await user(foreign);
    assert.deepEqual([caller.id, caller.roles, { ...caller.attr }], [
      "system",
      ["reader", "system-user"],
      {},
    ]);
    assert.equal(caller.is("identified-user"), false);
    assert.equal(await status({ ...foreign, service: "readers" }), 200);
    assert.equal(await status({ ...foreign, service: "internals" }), 403);
    const own = { token: { user: undefined, claims: { ias_apis: "reader" } } };
    assert.deepEqual((await user(own)).user.roles, ["system-user", "internal-user"]);
    assert.equal(await status({ ...own, service: "readers" }), 403);
  }));

Deno.test("the interfaces in the token of a named user give no roles", () =>
  withOidc({}, async ({ user, status }) => {
    const token = { claims: { ias_apis: ["reader", "system-user"] } };
    assert.deepEqual((await user({ token })).user.roles, []);
    assert.equal(await status({ token, service: "readers" }), 403);
  }));

Deno.test("a token for another audience is refused, whichever client it was issued to", () =>
  withOidc({}, async ({ status }) => {
    for (const aud of ["other", ["other"], [], undefined, "app", "app-client-2"]) {
      assert.equal(await status({ token: { claims: { aud } } }), 401, JSON.stringify(aud));
    }
    assert.equal(await status({ token: { claims: { aud: ["other", "app-client"], azp: "caller" } } }), 200);
  }));

Deno.test("the tenant is mandatory in tokens of another issuer than that of the binding", () =>
  withOidc({}, async ({ identity, status }) => {
    const iss = "https://subscriber.accounts.example.com";
    assert.equal(await status({ token: { claims: { iss, app_tid: undefined } } }), 401);
    for (const app_tid of ["", "a/b", "..", "a b", "a\nb", 1, ["t1"], "x".repeat(65)]) {
      assert.equal(await status({ token: { claims: { app_tid } } }), 401, JSON.stringify(app_tid));
    }
    assert.deepEqual(identity.requests, []);
    assert.equal(await status({ token: { claims: { iss, app_tid: undefined, zone_uuid: "t2" } } }), 200);
    assert.equal(await status({ token: { claims: { app_tid: undefined } } }), 200);
  }));

Deno.test("keys are asked for with tenant, client and caller, and kept for these", () =>
  withOidc({}, async ({ identity, status }) => {
    const asked = () =>
      identity.requests.filter(({ url }) => url === `${ISSUER}/oauth2/certs`).map(({ headers }) =>
        ["x-app_tid", "x-client_id", "x-azp"].map((name) => headers.get(name))
      );
    for (let i = 0; i < 3; i++) assert.equal(await status(), 200);
    assert.deepEqual(asked(), [["t1", "app-client", "app-client"]]);
    assert.equal(await status({ token: { tenant: "t2" } }), 200);
    assert.equal(await status({ token: { claims: { azp: "caller" } } }), 200);
    assert.equal(await status({ token: { claims: { azp: undefined } } }), 200);
    assert.deepEqual(asked().slice(1), [["t2", "app-client", "app-client"], ["t1", "app-client", "caller"], [
      "t1",
      "app-client",
      null,
    ]]);
    const discoveries = identity.requests.filter(({ url }) => url.endsWith("openid-configuration"));
    assert.equal(discoveries.length, 1);
    assert.equal(discoveries[0]!.headers.get("x-client_cert"), null);
    for (const azp of ["a\nb", "ä", "", "x".repeat(257)]) {
      assert.equal(await status({ token: { claims: { azp } } }), 401, azp);
    }
  }));

Deno.test("the key request proves the certificate of the client, by mutual TLS of the application [5.2.12]", async () => {
  const identity = accounts();
  const shown: [string, unknown][] = [];
  const fetch = (request: Request, keyPair?: unknown) => {
    shown.push([new URL(request.url).pathname, keyPair]);
    return app.fetch(request);
  };
  let app = identity;
  await withOidc({ fetch }, async ({ identity: issuing, status }) => {
    app = issuing;
    const { certificate, key } = issuing.credentials as Record<string, string>;
    assert.equal(await status(), 200);
    assert.deepEqual(shown, [
      ["/.well-known/openid-configuration", undefined],
      ["/oauth2/certs", { certificate, key }],
    ]);
    assert.equal(
      issuing.requests[1]!.headers.get("x-client_cert"),
      CLIENT.pem.trim().replaceAll("\n", "\\n"),
    );

    const sameSubject = await createCertificate({ subject: "CN=client" });
    assert.equal(await status({ token: { certificate: sameSubject }, certificate: sameSubject.header }), 200);
    assert.equal(shown.length, 2);
    const other = await createCertificate({ subject: "CN=other" });
    assert.equal(await status({ token: { certificate: other }, certificate: other.header }), 200);
    assert.equal(shown.length, 3);

    assert.equal(await status({ token: { user: undefined, roles: ["reader"] } }), 200);
    assert.deepEqual(shown[3], ["/oauth2/certs", undefined]);
    assert.equal(issuing.requests.at(-1)!.headers.get("x-client_cert"), null);
  });
});

Deno.test("without binding no certificate is proved", () =>
  withOidc({ authentication: { certificateBinding: "never" } }, async ({ identity, status }) => {
    assert.equal(await status(), 200);
    assert.equal(identity.requests[1]!.headers.get("x-client_cert"), null);
  }));

Deno.test("an identity service that fails is 503 with Retry-After, and is asked again after a pause only", () =>
  withOidc({}, async ({ identity, send }) => {
    for (const behaviour of ["error", "unreachable", "not-json", "redirect", "huge"] as const) {
      identity.behaviour = behaviour;
      const token = { claims: { iss: `https://${behaviour}.accounts.example.com` } };
      const response = await send({ token });
      assert.equal(response.status, 503, behaviour);
      assert.match(response.headers.get("retry-after")!, /^\d+$/);
      assert.equal((await response.json()).error.code, "503");
      const before = identity.requests.length;
      assert.equal((await send({ token })).status, 503);
      assert.equal(identity.requests.length, before);
    }
  }));

Deno.test("many requests at once ask for configuration and keys once", () =>
  withOidc({}, async ({ identity, status }) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => status()));
    assert.deepEqual(new Set(answers), new Set([200]));
    assert.equal(identity.requests.length, 2);
  }));

Deno.test("keys are fetched from https only", async () => {
  for (
    const jwks_uri of ["http://tenant.accounts.example.com/keys", "keys", 1, undefined, "file:///etc/passwd"]
  ) {
    const asked: string[] = [];
    const fetch = ({ url }: Request) => {
      asked.push(url);
      return Promise.resolve(Response.json({ issuer: ISSUER, jwks_uri }));
    };
    await withOidc({ fetch }, async ({ status }) => assert.equal(await status(), 503));
    assert.equal(asked.length, 1);
  }
});

Deno.test("credentials that cannot be used stop the start", () => {
  const good = { clientid: "c", url: ISSUER, domains: ["accounts.example.com"] };
  assert.deepEqual(readOidcCredentials({ ...good, domains: ["Accounts.Example.com"] }).domains, good.domains);
  const bad: readonly [object | undefined, RegExp][] = [
    [undefined, /credentials\.clientid" is missing: kind "oidc" needs a binding/],
    [{ ...good, clientid: 1 }, /credentials\.clientid" must be a text/],
    [{ ...good, url: undefined }, /credentials\.url" is missing/],
    [{ ...good, url: "http://x.test" }, /credentials\.url" must be an https URL/],
    [{ ...good, url: "x" }, /credentials\.url" must be an https URL/],
    [{ ...good, domains: "accounts.example.com" }, /credentials\.domains" must be a list of host names/],
    [{ ...good, domains: ["https://accounts.example.com"] }, /must be a list of host names/],
    [{ ...good, domains: [".example.com"] }, /must be a list of host names/],
    [
      { ...good, certificate: "secret" },
      /"certificate" of the credentials must be a certificate in PEM form/,
    ],
    [{ ...good, certificate: CLIENT.pem }, /credentials\.key" is missing/],
  ];
  for (const [credentials, message] of bad) {
    assert.throws(() => readOidcCredentials(credentials), (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(error.message, message);
      return !error.message.includes("secret");
    });
  }
});

Deno.test("an issuer is no longer than the name of a host can be: 255 characters (RFC 1035, 2.3.4)", () => {
  const label = "a".repeat(63);
  for (const [length, isTrusted] of [[191, true], [192, false]] as const) {
    const domain = "b".repeat(length - ".example".length) + ".example";
    const find = () => trustedIssuer({ iss: `${label}.${domain}` }, [domain]);
    if (isTrusted) assert.equal(find(), `https://${label}.${domain}`);
    else assert.throws(find, /the issuer is not trusted/);
  }
});
