/** Token requests to real identity services (spec 4.2, 5.3). */

import assert from "node:assert/strict";
import { decodeJwt } from "jose";
import { TokenClient } from "../../src/auth/token_client/token_client.ts";
import { readTokenCredentials } from "../../src/auth/token_client/token_credentials.ts";
import { type Certificate, createCertificate } from "../../src/test/mod.ts";
import { OAUTH2_CLIENT, OAUTH2_HOST, OIDC_CLIENT } from "./identity_server.ts";
import { PASSWORD } from "./grants.ts";
import { CLIENT_SECRET, LIFETIME_S } from "./providers.ts";
import { withWorld, type World } from "./world.ts";

/** A request as any client would send it. */
async function post({ send }: World, url: string, form: Record<string, string>, certificate?: Certificate) {
  const request = new Request(url, { method: "POST", body: new URLSearchParams(form) });
  const response = await send(request, certificate && { certificate: certificate.pem, key: certificate.key });
  return { status: response.status, body: await response.json() };
}

Deno.test("the OIDC service issues tokens at /oauth2/token for a client certificate only [4.2.oidc]", async () => {
  await withWorld("oidc", async (world) => {
    const { identity, certificate, authority } = world;
    const url = "https://tenant.accounts.test/oauth2/token";
    const form = { grant_type: "client_credentials", client_id: OIDC_CLIENT };
    assert.equal((await post(world, url, form, certificate)).status, 200);
    const others = [
      undefined,
      await createCertificate({ subject: "CN=another", issuer: authority }),
      await createCertificate({ subject: `CN=${OIDC_CLIENT}` }),
      await createCertificate({ subject: `CN=${OIDC_CLIENT}`, issuer: authority, days: -1 }),
    ];
    for (const other of others) {
      const { status, body } = await post(world, url, form, other);
      assert.equal(status, 401);
      assert.equal(body.error, "invalid_client");
    }
    identity.seen.length = 0;
    const technical = decodeJwt((await world.oidcToken()).access_token);
    const named = decodeJwt((await world.oidcToken({ user: "alice" })).access_token);
    assert.deepEqual(identity.seen.map(({ method, path }) => `${method} ${path}`), [
      "POST /oauth2/token",
      "POST /oauth2/token",
    ]);
    for (const { cnf } of [technical, named]) assert.deepEqual(cnf, { "x5t#S256": certificate.thumbprint });
  });
});

Deno.test("the OAuth 2.0 service issues tokens at /oauth/token for the secret of the client [4.2.oauth]", async () => {
  await withWorld("oauth2", async (world) => {
    const url = `https://${OAUTH2_HOST}/oauth/token`;
    const form = { grant_type: "client_credentials", client_id: OAUTH2_CLIENT };
    assert.equal((await post(world, url, { ...form, client_secret: CLIENT_SECRET })).status, 200);
    assert.equal(
      (await post(world, url, { ...form, client_secret: "another" })).body.error,
      "invalid_client",
    );
    assert.notEqual((await post(world, url, form)).status, 200);
    world.identity.seen.length = 0;
    await world.oauth2Token();
    await world.oauth2Token({ user: "alice" });
    assert.deepEqual(world.identity.seen.map(({ method, path }) => `${method} ${path}`), [
      "POST /oauth/token",
      "POST /oauth/token",
    ]);
  });
});

Deno.test("client credentials give a technical user, a password a named one [4.2.sem]", async () => {
  await withWorld("both", async ({ oidcToken, oauth2Token }) => {
    assert.equal(decodeJwt((await oidcToken()).access_token).sub, OIDC_CLIENT);
    assert.equal(decodeJwt((await oidcToken({ user: "alice" })).access_token).sub, "alice");
    assert.equal(decodeJwt((await oauth2Token()).access_token).grant_type, "client_credentials");
    assert.equal(decodeJwt((await oauth2Token({ user: "bob" })).access_token).user_name, "bob");
    await assert.rejects(() => oidcToken({ user: "mallory" }), { code: "invalid_grant" });
    await assert.rejects(() => oauth2Token({ user: "mallory" }), { code: "invalid_grant" });
  });
});

Deno.test("the answer tells token, type and lifetime in seconds [2.8] [8.3] [5.3.4]", async () => {
  await withWorld("both", async ({ oidcToken, oauth2Token }) => {
    for (const answer of [await oidcToken({ user: "alice" }), await oauth2Token()]) {
      const { iat, exp } = decodeJwt(answer.access_token);
      assert.match(answer.token_type, /^bearer$/i);
      assert.equal(answer.expires_in, LIFETIME_S);
      assert.equal(exp! - iat!, answer.expires_in);
    }
  });
});

Deno.test("certificate and key of a service key serve as they stand there, on one line [5.3.2] [5.3.3]", async () => {
  await withWorld("oidc", async ({ send, certificate }) => {
    const inOneLine = (pem: string) => pem.replaceAll("\n", "\\n");
    const credentials = readTokenCredentials({
      clientid: OIDC_CLIENT,
      url: "https://tenant.accounts.test",
      certificate: inOneLine(certificate.pem),
      key: inOneLine(certificate.key),
    });
    const client = new TokenClient({ credentials, fetch: send });
    const { access_token } = await client.fetch({ type: "password", username: "alice", password: PASSWORD });
    assert.equal(decodeJwt(access_token).sub, "alice");
  });
});
