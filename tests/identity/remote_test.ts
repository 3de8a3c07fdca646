/** Calls of other services in the name of the application and of its users, through TLS and real tokens. */

import assert from "node:assert/strict";
import { CERTIFICATE_ROUTE, ROUTE } from "./tls_proxy.ts";
import { withWorld } from "./world.ts";

const urlOf = (route: string, service: string) => `https://${route}/odata/v4/${service}`;

Deno.test("an application calls with a token of its own, bound to the certificate that it shows [5.3.5]", async () => {
  const peer = () => ({ url: urlOf(CERTIFICATE_ROUTE, "systems"), authentication: "client_credentials" });
  await withWorld("oidc", async ({ certificate, oidcToken, call, lines }) => {
    const { access_token: token } = await oidcToken({ user: "alice" });
    const { caller } = await call("Callers", { token, certificate });
    assert.deepEqual(caller, { id: "system", tenant: "t1" }, lines.join("\n"));
  }, { peer });
});

Deno.test("the token of the caller is forwarded as it came", async () => {
  const oauth2 = { peer: () => ({ url: urlOf(ROUTE, "admins"), authentication: "forward" }) };
  await withWorld("oauth2", async ({ oauth2Token, call, lines }) => {
    const { access_token: alice } = await oauth2Token({ user: "alice" });
    assert.deepEqual(
      (await call("Callers", { token: alice })).caller,
      { id: "alice", tenant: "t1" },
      lines.join("\n"),
    );
    const { access_token: bob } = await oauth2Token({ user: "bob" });
    const refused = await call("Callers", { token: bob });
    assert.equal(refused.status, 502, refused.text);
    assert.ok(!lines.some((line) => line.includes(alice) || line.includes(bob)));
  }, oauth2);
});

Deno.test("a bound token is forwarded with the certificate it is bound to", async () => {
  await withWorld("oidc", async ({ certificate, oidcToken, call, lines }) => {
    const { access_token: token } = await oidcToken({ user: "alice" });
    const { caller } = await call("Callers", { token, certificate });
    assert.deepEqual(caller, { id: "alice", tenant: "t1" }, lines.join("\n"));
  }, {
    peer: ({ certificate: { pem, key } }) => ({
      url: urlOf(CERTIFICATE_ROUTE, "persons"),
      authentication: "forward",
      certificate: pem,
      key,
    }),
  });
});

Deno.test("a user of the OIDC service calls as a user of the OAuth 2.0 service after an exchange", async () => {
  const peer = () => ({ url: urlOf(ROUTE, "admins"), authentication: "jwt-bearer", identity: "oauth2" });
  await withWorld("both", async ({ certificate, oidcToken, call, lines }) => {
    const { access_token: token } = await oidcToken({ user: "alice" });
    assert.equal((await call("Admins", { token, certificate })).status, 403);
    const { caller } = await call("Callers", { token, certificate });
    assert.deepEqual(caller, { id: "alice", tenant: "t1" }, lines.join("\n"));
  }, { peer });
});
