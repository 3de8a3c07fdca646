/** The OIDC service end to end: real tokens bound to real certificates, an application in production (spec 5). */

import assert from "node:assert/strict";
import { createCertificate, createIdentity } from "../../src/test/mod.ts";
import { CERTIFICATE_ROUTE, ROUTE } from "./tls_proxy.ts";
import { OIDC_CLIENT, UNBOUND_CLIENT } from "./identity_server.ts";
import { CLIENT_SECRET } from "./providers.ts";
import { withWorld, type World } from "./world.ts";

const HOST = "tenant.accounts.test";

Deno.test("a named user passes with the certificate of its token, and gets 403 without the role [5.2.4] [5.3.5]", async () => {
  await withWorld("oidc", async ({ identity, certificate, oidcToken, call }) => {
    for (const algorithm of ["RS256", "ES256"] as const) {
      identity.algorithm = algorithm;
      const token = (await oidcToken({ user: "alice" })).access_token;
      const { caller } = await call("Members", { token, certificate });
      assert.deepEqual(caller, { id: "alice", tenant: "t1" }, "handlers see no certificate");
      assert.equal((await call("Persons", { token, certificate })).status, 200);
      assert.equal((await call("Systems", { token, certificate })).status, 403);
      const refused = await call("Admins", { token, certificate });
      assert.equal(refused.status, 403);
      assert.deepEqual(JSON.parse(refused.text), { error: { code: "403", message: "Forbidden" } });
    }
  });
});

Deno.test("a technical user passes where no role is asked for, and elsewhere with the role only [5.2.5]", async () => {
  await withWorld("oidc", async ({ identity, certificate, oidcToken, call }) => {
    const plain = (await oidcToken()).access_token;
    assert.equal((await call("Members", { token: plain, certificate })).caller?.id, "system");
    assert.equal((await call("Systems", { token: plain, certificate })).status, 200);
    assert.equal((await call("Internals", { token: plain, certificate })).status, 200);
    assert.equal((await call("Persons", { token: plain, certificate })).status, 403);
    assert.equal((await call("Admins", { token: plain, certificate })).status, 403);
    identity.apis = ["admin"];
    const token = (await oidcToken()).access_token;
    assert.equal((await call("Admins", { token, certificate })).status, 200);
  });
});

Deno.test("a token without its certificate gets 401 on every route, known or not [5.1.oidc] [5.2.12]", async () => {
  await withWorld("oidc", async (world) => {
    const { certificate, authority, oidcToken, call, identity } = world;
    const token = (await oidcToken({ user: "alice" })).access_token;
    const another = await createCertificate({ subject: certificate.subject, issuer: authority });
    const selfSigned = await createCertificate({ subject: certificate.subject });
    const refuseAll = async () => {
      const header = { "x-forwarded-client-cert": certificate.header };
      for (
        const attempt of [
          { token },
          { token, route: CERTIFICATE_ROUTE },
          { token, certificate, route: ROUTE },
          { token, certificate: another },
          { token, certificate: selfSigned },
          { token, headers: header },
          { token, certificate: another, headers: header },
        ] as const
      ) {
        const refused = await call("Members", attempt);
        assert.equal(refused.status, 401, JSON.stringify(Object.keys(attempt)));
        assert.equal(refused.headers.get("www-authenticate"), 'Bearer error="invalid_token"');
      }
    };
    await refuseAll();
    assert.equal(identity.keyRequests(HOST).length, 0, "no request for a token that cannot be used");
    assert.equal((await call("Members", { token, certificate })).status, 200);
    await refuseAll();
    const unbound = await unboundToken(world);
    assert.equal((await call("Members", { token: unbound, certificate })).status, 401);
  });
});

Deno.test("the certificate that a stranger forwards does not count, however right it is [5.2.14]", async () => {
  await withWorld("oidc", async ({ identity, certificate, oidcToken, call }) => {
    const token = (await oidcToken({ user: "alice" })).access_token;
    assert.equal((await call("Members", { token, certificate })).status, 401);
    assert.equal(identity.keyRequests(HOST).length, 0);
  }, { trusted: "192.0.2.1" });
});

Deno.test("the first request for the keys proves where the token came from [5.2.12]", async () => {
  await withWorld("oidc", async ({ identity, certificate, oidcToken, call }) => {
    identity.asksForProof = true;
    const token = (await oidcToken({ user: "alice" })).access_token;
    assert.equal((await call("Members", { token, certificate })).status, 200);
    const [request, ...others] = identity.keyRequests(HOST);
    assert.equal(others.length, 0);
    assert.ok(request.hasCertificate, "the application shows its own certificate");
    const { "x-client_cert": proof, "x-app_tid": tenant, "x-client_id": client, "x-azp": azp } =
      request.headers;
    assert.equal(String(proof).replaceAll("\\n", "\n").trim(), certificate.pem.trim());
    assert.deepEqual([tenant, client, azp], ["t1", OIDC_CLIENT, OIDC_CLIENT]);
  });
});

Deno.test("tokens of all tenants of the service pass with their tenant, those of strangers do not [5.4.2]", async () => {
  await withWorld("oidc", async ({ identity, certificate, oidcToken, call }) => {
    const token = (await oidcToken({ user: "bob", host: "other.accounts.test" })).access_token;
    assert.deepEqual((await call("Members", { token, certificate })).caller, { id: "bob", tenant: "t2" });
    const known = identity.seen.length;
    const stranger = createIdentity({ kind: "oidc", url: "https://tenant.accounts.test.evil.test" });
    const foreign = await stranger.token({ user: "bob", certificate });
    assert.equal((await call("Members", { token: foreign, certificate })).status, 401);
    assert.equal(identity.seen.length, known);
    const forger = createIdentity({ kind: "oidc", url: `https://${HOST}`, clientId: OIDC_CLIENT });
    const forged = await forger.token({ user: "bob", certificate });
    assert.equal((await call("Members", { token: forged, certificate })).status, 401);
  });
});

Deno.test("a token for another application gets 401, although service, user and certificate are known", async () => {
  await withWorld("oidc", async ({ identity, certificate, oidcToken, call }) => {
    const own = (await oidcToken({ user: "alice" })).access_token;
    assert.equal((await call("Members", { token: own, certificate })).status, 200);
    identity.audience = "another-application";
    const foreign = (await oidcToken({ user: "alice" })).access_token;
    assert.equal((await call("Members", { token: foreign, certificate })).status, 401);
    assert.equal((await call("Public", { token: foreign, certificate })).status, 401);
  });
});

Deno.test("after a rotation new bound tokens pass, and those of former keys do not", async () => {
  await withWorld("oidc", async ({ identity, certificate, oidcToken, call, pass }) => {
    const before = (await oidcToken({ user: "bob" })).access_token;
    assert.equal((await call("Members", { token: before, certificate })).status, 200);
    identity.rotateKeys(HOST);
    pass(31_000);
    const after = (await oidcToken({ user: "bob" })).access_token;
    assert.equal((await call("Members", { token: after, certificate })).status, 200);
    assert.equal((await call("Members", { token: before, certificate })).status, 401);
  });
});

Deno.test("while the OIDC service fails, clients get 503 with Retry-After, and are served after it", async () => {
  for (const fault of ["cut", "error", "hang", "huge"] as const) {
    await withWorld("oidc", async ({ identity, certificate, oidcToken, call, pass, lines }) => {
      const token = (await oidcToken({ user: "alice" })).access_token;
      identity.fault = fault;
      const failed = await call("Members", { token, certificate });
      assert.equal(failed.status, 503, fault);
      assert.equal(failed.headers.get("retry-after"), "1");
      assert.ok(!failed.text.includes("accounts.test"), failed.text);
      identity.fault = "none";
      pass(1000);
      assert.equal((await call("Members", { token, certificate })).status, 200, fault);
      const log = lines.join("\n");
      assert.match(log, /\/\.well-known\/openid-configuration/);
      const [body] = certificate.pem.split("\n").slice(1);
      for (const secret of [token, body, certificate.header]) assert.ok(!log.includes(secret));
    }, fault === "hang" ? { keySetMs: 3000 } : {});
  }
});

async function unboundToken({ send }: World): Promise<string> {
  const form = { grant_type: "client_credentials", client_id: UNBOUND_CLIENT, client_secret: CLIENT_SECRET };
  const request = new Request(`https://${HOST}/oauth2/token`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  const { access_token } = await (await send(request)).json();
  assert.equal(typeof access_token, "string");
  return access_token;
}
